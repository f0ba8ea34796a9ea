/* Mosaic (MICRO 2017): its figures 3, 8 to 11 and 13 on our applications. In figure 3 data is
 * resident before kernels start, as the paper says; in the others it comes by demand paging. And on
 * workloads in which their directions come out (ids that end in -directed): same rows, same rules,
 * other applications, data resident.
 *
 * Gains compare arithmetic means of weighted speed-ups over the workloads of one size; figures that
 * span sizes show the mean of those gains, so that each size counts the same however many workloads
 * the plan has of it. Invariant: a function asks for all its runs before it looks at one. */
#include "repro/crowd.h"
#include <stdio.h>
#include <string.h>

static const crowd_machine_t gpu_mmu = {.design = "gpu-mmu"}, gpu_mmu_2m = {.design = "gpu-mmu-2m"},
                             ideal = {.design = "ideal"};

/* Whether large pages were made. */
#define COALESCED "memory.coalesced"

/* ---- three designs --------------------------------------------------------------------------- */

/* Mean weighted speed-ups. */
typedef struct {
  micro_t base, own, best;
  uint64_t coalesced; /* under Mosaic */
} trio_t;

static bool trio(repro_t *r, const crowd_t *c, uint32_t count, bool demand, trio_t *out) {
  const crowd_machine_t base = crowd_machine("gpu-mmu", demand),
                        own = crowd_machine("mosaic", demand),
                        best = crowd_machine("ideal", demand);
  bool has_base = crowds_speedup(r, &base, c, count, &out->base);
  bool has_own = crowds_speedup(r, &own, c, count, &out->own);
  bool has_best = crowds_speedup(r, &best, c, count, &out->best);
  out->coalesced = crowds_acted(r, &own, c, count, COALESCED);
  return has_base && has_own && has_best;
}

static table_t *trio_table(repro_t *r, const char *title, const char *first) {
  table_t *t = repro_table(r, title);
  table_column(t, first, TABLE_LEFT);
  static const char *const columns[] = {"workloads", "GPU-MMU",        "Mosaic",
                                        "Ideal",     "over GPU-MMU %", "below Ideal %"};
  for (uint32_t i = 0; i < 6; i++) table_column(t, columns[i], TABLE_RIGHT);
  return t;
}

static void trio_cells(table_t *t, uint32_t count, const trio_t *v) {
  table_printf(t, "%u", count);
  repro_cell(t, v->base, 3), repro_cell(t, v->own, 3), repro_cell(t, v->best, 3);
  repro_percent(t, gain(v->own, v->base)), repro_percent(t, loss(v->own, v->best));
}

/* ---- fig3 ------------------------------------------------------------------------------------ */

static const paper_row_t fig3_rows[] = {
    ROW("4 KB pages below Ideal", "48.1 %", 481000, UNIT_PERCENT, RULE_VALUE),
    ROW("2 MB pages below Ideal", "within 2 %", 20000, UNIT_PERCENT, RULE_BELOW,
        .acted = "walk.large_walks"),
    {0}};

static void fig3_table(repro_t *r, const crowd_t *c, uint32_t count) {
  static const crowd_machine_t *const machine[] = {&gpu_mmu, &gpu_mmu_2m, &ideal};
  table_t *t = repro_table(r, "Weighted speed-up of two copies");
  table_column(t, "application", TABLE_LEFT);
  table_column(t, "4 KB", TABLE_RIGHT);
  table_column(t, "2 MB", TABLE_RIGHT);
  table_column(t, "Ideal", TABLE_RIGHT);
  for (uint32_t i = 0; i < count; i++) {
    table_cell(t, c[i].app[0]);
    for (uint32_t d = 0; d < 3; d++) {
      sharing_t s = {0};
      crowd_metrics(r, machine[d], &c[i], &s);
      repro_cell(t, s.weighted_speedup, 3);
    }
  }
}

static void fig3(repro_t *r) {
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_same(r, 2, c);
  micro_t small, large, best;
  bool has_small = crowds_speedup(r, &gpu_mmu, c, count, &small);
  bool has_large = crowds_speedup(r, &gpu_mmu_2m, c, count, &large);
  bool ok = crowds_speedup(r, &ideal, c, count, &best);
  if (ok && has_small) repro_value(r, 0, loss(small, best));
  if (ok && has_large) repro_value(r, 1, loss(large, best));
  repro_acted(r, 1, crowds_acted(r, &gpu_mmu_2m, c, count, "walk.large_walks"));
  if (ok && has_small && has_large) fig3_table(r, c, count);
}

/* ---- fig8, fig9: by the number of applications ----------------------------------------------- */

static const paper_row_t fig8_rows[] = {
    ROW("Mosaic over GPU-MMU, mean of 1 to 5 copies", "55.5 %", 555000, UNIT_PERCENT, RULE_VALUE),
    ROW("Mosaic below Ideal", "6.8 %", 68000, UNIT_PERCENT, RULE_VALUE, .acted = COALESCED),
    ROW("Mosaic is ahead of GPU-MMU with every number of copies", "ahead", 0, UNIT_NUMBER,
        RULE_ORDER),
    ROW("Mosaic stays close to Ideal, most that it is below", "close", 68000, UNIT_PERCENT,
        RULE_BELOW, .acted = COALESCED, .source = PAPER_UNPRINTED),
    {0}};

static const paper_row_t fig9_rows[] = {
    ROW("Mosaic over GPU-MMU, mean of 2 to 5 applications", "29.7 %", 297000, UNIT_PERCENT,
        RULE_VALUE),
    ROW("Mosaic below Ideal", "15.4 %", 154000, UNIT_PERCENT, RULE_VALUE, .acted = COALESCED),
    ROW("Mosaic is ahead of GPU-MMU with every number of applications", "ahead", 0, UNIT_NUMBER,
        RULE_ORDER),
    {0}};

typedef uint32_t (*crowds_fn)(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]);

/* What a figure runs. */
typedef struct {
  crowds_fn crowds;
  bool demand;
} figure_load_t;

typedef struct {
  micro_t most_below; /* the largest loss of any size */
  uint64_t coalesced;
} sizes_t;

/* Sizes from `first` to five. False: not all there. */
static bool by_size(repro_t *r, const figure_load_t *l, uint32_t first, table_t *t, sizes_t *out) {
  micro_t over[CROWD_MOST], below[CROWD_MOST], least = INT64_MAX;
  uint32_t n = 0, ahead = 0;
  bool ok = true;
  for (uint32_t apps = first; apps <= CROWD_MOST; apps++) {
    crowd_t c[CROWD_MAX];
    trio_t v;
    uint32_t count = l->crowds(r, apps, c);
    if (!trio(r, c, count, l->demand, &v)) {
      ok = false;
      continue;
    }
    table_printf(t, "%u", apps);
    trio_cells(t, count, &v);
    over[n] = gain(v.own, v.base), below[n] = loss(v.own, v.best);
    if (!n || below[n] > out->most_below) out->most_below = below[n];
    if (over[n] < least) least = over[n];
    out->coalesced += v.coalesced;
    ahead += over[n++] > 0;
  }
  if (!ok) return false;
  repro_value(r, 0, micro_mean(over, n));
  repro_value(r, 1, micro_mean(below, n));
  repro_acted(r, 1, out->coalesced);
  repro_claim(r, 2, ahead == n, "ahead with %u of %u", ahead, n);
  repro_margin(r, 2, least);
  return true;
}

static void fig8_of(repro_t *r, const figure_load_t *l) {
  sizes_t v = {0};
  table_t *t = trio_table(r, "Mean weighted speed-up by number of copies", "copies");
  if (by_size(r, l, 1, t, &v)) repro_value(r, 3, v.most_below);
  repro_acted(r, 3, v.coalesced);
}

static void fig8(repro_t *r) { fig8_of(r, &(figure_load_t){crowds_same, true}); }

static void fig9_of(repro_t *r, const figure_load_t *l) {
  sizes_t v = {0};
  table_t *t = trio_table(r, "Mean weighted speed-up by number of applications", "applications");
  by_size(r, l, 2, t, &v);
}

static void fig9(repro_t *r) { fig9_of(r, &(figure_load_t){crowds_mixed, true}); }

/* ---- fig10: pairs ---------------------------------------------------------------------------- */

#define FIG10_PAIRS 15
#define FIG10_GAP   (MICRO / 100) /* less is none */

static const paper_row_t fig10_rows[] = {
    ROW("pairs in which Mosaic is ahead of GPU-MMU", "most", 500000, UNIT_PERCENT, RULE_ABOVE),
    ROW("pairs in which Mosaic is within 1 % of Ideal (TLB-friendly)", "most", 500000, UNIT_PERCENT,
        RULE_ABOVE, .acted = COALESCED),
    ROW("HS_CONS keeps a gap to Ideal (more than 1 %)", "gap", 10000, UNIT_PERCENT, RULE_ABOVE),
    ROW("NW_HISTO keeps a gap to Ideal (more than 1 %)", "gap", 10000, UNIT_PERCENT, RULE_ABOVE),
    {0}};

static void fig10(repro_t *r) {
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_mixed(r, 2, c), ahead = 0, close = 0;
  uint64_t coalesced = 0;
  bool ok = true;
  if (count > FIG10_PAIRS) count = FIG10_PAIRS;
  table_t *t = trio_table(r, "Weighted speed-up of pairs", "pair");
  for (uint32_t i = 0; i < count; i++) {
    char name[64];
    trio_t v;
    ok &= trio(r, &c[i], 1, true, &v);
    coalesced += v.coalesced;
    micro_t below = loss(v.own, v.best);
    ahead += v.own > v.base, close += below < FIG10_GAP;
    crowd_name(&c[i], name, sizeof name);
    table_cell(t, name);
    trio_cells(t, 1, &v);
    if (i < 2 && ok) repro_value(r, 2 + i, below); /* the two that the text names come first */
  }
  if (!ok) return;
  repro_value(r, 0, micro_ratio(ahead, count));
  repro_value(r, 1, micro_ratio(close, count));
  repro_acted(r, 1, coalesced);
}

/* ---- fig11: applications of the mixed workloads ---------------------------------------------- */

static const paper_row_t fig11_rows[] = {
    ROW("applications that are faster under Mosaic than under GPU-MMU", "93.6 %", 936000,
        UNIT_PERCENT, RULE_RATE),
    ROW("slowest, of GPU-MMU", "66.3 %", 663000, UNIT_PERCENT, RULE_RATE),
    ROW("fastest, of GPU-MMU", "860 %", 8600000, UNIT_PERCENT, RULE_RATE),
    ROW("average gain", "33.0 %", 330000, UNIT_PERCENT, RULE_VALUE),
    ROW("applications with at least 90 % of Ideal", "48 %", 480000, UNIT_PERCENT, RULE_RATE,
        .acted = COALESCED),
    ROW("with at least 80 %", "68.9 %", 689000, UNIT_PERCENT, RULE_RATE, .acted = COALESCED),
    ROW("with at least 70 %", "82.3 %", 823000, UNIT_PERCENT, RULE_RATE, .acted = COALESCED),
    {0}};

#define FIG11_MAX (CROWD_MIXES * (2 + 3 + 4 + 5))

typedef struct {
  micro_t over[FIG11_MAX], of_ideal[FIG11_MAX];
  uint32_t count;
  uint64_t coalesced;
} each_t;

/* Of complete executions, or of the window. */
static micro_t app_ipc(const lab_result_t *x, uint32_t app, bool demand) {
  ipc_t v = demand ? lab_ipc(x, app) : lab_window_ipc(x, app);
  return micro_ratio(v.instructions, v.cycles);
}

static bool each_app(repro_t *r, const crowd_t *c, bool demand, each_t *e) {
  static const char *const design[] = {"gpu-mmu", "mosaic", "ideal"};
  const lab_result_t *x[3];
  bool ok = true;
  for (uint32_t d = 0; d < 3; d++) {
    const crowd_machine_t m = crowd_machine(design[d], demand);
    ok &= (x[d] = crowd_result(r, &m, c)) != NULL;
  }
  if (!ok) return false;
  e->coalesced += repro_count(x[1], COALESCED);
  for (uint32_t a = 0; a < c->apps; a++) {
    micro_t v = app_ipc(x[1], a, demand);
    e->over[e->count] = micro_div(v, app_ipc(x[0], a, demand));
    e->of_ideal[e->count++] = micro_div(v, app_ipc(x[2], a, demand));
  }
  return true;
}

static micro_t share_from(const micro_t *v, uint32_t count, micro_t least) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) n += v[i] >= least;
  return micro_ratio(n, count);
}

static void fig11_of(repro_t *r, const figure_load_t *l) {
  each_t e = {.count = 0};
  bool ok = true;
  for (uint32_t apps = 2; apps <= CROWD_MOST; apps++) {
    crowd_t c[CROWD_MAX];
    uint32_t count = l->crowds(r, apps, c);
    for (uint32_t i = 0; i < count; i++) ok &= each_app(r, &c[i], l->demand, &e);
  }
  if (!ok || !e.count) return;
  micro_t least = e.over[0], most = e.over[0];
  for (uint32_t i = 1; i < e.count; i++) {
    if (e.over[i] < least) least = e.over[i];
    if (e.over[i] > most) most = e.over[i];
  }
  repro_value(r, 0, share_from(e.over, e.count, MICRO + 1));
  repro_note(r, 0, "%u applications", e.count);
  repro_value(r, 1, least);
  repro_value(r, 2, most);
  repro_value(r, 3, micro_mean(e.over, e.count) - MICRO);
  for (uint32_t i = 0; i < 3; i++) {
    repro_value(r, 4 + i, share_from(e.of_ideal, e.count, (9 - (micro_t)i) * MICRO / 10));
    repro_acted(r, 4 + i, e.coalesced);
  }
}

static void fig11(repro_t *r) { fig11_of(r, &(figure_load_t){crowds_mixed, true}); }

/* ---- fig13: TLB hit rates -------------------------------------------------------------------- */

#define LARGE_HITS "l1tlb.large_hits"

static const paper_row_t fig13_rows[] = {
    ROW("L2 TLB hit rate of GPU-MMU, 2 applications", "81 %", 810000, UNIT_PERCENT, RULE_RATE),
    ROW("5 applications", "62 %", 620000, UNIT_PERCENT, RULE_RATE),
    ROW("it falls from 2 to 5 applications", "falls", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("L1 TLB misses of Mosaic, of all look-ups", "< 1 %", 10000, UNIT_PERCENT, RULE_BELOW,
        .acted = LARGE_HITS),
    ROW("L2 TLB misses of Mosaic, of all look-ups", "< 1 %", 10000, UNIT_PERCENT, RULE_BELOW,
        .acted = LARGE_HITS),
    ROW("the same of L1, misses that start a request only", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("the same of L2, misses that start a walk only, of L1 look-ups", "-", 0, UNIT_PERCENT,
        RULE_NOTE),
    {0}};

#define REACH   (98 * MICRO / 100) /* workloads with more L2 TLB hits are left out */
#define ALL_MAX (2 * CROWD_MAX)

/* Of the workloads of one size, those that lack TLB reach under GPU-MMU. */
typedef struct {
  micro_t hit[ALL_MAX];                                           /* of GPU-MMU's L2 TLB */
  micro_t l1[ALL_MAX], l2[ALL_MAX], new1[ALL_MAX], new2[ALL_MAX]; /* misses of Mosaic */
  uint32_t count;
  uint64_t large_hits;
} reach_t;

static bool add_reach(repro_t *r, const crowd_t *c, uint32_t count, bool demand, reach_t *out) {
  const lab_result_t *base[CROWD_MAX], *own[CROWD_MAX];
  const crowd_machine_t gpu_mmu_as = crowd_machine("gpu-mmu", demand),
                        mosaic_as = crowd_machine("mosaic", demand);
  bool has_base = crowds_results(r, &gpu_mmu_as, c, count, base);
  if (!crowds_results(r, &mosaic_as, c, count, own) || !has_base) return false;
  for (uint32_t i = 0; i < count; i++) {
    micro_t hit = crowd_rate(base[i], "l2tlb.hits", "l2tlb.lookups");
    if (hit >= REACH) continue;
    uint32_t k = out->count++;
    out->hit[k] = hit;
    out->large_hits += total(own[i], LARGE_HITS);
    out->l1[k] = crowd_rate(own[i], "l1tlb.misses", "l1tlb.lookups");
    out->l2[k] = crowd_rate(own[i], "l2tlb.misses", "l2tlb.lookups");
    out->new1[k] = crowd_rate(own[i], "l1tlb.primary_misses", "l1tlb.lookups");
    out->new2[k] = crowd_rate(own[i], "l2tlb.primary_misses", "l1tlb.lookups");
  }
  return true;
}

/* Where its workloads come from: copies, which may be NULL, and different applications. */
typedef struct {
  crowds_fn same, mixed;
  bool demand;
} works_t;

static bool reach_of(repro_t *r, const works_t *w, uint32_t apps, reach_t *out) {
  crowd_t same[CROWD_MAX], mixed[CROWD_MAX];
  uint32_t same_count = w->same ? w->same(r, apps, same) : 0,
           mixed_count = apps > 1 ? w->mixed(r, apps, mixed) : 0;
  out->count = 0, out->large_hits = 0;
  bool ok = !same_count || add_reach(r, same, same_count, w->demand, out);
  if (mixed_count) ok &= add_reach(r, mixed, mixed_count, w->demand, out);
  return ok;
}

static void reach_row(table_t *t, uint32_t apps, const reach_t *v) {
  const micro_t *const column[] = {v->hit, v->l1, v->l2, v->new1, v->new2};
  table_printf(t, "%u", apps);
  table_printf(t, "%u", v->count);
  for (uint32_t i = 0; i < 5; i++)
    if (v->count)
      repro_percent(t, micro_mean(column[i], v->count));
    else
      table_cell(t, "-");
}

/* GPU-MMU's hits by number of applications; a number without such a workload has none. */
static void hit_rows(repro_t *r, const micro_t hit[CROWD_MOST], const bool there[CROWD_MOST]) {
  static const char none[] = "no workload of so many applications has less than 98 % hits";
  static const uint32_t at[] = {2 - 1, 5 - 1};
  for (uint32_t i = 0; i < 2; i++)
    if (there[at[i]])
      repro_value(r, i, hit[at[i]]);
    else
      repro_note(r, i, "%s", none);
  bool falls = hit[at[1]] < hit[at[0]];
  if (there[at[0]] && there[at[1]])
    repro_claim(r, 2, falls, falls ? "falls" : "does not"),
        repro_margin(r, 2, hit[at[0]] - hit[at[1]]);
  else
    repro_note(r, 2, "%s", none);
}

static void fig13_of(repro_t *r, const works_t *w) {
  static const char *const columns[] = {
      "applications",     "workloads",   "GPU-MMU L2 hits",     "Mosaic L1 misses",
      "Mosaic L2 misses", "L1 requests", "walks of L1 look-ups"};
  micro_t hit[CROWD_MOST] = {0}, mean[4][CROWD_MOST];
  bool ok = true, there[CROWD_MOST] = {false};
  uint64_t large_hits = 0;
  uint32_t n = 0;
  table_t *t = repro_table(r, "Workloads with less than 98 % L2 TLB hits under GPU-MMU, in %");
  for (uint32_t i = 0; i < 7; i++) table_column(t, columns[i], TABLE_RIGHT);
  for (uint32_t apps = w->same ? 1 : 2; apps <= CROWD_MOST; apps++) {
    reach_t v;
    if (!reach_of(r, w, apps, &v)) {
      ok = false;
      continue;
    }
    there[apps - 1] = v.count > 0;
    large_hits += v.large_hits;
    if (v.count) hit[apps - 1] = micro_mean(v.hit, v.count);
    reach_row(t, apps, &v);
    const micro_t *const of[] = {v.l1, v.l2, v.new1, v.new2};
    for (uint32_t i = 0; i < 4 && v.count; i++) mean[i][n] = micro_mean(of[i], v.count);
    n += v.count > 0;
  }
  if (!ok) return;
  hit_rows(r, hit, there);
  repro_acted(r, 3, large_hits), repro_acted(r, 4, large_hits);
  for (uint32_t i = 0; i < 4; i++)
    if (n)
      repro_value(r, 3 + i, micro_mean(mean[i], n));
    else
      repro_note(r, 3 + i, "no workload has less than 98 %% hits");
}

static void fig13(repro_t *r) {
  static const works_t all = {crowds_same, crowds_mixed, true};
  fig13_of(r, &all);
}

/* ---- where the directions come out ----------------------------------------------------------- */

/* Many pages at once and little else to wait for. PAGES256 are 32 chains through nodes that lie in
 * a page each, half as many as the L2 TLB has entries, and in one large page but for eight base
 * pages; L2 holds its data, as it does those of PAGES1024 and LANES. */
#define PAGES256   "chase:footprint=4M,node=8320,lanes=32"
#define PAGES1024  "chase:footprint=8M,node=4224,lanes=32"
#define LANES      "stride:footprint=4M,lane=4224"
#define GATHER     "gather:footprint=2M"
#define CHASE      "chase:footprint=64M"
#define HOT_COLD   "hotset:footprint=64M,hot=2M,reuse=95"
#define LONG_PAGES PAGES256 ",steps=100000"
#define THIN_CHASE "chase:footprint=64M,blocks=24,warps=1,steps=100000"

static uint32_t copies_directed(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]) {
  (void)r;
  out[0] = crowd_copies(PAGES256, apps);
  return 1;
}

/* Each number adds one that is unlike the others; the last gains nothing alone. */
static uint32_t mixed_directed(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]) {
  (void)r;
  out[0] = (crowd_t){{LANES, PAGES1024, GATHER, CHASE, HOT_COLD}, apps};
  return 1;
}

/* Two applications whose pages L2's TLB holds, five whose pages it does not. What misses under
 * Mosaic are a few warps with more large pages than L1 has entries; nobody starts anew, as first
 * touches would be most of the few misses that are left. */
static uint32_t reach_directed(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]) {
  static const crowd_t of[] = {{{LONG_PAGES, THIN_CHASE}, 2},
                               {{LONG_PAGES, LONG_PAGES, THIN_CHASE}, 3},
                               {{LONG_PAGES, LONG_PAGES, THIN_CHASE, THIN_CHASE}, 4},
                               {{LONG_PAGES, LONG_PAGES, LONG_PAGES, THIN_CHASE, THIN_CHASE}, 5}};
  (void)r;
  out[0] = of[apps - 2];
  return 1;
}

static void fig8_directed(repro_t *r) { fig8_of(r, &(figure_load_t){copies_directed, false}); }
static void fig9_directed(repro_t *r) { fig9_of(r, &(figure_load_t){mixed_directed, false}); }
static void fig11_directed(repro_t *r) { fig11_of(r, &(figure_load_t){mixed_directed, false}); }

static void fig13_directed(repro_t *r) {
  static const works_t all = {NULL, reach_directed, false};
  fig13_of(r, &all);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mosaic[] = {
    EXPERIMENT("mosaic/fig3", "4 KB and 2 MB pages against Ideal, no paging cost", fig3_rows, fig3),
    EXPERIMENT("mosaic/fig8", "copies of one application", fig8_rows, fig8),
    EXPERIMENT("mosaic/fig9", "different applications", fig9_rows, fig9),
    EXPERIMENT("mosaic/fig10", "pairs of applications", fig10_rows, fig10),
    EXPERIMENT("mosaic/fig11", "applications of mixed workloads", fig11_rows, fig11),
    EXPERIMENT("mosaic/fig13", "TLB hit rates", fig13_rows, fig13),
    SEARCHED("mosaic/fig8-directed", "copies of chases through 256 pages, data in L2", fig8_rows,
             fig8_directed),
    SEARCHED("mosaic/fig9-directed", "two to five generators that want many pages at once",
             fig9_rows, fig9_directed),
    SEARCHED("mosaic/fig11-directed", "each of them", fig11_rows, fig11_directed),
    SEARCHED("mosaic/fig13-directed",
             "chases through 256 pages each, beside a few warps that go far", fig13_rows,
             fig13_directed),
    {0}};
