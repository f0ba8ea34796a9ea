/* Bytes and halves of words: intrinsics, and video instructions as PTX has them. */
#include "check.h"

#define VIDEO(name, text)                                                                          \
  __device__ unsigned name(unsigned a, unsigned b, unsigned c) {                                   \
    unsigned d;                                                                                    \
    asm(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                                                  \
    return d;                                                                                      \
  }
VIDEO(absdiff4, "vabsdiff4.u32.u32.u32 %0, %1, %2, %3;")
VIDEO(absdiff4_add, "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;")
VIDEO(add4_sat, "vadd4.s32.s32.s32.sat %0, %1, %2, %3;")
VIDEO(sub2, "vsub2.u32.u32.u32 %0, %1, %2, %3;")
VIDEO(max2, "vmax2.s32.s32.s32 %0, %1, %2, %3;")
VIDEO(average4, "vavrg4.u32.u32.u32 %0, %1, %2, %3;")
VIDEO(set4, "vset4.u32.u32.gt %0, %1, %2, %3;")
VIDEO(scalar_add, "vadd.u32.u32.u32.add %0, %1.b3, %2.h0, %3;")
VIDEO(scalar_mad, "vmad.s32.s32.s32.shr7 %0, %1.h1, %2.b1, %3;")
VIDEO(scalar_shift, "vshl.u32.u32.u32.clamp.max %0, %1.b0, %2.b2, %3;")
__global__ void run(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + 16 * i;
  o[0] = absdiff4(a, b, c), o[1] = absdiff4_add(a, b, c), o[2] = add4_sat(a, b, c);
  o[3] = sub2(a, b, c), o[4] = max2(a, b, c), o[5] = average4(a, b, c), o[6] = set4(a, b, c);
  o[7] = scalar_add(a, b, c), o[8] = scalar_mad(a, b, c), o[9] = scalar_shift(a, b, c);
  o[10] = __vabsdiffu4(a, b), o[11] = __vsadu4(a, b), o[12] = __vaddss4(a, b);
  o[13] = __vmaxs2(a, b), o[14] = __vavgu4(a, b), o[15] = __vcmpgtu4(a, b);
}
static int clamp8(int v) { return v > 127 ? 127 : v < -128 ? -128 : v; }

int main() {
  const int n = 300;
  std::vector<unsigned> in(3 * n), expect(16 * n);
  for (auto &v : in) v = random_u32() << 8 ^ random_u32();
  for (int i = 0; i < n; i++) {
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = &expect[16 * i];
    o[1] = c;
    for (int k = 0; k < 4; k++) {
      int x = a >> 8 * k & 255, y = b >> 8 * k & 255, d = x > y ? x - y : y - x;
      o[0] |= (unsigned)d << 8 * k, o[1] += (unsigned)d, o[11] += (unsigned)d;
      o[2] |= (unsigned)(clamp8((signed char)x + (signed char)y) & 255) << 8 * k;
      o[5] |= (unsigned)((x + y + 1) >> 1) << 8 * k;
      o[6] |= (unsigned)(x > y) << 8 * k, o[15] |= (x > y ? 255u : 0u) << 8 * k;
    }
    for (int k = 0; k < 2; k++) {
      int x = (short)(a >> 16 * k), y = (short)(b >> 16 * k);
      o[3] |= (unsigned)((x - y) & 0xffff) << 16 * k, o[4] |= (unsigned)((x > y ? x : y) & 0xffff)
                                                              << 16 * k;
    }
    o[7] = (a >> 24) + (b & 0xffff) + c;
    o[8] = (unsigned)(((long long)(short)(a >> 16) * (signed char)(b >> 8) + (int)c) >> 7);
    unsigned s = b >> 16 & 255, v = s > 31 ? 0 : (a & 255) << s;
    o[9] = v > c ? v : c;
    o[10] = o[0], o[12] = o[2], o[13] = o[4], o[14] = o[5];
  }
  unsigned *out = device_zeros<unsigned>(16 * n);
  run<<<3, 128>>>(to_device(in), out, n);
  std::vector<unsigned> got = to_host(out, 16 * n);
  same("video", got, expect);
  LAUNCHED();
  return pass("video", got);
}
