/* Loose round robin: the next warp in order after the one that issued last. */
#include "sm/sched.h"

static uint32_t lrr_pick(uint64_t eligible, uint32_t last) {
  uint64_t after = last >= 63 ? 0 : eligible & (~0ull << (last + 1));
  return (uint32_t)__builtin_ctzll(after ? after : eligible);
}

const sched_ops_t sched_lrr = {.name = "lrr", .help = "loose round robin", .pick = lrr_pick};
