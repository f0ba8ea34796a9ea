#ifndef GMMU_CACHE_STATS_H
#define GMMU_CACHE_STATS_H
/* Statistics of a cache level, per application and class (data, translation). */
#include "base/hist.h"
#include <stdint.h>

typedef enum { CLASS_DATA, CLASS_WALK, CLASSES } class_t;

#define CACHE_STATS(X)                                                                             \
  X(accesses, "requests", "requests that looked into the cache")                                   \
  X(hits, "requests", "every sector wanted was there")                                             \
  X(misses, "requests", "at least one sector was not there, merged ones included")                 \
  X(merged, "requests", "misses that joined a line under way")                                     \
  X(writes, "requests", "of the accesses, stores and atomics")                                     \
  X(bypasses, "requests", "requests that did not look into the cache")                             \
  X(bypass_merged, "requests", "of them, those that joined a line under way")                      \
  X(blocked, "requests", "requests that had to wait for an MSHR or a buffer")                      \
  X(evictions, "lines", "lines displaced")                                                         \
  X(writebacks, "lines", "of them, with dirty sectors that went to DRAM")
typedef struct {
#define X(n, u, h) uint64_t n;
  CACHE_STATS(X)
#undef X
  hist_t latency;       /* cycles from the input to the data; loads and walk reads that waited */
  uint64_t prompt_hits; /* hits that did not wait, which all take as long as a look-up */
  uint64_t unused[2];   /* the index of an array of these is a shift */
} cache_stats_t;
_Static_assert(sizeof(cache_stats_t) == 2048, "a power of two");
#endif
