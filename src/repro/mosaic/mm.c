/* Mosaic: memory that page sizes and fragmentation cost (section 3.2, table 2). No machine runs:
 * the applications' allocations and frees go to the memory manager itself, those of several
 * applications in turn, a command each, and what they hold is looked at where it is most. Our
 * applications allocate at their begin and free at their end, so programs that do both while they
 * run stand beside them. At the end two patterns of allocation in which the paper's directions come
 * out. */
#include "gmmu/mm.h"
#include "base/rng.h"
#include "lab/apps.h"
#include "repro/crowd.h"
#include <stdio.h>
#include <string.h>

/* Base frames of all applications together, when most were held. */
typedef struct {
  uint64_t held, data, needed;
  uint64_t acted; /* what the manager did with large frames until then */
} peak_t;

typedef struct {
  mm_t *mm;
  source_t *source[CROWD_MOST];
  bool ended[CROWD_MOST];
  uint32_t apps;
  peak_t peak;
} replay_t;

/* ---- allocations and frees ------------------------------------------------------------------- */

static uint64_t large_frames(const mm_t *mm) {
  mm_counts_t n = mm_counts(mm);
  return n.coalesced + n.dissolved + n.guests;
}

static void note_peak(replay_t *p) {
  mm_usage_t u;
  peak_t now = {0};
  mm_usage(p->mm, &u);
  for (uint32_t a = 0; a < p->apps; a++) {
    now.held += u.held_frames[a];
    now.data += u.data_frames[a];
    now.needed += u.needed_frames[a];
  }
  now.acted = large_frames(p->mm);
  if (now.held > p->peak.held) p->peak = now;
}

static int one_command(replay_t *p, uint32_t a, err_t *e) {
  command_t c = {0};
  int rc = p->source[a]->ops->next_command(p->source[a], 0, &c, e);
  p->ended[a] = rc < 0 || c.kind == CMD_END;
  if (rc == 0 && c.kind == CMD_ALLOC) {
    rc = mm_alloc(p->mm, (asid_t)a, (vaddr_t){c.va}, c.bytes, NULL, e);
    note_peak(p);
  } else if (rc == 0 && c.kind == CMD_FREE) {
    rc = mm_release(p->mm, (asid_t)a, (vaddr_t){c.va}, NULL, e);
  }
  return rc;
}

/* Programs that have ended keep what they did not free until all have. */
static int all_commands(replay_t *p, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t left = p->apps; left && rc == 0;) {
    left = 0;
    for (uint32_t a = 0; a < p->apps && rc == 0; a++)
      if (!p->ended[a]) rc = one_command(p, a, e), left++;
  }
  return rc;
}

static int open_sources(replay_t *p, const lab_run_t *run, err_t *e) {
  int rc = GMMU_OK;
  for (; p->apps < run->apps && rc == 0; p->apps++) {
    source_t **s = &p->source[p->apps];
    rc = app_open(run->app[p->apps], s, e);
    if (rc == 0) rc = (*s)->ops->bind(*s, 1, 1, e);
    if (rc == 0) rc = (*s)->ops->rewind(*s, e);
  }
  return rc;
}

static mm_spec_t manager_of(const gpu_spec_t *g, uint32_t apps) {
  const memory_spec_t *m = &g->memory;
  return (mm_spec_t){
      .manager = m->manager,
      .memory_bytes = m->memory_bytes,
      .base_bytes = m->base_bytes,
      .large_bytes = m->large_bytes,
      .va_bits = m->va_bits,
      .level_bits = m->level_bits,
      .spaces = apps,
      .cac = {strcmp(m->cac, "none") != 0, MM_COPY_DRAM, m->splinter_below},
      .fragments = {m->fragment_index, m->fragment_occupancy, m->fragment_seed},
  };
}

static int replay(const lab_run_t *run, peak_t *out, err_t *e) {
  replay_t p = {0};
  gpu_spec_t spec;
  int rc = lab_spec(run, &spec, e);
  if (rc == 0) rc = open_sources(&p, run, e);
  if (rc == 0) {
    mm_spec_t ms = manager_of(&spec, run->apps);
    rc = mm_new(&ms, &p.mm, e);
  }
  if (rc == 0) rc = all_commands(&p, e);
  *out = p.peak;
  mm_free(p.mm);
  for (uint32_t a = 0; a < CROWD_MOST; a++)
    if (p.source[a]) p.source[a]->ops->free(p.source[a]);
  return rc;
}

/* The laboratory makes recordings for runs only, so a run of one cycle per application is asked
 * for first: a pass that shall run nothing then does not record either. */
static bool is_recorded(repro_t *r, const crowd_t *c) {
  bool ok = true;
  for (uint32_t a = 0; a < c->apps; a++) {
    static const crowd_machine_t any = {.design = MOSAIC_BASELINE};
    const crowd_t one = crowd_copies(c->app[a], 1);
    lab_run_t run = crowd_run(r, &any, &one);
    run.limits.cycles = 1;
    ok &= repro_has(r, lab_run(r->lab, &run));
  }
  return ok;
}

static bool peak_of(repro_t *r, const crowd_machine_t *m, const crowd_t *c, peak_t *out) {
  lab_run_t run = crowd_run(r, m, c);
  err_t e = {0};
  if (!is_recorded(r, c)) return false;
  if (replay(&run, out, &e) == 0) return true;
  repro_has(r, &(lab_result_t){.status = LAB_FAILED, .text = e.text});
  return false;
}

/* ---- bloat: large pages only ----------------------------------------------------------------- */

#define SIZED "planted: the size `large` of our inputs was chosen for these"

static const paper_row_t bloat_rows[] = {
    ROW("memory with 2 MB pages only, over 4 KB pages: average", "40.2 %", 402000, UNIT_PERCENT,
        RULE_RATE),
    ROW("worst application", "367 %", 3670000, UNIT_PERCENT, RULE_RATE),
    ROW("working sets in MB, smallest", "10", 10 * MICRO, UNIT_NUMBER, RULE_RATE, .given = SIZED),
    ROW("average", "81.5", 81500000, UNIT_NUMBER, RULE_RATE, .given = SIZED),
    ROW("largest", "362", 362 * MICRO, UNIT_NUMBER, RULE_RATE, .given = SIZED),
    {0}};

#define FRAMES_PER_MB 256 /* of 4 KB */

/* Working sets are those of the applications alone. */
static void bloat_values(repro_t *r, const micro_t more[], const micro_t mb[], uint32_t count,
                         uint32_t apps) {
  micro_t worst = more[0], least = mb[0], most = mb[0];
  for (uint32_t i = 1; i < count; i++) {
    if (more[i] > worst) worst = more[i];
    if (i >= apps) continue;
    if (mb[i] < least) least = mb[i];
    if (mb[i] > most) most = mb[i];
  }
  repro_value(r, 0, micro_mean(more, count));
  repro_value(r, 1, worst);
  repro_value(r, 2, least);
  repro_value(r, 3, micro_mean(mb, apps));
  repro_value(r, 4, most);
}

/* Allocations of 128 KB, 1 MB and 8 MB, a quarter of them anew for each launch. */
#define CHURNING 3
static const char *const churning[CHURNING] = {"churn:footprint=96M,piece=128K,launches=64",
                                               "churn:footprint=96M,piece=1M,launches=64",
                                               "churn:footprint=96M,piece=8M,launches=64"};

static void bloat(repro_t *r) {
  static const crowd_machine_t small = {.design = "gpu-mmu"}, large = {.design = "gpu-mmu-2m"};
  micro_t more[CROWD_APPS + CHURNING], mb[CROWD_APPS + CHURNING];
  uint32_t apps = r->plan->mosaic.apps, count = apps + CHURNING;
  bool ok = true;
  table_t *t = repro_table(r, "Most memory in use at once, in MB");
  table_column(t, "application", TABLE_LEFT);
  table_column(t, "4 KB pages", TABLE_RIGHT);
  table_column(t, "2 MB pages", TABLE_RIGHT);
  for (uint32_t i = 0; i < count; i++) {
    const char *app = i < apps ? crowd_apps[i] : churning[i - apps];
    const crowd_t c = crowd_copies(app, 1);
    peak_t a = {0}, b = {0};
    ok &= peak_of(r, &small, &c, &a) && peak_of(r, &large, &c, &b);
    mb[i] = micro_ratio(a.data, FRAMES_PER_MB);
    more[i] = gain(micro_ratio(b.data, 1), micro_ratio(a.data, 1));
    table_cell(t, app);
    repro_cell(t, mb[i], 2), repro_cell(t, micro_ratio(b.data, FRAMES_PER_MB), 2);
  }
  if (ok && apps) bloat_values(r, more, mb, count, apps);
}

/* ---- table2: Mosaic on fragmented memory ----------------------------------------------------- */

static const paper_row_t table2_rows[] = {
    ROW("memory held by Mosaic over 4 KB pages: occupancy 1 %", "10.66 %", 106600, UNIT_PERCENT,
        RULE_RATE),
    ROW("10 %", "7.56 %", 75600, UNIT_PERCENT, RULE_RATE),
    ROW("25 %", "7.20 %", 72000, UNIT_PERCENT, RULE_RATE),
    ROW("35 %", "5.22 %", 52200, UNIT_PERCENT, RULE_RATE),
    ROW("50 %", "3.37 %", 33700, UNIT_PERCENT, RULE_RATE),
    ROW("75 %", "2.22 %", 22200, UNIT_PERCENT, RULE_RATE),
    ROW("it falls as occupancy grows", "falls", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("index of 95 %, occupancy 50 %", "< 1 %", 10000, UNIT_PERCENT, RULE_BELOW,
        .acted = "large frames coalesced, dissolved or with guests"),
    {0}};

/* What is held beyond the pages that are needed, over the plan's pairs of an application and a
 * program that allocates and frees. */
static bool held_beyond(repro_t *r, uint32_t index, uint32_t occupancy, uint64_t *acted,
                        micro_t *out) {
  char a[40], b[40];
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_allocating(r, c);
  uint64_t held = 0, needed = 0;
  bool ok = true;
  snprintf(a, sizeof a, "mem.fragment_index=%u", index);
  snprintf(b, sizeof b, "mem.fragment_occupancy=%u", occupancy);
  const crowd_machine_t m = {.design = "mosaic", .set = {a, b}};
  for (uint32_t i = 0; i < count; i++) {
    peak_t p = {0};
    ok &= peak_of(r, &m, &c[i], &p);
    held += p.held, needed += p.needed, *acted += p.acted;
  }
  *out = gain(micro_ratio(held, 1), micro_ratio(needed, 1));
  return ok && needed;
}

static void table2(repro_t *r) {
  static const uint32_t occupancy[] = {1, 10, 25, 35, 50, 75};
  micro_t v[6], low;
  uint64_t acted = 0;
  bool ok = true, falls = true;
  for (uint32_t i = 0; i < 6; i++) {
    bool there = held_beyond(r, 100, occupancy[i], &acted, &v[i]);
    if (there) repro_value(r, i, v[i]);
    ok &= there;
    falls &= ok && (!i || v[i] <= v[i - 1]);
  }
  falls &= ok && v[5] < v[0];
  if (ok) repro_claim(r, 6, falls, falls ? "falls" : "does not");
  acted = 0;
  if (held_beyond(r, 95, 50, &acted, &low)) repro_value(r, 7, low);
  repro_acted(r, 7, acted);
}

/* ---- bloat-directed: allocations that come and go -------------------------------------------- */

/* Always as many bytes in as many allocations; a random one is freed for each that comes, at
 * addresses nobody had. So a stretch of addresses empties slowly, and a page lasts as long as the
 * last allocation in it: with k of them in a page it is held 1 + 1/2 + .. + 1/k times as long as
 * its data. */
#define CHURN_BYTES  (128ull << 20) /* alive at any time */
#define CHURN_MOST   (CHURN_BYTES >> 15)
#define CHURN_ROUNDS 8 /* as often as there are allocations, each goes and another comes */
#define FIRST_VA     (1ull << 40)

typedef struct {
  uint64_t bytes; /* of an allocation */
  const char *name;
} churn_t;
static const churn_t churns[] = {{8 << 20, "8 MB"}, /* the next and the last are judged */
                                 {2 << 20, "2 MB"},
                                 {512 << 10, "512 KB"},
                                 {128 << 10, "128 KB"},
                                 {32 << 10, "32 KB"}};
#define CHURNS (sizeof churns / sizeof *churns)

static int new_manager(const repro_t *r, const crowd_machine_t *m, uint32_t spaces, mm_t **out,
                       err_t *e) {
  static const crowd_t nobody = {.apps = 0};
  lab_run_t run = crowd_run(r, m, &nobody);
  gpu_spec_t spec;
  int rc = lab_spec(&run, &spec, e);
  if (rc < 0) return rc;
  mm_spec_t ms = manager_of(&spec, spaces);
  return mm_new(&ms, out, e);
}

/* Sizes vary by half of it, in whole base pages. */
static uint64_t churn_size(const churn_t *c, rng_t *g) {
  uint32_t pages = (uint32_t)(c->bytes >> 12);
  return (uint64_t)(pages - pages / 2 + rng_below(g, pages + 1)) << 12;
}

static int churn_all(mm_t *mm, const churn_t *c, err_t *e) {
  uint64_t va[CHURN_MOST], next = FIRST_VA;
  uint32_t alive = (uint32_t)(CHURN_BYTES / c->bytes), steps = alive * (CHURN_ROUNDS + 1);
  rng_t g = {1};
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < steps && rc == 0; i++) {
    uint32_t k = i < alive ? i : rng_below(&g, alive);
    uint64_t bytes = churn_size(c, &g);
    if (i >= alive) rc = mm_release(mm, 0, (vaddr_t){va[k]}, NULL, e);
    va[k] = next, next += bytes;
    if (rc == 0) rc = mm_alloc(mm, 0, (vaddr_t){va[k]}, bytes, NULL, e);
  }
  return rc;
}

static bool churned(repro_t *r, const char *design, const churn_t *c, mm_usage_t *out) {
  const crowd_machine_t m = {.design = design};
  mm_t *mm = NULL;
  err_t e = {0};
  int rc = new_manager(r, &m, 1, &mm, &e);
  if (rc == 0) rc = churn_all(mm, c, &e);
  if (rc == 0) mm_usage(mm, out);
  mm_free(mm);
  if (rc < 0) repro_has(r, &(lab_result_t){.status = LAB_FAILED, .text = e.text});
  return rc == 0;
}

static const paper_row_t churn_rows[] = {
    ROW("memory with 2 MB pages only, over 4 KB pages: allocations of 2 MB (paper: average)",
        "40.2 %", 402000, UNIT_PERCENT, RULE_RATE),
    ROW("allocations of 32 KB (paper: worst application)", "367 %", 3670000, UNIT_PERCENT,
        RULE_RATE),
    ROW("what Mosaic holds over 4 KB pages, worst size", "-", 0, UNIT_PERCENT, RULE_NOTE),
    {0}};

/* One row of the table; by how much 2 MB pages and Mosaic exceed 4 KB pages. */
static bool churn_row(repro_t *r, table_t *t, const churn_t *c, micro_t *large_over,
                      micro_t *own_over) {
  mm_usage_t small, large, own;
  if (!churned(r, "gpu-mmu", c, &small) || !churned(r, "gpu-mmu-2m", c, &large) ||
      !churned(r, "mosaic", c, &own))
    return false;
  uint64_t data = small.data_frames[0], wide = large.data_frames[0], held = own.held_frames[0];
  *large_over = micro_ratio(wide, data) - MICRO, *own_over = micro_ratio(held, data) - MICRO;
  table_cell(t, c->name);
  repro_cell(t, micro_ratio(data, FRAMES_PER_MB), 2);
  repro_cell(t, micro_ratio(wide, FRAMES_PER_MB), 2);
  repro_cell(t, micro_ratio(held, FRAMES_PER_MB), 2);
  repro_percent(t, *large_over), repro_percent(t, *own_over);
  return true;
}

static void bloat_directed(repro_t *r) {
  static const char *const columns[] = {"4 KB pages", "2 MB pages", "Mosaic", "2 MB pages over %",
                                        "Mosaic over %"};
  micro_t over[CHURNS], own, worst = 0;
  if (r->dry) return;
  table_t *t = repro_table(r, "Memory in use after eight rounds, in MB");
  table_column(t, "allocations of", TABLE_RIGHT);
  for (uint32_t i = 0; i < 5; i++) table_column(t, columns[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < CHURNS; i++) {
    if (!churn_row(r, t, &churns[i], &over[i], &own)) return;
    if (own > worst) worst = own;
  }
  repro_value(r, 0, over[1]);
  repro_value(r, 1, over[CHURNS - 1]);
  repro_value(r, 2, worst);
}

/* ---- table2-directed: pages touched here and there ------------------------------------------- */

/* Two spaces reserve nearly all of a memory of 512 MB and touch a fifth of its pages, in random
 * order: each region that is touched has a large frame reserved for it, as long as there are any.
 * The fuller memory was before, the sooner they are given up. */
#define TOUCHED_SPACES 2
#define TOUCHED_BYTES  (224ull << 20) /* of a space */
#define TOUCHED_PAGES  14000          /* touches of a space; some are of the same page */

static int touch_all(mm_t *mm, err_t *e) {
  rng_t g = {1};
  int rc = GMMU_OK;
  for (asid_t a = 0; a < TOUCHED_SPACES && rc == 0; a++)
    rc = mm_reserve(mm, a, (vaddr_t){FIRST_VA}, TOUCHED_BYTES, NULL, e);
  for (uint32_t i = 0; i < TOUCHED_SPACES * TOUCHED_PAGES && rc == 0; i++) {
    uint32_t page = rng_below(&g, TOUCHED_BYTES >> 12);
    rc = mm_touch(mm, (asid_t)(i % TOUCHED_SPACES), (vpn_t){(FIRST_VA >> 12) + page}, NULL, e);
  }
  return rc;
}

typedef struct {
  uint64_t data;  /* base frames with pages of the spaces */
  uint64_t aside; /* free ones in large frames of the spaces */
  mm_counts_t counts;
} touched_t;

static void look(const mm_t *mm, touched_t *out) {
  mm_usage_t u;
  mm_usage(mm, &u);
  uint32_t order = mm_large_shift(mm) - mm_base_shift(mm);
  *out = (touched_t){.counts = mm_counts(mm)};
  for (uint32_t a = 0; a < TOUCHED_SPACES; a++) out->data += u.data_frames[a];
  for (uint64_t l = 0; l < u.frames >> order; l++) {
    mm_large_t f;
    mm_large_frame(mm, l, &f);
    if (f.owner < TOUCHED_SPACES) out->aside += (1u << order) - f.used;
  }
}

static bool touched(repro_t *r, table_t *t, uint32_t index, uint32_t occupancy, micro_t *out) {
  char a[40], b[40];
  snprintf(a, sizeof a, "mem.fragment_index=%u", index);
  snprintf(b, sizeof b, "mem.fragment_occupancy=%u", occupancy);
  const crowd_machine_t m = {.design = "mosaic", .set = {a, b, "mem.bytes=512M"}};
  mm_t *mm = NULL;
  err_t e = {0};
  touched_t v = {0};
  int rc = new_manager(r, &m, TOUCHED_SPACES, &mm, &e);
  if (rc == 0) rc = touch_all(mm, &e);
  if (rc == 0) look(mm, &v);
  mm_free(mm);
  if (rc < 0) {
    repro_has(r, &(lab_result_t){.status = LAB_FAILED, .text = e.text});
    return false;
  }
  *out = micro_ratio(v.aside, v.data);
  repro_acted(r, 7, v.counts.coalesced + v.counts.dissolved + v.counts.guests);
  table_printf(t, "%u", index), table_printf(t, "%u", occupancy);
  repro_cell(t, micro_ratio(v.data, FRAMES_PER_MB), 2);
  repro_cell(t, micro_ratio(v.data + v.aside, FRAMES_PER_MB), 2);
  table_u64(t, v.counts.compacted), table_u64(t, v.counts.dissolved), table_u64(t, v.counts.guests);
  return true;
}

static void table2_directed(repro_t *r) {
  static const char *const columns[] = {"index %",   "occupancy %", "4 KB pages", "Mosaic",
                                        "compacted", "dissolved",   "guests"};
  static const uint32_t occupancy[] = {1, 10, 25, 35, 50, 75};
  micro_t v[6], low;
  bool falls = true;
  if (r->dry) return;
  table_t *t = repro_table(r, "Memory held, in MB, and what became of large frames");
  for (uint32_t i = 0; i < 7; i++) table_column(t, columns[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < 6; i++) {
    if (!touched(r, t, 100, occupancy[i], &v[i])) return;
    repro_value(r, i, v[i]);
    falls &= !i || v[i] <= v[i - 1];
  }
  falls &= v[5] < v[0];
  repro_claim(r, 6, falls, falls ? "falls" : "does not");
  if (touched(r, t, 95, 50, &low)) repro_value(r, 7, low);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mosaic_mm[] = {
    ONE_POINT("mosaic/bloat", "memory with 2 MB pages only", bloat_rows, bloat),
    ONE_POINT("mosaic/table2", "memory that Mosaic holds where memory is fragmented", table2_rows,
              table2),
    SEARCHED("mosaic/bloat-directed", "memory of allocations that come and go, 2 MB pages only",
             churn_rows, bloat_directed),
    SEARCHED("mosaic/table2-directed",
             "memory that Mosaic holds where pages are touched here and there", table2_rows,
             table2_directed),
    {0}};
