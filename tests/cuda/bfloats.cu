/* __nv_bfloat16: conversions, arithmetic, pairs, comparisons, atomics. */
#include "check.h"
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf;
typedef __nv_bfloat162 bf2;
__global__ void run(const float *in, unsigned short *bits, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bf a = __float2bfloat16(in[i]), b = __float2bfloat16(in[(i + 1) % n]);
  bits[i] = __bfloat16_as_ushort(a);
  out[6 * i] = __bfloat162float(__hadd(a, b)), out[6 * i + 1] = __bfloat162float(a * b);
  out[6 * i + 2] = __bfloat162float(__hfma(a, b, a)), out[6 * i + 3] = a > b ? 1.0f : 0.0f;
  bf2 p = __floats2bfloat162_rn(in[i], in[(i + 1) % n]), q = __hmul2(p, p);
  out[6 * i + 4] = __low2float(q),
              out[6 * i + 5] = __bfloat162float(__high2bfloat16(__hadd2(p, q)));
}
__global__ void add(bf *sum) { atomicAdd(sum, __float2bfloat16(1.0f)); }
static float bf16(float v) { return __bfloat162float(__float2bfloat16(v)); }

int main() {
  const int n = 200;
  std::vector<float> in(n), expect(6 * n);
  std::vector<unsigned short> eb(n);
  for (int i = 0; i < n; i++) in[i] = (random_f32() - 0.5f) * (i % 7 ? 8.0f : 3000.0f);
  for (int i = 0; i < n; i++) {
    float a = bf16(in[i]), b = bf16(in[(i + 1) % n]), *e = &expect[6 * i];
    eb[i] = __bfloat16_as_ushort(__float2bfloat16(in[i]));
    e[0] = bf16(a + b), e[1] = bf16(a * b), e[2] = bf16((float)((double)a * b + a)), e[3] = a > b;
    e[4] = bf16(a * a), e[5] = bf16(b + bf16(b * b));
  }
  unsigned short *bits = device_zeros<unsigned short>(n);
  float *out = device_zeros<float>(6 * n);
  run<<<2, 128>>>(to_device(in), bits, out, n);
  same("bits", to_host(bits, n), eb);
  std::vector<float> got = to_host(out, 6 * n);
  same("values", got, expect);
  bf *sum = device_zeros<bf>(2);
  add<<<1, 100>>>(sum);
  want(__bfloat162float(to_host(sum, 1)[0]) == 100.0f, "atomic sum");
  LAUNCHED();
  return pass("bfloats", got);
}
