/* link: -lcublas */
/* Triangles and symmetric matrices by cuBLAS, in every position; and what shifts and scales
 * matrices. The other triangle holds a number that must not be read. */
#include "blas_check.h"

template <class T> struct blas;
#define FUNCTIONS(T, U)                                                                            \
  template <> struct blas<T> {                                                                     \
    static constexpr auto syrk = cublas##U##syrk;                                                  \
    static constexpr auto symm = cublas##U##symm;                                                  \
    static constexpr auto symv = cublas##U##symv;                                                  \
    static constexpr auto trsm = cublas##U##trsm;                                                  \
    static constexpr auto trmm = cublas##U##trmm;                                                  \
    static constexpr auto trsv = cublas##U##trsv;                                                  \
    static constexpr auto geam = cublas##U##geam;                                                  \
    static constexpr auto dgmm = cublas##U##dgmm;                                                  \
    static constexpr auto rot = cublas##U##rot;                                                    \
  };
FUNCTIONS(float, S)
FUNCTIONS(double, D)

enum { M = 19, N = 23, LD = 25 };
template <class T> using matrix = std::vector<T>;

template <class T> static matrix<T> numbers(int n = LD * LD) {
  matrix<T> v(n);
  for (auto &x : v) x = (T)small_number(4);
  return v;
}
/* A triangle with a large diagonal; poison where nobody may look. */
template <class T> static matrix<T> triangle(bool upper, bool unit) {
  matrix<T> a = numbers<T>();
  for (int j = 0; j < LD; j++)
    for (int i = 0; i < LD; i++) {
      T &x = a[i + j * LD];
      x = i == j ? (unit ? (T)NAN : (T)(8 + i % 3)) : (upper ? i < j : i > j) ? x / 16 : (T)NAN;
    }
  return a;
}
/* Element (i, j) of op(A). */
template <class T>
static T of(const matrix<T> &a, bool upper, bool trans, bool unit, int i, int j) {
  if (trans) std::swap(i, j);
  if (i == j) return unit ? (T)1 : a[i + j * LD];
  return (upper ? i < j : i > j) ? a[i + j * LD] : (T)0;
}
template <class T> static T symmetric(const matrix<T> &a, bool upper, int i, int j) {
  return (upper ? i <= j : i >= j) ? a[i + j * LD] : a[j + i * LD];
}

template <class T> static void triangles(cublasHandle_t h, double tolerance) {
  for (int k = 0; k < 16; k++) {
    bool right = k & 1, upper = k & 2, trans = k & 4, unit = k & 8;
    matrix<T> a = triangle<T>(upper, unit), b = numbers<T>(), times = b;
    T two = 2, half = (T)0.5, *da = to_device(a), *db = to_device(b),
      *dc = device_zeros<T>(LD * LD);
    cublasSideMode_t side = right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cublasOperation_t op = trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasDiagType_t diag = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        T sum = 0;
        for (int l = 0; l < (right ? N : M); l++)
          sum += right ? b[i + l * LD] * of(a, upper, trans, unit, l, j)
                       : of(a, upper, trans, unit, i, l) * b[l + j * LD];
        times[i + j * LD] = 2 * sum;
      }
    BLAS(blas<T>::trmm(h, side, fill, op, diag, M, N, &two, da, LD, db, LD, dc, LD));
    matrix<T> got = to_host(dc, LD * LD), expect(LD * LD, 0);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) expect[i + j * LD] = times[i + j * LD];
    same("trmm", got, expect, tolerance);
    BLAS(blas<T>::trmm(h, side, fill, op, diag, M, N, &two, da, LD, db, LD, db, LD)); /* in place */
    same("trmm in place", to_host(db, LD * LD), times, tolerance);
    BLAS(blas<T>::trsm(h, side, fill, op, diag, M, N, &half, da, LD, db, LD)); /* and back */
    same("trsm", to_host(db, LD * LD), b, 8 * tolerance);
    if (right) continue;
    matrix<T> x = numbers<T>(2 * M), y(2 * M);
    for (int i = 0; i < M; i++) {
      y[2 * i + 1] = x[2 * i + 1];
      for (int l = 0; l < M; l++) y[2 * i] += of(a, upper, trans, unit, i, l) * x[2 * l];
    }
    T *dy = to_device(y);
    BLAS(blas<T>::trsv(h, fill, op, diag, M, da, LD, dy, 2));
    same("trsv", to_host(dy, 2 * M), x, 8 * tolerance);
  }
}

template <class T> static void symmetric_ones(cublasHandle_t h) {
  for (int k = 0; k < 4; k++) {
    bool upper = k & 1, other = k & 2;
    cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    matrix<T> a = numbers<T>(), b = numbers<T>(), c = numbers<T>(), expect = c;
    T alpha = 3, beta = -2, *da = to_device(a), *db = to_device(b), *dc = to_device(c);
    for (int j = 0; j < M; j++) /* syrk, of M rows and N columns */
      for (int i = 0; i < M; i++) {
        T sum = 0;
        for (int l = 0; l < N; l++)
          sum += other ? a[l + i * LD] * a[l + j * LD] : a[i + l * LD] * a[j + l * LD];
        if (upper ? i <= j : i >= j) expect[i + j * LD] = 3 * sum - 2 * c[i + j * LD];
      }
    BLAS(blas<T>::syrk(h, fill, other ? CUBLAS_OP_T : CUBLAS_OP_N, M, N, &alpha, da, LD, &beta, dc,
                       LD));
    same("syrk", to_host(dc, LD * LD), expect);
    matrix<T> s = a; /* symmetric, with poison */
    for (int j = 0; j < LD; j++)
      for (int i = 0; i < LD; i++)
        if (upper ? i > j : i < j) s[i + j * LD] = (T)NAN;
    T *ds = to_device(s);
    CUDA(cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
    expect = c;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        T sum = 0;
        for (int l = 0; l < (other ? N : M); l++)
          sum += other ? b[i + l * LD] * symmetric(a, upper, l, j)
                       : symmetric(a, upper, i, l) * b[l + j * LD];
        expect[i + j * LD] = 3 * sum - 2 * c[i + j * LD];
      }
    BLAS(blas<T>::symm(h, other ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, fill, M, N, &alpha, ds, LD,
                       db, LD, &beta, dc, LD));
    same("symm", to_host(dc, LD * LD), expect);
    matrix<T> x = numbers<T>(3 * M), y = numbers<T>(M), z = y;
    for (int i = 0; i < M; i++) {
      T sum = 0;
      for (int l = 0; l < M; l++) sum += symmetric(a, upper, i, l) * x[3 * l];
      z[M - 1 - i] = 3 * sum - 2 * y[M - 1 - i]; /* from the other end */
    }
    T *dx = to_device(x), *dy = to_device(y);
    BLAS(blas<T>::symv(h, fill, M, &alpha, ds, LD, dx, 3, &beta, dy, -1));
    same("symv", to_host(dy, M), z);
  }
}

template <class T> static void others(cublasHandle_t h, double tolerance) {
  matrix<T> a = numbers<T>(), b = numbers<T>(), c(LD * LD, 7), x = numbers<T>(N);
  T alpha = 2, beta = -3, zero = 0, *da = to_device(a), *db = to_device(b), *dc = to_device(c),
    *dx = to_device(x);
  for (int k = 0; k < 4; k++) {
    matrix<T> expect = c;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++)
        expect[i + j * LD] =
            2 * a[k & 1 ? j + i * LD : i + j * LD] - 3 * b[k & 2 ? j + i * LD : i + j * LD];
    BLAS(blas<T>::geam(h, k & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, k & 2 ? CUBLAS_OP_T : CUBLAS_OP_N, M,
                       N, &alpha, da, LD, &beta, db, LD, dc, LD));
    same("geam", to_host(dc, LD * LD), expect);
  }
  BLAS(blas<T>::geam(h, CUBLAS_OP_T, CUBLAS_OP_N, M, N, &alpha, da, LD, &zero, (T *)NULL, LD, dc,
                     LD)); /* B is not looked at */
  for (int right = 0; right < 2; right++) {
    matrix<T> expect(LD * LD, 7);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) expect[i + j * LD] = a[i + j * LD] * x[right ? j : i];
    CUDA(cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
    BLAS(blas<T>::dgmm(h, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, M, N, da, LD, dx, 1, dc,
                       LD));
    same("dgmm", to_host(dc, LD * LD), expect);
  }
  T cosine = (T)0.6, sine = (T)0.8;
  matrix<T> p = numbers<T>(M), q = numbers<T>(M), ep(M), eq(M);
  for (int i = 0; i < M; i++)
    ep[i] = cosine * p[i] + sine * q[i], eq[i] = cosine * q[i] - sine * p[i];
  T *dp = to_device(p), *dq = to_device(q);
  BLAS(blas<T>::rot(h, M, dp, 1, dq, 1, &cosine, &sine));
  same("rot", to_host(dp, M), ep, tolerance);
  same("rot", to_host(dq, M), eq, tolerance);
}

int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  triangles<float>(h, 1e-5), triangles<double>(h, 1e-13);
  symmetric_ones<float>(h), symmetric_ones<double>(h);
  others<float>(h, 1e-6), others<double>(h, 1e-14);
  BLAS(cublasDestroy(h));
  return pass("blas_triangles");
}
