#ifndef GMMU_CUDA_VECTOR_TYPES_H
#define GMMU_CUDA_VECTOR_TYPES_H
/* char1 .. double4 and dim3: sizes and alignments are part of the ABI between host, device and
 * library. */
#include "host_defines.h"
#define __VECTOR_TYPES_H__

#define GMMU_VECTOR1(name, type)                                                                   \
  struct name##1 {                                                                                 \
    type x;                                                                                        \
  };                                                                                               \
  typedef struct name##1 name##1;
#define GMMU_VECTOR2(name, type, align)                                                            \
  struct __attribute__((aligned(align))) name##2 {                                                 \
    type x, y;                                                                                     \
  };                                                                                               \
  typedef struct name##2 name##2;
#define GMMU_VECTOR3(name, type)                                                                   \
  struct name##3 {                                                                                 \
    type x, y, z;                                                                                  \
  };                                                                                               \
  typedef struct name##3 name##3;
#define GMMU_VECTOR4(name, type, align)                                                            \
  struct __attribute__((aligned(align))) name##4 {                                                 \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  typedef struct name##4 name##4;
#define GMMU_VECTORS(name, type, align2, align4)                                                   \
  GMMU_VECTOR1(name, type)                                                                         \
  GMMU_VECTOR2(name, type, align2)                                                                 \
  GMMU_VECTOR3(name, type)                                                                         \
  GMMU_VECTOR4(name, type, align4)

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

#undef GMMU_VECTOR1
#undef GMMU_VECTOR2
#undef GMMU_VECTOR3
#undef GMMU_VECTOR4
#undef GMMU_VECTORS

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
#endif
