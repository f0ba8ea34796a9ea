/* Fractional GPUs: how much the run time of an application varies with what runs in the other
 * partitions (its Tables III and IV, Figures 9 and 10).
 *
 * An application has the first of `parts` equal partitions; copies of one co-runner have the
 * others, or nobody has. The co-runner is started again until the application has finished.
 * Applications are replayed under the designs cp, cmp and mps, which partition without cost. In the
 * experiments called live they are persistent blocks, kept on their SMs by the paper's software
 * (lab/parts.c), and nothing in the machine partitions but the colours of pages. T is the mean of
 * complete executions. Invariant: a function asks for all its runs before it looks at one. */
#include "color/color.h"
#include "lab/share.h"
#include "repro/pairs.h"
#include "repro/repro.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MM, SN, VA, SP, FWT, CFD, APPS };
static const char *const app_name[APPS] = {"mm", "sn", "va", "sp", "fwt", "cfd"};
#define MEMORY_BOUND(app) ((app) == VA || (app) == FWT || (app) == SP)

/* Who runs in the other partitions. */
enum { IDLE, BESIDE_MM, BESIDE_FWT, BESIDE_VA, BESIDE_IC, SCENES };
static const char *const beside[SCENES] = {NULL, "mm", "fwt", "va", "ic"};
#define TABLE_SCENES 4 /* of the tables: not IC */

typedef enum { CP, CMP, MPS, DESIGNS } design_t;
static const char *const design_name[DESIGNS] = {"cp", "cmp", "mps"};
static const char *const design_label[DESIGNS] = {"CP", "CMP", "MPS"};

typedef struct {
  const char *gpu;
  design_t design;
  uint32_t parts;
  const char *set; /* an option of the machine; NULL: as it is */
  bool live;       /* SMs are kept by software */
} partition_t;

/* An application in a partition. */
typedef struct {
  const lab_result_t *run[SCENES]; /* NULL: not asked for */
  micro_t cycles[SCENES];
  uint32_t worst;    /* co-runner */
  micro_t variation; /* with it over idle, minus 1 */
} times_t;

/* ---- runs ------------------------------------------------------------------------------------ */

/* Complete executions need no minimum of cycles to be compared; a quarter of the plan's lets the
 * shortest application run a few times. */
static lab_run_t run_in(const repro_t *r, const char *gpu, design_t d) {
  lab_run_t run = run_on(r, &(machine_t){.gpu = gpu, .design = design_name[d]});
  run.limits.min_cycles /= 4;
  run.limits.wait_for = 1;
  return run;
}

/* "0 1 .." : the colours that one of so many partitions has; false if there are too few. */
static bool first_colours(const lab_run_t *run, uint32_t parts, char *out, size_t size) {
  gpu_spec_t s;
  color_t c;
  color_pages_t p;
  err_t e = {0};
  if (lab_spec(run, &s, &e) < 0) return false;
  color_chip_t chip = {.module = s.map.module, .bank = s.map.bank, .set = s.map.set};
  if (color_init(&c, &chip, &e) < 0) return false;
  color_pages(&c, s.memory.base_bytes, &p);
  for (uint32_t i = 0, n = 0; i < p.colors / parts; i++)
    n += (uint32_t)snprintf(out + n, size - n, "%s%u", i ? " " : "mem.colours=", i);
  return p.colors >= parts;
}

/* Alone in the first partition, with what the application would have of a shared machine. */
static void keep_to_part(const partition_t *p, lab_run_t *run) {
  char *set = run->set[run->sets];
  if (p->design == MPS)
    snprintf(set, LAB_TEXT_BYTES, "share.threads=%u", 100 / p->parts), run->sets++;
  else
    run->sms[0] = share_total_sms(run) / p->parts;
  if (p->design == CMP && first_colours(run, p->parts, set, LAB_TEXT_BYTES)) run->sets++;
}

static const lab_result_t *ask(repro_t *r, const lab_run_t *run) {
  const lab_result_t *x = lab_run(r->lab, run);
  return repro_has(r, x) ? x : NULL;
}

static void add_set(lab_run_t *run, const char *text) {
  snprintf(run->set[run->sets++], LAB_TEXT_BYTES, "%s", text);
}

/* Persistent blocks in one of so many parts. */
static void add_part(const repro_t *r, lab_run_t *run, const char *app, uint32_t i,
                     uint32_t parts) {
  snprintf(run->app[run->apps++], LAB_TEXT_BYTES, "fgpu-%s:part=%u,parts=%u,size=%s,seed=%" PRIu64,
           app, i, parts, r->plan->size, r->plan->seed);
}

/* Blocks of all applications may start on every SM; those of another's part end at once. */
static const lab_result_t *live_scene(repro_t *r, const partition_t *p, const char *app,
                                      uint32_t s) {
  lab_run_t run = run_in(r, p->gpu, MPS);
  add_set(&run, "share.threads=100");
  if (p->design == CMP)
    add_set(&run, "mem.manager=coloured"), add_set(&run, "mem.page=4K"),
        add_set(&run, "mem.colour_tables=true");
  add_part(r, &run, app, 0, p->parts);
  for (uint32_t i = 1; i < p->parts && beside[s]; i++) add_part(r, &run, beside[s], i, p->parts);
  return ask(r, &run);
}

static const lab_result_t *scene(repro_t *r, const partition_t *p, const char *app, uint32_t s) {
  if (p->live) return live_scene(r, p, app, s);
  lab_run_t run = run_in(r, p->gpu, p->design);
  if (p->set) snprintf(run.set[run.sets++], LAB_TEXT_BYTES, "%s", p->set);
  run_add(r, &run, app);
  for (uint32_t i = 1; i < p->parts && beside[s]; i++) run_add(r, &run, beside[s]);
  if (!beside[s]) keep_to_part(p, &run);
  return ask(r, &run);
}

/* The whole GPU, nobody else. */
static const lab_result_t *whole(repro_t *r, const char *gpu, const char *app) {
  lab_run_t run = run_in(r, gpu, CP);
  run_add(r, &run, app);
  return ask(r, &run);
}

/* As CP alone in its partition, with the pages of CMP: what small pages cost. */
static const lab_result_t *small_pages(repro_t *r, const partition_t *p, const char *app) {
  lab_run_t run = run_in(r, p->gpu, CP);
  run_add(r, &run, app);
  keep_to_part(&(partition_t){.gpu = p->gpu, .design = CP, .parts = p->parts}, &run);
  snprintf(run.set[run.sets++], LAB_TEXT_BYTES, "mem.page=4K");
  return ask(r, &run);
}

static micro_t cycles_of(const lab_result_t *x) {
  return x ? micro_ratio(lab_u64(x, "apps[0].complete_cycles"), lab_u64(x, "apps[0].runs")) : 0;
}

static bool times(repro_t *r, const partition_t *p, const char *app, uint32_t scenes,
                  times_t *out) {
  bool ok = true;
  *out = (times_t){.worst = 1};
  for (uint32_t s = 0; s < scenes; s++) ok &= (out->run[s] = scene(r, p, app, s)) != NULL;
  for (uint32_t s = 0; s < scenes; s++) {
    out->cycles[s] = cycles_of(out->run[s]);
    if (s && out->cycles[s] > out->cycles[out->worst]) out->worst = s;
  }
  out->variation = gain(out->cycles[out->worst], out->cycles[IDLE]);
  return ok;
}

static bool all_times(repro_t *r, const partition_t *p, times_t out[APPS]) {
  bool ok = true;
  for (uint32_t a = 0; a < APPS; a++) ok &= times(r, p, app_name[a], TABLE_SCENES, &out[a]);
  return ok;
}

/* L2 accesses of the co-runners: without them nothing could vary. */
#define BESIDE "apps[1].l2.data.accesses"

/* ---- measures -------------------------------------------------------------------------------- */

static micro_t average(const times_t t[APPS]) {
  micro_t v[APPS];
  for (uint32_t a = 0; a < APPS; a++) v[a] = t[a].variation;
  return micro_mean(v, APPS);
}

static micro_t largest(const times_t t[APPS]) {
  micro_t most = t[0].variation;
  for (uint32_t a = 1; a < APPS; a++)
    if (t[a].variation > most) most = t[a].variation;
  return most;
}

/* "Well below": less than half. */
static bool well_below(micro_t a, micro_t b) { return 2 * a < b; }

static void percent_text(char *out, size_t size, micro_t v) {
  micro_t tenths = ((v < 0 ? -v : v) + 500) / 1000;
  snprintf(out, size, "%s%" PRId64 ".%" PRId64, v < 0 && tenths ? "-" : "", tenths / 10,
           tenths % 10);
}

static void claim_below(repro_t *r, uint32_t row, bool holds, micro_t a, micro_t b) {
  char x[24], y[24];
  percent_text(x, sizeof x, a), percent_text(y, sizeof y, b);
  repro_claim(r, row, holds, "%s and %s %%", x, y);
}

/* ---- tables of details ----------------------------------------------------------------------- */

static table_t *new_table(repro_t *r, const char *title, const char *const columns[]) {
  table_t *t = repro_table(r, title);
  table_column(t, "GPU", TABLE_LEFT), table_column(t, "design", TABLE_LEFT);
  table_column(t, "application", TABLE_LEFT);
  for (; *columns; columns++) table_column(t, *columns, TABLE_RIGHT);
  return t;
}

static void name_cells(table_t *t, const partition_t *p, const char *app) {
  table_cell(t, p->gpu), table_cell(t, design_label[p->design]), table_cell(t, app);
}

static void time_row(table_t *t, const partition_t *p, const char *app, const times_t *x,
                     uint32_t scenes) {
  name_cells(t, p, app);
  table_printf(t, "%" PRId64, x->cycles[IDLE] / MICRO);
  for (uint32_t s = 1; s < scenes; s++) repro_percent(t, gain(x->cycles[s], x->cycles[IDLE]));
  table_cell(t, beside[x->worst]);
}

static micro_t l2_hits(const lab_result_t *x) {
  return micro_ratio(lab_u64(x, "apps[0].l2.data.hits"), lab_u64(x, "apps[0].l2.data.accesses"));
}
/* Cycles from L2's door to the answer: beyond its latency, DRAM's included, it is waiting, mostly
 * for one of the module's MSHRs. */
static micro_t l2_cycles(const lab_result_t *x) {
  return x ? fraction(x, "apps[0].l2.data.latency_cycles.mean") : 0;
}
static micro_t bus(const lab_result_t *x) { return x ? fraction(x, "dram_bus_utilisation") : 0; }

/* What changes beside the worst co-runner. */
static void why_row(table_t *t, const partition_t *p, const char *app, const times_t *x) {
  const lab_result_t *alone = x->run[IDLE], *shared = x->run[x->worst];
  name_cells(t, p, app);
  table_cell(t, beside[x->worst]);
  repro_percent(t, l2_hits(alone)), repro_percent(t, l2_hits(shared));
  repro_cell(t, l2_cycles(alone), 0), repro_cell(t, l2_cycles(shared), 0);
  repro_percent(t, bus(alone)), repro_percent(t, bus(shared));
}

static const char *const why_columns[] = {
    "beside", "L2 hit %, alone", "beside", "cycles in L2, alone",
    "beside", "bus %, alone",    "beside", NULL};
#define WHY_TITLE                                                                                  \
  "Alone and beside the worst co-runner: L2 hits, mean cycles of a request in L2, DRAM buses busy"

typedef struct {
  const partition_t *p;
  times_t app[APPS];
} study_t;

static void study_tables(repro_t *r, const study_t *s, uint32_t count) {
  table_t *t = new_table(
      r, "Cycles of an execution alone in the partition, and how much more in %, by co-runner",
      (const char *const[]){"alone", "MM", "FWT", "VA", "worst", NULL});
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t a = 0; a < APPS; a++)
      time_row(t, s[i].p, app_name[a], &s[i].app[a], TABLE_SCENES);
  t = new_table(r, WHY_TITLE, why_columns);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t a = 0; a < APPS; a++) why_row(t, s[i].p, app_name[a], &s[i].app[a]);
}

static uint64_t accesses_beside(const times_t *t, uint32_t scenes) {
  uint64_t sum = 0;
  for (uint32_t s = 1; s < scenes; s++) sum += lab_u64(t->run[s], BESIDE);
  return sum;
}

static uint64_t beside_accesses(const times_t t[APPS]) {
  uint64_t sum = 0;
  for (uint32_t a = 0; a < APPS; a++) sum += accesses_beside(&t[a], TABLE_SCENES);
  return sum;
}

/* Runs all of them; average and largest variation of each are in two rows, from the first row on.
 * False if a run is missing. */
static bool variations(repro_t *r, const partition_t *p, uint32_t count, study_t *s,
                       micro_t *mean) {
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    s[i].p = &p[i];
    ok &= all_times(r, s[i].p, s[i].app);
  }
  for (uint32_t i = 0; ok && i < count; i++) {
    repro_value(r, 2 * i, mean[i] = average(s[i].app));
    repro_value(r, 2 * i + 1, largest(s[i].app));
    repro_acted(r, 2 * i, beside_accesses(s[i].app));
    repro_acted(r, 2 * i + 1, beside_accesses(s[i].app));
  }
  return ok;
}

/* ---- table3 ---------------------------------------------------------------------------------- */

static const partition_t halves[] = {{"gtx1080-fgpu", CP, 2, NULL, false},
                                     {"gtx1080-fgpu", CMP, 2, NULL, false},
                                     {"v100-fgpu", MPS, 2, NULL, false},
                                     {"v100-fgpu", CP, 2, NULL, false},
                                     {"v100-fgpu", CMP, 2, NULL, false}};
enum { GTX_CP, GTX_CMP, V100_MPS, V100_CP, V100_CMP, HALVES };

static const paper_row_t table3_rows[] = {
    ROW("gtx1080 CP: variation, average", "130.4 %", 1304000, UNIT_PERCENT, RULE_RATE),
    ROW("largest", "226.7 %", 2267000, UNIT_PERCENT, RULE_RATE),
    ROW("gtx1080 CMP: average", "7.5 %", 75000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("largest", "24.6 %", 246000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("v100 MPS: average", "135.8 %", 1358000, UNIT_PERCENT, RULE_RATE),
    ROW("largest", "273.3 %", 2733000, UNIT_PERCENT, RULE_RATE),
    ROW("v100 CP: average", "48.1 %", 481000, UNIT_PERCENT, RULE_RATE),
    ROW("largest", "127.7 %", 1277000, UNIT_PERCENT, RULE_RATE),
    ROW("v100 CMP: average", "8.7 %", 87000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("largest", "18.3 %", 183000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("gtx1080: CMP well below CP (average)", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("v100: CMP well below CP", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("v100: CP below MPS", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("CP varies less on v100 than on gtx1080", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("gtx1080 CP: VA slows the most applications down the most", "yes", 0, UNIT_NUMBER,
        RULE_CLAIM),
    {0}};

static void table3(repro_t *r) {
  study_t s[HALVES];
  micro_t mean[HALVES];
  uint32_t by_va = 0;
  if (!variations(r, halves, HALVES, s, mean)) return;
  for (uint32_t a = 0; a < APPS; a++) by_va += s[GTX_CP].app[a].worst == BESIDE_VA;
  claim_below(r, 10, well_below(mean[GTX_CMP], mean[GTX_CP]), mean[GTX_CMP], mean[GTX_CP]);
  claim_below(r, 11, well_below(mean[V100_CMP], mean[V100_CP]), mean[V100_CMP], mean[V100_CP]);
  claim_below(r, 12, mean[V100_CP] < mean[V100_MPS], mean[V100_CP], mean[V100_MPS]);
  claim_below(r, 13, mean[V100_CP] < mean[GTX_CP], mean[V100_CP], mean[GTX_CP]);
  repro_claim(r, 14, 2 * by_va > APPS, "%u of %u", by_va, APPS);
  study_tables(r, s, HALVES);
}

/* ---- fig9: alone in a partition -------------------------------------------------------------- */

static const paper_row_t fig9_rows[] = {
    ROW("gtx1080: CMP slower than CP when the other partition is idle", "yes", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("v100", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("gtx1080: most for applications bound by memory (VA, FWT, SP)", "yes", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("gtx1080 CP: VA alone on half of the SMs, over twice its time on all", "0.5", 500000,
        UNIT_NUMBER, RULE_RATE),
    {0}};

typedef struct {
  micro_t whole, cp, small, cmp; /* cycles */
} alone_t;

static bool alone_times(repro_t *r, const char *gpu, alone_t out[APPS]) {
  const partition_t cp = {gpu, CP, 2, NULL, false}, cmp = {gpu, CMP, 2, NULL, false};
  bool ok = true;
  for (uint32_t a = 0; a < APPS; a++) {
    const char *n = app_name[a];
    out[a] = (alone_t){cycles_of(whole(r, gpu, n)), cycles_of(scene(r, &cp, n, IDLE)),
                       cycles_of(small_pages(r, &cp, n)), cycles_of(scene(r, &cmp, n, IDLE))};
    ok &= out[a].whole && out[a].cp && out[a].small && out[a].cmp;
  }
  return ok;
}

/* Applications that are slower by more than one percent. */
static uint32_t slower(const alone_t x[APPS]) {
  uint32_t n = 0;
  for (uint32_t a = 0; a < APPS; a++) n += gain(x[a].cmp, x[a].cp) > MICRO / 100;
  return n;
}

/* Mean loss of those bound by memory, or of the others. */
static micro_t mean_loss(const alone_t x[APPS], bool memory_bound) {
  micro_t v[APPS];
  uint32_t n = 0;
  for (uint32_t a = 0; a < APPS; a++)
    if (MEMORY_BOUND(a) == memory_bound) v[n++] = gain(x[a].cmp, x[a].cp);
  return micro_mean(v, n);
}

static void alone_rows(table_t *t, const char *gpu, const alone_t x[APPS]) {
  for (uint32_t a = 0; a < APPS; a++) {
    table_cell(t, gpu), table_cell(t, app_name[a]);
    table_printf(t, "%" PRId64, x[a].whole / MICRO);
    repro_cell(t, micro_div(x[a].cp, 2 * x[a].whole), 2);
    repro_cell(t, micro_div(x[a].small, 2 * x[a].whole), 2);
    repro_cell(t, micro_div(x[a].cmp, 2 * x[a].whole), 2);
    repro_percent(t, gain(x[a].small, x[a].cp)), repro_percent(t, gain(x[a].cmp, x[a].small));
  }
}

static void fig9(repro_t *r) {
  alone_t gtx[APPS], v100[APPS];
  bool ok = alone_times(r, "gtx1080-fgpu", gtx);
  ok &= alone_times(r, "v100-fgpu", v100);
  if (!ok) return;
  repro_claim(r, 0, 2 * slower(gtx) > APPS, "%u of %u", slower(gtx), APPS);
  repro_claim(r, 1, 2 * slower(v100) > APPS, "%u of %u", slower(v100), APPS);
  micro_t bound = mean_loss(gtx, true), other = mean_loss(gtx, false);
  claim_below(r, 2, bound > other, bound, other);
  repro_value(r, 3, micro_div(gtx[VA].cp, 2 * gtx[VA].whole));
  table_t *t = repro_table(r, "Alone: cycles on the whole GPU; in half of it, over twice that; and "
                              "what small pages and colours add to CP, in %");
  table_column(t, "GPU", TABLE_LEFT), table_column(t, "application", TABLE_LEFT);
  static const char *const columns[] = {"whole", "CP",          "CP, 4 KB pages",
                                        "CMP",   "small pages", "colours"};
  for (uint32_t i = 0; i < 6; i++) table_column(t, columns[i], TABLE_RIGHT);
  alone_rows(t, "gtx1080", gtx);
  alone_rows(t, "v100", v100);
}

/* ---- table4 ---------------------------------------------------------------------------------- */

static const partition_t quarters[] = {{"v100-fgpu", MPS, 4, NULL, false},
                                       {"v100-fgpu", CP, 4, NULL, false},
                                       {"v100-fgpu", CMP, 4, NULL, false}};
enum { QUARTERS = 3 };

static const paper_row_t table4_rows[] = {
    ROW("v100 in four, MPS: variation, average", "260.6 %", 2606000, UNIT_PERCENT, RULE_RATE),
    ROW("largest", "510.0 %", 5100000, UNIT_PERCENT, RULE_RATE),
    ROW("CP: average", "79.0 %", 790000, UNIT_PERCENT, RULE_RATE),
    ROW("largest", "106.8 %", 1068000, UNIT_PERCENT, RULE_RATE),
    ROW("CMP: average", "7.3 %", 73000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("largest", "12.3 %", 123000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("CMP well below CP (average)", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("CP below MPS", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    {0}};

static void table4(repro_t *r) {
  study_t s[QUARTERS];
  micro_t mean[QUARTERS];
  if (!variations(r, quarters, QUARTERS, s, mean)) return;
  claim_below(r, 6, well_below(mean[2], mean[1]), mean[2], mean[1]);
  claim_below(r, 7, mean[1] < mean[0], mean[1], mean[0]);
  study_tables(r, s, QUARTERS);
}

/* ---- eight: as many as there are colours ------------------------------------------------------
 */

/* The paper says that a V100 can have eight, and prints two and four. */
static const partition_t eighths[] = {{"v100-fgpu", MPS, 8, NULL, false},
                                      {"v100-fgpu", CP, 8, NULL, false},
                                      {"v100-fgpu", CMP, 8, NULL, false}};

static const paper_row_t eight_rows[] = {
    ROW("v100 in eight, MPS: variation, average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("CP: average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("CMP: average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    {0}};

static void eight(repro_t *r) {
  study_t s[QUARTERS];
  micro_t mean[QUARTERS];
  if (variations(r, eighths, QUARTERS, s, mean)) study_tables(r, s, QUARTERS);
}

/* ---- fig10 ----------------------------------------------------------------------------------- */

static const paper_row_t fig10_rows[] = {
    ROW("IC on gtx1080, CP: variation", "104.6 %", 1046000, UNIT_PERCENT, RULE_RATE),
    ROW("CMP", "19.5 %", 195000, UNIT_PERCENT, RULE_REST, .acted = BESIDE),
    ROW("CMP well below CP", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    {0}};

static void fig10(repro_t *r) {
  times_t t[2];
  bool ok = times(r, &halves[GTX_CP], "ic", SCENES, &t[0]);
  ok &= times(r, &halves[GTX_CMP], "ic", SCENES, &t[1]);
  if (!ok) return;
  for (uint32_t i = 0; i < 2; i++) {
    repro_value(r, i, t[i].variation);
    repro_acted(r, i, accesses_beside(&t[i], SCENES));
  }
  claim_below(r, 2, well_below(t[1].variation, t[0].variation), t[1].variation, t[0].variation);
  table_t *a = new_table(
      r, "Cycles of an execution alone in the partition, and how much more in %, by co-runner",
      (const char *const[]){"alone", "MM", "FWT", "VA", "IC", "worst", NULL});
  for (uint32_t i = 0; i < 2; i++) time_row(a, &halves[GTX_CP + i], "ic", &t[i], SCENES);
  a = new_table(r, WHY_TITLE, why_columns);
  for (uint32_t i = 0; i < 2; i++) why_row(a, &halves[GTX_CP + i], "ic", &t[i]);
}

/* ---- shared: what colours do not part ---------------------------------------------------------
 */

/* The walker with so many threads that nobody waits for one; and no TLB behind a first-level one
 * that always hits. */
static const partition_t without[] = {{"v100-fgpu", CMP, 2, NULL, false},
                                      {"v100-fgpu", CMP, 2, "walk.threads=1024", false},
                                      {"v100-fgpu", CMP, 2, "tlb.ideal=true", false}};
enum { AS_IT_IS, WALKERS, IDEAL, WITHOUTS };
static const char *const without_label[WITHOUTS] = {"as it is", "1024 walks", "ideal TLBs"};

static const paper_row_t shared_rows[] = {
    ROW("v100 CMP: variation, average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("if nobody waited for the page walker: average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("if first-level TLBs always hit: average", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
    ROW("what is left is translation: ideal TLBs, less than 1 % for every application", "-", 0,
        UNIT_NUMBER, RULE_NOTE),
    {0}};

/* From a walk's request to the walker's beginning with it; none without walks. */
static micro_t walk_wait(const lab_result_t *x) {
  return x ? fraction(x, "apps[0].walk.queue_latency_cycles.mean") : 0;
}
static micro_t l2tlb_misses(const lab_result_t *x) {
  return x ? fraction(x, "apps[0].l2tlb.miss_rate") : 0;
}

static void wait_row(table_t *t, uint32_t which, const char *app, const times_t *x) {
  const lab_result_t *alone = x->run[IDLE], *shared = x->run[x->worst];
  table_cell(t, without_label[which]), table_cell(t, app), table_cell(t, beside[x->worst]);
  repro_percent(t, x->variation);
  repro_cell(t, l2_cycles(alone), 0), repro_cell(t, l2_cycles(shared), 0);
  repro_percent(t, l2tlb_misses(alone)), repro_percent(t, l2tlb_misses(shared));
  repro_cell(t, walk_wait(alone), 0), repro_cell(t, walk_wait(shared), 0);
}

static void wait_table(repro_t *r, const study_t s[WITHOUTS]) {
  static const char *const columns[] = {
      "variation %", "cycles in L2, alone",    "beside", "L2 TLB misses %, alone",
      "beside",      "wait for walker, alone", "beside"};
  table_t *t = repro_table(r, "Alone and beside the worst co-runner: mean cycles of a request in "
                              "L2, misses of the L2 TLB, cycles before a walk begins");
  table_column(t, "v100 CMP", TABLE_LEFT), table_column(t, "application", TABLE_LEFT);
  table_column(t, "beside", TABLE_LEFT);
  for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
    table_column(t, columns[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < WITHOUTS; i++)
    for (uint32_t a = 0; a < APPS; a++) wait_row(t, i, app_name[a], &s[i].app[a]);
}

static void shared(repro_t *r) {
  study_t s[WITHOUTS];
  micro_t mean[WITHOUTS];
  char most[24];
  if (!variations(r, without, WITHOUTS, s, mean)) return;
  percent_text(most, sizeof most, largest(s[IDEAL].app));
  repro_claim(r, 6, largest(s[IDEAL].app) < MICRO / 100, "at most %s %%", most);
  wait_table(r, s);
}

/* ---- live: persistent blocks ----------------------------------------------------------------- */

static const partition_t live_gtx1080[] = {{"gtx1080-fgpu", CP, 2, NULL, true},
                                           {"gtx1080-fgpu", CMP, 2, NULL, true}},
                         live_v100[] = {{"v100-fgpu", CP, 2, NULL, true},
                                        {"v100-fgpu", CMP, 2, NULL, true}},
                         live_quarters[] = {{"v100-fgpu", CP, 4, NULL, true},
                                            {"v100-fgpu", CMP, 4, NULL, true}},
                         live_eighths[] = {{"v100-fgpu", CP, 8, NULL, true},
                                           {"v100-fgpu", CMP, 8, NULL, true}};

#define LIVE_ROWS(mean_cp, most_cp, mean_cmp, most_cmp, cp1, cp2, cmp1, cmp2)                      \
  {                                                                                                \
    ROW("CP: variation, average", mean_cp, cp1, UNIT_PERCENT, RULE_RATE),                          \
        ROW("largest", most_cp, cp2, UNIT_PERCENT, RULE_RATE),                                     \
        ROW("CMP: average", mean_cmp, cmp1, UNIT_PERCENT, RULE_REST, .acted = BESIDE),             \
        ROW("largest", most_cmp, cmp2, UNIT_PERCENT, RULE_REST, .acted = BESIDE),                  \
        ROW("CMP well below CP (average)", "yes", 0, UNIT_NUMBER, RULE_ORDER), {                   \
      0                                                                                            \
    }                                                                                              \
  }
static const paper_row_t live_gtx1080_rows[] =
    LIVE_ROWS("130.4 %", "226.7 %", "7.5 %", "24.6 %", 1304000, 2267000, 75000, 246000),
                         live_v100_rows[] = LIVE_ROWS("48.1 %", "127.7 %", "8.7 %", "18.3 %",
                                                      481000, 1277000, 87000, 183000),
                         live_four_rows[] = LIVE_ROWS("79.0 %", "106.8 %", "7.3 %", "12.3 %",
                                                      790000, 1068000, 73000, 123000),
                         live_eight_rows[] = {
                             ROW("CP: variation, average", "-", 0, UNIT_PERCENT, RULE_NOTE),
                             ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
                             ROW("CMP: average", "-", 0, UNIT_PERCENT, RULE_NOTE),
                             ROW("largest", "-", 0, UNIT_PERCENT, RULE_NOTE),
                             {0}};

static void live_pair(repro_t *r, const partition_t p[2], bool ordered) {
  study_t s[2];
  micro_t mean[2];
  if (!variations(r, p, 2, s, mean)) return;
  if (ordered) claim_below(r, 4, well_below(mean[1], mean[0]), mean[1], mean[0]);
  study_tables(r, s, 2);
}

static void live_two_gtx1080(repro_t *r) { live_pair(r, live_gtx1080, true); }
static void live_two_v100(repro_t *r) { live_pair(r, live_v100, true); }
static void live_four(repro_t *r) { live_pair(r, live_quarters, true); }
static void live_eight(repro_t *r) { live_pair(r, live_eighths, false); }

/* ---- what the software costs ----------------------------------------------------------------- */

enum { LAUNCHES_GPUS = 2, LAUNCHES_ROWS = 4 };
#define LAUNCHES(gpu)                                                                              \
  ROW(gpu ": the two that lose most are SN and CFD", "yes", 0, UNIT_NUMBER, RULE_CLAIM),           \
      ROW("persistent blocks on all SMs over a plain launch: SN", "-", 0, UNIT_PERCENT,            \
          RULE_NOTE),                                                                              \
      ROW("CFD", "-", 0, UNIT_PERCENT, RULE_NOTE),                                                 \
      ROW("mean of the other four", "-", 0, UNIT_PERCENT, RULE_NOTE)
static const paper_row_t launches_rows[] = {LAUNCHES("gtx1080"), LAUNCHES("v100"), {0}};

typedef struct {
  micro_t plain, live; /* cycles of an execution on all SMs */
} software_t;

static bool software_times(repro_t *r, const char *gpu, software_t out[APPS]) {
  const partition_t all = {gpu, CP, 1, NULL, true};
  bool ok = true;
  for (uint32_t a = 0; a < APPS; a++) {
    out[a] = (software_t){cycles_of(whole(r, gpu, app_name[a])),
                          cycles_of(scene(r, &all, app_name[a], IDLE))};
    ok &= out[a].plain && out[a].live;
  }
  return ok;
}

static void software_rows(repro_t *r, uint32_t row, const software_t x[APPS]) {
  micro_t over[APPS], others[APPS];
  uint32_t n = 0, above = 0;
  for (uint32_t a = 0; a < APPS; a++) over[a] = gain(x[a].live, x[a].plain);
  micro_t less = over[SN] < over[CFD] ? over[SN] : over[CFD];
  for (uint32_t a = 0; a < APPS; a++) {
    if (a == SN || a == CFD) continue;
    others[n++] = over[a];
    above += over[a] >= less;
  }
  repro_claim(r, row, !above, "%u of the others lose as much", above);
  repro_value(r, row + 1, over[SN]), repro_value(r, row + 2, over[CFD]);
  repro_value(r, row + 3, micro_mean(others, n));
}

static void launches(repro_t *r) {
  static const char *const gpu[LAUNCHES_GPUS] = {"gtx1080-fgpu", "v100-fgpu"};
  software_t x[LAUNCHES_GPUS][APPS];
  bool ok = true;
  for (uint32_t g = 0; g < LAUNCHES_GPUS; g++) ok &= software_times(r, gpu[g], x[g]);
  if (!ok) return;
  table_t *t = repro_table(r, "Cycles of an execution on all SMs");
  table_column(t, "GPU", TABLE_LEFT), table_column(t, "application", TABLE_LEFT);
  table_column(t, "plain", TABLE_RIGHT), table_column(t, "persistent blocks", TABLE_RIGHT);
  table_column(t, "more, %", TABLE_RIGHT);
  for (uint32_t g = 0; g < LAUNCHES_GPUS; g++) {
    software_rows(r, g * LAUNCHES_ROWS, x[g]);
    for (uint32_t a = 0; a < APPS; a++) {
      table_cell(t, gpu[g]), table_cell(t, app_name[a]);
      table_printf(t, "%" PRId64, x[g][a].plain / MICRO);
      table_printf(t, "%" PRId64, x[g][a].live / MICRO);
      repro_percent(t, gain(x[g][a].live, x[g][a].plain));
    }
  }
}

const experiment_t repro_fgpu[] = {
    EXPERIMENT("fgpu/table3", "run-time variation in two partitions", table3_rows, table3),
    EXPERIMENT("fgpu/fig9", "what a partition costs when the other is idle", fig9_rows, fig9),
    EXPERIMENT("fgpu/table4", "run-time variation in four partitions of v100", table4_rows, table4),
    EXPERIMENT("fgpu/eight", "run-time variation in eight partitions of v100", eight_rows, eight),
    EXPERIMENT("fgpu/fig10", "image classification in two partitions", fig10_rows, fig10),
    EXPERIMENT("fgpu/shared", "what colours do not part: TLBs and page walker", shared_rows,
               shared),
    EXPERIMENT("fgpu/live-gtx1080", "two partitions of gtx1080 by persistent blocks",
               live_gtx1080_rows, live_two_gtx1080),
    EXPERIMENT("fgpu/live-v100", "two partitions of v100 by persistent blocks", live_v100_rows,
               live_two_v100),
    EXPERIMENT("fgpu/live-four", "four partitions of v100 by persistent blocks", live_four_rows,
               live_four),
    EXPERIMENT("fgpu/live-eight", "eight partitions of v100 by persistent blocks", live_eight_rows,
               live_eight),
    EXPERIMENT("fgpu/launches", "what persistent blocks cost", launches_rows, launches),
    {0}};
