/* C = alpha A B + beta C, tiles in shared memory, two results per thread. */
#include "check.h"

#define T 16

__global__ void __launch_bounds__(T *T)
    gemm(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta) {
  __shared__ float a[T][T], b[T][2 * T + 1];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * 2 * T + threadIdx.x;
  float c0 = 0, c1 = 0;
  for (int p = 0; p < k; p += T) {
    a[threadIdx.y][threadIdx.x] = A[row * k + p + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(p + threadIdx.y) * n + col];
    b[threadIdx.y][threadIdx.x + T] = B[(p + threadIdx.y) * n + col + T];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i++) {
      c0 += a[threadIdx.y][i] * b[i][threadIdx.x];
      c1 += a[threadIdx.y][i] * b[i][threadIdx.x + T];
    }
    __syncthreads();
  }
  C[row * n + col] = alpha * c0 + beta * C[row * n + col];
  C[row * n + col + T] = alpha * c1 + beta * C[row * n + col + T];
}

int main() {
  const int m = 64, n = 96, k = 80;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (float &x : a) x = random_f32();
  for (float &x : b) x = random_f32();
  for (float &x : c) x = random_f32();
  float *da = to_device(a), *db = to_device(b), *dc = to_device(c);
  gemm<<<dim3(n / 32, m / 16), dim3(T, T)>>>(da, db, dc, m, n, k, 1.5f, 0.5f);
  LAUNCHED();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++) s += (double)a[i * k + p] * b[p * n + j];
      c[i * n + j] = (float)(1.5 * s + 0.5 * c[i * n + j]);
    }
  same("C", to_host(dc, m * n), c, 1e-5);
  return pass("gemm");
}
