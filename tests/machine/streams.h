#ifndef STREAMS_H
#define STREAMS_H
/* A recording whose kernels wait for some of those before them, and not for others. */
#include "help.h"

#define STREAMS_ARITH 400u /* dependent instructions of each kernel */

typedef struct {
  bool overlaps;
  uint32_t blocks; /* 0: memory is freed instead */
  uint32_t afters;
  uint64_t after[3];
} step_t;

/* Two allocations, then the steps. The caller frees the source. */
source_t *streams_recording(const step_t *step, uint32_t steps);
#endif
