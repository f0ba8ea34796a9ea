/* JOIN: a hash join without partitions: the build side's tuples go into one table with open
 * addressing, then every tuple of the probe side looks its key up. Both sides are read in order,
 * the table at random. A tuple is a key and a number, 4 bytes each; the table is half full. */
#include "../common/scaled.h"

#define BLOCK 256
#define EMPTY 0u /* keys are stored plus one, so that a table of zeroes is an empty one */

/* Multiplicative hashing: the upper bits. */
__host__ __device__ static inline uint32_t slot_of(uint32_t key, uint32_t log_slots) {
  return key * 2654435769u >> (32 - log_slots);
}

__global__ void build(const uint32_t *key, uint32_t *table, uint32_t log_slots, uint64_t tuples) {
  uint64_t i = spread_block(tuples / BLOCK) * BLOCK + threadIdx.x;
  uint32_t k = key[i] + 1, at = slot_of(k, log_slots), mask = (1u << log_slots) - 1;
  while (atomicCAS(table + 2 * (uint64_t)at, EMPTY, k) != EMPTY) at = (at + 1) & mask;
  table[2 * (uint64_t)at + 1] = (uint32_t)i;
}

__global__ void probe(const uint32_t *key, const uint32_t *table, uint32_t log_slots,
                      uint64_t tuples, unsigned long long *found) {
  uint64_t i = spread_block(tuples / BLOCK) * BLOCK + threadIdx.x;
  uint32_t k = key[i] + 1, at = slot_of(k, log_slots), mask = (1u << log_slots) - 1;
  unsigned long long sum = 0;
  for (;; at = (at + 1) & mask) {
    uint2 slot = ((const uint2 *)table)[at];
    if (slot.x == k) sum += 1 + ((unsigned long long)slot.y << 32);
    if (slot.x == k || slot.x == EMPTY) break;
  }
  if (sum) {
    atomicAdd(&found[0], sum & 0xffffffffu);
    atomicAdd(&found[1], sum >> 32);
  }
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("JOIN", argc, argv, 1 << 19, false);
  /* Of the footprint, 16 bytes a tuple are the table, 4 each the keys of both sides. */
  uint32_t log_tuples = log2_floor(s.bytes / 24), log_slots = log_tuples + 1;
  if (log_slots > 31) scaled_usage("JOIN", "keys of 32 bits are enough for 48G", false);
  uint64_t tuples = 1ull << log_tuples, seed = s.self.seed;
  spread part = spread_over(s, tuples / BLOCK, BLOCK);
  scaled_whole(s, part.count == part.all);
  uint32_t *r = table_new<uint32_t>(tuples, GMMU_CONTENT_PERMUTED32, seed, log_tuples);
  uint32_t *q = table_new<uint32_t>(tuples, GMMU_CONTENT_BELOW32, seed, tuples + tuples / 2);
  uint32_t *table = device_new<uint32_t>(4 * tuples);
  CHECK(cudaMemset(table, 0, 16 * tuples));
  unsigned long long *found = table_zero<unsigned long long>(2);
  build<<<part.count, BLOCK>>>(r, table, log_slots, tuples);
  CHECK_LAUNCH();
  probe<<<part.count, BLOCK>>>(q, table, log_slots, tuples, found);
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
  free_all({r, q, table, found});
  return app_end(s.self, right);
}
