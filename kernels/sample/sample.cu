/* SAMPLE: random sampling: every thread draws positions of a table and adds up what it finds there.
 * No two accesses are near each other, so each needs a translation of its own. */
#include "../common/app.h"

static const struct {
  uint32_t words; /* a power of two */
  unsigned threads, draws;
} sizes[APP_SIZES] = {{64 << 10, 1024, 4}, {16 << 20, 30720, 128}, {64 << 20, 30720, 128}};

#define BLOCK 256

__host__ __device__ inline uint32_t draw(uint32_t x) { /* a bijection that looks random */
  x ^= x >> 16, x *= 0x7feb352du;
  x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__global__ void sample(const uint32_t *table, uint32_t mask, uint64_t *sums, unsigned threads,
                       unsigned draws, uint32_t seed) {
  unsigned t = blockIdx.x * BLOCK + threadIdx.x;
  if (t >= threads) return;
  uint64_t sum = 0;
  for (unsigned i = 0; i < draws; i++) sum += table[draw(seed + i * threads + t) & mask];
  sums[t] = sum;
}

int main(int argc, char **argv) {
  app self = app_begin("SAMPLE", argc, argv);
  uint32_t words = sizes[self.size].words, seed = (uint32_t)self.seed * 0x9e3779b9u;
  unsigned threads = sizes[self.size].threads, draws = sizes[self.size].draws;
  rng r(self.seed);
  std::vector<uint32_t> table(words);
  for (uint32_t &x : table) x = (uint32_t)r.next();
  uint32_t *dtable = device_copy(table);
  uint64_t *dsums = device_new<uint64_t>(threads);
  sample<<<blocks_for(threads, BLOCK), BLOCK>>>(dtable, words - 1, dsums, threads, draws, seed);
  CHECK_LAUNCH();
  std::vector<uint64_t> sums = from_device(dsums, threads), want(threads, 0);
  CHECK(cudaFree(dtable));
  CHECK(cudaFree(dsums));
  if (!self.verify) return app_end(self, true);
  for (unsigned t = 0; t < threads; t++)
    for (unsigned i = 0; i < draws; i++)
      want[t] += table[draw(seed + i * threads + t) & (words - 1)];
  return app_end(self, same_values("sum", sums, want));
}
