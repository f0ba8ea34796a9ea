/* link: -std=c++17 */
/* Spans, bits, sums and function objects of cuda:: and cuda::std, on the device and on the host. */
#include "check.h"
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/latch>
#include <cuda/std/numeric>
#include <cuda/std/semaphore>
#include <cuda/std/span>

enum { FIELDS = 20 };
__host__ __device__ static int sum_of(cuda::std::span<const int> v) {
  return cuda::std::accumulate(v.begin(), v.end(), 0);
}
__host__ __device__ static void all(int i, long long *o) {
  cuda::std::array<int, 6> a{5, 3, i, 4, 2, 9};
  cuda::std::span<int> s(a.data(), a.size());
  s[1] = 30, s.front() += 1;
  o[0] = sum_of(s), o[1] = (long long)s.subspan(2, 3).size(), o[2] = s.subspan(2).back();
  o[3] = s.first(2)[1] * 100 + s.last(2)[0], o[4] = (long long)s.size_bytes() + s.empty();
  int raw[4] = {1, 2, 3, i};
  cuda::std::span<int, 4> fixed(raw);
  o[5] = cuda::std::inner_product(fixed.begin(), fixed.end(), a.begin(), 100);
  unsigned u = (unsigned)i * 77u + 8u;
  o[6] = cuda::std::popcount(u), o[7] = cuda::std::countl_zero(u);
  o[8] = cuda::std::countr_zero(u), o[9] = cuda::std::countl_zero((unsigned short)u);
  o[10] = cuda::std::rotl(u, 5) ^ cuda::std::rotr(u, 3);
  o[11] = cuda::std::bit_ceil(u) + cuda::std::bit_floor(u) + cuda::std::has_single_bit(u);
  o[12] = cuda::std::bit_cast<int>(1.5f + (float)i);
  cuda::std::iota(raw, raw + 4, i);
  o[13] = raw[3] * 10 + cuda::std::reduce(raw, raw + 4, 0, cuda::std::plus<int>());
  int sums[4];
  cuda::std::partial_sum(raw, raw + 4, sums);
  o[14] = sums[3];
  o[15] = cuda::maximum<int>()(i, 3) * 10 + cuda::minimum<>()(i, 3);
  o[16] = cuda::std::countr_one(7u + 8u * (unsigned)i), o[17] = cuda::std::popcount(~0ull << i);
  o[18] = cuda::std::countl_one((unsigned char)(0xf0 | i)), o[19] = cuda::std::bit_ceil(0u);
}
template <class F> __global__ void on_device(long long *o, int *p, F f) {
  all((int)threadIdx.x, o + threadIdx.x * FIELDS);
  p[threadIdx.x] = f((int)threadIdx.x);
}
struct doubled {
  __host__ __device__ short operator()(int x) const { return (short)(2 * x); }
};
/* Time goes on in kernels, and durations are counted. */
__global__ void times(int *o) {
  using namespace cuda::std::chrono;
  __shared__ char room[sizeof(cuda::std::binary_semaphore)];
  auto *permit = (cuda::std::binary_semaphore *)room;
  if (threadIdx.x == 0) new (permit) cuda::std::binary_semaphore(1);
  auto start = high_resolution_clock::now();
  __syncthreads();
  permit->acquire();
  o[0] += 1;
  permit->release();
  auto taken = high_resolution_clock::now() - start;
  milliseconds m = seconds(3) + milliseconds(20);
  if (threadIdx.x == 0)
    o[1] = taken.count() >= 0 && taken < hours(1), o[2] = (int)m.count(),
    o[3] = (int)duration_cast<microseconds>(m).count();
}

int main() {
  const int n = 16;
  long long *d = device_zeros<long long>(n * FIELDS);
  int *p = device_zeros<int>(n);
  auto f = cuda::proclaim_return_type<short>(doubled());
  on_device<<<1, n>>>(d, p, f);
  LAUNCHED();
  std::vector<long long> expect(n * FIELDS);
  std::vector<int> twice(n);
  for (int i = 0; i < n; i++) all(i, &expect[i * FIELDS]), twice[i] = 2 * i;
  const long long *e = &expect[FIELDS * 2]; /* by hand: i is 2, u is 162 */
  want(e[0] == 6 + 30 + 2 + 4 + 2 + 9 && e[1] == 3 && e[2] == 9 && e[3] == 3002 && e[4] == 24,
       "spans");
  want(e[5] == 100 + 6 + 60 + 6 + 8 && e[6] == 3 && e[7] == 24 && e[8] == 1 && e[9] == 8, "bits");
  want(e[10] == ((162 << 5) ^ (162 >> 3 | 2 << 29)) && e[11] == 256 + 128, "rotation and powers");
  want(e[12] == 0x40600000 && e[13] == 50 + 14 && e[14] == 14 && e[15] == 32, "sums");
  want(e[16] == 3 && e[17] == 62 && e[18] == 4 && e[19] == 1, "ones");
  same("values", to_host(d, n * FIELDS), expect);
  same("function object", to_host(p, n), twice);
  int *o = device_zeros<int>(4);
  times<<<1, 32>>>(o);
  LAUNCHED();
  same("times", to_host(o, 4), std::vector<int>{32, 1, 3020, 3020000});
  return pass("cuda_std_views", expect);
}
