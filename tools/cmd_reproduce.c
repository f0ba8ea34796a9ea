/* gmmu reproduce: the papers' numbers beside ours.
 *
 * What was asked for is a list of experiments; they run one after the other on one laboratory, so
 * that what two of them need is run once. What is finished is printed even if a later one fails. */
#include "base/file.h"
#include "base/json.h"
#include "base/opt.h"
#include "base/stop.h"
#include "cli.h"
#include "damage.h"
#include "lab/page.h"
#include "lab/ranks.h"
#include "lab/slurm.h"
#include "repro/repro.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_CHOSEN 128

enum {
  ARG_QUICK = CLI_LONG_ONLY,
  ARG_FULL,
  ARG_PAIRS,
  ARG_STORE,
  ARG_DRY_RUN,
  ARG_RETRY,
  ARG_JSON,
  ARG_REPORT,
  ARG_AT,
  ARG_SWAP,
  ARG_MPI,
  ARG_SLURM,
};

static const cli_option_t options[] = {
    {ARG_QUICK, "quick", NULL, "few pairs, tiny inputs: whether it works, in two minutes"},
    {ARG_FULL, "full", NULL, "35 pairs and every division of the SMs: a day"},
    {ARG_PAIRS, "pairs", "N", "only the first N pairs of applications"},
    {ARG_AT, "at", "POINTS", "MASK's and Mosaic's GPU as table (usual), release, measured; or all"},
    {ARG_SWAP, "swap", "A=B", "runs of design A are runs of B: what agreed must stop to"},
    {ARG_DRY_RUN, "dry-run", NULL, "run nothing: what is missing, and what it would take"},
    {ARG_RETRY, "retry", NULL, "runs that failed before are run again"},
    {ARG_STORE, "store", "FILE", "the results store (~/.local/share/gmmu/results.db)"},
    {'j', "jobs", "N", "runs at once (one per processor)"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {ARG_REPORT, "report", "FILE", "write all of it to FILE as one HTML page with charts, too"},
    {'o', "output", "DIR", "write each experiment to DIR as JSON and as a table in Markdown, too"},
    {ARG_MPI, "mpi", NULL, "ranks of mpirun run what is missing (found by itself)"},
    {ARG_SLURM, "slurm", NULL, "tasks of a Slurm job array run it; -j is each task's processors"},
    {0},
};

/* Plans; what they cost is in docs/reproduce.md. */
static const repro_plan_t quick = {.name = "quick",
                                   .quick = true,
                                   .size = "tiny",
                                   .seed = 1,
                                   .min_cycles = 20000,
                                   .set = "run.epoch=2000", /* else there would be none */
                                   .pairs = 3,
                                   .few = 2,
                                   .parts = 3,
                                   .points = 3,
                                   .seeds = 1,
                                   .noisy = 1,
                                   .mosaic = {.size = "tiny",
                                              .cycles = 10000,
                                              .apps = 3,
                                              .few = 2,
                                              .pairs = 2,
                                              .mixes = 1,
                                              .torn = 1,
                                              .paged = 1,
                                              .ends = true},
                                   .tlb = {.sampled = 106496,
                                           .inserted = 32768,
                                           .boards = 2,
                                           .ends = true}},
                          usual = {.name = "usual",
                                   .size = "standard",
                                   .seed = 1,
                                   .min_cycles = 400000,
                                   .pairs = 3,
                                   .few = 2,
                                   .parts = 4,
                                   .points = 3,
                                   .seeds = 1,
                                   .noisy = 1,
                                   .mosaic = {.size = "large",
                                              .cycles = 200000,
                                              .apps = 3,
                                              .few = 2,
                                              .pairs = 3,
                                              .mixes = 1,
                                              .torn = 1,
                                              .paged = 1,
                                              .ends = true},
                                   .tlb = {.sampled = 1 << 20, .inserted = 1 << 18, .boards = 11}},
                          full = {.name = "full",
                                  .size = "standard",
                                  .seed = 1,
                                  .min_cycles = 2000000,
                                  .pairs = 35,
                                  .few = 35,
                                  .parts = 0,
                                  .seeds = 4,
                                  .noisy = 6,
                                  .mosaic = {.size = "large",
                                             .cycles = 2000000,
                                             .apps = 27,
                                             .few = 25,
                                             .pairs = 25,
                                             .mixes = 25,
                                             .torn = 25,
                                             .paged = 12},
                                  .tlb = {.sampled = 1 << 23, .inserted = 1 << 21, .boards = 11}};

const experiment_t *const repro_papers[] = {
    repro_mask,        repro_mask_claims, repro_mask_more,     repro_mosaic,
    repro_mosaic_more, repro_mosaic_mm,   repro_mosaic_paging, repro_neidty,
    repro_fgpu,        repro_fgpu_probe,  repro_tlb,           repro_atlas,
    repro_plane,       repro_newer_reach, repro_newer_walks,   NULL};

typedef struct {
  const experiment_t *chosen[MAX_CHOSEN];
  uint32_t count;
  repro_plan_t plan;
  uint32_t at; /* operating points, a bit each */
  uint64_t parallel;
  const char *store, *output, *report;
  char swap_from[64], swap_to[64]; /* --swap; empty: none */
  bool list, scorecard, dry_run, retry, json, use_mpi, use_slurm;
  slurm_options_t slurm;
  ranks_t *ranks; /* NULL: without */
  lab_t *lab;
  strbuf_t command; /* as typed */
} args_t;

/* ---- arguments ------------------------------------------------------------------------------- */

static void choose(args_t *a, const experiment_t *x) {
  for (uint32_t i = 0; i < a->count; i++)
    if (a->chosen[i] == x) return;
  if (a->count < MAX_CHOSEN) a->chosen[a->count++] = x;
}

/* "all", "mask" or "mask/fig11". */
static bool matches(const experiment_t *x, const char *name) {
  size_t size = strlen(name);
  return strcmp(name, "all") == 0 || strcmp(x->id, name) == 0 ||
         (strncmp(x->id, name, size) == 0 && x->id[size] == '/');
}

static const char *id_at(void *ctx, uint32_t i) {
  (void)ctx;
  for (const experiment_t *const *p = repro_papers; *p; p++)
    for (const experiment_t *x = *p; x->id; x++)
      if (i-- == 0) return x->id;
  return NULL;
}

static int take_name(args_t *a, const cli_t *c) {
  uint32_t before = a->count;
  bool found = false;
  if (strcmp(c->value, "list") == 0 || strcmp(c->value, "scorecard") == 0) {
    *(c->value[0] == 'l' ? &a->list : &a->scorecard) = true;
    return CLI_DONE;
  }
  for (const experiment_t *const *p = repro_papers; *p; p++)
    for (const experiment_t *x = *p; x->id; x++)
      if (matches(x, c->value)) found = true, choose(a, x);
  if (found || a->count > before) return CLI_DONE;
  const char *near = opt_nearest(c->value, id_at, NULL);
  return cli_usage(c, "there is no experiment \"%s\"%s%s%s; `gmmu reproduce list` names them",
                   c->value, near ? "; nearest: \"" : "", near ? near : "", near ? "\"" : "");
}

static void at_most(uint32_t *v, uint64_t most) {
  if (*v > most) *v = (uint32_t)most;
}

static void set_pairs(args_t *a, uint64_t pairs) {
  if (!pairs) return;
  a->plan.pairs = (uint32_t)pairs;
  at_most(&a->plan.few, pairs);
  at_most(&a->plan.mosaic.apps, pairs), at_most(&a->plan.mosaic.few, pairs);
  at_most(&a->plan.mosaic.pairs, pairs), at_most(&a->plan.mosaic.mixes, pairs);
  at_most(&a->plan.mosaic.torn, pairs), at_most(&a->plan.mosaic.paged, pairs);
}

/* "release,measured", or "all". */
static int take_points(args_t *a, const cli_t *c) {
  a->at = 0;
  for (const char *name = c->value; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
    size_t size = strcspn(name, ",");
    uint32_t found = size == 3 && memcmp(name, "all", 3) == 0 ? (1u << REPRO_POINTS) - 1 : 0;
    for (uint32_t i = 0; i < REPRO_POINTS; i++)
      if (strlen(repro_points[i].name) == size && memcmp(repro_points[i].name, name, size) == 0)
        found = 1u << i;
    if (!found)
      return cli_usage(c, "--at: \"%.*s\" is none of table, release, measured and all", (int)size,
                       name);
    a->at |= found;
  }
  return CLI_DONE;
}

/* "mask=sharedtlb" */
static int take_swap(args_t *a, const cli_t *c) {
  const char *sign = strchr(c->value, '=');
  size_t from = sign ? (size_t)(sign - c->value) : 0, to = sign ? strlen(sign + 1) : 0;
  if (!from || !to || from >= sizeof a->swap_from || to >= sizeof a->swap_to)
    return cli_usage(c, "--swap: \"%s\" is not two designs, as in mask=sharedtlb", c->value);
  snprintf(a->swap_from, sizeof a->swap_from, "%.*s", (int)from, c->value);
  snprintf(a->swap_to, sizeof a->swap_to, "%s", sign + 1);
  return CLI_DONE;
}

/* Whether an experiment is run at point i: those of other papers have one. */
static bool run_at(const args_t *a, const experiment_t *x, uint32_t i) {
  return repro_has_points(x) ? a->at >> i & 1 : i == 0;
}

static int check_args(const args_t *a, const cli_t *c) {
  if (a->scorecard && (a->count || a->list || a->output || a->report))
    return cli_usage(c, "`scorecard` counts what is in the store: it takes a plan, --swap, --store "
                        "and --json");
  if (a->use_slurm && a->use_mpi) return cli_usage(c, "--mpi or --slurm, not both");
  if (!a->count && !a->list && !a->scorecard)
    return cli_usage(c, "what? `gmmu reproduce list` names the experiments");
  if (a->list && a->count)
    return cli_usage(c, "`list` tells of all experiments; `--dry-run %s` tells of that one",
                     a->chosen[0]->id);
  if ((a->output || a->report) && (a->list || a->dry_run))
    return cli_usage(c, "%s is for results: %s has none", a->output ? "-o" : "--report",
                     a->list ? "`list`" : "--dry-run");
  return CLI_DONE;
}

static int parse(args_t *a, cli_t *c) {
  uint64_t pairs = 0;
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END) {
    bool ok = true;
    switch (id) {
    case CLI_BAD: return CLI_USAGE;
    case CLI_ARGUMENT: status = take_name(a, c); break;
    case ARG_QUICK: a->plan = quick; break;
    case ARG_FULL: a->plan = full; break;
    case ARG_PAIRS: ok = cli_number(c, "pairs", 1, 35, &pairs); break;
    case ARG_AT: status = take_points(a, c); break;
    case ARG_SWAP: status = take_swap(a, c); break;
    case ARG_MPI: a->use_mpi = true; break;
    case ARG_SLURM: a->use_slurm = true; break;
    case ARG_DRY_RUN: a->dry_run = true; break;
    case ARG_RETRY: a->retry = true; break;
    case ARG_STORE: a->store = c->value; break;
    case 'j': ok = cli_number(c, "jobs", 1, 64, &a->parallel); break;
    case ARG_JSON: a->json = true; break;
    case ARG_REPORT: a->report = c->value, ok = cli_file(c, "report"); break;
    case 'o': a->output = c->value, ok = cli_file(c, "output"); break;
    }
    if (!ok) return CLI_USAGE;
  }
  set_pairs(a, pairs);
  return status == CLI_DONE ? check_args(a, c) : status;
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* An experiment at point i, not looked at yet. */
static repro_t *new_repro(const args_t *a, uint32_t i, err_t *e) {
  repro_t *r = calloc(1, sizeof *r);
  if (!r) {
    err_set(e, GMMU_ENOMEM, "out of memory");
    return NULL;
  }
  r->lab = a->lab, r->plan = &a->plan, r->at = &repro_points[i];
  if (a->swap_from[0]) r->swap_from = a->swap_from, r->swap_to = a->swap_to;
  return r;
}

/* One pass over the experiment with nothing executed: runs found and missing so far. More may turn
 * out to be needed when those are there (the oracle's choice is one). */
static int look(args_t *a, const experiment_t *x, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < REPRO_POINTS && rc == 0; i++) {
    if (!run_at(a, x, i)) continue;
    repro_t *r = new_repro(a, i, e);
    if (!r) return e->code;
    r->dry = true;
    rc = repro_look(r, x, e);
    repro_fini(r);
    free(r);
  }
  return rc;
}

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

/* What every document begins with. */
static void head_json(const args_t *a, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "plan");
  json_begin_object(j);
  json_key(j, "name"), json_str(j, a->plan.name);
  json_key(j, "quick"), json_bool(j, a->plan.quick);
  json_key(j, "size"), json_str(j, a->plan.size);
  number(j, "pairs", a->plan.pairs);
  json_end_object(j);
  json_key(j, "experiments");
  json_begin_array(j);
}

static void name_json(const experiment_t *x, json_t *j) {
  json_key(j, "id"), json_str(j, x->id);
  json_key(j, "title"), json_str(j, x->title);
}

static int list_json(args_t *a, json_t *j, err_t *e) {
  int rc = GMMU_OK;
  head_json(a, j);
  for (const experiment_t *const *p = repro_papers; *p; p++)
    for (const experiment_t *x = *p; x->id && rc == 0; x++) {
      lab_begin(a->lab);
      rc = look(a, x, e);
      json_begin_object(j);
      name_json(x, j);
      number(j, "rows", repro_row_count(x));
      number(j, "finished", lab_found(a->lab));
      number(j, "missing", lab_missing(a->lab));
      json_end_object(j);
    }
  json_end_array(j);
  json_end_object(j);
  return rc;
}

static int list(args_t *a, strbuf_t *out, err_t *e) {
  table_t t;
  table_init(&t);
  table_column(&t, "experiment", TABLE_LEFT);
  table_column(&t, "what", TABLE_LEFT);
  table_column(&t, "finished", TABLE_RIGHT);
  table_column(&t, "missing", TABLE_RIGHT);
  int rc = GMMU_OK;
  for (const experiment_t *const *p = repro_papers; *p; p++)
    for (const experiment_t *x = *p; x->id && rc == 0; x++) {
      lab_begin(a->lab);
      rc = look(a, x, e);
      table_cell(&t, x->id);
      table_cell(&t, x->title);
      table_printf(&t, "%u", lab_found(a->lab));
      table_printf(&t, "%u", lab_missing(a->lab));
    }
  table_render(&t, TABLE_TEXT, out);
  strbuf_printf(out,
                "\nRuns under the plan `%s` (%u pairs, size %s), in the results store and not; "
                "where runs are missing,\nwhat they decide may need further ones.\n",
                a->plan.name, a->plan.pairs, a->plan.size);
  table_fini(&t);
  return rc;
}

static int look_ahead(args_t *a, lab_outlook_t *o, err_t *e) {
  int rc = GMMU_OK;
  lab_begin(a->lab);
  for (uint32_t i = 0; i < a->count && rc == 0; i++) rc = look(a, a->chosen[i], e);
  if (rc == 0) rc = lab_estimate(a->lab, e);
  *o = lab_outlook(a->lab);
  return rc;
}

static int dry_run(args_t *a, strbuf_t *out, err_t *e) {
  lab_outlook_t o;
  int rc = look_ahead(a, &o, e);
  strbuf_printf(out, "%u runs are finished, %u are missing now.\n", o.finished, o.missing);
  lab_outlook_text(&o, out);
  return rc;
}

static int dry_run_json(args_t *a, json_t *j, err_t *e) {
  lab_outlook_t o;
  int rc = look_ahead(a, &o, e);
  head_json(a, j);
  for (uint32_t i = 0; i < a->count; i++) {
    json_begin_object(j);
    name_json(a->chosen[i], j);
    json_end_object(j);
  }
  json_end_array(j);
  number(j, "finished", o.finished);
  number(j, "missing", o.missing);
  lab_outlook_json(&o, j);
  json_end_object(j);
  return rc;
}

/* ---- the scorecard --------------------------------------------------------------------------- */

/* Verdicts of a paper at an operating point; experiments with searched workloads are apart. */
typedef struct {
  char paper[32];
  uint32_t point, complete, experiments, rows[VERDICTS];
  bool searched;
} score_t;
#define MAX_SCORES 128

static score_t *score_of(score_t *s, uint32_t *count, const experiment_t *x, uint32_t point) {
  int size = (int)strcspn(x->id, "/");
  for (uint32_t i = 0; i < *count; i++)
    if (strncmp(s[i].paper, x->id, (size_t)size) == 0 && !s[i].paper[size] && s[i].point == point &&
        s[i].searched == x->searched)
      return &s[i];
  if (*count == MAX_SCORES) return NULL;
  s[*count] = (score_t){.point = point, .searched = x->searched};
  snprintf(s[*count].paper, sizeof s->paper, "%.*s", size, x->id);
  return &s[(*count)++];
}

/* Rows count only where every run of the experiment is in the store. */
static int score_one(args_t *a, const experiment_t *x, uint32_t point, score_t *s, err_t *e) {
  repro_t *r = new_repro(a, point, e);
  if (!r) return e->code;
  lab_begin(a->lab);
  int rc = repro_look(r, x, e);
  bool complete = rc == 0 && !lab_missing(a->lab);
  s->experiments++, s->complete += complete;
  for (uint32_t i = 0; complete && i < repro_row_count(x); i++) s->rows[repro_verdict(r, x, i)]++;
  repro_fini(r);
  free(r);
  lab_forget(a->lab);
  return rc;
}

static int all_scores(args_t *a, score_t s[MAX_SCORES], uint32_t *count, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < REPRO_POINTS; i++)
    for (const experiment_t *const *p = repro_papers; *p; p++)
      for (const experiment_t *x = *p; x->id && rc == 0; x++) {
        score_t *one = i == 0 || repro_has_points(x) ? score_of(s, count, x, i) : NULL;
        if (one) rc = score_one(a, x, i, one, e);
      }
  return rc;
}

static uint32_t agreeing(const score_t *s) {
  return s->rows[VERDICT_SIZE] + s->rows[VERDICT_ORDER] + s->rows[VERDICT_DIRECTION];
}
static uint32_t judged(const score_t *s) {
  return agreeing(s) + s->rows[VERDICT_DISAGREES] + s->rows[VERDICT_NOISE];
}

static const verdict_t score_order[] = {VERDICT_SIZE,      VERDICT_ORDER, VERDICT_DIRECTION,
                                        VERDICT_DISAGREES, VERDICT_NOISE, VERDICT_ABSENT,
                                        VERDICT_NONE,      VERDICT_QUICK};
#define SCORE_COLUMNS (sizeof score_order / sizeof *score_order)

static void scores_table(const score_t s[], uint32_t count, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "paper", TABLE_LEFT), table_column(&t, "at", TABLE_LEFT);
  table_column(&t, "workloads", TABLE_LEFT), table_column(&t, "experiments", TABLE_RIGHT);
  table_column(&t, "agree", TABLE_RIGHT);
  for (uint32_t k = 0; k < SCORE_COLUMNS; k++)
    table_column(&t, verdict_text(score_order[k]), TABLE_RIGHT);
  for (uint32_t i = 0; i < count; i++) {
    table_cell(&t, s[i].paper), table_cell(&t, repro_points[s[i].point].name);
    table_cell(&t, s[i].searched ? "searched" : "the plan's");
    table_printf(&t, "%u of %u", s[i].complete, s[i].experiments);
    table_printf(&t, "%u of %u", agreeing(&s[i]), judged(&s[i]));
    for (uint32_t k = 0; k < SCORE_COLUMNS; k++) table_u64(&t, s[i].rows[score_order[k]]);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void scores_json(const args_t *a, const score_t s[], uint32_t count, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "plan"), json_str(j, a->plan.name);
  json_key(j, "papers");
  json_begin_array(j);
  for (uint32_t i = 0; i < count; i++) {
    json_begin_object(j);
    json_key(j, "paper"), json_str(j, s[i].paper);
    json_key(j, "at"), json_str(j, repro_points[s[i].point].name);
    json_key(j, "searched"), json_bool(j, s[i].searched);
    number(j, "experiments", s[i].experiments), number(j, "complete", s[i].complete);
    number(j, "agree", agreeing(&s[i])), number(j, "judged", judged(&s[i]));
    json_key(j, "verdicts");
    json_begin_object(j);
    for (uint32_t k = 0; k < SCORE_COLUMNS; k++)
      number(j, verdict_text(score_order[k]), s[i].rows[score_order[k]]);
    json_end_object(j);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

static int scorecard(args_t *a, json_t *j, err_t *e) {
  score_t s[MAX_SCORES];
  uint32_t count = 0;
  int rc = all_scores(a, s, &count, e);
  if (rc < 0) return rc;
  if (a->json)
    scores_json(a, s, count, j);
  else
    scores_table(s, count, &j->out);
  return GMMU_OK;
}

/* ---- experiments ----------------------------------------------------------------------------- */

/* An experiment at its operating points; [0] to [points - 1] are there. */
typedef struct {
  repro_t *at[REPRO_POINTS];
  uint32_t points;
} results_t;

/* "mask/fig11" becomes DIR/mask-fig11.md and .json, and at other points mask-fig11-release.json. */
static int write_one(const args_t *a, const experiment_t *x, const char *suffix, const char *ending,
                     const strbuf_t *s, err_t *e) {
  char path[PATH_MAX], name[64];
  snprintf(name, sizeof name, "%s", x->id);
  for (char *p = name; *p; p++)
    if (*p == '/') *p = '-';
  snprintf(path, sizeof path, "%.*s/%s%s.%s", PATH_MAX - 80, a->output, name, suffix, ending);
  if (s->failed) return err_set(e, GMMU_ENOMEM, "out of memory for the output");
  return file_write(path, strbuf_text(s), s->size, e);
}

static void print(const results_t *r, const experiment_t *x, table_style_t style, strbuf_t *out) {
  repro_print((const repro_t *const *)r->at, r->points, x, style, out);
}

static int write_files(const args_t *a, const results_t *r, const experiment_t *x, err_t *e) {
  strbuf_t text;
  if (mkdir(a->output, 0777) < 0 && errno != EEXIST)
    return err_set(e, GMMU_EIO, "%s: %s", a->output, strerror(errno));
  strbuf_init(&text);
  print(r, x, TABLE_MARKDOWN, &text);
  int rc = write_one(a, x, "", "md", &text, e);
  for (uint32_t i = 0; i < r->points && rc == 0; i++) {
    json_t j;
    json_init(&j);
    repro_json(r->at[i], x, &j);
    rc = write_one(a, x, r->at[i]->at->suffix, "json", &j.out, e);
    json_fini(&j);
  }
  if (x->page && rc == 0) {
    strbuf_clear(&text);
    x->page(r->at[0], &text);
    if (text.size) rc = write_one(a, x, "", "html", &text, e);
  }
  strbuf_fini(&text);
  return rc;
}

static int run_points(args_t *a, const experiment_t *x, results_t *r, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < REPRO_POINTS && rc == 0; i++) {
    if (!run_at(a, x, i)) continue;
    repro_t *one = r->at[r->points] = new_repro(a, i, e);
    if (!one) return e->code;
    r->points++;
    rc = repro_run(one, x, e);
  }
  return rc;
}

/* Text is printed as soon as an experiment is complete, JSON at the end as one document. */
static int run_one(args_t *a, const experiment_t *x, json_t *doc, err_t *e) {
  strbuf_t text;
  results_t r = {0};
  strbuf_init(&text);
  cli_screen(&text, NULL);
  int rc = run_points(a, x, &r, e);
  for (uint32_t i = 0; i < r.points && rc == 0 && (a->json || a->report); i++)
    repro_json(r.at[i], x, doc);
  if (rc == 0 && !a->json) {
    print(&r, x, TABLE_TEXT, &text);
    strbuf_str(&text, "\n");
    if (cli_output(NULL, &text) != CLI_DONE) rc = err_set(e, GMMU_EIO, "the output was cut off");
  }
  if (rc == 0 && a->output) rc = write_files(a, &r, x, e);
  strbuf_fini(&text);
  for (uint32_t i = 0; i < r.points; i++) repro_fini(r.at[i]), free(r.at[i]);
  return rc;
}

/* What is finished, as a page. */
static int write_page(const args_t *a, const json_t *doc) {
  strbuf_t page;
  err_t e = {0};
  strbuf_init(&page);
  int rc = page_make(strbuf_text(&doc->out), doc->out.size, &page, &e);
  if (rc == 0) rc = file_write(a->report, strbuf_text(&page), page.size, &e);
  strbuf_fini(&page);
  return rc < 0 ? cli_fail(&e) : CLI_DONE;
}

static int run_chosen(args_t *a) {
  json_t doc;
  err_t e = {0};
  int rc = GMMU_OK;
  json_init(&doc);
  head_json(a, &doc);
  stop_listen();
  if (a->ranks) ranks_serve(a->ranks, a->lab);
  if (a->use_slurm) a->slurm.processors = (uint32_t)a->parallel, slurm_serve(&a->slurm, a->lab);
  rc = slurm_collect(a->lab, a->use_slurm, &e);
  for (uint32_t i = 0; i < a->count && rc == 0; i++) rc = run_one(a, a->chosen[i], &doc, &e);
  json_end_array(&doc);
  json_key(&doc, "title"), json_str(&doc, "The papers and gmmu");
  json_key(&doc, "command"), json_str(&doc, strbuf_text(&a->command));
  json_key(&doc, "partial"), json_bool(&doc, rc < 0);
  json_end_object(&doc);
  int status = a->json ? cli_output(NULL, &doc.out) : CLI_DONE;
  if (a->report && status == CLI_DONE) status = write_page(a, &doc);
  json_fini(&doc);
  if (rc == 0) return status;
  cli_fail(&e);
  return rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
}

static int look_only(args_t *a) {
  json_t j;
  err_t e = {0};
  json_init(&j);
  if (!a->json) cli_screen(&j.out, NULL);
  int rc = a->scorecard ? scorecard(a, &j, &e)
           : a->json    ? (a->list ? list_json : dry_run_json)(a, &j, &e)
           : a->list    ? list(a, &j.out, &e)
                        : dry_run(a, &j.out, &e);
  int status = rc < 0 ? cli_fail(&e) : cli_output(NULL, &j.out);
  json_fini(&j);
  return status;
}

static int run_here(args_t *a) {
  err_t e = {0};
  bool reads = a->list || a->scorecard || a->dry_run;
  store_mode_t mode = reads ? STORE_READ : STORE_WRITE;
  if (lab_open(a->store, mode, (uint32_t)a->parallel, &a->lab, &e) < 0) return cli_fail(&e);
  if (a->retry) lab_set_retry(a->lab, LAB_RETRY_ALL);
  int status = reads ? look_only(a) : run_chosen(a);
  damage_warn(lab_store(a->lab), lab_store_path(a->lab), reads ? DAMAGE_MISSING : DAMAGE_AGAIN);
  return status;
}

/* Every rank comes here; all but the first do what they are told. */
static int run_ranks(args_t *a) {
  err_t e = {0};
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (ranks_open(&a->ranks, &e) < 0)
    return rank && strcmp(rank, "0") ? CLI_FAILED : cli_fail(&e); /* once is enough */
  if (ranks_own(a->ranks) == 0) return run_here(a);
  stop_listen();
  int rc = ranks_work(a->ranks, &e);
  return rc == 0 ? CLI_DONE : rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : cli_fail(&e);
}

static int run(cli_t *c) {
  args_t *a = calloc(1, sizeof *a);
  if (!a) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  a->plan = usual;
  a->at = 1;
  strbuf_init(&a->command);
  cli_command(c, &a->command);
  int status = parse(a, c);
  if (status == CLI_DONE) status = a->use_mpi || ranks_is_there() ? run_ranks(a) : run_here(a);
  lab_close(a->lab);
  ranks_close(a->ranks, status);
  strbuf_fini(&a->command);
  free(a);
  return status;
}

const subcommand_t cmd_reproduce = {
    .name = "reproduce",
    .summary = "the papers' experiments: their numbers beside ours",
    .usage = "[OPTION]... list | scorecard | all | PAPER | EXPERIMENT...",
    .details =
        "PAPER is mask, mosaic, neidty, fgpu, tlb, atlas, star, colt, depot, dws, simt, nha,\n"
        "marching, latpc, softwalker, avatar, virtual-l1, uvm, scratchpad or fs-hpt; EXPERIMENT\n"
        "one of `gmmu reproduce list`, as mask/fig11.\n"
        "What was run before is taken from the results store; Ctrl-C keeps what is\n"
        "finished, and the same command goes on from there. At several operating points MASK's "
        "and\n"
        "Mosaic's numbers stand side by side (docs/reproduce.md). `scorecard` counts the verdicts\n"
        "of what is in the store, per paper and operating point.\n"
        "\n"
        "  gmmu reproduce list\n"
        "  gmmu reproduce --quick mask/fig3\n"
        "  gmmu reproduce --dry-run mask\n"
        "  gmmu reproduce mask -o results\n"
        "  gmmu reproduce --at all mask/fig11\n"
        "  gmmu reproduce scorecard\n"
        "  gmmu reproduce all --report papers.html\n",
    .options = options,
    .run = run,
};
