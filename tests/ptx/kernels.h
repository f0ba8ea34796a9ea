#ifndef GMMU_TESTS_PTX_KERNELS_H
#define GMMU_TESTS_PTX_KERNELS_H
/* The kernels of data/kernels.ptx, with inputs and how to check their results; for tests and the
 * benchmark. */
#include "ptx/ptx.h"

typedef struct {
  devmem_t *mem;
  ptx_t *p;
  uint64_t a, b, c, d; /* n x n floats of 0 .. 12 and 0 .. 6; results; n * n doubles or indices */
  uint32_t n;
  float *ha, *hb;
} kernels_t;

typedef struct {
  const char *name;
  uint32_t params; /* 0: a b c n   1: a c n   2: c n   3: a c n n   4: d a c n   5: c */
  bool flat;       /* one dimension */
  uint32_t bx, by;
} kernel_case_t;
extern const kernel_case_t kernel_cases[]; /* ends with a NULL name */

int kernels_new(kernels_t *k, const char *path, uint32_t n, err_t *e);
void kernels_free(kernels_t *k);
int kernels_run(kernels_t *k, const kernel_case_t *c, const ptx_options_t *o, ptx_stats_t *s,
                err_t *e);
#endif
