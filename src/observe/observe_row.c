/* The rows of what is observed: samples of walks and pages, the time series, frames, the timeline.
 */
#include "observe/frames.h"
#include "observe/observe.h"
#include "observe/series.h"
#include "observe/timeline.h"
#include <string.h>

/* ---- walks and pages ---- */

static void lookup_seen(void *block, uint32_t sm, const group_t *gr) {
  observe_t *o = block;
  observe_lookup(o, &observe_cores(o)->sm[sm], gr);
}
static void read_seen(void *block, uint32_t thread, uint32_t level, uint32_t dram, bool pwc_hit) {
  observe_read(block, thread, level, dram, pwc_hit);
}
static void walk_seen(void *block, uint32_t thread) { observe_walk(block, thread); }

/* Look-ups for the map of pages, walks for their sample, both for the timeline. */
static const hooks_t *observe_hooks(const void *block) {
  static const hooks_t pages = {.looked_up = lookup_seen},
                       walks = {.read = read_seen, .walked = walk_seen},
                       both = {.looked_up = lookup_seen, .read = read_seen, .walked = walk_seen};
  const observe_t *o = block;
  if (observe_timeline(o)->on || (o->pages && o->walks)) return &both;
  return o->pages ? &pages : o->walks ? &walks : NULL;
}

#define X(n, u, h) STAT_DESC(sampled_walk_t, n, u, h),
static const stat_desc_t sampled_walk_list[] = {WALK_SAMPLE_FIELDS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(walk_step_t, n, u, h),
static const stat_desc_t walk_step_list[] = {WALK_STEP_FIELDS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(heat_row_t, n, u, h),
static const stat_desc_t heat_list[] = {HEAT_FIELDS(X){0}};
#undef X
static const stat_group_t observe_stats[] = {
    {"apps[].sampled_walks.walks[]", "a sample of walks; with observe.walks", sampled_walk_list},
    {"apps[].sampled_walks.walks[].levels[]", "of each entry that such a walk read, root first",
     walk_step_list},
    {"apps[].page_heat.rows[]", "by interval of time; with observe.pages", heat_list},
    {0},
};

static void sampled_walk_json(const sampled_walk_t *w, json_t *j) {
  json_begin_object(j);
  stat_json(j, w, sampled_walk_list);
  json_key(j, "levels");
  json_begin_array(j);
  for (uint32_t i = 0; i < w->steps; i++) {
    json_begin_object(j);
    stat_json(j, &w->step[i], walk_step_list);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

/* One walk of 2^shift, about, is in it. */
static void sampled_walks_json(const walk_sample_t *s, json_t *j) {
  stat_json_begin(j, "sampled_walks");
  json_key(j, "seen"), json_u64(j, s->seen);
  json_key(j, "one_in"), json_u64(j, 1ull << s->shift);
  json_key(j, "walks");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->count; i++) sampled_walk_json(&s->at[i], j);
  json_end_array(j);
  json_end_object(j);
}

static void page_heat_json(const heat_t *h, uint32_t page_shift, json_t *j) {
  stat_json_begin(j, "page_heat");
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

static void observe_app_json(const void *block, uint32_t app, json_t *j) {
  const observe_t *o = block;
  if (o->walks) sampled_walks_json(&o->walks[app], j);
  if (o->pages) page_heat_json(&o->pages[app], observe_memory(o)->page_shift, j);
}

static const component_t observe_row = {.name = "walks and pages",
                                        .stage = STAGE_OBSERVERS,
                                        .init = observe_init,
                                        .fini = observe_fini,
                                        .hooks = observe_hooks,
                                        .settle = observe_settle,
                                        .stats = observe_stats,
                                        .app_json = observe_app_json};

/* ---- the time series ---- */

static const opt_t run_options[] = {
    {"series", OPT_U32, offsetof(run_spec_t, series_cycles), 100, 1u << 30, 10000, "cycles",
     "between two points of the time series", NULL, NULL},
    {"epoch", OPT_U32, offsetof(run_spec_t, epoch_cycles), 100, 1u << 30, 100000, "cycles",
     "between two decisions of a policy", NULL, NULL},
    {"check", OPT_BOOL, offsetof(run_spec_t, check), 0, 1, 0, "",
     "verify every translation and every access", NULL, NULL},
    {0},
};
static const option_group_t series_groups[] = {
    {"run", "the simulation itself", run_options, offsetof(gpu_spec_t, run)},
    {0},
};

static int time_series_init(void *block, err_t *e) {
  series_t *s = block;
  if (series_init(s, series_share(s)->apps, series_spec(s)->run.series_cycles) < 0)
    return component_no_memory(e, "the time series");
  s->next = s->interval_cycles;
  return GMMU_OK;
}
static void time_series_fini(void *block) { series_fini(block); }

static void series_totals(const series_t *s, series_point_t totals[GMMU_MAX_APPS]) {
  const tlb_level_t *level = series_tlb(s)->level;
  memset(totals, 0, GMMU_MAX_APPS * sizeof *totals);
  for (uint32_t a = 0; a < s->apps; a++) {
    series_point_t *t = &totals[a];
    const walk_stats_t *walk = &series_walker(s)->stats[a];
    const cache_stats_t *l2 = &series_l2(s)->stats[a * CLASSES];
    dram_stats_t data, walks;
    channels_sum(series_dram(s), a, DRAM_DATA, &data);
    channels_sum(series_dram(s), a, DRAM_WALK, &walks);
    walker_count(series_walker(s), (uint8_t)a, series_ev(s)->now);
    t->warp_instructions = series_cores(s)->stats[a].warp_instructions;
    t->l1tlb_lookups = level[0].stats[a].lookups;
    t->l1tlb_misses = level[0].stats[a].misses;
    t->l2tlb_lookups = level[1].stats[a].lookups;
    t->l2tlb_misses = level[1].stats[a].misses;
    t->walks = walk->walks;
    t->walk_active_cycles = walk->active_cycles;
    t->l2_accesses = l2[CLASS_DATA].accesses;
    t->l2_misses = l2[CLASS_DATA].misses;
    t->walk_bypasses = l2[CLASS_WALK].bypasses;
    t->token_cycles = tlb_fill_stats(series_tlb(s), a).token_cycles;
    t->dram_data_bytes = data.read_bytes + data.write_bytes;
    t->dram_walk_bytes = walks.read_bytes + walks.write_bytes;
  }
}

void series_boundary(series_t *s) {
  series_point_t totals[GMMU_MAX_APPS];
  channels_count(series_dram(s), series_ev(s)->now);
  series_totals(s, totals);
  series_add(s, totals);
  s->next += s->interval_cycles;
}

/* What has happened since the last point. */
static void series_settle(void *block) {
  series_t *s = block;
  series_point_t totals[GMMU_MAX_APPS];
  uint64_t from = s->next - s->interval_cycles, now = series_ev(s)->now;
  if (now <= from) return;
  series_totals(s, totals);
  series_end(s, totals, now - from);
}

#define X(n, of) STAT_DESC(series_point_t, n, NULL, of),
static const stat_desc_t series_list[] = {SERIES_FIELDS(X){0}};
#undef X
static const stat_group_t series_stats[] = {
    {"series.apps[]", "increments per interval", series_list},
    {0},
};

static void series_json(const void *block, json_t *j) {
  const series_t *s = block;
  stat_json_begin(j, "series");
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

static const component_t series_row = {.name = "time series",
                                       .stage = STAGE_OBSERVERS,
                                       .options = series_groups,
                                       .init = time_series_init,
                                       .fini = time_series_fini,
                                       .settle = series_settle,
                                       .stats = series_stats,
                                       .json = series_json};

/* ---- frames ---- */

static const opt_t observe_options[] = {
    {"walks", OPT_U32, offsetof(observe_spec_t, walks), 0, 4096, 0, "walks",
     "of each application, in a sample with the time of every read; 0: none", NULL, NULL},
    {"pages", OPT_BOOL, offsetof(observe_spec_t, pages), 0, 1, 0, "",
     "look-ups and misses of each page over time, as a grid", NULL, NULL},
    {"memory", OPT_BOOL, offsetof(observe_spec_t, memory), 0, 1, 0, "",
     "who has which physical memory when the run ends", NULL, NULL},
    {"origins", OPT_BOOL, offsetof(observe_spec_t, origins), 0, 1, 0, "",
     "TLB misses, walks, faults, DRAM bytes and stalls by array, kernel and line", NULL, NULL},
    {0},
};
static const option_group_t observe_groups[] = {
    {"observe", "what a run shows beyond its counters; no effect on them", observe_options,
     offsetof(gpu_spec_t, observe)},
    {0},
};

#define X(n, u, h) STAT_DESC(frame_row_t, n, u, h),
static const stat_desc_t frame_list[] = {FRAME_FIELDS(X){0}};
#undef X
static const stat_group_t frames_stats[] = {
    {"memory_map.rows[]",
     "large frames in use at the end, `data` by application; with observe.memory", frame_list},
    {0},
};

static int frames_init(void *block, err_t *e) {
  frames_t *f = block;
  (void)e;
  f->on = frames_spec(f)->observe.memory;
  return GMMU_OK;
}
static void frames_row_json(const void *block, json_t *j) {
  const frames_t *f = block;
  if (f->on)
    frames_json(frames_memory(f)->mm, frames_spec(f)->memory.memory_bytes, frames_share(f)->apps,
                j);
}

static const component_t frames_row = {.name = "frames",
                                       .stage = STAGE_OBSERVERS,
                                       .options = observe_groups,
                                       .init = frames_init,
                                       .stats = frames_stats,
                                       .json = frames_row_json};

/* ---- the timeline ---- */

static int timeline_init(void *block, err_t *e) {
  timeline_t *t = block;
  (void)e;
  t->next = t->cut_at = UINT64_MAX;
  return GMMU_OK;
}
static void timelines_fini(void *block) { timeline_fini(block); }
static void timeline_settle(void *block) {
  timeline_t *t = block;
  if (t->on) timeline_stop(t);
}

static void line_seen(void *block, uint32_t request) { timeline_line(block, request); }
static void translation_seen(void *block, uint32_t xlat) { timeline_translation(block, xlat); }
static void l2_seen(void *block, uint32_t request, l2_outcome_t how) {
  static const uint8_t kind[] = {[L2_HIT] = SPAN_L2_HIT,
                                 [L2_MISSED] = SPAN_L2_MISS,
                                 [L2_JOINED] = SPAN_L2_JOINED,
                                 [L2_BYPASSED] = SPAN_L2_BYPASS};
  timeline_l2(block, request, (span_kind_t)kind[how]);
}
static const hooks_t *timeline_hooks(const void *block) {
  static const hooks_t hooks = {
      .line_done = line_seen, .translated = translation_seen, .l2_looked_up = l2_seen};
  return ((const timeline_t *)block)->on ? &hooks : NULL;
}

static const component_t timeline_row = {.name = "timeline",
                                         .stage = STAGE_OBSERVERS,
                                         .init = timeline_init,
                                         .fini = timelines_fini,
                                         .hooks = timeline_hooks,
                                         .settle = timeline_settle};
