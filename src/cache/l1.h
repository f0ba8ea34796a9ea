#ifndef GMMU_CACHE_L1_H
#define GMMU_CACHE_L1_H
/* The L1 data cache of one SM: sectored, physical tags, write-through without allocation on a write
 * miss. */
#include "base/opt.h"
#include "cache/cache.h"
#include "cache/cache_stats.h"
#include "cache/mshr.h"
#include "engine/engine.h"
#include "map/addrmap.h"
#include "noc/noc.h"
#include "sm/cores.h"

typedef struct {
  uint64_t bytes;
  uint32_t ways, latency_cycles, bypass_cycles, ports, banks, mshrs, merges;
  bool unified;         /* shared memory takes its part of `bytes` */
  bool by_virtual;      /* looked up before translation: see tlb/past.c */
  bool flush_at_launch; /* a kernel starts with an empty L1 */
  const char *replacement;
} l1_spec_t;
extern const opt_t l1_options[]; /* group "l1d" */

/* A hit on its way to the registers. */
typedef struct {
  uint64_t at;
  uint32_t request;
} l1_hit_t;

/* The cache of one SM, and the requests on their way into and out of it. */
typedef struct {
  /* what every cycle of the SM reads: a line of the host's cache */
  _Alignas(64) uint64_t at;     /* when it has work; UINT64_MAX: after an answer */
  request_list_t hits, replays; /* translated, on their way into L1; t_xlat tells from when */
  l1_hit_t *hit;                /* ring: L1 hits on their way to the registers */
  uint32_t hit_head, hit_count, hit_mask;
  uint32_t counted; /* request + 1 that is counted as blocked already; 0: none */
  uint32_t line_shift;
  uint16_t sm;
  bool blocked; /* the head of hits or replays waits for an MSHR, or the port */
  bool retry;   /* but another request came first in line since */
  cache_t array;
  mshr_t mshr;
} l1_t;

/* The L1 caches of all SMs. Ports: ev, pool, map, noc, cores. */
typedef struct {
  l1_spec_t spec;
  l1_t *l1; /* [SM] */
  uint32_t apps;
  cache_stats_t *stats; /* [app] */
  uint64_t *evicted_by; /* [evictor * apps + victim] */
  cache_shape_t shape;  /* of all: l1_run() is compiled for it; CACHE_ROWS_4: and has one port */
  const uint64_t *host_frames; /* bit per frame that stands for host memory; NULL: none does */
  uint32_t page_shift;         /* of a frame */
  bool ahead;                  /* the machine is large: what look-ups need is fetched before */
} l1s_t;

/* The host fetches what the look-up of an address reads first, and what a miss does. */
ALWAYS_INLINE void l1_fetch(const l1_t *l, uint64_t addr) {
  uint64_t line = addr >> l->line_shift;
  host_fetch(mshr_bucket(&l->mshr, line));
  if (l->array.way)
    host_fetch(cache_bucket(&l->array, (uint32_t)line));
  else if (l->array.row)
    host_fetch(cache_row(&l->array, line));
}

/* `lines` are the most requests of an SM, `shared_bytes` its shared memory. */
int l1_init(l1_t *l, const l1_spec_t *spec, uint32_t sm, uint32_t line_bytes, uint32_t lines,
            uint32_t shared_bytes, uint64_t memory_bytes, arrays_t *a, err_t *e);
void l1_fini(l1_t *l);

/* A kernel starts on SM `sm`, whose blocks use `shared_bytes` of shared memory together: L1 is
 * empty and has what is left of a unified array. 0, or an error. */
int l1_restart(l1s_t *c, uint32_t sm, uint32_t shared_bytes, err_t *e);
/* Messages: an answer at the SM's crossbar port, inside the SM; a store has taken effect. */
void l1_arrive(l1s_t *c, uint32_t request);
void l1_enter(l1s_t *c, uint32_t request);
void l1_stored(l1s_t *c, uint32_t request);
/* The crossbar's input queue of SM `sm` has room again. */
void l1_port_opened(l1s_t *c, uint32_t sm);
/* One cycle: looks up as many requests as it has ports. */
void l1_run(l1s_t *c, l1_t *l);
/* Hits whose time has come reach the registers. */
void l1_deliver_hits(l1s_t *c, l1_t *l);
#endif
