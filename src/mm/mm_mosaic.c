/* Mosaic (Ausavarungnirun et al., MICRO 2017), sections 4.2 and 4.3: contiguity-conserving
 * allocation (CoCoA) and the in-place coalescer. Its compaction is in mosaic_cac.c, its books are
 * in mosaic_books.c.
 *
 * An allocation first makes a plan: how many frames, nodes and actions it may take at most. Every
 * free base frame can be had in the end, if need be against the soft guarantee, so there is room
 * exactly if the free frames are as many as the pages and the tables need; and what the host has to
 * give is set aside. From then on nothing can fail, and nothing has to be undone. */
#include "mm/mosaic.h"
#include <assert.h>

/* ---- regions: the large pages of a space ---- */

static uint64_t region_of(const mm_t *m, uint64_t vpn) { return vpn >> m->geo.large_order; }

/* The part of the span from vpn on that lies in one region. */
static span_t chunk_at(const mm_t *m, span_t pages, uint64_t vpn) {
  uint64_t end = pages.first + pages.count, next = (region_of(m, vpn) + 1) << m->geo.large_order;
  return (span_t){vpn, (next < end ? next : end) - vpn};
}

/* May the region of vpn have a large frame of its own? If allocations cover it and no page of it
 * was put elsewhere. */
static bool deserves_frame(const mm_t *m, asid_t asid, uint64_t vpn) {
  span_t region = {region_of(m, vpn) << m->geo.large_order, pages_per_large(m)};
  uint64_t end = region.first + region.count;
  bool holds_leaves = m->geo.large_order >= m->geo.level[1].shift; /* and none of them is empty */
  if (holds_leaves && pt_near_leaf(&m->space[asid].table, vpn)) return false;
  return next_mapped(m, asid, region.first, end) == end && /* asked first: it costs no search */
         space_covers(m, &m->space[asid], region);
}

/* ---- the plan ---- */

typedef struct {
  uint64_t frames; /* base frames */
  uint64_t larges; /* large frames that may be opened */
  uint64_t stock[STOCK_KINDS];
} plan_t;

static uint64_t larges_for(const mm_t *m, uint64_t places, uint64_t room) {
  uint64_t per = pages_per_large(m);
  return places > room ? (places - room + per - 1) / per : 0;
}

/* Chunks that deserve a large frame of their own, and pages of chunks that do not. */
static void count_chunks(const mosaic_t *z, const back_t *b, uint64_t *whole, uint64_t *loose) {
  const mm_t *m = z->m;
  uint64_t end = b->pages.first + b->pages.count;
  for (span_t c = chunk_at(m, b->pages, b->pages.first); c.first < end;
       c = chunk_at(m, b->pages, c.first + c.count)) {
    if (bound_find(z, b->asid, region_of(m, c.first)) != FRAMESET_NONE) continue;
    bool deserves = deserves_frame(m, b->asid, c.first);
    *whole += deserves;
    *loose += deserves ? 0 : c.count;
  }
}

static plan_t make_plan(const mosaic_t *z, const back_t *b) {
  const mm_t *m = z->m;
  const pt_t *t = &m->space[b->asid].table;
  plan_t p = {0};
  uint64_t whole = 0, loose = 0;
  count_chunks(z, b, &whole, &loose);
  pt_missing(t, b->pages.first, b->pages.first + b->pages.count - 1, &p.stock[STOCK_LEAF],
             &p.stock[STOCK_NODE]);
  uint64_t slabs = pt_new_frames(t, p.stock[STOCK_LEAF], p.stock[STOCK_NODE]);
  p.larges = whole + larges_for(m, loose + slabs, z->room_total[b->asid]) +
             larges_for(m, slabs, z->room_total[CLASS_TABLES]);
  if (p.larges > m->pool.larges.free_total) /* then compaction may use up the room first */
    p.larges = whole + larges_for(m, loose + slabs, 0) + larges_for(m, slabs, 0);
  p.frames = b->pages.count + slabs;
  p.stock[STOCK_SLAB] = slabs, p.stock[STOCK_OWNERS] = p.larges;
  return p;
}

/* Only what exceeds the free frame list is a matter for CAC and the emergency list. */
static size_t plan_actions(const mosaic_t *z, const back_t *b, const plan_t *p) {
  const mm_t *m = z->m;
  size_t n = ACTIONS_PER_MAP + region_of(m, b->pages.count) + 2;
  uint64_t free_larges = m->pool.larges.free_total, emergencies = 0;
  if (p->larges <= free_larges) return n;
  for (uint32_t c = 0; c < CLASSES; c++) emergencies += z->set[SET_EMERGENCY][c].count;
  uint64_t compactions = m->cac.compact ? p->larges - free_larges : 0;
  return n + compactions * CAC_ACTIONS(m) + 2 * emergencies;
}

/* ---- CoCoA ---- */

/* A frame of the free frame list; CAC may have to fill it first. */
static uint32_t free_frame(mosaic_t *z, asid_t asid) {
  uint32_t large = stripes_lowest(&z->m->pool.larges, 0);
  return large != STRIPES_NONE ? large : cac_make_free(z, asid, z->out);
}

/* A coalesced page of the emergency list is given up for its unallocated places. */
static void pull_emergency(mosaic_t *z, uint32_t large) {
  span_t pages = {region_page(z, z->frame[large].region), pages_per_large(z->m)};
  asid_t asid = z->frame[large].class;
  cac_splinter(z, large, z->out);
  actions_push_range(z->out, MM_SHOOTDOWN, asid, pages);
  z->m->counts.emergencies++;
}

/* Places that bound frames of the class keep: it loses the reservation, or at last a large page. */
static uint32_t unbind_one(mosaic_t *z, uint32_t class) {
  uint32_t large = frameset_first(&z->set[SET_RESERVED][class]);
  if (large != FRAMESET_NONE) {
    frame_dissolve(z, large);
    z->m->counts.dissolved++;
    return large;
  }
  large = frameset_first(&z->set[SET_EMERGENCY][class]);
  if (large != FRAMESET_NONE) pull_emergency(z, large);
  return large;
}

/* No free frame is left. The class's own places first, then, against the soft guarantee, those of
 * others: frames that were never anybody's, loose frames, bound ones. */
static uint32_t last_resort(mosaic_t *z, uint32_t class) {
  uint32_t large = unbind_one(z, class);
  if (large == FRAMESET_NONE) large = frameset_first(&z->set[SET_ROOM][CLASS_OTHER]);
  for (uint32_t c = 0; large == FRAMESET_NONE && c < CLASSES; c++)
    large = frameset_first(&z->set[SET_ROOM][c]);
  for (uint32_t c = 0; large == FRAMESET_NONE && c < z->m->spaces; c++) large = unbind_one(z, c);
  return large;
}

/* A place from the space's free base page list, into which a free frame goes if it is empty. */
static uint32_t base_frame(mosaic_t *z, asid_t asid) {
  uint32_t large = frameset_first(&z->set[SET_ROOM][asid]);
  if (large == FRAMESET_NONE) large = free_frame(z, asid);
  if (large == FRAMESET_NONE) large = last_resort(z, asid);
  assert(large != FRAMESET_NONE);
  return free_place(z, large);
}

uint32_t cocoa_table_frame(void *ctx, asid_t asid) {
  mosaic_t *z = ctx;
  (void)asid; /* tables of all spaces share frames */
  uint32_t large = frameset_first(&z->set[SET_ROOM][CLASS_TABLES]);
  if (large == FRAMESET_NONE) large = stripes_highest(&z->m->pool.larges, 0);
  if (large == FRAMESET_NONE) large = last_resort(z, CLASS_TABLES);
  return large == FRAMESET_NONE ? STRIPES_NONE : free_place(z, large);
}

static void place_page(mosaic_t *z, asid_t asid, uint64_t vpn, uint32_t frame) {
  int rc = map_page(z->m, asid, vpn, frame);
  assert(!rc); /* planned */
  (void)rc;
}

/* The pages of the chunk at their own offsets. The binding may end half way, when their tables need
 * its places more. */
static uint64_t place_bound(mosaic_t *z, asid_t asid, span_t chunk, uint32_t large) {
  uint32_t first = large << z->m->geo.large_order, mask = pages_per_large(z->m) - 1;
  uint64_t i = 0;
  for (; i < chunk.count && (z->frame[large].bound); i++) {
    uint64_t vpn = chunk.first + i;
    place_page(z, asid, vpn, first + ((uint32_t)vpn & mask));
    if (z->frame[large].coalesced) pt_set_coalesced(&z->m->space[asid].table, vpn, 1, true);
  }
  return i;
}

static void place_loose(mosaic_t *z, asid_t asid, span_t chunk) {
  for (uint64_t i = 0; i < chunk.count; i++)
    place_page(z, asid, chunk.first + i, base_frame(z, asid));
}

/* The pages of one region; false if they are for the free base page list, and come later. */
static bool back_region(mosaic_t *z, const back_t *b, span_t chunk) {
  uint64_t region = region_of(z->m, chunk.first), done = 0;
  uint32_t large = bound_find(z, b->asid, region);
  if (large == FRAMESET_NONE) {
    if (!deserves_frame(z->m, b->asid, chunk.first)) return false;
    large = free_frame(z, b->asid);
    if (large != FRAMESET_NONE) frame_bind(z, large, b->asid, region);
  }
  if (large != FRAMESET_NONE) done = place_bound(z, b->asid, chunk, large);
  place_loose(z, b->asid, (span_t){chunk.first + done, chunk.count - done});
  return true;
}

/* Whole regions first: compaction on their behalf then meets no page of this very allocation. */
static void back_pages(mosaic_t *z, const back_t *b) {
  uint64_t end = b->pages.first + b->pages.count;
  span_t later[2]; /* only the first and the last chunk are not whole */
  uint32_t n = 0;
  for (span_t c = chunk_at(z->m, b->pages, b->pages.first); c.first < end;
       c = chunk_at(z->m, b->pages, c.first + c.count))
    if (!back_region(z, b, c)) later[n++] = c;
  assert(n <= 2);
  for (uint32_t i = 0; i < n; i++) place_loose(z, b->asid, later[i]);
}

/* ---- the in-place coalescer ---- */

/* The bound frame holds pages of one space at their offsets only: if it is full, all conditions
 * hold. A large page of one base page is none. */
static void coalesce_if_full(mosaic_t *z, uint32_t large, mm_actions_t *out) {
  uint32_t per = pages_per_large(z->m);
  const frame_t *f = &z->frame[large];
  if (used_in(z, large) != per || f->coalesced || per == 1) return;
  frame_set_coalesced(z, large, true);
  mm_action_t x = {.kind = MM_COALESCE,
                   .asid = f->class,
                   .pages = per,
                   .vpn = {region_page(z, f->region)},
                   .ppn = {(uint64_t)large << z->m->geo.large_order}};
  actions_push(out, &x);
  z->m->counts.coalesced++;
}

static int back_planned(mosaic_t *z, const back_t *b, mm_actions_t *out) {
  mm_t *m = z->m;
  plan_t p = make_plan(z, b);
  if (p.frames > m->pool.frames.free_total) return GMMU_ENOSPACE;
  int rc = actions_reserve(m, out, plan_actions(z, b, &p));
  if (!rc) rc = stock_fill(&m->pool.stock, p.stock);
  if (rc) return rc;
  z->out = out;
  back_pages(z, b);
  actions_push_map(m, out, b);
  uint64_t last = region_of(m, b->pages.first + b->pages.count - 1);
  for (uint64_t r = region_of(m, b->pages.first); r <= last; r++) {
    uint32_t large = bound_find(z, b->asid, r);
    if (large != FRAMESET_NONE) coalesce_if_full(z, large, out);
  }
  stock_empty(&m->pool.stock);
  z->out = NULL;
  return GMMU_OK;
}

/* The frame that the plan would end with for one page whose leaf is there, if it needs nothing new
 * for it: there is the bound frame, or a loose one with room. Else STRIPES_NONE. */
static uint32_t frame_at_hand(mosaic_t *z, asid_t asid, uint64_t vpn, uint32_t bound) {
  uint32_t order = z->m->geo.large_order;
  if (bound != FRAMESET_NONE)
    return (bound << order) + ((uint32_t)vpn & (pages_per_large(z->m) - 1));
  if (deserves_frame(z->m, asid, vpn)) return STRIPES_NONE;
  uint32_t large = frameset_first(&z->set[SET_ROOM][asid]);
  return large == FRAMESET_NONE ? STRIPES_NONE : free_place(z, large);
}

/* Faults and small allocations, nearly all of which need no plan. */
static int back_one(mosaic_t *z, const back_t *b, mm_actions_t *out) {
  mm_t *m = z->m;
  uint64_t vpn = b->pages.first;
  pt_t *t = &m->space[b->asid].table;
  pt_node_t *leaf = pt_near_leaf(t, vpn);
  uint32_t bound = leaf ? bound_find(z, b->asid, region_of(m, vpn)) : FRAMESET_NONE;
  uint32_t frame = leaf ? frame_at_hand(z, b->asid, vpn, bound) : STRIPES_NONE;
  if (frame == STRIPES_NONE) return back_planned(z, b, out);
  int rc = actions_reserve(m, out, ACTIONS_PER_MAP + 1);
  if (!rc) rc = pool_claim(&m->pool, frame, b->asid, vpn); /* its large frame is in use: it can */
  if (rc) return rc;
  pt_enter(t, leaf, vpn, frame);
  actions_push_map(m, out, b);
  if (bound == FRAMESET_NONE) return GMMU_OK;
  if (z->frame[bound].coalesced) pt_set_coalesced(t, vpn, 1, true);
  coalesce_if_full(z, bound, out);
  return GMMU_OK;
}

static int mosaic_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  mosaic_t *z = mosaic_of(m);
  return b->pages.count == 1 ? back_one(z, b, out) : back_planned(z, b, out);
}

/* ---- deallocation ---- */

/* Coalesced pages that only lost a part, each once: the ends of spans, of which several may lie in
 * one region. Calls CAC for them; with count_only, says how many there are. */
static size_t partly_freed(mosaic_t *z, asid_t asid, const span_t *pages, size_t n, bool count_only,
                           mm_actions_t *out) {
  uint64_t last = UINT64_MAX;
  size_t count = 0;
  for (size_t i = 0; i < 2 * n; i++) {
    const span_t *s = &pages[i / 2];
    uint64_t region = region_of(z->m, i % 2 ? s->first + s->count - 1 : s->first);
    if (region == last) continue;
    last = region;
    uint32_t large = bound_find(z, asid, region);
    if (large == FRAMESET_NONE || !z->frame[large].coalesced) continue;
    count++;
    if (!count_only) cac_freed(z, large, out);
  }
  return count;
}

static int mosaic_free(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out) {
  mosaic_t *z = mosaic_of(m);
  size_t part = partly_freed(z, asid, pages, n, true, NULL);
  int rc = actions_reserve(m, out, n * ACTIONS_PER_UNMAP + part * CAC_ACTIONS(m));
  if (rc) return rc;
  for (size_t i = 0; i < n; i++)
    if (unmap_pages(m, asid, pages[i])) actions_push_unmap(out, asid, pages[i]);
  if (part) partly_freed(z, asid, pages, n, false, out);
  return GMMU_OK;
}

/* ---- what is where ---- */

static void mosaic_usage(const mm_t *m, mm_usage_t *u) {
  const mosaic_t *z = mosaic_of(m);
  for (uint32_t a = 0; a < m->spaces; a++) {
    u->large_frames[a] = z->large_pages[a];
    u->held_frames[a] += z->frames_of[a] * pages_per_large(m) - z->used_of[a];
  }
}

static void mosaic_large(const mm_t *m, uint32_t large, mm_large_t *out) {
  const frame_t *f = &mosaic_of(m)->frame[large];
  out->owner = f->class == CLASS_NONE     ? MM_OWNER_NONE
               : f->class == CLASS_OTHER  ? MM_OWNER_OTHER
               : f->class == CLASS_TABLES ? MM_OWNER_TABLE
                                          : f->class;
  out->coalesced = f->coalesced, out->guests = f->guests, out->channel = f->channel;
}

const mm_manager_ops_t mm_mosaic = {
    .name = "mosaic",
    .help = "contiguous frames per application, coalesced in place, compacted when fragmented",
    .coalesces = true,
    .alloc = mosaic_alloc,
    .free = mosaic_free,
    .init = books_init,
    .fini = books_fini,
    .check = books_check,
    .usage = mosaic_usage,
    .large = mosaic_large,
};
