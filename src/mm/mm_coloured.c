/* Page colouring (Fractional GPUs, section V): base pages only, and a space has frames of its own
 * colours and no others, so that spaces without a common colour share no memory module.
 *
 * The pool's stripes are the colours: a free set for each. A page gets the lowest free frame of all
 * colours of its space, so that consecutive pages spread over them as the hash does.
 *
 * Invariant (coloured_check): a frame with data of a space has one of its colours; so has a frame
 * with its page table if tables are coloured. Otherwise tables take the highest free frames
 * whatever their colour, and reads of them cross the border. */
#include "mm/manager.h"

typedef struct {
  mm_colours_t spec;
  uint64_t used[GMMU_MAX_APPS]; /* for new pages: some of those the space was given */
} coloured_t;

static uint64_t given_to(const mm_t *m, asid_t asid) {
  const coloured_t *c = m->state;
  return c->spec.functions ? c->spec.of_space[asid] : 1;
}

static uint64_t colours_of(const mm_t *m, asid_t asid) {
  const coloured_t *c = m->state;
  return c->used[asid];
}

static int coloured_use(mm_t *m, asid_t asid, uint64_t colours) {
  coloured_t *c = m->state;
  if (!colours || colours & ~given_to(m, asid)) return GMMU_ERANGE;
  c->used[asid] = colours;
  return GMMU_OK;
}

static uint32_t coloured_table_frame(void *ctx, asid_t asid) {
  mm_t *m = ctx;
  const coloured_t *c = m->state;
  return stripes_highest_of(&m->pool.frames, c->spec.tables ? colours_of(m, asid) : ~UINT64_C(0));
}

static const pool_hooks_t hooks = {.table_frame = coloured_table_frame};

static int coloured_init(mm_t *m, const mm_spec_t *spec) {
  coloured_t *c = host_alloc(&m->host, sizeof *c);
  if (!c) return GMMU_ENOMEM;
  *c = (coloured_t){.spec = spec->colours};
  m->state = c;
  for (uint32_t a = 0; a < m->spaces; a++) c->used[a] = given_to(m, (asid_t)a);
  m->pool.hooks = &hooks, m->pool.hooks_ctx = m;
  return GMMU_OK;
}

static void coloured_fini(mm_t *m) { host_free(&m->host, m->state, sizeof(coloured_t)); }

static uint32_t coloured_open(const mm_t *m, asid_t asid) {
  return stripes_free_of(&m->pool.frames, colours_of(m, asid));
}

static uint32_t own_colour(mm_t *m, asid_t asid) {
  return stripes_lowest_of(&m->pool.frames, colours_of(m, asid));
}

static int coloured_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  return map_chosen(m, b, own_colour, coloured_open(m, b->asid), out);
}

/* Whose colours the frame must have: a space, or `spaces` if nobody's. */
static uint32_t bound_to(const mm_t *m, uint32_t frame) {
  const coloured_t *c = m->state;
  uint32_t owner = pool_owner(&m->pool, frame);
  if (owner < m->spaces) return owner;
  bool table = owner >= MM_OWNER_TABLE && owner < MM_OWNER_TABLE + m->spaces;
  return table && c->spec.tables ? owner - MM_OWNER_TABLE : m->spaces;
}

static int coloured_check(const mm_t *m, err_t *e) {
  for (uint32_t f = 0; f < m->pool.frames.count; f++) {
    uint32_t a = bound_to(m, f), colour = stripe_of(&m->pool.frames, f);
    if (a < m->spaces && !(given_to(m, (asid_t)a) >> colour & 1))
      return err_set(e, GMMU_ECHECK, "frame %u of space %u has colour %u, which is not its", f, a,
                     colour);
  }
  return GMMU_OK;
}

const mm_manager_ops_t mm_coloured = {
    .name = "coloured",
    .help = "base pages only, frames of the application's own page colours",
    .by_colour = true,
    .alloc = coloured_alloc,
    .free = unmap_spans,
    .init = coloured_init,
    .fini = coloured_fini,
    .check = coloured_check,
    .use_colours = coloured_use,
    .open_frames = coloured_open,
};
