#ifndef GMMU_CUDA_CUCOMPLEX_H
#define GMMU_CUDA_CUCOMPLEX_H
/* Complex numbers of CUDA: pairs, and functions of them for the host and the device. */
#include "vector_functions.h"
#include <math.h>

#if defined __CUDA__
#define GMMU_CX static __inline__ __host__ __device__
#else
#define GMMU_CX static inline
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* f: what the names end with; abs and divide scale by the larger part, so that nothing overflows.
 */
#define GMMU_COMPLEX(__C, __R, f, make, __fabs, __sqrt, __fma)                                     \
  GMMU_CX __C make(__R __r, __R __i) {                                                             \
    __C __v;                                                                                       \
    __v.x = __r, __v.y = __i;                                                                      \
    return __v;                                                                                    \
  }                                                                                                \
  GMMU_CX __R cuCreal##f(__C __a) { return __a.x; }                                                \
  GMMU_CX __R cuCimag##f(__C __a) { return __a.y; }                                                \
  GMMU_CX __C cuConj##f(__C __a) { return make(__a.x, -__a.y); }                                   \
  GMMU_CX __C cuCadd##f(__C __a, __C __b) { return make(__a.x + __b.x, __a.y + __b.y); }           \
  GMMU_CX __C cuCsub##f(__C __a, __C __b) { return make(__a.x - __b.x, __a.y - __b.y); }           \
  GMMU_CX __C cuCmul##f(__C __a, __C __b) {                                                        \
    return make(__a.x * __b.x - __a.y * __b.y, __a.x * __b.y + __a.y * __b.x);                     \
  }                                                                                                \
  GMMU_CX __C cuCdiv##f(__C __a, __C __b) {                                                        \
    __R __s = __fabs(__b.x) + __fabs(__b.y), __o = 1 / __s;                                        \
    __R __ax = __a.x * __o, __ay = __a.y * __o, __bx = __b.x * __o, __by = __b.y * __o;            \
    __o = 1 / (__bx * __bx + __by * __by);                                                         \
    return make((__ax * __bx + __ay * __by) * __o, (__ay * __bx - __ax * __by) * __o);             \
  }                                                                                                \
  GMMU_CX __R cuCabs##f(__C __a) {                                                                 \
    __R __p = __fabs(__a.x), __q = __fabs(__a.y), __m = __p > __q ? __p : __q;                     \
    __R __n = __p > __q ? __q : __p;                                                               \
    if (__m == 0 || __m * 0 != 0 || __n * 0 != 0) return __p + __q; /* 0, infinite, no number */   \
    __R __t = __n / __m;                                                                           \
    return __m * __sqrt(1 + __t * __t);                                                            \
  }                                                                                                \
  GMMU_CX __C cuCfma##f(__C __a, __C __b, __C __c) {                                               \
    return make(__fma(-__a.y, __b.y, __fma(__a.x, __b.x, __c.x)),                                  \
                __fma(__a.y, __b.x, __fma(__a.x, __b.y, __c.y)));                                  \
  }
GMMU_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, fabsf, sqrtf, fmaf)
GMMU_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, fabs, sqrt, fma)
#undef GMMU_COMPLEX
GMMU_CX cuComplex make_cuComplex(float __r, float __i) { return make_cuFloatComplex(__r, __i); }
GMMU_CX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex __a) {
  return make_cuDoubleComplex(__a.x, __a.y);
}
GMMU_CX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex __a) {
  return make_cuFloatComplex((float)__a.x, (float)__a.y);
}
#undef GMMU_CX
#endif
