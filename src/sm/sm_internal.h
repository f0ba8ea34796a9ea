#ifndef GMMU_SM_INTERNAL_H
#define GMMU_SM_INTERNAL_H
/* Shared between the files of this room only. */
#include "base/inline.h"
#include "sm/sm.h"

/* Where the warp's next instruction stands: makes it ready, timed, or waiting for memory. It issues
 * after `now`, and not before `earliest`. */
void warp_prepare(sm_t *s, warp_t *w, uint64_t now, uint64_t earliest);
/* The memory instruction `in` of warp `w`, whose lanes are in s->op, enters the load/store unit. */
void lsu_enter(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in);
void warp_ended(sm_t *s, warp_t *w);

HOT uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
HOT uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The value of `dsts` registers from `dst` on (at least one, which may be REG_NONE). */
HOT void set_result(warp_t *w, uint32_t dst, uint32_t dsts, uint64_t at) {
  w->reg_at[dst] = at;
  if (dsts > 1)
    for (uint32_t i = 1; i < dsts; i++) w->reg_at[dst + i] = at;
}

/* The warp gets ready in cycle `at`, one of the next 63. */
static inline void ring_put(sm_t *s, const warp_t *w, uint64_t at) {
  s->ring[at & (SM_RING - 1)] |= 1ull << w->age;
  s->ring_used |= 1ull << (at & (SM_RING - 1));
}
#endif
