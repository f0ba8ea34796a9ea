/* A child sends its result, or its error, through a pipe and exits; the parent polls the pipes.
 * Invariant: slot i is in use exactly while its pid is not 0. */
#include "jobs.h"
#include "progress.h"
#include "stop.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PARALLEL 64
#define POLL_MS      200

typedef struct {
  pid_t pid;
  int fd; /* what it sends */
  uint32_t job;
  size_t got;
  uint8_t *bytes; /* an err_t, then the result */
} slot_t;

typedef struct {
  const jobs_t *j;
  slot_t slot[MAX_PARALLEL];
  uint32_t slots, next, ended;
  size_t message_bytes;
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

static void child(const jobs_t *j, uint32_t job, int fd, uint8_t *message) {
  err_t e = {0};
  int rc = j->run(j->ctx, job, message + sizeof e, &e);
  if (rc < 0 && !e.code) e.code = rc;
  if (rc >= 0) e = (err_t){0};
  memcpy(message, &e, sizeof e);
  _exit(send_all(fd, message, sizeof e + j->result_bytes) ? 0 : 1);
}

static int start(pool_t *p, slot_t *s, err_t *e) {
  int ends[2];
  if (pipe(ends) < 0) return err_set(e, GMMU_EIO, "pipe: %s", strerror(errno));
  memset(s->bytes, 0, p->message_bytes);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(p->j, p->next, ends[1], s->bytes);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return err_set(e, GMMU_EIO, "fork: %s", strerror(errno));
  }
  s->pid = pid, s->fd = ends[0], s->job = p->next++, s->got = 0;
  return GMMU_OK;
}

/* ---- parent ---------------------------------------------------------------------------------- */

static int finish(pool_t *p, slot_t *s, err_t *e) {
  int status = 0;
  err_t told = {0};
  close(s->fd);
  while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) {
  }
  s->pid = 0;
  p->ended++;
  if (s->got == p->message_bytes)
    memcpy(&told, s->bytes, sizeof told);
  else if (WIFSIGNALED(status))
    err_set(&told, GMMU_EIO, "the process of run %u was ended by signal %d", s->job,
            WTERMSIG(status));
  else
    err_set(&told, GMMU_EIO, "the process of run %u ended early", s->job);
  int rc = p->j->done(p->j->ctx, s->job, told.code ? NULL : s->bytes + sizeof told, &told);
  if (rc < 0) *e = told;
  return rc;
}

static int receive(pool_t *p, slot_t *s, err_t *e) {
  uint8_t extra;
  bool full = s->got == p->message_bytes;
  ssize_t n =
      full ? read(s->fd, &extra, 1) : read(s->fd, s->bytes + s->got, p->message_bytes - s->got);
  if (n < 0 && errno == EINTR) return GMMU_OK;
  if (n > 0 && !full) {
    s->got += (size_t)n;
    return GMMU_OK;
  }
  return finish(p, s, e);
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
  for (uint32_t i = 0; i < p->slots && p->next < p->j->jobs; i++) {
    int rc = p->slot[i].pid ? GMMU_OK : start(p, &p->slot[i], e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static int work(pool_t *p, err_t *e) {
  char what[160];
  int rc = GMMU_OK;
  progress_t shown;
  progress_begin(&shown);
  while (rc == GMMU_OK && (p->next < p->j->jobs || any_running(p))) {
    rc = start_more(p, e);
    if (rc == GMMU_OK) rc = wait_some(p, e);
    if (rc == GMMU_OK && stop_asked()) rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
    if (!progress_due(&shown)) continue;
    snprintf(what, sizeof what, "%s: %u of %u runs", p->j->what, p->ended, p->j->jobs);
    progress_show(&shown,
                  &(progress_state_t){.what = what, .permille = p->ended * 1000 / p->j->jobs});
  }
  progress_end(&shown);
  return rc;
}

int jobs_run(const jobs_t *j, err_t *e) {
  pool_t p = {.j = j, .message_bytes = sizeof(err_t) + j->result_bytes};
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int rc = GMMU_OK;
  p.slots = j->parallel ? j->parallel : cores > 0 ? (uint32_t)cores : 1;
  if (p.slots > MAX_PARALLEL) p.slots = MAX_PARALLEL;
  for (uint32_t i = 0; i < p.slots && rc == GMMU_OK; i++) {
    p.slot[i].bytes = malloc(p.message_bytes);
    if (!p.slot[i].bytes) rc = err_set(e, GMMU_ENOMEM, "out of memory");
  }
  if (rc == GMMU_OK) rc = work(&p, e);
  end_children(&p);
  for (uint32_t i = 0; i < p.slots; i++) free(p.slot[i].bytes);
  return rc;
}
