/* A record: row, mask, mode, then base and stride, or the addresses of the active lanes. */
#include "import/spool.h"
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES   9
#define RECORD_BYTES (HEAD_BYTES + WARP_LANES * 8)

int spool_init(spool_t *s, uint32_t warps, err_t *e) {
  *s = (spool_t){.warp = calloc(warps, sizeof *s->warp), .warps = warps};
  return s->warp ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for a block");
}

void spool_fini(spool_t *s) {
  for (uint32_t i = 0; i < s->warps; i++) free(s->warp[i].bytes);
  free(s->warp);
  *s = (spool_t){0};
}

static bool room(spool_warp_t *w) {
  if (w->size + RECORD_BYTES <= w->capacity) return true;
  size_t capacity = w->capacity ? w->capacity * 2 : 4096;
  uint8_t *bytes = realloc(w->bytes, capacity);
  if (bytes) w->bytes = bytes, w->capacity = capacity;
  return bytes != NULL;
}

int spool_put(spool_t *s, uint32_t warp, uint32_t row, const warp_op_t *op, err_t *e) {
  spool_warp_t *w = &s->warp[warp];
  if (!room(w)) return err_set(e, GMMU_ENOMEM, "out of memory for a block");
  uint8_t *begin = w->bytes + w->size, *p = begin;
  memcpy(p, &row, 4), memcpy(p + 4, &op->mask, 4);
  p[8] = op->mode, p += HEAD_BYTES;
  if (op->mode == ADDR_STRIDE) memcpy(p, &op->base, 8), memcpy(p + 8, &op->stride, 8), p += 16;
  if (op->mode == ADDR_LIST)
    for (uint32_t m = op->mask; m; m &= m - 1, p += 8) memcpy(p, &op->lane[__builtin_ctz(m)], 8);
  w->size += (size_t)(p - begin);
  s->total += (size_t)(p - begin);
  return GMMU_OK;
}

static uint32_t take(spool_warp_t *w, warp_op_t *op) {
  const uint8_t *p = w->bytes + w->at, *begin = p;
  uint32_t row;
  memcpy(&row, p, 4), memcpy(&op->mask, p + 4, 4);
  op->mode = p[8], p += HEAD_BYTES;
  op->base = 0, op->stride = 0;
  if (op->mode == ADDR_STRIDE) memcpy(&op->base, p, 8), memcpy(&op->stride, p + 8, 8), p += 16;
  if (op->mode == ADDR_LIST)
    for (uint32_t m = op->mask; m; m &= m - 1, p += 8) memcpy(&op->lane[__builtin_ctz(m)], p, 8);
  w->at += (size_t)(p - begin);
  return row;
}

int spool_flush(spool_t *s, gmt_writer_t *w, uint32_t block, err_t *e) {
  warp_op_t op;
  memset(&op, 0, sizeof op);
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < s->warps; i++) {
      if (s->warp[i].at == s->warp[i].size) continue;
      uint32_t row = take(&s->warp[i], &op);
      int rc = gmt_writer_inst(w, block, i, row, &op, e);
      if (rc < 0) return rc;
      any = true;
    }
  }
  for (uint32_t i = 0; i < s->warps; i++) s->warp[i].size = s->warp[i].at = 0;
  s->total = 0;
  return GMMU_OK;
}
