#ifndef GMMU_TESTS_PTX_GEN_H
#define GMMU_TESTS_PTX_GEN_H
/* Random PTX programs: nested ifs, loops with break and continue, switches (brx.idx), forward jumps
 * into the open, calls, early returns and exits, guarded instructions, barriers and shuffles where
 * every thread comes by, and arithmetic of all types in between. Every program ends. */
#include "base/rng.h"
#include "base/strbuf.h"

#define GEN_OUT_BYTES 256u /* per thread: its registers at the end */

typedef struct {
  uint32_t block; /* threads */
  uint32_t grid;
} gen_shape_t;

/* Kernel "k" with parameters (u64 out, u64 cells): out has GEN_OUT_BYTES per thread, cells 64 words
 * that atomics change. */
void gen_program(rng_t *r, strbuf_t *out, gen_shape_t *shape);
#endif
