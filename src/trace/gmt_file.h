#ifndef GMMU_TRACE_GMT_FILE_H
#define GMMU_TRACE_GMT_FILE_H
/* Reading a .gmt file: ranges, hashes, header, footer, directory. */
#include "trace/gmt_table.h"
#include <zstd.h>

/* A kernel's row of the directory. */
typedef struct {
  uint64_t offset, bytes, hash;
  uint64_t launches, blocks, warp_insts, mem_insts, stored_bytes, footprint_pages;
} table_row_t;

typedef struct {
  int fd;
  char *name;
  uint64_t bytes;
  bool skip_hashes; /* for the fuzz target only: look behind the hashes */
  ZSTD_DCtx *zstd;
  uint8_t *stored; /* [GMT_MAX_STORED] */

  uint32_t version, machine;
  uint64_t commands;
  uint32_t tables, cmd_frames;
  table_row_t *table;
  extent_t *cmd_frame;
} file_t;

/* Opens and checks header, footer and directory. Takes over fd, even on failure. */
int gmt_file_open_fd(file_t *f, int fd, const char *name, bool skip_hashes, err_t *e);
int gmt_file_open(file_t *f, const char *path, err_t *e);
void gmt_file_close(file_t *f);

/* Fills the error with file, offset and reason; returns GMMU_EFORMAT. */
int gmt_file_bad(const file_t *f, err_t *e, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Reads and checks one hashed unit. `what` names it in the error. */
int gmt_file_read_hashed(file_t *f, uint64_t offset, uint64_t bytes, uint64_t hash,
                         const char *what, uint8_t *to, err_t *e);
/* Whether [offset, +bytes) lies between header and footer. */
bool gmt_file_holds(const file_t *f, uint64_t offset, uint64_t bytes);
/* Reads, checks and decompresses a unit into `to` (GMT_MAX_FRAME bytes). Allocates nothing. */
int gmt_file_read_unit(file_t *f, const extent_t *x, const char *what, uint8_t *to, err_t *e);
/* Reads and checks a static table. The caller owns *t and calls gmt_table_fini(). */
int gmt_file_read_table(file_t *f, const table_row_t *row, table_t *t, err_t *e);
/* NULL, or what is wrong with the extent. */
const char *gmt_extent_flaw(const file_t *f, const extent_t *x);
void gmt_extent_get(const uint8_t *p, extent_t *x);
#endif
