#ifndef GMMU_CUDA_VECTOR_TYPES_H
#define GMMU_CUDA_VECTOR_TYPES_H
/* char1 .. double4 and dim3: sizes and alignments are part of the ABI between host, device and
 * library. */
#include "host_defines.h"
#define __VECTOR_TYPES_H__

/* The names are pasted here and not further down: uchar may be a macro of the program. */
#define GMMU_VECTOR(name, ...)                                                                     \
  struct name {                                                                                    \
    __VA_ARGS__;                                                                                   \
  };                                                                                               \
  typedef struct name name;
#define GMMU_ALIGNED(name, align, ...)                                                             \
  struct __attribute__((__aligned__(align))) name {                                                \
    __VA_ARGS__;                                                                                   \
  };                                                                                               \
  typedef struct name name;
#define GMMU_VECTORS(name, type, align2, align4)                                                   \
  GMMU_VECTOR(name##1, type x)                                                                     \
  GMMU_ALIGNED(name##2, align2, type x, y)                                                         \
  GMMU_VECTOR(name##3, type x, y, z)                                                               \
  GMMU_ALIGNED(name##4, align4, type x, y, z, w)

GMMU_VECTORS(char, signed char, 2, 4)
GMMU_VECTORS(uchar, unsigned char, 2, 4)
GMMU_VECTORS(short, short, 4, 8)
GMMU_VECTORS(ushort, unsigned short, 4, 8)
GMMU_VECTORS(int, int, 8, 16)
GMMU_VECTORS(uint, unsigned int, 8, 16)
GMMU_VECTORS(long, long, 16, 16)
GMMU_VECTORS(ulong, unsigned long, 16, 16)
GMMU_VECTORS(longlong, long long, 16, 16)
GMMU_VECTORS(ulonglong, unsigned long long, 16, 16)
GMMU_VECTORS(float, float, 8, 16)
GMMU_VECTORS(double, double, 16, 16)

#undef GMMU_VECTOR
#undef GMMU_ALIGNED
#undef GMMU_VECTORS

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ GMMU_CONSTEXPR dim3(unsigned int __vx = 1, unsigned int __vy = 1,
                                          unsigned int __vz = 1)
      : x(__vx), y(__vy), z(__vz) {}
  __host__ __device__ GMMU_CONSTEXPR dim3(uint3 __v) : x(__v.x), y(__v.y), z(__v.z) {}
  __host__ __device__ GMMU_CONSTEXPR operator uint3() const { return (uint3){x, y, z}; }
#endif
};
typedef struct dim3 dim3;
#endif
