#ifndef GMMU_BASE_FILE_H
#define GMMU_BASE_FILE_H
/* Files named by the user: opening any input, and small whole files (configurations, results,
 * reports). Traces have their own readers. */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include <sys/types.h>

typedef enum {
  FILE_REGULAR, /* a file on a disk: its reader seeks, or reads it twice */
  FILE_STREAM   /* a pipe or a device will do, too: read with file_get() */
} file_kind_t;

/* Every input file is opened here. Returns a descriptor or a negative code; never waits for
 * somebody to open the other end of a pipe. Whatever cannot be read is refused: a folder, a socket,
 * and a pipe or a device if `kind` is FILE_REGULAR. */
int file_open(const char *path, file_kind_t kind, err_t *e);
/* As open, for a path that another program is going to read. */
int file_check_regular(const char *path, err_t *e);
/* Reads up to `size` bytes: their number, 0 at the end, or a negative code. A signal that somebody
 * handles ends the wait for a pipe's bytes with GMMU_EINTERRUPTED. */
ssize_t file_get(int fd, const char *path, void *buf, size_t size, err_t *e);

/* Appends the file's bytes to `out` (NUL-terminated; the bytes may contain NUL too). A file larger
 * than `limit_bytes` is refused after reading that much. file_read_stream() takes pipes and
 * devices, too, for what is read once. */
int file_read(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e);
int file_read_stream(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e);

/* Replaces the file in one step: a reader sees the old or the new contents, never a part, and an
 * error leaves the old file as it was. A pipe or a device is written to directly; a signal that
 * somebody handles ends the wait for a pipe's reader with GMMU_EINTERRUPTED. */
int file_write(const char *path, const char *data, size_t size, err_t *e);
#endif
