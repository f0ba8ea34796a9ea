/* link: -lcublas */
/* Products of matrices by cuBLAS beyond single and double precision: halves, bfloat16, bytes and
 * complex numbers, one at a time, in batches at a stride and by lists of addresses. All values are
 * small integers, so every sum is exact. */
#include "blas_check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { M = 21, N = 18, K = 35, LD = 40, SIZE = LD * LD, BATCH = 3 };

template <class T> static T make(int v) { return (T)v; }
template <> half make(int v) { return __float2half((float)v); }
template <> __nv_bfloat16 make(int v) { return __float2bfloat16((float)v); }
template <class T> static double value(T v) { return (double)v; }
static double value(half v) { return (double)__half2float(v); }
static double value(__nv_bfloat16 v) { return (double)__bfloat162float(v); }

static std::vector<int> numbers(size_t n, int range) {
  std::vector<int> v(n);
  for (auto &x : v) x = small_number(range);
  return v;
}
template <class T> static std::vector<T> as(const std::vector<int> &v) {
  std::vector<T> r(v.size());
  for (size_t i = 0; i < v.size(); i++) r[i] = make<T>(v[i]);
  return r;
}
/* alpha op(A) op(B) + beta C of batch q, column by column */
static std::vector<double> product(int ta, int tb, int alpha, const std::vector<int> &a,
                                   const std::vector<int> &b, int beta, const std::vector<int> &c,
                                   int q) {
  std::vector<double> r(SIZE);
  for (int i = 0; i < SIZE; i++) r[i] = c[q * SIZE + i];
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) {
      int sum = 0;
      for (int l = 0; l < K; l++)
        sum += a[q * SIZE + (ta ? l + i * LD : i + l * LD)] *
               b[q * SIZE + (tb ? j + l * LD : l + j * LD)];
      r[i + j * LD] = alpha * sum + beta * c[q * SIZE + i + j * LD];
    }
  return r;
}
template <class T>
static void compare(const char *what, const T *device, const std::vector<double> &want, int q) {
  std::vector<T> got = to_host(device + q * SIZE, SIZE);
  std::vector<double> v(SIZE);
  for (int i = 0; i < SIZE; i++) v[i] = value(got[i]);
  same(what, v, want);
}

/* A and B of one type, C of another, scalars of a third. */
template <class AB, class C, class S>
static void types(cublasHandle_t h, const char *what, cudaDataType ab, cudaDataType ct,
                  cublasComputeType_t compute) {
  std::vector<int> a = numbers(BATCH * SIZE, 2), b = numbers(BATCH * SIZE, 2),
                   c = numbers(BATCH * SIZE, 3);
  AB *da = to_device(as<AB>(a)), *db = to_device(as<AB>(b));
  S alpha = make<S>(2), beta = make<S>(-1);
  for (int t = 0; t < 4; t++) {
    cublasOperation_t ta = t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N,
                      tb = t & 2 ? CUBLAS_OP_C : CUBLAS_OP_N;
    C *dc = to_device(as<C>(c));
    BLAS(cublasGemmEx(h, ta, tb, M, N, K, &alpha, da, ab, LD, db, ab, LD, &beta, dc, ct, LD,
                      compute, CUBLAS_GEMM_DEFAULT));
    compare(what, dc, product(t & 1, t & 2, 2, a, b, -1, c, 0), 0);
    BLAS(cublasGemmStridedBatchedEx(h, ta, tb, M, N, K, &alpha, da, ab, LD, SIZE, db, ab, LD, SIZE,
                                    &beta, dc + SIZE, ct, LD, SIZE, BATCH - 1, compute,
                                    CUBLAS_GEMM_DEFAULT_TENSOR_OP));
    std::vector<int> shifted(c.begin() + SIZE, c.end());
    for (int q = 0; q < BATCH - 1; q++)
      compare(what, dc + SIZE, product(t & 1, t & 2, 2, a, b, -1, shifted, q), q);
    CUDA(cudaFree(dc));
  }
  std::vector<const void *> la(BATCH), lb(BATCH);
  std::vector<void *> lc(BATCH);
  C *dc = to_device(as<C>(c));
  for (int q = 0; q < BATCH; q++) { /* in another order than they lie */
    int from = BATCH - 1 - q;
    la[q] = da + from * SIZE, lb[q] = db + from * SIZE, lc[q] = dc + from * SIZE;
  }
  const void **pa = to_device(la), **pb = to_device(lb);
  void **pc = to_device(lc);
  BLAS(cublasGemmBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_T, M, N, K, &alpha, pa, ab, LD, pb, ab, LD,
                           &beta, pc, ct, LD, BATCH, compute, CUBLAS_GEMM_DEFAULT));
  for (int q = 0; q < BATCH; q++) compare(what, dc, product(0, 1, 2, a, b, -1, c, q), q);
}

template <class T> static void complex_numbers(cublasHandle_t h, const char *what) {
  typedef decltype(T::x) real;
  std::vector<int> v = numbers(6 * SIZE, 3);
  std::vector<T> m[3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < SIZE; i++)
      m[k].push_back(T{(real)v[2 * (k * SIZE + i)], (real)v[2 * (k * SIZE + i) + 1]});
  T alpha = {1, 2}, beta = {2, -1}, *a = to_device(m[0]), *b = to_device(m[1]);
  for (int ta = 0; ta < 3; ta++)
    for (int tb = 0; tb < 3; tb++) {
      T *c = to_device(m[2]);
      if (sizeof(T) == 8)
        BLAS(cublasCgemm(h, (cublasOperation_t)ta, (cublasOperation_t)tb, M, N, K,
                         (cuComplex *)&alpha, (cuComplex *)a, LD, (cuComplex *)b, LD,
                         (cuComplex *)&beta, (cuComplex *)c, LD));
      else
        BLAS(cublasZgemm(h, (cublasOperation_t)ta, (cublasOperation_t)tb, M, N, K,
                         (cuDoubleComplex *)&alpha, (cuDoubleComplex *)a, LD, (cuDoubleComplex *)b,
                         LD, (cuDoubleComplex *)&beta, (cuDoubleComplex *)c, LD));
      std::vector<T> got = to_host(c, SIZE);
      std::vector<double> g, w;
      for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
          double re = 0, im = 0;
          for (int l = 0; l < K; l++) {
            T x = m[0][ta ? l + i * LD : i + l * LD], y = m[1][tb ? j + l * LD : l + j * LD];
            if (ta == 2) x.y = -x.y;
            if (tb == 2) y.y = -y.y;
            re += (double)(x.x * y.x - x.y * y.y), im += (double)(x.x * y.y + x.y * y.x);
          }
          T o = m[2][i + j * LD];
          w.push_back(re - 2 * im + 2 * o.x + o.y), w.push_back(im + 2 * re + 2 * o.y - o.x);
          g.push_back(got[i + j * LD].x), g.push_back(got[i + j * LD].y);
        }
      same(what, g, w);
      CUDA(cudaFree(c));
    }
}

int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  types<half, half, half>(h, "halves", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
  types<half, half, float>(h, "halves, sums in single", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  types<half, float, float>(h, "halves to single", CUDA_R_16F, CUDA_R_32F,
                            CUBLAS_COMPUTE_32F_FAST_16F);
  types<__nv_bfloat16, float, float>(h, "bfloat16", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  types<float, float, float>(h, "single", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  types<double, double, double>(h, "double", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
  types<signed char, int, int>(h, "bytes", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
  complex_numbers<float2>(h, "complex");
  complex_numbers<double2>(h, "complex doubles");

  std::vector<int> a = numbers(SIZE, 2), b = numbers(SIZE, 2), c(SIZE, 0);
  half *ha = to_device(as<half>(a)), *hb = to_device(as<half>(b)), *hc = to_device(as<half>(c));
  half one = make<half>(1), zero = make<half>(0);
  BLAS(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, M, N, K, &one, ha, LD, hb, LD, &zero, hc, LD));
  compare("Hgemm", hc, product(0, 1, 1, a, b, 0, c, 0), 0);
  float *fa = to_device(as<float>(a)), *fb = to_device(as<float>(b)), *fc = to_device(as<float>(c));
  const float **pa = to_device(std::vector<const float *>{fa}),
              **pb = to_device(std::vector<const float *>{fb});
  float **pc = to_device(std::vector<float *>{fc}), f1 = 1, f0 = 0;
  BLAS(cublasSgemmBatched(h, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &f1, pa, LD, pb, LD, &f0, pc, LD,
                          1));
  compare("SgemmBatched", fc, product(1, 0, 1, a, b, 0, c, 0), 0);
  /* what does not go together */
  want(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &f1, fa, CUDA_R_32F, LD, fb, CUDA_R_32F,
                    LD, &f0, fc, CUDA_R_16F, LD, CUBLAS_COMPUTE_32F,
                    CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED,
       "single precision to halves");
  want(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &f1, fa, CUDA_R_32F, M - 1, fb,
                    CUDA_R_32F, LD, &f0, fc, CUDA_R_32F, LD, CUBLAS_COMPUTE_32F,
                    CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_INVALID_VALUE,
       "a leading dimension that is too small");
  BLAS(cublasDestroy(h));
  return pass("blas_types");
}
