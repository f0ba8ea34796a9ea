/* Exclusive prefix sums: work-efficient in blocks, then the blocks' sums, then added. */
#include "check.h"

#define BLOCK 256

__global__ void scan_block(const int *in, int *out, int *sums, int n) {
  __shared__ int t[2 * BLOCK];
  int id = threadIdx.x, base = blockIdx.x * 2 * BLOCK, offset = 1;
  t[2 * id] = base + 2 * id < n ? in[base + 2 * id] : 0;
  t[2 * id + 1] = base + 2 * id + 1 < n ? in[base + 2 * id + 1] : 0;
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (id < d) t[offset * (2 * id + 2) - 1] += t[offset * (2 * id + 1) - 1];
    offset *= 2;
  }
  if (id == 0) sums[blockIdx.x] = t[2 * BLOCK - 1], t[2 * BLOCK - 1] = 0;
  for (int d = 1; d < 2 * BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (id < d) {
      int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1, v = t[a];
      t[a] = t[b], t[b] += v;
    }
  }
  __syncthreads();
  if (base + 2 * id < n) out[base + 2 * id] = t[2 * id];
  if (base + 2 * id + 1 < n) out[base + 2 * id + 1] = t[2 * id + 1];
}
__global__ void add_sums(int *out, const int *sums, int n) {
  int i = blockIdx.x * 2 * BLOCK + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
  if (i + BLOCK < n) out[i + BLOCK] += sums[blockIdx.x];
}

int main() {
  const int n = 30011, blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
  std::vector<int> in(n), expect(n);
  int sum = 0;
  for (int i = 0; i < n; i++) in[i] = random_u32() % 100, expect[i] = sum, sum += in[i];
  int *d = to_device(in), *out = device_zeros<int>(n), *sums = device_zeros<int>(blocks);
  int *top = device_zeros<int>(blocks), *rest = device_zeros<int>(1);
  scan_block<<<blocks, BLOCK>>>(d, out, sums, n);
  scan_block<<<1, BLOCK>>>(sums, top, rest, blocks);
  add_sums<<<blocks, BLOCK>>>(out, top, n);
  LAUNCHED();
  same("scan", to_host(out, n), expect);
  same("total", to_host(rest, 1), std::vector<int>{sum});
  return pass("scan", to_host(out, n));
}
