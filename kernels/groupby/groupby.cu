/* GROUPBY: sum of values by key in a hash table with open addressing: the input is a stream, the
 * table is probed at random, and each group's sum is updated by an atomic. */
#include "../common/app.h"
#include <unordered_map>

static const struct {
  uint32_t rows, groups, slots; /* slots a power of two, at least twice the groups */
} sizes[APP_SIZES] = {
    {8 << 10, 512, 2 << 10}, {512 << 10, 512 << 10, 2 << 20}, {1 << 20, 4 << 20, 8 << 20}};

#define BLOCK 256
#define EMPTY 0u /* no key is 0 */

__device__ uint32_t slot_of(uint32_t key) {
  key ^= key >> 16, key *= 0x7feb352du;
  key ^= key >> 15, key *= 0x846ca68bu;
  return key ^ key >> 16;
}

__global__ void clear(uint32_t *keys, unsigned long long *sums, uint32_t slots) {
  for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < slots; i += gridDim.x * BLOCK) {
    keys[i] = EMPTY;
    sums[i] = 0;
  }
}

__global__ void group(const uint32_t *key, const uint32_t *value, uint32_t rows, uint32_t *keys,
                      unsigned long long *sums, uint32_t mask) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= rows) return;
  uint32_t k = key[n];
  for (uint32_t s = slot_of(k) & mask;; s = (s + 1) & mask) {
    uint32_t there = keys[s];
    if (there == EMPTY) there = atomicCAS(&keys[s], EMPTY, k);
    if (there != EMPTY && there != k) continue;
    atomicAdd(&sums[s], (unsigned long long)value[n]);
    return;
  }
}

static bool verified(const std::vector<uint32_t> &key, const std::vector<uint32_t> &value,
                     const std::vector<uint32_t> &keys,
                     const std::vector<unsigned long long> &sums) {
  std::unordered_map<uint32_t, uint64_t> want;
  size_t found = 0;
  for (size_t i = 0; i < key.size(); i++) want[key[i]] += value[i];
  for (size_t s = 0; s < keys.size(); s++) {
    if (keys[s] == EMPTY) continue;
    found++;
    if (want.count(keys[s]) && want[keys[s]] == sums[s]) continue;
    fprintf(stderr, "group %u: sum %llu is wrong\n", keys[s], sums[s]);
    return false;
  }
  if (found == want.size()) return true;
  fprintf(stderr, "%zu groups, should be %zu\n", found, want.size());
  return false;
}

int main(int argc, char **argv) {
  app self = app_begin("GROUPBY", argc, argv);
  uint32_t rows = sizes[self.size].rows, slots = sizes[self.size].slots;
  rng r(self.seed);
  std::vector<uint32_t> key(rows), value(rows);
  for (uint32_t i = 0; i < rows; i++) {
    key[i] = 1 + r.below(sizes[self.size].groups);
    value[i] = r.below(1000);
  }
  uint32_t *dkey = device_copy(key), *dvalue = device_copy(value),
           *dkeys = device_new<uint32_t>(slots);
  unsigned long long *dsums = device_new<unsigned long long>(slots);
  clear<<<240, BLOCK>>>(dkeys, dsums, slots);
  CHECK_LAUNCH();
  group<<<blocks_for(rows, BLOCK), BLOCK>>>(dkey, dvalue, rows, dkeys, dsums, slots - 1);
  CHECK_LAUNCH();
  std::vector<uint32_t> keys = from_device(dkeys, slots);
  std::vector<unsigned long long> sums = from_device(dsums, slots);
  void *all[] = {dkey, dvalue, dkeys, dsums};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || verified(key, value, keys, sums));
}
