/* GUPS: HPC Challenge RandomAccess on a table of the given footprint: every thread follows its
 * stretch of one sequence of pseudo-random numbers and combines each number into the word that its
 * low bits choose. Every update is in another page. (`gup` is the small one of MASK's suite.) */
#include "../common/scaled.h"

#define THREADS 256
#define UPDATES 32 /* of a thread */

/* Times x in GF(2), modulo x^64 + x^2 + x + 1. */
__host__ __device__ static inline uint64_t following(uint64_t v) {
  return v << 1 ^ ((int64_t)v < 0 ? 7u : 0u);
}

__global__ void update(unsigned long long *table, const uint64_t *start, uint64_t mask) {
  uint64_t v = start[blockIdx.x * THREADS + threadIdx.x];
  for (uint32_t i = 0; i < UPDATES; i++) {
    v = following(v);
    atomicXor(table + (v & mask), (unsigned long long)v);
  }
}

/* Where each thread's stretch begins. */
static std::vector<uint64_t> starts(uint64_t v, uint32_t threads) {
  std::vector<uint64_t> start(threads);
  for (uint64_t &s : start) {
    s = v;
    for (uint32_t i = 0; i < UPDATES; i++) v = following(v);
  }
  return start;
}

static std::vector<uint64_t> reference(uint64_t v, uint64_t words, uint64_t updates) {
  std::vector<uint64_t> table = table_host<uint64_t>(words, GMMU_CONTENT_INDEX64, 0, 0);
  for (uint64_t i = 0; i < updates; i++) {
    v = following(v);
    table[v & (words - 1)] ^= v;
  }
  return table;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("GUPS", argc, argv, 1 << 18, false);
  uint64_t words = 1ull << log2_floor(s.bytes / 8);
  /* HPC Challenge updates four times the table's words; `work` is fewer. */
  uint64_t all = 4 * words / (THREADS * UPDATES);
  uint32_t blocks = spread_over(s, all, THREADS * UPDATES).count;
  uint64_t first = rng(s.self.seed).next() | 1; /* the sequence of zero is all zeroes */
  uint64_t *table = table_new<uint64_t>(words, GMMU_CONTENT_INDEX64, 0, 0);
  uint64_t *start = device_copy(starts(first, blocks * THREADS));
  update<<<blocks, THREADS>>>((unsigned long long *)table, start, words - 1);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify)
    right = same_values("table", from_device(table, words),
                        reference(first, words, (uint64_t)blocks * THREADS * UPDATES));
  free_all({start, table});
  return app_end(s.self, right);
}
