#ifndef GMMU_CUDA_DEVICE_ATOMIC_FUNCTIONS_H
#define GMMU_CUDA_DEVICE_ATOMIC_FUNCTIONS_H
/* Atomic functions of every type; _block and _system have the scopes of their names. Addresses are
 * generic: the same function serves global and shared memory. */
#include "vector_types.h"
#if defined __CUDA__
#define GMMU_DEV_ATOMIC static __inline__ __device__ __attribute__((__always_inline__))
#define GMMU_ATOMIC(name, scope, __op, type, reg, suffix)                                          \
  GMMU_DEV_ATOMIC type name(type *__p, type __v) {                                                 \
    type __old;                                                                                    \
    asm volatile("atom" scope "." __op "." suffix " %0, [%1], %2;"                                 \
                 : "=" reg(__old)                                                                  \
                 : "l"(__p), reg(__v)                                                              \
                 : "memory");                                                                      \
    return __old;                                                                                  \
  }
#define GMMU_CAS(name, scope, type, reg, suffix)                                                   \
  GMMU_DEV_ATOMIC type name(type *__p, type __compare, type __v) {                                 \
    type __old;                                                                                    \
    asm volatile("atom" scope ".cas." suffix " %0, [%1], %2, %3;"                                  \
                 : "=" reg(__old)                                                                  \
                 : "l"(__p), reg(__compare), reg(__v)                                              \
                 : "memory");                                                                      \
    return __old;                                                                                  \
  }
#define GMMU_SCOPES(name, __op, type, reg, suffix)                                                 \
  GMMU_ATOMIC(name, "", __op, type, reg, suffix)                                                   \
  GMMU_ATOMIC(name##_block, ".cta", __op, type, reg, suffix)                                       \
  GMMU_ATOMIC(name##_system, ".sys", __op, type, reg, suffix)
#define GMMU_CAS_SCOPES(type, reg, suffix)                                                         \
  GMMU_CAS(atomicCAS, "", type, reg, suffix)                                                       \
  GMMU_CAS(atomicCAS_block, ".cta", type, reg, suffix)                                             \
  GMMU_CAS(atomicCAS_system, ".sys", type, reg, suffix)

GMMU_SCOPES(atomicAdd, "add", int, "r", "s32")
GMMU_SCOPES(atomicAdd, "add", unsigned int, "r", "u32")
GMMU_SCOPES(atomicAdd, "add", unsigned long long, "l", "u64")
GMMU_SCOPES(atomicAdd, "add", float, "f", "f32")
GMMU_SCOPES(atomicAdd, "add", double, "d", "f64")
GMMU_SCOPES(atomicMin, "min", int, "r", "s32")
GMMU_SCOPES(atomicMin, "min", unsigned int, "r", "u32")
GMMU_SCOPES(atomicMin, "min", long long, "l", "s64")
GMMU_SCOPES(atomicMin, "min", unsigned long long, "l", "u64")
GMMU_SCOPES(atomicMax, "max", int, "r", "s32")
GMMU_SCOPES(atomicMax, "max", unsigned int, "r", "u32")
GMMU_SCOPES(atomicMax, "max", long long, "l", "s64")
GMMU_SCOPES(atomicMax, "max", unsigned long long, "l", "u64")
GMMU_SCOPES(atomicAnd, "and", int, "r", "b32")
GMMU_SCOPES(atomicAnd, "and", unsigned int, "r", "b32")
GMMU_SCOPES(atomicAnd, "and", long long, "l", "b64")
GMMU_SCOPES(atomicAnd, "and", unsigned long long, "l", "b64")
GMMU_SCOPES(atomicOr, "or", int, "r", "b32")
GMMU_SCOPES(atomicOr, "or", unsigned int, "r", "b32")
GMMU_SCOPES(atomicOr, "or", long long, "l", "b64")
GMMU_SCOPES(atomicOr, "or", unsigned long long, "l", "b64")
GMMU_SCOPES(atomicXor, "xor", int, "r", "b32")
GMMU_SCOPES(atomicXor, "xor", unsigned int, "r", "b32")
GMMU_SCOPES(atomicXor, "xor", long long, "l", "b64")
GMMU_SCOPES(atomicXor, "xor", unsigned long long, "l", "b64")
GMMU_SCOPES(atomicExch, "exch", int, "r", "b32")
GMMU_SCOPES(atomicExch, "exch", unsigned int, "r", "b32")
GMMU_SCOPES(atomicExch, "exch", unsigned long long, "l", "b64")
GMMU_SCOPES(atomicExch, "exch", float, "f", "b32")
GMMU_SCOPES(atomicInc, "inc", unsigned int, "r", "u32")
GMMU_SCOPES(atomicDec, "dec", unsigned int, "r", "u32")
GMMU_CAS_SCOPES(int, "r", "b32")
GMMU_CAS_SCOPES(unsigned int, "r", "b32")
GMMU_CAS_SCOPES(unsigned long long, "l", "b64")
GMMU_CAS(atomicCAS, "", unsigned short, "h", "b16")
#undef GMMU_ATOMIC
#undef GMMU_CAS
#undef GMMU_SCOPES
#undef GMMU_CAS_SCOPES

#define GMMU_ATOMIC_SUB(name, add, type)                                                           \
  GMMU_DEV_ATOMIC type name(type *__p, type __v) { return add(__p, (type)(0 - (unsigned int)__v)); }
GMMU_ATOMIC_SUB(atomicSub, atomicAdd, int)
GMMU_ATOMIC_SUB(atomicSub, atomicAdd, unsigned int)
GMMU_ATOMIC_SUB(atomicSub_block, atomicAdd_block, int)
GMMU_ATOMIC_SUB(atomicSub_block, atomicAdd_block, unsigned int)
GMMU_ATOMIC_SUB(atomicSub_system, atomicAdd_system, int)
GMMU_ATOMIC_SUB(atomicSub_system, atomicAdd_system, unsigned int)
#undef GMMU_ATOMIC_SUB
#undef GMMU_DEV_ATOMIC
#endif
#endif
