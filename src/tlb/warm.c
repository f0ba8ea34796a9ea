/* Look-ups without time: the TLBs, and what their policies know, become what they would be. Peers
 * are not asked, and nobody who watches is told. */
#include "base/inline.h"
#include "tlb/xlat.h"

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
