#ifndef GMMU_COST_H
#define GMMU_COST_H
/* Storage that mechanisms add to the chip, worked out from the configuration, and what their papers
 * say. One row per structure, beside the block or mechanism that has it. */
#include "gmmu/mm.h"
#include "gpu/spec.h"
#include <stdio.h>

typedef struct {
  uint64_t each, count; /* bits (or entries) of one structure; how many of them the chip has */
  uint64_t base;     /* size of what it is added to, in the unit of each * count; 0: of nothing */
  char formula[160]; /* how `each` and `count` come about, with the numbers */
} cost_t;

typedef struct {
  const char *paper;     /* whose mechanism it is: "mask" */
  const char *mechanism; /* rows of one stand together */
  const char *what, *where;
  const char *of;      /* what `base` is; "" if nothing */
  const char *printed; /* the paper's figure; "" if it has none */
  const char *note;    /* where the paper contradicts itself or leaves something open; or NULL */
  bool entries;        /* counted in entries of a queue, not in bits */
  bool sum;            /* of rows above: not to be added again */
  bool (*on)(const gpu_spec_t *s); /* does this configuration have the mechanism? */
  void (*work_out)(const gpu_spec_t *s, cost_t *c);
} cost_row_t;

/* Row i of all that the machine's rows have (component.h), paper by paper; NULL behind the last. */
const cost_row_t *cost_row(uint32_t i);
const char *cost_paper(uint32_t i); /* the papers of the rows, each once; NULL behind the last */

static inline uint64_t cost_bytes(const cost_t *c) { return (c->each * c->count + 7) / 8; }
/* Sums are of bits rounded up to bytes, structure by structure, as papers add. */
static inline void cost_add(cost_t *sum, const cost_t *c) { sum->each += 8 * cost_bytes(c); }
#define COST_FORMULA(c, ...) snprintf((c)->formula, sizeof(c)->formula, __VA_ARGS__)

/* ---- what rows reckon with ---- */
#define ASID_BITS      9   /* MASK, 7.4 */
#define TLB_ENTRY_BITS 128 /* 9 bits are 7 % of it, and 316 bytes 3.8 % of 512 of them */

static inline uint32_t cost_log2_up(uint64_t x) {
  uint32_t n = 0;
  while (n < 63 && 1ull << n < x) n++;
  return n;
}
static inline uint32_t cost_vpn_bits(const gpu_spec_t *s) {
  return mm_format_va_bits(s->memory.format, s->memory.va_bits) -
         cost_log2_up(s->memory.base_bytes);
}
static inline uint32_t cost_ppn_bits(const gpu_spec_t *s) {
  return cost_log2_up(s->memory.memory_bytes / s->memory.base_bytes);
}
static inline uint32_t cost_walk_levels(const gpu_spec_t *s) {
  return (cost_vpn_bits(s) + s->memory.level_bits - 1) / s->memory.level_bits;
}
static inline uint32_t cost_queue_entries(const gpu_spec_t *s) {
  return s->dram.golden + s->dram.silver + s->dram.normal;
}
static inline uint64_t cost_tlb_entries(const gpu_spec_t *s, uint32_t level) {
  return (uint64_t)s->tlb_level[level].entries * gpu_spec_tlbs(s, level);
}
/* The level that the walker answers: tokens act there, and its misses are what walks serve. */
static inline uint32_t cost_last_level(const gpu_spec_t *s) {
  return s->tlb.levels ? s->tlb.levels - 1 : 0;
}
#endif
