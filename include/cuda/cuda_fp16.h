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
  unsigned int __u, __sign, __m;
  memcpy(&__u, &f, 4);
  __sign = (__u >> 16) & 0x8000u;
  __u &= 0x7fffffffu;
  if (__u > 0x7f800000u) return 0x7fff;
  if (__u >= 0x47800000u) return (unsigned short)(__sign | 0x7c00u);
  unsigned int __shift = 13, __exponent = __u >> 23;
  if (__exponent < 113) { /* subnormal: fewer bits of the mantissa are left */
    if (__exponent < 102) return (unsigned short)__sign;
    __shift += 113 - __exponent;
    __m = (__u & 0x7fffffu) | 0x800000u;
  } else {
    __m = __u - (112u << 23);
  }
  unsigned int __rest = __m & ((1u << __shift) - 1), half = 1u << (__shift - 1),
               __r = __m >> __shift;
  if (__rest > half || (__rest == half && (__r & 1))) __r++;
  return (unsigned short)(__sign | __r);
}
static inline float gmmu_half_value_host(unsigned short __h) {
  unsigned int __sign = (unsigned int)(__h & 0x8000) << 16, __e = (__h >> 10) & 31,
               __m = __h & 0x3ff, __u;
  float f;
  if (__e == 31)
    __u = __sign | 0x7f800000u | (__m << 13);
  else if (__e)
    __u = __sign | ((__e + 112) << 23) | (__m << 13);
  else {
    f = (float)__m * 5.9604644775390625e-8f; /* 2^-24 */
    memcpy(&__u, &f, 4);
    __u |= __sign;
  }
  memcpy(&f, &__u, 4);
  return f;
}
#if defined __CUDA_ARCH__
#define GMMU_HALF static __inline__ __device__ __host__ __attribute__((__always_inline__))
GMMU_HALF unsigned short gmmu_half_bits(float f) {
  unsigned short __h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__h) : "f"(f));
  return __h;
}
GMMU_HALF float gmmu_half_value(unsigned short __h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(__h));
  return f;
}
#else
#if defined __CUDA__
#define GMMU_HALF static __inline__ __device__ __host__ __attribute__((__always_inline__))
#else
#define GMMU_HALF static inline
#endif
GMMU_HALF unsigned short gmmu_half_bits(float f) { return gmmu_half_bits_host(f); }
GMMU_HALF float gmmu_half_value(unsigned short __h) { return gmmu_half_value_host(__h); }
#endif

struct __attribute__((__aligned__(2))) __half {
  unsigned short __bits;
  __half() = default;
  __host__ __device__ __half(const __half_raw &__r) : __bits(__r.x) {}
  __host__ __device__ __half(float f) : __bits(gmmu_half_bits(f)) {}
  __host__ __device__ __half(double __d) : __bits(gmmu_half_bits((float)__d)) {}
  __host__ __device__ __half(int __i) : __bits(gmmu_half_bits((float)__i)) {}
  __host__ __device__ __half(unsigned int __i) : __bits(gmmu_half_bits((float)__i)) {}
  __host__ __device__ operator float() const { return gmmu_half_value(__bits); }
  __host__ __device__ operator __half_raw() const {
    __half_raw __r = {__bits};
    return __r;
  }
};
typedef __half half;
struct __attribute__((__aligned__(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half &__a, const __half &__b) : x(__a), y(__b) {}
};
typedef __half2 half2;

GMMU_HALF half gmmu_as_half(unsigned short __bits) {
  half __h;
  __h.__bits = __bits;
  return __h;
}
GMMU_HALF unsigned int gmmu_half2_word(half2 __v) {
  return __v.x.__bits | (unsigned int)__v.y.__bits << 16;
}
GMMU_HALF half2 gmmu_as_half2(unsigned int w) {
  return half2(gmmu_as_half((unsigned short)w), gmmu_as_half((unsigned short)(w >> 16)));
}

GMMU_HALF half __float2half(float f) { return gmmu_as_half(gmmu_half_bits(f)); }
GMMU_HALF half __float2half_rn(float f) { return __float2half(f); }
GMMU_HALF half __double2half(double __d) { return __float2half((float)__d); }
GMMU_HALF float __half2float(half __h) { return gmmu_half_value(__h.__bits); }
GMMU_HALF half2 __floats2half2_rn(float __a, float __b) {
  return half2(__float2half(__a), __float2half(__b));
}
GMMU_HALF half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
GMMU_HALF half2 __float2half2_rn(float f) { return __floats2half2_rn(f, f); }
GMMU_HALF half2 __half2half2(half __h) { return half2(__h, __h); }
GMMU_HALF half2 __halves2half2(half __a, half __b) { return half2(__a, __b); }
GMMU_HALF half2 make_half2(half __a, half __b) { return half2(__a, __b); }
GMMU_HALF half __low2half(half2 __v) { return __v.x; }
GMMU_HALF half __high2half(half2 __v) { return __v.y; }
GMMU_HALF float __low2float(half2 __v) { return __half2float(__v.x); }
GMMU_HALF float __high2float(half2 __v) { return __half2float(__v.y); }
GMMU_HALF float2 __half22float2(half2 __v) {
  return make_float2(__low2float(__v), __high2float(__v));
}
GMMU_HALF half2 __lowhigh2highlow(half2 __v) { return half2(__v.y, __v.x); }
GMMU_HALF half __ushort_as_half(unsigned short __u) { return gmmu_as_half(__u); }
GMMU_HALF half __short_as_half(short __u) { return gmmu_as_half((unsigned short)__u); }
GMMU_HALF unsigned short __half_as_ushort(half __h) { return __h.__bits; }
GMMU_HALF short __half_as_short(half __h) { return (short)__h.__bits; }

/* ---- arithmetic ------------------------------------------------------------------------------ */
#if defined __CUDA_ARCH__
#define GMMU_HALF_OP2(name, name2, __op, expr)                                                     \
  GMMU_HALF half name(half __a, half __b) {                                                        \
    unsigned short __d;                                                                            \
    asm(__op ".f16 %0, %1, %2;" : "=h"(__d) : "h"(__a.__bits), "h"(__b.__bits));                   \
    return gmmu_as_half(__d);                                                                      \
  }                                                                                                \
  GMMU_HALF half2 name2(half2 __a, half2 __b) {                                                    \
    unsigned int __d;                                                                              \
    asm(__op ".f16x2 %0, %1, %2;"                                                                  \
        : "=r"(__d)                                                                                \
        : "r"(gmmu_half2_word(__a)), "r"(gmmu_half2_word(__b)));                                   \
    return gmmu_as_half2(__d);                                                                     \
  }
GMMU_HALF half __hfma(half __a, half __b, half __c) {
  unsigned short __d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(__d) : "h"(__a.__bits), "h"(__b.__bits), "h"(__c.__bits));
  return gmmu_as_half(__d);
}
GMMU_HALF half2 __hfma2(half2 __a, half2 __b, half2 __c) {
  unsigned int __d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(__d)
      : "r"(gmmu_half2_word(__a)), "r"(gmmu_half2_word(__b)), "r"(gmmu_half2_word(__c)));
  return gmmu_as_half2(__d);
}
#else
#define GMMU_HALF_OP2(name, name2, __op, expr)                                                     \
  GMMU_HALF half name(half __p, half __q) {                                                        \
    float __a = __half2float(__p), __b = __half2float(__q);                                        \
    return __float2half(expr);                                                                     \
  }                                                                                                \
  GMMU_HALF half2 name2(half2 __a, half2 __b) {                                                    \
    return half2(name(__a.x, __b.x), name(__a.y, __b.y));                                          \
  }
GMMU_HALF half __hfma(half __a, half __b,
                      half __c) { /* the double sum is exact or rounds the same way */
  return __float2half((float)((double)__half2float(__a) * __half2float(__b) + __half2float(__c)));
}
GMMU_HALF half2 __hfma2(half2 __a, half2 __b, half2 __c) {
  return half2(__hfma(__a.x, __b.x, __c.x), __hfma(__a.y, __b.y, __c.y));
}
#endif
GMMU_HALF_OP2(__hadd, __hadd2, "add.rn", __a + __b)
GMMU_HALF_OP2(__hsub, __hsub2, "sub.rn", __a - __b)
GMMU_HALF_OP2(__hmul, __hmul2, "mul.rn", __a *__b)
#undef GMMU_HALF_OP2
GMMU_HALF half __hdiv(half __a, half __b) {
  return __float2half(__half2float(__a) / __half2float(__b));
}
GMMU_HALF half2 __h2div(half2 __a, half2 __b) {
  return half2(__hdiv(__a.x, __b.x), __hdiv(__a.y, __b.y));
}
GMMU_HALF half __hneg(half __a) { return gmmu_as_half(__a.__bits ^ 0x8000); }
GMMU_HALF half2 __hneg2(half2 __a) { return half2(__hneg(__a.x), __hneg(__a.y)); }
GMMU_HALF half __habs(half __a) { return gmmu_as_half(__a.__bits & 0x7fff); }
GMMU_HALF half2 __habs2(half2 __a) { return half2(__habs(__a.x), __habs(__a.y)); }
GMMU_HALF bool __hisnan(half __a) { return (__a.__bits & 0x7fff) > 0x7c00; }
GMMU_HALF int __hisinf(half __a) {
  return (__a.__bits & 0x7fff) != 0x7c00 ? 0 : __a.__bits & 0x8000 ? -1 : 1;
}
GMMU_HALF half __hmax(half __a, half __b) {
  return __hisnan(__a) || __half2float(__b) > __half2float(__a) ? __b : __a;
}
GMMU_HALF half __hmin(half __a, half __b) {
  return __hisnan(__a) || __half2float(__b) < __half2float(__a) ? __b : __a;
}
GMMU_HALF half2 __hmax2(half2 __a, half2 __b) {
  return half2(__hmax(__a.x, __b.x), __hmax(__a.y, __b.y));
}
GMMU_HALF half2 __hmin2(half2 __a, half2 __b) {
  return half2(__hmin(__a.x, __b.x), __hmin(__a.y, __b.y));
}

/* ---- comparisons ----------------------------------------------------------------------------- */
#define GMMU_HALF_CMP(name, __op)                                                                  \
  GMMU_HALF bool __h##name(half __a, half __b) {                                                   \
    return __half2float(__a) __op __half2float(__b);                                               \
  }                                                                                                \
  GMMU_HALF bool __hb##name##2(half2 __a, half2 __b) {                                             \
    return __h##name(__a.x, __b.x) && __h##name(__a.y, __b.y);                                     \
  }                                                                                                \
  GMMU_HALF half2 __h##name##2(half2 __a, half2 __b) {                                             \
    return __floats2half2_rn(__h##name(__a.x, __b.x), __h##name(__a.y, __b.y));                    \
  }                                                                                                \
  GMMU_HALF bool operator __op(const half &__a, const half &__b) { return __h##name(__a, __b); }
GMMU_HALF_CMP(eq, ==)
GMMU_HALF_CMP(ne, !=)
GMMU_HALF_CMP(lt, <)
GMMU_HALF_CMP(le, <=)
GMMU_HALF_CMP(gt, >)
GMMU_HALF_CMP(ge, >=)
#undef GMMU_HALF_CMP

/* ---- operators ------------------------------------------------------------------------------- */
#define GMMU_HALF_OPERATOR(__op, name, name2)                                                      \
  GMMU_HALF half operator __op(const half &__a, const half &__b) { return name(__a, __b); }        \
  GMMU_HALF half2 operator __op(const half2 &__a, const half2 &__b) { return name2(__a, __b); }    \
  GMMU_HALF half &operator __op##=(half &__a, const half &__b) { return __a = name(__a, __b); }    \
  GMMU_HALF half2 &operator __op##=(half2 &__a, const half2 &__b) { return __a = name2(__a, __b); }
GMMU_HALF_OPERATOR(+, __hadd, __hadd2)
GMMU_HALF_OPERATOR(-, __hsub, __hsub2)
GMMU_HALF_OPERATOR(*, __hmul, __hmul2)
GMMU_HALF_OPERATOR(/, __hdiv, __h2div)
#undef GMMU_HALF_OPERATOR
GMMU_HALF half operator+(const half &__a) { return __a; }
GMMU_HALF half2 operator+(const half2 &__a) { return __a; }
#define GMMU_HALF_STEP(__step, __change, type, __one)                                              \
  GMMU_HALF type &operator __step(type &__a) { return __a __change __one; }                        \
  GMMU_HALF type operator __step(type &__a, int) {                                                 \
    type __was = __a;                                                                              \
    __a __change __one;                                                                            \
    return __was;                                                                                  \
  }
GMMU_HALF_STEP(++, +=, half, __float2half(1.0f))
GMMU_HALF_STEP(--, -=, half, __float2half(1.0f))
GMMU_HALF_STEP(++, +=, half2, half2(__float2half(1.0f), __float2half(1.0f)))
GMMU_HALF_STEP(--, -=, half2, half2(__float2half(1.0f), __float2half(1.0f)))
#undef GMMU_HALF_STEP

/* ---- what only the device has ---------------------------------------------------------------- */
#if defined __CUDA__
#define GMMU_HALF_FN(name, __call)                                                                 \
  GMMU_DEV half h##name(half __a) { return __float2half(__call(__half2float(__a))); }              \
  GMMU_DEV half2 h2##name(half2 __a) { return half2(h##name(__a.x), h##name(__a.y)); }
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
#define GMMU_HALF_SHFL(name, lane_t)                                                               \
  GMMU_DEV half name(unsigned int __m, const half &__v, lane_t __lane, int width = 32) {           \
    return gmmu_as_half((unsigned short)name(__m, (unsigned int)__v.__bits, __lane, width));       \
  }                                                                                                \
  GMMU_DEV half2 name(unsigned int __m, const half2 &__v, lane_t __lane, int width = 32) {         \
    return gmmu_as_half2(name(__m, gmmu_half2_word(__v), __lane, width));                          \
  }
GMMU_HALF_SHFL(__shfl_sync, int)
GMMU_HALF_SHFL(__shfl_up_sync, unsigned int)
GMMU_HALF_SHFL(__shfl_down_sync, unsigned int)
GMMU_HALF_SHFL(__shfl_xor_sync, int)
#undef GMMU_HALF_SHFL
GMMU_DEV half __ldg(const half *__p) { return gmmu_as_half(__ldg((const unsigned short *)__p)); }
GMMU_DEV half2 __ldg(const half2 *__p) { return gmmu_as_half2(__ldg((const unsigned int *)__p)); }
GMMU_DEV half atomicAdd(half *__p, half __v) {
  unsigned short __old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(__old)
               : "l"(__p), "h"(__v.__bits)
               : "memory");
  return gmmu_as_half(__old);
}
GMMU_DEV half2 atomicAdd(half2 *__p, half2 __v) {
  unsigned int __old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(__old)
               : "l"(__p), "r"(gmmu_half2_word(__v))
               : "memory");
  return gmmu_as_half2(__old);
}
#endif

#define GMMU_H            half
#define GMMU_H2           half2
#define GMMU_HF           GMMU_HALF
#define GMMU_HN(__a, __b) __a##half##__b
#define GMMU_HB(__bits)   gmmu_as_half(__bits)
#include "gmmu_halves.def"
#undef GMMU_H
#undef GMMU_H2
#undef GMMU_HF
#undef GMMU_HN
#undef GMMU_HB
#endif
#endif
