/* Messages: a worker says TAG_HELLO with its version of the model once; TAG_RUN gives it a run as
 * text (lab_text_write()), which it answers with TAG_RESULT: an err_t and, if that is empty, the
 * result. TAG_END ends it. Invariant of rank 0: rank r is idle exactly if job[r] is IDLE, and only
 * then is anything sent to it, so that no two ranks wait for each other.
 *
 * A receive of MPI's own would keep a processor busy while it waits: everybody polls and sleeps. */
#include "lab/ranks.h"
#include "base/stop.h"
#include "base/where.h"
#include "lab/hash.h"
#include "lab/jobs.h"
#include "lab/lab_own.h"
#include "lab/mpi_module.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_RANKS 4096
#define SLEEP_NS  2000000
#define IDLE      UINT32_MAX
#define ABSENT    (UINT32_MAX - 1) /* has not said TAG_HELLO */

enum { TAG_HELLO = 1, TAG_RUN, TAG_RESULT, TAG_END };

struct ranks {
  void *library;
  const mpi_module_t *ops;
  int rank, size;
  pid_t parent;
  uint32_t job[MAX_RANKS]; /* rank 0's: what each does */
};

typedef struct {
  int from, tag;
  strbuf_t bytes;
} message_t;

/* ---- opening --------------------------------------------------------------------------------- */

bool ranks_is_there(void) { return getenv("OMPI_COMM_WORLD_SIZE") != NULL; }

static int failed(err_t *e, const char *what) {
  return err_set(e, GMMU_EIO, "MPI: %s failed", what);
}

static int load(ranks_t *m, err_t *e) {
  char folder[PATH_MAX], path[PATH_MAX + 32];
  int rc = where_is(WHERE_MPI, folder, sizeof folder, e);
  if (rc < 0) return rc;
  snprintf(path, sizeof path, "%s/%s", folder, MPI_MODULE_FILE);
  m->library = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  m->ops = m->library ? dlsym(m->library, MPI_MODULE_SYMBOL) : NULL;
  if (m->ops && m->ops->version == MPI_MODULE_VERSION) return GMMU_OK;
  const char *why = m->ops                    ? "it is another gmmu's"
                    : access(path, R_OK) == 0 ? dlerror()
                                              : "this gmmu was built without MPI";
  return err_set(e, GMMU_ENOENT, "%s: %s", path, why);
}

int ranks_open(ranks_t **out, err_t *e) {
  ranks_t *m = calloc(1, sizeof *m);
  *out = m;
  if (!m) return err_set(e, GMMU_ENOMEM, "out of memory");
  m->parent = getppid();
  int rc = load(m, e);
  if (rc == 0 && m->ops->begin(&m->rank, &m->size)) m->ops = NULL, rc = failed(e, "MPI_Init");
  if (rc == 0 && m->size > MAX_RANKS)
    rc = err_set(e, GMMU_ERANGE, "%d ranks; at most %d", m->size, MAX_RANKS);
  for (uint32_t i = 0; i < MAX_RANKS; i++) m->job[i] = ABSENT;
  return rc;
}

int ranks_own(const ranks_t *m) { return m->rank; }

static bool any_busy(const ranks_t *m) {
  for (int r = 1; r < m->size; r++)
    if (m->job[r] != IDLE && m->job[r] != ABSENT) return true;
  return false;
}

void ranks_close(ranks_t *m, int status) {
  if (!m) return;
  if (m->ops && m->rank == 0 && any_busy(m)) m->ops->give_up(status);
  if (m->ops && m->rank == 0)
    for (int r = 1; r < m->size; r++) m->ops->send(r, TAG_END, "", 0);
  if (m->ops) m->ops->end();
  /* the library stays: MPI's own threads may still be in it */
  free(m);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void nap(void) {
  const struct timespec t = {0, SLEEP_NS};
  nanosleep(&t, NULL);
}

/* 1 with a message, 0 if there is none. */
static int next_message(ranks_t *m, message_t *x, err_t *e) {
  int there = 0, size = 0;
  if (m->ops->poll(&there, &x->from, &x->tag, &size)) return failed(e, "MPI_Iprobe");
  if (!there) return 0;
  strbuf_clear(&x->bytes);
  strbuf_fill(&x->bytes, 0, (size_t)size);
  if (x->bytes.failed) return err_set(e, GMMU_ENOMEM, "out of memory for a message");
  char none[1];
  return m->ops->receive(x->from, x->tag, size ? x->bytes.buf : none, size) ? failed(e, "MPI_Recv")
                                                                            : 1;
}

/* ---- workers --------------------------------------------------------------------------------- */

typedef struct {
  const ranks_t *m;
  lab_run_t run;
  strbuf_t *reply;
} work_t;

/* Without the process that started it nobody would end it. */
static bool is_alone(const ranks_t *m) { return getppid() != m->parent; }
static bool stop_alone(void *ctx) { return is_alone(((const work_t *)ctx)->m); }

static int perform(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  (void)job;
  return lab_perform(&((const work_t *)ctx)->run, result, e);
}

static int performed(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  const work_t *w = ctx;
  err_t none = {0};
  (void)job;
  strbuf_add(w->reply, (const char *)(result ? &none : e), sizeof none);
  if (result) strbuf_add(w->reply, strbuf_text(result), result->size);
  return GMMU_OK;
}

/* The run is the one that rank 0 means only if it has the same key here. */
static int understand(lab_t *l, const char *text, lab_run_t *r, err_t *e) {
  char key[STORE_KEY_BYTES], own[STORE_KEY_BYTES];
  if (!lab_text_read(&text, r, key, e)) return err_set(e, GMMU_EIO, "MPI: %s", e->text);
  int rc = lab_key(l, r, own, e);
  if (rc < 0 || strcmp(key, own) == 0) return rc;
  return err_set(e, GMMU_EIO, "on this host gmmu or its applications differ from those of rank 0");
}

static int work_on(const ranks_t *m, lab_t *l, const char *text, strbuf_t *reply) {
  work_t w = {.m = m, .reply = reply};
  err_t e = {0};
  jobs_t jobs = {.run = perform,
                 .done = performed,
                 .stop = stop_alone,
                 .ctx = &w,
                 .jobs = 1,
                 .parallel = 1,
                 .what = "run"};
  strbuf_clear(reply);
  int rc = understand(l, text, &w.run, &e);
  if (rc == 0) rc = jobs_run(&jobs, &e);
  if (rc < 0) {
    strbuf_clear(reply);
    strbuf_add(reply, (const char *)&e, sizeof e);
  }
  return rc;
}

static int serve_one(ranks_t *m, lab_t *l, const message_t *x, strbuf_t *reply, err_t *e) {
  int rc = work_on(m, l, strbuf_text(&x->bytes), reply);
  if (m->ops->send(0, TAG_RESULT, reply->buf, (int)reply->size)) return failed(e, "MPI_Send");
  return rc == GMMU_EINTERRUPTED ? err_set(e, rc, "interrupted") : GMMU_OK;
}

int ranks_work(ranks_t *m, err_t *e) {
  message_t x = {0};
  strbuf_t reply;
  lab_t *l = NULL;
  strbuf_init(&reply);
  int rc = lab_open_worker(&l, e);
  int hello = (int)strlen(lab_model_version) + 1;
  if (rc == 0 && m->ops->send(0, TAG_HELLO, lab_model_version, hello)) rc = failed(e, "MPI_Send");
  while (rc == 0) {
    rc = is_alone(m) ? err_set(e, GMMU_EIO, "mpirun has ended") : next_message(m, &x, e);
    if (rc == 0) nap();
    if (rc != 1) continue;
    if (x.tag == TAG_END) break;
    rc = serve_one(m, l, &x, &reply, e);
  }
  lab_close(l);
  strbuf_fini(&x.bytes);
  strbuf_fini(&reply);
  return rc < 0 ? rc : GMMU_OK;
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

typedef struct {
  ranks_t *m;
  lab_t *l;
  job_queue_t queue;
  message_t message;
} farm_t;

static int give_out(farm_t *f, int rank, uint32_t job, err_t *e) {
  const missing_t *x = f->l->missing[job];
  strbuf_t text;
  strbuf_init(&text);
  int rc = lab_text_write(&x->run, x->key, &text, e);
  if (rc == 0 && f->m->ops->send(rank, TAG_RUN, strbuf_text(&text), (int)text.size + 1))
    rc = failed(e, "MPI_Send");
  f->m->job[rank] = job;
  strbuf_fini(&text);
  return rc;
}

static int give_all(farm_t *f, err_t *e) {
  for (int r = 1; r < f->m->size; r++) {
    uint32_t job;
    job_ready_t state;
    if (f->m->job[r] != IDLE) continue;
    if (!job_queue_pick(&f->queue, &job, &state, e)) return GMMU_OK;
    int rc = state == JOB_BAD ? e->code : give_out(f, r, job, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static int greet(farm_t *f, err_t *e) {
  const message_t *x = &f->message;
  if (x->tag != TAG_HELLO || f->m->job[x->from] != ABSENT)
    return err_set(e, GMMU_EFORMAT, "MPI: rank %d says what nobody asked (%d)", x->from, x->tag);
  if (strcmp(strbuf_text(&x->bytes), lab_model_version) != 0)
    return err_set(e, GMMU_EINVAL, "MPI: rank %d runs another gmmu than rank 0", x->from);
  f->m->job[x->from] = IDLE;
  return GMMU_OK;
}

static int take_result(farm_t *f, err_t *e) {
  const strbuf_t *b = &f->message.bytes;
  uint32_t job = f->m->job[f->message.from];
  err_t told;
  if (b->size < sizeof told || job >= f->l->missing_count)
    return err_set(e, GMMU_EFORMAT, "MPI: rank %d answers what nobody asked", f->message.from);
  f->m->job[f->message.from] = IDLE;
  memcpy(&told, b->buf, sizeof told);
  strbuf_t result = {.buf = b->buf + sizeof told, .size = b->size - sizeof told};
  job_queue_ended(&f->queue, job);
  int rc = lab_finished(f->l, job, told.code ? NULL : &result, &told);
  if (rc < 0) *e = told;
  return rc;
}

static int take_messages(farm_t *f, err_t *e) {
  for (bool any = false;; any = true) {
    int rc = next_message(f->m, &f->message, e);
    if (rc == 0 && !any) nap();
    if (rc <= 0) return rc;
    rc = f->message.tag == TAG_RESULT ? take_result(f, e) : greet(f, e);
    if (rc < 0 || stop_asked()) return rc;
  }
}

static int farm(farm_t *f, err_t *e) {
  int rc = GMMU_OK;
  progress_t shown;
  progress_begin(&shown);
  while (rc == GMMU_OK && (job_queue_left(&f->queue) || any_busy(f->m))) {
    rc = give_all(f, e);
    if (rc == GMMU_OK) rc = take_messages(f, e);
    if (rc == GMMU_OK && (stop_asked() || is_alone(f->m)))
      rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
    job_queue_show(&f->queue, &shown);
  }
  progress_end(&shown);
  return rc;
}

static int execute(void *ctx, lab_t *l, const char *what, err_t *e) {
  farm_t f = {.m = ctx, .l = l};
  uint64_t *price = calloc(l->missing_count + 1, sizeof *price);
  if (!price) return err_set(e, GMMU_ENOMEM, "out of memory");
  jobs_t jobs = lab_jobs(l, what, price);
  int rc = job_queue_init(&f.queue, &jobs, e);
  if (rc == 0) rc = farm(&f, e);
  job_queue_fini(&f.queue);
  strbuf_fini(&f.message.bytes);
  free(price);
  return rc;
}

void ranks_serve(ranks_t *m, lab_t *l) {
  if (m->size > 1) lab_set_execute(l, execute, m);
}
