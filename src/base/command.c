/* Two pipes, read until both are closed, so that neither fills up while the other is waited for. */
#include "base/command.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const words_t *argv, int out, int err) {
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(127);
  execvp(argv->at[0], argv->at);
  dprintf(STDERR_FILENO, "%s: %s\n", argv->at[0], strerror(errno));
  _exit(127);
}

/* False when it is closed. */
static bool read_some(int fd, strbuf_t *to) {
  char block[4096];
  ssize_t n = read(fd, block, sizeof block);
  if (n > 0) strbuf_add(to, block, (size_t)n);
  return n > 0 || (n < 0 && errno == EINTR);
}

static void read_both(int out, int err, strbuf_t *text, strbuf_t *said) {
  bool open_out = true, open_err = true;
  while (open_out || open_err) {
    struct pollfd fds[2] = {{.fd = open_out ? out : -1, .events = POLLIN},
                            {.fd = open_err ? err : -1, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    if (fds[0].revents) open_out = read_some(out, text);
    if (fds[1].revents) open_err = read_some(err, said);
  }
}

static int failed(const words_t *argv, const strbuf_t *said, err_t *e) {
  size_t end = said->size;
  while (end && said->buf[end - 1] == '\n') end--;
  size_t begin = end;
  while (begin && said->buf[begin - 1] != '\n') begin--;
  if (end == begin) return err_set(e, GMMU_EIO, "%s failed", argv->at[0]);
  return err_set(e, GMMU_EIO, "%s failed: %.*s", argv->at[0], (int)(end - begin),
                 said->buf + begin);
}

static int wait_for(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int command_run(const words_t *argv, strbuf_t *out, err_t *e) {
  int a[2], b[2];
  strbuf_t said;
  if (argv->failed) return err_set(e, GMMU_ENOMEM, "out of memory");
  if (pipe(a) < 0) return err_set(e, GMMU_EIO, "pipe: %s", strerror(errno));
  if (pipe(b) < 0) {
    close(a[0]), close(a[1]);
    return err_set(e, GMMU_EIO, "pipe: %s", strerror(errno));
  }
  strbuf_init(&said);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) become(argv, a[1], b[1]);
  close(a[1]), close(b[1]);
  if (child > 0) read_both(a[0], b[0], out, &said);
  close(a[0]), close(b[0]);
  int rc = child < 0              ? err_set(e, GMMU_EIO, "fork: %s", strerror(errno))
           : wait_for(child) != 0 ? failed(argv, &said, e)
                                  : GMMU_OK;
  strbuf_fini(&said);
  return rc;
}
