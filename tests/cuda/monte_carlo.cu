/* pi by throwing points, an xorshift generator per thread; the count is exact. */
#include "check.h"

__host__ __device__ unsigned next(unsigned &s) {
  s ^= s << 13, s ^= s >> 17, s ^= s << 5;
  return s;
}
__host__ __device__ unsigned hits(unsigned seed, int throws) {
  unsigned s = seed * 2654435761u + 1, n = 0;
  for (int i = 0; i < throws; i++) {
    float x = (next(s) >> 8) * (1.0f / 16777216), y = (next(s) >> 8) * (1.0f / 16777216);
    if (x * x + y * y <= 1.0f) n++;
  }
  return n;
}
__global__ void throw_points(unsigned long long *total, int throws) {
  unsigned n = hits(blockIdx.x * blockDim.x + threadIdx.x, throws);
  for (int d = 16; d; d >>= 1) n += __shfl_down_sync(0xffffffffu, n, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)n);
}

int main() {
  const int threads = 1024, throws = 64;
  unsigned long long *d = device_zeros<unsigned long long>(1);
  throw_points<<<threads / 128, 128>>>(d, throws);
  LAUNCHED();
  unsigned long long got = to_host(d, 1)[0], about = 0;
  for (int i = 0; i < threads; i++) about += hits(i, throws);
  /* x * x + y * y may be fused on one side */
  want(llabs((long long)(got - about)) <= 4, "count");
  want(fabs(4.0 * got / threads / throws - M_PI) < 0.02, "pi");
  return pass("monte_carlo");
}
