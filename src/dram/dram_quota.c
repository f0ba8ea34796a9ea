/* Plain counters per application; all of the equation is in update(). */
#include "dram/dram_quota.h"

bool dram_quota_wanted(const dram_spec_t *spec) {
  const dram_sched_ops_t *ops = dram_sched_find(spec->scheduler);
  return ops && ops->wants_quota;
}

void dram_quota_init(dram_quota_t *q, const dram_spec_t *spec, uint32_t apps) {
  *q = (dram_quota_t){.on = dram_quota_wanted(spec),
                      .live = spec->live_walks,
                      .first = true,
                      .thresh_max = spec->thresh_max,
                      .apps = apps};
}

static uint8_t saturated(uint32_t n) {
  return (uint8_t)(n < DRAM_QUOTA_COUNTER_MAX ? n : DRAM_QUOTA_COUNTER_MAX);
}

/* What has changed in an epoch counts at once if there is nothing older, or for `live`. */
static void note(dram_quota_t *q, dram_quota_app_t *a) {
  if (q->live) a->walks = a->now;
  if (q->first) a->warps = a->stalled;
  if (q->first && !q->live) a->walks = a->most;
  q->stale |= q->live || q->first;
}

void dram_quota_walk_began(dram_quota_t *q, uint8_t app, uint32_t under_way) {
  dram_quota_app_t *a = &q->app[app];
  if (!q->on) return;
  a->now = saturated(under_way);
  if (a->now > a->most) a->most = a->now;
  note(q, a);
}

void dram_quota_walk_ended(dram_quota_t *q, uint8_t app, uint32_t under_way, uint32_t warps) {
  dram_quota_app_t *a = &q->app[app];
  if (!q->on) return;
  a->now = saturated(under_way);
  if (saturated(warps) > a->stalled) a->stalled = saturated(warps);
  note(q, a);
}

static void update(dram_quota_t *q, uint32_t which) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < q->apps; i++) sum += (uint32_t)q->app[i].walks * q->app[i].warps;
  for (uint32_t i = 0; i < q->apps; i++) {
    uint64_t weight = (uint64_t)q->app[i].walks * q->app[i].warps;
    q->quota[which][i] = (uint16_t)(sum ? q->thresh_max * weight / sum : 0);
  }
  q->stale = false;
}

uint32_t dram_quota_news(dram_quota_t *q, uint64_t now) {
  if (!q->stale) return DRAM_QUOTA_NO_NEWS;
  bool told = q->told == now + 1;
  q->told = now + 1;
  update(q, now & 1);
  return told ? DRAM_QUOTA_NO_NEWS : (uint32_t)(now & 1);
}

void dram_quota_epoch(dram_quota_t *q, dram_quotas_t *to) {
  if (!q->on) return;
  q->first = false;
  for (uint32_t i = 0; i < q->apps; i++) {
    dram_quota_app_t *a = &q->app[i];
    if (!q->live) a->walks = a->most;
    a->warps = a->stalled;
    a->most = a->now;
    a->stalled = 0;
  }
  for (uint32_t which = 0; which < 2; which++) update(q, which);
  dram_quota_heard(to, q, 0);
}

void dram_quota_heard(dram_quotas_t *to, const dram_quota_t *q, uint32_t which) {
  for (uint32_t i = 0; i < q->apps; i++) to->quota[i] = q->quota[which][i];
}

uint16_t dram_quota_take(dram_quotas_t *q, uint8_t app) {
  q->reads[app]++;
  q->sum[app] += q->quota[app];
  return q->quota[app];
}
