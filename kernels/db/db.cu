/* The operators of "Big data causing big (TLB) problems" (Karnagel et al., DaMoN 2017): random
 * sampling and hash group-by, plain and confined to a TLB scope. Compiled to PTX alone; who starts
 * them is src/db (`gmmu db`, or the applications db-sample and db-groupby).
 *
 * A scope is a range of the memory that is accessed at random. A pass does only what falls into its
 * scope; as many passes are made as there are scopes. src/db/db.h has the same rules in C. */
#include <stdint.h>

typedef unsigned long long u64;

/* ---- random sampling ---- */

/* Knuth's multiplier for 64 bits; the position comes from the upper half of the state. */
__device__ static u64 next_draw(u64 x) {
  return x * 6364136223846793005ull + 1442695040888963407ull;
}

__device__ static u64 position(u64 x, u64 words) { return (x >> 32) * words >> 32; }

extern "C" __global__ void db_sample(const uint32_t *data, u64 words, const u64 *seeds, u64 *sums,
                                     uint32_t threads, uint32_t draws) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  u64 x = seeds[t], sum = 0;
  for (uint32_t i = 0; i < draws; i++) {
    x = next_draw(x);
    sum += data[position(x, words)];
  }
  sums[t] += sum;
}

extern "C" __global__ void db_sample_scoped(const uint32_t *data, u64 words, const u64 *seeds,
                                            u64 *sums, uint32_t threads, uint32_t draws, u64 first,
                                            u64 count) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  u64 x = seeds[t], sum = 0;
  for (uint32_t i = 0; i < draws; i++) {
    x = next_draw(x);
    u64 at = position(x, words);
    if (at - first < count) sum += data[at];
  }
  sums[t] += sum;
}

/* ---- hash group-by: SELECT value, count(*) GROUP BY value ---- */

typedef struct {
  uint32_t key; /* value + 1; 0: empty */
  uint32_t count;
} bucket_t;

__device__ static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* Murmur3, 32 bits, of the four bytes of a value, seed 0. */
__device__ static uint32_t hash_of(uint32_t k) {
  k *= 0xcc9e2d51u, k = rotate(k, 15), k *= 0x1b873593u;
  uint32_t h = rotate(k, 13) * 5 + 0xe6546b64u;
  h ^= 4;
  h ^= h >> 16, h *= 0x85ebca6bu;
  h ^= h >> 13, h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

__device__ static u64 slot_of(uint32_t value, u64 slots) {
  return (u64)hash_of(value) * slots >> 32;
}

__device__ static void insert(bucket_t *table, u64 slots, u64 s, uint32_t value) {
  uint32_t key = value + 1;
  for (;;) {
    uint32_t there = *(volatile uint32_t *)&table[s].key;
    if (there == 0) there = atomicCAS(&table[s].key, 0u, key);
    if (there == 0 || there == key) break;
    if (++s == slots) s = 0;
  }
  atomicAdd(&table[s].count, 1u);
}

extern "C" __global__ void db_group(const uint32_t *in, uint32_t rows, bucket_t *table, u64 slots) {
  uint32_t step = gridDim.x * blockDim.x;
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += step) {
    uint32_t v = in[i];
    insert(table, slots, slot_of(v, slots), v);
  }
}

/* One pass over the input, or (`left`) over the values that an earlier pass has put aside. */
extern "C" __global__ void db_group_scoped(const uint32_t *in, uint32_t rows, const uint32_t *left,
                                           bucket_t *table, u64 slots, u64 first, u64 count) {
  uint32_t step = gridDim.x * blockDim.x;
  if (left) rows = *left;
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += step) {
    uint32_t v = in[i];
    u64 s = slot_of(v, slots);
    if (s - first < count) insert(table, slots, s, v);
  }
}

/* The first pass of the copy approach: what is not for this scope goes to `aside`, without gaps.
 * Lanes of a warp go through the loop together, so that they can count each other. */
extern "C" __global__ void db_group_copy(const uint32_t *in, uint32_t rows, uint32_t *aside,
                                         uint32_t *left, bucket_t *table, u64 slots, u64 first,
                                         u64 count) {
  uint32_t step = gridDim.x * blockDim.x, lane = threadIdx.x & 31;
  for (u64 base = blockIdx.x * blockDim.x + threadIdx.x - lane; base < rows; base += step) {
    u64 i = base + lane, s = 0;
    bool have = i < rows, mine = false;
    uint32_t v = 0, at = 0;
    if (have) {
      v = in[i];
      s = slot_of(v, slots);
      mine = s - first < count;
    }
    uint32_t others = __ballot_sync(0xffffffffu, have && !mine);
    if (lane == 0 && others) at = atomicAdd(left, (uint32_t)__popc(others));
    at = __shfl_sync(0xffffffffu, at, 0);
    if (have && !mine) aside[at + __popc(others & ((1u << lane) - 1))] = v;
    if (mine) insert(table, slots, s, v);
    __syncwarp();
  }
}
