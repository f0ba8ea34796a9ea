/* Fractional GPUs: what its authors found out about the hardware, asked of the simulated GPUs by
 * the same means: times of loads, and nothing else (`gmmu probe hash`, `gmmu probe isolation`).
 *
 * No run of the laboratory is needed, and nothing is kept: an experiment measures each time, in
 * seconds. A percent of the loads are outliers, and all times vary, as on a real device. */
#include "color/color.h"
#include "probe/asker.h"
#include "probe/isolation.h"
#include "probe/writes.h"
#include "repro.h"
#include "solver/solver.h"
#include "stop.h"
#include <stdio.h>
#include <string.h>

static const device_noise_t noise = {
    .jitter_cycles = 10, .outlier_ppm = 10000, .outlier_cycles = 3000, .seed = 1};

typedef struct {
  device_t *device; /* NULL: it could not be asked */
  solver_report_t found;
  gpu_spec_t spec; /* the truth to compare with; the probe does not see it */
} probed_t;

static void failed(repro_t *r, const err_t *e) {
  if (e->code == GMMU_EINTERRUPTED) r->interrupted = true;
  if (!r->why[0]) snprintf(r->why, sizeof r->why, "%.150s", e->text);
}

static bool probe_gpu(repro_t *r, const char *gpu, probed_t *p) {
  device_options_t o = {.noise = noise};
  char name[64];
  err_t e = {0};
  asker_t asker;
  *p = (probed_t){0};
  if (r->dry) return false;
  gpu_spec_init(&p->spec);
  snprintf(name, sizeof name, "sim:%s", gpu);
  int rc = gpu_spec_load(&p->spec, "gpu", gpu, &e);
  if (rc == 0) rc = device_open(name, &o, &p->device, &e);
  if (rc == 0) {
    p->device->stop = stop_asked;
    oracle_t oracle = asker_oracle(&asker, p->device, noise.seed);
    rc = solver_run(&oracle, noise.seed, &p->found, &e);
  }
  if (rc < 0) failed(r, &e);
  return rc == 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { HASH_BANK, HASH_SET, HASH_MODULE, HASH_KINDS };
#define EXACT(what_, paper_)                                                                       \
  { .what = what_, .paper = paper_, .rule = RULE_CLAIM }
static const paper_row_t hash_rows[] = {EXACT("gtx1080: bank functions", "7, for 128 banks"),
                                        EXACT("gtx1080: set functions", "10, for 1024 sets"),
                                        EXACT("gtx1080: module functions", "3, for 8 modules"),
                                        EXACT("v100: bank functions", "9, for 512 banks"),
                                        EXACT("v100: set functions", "10, for 1024 sets"),
                                        EXACT("v100: module functions", "5, for 32 modules"),
                                        {0}};

static void claim_space(repro_t *r, uint32_t row, const gf2_space_t *found,
                        const gf2_space_t *truth, uint32_t confidence) {
  repro_claim(r, row, gf2_equal(found, truth), "%u, %s row space, confidence %u %%", found->rank,
              gf2_equal(found, truth) ? "the same" : "another", confidence);
}

static void hash_of(repro_t *r, const char *gpu, uint32_t row) {
  probed_t p;
  if (probe_gpu(r, gpu, &p)) {
    gf2_space_t bank, set, module;
    const solver_report_t *f = &p.found;
    gf2_span(&bank, p.spec.map.bank.mask, p.spec.map.bank.count);
    gf2_span(&set, p.spec.map.set.mask, p.spec.map.set.count);
    gf2_meet(&bank, &set, &module);
    claim_space(r, row + HASH_BANK, &f->bank.space, &bank, f->bank.confidence);
    claim_space(r, row + HASH_SET, &f->set.space, &set, f->set.confidence);
    claim_space(r, row + HASH_MODULE, &f->module, &module, f->modules.confidence);
    repro_note(r, row + HASH_BANK, "from %llu pairs of loads", (unsigned long long)f->pairs);
    repro_note(r, row + HASH_SET, "from %llu chains of loads", (unsigned long long)f->chains);
  }
  device_free(p.device);
}

static void hash(repro_t *r) {
  hash_of(r, "gtx1080", 0);
  hash_of(r, "v100", HASH_KINDS);
}

/* ---- colours --------------------------------------------------------------------------------- */

#define COLOURS(what_, n)                                                                          \
  { .what = what_, .paper = #n, .value = (n)*MICRO, .unit = UNIT_NUMBER, .rule = RULE_RATE }
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
  } of[] = {{"gtx1080", 4096}, {"gtx1080", 65536}, {"gtx1080", 2 << 20}, {"v100", 4096}};
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
                                         .rule = RULE_RATE},
                                        {.what = "gtx1080: a pair in one bank and two rows, cycles",
                                         .paper = "> 552",
                                         .value = 552 * MICRO,
                                         .unit = UNIT_NUMBER,
                                         .rule = RULE_ABOVE},
                                        {0}};

static void fig3(repro_t *r) {
  probed_t p;
  if (probe_gpu(r, "gtx1080", &p)) {
    repro_value(r, 0, p.found.usual_cycles * MICRO);
    repro_value(r, 1, p.found.conflict_cycles * MICRO);
  }
  device_free(p.device);
}

/* ---- lines, ways, rows ----------------------------------------------------------------------- */

enum { L2_LINE, L2_SECTOR, L2_WAYS, L2_BYTES, L2_ROW, L2_BUS, L2_WRITES };
static const paper_row_t l2_rows[] = {
    EXACT("gtx1080: line of the L2, bytes", "128"),
    EXACT("gtx1080: what a miss brings in, bytes", "32"),
    EXACT("gtx1080: ways", "16"),
    EXACT("gtx1080: L2, KB", "2048"),
    EXACT("gtx1080: row of a bank, bytes", "2048"),
    EXACT("gtx1080: bus of a module, bits", "32"),
    {.what = "gtx1080: lines of write misses are evicted less", .paper = "yes", .rule = RULE_CLAIM},
    {0}};

static void claim_size(repro_t *r, uint32_t row, const finding_t *f, uint64_t unit, uint64_t want) {
  repro_claim(r, row, f->value == want * unit, "%llu, confidence %u %%",
              (unsigned long long)(f->value / unit), f->confidence);
}

static void l2_writes(repro_t *r, const probed_t *p) {
  writes_t w;
  err_t e = {0};
  if (writes_probe(p->device, &p->found, noise.seed, &w, &e) < 0) {
    failed(r, &e);
    return;
  }
  repro_claim(r, L2_WRITES, w.after_load && (!w.after_store || w.after_store > w.after_load),
              "gone after %u loads of its set; after a load, %u", w.after_store, w.after_load);
  repro_note(r, L2_WRITES, "how much less is not published: l2.replacement=lru-writes is a guess");
}

static void l2(repro_t *r) {
  probed_t p;
  if (probe_gpu(r, "gtx1080", &p)) {
    const solver_report_t *f = &p.found;
    claim_size(r, L2_LINE, &f->line_bytes, 1, 128);
    claim_size(r, L2_SECTOR, &f->sector_bytes, 1, 32);
    claim_size(r, L2_WAYS, &f->ways, 1, 16);
    claim_size(r, L2_BYTES, &f->l2_bytes, 1024, 2048);
    claim_size(r, L2_ROW, &f->row_bytes, 1, 2048);
    if (f->modules.value)
      repro_claim(r, L2_BUS, 256 / f->modules.value == 32, "%llu",
                  (unsigned long long)(256 / f->modules.value));
    repro_note(r, L2_BUS, "as in the paper: 256 bits of the board over the modules found");
    l2_writes(r, &p);
  }
  device_free(p.device);
}

/* ---- isolation ------------------------------------------------------------------------------- */

enum { ISO_ORDER, ISO_FLAT, ISO_KNEE, ISO_HELD, ISO_FOLLOWS, ISO_MSHRS, ISO_RATIO };
static const paper_row_t fig8_rows[] = {
    {.what = "49 others: SCSB, DCSB, then SCDB and DCDB, then DM",
     .paper = "in this order",
     .rule = RULE_ORDER},
    EXACT("other modules do not matter", "flat"),
    {.what = "threads at the knee of DCDB",
     .paper = "16",
     .value = 16 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_RATE},
    {.what = "miss registers in use at the knee",
     .paper = "16",
     .value = 16 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_RATE},
    EXACT("with 8, 16 and 32 registers, in use at the knee", "all of them"),
    EXACT("miss registers of a module", "16"),
    {.what = "worst over best",
     .paper = "> 10",
     .value = 10 * MICRO,
     .unit = UNIT_NUMBER,
     .rule = RULE_ABOVE},
    {0}};

/* Hundredths of a cycle that are the same but for noise. */
static bool alike(int64_t a, int64_t b) { return a <= b + b / 20 && b <= a + a / 20; }

static void fig8_order(repro_t *r, const isolation_t *x) {
  const uint32_t n = x->others;
  int64_t t[ISO_CASES];
  for (uint32_t c = 0; c < ISO_CASES; c++) t[c] = x->time[c][n] / 100;
  bool holds = (t[ISO_SCSB] >= t[ISO_DCSB] || alike(t[ISO_SCSB], t[ISO_DCSB])) &&
               t[ISO_DCSB] > t[ISO_SCDB] && alike(t[ISO_SCDB], t[ISO_DCDB]) &&
               t[ISO_DCDB] > t[ISO_DM];
  repro_claim(r, ISO_ORDER, holds, "%lld, %lld, %lld, %lld, %lld", (long long)t[ISO_SCSB],
              (long long)t[ISO_DCSB], (long long)t[ISO_SCDB], (long long)t[ISO_DCDB],
              (long long)t[ISO_DM]);
  repro_note(r, ISO_ORDER, "cycles of a load with %u others, in the order of the row", n);
}

/* Time between two rows of a bank that nothing can go below, in hundredths of a core cycle. */
static int64_t row_cycle(const gpu_spec_t *s) {
  return 100 * (int64_t)s->dram.trc * s->core.clock_mhz / s->dram.clock_mhz;
}

static void fig8_rows_of(repro_t *r, const isolation_t *x, const probed_t *p) {
  const finding_t *mshrs = &p->found.mshrs;
  int64_t trc = row_cycle(&p->spec), flat = x->time[ISO_DM][x->others];
  int64_t bound = 100 * (x->others + 1) * trc / x->alone;
  fig8_order(r, x);
  repro_claim(r, ISO_FLAT, alike(flat, x->alone), "%lld alone, %lld with %u others",
              (long long)(x->alone / 100), (long long)(flat / 100), x->others);
  repro_claim(r, ISO_MSHRS, mshrs->value == 16, "%llu, confidence %u %%",
              (unsigned long long)mshrs->value, mshrs->confidence);
  repro_note(r, ISO_MSHRS, "from loads of one warp that are issued together");
  repro_value(r, ISO_RATIO, isolation_ratio(x) * (MICRO / 100));
  repro_note(r, ISO_RATIO,
             "bound: %u threads x tRC of %lld.%02lld cycles / %lld alone = %lld.%02lld",
             x->others + 1, (long long)(trc / 100), (long long)(trc % 100),
             (long long)(x->alone / 100), (long long)(bound / 100), (long long)(bound % 100));
}

static void fig8_table(repro_t *r, const isolation_t *x) {
  table_t *t = repro_table(r, "Cycles of a load of the first thread, by other threads");
  table_column(t, "others", TABLE_RIGHT);
  for (uint32_t c = 0; c < ISO_CASES; c++)
    table_column(t, isolation_name((isolation_case_t)c), TABLE_RIGHT);
  for (uint32_t n = 0; n <= x->others;
       n += n + 7 > x->others && n < x->others ? x->others - n : 7) {
    table_u64(t, n);
    for (uint32_t c = 0; c < ISO_CASES; c++) table_u64(t, (uint64_t)x->time[c][n] / 100);
  }
}

/* ---- the knee and the miss registers ---- */

typedef struct {
  uint32_t mshrs, knee;
  int64_t alone, held; /* cycles of a load, of its register; hundredths */
} knee_t;
#define KNEES 3
#define TENTHS(micro)                                                                              \
  (unsigned long long)((micro) / MICRO), (unsigned long long)((micro) % MICRO * 10 / MICRO)

/* Loads under way are threads; of those, so many have a register (Little's law). */
static micro_t in_use(const knee_t *k) {
  return k->alone ? k->knee * MICRO * k->held / k->alone : 0;
}

/* Other banks of the module, on the same GPU with so many registers, by more than twice as many
 * threads: the time of a thread's load, and how long the machine counted a register as taken. */
static int measure_knee(const probed_t *p, uint32_t mshrs, knee_t *out, err_t *e) {
  char text[32];
  const char *setting = text;
  device_options_t o = {.noise = noise, .setting = &setting, .settings = 1};
  isolation_options_t how = {.others = 2 * mshrs + 9, .seed = noise.seed, .cases = 1u << ISO_DCDB};
  device_t *d = NULL;
  isolation_t x;
  snprintf(text, sizeof text, "l2.mshrs=%u", mshrs);
  int rc = device_open("sim:gtx1080", &o, &d, e);
  if (rc == 0) {
    d->stop = stop_asked;
    rc = isolation_probe(d, &p->found, &how, &x, e);
  }
  if (rc == 0) *out = (knee_t){mshrs, x.knee, x.alone, device_sim_held(d)};
  device_free(d);
  return rc;
}

static void knee_table(repro_t *r, const knee_t k[KNEES]) {
  table_t *t = repro_table(r, "The knee of DCDB by miss registers");
  table_column(t, "l2.mshrs", TABLE_RIGHT);
  table_column(t, "threads at the knee", TABLE_RIGHT);
  table_column(t, "cycles of a load alone", TABLE_RIGHT);
  table_column(t, "register held, cycles", TABLE_RIGHT);
  table_column(t, "registers in use at the knee", TABLE_RIGHT);
  for (uint32_t i = 0; i < KNEES; i++) {
    table_u64(t, k[i].mshrs);
    table_u64(t, k[i].knee);
    table_u64(t, (uint64_t)k[i].alone / 100);
    table_u64(t, (uint64_t)k[i].held / 100);
    table_printf(t, "%llu.%llu", TENTHS(in_use(&k[i])));
  }
}

static void fig8_knees(repro_t *r, const probed_t *p) {
  static const uint32_t mshrs[KNEES] = {8, 16, 32};
  knee_t k[KNEES];
  err_t e = {0};
  bool all = true;
  for (uint32_t i = 0; i < KNEES; i++) {
    if (measure_knee(p, mshrs[i], &k[i], &e) < 0) {
      failed(r, &e);
      return;
    }
    micro_t want = mshrs[i] * MICRO, got = in_use(&k[i]);
    all = all && got * 10 >= want * 9 && got * 10 <= want * 11;
  }
  repro_value(r, ISO_KNEE, k[1].knee * MICRO);
  repro_note(r, ISO_KNEE, "a load takes %lld cycles and holds a register for %lld of them",
             (long long)(k[1].alone / 100), (long long)(k[1].held / 100));
  repro_value(r, ISO_HELD, in_use(&k[1]));
  repro_note(r, ISO_HELD, "threads at the knee x register held / load alone, as counted there");
  repro_claim(r, ISO_FOLLOWS, all, "%llu.%llu, %llu.%llu, %llu.%llu", TENTHS(in_use(&k[0])),
              TENTHS(in_use(&k[1])), TENTHS(in_use(&k[2])));
  repro_note(r, ISO_FOLLOWS, "knees at %u, %u and %u threads; within a tenth", k[0].knee, k[1].knee,
             k[2].knee);
  knee_table(r, k);
}

static void fig8(repro_t *r) {
  isolation_options_t o = {.seed = noise.seed};
  isolation_t x;
  probed_t p;
  err_t e = {0};
  if (probe_gpu(r, "gtx1080", &p)) {
    if (isolation_probe(p.device, &p.found, &o, &x, &e) < 0)
      failed(r, &e);
    else {
      fig8_rows_of(r, &x, &p);
      fig8_table(r, &x);
      fig8_knees(r, &p);
    }
  }
  device_free(p.device);
}

const experiment_t repro_fgpu_probe[] = {
    {"fgpu/hash", "hash functions from times alone", hash_rows, hash},
    {"fgpu/colors", "page colours", colors_rows, colors},
    {"fgpu/fig3", "pairs of loads", fig3_rows, fig3},
    {"fgpu/l2", "L2 and DRAM from times alone", l2_rows, l2},
    {"fgpu/fig8", "isolation by set, bank and module", fig8_rows, fig8},
    {0}};
