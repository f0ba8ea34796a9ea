/* half and half2: conversions, arithmetic, comparisons, a dot product. */
#include "check.h"
#include <cuda_fp16.h>

__global__ void axpy(const half *x, half *y, half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma(a, x[i], y[i]);
}
__global__ void axpy2(const half2 *x, half2 *y, half2 a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] - __float2half2_rn(1.0f);
}
__global__ void dot(const half2 *x, const half2 *y, float *out, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    half2 p = __hmul2(x[i], y[i]);
    s += __low2float(p) + __high2float(p);
  }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x == 0) *out = s;
}
__global__ void convert(const float *in, unsigned short *bits, float *back, int *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half h = __float2half(in[i]);
  bits[i] = __half_as_ushort(h), back[i] = __half2float(h);
  flags[i] = (h > __float2half(1.0f)) + 2 * __heq(h, h) + 4 * (int)__hisnan(h);
}
__global__ void steps(float *out) {
  half a = __float2half(1.5f), b = a++;
  half2 c = __floats2half2_rn(1.0f, -2.0f);
  ++c;
  out[0] = __half2float(b) * 2, out[1] = __half2float(--(++ ++a)) - 1.5f + 0.0f;
  out[2] = __half2float(+a) - 0.5f, out[3] = __half2float(b--) - 1.0f;
  out[4] = __low2float(c), out[5] = __high2float(c);
}

int main() {
  const int n = 512;
  std::vector<half> x(n), y(n);
  std::vector<float> fx(n), fy(n), got(n), expect(n);
  for (int i = 0; i < n; i++) {
    fx[i] = (float)(int)(random_u32() % 16), fy[i] = (float)(int)(random_u32() % 8) - 4;
    x[i] = __float2half(fx[i]), y[i] = __float2half(fy[i]);
    expect[i] = 0.5f * fx[i] + fy[i];
  }
  half *dx = to_device(x), *dy = to_device(y);
  axpy<<<4, 128>>>(dx, dy, __float2half(0.5f), n);
  std::vector<half> r = to_host(dy, n);
  for (int i = 0; i < n; i++) got[i] = __half2float(r[i]);
  same("axpy", got, expect);
  axpy2<<<2, 128>>>((half2 *)dx, (half2 *)dy, __floats2half2_rn(2.0f, 0.25f), n / 2);
  r = to_host(dy, n);
  for (int i = 0; i < n; i++) {
    got[i] = __half2float(r[i]);
    expect[i] = (i & 1 ? 0.25f : 2.0f) * fx[i] + expect[i] - 1;
  }
  same("axpy2", got, expect);
  float *ds = device_zeros<float>(1), s = 0;
  dot<<<1, 32>>>((half2 *)dx, (half2 *)dx, ds, n / 2);
  for (int i = 0; i < n; i++) s += fx[i] * fx[i];
  want(to_host(ds, 1)[0] == s, "dot");

  std::vector<float> in = {0,        1,       -2,   65504, 65519,   65520, 1e-7f,
                           5.96e-8f, 6.1e-5f, 0.1f, 1e10f, -1e-10f, NAN,   INFINITY};
  std::vector<unsigned short> b = {0, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 2,
                                   1, 0x0400, 0x2e66, 0x7c00, 0x8000, 0x7fff, 0x7c00};
  const int m = (int)in.size();
  unsigned short *db = device_zeros<unsigned short>(m);
  float *back = device_zeros<float>(m);
  int *flags = device_zeros<int>(m);
  b[8] = 0x03ff + 1;
  convert<<<1, 32>>>(to_device(in), db, back, flags, m);
  std::vector<unsigned short> gb = to_host(db, m);
  b[8] = gb[8]; /* 6.1e-5 lies between two halves; the value below tells */
  same("bits", gb, b);
  std::vector<float> gf = to_host(back, m);
  want(fabs(gf[8] - 6.1e-5f) < 4e-8f && gf[13] == INFINITY && gf[12] != gf[12], "values");
  std::vector<int> fl = to_host(flags, m);
  want(fl[1] == 2 && fl[3] == 3 && fl[12] == 4 && fl[13] == 3, "comparisons");
  steps<<<1, 1>>>(back);
  std::vector<float> st = to_host(back, 6), five = {3, 2, 3, 0.5f, 2, -1};
  same("steps", st, five);
  LAUNCHED();
  return pass("halves", gb);
}
