/* GUP: random updates of a table (giga-updates per second, GUPS). Every thread follows its stretch
 * of one long sequence of pseudo-random numbers and combines each number into the word that its low
 * bits choose, by exclusive or: two atomic operations, one per half. Every lane has another page.
 */
#include "../common/app.h"

#define THREADS 128

static const struct {
  uint32_t log_words, updates, blocks; /* words of 8 bytes; updates of a thread */
} sizes[APP_SIZES] = {{12, 32, 16}, {17, 32, 512}, {25, 32, 512}};

/* The next number: times x in GF(2), modulo x^64 + x^2 + x + 1 (HPC Challenge, RandomAccess). */
__host__ __device__ static inline uint64_t following(uint64_t v) {
  return v << 1 ^ ((int64_t)v < 0 ? 7u : 0u);
}

__global__ void update(uint32_t *table, const uint64_t *start, uint64_t mask, uint32_t updates) {
  uint64_t v = start[blockIdx.x * blockDim.x + threadIdx.x];
  for (uint32_t i = 0; i < updates; i++) {
    v = following(v);
    uint32_t *word = table + 2 * (v & mask);
    atomicXor(word, (uint32_t)v);
    atomicXor(word + 1, (uint32_t)(v >> 32));
  }
}

/* Where each thread's stretch of the sequence begins. */
static std::vector<uint64_t> starts(uint64_t v, uint32_t threads, uint32_t updates) {
  std::vector<uint64_t> start(threads);
  for (uint64_t &s : start) {
    s = v;
    for (uint32_t i = 0; i < updates; i++) v = following(v);
  }
  return start;
}

static std::vector<uint64_t> first_table(uint64_t words) {
  std::vector<uint64_t> table(words);
  for (uint64_t i = 0; i < words; i++) table[i] = i;
  return table;
}

static std::vector<uint64_t> reference(uint64_t v, uint64_t words, uint64_t updates) {
  std::vector<uint64_t> table = first_table(words);
  for (uint64_t i = 0; i < updates; i++) {
    v = following(v);
    table[v & (words - 1)] ^= v;
  }
  return table;
}

int main(int argc, char **argv) {
  app self = app_begin("GUP", argc, argv);
  uint64_t words = 1ull << sizes[self.size].log_words;
  uint32_t updates = sizes[self.size].updates, blocks = sizes[self.size].blocks;
  rng r(self.seed);
  uint64_t first = r.next() | 1; /* the sequence of zero is all zeroes */
  uint64_t *table = device_copy(first_table(words));
  uint64_t *start = device_copy(starts(first, blocks * THREADS, updates));
  update<<<blocks, THREADS>>>((uint32_t *)table, start, words - 1, updates);
  CHECK_LAUNCH();
  std::vector<uint64_t> got = from_device(table, words);
  CHECK(cudaFree(start));
  CHECK(cudaFree(table));
  if (!self.verify) return app_end(self, true);
  uint64_t all = (uint64_t)blocks * THREADS * updates;
  return app_end(self, same_values("table", got, reference(first, words, all)));
}
