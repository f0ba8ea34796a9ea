/* The row of the DRAM channels. */
#include "dram/channel.h"
#include <stdlib.h>

static const option_group_t dram_groups[] = {
    {"dram", "DRAM", dram_options, offsetof(gpu_spec_t, dram)},
    {0},
};

static int init_channel(channels_t *d, channel_t *c, err_t *e) {
  const gpu_spec_t *s = dram_spec(d);
  c->capacity = s->l2.mshrs * s->l2.slices + s->dram.queue + s->dram.write_queue;
  c->next = UINT64_MAX;
  c->due = d->due[(c - d->channel) / 64];
  c->bit = 1ull << (c - d->channel) % 64;
  c->delay = s->l2.latency_cycles + s->l2.dram_hop_cycles;
  c->special = d->quota.on;
  return dram_new(&s->dram, s->core.clock_mhz, c->capacity + 64 + MOVE_LINES, dram_arrays(d),
                  &c->dram, e);
}

void channels_note_bypass(channels_t *d) {
  const l2_spec_t *s = &dram_spec(d)->l2;
  for (channel_t *c = d->channel; c < d->channel + d->channels; c++) {
    c->lookup = s->latency_cycles;
    c->delay = s->dram_hop_cycles;
    c->special = true;
  }
}

static int channels_init(void *block, err_t *e) {
  channels_t *d = block;
  const dram_spec_t *s = &dram_spec(d)->dram;
  uint32_t apps = dram_share(d)->apps, burst = s->bus_bytes * s->burst_length;
  uint32_t slices = s->channels * dram_spec(d)->l2.slices;
  d->channels = s->channels;
  d->words = (d->channels + 63) / 64;
  d->next = UINT64_MAX;
  d->quota.on = dram_quota_wanted(s);
  for (uint32_t m = 0; m < 256; m++) { /* bursts of an access, for each set of sectors */
    uint32_t bytes = SECTOR_BYTES * (uint32_t)__builtin_popcount(m);
    d->bursts[m] = (uint8_t)((bytes + burst - 1) / burst);
  }
  d->channel = arrays_take(dram_arrays(d), d->channels * sizeof *d->channel);
  d->latency = calloc((size_t)apps * CLASSES, sizeof *d->latency);
  d->of_slice = calloc(slices, sizeof *d->of_slice);
  if (!d->channel || !d->latency || !d->of_slice) return component_no_memory(e, "DRAM");
  for (uint32_t i = 0; i < slices; i++)
    d->of_slice[i] = &d->channel[addrmap_channel(dram_map(d), i)];
  int rc = 0;
  for (uint32_t i = 0; i < d->channels && rc == 0; i++) rc = init_channel(d, &d->channel[i], e);
  return rc;
}

static void channels_fini(void *block) {
  channels_t *d = block;
  free(d->latency);
  free(d->of_slice);
}

static void counted(void *ctx, const dram_access_t *a, uint32_t bytes) {
  channels_t *d = ctx;
  WATCH_TELL(d->watch, a, bytes);
}
static void channels_ready(void *block) {
  channels_t *d = block;
  for (uint32_t i = 0; i < d->channels; i++)
    dram_watch(d->channel[i].dram, WATCHED(d->watch) ? counted : NULL, d);
}

static void channels_epoch(void *block) {
  channels_t *d = block;
  dram_quota_epoch(&dram_walker(d)->quota, &d->quota);
}

void channels_count(channels_t *d, uint64_t until) {
  for (uint32_t c = 0; c < d->channels; c++) dram_count(d->channel[c].dram, until);
}
static void channels_settle(void *block) {
  channels_t *d = block;
  channels_count(d, dram_ev(d)->now ? dram_ev(d)->now - 1 : 0);
}

static int channels_check(const void *block, err_t *e) {
  const channels_t *d = block;
  int rc = 0;
  for (uint32_t i = 0; i < d->channels && rc == 0; i++) rc = dram_check(d->channel[i].dram, e);
  return rc;
}

static const stat_group_t dram_stat_groups[] = {
    {"apps[].dram.data, .translation", "DRAM, by class", dram_stats_list},
    {"apps[].dram.golden, .silver, .normal", "DRAM reads, by queue of the scheduler mask",
     dram_queue_stats_list},
    {0},
};

void channels_sum(const channels_t *d, uint32_t app, dram_class_t cls, dram_stats_t *out) {
  *out = (dram_stats_t){0};
  for (uint32_t c = 0; c < d->channels; c++)
    stat_sum(out, dram_stats(d->channel[c].dram, (uint8_t)app, cls), dram_stats_list);
}

/* Of a scheduler that tells queues apart. */
static void queues_json(const channels_t *d, uint32_t app, json_t *j) {
  const dram_sched_ops_t *ops = dram_sched_find(dram_spec(d)->dram.scheduler);
  for (uint32_t q = 0; ops->queues > 1 && q < ops->queues; q++) {
    dram_queue_stats_t s = {0};
    for (uint32_t c = 0; c < d->channels; c++)
      stat_sum(&s, dram_queue_stats(d->channel[c].dram, (uint8_t)app, q), dram_queue_stats_list);
    stat_json_begin(j, ops->queue_name[q]);
    stat_json(j, &s, dram_queue_stats_list);
    json_key(j, "mean_queue_cycles"), json_ratio(j, s.queue_cycles, s.reads, 2);
    json_end_object(j);
  }
  if (!ops->wants_quota) return;
  json_key(j, "mean_quota"), json_ratio(j, d->quota.sum[app], d->quota.reads[app], 2);
}

static void channels_app_json(const void *block, uint32_t app, json_t *j) {
  static const char *const names[CLASSES] = {"data", "translation"};
  const channels_t *d = block;
  stat_json_begin(j, "dram");
  for (uint32_t c = 0; c < CLASSES; c++) {
    dram_stats_t s;
    channels_sum(d, app, c == CLASS_WALK ? DRAM_WALK : DRAM_DATA, &s);
    stat_json_begin(j, names[c]);
    stat_json(j, &s, dram_stats_list);
    json_key(j, "row_hit_rate"),
        json_ratio(j, s.row_hits, s.row_hits + s.row_misses + s.row_conflicts, 6);
    json_key(j, "bytes_per_kilocycle"),
        json_ratio(j, (s.read_bytes + s.write_bytes) * 1000, dram_ev(d)->now, 2);
    stat_json_hist(j, "latency_cycles", &d->latency[app * CLASSES + c]);
    json_end_object(j);
  }
  queues_json(d, app, j);
  json_end_object(j);
}

void channels_bus_json(const channels_t *d, json_t *j) {
  const gpu_spec_t *s = dram_spec(d);
  uint64_t busy = 0, slots = dram_ev(d)->now * s->dram.clock_mhz / s->core.clock_mhz * d->channels;
  for (uint32_t c = 0; c < d->channels; c++) busy += dram_busy(d->channel[c].dram);
  json_key(j, "dram_bus_busy_cycles"), json_u64(j, busy);
  json_key(j, "dram_bus_utilisation"), json_ratio(j, busy, slots, 6);
}

static void channels_counters(void *block, counters_t *c) {
  const channels_t *d = block;
  uint32_t count = dram_share(d)->apps * CLASSES;
  for (uint32_t i = 0; i < d->channels; i++) dram_counters(d->channel[i].dram, c);
  counters_add(c, d->latency, count * sizeof *d->latency);
  for (uint32_t i = 0; i < count; i++) counters_top(c, &d->latency[i].max);
}

static void channels_policies(void *block, mechanisms_t *m) {
  channels_t *d = block;
  const dram_sched_ops_t *ops = dram_sched_find(dram_spec(d)->dram.scheduler);
  for (channel_t *c = d->channel; c < d->channel + d->channels; c++)
    policy_give(m, ops->own, dram_scheduler_state(c->dram));
}

static const component_t dram_row = {.name = "DRAM",
                                     .stage = STAGE_BLOCKS,
                                     .options = dram_groups,
                                     .init = channels_init,
                                     .fini = channels_fini,
                                     .policies = channels_policies,
                                     .ready = channels_ready,
                                     .epoch = channels_epoch,
                                     .settle = channels_settle,
                                     .check = channels_check,
                                     .stats = dram_stat_groups,
                                     .counters = channels_counters,
                                     .app_json = channels_app_json,
                                     .cost = dram_cost};
