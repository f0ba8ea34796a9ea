/* Index and records are read side by side, block after block. Nothing is believed before it was
 * compared with the file's size; no two records may share bytes, so that a small file cannot stand
 * for a large one.
 *
 * Invariant: index_at <= end, the place of the footer; a frame under way lies before the index. */
#include "import/tracez.h"
#include "trace/gmt_format.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WINDOW_BYTES   65536u
#define DICTIONARY_MAX (1u << 20) /* bytes; the writer trains at most 64 KB */
#define FOOTER_BYTES   8u         /* the offset of the index */
#define BLOCK_BYTES    44u        /* 11 numbers of a block in the index */
#define WARP_BYTES     16u        /* of a warp, before its counts */
#define RECORD_BYTES   8u         /* of a warp's record, before its frames */
#define LEVEL_WINDOW   27         /* log2: 128 MiB, what zstd itself allows without asking */

typedef struct {
  uint64_t at; /* offset of bytes[0] */
  size_t size;
  uint8_t bytes[WINDOW_BYTES];
} window_t;

typedef enum { AT_BLOCK, AT_CLUSTER, AT_CLUSTER_CTA, AT_RANK, AT_WARP, AT_COUNT, AT_CHUNK } at_t;

struct tracez {
  FILE *file;
  const char *name;
  ZSTD_DCtx *zstd;
  ZSTD_DDict *dictionary;
  uint64_t size, records, index, end; /* of the file; offsets of its parts */
  uint64_t index_at;                  /* what is read next of the index, */
  uint64_t at;                        /* and of the warp's record */
  uint64_t used;                      /* bytes of records so far */
  at_t next;
  uint32_t blocks, warps, chunks; /* to come: in the file, the block, the warp */
  uint32_t cluster[7];            /* of the block: cluster, place in it, rank */
  uint32_t xyz[3], warp;          /* whose lines come */
  uint32_t insts, counted;        /* of the warp: as the index says, in its chunks so far */
  bool chunk;                     /* one was given, of */
  uint32_t chunk_insts, frame;    /* so many lines, whose frame has so many bytes to come */
  uint64_t ends;                  /* of lines in the frame so far */
  bool whole;                     /* the frame has ended */
  window_t of_index, of_records;
};

/* ---- errors ---- */

static int bad(const tracez_t *z, uint64_t offset, err_t *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static int bad(const tracez_t *z, uint64_t offset, err_t *e, const char *fmt, ...) {
  char text[256];
  va_list a;
  va_start(a, fmt);
  vsnprintf(text, sizeof text, fmt, a);
  va_end(a);
  err_set(e, GMMU_EFORMAT, "%s", text);
  err_at_offset(e, z->name, offset);
  return GMMU_EFORMAT;
}

void tracez_place(const tracez_t *z, char *buf, size_t size) {
  int n = snprintf(buf, size, "block %u,%u,%u", z->xyz[0], z->xyz[1], z->xyz[2]);
  if (z->warp != UINT32_MAX) snprintf(buf + n, size - (size_t)n, ", warp %u", z->warp);
}

static int bad_warp(const tracez_t *z, uint64_t offset, err_t *e, const char *why) {
  char place[64];
  tracez_place(z, place, sizeof place);
  return bad(z, offset, e, "%s: %s", place, why);
}

/* ---- bytes ---- */

/* The `want` bytes at `at`, which the file has. */
static int fetch(tracez_t *z, window_t *w, uint64_t at, size_t want, const uint8_t **p, err_t *e) {
  if (at < w->at || at + want > w->at + w->size) {
    w->size = 0;
    if (fseeko(z->file, (off_t)at, SEEK_SET) == 0)
      w->size = fread(w->bytes, 1, WINDOW_BYTES, z->file);
    w->at = at;
    if (w->size < want && ferror(z->file)) {
      err_set(e, GMMU_EIO, "%s", strerror(errno));
      err_at_offset(e, z->name, at);
      return GMMU_EIO;
    }
    if (w->size < want) return bad(z, at, e, "the file ends too early");
  }
  *p = w->bytes + (at - w->at);
  return GMMU_OK;
}

/* The next bytes of the index. */
static int index_get(tracez_t *z, size_t bytes, const char *what, const uint8_t **p, err_t *e) {
  if (z->end - z->index_at < bytes)
    return bad(z, z->index_at, e, "the index ends before %s that it announces", what);
  int rc = fetch(z, &z->of_index, z->index_at, bytes, p, e);
  z->index_at += bytes;
  return rc;
}

/* The next bytes of a warp's record, other than those of a frame. */
static int record_get(tracez_t *z, size_t bytes, const char *what, const uint8_t **p, err_t *e) {
  char why[96];
  snprintf(why, sizeof why, "%s lies outside the part of the file that holds instructions", what);
  if (z->at < z->records || z->at > z->index || z->index - z->at < bytes)
    return bad_warp(z, z->at, e, why);
  int rc = fetch(z, &z->of_records, z->at, bytes, p, e);
  z->at += bytes, z->used += bytes;
  return rc;
}

/* ---- opening ---- */

static int read_dictionary(tracez_t *z, uint64_t at, uint32_t bytes, err_t *e) {
  uint8_t *dictionary = malloc(bytes);
  int rc = dictionary ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for %s", z->name);
  for (uint32_t done = 0, part; rc == 0 && done < bytes; done += part) {
    const uint8_t *p;
    part = bytes - done < WINDOW_BYTES ? bytes - done : WINDOW_BYTES;
    rc = fetch(z, &z->of_records, at + done, part, &p, e);
    if (rc == 0) memcpy(dictionary + done, p, part);
  }
  if (rc == 0) z->dictionary = ZSTD_createDDict(dictionary, bytes);
  free(dictionary);
  if (rc < 0) return rc;
  if (!z->dictionary) return bad(z, at, e, "the dictionary is damaged");
  ZSTD_DCtx_refDDict(z->zstd, z->dictionary);
  return GMMU_OK;
}

/* The two numbers behind the header, and the dictionary. */
static int read_head(tracez_t *z, uint64_t body, err_t *e) {
  const uint8_t *p;
  if (z->size < body + 8 + 4 + FOOTER_BYTES)
    return bad(z, z->size, e, "the file ends before its index");
  int rc = fetch(z, &z->of_records, body, 8, &p, e);
  if (rc < 0) return rc;
  uint32_t bytes =
      get32(p); /* the second number, the usual instructions of a frame, binds nobody */
  if (bytes > DICTIONARY_MAX)
    return bad(z, body, e, "a dictionary of %u bytes; at most %u are read", bytes, DICTIONARY_MAX);
  if (bytes > z->size - body - 8 - 4 - FOOTER_BYTES)
    return bad(z, body, e, "a dictionary of %u bytes is larger than the file", bytes);
  z->records = body + 8 + bytes;
  return bytes ? read_dictionary(z, body + 8, bytes, e) : GMMU_OK;
}

static int find_index(tracez_t *z, err_t *e) {
  const uint8_t *p;
  z->end = z->size - FOOTER_BYTES;
  int rc = fetch(z, &z->of_index, z->end, FOOTER_BYTES, &p, e);
  if (rc < 0) return rc;
  z->index = get64(p);
  if (z->index < z->records || z->index > z->end - 4)
    return bad(z, z->end, e,
               "the index is said to lie at byte %" PRIu64 ", outside %" PRIu64 " .. %" PRIu64,
               z->index, z->records, z->end - 4);
  z->index_at = z->index;
  rc = index_get(z, 4, "the number of blocks", &p, e);
  if (rc == 0) z->blocks = get32(p);
  return rc;
}

int tracez_open(FILE *f, const char *name, uint64_t body, tracez_t **out, err_t *e) {
  tracez_t *z = malloc(sizeof *z);
  *out = NULL;
  if (z) memset(z, 0, offsetof(tracez_t, of_index));
  if (!z || !(z->zstd = ZSTD_createDCtx())) {
    free(z);
    return err_set(e, GMMU_ENOMEM, "out of memory for %s", name);
  }
  ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, LEVEL_WINDOW);
  z->file = f, z->name = name;
  z->of_index.at = z->of_records.at = 0, z->of_index.size = z->of_records.size = 0;
  if (fseeko(f, 0, SEEK_END) == 0) z->size = (uint64_t)ftello(f);
  int rc = read_head(z, body, e);
  if (rc == 0) rc = find_index(z, e);
  if (rc < 0)
    tracez_close(z);
  else
    *out = z;
  return rc;
}

void tracez_close(tracez_t *z) {
  if (!z) return;
  ZSTD_freeDCtx(z->zstd);
  ZSTD_freeDDict(z->dictionary);
  free(z);
}

/* ---- blocks and warps ---- */

static int begin_block(tracez_t *z, err_t *e) {
  const uint8_t *p;
  int rc = index_get(z, BLOCK_BYTES, "a block", &p, e);
  if (rc < 0) return rc;
  z->blocks--;
  for (int i = 0; i < 3; i++) z->xyz[i] = get32(p + 4 * i);
  for (int i = 0; i < 7; i++) z->cluster[i] = get32(p + 12 + 4 * i);
  z->warps = get32(p + 40);
  z->warp = UINT32_MAX; /* the first is 0 */
  return GMMU_OK;
}

static int begin_warp(tracez_t *z, err_t *e) {
  const uint8_t *p;
  int rc = index_get(z, WARP_BYTES, "a warp", &p, e);
  if (rc < 0) return rc;
  z->warps--, z->warp++;
  z->insts = get32(p), z->chunks = get32(p + 4), z->at = get64(p + 8);
  z->counted = 0;
  uint64_t record = z->at;
  rc = record_get(z, RECORD_BYTES, "its record", &p, e);
  if (rc == 0 && (get32(p) != z->insts || get32(p + 4) != z->chunks))
    return bad(z, record, e,
               "block %u,%u,%u, warp %u: its record says %u instructions in %u parts, the index %u "
               "in %u",
               z->xyz[0], z->xyz[1], z->xyz[2], z->warp, get32(p), get32(p + 4), z->insts,
               z->chunks);
  return rc;
}

static int begin_chunk(tracez_t *z, err_t *e) {
  const uint8_t *p;
  int rc = index_get(z, 4, "the counts", &p, e);
  if (rc < 0) return rc;
  z->chunks--;
  z->chunk_insts = get32(p);
  uint64_t at = z->at;
  rc = record_get(z, 4, "the size of a frame", &p, e);
  if (rc < 0) return rc;
  z->frame = get32(p);
  if (z->frame > z->index - z->at) return bad_warp(z, at, e, "a frame reaches into the index");
  if (z->used > z->index - z->records - z->frame)
    return bad_warp(z, at, e, "its record shares bytes with another");
  z->used += z->frame;
  ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only);
  z->chunk = true, z->whole = false, z->ends = 0;
  return TRACEZ_TEXT;
}

/* The frame that was given has the lines it should have. */
static int end_chunk(tracez_t *z, uint64_t lines, err_t *e) {
  char why[96];
  z->chunk = false;
  if (lines != z->chunk_insts) {
    snprintf(why, sizeof why, "%" PRIu64 " instructions in a frame of %u", lines, z->chunk_insts);
    return bad_warp(z, z->at, e, why);
  }
  z->counted += z->chunk_insts;
  return GMMU_OK;
}

static int end_warp(tracez_t *z, err_t *e) {
  if (z->counted != z->insts)
    return bad_warp(z, z->at, e,
                    "its frames have another number of "
                    "instructions than the index says");
  z->next = AT_WARP;
  return GMMU_OK;
}

static int end_file(const tracez_t *z, err_t *e) {
  if (z->index_at != z->end)
    return bad(z, z->index_at, e, "%" PRIu64 " bytes behind the index", z->end - z->index_at);
  return TRACEZ_OVER;
}

static int give(char line[TRACEZ_LINE_BYTES], const char *key, const uint32_t v[3]) {
  snprintf(line, TRACEZ_LINE_BYTES, "%s = %u,%u,%u", key, v[0], v[1], v[2]);
  return TRACEZ_LINE;
}

static int give_one(char line[TRACEZ_LINE_BYTES], const char *key, uint32_t v) {
  snprintf(line, TRACEZ_LINE_BYTES, "%s = %u", key, v);
  return TRACEZ_LINE;
}

int tracez_step(tracez_t *z, uint64_t lines, char line[TRACEZ_LINE_BYTES], err_t *e) {
  int rc = z->chunk ? end_chunk(z, lines, e) : GMMU_OK;
  while (rc == 0) {
    switch (z->next) {
    case AT_BLOCK:
      if (!z->blocks) return end_file(z, e);
      if ((rc = begin_block(z, e)) < 0) break;
      z->next = AT_CLUSTER;
      return give(line, "thread block", z->xyz);
    case AT_CLUSTER: z->next = AT_CLUSTER_CTA; return give(line, "cluster id", z->cluster);
    case AT_CLUSTER_CTA: z->next = AT_RANK; return give(line, "cluster cta", z->cluster + 3);
    case AT_RANK: z->next = AT_WARP; return give_one(line, "cluster rank", z->cluster[6]);
    case AT_WARP:
      if (!z->warps) {
        z->next = AT_BLOCK;
        snprintf(line, TRACEZ_LINE_BYTES, "#END_TB");
        return TRACEZ_LINE;
      }
      if ((rc = begin_warp(z, e)) < 0) break;
      z->next = AT_COUNT;
      return give_one(line, "warp", z->warp);
    case AT_COUNT: z->next = AT_CHUNK; return give_one(line, "insts", z->insts);
    case AT_CHUNK:
      if (z->chunks) return begin_chunk(z, e);
      rc = end_warp(z, e);
    }
  }
  return rc;
}

/* ---- a frame ---- */

/* A frame of more lines than the index says is noticed before all of it is unpacked. */
static int count_lines(tracez_t *z, const char *p, size_t size, err_t *e) {
  for (const char *end = p + size; (p = memchr(p, '\n', (size_t)(end - p))); p++) z->ends++;
  if (z->ends <= z->chunk_insts) return GMMU_OK;
  return bad_warp(z, z->at, e, "a frame has more instructions than the index says");
}

int tracez_read(tracez_t *z, char *to, size_t room, size_t *size, err_t *e) {
  ZSTD_outBuffer out = {to, room, 0};
  while (!z->whole && out.pos == 0) {
    const uint8_t *p = NULL;
    size_t n = z->frame < WINDOW_BYTES / 2 ? z->frame : WINDOW_BYTES / 2;
    int rc = n ? fetch(z, &z->of_records, z->at, n, &p, e) : GMMU_OK;
    if (rc < 0) return rc;
    ZSTD_inBuffer in = {p, n, 0};
    size_t left = ZSTD_decompressStream(z->zstd, &out, &in);
    if (ZSTD_isError(left)) return bad_warp(z, z->at, e, ZSTD_getErrorName(left));
    z->at += in.pos, z->frame -= (uint32_t)in.pos;
    z->whole = left == 0;
    if (z->whole && z->frame) return bad_warp(z, z->at, e, "bytes behind the end of a frame");
    if (!z->whole && !n && out.pos == 0) return bad_warp(z, z->at, e, "a frame is cut off");
  }
  *size = out.pos;
  return count_lines(z, to, out.pos, e);
}

uint32_t tracez_permille(const tracez_t *z) {
  uint64_t share = z->used / ((z->index - z->records) / 1000 + 1);
  return share < 1000 ? (uint32_t)share : 1000;
}
