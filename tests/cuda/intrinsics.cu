/* Integer, conversion and rounding intrinsics against what they are defined to be. */
#include "check.h"

__global__ void bits(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[i], b = in[(i + 1) % n];
  unsigned *o = out + i * 16;
  o[0] = __popc(a), o[1] = __clz(a), o[2] = __ffs(a), o[3] = __brev(a);
  o[4] = __byte_perm(a, b, 0x5241), o[5] = __umulhi(a, b), o[6] = (unsigned)__mulhi((int)a, (int)b);
  o[7] = __funnelshift_l(a, b, 7), o[8] = __funnelshift_r(a, b, 7),
  o[9] = (unsigned)__dp4a((int)a, (int)b, 5);
  o[10] = __usad(a, b, 3u), o[11] = (unsigned)__popcll((unsigned long long)a << 32 | b);
  o[12] = (unsigned)__clzll(b), o[13] = (unsigned)(__umul64hi((unsigned long long)a << 32, b));
  o[14] = __umul24(a, b), o[15] = (unsigned)__float_as_int(__int_as_float((int)a & 0x3fffffff));
}
__global__ void rounding(float *out, int *iout, double *dout) {
  float a = 1.0f, b = 3.0f;
  out[0] = __fdiv_rn(a, b), out[1] = __fdiv_rz(-a, b), out[2] = __fdiv_ru(a, b),
  out[3] = __fdiv_rd(a, b);
  out[4] = __fadd_ru(1.0f, 1e-20f), out[5] = __fadd_rd(1.0f, -1e-20f),
  out[6] = __fmul_rz(0.1f, 0.1f);
  out[7] = __fsqrt_rn(2.0f), out[8] = __fmaf_rn(0.1f, 10.0f, -1.0f);
  iout[0] = __float2int_rn(2.5f), iout[1] = __float2int_rz(-2.7f), iout[2] = __float2int_ru(2.1f);
  iout[3] = __float2int_rd(-2.1f), iout[4] = (int)__float2uint_rn(3e9f),
  iout[5] = __double2int_rn(-3.5);
  iout[6] = __double2hiint(-2.0), iout[7] = (int)__float2ll_rz(-5.5f);
  dout[0] = __ddiv_rn(1.0, 3.0), dout[1] = __dadd_ru(1.0, 1e-30),
  dout[2] = __hiloint2double(0x40080000, 0);
  dout[3] = __longlong_as_double(__double_as_longlong(6.5)),
  dout[4] = (double)__uint2float_rz(0xffffffffu);
}

static unsigned byte_of(unsigned a, unsigned b, int k) {
  return (k < 4 ? a >> 8 * k : b >> 8 * (k - 4)) & 255;
}

int main() {
  const int n = 64;
  std::vector<unsigned> v(n), expect(n * 16);
  for (unsigned &x : v) x = random_u32() << 12 ^ random_u32();
  v[3] = 0, v[4] = ~0u, v[5] = 1, v[6] = 0x80000000u;
  for (int i = 0; i < n; i++) {
    unsigned a = v[i], b = v[(i + 1) % n], *o = &expect[i * 16], r = 0;
    unsigned long long ab = (unsigned long long)b << 32 | a;
    for (int k = 0; k < 32; k++) r |= (a >> k & 1) << (31 - k);
    o[0] = __builtin_popcount(a), o[1] = a ? __builtin_clz(a) : 32, o[2] = __builtin_ffs((int)a),
    o[3] = r;
    o[4] =
        byte_of(a, b, 1) | byte_of(a, b, 4) << 8 | byte_of(a, b, 2) << 16 | byte_of(a, b, 5) << 24;
    o[5] = (unsigned)((unsigned long long)a * b >> 32),
    o[6] = (unsigned)((long long)(int)a * (int)b >> 32);
    o[7] = (unsigned)(ab << 7 >> 32), o[8] = (unsigned)(ab >> 7);
    int dp = 5;
    for (int k = 0; k < 4; k++) dp += (signed char)(a >> 8 * k) * (signed char)(b >> 8 * k);
    o[9] = (unsigned)dp, o[10] = (a > b ? a - b : b - a) + 3;
    o[11] = __builtin_popcount(a) + __builtin_popcount(b), o[12] = 32 + (b ? __builtin_clz(b) : 32);
    o[13] = (unsigned)((unsigned long long)a * b >> 32);
    o[14] = (a & 0xffffff) * (b & 0xffffff), o[15] = a & 0x3fffffff;
  }
  unsigned *d = device_zeros<unsigned>(n * 16);
  bits<<<1, n>>>(to_device(v), d, n);
  same("bits", to_host(d, n * 16), expect);
  float *f = device_zeros<float>(9);
  int *ii = device_zeros<int>(8);
  double *dd = device_zeros<double>(5);
  rounding<<<1, 1>>>(f, ii, dd);
  LAUNCHED();
  same("rounding", to_host(f, 9),
       std::vector<float>{1.0f / 3, -nextafterf(1.0f / 3, 0), 1.0f / 3, nextafterf(1.0f / 3, 0),
                          nextafterf(1, 2), nextafterf(1, 0), 0.0099999998f, sqrtf(2.0f),
                          fmaf(0.1f, 10.0f, -1.0f)},
       1e-9);
  same("integers", to_host(ii, 8),
       std::vector<int>{2, -2, 3, -3, (int)3000000000u, -4, (int)0xc0000000, -5});
  same("doubles", to_host(dd, 5),
       std::vector<double>{1.0 / 3, nextafter(1.0, 2.0), 3.0, 6.5, 4294967040.0});
  return pass("intrinsics", expect);
}
