/* The interpreter: one instruction for 32 lanes at a time.
 *
 * Every operation computes all lanes into a buffer, without regard to the mask (nothing here traps,
 * whatever an inactive lane holds), and commit() then writes the active ones. So operands are read
 * before results are written, and the loops have no branches and vectorise. This file is compiled
 * twice, for plain x86-64 and for AVX2 with FMA; both give the same bits, because every operation
 * used is correctly rounded and nothing is contracted. */
#include "ptx/exec.h"
#include "ptx/approx.h"
#include "ptx/exec_int.h"
#include <string.h>

#ifndef EXEC_NAME
#define EXEC_NAME ptx_exec_generic
#endif

typedef float __attribute__((may_alias)) f32a;
typedef double __attribute__((may_alias)) f64a;
typedef uint32_t __attribute__((may_alias)) u32a;
typedef uint64_t __attribute__((may_alias)) u64a;
#define LANES for (uint32_t l = 0; l < WARP_LANES; l++)

typedef union {
  u32 w[WARP_LANES];
  u64 x[WARP_LANES];
} __attribute__((aligned(32), may_alias)) buf_t;

static const u32 bit_of[WARP_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline void commit32(pwarp_t *w, u32 d, const buf_t *t, u32 m) {
  if (d == OPERAND_NONE) return;
  u32a *p = (u32a *)(void *)(w->frame + d);
  if (m == FULL_MASK) {
    memcpy(p, t->w, 128);
    return;
  }
  LANES p[l] = m & bit_of[l] ? t->w[l] : p[l];
}

static inline void commit64(pwarp_t *w, u32 d, const buf_t *t, u32 m) {
  if (d == OPERAND_NONE) return;
  u64a *p = (u64a *)(void *)(w->frame + d);
  if (m == FULL_MASK) {
    memcpy(p, t->x, 256);
    return;
  }
  LANES p[l] = m & bit_of[l] ? t->x[l] : p[l];
}

static inline void commit_pred(pwarp_t *w, u32 d, u32 value, u32 m) {
  if (d == OPERAND_NONE) return;
  u32a *p = (u32a *)(void *)(w->frame + d);
  *p = (*p & ~m) | (value & m);
}

static inline u32 pred_at(const pwarp_t *w, u32 o) {
  return *(const u32a *)(const void *)(w->frame + o);
}

/* --- reading and writing lanes of a type; short types live in 32-bit lanes --- */

#define AT_u16(p, l) ((u16)((const u32a *)(p))[l])
#define AT_s16(p, l) ((s16)((const u32a *)(p))[l])
#define AT_u32(p, l) (((const u32a *)(p))[l])
#define AT_s32(p, l) ((s32)((const u32a *)(p))[l])
#define AT_u64(p, l) (((const u64a *)(p))[l])
#define AT_s64(p, l) ((s64)((const u64a *)(p))[l])
#define AT_f32(p, l) (((const f32a *)(p))[l])
#define AT_f64(p, l) (((const f64a *)(p))[l])
#define PUT_u16(v)   t.w[l] = (u16)(v)
#define PUT_s16(v)   t.w[l] = (u32)(s32)(s16)(v)
#define PUT_u32(v)   t.w[l] = (u32)(v)
#define PUT_s32(v)   t.w[l] = (u32)(v)
#define PUT_u64(v)   t.x[l] = (u64)(v)
#define PUT_s64(v)   t.x[l] = (u64)(v)
#define COMMIT_u16   commit32
#define COMMIT_s16   commit32
#define COMMIT_u32   commit32
#define COMMIT_s32   commit32
#define COMMIT_u64   commit64
#define COMMIT_s64   commit64

#define S(i) operand_at(x, w, in->s[i])

/* --- floating point --- */

static inline u32 ftz32(u32 v) { return v & 0x7f800000 ? v : v & 0x80000000; }
static inline u32 canon32(float f) { return f != f ? 0x7fffffffu : f32_bits(f); }
static inline u64 canon64(double f) { return f != f ? 0xfff8000000000000u : f64_bits(f); }
static inline u32 sat32(u32 v) {
  float f = bits_f32(v);
  return f > 0 ? (f < 1 ? v : 0x3f800000u) : 0;
}

static void flush_lanes(buf_t *t, const void *p) { LANES t->w[l] = ftz32(AT_u32(p, l)); }

static void finish_f32(buf_t *t, u32 flags) {
  if (flags & DI_SAT) LANES t->w[l] = sat32(t->w[l]);
  if (flags & DI_FTZ) LANES t->w[l] = ftz32(t->w[l]);
}

static inline float minmax32(float a, float b, bool max) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return (f32_bits(a) >> 31) == max ? b : a; /* -0 < +0 */
  return (a < b) != max ? a : b;
}
static inline double minmax64(double a, double b, bool max) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return (f64_bits(a) >> 63) == max ? b : a;
  return (a < b) != max ? a : b;
}

#define F32_LOOP(expr)                                                                             \
  LANES {                                                                                          \
    float a = ((const f32a *)pa)[l], b = ((const f32a *)pb)[l], c = ((const f32a *)pc)[l];         \
    (void)b, (void)c;                                                                              \
    t.w[l] = canon32(expr);                                                                        \
  }                                                                                                \
  break
#define F64_LOOP(expr)                                                                             \
  LANES {                                                                                          \
    double a = ((const f64a *)pa)[l], b = ((const f64a *)pb)[l], c = ((const f64a *)pc)[l];        \
    (void)b, (void)c;                                                                              \
    t.x[l] = canon64(expr);                                                                        \
  }                                                                                                \
  break

static void float32(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t, fa, fb, fc;
  bool two = in->op != I_FRCP32 && in->op != I_FSQRT32 && in->op != I_FABS32 && in->op != I_FNEG32;
  const void *pa = S(0), *pb = two ? S(1) : pa, *pc = in->op == I_FMA32 ? S(2) : pa;
  if (in->flags & DI_FTZ) {
    flush_lanes(&fa, pa), flush_lanes(&fb, pb), flush_lanes(&fc, pc);
    pa = &fa, pb = &fb, pc = &fc;
  }
  switch (in->op) {
  case I_FADD32: F32_LOOP(a + b);
  case I_FSUB32: F32_LOOP(a - b);
  case I_FMUL32: F32_LOOP(a * b);
  case I_FMA32: F32_LOOP(__builtin_fmaf(a, b, c));
  case I_FDIV32: F32_LOOP(a / b);
  case I_FRCP32: F32_LOOP(1.0f / a);
  case I_FSQRT32: F32_LOOP(__builtin_sqrtf(a));
  case I_FMIN32: F32_LOOP(minmax32(a, b, false));
  case I_FMAX32: F32_LOOP(minmax32(a, b, true));
  case I_FABS32: F32_LOOP(bits_f32(f32_bits(a) & 0x7fffffff));
  default: F32_LOOP(bits_f32(f32_bits(a) ^ 0x80000000));
  }
  if (in->aux) /* min, max .NaN */
    LANES {
      float a = ((const f32a *)pa)[l], b = ((const f32a *)pb)[l];
      if (a != a || b != b) t.w[l] = 0x7fffffff;
    }
  finish_f32(&t, in->flags);
  commit32(w, in->d[0], &t, m);
}

static void float64(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  bool two = in->op != I_FRCP64 && in->op != I_FSQRT64 && in->op != I_FABS64 && in->op != I_FNEG64;
  const void *pa = S(0), *pb = two ? S(1) : pa, *pc = in->op == I_FMA64 ? S(2) : pa;
  switch (in->op) {
  case I_FADD64: F64_LOOP(a + b);
  case I_FSUB64: F64_LOOP(a - b);
  case I_FMUL64: F64_LOOP(a * b);
  case I_FMA64: F64_LOOP(__builtin_fma(a, b, c));
  case I_FDIV64: F64_LOOP(a / b);
  case I_FRCP64: F64_LOOP(1.0 / a);
  case I_FSQRT64: F64_LOOP(__builtin_sqrt(a));
  case I_FMIN64: F64_LOOP(minmax64(a, b, false));
  case I_FMAX64: F64_LOOP(minmax64(a, b, true));
  case I_FABS64: F64_LOOP(bits_f64(f64_bits(a) & 0x7fffffffffffffffu));
  default: F64_LOOP(bits_f64(f64_bits(a) ^ 0x8000000000000000u));
  }
  if (in->aux) LANES {
      double a = ((const f64a *)pa)[l], b = ((const f64a *)pb)[l];
      if (a != a || b != b) t.x[l] = 0xfff8000000000000u;
    }
  commit64(w, in->d[0], &t, m);
}

static u64 soft_one(const dinst_t *in, const fpformat_t *f, double a, double b, double c) {
  switch (in->sub) {
  case FOP_ADD: return fp_fma(f, a, 1, b, in->rnd);
  case FOP_SUB: return fp_fma(f, b, -1, a, in->rnd);
  case FOP_MUL: return fp_mul(f, a, b, in->rnd);
  case FOP_FMA: return fp_fma(f, a, b, c, in->rnd);
  case FOP_DIV: return fp_div(f, a, b, in->rnd);
  case FOP_RCP: return fp_div(f, 1, a, in->rnd);
  default: return fp_sqrt(f, a, in->rnd);
  }
}

/* Roundings the hardware does not do: lane by lane, in integers. */
static void float_soft(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t = {{0}};
  u32 operands = in->sub == FOP_FMA ? 3 : in->sub == FOP_RCP || in->sub == FOP_SQRT ? 1 : 2;
  const void *p[3];
  for (u32 i = 0; i < 3; i++) p[i] = S(i < operands ? i : 0);
  const fpformat_t *f = fp_format(in->type);
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k);
    double v[3];
    for (u32 i = 0; i < 3; i++) {
      if (in->type == T_F64)
        v[i] = bits_f64(AT_u64(p[i], l));
      else
        v[i] = bits_f32(in->flags & DI_FTZ ? ftz32(AT_u32(p[i], l)) : AT_u32(p[i], l));
    }
    u64 r = soft_one(in, f, v[0], v[1], v[2]);
    if (in->type == T_F64)
      t.x[l] = r;
    else
      t.w[l] = (u32)r;
  }
  if (in->type == T_F64) {
    commit64(w, in->d[0], &t, m);
    return;
  }
  finish_f32(&t, in->flags);
  commit32(w, in->d[0], &t, m);
}

static void half(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t = {{0}};
  static const u32 operands[] = {[FOP_ADD] = 2, [FOP_SUB] = 2, [FOP_MUL] = 2, [FOP_FMA] = 3,
                                 [FOP_MIN] = 2, [FOP_MAX] = 2, [FOP_TANH] = 1};
  u32 n = operands[in->sub] ? operands[in->sub] : 1;
  const void *pa = S(0), *pb = n > 1 ? S(1) : pa, *pc = n > 2 ? S(2) : pa;
  bool ftz = in->flags & DI_FTZ, sat = in->flags & DI_SAT;
  const fpformat_t *f = fp_format(in->type);
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k), a = AT_u32(pa, l), b = AT_u32(pb, l), c = AT_u32(pc, l);
    t.w[l] = half_op(f, in->sub, (u16)a, (u16)b, (u16)c, ftz, sat, in->aux);
    if (ptype_info[in->type].bytes == 4)
      t.w[l] |= (u32)half_op(f, in->sub, (u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16), ftz, sat,
                             in->aux)
                << 16;
  }
  commit32(w, in->d[0], &t, m);
}

/* Sine and cosine of arguments that need an exact reduction: one by one. */
static void far_trigonometry(buf_t *t, const void *p, bool cosine) {
  LANES {
    float a = AT_f32(p, l);
    if (!(a <= APPROX_TRIG && a >= -APPROX_TRIG))
      t->w[l] = f32_bits(cosine ? approx_cos(a) : approx_sin(a));
  }
}

#define APPROX_LOOP(f)                                                                             \
  LANES t.w[l] = canon32(f);                                                                       \
  break
static void approx32(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t, fa;
  const void *p = S(0);
  if (in->flags & DI_FTZ) {
    flush_lanes(&fa, p);
    p = &fa;
  }
  switch (in->sub) {
  case FOP_EX2: APPROX_LOOP(lane_ex2(AT_f32(p, l)));
  case FOP_LG2: APPROX_LOOP(lane_lg2(AT_f32(p, l)));
  case FOP_SIN: APPROX_LOOP(lane_sine(AT_f32(p, l), 0));
  case FOP_COS: APPROX_LOOP(lane_sine(AT_f32(p, l), 1));
  case FOP_RSQRT: APPROX_LOOP(lane_rsqrt(AT_f32(p, l)));
  default: APPROX_LOOP(lane_tanh(AT_f32(p, l)));
  }
  if (in->sub == FOP_SIN || in->sub == FOP_COS) far_trigonometry(&t, p, in->sub == FOP_COS);
  finish_f32(&t, in->flags);
  commit32(w, in->d[0], &t, m);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.f64: the .ftz forms give the upper 32 bits only. */
static void approx64(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  const void *p = S(0);
  LANES {
    u64 u = AT_u64(p, l);
    if ((in->flags & DI_FTZ) && !(u & 0x7ff0000000000000u)) u &= 0x8000000000000000u;
    double a = bits_f64(u);
    u64 r = canon64(in->sub == FOP_RCP ? 1 / a : 1 / __builtin_sqrt(a));
    if (in->flags & DI_FTZ) {
      if (!(r & 0x7ff0000000000000u)) r &= 0x8000000000000000u;
      r &= 0xffffffff00000000u;
    }
    t.x[l] = r;
  }
  commit64(w, in->d[0], &t, m);
}

/* --- comparison --- */

#define CMP_INT(LOAD)                                                                              \
  switch (cmp) {                                                                                   \
  case CMP_EQ: CMP_LOOP(LOAD, a == b)                                                              \
  case CMP_NE: CMP_LOOP(LOAD, a != b)                                                              \
  case CMP_LT: CMP_LOOP(LOAD, a < b)                                                               \
  case CMP_LE: CMP_LOOP(LOAD, a <= b)                                                              \
  case CMP_GT: CMP_LOOP(LOAD, a > b)                                                               \
  default: CMP_LOOP(LOAD, a >= b)                                                                  \
  }
#define CMP_LOOP(LOAD, cond)                                                                       \
  {                                                                                                \
    u32 r = 0;                                                                                     \
    LANES {                                                                                        \
      __typeof__(LOAD(pa, 0)) a = LOAD(pa, l), b = LOAD(pb, l);                                    \
      r |= (cond) ? bit_of[l] : 0;                                                                 \
    }                                                                                              \
    return r;                                                                                      \
  }
#define CMP_FLOAT(LOAD)                                                                            \
  switch (cmp) {                                                                                   \
  case CMP_EQ: CMP_LOOP(LOAD, a == b)                                                              \
  case CMP_NE: CMP_LOOP(LOAD, a<b || a> b)                                                         \
  case CMP_LT: CMP_LOOP(LOAD, a < b)                                                               \
  case CMP_LE: CMP_LOOP(LOAD, a <= b)                                                              \
  case CMP_GT: CMP_LOOP(LOAD, a > b)                                                               \
  case CMP_GE: CMP_LOOP(LOAD, a >= b)                                                              \
  case CMP_EQU: CMP_LOOP(LOAD, !(a < b || a > b))                                                  \
  case CMP_NEU: CMP_LOOP(LOAD, !(a == b))                                                          \
  case CMP_LTU: CMP_LOOP(LOAD, !(a >= b))                                                          \
  case CMP_LEU: CMP_LOOP(LOAD, !(a > b))                                                           \
  case CMP_GTU: CMP_LOOP(LOAD, !(a <= b))                                                          \
  case CMP_GEU: CMP_LOOP(LOAD, !(a < b))                                                           \
  case CMP_NUM: CMP_LOOP(LOAD, a == a && b == b)                                                   \
  default: CMP_LOOP(LOAD, a != a || b != b)                                                        \
  }

static u32 cmp_u16(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_u16) }
static u32 cmp_s16(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_s16) }
static u32 cmp_u32(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_u32) }
static u32 cmp_s32(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_s32) }
static u32 cmp_u64(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_u64) }
static u32 cmp_s64(u32 cmp, const void *pa, const void *pb) { CMP_INT(AT_s64) }
static u32 cmp_f32(u32 cmp, const void *pa, const void *pb) { CMP_FLOAT(AT_f32) }
static u32 cmp_f64(u32 cmp, const void *pa, const void *pb) { CMP_FLOAT(AT_f64) }

/* f16 and bf16; shift 16: the upper halves of pairs. (.ftz exists for f16 only.) */
static u32 cmp_half(const dinst_t *in, const void *pa, const void *pb, u32 shift) {
  const fpformat_t *f = fp_format(in->type);
  bool ftz = in->flags & DI_FTZ;
  u64 a[WARP_LANES], b[WARP_LANES];
  LANES {
    u32 va = (u16)(AT_u32(pa, l) >> shift), vb = (u16)(AT_u32(pb, l) >> shift);
    if (ftz && !(va & 0x7c00)) va &= 0x8000;
    if (ftz && !(vb & 0x7c00)) vb &= 0x8000;
    a[l] = f64_bits(fp_from_bits(f, va)), b[l] = f64_bits(fp_from_bits(f, vb));
  }
  return cmp_f64(in->sub, a, b);
}

static bool is_pair(const dinst_t *in) { return in->type == T_F16X2 || in->type == T_BF16X2; }

static u32 compare(pexec_t *x, pwarp_t *w, const dinst_t *in) {
  const void *pa = S(0), *pb = S(1);
  buf_t fa, fb;
  switch (in->type) {
  case T_U16: return cmp_u16(in->sub, pa, pb);
  case T_S16: return cmp_s16(in->sub, pa, pb);
  case T_U32: return cmp_u32(in->sub, pa, pb);
  case T_S32: return cmp_s32(in->sub, pa, pb);
  case T_U64: return cmp_u64(in->sub, pa, pb);
  case T_S64: return cmp_s64(in->sub, pa, pb);
  case T_F64: return cmp_f64(in->sub, pa, pb);
  case T_F16:
  case T_BF16:
  case T_F16X2:
  case T_BF16X2: return cmp_half(in, pa, pb, 0);
  default: break;
  }
  if (!(in->flags & DI_FTZ)) return cmp_f32(in->sub, pa, pb);
  flush_lanes(&fa, pa), flush_lanes(&fb, pb);
  return cmp_f32(in->sub, &fa, &fb);
}

static u32 combine(const pwarp_t *w, const dinst_t *in, u32 r) {
  if (in->s[2] == OPERAND_NONE) return r;
  u32 c = pred_at(w, in->s[2]);
  if (in->flags & DI_NEG) c = ~c;
  return in->aux == BOOL_AND ? r & c : in->aux == BOOL_OR ? r | c : r ^ c;
}

static void set_predicate(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  u32 r = compare(x, w, in), s = is_pair(in) ? cmp_half(in, S(0), S(1), 16) : ~r;
  u32 p = combine(w, in, r), q = combine(w, in, s);
  commit_pred(w, in->d[0], p, m);
  commit_pred(w, in->d[1], q, m);
}

static u32 set_true(const dinst_t *in) { /* 1 of a float type, else all ones */
  switch (in->type2) {
  case T_F32: return 0x3f800000;
  case T_F16:
  case T_F16X2: return 0x3c00;
  case T_BF16:
  case T_BF16X2: return 0x3f80;
  case T_U16:
  case T_S16: return 0xffff;
  default: return FULL_MASK;
  }
}

static void set_value(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  u32 r = combine(w, in, compare(x, w, in)), yes = set_true(in);
  buf_t t;
  LANES t.w[l] = r & bit_of[l] ? yes : 0;
  if (is_pair(in)) {
    u32 s = combine(w, in, cmp_half(in, S(0), S(1), 16));
    LANES t.w[l] = (t.w[l] & 0xffff) | (s & bit_of[l] ? yes << 16 : 0);
  }
  commit32(w, in->d[0], &t, m);
}

static void test_property(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  u32 r = 0;
  LANES {
    u64 u = in->type == T_F64 ? AT_u64(p, l) : AT_u32(p, l);
    u64 frac = in->type == T_F64 ? u & 0xfffffffffffffu : u & 0x7fffff;
    u32 e = (u32)(in->type == T_F64 ? u >> 52 & 2047 : u >> 23 & 255),
        top = in->type == T_F64 ? 2047 : 255;
    bool yes = false;
    switch (in->sub) {
    case TESTP_FINITE: yes = e != top; break;
    case TESTP_INFINITE: yes = e == top && !frac; break;
    case TESTP_NUMBER: yes = e != top || !frac; break;
    case TESTP_NOTANUMBER: yes = e == top && frac; break;
    case TESTP_NORMAL: yes = e != top && e; break;
    default: yes = !e && frac; break;
    }
    r |= yes ? bit_of[l] : 0;
  }
  commit_pred(w, in->d[0], r, m);
}

static void select_lanes(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  const void *pa = S(0), *pb = S(1);
  u32 c = 0;
  if (in->op == I_SELP32 || in->op == I_SELP64) {
    c = pred_at(w, in->s[2]);
    if (in->flags & DI_NEG) c = ~c;
  } else {
    const void *pc = S(2);
    LANES {
      u32 v = AT_u32(pc, l);
      bool yes = (s32)v >= 0;
      if (in->type2 == T_F32) yes = bits_f32(in->flags & DI_FTZ ? ftz32(v) : v) >= 0;
      c |= yes ? bit_of[l] : 0;
    }
  }
  if (in->op == I_SELP32 || in->op == I_SLCT32) {
    LANES t.w[l] = c & bit_of[l] ? AT_u32(pa, l) : AT_u32(pb, l);
    commit32(w, in->d[0], &t, m);
  } else {
    LANES t.x[l] = c & bit_of[l] ? AT_u64(pa, l) : AT_u64(pb, l);
    commit64(w, in->d[0], &t, m);
  }
}

static void predicate_logic(pwarp_t *w, const dinst_t *in, u32 m) {
  u32 a = pred_at(w, in->s[0]), r = ~a;
  if (in->sub) {
    u32 b = in->s[1] == OPERAND_NONE ? (u32)in->imm : pred_at(w, in->s[1]);
    r = in->sub == BOOL_AND ? a & b : in->sub == BOOL_OR ? a | b : a ^ b;
  }
  commit_pred(w, in->d[0], r, m);
}

/* --- carries --- */

static void carry_op(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1);
  bool wide = type_wide(in->type), sub = in->sub & CARRY_SUB;
  buf_t t;
  u32 out = 0;
  LANES {
    u64 a = wide ? AT_u64(pa, l) : AT_u32(pa, l), b = wide ? AT_u64(pb, l) : AT_u32(pb, l);
    u64 c = in->sub & CARRY_IN ? w->carry >> l & 1 : 0;
    u128 r = sub ? (u128)a - b - c : (u128)a + b + c;
    if (wide)
      t.x[l] = (u64)r;
    else
      t.w[l] = (u32)r;
    out |= (r >> (wide ? 64 : 32) & 1) ? bit_of[l] : 0;
  }
  if (in->sub & CARRY_OUT) w->carry = (w->carry & ~m) | (out & m);
  if (wide)
    commit64(w, in->d[0], &t, m);
  else
    commit32(w, in->d[0], &t, m);
}

static u64 product_part(const dinst_t *in, u64 a, u64 b) {
  bool hi = in->sub & CARRY_HI, sgn = in->sub & CARRY_SIGNED;
  if (!hi) return a * b;
  if (type_wide(in->type)) return sgn ? (u64)mulhi_s64((s64)a, (s64)b) : mulhi_u64(a, b);
  return (u32)(sgn ? (u64)((s64)(s32)a * (s32)b) >> 32 : (u64)(u32)a * (u32)b >> 32);
}

static void mad_carry_op(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1), *pc = S(2);
  bool wide = type_wide(in->type);
  buf_t t;
  u32 out = 0;
  LANES {
    u64 a = wide ? AT_u64(pa, l) : AT_u32(pa, l), b = wide ? AT_u64(pb, l) : AT_u32(pb, l);
    u64 p = product_part(in, a, b), c = wide ? AT_u64(pc, l) : AT_u32(pc, l);
    if (!wide) p = (u32)p;
    u128 r = (u128)p + c + (in->sub & CARRY_IN ? w->carry >> l & 1 : 0);
    if (wide)
      t.x[l] = (u64)r;
    else
      t.w[l] = (u32)r;
    out |= (r >> (wide ? 64 : 32) & 1) ? bit_of[l] : 0;
  }
  if (in->sub & CARRY_OUT) w->carry = (w->carry & ~m) | (out & m);
  if (wide)
    commit64(w, in->d[0], &t, m);
  else
    commit32(w, in->d[0], &t, m);
}

static void bit_insert(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1), *pos = S(2), *len = S(3);
  buf_t t;
  if (in->op == I_BFI32) {
    LANES t.w[l] = (u32)bfi_bits(AT_u32(pa, l), AT_u32(pb, l), AT_u32(pos, l), AT_u32(len, l), 31);
    commit32(w, in->d[0], &t, m);
  } else {
    LANES t.x[l] = bfi_bits(AT_u64(pa, l), AT_u64(pb, l), AT_u32(pos, l), AT_u32(len, l), 63);
    commit64(w, in->d[0], &t, m);
  }
}

/* --- conversion --- */

/* Integer lanes of a type, extended to 64 bits. */
static void widen_lanes(s64 *v, const void *p, bool wide, uint8_t type) {
  if (wide)
    LANES v[l] = AT_s64(p, l);
  else
    LANES v[l] = (s64)AT_u32(p, l);
  switch (type) {
  case T_U8:
  case T_B8: LANES v[l] = (uint8_t)v[l]; break;
  case T_S8: LANES v[l] = (int8_t)v[l]; break;
  case T_U16:
  case T_B16: LANES v[l] = (u16)v[l]; break;
  case T_S16: LANES v[l] = (s16)v[l]; break;
  case T_U32:
  case T_B32: LANES v[l] = (u32)v[l]; break;
  case T_S32: LANES v[l] = (s32)v[l]; break;
  default: break;
  }
}

/* Truncated to the type and extended to the register. */
static void store_int(pwarp_t *w, const dinst_t *in, s64 *v, u32 m) {
  buf_t t;
  widen_lanes(v, v, true, in->type);
  if (in->wide & 1) {
    LANES t.x[l] = (u64)v[l];
    commit64(w, in->d[0], &t, m);
  } else {
    LANES t.w[l] = (u32)v[l];
    commit32(w, in->d[0], &t, m);
  }
}

static s64 saturate(s64 v, uint8_t from, uint8_t to) {
  u32 bits = 8u * ptype_info[to].bytes;
  bool from_signed = ptype_info[from].kind == 's', to_signed = ptype_info[to].kind == 's';
  bool huge = !from_signed && v < 0; /* an u64 above 2^63 */
  if (to_signed) {
    s64 max = (s64)(((u64)1 << (bits - 1)) - 1), min = -max - 1;
    return huge || v > max ? max : v < min ? min : v;
  }
  if (from_signed && v < 0) return 0;
  u64 max = low_bits(bits);
  return (u64)v > max ? (s64)max : v;
}

static void convert_ii(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  s64 v[WARP_LANES];
  widen_lanes(v, S(0), in->wide & 2, in->type2);
  if (in->flags & DI_SAT) LANES v[l] = saturate(v[l], in->type2, in->type);
  store_int(w, in, v, m);
}

static void store_float(pwarp_t *w, const dinst_t *in, buf_t *t, u32 m) {
  if (in->type == T_F64) {
    commit64(w, in->d[0], t, m);
    return;
  }
  if (in->type == T_F32) finish_f32(t, in->flags);
  commit32(w, in->d[0], t, m);
}

static void convert_if(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  s64 v[WARP_LANES];
  buf_t t;
  bool uns = ptype_info[in->type2].kind != 's';
  widen_lanes(v, S(0), in->wide & 2, in->type2);
  if (in->rnd == RND_RN && in->type == T_F32 && !type_wide(in->type2)) {
    LANES t.w[l] = f32_bits((float)v[l]); /* 33 bits: one rounding */
  } else if (in->rnd == RND_RN && in->type == T_F64 && !type_wide(in->type2)) {
    LANES t.x[l] = f64_bits((double)v[l]);
  } else {
    const fpformat_t *f = fp_format(in->type);
    LANES {
      bool neg = !uns && v[l] < 0;
      u64 r = fp_from_int(f, neg, neg ? 0 - (u64)v[l] : (u64)v[l], in->rnd);
      if (in->type == T_F64)
        t.x[l] = r;
      else
        t.w[l] = (u32)r;
    }
    if (in->type == T_F16 && (in->flags & DI_SAT))
      LANES t.w[l] = half_op(&fp_f16, FOP_MIN, (u16)t.w[l], (u16)t.w[l], 0, false, true, false);
  }
  store_float(w, in, &t, m);
}

static void load_doubles(pexec_t *x, const pwarp_t *w, const dinst_t *in, double *v) {
  const void *p = S(0);
  switch (in->type2) {
  case T_F64: LANES v[l] = AT_f64(p, l); break;
  case T_F32:
    if (in->flags & DI_FTZ)
      LANES v[l] = bits_f32(ftz32(AT_u32(p, l)));
    else
      LANES v[l] = AT_f32(p, l);
    break;
  default: LANES v[l] = fp_from_bits(fp_format(in->type2), AT_u16(p, l)); break;
  }
}

static void convert_fi(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  double v[WARP_LANES];
  s64 r[WARP_LANES];
  u32 bits = 8u * ptype_info[in->type].bytes;
  bool is_signed = ptype_info[in->type].kind == 's';
  /* NaN: 0, except 64-bit on either side: the top bit alone. */
  u64 nan = in->type2 == T_F64 || bits == 64 ? (u64)1 << (bits - 1) : 0;
  load_doubles(x, w, in, v);
  LANES r[l] = m & bit_of[l] ? (s64)fp_to_int(v[l], in->aux, bits, is_signed, nan) : 0;
  store_int(w, in, r, m);
}

static void convert_ff(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  double v[WARP_LANES];
  buf_t t;
  load_doubles(x, w, in, v);
  if (in->aux) LANES v[l] = fp_integral(v[l], in->aux);
  if (in->type == T_F64) {
    LANES t.x[l] = canon64(v[l]);
  } else if (in->type == T_F32 && in->rnd <= RND_RN) {
    LANES t.w[l] = canon32((float)v[l]);
  } else {
    const fpformat_t *f = fp_format(in->type);
    LANES t.w[l] = (u32)fp_round(f, v[l], in->rnd ? in->rnd : RND_RN);
  }
  if (in->type == T_F16 && (in->flags & DI_SAT))
    LANES t.w[l] = half_op(&fp_f16, FOP_MAX, (u16)t.w[l], (u16)t.w[l], 0, false, true, false);
  if (in->type == T_F64 && (in->flags & DI_SAT)) LANES {
      double d = bits_f64(t.x[l]);
      t.x[l] = f64_bits(d > 0 ? (d < 1 ? d : 1) : 0);
    }
  store_float(w, in, &t, m);
}

static void convert_h2(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1);
  const fpformat_t *f = fp_format(in->type);
  buf_t t;
  LANES t.w[l] = (u32)fp_round(f, AT_f32(pa, l), in->rnd ? in->rnd : RND_RN) << 16 |
                 (u32)fp_round(f, AT_f32(pb, l), in->rnd ? in->rnd : RND_RN);
  commit32(w, in->d[0], &t, m);
}

static void convert_pack(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1), *pc = S(2);
  u32 bits = in->width, mask = (1u << bits) - 1;
  int32_t most = (int32_t)(in->aux ? mask : mask >> 1), least = in->aux ? 0 : -most - 1;
  buf_t t;
  LANES {
    int32_t a = AT_s32(pa, l), b = AT_s32(pb, l);
    a = a < least ? least : a > most ? most : a;
    b = b < least ? least : b > most ? most : b;
    u32 up = bits == 16 ? 0 : AT_u32(pc, l) << 2 * bits;
    t.w[l] = up | ((u32)a & mask) << bits | ((u32)b & mask);
  }
  commit32(w, in->d[0], &t, m);
}

/* --- moves --- */

static void pack_lanes(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t = {{0}};
  u32 bits = 8u * in->width;
  u64 v[WARP_LANES] = {0};
  for (u32 i = 0; i < in->vec; i++) {
    const void *p = S(i);
    LANES v[l] |= ((u64)AT_u32(p, l) & low_bits(bits)) << i * bits;
  }
  if (in->wide) {
    memcpy(t.x, v, sizeof v);
    commit64(w, in->d[0], &t, m);
  } else {
    LANES t.w[l] = (u32)v[l];
    commit32(w, in->d[0], &t, m);
  }
}

static void unpack_lanes(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t[4];
  const void *p = S(0);
  u32 bits = 8u * in->width;
  for (u32 i = 0; i < in->vec; i++)
    LANES t[i].w[l] = (u32)((in->wide ? AT_u64(p, l) : AT_u32(p, l)) >> i * bits & low_bits(bits));
  for (u32 i = 0; i < in->vec; i++) commit32(w, in->d[i], &t[i], m);
}

/* Without a machine, executed instructions are the clock. */
static u64 time_of(pexec_t *x) {
  x->clocks++;
  return x->live ? x->now : x->stats.warp_insts;
}

/* A special register's lanes, as 64-bit values. */
static void sreg_lanes(pexec_t *x, const pwarp_t *w, u32 id, u64 *v) {
  u64 c = 0;
  switch (id) {
  case SR_TID_X:
  case SR_TID_Y:
  case SR_TID_Z: LANES v[l] = w->tid[id - SR_TID_X][l]; return;
  case SR_LANEID: LANES v[l] = l; return;
  case SR_LANEMASK_EQ: LANES v[l] = bit_of[l]; return;
  case SR_LANEMASK_LE: LANES v[l] = bit_of[l] | (bit_of[l] - 1); return;
  case SR_LANEMASK_LT: LANES v[l] = bit_of[l] - 1; return;
  case SR_LANEMASK_GE: LANES v[l] = ~(bit_of[l] - 1); return;
  case SR_LANEMASK_GT: LANES v[l] = ~(bit_of[l] | (bit_of[l] - 1)); return;
  case SR_NTID_X:
  case SR_NTID_Y:
  case SR_NTID_Z: c = x->block[id - SR_NTID_X]; break;
  case SR_CTAID_X:
  case SR_CTAID_Y:
  case SR_CTAID_Z: c = w->block->ctaid[id - SR_CTAID_X]; break;
  case SR_NCTAID_X:
  case SR_NCTAID_Y:
  case SR_NCTAID_Z: c = x->grid[id - SR_NCTAID_X]; break;
  case SR_WARPID: c = w->warpid; break;
  case SR_NWARPID: c = 64; break;
  case SR_SMID: c = w->smid; break;
  case SR_NSMID: c = x->sms; break;
  case SR_GRIDID: c = x->launch_id; break;
  case SR_CLOCK:
  case SR_CLOCK64:
  case SR_GLOBALTIMER:
  case SR_GLOBALTIMER_LO: c = time_of(x); break;
  case SR_CLOCK_HI:
  case SR_GLOBALTIMER_HI: c = time_of(x) >> 32; break;
  case SR_TOTAL_SMEM: c = x->shared_bytes; break;
  case SR_ENVREG1: c = x->workspace >> 32; break;
  case SR_ENVREG2: c = (u32)x->workspace; break;
  default: c = x->dynamic_shared_bytes; break;
  }
  LANES v[l] = c;
}

static void read_sreg(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  u64 v[WARP_LANES];
  sreg_lanes(x, w, in->sub, v);
  if (in->wide) {
    LANES t.x[l] = v[l];
    commit64(w, in->d[0], &t, m);
  } else {
    LANES t.w[l] = (u32)v[l];
    commit32(w, in->d[0], &t, m);
  }
}

/* Special registers as operands of other instructions. */
static void fix_operands(pexec_t *x, pwarp_t *w, const dinst_t *in) {
  const pfixes_t *f = &w->code->fix[in->target];
  for (u32 i = 0; i < f->count; i++) {
    u64 v[WARP_LANES];
    void *to = (uint8_t *)x->scratch + 256 * f->fix[i].operand;
    sreg_lanes(x, w, f->fix[i].from, v);
    if (type_wide(f->fix[i].type))
      memcpy(to, v, sizeof v);
    else
      LANES((u32a *)to)[l] = (u32)v[l];
  }
}

static void move(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  buf_t t;
  if (in->op == I_MOV32) {
    memcpy(t.w, p, 128);
    commit32(w, in->d[0], &t, m);
  } else {
    memcpy(t.x, p, 256);
    if (in->op == I_ADDIMM64) LANES t.x[l] += in->imm;
    commit64(w, in->d[0], &t, m);
  }
}

static void frame_address(pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  u64 v = in->imm + (in->aux == 1 ? w->local_base : in->aux == 2 ? w->param_base : 0);
  if (in->wide) {
    LANES t.x[l] = v;
    commit64(w, in->d[0], &t, m);
  } else {
    LANES t.w[l] = (u32)v;
    commit32(w, in->d[0], &t, m);
  }
}

static void is_space(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  u32 r = 0;
  LANES {
    u64 a = AT_u64(p, l);
    bool shared = a - DEVMEM_SHARED_WINDOW < DEVMEM_WINDOW_BYTES;
    bool local = a - DEVMEM_LOCAL_WINDOW < DEVMEM_WINDOW_BYTES;
    bool constant = !shared && !local && (m & bit_of[l]) && ptx_is_constant(x->program, a);
    bool yes = in->sub == SP_SHARED  ? shared
               : in->sub == SP_LOCAL ? local
               : in->sub == SP_CONST ? constant
                                     : in->sub == SP_GLOBAL && !shared && !local && !constant;
    r |= yes ? bit_of[l] : 0;
  }
  commit_pred(w, in->d[0], r, m);
}

/* --- memory --- */

typedef struct {
  const uint8_t *at[WARP_LANES];
} ptrs_t;

/* Lane addresses into x->addr; inactive lanes repeat the first active one, so that whole-warp loops
 * may touch them. */
static inline void addresses(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  if (in->flags & DI_ADDR32)
    LANES x->addr[l] = (u32)(AT_u32(p, l) + (u32)in->imm);
  else
    LANES x->addr[l] = AT_u64(p, l) + in->imm;
  if (m != FULL_MASK) {
    u64 first = x->addr[__builtin_ctz(m)];
    LANES x->addr[l] = m & bit_of[l] ? x->addr[l] : first;
  }
}

static bool aligned(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes, const char *what) {
  u64 low = 0;
  LANES low |= x->addr[l];
  if (!(low & (bytes - 1))) return true;
  for (; m; m &= m - 1) {
    u32 l = (u32)__builtin_ctz(m);
    if (x->addr[l] & (bytes - 1)) return fault_misaligned(x, w, in, l, x->addr[l], bytes, what);
  }
  return true;
}

/* Each lane in an allocation of its own. */
static bool find_each(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes, const char *what,
                      ptrs_t *p, palloc_cache_t *c) {
  bool generic = in->op == I_LD_GENERIC || in->op == I_ST_GENERIC ||
                 (in->op == I_ATOM && in->aux == SP_GENERIC);
  bool loads = in->op == I_LD_GENERIC || in->op == I_LD_GLOBAL;
  const uint8_t *any = NULL;
  u32 sparse = 0;
  for (; m; m &= m - 1) {
    u32 l = (u32)__builtin_ctz(m);
    u64 a = x->addr[l];
    if (a - c->va < c->bytes && bytes <= c->bytes - (a - c->va)) {
      any = p->at[l] = c->host + (a - c->va);
      continue;
    }
    const devmem_alloc_t *found = devmem_find(x->mem, a);
    bool inside = found && bytes <= found->bytes - (a - found->va);
    if (inside && found->sparse) { /* not cached: each granule is elsewhere */
      if (!loads) sparse |= bit_of[l];
      any = p->at[l] = loads ? devmem_peek(found, a, x->peeked[l]) : devmem_byte(found, a);
      if (!any) return fault_simple(x, w, bit_of[l], PTX_FAULT_TRAP, "the host has no memory left");
      continue;
    }
    if (inside) {
      *c = (palloc_cache_t){found->va, found->bytes, found->host};
      any = p->at[l] = c->host + (a - c->va);
      continue;
    }
    any = p->at[l] = generic ? pexec_generic(x, w, l, a, bytes) : NULL;
    if (!any) any = p->at[l] = access_outside(x, w, in, l, a, bytes, what, "global");
    if (!any) return false;
  }
  (void)any;
  for (; sparse; sparse &= sparse - 1) { /* a later lane's write may have moved an earlier one's */
    u32 l = (u32)__builtin_ctz(sparse);
    p->at[l] = devmem_byte(devmem_find(x->mem, x->addr[l]), x->addr[l]);
  }
  return true;
}

static bool global_pointers(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes,
                            const char *what, ptrs_t *p) {
  palloc_cache_t *c = &x->cache[(u32)(in - w->code->inst) % ALLOC_CACHE];
  addresses(x, w, in, m);
  if (!aligned(x, w, in, m, bytes, what)) return false;
  u64 bad = c->bytes < bytes ? ~(u64)0 : 0, limit = c->bytes - bytes;
  const uint8_t *host = c->host;
  u64 va = c->va;
  LANES {
    u64 off = x->addr[l] - va;
    bad |= off | (limit - off); /* the sign bit tells whether off > limit */
    p->at[l] = (const uint8_t *)((uintptr_t)host + off);
  }
  if (!(bad >> 63)) return true;
  if (!find_each(x, w, in, m, bytes, what, p, c)) return false;
  u32 first = (u32)__builtin_ctz(m);
  LANES if (!(m & bit_of[l])) p->at[l] = p->at[first];
  return true;
}

static bool shared_pointers(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes,
                            const char *what, ptrs_t *p) {
  addresses(x, w, in, m);
  LANES x->addr[l] = (u32)x->addr[l];
  if (!aligned(x, w, in, m, bytes, what)) return false;
  u64 bad = x->shared_bytes < bytes ? ~(u64)0 : 0, limit = (u64)x->shared_bytes - bytes;
  const uint8_t *base = w->block->shared;
  LANES {
    u64 off = x->addr[l];
    bad |= limit - off;
    p->at[l] = base + off;
  }
  if (!(bad >> 63)) return true;
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k);
    if (x->addr[l] + bytes <= x->shared_bytes) continue;
    p->at[l] = access_outside(x, w, in, l, x->addr[l], bytes, what, "shared");
    if (!p->at[l]) return false;
  }
  u32 first = (u32)__builtin_ctz(m);
  LANES if (!(m & bit_of[l])) p->at[l] = p->at[first];
  return true;
}

/* Memory that each lane has for itself: local variables, parameters of calls. */
static bool lane_pointers(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes,
                          const char *what, ptrs_t *p) {
  bool local = in->op == I_LD_LOCAL || in->op == I_ST_LOCAL;
  u32 stride = local ? x->local_stride : x->param_stride;
  uint8_t *base = local ? w->local : w->param;
  addresses(x, w, in, m);
  if (in->flags & DI_FRAME) LANES x->addr[l] += local ? w->local_base : w->param_base;
  if (!aligned(x, w, in, m, bytes, what)) return false;
  u32 outside = 0, first = (u32)__builtin_ctz(m);
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k);
    if (x->addr[l] <= stride && bytes <= stride - x->addr[l]) continue;
    if (!local) return fault_access(x, w, in, l, x->addr[l], bytes, what, "param");
    if (!access_outside(x, w, in, l, x->addr[l], bytes, what, "local")) return false;
    outside |= bit_of[l];
  }
  LANES {
    u32 k = m & bit_of[l] ? l : first;
    p->at[l] = outside & bit_of[k] ? x->outside[k] : base + (size_t)k * stride + x->addr[l];
  }
  return true;
}

static bool param_pointers(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m, u32 bytes, ptrs_t *p) {
  addresses(x, w, in, m);
  if (!aligned(x, w, in, m, bytes, "load")) return false;
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k);
    if (x->addr[l] > x->param_bytes || bytes > x->param_bytes - x->addr[l])
      return fault_access(x, w, in, l, x->addr[l], bytes, "load", "param");
  }
  LANES p->at[l] = x->params + x->addr[l];
  return true;
}

static inline u64 get8(const uint8_t *p) { return *p; }
static inline u64 get16(const uint8_t *p) {
  return *(const u16 __attribute__((may_alias)) *)(const void *)p;
}
static inline u32 get32(const uint8_t *p) { return *(const u32a *)(const void *)p; }
static inline u64 get64(const uint8_t *p) { return *(const u64a *)(const void *)p; }

/* One element of every lane, extended to a 32-bit register. */
static inline void gather32(const ptrs_t *p, u32 off, const dinst_t *in, buf_t *t) {
  switch (in->type) {
  case T_U8:
  case T_B8: LANES t->w[l] = (u32)get8(p->at[l] + off); break;
  case T_S8: LANES t->w[l] = (u32)(s32)(int8_t)get8(p->at[l] + off); break;
  case T_U16:
  case T_B16:
  case T_F16:
  case T_BF16: LANES t->w[l] = (u32)get16(p->at[l] + off); break;
  case T_S16: LANES t->w[l] = (u32)(s32)(s16)get16(p->at[l] + off); break;
  default: LANES t->w[l] = get32(p->at[l] + off); break;
  }
}

static void gather64(const ptrs_t *p, u32 off, const dinst_t *in, buf_t *t) {
  if (in->width == 8) {
    LANES t->x[l] = get64(p->at[l] + off);
    return;
  }
  buf_t n;
  gather32(p, off, in, &n);
  bool sgn = ptype_info[in->type].kind == 's';
  LANES t->x[l] = sgn ? (u64)(s64)(s32)n.w[l] : n.w[l];
}

static void load_elements(pwarp_t *w, const dinst_t *in, const ptrs_t *p, u32 m) {
  buf_t t;
  for (u32 i = 0; i < in->vec; i++) { /* addresses are in hand: results may replace operands */
    if (in->wide >> i & 1) {
      gather64(p, i * in->width, in, &t);
      commit64(w, in->d[i], &t, m);
    } else {
      gather32(p, i * in->width, in, &t);
      commit32(w, in->d[i], &t, m);
    }
  }
}

static bool load(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  ptrs_t p;
  u32 bytes = (u32)in->width * in->vec;
  switch (in->op) {
  case I_LD_GLOBAL:
  case I_LD_GENERIC:
    if (!global_pointers(x, w, in, m, bytes, "load", &p)) return false;
    break;
  case I_LD_SHARED:
    if (!shared_pointers(x, w, in, m, bytes, "load", &p)) return false;
    break;
  case I_LD_KPARAM:
    if (!param_pointers(x, w, in, m, bytes, &p)) return false;
    break;
  default:
    if (!lane_pointers(x, w, in, m, bytes, "load", &p)) return false;
    break;
  }
  load_elements(w, in, &p, m);
  return true;
}

static inline void put(uint8_t *to, u64 v, u32 width) {
  switch (width) {
  case 1: *to = (uint8_t)v; break;
  case 2: *(u16 __attribute__((may_alias)) *)(void *)to = (u16)v; break;
  case 4: *(u32a *)(void *)to = (u32)v; break;
  default: *(u64a *)(void *)to = v; break;
  }
}

static void store_elements(pexec_t *x, pwarp_t *w, const dinst_t *in, const ptrs_t *p, u32 m) {
  for (u32 i = 0; i < in->vec; i++) {
    const void *v = operand_at(x, w, in->d[i]);
    u32 off = i * in->width;
    if (m == FULL_MASK && in->width == 4 && !(in->wide >> i & 1)) {
      LANES *(u32a *)(void *)(uintptr_t)(p->at[l] + off) = AT_u32(v, l);
      continue;
    }
    for (u32 k = m; k; k &= k - 1) {
      u32 l = (u32)__builtin_ctz(k);
      put((uint8_t *)(uintptr_t)p->at[l] + off, in->wide >> i & 1 ? AT_u64(v, l) : AT_u32(v, l),
          in->width);
    }
  }
}

static bool store(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  ptrs_t p;
  u32 bytes = (u32)in->width * in->vec;
  switch (in->op) {
  case I_ST_GLOBAL:
  case I_ST_GENERIC:
    if (!global_pointers(x, w, in, m, bytes, "store", &p)) return false;
    x->progress++;
    break;
  case I_ST_SHARED:
    if (!shared_pointers(x, w, in, m, bytes, "store", &p)) return false;
    x->progress++;
    break;
  default:
    if (!lane_pointers(x, w, in, m, bytes, "store", &p)) return false;
    break;
  }
  store_elements(x, w, in, &p, m);
  return true;
}

/* --- atomics --- */

static u64 atom_float(const dinst_t *in, u64 old, u64 b) {
  const fpformat_t *f = fp_format(in->type);
  switch (in->type) {
  case T_F32: return canon32(bits_f32((u32)old) + bits_f32((u32)b));
  case T_F64: return canon64(bits_f64(old) + bits_f64(b));
  case T_F16:
  case T_BF16: return half_op(f, FOP_ADD, (u16)old, (u16)b, 0, false, false, false);
  default:
    return half_op(f, FOP_ADD, (u16)old, (u16)b, 0, false, false, false) |
           (u64)half_op(f, FOP_ADD, (u16)(old >> 16), (u16)(b >> 16), 0, false, false, false) << 16;
  }
}

static bool atom_less(const dinst_t *in, u64 a, u64 b) {
  if (in->type == T_S32) return (s32)a < (s32)b;
  return in->type == T_S64 ? (s64)a < (s64)b : a < b;
}

static u64 atom_value(const dinst_t *in, u64 old, u64 b, u64 c) {
  switch (in->sub) {
  case ATOM_ADD: return ptype_info[in->type].kind == 'f' ? atom_float(in, old, b) : old + b;
  case ATOM_MIN: return atom_less(in, b, old) ? b : old;
  case ATOM_MAX: return atom_less(in, old, b) ? b : old;
  case ATOM_INC: return old >= b ? 0 : old + 1;
  case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
  case ATOM_AND: return old & b;
  case ATOM_OR: return old | b;
  case ATOM_XOR: return old ^ b;
  case ATOM_EXCH: return b;
  default: return old == b ? c : old;
  }
}

static u64 fetch(const uint8_t *p, u32 width) {
  return width == 2 ? get16(p) : width == 4 ? get32(p) : get64(p);
}

/* Lane after lane, in order. */
static bool atomic(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  ptrs_t p;
  bool ok = in->aux == SP_SHARED ? shared_pointers(x, w, in, m, in->width, "atomic", &p)
                                 : global_pointers(x, w, in, m, in->width, "atomic", &p);
  if (!ok) return false;
  const void *pb = S(1), *pc = in->s[2] == OPERAND_NONE ? pb : S(2);
  bool wide = in->width == 8;
  u64 mask = low_bits(8u * in->width), changed = 0;
  buf_t t = {{0}};
  for (u32 k = m; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k);
    u64 old = fetch(p.at[l], in->width);
    u64 b = (wide ? AT_u64(pb, l) : AT_u32(pb, l)) & mask,
        c = (wide ? AT_u64(pc, l) : AT_u32(pc, l)) & mask;
    u64 v = atom_value(in, old, b, c) & mask;
    put((uint8_t *)(uintptr_t)p.at[l], v, in->width);
    changed |= v ^ old;
    if (wide)
      t.x[l] = old;
    else
      t.w[l] = (u32)old;
  }
  if (changed) x->progress++;
  if (wide)
    commit64(w, in->d[0], &t, m);
  else
    commit32(w, in->d[0], &t, m);
  return true;
}

static bool sample(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t[4];
  u32 out[4][WARP_LANES];
  const uint32_t *at[3] = {S(1), S(2), S(3)};
  if (!texture_fetch(x, w, in, m, S(0), at, out)) return false;
  for (u32 i = 0; i < 4; i++) {
    memcpy(t[i].w, out[i], 128);
    commit32(w, in->d[i], &t[i], m);
  }
  return true;
}

/* --- warp-wide operations --- */

/* What a lane that does not take part gives is undefined. With .sync it is 0, not whatever its
 * register had: sums over fewer lanes than a warp rely on that. */
static void shuffle(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *pa = S(0), *pb = S(1), *pc = S(2);
  const u32 givers = in->s[3] == OPERAND_NONE ? UINT32_MAX : m;
  buf_t t;
  u32 ok = 0;
  LANES {
    u32 b = AT_u32(pb, l) & 31, c = AT_u32(pc, l), segment = c >> 8 & 31, clamp = c & 31;
    s32 max = (s32)((l & segment) | (clamp & ~segment)), min = (s32)(l & segment), j;
    bool in_range;
    switch (in->sub) {
    case SHFL_UP: j = (s32)l - (s32)b, in_range = j >= max; break;
    case SHFL_DOWN: j = (s32)(l + b), in_range = j <= max; break;
    case SHFL_BFLY: j = (s32)(l ^ b), in_range = j <= max; break;
    default: j = min | (s32)(b & ~segment), in_range = j <= max; break;
    }
    if (!in_range) j = (s32)l;
    t.w[l] = givers & bit_of[j & 31] ? AT_u32(pa, j & 31) : 0;
    ok |= in_range ? bit_of[l] : 0;
  }
  commit32(w, in->d[0], &t, m);
  commit_pred(w, in->d[1], ok, m);
}

/* The lanes that take part: the member mask, as far as it is here. */
static u32 members(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  if (in->s[3] == OPERAND_NONE) return m;
  return AT_u32(S(3), __builtin_ctz(m)) & m;
}

/* Lanes that name different members work in groups of their own: one group after the other. The
 * results of one are no operands of another, which has other lanes. */
static void each_group(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m,
                       void (*fn)(pexec_t *, pwarp_t *, const dinst_t *, u32)) {
  const u32a *mask = in->s[3] == OPERAND_NONE ? NULL : S(3);
  while (mask && m) {
    u32 same = 0, first = mask[__builtin_ctz(m)];
    LANES same |= mask[l] == first ? bit_of[l] : 0;
    fn(x, w, in, m & same);
    m &= ~same;
  }
  if (m) fn(x, w, in, m);
}

static void vote(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  u32 p = in->s[0] == OPERAND_NONE ? (u32)in->imm : pred_at(w, in->s[0]);
  u32 who = members(x, w, in, m);
  if (in->flags & DI_NEG) p = ~p;
  p &= who;
  if (in->sub == VOTE_BALLOT) {
    buf_t t;
    LANES t.w[l] = p;
    commit32(w, in->d[0], &t, m);
    return;
  }
  bool yes = in->sub == VOTE_ALL ? p == who : in->sub == VOTE_ANY ? p != 0 : p == who || p == 0;
  commit_pred(w, in->d[0], yes ? FULL_MASK : 0, m);
}

static void match_lanes(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  u32 who = members(x, w, in, m);
  bool wide = in->type == T_B64;
  buf_t t = {{0}};
  bool all = true;
  u64 first = who ? (wide ? AT_u64(p, __builtin_ctz(who)) : AT_u32(p, __builtin_ctz(who))) : 0;
  for (u32 k = who; k; k &= k - 1) {
    u32 l = (u32)__builtin_ctz(k), same = 0;
    u64 v = wide ? AT_u64(p, l) : AT_u32(p, l);
    for (u32 j = who; j; j &= j - 1)
      if ((wide ? AT_u64(p, __builtin_ctz(j)) : AT_u32(p, __builtin_ctz(j))) == v)
        same |= j & (0u - j);
    t.w[l] = same;
    all = all && v == first;
  }
  if (in->sub == VOTE_ALL) LANES t.w[l] = all ? who : 0;
  commit32(w, in->d[0], &t, m);
  commit_pred(w, in->d[1], all ? FULL_MASK : 0, m);
}

static void reduce(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const void *p = S(0);
  u32 who = members(x, w, in, m), r = 0;
  bool first = true;
  for (u32 k = who; k; k &= k - 1) {
    u32 v = AT_u32(p, __builtin_ctz(k));
    r = first ? v : (u32)atom_value(in, r, v, 0);
    first = false;
  }
  buf_t t;
  LANES t.w[l] = r;
  commit32(w, in->d[0], &t, m);
}

static void active_mask(pwarp_t *w, const dinst_t *in, u32 m) {
  buf_t t;
  LANES t.w[l] = m;
  commit32(w, in->d[0], &t, m);
}

/* --- dispatch --- */

static bool execute(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  switch (in->op) {
#define U1(op, type, R, A, value)                                                                  \
  case I_##op##_##type: {                                                                          \
    const void *pa = S(0);                                                                         \
    buf_t t;                                                                                       \
    LANES {                                                                                        \
      A a = AT_##A(pa, l);                                                                         \
      PUT_##R(value);                                                                              \
    }                                                                                              \
    COMMIT_##R(w, in->d[0], &t, m);                                                                \
    return true;                                                                                   \
  }
#define B2(op, type, R, A, B, value)                                                               \
  case I_##op##_##type: {                                                                          \
    const void *pa = S(0), *pb = S(1);                                                             \
    buf_t t;                                                                                       \
    LANES {                                                                                        \
      A a = AT_##A(pa, l);                                                                         \
      B b = AT_##B(pb, l);                                                                         \
      PUT_##R(value);                                                                              \
    }                                                                                              \
    COMMIT_##R(w, in->d[0], &t, m);                                                                \
    return true;                                                                                   \
  }
#define T3(op, type, R, A, B, C, value)                                                            \
  case I_##op##_##type: {                                                                          \
    const void *pa = S(0), *pb = S(1), *pc = S(2);                                                 \
    buf_t t;                                                                                       \
    LANES {                                                                                        \
      A a = AT_##A(pa, l);                                                                         \
      B b = AT_##B(pb, l);                                                                         \
      C c = AT_##C(pc, l);                                                                         \
      PUT_##R(value);                                                                              \
    }                                                                                              \
    COMMIT_##R(w, in->d[0], &t, m);                                                                \
    return true;                                                                                   \
  }
#include "ptx/elem.def"
#undef U1
#undef B2
#undef T3
  case I_NOP:
  case I_FENCE:
  case I_WARPSYNC: return true;
  case I_MOV32:
  case I_MOV64:
  case I_ADDIMM64: return move(x, w, in, m), true;
  case I_MOVP:
    return commit_pred(w, in->d[0], in->s[0] == OPERAND_NONE ? (u32)in->imm : pred_at(w, in->s[0]),
                       m),
           true;
  case I_SREG: return read_sreg(x, w, in, m), true;
  case I_PACK: return pack_lanes(x, w, in, m), true;
  case I_UNPACK: return unpack_lanes(x, w, in, m), true;
  case I_FRAMEADDR: return frame_address(w, in, m), true;
  case I_SETP: return set_predicate(x, w, in, m), true;
  case I_SET: return set_value(x, w, in, m), true;
  case I_SELP32:
  case I_SELP64:
  case I_SLCT32:
  case I_SLCT64: return select_lanes(x, w, in, m), true;
  case I_PLOGIC: return predicate_logic(w, in, m), true;
  case I_BFI32:
  case I_BFI64: return bit_insert(x, w, in, m), true;
  case I_TESTP: return test_property(x, w, in, m), true;
  case I_CARRY: return carry_op(x, w, in, m), true;
  case I_MADCARRY: return mad_carry_op(x, w, in, m), true;
  case I_CVT_II: return convert_ii(x, w, in, m), true;
  case I_CVT_IF: return convert_if(x, w, in, m), true;
  case I_CVT_FI: return convert_fi(x, w, in, m), true;
  case I_CVT_FF: return convert_ff(x, w, in, m), true;
  case I_CVT_H2: return convert_h2(x, w, in, m), true;
  case I_CVT_PACK: return convert_pack(x, w, in, m), true;
  case I_ISSPACEP: return is_space(x, w, in, m), true;
  case I_FADD32:
  case I_FSUB32:
  case I_FMUL32:
  case I_FMA32:
  case I_FDIV32:
  case I_FRCP32:
  case I_FSQRT32:
  case I_FMIN32:
  case I_FMAX32:
  case I_FABS32:
  case I_FNEG32: return float32(x, w, in, m), true;
  case I_FADD64:
  case I_FSUB64:
  case I_FMUL64:
  case I_FMA64:
  case I_FDIV64:
  case I_FRCP64:
  case I_FSQRT64:
  case I_FMIN64:
  case I_FMAX64:
  case I_FABS64:
  case I_FNEG64: return float64(x, w, in, m), true;
  case I_FSOFT: return float_soft(x, w, in, m), true;
  case I_HALF: return half(x, w, in, m), true;
  case I_APPROX32: return approx32(x, w, in, m), true;
  case I_APPROX64: return approx64(x, w, in, m), true;
  case I_LD_GLOBAL:
  case I_LD_SHARED:
  case I_LD_LOCAL:
  case I_LD_GENERIC:
  case I_LD_KPARAM:
  case I_LD_PARAM: return load(x, w, in, m);
  case I_ST_GLOBAL:
  case I_ST_SHARED:
  case I_ST_LOCAL:
  case I_ST_GENERIC:
  case I_ST_PARAM: return store(x, w, in, m);
  case I_ATOM: return atomic(x, w, in, m);
  case I_TEX:
  case I_TLD4: return sample(x, w, in, m);
  case I_SULD:
  case I_SUST: return surface_access(x, w, in, m);
  case I_SHFL: return shuffle(x, w, in, m), true;
  case I_VOTE: return each_group(x, w, in, m, vote), true;
  case I_MATCH: return each_group(x, w, in, m, match_lanes), true;
  case I_REDUX: return each_group(x, w, in, m, reduce), true;
  case I_ACTIVEMASK: return active_mask(w, in, m), true;
  case I_MMA:
  case I_WMMA_LD:
  case I_WMMA_ST:
  case I_LDMATRIX:
  case I_STMATRIX:
  case I_MOVMATRIX: return matrix_execute(x, w, in, m);
  case I_CPASYNC: return async_copy(x, w, in, m);
  case I_MBARRIER: return async_barrier(x, w, in, m);
  case I_VIDEO: return video_execute(x, w, in, m), true;
  default: return fault_simple(x, w, m, PTX_FAULT_TRAP, "internal: operation %u", in->op);
  }
}

/* --- control flow --- */

static void backward(pexec_t *x, pwarp_t *w) {
  if (++w->loops >= LOOSEN_TURN) warp_loosen(x, w);
  if (++w->spins >= SPLIT_TURN && w->splits) warp_rotate(x, w);
}

static bool branch(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  if (m && m != w->mask) return warp_branch(x, w, m, in->target, in->rpc);
  bool back = m && in->target <= w->pc && w->mask != w->live;
  w->pc = m ? in->target : w->pc + 1;
  if (w->pc == w->rpc)
    warp_arrive(x, w);
  else if (back)
    backward(x, w);
  return true;
}

static bool branch_indexed(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  const u32 *list = w->code->targets[in->imm];
  const void *p = S(0);
  u32 target[WARP_LANES];
  LANES {
    u32 i = AT_u32(p, l);
    target[l] = i < list[0] ? list[1 + i] : w->pc + 1; /* out of range: undefined; fall through */
  }
  return warp_branch_many(x, w, target, m, in->rpc);
}

static bool call(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  if (in->op == I_CALLI) {
    u64 target[WARP_LANES];
    memcpy(target, S(0), sizeof target);
    return warp_call_indirect(x, w, m, in, target);
  }
  const pcall_t *c = &w->code->call[in->imm];
  return warp_call(x, w, m, c->func, c, m != w->mask);
}

static bool control(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 m) {
  if (in->op == I_BRA) return branch(x, w, in, m);
  if (m == 0) {
    w->pc++;
    if (w->pc == w->rpc) warp_arrive(x, w);
    return true;
  }
  switch (in->op) {
  case I_BRX: return branch_indexed(x, w, in, m);
  case I_CALL:
  case I_CALLI: return call(x, w, in, m);
  case I_RET: warp_return(x, w, m); return true;
  case I_EXIT: warp_exit(x, w, m); return true;
  case I_BAR: warp_barrier(x, w, in, m); return true;
  default: return fault_simple(x, w, m, PTX_FAULT_TRAP, "trap");
  }
}

/* Shuffles, votes and their like run for all lanes that wait at the same place. */
static bool warp_wide(pexec_t *x, pwarp_t *w, const dinst_t *in, u32 guard) {
  u32 m = (w->mask | warp_gather(w, w->pc)) & guard;
  x->op_mask = m;
  if (m) {
    if (in->flags & DI_FIX) fix_operands(x, w, in);
    if (!execute(x, w, in, m)) return false;
  }
  warp_release(w, w->pc);
  return true;
}

exec_result_t EXEC_NAME(pexec_t *x, pwarp_t *w, uint32_t budget) {
  while (w->active) {
    const dinst_t *in = &w->code->inst[w->pc];
    u32 guard = FULL_MASK;
    if (in->guard != OPERAND_NONE) {
      guard = pred_at(w, in->guard);
      if (in->flags & DI_GUARD_NEG) guard = ~guard;
    }
    if (w->splits && warp_must_park(x, w, in)) {
      warp_park(x, w);
      continue;
    }
    u32 m = w->mask & guard;
    bool ok = true;
    x->op_mask = m;
    x->stats.thread_insts += (u64)__builtin_popcount(w->mask);
    x->stats.warp_insts++;
    if (in->op >= I_BRA && in->op <= I_BAR) {
      ok = control(x, w, in, m);
    } else {
      if (w->splits && ((in->op >= I_SHFL && in->op <= I_MOVMATRIX && in->op != I_ACTIVEMASK) ||
                        in->op == I_WARPSYNC)) {
        ok = warp_wide(x, w, in, guard);
      } else if (m) {
        if (in->flags & DI_FIX) fix_operands(x, w, in);
        ok = execute(x, w, in, m);
      }
      w->pc++;
      if (w->pc == w->rpc) warp_arrive(x, w);
    }
#ifdef PTX_CHECK
    if (!warp_check(w))
      return fault_simple(x, w, w->mask, PTX_FAULT_TRAP,
                          "internal: lanes are lost after operation %u", in->op),
             EXEC_FAULT;
#endif
    if (!ok) return EXEC_FAULT;
    if (--budget == 0) return w->active ? EXEC_BUDGET : w->splits ? EXEC_BLOCKED : EXEC_DONE;
    if (in->flags & DI_YIELD) return w->active ? EXEC_YIELD : w->splits ? EXEC_BLOCKED : EXEC_DONE;
  }
  return w->splits ? EXEC_BLOCKED : EXEC_DONE;
}
