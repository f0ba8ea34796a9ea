/* The books of Mosaic: class, binding and set of every large frame, kept current by the pool's
 * hook, so that whoever takes or gives a frame (page tables included) cannot forget to.
 *
 * Invariant: the set of a frame follows from its fields and its number of used places (wanted_set),
 * and the counts follow from the frames. The hash table has one slot per bound frame, found by
 * linear probing from the hash of space and region; it is at most half full. */
#include "mm/mosaic.h"
#include <assert.h>
#include <inttypes.h>

/* ---- the table of bound frames ---- */

static uint32_t bound_mask(const mosaic_t *z) { return UINT32_MAX >> (z->bound_shift - 32); }

static uint32_t bound_home(const mosaic_t *z, uint8_t class, uint64_t region) {
  uint64_t key = region << 8 | class;
  return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> z->bound_shift);
}

uint32_t bound_find(const mosaic_t *z, asid_t asid, uint64_t region) {
  uint32_t i = bound_home(z, asid, region), mask = bound_mask(z);
  for (; z->bound[i]; i = (i + 1) & mask) {
    const frame_t *f = &z->frame[z->bound[i] - 1];
    if (f->region == region && f->class == asid) return z->bound[i] - 1;
  }
  return FRAMESET_NONE;
}

static void bound_add(mosaic_t *z, uint32_t large) {
  const frame_t *f = &z->frame[large];
  uint32_t i = bound_home(z, f->class, f->region), mask = bound_mask(z);
  while (z->bound[i]) i = (i + 1) & mask;
  z->bound[i] = large + 1;
}

/* Later entries move up into the hole as far as their home allows. */
static void bound_drop(mosaic_t *z, uint32_t large) {
  uint32_t mask = bound_mask(z);
  uint32_t hole = bound_home(z, z->frame[large].class, z->frame[large].region);
  while (z->bound[hole] != large + 1) hole = (hole + 1) & mask;
  for (uint32_t i = (hole + 1) & mask; z->bound[i]; i = (i + 1) & mask) {
    const frame_t *f = &z->frame[z->bound[i] - 1];
    uint32_t home = bound_home(z, f->class, f->region);
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    z->bound[hole] = z->bound[i];
    hole = i;
  }
  z->bound[hole] = 0;
}

/* ---- sets ---- */

static uint8_t wanted_set(const mosaic_t *z, uint32_t large) {
  const frame_t *f = &z->frame[large];
  uint32_t used = used_in(z, large);
  if (!used || used == pages_per_large(z->m)) return SET_NONE;
  return f->coalesced ? SET_EMERGENCY : f->bound ? SET_RESERVED : SET_ROOM;
}

static void count_room(mosaic_t *z, frame_t *f, uint32_t now) {
  z->room[f->class][f->channel] += now - f->loose;
  z->room_total[f->class] += (uint64_t)now - f->loose;
  f->loose = now;
}

static void refile(mosaic_t *z, uint32_t large) {
  frame_t *f = &z->frame[large];
  uint8_t set = wanted_set(z, large);
  uint32_t loose = set == SET_ROOM ? pages_per_large(z->m) - used_in(z, large) : 0;
  if (loose != f->loose) count_room(z, f, loose);
  if (set == f->set) return;
  if (f->set != SET_NONE) frameset_drop(&z->set[f->set][f->class], large);
  if (set != SET_NONE) frameset_add(&z->set[set][f->class], large);
  f->set = set;
}

/* ---- what happens to a frame ---- */

static uint8_t class_of(uint8_t owner) {
  return owner < GMMU_MAX_APPS ? owner : owner == MM_OWNER_OTHER ? CLASS_OTHER : CLASS_TABLES;
}

static void frame_join(mosaic_t *z, uint32_t large, uint8_t class) {
  z->frame[large].class = class;
  z->frames_of[class]++;
}

/* Its last page has gone: it is on the free frame list again. */
static void frame_leave(mosaic_t *z, uint32_t large) {
  frame_t *f = &z->frame[large];
  if (f->bound) bound_drop(z, large);
  z->frames_of[f->class]--;
  *f = (frame_t){.class = CLASS_NONE, .set = SET_NONE, .channel = f->channel};
}

static void count_guest(mosaic_t *z, frame_t *f, bool taken) {
  f->guests += taken ? 1 : UINT32_MAX;
  z->m->counts.guests += taken;
}

/* The pool's hook. Whoever takes the first place of a free frame gives it its class. */
static void frame_changed(void *ctx, uint32_t large, uint8_t owner, bool taken) {
  mosaic_t *z = ctx;
  frame_t *f = &z->frame[large];
  if (f->class == CLASS_NONE) frame_join(z, large, class_of(owner));
  z->used_of[f->class] += taken ? 1 : UINT64_MAX;
  if (class_of(owner) != f->class) count_guest(z, f, taken);
  if (f->coalesced) z->large_pages[f->class] += taken ? 1 : UINT64_MAX;
  refile(z, large);
  if (!used_in(z, large)) frame_leave(z, large);
}

void frame_bind(mosaic_t *z, uint32_t large, asid_t asid, uint64_t region) {
  frame_t *f = &z->frame[large];
  assert(f->class == CLASS_NONE);
  frame_join(z, large, asid);
  f->bound = true, f->region = region;
  bound_add(z, large);
}

void frame_dissolve(mosaic_t *z, uint32_t large) {
  assert(z->frame[large].bound && !z->frame[large].coalesced);
  bound_drop(z, large);
  z->frame[large].bound = false;
  refile(z, large);
}

void frame_set_coalesced(mosaic_t *z, uint32_t large, bool on) {
  frame_t *f = &z->frame[large];
  uint64_t used = used_in(z, large);
  pt_set_coalesced(&z->m->space[f->class].table, region_page(z, f->region), pages_per_large(z->m),
                   on);
  f->coalesced = on;
  z->large_pages[f->class] += on ? used : -used;
  refile(z, large);
}

uint32_t free_place(const mosaic_t *z, uint32_t large) {
  return stripes_lowest_in(&z->m->pool.frames, large << z->m->geo.large_order,
                           pages_per_large(z->m));
}

/* ---- creation ---- */

static const pool_hooks_t hooks = {frame_changed, cocoa_table_frame};

static bool alloc_tables(mosaic_t *z, const mm_host_t *h) {
  uint32_t larges = z->m->pool.larges.count;
  z->bound_shift = 63;
  while (UINT64_C(1) << (64 - z->bound_shift) < 2 * (uint64_t)larges) z->bound_shift--;
  z->frame = host_alloc(h, larges * sizeof *z->frame);
  z->bound = host_alloc(h, sizeof *z->bound << (64 - z->bound_shift));
  z->bits = host_alloc(h, SET_KINDS * CLASSES * ((larges + 63) / 64) * sizeof *z->bits);
  return z->frame && z->bound && z->bits;
}

int books_init(mm_t *m, const mm_spec_t *spec) {
  mosaic_t *z = host_alloc(&m->host, sizeof *z);
  if (!z) return GMMU_ENOMEM;
  m->state = z, z->m = m;
  if (!alloc_tables(z, &m->host)) return GMMU_ENOMEM;
  uint32_t words = (m->pool.larges.count + 63) / 64, per = pages_per_large(m);
  z->channels = spec->channel ? spec->channels : 1;
  z->splinter_below = (uint32_t)(((uint64_t)per * spec->cac.splinter_below + 99) / 100);
  for (uint32_t i = 0; i < SET_KINDS * CLASSES; i++)
    z->set[i / CLASSES][i % CLASSES] =
        (frameset_t){.bits = z->bits + (size_t)i * words, .words = words, .low = words};
  for (uint32_t l = 0; l < m->pool.larges.count; l++) {
    uint32_t channel = spec->channel ? spec->channel(spec->channel_ctx, l) % spec->channels : 0;
    z->frame[l] = (frame_t){.class = CLASS_NONE, .set = SET_NONE, .channel = (uint8_t)channel};
  }
  m->pool.hooks = &hooks, m->pool.hooks_ctx = z;
  return GMMU_OK;
}

void books_fini(mm_t *m) {
  mosaic_t *z = m->state;
  if (!z) return;
  uint32_t larges = m->pool.larges.count;
  host_free(&m->host, z->frame, larges * sizeof *z->frame);
  host_free(&m->host, z->bound, sizeof *z->bound << (64 - z->bound_shift));
  host_free(&m->host, z->bits, SET_KINDS * CLASSES * ((larges + 63) / 64) * sizeof *z->bits);
  host_free(&m->host, z, sizeof *z);
}

/* ---- check ---- */

typedef struct {
  uint64_t room[CLASSES][MM_MAX_CHANNELS], large_pages[CLASSES], frames[CLASSES], used[CLASSES];
  uint64_t members[SET_KINDS][CLASSES];
} tally_t;

static int bad(err_t *e, uint32_t large, const char *what) {
  return err_set(e, GMMU_ECHECK, "large frame %" PRIu32 ": %s", large, what);
}

/* Every page of a bound frame lies at its own offset; a coalesced one is marked so. */
static int check_bound(const mosaic_t *z, uint32_t large, err_t *e) {
  const mm_t *m = z->m;
  const frame_t *f = &z->frame[large];
  if (bound_find(z, f->class, f->region) != large) return bad(e, large, "it is not to be found");
  if (f->guests || f->class >= m->spaces) return bad(e, large, "it is bound and has guests");
  for (uint32_t i = 0; i < pages_per_large(m); i++) {
    uint32_t frame = (large << m->geo.large_order) + i;
    uint64_t vpn = region_page(z, f->region) + i;
    ppn_t ppn;
    bool marked = false, here = mm_translate(m, f->class, (vpn_t){vpn}, &ppn, &marked);
    if (!stripes_taken(&m->pool.frames, frame)) {
      if (here) return bad(e, large, "a page of its large page lies elsewhere");
    } else if (!here || ppn.v != frame || marked != f->coalesced)
      return bad(e, large, "a page is misplaced or wrongly marked");
  }
  return GMMU_OK;
}

static int check_loose(const mosaic_t *z, uint32_t large, uint32_t *guests, err_t *e) {
  const mm_t *m = z->m;
  uint32_t first = large << m->geo.large_order;
  for (uint32_t i = first; i < first + pages_per_large(m); i++) {
    uint8_t owner = pool_owner(&m->pool, i);
    ppn_t ppn;
    bool marked = false;
    if (owner == MM_OWNER_NONE) continue;
    *guests += class_of(owner) != z->frame[large].class;
    if (owner >= m->spaces) continue;
    mm_translate(m, owner, (vpn_t){pool_vpn(&m->pool, i)}, &ppn, &marked);
    if (marked) return bad(e, large, "a loose page is marked as coalesced");
  }
  return GMMU_OK;
}

static int check_frame(const mosaic_t *z, uint32_t large, tally_t *t, err_t *e) {
  const frame_t *f = &z->frame[large];
  uint32_t used = used_in(z, large), guests = 0;
  if (!used != (f->class == CLASS_NONE)) return bad(e, large, "it is free in one place only");
  if (f->set != wanted_set(z, large)) return bad(e, large, "it is in the wrong set");
  if (!used) return f->bound || f->coalesced ? bad(e, large, "it is free and bound") : GMMU_OK;
  if (f->coalesced && !f->bound) return bad(e, large, "it is coalesced and loose");
  int rc = f->bound ? check_bound(z, large, e) : check_loose(z, large, &guests, e);
  if (rc) return rc;
  if (guests != f->guests) return bad(e, large, "its guests are miscounted");
  t->frames[f->class]++, t->used[f->class] += used;
  t->room[f->class][f->channel] += f->set == SET_ROOM ? pages_per_large(z->m) - used : 0;
  t->large_pages[f->class] += f->coalesced ? used : 0;
  if (f->set == SET_NONE) return GMMU_OK;
  t->members[f->set][f->class]++;
  return frameset_has(&z->set[f->set][f->class], large) ? GMMU_OK : bad(e, large, "not in its set");
}

static int check_class(const mosaic_t *z, uint32_t c, const tally_t *t, err_t *e) {
  uint64_t room = 0;
  bool right = t->frames[c] == z->frames_of[c] && t->used[c] == z->used_of[c];
  for (uint32_t k = 0; k < MM_MAX_CHANNELS; k++) {
    room += t->room[c][k];
    right &= t->room[c][k] == z->room[c][k];
  }
  for (uint32_t k = 0; k < SET_KINDS; k++) right &= t->members[k][c] == z->set[k][c].count;
  right &= room == z->room_total[c];
  if (c < GMMU_MAX_APPS) right &= t->large_pages[c] == z->large_pages[c];
  return right ? GMMU_OK
               : err_set(e, GMMU_ECHECK, "the books of class %" PRIu32 " are miscounted", c);
}

int books_check(const mm_t *m, err_t *e) {
  const mosaic_t *z = mosaic_of(m);
  tally_t t = {0};
  int rc = GMMU_OK;
  uint32_t bound = 0, entries = 0;
  for (uint32_t l = 0; !rc && l < m->pool.larges.count; l++) {
    bound += z->frame[l].bound;
    rc = check_frame(z, l, &t, e);
  }
  for (uint32_t c = 0; !rc && c < CLASSES; c++) rc = check_class(z, c, &t, e);
  for (uint32_t i = 0; i <= bound_mask(z); i++) entries += z->bound[i] != 0;
  if (!rc && entries != bound) rc = err_set(e, GMMU_ECHECK, "bound frames are miscounted");
  return rc;
}
