/* TRD: the triad c = a + s * b over vectors, in pieces that alternate between two sets of buffers
 * as a program does that copies the next piece while it computes on this one. Pure streams. */
#include "../common/app.h"

static const struct {
  size_t floats; /* of a vector in one buffer set */
  unsigned passes;
} sizes[APP_SIZES] = {{8 << 10, 1}, {4 << 20, 1}, {8 << 20, 1}};

#define BLOCK  128
#define SCALAR 1.75f

__global__ void triad(const float *a, const float *b, float *c, float s) {
  size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
  c[i] = a[i] + s * b[i];
}

struct buffers {
  float *a, *b, *c;
};

int main(int argc, char **argv) {
  app self = app_begin("TRD", argc, argv);
  size_t n = sizes[self.size].floats;
  rng r(self.seed);
  std::vector<float> a = random_floats(r, n, -1, 1), b = random_floats(r, n, -1, 1), c;
  buffers set[2];
  for (buffers &s : set) s = {device_new<float>(n), device_new<float>(n), device_new<float>(n)};
  bool right = true;
  for (unsigned pass = 0; pass < sizes[self.size].passes; pass++) {
    unsigned turn = 0;
    for (size_t piece = 4 << 10; piece <= n; piece *= 4, turn ^= 1) { /* growing pieces */
      buffers &s = set[turn];
      CHECK(cudaMemcpy(s.a, a.data(), piece * sizeof(float), cudaMemcpyHostToDevice));
      CHECK(cudaMemcpy(s.b, b.data(), piece * sizeof(float), cudaMemcpyHostToDevice));
      triad<<<(unsigned)(piece / BLOCK), BLOCK>>>(s.a, s.b, s.c, SCALAR);
      CHECK_LAUNCH();
      c = from_device(s.c, piece);
      for (size_t i = 0; self.verify && right && i < piece; i++) { /* one rounding or two */
        double want = (double)a[i] + (double)SCALAR * b[i];
        right = near_values("c", &c[i], &want, 1, 1e-6);
      }
    }
  }
  for (buffers &s : set) {
    CHECK(cudaFree(s.a));
    CHECK(cudaFree(s.b));
    CHECK(cudaFree(s.c));
  }
  return app_end(self, right);
}
