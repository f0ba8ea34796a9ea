/* SCP: scalar products of pairs of vectors, a block per pair in turn: partial sums in shared
 * memory, then a tree. Two coalesced streams, read once. */
#include "../common/app.h"

static const struct {
  unsigned pairs, elements, passes;
} sizes[APP_SIZES] = {{16, 2048, 1}, {256, 16384, 2}, {1024, 16384, 1}};

#define BLOCK  256
#define BLOCKS 128
#define SUMS   1024 /* partial sums of one product */

__global__ void products(float *out, const float *a, const float *b, unsigned pairs, unsigned n) {
  __shared__ float part[SUMS];
  for (unsigned p = blockIdx.x; p < pairs; p += gridDim.x) {
    const float *x = a + (size_t)p * n, *y = b + (size_t)p * n;
    for (unsigned s = threadIdx.x; s < SUMS; s += BLOCK) {
      float sum = 0;
      for (unsigned i = s; i < n; i += SUMS) sum += x[i] * y[i];
      part[s] = sum;
    }
    for (unsigned half = SUMS / 2; half; half /= 2) {
      __syncthreads();
      for (unsigned s = threadIdx.x; s < half; s += BLOCK) part[s] += part[s + half];
    }
    __syncthreads();
    if (threadIdx.x == 0) out[p] = part[0];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  app self = app_begin("SCP", argc, argv);
  unsigned pairs = sizes[self.size].pairs, n = sizes[self.size].elements;
  rng r(self.seed);
  std::vector<float> a = random_floats(r, (size_t)pairs * n, 0, 1),
                     b = random_floats(r, (size_t)pairs * n, 0, 1);
  float *da = device_copy(a), *db = device_copy(b), *dout = device_new<float>(pairs);
  for (unsigned i = 0; i < sizes[self.size].passes; i++) {
    products<<<BLOCKS, BLOCK>>>(dout, da, db, pairs, n);
    CHECK_LAUNCH();
  }
  std::vector<float> out = from_device(dout, pairs);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dout));
  bool right = true;
  if (self.verify) {
    std::vector<double> want(pairs, 0);
    for (unsigned p = 0; p < pairs; p++)
      for (unsigned i = 0; i < n; i++)
        want[p] += (double)a[(size_t)p * n + i] * b[(size_t)p * n + i];
    right = near_values("product", out, want, 1e-5); /* single-precision sums of 10^4 numbers */
  }
  return app_end(self, right);
}
