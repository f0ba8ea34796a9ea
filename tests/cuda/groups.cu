/* Cooperative groups: block, tiles, the lanes that are here, and a grid that waits for itself. */
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int v = block.thread_rank();
  for (int d = tile.size() / 2; d; d /= 2) v += tile.shfl_down(v, d);
  if (tile.thread_rank() == 0) out[block.group_index().x * 16 + block.thread_rank() / 8] = v;
  block.sync();
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    if (g.thread_rank() == 0) atomicAdd(&out[64], (int)g.size());
  }
}
__global__ void relay(int *v, int n, int rounds) { /* each round reads what all blocks wrote */
  cg::grid_group grid = cg::this_grid();
  int i = (int)grid.thread_rank();
  for (int r = 0; r < rounds; r++) {
    int next = i < n ? v[(i + 1) % n] + 1 : 0;
    grid.sync();
    if (i < n) v[i] = next;
    cg::grid_group::arrival_token here = grid.barrier_arrive();
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(here));
  }
}

int main() {
  int *d = device_zeros<int>(65);
  tiles<<<4, 128>>>(d);
  LAUNCHED();
  std::vector<int> expect(65);
  for (int b = 0; b < 4; b++)
    for (int t = 0; t < 16; t++) expect[b * 16 + t] = 8 * 8 * t + 28;
  expect[64] = 4 * 43;
  same("tiles", to_host(d, 65), expect);
  int n = 500, rounds = 5;
  std::vector<int> v(n), after(n);
  for (int i = 0; i < n; i++) v[i] = i * 7;
  for (int i = 0; i < n; i++) after[i] = (i + rounds) % n * 7 + rounds;
  int *dv = to_device(v);
  void *args[] = {&dv, &n, &rounds};
  CUDA(cudaLaunchCooperativeKernel(relay, dim3(4), dim3(128), args));
  LAUNCHED();
  same("relay", to_host(dv, n), after);
  return pass("groups", after);
}
