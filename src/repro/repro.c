/* Rows are judged by the rules of repro.h and by nothing else: no experiment writes a verdict. */
#include "repro/repro.h"
#include "base/json.h"
#include "base/json_find.h"
#include "base/ratio.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdicts -------------------------------------------------------------------------------- */

static verdict_t judge_value(micro_t paper, micro_t ours) {
  if ((paper < 0) != (ours < 0) || (ours == 0) != (paper == 0)) return VERDICT_DISAGREES;
  if (!paper) return VERDICT_SIZE;
  micro_t ratio = micro_div(ours, paper);
  return ratio <= REPRO_FACTOR && micro_div(paper, ours) <= REPRO_FACTOR ? VERDICT_SIZE
                                                                         : VERDICT_DIRECTION;
}

static verdict_t holds(bool yes, verdict_t v) { return yes ? v : VERDICT_DISAGREES; }

static micro_t size_of(micro_t v) { return v < 0 ? -v : v; }

/* How far ours is from where the verdict turns; false: it has no such place. */
static bool distance(const paper_row_t *paper, const our_row_t *ours, micro_t *out) {
  switch (paper->rule) {
  case RULE_VALUE: *out = size_of(ours->value); return true;
  case RULE_SHARE: *out = size_of(MICRO - ours->value); return true;
  case RULE_ABOVE:
  case RULE_BELOW: *out = size_of(ours->value - paper->value); return true;
  case RULE_CLAIM:
  case RULE_ORDER: *out = size_of(ours->margin); return ours->has_margin;
  case RULE_RATE:
  case RULE_REST:
  case RULE_NOTE: break;
  }
  return false;
}

/* An effect that the paper has and that would be seen is not there; else nobody can tell. */
static verdict_t judge_noise(const paper_row_t *paper, const our_row_t *ours) {
  micro_t effect = paper->rule == RULE_SHARE ? MICRO - paper->value : paper->value;
  bool gain = paper->rule == RULE_VALUE || paper->rule == RULE_SHARE;
  return gain && size_of(effect) > ours->noise ? VERDICT_DISAGREES : VERDICT_NOISE;
}

verdict_t repro_judge(const paper_row_t *paper, const our_row_t *ours) {
  micro_t far;
  if (!ours->there) return VERDICT_ABSENT;
  if (paper->given) return VERDICT_NONE;
  if (paper->acted && !ours->acted) return VERDICT_ABSENT;
  if (ours->has_noise && ours->noise && distance(paper, ours, &far) && far <= ours->noise)
    return judge_noise(paper, ours);
  switch (paper->rule) {
  case RULE_VALUE: return judge_value(paper->value, ours->value);
  case RULE_SHARE: return judge_value(MICRO - paper->value, MICRO - ours->value);
  case RULE_RATE:
    return holds(judge_value(paper->value, ours->value) == VERDICT_SIZE, VERDICT_SIZE);
  case RULE_REST:
    if (judge_value(paper->value, ours->value) == VERDICT_SIZE) return VERDICT_SIZE;
    return holds(ours->value < paper->value, VERDICT_DIRECTION);
  case RULE_ABOVE: return holds(ours->value > paper->value, VERDICT_DIRECTION);
  case RULE_BELOW: return holds(ours->value < paper->value, VERDICT_DIRECTION);
  case RULE_CLAIM: return holds(ours->holds, VERDICT_DIRECTION);
  case RULE_ORDER: return holds(ours->holds, VERDICT_ORDER);
  case RULE_NOTE: break;
  }
  return VERDICT_NONE;
}

const char *verdict_text(verdict_t v) {
  static const char *const text[] = {[VERDICT_NONE] = "-",
                                     [VERDICT_SIZE] = "agrees in size",
                                     [VERDICT_ORDER] = "agrees in order",
                                     [VERDICT_DIRECTION] = "agrees in direction",
                                     [VERDICT_DISAGREES] = "disagrees",
                                     [VERDICT_NOISE] = "within noise",
                                     [VERDICT_ABSENT] = "absent",
                                     [VERDICT_QUICK] = "QUICK"};
  return text[v];
}

/* ---- operating points ------------------------------------------------------------------------ */

const point_t repro_points[REPRO_POINTS] = {
    {"table", "the papers' tables", "", NULL},
    {"release", "what their released simulator does", "-release", NULL},
    /* designs of both papers have no page-walk cache unless they are told */
    {"measured", "L2 and DRAM as measured, walker and page-walk cache of later papers", "-measured",
     "walk.pwc=true"},
};

/* Workloads that were searched were so at the first point. */
bool repro_has_points(const experiment_t *x) {
  if (x->searched || x->one_point) return false;
  return strncmp(x->id, "mask/", 5) == 0 || strncmp(x->id, "mosaic/", 7) == 0;
}

static const point_t *point_of(const repro_t *r) { return r->at ? r->at : &repro_points[0]; }

void repro_put_gpu(const repro_t *r, lab_run_t *run, const char *gpu) {
  bool several = strcmp(gpu, "maxwell") == 0 || strcmp(gpu, "mosaic") == 0;
  const point_t *at = several ? point_of(r) : &repro_points[0];
  snprintf(run->gpu, sizeof run->gpu, "%s%s", gpu, at->suffix);
  if (!at->set) return;
  snprintf(run->set[run->sets++], sizeof run->set[0], "%s", at->set);
  run->kept = run->sets;
}

/* ---- for experiments ------------------------------------------------------------------------- */

void repro_value(repro_t *r, uint32_t row, micro_t v) {
  r->row[row].there = true;
  r->row[row].value = v;
}

void repro_claim(repro_t *r, uint32_t row, bool yes, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(r->row[row].text, sizeof r->row[row].text, fmt, args);
  va_end(args);
  r->row[row].there = true;
  r->row[row].holds = yes;
}

void repro_acted(repro_t *r, uint32_t row, uint64_t count) { r->row[row].acted = count; }

void repro_margin(repro_t *r, uint32_t row, micro_t margin) {
  r->row[row].margin = margin;
  r->row[row].has_margin = true;
}

void repro_note(repro_t *r, uint32_t row, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(r->row[row].note, sizeof r->row[row].note, fmt, args);
  va_end(args);
}

table_t *repro_table(repro_t *r, const char *title) {
  if (r->tables == REPRO_TABLES) r->tables--, table_fini(&r->table[r->tables].t);
  r->table[r->tables].title = title;
  table_init(&r->table[r->tables].t);
  return &r->table[r->tables++].t;
}

static void format_micro(char *buf, size_t size, micro_t v, uint32_t digits) {
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, v < 0 ? -(uint64_t)v : (uint64_t)v, (uint64_t)MICRO, digits);
  bool zero = strspn(text, "0.") == strlen(text);
  snprintf(buf, size, "%s%s", v < 0 && !zero ? "-" : "", text);
}

void repro_cell(table_t *t, micro_t v, uint32_t digits) {
  char text[RATIO_TEXT_BYTES + 1];
  format_micro(text, sizeof text, v, digits);
  table_cell(t, text);
}

void repro_percent(table_t *t, micro_t v) { repro_cell(t, v * 100, 1); }

uint64_t repro_count(const lab_result_t *x, const char *path) {
  uint64_t v = 0;
  return x && x->status == LAB_DONE && json_find_u64(x->text, path, &v) ? v : 0;
}

bool repro_has(repro_t *r, const lab_result_t *x) {
  if (x && x->status != LAB_DONE && !r->why[0])
    snprintf(r->why, sizeof r->why, "%s: %.*s",
             x->status == LAB_ABSENT ? "not in this build" : "a run failed",
             (int)strcspn(x->text, ";"), x->text); /* the first part of a message says what */
  return x && x->status == LAB_DONE;
}

void repro_fini(repro_t *r) {
  for (uint32_t i = 0; i < r->tables; i++) table_fini(&r->table[i].t);
  r->tables = 0;
}

static void reset(repro_t *r) {
  repro_fini(r);
  memset(r->row, 0, sizeof r->row);
  r->why[0] = 0;
}

/* ---- seeds and swaps ------------------------------------------------------------------------- */

static void add_setting(lab_run_t *run, const char *key, uint64_t value) {
  if (run->sets < LAB_SETS)
    snprintf(run->set[run->sets++], sizeof run->set[0], "%s=%" PRIu64, key, value);
}

static bool has_setting(const lab_run_t *run, const char *key) {
  size_t size = strlen(key);
  for (uint32_t i = 0; i < run->sets; i++)
    if (strncmp(run->set[i], key, size) == 0 && run->set[i][size] == '=') return true;
  return false;
}

/* Generators draw by a seed of theirs. An application's would be another input, recorded anew: its
 * size is said, and it is left. */
static void seed_app(char app[LAB_TEXT_BYTES], uint32_t seed) {
  if (strstr(app, "size=") || strstr(app, "seed=") || strncmp(app, "--", 2) == 0) return;
  size_t used = strlen(app);
  snprintf(app + used, LAB_TEXT_BYTES - used, "%cseed=%u", strchr(app, ':') ? ',' : ':', seed + 1);
}

/* What is random in a run: which frames are free (two of a hundred large frames have one base frame
 * in a hundred taken, at random), and when the second application begins. */
#define SEED_STAGGER 1009 /* cycles for each seed; a prime */
static void seed_run(lab_run_t *run, uint32_t seed) {
  if (strncmp(run->app[0], "probe:", 6) == 0) return; /* it measures, and has no such choices */
  if (!has_setting(run, "mem.fragment_index")) {
    add_setting(run, "mem.fragment_index", 2);
    add_setting(run, "mem.fragment_occupancy", 1);
  }
  add_setting(run, "mem.fragment_seed", seed + 1);
  add_setting(run, "share.stagger", (uint64_t)seed * SEED_STAGGER);
  for (uint32_t a = 0; a < run->apps; a++) seed_app(run->app[a], seed);
}

static void rewrite(void *ctx, lab_run_t *run) {
  const repro_t *r = ctx;
  if (r->swap_from && strcmp(run->design, r->swap_from) == 0)
    snprintf(run->design, sizeof run->design, "%s", r->swap_to);
  if (r->seed) seed_run(run, r->seed);
}

/* ---- noise ----------------------------------------------------------------------------------- */

static void at_most(uint32_t *v, uint32_t most) {
  if (*v > most) *v = most;
}

static repro_plan_t noise_plan(const repro_plan_t *p) {
  repro_plan_t few = *p;
  at_most(&few.pairs, p->noisy), at_most(&few.few, p->noisy);
  few.points = 3;
  at_most(&few.mosaic.apps, p->noisy), at_most(&few.mosaic.pairs, p->noisy);
  at_most(&few.mosaic.few, 1), at_most(&few.mosaic.mixes, 1);
  at_most(&few.mosaic.torn, 1), at_most(&few.mosaic.paged, 1);
  few.mosaic.ends = true;
  return few;
}

typedef struct {
  micro_t least, most;
  uint32_t count;
} spread_t;

static void spread_add(spread_t *s, const our_row_t *o) {
  micro_t v = o->has_margin ? o->margin : o->value;
  if (!o->there || (o->text[0] && !o->has_margin)) return;
  if (!s->count || v < s->least) s->least = v;
  if (!s->count || v > s->most) s->most = v;
  s->count++;
}

/* A row that the few workloads do not have takes the largest of its experiment's rows of the same
 * rule and unit. */
static void take_noise(repro_t *r, const experiment_t *x, const spread_t s[], uint32_t seeds) {
  for (uint32_t i = 0; i < repro_row_count(x); i++) {
    our_row_t *o = &r->row[i];
    bool own = s[i].count == seeds;
    o->noise = own ? s[i].most - s[i].least : 0, o->has_noise = own;
    for (uint32_t k = 0; !own && k < repro_row_count(x); k++) {
      if (s[k].count != seeds || x->rows[k].rule != x->rows[i].rule ||
          x->rows[k].unit != x->rows[i].unit)
        continue;
      o->has_noise = true;
      if (s[k].most - s[k].least > o->noise) o->noise = s[k].most - s[k].least;
    }
  }
}

static void measure_noise(repro_t *r, const experiment_t *x) {
  const repro_plan_t plan = noise_plan(r->plan);
  spread_t spread[REPRO_ROWS] = {{0}};
  repro_t *few = calloc(1, sizeof *few);
  if (!few) return; /* no noise is known then */
  for (uint32_t seed = 0; seed <= plan.seeds; seed++) {
    *few = (repro_t){.lab = r->lab, .plan = &plan, .at = r->at, .dry = r->dry, .seed = seed};
    few->swap_from = r->swap_from, few->swap_to = r->swap_to;
    lab_set_rewrite(r->lab, rewrite, few);
    x->run(few);
    for (uint32_t i = 0; i < repro_row_count(x); i++) spread_add(&spread[i], &few->row[i]);
    repro_fini(few);
  }
  free(few);
  take_noise(r, x, spread, plan.seeds + 1);
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Whether a verdict could turn by noise. */
static bool may_turn(const repro_t *r, const experiment_t *x) {
  for (uint32_t i = 0; i < repro_row_count(x); i++) {
    const paper_row_t *p = &x->rows[i];
    bool claim = p->rule == RULE_CLAIM || p->rule == RULE_ORDER;
    bool turns = p->rule == RULE_VALUE || p->rule == RULE_SHARE || p->rule == RULE_ABOVE ||
                 p->rule == RULE_BELOW || (claim && r->row[i].has_margin);
    if (turns && !p->given) return true;
  }
  return false;
}

int repro_look(repro_t *r, const experiment_t *x, err_t *e) {
  reset(r);
  lab_set_rewrite(r->lab, rewrite, r);
  x->run(r);
  if (r->plan->seeds && may_turn(r, x)) measure_noise(r, x);
  lab_set_rewrite(r->lab, NULL, NULL);
  if (!lab_error(r->lab)) return GMMU_OK;
  *e = *lab_error(r->lab);
  return e->code;
}

int repro_run(repro_t *r, const experiment_t *x, err_t *e) {
  for (;;) {
    lab_begin(r->lab);
    int rc = repro_look(r, x, e);
    if (rc == 0 && !lab_missing(r->lab)) return GMMU_OK;
    if (rc == 0) rc = lab_execute(r->lab, x->id, e);
    if (rc < 0) return rc;
  }
}

/* ---- output ---------------------------------------------------------------------------------- */

uint32_t repro_row_count(const experiment_t *x) {
  uint32_t n = 0;
  while (n < REPRO_ROWS && x->rows[n].what) n++;
  return n;
}

static void our_text(const paper_row_t *p, const our_row_t *o, char *buf, size_t size) {
  char number[RATIO_TEXT_BYTES + 1];
  if (!o->there || o->text[0]) {
    snprintf(buf, size, "%s", o->there ? o->text : "-");
    return;
  }
  format_micro(number, sizeof number, p->unit == UNIT_PERCENT ? o->value * 100 : o->value,
               p->unit == UNIT_PERCENT ? 1 : 2);
  snprintf(buf, size, "%s%s", number, p->unit == UNIT_PERCENT ? " %" : "");
}

static bool has_number(const paper_row_t *p) {
  return p->rule == RULE_VALUE || p->rule == RULE_SHARE || p->rule == RULE_RATE ||
         p->rule == RULE_REST;
}

static bool has_ratio(const paper_row_t *p, const our_row_t *o) {
  return o->there && has_number(p) && p->value;
}

static const char *own_note(const repro_t *r, const our_row_t *o) {
  return o->there || o->note[0] ? o->note : r->why[0] ? r->why : "no value";
}

static void add_note(char *buf, size_t size, const char *fmt, ...) {
  size_t used = strlen(buf);
  if (used && used + 2 < size) used += (size_t)snprintf(buf + used, size - used, "; ");
  va_list args;
  va_start(args, fmt);
  vsnprintf(buf + used, size - used, fmt, args);
  va_end(args);
}

/* The experiment's own words, what acted, how far seeds move it, and what is known of the paper's
 * number. */
#define NOTE_BYTES 400
static void note_of(const repro_t *r, const paper_row_t *p, const our_row_t *o, char *buf) {
  char number[RATIO_TEXT_BYTES + 1];
  snprintf(buf, NOTE_BYTES, "%s", own_note(r, o));
  if (p->given) add_note(buf, NOTE_BYTES, "%s", p->given);
  if (o->there && p->acted && !o->acted)
    add_note(buf, NOTE_BYTES, "the mechanism did not act: %s is 0", p->acted);
  else if (o->there && p->acted)
    add_note(buf, NOTE_BYTES, "%s %" PRIu64, p->acted, o->acted);
  if (p->source == PAPER_REPORTED) add_note(buf, NOTE_BYTES, "the number is others' report of it");
  if (p->source == PAPER_UNPRINTED) add_note(buf, NOTE_BYTES, "the paper prints no number");
  micro_t far;
  if (!o->there || !o->has_noise || !o->noise || !distance(p, o, &far)) return;
  bool percent = p->unit == UNIT_PERCENT || o->has_margin;
  format_micro(number, sizeof number, percent ? o->noise * 100 : o->noise, 2);
  add_note(buf, NOTE_BYTES, "noise %s%s", number, percent ? " %" : "");
}

static verdict_t verdict_of(const repro_t *r, const paper_row_t *p, const our_row_t *o) {
  verdict_t v = repro_judge(p, o);
  return r->plan->quick && v != VERDICT_ABSENT && v != VERDICT_NONE ? VERDICT_QUICK : v;
}

verdict_t repro_verdict(const repro_t *r, const experiment_t *x, uint32_t row) {
  return verdict_of(r, &x->rows[row], &r->row[row]);
}

static void print_row(table_t *t, const repro_t *r, const paper_row_t *p, const our_row_t *o) {
  char text[160], note[NOTE_BYTES];
  our_text(p, o, text, sizeof text);
  table_cell(t, p->what);
  table_cell(t, p->paper);
  table_cell(t, text);
  if (has_ratio(p, o))
    repro_cell(t, micro_div(o->value, p->value), 2);
  else
    table_cell(t, "-");
  table_cell(t, verdict_text(verdict_of(r, p, o)));
  note_of(r, p, o, note);
  table_cell(t, note);
}

static void print_rows(const repro_t *r, const experiment_t *x, table_style_t style,
                       strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "what", TABLE_LEFT);
  table_column(&t, "paper", TABLE_RIGHT);
  table_column(&t, "here", TABLE_RIGHT);
  table_column(&t, "ratio", TABLE_RIGHT);
  table_column(&t, "verdict", TABLE_LEFT);
  table_column(&t, "note", TABLE_LEFT);
  for (uint32_t i = 0; i < repro_row_count(x); i++) print_row(&t, r, &x->rows[i], &r->row[i]);
  table_render(&t, style, out);
  table_fini(&t);
}

/* Two columns for each point. */
static void print_side_by_side(const repro_t *const r[], uint32_t points, const experiment_t *x,
                               table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "what", TABLE_LEFT);
  table_column(&t, "paper", TABLE_RIGHT);
  for (uint32_t k = 0; k < points; k++) {
    table_column(&t, point_of(r[k])->name, TABLE_RIGHT);
    table_column(&t, "verdict", TABLE_LEFT);
  }
  for (uint32_t i = 0; i < repro_row_count(x); i++) {
    table_cell(&t, x->rows[i].what);
    table_cell(&t, x->rows[i].paper);
    for (uint32_t k = 0; k < points; k++) {
      char text[160];
      our_text(&x->rows[i], &r[k]->row[i], text, sizeof text);
      table_cell(&t, text);
      table_cell(&t, verdict_text(verdict_of(r[k], &x->rows[i], &r[k]->row[i])));
    }
  }
  table_render(&t, style, out);
  table_fini(&t);
}

void repro_print(const repro_t *const r[], uint32_t points, const experiment_t *x,
                 table_style_t style, strbuf_t *out) {
  const char *head = style == TABLE_MARKDOWN ? "## " : "";
  bool quick = r[0]->plan->quick, named = points > 1 || point_of(r[0]) != &repro_points[0];
  strbuf_printf(out, "%s%s%s: %s\n\n", head, quick ? "QUICK " : "", x->id, x->title);
  if (quick)
    strbuf_str(out, "QUICK: few pairs and tiny inputs show that it works. Its numbers mean nothing "
                    "beside the paper's, and no row is judged.\n\n");
  if (named)
    print_side_by_side(r, points, x, style, out);
  else
    print_rows(r[0], x, style, out);
  for (uint32_t k = 0; k < points; k++)
    for (uint32_t i = 0; i < r[k]->tables; i++) {
      strbuf_printf(out, "\n%s%s%s\n\n", named ? point_of(r[k])->name : "", named ? ": " : "",
                    r[k]->table[i].title);
      table_render(&r[k]->table[i].t, style, out);
    }
}

static void micro_json(json_t *j, const char *key, bool there, micro_t v) {
  json_key(j, key);
  if (there)
    json_i64(j, v);
  else
    json_null(j);
}

static void acted_json(const paper_row_t *p, const our_row_t *o, json_t *j) {
  json_key(j, "acted");
  if (!p->acted) {
    json_null(j);
    return;
  }
  json_begin_object(j);
  json_key(j, "counter"), json_str(j, p->acted);
  json_key(j, "count"), json_u64(j, o->acted);
  json_end_object(j);
}

static void row_json(const repro_t *r, const paper_row_t *p, const our_row_t *o, json_t *j) {
  static const char *const source[] = {"prints", "reported", "unprinted"};
  char text[160], note[NOTE_BYTES];
  our_text(p, o, text, sizeof text);
  bool number = p->rule != RULE_CLAIM && p->rule != RULE_ORDER;
  json_begin_object(j);
  json_key(j, "what"), json_str(j, p->what);
  json_key(j, "paper"), json_str(j, p->paper);
  json_key(j, "here"), json_str(j, text);
  json_key(j, "unit"), json_str(j, p->unit == UNIT_PERCENT ? "percent" : "number");
  micro_json(j, "paper_millionths", has_number(p), p->value);
  micro_json(j, "here_millionths", o->there && number && !o->text[0], o->value);
  micro_json(j, "ratio_millionths", has_ratio(p, o), p->value ? micro_div(o->value, p->value) : 0);
  micro_json(j, "noise_millionths", o->has_noise, o->noise);
  acted_json(p, o, j);
  json_key(j, "paper_number"), json_str(j, source[p->source]);
  json_key(j, "verdict"), json_str(j, verdict_text(verdict_of(r, p, o)));
  note_of(r, p, o, note);
  json_key(j, "note"), json_str(j, note);
  json_end_object(j);
}

/* A table's cells lie behind each other, its headers first and counted too. */
static void table_json(const char *title, const table_t *t, json_t *j) {
  const char *header[TABLE_MAX_COLUMNS], *cell = strbuf_text(&t->cells);
  uint32_t last = t->count - 1;
  for (uint32_t c = 0; c < t->columns; c++, cell += strlen(cell) + 1) header[c] = cell;
  json_begin_object(j);
  json_key(j, "title"), json_str(j, title);
  json_key(j, "rows");
  json_begin_array(j);
  for (uint32_t i = t->columns; i <= last && !t->cells.failed; i++, cell += strlen(cell) + 1) {
    if (i % t->columns == 0) json_begin_object(j);
    json_key(j, header[i % t->columns]), json_str(j, cell);
    if (i % t->columns + 1 == t->columns || i == last) json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

void repro_json(const repro_t *r, const experiment_t *x, json_t *j) {
  json_begin_object(j);
  json_key(j, "id"), json_str(j, x->id);
  json_key(j, "title"), json_str(j, x->title);
  json_key(j, "plan"), json_str(j, r->plan->name);
  json_key(j, "at"), json_str(j, point_of(r)->name);
  json_key(j, "searched"), json_bool(j, x->searched);
  json_key(j, "rows");
  json_begin_array(j);
  for (uint32_t i = 0; i < repro_row_count(x); i++) row_json(r, &x->rows[i], &r->row[i], j);
  json_end_array(j);
  json_key(j, "tables");
  json_begin_array(j);
  for (uint32_t i = 0; i < r->tables; i++) table_json(r->table[i].title, &r->table[i].t, j);
  json_end_array(j);
  json_end_object(j);
}
