/* The line is a socket pair. All our descriptors are closed on exec; the program's two are opened
 * again between fork and exec. A pipe that exec closes tells whether it succeeded. */
#define _GNU_SOURCE /* execvpe, pipe2, asprintf */
#include "host/child.h"
#include "base/strbuf.h"
#include "gmmu/wire.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GLANCE_MS 50 /* between two looks whether to stop and whether the program is there */

struct child {
  pid_t pid;
  int line;
  bool reaped;
  int status;
  bool (*stop)(void *ctx);
  void *stop_ctx;
};

static int failed(err_t *e, const char *what, int number) {
  return err_set(e, GMMU_EIO, "cannot %s: %s", what, strerror(number));
}

/* ---- environment ----------------------------------------------------------------------------- */

static bool is_ours(const char *entry) {
  return strncmp(entry, WIRE_ENV "=", sizeof WIRE_ENV) == 0 ||
         strncmp(entry, "LD_LIBRARY_PATH=", 16) == 0;
}

/* Ours, with the line added and the libraries first. Freed by env_free(). */
static char **env_make(const child_spec_t *spec, int line) {
  extern char **environ;
  size_t n = 0, used = 0;
  while (environ[n]) n++;
  char **env = calloc(n + 3, sizeof *env);
  const char *path = getenv("LD_LIBRARY_PATH"), *dir = spec->library_dir;
  if (!env) return NULL;
  for (size_t i = 0; i < n; i++)
    if (!is_ours(environ[i])) env[2 + used++] = environ[i];
  if (asprintf(&env[0], "%s=%d,%d", WIRE_ENV, line, spec->memory_fd) < 0) env[0] = NULL;
  if (asprintf(&env[1], "LD_LIBRARY_PATH=%s%s%s", dir ? dir : "", dir && path && *path ? ":" : "",
               path ? path : "") < 0)
    env[1] = NULL;
  return env;
}

static void env_free(char **env) {
  if (!env) return;
  free(env[0]), free(env[1]), free(env);
}

/* ---- start ----------------------------------------------------------------------------------- */

static void give(int fd, int to) {
  if (fd >= 0 && fd != to) dup2(fd, to);
}

/* In the new process: never returns. */
static void become(const child_spec_t *spec, char **env, int line, int report, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127); /* it ended before the line above */
  give(spec->in_fd, 0), give(spec->out_fd, 1), give(spec->err_fd, 2);
  fcntl(line, F_SETFD, 0), fcntl(spec->memory_fd, F_SETFD, 0);
  execvpe(spec->argv[0], spec->argv, env);
  int number = errno;
  ssize_t n = write(report, &number, sizeof number);
  (void)n;
  _exit(127);
}

static int launch(child_t *c, const child_spec_t *spec, char **env, int line, err_t *e) {
  int report[2], number = 0;
  pid_t self = getpid();
  if (pipe2(report, O_CLOEXEC) < 0) return failed(e, "make a pipe", errno);
  c->pid = fork();
  if (c->pid == 0) become(spec, env, line, report[1], self);
  int why = errno;
  close(report[1]);
  ssize_t n = c->pid < 0 ? 0 : read(report[0], &number, sizeof number);
  close(report[0]);
  if (c->pid < 0) return failed(e, "start a process", why);
  if (n != sizeof number) return GMMU_OK;
  return err_set(e, number == ENOENT ? GMMU_ENOENT : GMMU_EIO, "cannot run %s: %s", spec->argv[0],
                 strerror(number));
}

int child_start(const child_spec_t *spec, child_t **out, err_t *e) {
  int pair[2];
  child_t *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c) return err_set(e, GMMU_ENOMEM, "out of memory");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
    free(c);
    return failed(e, "make a socket", errno);
  }
  c->pid = -1, c->line = pair[0], c->stop = spec->stop, c->stop_ctx = spec->stop_ctx;
  char **env = env_make(spec, pair[1]);
  int rc = env && env[0] && env[1] ? launch(c, spec, env, pair[1], e)
                                   : err_set(e, GMMU_ENOMEM, "out of memory");
  env_free(env);
  close(pair[1]);
  if (rc < 0)
    child_free(c);
  else
    *out = c;
  return rc;
}

static void note_end(child_t *c, int status) {
  c->reaped = true;
  c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void child_free(child_t *c) {
  int status;
  if (!c) return;
  close(c->line);
  if (c->pid > 0 && !c->reaped) {
    kill(c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  free(c);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool has_ended(child_t *c) {
  int status;
  if (!c->reaped && waitpid(c->pid, &status, WNOHANG) == c->pid) note_end(c, status);
  return c->reaped;
}

static int asked_to_stop(const child_t *c, err_t *e) {
  if (!c->stop || !c->stop(c->stop_ctx)) return GMMU_OK;
  return err_set(e, GMMU_EINTERRUPTED, "interrupted");
}

/* Until the line is ready: 1, or 0 if nobody is at its other end any more. */
static int await(child_t *c, short events, err_t *e) {
  struct pollfd p = {.fd = c->line, .events = events};
  for (;;) {
    bool gone = has_ended(c); /* before the look: what it sent is then there to be seen */
    int n = poll(&p, 1, gone ? 0 : GLANCE_MS), rc = asked_to_stop(c, e);
    if (rc < 0) return rc;
    if (n > 0) return 1;
    if (gone) return 0;
    if (n < 0 && errno != EINTR) return failed(e, "wait for the program", errno);
  }
}

/* Whether a failed transfer is to be tried again when the line is ready (1), or has ended (0). */
static int retry(child_t *c, short events, err_t *e) {
  if (errno == EINTR) return 1;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return await(c, events, e);
  if (errno == EPIPE || errno == ECONNRESET) return 0;
  return failed(e, "talk to the program", errno);
}

int child_read(child_t *c, void *to, size_t size, err_t *e) {
  for (size_t done = 0; done < size;) {
    ssize_t n = recv(c->line, (char *)to + done, size - done, MSG_DONTWAIT);
    int rc = n > 0 ? 1 : n == 0 ? 0 : retry(c, POLLIN, e);
    if (rc <= 0) return rc;
    if (n > 0) done += (size_t)n;
  }
  return 1;
}

int child_write(child_t *c, const void *from, size_t size, err_t *e) {
  for (size_t done = 0; done < size;) {
    ssize_t n = send(c->line, (const char *)from + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    int rc = n >= 0 ? 1 : retry(c, POLLOUT, e);
    if (rc <= 0) return rc;
    if (n > 0) done += (size_t)n;
  }
  return 1;
}

int child_wait(child_t *c, int *status, err_t *e) {
  for (uint32_t looks = 0; !has_ended(c); looks++) {
    int rc = asked_to_stop(c, e);
    if (rc < 0) return rc;
    struct timespec pause = {.tv_nsec = looks < 50 ? 1000000 : GLANCE_MS * 1000000};
    nanosleep(&pause, NULL);
  }
  *status = c->status;
  return GMMU_OK;
}
