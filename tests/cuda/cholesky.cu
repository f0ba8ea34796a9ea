/* Cholesky factorisation of a matrix that fits one block; sqrt and division in double. */
#include "check.h"

#define N 32

__global__ void cholesky(const double *in, double *out) {
  __shared__ double s[N][N + 1];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * N + x];
  __syncthreads();
  for (int k = 0; k < N; k++) {
    if (x == k && y == k) s[k][k] = sqrt(s[k][k]);
    __syncthreads();
    if (x == k && y > k) s[y][k] /= s[k][k];
    __syncthreads();
    if (x > k && y >= x) s[y][x] -= s[y][k] * s[x][k];
    __syncthreads();
  }
  out[y * N + x] = x <= y ? s[y][x] : 0;
}

int main() {
  std::vector<double> b(N * N), a(N * N), expect(N * N);
  for (double &v : b) v = random_f32();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) a[i * N + j] += b[i * N + k] * b[j * N + k];
      if (i == j) a[i * N + j] += 1;
    }
  double *d = to_device(a), *out = device_zeros<double>(N * N);
  cholesky<<<1, dim3(N, N)>>>(d, out);
  LAUNCHED();
  std::vector<double> l = to_host(out, N * N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) expect[i * N + j] += l[i * N + k] * l[j * N + k];
  same("L L'", expect, a, 1e-12);
  return pass("cholesky");
}
