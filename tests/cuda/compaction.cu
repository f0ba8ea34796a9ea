/* Stream compaction: ballots give a place within the warp, a scan within the block, an atomic among
 * blocks; order is kept within a block. */
#include "check.h"
#include <algorithm>

__global__ void compact(const int *in, int *out, int *count, int n) {
  __shared__ int warp_base[32], block_base;
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) warp_base[warp] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
      int c = warp_base[w];
      warp_base[w] = sum, sum += c;
    }
    block_base = atomicAdd(count, sum);
  }
  __syncthreads();
  if (keep) out[block_base + warp_base[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
}

int main() {
  const int n = 10000;
  std::vector<int> v(n), expect;
  for (int &x : v) {
    x = random_u32() % 100000;
    if (x % 3 == 0) expect.push_back(x);
  }
  int *d = to_device(v), *out = device_zeros<int>(n), *count = device_zeros<int>(1);
  compact<<<(n + 255) / 256, 256>>>(d, out, count, n);
  LAUNCHED();
  int got = to_host(count, 1)[0];
  want(got == (int)expect.size(), "count");
  std::vector<int> kept = to_host(out, got);
  std::sort(kept.begin(), kept.end());
  std::sort(expect.begin(), expect.end());
  same("kept", kept, expect);
  return pass("compaction", kept);
}
