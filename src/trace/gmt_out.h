#ifndef GMMU_TRACE_GMT_OUT_H
#define GMMU_TRACE_GMT_OUT_H
/* A file that appears under its name only when it is complete. */
#include "trace/gmt_format.h"

typedef struct {
  int fd; /* -1: none */
  char *path, *temp;
  uint64_t offset; /* bytes written so far */
} out_t;

int gmt_out_open(out_t *o, const char *path, err_t *e);
int gmt_out_write(out_t *o, const void *p, uint64_t bytes, err_t *e);
/* The first `bytes` once more, otherwise. */
int gmt_out_again(out_t *o, const void *p, uint64_t bytes, err_t *e);
/* gmt_out_write() of a hashed unit that is not compressed; *x tells where it went. */
int gmt_out_write_hashed(out_t *o, const void *p, uint64_t bytes, uint64_t *offset, uint64_t *hash,
                         err_t *e);
int gmt_out_commit(out_t *o, err_t *e); /* flush to disk, rename */
void gmt_out_close(out_t *o);           /* removes the temporary file unless committed */
#endif
