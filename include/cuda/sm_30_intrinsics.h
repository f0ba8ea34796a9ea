#ifndef GMMU_CUDA_SM_30_INTRINSICS_H
#define GMMU_CUDA_SM_30_INTRINSICS_H
/* Between the lanes of a warp: shuffles, votes, matches, reductions; and loads with a cache
 * operator. The forms without _sync mean all lanes that are there. */
#include "device_functions.h"
#if defined __CUDA__

GMMU_DEV unsigned int __activemask() {
  unsigned int m;
  asm volatile("activemask.b32 %0;" : "=r"(m));
  return m;
}
GMMU_DEV unsigned int gmmu_laneid() {
  unsigned int m;
  asm("mov.u32 %0, %%laneid;" : "=r"(m));
  return m;
}

/* ---- shuffles -------------------------------------------------------------------------------- */
/* Bits 8..12 of the last operand split the warp into segments, bits 0..4 clamp the lane. */
#define GMMU_SHFL(kind, clamp)                                                                     \
  GMMU_DEV unsigned int gmmu_shfl_##kind(unsigned int mask, unsigned int v, unsigned int lane,     \
                                         int width) {                                              \
    unsigned int d, c = (unsigned int)((32 - width) << 8) | clamp;                                 \
    asm volatile("shfl.sync." #kind ".b32 %0, %1, %2, %3, %4;"                                     \
                 : "=r"(d)                                                                         \
                 : "r"(v), "r"(lane), "r"(c), "r"(mask));                                          \
    return d;                                                                                      \
  }
GMMU_SHFL(idx, 31u)
GMMU_SHFL(up, 0u)
GMMU_SHFL(down, 31u)
GMMU_SHFL(bfly, 31u)
#undef GMMU_SHFL
#define GMMU_SHFL32(name, kind, type, lane_t)                                                      \
  GMMU_DEV type name##_sync(unsigned int mask, type v, lane_t lane, int width = 32) {              \
    unsigned int u;                                                                                \
    __builtin_memcpy(&u, &v, 4);                                                                   \
    u = gmmu_shfl_##kind(mask, u, (unsigned int)lane, width);                                      \
    __builtin_memcpy(&v, &u, 4);                                                                   \
    return v;                                                                                      \
  }                                                                                                \
  GMMU_DEV type name(type v, lane_t lane, int width = 32) {                                        \
    return name##_sync(__activemask(), v, lane, width);                                            \
  }
#define GMMU_SHFL64(name, kind, type, lane_t)                                                      \
  GMMU_DEV type name##_sync(unsigned int mask, type v, lane_t lane, int width = 32) {              \
    unsigned int u[2];                                                                             \
    __builtin_memcpy(u, &v, 8);                                                                    \
    u[0] = gmmu_shfl_##kind(mask, u[0], (unsigned int)lane, width);                                \
    u[1] = gmmu_shfl_##kind(mask, u[1], (unsigned int)lane, width);                                \
    __builtin_memcpy(&v, u, 8);                                                                    \
    return v;                                                                                      \
  }                                                                                                \
  GMMU_DEV type name(type v, lane_t lane, int width = 32) {                                        \
    return name##_sync(__activemask(), v, lane, width);                                            \
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
GMMU_SHFLS(__shfl, idx, int)
GMMU_SHFLS(__shfl_up, up, unsigned int)
GMMU_SHFLS(__shfl_down, down, unsigned int)
GMMU_SHFLS(__shfl_xor, bfly, int)
#undef GMMU_SHFL32
#undef GMMU_SHFL64
#undef GMMU_SHFLS

/* ---- votes and matches ----------------------------------------------------------------------- */
#define GMMU_VOTE(name)                                                                            \
  GMMU_DEV int __##name##_sync(unsigned int mask, int p) {                                         \
    int d;                                                                                         \
    asm volatile("{ .reg .pred t; setp.ne.s32 t, %1, 0; vote.sync." #name ".pred t, t, %2; "       \
                 "selp.s32 %0, 1, 0, t; }"                                                         \
                 : "=r"(d)                                                                         \
                 : "r"(p), "r"(mask));                                                             \
    return d;                                                                                      \
  }
GMMU_VOTE(all)
GMMU_VOTE(any)
GMMU_VOTE(uni)
#undef GMMU_VOTE
GMMU_DEV unsigned int __ballot_sync(unsigned int mask, int p) {
  unsigned int d;
  asm volatile("{ .reg .pred t; setp.ne.s32 t, %1, 0; vote.sync.ballot.b32 %0, t, %2; }"
               : "=r"(d)
               : "r"(p), "r"(mask));
  return d;
}
GMMU_DEV int __all(int p) { return __all_sync(__activemask(), p); }
GMMU_DEV int __any(int p) { return __any_sync(__activemask(), p); }
GMMU_DEV unsigned int __ballot(int p) { return __ballot_sync(__activemask(), p); }

#define GMMU_MATCH(type, bits, reg)                                                                \
  GMMU_DEV unsigned int __match_any_sync(unsigned int mask, type v) {                              \
    unsigned int d;                                                                                \
    asm volatile("match.any.sync.b" #bits " %0, %1, %2;" : "=r"(d) : reg(v), "r"(mask));           \
    return d;                                                                                      \
  }                                                                                                \
  GMMU_DEV unsigned int __match_all_sync(unsigned int mask, type v, int *all) {                    \
    unsigned int d;                                                                                \
    int p;                                                                                         \
    asm volatile("{ .reg .pred t; match.all.sync.b" #bits " %0|t, %2, %3; selp.s32 %1, 1, 0, t; }" \
                 : "=r"(d), "=r"(p)                                                                \
                 : reg(v), "r"(mask));                                                             \
    *all = p;                                                                                      \
    return d;                                                                                      \
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
#define GMMU_REDUX(name, op, type)                                                                 \
  GMMU_DEV type __reduce_##name##_sync(unsigned int mask, type v) {                                \
    type d;                                                                                        \
    asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(d) : "r"(v), "r"(mask));                   \
    return d;                                                                                      \
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
#define GMMU_LOAD(name, op, type, wide, reg, suffix)                                               \
  GMMU_DEV type name(const type *p) {                                                              \
    wide v;                                                                                        \
    asm volatile("ld." op "." suffix " %0, [%1];" : "=" reg(v) : "l"(p));                          \
    return (type)v;                                                                                \
  }
#define GMMU_LOAD2(name, op, type, elem, wide, reg, suffix)                                        \
  GMMU_DEV type name(const type *p) {                                                              \
    wide x, y;                                                                                     \
    asm volatile("ld." op ".v2." suffix " {%0, %1}, [%2];" : "=" reg(x), "=" reg(y) : "l"(p));     \
    type v;                                                                                        \
    v.x = (elem)x, v.y = (elem)y;                                                                  \
    return v;                                                                                      \
  }
#define GMMU_LOAD4(name, op, type, elem, wide, reg, suffix)                                        \
  GMMU_DEV type name(const type *p) {                                                              \
    wide x, y, z, w;                                                                               \
    asm volatile("ld." op ".v4." suffix " {%0, %1, %2, %3}, [%4];"                                 \
                 : "=" reg(x), "=" reg(y), "=" reg(z), "=" reg(w)                                  \
                 : "l"(p));                                                                        \
    type v;                                                                                        \
    v.x = (elem)x, v.y = (elem)y, v.z = (elem)z, v.w = (elem)w;                                    \
    return v;                                                                                      \
  }
#define GMMU_LOADS(name, op)                                                                       \
  GMMU_LOAD(name, op, char, unsigned short, "h", "s8")                                             \
  GMMU_LOAD(name, op, signed char, unsigned short, "h", "s8")                                      \
  GMMU_LOAD(name, op, unsigned char, unsigned short, "h", "u8")                                    \
  GMMU_LOAD(name, op, short, unsigned short, "h", "s16")                                           \
  GMMU_LOAD(name, op, unsigned short, unsigned short, "h", "u16")                                  \
  GMMU_LOAD(name, op, int, int, "r", "s32")                                                        \
  GMMU_LOAD(name, op, unsigned int, unsigned int, "r", "u32")                                      \
  GMMU_LOAD(name, op, long, long, "l", "s64")                                                      \
  GMMU_LOAD(name, op, unsigned long, unsigned long, "l", "u64")                                    \
  GMMU_LOAD(name, op, long long, long long, "l", "s64")                                            \
  GMMU_LOAD(name, op, unsigned long long, unsigned long long, "l", "u64")                          \
  GMMU_LOAD(name, op, float, float, "f", "f32")                                                    \
  GMMU_LOAD(name, op, double, double, "d", "f64")                                                  \
  GMMU_LOAD2(name, op, char2, signed char, unsigned short, "h", "s8")                              \
  GMMU_LOAD2(name, op, uchar2, unsigned char, unsigned short, "h", "u8")                           \
  GMMU_LOAD2(name, op, short2, short, unsigned short, "h", "s16")                                  \
  GMMU_LOAD2(name, op, ushort2, unsigned short, unsigned short, "h", "u16")                        \
  GMMU_LOAD2(name, op, int2, int, int, "r", "s32")                                                 \
  GMMU_LOAD2(name, op, uint2, unsigned int, unsigned int, "r", "u32")                              \
  GMMU_LOAD2(name, op, longlong2, long long, long long, "l", "s64")                                \
  GMMU_LOAD2(name, op, ulonglong2, unsigned long long, unsigned long long, "l", "u64")             \
  GMMU_LOAD2(name, op, float2, float, float, "f", "f32")                                           \
  GMMU_LOAD2(name, op, double2, double, double, "d", "f64")                                        \
  GMMU_LOAD4(name, op, char4, signed char, unsigned short, "h", "s8")                              \
  GMMU_LOAD4(name, op, uchar4, unsigned char, unsigned short, "h", "u8")                           \
  GMMU_LOAD4(name, op, short4, short, unsigned short, "h", "s16")                                  \
  GMMU_LOAD4(name, op, ushort4, unsigned short, unsigned short, "h", "u16")                        \
  GMMU_LOAD4(name, op, int4, int, int, "r", "s32")                                                 \
  GMMU_LOAD4(name, op, uint4, unsigned int, unsigned int, "r", "u32")                              \
  GMMU_LOAD4(name, op, float4, float, float, "f", "f32")
GMMU_LOADS(__ldg, "global.nc")
GMMU_LOADS(__ldcg, "global.cg")
GMMU_LOADS(__ldca, "global.ca")
GMMU_LOADS(__ldcs, "global.cs")
GMMU_LOADS(__ldcv, "global.cv")
#undef GMMU_LOAD
#undef GMMU_LOAD2
#undef GMMU_LOAD4
#undef GMMU_LOADS
#define GMMU_STORE(name, op, type, reg, suffix)                                                    \
  GMMU_DEV void name(type *p, type v) {                                                            \
    asm volatile("st." op "." suffix " [%0], %1;" ::"l"(p), reg(v) : "memory");                    \
  }
#define GMMU_STORES(name, op)                                                                      \
  GMMU_STORE(name, op, int, "r", "s32")                                                            \
  GMMU_STORE(name, op, unsigned int, "r", "u32")                                                   \
  GMMU_STORE(name, op, long long, "l", "s64")                                                      \
  GMMU_STORE(name, op, unsigned long long, "l", "u64")                                             \
  GMMU_STORE(name, op, float, "f", "f32")                                                          \
  GMMU_STORE(name, op, double, "d", "f64")
GMMU_STORES(__stwb, "global.wb")
GMMU_STORES(__stcg, "global.cg")
GMMU_STORES(__stcs, "global.cs")
GMMU_STORES(__stwt, "global.wt")
#undef GMMU_STORE
#undef GMMU_STORES
#endif
#endif
