/* cuda::std in kernels: tuples, arrays, optional values, limits, traits, function objects. */
#include "check.h"
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

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

int main() {
  int *d = device_zeros<int>(8);
  use<<<1, 1>>>(d);
  LAUNCHED();
  same("values", to_host(d, 8), std::vector<int>{5, 14, 21, 2147483647, 10, 0, 7, 8});
  return pass("cuda_std");
}
