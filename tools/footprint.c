/* An item is an application at a size: recorded, its pages counted, then run on every GPU twice,
 * with its TLBs and with ideal ones. A GPU whose memory is too small for an item gets more, and the
 * table says so: what is asked is what translation costs, not what fits. */
#include "footprint.h"
#include "base/json.h"
#include "base/ratio.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "footprint_html.h"
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

typedef struct {
  const footprint_spec_t *spec;
  footprint_item_t *item; /* by size, then application */
  uint32_t items;
} study_t;

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

static int add_items(study_t *s, err_t *e) {
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
  footprint_item_t t = ((study_t *)ctx)->item[job];
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
  memcpy(&((study_t *)ctx)->item[job], strbuf_text(result), sizeof(footprint_item_t));
  return GMMU_OK;
}

/* The GPU, large enough; *raised if it had to be made so. */
static int machine_of(const study_t *s, const footprint_item_t *t, uint32_t gpu, bool ideal,
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
  const study_t *s = ctx;
  const footprint_item_t *t = &s->item[job / 2 / s->spec->gpus];
  gpu_spec_t spec;
  footprint_cell_t cell = {0};
  int rc = machine_of(s, t, job / 2 % s->spec->gpus, job & 1, &spec, &cell.raised, e);
  if (rc >= 0) rc = footprint_alone(&spec, t->text, t->name, &cell.run[job & 1], e);
  if (rc >= 0) strbuf_add(result, (const char *)&cell, sizeof cell);
  return rc;
}

static int run_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  study_t *s = ctx;
  footprint_cell_t cell, *to = &s->item[job / 2 / s->spec->gpus].cell[job / 2 % s->spec->gpus];
  if (!result) return e->code;
  memcpy(&cell, strbuf_text(result), sizeof cell);
  to->run[job & 1] = cell.run[job & 1], to->raised |= cell.raised;
  return GMMU_OK;
}

static int work(study_t *s, err_t *e) {
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

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t first_touches(const pages_t *p) { return p->pages; }

uint64_t footprint_median_reuse(const pages_t *p) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < PAGES_BUCKETS; i++) {
    sum += p->reuse[i];
    if (2 * sum >= p->accesses) return pages_bucket_from(i);
  }
  return UINT64_MAX;
}

static void program_table(const study_t *s, strbuf_t *out) {
  static const char *const headers[] = {"MB",         "touched MB",    "M inst",
                                        "pages/inst", "first touch %", "median reuse"};
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "size", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < s->items; i++) {
    const footprint_item_t *x = &s->item[i];
    uint64_t reuse = footprint_median_reuse(&x->pages);
    table_cell(&t, x->name);
    table_cell(&t, x->size);
    table_ratio(&t, x->allocated, 1000000, 1);
    table_ratio(&t, x->pages.pages * PAGES_BYTES, 1000000, 1);
    table_ratio(&t, x->pages.insts, 1000000, 3);
    table_ratio(&t, x->pages.accesses, x->pages.memory_insts, 2);
    table_ratio(&t, first_touches(&x->pages) * 100, x->pages.accesses, 1);
    if (reuse == UINT64_MAX)
      table_cell(&t, "first");
    else
      table_printf(&t, "%llu", (unsigned long long)reuse);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void cost_table(const study_t *s, strbuf_t *out) {
  static const char *const headers[] = {"cost",           "L1 TLB MPKI",  "L2 TLB MPKI",
                                        "walks/1000",     "table B/walk", "DRAM B/walk",
                                        "published MPKI", "published MB"};
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "size", TABLE_LEFT);
  table_column(&t, "GPU", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < s->items; i++)
    for (uint32_t g = 0; g < s->spec->gpus; g++) {
      const footprint_item_t *x = &s->item[i];
      const gpu_summary_t *r = &x->cell[g].run[0];
      const footprint_published_t *other = footprint_published(x->name);
      table_cell(&t, x->name);
      table_cell(&t, x->size);
      table_printf(&t, "%s%s", s->spec->gpu[g], x->cell[g].raised ? " *" : "");
      table_ratio(&t, r->cycles, x->cell[g].run[1].cycles, 2);
      table_ratio(&t, r->l1tlb_misses * 1000, r->instructions, 1);
      table_ratio(&t, r->l2tlb_misses * 1000, r->instructions, 1);
      table_ratio(&t, r->walks * 1000, r->instructions, 1);
      table_ratio(&t, r->walk_dram_bytes, r->walks, 1);
      table_ratio(&t, r->dram_bytes, r->walks, 1);
      table_cell(&t, other ? other->mpki : "-");
      table_cell(&t, other ? other->megabytes : "-");
    }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void print_text(const study_t *s, strbuf_t *out) {
  strbuf_str(out, "The programs, whatever runs them:\n\n");
  program_table(s, out);
  strbuf_printf(
      out,
      "\nMB: most allocated at once; touched: pages of 4 KB. pages/inst: different pages of "
      "an instruction that reaches\nmemory. median reuse: other pages since the page's last "
      "access, at least, for half of the accesses; first: no\naccess before.\n\nWhat "
      "translation costs, %s%s:\n\n",
      s->spec->design ? "under " : "on each GPU as it is", s->spec->design ? s->spec->design : "");
  cost_table(s, out);
  strbuf_str(
      out, "\ncost: cycles over those with ideal TLBs. MPKI: misses, primary and merged, per "
           "1000 warp instructions. table B/walk:\nbytes of page tables from DRAM; DRAM B/walk: of "
           "all, with data. * with more "
           "memory than the GPU has. published: " PUBLISHED_SOURCE ".\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}

static void run_json(const study_t *s, const footprint_item_t *x, uint32_t g, json_t *j) {
  const gpu_summary_t *r = &x->cell[g].run[0];
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, s->spec->gpu[g]);
  json_key(j, "memory_raised"), json_bool(j, x->cell[g].raised);
  number(j, "cycles", r->cycles);
  number(j, "ideal_cycles", x->cell[g].run[1].cycles);
  number(j, "warp_instructions", r->instructions);
  number(j, "l1tlb_misses", r->l1tlb_misses);
  number(j, "l2tlb_misses", r->l2tlb_misses);
  number(j, "walks", r->walks);
  number(j, "walk_dram_bytes", r->walk_dram_bytes);
  number(j, "dram_bytes", r->dram_bytes);
  json_key(j, "walk_dram_bytes_per_walk"), json_ratio(j, r->walk_dram_bytes, r->walks, 1);
  json_key(j, "dram_bytes_per_walk"), json_ratio(j, r->dram_bytes, r->walks, 1);
  json_key(j, "cost"), json_ratio(j, r->cycles, x->cell[g].run[1].cycles, 4);
  json_end_object(j);
}

static void item_json(const study_t *s, const footprint_item_t *x, json_t *j) {
  const footprint_published_t *other = footprint_published(x->name);
  json_begin_object(j);
  json_key(j, "name"), json_str(j, x->name);
  json_key(j, "size"), json_str(j, x->size);
  number(j, "allocated_bytes", x->allocated);
  number(j, "page_bytes", PAGES_BYTES);
  number(j, "pages", x->pages.pages);
  number(j, "warp_instructions", x->pages.insts);
  number(j, "memory_instructions", x->pages.memory_insts);
  number(j, "page_accesses", x->pages.accesses);
  json_key(j, "median_reuse_distance"); /* null: half of the accesses are the first to their page */
  if (footprint_median_reuse(&x->pages) == UINT64_MAX)
    json_raw(j, "null");
  else
    json_u64(j, footprint_median_reuse(&x->pages));
  json_key(j, "reuse_distance"), json_u64s(j, x->pages.reuse, PAGES_BUCKETS);
  if (other) {
    json_key(j, "published_l2tlb_mpki"), json_raw(j, other->mpki);
    json_key(j, "published_megabytes"), json_raw(j, other->megabytes);
    json_key(j, "published_source"), json_str(j, PUBLISHED_SOURCE);
  }
  json_key(j, "runs");
  json_begin_array(j);
  for (uint32_t g = 0; g < s->spec->gpus; g++) run_json(s, x, g, j);
  json_end_array(j);
  json_end_object(j);
}

static void print_json(const study_t *s, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "design"), json_str(j, s->spec->design ? s->spec->design : "");
  number(j, "seed", s->spec->seed);
  json_key(j, "items");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->items; i++) item_json(s, &s->item[i], j);
  json_end_array(j);
  json_end_object(j);
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef void picture_fn(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                        strbuf_t *out);

static int picture(const study_t *s, const char *file, picture_fn *draw) {
  strbuf_t text;
  if (!file) return CLI_DONE;
  strbuf_init(&text);
  draw(s->spec, s->item, s->items, &text);
  int status = cli_output(file, &text);
  strbuf_fini(&text);
  return status;
}

static int print(const study_t *s) {
  strbuf_t text;
  json_t j;
  strbuf_init(&text);
  json_init(&j);
  int status = picture(s, s->spec->html, footprint_html);
  if (status == CLI_DONE) status = picture(s, s->spec->svg, footprint_svg);
  if (s->spec->json) {
    print_json(s, &j);
  } else {
    cli_screen(&text, NULL);
    print_text(s, &text);
  }
  if (status == CLI_DONE) status = cli_output(NULL, s->spec->json ? &j.out : &text);
  strbuf_fini(&text);
  json_fini(&j);
  return status;
}

int footprint_run(const footprint_spec_t *spec) {
  study_t s = {.spec = spec};
  err_t e = {0};
  s.item = calloc((size_t)spec->apps * spec->sizes, sizeof *s.item);
  int rc = s.item ? add_items(&s, &e) : err_set(&e, GMMU_ENOMEM, "no memory for the study");
  int status = rc < 0 ? cli_refuse(&e) : CLI_DONE;
  for (uint32_t g = 0; status == CLI_DONE && g < spec->gpus; g++) { /* before hours of work */
    gpu_spec_t gpu;
    bool raised;
    if (machine_of(&s, &s.item[0], g, false, &gpu, &raised, &e) < 0) status = cli_refuse(&e);
  }
  if (status == CLI_DONE) {
    stop_listen();
    rc = work(&s, &e);
    status = rc >= 0 ? print(&s) : cli_fail(&e);
    if (rc == GMMU_EINTERRUPTED) status = CLI_INTERRUPTED;
  }
  free(s.item);
  return status;
}
