#ifndef GMMU_DRAM_QUOTA_H
#define GMMU_DRAM_QUOTA_H
/* How many accesses an application may put into the silver queue in one turn: Equation 1 of MASK,
 *   thresh_i = thresh_max * ConPTW_i * WarpsStalled_i / sum over j (ConPTW_j * WarpsStalled_j),
 * rounded down. Counted once for the machine, in the walker, which tells the channels a cycle
 * later; an access takes its application's quota with it.
 *
 * Both counters have 6 bits and start again at each epoch. ConPTW is the most walks of the
 * application that were under way at once (with `live`: those under way now), WarpsStalled the most
 * warps that waited for one walk. The equation takes those of the last complete epoch; in the first
 * one, what has been counted so far.
 *
 * Invariant: unless `stale`, quota[] of the last news is what the equation gives. Not on: never
 * stale, all 0. */
#include "dram/dram.h"

#define DRAM_QUOTA_COUNTER_MAX 63 /* MASK 5.4: counters of 6 bits */

typedef struct {
  uint8_t now;           /* walks under way */
  uint8_t most, stalled; /* counted in this epoch */
  uint8_t walks, warps;  /* what the equation takes */
} dram_quota_app_t;

typedef struct {
  bool on, live, stale;
  bool first; /* no epoch is complete */
  uint32_t thresh_max, apps;
  uint64_t told; /* cycle of the last news, less one: 0 is none */
  dram_quota_app_t app[GMMU_MAX_APPS];
  uint16_t quota[2][GMMU_MAX_APPS]; /* news of even and of odd cycles */
} dram_quota_t;
#define DRAM_QUOTA_NO_NEWS UINT32_MAX

/* The quotas as the channels know them. */
typedef struct {
  bool on;
  uint16_t quota[GMMU_MAX_APPS];
  uint64_t reads[GMMU_MAX_APPS], sum[GMMU_MAX_APPS]; /* accesses that took one; sum of those */
} dram_quotas_t;

bool dram_quota_wanted(const dram_spec_t *spec);
/* On if the scheduler of the spec uses quotas; else nothing below does anything. */
void dram_quota_init(dram_quota_t *q, const dram_spec_t *spec, uint32_t apps);
/* A walk began; `under_way` are now the application's. */
void dram_quota_walk_began(dram_quota_t *q, uint8_t app, uint32_t under_way);
/* A walk ended for which `warps` warps waited; `under_way` are left. */
void dram_quota_walk_ended(dram_quota_t *q, uint8_t app, uint32_t under_way, uint32_t warps);
/* If quotas may have changed: which of quota[] they are in, for a message that is to be sent. It
 * holds until the next cycle is over. */
uint32_t dram_quota_news(dram_quota_t *q, uint64_t now);
/* An epoch ends: the news go to the channels at once, and those under way are the same. */
void dram_quota_epoch(dram_quota_t *q, dram_quotas_t *to);
/* News arrive. */
void dram_quota_heard(dram_quotas_t *to, const dram_quota_t *q, uint32_t which);
/* The quota that goes with a read; only if on. */
uint16_t dram_quota_take(dram_quotas_t *q, uint8_t app);
#endif
