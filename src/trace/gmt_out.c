/* Output of a recording. Invariant: until gmt_out_commit() all bytes are in `temp`, in the
 * directory of the final name, so that the rename is atomic; a crash leaves at most the temporary
 * file. */
#include "trace/gmt_out.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static int io_error(const out_t *o, const char *what, err_t *e) {
  int code = errno;
  err_set(e, GMMU_EIO, "cannot %s: %s", what, strerror(code));
  err_at_offset(e, o->path, o->offset);
  return GMMU_EIO;
}

/* The process number keeps two recordings of the same name apart; a left-over of an earlier process
 * with that number is passed over. */
static int open_temp(out_t *o, size_t room) {
  for (int try = 0; try < 100; try++) {
    snprintf(o->temp, room, "%s.tmp%ld-%d", o->path, (long)getpid(), try);
    o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (o->fd >= 0 || errno != EEXIST) return o->fd;
  }
  return -1;
}

/* The recording takes the place of its name: a device or a pipe would be gone. */
static int check_target(const char *path, err_t *e) {
  struct stat st;
  return stat(path, &st) < 0 ? GMMU_OK : file_check_regular(path, e);
}

int gmt_out_open(out_t *o, const char *path, err_t *e) {
  int rc = check_target(path, e);
  if (rc < 0) {
    *o = (out_t){.fd = -1};
    return rc;
  }
  size_t room = strlen(path) + 48;
  *o = (out_t){.fd = -1, .path = strdup(path), .temp = malloc(room)};
  if (o->temp) o->temp[0] = 0;
  if (!o->path || !o->temp) {
    gmt_out_close(o);
    return err_set(e, GMMU_ENOMEM, "out of memory");
  }
  if (open_temp(o, room) >= 0) return GMMU_OK;
  rc = io_error(o, "create", e);
  o->temp[0] = 0; /* not ours to remove */
  gmt_out_close(o);
  return rc;
}

int gmt_out_write(out_t *o, const void *p, uint64_t bytes, err_t *e) {
  for (const uint8_t *b = p; bytes;) {
    ssize_t n = write(o->fd, b, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(o, "write", e);
    b += n, bytes -= (uint64_t)n, o->offset += (uint64_t)n;
  }
  return GMMU_OK;
}

int gmt_out_again(out_t *o, const void *p, uint64_t bytes, err_t *e) {
  ssize_t n = pwrite(o->fd, p, bytes, 0);
  if (n < 0) return io_error(o, "write", e);
  return (uint64_t)n == bytes ? GMMU_OK : err_set(e, GMMU_EIO, "%s: cannot write", o->path);
}

int gmt_out_write_hashed(out_t *o, const void *p, uint64_t bytes, uint64_t *offset, uint64_t *hash,
                         err_t *e) {
  *offset = o->offset;
  *hash = XXH64(p, bytes, 0);
  return gmt_out_write(o, p, bytes, e);
}

int gmt_out_commit(out_t *o, err_t *e) {
  if (fsync(o->fd) < 0) return io_error(o, "flush", e);
  int rc = close(o->fd);
  o->fd = -1;
  if (rc < 0) return io_error(o, "close", e);
  if (rename(o->temp, o->path) < 0) return io_error(o, "rename", e);
  o->temp[0] = 0;
  return GMMU_OK;
}

void gmt_out_close(out_t *o) {
  if (o->fd >= 0) close(o->fd);
  if (o->temp && o->temp[0]) unlink(o->temp);
  free(o->path), free(o->temp);
  *o = (out_t){.fd = -1};
}
