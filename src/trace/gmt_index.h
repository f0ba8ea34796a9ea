#ifndef GMMU_TRACE_GMT_INDEX_H
#define GMMU_TRACE_GMT_INDEX_H
/* The index of one launch in memory: where each block's parts are. */
#include "trace/gmt_file.h"

#define NO_SLOT UINT32_MAX

typedef struct {
  extent_t where;
  uint32_t slot;   /* of the frame cache, or NO_SLOT */
  uint32_t unread; /* pieces that no warp has taken yet: a frame without any is not needed again */
} frame_t;

typedef struct {
  uint64_t mask; /* warps with bytes in this part */
  uint32_t frame, place;
} part_t;

typedef struct {
  frame_t *frame;
  part_t *part;    /* by block, then chunk */
  uint32_t *first; /* [blocks + 1]: a block's parts are first[b] .. first[b + 1] - 1 */
  uint32_t frames, parts;
  uint64_t bytes; /* of memory */
} index_t;

int gmt_index_load(index_t *x, file_t *f, uint64_t offset, uint64_t bytes, uint64_t hash,
                   uint32_t blocks, uint32_t warps, err_t *e);
void gmt_index_fini(index_t *x);
#endif
