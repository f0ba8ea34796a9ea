#ifndef GMMU_VALIDATE_BENCH_H
#define GMMU_VALIDATE_BENCH_H
/* A simulated GPU on which microbenchmarks run: PTX kernels, each run a fresh machine. Every block
 * writes the clock at its beginning and at its end into its slot, so a launch's span is known. */
#include "gmmu/err.h"
#include "gpu/gpu.h"
#include "ptx/ptx.h"

typedef struct {
  gpu_spec_t spec;
  devmem_t *mem;
  ptx_t *program;
  uint64_t buffer, bytes; /* memory of the benchmarks */
  uint64_t out;           /* slots */
} bench_t;

#define BENCH_BLOCKS 4096u /* slots */

/* Parameters of every kernel, as bench_ptx.c declares them. What they mean is the kernel's. */
typedef struct {
  uint64_t a, b, c, out;
  uint32_t count, warm, stride, mask;
} bench_params_t;

typedef struct {
  const char *kernel;
  uint32_t blocks, threads;
  bench_params_t p; /* `out` is set by bench_run() */
  uint64_t cycles;  /* out: from the first block's beginning to the last one's end */
} bench_launch_t;

int bench_new(const gpu_spec_t *spec, bench_t **out, err_t *e);
void bench_free(bench_t *b); /* NULL is allowed */
/* Runs the launches one after the other; the machine knows `bytes` of the buffer. */
int bench_run(bench_t *b, bench_launch_t *launch, uint32_t launches, uint64_t bytes, err_t *e);
uint8_t *bench_host(const bench_t *b, uint64_t offset); /* a byte of the buffer */

extern const char *const bench_ptx[]; /* modules, of one kernel each; ends with NULL */
#endif
