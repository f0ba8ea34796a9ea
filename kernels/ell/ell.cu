/* ELL: y = A x with a sparse matrix in ELLPACK: 16 entries a row, entry k of all rows side by side,
 * so that a warp reads columns and values in order and gathers x at random. */
#include "../common/scaled.h"

#define BLOCK 256
#define WIDTH 16

__global__ void multiply(const uint32_t *column, const float *value, const float *x, float *y,
                         uint64_t rows) {
  uint64_t r = spread_block(rows / BLOCK) * BLOCK + threadIdx.x;
  float sum = 0;
  for (uint32_t k = 0; k < WIDTH; k++) sum += value[k * rows + r] * x[column[k * rows + r]];
  y[r] = sum;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("ELL", argc, argv, 1 << 19, false);
  uint64_t rows = s.bytes / (WIDTH * 8 + 8) / BLOCK * BLOCK, n = rows * WIDTH, seed = s.self.seed;
  spread part = spread_over(s, rows / BLOCK, BLOCK * WIDTH);
  scaled_whole(s, part.count == part.all);
  uint32_t *column = table_new<uint32_t>(n, GMMU_CONTENT_BELOW32, 3 * seed, rows);
  float *value = table_new<float>(n, GMMU_CONTENT_UNIT32, 3 * seed + 1, 0);
  float *x = table_new<float>(rows, GMMU_CONTENT_UNIT32, 3 * seed + 2, 0),
        *y = device_new<float>(rows);
  multiply<<<part.count, BLOCK>>>(column, value, x, y, rows);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<uint32_t> c = table_host<uint32_t>(n, GMMU_CONTENT_BELOW32, 3 * seed, rows);
    std::vector<float> v = table_host<float>(n, GMMU_CONTENT_UNIT32, 3 * seed + 1, 0);
    std::vector<float> hx = table_host<float>(rows, GMMU_CONTENT_UNIT32, 3 * seed + 2, 0);
    std::vector<double> want(rows, 0);
    for (uint64_t i = 0; i < n; i++) want[i % rows] += (double)v[i] * hx[c[i]];
    right = near_values("y", from_device(y, rows), want, 1e-5);
  }
  free_all({column, value, x, y});
  return app_end(s.self, right);
}
