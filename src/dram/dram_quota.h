#ifndef GMMU_DRAM_QUOTA_H
#define GMMU_DRAM_QUOTA_H
/* How many accesses an application may put into the silver queue in one turn: Equation 1 of MASK,
 *   thresh_i = thresh_max * ConPTW_i * WarpsStalled_i / sum over j (ConPTW_j * WarpsStalled_j),
 * rounded down. Kept once for the machine, beside the walker; an access takes its application's
 * quota with it to the channel.
 *
 * Both counters have 6 bits and start again at each epoch. ConPTW is the most walks of the
 * application that were under way at once (with `live`: those under way now), WarpsStalled the most
 * warps that waited for one walk. The equation takes those of the last complete epoch; in the first
 * one, what has been counted so far.
 *
 * Invariant: unless `stale`, quota[] is what the equation gives. Not on: never stale, all 0. */
#include "dram/dram.h"

#define DRAM_QUOTA_COUNTER_MAX 63 /* MASK 5.4: counters of 6 bits */

typedef struct {
  uint8_t now;           /* walks under way */
  uint8_t most, stalled; /* counted in this epoch */
  uint8_t walks, warps;  /* what the equation takes */
  uint16_t quota;
  uint64_t reads, sum; /* accesses that took a quota, and the sum of those */
} dram_quota_app_t;

typedef struct {
  bool on, live, stale;
  bool first; /* no epoch is complete */
  uint32_t thresh_max, apps;
  dram_quota_app_t app[GMMU_MAX_APPS];
} dram_quota_t;

/* On if the scheduler of the spec uses quotas; else nothing below does anything. */
void dram_quota_init(dram_quota_t *q, const dram_spec_t *spec, uint32_t apps);
/* A walk began; `under_way` are now the application's. */
void dram_quota_walk_began(dram_quota_t *q, uint8_t app, uint32_t under_way);
/* A walk ended for which `warps` warps waited; `under_way` are left. */
void dram_quota_walk_ended(dram_quota_t *q, uint8_t app, uint32_t under_way, uint32_t warps);
void dram_quota_epoch(dram_quota_t *q);
/* The quota that goes with a read; only if on. */
uint16_t dram_quota_take(dram_quota_t *q, uint8_t app);
#endif
