#ifndef GMMU_CUDA_DEVICE_FUNCTIONS_H
#define GMMU_CUDA_DEVICE_FUNCTIONS_H
/* Integer, conversion, rounding and fast-math intrinsics, barriers, fences, clocks; printf, malloc
 * and assert of kernels. Each is one PTX instruction, or few. */
#include "vector_functions.h"
#include <stddef.h>
#if defined __CUDA__
#include "gmmu_dpx.h"
#define GMMU_DEV static __inline__ __device__ __attribute__((__always_inline__))

/* ---- barriers, fences, clocks ---------------------------------------------------------------- */
/* Not by clang's builtins: LLVM 14 believes that an intrinsic writes no variable of the module, and
 * reads a __shared__ one before the barrier behind which the program reads it. */
GMMU_DEV void gmmu_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() gmmu_syncthreads()
#define GMMU_BAR_RED(name)                                                                         \
  GMMU_DEV int gmmu_bar_##name(int __p) {                                                          \
    asm volatile("" ::: "memory");                                                                 \
    int __r = __nvvm_bar0_##name(__p);                                                             \
    asm volatile("" ::: "memory");                                                                 \
    return __r;                                                                                    \
  }
GMMU_BAR_RED(popc)
GMMU_BAR_RED(and)
GMMU_BAR_RED(or)
#undef GMMU_BAR_RED
GMMU_DEV int __syncthreads_count(int __p) { return gmmu_bar_popc(__p); }
GMMU_DEV int __syncthreads_and(int __p) { return gmmu_bar_and(__p); }
GMMU_DEV int __syncthreads_or(int __p) { return gmmu_bar_or(__p); }
GMMU_DEV void __syncwarp(unsigned int __mask = 0xffffffffu) {
  asm volatile("bar.warp.sync %0;" ::"r"(__mask) : "memory");
}
GMMU_DEV void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
GMMU_DEV void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
GMMU_DEV void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
GMMU_DEV void __barrier_sync(unsigned int __id) {
  asm volatile("bar.sync %0;" ::"r"(__id) : "memory");
}
GMMU_DEV void __barrier_sync_count(unsigned int __id, unsigned int __n) {
  asm volatile("bar.sync %0, %1;" ::"r"(__id), "r"(__n) : "memory");
}
GMMU_DEV long long clock64() {
  long long __t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(__t)::"memory");
  return __t;
}
/* clock_t of the C library is a long; CUDA's clock() is the low half of the counter. */
GMMU_DEV long clock() {
  int __t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(__t)::"memory");
  return __t;
}
GMMU_DEV unsigned long long __nv_globaltimer() {
  unsigned long long __t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(__t)::"memory");
  return __t;
}
GMMU_DEV void __nanosleep(unsigned int __ns) { asm volatile("nanosleep.u32 %0;" ::"r"(__ns)); }
GMMU_DEV void __trap() { asm volatile("trap;"); }
GMMU_DEV void __brkpt() {}
GMMU_DEV void __prof_trigger(int) {}

/* ---- bits ------------------------------------------------------------------------------------ */
GMMU_DEV int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
GMMU_DEV int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
GMMU_DEV int __ffs(int x) { return __builtin_ffs(x); }
GMMU_DEV int __ffsll(long long x) { return __builtin_ffsll(x); }
GMMU_DEV int __popc(unsigned int x) { return __builtin_popcount(x); }
GMMU_DEV int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GMMU_DEV unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
GMMU_DEV unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
GMMU_DEV unsigned int __byte_perm(unsigned int __a, unsigned int __b, unsigned int __s) {
  unsigned int __d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__a), "r"(__b), "r"(__s));
  return __d;
}
GMMU_DEV unsigned int __fns(unsigned int __mask, unsigned int __base, int __offset) {
  unsigned int __d;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__mask), "r"(__base), "r"(__offset));
  return __d;
}
GMMU_DEV unsigned int __funnelshift_l(unsigned int __lo, unsigned int __hi, unsigned int __n) {
  unsigned int __d;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__lo), "r"(__hi), "r"(__n));
  return __d;
}
GMMU_DEV unsigned int __funnelshift_lc(unsigned int __lo, unsigned int __hi, unsigned int __n) {
  unsigned int __d;
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__lo), "r"(__hi), "r"(__n));
  return __d;
}
GMMU_DEV unsigned int __funnelshift_r(unsigned int __lo, unsigned int __hi, unsigned int __n) {
  unsigned int __d;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__lo), "r"(__hi), "r"(__n));
  return __d;
}
GMMU_DEV unsigned int __funnelshift_rc(unsigned int __lo, unsigned int __hi, unsigned int __n) {
  unsigned int __d;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__lo), "r"(__hi), "r"(__n));
  return __d;
}

/* ---- integer arithmetic ---------------------------------------------------------------------- */
GMMU_DEV int __mulhi(int __a, int __b) { return (int)(((long long)__a * __b) >> 32); }
GMMU_DEV unsigned int __umulhi(unsigned int __a, unsigned int __b) {
  return (unsigned int)(((unsigned long long)__a * __b) >> 32);
}
GMMU_DEV long long __mul64hi(long long __a, long long __b) { return __nvvm_mulhi_ll(__a, __b); }
GMMU_DEV unsigned long long __umul64hi(unsigned long long __a, unsigned long long __b) {
  return __nvvm_mulhi_ull(__a, __b);
}
GMMU_DEV int __mul24(int __a, int __b) { return __nvvm_mul24_i(__a, __b); }
GMMU_DEV unsigned int __umul24(unsigned int __a, unsigned int __b) {
  return __nvvm_mul24_ui(__a, __b);
}
GMMU_DEV int mul24(int __a, int __b) { return __mul24(__a, __b); }
GMMU_DEV unsigned int umul24(unsigned int __a, unsigned int __b) { return __umul24(__a, __b); }
GMMU_DEV int mulhi(int __a, int __b) { return __mulhi(__a, __b); }
GMMU_DEV unsigned int mulhi(unsigned int __a, unsigned int __b) { return __umulhi(__a, __b); }
GMMU_DEV unsigned int umulhi(unsigned int __a, unsigned int __b) { return __umulhi(__a, __b); }
GMMU_DEV int __hadd(int __a, int __b) { return (__a & __b) + ((__a ^ __b) >> 1); }
GMMU_DEV int __rhadd(int __a, int __b) { return (__a | __b) - ((__a ^ __b) >> 1); }
GMMU_DEV unsigned int __uhadd(unsigned int __a, unsigned int __b) {
  return (__a & __b) + ((__a ^ __b) >> 1);
}
GMMU_DEV unsigned int __urhadd(unsigned int __a, unsigned int __b) {
  return (__a | __b) - ((__a ^ __b) >> 1);
}
GMMU_DEV unsigned int __sad(int __a, int __b, unsigned int __c) {
  unsigned int __d;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__a), "r"(__b), "r"(__c));
  return __d;
}
GMMU_DEV unsigned int __usad(unsigned int __a, unsigned int __b, unsigned int __c) {
  unsigned int __d;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(__d) : "r"(__a), "r"(__b), "r"(__c));
  return __d;
}
/* Sums of products of bytes, and of halves by bytes; vectors are the same bits. */
#define GMMU_DP(name, __op, __t, __u, __va, __vb)                                                  \
  GMMU_DEV __t name(__t __a, __t __b, __t __c) {                                                   \
    __t __d;                                                                                       \
    asm(__op "." __u "." __u " %0, %1, %2, %3;" : "=r"(__d) : "r"(__a), "r"(__b), "r"(__c));       \
    return __d;                                                                                    \
  }                                                                                                \
  GMMU_DEV __t name(__va __a, __vb __b, __t __c) {                                                 \
    __t __x, __y;                                                                                  \
    __builtin_memcpy(&__x, &__a, sizeof __x);                                                      \
    __builtin_memcpy(&__y, &__b, sizeof __y);                                                      \
    return name(__x, __y, __c);                                                                    \
  }
GMMU_DP(__dp4a, "dp4a", int, "s32", char4, char4)
GMMU_DP(__dp4a, "dp4a", unsigned int, "u32", uchar4, uchar4)
GMMU_DP(__dp2a_lo, "dp2a.lo", int, "s32", short2, char4)
GMMU_DP(__dp2a_lo, "dp2a.lo", unsigned int, "u32", ushort2, uchar4)
GMMU_DP(__dp2a_hi, "dp2a.hi", int, "s32", short2, char4)
GMMU_DP(__dp2a_hi, "dp2a.hi", unsigned int, "u32", ushort2, uchar4)
#undef GMMU_DP

/* ---- the same bits as another type ----------------------------------------------------------- */
#define GMMU_AS(name, __to, __from)                                                                \
  GMMU_DEV __to name(__from x) {                                                                   \
    __to y;                                                                                        \
    __builtin_memcpy(&y, &x, sizeof y);                                                            \
    return y;                                                                                      \
  }
GMMU_AS(__float_as_int, int, float)
GMMU_AS(__int_as_float, float, int)
GMMU_AS(__float_as_uint, unsigned int, float)
GMMU_AS(__uint_as_float, float, unsigned int)
GMMU_AS(__double_as_longlong, long long, double)
GMMU_AS(__longlong_as_double, double, long long)
#undef GMMU_AS
GMMU_DEV int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
GMMU_DEV int __double2loint(double x) { return (int)__double_as_longlong(x); }
GMMU_DEV double __hiloint2double(int __hi, int __lo) {
  return __longlong_as_double(
      (long long)(((unsigned long long)(unsigned int)__hi << 32) | (unsigned int)__lo));
}

/* ---- conversions with a rounding mode -------------------------------------------------------- */
#define GMMU_CONVERT(name, __to, __out, __from, in, __op)                                          \
  GMMU_DEV __to name(__from x) {                                                                   \
    __to y;                                                                                        \
    asm("cvt." __op " %0, %1;" : __out(y) : in(x));                                                \
    return y;                                                                                      \
  }
#define GMMU_TO_INTEGER(name, __to, __out, __from, in, types)                                      \
  GMMU_CONVERT(name##_rn, __to, __out, __from, in, "rni." types)                                   \
  GMMU_CONVERT(name##_rz, __to, __out, __from, in, "rzi." types)                                   \
  GMMU_CONVERT(name##_rd, __to, __out, __from, in, "rmi." types)                                   \
  GMMU_CONVERT(name##_ru, __to, __out, __from, in, "rpi." types)
#define GMMU_TO_FLOAT(name, __to, __out, __from, in, types)                                        \
  GMMU_CONVERT(name##_rn, __to, __out, __from, in, "rn." types)                                    \
  GMMU_CONVERT(name##_rz, __to, __out, __from, in, "rz." types)                                    \
  GMMU_CONVERT(name##_rd, __to, __out, __from, in, "rm." types)                                    \
  GMMU_CONVERT(name##_ru, __to, __out, __from, in, "rp." types)
GMMU_TO_INTEGER(__float2int, int, "=r", float, "f", "s32.f32")
GMMU_TO_INTEGER(__float2uint, unsigned int, "=r", float, "f", "u32.f32")
GMMU_TO_INTEGER(__float2ll, long long, "=l", float, "f", "s64.f32")
GMMU_TO_INTEGER(__float2ull, unsigned long long, "=l", float, "f", "u64.f32")
GMMU_TO_INTEGER(__double2int, int, "=r", double, "d", "s32.f64")
GMMU_TO_INTEGER(__double2uint, unsigned int, "=r", double, "d", "u32.f64")
GMMU_TO_INTEGER(__double2ll, long long, "=l", double, "d", "s64.f64")
GMMU_TO_INTEGER(__double2ull, unsigned long long, "=l", double, "d", "u64.f64")
GMMU_TO_FLOAT(__int2float, float, "=f", int, "r", "f32.s32")
GMMU_TO_FLOAT(__uint2float, float, "=f", unsigned int, "r", "f32.u32")
GMMU_TO_FLOAT(__ll2float, float, "=f", long long, "l", "f32.s64")
GMMU_TO_FLOAT(__ull2float, float, "=f", unsigned long long, "l", "f32.u64")
GMMU_TO_FLOAT(__ll2double, double, "=d", long long, "l", "f64.s64")
GMMU_TO_FLOAT(__ull2double, double, "=d", unsigned long long, "l", "f64.u64")
GMMU_TO_FLOAT(__double2float, float, "=f", double, "d", "f32.f64")
GMMU_DEV double __int2double_rn(int x) { return x; }
GMMU_DEV double __uint2double_rn(unsigned int x) { return x; }
#undef GMMU_CONVERT
#undef GMMU_TO_INTEGER
#undef GMMU_TO_FLOAT

/* ---- arithmetic with a rounding mode --------------------------------------------------------- */
#define GMMU_ROUND1(name, type, reg, __op)                                                         \
  GMMU_DEV type name(type __a) {                                                                   \
    type __d;                                                                                      \
    asm(__op " %0, %1;" : "=" reg(__d) : reg(__a));                                                \
    return __d;                                                                                    \
  }
#define GMMU_ROUND2(name, type, reg, __op)                                                         \
  GMMU_DEV type name(type __a, type __b) {                                                         \
    type __d;                                                                                      \
    asm(__op " %0, %1, %2;" : "=" reg(__d) : reg(__a), reg(__b));                                  \
    return __d;                                                                                    \
  }
#define GMMU_ROUND3(name, type, reg, __op)                                                         \
  GMMU_DEV type name(type __a, type __b, type __c) {                                               \
    type __d;                                                                                      \
    asm(__op " %0, %1, %2, %3;" : "=" reg(__d) : reg(__a), reg(__b), reg(__c));                    \
    return __d;                                                                                    \
  }
#define GMMU_MODES(rn, ptx)                                                                        \
  GMMU_ROUND2(__fadd_##rn, float, "f", "add." ptx ".f32")                                          \
  GMMU_ROUND2(__fsub_##rn, float, "f", "sub." ptx ".f32")                                          \
  GMMU_ROUND2(__fmul_##rn, float, "f", "mul." ptx ".f32")                                          \
  GMMU_ROUND2(__fdiv_##rn, float, "f", "div." ptx ".f32")                                          \
  GMMU_ROUND3(__fmaf_##rn, float, "f", "fma." ptx ".f32")                                          \
  GMMU_ROUND1(__frcp_##rn, float, "f", "rcp." ptx ".f32")                                          \
  GMMU_ROUND1(__fsqrt_##rn, float, "f", "sqrt." ptx ".f32")                                        \
  GMMU_ROUND2(__dadd_##rn, double, "d", "add." ptx ".f64")                                         \
  GMMU_ROUND2(__dsub_##rn, double, "d", "sub." ptx ".f64")                                         \
  GMMU_ROUND2(__dmul_##rn, double, "d", "mul." ptx ".f64")                                         \
  GMMU_ROUND2(__ddiv_##rn, double, "d", "div." ptx ".f64")                                         \
  GMMU_ROUND1(__drcp_##rn, double, "d", "rcp." ptx ".f64")                                         \
  GMMU_ROUND1(__dsqrt_##rn, double, "d", "sqrt." ptx ".f64")                                       \
  GMMU_ROUND3(__fma_##rn, double, "d", "fma." ptx ".f64")
GMMU_MODES(rn, "rn")
GMMU_MODES(rz, "rz")
GMMU_MODES(ru, "rp")
GMMU_MODES(rd, "rm")
GMMU_ROUND1(__frsqrt_rn, float, "f", "rsqrt.approx.f32")
#undef GMMU_MODES

/* ---- fast arithmetic ------------------------------------------------------------------------- */
GMMU_ROUND2(__fdividef, float, "f", "div.approx.f32")
GMMU_ROUND1(__sinf, float, "f", "sin.approx.f32")
GMMU_ROUND1(__cosf, float, "f", "cos.approx.f32")
GMMU_ROUND1(__log2f, float, "f", "lg2.approx.f32")
GMMU_ROUND1(gmmu_ex2, float, "f", "ex2.approx.f32")
GMMU_ROUND1(__saturatef, float, "f", "cvt.sat.f32.f32")
#undef GMMU_ROUND1
#undef GMMU_ROUND2
#undef GMMU_ROUND3
GMMU_DEV float __expf(float x) { return gmmu_ex2(x * 1.4426950408889634f); }
GMMU_DEV float __exp10f(float x) { return gmmu_ex2(x * 3.3219280948873623f); }
GMMU_DEV float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
GMMU_DEV float __log10f(float x) { return __log2f(x) * 0.3010299956639812f; }
GMMU_DEV float __powf(float x, float y) { return gmmu_ex2(y * __log2f(x)); }
GMMU_DEV float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
GMMU_DEV void __sincosf(float x, float *__s, float *__c) { *__s = __sinf(x), *__c = __cosf(x); }
GMMU_DEV float fdividef(float x, float y) { return __fdividef(x, y); }

/* ---- four bytes or two halves of a word ------------------------------------------------------ */
#define GMMU_BYTEWISE(name, type, __bits, expr)                                                    \
  GMMU_DEV unsigned int name(unsigned int __p, unsigned int __q) {                                 \
    unsigned int __r = 0;                                                                          \
    for (int __i = 0; __i < 32; __i += __bits) {                                                   \
      type __a = (type)(__p >> __i), __b = (type)(__q >> __i);                                     \
      __r |= ((unsigned int)(expr) & (0xffffffffu >> (32 - __bits))) << __i;                       \
    }                                                                                              \
    return __r;                                                                                    \
  }
GMMU_DEV int gmmu_clamp(int __v, int __least, int __most) {
  return __v < __least ? __least : __v > __most ? __most : __v;
}
#define GMMU_BYTEWISES(__n, __s, __u, __bits)                                                      \
  GMMU_BYTEWISE(__vadd##__n, __u, __bits, __a + __b)                                               \
  GMMU_BYTEWISE(__vsub##__n, __u, __bits, __a - __b)                                               \
  GMMU_BYTEWISE(__vaddss##__n, __s, __bits,                                                        \
                gmmu_clamp(__a + __b, -(1 << (__bits - 1)), (1 << (__bits - 1)) - 1))              \
  GMMU_BYTEWISE(__vaddus##__n, __u, __bits, gmmu_clamp(__a + __b, 0, (1 << __bits) - 1))           \
  GMMU_BYTEWISE(__vsubss##__n, __s, __bits,                                                        \
                gmmu_clamp(__a - __b, -(1 << (__bits - 1)), (1 << (__bits - 1)) - 1))              \
  GMMU_BYTEWISE(__vsubus##__n, __u, __bits, gmmu_clamp(__a - __b, 0, (1 << __bits) - 1))           \
  GMMU_BYTEWISE(__vmaxs##__n, __s, __bits, __a > __b ? __a : __b)                                  \
  GMMU_BYTEWISE(__vmaxu##__n, __u, __bits, __a > __b ? __a : __b)                                  \
  GMMU_BYTEWISE(__vmins##__n, __s, __bits, __a < __b ? __a : __b)                                  \
  GMMU_BYTEWISE(__vminu##__n, __u, __bits, __a < __b ? __a : __b)                                  \
  GMMU_BYTEWISE(__vabsdiffu##__n, __u, __bits, __a > __b ? __a - __b : __b - __a)                  \
  GMMU_BYTEWISE(__vabsdiffs##__n, __s, __bits, __a > __b ? __a - __b : __b - __a)                  \
  GMMU_BYTEWISE(__vavgu##__n, __u, __bits, (__a + __b + 1) >> 1)                                   \
  GMMU_BYTEWISE(__vhaddu##__n, __u, __bits, (__a + __b) >> 1)                                      \
  GMMU_BYTEWISE(__vavgs##__n, __s, __bits, (__a + __b + (__a + __b >= 0)) >> 1)                    \
  GMMU_BYTEWISE(__vcmpeq##__n, __u, __bits, __a == __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vseteq##__n, __u, __bits, __a == __b)                                            \
  GMMU_BYTEWISE(__vcmpne##__n, __u, __bits, __a != __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vsetne##__n, __u, __bits, __a != __b)                                            \
  GMMU_BYTEWISE(__vcmpgtu##__n, __u, __bits, __a > __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vsetgtu##__n, __u, __bits, __a > __b)                                            \
  GMMU_BYTEWISE(__vcmpgeu##__n, __u, __bits, __a >= __b ? ~0u : 0u)                                \
  GMMU_BYTEWISE(__vsetgeu##__n, __u, __bits, __a >= __b)                                           \
  GMMU_BYTEWISE(__vcmpltu##__n, __u, __bits, __a < __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vsetltu##__n, __u, __bits, __a < __b)                                            \
  GMMU_BYTEWISE(__vcmpleu##__n, __u, __bits, __a <= __b ? ~0u : 0u)                                \
  GMMU_BYTEWISE(__vsetleu##__n, __u, __bits, __a <= __b)                                           \
  GMMU_BYTEWISE(__vcmpgts##__n, __s, __bits, __a > __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vsetgts##__n, __s, __bits, __a > __b)                                            \
  GMMU_BYTEWISE(__vcmpges##__n, __s, __bits, __a >= __b ? ~0u : 0u)                                \
  GMMU_BYTEWISE(__vsetges##__n, __s, __bits, __a >= __b)                                           \
  GMMU_BYTEWISE(__vcmplts##__n, __s, __bits, __a < __b ? ~0u : 0u)                                 \
  GMMU_BYTEWISE(__vsetlts##__n, __s, __bits, __a < __b)                                            \
  GMMU_BYTEWISE(__vcmples##__n, __s, __bits, __a <= __b ? ~0u : 0u)                                \
  GMMU_BYTEWISE(__vsetles##__n, __s, __bits, __a <= __b)                                           \
  GMMU_DEV unsigned int __vneg##__n(unsigned int __p) { return __vsub##__n(0, __p); }              \
  GMMU_DEV unsigned int __vnegss##__n(unsigned int __p) { return __vsubss##__n(0, __p); }          \
  GMMU_DEV unsigned int __vabs##__n(unsigned int __p) { return __vabsdiffs##__n(__p, 0); }         \
  GMMU_DEV unsigned int __vabsss##__n(unsigned int __p) {                                          \
    return __vmaxs##__n(__p, __vnegss##__n(__p));                                                  \
  }                                                                                                \
  GMMU_DEV unsigned int __vsadu##__n(unsigned int __p, unsigned int __q) {                         \
    unsigned int __d = __vabsdiffu##__n(__p, __q), __r = 0;                                        \
    for (int __i = 0; __i < 32; __i += __bits) __r += (__u)(__d >> __i);                           \
    return __r;                                                                                    \
  }                                                                                                \
  GMMU_DEV unsigned int __vsads##__n(unsigned int __p, unsigned int __q) {                         \
    unsigned int __d = __vabsdiffs##__n(__p, __q), __r = 0;                                        \
    for (int __i = 0; __i < 32; __i += __bits) __r += (__u)(__d >> __i);                           \
    return __r;                                                                                    \
  }
GMMU_BYTEWISES(4, signed char, unsigned char, 8)
GMMU_BYTEWISES(2, short, unsigned short, 16)
#undef GMMU_BYTEWISE
#undef GMMU_BYTEWISES

/* ---- what kind of address -------------------------------------------------------------------- */
#define GMMU_SPACE(__is, __to, __from, space)                                                      \
  GMMU_DEV unsigned int __is(const void *__p) {                                                    \
    unsigned int __d;                                                                              \
    asm("{ .reg .pred t; isspacep." space " t, %1; selp.u32 %0, 1, 0, t; }"                        \
        : "=r"(__d)                                                                                \
        : "l"(__p));                                                                               \
    return __d;                                                                                    \
  }                                                                                                \
  GMMU_DEV size_t __to(const void *__p) {                                                          \
    size_t __d;                                                                                    \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(__d) : "l"(__p));                                   \
    return __d;                                                                                    \
  }                                                                                                \
  GMMU_DEV void *__from(size_t __p) {                                                              \
    void *__d;                                                                                     \
    asm("cvta." space ".u64 %0, %1;" : "=l"(__d) : "l"(__p));                                      \
    return __d;                                                                                    \
  }
GMMU_SPACE(__isGlobal, __cvta_generic_to_global, __cvta_global_to_generic, "global")
GMMU_SPACE(__isShared, __cvta_generic_to_shared, __cvta_shared_to_generic, "shared")
GMMU_SPACE(__isLocal, __cvta_generic_to_local, __cvta_local_to_generic, "local")
GMMU_SPACE(__isConstant, __cvta_generic_to_constant, __cvta_constant_to_generic, "const")
#undef GMMU_SPACE

/* ---- min, max, abs of integers --------------------------------------------------------------- */
/* Of host code too, as nvcc has them; mixed types go the way of C's conversions. */
#define GMMU_MINMAX(ta, tb, __to)                                                                  \
  static __inline__ __host__ __device__ __to min(ta __a, tb __b) {                                 \
    return (__to)__a < (__to)__b ? (__to)__a : (__to)__b;                                          \
  }                                                                                                \
  static __inline__ __host__ __device__ __to max(ta __a, tb __b) {                                 \
    return (__to)__a > (__to)__b ? (__to)__a : (__to)__b;                                          \
  }
#define GMMU_MIXED(ta, tb, __to) GMMU_MINMAX(ta, tb, __to) GMMU_MINMAX(tb, ta, __to)
GMMU_MINMAX(int, int, int)
GMMU_MINMAX(unsigned int, unsigned int, unsigned int)
GMMU_MINMAX(long, long, long)
GMMU_MINMAX(unsigned long, unsigned long, unsigned long)
GMMU_MINMAX(long long, long long, long long)
GMMU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
GMMU_MIXED(int, unsigned int, unsigned int)
GMMU_MIXED(int, long, long)
GMMU_MIXED(int, unsigned long, unsigned long)
GMMU_MIXED(int, long long, long long)
GMMU_MIXED(int, unsigned long long, unsigned long long)
GMMU_MIXED(unsigned int, long, long)
GMMU_MIXED(unsigned int, unsigned long, unsigned long)
GMMU_MIXED(unsigned int, long long, long long)
GMMU_MIXED(unsigned int, unsigned long long, unsigned long long)
GMMU_MIXED(long, unsigned long, unsigned long)
GMMU_MIXED(long, long long, long long)
GMMU_MIXED(long, unsigned long long, unsigned long long)
GMMU_MIXED(long long, unsigned long long, unsigned long long)
GMMU_MIXED(long long, unsigned long, unsigned long)
GMMU_MIXED(unsigned long, unsigned long long, unsigned long long)
#undef GMMU_MIXED
#undef GMMU_MINMAX
/* Of floats: gmmu_math.h has those of the device. */
#define GMMU_MINMAX(ta, tb, __to)                                                                  \
  static __inline__ __host__ __to min(ta __a, tb __b) {                                            \
    return __a < __b || __b != __b ? (__to)__a : (__to)__b;                                        \
  }                                                                                                \
  static __inline__ __host__ __to max(ta __a, tb __b) {                                            \
    return __a > __b || __b != __b ? (__to)__a : (__to)__b;                                        \
  }
GMMU_MINMAX(float, float, float)
GMMU_MINMAX(double, double, double)
GMMU_MINMAX(float, double, double)
GMMU_MINMAX(double, float, double)
#undef GMMU_MINMAX
GMMU_DEV unsigned int umin(unsigned int __a, unsigned int __b) { return min(__a, __b); }
GMMU_DEV unsigned int umax(unsigned int __a, unsigned int __b) { return max(__a, __b); }
GMMU_DEV long long llmin(long long __a, long long __b) { return min(__a, __b); }
GMMU_DEV long long llmax(long long __a, long long __b) { return max(__a, __b); }
GMMU_DEV unsigned long long ullmin(unsigned long long __a, unsigned long long __b) {
  return min(__a, __b);
}
GMMU_DEV unsigned long long ullmax(unsigned long long __a, unsigned long long __b) {
  return max(__a, __b);
}

/* ---- what the library's other end does ------------------------------------------------------- */
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); /* clang packs the arguments and calls vprintf */
__device__ void *__cuda_syscall_aligned_malloc(size_t, size_t) __attribute__((__nothrow__));
static __inline__ __device__ void *__nv_aligned_device_malloc(size_t __bytes, size_t __align) {
  return __cuda_syscall_aligned_malloc(__bytes, __align);
}
__device__ void __assertfail(const void *, const void *, unsigned int, const void *, size_t);
static __inline__ __device__ void __assert_fail(const char *__what, const char *__file,
                                                unsigned int line, const char *__function) {
  __assertfail(__what, __file, line, __function, 1);
}
}
GMMU_DEV void *memcpy(void *__to, const void *__from, size_t __n) {
  return __builtin_memcpy(__to, __from, __n);
}
GMMU_DEV void *memset(void *__to, int __c, size_t __n) { return __builtin_memset(__to, __c, __n); }
#endif
#endif
