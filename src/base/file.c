#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Plain descriptors: every call's error is seen at once and can be told with its cause. Invariant:
 * a temporary file lives in the directory of its target (rename must not cross file systems) and is
 * gone when file_write() returns. */

#define CHUNK_BYTES   16384
#define TEMP_ATTEMPTS 100 /* leftovers of killed processes with our process id */

static int io_error(err_t *e, const char *path, const char *what) {
  err_set(e, GMMU_EIO, "cannot %s: %s", what, strerror(errno));
  err_in_file(e, path, 0, 0);
  return GMMU_EIO;
}

/* --- reading ---------------------------------------------------------------------------------- */

static ssize_t read_some(int fd, char *buf, size_t size) {
  ssize_t n;
  do n = read(fd, buf, size);
  while (n < 0 && errno == EINTR);
  return n;
}

static int read_all(int fd, const char *path, size_t limit_bytes, strbuf_t *out, err_t *e) {
  char chunk[CHUNK_BYTES];
  ssize_t n;
  for (size_t total = 0; (n = read_some(fd, chunk, sizeof chunk)) > 0;) {
    total += (size_t)n;
    if (total > limit_bytes) {
      err_set(e, GMMU_EFORMAT, "larger than the limit of %zu bytes", limit_bytes);
      err_in_file(e, path, 0, 0);
      return GMMU_EFORMAT;
    }
    strbuf_add(out, chunk, (size_t)n);
  }
  if (n < 0) return io_error(e, path, "read");
  strbuf_add(out, "", 0); /* an empty file gives an empty string, too */
  return out->failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

int file_read(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error(e, path, "open");
  int rc = read_all(fd, path, limit_bytes, out, e);
  close(fd);
  return rc;
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

static int write_direct(const char *path, const char *data, size_t size, err_t *e) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return io_error(e, path, "open");
  int rc = write_all(fd, data, size) < 0 ? io_error(e, path, "write") : GMMU_OK;
  close(fd);
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
