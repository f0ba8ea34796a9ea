/* CAC, contiguity-aware compaction (Mosaic, section 4.4): splinters large pages that have lost too
 * many of their pages, and empties large frames by moving their pages to others.
 *
 * Rules: pages move only between loose frames of one class and one memory channel, and only if all
 * of them fit, so that each compaction yields one free frame. All fit exactly if the class has as
 * many free places there as a large frame holds, the frame's own included. A frame with guests
 * stays: they would break the guarantee a second time. */
#include "mm/mosaic.h"
#include <assert.h>

void cac_splinter(mosaic_t *z, uint32_t large, mm_actions_t *out) {
  const frame_t *f = &z->frame[large];
  span_t pages = {region_page(z, f->region), pages_per_large(z->m)};
  actions_push_range(out, MM_SPLINTER, f->class, pages);
  frame_set_coalesced(z, large, false);
  frame_dissolve(z, large);
  z->m->counts.splintered++;
}

/* ---- migration ---- */

/* The action of a page that moves, joined to the one before if both ends follow on. */
static void push_migrate(mm_actions_t *out, size_t from, const mm_action_t *x) {
  mm_action_t *last = out && out->count > from ? &out->item[out->count - 1] : NULL;
  if (last && last->asid == x->asid && last->ppn.v + last->pages == x->ppn.v &&
      last->to_ppn.v + last->pages == x->to_ppn.v &&
      (x->asid == MM_OWNER_OTHER || last->vpn.v + last->pages == x->vpn.v))
    last->pages++;
  else
    actions_push(out, x);
}

static void move_page(mosaic_t *z, uint32_t from, uint32_t to) {
  pool_t *p = &z->m->pool;
  uint8_t owner = pool_owner(p, from);
  uint64_t vpn = pool_vpn(p, from);
  int rc = pool_claim(p, to, owner, vpn);
  assert(!rc); /* its large frame is in use: nothing is allocated */
  (void)rc;
  if (owner < z->m->spaces) pt_move(&z->m->space[owner].table, vpn, to);
  pool_give(p, from);
  z->m->counts.migrated++;
}

/* The first loose frame of the same class and channel, from `from` on, but not `large` itself. */
static uint32_t destination(const mosaic_t *z, uint32_t large, uint32_t from) {
  const frame_t *f = &z->frame[large];
  const frameset_t *room = &z->set[SET_ROOM][f->class];
  uint32_t l = frameset_next(room, from);
  while (l != FRAMESET_NONE && (l == large || z->frame[l].channel != f->channel))
    l = frameset_next(room, l + 1);
  return l;
}

static void empty_frame(mosaic_t *z, uint32_t large, mm_actions_t *out) {
  const mm_t *m = z->m;
  uint32_t order = m->geo.large_order, to = 0;
  size_t from_action = out ? out->count : 0;
  for (uint32_t i = large << order; i < (large + 1) << order; i++) {
    if (!stripes_taken(&m->pool.frames, i)) continue;
    to = destination(z, large, to);
    assert(to != FRAMESET_NONE);
    uint32_t place = free_place(z, to);
    mm_action_t x = {.kind = MM_MIGRATE,
                     .copy = (uint8_t)m->cac.copy,
                     .asid = pool_owner(&m->pool, i),
                     .pages = 1,
                     .vpn = {pool_vpn(&m->pool, i)},
                     .ppn = {i},
                     .to_ppn = {place}};
    push_migrate(out, from_action, &x);
    move_page(z, i, place);
  }
  z->m->counts.compacted++;
}

/* ---- when ---- */

static bool can_empty(const mosaic_t *z, uint32_t large) {
  const frame_t *f = &z->frame[large];
  return z->m->cac.compact && f->set == SET_ROOM && !f->guests && f->class != CLASS_TABLES &&
         z->room[f->class][f->channel] >= pages_per_large(z->m);
}

void cac_freed(mosaic_t *z, uint32_t large, mm_actions_t *out) {
  const frame_t *f = &z->frame[large];
  if (!f->coalesced || !z->m->cac.compact || used_in(z, large) >= z->splinter_below) return;
  span_t pages = {region_page(z, f->region), pages_per_large(z->m)};
  asid_t asid = f->class;
  cac_splinter(z, large, out);
  if (can_empty(z, large)) empty_frame(z, large, out);
  actions_push_range(out, MM_SHOOTDOWN, asid, pages);
}

static bool any_channel_has_room(const mosaic_t *z, uint32_t class) {
  uint32_t per = pages_per_large(z->m), c = 0;
  if (z->room_total[class] < per) return false;
  while (c < z->channels && z->room[class][c] < per) c++;
  return c < z->channels;
}

/* The frame with the fewest pages among those of the class that can be emptied. */
static uint32_t emptiest(const mosaic_t *z, uint32_t class) {
  const frameset_t *room = &z->set[SET_ROOM][class];
  uint32_t best = FRAMESET_NONE;
  if (!any_channel_has_room(z, class)) return best;
  for (uint32_t l = frameset_next(room, 0); l != FRAMESET_NONE; l = frameset_next(room, l + 1))
    if (can_empty(z, l) && (best == FRAMESET_NONE || used_in(z, l) < used_in(z, best))) best = l;
  return best;
}

static void shoot_down_migrated(mm_actions_t *out, size_t from) {
  size_t end = out ? out->count : 0;
  for (size_t i = from; i < end; i++) {
    const mm_action_t *x = &out->item[i];
    if (x->asid == MM_OWNER_OTHER) continue;
    actions_push_range(out, MM_SHOOTDOWN, x->asid, (span_t){x->vpn.v, x->pages});
  }
}

uint32_t cac_make_free(mosaic_t *z, asid_t asid, mm_actions_t *out) {
  if (!z->m->cac.compact) return FRAMESET_NONE;
  uint32_t large = emptiest(z, asid);
  for (uint32_t c = 0; large == FRAMESET_NONE && c <= CLASS_OTHER; c++) large = emptiest(z, c);
  if (large == FRAMESET_NONE) return large;
  size_t from = out ? out->count : 0;
  empty_frame(z, large, out);
  shoot_down_migrated(out, from);
  return large;
}
