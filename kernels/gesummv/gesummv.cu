/* GESUMMV: y = alpha A x + beta B x (PolyBench): a thread per row, two matrices at once. */
#include "../common/poly.h"

#define ALPHA 1.5f
#define BETA  1.2f

__global__ void rows(const float *a, const float *b, const float *x, float *y, uint64_t n,
                     uint64_t to) {
  uint64_t i = (uint64_t)blockIdx.x * POLY_BLOCK + threadIdx.x;
  float sum_a = 0, sum_b = 0;
  for (uint64_t j = 0; j < to; j++) {
    sum_a += a[i * n + j] * x[j];
    sum_b += b[i * n + j] * x[j];
  }
  y[i] = ALPHA * sum_a + BETA * sum_b;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("GESUMMV", argc, argv, 1 << 19, false);
  uint64_t n = square_side(s.bytes / 2), to = poly_reach(s, n), seed = s.self.seed;
  scaled_whole(s, to == n);
  rng r(seed);
  std::vector<float> x = random_floats(r, n, 0, 1);
  float *a = table_new<float>(n * n, GMMU_CONTENT_UNIT32, 2 * seed, 0),
        *b = table_new<float>(n * n, GMMU_CONTENT_UNIT32, 2 * seed + 1, 0), *dx = device_copy(x),
        *dy = device_new<float>(n);
  rows<<<(unsigned)(n / POLY_BLOCK), POLY_BLOCK>>>(a, b, dx, dy, n, to);
  CHECK_LAUNCH();
  std::vector<float> got = from_device(dy, n);
  bool right = true;
  if (s.self.verify) {
    poly_host ha = {n, table_host<float>(n * n, GMMU_CONTENT_UNIT32, 2 * seed, 0)};
    poly_host hb = {n, table_host<float>(n * n, GMMU_CONTENT_UNIT32, 2 * seed + 1, 0)};
    std::vector<double> want = ha.times(x, false), more = hb.times(x, false);
    for (uint64_t i = 0; i < n; i++) want[i] = (double)ALPHA * want[i] + (double)BETA * more[i];
    right = near_values("y", got, want, 1e-4);
  }
  free_all({a, b, dx, dy});
  return app_end(s.self, right);
}
