/* link: -lcublas */
/* cuBLAS in single and double precision: vectors, products of matrices and vectors, of matrices in
 * every orientation, batches; scalars of the host and of the device. */
#include "blas_check.h"

template <class T> struct blas;
#define FUNCTIONS(T, U, L)                                                                         \
  template <> struct blas<T> {                                                                     \
    static constexpr auto gemm = cublas##U##gemm;                                                  \
    static constexpr auto batched = cublas##U##gemmStridedBatched;                                 \
    static constexpr auto gemv = cublas##U##gemv;                                                  \
    static constexpr auto axpy = cublas##U##axpy;                                                  \
    static constexpr auto scal = cublas##U##scal;                                                  \
    static constexpr auto dot = cublas##U##dot;                                                    \
    static constexpr auto nrm2 = cublas##U##nrm2;                                                  \
    static constexpr auto amax = cublasI##L##amax;                                                 \
  };
FUNCTIONS(float, S, s)
FUNCTIONS(double, D, d)

template <class T> static std::vector<T> numbers(size_t n) {
  std::vector<T> v(n);
  for (auto &x : v) x = (T)((int)(random_u32() % 9) - 4);
  return v;
}
template <class T> static std::vector<T> check(cublasHandle_t h) {
  const int m = 37, n = 29, k = 45;
  T alpha = 2, beta = -1;
  std::vector<T> a = numbers<T>(m * k), b = numbers<T>(k * n), c = numbers<T>(m * n), got;
  T *da = to_device(a), *db = to_device(b);
  for (int ta = 0; ta < 2; ta++)
    for (int tb = 0; tb < 2; tb++) {
      T *dc = to_device(c);
      BLAS(blas<T>::gemm(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                         &alpha, da, ta ? k : m, db, tb ? n : k, &beta, dc, m));
      std::vector<T> expect(m * n);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
          T s = 0;
          for (int l = 0; l < k; l++)
            s += (ta ? a[l + i * k] : a[i + l * m]) * (tb ? b[j + l * n] : b[l + j * k]);
          expect[i + j * m] = alpha * s + beta * c[i + j * m];
        }
      got = to_host(dc, m * n);
      same("gemm", got, expect);
    }
  T *batch = device_zeros<T>(2 * 16);
  T zero = 0;
  BLAS(blas<T>::batched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &alpha, da, 4, 16, db, 4, 16, &zero,
                        batch, 4, 16, 2));
  std::vector<T> bb = to_host(batch, 32), eb(32);
  for (int q = 0; q < 2; q++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        for (int l = 0; l < 4; l++)
          eb[q * 16 + i + 4 * j] += alpha * a[q * 16 + i + 4 * l] * b[q * 16 + l + 4 * j];
  same("batches", bb, eb);
  std::vector<T> x = numbers<T>(2 * k), y = numbers<T>(m), ey(m);
  T *dx = to_device(x), *dy = to_device(y);
  BLAS(blas<T>::gemv(h, CUBLAS_OP_N, m, k, &alpha, da, m, dx, 2, &beta, dy, 1));
  for (int i = 0; i < m; i++) {
    for (int l = 0; l < k; l++) ey[i] += a[i + l * m] * x[2 * l];
    ey[i] = alpha * ey[i] + beta * y[i];
  }
  same("gemv", to_host(dy, m), ey);
  BLAS(blas<T>::gemv(h, CUBLAS_OP_T, m, k, &alpha, da, m, dy, 1, &zero, dx, 1));
  std::vector<T> et(k);
  for (int l = 0; l < k; l++) {
    for (int i = 0; i < m; i++) et[l] += a[i + l * m] * ey[i];
    et[l] *= alpha;
  }
  same("gemv, transposed", to_host(dx, k), et);
  T d, r, ed = 0, er = 0;
  BLAS(blas<T>::dot(h, k, da, 1, db, 1, &d));
  BLAS(blas<T>::nrm2(h, k, da, 1, &r));
  for (int i = 0; i < k; i++) ed += a[i] * b[i], er += a[i] * a[i];
  want(d == ed && fabs(r - sqrt(er)) < 1e-4, "dot and norm");
  int at, e = 0;
  BLAS(blas<T>::amax(h, k, da, 1, &at));
  for (int i = 0; i < k; i++)
    if (fabs(a[i]) > fabs(a[e])) e = i;
  want(at == e + 1, "the largest");
  T *scalars = to_device(std::vector<T>{3, 0});
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(blas<T>::axpy(h, k, scalars, da, 1, db, 1));
  BLAS(blas<T>::scal(h, k, scalars, db, 1));
  BLAS(blas<T>::dot(h, k, da, 1, da, 1, scalars + 1));
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  std::vector<T> ax = to_host(db, k), eax(k);
  for (int i = 0; i < k; i++) eax[i] = 3 * (b[i] + 3 * a[i]);
  same("axpy and scal", ax, eax);
  want(to_host(scalars, 2)[1] == er, "a result on the device");
  return got;
}
int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  check<double>(h);
  std::vector<float> got = check<float>(h);
  BLAS(cublasDestroy(h));
  LAUNCHED();
  return pass("blas", got);
}
