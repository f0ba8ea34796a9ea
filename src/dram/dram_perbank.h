#ifndef GMMU_DRAM_PERBANK_H
#define GMMU_DRAM_PERBANK_H
/* A 16-bit number per bank, eight to a vector: ready times of all banks compared together.
 *
 * A time is relative to a base that the owner moves along, never below it. For every bank there is
 * one per kind of command, PERBANK_NEVER unless the bank's next command is of that kind; a
 * constraint that all banks share raises the times of its kind. A bank is ready at the least over
 * the kinds. */
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define PERBANK_MAX   32
#define PERBANK_WIDTH 8
#define PERBANK_KINDS 4 /* at most */
#define PERBANK_NEVER INT16_MAX

typedef struct {
  _Alignas(16) int16_t at[PERBANK_MAX];
} perbank_t;

static inline int16_t perbank_later(int16_t a, int16_t b) { return a > b ? a : b; }

/* When the next bank is ready, not before `floor`, and which are ready then (a bit each); `l` has 3
 * or 4 kinds. This and the next are the definition; with SSE2 faster ones are used. */
static inline int16_t perbank_next_plain(const perbank_t *l, uint32_t kinds, uint32_t banks,
                                         int16_t floor, uint32_t *ready) {
  int16_t least = PERBANK_NEVER, when[PERBANK_MAX];
  for (uint32_t b = 0; b < banks; b++) {
    when[b] = PERBANK_NEVER;
    for (uint32_t k = 0; k < kinds; k++)
      if (l[k].at[b] < when[b]) when[b] = l[k].at[b];
    if (when[b] < least) least = when[b];
  }
  least = perbank_later(least, floor);
  *ready = 0;
  for (uint32_t b = 0; b < banks; b++) *ready |= (uint32_t)(when[b] <= least) << b;
  return least;
}

/* No bank before `at`. */
static inline void perbank_raise_plain(perbank_t *l, uint32_t banks, int16_t at) {
  for (uint32_t b = 0; b < banks; b++) l->at[b] = perbank_later(l->at[b], at);
}

/* The same, and none of those with all bits in `some` (the others have 0) before `those`. */
static inline void perbank_raise_some_plain(perbank_t *l, uint32_t banks, int16_t at,
                                            const perbank_t *some, int16_t those) {
  for (uint32_t b = 0; b < banks; b++)
    l->at[b] = perbank_later(l->at[b], perbank_later(at, (int16_t)(those & some->at[b])));
}

/* Of the banks in `ready` (not 0) among the first 16 the one with the least number, counted modulo
 * 2^16: those of all banks in `ready` are less than 2^15 below `next`. */
static inline uint32_t perbank_first_plain(const perbank_t *l, uint32_t banks, uint32_t ready,
                                           int16_t next) {
  (void)banks;
  uint32_t first = 0, most = 0;
  for (uint32_t m = ready; m; m &= m - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(m), before = (uint16_t)(next - l->at[b]);
    if (before > most) most = before, first = b;
  }
  return first;
}

#ifdef __SSE2__
static inline __m128i *perbank_vector(perbank_t *l, uint32_t v) {
  return (__m128i *)(void *)l->at + v;
}
static inline __m128i perbank_load(const perbank_t *l, uint32_t v) {
  return _mm_load_si128((const __m128i *)(const void *)l->at + v);
}

static inline __m128i perbank_when(const perbank_t *l, uint32_t kinds, uint32_t v) {
  __m128i when = _mm_min_epi16(_mm_min_epi16(perbank_load(l, v), perbank_load(l + 1, v)),
                               perbank_load(l + 2, v));
  return kinds > 3 ? _mm_min_epi16(when, perbank_load(l + 3, v)) : when;
}

/* The least, in the first two elements. */
static inline __m128i perbank_fold(__m128i v) {
  v = _mm_min_epi16(v, _mm_shuffle_epi32(v, 0x4e));
  v = _mm_min_epi16(v, _mm_shuffle_epi32(v, 0xb1));
  return _mm_min_epi16(v, _mm_shufflelo_epi16(v, 0xb1));
}

static inline int16_t perbank_across(__m128i v) {
  return (int16_t)_mm_extract_epi16(perbank_fold(v), 0);
}

/* A bit per bank that is not above `t`, which is below PERBANK_NEVER; `v` and `w` are 16 banks. */
static inline uint32_t perbank_until(__m128i v, __m128i w, int16_t t) {
  __m128i limit = _mm_set1_epi16((int16_t)(t + 1));
  __m128i until = _mm_packs_epi16(_mm_cmpgt_epi16(limit, v), _mm_cmpgt_epi16(limit, w));
  return (uint32_t)_mm_movemask_epi8(until);
}

static inline int16_t perbank_next(const perbank_t *l, uint32_t kinds, uint32_t banks,
                                   int16_t floor, uint32_t *ready) {
  __m128i a = perbank_when(l, kinds, 0);
  if (banks <= PERBANK_WIDTH) {
    int16_t t = perbank_later(perbank_across(a), floor);
    *ready = perbank_until(a, a, t) & 0xff;
    return t;
  }
  __m128i b = perbank_when(l, kinds, 1);
  if (banks <= 2 * PERBANK_WIDTH) {
    int16_t t = perbank_later(perbank_across(_mm_min_epi16(a, b)), floor);
    *ready = perbank_until(a, b, t);
    return t;
  }
  __m128i c = perbank_when(l, kinds, 2), e = perbank_when(l, kinds, 3);
  __m128i least = _mm_min_epi16(_mm_min_epi16(a, b), _mm_min_epi16(c, e));
  int16_t t = perbank_later(perbank_across(least), floor);
  *ready = perbank_until(a, b, t) | perbank_until(c, e, t) << 16;
  return t;
}

static inline void perbank_raise(perbank_t *l, uint32_t banks, int16_t at) {
  __m128i limit = _mm_set1_epi16(at);
  _mm_store_si128(perbank_vector(l, 0), _mm_max_epi16(perbank_load(l, 0), limit));
  for (uint32_t v = 1; v * PERBANK_WIDTH < banks; v++)
    _mm_store_si128(perbank_vector(l, v), _mm_max_epi16(perbank_load(l, v), limit));
}

static inline void perbank_raise_some(perbank_t *l, uint32_t banks, int16_t at,
                                      const perbank_t *some, int16_t those) {
  __m128i limit = _mm_set1_epi16(at), limit_those = _mm_set1_epi16(those);
  for (uint32_t v = 0; v * PERBANK_WIDTH < banks; v++) {
    __m128i own = _mm_max_epi16(limit, _mm_and_si128(limit_those, perbank_load(some, v)));
    _mm_store_si128(perbank_vector(l, v), _mm_max_epi16(perbank_load(l, v), own));
  }
}

/* All bits of the banks in a mask of eight. */
static inline __m128i perbank_of_mask(uint32_t mask) {
#define BIT(m, k) (int16_t)(-((m) >> (k)&1))
#define BANKS(m)                                                                                   \
  { BIT(m, 0), BIT(m, 1), BIT(m, 2), BIT(m, 3), BIT(m, 4), BIT(m, 5), BIT(m, 6), BIT(m, 7) }
#define BANKS_4(m)  BANKS(m), BANKS(m + 1), BANKS(m + 2), BANKS(m + 3)
#define BANKS_16(m) BANKS_4(m), BANKS_4(m + 4), BANKS_4(m + 8), BANKS_4(m + 12)
#define BANKS_64(m) BANKS_16(m), BANKS_16(m + 16), BANKS_16(m + 32), BANKS_16(m + 48)
  static const _Alignas(16)
      int16_t of[256][PERBANK_WIDTH] = {BANKS_64(0), BANKS_64(64), BANKS_64(128), BANKS_64(192)};
#undef BIT
#undef BANKS
#undef BANKS_4
#undef BANKS_16
#undef BANKS_64
  return _mm_load_si128((const __m128i *)(const void *)of[mask & 255]);
}

/* Numbers below `next` of eight banks: 0 of those that are not ready, negative of the others. */
static inline __m128i perbank_behind(__m128i v, uint32_t ready, __m128i next) {
  return _mm_and_si128(_mm_sub_epi16(v, next), perbank_of_mask(ready));
}

static inline uint32_t perbank_first(const perbank_t *l, uint32_t banks, uint32_t ready,
                                     int16_t next) {
  __m128i from = _mm_set1_epi16(next);
  __m128i a = perbank_behind(perbank_load(l, 0), ready, from), b = a, least = a;
  if (banks > PERBANK_WIDTH) {
    b = perbank_behind(perbank_load(l, 1), ready >> PERBANK_WIDTH, from);
    least = _mm_min_epi16(a, b);
  }
  least = _mm_shuffle_epi32(perbank_fold(least), 0); /* not 0 */
  __m128i found = _mm_packs_epi16(_mm_cmpeq_epi16(a, least), _mm_cmpeq_epi16(b, least));
  return (uint32_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(found));
}

/* The first bank of one kind. */
static inline int16_t perbank_least(const perbank_t *l, uint32_t banks) {
  __m128i least = perbank_load(l, 0);
  for (uint32_t v = 1; v * PERBANK_WIDTH < banks; v++)
    least = _mm_min_epi16(least, perbank_load(l, v));
  return perbank_across(least);
}
#else
static inline int16_t perbank_least(const perbank_t *l, uint32_t banks) {
  int16_t least = PERBANK_NEVER;
  for (uint32_t b = 0; b < banks; b++)
    if (l->at[b] < least) least = l->at[b];
  return least;
}
#define perbank_next       perbank_next_plain
#define perbank_first      perbank_first_plain
#define perbank_raise      perbank_raise_plain
#define perbank_raise_some perbank_raise_some_plain
#endif
#endif
