/* Results that were asked for live in `known`, an open-addressed table by key that only grows, of
 * entries that stay where they are; `missing` lists the runs of this pass that are not there.
 * Invariant: a key is in at most one of them, and at most once. */
#include "lab.h"
#include "apps.h"
#include "base/json_find.h"
#include "gpu/stats.h"
#include "jobs.h"
#include "lab/hash.h"
#include "operators.h"
#include "stop.h"
#include "suite.h"
#include "trace/gmt.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLICE_CYCLES 20000
#define MAX_CONTENTS 256 /* different applications that one process meets */

typedef struct {
  char key[STORE_KEY_BYTES];
  uint32_t pass; /* that asked for it last */
  lab_result_t result;
  char *text; /* owned */
} known_t;

typedef struct {
  lab_run_t run; /* with its SMs filled in */
  char key[STORE_KEY_BYTES];
  char *identity; /* owned */
  char label[512], workload[512];
  uint64_t price_ms;
} missing_t;

struct lab {
  store_t *store;
  uint32_t parallel, pass;
  known_t **known;      /* owned; NULL: a free place */
  uint32_t room, count; /* room is a power of two */
  missing_t *missing;
  uint32_t missing_count, missing_room;
  struct {
    char app[LAB_TEXT_BYTES], content[LAB_TEXT_BYTES];
  } content[MAX_CONTENTS]; /* what an application's name stands for: hashed once */
  uint32_t contents;
  lab_result_t absent;
  err_t absent_error, error;
};

/* ---- opening --------------------------------------------------------------------------------- */

int lab_open(const char *store, store_mode_t mode, uint32_t parallel, lab_t **out, err_t *e) {
  char path[PATH_MAX];
  lab_t *l = calloc(1, sizeof *l);
  *out = NULL;
  if (!l) return err_set(e, GMMU_ENOMEM, "out of memory");
  l->parallel = parallel;
  int rc = store ? GMMU_OK : store_default_path(path, sizeof path, e);
  if (rc == 0) rc = store_open(store ? store : path, mode, &l->store, e);
  if (rc < 0)
    lab_close(l);
  else
    *out = l;
  return rc;
}

void lab_begin(lab_t *l) {
  for (uint32_t i = 0; i < l->missing_count; i++) free(l->missing[i].identity);
  l->missing_count = 0;
  l->pass++;
}

void lab_close(lab_t *l) {
  if (!l) return;
  lab_begin(l);
  for (uint32_t i = 0; i < l->room; i++) {
    if (l->known[i]) free(l->known[i]->text);
    free(l->known[i]);
  }
  store_close(l->store);
  free(l->known);
  free(l->missing);
  free(l);
}

const err_t *lab_error(const lab_t *l) { return l->error.code ? &l->error : NULL; }
uint32_t lab_missing(const lab_t *l) { return l->missing_count; }

uint32_t lab_found(const lab_t *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->room; i++) n += l->known[i] && l->known[i]->pass == l->pass;
  return n;
}

/* ---- what a run is --------------------------------------------------------------------------- */

int lab_spec(const lab_run_t *r, gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", r->gpu, e);
  if (rc == 0) rc = gpu_spec_load(spec, "design", r->design, e);
  for (uint32_t i = 0; i < r->sets && rc == 0; i++) {
    char key[LAB_TEXT_BYTES];
    size_t size = strcspn(r->set[i], "=");
    snprintf(key, sizeof key, "%.*s", (int)size, r->set[i]);
    rc = gpu_spec_set(spec, key, r->set[i][size] ? r->set[i] + size + 1 : "", e);
  }
  return rc;
}

/* As gpu_new() would divide them, so that "equal" and the same numbers are the same run. */
static void fill_split(lab_run_t *r, const gpu_spec_t *spec) {
  if (gpu_all_sms(&spec->share)) {
    memset(r->sms, 0, sizeof r->sms);
    return;
  }
  for (uint32_t a = 0; a < r->apps; a++)
    if (r->sms[a]) return;
  for (uint32_t a = 0; a < r->apps; a++)
    r->sms[a] = gpu_share_begin(spec->core.sms, r->apps, a + 1) -
                gpu_share_begin(spec->core.sms, r->apps, a);
}

static bool is_recording(const char *app) {
  size_t size = strlen(app);
  return strchr(app, '/') || (size > 4 && strcmp(app + size - 4, ".gmt") == 0);
}

/* What its name stands for: of a paper's application the recording's name, which has the program's
 * hash, of a file the hash of its bytes, of an operator its kernels' hash; a generator is all in
 * its name. */
static int find_content(const char *app, char *out, size_t size, err_t *e) {
  char path[PATH_MAX];
  suite_pick_t pick;
  uint64_t hash;
  bool cached;
  if (is_recording(app)) {
    int rc = hash_file(app, 0, &hash, e);
    snprintf(out, size, "%016" PRIx64, hash);
    return rc;
  }
  if (db_knows(app)) return operator_content(app, out, size, e);
  snprintf(out, size, "%s", app);
  if (!suite_knows(app)) return GMMU_OK;
  int rc = suite_parse(app, &pick, e);
  if (rc == 0) rc = suite_recording(&pick, path, sizeof path, &cached, e);
  if (rc == 0) snprintf(out, size, "%s", strrchr(path, '/') + 1);
  return rc;
}

static const char *content_of(lab_t *l, const char *app, err_t *e) {
  uint32_t i = 0;
  while (i < l->contents && strcmp(l->content[i].app, app)) i++;
  if (i < l->contents) return l->content[i].content;
  if (i == MAX_CONTENTS) i = --l->contents;
  snprintf(l->content[i].app, sizeof l->content[i].app, "%s", app);
  if (find_content(app, l->content[i].content, sizeof l->content[i].content, e) < 0) return NULL;
  l->contents++;
  return l->content[i].content;
}

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

static int identity_apps(lab_t *l, const lab_run_t *r, json_t *j, err_t *e) {
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < r->apps; a++) {
    const char *content = content_of(l, r->app[a], e);
    if (!content) return e->code;
    json_begin_object(j);
    json_key(j, "app"), json_str(j, is_recording(r->app[a]) ? "recording" : r->app[a]);
    json_key(j, "content"), json_str(j, content);
    number(j, "sms", r->sms[a]);
    json_end_object(j);
  }
  json_end_array(j);
  return GMMU_OK;
}

/* Blanks between tokens go, as in the store: what is hashed can be read there. */
static void leave_out_blanks(strbuf_t *s) {
  size_t kept = 0;
  bool inside = false; /* a string */
  if (s->failed) return;
  for (size_t i = 0; i < s->size; i++) {
    char c = s->buf[i];
    if (inside && c == '\\')
      s->buf[kept++] = c, c = s->buf[++i];
    else if (c == '"')
      inside = !inside;
    if (inside || !strchr(" \n", c)) s->buf[kept++] = c;
  }
  s->buf[s->size = kept] = 0;
}

/* All that a result depends on; the order of its members is part of the key. */
static int identity(lab_t *l, const lab_run_t *r, const gpu_spec_t *spec, json_t *j, err_t *e) {
  json_begin_object(j);
  json_key(j, "model"), json_str(j, lab_model_version);
  int rc = identity_apps(l, r, j, e);
  if (rc < 0) return rc;
  json_key(j, "limits");
  json_begin_object(j);
  number(j, "cycles", r->limits.cycles);
  number(j, "instructions", r->limits.instructions);
  number(j, "min_cycles", r->limits.min_cycles);
  number(j, "wait_for", r->limits.wait_for);
  json_key(j, "no_relaunch"), json_bool(j, r->limits.no_relaunch);
  json_end_object(j);
  json_key(j, "config"), gpu_config_json(spec, j);
  json_end_object(j);
  leave_out_blanks(&j->out);
  return j->out.failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

/* A line for people, and for prices. */
static void describe(const lab_run_t *r, missing_t *m) {
  strbuf_t label, workload;
  strbuf_init(&label), strbuf_init(&workload);
  for (uint32_t a = 0; a < r->apps; a++)
    strbuf_printf(&workload, "%s%s", a ? " + " : "", r->app[a]);
  strbuf_printf(&workload, ", %" PRIu64 " cycles", r->limits.cycles + r->limits.min_cycles);
  if (r->limits.wait_for) strbuf_printf(&workload, ", until %u finished", r->limits.wait_for);
  strbuf_printf(&label, "%s %s: %s; SMs", r->gpu, r->design, strbuf_text(&workload));
  for (uint32_t a = 0; a < r->apps; a++) strbuf_printf(&label, "%s%u", a ? "," : " ", r->sms[a]);
  for (uint32_t i = 0; i < r->sets; i++) strbuf_printf(&label, "; %s", r->set[i]);
  snprintf(m->label, sizeof m->label, "%s", strbuf_text(&label));
  snprintf(m->workload, sizeof m->workload, "%s", strbuf_text(&workload));
  strbuf_fini(&label), strbuf_fini(&workload);
}

/* ---- what is known --------------------------------------------------------------------------- */

static known_t **place_of(const lab_t *l, const char *key) {
  char head[9];
  snprintf(head, sizeof head, "%.8s", key);
  uint32_t mask = l->room - 1, i = (uint32_t)strtoul(head, NULL, 16);
  while (l->known[i & mask] && strcmp(l->known[i & mask]->key, key)) i++;
  return &l->known[i & mask];
}

static bool grow(lab_t *l) {
  known_t **old = l->known;
  uint32_t old_room = l->room, room = old_room ? 2 * old_room : 256;
  if (2 * l->count < old_room) return true;
  known_t **more = calloc(room, sizeof(known_t *));
  if (!more) return false;
  l->known = more, l->room = room;
  for (uint32_t i = 0; i < old_room; i++)
    if (old[i]) *place_of(l, old[i]->key) = old[i];
  free(old);
  return true;
}

/* Copies the text. NULL when memory ran out. */
static known_t *learn(lab_t *l, const char *key, lab_status_t status, const char *text) {
  known_t *k = calloc(1, sizeof *k);
  char *copy = strdup(text);
  if (!copy || !k || !grow(l)) {
    free(copy), free(k);
    err_set(&l->error, GMMU_ENOMEM, "out of memory for results");
    return NULL;
  }
  *k = (known_t){.result = {status, copy}, .text = copy};
  snprintf(k->key, sizeof k->key, "%s", key);
  *place_of(l, key) = k; /* a key is learnt once: lab_run() looks first */
  l->count++;
  return k;
}

/* From memory or from the store; NULL if it is in neither. */
static known_t *look_up(lab_t *l, const char *key) {
  store_status_t status;
  strbuf_t text;
  known_t *k = l->room ? *place_of(l, key) : NULL;
  if (k) return k;
  strbuf_init(&text);
  int rc = store_get(l->store, key, &status, &text, &l->error);
  k = rc < 0 || status == STORE_NONE
          ? NULL
          : learn(l, key, status == STORE_DONE ? LAB_DONE : LAB_FAILED, strbuf_text(&text));
  strbuf_fini(&text);
  return k;
}

static bool is_noted(const lab_t *l, const char *key) {
  for (uint32_t i = 0; i < l->missing_count; i++)
    if (strcmp(l->missing[i].key, key) == 0) return true;
  return false;
}

/* Takes `text`, the identity, over. */
static int note_missing(lab_t *l, const lab_run_t *r, const char *key, const char *text) {
  if (l->missing_count == l->missing_room) {
    uint32_t room = l->missing_room ? 2 * l->missing_room : 64;
    missing_t *more = realloc(l->missing, room * sizeof *more);
    if (!more) return err_set(&l->error, GMMU_ENOMEM, "out of memory");
    l->missing = more, l->missing_room = room;
  }
  missing_t *m = &l->missing[l->missing_count];
  *m = (missing_t){.run = *r, .identity = strdup(text)};
  if (!m->identity) return err_set(&l->error, GMMU_ENOMEM, "out of memory");
  l->missing_count++;
  snprintf(m->key, sizeof m->key, "%s", key);
  describe(r, m);
  return store_price(l->store, m->label, m->workload, &m->price_ms, &l->error);
}

static const lab_result_t *absent(lab_t *l, const err_t *e) {
  l->absent_error = *e;
  l->absent = (lab_result_t){LAB_ABSENT, l->absent_error.text};
  return &l->absent;
}

static const lab_result_t *find(lab_t *l, const lab_run_t *r, const char *text) {
  char key[STORE_KEY_BYTES];
  store_key(text, key);
  known_t *k = look_up(l, key);
  if (k) {
    k->pass = l->pass;
    return &k->result;
  }
  if (!l->error.code && !is_noted(l, key)) note_missing(l, r, key, text);
  return NULL;
}

const lab_result_t *lab_run(lab_t *l, const lab_run_t *run) {
  lab_run_t r = *run;
  gpu_spec_t spec;
  json_t j;
  err_t e = {0};
  if (l->error.code) return NULL;
  if (lab_spec(&r, &spec, &e) < 0) return absent(l, &e);
  fill_split(&r, &spec);
  json_init(&j);
  const lab_result_t *found =
      identity(l, &r, &spec, &j, &e) < 0 ? absent(l, &e) : find(l, &r, strbuf_text(&j.out));
  json_fini(&j);
  return found;
}

uint64_t lab_price_ms(const lab_t *l, uint32_t *unpriced) {
  uint64_t sum = 0;
  *unpriced = 0;
  for (uint32_t i = 0; i < l->missing_count; i++) {
    sum += l->missing[i].price_ms;
    *unpriced += !l->missing[i].price_ms;
  }
  return sum;
}

/* ---- recordings ------------------------------------------------------------------------------ */

typedef struct {
  const suite_pick_t *pick;
} recordings_t;

static int record_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  const recordings_t *x = ctx;
  char path[PATH_MAX];
  (void)result;
  return suite_record(&x->pick[job], path, sizeof path, e);
}

static int record_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  (void)ctx, (void)job;
  return result ? GMMU_OK : e->code;
}

static bool is_picked(const suite_pick_t *pick, uint32_t count, const suite_pick_t *p) {
  for (uint32_t i = 0; i < count; i++)
    if (pick[i].app->program == p->app->program && strcmp(pick[i].size, p->size) == 0 &&
        pick[i].seed == p->seed)
      return true;
  return false;
}

/* Each once: two runs that want the same one would both make it. */
static uint32_t pick_recordings(const lab_t *l, suite_pick_t *pick) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->missing_count; i++)
    for (uint32_t a = 0; a < l->missing[i].run.apps && count < MAX_CONTENTS; a++) {
      char path[PATH_MAX];
      suite_pick_t p;
      bool cached = true;
      err_t e = {0};
      if (!suite_knows(l->missing[i].run.app[a])) continue;
      if (suite_parse(l->missing[i].run.app[a], &p, &e) < 0 || is_picked(pick, count, &p)) continue;
      suite_recording(&p, path, sizeof path, &cached, &e);
      if (!cached) pick[count++] = p;
    }
  return count;
}

static int record_missing(lab_t *l, err_t *e) {
  suite_pick_t pick[MAX_CONTENTS];
  recordings_t x = {pick};
  jobs_t jobs = {.run = record_job,
                 .done = record_done,
                 .ctx = &x,
                 .jobs = pick_recordings(l, pick),
                 .parallel = l->parallel,
                 .what = "recording"};
  return jobs.jobs ? jobs_run(&jobs, e) : GMMU_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int run_machine(gpu_t *g, const gpu_limits_t *limits, err_t *e) {
  int rc = 0;
  while (rc == 0) {
    if (stop_asked()) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
    rc = gpu_run(g, limits, gpu_cycles(g) + SLICE_CYCLES, e);
  }
  gpu_settle(g);
  return rc < 0 ? rc : GMMU_OK;
}

static int open_apps(const lab_run_t *r, char name[][APP_NAME_BYTES], app_spec_t *apps, err_t *e) {
  const char *text[GMMU_MAX_APPS];
  uint32_t next = 0;
  for (uint32_t a = 0; a < r->apps; a++) text[a] = r->app[a];
  app_names(text, r->apps, 0, name);
  for (uint32_t a = 0; a < r->apps; a++) {
    apps[a] = (app_spec_t){.name = name[a], .first_sm = next, .sms = r->sms[a]};
    next += r->sms[a];
    int rc = app_open(r->app[a], &apps[a].source, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static uint64_t host_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void write_result(const gpu_t *g, uint64_t start_ms, strbuf_t *out) {
  json_t j;
  uint64_t cost_ms = host_ms() - start_ms;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  strbuf_add(out, (const char *)&cost_ms, sizeof cost_ms);
  strbuf_add(out, strbuf_text(&j.out), j.out.size);
  out->failed |= j.out.failed;
  json_fini(&j);
}

/* In the child: what it cost, then the statistics. */
static int run_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  const lab_run_t *r = &((const lab_t *)ctx)->missing[job].run;
  char name[GMMU_MAX_APPS][APP_NAME_BYTES];
  app_spec_t apps[GMMU_MAX_APPS] = {0};
  gpu_spec_t spec;
  gpu_t *g = NULL;
  uint64_t start_ms = host_ms();
  int rc = lab_spec(r, &spec, e);
  if (rc >= 0) rc = open_apps(r, name, apps, e);
  if (rc >= 0) rc = gpu_new(&spec, apps, r->apps, &g, e);
  if (rc >= 0) rc = run_machine(g, &r->limits, e);
  if (rc >= 0) write_result(g, start_ms, result);
  gpu_free(g);
  for (uint32_t a = 0; a < r->apps; a++)
    if (apps[a].source) apps[a].source->ops->free(apps[a].source);
  return rc;
}

/* Whether the machine would fail so again: then the failure is a result too. */
static bool is_lasting(int code) {
  return code == GMMU_ERANGE || code == GMMU_ENOSPACE || code == GMMU_EFAULT ||
         code == GMMU_ESTUCK || code == GMMU_ECHECK;
}

static int run_failed(lab_t *l, const missing_t *m, err_t *e) {
  if (e->code == GMMU_EINTERRUPTED) return e->code;
  char text[sizeof e->file + sizeof e->key + sizeof e->text + 64];
  err_format(e, text, sizeof text);
  if (!learn(l, m->key, LAB_FAILED, text)) return l->error.code;
  const store_row_t row = {.key = m->key,
                           .status = STORE_FAILED,
                           .identity = m->identity,
                           .model = lab_model_version,
                           .label = m->label,
                           .workload = m->workload,
                           .error = text};
  return is_lasting(e->code) ? store_put(l->store, &row, e) : GMMU_OK;
}

static int run_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  lab_t *l = ctx;
  const missing_t *m = &l->missing[job];
  store_row_t row = {.key = m->key,
                     .status = STORE_DONE,
                     .identity = m->identity,
                     .model = lab_model_version,
                     .label = m->label,
                     .workload = m->workload};
  if (!result || result->size < sizeof row.host_ms) return run_failed(l, m, e);
  memcpy(&row.host_ms, strbuf_text(result), sizeof row.host_ms);
  row.result = strbuf_text(result) + sizeof row.host_ms;
  return store_put(l->store, &row, e); /* the next pass reads it from there */
}

static int dearer_first(const void *a, const void *b) {
  const missing_t *x = a, *y = b;
  if (x->price_ms != y->price_ms) return x->price_ms > y->price_ms ? -1 : 1;
  return strcmp(x->key, y->key);
}

int lab_execute(lab_t *l, const char *what, err_t *e) {
  uint64_t *price = calloc(l->missing_count + 1, sizeof *price);
  if (!price) return err_set(e, GMMU_ENOMEM, "out of memory");
  qsort(l->missing, l->missing_count, sizeof *l->missing, dearer_first);
  for (uint32_t i = 0; i < l->missing_count; i++) price[i] = l->missing[i].price_ms + 1;
  jobs_t jobs = {.run = run_job,
                 .done = run_done,
                 .ctx = l,
                 .jobs = l->missing_count,
                 .parallel = l->parallel,
                 .price = price,
                 .what = what};
  int rc = record_missing(l, e);
  if (rc == 0) rc = jobs_run(&jobs, e);
  free(price);
  return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

uint64_t lab_u64(const lab_result_t *r, const char *path) {
  uint64_t v = 0;
  return r && r->status == LAB_DONE && json_find_u64(r->text, path, &v) ? v : 0;
}

ipc_t lab_ipc(const lab_result_t *r, uint32_t app) {
  char path[64];
  ipc_t v;
  snprintf(path, sizeof path, "apps[%u].complete_instructions", app);
  v.instructions = lab_u64(r, path);
  snprintf(path, sizeof path, "apps[%u].complete_cycles", app);
  v.cycles = lab_u64(r, path);
  return v;
}

ipc_t lab_window_ipc(const lab_result_t *r, uint32_t app) {
  char path[64];
  snprintf(path, sizeof path, "apps[%u].sm.warp_instructions", app);
  return (ipc_t){lab_u64(r, path), lab_u64(r, "cycles")};
}
