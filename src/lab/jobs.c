/* A child sends an err_t and its result through a pipe and exits; the parent polls the pipes. Only
 * a child that exits with status 0 has sent all. Invariant: slot i is in use exactly while its pid
 * is not 0. */
#define _GNU_SOURCE /* pipe2 */
#include "lab/jobs.h"
#include "base/stop.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PARALLEL 64
#define POLL_MS      200

typedef struct {
  pid_t pid;
  int fd; /* what it sends */
  uint32_t job;
  strbuf_t got; /* an err_t, then the result */
} slot_t;

typedef struct {
  const jobs_t *j;
  slot_t slot[MAX_PARALLEL];
  uint32_t slots;
  job_queue_t queue;
} pool_t;

/* ---- child ----------------------------------------------------------------------------------- */

static bool send_all(int fd, const uint8_t *p, size_t n) {
  while (n) {
    ssize_t k = write(fd, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k, n -= (size_t)k;
  }
  return true;
}

static void child(const jobs_t *j, uint32_t job, int fd, pid_t parent) {
  err_t e = {0};
  strbuf_t result;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  /* whom should it tell? */
  if (getppid() != parent) _exit(1); /* it ended before the line above */
  strbuf_init(&result);
  int rc = j->run(j->ctx, job, &result, &e);
  if (rc >= 0 && result.failed) rc = err_set(&e, GMMU_ENOMEM, "out of memory for a result");
  if (rc < 0 && !e.code) e.code = rc;
  if (rc >= 0) e = (err_t){0};
  bool sent = send_all(fd, (const uint8_t *)&e, sizeof e) &&
              (rc < 0 || send_all(fd, (const uint8_t *)strbuf_text(&result), result.size));
  _exit(sent ? 0 : 1);
}

static int start(pool_t *p, slot_t *s, uint32_t job, err_t *e) {
  int ends[2];
  /* closed on exec: what a job starts and leaves behind must not keep its result open */
  if (pipe2(ends, O_CLOEXEC) < 0) return err_set(e, GMMU_EIO, "pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t self = getpid(), pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(p->j, job, ends[1], self);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return err_set(e, GMMU_EIO, "fork: %s", strerror(errno));
  }
  strbuf_clear(&s->got);
  s->pid = pid, s->fd = ends[0], s->job = job;
  return GMMU_OK;
}

/* ---- parent ---------------------------------------------------------------------------------- */

/* What the child said; its result is what follows the err_t. */
static void hear(const slot_t *s, int status, err_t *told, strbuf_t *result) {
  *told = (err_t){0};
  if (s->got.failed)
    err_set(told, GMMU_ENOMEM, "out of memory for a result");
  else if (WIFSIGNALED(status))
    err_set(told, GMMU_EIO, "its process was ended by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) || s->got.size < sizeof *told)
    err_set(told, GMMU_EIO, "its process ended early, with status %d", WEXITSTATUS(status));
  else
    memcpy(told, s->got.buf, sizeof *told);
  if (!told->code) strbuf_add(result, s->got.buf + sizeof *told, s->got.size - sizeof *told);
}

static int finish(pool_t *p, slot_t *s, err_t *e) {
  int status = 0;
  err_t told;
  strbuf_t result;
  strbuf_init(&result);
  close(s->fd);
  while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) {
  }
  s->pid = 0;
  job_queue_ended(&p->queue, s->job);
  hear(s, status, &told, &result);
  int rc = p->j->done(p->j->ctx, s->job, told.code ? NULL : &result, &told);
  strbuf_fini(&result);
  if (rc < 0) *e = told;
  return rc;
}

static int receive(pool_t *p, slot_t *s, err_t *e) {
  char block[1 << 16];
  ssize_t n = read(s->fd, block, sizeof block);
  if (n < 0 && errno == EINTR) return GMMU_OK;
  if (n <= 0) return finish(p, s, e);
  strbuf_add(&s->got, block, (size_t)n);
  return GMMU_OK;
}

static int wait_some(pool_t *p, err_t *e) {
  struct pollfd fds[MAX_PARALLEL];
  uint32_t of[MAX_PARALLEL], n = 0;
  for (uint32_t i = 0; i < p->slots; i++)
    if (p->slot[i].pid)
      fds[n] = (struct pollfd){.fd = p->slot[i].fd, .events = POLLIN}, of[n++] = i;
  if (poll(fds, n, POLL_MS) < 0 && errno != EINTR)
    return err_set(e, GMMU_EIO, "poll: %s", strerror(errno));
  for (uint32_t k = 0; k < n; k++) {
    int rc = fds[k].revents ? receive(p, &p->slot[of[k]], e) : GMMU_OK;
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static bool any_running(const pool_t *p) {
  for (uint32_t i = 0; i < p->slots; i++)
    if (p->slot[i].pid) return true;
  return false;
}

static void end_children(pool_t *p) {
  for (uint32_t i = 0; i < p->slots; i++) {
    slot_t *s = &p->slot[i];
    if (!s->pid) continue;
    kill(s->pid, SIGKILL);
    close(s->fd);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    s->pid = 0;
  }
}

static int start_more(pool_t *p, err_t *e) {
  for (uint32_t i = 0; i < p->slots; i++) {
    uint32_t job;
    job_ready_t state = JOB_GO;
    if (p->slot[i].pid) continue;
    if (!job_queue_pick(&p->queue, &job, &state, e)) return GMMU_OK;
    int rc = state == JOB_BAD ? e->code : start(p, &p->slot[i], job, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

/* All under way hear of Ctrl-C, whoever it was sent to, and their results are taken. */
static int let_finish(pool_t *p, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < p->slots; i++)
    if (p->slot[i].pid) kill(p->slot[i].pid, SIGUSR1);
  while (rc == GMMU_OK && any_running(p)) rc = wait_some(p, e);
  return rc;
}

static int work(pool_t *p, err_t *e) {
  int rc = GMMU_OK;
  progress_t shown;
  if (p->j->lines)
    progress_begin_lines(&shown);
  else
    progress_begin(&shown);
  while (rc == GMMU_OK && (job_queue_left(&p->queue) || any_running(p))) {
    rc = start_more(p, e);
    if (rc == GMMU_OK) rc = wait_some(p, e);
    bool stop = stop_asked() || (p->j->stop && p->j->stop(p->j->ctx));
    if (rc == GMMU_OK && stop && p->j->finish) rc = let_finish(p, e);
    if (rc == GMMU_OK && stop) rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
    job_queue_show(&p->queue, &shown);
  }
  progress_end(&shown);
  return rc;
}

int jobs_run(const jobs_t *j, err_t *e) {
  pool_t p = {.j = j};
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  p.slots = j->parallel ? j->parallel : cores > 0 ? (uint32_t)cores : 1;
  if (p.slots > MAX_PARALLEL) p.slots = MAX_PARALLEL;
  if (job_queue_init(&p.queue, j, e) < 0) return e->code;
  int rc = work(&p, e);
  job_queue_fini(&p.queue);
  end_children(&p);
  for (uint32_t i = 0; i < p.slots; i++) strbuf_fini(&p.slot[i].got);
  return rc;
}
