/* Plain counters per application; all of the equation is in dram_quota_update(). */
#include "dram/dram_quota.h"

void dram_quota_init(dram_quota_t *q, const dram_spec_t *spec, uint32_t apps) {
  const dram_sched_ops_t *ops = dram_sched_find(spec->scheduler);
  *q = (dram_quota_t){.on = ops && ops->wants_quota, .thresh_max = spec->thresh_max, .apps = apps};
}

static uint32_t saturated(uint32_t n) {
  return n < DRAM_QUOTA_COUNTER_MAX ? n : DRAM_QUOTA_COUNTER_MAX;
}

void dram_quota_walk_done(dram_quota_t *q, uint8_t app, uint32_t warps) {
  uint8_t n = (uint8_t)saturated(warps);
  if (!q->on || n <= q->in_epoch[app]) return;
  q->in_epoch[app] = q->stalled[app] = n;
  q->stale = true;
}

void dram_quota_epoch(dram_quota_t *q) {
  for (uint32_t a = 0; a < q->apps; a++) q->in_epoch[a] = 0;
}

void dram_quota_update(dram_quota_t *q, const uint32_t *walks) {
  uint32_t weight[GMMU_MAX_APPS] = {0}, sum = 0;
  for (uint32_t a = 0; a < q->apps; a++) {
    weight[a] = saturated(walks[a]) * q->stalled[a];
    sum += weight[a];
  }
  for (uint32_t a = 0; a < q->apps; a++)
    q->quota[a] = (uint16_t)(sum ? (uint64_t)q->thresh_max * weight[a] / sum : 0);
  q->stale = false;
}

uint16_t dram_quota_take(dram_quota_t *q, uint8_t app, const uint32_t *walks) {
  if (q->stale) dram_quota_update(q, walks);
  q->reads[app]++;
  q->sum[app] += q->quota[app];
  return q->quota[app];
}
