/* MVT: x1 = x1 + A y1 and x2 = x2 + A' y2 (PolyBench). */
#include "../common/poly.h"

__global__ void rows(const float *a, const float *y, float *x, uint64_t n, uint64_t to) {
  uint64_t i = (uint64_t)blockIdx.x * POLY_BLOCK + threadIdx.x;
  x[i] += along_row(a, y, n, i, to);
}
__global__ void columns(const float *a, const float *y, float *x, uint64_t n, uint64_t to) {
  uint64_t i = (uint64_t)blockIdx.x * POLY_BLOCK + threadIdx.x;
  x[i] += along_column(a, y, n, i, to);
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("MVT", argc, argv, 1 << 18, false);
  uint64_t n = square_side(s.bytes), to = poly_reach(s, n), seed = s.self.seed;
  scaled_whole(s, to == n);
  rng r(seed);
  std::vector<float> x1 = random_floats(r, n, 0, 1), x2 = random_floats(r, n, 0, 1),
                     y1 = random_floats(r, n, 0, 1), y2 = random_floats(r, n, 0, 1);
  float *a = table_new<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0), *dx1 = device_copy(x1),
        *dx2 = device_copy(x2), *dy1 = device_copy(y1), *dy2 = device_copy(y2);
  unsigned blocks = (unsigned)(n / POLY_BLOCK);
  rows<<<blocks, POLY_BLOCK>>>(a, dy1, dx1, n, to);
  CHECK_LAUNCH();
  columns<<<blocks, POLY_BLOCK>>>(a, dy2, dx2, n, to);
  CHECK_LAUNCH();
  std::vector<float> got1 = from_device(dx1, n), got2 = from_device(dx2, n);
  bool right = true;
  if (s.self.verify) {
    poly_host h = {n, table_host<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0)};
    std::vector<double> want1 = h.times(y1, false), want2 = h.times(y2, true);
    for (uint64_t i = 0; i < n; i++) want1[i] += x1[i], want2[i] += x2[i];
    right = near_values("x1", got1, want1, 1e-4) && near_values("x2", got2, want2, 1e-4);
  }
  free_all({a, dx1, dx2, dy1, dy2});
  return app_end(s.self, right);
}
