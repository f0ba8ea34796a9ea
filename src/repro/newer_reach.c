/* Headline results of mechanisms that widen the reach of TLBs or replace their entries: STAR, CoLT
 * and DEPOT.
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

static micro_t gain_of(const lab_result_t *x, const lab_result_t *base) {
  return micro_div(ipc(x, 0), ipc(base, 0)) - MICRO;
}

static micro_t most(const micro_t *v) {
  micro_t best = v[0];
  for (uint32_t a = 1; a < APPS; a++) best = v[a] > best ? v[a] : best;
  return best;
}

static table_t *app_table(repro_t *r, const char *title, const char *first, const char *second) {
  table_t *t = repro_table(r, title);
  table_column(t, "application", TABLE_LEFT);
  table_column(t, first, TABLE_RIGHT), table_column(t, second, TABLE_RIGHT);
  return t;
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

static void depot_headline(repro_t *r) {
  results_t base, x;
  bool ok = alone(r, "native", base);
  if (!alone(r, "depot", x) || !ok) return;
  table_t *t =
      app_table(r, "DEPOT: gain, and fills of what was just evicted, in %", "gain", "returned");
  micro_t gain[APPS], back[APPS], worst = 0;
  uint64_t spared = 0, returned = 0;
  for (uint32_t a = 0; a < APPS; a++) {
    gain[a] = gain_of(x[a], base[a]);
    back[a] = micro_ratio(sum(x[a], 1, "l2tlb.array.returned"), sum(x[a], 1, "l2tlb.fills"));
    worst = gain[a] < worst ? gain[a] : worst;
    spared += sum(x[a], 1, "l2tlb.array.spared"), returned += sum(x[a], 1, "l2tlb.array.returned");
    table_cell(t, app_name[a]), repro_percent(t, gain[a]), repro_percent(t, back[a]);
  }
  repro_value(r, 0, most(gain)), repro_acted(r, 0, spared);
  repro_value(r, 1, most(back)), repro_acted(r, 1, returned);
  repro_claim(r, 2, worst > -MICRO / 100, "%s", worst > -MICRO / 100 ? "yes" : "no");
  repro_acted(r, 2, spared);
}

/* ---- CoLT ------------------------------------------------------------------------------------ */

static const paper_row_t colt_rows[] = {
    ROW("walks that are saved, mean", "40 to 58 % of TLB misses", 400000, UNIT_PERCENT, RULE_ABOVE,
        .acted = "l2tlb.array.runs"),
    ROW("gain, mean", "14 %", 140000, UNIT_PERCENT, RULE_VALUE, .acted = "l2tlb.array.runs"),
    {0}};

/* Its paper is about CPUs: its programs, and what a miss costs them, are others. */
static void colt_headline(repro_t *r) {
  results_t base, x;
  bool ok = alone(r, "native", base);
  if (!alone(r, "colt", x) || !ok) return;
  table_t *t = app_table(r, "CoLT: walks that are saved, and gain, in %", "saved", "gain");
  micro_t gain[APPS], saved[APPS];
  uint64_t runs = 0;
  for (uint32_t a = 0; a < APPS; a++) {
    gain[a] = gain_of(x[a], base[a]);
    saved[a] = MICRO - micro_ratio(sum(x[a], 1, "walk.walks"), sum(base[a], 1, "walk.walks"));
    runs += sum(x[a], 1, "l2tlb.array.runs");
    table_cell(t, app_name[a]), repro_percent(t, saved[a]), repro_percent(t, gain[a]);
  }
  repro_value(r, 0, micro_mean(saved, APPS)), repro_acted(r, 0, runs);
  repro_value(r, 1, micro_mean(gain, APPS)), repro_acted(r, 1, runs);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_newer_reach[] = {
    EXPERIMENT("star/headline", "shared sub-entries of the last TLB level, three tenants",
               star_rows, star_headline),
    EXPERIMENT("colt/headline", "coalesced entries", colt_rows, colt_headline),
    EXPERIMENT("depot/headline", "protection of translations that return", depot_rows,
               depot_headline),
    {0}};
