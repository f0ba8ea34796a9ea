/* gmmu export: what is in a results store, as CSV or JSON. A table is a SELECT over one of the
 * store's views, sorted by key, without what differs from host to host; filters are bound, never
 * pasted. Any other question is the user's own SELECT. */
#include "base/json.h"
#include "base/opt.h"
#include "cli.h"
#include "damage.h"
#include "lab/store.h"
#include "models.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ARG_CSV = CLI_LONG_ONLY,
  ARG_JSON,
  ARG_TABLE,
  ARG_GPU,
  ARG_DESIGN,
  ARG_APP,
  ARG_STATUS,
  ARG_MODEL,
  ARG_QUERY,
  ARG_HOST,
  ARG_WIDE
};

static const cli_option_t options[] = {
    {ARG_CSV, "csv", NULL, "comma-separated values, with a line of names (the default)"},
    {ARG_JSON, "json", NULL, "an array of objects"},
    {ARG_TABLE, "table", "NAME", "runs, apps, counters, or documents: all of a run (runs)"},
    {ARG_WIDE, "wide", NULL, "one row per run and application, every setting a column of its own"},
    {ARG_GPU, "gpu", "NAME", "only runs on this GPU"},
    {ARG_DESIGN, "design", "NAME", "only under this design"},
    {ARG_APP, "app", "NAME", "only with this application: bfs2, or bfs2:size=tiny"},
    {ARG_STATUS, "status", "WHICH", "only those that are done, failed or lost"},
    {ARG_MODEL, "model", "VERSION",
     "runs of this version of the model, or of `all` (the newest in the store)"},
    {ARG_QUERY, "query", "SQL", "a SELECT of your own; docs/data.md explains tables and columns"},
    {ARG_HOST, "host", NULL, "with host, host time, attempts and date, which differ every time"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

/* `host` are the columns that differ from host to host. */
static const struct {
  const char *name, *columns, *host, *order;
} tables[] = {
    {"runs",
     "key, status, model, gpu, design, apps, sms, settings, seed, limit_cycles, limit_instructions,"
     " min_cycles, cycles, warp_instructions, baseline, weighted_speedup, throughput, unfairness,"
     " error, command",
     ", host, host_ms, attempts, finished", "key"},
    {"apps",
     "key, model, gpu, design, app, text, name, seed, sms, complete_instructions, complete_cycles,"
     " complete_ipc, ipc, l1tlb_miss_rate, l2tlb_miss_rate, walks, ipc_alone, speedup, slowdown",
     "", "key, app"},
    {"counters", "key, counter, value", "", "key, counter"},
    {"documents",
     "key, status, model, gpu, design, apps, sms, settings, command, error, sharing, identity,"
     " result",
     ", host, host_ms, attempts, finished", "key"},
};
#define TABLES (sizeof tables / sizeof *tables)

typedef struct {
  const char *store, *query, *output;
  const char *gpu, *design, *app, *status, *model;
  uint32_t table;
  bool json, csv, host, table_given, wide;
} args_t;

/* ---- arguments ------------------------------------------------------------------------------- */

static const char *table_name(void *ctx, uint32_t i) {
  (void)ctx;
  return i < TABLES ? tables[i].name : NULL;
}

static int take_table(args_t *a, const cli_t *c) {
  a->table_given = true;
  for (a->table = 0; a->table < TABLES; a->table++)
    if (strcmp(tables[a->table].name, c->value) == 0) return CLI_DONE;
  const char *near = opt_nearest(c->value, table_name, NULL);
  return cli_usage(c, "--table: there is no \"%s\"%s%s%s; it is runs, apps, counters or documents",
                   c->value, near ? "; nearest: \"" : "", near ? near : "", near ? "\"" : "");
}

static int take(args_t *a, const cli_t *c, int id) {
  switch (id) {
  case CLI_ARGUMENT:
    if (a->store) return cli_usage(c, "one store at a time: \"%s\" is the second", c->value);
    a->store = c->value;
    break;
  case ARG_CSV: a->csv = true; break;
  case ARG_JSON: a->json = true; break;
  case ARG_TABLE: return take_table(a, c);
  case ARG_GPU: a->gpu = c->value; break;
  case ARG_DESIGN: a->design = c->value; break;
  case ARG_APP: a->app = c->value; break;
  case ARG_STATUS: a->status = c->value; break;
  case ARG_MODEL: a->model = c->value; break;
  case ARG_QUERY: a->query = c->value; break;
  case ARG_HOST: a->host = true; break;
  case ARG_WIDE: a->wide = true; break;
  case 'o': a->output = c->value; break;
  }
  return CLI_DONE;
}

static int check(const args_t *a, const cli_t *c) {
  if (!a->store) return cli_usage(c, "which store? A file that `gmmu sweep` or `--store` made");
  if (a->csv && a->json) return cli_usage(c, "--csv or --json, not both");
  if (a->status && strcmp(a->status, "done") && strcmp(a->status, "failed") &&
      strcmp(a->status, "lost"))
    return cli_usage(c, "--status: \"%s\" is not done, failed or lost", a->status);
  if (a->wide && (a->table_given || a->query || a->host))
    return cli_usage(c, "--wide is a table of its own: no --table, --query or --host beside it");
  if (a->query && (a->gpu || a->design || a->app || a->status || a->host || a->table_given))
    return cli_usage(c, "--query says all: no table, filters or --host beside it");
  return CLI_DONE;
}

static int parse(args_t *a, cli_t *c) {
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(a, c, id);
  return status == CLI_DONE ? check(a, c) : status;
}

/* ---- the question ---------------------------------------------------------------------------- */

/* An application is meant with its parameters or, without any, whatever they are. */
static void write_filters(const args_t *a, strbuf_t *q) {
  strbuf_str(q, "(SELECT key FROM run WHERE true");
  if (a->gpu) strbuf_str(q, " AND gpu = ?1");
  if (a->design) strbuf_str(q, " AND design = ?2");
  if (a->app)
    strbuf_str(q, " AND EXISTS (SELECT 1 FROM json_each(run.apps) WHERE value = ?3"
                  " OR substr(value, 1, length(?3) + 1) = ?3 || ':')");
  if (a->status) strbuf_str(q, " AND status = ?4");
  strbuf_str(q, ")");
}

static void write_query(const args_t *a, strbuf_t *q) {
  bool document = strcmp(tables[a->table].name, "documents") == 0;
  strbuf_printf(q, "SELECT %s%s FROM %s WHERE key IN ", tables[a->table].columns,
                a->host ? tables[a->table].host : "", document ? "run" : tables[a->table].name);
  write_filters(a, q);
  strbuf_printf(q, " ORDER BY %s", tables[a->table].order);
}

/* ---- wide ------------------------------------------------------------------------------------ */

/* A name of SQL's, or, with other marks, a text. */
static void quoted(strbuf_t *out, const char *text, char mark) {
  strbuf_add(out, &mark, 1);
  for (; *text; text++) {
    if (*text == mark) strbuf_add(out, &mark, 1);
    strbuf_add(out, text, 1);
  }
  strbuf_add(out, &mark, 1);
}

/* A setting of some run becomes a column; empty where a run has it as the GPU and the design do. */
static int add_setting(void *ctx, const store_value_t *v, err_t *e) {
  strbuf_t *q = ctx, path;
  strbuf_init(&path);
  strbuf_str(&path, "$."), quoted(&path, v->text, '"');
  strbuf_str(q, ", json_extract(run.settings, "), quoted(q, strbuf_text(&path), '\'');
  strbuf_str(q, ") AS "), quoted(q, v->text, '"');
  q->failed |= path.failed;
  strbuf_fini(&path);
  return q->failed ? err_set(e, GMMU_ENOMEM, "out of memory for the query") : GMMU_OK;
}

static int write_wide(const args_t *a, store_t *s, const char *const text[], strbuf_t *q,
                      err_t *e) {
  strbuf_t keys;
  strbuf_init(&keys);
  strbuf_str(&keys, "SELECT DISTINCT each.key FROM run, json_each(run.settings) AS each "
                    "WHERE run.key IN ");
  write_filters(a, &keys);
  strbuf_str(&keys, " ORDER BY each.key");
  strbuf_str(q, "SELECT apps.key AS key, apps.model AS model, apps.gpu AS gpu, apps.design AS "
                "design, apps.app AS app, apps.name AS name, apps.text AS text, apps.seed AS seed, "
                "apps.sms AS sms");
  int rc = store_query(s, strbuf_text(&keys), text, 4, NULL, add_setting, q, e);
  strbuf_str(q, ", runs.cycles AS cycles, apps.complete_instructions AS complete_instructions, "
                "apps.complete_cycles AS complete_cycles, apps.complete_ipc AS complete_ipc, "
                "apps.ipc AS ipc, apps.l1tlb_miss_rate AS l1tlb_miss_rate, apps.l2tlb_miss_rate "
                "AS l2tlb_miss_rate, apps.walks AS walks, apps.ipc_alone AS ipc_alone, "
                "apps.speedup AS speedup, apps.slowdown AS slowdown, runs.weighted_speedup AS "
                "weighted_speedup, runs.throughput AS throughput, runs.unfairness AS unfairness "
                "FROM apps JOIN runs ON runs.key = apps.key JOIN run ON run.key = apps.key WHERE "
                "apps.key IN ");
  write_filters(a, q);
  strbuf_str(q, " ORDER BY apps.key, apps.app");
  strbuf_fini(&keys);
  return rc;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_field(strbuf_t *out, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    strbuf_str(out, text);
    return;
  }
  strbuf_str(out, "\"");
  for (; *text; text++) strbuf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
  strbuf_str(out, "\"");
}

static void csv_end(const store_value_t *v, strbuf_t *out) {
  strbuf_str(out, v->column + 1 == v->columns ? "\n" : ",");
}

static int csv_head(void *ctx, const store_value_t *v, err_t *e) {
  json_t *j = ctx;
  (void)e;
  csv_field(&j->out, v->name);
  csv_end(v, &j->out);
  return GMMU_OK;
}

static int csv_value(void *ctx, const store_value_t *v, err_t *e) {
  json_t *j = ctx;
  csv_field(&j->out, v->text);
  csv_end(v, &j->out);
  return j->out.failed ? err_set(e, GMMU_ENOMEM, "out of memory for the output") : GMMU_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static int json_value(void *ctx, const store_value_t *v, err_t *e) {
  json_t *j = ctx;
  if (v->column == 0) json_begin_object(j);
  json_key(j, v->name);
  if (v->type == STORE_NULL)
    json_null(j);
  else if (v->type == STORE_TEXT)
    json_str(j, v->text);
  else
    json_raw(j, v->text);
  if (v->column + 1 == v->columns) json_end_object(j);
  return j->out.failed ? err_set(e, GMMU_ENOMEM, "out of memory for the output") : GMMU_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int ask(const args_t *a, store_t *s, json_t *j, err_t *e) {
  const char *const text[] = {a->gpu ? a->gpu : "", a->design ? a->design : "",
                              a->app ? a->app : "", a->status ? a->status : ""};
  strbuf_t query;
  strbuf_init(&query);
  int rc = GMMU_OK;
  if (a->wide)
    rc = write_wide(a, s, text, &query, e);
  else if (!a->query)
    write_query(a, &query);
  if (a->json) json_begin_array(j);
  if (rc == 0)
    rc = store_query(s, a->query ? a->query : strbuf_text(&query), text, a->query ? 0 : 4,
                     a->json ? NULL : csv_head, a->json ? json_value : csv_value, j, e);
  if (a->json) json_end_array(j);
  strbuf_fini(&query);
  return rc;
}

/* A choice that a misspelt name left nothing of would look like a store without results. */
static void say_nothing_chosen(const args_t *a, const strbuf_t *out) {
  const char *rows = strchr(strbuf_text(out), a->json ? '{' : '\n');
  bool chosen = a->gpu || a->design || a->app || a->status;
  if (chosen && (!rows || (!a->json && !rows[1])))
    cli_say("%s: nothing is of this choice; `gmmu export %s` has all runs", a->store, a->store);
}

static int run(cli_t *c) {
  args_t a = {0};
  store_t *s = NULL;
  err_t e = {0};
  models_t models;
  json_t j;
  int status = parse(&a, c);
  if (status != CLI_DONE) return status;
  json_init(&j);
  models_init(&models);
  int rc = store_open(a.store, STORE_READ, &s, &e);
  if (rc == 0) rc = models_choose(&models, s, a.model, &e);
  if (rc == 0) rc = ask(&a, s, &j, &e);
  if (rc < 0) err_in_file(&e, a.store, 0, 0);
  status = rc < 0 ? cli_fail(&e) : cli_data(a.output, &j.out);
  if (status == CLI_DONE) say_nothing_chosen(&a, &j.out);
  if (status == CLI_DONE && !a.model) models_tell(&models, a.store);
  if (rc == 0 && damage_warn(s, a.store, DAMAGE_LEFT_OUT)) status = CLI_FAILED;
  store_close(s);
  models_fini(&models);
  json_fini(&j);
  return status;
}

const subcommand_t cmd_export = {
    .name = "export",
    .summary = "what is in a results store, as CSV or JSON",
    .usage = "[OPTION]... STORE",
    .details =
        "Rows are sorted by key, and two stores with the same runs give the same bytes, wherever\n"
        "and in whatever order they were made; --host adds what differs. docs/data.md explains\n"
        "every column. Runs of another version of the model are other runs: without --model only\n"
        "those of the newest are there, for --query, too. A run that is damaged is left out and\n"
        "named, with status 1.\n"
        "\n"
        "  gmmu export study.db --csv -o study.csv\n"
        "  gmmu export study.db --wide -o wide.csv\n"
        "  gmmu export study.db --table apps --design mask --app bfs2\n"
        "  gmmu export study.db --query 'SELECT design, avg(cycles) AS mean FROM runs GROUP BY "
        "design'\n",
    .options = options,
    .run = run,
};
