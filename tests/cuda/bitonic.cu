/* Bitonic sort: the short strides in shared memory, the long ones in global memory. */
#include "check.h"
#include <algorithm>

#define CHUNK 512

__device__ void order(unsigned &a, unsigned &b, bool up) {
  if ((a > b) == up) {
    unsigned t = a;
    a = b, b = t;
  }
}
__global__ void step_global(unsigned *v, unsigned size, unsigned stride) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = 2 * t - (t & (stride - 1));
  order(v[i], v[i + stride], (i & size) == 0);
}
__global__ void step_shared(unsigned *v, unsigned size, unsigned first) {
  __shared__ unsigned s[CHUNK];
  unsigned base = blockIdx.x * CHUNK, t = threadIdx.x;
  s[t] = v[base + t], s[t + CHUNK / 2] = v[base + t + CHUNK / 2];
  for (unsigned n = first ? 2 : size; n <= size; n *= 2)
    for (unsigned stride = min(n, CHUNK) / 2; stride; stride /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (stride - 1));
      order(s[i], s[i + stride], ((base + i) & n) == 0);
    }
  __syncthreads();
  v[base + t] = s[t], v[base + t + CHUNK / 2] = s[t + CHUNK / 2];
}

int main() {
  const unsigned n = 8192;
  std::vector<unsigned> v(n);
  for (unsigned &x : v) x = random_u32();
  unsigned *d = to_device(v);
  step_shared<<<n / CHUNK, CHUNK / 2>>>(d, CHUNK, 1);
  for (unsigned size = 2 * CHUNK; size <= n; size *= 2) {
    for (unsigned stride = size / 2; stride >= CHUNK; stride /= 2)
      step_global<<<n / 2 / 256, 256>>>(d, size, stride);
    step_shared<<<n / CHUNK, CHUNK / 2>>>(d, size, 0);
  }
  LAUNCHED();
  std::sort(v.begin(), v.end());
  same("sorted", to_host(d, n), v);
  return pass("bitonic", v);
}
