/* mma.sync, ldmatrix and movmatrix as instructions: the layouts of PTX, a product through shared
 * memory. */
#include "check.h"
#include <cuda_fp16.h>

__global__ void by_ldmatrix(const half *a, const half *b, float *c) { /* 16x16 * 16x8, row, col */
  __shared__ __align__(16) half sa[16 * 16], sb[8 * 16];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) sa[i] = a[i];
  for (int i = t; i < 128; i += 32) sb[i] = b[i];
  __syncthreads();
  unsigned ra[4], rb[2];
  float d[4] = {1, 2, 3, 4};
  unsigned pa = (unsigned)__cvta_generic_to_shared(&sa[(t % 16) * 16 + t / 16 * 8]),
           pb = (unsigned)__cvta_generic_to_shared(&sb[(t % 8) * 16 + (t / 8 % 2) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(pb));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
               "%7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int g = t / 4, q = t % 4;
  c[g * 8 + 2 * q] = d[0], c[g * 8 + 2 * q + 1] = d[1];
  c[(g + 8) * 8 + 2 * q] = d[2], c[(g + 8) * 8 + 2 * q + 1] = d[3];
}
/* Registers filled by the book: element (row, col) of each fragment. */
__global__ void by_hand(const int *a, const int *b, int *c8, double *c64, float *ctf) {
  int t = threadIdx.x, g = t / 4, q = t % 4, d[4] = {0, 0, 0, 0};
  unsigned ra[4] = {0, 0, 0, 0}, rb[2] = {0, 0};
  for (int i = 0; i < 16; i++) { /* 16 x 32 signed bytes */
    int row = g + (i / 4 % 2) * 8, col = q * 4 + i % 4 + (i / 8) * 16;
    ra[i / 4] |= (unsigned)(a[row * 32 + col] & 255) << i % 4 * 8;
  }
  for (int i = 0; i < 8; i++)
    rb[i / 4] |= (unsigned)(b[(q * 4 + i % 4 + i / 4 * 16) * 8 + g] & 255) << i % 4 * 8;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, "
               "%7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; i++) c8[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = d[i];
  double e[2] = {0.5, 0.25};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(e[0]), "+d"(e[1])
               : "d"((double)a[g * 32 + q]), "d"((double)b[q * 8 + g]));
  c64[g * 8 + 2 * q] = e[0], c64[g * 8 + 2 * q + 1] = e[1];
  float f[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, "
               "{%6}, {%0, %1, %2, %3};"
               : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
               : "r"(__float_as_uint((float)a[g * 32 + q])),
                 "r"(__float_as_uint((float)a[(g + 8) * 32 + q])),
                 "r"(__float_as_uint((float)b[q * 8 + g])));
  for (int i = 0; i < 4; i++) ctf[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = f[i];
}
/* A transposed load, and the same by movmatrix. */
__global__ void transposed(unsigned *out) {
  __shared__ __align__(16) unsigned short s[64];
  int t = threadIdx.x;
  s[t] = (unsigned short)t, s[t + 32] = (unsigned short)(t + 32);
  __syncwarp();
  unsigned p = (unsigned)__cvta_generic_to_shared(&s[(t % 8) * 8]), a, b, c;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(b) : "r"(p));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(c) : "r"(b));
  out[t] = a, out[t + 32] = c;
}

int main() {
  std::vector<half> a(256), b(128);
  std::vector<float> fa(256), fb(128), expect(128);
  for (int i = 0; i < 256; i++)
    fa[i] = (float)(int)(random_u32() % 9) - 4, a[i] = __float2half(fa[i]);
  for (int i = 0; i < 128; i++)
    fb[i] = (float)(int)(random_u32() % 9) - 4, b[i] = __float2half(fb[i]);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 8; j++) {
      float s = (float)(1 + j % 2 + i / 8 * 2);
      for (int k = 0; k < 16; k++) s += fa[i * 16 + k] * fb[j * 16 + k];
      expect[i * 8 + j] = s;
    }
  float *c = device_zeros<float>(128);
  by_ldmatrix<<<1, 32>>>(to_device(a), to_device(b), c);
  std::vector<float> got = to_host(c, 128);
  same("ldmatrix and mma", got, expect);

  std::vector<int> ia(16 * 32), ib(32 * 8), e8(128);
  std::vector<double> e64(64);
  std::vector<float> etf(128);
  for (auto &v : ia) v = (int)(random_u32() % 255) - 127;
  for (auto &v : ib) v = (int)(random_u32() % 255) - 127;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 32; k++) {
        int p = ia[i * 32 + k] * ib[k * 8 + j];
        e8[i * 8 + j] += p;
        if (k < 4) etf[i * 8 + j] += (float)p;
        if (k < 4 && i < 8) e64[i * 8 + j] += p + (k ? 0 : j % 2 ? 0.25 : 0.5);
      }
  int *c8 = device_zeros<int>(128);
  double *c64 = device_zeros<double>(64);
  float *ctf = device_zeros<float>(128);
  by_hand<<<1, 32>>>(to_device(ia), to_device(ib), c8, c64, ctf);
  same("bytes", to_host(c8, 128), e8);
  same("doubles", to_host(c64, 64), e64);
  same("tf32", to_host(ctf, 128), etf);

  unsigned *o = device_zeros<unsigned>(64);
  transposed<<<1, 32>>>(o);
  std::vector<unsigned> w = to_host(o, 64), ew(64);
  for (unsigned t = 0; t < 32; t++)
    ew[t] = ew[t + 32] = (2 * (t % 4) * 8 + t / 4) | ((2 * (t % 4) + 1) * 8 + t / 4) << 16;
  same("transposed", w, ew);
  LAUNCHED();
  return pass("matrices_mma", got);
}
