/* gmmu cost: the storage that a paper's mechanisms, or those of a design, add to a GPU. */
#include "base/table.h"
#include "config.h"
#include "cost/cost.h"
#include "gpu/component.h"
#include <string.h>

enum { ARG_JSON = ARG_OWN };

static const cli_option_t options[] = {
    CONFIG_OPTIONS("the design: a preset or a YAML file (sharedtlb)"),
    {ARG_JSON, "json", NULL, "as JSON"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

typedef struct {
  config_t config;
  gpu_spec_t spec;
  const char *paper; /* NULL: what the design has */
  const char *output;
  bool json;
} cost_args_t;

static bool shown(const cost_args_t *a, const cost_row_t *r) {
  return a->paper ? strcmp(r->paper, a->paper) == 0 : r->on(&a->spec);
}

/* ---- text ---- */

static const char *unit(const cost_row_t *r) { return r->entries ? "entries" : "bits"; }

static void size_cell(table_t *t, const cost_row_t *r, const cost_t *c) {
  if (r->entries)
    table_printf(t, "%llu entries", (unsigned long long)(c->each * c->count));
  else
    table_printf(t, "%llu B", (unsigned long long)cost_bytes(c));
}

static void add_row(table_t *t, const cost_row_t *r, const cost_t *c) {
  table_cell(t, r->mechanism);
  table_cell(t, r->what);
  table_cell(t, r->where);
  if (r->sum)
    table_cell(t, ""), table_cell(t, "");
  else
    table_printf(t, "%llu %s", (unsigned long long)c->each, unit(r)), table_u64(t, c->count);
  size_cell(t, r, c);
  table_ratio(t, 100 * c->each * c->count, c->base, 3);
  table_cell(t, c->base ? r->of : "-");
  table_cell(t, *r->printed ? r->printed : "-");
}

static void head(const cost_args_t *a, strbuf_t *out) {
  strbuf_printf(out, "gmmu %s, GPU %s, ", GMMU_VERSION, a->config.gpu);
  if (a->paper)
    strbuf_printf(out, "mechanisms of %s\n\n", a->paper);
  else
    strbuf_printf(out, "mechanisms that are on in design %s\n\n", a->config.design[0]);
}

static void table(const cost_args_t *a, strbuf_t *out) {
  static const char *const column[] = {"mechanism", "structure", "where", "each", "how many",
                                       "adds",      "%",         "of",    "paper"};
  table_t t;
  table_init(&t);
  for (uint32_t i = 0; i < sizeof column / sizeof *column; i++)
    table_column(&t, column[i], i >= 3 && i <= 6 ? TABLE_RIGHT : TABLE_LEFT);
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    if (!shown(a, r)) continue;
    r->work_out(&a->spec, &c);
    add_row(&t, r, &c);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void explain(const cost_args_t *a, strbuf_t *out) {
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    if (!shown(a, r)) continue;
    r->work_out(&a->spec, &c);
    strbuf_printf(out, "\n%s, %s: %s", r->mechanism, r->what, c.formula);
    if (r->note) strbuf_printf(out, "\n  paper: %s", r->note);
  }
  strbuf_str(out, "\n");
}

static bool any_shown(const cost_args_t *a) {
  const cost_row_t *r;
  uint32_t i = 0;
  while ((r = cost_row(i)) && !shown(a, r)) i++;
  return r != NULL;
}

static void cost_text(const cost_args_t *a, strbuf_t *out) {
  head(a, out);
  if (!any_shown(a)) {
    strbuf_str(out, "none whose storage is known\n");
    return;
  }
  table(a, out);
  explain(a, out);
}

/* ---- JSON ---- */

static void row_json(json_t *j, const cost_row_t *r, const cost_t *c) {
  json_begin_object(j);
  json_key(j, "paper"), json_str(j, r->paper);
  json_key(j, "mechanism"), json_str(j, r->mechanism);
  json_key(j, "structure"), json_str(j, r->what);
  json_key(j, "where"), json_str(j, r->where);
  json_key(j, "unit"), json_str(j, unit(r));
  json_key(j, "each"), json_u64(j, c->each);
  json_key(j, "count"), json_u64(j, c->count);
  json_key(j, "total"), json_u64(j, c->each * c->count);
  json_key(j, "bytes"), r->entries ? json_null(j) : json_u64(j, cost_bytes(c));
  json_key(j, "percent"), json_ratio(j, 100 * c->each * c->count, c->base, 4);
  json_key(j, "of"), json_str(j, c->base ? r->of : NULL);
  json_key(j, "is_sum"), json_bool(j, r->sum);
  json_key(j, "formula"), json_str(j, c->formula);
  json_key(j, "printed"), json_str(j, *r->printed ? r->printed : NULL);
  json_key(j, "note"), json_str(j, r->note);
  json_end_object(j);
}

static void cost_json(const cost_args_t *a, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "gpu"), json_str(j, a->config.gpu);
  json_key(j, "design"), json_str(j, a->paper ? NULL : a->config.design[0]);
  json_key(j, "rows");
  json_begin_array(j);
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    if (!shown(a, r)) continue;
    r->work_out(&a->spec, &c);
    row_json(j, r, &c);
  }
  json_end_array(j);
  json_end_object(j);
}

/* ---- the command ---- */

static const char *paper_name(void *ctx, uint32_t i) {
  (void)ctx;
  return cost_paper(i);
}

static int take_paper(cost_args_t *a, const cli_t *c) {
  if (a->paper) return cli_usage(c, "one paper at a time");
  for (uint32_t i = 0; cost_paper(i); i++)
    if (strcmp(cost_paper(i), c->value) == 0) {
      a->paper = c->value;
      return CLI_DONE;
    }
  for (uint32_t i = 0; i < outside_count(); i++)
    if (strcmp(outside_row(i)->name, c->value) == 0)
      return cli_usage(c, "\"%s\" is a plug-in's and tells of no storage: it has no storage()",
                       c->value);
  char all[300] = "";
  const char *near = opt_nearest(c->value, paper_name, NULL);
  if (near) return cli_usage(c, "no paper is called \"%s\"; nearest: \"%s\"", c->value, near);
  for (uint32_t i = 0; cost_paper(i) && strlen(all) < 250; i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.40s", i ? ", " : "", cost_paper(i));
  return cli_usage(c, "no paper is called \"%s\"; one of: %s", c->value, all);
}

static int take(cost_args_t *a, const cli_t *c, int id) {
  if (id == CLI_ARGUMENT) return take_paper(a, c);
  if (id == ARG_JSON)
    a->json = true;
  else if (id == 'o')
    a->output = c->value;
  else
    return config_take(&a->config, c, id);
  return CLI_DONE;
}

static int print(cost_args_t *a) {
  err_t e = {0};
  if (config_build(&a->config, 0, &a->spec, &e) < 0) return cli_refuse(&e);
  json_t j;
  json_init(&j);
  if (a->json)
    cost_json(a, &j);
  else
    cli_screen(&j.out, a->output), cost_text(a, &j.out);
  int status = cli_output(a->output, &j.out);
  json_fini(&j);
  return status;
}

static int run_with(cli_t *c, cost_args_t *a) {
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(a, c, id);
  if (status != CLI_DONE) return status;
  if (a->paper && a->config.designs)
    return cli_usage(c, "either a paper, whose mechanisms are all shown, or a design");
  if (a->config.designs > 1) return cli_usage(c, "one design at a time");
  status = config_finish(&a->config);
  return status == CLI_DONE ? print(a) : status;
}

static int run(cli_t *c) {
  cost_args_t a = {0};
  config_init(&a.config);
  int status = run_with(c, &a);
  config_fini(&a.config);
  return status;
}

const subcommand_t cmd_cost = {
    .name = "cost",
    .summary = "storage that mechanisms add to a GPU, beside what their paper says",
    .usage = "[OPTION]... [PAPER]",
    .details =
        "With PAPER (mask, neidty, star, ...) all its mechanisms are shown, without it those\n"
        "that the design has. Sizes follow from the configuration; the lines below the\n"
        "table say how.\n"
        "\n"
        "  gmmu cost mask\n"
        "  gmmu cost --gpu gem5-16 neidty\n"
        "  gmmu cost --gpu fermi -s sm.warps=32 mask\n"
        "  gmmu cost --design sharedtlb --json\n",
    .options = options,
    .run = run,
};
