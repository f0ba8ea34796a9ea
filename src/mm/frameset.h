#ifndef GMMU_MM_FRAMESET_H
#define GMMU_MM_FRAMESET_H
/* A set of large frames: one bit each. Its first member depends on the set alone, not on the order
 * in which they came; `low` is only a bound below which there is none. */
#include <stdbool.h>
#include <stdint.h>

#define FRAMESET_NONE UINT32_MAX

typedef struct {
  uint64_t *bits;
  uint32_t words, low, count;
} frameset_t;

static inline bool frameset_has(const frameset_t *s, uint32_t i) {
  return s->bits[i / 64] >> i % 64 & 1;
}
static inline void frameset_add(frameset_t *s, uint32_t i) {
  s->bits[i / 64] |= UINT64_C(1) << i % 64;
  s->count++;
  if (i / 64 < s->low) s->low = i / 64;
}
static inline void frameset_drop(frameset_t *s, uint32_t i) {
  s->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
  s->count--;
}
/* The first member from i on, or FRAMESET_NONE. */
static inline uint32_t frameset_next(const frameset_t *s, uint32_t i) {
  uint32_t w = i / 64;
  if (!s->count || w >= s->words) return FRAMESET_NONE;
  uint64_t bits = s->bits[w] & ~UINT64_C(0) << i % 64;
  while (!bits && ++w < s->words) bits = s->bits[w];
  return bits ? w * 64 + (uint32_t)__builtin_ctzll(bits) : FRAMESET_NONE;
}
static inline uint32_t frameset_first(frameset_t *s) {
  uint32_t i = frameset_next(s, s->low * 64);
  s->low = i == FRAMESET_NONE ? s->words : i / 64;
  return i;
}
#endif
