#ifndef GMMU_TESTS_TRACE_PAIR_H
#define GMMU_TESTS_TRACE_PAIR_H
/* Runs one source, or two in step with each other, with several blocks in flight and uneven
 * progress of the warps, and tells the first difference. */
#include "base/rng.h"
#include "gmmu/stream.h"

typedef struct {
  uint64_t seed;       /* of the order in which blocks and warps advance */
  uint32_t inflight;   /* blocks at the same time */
  bool shuffle;        /* start blocks out of order */
  uint32_t stop_after; /* commands; 0: to the end */
} pair_order_t;

/* NULL, or what went wrong, in a static buffer. `b` may be NULL. Both must be bound with at least
 * 64 * inflight slots. */
const char *pair_run(source_t *a, source_t *b, const pair_order_t *o, uint64_t *insts);
#endif
