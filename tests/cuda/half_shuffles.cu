/* Shuffles of halves, bfloat16 and pairs of them, in all four directions. */
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
enum { THREADS = 64, FIELDS = 16 };

template <class H, class H2> __device__ static void all(H one, H2 two, H *o, H2 *o2) {
  o[0] = __shfl_sync(~0u, one, 5), o[1] = __shfl_up_sync(~0u, one, 3);
  o[2] = __shfl_down_sync(~0u, one, 2, 8), o[3] = __shfl_xor_sync(~0u, one, 9);
  o2[0] = __shfl_sync(~0u, two, 17), o2[1] = __shfl_up_sync(~0u, two, 1, 16);
  o2[2] = __shfl_down_sync(~0u, two, 4), o2[3] = __shfl_xor_sync(~0u, two, 31);
}
__global__ void halves(float *out) {
  float t = (float)threadIdx.x, *p = out + threadIdx.x * FIELDS;
  half o[4];
  half2 o2[4];
  all(__float2half(t), __floats2half2_rn(t + 1, -t), o, o2);
  for (int i = 0; i < 4; i++) {
    p[i] = __half2float(o[i]);
    p[4 + 2 * i] = __low2float(o2[i]), p[5 + 2 * i] = __high2float(o2[i]);
  }
}
__global__ void bfloats(float *out) {
  float t = (float)threadIdx.x, *p = out + threadIdx.x * FIELDS;
  __nv_bfloat16 o[4];
  __nv_bfloat162 o2[4];
  all(__float2bfloat16(t), __floats2bfloat162_rn(t + 1, -t), o, o2);
  for (int i = 0; i < 4; i++) {
    p[i] = __bfloat162float(o[i]);
    p[4 + 2 * i] = __low2float(o2[i]), p[5 + 2 * i] = __high2float(o2[i]);
  }
}

int main() {
  std::vector<float> expect(THREADS * FIELDS);
  for (int t = 0; t < THREADS; t++) {
    int lane = t % 32, warp = t - lane;
    int from[8] = {warp + 5,  lane < 3 ? t : t - 3,      lane % 8 < 6 ? t + 2 : t, t ^ 9,
                   warp + 17, lane % 16 < 1 ? t : t - 1, lane < 28 ? t + 4 : t,    t ^ 31};
    float *e = &expect[t * FIELDS];
    for (int i = 0; i < 4; i++) {
      e[i] = (float)from[i];
      e[4 + 2 * i] = (float)from[4 + i] + 1, e[5 + 2 * i] = -(float)from[4 + i];
    }
  }
  float *d = device_zeros<float>(THREADS * FIELDS);
  halves<<<1, THREADS>>>(d);
  LAUNCHED();
  same("halves", to_host(d, THREADS * FIELDS), expect);
  bfloats<<<1, THREADS>>>(d);
  LAUNCHED();
  same("bfloat16", to_host(d, THREADS * FIELDS), expect);
  return pass("half_shuffles", expect);
}
