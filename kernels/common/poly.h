#ifndef KERNELS_POLY_H
#define KERNELS_POLY_H
/* The two ways PolyBench/GPU's matrix-vector kernels go through a row-major matrix, one thread for
 * each row or column. Rows: the lanes of a warp are a row apart, each in another page. Columns: the
 * lanes are side by side. `from` and `to` bound what of the row or column is read. */
#include "scaled.h"

#define POLY_BLOCK 256

__device__ static inline float along_row(const float *a, const float *v, uint64_t n, uint64_t row,
                                         uint64_t to) {
  float sum = 0;
  for (uint64_t j = 0; j < to; j++) sum += a[row * n + j] * v[j];
  return sum;
}
__device__ static inline float along_column(const float *a, const float *v, uint64_t n,
                                            uint64_t column, uint64_t to) {
  float sum = 0;
  for (uint64_t i = 0; i < to; i++) sum += a[i * n + column] * v[i];
  return sum;
}

/* How far a thread goes: every thread runs, each as far as the work allows, a line of a row or
 * more. */
static inline uint64_t poly_reach(const scaled &s, uint64_t n) {
  uint64_t to = s.work ? s.work / n : n;
  if (to < 64) to = 64;
  return to < n ? to : n;
}

struct poly_host {
  uint64_t n;
  std::vector<float> a;
  std::vector<double> times(const std::vector<float> &v, bool transposed) const {
    std::vector<double> out(n, 0);
    for (uint64_t i = 0; i < n; i++)
      for (uint64_t j = 0; j < n; j++)
        out[transposed ? j : i] += (double)a[i * n + j] * v[transposed ? i : j];
    return out;
  }
};
#endif
