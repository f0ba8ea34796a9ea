/* An item is an application at a size: recorded, its pages counted, then run on every GPU twice,
 * with its TLBs and with ideal ones. A GPU whose memory is too small for an item gets more, and the
 * table says so: what is asked is what translation costs, not what fits. */
#include "lab/footprint.h"
#include "base/stop.h"
#include "lab/front.h"
#include "lab/jobs.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_CYCLES 20000

int footprint_alone(const gpu_spec_t *spec, const char *text, const char *name, gpu_summary_t *out,
                    err_t *e) {
  const gpu_limits_t limits = {.no_relaunch = true};
  app_spec_t app = {.name = name};
  gpu_t *g = NULL;
  int rc = front_of(text)->open(text, &app.source, e);
  if (rc >= 0) rc = gpu_new(spec, &app, 1, &g, e);
  while (rc == 0) {
    if (stop_asked()) rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
    if (rc == 0) rc = gpu_run(g, &limits, gpu_cycles(g) + SLICE_CYCLES, e);
  }
  if (rc > 0) {
    gpu_settle(g);
    gpu_summary(g, 0, out);
  }
  gpu_free(g);
  if (app.source) app.source->ops->free(app.source);
  return rc < 0 ? rc : GMMU_OK;
}

/* ---- what others have published -------------------------------------------------------------- */

/* L2 TLB misses per 1000 instructions and MB at 4-KB pages, RTX-2060-like, 30 SMs. Second hand:
 * from public reading notes of the paper, not from the paper. Its inputs are smaller than ours. */
static const footprint_published_t published[] = {
    {"bicg", "78.5", "8"},   {"fdtd", "95.6", "6.4"},    {"kmeans", "61", "30.3"},
    {"mvt", "40", "9"},      {"gesummv", "79.2", "6.1"}, {"bfs", "17.9", "37.2"},
    {"sssp", "10.6", "48"},  {"pr", "7.5", "19.5"},      {"atax", "78.5", "8"},
    {"lud", "7.2", "102.6"}, {"nw", "66.3", "32"}};

const footprint_published_t *footprint_published(const char *app) {
  for (size_t i = 0; i < sizeof published / sizeof *published; i++)
    if (strcmp(published[i].app, app) == 0) return &published[i];
  return NULL;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What was set with the application itself comes last, so it holds. */
static int suite_item(const footprint_spec_t *p, const footprint_app_t *a, footprint_item_t *t,
                      err_t *e) {
  const suite_app_t *app = a->suite;
  strbuf_t text;
  strbuf_init(&text);
  strbuf_printf(&text, "%s:size=%s,seed=%llu", app->name, t->size, (unsigned long long)p->seed);
  if (suite_scaled(app) && p->work != UINT64_MAX)
    strbuf_printf(&text, ",work=%llu", (unsigned long long)p->work);
  if (app->papers & SUITE_GRAPH && p->graph) strbuf_printf(&text, ",graph=%s", p->graph);
  if (app->papers & SUITE_GRAPH && p->input) strbuf_printf(&text, ",input=%s", p->input);
  if (a->more && *a->more) strbuf_printf(&text, ",%s", a->more);
  snprintf(t->name, sizeof t->name, "%s", app->name);
  int rc = text.failed ? err_set(e, GMMU_ENOMEM, "out of memory for %s", app->name)
                       : suite_parse(strbuf_text(&text), &t->pick, e);
  strbuf_fini(&text);
  if (rc >= 0 && *t->pick.input) /* the graph has its own size */
    snprintf(t->size, sizeof t->size, "a file");
  else if (rc >= 0)
    snprintf(t->size, sizeof t->size, "%s", t->pick.size);
  return rc;
}

/* Its footprint is the size; whether there is such a generator is asked before hours of work. */
static int generator_item(const char *generator, footprint_item_t *t, err_t *e) {
  source_t *source;
  snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(generator, ":"), generator);
  snprintf(t->text, sizeof t->text, "%s%cfootprint=%s", generator,
           strchr(generator, ':') ? ',' : ':', t->size);
  int rc = front_of(t->text)->open(t->text, &source, e);
  if (rc >= 0) source->ops->free(source);
  return rc;
}

static int add_items(footprint_t *s, err_t *e) {
  const footprint_spec_t *p = s->spec;
  int rc = GMMU_OK;
  for (uint32_t z = 0; z < p->sizes; z++)
    for (uint32_t a = 0; a < p->apps && rc >= 0; a++) {
      footprint_item_t *t = &s->item[s->items++];
      snprintf(t->size, sizeof t->size, "%s", p->size[z]);
      rc = p->app[a].suite ? suite_item(p, &p->app[a], t, e)
                           : generator_item(p->app[a].generator, t, e);
    }
  return rc;
}

static int prepare_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  footprint_item_t t = ((footprint_t *)ctx)->item[job];
  source_t *source = NULL;
  int rc = t.pick.app ? suite_record(&t.pick, t.text, sizeof t.text, e) : GMMU_OK;
  if (rc >= 0) rc = front_of(t.text)->open(t.text, &source, e);
  if (rc >= 0) rc = source_peak_allocated(source, &t.allocated, e);
  if (rc >= 0) rc = pages_count(source, &t.pages, e);
  if (source) source->ops->free(source);
  if (rc >= 0) strbuf_add(result, (const char *)&t, sizeof t);
  return rc;
}

static int prepared(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  if (!result) return e->code;
  memcpy(&((footprint_t *)ctx)->item[job], strbuf_text(result), sizeof(footprint_item_t));
  return GMMU_OK;
}

/* The GPU, large enough; *raised if it had to be made so. */
static int machine_of(const footprint_t *s, const footprint_item_t *t, uint32_t gpu, bool ideal,
                      gpu_spec_t *spec, bool *raised, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", s->spec->gpu[gpu], e);
  if (rc >= 0 && s->spec->design) rc = gpu_spec_load(spec, "design", s->spec->design, e);
  if (rc >= 0 && ideal) rc = gpu_spec_load(spec, "design", "ideal", e);
  uint64_t need = t->allocated + t->allocated / 32, bytes = spec->memory.memory_bytes;
  while (bytes < need) bytes *= 2;
  *raised = bytes != spec->memory.memory_bytes;
  spec->memory.memory_bytes = bytes;
  return rc;
}

/* Jobs: item, GPU, whether ideal. */
static int run_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  const footprint_t *s = ctx;
  const footprint_item_t *t = &s->item[job / 2 / s->spec->gpus];
  gpu_spec_t spec;
  footprint_cell_t cell = {0};
  int rc = machine_of(s, t, job / 2 % s->spec->gpus, job & 1, &spec, &cell.raised, e);
  if (rc >= 0) rc = footprint_alone(&spec, t->text, t->name, &cell.run[job & 1], e);
  if (rc >= 0) strbuf_add(result, (const char *)&cell, sizeof cell);
  return rc;
}

static int run_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  footprint_t *s = ctx;
  footprint_cell_t cell, *to = &s->item[job / 2 / s->spec->gpus].cell[job / 2 % s->spec->gpus];
  if (!result) return e->code;
  memcpy(&cell, strbuf_text(result), sizeof cell);
  to->run[job & 1] = cell.run[job & 1], to->raised |= cell.raised;
  return GMMU_OK;
}

int footprint_run(footprint_t *s, err_t *e) {
  uint32_t parallel = (uint32_t)s->spec->parallel;
  jobs_t prepare = {.run = prepare_job,
                    .done = prepared,
                    .ctx = s,
                    .jobs = s->items,
                    .parallel = parallel,
                    .what = "recording"};
  jobs_t runs = {.run = run_job,
                 .done = run_done,
                 .ctx = s,
                 .jobs = 2 * s->items * s->spec->gpus,
                 .parallel = parallel,
                 .what = "characterize"};
  int rc = jobs_run(&prepare, e);
  return rc < 0 ? rc : jobs_run(&runs, e);
}

uint64_t footprint_median_reuse(const pages_t *p) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < PAGES_BUCKETS; i++) {
    sum += p->reuse[i];
    if (2 * sum >= p->accesses) return pages_bucket_from(i);
  }
  return UINT64_MAX;
}

/* ---- the whole ------------------------------------------------------------------------------- */

int footprint_new(footprint_t *s, const footprint_spec_t *spec, err_t *e) {
  *s = (footprint_t){.spec = spec};
  s->item = calloc((size_t)spec->apps * spec->sizes, sizeof *s->item);
  int rc = s->item ? add_items(s, e) : err_set(e, GMMU_ENOMEM, "no memory for the study");
  for (uint32_t g = 0; rc >= 0 && g < spec->gpus; g++) { /* before hours of work */
    gpu_spec_t gpu;
    bool raised;
    rc = machine_of(s, &s->item[0], g, false, &gpu, &raised, e);
  }
  return rc < 0 ? rc : GMMU_OK;
}

void footprint_free(footprint_t *s) {
  free(s->item);
  s->item = NULL;
}
