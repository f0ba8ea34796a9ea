#ifndef GMMU_TESTS_PTX_SCALAR_H
#define GMMU_TESTS_PTX_SCALAR_H
/* A reference interpreter: one thread at a time, straight from the parsed form.
 *
 * It shares the parser with the real one and nothing else: no decoding, no register allocation, no
 * control-flow analysis, no masks; rounding comes from the host's rounding mode. Threads run until
 * they need each other (barrier, shuffle, vote); one buffer of global memory. */
#include "ptx/ir.h"

typedef struct {
  uint32_t grid[3], block[3];
  const uint8_t *params; /* the kernel's parameters, at the offsets PTX alignment gives */
  uint64_t va, bytes;    /* global memory */
  uint8_t *memory;
  uint64_t limit; /* instructions of all threads; 0: no limit */
} scalar_launch_t;

/* 0, or -1 with a reason in `why`. */
int scalar_run(const pmodule_t *m, const char *kernel, const scalar_launch_t *l, char *why,
               size_t size);
#endif
