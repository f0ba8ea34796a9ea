#ifndef GMMU_DRAM_LANES_H
#define GMMU_DRAM_LANES_H
/* Ready times of all banks compared together: 16-bit lanes, eight to a vector.
 *
 * A lane is a time relative to a base that the owner moves along. For every bank there is one lane
 * per kind of command, LANE_NEVER unless the bank's next command is of that kind; a constraint
 * that all banks share is one lane per kind, repeated eight times. A bank is ready at the least
 * over the kinds of max(lane, shared). */
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES_MAX   32
#define LANES_WIDTH 8
#define LANES_KINDS 3
#define LANE_NEVER  INT16_MAX
#define LANE_PAST   INT16_MIN

typedef struct {
  _Alignas(16) int16_t at[LANES_MAX];
} lanes_t;

typedef struct {
  _Alignas(16) int16_t at[LANES_WIDTH]; /* all the same */
} lane_shared_t;

static inline int16_t lane_later(int16_t a, int16_t b) { return a > b ? a : b; }

/* When the next bank is ready, not before `floor`, and which are ready then (a bit each). The plain
 * version is the definition; with SSE2 a faster one is used. */
static inline int16_t lanes_next_plain(const lanes_t l[LANES_KINDS],
                                       const lane_shared_t s[LANES_KINDS], uint32_t banks,
                                       int16_t floor, uint32_t *ready) {
  int16_t least = LANE_NEVER, when[LANES_MAX];
  for (uint32_t b = 0; b < banks; b++) {
    when[b] = LANE_NEVER;
    for (uint32_t k = 0; k < LANES_KINDS; k++) {
      int16_t at = lane_later(l[k].at[b], s[k].at[0]);
      if (at < when[b]) when[b] = at;
    }
    if (when[b] < least) least = when[b];
  }
  least = lane_later(least, floor);
  *ready = 0;
  for (uint32_t b = 0; b < banks; b++) *ready |= (uint32_t)(when[b] <= least) << b;
  return least;
}

static inline void lane_share(lane_shared_t *s, int16_t at) {
  for (uint32_t i = 0; i < LANES_WIDTH; i++) s->at[i] = at;
}

#ifdef __SSE2__
static inline __m128i lanes_when(const lanes_t l[LANES_KINDS], const lane_shared_t s[LANES_KINDS],
                                 uint32_t vector) {
  __m128i least = _mm_set1_epi16(LANE_NEVER);
  for (uint32_t k = 0; k < LANES_KINDS; k++) {
    __m128i at = _mm_load_si128((const __m128i *)(const void *)l[k].at + vector);
    __m128i shared = _mm_load_si128((const __m128i *)(const void *)s[k].at);
    at = _mm_max_epi16(at, shared);
    least = k ? _mm_min_epi16(least, at) : at;
  }
  return least;
}

static inline int16_t lanes_across(__m128i v) {
  v = _mm_min_epi16(v, _mm_shuffle_epi32(v, 0x4e));
  v = _mm_min_epi16(v, _mm_shuffle_epi32(v, 0xb1));
  v = _mm_min_epi16(v, _mm_shufflelo_epi16(v, 0xb1));
  return (int16_t)_mm_extract_epi16(v, 0);
}

/* A bit per lane that is not above `t`; `v` and `w` are 16 banks. */
static inline uint32_t lanes_until(__m128i v, __m128i w, int16_t t) {
  __m128i limit = _mm_set1_epi16(t);
  __m128i later = _mm_packs_epi16(_mm_cmpgt_epi16(v, limit), _mm_cmpgt_epi16(w, limit));
  return ~(uint32_t)_mm_movemask_epi8(later) & 0xffff;
}

static inline int16_t lanes_next(const lanes_t l[LANES_KINDS], const lane_shared_t s[LANES_KINDS],
                                 uint32_t banks, int16_t floor, uint32_t *ready) {
  __m128i a = lanes_when(l, s, 0);
  if (banks <= LANES_WIDTH) {
    int16_t t = lane_later(lanes_across(a), floor);
    *ready = lanes_until(a, a, t) & 0xff;
    return t;
  }
  __m128i b = lanes_when(l, s, 1), c = lanes_when(l, s, 2), e = lanes_when(l, s, 3);
  __m128i least = _mm_min_epi16(_mm_min_epi16(a, b), _mm_min_epi16(c, e));
  int16_t t = lane_later(lanes_across(least), floor);
  *ready = lanes_until(a, b, t) | lanes_until(c, e, t) << 16;
  return t;
}

/* The least of max(lane, shared) of one kind. */
static inline int16_t lanes_least(const lanes_t *l, const lane_shared_t *s, uint32_t banks) {
  const __m128i *at = (const __m128i *)(const void *)l->at;
  __m128i least = _mm_load_si128(at);
  for (uint32_t v = 1; v * LANES_WIDTH < banks; v++)
    least = _mm_min_epi16(least, _mm_load_si128(at + v));
  return lane_later(lanes_across(least), s->at[0]);
}
#else
static inline int16_t lanes_least(const lanes_t *l, const lane_shared_t *s, uint32_t banks) {
  int16_t least = LANE_NEVER;
  for (uint32_t b = 0; b < banks; b++)
    if (l->at[b] < least) least = l->at[b];
  return lane_later(least, s->at[0]);
}
#define lanes_next lanes_next_plain
#endif
#endif
