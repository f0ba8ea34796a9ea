#include "explain/explain_text.h"
#include "base/json_find.h"
#include "base/ratio.h"
#include "base/table.h"
#include "base/wrap.h"
#include "explain/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAGRAPH_COLUMNS 100

#define RUN(w, kind) explain_find((w)->x, kind, CAUSES)
#define CYCLES(r)    ((unsigned long long)explain_cycles(r))
#define MAGNITUDE(v) ((uint64_t)((v) < 0 ? -(v) : (v)))

void explain_percent(int64_t num, uint64_t den, strbuf_t *out) {
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, MAGNITUDE(num) * 100, den, 1);
  strbuf_printf(out, "%s%s %%", num < 0 && strcmp(text, "0.0") != 0 ? "-" : "", text);
}

/* ---- the paragraph --------------------------------------------------------------------------- */

static bool costs(const explain_verdict_t *v) {
  return v->cost > 0 && (uint64_t)v->cost * 100 >= v->base * EXPLAIN_COUNTS;
}

static void say_cost(const explain_view_t *w, strbuf_t *out) {
  const explain_verdict_t *v = w->v;
  const explain_run_t *base = RUN(w, EXPLAIN_BASE), *ideal = RUN(w, EXPLAIN_IDEAL),
                      *resident = RUN(w, EXPLAIN_RESIDENT);
  char slowdown[RATIO_TEXT_BYTES];
  strbuf_printf(out, "On %s under %s, %s takes %llu cycles, and %llu with ideal translation",
                w->gpu, base->name, w->name, CYCLES(base), CYCLES(ideal));
  if (resident)
    strbuf_printf(out, ", %llu if all its pages are in GPU memory as well", CYCLES(resident));
  if (v->cost < 0) {
    strbuf_str(out, ". `ideal` is no bound here: it takes ");
    explain_percent(-v->cost, v->base, out);
    strbuf_str(out, " more; under it ");
    explain_moved_text(&base->stats, &ideal->stats, out);
    strbuf_str(out, ". ");
    return;
  }
  ratio_format(slowdown, sizeof slowdown, v->base, v->bound, 2);
  strbuf_printf(out, ": %s ", resident ? "translation and paging cost" : "translation costs");
  explain_percent(v->cost, v->base, out);
  strbuf_printf(out, " of the time, a slowdown of %s. ", slowdown);
}

static void say_share(const explain_view_t *w, cause_t c, strbuf_t *out) {
  explain_percent(w->v->regained[c], w->v->base, out);
  strbuf_str(out, " of the time");
  if (!costs(w->v)) return;
  strbuf_str(out, ", ");
  explain_percent(w->v->regained[c], (uint64_t)w->v->cost, out);
  strbuf_str(out, " of that cost");
}

static void say_named(const explain_view_t *w, strbuf_t *out) {
  const explain_verdict_t *v = w->v;
  const cause_info_t *info = &cause_info[v->cause];
  strbuf_printf(out, "What holds it back most is %s: with %s it takes %llu cycles, which regains ",
                info->name, info->without, CYCLES(explain_find(w->x, EXPLAIN_CAUSE, v->cause)));
  say_share(w, v->cause, out);
  strbuf_str(out, ". ");
  for (uint32_t i = 0; i < v->seconds; i++) {
    strbuf_printf(out, "%s%s (", i ? ", " : "Close behind: ", cause_info[v->second[i]].name);
    explain_percent(v->regained[v->second[i]], v->base, out);
    strbuf_str(out, ")");
  }
  if (v->seconds) strbuf_str(out, ". ");
}

/* What the warps wait for, of all reasons but empty slots and those of others. */
static void say_largest_stall(const gpu_summary_t *s, strbuf_t *out) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < STALLS; i++)
    if (i != STALL_EMPTY && i != STALL_TURN && s->stall[i] > s->stall[most]) most = i;
  strbuf_printf(out, "The largest stall reason of its warps is `%s`: %s (", stall_names[most],
                stall_help[most]);
  explain_percent((int64_t)s->stall[most], s->slot_cycles, out);
  strbuf_str(out, " of the warp slots' time");
  if (s->stall[STALL_EMPTY] > s->slot_cycles / 2) { /* or its share says that nothing matters */
    strbuf_str(out, ", ");
    explain_percent((int64_t)s->stall[STALL_EMPTY], s->slot_cycles, out);
    strbuf_str(out, " of which have no warp");
  }
  strbuf_str(out, "). ");
}

static void say_hidden(const explain_view_t *w, strbuf_t *out) {
  const explain_verdict_t *v = w->v;
  if (costs(v))
    strbuf_str(out, "No single cause holds it back: ");
  else
    strbuf_str(out, "Translation is hidden: ");
  if (v->largest == CAUSES)
    strbuf_str(out, "there is nothing to remove. ");
  else {
    strbuf_str(out, "of the causes, removed one at a time, none regains more than ");
    explain_percent(v->regained[v->largest] > 0 ? v->regained[v->largest] : 0, v->base, out);
    strbuf_printf(out, " of the time (%s). ", cause_info[v->largest].name);
  }
  say_largest_stall(&RUN(w, EXPLAIN_BASE)->stats, out);
}

static int64_t won(const explain_view_t *w, const explain_run_t *r) {
  return (int64_t)w->v->base - (int64_t)explain_cycles(r);
}

/* The best three of those that are faster; the others are in the table. */
static void say_designs(const explain_view_t *w, strbuf_t *out) {
  const explain_verdict_t *v = w->v;
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->designs && n < 3; i++) {
    const explain_run_t *r = v->design[i];
    int64_t gain = won(w, r);
    if (gain <= 0 || (uint64_t)gain * 1000 < v->base) break;
    strbuf_printf(out, "%s%s wins back ", n++ ? ", " : "Of the designs, ", r->name);
    if (costs(v))
      explain_percent(gain, (uint64_t)v->cost, out), strbuf_str(out, " of that cost");
    else
      explain_percent(gain, v->base, out), strbuf_str(out, " of the time");
  }
  if (n)
    strbuf_str(out, ". ");
  else if (v->designs)
    strbuf_printf(out, "None of the %u designs tried is faster. ", v->designs);
}

void explain_next(const explain_view_t *w, strbuf_t *out) {
  const explain_run_t *base = RUN(w, EXPLAIN_BASE);
  strbuf_str(out, "gmmu run --gpu");
  strbuf_shell_word(out, w->gpu);
  cause_next(w->v->cause, &w->x->spec, base->name, out);
  strbuf_str(out, w->settings);
  strbuf_str(out, w->operand);
}

void explain_paragraph(const explain_view_t *w, strbuf_t *out) {
  say_cost(w, out);
  if (w->v->cause == CAUSE_HIDDEN)
    say_hidden(w, out);
  else
    say_named(w, out);
  say_designs(w, out);
  strbuf_trim(out);
}

static void fold(const char *text, uint32_t columns, strbuf_t *out) {
  size_t next;
  while (*text) {
    size_t size = wrap_line(text, columns, &next);
    strbuf_add(out, text, size);
    strbuf_str(out, "\n");
    text += next;
  }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void percent_cell(table_t *t, int64_t num, uint64_t den) {
  strbuf_t s;
  strbuf_init(&s);
  if (den)
    explain_percent(num, den, &s), strbuf_cut(&s, s.size - 2);
  else
    strbuf_str(&s, "-");
  table_cell(t, strbuf_text(&s));
  strbuf_fini(&s);
}

static void settings_text(const explain_run_t *r, strbuf_t *out) {
  for (uint32_t i = 0; i < r->settings.count; i++)
    strbuf_printf(out, "%s%s", i ? " " : "", r->settings.at[i]);
}

static void machine_row(table_t *t, const explain_view_t *w, const explain_run_t *r) {
  const explain_verdict_t *v = w->v;
  strbuf_t s;
  int64_t regained = r->kind == EXPLAIN_CAUSE ? v->regained[r->cause] : won(w, r);
  bool compared = r->kind != EXPLAIN_BASE;
  strbuf_init(&s);
  settings_text(r, &s);
  table_cell(t, r->name);
  if (!r->done) {
    table_cell(t, "-"), table_cell(t, "-"), table_cell(t, "-"), table_cell(t, "-");
    table_cell(t, r->settings.none ? r->settings.none : r->error.text);
  } else {
    table_u64(t, explain_cycles(r));
    percent_cell(t, regained, compared ? v->base : 0);
    percent_cell(t, regained, compared && costs(v) ? (uint64_t)v->cost : 0);
    percent_cell(t, (int64_t)r->stats.translation_stalls, r->stats.warp_cycles);
    if (r->short_of) strbuf_str(&s, s.size ? " (still too few)" : "still too few");
    table_cell(t, strbuf_text(&s));
  }
  strbuf_fini(&s);
}

static void machines(const explain_view_t *w, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "machine", TABLE_LEFT);
  table_column(&t, "cycles", TABLE_RIGHT);
  table_column(&t, "regains %", TABLE_RIGHT);
  table_column(&t, "of cost %", TABLE_RIGHT);
  table_column(&t, "xlat %", TABLE_RIGHT);
  table_column(&t, "settings", TABLE_LEFT);
  for (uint32_t i = 0; i < w->x->runs; i++) machine_row(&t, w, &w->x->run[i]);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out,
             "\nregains  cycles regained over those of the first row; of cost: over what `ideal` "
             "saves\n"
             "xlat     share of the warps' time stalled on translation\n");
}

uint32_t explain_stacks(const explain_view_t *w, const explain_run_t *run[EXPLAIN_STACKS]) {
  uint32_t n = 0;
  run[n++] = RUN(w, EXPLAIN_BASE), run[n++] = RUN(w, EXPLAIN_IDEAL);
  if (w->v->cause != CAUSE_HIDDEN) run[n++] = explain_find(w->x, EXPLAIN_CAUSE, w->v->cause);
  if (w->v->designs) run[n++] = w->v->design[0];
  return n;
}

static void stacks(const explain_view_t *w, strbuf_t *out) {
  const explain_run_t *run[EXPLAIN_STACKS];
  char name[1][APP_NAME_BYTES];
  report_run_t *rows = calloc(EXPLAIN_STACKS, sizeof *rows);
  if (!rows) {
    out->failed = true;
    return;
  }
  uint32_t n = explain_stacks(w, run);
  snprintf(name[0], sizeof name[0], "%s", w->name);
  report_t r = {.gpu = w->gpu, .name = name, .apps = 1, .run = rows, .runs = n, .wanted = n};
  for (uint32_t i = 0; i < n; i++) {
    rows[i].design = run[i]->name;
    rows[i].app[0] = run[i]->stats;
  }
  report_stacks(&r, out);
  free(rows);
}

/* ---- who is responsible ---------------------------------------------------------------------- */

/* A string of our own JSON, without its escapes. */
static void copy_string(const char *json, char *out, size_t size) {
  size_t n = 0;
  if (json && *json == '"')
    for (json++; *json && *json != '"' && n + 1 < size; json++) {
      if (*json == '\\' && json[1]) json++;
      out[n++] = *json;
    }
  out[n] = 0;
}

static void read_row(const char *json, const char *list, uint32_t i, explain_row_t *out) {
  char path[96];
  snprintf(path, sizeof path, "apps[0].%s[%u].name", list, i);
  copy_string(json_find(json, path), out->name, sizeof out->name);
  *strrchr(path, '.') = 0;
  for (uint32_t m = 0; m < MEASURES; m++) out->of[m] = measure_of_row(&measures[m], json, path);
}

uint32_t explain_rows(const explain_view_t *w, const char *list, explain_row_t row[EXPLAIN_ROWS],
                      explain_row_t *all) {
  const char *json = RUN(w, EXPLAIN_BASE)->json;
  char path[64];
  uint32_t n = 0;
  *all = (explain_row_t){0};
  snprintf(path, sizeof path, "apps[0].%s", list);
  uint32_t count = json ? json_find_count(json, path) : 0;
  for (uint32_t i = 0; i < count; i++) {
    explain_row_t r;
    read_row(json, list, i, &r);
    for (uint32_t m = 0; m < MEASURES; m++) all->of[m] += r.of[m];
    uint64_t stalled = r.of[MEASURE_stalled_warp_cycles];
    uint32_t k = n < EXPLAIN_ROWS ? n : EXPLAIN_ROWS - 1;
    if (n == EXPLAIN_ROWS && row[k].of[MEASURE_stalled_warp_cycles] >= stalled) continue;
    n += n < EXPLAIN_ROWS;
    for (; k && row[k - 1].of[MEASURE_stalled_warp_cycles] < stalled; k--) row[k] = row[k - 1];
    row[k] = r;
  }
  return n;
}

static void responsible(const explain_view_t *w, const char *list, const char *what,
                        strbuf_t *out) {
  explain_row_t row[EXPLAIN_ROWS], all;
  uint32_t n = explain_rows(w, list, row, &all);
  if (!n) return;
  table_t t;
  table_init(&t);
  table_column(&t, what, TABLE_LEFT);
  for (uint32_t m = 0; m < MEASURES; m++)
    if (measures[m].explain) table_column(&t, measures[m].share, TABLE_RIGHT);
  for (uint32_t i = 0; i < n; i++) {
    table_cell(&t, row[i].name);
    for (uint32_t m = 0; m < MEASURES; m++)
      if (measures[m].explain) table_ratio(&t, row[i].of[m] * 100, all.of[m], 1);
  }
  strbuf_str(out, "\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

void explain_text(const explain_view_t *w, strbuf_t *out) {
  strbuf_t line;
  strbuf_init(&line);
  explain_paragraph(w, &line);
  fold(strbuf_text(&line), out->columns ? out->columns : PARAGRAPH_COLUMNS, out);
  strbuf_fini(&line);
  strbuf_str(out, "Try next:\n  ");
  explain_next(w, out);
  strbuf_str(out, "\n\n");
  machines(w, out);
  stacks(w, out);
  explain_row_t row[EXPLAIN_ROWS], all;
  if (explain_rows(w, "by_array", row, &all)) {
    strbuf_printf(out, "\nWho is responsible under %s, in %% of all: ", RUN(w, EXPLAIN_BASE)->name);
    const char *between = "";
    for (uint32_t m = 0; m < MEASURES; m++)
      if (measures[m].explain)
        strbuf_printf(out, "%s%s", between, measures[m].title), between = ", ";
    strbuf_str(out, "\n");
  }
  responsible(w, "by_array", "array", out);
  responsible(w, "by_kernel", "kernel", out);
  responsible(w, "by_line", "line", out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void run_json(const explain_view_t *w, const explain_run_t *r, json_t *j) {
  static const char *const kind[] = {"base", "ideal", "resident", "cause", "design"};
  json_begin_object(j);
  json_key(j, "kind"), json_str(j, kind[r->kind]);
  json_key(j, "name"), json_str(j, r->kind == EXPLAIN_CAUSE ? cause_info[r->cause].key : r->name);
  json_key(j, "settings");
  json_begin_array(j);
  for (uint32_t i = 0; i < r->settings.count; i++) json_str(j, r->settings.at[i]);
  json_end_array(j);
  json_key(j, "cycles");
  if (r->done) {
    json_u64(j, explain_cycles(r));
    json_key(j, "regained_cycles");
    json_i64(j, r->kind == EXPLAIN_CAUSE ? w->v->regained[r->cause] : won(w, r));
    json_key(j, "instructions"), json_u64(j, r->stats.instructions);
    json_key(j, "stall_warp_cycles");
    json_begin_object(j);
    for (uint32_t i = 0; i < STALLS; i++)
      json_key(j, stall_names[i]), json_u64(j, r->stats.stall[i]);
    json_end_object(j);
    if (r->short_of) json_key(j, "still_too_few"), json_bool(j, true);
  } else {
    json_null(j);
    json_key(j, "why"), json_str(j, r->settings.none ? r->settings.none : r->error.text);
  }
  json_end_object(j);
}

static void rows_json(const explain_view_t *w, const char *list, json_t *j) {
  explain_row_t row[EXPLAIN_ROWS], all;
  uint32_t n = explain_rows(w, list, row, &all);
  if (!n) return;
  json_key(j, list);
  json_begin_array(j);
  for (uint32_t i = 0; i < n; i++) {
    json_begin_object(j);
    json_key(j, "name"), json_str(j, row[i].name);
    for (uint32_t m = 0; m < MEASURES; m++)
      if (measures[m].explain) json_key(j, measures[m].name), json_u64(j, row[i].of[m]);
    json_end_object(j);
  }
  json_end_array(j);
}

void explain_json(const explain_view_t *w, json_t *j) {
  const explain_verdict_t *v = w->v;
  strbuf_t s;
  strbuf_init(&s);
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "gpu"), json_str(j, w->gpu);
  json_key(j, "design"), json_str(j, RUN(w, EXPLAIN_BASE)->name);
  json_key(j, "source"), json_str(j, w->source);
  explain_paragraph(w, &s);
  json_key(j, "paragraph"), json_str(j, strbuf_text(&s));
  strbuf_clear(&s);
  explain_next(w, &s);
  json_key(j, "next"), json_str(j, strbuf_text(&s));
  json_key(j, "cycles"), json_u64(j, v->base);
  json_key(j, "bound_cycles"), json_u64(j, v->bound);
  json_key(j, "cost_cycles"), json_i64(j, v->cost);
  json_key(j, "cause"), json_str(j, cause_info[v->cause].key);
  json_key(j, "close");
  json_begin_array(j);
  for (uint32_t i = 0; i < v->seconds; i++) json_str(j, cause_info[v->second[i]].key);
  json_end_array(j);
  json_key(j, "runs");
  json_begin_array(j);
  for (uint32_t i = 0; i < w->x->runs; i++) run_json(w, &w->x->run[i], j);
  json_end_array(j);
  rows_json(w, "by_array", j);
  rows_json(w, "by_kernel", j);
  rows_json(w, "by_line", j);
  json_end_object(j);
  j->out.failed |= s.failed;
  strbuf_fini(&s);
}
