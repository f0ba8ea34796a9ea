/* Invariant: a request of data that has been looked up has its origin in `of`, until it ends; so
 * has a write-back. A translation's and a walk's origin is that of the first request that waits for
 * it. */
#include "observe/attribution.h"
#include "base/pow2.h"
#include "cache/l2.h"
#include "map/memory.h"
#include "tlb/xlat.h"
#include "walk/walker.h"

static const origin_t no_origin = {0};

static uint32_t l2_lines(const attribution_t *t) {
  const gpu_spec_t *s = attribution_spec(t);
  return (uint32_t)(s->l2.bytes / s->core.line_bytes);
}

static int attribution_init(void *block, err_t *e) {
  attribution_t *t = block;
  int rc = GMMU_OK;
  t->on = attribution_spec(t)->observe.origins;
  if (!t->on) return GMMU_OK;
  uint32_t room = pow2_at_least(2 * l2_lines(t));
  t->of = calloc(attribution_pool(t)->capacity, sizeof *t->of);
  t->blocked = calloc(attribution_spec(t)->core.sms, sizeof *t->blocked);
  t->dirty = calloc(room, sizeof *t->dirty);
  t->dirty_mask = room - 1;
  for (uint32_t a = 0; a < attribution_share(t)->apps && rc == 0; a++)
    rc = origins_init(&t->app[a]);
  if (rc < 0 || !t->of || !t->blocked || !t->dirty) return component_no_memory(e, "origins");
  return GMMU_OK;
}

static void attribution_fini(void *block) {
  attribution_t *t = block;
  for (uint32_t a = 0; t->on && a < GMMU_MAX_APPS; a++) origins_fini(&t->app[a]);
  free(t->of), free(t->blocked), free(t->dirty);
}

/* ---- what the program does ---- */

static void command_seen(void *block, uint32_t app, const command_t *c) {
  attribution_t *t = block;
  if (origins_command(&t->app[app], c) < 0)
    engine_fail(attribution_ev(t),
                err_set(&attribution_ev(t)->error, GMMU_ENOMEM, "out of memory for origins"));
}

static void end_seen(void *block, uint32_t app) {
  origins_restart(&((attribution_t *)block)->app[app]);
}

/* ---- look-ups, and with them where requests come from ---- */

static uint32_t site_of(const origins_t *o, uint32_t inst) {
  const uint32_t *sites = o->sites_of[inst >> REQUEST_KERNEL_SHIFT];
  return sites ? sites[inst & ((1u << REQUEST_KERNEL_SHIFT) - 1)] : 0;
}

/* The lines of a group, whose addresses may be physical by now, get their origins. */
ALWAYS_INLINE origin_t note_looked_up(attribution_t *t, const group_t *gr) {
  origins_t *o = &t->app[gr->asid];
  request_t *at = attribution_pool(t)->at;
  uint32_t id = gr->lines.head, shift = attribution_memory(t)->page_shift,
           site = site_of(o, at[id].inst);
  uint64_t page = gr->vpn.v << shift, mask = (1ull << (shift + gr->order)) - 1;
  for (;; id = at[id].next) {
    t->of[id] = (origin_t){origins_array(o, site, page | (at[id].addr & mask)), site};
    if (id == gr->lines.tail) return t->of[gr->lines.head];
  }
}

/* The same for a group that still waits for its look-up. */
NEVER_INLINE origin_t note_lines(attribution_t *t, const group_t *gr) {
  return note_looked_up(t, gr);
}

#define COUNT(o, origin, field, by)                                                                \
  ((o)->array[(origin).array].n.field += (by), (o)->site[(origin).site].n.field += (by))

/* Up to `cycles` of the time in which look-ups of the SM were blocked, it was by this one. */
static void note_blocker(blockage_t *b, uint64_t cycles, origin_t of, uint8_t app) {
  bool same = b->count && b->by[b->last].of.array == of.array &&
              b->by[b->last].of.site == of.site && b->by[b->last].app == app;
  if (!same) {
    b->last = (b->last + 1) % BLOCKERS;
    b->by[b->last].of = of;
    b->by[b->last].app = app;
    if (b->count < BLOCKERS) b->count++;
  }
  b->by[b->last].end = cycles;
}

NEVER_INLINE void note_passed(attribution_t *t, uint32_t sm, origin_t of, uint8_t app) {
  const lookups_t *l = &attribution_cores(t)->sm[sm].look;
  note_blocker(&t->blocked[sm], lookups_blocked(l, attribution_ev(t)->now), of, app);
}

static void look_up_seen(void *block, uint32_t sm, const group_t *gr) {
  attribution_t *t = block;
  origins_t *o = &t->app[gr->asid];
  origin_t from = note_looked_up(t, gr);
  if (gr->waited) note_passed(t, sm, from, gr->asid);
  if (!attribution_tlb(t)->levels) return;
  COUNT(o, from, tlb_lookups, 1);
  if (!(attribution_pool(t)->at[gr->lines.head].flags & REQ_XLATED))
    COUNT(o, from, l1tlb_misses, 1);
}

/* A line that no look-up has told of, or not yet. */
static void early_seen(void *block, asid_t asid, uint32_t request, uint64_t va) {
  attribution_t *t = block;
  origins_t *o = &t->app[asid];
  uint32_t site = site_of(o, attribution_pool(t)->at[request].inst);
  t->of[request] = (origin_t){origins_array(o, site, va), site};
}

static origin_t origin_of(const attribution_t *t, uint32_t xlat) {
  uint32_t first = attribution_xlat(t)->at[xlat].waiters.head;
  return first == REQ_NONE ? no_origin : t->of[first];
}

origin_t attribution_of_group(attribution_t *t, const group_t *gr) { return note_lines(t, gr); }
origin_t attribution_of_xlat(const attribution_t *t, uint32_t xlat) { return origin_of(t, xlat); }

static void miss_seen(void *block, uint32_t xlat, uint32_t level) {
  attribution_t *t = block;
  origins_t *o = &t->app[attribution_xlat(t)->at[xlat].asid];
  origin_t from = origin_of(t, xlat);
  if (level == 1)
    COUNT(o, from, l2tlb_misses, 1);
  else if (level == 2)
    COUNT(o, from, l3tlb_misses, 1);
  else
    COUNT(o, from, l4tlb_misses, 1);
}

static void walked_seen(void *block, uint32_t thread) {
  attribution_t *t = block;
  uint32_t xlat = attribution_walker(t)->thread[thread].xlat;
  COUNT(&t->app[attribution_xlat(t)->at[xlat].asid], origin_of(t, xlat), walks, 1);
}

static void fault_seen(void *block, uint32_t xlat) {
  attribution_t *t = block;
  COUNT(&t->app[attribution_xlat(t)->at[xlat].asid], origin_of(t, xlat), far_faults, 1);
}

/* ---- who wrote a line ---- */

static uint64_t line_key(const request_t *r) { return ((uint64_t)r->slice << 32 | r->local) + 1; }

/* The place of a key, or the empty one where it belongs. */
static uint64_t dirty_place(const attribution_t *t, uint64_t key) {
  uint64_t i = assoc_hash(key) & t->dirty_mask;
  while (t->dirty[i].key && t->dirty[i].key != key) i = (i + 1) & t->dirty_mask;
  return i;
}

/* Places fill up to the half: no more lines are dirty than L2 has. */
static void write_seen(void *block, const request_t *r) {
  attribution_t *t = block;
  uint64_t key = line_key(r);
  t->dirty[dirty_place(t, key)] =
      (dirty_line_t){key, t->of[(uint32_t)(r - attribution_pool(t)->at)], r->app};
}

/* The place gets empty: those behind it that were pushed away by it move up. */
static void dirty_drop(attribution_t *t, uint64_t i) {
  for (uint64_t j = (i + 1) & t->dirty_mask; t->dirty[j].key; j = (j + 1) & t->dirty_mask) {
    uint64_t home = assoc_hash(t->dirty[j].key) & t->dirty_mask;
    if (((j - home) & t->dirty_mask) < ((j - i) & t->dirty_mask)) continue;
    t->dirty[i] = t->dirty[j];
    i = j;
  }
  t->dirty[i].key = 0;
}

/* A line that has changed hands is written on behalf of its former owner, who has no array any
 * more. */
static void write_back_seen(void *block, uint32_t request) {
  attribution_t *t = block;
  const request_t *r = &attribution_pool(t)->at[request];
  uint64_t i = dirty_place(t, line_key(r));
  bool known = t->dirty[i].key && t->dirty[i].app == r->app;
  t->of[request] = known ? t->dirty[i].by : no_origin;
  if (t->dirty[i].key) dirty_drop(t, i);
}

static origin_t request_origin(const attribution_t *t, uint32_t id) {
  const request_t *r = &attribution_pool(t)->at[id];
  if (r->kind == REQ_WALK && r->owner != OWNER_NONE)
    return origin_of(t, attribution_walker(t)->thread[r->owner].xlat);
  return r->kind == REQ_COPY_READ || r->kind == REQ_COPY_WRITE ? no_origin : t->of[id];
}

origin_t attribution_of_request(const attribution_t *t, uint32_t id) {
  return request_origin(t, id);
}

static void stand_in_seen(void *block, uint32_t walk, uint32_t other) {
  attribution_t *t = block;
  t->of[other] = request_origin(t, walk);
}

static void bytes_seen(void *block, const dram_access_t *a, uint32_t bytes) {
  attribution_t *t = block;
  origins_t *o = &t->app[a->app];
  origin_t from = request_origin(t, a->id);
  if (a->write)
    COUNT(o, from, dram_write_bytes, bytes);
  else if (a->cls == DRAM_WALK)
    COUNT(o, from, dram_walk_bytes, bytes);
  else
    COUNT(o, from, dram_read_bytes, bytes);
}

/* ---- stalls ---- */

_Static_assert(STALL_DRAM - STALL_TLB1 + 1 == ORIGIN_STALLS, "reasons that memory is to blame for");

/* Only at the end of a run a warp is charged for a line that nobody has looked up yet. */
NEVER_INLINE void note_queue(attribution_t *t, uint32_t sm) {
  const lookups_t *l = &attribution_cores(t)->sm[sm].look;
  for (uint32_t k = 0; k < l->count; k++) note_lines(t, &l->group[(l->head + k) & l->mask]);
}

static void stall_seen(void *block, uint32_t request, uint8_t app, const uint64_t *stall) {
  attribution_t *t = block;
  const request_t *r = &attribution_pool(t)->at[request];
  if (!(r->flags & REQ_XLATED)) note_queue(t, r->sm);
  origins_t *o = &t->app[app];
  origin_t from = t->of[request];
  uint64_t *array = o->array[from.array].n.stall, *site = o->site[from.site].n.stall;
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++) {
    if (!stall[STALL_TLB1 + i]) continue;
    array[i] += stall[STALL_TLB1 + i];
    site[i] += stall[STALL_TLB1 + i];
  }
}

/* What waits now is the look-up at the head of the queue. What others did is the instruction's own
 * fate. */
static void blocked_seen(void *block, const sm_t *s, const warp_t *w, uint64_t cycles) {
  attribution_t *t = block;
  origins_t *o = &t->app[w->app];
  blockage_t *b = &t->blocked[s->id];
  uint64_t end = lookups_blocked(&s->look, attribution_ev(t)->now), from = end - cycles;
  const group_t *head = &s->look.group[s->look.head];
  if (s->look.blocked) note_blocker(b, end, note_lines(t, head), head->asid);
  for (uint32_t i = 0, k = b->last; end > from; i++, k = (k - 1) % BLOCKERS) {
    uint32_t before = (k - 1) % BLOCKERS;
    uint64_t begin = i + 1 < b->count && b->by[before].end > from ? b->by[before].end : from;
    if (begin > end) begin = end;
    origin_t own = {0, site_of(o, w->in->index)};
    COUNT(o, b->by[k].app == w->app ? b->by[k].of : own, stall[0], end - begin);
    end = begin;
  }
}

/* ---- the sums ---- */

static void add_counts(origin_counts_t *to, const origin_counts_t *n) {
#define X(f, u, h) to->f += n->f;
  ORIGIN_COUNTERS(X)
#undef X
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++) to->stall[i] += n->stall[i];
}

static origin_counts_t totals(const attribution_t *t, uint32_t a) {
  const tlbs_t *tlb = attribution_tlb(t);
  origin_counts_t n = {.tlb_lookups = tlb->levels ? tlb->level[0].stats[a].lookups : 0,
                       .walks = attribution_walker(t)->stats[a].walks,
                       .far_faults = attribution_paging(t)->stats[a].faults};
  uint64_t *miss[TLB_MAX_LEVELS] = {&n.l1tlb_misses, &n.l2tlb_misses, &n.l3tlb_misses,
                                    &n.l4tlb_misses};
  for (uint32_t l = 0; l < tlb->levels; l++) *miss[l] = tlb->level[l].stats[a].misses;
  const channels_t *d = attribution_dram(t);
  for (uint32_t c = 0; c < d->channels; c++) {
    const dram_stats_t *data = dram_stats(d->channel[c].dram, (uint8_t)a, DRAM_DATA),
                       *walk = dram_stats(d->channel[c].dram, (uint8_t)a, DRAM_WALK);
    n.dram_read_bytes += data->read_bytes;
    n.dram_write_bytes += data->write_bytes + walk->write_bytes;
    n.dram_walk_bytes += walk->read_bytes;
  }
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++)
    n.stall[i] = attribution_cores(t)->stats[a].stall[STALL_TLB1 + i];
  return n;
}

static int same_sums(const origin_counts_t *sum, const origin_counts_t *total, uint32_t a,
                     const char *what, err_t *e) {
#define SAME(f, name)                                                                              \
  if (sum->f != total->f)                                                                          \
  return err_set(e, GMMU_ECHECK, "application %u: %s by %s is %llu in all, not %llu", a, name,     \
                 what, (unsigned long long)sum->f, (unsigned long long)total->f)
#define X(f, u, h) SAME(f, #f);
  ORIGIN_COUNTERS(X)
#undef X
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++) SAME(stall[i], stall_names[STALL_TLB1 + i]);
#undef SAME
  return GMMU_OK;
}

static int check_app(const attribution_t *t, uint32_t app, err_t *e) {
  const origins_t *o = &t->app[app];
  origin_counts_t total = totals(t, app), arrays = {0}, sites = {0};
  for (uint32_t i = 0; i < o->arrays; i++) add_counts(&arrays, &o->array[i].n);
  for (uint32_t i = 0; i < o->sites; i++) add_counts(&sites, &o->site[i].n);
  int rc = same_sums(&arrays, &total, app, "array", e);
  return rc < 0 ? rc : same_sums(&sites, &total, app, "line", e);
}
