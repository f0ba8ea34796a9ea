/* The rows of the L1 caches and of the L2 cache. */
#include "cache/l1.h"
#include "cache/l2.h"
#include <stdlib.h>

#define X(n, u, h) STAT_DESC(cache_stats_t, n, u, h),
static const stat_desc_t cache_list[] = {CACHE_STATS(X){0}};
#undef X

static void cache_json(json_t *j, const char *key, const cache_stats_t *s, uint32_t hit_cycles) {
  hist_t h = s->latency;
  hist_add_many(&h, hit_cycles, s->prompt_hits);
  stat_json_begin(j, key);
  stat_json(j, s, cache_list);
  json_key(j, "hit_rate"), json_ratio(j, s->hits, s->accesses, 6);
  stat_json_hist(j, "latency_cycles", &h);
  json_end_object(j);
}

static void cache_counters(counters_t *c, cache_stats_t *s, uint32_t count) {
  counters_add(c, s, count * sizeof *s);
  for (uint32_t i = 0; i < count; i++) counters_top(c, &s[i].latency.max);
}

/* ---- L1 ---- */

static const option_group_t l1_groups[] = {
    {"l1d", "L1 data cache", l1_options, offsetof(gpu_spec_t, l1)},
    {0},
};

static int l1s_init(void *block, err_t *e) {
  l1s_t *c = block;
  const gpu_spec_t *spec = l1_spec(c);
  uint32_t n = spec->core.sms;
  c->spec = spec->l1;
  c->apps = l1_share(c)->apps;
  c->page_shift = l1_memory(c)->page_shift;
  c->l1 = arrays_take(l1_arrays(c), n * sizeof *c->l1);
  c->stats = calloc(c->apps, sizeof *c->stats);
  c->evicted_by = calloc((size_t)c->apps * c->apps, sizeof *c->evicted_by);
  if (!c->l1 || !c->stats || !c->evicted_by) return component_no_memory(e, "the L1 caches");
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++)
    rc = l1_init(&c->l1[i], &spec->l1, i, spec->core.line_bytes, spec->sm.lsu_lines,
                 spec->sm.shared_bytes, spec->memory.memory_bytes, l1_arrays(c), e);
  return rc;
}

static void l1s_fini(void *block) {
  l1s_t *c = block;
  for (uint32_t i = 0; c->l1 && i < l1_spec(c)->core.sms; i++) l1_fini(&c->l1[i]);
  free(c->stats);
  free(c->evicted_by);
}

static void l1s_ready(void *block) { l1_note_shape(block); }

static int l1s_check(const void *block, err_t *e) {
  const l1s_t *c = block;
  for (uint32_t i = 0; i < l1_spec(c)->core.sms; i++)
    if (!cache_check(&c->l1[i].array)) return component_bad(e, "L1 cache", i);
  for (uint32_t a = 0; a < c->apps; a++)
    CHECK_SAME(e, a, c->stats[a].hits + c->stats[a].misses, c->stats[a].accesses);
  return GMMU_OK;
}

static const stat_group_t l1_stats[] = {{"apps[].l1d", "L1 data caches", cache_list}, {0}};

static void l1s_app_json(const void *block, uint32_t app, json_t *j) {
  const l1s_t *c = block;
  cache_json(j, "l1d", &c->stats[app], c->spec.latency_cycles);
}
static void l1s_evictions_json(const void *block, json_t *j) {
  const l1s_t *c = block;
  stat_json_matrix(j, "l1d", c->evicted_by, c->apps);
}

static void l1s_counters(void *block, counters_t *c) {
  const l1s_t *l = block;
  cache_counters(c, l->stats, l->apps);
  counters_add(c, l->evicted_by, l->apps * l->apps * sizeof *l->evicted_by);
}

static void l1s_policies(void *block, mechanisms_t *m) {
  l1s_t *c = block;
  for (uint32_t i = 0; i < l1_spec(c)->core.sms; i++) policy_give_assoc(m, &c->l1[i].array.tags);
}

static const component_t l1_row = {.name = "L1 caches",
                                   .stage = STAGE_BLOCKS,
                                   .options = l1_groups,
                                   .init = l1s_init,
                                   .fini = l1s_fini,
                                   .policies = l1s_policies,
                                   .ready = l1s_ready,
                                   .check = l1s_check,
                                   .stats = l1_stats,
                                   .counters = l1s_counters,
                                   .app_json = l1s_app_json,
                                   .evictions_json = l1s_evictions_json};

/* ---- L2 ---- */

static const option_group_t l2_groups[] = {
    {"l2", "L2 cache", l2_options, offsetof(gpu_spec_t, l2)},
    {"l2bypass", "the insertion policy l2.policy=walk-bypass", l2_bypass_options,
     offsetof(gpu_spec_t, l2_bypass)},
    {0},
};

static int init_policy(l2_t *c, err_t *e) {
  l2_env_t env = {c->apps, c->slices, mm_levels(l2_memory(c)->mm), &l2_spec(c)->l2_bypass};
  c->policy = l2_policy_find(c->spec.policy);
  c->policy_state = calloc(1, 1 + (c->policy->state_bytes ? c->policy->state_bytes(&env) : 0));
  if (!c->policy_state) return component_no_memory(e, "the insertion policy");
  if (c->policy->init) c->policy->init(c->policy_state, &env);
  return GMMU_OK;
}

static int l2_init(void *block, err_t *e) {
  l2_t *c = block;
  const gpu_spec_t *spec = l2_spec(c);
  c->spec = spec->l2;
  c->apps = l2_share(c)->apps;
  l2_walk_cycles(c, spec->walk.hop_cycles, spec->walk.free_l2);
  c->walk_free_l2 = spec->walk.free_l2;
  c->walk_free_dram = spec->walk.free_dram;
  c->slices = spec->dram.channels * spec->l2.slices;
  c->slice = arrays_take(l2_arrays(c), c->slices * sizeof *c->slice);
  c->stats = calloc((size_t)c->apps * CLASSES, sizeof *c->stats);
  c->evicted_by = calloc((size_t)c->apps * c->apps, sizeof *c->evicted_by);
  if (!c->slice || !c->stats || !c->evicted_by) return component_no_memory(e, "the L2 cache");
  int rc = 0;
  for (uint32_t i = 0; i < c->slices && rc == 0; i++)
    rc = l2_slice_init(&c->slice[i], &spec->l2, c->slices, spec->core.line_bytes,
                       spec->memory.memory_bytes, l2_arrays(c), e);
  return rc < 0 ? rc : init_policy(c, e);
}

static void l2_fini(void *block) {
  l2_t *c = block;
  for (uint32_t i = 0; c->slice && i < c->slices; i++) l2_slice_fini(&c->slice[i]);
  free(c->stats);
  free(c->evicted_by);
  free(c->policy_state);
}

static void l2_ready(void *block) {
  l2_t *c = block;
  c->hooks = c->policy->decide || c->policy->outcome || WATCHED(c->watch.entered) ||
             WATCHED(c->watch.looked_up);
  cache_shape_t shape = cache_shape(&c->slice[0].array);
  bool compiled = shape == CACHE_WIDE || shape == CACHE_ROWS_16;
  bool usual = !c->hooks && !c->walk_free_l2 && !c->walk_free_dram;
  c->shape = compiled && usual ? shape : CACHE_ANY;
  c->walks_prompt = c->walk_hit_cycles < WHEEL_REACH && l2_noc(c)->bridge.partitions == 1;
  if (c->policy->decide) channels_note_bypass(l2_dram(c));
}

static void l2_epoch(void *block) {
  l2_t *c = block;
  if (c->policy->epoch) c->policy->epoch(c->policy_state, l2_ev(c)->now);
}

static int l2_check(const void *block, err_t *e) {
  const l2_t *c = block;
  for (uint32_t i = 0; i < c->slices; i++)
    if (!cache_check(&c->slice[i].array)) return component_bad(e, "L2 slice", i);
  for (uint32_t i = 0; i < c->apps * CLASSES; i++)
    CHECK_SAME(e, i / CLASSES, c->stats[i].hits + c->stats[i].misses, c->stats[i].accesses);
  return GMMU_OK;
}

static const stat_group_t l2_stats[] = {
    {"apps[].l2.data, .translation", "L2 cache, by class", cache_list},
    {0},
};

static void l2_app_json(const void *block, uint32_t app, json_t *j) {
  const l2_t *c = block;
  const cache_stats_t *s = &c->stats[app * CLASSES];
  stat_json_begin(j, "l2");
  cache_json(j, "data", &s[CLASS_DATA], c->spec.latency_cycles);
  cache_json(j, "translation", &s[CLASS_WALK], c->spec.latency_cycles);
  json_end_object(j);
}
static void l2_evictions_json(const void *block, json_t *j) {
  const l2_t *c = block;
  stat_json_matrix(j, "l2", c->evicted_by, c->apps);
}

static void l2_counters(void *block, counters_t *c) {
  const l2_t *l = block;
  cache_counters(c, l->stats, l->apps * CLASSES);
  counters_add(c, l->evicted_by, l->apps * l->apps * sizeof *l->evicted_by);
}

static void l2_policies(void *block, mechanisms_t *m) {
  l2_t *c = block;
  policy_give(m, c->policy->own, c->policy_state);
  for (uint32_t i = 0; i < c->slices; i++) policy_give_assoc(m, &c->slice[i].array.tags);
}

static const component_t l2_row = {.name = "L2 cache",
                                   .stage = STAGE_BLOCKS,
                                   .options = l2_groups,
                                   .init = l2_init,
                                   .fini = l2_fini,
                                   .policies = l2_policies,
                                   .ready = l2_ready,
                                   .epoch = l2_epoch,
                                   .check = l2_check,
                                   .stats = l2_stats,
                                   .counters = l2_counters,
                                   .app_json = l2_app_json,
                                   .evictions_json = l2_evictions_json,
                                   .cost = l2_cost};
