/* Instructions for dynamic programming (DPX), sums of products of bytes, shuffles among fewer lanes
 * than a warp, what printf returns. */
#include "check.h"
#include <algorithm>

__global__ void dpx(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n], *o = out + 16 * i;
  bool p, q;
  o[0] = (unsigned)__viaddmax_s32((int)a, (int)b, (int)c), o[1] = __viaddmin_u32(a, b, c);
  o[2] = (unsigned)__vimax3_s32((int)a, (int)b, (int)c), o[3] = __vimin3_u32(a, b, c);
  o[4] = __viaddmax_s16x2(a, b, c), o[5] = __vimin3_u16x2(a, b, c);
  o[6] = (unsigned)__vimax_s32_relu((int)a, (int)b), o[7] = __vimax3_s16x2_relu(a, b, c);
  o[8] = (unsigned)__vibmax_s32((int)a, (int)b, &p) + p,
  o[9] = __vibmin_u16x2(a, b, &p, &q) + 2 * p + q;
  o[10] = __dp2a_hi(a, b, c), o[11] = (unsigned)__dp2a_lo((int)a, (int)b, (int)c);
  char4 x = {1, -2, 3, -4}, y = {5, 6, -7, (signed char)(i % 100)};
  ushort2 h = {(unsigned short)i, 40000};
  uchar4 u = {200, 100, 50, (unsigned char)i};
  o[12] = (unsigned)__dp4a(x, y, 7), o[13] = __dp2a_lo(h, u, 9u);
  o[14] = o[15] = 0;
}
/* What lanes that take no part give counts as 0. */
__global__ void few_lanes(float *out) {
  float v = 1.0f + threadIdx.x;
  for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  unsigned part = __ballot_sync(0xffffffffu, threadIdx.x < 8);
  if (threadIdx.x < 8) {
    v = 2.0f;
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(part, v, o);
  }
  if (threadIdx.x == 0) out[0] = v;
}
__global__ void prints(int *out) {
  out[0] = printf("%d and %s, %.*f\n", 5, "text", 2, 1.5);
  out[1] = printf("nothing\n");
}

static int low(unsigned a) { return (short)a; }
static int high(unsigned a) { return (short)(a >> 16); }
static unsigned pack(int h, int l) { return (unsigned)h << 16 | ((unsigned)l & 0xffff); }
static int most(int a, int b, int c) { return std::max(a, std::max(b, c)); }

int main() {
  const int n = 200;
  std::vector<unsigned> in(n), expect(16 * n, 0);
  for (unsigned &x : in) x = random_u32() << 9 ^ random_u32();
  in[5] = 0, in[6] = ~0u, in[7] = 0x80000000u, in[8] = 0x7fffffffu, in[9] = in[10];
  for (int i = 0; i < n; i++) {
    unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n], *o = &expect[16 * i];
    int sa = (int)a, sb = (int)b, sc = (int)c;
    unsigned al = a & 0xffff, ah = a >> 16, bl = b & 0xffff, bh = b >> 16;
    o[0] = (unsigned)std::max((int)(a + b), sc), o[1] = std::min(a + b, c);
    o[2] = (unsigned)most(sa, sb, sc), o[3] = std::min(a, std::min(b, c));
    o[4] = pack(std::max((int)(short)(high(a) + high(b)), high(c)),
                std::max((int)(short)(low(a) + low(b)), low(c)));
    o[5] = std::min(ah, std::min(bh, c >> 16)) << 16 | std::min(al, std::min(bl, c & 0xffff));
    o[6] = (unsigned)most(sa, sb, 0);
    o[7] = pack(std::max(most(high(a), high(b), high(c)), 0),
                std::max(most(low(a), low(b), low(c)), 0));
    o[8] = (unsigned)std::max(sa, sb) + (sa >= sb);
    o[9] = (std::min(ah, bh) << 16 | std::min(al, bl)) + 2u * (ah <= bh) + (al <= bl);
    o[10] = c + al * (b >> 16 & 255) + ah * (b >> 24);
    o[11] = c + (unsigned)(low(a) * (signed char)b + high(a) * (signed char)(b >> 8));
    o[12] = (unsigned)(7 + 5 - 12 - 21 - 4 * (i % 100)), o[13] = 9 + 200u * i + 40000u * 100;
  }
  unsigned *d = to_device(in), *out = device_zeros<unsigned>(16 * n);
  dpx<<<2, 128>>>(d, out, n);
  LAUNCHED();
  same("smaller and larger", to_host(out, 16 * n), expect);
  float *f = device_zeros<float>(1);
  few_lanes<<<1, 32>>>(f);
  LAUNCHED();
  want(to_host(f, 1)[0] == 16, "a sum over eight lanes");
  int *r = device_zeros<int>(2);
  prints<<<1, 1>>>(r);
  LAUNCHED();
  want(to_host(r, 2)[0] == 4 && to_host(r, 2)[1] == 0, "what printf returns");
  return pass("dynamic_programs", to_host(out, 16 * n));
}
