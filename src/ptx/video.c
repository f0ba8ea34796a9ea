/* Video instructions: arithmetic on the bytes and halves of registers, with an accumulation. */
#include "ptx/exec.h"
#include "ptx/exec_int.h"
#include <string.h>

static s64 field(u32 v, u32 shift, u32 bits, bool is_signed) {
  u32 f = v >> shift & (u32)low_bits(bits);
  if (is_signed && bits && f >> (bits - 1)) return (s64)f - ((s64)1 << bits);
  return f;
}

static s64 part_of(u32 v, u32 part, bool is_signed) {
  if (part >= VPART_H0) return field(v, 16 * (part - VPART_H0), 16, is_signed);
  if (part >= VPART_B0) return field(v, 8 * (part - VPART_B0), 8, is_signed);
  return field(v, 0, 32, is_signed);
}

static bool compares(u32 cmp, s64 a, s64 b) {
  switch (cmp) {
  case CMP_EQ: return a == b;
  case CMP_NE: return a != b;
  case CMP_LT:
  case CMP_LO: return a < b;
  case CMP_LE:
  case CMP_LS: return a <= b;
  case CMP_GT:
  case CMP_HI: return a > b;
  default: return a >= b;
  }
}

static s64 halved(s64 v) { return v >= 0 ? (v + 1) >> 1 : -((-v) >> 1); } /* up, away from -inf */

static s64 value_of(const dinst_t *in, s64 a, s64 b) {
  u32 n = (u32)b;
  if (in->sub == VOP_SHL || in->sub == VOP_SHR)
    n = in->rnd == WRAP_CLAMP ? (n > 32 ? 32 : n) : n & 31;
  switch (in->sub) {
  case VOP_ADD: return a + b;
  case VOP_SUB: return a - b;
  case VOP_ABSDIFF: return a < b ? b - a : a - b;
  case VOP_MIN: return a < b ? a : b;
  case VOP_MAX: return a > b ? a : b;
  case VOP_AVRG: return halved(a + b);
  case VOP_SHL: return (s64)((u64)a << n);
  case VOP_SHR: return a >> n;
  default: return compares(in->rnd, a, b);
  }
}

static s64 clamped(s64 v, u32 bits, bool is_signed) {
  s64 max = is_signed ? ((s64)1 << (bits - 1)) - 1 : (s64)low_bits(bits),
      min = is_signed ? -max - 1 : 0;
  return v < min ? min : v > max ? max : v;
}

static u32 packed(const dinst_t *in, u32 a, u32 b, u32 c) {
  u32 bits = 32u / in->vec, r = in->aux ? c : 0;
  for (u32 i = 0; i < in->vec; i++) {
    s64 v = value_of(in, field(a, i * bits, bits, in->type2), field(b, i * bits, bits, in->wide));
    if (in->aux) { /* .add: the sum of all */
      r += (u32)v;
      continue;
    }
    if (in->flags & DI_SAT) v = clamped(v, bits, in->type == T_S32);
    r |= ((u32)v & (u32)low_bits(bits)) << i * bits;
  }
  return r;
}

static u32 scalar(const dinst_t *in, u32 a, u32 b, u32 c) {
  s64 x = part_of(a, in->width & 15, in->type2), y = part_of(b, in->width >> 4, in->wide), v;
  bool is_signed = in->type == T_S32;
  if (in->sub == VOP_MAD) {
    v = x * y + (is_signed ? (s64)(s32)c : (s64)c) + (s64)(in->imm >> 8 & 1);
    v >>= in->imm & 255;
    return (u32)(in->flags & DI_SAT ? clamped(v, 32, is_signed) : v);
  }
  v = value_of(in, x, y);
  if (in->flags & DI_SAT) v = clamped(v, 32, is_signed);
  u32 r = (u32)v;
  bool less = is_signed ? (s32)r < (s32)c : r < c;
  switch (in->aux) {
  case VIDEO_ADD: return r + c;
  case VIDEO_MIN: return less ? r : c;
  case VIDEO_MAX: return less ? c : r;
  default: return r;
  }
}

void video_execute(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  const uint8_t *p[3];
  u32 out[WARP_LANES];
  for (u32 i = 0; i < 3; i++) p[i] = operand_at(x, w, in->s[in->s[i] == OPERAND_NONE ? 0 : i]);
  for (u32 l = 0; l < WARP_LANES; l++) {
    u32 v[3];
    for (u32 i = 0; i < 3; i++) memcpy(&v[i], p[i] + 4 * l, 4);
    out[l] = in->vec > 1 ? packed(in, v[0], v[1], v[2]) : scalar(in, v[0], v[1], v[2]);
  }
  put_lanes32(w, in->d[0], out, lanes);
}
