/* A row per design and application. Slowdowns are against the reference: the design `ideal` if it
 * is among them, else the first. */
#include "explain/report.h"
#include "base/demangle.h"
#include "base/ratio.h"
#include "explain/explain.h"
#include <stdio.h>
#include <string.h>

#define COLUMN(t, name) table_column(t, name, TABLE_RIGHT)

/* What follows the design's own name: " l2tlb.entries=512" of a sweep. */
static const char *settings_of(const char *name) { return name + strcspn(name, " "); }
static bool is_ideal(const char *name) { return strncmp(name, "ideal", strcspn(name, " ")) == 0; }

/* Of a run: the ideal machine with the same settings, if there is one. */
static const report_run_t *reference(const report_t *r, const report_run_t *of) {
  const report_run_t *first = NULL;
  for (uint32_t i = 0; i < r->runs; i++) {
    const report_run_t *x = &r->run[i];
    if (!is_ideal(x->design)) continue;
    if (strcmp(settings_of(x->design), settings_of(of->design)) == 0) return x;
    if (!first) first = x;
  }
  return first ? first : &r->run[0];
}

/* ---- speed ----------------------------------------------------------------------------------- */

typedef struct {
  uint64_t instructions, cycles;
} speed_t;

/* Of complete executions if there are any: a started one says little, and an application that is
 * not started again is idle to the end of the run. */
static speed_t speed_of(const gpu_summary_t *s) {
  if (s->complete_cycles) return (speed_t){s->complete_instructions, s->complete_cycles};
  return (speed_t){s->instructions, s->cycles};
}

static void speed_cell(table_t *t, const gpu_summary_t *s) {
  speed_t v = speed_of(s);
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, v.instructions, v.cycles, 3);
  table_printf(t, "%s%s", text, s->complete_cycles ? "" : "*");
}

__extension__ typedef unsigned __int128 wide_t;

static void slowdown_cell(table_t *t, const gpu_summary_t *ref, const gpu_summary_t *s) {
  speed_t a = speed_of(ref), b = speed_of(s);
  wide_t num = (wide_t)a.instructions * b.cycles, den = (wide_t)a.cycles * b.instructions;
  while (num >> 64 || den >> 64) num >>= 1, den >>= 1;
  table_ratio(t, (uint64_t)num, (uint64_t)den, 2);
}

/* ---- the main table -------------------------------------------------------------------------- */

static void percent_cell(table_t *t, uint64_t part, uint64_t whole) {
  table_ratio(t, part * 100, whole, 1);
}

static void label_cells(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  table_printf(t, "%s%s", r->run[run].design, r->run[run].partial ? " (partial)" : "");
  table_cell(t, r->name[app]);
}

static void main_numbers(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  const gpu_summary_t *s = &r->run[run].app[app];
  for (uint32_t i = 0; i < FIGURES; i++) {
    const figure_t *f = &figures[i];
    if (i == FIGURE_ipc)
      speed_cell(t, s), slowdown_cell(t, &reference(r, &r->run[run])->app[app], s);
    else if (*f->column)
      table_ratio(t, figure_part(f, s), figure_whole(f, s), 1);
  }
}

static void main_columns(table_t *t) {
  for (uint32_t i = 0; i < FIGURES; i++) {
    if (*figures[i].column) COLUMN(t, figures[i].column);
    if (i == FIGURE_ipc) COLUMN(t, "slowdown");
  }
}

static void main_table(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_KEY);
  main_columns(&t);
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) {
      label_cells(&t, r, i, a);
      main_numbers(&t, r, i, a);
    }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static bool any_incomplete(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (!r->run[i].app[a].complete_cycles) return true;
  return false;
}

static bool any_windows(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    if (r->run[i].app[0].windows) return true;
  return false;
}

static void legend(const report_t *r, strbuf_t *out) {
  strbuf_str(out, "\n");
  for (uint32_t i = 0; i < FIGURES; i++) {
    const figure_t *f = &figures[i];
    if (i != FIGURE_ipc) {
      if (*f->column) strbuf_printf(out, "%-15s%s\n", f->column, f->help);
      continue;
    }
    strbuf_printf(out, "%-15s%s, of complete executions%s\n", f->column, f->help,
                  any_windows(r)      ? "; * of the windows"
                  : any_incomplete(r) ? "; * none: of the run so far"
                                      : "");
    strbuf_printf(out, "%-15sIPC under %s over this IPC\n", "slowdown",
                  is_ideal(reference(r, &r->run[0])->design) ? "ideal" : r->run[0].design);
  }
}

/* ---- designs that do not differ ---------------------------------------------------------------
 */

static void numbers_of(const report_t *r, uint32_t run, strbuf_t *out) {
  table_t t;
  table_init(&t);
  main_columns(&t);
  for (uint32_t a = 0; a < r->apps; a++) main_numbers(&t, r, run, a);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* The first design whose rows show the same numbers. */
static const char *equal_rows(const report_t *r, uint32_t run) {
  strbuf_t own, other;
  const char *found = NULL;
  strbuf_init(&own), strbuf_init(&other);
  numbers_of(r, run, &own);
  for (uint32_t i = 0; i < run && !found; i++) {
    strbuf_clear(&other);
    numbers_of(r, i, &other);
    if (strcmp(strbuf_text(&own), strbuf_text(&other)) == 0) found = r->run[i].design;
  }
  strbuf_fini(&own), strbuf_fini(&other);
  return found;
}

static void say_same(const report_t *r, strbuf_t *out) {
  bool any = false;
  for (uint32_t i = 1; i < r->runs; i++) {
    const report_run_t *x = &r->run[i];
    const char *equal = x->same_as ? x->same_as : equal_rows(r, i);
    if (!equal) continue;
    if (!any) strbuf_str(out, "\n");
    any = true;
    if (x->same_as)
      strbuf_printf(out, "%s is the same machine as %s on this GPU.\n", x->design, equal);
    else
      strbuf_printf(out, "%s shows the numbers of %s: nothing here used what they differ in.\n",
                    x->design, equal);
  }
}

/* ---- designs that beat ideal ------------------------------------------------------------------
 */

/* Half a percent and more: less says nothing. */
static bool beats(const gpu_summary_t *ideal, const gpu_summary_t *s) {
  speed_t a = speed_of(ideal), b = speed_of(s);
  wide_t own = (wide_t)b.instructions * a.cycles, its = (wide_t)a.instructions * b.cycles;
  return own * 200 >= its * 201;
}

static void say_why(const report_t *r, uint32_t run, uint32_t app, strbuf_t *out) {
  const report_run_t *x = &r->run[run], *ideal = reference(r, x);
  strbuf_printf(out, "%s beats %s", x->design, ideal->design);
  if (r->apps > 1) strbuf_printf(out, " for %s", r->name[app]);
  strbuf_str(out, ", which is no bound here: under it ");
  explain_moved_text(&x->app[app], &ideal->app[app], out);
  strbuf_str(out, ".\n");
}

static void say_better(const report_t *r, strbuf_t *out) {
  bool any = false;
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) {
      const report_run_t *ideal = reference(r, &r->run[i]);
      if (!is_ideal(ideal->design) || ideal == &r->run[i] || r->run[i].same_as ||
          !beats(&ideal->app[a], &r->run[i].app[a]))
        continue;
      if (!any) strbuf_str(out, "\n");
      any = true;
      say_why(r, i, a, out);
    }
}

/* ---- TLBs that share --------------------------------------------------------------------------
 */

static bool any_peers(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (r->run[i].app[a].peers) return true;
  return false;
}

static void sharing_row(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  const gpu_summary_t *s = &r->run[run].app[app];
  uint64_t hits = s->l1tlb_lookups - s->l1tlb_misses;
  label_cells(t, r, run, app);
  percent_cell(t, hits, s->l1tlb_lookups);
  percent_cell(t, s->l1tlb_remote, s->l1tlb_lookups);
  percent_cell(t, hits + s->l1tlb_remote, s->l1tlb_lookups);
  table_ratio(t, s->l1tlb_cycles, s->l1tlb_lookups, 2);
}

static void sharing_table(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_KEY);
  COLUMN(&t, "local %"), COLUMN(&t, "remote %"), COLUMN(&t, "total %"), COLUMN(&t, "cycles");
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) sharing_row(&t, r, i, a);
  strbuf_str(out, "\nL1 TLB look-ups that hit in the SM's own TLB, that another SM's TLB answered, "
                  "both; mean cycles of a translation\n\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* ---- windows --------------------------------------------------------------------------------- */

static void estimate_cell(table_t *t, const estimate_t *x) {
  char mean[RATIO_TEXT_BYTES], half[RATIO_TEXT_BYTES];
  ratio_format(mean, sizeof mean, x->mean, 1000000, 3);
  ratio_format(half, sizeof half, x->half, 1000000, 3);
  if (x->known)
    table_printf(t, "%s +- %s", mean, half);
  else
    table_printf(t, "%s", mean);
}

/* Kernels that no window met make intervals wide, or there is none: a line says why. */
static void unseen_line(const report_t *r, uint32_t i, uint32_t a, strbuf_t *out) {
  const gpu_summary_t *s = &r->run[i].app[a];
  char percent[RATIO_TEXT_BYTES];
  if (!s->unseen || s->unseen * 1000 <= s->all * SAMPLING_UNSEEN_PERMILLE) return;
  ratio_format(percent, sizeof percent, s->unseen * 100, s->all, 1);
  strbuf_printf(out,
                "\nwarning: %s under %s: no window met kernels with %s %% of its instructions. "
                "Intervals are of what others say of them, or missing. The largest is ",
                r->name[a], r->run[i].design, percent);
  demangle(s->unseen_kernel, out);
  strbuf_str(out, ". More windows, or another sample.seed, may meet them.\n");
}

static void windows_table(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_KEY);
  COLUMN(&t, "windows"), COLUMN(&t, "instructions"), COLUMN(&t, "skipped");
  for (uint32_t k = 0; k < WINDOW_RATIOS_COUNT; k++) COLUMN(&t, window_ratio_name[k]);
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) {
      const gpu_summary_t *s = &r->run[i].app[a];
      label_cells(&t, r, i, a);
      table_printf(&t, "%u", s->windows);
      table_printf(&t, "%llu", (unsigned long long)s->instructions);
      table_printf(&t, "%llu", (unsigned long long)s->skipped);
      for (uint32_t k = 0; k < WINDOW_RATIOS_COUNT; k++) estimate_cell(&t, &s->estimate[k]);
    }
  strbuf_str(out, "\nWhat the windows tell of the whole run: means, and their 95 % intervals; all "
                  "else here is of the windows alone\n\n");
  table_render(&t, TABLE_TEXT, out);
  for (uint32_t k = 0; k < WINDOW_RATIOS_COUNT; k++)
    strbuf_printf(out, "%s%-14s  %s\n", k ? "" : "\n", window_ratio_name[k], window_ratio_help[k]);
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) unseen_line(r, i, a, out);
  table_fini(&t);
}

/* ---- where time went ------------------------------------------------------------------------- */

#define PARTS REPORT_PARTS

static uint64_t part_of(const gpu_summary_t *s, uint32_t part) {
  return part ? s->stall[part - 1] : s->instructions;
}

/* What rounding down leaves over goes to those that lost most by it. */
void report_shares(const gpu_summary_t *s, uint32_t share[PARTS]) {
  uint64_t rest[PARTS], sum = 0;
  for (uint32_t i = 0; i < PARTS; i++) {
    uint64_t scaled = part_of(s, i) * 1000;
    share[i] = s->slot_cycles ? (uint32_t)(scaled / s->slot_cycles) : 0;
    rest[i] = s->slot_cycles ? scaled % s->slot_cycles : 0;
    sum += share[i];
  }
  for (; s->slot_cycles && sum < 1000; sum++) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < PARTS; i++)
      if (rest[i] > rest[most]) most = i;
    share[most]++;
    rest[most] = 0;
  }
}

static bool part_occurs(const report_t *r, uint32_t part) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (part_of(&r->run[i].app[a], part)) return true;
  return false;
}

static void stack_row(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  uint32_t share[PARTS];
  report_shares(&r->run[run].app[app], share);
  label_cells(t, r, run, app);
  for (uint32_t i = 0; i < PARTS; i++)
    if (part_occurs(r, i)) table_ratio(t, share[i], 10, 1);
}

void report_stacks(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_KEY);
  for (uint32_t i = 0; i < PARTS; i++)
    if (part_occurs(r, i)) COLUMN(&t, i ? stall_names[i - 1] : "issued");
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) stack_row(&t, r, i, a);
  strbuf_str(out, "\nWhere the time of the warp slots went, in % (rows add up to 100; reasons that "
                  "did not occur are left out)\n\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void sms_text(const gpu_summary_t *s, char *buf, size_t size) {
  char part[32] = "";
  if (s->part_whole)
    snprintf(part, sizeof part, "%llu%% of each of ", 100ull * s->part_of / s->part_whole);
  snprintf(buf, size, "%s%u .. %u", part, s->first_sm, s->first_sm + s->sms - 1);
}

/* Designs may divide the SMs otherwise: with turns everybody has all of them. */
static bool other_sms(const report_t *r, uint32_t run) {
  for (uint32_t a = 0; a < r->apps; a++) {
    const gpu_summary_t *x = &r->run[0].app[a], *y = &r->run[run].app[a];
    char was[64], is[64];
    sms_text(x, was, sizeof was), sms_text(y, is, sizeof is);
    if (strcmp(was, is) != 0) return true;
  }
  return false;
}

static void add_sms(const report_t *r, uint32_t run, strbuf_t *out) {
  strbuf_printf(out, "\nSMs under %s: ", r->run[run].design);
  for (uint32_t a = 0; a < r->apps; a++) {
    char sms[64];
    sms_text(&r->run[run].app[a], sms, sizeof sms);
    strbuf_printf(out, "%s%s", a ? ", " : "", sms);
  }
  strbuf_str(out, "\n");
}

/* SMs that belong to nobody: without this line a table of 10 SMs looks like one of the whole GPU.
 */
static void add_idle(const report_t *r, strbuf_t *out) {
  const gpu_summary_t *app = r->run[0].app;
  uint32_t used = 0;
  for (uint32_t a = 0; a < r->apps; a++)
    if (app[a].first_sm + app[a].sms > used) used = app[a].first_sm + app[a].sms;
  if (r->apps && used < app->chip_sms)
    strbuf_printf(out, "\nSMs %u .. %u of this GPU have no application and stand idle\n", used,
                  app->chip_sms - 1);
}

static void heading(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "SMs", TABLE_LEFT);
  table_column(&t, "as given", TABLE_LEFT);
  for (uint32_t a = 0; a < r->apps; a++) {
    char sms[64];
    sms_text(&r->run[0].app[a], sms, sizeof sms);
    table_cell(&t, r->name[a]);
    table_cell(&t, sms);
    table_cell(&t, r->text[a]);
  }
  strbuf_printf(out, "gmmu %s, GPU %s\n\n", GMMU_VERSION, r->gpu);
  table_render(&t, TABLE_TEXT, out);
  add_idle(r, out);
  for (uint32_t i = 1; i < r->runs; i++)
    if (other_sms(r, i)) add_sms(r, i, out);
  strbuf_str(out, "\n");
  table_fini(&t);
}

void report_text(const report_t *r, strbuf_t *out) {
  if (r->runs) {
    heading(r, out);
    main_table(r, out);
    say_same(r, out);
    say_better(r, out);
    legend(r, out);
    if (any_windows(r)) windows_table(r, out);
    if (any_peers(r)) sharing_table(r, out);
    report_stacks(r, out);
  }
  uint32_t partial = 0;
  for (uint32_t i = 0; i < r->runs; i++) partial += r->run[i].partial;
  if (!partial && r->runs >= r->wanted) return;
  strbuf_str(out, "\nPARTIAL: ");
  if (partial == 1)
    strbuf_str(out, "the last run was ended early; ");
  else if (partial)
    strbuf_printf(out, "%u runs were ended early; ", partial);
  strbuf_printf(out, "%u of %u designs are here.\n", r->runs, r->wanted);
}
