/* FWT: fast Walsh transforms, for the dyadic convolution of a long and a short sequence. Passes of
 * radix 4 over global memory have four coalesced streams, 8 MB apart in the first pass of the
 * largest input and a quarter of that in each next one; the last pass of a transform does all
 * distances within a block's 2^11 elements in shared memory. */
#include "../common/app.h"

#define SHARED_LOG 11 /* elements of a block in shared memory, at most */
#define THREADS    256
#define SHORT      128 /* elements of the short sequence */

static const struct { uint32_t log; /* 2^log elements */ } sizes[APP_SIZES] = {{12}, {20}, {21}};

/* Four elements, `stride` apart. */
__device__ static void load(float *v, const float *p, uint32_t stride) {
  for (int k = 0; k < 4; k++, p += stride) v[k] = *p;
}
__device__ static void store(float *p, uint32_t stride, const float *v) {
  for (int k = 0; k < 4; k++, p += stride) *p = v[k];
}

/* Four elements become their four sums with the signs of a Walsh matrix. */
__device__ static void butterfly(float *v) {
  float sum = v[0] + v[1], difference = v[0] - v[1];
  float sum2 = v[2] + v[3], difference2 = v[2] - v[3];
  v[0] = sum + sum2;
  v[1] = difference + difference2;
  v[2] = sum - sum2;
  v[3] = difference - difference2;
}

/* Where a thread's first element is: groups of four elements, `stride` apart. */
__device__ static uint32_t first_of_four(uint32_t thread, uint32_t stride) {
  uint32_t low = thread & (stride - 1);
  return ((thread - low) << 2) + low;
}

__global__ void pass_global(float *data, uint32_t stride) {
  float *p = data + first_of_four(blockIdx.x * THREADS + threadIdx.x, stride), v[4];
  load(v, p, stride);
  butterfly(v);
  store(p, stride, v);
}

/* 2^log elements with a quarter as many threads. */
__global__ void pass_shared(float *data, uint32_t log) {
  extern __shared__ float s[];
  uint32_t threads = blockDim.x, t = threadIdx.x;
  float *p = data + ((size_t)blockIdx.x << log) + t, v[4];
  load(v, p, threads);
  butterfly(v);
  store(s + t, threads, v);
  for (uint32_t stride = threads / 4; stride > 0; stride /= 4) {
    float *q = s + first_of_four(t, stride);
    __syncthreads();
    load(v, q, stride);
    butterfly(v);
    store(q, stride, v);
  }
  __syncthreads();
  if (log & 1) { /* neighbours are left: two pairs per thread */
    for (uint32_t i = 2 * t; i < 4 * threads; i += 2 * threads) {
      float a = s[i], b = s[i + 1];
      s[i] = a + b;
      s[i + 1] = a - b;
    }
    __syncthreads();
  }
  load(v, s + t, threads);
  store(p, threads, v);
}

__global__ void multiply(float *a, const float *b, uint32_t n, float scale) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] *= b[i] * scale;
}

static void transform(float *data, uint32_t log) {
  uint32_t left = log;
  for (; left > SHARED_LOG; left -= 2) {
    pass_global<<<1u << (log - 2 - 8), THREADS>>>(data, 1u << (left - 2));
    CHECK_LAUNCH();
  }
  pass_shared<<<1u << (log - left), 1u << (left - 2), sizeof(float) << left>>>(data, left);
  CHECK_LAUNCH();
}

/* out[i] = sum over j of filter[j] * data[i xor j]. */
static std::vector<float> reference(const std::vector<float> &data,
                                    const std::vector<float> &filter) {
  std::vector<float> out(data.size());
  for (size_t i = 0; i < data.size(); i++) {
    double sum = 0;
    for (size_t j = 0; j < filter.size(); j++) sum += (double)filter[j] * data[i ^ j];
    out[i] = (float)sum;
  }
  return out;
}

int main(int argc, char **argv) {
  app self = app_begin("FWT", argc, argv);
  uint32_t log = sizes[self.size].log, n = 1u << log;
  rng r(self.seed);
  std::vector<float> filter = random_floats(r, SHORT, -1, 1), data = random_floats(r, n, -1, 1);
  float *dfilter = device_new<float>(n), *ddata = device_new<float>(n);
  CHECK(cudaMemset(dfilter, 0, n * sizeof(float)));
  to_device(dfilter, filter);
  to_device(ddata, data);
  transform(ddata, log);
  transform(dfilter, log);
  multiply<<<128, THREADS>>>(ddata, dfilter, n, 1.0f / (float)n);
  CHECK_LAUNCH();
  transform(ddata, log);
  std::vector<float> got = from_device(ddata, n);
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dfilter));
  if (!self.verify) return app_end(self, true);
  /* Two times 20 additions, and results of about 4. */
  return app_end(self, near_values("convolution", got, reference(data, filter), 1e-4));
}
