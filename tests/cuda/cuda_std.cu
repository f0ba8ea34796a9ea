/* cuda::std in kernels: tuples, arrays, optional values, limits, traits, function objects. */
#include "check.h"
#include <cuda/latch>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <new>

template <class T>
__device__ cuda::std::enable_if_t<cuda::std::is_integral<T>::value, int> kind(T x) {
  return 2 * (int)x;
}
template <class T>
__device__ cuda::std::enable_if_t<!cuda::std::is_integral<T>::value, int> kind(T x) {
  return (int)(x + 1);
}
__global__ void use(int *out) {
  cuda::std::tuple<int, float> t(3, 2.5f);
  out[0] = cuda::std::get<0>(t) + (int)cuda::std::get<1>(t);
  cuda::std::array<int, 4> a{1, 2, 3, 4};
  int sum = 0;
  for (int x : a) sum += x;
  out[1] = sum + (int)a.size();
  auto p = cuda::std::make_pair(1, 2);
  cuda::std::swap(p.first, p.second);
  out[2] = 10 * p.first + p.second;
  out[3] = cuda::std::numeric_limits<int>::max();
  out[4] = kind(4) + kind(1.5f);
  cuda::std::optional<int> q;
  out[5] = q.has_value() ? 1 : 0;
  q = 7;
  out[6] = *q;
  out[7] = cuda::std::plus<int>()(3, 4) + cuda::std::is_same_v<cuda::std::int32_t, int>;
}

/* The last warp counts down; the others see what it wrote before. */
__global__ void waits(cuda::std::complex<float> *out, int n) {
  typedef cuda::latch<cuda::thread_scope_block> latch_t;
  __shared__ alignas(latch_t) char room[sizeof(latch_t)];
  __shared__ float part[2];
  latch_t &ready = *(latch_t *)room;
  if (threadIdx.x == 0) new (room) latch_t(32);
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) part[0] = 3, part[1] = 4;
  __syncwarp();
  if (threadIdx.x >= blockDim.x - 32) ready.count_down();
  ready.wait();
  if ((int)threadIdx.x >= n) return;
  cuda::std::complex<float> z((float)threadIdx.x, 1), base(part[0], part[1]);
  cuda::std::complex<float> w = (z * base + 2.0f) / base;
  w -= conj(z);
  out[threadIdx.x] = threadIdx.x % 2 ? w : cuda::std::complex<float>(abs(base), norm(z));
}

int main() {
  int *d = device_zeros<int>(8);
  use<<<1, 1>>>(d);
  LAUNCHED();
  same("values", to_host(d, 8), std::vector<int>{5, 14, 21, 2147483647, 10, 0, 7, 8});
  const int n = 100;
  auto *z = device_zeros<cuda::std::complex<float>>(n);
  waits<<<1, 128>>>(z, n);
  LAUNCHED();
  std::vector<double> got, want;
  for (cuda::std::complex<float> v : to_host(z, n))
    got.push_back(v.real()), got.push_back(v.imag());
  for (int t = 0; t < n; t++) { /* z + 2 / (3 + 4i) - conj(z) */
    want.push_back(t % 2 ? 2 * 3 / 25. : 5);
    want.push_back(t % 2 ? 2 - 2 * 4 / 25. : t * t + 1.);
  }
  same("complex numbers", got, want, 1e-5);
  return pass("cuda_std");
}
