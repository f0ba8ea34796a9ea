/* Kernels of our cuBLAS and cuFFT. Matrices are column by column, as in Fortran; scalars come by
 * address, which may be the host's: memory of both is one. scripts/gen-blas.sh makes blas.ptx. */
#define TILE 16

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
/* One block: the first element of largest (or smallest) magnitude, counted from 1. */
template <class T>
static __device__ void extreme(int least, int n, const T *x, int ix, int *result) {
  __shared__ T value[256];
  __shared__ int where[256];
  T best = 0;
  int at = -1;
  for (int i = threadIdx.x; i < n; i += 256) {
    T v = x[(long long)i * ix];
    if (v < T(0)) v = -v;
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
