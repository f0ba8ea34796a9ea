#ifndef GMMU_PTX_EXEC_INT_H
#define GMMU_PTX_EXEC_INT_H
/* Scalar helpers of the integer operations in elem.def. */
#include "ptx/code.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static inline s32 sat_s32(s64 v) {
  return (s32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}
static inline u64 mulhi_u64(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
static inline s64 mulhi_s64(s64 a, s64 b) { return (s64)((s128)a * b >> 64); }
/* Smaller or larger halves of two pairs. */
static inline u32 pair_u16(u32 a, u32 b, bool max) {
  u32 lo = ((u16)a < (u16)b) != max ? (u16)a : (u16)b, hi = ((a >> 16) < (b >> 16)) != max ? a : b;
  return (hi & 0xffff0000u) | lo;
}
static inline u32 pair_s16(u32 a, u32 b, bool max) {
  return pair_u16(a ^ 0x80008000u, b ^ 0x80008000u, max) ^ 0x80008000u;
}
static inline s32 sx24(s32 v) { return (s32)((u32)v << 8) >> 8; }

static inline u32 brev32(u32 v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(v);
}
static inline u32 bfind64(u64 v) { return v ? 63 - (u32)__builtin_clzll(v) : ~(u32)0; }
static inline u32 bfind_shift(u32 at, u32 msb) { return at == ~(u32)0 ? at : msb - at; }

static inline u64 low_bits(u32 n) { return n > 63 ? ~(u64)0 : ((u64)1 << n) - 1; }

static inline u64 bfe_u(u64 a, u32 pos, u32 len, u32 msb) {
  pos &= 255, len &= 255;
  return pos > msb ? 0 : a >> pos & low_bits(len);
}
static inline u64 bfe_s(u64 a, u32 pos, u32 len, u32 msb) {
  pos &= 255, len &= 255;
  if (!len) return 0;
  u32 top = pos + len - 1 > msb ? msb : pos + len - 1;
  u64 sign = 0 - (a >> top & 1), field = bfe_u(a, pos, len, msb);
  u32 have = pos > msb ? 0 : top - pos + 1; /* bits that came from a */
  return (field & low_bits(have)) | (sign & ~low_bits(have));
}
static inline u64 bfi_bits(u64 a, u64 b, u32 pos, u32 len, u32 msb) {
  pos &= 255, len &= 255;
  if (pos > msb || !len) return b;
  u64 mask = low_bits(len) << pos;
  return (b & ~mask) | (a << pos & mask);
}

/* The position of the |n|-th set bit of a, counted from `base` up (n > 0) or down (n < 0); n == 0
 * asks whether bit `base` itself is set. */
static inline u32 fns32(u32 a, u32 base, s32 n) {
  if (base > 31) return ~(u32)0;
  if (n == 0) return a >> base & 1 ? base : ~(u32)0;
  s32 step = n > 0 ? 1 : -1;
  s64 left = n > 0 ? (s64)n : -(s64)n;
  for (s32 i = (s32)base; i >= 0 && i < 32; i += step)
    if ((a >> i & 1) && --left == 0) return (u32)i;
  return ~(u32)0;
}
static inline u32 bmsk32(u32 a, u32 b, bool clamp) {
  if (!clamp) a &= 31, b &= 31;
  if (a > 31) return 0;
  return (u32)(low_bits(b > 32 ? 32 : b) << a);
}
static inline u32 szext32(u32 a, u32 n, bool clamp, bool is_signed) {
  if (!clamp) n &= 31;
  if (n > 31) return a;
  if (n == 0) return 0;
  u32 v = a & (u32)low_bits(n);
  return is_signed && (v >> (n - 1) & 1) ? v | ~(u32)low_bits(n) : v;
}

static inline u32 prmt_byte(u64 v, u32 sel) {
  u32 byte = (u32)(v >> 8 * (sel & 7)) & 255;
  return sel & 8 ? (byte & 128 ? 255 : 0) : byte;
}
static inline u32 prmt32(u32 a, u32 b, u32 c) {
  u64 v = (u64)b << 32 | a;
  return prmt_byte(v, c) | prmt_byte(v, c >> 4) << 8 | prmt_byte(v, c >> 8) << 16 |
         prmt_byte(v, c >> 12) << 24;
}
static inline u32 prmt_mode(u32 a, u32 b, u32 c, u32 mode) {
  static const uint16_t table[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return prmt32(a, b, table[mode - 1][c & 3]);
}

static inline u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  if (table & 0x01) r |= ~a & ~b & ~c;
  if (table & 0x02) r |= ~a & ~b & c;
  if (table & 0x04) r |= ~a & b & ~c;
  if (table & 0x08) r |= ~a & b & c;
  if (table & 0x10) r |= a & ~b & ~c;
  if (table & 0x20) r |= a & ~b & c;
  if (table & 0x40) r |= a & b & ~c;
  if (table & 0x80) r |= a & b & c;
  return r;
}

static inline u32 byte_of(u32 v, u32 i, bool is_signed) {
  u32 b = v >> 8 * i & 255;
  return is_signed && b > 127 ? b - 256 : b;
}
static inline u32 half_of(u32 v, u32 i, bool is_signed) {
  u32 b = v >> 16 * i & 65535;
  return is_signed && b > 32767 ? b - 65536 : b;
}
static inline u32 dp4a(u32 a, u32 b, bool sa, bool sb) {
  u32 r = 0;
  for (u32 i = 0; i < 4; i++) r += byte_of(a, i, sa) * byte_of(b, i, sb);
  return r;
}
static inline u32 dp2a(u32 a, u32 b, bool sa, bool sb, bool hi) {
  u32 r = 0;
  for (u32 i = 0; i < 2; i++) r += half_of(a, i, sa) * byte_of(b, i + 2 * hi, sb);
  return r;
}
#endif
