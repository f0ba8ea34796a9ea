/* The file as hashed units: nothing is used before its hash was compared, no size is believed
 * before it was compared with the limits and with the file's own size. The footer vouches for the
 * directory, the directory for tables and commands, a launch command for its index, the index for
 * its frames. */
#include "trace/gmt_file.h"
#include "base/file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int gmt_file_bad(const file_t *f, err_t *e, uint64_t offset, const char *fmt, ...) {
  char text[256];
  va_list a;
  va_start(a, fmt);
  vsnprintf(text, sizeof text, fmt, a);
  va_end(a);
  err_set(e, GMMU_EFORMAT, "%s", text);
  err_at_offset(e, f->name, offset);
  return GMMU_EFORMAT;
}

static int io_error(const file_t *f, uint64_t offset, const char *what, int code, err_t *e) {
  err_set(e, GMMU_EIO, "cannot %s: %s", what, strerror(code));
  err_at_offset(e, f->name, offset);
  return GMMU_EIO;
}

bool gmt_file_holds(const file_t *f, uint64_t offset, uint64_t bytes) {
  return offset >= GMT_HEADER_BYTES && offset <= f->bytes - GMT_FOOTER_BYTES &&
         bytes <= f->bytes - GMT_FOOTER_BYTES - offset;
}

static int read_at(const file_t *f, uint64_t offset, uint64_t bytes, uint8_t *to, err_t *e) {
  while (bytes) {
    ssize_t n = pread(f->fd, to, bytes, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(f, offset, "read", errno, e);
    if (n == 0) return gmt_file_bad(f, e, offset, "file ends early");
    to += n, bytes -= (uint64_t)n, offset += (uint64_t)n;
  }
  return GMMU_OK;
}

int gmt_file_read_hashed(file_t *f, uint64_t offset, uint64_t bytes, uint64_t hash,
                         const char *what, uint8_t *to, err_t *e) {
  if (!gmt_file_holds(f, offset, bytes))
    return gmt_file_bad(f, e, offset, "%s of %llu bytes lies outside the file", what,
                        (unsigned long long)bytes);
  int rc = read_at(f, offset, bytes, to, e);
  if (rc < 0) return rc;
  if (!f->skip_hashes && XXH64(to, bytes, 0) != hash)
    return gmt_file_bad(f, e, offset, "%s is damaged: its hash differs", what);
  return GMMU_OK;
}

const char *gmt_extent_flaw(const file_t *f, const extent_t *x) {
  if (x->raw == 0 || x->raw > GMT_MAX_FRAME) return "raw size out of range";
  if (x->stored == 0 || x->stored > GMT_MAX_STORED) return "stored size out of range";
  if (!gmt_file_holds(f, x->offset, x->stored)) return "place outside the file";
  return NULL;
}

void gmt_extent_get(const uint8_t *p, extent_t *x) {
  x->offset = get64(p), x->stored = get32(p + 8), x->raw = get32(p + 12), x->hash = get64(p + 16);
}

int gmt_file_read_unit(file_t *f, const extent_t *x, const char *what, uint8_t *to, err_t *e) {
  int rc = gmt_file_read_hashed(f, x->offset, x->stored, x->hash, what, f->stored, e);
  if (rc < 0) return rc;
  size_t n = ZSTD_decompressDCtx(f->zstd, to, GMT_MAX_FRAME, f->stored, x->stored);
  if (ZSTD_isError(n))
    return gmt_file_bad(f, e, x->offset, "%s does not decompress: %s", what, ZSTD_getErrorName(n));
  if (n != x->raw)
    return gmt_file_bad(f, e, x->offset, "%s has %zu bytes, not %u", what, n, x->raw);
  return GMMU_OK;
}

int gmt_file_read_table(file_t *f, const table_row_t *row, table_t *t, err_t *e) {
  if (!gmt_file_holds(f, row->offset, row->bytes))
    return gmt_file_bad(f, e, row->offset, "table of %llu bytes lies outside the file",
                        (unsigned long long)row->bytes);
  uint8_t *p = malloc(row->bytes + 1);
  if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
  const char *why;
  uint64_t at;
  int rc = gmt_file_read_hashed(f, row->offset, row->bytes, row->hash, "table", p, e);
  if (rc >= 0) {
    rc = gmt_table_read(t, p, row->bytes, f->version, &why, &at);
    if (rc == GMMU_ENOMEM) err_set(e, rc, "out of memory");
    if (rc == GMMU_EFORMAT) gmt_file_bad(f, e, row->offset + at, "%s", why);
  }
  free(p);
  return rc;
}

static int read_header(file_t *f, err_t *e) {
  uint8_t h[GMT_HEADER_BYTES];
  if (f->bytes < GMT_HEADER_BYTES + GMT_FOOTER_BYTES)
    return gmt_file_bad(f, e, 0, "too short for a .gmt file: %llu bytes",
                        (unsigned long long)f->bytes);
  int rc = read_at(f, 0, sizeof h, h, e);
  if (rc < 0) return rc;
  if (memcmp(h, GMT_MAGIC, 8)) return gmt_file_bad(f, e, 0, "not a .gmt file");
  f->version = get32(h + 8);
  if (f->version < GMT_OLDEST || f->version > GMT_VERSION)
    return gmt_file_bad(f, e, 8, "version %u; this program reads versions %d to %d", f->version,
                        GMT_OLDEST, GMT_VERSION);
  if (!f->skip_hashes && XXH64(h, 24, 0) != get64(h + 24))
    return gmt_file_bad(f, e, 24, "header is damaged: its hash differs");
  if (get32(h + 12) != WARP_LANES)
    return gmt_file_bad(f, e, 12, "%u lanes per warp", get32(h + 12));
  f->machine = f->version > 2 ? get32(h + 16) : 0;
  return GMMU_OK;
}

static int check_footer(file_t *f, const uint8_t *p, uint64_t at, err_t *e) {
  if (memcmp(p + 40, GMT_FOOTER_MAGIC, 8))
    return gmt_file_bad(f, e, at + 40, "no footer: the file was cut off");
  if (!f->skip_hashes && XXH64(p, 32, 0) != get64(p + 32))
    return gmt_file_bad(f, e, at + 32, "footer is damaged: its hash differs");
  if (!f->skip_hashes && get64(p + 24) != f->bytes)
    return gmt_file_bad(f, e, at + 24, "the file should have %llu bytes",
                        (unsigned long long)get64(p + 24));
  return GMMU_OK;
}

static void get_table_row(const uint8_t *p, table_row_t *r) {
  *r = (table_row_t){get64(p),      get64(p + 8),  get64(p + 16), get64(p + 24), get64(p + 32),
                     get64(p + 40), get64(p + 48), get64(p + 56), get64(p + 64)};
}

static int parse_root(file_t *f, const uint8_t *p, uint64_t at, uint64_t bytes, err_t *e) {
  f->tables = get32(p), f->cmd_frames = get32(p + 4), f->commands = get64(p + 8);
  if (f->tables > GMT_MAX_TABLES) return gmt_file_bad(f, e, at, "%u kernel tables", f->tables);
  if (GMT_ROOT_BYTES + (uint64_t)f->tables * GMT_TABLE_BYTES +
          (uint64_t)f->cmd_frames * GMT_EXTENT_BYTES !=
      bytes)
    return gmt_file_bad(f, e, at, "directory size does not match its counts");
  f->table = calloc(f->tables + 1, sizeof *f->table);
  f->cmd_frame = calloc((size_t)f->cmd_frames + 1, sizeof *f->cmd_frame);
  if (!f->table || !f->cmd_frame) return err_set(e, GMMU_ENOMEM, "out of memory");
  p += GMT_ROOT_BYTES;
  for (uint32_t i = 0; i < f->tables; i++, p += GMT_TABLE_BYTES) get_table_row(p, &f->table[i]);
  for (uint32_t i = 0; i < f->cmd_frames; i++, p += GMT_EXTENT_BYTES) {
    gmt_extent_get(p, &f->cmd_frame[i]);
    const char *flaw = gmt_extent_flaw(f, &f->cmd_frame[i]);
    if (flaw) return gmt_file_bad(f, e, at, "command unit %u: %s", i, flaw);
  }
  return GMMU_OK;
}

static int read_root(file_t *f, err_t *e) {
  uint8_t foot[GMT_FOOTER_BYTES];
  uint64_t at = f->bytes - sizeof foot;
  int rc = read_at(f, at, sizeof foot, foot, e);
  if (rc < 0 || (rc = check_footer(f, foot, at, e)) < 0) return rc;
  uint64_t offset = get64(foot), bytes = get64(foot + 8);
  if (bytes < GMT_ROOT_BYTES || !gmt_file_holds(f, offset, bytes))
    return gmt_file_bad(f, e, at, "directory of %llu bytes at %llu lies outside the file",
                        (unsigned long long)bytes, (unsigned long long)offset);
  uint8_t *p = malloc(bytes);
  if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
  rc = gmt_file_read_hashed(f, offset, bytes, get64(foot + 16), "directory", p, e);
  if (rc >= 0) rc = parse_root(f, p, offset, bytes, e);
  free(p);
  return rc;
}

static int prepare(file_t *f, err_t *e) {
  struct stat st;
  f->zstd = ZSTD_createDCtx();
  f->stored = malloc(GMT_MAX_STORED);
  if (!f->name || !f->zstd || !f->stored) return err_set(e, GMMU_ENOMEM, "out of memory");
  if (fstat(f->fd, &st) < 0) return io_error(f, 0, "read", errno, e);
  if (!S_ISREG(st.st_mode)) return gmt_file_bad(f, e, 0, "not a regular file");
  f->bytes = (uint64_t)st.st_size;
  return GMMU_OK;
}

int gmt_file_open_fd(file_t *f, int fd, const char *name, bool skip_hashes, err_t *e) {
  *f = (file_t){.fd = fd, .name = strdup(name), .skip_hashes = skip_hashes};
  int rc = prepare(f, e);
  if (rc >= 0) rc = read_header(f, e);
  if (rc >= 0) rc = read_root(f, e);
  if (rc < 0) gmt_file_close(f);
  return rc;
}

int gmt_file_open(file_t *f, const char *path, err_t *e) {
  int fd = file_open(path, FILE_REGULAR, e);
  if (fd >= 0) return gmt_file_open_fd(f, fd, path, false, e);
  *f = (file_t){.fd = -1};
  return fd;
}

void gmt_file_close(file_t *f) {
  if (f->fd >= 0) close(f->fd);
  ZSTD_freeDCtx(f->zstd);
  free(f->name), free(f->stored), free(f->table), free(f->cmd_frame);
  *f = (file_t){.fd = -1};
}
