/* libcublas: the calls that programs use most, as kernels of ours, in single and double precision.
 * Level 1: axpy, scal, copy, swap, dot, nrm2, asum, amax, amin, rot. Level 2: gemv, ger, symv, syr,
 * syr2, trmv, trsv. Level 3: gemm, syrk, symm, trsm, trmm, geam, dgmm; factors of matrices in
 * lists, and what is solved with them. Of complex numbers: level 1 without rot, gemv, ger, geam.
 * Products are there of halves, bytes and complex numbers too, and in batches at a stride or by a
 * list of addresses. Tensor-core modes change nothing: sums are in the precision of the
 * computation, those of halves in single precision. */
#include "cudart/blas/kernels.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OK = 0,
  NOT_INITIALIZED = 1,
  ALLOC_FAILED = 3,
  INVALID_VALUE = 7,
  FAILED = 13,
  NOT_SUPPORTED = 15
};
enum { HOST_SCALARS = 0, DEVICE_SCALARS = 1 };

typedef struct {
  void *stream;
  int mode, math;
  void *scalar; /* where a kernel leaves a result that the host wants */
} handle_t;

static int status(int cuda) { return cuda ? FAILED : OK; }

API(cublasCreate_v2, handle_t **out) {
  handle_t *h = out ? calloc(1, sizeof *h) : NULL;
  if (!h) return out ? ALLOC_FAILED : INVALID_VALUE;
  if (CALL(cudaMalloc, (void **, size_t))(&h->scalar, 256)) {
    free(h);
    return NOT_INITIALIZED;
  }
  *out = h;
  return OK;
}
API(cublasDestroy_v2, handle_t *h) {
  if (!h) return NOT_INITIALIZED;
  CALL(cudaFree, (void *))(h->scalar);
  free(h);
  return OK;
}
API(cublasGetVersion_v2, handle_t *h, int *version) {
  (void)h;
  *version = 12000;
  return OK;
}
API(cublasSetStream_v2, handle_t *h, void *stream) {
  if (!h) return NOT_INITIALIZED;
  h->stream = stream;
  return OK;
}
API(cublasGetStream_v2, handle_t *h, void **stream) {
  if (!h) return NOT_INITIALIZED;
  *stream = h->stream;
  return OK;
}
API(cublasSetPointerMode_v2, handle_t *h, int mode) {
  if (!h || mode < 0 || mode > 1) return h ? INVALID_VALUE : NOT_INITIALIZED;
  h->mode = mode;
  return OK;
}
API(cublasGetPointerMode_v2, handle_t *h, int *mode) {
  if (!h) return NOT_INITIALIZED;
  *mode = h->mode;
  return OK;
}
API(cublasSetMathMode, handle_t *h, int mode) {
  if (!h) return NOT_INITIALIZED;
  h->math = mode;
  return OK;
}
API(cublasGetMathMode, handle_t *h, int *mode) {
  if (!h) return NOT_INITIALIZED;
  *mode = h->math;
  return OK;
}
API(cublasSetWorkspace_v2, handle_t *h, void *space, size_t bytes) {
  (void)space, (void)bytes;
  return h ? OK : NOT_INITIALIZED;
}

EXPORT const char *cublasGetStatusString(int s);
const char *cublasGetStatusString(int s) {
  switch (s) {
  case OK: return "success";
  case NOT_INITIALIZED: return "the library was not initialized";
  case ALLOC_FAILED: return "the resource allocation failed";
  case INVALID_VALUE: return "an invalid value was used as an argument";
  case FAILED: return "the function failed to launch on the GPU";
  case NOT_SUPPORTED: return "the functionality is not supported";
  default: return "unknown status";
  }
}
EXPORT const char *cublasGetStatusName(int s);
const char *cublasGetStatusName(int s) {
  return s ? "CUBLAS_STATUS_ERROR" : "CUBLAS_STATUS_SUCCESS";
}

/* ---- vectors and matrices to and from the device -----------------------------------------------
 */

static int copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t rows) {
  return status(CALL(cudaMemcpy2D, (void *, size_t, const void *, size_t, size_t, size_t, int))(
      to, to_pitch, from, from_pitch, width, rows, 4));
}
API(cublasSetVector, int n, int bytes, const void *x, int ix, void *y, int iy) {
  if (n <= 0) return OK;
  return copy_2d(y, (size_t)iy * (size_t)bytes, x, (size_t)ix * (size_t)bytes, (size_t)bytes,
                 (size_t)n);
}
API(cublasGetVector, int n, int bytes, const void *x, int ix, void *y, int iy) {
  return cublasSetVector(n, bytes, x, ix, y, iy);
}
API(cublasSetMatrix, int rows, int cols, int bytes, const void *a, int lda, void *b, int ldb) {
  if (rows <= 0 || cols <= 0) return OK;
  return copy_2d(b, (size_t)ldb * (size_t)bytes, a, (size_t)lda * (size_t)bytes,
                 (size_t)rows * (size_t)bytes, (size_t)cols);
}
API(cublasGetMatrix, int rows, int cols, int bytes, const void *a, int lda, void *b, int ldb) {
  return cublasSetMatrix(rows, cols, bytes, a, lda, b, ldb);
}

/* Every call has done its work when it returns. */
API(cublasSetVectorAsync, int n, int bytes, const void *x, int ix, void *y, int iy, void *stream) {
  (void)stream;
  return cublasSetVector(n, bytes, x, ix, y, iy);
}
API(cublasGetVectorAsync, int n, int bytes, const void *x, int ix, void *y, int iy, void *stream) {
  (void)stream;
  return cublasSetVector(n, bytes, x, ix, y, iy);
}
API(cublasSetMatrixAsync, int rows, int cols, int bytes, const void *a, int lda, void *b, int ldb,
    void *stream) {
  (void)stream;
  return cublasSetMatrix(rows, cols, bytes, a, lda, b, ldb);
}
API(cublasGetMatrixAsync, int rows, int cols, int bytes, const void *a, int lda, void *b, int ldb,
    void *stream) {
  (void)stream;
  return cublasSetMatrix(rows, cols, bytes, a, lda, b, ldb);
}

/* ---- what both precisions share
 * ------------------------------------------------------------------ */

/* A scalar that the program gave by address: the device's memory can be read here too, once what
 * was asked for before has been done, which it has. */
static int scalar(const handle_t *h, const void *from, void *to, size_t bytes) {
  if (!from) return INVALID_VALUE;
  if (h->mode == HOST_SCALARS) return memcpy(to, from, bytes), OK;
  return status(CALL(cudaMemcpy, (void *, const void *, size_t, int))(to, from, bytes, 2));
}
static int result(const handle_t *h, void *to, size_t bytes) {
  if (h->mode == DEVICE_SCALARS) return OK; /* the kernel has put it there */
  return status(CALL(cudaMemcpy, (void *, const void *, size_t, int))(to, h->scalar, bytes, 2));
}
static unsigned blocks(int n, int per) { return n > 0 ? (unsigned)((n + per - 1) / per) : 0; }

/* A negative step runs from the other end, as BLAS says. */
#define START(p, n, step, T)                                                                       \
  ((step) < 0 ? (T *)(uintptr_t)(p) - (ptrdiff_t)((n)-1) * (step) : (T *)(uintptr_t)(p))

#define BLAS(L, U, T)                                                                              \
  static int L##gemm(handle_t *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, \
                     int lda, long long sa, const T *b, int ldb, long long sb, const T *beta,      \
                     T *c, int ldc, long long sc, int batch) {                                     \
    T x, y;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) ||        \
        ldc < m)                                                                                   \
      return m == 0 || n == 0 || k == 0 ? OK : INVALID_VALUE;                                      \
    if (!m || !n || !batch) return OK;                                                             \
    if (scalar(h, alpha, &x, sizeof x) || scalar(h, beta, &y, sizeof y)) return INVALID_VALUE;     \
    ta = ta != 0, tb = tb != 0;                                                                    \
    void *args[] = {&ta, &tb, &m, &n, &k, &x, &a, &lda, &sa, &b, &ldb, &sb, &y, &c, &ldc, &sc};    \
    return status(kernel_launch("gmmu_" #L "gemm", blocks(m, 16), blocks(n, 16), (unsigned)batch,  \
                                16, 16, h->stream, args));                                         \
  }                                                                                                \
  API(cublas##U##gemm_v2, handle_t *h, int ta, int tb, int m, int n, int k, const T *alpha,        \
      const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {                    \
    return L##gemm(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);           \
  }                                                                                                \
  API(cublas##U##gemmStridedBatched, handle_t *h, int ta, int tb, int m, int n, int k,             \
      const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb,        \
      const T *beta, T *c, int ldc, long long sc, int batch) {                                     \
    return L##gemm(h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batch);    \
  }                                                                                                \
  API(cublas##U##gemv_v2, handle_t *h, int trans, int m, int n, const T *alpha, const T *a,        \
      int lda, const T *x, int ix, const T *beta, T *y, int iy) {                                  \
    T p, q;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < m || !ix || !iy) return INVALID_VALUE;                             \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &p, sizeof p) || scalar(h, beta, &q, sizeof q)) return INVALID_VALUE;     \
    trans = trans != 0;                                                                            \
    x = START(x, trans ? m : n, ix, T), y = START(y, trans ? n : m, iy, T);                        \
    void *args[] = {&trans, &m, &n, &p, &a, &lda, &x, &ix, &q, &y, &iy};                           \
    return status(kernel_launch("gmmu_" #L "gemv", trans ? blocks(n, 8) : blocks(m, 256), 1, 1,    \
                                256, 1, h->stream, args));                                         \
  }                                                                                                \
  API(cublas##U##ger_v2, handle_t *h, int m, int n, const T *alpha, const T *x, int ix,            \
      const T *y, int iy, T *a, int lda) {                                                         \
    T p;                                                                                           \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < m || !ix || !iy || scalar(h, alpha, &p, sizeof p))                 \
      return INVALID_VALUE;                                                                        \
    if (!m || !n) return OK;                                                                       \
    x = START(x, m, ix, T), y = START(y, n, iy, T);                                                \
    void *args[] = {&m, &n, &p, &x, &ix, &y, &iy, &a, &lda};                                       \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "ger", blocks(m, 256), (unsigned)n, 1, 256, 1, h->stream, args)); \
  }                                                                                                \
  static int L##elements(handle_t *h, int what, int n, const T *alpha, T *x, int ix, T *y,         \
                         int iy) {                                                                 \
    T p = 0;                                                                                       \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (alpha && scalar(h, alpha, &p, sizeof p)) return INVALID_VALUE;                             \
    if (n <= 0) return OK;                                                                         \
    x = START(x, n, ix, T), y = START(y, n, iy, T);                                                \
    void *args[] = {&what, &n, &p, &x, &ix, &y, &iy};                                              \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "elements", blocks(n, 256), 1, 1, 256, 1, h->stream, args));      \
  }                                                                                                \
  API(cublas##U##axpy_v2, handle_t *h, int n, const T *alpha, const T *x, int ix, T *y, int iy) {  \
    return alpha ? L##elements(h, 0, n, alpha, (T *)(uintptr_t)x, ix, y, iy) : INVALID_VALUE;      \
  }                                                                                                \
  API(cublas##U##scal_v2, handle_t *h, int n, const T *alpha, T *x, int ix) {                      \
    return alpha ? L##elements(h, 1, n, alpha, x, ix, x, ix) : INVALID_VALUE;                      \
  }                                                                                                \
  API(cublas##U##copy_v2, handle_t *h, int n, const T *x, int ix, T *y, int iy) {                  \
    return L##elements(h, 2, n, NULL, (T *)(uintptr_t)x, ix, y, iy);                               \
  }                                                                                                \
  API(cublas##U##swap_v2, handle_t *h, int n, T *x, int ix, T *y, int iy) {                        \
    return L##elements(h, 3, n, NULL, x, ix, y, iy);                                               \
  }                                                                                                \
  static int L##fold(handle_t *h, int what, int n, const T *x, int ix, const T *y, int iy,         \
                     T *out) {                                                                     \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (!out) return INVALID_VALUE;                                                                \
    if (n < 0) n = 0;                                                                              \
    x = START(x, n, ix, const T), y = START(y, n, iy, const T);                                    \
    T *to = h->mode == DEVICE_SCALARS ? out : h->scalar;                                           \
    void *args[] = {&what, &n, &x, &ix, &y, &iy, &to};                                             \
    int s = status(kernel_launch("gmmu_" #L "fold", 1, 1, 1, 256, 1, h->stream, args));            \
    return s ? s : result(h, out, sizeof *out);                                                    \
  }                                                                                                \
  API(cublas##U##dot_v2, handle_t *h, int n, const T *x, int ix, const T *y, int iy, T *out) {     \
    return L##fold(h, 0, n, x, ix, y, iy, out);                                                    \
  }                                                                                                \
  API(cublas##U##nrm2_v2, handle_t *h, int n, const T *x, int ix, T *out) {                        \
    return L##fold(h, 1, n, x, ix, x, ix, out);                                                    \
  }                                                                                                \
  API(cublas##U##asum_v2, handle_t *h, int n, const T *x, int ix, T *out) {                        \
    return L##fold(h, 2, n, x, ix, x, ix, out);                                                    \
  }                                                                                                \
  static int L##extreme(handle_t *h, int least, int n, const T *x, int ix, int *out) {             \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (!out) return INVALID_VALUE;                                                                \
    if (n < 0 || ix <= 0) n = 0;                                                                   \
    int *to = h->mode == DEVICE_SCALARS ? out : h->scalar;                                         \
    void *args[] = {&least, &n, &x, &ix, &to};                                                     \
    int s = status(kernel_launch("gmmu_" #L "extreme", 1, 1, 1, 256, 1, h->stream, args));         \
    return s ? s : result(h, out, sizeof *out);                                                    \
  }                                                                                                \
  API(cublasI##L##amax_v2, handle_t *h, int n, const T *x, int ix, int *out) {                     \
    return L##extreme(h, 0, n, x, ix, out);                                                        \
  }                                                                                                \
  API(cublasI##L##amin_v2, handle_t *h, int n, const T *x, int ix, int *out) {                     \
    return L##extreme(h, 1, n, x, ix, out);                                                        \
  }
BLAS(s, S, float)
BLAS(d, D, double)

/* ---- products of any types ------------------------------------------------------------------- */

enum { R32F = 0, R64F = 1, R16F = 2, R8I = 3, C32F = 4, C64F = 5, R32I = 10, R16BF = 14 };
/* cublasComputeType_t; the old interface names a cudaDataType instead. */
enum {
  COMPUTE_16F = 64,
  COMPUTE_16F_PEDANTIC = 65,
  COMPUTE_32F = 68,
  COMPUTE_32F_PEDANTIC = 69,
  COMPUTE_64F = 70,
  COMPUTE_64F_PEDANTIC = 71,
  COMPUTE_32I = 72,
  COMPUTE_32I_PEDANTIC = 73,
  COMPUTE_32F_FAST_16F = 74,
  COMPUTE_32F_FAST_16BF = 75,
  COMPUTE_32F_FAST_TF32 = 77
};
typedef struct { /* as in blas.cu */
  int ta, tb, m, n, k;
  int at, bt, ct;
  int lda, ldb, ldc;
  int listed;
  const void *a, *b;
  void *c;
  long long sa, sb, sc;
  double alpha[2], beta[2];
} product_t;

static int is_complex(int type) { return type == C32F || type == C64F; }

/* IEEE's half to double. */
static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double v = exponent ? 1024 + mantissa : mantissa;
  for (int i = exponent ? exponent : 1; i < 25; i++) v /= 2;
  for (int i = 25; i < exponent; i++) v *= 2;
  if (exponent == 31) v = mantissa ? (double)NAN : (double)INFINITY;
  return h >> 15 ? -v : v;
}

/* alpha or beta, which is of the type that is summed up in. */
static int factor(const handle_t *h, int type, const void *from, double to[2]) {
  union {
    float f[2];
    double d[2];
    uint16_t half;
    int32_t i;
  } v = {{0}};
  size_t bytes = type == R16F ? 2 : type == R64F || type == C32F ? 8 : type == C64F ? 16 : 4;
  int error = scalar(h, from, &v, bytes);
  if (error) return error;
  bool wide = type == R64F || type == C64F;
  to[0] = type == R16F ? half_value(v.half) : type == R32I ? v.i : wide ? v.d[0] : (double)v.f[0];
  to[1] = !is_complex(type) ? 0 : wide ? v.d[1] : (double)v.f[1];
  return OK;
}

/* The type in which a product is accumulated, as a cudaDataType; -1: not supported. */
static int sums_in(int compute, int a, int c) {
  switch (compute) {
  case COMPUTE_16F:
  case COMPUTE_16F_PEDANTIC: return R16F;
  case COMPUTE_32F:
  case COMPUTE_32F_PEDANTIC:
  case COMPUTE_32F_FAST_16F:
  case COMPUTE_32F_FAST_16BF:
  case COMPUTE_32F_FAST_TF32: return is_complex(a) ? C32F : R32F;
  case COMPUTE_64F:
  case COMPUTE_64F_PEDANTIC: return is_complex(a) ? C64F : R64F;
  case COMPUTE_32I:
  case COMPUTE_32I_PEDANTIC: return R32I;
  case R32F:
  case R64F:
  case R16F:
  case C32F:
  case C64F:
  case R32I: return compute == R32F && is_complex(c) ? C32F : compute;
  default: return -1;
  }
}

/* cuBLAS's table of what goes with what, in short. */
static bool fits(int sum, int a, int b, int c) {
  if (a != b) return false;
  switch (sum) {
  case R16F: return a == R16F && c == R16F;
  case R32F:
    return (a == R32F && c == R32F) || (a == R16F && (c == R16F || c == R32F)) ||
           (a == R16BF && (c == R16BF || c == R32F)) || (a == R8I && c == R32F);
  case R32I: return a == R8I && c == R32I;
  default: return a == sum && c == sum; /* R64F, C32F, C64F */
  }
}

static int any_gemm(handle_t *h, product_t *p, int sum, const void *alpha, const void *beta,
                    int batch) {
  static int said;
  if (!h) return NOT_INITIALIZED;
  if (sum < 0 || !fits(sum, p->at, p->bt, p->ct))
    return not_there(&said, "a product of these types by cuBLAS", NOT_SUPPORTED);
  if (p->m < 0 || p->n < 0 || p->k < 0 || batch < 0 || p->ta < 0 || p->ta > 2 || p->tb < 0 ||
      p->tb > 2)
    return INVALID_VALUE;
  if (!p->m || !p->n || !batch) return OK;
  if (p->lda < (p->ta ? p->k : p->m) || p->ldb < (p->tb ? p->n : p->k) || p->ldc < p->m)
    return INVALID_VALUE;
  int error = factor(h, sum, alpha, p->alpha);
  if (!error) error = factor(h, sum, beta, p->beta);
  if (error) return error;
  const char *name = sum == R64F   ? "gmmu_dany"
                     : sum == R32I ? "gmmu_iany"
                     : sum == C32F ? "gmmu_cany"
                     : sum == C64F ? "gmmu_zany"
                                   : "gmmu_sany";
  void *args[] = {p};
  return status(kernel_launch(name, blocks(p->m, 16), blocks(p->n, 16), (unsigned)batch, 16, 16,
                              h->stream, args));
}
#define PRODUCT(at_, bt_, ct_, listed_, sa_, sb_, sc_)                                             \
  {                                                                                                \
    .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .at = at_, .bt = bt_, .ct = ct_, .lda = lda,       \
    .ldb = ldb, .ldc = ldc, .listed = listed_, .a = a, .b = b, .c = c, .sa = sa_, .sb = sb_,       \
    .sc = sc_                                                                                      \
  }

API(cublasGemmEx, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha,
    const void *a, int at, int lda, const void *b, int bt, int ldb, const void *beta, void *c,
    int ct, int ldc, int compute, int algorithm) {
  (void)algorithm;
  product_t p = PRODUCT(at, bt, ct, 0, 0, 0, 0);
  return any_gemm(h, &p, sums_in(compute, at, ct), alpha, beta, 1);
}
API(cublasGemmStridedBatchedEx, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha,
    const void *a, int at, int lda, long long sa, const void *b, int bt, int ldb, long long sb,
    const void *beta, void *c, int ct, int ldc, long long sc, int batch, int compute,
    int algorithm) {
  (void)algorithm;
  product_t p = PRODUCT(at, bt, ct, 0, sa, sb, sc);
  return any_gemm(h, &p, sums_in(compute, at, ct), alpha, beta, batch);
}
API(cublasGemmBatchedEx, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha,
    const void *a, int at, int lda, const void *b, int bt, int ldb, const void *beta, void *c,
    int ct, int ldc, int batch, int compute, int algorithm) {
  (void)algorithm;
  product_t p = PRODUCT(at, bt, ct, 1, 0, 0, 0);
  return any_gemm(h, &p, sums_in(compute, at, ct), alpha, beta, batch);
}
/* Matrices of any type, sums in single precision. */
API(cublasSgemmEx, handle_t *h, int ta, int tb, int m, int n, int k, const float *alpha,
    const void *a, int at, int lda, const void *b, int bt, int ldb, const float *beta, void *c,
    int ct, int ldc) {
  product_t p = PRODUCT(at, bt, ct, 0, 0, 0, 0);
  return any_gemm(h, &p, R32F, alpha, beta, 1);
}

#define LISTED(name, type)                                                                         \
  API(name, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,    \
      int lda, const void *b, int ldb, const void *beta, void *c, int ldc, int batch) {            \
    product_t p = PRODUCT(type, type, type, 1, 0, 0, 0);                                           \
    return any_gemm(h, &p, type, alpha, beta, batch);                                              \
  }
#define SINGLE(name, type)                                                                         \
  API(name, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,    \
      int lda, const void *b, int ldb, const void *beta, void *c, int ldc) {                       \
    product_t p = PRODUCT(type, type, type, 0, 0, 0, 0);                                           \
    return any_gemm(h, &p, type, alpha, beta, 1);                                                  \
  }
#define STRIDED(name, type)                                                                        \
  API(name, handle_t *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,    \
      int lda, long long sa, const void *b, int ldb, long long sb, const void *beta, void *c,      \
      int ldc, long long sc, int batch) {                                                          \
    product_t p = PRODUCT(type, type, type, 0, sa, sb, sc);                                        \
    return any_gemm(h, &p, type, alpha, beta, batch);                                              \
  }
LISTED(cublasSgemmBatched, R32F)
LISTED(cublasDgemmBatched, R64F)
LISTED(cublasHgemmBatched, R16F)
LISTED(cublasCgemmBatched, C32F)
LISTED(cublasZgemmBatched, C64F)
SINGLE(cublasHgemm, R16F)
SINGLE(cublasCgemm_v2, C32F)
SINGLE(cublasZgemm_v2, C64F)
SINGLE(cublasCgemm3m, C32F)
SINGLE(cublasZgemm3m, C64F)
STRIDED(cublasHgemmStridedBatched, R16F)
STRIDED(cublasCgemmStridedBatched, C32F)
STRIDED(cublasZgemmStridedBatched, C64F)

/* ---- vectors and matrices of complex numbers --------------------------------------------------
 */

#define COMPLEX(L, U, R, l, u, LR)                                                                 \
  typedef struct {                                                                                 \
    R x, y;                                                                                        \
  } L##_t;                                                                                         \
  static int L##elements(handle_t *h, int what, int n, const L##_t *alpha, L##_t *x, int ix,       \
                         L##_t *y, int iy) {                                                       \
    L##_t p = {0, 0};                                                                              \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (alpha && scalar(h, alpha, &p, sizeof p)) return INVALID_VALUE;                             \
    if (n <= 0) return OK;                                                                         \
    x = START(x, n, ix, L##_t), y = START(y, n, iy, L##_t);                                        \
    void *args[] = {&what, &n, &p, &x, &ix, &y, &iy};                                              \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "elements", blocks(n, 256), 1, 1, 256, 1, h->stream, args));      \
  }                                                                                                \
  API(cublas##U##axpy_v2, handle_t *h, int n, const L##_t *alpha, const L##_t *x, int ix,          \
      L##_t *y, int iy) {                                                                          \
    return alpha ? L##elements(h, 0, n, alpha, (L##_t *)(uintptr_t)x, ix, y, iy) : INVALID_VALUE;  \
  }                                                                                                \
  API(cublas##U##scal_v2, handle_t *h, int n, const L##_t *alpha, L##_t *x, int ix) {              \
    return alpha ? L##elements(h, 1, n, alpha, x, ix, x, ix) : INVALID_VALUE;                      \
  }                                                                                                \
  API(cublas##U##LR##scal_v2, handle_t *h, int n, const R *alpha, L##_t *x, int ix) {              \
    R p = 0;                                                                                       \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (scalar(h, alpha, &p, sizeof p)) return INVALID_VALUE;                                      \
    if (n <= 0) return OK;                                                                         \
    L##_t both = {p, 0};                                                                           \
    int what = 1;                                                                                  \
    x = START(x, n, ix, L##_t);                                                                    \
    void *args[] = {&what, &n, &both, &x, &ix, &x, &ix};                                           \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "elements", blocks(n, 256), 1, 1, 256, 1, h->stream, args));      \
  }                                                                                                \
  API(cublas##U##copy_v2, handle_t *h, int n, const L##_t *x, int ix, L##_t *y, int iy) {          \
    return L##elements(h, 2, n, NULL, (L##_t *)(uintptr_t)x, ix, y, iy);                           \
  }                                                                                                \
  API(cublas##U##swap_v2, handle_t *h, int n, L##_t *x, int ix, L##_t *y, int iy) {                \
    return L##elements(h, 3, n, NULL, x, ix, y, iy);                                               \
  }                                                                                                \
  static int L##fold(handle_t *h, int what, int n, const L##_t *x, int ix, const L##_t *y, int iy, \
                     void *out, size_t bytes) {                                                    \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (!out) return INVALID_VALUE;                                                                \
    if (n < 0) n = 0;                                                                              \
    x = START(x, n, ix, const L##_t), y = START(y, n, iy, const L##_t);                            \
    void *to = h->mode == DEVICE_SCALARS ? out : h->scalar;                                        \
    void *args[] = {&what, &n, &x, &ix, &y, &iy, &to};                                             \
    int s = status(kernel_launch("gmmu_" #L "fold", 1, 1, 1, 256, 1, h->stream, args));            \
    return s ? s : result(h, out, bytes);                                                          \
  }                                                                                                \
  API(cublas##U##dotu_v2, handle_t *h, int n, const L##_t *x, int ix, const L##_t *y, int iy,      \
      L##_t *out) {                                                                                \
    return L##fold(h, 0, n, x, ix, y, iy, out, sizeof *out);                                       \
  }                                                                                                \
  API(cublas##U##dotc_v2, handle_t *h, int n, const L##_t *x, int ix, const L##_t *y, int iy,      \
      L##_t *out) {                                                                                \
    return L##fold(h, 3, n, x, ix, y, iy, out, sizeof *out);                                       \
  }                                                                                                \
  API(cublas##u##nrm2_v2, handle_t *h, int n, const L##_t *x, int ix, R *out) {                    \
    return L##fold(h, 1, n, x, ix, x, ix, out, sizeof *out);                                       \
  }                                                                                                \
  API(cublas##u##asum_v2, handle_t *h, int n, const L##_t *x, int ix, R *out) {                    \
    return L##fold(h, 2, n, x, ix, x, ix, out, sizeof *out);                                       \
  }                                                                                                \
  static int L##extreme(handle_t *h, int least, int n, const L##_t *x, int ix, int *out) {         \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (!out) return INVALID_VALUE;                                                                \
    if (n < 0 || ix <= 0) n = 0;                                                                   \
    int *to = h->mode == DEVICE_SCALARS ? out : h->scalar;                                         \
    void *args[] = {&least, &n, &x, &ix, &to};                                                     \
    int s = status(kernel_launch("gmmu_" #L "extreme", 1, 1, 1, 256, 1, h->stream, args));         \
    return s ? s : result(h, out, sizeof *out);                                                    \
  }                                                                                                \
  API(cublasI##l##amax_v2, handle_t *h, int n, const L##_t *x, int ix, int *out) {                 \
    return L##extreme(h, 0, n, x, ix, out);                                                        \
  }                                                                                                \
  API(cublasI##l##amin_v2, handle_t *h, int n, const L##_t *x, int ix, int *out) {                 \
    return L##extreme(h, 1, n, x, ix, out);                                                        \
  }                                                                                                \
  API(cublas##U##gemv_v2, handle_t *h, int trans, int m, int n, const L##_t *alpha,                \
      const L##_t *a, int lda, const L##_t *x, int ix, const L##_t *beta, L##_t *y, int iy) {      \
    L##_t p, q;                                                                                    \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < m || !ix || !iy || trans < 0 || trans > 2) return INVALID_VALUE;   \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &p, sizeof p) || scalar(h, beta, &q, sizeof q)) return INVALID_VALUE;     \
    x = START(x, trans ? m : n, ix, const L##_t), y = START(y, trans ? n : m, iy, L##_t);          \
    void *args[] = {&trans, &m, &n, &p, &a, &lda, &x, &ix, &q, &y, &iy};                           \
    return status(kernel_launch("gmmu_" #L "gemv", blocks(trans ? n : m, 256), 1, 1, 256, 1,       \
                                h->stream, args));                                                 \
  }                                                                                                \
  static int L##ger(handle_t *h, int conj, int m, int n, const L##_t *alpha, const L##_t *x,       \
                    int ix, const L##_t *y, int iy, L##_t *a, int lda) {                           \
    L##_t p;                                                                                       \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < m || !ix || !iy || scalar(h, alpha, &p, sizeof p))                 \
      return INVALID_VALUE;                                                                        \
    if (!m || !n) return OK;                                                                       \
    x = START(x, m, ix, const L##_t), y = START(y, n, iy, const L##_t);                            \
    void *args[] = {&conj, &m, &n, &p, &x, &ix, &y, &iy, &a, &lda};                                \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "ger", blocks(m, 256), (unsigned)n, 1, 256, 1, h->stream, args)); \
  }                                                                                                \
  API(cublas##U##geru_v2, handle_t *h, int m, int n, const L##_t *alpha, const L##_t *x, int ix,   \
      const L##_t *y, int iy, L##_t *a, int lda) {                                                 \
    return L##ger(h, 0, m, n, alpha, x, ix, y, iy, a, lda);                                        \
  }                                                                                                \
  API(cublas##U##gerc_v2, handle_t *h, int m, int n, const L##_t *alpha, const L##_t *x, int ix,   \
      const L##_t *y, int iy, L##_t *a, int lda) {                                                 \
    return L##ger(h, 1, m, n, alpha, x, ix, y, iy, a, lda);                                        \
  }                                                                                                \
  API(cublas##U##geam, handle_t *h, int ta, int tb, int m, int n, const L##_t *alpha,              \
      const L##_t *a, int lda, const L##_t *beta, const L##_t *b, int ldb, L##_t *c, int ldc) {    \
    L##_t x, y;                                                                                    \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || ldc < m || ta < 0 || ta > 2 || tb < 0 || tb > 2) return INVALID_VALUE;   \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &x, sizeof x) || scalar(h, beta, &y, sizeof y)) return INVALID_VALUE;     \
    bool no_a = x.x == 0 && x.y == 0, no_b = y.x == 0 && y.y == 0;                                 \
    if ((!no_a && lda < (ta ? n : m)) || (!no_b && ldb < (tb ? n : m))) return INVALID_VALUE;      \
    void *args[] = {&ta, &tb, &m, &n, &x, &a, &lda, &y, &b, &ldb, &c, &ldc};                       \
    return status(kernel_launch("gmmu_" #L "geam", blocks(m, 16), blocks(n, 16), 1, 16, 16,        \
                                h->stream, args));                                                 \
  }
COMPLEX(c, C, float, c, Sc, s)
COMPLEX(z, Z, double, z, Dz, d)

/* ---- triangles and symmetric matrices -------------------------------------------------------- */

#define MORE(L, U, T)                                                                              \
  API(cublas##U##syrk_v2, handle_t *h, int upper, int trans, int n, int k, const T *alpha,         \
      const T *a, int lda, const T *beta, T *c, int ldc) {                                         \
    T x, y;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    trans = trans != 0;                                                                            \
    if (n < 0 || k < 0 || lda < (trans ? k : n) || ldc < n) return INVALID_VALUE;                  \
    if (!n) return OK;                                                                             \
    if (scalar(h, alpha, &x, sizeof x) || scalar(h, beta, &y, sizeof y)) return INVALID_VALUE;     \
    void *args[] = {&upper, &trans, &n, &k, &x, &a, &lda, &y, &c, &ldc};                           \
    return status(kernel_launch("gmmu_" #L "syrk", blocks(n, 16), blocks(n, 16), 1, 16, 16,        \
                                h->stream, args));                                                 \
  }                                                                                                \
  static int L##symm(handle_t *h, int right, int upper, int m, int n, const T *alpha, const T *a,  \
                     int lda, const T *b, int rb, int ldb, const T *beta, T *c, int rc, int ldc) { \
    T x, y;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < (right ? n : m)) return INVALID_VALUE;                             \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &x, sizeof x) || scalar(h, beta, &y, sizeof y)) return INVALID_VALUE;     \
    void *args[] = {&right, &upper, &m, &n, &x, &a, &lda, &b, &rb, &ldb, &y, &c, &rc, &ldc};       \
    return status(kernel_launch("gmmu_" #L "symm", blocks(m, 16), blocks(n, 16), 1, 16, 16,        \
                                h->stream, args));                                                 \
  }                                                                                                \
  API(cublas##U##symm_v2, handle_t *h, int right, int upper, int m, int n, const T *alpha,         \
      const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {                    \
    if (ldb < m || ldc < m) return INVALID_VALUE;                                                  \
    return L##symm(h, right, upper, m, n, alpha, a, lda, b, 1, ldb, beta, c, 1, ldc);              \
  }                                                                                                \
  API(cublas##U##symv_v2, handle_t *h, int upper, int n, const T *alpha, const T *a, int lda,      \
      const T *x, int ix, const T *beta, T *y, int iy) {                                           \
    if (!ix || !iy) return INVALID_VALUE;                                                          \
    x = START(x, n, ix, const T), y = START(y, n, iy, T);                                          \
    return L##symm(h, 0, upper, n, 1, alpha, a, lda, x, ix, 0, beta, y, iy, 0);                    \
  }                                                                                                \
  static int L##triangle(handle_t *h, int solve, int right, int upper, int trans, int unit, int m, \
                         int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c,    \
                         int ldc) {                                                                \
    T x;                                                                                           \
    int order = right ? n : m, sides = right ? m : n, lower = !upper;                              \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < order || ldb < m || ldc < m) return INVALID_VALUE;                 \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &x, sizeof x)) return INVALID_VALUE;                                      \
    trans = (trans != 0) != right; /* from the right: transposed once more */                      \
    if (trans) lower = !lower;                                                                     \
    long long bs = right ? ldb : 1, bn = right ? 1 : ldb, cs = right ? ldc : 1,                    \
              cn = right ? 1 : ldc;                                                                \
    void *args[] = {&solve, &lower, &trans, &unit, &order, &sides, &x, &a,                         \
                    &lda,   &b,     &bs,    &bn,   &c,     &cs,    &cn};                           \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "triangle", blocks(sides, 128), 1, 1, 128, 1, h->stream, args));  \
  }                                                                                                \
  API(cublas##U##trsm_v2, handle_t *h, int right, int upper, int trans, int unit, int m, int n,    \
      const T *alpha, const T *a, int lda, T *b, int ldb) {                                        \
    return L##triangle(h, 1, right, upper, trans, unit, m, n, alpha, a, lda, b, ldb, b, ldb);      \
  }                                                                                                \
  API(cublas##U##trmm_v2, handle_t *h, int right, int upper, int trans, int unit, int m, int n,    \
      const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc) {                   \
    return L##triangle(h, 0, right, upper, trans, unit, m, n, alpha, a, lda, b, ldb, c, ldc);      \
  }                                                                                                \
  API(cublas##U##trsv_v2, handle_t *h, int upper, int trans, int unit, int n, const T *a, int lda, \
      T *x, int ix) {                                                                              \
    T one = 1;                                                                                     \
    int solve = 1, lower = !upper, sides = 1;                                                      \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (n < 0 || lda < n || !ix) return INVALID_VALUE;                                             \
    if (!n) return OK;                                                                             \
    trans = trans != 0;                                                                            \
    if (trans) lower = !lower;                                                                     \
    x = START(x, n, ix, T);                                                                        \
    long long step = ix, side = 0;                                                                 \
    void *args[] = {&solve, &lower, &trans, &unit, &n, &sides, &one, &a,                           \
                    &lda,   &x,     &step,  &side, &x, &step,  &side};                             \
    return status(kernel_launch("gmmu_" #L "triangle", 1, 1, 1, 32, 1, h->stream, args));          \
  }                                                                                                \
  API(cublas##U##trmv_v2, handle_t *h, int upper, int trans, int unit, int n, const T *a, int lda, \
      T *x, int ix) {                                                                              \
    T one = 1;                                                                                     \
    int solve = 0, lower = !upper, sides = 1;                                                      \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (n < 0 || lda < n || !ix) return INVALID_VALUE;                                             \
    if (!n) return OK;                                                                             \
    trans = trans != 0;                                                                            \
    if (trans) lower = !lower;                                                                     \
    x = START(x, n, ix, T);                                                                        \
    long long step = ix, side = 0;                                                                 \
    void *args[] = {&solve, &lower, &trans, &unit, &n, &sides, &one, &a,                           \
                    &lda,   &x,     &step,  &side, &x, &step,  &side};                             \
    return status(kernel_launch("gmmu_" #L "triangle", 1, 1, 1, 32, 1, h->stream, args));          \
  }                                                                                                \
  static int L##syr(handle_t *h, int upper, int twice, int n, const T *alpha, const T *x, int ix,  \
                    const T *y, int iy, T *a, int lda) {                                           \
    T p;                                                                                           \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (n < 0 || lda < n || !ix || !iy || scalar(h, alpha, &p, sizeof p)) return INVALID_VALUE;    \
    if (!n) return OK;                                                                             \
    x = START(x, n, ix, const T), y = START(y, n, iy, const T);                                    \
    void *args[] = {&upper, &twice, &n, &p, &x, &ix, &y, &iy, &a, &lda};                           \
    return status(kernel_launch("gmmu_" #L "syr", blocks(n, 16), blocks(n, 16), 1, 16, 16,         \
                                h->stream, args));                                                 \
  }                                                                                                \
  API(cublas##U##syr_v2, handle_t *h, int upper, int n, const T *alpha, const T *x, int ix, T *a,  \
      int lda) {                                                                                   \
    return L##syr(h, upper, 0, n, alpha, x, ix, x, ix, a, lda);                                    \
  }                                                                                                \
  API(cublas##U##syr2_v2, handle_t *h, int upper, int n, const T *alpha, const T *x, int ix,       \
      const T *y, int iy, T *a, int lda) {                                                         \
    return L##syr(h, upper, 1, n, alpha, x, ix, y, iy, a, lda);                                    \
  }                                                                                                \
  API(cublas##U##getrfBatched, handle_t *h, int n, T *const *list, int lda, int *pivots,           \
      int *info, int batch) {                                                                      \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (n < 0 || lda < n || batch < 0 || !list || !info) return INVALID_VALUE;                     \
    if (!n || !batch) return OK;                                                                   \
    void *args[] = {&n, &list, &lda, &pivots, &info};                                              \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "factor", (unsigned)batch, 1, 1, 64, 1, h->stream, args));        \
  }                                                                                                \
  static int L##solve(handle_t *h, int trans, int identity, int n, int columns,                    \
                      const T *const *list, int lda, const int *pivots, T *const *to, int ldb,     \
                      int *info, int batch) {                                                      \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (n < 0 || columns < 0 || lda < n || ldb < n || batch < 0 || !list || !to)                   \
      return INVALID_VALUE;                                                                        \
    if (!n || !columns || !batch) return OK;                                                       \
    trans = trans != 0;                                                                            \
    void *args[] = {&trans, &identity, &n, &columns, &list, &lda, &pivots, &to, &ldb, &info};      \
    return status(                                                                                 \
        kernel_launch("gmmu_" #L "solve", (unsigned)batch, 1, 1, 64, 1, h->stream, args));         \
  }                                                                                                \
  API(cublas##U##getrsBatched, handle_t *h, int trans, int n, int columns, const T *const *list,   \
      int lda, const int *pivots, T *const *to, int ldb, int *info, int batch) {                   \
    int s = L##solve(h, trans, 0, n, columns, list, lda, pivots, to, ldb, NULL, batch);            \
    if (info) *info = 0; /* the host's; what is wrong with an argument is the status */            \
    return s;                                                                                      \
  }                                                                                                \
  API(cublas##U##getriBatched, handle_t *h, int n, const T *const *list, int lda,                  \
      const int *pivots, T *const *to, int ldb, int *info, int batch) {                            \
    return L##solve(h, 0, 1, n, n, list, lda, pivots, to, ldb, info, batch);                       \
  }                                                                                                \
  API(cublas##U##geam, handle_t *h, int ta, int tb, int m, int n, const T *alpha, const T *a,      \
      int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {                                \
    T x, y;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    ta = ta != 0, tb = tb != 0;                                                                    \
    if (m < 0 || n < 0 || ldc < m) return INVALID_VALUE;                                           \
    if (!m || !n) return OK;                                                                       \
    if (scalar(h, alpha, &x, sizeof x) || scalar(h, beta, &y, sizeof y)) return INVALID_VALUE;     \
    if ((x != 0 && lda < (ta ? n : m)) || (y != 0 && ldb < (tb ? n : m))) return INVALID_VALUE;    \
    void *args[] = {&ta, &tb, &m, &n, &x, &a, &lda, &y, &b, &ldb, &c, &ldc};                       \
    return status(kernel_launch("gmmu_" #L "geam", blocks(m, 16), blocks(n, 16), 1, 16, 16,        \
                                h->stream, args));                                                 \
  }                                                                                                \
  API(cublas##U##dgmm, handle_t *h, int right, int m, int n, const T *a, int lda, const T *x,      \
      int ix, T *c, int ldc) {                                                                     \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (m < 0 || n < 0 || lda < m || ldc < m) return INVALID_VALUE;                                \
    if (!m || !n) return OK;                                                                       \
    x = START(x, right ? n : m, ix, const T);                                                      \
    void *args[] = {&right, &m, &n, &a, &lda, &x, &ix, &c, &ldc};                                  \
    return status(kernel_launch("gmmu_" #L "dgmm", blocks(m, 16), blocks(n, 16), 1, 16, 16,        \
                                h->stream, args));                                                 \
  }                                                                                                \
  API(cublas##U##rot_v2, handle_t *h, int n, T *x, int ix, T *y, int iy, const T *cosine,          \
      const T *sine) {                                                                             \
    T c, s;                                                                                        \
    if (!h) return NOT_INITIALIZED;                                                                \
    if (scalar(h, cosine, &c, sizeof c) || scalar(h, sine, &s, sizeof s)) return INVALID_VALUE;    \
    if (n <= 0) return OK;                                                                         \
    x = START(x, n, ix, T), y = START(y, n, iy, T);                                                \
    void *args[] = {&n, &x, &ix, &y, &iy, &c, &s};                                                 \
    return status(kernel_launch("gmmu_" #L "rot", blocks(n, 256), 1, 1, 256, 1, h->stream, args)); \
  }
MORE(s, S, float)
MORE(d, D, double)

/* ---- what is not there: one sentence
 * ------------------------------------------------------------- */
#define ABSENT(name)                                                                               \
  API(name, void) {                                                                                \
    static int said;                                                                               \
    return not_there(&said, #name, NOT_SUPPORTED);                                                 \
  }
ABSENT(cublasSrotg_v2)
ABSENT(cublasDrotg_v2)
ABSENT(cublasSrotm_v2)
ABSENT(cublasDrotm_v2)
ABSENT(cublasSsyr2k_v2)
ABSENT(cublasDsyr2k_v2)
ABSENT(cublasSgbmv_v2)
ABSENT(cublasDgbmv_v2)
ABSENT(cublasStrsmBatched)
ABSENT(cublasDtrsmBatched)
ABSENT(cublasSmatinvBatched)
ABSENT(cublasDmatinvBatched)
ABSENT(cublasSgeqrfBatched)
ABSENT(cublasDgeqrfBatched)
ABSENT(cublasSgelsBatched)
ABSENT(cublasDgelsBatched)
ABSENT(cublasAxpyEx)
ABSENT(cublasDotEx)
ABSENT(cublasNrm2Ex)
ABSENT(cublasScalEx)
