#ifndef GMMU_BASE_HIST_H
#define GMMU_BASE_HIST_H
/* Latency histogram with fixed memory: exact below 16, then 8 buckets per power of two (a value is
 * known to 1/8). Count, sum and maximum are exact. Integers only, so percentiles are the same
 * everywhere. */
#include <stdint.h>

#define HIST_BUCKETS                                                                               \
  (16 + 8 * 28) /* values up to 2^32 - 1; larger ones count in the last bucket                     \
                 */

typedef struct {
  uint64_t count, sum, max;
  uint64_t bucket[HIST_BUCKETS];
} hist_t;

/* A power of two above 16 is a row of 8 buckets, as wide as makes value / width 8 .. 15. Below 16
 * the width is 1 and the bucket the value, so the same sum is right. */
static inline uint32_t hist_bucket(uint64_t v) {
  if (v >> 32) return HIST_BUCKETS - 1;
  uint32_t top = 31u ^ (uint32_t)__builtin_clz((uint32_t)v | 8), width_log2 = top - 3;
  return width_log2 * 8 + ((uint32_t)v >> width_log2);
}
static inline void hist_add(hist_t *h, uint64_t v) {
  h->count++;
  h->sum += v;
  if (v > h->max) h->max = v;
  h->bucket[hist_bucket(v)]++;
}
/* The same value `n` times. */
static inline void hist_add_many(hist_t *h, uint64_t v, uint64_t n) {
  h->count += n;
  h->sum += n * v;
  if (n && v > h->max) h->max = v;
  h->bucket[hist_bucket(v)] += n;
}
/* The largest value of the bucket in which the q-th of 1000 values falls (500: median); 0 if empty;
 * never more than max. */
uint64_t hist_permille(const hist_t *h, uint32_t q);
#endif
