/* gmmu characterize: what each application of the suite does to the TLBs, beside what the papers
 * say of it.
 *
 * Recordings are made first, one process each, then every application runs alone: on the GPU under
 * its design and under `ideal`, and NeiDty's eight also on gem5-16 under `private`. With --gpus or
 * --sizes it is another study: lab/footprint.h. */
#include "base/json.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "footprint_show.h"
#include "gen/gen.h"
#include "gpu/gpu.h"
#include "gpu/stats.h"
#include "lab/jobs.h"
#include "lab/suite.h"
#include "trace/gmt.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_APPS     64
#define HIGH_PERCENT 20 /* MASK: a miss rate of 20 % or more is high */

enum {
  ARG_SIZE = CLI_LONG_ONLY,
  ARG_SEED,
  ARG_JSON,
  ARG_GPUS,
  ARG_SIZES,
  ARG_DESIGN,
  ARG_WORK,
  ARG_GRAPH,
  ARG_INPUT,
  ARG_HTML,
  ARG_SVG
};

static const cli_option_t options[] = {
    {ARG_SIZE, "size", "NAME", "tiny, standard or large (standard)"},
    {ARG_SEED, "seed", "N", "of the generated inputs (1)"},
    {'j', "jobs", "N", "runs at once (one per processor)"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {ARG_GPUS, "gpus", "NAME,...", "cost over footprint on these GPUs (maxwell)"},
    {ARG_SIZES, "sizes", "SIZE,...", "cost over footprint at these, as in 64M,1G (standard)"},
    {ARG_DESIGN, "design", "NAME", "with them: of every GPU (as each preset is)"},
    {ARG_WORK, "work", "N", "with them: elements that a run touches (the application's own)"},
    {ARG_GRAPH, "graph", "NAME", "with them: uniform or kron (uniform)"},
    {ARG_INPUT, "input", "FILE", "with them: a graph or matrix of yours, for graph applications"},
    {ARG_HTML, "html", "FILE", "with them: also a page with pictures, one for each GPU"},
    {ARG_SVG, "svg", "FILE", "with them: also one picture, a line for each application and GPU"},
    {0},
};

typedef enum { RUN_DESIGN, RUN_IDEAL, RUN_PRIVATE, RUNS } run_kind_t;

static const struct {
  const char *gpu, *design;
} machine[RUNS] = {
    [RUN_DESIGN] = {"maxwell", "sharedtlb"},
    [RUN_IDEAL] = {"maxwell", "ideal"},
    [RUN_PRIVATE] = {"gem5-16", "private"},
};

typedef struct {
  suite_pick_t pick;
  const char *more; /* what is set with its name: "seed=3", or "" */
  char path[PATH_MAX];
  uint64_t peak_bytes, warp_insts, launches;
  bool ran[RUNS];
  gpu_summary_t run[RUNS];
} app_row_t;

typedef struct {
  app_row_t row[MAX_APPS];
  uint32_t rows;
  struct {
    uint32_t row;
    run_kind_t kind;
  } job[MAX_APPS * RUNS];
  uint32_t jobs;
  const char *size;
  uint64_t seed, parallel;
  bool json, over; /* over: footprints, the other study */
  footprint_spec_t footprint;
  footprint_show_t show;
} characterize_t;

/* ---- work ------------------------------------------------------------------------------------ */

static int record_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  characterize_t *c = ctx;
  char path[PATH_MAX];
  (void)result;
  return suite_record(&c->row[job].pick, path, sizeof path, e);
}

static int one_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  (void)ctx, (void)job;
  return result ? GMMU_OK : e->code;
}

static int run_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  const characterize_t *c = ctx;
  const app_row_t *a = &c->row[c->job[job].row];
  run_kind_t kind = c->job[job].kind;
  gpu_spec_t spec;
  gpu_summary_t s;
  gpu_spec_init(&spec);
  int rc = gpu_spec_load(&spec, "gpu", machine[kind].gpu, e);
  if (rc >= 0) rc = gpu_spec_load(&spec, "design", machine[kind].design, e);
  if (rc >= 0) rc = footprint_alone(&spec, a->path, a->pick.app->name, &s, e);
  if (rc >= 0) strbuf_add(result, (const char *)&s, sizeof s);
  return rc;
}

static int run_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  characterize_t *c = ctx;
  app_row_t *a = &c->row[c->job[job].row];
  if (!result) return e->code;
  a->ran[c->job[job].kind] = true;
  memcpy(&a->run[c->job[job].kind], strbuf_text(result), sizeof(gpu_summary_t));
  return GMMU_OK;
}

static int read_recording(app_row_t *a, err_t *e) {
  gmt_info_t info;
  bool cached;
  int rc = suite_recording(&a->pick, a->path, sizeof a->path, &cached, e);
  if (rc >= 0) rc = gmt_peak_allocated(a->path, &a->peak_bytes, e);
  if (rc >= 0) rc = gmt_info(a->path, &info, e);
  if (rc < 0) return rc;
  for (uint32_t k = 0; k < info.kernels; k++) {
    a->warp_insts += info.kernel[k].warp_insts;
    a->launches += info.kernel[k].launches;
  }
  gmt_info_fini(&info);
  return GMMU_OK;
}

static void plan(characterize_t *c) {
  for (uint32_t i = 0; i < c->rows; i++)
    for (run_kind_t k = 0; k < RUNS; k++) {
      if (k == RUN_PRIVATE && !(c->row[i].pick.app->papers & SUITE_NEIDTY)) continue;
      c->job[c->jobs].row = i;
      c->job[c->jobs++].kind = k;
    }
}

static int work(characterize_t *c, err_t *e) {
  jobs_t record = {.run = record_job,
                   .done = one_done,
                   .ctx = c,
                   .jobs = c->rows,
                   .parallel = (uint32_t)c->parallel,
                   .what = "recording"};
  int rc = jobs_run(&record, e);
  for (uint32_t i = 0; rc >= 0 && i < c->rows; i++) rc = read_recording(&c->row[i], e);
  if (rc < 0) return rc;
  plan(c);
  jobs_t runs = {.run = run_job,
                 .done = run_done,
                 .ctx = c,
                 .jobs = c->jobs,
                 .parallel = (uint32_t)c->parallel,
                 .what = "characterize"};
  return jobs_run(&runs, e);
}

/* ---- the table ------------------------------------------------------------------------------- */

static char level(uint64_t misses, uint64_t lookups) {
  return misses * 100 >= HIGH_PERCENT * lookups && lookups ? 'H' : 'L';
}

/* By all misses, merged ones included: a look-up that is not answered at once. */
static void class_of(const gpu_summary_t *s, char text[4]) {
  text[0] = level(s->l1tlb_misses, s->l1tlb_lookups);
  text[1] = '/';
  text[2] = level(s->l2tlb_misses, s->l2tlb_lookups);
  text[3] = 0;
}

static void percent(table_t *t, uint64_t part, uint64_t whole) {
  table_ratio(t, part * 100, whole, 1);
}

static void figure_cell(table_t *t, figure_id_t id, const gpu_summary_t *s, uint32_t digits) {
  table_ratio(t, figure_part(&figures[id], s), figure_whole(&figures[id], s), digits);
}

static void main_row(table_t *t, const app_row_t *a) {
  const gpu_summary_t *s = &a->run[RUN_DESIGN], *ideal = &a->run[RUN_IDEAL];
  const char *paper = a->pick.app->mask_class;
  char own[4];
  class_of(s, own);
  table_cell(t, a->pick.app->name);
  table_cell(t, *paper ? paper : "-");
  table_printf(t, "%s%s", own, *paper && strcmp(paper, own) ? " *" : "");
  table_ratio(t, a->peak_bytes, 1000000, 1);
  table_u64(t, a->launches);
  table_ratio(t, a->warp_insts, 1000000, 3);
  figure_cell(t, FIGURE_l1tlb_miss, s, 1);
  percent(t, s->l1tlb_primary, s->l1tlb_lookups);
  figure_cell(t, FIGURE_l2tlb_miss, s, 1);
  percent(t, s->l2tlb_primary, s->l2tlb_lookups);
  figure_cell(t, FIGURE_ipc, s, 2);
  table_ratio(t, s->cycles, ideal->cycles, 2);
  figure_cell(t, FIGURE_walks, s, 1);
  figure_cell(t, FIGURE_warps, s, 1);
}

static void main_table(const characterize_t *c, strbuf_t *out) {
  const char *headers[] = {"MB",
                           "launches",
                           "M inst",
                           figures[FIGURE_l1tlb_miss].column,
                           "primary %",
                           figures[FIGURE_l2tlb_miss].column,
                           "primary %",
                           figures[FIGURE_ipc].column,
                           "slowdown",
                           figures[FIGURE_walks].column,
                           figures[FIGURE_warps].column};
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "MASK", TABLE_LEFT);
  table_column(&t, "here", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < c->rows; i++) main_row(&t, &c->row[i]);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void agreement(const characterize_t *c, strbuf_t *out) {
  uint32_t known = 0, same = 0;
  for (uint32_t i = 0; i < c->rows; i++) {
    char own[4];
    if (!*c->row[i].pick.app->mask_class) continue;
    class_of(&c->row[i].run[RUN_DESIGN], own);
    known++;
    same += strcmp(own, c->row[i].pick.app->mask_class) == 0;
  }
  if (known)
    strbuf_printf(out, "\n%u of %u applications fall into MASK's class (others: *).\n", same,
                  known);
}

static void neidty_table(const characterize_t *c, strbuf_t *out) {
  table_t t;
  uint32_t rows = 0;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "L1 TLB hit %", TABLE_RIGHT);
  table_column(&t, "L2 TLB hit %", TABLE_RIGHT);
  for (uint32_t i = 0; i < c->rows; i++) {
    const gpu_summary_t *s = &c->row[i].run[RUN_PRIVATE];
    if (!c->row[i].ran[RUN_PRIVATE]) continue;
    table_cell(&t, c->row[i].pick.app->name);
    percent(&t, s->l1tlb_lookups - s->l1tlb_misses, s->l1tlb_lookups);
    percent(&t, s->l2tlb_lookups - s->l2tlb_misses, s->l2tlb_lookups);
    rows++;
  }
  if (rows) {
    strbuf_str(out, "\ngem5-16, private. NeiDty reports L1: mean below 40, atax 15, srad 25; L2: "
                    "about 80 without\natax, bc and adi, srad 98.\n\n");
    table_render(&t, TABLE_TEXT, out);
  }
  table_fini(&t);
}

static void print_text(const characterize_t *c, strbuf_t *out) {
  strbuf_printf(out, "Each application alone on maxwell, sharedtlb; size %s, seed %llu.\n\n",
                c->size, (unsigned long long)c->seed);
  main_table(c, out);
  strbuf_str(
      out, "\nMB: most allocated at once. TLB miss: share of the look-ups, all misses, primary and "
           "merged; primary: those\nthat start a request. Class: high from 20 % on, by L1 and "
           "L2. slowdown: against ideal. walks: under way, mean.\n");
  agreement(c, out);
  neidty_table(c, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}

static void run_json(const app_row_t *a, run_kind_t kind, json_t *j) {
  const gpu_summary_t *s = &a->run[kind];
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, machine[kind].gpu);
  json_key(j, "design"), json_str(j, machine[kind].design);
  number(j, "cycles", s->cycles);
  number(j, "warp_instructions", s->instructions);
  number(j, "l1tlb_lookups", s->l1tlb_lookups);
  number(j, "l1tlb_misses", s->l1tlb_misses);
  number(j, "l1tlb_primary_misses", s->l1tlb_primary);
  number(j, "l2tlb_lookups", s->l2tlb_lookups);
  number(j, "l2tlb_misses", s->l2tlb_misses);
  number(j, "l2tlb_primary_misses", s->l2tlb_primary);
  number(j, "walks", s->walks);
  number(j, "walk_active_cycles", s->walk_active_cycles);
  number(j, "warps_stalled", s->warps_stalled);
  json_end_object(j);
}

static void row_json(const app_row_t *a, json_t *j) {
  char own[4];
  class_of(&a->run[RUN_DESIGN], own);
  json_begin_object(j);
  json_key(j, "name"), json_str(j, a->pick.app->name);
  json_key(j, "mask_class"), json_str(j, a->pick.app->mask_class);
  json_key(j, "class"), json_str(j, own);
  number(j, "peak_allocated_bytes", a->peak_bytes);
  number(j, "launches", a->launches);
  json_key(j, "runs");
  json_begin_array(j);
  for (run_kind_t k = 0; k < RUNS; k++)
    if (a->ran[k]) run_json(a, k, j);
  json_end_array(j);
  json_end_object(j);
}

static int print(const characterize_t *c) {
  strbuf_t text;
  json_t j;
  strbuf_init(&text);
  json_init(&j);
  if (c->json) {
    json_begin_object(&j);
    json_key(&j, "gmmu"), json_str(&j, GMMU_VERSION);
    json_key(&j, "size"), json_str(&j, c->size);
    number(&j, "seed", c->seed);
    json_key(&j, "apps");
    json_begin_array(&j);
    for (uint32_t i = 0; i < c->rows; i++) row_json(&c->row[i], &j);
    json_end_array(&j);
    json_end_object(&j);
  } else {
    cli_screen(&text, NULL);
    print_text(c, &text);
  }
  int status = cli_output(NULL, c->json ? &j.out : &text);
  strbuf_fini(&text);
  json_fini(&j);
  return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int add(characterize_t *c, const suite_app_t *a, const char *more) {
  if (c->rows == MAX_APPS) return CLI_DONE;
  c->row[c->rows].pick.app = a;
  c->row[c->rows++].more = more;
  return CLI_DONE;
}

static bool is_generator(const char *text) {
  char name[24];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  return gen_find(name);
}

static int add_named(characterize_t *c, const cli_t *cli) {
  footprint_spec_t *f = &c->footprint;
  suite_pick_t p;
  err_t e = {0};
  if (is_generator(cli->value)) {
    if (f->apps == FOOTPRINT_APPS - MAX_APPS)
      return cli_usage(cli, "at most %u generators", FOOTPRINT_APPS - MAX_APPS);
    f->app[f->apps++].generator = cli->value;
    return CLI_DONE;
  }
  if (suite_parse(cli->value, &p, &e) < 0) return cli_refuse(&e);
  const char *more = strchr(cli->value, ':');
  return add(c, p.app, more ? more + 1 : "");
}

/* The papers', but those that are another's program under a second name. */
static void add_all(characterize_t *c) {
  for (const suite_app_t *a = suite_all; a->name; a++)
    if (!suite_scaled(a) && strcmp(a->name, a->program) == 0) add(c, a, "");
}

/* A list of words with commas between. */
static int take_list(const cli_t *cli, const char *name, char **word, uint32_t *count,
                     uint32_t most) {
  for (const char *text = cli->value;; text++) {
    size_t size = strcspn(text, ",");
    if (!size) return cli_usage(cli, "--%s: an empty name in \"%s\"", name, cli->value);
    if (*count == most) return cli_usage(cli, "--%s: at most %u", name, most);
    word[*count] = strndup(text, size);
    if (!word[*count]) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
    ++*count;
    text += size;
    if (!*text) return CLI_DONE;
  }
}

static int take_footprint(characterize_t *c, const cli_t *cli, int id) {
  footprint_spec_t *f = &c->footprint;
  c->over = true;
  switch (id) {
  case ARG_GPUS: return take_list(cli, "gpus", f->gpu, &f->gpus, FOOTPRINT_GPUS);
  case ARG_SIZES: return take_list(cli, "sizes", f->size, &f->sizes, FOOTPRINT_SIZES);
  case ARG_DESIGN: f->design = cli->value; return CLI_DONE;
  case ARG_GRAPH: f->graph = cli->value; return CLI_DONE;
  case ARG_INPUT: f->input = cli->value; return cli_file(cli, "input") ? CLI_DONE : CLI_USAGE;
  case ARG_WORK: return cli_number(cli, "work", 0, UINT64_MAX - 1, &f->work) ? CLI_DONE : CLI_USAGE;
  case ARG_SVG: c->show.svg = cli->value; return cli_file(cli, "svg") ? CLI_DONE : CLI_USAGE;
  default: c->show.html = cli->value; return cli_file(cli, "html") ? CLI_DONE : CLI_USAGE;
  }
}

/* The applications given, or all whose size is a footprint. */
static int run_footprint(characterize_t *c) {
  static char maxwell[] = "maxwell";
  footprint_spec_t f = c->footprint; /* what is not given is not freed */
  bool named = c->rows || f.apps;
  for (uint32_t i = 0; i < c->rows; i++, f.apps++)
    f.app[f.apps].suite = c->row[i].pick.app, f.app[f.apps].more = c->row[i].more;
  for (const suite_app_t *a = suite_all; !named && a->name; a++)
    if (suite_scaled(a) && (!f.input || a->papers & SUITE_GRAPH)) f.app[f.apps++].suite = a;
  char standard[24];
  snprintf(standard, sizeof standard, "%.20s", c->size);
  if (!f.sizes) f.size[f.sizes++] = standard;
  if (!f.gpus) f.gpu[f.gpus++] = maxwell;
  f.seed = c->seed, f.parallel = c->parallel, c->show.json = c->json;
  return footprint_show(&f, &c->show);
}

static int parse(characterize_t *c, cli_t *cli) {
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(cli)) != CLI_END) {
    bool ok = true;
    switch (id) {
    case CLI_BAD: return CLI_USAGE;
    case CLI_ARGUMENT: status = add_named(c, cli); break;
    case ARG_SIZE: c->size = cli->value; break;
    case ARG_SEED: ok = cli_number(cli, "seed", 0, UINT64_MAX, &c->seed); break;
    case 'j': ok = cli_number(cli, "jobs", 1, 64, &c->parallel); break;
    case ARG_JSON: c->json = true; break;
    default: status = take_footprint(c, cli, id);
    }
    if (!ok) return CLI_USAGE;
  }
  return status;
}

/* Size and seed go through the same door as those of a single application, before what is set with
 * its name, which holds. */
static int set_parameters(characterize_t *c) {
  for (uint32_t i = 0; i < c->rows; i++) {
    err_t e = {0};
    strbuf_t text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s:size=%s,seed=%llu%s%s", c->row[i].pick.app->name, c->size,
                  (unsigned long long)c->seed, *c->row[i].more ? "," : "", c->row[i].more);
    int rc = suite_parse(strbuf_text(&text), &c->row[i].pick, &e);
    strbuf_fini(&text);
    if (rc < 0) return cli_refuse(&e);
  }
  return CLI_DONE;
}

static int check_input(const characterize_t *c, const cli_t *cli) {
  bool taken = !c->rows;
  for (uint32_t i = 0; i < c->rows; i++) taken |= (c->row[i].pick.app->papers & SUITE_GRAPH) != 0;
  if (strchr(c->footprint.input, ','))
    return cli_usage(cli, "--input %s: a comma ends the name of a file here; rename it",
                     c->footprint.input);
  if (!taken)
    return cli_usage(cli, "--input: no application here takes a graph (`gmmu list apps`)");
  return c->footprint.sizes ? cli_usage(cli, "--input: the file gives the size, not --sizes")
                            : CLI_DONE;
}

static int run(cli_t *cli) {
  characterize_t *c = calloc(1, sizeof *c);
  err_t e = {0};
  if (!c) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  c->size = "standard", c->seed = 1, c->footprint.work = UINT64_MAX;
  int status = parse(c, cli);
  if (status == CLI_DONE && c->footprint.input) status = check_input(c, cli);
  if (status == CLI_DONE && c->over) {
    status = run_footprint(c);
    for (uint32_t i = 0; i < c->footprint.gpus; i++) free(c->footprint.gpu[i]);
    for (uint32_t i = 0; i < c->footprint.sizes; i++) free(c->footprint.size[i]);
    free(c);
    return status;
  }
  if (status == CLI_DONE && c->footprint.apps)
    status = cli_usage(cli, "%s is a generator: it needs --sizes or --gpus",
                       c->footprint.app[0].generator);
  if (status == CLI_DONE && !c->rows) add_all(c);
  if (status == CLI_DONE) status = set_parameters(c);
  if (status == CLI_DONE) {
    stop_listen();
    int rc = work(c, &e);
    status = rc >= 0 ? print(c) : cli_fail(&e);
    if (rc == GMMU_EINTERRUPTED) status = CLI_INTERRUPTED;
  }
  free(c);
  return status;
}

const subcommand_t cmd_characterize = {
    .name = "characterize",
    .summary = "TLB behaviour of the papers' applications, beside what the papers say",
    .usage = "[OPTION]... [APP]...",
    .details =
        "Without APP: all of the papers' (`gmmu list apps`). What is not recorded yet is recorded "
        "first.\n"
        "With --gpus, --sizes or another option from there on: what translation costs over\n"
        "footprint, and what of the program explains it; without APP, of all whose size is a\n"
        "footprint. APP may then be a generator, too, as gather:steps=8: its size is `footprint`.\n"
        "\n"
        "  gmmu characterize --size tiny\n"
        "  gmmu characterize --size tiny bfs2 srad\n"
        "  gmmu characterize --gpus maxwell,qv100 --sizes tiny,1M --html cost.html gups bicg\n"
        "  gmmu characterize --gpus a100,mi210 --sizes 1M,4M gather:steps=4\n",
    .options = options,
    .run = run,
};
