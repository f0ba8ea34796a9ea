/* FDTD: finite differences in the time domain in two dimensions (PolyBench fdtd-2d): per step,
 * three kernels over three fields. Accesses are in order; the whole footprint is read and written.
 */
#include "../common/scaled.h"

#define WIDE  32
#define HIGH  8
#define STEPS 2

/* Blocks cover a band of HIGH rows; bands may be spread over the field. */
struct place {
  uint64_t i, j;
};
__device__ static inline place here(uint64_t n) {
  uint64_t wide = n / WIDE, block = spread_block(wide * (n / HIGH));
  return place{block / wide * HIGH + threadIdx.y, block % wide * WIDE + threadIdx.x};
}

__global__ void electric_y(float *ey, const float *hz, float source, uint64_t n) {
  place p = here(n);
  uint64_t at = p.i * n + p.j;
  if (p.i == 0)
    ey[at] = source;
  else
    ey[at] = ey[at] - 0.5f * (hz[at] - hz[at - n]);
}
__global__ void electric_x(float *ex, const float *hz, uint64_t n) {
  place p = here(n);
  uint64_t at = p.i * n + p.j;
  if (p.j > 0) ex[at] = ex[at] - 0.5f * (hz[at] - hz[at - 1]);
}
__global__ void magnetic(const float *ex, const float *ey, float *hz, uint64_t n) {
  place p = here(n);
  uint64_t at = p.i * n + p.j;
  if (p.i < n - 1 && p.j < n - 1)
    hz[at] = hz[at] - 0.7f * (ex[at + 1] - ex[at] + ey[at + n] - ey[at]);
}

static bool verified(uint64_t n, uint64_t seed, const float *got) {
  std::vector<float> ex = table_host<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0),
                     ey = table_host<float>(n * n, GMMU_CONTENT_UNIT32, seed + 1, 0),
                     hz = table_host<float>(n * n, GMMU_CONTENT_UNIT32, seed + 2, 0);
  for (uint32_t t = 0; t < STEPS; t++) {
    for (uint64_t at = 0; at < n * n; at++)
      ey[at] = at < n ? (float)t : ey[at] - 0.5f * (hz[at] - hz[at - n]);
    for (uint64_t at = 0; at < n * n; at++)
      if (at % n) ex[at] = ex[at] - 0.5f * (hz[at] - hz[at - 1]);
    for (uint64_t at = 0; at < n * (n - 1); at++)
      if (at % n < n - 1) hz[at] = hz[at] - 0.7f * (ex[at + 1] - ex[at] + ey[at + n] - ey[at]);
  }
  return near_values("hz", from_device(got, n * n), hz, 1e-5);
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("FDTD", argc, argv, 3 << 18, false);
  uint64_t n = square_side(s.bytes / 3), seed = 3 * s.self.seed;
  spread part = spread_over(s, n / WIDE * (n / HIGH), WIDE * HIGH);
  scaled_whole(s, part.count == part.all);
  dim3 block(WIDE, HIGH);
  float *ex = table_new<float>(n * n, GMMU_CONTENT_UNIT32, seed, 0),
        *ey = table_new<float>(n * n, GMMU_CONTENT_UNIT32, seed + 1, 0),
        *hz = table_new<float>(n * n, GMMU_CONTENT_UNIT32, seed + 2, 0);
  for (uint32_t t = 0; t < STEPS; t++) {
    electric_y<<<part.count, block>>>(ey, hz, (float)t, n);
    CHECK_LAUNCH();
    electric_x<<<part.count, block>>>(ex, hz, n);
    CHECK_LAUNCH();
    magnetic<<<part.count, block>>>(ex, ey, hz, n);
    CHECK_LAUNCH();
  }
  CHECK(cudaDeviceSynchronize());
  bool right = !s.self.verify || verified(n, seed, hz);
  free_all({ex, ey, hz});
  return app_end(s.self, right);
}
