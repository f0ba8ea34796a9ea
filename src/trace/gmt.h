#ifndef GMMU_TRACE_GMT_H
#define GMMU_TRACE_GMT_H
/* .gmt files: a recorded warp stream (include/gmmu/stream.h) that replays as a source_t.
 *
 * Bytes and coding rules: docs/trace-format.md. Memory is bounded on both sides whatever the file's
 * size: a recorder holds a few KB per warp of the blocks in flight, a reader a few KB per warp slot
 * plus a cache of decompressed frames; each holds the index of one launch. */
#include "gmmu/stream.h"
#include <stdio.h>

/* ---- recording ---- */

typedef struct gmt_writer gmt_writer_t;

typedef struct {
  int level; /* zstd compression level; 0: the default, 3 */
} gmt_writer_opts_t;

/* Records into a temporary file beside `path`; only gmt_writer_close() gives it its name, so an
 * interrupted recording leaves nothing under `path`. `o` may be NULL. On success the caller owns
 * *out. */
int gmt_writer_new(const char *path, const gmt_writer_opts_t *o, gmt_writer_t **out, err_t *e);
/* The host's next command; the contents of *c are copied. A launch lasts until the next command (or
 * the close); by then each of its blocks must have begun and ended exactly once. CMD_END is
 * accepted and changes nothing. */
int gmt_writer_command(gmt_writer_t *w, const command_t *c, err_t *e);
/* A block of the current launch begins; *block names it until it ends. Blocks may come in any order
 * and overlap. At most GMT_MAX_OPEN_WARPS warps are in flight. */
int gmt_writer_cta_begin(gmt_writer_t *w, uint32_t cta, uint32_t *block, err_t *e);
/* Warp `warp` of the block executed instruction `index` of the static table. */
int gmt_writer_inst(gmt_writer_t *w, uint32_t block, uint32_t warp, uint32_t index,
                    const warp_op_t *op, err_t *e);
int gmt_writer_cta_end(gmt_writer_t *w, uint32_t block, err_t *e);
uint64_t gmt_writer_bytes(const gmt_writer_t *w); /* that the file has so far */
/* Completes the file and renames it to its final name, or, after any earlier failure, removes it
 * and returns that failure. Frees `w` in every case. */
int gmt_writer_close(gmt_writer_t *w, err_t *e);
void gmt_writer_abort(gmt_writer_t *w); /* gives up: removes the file, frees `w`; NULL is allowed */

/* A source that passes everything through from `in` and records it: for recording what a machine
 * runs, in the order it runs it. The caller keeps `in` and `w`; both must outlive *out. A failure
 * to record shows as STREAM_FAIL. */
int gmt_tee_new(source_t *in, gmt_writer_t *w, source_t **out, err_t *e);

/* Runs a source to its CMD_END without timing: one block after the other, the block's warps in
 * turn, one instruction each (a barrier holds nobody up). Binds the source. `limit` bounds the warp
 * instructions (GMMU_ESTUCK beyond it; 0: none), *insts receives their number (may be NULL). */
int gmt_drain(source_t *s, uint64_t limit, uint64_t *insts, err_t *e);

/* gmt_drain() into a file. `o` may be NULL. */
int gmt_record_source(source_t *in, const char *path, const gmt_writer_opts_t *o, uint64_t limit,
                      err_t *e);

/* ---- replay ---- */

typedef struct {
  uint64_t cache_bytes; /* decompressed frames kept, at least one; 0: the default, 64 MiB */
} gmt_reader_opts_t;

typedef struct {
  uint64_t frames_read;      /* from the file: checked and decompressed, again ones included */
  uint64_t pieces_read;      /* warp pieces taken from frames */
  uint64_t peak_cache_bytes; /* largest size of the frame cache */
  uint64_t index_bytes;      /* memory of the current launch's index */
} gmt_reader_stats_t;

/* On success the caller owns *out and frees it with ops->free. Only header, footer and directory
 * are checked here; everything else is checked before its first use, so damage may also show in
 * next_command(), cta_begin() or as STREAM_FAIL. */
int gmt_open(const char *path, source_t **out, err_t *e);
int gmt_open_with(const char *path, const gmt_reader_opts_t *o, source_t **out, err_t *e);
/* `s` must come from gmt_open(). */
void gmt_stats(const source_t *s, gmt_reader_stats_t *out);

/* The SM version of recorded machine code (launch_t.machine); 0 if it is none, or no recording. */
uint32_t gmt_machine(const source_t *s);

/* A replay that is to begin in the middle: leaves out the launches that lie in the first `permille`
 * of the file, but for the last, for whoever wants to know what later ones are like. False if `s`
 * is no recording. Before its first command. */
bool gmt_begin_at(source_t *s, uint32_t permille);

/* Reads every byte that a replay would use and checks it. */
int gmt_verify(const char *path, err_t *e);

/* ---- contents ---- */

typedef struct {
  char *name; /* owned by the gmt_info_t */
  uint32_t inst_count;
  uint64_t launches, blocks, warp_insts;
  uint64_t mem_insts;       /* of them loads, stores and atomics, in any space */
  uint64_t stored_bytes;    /* streams and index of its launches in the file */
  uint64_t footprint_bytes; /* 4 KiB pages touched in translated spaces, by all its launches */
} gmt_kernel_info_t;

typedef struct {
  uint32_t version;
  uint64_t file_bytes, commands;
  uint32_t kernels;
  gmt_kernel_info_t *kernel; /* in the order of first launch */
} gmt_info_t;

int gmt_info(const char *path, gmt_info_t *out, err_t *e);
void gmt_info_fini(gmt_info_t *i);
/* The most memory the program had allocated at once. Reads every command. */
int gmt_peak_allocated(const char *path, uint64_t *bytes, err_t *e);
/* The same of a source that has just been opened; no warp of it is run. */
int source_peak_allocated(source_t *s, uint64_t *bytes, err_t *e);
#endif
