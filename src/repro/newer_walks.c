/* Mechanisms of page walks and of MSHRs: the headline numbers of DWS, SIMT-aware scheduling, NHA,
 * Marching Page Walks, LATPC and SoftWalker, each on the machine that its paper has, or the nearest
 * that can be built.
 *
 * Programs are those of a paper's list that the suite has, at the footprints of that list; where no
 * list is known, those of the suite with the pattern that the paper names. No result decided. Runs
 * end after CYCLES; a gain is of instructions per cycle, the mean over programs. Invariant: a
 * function asks for all its runs before it looks at one. */
#include "repro/repro.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CYCLES 100000 /* a guess: some thousand walks */
#define MOST   12     /* programs */

/* ---- machines and programs ------------------------------------------------------------------- */

typedef struct {
  const char *gpu, *set[4];
  const char *app[MOST]; /* "a+b": side by side */
} bench_t;

/* Marching Page Walks, its Table II at its footprints; the suite has no lbm, mst, dmr. */
static const bench_t marching_bench = {
    .gpu = "marching",
    .app = {"lud", "nw", "sssp:size=53M", "bfs:size=78M", "bicg:size=32M", "gups:size=960M"}};
/* LATPC, its Table 3; its machine has 30 SMs, first-level TLBs of 8 MSHRs and 16 walkers. */
static const bench_t latpc_bench = {.gpu = "marching",
                                    .set = {"l1tlb.mshrs=8", "walk.threads=16", "l2tlb.mshrs=128"},
                                    .app = {"atax", "bicg:size=8M", "fdtd:size=6M",
                                            "kmeans:size=30M", "gesummv:size=6M", "mvt:size=9M",
                                            "nw", "bfs:size=37M", "sssp:size=48M"}};
/* SoftWalker calls programs irregular whose pages come at random; no list of them is known. */
static const bench_t soft_bench = {
    .gpu = "softwalker",
    .app = {"gups:size=960M", "bfs:size=78M", "sssp:size=53M", "ell:size=64M", "join:size=64M"}};
/* SIMT-aware and NHA: a row per lane, so that every lane is in another page. */
static const bench_t lanes_bench = {
    .gpu = "marching",
    .set = {"walk.threads=8"},
    .app = {"mvt:size=64M", "bicg:size=64M", "gesummv:size=64M", "atax"}};
/* DWS: pairs of MASK's classes, high miss rates beside low ones, in order of their names; 16
 * walkers, as in the authors' configuration. */
static const bench_t pairs_bench = {.gpu = "maxwell",
                                    .set = {"walk.threads=16"},
                                    .app = {"3ds+lud", "blk+nn", "cfd+lud", "cons+nn"}};

static uint32_t programs(const bench_t *b) {
  uint32_t n = 0;
  while (n < MOST && b->app[n]) n++;
  return n;
}

static void put_app(const repro_t *r, const char *text, size_t size, char out[LAB_TEXT_BYTES]) {
  bool sized = memchr(text, ':', size) != NULL;
  snprintf(out, LAB_TEXT_BYTES, "%.*s%s%s%sseed=%" PRIu64, (int)size, text,
           sized ? "" : ":size=", sized ? "" : r->plan->size, ",", r->plan->seed);
}

static const lab_result_t *result(repro_t *r, const bench_t *b, uint32_t app, const char *design) {
  lab_run_t run = {.apps = 1};
  const char *text = b->app[app], *plus = strchr(text, '+');
  snprintf(run.gpu, sizeof run.gpu, "%s", b->gpu);
  snprintf(run.design, sizeof run.design, "%s", design);
  put_app(r, text, plus ? (size_t)(plus - text) : strlen(text), run.app[0]);
  if (plus) put_app(r, plus + 1, strlen(plus + 1), run.app[run.apps++]);
  for (uint32_t i = 0; i < 4 && b->set[i]; i++)
    snprintf(run.set[run.sets++], sizeof run.set[0], "%s", b->set[i]);
  run.limits.cycles = r->plan->quick ? CYCLES / 10 : CYCLES;
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

typedef const lab_result_t *results_t[MOST];
static bool all(repro_t *r, const bench_t *b, const char *design, results_t out) {
  bool ok = true;
  for (uint32_t a = 0; a < programs(b); a++) ok &= (out[a] = result(r, b, a, design)) != NULL;
  return ok;
}

/* ---- measures -------------------------------------------------------------------------------- */

static uint32_t apps_of(const bench_t *b, uint32_t a) { return strchr(b->app[a], '+') ? 2 : 1; }

/* Of a program, or the mean of the two of a pair. */
static micro_t gain_of(const bench_t *b, uint32_t a, const lab_result_t *x,
                       const lab_result_t *base) {
  micro_t each[2];
  for (uint32_t i = 0; i < apps_of(b, a); i++) {
    ipc_t v = lab_window_ipc(x, i), w = lab_window_ipc(base, i);
    each[i] = !w.instructions || !v.cycles ? 0
                                           : micro_div(micro_ratio(v.instructions, v.cycles),
                                                       micro_ratio(w.instructions, w.cycles)) -
                                                 MICRO;
  }
  return micro_mean(each, apps_of(b, a));
}

static micro_t mean_gain(const bench_t *b, const results_t x, const results_t base) {
  micro_t v[MOST];
  for (uint32_t a = 0; a < programs(b); a++) v[a] = gain_of(b, a, x[a], base[a]);
  return micro_mean(v, programs(b));
}

/* A counter of all programs. */
static uint64_t sum(const bench_t *b, const results_t x, const char *counter) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < programs(b); a++)
    for (uint32_t i = 0; i < apps_of(b, a); i++) {
      char path[96];
      snprintf(path, sizeof path, "apps[%u].%s", i, counter);
      n += repro_count(x[a], path);
    }
  return n;
}

/* What is left of a mean over walks: 1 minus it is the saving. */
static micro_t saved(const bench_t *b, const results_t x, const results_t base,
                     const char *counter) {
  micro_t now = micro_ratio(sum(b, x, counter), sum(b, x, "walk.walks"));
  micro_t then = micro_ratio(sum(b, base, counter), sum(b, base, "walk.walks"));
  return then ? micro_div(now, then) - MICRO : 0;
}

static void details(repro_t *r, const bench_t *b, const char *const design[], const results_t x[],
                    uint32_t designs, const results_t base) {
  table_t *t = repro_table(r, "Gain in instructions per cycle over the GPU without it, in %");
  table_column(t, "program", TABLE_LEFT);
  for (uint32_t d = 0; d < designs; d++) table_column(t, design[d], TABLE_RIGHT);
  for (uint32_t a = 0; a < programs(b); a++) {
    table_cell(t, b->app[a]);
    for (uint32_t d = 0; d < designs; d++) repro_percent(t, gain_of(b, a, x[d][a], base[a]));
  }
}

/* All programs under a list of designs, of which the first is the baseline. */
#define DESIGNS 5
static bool run_all(repro_t *r, const bench_t *b, const char *const design[], uint32_t designs,
                    results_t x[DESIGNS]) {
  bool ok = true;
  for (uint32_t d = 0; d < designs; d++) ok &= all(r, b, design[d], x[d]);
  if (ok) details(r, b, design + 1, (const results_t *)x + 1, designs - 1, x[0]);
  return ok;
}

/* ---- DWS ------------------------------------------------------------------------------------- */

static const paper_row_t dws_rows[] = {
    ROW("DWS: gain of pairs", "37 %", 370000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.stolen", .source = PAPER_REPORTED),
    ROW("DWS++ gains as much or more", "yes", 0, UNIT_NUMBER, RULE_CLAIM,
        .acted = "walkpolicy.stolen", .source = PAPER_UNPRINTED),
    {0}};

static void dws(repro_t *r) {
  static const char *const design[] = {"native", "dws", "dws++"};
  const bench_t *b = &pairs_bench;
  results_t x[DESIGNS];
  if (!run_all(r, b, design, 3, x)) return;
  micro_t plain = mean_gain(b, x[1], x[0]), plus = mean_gain(b, x[2], x[0]);
  repro_acted(r, 0, sum(b, x[1], "walkpolicy.stolen"));
  repro_value(r, 0, plain);
  repro_acted(r, 1, sum(b, x[2], "walkpolicy.stolen"));
  repro_claim(r, 1, plus >= plain, "%+" PRId64 " and %+" PRId64 " permille", plus / 1000,
              plain / 1000);
  repro_margin(r, 1, plus - plain);
}

/* ---- SIMT-aware scheduling ------------------------------------------------------------------- */

static const paper_row_t simt_rows[] = {ROW("gain of irregular programs", "30 %", 300000,
                                            UNIT_PERCENT, RULE_VALUE,
                                            .acted = "walkpolicy.batched"),
                                        {0}};

static void simt(repro_t *r) {
  static const char *const design[] = {"native", "simt"};
  results_t x[DESIGNS];
  if (!run_all(r, &lanes_bench, design, 2, x)) return;
  repro_acted(r, 0, sum(&lanes_bench, x[1], "walkpolicy.batched"));
  repro_value(r, 0, mean_gain(&lanes_bench, x[1], x[0]));
}

/* ---- NHA ------------------------------------------------------------------------------------- */

static const paper_row_t nha_rows[] = {
    ROW("page-table reads of a walk", "-37 %", -370000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.shared"),
    ROW("gain", "1.7x", 700000, UNIT_PERCENT, RULE_VALUE, .acted = "walkpolicy.shared"),
    ROW("gain on Marching Page Walks' programs", "16.6 %", 166000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.shared", .source = PAPER_REPORTED),
    {0}};

static void nha(repro_t *r) {
  static const char *const design[] = {"native", "nha"};
  results_t x[DESIGNS], y[DESIGNS];
  bool own = run_all(r, &lanes_bench, design, 2, x),
       other = run_all(r, &marching_bench, design, 2, y);
  if (!own || !other) return;
  repro_acted(r, 0, sum(&lanes_bench, x[1], "walkpolicy.shared"));
  repro_acted(r, 1, sum(&lanes_bench, x[1], "walkpolicy.shared"));
  repro_acted(r, 2, sum(&marching_bench, y[1], "walkpolicy.shared"));
  repro_value(r, 0, saved(&lanes_bench, x[1], x[0], "walk.reads"));
  repro_value(r, 1, mean_gain(&lanes_bench, x[1], x[0]));
  repro_value(r, 2, mean_gain(&marching_bench, y[1], y[0]));
}

/* ---- Marching Page Walks --------------------------------------------------------------------- */

static const paper_row_t marching_rows[] = {
    ROW("gain", "55.6 %", 556000, UNIT_PERCENT, RULE_VALUE, .acted = "walkpolicy.joined",
        .source = PAPER_REPORTED),
    ROW("time of a walk in the queue", "-86.7 %", -867000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.joined", .source = PAPER_REPORTED),
    ROW("walks in a batch", "3.1", 3100000, UNIT_NUMBER, RULE_RATE, .acted = "walkpolicy.joined",
        .source = PAPER_REPORTED),
    {0}};

static void marching(repro_t *r) {
  static const char *const design[] = {"native", "marching"};
  const bench_t *b = &marching_bench;
  results_t x[DESIGNS];
  if (!run_all(r, b, design, 2, x)) return;
  uint64_t joined = sum(b, x[1], "walkpolicy.joined"), batches = sum(b, x[1], "walkpolicy.batches");
  for (uint32_t i = 0; i < 3; i++) repro_acted(r, i, joined);
  repro_value(r, 0, mean_gain(b, x[1], x[0]));
  repro_value(r, 1, saved(b, x[1], x[0], "walk.queue_cycles"));
  repro_value(r, 2, micro_ratio(joined + batches, batches));
}

/* ---- LATPC ----------------------------------------------------------------------------------- */

static const paper_row_t latpc_rows[] = {
    ROW("gain", "1.47x", 470000, UNIT_PERCENT, RULE_VALUE, .acted = "walkpolicy.joined",
        .source = PAPER_REPORTED),
    ROW("of its walks alone", "1.28x", 280000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.joined", .source = PAPER_REPORTED),
    ROW("of its MSHRs alone", "1.20x", 200000, UNIT_PERCENT, RULE_VALUE, .acted = "mshr.grouped",
        .source = PAPER_REPORTED),
    ROW("both gain more than either", "yes", 0, UNIT_NUMBER, RULE_CLAIM, .acted = "mshr.grouped",
        .source = PAPER_REPORTED),
    {0}};

static void latpc(repro_t *r) {
  static const char *const design[] = {"native", "latpc", "latpc-walk", "latpc-mshr"};
  const bench_t *b = &latpc_bench;
  results_t x[DESIGNS];
  if (!run_all(r, b, design, 4, x)) return;
  micro_t gain[4];
  for (uint32_t d = 1; d < 4; d++) gain[d] = mean_gain(b, x[d], x[0]);
  micro_t best = gain[2] > gain[3] ? gain[2] : gain[3];
  repro_acted(r, 0, sum(b, x[1], "walkpolicy.joined"));
  repro_acted(r, 1, sum(b, x[2], "walkpolicy.joined"));
  repro_acted(r, 2, sum(b, x[3], "mshr.grouped"));
  repro_acted(r, 3, sum(b, x[1], "mshr.grouped"));
  for (uint32_t d = 1; d < 4; d++) repro_value(r, d - 1, gain[d]);
  repro_claim(r, 3, gain[1] > best, "%+" PRId64 " and %+" PRId64 " permille", gain[1] / 1000,
              best / 1000);
  repro_margin(r, 3, gain[1] - best);
}

/* ---- SoftWalker ------------------------------------------------------------------------------ */

static const paper_row_t soft_rows[] = {
    ROW("gain of irregular programs", "3.94x", 2940000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.on_sms", .source = PAPER_REPORTED),
    ROW("time of a walk, queue included", "-72.8 %", -728000, UNIT_PERCENT, RULE_VALUE,
        .acted = "walkpolicy.on_sms", .source = PAPER_REPORTED),
    ROW("the queue's part of it without SoftWalker", "95 %", 950000, UNIT_PERCENT, RULE_RATE,
        .source = PAPER_REPORTED),
    ROW("in-TLB MSHRs alone gain less", "yes", 0, UNIT_NUMBER, RULE_CLAIM, .acted = "mshr.ways",
        .source = PAPER_REPORTED),
    {0}};

/* Cycles of the program's walks from their arrival at the walker: by the counters of a level's
 * reads a walk under way is measured from begin to end. */
static uint64_t walk_cycles(const bench_t *b, const results_t x) {
  return sum(b, x, "walk.queue_cycles") + sum(b, x, "walk.active_cycles");
}

static void soft(repro_t *r) {
  static const char *const design[] = {"native", "softwalker", "softwalker-hybrid", "intlb"};
  const bench_t *b = &soft_bench;
  results_t x[DESIGNS];
  if (!run_all(r, b, design, 4, x)) return;
  micro_t own = mean_gain(b, x[1], x[0]), alone = mean_gain(b, x[3], x[0]);
  micro_t now = micro_ratio(walk_cycles(b, x[1]), sum(b, x[1], "walk.walks"));
  micro_t then = micro_ratio(walk_cycles(b, x[0]), sum(b, x[0], "walk.walks"));
  repro_acted(r, 0, sum(b, x[1], "walkpolicy.on_sms"));
  repro_acted(r, 1, sum(b, x[1], "walkpolicy.on_sms"));
  repro_value(r, 0, own);
  repro_value(r, 1, then ? micro_div(now, then) - MICRO : 0);
  repro_value(r, 2, micro_ratio(sum(b, x[0], "walk.queue_cycles"), walk_cycles(b, x[0])));
  repro_acted(r, 3, sum(b, x[3], "mshr.ways"));
  repro_claim(r, 3, own > alone, "%+" PRId64 " and %+" PRId64 " permille", own / 1000,
              alone / 1000);
  repro_margin(r, 3, own - alone);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_newer_walks[] = {
    EXPERIMENT("dws/headline", "pairs of programs under dynamic walk stealing", dws_rows, dws),
    EXPERIMENT("simt/headline", "SIMT-aware scheduling of page walks", simt_rows, simt),
    EXPERIMENT("nha/headline", "neighbourhood-aware walking", nha_rows, nha),
    EXPERIMENT("marching/headline", "Marching Page Walks", marching_rows, marching),
    EXPERIMENT("latpc/headline", "LATPC: groups in MSHRs and walks", latpc_rows, latpc),
    EXPERIMENT("softwalker/headline", "SoftWalker on irregular programs", soft_rows, soft),
    {0}};
