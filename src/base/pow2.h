#ifndef GMMU_BASE_POW2_H
#define GMMU_BASE_POW2_H
/* Sizes of rings, whose indices wrap by a mask. */
#include <stdint.h>

static inline uint32_t pow2_at_least(uint32_t n) {
  uint32_t p = 1;
  while (p < n) p *= 2;
  return p;
}
#endif
