/* One kernel per function, for test_math_ptx.c. Names are C's; std:: and host calls must compile
 * beside them. */
#define __device__      __attribute__((device))
#define __host__        __attribute__((host))
#define __global__      __attribute__((global))
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#include "gmmu_math.h"

#include <cmath>
#include <cstdlib>

#include <algorithm> /* clang's wrapper wants malloc declared */

static __device__ __forceinline__ int me() {
  return (int)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
               __nvvm_read_ptx_sreg_tid_x());
}

#define ONE(T, name)                                                                               \
  extern "C" __global__ void k_##name(const T *a, const T *b, T *o) { o[me()] = name(a[me()]); }
#define TWO(T, name)                                                                               \
  extern "C" __global__ void k_##name(const T *a, const T *b, T *o) {                              \
    o[me()] = name(a[me()], b[me()]);                                                              \
  }
#define F1(name) ONE(float, name)
#define D1(name) ONE(double, name)
#define F2(name) TWO(float, name)
#define D2(name) TWO(double, name)
#include "math_list.def"

/* overloads and std:: names mean the same functions */
extern "C" __global__ void k_overloads(const float *a, const float *b, float *o) {
  int i = me();
  float x = a[i], y = b[i];
  bool same = (std::sin(x) == sinf(x) && cos(x) == cosf(x) && std::pow(x, y) == powf(x, y)) ||
              isnan(x) || std::isnan(y) || isinf(x) || std::isinf(y) || x < 0;
  same = same && sin(3) == sin(3.0) && std::sqrt(4.0f) == sqrt(4) && pow(2, 10) == 1024.0 &&
         std::pow(2.0f, 3) == 8.0;
  same = same && std::abs(-3) == 3 && abs(-2.5f) == 2.5f && std::min(1.0f, 2.0f) == 1.0f &&
         max(1.0f, 2.0f) == 2.0f;
  o[i] = same ? 1.0f : 0.0f;
}

double on_the_host(float x, double y, int i) {
  return std::sin(x) + sinf(x) + ::sin(y) + std::exp(i) + expf(x) + std::pow(x, 2) + pow(y, 2.0) +
         abs(i) + std::abs(y) + fabs(x) + std::isnan(y) + lgamma(y) + std::sqrt(x) + exp2(x) +
         floor(x);
}
