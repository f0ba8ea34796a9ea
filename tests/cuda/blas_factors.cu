/* link: -lcublas */
/* Factors of matrices in a list, equations and inverses from them; triangles times vectors, and
 * updates of rank one and two, by cuBLAS. */
#include "blas_check.h"

template <class T> struct blas;
#define FUNCTIONS(T, U)                                                                            \
  template <> struct blas<T> {                                                                     \
    static constexpr auto getrf = cublas##U##getrfBatched;                                         \
    static constexpr auto getrs = cublas##U##getrsBatched;                                         \
    static constexpr auto getri = cublas##U##getriBatched;                                         \
    static constexpr auto trmv = cublas##U##trmv;                                                  \
    static constexpr auto syr = cublas##U##syr;                                                    \
    static constexpr auto syr2 = cublas##U##syr2;                                                  \
  };
FUNCTIONS(float, S)
FUNCTIONS(double, D)
enum { BATCH = 3, N = 13, LD = 15, RIGHT = 4, SIZE = LD * N };

template <class T> static T **list(T *p, int apart) {
  std::vector<T *> v(BATCH);
  for (int i = 0; i < BATCH; i++) v[i] = p + i * apart;
  return to_device(v);
}
template <class T> static void factors(cublasHandle_t h, bool pivoting, double tolerance) {
  typedef blas<T> b;
  std::vector<T> a(BATCH * SIZE), rhs(BATCH * SIZE);
  for (auto &x : a) x = (T)small_number(9);
  for (auto &x : rhs) x = (T)small_number(9);
  for (int m = 0; m < BATCH; m++)
    for (int i = 0; i < N; i++) {
      /* with pivots, the large elements are beside the diagonal */
      int j = pivoting ? (i + 1) % N : i;
      a[m * SIZE + i + j * LD] += 100;
    }
  T *da = to_device(a), *db = to_device(rhs), *dt = to_device(rhs),
    *dc = device_zeros<T>(BATCH * SIZE);
  T **pa = list(da, SIZE), **pb = list(db, SIZE), **pt = list(dt, SIZE), **pc = list(dc, SIZE);
  int *pivots = pivoting ? device_zeros<int>(BATCH * N) : NULL, *info = device_zeros<int>(BATCH);
  int said = -1;
  BLAS(b::getrf(h, N, pa, LD, pivots, info, BATCH));
  same("info of factors", to_host(info, BATCH), std::vector<int>(BATCH));
  BLAS(b::getrs(h, CUBLAS_OP_N, N, RIGHT, pa, LD, pivots, pb, LD, &said, BATCH));
  want(said == 0, "info of the equations");
  BLAS(b::getrs(h, CUBLAS_OP_T, N, RIGHT, pa, LD, pivots, pt, LD, &said, BATCH));
  BLAS(b::getri(h, N, pa, LD, pivots, pc, LD, info, BATCH));
  same("info of the inverse", to_host(info, BATCH), std::vector<int>(BATCH));
  std::vector<T> x = to_host(db, BATCH * SIZE), t = to_host(dt, BATCH * SIZE),
                 inverse = to_host(dc, BATCH * SIZE), got, expect;
  for (int m = 0; m < BATCH; m++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double by_inverse = 0, by_x = 0, by_t = 0;
        for (int k = 0; k < N; k++) {
          double v = a[m * SIZE + i + k * LD];
          by_inverse += v * inverse[m * SIZE + k + j * LD];
          by_x += v * x[m * SIZE + k + j * LD];
          by_t += (double)a[m * SIZE + k + i * LD] * t[m * SIZE + k + j * LD];
        }
        got.push_back((T)by_inverse), expect.push_back((T)(i == j));
        if (j >= RIGHT) continue;
        got.push_back((T)by_x), expect.push_back(rhs[m * SIZE + i + j * LD]);
        got.push_back((T)by_t), expect.push_back(rhs[m * SIZE + i + j * LD]);
      }
  same("equations and inverses", got, expect, tolerance);
  CUDA(cudaMemset(da, 0, SIZE * sizeof(T))); /* the first is singular now */
  BLAS(b::getrf(h, N, pa, LD, pivots, info, BATCH));
  std::vector<int> bad = to_host(info, BATCH);
  want(bad[0] == 1 && bad[1] == 0 && bad[2] == 0, "a singular matrix is named");
}

template <class T> static void rest(cublasHandle_t h) {
  typedef blas<T> b;
  for (int k = 0; k < 8; k++) {
    bool upper = k & 1, trans = k & 2, unit = k & 4;
    cublasFillMode_t fill = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    std::vector<T> a(SIZE), x(2 * N), y(N), z(2 * N);
    for (auto &v : a) v = (T)small_number(5);
    for (auto &v : x) v = (T)small_number(5);
    for (auto &v : y) v = (T)small_number(5);
    T *da = to_device(a), *dx = to_device(x), *dy = to_device(y), two = 2;
    z = x;
    for (int i = 0; i < N; i++) {
      T s = 0;
      for (int j = 0; j < N; j++) {
        int r = trans ? j : i, c = trans ? i : j;
        if (r == c)
          s += (unit ? (T)1 : a[r + c * LD]) * x[2 * j];
        else if (upper ? r < c : r > c)
          s += a[r + c * LD] * x[2 * j];
      }
      z[2 * i] = s;
    }
    BLAS(b::trmv(h, fill, trans ? CUBLAS_OP_T : CUBLAS_OP_N,
                 unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, N, da, LD, dx, 2));
    same("trmv", to_host(dx, 2 * N), z);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (upper ? i <= j : i >= j)
          a[i + j * LD] += 2 * y[i] * y[j] + 2 * (z[2 * i] * y[j] + y[i] * z[2 * j]);
    BLAS(b::syr(h, fill, N, &two, dy, 1, da, LD));
    BLAS(b::syr2(h, fill, N, &two, dx, 2, dy, 1, da, LD));
    same("syr and syr2", to_host(da, SIZE), a);
  }
}

int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  for (int pivoting = 0; pivoting < 2; pivoting++)
    factors<float>(h, pivoting, 2e-3), factors<double>(h, pivoting, 1e-11);
  rest<float>(h), rest<double>(h);
  BLAS(cublasDestroy(h));
  return pass("blas_factors");
}
