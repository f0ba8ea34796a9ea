#ifndef GMMU_BASE_ESTIMATE_H
#define GMMU_BASE_ESTIMATE_H
/* What a sample says of the whole: a ratio and its 95 % interval. Integers only, so the same
 * everywhere. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESTIMATE_STRATA 64 /* at most */

typedef struct {
  uint64_t mean, half; /* millionths; the interval is mean - half to mean + half */
  bool known;          /* half is: the sample has two members or more */
} estimate_t;

/* A part of a population of which it is known how much there is (of what stands below the line),
 * and what a sample says of it: a ratio and its standard error, in 2^-36. */
typedef struct {
  uint64_t weight, ratio, error;
  uint32_t members; /* the error is known: two or more */
} stratum_t;

/* The ratio estimator of num / den: the sum of the one over the sum of the other. Its error is that
 * of the jackknife, because parts of members are of any size. Each number is below 2^44. */
void estimate_stratum(const uint64_t *num, const uint64_t *den, uint32_t members, stratum_t *out);
/* The weight and the ratio of all of them together. */
void estimate_weigh(const stratum_t *s, uint32_t count, stratum_t *out);
/* A stratum that no member met: its ratio is that of all others, and its error says that it may be
 * as unlike them as they are unlike each other. */
void estimate_unmet(const stratum_t *others, uint32_t count, uint64_t weight, stratum_t *out);
/* `scale` * num / den of all strata together (`inverse`: den / num), each with its weight:
 * Student's t, by Welch and Satterthwaite, times the error. The interval is known if all errors
 * are. */
void estimate_strata(const stratum_t *s, uint32_t count, uint32_t scale, bool inverse,
                     estimate_t *out);
/* of * part / whole, rounded down; part is not above whole. */
uint64_t estimate_part(uint64_t of, uint64_t part, uint64_t whole);
#endif
