/* A value that one lane alone has set, handed to the others: the usual way to add to a counter once
 * per warp. The variable is undefined in the other lanes, and nobody reads it there. */
#include "check.h"
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ int by_group(int *counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int at;
  if (active.thread_rank() == 0) at = atomicAdd(counter, (int)active.size());
  at = active.shfl(at, 0);
  return at + active.thread_rank();
}
__device__ int by_mask(int *counter) {
  unsigned mask = __activemask(), lane = threadIdx.x & 31;
  int leader = __ffs((int)mask) - 1, at;
  if ((int)lane == leader) at = atomicAdd(counter, __popc(mask));
  at = __shfl_sync(mask, at, leader);
  return at + __popc(mask & ((1u << lane) - 1));
}
__global__ void filter(const int *in, int n, int *out, int *counter, bool group) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) out[group ? by_group(counter) : by_mask(counter)] = in[i];
}
struct place_t {
  double x;
  int row;
};
__global__ void others(double *out) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  place_t p;
  double d;
  half h;
  if (tile.thread_rank() == 3) p.x = threadIdx.x * 0.5, p.row = (int)threadIdx.x;
  if (threadIdx.x == 7) d = 2.25;
  if (threadIdx.x == 9) h = __float2half(1.5f);
  p = tile.shfl(p, 3);
  d = __shfl_sync(~0u, d, 7);
  h = __shfl_sync(~0u, h, 9);
  out[threadIdx.x] = p.x + p.row * 100 + d + __half2float(h) * 10000;
}

int main() {
  const int n = 5000;
  std::vector<int> in(n), want(n, 0);
  for (int &x : in) x = (int)(random_u32() % 1000);
  int count = 0;
  long sum = 0;
  for (int x : in) count += x % 3 == 0, sum += x % 3 == 0 ? x : 0;
  for (int group = 0; group < 2; group++) {
    int *counter = device_zeros<int>(1), *out = device_zeros<int>(n);
    filter<<<(n + 127) / 128, 128>>>(to_device(in), n, out, counter, group);
    LAUNCHED();
    same("how many", to_host(counter, 1), std::vector<int>{count});
    std::vector<int> got = to_host(out, n);
    long total = 0;
    for (int x : got) total += x;
    same("what", std::vector<double>{(double)total}, std::vector<double>{(double)sum});
  }
  double *out = device_zeros<double>(32);
  others<<<1, 32>>>(out);
  LAUNCHED();
  std::vector<double> told(32);
  for (int t = 0; t < 32; t++) {
    int from = t / 8 * 8 + 3;
    told[t] = from * 0.5 + from * 100 + 2.25 + 15000;
  }
  same("structures, doubles and halves", to_host(out, 32), told);
  puts("one_lane: PASS");
}
