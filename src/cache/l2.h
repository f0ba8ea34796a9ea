#ifndef GMMU_CACHE_L2_H
#define GMMU_CACHE_L2_H
/* One slice (bank) of the L2 cache: sectored, write-back, allocating when data arrives; requests
 * are taken in order, and one that cannot go on (no miss register, no room towards DRAM) holds up
 * those behind it. */
#include "base/opt.h"
#include "cache/cache.h"
#include "cache/cache_stats.h"
#include "cache/l2policy.h"
#include "cache/mshr.h"

typedef struct {
  uint64_t bytes;  /* of all slices together */
  uint32_t slices; /* per memory channel */
  uint32_t ways, latency_cycles, ports, mshrs, merges;
  uint32_t dram_hop_cycles; /* from the slice to the channel's queue */
  const char *replacement, *policy;
} l2_spec_t;
extern const opt_t l2_options[]; /* group "l2" */

typedef struct {
  cache_t array;
  mshr_t mshr;
  request_list_t queue; /* arrived, not yet looked at */
  uint64_t port_cycle;
  uint32_t ports_used;
  uint32_t counted; /* request + 1 that is counted as blocked already; 0: none */
  bool draining;    /* a drain event is scheduled */
  bool blocked;     /* the head of the queue waits for a resource: */
  bool by_channel;  /* room towards DRAM (else a miss register of this slice) */
} l2_slice_t;

/* Sets of a slice. */
static inline uint32_t l2_sets(const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes) {
  return (uint32_t)(spec->bytes / slices / line_bytes / spec->ways);
}
/* One of `slices`, all together in front of `memory_bytes`. */
int l2_slice_init(l2_slice_t *s, const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes,
                  uint64_t memory_bytes, err_t *e);
void l2_slice_fini(l2_slice_t *s);
#endif
