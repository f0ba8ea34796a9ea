#ifndef GMMU_BASE_FILE_H
#define GMMU_BASE_FILE_H
/* Small whole files: configurations, results, reports. Traces have their own reader. */
#include "base/strbuf.h"
#include "gmmu/err.h"

/* Appends the file's bytes to `out` (NUL-terminated; the bytes may contain NUL too). A file larger
 * than `limit_bytes` is refused after reading that much, so it may be a pipe or a device. */
int file_read(const char *path, size_t limit_bytes, strbuf_t *out, err_t *e);

/* Replaces the file in one step: a reader sees the old or the new contents, never a part, and an
 * error leaves the old file as it was. A pipe or a device is written to directly. */
int file_write(const char *path, const char *data, size_t size, err_t *e);
#endif
