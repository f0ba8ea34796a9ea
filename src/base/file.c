#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Plain descriptors: every call's error is seen at once and can be told with its cause. Invariant:
 * a temporary file lives in the directory of its target (rename must not cross file systems) and is
 * gone when file_write() returns. */

#define CHUNK_BYTES     16384
#define READER_PAUSE_NS 20000000 /* between two attempts to open a pipe that nobody reads */
#define TEMP_ATTEMPTS   100      /* leftovers of killed processes with our process id */

static int io_error(err_t *e, const char *path, const char *what) {
  int code = errno == ENOENT ? GMMU_ENOENT : GMMU_EIO;
  err_set(e, code, "cannot %s: %s", what, strerror(errno));
  err_in_file(e, path, 0, 0);
  return code;
}

static int interrupted(err_t *e, const char *path) {
  err_set(e, GMMU_EINTERRUPTED, "interrupted");
  err_in_file(e, path, 0, 0);
  return GMMU_EINTERRUPTED;
}

/* Until a pipe is ready for `events`. Unlike read and write, poll is never restarted behind a
 * signal handler's back. */
static int await(int fd, const char *path, short events, err_t *e) {
  struct pollfd p = {.fd = fd, .events = events};
  if (poll(&p, 1, -1) >= 0) return GMMU_OK;
  return errno == EINTR ? interrupted(e, path) : io_error(e, path, "wait for");
}

/* --- reading ---------------------------------------------------------------------------------- */

static const char *kind_name(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR: return "a folder";
  case S_IFIFO: return "a pipe";
  case S_IFSOCK: return "a socket";
  case S_IFCHR:
  case S_IFBLK: return "a device";
  default: return "of an unknown kind";
  }
}

static int check_kind(mode_t mode, const char *path, file_kind_t kind, err_t *e) {
  bool stream = S_ISFIFO(mode) || S_ISCHR(mode);
  if (S_ISREG(mode) || (stream && kind == FILE_STREAM)) return GMMU_OK;
  err_set(e, GMMU_EIO, "cannot open: it is %s, not a regular file", kind_name(mode));
  err_in_file(e, path, 0, 0);
  return GMMU_EIO;
}

int file_check_regular(const char *path, err_t *e) {
  struct stat st;
  return stat(path, &st) < 0 ? io_error(e, path, "open")
                             : check_kind(st.st_mode, path, FILE_REGULAR, e);
}

/* O_NONBLOCK: opening a pipe would wait for its writer. */
int file_open(const char *path, file_kind_t kind, err_t *e) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 && errno == ENXIO && file_check_regular(path, e) < 0) return GMMU_EIO; /* a socket */
  if (fd < 0) return io_error(e, path, "open");
  int rc = fstat(fd, &st) < 0 ? io_error(e, path, "open") : check_kind(st.st_mode, path, kind, e);
  if (rc == GMMU_OK) return fd;
  close(fd);
  return rc;
}

/* Waits before it reads: a pipe that nobody has opened yet would read as if it had ended. */
ssize_t file_get(int fd, const char *path, void *buf, size_t size, err_t *e) {
  for (;;) {
    int rc = await(fd, path, POLLIN, e);
    if (rc < 0) return rc;
    ssize_t n = read(fd, buf, size);
    if (n >= 0) return n;
    if (errno != EINTR && errno != EAGAIN) return io_error(e, path, "read");
  }
}

static int read_all(int fd, const char *path, size_t limit_bytes, strbuf_t *out, err_t *e) {
  char chunk[CHUNK_BYTES];
  ssize_t n;
  for (size_t total = 0; (n = file_get(fd, path, chunk, sizeof chunk, e)) > 0;) {
    total += (size_t)n;
    if (total > limit_bytes) {
      err_set(e, GMMU_EFORMAT, "larger than the limit of %zu bytes", limit_bytes);
      err_in_file(e, path, 0, 0);
      return GMMU_EFORMAT;
    }
    strbuf_add(out, chunk, (size_t)n);
  }
  if (n < 0) return (int)n;
  strbuf_add(out, "", 0); /* an empty file gives an empty string, too */
  return out->failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

static int read_file(const char *path, file_kind_t kind, size_t limit_bytes, strbuf_t *out,
                     err_t *e) {
  int fd = file_open(path, kind, e);
  if (fd < 0) return fd;
  int rc = read_all(fd, path, limit_bytes, out, e);
  close(fd);
  return rc;
}

int file_read(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e) {
  return read_file(path, FILE_REGULAR, limit_bytes, out, e);
}

int file_read_stream(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e) {
  return read_file(path, FILE_STREAM, limit_bytes, out, e);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

/* Waits for somebody who opens the pipe to read. */
static int open_direct(const char *path, err_t *e) {
  for (;;) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) return fd;
    if (errno != ENXIO) return io_error(e, path, "open");
    struct timespec pause = {.tv_nsec = READER_PAUSE_NS};
    if (nanosleep(&pause, NULL) < 0) return interrupted(e, path);
  }
}

/* A signal ends the wait for a reader that has taken nothing since the one before: one that is only
 * slow gets everything. */
static int put_all(int fd, const char *path, const char *data, size_t size, err_t *e) {
  for (bool taken = false; size > 0;) {
    ssize_t n = write(fd, data, size);
    if (n >= 0) {
      data += n, size -= (size_t)n, taken = true;
    } else if (errno == EAGAIN) {
      int rc = await(fd, path, POLLOUT, e);
      if (rc < 0 && (rc != GMMU_EINTERRUPTED || !taken)) return rc;
      if (rc < 0) taken = false;
    } else if (errno != EINTR) {
      return io_error(e, path, "write");
    }
  }
  return GMMU_OK;
}

static int write_direct(const char *path, const char *data, size_t size, err_t *e) {
  int fd = open_direct(path, e);
  if (fd < 0) return fd;
  int rc = put_all(fd, path, data, size, e);
  if (close(fd) < 0 && rc == GMMU_OK) rc = io_error(e, path, "write");
  return rc;
}

static int open_temp(const char *path, strbuf_t *temp) {
  for (int i = 0; i < TEMP_ATTEMPTS; i++) {
    strbuf_clear(temp);
    strbuf_printf(temp, "%s.%ld.%d.tmp", path, (long)getpid(), i);
    if (temp->failed) break;
    int fd = open(temp->buf, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* The data must be on the disk before the name points to it, or a crash leaves an empty file. */
static int fill_and_rename(int fd, const char *temp, const char *path, const char *data,
                           size_t size) {
  int bad = write_all(fd, data, size) < 0 || fsync(fd) < 0;
  int cause = errno;
  if (close(fd) < 0 && !bad) {
    bad = 1;
    cause = errno;
  }
  if (!bad && rename(temp, path) == 0) return 0;
  if (!bad) cause = errno;
  unlink(temp);
  errno = cause;
  return -1;
}

static int write_replacing(const char *path, const char *data, size_t size, err_t *e) {
  strbuf_t temp;
  strbuf_init(&temp);
  int fd = open_temp(path, &temp), rc = GMMU_OK;
  if (fd < 0)
    rc = io_error(e, path, "create");
  else if (fill_and_rename(fd, temp.buf, path, data, size) < 0)
    rc = io_error(e, path, "write");
  strbuf_fini(&temp);
  return rc;
}

int file_write(const char *path, const char *data, size_t size, err_t *e) {
  struct stat st;
  if (stat(path, &st) < 0) return write_replacing(path, data, size, e);
  if (!S_ISREG(st.st_mode)) return write_direct(path, data, size, e);
  char *target = realpath(path, NULL); /* a symbolic link stays one */
  int rc = write_replacing(target ? target : path, data, size, e);
  free(target);
  return rc;
}
