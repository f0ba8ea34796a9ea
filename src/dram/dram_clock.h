#ifndef GMMU_DRAM_CLOCK_H
#define GMMU_DRAM_CLOCK_H
/* Two clocks in integers: command edge n falls on core cycle ceil(n * q / p), where p/q is DRAM
 * clock over core clock in lowest terms.
 *
 * A conversion is one multiplication by the ratio as a fixed-point number of 64 bits: v << shift
 * times factor / 2^64, where shift is the least that makes the factor fit. Rounding the factor
 * moves the product by less than v / 2^(64 - shift), and a product that is no integer is at least
 * 1 / den away from one, so the integer part is exact up to v = 2^(64 - shift) / den. That is at
 * least 2^63 / DRAM_MHZ_MAX: times are exact up to 2^47 cycles. */
#include <stdint.h>

__extension__ typedef unsigned __int128 clock_u128_t;

typedef struct {
  uint64_t factor;
  uint32_t shift;
} clock_ratio_t;

typedef struct {
  clock_ratio_t edges; /* p/q, rounded up: command cycles per core cycle */
  clock_ratio_t core;  /* q/p, rounded down and never exact */
  uint32_t p, q;
} dram_clock_t;

static inline uint64_t clock_scale(const clock_ratio_t *r, uint64_t v) {
  return (uint64_t)(((clock_u128_t)(v << r->shift) * r->factor) >> 64);
}
/* The last command edge on or before a core cycle. */
static inline uint64_t clock_last_edge(const dram_clock_t *c, uint64_t core) {
  return clock_scale(&c->edges, core);
}
/* The core cycle on which a command edge falls; not for edge 0. The factor is too small, so the
 * product never reaches the integer at or above the true one: that is one more. */
static inline uint64_t clock_core(const dram_clock_t *c, uint64_t edge) {
  return clock_scale(&c->core, edge) + 1;
}

/* num/den rounded up. */
static inline clock_ratio_t clock_ratio(uint64_t num, uint64_t den) {
  clock_ratio_t r = {.shift = 0};
  while (num >= den << r.shift) r.shift++;
  r.factor = (uint64_t)((((clock_u128_t)num << (64 - r.shift)) + den - 1) / den);
  return r;
}
static inline dram_clock_t clock_of(uint32_t dram_mhz, uint32_t core_mhz) {
  uint32_t a = dram_mhz, b = core_mhz;
  while (b) {
    uint32_t rest = a % b;
    a = b, b = rest;
  }
  dram_clock_t c = {.p = dram_mhz / a, .q = core_mhz / a};
  c.edges = clock_ratio(c.p, c.q);
  c.core = clock_ratio(c.q, c.p);
  c.core.factor--;
  return c;
}
#endif
