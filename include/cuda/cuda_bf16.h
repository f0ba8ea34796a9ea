#ifndef GMMU_CUDA_CUDA_BF16_H
#define GMMU_CUDA_CUDA_BF16_H
/* __nv_bfloat16 and pairs of them: the upper half of a float. On the device each operation is one
 * instruction; on the host it is done in float and rounded, which gives the same value. */
#include "cuda_runtime.h"
#ifdef __cplusplus

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

/* ---- conversions ----------------------------------------------------------------------------- */
static inline unsigned short gmmu_bf16_bits_host(float f) {
  unsigned int __u;
  memcpy(&__u, &f, 4);
  if ((__u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((__u + 0x7fffu + (__u >> 16 & 1)) >> 16);
}
static inline float gmmu_bf16_value_host(unsigned short __h) {
  unsigned int __u = (unsigned int)__h << 16;
  float f;
  memcpy(&f, &__u, 4);
  return f;
}
#if defined __CUDA__
#define GMMU_BF16 static __inline__ __device__ __host__ __attribute__((__always_inline__))
#else
#define GMMU_BF16 static inline
#endif
#if defined __CUDA_ARCH__
GMMU_BF16 unsigned short gmmu_bf16_bits(float f) {
  unsigned short __h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__h) : "f"(f));
  return __h;
}
GMMU_BF16 float gmmu_bf16_value(unsigned short __h) {
  return __uint_as_float((unsigned int)__h << 16);
}
#else
GMMU_BF16 unsigned short gmmu_bf16_bits(float f) { return gmmu_bf16_bits_host(f); }
GMMU_BF16 float gmmu_bf16_value(unsigned short __h) { return gmmu_bf16_value_host(__h); }
#endif

struct __attribute__((__aligned__(2))) __nv_bfloat16 {
  unsigned short __bits;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &__r) : __bits(__r.x) {}
  __host__ __device__ __nv_bfloat16(float f) : __bits(gmmu_bf16_bits(f)) {}
  __host__ __device__ __nv_bfloat16(double __d) : __bits(gmmu_bf16_bits((float)__d)) {}
  __host__ __device__ __nv_bfloat16(int __i) : __bits(gmmu_bf16_bits((float)__i)) {}
  __host__ __device__ __nv_bfloat16(unsigned int __i) : __bits(gmmu_bf16_bits((float)__i)) {}
  __host__ __device__ operator float() const { return gmmu_bf16_value(__bits); }
  __host__ __device__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw __r = {__bits};
    return __r;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __attribute__((__aligned__(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b)
      : x(__a), y(__b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

GMMU_BF16 __nv_bfloat16 gmmu_as_bf16(unsigned short __bits) {
  __nv_bfloat16 __h;
  __h.__bits = __bits;
  return __h;
}
GMMU_BF16 unsigned int gmmu_bf162_word(__nv_bfloat162 __v) {
  return __v.x.__bits | (unsigned int)__v.y.__bits << 16;
}
GMMU_BF16 __nv_bfloat162 gmmu_as_bf162(unsigned int w) {
  return __nv_bfloat162(gmmu_as_bf16((unsigned short)w), gmmu_as_bf16((unsigned short)(w >> 16)));
}

GMMU_BF16 __nv_bfloat16 __float2bfloat16(float f) { return gmmu_as_bf16(gmmu_bf16_bits(f)); }
GMMU_BF16 __nv_bfloat16 __float2bfloat16_rn(float f) { return __float2bfloat16(f); }
GMMU_BF16 __nv_bfloat16 __double2bfloat16(double __d) { return __float2bfloat16((float)__d); }
GMMU_BF16 float __bfloat162float(__nv_bfloat16 __h) { return gmmu_bf16_value(__h.__bits); }
GMMU_BF16 __nv_bfloat162 __floats2bfloat162_rn(float __a, float __b) {
  return __nv_bfloat162(__float2bfloat16(__a), __float2bfloat16(__b));
}
GMMU_BF16 __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
GMMU_BF16 __nv_bfloat162 __float2bfloat162_rn(float f) { return __floats2bfloat162_rn(f, f); }
GMMU_BF16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 __h) {
  return __nv_bfloat162(__h, __h);
}
GMMU_BF16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 __a, __nv_bfloat16 __b) {
  return __nv_bfloat162(__a, __b);
}
GMMU_BF16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 __a, __nv_bfloat16 __b) {
  return __nv_bfloat162(__a, __b);
}
GMMU_BF16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 __v) { return __v.x; }
GMMU_BF16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 __v) { return __v.y; }
GMMU_BF16 float __low2float(__nv_bfloat162 __v) { return __bfloat162float(__v.x); }
GMMU_BF16 float __high2float(__nv_bfloat162 __v) { return __bfloat162float(__v.y); }
GMMU_BF16 float2 __bfloat1622float2(__nv_bfloat162 __v) {
  return make_float2(__low2float(__v), __high2float(__v));
}
GMMU_BF16 __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 __v) {
  return __nv_bfloat162(__v.y, __v.x);
}
GMMU_BF16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short __u) { return gmmu_as_bf16(__u); }
GMMU_BF16 __nv_bfloat16 __short_as_bfloat16(short __u) { return gmmu_as_bf16((unsigned short)__u); }
GMMU_BF16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 __h) { return __h.__bits; }
GMMU_BF16 short __bfloat16_as_short(__nv_bfloat16 __h) { return (short)__h.__bits; }

/* ---- arithmetic ------------------------------------------------------------------------------ */
#if defined __CUDA_ARCH__
#define GMMU_BF16_OP2(name, name2, __op, expr)                                                     \
  GMMU_BF16 __nv_bfloat16 name(__nv_bfloat16 __a, __nv_bfloat16 __b) {                             \
    unsigned short __d;                                                                            \
    asm(__op ".bf16 %0, %1, %2;" : "=h"(__d) : "h"(__a.__bits), "h"(__b.__bits));                  \
    return gmmu_as_bf16(__d);                                                                      \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat162 name2(__nv_bfloat162 __a, __nv_bfloat162 __b) {                         \
    unsigned int __d;                                                                              \
    asm(__op ".bf16x2 %0, %1, %2;"                                                                 \
        : "=r"(__d)                                                                                \
        : "r"(gmmu_bf162_word(__a)), "r"(gmmu_bf162_word(__b)));                                   \
    return gmmu_as_bf162(__d);                                                                     \
  }
GMMU_BF16 __nv_bfloat16 __hfma(__nv_bfloat16 __a, __nv_bfloat16 __b, __nv_bfloat16 __c) {
  unsigned short __d;
  asm("fma.rn.bf16 %0, %1, %2, %3;"
      : "=h"(__d)
      : "h"(__a.__bits), "h"(__b.__bits), "h"(__c.__bits));
  return gmmu_as_bf16(__d);
}
GMMU_BF16 __nv_bfloat162 __hfma2(__nv_bfloat162 __a, __nv_bfloat162 __b, __nv_bfloat162 __c) {
  unsigned int __d;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(__d)
      : "r"(gmmu_bf162_word(__a)), "r"(gmmu_bf162_word(__b)), "r"(gmmu_bf162_word(__c)));
  return gmmu_as_bf162(__d);
}
#else
#define GMMU_BF16_OP2(name, name2, __op, expr)                                                     \
  GMMU_BF16 __nv_bfloat16 name(__nv_bfloat16 __p, __nv_bfloat16 __q) {                             \
    float __a = __bfloat162float(__p), __b = __bfloat162float(__q);                                \
    return __float2bfloat16(expr);                                                                 \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat162 name2(__nv_bfloat162 __a, __nv_bfloat162 __b) {                         \
    return __nv_bfloat162(name(__a.x, __b.x), name(__a.y, __b.y));                                 \
  }
GMMU_BF16 __nv_bfloat16 __hfma(__nv_bfloat16 __a, __nv_bfloat16 __b,
                               __nv_bfloat16 __c) { /* exact, or it rounds the same way */
  return __float2bfloat16(
      (float)((double)__bfloat162float(__a) * __bfloat162float(__b) + __bfloat162float(__c)));
}
GMMU_BF16 __nv_bfloat162 __hfma2(__nv_bfloat162 __a, __nv_bfloat162 __b, __nv_bfloat162 __c) {
  return __nv_bfloat162(__hfma(__a.x, __b.x, __c.x), __hfma(__a.y, __b.y, __c.y));
}
#endif
GMMU_BF16_OP2(__hadd, __hadd2, "add.rn", __a + __b)
GMMU_BF16_OP2(__hsub, __hsub2, "sub.rn", __a - __b)
GMMU_BF16_OP2(__hmul, __hmul2, "mul.rn", __a *__b)
#undef GMMU_BF16_OP2
GMMU_BF16 __nv_bfloat16 __hdiv(__nv_bfloat16 __a, __nv_bfloat16 __b) {
  return __float2bfloat16(__bfloat162float(__a) / __bfloat162float(__b));
}
GMMU_BF16 __nv_bfloat162 __h2div(__nv_bfloat162 __a, __nv_bfloat162 __b) {
  return __nv_bfloat162(__hdiv(__a.x, __b.x), __hdiv(__a.y, __b.y));
}
GMMU_BF16 __nv_bfloat16 __hneg(__nv_bfloat16 __a) { return gmmu_as_bf16(__a.__bits ^ 0x8000); }
GMMU_BF16 __nv_bfloat162 __hneg2(__nv_bfloat162 __a) {
  return __nv_bfloat162(__hneg(__a.x), __hneg(__a.y));
}
GMMU_BF16 __nv_bfloat16 __habs(__nv_bfloat16 __a) { return gmmu_as_bf16(__a.__bits & 0x7fff); }
GMMU_BF16 __nv_bfloat162 __habs2(__nv_bfloat162 __a) {
  return __nv_bfloat162(__habs(__a.x), __habs(__a.y));
}
GMMU_BF16 bool __hisnan(__nv_bfloat16 __a) { return (__a.__bits & 0x7fff) > 0x7f80; }
GMMU_BF16 int __hisinf(__nv_bfloat16 __a) {
  return (__a.__bits & 0x7fff) != 0x7f80 ? 0 : __a.__bits & 0x8000 ? -1 : 1;
}
GMMU_BF16 __nv_bfloat16 __hmax(__nv_bfloat16 __a, __nv_bfloat16 __b) {
  return __hisnan(__a) || __bfloat162float(__b) > __bfloat162float(__a) ? __b : __a;
}
GMMU_BF16 __nv_bfloat16 __hmin(__nv_bfloat16 __a, __nv_bfloat16 __b) {
  return __hisnan(__a) || __bfloat162float(__b) < __bfloat162float(__a) ? __b : __a;
}
GMMU_BF16 __nv_bfloat162 __hmax2(__nv_bfloat162 __a, __nv_bfloat162 __b) {
  return __nv_bfloat162(__hmax(__a.x, __b.x), __hmax(__a.y, __b.y));
}
GMMU_BF16 __nv_bfloat162 __hmin2(__nv_bfloat162 __a, __nv_bfloat162 __b) {
  return __nv_bfloat162(__hmin(__a.x, __b.x), __hmin(__a.y, __b.y));
}

/* ---- comparisons ----------------------------------------------------------------------------- */
#define GMMU_BF16_CMP(name, __op)                                                                  \
  GMMU_BF16 bool __h##name(__nv_bfloat16 __a, __nv_bfloat16 __b) {                                 \
    return __bfloat162float(__a) __op __bfloat162float(__b);                                       \
  }                                                                                                \
  GMMU_BF16 bool __hb##name##2(__nv_bfloat162 __a, __nv_bfloat162 __b) {                           \
    return __h##name(__a.x, __b.x) && __h##name(__a.y, __b.y);                                     \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat162 __h##name##2(__nv_bfloat162 __a, __nv_bfloat162 __b) {                  \
    return __floats2bfloat162_rn(__h##name(__a.x, __b.x), __h##name(__a.y, __b.y));                \
  }                                                                                                \
  GMMU_BF16 bool operator __op(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b) {               \
    return __h##name(__a, __b);                                                                    \
  }
GMMU_BF16_CMP(eq, ==)
GMMU_BF16_CMP(ne, !=)
GMMU_BF16_CMP(lt, <)
GMMU_BF16_CMP(le, <=)
GMMU_BF16_CMP(gt, >)
GMMU_BF16_CMP(ge, >=)
#undef GMMU_BF16_CMP

/* ---- operators ------------------------------------------------------------------------------- */
#define GMMU_BF16_OPERATOR(__op, name, name2)                                                      \
  GMMU_BF16 __nv_bfloat16 operator __op(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b) {      \
    return name(__a, __b);                                                                         \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat162 operator __op(const __nv_bfloat162 &__a, const __nv_bfloat162 &__b) {   \
    return name2(__a, __b);                                                                        \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat16 &operator __op##=(__nv_bfloat16 &__a, const __nv_bfloat16 &__b) {        \
    return __a = name(__a, __b);                                                                   \
  }                                                                                                \
  GMMU_BF16 __nv_bfloat162 &operator __op##=(__nv_bfloat162 &__a, const __nv_bfloat162 &__b) {     \
    return __a = name2(__a, __b);                                                                  \
  }
GMMU_BF16_OPERATOR(+, __hadd, __hadd2)
GMMU_BF16_OPERATOR(-, __hsub, __hsub2)
GMMU_BF16_OPERATOR(*, __hmul, __hmul2)
GMMU_BF16_OPERATOR(/, __hdiv, __h2div)
#undef GMMU_BF16_OPERATOR
GMMU_BF16 __nv_bfloat16 operator-(const __nv_bfloat16 &__a) { return __hneg(__a); }
GMMU_BF16 __nv_bfloat162 operator-(const __nv_bfloat162 &__a) { return __hneg2(__a); }
GMMU_BF16 __nv_bfloat16 operator+(const __nv_bfloat16 &__a) { return __a; }
GMMU_BF16 __nv_bfloat162 operator+(const __nv_bfloat162 &__a) { return __a; }
#define GMMU_BF16_STEP(__step, __change, type, __one)                                              \
  GMMU_BF16 type &operator __step(type &__a) { return __a __change __one; }                        \
  GMMU_BF16 type operator __step(type &__a, int) {                                                 \
    type __was = __a;                                                                              \
    __a __change __one;                                                                            \
    return __was;                                                                                  \
  }
GMMU_BF16_STEP(++, +=, __nv_bfloat16, __float2bfloat16(1.0f))
GMMU_BF16_STEP(--, -=, __nv_bfloat16, __float2bfloat16(1.0f))
GMMU_BF16_STEP(++, +=, __nv_bfloat162,
               __nv_bfloat162(__float2bfloat16(1.0f), __float2bfloat16(1.0f)))
GMMU_BF16_STEP(--, -=, __nv_bfloat162,
               __nv_bfloat162(__float2bfloat16(1.0f), __float2bfloat16(1.0f)))
#undef GMMU_BF16_STEP

/* ---- what only the device has ---------------------------------------------------------------- */
#if defined __CUDA__
#define GMMU_BF16_FN(name, __call)                                                                 \
  GMMU_DEV __nv_bfloat16 h##name(__nv_bfloat16 __a) {                                              \
    return __float2bfloat16(__call(__bfloat162float(__a)));                                        \
  }                                                                                                \
  GMMU_DEV __nv_bfloat162 h2##name(__nv_bfloat162 __a) {                                           \
    return __nv_bfloat162(h##name(__a.x), h##name(__a.y));                                         \
  }
GMMU_BF16_FN(exp, __expf)
GMMU_BF16_FN(log, __logf)
GMMU_BF16_FN(sin, __sinf)
GMMU_BF16_FN(cos, __cosf)
GMMU_BF16_FN(sqrt, __fsqrt_rn)
GMMU_BF16_FN(rsqrt, __frsqrt_rn)
GMMU_BF16_FN(rcp, __frcp_rn)
GMMU_BF16_FN(floor, __builtin_floorf)
GMMU_BF16_FN(ceil, __builtin_ceilf)
GMMU_BF16_FN(rint, __builtin_rintf)
#undef GMMU_BF16_FN
#define GMMU_BF16_SHFL(name, lane_t)                                                               \
  GMMU_DEV __nv_bfloat16 name(unsigned int __m, const __nv_bfloat16 &__v, lane_t __lane,           \
                              int width = 32) {                                                    \
    return gmmu_as_bf16((unsigned short)name(__m, (unsigned int)__v.__bits, __lane, width));       \
  }                                                                                                \
  GMMU_DEV __nv_bfloat162 name(unsigned int __m, const __nv_bfloat162 &__v, lane_t __lane,         \
                               int width = 32) {                                                   \
    return gmmu_as_bf162(name(__m, gmmu_bf162_word(__v), __lane, width));                          \
  }
GMMU_BF16_SHFL(__shfl_sync, int)
GMMU_BF16_SHFL(__shfl_up_sync, unsigned int)
GMMU_BF16_SHFL(__shfl_down_sync, unsigned int)
GMMU_BF16_SHFL(__shfl_xor_sync, int)
#undef GMMU_BF16_SHFL
GMMU_DEV __nv_bfloat16 __ldg(const __nv_bfloat16 *__p) {
  return gmmu_as_bf16(__ldg((const unsigned short *)__p));
}
GMMU_DEV __nv_bfloat162 __ldg(const __nv_bfloat162 *__p) {
  return gmmu_as_bf162(__ldg((const unsigned int *)__p));
}
GMMU_DEV __nv_bfloat16 atomicAdd(__nv_bfloat16 *__p, __nv_bfloat16 __v) {
  unsigned short __old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;"
               : "=h"(__old)
               : "l"(__p), "h"(__v.__bits)
               : "memory");
  return gmmu_as_bf16(__old);
}
GMMU_DEV __nv_bfloat162 atomicAdd(__nv_bfloat162 *__p, __nv_bfloat162 __v) {
  unsigned int __old;
  asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
               : "=r"(__old)
               : "l"(__p), "r"(gmmu_bf162_word(__v))
               : "memory");
  return gmmu_as_bf162(__old);
}
#endif

#define GMMU_H            __nv_bfloat16
#define GMMU_H2           __nv_bfloat162
#define GMMU_HF           GMMU_BF16
#define GMMU_HN(__a, __b) __a##bfloat16##__b
#define GMMU_HB(__bits)   gmmu_as_bf16(__bits)
#include "gmmu_halves.def"
#undef GMMU_H
#undef GMMU_H2
#undef GMMU_HF
#undef GMMU_HN
#undef GMMU_HB
#endif
#endif
