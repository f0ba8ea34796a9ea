#ifndef GMMU_TESTS_IMPORT_ZWRITER_H
#define GMMU_TESTS_IMPORT_ZWRITER_H
/* Writes .tracez files as Accel-Sim 2 does (docs/import.md), block after block. The index is kept
 * in memory, nothing else. Failures end the program. */
#include "base/strbuf.h"
#include <stdio.h>
#include <zstd.h>

typedef struct {
  FILE *out;
  uint32_t target; /* instructions of a frame; 0: the whole warp */
  ZSTD_CCtx *zstd;
  ZSTD_CDict *dictionary;
  strbuf_t index, frames, counts;
  uint32_t blocks, warps; /* of the file; of the block so far */
  size_t warps_at;        /* where the block's number of warps is in the index */
  uint64_t at;            /* bytes written */
} zwriter_t;

/* `header` is the text up to and with its line that begins with #; `samples` (may be NULL) are
 * lines to train a dictionary with. */
void zwriter_begin(zwriter_t *z, FILE *out, const char *header, uint32_t target,
                   const char *samples);
/* Block, cluster, place in the cluster (x,y,z each), rank in it. */
void zwriter_block(zwriter_t *z, const uint32_t at[10]);
/* The block's next warp: its instruction lines, with an LF between two. */
void zwriter_warp(zwriter_t *z, const char *lines, size_t size);
/* The same warp again as the last one. */
void zwriter_again(zwriter_t *z);
void zwriter_end(zwriter_t *z); /* index and footer; `out` stays open */

/* A whole file from grouped text (.traceg). */
void zwriter_convert(const char *traceg, uint32_t target, bool dictionary, FILE *out);
#endif
