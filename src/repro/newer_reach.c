/* Headline results of mechanisms that widen the reach of TLBs or replace their entries (STAR, CoLT,
 * DEPOT, idle scratchpad), that come before translation (Avatar, a virtual L1), and of tables and
 * memory (FS-HPT, unified memory).
 *
 * STAR is run on the machine of its paper, which is shared by three tenants; the others' abstracts
 * name no machine that is modelled, and they are run on `maxwell`. Programs are NeiDty's eight, the
 * list of a paper: those of the papers themselves are not known here, and no program was chosen by
 * what came out. Each is executed once. A gain is the mean over programs of instructions per cycle
 * over the baseline's. Invariant: a function asks for all its runs before it looks at one. */
#include "repro/repro.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define APPS 8
static const char *const app_name[APPS] = {"lud",  "mis",  "pagerank", "color",
                                           "srad", "atax", "bc",       "adi"};

static void name_app(const repro_t *r, lab_run_t *run, uint32_t app) {
  snprintf(run->app[run->apps++], sizeof run->app[0], "%s:size=%s,seed=%" PRIu64, app_name[app],
           r->plan->size, r->plan->seed);
}

static const lab_result_t *ask(repro_t *r, const lab_run_t *run) {
  const lab_result_t *x = lab_run(r->lab, run);
  return repro_has(r, x) ? x : NULL;
}

static micro_t ipc(const lab_result_t *x, uint32_t app) {
  ipc_t i = lab_window_ipc(x, app);
  return micro_ratio(i.instructions, i.cycles);
}

static uint64_t sum(const lab_result_t *x, uint32_t apps, const char *counter) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < apps; a++) {
    char path[96];
    snprintf(path, sizeof path, "apps[%u].%s", a, counter);
    n += lab_u64(x, path);
  }
  return n;
}

/* ---- STAR ------------------------------------------------------------------------------------ */

#define TENANTS 3
#define MIXES   3
enum { STAR_BASE, STAR_BOTH, STAR_SEQUENTIAL, STAR_STRIDE, STAR_DESIGNS };
static const char *const star_layout[STAR_DESIGNS] = {NULL, "both", "sequential", "stride"};

static const paper_row_t star_rows[] = {
    ROW("three tenants: gain over entries of one base", "28.7 %", 287000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l3tlb.array.shared", .source = PAPER_REPORTED),
    ROW("hit rate of the last level, relative", "+32.8 %", 328000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l3tlb.array.second_hits", .source = PAPER_REPORTED),
    ROW("gain with the sequential layout alone", "19.2 %", 192000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l3tlb.array.sequential", .source = PAPER_REPORTED),
    ROW("gain with the stride layout alone", "19.7 %", 197000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l3tlb.array.stride", .source = PAPER_REPORTED),
    {0}};

/* Tenants are neighbours in the list; the last mix begins anew. */
static const lab_result_t *star_run(repro_t *r, uint32_t mix, uint32_t design) {
  lab_run_t run = {.apps = 0};
  snprintf(run.gpu, sizeof run.gpu, "star");
  snprintf(run.design, sizeof run.design, "%s", design ? "star" : "native");
  for (uint32_t t = 0; t < TENANTS; t++) name_app(r, &run, (mix * TENANTS + t) % APPS);
  static const char *const shared[] = {"share.mode=mig", "share.mig=3;2;2", "share.mig_tlb=true",
                                       "share.mig_walkers=true"};
  for (uint32_t i = 0; i < sizeof shared / sizeof *shared; i++)
    snprintf(run.set[run.sets++], sizeof run.set[0], "%s", shared[i]);
  if (design > STAR_BOTH)
    snprintf(run.set[run.sets++], sizeof run.set[0], "star.layout=%s", star_layout[design]);
  return ask(r, &run);
}

static micro_t hit_rate(const lab_result_t *x, uint32_t apps, const char *level) {
  char hits[32], lookups[32];
  snprintf(hits, sizeof hits, "%s.hits", level);
  snprintf(lookups, sizeof lookups, "%s.lookups", level);
  return micro_ratio(sum(x, apps, hits), sum(x, apps, lookups));
}

static void star_headline(repro_t *r) {
  const lab_result_t *x[STAR_DESIGNS][MIXES];
  micro_t gain[STAR_DESIGNS][MIXES], hits[MIXES];
  bool ok = true;
  for (uint32_t d = 0; d < STAR_DESIGNS; d++)
    for (uint32_t m = 0; m < MIXES; m++) ok &= (x[d][m] = star_run(r, m, d)) != NULL;
  if (!ok) return;
  table_t *t = repro_table(r, "Three tenants: gain over entries of one base, in %");
  table_column(t, "tenants", TABLE_LEFT);
  for (uint32_t d = STAR_BOTH; d < STAR_DESIGNS; d++) table_column(t, star_layout[d], TABLE_RIGHT);
  for (uint32_t m = 0; m < MIXES; m++) {
    char who[64];
    snprintf(who, sizeof who, "%s, %s, %s", app_name[m * TENANTS % APPS],
             app_name[(m * TENANTS + 1) % APPS], app_name[(m * TENANTS + 2) % APPS]);
    table_cell(t, who);
    for (uint32_t d = STAR_BOTH; d < STAR_DESIGNS; d++) {
      micro_t v[TENANTS];
      for (uint32_t a = 0; a < TENANTS; a++)
        v[a] = micro_div(ipc(x[d][m], a), ipc(x[STAR_BASE][m], a)) - MICRO;
      repro_percent(t, gain[d][m] = micro_mean(v, TENANTS));
    }
    hits[m] = micro_div(hit_rate(x[STAR_BOTH][m], TENANTS, "l3tlb"),
                        hit_rate(x[STAR_BASE][m], TENANTS, "l3tlb")) -
              MICRO;
  }
  static const struct {
    uint32_t design;
    const char *acted;
  } row[] = {{STAR_BOTH, "l3tlb.array.shared"},
             {STAR_BOTH, "l3tlb.array.second_hits"},
             {STAR_SEQUENTIAL, "l3tlb.array.sequential"},
             {STAR_STRIDE, "l3tlb.array.stride"}};
  for (uint32_t i = 0; i < 4; i++) {
    uint64_t acted = 0;
    for (uint32_t m = 0; m < MIXES; m++) acted += sum(x[row[i].design][m], TENANTS, row[i].acted);
    repro_value(r, i, micro_mean(i == 1 ? hits : gain[row[i].design], MIXES));
    repro_acted(r, i, acted);
  }
}

/* ---- programs alone -------------------------------------------------------------------------- */

typedef const lab_result_t *results_t[APPS];
static bool alone(repro_t *r, const char *design, results_t out) {
  bool ok = true;
  for (uint32_t a = 0; a < APPS; a++) {
    lab_run_t run = {.apps = 0};
    snprintf(run.gpu, sizeof run.gpu, "maxwell");
    snprintf(run.design, sizeof run.design, "%s", design);
    name_app(r, &run, a);
    ok &= (out[a] = ask(r, &run)) != NULL;
  }
  return ok;
}

/* All programs under a design, and two measures of each. */
typedef struct {
  results_t x;
  micro_t first[APPS], second[APPS];
} measured_t;
/* Of a program under the design, and without it. */
typedef micro_t (*measure_t)(const lab_result_t *x, const lab_result_t *base);

static micro_t gain_of(const lab_result_t *x, const lab_result_t *base) {
  return micro_div(ipc(x, 0), ipc(base, 0)) - MICRO;
}

/* The measures stand in a table, in %; their columns are called `first` and `second`. False while
 * a run is missing. */
static bool measure(repro_t *r, const char *design, const char *title, const char *first,
                    measure_t of_first, const char *second, measure_t of_second, measured_t *m) {
  results_t base;
  bool ok = alone(r, "native", base);
  if (!alone(r, design, m->x) || !ok) return false;
  table_t *t = repro_table(r, title);
  table_column(t, "application", TABLE_LEFT);
  table_column(t, first, TABLE_RIGHT), table_column(t, second, TABLE_RIGHT);
  for (uint32_t a = 0; a < APPS; a++) {
    m->first[a] = of_first(m->x[a], base[a]), m->second[a] = of_second(m->x[a], base[a]);
    table_cell(t, app_name[a]);
    repro_percent(t, m->first[a]), repro_percent(t, m->second[a]);
  }
  return true;
}

static micro_t most(const micro_t *v) {
  micro_t best = v[0];
  for (uint32_t a = 1; a < APPS; a++) best = v[a] > best ? v[a] : best;
  return best;
}

static uint64_t total(const results_t x, const char *counter) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < APPS; a++) n += sum(x[a], 1, counter);
  return n;
}

/* ---- DEPOT ----------------------------------------------------------------------------------- */

static const paper_row_t depot_rows[] = {
    ROW("gain, the largest of the programs", "up to 72 %", 720000, UNIT_PERCENT, RULE_VALUE,
        .acted = "l2tlb.array.spared"),
    ROW("L2 TLB fills of what was just evicted, most of a program", "up to 99 %", 990000,
        UNIT_PERCENT, RULE_RATE, .acted = "l2tlb.array.returned"),
    ROW("no program is slower by more than 1 %", "zero overhead on others", 0, UNIT_NUMBER,
        RULE_CLAIM, .acted = "l2tlb.array.spared"),
    {0}};

static micro_t returned_of(const lab_result_t *x, const lab_result_t *base) {
  (void)base;
  return micro_ratio(sum(x, 1, "l2tlb.array.returned"), sum(x, 1, "l2tlb.fills"));
}

static void depot_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "depot", "DEPOT: gain, and fills of what was just evicted, in %", "gain", gain_of,
               "returned", returned_of, &m))
    return;
  micro_t worst = 0;
  for (uint32_t a = 0; a < APPS; a++) worst = m.first[a] < worst ? m.first[a] : worst;
  uint64_t spared = total(m.x, "l2tlb.array.spared");
  repro_value(r, 0, most(m.first)), repro_acted(r, 0, spared);
  repro_value(r, 1, most(m.second)), repro_acted(r, 1, total(m.x, "l2tlb.array.returned"));
  repro_claim(r, 2, worst > -MICRO / 100, "%s", worst > -MICRO / 100 ? "yes" : "no");
  repro_acted(r, 2, spared);
}

/* ---- CoLT ------------------------------------------------------------------------------------ */

static const paper_row_t colt_rows[] = {
    ROW("walks that are saved, mean", "40 to 58 % of TLB misses", 400000, UNIT_PERCENT, RULE_ABOVE,
        .acted = "l2tlb.array.runs"),
    ROW("gain, mean", "14 %", 140000, UNIT_PERCENT, RULE_VALUE, .acted = "l2tlb.array.runs"),
    {0}};

static micro_t saved_of(const lab_result_t *x, const lab_result_t *base) {
  return MICRO - micro_ratio(sum(x, 1, "walk.walks"), sum(base, 1, "walk.walks"));
}

/* Its paper is about CPUs: its programs, and what a miss costs them, are others. */
static void colt_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "colt", "CoLT: walks that are saved, and gain, in %", "saved", saved_of, "gain",
               gain_of, &m))
    return;
  uint64_t runs = total(m.x, "l2tlb.array.runs");
  repro_value(r, 0, micro_mean(m.first, APPS)), repro_acted(r, 0, runs);
  repro_value(r, 1, micro_mean(m.second, APPS)), repro_acted(r, 1, runs);
}

/* ---- idle scratchpad ------------------------------------------------------------------------- */

static const paper_row_t scratch_rows[] = {
    ROW("gain, mean", "30.1 %", 301000, UNIT_PERCENT, RULE_VALUE, .acted = "victim.hits"), {0}};

static micro_t scratch_rate(const lab_result_t *x, const lab_result_t *base) {
  (void)base;
  return micro_ratio(sum(x, 1, "victim.hits"), sum(x, 1, "victim.lookups"));
}

static void scratch_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "scratchpad", "Idle scratchpad: gain, and its look-ups that hit, in %", "gain",
               gain_of, "hits", scratch_rate, &m))
    return;
  repro_value(r, 0, micro_mean(m.first, APPS)), repro_acted(r, 0, total(m.x, "victim.hits"));
}

/* ---- Avatar ---------------------------------------------------------------------------------- */

static const paper_row_t avatar_rows[] = {
    ROW("gain of CAST alone, mean", "29.1 %", 291000, UNIT_PERCENT, RULE_VALUE,
        .acted = "speculation.lines", .source = PAPER_REPORTED),
    ROW("guesses that are right", "90.3 %", 903000, UNIT_PERCENT, RULE_RATE,
        .acted = "speculation.guesses", .source = PAPER_REPORTED),
    ROW("first-level misses that are guessed right", "73.4 %", 734000, UNIT_PERCENT, RULE_RATE,
        .acted = "speculation.guesses", .source = PAPER_REPORTED),
    {0}};

static micro_t avatar_rate(const lab_result_t *x, const lab_result_t *base) {
  (void)base;
  return micro_ratio(sum(x, 1, "speculation.right"), sum(x, 1, "speculation.misses"));
}

static void avatar_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "avatar", "Avatar: gain, and misses that are guessed right, in %", "gain",
               gain_of, "right", avatar_rate, &m))
    return;
  uint64_t guesses = total(m.x, "speculation.guesses"), right = total(m.x, "speculation.right");
  repro_value(r, 0, micro_mean(m.first, APPS)), repro_acted(r, 0, total(m.x, "speculation.lines"));
  repro_value(r, 1, micro_ratio(right, guesses)), repro_acted(r, 1, guesses);
  repro_value(r, 2, micro_ratio(right, total(m.x, "speculation.misses")));
  repro_acted(r, 2, guesses);
}

/* ---- a virtual L1 ---------------------------------------------------------------------------- */

/* Its paper has a virtual L2, too. L1 alone was measured by Marching Page Walks. */
static const paper_row_t virtual_rows[] = {
    ROW("walks with a virtual L1 alone", "-18.3 %", -183000, UNIT_PERCENT, RULE_VALUE,
        .acted = "virtual_l1.lookups", .source = PAPER_REPORTED),
    {0}};

static micro_t walks_of(const lab_result_t *x, const lab_result_t *base) {
  return -saved_of(x, base);
}

static void virtual_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "virtual-l1", "Virtual L1: walks, and gain, in %", "walks", walks_of, "gain",
               gain_of, &m))
    return;
  repro_value(r, 0, micro_mean(m.first, APPS));
  repro_acted(r, 0, total(m.x, "virtual_l1.lookups"));
}

/* ---- FS-HPT ---------------------------------------------------------------------------------- */

static const paper_row_t hashed_rows[] = {ROW("gain over the radix table, mean", "27.8 %", 278000,
                                              UNIT_PERCENT, RULE_VALUE, .acted = "hashed.walks"),
                                          ROW("memory references of a walk", "1.01", 1010000,
                                              UNIT_NUMBER, RULE_RATE, .acted = "hashed.walks"),
                                          ROW("steps that the step cache has", "> 99 %", 990000,
                                              UNIT_PERCENT, RULE_RATE, .acted = "hashed.walks"),
                                          {0}};

static micro_t hashed_rate(const lab_result_t *x, const lab_result_t *base) {
  (void)base;
  return micro_ratio(sum(x, 1, "walk.levels[0].pwc_hits"), sum(x, 1, "walk.levels[0].reads"));
}

static void hashed_headline(repro_t *r) {
  measured_t m;
  if (!measure(r, "fs-hpt", "FS-HPT: gain, and steps that the cache has, in %", "gain", gain_of,
               "steps", hashed_rate, &m))
    return;
  uint64_t reads = total(m.x, "walk.reads") - total(m.x, "walk.pwc_hits"),
           acted = total(m.x, "hashed.walks");
  repro_value(r, 0, micro_mean(m.first, APPS));
  repro_value(r, 1, micro_ratio(reads, total(m.x, "walk.walks")));
  repro_value(r, 2, micro_mean(m.second, APPS));
  for (uint32_t i = 0; i < 3; i++) repro_acted(r, i, acted);
}

/* ---- unified memory -------------------------------------------------------------------------- */

/* From the abstract of MSched (2026), which is about programs that share a GPU. */
static const paper_row_t uvm_rows[] = {ROW("slowdown by demand paging, the largest", "up to 78x",
                                           78 * MICRO, UNIT_NUMBER, RULE_VALUE,
                                           .acted = "paging.faults"),
                                       {0}};

static void uvm_headline(repro_t *r) {
  results_t base, x;
  bool ok = alone(r, "native", base);
  if (!alone(r, "uvm", x) || !ok) return;
  table_t *t = repro_table(r, "Unified memory: slowdown, and far faults");
  table_column(t, "application", TABLE_LEFT);
  table_column(t, "slowdown", TABLE_RIGHT), table_column(t, "faults", TABLE_RIGHT);
  micro_t slow[APPS];
  for (uint32_t a = 0; a < APPS; a++) {
    slow[a] = micro_div(ipc(base[a], 0), ipc(x[a], 0));
    char text[2][32];
    snprintf(text[0], sizeof text[0], "%" PRId64 ".%02" PRId64, slow[a] / MICRO,
             slow[a] % MICRO / 10000);
    snprintf(text[1], sizeof text[1], "%" PRIu64, sum(x[a], 1, "paging.faults"));
    table_cell(t, app_name[a]), table_cell(t, text[0]), table_cell(t, text[1]);
  }
  repro_value(r, 0, most(slow)), repro_acted(r, 0, total(x, "paging.faults"));
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_newer_reach[] = {
    EXPERIMENT("star/headline", "shared sub-entries of the last TLB level, three tenants",
               star_rows, star_headline),
    EXPERIMENT("colt/headline", "coalesced entries", colt_rows, colt_headline),
    EXPERIMENT("depot/headline", "protection of translations that return", depot_rows,
               depot_headline),
    EXPERIMENT("scratchpad/headline", "idle scratchpad as a victim TLB", scratch_rows,
               scratch_headline),
    EXPERIMENT("avatar/headline", "Avatar's speculation, CAST", avatar_rows, avatar_headline),
    EXPERIMENT("virtual-l1/headline", "a virtual L1", virtual_rows, virtual_headline),
    EXPERIMENT("fs-hpt/headline", "a hashed page table of fixed size", hashed_rows,
               hashed_headline),
    EXPERIMENT("uvm/headline", "unified memory as NVIDIA's driver serves it", uvm_rows,
               uvm_headline),
    {0}};
