/* gmmu explain: what translation costs an application, why, and what wins it back. All machines run
 * at once, each in a process of its own; explain.h says which, and what follows from them. */
#include "base/stop.h"
#include "cli.h"
#include "config.h"
#include "explain/explain_text.h"
#include "gpu/gpu.h"
#include "lab/jobs.h"
#include "workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_CYCLES 2000
#define BASELINE     "native" /* the GPU as its preset has it */

enum {
  ARG_JSON = ARG_OWN,
  ARG_HTML,
  ARG_INSTRUCTIONS,
  ARG_CYCLES,
  ARG_BOUNDS,
  ARG_CAUSES,
  ARG_INPUT
};

static const cli_option_t options[] = {
    CONFIG_OPTIONS("the design that is explained (" BASELINE "), then those to compare it with"),
    CONFIG_WINDOWS,
    {ARG_INPUT, "input", "FILE", WORKLOAD_INPUT_HELP},
    {'j', "jobs", "N", "runs at once (as many as processors)"},
    {ARG_INSTRUCTIONS, "instructions", "N", "only the first N warp instructions of each run"},
    {ARG_JSON, "json", NULL, "the verdict and its runs, as one JSON document"},
    {ARG_HTML, "html", "FILE", "also a page with the stall stacks before and after"},
    {ARG_CAUSES, "causes", NULL, "no other designs: only the causes"},
    {ARG_BOUNDS, "bounds", "WHAT", PROGRAM_BOUNDS_HELP},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

typedef struct {
  config_t config;
  workload_t work;
  gpu_limits_t limits;
  uint32_t parallel;
  bool json, causes_only;
  const char *html, *output;
  explain_t x;
} cmd_t;

/* ---- arguments ------------------------------------------------------------------------------- */

static int take(cmd_t *m, const cli_t *c, int id) {
  uint64_t n = 0;
  switch (id) {
  case CLI_ARGUMENT: return workload_take(&m->work, c);
  case 'j':
    if (!cli_number(c, "jobs", 1, 64, &n)) return CLI_USAGE;
    m->parallel = (uint32_t)n;
    break;
  case ARG_INSTRUCTIONS:
    return cli_number(c, "instructions", 1, UINT64_MAX / 2, &m->limits.instructions) ? CLI_DONE
                                                                                     : CLI_USAGE;
  case ARG_INPUT: m->work.input = c->value; return cli_file(c, "input") ? CLI_DONE : CLI_USAGE;
  case ARG_JSON: m->json = true; break;
  case ARG_CAUSES: m->causes_only = true; break;
  case ARG_HTML: m->html = c->value; return cli_file(c, "html") ? CLI_DONE : CLI_USAGE;
  case ARG_BOUNDS: return program_bounds(c, &m->work.bounds);
  case 'o': m->output = c->value; break;
  default: return config_take(&m->config, c, id);
  }
  return CLI_DONE;
}

static int parse(cmd_t *m, cli_t *c) {
  int id, status = workload_split(&m->work, c);
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(m, c, id);
  if (status == CLI_DONE) status = workload_take_programs(&m->work, c);
  if (status != CLI_DONE) return status;
  if (!m->work.apps) return cli_usage(c, WORKLOAD_MISSING);
  if (m->work.apps > 1)
    return cli_usage(c, "explain takes one application: what it costs alone is the question");
  if (m->causes_only && m->config.designs > 1)
    return cli_usage(c, "--causes compares with no other design");
  return config_default(&m->config, BASELINE);
}

/* ---- machines -------------------------------------------------------------------------------- */

/* Those that change something for a single application. */
static const char *const compared[] = {"pwcache", "mask",     "gpu-mmu-2m",
                                       "mosaic",  "valkyrie", "neidty"};

static void plan(cmd_t *m, const gpu_spec_t *spec) {
  explain_plan(&m->x, spec, m->config.design[0]);
  for (uint32_t d = 1; d < m->config.designs; d++) explain_add_design(&m->x, m->config.design[d]);
  if (m->config.designs > 1 || m->causes_only) return;
  for (uint32_t i = 0; i < sizeof compared / sizeof *compared; i++)
    if (strcmp(compared[i], m->config.design[0]) != 0) explain_add_design(&m->x, compared[i]);
}

static int apply(const cause_settings_t *s, gpu_spec_t *spec, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < s->count && rc == 0; i++) {
    char key[CAUSE_BYTES], *equals;
    snprintf(key, sizeof key, "%s", s->at[i]);
    equals = strchr(key, '=');
    *equals = 0;
    rc = gpu_spec_set(spec, key, equals + 1, e);
  }
  return rc;
}

static int build(const cmd_t *m, const explain_run_t *r, gpu_spec_t *spec, err_t *e) {
  int rc = config_build_named(&m->config, r->kind == EXPLAIN_DESIGN ? r->name : m->config.design[0],
                              spec, e);
  if (rc == 0) rc = apply(&r->settings, spec, e);
  if (rc == 0) spec->observe.origins = r->kind == EXPLAIN_BASE; /* who is responsible */
  return rc;
}

static int simulate(gpu_t *g, const gpu_limits_t *limits, err_t *e) {
  int rc = 0;
  while (rc == 0 && !stop_asked()) rc = gpu_run(g, limits, gpu_cycles(g) + SLICE_CYCLES, e);
  if (rc == 0) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
  gpu_settle(g);
  return rc < 0 ? rc : GMMU_OK;
}

static void add_json(const gpu_t *g, strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  strbuf_add(out, strbuf_text(&j.out), j.out.size);
  out->failed |= j.out.failed;
  json_fini(&j);
}

/* In a child: a summary, and of the base its JSON behind it. */
static int run_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  cmd_t *m = ctx;
  const explain_run_t *r = &m->x.run[job];
  gpu_spec_t spec;
  app_spec_t app = {.name = m->work.name[0]};
  gpu_t *g = NULL;
  gpu_summary_t s;
  int rc = build(m, r, &spec, e);
  if (rc == 0) rc = workload_open(&m->work, 0, &app.source, e);
  if (rc == 0) rc = gpu_new(&spec, &app, 1, &g, e);
  if (rc == 0) rc = simulate(g, &m->limits, e);
  if (rc == 0) {
    gpu_summary(g, 0, &s);
    strbuf_add(result, (const char *)&s, sizeof s);
    if (r->kind == EXPLAIN_BASE) add_json(g, result);
  }
  gpu_free(g);
  if (app.source) app.source->ops->free(app.source);
  return rc;
}

static int job_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  cmd_t *m = ctx;
  explain_run_t *r = &m->x.run[job];
  if (e->code == GMMU_EINTERRUPTED) return e->code;
  if (!result || result->size < sizeof r->stats) {
    r->error = *e;
    /* Without these there is no verdict; another design need not fit the GPU. */
    return r->kind == EXPLAIN_DESIGN || r->kind == EXPLAIN_CAUSE ? GMMU_OK : e->code;
  }
  memcpy(&r->stats, strbuf_text(result), sizeof r->stats);
  r->done = true;
  r->short_of = (r->cause == CAUSE_L1_REACH && r->stats.l1tlb_evictions) ||
                (r->cause == CAUSE_L2_REACH && r->stats.further_evictions);
  if (result->size > sizeof r->stats) r->json = strdup(strbuf_text(result) + sizeof r->stats);
  return GMMU_OK;
}

/* A link that nothing passes is no cause; the base knows. */
static job_ready_t job_ready(void *ctx, uint32_t job, err_t *e) {
  cmd_t *m = ctx;
  explain_run_t *r = &m->x.run[job];
  (void)e;
  if (r->settings.none) return JOB_DONE;
  if (r->cause != CAUSE_LINK) return JOB_GO;
  if (!m->x.run[0].done) return JOB_LATER;
  if (m->x.run[0].stats.link_bytes) return JOB_GO;
  r->settings.none = "nothing goes over the link";
  return JOB_DONE;
}

static int run_all(cmd_t *m) {
  err_t e = {0};
  const jobs_t jobs = {.run = run_job,
                       .done = job_done,
                       .ready = job_ready,
                       .ctx = m,
                       .jobs = m->x.runs,
                       .parallel = m->parallel,
                       .lines = true,
                       .what = "explain"};
  return jobs_run(&jobs, &e) < 0 ? cli_refuse(&e) : CLI_DONE;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void operand(const cmd_t *m, strbuf_t *out) {
  if (!m->work.programs.count) {
    strbuf_shell_word(out, m->work.app[0]);
    return;
  }
  strbuf_str(out, " --");
  for (char **word = m->work.programs.argv[0]; *word; word++) strbuf_shell_word(out, *word);
}

static void settings(const config_t *c, strbuf_t *out) {
  for (uint32_t i = 0; i < c->settings; i++) {
    strbuf_t s;
    strbuf_init(&s);
    strbuf_printf(&s, "%s=%s", c->key[i], config_value(c, i));
    strbuf_str(out, " -s");
    strbuf_shell_word(out, strbuf_text(&s));
    strbuf_fini(&s);
  }
}

static int print_page(const cmd_t *m, const explain_view_t *w) {
  strbuf_t page;
  strbuf_init(&page);
  explain_html(w, &page);
  int status = cli_data(m->html, &page);
  strbuf_fini(&page);
  return status;
}

static int print_view(const cmd_t *m, const explain_view_t *w) {
  json_t j;
  strbuf_t text;
  json_init(&j), strbuf_init(&text);
  cli_screen(&text, m->output);
  if (m->json)
    explain_json(w, &j);
  else
    explain_text(w, &text);
  int status = cli_output(m->output, m->json ? &j.out : &text);
  json_fini(&j), strbuf_fini(&text);
  return status == CLI_DONE && m->html ? print_page(m, w) : status;
}

static int print(const cmd_t *m) {
  explain_verdict_t v;
  strbuf_t set, rest;
  if (!explain_judge(&m->x, &v)) return CLI_FAILED; /* said when it failed */
  strbuf_init(&set), strbuf_init(&rest);
  settings(&m->config, &set), operand(m, &rest);
  const explain_view_t w = {.x = &m->x,
                            .v = &v,
                            .gpu = m->config.gpu,
                            .name = m->work.name[0],
                            .source = m->work.app[0],
                            .settings = strbuf_text(&set),
                            .operand = strbuf_text(&rest)};
  int status = print_view(m, &w);
  strbuf_fini(&set), strbuf_fini(&rest);
  return status;
}

static int explain(cmd_t *m) {
  static const uint32_t no_division[GMMU_MAX_APPS];
  gpu_spec_t spec;
  err_t e = {0};
  if (config_build(&m->config, 0, &spec, &e) < 0) return cli_refuse(&e);
  workload_name(&m->work);
  m->work.quiet = m->json && !m->output;
  plan(m, &spec);
  for (uint32_t i = 0; i < m->x.runs; i++) {
    gpu_spec_t other;
    if (m->x.run[i].kind == EXPLAIN_DESIGN && build(m, &m->x.run[i], &other, &e) < 0)
      return cli_refuse(&e);
  }
  stop_listen();
  if (m->work.programs.count && workload_try(&m->work, &spec, no_division, &e) < 0)
    return cli_refuse(&e);
  int status = workload_files(&m->work, &spec, m->config.gpu);
  if (status == CLI_DONE) status = workload_record(&m->work, &spec, m->config.gpu);
  if (status == CLI_DONE) status = run_all(m);
  return status == CLI_DONE ? workload_say_ends(&m->work, print(m)) : status;
}

static int run(cli_t *c) {
  cmd_t *m = calloc(1, sizeof *m);
  if (!m) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  config_init(&m->config);
  int status = parse(m, c);
  if (status == CLI_DONE) status = explain(m);
  explain_fini(&m->x);
  workload_fini(&m->work);
  config_fini(&m->config);
  free(m);
  return status;
}

const subcommand_t cmd_explain = {
    .name = "explain",
    .summary = "what translation costs an application, why, and what wins it back",
    .usage = "[OPTION]... APP | [OPTION]... -- PROGRAM [ARGUMENT]...",
    .details =
        "Runs the application (as `gmmu run` takes it) on the GPU, with ideal translation, and on\n"
        "machines that each lack one of eleven causes: the reach of the L1 TLB, of the L2 TLB,\n"
        "its ports, MSHRs of the first and of further levels, walker threads, the walks' latency\n"
        "in L2 and in DRAM, DRAM bandwidth, far faults, the link's bandwidth. The cause whose\n"
        "removal regains most is named, those within a quarter of it as well; or none is, if\n"
        "none regains 2 % of the time. docs/explain.md tells how to read it.\n"
        "The first name of --design is the machine that is explained, the others are compared\n"
        "with it; without any, some that are known to help.\n"
        "\n"
        "  gmmu explain bfs2:size=tiny\n"
        "  gmmu explain --gpu v100 --html why.html -- ./my_program 1000000\n"
        "  gmmu explain --design sharedtlb,mosaic chase:steps=8\n"
        "  gmmu explain --causes -s mem.paging=demand stream:footprint=1M\n",
    .options = options,
    .run = run,
};
