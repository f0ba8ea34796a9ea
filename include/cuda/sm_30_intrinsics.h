#ifndef GMMU_CUDA_SM_30_INTRINSICS_H
#define GMMU_CUDA_SM_30_INTRINSICS_H
/* Between the lanes of a warp: shuffles, votes, matches, reductions; and loads with a cache
 * operator. The forms without _sync mean all lanes that are there. */
#include "device_functions.h"
#if defined __CUDA__

/* Which lanes are here: two branches that both ask get two answers, so that they are not merged. */
GMMU_DEV unsigned int __activemask() {
  unsigned int __m;
#if __cplusplus >= 201103L
  [[_Clang::__nomerge__]] { asm volatile("activemask.b32 %0;" : "=r"(__m)); }
#else
  asm volatile("activemask.b32 %0;" : "=r"(__m));
#endif
  return __m;
}
GMMU_DEV unsigned int gmmu_laneid() {
  unsigned int __m;
  asm("mov.u32 %0, %%laneid;" : "=r"(__m));
  return __m;
}

/* ---- shuffles -------------------------------------------------------------------------------- */
/* What a lane hands over may be set in one lane alone (`if (leader) r = ...; r = __shfl_sync(m, r,
 * 0)`). Clang takes an undefined argument for impossible, and the condition away; a reference may
 * be to anything.
 * Bits 8..12 of the last operand split the warp into segments, bits 0..4 clamp the lane. */
#define GMMU_SHFL(kind, clamp)                                                                     \
  GMMU_DEV unsigned int gmmu_shfl_##kind(unsigned int __mask, const unsigned int &__v,             \
                                         unsigned int __lane, int width) {                         \
    unsigned int __d, __c = (unsigned int)((32 - width) << 8) | clamp;                             \
    asm volatile("shfl.sync." #kind ".b32 %0, %1, %2, %3, %4;"                                     \
                 : "=r"(__d)                                                                       \
                 : "r"(__v), "r"(__lane), "r"(__c), "r"(__mask));                                  \
    return __d;                                                                                    \
  }
GMMU_SHFL(idx, 31u)
GMMU_SHFL(up, 0u)
GMMU_SHFL(down, 31u)
GMMU_SHFL(bfly, 31u)
#undef GMMU_SHFL
#define GMMU_SHFL32(name, kind, type, lane_t)                                                      \
  GMMU_DEV type name##_sync(unsigned int __mask, const type &__v, lane_t __lane, int width = 32) { \
    type __r;                                                                                      \
    unsigned int __u;                                                                              \
    __builtin_memcpy(&__u, &__v, 4);                                                               \
    __u = kind(__mask, __u, (unsigned int)__lane, width);                                          \
    __builtin_memcpy(&__r, &__u, 4);                                                               \
    return __r;                                                                                    \
  }                                                                                                \
  GMMU_DEV type name(const type &__v, lane_t __lane, int width = 32) {                             \
    return name##_sync(__activemask(), __v, __lane, width);                                        \
  }
#define GMMU_SHFL64(name, kind, type, lane_t)                                                      \
  GMMU_DEV type name##_sync(unsigned int __mask, const type &__v, lane_t __lane, int width = 32) { \
    type __r;                                                                                      \
    unsigned int __u[2];                                                                           \
    __builtin_memcpy(__u, &__v, 8);                                                                \
    __u[0] = kind(__mask, __u[0], (unsigned int)__lane, width);                                    \
    __u[1] = kind(__mask, __u[1], (unsigned int)__lane, width);                                    \
    __builtin_memcpy(&__r, __u, 8);                                                                \
    return __r;                                                                                    \
  }                                                                                                \
  GMMU_DEV type name(const type &__v, lane_t __lane, int width = 32) {                             \
    return name##_sync(__activemask(), __v, __lane, width);                                        \
  }
#define GMMU_SHFLS(name, kind, lane_t)                                                             \
  GMMU_SHFL32(name, kind, int, lane_t)                                                             \
  GMMU_SHFL32(name, kind, unsigned int, lane_t)                                                    \
  GMMU_SHFL32(name, kind, float, lane_t)                                                           \
  GMMU_SHFL64(name, kind, long, lane_t)                                                            \
  GMMU_SHFL64(name, kind, unsigned long, lane_t)                                                   \
  GMMU_SHFL64(name, kind, long long, lane_t)                                                       \
  GMMU_SHFL64(name, kind, unsigned long long, lane_t)                                              \
  GMMU_SHFL64(name, kind, double, lane_t)
GMMU_SHFLS(__shfl, gmmu_shfl_idx, int)
GMMU_SHFLS(__shfl_up, gmmu_shfl_up, unsigned int)
GMMU_SHFLS(__shfl_down, gmmu_shfl_down, unsigned int)
GMMU_SHFLS(__shfl_xor, gmmu_shfl_bfly, int)
#undef GMMU_SHFL32
#undef GMMU_SHFL64
#undef GMMU_SHFLS

/* ---- votes and matches ----------------------------------------------------------------------- */
#define GMMU_VOTE(name)                                                                            \
  GMMU_DEV int __##name##_sync(unsigned int __mask, int __p) {                                     \
    int __d;                                                                                       \
    asm volatile("{ .reg .pred t; setp.ne.s32 t, %1, 0; vote.sync." #name ".pred t, t, %2; "       \
                 "selp.s32 %0, 1, 0, t; }"                                                         \
                 : "=r"(__d)                                                                       \
                 : "r"(__p), "r"(__mask));                                                         \
    return __d;                                                                                    \
  }
GMMU_VOTE(all)
GMMU_VOTE(any)
GMMU_VOTE(uni)
#undef GMMU_VOTE
GMMU_DEV unsigned int __ballot_sync(unsigned int __mask, int __p) {
  unsigned int __d;
  asm volatile("{ .reg .pred t; setp.ne.s32 t, %1, 0; vote.sync.ballot.b32 %0, t, %2; }"
               : "=r"(__d)
               : "r"(__p), "r"(__mask));
  return __d;
}
GMMU_DEV int __all(int __p) { return __all_sync(__activemask(), __p); }
GMMU_DEV int __any(int __p) { return __any_sync(__activemask(), __p); }
GMMU_DEV unsigned int __ballot(int __p) { return __ballot_sync(__activemask(), __p); }

#define GMMU_MATCH(type, __bits, reg)                                                              \
  GMMU_DEV unsigned int __match_any_sync(unsigned int __mask, type __v) {                          \
    unsigned int __d;                                                                              \
    asm volatile("match.any.sync.b" #__bits " %0, %1, %2;" : "=r"(__d) : reg(__v), "r"(__mask));   \
    return __d;                                                                                    \
  }                                                                                                \
  GMMU_DEV unsigned int __match_all_sync(unsigned int __mask, type __v, int *__to) {               \
    unsigned int __d;                                                                              \
    int __p;                                                                                       \
    asm volatile("{ .reg .pred t; match.all.sync.b" #__bits                                        \
                 " %0|t, %2, %3; selp.s32 %1, 1, 0, t; }"                                          \
                 : "=r"(__d), "=r"(__p)                                                            \
                 : reg(__v), "r"(__mask));                                                         \
    *__to = __p;                                                                                   \
    return __d;                                                                                    \
  }
GMMU_MATCH(int, 32, "r")
GMMU_MATCH(unsigned int, 32, "r")
GMMU_MATCH(float, 32, "f")
GMMU_MATCH(long, 64, "l")
GMMU_MATCH(unsigned long, 64, "l")
GMMU_MATCH(long long, 64, "l")
GMMU_MATCH(unsigned long long, 64, "l")
GMMU_MATCH(double, 64, "d")
#undef GMMU_MATCH

/* ---- reductions of a warp -------------------------------------------------------------------- */
#define GMMU_REDUX(name, __op, type)                                                               \
  GMMU_DEV type __reduce_##name##_sync(unsigned int __mask, type __v) {                            \
    type __d;                                                                                      \
    asm volatile("redux.sync." __op " %0, %1, %2;" : "=r"(__d) : "r"(__v), "r"(__mask));           \
    return __d;                                                                                    \
  }
GMMU_REDUX(add, "add.s32", int)
GMMU_REDUX(min, "min.s32", int)
GMMU_REDUX(max, "max.s32", int)
GMMU_REDUX(add, "add.u32", unsigned int)
GMMU_REDUX(min, "min.u32", unsigned int)
GMMU_REDUX(max, "max.u32", unsigned int)
GMMU_REDUX(and, "and.b32", unsigned int)
GMMU_REDUX(or, "or.b32", unsigned int)
GMMU_REDUX(xor, "xor.b32", unsigned int)
#undef GMMU_REDUX

/* ---- loads and stores with a cache operator -------------------------------------------------- */
/* One type at a time, as registers of that type; small integers travel in wider registers. */
#define GMMU_LOAD(name, __op, type, wide, reg, suffix)                                             \
  GMMU_DEV type name(const type *__p) {                                                            \
    wide __v;                                                                                      \
    asm volatile("ld." __op "." suffix " %0, [%1];" : "=" reg(__v) : "l"(__p));                    \
    return (type)__v;                                                                              \
  }
#define GMMU_LOAD2(name, __op, type, elem, wide, reg, suffix)                                      \
  GMMU_DEV type name(const type *__p) {                                                            \
    wide x, y;                                                                                     \
    asm volatile("ld." __op ".v2." suffix " {%0, %1}, [%2];" : "=" reg(x), "=" reg(y) : "l"(__p)); \
    type __v;                                                                                      \
    __v.x = (elem)x, __v.y = (elem)y;                                                              \
    return __v;                                                                                    \
  }
#define GMMU_LOAD4(name, __op, type, elem, wide, reg, suffix)                                      \
  GMMU_DEV type name(const type *__p) {                                                            \
    wide x, y, z, w;                                                                               \
    asm volatile("ld." __op ".v4." suffix " {%0, %1, %2, %3}, [%4];"                               \
                 : "=" reg(x), "=" reg(y), "=" reg(z), "=" reg(w)                                  \
                 : "l"(__p));                                                                      \
    type __v;                                                                                      \
    __v.x = (elem)x, __v.y = (elem)y, __v.z = (elem)z, __v.w = (elem)w;                            \
    return __v;                                                                                    \
  }
#define GMMU_LOADS(name, __op)                                                                     \
  GMMU_LOAD(name, __op, char, unsigned short, "h", "s8")                                           \
  GMMU_LOAD(name, __op, signed char, unsigned short, "h", "s8")                                    \
  GMMU_LOAD(name, __op, unsigned char, unsigned short, "h", "u8")                                  \
  GMMU_LOAD(name, __op, short, unsigned short, "h", "s16")                                         \
  GMMU_LOAD(name, __op, unsigned short, unsigned short, "h", "u16")                                \
  GMMU_LOAD(name, __op, int, int, "r", "s32")                                                      \
  GMMU_LOAD(name, __op, unsigned int, unsigned int, "r", "u32")                                    \
  GMMU_LOAD(name, __op, long, long, "l", "s64")                                                    \
  GMMU_LOAD(name, __op, unsigned long, unsigned long, "l", "u64")                                  \
  GMMU_LOAD(name, __op, long long, long long, "l", "s64")                                          \
  GMMU_LOAD(name, __op, unsigned long long, unsigned long long, "l", "u64")                        \
  GMMU_LOAD(name, __op, float, float, "f", "f32")                                                  \
  GMMU_LOAD(name, __op, double, double, "d", "f64")                                                \
  GMMU_LOAD2(name, __op, char2, signed char, unsigned short, "h", "s8")                            \
  GMMU_LOAD2(name, __op, uchar2, unsigned char, unsigned short, "h", "u8")                         \
  GMMU_LOAD2(name, __op, short2, short, unsigned short, "h", "s16")                                \
  GMMU_LOAD2(name, __op, ushort2, unsigned short, unsigned short, "h", "u16")                      \
  GMMU_LOAD2(name, __op, int2, int, int, "r", "s32")                                               \
  GMMU_LOAD2(name, __op, uint2, unsigned int, unsigned int, "r", "u32")                            \
  GMMU_LOAD2(name, __op, longlong2, long long, long long, "l", "s64")                              \
  GMMU_LOAD2(name, __op, ulonglong2, unsigned long long, unsigned long long, "l", "u64")           \
  GMMU_LOAD2(name, __op, float2, float, float, "f", "f32")                                         \
  GMMU_LOAD2(name, __op, double2, double, double, "d", "f64")                                      \
  GMMU_LOAD4(name, __op, char4, signed char, unsigned short, "h", "s8")                            \
  GMMU_LOAD4(name, __op, uchar4, unsigned char, unsigned short, "h", "u8")                         \
  GMMU_LOAD4(name, __op, short4, short, unsigned short, "h", "s16")                                \
  GMMU_LOAD4(name, __op, ushort4, unsigned short, unsigned short, "h", "u16")                      \
  GMMU_LOAD4(name, __op, int4, int, int, "r", "s32")                                               \
  GMMU_LOAD4(name, __op, uint4, unsigned int, unsigned int, "r", "u32")                            \
  GMMU_LOAD4(name, __op, float4, float, float, "f", "f32")
GMMU_LOADS(__ldg, "global.nc")
GMMU_LOADS(__ldcg, "global.cg")
GMMU_LOADS(__ldca, "global.ca")
GMMU_LOADS(__ldcs, "global.cs")
GMMU_LOADS(__ldcv, "global.cv")
GMMU_LOADS(__ldlu, "global.lu")
#undef GMMU_LOAD
#undef GMMU_LOAD2
#undef GMMU_LOAD4
#undef GMMU_LOADS
#define GMMU_STORE(name, __op, type, wide, reg, suffix)                                            \
  GMMU_DEV void name(type *__p, type __v) {                                                        \
    asm volatile("st." __op "." suffix " [%0], %1;" ::"l"(__p), reg((wide)__v) : "memory");        \
  }
#define GMMU_STORE2(name, __op, type, wide, reg, suffix)                                           \
  GMMU_DEV void name(type *__p, type __v) {                                                        \
    asm volatile("st." __op ".v2." suffix " [%0], {%1, %2};" ::"l"(__p), reg((wide)__v.x),         \
                 reg((wide)__v.y)                                                                  \
                 : "memory");                                                                      \
  }
#define GMMU_STORE4(name, __op, type, wide, reg, suffix)                                           \
  GMMU_DEV void name(type *__p, type __v) {                                                        \
    asm volatile("st." __op ".v4." suffix " [%0], {%1, %2, %3, %4};" ::"l"(__p), reg((wide)__v.x), \
                 reg((wide)__v.y), reg((wide)__v.z), reg((wide)__v.w)                              \
                 : "memory");                                                                      \
  }
#define GMMU_STORES(name, __op)                                                                    \
  GMMU_STORE(name, __op, char, unsigned short, "h", "s8")                                          \
  GMMU_STORE(name, __op, signed char, unsigned short, "h", "s8")                                   \
  GMMU_STORE(name, __op, unsigned char, unsigned short, "h", "u8")                                 \
  GMMU_STORE(name, __op, short, unsigned short, "h", "s16")                                        \
  GMMU_STORE(name, __op, unsigned short, unsigned short, "h", "u16")                               \
  GMMU_STORE(name, __op, int, int, "r", "s32")                                                     \
  GMMU_STORE(name, __op, unsigned int, unsigned int, "r", "u32")                                   \
  GMMU_STORE(name, __op, long, long, "l", "s64")                                                   \
  GMMU_STORE(name, __op, unsigned long, unsigned long, "l", "u64")                                 \
  GMMU_STORE(name, __op, long long, long long, "l", "s64")                                         \
  GMMU_STORE(name, __op, unsigned long long, unsigned long long, "l", "u64")                       \
  GMMU_STORE(name, __op, float, float, "f", "f32")                                                 \
  GMMU_STORE(name, __op, double, double, "d", "f64")                                               \
  GMMU_STORE2(name, __op, char2, unsigned short, "h", "s8")                                        \
  GMMU_STORE2(name, __op, uchar2, unsigned short, "h", "u8")                                       \
  GMMU_STORE2(name, __op, short2, unsigned short, "h", "s16")                                      \
  GMMU_STORE2(name, __op, ushort2, unsigned short, "h", "u16")                                     \
  GMMU_STORE2(name, __op, int2, int, "r", "s32")                                                   \
  GMMU_STORE2(name, __op, uint2, unsigned int, "r", "u32")                                         \
  GMMU_STORE2(name, __op, float2, float, "f", "f32")                                               \
  GMMU_STORE2(name, __op, longlong2, long long, "l", "s64")                                        \
  GMMU_STORE2(name, __op, ulonglong2, unsigned long long, "l", "u64")                              \
  GMMU_STORE2(name, __op, double2, double, "d", "f64")                                             \
  GMMU_STORE4(name, __op, char4, unsigned short, "h", "s8")                                        \
  GMMU_STORE4(name, __op, uchar4, unsigned short, "h", "u8")                                       \
  GMMU_STORE4(name, __op, short4, unsigned short, "h", "s16")                                      \
  GMMU_STORE4(name, __op, ushort4, unsigned short, "h", "u16")                                     \
  GMMU_STORE4(name, __op, int4, int, "r", "s32")                                                   \
  GMMU_STORE4(name, __op, uint4, unsigned int, "r", "u32")                                         \
  GMMU_STORE4(name, __op, float4, float, "f", "f32")
GMMU_STORES(__stwb, "global.wb")
GMMU_STORES(__stcg, "global.cg")
GMMU_STORES(__stcs, "global.cs")
GMMU_STORES(__stwt, "global.wt")
#undef GMMU_STORE
#undef GMMU_STORE2
#undef GMMU_STORE4
#undef GMMU_STORES
#endif
#endif
