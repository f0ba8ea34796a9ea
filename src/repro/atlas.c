/* The atlases and their points. Invariant: a function asks for all its runs before it looks at one.
 */
#include "repro/atlas.h"
#include "base/json_find.h"
#include "repro/pairs.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the space ------------------------------------------------------------------------------- */

/* Two epochs of MASK, and as much before the first one's end. */
#define CYCLES       300000
#define QUICK_CYCLES 3000

/* 512 to 8192 pages of 4 KB: MASK says that its working sets fit 8192 entries. */
#define PAGES                                                                                      \
  {                                                                                                \
    "pages used again", {"512", "1024", "4096", "8192"}, {                                         \
      { NULL }                                                                                     \
    }                                                                                              \
  }
static const char *const pages_bytes[ATLAS_LEVELS] = {"2M", "4M", "16M", "32M"};

#define L2_LATENCY                                                                                 \
  {                                                                                                \
    "L2 latency", {"10", "50", "95", "200"}, {                                                     \
      {"l2.latency=10"}, {"l2.latency=50"}, {"l2.latency=95"}, { "l2.latency=200" }                \
    }                                                                                              \
  }
#define THREADS                                                                                    \
  {                                                                                                \
    "walker threads", {"8", "16", "32", "64"}, {                                                   \
      {"walk.threads=8"}, {"walk.threads=16"}, {"walk.threads=32"}, { "walk.threads=64" }          \
    }                                                                                              \
  }
#define MISSES                                                                                     \
  {                                                                                                \
    "misses under way per SM", {"1", "4", "16", "64"}, {                                           \
      {"l1tlb.mshrs=1"}, {"l1tlb.mshrs=4"}, {"l1tlb.mshrs=16"}, { "l1tlb.mshrs=64" }               \
    }                                                                                              \
  }
#define PWC                                                                                        \
  {                                                                                                \
    "page-walk cache, entries", {"none", "128", "512", "2048"}, {                                  \
      {"walk.pwc=false"}, {"walk.pwc=true", "walk.pwc_bytes=1024"},                                \
          {"walk.pwc=true", "walk.pwc_bytes=4096"}, {                                              \
        "walk.pwc=true", "walk.pwc_bytes=16384"                                                    \
      }                                                                                            \
    }                                                                                              \
  }
/* Where the operating points of reproduce.md lie: the table, the release, measured chips. */
#define DOTS                                                                                       \
  {                                                                                                \
    {"table", {0, 3, 3, 0, -1}}, {"release", {2, 3, 0, 0, -1}}, {                                  \
      "measured", { 3, 0, 3, 1, -1 }                                                               \
    }                                                                                              \
  }

const atlas_t atlas_mask = {
    .id = "atlas/mask",
    .title = "Where MASK is right",
    .gpu = "maxwell",
    .design = {"sharedtlb", "mask", "mask-tlb", "mask-cache", "mask-dram", "ideal"},
    .dim = {L2_LATENCY, THREADS, MISSES, PWC, PAGES},
    .apps = 2,
    .claim = {{"MASK over SharedTLB", 1, 0, 578000, false, 0},
              {"MASK-TLB over SharedTLB", 2, 0, 0, false, 0},
              {"MASK-Cache over SharedTLB", 3, 0, 436000, false, 0},
              {"MASK-DRAM over SharedTLB", 4, 0, 227000, false, 0},
              {"SharedTLB below Ideal", 0, 5, 406000, true, 0},
              {"MASK below Ideal", 1, 5, 232000, true, 5}},
    .dot = DOTS};

const atlas_t atlas_mosaic = {.id = "atlas/mosaic",
                              .title = "Where Mosaic is right",
                              .gpu = "mosaic",
                              .design = {"gpu-mmu", "mosaic", "gpu-mmu-2m", "ideal"},
                              .dim = {L2_LATENCY, THREADS, MISSES, PWC, PAGES},
                              .apps = 2,
                              .claim = {{"Mosaic over GPU-MMU", 1, 0, 555000, false, 0},
                                        {"4 KB pages below Ideal", 0, 3, 481000, true, 0},
                                        {"Mosaic below Ideal", 1, 3, 68000, true, 2}},
                              .dot = DOTS};

/* Its walks take a fixed time and have no page-walk cache: that time, and the L2 TLB's latency, are
 * dimensions in place of L2's and the cache. The paper's machine is the only dot. */
const atlas_t atlas_neidty = {
    .id = "atlas/neidty",
    .title = "Where NeiDty is right",
    .gpu = "gem5-16",
    .design = {"private", "neidty", "neidty-twice", "valkyrie"},
    .dim =
        {{"L2 TLB latency",
          {"5", "10", "40", "160"},
          {{"l2tlb.latency=5"}, {"l2tlb.latency=10"}, {"l2tlb.latency=40"}, {"l2tlb.latency=160"}}},
         {"walkers",
          {"2", "8", "16", "64"},
          {{"walk.threads=2"}, {"walk.threads=8"}, {"walk.threads=16"}, {"walk.threads=64"}}},
         {"misses under way per SM",
          {"1", "4", "16", "48"},
          {{"l1tlb.mshrs=1"}, {"l1tlb.mshrs=4"}, {"l1tlb.mshrs=16"}, {"l1tlb.mshrs=48"}}},
         {"cycles of a walk",
          {"50", "150", "300", "600"},
          {{"walk.fixed=50"}, {"walk.fixed=150"}, {"walk.fixed=300"}, {"walk.fixed=600"}}},
         PAGES},
    .apps = 1,
    .by_time = true,
    .claim = {{"NeiDty over private TLBs", 1, 0, 50000, false, 0},
              {"NeiDty-twice over private TLBs", 2, 0, 100000, false, 0},
              {"NeiDty over Valkyrie", 1, 3, 0, false, 0}},
    .dot = {{"table", {1, 1, 3, 1, -1}}, {NULL, {0}}, {NULL, {0}}}};

/* The paper's own reading of a module's MSHRs is 16; 384 are what a V100's bandwidth needs
 * (docs/fractional-gpus.md). */
const atlas_t atlas_fgpu = {
    .id = "atlas/fgpu",
    .title = "Where Fractional GPUs are right",
    .gpu = "v100-fgpu",
    .design = {"cp", "cmp", "cp", "cmp"},
    .dim =
        {{"MSHRs of a module",
          {"16", "64", "128", "384"},
          {{"l2.mshrs=16"}, {"l2.mshrs=64"}, {"l2.mshrs=128"}, {"l2.mshrs=384"}}},
         {"walker threads",
          {"8", "64", "256", "1024"},
          {{"walk.threads=8"}, {"walk.threads=64"}, {"walk.threads=256"}, {"walk.threads=1024"}}},
         MISSES,
         PWC,
         PAGES},
    .apps = 2,
    .alone_from = 2,
    .claim = {{"CP: variation", 0, 0, 481000, false, 0},
              {"CMP: variation", 1, 1, 87000, false, 1},
              {"CMP takes away of CP's variation", 1, 0, 819000, false, 0}},
    .dot = {{"paper", {0, 1, 3, 0, -1}}, {"v100", {3, 1, 3, 0, -1}}, {NULL, {0}}}};

/* ---- points ---------------------------------------------------------------------------------- */

/* The field of four elements: addition is exclusive or; of 1, w and w + 1 = w * w. */
static uint32_t times(uint32_t a, uint32_t b) {
  static const uint8_t product[4][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
  return product[a & 3][b & 3];
}

void atlas_levels(uint32_t points, uint32_t i, uint32_t level[ATLAS_COLUMNS]) {
  uint32_t a = i & 3, b = i >> 2 & 3, c = i >> 4 & 3;
  if (points == ATLAS_ALL) {
    for (uint32_t d = 0; d < ATLAS_DIMS; d++) level[d] = i >> 2 * d & 3;
    level[5] = level[0] ^ times(2, level[1]) ^ times(3, level[2]) ^ level[3] ^ level[4];
    return;
  }
  const uint32_t of[ATLAS_COLUMNS] = {
      a, b, a ^ b ^ c, a ^ times(2, b) ^ times(3, c), a ^ times(3, b) ^ times(2, c), c};
  memcpy(level, of, sizeof of);
}

uint32_t atlas_points(const repro_plan_t *plan) {
  return plan->quick ? ATLAS_FEW : plan->parts ? ATLAS_USUAL : ATLAS_ALL;
}

/* The first application alone, with what it would have beside the second. */
static void keep_to_half(lab_run_t *run) {
  run->apps = 1;
  run->sms[0] = share_total_sms(run) / 2;
  if (strcmp(run->design, "cmp") == 0) /* half of the eight of a V100 */
    snprintf(run->set[run->sets++], sizeof run->set[0], "mem.colours=0 1 2 3");
}

lab_run_t atlas_run(const repro_t *r, const atlas_t *a, uint32_t point, uint32_t design,
                    uint32_t seed) {
  uint32_t level[ATLAS_COLUMNS];
  lab_run_t run = {.apps = a->apps, .limits = {.cycles = r->plan->quick ? QUICK_CYCLES : CYCLES}};
  atlas_levels(atlas_points(r->plan), point, level);
  snprintf(run.gpu, sizeof run.gpu, "%s", a->gpu);
  snprintf(run.design, sizeof run.design, "%s", a->design[design]);
  for (uint32_t d = 0; d < ATLAS_DIMS; d++)
    for (uint32_t k = 0; k < 2; k++)
      if (a->dim[d].set[level[d]][k])
        snprintf(run.set[run.sets++], sizeof run.set[0], "%s", a->dim[d].set[level[d]][k]);
  for (uint32_t i = 0; i < a->apps; i++)
    snprintf(run.app[i], sizeof run.app[0],
             "hotset:footprint=64M,hot=%s,reuse=90,steps=100000,seed=%u",
             pages_bytes[level[i ? 5 : ATLAS_DIMS - 1]], 2 * seed + i + 1);
  if (a->alone_from && design >= a->alone_from) keep_to_half(&run);
  return run;
}

/* ---- the map --------------------------------------------------------------------------------- */

uint32_t atlas_claims(const atlas_t *a) {
  uint32_t n = 0;
  while (n < ATLAS_CLAIMS && a->claim[n].what) n++;
  return n;
}

static uint32_t designs(const atlas_t *a) {
  uint32_t n = 0;
  while (n < ATLAS_DESIGNS && a->design[n]) n++;
  return n;
}

/* How fast `x` is beside `y`: the mean over applications of the quotient. */
static micro_t beside(const atlas_t *a, const lab_result_t *x, const lab_result_t *y) {
  micro_t v[GMMU_MAX_APPS];
  for (uint32_t i = 0; i < a->apps; i++) {
    char path[64];
    snprintf(path, sizeof path, "apps[%u].l1tlb.latency_cycles.mean", i);
    ipc_t p = lab_window_ipc(x, i), q = lab_window_ipc(y, i);
    v[i] = a->by_time ? micro_div(fraction(y, path), fraction(x, path))
                      : micro_ratio(p.instructions, q.instructions);
  }
  return micro_mean(v, a->apps);
}

/* How much longer the first application takes beside the second than alone in its half. */
static micro_t variation(const atlas_t *a, uint32_t design,
                         const lab_result_t *const x[ATLAS_DESIGNS]) {
  ipc_t alone = lab_window_ipc(x[a->alone_from + design], 0), shared = lab_window_ipc(x[design], 0);
  return micro_ratio(alone.instructions, shared.instructions) - MICRO;
}

/* Less is nothing to take away. */
#define LEAST_VARIATION (MICRO / 100)

static micro_t variation_claim(const atlas_t *a, const atlas_claim_t *c,
                               const lab_result_t *const x[ATLAS_DESIGNS]) {
  micro_t own = variation(a, c->own, x), base = variation(a, c->base, x);
  if (c->own == c->base) return own;
  return base < LEAST_VARIATION ? 0 : MICRO - micro_div(own, base);
}

micro_t atlas_value(const atlas_t *a, const atlas_claim_t *c,
                    const lab_result_t *const x[ATLAS_DESIGNS]) {
  if (a->alone_from) return variation_claim(a, c, x);
  micro_t v = beside(a, x[c->own], x[c->base]);
  return c->is_loss ? MICRO - v : v - MICRO;
}

static bool results_of(repro_t *r, const atlas_t *a, uint32_t point, uint32_t seed,
                       const lab_result_t *x[ATLAS_DESIGNS]) {
  bool ok = true;
  for (uint32_t d = 0; d < designs(a); d++) {
    lab_run_t run = atlas_run(r, a, point, d, seed);
    x[d] = lab_run(r->lab, &run);
    ok &= repro_has(r, x[d]);
  }
  return ok;
}

/* Where nothing was lost nothing can be left, and the claim says nothing. */
static atlas_holds_t judge_left(const atlas_claim_t *c, const atlas_cell_t *v,
                                const atlas_cell_t *of) {
  if (of->value <= of->noise || v->value + v->noise >= of->value) return ATLAS_NO;
  if (v->value <= c->paper || micro_div(v->value, c->paper) <= REPRO_FACTOR) return ATLAS_SIZE;
  return v->value <= 2 * c->paper ? ATLAS_HALF : ATLAS_DIRECTION;
}

/* As repro_judge() has it: a direction is more than noise, a size within a factor of 1.5; half of
 * the size is between them. */
atlas_holds_t atlas_judge(const atlas_claim_t *c, const atlas_cell_t *v, const atlas_cell_t *of) {
  if (c->left_of) return judge_left(c, v, of);
  if (v->value <= v->noise) return ATLAS_NO;
  if (!c->paper) return ATLAS_DIRECTION;
  if (micro_div(c->paper, v->value) <= REPRO_FACTOR &&
      micro_div(v->value, c->paper) <= REPRO_FACTOR)
    return ATLAS_SIZE;
  return 2 * v->value >= c->paper ? ATLAS_HALF : ATLAS_DIRECTION;
}

/* Seeds are repeated at every fourth point. */
#define SEEDS_EVERY 4

bool atlas_map(repro_t *r, const atlas_t *a, atlas_map_t *out) {
  uint32_t claims = atlas_claims(a);
  micro_t sum[ATLAS_CLAIMS] = {0};
  uint32_t seeded = 0;
  bool ok = true;
  out->points = atlas_points(r->plan);
  for (uint32_t p = 0; p < out->points; p++) {
    const lab_result_t *x[ATLAS_DESIGNS], *y[ATLAS_DESIGNS];
    bool twice = p % SEEDS_EVERY == 0, has = results_of(r, a, p, 0, x);
    bool more = !twice || results_of(r, a, p, 1, y);
    ok &= has && more;
    if (!has || !more) continue;
    seeded += twice;
    for (uint32_t c = 0; c < claims; c++) {
      atlas_cell_t *v = &out->cell[c][p];
      v->value = atlas_value(a, &a->claim[c], x);
      micro_t far = twice ? atlas_value(a, &a->claim[c], y) - v->value : 0;
      v->noise = far < 0 ? -far : far;
      sum[c] += v->noise;
    }
    lab_forget(r->lab);
  }
  for (uint32_t c = 0; ok && c < claims; c++) {
    uint32_t of = a->claim[c].left_of; /* a claim before this one */
    for (uint32_t p = 0; p < out->points; p++) {
      atlas_cell_t *v = &out->cell[c][p];
      if (p % SEEDS_EVERY) v->noise = sum[c] / seeded;
      v->holds = atlas_judge(&a->claim[c], v, of ? &out->cell[of - 1][p] : NULL);
    }
  }
  return ok;
}

/* ---- experiments ----------------------------------------------------------------------------- */

static void map_table(repro_t *r, const atlas_t *a, const atlas_map_t *m) {
  table_t *t = repro_table(r, "Points and what each claim comes to there, in %");
  table_column(t, "point", TABLE_RIGHT);
  for (uint32_t d = 0; d < ATLAS_DIMS; d++) table_column(t, a->dim[d].name, TABLE_RIGHT);
  if (a->apps > 1) table_column(t, "of the second", TABLE_RIGHT);
  for (uint32_t c = 0; c < atlas_claims(a); c++) table_column(t, a->claim[c].what, TABLE_RIGHT);
  for (uint32_t p = 0; p < m->points; p++) {
    uint32_t level[ATLAS_COLUMNS];
    atlas_levels(m->points, p, level);
    table_printf(t, "%u", p);
    for (uint32_t d = 0; d < ATLAS_DIMS; d++) table_cell(t, a->dim[d].label[level[d]]);
    if (a->apps > 1) table_cell(t, a->dim[ATLAS_DIMS - 1].label[level[5]]);
    for (uint32_t c = 0; c < atlas_claims(a); c++) repro_percent(t, m->cell[c][p].value);
  }
}

/* A row for each claim: at how many points it holds. */
static void run_atlas(repro_t *r, const atlas_t *a) {
  atlas_map_t *m = calloc(1, sizeof *m);
  if (!m) return;
  if (atlas_map(r, a, m)) {
    for (uint32_t c = 0; c < atlas_claims(a); c++) {
      uint32_t n[ATLAS_SIZE + 1] = {0};
      for (uint32_t p = 0; p < m->points; p++) n[m->cell[c][p].holds]++;
      repro_claim(r, c, false,
                  a->claim[c].left_of ? "%u less, %u at most twice, %u at most 1.5 times, of %u"
                                      : "%u direction, %u half, %u size, of %u",
                  n[ATLAS_DIRECTION] + n[ATLAS_HALF] + n[ATLAS_SIZE], n[ATLAS_HALF] + n[ATLAS_SIZE],
                  n[ATLAS_SIZE], m->points);
    }
    map_table(r, a, m);
  }
  free(m);
}

static void mask(repro_t *r) { run_atlas(r, &atlas_mask); }
static void mosaic(repro_t *r) { run_atlas(r, &atlas_mosaic); }
static void neidty(repro_t *r) { run_atlas(r, &atlas_neidty); }
static void fgpu(repro_t *r) { run_atlas(r, &atlas_fgpu); }

static void page_of(repro_t *r, const atlas_t *a, strbuf_t *out) {
  atlas_map_t *m = calloc(1, sizeof *m);
  if (m && atlas_map(r, a, m)) atlas_html(r, a, m, out);
  free(m);
}
static void mask_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_mask, out); }
static void mosaic_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_mosaic, out); }
static void neidty_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_neidty, out); }
static void fgpu_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_fgpu, out); }

static const paper_row_t mask_rows[] = ATLAS_MASK_ROWS("points");
static const paper_row_t mosaic_rows[] = ATLAS_MOSAIC_ROWS("points");
static const paper_row_t neidty_rows[] = {ATLAS_COUNTED("NeiDty over private TLBs: points", "5 %"),
                                          ATLAS_COUNTED("NeiDty-twice over private TLBs", "10 %"),
                                          ATLAS_COUNTED("NeiDty over Valkyrie", "above 0"),
                                          {0}};
static const paper_row_t fgpu_rows[] = {ATLAS_COUNTED("CP: variation, points", "48.1 %"),
                                        ATLAS_COUNTED("CMP: variation", "8.7 %"),
                                        ATLAS_COUNTED("CMP takes away of CP's variation", "81.9 %"),
                                        {0}};

const experiment_t repro_atlas[] = {{.id = "atlas/mask",
                                     .title = "Where MASK is right",
                                     .rows = mask_rows,
                                     .run = mask,
                                     .page = mask_page},
                                    {.id = "atlas/mosaic",
                                     .title = "Where Mosaic is right",
                                     .rows = mosaic_rows,
                                     .run = mosaic,
                                     .page = mosaic_page},
                                    {.id = "atlas/neidty",
                                     .title = "Where NeiDty is right",
                                     .rows = neidty_rows,
                                     .run = neidty,
                                     .page = neidty_page},
                                    {.id = "atlas/fgpu",
                                     .title = "Where Fractional GPUs are right",
                                     .rows = fgpu_rows,
                                     .run = fgpu,
                                     .page = fgpu_page},
                                    {0}};
