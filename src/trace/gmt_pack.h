#ifndef GMMU_TRACE_GMT_PACK_H
#define GMMU_TRACE_GMT_PACK_H
/* Packing parts into compressed frames, and a launch's index of them. */
#include "trace/gmt_out.h"
#include <zstd.h>

/* One chunk of one block: the complete records of each of its warps. */
typedef struct {
  uint32_t cta, chunk; /* chunk counts from 0 within the block */
  uint64_t mask;       /* warps that have bytes here */
  uint32_t frame, place;
} pack_part_t;

typedef struct {
  out_t *out;
  ZSTD_CCtx *zstd;
  int level;
  uint8_t *raw;    /* a frame being filled with small parts */
  uint8_t *part;   /* a part being assembled */
  uint8_t *stored; /* compressed */
  uint32_t raw_used;
  uint32_t raw_frame; /* number of the frame being filled */
  extent_t *frame;
  pack_part_t *parts;
  uint32_t frames, frame_room, part_count, part_room;
} pack_t;

int gmt_pack_init(pack_t *k, out_t *out, int level, err_t *e);
void gmt_pack_fini(pack_t *k);
/* Compresses and writes one unit of at most GMT_MAX_FRAME bytes. */
int gmt_pack_unit(pack_t *k, const uint8_t *raw, uint32_t bytes, extent_t *x, err_t *e);
/* A part of the current launch: bytes[i] of length len[i] for each warp i in the mask. */
int gmt_pack_part(pack_t *k, uint32_t cta, uint32_t chunk, uint64_t mask, uint8_t *const bytes[],
                  const uint32_t len[], err_t *e);
/* Ends the launch: checks that blocks 0 .. blocks-1 are all there once, writes the index and
 * forgets it. *stored receives the bytes that frames and index take in the file. */
int gmt_pack_launch_end(pack_t *k, uint32_t blocks, uint64_t *offset, uint64_t *bytes,
                        uint64_t *hash, uint64_t *stored, err_t *e);
#endif
