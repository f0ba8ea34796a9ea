#include "base/estimate.h"

__extension__ typedef unsigned __int128 u128;

/* Student's t, two-sided 95 %, in thousandths, from the usual tables. Above 30 degrees of freedom
 * it is that of the next smaller number they have. */
static uint64_t student(uint32_t freedom) {
  static const uint16_t t[] = {0,    12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228,
                               2201, 2179,  2160, 2145, 2131, 2120, 2110, 2101, 2093, 2086, 2080,
                               2074, 2069,  2064, 2060, 2056, 2052, 2048, 2045, 2042};
  if (freedom <= 30) return t[freedom];
  return freedom < 40 ? 2042 : freedom < 60 ? 2021 : freedom < 120 ? 2000 : 1980;
}

/* The largest integer whose square is not above `v`. */
static uint64_t root(u128 v) {
  u128 r = 0;
  for (u128 bit = (u128)1 << 62; bit; bit >>= 1)
    if ((r + bit) * (r + bit) <= v) r += bit;
  return (uint64_t)r;
}

#define SHIFT 12 /* bits behind the point of a member's difference from the mean */

/* A member's numerator less what the mean makes of its denominator. */
static uint64_t difference(uint64_t num, uint64_t den, uint64_t all_num, uint64_t all_den) {
  u128 x = (u128)num << SHIFT, y = (((u128)all_num << SHIFT) * den + all_den / 2) / all_den;
  return (uint64_t)(x > y ? x - y : y - x);
}

void estimate_ratio(const uint64_t *num, const uint64_t *den, size_t stride, uint32_t members,
                    uint32_t scale, estimate_t *out) {
  uint64_t all_num = 0, all_den = 0;
  u128 squares = 0, micro = (u128)1000000 * scale;
  for (uint32_t i = 0; i < members; i++) all_num += num[i * stride], all_den += den[i * stride];
  *out = (estimate_t){.known = members > 1 && all_den};
  if (!all_den) return;
  out->mean = (uint64_t)((all_num * micro + all_den / 2) / all_den);
  if (!out->known) return;
  for (uint32_t i = 0; i < members; i++) {
    u128 d = difference(num[i * stride], den[i * stride], all_num, all_den);
    squares += d * d;
  }
  /* t * sqrt(squares / (n - 1) / n) / (all_den / n), rounded up */
  u128 half = (u128)root(squares / (members - 1) * members) * student(members - 1) / 1000;
  out->half = (uint64_t)((half * micro / all_den) >> SHIFT) + 1;
}

uint64_t estimate_part(uint64_t of, uint64_t part, uint64_t whole) {
  return (uint64_t)((u128)of * part / whole);
}
