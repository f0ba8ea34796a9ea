/* Windows of a run: which phase it is in, what a window measured, and what follows from all. */
#include "sampling/sampling.h"
#include "base/rng.h"
#include "gpu/machine.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the row ---- */

static const char *const units[] = {"instructions", "launches", NULL};
static const char *unit_name(uint32_t i) { return units[i < 2 ? i : 2]; }

static const opt_t sampling_options[] = {
#define U64(f, n, h)                                                                               \
  { n, OPT_U64, offsetof(sampling_spec_t, f), 0, UINT64_MAX / 4, 0, "", h, NULL, NULL }
    {"unit", OPT_NAME, offsetof(sampling_spec_t, unit), 0, 0, 0, "",
     "of skip, warm and measure: warp instructions of all, or launches that end", unit_name,
     "instructions"},
    U64(skip, "skip", "before each window: without time, with TLBs and caches kept warm"),
    U64(warm, "warm", "then: with time, not counted; if not 0, at least so many"),
    U64(measure, "measure", "then: a window, which counts; 0: until the run ends"),
    {"windows", OPT_U32, offsetof(sampling_spec_t, windows), 0, SAMPLING_WINDOWS, 0, "windows",
     "the run ends after so many; 0: with its applications", NULL, NULL},
    {"seed", OPT_U32, offsetof(sampling_spec_t, seed), 0, UINT32_MAX, 0, "",
     "0: windows at a regular distance; else each anywhere in its period, by this seed", NULL,
     NULL},
#undef U64
    {0},
};
static const option_group_t sampling_groups[] = {
    {"sample", "a run in windows", sampling_options, offsetof(gpu_spec_t, sampling)},
    {0},
};

static int refuse_windows(err_t *e, const char *key, const char *why) {
  err_set(e, GMMU_ERANGE, "%s", why);
  return err_for_key(e, key);
}

static int sampling_init(void *block, err_t *e) {
  sampling_t *s = block;
  const gpu_spec_t *spec = sampling_spec(s);
  const sampling_spec_t *x = &spec->sampling;
  s->on = x->skip || x->warm || x->measure;
  s->launches = strcmp(x->unit, "launches") == 0;
  s->apps = sampling_share(s)->apps;
  if (!s->on && x->windows)
    return refuse_windows(e, "sample.windows",
                          "windows of what: see sample.skip and sample.measure");
  if (!s->on) return GMMU_OK;
  if (x->skip && paging_wanted(&spec->memory))
    return refuse_windows(e, "sample.skip",
                          "with mem.paging=demand pages come with time: warm and measure"
                          " alone can be");
  if (x->skip && spec->l1.by_virtual)
    return refuse_windows(
        e, "sample.skip",
        "with l1d.virtual=true what L1 has says what TLBs see, and without time it"
        " is not known: warm and measure alone can be");
  if (x->skip && turns_wanted(&spec->share))
    return refuse_windows(
        e, "sample.skip",
        "with share.mode=time turns end with time: warm and measure alone can be");
  if (!x->measure && x->windows > 1)
    return refuse_windows(e, "sample.windows",
                          "one window that ends with the run: sample.measure is 0");
  s->room = x->windows ? x->windows : x->measure ? SAMPLING_WINDOWS : 1;
  s->l1_cycles = spec->sm.lsu_latency + spec->l1.latency_cycles;
  s->l2_cycles = 2 * spec->noc.latency_cycles + spec->l2.latency_cycles;
  uint32_t parts = spec->noc.partitions; /* all but one of them are far */
  s->l2_cycles += 2 * spec->noc.far_cycles * (parts - 1) / parts;
  s->dram_cycles = (spec->dram.trcd + spec->dram.tcl) * spec->core.clock_mhz / spec->dram.clock_mhz;
  s->window = calloc((size_t)s->room * s->apps, sizeof *s->window);
  s->answers = calloc((size_t)spec->core.sms * spec->sm.warps, sizeof *s->answers);
  s->sm = calloc(spec->core.sms, sizeof *s->sm);
  s->page = calloc(spec->core.sms, sizeof *s->page);
  int rc = x->skip ? walks_init(&s->walks, spec, sampling_walker(s), sampling_tlb(s)) : GMMU_OK;
  s->kernels = calloc(s->apps, sizeof *s->kernels);
  s->piece = calloc((size_t)s->room * s->apps * SAMPLING_KERNELS, sizeof *s->piece);
  s->member = calloc((size_t)s->room * 2, sizeof *s->member);
  if (rc < 0 || !s->window || !s->piece || !s->member || !s->answers || !s->sm || !s->page ||
      !s->kernels)
    return component_no_memory(e, "windows");
  return GMMU_OK;
}

static void sampling_fini(void *block) {
  sampling_t *s = block;
  free(s->window);
  free(s->piece);
  free(s->member);
  free(s->answers);
  free(s->sm);
  free(s->page);
  free(s->kernels);
  walks_fini(&s->walks);
  counters_fini(&s->counters);
}

/* ---- how far it is ---- */

static uint64_t timed_instructions(const gpu_t *g, uint32_t a) {
  return g->cores.stats[a].warp_instructions;
}

/* Launches that have ended, or instructions with time. */
static uint64_t sampling_done(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->share.apps; a++)
    n += g->sampling.launches ? g->share.app[a].launches - g->share.app[a].running
                              : timed_instructions(g, a);
  return n;
}

/* The same with what was skipped. */
static uint64_t sampling_position(const gpu_t *g) {
  uint64_t n = sampling_done(g);
  for (uint32_t a = 0; a < g->share.apps && !g->sampling.launches; a++)
    n += g->sampling.forwarded[a];
  return n;
}

/* The instructions to skip are dealt as applications issued them since they were last skipped. */
static void deal_skip(gpu_t *g, uint64_t skip) {
  sampling_t *s = &g->sampling;
  uint64_t sum = 0, given = 0, issued[GMMU_MAX_APPS];
  for (uint32_t a = 0; a < s->apps; a++) {
    issued[a] = timed_instructions(g, a) - s->timed[a];
    s->timed[a] = timed_instructions(g, a);
    sum += issued[a];
  }
  for (uint32_t a = 0; a < s->apps; a++) {
    uint64_t part = sum ? estimate_part(skip, issued[a], sum) : skip / s->apps;
    s->left[a] = s->launches ? UINT64_MAX : a + 1 == s->apps ? skip - given : part;
    given += part;
  }
}

/* All that was to be skipped has been. */
bool sampling_forwarded(gpu_t *g) {
  sampling_t *s = &g->sampling;
  if (s->launches) return sampling_done(g) >= s->target;
  uint64_t left = 0;
  for (uint32_t a = 0; a < s->apps; a++) {
    if (g->share.app[a].finished) s->left[a] = 0; /* it has nothing to go on with */
    left |= s->left[a];
  }
  return !left;
}

/* ---- kernels ---- */

static uint32_t kernel_place(sampling_kernels_t *k, const char *name) {
  uint32_t i = 0;
  while (i < k->count && strncmp(k->name[i], name, sizeof k->name[i] - 1) != 0) i++;
  if (i == SAMPLING_KERNELS) return i - 1;
  if (i == k->count) snprintf(k->name[k->count++], sizeof k->name[i], "%s", name);
  return i;
}

/* What has been done up to now is that of the kernel that ran. */
static void kernels_count(gpu_t *g, uint32_t a) {
  sampling_kernels_t *k = &g->sampling.kernels[a];
  uint64_t position = timed_instructions(g, a) + g->sampling.forwarded[a];
  k->instructions[k->now] += position - k->position;
  k->position = position;
}

/* ---- windows ---- */

static void window_read(const gpu_t *g, uint32_t a, window_t *w) {
  const tlb_level_t *level = g->tlb.level;
  dram_stats_t data, walks;
  channels_sum(&g->dram, a, DRAM_DATA, &data);
  channels_sum(&g->dram, a, DRAM_WALK, &walks);
  *w = (window_t){.cycles = g->ev.now,
                  .warp_instructions = timed_instructions(g, a),
                  .l1tlb_misses = level[0].stats[a].misses,
                  .l2tlb_misses = level[1].stats[a].misses,
                  .walks = g->walker.stats[a].walks,
                  .l2_misses = g->l2.stats[a * CLASSES + CLASS_DATA].misses,
                  .dram_bytes = data.read_bytes + data.write_bytes + walks.read_bytes};
}

/* What the window has up to now since the kernel began, or it did. */
static void pieces_count(gpu_t *g, uint32_t a) {
  sampling_t *s = &g->sampling;
  if (s->windows == s->room) return;
  window_t now;
  window_read(g, a, &now);
  size_t row = (size_t)a * SAMPLING_KERNELS + s->kernels[a].now;
  uint64_t *to = (uint64_t *)(void *)&s->piece[row * s->room + s->windows];
  uint64_t *all = (uint64_t *)(void *)&s->window[(size_t)s->windows * s->apps + a];
  const uint64_t *x = (const uint64_t *)(const void *)&now;
  const uint64_t *y = (const uint64_t *)(const void *)&s->start[a];
  for (size_t i = 0; i < sizeof(window_t) / sizeof(uint64_t); i++)
    to[i] += x[i] - y[i], all[i] += x[i] - y[i];
  s->start[a] = now;
}

/* Kernels may have ended, and others begun. */
void sampling_note_kernels(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++) {
    const app_t *p = &g->share.app[a];
    sampling_kernels_t *k = &g->sampling.kernels[a];
    const kernel_t *oldest = NULL;
    for (uint32_t i = 0; i < p->running && !oldest; i++)
      if (p->kernel[p->order[i]]->state >= KERNEL_HELD) oldest = p->kernel[p->order[i]];
    if (!oldest || (k->launch == oldest->number + 1 && k->run == p->runs)) continue;
    if (g->sampling.phase == SAMPLING_MEASURES) pieces_count(g, a);
    kernels_count(g, a);
    k->now = kernel_place(k, oldest->launch.name ? oldest->launch.name : "");
    k->launch = oldest->number + 1, k->run = p->runs;
  }
}

/* Counters that are brought up to date now and then are, so that a window has its own. */
static void window_count(gpu_t *g) {
  if (g->ev.now) channels_count(&g->dram, g->ev.now - 1);
  for (uint32_t a = 0; a < g->share.apps; a++) walker_count(&g->walker, (uint8_t)a, g->ev.now);
}

static void window_begin(gpu_t *g) {
  sampling_t *s = &g->sampling;
  window_count(g);
  s->begin = g->ev.now;
  for (uint32_t a = 0; a < s->apps; a++) window_read(g, a, &s->start[a]);
  counters_begin(&s->counters);
}

static void window_end(gpu_t *g) {
  sampling_t *s = &g->sampling;
  window_count(g);
  counters_end(&s->counters);
  for (uint32_t a = 0; a < s->apps; a++) pieces_count(g, a);
  s->windows++;
  s->cycles += g->ev.now - s->begin;
}

/* ---- phases ---- */

/* Where the next window begins, of all that is done with and without time. */
static uint64_t window_at(const sampling_t *s, const sampling_spec_t *x) {
  uint64_t before = x->skip + x->warm, begin, at;
  rng_t r = {x->seed * 1000003ull + s->windows};
  if (x->seed) before = rng_next(&r) % (before + 1);
  if (__builtin_mul_overflow((uint64_t)s->windows, x->skip + x->warm + x->measure, &begin) ||
      __builtin_add_overflow(begin, before, &at))
    return UINT64_MAX;
  return at;
}

/* Windows are anywhere in their periods: the run ends with the last of these, not with its window,
 * so that what is counted of kernels is of whole periods. */
static uint64_t periods_wait(const gpu_t *g) {
  const sampling_spec_t *x = &g->spec.sampling;
  uint64_t from = sampling_position(g), to;
  if (!x->seed ||
      __builtin_mul_overflow((uint64_t)g->sampling.windows, x->skip + x->warm + x->measure, &to))
    return 0;
  return to > from ? to - from : 0;
}

/* What has time before it: a quarter more than settling took at the most, or, before that is known,
 * as much as it may take. So a window is in its place, whatever the machine does there. */
static uint64_t window_lead(const sampling_t *s, const sampling_spec_t *x) {
  if (!x->warm || s->launches) return x->warm;
  uint64_t most = x->skip / SETTLE_PART;
  return later(x->warm, s->lead ? earlier(most, s->lead + s->lead / 4) : most);
}

/* How much is left to `lead` before the window. */
static uint64_t window_wait(const gpu_t *g, uint64_t lead) {
  uint64_t from = sampling_position(g) + lead, to = window_at(&g->sampling, &g->spec.sampling);
  return to > from ? to - from : 0;
}

static uint64_t skip_wait(const gpu_t *g) {
  const sampling_t *s = &g->sampling;
  return s->windows == s->room ? periods_wait(g)
                               : window_wait(g, window_lead(s, &g->spec.sampling));
}

static void enter_phase(gpu_t *g, sampling_phase_t phase) {
  sampling_t *s = &g->sampling;
  const sampling_spec_t *x = &g->spec.sampling;
  uint64_t done = sampling_done(g);
  uint64_t amount = phase == SAMPLING_BEGINS  ? pace_least(g)
                    : phase == SAMPLING_SKIPS ? skip_wait(g)
                    : phase == SAMPLING_WARMS ? s->skipped ? x->warm : 0
                    : phase == SAMPLING_WAITS ? window_wait(g, 0)
                    : x->measure              ? x->measure
                                              : UINT64_MAX / 2;
  if (s->phase == SAMPLING_WARMS && s->skipped && x->warm && !s->launches)
    s->lead = later(s->lead, done - s->begun);
  for (uint32_t a = 0; a < s->apps; a++) kernels_count(g, a);
  s->phase = phase;
  s->target = s->most = done + amount;
  if (phase == SAMPLING_MEASURES) window_begin(g);
  if (phase == SAMPLING_WARMS && amount && !s->launches) settle_begin(g, done, window_lead(s, x));
  if (phase == SAMPLING_BEGINS && amount) settle_begin(g, done, x->skip / BEGIN_PART);
  if (phase == SAMPLING_SKIPS) s->skipped = amount > 0;
  if (phase != SAMPLING_SKIPS || !amount) return;
  deal_skip(g, amount);
  forward_begin(g);
}

/* The phase is over. */
bool sampling_due(gpu_t *g) {
  const sampling_t *s = &g->sampling;
  if (s->phase == SAMPLING_SKIPS) return !g->cores.forwarding;
  uint64_t done = sampling_done(g);
  return done >= s->most || (done >= s->target && settle_over(g, done));
}

/* Goes on to the phase that this cycle belongs to; true: the last window is over. */
bool sampling_go_on(gpu_t *g) {
  sampling_t *s = &g->sampling;
  while (sampling_due(g)) {
    if (s->phase == SAMPLING_SKIPS && s->windows == s->room) return true;
    if (s->phase == SAMPLING_MEASURES) window_end(g);
    enter_phase(g, s->phase == SAMPLING_MEASURES ? SAMPLING_SKIPS : s->phase + 1);
    if (s->phase == SAMPLING_MEASURES) return false;
  }
  return false;
}

int sampling_start(gpu_t *g, err_t *e) {
  sampling_t *s = &g->sampling;
  if (!s->on) return GMMU_OK;
  for (uint32_t i = 0; i < gpu_rows(); i++)
    if (gpu_row(i)->counters) gpu_row(i)->counters(gpu_block(g, i), &s->counters);
  int rc = counters_ready(&s->counters, e);
  if (rc == 0) {
    pace_guess(g);
    enter_phase(g, SAMPLING_BEGINS);
  }
  return rc;
}

/* The run is over: of a window that is not complete nothing counts, unless it is the only one. */
int sampling_over(gpu_t *g, err_t *e) {
  sampling_t *s = &g->sampling;
  for (uint32_t a = 0; a < s->apps; a++) kernels_count(g, a);
  bool measures = s->phase == SAMPLING_MEASURES && s->windows < s->room && g->ev.now > s->begin;
  if (measures && (!s->windows || sampling_due(g))) window_end(g);
  if (s->windows) return GMMU_OK;
  uint64_t skipped = 0, timed = 0;
  for (uint32_t a = 0; a < s->apps; a++) {
    skipped += s->forwarded[a];
    timed += timed_instructions(g, a);
  }
  return err_set(e, GMMU_ERANGE,
                 "the run ended before the first window: after %llu instructions that were skipped "
                 "and %llu with time",
                 (unsigned long long)skipped, (unsigned long long)timed);
}

/* After every row has settled: from now on the machine shows what the windows measured. */
void sampling_show(gpu_t *g) {
  sampling_t *s = &g->sampling;
  if (g->spec.run.check) gpu_check(g, &s->checked);
  counters_show(&s->counters);
  for (uint32_t a = 0; a < s->apps; a++) {
    sm_stats_t *st = &g->cores.stats[a];
    st->slot_cycles = st->warp_instructions; /* of warps that wait across a window's end, what is
                                                charged inside it counts */
    for (uint32_t i = 0; i < STALLS; i++) st->slot_cycles += st->stall[i];
    g->share.app[a].complete_cycles = g->share.app[a].complete_instructions = 0;
  }
  g->ev.now = s->cycles;
  s->shown = true;
}

/* ---- statistics ---- */

#define X(n, u, h) STAT_DESC(window_t, n, u, h),
static const stat_desc_t window_list[] = {WINDOW_STATS(X){0}};
#undef X
static const stat_group_t sampling_stats[] = {
    {"sampling.apps[].windows", "of each window; with sample.measure", window_list},
    {0},
};

static void estimate_json(const sampling_t *s, uint32_t app, uint32_t ratio, json_t *j) {
  estimate_t x;
  sampling_estimate(s, app, ratio, &x);
  stat_json_begin(j, window_ratio_name[ratio]);
  json_key(j, "mean"), json_ratio(j, x.mean, 1000000, 6);
  json_key(j, "half");
  if (x.known)
    json_ratio(j, x.half, 1000000, 6);
  else
    json_raw(j, "null");
  json_end_object(j);
}

/* What each kernel did, and what of that windows have measured. */
static void sampling_kernels_json(const sampling_t *s, uint32_t app, json_t *j) {
  const sampling_kernels_t *k = &s->kernels[app];
  json_key(j, "kernels");
  json_begin_array(j);
  for (uint32_t i = 0; i < k->count; i++) {
    json_begin_object(j);
    json_key(j, "name"), json_str(j, k->name[i]);
    json_key(j, "instructions"), json_u64(j, k->instructions[i]);
    json_key(j, "measured"), json_u64(j, sampling_measured(s, app, i));
    json_end_object(j);
  }
  json_end_array(j);
}

static void sampling_app_json(const sampling_t *s, uint32_t app, json_t *j) {
  json_begin_object(j);
  json_key(j, "skipped_instructions"), json_u64(j, s->forwarded[app]);
  sampling_kernels_json(s, app, j);
  for (uint32_t r = 0; r < WINDOW_RATIOS_COUNT; r++) estimate_json(s, app, r, j);
  stat_json_begin(j, "windows");
  for (const stat_desc_t *d = window_list; d->name; d++) {
    json_key(j, d->name);
    json_begin_array(j);
    for (uint32_t i = 0; i < s->windows; i++)
      json_u64(j, stat_value(&s->window[(size_t)i * s->apps + app], d));
    json_end_array(j);
  }
  json_end_object(j);
  json_end_object(j);
}

static void sampling_json(const void *block, json_t *j) {
  const sampling_t *s = block;
  if (!s->on) return;
  stat_json_begin(j, "sampling");
  json_key(j, "windows"), json_u64(j, s->windows);
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < s->apps; a++) sampling_app_json(s, a, j);
  json_end_array(j);
  json_end_object(j);
}

static const component_t sampling_row = {.name = "windows",
                                         .stage = STAGE_OBSERVERS,
                                         .options = sampling_groups,
                                         .init = sampling_init,
                                         .fini = sampling_fini,
                                         .stats = sampling_stats,
                                         .json = sampling_json};
