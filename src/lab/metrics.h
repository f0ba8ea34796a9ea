#ifndef GMMU_LAB_METRICS_H
#define GMMU_LAB_METRICS_H
/* How well applications share a GPU, as MASK and Mosaic measure it. Fractions are kept in
 * millionths, rounded half up from exact products, so that every machine gets the same. */
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

#define MICRO INT64_C(1000000)
typedef int64_t micro_t; /* millionths */

/* num/den in millionths, rounded half away from zero; 0 if den is 0. */
micro_t micro_ratio(uint64_t num, uint64_t den);
micro_t micro_mul(micro_t a, micro_t b);
micro_t micro_div(micro_t a, micro_t b); /* 0 if b is 0 */
/* The arithmetic mean; 0 of none. */
micro_t micro_mean(const micro_t *v, uint32_t count);

/* Instructions over cycles, of complete executions. */
typedef struct {
  uint64_t instructions, cycles;
} ipc_t;

typedef struct {
  uint32_t apps;
  micro_t ipc[GMMU_MAX_APPS];      /* shared */
  micro_t speedup[GMMU_MAX_APPS];  /* IPC_shared / IPC_alone */
  micro_t slowdown[GMMU_MAX_APPS]; /* IPC_alone / IPC_shared */
  micro_t weighted_speedup;        /* the sum of the speed-ups */
  micro_t throughput;              /* the sum of the shared IPCs */
  micro_t unfairness;              /* the largest slow-down */
} sharing_t;

/* False if an application has no complete execution, shared or alone. */
bool sharing_metrics(const ipc_t shared[], const ipc_t alone[], uint32_t apps, sharing_t *out);
#endif
