/* LU factorisation without pivoting, row by row on the device; then L times U is compared. */
#include "check.h"

__global__ void factors(double *a, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + k] /= a[k * n + k];
}
__global__ void update(double *a, int n, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y;
  if (j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

int main() {
  const int n = 48;
  std::vector<double> a(n * n), lu;
  for (int i = 0; i < n * n; i++) a[i] = random_f32() + (i % (n + 1) == 0 ? n : 0);
  double *d = to_device(a);
  for (int k = 0; k < n - 1; k++) {
    int rest = n - k - 1;
    factors<<<(rest + 63) / 64, 64>>>(d, n, k);
    update<<<dim3((rest + 63) / 64, rest), 64>>>(d, n, k);
  }
  LAUNCHED();
  lu = to_host(d, n * n);
  std::vector<double> product(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k <= (i < j ? i : j); k++)
        product[i * n + j] += (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
  same("L U", product, a, 1e-12);
  return pass("lu");
}
