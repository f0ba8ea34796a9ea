/* Mosaic: memory that page sizes and fragmentation cost (section 3.2, table 2). No machine runs:
 * the applications' allocations and frees go to the memory manager itself, those of several
 * applications in turn, a command each, and what they hold is looked at where it is most. */
#include "apps.h"
#include "gmmu/mm.h"
#include "repro_crowd.h"
#include <stdio.h>
#include <string.h>

/* Base frames of all applications together, when most were held. */
typedef struct {
  uint64_t held, data, needed;
} peak_t;

typedef struct {
  mm_t *mm;
  source_t *source[CROWD_MOST];
  bool ended[CROWD_MOST];
  uint32_t apps;
  peak_t peak;
} replay_t;

/* ---- allocations and frees ------------------------------------------------------------------- */

static void note_peak(replay_t *p) {
  mm_usage_t u;
  peak_t now = {0};
  mm_usage(p->mm, &u);
  for (uint32_t a = 0; a < p->apps; a++) {
    now.held += u.held_frames[a];
    now.data += u.data_frames[a];
    now.needed += u.needed_frames[a];
  }
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
    static const crowd_machine_t any = {MOSAIC_BASELINE, {NULL}, false, 0};
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

static const paper_row_t bloat_rows[] = {
    {"memory with 2 MB pages only, over 4 KB pages: average", "40.2 %", 402000, UNIT_PERCENT,
     RULE_RATE},
    {"worst application", "367 %", 3670000, UNIT_PERCENT, RULE_RATE},
    {"working sets in MB, smallest", "10", 10 * MICRO, UNIT_NUMBER, RULE_RATE},
    {"average", "81.5", 81500000, UNIT_NUMBER, RULE_RATE},
    {"largest", "362", 362 * MICRO, UNIT_NUMBER, RULE_RATE},
    {0}};

#define FRAMES_PER_MB 256 /* of 4 KB */

static void bloat_values(repro_t *r, const micro_t more[], const micro_t mb[], uint32_t count) {
  micro_t worst = more[0], least = mb[0], most = mb[0];
  for (uint32_t i = 1; i < count; i++) {
    if (more[i] > worst) worst = more[i];
    if (mb[i] < least) least = mb[i];
    if (mb[i] > most) most = mb[i];
  }
  repro_value(r, 0, micro_mean(more, count));
  repro_value(r, 1, worst);
  repro_value(r, 2, least);
  repro_value(r, 3, micro_mean(mb, count));
  repro_value(r, 4, most);
}

static void bloat(repro_t *r) {
  static const crowd_machine_t small = {"gpu-mmu", {NULL}, false, 0},
                               large = {"gpu-mmu-2m", {NULL}, false, 0};
  micro_t more[CROWD_APPS], mb[CROWD_APPS];
  uint32_t count = r->plan->mosaic.apps;
  bool ok = true;
  table_t *t = repro_table(r, "Most memory in use at once, in MB");
  table_column(t, "application", TABLE_LEFT);
  table_column(t, "4 KB pages", TABLE_RIGHT);
  table_column(t, "2 MB pages", TABLE_RIGHT);
  for (uint32_t i = 0; i < count; i++) {
    const crowd_t c = crowd_copies(crowd_apps[i], 1);
    peak_t a = {0}, b = {0};
    ok &= peak_of(r, &small, &c, &a) && peak_of(r, &large, &c, &b);
    mb[i] = micro_ratio(a.data, FRAMES_PER_MB);
    more[i] = gain(micro_ratio(b.data, 1), micro_ratio(a.data, 1));
    table_cell(t, crowd_apps[i]);
    repro_cell(t, mb[i], 2), repro_cell(t, micro_ratio(b.data, FRAMES_PER_MB), 2);
  }
  if (ok && count) bloat_values(r, more, mb, count);
}

/* ---- table2: Mosaic on fragmented memory ----------------------------------------------------- */

static const paper_row_t table2_rows[] = {
    {"memory held by Mosaic over 4 KB pages: occupancy 1 %", "10.66 %", 106600, UNIT_PERCENT,
     RULE_RATE},
    {"10 %", "7.56 %", 75600, UNIT_PERCENT, RULE_RATE},
    {"25 %", "7.20 %", 72000, UNIT_PERCENT, RULE_RATE},
    {"35 %", "5.22 %", 52200, UNIT_PERCENT, RULE_RATE},
    {"50 %", "3.37 %", 33700, UNIT_PERCENT, RULE_RATE},
    {"75 %", "2.22 %", 22200, UNIT_PERCENT, RULE_RATE},
    {"it falls as occupancy grows", "falls", 0, UNIT_NUMBER, RULE_CLAIM},
    {"index of 95 %, occupancy 50 %", "< 1 %", 10000, UNIT_PERCENT, RULE_BELOW},
    {0}};

/* What is held beyond the pages that are needed, over all pairs of the plan. */
static bool held_beyond(repro_t *r, uint32_t index, uint32_t occupancy, micro_t *out) {
  char a[40], b[40];
  crowd_t c[CROWD_MAX];
  uint32_t count = crowds_mixed(r, 2, c);
  uint64_t held = 0, needed = 0;
  bool ok = true;
  snprintf(a, sizeof a, "mem.fragment_index=%u", index);
  snprintf(b, sizeof b, "mem.fragment_occupancy=%u", occupancy);
  const crowd_machine_t m = {"mosaic", {a, b, NULL}, false, 0};
  for (uint32_t i = 0; i < count; i++) {
    peak_t p = {0};
    ok &= peak_of(r, &m, &c[i], &p);
    held += p.held, needed += p.needed;
  }
  *out = gain(micro_ratio(held, 1), micro_ratio(needed, 1));
  return ok && needed;
}

static void table2(repro_t *r) {
  static const uint32_t occupancy[] = {1, 10, 25, 35, 50, 75};
  micro_t v[6], low;
  bool ok = true, falls = true;
  for (uint32_t i = 0; i < 6; i++) {
    bool there = held_beyond(r, 100, occupancy[i], &v[i]);
    if (there) repro_value(r, i, v[i]);
    ok &= there;
    falls &= ok && (!i || v[i] <= v[i - 1]);
  }
  falls &= ok && v[5] < v[0];
  if (ok) repro_claim(r, 6, falls, falls ? "falls" : "does not");
  if (held_beyond(r, 95, 50, &low)) repro_value(r, 7, low);
}

/* ---- the table ------------------------------------------------------------------------------- */

const experiment_t repro_mosaic_mm[] = {
    {"mosaic/bloat", "memory with 2 MB pages only", bloat_rows, bloat},
    {"mosaic/table2", "memory that Mosaic holds where memory is fragmented", table2_rows, table2},
    {0}};
