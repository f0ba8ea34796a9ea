/* gmmu arena: which mechanism wins where. A study whose designs are mechanisms, compared with a
 * baseline and with ideal translation; text, JSON or a page. */
#include "base/json.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "damage.h"
#include "lab/contest.h"
#include <stdlib.h>
#include <string.h>

enum { ARG_STORE = CLI_LONG_ONLY, ARG_JSON, ARG_HTML, ARG_DRAW, ARG_PLAN, ARG_RETRY };

static const cli_option_t options[] = {
    {'j', "jobs", "N", "runs at once (one per processor)"},
    {ARG_STORE, "store", "FILE", "the results store (~/.local/share/gmmu/results.db)"},
    {ARG_DRAW, "draw", "N", "without a study: so many applications of each kind are drawn (3)"},
    {ARG_PLAN, "plan", NULL, "without a study: print the one that would be run"},
    {ARG_RETRY, "retry", NULL, "runs that failed before are run again"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {ARG_HTML, "html", "FILE", "also as a page of its own"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

typedef struct {
  contest_t arena;
  lab_t *lab;
  const char *study, *store, *html, *output;
  uint64_t parallel, draw;
  bool json, plan, retry;
} args_t;

/* ---- text ------------------------------------------------------------------------------------ */

/* "+5.3": percent. */
static void percent(strbuf_t *out, micro_t v) {
  uint64_t tenths = ((uint64_t)(v < 0 ? -v : v) + 500) / 1000;
  strbuf_printf(out, "%s%llu.%llu", tenths ? v < 0 ? "-" : "+" : "",
                (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

static void spread(strbuf_t *out, const contest_gain_t *g) {
  if (!g->count) {
    strbuf_str(out, "-");
    return;
  }
  percent(out, g->least);
  strbuf_str(out, " to ");
  percent(out, g->most);
}

static void mean(strbuf_t *out, const contest_gain_t *g) {
  if (g->count)
    percent(out, g->mean);
  else
    strbuf_str(out, "-");
}

/* Of what ideal translation wins, the mechanism's part. */
static void share_of(strbuf_t *out, const contest_rank_t *r) {
  if (!r->gain.count || r->ideal.mean <= 0)
    strbuf_str(out, "-");
  else
    percent(out, micro_div(r->gain.mean, r->ideal.mean));
}

enum {
  PLACE_GPU,
  PLACE_WORK,
  PLACE_IDEAL,
  PLACE_FIRST,
  PLACE_GAIN,
  PLACE_SPREAD,
  PLACE_SECOND,
  PLACE_ITS,
  PLACE_APART,
  PLACE_CELLS
};
static const char *const place_column[PLACE_CELLS] = {
    "GPU", "workload", "ideal %", "first", "gain %", "over seeds", "second", "gain %", "apart"};

static void place_cell(const contest_t *a, uint32_t at, uint32_t i, strbuf_t *out) {
  const contest_place_t *p = &a->place[at];
  const contest_gain_t none = {0}, *of = &a->gain[(size_t)at * a->designs];
  const contest_gain_t *first = p->first == CONTEST_NONE ? &none : &of[p->first];
  const contest_gain_t *second = p->second == CONTEST_NONE ? &none : &of[p->second];
  switch (i) {
  case PLACE_GPU: strbuf_str(out, p->gpu); break;
  case PLACE_WORK: strbuf_str(out, p->workload); break;
  case PLACE_IDEAL: mean(out, &p->ideal); break;
  case PLACE_FIRST: strbuf_str(out, first->count ? contest_design(a, p->first) : "-"); break;
  case PLACE_GAIN: mean(out, first); break;
  case PLACE_SPREAD: spread(out, first); break;
  case PLACE_SECOND: strbuf_str(out, second->count ? contest_design(a, p->second) : "-"); break;
  case PLACE_ITS: mean(out, second); break;
  default: strbuf_str(out, !second->count ? "-" : p->apart ? "yes" : "no");
  }
}

enum {
  RANK_GPU,
  RANK_DESIGN,
  RANK_GAIN,
  RANK_SPREAD,
  RANK_WINS,
  RANK_BYTES,
  RANK_FRONT,
  RANK_PART,
  RANK_CELLS
};
static const char *const rank_column[RANK_CELLS] = {
    "GPU",   "mechanism",      "gain %",       "over workloads",
    "first", "storage, bytes", "on the front", "of what ideal wins, %"};

static void rank_cell(const contest_t *a, uint32_t at, uint32_t i, strbuf_t *out) {
  const contest_rank_t *r = &a->rank[at];
  switch (i) {
  case RANK_GPU: strbuf_str(out, r->gpu); break;
  case RANK_DESIGN: strbuf_str(out, r->design); break;
  case RANK_GAIN: mean(out, &r->gain); break;
  case RANK_SPREAD: spread(out, &r->gain); break;
  case RANK_WINS: strbuf_printf(out, "%u", r->wins); break;
  case RANK_BYTES:
    strbuf_printf(out, "%llu%s", (unsigned long long)r->bytes, r->entries ? " + queues" : "");
    break;
  case RANK_FRONT: strbuf_str(out, r->front ? "yes" : "no"); break;
  default: share_of(out, r);
  }
}

typedef void (*cell_fn)(const contest_t *a, uint32_t at, uint32_t i, strbuf_t *out);
static bool is_number(const char *column) {
  return strchr(column, '%') || strstr(column, "bytes") || strstr(column, "over ");
}

static void add_table(const contest_t *a, const char *const *column, uint32_t columns,
                      uint32_t rows, cell_fn cell, strbuf_t *out) {
  table_t t;
  strbuf_t text;
  table_init(&t);
  strbuf_init(&text);
  for (uint32_t i = 0; i < columns; i++)
    table_column(&t, column[i], is_number(column[i]) ? TABLE_RIGHT : TABLE_LEFT);
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t i = 0; i < columns; i++) {
      strbuf_clear(&text);
      cell(a, r, i, &text);
      table_cell(&t, strbuf_text(&text));
    }
  table_render(&t, TABLE_TEXT, out);
  strbuf_fini(&text);
  table_fini(&t);
}

static uint32_t places(const contest_t *a) { return a->gpus * a->workloads; }
static uint32_t ranks(const contest_t *a) { return a->gpus * a->designs; }

static const char intro[] = "gains in instructions per cycle, mean of a workload's applications";

static void contest_text(const contest_t *a, strbuf_t *out) {
  strbuf_printf(out, "gmmu %s, %s: %s, over %s\n\nWho wins where\n\n", GMMU_VERSION, a->sweep.name,
                intro, a->baseline);
  add_table(a, place_column, PLACE_CELLS, places(a), place_cell, out);
  strbuf_str(out, "\nWhat each is worth\n\n");
  add_table(a, rank_column, RANK_CELLS, ranks(a), rank_cell, out);
  strbuf_str(out, "\nOn the front: no other wins as much for less storage, nor more for as much. "
                  "Apart: ahead with\nevery seed of both. Nobody is first who gains less than 0.1 "
                  "%. Storage is what gmmu cost counts beyond "
                  "the baseline's.\n");
  if (a->failed) strbuf_printf(out, "%u runs have no result; the first: %s\n", a->failed, a->why);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void micro_json(json_t *j, const char *key, micro_t v) { json_key(j, key), json_i64(j, v); }

static void gain_json(json_t *j, const char *key, const contest_gain_t *g) {
  json_key(j, key);
  if (!g->count) {
    json_null(j);
    return;
  }
  json_begin_object(j);
  micro_json(j, "mean_millionths", g->mean);
  micro_json(j, "least_millionths", g->least);
  micro_json(j, "most_millionths", g->most);
  json_key(j, "count"), json_u64(j, g->count);
  json_end_object(j);
}

static void place_json(const contest_t *a, uint32_t at, json_t *j) {
  const contest_place_t *p = &a->place[at];
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, p->gpu);
  json_key(j, "workload"), json_str(j, p->workload);
  gain_json(j, "ideal", &p->ideal);
  json_key(j, "first"), json_str(j, p->first == CONTEST_NONE ? NULL : contest_design(a, p->first));
  json_key(j, "apart"), json_bool(j, p->apart);
  json_key(j, "mechanisms");
  json_begin_array(j);
  for (uint32_t d = 0; d < a->designs; d++) {
    json_begin_object(j);
    json_key(j, "mechanism"), json_str(j, contest_design(a, d));
    gain_json(j, "gain", &a->gain[(size_t)at * a->designs + d]);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

static void rank_json(const contest_rank_t *r, json_t *j) {
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, r->gpu);
  json_key(j, "mechanism"), json_str(j, r->design);
  gain_json(j, "gain", &r->gain);
  gain_json(j, "ideal", &r->ideal);
  json_key(j, "first"), json_u64(j, r->wins);
  json_key(j, "storage_bytes"), json_u64(j, r->bytes);
  json_key(j, "adds_queue_entries"), json_bool(j, r->entries);
  json_key(j, "front"), json_bool(j, r->front);
  json_end_object(j);
}

static void contest_json(const contest_t *a, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "study"), json_str(j, a->sweep.name);
  json_key(j, "baseline"), json_str(j, a->baseline);
  json_key(j, "workloads");
  json_begin_array(j);
  for (uint32_t i = 0; i < places(a); i++) place_json(a, i, j);
  json_end_array(j);
  json_key(j, "mechanisms");
  json_begin_array(j);
  for (uint32_t i = 0; i < ranks(a); i++) rank_json(&a->rank[i], j);
  json_end_array(j);
  json_key(j, "without_result"), json_u64(j, a->failed);
  json_end_object(j);
}

/* ---- a page ---------------------------------------------------------------------------------- */

static void html_table(const contest_t *a, const char *const *column, uint32_t columns,
                       uint32_t rows, cell_fn cell, strbuf_t *out) {
  strbuf_t text;
  strbuf_init(&text);
  strbuf_str(out, "<div class=\"wide\"><table>\n<tr>");
  for (uint32_t i = 0; i < columns; i++)
    strbuf_printf(out, "<th%s>%s</th>", is_number(column[i]) ? " class=\"n\"" : "", column[i]);
  strbuf_str(out, "</tr>\n");
  for (uint32_t r = 0; r < rows; r++) {
    strbuf_str(out, "<tr>");
    for (uint32_t i = 0; i < columns; i++) {
      strbuf_clear(&text);
      cell(a, r, i, &text);
      strbuf_printf(out, "<td%s>", is_number(column[i]) ? " class=\"n\"" : "");
      strbuf_html(out, strbuf_text(&text));
      strbuf_str(out, "</td>");
    }
    strbuf_str(out, "</tr>\n");
  }
  strbuf_str(out, "</table></div>\n");
  strbuf_fini(&text);
}

#define PLOT_WIDTH  520
#define PLOT_HEIGHT 280
#define PLOT_NAME   17  /* of a line of names */
#define PLOT_NAMES  220 /* of their column */
#define PLOT_LEFT   40
#define PLOT_TOP    20
#define PLOT_BOTTOM 40

static uint32_t log2_of(uint64_t x) { return x ? 64 - (uint32_t)__builtin_clzll(x) : 0; }

/* Designs with a result, the largest gain first; returns how many. */
static uint32_t by_gain(const contest_rank_t *r, uint32_t designs, uint32_t *order) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < designs; d++) {
    if (!r[d].gain.count) continue;
    uint32_t i = n++;
    for (; i && r[order[i - 1]].gain.mean < r[d].gain.mean; i--) order[i] = order[i - 1];
    order[i] = d;
  }
  return n;
}

/* Gain over storage, whose axis is in powers of two; those on the front are filled. Names are in a
 * column beside it, in the order of gains. */
static void html_plot(const contest_t *a, uint32_t gpu, strbuf_t *out) {
  const contest_rank_t *r = &a->rank[gpu * a->designs];
  uint32_t *order = calloc(a->designs, sizeof *order), widest = 1;
  if (!order) return;
  uint32_t n = by_gain(r, a->designs, order);
  micro_t most = n && r[order[0]].gain.mean > 1 ? r[order[0]].gain.mean : 1;
  micro_t least = n && r[order[n - 1]].gain.mean < 0 ? r[order[n - 1]].gain.mean : 0;
  for (uint32_t i = 0; i < n; i++)
    if (log2_of(r[order[i]].bytes) > widest) widest = log2_of(r[order[i]].bytes);
  uint32_t height = n * PLOT_NAME > PLOT_HEIGHT ? n * PLOT_NAME : PLOT_HEIGHT;
  uint32_t zero = PLOT_TOP + (uint32_t)((uint64_t)most * height / (uint64_t)(most - least));
  uint32_t right = PLOT_LEFT + PLOT_WIDTH;
  strbuf_printf(out,
                "<svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"gain over storage\">\n"
                "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke=\"currentColor\"/>\n"
                "<text x=\"4\" y=\"%u\">0 %%</text>\n<text x=\"%u\" y=\"%u\">storage in bytes, "
                "powers of two: 0 to 2^%u</text>\n",
                right + PLOT_NAMES, PLOT_TOP + height + PLOT_BOTTOM, PLOT_LEFT, right, zero, zero,
                zero + 4, PLOT_LEFT, PLOT_TOP + height + PLOT_BOTTOM - 8, widest);
  for (uint32_t i = 0; i < n; i++) {
    const contest_rank_t *d = &r[order[i]];
    uint32_t x = PLOT_LEFT + log2_of(d->bytes) * PLOT_WIDTH / widest;
    uint32_t y =
        PLOT_TOP + (uint32_t)((uint64_t)(most - d->gain.mean) * height / (uint64_t)(most - least));
    uint32_t name = PLOT_TOP + i * height / (n > 1 ? n - 1 : 1);
    strbuf_printf(out,
                  "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke=\"currentColor\" "
                  "opacity=\".25\"/><circle cx=\"%u\" cy=\"%u\" r=\"5\" stroke=\"currentColor\" "
                  "fill=\"%s\"/><text x=\"%u\" y=\"%u\">",
                  x + 5, right + 16, y, name, x, y, d->front ? "currentColor" : "none", right + 20,
                  name + 4);
    strbuf_html(out, d->design);
    strbuf_str(out, " ");
    percent(out, d->gain.mean);
    strbuf_str(out, " %</text>\n");
  }
  strbuf_str(out, "</svg>\n");
  free(order);
}

static int write_html(const cli_t *c, const args_t *w) {
  const contest_t *a = &w->arena;
  strbuf_t page, command;
  strbuf_init(&page), strbuf_init(&command);
  cli_command(c, &command);
  strbuf_str(
      &page,
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>gmmu arena</title>\n"
      "<style>\n:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;"
      "max-width:75rem;margin:2rem auto;padding:0 1rem}\n"
      "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
      "div.wide{overflow-x:auto}\nth,td{padding:.25rem .7rem;border-bottom:1px solid;"
      "text-align:left}td.n,th.n{text-align:right;white-space:nowrap}\n"
      "svg{width:100%;max-width:50rem;height:auto;font:13px system-ui,sans-serif}"
      "svg text{fill:currentColor}\n</style></head><body>\n<h1>Which mechanism wins where: ");
  strbuf_html(&page, a->sweep.name);
  strbuf_printf(&page, "</h1>\n<p>gmmu %s: %s, over <code>", GMMU_VERSION, intro);
  strbuf_html(&page, a->baseline);
  strbuf_str(&page, "</code>. Made by <code>");
  strbuf_html(&page, strbuf_text(&command));
  strbuf_str(&page, "</code>.</p>\n<h2>Who wins where</h2>\n");
  html_table(a, place_column, PLACE_CELLS, places(a), place_cell, &page);
  strbuf_str(&page, "<p>Apart: ahead with every seed of both. Nobody is first who gains less than "
                    "0.1 %. Ideal translation "
                    "is no upper bound: a program that waits less for translation may wait more "
                    "for DRAM.</p>\n<h2>What each is worth</h2>\n");
  html_table(a, rank_column, RANK_CELLS, ranks(a), rank_cell, &page);
  strbuf_str(&page, "<p>On the front, and filled below: no other wins as much for less storage, "
                    "nor more for as much.</p>\n");
  for (uint32_t g = 0; g < a->gpus; g++) {
    strbuf_str(&page, "<h2>Gain over storage on ");
    strbuf_html(&page, contest_gpu(a, g));
    strbuf_str(&page, "</h2>\n");
    html_plot(a, g, &page);
  }
  strbuf_str(&page, "</body></html>\n");
  int status = cli_data(w->html, &page);
  strbuf_fini(&page), strbuf_fini(&command);
  return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int take(args_t *w, const cli_t *c, int id) {
  bool ok = true;
  switch (id) {
  case CLI_ARGUMENT:
    if (w->study) return cli_usage(c, "one study at a time: \"%s\" is the second", c->value);
    w->study = c->value;
    break;
  case 'j': ok = cli_number(c, "jobs", 1, 64, &w->parallel); break;
  case ARG_STORE: w->store = c->value; break;
  case ARG_DRAW: ok = cli_number(c, "draw", 1, 64, &w->draw); break;
  case ARG_PLAN: w->plan = true; break;
  case ARG_RETRY: w->retry = true; break;
  case ARG_JSON: w->json = true; break;
  case ARG_HTML: w->html = c->value, ok = cli_file(c, "html"); break;
  case 'o': w->output = c->value; break;
  }
  return ok ? CLI_DONE : CLI_USAGE;
}

static int print(const cli_t *c, const args_t *w) {
  json_t j;
  json_init(&j);
  if (w->json) {
    contest_json(&w->arena, &j);
  } else {
    cli_screen(&j.out, w->output);
    contest_text(&w->arena, &j.out);
  }
  int status = cli_output(w->output, &j.out);
  json_fini(&j);
  return status == CLI_DONE && w->html ? write_html(c, w) : status;
}

/* The study: a file, or the usual plan. */
static int plan(args_t *w, strbuf_t *text, err_t *e) {
  if (w->study) return contest_read(&w->arena, w->study, NULL, e);
  int rc = contest_usual_plan(w->lab, w->draw ? (uint32_t)w->draw : 3, text, e);
  return rc < 0 || w->plan ? rc : contest_read(&w->arena, "arena", strbuf_text(text), e);
}

static int compete(const cli_t *c, args_t *w) {
  err_t e = {0};
  strbuf_t text;
  int status = CLI_DONE;
  strbuf_init(&text);
  int rc = lab_open(w->store, STORE_WRITE, (uint32_t)w->parallel, &w->lab, &e);
  if (rc == 0) {
    lab_set_retry(w->lab, w->retry ? LAB_RETRY_ALL : LAB_RETRY_NONE);
    stop_listen();
    w->arena.sweep.lab = w->lab;
    rc = plan(w, &text, &e);
  }
  if (rc == 0 && w->plan)
    status = cli_output(w->output, &text);
  else if (rc == 0 && (rc = contest_run(&w->arena, &e)) == 0)
    status = print(c, w);
  strbuf_fini(&text);
  if (rc < 0) return cli_fail(&e);
  return status == CLI_DONE && w->arena.failed ? CLI_FAILED : status;
}

static int run(cli_t *c) {
  args_t *w = calloc(1, sizeof *w);
  int id, status = CLI_DONE;
  if (!w) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(w, c, id);
  if (status == CLI_DONE && w->plan && w->json)
    status = cli_usage(c, "--plan prints a study, which is YAML: no --json beside it");
  if (status == CLI_DONE && w->study && (w->plan || w->draw))
    status = cli_usage(c, "--plan and --draw are for an arena without a study");
  if (status == CLI_DONE) status = compete(c, w);
  if (w->lab) damage_warn(lab_store(w->lab), lab_store_path(w->lab), DAMAGE_AGAIN);
  contest_fini(&w->arena);
  lab_close(w->lab);
  free(w);
  return status;
}

const subcommand_t cmd_arena = {
    .name = "arena",
    .summary = "mechanisms against each other: who wins where, and what it costs",
    .usage = "[OPTION]... [STUDY.yaml]",
    .details =
        "A study (gmmu sweep) whose designs are mechanisms. Each of its runs is compared with the\n"
        "same run under the study's baseline (native) and with ideal translation. Printed are the\n"
        "winner of each workload with the spread over seeds, and of each mechanism its gain, its\n"
        "storage beyond the baseline's, whether it is on the Pareto front of both, and its part "
        "of\n"
        "what ideal translation wins. A design may be a stack: mosaic+marching, mosaic+mine.yaml;\n"
        "two that set the same option are refused.\n"
        "\n"
        "Without a study, applications of the suite are drawn by statistics under the baseline:\n"
        "MASK's by page walks per instruction and by page reuse, those sized by footprint by page\n"
        "walks, at equal distances from most to least. Runs are kept in the store: Ctrl-C loses\n"
        "nothing, and gmmu sweep may run the plan under MPI or Slurm before.\n"
        "\n"
        "  gmmu arena --html arena.html\n"
        "  gmmu arena --plan -o arena.yaml\n"
        "  gmmu arena --json study.yaml\n",
    .options = options,
    .run = run,
};
