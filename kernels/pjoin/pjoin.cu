/* PJOIN: the same join as `join`, partitioned first, so that translation costs less: both sides are
 * scattered into partitions by their keys' low bits, each block writing a run of every partition;
 * then a block joins one pair of partitions with a table in shared memory. */
#include "../common/scaled.h"
#include <algorithm>

#define BLOCK 256
#define TILE  4096u /* tuples of a block while partitioning */
#define PART  1024u /* tuples of a partition, about */
#define SLOTS 4096u

/* How many tuples of each block go to each partition: count[block][partition]. */
__global__ void count(const uint32_t *key, uint32_t *counts, uint32_t parts) {
  const uint32_t *own = key + (uint64_t)blockIdx.x * TILE;
  for (uint32_t i = threadIdx.x; i < TILE; i += BLOCK)
    atomicAdd(&counts[(uint64_t)blockIdx.x * parts + (own[i] & (parts - 1))], 1);
}

/* place[block][partition]: where the block's next tuple of the partition goes. */
__global__ void scatter(const uint32_t *key, uint32_t *place, uint2 *out, uint32_t parts) {
  uint64_t first = (uint64_t)blockIdx.x * TILE;
  for (uint32_t i = threadIdx.x; i < TILE; i += BLOCK) {
    uint32_t k = key[first + i];
    uint32_t at = atomicAdd(&place[(uint64_t)blockIdx.x * parts + (k & (parts - 1))], 1);
    out[at] = make_uint2(k, (uint32_t)(first + i));
  }
}

__global__ void join(const uint2 *r, const uint32_t *r_begin, const uint2 *q,
                     const uint32_t *q_begin, uint32_t log_parts, unsigned long long *found) {
  __shared__ uint32_t key[SLOTS], number[SLOTS];
  uint32_t p = blockIdx.x;
  for (uint32_t i = threadIdx.x; i < SLOTS; i += BLOCK) key[i] = 0;
  __syncthreads();
  for (uint32_t i = r_begin[p] + threadIdx.x; i < r_begin[p + 1]; i += BLOCK) {
    uint2 t = r[i];
    uint32_t at = (t.x >> log_parts) * 2654435769u >> 20;
    while (atomicCAS(&key[at], 0, t.x + 1) != 0) at = (at + 1) % SLOTS;
    number[at] = t.y;
  }
  __syncthreads();
  unsigned long long matches = 0, sum = 0;
  for (uint32_t i = q_begin[p] + threadIdx.x; i < q_begin[p + 1]; i += BLOCK) {
    uint2 t = q[i];
    uint32_t at = (t.x >> log_parts) * 2654435769u >> 20;
    while (key[at] && key[at] != t.x + 1) at = (at + 1) % SLOTS;
    if (key[at]) matches++, sum += number[at];
  }
  if (!matches) return;
  atomicAdd(&found[0], matches);
  atomicAdd(&found[1], sum);
}

/* One side: its partitions one behind the other, and where each begins. */
struct side {
  uint2 *tuple;
  uint32_t *begin;
};
static side partition(const uint32_t *key, uint64_t tuples, uint32_t parts) {
  uint32_t blocks = (uint32_t)(tuples / TILE);
  uint32_t *counts = table_zero<uint32_t>((uint64_t)blocks * parts);
  count<<<blocks, BLOCK>>>(key, counts, parts);
  CHECK_LAUNCH();
  std::vector<uint32_t> n = from_device(counts, (uint64_t)blocks * parts), begin(parts + 1);
  uint32_t at = 0;
  for (uint32_t p = 0; p < parts; p++) {
    begin[p] = at;
    for (uint32_t b = 0; b < blocks; b++) {
      uint32_t here = n[(uint64_t)b * parts + p];
      n[(uint64_t)b * parts + p] = at;
      at += here;
    }
  }
  begin[parts] = at;
  to_device(counts, n);
  side out = {device_new<uint2>(tuples), device_copy(begin)};
  scatter<<<blocks, BLOCK>>>(key, counts, out.tuple, parts);
  CHECK_LAUNCH();
  CHECK(cudaFree(counts));
  return out;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("PJOIN", argc, argv, 1 << 19, false);
  /* 4 bytes a tuple and side come, 8 are written; the work bounds the tuples themselves. */
  uint64_t tuples = 1ull << log2_floor(s.bytes / 24), seed = s.self.seed;
  if (s.work && tuples > s.work) tuples = 1ull << log2_floor(s.work);
  if (tuples < TILE) tuples = TILE;
  uint32_t log_tuples = log2_floor(tuples), log_parts = log_tuples - log2_floor(PART),
           parts = 1u << log_parts;
  uint32_t *r = table_new<uint32_t>(tuples, GMMU_CONTENT_PERMUTED32, seed, log_tuples);
  uint32_t *q = table_new<uint32_t>(tuples, GMMU_CONTENT_BELOW32, seed, tuples + tuples / 2);
  unsigned long long *found = table_zero<unsigned long long>(2);
  side a = partition(r, tuples, parts), b = partition(q, tuples, parts);
  join<<<parts, BLOCK>>>(a.tuple, a.begin, b.tuple, b.begin, log_parts, found);
  CHECK_LAUNCH();
  std::vector<unsigned long long> got = from_device(found, 2), want(2, 0);
  bool right = true;
  if (s.self.verify) {
    std::vector<uint32_t> hr = table_host<uint32_t>(tuples, GMMU_CONTENT_PERMUTED32, seed,
                                                    log_tuples),
                          hq = table_host<uint32_t>(tuples, GMMU_CONTENT_BELOW32, seed,
                                                    tuples + tuples / 2),
                          where(tuples);
    for (uint64_t i = 0; i < tuples; i++) where[hr[i]] = (uint32_t)i;
    for (uint32_t k : hq)
      if (k < tuples) want[0]++, want[1] += where[k];
    right = same_values("found", got, want);
  }
  free_all({r, q, found, a.tuple, a.begin, b.tuple, b.begin});
  return app_end(s.self, right);
}
