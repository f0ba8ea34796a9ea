#ifndef GMMU_SAMPLE_H
#define GMMU_SAMPLE_H
/* A bounded sample of an application's page-table walks, with the time each of them spent where.
 *
 * Which walks are kept depends on nothing but their numbers: walk n is if the low `shift` bits of a
 * hash of n are 0. When there is no room, `shift` grows by one and about half of them go. So every
 * walk had the same chance, whenever it came, and the same run keeps the same walks. */
#include "gmmu/err.h"
#include "gmmu/mm.h"
#include <stdint.h>

#define WALK_SAMPLE_FIELDS(X)                                                                      \
  X(number, "walks", "walks of the application that finished before it")                           \
  X(asked_cycle, "cycle", "in which it came to the walker's queue")                                \
  X(va, "bytes", "virtual address of its page")                                                    \
  X(sm, "SM", "that asked first")                                                                  \
  X(warp, "slot", "of the warp there that asked first")                                            \
  X(queue_cycles, "cycles", "in the queue, for a walker thread")                                   \
  X(walk_cycles, "cycles", "from there to its end")                                                \
  X(faulted, "0 or 1", "1: the page was not there; bringing it is not in these times")             \
  X(large, "0 or 1", "1: it ended at a large page")
#define WALK_STEP_FIELDS(X)                                                                        \
  X(pwc_cycles, "cycles", "looking into the page-walk cache")                                      \
  X(l2_cycles, "cycles", "to, in and from the L2 cache, with its queue")                           \
  X(dram_cycles, "cycles", "in a DRAM channel and its queue")

typedef struct {
#define X(n, u, h) uint64_t n;
  WALK_STEP_FIELDS(X)
#undef X
} walk_step_t;

typedef struct {
#define X(n, u, h) uint64_t n;
  WALK_SAMPLE_FIELDS(X)
#undef X
  walk_step_t step[MM_MAX_LEVELS]; /* one per entry read, root first */
  uint32_t steps;
} sampled_walk_t;

typedef struct {
  sampled_walk_t *at; /* in order of their numbers */
  uint32_t count, capacity, shift;
  uint64_t seen;
} walk_sample_t;

int walk_sample_init(walk_sample_t *s, uint32_t capacity);
void walk_sample_fini(walk_sample_t *s);
/* The next walk has finished; its number is set here. */
void walk_sample_add(walk_sample_t *s, const sampled_walk_t *w);
#endif
