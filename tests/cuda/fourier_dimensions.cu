/* link: -lcufft */
/* cuFFT in two and three dimensions, of complex and real data, in place and not, in batches and in
 * layouts of the program's own: against the sum itself. */
#include "check.h"
#include <complex>
#include <cufft.h>

#define FFT(call)                                                                                  \
  do {                                                                                             \
    cufftResult status_ = (call);                                                                  \
    if (status_ != CUFFT_SUCCESS) {                                                                \
      printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)status_);                          \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)
typedef std::complex<double> number;
static const double pi = 3.14159265358979323846;

/* One dimension after the other, by the sum. */
static std::vector<number> transform(std::vector<number> v, const int n[3], int sign) {
  int size = n[0] * n[1] * n[2], inner = size;
  for (int d = 0; d < 3; d++) {
    inner /= n[d];
    std::vector<number> r(size);
    for (int i = 0; i < size; i++) {
      int at = i / inner % n[d], base = i - at * inner;
      for (int k = 0; k < n[d]; k++)
        r[i] +=
            v[base + k * inner] * std::polar(1.0, sign * 2 * pi * (double)(at * k % n[d]) / n[d]);
    }
    v = r;
  }
  return v;
}
static std::vector<number> numbers(int n, bool real) {
  std::vector<number> v(n);
  for (auto &x : v) x = number(random_f32(), real ? 0 : random_f32());
  return v;
}
static void close(const char *what, const std::vector<number> &got, const std::vector<number> &want,
                  double tolerance) {
  std::vector<double> g, w;
  for (auto x : got) g.push_back(x.real()), g.push_back(x.imag());
  for (auto x : want) w.push_back(x.real()), w.push_back(x.imag());
  same(what, g, w, tolerance);
}
template <class C> static std::vector<C> as(const std::vector<number> &v) {
  std::vector<C> r;
  for (auto x : v) {
    C c;
    c.x = (decltype(c.x))x.real(), c.y = (decltype(c.x))x.imag();
    r.push_back(c);
  }
  return r;
}
template <class C> static std::vector<number> back(const std::vector<C> &v) {
  std::vector<number> r;
  for (auto x : v) r.push_back(number((double)x.x, (double)x.y));
  return r;
}

static void complex_data(const int n[3], double tolerance) {
  int size = n[0] * n[1] * n[2], rank = n[0] > 1 ? 3 : 2;
  std::vector<number> v = numbers(size, false), w = transform(v, n, -1);
  cufftHandle p, q;
  if (rank == 2)
    FFT(cufftPlan2d(&p, n[1], n[2], CUFFT_C2C));
  else
    FFT(cufftPlan3d(&p, n[0], n[1], n[2], CUFFT_C2C));
  cufftComplex *in = to_device(as<cufftComplex>(v)), *out = device_zeros<cufftComplex>(size);
  FFT(cufftExecC2C(p, in, out, CUFFT_FORWARD));
  close("single", back(to_host(out, size)), w, tolerance);
  close("the input stays", back(to_host(in, size)), back(as<cufftComplex>(v)), 0);
  if (rank == 2)
    FFT(cufftPlan2d(&q, n[1], n[2], CUFFT_Z2Z));
  else
    FFT(cufftPlan3d(&q, n[0], n[1], n[2], CUFFT_Z2Z));
  cufftDoubleComplex *d = to_device(as<cufftDoubleComplex>(v));
  FFT(cufftExecZ2Z(q, d, d, CUFFT_INVERSE));
  close("double in place", back(to_host(d, size)), transform(v, n, 1), 1e-11);
  FFT(cufftDestroy(p));
  FFT(cufftDestroy(q));
}

/* Half a spectrum of each row, packed and in place, where rows have room for it. */
static void real_data(const int n[3]) {
  int rows = n[0] * n[1], size = rows * n[2], h = n[2] / 2 + 1, rank = n[0] > 1 ? 3 : 2;
  std::vector<number> v = numbers(size, true), w = transform(v, n, -1), half;
  std::vector<double> packed(size), padded(2 * h * rows, -1);
  for (int r = 0; r < rows; r++) {
    for (int x = 0; x < n[2]; x++)
      packed[r * n[2] + x] = padded[r * 2 * h + x] = v[r * n[2] + x].real();
    for (int x = 0; x < h; x++) half.push_back(w[r * n[2] + x]);
  }
  cufftHandle f, b;
  FFT(cufftCreate(&f));
  FFT(cufftCreate(&b));
  size_t bytes;
  if (rank == 2)
    FFT(cufftMakePlan2d(f, n[1], n[2], CUFFT_D2Z, &bytes));
  else
    FFT(cufftMakePlan3d(f, n[0], n[1], n[2], CUFFT_D2Z, &bytes));
  if (rank == 2)
    FFT(cufftMakePlan2d(b, n[1], n[2], CUFFT_Z2D, &bytes));
  else
    FFT(cufftMakePlan3d(b, n[0], n[1], n[2], CUFFT_Z2D, &bytes));
  double *in = to_device(packed), *again = device_zeros<double>(size), *place = to_device(padded);
  cufftDoubleComplex *out = device_zeros<cufftDoubleComplex>(h * rows);
  FFT(cufftExecD2Z(f, in, out));
  close("real", back(to_host(out, h * rows)), half, 1e-11);
  FFT(cufftExecZ2D(b, out, again));
  std::vector<double> got = to_host(again, size);
  for (auto &x : got) x /= size;
  same("and back", got, packed, 1e-12);
  FFT(cufftExecD2Z(f, place, (cufftDoubleComplex *)place));
  close("real in place", back(to_host((cufftDoubleComplex *)place, h * rows)), half, 1e-11);
  FFT(cufftExecZ2D(b, (cufftDoubleComplex *)place, place));
  got = to_host(place, 2 * h * rows);
  for (int r = 0; r < rows; r++)
    for (int x = 0; x < n[2]; x++)
      want(fabs(got[r * 2 * h + x] / size - packed[r * n[2] + x]) < 1e-12, "back in place");
}

/* Three transforms of 6 x 8, every second element of rows of 20, planes of 200. */
static void layouts() {
  int n[2] = {6, 8}, embed[2] = {6, 10}, whole[3] = {1, 6, 8};
  enum { STRIDE = 2, DISTANCE = 200, BATCH = 3, ODISTANCE = 50 };
  std::vector<number> all = numbers(BATCH * DISTANCE, false), w(BATCH * ODISTANCE, number(0, 0));
  for (int b = 0; b < BATCH; b++) {
    std::vector<number> v(48);
    for (int i = 0; i < 48; i++) v[i] = all[b * DISTANCE + (i / 8 * embed[1] + i % 8) * STRIDE];
    v = transform(v, whole, -1);
    for (int i = 0; i < 48; i++) w[b * ODISTANCE + i] = v[i];
  }
  cufftHandle p;
  cufftDoubleComplex *in = to_device(as<cufftDoubleComplex>(all)),
                     *out = device_zeros<cufftDoubleComplex>(BATCH * ODISTANCE);
  FFT(cufftPlanMany(&p, 2, n, embed, STRIDE, DISTANCE, n, 1, ODISTANCE, CUFFT_Z2Z, BATCH));
  FFT(cufftExecZ2Z(p, in, out, CUFFT_FORWARD));
  close("a layout of its own", back(to_host(out, BATCH * ODISTANCE)), w, 1e-12);
  /* columns of a matrix, in place */
  int length = 16, columns = 5, one[3] = {1, 1, 16};
  std::vector<number> m = numbers(length * columns, false), e = m;
  for (int c = 0; c < columns; c++) {
    std::vector<number> v(length);
    for (int i = 0; i < length; i++) v[i] = m[i * columns + c];
    v = transform(v, one, 1);
    for (int i = 0; i < length; i++) e[i * columns + c] = v[i];
  }
  cufftDoubleComplex *d = to_device(as<cufftDoubleComplex>(m));
  FFT(cufftPlanMany(&p, 1, &length, &length, columns, 1, &length, columns, 1, CUFFT_Z2Z, columns));
  FFT(cufftExecZ2Z(p, d, d, CUFFT_INVERSE));
  close("columns", back(to_host(d, length * columns)), e, 1e-12);
}

int main() {
  const int sizes[][3] = {{1, 16, 32}, {1, 12, 10}, {1, 8, 7}, {4, 8, 16}, {3, 5, 6}, {2, 1, 4}};
  for (auto &n : sizes) complex_data(n, 1e-4), real_data(n);
  layouts();
  cufftHandle p;
  want(cufftPlan2d(&p, 0, 4, CUFFT_C2C) == CUFFT_INVALID_SIZE, "no rows");
  return pass("fourier_dimensions");
}
