/* Tiles of tiles: which one of its parent a tile is, also where its type does not name the parent;
 * and parts of a group of lanes. */
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
enum { THREADS = 128, FIELDS = 12 };

__device__ static int place_of(const cg::thread_block_tile<4> &tile) {
  return (int)(tile.meta_group_rank() * 100 + tile.meta_group_size());
}
__global__ void places(int *out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto half = cg::tiled_partition<16>(warp);
  auto four = cg::tiled_partition<4>(half);
  cg::thread_block_tile<4> kept = four, direct = cg::tiled_partition<4>(block);
  int *o = out + threadIdx.x * FIELDS, t = (int)threadIdx.x;
  o[0] = (int)warp.meta_group_rank(), o[1] = (int)warp.meta_group_size();
  o[2] = (int)half.meta_group_rank(), o[3] = (int)half.meta_group_size();
  o[4] = (int)four.meta_group_rank(), o[5] = (int)four.meta_group_size();
  o[6] = place_of(kept), o[7] = place_of(direct), o[8] = place_of(four);
  o[9] = cg::reduce(kept, t, cg::plus<int>()) + kept.shfl(t, 1);
  o[10] = o[11] = -1;
  if (t % 3 != 1) {
    cg::coalesced_group some = cg::coalesced_threads(), part = cg::tiled_partition(some, 4);
    o[10] = (int)(part.meta_group_rank() * 100 + part.thread_rank() * 10 + part.size());
    o[11] = part.shfl(t, 0);
  }
}

int main() {
  int *d = device_zeros<int>(THREADS * FIELDS);
  places<<<1, THREADS>>>(d);
  LAUNCHED();
  std::vector<int> got = to_host(d, THREADS * FIELDS), expect(THREADS * FIELDS);
  for (int t = 0; t < THREADS; t++) {
    int *e = &expect[t * FIELDS], first = t & ~3, lanes[32], n = 0, mine = -1;
    e[0] = t / 32, e[1] = 4, e[2] = t % 32 / 16, e[3] = 2, e[4] = t % 16 / 4, e[5] = 4;
    e[6] = e[4] * 100 + 4, e[7] = t / 4 * 100 + 32, e[8] = e[6];
    e[9] = 4 * first + 6 + first + 1, e[10] = e[11] = -1;
    for (int i = t & ~31; i < (t & ~31) + 32; i++)
      if (i % 3 != 1) lanes[n] = i, mine = i == t ? n : mine, n++;
    if (mine < 0) continue;
    int begin = mine / 4 * 4, size = n - begin < 4 ? n - begin : 4;
    e[10] = mine / 4 * 100 + mine % 4 * 10 + size, e[11] = lanes[begin];
  }
  same("places", got, expect);
  return pass("tiles_of_tiles", got);
}
