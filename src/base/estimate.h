#ifndef GMMU_BASE_ESTIMATE_H
#define GMMU_BASE_ESTIMATE_H
/* What a sample says of the whole: a ratio and its 95 % interval. Integers only, so the same
 * everywhere. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t mean, half; /* millionths; the interval is mean - half to mean + half */
  bool known;          /* half is: the sample has two members or more */
} estimate_t;

/* The ratio estimator of `scale` * num / den: the sum of the one over the sum of the other, and
 * Student's t times its standard error. Members are `stride` numbers apart; each is below 2^44. All
 * zeroes if the denominators are. */
void estimate_ratio(const uint64_t *num, const uint64_t *den, size_t stride, uint32_t members,
                    uint32_t scale, estimate_t *out);
/* of * part / whole, rounded down; part is not above whole. */
uint64_t estimate_part(uint64_t of, uint64_t part, uint64_t whole);
#endif
