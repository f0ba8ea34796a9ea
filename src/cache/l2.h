#ifndef GMMU_CACHE_L2_H
#define GMMU_CACHE_L2_H
/* One slice (bank) of the L2 cache: sectored, write-back, allocating when data arrives; requests
 * are taken in order, and one that cannot go on (no MSHR, no room towards DRAM) holds up
 * those behind it. */
#include "base/opt.h"
#include "cache/cache.h"
#include "cache/cache_stats.h"
#include "cache/l2policy.h"
#include "cache/mshr.h"
#include "dram/channel.h"
#include "engine/watch.h"
#include "noc/noc.h"
#include "sm/cores.h"

typedef struct {
  uint64_t bytes;  /* of all slices together */
  uint32_t slices; /* per memory channel */
  uint32_t ways, latency_cycles, ports, mshrs, merges;
  uint32_t dram_hop_cycles; /* from the slice to the channel's queue */
  uint32_t atomic_cycles;   /* of a slice for each operation of an atomic; 0: none */
  uint32_t atomic_latency;  /* by which its answer is later than a load's */
  bool lazy_fetch;          /* a sector written in part is fetched when it is read, not before */
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
  bool by_channel;  /* room towards DRAM (else an MSHR of this slice) */
} l2_slice_t;

/* All slices. Ports: ev, pool, noc, dram, cores. */
typedef struct {
  l2_spec_t spec;
  l2_slice_t *slice;
  uint32_t slices, blocked; /* blocked: slices that wait for room towards DRAM */
  uint32_t apps;
  const l2_policy_t *policy;
  void *policy_state;
  cache_stats_t *stats;     /* [app * CLASSES + class] */
  uint64_t *evicted_by;     /* [evictor * apps + victim] */
  bool hooks;               /* somebody wants to hear of every request */
  cache_shape_t shape;      /* of all slices, if nobody listens: the fast path is compiled for it */
  uint32_t walk_hit_cycles; /* from the look-up of a page-table read that hits, to the walker */
  uint32_t walk_fill_cycles; /* from the fill of one that missed: see l2_walk_cycles() */
  uint32_t walk_hit_slot;    /* of the wheel: where those of this cycle that hit are answered */
  bool ahead;                /* the machine is large: what look-ups need is fetched before */
  bool walks_prompt;   /* the wheel reaches that far, and no answer crosses to another partition */
  bool walk_free_l2;   /* it takes no port and no time here but that of messages */
  bool walk_free_dram; /* what is not here costs it no more: its line comes for nobody */
  struct {             /* every request */
    WATCH(entered, const request_t *r);
    WATCH(looked_up, uint32_t request, l2_outcome_t how);
    /* and, on the fast path too: what is dirty, what goes to DRAM for others */
    WATCH(wrote, const request_t *r);
    WATCH(displaced, uint32_t request);
    WATCH(stood_in, uint32_t walk, uint32_t other);
  } watch;
} l2_t;

/* Messages: a request at a slice's crossbar port, inside the slice, with its data at the output; a
 * slice that looks at its queue again; a page-table read inside the slice. */
void l2_arrive(l2_t *c, uint32_t request);
void l2_enter_data(l2_t *c, uint32_t request);
void l2_reply(l2_t *c, uint32_t request);
void l2_drain(l2_t *c, uint32_t slice);
void l2_enter_walk(l2_t *c, uint32_t request);
/* A channel has room again: its slices that waited for it look at their queues. */
void l2_room(l2_t *c, const channel_t *channel);

/* The way of a page-table read: `hop_cycles` each way, or none. A message takes one cycle at least;
 * where there is no hop, that of the question is one of the look-up's latency. */
static inline void l2_walk_cycles(l2_t *c, uint32_t hop_cycles, bool free) {
  uint32_t latency = c->spec.latency_cycles;
  c->walk_fill_cycles = free || !hop_cycles ? 1 : hop_cycles;
  c->walk_hit_cycles = free ? 1 : hop_cycles ? latency + hop_cycles : latency > 1 ? latency - 1 : 1;
}

/* Sets of a slice. */
static inline uint32_t l2_sets(const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes) {
  return (uint32_t)(spec->bytes / slices / line_bytes / spec->ways);
}
/* One of `slices`, all together in front of `memory_bytes`. */
int l2_slice_init(l2_slice_t *s, const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes,
                  uint64_t memory_bytes, arrays_t *a, err_t *e);
void l2_slice_fini(l2_slice_t *s);
/* A place of a line, which may be another line's by now (warm.c). */
typedef struct {
  cache_row_t *row; /* NULL: none */
  uint32_t line, way;
} l2_spot_t;
#endif
