/* Look-ups without time: the TLBs, and what their policies know, become what they would be. Peers
 * are not asked, and nobody who watches is told. */
#include "base/inline.h"
#include "tlb/xlat.h"

/* The level that has the page of `x`, which then knows the frame; the number of levels: none. */
ALWAYS_INLINE uint32_t tlb_warm_look_up(tlbs_t *c, xlat_t *x) {
  uint64_t hash = assoc_hash(x->key);
  if (tlb_lookup_hashed(&tlb_instance(c, 0, x->sm)->array, x->asid, x->vpn, hash, &x->ppn,
                        &x->large))
    return 0;
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
