/* half and bfloat16: conversions in all roundings, comparisons of what is no number, saturation;
 * against a search among all values of the type. */
#include "check.h"
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct results {
  float down, up, zero;                 /* of the float */
  int to_down, to_up, to_zero, to_near; /* of the nearest value, as an integer */
  float from_down, from_up, from_zero;  /* of the integer */
};
#define CONVERSIONS(kernel, type, name)                                                            \
  __global__ void kernel(const float *f, const int *k, results *r, float *near, int n) {           \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    if (i >= n) return;                                                                            \
    type h = __float2##name##_rn(f[i]);                                                            \
    near[i] = (float)h;                                                                            \
    r[i].down = (float)__float2##name##_rd(f[i]), r[i].up = (float)__float2##name##_ru(f[i]);      \
    r[i].zero = (float)__float2##name##_rz(f[i]);                                                  \
    r[i].to_down = __##name##2int_rd(h), r[i].to_up = __##name##2int_ru(h);                        \
    r[i].to_zero = __##name##2int_rz(h), r[i].to_near = __##name##2int_rn(h);                      \
    r[i].from_down = (float)__int2##name##_rd(k[i]),                                               \
    r[i].from_up = (float)__int2##name##_ru(k[i]);                                                 \
    r[i].from_zero = (float)__int2##name##_rz(k[i]);                                               \
  }
CONVERSIONS(halves, __half, half)
CONVERSIONS(bfloats, __nv_bfloat16, bfloat16)

enum { OTHERS = 17 };
__global__ void others(float *out) {
  __half nan = __ushort_as_half(0x7fff), one = __float2half(1), two = __float2half(2);
  __half2 p = __halves2half2(one, two), q = __halves2half2(two, two);
  int n = 0;
  out[n++] = __hequ(one, nan), out[n++] = __heq(one, nan);
  out[n++] = __hltu(one, two), out[n++] = __hgtu(one, two);
  out[n++] = __half2float(__hadd_sat(one, two)), out[n++] = __half2float(__hsub_sat(one, two));
  out[n++] = __half2float(__hmul_sat(__float2half(0.5f), one));
  out[n++] = __half2float(__hfma_relu(one, __float2half(-3), two));
  out[n++] = __low2float(__lows2half2(p, q)), out[n++] = __high2float(__highs2half2(p, q));
  out[n++] = (float)(__heq2_mask(p, q) == 0xffff0000u), out[n++] = __half2float(__hmax(nan, two));
  out[n++] = __hisnan(__hmax_nan(nan, two));
  __half2 c = __hcmadd(p, q, p); /* (1 + 2i)(2 + 2i) + 1 + 2i */
  out[n++] = __low2float(c), out[n++] = __high2float(c);
  out[n++] = (float)__half2ll_rd(__float2half(-2.5f));
  out[n++] = (float)__half2ushort_ru(__float2half(7.25f));
}

static void neighbours(const std::vector<float> &all, double v, float *down, float *up) {
  size_t at = std::lower_bound(all.begin(), all.end(), v, [](float a, double b) { return a < b; }) -
              all.begin();
  *up = all[at], *down = all[at] > v ? all[at - 1] : all[at];
}

static void check(const char *name, bool half, const std::vector<float> &all) {
  const int n = 4000;
  std::vector<float> f(n);
  std::vector<int> k(n);
  for (int i = 0; i < n; i++) {
    f[i] = ldexpf(random_f32() - 0.5f, (int)(random_u32() % (half ? 44 : 200)) - (half ? 26 : 100));
    k[i] = (int)(random_u32() << 8 ^ random_u32()) >> random_u32() % 31;
  }
  results *r = device_zeros<results>(n);
  float *near = device_zeros<float>(n);
  if (half)
    halves<<<(n + 127) / 128, 128>>>(to_device(f), to_device(k), r, near, n);
  else
    bfloats<<<(n + 127) / 128, 128>>>(to_device(f), to_device(k), r, near, n);
  LAUNCHED();
  std::vector<results> got = to_host(r, n);
  std::vector<float> nears = to_host(near, n);
  for (int i = 0; i < n; i++) {
    float down, up;
    neighbours(all, f[i], &down, &up);
    const results &g = got[i];
    bool ok = g.down == down && g.up == up && g.zero == (f[i] < 0 ? up : down) &&
              (nears[i] == down || nears[i] == up);
    double h = nears[i];
    if (fabs(h) < 2e9)
      ok = ok && g.to_down == (int)floor(h) && g.to_up == (int)ceil(h) && g.to_zero == (int)h &&
           g.to_near == (int)rint(h);
    neighbours(all, k[i], &down, &up);
    ok = ok && g.from_down == down && g.from_up == up && g.from_zero == (k[i] < 0 ? up : down);
    if (!ok) printf("%s: %a and %d\n", name, f[i], k[i]), exit(1);
  }
}

int main() {
  std::vector<float> half_values, bfloat_values; /* all numbers, infinite ones too, in order */
  for (unsigned b = 0; b < 65536; b++) {
    float h = __half2float(__ushort_as_half((unsigned short)b)), c;
    unsigned bits = b << 16;
    memcpy(&c, &bits, 4);
    if (h == h) half_values.push_back(h);
    if (c == c) bfloat_values.push_back(c);
  }
  std::sort(half_values.begin(), half_values.end());
  std::sort(bfloat_values.begin(), bfloat_values.end());
  check("half", true, half_values);
  check("bfloat16", false, bfloat_values);
  float *out = device_zeros<float>(OTHERS);
  others<<<1, 1>>>(out);
  LAUNCHED();
  same("others", to_host(out, OTHERS),
       std::vector<float>{1, 0, 1, 0, 1, 0, 0.5f, 0, 1, 2, 1, 2, 1, -1, 8, -3, 8});
  return pass("half_rounding");
}
