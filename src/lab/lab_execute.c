/* Running what is missing: recordings first, each once, then the runs, the longest first. A run
 * happens in a process of its own and comes back as result_head_t and the JSON of its statistics.
 * Invariant: while a run is under way its key is claimed (lab/claims.h); it is left when its row is
 * in the store, so that nobody else sees it neither claimed nor done. */
#include "base/stop.h"
#include "gpu/stats.h"
#include "lab/apps.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "lab/lab_own.h"
#include "lab/probing.h"
#include "lab/reuse.h"
#include "trace/gmt.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLICE_CYCLES 20000

typedef struct {
  uint64_t host_ms;
  char host[64];
} result_head_t;

/* ---- recordings ------------------------------------------------------------------------------ */

typedef struct {
  const char *app;
  char path[PATH_MAX];
} recorded_t;

static int record_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  const recorded_t *r = (const recorded_t *)ctx + job;
  char path[PATH_MAX];
  (void)result;
  return front_of(r->app)->record(r->app, path, sizeof path, e);
}

static int record_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  (void)ctx, (void)job;
  return result ? GMMU_OK : e->code;
}

/* Whether its recording is still to be made; it is then at the end of the list. Each is there once:
 * two runs that want the same one would both make it. */
static bool is_new(recorded_t *list, uint32_t count, const char *app) {
  recorded_t *r = &list[count];
  const front_t *f = front_of(app);
  bool cached = false;
  err_t e = {0};
  if (!f->recording || f->recording(app, r->path, sizeof r->path, &cached, &e) < 0 || cached)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(list[i].path, r->path) == 0) return false;
  r->app = app;
  return true;
}

static uint32_t pick_recordings(const lab_t *l, recorded_t *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->missing_count; i++)
    for (uint32_t a = 0; a < l->missing[i]->run.apps && count < LAB_CONTENTS; a++)
      count += is_new(list, count, l->missing[i]->run.app[a]);
  return count;
}

/* Records the applications that must not be recorded at the same time, and leaves the others at the
 * front of the list. */
static int record_one_by_one(recorded_t *list, uint32_t *count, err_t *e) {
  uint32_t left = 0;
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < *count && rc == 0; i++)
    if (front_of(list[i].app)->one_by_one)
      rc = record_job(list, i, NULL, e);
    else
      list[left++] = list[i];
  *count = left;
  return rc;
}

static int record_missing(lab_t *l, err_t *e) {
  recorded_t *list = malloc((LAB_CONTENTS + 1) * sizeof *list);
  if (!list) return err_set(e, GMMU_ENOMEM, "out of memory");
  uint32_t count = pick_recordings(l, list);
  int rc = record_one_by_one(list, &count, e);
  jobs_t jobs = {.run = record_job,
                 .done = record_done,
                 .ctx = list,
                 .jobs = count,
                 .parallel = l->parallel,
                 .what = "recording"};
  if (rc == 0 && count) rc = jobs_run(&jobs, e);
  free(list);
  return rc;
}

/* ---- one run --------------------------------------------------------------------------------- */

static int run_machine(gpu_t *g, const gpu_limits_t *limits, err_t *e) {
  int rc = 0;
  while (rc == 0) {
    if (stop_asked()) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
    rc = gpu_run(g, limits, gpu_cycles(g) + SLICE_CYCLES, e);
  }
  gpu_settle(g);
  return rc < 0 ? rc : GMMU_OK;
}

int lab_set_up(const lab_run_t *r, const gpu_spec_t *spec, lab_setup_t *s, err_t *e) {
  const char *text[GMMU_MAX_APPS];
  uint32_t next = 0;
  int rc = GMMU_OK;
  *s = (lab_setup_t){.apps = r->apps};
  for (uint32_t a = 0; a < r->apps; a++) text[a] = r->app[a];
  app_names(text, r->apps, 0, s->name);
  for (uint32_t a = 0; a < r->apps && rc >= 0; a++) {
    s->app[a] = (app_spec_t){.name = s->name[a], .first_sm = next, .sms = r->sms[a]};
    next += r->sms[a];
    const front_machine_t m = {spec, r->gpu, a, r->apps};
    rc = app_open_on(r->app[a], &m, &s->app[a].source, e);
  }
  if (rc >= 0) rc = gpu_new(spec, s->app, s->apps, &s->gpu, e);
  if (rc < 0) lab_take_down(s);
  return rc;
}

void lab_take_down(lab_setup_t *s) {
  gpu_free(s->gpu);
  for (uint32_t a = 0; a < s->apps; a++)
    if (s->app[a].source) s->app[a].source->ops->free(s->app[a].source);
  *s = (lab_setup_t){0};
}

static uint64_t host_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void write_result(const json_t *j, uint64_t start_ms, strbuf_t *out) {
  result_head_t head = {.host_ms = host_ms() - start_ms};
  if (gethostname(head.host, sizeof head.host - 1) < 0) head.host[0] = 0;
  strbuf_add(out, (const char *)&head, sizeof head);
  strbuf_add(out, strbuf_text(&j->out), j->out.size);
  out->failed |= j->out.failed;
}

static void write_stats(const gpu_t *g, uint64_t start_ms, strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  write_result(&j, start_ms, out);
  json_fini(&j);
}

/* A probe makes machines of its own, one after the other; reuse distances need none. */
static int perform_other(const lab_run_t *r, const gpu_spec_t *spec, uint64_t start_ms,
                         strbuf_t *out, err_t *e) {
  json_t j;
  json_init(&j);
  int rc =
      reuse_knows(r->app[0]) ? reuse_run(r->app[0], &j, e) : probing_run(r->app[0], spec, &j, e);
  if (rc >= 0) write_result(&j, start_ms, out);
  json_fini(&j);
  return rc;
}

int lab_perform(const lab_run_t *r, strbuf_t *result, err_t *e) {
  lab_setup_t s;
  gpu_spec_t spec;
  uint64_t start_ms = host_ms();
  int rc = lab_spec(r, &spec, e);
  if (rc >= 0 && (probing_knows(r->app[0]) || reuse_knows(r->app[0])))
    return perform_other(r, &spec, start_ms, result, e);
  if (rc >= 0) rc = lab_set_up(r, &spec, &s, e);
  if (rc < 0) return rc;
  rc = run_machine(s.gpu, &r->limits, e);
  if (rc >= 0) write_stats(s.gpu, start_ms, result);
  lab_take_down(&s);
  return rc;
}

/* ---- what comes back ------------------------------------------------------------------------- */

/* Whether the machine would fail so again. What the host failed of may pass. */
static bool is_lasting(int code) { return code != GMMU_EIO && code != GMMU_ENOMEM; }

static int put(lab_t *l, const missing_t *m, store_row_t *row, err_t *e) {
  strbuf_t apps, sms, settings, command;
  strbuf_init(&apps), strbuf_init(&sms), strbuf_init(&settings), strbuf_init(&command);
  lab_row_texts(&m->run, &apps, &sms, &settings, &command);
  row->key = m->key, row->identity = m->identity, row->model = lab_model_version;
  row->label = m->label, row->workload = m->workload;
  row->gpu = m->run.gpu, row->design = m->run.design;
  row->apps = strbuf_text(&apps), row->sms = strbuf_text(&sms);
  row->settings = strbuf_text(&settings), row->command = strbuf_text(&command);
  bool whole = !apps.failed && !sms.failed && !settings.failed && !command.failed;
  int rc = whole ? store_put(l->store, row, e) : err_set(e, GMMU_ENOMEM, "out of memory");
  strbuf_fini(&apps), strbuf_fini(&sms), strbuf_fini(&settings), strbuf_fini(&command);
  return rc;
}

int lab_keep(lab_t *l, const lab_run_t *run, const char *json, err_t *e) {
  missing_t m = {.run = *run};
  char host[64] = "";
  json_t j;
  json_init(&j);
  int rc = lab_identify(l, &m.run, &j, e);
  if (rc == 0) {
    m.identity = (char *)strbuf_text(&j.out);
    store_key(m.identity, m.key);
    lab_describe(&m);
    if (gethostname(host, sizeof host - 1) < 0) host[0] = 0;
    store_row_t row = {.status = STORE_DONE, .result = json, .host = host};
    rc = put(l, &m, &row, e);
  }
  json_fini(&j);
  return rc;
}

int lab_put_failed(lab_t *l, const missing_t *m, err_t *e) {
  char host[64] = "", text[sizeof e->file + sizeof e->key + sizeof e->text + 64];
  if (e->code == GMMU_EINTERRUPTED) return e->code;
  err_format(e, text, sizeof text);
  if (!lab_learn(l, m->key, LAB_FAILED, text)) return l->error.code;
  if (gethostname(host, sizeof host - 1) < 0) host[0] = 0;
  store_row_t row = {
      .status = is_lasting(e->code) ? STORE_FAILED : STORE_LOST, .error = text, .host = host};
  return put(l, m, &row, e);
}

int lab_finished(lab_t *l, uint32_t job, const strbuf_t *result, err_t *e) {
  const missing_t *m = l->missing[job];
  result_head_t head;
  int rc;
  if (!result || result->size < sizeof head) {
    rc = lab_put_failed(l, m, e);
  } else {
    memcpy(&head, strbuf_text(result), sizeof head);
    head.host[sizeof head.host - 1] = 0;
    store_row_t row = {.status = STORE_DONE,
                       .result = strbuf_text(result) + sizeof head,
                       .host = head.host,
                       .host_ms = head.host_ms};
    rc = put(l, m, &row, e); /* the next pass reads it from there */
  }
  l->executed += rc >= 0; /* what could not be kept is missing as before */
  claims_leave(l->claims, m->key);
  return rc;
}

/* ---- all of them ----------------------------------------------------------------------------- */

job_ready_t lab_ready(lab_t *l, uint32_t job, err_t *e) {
  const missing_t *m = l->missing[job];
  store_status_t status = STORE_NONE;
  if (!claims_take(l->claims, m->key)) return JOB_LATER;
  if (store_get(l->store, m->key, &status, NULL, e) < 0) return JOB_BAD;
  if (status != STORE_DONE && (status == STORE_NONE || m->again)) return JOB_GO;
  claims_leave(l->claims, m->key);
  return JOB_DONE;
}

static int run_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  return lab_perform(&((const lab_t *)ctx)->missing[job]->run, result, e);
}

static int run_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  return lab_finished(ctx, job, result, e);
}

static job_ready_t run_ready(void *ctx, uint32_t job, err_t *e) { return lab_ready(ctx, job, e); }

/* Runs without a price count like the mean of those that have one. */
jobs_t lab_jobs(lab_t *l, const char *what, uint64_t *price) {
  uint32_t unpriced;
  uint64_t sum = lab_price_ms(l, &unpriced);
  uint64_t mean = unpriced < l->missing_count ? sum / (l->missing_count - unpriced) : 0;
  for (uint32_t i = 0; i < l->missing_count; i++) {
    uint64_t own = l->missing[i]->price_ms;
    price[i] = (own ? own : mean) + 1;
  }
  return (jobs_t){.run = run_job,
                  .done = run_done,
                  .ready = run_ready,
                  .ctx = l,
                  .jobs = l->missing_count,
                  .parallel = l->parallel,
                  .price = price,
                  .what = what};
}

static int run_here(lab_t *l, const char *what, err_t *e) {
  uint64_t *price = calloc(l->missing_count + 1, sizeof *price);
  if (!price) return err_set(e, GMMU_ENOMEM, "out of memory");
  jobs_t jobs = lab_jobs(l, what, price);
  int rc = jobs_run(&jobs, e);
  free(price);
  return rc;
}

static int dearer_first(const void *a, const void *b) {
  const missing_t *x = *(missing_t *const *)a, *y = *(missing_t *const *)b;
  if (x->price_ms != y->price_ms) return x->price_ms > y->price_ms ? -1 : 1;
  return strcmp(x->key, y->key);
}

int lab_execute(lab_t *l, const char *what, err_t *e) {
  qsort(l->missing, l->missing_count, sizeof(missing_t *), dearer_first);
  int rc = record_missing(l, e);
  if (rc < 0) return rc;
  return l->execute ? l->execute(l->execute_ctx, l, what, e) : run_here(l, what, e);
}
