#ifndef GMMU_DRAM_CLOCK_H
#define GMMU_DRAM_CLOCK_H
/* Two clocks in integers: command edge n falls on core cycle ceil(n * q / p), where p/q is DRAM
 * clock over core clock in lowest terms. Division by a constant is a multiplication by its
 * reciprocal and at most one correction, exact for every 64-bit dividend: with inv =
 * floor((2^64 - 1) / den) the estimate is short by less than v / 2^64 < 1 before rounding.
 * So times are exact while time * max(p, q) < 2^64: 2^48 cycles at p, q < 2^16. */
#include <stdint.h>

__extension__ typedef unsigned __int128 clock_u128_t;

typedef struct {
  uint64_t num, den, inv;
} clock_ratio_t;

typedef struct {
  clock_ratio_t edges; /* p/q: command cycles per core cycle */
  clock_ratio_t core;  /* q/p */
} dram_clock_t;

static inline uint64_t clock_divide(const clock_ratio_t *r, uint64_t v) {
  uint64_t quotient = (uint64_t)(((clock_u128_t)v * r->inv) >> 64);
  return quotient + (v - quotient * r->den >= r->den);
}
/* The last command edge on or before a core cycle. */
static inline uint64_t clock_last_edge(const dram_clock_t *c, uint64_t core) {
  return clock_divide(&c->edges, core * c->edges.num);
}
/* The core cycle on which a command edge falls. */
static inline uint64_t clock_core(const dram_clock_t *c, uint64_t edge) {
  return clock_divide(&c->core, edge * c->core.num + c->core.den - 1);
}

static inline clock_ratio_t clock_ratio(uint64_t num, uint64_t den) {
  return (clock_ratio_t){.num = num, .den = den, .inv = UINT64_MAX / den};
}
static inline dram_clock_t clock_of(uint32_t dram_mhz, uint32_t core_mhz) {
  uint32_t a = dram_mhz, b = core_mhz;
  while (b) {
    uint32_t rest = a % b;
    a = b, b = rest;
  }
  uint32_t p = dram_mhz / a, q = core_mhz / a;
  return (dram_clock_t){.edges = clock_ratio(p, q), .core = clock_ratio(q, p)};
}
#endif
