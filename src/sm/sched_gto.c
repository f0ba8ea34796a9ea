/* Greedy then oldest: stay with the warp that issued last while it can issue, else the oldest. */
#include "sm/sched.h"

static uint32_t gto_pick(uint64_t eligible, uint32_t last) {
  if (last != SCHED_GONE && (eligible >> last & 1)) return last;
  return (uint32_t)__builtin_ctzll(eligible);
}

const sched_ops_t sched_gto = {.name = "gto", .help = "greedy, then oldest", .pick = gto_pick};
