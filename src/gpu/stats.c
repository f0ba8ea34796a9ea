/* Statistics as JSON. Numbers are integers or exact decimal fractions of integers. */
#include "gpu/stats.h"
#include "base/opt.h"
#include "gpu/frames.h"
#include "gpu/machine.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ROW(T, n, u, h)                                                                            \
  { #n, offsetof(T, n), u, h }
#define X(n, u, h) ROW(sm_stats_t, n, u, h),
static const stat_desc_t sm_list[] = {SM_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(tlb_stats_t, n, u, h),
static const stat_desc_t tlb_list[] = {TLB_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(fill_stats_t, n, u, h),
static const stat_desc_t fill_list[] = {FILL_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(peer_stats_t, n, u, h),
static const stat_desc_t peer_list[] = {PEER_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(walk_stats_t, n, u, h),
static const stat_desc_t walk_list[] = {WALK_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(cache_stats_t, n, u, h),
static const stat_desc_t cache_list[] = {CACHE_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(series_point_t, n, u, h),
static const stat_desc_t series_list[] = {SERIES_FIELDS(X){0}};
#undef X
#define X(n, u, h) ROW(sampled_walk_t, n, u, h),
static const stat_desc_t sampled_walk_list[] = {WALK_SAMPLE_FIELDS(X){0}};
#undef X
#define X(n, u, h) ROW(walk_step_t, n, u, h),
static const stat_desc_t walk_step_list[] = {WALK_STEP_FIELDS(X){0}};
#undef X
#define X(n, u, h) ROW(heat_row_t, n, u, h),
static const stat_desc_t heat_list[] = {HEAT_FIELDS(X){0}};
#undef X
#define X(n, u, h) ROW(frame_row_t, n, u, h),
static const stat_desc_t frame_list[] = {FRAME_FIELDS(X){0}};
#undef X
#define X(n, u, h) ROW(turn_stats_t, n, u, h),
static const stat_desc_t turn_list[] = {TURN_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(colour_stats_t, n, u, h),
static const stat_desc_t colour_list[] = {COLOUR_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(paging_stats_t, n, u, h),
static const stat_desc_t paging_list[] = {PAGING_STATS(X){0}};
#undef X
#define X(n, u, h) ROW(mm_counts_t, n, u, h),
static const stat_desc_t memory_list[] = {MM_COUNTS(X){0}};
#undef X
#define X(n, u, h) ROW(moves_t, n, u, h),
static const stat_desc_t moves_list[] = {MOVES_STATS(X){0}};
#undef X
#define X(n, s, h) {s, sizeof(uint64_t) * STALL_##n, "warp-cycles", h},
static const stat_desc_t stall_list[] = {STALL_LIST(X){0}};
#undef X

const stat_group_t stat_groups[] = {
    {"apps[].sm", "instructions and blocks", sm_list},
    {"apps[].stall",
     "warp-cycles without an issue, by reason; with warp_instructions they add up to slot_cycles",
     stall_list},
    {"apps[].turn", "turns on the SMs, if applications share time", turn_list},
    {"apps[].colour", "page colours; with mem.manager=coloured", colour_list},
    {"apps[].l1tlb .. l4tlb", "each TLB level", tlb_list},
    {"apps[].fill", "who may fill the last TLB level; with tlb.fill=tokens", fill_list},
    {"apps[].peer", "first-level TLBs that share; with tlb.peer or peer.oracle", peer_list},
    {"apps[].walk", "page-table walks", walk_list},
    {"apps[].l1d", "L1 data caches", cache_list},
    {"apps[].l2.data, .translation", "L2 cache, by class", cache_list},
    {"apps[].dram.data, .translation", "DRAM, by class", dram_stats_list},
    {"apps[].dram.golden, .silver, .normal", "DRAM reads, by queue of the scheduler mask",
     dram_queue_stats_list},
    {"apps[].sampled_walks.walks[]", "a sample of walks; with observe.walks", sampled_walk_list},
    {"apps[].sampled_walks.walks[].levels[]", "of each entry that such a walk read, root first",
     walk_step_list},
    {"apps[].page_heat.rows[]", "by interval of time; with observe.pages", heat_list},
    {"apps[].paging", "pages that come, go and move; with mem.paging=demand or mem.manager=mosaic",
     paging_list},
    {"apps[].link", "the way to the host; with mem.paging=demand", link_stats_list},
    {"memory", "what the memory manager did; with mem.paging=demand or mem.manager=mosaic",
     memory_list},
    {"memory", "what compaction did to the SMs", moves_list},
    {"series.apps[]", "increments per interval", series_list},
    {"memory_map.rows[]",
     "large frames in use at the end, `data` by application; with observe.memory", frame_list},
    {0},
};

static void counters(json_t *j, const void *stats, const stat_desc_t *list) {
  for (; list->name; list++) {
    json_key(j, list->name);
    json_u64(j, stat_value(stats, list));
  }
}

static void latency(json_t *j, const char *key, const hist_t *h) {
  json_key(j, key);
  json_begin_object(j);
  json_key(j, "count"), json_u64(j, h->count);
  json_key(j, "mean"), json_ratio(j, h->sum, h->count, 2);
  json_key(j, "p50"), json_u64(j, hist_permille(h, 500));
  json_key(j, "p95"), json_u64(j, hist_permille(h, 950));
  json_key(j, "p99"), json_u64(j, hist_permille(h, 990));
  json_key(j, "max"), json_u64(j, h->max);
  json_end_object(j);
}

static void begin(json_t *j, const char *key) {
  json_key(j, key);
  json_begin_object(j);
}

static void level_name(char buf[8], uint32_t l) { snprintf(buf, 8, "l%utlb", (l + 1) & 15); }

static void tlb_json(json_t *j, const tlb_level_t *l, uint32_t index, uint32_t app) {
  char name[8];
  level_name(name, index);
  const tlb_stats_t *s = &l->stats[app];
  begin(j, name);
  counters(j, s, tlb_list);
  json_key(j, "miss_rate"), json_ratio(j, s->misses, s->lookups, 6);
  json_key(j, "primary_miss_rate"), json_ratio(j, s->primary_misses, s->lookups, 6);
  hist_t h = s->latency;
  if (index == 0) hist_add_many(&h, l->spec.latency_cycles, s->hits);
  latency(j, "latency_cycles", &h);
  json_end_object(j);
}

static void fill_json(json_t *j, const gpu_t *g, uint32_t app) {
  fill_stats_t s = gpu_fill_stats(g, app);
  begin(j, "fill");
  counters(j, &s, fill_list);
  json_key(j, "mean_tokens"), json_ratio(j, s.token_cycles, g->ev.now, 2);
  json_end_object(j);
}

/* Hit ratios as NeiDty defines them (IV.B); the mean time of a translation, hits included, is that
 * of l1tlb.latency_cycles. */
static void peer_json(json_t *j, const gpu_t *g, uint32_t app) {
  const peer_stats_t *p = &g->peer_stats[app];
  const tlb_stats_t *s = &g->level[0].stats[app];
  if (!g->peer_hooks && !g->peer_watch) return;
  begin(j, "peer");
  counters(j, p, peer_list);
  json_key(j, "local_hit_ratio"), json_ratio(j, s->hits, s->lookups, 6);
  json_key(j, "remote_hit_ratio"), json_ratio(j, p->remote_lookups, s->lookups, 6);
  json_key(j, "total_hit_ratio"), json_ratio(j, s->hits + p->remote_lookups, s->lookups, 6);
  json_key(j, "neighbour_share"), json_ratio(j, p->oracle_neighbour, p->oracle_misses, 6);
  json_end_object(j);
}

static bool pages_move(const gpu_t *g) {
  return g->paging.on || strcmp(g->spec.memory.manager, "mosaic") == 0;
}

static void paging_json(json_t *j, const gpu_t *g, uint32_t app) {
  if (!pages_move(g)) return;
  begin(j, "paging");
  counters(j, &g->paging.stats[app], paging_list);
  if (g->paging.on) latency(j, "latency_cycles", &g->paging.stats[app].latency);
  json_end_object(j);
  if (!g->paging.on) return;
  begin(j, "link"), counters(j, &g->link.stats[app], link_stats_list), json_end_object(j);
}

static void memory_json(json_t *j, const gpu_t *g) {
  if (!pages_move(g)) return;
  mm_counts_t c = mm_counts(g->mm);
  begin(j, "memory");
  counters(j, &c, memory_list);
  counters(j, &g->moves, moves_list);
  json_end_object(j);
}

/* Of the misses of each first-level TLB, those that a neighbour could have served. */
static void oracle_json(json_t *j, const gpu_t *g) {
  if (!g->peer_watch) return;
  json_key(j, "oracle_l1tlbs");
  json_begin_array(j);
  for (uint32_t t = 0; t < g->level[0].instances; t++) {
    json_begin_object(j);
    json_key(j, "misses"), json_u64(j, g->peer_seen[t].misses);
    json_key(j, "neighbour"), json_u64(j, g->peer_seen[t].neighbour);
    json_key(j, "neighbour_share"),
        json_ratio(j, g->peer_seen[t].neighbour, g->peer_seen[t].misses, 6);
    json_end_object(j);
  }
  json_end_array(j);
}

static void walk_levels(json_t *j, const walk_stats_t *s, uint32_t levels) {
  json_key(j, "levels");
  json_begin_array(j);
  for (uint32_t i = 0; i < levels; i++) {
    json_begin_object(j);
    json_key(j, "reads"), json_u64(j, s->level_reads[i]);
    json_key(j, "pwc_hits"), json_u64(j, s->level_pwc[i]);
    json_key(j, "l2_hits"), json_u64(j, s->level_hits[i]);
    json_key(j, "l2_bypasses"), json_u64(j, s->level_bypasses[i]);
    json_key(j, "l2_hit_rate"),
        json_ratio(j, s->level_hits[i], s->level_reads[i] - s->level_pwc[i] - s->level_bypasses[i],
                   6);
    json_key(j, "cycles"), json_u64(j, s->level_cycles[i]);
    json_end_object(j);
  }
  json_end_array(j);
}

static void walk_json(json_t *j, const gpu_t *g, uint32_t app) {
  const walk_stats_t *s = &g->walker.stats[app];
  begin(j, "walk");
  counters(j, s, walk_list);
  json_key(j, "mean_concurrent"), json_ratio(j, s->active_cycles, g->ev.now, 4);
  json_key(j, "warps_stalled_per_walk"), json_ratio(j, s->warps_stalled, s->walks, 4);
  latency(j, "latency_cycles", &s->latency);
  latency(j, "queue_latency_cycles", &s->queue);
  walk_levels(j, s, mm_levels(g->mm));
  json_end_object(j);
}

static void cache_json(json_t *j, const char *key, const cache_stats_t *s, uint32_t hit_cycles) {
  hist_t h = s->latency;
  hist_add_many(&h, hit_cycles, s->prompt_hits);
  begin(j, key);
  counters(j, s, cache_list);
  json_key(j, "hit_rate"), json_ratio(j, s->hits, s->accesses, 6);
  latency(j, "latency_cycles", &h);
  json_end_object(j);
}

static void sum_channels(const gpu_t *g, uint32_t app, dram_class_t cls, dram_stats_t *out) {
  *out = (dram_stats_t){0};
  for (uint32_t c = 0; c < g->channels; c++) {
    const dram_stats_t *d = dram_stats(g->channel[c].dram, (uint8_t)app, cls);
    for (const stat_desc_t *x = dram_stats_list; x->name; x++)
      *(uint64_t *)(void *)((char *)out + x->offset) += stat_value(d, x);
  }
}

static void queue_json(json_t *j, const gpu_t *g, uint32_t app, uint32_t queue) {
  dram_queue_stats_t s = {0};
  for (uint32_t c = 0; c < g->channels; c++) {
    const dram_queue_stats_t *d = dram_queue_stats(g->channel[c].dram, (uint8_t)app, queue);
    for (const stat_desc_t *x = dram_queue_stats_list; x->name; x++)
      *(uint64_t *)(void *)((char *)&s + x->offset) += stat_value(d, x);
  }
  counters(j, &s, dram_queue_stats_list);
  json_key(j, "mean_queue_cycles"), json_ratio(j, s.queue_cycles, s.reads, 2);
}

/* Of a scheduler that tells queues apart. */
static void queues_json(json_t *j, const gpu_t *g, uint32_t app) {
  const dram_sched_ops_t *ops = dram_sched_find(g->spec.dram.scheduler);
  for (uint32_t q = 0; ops->queues > 1 && q < ops->queues; q++) {
    begin(j, ops->queue_name[q]);
    queue_json(j, g, app, q);
    json_end_object(j);
  }
  if (!ops->wants_quota) return;
  json_key(j, "mean_quota"), json_ratio(j, g->quota.app[app].sum, g->quota.app[app].reads, 2);
}

static void dram_json(json_t *j, const gpu_t *g, uint32_t app) {
  static const char *const names[CLASSES] = {"data", "translation"};
  begin(j, "dram");
  for (uint32_t c = 0; c < CLASSES; c++) {
    dram_stats_t s;
    sum_channels(g, app, c == CLASS_WALK ? DRAM_WALK : DRAM_DATA, &s);
    begin(j, names[c]);
    counters(j, &s, dram_stats_list);
    json_key(j, "row_hit_rate"),
        json_ratio(j, s.row_hits, s.row_hits + s.row_misses + s.row_conflicts, 6);
    json_key(j, "bytes_per_kilocycle"),
        json_ratio(j, (s.read_bytes + s.write_bytes) * 1000, g->ev.now, 2);
    latency(j, "latency_cycles", &g->dram_latency[app * CLASSES + c]);
    json_end_object(j);
  }
  queues_json(j, g, app);
  json_end_object(j);
}

static void sampled_walk_json(json_t *j, const sampled_walk_t *w) {
  json_begin_object(j);
  counters(j, w, sampled_walk_list);
  json_key(j, "levels");
  json_begin_array(j);
  for (uint32_t i = 0; i < w->steps; i++) {
    json_begin_object(j);
    counters(j, &w->step[i], walk_step_list);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

/* One walk of 2^shift, about, is in it. */
static void sampled_walks_json(json_t *j, const walk_sample_t *s) {
  begin(j, "sampled_walks");
  json_key(j, "seen"), json_u64(j, s->seen);
  json_key(j, "one_in"), json_u64(j, 1ull << s->shift);
  json_key(j, "walks");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->count; i++) sampled_walk_json(j, &s->at[i]);
  json_end_array(j);
  json_end_object(j);
}

static void page_heat_json(json_t *j, const heat_t *h, uint32_t page_shift) {
  begin(j, "page_heat");
  json_key(j, "interval_cycles"), json_u64(j, h->interval_cycles);
  json_key(j, "region_bytes"), json_u64(j, 1ull << (page_shift + h->shift));
  json_key(j, "columns"), json_u64(j, h->columns);
  json_key(j, "rows");
  json_begin_array(j);
  for (uint32_t i = 0; i < h->rows; i++) {
    json_begin_object(j);
    json_key(j, "va"), json_u64(j, h->row[i].region << (page_shift + h->shift));
#define X(n, u, help) json_key(j, #n), json_u64s(j, h->row[i].n, h->columns);
    HEAT_FIELDS(X)
#undef X
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

static void colour_json(json_t *j, const gpu_t *g, uint32_t app) {
  if (!g->colours.stats) return;
  begin(j, "colour");
  counters(j, &g->colours.stats[app], colour_list);
  json_key(j, "list");
  json_begin_array(j);
  for (uint64_t m = g->colours.of.of_space[app]; m; m &= m - 1)
    json_u64(j, (uint64_t)__builtin_ctzll(m));
  json_end_array(j);
  json_end_object(j);
}

static void app_json(json_t *j, const gpu_t *g, uint32_t a) {
  const app_t *p = &g->app[a];
  const sm_stats_t *s = &g->sm_stats[a];
  json_begin_object(j);
  json_key(j, "name"), json_str(j, p->name);
  json_key(j, "first_sm"), json_u64(j, p->first_sm);
  json_key(j, "sms"), json_u64(j, p->sms);
  if (g->sm_shared)
    json_key(j, "percent_of_sm"), json_ratio(j, 100ull * p->part_of, p->part_whole, 2);
  json_key(j, "runs"), json_u64(j, p->runs);
  json_key(j, "launches"), json_u64(j, p->launches);
  json_key(j, "first_end_cycle"), json_u64(j, p->first_end);
  json_key(j, "complete_cycles"), json_u64(j, p->complete_cycles);
  json_key(j, "complete_instructions"), json_u64(j, p->complete_instructions);
  json_key(j, "ipc"), json_ratio(j, s->warp_instructions, g->ev.now, 6);
  json_key(j, "complete_ipc"), json_ratio(j, p->complete_instructions, p->complete_cycles, 6);
  begin(j, "sm"), counters(j, s, sm_list), json_end_object(j);
  begin(j, "stall"), counters(j, s->stall, stall_list), json_end_object(j);
  begin(j, "turn"), counters(j, &g->turns.stats[a], turn_list), json_end_object(j);
  colour_json(j, g, a);
  for (uint32_t l = 0; l < g->levels; l++) tlb_json(j, &g->level[l], l, a);
  if (g->fill->stats) fill_json(j, g, a);
  peer_json(j, g, a);
  if (g->translate) walk_json(j, g, a);
  cache_json(j, "l1d", &g->l1_stats[a], g->spec.l1.latency_cycles);
  uint32_t l2_cycles = g->spec.l2.latency_cycles;
  begin(j, "l2");
  cache_json(j, "data", &g->l2_stats[a * CLASSES + CLASS_DATA], l2_cycles);
  cache_json(j, "translation", &g->l2_stats[a * CLASSES + CLASS_WALK], l2_cycles);
  json_end_object(j);
  dram_json(j, g, a);
  if (g->observe.walks) sampled_walks_json(j, &g->observe.walks[a]);
  if (g->observe.pages) page_heat_json(j, &g->observe.pages[a], g->page_shift);
  paging_json(j, g, a);
  json_end_object(j);
}

/* Rows: who evicted; columns: whose entry went. */
static void matrix(json_t *j, const char *key, const uint64_t *m, uint32_t n) {
  json_key(j, key);
  json_begin_array(j);
  for (uint32_t i = 0; i < n; i++) {
    json_begin_array(j);
    for (uint32_t k = 0; k < n; k++) json_u64(j, m[i * n + k]);
    json_end_array(j);
  }
  json_end_array(j);
}

static void series_json(json_t *j, const gpu_t *g) {
  const series_t *s = &g->series;
  begin(j, "series");
  json_key(j, "interval_cycles"), json_u64(j, s->interval_cycles);
  json_key(j, "points"), json_u64(j, s->points);
  json_key(j, "last_cycles"), json_u64(j, s->last_cycles);
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < s->apps; a++) {
    json_begin_object(j);
    for (const stat_desc_t *d = series_list; d->name; d++) {
      uint64_t v[SERIES_POINTS];
      for (uint32_t p = 0; p < s->points; p++) v[p] = stat_value(&s->at[p * s->apps + a], d);
      json_key(j, d->name), json_u64s(j, v, s->points);
    }
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

static void machine_json(json_t *j, const gpu_t *g) {
  uint64_t busy = 0, slots = 0;
  for (uint32_t c = 0; c < g->channels; c++) busy += dram_busy(g->channel[c].dram);
  slots = g->ev.now * g->spec.dram.clock_mhz / g->spec.core.clock_mhz * g->channels;
  json_key(j, "cycles"), json_u64(j, g->ev.now);
  json_key(j, "warp_instructions"), json_u64(j, gpu_instructions(g));
  json_key(j, "memory_requests"), json_u64(j, gpu_requests(g));
  json_key(j, "dram_bus_busy_cycles"), json_u64(j, busy);
  json_key(j, "dram_bus_utilisation"), json_ratio(j, busy, slots, 6);
}

void gpu_stats_json(const gpu_t *g, json_t *j) {
  machine_json(j, g);
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < g->apps; a++) app_json(j, g, a);
  json_end_array(j);
  begin(j, "evictor_x_victim");
  for (uint32_t l = 0; l < g->levels; l++) {
    char name[8];
    level_name(name, l);
    matrix(j, name, g->level[l].evicted_by, g->apps);
  }
  matrix(j, "l1d", g->l1_evicted_by, g->apps);
  matrix(j, "l2", g->l2_evicted_by, g->apps);
  json_end_object(j);
  oracle_json(j, g);
  memory_json(j, g);
  series_json(j, g);
  if (g->spec.observe.memory) frames_json(g->mm, g->spec.memory.memory_bytes, g->apps, j);
}

void gpu_config_json(const gpu_spec_t *spec, json_t *j) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t copy = *spec;
  gpu_spec_groups(&copy, groups);
  opt_json(groups, j);
}

void gpu_stats_list(table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "where", TABLE_LEFT);
  table_column(&t, "name", TABLE_LEFT);
  table_column(&t, "unit", TABLE_LEFT);
  table_column(&t, "meaning", TABLE_LEFT);
  for (const stat_group_t *x = stat_groups; x->path; x++)
    for (const stat_desc_t *d = x->list; d->name; d++) {
      table_cell(&t, x->path);
      table_cell(&t, d->name);
      table_cell(&t, d->unit);
      table_cell(&t, d->help);
    }
  table_render(&t, style, out);
  table_fini(&t);
}

void gpu_summary(const gpu_t *g, uint32_t a, gpu_summary_t *o) {
  const sm_stats_t *s = &g->sm_stats[a];
  const cache_stats_t *l2 = &g->l2_stats[a * CLASSES + CLASS_DATA];
  const hist_t *dram = &g->dram_latency[a * CLASSES + CLASS_DATA];
  *o = (gpu_summary_t){.first_sm = g->app[a].first_sm,
                       .sms = g->app[a].sms,
                       .part_of = g->app[a].part_of,
                       .part_whole = g->app[a].part_whole,
                       .instructions = s->warp_instructions,
                       .cycles = g->ev.now,
                       .complete_instructions = g->app[a].complete_instructions,
                       .complete_cycles = g->app[a].complete_cycles,
                       .l1tlb_lookups = g->level[0].stats[a].lookups,
                       .l1tlb_misses = g->level[0].stats[a].misses,
                       .l2tlb_lookups = g->level[1].stats[a].lookups,
                       .l2tlb_misses = g->level[1].stats[a].misses,
                       .l1tlb_primary = g->level[0].stats[a].primary_misses,
                       .l2tlb_primary = g->level[1].stats[a].primary_misses,
                       .l1tlb_remote = g->peer_stats[a].remote_lookups,
                       .l1tlb_cycles = g->level[0].stats[a].latency.sum +
                                       g->level[0].stats[a].hits * g->level[0].spec.latency_cycles,
                       .peers = g->peer_hooks,
                       .walks = g->walker.stats[a].walks,
                       .walk_cycles = g->walker.stats[a].latency.sum,
                       .walk_queue_cycles = g->walker.stats[a].queue_cycles,
                       .walk_active_cycles = g->walker.stats[a].active_cycles,
                       .warps_stalled = g->walker.stats[a].warps_stalled,
                       .l2_accesses = l2->accesses,
                       .l2_hits = l2->hits,
                       .fetches = dram->count,
                       .fetch_cycles = dram->sum + dram->count * (g->spec.l2.latency_cycles +
                                                                  g->spec.l2.dram_hop_cycles),
                       .slot_cycles = s->slot_cycles};
  memcpy(o->stall, s->stall, sizeof o->stall);
  for (uint32_t i = STALL_TLB1; i <= STALL_FAULT; i++) o->translation_stalls += s->stall[i];
  for (uint32_t i = STALL_L1; i <= STALL_DRAM; i++) o->memory_stalls += s->stall[i];
  for (uint32_t c = 0; c < CLASSES; c++) {
    dram_stats_t d;
    sum_channels(g, a, c == CLASS_WALK ? DRAM_WALK : DRAM_DATA, &d);
    o->dram_bytes += d.read_bytes + d.write_bytes;
  }
}

static uint32_t permille(uint64_t part, uint64_t whole) {
  return part >= whole ? 1000 : (uint32_t)(part * 1000 / whole);
}

uint32_t gpu_progress_permille(const gpu_t *g, const gpu_limits_t *limits, uint64_t *kernel) {
  uint32_t cycles = limits->cycles ? permille(g->ev.now, limits->cycles) : 0;
  uint32_t insts = limits->instructions ? permille(gpu_instructions(g), limits->instructions) : 0;
  uint32_t least = 1000;
  *kernel = 0;
  if (limits->cycles || limits->instructions) return cycles > insts ? cycles : insts;
  if (g->ev.now < limits->min_cycles) return permille(g->ev.now, limits->min_cycles);
  for (uint32_t a = 0; a < apps_awaited(g, limits); a++) {
    const app_t *p = &g->app[a];
    uint32_t share = permille(p->next_block - p->blocks_running, p->blocks);
    if (p->runs || share > least) continue;
    least = share;
    *kernel = p->launches;
  }
  return least;
}
