/* VA: vector addition, c = a + b. Three coalesced streams without reuse. */
#include "../common/app.h"

static const struct {
  size_t elements;
  unsigned repeats;
} sizes[APP_SIZES] = {{16 << 10, 1}, {4 << 20, 3}, {16 << 20, 2}};

__global__ void add(const float *a, const float *b, float *c, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
  app self = app_begin("VA", argc, argv);
  size_t n = sizes[self.size].elements;
  rng r(self.seed);
  std::vector<float> a = random_floats(r, n, -1, 1), b = random_floats(r, n, -1, 1);
  float *da = device_copy(a), *db = device_copy(b), *dc = device_new<float>(n);
  for (unsigned i = 0; i < sizes[self.size].repeats; i++) {
    add<<<blocks_for(n, 256), 256>>>(da, db, dc, n);
    CHECK_LAUNCH();
  }
  std::vector<float> c = from_device(dc, n);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  bool right = true;
  if (self.verify) {
    for (size_t i = 0; i < n; i++) a[i] += b[i];
    right = same_values("c", c, a);
  }
  return app_end(self, right);
}
