/* link: -lcublas */
/* Vectors and matrices of complex numbers by cuBLAS, with steps of either sign, and scalars from
 * the host and from the device. Whole numbers, so results are exact. */
#include "blas_check.h"
#include <complex>

template <class R> struct blas;
#define FUNCTIONS(R, C, U, l, N, S)                                                                \
  template <> struct blas<R> {                                                                     \
    typedef C number;                                                                              \
    static constexpr auto axpy = cublas##U##axpy;                                                  \
    static constexpr auto exchange = cublas##U##swap;                                              \
    static constexpr auto scal = cublas##U##scal;                                                  \
    static constexpr auto rscal = cublas##U##S##scal;                                              \
    static constexpr auto copy = cublas##U##copy;                                                  \
    static constexpr auto dotu = cublas##U##dotu, dotc = cublas##U##dotc;                          \
    static constexpr auto nrm2 = cublas##N##nrm2, asum = cublas##N##asum;                          \
    static constexpr auto amax = cublasI##l##amax, amin = cublasI##l##amin;                        \
    static constexpr auto gemv = cublas##U##gemv;                                                  \
    static constexpr auto geru = cublas##U##geru, gerc = cublas##U##gerc;                          \
    static constexpr auto geam = cublas##U##geam;                                                  \
  };
FUNCTIONS(float, cuComplex, C, c, Sc, s)
FUNCTIONS(double, cuDoubleComplex, Z, z, Dz, d)

enum { N = 37, M = 21, LD = 24 };
template <class R> using numbers = std::vector<std::complex<R>>;
template <class R> static numbers<R> some(int n) {
  numbers<R> v(n);
  for (auto &x : v) x = {(R)small_number(4), (R)small_number(4)};
  return v;
}
template <class R> static typename blas<R>::number *device(const numbers<R> &v) {
  return (typename blas<R>::number *)to_device(v);
}
template <class R>
static void same(const char *what, const typename blas<R>::number *p, const numbers<R> &e,
                 size_t n) {
  numbers<R> got(n);
  CUDA(cudaMemcpy(got.data(), p, n * sizeof got[0], cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++)
    if (got[i] != e[i])
      printf("%s[%zu]: %g %g, not %g %g\n", what, i, (double)got[i].real(), (double)got[i].imag(),
             (double)e[i].real(), (double)e[i].imag()),
          exit(1);
}
/* Where element i of n lies, `step` apart. */
static int at(int i, int n, int step) { return step > 0 ? i * step : (n - 1 - i) * -step; }

template <class R> static void vectors(cublasHandle_t h) {
  typedef blas<R> b;
  typedef typename b::number number;
  numbers<R> x = some<R>(2 * N), y = some<R>(2 * N);
  number *dx = device<R>(x), *dy = device<R>(y), alpha = {2, -1}, out;
  std::complex<R> a(2, -1), u = 0, c = 0;
  R real = 3, sum = 0, squares = 0, length = 0, total = 0;
  int most = 0, least = 0;
  BLAS(b::axpy(h, N, &alpha, dx, 2, dy, -1));
  for (int i = 0; i < N; i++) y[at(i, N, -1)] += a * x[2 * i];
  same<R>("axpy", dy, y, 2 * N);
  for (int i = 0; i < N; i++) {
    std::complex<R> v = x[at(i, N, -2)];
    u += v * y[i], c += std::conj(v) * y[i];
  }
  BLAS(b::dotu(h, N, dx, -2, dy, 1, &out));
  want(out.x == u.real() && out.y == u.imag(), "dotu");
  BLAS(b::dotc(h, N, dx, -2, dy, 1, &out));
  want(out.x == c.real() && out.y == c.imag(), "dotc");
  number *d_out = device<R>(numbers<R>(2));
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(b::dotc(h, N, dx, -2, dy, 1, d_out));
  BLAS(b::scal(h, N, d_out, dx, 1)); /* a result as the next call's scalar */
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  for (int i = 0; i < N; i++) x[i] *= c;
  same<R>("scal", dx, x, 2 * N);
  BLAS(b::rscal(h, N, &real, dy, 2));
  for (int i = 0; i < N; i++) y[2 * i] *= real;
  same<R>("scal by a real number", dy, y, 2 * N);
  auto magnitude = [&](int i) { return std::abs(y[i].real()) + std::abs(y[i].imag()); };
  int big = 0, small = 0;
  for (int i = 0; i < N; i++) {
    sum += magnitude(i), squares += std::norm(y[i]);
    if (magnitude(i) > magnitude(big)) big = i;
    if (magnitude(i) < magnitude(small)) small = i;
  }
  BLAS(b::asum(h, N, dy, 1, &total));
  BLAS(b::nrm2(h, N, dy, 1, &length));
  BLAS(b::amax(h, N, dy, 1, &most));
  BLAS(b::amin(h, N, dy, 1, &least));
  want(total == sum && std::abs(length - std::sqrt(squares)) < 1e-5 * length, "asum, nrm2");
  want(most == big + 1 && least == small + 1, "amax, amin");
  BLAS(b::exchange(h, N, dx, 1, dy, -2));
  for (int i = 0; i < N; i++) std::swap(x[i], y[at(i, N, -2)]);
  same<R>("swap", dx, x, 2 * N), same<R>("swap", dy, y, 2 * N);
  BLAS(b::copy(h, N, dx, -1, dy, 2));
  for (int i = 0; i < N; i++) y[2 * i] = x[at(i, N, -1)];
  same<R>("copy", dy, y, 2 * N);
}

template <class R> static void matrices(cublasHandle_t h) {
  typedef blas<R> b;
  typedef typename b::number number;
  std::complex<R> p(1, 2), q(-1, 1);
  number alpha = {1, 2}, beta = {-1, 1}, zero = {0, 0};
  for (int op = 0; op < 3; op++) {
    numbers<R> a = some<R>(LD * N), x = some<R>(2 * N), y = some<R>(2 * N), z = y;
    number *da = device<R>(a), *dx = device<R>(x), *dy = device<R>(y);
    int rows = op ? N : M, columns = op ? M : N;
    auto of = [&](const numbers<R> &v, int o, int i, int j) {
      return o == 0 ? v[i + j * LD] : o == 1 ? v[j + i * LD] : std::conj(v[j + i * LD]);
    };
    BLAS(b::gemv(h, (cublasOperation_t)op, M, N, &alpha, da, LD, dx, 1, &beta, dy, -2));
    for (int i = 0; i < rows; i++) {
      std::complex<R> s = 0;
      for (int j = 0; j < columns; j++) s += of(a, op, i, j) * x[j];
      z[at(i, rows, -2)] = p * s + q * y[at(i, rows, -2)];
    }
    same<R>("gemv", dy, z, 2 * N);
    BLAS((op ? b::gerc : b::geru)(h, M, N, &alpha, dx, 1, dy, 1, da, LD));
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) a[i + j * LD] += p * x[i] * (op ? std::conj(z[j]) : z[j]);
    same<R>("ger", da, a, LD * N);
    /* square parts, so that every form fits */
    numbers<R> f = some<R>(LD * M), g = some<R>(LD * M), r(LD * M);
    number *df = device<R>(f), *dg = device<R>(g), *dr = device<R>(r);
    BLAS(b::geam(h, (cublasOperation_t)op, (cublasOperation_t)(2 - op), M, M, &alpha, df, LD,
                 op == 1 ? &zero : &beta, dg, LD, dr, LD));
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
        r[i + j * LD] =
            p * of(f, op, i, j) + (op == 1 ? std::complex<R>(0) : q * of(g, 2 - op, i, j));
    same<R>("geam", dr, r, LD * M);
  }
}

int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  vectors<float>(h), vectors<double>(h);
  matrices<float>(h), matrices<double>(h);
  BLAS(cublasDestroy(h));
  return pass("blas_complex");
}
