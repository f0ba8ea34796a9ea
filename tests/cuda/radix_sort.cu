/* Least significant digit first: a histogram per block, a scan of all, a stable scatter. */
#include "check.h"
#include <algorithm>

#define TILE   256
#define BITS   4
#define DIGITS (1 << BITS)

__global__ void count(const unsigned *in, unsigned *counts, int n, int shift) {
  __shared__ unsigned c[DIGITS];
  if (threadIdx.x < DIGITS) c[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * TILE + threadIdx.x;
  if (i < n) atomicAdd(&c[in[i] >> shift & (DIGITS - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}
__global__ void scan(unsigned *v, int n) { /* one block, a running sum over pieces */
  __shared__ unsigned s[TILE], carry;
  if (threadIdx.x == 0) carry = 0;
  for (int base = 0; base < n; base += TILE) {
    int i = base + threadIdx.x;
    unsigned x = i < n ? v[i] : 0;
    s[threadIdx.x] = x;
    for (int d = 1; d < TILE; d *= 2) {
      __syncthreads();
      unsigned y = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
      __syncthreads();
      s[threadIdx.x] += y;
    }
    __syncthreads();
    if (i < n) v[i] = carry + s[threadIdx.x] - x;
    __syncthreads();
    if (threadIdx.x == 0) carry += s[TILE - 1];
    __syncthreads();
  }
}
__global__ void scatter(const unsigned *in, unsigned *out, const unsigned *start, int n,
                        int shift) {
  __shared__ unsigned char digit[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  unsigned d = i < n ? in[i] >> shift & (DIGITS - 1) : 255;
  digit[threadIdx.x] = d;
  __syncthreads();
  if (i >= n) return;
  unsigned rank = 0;
  for (int k = 0; k < threadIdx.x; k++) rank += digit[k] == d;
  out[start[d * gridDim.x + blockIdx.x] + rank] = in[i];
}

int main() {
  const int n = 6000, blocks = (n + TILE - 1) / TILE;
  std::vector<unsigned> v(n);
  for (unsigned &x : v) x = random_u32() & 0xffffff;
  unsigned *a = to_device(v), *b = device_zeros<unsigned>(n);
  unsigned *counts = device_zeros<unsigned>(DIGITS * blocks);
  for (int shift = 0; shift < 24; shift += BITS) {
    count<<<blocks, TILE>>>(a, counts, n, shift);
    scan<<<1, TILE>>>(counts, DIGITS * blocks);
    scatter<<<blocks, TILE>>>(a, b, counts, n, shift);
    std::swap(a, b);
  }
  LAUNCHED();
  std::sort(v.begin(), v.end());
  same("sorted", to_host(a, n), v);
  return pass("radix_sort", v);
}
