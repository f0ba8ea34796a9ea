#ifndef GMMU_DRAM_QUOTA_H
#define GMMU_DRAM_QUOTA_H
/* How many accesses an application may put into the silver queue in one turn: Equation 1 of MASK,
 *   thresh_i = thresh_max * ConPTW_i * WarpsStalled_i / sum over j (ConPTW_j * WarpsStalled_j),
 * rounded down. Kept once for the machine, beside the walker; an access takes its application's
 * quota with it to the channel.
 *
 * ConPTW is the number of the application's walks under way, as a counter of 6 bits holds it;
 * WarpsStalled the most warps that waited for one walk that ended in this epoch, likewise, or, as
 * long as none has, in the last epoch in which one did.
 *
 * Invariant: unless `stale`, quota[] is what the equation gives now. Not on: never stale, all 0. */
#include "dram/dram.h"

#define DRAM_QUOTA_COUNTER_MAX 63 /* MASK 5.4: counters of 6 bits */

typedef struct {
  bool on, stale;
  uint32_t thresh_max, apps;
  uint8_t stalled[GMMU_MAX_APPS];  /* of this epoch, or the last one that had any */
  uint8_t in_epoch[GMMU_MAX_APPS]; /* of this epoch; 0: no walk has ended */
  uint16_t quota[GMMU_MAX_APPS];
  uint64_t reads[GMMU_MAX_APPS], sum[GMMU_MAX_APPS]; /* accesses that took a quota, and those */
} dram_quota_t;

/* On if the scheduler of the spec uses quotas. */
void dram_quota_init(dram_quota_t *q, const dram_spec_t *spec, uint32_t apps);
/* A walk began or ended: the number of them changed. */
static inline void dram_quota_walks_changed(dram_quota_t *q) { q->stale = q->on; }
/* A walk ended for which `warps` warps waited. */
void dram_quota_walk_done(dram_quota_t *q, uint8_t app, uint32_t warps);
void dram_quota_epoch(dram_quota_t *q);
/* `walks`: under way, per application. */
void dram_quota_update(dram_quota_t *q, const uint32_t *walks);
/* The quota that goes with a read; only if on. */
uint16_t dram_quota_take(dram_quota_t *q, uint8_t app, const uint32_t *walks);
#endif
