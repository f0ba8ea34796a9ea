/* MASK, section 7.3: more applications, other GPUs, sizes and policies; and the machine on which
 * its directions come out. */
#include "repro/pairs.h"
#include <stdio.h>

/* ---- table3: one to five applications -------------------------------------------------------- */

static const paper_row_t table3_rows[] = {
    ROW("SharedTLB against Ideal, 1 application", "47.1 %", 471000, UNIT_PERCENT, RULE_SHARE),
    ROW("2 applications", "48.7 %", 487000, UNIT_PERCENT, RULE_SHARE),
    ROW("3", "38.8 %", 388000, UNIT_PERCENT, RULE_SHARE),
    ROW("4", "34.2 %", 342000, UNIT_PERCENT, RULE_SHARE),
    ROW("5", "33.1 %", 331000, UNIT_PERCENT, RULE_SHARE),
    ROW("MASK against Ideal, 1 application", "68.5 %", 685000, UNIT_PERCENT, RULE_SHARE),
    ROW("2 applications", "76.8 %", 768000, UNIT_PERCENT, RULE_SHARE),
    ROW("3", "62.3 %", 623000, UNIT_PERCENT, RULE_SHARE),
    ROW("4", "55.0 %", 550000, UNIT_PERCENT, RULE_SHARE),
    ROW("5", "52.9 %", 529000, UNIT_PERCENT, RULE_SHARE),
    ROW("MASK is ahead at every count", "ahead", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("both are further from Ideal with 5 than with 2", "further", 0, UNIT_NUMBER, RULE_ORDER),
    {0}};

#define MOST_APPS 5
/* Applications of the pairs that the text names, first come first; n of a row run together. */
static const char *const crowds[][MOST_APPS] = {{"3ds", "histo", "scan", "srad", "red"},
                                                {"mm", "cons", "ray", "sad", "sc"},
                                                {"fwt", "bp", "red", "scan", "cons"}};
#define CROWDS (sizeof crowds / sizeof *crowds)

/* The mean weighted speed-up of n applications in equal shares. */
static bool crowd_speedup(repro_t *r, const char *design, uint32_t apps, micro_t *out) {
  const machine_t m = {MASK_GPU, design, {NULL, NULL}, true, false};
  uint32_t count = r->plan->few < CROWDS ? r->plan->few : CROWDS;
  micro_t v[CROWDS];
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    const lab_result_t *bad = NULL;
    lab_run_t run = run_on(r, &m);
    sharing_t s = {0};
    for (uint32_t a = 0; a < apps; a++) run_add(r, &run, crowds[i][a]);
    ok &= run_place(r, &run, true) &&
          share_metrics(r->lab, &run, SHARE_BASELINE, !m.own_alone, &s, &bad);
    run_note_bad(r, bad);
    v[i] = s.weighted_speedup;
  }
  *out = micro_mean(v, count);
  return ok;
}

/* Of Ideal, by number of applications: SharedTLB's share, MASK's. */
typedef struct {
  micro_t share[2][MOST_APPS];
  bool there[2][MOST_APPS], all;
} crowd_shares_t;

static void crowd_shares(repro_t *r, crowd_shares_t *c) {
  static const char *const design[2] = {"sharedtlb", "mask"};
  *c = (crowd_shares_t){.all = true};
  for (uint32_t n = 0; n < MOST_APPS; n++) {
    micro_t best, v;
    bool ok = crowd_speedup(r, "ideal", n + 1, &best);
    for (uint32_t d = 0; d < 2; d++) {
      c->there[d][n] = crowd_speedup(r, design[d], n + 1, &v) && ok;
      c->all &= c->there[d][n];
      if (c->there[d][n]) c->share[d][n] = micro_div(v, best);
    }
  }
}

/* By how much of Ideal, at the count with the least. */
static micro_t crowd_ahead(const crowd_shares_t *c) {
  micro_t least = INT64_MAX;
  for (uint32_t n = 0; n < MOST_APPS; n++)
    if (c->share[1][n] - c->share[0][n] < least) least = c->share[1][n] - c->share[0][n];
  return least;
}

static micro_t crowd_further(const crowd_shares_t *c) {
  micro_t a = c->share[0][1] - c->share[0][4], b = c->share[1][1] - c->share[1][4];
  return a < b ? a : b;
}

static void crowd_claims(repro_t *r, const crowd_shares_t *c) {
  bool ahead = crowd_ahead(c) > 0, further = crowd_further(c) > 0;
  if (!c->all) return;
  repro_margin(r, 2 * MOST_APPS, crowd_ahead(c));
  repro_margin(r, 2 * MOST_APPS + 1, crowd_further(c));
  repro_claim(r, 2 * MOST_APPS, ahead, ahead ? "ahead" : "not at every one");
  repro_claim(r, 2 * MOST_APPS + 1, further, further ? "further" : "not both");
}

static void table3(repro_t *r) {
  crowd_shares_t c;
  crowd_shares(r, &c);
  for (uint32_t d = 0; d < 2; d++)
    for (uint32_t n = 0; n < MOST_APPS; n++)
      if (c.there[d][n]) repro_value(r, d * MOST_APPS + n, c.share[d][n]);
  crowd_claims(r, &c);
}

/* ---- table4: other GPUs ---------------------------------------------------------------------- */

static const paper_row_t table4_rows[] = {
    ROW("Fermi: PWCache against Ideal", "53.1 %", 531000, UNIT_PERCENT, RULE_SHARE),
    ROW("SharedTLB", "60.4 %", 604000, UNIT_PERCENT, RULE_SHARE),
    ROW("MASK", "78.0 %", 780000, UNIT_PERCENT, RULE_SHARE),
    ROW("integrated GPU: PWCache against Ideal", "52.1 %", 521000, UNIT_PERCENT, RULE_SHARE),
    ROW("SharedTLB", "38.2 %", 382000, UNIT_PERCENT, RULE_SHARE),
    ROW("MASK", "64.5 %", 645000, UNIT_PERCENT, RULE_SHARE),
    {0}};

static void table4(repro_t *r) {
  static const char *const gpus[] = {"fermi", "integrated"};
  static const char *const compared[] = {"pwcache", "sharedtlb", "mask"};
  for (uint32_t g = 0; g < 2; g++) {
    micro_t best, v;
    const machine_t top = {gpus[g], "ideal", {NULL, NULL}, true, false};
    bool ok = pairs_speedup(r, &top, r->plan->few, &best);
    for (uint32_t d = 0; d < 3; d++) {
      const machine_t m = {gpus[g], compared[d], {NULL, NULL}, true, false};
      if (pairs_speedup(r, &m, r->plan->few, &v) && ok)
        repro_value(r, 3 * g + d, micro_div(v, best));
    }
  }
}

/* ---- l2tlb ----------------------------------------------------------------------------------- */

static const paper_row_t l2tlb_rows[] = {
    ROW("MASK ahead of SharedTLB at every L2 TLB size below 8192 entries", "ahead", 0, UNIT_NUMBER,
        RULE_ORDER),
    ROW("difference at 8192 entries, where the working sets fit", "within 2 %", 20000, UNIT_PERCENT,
        RULE_BELOW, .acted = "l2tlb.side_hits", .source = PAPER_UNPRINTED),
    ROW("the lead is smaller with 8192 than with 64 entries", "smaller", 0, UNIT_NUMBER,
        RULE_CLAIM),
    {0}};

static bool lead_at(repro_t *r, uint32_t entries, table_t *t, micro_t *lead) {
  char size[32];
  micro_t own, other, best;
  snprintf(size, sizeof size, "l2tlb.entries=%u", entries);
  const machine_t m = {MASK_GPU, "mask", {size, NULL}, false, false},
                  s = {MASK_GPU, "sharedtlb", {size, NULL}, false, false},
                  top = {MASK_GPU, "ideal", {NULL, NULL}, false, false};
  bool has_own = pairs_speedup(r, &m, r->plan->few, &own);
  bool has_other = pairs_speedup(r, &s, r->plan->few, &other);
  bool has_best = pairs_speedup(r, &top, r->plan->few, &best);
  if (!has_own || !has_other || !has_best) return false;
  *lead = gain(own, other);
  table_printf(t, "%u", entries);
  repro_cell(t, other, 3), repro_cell(t, own, 3), repro_cell(t, best, 3);
  repro_percent(t, *lead);
  return true;
}

/* Sizes from 64 to 8192 entries; all of them, or 64, 512 and 8192. */
static void l2tlb(repro_t *r) {
  table_t *t = repro_table(r, "Mean weighted speed-up by entries of the L2 TLB");
  static const char *const columns[] = {"entries", "SharedTLB", "MASK", "Ideal", "lead %"};
  for (uint32_t i = 0; i < 5; i++) table_column(t, columns[i], TABLE_RIGHT);
  micro_t lead = 0, first = 0, least = INT64_MAX;
  bool few = r->plan->points == 3, ok = true;
  uint32_t ahead = 0, below_last = 0, step = few ? 3 : 1;
  for (uint32_t log = 6; log <= 13; log += log == 9 && few ? 4 : step) {
    ok &= lead_at(r, 1u << log, t, &lead);
    if (log == 6) first = lead;
    if (log < 13) below_last++, ahead += lead > 0;
    if (log < 13 && lead < least) least = lead;
  }
  if (!ok) return;
  repro_margin(r, 0, least), repro_margin(r, 2, first > 0 ? first - lead : first);
  bool shrinks = first > 0 && lead < first;
  repro_claim(r, 0, ahead == below_last, "ahead at %u of %u", ahead, below_last);
  repro_value(r, 1, lead < 0 ? -lead : lead);
  const machine_t smallest = {MASK_GPU, "mask", {"l2tlb.entries=64", NULL}, false, false};
  const lab_result_t *x[PAIRS_MAX];
  if (pairs_results(r, &smallest, r->plan->few, x))
    repro_acted(r, 1, total_of(x, r->plan->few, "l2tlb.side_hits"));
  repro_note(r, 1, lead < 0 ? "behind" : "ahead");
  repro_claim(r, 2, shrinks, shrinks ? "smaller" : "not smaller");
}

/* ---- page2m ---------------------------------------------------------------------------------- */

static const paper_row_t page2m_rows[] = {
    ROW("2 MB pages: SharedTLB below Ideal", "44.5 %", 445000, UNIT_PERCENT, RULE_VALUE),
    ROW("2 MB pages: MASK below Ideal", "1.8 %", 18000, UNIT_PERCENT, RULE_VALUE),
    ROW("walks under way per SM, the most of any pair", "at most 5", 5 * MICRO, UNIT_NUMBER,
        RULE_BELOW, .acted = "walk.walks"),
    ROW("warps stalled per walk, mean (\"nearly all\" of 64)", "near 64", 64 * MICRO, UNIT_NUMBER,
        RULE_RATE),
    {0}};

static void page2m_walks(repro_t *r, const machine_t *shared) {
  const lab_result_t *x[PAIRS_MAX];
  micro_t most = 0, warps[PAIRS_MAX];
  uint32_t count = r->plan->few,
           sms = share_total_sms(&(lab_run_t){.gpu = MASK_GPU, .design = SHARE_BASELINE});
  if (!pairs_results(r, shared, count, x)) return;
  for (uint32_t i = 0; i < count; i++) {
    micro_t v = micro_ratio(total(x[i], "walk.active_cycles"), lab_u64(x[i], "cycles") * sms);
    if (v > most) most = v;
    warps[i] = micro_ratio(total(x[i], "walk.warps_stalled"), total(x[i], "walk.walks"));
  }
  repro_value(r, 2, most);
  repro_acted(r, 2, total_of(x, count, "walk.walks"));
  repro_value(r, 3, micro_mean(warps, count));
}

static void page2m(repro_t *r) {
  static const char large[] = "mem.manager=large-only";
  const machine_t top = {MASK_GPU, "ideal", {large, NULL}, false, false},
                  own = {MASK_GPU, "mask", {large, NULL}, false, false},
                  shared = {MASK_GPU, "sharedtlb", {large, NULL}, false, false};
  micro_t best, a, b;
  bool ok = pairs_speedup(r, &top, r->plan->few, &best);
  bool has_a = pairs_speedup(r, &shared, r->plan->few, &a);
  bool has_b = pairs_speedup(r, &own, r->plan->few, &b);
  if (ok && has_a) repro_value(r, 0, loss(a, best));
  if (ok && has_b) repro_value(r, 1, loss(b, best));
  page2m_walks(r, &shared);
}

/* ---- rowpolicy ------------------------------------------------------------------------------- */

#define ROW_HITS "dram.data.row_hits"

static const paper_row_t rowpolicy_rows[] = {
    ROW("MASK: closed against open rows, difference", "within 0.8 %", 8000, UNIT_PERCENT,
        RULE_BELOW, .acted = ROW_HITS),
    ROW("SharedTLB", "within 0.8 %", 8000, UNIT_PERCENT, RULE_BELOW, .acted = ROW_HITS),
    ROW("PWCache", "within 0.8 %", 8000, UNIT_PERCENT, RULE_BELOW, .acted = ROW_HITS),
    ROW("Static", "within 0.8 %", 8000, UNIT_PERCENT, RULE_BELOW, .acted = ROW_HITS),
    ROW("MASK over SharedTLB, both with the scheduler of Jog et al.", "44.2 %", 442000,
        UNIT_PERCENT, RULE_VALUE),
    {0}};

/* What a closed row cannot have. */
static uint64_t open_hits(repro_t *r, const machine_t *m) {
  const lab_result_t *x[PAIRS_MAX];
  uint32_t count = r->plan->few;
  return pairs_results(r, m, count, x) ? total_of(x, count, ROW_HITS) : 0;
}

static void rowpolicy(repro_t *r) {
  static const char *const design[] = {"mask", "sharedtlb", "pwcache", "static"};
  const machine_t other = {MASK_GPU, "mask", {"dram.scheduler=fr-rr-fcfs", NULL}, false, false},
                  base = {MASK_GPU, "sharedtlb", {"dram.scheduler=fr-rr-fcfs", NULL}, false, false};
  micro_t a, b;
  for (uint32_t d = 0; d < 4; d++) {
    const machine_t open = {MASK_GPU, design[d], {NULL, NULL}, false, false},
                    closed = {MASK_GPU, design[d], {"dram.closed_row=true", NULL}, false, false};
    bool has_a = pairs_speedup(r, &closed, r->plan->few, &a);
    bool has_b = pairs_speedup(r, &open, r->plan->few, &b);
    if (has_a && has_b) repro_value(r, d, gain(a, b) < 0 ? -gain(a, b) : gain(a, b));
    repro_acted(r, d, open_hits(r, &open));
  }
  bool has_a = pairs_speedup(r, &other, r->plan->few, &a);
  bool has_b = pairs_speedup(r, &base, r->plan->few, &b);
  if (has_a && has_b) repro_value(r, 4, gain(a, b));
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mask_more[] = {
    EXPERIMENT("mask/table3", "one to five applications against Ideal", table3_rows, table3),
    ONE_POINT("mask/table4", "other GPUs", table4_rows, table4),
    EXPERIMENT("mask/l2tlb", "sizes of the L2 TLB", l2tlb_rows, l2tlb),
    EXPERIMENT("mask/page2m", "2 MB pages", page2m_rows, page2m),
    EXPERIMENT("mask/rowpolicy", "row policy and memory scheduler", rowpolicy_rows, rowpolicy),
    {0}};
