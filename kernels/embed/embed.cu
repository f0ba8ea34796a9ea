/* EMBED: the embedding stage of a recommender (DLRM's shape on Criteo's data): 26 tables of rows of
 * 64 floats, one row of each for every sample, chosen by Zipf's law. A warp copies one row. Popular
 * rows are anywhere in their table, as hashed categories are. */
#include "../common/scaled.h"

#define TABLES 26
#define WIDTH  64
#define WARPS  8
#define ZIPF   1.05 /* exponent; recommenders' traces are fitted with about one */

/* Each warp a row; its lanes two floats each. */
__global__ void gather(const float *tables, const uint32_t *row, float *out, uint64_t rows,
                       uint32_t samples) {
  uint32_t warp = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp >= samples * TABLES) return;
  uint64_t table = warp % TABLES, from = (table * rows + row[warp]) * WIDTH;
  ((float2 *)out)[(uint64_t)warp * (WIDTH / 2) + lane] = ((const float2 *)(tables + from))[lane];
}

/* A rank from 0 by Zipf's law over `n`, by inverting the integral of x^-ZIPF. */
static uint64_t zipf(rng &r, uint64_t n) {
  double a = 1 - ZIPF, top = pow((double)n + 1, a), x = pow(1 + r.unit_double() * (top - 1), 1 / a);
  uint64_t k = (uint64_t)x - 1;
  return k < n ? k : n - 1;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("EMBED", argc, argv, 1 << 20, false);
  uint64_t rows = s.bytes / (TABLES * WIDTH * sizeof(float)), seed = s.self.seed;
  /* A row is eight sectors. */
  uint32_t samples = s.work ? scaled_count(s.work / 8 / TABLES) : 64;
  rng r(seed);
  std::vector<uint32_t> row((uint64_t)samples * TABLES);
  for (uint32_t i = 0; i < row.size(); i++) /* rank to row: scattered */
    row[i] = (uint32_t)(gmmu_content_hash(i % TABLES, zipf(r, rows)) % rows);
  uint64_t all = TABLES * rows * WIDTH;
  float *tables = table_new<float>(all, GMMU_CONTENT_UNIT32, seed, 0);
  uint32_t *drow = device_copy(row);
  float *out = device_new<float>(row.size() * WIDTH);
  gather<<<blocks_for(row.size(), WARPS), 32 * WARPS>>>(tables, drow, out, rows, samples);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<float> got = from_device(out, row.size() * WIDTH), want(got.size());
    for (uint64_t i = 0; i < want.size(); i++) {
      uint64_t k = i / WIDTH, at = (k % TABLES * rows + row[k]) * WIDTH + i % WIDTH;
      uint32_t bits = gmmu_content_word32(GMMU_CONTENT_UNIT32, seed, 0, at);
      memcpy(&want[i], &bits, 4);
    }
    right = same_values("out", got, want);
  }
  free_all({tables, drow, out});
  return app_end(s.self, right);
}
