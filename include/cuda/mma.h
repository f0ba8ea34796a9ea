#ifndef GMMU_CUDA_MMA_H
#define GMMU_CUDA_MMA_H
/* Matrices that a warp holds together: nvcuda::wmma. Which lane holds which element is the
 * interpreter's business; x[] lists a lane's elements, as many as on hardware. Not there: elements
 * of 4 bits and of one bit (wmma::experimental). */
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#if defined __CUDA__
namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision

template <class __U, int __M, int __N, int __K, class __T, class __L = void> class fragment;

/* What a fragment has: elements, and the registers that they are. */
#define GMMU_FRAGMENT(type, __count, rtype)                                                        \
public:                                                                                            \
  enum { num_elements = __count, num_storage_elements = __count };                                 \
  typedef type element_type;                                                                       \
  typedef type storage_element_type;                                                               \
  __attribute__((__aligned__(8))) type x[__count];                                                 \
  typedef rtype __attribute__((__may_alias__)) __register_t;                                       \
  __device__ __register_t *__r() { return (__register_t *)(void *)x; }                             \
  __device__ const __register_t *__r() const { return (const __register_t *)(const void *)x; }

#define GMMU_DEV_MMA            static __inline__ __device__ __attribute__((__always_inline__))
#define GMMU_MMA_OUT1(__c, __f) __c(__f.__r()[0])
#define GMMU_MMA_OUT2(__c, __f) GMMU_MMA_OUT1(__c, __f), __c(__f.__r()[1])
#define GMMU_MMA_OUT4(__c, __f) GMMU_MMA_OUT2(__c, __f), __c(__f.__r()[2]), __c(__f.__r()[3])
#define GMMU_MMA_OUT8(__c, __f)                                                                    \
  GMMU_MMA_OUT4(__c, __f), __c(__f.__r()[4]), __c(__f.__r()[5]), __c(__f.__r()[6]),                \
      __c(__f.__r()[7])
#define GMMU_MMA_LIST1 "{%0}"
#define GMMU_MMA_LIST2 "{%0, %1}"
#define GMMU_MMA_LIST4 "{%0, %1, %2, %3}"
#define GMMU_MMA_LIST8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define GMMU_MMA_AT1   "[%1], %2"
#define GMMU_MMA_AT2   "[%2], %3"
#define GMMU_MMA_AT4   "[%4], %5"
#define GMMU_MMA_AT8   "[%8], %9"
#define GMMU_MMA_PUT1  "[%1], {%0}, %2"
#define GMMU_MMA_PUT2  "[%2], {%0, %1}, %3"
#define GMMU_MMA_PUT4  "[%4], {%0, %1, %2, %3}, %5"
#define GMMU_MMA_PUT8  "[%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9"

/* A factor of the product: (use, letter, m, n, k, type, type of its memory, PTX's name of the type,
 * elements, registers, their C type, their letter) */
#define GMMU_FACTOR_LAYOUT(use, letter, m, n, k, type, mtype, ptx, count, regs, rtype, rc, layout) \
  template <> class fragment<use, m, n, k, type, layout##_major> {                                 \
    GMMU_FRAGMENT(mtype, count, rtype)                                                             \
  };                                                                                               \
  GMMU_DEV_MMA void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &__f,            \
                                     const mtype *__p, unsigned int __ldm) {                       \
    asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx        \
                 " " GMMU_MMA_LIST##regs ", " GMMU_MMA_AT##regs ";"                                \
                 : GMMU_MMA_OUT##regs("=" rc, __f)                                                 \
                 : "l"(__p), "r"(__ldm)                                                            \
                 : "memory");                                                                      \
  }
#define GMMU_FACTOR(use, letter, m, n, k, type, mtype, ptx, count, regs, rtype, rc)                \
  GMMU_FACTOR_LAYOUT(use, letter, m, n, k, type, mtype, ptx, count, regs, rtype, rc, row)          \
  GMMU_FACTOR_LAYOUT(use, letter, m, n, k, type, mtype, ptx, count, regs, rtype, rc, col)

/* What products are added to: (m, n, k, type, PTX's name, elements, registers, C type, letter) */
#define GMMU_ACCUMULATOR_LAYOUT(m, n, k, type, ptx, regs, rc, layout)                              \
  GMMU_DEV_MMA void gmmu_load_##layout(fragment<accumulator, m, n, k, type> &__f, const type *__p, \
                                       unsigned int __ldm) {                                       \
    asm volatile("wmma.load.c.sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx                 \
                 " " GMMU_MMA_LIST##regs ", " GMMU_MMA_AT##regs ";"                                \
                 : GMMU_MMA_OUT##regs("=" rc, __f)                                                 \
                 : "l"(__p), "r"(__ldm)                                                            \
                 : "memory");                                                                      \
  }                                                                                                \
  GMMU_DEV_MMA void gmmu_store_##layout(                                                           \
      type *__p, const fragment<accumulator, m, n, k, type> &__f, unsigned int __ldm) {            \
    asm volatile("wmma.store.d.sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx                \
                 " " GMMU_MMA_PUT##regs ";" ::GMMU_MMA_OUT##regs(rc, __f),                         \
                 "l"(__p), "r"(__ldm)                                                              \
                 : "memory");                                                                      \
  }
#define GMMU_ACCUMULATOR(m, n, k, type, ptx, count, regs, rtype, rc)                               \
  template <> class fragment<accumulator, m, n, k, type> { GMMU_FRAGMENT(type, count, rtype) };    \
  GMMU_ACCUMULATOR_LAYOUT(m, n, k, type, ptx, regs, rc, row)                                       \
  GMMU_ACCUMULATOR_LAYOUT(m, n, k, type, ptx, regs, rc, col)                                       \
  GMMU_DEV_MMA void load_matrix_sync(fragment<accumulator, m, n, k, type> &__f, const type *__p,   \
                                     unsigned int __ldm, layout_t __layout) {                      \
    if (__layout == mem_row_major)                                                                 \
      gmmu_load_row(__f, __p, __ldm);                                                              \
    else                                                                                           \
      gmmu_load_col(__f, __p, __ldm);                                                              \
  }                                                                                                \
  GMMU_DEV_MMA void store_matrix_sync(type *__p, const fragment<accumulator, m, n, k, type> &__f,  \
                                      unsigned int __ldm, layout_t __layout) {                     \
    if (__layout == mem_row_major)                                                                 \
      gmmu_store_row(__p, __f, __ldm);                                                             \
    else                                                                                           \
      gmmu_store_col(__p, __f, __ldm);                                                             \
  }

#define GMMU_SHAPES_OF_HALVES(F)                                                                   \
  F(16, 16, 16)                                                                                    \
  F(32, 8, 16)                                                                                     \
  F(8, 32, 16)
#define F(m, n, k)                                                                                 \
  GMMU_FACTOR(matrix_a, "a", m, n, k, __half, __half, "f16", 16, 8, unsigned int, "r")             \
  GMMU_FACTOR(matrix_b, "b", m, n, k, __half, __half, "f16", 16, 8, unsigned int, "r")             \
  GMMU_ACCUMULATOR(m, n, k, __half, "f16", 8, 4, unsigned int, "r")                                \
  GMMU_ACCUMULATOR(m, n, k, float, "f32", 8, 8, float, "f")                                        \
  GMMU_ACCUMULATOR(m, n, k, int, "s32", 8, 8, int, "r")
GMMU_SHAPES_OF_HALVES(F)
#undef F
#define GMMU_FACTORS(m, n, k, type, mtype, ptx, ca, ra, cb, rb, rtype, rc)                         \
  GMMU_FACTOR(matrix_a, "a", m, n, k, type, mtype, ptx, ca, ra, rtype, rc)                         \
  GMMU_FACTOR(matrix_b, "b", m, n, k, type, mtype, ptx, cb, rb, rtype, rc)
GMMU_FACTORS(16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8, 4, 8, 4, unsigned int, "r")
GMMU_FACTORS(32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 16, 8, 4, 2, unsigned int, "r")
GMMU_FACTORS(8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 4, 2, 16, 8, unsigned int, "r")
GMMU_FACTORS(16, 16, 16, signed char, signed char, "s8", 8, 2, 8, 2, unsigned int, "r")
GMMU_FACTORS(32, 8, 16, signed char, signed char, "s8", 16, 4, 4, 1, unsigned int, "r")
GMMU_FACTORS(8, 32, 16, signed char, signed char, "s8", 4, 1, 16, 4, unsigned int, "r")
GMMU_FACTORS(16, 16, 16, unsigned char, unsigned char, "u8", 8, 2, 8, 2, unsigned int, "r")
GMMU_FACTORS(32, 8, 16, unsigned char, unsigned char, "u8", 16, 4, 4, 1, unsigned int, "r")
GMMU_FACTORS(8, 32, 16, unsigned char, unsigned char, "u8", 4, 1, 16, 4, unsigned int, "r")
GMMU_FACTORS(16, 16, 8, precision::tf32, float, "tf32", 4, 4, 4, 4, unsigned int, "r")
GMMU_ACCUMULATOR(16, 16, 8, float, "f32", 8, 8, float, "f")
GMMU_FACTORS(8, 8, 4, double, double, "f64", 1, 1, 1, 1, double, "d")
GMMU_ACCUMULATOR(8, 8, 4, double, "f64", 2, 2, double, "d")

template <class __U, int __M, int __N, int __K, class __T, class __L, class __V>
GMMU_DEV_MMA void fill_fragment(fragment<__U, __M, __N, __K, __T, __L> &__f, const __V &__v) {
  for (int __i = 0; __i < (int)fragment<__U, __M, __N, __K, __T, __L>::num_elements; __i++)
    __f.x[__i] = __v;
}
GMMU_DEV_MMA float __float_to_tf32(float __v) { /* round to nearest, ties away from zero */
  unsigned int __u = __float_as_uint(__v);
  if ((__u & 0x7f800000u) != 0x7f800000u) __u += 0x1000u;
  return __uint_as_float(__u & 0xffffe000u);
}

/* D = A * B + C, all register lists written out: there is one instruction per layout. */
#define GMMU_PRODUCT_LAYOUT(name, m, n, k, tab, td, tc, types, lists, outs, ins, la, lb)           \
  GMMU_DEV_MMA void name(fragment<accumulator, m, n, k, td> &__d,                                  \
                         const fragment<matrix_a, m, n, k, tab, la##_major> &__a,                  \
                         const fragment<matrix_b, m, n, k, tab, lb##_major> &__b,                  \
                         const fragment<accumulator, m, n, k, tc> &__c) {                          \
    asm volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k types " " lists ";"    \
                 : outs                                                                            \
                 : ins);                                                                           \
  }
#define GMMU_PRODUCT_NAMED(name, m, n, k, tab, td, tc, types, lists, outs, ...)                    \
  GMMU_PRODUCT_LAYOUT(name, m, n, k, tab, td, tc, types, lists, GMMU_UNPACK outs,                  \
                      GMMU_UNPACK(__VA_ARGS__), row, row)                                          \
  GMMU_PRODUCT_LAYOUT(name, m, n, k, tab, td, tc, types, lists, GMMU_UNPACK outs,                  \
                      GMMU_UNPACK(__VA_ARGS__), row, col)                                          \
  GMMU_PRODUCT_LAYOUT(name, m, n, k, tab, td, tc, types, lists, GMMU_UNPACK outs,                  \
                      GMMU_UNPACK(__VA_ARGS__), col, row)                                          \
  GMMU_PRODUCT_LAYOUT(name, m, n, k, tab, td, tc, types, lists, GMMU_UNPACK outs,                  \
                      GMMU_UNPACK(__VA_ARGS__), col, col)
#define GMMU_PRODUCT(...) GMMU_PRODUCT_NAMED(mma_sync, __VA_ARGS__)
#define GMMU_UNPACK(...)  __VA_ARGS__
#define GMMU_R8(a, b, c, d, e, f, g, h)                                                            \
  "{%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h "}"
#define GMMU_R4(a, b, c, d) "{%" #a ",%" #b ",%" #c ",%" #d "}"
#define GMMU_R2(a, b)       "{%" #a ",%" #b "}"
#define GMMU_R1(a)          "{%" #a "}"
#define GMMU_F32_8_8                                                                               \
  GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7)                                                                  \
  "," GMMU_R8(8, 9, 10, 11, 12, 13, 14, 15) "," GMMU_R8(16, 17, 18, 19, 20, 21, 22, 23)
#define F(m, n, k)                                                                                 \
  GMMU_PRODUCT(m, n, k, __half, float, float, ".f32.f32",                                          \
               GMMU_F32_8_8 "," GMMU_R8(24, 25, 26, 27, 28, 29, 30, 31),                           \
               (GMMU_MMA_OUT8("=f", __d)), GMMU_MMA_OUT8("r", __a), GMMU_MMA_OUT8("r", __b),       \
               GMMU_MMA_OUT8("f", __c))                                                            \
  GMMU_PRODUCT(m, n, k, __half, float, __half, ".f32.f16",                                         \
               GMMU_F32_8_8 "," GMMU_R4(24, 25, 26, 27), (GMMU_MMA_OUT8("=f", __d)),               \
               GMMU_MMA_OUT8("r", __a), GMMU_MMA_OUT8("r", __b), GMMU_MMA_OUT4("r", __c))          \
  GMMU_PRODUCT(m, n, k, __half, __half, __half, ".f16.f16",                                        \
               GMMU_R4(0, 1, 2, 3) "," GMMU_R8(4, 5, 6, 7, 8, 9, 10, 11) "," GMMU_R8(              \
                   12, 13, 14, 15, 16, 17, 18, 19) "," GMMU_R4(20, 21, 22, 23),                    \
               (GMMU_MMA_OUT4("=r", __d)), GMMU_MMA_OUT8("r", __a), GMMU_MMA_OUT8("r", __b),       \
               GMMU_MMA_OUT4("r", __c))                                                            \
  GMMU_PRODUCT(m, n, k, __half, __half, float, ".f16.f32",                                         \
               GMMU_R4(0, 1, 2, 3) "," GMMU_R8(4, 5, 6, 7, 8, 9, 10, 11) "," GMMU_R8(              \
                   12, 13, 14, 15, 16, 17, 18, 19) "," GMMU_R8(20, 21, 22, 23, 24, 25, 26, 27),    \
               (GMMU_MMA_OUT4("=r", __d)), GMMU_MMA_OUT8("r", __a), GMMU_MMA_OUT8("r", __b),       \
               GMMU_MMA_OUT8("f", __c))
GMMU_SHAPES_OF_HALVES(F)
#undef F
GMMU_PRODUCT(16, 16, 16, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32",
             GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R4(8, 9, 10, 11) "," GMMU_R4(
                 12, 13, 14, 15) "," GMMU_R8(16, 17, 18, 19, 20, 21, 22, 23),
             (GMMU_MMA_OUT8("=f", __d)), GMMU_MMA_OUT4("r", __a), GMMU_MMA_OUT4("r", __b),
             GMMU_MMA_OUT8("f", __c))
GMMU_PRODUCT(32, 8, 16, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32",
             GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R8(8, 9, 10, 11, 12, 13, 14, 15) "," GMMU_R2(
                 16, 17) "," GMMU_R8(18, 19, 20, 21, 22, 23, 24, 25),
             (GMMU_MMA_OUT8("=f", __d)), GMMU_MMA_OUT8("r", __a), GMMU_MMA_OUT2("r", __b),
             GMMU_MMA_OUT8("f", __c))
GMMU_PRODUCT(8, 32, 16, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32",
             GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R2(8, 9) "," GMMU_R8(
                 10, 11, 12, 13, 14, 15, 16, 17) "," GMMU_R8(18, 19, 20, 21, 22, 23, 24, 25),
             (GMMU_MMA_OUT8("=f", __d)), GMMU_MMA_OUT2("r", __a), GMMU_MMA_OUT8("r", __b),
             GMMU_MMA_OUT8("f", __c))
GMMU_PRODUCT(16, 16, 8, precision::tf32, float, float, ".f32.tf32.tf32.f32",
             GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R4(8, 9, 10, 11) "," GMMU_R4(
                 12, 13, 14, 15) "," GMMU_R8(16, 17, 18, 19, 20, 21, 22, 23),
             (GMMU_MMA_OUT8("=f", __d)), GMMU_MMA_OUT4("r", __a), GMMU_MMA_OUT4("r", __b),
             GMMU_MMA_OUT8("f", __c))
GMMU_PRODUCT(8, 8, 4, double, double, double, ".rn.f64.f64.f64.f64",
             GMMU_R2(0, 1) "," GMMU_R1(2) "," GMMU_R1(3) "," GMMU_R2(4, 5),
             (GMMU_MMA_OUT2("=d", __d)), GMMU_MMA_OUT1("d", __a), GMMU_MMA_OUT1("d", __b),
             GMMU_MMA_OUT2("d", __c))
#define GMMU_BYTES(name, type, ptx, sat)                                                           \
  GMMU_PRODUCT_NAMED(name, 16, 16, 16, type, int, int, ".s32." ptx "." ptx ".s32" sat,             \
                     GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R2(8, 9) "," GMMU_R2(                \
                         10, 11) "," GMMU_R8(12, 13, 14, 15, 16, 17, 18, 19),                      \
                     (GMMU_MMA_OUT8("=r", __d)), GMMU_MMA_OUT2("r", __a), GMMU_MMA_OUT2("r", __b), \
                     GMMU_MMA_OUT8("r", __c))                                                      \
  GMMU_PRODUCT_NAMED(name, 32, 8, 16, type, int, int, ".s32." ptx "." ptx ".s32" sat,              \
                     GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R4(8, 9, 10, 11) "," GMMU_R1(        \
                         12) "," GMMU_R8(13, 14, 15, 16, 17, 18, 19, 20),                          \
                     (GMMU_MMA_OUT8("=r", __d)), GMMU_MMA_OUT4("r", __a), GMMU_MMA_OUT1("r", __b), \
                     GMMU_MMA_OUT8("r", __c))                                                      \
  GMMU_PRODUCT_NAMED(name, 8, 32, 16, type, int, int, ".s32." ptx "." ptx ".s32" sat,              \
                     GMMU_R8(0, 1, 2, 3, 4, 5, 6, 7) "," GMMU_R1(8) "," GMMU_R4(                   \
                         9, 10, 11, 12) "," GMMU_R8(13, 14, 15, 16, 17, 18, 19, 20),               \
                     (GMMU_MMA_OUT8("=r", __d)), GMMU_MMA_OUT1("r", __a), GMMU_MMA_OUT4("r", __b), \
                     GMMU_MMA_OUT8("r", __c))
GMMU_BYTES(mma_sync, signed char, "s8", "")
GMMU_BYTES(mma_sync, unsigned char, "u8", "")
GMMU_BYTES(gmmu_mma_saturated, signed char, "s8", ".satfinite")
GMMU_BYTES(gmmu_mma_saturated, unsigned char, "u8", ".satfinite")
/* Sums of bytes that stop at the largest and the smallest integer, if asked. */
template <int __M, int __N, int __K, class __T, class __A, class __B>
GMMU_DEV_MMA void mma_sync(fragment<accumulator, __M, __N, __K, int> &__d,
                           const fragment<matrix_a, __M, __N, __K, __T, __A> &__a,
                           const fragment<matrix_b, __M, __N, __K, __T, __B> &__b,
                           const fragment<accumulator, __M, __N, __K, int> &__c, bool __satf) {
  if (__satf)
    gmmu_mma_saturated(__d, __a, __b, __c);
  else
    mma_sync(__d, __a, __b, __c);
}
} // namespace wmma
} // namespace nvcuda
#endif
#endif
