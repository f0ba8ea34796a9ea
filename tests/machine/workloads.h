#ifndef GMMU_TESTS_MACHINE_WORKLOADS_H
#define GMMU_TESTS_MACHINE_WORKLOADS_H
/* The workloads that the speed and the memory of the simulator are stated for, each with fixed
 * parameters, on `maxwell`. The benchmark measures them; tests and golden runs use them, too. */
#include "gpu/gpu.h"

#define WORKLOAD_APPS    2
#define WORKLOAD_MAX_MIB 100 /* peak memory of the process, whichever workload */

typedef struct {
  const char *name, *help;
  const char *gpu;                /* NULL: maxwell */
  const char *app[WORKLOAD_APPS]; /* generators; they share the SMs equally */
  const char *noc_latency;        /* cycles; NULL: the preset's */
  bool origins;                   /* with observe.origins */
  /* Before measuring; when measuring ends, counted from the beginning. 0: no such limit. */
  uint64_t warm_cycles, cycles, instructions;
  /* The most host instructions it may take, under `sharedtlb`; 0: no such limit. */
  uint32_t max_per_instruction, max_per_request;
  /* Its rate is compared with this workload's, and is at least so much of it, under `sharedtlb`. */
  const char *beside;
  uint32_t min_percent_beside;
} workload_t;
extern const workload_t workload_all[]; /* ends with a NULL name */
const workload_t *workload_find(const char *name);

typedef struct {
  const workload_t *workload;
  source_t *source[WORKLOAD_APPS];
  gpu_t *gpu;
} workload_run_t;

/* The machine, new. workload_close() also after a failure. */
int workload_open(const workload_t *w, const char *design, workload_run_t *out, err_t *e);
/* Memory is allocated, kernels launched, warps everywhere, caches and TLBs filled. */
int workload_warm(workload_run_t *r, err_t *e);
/* From there to the end. Profilers know the function by its name. */
int workload_run(workload_run_t *r, err_t *e);
/* The same in `rounds` of about equally many cycles: the next one. The last ends like
 * workload_run(). A workload that ends with a number of instructions has one round. */
uint32_t workload_rounds(const workload_t *w, uint32_t wanted);
int workload_round(workload_run_t *r, uint32_t round, uint32_t rounds, err_t *e);
void workload_close(workload_run_t *r);

/* The most memory this process ever had resident, in KiB; 0 if the system does not tell. */
uint64_t peak_kib(void);
#endif
