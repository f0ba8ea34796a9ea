/* Copies into shared memory that are waited for later, in two stages; barriers in shared memory. */
#include "check.h"
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

__global__ void stages(const int4 *in, int4 *out, int tiles) {
  __shared__ int4 buffer[2][64];
  int t = threadIdx.x;
  const int4 *mine = in + (size_t)blockIdx.x * tiles * 64;
  __pipeline_memcpy_async(&buffer[0][t], &mine[t], 16);
  __pipeline_commit();
  int4 sum = make_int4(0, 0, 0, 0);
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles)
      __pipeline_memcpy_async(&buffer[(i + 1) & 1][t], &mine[(i + 1) * 64 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = buffer[i & 1][63 - t];
    sum.x += v.x, sum.y += v.y, sum.z ^= v.z, sum.w += i * v.w;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}
__global__ void with_zeros(const int *in, int *out) {
  __shared__ alignas(alignof(int4)) int s[32 * 4];
  int t = threadIdx.x;
  s[4 * t] = s[4 * t + 1] = s[4 * t + 2] = s[4 * t + 3] = -1;
  __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < 4; i++) out[4 * t + i] = s[4 * t + i];
}
/* Producers and a consumer: every warp arrives, warp 0 waits for the phase, several times. */
__global__ void phases(int *out, int rounds) {
  __shared__ __mbarrier_t full;
  __shared__ int box[128];
  int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&full, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < rounds; r++) {
    box[t] = t * (r + 1);
    __mbarrier_token_t token = __mbarrier_arrive(&full);
    while (!__mbarrier_test_wait(&full, token)) {
    }
    sum += box[(t + 37) % blockDim.x];
    token = __mbarrier_arrive(&full);
    while (!__mbarrier_test_wait(&full, token)) {
    }
  }
  out[t] = sum;
}

int main() {
  const int tiles = 5, blocks = 3;
  std::vector<int> in(blocks * tiles * 64 * 4), expect(blocks * 64 * 4);
  for (auto &v : in) v = (int)(random_u32() % 1000);
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < tiles; i++)
      for (int t = 0; t < 64; t++) {
        const int *v = &in[((b * tiles + i) * 64 + 63 - t) * 4];
        int *e = &expect[(b * 64 + t) * 4];
        e[0] += v[0], e[1] += v[1], e[2] ^= v[2], e[3] += i * v[3];
      }
  int *d = to_device(in), *out = device_zeros<int>(expect.size());
  stages<<<blocks, 64>>>((const int4 *)d, (int4 *)out, tiles);
  std::vector<int> got = to_host(out, expect.size());
  same("stages", got, expect);
  with_zeros<<<1, 32>>>(d, out);
  std::vector<int> z = to_host(out, 128), ez(128);
  for (int i = 0; i < 128; i++) ez[i] = i % 4 < 2 ? in[i] : 0;
  same("zeros", z, ez);
  phases<<<1, 128>>>(out, 4);
  std::vector<int> p = to_host(out, 128), ep(128);
  for (int t = 0; t < 128; t++) ep[t] = (t + 37) % 128 * 10;
  same("phases", p, ep);
  LAUNCHED();
  return pass("async_copy", got);
}
