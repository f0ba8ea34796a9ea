/* SN: bitonic sorting network over pairs of key and value: stages that fit a block run in shared
 * memory, the others compare elements far apart in global memory, one launch each. */
#include "../common/app.h"
#include <algorithm>

static const struct {
  uint32_t count; /* a power of two, at least TILE */
} sizes[APP_SIZES] = {{4 << 10}, {64 << 10}, {2 << 20}};

#define BLOCK 512
#define TILE  (2 * BLOCK) /* elements of a block in shared memory */

__device__ void order(uint32_t &ka, uint32_t &va, uint32_t &kb, uint32_t &vb, bool up) {
  if ((ka > kb) != up) return;
  uint32_t k = ka, v = va;
  ka = kb, va = vb;
  kb = k, vb = v;
}

/* Every step of the stages from `first` to `last` whose partners lie in one tile. */
__global__ void in_tile(uint32_t *key, uint32_t *value, uint32_t first, uint32_t last) {
  __shared__ uint32_t k[TILE], v[TILE];
  uint32_t base = blockIdx.x * TILE, t = threadIdx.x;
  k[t] = key[base + t], v[t] = value[base + t];
  k[t + BLOCK] = key[base + t + BLOCK], v[t + BLOCK] = value[base + t + BLOCK];
  for (uint32_t size = first; size <= last; size *= 2)
    for (uint32_t stride = size < TILE ? size / 2 : BLOCK; stride; stride /= 2) {
      uint32_t i = 2 * t - (t & (stride - 1));
      __syncthreads();
      order(k[i], v[i], k[i + stride], v[i + stride], ((base + i) & size) == 0);
    }
  __syncthreads();
  key[base + t] = k[t], value[base + t] = v[t];
  key[base + t + BLOCK] = k[t + BLOCK], value[base + t + BLOCK] = v[t + BLOCK];
}

__global__ void far_apart(uint32_t *key, uint32_t *value, uint32_t size, uint32_t stride) {
  uint32_t t = blockIdx.x * BLOCK + threadIdx.x, i = 2 * t - (t & (stride - 1));
  uint32_t ka = key[i], va = value[i], kb = key[i + stride], vb = value[i + stride];
  order(ka, va, kb, vb, (i & size) == 0);
  key[i] = ka, value[i] = va;
  key[i + stride] = kb, value[i + stride] = vb;
}

static bool verified(const std::vector<uint32_t> &in, const std::vector<uint32_t> &key,
                     const std::vector<uint32_t> &value) {
  std::vector<uint32_t> want(in);
  std::sort(want.begin(), want.end());
  for (size_t i = 0; i < in.size(); i++)
    if (value[i] >= in.size() || in[value[i]] != key[i]) {
      fprintf(stderr, "value[%zu] does not belong to its key\n", i);
      return false;
    }
  return same_values("key", key, want);
}

int main(int argc, char **argv) {
  app self = app_begin("SN", argc, argv);
  uint32_t n = sizes[self.size].count;
  rng r(self.seed);
  std::vector<uint32_t> in(n), index(n);
  for (uint32_t i = 0; i < n; i++) in[i] = (uint32_t)r.next(), index[i] = i;
  uint32_t *key = device_copy(in), *value = device_copy(index);
  in_tile<<<n / TILE, BLOCK>>>(key, value, 2, TILE);
  CHECK_LAUNCH();
  for (uint32_t size = 2 * TILE; size <= n; size *= 2) {
    for (uint32_t stride = size / 2; stride >= TILE; stride /= 2) {
      far_apart<<<n / TILE, BLOCK>>>(key, value, size, stride);
      CHECK_LAUNCH();
    }
    in_tile<<<n / TILE, BLOCK>>>(key, value, size, size);
    CHECK_LAUNCH();
  }
  std::vector<uint32_t> sorted = from_device(key, n), values = from_device(value, n);
  CHECK(cudaFree(key));
  CHECK(cudaFree(value));
  return app_end(self, !self.verify || verified(in, sorted, values));
}
