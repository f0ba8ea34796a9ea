/* The row of the walker. */
#include "walk/walker.h"
#include <stdlib.h>

static const option_group_t walker_groups[] = {
    {"walk", "page-table walker", walk_options, offsetof(gpu_spec_t, walk)},
    {"dws", "the policies walk.policy=dws and dws-plus", dws_options, offsetof(gpu_spec_t, dws)},
    {"simt", "the policy walk.policy=simt", simt_options, offsetof(gpu_spec_t, simt)},
    {"marching", "the policy walk.policy=marching", marching_options,
     offsetof(gpu_spec_t, marching)},
    {"soft", "the policy walk.policy=softwalker", soft_options, offsetof(gpu_spec_t, soft)},
    {0},
};

/* The way to an SM is as long as a look-up in the last TLB. */
static void walker_know_sms(walker_t *w) {
  const gpu_spec_t *g = walker_spec(w);
  walk_schedule_t *s = &w->schedule;
  s->soft = g->soft;
  if (!s->soft.way_cycles && g->tlb.levels)
    s->soft.way_cycles = g->tlb_level[g->tlb.levels - 1].latency_cycles;
  if (!s->soft.way_cycles) s->soft.way_cycles = 1;
  s->hardware = g->soft.hybrid ? g->walk.threads : 0;
  s->crossbar_cycles = g->noc.latency_cycles;
}

static int walkers_init(void *block, err_t *e) {
  walker_t *w = block;
  const share_spec_t *s = &walker_spec(w)->share;
  const gpu_spec_t *g = walker_spec(w);
  walk_env_t env = {.dws = &g->dws,
                    .simt = &g->simt,
                    .marching = &g->marching,
                    .latpc = &g->latpc,
                    .soft = &g->soft,
                    .sms_of_all = g->core.sms};
  walk_spec_t walk = g->walk;
  if (walk_policy_find(walk.policy)->on_sms) {
    if (walk.fixed_cycles)
      return err_set(e, GMMU_ERANGE,
                     "walk.policy=%s runs every read of a walk; walk.fixed=%u has none",
                     walk.policy, walk.fixed_cycles);
    walk.threads = g->core.sms * g->soft.slots + (g->soft.hybrid ? g->walk.threads : 0);
  }
  if (walker_memory(w)->hashed && walk.fixed_cycles)
    return err_set(e, GMMU_ERANGE,
                   "mem.table=fs-hpt says what walks read; walk.fixed=%u has no reads",
                   walk.fixed_cycles);
  int rc = walker_init(w, &walk, walker_share(w)->apps, mig_wanted(s) && !s->mig_walkers,
                       gpu_spec_walks(g), e);
  if (rc == 0) rc = walker_init_policy(w, &env, e);
  if (rc == 0 && w->schedule.ops && w->schedule.ops->on_sms) walker_know_sms(w);
  if (rc == 0 && walker_memory(w)->hashed) {
    w->hashed = calloc(w->apps, sizeof *w->hashed);
    if (!w->hashed) rc = component_no_memory(e, "walks");
  }
  w->pages_come = paging_wanted(&walker_spec(w)->memory);
  w->line_mask = walker_spec(w)->core.line_bytes - 1;
  dram_quota_init(&w->quota, &walker_spec(w)->dram, w->apps);
  return rc;
}
static void walkers_fini(void *block) {
  free(((walker_t *)block)->hashed);
  walker_fini(block);
}

/* Where a walk ended; the row hears of it only with a hashed table. */
static void count_hashed(void *block, uint32_t thread) {
  walker_t *w = block;
  const walk_thread_t *t = &w->thread[thread];
  hashed_stats_t *s = &w->hashed[t->app];
  s->walks += t->path.mapped && t->path.probes;
  s->probes += t->path.mapped ? t->path.probes : 0;
  s->radix += t->path.mapped && !t->path.probes;
  s->absent += !t->path.mapped;
}
static const hooks_t *walker_hooks(const void *block) {
  static const hooks_t hashed = {.walked = count_hashed};
  return ((const walker_t *)block)->hashed ? &hashed : NULL;
}

static void walker_ready(void *block) {
  walker_t *w = block;
  const walk_spec_t *s = &w->spec;
  bool watched = WATCHED(w->watch.read) || w->schedule.ops;
  w->fast = !watched && !w->hashed && !s->pwc && !s->hop_cycles && !s->fixed_cycles &&
            !s->read_cycles && !s->free_l2 && !s->free_dram && walker_map(w)->table &&
            walker_noc(w)->bridge.partitions == 1;
}

static void walker_settle(void *block) {
  walker_t *w = block;
  for (uint32_t a = 0; a < w->apps; a++) walker_count(w, (uint8_t)a, walker_ev(w)->now);
}

static int walker_check(const void *block, err_t *e) {
  const walker_t *w = block;
  for (uint32_t a = 0; a < w->apps; a++) {
    const walk_stats_t *s = &w->stats[a];
    if (s->pwc_hits + s->l2_hits + s->dram_reads > s->reads)
      return component_bad(e, "walk reads of application", a);
    const hashed_stats_t *h = w->hashed ? &w->hashed[a] : NULL;
    if (h) CHECK_SAME(e, a, h->walks + h->radix + h->absent, s->walks);
  }
  const walk_policy_t *p = w->schedule.ops;
  for (uint32_t u = 0; p && p->check && u < w->units; u++)
    if (!p->check(w->unit[u].state)) return component_bad(e, "waiting walks of unit", u);
  return GMMU_OK;
}

#define X(n, u, h) STAT_DESC(walk_stats_t, n, u, h),
static const stat_desc_t walk_list[] = {WALK_STATS(X){0}};
#undef X
/* Of level 0; those of level i lie i counters behind. */
#define LEVEL(name, member, unit, help)                                                            \
  { name, offsetof(walk_stats_t, member), unit, help }
static const stat_desc_t walk_level_list[] = {
    LEVEL("reads", level_reads, "reads", "page-table entries of the level asked for"),
    LEVEL("pwc_hits", level_pwc, "reads", "answered by the page-walk cache"),
    LEVEL("l2_hits", level_hits, "reads", "answered by the L2 cache"),
    LEVEL("l2_bypasses", level_bypasses, "reads", "that did not look into the L2 cache"),
    LEVEL("cycles", level_cycles, "cycles", "from the walker and back to it, summed over reads"),
    {0},
};
#undef LEVEL
#define X(n, u, h) STAT_DESC(walk_policy_stats_t, n, u, h),
static const stat_desc_t walk_policy_list[] = {WALK_POLICY_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(hashed_stats_t, n, u, h),
static const stat_desc_t hashed_list[] = {HASHED_STATS(X){0}};
#undef X
static const stat_group_t walker_stats[] = {
    {"apps[].walk", "page-table walks", walk_list},
    {"apps[].walk.levels[]", "reads by level, root first", walk_level_list},
    {"apps[].walkpolicy", "scheduling of walks; with walk.policy", walk_policy_list},
    {"apps[].hashed", "where walks ended; with mem.table=fs-hpt", hashed_list},
    {0},
};

static void walk_levels_json(const walk_stats_t *s, uint32_t levels, json_t *j) {
  json_key(j, "levels");
  json_begin_array(j);
  for (uint32_t i = 0; i < levels; i++) {
    json_begin_object(j);
    for (const stat_desc_t *d = walk_level_list; d->name; d++) {
      if (d->offset == offsetof(walk_stats_t, level_cycles))
        json_key(j, "l2_hit_rate"),
            json_ratio(j, s->level_hits[i],
                       s->level_reads[i] - s->level_pwc[i] - s->level_bypasses[i], 6);
      json_key(j, d->name), json_u64(j, stat_value((const uint64_t *)(const void *)s + i, d));
    }
    json_end_object(j);
  }
  json_end_array(j);
}

static void walker_app_json(const void *block, uint32_t app, json_t *j) {
  const walker_t *w = block;
  const walk_stats_t *s = &w->stats[app];
  if (!walker_tlb(w)->translate) return;
  stat_json_begin(j, "walk");
  stat_json(j, s, walk_list);
  json_key(j, "mean_concurrent"), json_ratio(j, s->active_cycles, walker_ev(w)->now, 4);
  json_key(j, "warps_stalled_per_walk"), json_ratio(j, s->warps_stalled, s->walks, 4);
  stat_json_hist(j, "latency_cycles", &s->latency);
  stat_json_hist(j, "queue_latency_cycles", &s->queue);
  walk_levels_json(s, mm_levels(walker_memory(w)->mm), j);
  json_end_object(j);
  if (w->schedule.ops) stat_json_object(j, "walkpolicy", &w->schedule.stats[app], walk_policy_list);
  if (w->hashed) stat_json_object(j, "hashed", &w->hashed[app], hashed_list);
}

static void walker_counters(void *block, counters_t *c) {
  const walker_t *w = block;
  counters_add(c, w->stats, w->apps * sizeof *w->stats);
  if (w->hashed) counters_add(c, w->hashed, w->apps * sizeof *w->hashed);
  if (w->schedule.ops) counters_add(c, w->schedule.stats, w->apps * sizeof *w->schedule.stats);
  for (uint32_t a = 0; a < w->apps; a++) {
    walk_stats_t *s = &w->stats[a];
    counters_top(c, &s->max_active), counters_top(c, &s->max_warps_stalled);
    counters_top(c, &s->latency.max), counters_top(c, &s->queue.max);
  }
}

static void walkers_policies(void *block, mechanisms_t *m) {
  walker_t *w = block;
  for (uint32_t u = 0; u < w->units; u++) {
    for (uint32_t l = 0; l < MM_MAX_LEVELS; l++) policy_give_assoc(m, &w->unit[u].pwc[l]);
    if (w->schedule.ops) policy_give(m, w->schedule.ops->own, w->unit[u].state);
  }
}

static const component_t walker_row = {.name = "walker",
                                       .stage = STAGE_BLOCKS,
                                       .options = walker_groups,
                                       .init = walkers_init,
                                       .fini = walkers_fini,
                                       .policies = walkers_policies,
                                       .hooks = walker_hooks,
                                       .ready = walker_ready,
                                       .settle = walker_settle,
                                       .check = walker_check,
                                       .stats = walker_stats,
                                       .counters = walker_counters,
                                       .app_json = walker_app_json,
                                       .cost = walk_cost};
