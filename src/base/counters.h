#ifndef GMMU_BASE_COUNTERS_H
#define GMMU_BASE_COUNTERS_H
/* Counters in windows of time: what they grew by in some stretches of a run, added up.
 *
 * A counter is a uint64_t somewhere; owners register theirs once. Between counters_begin() and
 * counters_end() everything counts, outside nothing does; the owners need not know. A maximum is
 * registered apart: of it the largest within a window is kept. */
#include "base/hist.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  uint64_t *at;
  size_t count;
  size_t first; /* its place in `start` and `sum` */
} counters_range_t;

typedef struct {
  counters_range_t *range;
  uint64_t **top; /* maxima, all inside a range */
  size_t ranges, tops, room_ranges, room_tops, count;
  uint64_t *start, *sum; /* [count] at a window's begin; over all windows */
  bool failed;           /* no memory: counters_ready() tells */
} counters_t;

/* All zeroes before. `bytes` from `first` on are counters, which stay there. */
void counters_add(counters_t *c, void *first, size_t bytes);
void counters_top(counters_t *c, uint64_t *at); /* one of them is a maximum */
int counters_ready(counters_t *c, err_t *e);    /* after the last of them */
void counters_fini(counters_t *c);

void counters_begin(counters_t *c);
void counters_end(counters_t *c);
/* Every counter gets what it grew by in the windows. At the end of a run. */
void counters_show(const counters_t *c);
#endif
