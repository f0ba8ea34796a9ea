/* The line is a socket pair. All our descriptors are closed on exec; the program's two are opened
 * again between fork and exec. A pipe that exec closes tells whether it succeeded.
 *
 * Between us and the program is a keeper, a process that does nothing but wait. Whatever the
 * program starts becomes the keeper's child when its own parent ends, so nothing outlives the
 * keeper: it ends with the program's status after the program and all its descendants, and ends
 * them all when we ask (SIGTERM) or die. The program stays in our process group: it may read the
 * terminal. */
#define _GNU_SOURCE /* execvpe, pipe2, asprintf, close_range, struct ucred */
#include "host/child.h"
#include "base/strbuf.h"
#include "gmmu/wire.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GLANCE_MS 50   /* between two looks whether to stop and whether the program is there */
#define GRACE_MS  1000 /* for what a program leaves behind when it ends: a pipe's reader, say */

struct child {
  pid_t pid; /* of the keeper */
  int line;
  pid_t asker;  /* the process that sent the last bytes: the program, or one that it started */
  int asker_fd; /* readable when that process has ended; -1: not known */
  bool reaped;
  int status;
  bool (*stop)(void *ctx);
  void *stop_ctx;
};

static int failed(err_t *e, const char *what, int number) {
  return err_set(e, GMMU_EIO, "cannot %s: %s", what, strerror(number));
}

/* ---- environment ----------------------------------------------------------------------------- */

#define SELF_ENV "GMMU_SELF" /* where this gmmu is: libnvrtc compiles with it */

static bool is_ours(const char *entry) {
  return strncmp(entry, WIRE_ENV "=", sizeof WIRE_ENV) == 0 ||
         strncmp(entry, SELF_ENV "=", sizeof SELF_ENV) == 0 ||
         strncmp(entry, "LD_LIBRARY_PATH=", 16) == 0;
}

/* Ours, with the line added and the libraries first. Freed by env_free(). */
static char **env_make(const child_spec_t *spec, int line) {
  extern char **environ;
  size_t n = 0, used = 0;
  while (environ[n]) n++;
  char **env = calloc(n + 4, sizeof *env), self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  const char *path = getenv("LD_LIBRARY_PATH"), *dir = spec->library_dir;
  if (!env) return NULL;
  for (size_t i = 0; i < n; i++)
    if (!is_ours(environ[i])) env[3 + used++] = environ[i];
  if (asprintf(&env[0], "%s=%d,%d", WIRE_ENV, line, spec->memory_fd) < 0) env[0] = NULL;
  if (asprintf(&env[1], "LD_LIBRARY_PATH=%s%s%s", dir ? dir : "", dir && path && *path ? ":" : "",
               path ? path : "") < 0)
    env[1] = NULL;
  if (length < 0) length = 0;
  if (asprintf(&env[2], SELF_ENV "=%.*s", (int)length, self) < 0) env[2] = NULL;
  return env;
}

static void env_free(char **env) {
  if (!env) return;
  free(env[0]), free(env[1]), free(env[2]), free(env);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* In the program's process: never returns. */
static void become(const child_spec_t *spec, char **env, int line, int report, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127); /* it ended before the line above */
  if (spec->out_fd >= 0 && spec->out_fd != 1) dup2(spec->out_fd, 1);
  fcntl(line, F_SETFD, 0), fcntl(spec->memory_fd, F_SETFD, 0);
  execvpe(spec->argv[0], spec->argv, env);
  int number = errno;
  ssize_t n = write(report, &number, sizeof number);
  (void)n;
  _exit(127);
}

/* Ends the children there are now. Theirs are ours after that, and come next time. */
static void end_children(void) {
  char path[64], list[4096];
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
  if (fd >= 0) close(fd);
  list[n > 0 ? n : 0] = 0;
  for (char *p = list, *end; (end = strchr(p, ' ')) != NULL; p = end + 1) /* whole numbers only */
    kill((pid_t)strtol(p, NULL, 10), SIGKILL);
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In the keeper: never returns. All signals are blocked. */
static void keep(pid_t program) {
  sigset_t heard;
  int64_t end = INT64_MAX; /* of what is still there */
  bool running = true;
  int result = 127;
  sigemptyset(&heard), sigaddset(&heard, SIGCHLD), sigaddset(&heard, SIGTERM);
  for (;;) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != program) continue;
      result = status_of(status), running = false;
      if (end == INT64_MAX) end = now_ms() + GRACE_MS;
    }
    if (pid < 0 && errno == ECHILD) _exit(result);
    if (now_ms() >= end && running) kill(program, SIGKILL);
    if (now_ms() >= end) end_children();
    struct timespec pause = {.tv_nsec = 10000000}, forever = {.tv_sec = 3600};
    if (sigtimedwait(&heard, NULL, end == INT64_MAX ? &forever : &pause) == SIGTERM) end = 0;
  }
}

/* In the new process: never returns. `mask` is what the program's signals are to be. */
static void start_keeper(const child_spec_t *spec, char **env, int line, int report, pid_t parent,
                         const sigset_t *mask) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t self = getpid(), program = getppid() == parent ? fork() : -1;
  if (program == 0) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    become(spec, env, line, report, self);
  }
  int number = errno;
  if (program < 0 && write(report, &number, sizeof number) >= 0) _exit(127);
  close_range(0, ~0u, 0); /* nobody waits for the end of a pipe because of a keeper */
  keep(program);
}

static int launch(child_t *c, const child_spec_t *spec, char **env, int line, err_t *e) {
  int report[2], number = 0;
  pid_t self = getpid();
  sigset_t all, mask;
  if (pipe2(report, O_CLOEXEC) < 0) return failed(e, "make a pipe", errno);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask); /* a keeper has no use for our handlers */
  c->pid = fork();
  if (c->pid == 0) start_keeper(spec, env, line, report[1], self, &mask);
  int why = errno;
  sigprocmask(SIG_SETMASK, &mask, NULL);
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
  setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int));
  c->pid = c->asker = c->asker_fd = -1, c->line = pair[0];
  c->stop = spec->stop, c->stop_ctx = spec->stop_ctx;
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

static bool has_ended(child_t *c) {
  int status;
  if (!c->reaped && waitpid(c->pid, &status, WNOHANG) == c->pid)
    c->reaped = true, c->status = status_of(status);
  return c->reaped;
}

int child_end(child_t *c, uint32_t patience_ms) {
  for (uint32_t ms = 0; ms < patience_ms && !has_ended(c); ms += 10)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  bool alone = c->pid <= 0 || has_ended(c);
  if (!alone) kill(c->pid, SIGTERM);
  for (int status; !alone && !c->reaped;)
    if (waitpid(c->pid, &status, 0) == c->pid || errno != EINTR)
      c->reaped = true, c->status = status_of(status);
  return alone ? c->status : -1;
}

void child_free(child_t *c) {
  if (!c) return;
  child_end(c, 0);
  close(c->line);
  if (c->asker_fd >= 0) close(c->asker_fd);
  free(c);
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool child_gone(child_t *c) {
  struct pollfd asker = {.fd = c->asker_fd, .events = POLLIN}; /* poll() passes over -1 */
  return poll(&asker, 1, 0) > 0 || has_ended(c);
}

static int asked_to_stop(const child_t *c, err_t *e) {
  if (!c->stop || !c->stop(c->stop_ctx)) return GMMU_OK;
  return err_set(e, GMMU_EINTERRUPTED, "interrupted");
}

/* Until the line is ready: 1, or 0 if nobody is at its other end any more. In the middle of a
 * message (`begun`) that is who sent its beginning, else the program as a whole. */
static int await(child_t *c, short events, bool begun, err_t *e) {
  struct pollfd p = {.fd = c->line, .events = events};
  for (;;) {
    /* before the look: what it sent is then there to be seen */
    bool gone = begun ? child_gone(c) : has_ended(c);
    int n = poll(&p, 1, gone ? 0 : GLANCE_MS), rc = asked_to_stop(c, e);
    if (rc < 0) return rc;
    if (n > 0) return 1;
    if (gone) return 0;
    if (n < 0 && errno != EINTR) return failed(e, "wait for the program", errno);
  }
}

/* Whether a failed transfer is to be tried again when the line is ready (1), or has ended (0). */
static int retry(child_t *c, short events, bool begun, err_t *e) {
  if (errno == EINTR) return 1;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return await(c, events, begun, e);
  if (errno == EPIPE || errno == ECONNRESET) return 0;
  return failed(e, "talk to the program", errno);
}

static void note_asker(child_t *c, struct msghdr *m) {
  struct ucred who;
  for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
    if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_CREDENTIALS) continue;
    memcpy(&who, CMSG_DATA(h), sizeof who);
    if (who.pid == c->asker || who.pid <= 0) continue;
    if (c->asker_fd >= 0) close(c->asker_fd);
    c->asker = who.pid, c->asker_fd = (int)syscall(SYS_pidfd_open, who.pid, 0);
  }
}

static ssize_t receive(child_t *c, void *to, size_t size) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
  struct iovec part = {to, size};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(c->line, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n > 0) note_asker(c, &m);
  return n;
}

int child_read(child_t *c, void *to, size_t size, bool begun, err_t *e) {
  for (size_t done = 0; done < size;) {
    ssize_t n = receive(c, (char *)to + done, size - done);
    int rc = n > 0 ? 1 : n == 0 ? 0 : retry(c, POLLIN, begun || done, e);
    if (rc == 0 && (begun || done)) return CHILD_CUT;
    if (rc <= 0) return rc;
    if (n > 0) done += (size_t)n;
  }
  return 1;
}

int child_write(child_t *c, const void *from, size_t size, err_t *e) {
  for (size_t done = 0; done < size;) {
    ssize_t n = send(c->line, (const char *)from + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    int rc = n >= 0 ? 1 : retry(c, POLLOUT, true, e);
    if (rc <= 0) return rc < 0 ? rc : CHILD_CUT;
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
