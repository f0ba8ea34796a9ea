/* Mosaic: sizes of the TLBs (figures 14 and 15), the page-walk cache, fragmented memory (figure
 * 16), what the address map costs; and machines and workloads on which its directions come out.
 * Invariant: a function asks for all its runs before it looks at one. */
#include "repro/crowd.h"
#include <stdio.h>
#include <string.h>

static const crowd_machine_t gpu_mmu = {.design = "gpu-mmu"}, mosaic = {.design = "mosaic"};

/* ---- sweeps ---------------------------------------------------------------------------------- */

#define SWEEP 5 /* points; the one in the middle is the GPU's own */

typedef struct {
  const char *key, *title;
  uint32_t value[SWEEP];
} sweep_t;

/* Mean weighted speed-ups of GPU-MMU and Mosaic; points that the plan leaves out have none. */
typedef struct {
  micro_t v[2][SWEEP];
} swept_t;

static bool is_point(const repro_t *r, uint32_t i) {
  return !r->plan->mosaic.ends || i == 0 || i == SWEEP / 2 || i == SWEEP - 1;
}

/* What a sweep runs. */
typedef struct {
  const crowd_t *crowd;
  uint32_t count;
  bool demand;
} swept_load_t;

static bool sweep_point(repro_t *r, const sweep_t *s, uint32_t i, const swept_load_t *l,
                        swept_t *out) {
  static const char *const design[2] = {"gpu-mmu", "mosaic"};
  char set[48];
  bool ok = true;
  snprintf(set, sizeof set, "%s=%u", s->key, s->value[i]);
  for (uint32_t d = 0; d < 2; d++) {
    const crowd_machine_t m = {.design = design[d], .set = {set}, .demand = l->demand};
    ok &= crowds_speedup(r, &m, l->crowd, l->count, &out->v[d][i]);
  }
  return ok;
}

static bool sweep(repro_t *r, const sweep_t *s, const swept_load_t *l, swept_t *out) {
  bool ok = true;
  table_t *t = repro_table(r, s->title);
  table_column(t, "entries", TABLE_RIGHT);
  table_column(t, "GPU-MMU", TABLE_RIGHT);
  table_column(t, "Mosaic", TABLE_RIGHT);
  for (uint32_t i = 0; i < SWEEP; i++) {
    if (!is_point(r, i)) continue;
    ok &= sweep_point(r, s, i, l, out);
    table_printf(t, "%u", s->value[i]);
    repro_cell(t, out->v[0][i], 3), repro_cell(t, out->v[1][i], 3);
  }
  return ok;
}

/* What the smallest costs. */
static micro_t shrunk(const swept_t *s, uint32_t design) {
  return loss(s->v[design][0], s->v[design][SWEEP / 2]);
}

/* The largest change from the middle to either end, without its sign. */
static micro_t moved(const swept_t *s, uint32_t design) {
  micro_t most = 0;
  for (uint32_t i = 0; i < SWEEP; i += SWEEP - 1) {
    micro_t v = gain(s->v[design][i], s->v[design][SWEEP / 2]);
    if (v < 0) v = -v;
    if (v > most) most = v;
  }
  return most;
}

/* ---- fig14: base entries --------------------------------------------------------------------- */

static const paper_row_t fig14_rows[] = {
    ROW("Mosaic with 8 instead of 128 base entries in L1 loses", "7.6 %", 76000, UNIT_PERCENT,
        RULE_VALUE),
    ROW("GPU-MMU loses more", "more", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("GPU-MMU with 64 instead of 512 base entries in L2 loses (sensitive)", "> 1 %", 10000,
        UNIT_PERCENT, RULE_ABOVE),
    ROW("Mosaic with 64 instead of 512 loses (sensitive)", "> 1 %", 10000, UNIT_PERCENT,
        RULE_ABOVE),
    {0}};

static void fig14_of(repro_t *r, const swept_load_t *on_l1, const swept_load_t *on_l2) {
  static const sweep_t l1 = {"l1tlb.entries",
                             "Mean weighted speed-up by base entries of an L1 TLB",
                             {8, 32, 128, 256, 512}},
                       l2 = {"l2tlb.entries",
                             "Mean weighted speed-up by base entries of the L2 TLB",
                             {64, 256, 512, 2048, 8192}};
  swept_t v = {0};
  if (sweep(r, &l1, on_l1, &v)) {
    repro_value(r, 0, shrunk(&v, 1));
    bool more = shrunk(&v, 0) > shrunk(&v, 1);
    repro_claim(r, 1, more, more ? "more" : "not more");
    repro_margin(r, 1, shrunk(&v, 0) - shrunk(&v, 1));
  }
  if (!sweep(r, &l2, on_l2, &v)) return;
  repro_value(r, 2, shrunk(&v, 0));
  repro_value(r, 3, shrunk(&v, 1));
}

static void fig14(repro_t *r) {
  crowd_t c[CROWD_MAX];
  const swept_load_t l = {c, crowds_few(r, c), true};
  fig14_of(r, &l, &l);
}

/* ---- fig15: large entries -------------------------------------------------------------------- */

static const paper_row_t fig15_rows[] = {
    ROW("Mosaic with 4 instead of 16 large entries in L1 loses (sensitive)", "> 1 %", 10000,
        UNIT_PERCENT, RULE_ABOVE),
    ROW("Mosaic with 32 instead of 256 large entries in L2 loses (sensitive)", "> 1 %", 10000,
        UNIT_PERCENT, RULE_ABOVE),
    ROW("GPU-MMU, largest change with either (insensitive)", "< 1 %", 10000, UNIT_PERCENT,
        RULE_NOTE),
    {0}};

static void fig15_of(repro_t *r, const swept_load_t *on_l1, const swept_load_t *on_l2) {
  static const sweep_t l1 = {"l1tlb.large_entries",
                             "Mean weighted speed-up by large entries of an L1 TLB",
                             {4, 8, 16, 32, 64}},
                       l2 = {"l2tlb.large_entries",
                             "Mean weighted speed-up by large entries of the L2 TLB",
                             {32, 128, 256, 512, 1024}};
  swept_t a = {0}, b = {0};
  bool has_a = sweep(r, &l1, on_l1, &a), has_b = sweep(r, &l2, on_l2, &b);
  if (has_a) repro_value(r, 0, shrunk(&a, 1));
  if (has_b) repro_value(r, 1, shrunk(&b, 1));
  if (!has_a || !has_b) return;
  repro_value(r, 2, moved(&a, 0) > moved(&b, 0) ? moved(&a, 0) : moved(&b, 0));
  repro_note(r, 2, "by construction: GPU-MMU has base pages only and never fills a large entry");
}

static void fig15(repro_t *r) {
  crowd_t c[CROWD_MAX];
  const swept_load_t l = {c, crowds_few(r, c), true};
  fig15_of(r, &l, &l);
}

/* ---- fig16: fragmented memory ---------------------------------------------------------------- */

#define MIGRATED "memory.migrated"

static const paper_row_t fig16_rows[] = {
    ROW("index up to 90 %: largest difference between CAC and No CAC (minimal)", "< 1 %", 10000,
        UNIT_PERCENT, RULE_BELOW, .acted = MIGRATED, .source = PAPER_UNPRINTED),
    ROW("index above 90 %: CAC over No CAC, most", "gain", 0, UNIT_PERCENT, RULE_ABOVE,
        .acted = MIGRATED),
    ROW("at 100 % the gain is less than the most", "less", 0, UNIT_NUMBER, RULE_CLAIM,
        .acted = MIGRATED),
    ROW("occupancy up to 25 %: CAC-BC over No CAC, least", "gain", 0, UNIT_PERCENT, RULE_ABOVE,
        .acted = MIGRATED),
    ROW("occupancy of 50 and 75 %: CAC-BC gains less than at 25 %", "less", 0, UNIT_NUMBER,
        RULE_CLAIM, .acted = MIGRATED),
    ROW("CAC is not ahead of CAC-BC, nor that of Ideal CAC (by more than 1 %)", "holds", 0,
        UNIT_NUMBER, RULE_ORDER, .acted = MIGRATED),
    ROW("compactions of a run, most (they repeat)", "-", 0, UNIT_NUMBER, RULE_NOTE),
    {0}};

/* Compaction stops all SMs: with every large frame half full it takes most of a usual run. */
#define TORN_TIMES 2

enum { CAC_NONE, CAC_DRAM, CAC_BULK, CAC_IDEAL, CACS };

typedef struct {
  uint32_t index, occupancy;
} torn_t;
static const torn_t by_index[] = {{50, 50}, {90, 50}, {95, 50}, {98, 50}, {100, 50}},
                    by_occupancy[] = {{100, 1},  {100, 10}, {100, 25},
                                      {100, 35}, {100, 50}, {100, 75}};
#define INDICES     (sizeof by_index / sizeof *by_index)
#define OCCUPANCIES (sizeof by_occupancy / sizeof *by_occupancy)

/* What runs on fragmented memory. */
typedef struct {
  const crowd_t *crowd;
  uint32_t count, times; /* times: of the plan's cycles */
  const char *memory;    /* its size as a setting, or NULL */
} torn_load_t;

/* What compaction did there. */
typedef struct {
  micro_t v[CACS];   /* mean weighted speed-ups */
  uint64_t migrated; /* pages that it moved, in all workloads */
  uint64_t halts;    /* most compactions of a run */
} mended_t;

static void moved_pages(repro_t *r, const torn_load_t *l, const crowd_machine_t *m, mended_t *out) {
  for (uint32_t i = 0; i < l->count; i++) {
    const lab_result_t *x = crowd_result(r, m, &l->crowd[i]);
    uint64_t halts = x ? repro_count(x, "memory.halts") : 0;
    out->migrated += x ? repro_count(x, MIGRATED) : 0;
    if (halts > out->halts) out->halts = halts;
  }
}

static bool torn_speedups(repro_t *r, const torn_load_t *l, const torn_t *p, mended_t *out) {
  static const char *const cac[CACS] = {"mem.cac=none", "mem.cac=cac", "mem.cac=cac-bc",
                                        "mem.cac=ideal"};
  char index[40], occupancy[40];
  bool ok = true;
  snprintf(index, sizeof index, "mem.fragment_index=%u", p->index);
  snprintf(occupancy, sizeof occupancy, "mem.fragment_occupancy=%u", p->occupancy);
  for (uint32_t i = 0; i < CACS; i++) {
    const crowd_machine_t m = {
        .design = "mosaic", .set = {cac[i], index, occupancy, l->memory}, .times = l->times};
    ok &= crowds_speedup(r, &m, l->crowd, l->count, &out->v[i]);
    if (ok && i == CAC_DRAM) moved_pages(r, l, &m, out);
  }
  return ok;
}

static bool torn_sweep(repro_t *r, const torn_load_t *l, const char *title, const torn_t *p,
                       uint32_t points, mended_t out[]) {
  static const char *const columns[] = {"index %", "occupancy %", "No CAC",     "CAC",
                                        "CAC-BC",  "Ideal CAC",   "pages moved"};
  bool ok = true;
  table_t *t = repro_table(r, title);
  for (uint32_t i = 0; i < 7; i++) table_column(t, columns[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < points; i++) {
    ok &= torn_speedups(r, l, &p[i], &out[i]);
    table_printf(t, "%u", p[i].index);
    table_printf(t, "%u", p[i].occupancy);
    for (uint32_t k = 0; k < CACS; k++) repro_cell(t, out[i].v[k], 3);
    table_u64(t, out[i].migrated);
  }
  return ok;
}

/* A row that could not come out otherwise, as compaction had nothing to do, is not there. */
static bool has_moved(repro_t *r, uint32_t row, uint64_t pages) {
  if (!pages) repro_note(r, row, "compaction moved no page there: all its forms are one");
  return pages > 0;
}

static void fig16_index(repro_t *r, const mended_t x[]) {
  micro_t differs = 0, most = -MICRO, last = 0;
  uint64_t pages = 0, above = 0;
  for (uint32_t i = 0; i < INDICES; i++) {
    last = gain(x[i].v[CAC_DRAM], x[i].v[CAC_NONE]);
    if (by_index[i].index > 90 && last > most) most = last;
    above += by_index[i].index > 90 ? x[i].migrated : 0;
    if (by_index[i].index > 90) continue;
    pages += x[i].migrated;
    if ((last < 0 ? -last : last) > differs) differs = last < 0 ? -last : last;
  }
  if (has_moved(r, 0, pages)) repro_value(r, 0, differs);
  repro_value(r, 1, most);
  bool less = most > 0 && last < most; /* only of a gain */
  repro_claim(r, 2, less, less ? "less" : "not less");
  repro_margin(r, 2, most > 0 ? most - last : most);
  repro_acted(r, 0, pages), repro_acted(r, 1, above), repro_acted(r, 2, above);
}

static void fig16_occupancy(repro_t *r, const mended_t x[]) {
  micro_t least = INT64_MAX, at25 = 0, above = -MICRO;
  uint64_t pages = 0;
  for (uint32_t i = 0; i < OCCUPANCIES; i++) {
    micro_t own = gain(x[i].v[CAC_BULK], x[i].v[CAC_NONE]);
    if (by_occupancy[i].occupancy <= 25 && own < least) least = own;
    if (by_occupancy[i].occupancy == 25) at25 = own;
    if (by_occupancy[i].occupancy >= 50 && own > above) above = own;
    pages += x[i].migrated;
  }
  repro_value(r, 3, least);
  bool less = at25 > 0 && above < at25;
  repro_claim(r, 4, less, less ? "less" : "not less");
  repro_margin(r, 4, at25 > 0 ? at25 - above : at25);
  repro_acted(r, 3, pages), repro_acted(r, 4, pages);
}

static bool in_order(const mended_t x[], uint32_t points) {
  for (uint32_t i = 0; i < points; i++)
    for (uint32_t k = CAC_DRAM; k < CAC_IDEAL; k++)
      if (gain(x[i].v[k], x[i].v[k + 1]) > MICRO / 100) return false;
  return true;
}

static void fig16_order(repro_t *r, const mended_t a[], const mended_t b[]) {
  uint64_t pages = 0, halts = 0;
  uint32_t points = 0;
  for (uint32_t i = 0; i < INDICES; i++) pages += a[i].migrated, points += a[i].migrated > 0;
  for (uint32_t i = 0; i < OCCUPANCIES; i++) pages += b[i].migrated, points += b[i].migrated > 0;
  for (uint32_t i = 0; i < INDICES; i++)
    if (a[i].halts > halts) halts = a[i].halts;
  repro_value(r, 6, (micro_t)halts * MICRO);
  repro_acted(r, 5, pages);
  if (!has_moved(r, 5, pages)) return;
  bool holds = in_order(a, INDICES) && in_order(b, OCCUPANCIES);
  repro_claim(r, 5, holds, holds ? "holds" : "does not");
  repro_note(r, 5, "pages moved at %u of %zu points", points, INDICES + OCCUPANCIES);
}

static void torn(repro_t *r, const torn_load_t *l) {
  mended_t a[INDICES] = {0}, b[OCCUPANCIES] = {0};
  bool has_a =
      torn_sweep(r, l, "Mean weighted speed-up by fragmentation index", by_index, INDICES, a);
  bool has_b =
      torn_sweep(r, l, "Mean weighted speed-up by occupancy", by_occupancy, OCCUPANCIES, b);
  if (has_a) fig16_index(r, a);
  if (has_b) fig16_occupancy(r, b);
  if (has_a && has_b) fig16_order(r, a, b);
}

/* The first application of each pair beside a program that allocates and frees while it runs: else
 * compaction would come once, before the first kernel. */
static void fig16(repro_t *r) {
  crowd_t c[CROWD_MAX];
  const torn_load_t l = {c, crowds_churning(r, c), TORN_TIMES, NULL};
  torn(r, &l);
}

/* ---- pwc ------------------------------------------------------------------------------------- */

static const paper_row_t pwc_rows[] = {
    ROW("a shared L2 TLB instead of a page-walk cache", "14 %", 140000, UNIT_PERCENT, RULE_VALUE),
    {0}};

static void pwc_of(repro_t *r, const crowd_t *c, uint32_t count) {
  static const crowd_machine_t pwcache = {.design = "pwcache"};
  micro_t a, b;
  bool has_a = crowds_speedup(r, &gpu_mmu, c, count, &a);
  if (crowds_speedup(r, &pwcache, c, count, &b) && has_a) repro_value(r, 0, gain(a, b));
}

static void pwc(repro_t *r) {
  crowd_t c[CROWD_MAX];
  pwc_of(r, c, crowds_mixed(r, 2, c));
}

/* ---- combined -------------------------------------------------------------------------------- */

/* MASK, section 8: with Mosaic "even higher performance", as shown elsewhere. */
static const paper_row_t combined_rows[] = {ROW("Mosaic with MASK over Mosaic", "above 0", 0,
                                                UNIT_PERCENT, RULE_ABOVE, .source = PAPER_REPORTED),
                                            ROW("Mosaic with MASK over MASK", "above 0", 0,
                                                UNIT_PERCENT, RULE_ABOVE, .source = PAPER_REPORTED),
                                            {0}};

static void combined(repro_t *r) {
  static const crowd_machine_t both = {.design = "mosaic+mask"}, mask = {.design = "mask"};
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_few(r, c);
  micro_t v, a, b;
  bool ok = crowds_speedup(r, &both, c, count, &v);
  bool has_a = crowds_speedup(r, &mosaic, c, count, &a);
  bool has_b = crowds_speedup(r, &mask, c, count, &b);
  if (ok && has_a) repro_value(r, 0, gain(v, a));
  if (ok && has_b) repro_value(r, 1, gain(v, b));
}

/* ---- frame: the other address map ------------------------------------------------------------ */

static const paper_row_t frame_rows[] = {
    ROW("Mosaic with 2 MB frames in one channel each, below 256-byte interleaving", "-", 0,
        UNIT_PERCENT, RULE_NOTE),
    ROW("DRAM bytes per cycle of the pairs, of those with interleaving", "-", 0, UNIT_PERCENT,
        RULE_NOTE),
    ROW("the same of one stream on all SMs", "-", 0, UNIT_PERCENT, RULE_NOTE),
    {0}};

static micro_t moved_bytes(const lab_result_t *const x[], uint32_t count) {
  uint64_t bytes = 0, cycles = 0;
  for (uint32_t i = 0; i < count; i++) {
    bytes += total(x[i], "dram.data.read_bytes") + total(x[i], "dram.data.write_bytes");
    cycles += lab_u64(x[i], "cycles");
  }
  return micro_ratio(bytes, cycles);
}

static bool of_fine(repro_t *r, const crowd_t *c, uint32_t count, micro_t *out) {
  static const crowd_machine_t whole = {.design = "mosaic", .set = {"map.kind=frame"}};
  const lab_result_t *a[CROWD_MAX], *b[CROWD_MAX];
  bool has_a = crowds_results(r, &mosaic, c, count, a);
  if (!crowds_results(r, &whole, c, count, b) || !has_a) return false;
  *out = micro_div(moved_bytes(b, count), moved_bytes(a, count));
  return true;
}

static void frame(repro_t *r) {
  static const crowd_machine_t whole = {.design = "mosaic", .set = {"map.kind=frame"}};
  static const crowd_t stream = {{"stream:footprint=96M"}, 1};
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_few(r, c);
  micro_t a, b, v;
  bool has_a = crowds_speedup(r, &mosaic, c, count, &a);
  if (crowds_speedup(r, &whole, c, count, &b) && has_a) repro_value(r, 0, loss(b, a));
  if (of_fine(r, c, count, &v)) repro_value(r, 1, v);
  if (of_fine(r, &stream, 1, &v)) repro_value(r, 2, v);
}

/* ---- where the directions come out ----------------------------------------------------------- */

enum { FOUR_KB, TWO_MB, OWN, BEST, DESIGNS };
static const char *const four[DESIGNS] = {"gpu-mmu", "gpu-mmu-2m", "mosaic", "ideal"};

static const paper_row_t directed_rows[] = {
    ROW("4 KB pages below Ideal", "48.1 %", 481000, UNIT_PERCENT, RULE_VALUE),
    ROW("2 MB pages below Ideal", "within 2 %", 20000, UNIT_PERCENT, RULE_BELOW,
        .acted = "walk.large_walks"),
    ROW("Mosaic over GPU-MMU", "55.5 %", 555000, UNIT_PERCENT, RULE_VALUE),
    ROW("Mosaic below Ideal", "within 6.8 %", 68000, UNIT_PERCENT, RULE_BELOW,
        .acted = "memory.coalesced"),
    {0}};

/* Four designs on workloads. */
static void four_designs(repro_t *r, const crowd_t *c, uint32_t count) {
  micro_t v[DESIGNS];
  bool ok = true;
  table_t *t = repro_table(r, "Weighted speed-up");
  table_column(t, "workload", TABLE_LEFT);
  for (uint32_t d = 0; d < DESIGNS; d++) table_column(t, four[d], TABLE_RIGHT);
  for (uint32_t d = 0; d < DESIGNS; d++) {
    const crowd_machine_t m = {.design = four[d]};
    ok &= crowds_speedup(r, &m, c, count, &v[d]);
  }
  for (uint32_t i = 0; ok && i < count; i++) {
    char name[256];
    crowd_name(&c[i], name, sizeof name);
    table_cell(t, name);
    for (uint32_t d = 0; d < DESIGNS; d++) {
      const crowd_machine_t m = {.design = four[d]};
      sharing_t s = {0};
      crowd_metrics(r, &m, &c[i], &s);
      repro_cell(t, s.weighted_speedup, 3);
    }
  }
  if (!ok) return;
  repro_value(r, 0, loss(v[FOUR_KB], v[BEST]));
  repro_value(r, 1, loss(v[TWO_MB], v[BEST]));
  repro_value(r, 2, gain(v[OWN], v[FOUR_KB]));
  repro_value(r, 3, loss(v[OWN], v[BEST]));
  const crowd_machine_t large = {.design = "gpu-mmu-2m"};
  repro_acted(r, 1, crowds_acted(r, &large, c, count, "walk.large_walks"));
  repro_acted(r, 3, crowds_acted(r, &mosaic, c, count, "memory.coalesced"));
}

/* A page and a line from lane to lane: 4 MB of addresses of which L2 holds all that is used, so
 * that translations are what is waited for. Beside each other, and beside a pointer chase. */
#define PAGES     "stride:footprint=4M,lane=4224"
#define FEW_PAGES "stride:footprint=1M,lane=4224"
#define CHASE     "chase:footprint=64M"

static void directed(repro_t *r) {
  static const crowd_t c[] = {{{PAGES}, 1}, {{PAGES, PAGES}, 2}, {{PAGES, CHASE}, 2}};
  four_designs(r, c, 3);
}

/* L1: 96 pages of a buffer that is one large page under Mosaic, and 96 of one that is too small to
 * be. L2: 1024 pages of two large pages, and 256 too few to be one; four warps per SM, so that
 * what is waited for is how long a miss takes, not the TLB's ports. */
static void fig14_directed(repro_t *r) {
  static const crowd_t l1 = {{"stride:footprint=2M,lane=20608,steps=100000",
                              "stride:footprint=1M,lane=8320,steps=100000"},
                             2},
                       l2 = {{"chase:footprint=8M,node=4224,steps=100000,blocks=60,warps=1",
                              "chase:footprint=1100K,node=4224,steps=100000,blocks=60,warps=1"},
                             2};
  fig14_of(r, &(swept_load_t){&l1, 1, false}, &(swept_load_t){&l2, 1, false});
}

/* L1: 11 large pages, three of them in one load. L2: 128 of them. */
static void fig15_directed(repro_t *r) {
  static const crowd_t l1 = {{"stride:footprint=24M,lane=131200,steps=100000"}, 1},
                       l2 = {{"chase:footprint=300M,node=2101376,steps=100000,blocks=60,warps=1"},
                             1};
  fig15_of(r, &(swept_load_t){&l1, 1, false}, &(swept_load_t){&l2, 1, false});
}

/* 240 pages, which L2's TLB holds and L1's does not, alone and twice; and more than it holds. */
static void pwc_directed(repro_t *r) {
  static const crowd_t c[] = {{{FEW_PAGES}, 1}, {{FEW_PAGES, FEW_PAGES}, 2}, {{PAGES}, 1}};
  pwc_of(r, c, 3);
}

/* Figure 16: 32 chains through 4096 pages of eleven large ones and a bit, in a memory of 128 large
 * frames. From an index of 95 % on there are not enough free ones. The run is short enough for the
 * time of compaction to count. */
static void torn_directed(repro_t *r) {
  static const crowd_t c = {{"chase:footprint=24M,node=5760,lanes=32,steps=100000"}, 1};
  const torn_load_t l = {&c, 1, 1, "mem.bytes=256M"};
  torn(r, &l);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mosaic_more[] = {
    EXPERIMENT("mosaic/fig14", "base entries of the TLBs", fig14_rows, fig14),
    EXPERIMENT("mosaic/fig15", "large entries of the TLBs", fig15_rows, fig15),
    EXPERIMENT("mosaic/fig16", "fragmented memory and compaction", fig16_rows, fig16),
    EXPERIMENT("mosaic/pwc", "shared L2 TLB against page-walk cache", pwc_rows, pwc),
    EXPERIMENT("mosaic/combined", "Mosaic and MASK together", combined_rows, combined),
    EXPERIMENT("mosaic/frame", "what compaction inside one channel asks of the address map",
               frame_rows, frame),
    SEARCHED("mosaic/directed", "fig3 and fig8 where data is near and translations are far",
             directed_rows, directed),
    SEARCHED("mosaic/fig14-directed", "pages that L1's or L2's TLB just holds", fig14_rows,
             fig14_directed),
    SEARCHED("mosaic/fig15-directed", "large pages that L1's or L2's TLB just holds", fig15_rows,
             fig15_directed),
    SEARCHED("mosaic/pwc-directed", "a shared L2 TLB where it holds all pages or half of them",
             pwc_rows, pwc_directed),
    SEARCHED("mosaic/torn", "fig16 where translations are far, in a small memory", fig16_rows,
             torn_directed),
    {0}};
