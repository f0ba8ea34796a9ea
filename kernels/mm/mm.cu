/* MM: dense matrix product C = A B', A and B stored by columns as linear-algebra libraries do.
 * A block of 128 threads computes a tile of 128 x 16 of C: a row of A per thread, read along
 * columns, so every step of the inner loop is another column, a page or more away; the tile of B is
 * in shared memory. */
#include "../common/app.h"

static const struct {
  unsigned m, n, k; /* m a multiple of 128, n and k of 16 */
} sizes[APP_SIZES] = {{128, 64, 64}, {1024, 112, 992}, {3072, 1056, 512}};

#define ROWS    128
#define COLUMNS 16

__global__ void multiply(const float *a, const float *b, float *c, unsigned m, unsigned n,
                         unsigned k) {
  __shared__ float tile[COLUMNS][COLUMNS];
  unsigned row = blockIdx.x * ROWS + threadIdx.x, column = blockIdx.y * COLUMNS;
  float sum[COLUMNS];
#pragma unroll
  for (unsigned j = 0; j < COLUMNS; j++) sum[j] = 0;
  for (unsigned step = 0; step < k; step += COLUMNS) {
    for (unsigned i = threadIdx.x; i < COLUMNS * COLUMNS; i += ROWS)
      tile[i / COLUMNS][i % COLUMNS] = b[(size_t)(step + i / COLUMNS) * n + column + i % COLUMNS];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < COLUMNS; i++) {
      float x = a[(size_t)(step + i) * m + row];
#pragma unroll
      for (unsigned j = 0; j < COLUMNS; j++) sum[j] += x * tile[i][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned j = 0; j < COLUMNS; j++) c[(size_t)(column + j) * m + row] = sum[j];
}

/* A sample of C: all of it would take longer than the kernel. */
static bool verified(const std::vector<float> &a, const std::vector<float> &b,
                     const std::vector<float> &c, unsigned m, unsigned n, unsigned k, rng &r) {
  size_t all = (size_t)m * n, checks = all < 65536 ? all : 65536;
  for (size_t i = 0; i < checks; i++) {
    unsigned row = all == checks ? (unsigned)(i % m) : r.below(m),
             column = all == checks ? (unsigned)(i / m) : r.below(n);
    double want = 0;
    for (unsigned l = 0; l < k; l++)
      want += (double)a[(size_t)l * m + row] * b[(size_t)l * n + column];
    /* a single-precision sum of up to 992 terms that passes through numbers around 20 */
    if (!near_values("c", &c[(size_t)column * m + row], &want, 1, 1e-4)) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  app self = app_begin("MM", argc, argv);
  unsigned m = sizes[self.size].m, n = sizes[self.size].n, k = sizes[self.size].k;
  rng r(self.seed);
  std::vector<float> a = random_floats(r, (size_t)m * k, -1, 1),
                     b = random_floats(r, (size_t)n * k, -1, 1);
  float *da = device_copy(a), *db = device_copy(b), *dc = device_new<float>((size_t)m * n);
  multiply<<<dim3(m / ROWS, n / COLUMNS), ROWS>>>(da, db, dc, m, n, k);
  CHECK_LAUNCH();
  std::vector<float> c = from_device(dc, (size_t)m * n);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return app_end(self, !self.verify || verified(a, b, c, m, n, k, r));
}
