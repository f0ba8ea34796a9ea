/* What a run measured, for those who read: configuration, lists, and the figures of tables. */
#include "gpu/stats.h"
#include "base/opt.h"
#include "gpu/machine.h"
#include <stdio.h>
#include <string.h>

void gpu_stalls_json(json_t *j) {
  static const char *const kind[] = {"other", "translation", "data"};
  json_begin_array(j);
  for (uint32_t i = 0; i < STALLS; i++) {
    json_begin_object(j);
    json_key(j, "name"), json_str(j, stall_names[i]);
    json_key(j, "help"), json_str(j, stall_help[i]);
    json_key(j, "kind"), json_str(j, kind[stall_kinds[i]]);
    json_end_object(j);
  }
  json_end_array(j);
}

void gpu_config_json(const gpu_spec_t *spec, json_t *j) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t copy = *spec;
  gpu_spec_groups(&copy, groups);
  opt_json(groups, j);
}

bool gpu_same_machine(const gpu_spec_t *a, const gpu_spec_t *b) {
  json_t x, y;
  json_init(&x), json_init(&y);
  gpu_config_json(a, &x), gpu_config_json(b, &y);
  bool same = !x.out.failed && !y.out.failed && !strcmp(strbuf_text(&x.out), strbuf_text(&y.out));
  json_fini(&x), json_fini(&y);
  return same;
}

/* ---- where a counter is declared ---- */

/* A group's places: "apps[].walk", "apps[].l2.data, .translation", "apps[].l1tlb .. l4tlb". */
static bool group_has(const char *places, const char *path, size_t size) {
  size_t first = strcspn(places, ", "), stem = first;
  while (stem && places[stem - 1] != '.') stem--;
  if (strncmp(places + first, " .. l", 5) == 0) {
    const char *last = places + first + 5; /* "4tlb" */
    return size == first && !strncmp(places, path, stem + 1) && path[stem] == 'l' &&
           path[stem + 1] >= places[stem + 1] && path[stem + 1] <= *last &&
           !strncmp(path + stem + 2, last + 1, size - stem - 2);
  }
  if (size == first && strncmp(places, path, size) == 0) return true;
  for (const char *p = places + first; (p = strstr(p, ", .")); p++) {
    size_t other = strcspn(p + 3, ",");
    if (size == stem + other && !strncmp(places, path, stem) && !strncmp(p + 3, path + stem, other))
      return true;
  }
  return false;
}

static const stat_desc_t *find_in(const stat_desc_t *list, const char *name, size_t size) {
  for (; list->name; list++)
    if (strlen(list->name) == size && strncmp(list->name, name, size) == 0) return list;
  return NULL;
}

static const stat_desc_t *find_path(const char *path, size_t size) {
  size_t dot = size;
  while (dot && path[dot - 1] != '.') dot--;
  const stat_group_t *x;
  const stat_desc_t *d;
  for (uint32_t i = 0; dot && (x = gpu_stat_group(i)); i++)
    if (group_has(x->path, path, dot - 1) && (d = find_in(x->list, path + dot, size - dot)))
      return d;
  return NULL;
}
const stat_desc_t *gpu_stat_find(const char *path) { return find_path(path, strlen(path)); }

const char *gpu_stat_unit(const stat_desc_t *d) {
  if (d->unit) return d->unit;
  const stat_desc_t *of = find_path(d->help, strcspn(d->help, " "));
  return of ? of->unit : NULL;
}

bool gpu_stat_help(const stat_desc_t *d, strbuf_t *out) {
  if (d->unit) {
    strbuf_str(out, d->help);
    return true;
  }
  for (const char *path = d->help; *path;) {
    size_t size = strcspn(path, " ");
    const stat_desc_t *of = find_path(path, size);
    if (!of || !of->unit || strcmp(of->unit, gpu_stat_unit(d)) != 0) return false;
    strbuf_printf(out, "%s%s", path == d->help ? "" : "; and: ", of->help);
    path += size;
    path += strspn(path, " +");
  }
  return true;
}

void gpu_stats_list(table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "where", TABLE_LEFT);
  table_column(&t, "name", TABLE_KEY);
  table_column(&t, "unit", TABLE_LEFT);
  table_column(&t, "meaning", TABLE_LEFT);
  const stat_group_t *x;
  for (uint32_t i = 0; (x = gpu_stat_group(i)); i++)
    for (const stat_desc_t *d = x->list; d->name; d++) {
      table_cell(&t, x->path);
      table_cell(&t, d->name);
      strbuf_t help;
      strbuf_init(&help);
      gpu_stat_help(d, &help);
      table_cell(&t, gpu_stat_unit(d));
      table_cell(&t, strbuf_text(&help));
      strbuf_fini(&help);
    }
  table_render(&t, style, out);
  table_fini(&t);
}

void gpu_summary(const gpu_t *g, uint32_t a, gpu_summary_t *o) {
  const sm_stats_t *s = &g->cores.stats[a];
  const cache_stats_t *l2 = &g->l2.stats[a * CLASSES + CLASS_DATA];
  const hist_t *dram = &g->dram.latency[a * CLASSES + CLASS_DATA];
  *o = (gpu_summary_t){
      .first_sm = g->share.app[a].first_sm,
      .sms = g->share.app[a].sms,
      .part_of = g->share.app[a].part_of,
      .part_whole = g->share.app[a].part_whole,
      .chip_sms = g->spec.core.sms,
      .instructions = s->warp_instructions,
      .cycles = g->ev.now,
      .complete_instructions = g->share.app[a].complete_instructions,
      .complete_cycles = g->share.app[a].complete_cycles,
      .l1tlb_lookups = g->tlb.level[0].stats[a].lookups,
      .l1tlb_misses = g->tlb.level[0].stats[a].misses,
      .l2tlb_lookups = g->tlb.level[1].stats[a].lookups,
      .l2tlb_misses = g->tlb.level[1].stats[a].misses,
      .l1tlb_primary = g->tlb.level[0].stats[a].primary_misses,
      .l2tlb_primary = g->tlb.level[1].stats[a].primary_misses,
      .l1tlb_remote = g->peers.stats[a].remote_lookups,
      .l1tlb_cycles = g->tlb.level[0].stats[a].latency.sum +
                      g->tlb.level[0].stats[a].hits * g->tlb.level[0].spec.latency_cycles,
      .peers = g->peers.hooks,
      .walks = g->walker.stats[a].walks,
      .walk_cycles = g->walker.stats[a].latency.sum,
      .walk_queue_cycles = g->walker.stats[a].queue_cycles,
      .walk_active_cycles = g->walker.stats[a].active_cycles,
      .token_cycles = tlb_fill_stats(&g->tlb, a).token_cycles,
      .warps_stalled = g->walker.stats[a].warps_stalled,
      .l1_accesses = g->l1.stats[a].accesses,
      .l1_hits = g->l1.stats[a].hits,
      .l2_accesses = l2->accesses,
      .l2_hits = l2->hits,
      .fetches = dram->count,
      .fetch_cycles =
          dram->sum + dram->count * (g->spec.l2.latency_cycles + g->spec.l2.dram_hop_cycles),
      .link_bytes = g->link.stats[a].bytes_in + g->link.stats[a].bytes_out,
      .l1tlb_evictions = g->tlb.level[0].stats[a].evictions,
      .slot_cycles = s->slot_cycles,
      .warp_cycles = s->slot_cycles - s->stall[STALL_EMPTY] - s->stall[STALL_TURN],
      .windows = g->sampling.windows,
      .skipped = g->sampling.forwarded[a]};
  for (uint32_t i = 0; g->sampling.windows && i < WINDOW_RATIOS_COUNT; i++)
    sampling_estimate(&g->sampling, a, i, &o->estimate[i]);
  if (g->sampling.windows) {
    const char *name;
    o->unseen = sampling_unseen(&g->sampling, a, &name);
    if (name) snprintf(o->unseen_kernel, sizeof o->unseen_kernel, "%s", name);
    o->all = sampling_instructions(&g->sampling, a);
  }
  for (uint32_t l = 1; l < TLB_MAX_LEVELS; l++)
    o->further_evictions += g->tlb.level[l].stats[a].evictions;
  memcpy(o->stall, s->stall, sizeof o->stall);
  for (uint32_t i = 0; i < STALLS; i++) {
    if (stall_kinds[i] == STALLED_BY_TRANSLATION) o->translation_stalls += s->stall[i];
    if (stall_kinds[i] == STALLED_BY_DATA) o->memory_stalls += s->stall[i];
  }
  for (uint32_t c = 0; c < CLASSES; c++) {
    dram_stats_t d;
    channels_sum(&g->dram, a, c == CLASS_WALK ? DRAM_WALK : DRAM_DATA, &d);
    o->dram_bytes += d.read_bytes + d.write_bytes;
    if (c == CLASS_WALK) o->walk_dram_bytes = d.read_bytes;
    if (c == CLASS_WALK) continue;
    o->dram_data_bytes = d.read_bytes + d.write_bytes;
    o->row_accesses = d.reads + d.writes;
    o->row_hits = d.row_hits;
  }
}

const figure_t figures[FIGURES] = {
#define FIGURE(n, column, title, percent, p, w, point_part, point_whole, help)                     \
  {                                                                                                \
      #n,                                                                                          \
      column,                                                                                      \
      title,                                                                                       \
      percent,                                                                                     \
      offsetof(gpu_summary_t, p),                                                                  \
      offsetof(gpu_summary_t, w),                                                                  \
      point_part,                                                                                  \
      point_whole,                                                                                 \
      help},
#include "gpu/figures.def"
#undef FIGURE
};

static uint64_t member(const gpu_summary_t *s, size_t offset) {
  return *(const uint64_t *)(const void *)((const char *)s + offset);
}
uint64_t figure_part(const figure_t *f, const gpu_summary_t *s) {
  return member(s, f->part) * (f->percent ? 100 : 1);
}
uint64_t figure_whole(const figure_t *f, const gpu_summary_t *s) { return member(s, f->whole); }

void gpu_figures_json(json_t *j) {
  json_begin_array(j);
  for (const figure_t *f = figures; f < figures + FIGURES; f++) {
    if (!*f->point_part) continue;
    json_begin_object(j);
    json_key(j, "name"), json_str(j, f->name);
    json_key(j, "title"), json_str(j, f->title);
    json_key(j, "help"), json_str(j, f->help);
    json_key(j, "part"), json_str(j, f->point_part);
    json_key(j, "whole"), json_str(j, f->point_whole);
    json_key(j, "share"), json_bool(j, f->percent);
    json_end_object(j);
  }
  json_end_array(j);
}

static uint32_t permille(uint64_t part, uint64_t whole) {
  return part >= whole ? 1000 : (uint32_t)(part * 1000 / whole);
}

/* How much of its first execution an application has behind it: of all of it if its source knows
 * how much that is, else of the kernel at work, whose number is then in *kernel. */
static uint32_t execution_permille(const gpu_t *g, uint32_t a, uint64_t *kernel) {
  const app_t *p = &g->share.app[a];
  const kernel_t *oldest = p->running ? p->kernel[p->order[0]] : NULL;
  uint64_t work = source_work(p->source);
  *kernel = work ? 0 : p->launches;
  return work     ? permille(g->cores.stats[a].warp_instructions + g->sampling.forwarded[a], work)
         : oldest ? permille(oldest->next_block - oldest->blocks_running, oldest->blocks)
                  : 1000;
}

uint32_t gpu_progress_permille(const gpu_t *g, const gpu_limits_t *limits, uint64_t *kernel) {
  uint32_t cycles = limits->cycles ? permille(g->ev.now, limits->cycles) : 0;
  uint32_t insts = limits->instructions ? permille(gpu_instructions(g), limits->instructions) : 0;
  uint32_t least = 1000;
  *kernel = 0;
  if (limits->cycles || limits->instructions) return cycles > insts ? cycles : insts;
  if (limits->min_cycles) least = permille(g->ev.now, limits->min_cycles);
  for (uint32_t a = 0; a < share_awaited(&g->share, limits); a++) {
    uint64_t of;
    uint32_t share = execution_permille(g, a, &of);
    if (g->share.app[a].runs || share > least) continue;
    least = share;
    *kernel = of;
  }
  return least;
}
