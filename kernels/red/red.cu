/* RED: the sum of a vector, again and again: every block adds up what lies a grid apart, then its
 * threads' sums in shared memory; a second launch adds the blocks' sums. A coalesced stream that
 * is read anew by every launch. */
#include "../common/app.h"

static const struct {
  size_t floats;
  unsigned passes;
} sizes[APP_SIZES] = {{64 << 10, 2}, {8 << 20, 6}, {16 << 20, 3}};

#define BLOCK  256
#define BLOCKS 64

__global__ void reduce(const float *in, float *out, size_t n) {
  __shared__ float part[BLOCK];
  float sum = 0;
  for (size_t i = (size_t)blockIdx.x * (2 * BLOCK) + threadIdx.x; i < n;
       i += (size_t)gridDim.x * 2 * BLOCK) {
    sum += in[i];
    if (i + BLOCK < n) sum += in[i + BLOCK];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = BLOCK / 2; half; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  app self = app_begin("RED", argc, argv);
  size_t n = sizes[self.size].floats;
  rng r(self.seed);
  std::vector<float> in = random_floats(r, n, 0, 1);
  float *din = device_copy(in), *dpart = device_new<float>(BLOCKS), *dsum = device_new<float>(1);
  float sum = 0;
  for (unsigned i = 0; i < sizes[self.size].passes; i++) {
    reduce<<<BLOCKS, BLOCK>>>(din, dpart, n);
    CHECK_LAUNCH();
    reduce<<<1, BLOCK>>>(dpart, dsum, BLOCKS);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&sum, dsum, sizeof sum, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dpart));
  CHECK(cudaFree(dsum));
  bool right = true;
  if (self.verify) { /* each thread adds up to n / 32768 numbers in single precision */
    double want = 0;
    for (float x : in) want += x;
    right = near_values("sum", &sum, &want, 1, 1e-5);
  }
  return app_end(self, right);
}
