/* Fractional GPUs: what its authors found out about the hardware, asked of the simulated GPUs by
 * the same means: times of loads, and nothing else (`gmmu probe hash`, `gmmu probe isolation`). A
 * percent of the loads are outliers, and all times vary, as on a real device. */
#include "base/json_find.h"
#include "color/color.h"
#include "probe/isolation.h"
#include "repro/repro.h"
#include <stdio.h>
#include <string.h>

static void failed(repro_t *r, const err_t *e) {
  if (!r->why[0]) snprintf(r->why, sizeof r->why, "%.150s", e->text);
}

/* What the store has of a probe; NULL: nothing yet, or never. */
static const char *probe(repro_t *r, const char *gpu, const char *what, uint32_t mshrs) {
  lab_run_t run = {.apps = 1};
  snprintf(run.gpu, sizeof run.gpu, "%s", gpu);
  snprintf(run.design, sizeof run.design, "native");
  snprintf(run.app[0], sizeof run.app[0], "probe:%s", what);
  if (mshrs) snprintf(run.set[run.sets++], sizeof run.set[0], "l2.mshrs=%u", mshrs);
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x->text : NULL;
}

static uint64_t whole(const char *json, const char *path) {
  uint64_t v = 0;
  json_find_u64(json, path, &v);
  return v;
}
static micro_t fraction(const char *json, const char *path) {
  uint64_t v = 0;
  json_find_micro(json, path, &v);
  return (micro_t)v;
}

/* Of something that the solver looked for: "ways" has a value and a confidence. */
static uint64_t found(const char *json, const char *what, const char *member) {
  char path[96];
  snprintf(path, sizeof path, "probe.found.%s.%s", what, member);
  return whole(json, path);
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { HASH_BANK, HASH_SET, HASH_MODULE, HASH_KINDS };
/* The preset has it from the paper; what is shown is that the probe finds it. */
#define PLANTED "planted in the preset, from the paper; the probe finds it or does not"
#define EXACT(what_, paper_)                                                                       \
  { .what = what_, .paper = paper_, .rule = RULE_CLAIM, .given = PLANTED }
static const paper_row_t hash_rows[] = {EXACT("gtx1080: bank functions", "7, for 128 banks"),
                                        EXACT("gtx1080: set functions", "10, for 1024 sets"),
                                        EXACT("gtx1080: module functions", "3, for 8 modules"),
                                        EXACT("v100: bank functions", "9, for 512 banks"),
                                        EXACT("v100: set functions", "10, for 1024 sets"),
                                        EXACT("v100: module functions", "5, for 32 modules"),
                                        {0}};

/* A list of functions, written as text. */
static void read_space(const char *json, const char *path, gf2_space_t *out) {
  const char *p = json_find(json, path), *end = p && *p == '"' ? strchr(p + 1, '"') : NULL;
  char text[BITLIST_TEXT];
  bitlist_t l;
  err_t e = {0};
  gf2_init(out);
  if (!end || (size_t)(end - p) > sizeof text) return;
  snprintf(text, sizeof text, "%.*s", (int)(end - p - 1), p + 1);
  if (bitlist_parse(text, &l, &e) == 0) gf2_span(out, l.mask, l.count);
}

static void claim_space(repro_t *r, uint32_t row, const char *json, const char *path,
                        const gf2_space_t *truth, uint64_t confidence) {
  gf2_space_t got;
  read_space(json, path, &got);
  repro_claim(r, row, gf2_equal(&got, truth), "%u, %s row space, confidence %u %%", got.rank,
              gf2_equal(&got, truth) ? "the same" : "another", (unsigned)confidence);
}

/* The truth to compare with, which the probe does not see. */
static bool true_spaces(repro_t *r, const char *gpu, gf2_space_t of[HASH_KINDS]) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  if (gpu_spec_load(&s, "gpu", gpu, &e) < 0) {
    failed(r, &e);
    return false;
  }
  gf2_span(&of[HASH_BANK], s.map.bank.mask, s.map.bank.count);
  gf2_span(&of[HASH_SET], s.map.set.mask, s.map.set.count);
  gf2_meet(&of[HASH_BANK], &of[HASH_SET], &of[HASH_MODULE]);
  return true;
}

static void hash_of(repro_t *r, const char *gpu, uint32_t row) {
  gf2_space_t truth[HASH_KINDS];
  const char *x = probe(r, gpu, "hash", 0);
  if (!x || !true_spaces(r, gpu, truth)) return;
  claim_space(r, row + HASH_BANK, x, "probe.found.bank_functions.functions", &truth[HASH_BANK],
              found(x, "bank_functions", "confidence"));
  claim_space(r, row + HASH_SET, x, "probe.found.set_functions.functions", &truth[HASH_SET],
              found(x, "set_functions", "confidence"));
  claim_space(r, row + HASH_MODULE, x, "probe.found.module_functions", &truth[HASH_MODULE],
              found(x, "modules", "confidence"));
  repro_note(r, row + HASH_BANK, "from %llu pairs of loads",
             (unsigned long long)whole(x, "probe.pairs"));
  repro_note(r, row + HASH_SET, "from %llu chains of loads",
             (unsigned long long)whole(x, "probe.chains"));
}

static void hash(repro_t *r) {
  hash_of(r, "gtx1080-fgpu", 0);
  hash_of(r, "v100-fgpu", HASH_KINDS);
}

/* ---- colours --------------------------------------------------------------------------------- */

#define COLOURS(what_, n)                                                                          \
  {                                                                                                \
    .what = what_, .paper = #n, .value = (n)*MICRO, .unit = UNIT_NUMBER, .rule = RULE_RATE,        \
    .given = PLANTED                                                                               \
  }
static const paper_row_t colors_rows[] = {COLOURS("gtx1080: colours of 4 KB pages", 2),
                                          COLOURS("gtx1080: colours of 64 KB pages", 1),
                                          COLOURS("gtx1080: colours of 2 MB pages", 1),
                                          COLOURS("v100: colours of 4 KB pages", 8),
                                          {0}};

/* From the functions that the preset has, which fgpu/hash finds again. */
static void colors(repro_t *r) {
  static const struct {
    const char *gpu;
    uint64_t page_bytes;
  } of[] = {{"gtx1080-fgpu", 4096},
            {"gtx1080-fgpu", 65536},
            {"gtx1080-fgpu", 2 << 20},
            {"v100-fgpu", 4096}};
  for (uint32_t i = 0; i < 4; i++) {
    gpu_spec_t s;
    color_t c;
    color_pages_t pages;
    err_t e = {0};
    gpu_spec_init(&s);
    int rc = gpu_spec_load(&s, "gpu", of[i].gpu, &e);
    color_chip_t chip = {.module = s.map.module, .bank = s.map.bank, .set = s.map.set};
    if (rc == 0) rc = color_init(&c, &chip, &e);
    if (rc < 0) {
      failed(r, &e);
      continue;
    }
    color_pages(&c, of[i].page_bytes, &pages);
    repro_value(r, i, pages.colors * MICRO);
    repro_note(r, i, "arithmetic on the published functions, nothing is measured");
  }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static const paper_row_t fig3_rows[] = {{.what = "gtx1080: a pair of loads, usually, cycles",
                                         .paper = "495 to 520",
                                         .value = 507500000,
                                         .unit = UNIT_NUMBER,
                                         .rule = RULE_RATE,
                                         .given = "fitted: l2.dram_hop was chosen for it"},
                                        {.what = "gtx1080: a pair in one bank and two rows, cycles",
                                         .paper = "> 552",
                                         .value = 552 * MICRO,
                                         .unit = UNIT_NUMBER,
                                         .rule = RULE_ABOVE},
                                        {0}};

static void fig3(repro_t *r) {
  const char *x = probe(r, "gtx1080-fgpu", "hash", 0);
  if (!x) return;
  repro_value(r, 0, fraction(x, "probe.usual_pair_cycles"));
  repro_value(r, 1, fraction(x, "probe.conflict_pair_cycles"));
}

/* ---- lines, ways, rows ----------------------------------------------------------------------- */

enum { L2_LINE, L2_SECTOR, L2_WAYS, L2_BYTES, L2_ROW, L2_BUS, L2_WRITES, L2_PREFETCH };
static const paper_row_t l2_rows[] = {EXACT("gtx1080: line of the L2, bytes", "128"),
                                      EXACT("gtx1080: what a miss brings in, bytes", "32"),
                                      EXACT("gtx1080: ways", "16"),
                                      EXACT("gtx1080: L2, KB", "2048"),
                                      EXACT("gtx1080: row of a bank, bytes", "2048"),
                                      EXACT("gtx1080: bus of a module, bits", "32"),
                                      {.what = "gtx1080: lines of write misses are evicted less",
                                       .paper = "yes",
                                       .rule = RULE_CLAIM,
                                       .given = PLANTED},
                                      {.what = "gtx1080: lines that come unasked behind 8 in a row",
                                       .paper = "none",
                                       .rule = RULE_CLAIM,
                                       .given = "the model has no prefetcher to be found"},
                                      {0}};

static void claim_size(repro_t *r, uint32_t row, const char *json, const char *what, uint64_t unit,
                       uint64_t want) {
  uint64_t got = found(json, what, "value");
  repro_claim(r, row, got == want * unit, "%llu, confidence %u %%",
              (unsigned long long)(got / unit), (unsigned)found(json, what, "confidence"));
}

/* A line that stays however many are loaded has no number. */
static void l2_writes(repro_t *r, const char *json) {
  uint64_t loaded = whole(json, "probe.loaded_line_gone_after");
  uint64_t stored = whole(json, "probe.stored_line_gone_after");
  repro_claim(r, L2_WRITES, loaded && (!stored || stored > loaded),
              "gone after %llu loads of its set; after a load, %llu", (unsigned long long)stored,
              (unsigned long long)loaded);
  repro_note(r, L2_WRITES, "how much less is not published: l2.replacement=lru-writes is a guess");
}

static void l2(repro_t *r) {
  const char *x = probe(r, "gtx1080-fgpu", "hash", 0);
  if (!x) return;
  claim_size(r, L2_LINE, x, "line", 1, 128);
  claim_size(r, L2_SECTOR, x, "sector", 1, 32);
  claim_size(r, L2_WAYS, x, "ways", 1, 16);
  claim_size(r, L2_BYTES, x, "l2", 1024, 2048);
  claim_size(r, L2_ROW, x, "row", 1, 2048);
  uint64_t modules = found(x, "modules", "value");
  if (modules)
    repro_claim(r, L2_BUS, 256 / modules == 32, "%llu", (unsigned long long)(256 / modules));
  repro_note(r, L2_BUS, "as in the paper: 256 bits of the board over the modules found");
  l2_writes(r, x);
  uint64_t came = 0;
  if (json_find_u64(x, "probe.prefetched_lines", &came))
    repro_claim(r, L2_PREFETCH, !came, "%llu of 4", (unsigned long long)came);
}

/* ---- isolation ------------------------------------------------------------------------------- */

enum { ISO_ORDER, ISO_FLAT, ISO_KNEE, ISO_HELD, ISO_FOLLOWS, ISO_MSHRS, ISO_RATIO };
static const paper_row_t fig8_rows[] = {
    {.what = "49 others: SCSB, DCSB, then SCDB and DCDB, then DM",
     .paper = "in this order",
     .rule = RULE_ORDER},
    {.what = "other modules do not matter",
     .paper = "flat",
     .rule = RULE_CLAIM,
     .given = "by construction: modules share nothing but the crossbar"},
    {.what = "threads at the knee of DCDB",
     .paper = "16",
     .value = 16 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_RATE,
     .given = PLANTED},
    {.what = "MSHRs in use at the knee",
     .paper = "16",
     .value = 16 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_RATE,
     .given = PLANTED},
    EXACT("with 8, 16 and 32 registers, in use at the knee", "all of them"),
    EXACT("MSHRs of a module", "16"),
    {.what = "worst over best",
     .paper = "> 10",
     .value = 10 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_ABOVE},
    {0}};

/* The same but for noise. */
static bool alike(micro_t a, micro_t b) { return a <= b + b / 20 && b <= a + a / 20; }

/* Of a load of the first thread beside `others`, in a case. */
static micro_t time_of(const char *x, uint32_t c, uint32_t others) {
  char path[32];
  snprintf(path, sizeof path, "%s[%u]", isolation_name((isolation_case_t)c), others);
  return fraction(x, path);
}

static void fig8_order(repro_t *r, const char *x, uint32_t n) {
  micro_t t[ISO_CASES];
  for (uint32_t c = 0; c < ISO_CASES; c++) t[c] = time_of(x, c, n);
  bool holds = (t[ISO_SCSB] >= t[ISO_DCSB] || alike(t[ISO_SCSB], t[ISO_DCSB])) &&
               t[ISO_DCSB] > t[ISO_SCDB] && alike(t[ISO_SCDB], t[ISO_DCDB]) &&
               t[ISO_DCDB] > t[ISO_DM];
  repro_claim(r, ISO_ORDER, holds, "%lld, %lld, %lld, %lld, %lld", (long long)(t[ISO_SCSB] / MICRO),
              (long long)(t[ISO_DCSB] / MICRO), (long long)(t[ISO_SCDB] / MICRO),
              (long long)(t[ISO_DCDB] / MICRO), (long long)(t[ISO_DM] / MICRO));
  repro_note(r, ISO_ORDER, "cycles of a load with %u others, in the order of the row", n);
}

/* Time between two rows of a bank that nothing can go below, in core cycles. */
static micro_t row_cycle(repro_t *r) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  if (gpu_spec_load(&s, "gpu", "gtx1080-fgpu", &e) < 0) failed(r, &e);
  return MICRO * (micro_t)s.dram.trc * s.core.clock_mhz / s.dram.clock_mhz;
}

#define HUNDREDTHS(micro) (long long)((micro) / MICRO), (long long)((micro) % MICRO * 100 / MICRO)

static void fig8_rows_of(repro_t *r, const char *x, uint32_t others) {
  micro_t trc = row_cycle(r), flat = time_of(x, ISO_DM, others);
  micro_t alone = fraction(x, "alone_cycles");
  micro_t bound = alone ? micro_div((others + 1) * trc, alone) : 0;
  fig8_order(r, x, others);
  repro_claim(r, ISO_FLAT, alike(flat, alone), "%lld alone, %lld with %u others",
              (long long)(alone / MICRO), (long long)(flat / MICRO), others);
  repro_value(r, ISO_RATIO, fraction(x, "worst_over_best"));
  repro_note(r, ISO_RATIO,
             "bound: %u threads x tRC of %lld.%02lld cycles / %lld alone = %lld.%02lld", others + 1,
             HUNDREDTHS(trc), (long long)(alone / MICRO), HUNDREDTHS(bound));
}

static void fig8_table(repro_t *r, const char *x, uint32_t others) {
  table_t *t = repro_table(r, "Cycles of a load of the first thread, by other threads");
  table_column(t, "others", TABLE_RIGHT);
  for (uint32_t c = 0; c < ISO_CASES; c++)
    table_column(t, isolation_name((isolation_case_t)c), TABLE_RIGHT);
  for (uint32_t n = 0; n <= others; n += n + 7 > others && n < others ? others - n : 7) {
    table_u64(t, n);
    for (uint32_t c = 0; c < ISO_CASES; c++) table_u64(t, (uint64_t)(time_of(x, c, n) / MICRO));
  }
}

/* ---- the knee and the MSHRs ---- */

static const uint32_t knee_mshrs[] = {8, 16, 32};
#define KNEES 3

static micro_t in_use(const char *x) { return fraction(x, "registers_in_use"); }

static void knee_table(repro_t *r, const char *const x[KNEES]) {
  static const char *const column[] = {"l2.mshrs", "threads at the knee", "cycles of a load alone",
                                       "register held, cycles", "registers in use at the knee"};
  table_t *t = repro_table(r, "The knee of DCDB by MSHRs");
  for (uint32_t i = 0; i < 5; i++) table_column(t, column[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < KNEES; i++) {
    table_u64(t, knee_mshrs[i]);
    table_u64(t, whole(x[i], "knee"));
    repro_cell(t, fraction(x[i], "alone_cycles"), 0);
    repro_cell(t, fraction(x[i], "register_held_cycles"), 0);
    repro_cell(t, in_use(x[i]), 1);
  }
}

static void fig8_knees(repro_t *r, const char *const x[KNEES]) {
  bool all = true;
  for (uint32_t i = 0; i < KNEES; i++) {
    micro_t want = knee_mshrs[i] * MICRO, got = in_use(x[i]);
    all = all && got * 10 >= want * 9 && got * 10 <= want * 11;
  }
  repro_value(r, ISO_KNEE, (micro_t)whole(x[1], "knee") * MICRO);
  repro_note(r, ISO_KNEE, "a load takes %lld cycles and holds a register for %lld of them",
             (long long)(fraction(x[1], "alone_cycles") / MICRO),
             (long long)(fraction(x[1], "register_held_cycles") / MICRO));
  repro_value(r, ISO_HELD, in_use(x[1]));
  repro_note(r, ISO_HELD, "threads at the knee x register held / load alone, as counted there");
  repro_claim(r, ISO_FOLLOWS, all, "%lld.%02lld, %lld.%02lld, %lld.%02lld",
              HUNDREDTHS(in_use(x[0])), HUNDREDTHS(in_use(x[1])), HUNDREDTHS(in_use(x[2])));
  repro_note(r, ISO_FOLLOWS, "knees at %u, %u and %u threads; within a tenth",
             (unsigned)whole(x[0], "knee"), (unsigned)whole(x[1], "knee"),
             (unsigned)whole(x[2], "knee"));
  knee_table(r, x);
}

/* 32 registers need more threads than the figure has to show their knee. */
static void fig8(repro_t *r) {
  const char *x[KNEES] = {probe(r, "gtx1080-fgpu", "isolation", 8),
                          probe(r, "gtx1080-fgpu", "isolation", 0),
                          probe(r, "gtx1080-fgpu", "isolation,others=73", 32)};
  const char *h = probe(r, "gtx1080-fgpu", "hash", 0);
  if (!x[0] || !x[1] || !x[2] || !h) return;
  uint32_t others = (uint32_t)whole(x[1], "others");
  fig8_rows_of(r, x[1], others);
  claim_size(r, ISO_MSHRS, h, "mshrs", 1, 16);
  repro_note(r, ISO_MSHRS, "from loads of one warp that are issued together");
  fig8_table(r, x[1], others);
  fig8_knees(r, x);
}

const experiment_t repro_fgpu_probe[] = {
    EXPERIMENT("fgpu/hash", "hash functions from times alone", hash_rows, hash),
    EXPERIMENT("fgpu/colors", "page colours", colors_rows, colors),
    EXPERIMENT("fgpu/fig3", "pairs of loads", fig3_rows, fig3),
    EXPERIMENT("fgpu/l2", "L2 and DRAM from times alone", l2_rows, l2),
    EXPERIMENT("fgpu/fig8", "isolation by set, bank and module", fig8_rows, fig8),
    {0}};
