#ifndef GMMU_CACHE_L1_H
#define GMMU_CACHE_L1_H
/* The L1 data cache of one SM: sectored, physical tags, write-through without allocation on a write
 * miss. */
#include "base/opt.h"
#include "cache/cache.h"
#include "cache/cache_stats.h"
#include "cache/mshr.h"

typedef struct {
  uint64_t bytes;
  uint32_t ways, latency_cycles, ports, mshrs, merges;
  bool flush_at_launch; /* a kernel starts with an empty L1 */
  const char *replacement;
} l1_spec_t;
extern const opt_t l1_options[]; /* group "l1d" */

typedef struct {
  cache_t array;
  mshr_t mshr;
  uint32_t line_shift;
} l1_t;

int l1_init(l1_t *c, const l1_spec_t *spec, uint32_t line_bytes, uint64_t memory_bytes, err_t *e);
void l1_fini(l1_t *c);
#endif
