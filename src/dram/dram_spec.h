#ifndef GMMU_DRAM_SPEC_H
#define GMMU_DRAM_SPEC_H
#include "dram/dram.h"

#define DRAM_MHZ_MAX 65535 /* keeps clock conversion exact up to 2^47 cycles */

/* Of any timing parameter and of a train of bursts: what lies ahead of the present, the sum of a
 * few of these, must stay within the 16 bits of a time (dram_perbank.h). */
#define DRAM_CYCLES_MAX 2048

/* The most bursts of one access. */
static inline uint32_t dram_row_bursts(const dram_spec_t *s) {
  uint32_t bursts = s->row_bytes / (s->bus_bytes * s->burst_length);
  return bursts ? bursts : 1;
}

/* 0 if a channel can be built so; else the code, with key and reason in `e`. */
int dram_spec_check(const dram_spec_t *spec, err_t *e);

/* As dram_new(), for a checked spec and a scheduler that need not be in dram_sched_all[]: tests. */
int dram_new_with(const dram_spec_t *spec, const dram_sched_ops_t *ops, uint32_t core_mhz,
                  uint32_t max_waiting, arrays_t *a, dram_t **out, err_t *e);
#endif
