/* gmmu db: the database operators on a device, over sizes and scopes.
 *
 * What was asked for is a grid, size by scope; every cell is one run, on a machine of its own. A
 * run whose result is wrong is an error: no time is printed for it. */
#include "base/file.h"
#include "base/json_find.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "db/cuda.h"
#include "db/program.h"
#include "gpu/gpu.h"
#include "gpu/stats.h"
#include "lab/operators.h"
#include "probe/tlb_probe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ARG_DEVICE = CLI_LONG_ONLY,
  ARG_SIZE,
  ARG_SCOPE,
  ARG_PROBE,
  ARG_FORM,
  ARG_THREADS,
  ARG_ACCESSES,
  ARG_CHUNK,
  ARG_INPUT,
  ARG_FILLED,
  ARG_SEED,
  ARG_JSON
};

static const cli_option_t options[] = {
    {ARG_DEVICE, "device", "DEVICE", "sim:GPU, cpu, cuda or cuda:NUMBER"},
    {ARG_SIZE, "size", "BYTES,...", "the data, or the hash table (1G); several make a table"},
    {ARG_SCOPE, "scope", "BYTES,...",
     "of a pass: bytes, none, or probe: what the last TLB covers (none)"},
    {ARG_PROBE, "probe", "FILE", "for --scope probe: the JSON of an earlier `gmmu probe tlb`"},
    {ARG_FORM, "form", "NAME", "groupby with a scope: copy, or naive, which reads the input again"},
    {ARG_THREADS, "threads", "N", "threads (all that the GPU holds; one on a processor)"},
    {ARG_ACCESSES, "accesses", "N", "words sampled or values inserted (2^20 or 2^19)"},
    {ARG_CHUNK, "chunk", "BYTES", "groupby: input at a time (128M)"},
    {ARG_INPUT, "input", "NAME", "groupby: input in mapped host memory, or in the device's (host)"},
    {ARG_FILLED, "filled", "BOOL", "groupby: all groups are in the table before it begins (false)"},
    {ARG_SEED, "seed", "N", "of data and random numbers (1)"},
    {'s', "set", "KEY=VALUE", "set any option of a simulated GPU"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

#define MAX_LIST     32
#define MAX_SETTINGS 64
#define SLICE_CYCLES 100000
#define PROBE_LIMIT  (64u << 20)

typedef enum { ON_SIM, ON_CPU, ON_CUDA } device_kind_t;

typedef struct {
  db_spec_t spec; /* without size and scope */
  const char *device, *probe, *output;
  bool json;
  char *size, *scope;       /* lists, as typed; owned */
  const char *given[16][2]; /* option of the operator, value */
  uint32_t givens;
  const char *setting[MAX_SETTINGS];
  uint32_t settings;
  /* from these */
  device_kind_t kind;
  uint32_t ordinal;
  gpu_spec_t gpu;
  strbuf_t ptx;
  uint64_t probed; /* bytes; 0: not yet */
  progress_t progress;
} wish_t;

typedef struct {
  db_spec_t spec;
  db_result_t result;
  uint64_t walks; /* of a simulated GPU */
} cell_t;

/* ---- one run --------------------------------------------------------------------------------- */

static int drive(wish_t *q, gpu_t *g, const cell_t *cell, err_t *e) {
  gpu_limits_t limits = {.no_relaunch = true};
  int rc = 0;
  while (rc == 0) {
    if (stop_asked()) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
    rc = gpu_run(g, &limits, gpu_cycles(g) + SLICE_CYCLES, e);
    progress_state_t s = {.what = db_op_name[cell->spec.op],
                          .cycles = gpu_cycles(g),
                          .instructions = gpu_instructions(g),
                          .permille = UINT32_MAX};
    if (progress_due(&q->progress)) progress_show(&q->progress, &s);
  }
  return rc < 0 ? rc : GMMU_OK;
}

static uint64_t count_walks(const gpu_t *g) {
  json_t j;
  uint64_t walks = 0;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  json_find_u64(strbuf_text(&j.out), "apps[0].walk.walks", &walks);
  json_fini(&j);
  return walks;
}

static int run_sim(wish_t *q, cell_t *c, err_t *e) {
  source_t *source = NULL;
  gpu_t *g = NULL;
  int rc = db_program_new(&c->spec, strbuf_text(&q->ptx), q->ptx.size, &source, e);
  app_spec_t app = {.name = db_op_name[c->spec.op], .source = source};
  if (rc == 0) rc = gpu_new(&q->gpu, &app, 1, &g, e);
  if (rc == 0) rc = drive(q, g, c, e);
  if (rc == 0) {
    gpu_settle(g);
    c->result = *db_program_result(source);
    c->result.ns = c->result.cycles * 1000 / q->gpu.core.clock_mhz;
    c->walks = count_walks(g);
  }
  gpu_free(g);
  if (source) source->ops->free(source);
  return rc;
}

static int run_cell(wish_t *q, cell_t *c, err_t *e) {
  if (q->kind == ON_SIM) return run_sim(q, c, e);
  if (q->kind == ON_CPU) return db_host_run(&c->spec, &c->result, e);
  return db_cuda_run(q->ordinal, strbuf_text(&q->ptx), &c->spec, &c->result, e);
}

/* ---- the scope of a probe -------------------------------------------------------------------- */

/* The largest power of two that the last level covers, so that scopes divide what is accessed. */
static uint64_t scope_of(uint64_t covered) {
  uint64_t scope = 4096;
  while (2 * scope <= covered) scope *= 2;
  return scope;
}

static int scope_from_file(wish_t *q, err_t *e) {
  strbuf_t text;
  strbuf_init(&text);
  int rc = file_read_stream(q->probe, PROBE_LIMIT, &text, e);
  const char *json = strbuf_text(&text);
  uint32_t levels = rc == 0 ? json_find_count(json, "levels") : 0;
  for (uint32_t i = 0; i < levels; i++) {
    char path[2][64];
    uint64_t entries = 0, reach = 0;
    snprintf(path[0], sizeof path[0], "levels[%u].entries", i);
    snprintf(path[1], sizeof path[1], "levels[%u].reach_bytes", i);
    if (json_find_u64(json, path[0], &entries) && json_find_u64(json, path[1], &reach) &&
        entries < 1ull << 32 && reach < 1ull << 31 && entries * reach > q->probed)
      q->probed = entries * reach;
  }
  strbuf_fini(&text);
  if (rc == 0 && !q->probed)
    rc = err_set(e, GMMU_EFORMAT, "%s: no levels of a TLB: it is not the JSON of `gmmu probe tlb`",
                 q->probe);
  return rc;
}

static void show_probe(void *ctx, const char *what) {
  progress_state_t s = {.what = what, .permille = UINT32_MAX};
  if (progress_due(ctx)) progress_show(ctx, &s);
}

static int scope_from_device(wish_t *q, err_t *e) {
  device_options_t o = {.setting = q->setting, .settings = q->settings};
  tlb_probe_options_t po = {.progress = show_probe, .ctx = &q->progress};
  tlb_probe_t tlb;
  device_t *d = NULL;
  int rc = device_open(q->device, &o, &d, e);
  if (rc < 0) return rc;
  rc = tlb_probe(d, &po, &tlb, e);
  for (uint32_t i = 0; i < tlb.levels; i++)
    if (tlb.level[i].reach_bytes * tlb.level[i].entries > q->probed)
      q->probed = tlb.level[i].reach_bytes * tlb.level[i].entries;
  if (rc == 0 && !q->probed) rc = err_set(e, GMMU_ENOENT, "the probe found no TLB: give a --scope");
  tlb_probe_fini(&tlb);
  device_free(d);
  return rc;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static int set_option(db_spec_t *s, const char *name, const char *value, err_t *e) {
  const char *op = db_op_name[s->op];
  char key[64];
  snprintf(key, sizeof key, "%s.%s", op, name);
  return opt_set((const opt_group_t[]){{op, NULL, db_op_options[s->op], s}, {0}}, key, value, e);
}

static int set_scope(wish_t *q, db_spec_t *s, const char *text, err_t *e) {
  if (strcmp(text, "none") == 0) text = "0";
  if (strcmp(text, "probe")) return set_option(s, "scope", text, e);
  int rc = q->probed ? GMMU_OK : q->probe ? scope_from_file(q, e) : scope_from_device(q, e);
  s->scope_bytes = scope_of(q->probed);
  return rc;
}

static int split(char *list, const char *what, char *item[MAX_LIST], uint32_t *n, err_t *e) {
  *n = 0;
  for (char *end; list; list = end) {
    if (*n == MAX_LIST)
      return err_set(e, GMMU_ERANGE, "--%s takes up to %d values", what, MAX_LIST);
    end = strchr(list, ',');
    if (end) *end++ = 0;
    item[(*n)++] = list;
  }
  return GMMU_OK;
}

static void count_cell(const cell_t *c, json_t *j) {
  const db_result_t *r = &c->result;
#define NUMBER(name, v) json_key(j, name), json_u64(j, v)
  NUMBER("threads", r->threads);
  NUMBER("passes", r->passes);
  NUMBER("launches", r->launches);
  NUMBER("accesses", r->accesses);
  if (r->cycles) NUMBER("cycles", r->cycles), NUMBER("walks", c->walks);
  NUMBER("ns", r->ns);
  if (c->spec.op == DB_GROUPBY)
    NUMBER("groups", r->groups);
  else
    NUMBER("sum", r->sum);
#undef NUMBER
  json_key(j, "checked"), json_bool(j, true); /* else there would be no result */
}

static void json_cell(cell_t *c, json_t *j) {
  const char *op = db_op_name[c->spec.op];
  json_begin_object(j);
  json_key(j, "config");
  opt_json((const opt_group_t[]){{op, NULL, db_op_options[c->spec.op], &c->spec}, {0}}, j);
  count_cell(c, j);
  json_end_object(j);
}

static void size_cell(table_t *t, uint64_t bytes) {
  static const char unit[] = " KMGT";
  uint32_t u = 0;
  while (u < 4 && bytes && bytes % 1024 == 0) bytes /= 1024, u++;
  if (!bytes)
    table_cell(t, "none");
  else
    table_printf(t, "%llu%c", (unsigned long long)bytes, unit[u]);
}

static void table_row(const wish_t *q, table_t *t, const cell_t *c) {
  const db_result_t *r = &c->result;
  size_cell(t, c->spec.size_bytes);
  size_cell(t, db_passes(&c->spec) > 1 ? c->spec.scope_bytes : 0);
  if (c->spec.op == DB_GROUPBY)
    table_cell(t, db_form(&c->spec) == DB_PLAIN ? "plain" : c->spec.form);
  table_u64(t, r->passes);
  if (q->kind == ON_SIM) table_u64(t, r->cycles);
  table_ratio(t, r->ns, 1000000, 3);
  table_ratio(t, r->accesses * 1000, r->ns, 1);
  if (q->kind == ON_SIM) table_ratio(t, c->walks, r->accesses, 2);
}

static void head_table(const wish_t *q, table_t *t) {
  table_init(t);
  table_column(t, "size", TABLE_RIGHT);
  table_column(t, "scope", TABLE_RIGHT);
  if (q->spec.op == DB_GROUPBY) table_column(t, "form", TABLE_LEFT);
  table_column(t, "passes", TABLE_RIGHT);
  if (q->kind == ON_SIM) table_column(t, "cycles", TABLE_RIGHT);
  table_column(t, "ms", TABLE_RIGHT);
  table_column(t, "M accesses/s", TABLE_RIGHT);
  if (q->kind == ON_SIM) table_column(t, "walks/access", TABLE_RIGHT);
}

static int print(const wish_t *q, cell_t *cell, uint32_t count, uint32_t wanted) {
  json_t j;
  table_t t;
  json_init(&j);
  head_table(q, &t);
  for (uint32_t i = 0; i < count; i++) table_row(q, &t, &cell[i]);
  if (!q->json) {
    cli_screen(&j.out, q->output);
    strbuf_printf(&j.out, "%s on %s; every result checked\n\n", db_op_name[q->spec.op] + 3,
                  q->device);
    table_render(&t, TABLE_TEXT, &j.out);
    if (count < wanted) strbuf_printf(&j.out, "\nPARTIAL: %u of %u runs\n", count, wanted);
  } else {
    json_begin_object(&j);
    json_key(&j, "device"), json_str(&j, q->device);
    json_key(&j, "operator"), json_str(&j, db_op_name[q->spec.op] + 3);
    json_key(&j, "partial"), json_bool(&j, count < wanted);
    json_key(&j, "runs");
    json_begin_array(&j);
    for (uint32_t i = 0; i < count; i++) json_cell(&cell[i], &j);
    json_end_array(&j);
    if (q->kind == ON_SIM) json_key(&j, "gpu"), gpu_config_json(&q->gpu, &j);
    json_end_object(&j);
    strbuf_str(&j.out, "\n");
  }
  int status = cli_output(q->output, &j.out);
  table_fini(&t);
  json_fini(&j);
  return status;
}

/* Everything is looked at before anything runs. */
static int plan(wish_t *q, cell_t *cell, uint32_t *count, err_t *e) {
  char *size[MAX_LIST], *scope[MAX_LIST];
  uint32_t sizes, scopes = 0;
  int rc = split(q->size, "size", size, &sizes, e);
  if (rc == 0) rc = split(q->scope, "scope", scope, &scopes, e);
  for (uint32_t i = 0; i < sizes && rc == 0; i++)
    for (uint32_t k = 0; k < scopes && rc == 0; k++) {
      db_spec_t *s = &cell[(*count)++].spec;
      *s = q->spec;
      rc = set_option(s, "size", size[i], e);
      if (rc == 0) rc = set_scope(q, s, scope[k], e);
      if (rc == 0) rc = db_check(s, e);
    }
  return rc;
}

static int start(wish_t *q) {
  cell_t *cell = calloc(MAX_LIST * MAX_LIST, sizeof *cell);
  uint32_t count = 0, done = 0;
  err_t e = {0};
  if (!cell) return CLI_FAILED;
  progress_begin(&q->progress);
  int rc = plan(q, cell, &count, &e);
  stop_listen(); /* not before: while a probe runs there is nothing to be printed */
  while (done < count && rc == 0) {
    rc =
        stop_asked() ? err_set(&e, GMMU_EINTERRUPTED, "interrupted") : run_cell(q, &cell[done], &e);
    done += rc == 0;
  }
  progress_end(&q->progress);
  int status = done || rc == 0 ? print(q, cell, done, count) : CLI_DONE;
  if (rc == GMMU_EINTERRUPTED)
    status = CLI_INTERRUPTED;
  else if (rc < 0)
    status = cli_refuse(&e);
  free(cell);
  return status;
}

/* ---- what was typed -------------------------------------------------------------------------- */

static int load_gpu(wish_t *q, const char *preset, err_t *e) {
  gpu_spec_init(&q->gpu);
  int rc = gpu_spec_load(&q->gpu, "gpu", preset, e);
  for (uint32_t i = 0; i < q->settings && rc == 0; i++) {
    char key[128];
    size_t n = strcspn(q->setting[i], "=");
    if (!q->setting[i][n] || n >= sizeof key)
      return err_set(e, GMMU_EINVAL, "\"%s\" is not KEY=VALUE", q->setting[i]);
    snprintf(key, sizeof key, "%.*s", (int)n, q->setting[i]);
    rc = gpu_spec_set(&q->gpu, key, q->setting[i] + n + 1, e);
  }
  return rc;
}

static int open_device(wish_t *q, err_t *e) {
  bool sim = strncmp(q->device, "sim:", 4) == 0 && q->device[4];
  if (!sim && q->settings)
    return err_set(e, GMMU_EINVAL, "settings are for simulated GPUs, not for device \"%s\"",
                   q->device);
  if (strcmp(q->device, "cpu") == 0) {
    q->kind = ON_CPU;
    return GMMU_OK;
  }
  int rc = operators_ptx(&q->ptx, e);
  if (rc < 0) return rc;
  if (sim) return load_gpu(q, q->device + 4, e);
  q->kind = ON_CUDA;
  char *end = NULL;
  if (strncmp(q->device, "cuda:", 5) == 0 && q->device[5])
    q->ordinal = (uint32_t)strtoul(q->device + 5, &end, 10);
  if (strcmp(q->device, "cuda") == 0 || (end && !*end && q->ordinal < 64)) return GMMU_OK;
  return err_set(
      e, GMMU_ENOENT,
      "there is no device \"%s\": sim:PRESET (`gmmu list gpus` names them), cpu, cuda or "
      "cuda:NUMBER",
      q->device);
}

static int set_operator(wish_t *q, const char *name, err_t *e) {
  if (strcmp(name, "sample") && strcmp(name, "groupby"))
    return err_set(e, GMMU_ENOENT, "there is no operator \"%s\": sample or groupby", name);
  db_defaults(&q->spec, strcmp(name, "sample") ? DB_GROUPBY : DB_SAMPLE);
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < q->givens && rc == 0; i++)
    rc = set_option(&q->spec, q->given[i][0], q->given[i][1], e);
  return rc;
}

static const char *operator_option(int id) {
  switch (id) {
  case ARG_FORM: return "form";
  case ARG_THREADS: return "threads";
  case ARG_ACCESSES: return "accesses";
  case ARG_CHUNK: return "chunk";
  case ARG_INPUT: return "input";
  case ARG_FILLED: return "filled";
  case ARG_SEED: return "seed";
  default: return NULL;
  }
}

static int take(const cli_t *c, int id, wish_t *q) {
  const char *name = operator_option(id);
  if (name) {
    if (q->givens == 16) return cli_usage(c, "too many options");
    q->given[q->givens][0] = name, q->given[q->givens++][1] = c->value;
    return CLI_DONE;
  }
  switch (id) {
  case ARG_DEVICE: q->device = c->value; break;
  case ARG_PROBE: q->probe = c->value; break;
  case ARG_JSON: q->json = true; break;
  case 'o': q->output = c->value; break;
  case ARG_SIZE: free(q->size), q->size = strdup(c->value); break;
  case ARG_SCOPE: free(q->scope), q->scope = strdup(c->value); break;
  case 's':
    if (q->settings == MAX_SETTINGS) return cli_usage(c, "too many settings");
    q->setting[q->settings++] = c->value;
    break;
  default: return CLI_USAGE;
  }
  return CLI_DONE;
}

static int go(cli_t *c, wish_t *q) {
  const char *name = NULL;
  int id, status;
  err_t e = {0};
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == CLI_ARGUMENT && name) return cli_usage(c, "one operator at a time");
    if (id == CLI_ARGUMENT)
      name = c->value;
    else if ((status = take(c, id, q)) != CLI_DONE)
      return status;
  }
  if (!name) return cli_usage(c, "which operator: sample or groupby");
  if (!q->device) return cli_usage(c, "--device says on what: sim:GPU, cpu or cuda");
  if (!q->size) q->size = strdup("1G");
  if (!q->scope) q->scope = strdup("none");
  if (!q->size || !q->scope) return CLI_FAILED;
  int rc = set_operator(q, name, &e);
  if (rc == 0) rc = open_device(q, &e);
  return rc < 0 ? cli_refuse(&e) : start(q);
}

static int run(cli_t *c) {
  wish_t *q = calloc(1, sizeof *q);
  if (!q) return CLI_FAILED;
  strbuf_init(&q->ptx);
  int status = go(c, q);
  strbuf_fini(&q->ptx);
  free(q->size), free(q->scope);
  free(q);
  return status;
}

const subcommand_t cmd_db = {
    .name = "db",
    .summary = "random sampling and hash group-by, plain and TLB-conscious",
    .usage = "sample|groupby --device DEVICE [OPTION]...",
    .details = "sample adds up words at random positions; groupby counts equal values in a hash\n"
               "table. With --scope memory is accessed one range after the other. docs/db.md.\n"
               "\n"
               "  gmmu db sample --device sim:k80 --size 1G,4G --scope none,2G --accesses 26624\n"
               "  gmmu db groupby --device sim:k80 --size 4G --scope 2G --accesses 9999\n"
               "  gmmu db groupby --device cpu --size 1M,16M --scope none,1M --accesses 99999\n",
    .options = options,
    .run = run,
};
