/* MASK: what its text says without a figure of its own: single pairs and applications, fairness of
 * the baselines, Static's TLB, sizes of the L1 TLB, the classes of its Table 2. Invariant: a
 * function asks for all its runs before it looks at one. */
#include "lab/suite.h"
#include "repro/pairs.h"
#include <stdio.h>
#include <string.h>

#define BYPASSES "l2.translation.bypasses"

static machine_t machine(const char *design, const char *set) {
  return (machine_t){.gpu = MASK_GPU, .design = design, .set = {set, NULL}};
}

static micro_t size_of(micro_t v) { return v < 0 ? -v : v; }

/* ---- pairs ----------------------------------------------------------------------------------- */

static const pair_t together[] = {{{"red", "bp"}}, {{"red", "ray"}}, {{"sc", "fwt"}}};
enum { TOGETHER = 3 };

static const paper_row_t pairs_rows[] = {
    ROW("every application is faster under MASK than under SharedTLB", "all", 0, UNIT_NUMBER,
        RULE_CLAIM, .acted = BYPASSES),
    ROW("MASK is ahead of SharedTLB in every pair", "all", 0, UNIT_NUMBER, RULE_CLAIM,
        .acted = BYPASSES),
    ROW("RED_BP under MASK: both are faster than alone, the slower one's gain", "above 0", 0,
        UNIT_PERCENT, RULE_ABOVE),
    ROW("RED_RAY", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    ROW("SC_FWT", "above 0", 0, UNIT_PERCENT, RULE_ABOVE),
    ROW("SharedTLB is the fairest baseline (Static, PWCache)", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("L2 TLB hit rate of Static, difference to SharedTLB in points", "similar", 50000,
        UNIT_PERCENT, RULE_BELOW, .acted = "l2tlb.misses", .source = PAPER_UNPRINTED),
    {0}};

/* The least gain of any application, and of any pair. */
static void each_gain(repro_t *r, const sharing_t *own, const sharing_t *base, uint32_t count) {
  uint32_t ahead = 0, pairs_ahead = 0;
  micro_t least = INT64_MAX, least_pair = INT64_MAX;
  for (uint32_t i = 0; i < count; i++) {
    micro_t pair = gain(own[i].weighted_speedup, base[i].weighted_speedup);
    pairs_ahead += pair > 0;
    if (pair < least_pair) least_pair = pair;
    for (uint32_t a = 0; a < 2; a++) {
      micro_t v = gain(own[i].speedup[a], base[i].speedup[a]);
      ahead += v > 0;
      if (v < least) least = v;
    }
  }
  repro_claim(r, 0, ahead == 2 * count, "%u of %u", ahead, 2 * count);
  repro_claim(r, 1, pairs_ahead == count, "%u of %u", pairs_ahead, count);
  repro_margin(r, 0, least), repro_margin(r, 1, least_pair);
}

static void faster_than_alone(repro_t *r) {
  const machine_t mask = machine("mask", NULL);
  for (uint32_t i = 0; i < TOGETHER; i++) {
    sharing_t s = {0};
    if (!pair_metrics(r, &mask, &together[i], &s)) continue;
    repro_value(r, 2 + i, (s.speedup[0] < s.speedup[1] ? s.speedup[0] : s.speedup[1]) - MICRO);
  }
}

static micro_t hit_rate(const lab_result_t *const x[], uint32_t count) {
  return MICRO -
         micro_ratio(total_of(x, count, "l2tlb.misses"), total_of(x, count, "l2tlb.lookups"));
}

static void static_hits(repro_t *r, uint32_t count) {
  const lab_result_t *a[PAIRS_MAX], *b[PAIRS_MAX];
  const machine_t part = machine("static", NULL), base = machine("sharedtlb", NULL);
  bool has_a = pairs_results(r, &part, count, a), has_b = pairs_results(r, &base, count, b);
  if (!has_a || !has_b) return;
  repro_value(r, 6, size_of(hit_rate(a, count) - hit_rate(b, count)));
  repro_acted(r, 6, total_of(b, count, "l2tlb.misses"));
}

static void pairs(repro_t *r) {
  enum { SHARED, OWN, STATIC, PWCACHE, DESIGNS };
  static const char *const design[DESIGNS] = {"sharedtlb", "mask", "static", "pwcache"};
  sharing_t s[DESIGNS][PAIRS_MAX];
  const lab_result_t *x[PAIRS_MAX];
  uint32_t count = r->plan->pairs;
  bool there[DESIGNS];
  for (uint32_t d = 0; d < DESIGNS; d++) {
    const machine_t m = machine(design[d], NULL);
    there[d] = pairs_metrics(r, &m, count, s[d]);
    if (d != OWN || !there[d] || !pairs_results(r, &m, count, x)) continue;
    repro_acted(r, 0, total_of(x, count, BYPASSES)),
        repro_acted(r, 1, total_of(x, count, BYPASSES));
  }
  faster_than_alone(r);
  static_hits(r, count);
  if (there[SHARED] && there[OWN]) each_gain(r, s[OWN], s[SHARED], count);
  if (!there[SHARED] || !there[STATIC] || !there[PWCACHE]) return;
  micro_t base = PAIRS_MEAN(s[SHARED], count, unfairness),
          a = gain(PAIRS_MEAN(s[STATIC], count, unfairness), base),
          b = gain(PAIRS_MEAN(s[PWCACHE], count, unfairness), base);
  repro_claim(r, 5, a > 0 && b > 0, "Static %s, PWCache %s", a > 0 ? "less fair" : "fairer",
              b > 0 ? "less fair" : "fairer");
  repro_margin(r, 5, a < b ? a : b);
}

/* ---- l1tlb ----------------------------------------------------------------------------------- */

/* The paper names no sizes: a quarter of its L1 TLB, its own, and four times as much. */
static const char *const l1_sizes[] = {"l1tlb.entries=16", NULL, "l1tlb.entries=256"};
enum { L1_SIZES = 3 };

static const paper_row_t l1tlb_rows[] = {
    ROW("MASK ahead of SharedTLB with 16, 64 and 256 entries in an L1 TLB", "ahead", 0, UNIT_NUMBER,
        RULE_ORDER, .source = PAPER_UNPRINTED),
    ROW("MASK's L2 TLB misses less with each of them", "less", 0, UNIT_NUMBER, RULE_CLAIM,
        .source = PAPER_UNPRINTED),
    {0}};

static void l1tlb(repro_t *r) {
  micro_t least = INT64_MAX, fall = INT64_MAX;
  uint32_t count = r->plan->few, ahead = 0, less = 0;
  bool ok = true;
  table_t *t = repro_table(r, "By entries of an L1 TLB: lead of MASK and L2 TLB misses, in %");
  static const char *const columns[] = {"entries", "lead", "SharedTLB misses", "MASK misses"};
  for (uint32_t i = 0; i < 4; i++) table_column(t, columns[i], i ? TABLE_RIGHT : TABLE_LEFT);
  for (uint32_t i = 0; i < L1_SIZES; i++) {
    const machine_t base = machine("sharedtlb", l1_sizes[i]), own = machine("mask", l1_sizes[i]);
    const lab_result_t *x[PAIRS_MAX], *y[PAIRS_MAX];
    micro_t a, b;
    bool has = pairs_speedup(r, &base, count, &a);
    has = pairs_speedup(r, &own, count, &b) && has;
    has = pairs_results(r, &base, count, x) && has;
    has = pairs_results(r, &own, count, y) && has;
    ok &= has;
    if (!has) continue;
    micro_t lead = gain(b, a), missed = MICRO - hit_rate(x, count),
            misses = MICRO - hit_rate(y, count);
    ahead += lead > 0, less += misses < missed;
    if (lead < least) least = lead;
    if (missed - misses < fall) fall = missed - misses;
    table_cell(t, l1_sizes[i] ? strchr(l1_sizes[i], '=') + 1 : "64");
    repro_percent(t, lead), repro_percent(t, missed), repro_percent(t, misses);
  }
  if (!ok) return;
  repro_claim(r, 0, ahead == L1_SIZES, "ahead at %u of %u", ahead, (uint32_t)L1_SIZES);
  repro_claim(r, 1, less == L1_SIZES, "less at %u of %u", less, (uint32_t)L1_SIZES);
  repro_margin(r, 0, least), repro_margin(r, 1, fall);
}

/* ---- table2: classes ------------------------------------------------------------------------- */

#define HIGH (MICRO / 5) /* Table 2: a miss rate of 20 % and more */

static const paper_row_t classes_rows[] = {
    ROW("applications whose L1 TLB miss rate is in the class of Table 2", "all", MICRO,
        UNIT_PERCENT, RULE_RATE),
    ROW("whose L2 TLB miss rate is", "all", MICRO, UNIT_PERCENT, RULE_RATE),
    ROW("of the paper's high/high, those that are so here", "all", MICRO, UNIT_PERCENT, RULE_RATE),
    {0}};

static const char *class_of(const char *app) {
  for (const suite_app_t *a = suite_all; a->name; a++)
    if (strcmp(a->name, app) == 0) return a->mask_class;
  return "";
}

/* Each application of the plan's pairs, alone on all SMs under SharedTLB. */
static void classes(repro_t *r) {
  const char *app[2 * PAIRS_MAX];
  uint32_t n = pairs_apps(r->plan->pairs, app), l1 = 0, l2 = 0, both = 0, high = 0, judged = 0;
  bool ok = true;
  table_t *t = repro_table(r, "TLB miss rates alone under SharedTLB, in % (merged ones included)");
  static const char *const columns[] = {"application", "L1", "L2", "class", "paper"};
  for (uint32_t i = 0; i < 5; i++)
    table_column(t, columns[i], i == 1 || i == 2 ? TABLE_RIGHT : TABLE_LEFT);
  for (uint32_t i = 0; i < n; i++) {
    const machine_t base = machine("sharedtlb", NULL);
    lab_run_t run = run_on(r, &base);
    run_add(r, &run, app[i]);
    const lab_result_t *x = lab_run(r->lab, &run);
    const char *paper = class_of(app[i]);
    ok &= repro_has(r, x);
    if (!repro_has(r, x) || strlen(paper) != 3) continue;
    micro_t a = micro_ratio(total(x, "l1tlb.misses"), total(x, "l1tlb.lookups")),
            b = micro_ratio(total(x, "l2tlb.misses"), total(x, "l2tlb.lookups"));
    char own[4] = {a >= HIGH ? 'H' : 'L', '/', b >= HIGH ? 'H' : 'L', 0};
    judged++, l1 += own[0] == paper[0], l2 += own[2] == paper[2];
    high += strcmp(paper, "H/H") == 0;
    both += strcmp(paper, "H/H") == 0 && strcmp(own, paper) == 0;
    table_cell(t, app[i]);
    repro_percent(t, a), repro_percent(t, b);
    table_cell(t, own), table_cell(t, paper);
  }
  if (!ok || !judged) return;
  repro_value(r, 0, micro_ratio(l1, judged));
  repro_value(r, 1, micro_ratio(l2, judged));
  if (high) repro_value(r, 2, micro_ratio(both, high));
  repro_note(r, 0, "%u of %u", l1, judged);
  repro_note(r, 1, "%u of %u", l2, judged);
  repro_note(r, 2, high ? "%u of %u" : "none of the plan's applications", both, high);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mask_claims[] = {
    EXPERIMENT("mask/pairs", "each pair and application", pairs_rows, pairs),
    EXPERIMENT("mask/l1tlb", "sizes of the L1 TLB", l1tlb_rows, l1tlb),
    EXPERIMENT("mask/table2", "classes of applications by TLB miss rates", classes_rows, classes),
    {0}};
