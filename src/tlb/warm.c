/* Look-ups without time: the TLBs, and what their policies know, become what they would be. Peers
 * are not asked, and nobody who watches is told. */
#include "base/inline.h"
#include "tlb/xlat.h"
#include <assert.h>

/* A first-level TLB has the page of `x`, which then knows the frame. `hash`: of its key. */
ALWAYS_INLINE bool tlb_warm_first(tlbs_t *c, xlat_t *x, uint64_t hash) {
  return tlb_lookup_hashed(&tlb_instance(c, 0, x->sm)->array, x->asid, x->vpn, hash, &x->ppn,
                           &x->large);
}

/* The level behind the first that has it; the number of levels: none. A page that is kept beside
 * the first level counts as the next level's. */
ALWAYS_INLINE uint32_t tlb_warm_further(tlbs_t *c, xlat_t *x, uint64_t hash) {
  if (c->victim && take_kept(c, victim_state(c, x->sm), x)) return x->level = x->reached = 1;
  for (x->level = 1; x->level < c->levels; x->level++) {
    found_t found = level_find(c, x, tlb_instance(c, x->level, x->sm), hash);
    if (c->fill_hooks) tell_fill_policy(c, x, found != FOUND_NOT);
    if (found != FOUND_NOT) break;
  }
  x->reached = x->level;
  return x->level;
}

/* Every level below `found` takes it. */
ALWAYS_INLINE void tlb_warm_fill(tlbs_t *c, const xlat_t *x, uint32_t found) {
  for (uint32_t l = found; l-- > 0;)
    fill_level(c, l, x, tlb_instance(c, l, x->sm), &c->level[l].stats[x->asid], false);
}

/* One level does. Unless it is plain, the page may have come to it meanwhile with others. */
ALWAYS_INLINE void tlb_warm_fill_late(tlbs_t *c, const xlat_t *x, uint32_t level) {
  tlb_instance_t *t = tlb_instance(c, level, x->sm);
  if (!c->level[level].short_fill && tlb_holds(&t->array, x->asid, x->vpn)) return;
  fill_level(c, level, x, t, &c->level[level].stats[x->asid], false);
}

/* ---- the usual TLBs ---- */

/* Pages of one size; two levels of plain TLBs, of which each first-level one is one set whose order
 * is a ring, and the last one has sets of up to 16 ways; nobody else is asked or told. Then a page
 * is its key, and the functions below do what those above do. */
static bool tlb_warm_usual(const tlbs_t *c) {
  if (!c->translate || c->levels != 2) return false;
  const assoc_t *first = &c->level[0].at[0].array.base, *last = &c->level[1].at[0].array.base;
  return FAST(c->level[0].short_fill && c->level[1].short_fill && !c->victim && !c->check &&
              !tlb_memory(c)->mixed && first->sets == 1 && first->bucket && first->ring &&
              !last->bucket && last->order);
}

/* The entry of a page in a first-level TLB, which is used, or ASSOC_NONE. */
ALWAYS_INLINE uint32_t tlb_usual_first(tlb_t *t, uint64_t key, uint64_t hash) {
  uint32_t i = assoc_find_chained(&t->base, key, hash);
  if (i != ASSOC_NONE) repl_ring_use(t->base.ring, 0, i);
  return i;
}

/* The entry of a page in a second-level TLB, which is used, or ASSOC_NONE. */
ALWAYS_INLINE uint32_t tlb_usual_last(tlb_t *t, uint64_t key, uint64_t hash) {
  uint32_t set = tlb_set(t, &t->base, key), i = assoc_find_in_set(&t->base, set, key, hash);
  if (i != ASSOC_NONE) {
    uint64_t *order = &t->base.order[set];
    *order = repl_packed_use(*order, i - set * t->base.stride);
  }
  return i;
}

ALWAYS_INLINE void tlb_usual_fill_first(tlbs_t *c, tlb_t *t, uint64_t key, uint64_t hash,
                                        ppn_t ppn) {
  uint32_t asid = (uint32_t)(key >> 56);
  assert(assoc_find(&t->base, 0, key) == ASSOC_NONE);
  assoc_filled_t f = t->base.used[0] == t->base.ways ? assoc_turn(&t->base, 0, key, hash)
                                                     : assoc_fill_slow(&t->base, 0, key, 0);
  t->ppn[f.entry] = ppn.v;
  count_plain_fill(c, &c->level[0], &c->level[0].stats[asid], asid, f);
}

ALWAYS_INLINE void tlb_usual_fill_last(tlbs_t *c, tlb_t *t, uint64_t key, uint64_t hash,
                                       ppn_t ppn) {
  uint32_t asid = (uint32_t)(key >> 56);
  assoc_filled_t f = tlb_fill_plain(t, key, hash, ppn);
  count_plain_fill(c, &c->level[1], &c->level[1].stats[asid], asid, f);
}
