#ifndef GMMU_BASE_RNG_H
#define GMMU_BASE_RNG_H
/* Splitmix64: small, fast, the same numbers on every machine. */
#include <stdint.h>

typedef struct {
  uint64_t s;
} rng_t;

static inline uint64_t rng_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline uint64_t rng_next(rng_t *r) { return rng_mix(r->s += 0x9e3779b97f4a7c15u); }
/* Uniform in [0, n), n > 0, by multiplication: no division, bias below n / 2^32. */
static inline uint32_t rng_below(rng_t *r, uint32_t n) {
  return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}
#endif
