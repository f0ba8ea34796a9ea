/* Sums, minima and maxima of an array: tree in shared memory, then warp shuffles, then atomics. */
#include "check.h"

__global__ void sum_tree(const float *in, float *out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  part[t] = (i < n ? in[i] : 0) + (i + (int)blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t < 32) {
    float v = part[t] + part[t + 32];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}

__global__ void extremes(const int *in, int *lo, int *hi, int n) {
  int l = 0x7fffffff, h = -0x7fffffff;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    l = min(l, in[i]), h = max(h, in[i]);
  for (int d = 16; d; d /= 2) {
    l = min(l, __shfl_xor_sync(0xffffffffu, l, d));
    h = max(h, __shfl_xor_sync(0xffffffffu, h, d));
  }
  if (threadIdx.x % 32 == 0) atomicMin(lo, l), atomicMax(hi, h);
}

int main() {
  const int n = 50000, blocks = (n + 511) / 512;
  std::vector<float> v(n);
  std::vector<int> w(n), start = {0x7fffffff, -0x7fffffff};
  double sum = 0;
  int lo = 0x7fffffff, hi = -0x7fffffff;
  for (int i = 0; i < n; i++) {
    v[i] = (float)(random_u32() % 64), w[i] = (int)random_u32() - (1 << 23);
    sum += v[i], lo = w[i] < lo ? w[i] : lo, hi = w[i] > hi ? w[i] : hi;
  }
  float *dv = to_device(v), *ds = device_zeros<float>(blocks);
  int *dw = to_device(w), *dx = to_device(start);
  sum_tree<<<blocks, 256>>>(dv, ds, n);
  extremes<<<16, 128>>>(dw, dx, dx + 1, n);
  LAUNCHED();
  double got = 0;
  for (float s : to_host(ds, blocks)) got += s;
  want(got == sum, "sum");
  same("extremes", to_host(dx, 2), std::vector<int>{lo, hi});
  return pass("reduction", to_host(ds, blocks));
}
