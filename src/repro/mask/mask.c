/* MASK (ASPLOS 2018): its figures and tables on our applications.
 *
 * Every number is a mean over pairs of applications, on the SMs that the oracle gives each under
 * SharedTLB, unless a row says otherwise; gains compare arithmetic means of weighted speed-ups, as
 * the paper's Figure 11 does. Invariant: a function asks for all its runs before it looks at one.
 */
#include "base/json_find.h"
#include "cost/cost.h"
#include "repro/pairs.h"
#include <stdio.h>
#include <string.h>

static const pair_t scan_srad = {{"scan", "srad"}}, scan_cons = {{"scan", "cons"}},
                    mm_cons = {{"mm", "cons"}}, red_ray = {{"red", "ray"}};

static const machine_t baseline = {MASK_GPU, "sharedtlb", {NULL, NULL}, false, false},
                       ideal = {MASK_GPU, "ideal", {NULL, NULL}, false, false},
                       mask = {MASK_GPU, "mask", {NULL, NULL}, false, false},
                       mask_tlb = {MASK_GPU, "mask-tlb", {NULL, NULL}, false, false},
                       mask_cache = {MASK_GPU, "mask-cache", {NULL, NULL}, false, false},
                       mask_dram = {MASK_GPU, "mask-dram", {NULL, NULL}, false, false};

/* ---- fig1: time multiplexing ----------------------------------------------------------------- */

/* Each process runs a kernel with arithmetic, shared and global memory, as the paper's does, of
 * about a million cycles alone. A quantum of 0.2 ms gives it several turns; what a change costs
 * goes with 1/quantum. */
#define FIG1_QUANTUM   "share.quantum=200000"
#define FIG1_PROCESSES 10
#define FIG1_MARGIN    (MICRO / 100) /* less is no growth */

static const paper_row_t fig1_rows[] = {
    ROW("2 processes in turns over back to back, extra time", "12 %", 120000, UNIT_PERCENT,
        RULE_VALUE),
    ROW("10 processes", "91 %", 910000, UNIT_PERCENT, RULE_VALUE),
    ROW("the extra time grows with the number of processes", "grows", 0, UNIT_NUMBER, RULE_CLAIM),
    {0}};

static const lab_result_t *in_turns(repro_t *r, const char *design, uint32_t processes) {
  const machine_t m = {
      MASK_GPU, design, {strcmp(design, "timeslice") ? NULL : FIG1_QUANTUM, NULL}, true, false};
  lab_run_t run = run_on(r, &m);
  run.limits = (gpu_limits_t){.no_relaunch = true};
  for (; run.apps < processes; run.apps++)
    snprintf(run.app[run.apps], sizeof run.app[0], "tiled2d:launches=%u",
             strcmp(r->plan->size, "tiny") ? 10u : 1u);
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

static void fig1(repro_t *r) {
  static const uint32_t counts[] = {2, FIG1_PROCESSES};
  const lab_result_t *alone = in_turns(r, "sharedtlb", 1);
  micro_t extra[2];
  bool ok = true;
  for (uint32_t i = 0; i < 2; i++) {
    const lab_result_t *x = in_turns(r, "timeslice", counts[i]);
    ok &= x && alone;
    if (!x || !alone) continue;
    extra[i] = micro_ratio(lab_u64(x, "cycles"), counts[i] * lab_u64(alone, "cycles")) - MICRO;
    repro_value(r, i, extra[i]);
    repro_note(r, i, "quantum 200 000 cycles; no driver here");
  }
  bool grows = ok && extra[1] > extra[0] + FIG1_MARGIN;
  if (ok) repro_claim(r, 2, grows, grows ? "grows" : "does not");
}

/* ---- fig3 ------------------------------------------------------------------------------------ */

static const paper_row_t fig3_rows[] = {
    ROW("PWCache below Ideal", "45.0 %", 450000, UNIT_PERCENT, RULE_VALUE),
    ROW("SharedTLB below Ideal", "40.6 %", 406000, UNIT_PERCENT, RULE_VALUE),
    {0}};

static void fig3(repro_t *r) {
  static const machine_t pwcache = {MASK_GPU, "pwcache", {NULL, NULL}, false, false};
  micro_t best, pw, shared;
  bool ok = pairs_speedup(r, &ideal, r->plan->pairs, &best);
  bool has_pw = pairs_speedup(r, &pwcache, r->plan->pairs, &pw);
  bool has_shared = pairs_speedup(r, &baseline, r->plan->pairs, &shared);
  if (ok && has_pw) repro_value(r, 0, loss(pw, best));
  if (ok && has_shared) repro_value(r, 1, loss(shared, best));
}

/* ---- fig5, fig6: each application alone on all SMs ------------------------------------------- */

static const paper_row_t fig5_rows[] = {ROW("concurrent page walks, the most of any application",
                                            "> 20", 20 * MICRO, UNIT_NUMBER, RULE_ABOVE),
                                        {0}};
static const paper_row_t fig6_rows[] = {
    ROW("warps stalled per TLB miss, the most of any application (of 64 per SM)", "> 30",
        30 * MICRO, UNIT_NUMBER, RULE_ABOVE),
    {0}};

static const lab_result_t *alone_on_all(repro_t *r, const char *app) {
  lab_run_t run = run_on(r, &baseline);
  run_add(r, &run, app);
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

/* A quotient of two counters for each application, and the largest. */
static void each_alone(repro_t *r, const char *title, const char *num, const char *den) {
  const char *app[2 * PAIRS_MAX];
  micro_t most = 0;
  bool ok = true;
  table_t *t = repro_table(r, title);
  table_column(t, "application", TABLE_LEFT);
  table_column(t, "mean", TABLE_RIGHT);
  for (uint32_t i = 0, n = pairs_apps(r->plan->pairs, app); i < n; i++) {
    const lab_result_t *x = alone_on_all(r, app[i]);
    if (!x) {
      ok = false;
      continue;
    }
    micro_t v = micro_ratio(lab_u64(x, num), lab_u64(x, den));
    if (v > most) most = v;
    table_cell(t, app[i]);
    repro_cell(t, v, 2);
  }
  if (ok) repro_value(r, 0, most);
}

static void fig5(repro_t *r) {
  each_alone(r, "Walks under way at a time, alone on all SMs under SharedTLB",
             "apps[0].walk.active_cycles", "cycles");
}

static void fig6(repro_t *r) {
  each_alone(r, "Warps that waited for a walk, alone on all SMs under SharedTLB",
             "apps[0].walk.warps_stalled", "apps[0].walk.walks");
}

/* ---- fig7 ------------------------------------------------------------------------------------ */

static const paper_row_t fig7_rows[] = {
    ROW("L2 TLB miss rate, shared against alone: it rises for most applications of 4 pairs",
        "rises", 0, UNIT_NUMBER, RULE_CLAIM),
    {0}};

static micro_t l2tlb_miss_rate(const lab_result_t *x, uint32_t app) {
  char misses[64], lookups[64];
  snprintf(misses, sizeof misses, "apps[%u].l2tlb.misses", app);
  snprintf(lookups, sizeof lookups, "apps[%u].l2tlb.lookups", app);
  return micro_ratio(lab_u64(x, misses), lab_u64(x, lookups));
}

/* Alone on as many SMs; 1 if it rose, 0 if not, -1 if it is not there. */
static int fig7_app(repro_t *r, table_t *t, const pair_t *p, uint32_t app) {
  lab_run_t run;
  if (!pair_run(r, &baseline, p, &run)) return -1;
  const lab_result_t *shared = lab_run(r->lab, &run);
  memcpy(run.app[0], run.app[app], sizeof run.app[0]);
  run.sms[0] = run.sms[app], run.sms[1] = 0, run.apps = 1;
  const lab_result_t *alone = lab_run(r->lab, &run);
  if (!repro_has(r, shared) || !repro_has(r, alone)) return -1;
  micro_t before = l2tlb_miss_rate(alone, 0), after = l2tlb_miss_rate(shared, app);
  pair_cells(t, p);
  table_cell(t, p->app[app]);
  repro_percent(t, before);
  repro_percent(t, after);
  return after > before;
}

static void fig7(repro_t *r) {
  table_t *t = pair_table(r, "L2 TLB misses, % of look-ups (merged ones included), under SharedTLB",
                          (const char *const[]){"application", "alone", "shared", NULL});
  uint32_t count = r->plan->pairs < 4 ? r->plan->pairs : 4, rose = 0;
  bool ok = true;
  for (uint32_t i = 0; i < 2 * count; i++) {
    int up = fig7_app(r, t, &mask_pairs[i / 2], i % 2);
    ok &= up >= 0;
    rose += up > 0;
  }
  if (ok) repro_claim(r, 0, rose > count, "rises for %u of %u", rose, 2 * count);
}

/* ---- fig8, fig9: DRAM ------------------------------------------------------------------------ */

static const paper_row_t fig8_rows[] = {
    ROW("DRAM bandwidth of translation, of what is used", "13.8 %", 138000, UNIT_PERCENT,
        RULE_RATE),
    ROW("the same, of the peak", "2.4 %", 24000, UNIT_PERCENT, RULE_RATE),
    {0}};
static const paper_row_t fig9_rows[] = {
    ROW("DRAM latency of translation over that of data, under FR-FCFS", "above 1", MICRO,
        UNIT_NUMBER, RULE_ABOVE),
    {0}};

static uint64_t dram_bytes(const lab_result_t *x, bool walks) {
  return walks ? total(x, "dram.translation.read_bytes") + total(x, "dram.translation.write_bytes")
               : total(x, "dram.data.read_bytes") + total(x, "dram.data.write_bytes");
}

static void fig8(repro_t *r) {
  const lab_result_t *x[PAIRS_MAX];
  micro_t used[PAIRS_MAX], peak[PAIRS_MAX];
  uint32_t count = r->plan->pairs;
  if (!pairs_results(r, &baseline, count, x)) return;
  table_t *t =
      pair_table(r, "DRAM bandwidth under SharedTLB, in %",
                 (const char *const[]){"bus busy", "translation of used", "of peak", NULL});
  for (uint32_t i = 0; i < count; i++) {
    uint64_t walks = dram_bytes(x[i], true), data = dram_bytes(x[i], false);
    micro_t busy = fraction(x[i], "dram_bus_utilisation");
    used[i] = micro_ratio(walks, walks + data);
    peak[i] = micro_mul(used[i], busy);
    pair_cells(t, &mask_pairs[i]);
    repro_percent(t, busy), repro_percent(t, used[i]), repro_percent(t, peak[i]);
  }
  repro_value(r, 0, micro_mean(used, count));
  repro_value(r, 1, micro_mean(peak, count));
}

/* Mean latency of a class over all applications of a run: means weighted with their counts. */
static micro_t dram_latency(const lab_result_t *x, const char *class) {
  uint64_t sum = 0, count = 0; /* sum in hundredths: what the JSON gives */
  for (uint32_t a = 0; a < json_find_count(x->text, "apps"); a++) {
    char path[96];
    snprintf(path, sizeof path, "apps[%u].dram.%s.latency_cycles.count", a, class);
    uint64_t n = lab_u64(x, path);
    snprintf(path, sizeof path, "apps[%u].dram.%s.latency_cycles.mean", a, class);
    sum += (uint64_t)(fraction(x, path) / 10000) * n;
    count += n;
  }
  return micro_ratio(sum, 100 * count);
}

static void fig9(repro_t *r) {
  const lab_result_t *x[PAIRS_MAX];
  micro_t walks[PAIRS_MAX], data[PAIRS_MAX];
  uint32_t count = r->plan->pairs;
  if (!pairs_results(r, &baseline, count, x)) return;
  table_t *t = pair_table(r, "Mean DRAM latency under SharedTLB, in core cycles",
                          (const char *const[]){"translation", "data", NULL});
  for (uint32_t i = 0; i < count; i++) {
    walks[i] = dram_latency(x[i], "translation"), data[i] = dram_latency(x[i], "data");
    pair_cells(t, &mask_pairs[i]);
    repro_cell(t, walks[i], 1), repro_cell(t, data[i], 1);
  }
  repro_value(r, 0, micro_div(micro_mean(walks, count), micro_mean(data, count)));
}

/* ---- levels ---------------------------------------------------------------------------------- */

static const paper_row_t levels_rows[] = {
    ROW("L2 hit rate of walk requests, root", "99.8 %", 998000, UNIT_PERCENT, RULE_RATE),
    ROW("first level below", "98.8 %", 988000, UNIT_PERCENT, RULE_RATE),
    ROW("second", "68.7 %", 687000, UNIT_PERCENT, RULE_RATE),
    ROW("third (leaves)", "1.0 %", 10000, UNIT_PERCENT, RULE_RATE),
    ROW("the rate falls from level to level", "falls", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("\"level 3\" (the second below the root) for MM_CONS", "58.3 %", 583000, UNIT_PERCENT,
        RULE_RATE),
    ROW("the same for RED_RAY", "94.5 %", 945000, UNIT_PERCENT, RULE_RATE),
    {0}};

static micro_t level_rate(const lab_result_t *const x[], uint32_t count, uint32_t level) {
  char reads[48], hits[48], pwc[48];
  snprintf(reads, sizeof reads, "walk.levels[%u].reads", level);
  snprintf(hits, sizeof hits, "walk.levels[%u].l2_hits", level);
  snprintf(pwc, sizeof pwc, "walk.levels[%u].pwc_hits", level);
  return micro_ratio(total_of(x, count, hits), total_of(x, count, reads) - total_of(x, count, pwc));
}

static void levels(repro_t *r) {
  const lab_result_t *x[PAIRS_MAX], *a = pair_result(r, &baseline, &mm_cons),
                                    *b = pair_result(r, &baseline, &red_ray);
  micro_t rate[4];
  bool falls = true;
  if (a) repro_value(r, 5, level_rate(&a, 1, 2));
  if (b) repro_value(r, 6, level_rate(&b, 1, 2));
  if (!pairs_results(r, &baseline, r->plan->pairs, x)) return;
  for (uint32_t l = 0; l < 4; l++) {
    rate[l] = level_rate(x, r->plan->pairs, l);
    falls &= l == 0 || rate[l] <= rate[l - 1];
    repro_value(r, l, rate[l]);
  }
  repro_claim(r, 4, falls, falls ? "falls" : "does not");
}

/* ---- fig11, throughput, fig15 ---------------------------------------------------------------- */

static const char *const designs[] = {"static",     "pwcache",   "sharedtlb", "mask-tlb",
                                      "mask-cache", "mask-dram", "mask",      "ideal"};
enum { STATIC, PWCACHE, SHAREDTLB, MASK_TLB, MASK_CACHE, MASK_DRAM, MASK, IDEAL, DESIGNS };

typedef struct {
  bool there[DESIGNS];
  sharing_t of[DESIGNS][PAIRS_MAX];
  uint32_t count;
} comparison_t;

static void compare(repro_t *r, comparison_t *c) {
  c->count = r->plan->pairs;
  for (uint32_t d = 0; d < DESIGNS; d++) {
    const machine_t m = {MASK_GPU, designs[d], {NULL, NULL}, false, false};
    c->there[d] = pairs_metrics(r, &m, c->count, c->of[d]);
  }
}

static micro_t metric(const sharing_t *s, size_t field) {
  micro_t v;
  memcpy(&v, (const char *)s + field, sizeof v);
  return v;
}

/* Rows: pairs, then classes' means, then the mean of all. */
static void compare_table(repro_t *r, const comparison_t *c, const char *title, size_t field) {
  const char *columns[DESIGNS + 1] = {NULL};
  uint32_t order[DESIGNS], n = 0;
  for (uint32_t d = 0; d < DESIGNS; d++)
    if (c->there[d]) columns[n] = designs[d], order[n++] = d;
  table_t *t = pair_table(r, title, columns);
  for (uint32_t i = 0; i < c->count; i++) {
    pair_cells(t, &mask_pairs[i]);
    for (uint32_t k = 0; k < n; k++) repro_cell(t, metric(&c->of[order[k]][i], field), 3);
  }
  table_cell(t, "mean"), table_cell(t, "");
  for (uint32_t k = 0; k < n; k++) repro_cell(t, pairs_mean(c->of[order[k]], c->count, field), 3);
}

/* The mean of the pairs of one class (3: of all); 0 if there are none. */
static micro_t class_mean(const comparison_t *c, uint32_t design, uint32_t class) {
  micro_t v[PAIRS_MAX];
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->count; i++)
    if (class == 3 || pair_hmr(&mask_pairs[i]) == class) v[n++] = c->of[design][i].weighted_speedup;
  return micro_mean(v, n);
}

static const paper_row_t fig11_rows[] = {
    ROW("MASK over SharedTLB, 0-HMR", "58.7 %", 587000, UNIT_PERCENT, RULE_VALUE),
    ROW("MASK over SharedTLB, 1-HMR", "61.2 %", 612000, UNIT_PERCENT, RULE_VALUE),
    ROW("MASK over SharedTLB, 2-HMR", "52.0 %", 520000, UNIT_PERCENT, RULE_VALUE),
    ROW("MASK over SharedTLB, average", "57.8 %", 578000, UNIT_PERCENT, RULE_VALUE),
    ROW("MASK below Ideal", "23.2 %", 232000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l2.translation.bypasses"),
    ROW("MASK-TLB over SharedTLB", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    ROW("MASK-Cache over SharedTLB", "43.6 %", 436000, UNIT_PERCENT, RULE_VALUE),
    ROW("MASK-DRAM over SharedTLB", "22.7 %", 227000, UNIT_PERCENT, RULE_VALUE),
    ROW("SharedTLB over PWCache", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    ROW("MASK over Static", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    ROW("order of the means", "SharedTLB < each part < MASK < Ideal", 0, UNIT_NUMBER, RULE_ORDER),
    {0}};

static void gain_row(repro_t *r, uint32_t row, const comparison_t *c, uint32_t a, uint32_t b) {
  if (c->there[a] && c->there[b])
    repro_value(r, row, gain(class_mean(c, a, 3), class_mean(c, b, 3)));
}

static void order_row(repro_t *r, uint32_t row, const comparison_t *c) {
  static const uint32_t parts[] = {MASK_TLB, MASK_CACHE, MASK_DRAM};
  micro_t own = class_mean(c, MASK, 3), least = gain(class_mean(c, IDEAL, 3), own);
  bool holds = own < class_mean(c, IDEAL, 3);
  uint32_t between = 0;
  if (!c->there[SHAREDTLB] || !c->there[MASK] || !c->there[IDEAL]) return;
  for (uint32_t i = 0; i < 3; i++) {
    if (!c->there[parts[i]]) return;
    micro_t part = class_mean(c, parts[i], 3), above = gain(part, class_mean(c, SHAREDTLB, 3)),
            below = gain(own, part);
    between += above >= 0 && below >= 0;
    if (above < least) least = above;
    if (below < least) least = below;
  }
  repro_margin(r, row, least);
  repro_claim(r, row, holds && between == 3, "%u of 3 parts between; MASK %s Ideal", between,
              holds ? "<" : ">=");
}

static void fig11(repro_t *r) {
  const lab_result_t *x[PAIRS_MAX];
  comparison_t c = {0};
  compare(r, &c);
  for (uint32_t class = 0; class < 4 && c.there[MASK] && c.there[SHAREDTLB]; class ++)
    if (class_mean(&c, SHAREDTLB, class))
      repro_value(r, class, gain(class_mean(&c, MASK, class), class_mean(&c, SHAREDTLB, class)));
  if (c.there[MASK] && c.there[IDEAL])
    repro_value(r, 4, loss(class_mean(&c, MASK, 3), class_mean(&c, IDEAL, 3)));
  if (pairs_results(r, &mask, c.count, x))
    repro_acted(r, 4, total_of(x, c.count, "l2.translation.bypasses"));
  gain_row(r, 5, &c, MASK_TLB, SHAREDTLB);
  gain_row(r, 6, &c, MASK_CACHE, SHAREDTLB);
  gain_row(r, 7, &c, MASK_DRAM, SHAREDTLB);
  gain_row(r, 8, &c, SHAREDTLB, PWCACHE);
  gain_row(r, 9, &c, MASK, STATIC);
  order_row(r, 10, &c);
  compare_table(r, &c, "Weighted speed-up", offsetof(sharing_t, weighted_speedup));
}

static const paper_row_t throughput_rows[] = {
    ROW("IPC throughput of MASK over SharedTLB", "43.4 %", 434000, UNIT_PERCENT, RULE_VALUE), {0}};

static void throughput(repro_t *r) {
  comparison_t c = {0};
  compare(r, &c);
  if (c.there[MASK] && c.there[SHAREDTLB])
    repro_value(r, 0,
                gain(PAIRS_MEAN(c.of[MASK], c.count, throughput),
                     PAIRS_MEAN(c.of[SHAREDTLB], c.count, throughput)));
  compare_table(r, &c, "Warp instructions per cycle, both applications",
                offsetof(sharing_t, throughput));
}

static const paper_row_t fig15_rows[] = {
    ROW("unfairness of MASK below SharedTLB", "22.4 %", 224000, UNIT_PERCENT, RULE_VALUE),
    ROW("unfairness of Static over MASK", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    {0}};

static void fig15(repro_t *r) {
  comparison_t c = {0};
  compare(r, &c);
  micro_t own = PAIRS_MEAN(c.of[MASK], c.count, unfairness);
  if (c.there[MASK] && c.there[SHAREDTLB])
    repro_value(r, 0, loss(own, PAIRS_MEAN(c.of[SHAREDTLB], c.count, unfairness)));
  if (c.there[MASK] && c.there[STATIC])
    repro_value(r, 1, gain(PAIRS_MEAN(c.of[STATIC], c.count, unfairness), own));
  compare_table(r, &c, "Largest slow-down", offsetof(sharing_t, unfairness));
}

/* ---- tokens ---------------------------------------------------------------------------------- */

#define SIDE_HITS "l2tlb.side_hits"

static const paper_row_t tokens_rows[] = {
    ROW("L2 TLB hit rate, MASK-TLB over SharedTLB", "49.9 %", 499000, UNIT_PERCENT, RULE_VALUE),
    ROW("hit rate of the bypass cache, of look-ups that miss in the TLB", "66.5 %", 665000,
        UNIT_PERCENT, RULE_RATE),
    ROW("L2 TLB miss rate of an application, mean fall", "50 % or more", 500000, UNIT_PERCENT,
        RULE_VALUE),
    ROW("InitialTokens 20 .. 100 %: spread of the weighted speed-up", "less than 1 %", 10000,
        UNIT_PERCENT, RULE_BELOW, .acted = SIDE_HITS),
    ROW("bypass cache of 64 instead of 32 entries: gain (it saturates)", "none", 10000,
        UNIT_PERCENT, RULE_BELOW, .acted = SIDE_HITS, .source = PAPER_UNPRINTED),
    {0}};

/* Mean over pairs of hits over look-ups of the L2 TLB; the bypass cache's are hits too. */
static micro_t l2tlb_hit_rate(const lab_result_t *const x[], uint32_t count) {
  micro_t v[PAIRS_MAX];
  for (uint32_t i = 0; i < count; i++)
    v[i] = MICRO - micro_ratio(total(x[i], "l2tlb.misses"), total(x[i], "l2tlb.lookups"));
  return micro_mean(v, count);
}

static micro_t mean_miss_fall(const lab_result_t *const before[], const lab_result_t *const after[],
                              uint32_t count) {
  micro_t v[2 * PAIRS_MAX];
  for (uint32_t i = 0; i < 2 * count; i++)
    v[i] = loss(l2tlb_miss_rate(after[i / 2], i % 2), l2tlb_miss_rate(before[i / 2], i % 2));
  return micro_mean(v, 2 * count);
}

/* The mean weighted speed-ups of MASK-TLB with each setting; false if one is not there. */
static bool tokens_sweep(repro_t *r, const char *title, const char *const sets[], micro_t v[]) {
  table_t *t = repro_table(r, title);
  bool ok = true;
  table_column(t, "setting", TABLE_LEFT);
  table_column(t, "weighted speed-up", TABLE_RIGHT);
  for (uint32_t i = 0; sets[i]; i++) {
    const machine_t m = {MASK_GPU, "mask-tlb", {sets[i], NULL}, false, false};
    ok &= pairs_speedup(r, &m, r->plan->few, &v[i]);
    table_cell(t, sets[i]);
    repro_cell(t, v[i], 4);
  }
  return ok;
}

static void tokens_sweeps(repro_t *r) {
  static const char *const initial[] = {"tokens.initial=20", "tokens.initial=50",
                                        "tokens.initial=80", "tokens.initial=100", NULL};
  static const char *const buffer[] = {"tokens.buffer=8", "tokens.buffer=16", "tokens.buffer=32",
                                       "tokens.buffer=64", NULL};
  micro_t v[4], least, most;
  if (tokens_sweep(r, "InitialTokens, MASK-TLB", initial, v)) {
    least = most = v[0];
    for (uint32_t i = 1; i < 4; i++) {
      if (v[i] < least) least = v[i];
      if (v[i] > most) most = v[i];
    }
    repro_value(r, 3, gain(most, least));
  }
  if (tokens_sweep(r, "Entries of the bypass cache, MASK-TLB", buffer, v))
    repro_value(r, 4, gain(v[3], v[2]));
}

static void tokens(repro_t *r) {
  const lab_result_t *a[PAIRS_MAX], *b[PAIRS_MAX];
  uint32_t count = r->plan->pairs;
  bool has_a = pairs_results(r, &baseline, count, a), has_b = pairs_results(r, &mask_tlb, count, b);
  tokens_sweeps(r);
  if (!has_a || !has_b) return;
  uint64_t side = total_of(b, count, SIDE_HITS);
  repro_acted(r, 3, side), repro_acted(r, 4, side);
  repro_value(r, 0, gain(l2tlb_hit_rate(b, count), l2tlb_hit_rate(a, count)));
  repro_value(r, 1, micro_ratio(side, side + total_of(b, count, "l2tlb.misses")));
  repro_value(r, 2, mean_miss_fall(a, b, count));
  table_t *t = pair_table(r, "L2 TLB misses of both applications, % of look-ups",
                          (const char *const[]){"SharedTLB", "MASK-TLB", NULL});
  for (uint32_t i = 0; i < count; i++) {
    pair_cells(t, &mask_pairs[i]);
    repro_percent(t, MICRO - l2tlb_hit_rate(&a[i], 1));
    repro_percent(t, MICRO - l2tlb_hit_rate(&b[i], 1));
  }
}

/* ---- bypass ---------------------------------------------------------------------------------- */

#define BYPASSES "l2.translation.bypasses"

static const paper_row_t bypass_rows[] = {
    ROW("L2 hit rate of walk requests that are not bypassed, least of all pairs", "> 99 %", 990000,
        UNIT_PERCENT, RULE_ABOVE, .acted = BYPASSES),
    ROW("their share of all walk requests", "-", 0, UNIT_PERCENT, RULE_NOTE),
    {0}};

static void bypass(repro_t *r) {
  const lab_result_t *x[PAIRS_MAX];
  uint32_t count = r->plan->pairs;
  micro_t least = MICRO, stay[PAIRS_MAX];
  if (!pairs_results(r, &mask_cache, count, x)) return;
  table_t *t = pair_table(r, "Walk requests at the L2 cache under MASK-Cache, in %",
                          (const char *const[]){"not bypassed", "of them hits", NULL});
  for (uint32_t i = 0; i < count; i++) {
    uint64_t looks = total(x[i], "l2.translation.accesses"),
             passed = total(x[i], "l2.translation.bypasses");
    micro_t rate = micro_ratio(total(x[i], "l2.translation.hits"), looks);
    stay[i] = micro_ratio(looks, looks + passed);
    if (rate < least) least = rate;
    pair_cells(t, &mask_pairs[i]);
    repro_percent(t, stay[i]), repro_percent(t, rate);
  }
  repro_value(r, 0, least);
  repro_acted(r, 0, total_of(x, count, BYPASSES));
  repro_value(r, 1, micro_mean(stay, count));
}

/* ---- dram ------------------------------------------------------------------------------------ */

static const paper_row_t dram_rows[] = {
    ROW("DRAM latency of translation under MASK-DRAM, largest fall (the paper's: SCAN_SAD)",
        "up to 10.6 %", 106000, UNIT_PERCENT, RULE_VALUE),
    ROW("DRAM bandwidth in use, largest rise (the paper's: SCAN_HISTO)", "up to 5.6 %", 56000,
        UNIT_PERCENT, RULE_VALUE),
    ROW("SRAD of SCAN_SRAD, MASK-DRAM over SharedTLB", "18.7 %", 187000, UNIT_PERCENT, RULE_VALUE),
    ROW("SCAN of SCAN_CONS", "8.9 %", 89000, UNIT_PERCENT, RULE_VALUE),
    ROW("CONS of SCAN_CONS", "30.2 %", 302000, UNIT_PERCENT, RULE_VALUE),
    {0}};

static void dram_gain(repro_t *r, uint32_t row, const pair_t *p, uint32_t app) {
  const lab_result_t *before = pair_result(r, &baseline, p), *after = pair_result(r, &mask_dram, p);
  if (!before || !after) return;
  ipc_t a = lab_ipc(after, app), b = lab_ipc(before, app);
  repro_value(r, row,
              gain(micro_ratio(a.instructions, a.cycles), micro_ratio(b.instructions, b.cycles)));
}

static void dram(repro_t *r) {
  const lab_result_t *a[PAIRS_MAX], *b[PAIRS_MAX];
  micro_t fall = -MICRO, rise = -MICRO;
  bool has_a = pairs_results(r, &baseline, r->plan->pairs, a);
  bool has_b = pairs_results(r, &mask_dram, r->plan->pairs, b);
  dram_gain(r, 2, &scan_srad, 1);
  dram_gain(r, 3, &scan_cons, 0);
  dram_gain(r, 4, &scan_cons, 1);
  if (!has_a || !has_b) return;
  table_t *t =
      pair_table(r, "MASK-DRAM against SharedTLB, in %",
                 (const char *const[]){"translation latency", "data latency", "bus busy", NULL});
  for (uint32_t i = 0; i < r->plan->pairs; i++) {
    micro_t walks = gain(dram_latency(b[i], "translation"), dram_latency(a[i], "translation"));
    micro_t data = gain(dram_latency(b[i], "data"), dram_latency(a[i], "data"));
    micro_t busy =
        gain(fraction(b[i], "dram_bus_utilisation"), fraction(a[i], "dram_bus_utilisation"));
    if (-walks > fall) fall = -walks;
    if (busy > rise) rise = busy;
    pair_cells(t, &mask_pairs[i]);
    repro_percent(t, walks), repro_percent(t, data), repro_percent(t, busy);
  }
  repro_value(r, 0, fall);
  repro_value(r, 1, rise);
}

/* ---- storage: no runs ------------------------------------------------------------------------ */

#define COMPUTED "planted: arithmetic on the structures that the configuration has from the paper"

static const paper_row_t storage_rows[] = {
    ROW("tokens, bytes", "706", 706 * MICRO, UNIT_NUMBER, RULE_RATE, .given = COMPUTED),
    ROW("of them per SM", "13", 13 * MICRO, UNIT_NUMBER, RULE_RATE, .given = COMPUTED),
    ROW("of them at the L2 TLB", "316", 316 * MICRO, UNIT_NUMBER, RULE_RATE, .given = COMPUTED),
    ROW("counters of the L2 bypass, bytes", "80", 80 * MICRO, UNIT_NUMBER, RULE_RATE,
        .given = COMPUTED),
    ROW("DRAM queues over the baseline's", "6 %", 60000, UNIT_PERCENT, RULE_VALUE,
        .given = COMPUTED),
    ROW("address spaces in the L2 TLB", "7 %", 70000, UNIT_PERCENT, RULE_RATE, .given = COMPUTED),
    {0}};

/* Rows of gmmu cost, named by what they are. */
static const struct {
  const char *mechanism, *what;
  enum { COST_BYTES, COST_EACH_BYTES, COST_SHARE } take;
} storage_of[] = {{"tokens", "sum", COST_BYTES},
                  {"tokens", "hits and misses, warps seen, their number", COST_EACH_BYTES},
                  {"tokens", "sum at the L2 TLB", COST_BYTES},
                  {"bypass", "counters of L2 hits and accesses", COST_BYTES},
                  {"dram", "golden, silver and normal queue", COST_SHARE},
                  {"asid", "address space of an L2 TLB entry", COST_SHARE}};

static micro_t storage_value(const gpu_spec_t *spec, const cost_row_t *row, uint32_t take) {
  cost_t c = {0};
  row->work_out(spec, &c);
  if (take == COST_SHARE) return micro_ratio(c.each * c.count, c.base);
  return micro_ratio(take == COST_BYTES ? cost_bytes(&c) : (c.each + 7) / 8, 1);
}

static void storage(repro_t *r) {
  lab_run_t run = run_on(r, &mask);
  gpu_spec_t spec;
  err_t e = {0};
  if (lab_spec(&run, &spec, &e) < 0) {
    repro_has(r, &(lab_result_t){.status = LAB_ABSENT, .text = e.text});
    return;
  }
  const cost_row_t *row;
  for (uint32_t i = 0; i < sizeof storage_of / sizeof *storage_of; i++)
    for (uint32_t n = 0; (row = cost_row(n)); n++)
      if (!strcmp(row->mechanism, storage_of[i].mechanism) &&
          !strcmp(row->what, storage_of[i].what))
        repro_value(r, i, storage_value(&spec, row, storage_of[i].take));
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mask[] = {
    EXPERIMENT("mask/fig1", "time multiplexing against back to back", fig1_rows, fig1),
    EXPERIMENT("mask/fig3", "performance lost against Ideal, two applications", fig3_rows, fig3),
    EXPERIMENT("mask/fig5", "concurrent page walks of an application", fig5_rows, fig5),
    EXPERIMENT("mask/fig6", "warps stalled per TLB miss", fig6_rows, fig6),
    EXPERIMENT("mask/fig7", "L2 TLB miss rate, alone and shared", fig7_rows, fig7),
    EXPERIMENT("mask/fig8", "DRAM bandwidth of translation requests", fig8_rows, fig8),
    EXPERIMENT("mask/fig9", "DRAM latency of translation and data requests", fig9_rows, fig9),
    EXPERIMENT("mask/levels", "L2 cache hit rate of walk requests by level", levels_rows, levels),
    EXPERIMENT("mask/fig11", "weighted speed-up of eight designs", fig11_rows, fig11),
    EXPERIMENT("mask/throughput", "IPC throughput", throughput_rows, throughput),
    EXPERIMENT("mask/fig15", "unfairness", fig15_rows, fig15),
    EXPERIMENT("mask/tokens", "TLB-fill tokens and their bypass cache", tokens_rows, tokens),
    EXPERIMENT("mask/bypass", "the L2 bypass", bypass_rows, bypass),
    EXPERIMENT("mask/dram", "the DRAM scheduler", dram_rows, dram),
    ONE_POINT("mask/storage", "storage, from the configuration", storage_rows, storage),
    {0}};
