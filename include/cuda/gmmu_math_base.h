/*
 * What the device's math functions are written in: bit patterns, fma, and products that are never
 * fused.
 *
 * The same text compiles for the device (clang, PTX) and, for the tests, for the host; both give
 * the same bits. A host build needs -ffp-contract=off.
 */
#ifndef GMMU_MATH_BASE_H
#define GMMU_MATH_BASE_H

#ifndef __cplusplus
#include <stdbool.h>
#endif
#include <stdint.h>

#if defined(__CUDA__)
#define GM_FN   static __host__ __device__ __forceinline__
#define GM_SLOW static __host__ __device__ __noinline__ __attribute__((__unused__))
#else
#define GM_FN   static inline
#define GM_SLOW static inline
#endif

#if defined(__CUDA_ARCH__)
/* in assembler, because clang makes an ordinary product of __nvvm_mul_rn_f and then fuses it */
GM_FN float gm_mul_f(float __a, float __b) {
  float __r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(__r) : "f"(__a), "f"(__b));
  return __r;
}

GM_FN double gm_mul(double __a, double __b) {
  double __r;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(__r) : "d"(__a), "d"(__b));
  return __r;
}
#else
#define gm_mul_f(__a, __b) ((float)((__a) * (__b)))
#define gm_mul(__a, __b)   ((double)((__a) * (__b)))
#endif

__extension__ typedef unsigned __int128 gm_u128;

#define GM_CONST const
#define GM_INF_F (__builtin_inff())
#define GM_NAN_F (__builtin_nanf(""))
#define GM_INF   (__builtin_inf())
#define GM_NAN   (__builtin_nan(""))

#define gm_fma_f      __builtin_fmaf
#define gm_fma        __builtin_fma
#define gm_sqrt_f     __builtin_sqrtf
#define gm_sqrt       __builtin_sqrt
#define gm_abs_f      __builtin_fabsf
#define gm_abs        __builtin_fabs
#define gm_copysign_f __builtin_copysignf
#define gm_copysign   __builtin_copysign
#define gm_trunc_f    __builtin_truncf
#define gm_trunc      __builtin_trunc
#define gm_rint_f     __builtin_rintf
#define gm_rint       __builtin_rint
#define gm_clz        __builtin_clz
#define gm_clzll      __builtin_clzll

GM_FN uint32_t gm_bits_f(float x) {
  union {
    float f;
    uint32_t __u;
  } __v = {.f = x};
  return __v.__u;
}

GM_FN float gm_from_bits_f(uint32_t x) {
  union {
    uint32_t __u;
    float f;
  } __v = {.__u = x};
  return __v.f;
}

GM_FN uint64_t gm_bits(double x) {
  union {
    double f;
    uint64_t __u;
  } __v = {.f = x};
  return __v.__u;
}

GM_FN double gm_from_bits(uint64_t x) {
  union {
    uint64_t __u;
    double f;
  } __v = {.__u = x};
  return __v.f;
}

#endif
