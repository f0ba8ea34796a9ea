/* nvcuda::wmma: products of tiles in every element type and shape, compared with the host's. */
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, class AB, class MEM, class C, class LA, class LB>
__global__ void product(const MEM *a, const MEM *b, const C *c, C *d, wmma::layout_t lc) {
  wmma::fragment<wmma::matrix_a, M, N, K, AB, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, AB, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
  const bool row_a = __is_same(LA, wmma::row_major), row_b = __is_same(LB, wmma::row_major);
  wmma::load_matrix_sync(fa, a, row_a ? K : M);
  wmma::load_matrix_sync(fb, b, row_b ? N : K);
  wmma::load_matrix_sync(fc, c, lc == wmma::mem_row_major ? N : M, lc);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = (C)(fc.x[i] + fc.x[i]);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, lc == wmma::mem_row_major ? N : M, lc);
}
static double value(float v) { return v; }
static double value(double v) { return v; }
static double value(int v) { return v; }
static double value(signed char v) { return v; }
static double value(unsigned char v) { return v; }
static double value(half v) { return __half2float(v); }
static double value(__nv_bfloat16 v) { return __bfloat162float(v); }
template <class T> static T small(int i) { return (T)(float)i; }
template <> double small<double>(int i) { return i; }
template <> int small<int>(int i) { return i; }
template <> unsigned char small<unsigned char>(int i) { return (unsigned char)(i + 8); }
template <> signed char small<signed char>(int i) { return (signed char)i; }

static std::vector<double> seen;
template <int M, int N, int K, class AB, class MEM, class C, class LA, class LB>
static void check(const char *name, bool row_a, bool row_b, bool row_c) {
  std::vector<MEM> a(M * K), b(K * N);
  std::vector<C> c(M * N);
  for (auto &v : a) v = small<MEM>((int)(random_u32() % 15) - 7);
  for (auto &v : b) v = small<MEM>((int)(random_u32() % 15) - 7);
  for (auto &v : c) v = small<C>((int)(random_u32() % 15) - 7);
  C *d = device_zeros<C>(M * N);
  product<M, N, K, AB, MEM, C, LA, LB>
      <<<1, 32>>>(to_device(a), to_device(b), to_device(c), d,
                  row_c ? wmma::mem_row_major : wmma::mem_col_major);
  LAUNCHED();
  std::vector<C> r = to_host(d, M * N);
  std::vector<double> got(M * N), expect(M * N);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double s = 2 * value(c[row_c ? i * N + j : j * M + i]);
      for (int k = 0; k < K; k++)
        s += value(a[row_a ? i * K + k : k * M + i]) * value(b[row_b ? k * N + j : j * K + k]);
      expect[i * N + j] = s, got[i * N + j] = value(r[row_c ? i * N + j : j * M + i]);
    }
  same(name, got, expect);
  seen.insert(seen.end(), got.begin(), got.end());
}
template <int M, int N, int K, class AB, class MEM, class C> static void layouts(const char *name) {
  typedef wmma::row_major R;
  typedef wmma::col_major L;
  check<M, N, K, AB, MEM, C, R, R>(name, true, true, true);
  check<M, N, K, AB, MEM, C, R, L>(name, true, false, false);
  check<M, N, K, AB, MEM, C, L, R>(name, false, true, true);
  check<M, N, K, AB, MEM, C, L, L>(name, false, false, false);
}
/* Ten bits of the fraction stay; a tie goes away from zero, infinities and NaN stay what they are.
 */
__global__ void to_tf32(const float *in, float *out) {
  out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
}
static void rounding() {
  const unsigned in[] = {0x3f800fff, 0x3f801000, 0xbf801000, 0x3f803000,
                         0x7f800000, 0x7f7fffff, 0x00000fff, 0x80001000};
  const unsigned want[] = {0x3f800000, 0x3f802000, 0xbf802000, 0x3f804000,
                           0x7f800000, 0x7f800000, 0x00000000, 0x80002000};
  std::vector<float> v(8);
  memcpy(v.data(), in, sizeof in);
  float *out = device_zeros<float>(8);
  to_tf32<<<1, 8>>>(to_device(v), out);
  LAUNCHED();
  std::vector<float> got = to_host(out, 8);
  std::vector<unsigned> bits(8);
  memcpy(bits.data(), got.data(), sizeof in);
  same("to tf32", bits, std::vector<unsigned>(want, want + 8));
}
/* Sums of bytes around the largest and the smallest integer: they stop there, or go on. */
__global__ void sums_of_bytes(const signed char *a, const signed char *b, int *out, bool saturate) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(c, out, 16, wmma::mem_row_major);
  if (saturate)
    wmma::mma_sync(c, fa, fb, c, true);
  else
    wmma::mma_sync(c, fa, fb, c, false);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
static void saturation() {
  std::vector<signed char> a(256), b(256);
  std::vector<int> start(256);
  for (int i = 0; i < 256; i++)
    a[i] = (signed char)(i * 37), b[i] = (signed char)(i * 91),
    start[i] = i % 3 == 0   ? 0x7ffffff0
               : i % 3 == 1 ? -0x7ffffff0
                            : i;
  for (int saturate = 0; saturate < 2; saturate++) {
    std::vector<int> expect(256);
    int *out = to_device(start);
    sums_of_bytes<<<1, 32>>>(to_device(a), to_device(b), out, saturate != 0);
    LAUNCHED();
    for (int i = 0; i < 256; i++) {
      long long s = start[i];
      for (int k = 0; k < 16; k++) s += a[i / 16 * 16 + k] * b[i % 16 * 16 + k];
      if (saturate) s = s > 0x7fffffff ? 0x7fffffff : s < -0x80000000ll ? -0x80000000ll : s;
      expect[i] = (int)(unsigned)s;
    }
    same(saturate ? "saturated" : "not saturated", to_host(out, 256), expect);
  }
}
int main() {
  rounding();
  saturation();
  layouts<16, 16, 16, half, half, float>("half, float");
  layouts<16, 16, 16, half, half, half>("half");
  layouts<32, 8, 16, half, half, float>("half 32x8");
  layouts<8, 32, 16, half, half, float>("half 8x32");
  layouts<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16");
  layouts<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16 32x8");
  layouts<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16 8x32");
  layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
  layouts<8, 8, 4, double, double, double>("double");
  layouts<16, 16, 16, signed char, signed char, int>("signed bytes");
  layouts<32, 8, 16, unsigned char, unsigned char, int>("bytes 32x8");
  layouts<8, 32, 16, signed char, signed char, int>("signed bytes 8x32");
  return pass("matrices_wmma", seen);
}
