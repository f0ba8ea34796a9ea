/* Builds a machine from its configuration and takes it down; the run is in run.c. */
#include "gpu/gpu.h"
#include "base/pow2.h"
#include "gpu/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory for the machine"); }

/* ---- memory manager ---- */

static uint32_t frame_channel(const void *ctx, uint64_t large_frame) {
  const gpu_t *g = ctx;
  return addrmap_place(&g->map, large_frame * g->spec.memory.large_bytes).slice >>
         g->map.slice_shift;
}

static mm_cac_t cac_spec(const memory_spec_t *m) {
  mm_copy_t copy = strcmp(m->cac, "cac-bc") == 0  ? MM_COPY_BULK
                   : strcmp(m->cac, "ideal") == 0 ? MM_COPY_FREE
                                                  : MM_COPY_DRAM;
  return (mm_cac_t){strcmp(m->cac, "none") != 0, copy, m->splinter_below};
}

/* A large frame is in one memory channel if the map leaves it whole. */
static int init_memory(gpu_t *g, err_t *e) {
  const memory_spec_t *m = &g->spec.memory;
  bool whole = strcmp(g->spec.map.kind, "frame") == 0 &&
               m->large_bytes <= 1ull << (g->map.line_shift + g->map.chunk_shift);
  int rc = colours_deal(&g->spec, g->apps, &g->colours.of, e);
  if (rc < 0) return rc;
  mm_spec_t spec = {.manager = m->manager,
                    .memory_bytes = m->memory_bytes,
                    .base_bytes = m->base_bytes,
                    .large_bytes = m->large_bytes,
                    .va_bits = m->va_bits,
                    .level_bits = m->level_bits,
                    .spaces = g->apps,
                    .channel = whole ? frame_channel : NULL,
                    .channel_ctx = g,
                    .channels = g->map.channels,
                    .cac = cac_spec(m),
                    .fragments = {m->fragment_index, m->fragment_occupancy, m->fragment_seed},
                    .colours = g->colours.of};
  rc = mm_new(&spec, &g->mm, e);
  if (rc < 0) return rc;
  g->page_shift = mm_base_shift(g->mm);
  g->large_pages_shift = mm_large_shift(g->mm) - g->page_shift;
  g->moves.free = cac_spec(m).copy == MM_COPY_FREE;
  link_init(&g->link, &g->spec.link, g->spec.core.clock_mhz);
  return paging_init(g, e);
}

/* ---- applications and their SMs ---- */

bool gpu_all_sms(const share_spec_t *s) { return strcmp(s->mode, "space") != 0; }

static int init_turn(gpu_t *g, const app_t *p, uint32_t sms, err_t *e) {
  if (!sms || sms == p->sms) return GMMU_OK;
  return err_set(e, GMMU_ERANGE,
                 "application %s wants %u SMs; with share.mode=%s it has all %u in turn", p->name,
                 sms, g->spec.share.mode, p->sms);
}

/* As large as some of the SMs are of the chip, if that is said; or share.threads; or equal. */
static int init_part(gpu_t *g, app_t *p, uint32_t sms, err_t *e) {
  uint32_t percent = g->spec.share.threads;
  if (sms > p->sms)
    return err_set(e, GMMU_ERANGE, "application %s wants as much as %u SMs of %u", p->name, sms,
                   p->sms);
  if (sms && percent) {
    err_set(e, GMMU_ERANGE, "%u%% of every SM, or as much as %u of %u SMs: which of them?", percent,
            sms, p->sms);
    return err_for_key(e, "share.threads");
  }
  p->part_of = sms ? sms : percent ? percent : 1;
  p->part_whole = sms ? p->sms : percent ? 100 : g->apps;
  p->part = sm_part(&g->spec.sm, p->part_of, p->part_whole);
  return GMMU_OK;
}

static int all_sms(gpu_t *g, const app_spec_t *apps, uint32_t count, err_t *e) {
  if (!count || count > GMMU_MAX_APPS)
    return err_set(e, GMMU_ERANGE, "%u applications; at most %u", count, GMMU_MAX_APPS);
  g->apps = count;
  int rc = 0;
  for (uint32_t a = 0; a < count && rc == 0; a++) {
    app_t *p = &g->app[a];
    snprintf(p->name, sizeof p->name, "%s", apps[a].name);
    p->source = apps[a].source;
    p->sms = g->spec.core.sms;
    rc = g->sm_shared ? init_part(g, p, apps[a].sms, e) : init_turn(g, p, apps[a].sms, e);
  }
  return rc;
}

uint32_t gpu_share_begin(uint32_t sms, uint32_t shares, uint32_t i) {
  return (uint32_t)((uint64_t)sms * i / shares);
}

static int init_apps(gpu_t *g, const app_spec_t *apps, uint32_t count, err_t *e) {
  g->sm_shared = strcmp(g->spec.share.mode, "threads") == 0;
  if (gpu_all_sms(&g->spec.share)) return all_sms(g, apps, count, e);
  if (!count || count > GMMU_MAX_APPS || count > g->spec.core.sms)
    return err_set(e, GMMU_ERANGE, "%u applications on %u SMs; at most %u, and one SM each", count,
                   g->spec.core.sms, GMMU_MAX_APPS);
  g->apps = count;
  for (uint32_t a = 0; a < count; a++) {
    app_t *p = &g->app[a];
    uint32_t begin = gpu_share_begin(g->spec.core.sms, count, a);
    snprintf(p->name, sizeof p->name, "%s", apps[a].name);
    p->source = apps[a].source;
    p->first_sm = apps[a].sms ? apps[a].first_sm : begin;
    p->sms = apps[a].sms ? apps[a].sms : gpu_share_begin(g->spec.core.sms, count, a + 1) - begin;
    if (p->first_sm + p->sms > g->spec.core.sms)
      return err_set(e, GMMU_ERANGE, "application %s wants SMs %u .. %u of %u", p->name,
                     p->first_sm, p->first_sm + p->sms - 1, g->spec.core.sms);
    for (uint32_t b = 0; b < a; b++)
      if (p->first_sm < g->app[b].first_sm + g->app[b].sms &&
          g->app[b].first_sm < p->first_sm + p->sms)
        return err_set(e, GMMU_ERANGE, "applications %s and %s want the same SMs", g->app[b].name,
                       p->name);
  }
  return GMMU_OK;
}

static int init_sms(gpu_t *g, err_t *e) {
  uint32_t n = g->spec.core.sms;
  g->sm = calloc(n, sizeof *g->sm);
  g->l1 = calloc(n, sizeof *g->l1);
  g->sm_out = calloc(2 * (size_t)n, sizeof *g->sm_out);
  g->sm_stats = calloc(g->apps + 1, sizeof *g->sm_stats); /* the last: SMs that belong to nobody */
  g->l1_stats = calloc(g->apps, sizeof *g->l1_stats);
  g->l1_evicted_by = calloc((size_t)g->apps * g->apps, sizeof *g->l1_evicted_by);
  if (!g->sm || !g->l1 || !g->sm_out || !g->sm_stats || !g->l1_stats || !g->l1_evicted_by)
    return no_memory(e);
  g->sm_in = g->sm_out + n;
  g->sm_words = (n + 63) / 64;
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    rc = sm_init(&g->sm[i], &g->spec.sm, i, g->page_shift, g->map.line_shift, &g->pool, g->sm_stats,
                 g->app_lines, &g->calendar[i / 64], e);
    if (rc == 0)
      rc = l1_init(&g->l1[i], &g->spec.l1, g->spec.core.line_bytes, g->spec.memory.memory_bytes, e);
    g->sm[i].owner = (uint8_t)g->apps;
    g->sm[i].shared = g->sm_shared;
  }
  if (rc < 0 || gpu_all_sms(&g->spec.share)) return rc;
  for (uint32_t a = 0; a < g->apps; a++)
    for (uint32_t i = 0; i < g->app[a].sms; i++) g->sm[g->app[a].first_sm + i].owner = (uint8_t)a;
  return rc;
}

/* ---- translation ---- */

/* Where the SM is on the chip: the places of deactivated ones are left out when SMs are numbered.
 */
static uint32_t place_of(const core_spec_t *c, uint32_t unit, uint32_t sm) {
  if (c->swapped && sm / unit == c->swapped / unit)
    sm += unit;
  else if (c->swapped && sm / unit == c->swapped / unit + 1)
    sm -= unit;
  uint32_t place = 0;
  for (uint32_t active = 0;; place++)
    if (place >= 64 || !(c->disabled >> place & 1))
      if (active++ == sm) return place;
}

/* Which instance of level `l` an SM uses. Groups of the first level are adjacent SMs (the flow of
 * translations counts on it); behind it SMs share by their places. */
static uint32_t instance_of(const gpu_spec_t *s, uint32_t l, uint32_t sm) {
  const tlb_spec_t *t = &s->tlb_level[l];
  uint32_t unit = s->tlb_level[0].group ? s->tlb_level[0].group : s->core.sms;
  if (l == 0) return t->group ? sm / t->group : 0;
  uint32_t place = place_of(&s->core, unit, sm);
  return t->deal ? place / unit % t->deal : t->group ? place / t->group : 0;
}

static int init_level(gpu_t *g, uint32_t l, err_t *e) {
  tlb_level_t *t = &g->level[l];
  t->spec = g->spec.tlb_level[l];
  t->instances = gpu_spec_tlbs(&g->spec, l);
  t->stats = calloc(g->apps, sizeof *t->stats);
  t->evicted_by = calloc((size_t)g->apps * g->apps, sizeof *t->evicted_by);
  t->of_sm = calloc(g->spec.core.sms, sizeof *t->of_sm);
  if (!t->stats || !t->evicted_by || !t->of_sm) return no_memory(e);
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    t->of_sm[i] = (uint16_t)instance_of(&g->spec, l, i);
  if (l >= g->levels) { /* not there: only its zeroes are, for the series */
    t->instances = 0;
    return GMMU_OK;
  }
  t->at = calloc(t->instances, sizeof *t->at);
  if (!t->at) return no_memory(e);
  int rc = 0;
  for (uint32_t i = 0; i < t->instances && rc == 0; i++)
    rc = tlb_instance_init(&t->at[i], &t->spec, g->large_pages_shift, e);
  return rc;
}

void gpu_note_hooks(gpu_t *g) {
  g->fill_hooks = g->fill->allow || g->fill->probe || g->fill->looked_up;
  g->peer_hooks = g->translate && g->peer->next;
  g->peer_takes = g->peer_hooks && g->peer->take;
  g->peer_watch = g->translate && g->spec.peer.oracle;
  g->l2_hooks = g->l2_policy->decide || g->l2_policy->outcome || g->colours.watch || g->tracing;
  g->look_hooks = g->peer_watch || g->observe.pages || g->tracing || g->paging.evicts;
  g->walk_hooks = g->observe.walks || g->tracing;
  g->l1_plain = g->spec.l1.ports == 1 && cache_has_rows(&g->l1[0].array, L1_PLAIN_WAYS);
  g->l2_plain = !g->l2_hooks && cache_has_rows(&g->slice[0].array, L2_PLAIN_WAYS);
  const walk_spec_t *w = &g->spec.walk;
  g->walk_short = !g->walk_hooks && !w->pwc && !w->hop_cycles && !w->fixed_cycles && g->map.table;
  for (uint32_t l = 0; l < g->levels; l++)
    g->level[l].short_fill = g->level[l].at[0].array.plain && !g->fill_hooks && !g->peer_hooks;
}

static bool peer_holds(const void *owner, uint32_t tlb, const peer_page_t *p) {
  const gpu_t *g = owner;
  return tlb_has_entry(&g->level[0].at[tlb].array, p->asid, p->vpn, p->large);
}

static peer_env_t peer_env(const gpu_t *g) {
  const tlb_spec_t *l1 = &g->level[0].spec;
  return (peer_env_t){.spec = &g->spec.peer,
                      .tlbs = g->level[0].instances,
                      .entries = l1->entries,
                      .lookup_cycles = l1->latency_cycles,
                      .reach_shift = (uint32_t)__builtin_ctz(l1->reach),
                      .large_pages_shift = g->large_pages_shift,
                      .large = l1->large_entries != 0,
                      .stats = g->peer_stats,
                      .owner = g,
                      .holds = peer_holds};
}

static int init_peers(gpu_t *g, err_t *e) {
  uint32_t n = g->level[0].instances + 1;
  g->peer_port = calloc((size_t)n * PEER_PORTS, sizeof *g->peer_port);
  g->peer_stats = calloc(g->apps, sizeof *g->peer_stats);
  g->peer_seen = calloc(n, sizeof *g->peer_seen);
  if (!g->peer_port || !g->peer_stats || !g->peer_seen) return no_memory(e);
  for (uint32_t i = 0; i < n * PEER_PORTS; i++) g->peer_port[i].width = g->spec.peer.ports;
  return GMMU_OK;
}

static int init_policies(gpu_t *g, err_t *e) {
  const tlb_level_t *last = g->levels ? &g->level[g->levels - 1] : NULL;
  fill_env_t fe = {.sms = g->spec.core.sms,
                   .warps = g->spec.sm.warps,
                   .apps = g->apps,
                   .levels = g->levels,
                   .instances = last ? last->instances : 0,
                   .large_pages_shift = last && last->spec.large_entries ? g->large_pages_shift : 0,
                   .tokens = &g->spec.tokens};
  peer_env_t pe = peer_env(g);
  l2_env_t le = {g->apps, g->slices, mm_levels(g->mm), &g->spec.l2_bypass};
  g->fill = fill_find(g->spec.tlb.fill);
  g->peer = peer_find(g->spec.tlb.peer);
  g->l2_policy = l2_policy_find(g->spec.l2.policy);
#define STATE(ops, env, state)                                                                     \
  state = calloc(1, 1 + (ops->state_bytes ? ops->state_bytes(&env) : 0));                          \
  if (!state) return no_memory(e);                                                                 \
  if (ops->init) ops->init(state, &env)
  STATE(g->fill, fe, g->fill_state);
  STATE(g->peer, pe, g->peer_state);
  STATE(g->l2_policy, le, g->l2_policy_state);
#undef STATE
  gpu_note_hooks(g);
  return GMMU_OK;
}

static int init_translation(gpu_t *g, err_t *e) {
  g->levels = g->spec.tlb.levels;
  g->translate = g->levels && !g->spec.tlb.ideal;
  int rc = 0;
  for (uint32_t l = 0; l < TLB_MAX_LEVELS && rc == 0; l++) rc = init_level(g, l, e);
  if (rc < 0) return rc;
  uint32_t misses = g->level[0].instances * g->level[0].spec.mshrs;
  uint32_t words = g->level[0].spec.group ? g->level[0].spec.group : g->spec.core.sms;
  if (xlat_pool_init(&g->xlat, misses + 1, words) < 0) return no_memory(e);
  return walker_init(&g->walker, &g->spec.walk, g->apps, e);
}

/* ---- memory
 * -------------------------------------------------------------------------------------------------
 */

static int init_channel(gpu_t *g, channel_t *c, err_t *e) {
  c->capacity =
      g->spec.l2.mshrs * g->spec.l2.slices + g->spec.dram.queue + g->spec.dram.write_queue;
  c->next = UINT64_MAX;
  c->bit = 1ull << (c - g->channel);
  c->delay = g->spec.l2.latency_cycles + g->spec.l2.dram_hop_cycles;
  c->special = g->map.hash || g->quota.on;
  return dram_new(&g->spec.dram, g->spec.core.clock_mhz, c->capacity + 64 + MOVE_LINES, &c->dram,
                  e);
}

/* The channels an application's memory lies in: all, or its share of them, those that an equal
 * division leaves over being nobody's. */
static int init_map(gpu_t *g, err_t *e) {
  g->channels = g->spec.dram.channels;
  bool divided = g->spec.map.partition;
  uint32_t slices = g->spec.l2.slices, own = divided ? g->channels / g->apps : g->channels;
  if (!own) {
    err_set(e, GMMU_ERANGE, "%u memory channels cannot be divided between %u applications",
            g->channels, g->apps);
    err_for_key(e, "map.partition");
    return GMMU_ERANGE;
  }
  uint64_t most = (uint64_t)g->spec.core.line_bytes << 32; /* request_t.local has 32 bits */
  if (g->spec.memory.memory_bytes / own > most)
    return err_set(e, GMMU_ERANGE, "more than %llu GB in a memory channel",
                   (unsigned long long)(most >> 30));
  for (uint32_t a = 0; divided && a < g->apps; a++)
    g->first_slice[a] = (uint16_t)(a * own * slices);
  return addrmap_init(&g->map, &g->spec.map, own, slices, g->spec.dram.banks,
                      g->spec.dram.row_bytes, g->spec.core.line_bytes, e);
}

static int init_l2(gpu_t *g, err_t *e) {
  int rc = GMMU_OK;
  uint32_t line = g->spec.core.line_bytes;
  g->slices = g->channels * g->spec.l2.slices;
  g->channels_next = UINT64_MAX;
  dram_quota_init(&g->quota, &g->spec.dram, g->apps);
  if (strcmp(g->spec.map.kind, "hash") == 0)
    rc = addrmap_init_hash(&g->map, &g->spec.map, g->channels,
                           l2_sets(&g->spec.l2, g->slices, line), g->spec.memory.memory_bytes, e);
  if (rc == 0) rc = addrmap_tabulate(&g->map, g->spec.memory.memory_bytes, e);
  if (rc < 0) return rc;
  g->channel = calloc(g->channels, sizeof *g->channel);
  g->slice = calloc(g->slices, sizeof *g->slice);
  g->slice_in = calloc(2 * (size_t)g->slices, sizeof *g->slice_in);
  g->l2_stats = calloc((size_t)g->apps * CLASSES, sizeof *g->l2_stats);
  g->dram_latency = calloc((size_t)g->apps * CLASSES, sizeof *g->dram_latency);
  g->l2_evicted_by = calloc((size_t)g->apps * g->apps, sizeof *g->l2_evicted_by);
  if (!g->channel || !g->slice || !g->slice_in || !g->l2_stats || !g->dram_latency ||
      !g->l2_evicted_by)
    return no_memory(e);
  g->slice_out = g->slice_in + g->slices;
  for (uint32_t i = 0; i < g->slices && rc == 0; i++)
    rc = l2_slice_init(&g->slice[i], &g->spec.l2, g->slices, line, g->spec.memory.memory_bytes, e);
  for (uint32_t i = 0; i < g->channels && rc == 0; i++) rc = init_channel(g, &g->channel[i], e);
  return rc;
}

/* Requests that can exist at once: lines of the SMs, walk reads, write-backs on their way to DRAM,
 * lines of pages that move. */
static int init_pools(gpu_t *g, err_t *e) {
  uint32_t lines = g->spec.core.sms * g->spec.sm.lsu_lines, walks = g->spec.walk.threads;
  uint32_t capacity =
      g->spec.l2.mshrs * g->spec.l2.slices + g->spec.dram.queue + g->spec.dram.write_queue + 64;
  uint32_t writes = g->spec.dram.channels * capacity;
  uint32_t misses = g->spec.core.sms * g->spec.tlb_level[0].mshrs;
  if (request_pool_init(&g->pool, lines + walks + writes + MOVE_LINES) < 0) return no_memory(e);
  uint32_t events =
      lines + 2 * walks + misses + g->slices * 2 + g->spec.core.sms * 5 + GMMU_MAX_APPS + 64;
  events += paging_events(&g->spec.memory);
  if (engine_init(&g->ev, events) < 0) return no_memory(e);
  return GMMU_OK;
}

/* ---- the whole
 * --------------------------------------------------------------------------------------------------
 */

/* Flits of a packet and bursts of an access, for each set of sectors. */
static void init_sizes(gpu_t *g) {
  uint32_t burst = g->spec.dram.bus_bytes * g->spec.dram.burst_length;
  for (uint32_t m = 0; m < 256; m++) {
    uint32_t bytes = SECTOR_BYTES * (uint32_t)__builtin_popcount(m);
    g->flits[m] = (uint8_t)noc_flits(&g->spec.noc, bytes);
    g->ask[m] = g->flits[0];
    if (g->spec.noc.sector_packets && m) {
      uint32_t n = (uint32_t)__builtin_popcount(m);
      g->ask[m] = (uint8_t)(n * g->flits[0]);
      g->flits[m] = (uint8_t)(n * noc_flits(&g->spec.noc, SECTOR_BYTES));
    }
    g->bursts[m] = (uint8_t)((bytes + burst - 1) / burst);
  }
}

#define HOST_BYTES_MAX (4ull << 30)

/* Host memory a configuration asks for, as far as options can make it large: requests, tags, TLB
 * entries. */
static uint64_t host_bytes(const gpu_spec_t *s) {
  uint64_t sms = s->core.sms, slices = (uint64_t)s->dram.channels * s->l2.slices;
  uint64_t n =
      sms * (s->sm.lsu_lines * 96ull + s->l1.bytes / s->core.line_bytes * 20 + s->l1.mshrs * 80ull);
  n += s->l2.bytes / s->core.line_bytes * 20 + slices * s->l2.mshrs * 400ull;
  for (uint32_t l = 0; l < s->tlb.levels; l++) {
    const tlb_spec_t *t = &s->tlb_level[l];
    n += gpu_spec_tlbs(s, l) *
         (t->entries * (60ull + 8 * t->reach) + t->large_entries * 60ull + t->mshrs * 300ull);
  }
  return n;
}

static int check_spec(const gpu_spec_t *s, err_t *e) {
  if (s->core.sms > GPU_MAX_SMS) return err_set(e, GMMU_ERANGE, "at most %u SMs", GPU_MAX_SMS);
  if (s->core.line_bytes & (s->core.line_bytes - 1)) {
    err_set(e, GMMU_ERANGE, "a line of %u bytes: 64, 128 or 256", s->core.line_bytes);
    return err_for_key(e, "gpu.line");
  }
  if (s->sm.threads < s->sm.warps) return err_set(e, GMMU_ERANGE, "sm.threads is below sm.warps");
  if (s->tlb_level[0].hop_cycles)
    return err_set(
        e, GMMU_ERANGE,
        "l1tlb.hop must be 0: the first level is in the SM (sm.lsu_latency is the way to it)");
  uint32_t unit = s->tlb_level[0].group ? s->tlb_level[0].group : s->core.sms;
  if (s->core.swapped && s->core.swapped / unit + 2 > s->core.sms / unit)
    return err_set(e, GMMU_ERANGE, "gpu.swapped is %u, but there is no l1tlb group behind it",
                   s->core.swapped);
  if (s->tlb_level[0].deal)
    return err_set(e, GMMU_ERANGE,
                   "l1tlb.deal must be 0: SMs that share a first level are "
                   "neighbours (l1tlb.group)");
  if (host_bytes(s) > HOST_BYTES_MAX)
    return err_set(e, GMMU_ERANGE,
                   "this machine would take about %llu MB of host memory, at most %llu are "
                   "allowed: see gpu.sms, sm.lsu_lines, l2.mshrs and the TLBs' entries and mshrs",
                   (unsigned long long)(host_bytes(s) >> 20),
                   (unsigned long long)(HOST_BYTES_MAX >> 20));
  if (s->dram.bus_bytes * s->dram.burst_length > s->core.line_bytes)
    return err_set(e, GMMU_ERANGE, "a DRAM burst of %u bytes is longer than a line",
                   s->dram.bus_bytes * s->dram.burst_length);
  return GMMU_OK;
}

static int gpu_init(gpu_t *g, const app_spec_t *apps, uint32_t count, err_t *e) {
  int rc = check_spec(&g->spec, e);
  if (rc == 0) rc = init_apps(g, apps, count, e);
  if (rc == 0) rc = init_map(g, e);
  if (rc == 0) rc = init_memory(g, e);
  init_sizes(g);
  if (rc == 0) rc = init_l2(g, e);
  if (rc == 0) rc = colours_init(g, e);
  if (rc == 0) rc = init_pools(g, e);
  if (rc == 0) rc = init_sms(g, e);
  if (rc == 0) rc = turns_init(g, e);
  if (rc == 0) rc = init_translation(g, e);
  if (rc == 0) rc = init_peers(g, e);
  if (rc == 0) rc = observe_init(g, e);
  if (rc == 0) rc = init_policies(g, e);
  if (rc == 0 && series_init(&g->series, g->apps, g->spec.run.series_cycles) < 0) rc = no_memory(e);
  g->next_series = g->spec.run.series_cycles;
  g->next_epoch = g->spec.run.epoch_cycles;
  gpu_note_boundary(g);
  return rc == 0 ? apps_start(g, e) : rc;
}

int gpu_new(const gpu_spec_t *spec, const app_spec_t *apps, uint32_t count, gpu_t **out, err_t *e) {
  *out = NULL;
  gpu_t *g = calloc(1, sizeof *g);
  if (!g) return no_memory(e);
  g->spec = *spec;
  int rc = gpu_init(g, apps, count, e);
  if (rc < 0)
    gpu_free(g);
  else
    *out = g;
  return rc;
}

static void free_level(tlb_level_t *t) {
  for (uint32_t i = 0; t->at && i < t->instances; i++) tlb_instance_fini(&t->at[i]);
  free(t->at);
  free(t->stats);
  free(t->evicted_by);
  free(t->of_sm);
}

static void free_memory_side(gpu_t *g) {
  for (uint32_t i = 0; g->slice && i < g->slices; i++) l2_slice_fini(&g->slice[i]);
  for (uint32_t i = 0; g->channel && i < g->channels; i++) {
    dram_free(g->channel[i].dram);
  }
  addrmap_fini(&g->map);
  free(g->slice);
  free(g->channel);
  free(g->slice_in);
  free(g->l2_stats);
  free(g->dram_latency);
  free(g->l2_evicted_by);
}

void gpu_free(gpu_t *g) {
  if (!g) return;
  for (uint32_t i = 0; g->sm && i < g->spec.core.sms; i++) sm_fini(&g->sm[i]);
  for (uint32_t i = 0; g->l1 && i < g->spec.core.sms; i++) l1_fini(&g->l1[i]);
  for (uint32_t a = 0; a < g->apps; a++) sm_code_fini(&g->app[a].code);
  turns_fini(g);
  free(g->sm);
  free(g->l1);
  free(g->sm_out);
  free(g->sm_stats);
  free(g->l1_stats);
  free(g->l1_evicted_by);
  for (uint32_t l = 0; l < TLB_MAX_LEVELS; l++) free_level(&g->level[l]);
  xlat_pool_fini(&g->xlat);
  walker_fini(&g->walker);
  free_memory_side(g);
  colours_fini(g);
  free(g->fill_state);
  free(g->peer_state);
  free(g->peer_port);
  free(g->peer_stats);
  free(g->peer_seen);
  free(g->l2_policy_state);
  series_fini(&g->series);
  observe_fini(g);
  trace_free(g->trace);
  request_pool_fini(&g->pool);
  engine_fini(&g->ev);
  mm_actions_fini(&g->actions);
  moves_fini(&g->moves);
  paging_fini(&g->paging);
  mapped_fini(&g->mapped);
  mm_free(g->mm);
  free(g);
}

uint64_t gpu_cycles(const gpu_t *g) { return g->ev.now; }
uint32_t gpu_app_runs(const gpu_t *g, uint32_t app) { return g->app[app].runs; }
const mm_t *gpu_memory(const gpu_t *g) { return g->mm; }

uint64_t gpu_instructions(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->apps; a++) n += g->sm_stats[a].warp_instructions;
  return n;
}

uint64_t gpu_requests(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->apps; a++) n += g->sm_stats[a].lines + g->walker.stats[a].reads;
  return n;
}
