#ifndef GMMU_HEAT_H
#define GMMU_HEAT_H
/* Pages x time: how often an application's pages were looked up, and missed, as a grid of fixed
 * size. A row is a region of 2^shift pages, aligned, and only regions that were touched have one:
 * gaps between allocations cost nothing. A column is an interval of time. When a grid has no room
 * for another row or column, neighbours are merged and the region, or the interval, doubles. The
 * result depends on the set of look-ups only, not on their order. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define HEAT_ROWS         128
#define HEAT_COLUMNS      128
#define HEAT_FIRST_CYCLES 64 /* the shortest interval: a grid of 8192 cycles */

#define HEAT_FIELDS(X)                                                                             \
  X(lookups, "look-ups", "in the first-level TLBs")                                                \
  X(misses, "look-ups", "not answered at once there")
typedef struct {
  uint64_t region; /* page number >> shift */
#define X(n, u, h) uint64_t n[HEAT_COLUMNS];
  HEAT_FIELDS(X)
#undef X
} heat_row_t;

typedef struct {
  heat_row_t *row; /* in order of first touch; after heat_sort() of address */
  uint32_t rows, columns, shift;
  uint32_t last; /* row of the last look-up */
  uint64_t interval_cycles;
} heat_t;

int heat_init(heat_t *h);
void heat_fini(heat_t *h);
void heat_add(heat_t *h, uint64_t page, uint64_t now, bool miss);
void heat_sort(heat_t *h); /* rows by address; more may be added after it */
#endif
