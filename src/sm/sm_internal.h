#ifndef GMMU_SM_INTERNAL_H
#define GMMU_SM_INTERNAL_H
/* Shared between the files of this room only. */
#include "sm/sm.h"

/* Where the warp's next instruction stands: makes it ready, timed, or waiting for memory. */
void warp_prepare(sm_t *s, warp_t *w, uint32_t slot, uint64_t now);
/* The memory instruction `in` of warp `slot`, whose lanes are in s->op, enters the load/store unit.
 */
void lsu_enter(sm_t *s, uint64_t now, warp_t *w, uint32_t slot, const inst_t *in);
void warp_ended(sm_t *s, warp_t *w);

static inline void warp_make_ready(sm_t *s, warp_t *w, uint64_t now) {
  w->state = WARP_READY;
  if (w->unit == UNIT_MEM) w->blocked_before = sm_blocked(s, now);
  s->ready[w->unit] |= 1ull << w->age;
}
#endif
