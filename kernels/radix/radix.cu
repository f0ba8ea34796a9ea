/* RADIX: least-significant-digit radix sort of pairs of 32-bit keys and values, 8 bits a pass:
 * blocks count digits of their tile, the host adds up, blocks scatter their pairs to 256 places at
 * once. */
#include "../common/scaled.h"
#include <algorithm>

#define BLOCK  256
#define TILE   2048u
#define DIGITS 256u

__global__ void count(const uint32_t *key, uint32_t *counts, uint32_t shift, uint64_t tiles) {
  __shared__ uint32_t own[DIGITS];
  uint64_t tile = spread_block(tiles);
  own[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < TILE; i += BLOCK)
    atomicAdd(&own[key[tile * TILE + i] >> shift & (DIGITS - 1)], 1);
  __syncthreads();
  counts[blockIdx.x * DIGITS + threadIdx.x] = own[threadIdx.x];
}

/* Pairs of a tile keep their order: a warp at a time, its lanes by number. */
__global__ void scatter(const uint32_t *key, const uint32_t *value, uint32_t *to_key,
                        uint32_t *to_value, const uint64_t *place, uint32_t shift, uint64_t tiles) {
  __shared__ uint32_t next[DIGITS];
  uint64_t tile = spread_block(tiles);
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  next[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t i = 0; i < TILE; i += BLOCK)
    for (uint32_t turn = 0; turn < BLOCK / 32; turn++) {
      if (turn == warp) {
        uint64_t at = tile * TILE + i + threadIdx.x;
        uint32_t k = key[at], digit = k >> shift & (DIGITS - 1), same = 0xffffffffu;
        for (uint32_t b = 0; b < 8; b++) {
          uint32_t votes = __ballot_sync(0xffffffffu, digit >> b & 1);
          same &= digit >> b & 1 ? votes : ~votes;
        }
        uint32_t before = __popc(same & ((1u << lane) - 1)), first = next[digit];
        uint64_t to = place[blockIdx.x * DIGITS + digit] + first + before;
        __syncwarp();
        if (before == 0) next[digit] = first + __popc(same);
        to_key[to] = k;
        to_value[to] = value[at];
      }
      __syncthreads();
    }
}

/* Where each tile's pairs of each digit go. Of a part of the tiles, each digit's region is where it
 * would be among all of them, since the keys are uniform. */
static std::vector<uint64_t> places(const std::vector<uint32_t> &counts, const spread &part) {
  std::vector<uint64_t> place(counts.size());
  uint64_t at = 0;
  for (uint32_t d = 0; d < DIGITS; d++)
    for (uint32_t t = 0; t < part.count; t++) {
      uint64_t tile = t * part.all / part.count, region = part.all * TILE / DIGITS;
      place[(uint64_t)t * DIGITS + d] =
          part.count == part.all ? at : d * region + (region - TILE) * tile / part.all;
      at += counts[(uint64_t)t * DIGITS + d];
    }
  return place;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("RADIX", argc, argv, 1 << 18, false);
  uint64_t tiles = s.bytes / 16 / TILE, n = tiles * TILE, seed = s.self.seed;
  spread part = spread_over(s, tiles, TILE);
  scaled_whole(s, part.count == part.all);
  uint32_t *key[2] = {table_new<uint32_t>(n, GMMU_CONTENT_BELOW32, seed, 1ull << 32),
                      device_new<uint32_t>(n)};
  uint32_t *value[2] = {table_new<uint32_t>(n, GMMU_CONTENT_BELOW32, seed + 1, 1ull << 32),
                        device_new<uint32_t>(n)};
  uint32_t *counts = device_new<uint32_t>(part.count * DIGITS);
  uint64_t *place = device_new<uint64_t>(part.count * DIGITS);
  uint32_t passes = part.count == part.all ? 4 : 1; /* a part of the tiles is not sorted on */
  for (uint32_t p = 0; p < passes; p++) {
    uint32_t from = p & 1;
    count<<<part.count, BLOCK>>>(key[from], counts, 8 * p, tiles);
    CHECK_LAUNCH();
    to_device(place, places(from_device(counts, part.count * DIGITS), part));
    scatter<<<part.count, BLOCK>>>(key[from], value[from], key[1 - from], value[1 - from], place,
                                   8 * p, tiles);
    CHECK_LAUNCH();
  }
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<uint32_t> k = table_host<uint32_t>(n, GMMU_CONTENT_BELOW32, seed, 1ull << 32),
                          v = table_host<uint32_t>(n, GMMU_CONTENT_BELOW32, seed + 1, 1ull << 32);
    std::vector<uint64_t> order(n);
    for (uint64_t i = 0; i < n; i++) order[i] = (uint64_t)k[i] << 32 | i;
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> want_k(n), want_v(n);
    for (uint64_t i = 0; i < n; i++)
      want_k[i] = (uint32_t)(order[i] >> 32), want_v[i] = v[order[i] & 0xffffffffu];
    right = same_values("key", from_device(key[0], n), want_k) &&
            same_values("value", from_device(value[0], n), want_v);
  }
  free_all({key[0], key[1], value[0], value[1], counts, place});
  return app_end(s.self, right);
}
