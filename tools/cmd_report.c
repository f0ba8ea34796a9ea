/* gmmu report: a results store as one HTML page. */
#include "base/json.h"
#include "cli.h"
#include "damage.h"
#include "gpu/stats.h"
#include "lab/page.h"
#include "models.h"
#include "observe/measures.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_DATA_BYTES (256u << 20) /* more than a browser is glad of */

enum { ARG_TITLE = CLI_LONG_ONLY, ARG_GPU, ARG_DESIGN, ARG_APP, ARG_MODEL };

static const cli_option_t options[] = {
    {ARG_TITLE, "title", "TEXT", "heading of the page (the store's name)"},
    {ARG_GPU, "gpu", "NAME", "only runs on this GPU"},
    {ARG_DESIGN, "design", "NAME", "only runs under these designs, with commas between"},
    {ARG_APP, "app", "TEXT", "only runs with an application whose text contains it"},
    {ARG_MODEL, "model", "VERSION",
     "only runs of this version of the model (all; the page shows the newest)"},
    {'o', "output", "FILE", "the page (report.html); - is the standard output"},
    {0},
};

typedef struct {
  const char *store, *output, *title;
  const char *gpu, *design, *app; /* empty: any */
  const char *model;              /* NULL: all */
  strbuf_t command;
} report_args_t;

static int parse(report_args_t *a, cli_t *c) {
  int id;
  while ((id = cli_next(c)) != CLI_END) switch (id) {
    case CLI_BAD: return CLI_USAGE;
    case ARG_TITLE: a->title = c->value; break;
    case ARG_GPU: a->gpu = c->value; break;
    case ARG_DESIGN: a->design = c->value; break;
    case ARG_APP: a->app = c->value; break;
    case ARG_MODEL: a->model = c->value; break;
    case 'o': a->output = c->value; break;
    case CLI_ARGUMENT:
      if (a->store) return cli_usage(c, "one store, not \"%s\" and \"%s\"", a->store, c->value);
      a->store = c->value;
      break;
    }
  return a->store ? CLI_DONE : cli_usage(c, "which store? `gmmu sweep` fills one");
}

/* ---- the document ---------------------------------------------------------------------------- */

/* A run as the page has it; an identity names only the options that differ from their defaults, ?4.
 * Another version of a plug-in is another machine, as another option is. What failed has no
 * statistics. */
static const char runs_sql[] =
    "SELECT json_object('key', key, 'model', model, 'gpu', gpu, 'design', design, 'apps', "
    "json(apps),"
    " 'sms', json(sms), 'settings', json(settings), 'command', command, 'status', status,"
    " 'error', error, 'host_ms', host_ms, 'attempts', attempts,"
    " 'speedup', json(nullif(sharing, '')),"
    " 'config', json(json_patch(json_patch(?4, json_extract(identity, '$.config')),"
    "   json_object('plug-ins', (SELECT group_concat(value, ' ')"
    "     FROM json_each(run.identity, '$.plugins'))))),"
    " 'limits', json(json_extract(identity, '$.limits')),"
    " 'contents', (SELECT json_group_array(json_extract(value, '$.content'))"
    "   FROM json_each(run.identity, '$.apps')),"
    " 'stats', json(nullif(result, '')))"
    " FROM run WHERE (?1 = '' OR gpu = ?1)"
    " AND (?2 = '' OR instr(',' || ?2 || ',', ',' || design || ','))"
    " AND (?3 = '' OR instr(apps, ?3)) ORDER BY gpu, workload, design, settings, key";

typedef struct {
  strbuf_t *out;
  uint64_t runs;
} rows_t;

static int add_run(void *ctx, const store_value_t *v, err_t *e) {
  rows_t *r = ctx;
  if (r->runs++) strbuf_str(r->out, ",\n");
  strbuf_str(r->out, v->text);
  if (r->out->size > PAGE_DATA_BYTES)
    return err_set(e, GMMU_EINVAL,
                   "these are more than %u MB of statistics: choose with --gpu, --design, --app or "
                   "--model",
                   PAGE_DATA_BYTES >> 20);
  return r->out->failed ? err_set(e, GMMU_ENOMEM, "out of memory for the page") : GMMU_OK;
}

/* Versions are named newest first, stall reasons as they are declared. */
static void add_head(const report_args_t *a, const models_t *m, strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  json_key(&j, "gmmu"), json_str(&j, GMMU_VERSION);
  json_key(&j, "title"), json_str(&j, a->title);
  json_key(&j, "command"), json_str(&j, strbuf_text(&a->command));
  json_key(&j, "models");
  json_begin_array(&j);
  for (uint32_t i = 0; i < m->count; i++) json_str(&j, models_at(m, i));
  json_end_array(&j);
  json_key(&j, "stalls"), gpu_stalls_json(&j);
  json_key(&j, "figures"), gpu_figures_json(&j);
  json_key(&j, "rates"), rates_json(&j);
  json_key(&j, "measures"), measures_json(&j);
  json_end_object(&j);
  strbuf_add(out, strbuf_text(&j.out), strrchr(strbuf_text(&j.out), '}') - strbuf_text(&j.out));
  json_fini(&j);
}

static void add_defaults(strbuf_t *out) {
  gpu_spec_t spec;
  json_t j;
  json_init(&j);
  gpu_spec_init(&spec);
  gpu_config_json(&spec, &j);
  strbuf_add(out, strbuf_text(&j.out), j.out.size);
  json_fini(&j);
}

static int make_data(const report_args_t *a, strbuf_t *out, uint64_t *runs, bool *damaged,
                     err_t *e) {
  strbuf_t defaults;
  strbuf_init(&defaults), add_defaults(&defaults);
  const char *const texts[] = {a->gpu, a->design, a->app, strbuf_text(&defaults)};
  rows_t rows = {.out = out};
  store_t *s = NULL;
  models_t models;
  models_init(&models);
  int rc = store_open(a->store, STORE_READ, &s, e);
  if (rc == 0) rc = models_choose(&models, s, a->model ? a->model : MODELS_ALL, e);
  add_head(a, &models, out);
  strbuf_str(out, ",\"runs\":[\n");
  if (rc == 0) rc = store_query(s, runs_sql, texts, 4, NULL, add_run, &rows, e);
  if (rc < 0) err_in_file(e, a->store, 0, 0);
  *damaged = rc == 0 && damage_warn(s, a->store, DAMAGE_LEFT_OUT);
  store_close(s);
  models_fini(&models);
  strbuf_fini(&defaults);
  strbuf_str(out, "]}");
  *runs = rows.runs;
  bool chosen = *a->gpu || *a->design || *a->app || a->model;
  if (rc == 0 && !rows.runs)
    rc = err_set(e, GMMU_ENOENT, chosen ? "%s has no such run" : "%s has no run that is whole",
                 a->store);
  return rc;
}

static int make_page(const report_args_t *a, strbuf_t *page, uint64_t *runs, bool *damaged,
                     err_t *e) {
  strbuf_t data;
  strbuf_init(&data);
  int rc = make_data(a, &data, runs, damaged, e);
  if (rc == 0) rc = page_make(strbuf_text(&data), data.size, page, e);
  strbuf_fini(&data);
  return rc;
}

static int report(report_args_t *a) {
  strbuf_t page;
  err_t e = {0};
  uint64_t runs = 0;
  bool damaged = false;
  if (!a->title) a->title = strrchr(a->store, '/') ? strrchr(a->store, '/') + 1 : a->store;
  strbuf_init(&page);
  int rc = make_page(a, &page, &runs, &damaged, &e);
  int status = rc < 0 ? cli_fail(&e) : cli_data(a->output, &page);
  if (status == CLI_DONE && strcmp(a->output, "-") != 0) {
    strbuf_clear(&page);
    strbuf_printf(&page, "%s: %llu run%s\n", a->output, (unsigned long long)runs,
                  runs == 1 ? "" : "s");
    status = cli_output(NULL, &page);
  }
  strbuf_fini(&page);
  return status == CLI_DONE && damaged ? CLI_FAILED : status;
}

static int run(cli_t *c) {
  report_args_t a = {.output = "report.html", .gpu = "", .design = "", .app = ""};
  strbuf_init(&a.command);
  cli_command(c, &a.command);
  int status = parse(&a, c);
  if (status == CLI_DONE) status = report(&a);
  strbuf_fini(&a.command);
  return status;
}

const subcommand_t cmd_report = {
    .name = "report",
    .summary = "a results store as one HTML page with charts",
    .usage = "[OPTION]... STORE",
    .details = "The page has everything inside: it needs no network and can be sent around. STORE "
               "is what\n"
               "`gmmu sweep` filled. `gmmu reproduce` has an option for the same page of the "
               "papers' rows.\n"
               "A run that is damaged is left out and named, with status 1.\n"
               "\n"
               "  gmmu report runs.db -o report.html\n"
               "  gmmu report runs.db --design ideal --title \"No cost\"\n",
    .options = options,
    .run = run,
};
