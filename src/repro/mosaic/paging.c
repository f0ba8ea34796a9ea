/* Mosaic with demand paging (section 3.2, figures 4 and 12).
 *
 * What is compared is the time of one complete execution, data on the host when it begins: in a
 * window of cycles the first faults would be all there is. Dense touching: applications, whose
 * kernels read and write all they allocated. Sparse: one line here and there of large allocations.
 * IPC_alone is that of GPU-MMU with the data resident. Invariant: a function asks for all its runs
 * before it looks at one. */
#include "base/json_find.h"
#include "repro/crowd.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEMAND "mem.paging=demand"

static const crowd_machine_t resident = {.design = "gpu-mmu"},
                             small = {.design = "gpu-mmu", .set = {DEMAND}},
                             large = {.design = "gpu-mmu-2m", .set = {DEMAND}},
                             mosaic = {.design = "mosaic", .set = {DEMAND}};

/* ---- runs ------------------------------------------------------------------------------------ */

/* Complete executions, of the plan's usual size: paging in `large` would take most of the time. */
static lab_run_t paged_run(const repro_t *r, const crowd_machine_t *m, const crowd_t *c) {
  lab_run_t run = crowd_run(r, m, c);
  run.limits = (gpu_limits_t){.no_relaunch = true};
  for (uint32_t a = 0; a < c->apps; a++)
    if (!strchr(c->app[a], ':'))
      snprintf(run.app[a], sizeof run.app[a], "%s:size=%s,seed=%" PRIu64, c->app[a], r->plan->size,
               r->plan->seed);
  share_split(share_total_sms(&run), run.apps, run.apps, 0, run.sms);
  return run;
}

static bool paged_metrics(repro_t *r, const crowd_machine_t *m, const crowd_t *c, sharing_t *out) {
  const lab_result_t *bad = NULL;
  lab_run_t run = paged_run(r, m, c);
  bool ok = share_metrics(r->lab, &run, MOSAIC_BASELINE, true, out, &bad);
  if (bad) repro_has(r, bad);
  return ok;
}

static bool paged_speedup(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                          micro_t *out) {
  micro_t v[CROWD_MAX] = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    sharing_t s = {0};
    ok &= paged_metrics(r, m, &c[i], &s);
    v[i] = s.weighted_speedup;
  }
  *out = micro_mean(v, count);
  return ok && count;
}

static uint32_t copies_of(const repro_t *r, uint32_t copies, crowd_t out[CROWD_MAX]) {
  for (uint32_t i = 0; i < r->plan->mosaic.paged; i++) out[i] = crowd_copies(crowd_apps[i], copies);
  return r->plan->mosaic.paged;
}

/* ---- latency of a far fault ------------------------------------------------------------------ */

#define FITTED "fitted: link.fault and link.bandwidth come from these two numbers"
static const paper_row_t latency_rows[] = {
    ROW("load to use of a far fault, 4 KB page, us", "55", 55 * MICRO, UNIT_NUMBER, RULE_NOTE,
        .given = FITTED),
    ROW("2 MB page", "318", 318 * MICRO, UNIT_NUMBER, RULE_NOTE, .given = FITTED),
    {0}};

/* One warp loads one word and then stores its result, in another allocation: two faults, one after
 * the other. */
#define ONE_LOAD "stride:footprint=4K,lane=0,blocks=1,warps=1,steps=1"

static void one_fault(repro_t *r, uint32_t row, const crowd_machine_t *m) {
  static const crowd_t c = {{ONE_LOAD}, 1};
  lab_run_t run = crowd_run(r, m, &c);
  gpu_spec_t spec;
  err_t e = {0};
  run.limits = (gpu_limits_t){.no_relaunch = true};
  const lab_result_t *x = lab_run(r->lab, &run);
  if (!repro_has(r, x) || lab_spec(&run, &spec, &e) < 0) return;
  repro_value(
      r, row,
      micro_div(fraction(x, "apps[0].paging.latency_cycles.mean"), spec.core.clock_mhz * MICRO));
  repro_note(r, row, "mean of %" PRIu64 " faults, a load's and a store's",
             lab_u64(x, "apps[0].paging.faults"));
}

static void latency(repro_t *r) {
  one_fault(r, 0, &small);
  one_fault(r, 1, &large);
}

/* ---- fig4 ------------------------------------------------------------------------------------ */

/* One line of each page that is touched, by a generator of ours over the fitted link: what paging
 * costs then is arithmetic, so these rows are shown and not judged. */
#define SPARSE_GIVEN "by construction: the generator touches few lines, the link is fitted"

static const paper_row_t fig4_rows[] = {
    ROW("dense: demand paging with 4 KB pages loses, 1 application", "40.0 %", 400000, UNIT_PERCENT,
        RULE_VALUE),
    ROW("5 copies", "82.3 %", 823000, UNIT_PERCENT, RULE_VALUE),
    ROW("dense: 2 MB instead of 4 KB pages, both with paging, lose, 1 application", "92.5 %",
        925000, UNIT_PERCENT, RULE_VALUE),
    ROW("2 copies", "98.0 %", 980000, UNIT_PERCENT, RULE_VALUE),
    ROW("5 copies", "99.8 %", 998000, UNIT_PERCENT, RULE_VALUE),
    ROW("sparse: 4 KB pages lose, 1 application", "40.0 %", 400000, UNIT_PERCENT, RULE_VALUE,
        .given = SPARSE_GIVEN),
    ROW("5 copies", "82.3 %", 823000, UNIT_PERCENT, RULE_VALUE, .given = SPARSE_GIVEN),
    ROW("sparse: 2 MB instead of 4 KB pages lose, 1 application", "92.5 %", 925000, UNIT_PERCENT,
        RULE_VALUE, .given = SPARSE_GIVEN),
    ROW("2 copies", "98.0 %", 980000, UNIT_PERCENT, RULE_VALUE, .given = SPARSE_GIVEN),
    ROW("5 copies", "99.8 %", 998000, UNIT_PERCENT, RULE_VALUE, .given = SPARSE_GIVEN),
    {0}};

/* 2048 random lines of 256 MB: at most 2048 base pages, all 128 large ones. */
#define SPARSE "gather:footprint=256M,blocks=16,warps=1,steps=4"

typedef struct {
  micro_t resident, small, large;
} paged_t;

static bool paged(repro_t *r, const crowd_t *c, uint32_t count, paged_t *out) {
  bool a = paged_speedup(r, &resident, c, count, &out->resident);
  bool b = paged_speedup(r, &small, c, count, &out->small);
  return paged_speedup(r, &large, c, count, &out->large) && a && b;
}

/* Rows from `row` on: what 4 KB pages cost with 1 and 5, what 2 MB pages cost with 1, 2 and 5. */
static void fig4_part(repro_t *r, table_t *t, const char *name, bool sparse, uint32_t row) {
  static const uint32_t copies[] = {1, 2, 5};
  static const int small_row[] = {0, -1, 1};
  for (uint32_t i = 0; i < 3; i++) {
    crowd_t c[CROWD_MAX];
    paged_t v;
    uint32_t count = sparse ? 1 : copies_of(r, copies[i], c);
    if (sparse) c[0] = crowd_copies(SPARSE, copies[i]);
    if (!paged(r, c, count, &v)) continue;
    if (small_row[i] >= 0) repro_value(r, row + (uint32_t)small_row[i], loss(v.small, v.resident));
    repro_value(r, row + 2 + i, loss(v.large, v.small));
    table_cell(t, name);
    table_printf(t, "%u", copies[i]);
    repro_cell(t, v.resident, 3), repro_cell(t, v.small, 3), repro_cell(t, v.large, 3);
  }
}

static void fig4(repro_t *r) {
  static const char *const columns[] = {"resident", "4 KB on demand", "2 MB on demand"};
  table_t *t = repro_table(r, "Weighted speed-up of complete executions");
  table_column(t, "touching", TABLE_LEFT);
  table_column(t, "copies", TABLE_RIGHT);
  for (uint32_t i = 0; i < 3; i++) table_column(t, columns[i], TABLE_RIGHT);
  fig4_part(r, t, "dense", false, 0);
  fig4_part(r, t, "sparse", true, 5);
}

/* ---- fig12 ----------------------------------------------------------------------------------- */

/* GPU-MMU without paging has its data copied before it runs, and the copy is part of its time: as
 * many bytes as paging moves, of all applications, at the link's full rate. */
#define FAULTS "paging.faults"

static const paper_row_t fig12_rows[] = {
    ROW("dense: Mosaic with paging over GPU-MMU that copies first, two copies", "58.5 %", 585000,
        UNIT_PERCENT, RULE_VALUE, .acted = FAULTS),
    ROW("two different applications", "47.5 %", 475000, UNIT_PERCENT, RULE_VALUE, .acted = FAULTS),
    ROW("dense: Mosaic over GPU-MMU, both with paging, two copies", "-", 0, UNIT_PERCENT,
        RULE_NOTE),
    ROW("two different applications", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("dense: the same if copies cost nothing, two copies", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("two different applications", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("sparse: Mosaic with paging over GPU-MMU that copies first, two copies", "58.5 %", 585000,
        UNIT_PERCENT, RULE_VALUE, .acted = FAULTS, .given = SPARSE_GIVEN),
    ROW("two different ones", "47.5 %", 475000, UNIT_PERCENT, RULE_VALUE, .acted = FAULTS,
        .given = SPARSE_GIVEN),
    ROW("sparse: Mosaic over GPU-MMU, both with paging, two copies", "-", 0, UNIT_PERCENT,
        RULE_NOTE),
    ROW("two different ones", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("sparse: the same if copies cost nothing, two copies", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("two different ones", "-", 0, UNIT_PERCENT, RULE_NOTE),
    {0}};

/* As many lines as SPARSE, 128 KB apart. */
#define SPARSE_ROWS "stride:footprint=256M,lane=128K,blocks=16,warps=1,steps=4"

/* Sparse programs have all of their allocations copied, as nobody knows what they will touch. */
#define SPARSE_BYTES (256ull << 20)

/* Cycles that the copy takes before the applications start. */
static uint64_t copy_cycles(repro_t *r, const crowd_t *c, bool sparse) {
  lab_run_t run = paged_run(r, &small, c);
  gpu_spec_t spec;
  err_t e = {0};
  const lab_result_t *x = lab_run(r->lab, &run);
  if (!repro_has(r, x) || lab_spec(&run, &spec, &e) < 0) return 0;
  uint64_t bytes = sparse ? c->apps * SPARSE_BYTES : total(x, "link.bytes_in");
  return bytes * spec.core.clock_mhz / spec.link.bandwidth_mbs; /* both in millions a second */
}

/* The weighted speed-up of GPU-MMU without paging, the copy included. */
static bool copied_speedup(repro_t *r, const crowd_t *c, uint32_t count, bool sparse,
                           micro_t *out) {
  micro_t v[CROWD_MAX] = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    const lab_result_t *bad = NULL;
    lab_run_t run = paged_run(r, &resident, &c[i]);
    ipc_t alone[CROWD_MOST];
    uint64_t copy = copy_cycles(r, &c[i], sparse);
    const lab_result_t *x = lab_run(r->lab, &run);
    ok &= share_alone(r->lab, &run, MOSAIC_BASELINE, true, alone, &bad) && repro_has(r, x) && copy;
    if (bad) repro_has(r, bad);
    for (uint32_t a = 0; ok && a < c[i].apps; a++) {
      ipc_t own = lab_ipc(x, a);
      v[i] += micro_div(micro_ratio(own.instructions, own.cycles + copy),
                        micro_ratio(alone[a].instructions, alone[a].cycles));
    }
  }
  *out = micro_mean(v, count);
  return ok && count;
}

static uint64_t paged_faults(repro_t *r, const crowd_t *c, uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    lab_run_t run = paged_run(r, &mosaic, &c[i]);
    const lab_result_t *x = lab_run(r->lab, &run);
    sum += repro_has(r, x) ? total(x, FAULTS) : 0;
  }
  return sum;
}

static void fig12_part(repro_t *r, const crowd_t *c, uint32_t count, bool sparse, uint32_t row) {
  micro_t base, copied, paged_base, own;
  bool has_base = paged_speedup(r, &resident, c, count, &base);
  bool has_copied = copied_speedup(r, c, count, sparse, &copied);
  bool has_paged = paged_speedup(r, &small, c, count, &paged_base);
  bool has_own = paged_speedup(r, &mosaic, c, count, &own);
  if (has_copied && has_own) repro_value(r, row, gain(own, copied));
  repro_acted(r, row, paged_faults(r, c, count));
  if (has_paged && has_own) repro_value(r, row + 2, gain(own, paged_base));
  if (has_base && has_own) repro_value(r, row + 4, gain(own, base));
}

static void fig12(repro_t *r) {
  crowd_t c[CROWD_MAX];
  fig12_part(r, c, copies_of(r, 2, c), false, 0);
  fig12_part(r, crowd_mixes[0], r->plan->mosaic.paged, false, 1);
  static const crowd_t twice = {{SPARSE, SPARSE}, 2}, both = {{SPARSE, SPARSE_ROWS}, 2};
  fig12_part(r, &twice, 1, true, 6);
  fig12_part(r, &both, 1, true, 7);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mosaic_paging[] = {
    EXPERIMENT("mosaic/latency", "one far fault", latency_rows, latency),
    EXPERIMENT("mosaic/fig4", "demand paging with 4 KB and 2 MB pages", fig4_rows, fig4),
    EXPERIMENT("mosaic/fig12", "Mosaic with demand paging", fig12_rows, fig12),
    {0}};
