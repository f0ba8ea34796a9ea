/* The rows of the TLBs, of the translations under way and of the peers. */
#include "tlb/peers.h"
#include "tlb/xlat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- TLBs ---- */

static const opt_t tlb_system_options[] = {
    {"levels", OPT_U32, offsetof(tlb_system_spec_t, levels), 0, TLB_MAX_LEVELS, 2, "levels",
     "TLB levels; 0: none, no translation", NULL, NULL},
    {"ideal", OPT_BOOL, offsetof(tlb_system_spec_t, ideal), 0, 1, 0, "",
     "every first-level look-up hits, at its latency and ports", NULL, NULL},
    {"fill", OPT_NAME, offsetof(tlb_system_spec_t, fill), 0, 0, 0, "", "fill policy", fill_name,
     "all"},
    {"peer", OPT_NAME, offsetof(tlb_system_spec_t, peer), 0, 0, 0, "", "peer look-up", peer_name,
     "none"},
    {"speculate", OPT_NAME, offsetof(tlb_system_spec_t, speculate), 0, 0, 0, "",
     "who guesses the frame of a load that misses the first level", speculate_name, "none"},
    {"victim", OPT_NAME, offsetof(tlb_system_spec_t, victim), 0, 0, 0, "",
     "who keeps what a first-level TLB displaces", victim_name, "none"},
    {"format", OPT_NAME, offsetof(tlb_system_spec_t, format), 0, 0, 0, "",
     "what an entry for base pages holds, and how pages share it", tlb_format_name, "plain"},
    {0},
};
static const option_group_t tlb_groups[] = {
    {"tlb", "TLB hierarchy", tlb_system_options, offsetof(gpu_spec_t, tlb)},
    {"l1tlb", "first-level TLB", tlb_options, offsetof(gpu_spec_t, tlb_level[0])},
    {"l2tlb", "second-level TLB", tlb_options, offsetof(gpu_spec_t, tlb_level[1])},
    {"l3tlb", "third-level TLB", tlb_options, offsetof(gpu_spec_t, tlb_level[2])},
    {"l4tlb", "fourth-level TLB", tlb_options, offsetof(gpu_spec_t, tlb_level[3])},
    {"latpc", "groups of pages: l1tlb.mshr_format=latpc and walk.policy=latpc", latpc_options,
     offsetof(gpu_spec_t, latpc)},
    {"intlb", "in-TLB MSHRs: l2tlb.mshr_format=intlb", intlb_options, offsetof(gpu_spec_t, intlb)},
    {"tokens", "the fill policy tlb.fill=tokens", tokens_options, offsetof(gpu_spec_t, tokens)},
    {"cast", "the speculation tlb.speculate=cast", cast_options, offsetof(gpu_spec_t, cast)},
    {"scratch", "idle scratchpad as a victim TLB: tlb.victim=scratchpad", scratch_options,
     offsetof(gpu_spec_t, scratch)},
    {"star", "the format tlb.format=star", star_options, offsetof(gpu_spec_t, star)},
    {"colt", "the format tlb.format=colt", colt_options, offsetof(gpu_spec_t, colt)},
    {"depot", "the replacement policy depot of TLBs; other arrays have its defaults", depot_options,
     offsetof(gpu_spec_t, depot)},
    {0},
};

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
  if (t->gpc) return gpu_spec_gpc(s, sm);
  uint32_t place = place_of(&s->core, unit, sm);
  return t->deal ? place / unit % t->deal : t->group ? place / t->group : 0;
}

/* MIG: every instance of the GPU has a last level for itself. */
static void own_last_level(const tlbs_t *c, tlb_level_t *t) {
  const share_t *h = tlb_share(c);
  t->instances = h->apps;
  for (uint32_t a = 0; a < h->apps; a++)
    for (uint32_t i = 0; i < h->app[a].sms; i++) t->of_sm[h->app[a].first_sm + i] = (uint16_t)a;
}

/* The format of a level's entries; NULL: none, or what cannot be, which is in *e. */
static const tlb_format_t *level_format(const tlbs_t *c, uint32_t l, err_t *e) {
  const gpu_spec_t *s = tlb_spec(c);
  const tlb_format_t *f = tlb_format_find(s->tlb.format);
  if (format_is_plain(f) || (!f->all_levels && l + 1 != c->levels)) return NULL;
  if (f->all_levels && s->tlb_level[l].reach > 1) return NULL; /* it has sub-entries */
  if (!f->all_levels && l == 0)
    err_set(e, GMMU_ERANGE, "tlb.format=%s is for a last level behind the first (tlb.levels is %u)",
            f->name, c->levels);
  else if (l == 0 && peer_find(s->tlb.peer)->next)
    err_set(e, GMMU_ERANGE,
            "tlb.format=%s and tlb.peer=%s both say what a first-level entry holds: choose one",
            f->name, s->tlb.peer);
  return f;
}

static int init_level(tlbs_t *c, uint32_t l, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  tlb_level_t *t = &c->level[l];
  t->spec = spec->tlb_level[l];
  t->instances = gpu_spec_tlbs(spec, l);
  t->stats = calloc(c->apps, sizeof *t->stats);
  t->evicted_by = calloc((size_t)c->apps * c->apps, sizeof *t->evicted_by);
  t->of_sm = calloc(spec->core.sms, sizeof *t->of_sm);
  t->array_stats = calloc(c->apps, sizeof *t->array_stats);
  if (!t->stats || !t->evicted_by || !t->of_sm || !t->array_stats)
    return component_no_memory(e, "the TLBs");
  for (uint32_t i = 0; i < spec->core.sms; i++) t->of_sm[i] = (uint16_t)instance_of(spec, l, i);
  if (l && l + 1 == c->levels && mig_wanted(&spec->share) && !spec->share.mig_tlb)
    own_last_level(c, t);
  if (l >= c->levels) { /* not there: only its zeroes are, for the series */
    t->instances = 0;
    return GMMU_OK;
  }
  t->at = calloc(t->instances, sizeof *t->at);
  if (!t->at) return component_no_memory(e, "the TLBs");
  err_t wrong = {0};
  const tlb_format_t *format = c->translate ? level_format(c, l, &wrong) : NULL;
  int rc = wrong.code;
  if (rc < 0 && e) *e = wrong;
  tlb_env_t env = {
      .star = &spec->star, .colt = &spec->colt, .depot = &spec->depot, .stats = t->array_stats};
  for (uint32_t i = 0; i < t->instances && rc == 0; i++)
    rc = tlb_instance_init(&t->at[i], &t->spec, format, &env, tlb_memory(c)->large_pages_shift,
                           tlb_arrays(c), e);
  if (rc < 0) {
    char level[16];
    snprintf(level, sizeof level, "l%utlb", l + 1);
    err_for_key(e, level);
  }
  t->formatted = format;
  t->counts = rc == 0 && (format || t->at[0].array.counts);
  for (uint32_t i = 0; i < t->instances && rc == 0; i++)
    if (tlb_memory(c)->mixed) tlb_use_sizes(&t->at[i].array, tlb_memory(c)->mm);
  return rc;
}

/* ---- formats of MSHRs ---- */

static void entry_displaced(void *owner, asid_t by, asid_t whose) {
  const void *const *at = owner; /* the TLBs and the level */
  const tlbs_t *c = at[0];
  const tlb_level_t *l = at[1];
  l->stats[by].evictions++;
  l->evicted_by[by * c->apps + whose]++;
}

static int format_wrong_level(uint32_t l, const mshr_ops_t *f, err_t *e) {
  return err_set(e, GMMU_ERANGE, "l%utlb.mshr_format=%s is for %s", l + 1, f->name,
                 f->first ? "first-level TLBs" : "TLBs behind the first level");
}

static int init_format(tlbs_t *c, uint32_t l, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  tlb_level_t *t = &c->level[l];
  const mshr_ops_t *f = tlb_mshr_find(t->spec.mshr_format);
  if (!tlb_mshr_formats(f) || !c->translate) return GMMU_OK;
  if (l ? !f->behind : !f->first) return format_wrong_level(l, f, e);
  if (f->fills && t->formatted)
    return err_set(e, GMMU_ERANGE,
                   "l%utlb.mshr_format=%s takes entries, which tlb.format=%s has made its own",
                   l + 1, f->name, spec->tlb.format);
  t->format = f;
  c->format_owner[l][0] = c, c->format_owner[l][1] = t;
  for (uint32_t i = 0; i < t->instances; i++) {
    mshr_env_t env = {.mshrs = t->spec.mshrs,
                      .xlats = gpu_spec_misses(spec),
                      .array = &t->at[i].array,
                      .group = c->group,
                      .stats = c->mshr_stats,
                      .displaced = entry_displaced,
                      .owner = c->format_owner[l],
                      .latpc = &spec->latpc,
                      .intlb = &spec->intlb};
    int rc = f->fills ? tlb_allow_pins(&t->at[i].array, e) : GMMU_OK;
    if (rc < 0) return rc;
    t->at[i].format = calloc(1, f->state_bytes(&env));
    if (!t->at[i].format) return component_no_memory(e, "MSHRs");
    f->init(t->at[i].format, &env);
  }
  return GMMU_OK;
}

/* Who asks for groups of pages has detectors of them. */
static int init_formats(tlbs_t *c, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  bool groups = tlb_mshr_find(spec->tlb_level[0].mshr_format)->pages ||
                walk_policy_find(spec->walk.policy)->spared;
  c->mshr_stats = calloc(c->apps, sizeof *c->mshr_stats);
  if (!c->mshr_stats) return component_no_memory(e, "MSHRs");
  if (groups && c->translate && spec->tlb_level[0].group != 1)
    return err_set(e, GMMU_ERANGE,
                   "LATPC groups the pages of one SM's TLB: l1tlb.group is %u, not 1",
                   spec->tlb_level[0].group);
  if (groups && c->translate) {
    c->detect = calloc(spec->core.sms, sizeof *c->detect);
    c->group = calloc(gpu_spec_misses(spec), sizeof *c->group);
    if (!c->detect || !c->group) return component_no_memory(e, "groups of pages");
  }
  int rc = 0;
  for (uint32_t l = 0; l < c->levels && rc == 0; l++) rc = init_format(c, l, e);
  return rc;
}

static int init_fill(tlbs_t *c, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  const tlb_level_t *last = c->levels ? &c->level[c->levels - 1] : NULL;
  fill_env_t env = {.sms = spec->core.sms,
                    .warps = spec->sm.warps,
                    .apps = c->apps,
                    .levels = c->levels,
                    .instances = last ? last->instances : 0,
                    .large_pages_shift =
                        last && last->spec.large_entries ? tlb_memory(c)->large_pages_shift : 0,
                    .tokens = &spec->tokens};
  c->fill = fill_find(spec->tlb.fill);
  c->fill_state = calloc(1, 1 + (c->fill->state_bytes ? c->fill->state_bytes(&env) : 0));
  if (!c->fill_state) return component_no_memory(e, "the fill policy");
  if (c->fill->init) c->fill->init(c->fill_state, &env);
  return GMMU_OK;
}

static int init_speculation(tlbs_t *c, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  const speculate_ops_t *ops = speculate_find(spec->tlb.speculate);
  speculate_env_t env = {&spec->cast};
  if (!ops->guess) return GMMU_OK;
  if (!c->levels)
    return err_set(e, GMMU_ERANGE, "tlb.speculate=%s needs a TLB: without one nothing misses",
                   ops->name);
  if (strcmp(spec->memory.manager, "coloured") == 0 || mig_wanted(&spec->share))
    return err_set(e, GMMU_ERANGE,
                   "tlb.speculate=%s does not keep to a partition: a wrong guess reaches memory of "
                   "others, so it goes with neither mem.manager=coloured nor share.mode=mig",
                   ops->name);
  c->speculate_bytes = (ops->state_bytes(&env) + 15) & ~(size_t)15;
  c->speculate_state = calloc(spec->core.sms, c->speculate_bytes);
  c->speculations = calloc(c->apps, sizeof *c->speculations);
  if (!c->speculate_state || !c->speculations) return component_no_memory(e, "the speculation");
  for (uint32_t i = 0; i < spec->core.sms; i++)
    if (ops->init) ops->init((char *)c->speculate_state + i * c->speculate_bytes, &env);
  c->speculate = ops;
  return GMMU_OK;
}

/* What goes together with who keeps displaced pages. */
static int victim_fits(const tlbs_t *c, const victim_ops_t *ops, err_t *e) {
  const gpu_spec_t *s = tlb_spec(c);
  if (peer_find(s->tlb.peer)->next)
    return err_set(e, GMMU_ERANGE,
                   "tlb.victim=%s and tlb.peer=%s both answer misses of the first level before the "
                   "next one: choose one",
                   ops->name, s->tlb.peer);
  if (c->level[0].formatted)
    return err_set(e, GMMU_ERANGE,
                   "tlb.victim=%s keeps pages, and tlb.format=%s says what a first-level entry "
                   "holds: choose one",
                   ops->name, s->tlb.format);
  if (s->l1.unified)
    return err_set(e, GMMU_ERANGE,
                   "tlb.victim=%s keeps pages in scratchpad that is idle; with l1d.unified=true L1 "
                   "has what blocks leave",
                   ops->name);
  return GMMU_OK;
}

static int init_victims(tlbs_t *c, err_t *e) {
  const gpu_spec_t *spec = tlb_spec(c);
  const victim_ops_t *ops = victim_find(spec->tlb.victim);
  if (!ops->take || !c->translate) return GMMU_OK;
  int rc = victim_fits(c, ops, e);
  if (rc < 0) return rc;
  c->victims = calloc(c->apps, sizeof *c->victims);
  c->victim_port = calloc(spec->core.sms, sizeof *c->victim_port);
  victim_env_t env = {spec->sm.shared_bytes, &spec->scratch, c->victims};
  c->victim_bytes = (ops->state_bytes(&env) + 15) & ~(size_t)15;
  c->victim_state = calloc(spec->core.sms, c->victim_bytes);
  if (!c->victims || !c->victim_port || !c->victim_state)
    return component_no_memory(e, "displaced pages");
  for (uint32_t i = 0; i < spec->core.sms; i++) {
    c->victim_port[i].width = spec->scratch.ports;
    ops->init((char *)c->victim_state + i * c->victim_bytes, &env);
  }
  c->victim = ops;
  return GMMU_OK;
}

static int init_virtual_l1(tlbs_t *c, err_t *e) {
  c->virtual_l1 = tlb_spec(c)->l1.by_virtual;
  if (!c->virtual_l1) return GMMU_OK;
  if (!c->levels)
    return err_set(
        e, GMMU_ERANGE,
        "l1d.virtual=true needs a TLB behind L1: without one addresses are not translated");
  c->past = calloc(c->apps, sizeof *c->past);
  return c->past ? GMMU_OK : component_no_memory(e, "the virtual L1");
}

static int tlbs_init(void *block, err_t *e) {
  tlbs_t *c = block;
  c->apps = tlb_share(c)->apps;
  c->levels = tlb_spec(c)->tlb.levels;
  c->translate = c->levels && !tlb_spec(c)->tlb.ideal;
  c->check = tlb_spec(c)->run.check;
  c->pages_come = paging_wanted(&tlb_spec(c)->memory);
  c->pages_go = paging_evicts(&tlb_spec(c)->memory);
  int rc = 0;
  for (uint32_t l = 0; l < TLB_MAX_LEVELS && rc == 0; l++) rc = init_level(c, l, e);
  for (uint32_t l = 0; l < c->levels && rc == 0; l++) {
    const tlb_spec_t *s = &c->level[l].spec;
    c->level[l].base_cycles = s->latency_cycles << (s->serial && s->large_entries);
    c->level[l].miss_cycles = tlb_miss_cycles(c, l);
  }
  if (rc == 0) rc = init_speculation(c, e);
  if (rc == 0) rc = init_virtual_l1(c, e);
  if (rc == 0) rc = init_victims(c, e);
  const tlb_format_t *f = tlb_format_find(tlb_spec(c)->tlb.format);
  bool any = format_is_plain(f) || !c->translate;
  for (uint32_t l = 0; l < c->levels; l++) any |= c->level[l].formatted;
  if (rc == 0 && !any)
    rc = err_set(e, GMMU_ERANGE,
                 "tlb.format=%s needs a level whose entries are of one page (reach)", f->name);
  if (rc == 0) rc = init_formats(c, e);
  return rc < 0 ? rc : init_fill(c, e);
}

static void tlbs_fini(void *block) {
  tlbs_t *c = block;
  for (uint32_t l = 0; l < TLB_MAX_LEVELS; l++) {
    tlb_level_t *t = &c->level[l];
    for (uint32_t i = 0; t->at && i < t->instances; i++) {
      tlb_instance_fini(&t->at[i]);
      free(t->at[i].format);
    }
    free(t->at);
    free(t->stats);
    free(t->array_stats);
    free(t->evicted_by);
    free(t->of_sm);
  }
  free(c->fill_state);
  free(c->speculate_state);
  free(c->speculations);
  free(c->past);
  free(c->victim_state);
  free(c->victim_port);
  free(c->victims);
  free(c->detect);
  free(c->group);
  free(c->mshr_stats);
}

/* Policies, peers and victim buffers are told which pages a fill displaces. Where pages have
 * several sizes, an entry must say its own. */
static void know_victims(tlb_level_t *l) {
  for (uint32_t i = 0; i < l->instances; i++)
    if (l->at[i].array.sizes) tlb_use_keys(&l->at[i].array);
}

static void tlbs_ready(void *block) {
  tlbs_t *c = block;
  const peers_t *p = tlb_peers(c);
  c->fill_hooks = c->fill->allow || c->fill->probe || c->fill->looked_up;
  c->look_hooks = p->watch || WATCHED(c->watch.looked_up);
  c->short_answers = c->translate && !c->check && !c->pages_go && tlb_xlat(c)->words == 1 &&
                     !p->hooks && !c->speculate && !c->victim && !WATCHED(c->watch.translated);
  c->short_looks = c->translate && !p->hooks && !p->takes && !c->victim && !c->speculate &&
                   !c->detect && !c->virtual_l1 && !c->look_hooks;
  for (uint32_t l = 0; l < c->levels; l++) {
    c->level[l].short_fill = c->level[l].at[0].array.plain && !c->fill_hooks && !p->hooks &&
                             !c->level[l].format && (l || !c->victim);
    if (!c->level[l].short_fill) know_victims(&c->level[l]);
    c->short_answers &= c->level[l].short_fill;
  }
}

static void tlbs_epoch(void *block) {
  tlbs_t *c = block;
  if (c->fill->epoch) c->fill->epoch(c->fill_state, tlb_ev(c)->now);
}

static void tlbs_settle(void *block) {
  tlbs_t *c = block;
  if (c->translate || c->pages_come) tlb_settle(c);
}

static bool format_check(const tlb_level_t *l, const tlb_instance_t *t) {
  return !l->format || !l->format->check || l->format->check(t->format, t->pending.count);
}

static int tlbs_check(const void *block, err_t *e) {
  const tlbs_t *c = block;
  for (uint32_t l = 0; l < c->levels; l++)
    for (uint32_t i = 0; i < c->level[l].instances; i++)
      if (!tlb_check(&c->level[l].at[i].array) || !format_check(&c->level[l], &c->level[l].at[i]))
        return component_bad(e, "TLB", i);
  for (uint32_t i = 0; c->victim && i < tlb_cores(c)->count; i++)
    if (!c->victim->check((const char *)c->victim_state + i * c->victim_bytes))
      return component_bad(e, "displaced pages of SM", i);
  for (uint32_t a = 0; c->victim && a < c->apps; a++) {
    const victim_stats_t *v = &c->victims[a];
    CHECK_SAME(e, a, v->lookups + v->taken, c->level[0].stats[a].primary_misses);
    if (v->hits > v->lookups) return component_bad(e, "displaced pages of application", a);
  }
  for (uint32_t a = 0; a < c->apps; a++)
    for (uint32_t l = 0; l < c->levels; l++) {
      const tlb_stats_t *t = &c->level[l].stats[a];
      CHECK_SAME(e, a, t->hits + t->misses, t->lookups);
      if (t->side_hits > t->hits) return component_bad(e, "hits beside the TLB of application", a);
      if (l == 0) CHECK_SAME(e, a, t->primary_misses + t->merged_misses, t->misses);
    }
  return GMMU_OK;
}

static void tlbs_counters(void *block, counters_t *c) {
  const tlbs_t *t = block;
  for (uint32_t l = 0; l < TLB_MAX_LEVELS; l++) {
    tlb_stats_t *s = t->level[l].stats;
    counters_add(c, s, t->apps * sizeof *s);
    if (t->level[l].counts)
      counters_add(c, t->level[l].array_stats, t->apps * sizeof *t->level[l].array_stats);
    for (uint32_t a = 0; a < t->apps; a++) counters_top(c, &s[a].latency.max);
    counters_add(c, t->level[l].evicted_by, t->apps * t->apps * sizeof(uint64_t));
  }
  if (t->speculations) counters_add(c, t->speculations, t->apps * sizeof *t->speculations);
  if (t->victims) counters_add(c, t->victims, t->apps * sizeof *t->victims);
  if (t->past) counters_add(c, t->past, t->apps * sizeof *t->past);
  counters_add(c, t->mshr_stats, t->apps * sizeof *t->mshr_stats);
}

#define X(n, u, h) STAT_DESC(tlb_stats_t, n, u, h),
static const stat_desc_t tlb_list[] = {TLB_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(speculate_stats_t, n, u, h),
static const stat_desc_t speculate_list[] = {SPECULATE_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(victim_stats_t, n, u, h),
static const stat_desc_t victim_list[] = {VICTIM_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(past_stats_t, n, u, h),
static const stat_desc_t past_list[] = {PAST_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(tlb_array_stats_t, n, u, h),
static const stat_desc_t array_list[] = {TLB_ARRAY_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(fill_stats_t, n, u, h),
static const stat_desc_t fill_list[] = {FILL_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(mshr_stats_t, n, u, h),
static const stat_desc_t mshr_list[] = {MSHR_STATS(X){0}};
#undef X
static const stat_group_t tlb_groups_of_stats[] = {
    {"apps[].l1tlb .. l4tlb", "each TLB level", tlb_list},
    {"apps[].speculation", "guesses before translation; with tlb.speculate", speculate_list},
    {"apps[].victim", "what the first level displaced and its SM keeps; with tlb.victim",
     victim_list},
    {"apps[].virtual_l1", "what needed no translation; with l1d.virtual", past_list},
    {"apps[].l1tlb.array .. l4tlb.array",
     "entries and replacement of a TLB level; with tlb.format, or the replacement depot",
     array_list},
    {"apps[].mshr", "formats of MSHRs; with l1tlb.mshr_format .. l4tlb.mshr_format", mshr_list},
    {"apps[].fill", "who may fill the last TLB level; with tlb.fill=tokens", fill_list},
    {0},
};

static void level_name(char buf[8], uint32_t l) { snprintf(buf, 8, "l%utlb", (l + 1) & 15); }

static void level_json(const tlb_level_t *l, uint32_t index, uint32_t app, json_t *j) {
  char name[8];
  level_name(name, index);
  const tlb_stats_t *s = &l->stats[app];
  stat_json_begin(j, name);
  stat_json(j, s, tlb_list);
  json_key(j, "miss_rate"), json_ratio(j, s->misses, s->lookups, 6);
  json_key(j, "primary_miss_rate"), json_ratio(j, s->primary_misses, s->lookups, 6);
  hist_t h = s->latency;
  if (index == 0) hist_add_many(&h, l->spec.latency_cycles, s->hits);
  stat_json_hist(j, "latency_cycles", &h);
  if (l->counts) stat_json_object(j, "array", &l->array_stats[app], array_list);
  json_end_object(j);
}

fill_stats_t tlb_fill_stats(const tlbs_t *c, uint32_t app) {
  fill_stats_t s = {0};
  if (c->fill->stats) c->fill->stats(c->fill_state, app, tlb_ev(c)->now, &s);
  return s;
}

static void tlbs_app_json(const void *block, uint32_t app, json_t *j) {
  const tlbs_t *c = block;
  bool formats = false;
  for (uint32_t l = 0; l < c->levels; l++) {
    level_json(&c->level[l], l, app, j);
    formats |= c->level[l].format != NULL;
  }
  if (formats) stat_json_object(j, "mshr", &c->mshr_stats[app], mshr_list);
  if (c->speculate) stat_json_object(j, "speculation", &c->speculations[app], speculate_list);
  if (c->victim) stat_json_object(j, "victim", &c->victims[app], victim_list);
  if (c->virtual_l1) stat_json_object(j, "virtual_l1", &c->past[app], past_list);
  if (!c->fill->stats) return;
  fill_stats_t s = tlb_fill_stats(c, app);
  stat_json_begin(j, "fill");
  stat_json(j, &s, fill_list);
  json_key(j, "mean_tokens"), json_ratio(j, s.token_cycles, tlb_ev(c)->now, 2);
  json_end_object(j);
}

static void tlbs_evictions_json(const void *block, json_t *j) {
  const tlbs_t *c = block;
  for (uint32_t l = 0; l < c->levels; l++) {
    char name[8];
    level_name(name, l);
    stat_json_matrix(j, name, c->level[l].evicted_by, c->apps);
  }
}

static void tlbs_policies(void *block, mechanisms_t *m) {
  tlbs_t *c = block;
  policy_give(m, c->fill->own, c->fill_state);
  for (const tlb_level_t *l = c->level; l < c->level + c->levels; l++)
    for (uint32_t i = 0; i < l->instances; i++) {
      policy_give_assoc(m, &l->at[i].array.base);
      policy_give_assoc(m, &l->at[i].array.large);
      policy_give_assoc(m, &l->at[i].array.victim);
      const tlb_t *t = &l->at[i].array;
      if (!t->format) continue;
      policy_give(m, t->format->own, t->format_state);
      policy_give(m, repl_find(l->spec.replacement)->own, t->format_repl);
    }
}

static const component_t tlb_row = {.name = "TLBs",
                                    .stage = STAGE_BLOCKS,
                                    .options = tlb_groups,
                                    .init = tlbs_init,
                                    .fini = tlbs_fini,
                                    .policies = tlbs_policies,
                                    .ready = tlbs_ready,
                                    .epoch = tlbs_epoch,
                                    .settle = tlbs_settle,
                                    .check = tlbs_check,
                                    .stats = tlb_groups_of_stats,
                                    .counters = tlbs_counters,
                                    .app_json = tlbs_app_json,
                                    .evictions_json = tlbs_evictions_json,
                                    .cost = tlb_cost};

/* ---- translations under way ---- */

static int xlats_init(void *block, err_t *e) {
  xlat_pool_t *p = block;
  const tlb_level_t *first = &xlat_tlb(p)->level[0];
  uint32_t words = first->spec.group ? first->spec.group : xlat_spec(p)->core.sms;
  if (xlat_pool_init(p, gpu_spec_misses(xlat_spec(p)), words, xlat_arrays(p)) < 0)
    return component_no_memory(e, "translations");
  return GMMU_OK;
}

static const component_t xlat_row = {
    .name = "translations", .stage = STAGE_BLOCKS, .init = xlats_init};

/* ---- peers ---- */

static const option_group_t peers_groups[] = {
    {"peer", "first-level TLBs that share", peer_options, offsetof(gpu_spec_t, peer)},
    {0},
};

static bool peer_holds(const void *owner, uint32_t tlb, const peer_page_t *p) {
  const tlbs_t *c = owner;
  const tlb_t *t = &c->level[0].at[tlb].array;
  return p->large ? tlb_has_large_entry(t, p->asid, p->vpn)
                  : tlb_has_entry(t, p->asid, p->vpn, p->order);
}

static uint32_t peer_order(const void *owner, asid_t asid, vpn_t vpn) {
  const tlbs_t *c = owner;
  return tlb_page_order(&c->level[0].at[0].array, asid, vpn);
}

static peer_env_t peer_env(const peers_t *c) {
  const tlb_level_t *first = &peers_tlb(c)->level[0];
  const tlb_spec_t *l1 = &first->spec;
  return (peer_env_t){.spec = &peers_spec(c)->peer,
                      .tlbs = first->instances,
                      .entries = l1->entries,
                      .lookup_cycles = l1->latency_cycles,
                      .reach_shift = (uint32_t)__builtin_ctz(l1->reach),
                      .large_pages_shift = peers_memory(c)->large_pages_shift,
                      .large = l1->large_entries != 0,
                      .stats = c->stats,
                      .owner = peers_tlb(c),
                      .holds = peer_holds,
                      .order = peer_order};
}

uint32_t peers_news(const char *policy, uint32_t tlbs, const tlb_spec_t *spec) {
  const peer_ops_t *ops = peer_find(policy);
  if (!ops || !ops->heard) return 0;
  return tlbs * (3 * tlb_mshr_misses(spec->mshr_format, spec->mshrs) +
                 2 * (spec->entries + spec->large_entries) + 64);
}

static int peers_init(void *block, err_t *e) {
  peers_t *c = block;
  const peer_spec_t *spec = &peers_spec(c)->peer;
  uint32_t n = peers_tlb(c)->level[0].instances + 1;
  c->port = calloc((size_t)n * PEER_PORTS, sizeof *c->port);
  c->stats = calloc(peers_tlb(c)->apps, sizeof *c->stats);
  c->seen = calloc(n, sizeof *c->seen);
  c->news_room = peers_news(peers_spec(c)->tlb.peer, n, &peers_tlb(c)->level[0].spec);
  c->news = calloc(c->news_room + 1, sizeof *c->news);
  if (!c->port || !c->stats || !c->seen || !c->news) return component_no_memory(e, "peers");
  for (uint32_t i = 0; i < c->news_room; i++) c->news[i].next = i + 1;
  for (uint32_t i = 0; i < n * PEER_PORTS; i++) c->port[i].width = spec->ports;
  c->buffer = spec->buffer;
  c->ops = peer_find(peers_spec(c)->tlb.peer);
  c->hooks = peers_tlb(c)->translate && c->ops->next;
  c->takes = c->hooks && c->ops->take;
  c->watch = peers_tlb(c)->translate && spec->oracle;
  peer_env_t env = peer_env(c);
  c->state = calloc(1, 1 + (c->ops->state_bytes ? c->ops->state_bytes(&env) : 0));
  if (!c->state) return component_no_memory(e, "peers");
  if (c->ops->init) c->ops->init(c->state, &env);
  return GMMU_OK;
}

static void peers_fini(void *block) {
  peers_t *c = block;
  free(c->state);
  free(c->port);
  free(c->stats);
  free(c->seen);
  free(c->news);
}

static int peers_check(const void *block, err_t *e) {
  const peers_t *c = block;
  bool heard = !c->news_under_way; /* else directories are late */
  if (c->hooks && heard && c->ops->check && !c->ops->check(c->state))
    return component_bad(e, "peers' directory", 0);
  for (uint32_t a = 0; a < peers_tlb(c)->apps; a++) {
    const peer_stats_t *p = &c->stats[a];
    const tlb_stats_t *first = &peers_tlb(c)->level[0].stats[a];
    if (first->remote_hits > first->primary_misses || p->remote_lookups > first->misses ||
        p->probes < first->remote_hits || p->asked > first->primary_misses)
      return component_bad(e, "peers' answers of application", a);
  }
  return GMMU_OK;
}

static void peers_counters(void *block, counters_t *c) {
  const peers_t *p = block;
  counters_add(c, p->stats, peers_tlb(p)->apps * sizeof *p->stats);
  counters_add(c, p->seen, peers_tlb(p)->level[0].instances * sizeof *p->seen);
}

#define X(n, u, h) STAT_DESC(peer_stats_t, n, u, h),
static const stat_desc_t peer_list[] = {PEER_STATS(X){0}};
#undef X
static const stat_group_t peers_stats[] = {
    {"apps[].peer", "first-level TLBs that share; with tlb.peer or peer.oracle", peer_list},
    {0},
};

/* Hit ratios as NeiDty defines them (IV.B); the mean time of a translation, hits included, is that
 * of l1tlb.latency_cycles. */
static void peers_app_json(const void *block, uint32_t app, json_t *j) {
  const peers_t *c = block;
  const peer_stats_t *p = &c->stats[app];
  const tlb_stats_t *s = &peers_tlb(c)->level[0].stats[app];
  if (!c->hooks && !c->watch) return;
  stat_json_begin(j, "peer");
  stat_json(j, p, peer_list);
  json_key(j, "local_hit_ratio"), json_ratio(j, s->hits, s->lookups, 6);
  json_key(j, "remote_hit_ratio"), json_ratio(j, p->remote_lookups, s->lookups, 6);
  json_key(j, "total_hit_ratio"), json_ratio(j, s->hits + p->remote_lookups, s->lookups, 6);
  json_key(j, "neighbour_share"), json_ratio(j, p->oracle_neighbour, p->oracle_misses, 6);
  json_end_object(j);
}

/* Of the misses of each first-level TLB, those that a neighbour could have served. */
static void peers_json(const void *block, json_t *j) {
  const peers_t *c = block;
  if (!c->watch) return;
  json_key(j, "oracle_l1tlbs");
  json_begin_array(j);
  for (uint32_t t = 0; t < peers_tlb(c)->level[0].instances; t++) {
    json_begin_object(j);
    json_key(j, "misses"), json_u64(j, c->seen[t].misses);
    json_key(j, "neighbour"), json_u64(j, c->seen[t].neighbour);
    json_key(j, "neighbour_share"), json_ratio(j, c->seen[t].neighbour, c->seen[t].misses, 6);
    json_end_object(j);
  }
  json_end_array(j);
}

static void peers_policies(void *block, mechanisms_t *m) {
  peers_t *c = block;
  policy_give(m, c->ops->own, c->state);
}

static const component_t peers_row = {.name = "peers",
                                      .stage = STAGE_BLOCKS,
                                      .options = peers_groups,
                                      .init = peers_init,
                                      .fini = peers_fini,
                                      .policies = peers_policies,
                                      .check = peers_check,
                                      .stats = peers_stats,
                                      .counters = peers_counters,
                                      .app_json = peers_app_json,
                                      .json = peers_json,
                                      .cost = peers_cost};
