/* link: -lcublas */
/* needs: thrust/sort.h cub/cub.cuh */
/* thrust and CUB from their sources: sorting, reducing, scanning; a product of cuBLAS behind them.
 */
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct twice {
  __host__ __device__ int operator()(int v) const { return 2 * v; }
};
int main() {
  const int n = 3000;
  std::vector<int> v(n), expect(n), got(n);
  for (auto &x : v) x = (int)(random_u32() % 100000) - 50000;
  thrust::device_vector<int> d(v.begin(), v.end());
  thrust::sort(d.begin(), d.end());
  thrust::copy(d.begin(), d.end(), got.begin());
  expect = v;
  std::sort(expect.begin(), expect.end());
  same("thrust::sort", got, expect);
  long long sum = 0;
  for (int x : v) sum += x;
  want(thrust::reduce(d.begin(), d.end(), 0LL) == sum, "thrust::reduce");
  thrust::transform(d.begin(), d.end(), d.begin(), twice());
  thrust::inclusive_scan(d.begin(), d.end(), d.begin());
  want(d[n - 1] == (int)(2 * sum), "thrust::inclusive_scan");

  unsigned *in, *out;
  std::vector<unsigned> keys(n), sorted(n);
  for (auto &k : keys) k = random_u32();
  in = to_device(keys), out = device_zeros<unsigned>(n);
  size_t bytes = 0;
  void *work = NULL;
  CUDA(cub::DeviceRadixSort::SortKeys(work, bytes, in, out, n));
  CUDA(cudaMalloc(&work, bytes));
  CUDA(cub::DeviceRadixSort::SortKeys(work, bytes, in, out, n));
  std::sort(keys.begin(), keys.end());
  same("cub::DeviceRadixSort", to_host(out, n), keys);
  LAUNCHED();

  const int m = 24; /* C = 2 A^T B + 3 C, columns first */
  std::vector<float> a(m * m), b(m * m), c(m * m, 1), product(m * m);
  for (int i = 0; i < m * m; i++) a[i] = (float)(expect[i] % 7), b[i] = (float)(i % 5);
  for (int i = 0; i < m * m; i++) {
    float sum = 0;
    for (int k = 0; k < m; k++) sum += a[i % m * m + k] * b[i / m * m + k];
    product[i] = 2 * sum + 3;
  }
  cublasHandle_t handle;
  const float two = 2, three = 3;
  float *dc = to_device(c);
  want(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  want(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, m, m, &two, to_device(a), m, to_device(b),
                   m, &three, dc, m) == CUBLAS_STATUS_SUCCESS,
       "cublasSgemm");
  same("cublasSgemm", to_host(dc, m * m), product, 1e-5);
  want(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "cublasDestroy");
  return pass("sorting", got);
}
