#ifndef GMMU_SERIES_H
#define GMMU_SERIES_H
/* The time series: counters of every application at regular cycles. Memory is fixed: when it is
 * full, neighbouring points are merged and the distance doubles. */
#include <stdint.h>

/* Each is the increment of a counter that its block declares, or of two. */
#define SERIES_FIELDS(X)                                                                           \
  X(warp_instructions, "apps[].sm.warp_instructions")                                              \
  X(l1tlb_lookups, "apps[].l1tlb.lookups")                                                         \
  X(l1tlb_misses, "apps[].l1tlb.misses")                                                           \
  X(l2tlb_lookups, "apps[].l2tlb.lookups")                                                         \
  X(l2tlb_misses, "apps[].l2tlb.misses")                                                           \
  X(walks, "apps[].walk.walks")                                                                    \
  X(walk_active_cycles, "apps[].walk.active_cycles")                                               \
  X(l2_accesses, "apps[].l2.data.accesses")                                                        \
  X(l2_misses, "apps[].l2.data.misses")                                                            \
  X(walk_bypasses, "apps[].l2.translation.bypasses")                                               \
  X(token_cycles, "apps[].fill.token_cycles")                                                      \
  X(dram_data_bytes, "apps[].dram.data.read_bytes + apps[].dram.data.write_bytes")                 \
  X(dram_walk_bytes, "apps[].dram.translation.read_bytes + apps[].dram.translation.write_bytes")

typedef struct {
#define X(n, of) uint64_t n;
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
