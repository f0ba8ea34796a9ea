#ifndef GMMU_CUDA_HELPER_FUNCTIONS_H
#define GMMU_CUDA_HELPER_FUNCTIONS_H
#include "helper_string.h"
#include "helper_timer.h"
#include <math.h>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
static inline bool sdkCompareL2fe(const float *want, const float *got, unsigned int n,
                                  float limit) {
  double error = 0, size = 0;
  for (unsigned int i = 0; i < n; i++) {
    double d = (double)want[i] - got[i];
    error += d * d, size += (double)want[i] * want[i];
  }
  return size > 0 && sqrt(error / size) < limit;
}
#endif
