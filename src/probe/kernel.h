#ifndef GMMU_PROBE_KERNEL_H
#define GMMU_PROBE_KERNEL_H
/* The probe kernel, as PTX text: what simulated and real GPUs run. */
#include <stdint.h>

#define KERNEL_NAME         "gmmu_chase"
#define KERNEL_SHARED_BYTES 49152u /* what every GPU gives a block; few blocks fit an SM then */
#define KERNEL_SAMPLES      ((KERNEL_SHARED_BYTES - 16) / 2) /* times that fit, 16 bits each */
#define KERNEL_LONGEST      65535u                           /* longer ones are cut off to this */

/* A row of the kernel's table in device memory. Every block (of one thread) looks for the first
 * row of its SM that nobody has taken, and runs it. */
typedef struct {
  uint32_t sm, taken;
  uint64_t first;       /* address of the first link */
  uint32_t warm, timed; /* accesses */
  uint64_t out;         /* where the times go; 16-byte aligned */
} kernel_row_t;

typedef struct { /* parameters, as the kernel has them */
  uint64_t table;
  uint32_t rows;
} kernel_params_t;

extern const char kernel_ptx[];
#endif
