/* Cooperative groups: parts by label and by predicate, thread_group, shuffles of structures, scans,
 * tiles of several warps, copies of a group. */
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

struct triple {
  int a;
  double b;
  short c;
};
__global__ void structures(int *out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  triple t = {(int)threadIdx.x, threadIdx.x * 0.5, (short)(threadIdx.x * 3)};
  triple u = tile.shfl(t, 5), v = tile.shfl_xor(t, 1), w = tile.shfl_down(t, 2);
  out[threadIdx.x] = u.a + (int)(u.b * 2) + u.c + 1000 * v.a + 100000 * w.c;
}
__global__ void labels(int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::labeled_partition(tile, (int)(tile.thread_rank() % 3));
  auto half = cg::binary_partition(tile, tile.thread_rank() >= 20);
  int sum = cg::reduce(part, (int)tile.thread_rank(), cg::plus<int>());
  out[threadIdx.x] = (int)part.size() + 100 * (int)part.thread_rank() + 10000 * sum;
  out[threadIdx.x] += 10000000 * (int)(half.size() == (tile.thread_rank() >= 20 ? 12u : 20u));
}
__device__ int sum_of(cg::thread_group g, int *box, int v) {
  for (int i = (int)g.size() / 2; i > 0; i /= 2) {
    box[g.thread_rank()] = v;
    g.sync();
    if ((int)g.thread_rank() < i) v += box[g.thread_rank() + i];
    g.sync();
  }
  return v;
}
__global__ void any_group(int *out) {
  __shared__ int box[128];
  cg::thread_block block = cg::this_thread_block();
  int all = sum_of(block, box, (int)threadIdx.x);
  block.sync();
  cg::thread_group part = cg::tiled_partition(block, 16);
  int some = sum_of(part, box + threadIdx.x / 16 * 16, (int)threadIdx.x);
  if (part.thread_rank() == 0) out[threadIdx.x / 16] = some;
  if (threadIdx.x == 0) out[8] = all;
}
__global__ void scans(int *in, int *ex, int *co) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  in[threadIdx.x] = cg::inclusive_scan(tile, (int)threadIdx.x + 1, cg::plus<int>());
  ex[threadIdx.x] = cg::exclusive_scan(tile, (int)threadIdx.x + 1);
  co[threadIdx.x] = -1;
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    co[threadIdx.x] = g.shfl_up((int)threadIdx.x, 1) + 100 * (int)g.shfl_down(threadIdx.x, 1);
  }
}
__global__ void both_branches(int *out) { /* a compiler must not ask once for both */
  if (threadIdx.x % 3 == 0)
    out[threadIdx.x] = (int)cg::coalesced_threads().size();
  else
    out[threadIdx.x] = (int)cg::coalesced_threads().size();
}
__global__ void large_tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int first = tile.shfl((int)threadIdx.x, 3);
  out[threadIdx.x] =
      first + 1000 * tile.any(threadIdx.x == 70) + 10000 * tile.all(threadIdx.x >= 64);
}
__global__ void copies(const int *in, int *out) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[threadIdx.x] = s[255 - threadIdx.x];
}
/* A group's sum goes into an atomic variable. */
__global__ void updates(int *total, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  typedef cuda::atomic_ref<int, cuda::thread_scope_device> shared_total;
  shared_total first(total[0]), second(total[1]), third(total[2]), fourth(total[3]);
  int r = (int)tile.thread_rank();
  out[r] = cg::exclusive_scan_update(tile, first, r, cg::plus<int>());
  out[32 + r] = cg::inclusive_scan_update(tile, second, r);
  cg::reduce_update_async(tile, third, r == 0 ? 31 : 0, cg::plus<int>());
  cg::reduce_store_async(tile, fourth, r, cg::greater<int>());
}

int main() {
  int *d = device_zeros<int>(256), *e = device_zeros<int>(256), *f = device_zeros<int>(256);
  std::vector<int> expect(64);
  structures<<<1, 64>>>(d);
  for (int i = 0; i < 64; i++) {
    int u = i / 8 * 8 + 5, v = i ^ 1, w = i % 8 + 2 < 8 ? i + 2 : i;
    expect[i] = u + u + 3 * u + 1000 * v + 100000 * 3 * w;
  }
  std::vector<int> got = to_host(d, 64);
  same("structures", got, expect);
  labels<<<1, 64>>>(d);
  for (int i = 0; i < 64; i++) {
    int r = i % 32, sum = 0, n = 0;
    for (int k = r % 3; k < 32; k += 3) sum += k, n++;
    expect[i] = n + 100 * (r / 3) + 10000 * sum + 10000000;
  }
  same("labels", to_host(d, 64), expect);
  any_group<<<1, 128>>>(d);
  std::vector<int> sums(9);
  for (int i = 0; i < 128; i++) sums[i / 16] += i, sums[8] += i;
  same("any group", to_host(d, 9), sums);
  scans<<<1, 64>>>(d, e, f);
  std::vector<int> in(64), ex(64), co(64, -1);
  for (int i = 0; i < 64; i++) {
    in[i] = (i % 16 ? in[i - 1] : 0) + i + 1, ex[i] = i % 16 ? in[i - 1] : 0;
    int lo = i / 32 * 32, up = i - 3 >= lo ? i - 3 : i, down = i + 3 < lo + 32 ? i + 3 : i;
    if (i % 3 == 0) co[i] = up + 100 * down;
  }
  same("inclusive", to_host(d, 64), in);
  same("exclusive", to_host(e, 64), ex);
  same("coalesced", to_host(f, 64), co);
  both_branches<<<1, 64>>>(d);
  std::vector<int> sizes(64);
  for (int i = 0; i < 64; i++) sizes[i] = i % 3 ? 32 - 11 : 11; /* 11 multiples a warp */
  same("both branches", to_host(d, 64), sizes);
  large_tiles<<<1, 256>>>(d);
  std::vector<int> large(256), numbers(256), back(256);
  for (int i = 0; i < 256; i++) {
    large[i] = i / 64 * 64 + 3 + 1000 * (i / 64 == 1) + 10000 * (i >= 64);
    numbers[i] = i * i, back[i] = (255 - i) * (255 - i);
  }
  same("large tiles", to_host(d, 256), large);
  copies<<<1, 256>>>(to_device(numbers), d);
  same("copies", to_host(d, 256), back);
  int *total = to_device(std::vector<int>(4, 1000));
  updates<<<1, 32>>>(total, d);
  std::vector<int> starts(64), totals = {1496, 1496, 1031, 31};
  for (int i = 0; i < 32; i++)
    starts[i] = 1000 + i * (i - 1) / 2, starts[32 + i] = 1000 + i * (i + 1) / 2;
  same("updated by scans", to_host(d, 64), starts);
  same("updated", to_host(total, 4), totals);
  LAUNCHED();
  return pass("group_parts", got);
}
