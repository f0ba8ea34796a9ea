/* gmmu validate: microbenchmarks of simulated GPUs, beside what was published of the chips. */
#include "base/json.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "gpu/presets.h"
#include "validate/validate.h"
#include <ctype.h>
#include <string.h>

enum { ARG_JSON = CLI_LONG_ONLY, ARG_HTML, ARG_MARKDOWN, ARG_NO_TLB };

static const cli_option_t options[] = {
    {'s', "set", "KEY=VALUE", "set any option of the GPUs"},
    {ARG_NO_TLB, "no-tlb", NULL, "leave the TLBs out, which take most of the time"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {ARG_MARKDOWN, "markdown", NULL, "as Markdown, as in docs/validation.md"},
    {ARG_HTML, "html", "FILE", "also a page"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

#define MAX_GPUS     64
#define MAX_SETTINGS 64

typedef struct {
  const char *gpu[MAX_GPUS];
  uint32_t gpus;
  const char *setting[MAX_SETTINGS];
  uint32_t settings;
  bool json, markdown, no_tlb;
  const char *html, *output;
  progress_t progress;
} wish_t;

typedef struct {
  const char *gpu;
  validate_t found;
} result_t;

/* ---- text, Markdown and HTML ---- */

static const char *verdict_word(verdict_t v) {
  return v == VERDICT_HOLDS ? "holds" : v == VERDICT_OFF ? "off" : "-";
}

static uint32_t count_of(const validate_t *v, verdict_t verdict) {
  uint32_t n = 0;
  for (uint32_t m = 0; m < VALIDATE_COUNT; m++) n += v->row[m].verdict == verdict;
  return n;
}

/* Thousandths with as many digits as tell something. */
static void number(strbuf_t *out, uint64_t v) {
  uint64_t unit = VALIDATE_THOUSAND, tenths = (v + 50) / 100, hundredths = (v + 5) / 10;
  if (v >= 100 * unit || v % unit == 0)
    strbuf_printf(out, "%llu", (unsigned long long)((v + unit / 2) / unit));
  else if (v >= 10 * unit)
    strbuf_printf(out, "%llu.%llu", (unsigned long long)(tenths / 10),
                  (unsigned long long)(tenths % 10));
  else
    strbuf_printf(out, "%llu.%02llu", (unsigned long long)(hundredths / 100),
                  (unsigned long long)(hundredths % 100));
}

static void band(strbuf_t *out, const published_t *p) {
  if (!p) {
    strbuf_str(out, "-");
    return;
  }
  number(out, p->low);
  if (p->high != p->low) strbuf_str(out, " - "), number(out, p->high);
}

/* The cells of a row: what, unit, measured, published, verdict, source. */
#define CELLS 6
static const char *const column[CELLS] = {"what", "unit", "gmmu", "published", "verdict", "source"};
static void cell(strbuf_t *out, const validate_row_t *r, uint32_t i) {
  if (i == 0) strbuf_str(out, r->name);
  if (i == 1) strbuf_str(out, r->unit);
  if (i == 2) number(out, r->value);
  if (i == 3) band(out, r->published);
  if (i == 4) strbuf_str(out, verdict_word(r->verdict));
  if (i == 5) strbuf_str(out, r->published ? r->published->source : "");
}

static void add_table(const result_t *r, table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  for (uint32_t i = 0; i < CELLS; i++)
    table_column(&t, column[i], i == 2 || i == 3 ? TABLE_RIGHT : TABLE_LEFT);
  for (uint32_t m = 0; m < VALIDATE_COUNT; m++) {
    if (!r->found.row[m].known) continue;
    for (uint32_t i = 0; i < CELLS; i++) {
      strbuf_t text;
      strbuf_init(&text);
      cell(&text, &r->found.row[m], i);
      table_cell(&t, strbuf_text(&text));
      strbuf_fini(&text);
    }
  }
  table_render(&t, style, out);
  table_fini(&t);
}

static const char intro[] =
    "Microbenchmarks, real PTX kernels through the whole machine, beside what was published of the "
    "chip. A latency or the cost of a TLB miss holds within 10 % of the band over the tools that "
    "published it, DRAM copy and triad between 80 and 95 % of peak or within 10 % of what was "
    "published, a TLB's reach if it is equal. The rest has no verdict; what nobody published has "
    "no number.";

static void add_result(const result_t *r, table_style_t style, strbuf_t *out) {
  strbuf_printf(out, "%s%s%s: %u hold, %u off; DRAM peak %llu GB/s\n\n",
                style == TABLE_MARKDOWN ? "## `" : "", r->gpu, style == TABLE_MARKDOWN ? "`" : "",
                count_of(&r->found, VERDICT_HOLDS), count_of(&r->found, VERDICT_OFF),
                (unsigned long long)((r->found.peak + 500) / 1000));
  add_table(r, style, out);
  strbuf_str(out, "\n");
}

static void add_html(const result_t *r, strbuf_t *out) {
  strbuf_printf(out, "<h2>%s</h2>\n<table>\n<tr>", r->gpu);
  for (uint32_t i = 0; i < CELLS; i++) strbuf_printf(out, "<th>%s</th>", column[i]);
  strbuf_str(out, "</tr>\n");
  for (uint32_t m = 0; m < VALIDATE_COUNT; m++) {
    const validate_row_t *row = &r->found.row[m];
    if (!row->known) continue;
    strbuf_printf(out, "<tr%s>", row->verdict == VERDICT_OFF ? " class=\"off\"" : "");
    for (uint32_t i = 0; i < CELLS; i++) {
      strbuf_printf(out, "<td%s>", i == 2 || i == 3 ? " class=\"n\"" : "");
      cell(out, row, i);
      strbuf_str(out, "</td>");
    }
    strbuf_str(out, "</tr>\n");
  }
  strbuf_str(out, "</table>\n");
}

static int write_html(const wish_t *w, const result_t *r) {
  strbuf_t page;
  strbuf_init(&page);
  strbuf_printf(&page,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<title>gmmu validate</title>\n<style>\n"
                ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;"
                "max-width:75rem;margin:2rem auto;padding:0 1rem}\n"
                "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
                "th,td{padding:.25rem .7rem;border-bottom:1px solid;text-align:left}\n"
                "td.n{text-align:right;white-space:nowrap}tr.off td{font-weight:600}\n"
                "</style></head><body>\n<h1>gmmu validate</h1>\n<p>%s</p>\n",
                intro);
  for (uint32_t i = 0; i < w->gpus; i++) add_html(&r[i], &page);
  strbuf_str(&page, "</body></html>\n");
  int status = cli_data(w->html, &page);
  strbuf_fini(&page);
  return status;
}

/* ---- JSON ---- */

static void lower(char *out, size_t size, const char *text) {
  size_t i = 0;
  for (; text[i] && i + 1 < size; i++) out[i] = (char)tolower((unsigned char)text[i]);
  out[i] = 0;
}

static void row_json(json_t *j, uint32_t m, const validate_row_t *r) {
  char id[32];
  lower(id, sizeof id, validate_name(m));
  json_begin_object(j);
  json_key(j, "id"), json_str(j, id);
  json_key(j, "name"), json_str(j, r->name);
  json_key(j, "unit"), json_str(j, r->unit);
  json_key(j, "value"), json_ratio(j, r->value, VALIDATE_THOUSAND, 3);
  json_key(j, "published");
  if (r->published) {
    json_begin_object(j);
    json_key(j, "low"), json_ratio(j, r->published->low, VALIDATE_THOUSAND, 3);
    json_key(j, "high"), json_ratio(j, r->published->high, VALIDATE_THOUSAND, 3);
    json_key(j, "source"), json_str(j, r->published->source);
    json_end_object(j);
  } else {
    json_null(j);
  }
  json_key(j, "verdict"), json_str(j, r->verdict ? verdict_word(r->verdict) : NULL);
  json_end_object(j);
}

static void results_json(const wish_t *w, const result_t *r, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "gpus");
  json_begin_array(j);
  for (uint32_t i = 0; i < w->gpus; i++) {
    json_begin_object(j);
    json_key(j, "gpu"), json_str(j, r[i].gpu);
    json_key(j, "dram_peak_mbs"), json_u64(j, r[i].found.peak);
    json_key(j, "holds"), json_u64(j, count_of(&r[i].found, VERDICT_HOLDS));
    json_key(j, "off"), json_u64(j, count_of(&r[i].found, VERDICT_OFF));
    json_key(j, "rows");
    json_begin_array(j);
    for (uint32_t m = 0; m < VALIDATE_COUNT; m++)
      if (r[i].found.row[m].known) row_json(j, m, &r[i].found.row[m]);
    json_end_array(j);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

/* ---- the command ---- */

static bool is_preset(const char *gpu) {
  for (const preset_t *p = preset_all; p->name; p++)
    if (strcmp(p->kind, "gpu") == 0 && strcmp(p->name, gpu) == 0) return true;
  return false;
}

static int take(wish_t *w, const cli_t *c, int id) {
  switch (id) {
  case ARG_JSON: w->json = true; break;
  case ARG_MARKDOWN: w->markdown = true; break;
  case ARG_NO_TLB: w->no_tlb = true; break;
  case ARG_HTML: w->html = c->value; return cli_file(c, "html") ? CLI_DONE : CLI_USAGE;
  case 'o': w->output = c->value; break;
  case 's':
    if (!strchr(c->value, '=')) return cli_usage(c, "-s takes KEY=VALUE, not \"%s\"", c->value);
    if (w->settings == MAX_SETTINGS) return cli_usage(c, "more than %u settings", MAX_SETTINGS);
    w->setting[w->settings++] = c->value;
    break;
  default:
    if (w->gpus == MAX_GPUS) return cli_usage(c, "more than %u GPUs", MAX_GPUS);
    w->gpu[w->gpus++] = c->value;
  }
  return CLI_DONE;
}

static int build(const wish_t *w, const char *gpu, gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", gpu, e);
  for (uint32_t i = 0; rc == 0 && i < w->settings; i++) {
    char key[128];
    size_t n = strcspn(w->setting[i], "=");
    if (n >= sizeof key) return err_set(e, GMMU_ERANGE, "the name of a setting is too long");
    memcpy(key, w->setting[i], n), key[n] = 0;
    rc = gpu_spec_set(spec, key, w->setting[i] + n + 1, e);
  }
  return rc;
}

static void show_progress(void *ctx, const char *what) {
  progress_state_t s = {.what = what, .permille = UINT32_MAX};
  if (progress_due(ctx)) progress_show(ctx, &s);
}

static int measure(wish_t *w, result_t *r) {
  err_t e = {0};
  validate_options_t o = {
      .tlb = !w->no_tlb, .progress = show_progress, .ctx = &w->progress, .stop = stop_asked};
  for (uint32_t i = 0; i < w->gpus; i++) {
    gpu_spec_t spec;
    if (build(w, w->gpu[i], &spec, &e) < 0) return cli_refuse(&e);
    r[i].gpu = w->gpu[i];
    if (validate_gpu(&spec, w->gpu[i], &o, &r[i].found, &e) < 0) return cli_fail(&e);
  }
  return CLI_DONE;
}

static int print(const wish_t *w, const result_t *r) {
  json_t j;
  json_init(&j);
  if (w->json) {
    results_json(w, r, &j);
  } else {
    if (w->markdown)
      strbuf_printf(&j.out, "# Validation\n\n%s\n\n", intro);
    else
      cli_screen(&j.out, w->output);
    for (uint32_t i = 0; i < w->gpus; i++)
      add_result(&r[i], w->markdown ? TABLE_MARKDOWN : TABLE_TEXT, &j.out);
  }
  int status = cli_output(w->output, &j.out);
  json_fini(&j);
  return status == CLI_DONE && w->html ? write_html(w, r) : status;
}

static int run(cli_t *c) {
  static result_t results[MAX_GPUS];
  wish_t w = {0};
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(&w, c, id);
  if (status != CLI_DONE) return status;
  if (w.json && w.markdown) return cli_usage(c, "either --json or --markdown");
  if (!w.gpus)
    for (uint32_t i = 0; published_gpu(i); i++)
      if (is_preset(published_gpu(i))) w.gpu[w.gpus++] = published_gpu(i);
  stop_listen();
  progress_begin(&w.progress);
  status = measure(&w, results);
  return status == CLI_DONE ? print(&w, results) : status;
}

const subcommand_t cmd_validate = {
    .name = "validate",
    .summary = "measure GPUs by microbenchmarks, beside what was published of the chips",
    .usage = "[OPTION]... [GPU]...",
    .details =
        "GPUs are presets or YAML files; without any, all presets of chips that figures were\n"
        "published of. docs/validation.md is made by `gmmu validate --markdown`.\n"
        "\n"
        "  gmmu validate v100\n"
        "  gmmu validate --no-tlb --html page.html k80 p100\n"
        "  gmmu validate -s dram.standard=gddr5 my.yaml\n",
    .options = options,
    .run = run,
};
