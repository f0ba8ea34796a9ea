#ifndef GMMU_CUDA_VECTOR_FUNCTIONS_H
#define GMMU_CUDA_VECTOR_FUNCTIONS_H
/* make_char1() .. make_double4(). */
#include "vector_types.h"
#define __VECTOR_FUNCTIONS_H__

#define GMMU_MAKE(name, type)                                                                      \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                           \
    name##1 __v;                                                                                   \
    __v.x = x;                                                                                     \
    return __v;                                                                                    \
  }                                                                                                \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                   \
    name##2 __v;                                                                                   \
    __v.x = x, __v.y = y;                                                                          \
    return __v;                                                                                    \
  }                                                                                                \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {           \
    name##3 __v;                                                                                   \
    __v.x = x, __v.y = y, __v.z = z;                                                               \
    return __v;                                                                                    \
  }                                                                                                \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) {   \
    name##4 __v;                                                                                   \
    __v.x = x, __v.y = y, __v.z = z, __v.w = w;                                                    \
    return __v;                                                                                    \
  }

GMMU_MAKE(char, signed char)
GMMU_MAKE(uchar, unsigned char)
GMMU_MAKE(short, short)
GMMU_MAKE(ushort, unsigned short)
GMMU_MAKE(int, int)
GMMU_MAKE(uint, unsigned int)
GMMU_MAKE(long, long)
GMMU_MAKE(ulong, unsigned long)
GMMU_MAKE(longlong, long long)
GMMU_MAKE(ulonglong, unsigned long long)
GMMU_MAKE(float, float)
GMMU_MAKE(double, double)
#undef GMMU_MAKE
#endif
