/* See workloads.h. Loops are longer than any run: every SM is in its steady state throughout, and
 * of two applications both run all the time. */
#include "workloads.h"
#include "gen/gen.h"
#include <stdio.h>
#include <string.h>

/* Footprints: three buffers of 32 MB are 16 times the L2 cache; 256 MB are 65 536 pages for 512
 * entries of the L2 TLB, so hardly a gather finds its 32 pages there. */
#define STREAM "stream:arith=1,footprint=96M,steps=1000000"
#define GATHER "gather:footprint=256M,steps=1000000"

#define CHASE "chase:blocks=1,warps=1,footprint=256M,steps=1000000"

const workload_t workload_all[] = {
    {.name = "stream",
     .help = "two loads, one store and four other instructions per step",
     .app = {STREAM},
     .warm_cycles = 5000,
     .cycles = 25000,
     .max_per_instruction = 1000},
    {.name = "gather",
     .help = "32 random lines of 256 MB per load",
     .app = {GATHER},
     .warm_cycles = 5000,
     .cycles = 35000,
     .max_per_request = 1000},
    {.name = "compute",
     .help = "24 arithmetic instructions per load, which hits L1",
     .app = {"compute:arith=24,steps=1000000"},
     .warm_cycles = 5000,
     .cycles = 25000,
     .max_per_instruction = 450},
    {.name = "mix",
     .help = "stream on half of the SMs, gather on the others",
     .app = {STREAM, GATHER},
     .warm_cycles = 5000,
     .cycles = 35000,
     .max_per_request = 1350},
    {.name = "idle",
     .help = "one warp in a dependent chase; the rest of the machine waits",
     .app = {CHASE},
     .warm_cycles = 1,
     .instructions = 40000},
    {.name = "wait",
     .help = "the same through a crossbar of 1000 cycles: more cycles, no more work",
     .app = {CHASE},
     .noc_latency = "1000",
     .warm_cycles = 1,
     .instructions = 40000},
    {.name = "stream-v100",
     .help = "stream on a V100, whose L1 has 4 ports and 256 ways",
     .gpu = "v100",
     .app = {STREAM},
     .warm_cycles = 5000,
     .cycles = 25000},
    {.name = "gather-v100",
     .help = "gather on a V100",
     .gpu = "v100",
     .app = {GATHER},
     .warm_cycles = 5000,
     .cycles = 35000},
    {.name = "stream-qv100",
     .help = "stream on Accel-Sim's QV100",
     .gpu = "qv100",
     .app = {STREAM},
     .warm_cycles = 5000,
     .cycles = 25000},
    {.name = "gather-qv100",
     .help = "gather on Accel-Sim's QV100",
     .gpu = "qv100",
     .app = {GATHER},
     .warm_cycles = 5000,
     .cycles = 35000},
    {.name = "stream-a100",
     .help = "stream on an A100: 108 SMs, 80 channels, three levels of TLBs",
     .gpu = "a100",
     .app = {STREAM},
     .warm_cycles = 5000,
     .cycles = 25000,
     .beside = "stream",
     .min_percent_beside = 70},
    {.name = "gather-a100",
     .help = "gather on an A100, from when as many walks end as begin",
     .gpu = "a100",
     .app = {GATHER},
     .warm_cycles = 40000,
     .cycles = 50000,
     .beside = "gather",
     .min_percent_beside = 70},
    {.name = "stream-by",
     .help = "stream, by array, kernel and line: observe.origins",
     .app = {STREAM},
     .origins = true,
     .warm_cycles = 5000,
     .cycles = 25000},
    {.name = "gather-by",
     .help = "gather, by array, kernel and line: observe.origins",
     .app = {GATHER},
     .origins = true,
     .warm_cycles = 5000,
     .cycles = 35000},
    {.name = "compute-by",
     .help = "compute, by array, kernel and line: observe.origins",
     .app = {"compute:arith=24,steps=1000000"},
     .origins = true,
     .warm_cycles = 5000,
     .cycles = 25000},
    {.name = "mix-by",
     .help = "mix, by array, kernel and line: observe.origins",
     .app = {STREAM, GATHER},
     .origins = true,
     .warm_cycles = 5000,
     .cycles = 35000},
    {0}};

const workload_t *workload_find(const char *name) {
  for (const workload_t *w = workload_all; w->name; w++)
    if (strcmp(w->name, name) == 0) return w;
  return NULL;
}

int workload_open(const workload_t *w, const char *design, workload_run_t *out, err_t *e) {
  gpu_spec_t spec;
  app_spec_t apps[WORKLOAD_APPS] = {0};
  uint32_t count = 0;
  *out = (workload_run_t){.workload = w};
  gpu_spec_init(&spec);
  int rc = gpu_spec_load(&spec, "gpu", w->gpu ? w->gpu : "maxwell", e);
  if (rc == GMMU_OK) rc = gpu_spec_load(&spec, "design", design, e);
  if (rc == GMMU_OK && w->noc_latency) rc = gpu_spec_set(&spec, "noc.latency", w->noc_latency, e);
  spec.observe.origins = w->origins;
  for (; rc == GMMU_OK && count < WORKLOAD_APPS && w->app[count]; count++) {
    rc = gen_open(w->app[count], &out->source[count], e);
    apps[count] = (app_spec_t){.name = w->app[count], .source = out->source[count]};
  }
  return rc < 0 ? rc : gpu_new(&spec, apps, count, &out->gpu, e);
}

/* Applications would be launched again, but none ends. */
static int run_until(workload_run_t *r, uint64_t cycle, err_t *e) {
  const workload_t *w = r->workload;
  const gpu_limits_t limits = {.cycles = w->cycles, .instructions = w->instructions};
  return gpu_run(r->gpu, &limits, cycle, e);
}
int workload_warm(workload_run_t *r, err_t *e) { return run_until(r, r->workload->warm_cycles, e); }
int workload_run(workload_run_t *r, err_t *e) { return run_until(r, UINT64_MAX, e); }

uint32_t workload_rounds(const workload_t *w, uint32_t wanted) { return w->cycles ? wanted : 1; }
int workload_round(workload_run_t *r, uint32_t round, uint32_t rounds, err_t *e) {
  const workload_t *w = r->workload;
  uint64_t cycle = w->warm_cycles + (w->cycles - w->warm_cycles) * (round + 1) / rounds;
  return run_until(r, round + 1 == rounds ? UINT64_MAX : cycle, e);
}

void workload_close(workload_run_t *r) {
  gpu_free(r->gpu);
  for (uint32_t a = 0; a < WORKLOAD_APPS; a++)
    if (r->source[a]) r->source[a]->ops->free(r->source[a]);
}

/* Linux: the "high water mark" of this program alone; getrusage() would tell a parent's, too. */
uint64_t peak_kib(void) {
  char line[256];
  unsigned long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  if (!f) return 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "VmHWM: %llu kB", &kib) == 1) break;
  fclose(f);
  return kib;
}
