#ifndef GMMU_SERIES_H
#define GMMU_SERIES_H
/* The time series: counters of every application at regular cycles. Memory is fixed: when it is
 * full, neighbouring points are merged and the distance doubles. */
#include <stdint.h>

#define SERIES_FIELDS(X)                                                                           \
  X(warp_instructions, "warp instructions", "issued")                                              \
  X(l1tlb_lookups, "look-ups", "in the first-level TLBs")                                          \
  X(l1tlb_misses, "look-ups", "not answered at once there")                                        \
  X(l2tlb_lookups, "look-ups", "in the second-level TLBs")                                         \
  X(l2tlb_misses, "look-ups", "not answered at once there")                                        \
  X(walks, "walks", "finished")                                                                    \
  X(walk_active_cycles, "walk-cycles", "walks under way, summed over cycles")                      \
  X(l2_accesses, "requests", "data, in the L2 cache")                                              \
  X(l2_misses, "requests", "data, not there")                                                      \
  X(walk_bypasses, "reads", "of page walks that did not look into the L2 cache")                   \
  X(token_cycles, "warp-cycles", "warps that may fill the last TLB level, summed over cycles")     \
  X(dram_data_bytes, "bytes", "read and written for data")                                         \
  X(dram_walk_bytes, "bytes", "read for page walks")

typedef struct {
#define X(n, u, h) uint64_t n;
  SERIES_FIELDS(X)
#undef X
} series_point_t;

#define SERIES_POINTS 4096

typedef struct {
  series_point_t *at;   /* [point * apps + app]: increments over one interval */
  series_point_t *last; /* [app]: totals at the end of the last interval */
  uint32_t points, apps;
  uint64_t interval_cycles;
  uint64_t next;        /* cycle in which an interval ends */
  uint64_t last_cycles; /* length of the last point, which the end of the run may cut off */
} series_t;

int series_init(series_t *s, uint32_t apps, uint64_t interval_cycles);
void series_fini(series_t *s);
void series_boundary(series_t *s); /* in the cycle `next` */
/* Adds the interval that ends now; `totals` are per application. */
void series_add(series_t *s, const series_point_t *totals);
/* The same of the last one, which is `cycles` long. */
void series_end(series_t *s, const series_point_t *totals, uint64_t cycles);
#endif
