#ifndef GMMU_CUDA_DEVICE_FUNCTIONS_H
#define GMMU_CUDA_DEVICE_FUNCTIONS_H
/* Integer, conversion, rounding and fast-math intrinsics, barriers, fences, clocks; printf, malloc
 * and assert of kernels. Each is one PTX instruction, or few. */
#include "vector_functions.h"
#include <stddef.h>
#if defined __CUDA__
#define GMMU_DEV static __inline__ __attribute__((device, always_inline))

/* ---- barriers, fences, clocks (__syncthreads is clang's own) --------------------------------- */
GMMU_DEV int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
GMMU_DEV int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
GMMU_DEV int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
GMMU_DEV void __syncwarp(unsigned int mask = 0xffffffffu) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
GMMU_DEV void __threadfence_block() { __nvvm_membar_cta(); }
GMMU_DEV void __threadfence() { __nvvm_membar_gl(); }
GMMU_DEV void __threadfence_system() { __nvvm_membar_sys(); }
GMMU_DEV void __barrier_sync(unsigned int id) { asm volatile("bar.sync %0;" ::"r"(id) : "memory"); }
GMMU_DEV void __barrier_sync_count(unsigned int id, unsigned int n) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
GMMU_DEV long long clock64() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
/* clock_t of the C library is a long; CUDA's clock() is the low half of the counter. */
GMMU_DEV long clock() {
  int t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
GMMU_DEV unsigned long long __nv_globaltimer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
GMMU_DEV void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
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
GMMU_DEV unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  unsigned int d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
  return d;
}
GMMU_DEV unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  unsigned int d;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(mask), "r"(base), "r"(offset));
  return d;
}
GMMU_DEV unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) {
  unsigned int d;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n));
  return d;
}
GMMU_DEV unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n) {
  unsigned int d;
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n));
  return d;
}
GMMU_DEV unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) {
  unsigned int d;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n));
  return d;
}
GMMU_DEV unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n) {
  unsigned int d;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n));
  return d;
}

/* ---- integer arithmetic ---------------------------------------------------------------------- */
GMMU_DEV int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
GMMU_DEV unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a * b) >> 32);
}
GMMU_DEV long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
GMMU_DEV unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
GMMU_DEV int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
GMMU_DEV unsigned int __umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
GMMU_DEV int mul24(int a, int b) { return __mul24(a, b); }
GMMU_DEV unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }
GMMU_DEV int mulhi(int a, int b) { return __mulhi(a, b); }
GMMU_DEV unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
GMMU_DEV unsigned int umulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
GMMU_DEV int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
GMMU_DEV int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
GMMU_DEV unsigned int __uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
GMMU_DEV unsigned int __urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
GMMU_DEV unsigned int __sad(int a, int b, unsigned int c) {
  unsigned int d;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
GMMU_DEV unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
GMMU_DEV int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
GMMU_DEV unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
GMMU_DEV int __dp2a_lo(int a, int b, int c) {
  int d;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
GMMU_DEV int __dp2a_hi(int a, int b, int c) {
  int d;
  asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

/* ---- the same bits as another type ----------------------------------------------------------- */
#define GMMU_AS(name, to, from)                                                                    \
  GMMU_DEV to name(from x) {                                                                       \
    to y;                                                                                          \
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
GMMU_DEV double __hiloint2double(int hi, int lo) {
  return __longlong_as_double(
      (long long)(((unsigned long long)(unsigned int)hi << 32) | (unsigned int)lo));
}

/* ---- conversions with a rounding mode -------------------------------------------------------- */
#define GMMU_CONVERT(name, to, out, from, in, op)                                                  \
  GMMU_DEV to name(from x) {                                                                       \
    to y;                                                                                          \
    asm("cvt." op " %0, %1;" : out(y) : in(x));                                                    \
    return y;                                                                                      \
  }
#define GMMU_TO_INTEGER(name, to, out, from, in, types)                                            \
  GMMU_CONVERT(name##_rn, to, out, from, in, "rni." types)                                         \
  GMMU_CONVERT(name##_rz, to, out, from, in, "rzi." types)                                         \
  GMMU_CONVERT(name##_rd, to, out, from, in, "rmi." types)                                         \
  GMMU_CONVERT(name##_ru, to, out, from, in, "rpi." types)
#define GMMU_TO_FLOAT(name, to, out, from, in, types)                                              \
  GMMU_CONVERT(name##_rn, to, out, from, in, "rn." types)                                          \
  GMMU_CONVERT(name##_rz, to, out, from, in, "rz." types)                                          \
  GMMU_CONVERT(name##_rd, to, out, from, in, "rm." types)                                          \
  GMMU_CONVERT(name##_ru, to, out, from, in, "rp." types)
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
#define GMMU_ROUND1(name, type, reg, op)                                                           \
  GMMU_DEV type name(type a) {                                                                     \
    type d;                                                                                        \
    asm(op " %0, %1;" : "=" reg(d) : reg(a));                                                      \
    return d;                                                                                      \
  }
#define GMMU_ROUND2(name, type, reg, op)                                                           \
  GMMU_DEV type name(type a, type b) {                                                             \
    type d;                                                                                        \
    asm(op " %0, %1, %2;" : "=" reg(d) : reg(a), reg(b));                                          \
    return d;                                                                                      \
  }
#define GMMU_ROUND3(name, type, reg, op)                                                           \
  GMMU_DEV type name(type a, type b, type c) {                                                     \
    type d;                                                                                        \
    asm(op " %0, %1, %2, %3;" : "=" reg(d) : reg(a), reg(b), reg(c));                              \
    return d;                                                                                      \
  }
#define GMMU_MODES(f, d, rn, ptx)                                                                  \
  GMMU_ROUND2(__##f##add_##rn, float, "f", "add." ptx ".f32")                                      \
  GMMU_ROUND2(__##f##sub_##rn, float, "f", "sub." ptx ".f32")                                      \
  GMMU_ROUND2(__##f##mul_##rn, float, "f", "mul." ptx ".f32")                                      \
  GMMU_ROUND2(__##f##div_##rn, float, "f", "div." ptx ".f32")                                      \
  GMMU_ROUND3(__##f##maf_##rn, float, "f", "fma." ptx ".f32")                                      \
  GMMU_ROUND1(__##f##rcp_##rn, float, "f", "rcp." ptx ".f32")                                      \
  GMMU_ROUND1(__##f##sqrt_##rn, float, "f", "sqrt." ptx ".f32")                                    \
  GMMU_ROUND2(__##d##add_##rn, double, "d", "add." ptx ".f64")                                     \
  GMMU_ROUND2(__##d##sub_##rn, double, "d", "sub." ptx ".f64")                                     \
  GMMU_ROUND2(__##d##mul_##rn, double, "d", "mul." ptx ".f64")                                     \
  GMMU_ROUND2(__##d##div_##rn, double, "d", "div." ptx ".f64")                                     \
  GMMU_ROUND1(__##d##rcp_##rn, double, "d", "rcp." ptx ".f64")                                     \
  GMMU_ROUND1(__##d##sqrt_##rn, double, "d", "sqrt." ptx ".f64")                                   \
  GMMU_ROUND3(__fma_##rn, double, "d", "fma." ptx ".f64")
GMMU_MODES(f, d, rn, "rn")
GMMU_MODES(f, d, rz, "rz")
GMMU_MODES(f, d, ru, "rp")
GMMU_MODES(f, d, rd, "rm")
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
GMMU_DEV void __sincosf(float x, float *s, float *c) { *s = __sinf(x), *c = __cosf(x); }
GMMU_DEV float fdividef(float x, float y) { return __fdividef(x, y); }

/* ---- four bytes or two halves of a word ------------------------------------------------------ */
#define GMMU_BYTEWISE(name, type, bits, expr)                                                      \
  GMMU_DEV unsigned int name(unsigned int p, unsigned int q) {                                     \
    unsigned int r = 0;                                                                            \
    for (int i = 0; i < 32; i += bits) {                                                           \
      type a = (type)(p >> i), b = (type)(q >> i);                                                 \
      r |= ((unsigned int)(expr) & (0xffffffffu >> (32 - bits))) << i;                             \
    }                                                                                              \
    return r;                                                                                      \
  }
#define GMMU_BYTEWISES(n, s, u, bits)                                                              \
  GMMU_BYTEWISE(__vadd##n, u, bits, a + b)                                                         \
  GMMU_BYTEWISE(__vsub##n, u, bits, a - b)                                                         \
  GMMU_BYTEWISE(__vmaxs##n, s, bits, a > b ? a : b)                                                \
  GMMU_BYTEWISE(__vmaxu##n, u, bits, a > b ? a : b)                                                \
  GMMU_BYTEWISE(__vmins##n, s, bits, a < b ? a : b)                                                \
  GMMU_BYTEWISE(__vminu##n, u, bits, a < b ? a : b)                                                \
  GMMU_BYTEWISE(__vabsdiffu##n, u, bits, a > b ? a - b : b - a)                                    \
  GMMU_BYTEWISE(__vcmpeq##n, u, bits, a == b ? ~0u : 0u)                                           \
  GMMU_BYTEWISE(__vcmpgtu##n, u, bits, a > b ? ~0u : 0u)                                           \
  GMMU_BYTEWISE(__vavgu##n, u, bits, (a + b + 1) >> 1)
GMMU_BYTEWISES(4, signed char, unsigned char, 8)
GMMU_BYTEWISES(2, short, unsigned short, 16)
#undef GMMU_BYTEWISE
#undef GMMU_BYTEWISES

/* ---- what kind of address -------------------------------------------------------------------- */
#define GMMU_SPACE(name, space)                                                                    \
  GMMU_DEV unsigned int __is##name(const void *p) {                                                \
    unsigned int d;                                                                                \
    asm("{ .reg .pred t; isspacep." space " t, %1; selp.u32 %0, 1, 0, t; }" : "=r"(d) : "l"(p));   \
    return d;                                                                                      \
  }                                                                                                \
  GMMU_DEV size_t __cvta_generic_to_##name(const void *p) {                                        \
    size_t d;                                                                                      \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(d) : "l"(p));                                       \
    return d;                                                                                      \
  }                                                                                                \
  GMMU_DEV void *__cvta_##name##_to_generic(size_t p) {                                            \
    void *d;                                                                                       \
    asm("cvta." space ".u64 %0, %1;" : "=l"(d) : "l"(p));                                          \
    return d;                                                                                      \
  }
GMMU_SPACE(Global, "global")
GMMU_SPACE(Shared, "shared")
GMMU_SPACE(Local, "local")
#undef GMMU_SPACE
GMMU_DEV size_t __cvta_generic_to_global(const void *p) { return __cvta_generic_to_Global(p); }
GMMU_DEV size_t __cvta_generic_to_shared(const void *p) { return __cvta_generic_to_Shared(p); }
GMMU_DEV size_t __cvta_generic_to_local(const void *p) { return __cvta_generic_to_Local(p); }

/* ---- min, max, abs of integers --------------------------------------------------------------- */
/* Of host code too, as nvcc has them; mixed types go the way of C's conversions. */
#define GMMU_MINMAX(ta, tb, to)                                                                    \
  static __inline__ __host__ __device__ to min(ta a, tb b) {                                       \
    return (to)a < (to)b ? (to)a : (to)b;                                                          \
  }                                                                                                \
  static __inline__ __host__ __device__ to max(ta a, tb b) { return (to)a > (to)b ? (to)a : (to)b; }
#define GMMU_MIXED(ta, tb, to) GMMU_MINMAX(ta, tb, to) GMMU_MINMAX(tb, ta, to)
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
#define GMMU_MINMAX(ta, tb, to)                                                                    \
  static __inline__ __host__ to min(ta a, tb b) { return a < b || b != b ? (to)a : (to)b; }        \
  static __inline__ __host__ to max(ta a, tb b) { return a > b || b != b ? (to)a : (to)b; }
GMMU_MINMAX(float, float, float)
GMMU_MINMAX(double, double, double)
GMMU_MINMAX(float, double, double)
GMMU_MINMAX(double, float, double)
#undef GMMU_MINMAX
GMMU_DEV unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
GMMU_DEV unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
GMMU_DEV long long llmin(long long a, long long b) { return min(a, b); }
GMMU_DEV long long llmax(long long a, long long b) { return max(a, b); }
GMMU_DEV unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
GMMU_DEV unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

/* ---- what the library's other end does ------------------------------------------------------- */
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); /* clang packs the arguments and calls vprintf */
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const void *, const void *, unsigned int, const void *, size_t);
static __inline__ __device__ void __assert_fail(const char *what, const char *file,
                                                unsigned int line, const char *function) {
  __assertfail(what, file, line, function, 1);
}
}
GMMU_DEV void *memcpy(void *to, const void *from, size_t n) {
  return __builtin_memcpy(to, from, n);
}
GMMU_DEV void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }
#endif
#endif
