#include "base/hist.h"

/* Buckets are in order of value, so a percentile is the first bucket at which the running count
 * reaches the rank. Invariant: the buckets add up to `count`. */

__extension__ typedef unsigned __int128 u128;

static uint64_t bucket_top(uint32_t b) {
  if (b < 16) return b;
  uint32_t power = 4 + (b - 16) / 8, eighth = (b - 16) % 8;
  return ((uint64_t)(8 + eighth + 1) << (power - 3)) - 1;
}

uint64_t hist_permille(const hist_t *h, uint32_t q) {
  if (h->count == 0) return 0;
  if (q > 1000) q = 1000;
  uint64_t rank = (uint64_t)(((u128)h->count * q + 999) / 1000), seen = 0;
  if (rank == 0) rank = 1;
  for (uint32_t b = 0; b + 1 < HIST_BUCKETS; b++) {
    seen += h->bucket[b];
    if (seen >= rank) return bucket_top(b) < h->max ? bucket_top(b) : h->max;
  }
  return h->max; /* the last bucket has no upper end */
}
