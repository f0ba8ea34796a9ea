/* Loading a launch's index. It is stored uncompressed, so its memory is bounded by the file's size:
 * 32 bytes per frame, 16 per part and 4 per block, and a block has at least one part. */
#include "trace/gmt_index.h"
#include <stdlib.h>

static int allocate(index_t *x, uint32_t blocks, err_t *e) {
  size_t frames = ((size_t)x->frames + 1) * sizeof *x->frame;
  size_t parts = ((size_t)x->parts + 1) * sizeof *x->part;
  size_t firsts = ((size_t)blocks + 1) * sizeof *x->first;
  x->frame = malloc(frames);
  x->part = malloc(parts);
  x->first = malloc(firsts);
  x->bytes = frames + parts + firsts;
  if (!x->frame || !x->part || !x->first) return err_set(e, GMMU_ENOMEM, "out of memory");
  return GMMU_OK;
}

static int get_frames(index_t *x, const file_t *f, const uint8_t *p, uint64_t at, err_t *e) {
  for (uint32_t i = 0; i < x->frames; i++, p += GMT_EXTENT_BYTES, at += GMT_EXTENT_BYTES) {
    frame_t *r = &x->frame[i];
    *r = (frame_t){.slot = NO_SLOT};
    gmt_extent_get(p, &r->where);
    const char *flaw = gmt_extent_flaw(f, &r->where);
    if (flaw) return gmt_file_bad(f, e, at, "frame %u: %s", i, flaw);
  }
  return GMMU_OK;
}

static const char *part_flaw(const index_t *x, const part_t *r, uint32_t warps) {
  if (r->frame >= x->frames) return "no such frame";
  if (r->place >= x->frame[r->frame].where.raw) return "place outside its frame";
  if (warps < 64 && r->mask >> warps) return "warps beyond the block";
  return NULL;
}

static int get_parts(index_t *x, const file_t *f, const uint8_t *p, uint64_t at, uint32_t blocks,
                     uint32_t warps, err_t *e) {
  uint32_t block = 0;
  for (uint32_t i = 0; i < x->parts; i++, p += GMT_PART_BYTES, at += GMT_PART_BYTES) {
    part_t *r = &x->part[i];
    uint32_t place = get32(p + 12);
    *r = (part_t){get64(p), get32(p + 8), place & ~GMT_PART_FIRST};
    const char *flaw = part_flaw(x, r, warps);
    if (flaw) return gmt_file_bad(f, e, at, "part %u: %s", i, flaw);
    x->frame[r->frame].unread += (uint32_t)__builtin_popcountll(r->mask);
    if (place & GMT_PART_FIRST) {
      if (block == blocks) return gmt_file_bad(f, e, at, "parts of more than %u blocks", blocks);
      x->first[block++] = i;
    } else if (i == 0) {
      return gmt_file_bad(f, e, at, "part without a block");
    }
  }
  if (block != blocks) return gmt_file_bad(f, e, at, "parts of %u blocks, not %u", block, blocks);
  x->first[blocks] = x->parts;
  return GMMU_OK;
}

static int parse(index_t *x, const file_t *f, const uint8_t *p, uint64_t at, uint64_t bytes,
                 uint32_t blocks, uint32_t warps, err_t *e) {
  x->frames = get32(p), x->parts = get32(p + 4);
  uint64_t frames = (uint64_t)x->frames * GMT_EXTENT_BYTES;
  if (GMT_INDEX_BYTES + frames + (uint64_t)x->parts * GMT_PART_BYTES != bytes)
    return gmt_file_bad(f, e, at, "index size does not match its counts");
  if (blocks > x->parts) return gmt_file_bad(f, e, at, "%u parts for %u blocks", x->parts, blocks);
  int rc = allocate(x, blocks, e);
  if (rc < 0 || (rc = get_frames(x, f, p + GMT_INDEX_BYTES, at + GMT_INDEX_BYTES, e)) < 0)
    return rc;
  uint64_t skip = GMT_INDEX_BYTES + frames;
  return get_parts(x, f, p + skip, at + skip, blocks, warps, e);
}

int gmt_index_load(index_t *x, file_t *f, uint64_t offset, uint64_t bytes, uint64_t hash,
                   uint32_t blocks, uint32_t warps, err_t *e) {
  gmt_index_fini(x);
  if (bytes < GMT_INDEX_BYTES || !gmt_file_holds(f, offset, bytes))
    return gmt_file_bad(f, e, offset, "index of %llu bytes lies outside the file",
                        (unsigned long long)bytes);
  uint8_t *p = malloc(bytes);
  if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
  int rc = gmt_file_read_hashed(f, offset, bytes, hash, "index", p, e);
  if (rc >= 0) rc = parse(x, f, p, offset, bytes, blocks, warps, e);
  free(p);
  if (rc < 0) gmt_index_fini(x);
  return rc;
}

void gmt_index_fini(index_t *x) {
  free(x->frame), free(x->part), free(x->first);
  *x = (index_t){0};
}
