#ifndef GMMU_CUDA_CUDA_FP16_H
#define GMMU_CUDA_CUDA_FP16_H
/* half and half2. On the device each operation is one instruction; on the host it is done in float
 * and rounded, which gives the same value: a float holds sums and products of halves well enough.
 */
#include "cuda_runtime.h"
#ifdef __cplusplus

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

/* ---- conversions ----------------------------------------------------------------------------- */
static inline unsigned short gmmu_half_bits_host(float f) {
  unsigned int u, sign, m;
  memcpy(&u, &f, 4);
  sign = (u >> 16) & 0x8000u;
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return 0x7fff;
  if (u >= 0x47800000u) return (unsigned short)(sign | 0x7c00u);
  unsigned int shift = 13, exponent = u >> 23;
  if (exponent < 113) { /* subnormal: fewer bits of the mantissa are left */
    if (exponent < 102) return (unsigned short)sign;
    shift += 113 - exponent;
    m = (u & 0x7fffffu) | 0x800000u;
  } else {
    m = u - (112u << 23);
  }
  unsigned int rest = m & ((1u << shift) - 1), half = 1u << (shift - 1), r = m >> shift;
  if (rest > half || (rest == half && (r & 1))) r++;
  return (unsigned short)(sign | r);
}
static inline float gmmu_half_value_host(unsigned short h) {
  unsigned int sign = (unsigned int)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, u;
  float f;
  if (e == 31)
    u = sign | 0x7f800000u | (m << 13);
  else if (e)
    u = sign | ((e + 112) << 23) | (m << 13);
  else {
    f = (float)m * 5.9604644775390625e-8f; /* 2^-24 */
    memcpy(&u, &f, 4);
    u |= sign;
  }
  memcpy(&f, &u, 4);
  return f;
}
#if defined __CUDA_ARCH__
#define GMMU_HALF static __inline__ __attribute__((device, host, always_inline))
GMMU_HALF unsigned short gmmu_half_bits(float f) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
GMMU_HALF float gmmu_half_value(unsigned short h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
#else
#if defined __CUDA__
#define GMMU_HALF static __inline__ __attribute__((device, host, always_inline))
#else
#define GMMU_HALF static inline
#endif
GMMU_HALF unsigned short gmmu_half_bits(float f) { return gmmu_half_bits_host(f); }
GMMU_HALF float gmmu_half_value(unsigned short h) { return gmmu_half_value_host(h); }
#endif

struct __attribute__((aligned(2))) __half {
  unsigned short bits;
  __half() = default;
  __host__ __device__ __half(const __half_raw &r) : bits(r.x) {}
  __host__ __device__ __half(float f) : bits(gmmu_half_bits(f)) {}
  __host__ __device__ __half(double d) : bits(gmmu_half_bits((float)d)) {}
  __host__ __device__ __half(int i) : bits(gmmu_half_bits((float)i)) {}
  __host__ __device__ __half(unsigned int i) : bits(gmmu_half_bits((float)i)) {}
  __host__ __device__ operator float() const { return gmmu_half_value(bits); }
  __host__ __device__ operator __half_raw() const {
    __half_raw r = {bits};
    return r;
  }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
typedef __half2 half2;

GMMU_HALF half gmmu_as_half(unsigned short bits) {
  half h;
  h.bits = bits;
  return h;
}
GMMU_HALF unsigned int gmmu_half2_word(half2 v) { return v.x.bits | (unsigned int)v.y.bits << 16; }
GMMU_HALF half2 gmmu_as_half2(unsigned int w) {
  return half2(gmmu_as_half((unsigned short)w), gmmu_as_half((unsigned short)(w >> 16)));
}

GMMU_HALF half __float2half(float f) { return gmmu_as_half(gmmu_half_bits(f)); }
GMMU_HALF half __float2half_rn(float f) { return __float2half(f); }
GMMU_HALF half __double2half(double d) { return __float2half((float)d); }
GMMU_HALF float __half2float(half h) { return gmmu_half_value(h.bits); }
GMMU_HALF half2 __floats2half2_rn(float a, float b) {
  return half2(__float2half(a), __float2half(b));
}
GMMU_HALF half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
GMMU_HALF half2 __float2half2_rn(float f) { return __floats2half2_rn(f, f); }
GMMU_HALF half2 __half2half2(half h) { return half2(h, h); }
GMMU_HALF half2 __halves2half2(half a, half b) { return half2(a, b); }
GMMU_HALF half2 make_half2(half a, half b) { return half2(a, b); }
GMMU_HALF half __low2half(half2 v) { return v.x; }
GMMU_HALF half __high2half(half2 v) { return v.y; }
GMMU_HALF float __low2float(half2 v) { return __half2float(v.x); }
GMMU_HALF float __high2float(half2 v) { return __half2float(v.y); }
GMMU_HALF float2 __half22float2(half2 v) { return make_float2(__low2float(v), __high2float(v)); }
GMMU_HALF half2 __lowhigh2highlow(half2 v) { return half2(v.y, v.x); }
GMMU_HALF half __ushort_as_half(unsigned short u) { return gmmu_as_half(u); }
GMMU_HALF half __short_as_half(short u) { return gmmu_as_half((unsigned short)u); }
GMMU_HALF unsigned short __half_as_ushort(half h) { return h.bits; }
GMMU_HALF short __half_as_short(half h) { return (short)h.bits; }
GMMU_HALF half __int2half_rn(int i) { return __float2half((float)i); }
GMMU_HALF half __uint2half_rn(unsigned int i) { return __float2half((float)i); }
GMMU_HALF int __half2int_rz(half h) { return (int)__half2float(h); }
GMMU_HALF int __half2int_rn(half h) { return (int)__builtin_rintf(__half2float(h)); }
GMMU_HALF unsigned int __half2uint_rz(half h) { return (unsigned int)__half2float(h); }

/* ---- arithmetic ------------------------------------------------------------------------------ */
#if defined __CUDA_ARCH__
#define GMMU_HALF_OP2(name, name2, op, expr)                                                       \
  GMMU_HALF half name(half a, half b) {                                                            \
    unsigned short d;                                                                              \
    asm(op ".f16 %0, %1, %2;" : "=h"(d) : "h"(a.bits), "h"(b.bits));                               \
    return gmmu_as_half(d);                                                                        \
  }                                                                                                \
  GMMU_HALF half2 name2(half2 a, half2 b) {                                                        \
    unsigned int d;                                                                                \
    asm(op ".f16x2 %0, %1, %2;" : "=r"(d) : "r"(gmmu_half2_word(a)), "r"(gmmu_half2_word(b)));     \
    return gmmu_as_half2(d);                                                                       \
  }
GMMU_HALF half __hfma(half a, half b, half c) {
  unsigned short d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return gmmu_as_half(d);
}
GMMU_HALF half2 __hfma2(half2 a, half2 b, half2 c) {
  unsigned int d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(d)
      : "r"(gmmu_half2_word(a)), "r"(gmmu_half2_word(b)), "r"(gmmu_half2_word(c)));
  return gmmu_as_half2(d);
}
#else
#define GMMU_HALF_OP2(name, name2, op, expr)                                                       \
  GMMU_HALF half name(half p, half q) {                                                            \
    float a = __half2float(p), b = __half2float(q);                                                \
    return __float2half(expr);                                                                     \
  }                                                                                                \
  GMMU_HALF half2 name2(half2 a, half2 b) { return half2(name(a.x, b.x), name(a.y, b.y)); }
GMMU_HALF half __hfma(half a, half b, half c) { /* the double sum is exact or rounds the same way */
  return __float2half((float)((double)__half2float(a) * __half2float(b) + __half2float(c)));
}
GMMU_HALF half2 __hfma2(half2 a, half2 b, half2 c) {
  return half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#endif
GMMU_HALF_OP2(__hadd, __hadd2, "add.rn", a + b)
GMMU_HALF_OP2(__hsub, __hsub2, "sub.rn", a - b)
GMMU_HALF_OP2(__hmul, __hmul2, "mul.rn", a *b)
#undef GMMU_HALF_OP2
GMMU_HALF half __hdiv(half a, half b) { return __float2half(__half2float(a) / __half2float(b)); }
GMMU_HALF half2 __h2div(half2 a, half2 b) { return half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
GMMU_HALF half __hneg(half a) { return gmmu_as_half(a.bits ^ 0x8000); }
GMMU_HALF half2 __hneg2(half2 a) { return half2(__hneg(a.x), __hneg(a.y)); }
GMMU_HALF half __habs(half a) { return gmmu_as_half(a.bits & 0x7fff); }
GMMU_HALF half2 __habs2(half2 a) { return half2(__habs(a.x), __habs(a.y)); }
GMMU_HALF bool __hisnan(half a) { return (a.bits & 0x7fff) > 0x7c00; }
GMMU_HALF int __hisinf(half a) {
  return (a.bits & 0x7fff) != 0x7c00 ? 0 : a.bits & 0x8000 ? -1 : 1;
}
GMMU_HALF half __hmax(half a, half b) {
  return __hisnan(a) || __half2float(b) > __half2float(a) ? b : a;
}
GMMU_HALF half __hmin(half a, half b) {
  return __hisnan(a) || __half2float(b) < __half2float(a) ? b : a;
}
GMMU_HALF half2 __hmax2(half2 a, half2 b) { return half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
GMMU_HALF half2 __hmin2(half2 a, half2 b) { return half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

/* ---- comparisons ----------------------------------------------------------------------------- */
#define GMMU_HALF_CMP(name, op)                                                                    \
  GMMU_HALF bool __h##name(half a, half b) { return __half2float(a) op __half2float(b); }          \
  GMMU_HALF bool __hb##name##2(half2 a, half2 b) {                                                 \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                             \
  }                                                                                                \
  GMMU_HALF half2 __h##name##2(half2 a, half2 b) {                                                 \
    return __floats2half2_rn(__h##name(a.x, b.x), __h##name(a.y, b.y));                            \
  }                                                                                                \
  GMMU_HALF bool operator op(const half &a, const half &b) { return __h##name(a, b); }
GMMU_HALF_CMP(eq, ==)
GMMU_HALF_CMP(ne, !=)
GMMU_HALF_CMP(lt, <)
GMMU_HALF_CMP(le, <=)
GMMU_HALF_CMP(gt, >)
GMMU_HALF_CMP(ge, >=)
#undef GMMU_HALF_CMP

/* ---- operators ------------------------------------------------------------------------------- */
#define GMMU_HALF_OPERATOR(op, name, name2)                                                        \
  GMMU_HALF half operator op(const half &a, const half &b) { return name(a, b); }                  \
  GMMU_HALF half2 operator op(const half2 &a, const half2 &b) { return name2(a, b); }              \
  GMMU_HALF half &operator op##=(half &a, const half &b) { return a = name(a, b); }                \
  GMMU_HALF half2 &operator op##=(half2 &a, const half2 &b) { return a = name2(a, b); }
GMMU_HALF_OPERATOR(+, __hadd, __hadd2)
GMMU_HALF_OPERATOR(-, __hsub, __hsub2)
GMMU_HALF_OPERATOR(*, __hmul, __hmul2)
GMMU_HALF_OPERATOR(/, __hdiv, __h2div)
#undef GMMU_HALF_OPERATOR
GMMU_HALF half operator-(const half &a) { return __hneg(a); }
GMMU_HALF half2 operator-(const half2 &a) { return __hneg2(a); }

/* ---- what only the device has ---------------------------------------------------------------- */
#if defined __CUDA__
#define GMMU_HALF_FN(name, call)                                                                   \
  GMMU_DEV half h##name(half a) { return __float2half(call(__half2float(a))); }                    \
  GMMU_DEV half2 h2##name(half2 a) { return half2(h##name(a.x), h##name(a.y)); }
GMMU_HALF_FN(exp, __expf)
GMMU_HALF_FN(log, __logf)
GMMU_HALF_FN(sin, __sinf)
GMMU_HALF_FN(cos, __cosf)
GMMU_HALF_FN(sqrt, __fsqrt_rn)
GMMU_HALF_FN(rsqrt, __frsqrt_rn)
GMMU_HALF_FN(rcp, __frcp_rn)
GMMU_HALF_FN(floor, __builtin_floorf)
GMMU_HALF_FN(ceil, __builtin_ceilf)
GMMU_HALF_FN(rint, __builtin_rintf)
#undef GMMU_HALF_FN
GMMU_DEV half __shfl_sync(unsigned int m, half v, int lane, int width = 32) {
  return gmmu_as_half((unsigned short)__shfl_sync(m, (unsigned int)v.bits, lane, width));
}
GMMU_DEV half __shfl_down_sync(unsigned int m, half v, unsigned int d, int width = 32) {
  return gmmu_as_half((unsigned short)__shfl_down_sync(m, (unsigned int)v.bits, d, width));
}
GMMU_DEV half __shfl_xor_sync(unsigned int m, half v, int d, int width = 32) {
  return gmmu_as_half((unsigned short)__shfl_xor_sync(m, (unsigned int)v.bits, d, width));
}
GMMU_DEV half2 __shfl_down_sync(unsigned int m, half2 v, unsigned int d, int width = 32) {
  return gmmu_as_half2(__shfl_down_sync(m, gmmu_half2_word(v), d, width));
}
GMMU_DEV half2 __shfl_xor_sync(unsigned int m, half2 v, int d, int width = 32) {
  return gmmu_as_half2(__shfl_xor_sync(m, gmmu_half2_word(v), d, width));
}
GMMU_DEV half __ldg(const half *p) { return gmmu_as_half(__ldg((const unsigned short *)p)); }
GMMU_DEV half2 __ldg(const half2 *p) { return gmmu_as_half2(__ldg((const unsigned int *)p)); }
GMMU_DEV half atomicAdd(half *p, half v) {
  unsigned short old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory");
  return gmmu_as_half(old);
}
GMMU_DEV half2 atomicAdd(half2 *p, half2 v) {
  unsigned int old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(p), "r"(gmmu_half2_word(v))
               : "memory");
  return gmmu_as_half2(old);
}
#endif
#endif
#endif
