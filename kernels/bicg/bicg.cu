/* BICG: s = A' r and q = A p, the two products of the BiCG solver (PolyBench). */
#include "../common/poly.h"

__global__ void columns(const float *a, const float *r, float *s, uint64_t n, uint64_t to) {
  uint64_t i = (uint64_t)blockIdx.x * POLY_BLOCK + threadIdx.x;
  s[i] = along_column(a, r, n, i, to);
}
__global__ void rows(const float *a, const float *p, float *q, uint64_t n, uint64_t to) {
  uint64_t i = (uint64_t)blockIdx.x * POLY_BLOCK + threadIdx.x;
  q[i] = along_row(a, p, n, i, to);
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("BICG", argc, argv, 1 << 18, false);
  uint64_t n = square_side(s.bytes), to = poly_reach(s, n), seed = s.self.seed;
  scaled_whole(s, to == n);
  rng random(seed);
  std::vector<float> r = random_floats(random, n, 0, 1), p = random_floats(random, n, 0, 1);
  float *a = table_new<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0), *dr = device_copy(r),
        *dp = device_copy(p), *ds = device_new<float>(n), *dq = device_new<float>(n);
  unsigned blocks = (unsigned)(n / POLY_BLOCK);
  columns<<<blocks, POLY_BLOCK>>>(a, dr, ds, n, to);
  CHECK_LAUNCH();
  rows<<<blocks, POLY_BLOCK>>>(a, dp, dq, n, to);
  CHECK_LAUNCH();
  std::vector<float> got_s = from_device(ds, n), got_q = from_device(dq, n);
  bool right = true;
  if (s.self.verify) {
    poly_host h = {n, table_host<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0)};
    right = near_values("s", got_s, h.times(r, true), 1e-4) &&
            near_values("q", got_q, h.times(p, false), 1e-4);
  }
  free_all({a, dr, dp, ds, dq});
  return app_end(s.self, right);
}
