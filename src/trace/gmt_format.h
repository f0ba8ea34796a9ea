#ifndef GMMU_TRACE_GMT_FORMAT_H
#define GMMU_TRACE_GMT_FORMAT_H
/* The bytes of a .gmt file: sizes, limits and the primitive codes, shared by recorder and reader.
 * docs/trace-format.md is the specification; every number is little-endian. */
#include "gmmu/stream.h"
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#define GMT_VERSION      4 /* written if launches overlap */
#define GMT_MACHINE      3 /* written of other machine code */
#define GMT_PLAIN        2 /* written of everything else; version 1 is read, too */
#define GMT_OLDEST       1
#define GMT_MAGIC        "\x89GMT\r\n\x1a\n" /* damaged visibly by text-mode transfers, as PNG's is */
#define GMT_FOOTER_MAGIC "GMTEND\r\n"
#define GMT_HEADER_BYTES 32
#define GMT_FOOTER_BYTES 48
#define GMT_EXTENT_BYTES 24 /* offset, stored bytes, raw bytes, hash */
#define GMT_PART_BYTES   16
#define GMT_TABLE_BYTES  72 /* a table's row in the directory */
#define GMT_INST_BYTES   12
#define GMT_WHERE_BYTES  12 /* line, file, line of the file */
#define GMT_INDEX_BYTES  8  /* fixed part of a launch's index */
#define GMT_ROOT_BYTES   16
#define GMT_PART_FIRST   0x80000000u /* in a part's `place`: the first part of its block */
#define GMT_PAGE_BYTES   4096        /* unit of footprints */

/* Limits. A reader believes nothing beyond them; a recorder refuses to write it. */
#define GMT_MAX_FRAME      131072u /* raw bytes of a frame */
#define GMT_MAX_STORED     132096u /* compressed: ZSTD_compressBound(GMT_MAX_FRAME), with room */
#define GMT_MAX_PIECE      4096u   /* bytes of one warp in one frame */
#define GMT_MAX_RECORD     320u /* 1 control + 4 mask + 1 shift + 32 * 9 lanes + 9 successor = 303 */
#define GMT_MAX_WARPS      64u  /* per block; a bit each in a part's mask */
#define GMT_MAX_BLOCKS     (1u << 26)
#define GMT_MAX_INSTS      (1u << 20)
#define GMT_MAX_TABLES     (1u << 16)
#define GMT_MAX_OPEN_WARPS 32768u
#define GMT_MAX_NAME       200u  /* bytes of an array's name; longer ones are cut */
#define GMT_MAX_FILES      4096u /* source files of a table */

#define GMT_OVERLAPS 0x40u /* with CMD_LAUNCH: stream and launches that it waits for follow */

/* The control byte of a record. */
#define CTRL_SUCC     0x03u /* where the warp goes next: */
#define SUCC_FALL     0u    /*   the following instruction */
#define SUCC_JUMP     1u    /*   the jump target of the static table */
#define SUCC_FAR      2u    /*   a signed distance follows */
#define SUCC_END      3u    /*   nowhere: the warp ends */
#define CTRL_MASK     0x04u /* a new active mask follows */
#define CTRL_ADDR     0x38u /* what addresses it has: */
#define ADDR_SHIFT    3
#define ACODE_NONE    0u    /*   none */
#define ACODE_AHEAD   1u    /*   stride mode: the base moved as it did before, stride as before */
#define ACODE_BASE    2u    /*   stride mode: base delta follows, stride as before */
#define ACODE_STRIDE  3u    /*   stride mode: base delta and stride follow */
#define ACODE_LIST    4u    /*   list mode: shift and lane deltas follow */
#define ACODE_BARRIER 5u    /*   a barrier's number and thread count follow */
#define CTRL_SPARE    0xc0u /* must be 0 */

static inline uint32_t get32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return le32toh(v);
}
static inline uint64_t get64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return le64toh(v);
}
static inline uint32_t get16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint8_t *put16(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
  return p + 2;
}
static inline uint8_t *put32(uint8_t *p, uint32_t v) {
  v = htole32(v);
  memcpy(p, &v, 4);
  return p + 4;
}
static inline uint8_t *put64(uint8_t *p, uint64_t v) {
  v = htole64(v);
  memcpy(p, &v, 8);
  return p + 8;
}

/* Numbers of variable length: n bytes hold 7n bits, and the lowest n bits of the first byte, a one
 * above n-1 zeros, tell n; a first byte of 0 is followed by all 64 bits. One load decodes any
 * length up to 8, which is why not the usual continuation bits. get_var() may read 9 bytes. */
static inline uint8_t *put_var(uint8_t *p, uint64_t v) {
  uint32_t n = (uint32_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
  if (n > 8) {
    *p++ = 0;
    return put64(p, v);
  }
  put64(p, v << n | 1ull << (n - 1));
  return p + n;
}
static inline const uint8_t *get_var(const uint8_t *p, uint64_t *v) {
  uint64_t x = get64(p);
  if (__builtin_expect((x & 0xff) == 0, 0)) {
    *v = get64(p + 1);
    return p + 9;
  }
  uint32_t n = (uint32_t)__builtin_ctzll(x) + 1;
  *v = (x << (64 - 8 * n)) >> (64 - 7 * n);
  return p + n;
}
/* Signed numbers: small magnitudes of either sign become small numbers. */
static inline uint64_t zigzag(uint64_t d) { return d << 1 ^ (0 - (d >> 63)); }
static inline uint64_t unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

static inline bool inst_is_mem(const inst_t *i) {
  return i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC;
}

/* What both sides remember of a memory instruction's last access by the same warp. A table's memory
 * instructions are numbered from 0 and share PRED_MAX entries by number modulo PRED_MAX: a bounded
 * size per warp; a collision only costs bytes. */
#define PRED_MAX 64u
typedef struct {
  uint64_t base, delta; /* lane 0's address (stride) or the first active lane's; last change */
  int64_t stride;
} pred_t;

/* A place in the file that holds one hashed unit. */
typedef struct {
  uint64_t offset, hash;
  uint32_t stored, raw;
} extent_t;
#endif
