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

#define SHIFT 36 /* bits behind the point of ratios */

static u128 apart(u128 x, u128 y) { return x > y ? x - y : y - x; }

void estimate_stratum(const uint64_t *num, const uint64_t *den, uint32_t members, stratum_t *out) {
  uint64_t all_num = 0, all_den = 0, weight = out->weight;
  u128 squares = 0;
  for (uint32_t i = 0; i < members; i++) all_num += num[i], all_den += den[i];
  *out = (stratum_t){.weight = weight, .members = all_den ? members : 0};
  if (!all_den) return;
  out->ratio = (uint64_t)(((u128)all_num << SHIFT) / all_den);
  for (uint32_t i = 0; i < members; i++) { /* how far the ratio is from that of the others alone */
    u128 d = apart((u128)num[i] << SHIFT, (u128)out->ratio * den[i]);
    u128 moved = d / (all_den > den[i] ? all_den - den[i] : all_den);
    squares += moved * moved;
  }
  out->error = root(squares / members * (members - 1));
}

void estimate_weigh(const stratum_t *s, uint32_t count, stratum_t *out) {
  u128 sum = 0;
  out->weight = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += (u128)s[i].ratio * s[i].weight;
    out->weight += s[i].weight;
  }
  out->ratio = out->weight ? (uint64_t)(sum / out->weight) : 0;
}

void estimate_unmet(const stratum_t *others, uint32_t count, uint64_t weight, stratum_t *out) {
  u128 middle = 0, squares = 0;
  estimate_weigh(others, count, out);
  *out = (stratum_t){.ratio = out->ratio, .weight = weight, .members = count};
  for (uint32_t i = 0; i < count; i++) middle += others[i].ratio;
  for (uint32_t i = 0; i < count; i++) {
    u128 d = apart(others[i].ratio, middle / count);
    squares += d * d;
  }
  /* that of one more, of which nothing is known */
  if (count > 1) out->error = root(squares / (count - 1) / count * (count + 1));
}

/* The degrees of freedom of a sum of variances. */
static uint32_t freedom_of(const u128 *variance, const stratum_t *s, uint32_t count, u128 sum) {
  uint32_t shift = 0;
  u128 squares = 0;
  while (sum >> shift >> 56) shift++;
  for (uint32_t i = 0; i < count; i++) {
    u128 v = variance[i] >> shift;
    squares += v * v / (s[i].members - 1);
  }
  sum >>= shift;
  u128 n = squares ? sum * sum / squares : 1;
  return n > 1000 ? 1000 : n ? (uint32_t)n : 1;
}

void estimate_strata(const stratum_t *s, uint32_t count, uint32_t scale, bool inverse,
                     estimate_t *out) {
  u128 squares = 0, variance[ESTIMATE_STRATA], micro = (u128)1000000 * scale;
  stratum_t all;
  estimate_weigh(s, count, &all);
  uint64_t ratio = all.ratio, total = all.weight;
  *out = (estimate_t){.known = total > 0 && (ratio || !inverse)};
  for (uint32_t i = 0; i < count; i++) out->known &= s[i].members > 1;
  if (!total || !ratio) return;
  const u128 half = (u128)1 << (SHIFT - 1);
  out->mean = (uint64_t)(inverse ? ((micro << SHIFT) + ratio / 2) / ratio
                                 : (ratio * micro + half) >> SHIFT);
  if (!out->known) return;
  for (uint32_t i = 0; i < count; i++) {
    u128 error = (u128)s[i].error * s[i].weight / total;
    squares += variance[i] = error * error;
  }
  u128 width = (u128)root(squares) * student(freedom_of(variance, s, count, squares)) / 1000;
  out->half = (uint64_t)(inverse ? width * out->mean / ratio : width * micro >> SHIFT) + 1;
}

uint64_t estimate_part(uint64_t of, uint64_t part, uint64_t whole) {
  return (uint64_t)((u128)of * part / whole);
}
