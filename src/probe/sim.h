#ifndef GMMU_PROBE_SIM_H
#define GMMU_PROBE_SIM_H
/* A simulated GPU as a device; shared between the files that run chases and questions on it. */
#include "base/rng.h"
#include "gpu/stats.h"
#include "probe/device.h"
#include "probe/kernel.h"
#include "ptx/ptx.h"

#define SIM_ROWS      256u /* chases of one stage, at least: see sim_rows() */
#define SIM_TIMED     16u  /* of them, those with a clock */
#define SIM_OUT_BYTES ((uint64_t)SIM_TIMED * KERNEL_SHARED_BYTES)
#define SIM_ENTRIES   (1u << 20) /* of the questions of one launch */

typedef struct {
  device_t base;
  gpu_spec_t spec;
  device_noise_t noise;
  rng_t rng;
  devmem_t *mem;
  ptx_t *program;
  const ptx_kernel_t *chase_kernel, *ask_kernel;
  uint64_t buffer, table, out, ask_table, list; /* addresses */
  gpu_summary_t last;                           /* of the last run */
} sim_t;

/* One for each SM, and two. */
static inline uint32_t sim_rows(const sim_t *s) {
  return s->spec.core.sms + 2 > SIM_ROWS ? s->spec.core.sms + 2 : SIM_ROWS;
}
static inline sim_t *sim_of(device_t *d) { return (sim_t *)(void *)d; }

/* What a program needs: ranges are announced in this order before its first launch, so that the
 * buffer begins at physical address 0. */
typedef struct {
  uint64_t va, bytes;
} sim_range_t;
/* The next of them as a command; false if all were announced. */
bool sim_announce(const sim_range_t *range, uint32_t count, uint32_t *announced, ptx_command_t *c);
/* As much of the buffer as this offset needs, and some more. */
uint64_t sim_touched(const sim_t *s, uint64_t most);
/* Runs a program on a fresh machine. */
int sim_program(sim_t *s, const ptx_host_t *host, err_t *e);
/* Where the byte at `va` is on the host. */
uint8_t *sim_host(const sim_t *s, uint64_t va);
int64_t sim_noise(sim_t *s, int64_t time);

/* ---- sim_chase.c, sim_ask.c ---- */
int sim_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e);
int sim_ask(device_t *d, const question_t *q, uint32_t count, err_t *e);
#endif
