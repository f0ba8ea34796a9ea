#ifndef GMMU_IMPORT_SPOOL_H
#define GMMU_IMPORT_SPOOL_H
/* A block's instructions, held back until they can be written warp by warp in turn: a trace has one
 * warp after the other, replay wants them side by side. At most SPOOL_BYTES; what is beyond is
 * written in the order it came, which only makes replay of such a block slower. */
#include "trace/gmt.h"

#define SPOOL_BYTES (32u << 20)

typedef struct {
  uint8_t *bytes;
  size_t size, capacity, at;
} spool_warp_t;

typedef struct {
  spool_warp_t *warp;
  uint32_t warps;
  size_t total;
} spool_t;

int spool_init(spool_t *s, uint32_t warps, err_t *e);
void spool_fini(spool_t *s);
int spool_put(spool_t *s, uint32_t warp, uint32_t row, const warp_op_t *op, err_t *e);
static inline bool spool_full(const spool_t *s) { return s->total >= SPOOL_BYTES; }
/* Writes everything to the open block `block` and is empty again. */
int spool_flush(spool_t *s, gmt_writer_t *w, uint32_t block, err_t *e);
#endif
