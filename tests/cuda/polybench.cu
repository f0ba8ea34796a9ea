/* Matrix-vector kernels in the manner of PolyBench: two-dimensional blocks whose rows all do the
 * same (a benign race that warps must not run apart for), and by-value structures. */
#include "check.h"

struct shape {
  int rows, cols;
  float alpha;
};
__global__ void mv(shape s, const float *a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < s.rows) {
    float sum = 0;
    for (int j = 0; j < s.cols; j++) sum += a[i * s.cols + j] * x[j];
    y[i] = s.alpha * sum;
  }
}
__global__ void mtv(shape s, const float *a, const float *x, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < s.cols) {
    float sum = 0;
    for (int i = 0; i < s.rows; i++) sum += a[i * s.cols + j] * x[i];
    y[j] = sum;
  }
}

int main() {
  shape s = {120, 90, 2.0f};
  std::vector<float> a(s.rows * s.cols), x(s.cols), t(s.rows), y(s.cols);
  for (float &v : a) v = (float)(random_u32() % 8);
  for (float &v : x) v = (float)(random_u32() % 4);
  float *da = to_device(a), *dx = to_device(x), *dt = device_zeros<float>(s.rows),
        *dy = device_zeros<float>(s.cols);
  dim3 block(32, 8);
  mv<<<(s.rows + 31) / 32, block>>>(s, da, dx, dt);
  mtv<<<(s.cols + 31) / 32, block>>>(s, da, dt, dy);
  LAUNCHED();
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < s.cols; j++) t[i] += a[i * s.cols + j] * x[j];
    t[i] *= 2;
  }
  for (int j = 0; j < s.cols; j++)
    for (int i = 0; i < s.rows; i++) y[j] += a[i * s.cols + j] * t[i];
  same("A x", to_host(dt, s.rows), t);
  same("A' A x", to_host(dy, s.cols), y);
  return pass("polybench", y);
}
