/* 256 bins: private copies in shared memory, merged with atomics; and one by match_any. */
#include "check.h"

__global__ void by_shared(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}
__global__ void by_match(const unsigned char *in, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned here = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  unsigned peers = __match_any_sync(here, (unsigned)in[i]);
  if (__ffs(peers) - 1 == threadIdx.x % 32) atomicAdd(&bins[in[i]], (unsigned)__popc(peers));
}

int main() {
  const int n = 20000;
  std::vector<unsigned char> v(n);
  std::vector<unsigned> expect(256);
  for (unsigned char &x : v) x = (random_u32() & random_u32()) & 255, expect[x]++;
  unsigned char *d = to_device(v);
  unsigned *a = device_zeros<unsigned>(256), *b = device_zeros<unsigned>(256);
  by_shared<<<10, 128>>>(d, a, n);
  by_match<<<(n + 255) / 256, 256>>>(d, b, n);
  LAUNCHED();
  same("shared", to_host(a, 256), expect);
  same("match", to_host(b, 256), expect);
  return pass("histogram", expect);
}
