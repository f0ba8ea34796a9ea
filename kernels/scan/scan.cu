/* SCAN: inclusive prefix sum in three launches: every block adds up its contiguous region, one
 * block scans the blocks' sums, every block scans its region from its start value. Threads read
 * four numbers at a time; each region is a run of pages of its own. */
#include "../common/app.h"

static const struct {
  size_t floats;
  unsigned passes;
} sizes[APP_SIZES] = {{64 << 10, 1}, {4 << 20, 2}, {16 << 20, 1}};

#define BLOCK  256
#define BLOCKS 64
#define TILE   (BLOCK * 4) /* numbers a block reads at once */

/* Sum over the block of every thread's x up to and including its own. */
__device__ float block_scan(float x, float *shared) {
  unsigned t = threadIdx.x;
  shared[t] = x;
  __syncthreads();
  for (unsigned step = 1; step < BLOCK; step *= 2) {
    float left = t >= step ? shared[t - step] : 0;
    __syncthreads();
    shared[t] += left;
    __syncthreads();
  }
  float sum = shared[t];
  __syncthreads();
  return sum;
}

__global__ void region_sums(const float4 *in, float *sums, size_t tiles) {
  __shared__ float shared[BLOCK];
  const float4 *from = in + (size_t)blockIdx.x * tiles * BLOCK;
  float sum = 0;
  for (size_t i = 0; i < tiles; i++) {
    float4 v = from[i * BLOCK + threadIdx.x];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = block_scan(sum, shared);
  if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = sum;
}

__global__ void scan_sums(float *sums) { /* of up to BLOCK regions; exclusive */
  __shared__ float shared[BLOCK];
  float x = threadIdx.x < BLOCKS ? sums[threadIdx.x] : 0, up_to = block_scan(x, shared);
  if (threadIdx.x < BLOCKS) sums[threadIdx.x] = up_to - x;
}

__global__ void scan_regions(const float4 *in, float4 *out, const float *sums, size_t tiles) {
  __shared__ float shared[BLOCK];
  __shared__ float carry;
  size_t base = (size_t)blockIdx.x * tiles * BLOCK;
  if (threadIdx.x == 0) carry = sums[blockIdx.x];
  for (size_t i = 0; i < tiles; i++) {
    float4 v = in[base + i * BLOCK + threadIdx.x];
    v.y += v.x, v.z += v.y, v.w += v.z;
    float up_to = block_scan(v.w, shared), before = up_to - v.w + carry;
    v.x += before, v.y += before, v.z += before, v.w += before;
    out[base + i * BLOCK + threadIdx.x] = v;
    __syncthreads(); /* everybody has read the carry */
    if (threadIdx.x == BLOCK - 1) carry += up_to;
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  app self = app_begin("SCAN", argc, argv);
  size_t n = sizes[self.size].floats, tiles = n / BLOCKS / TILE;
  rng r(self.seed);
  std::vector<float> in(n);
  for (float &x : in) x = (float)r.below(4); /* whole numbers below 2^24: sums are exact */
  float *din = device_copy(in), *dout = device_new<float>(n), *dsums = device_new<float>(BLOCKS);
  for (unsigned i = 0; i < sizes[self.size].passes; i++) {
    region_sums<<<BLOCKS, BLOCK>>>((const float4 *)din, dsums, tiles);
    CHECK_LAUNCH();
    scan_sums<<<1, BLOCK>>>(dsums);
    CHECK_LAUNCH();
    scan_regions<<<BLOCKS, BLOCK>>>((const float4 *)din, (float4 *)dout, dsums, tiles);
    CHECK_LAUNCH();
  }
  std::vector<float> out = from_device(dout, n);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  CHECK(cudaFree(dsums));
  bool right = true;
  if (self.verify) { /* beyond 2^24 (large) the order of the additions shows */
    std::vector<double> want(n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) want[i] = sum += in[i];
    right = near_values("out", out, want, sum < 16777216 ? 0 : 1e-6);
  }
  return app_end(self, right);
}
