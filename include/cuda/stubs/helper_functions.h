#ifndef GMMU_CUDA_HELPER_FUNCTIONS_H
#define GMMU_CUDA_HELPER_FUNCTIONS_H
#include "helper_string.h"
#include "helper_timer.h"
#include <math.h>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
static inline bool sdkCompareL2fe(const float *__want, const float *__got, unsigned int __n,
                                  float __limit) {
  double error = 0, size = 0;
  for (unsigned int __i = 0; __i < __n; __i++) {
    double __d = (double)__want[__i] - __got[__i];
    error += __d * __d, size += (double)__want[__i] * __want[__i];
  }
  return size > 0 && sqrt(error / size) < __limit;
}
#endif
