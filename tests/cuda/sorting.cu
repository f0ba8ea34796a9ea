/* needs: thrust/sort.h cub/cub.cuh */
/* thrust and CUB from their sources: sorting, reducing, scanning. */
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
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
  return pass("sorting", got);
}
