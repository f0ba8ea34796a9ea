#ifndef GMMU_TESTS_MACHINE_FORMULA_H
#define GMMU_TESTS_MACHINE_FORMULA_H
/* What the machine should do, written from the meaning of its parameters and not from its code: the
 * times of a request that meets no other. All arguments and results are core cycles. */
#include "gpu/spec.h"

/* Crossbar: a packet of n payload bytes has ceil((header + n) / flit) flits; a hop takes latency +
 * flits. */
uint64_t f_flits(const gpu_spec_t *s, uint64_t bytes);
uint64_t f_hop(const gpu_spec_t *s, uint64_t bytes);
/* From the issue of a load to its way into L1, if the first TLB hits. */
uint64_t f_to_l1(const gpu_spec_t *s);
uint64_t f_l1_hit(const gpu_spec_t *s);
/* From the way into L1 to the slice's input, and from its output to the registers. */
uint64_t f_l1_to_slice(const gpu_spec_t *s);
uint64_t f_slice_to_register(const gpu_spec_t *s, uint64_t bytes);
uint64_t f_l2_hit(const gpu_spec_t *s, uint64_t bytes); /* issue to use */

/* DRAM with one channel, no bank hash and open rows: the state of its banks between accesses that
 * do not overlap. */
typedef struct {
  uint64_t row[32], activated[32], column[32]; /* command edges; row UINT64_MAX: closed */
} f_dram_t;
void f_dram_init(f_dram_t *d);
/* The access of `bytes` at physical address pa enters the channel at core cycle `at`: when has its
 * last byte moved? */
uint64_t f_dram_read(f_dram_t *d, const gpu_spec_t *s, uint64_t at, uint64_t pa, uint64_t bytes);
uint64_t f_edge_after(const gpu_spec_t *s, uint64_t core); /* first command edge later than it */
uint64_t f_core_of(const gpu_spec_t *s, uint64_t edge); /* ceil(edge x core clock / DRAM clock) */
/* Column commands of `bytes`, and the edges between two of them. */
uint64_t f_bursts(const gpu_spec_t *s, uint64_t bytes);
uint64_t f_burst_spacing(const gpu_spec_t *s);
#endif
