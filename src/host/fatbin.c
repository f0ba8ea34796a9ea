/* A region is a 16-byte header and images back to back, an image a header of 64 bytes or more and
 * its bytes. Invariant: an image in the list lies inside the data that was read. */
#include "host/fatbin.h"
#include <inttypes.h>
#include <lz4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define REGION_MAGIC  0xba55ed50u
#define REGION_HEADER 16u
#define IMAGE_HEADER  64u
#define FLAG_LZ4      0x2000u
#define FLAG_ZSTD     0x8000u
#define LZ4_RATIO     255u /* a raw LZ4 block cannot say more than this per byte */

static uint16_t u16_at(const uint8_t *p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static uint32_t u32_at(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static uint64_t u64_at(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static int bad(err_t *e, size_t offset, const char *what) {
  err_set(e, GMMU_EFORMAT, "fat binary: %s", what);
  return err_at_offset(e, "", offset);
}

/* ---- the list -------------------------------------------------------------------------------- */

static int read_image(const uint8_t *data, size_t at, size_t end, fatbin_t *out, uint32_t region,
                      size_t *next, err_t *e) {
  const uint8_t *p = data + at;
  if (end - at < IMAGE_HEADER) return bad(e, at, "an image's header is cut off");
  uint64_t header = u32_at(p + 4), bytes = u64_at(p + 8), stored = u32_at(p + 16);
  if (header < IMAGE_HEADER || header > end - at)
    return bad(e, at + 4, "an image's header has an impossible size");
  if (bytes > end - at - header) return bad(e, at + 8, "an image is larger than its region");
  if (stored > bytes) return bad(e, at + 16, "an image's compressed size is larger than the image");
  if (out->images == FATBIN_MAX_IMAGES) return bad(e, at, "too many images");
  out->image[out->images++] = (fatbin_image_t){.kind = u16_at(p),
                                               .minor = u16_at(p + 24),
                                               .major = u16_at(p + 26),
                                               .arch = u32_at(p + 28),
                                               .region = region,
                                               .flags = u64_at(p + 40),
                                               .offset = at + header,
                                               .bytes = bytes,
                                               .stored = stored,
                                               .text_bytes = u64_at(p + 56)};
  *next = at + header + bytes;
  return GMMU_OK;
}

static int read_region(const uint8_t *data, size_t *at, size_t size, fatbin_t *out, uint32_t region,
                       err_t *e) {
  const uint8_t *p = data + *at;
  if (size - *at < REGION_HEADER) return bad(e, *at, "its header is cut off");
  if (u32_at(p) != REGION_MAGIC) return bad(e, *at, "it does not begin with 0xba55ed50");
  size_t header = u16_at(p + 6);
  uint64_t bytes = u64_at(p + 8);
  if (header < REGION_HEADER || header > size - *at)
    return bad(e, *at + 6, "its header has an impossible size");
  if (bytes > size - *at - header) return bad(e, *at + 8, "it is shorter than its header says");
  size_t image = *at + header, end = image + bytes;
  while (image < end) {
    int rc = read_image(data, image, end, out, region, &image, e);
    if (rc < 0) return rc;
  }
  *at = end;
  return GMMU_OK;
}

static bool only_zeros(const uint8_t *p, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (p[i]) return false;
  return true;
}

int fatbin_read(const void *data, size_t size, fatbin_t *out, err_t *e) {
  size_t at = 0;
  out->images = 0;
  for (uint32_t region = 0;; region++) {
    int rc = read_region(data, &at, size, out, region, e);
    if (rc < 0) return rc;
    if (size - at < REGION_HEADER || only_zeros((const uint8_t *)data + at, REGION_HEADER))
      return GMMU_OK; /* padding */
  }
}

/* ---- the choice ------------------------------------------------------------------------------ */

uint32_t fatbin_regions(const fatbin_t *f) {
  return f->images ? f->image[f->images - 1].region + 1 : 0;
}

/* Larger is better: what the device has, newest first; then what it lacks, oldest first. */
static uint64_t rank(const fatbin_image_t *i, uint32_t device_arch) {
  return i->arch <= device_arch ? ((uint64_t)1 << 32) + i->arch : UINT32_MAX - i->arch;
}

static int no_ptx(const fatbin_t *f, uint32_t region, err_t *e) {
  for (uint32_t i = 0; i < f->images; i++)
    if (f->image[i].region == region && f->image[i].kind == FATBIN_ELF)
      return err_set(e, GMMU_ENOENT,
                     "the program has machine code for sm_%u but no PTX: compile it with nvcc "
                     "-gencode arch=compute_75,code=compute_75",
                     f->image[i].arch);
  return err_set(e, GMMU_ENOENT,
                 "the program has no PTX: compile it with nvcc -gencode "
                 "arch=compute_75,code=compute_75");
}

int fatbin_choose(const fatbin_t *f, uint32_t region, uint32_t device_arch,
                  uint32_t order[FATBIN_MAX_IMAGES], err_t *e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->images; i++) {
    if (f->image[i].region != region || f->image[i].kind != FATBIN_PTX) continue;
    uint32_t k = n++;
    for (; k && rank(&f->image[order[k - 1]], device_arch) < rank(&f->image[i], device_arch); k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  return n ? (int)n : no_ptx(f, region, e);
}

/* ---- the text -------------------------------------------------------------------------------- */

static int check_sizes(const fatbin_image_t *i, err_t *e) {
  if (i->text_bytes > FATBIN_MAX_TEXT || i->bytes > FATBIN_MAX_TEXT)
    return bad(e, i->offset, "an image is larger than 64 MB");
  return GMMU_OK;
}

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "no memory for a fat binary"); }

static int unpack_lz4(const uint8_t *from, const fatbin_image_t *i, char **text, err_t *e) {
  if (i->text_bytes / LZ4_RATIO > i->stored)
    return bad(e, i->offset, "an LZ4 image claims more text than it can hold");
  *text = malloc(i->text_bytes + 1);
  if (!*text) return no_memory(e);
  int got = LZ4_decompress_safe((const char *)from, *text, (int)i->stored, (int)i->text_bytes);
  if (got >= 0 && (size_t)got == i->text_bytes) return GMMU_OK;
  return bad(e, i->offset, "an LZ4 image is damaged");
}

/* Room for more text, up to one byte more than there should be (so that too much shows). */
static int make_room(char **text, size_t *capacity, size_t limit, err_t *e) {
  size_t want = *capacity ? 2 * *capacity : 65536;
  if (want > limit) want = limit;
  char *p = realloc(*text, want);
  if (!p) return no_memory(e);
  *text = p, *capacity = want;
  return GMMU_OK;
}

/* The buffer grows as the text comes, so that a false size costs nothing. Returns what zstd still
 * expects: 0 at the end of the frame. */
static size_t inflate(ZSTD_DStream *z, ZSTD_inBuffer *in, ZSTD_outBuffer *out, size_t limit,
                      char **text, int *rc, err_t *e) {
  size_t left = 1, capacity = 0;
  ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 26); /* FATBIN_MAX_TEXT */
  while (left && !ZSTD_isError(left)) {
    if (out->pos == capacity && (capacity == limit || (*rc = make_room(text, &capacity, limit, e))))
      break;
    size_t before = in->pos + out->pos;
    out->dst = *text, out->size = capacity;
    left = ZSTD_decompressStream(z, out, in);
    if (in->pos + out->pos == before) break; /* cut off */
  }
  return left;
}

static int unpack_zstd(const uint8_t *from, const fatbin_image_t *i, char **text, err_t *e) {
  ZSTD_DStream *z = ZSTD_createDStream();
  ZSTD_inBuffer in = {from, i->stored, 0};
  ZSTD_outBuffer out = {NULL, 0, 0};
  int rc = GMMU_OK;
  if (!z) return no_memory(e);
  size_t left = inflate(z, &in, &out, i->text_bytes + 1, text, &rc, e);
  ZSTD_freeDStream(z);
  if (rc < 0 || (!left && out.pos == i->text_bytes)) return rc;
  return bad(e, i->offset, "a zstd image is damaged");
}

static int plain(const uint8_t *from, const fatbin_image_t *i, char **text, err_t *e) {
  *text = malloc(i->bytes + 1);
  if (!*text) return no_memory(e);
  memcpy(*text, from, i->bytes);
  return GMMU_OK;
}

static int unpack(const uint8_t *from, const fatbin_image_t *i, char **text, err_t *e) {
  if (!i->stored) return plain(from, i, text, e);
  if (i->flags & FLAG_ZSTD) return unpack_zstd(from, i, text, e);
  if (i->flags & FLAG_LZ4) return unpack_lz4(from, i, text, e);
  char what[80];
  snprintf(what, sizeof what, "an image is compressed in an unknown way (flags 0x%" PRIx64 ")",
           i->flags);
  return bad(e, i->offset, what);
}

int fatbin_text(const void *data, size_t size, const fatbin_image_t *i, char **text,
                size_t *text_size, err_t *e) {
  *text = NULL;
  if (i->offset > size || i->bytes > size - i->offset)
    return bad(e, i->offset, "an image lies outside");
  int rc = check_sizes(i, e);
  if (rc == 0) rc = unpack((const uint8_t *)data + i->offset, i, text, e);
  if (rc < 0) {
    free(*text);
    *text = NULL;
    return rc;
  }
  size_t n = i->stored ? i->text_bytes : i->bytes;
  (*text)[n] = 0;
  *text_size = strlen(*text);
  return GMMU_OK;
}
