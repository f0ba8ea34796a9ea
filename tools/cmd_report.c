/* gmmu report: a results store as one HTML page. */
#include "base/file.h"
#include "base/json.h"
#include "cli.h"
#include "lab/page.h"
#include "lab/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_DATA_BYTES (256u << 20) /* more than a browser is glad of */

enum { ARG_TITLE = CLI_LONG_ONLY, ARG_GPU, ARG_DESIGN, ARG_APP };

static const cli_option_t options[] = {
    {ARG_TITLE, "title", "TEXT", "heading of the page (the store's name)"},
    {ARG_GPU, "gpu", "NAME", "only runs on this GPU"},
    {ARG_DESIGN, "design", "NAME", "only runs under these designs, with commas between"},
    {ARG_APP, "app", "TEXT", "only runs with an application whose text contains it"},
    {'o', "output", "FILE", "the page (report.html)"},
    {0},
};

typedef struct {
  const char *store, *output, *title;
  const char *gpu, *design, *app; /* empty: any */
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
    case 'o': a->output = c->value; break;
    case CLI_ARGUMENT:
      if (a->store) return cli_usage(c, "one store, not \"%s\" and \"%s\"", a->store, c->value);
      a->store = c->value;
      break;
    }
  return a->store ? CLI_DONE : cli_usage(c, "which store? `gmmu sweep` fills one");
}

/* ---- the document ---------------------------------------------------------------------------- */

/* A run as the page has it. What failed has no statistics. */
static const char runs_sql[] =
    "SELECT json_object('key', key, 'gpu', gpu, 'design', design, 'apps', json(apps),"
    " 'sms', json(sms), 'settings', json(settings), 'command', command, 'status', status,"
    " 'error', error, 'host_ms', host_ms, 'attempts', attempts,"
    " 'speedup', json(nullif(sharing, '')), 'config', json(json_extract(identity, '$.config')),"
    " 'limits', json(json_extract(identity, '$.limits')), 'stats', json(nullif(result, '')))"
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
                   "these are more than %u MB of statistics: choose with --gpu, --design or --app",
                   PAGE_DATA_BYTES >> 20);
  return r->out->failed ? err_set(e, GMMU_ENOMEM, "out of memory for the page") : GMMU_OK;
}

static void add_head(const report_args_t *a, strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  json_key(&j, "gmmu"), json_str(&j, GMMU_VERSION);
  json_key(&j, "title"), json_str(&j, a->title);
  json_key(&j, "command"), json_str(&j, strbuf_text(&a->command));
  json_end_object(&j);
  strbuf_add(out, strbuf_text(&j.out), strrchr(strbuf_text(&j.out), '}') - strbuf_text(&j.out));
  json_fini(&j);
}

static int make_data(const report_args_t *a, strbuf_t *out, uint64_t *runs, err_t *e) {
  const char *const texts[] = {a->gpu, a->design, a->app};
  rows_t rows = {.out = out};
  store_t *s = NULL;
  add_head(a, out);
  strbuf_str(out, ",\"runs\":[\n");
  int rc = store_open(a->store, STORE_READ, &s, e);
  if (rc == 0) rc = store_query(s, runs_sql, texts, 3, NULL, add_run, &rows, e);
  if (rc < 0) err_in_file(e, a->store, 0, 0);
  store_close(s);
  strbuf_str(out, "]}");
  *runs = rows.runs;
  if (rc == 0 && !rows.runs) rc = err_set(e, GMMU_ENOENT, "%s has no such run", a->store);
  return rc;
}

static int make_page(const report_args_t *a, uint64_t *runs, err_t *e) {
  strbuf_t data, page;
  strbuf_init(&data);
  strbuf_init(&page);
  int rc = make_data(a, &data, runs, e);
  if (rc == 0) rc = page_make(strbuf_text(&data), data.size, &page, e);
  if (rc == 0) rc = file_write(a->output, strbuf_text(&page), page.size, e);
  strbuf_fini(&data);
  strbuf_fini(&page);
  return rc;
}

static void set_command(char **argv, strbuf_t *out) {
  strbuf_str(out, "gmmu report");
  for (; *argv; argv++) strbuf_printf(out, " %s", *argv);
}

static int report(report_args_t *a) {
  err_t e = {0};
  uint64_t runs = 0;
  if (!a->title) a->title = strrchr(a->store, '/') ? strrchr(a->store, '/') + 1 : a->store;
  if (make_page(a, &runs, &e) < 0) return cli_fail(&e);
  printf("%s: %llu run%s\n", a->output, (unsigned long long)runs, runs == 1 ? "" : "s");
  return CLI_DONE;
}

static int run(cli_t *c) {
  report_args_t a = {.output = "report.html", .gpu = "", .design = "", .app = ""};
  strbuf_init(&a.command);
  set_command(c->argv, &a.command);
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
               "\n"
               "  gmmu report runs.db -o report.html\n"
               "  gmmu report runs.db --design ideal --title \"No cost\"\n",
    .options = options,
    .run = run,
};
