/* Kernels of our cuBLAS and cuFFT. Matrices are column by column, as in Fortran; scalars come by
 * address, which may be the host's: memory of both is one. scripts/gen-blas.sh makes blas.ptx. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define TILE 16

/* Numbers of two parts. */
template <class R> struct pair_of {
  R x, y;
  __device__ pair_of() {}
  __device__ pair_of(R x_, R y_ = 0) : x(x_), y(y_) {}
  __device__ pair_of operator*(pair_of b) const {
    return pair_of(x * b.x - y * b.y, x * b.y + y * b.x);
  }
  __device__ pair_of &operator+=(pair_of b) {
    x += b.x, y += b.y;
    return *this;
  }
  __device__ pair_of operator+(pair_of b) const { return pair_of(x + b.x, y + b.y); }
};

/* C = alpha op(A) op(B) + beta C, tiles of 16 x 16 through shared memory; blockIdx.z: the batch. */
template <class T>
static __device__ void gemm(int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda,
                            long long sa, const T *b, int ldb, long long sb, T beta, T *c, int ldc,
                            long long sc) {
  __shared__ T ta_[TILE][TILE + 1], tb_[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * TILE + tx, col = blockIdx.y * TILE + ty;
  a += blockIdx.z * sa, b += blockIdx.z * sb, c += blockIdx.z * sc;
  T sum = 0;
  for (int at = 0; at < k; at += TILE) {
    /* neighbouring threads read neighbouring elements, whichever way the matrix lies */
    int ar = ta ? blockIdx.x * TILE + ty : row, ak = ta ? at + tx : at + ty;
    T va =
        ar < m && ak < k ? (ta ? a[ak + (long long)ar * lda] : a[ar + (long long)ak * lda]) : T(0);
    if (ta)
      ta_[tx][ty] = va;
    else
      ta_[ty][tx] = va;
    int bk = tb ? at + ty : at + tx, bc = tb ? blockIdx.y * TILE + tx : col;
    T vb =
        bk < k && bc < n ? (tb ? b[bc + (long long)bk * ldb] : b[bk + (long long)bc * ldb]) : T(0);
    if (tb)
      tb_[ty][tx] = vb;
    else
      tb_[tx][ty] = vb;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += ta_[i][tx] * tb_[i][ty];
    __syncthreads();
  }
  if (row >= m || col >= n) return;
  T *to = &c[row + (long long)col * ldc];
  *to = alpha * sum + (beta != T(0) ? beta * *to : T(0));
}
/* y = alpha op(A) x + beta y: a thread per row, or a warp per column */
template <class T>
static __device__ void gemv(int trans, int m, int n, T alpha, const T *a, int lda, const T *x,
                            int ix, T beta, T *y, int iy) {
  int rows = trans ? n : m, i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  if (!trans) {
    if (i >= rows) return;
    for (int j = 0; j < n; j++) sum += a[i + (long long)j * lda] * x[(long long)j * ix];
  } else {
    i /= 32;
    if (i >= rows) return;
    for (int j = threadIdx.x % 32; j < m; j += 32)
      sum += a[j + (long long)i * lda] * x[(long long)j * ix];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32) return;
  }
  T *to = &y[(long long)i * iy];
  *to = alpha * sum + (beta != T(0) ? beta * *to : T(0));
}
/* One block: sums of n terms. what: 0 x y, 1 x x with a root at the end, 2 |x| */
template <class T>
static __device__ void fold(int what, int n, const T *x, int ix, const T *y, int iy, T *result) {
  __shared__ T part[256];
  T sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    T v = x[(long long)i * ix];
    sum += what == 0 ? v * y[(long long)i * iy] : what == 1 ? v * v : v < T(0) ? -v : v;
  }
  part[threadIdx.x] = sum;
  for (int d = 128; d; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) *result = what == 1 ? sqrt(part[0]) : part[0];
}
/* What BLAS calls the magnitude of a complex number is the sum of its parts'. */
template <class R> static __device__ R magnitude(R v) { return v < R(0) ? -v : v; }
template <class R> static __device__ R magnitude(pair_of<R> v) {
  return magnitude(v.x) + magnitude(v.y);
}
/* One block: the first element of largest (or smallest) magnitude, counted from 1. */
template <class T, class V>
static __device__ void extreme(int least, int n, const V *x, int ix, int *result) {
  __shared__ T value[256];
  __shared__ int where[256];
  T best = 0;
  int at = -1;
  for (int i = threadIdx.x; i < n; i += 256) {
    T v = magnitude(x[(long long)i * ix]);
    if (at < 0 || (least ? v < best : v > best)) best = v, at = i;
  }
  value[threadIdx.x] = best, where[threadIdx.x] = at;
  for (int d = 128; d; d /= 2) {
    __syncthreads();
    if (threadIdx.x >= d) continue;
    T v = value[threadIdx.x + d];
    int w = where[threadIdx.x + d], mine = where[threadIdx.x];
    bool better =
        w >= 0 && (mine < 0 || (least ? v < value[threadIdx.x] : v > value[threadIdx.x]) ||
                   (v == value[threadIdx.x] && w < mine));
    if (better) value[threadIdx.x] = v, where[threadIdx.x] = w;
  }
  if (threadIdx.x == 0) *result = where[0] + 1;
}
/* what: 0 y += alpha x, 1 x *= alpha, 2 y = x, 3 swap */
template <class T>
static __device__ void elements(int what, int n, T alpha, T *x, int ix, T *y, int iy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T *a = &x[(long long)i * ix], *b = &y[(long long)i * iy], v = *a;
  if (what == 0)
    *b += alpha * v;
  else if (what == 1)
    *a = alpha * v;
  else {
    if (what == 3) *a = *b;
    *b = v;
  }
}
template <class T>
static __device__ void ger(int m, int n, T alpha, const T *x, int ix, const T *y, int iy, T *a,
                           int lda) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < m) a[i + (long long)j * lda] += alpha * x[(long long)i * ix] * y[(long long)j * iy];
}

/* A step of a Fourier transform: n points, `batch` of them. Powers of two go by Stockham's steps of
 * radix 2, from one array into the other; other lengths by the sum itself. */
template <class T>
static __device__ void fft_step(int n, int half, int batch, T sign, const T *in, T *out) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)batch * (n / 2)) return;
  long long base = i / (n / 2) * n;
  int t = (int)(i % (n / 2)), k = t & (half - 1), j = (t - k) * 2 + k;
  const T *a = in + 2 * (base + t), *b = in + 2 * (base + t + n / 2);
  T c, s, angle = sign * T(k) / T(half);
  if (sizeof(T) == 4)
    sincospif((float)angle, (float *)&s, (float *)&c);
  else
    sincospi((double)angle, (double *)&s, (double *)&c);
  T re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
  T *u = out + 2 * (base + j), *v = out + 2 * (base + j + half);
  u[0] = a[0] + re, u[1] = a[1] + im, v[0] = a[0] - re, v[1] = a[1] - im;
}
template <class T> static __device__ void dft(int n, int batch, T sign, const T *in, T *out) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)batch * n) return;
  const T *a = in + 2 * (i / n * n);
  int k = (int)(i % n);
  double re = 0, im = 0;
  for (int j = 0; j < n; j++) {
    double c, s;
    sincospi((double)sign * 2 * (double)((long long)j * k % n) / n, &s, &c);
    re += a[2 * j] * c - a[2 * j + 1] * s, im += a[2 * j] * s + a[2 * j + 1] * c;
  }
  out[2 * i] = (T)re, out[2 * i + 1] = (T)im;
}
/* Real data to complex with a zero imaginary part; half a spectrum to a whole one; and back.
 * what: 0 real to complex, 1 half to whole, 2 whole to half, 3 complex to real */
template <class T> static __device__ void reshape(int what, int n, int batch, const T *in, T *out) {
  int h = n / 2 + 1, per = what == 2 ? h : n;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)batch * per) return;
  long long b = i / per;
  int k = (int)(i % per);
  if (what == 0)
    out[2 * i] = in[i], out[2 * i + 1] = 0;
  else if (what == 1) {
    int from = k < h ? k : n - k;
    const T *p = in + 2 * (b * h + from);
    out[2 * i] = p[0], out[2 * i + 1] = k < h ? p[1] : -p[1];
  } else if (what == 2) {
    const T *p = in + 2 * (b * n + k);
    out[2 * i] = p[0], out[2 * i + 1] = p[1];
  } else
    out[i] = in[2 * i];
}

#define KERNELS(L, T)                                                                              \
  extern "C" __global__ void gmmu_##L##gemm(                                                       \
      int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, long long sa, const T *b, \
      int ldb, long long sb, T beta, T *c, int ldc, long long sc) {                                \
    gemm<T>(ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc);                     \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##gemv(int trans, int m, int n, T alpha, const T *a, int lda, \
                                            const T *x, int ix, T beta, T *y, int iy) {            \
    gemv<T>(trans, m, n, alpha, a, lda, x, ix, beta, y, iy);                                       \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##fold(int what, int n, const T *x, int ix, const T *y,       \
                                            int iy, T *result) {                                   \
    fold<T>(what, n, x, ix, y, iy, result);                                                        \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##extreme(int least, int n, const T *x, int ix,               \
                                               int *result) {                                      \
    extreme<T>(least, n, x, ix, result);                                                           \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##elements(int what, int n, T alpha, T *x, int ix, T *y,      \
                                                int iy) {                                          \
    elements<T>(what, n, alpha, x, ix, y, iy);                                                     \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##ger(int m, int n, T alpha, const T *x, int ix, const T *y,  \
                                           int iy, T *a, int lda) {                                \
    ger<T>(m, n, alpha, x, ix, y, iy, a, lda);                                                     \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##fft(int n, int half, int batch, T sign, const T *in,        \
                                           T *out) {                                               \
    fft_step<T>(n, half, batch, sign, in, out);                                                    \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##dft(int n, int batch, T sign, const T *in, T *out) {        \
    dft<T>(n, batch, sign, in, out);                                                               \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##reshape(int what, int n, int batch, const T *in, T *out) {  \
    reshape<T>(what, n, batch, in, out);                                                           \
  }
KERNELS(s, float)
KERNELS(d, double)

/* ---- products of any types ------------------------------------------------------------------- */

template <class R> static __device__ pair_of<R> conjugate(pair_of<R> v) {
  return pair_of<R>(v.x, -v.y);
}
template <class R> static __device__ R conjugate(R v) { return v; }
template <class R> static __device__ bool is_zero(pair_of<R> v) { return v.x == 0 && v.y == 0; }
template <class R> static __device__ bool is_zero(R v) { return v == 0; }

/* Element i of an array whose elements are of a cudaDataType. */
enum { R32F = 0, R64F = 1, R16F = 2, R8I = 3, C32F = 4, C64F = 5, R8U = 8, R32I = 10, R16BF = 14 };
template <class T> static __device__ T get(int type, const void *p, long long i) {
  switch (type) {
  case R32F: return (T)((const float *)p)[i];
  case R64F: return (T)((const double *)p)[i];
  case R16F: return (T)__half2float(((const half *)p)[i]);
  case R16BF: return (T)__bfloat162float(((const __nv_bfloat16 *)p)[i]);
  case R8I: return (T)((const signed char *)p)[i];
  case R8U: return (T)((const unsigned char *)p)[i];
  default: return (T)((const int *)p)[i];
  }
}
template <class T> static __device__ void put(int type, void *p, long long i, T v) {
  switch (type) {
  case R32F: ((float *)p)[i] = (float)v; break;
  case R64F: ((double *)p)[i] = (double)v; break;
  case R16F: ((half *)p)[i] = __float2half((float)v); break;
  case R16BF: ((__nv_bfloat16 *)p)[i] = __float2bfloat16((float)v); break;
  default: ((int *)p)[i] = (int)v;
  }
}
template <> __device__ pair_of<float> get(int type, const void *p, long long i) {
  return ((const pair_of<float> *)p)[i];
}
template <> __device__ pair_of<double> get(int type, const void *p, long long i) {
  return ((const pair_of<double> *)p)[i];
}
template <> __device__ void put(int type, void *p, long long i, pair_of<float> v) {
  ((pair_of<float> *)p)[i] = v;
}
template <> __device__ void put(int type, void *p, long long i, pair_of<double> v) {
  ((pair_of<double> *)p)[i] = v;
}

/* What a product of matrices is made of; as in cublas.c. */
struct product {
  int ta, tb, m, n, k; /* 0: as it is, 1: transposed, 2: transposed and conjugate */
  int at, bt, ct;      /* cudaDataType */
  int lda, ldb, ldc;
  int listed; /* 1: a, b and c are arrays of addresses, one per batch */
  const void *a, *b;
  void *c;
  long long sa, sb, sc; /* elements from batch to batch */
  double alpha[2], beta[2];
};
static __device__ float scalar_of(const double *v, float) { return (float)v[0]; }
static __device__ double scalar_of(const double *v, double) { return v[0]; }
static __device__ int scalar_of(const double *v, int) { return (int)v[0]; }
template <class R> static __device__ pair_of<R> scalar_of(const double *v, pair_of<R>) {
  return pair_of<R>((R)v[0], (R)v[1]);
}
/* As gemm above; T is what is summed up in. */
template <class T> static __device__ void any_gemm(const product &p) {
  __shared__ char space[2 * TILE * (TILE + 1) * sizeof(T)];
  T(*as)[TILE + 1] = (T(*)[TILE + 1]) space, (*bs)[TILE + 1] = as + TILE;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * TILE + tx, col = blockIdx.y * TILE + ty;
  const void *a = p.a, *b = p.b;
  void *c = p.c;
  long long oa = 0, ob = 0, oc = 0;
  if (p.listed) {
    a = ((const void *const *)a)[blockIdx.z], b = ((const void *const *)b)[blockIdx.z];
    c = ((void *const *)c)[blockIdx.z];
  } else {
    oa = blockIdx.z * p.sa, ob = blockIdx.z * p.sb, oc = blockIdx.z * p.sc;
  }
  T sum = T(0);
  for (int at = 0; at < p.k; at += TILE) {
    int ar = p.ta ? blockIdx.x * TILE + ty : row, ak = p.ta ? at + tx : at + ty;
    T va = T(0), vb = T(0);
    if (ar < p.m && ak < p.k)
      va = get<T>(p.at, a, oa + (p.ta ? ak + (long long)ar * p.lda : ar + (long long)ak * p.lda));
    if (p.ta == 2) va = conjugate(va);
    if (p.ta)
      as[tx][ty] = va;
    else
      as[ty][tx] = va;
    int bk = p.tb ? at + ty : at + tx, bc = p.tb ? blockIdx.y * TILE + tx : col;
    if (bk < p.k && bc < p.n)
      vb = get<T>(p.bt, b, ob + (p.tb ? bc + (long long)bk * p.ldb : bk + (long long)bc * p.ldb));
    if (p.tb == 2) vb = conjugate(vb);
    if (p.tb)
      bs[ty][tx] = vb;
    else
      bs[tx][ty] = vb;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += as[i][tx] * bs[i][ty];
    __syncthreads();
  }
  if (row >= p.m || col >= p.n) return;
  long long to = oc + row + (long long)col * p.ldc;
  T alpha = scalar_of(p.alpha, T(0)), beta = scalar_of(p.beta, T(0));
  T v = alpha * sum;
  if (!is_zero(beta)) v += beta * get<T>(p.ct, c, to);
  put(p.ct, c, to, v);
}
extern "C" __global__ void gmmu_sany(product p) { any_gemm<float>(p); }
extern "C" __global__ void gmmu_dany(product p) { any_gemm<double>(p); }
extern "C" __global__ void gmmu_iany(product p) { any_gemm<int>(p); }
extern "C" __global__ void gmmu_cany(product p) { any_gemm<pair_of<float>>(p); }
extern "C" __global__ void gmmu_zany(product p) { any_gemm<pair_of<double>>(p); }

/* ---- vectors and matrices of complex numbers --------------------------------------------------
 */

/* One block: sums of n terms. what: 0 x y, 1 |x|^2 with a root at the end, 2 |re| + |im|, 3 x
 * conjugate times y; 1 and 2 leave one number. */
template <class R>
static __device__ void complex_fold(int what, int n, const pair_of<R> *x, int ix,
                                    const pair_of<R> *y, int iy, R *result) {
  __shared__ R re[256], im[256];
  pair_of<R> sum(0);
  for (int i = threadIdx.x; i < n; i += 256) {
    pair_of<R> v = x[(long long)i * ix];
    if (what == 1)
      sum += pair_of<R>(v.x * v.x + v.y * v.y);
    else if (what == 2)
      sum += pair_of<R>((v.x < 0 ? -v.x : v.x) + (v.y < 0 ? -v.y : v.y));
    else
      sum += (what == 3 ? conjugate(v) : v) * y[(long long)i * iy];
  }
  re[threadIdx.x] = sum.x, im[threadIdx.x] = sum.y;
  for (int d = 128; d; d /= 2) {
    __syncthreads();
    if (threadIdx.x >= d) continue;
    re[threadIdx.x] += re[threadIdx.x + d], im[threadIdx.x] += im[threadIdx.x + d];
  }
  if (threadIdx.x) return;
  result[0] = what == 1 ? sqrt(re[0]) : re[0];
  if (what == 0 || what == 3) result[1] = im[0];
}
/* y = alpha op(A) x + beta y, a thread per element of y; trans as in struct product */
template <class R>
static __device__ void complex_gemv(int trans, int m, int n, pair_of<R> alpha, const pair_of<R> *a,
                                    int lda, const pair_of<R> *x, int ix, pair_of<R> beta,
                                    pair_of<R> *y, int iy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  pair_of<R> sum(0);
  if (i >= (trans ? n : m)) return;
  for (int j = 0; j < (trans ? m : n); j++) {
    pair_of<R> v = trans ? a[j + (long long)i * lda] : a[i + (long long)j * lda];
    sum += (trans == 2 ? conjugate(v) : v) * x[(long long)j * ix];
  }
  pair_of<R> *to = &y[(long long)i * iy], v = alpha * sum;
  if (!is_zero(beta)) v += beta * *to;
  *to = v;
}
template <class R>
static __device__ void complex_ger(int conj, int m, int n, pair_of<R> alpha, const pair_of<R> *x,
                                   int ix, const pair_of<R> *y, int iy, pair_of<R> *a, int lda) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m) return;
  pair_of<R> v = y[(long long)j * iy];
  a[i + (long long)j * lda] += alpha * x[(long long)i * ix] * (conj ? conjugate(v) : v);
}
/* C = alpha op(A) + beta op(B) */
template <class R>
static __device__ void complex_geam(int ta, int tb, int m, int n, pair_of<R> alpha,
                                    const pair_of<R> *a, int lda, pair_of<R> beta,
                                    const pair_of<R> *b, int ldb, pair_of<R> *c, int ldc) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= m || j >= n) return;
  pair_of<R> v(0);
  if (!is_zero(alpha)) {
    pair_of<R> u = ta ? a[j + (long long)i * lda] : a[i + (long long)j * lda];
    v += alpha * (ta == 2 ? conjugate(u) : u);
  }
  if (!is_zero(beta)) {
    pair_of<R> u = tb ? b[j + (long long)i * ldb] : b[i + (long long)j * ldb];
    v += beta * (tb == 2 ? conjugate(u) : u);
  }
  c[i + (long long)j * ldc] = v;
}
#define COMPLEX_KERNELS(L, R)                                                                      \
  extern "C" __global__ void gmmu_##L##fold(int what, int n, const pair_of<R> *x, int ix,          \
                                            const pair_of<R> *y, int iy, R *result) {              \
    complex_fold<R>(what, n, x, ix, y, iy, result);                                                \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##extreme(int least, int n, const pair_of<R> *x, int ix,      \
                                               int *result) {                                      \
    extreme<R>(least, n, x, ix, result);                                                           \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##elements(int what, int n, pair_of<R> alpha, pair_of<R> *x,  \
                                                int ix, pair_of<R> *y, int iy) {                   \
    elements<pair_of<R>>(what, n, alpha, x, ix, y, iy);                                            \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##gemv(int trans, int m, int n, pair_of<R> alpha,             \
                                            const pair_of<R> *a, int lda, const pair_of<R> *x,     \
                                            int ix, pair_of<R> beta, pair_of<R> *y, int iy) {      \
    complex_gemv<R>(trans, m, n, alpha, a, lda, x, ix, beta, y, iy);                               \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##ger(int conj, int m, int n, pair_of<R> alpha,               \
                                           const pair_of<R> *x, int ix, const pair_of<R> *y,       \
                                           int iy, pair_of<R> *a, int lda) {                       \
    complex_ger<R>(conj, m, n, alpha, x, ix, y, iy, a, lda);                                       \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##geam(                                                       \
      int ta, int tb, int m, int n, pair_of<R> alpha, const pair_of<R> *a, int lda,                \
      pair_of<R> beta, const pair_of<R> *b, int ldb, pair_of<R> *c, int ldc) {                     \
    complex_geam<R>(ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                            \
  }
COMPLEX_KERNELS(c, float)
COMPLEX_KERNELS(z, double)

/* ---- triangles and symmetric matrices: a thread per element, or per row of right-hand sides ----
 */

template <class T> static __device__ T symmetric(int upper, const T *a, int lda, int i, int j) {
  return (upper ? i <= j : i >= j) ? a[i + (long long)j * lda] : a[j + (long long)i * lda];
}
/* C = alpha op(A) op(A)^T + beta C in one triangle */
template <class T>
static __device__ void syrk(int upper, int trans, int n, int k, T alpha, const T *a, int lda,
                            T beta, T *c, int ldc) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= n || j >= n || (upper ? i > j : i < j)) return;
  T sum = 0;
  for (int l = 0; l < k; l++)
    sum += trans ? a[l + (long long)i * lda] * a[l + (long long)j * lda]
                 : a[i + (long long)l * lda] * a[j + (long long)l * lda];
  T *to = &c[i + (long long)j * ldc];
  *to = alpha * sum + (beta != T(0) ? beta * *to : T(0));
}
/* A += alpha x y^T in one triangle, and alpha y x^T if twice */
template <class T>
static __device__ void syr(int upper, int twice, int n, T alpha, const T *x, int ix, const T *y,
                           int iy, T *a, int lda) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= n || j >= n || (upper ? i > j : i < j)) return;
  T sum = x[(long long)i * ix] * y[(long long)j * iy];
  if (twice) sum += y[(long long)i * iy] * x[(long long)j * ix];
  a[i + (long long)j * lda] += alpha * sum;
}
/* C = alpha A B + beta C, or B A if right; A is symmetric. A vector is a matrix of one column. */
template <class T>
static __device__ void symm(int right, int upper, int m, int n, T alpha, const T *a, int lda,
                            const T *b, int rb, int ldb, T beta, T *c, int rc, int ldc) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= m || j >= n) return;
  T sum = 0;
  for (int l = 0; l < (right ? n : m); l++)
    sum += right ? b[(long long)i * rb + (long long)l * ldb] * symmetric(upper, a, lda, l, j)
                 : symmetric(upper, a, lda, i, l) * b[(long long)l * rb + (long long)j * ldb];
  T *to = &c[(long long)i * rc + (long long)j * ldc];
  *to = alpha * sum + (beta != T(0) ? beta * *to : T(0));
}
/* X of op(A) X = alpha B (solve), or X = alpha op(A) B; A is a triangle of `order` rows, and a
 * thread works on one of `sides` right-hand sides, whose elements are `step` apart, in an order
 * that lets X and B be one. From the right it is the same with A transposed. `lower` speaks of
 * op(A). */
template <class T>
static __device__ void triangle(int solve, int lower, int trans, int unit, int order, int sides,
                                T alpha, const T *a, int lda, const T *b, long long b_step,
                                long long b_side, T *x, long long x_step, long long x_side) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= sides) return;
  b += s * b_side, x += s * x_side;
  bool forward = solve ? lower : !lower;
  for (int at = 0; at < order; at++) {
    int i = forward ? at : order - 1 - at;
    const T *from = solve ? x : b; /* elements that are known, or not yet overwritten */
    long long from_step = solve ? x_step : b_step;
    T sum = 0;
    for (int l = lower ? 0 : i + 1; l < (lower ? i : order); l++)
      sum += (trans ? a[l + (long long)i * lda] : a[i + (long long)l * lda]) * from[l * from_step];
    T d = unit ? T(1) : a[i + (long long)i * lda];
    T v = b[i * b_step];
    x[i * x_step] = solve ? (alpha * v - sum) / d : alpha * (sum + d * v);
  }
}
/* C = alpha op(A) + beta op(B) */
template <class T>
static __device__ void geam(int ta, int tb, int m, int n, T alpha, const T *a, int lda, T beta,
                            const T *b, int ldb, T *c, int ldc) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= m || j >= n) return;
  T v = 0;
  if (alpha != T(0)) v += alpha * (ta ? a[j + (long long)i * lda] : a[i + (long long)j * lda]);
  if (beta != T(0)) v += beta * (tb ? b[j + (long long)i * ldb] : b[i + (long long)j * ldb]);
  c[i + (long long)j * ldc] = v;
}
/* C = A diag(x), or diag(x) A */
template <class T>
static __device__ void dgmm(int right, int m, int n, const T *a, int lda, const T *x, int ix, T *c,
                            int ldc) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i < m && j < n)
    c[i + (long long)j * ldc] = a[i + (long long)j * lda] * x[(long long)(right ? j : i) * ix];
}
/* A block factors one matrix of a list into L and U, with the rows it exchanged (pivots, counted
 * from 1; none if NULL). info: 0, or the first column without a pivot. */
template <class T>
static __device__ void factor(int n, T *const *list, int lda, int *pivots, int *info) {
  __shared__ int row;
  T *a = list[blockIdx.x];
  int bad = 0;
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0) {
      row = k;
      T best = magnitude(a[k + (long long)k * lda]);
      for (int i = k + 1; pivots && i < n; i++) {
        T v = magnitude(a[i + (long long)k * lda]);
        if (v > best) best = v, row = i;
      }
      if (pivots) pivots[blockIdx.x * n + k] = row + 1;
    }
    __syncthreads();
    for (int j = threadIdx.x; row != k && j < n; j += blockDim.x) {
      T v = a[k + (long long)j * lda];
      a[k + (long long)j * lda] = a[row + (long long)j * lda], a[row + (long long)j * lda] = v;
    }
    __syncthreads();
    T d = a[k + (long long)k * lda];
    if (d == T(0)) {
      if (!bad) bad = k + 1;
      continue;
    }
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
      T l = a[i + (long long)k * lda] /= d;
      for (int j = k + 1; j < n; j++) a[i + (long long)j * lda] -= l * a[k + (long long)j * lda];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) info[blockIdx.x] = bad;
}
/* op(A) X = B from the factors, a thread per column of B; `identity`: B is one to begin with. info:
 * 0, or the column whose pivot is zero. */
template <class T>
static __device__ void solve(int trans, int identity, int n, int columns, const T *const *list,
                             int lda, const int *pivots, T *const *to, int ldb, int *info) {
  const T *a = list[blockIdx.x];
  const int *p = pivots ? pivots + blockIdx.x * n : nullptr;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    T *x = to[blockIdx.x] + (long long)c * ldb;
    for (int i = 0; identity && i < n; i++) x[i] = T(i == c);
    for (int i = 0; p && !trans && i < n; i++) {
      T v = x[i];
      x[i] = x[p[i] - 1], x[p[i] - 1] = v;
    }
    for (int pass = 0; pass < 2; pass++) {
      bool lower = pass == 0; /* of op(A)'s two triangles, L or U^T first */
      bool unit = lower != (trans != 0);
      for (int at = 0; at < n; at++) {
        int i = lower ? at : n - 1 - at;
        T sum = x[i];
        for (int l = lower ? 0 : i + 1; l < (lower ? i : n); l++)
          sum -= (trans ? a[l + (long long)i * lda] : a[i + (long long)l * lda]) * x[l];
        x[i] = unit ? sum : sum / a[i + (long long)i * lda];
      }
    }
    for (int i = n - 1; p && trans && i >= 0; i--) {
      T v = x[i];
      x[i] = x[p[i] - 1], x[p[i] - 1] = v;
    }
  }
  if (!info || threadIdx.x) return;
  int bad = 0;
  for (int i = n; i > 0; i--)
    if (a[i - 1 + (long long)(i - 1) * lda] == T(0)) bad = i;
  info[blockIdx.x] = bad;
}
template <class T> static __device__ void rot(int n, T *x, int ix, T *y, int iy, T c, T s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T *p = &x[(long long)i * ix], *q = &y[(long long)i * iy], u = *p, v = *q;
  *p = c * u + s * v, *q = c * v - s * u;
}

/* ---- transforms of several dimensions -------------------------------------------------------- */

/* A step as in fft_step(), along an axis whose elements are `inner` apart: `outer` times `inner`
 * lines of n. */
template <class T>
static __device__ void fft_axis(int n, int half, int inner, long long outer, T sign, const T *in,
                                T *out) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, left = i / inner;
  int t = (int)(left % (n / 2)), k = t & (half - 1), j = (t - k) * 2 + k;
  if (left / (n / 2) >= outer) return;
  long long base = left / (n / 2) * n * inner + i % inner;
  const T *a = in + 2 * (base + (long long)t * inner),
          *b = in + 2 * (base + (long long)(t + n / 2) * inner);
  T c, s, angle = sign * T(k) / T(half);
  if (sizeof(T) == 4)
    sincospif((float)angle, (float *)&s, (float *)&c);
  else
    sincospi((double)angle, (double *)&s, (double *)&c);
  T re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
  T *u = out + 2 * (base + (long long)j * inner),
    *v = out + 2 * (base + (long long)(j + half) * inner);
  u[0] = a[0] + re, u[1] = a[1] + im, v[0] = a[0] - re, v[1] = a[1] - im;
}
template <class T>
static __device__ void dft_axis(int n, int inner, long long outer, T sign, const T *in, T *out) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, left = i / inner;
  if (left / n >= outer) return;
  const T *a = in + 2 * (left / n * n * inner + i % inner);
  int k = (int)(left % n);
  double re = 0, im = 0;
  for (int j = 0; j < n; j++) {
    double c, s;
    const T *v = a + 2 * (long long)j * inner;
    sincospi((double)sign * 2 * (double)((long long)j * k % n) / n, &s, &c);
    re += v[0] * c - v[1] * s, im += v[0] * s + v[1] * c;
  }
  out[2 * i] = (T)re, out[2 * i + 1] = (T)im;
}
/* How the elements of a batch of up to three dimensions lie; as in cufft.c. */
struct layout {
  long long plane, row, step, batch; /* elements from one to the next, per dimension */
};
/* Elements of one or two numbers, from one layout to another. */
template <class T>
static __device__ void move_elements(int numbers, int n0, int n1, int n2, int batch, const T *in,
                                     layout from, T *out, layout to) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long x = i % n2, y = i / n2 % n1, z = i / n2 / n1 % n0, b = i / n2 / n1 / n0;
  if (b >= batch) return;
  const T *p = in + numbers * (b * from.batch + z * from.plane + y * from.row + x * from.step);
  T *q = out + numbers * (b * to.batch + z * to.plane + y * to.row + x * to.step);
  q[0] = p[0];
  if (numbers == 2) q[1] = p[1];
}

#define MORE_KERNELS(L, T)                                                                         \
  extern "C" __global__ void gmmu_##L##syrk(int upper, int trans, int n, int k, T alpha,           \
                                            const T *a, int lda, T beta, T *c, int ldc) {          \
    syrk<T>(upper, trans, n, k, alpha, a, lda, beta, c, ldc);                                      \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##syr(int upper, int twice, int n, T alpha, const T *x,       \
                                           int ix, const T *y, int iy, T *a, int lda) {            \
    syr<T>(upper, twice, n, alpha, x, ix, y, iy, a, lda);                                          \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##symm(int right, int upper, int m, int n, T alpha,           \
                                            const T *a, int lda, const T *b, int rb, int ldb,      \
                                            T beta, T *c, int rc, int ldc) {                       \
    symm<T>(right, upper, m, n, alpha, a, lda, b, rb, ldb, beta, c, rc, ldc);                      \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##triangle(                                                   \
      int solve, int lower, int trans, int unit, int order, int sides, T alpha, const T *a,        \
      int lda, const T *b, long long b_step, long long b_side, T *x, long long x_step,             \
      long long x_side) {                                                                          \
    triangle<T>(solve, lower, trans, unit, order, sides, alpha, a, lda, b, b_step, b_side, x,      \
                x_step, x_side);                                                                   \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##geam(int ta, int tb, int m, int n, T alpha, const T *a,     \
                                            int lda, T beta, const T *b, int ldb, T *c, int ldc) { \
    geam<T>(ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                    \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##dgmm(int right, int m, int n, const T *a, int lda,          \
                                            const T *x, int ix, T *c, int ldc) {                   \
    dgmm<T>(right, m, n, a, lda, x, ix, c, ldc);                                                   \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##factor(int n, T *const *list, int lda, int *pivots,         \
                                              int *info) {                                         \
    factor<T>(n, list, lda, pivots, info);                                                         \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##solve(int trans, int identity, int n, int columns,          \
                                             const T *const *list, int lda, const int *pivots,     \
                                             T *const *to, int ldb, int *info) {                   \
    solve<T>(trans, identity, n, columns, list, lda, pivots, to, ldb, info);                       \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##rot(int n, T *x, int ix, T *y, int iy, T c, T s) {          \
    rot<T>(n, x, ix, y, iy, c, s);                                                                 \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##fftaxis(int n, int half, int inner, long long outer,        \
                                               T sign, const T *in, T *out) {                      \
    fft_axis<T>(n, half, inner, outer, sign, in, out);                                             \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##dftaxis(int n, int inner, long long outer, T sign,          \
                                               const T *in, T *out) {                              \
    dft_axis<T>(n, inner, outer, sign, in, out);                                                   \
  }                                                                                                \
  extern "C" __global__ void gmmu_##L##move(int numbers, int n0, int n1, int n2, int batch,        \
                                            const T *in, layout from, T *out, layout to) {         \
    move_elements<T>(numbers, n0, n1, n2, batch, in, from, out, to);                               \
  }
MORE_KERNELS(s, float)
MORE_KERNELS(d, double)
