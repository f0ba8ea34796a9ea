/* Frames of at most 128 KiB raw. A large part is a frame of its own; small ones (whole blocks,
 * mostly) share one, so that the compressor has something to work with.
 *
 * Invariant: parts[] has one row per part of the current launch, in the order they came; a block's
 * chunks have increasing numbers. The index in the file is sorted by block and chunk. */
#include "trace/gmt_pack.h"
#include <stdlib.h>
#include <xxhash.h>

#define OWN_FRAME_BYTES 32768u /* parts from this size on do not share their frame */
#define SLACK           16

_Static_assert(GMT_MAX_STORED >= ZSTD_COMPRESSBOUND(GMT_MAX_FRAME), "room for any frame");

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory while recording"); }

int gmt_pack_init(pack_t *k, out_t *out, int level, err_t *e) {
  *k = (pack_t){.out = out, .level = level ? level : 3};
  k->zstd = ZSTD_createCCtx();
  k->raw = malloc(GMT_MAX_FRAME + SLACK);
  k->part = malloc(GMT_MAX_FRAME + SLACK);
  k->stored = malloc(GMT_MAX_STORED);
  if (k->zstd && k->raw && k->part && k->stored) return GMMU_OK;
  gmt_pack_fini(k);
  return no_memory(e);
}

void gmt_pack_fini(pack_t *k) {
  ZSTD_freeCCtx(k->zstd);
  free(k->raw), free(k->part), free(k->stored), free(k->frame), free(k->parts);
  *k = (pack_t){0};
}

int gmt_pack_unit(pack_t *k, const uint8_t *raw, uint32_t bytes, extent_t *x, err_t *e) {
  size_t n = ZSTD_compressCCtx(k->zstd, k->stored, GMT_MAX_STORED, raw, bytes, k->level);
  if (ZSTD_isError(n))
    return err_set(e, GMMU_EINVAL, "zstd level %d: %s", k->level, ZSTD_getErrorName(n));
  x->stored = (uint32_t)n, x->raw = bytes;
  return gmt_out_write_hashed(k->out, k->stored, n, &x->offset, &x->hash, e);
}

/* Makes room for one more row of `size` bytes in a growing array. */
static void *grown(void *old, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return old;
  uint32_t more = *room ? *room * 2 : 64;
  void *p = more > *room ? realloc(old, more * size) : NULL;
  if (p) *room = more;
  return p;
}

static int new_frame(pack_t *k, uint32_t *number, err_t *e) {
  extent_t *f = grown(k->frame, k->frames, &k->frame_room, sizeof *f);
  if (!f) return no_memory(e);
  k->frame = f;
  *number = k->frames++;
  return GMMU_OK;
}

static int flush(pack_t *k, err_t *e) {
  if (!k->raw_used) return GMMU_OK;
  uint32_t bytes = k->raw_used;
  k->raw_used = 0;
  return gmt_pack_unit(k, k->raw, bytes, &k->frame[k->raw_frame], e);
}

/* Where a part of `bytes` bytes, assembled in k->part, goes. */
static int place_part(pack_t *k, uint32_t bytes, pack_part_t *row, err_t *e) {
  int rc;
  if (bytes >= OWN_FRAME_BYTES) {
    row->place = 0;
    rc = new_frame(k, &row->frame, e);
    return rc < 0 ? rc : gmt_pack_unit(k, k->part, bytes, &k->frame[row->frame], e);
  }
  if (k->raw_used + bytes > GMT_MAX_FRAME && (rc = flush(k, e)) < 0) return rc;
  if (!k->raw_used && (rc = new_frame(k, &k->raw_frame, e)) < 0) return rc;
  row->frame = k->raw_frame, row->place = k->raw_used;
  memcpy(k->raw + k->raw_used, k->part, bytes);
  k->raw_used += bytes;
  return GMMU_OK;
}

static uint32_t assemble(uint8_t *to, uint32_t cta, uint64_t mask, uint8_t *const bytes[],
                         const uint32_t len[]) {
  uint8_t *p = put32(to, cta);
  for (uint64_t m = mask; m; m &= m - 1) p = put16(p, len[__builtin_ctzll(m)]);
  for (uint64_t m = mask; m; m &= m - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(m);
    memcpy(p, bytes[i], len[i]);
    p += len[i];
  }
  return (uint32_t)(p - to);
}

int gmt_pack_part(pack_t *k, uint32_t cta, uint32_t chunk, uint64_t mask, uint8_t *const bytes[],
                  const uint32_t len[], err_t *e) {
  pack_part_t *rows = grown(k->parts, k->part_count, &k->part_room, sizeof *rows);
  if (!rows) return no_memory(e);
  k->parts = rows;
  pack_part_t *row = &rows[k->part_count];
  *row = (pack_part_t){.cta = cta, .chunk = chunk, .mask = mask};
  int rc = place_part(k, assemble(k->part, cta, mask, bytes, len), row, e);
  if (rc >= 0) k->part_count++;
  return rc;
}

static int by_block_and_chunk(const void *a, const void *b) {
  const pack_part_t *x = a, *y = b;
  if (x->cta != y->cta) return x->cta < y->cta ? -1 : 1;
  return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* After sorting: every block once, its chunks 0, 1, 2, ... */
static int check_complete(const pack_t *k, uint32_t blocks, err_t *e) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < k->part_count; i++) {
    const pack_part_t *r = &k->parts[i];
    if (i && r->cta == r[-1].cta && r->chunk == r[-1].chunk)
      return err_set(e, GMMU_EINVAL, "block %u was recorded twice", r->cta);
    if (r->chunk) continue;
    if (r->cta != next++)
      return err_set(e, GMMU_EINVAL, "block %u of %u was not recorded", next - 1, blocks);
  }
  if (next != blocks)
    return err_set(e, GMMU_EINVAL, "block %u of %u was not recorded", next, blocks);
  return GMMU_OK;
}

static uint8_t *put_index(const pack_t *k, uint8_t *p) {
  p = put32(put32(p, k->frames), k->part_count);
  for (uint32_t i = 0; i < k->frames; i++) {
    const extent_t *f = &k->frame[i];
    p = put64(put32(put32(put64(p, f->offset), f->stored), f->raw), f->hash);
  }
  for (uint32_t i = 0; i < k->part_count; i++) {
    const pack_part_t *r = &k->parts[i];
    p = put32(put64(p, r->mask), r->frame);
    p = put32(p, r->place | (r->chunk ? 0 : GMT_PART_FIRST));
  }
  return p;
}

int gmt_pack_launch_end(pack_t *k, uint32_t blocks, uint64_t *offset, uint64_t *bytes,
                        uint64_t *hash, uint64_t *stored, err_t *e) {
  int rc = flush(k, e);
  if (rc < 0) return rc;
  if (k->part_count) qsort(k->parts, k->part_count, sizeof *k->parts, by_block_and_chunk);
  if ((rc = check_complete(k, blocks, e)) < 0) return rc;
  *bytes = GMT_INDEX_BYTES + (uint64_t)k->frames * GMT_EXTENT_BYTES +
           (uint64_t)k->part_count * GMT_PART_BYTES;
  uint8_t *index = malloc(*bytes);
  if (!index) return no_memory(e);
  put_index(k, index);
  rc = gmt_out_write_hashed(k->out, index, *bytes, offset, hash, e);
  free(index);
  *stored = *bytes;
  for (uint32_t i = 0; i < k->frames; i++) *stored += k->frame[i].stored;
  k->frames = k->part_count = 0;
  return rc;
}
