/* libcublas: the calls that programs use most, as kernels of ours, in single and double precision.
 * Level 1: axpy, scal, copy, swap, dot, nrm2, asum, amax, amin. Level 2: gemv, ger. Level 3: gemm,
 * and batches of it at a stride. Tensor-core modes change nothing: products are in full precision.
 */
#include "cudart/blas/kernels.h"
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

/* ---- what is not there: one sentence
 * ------------------------------------------------------------- */
#define ABSENT(name)                                                                               \
  API(name, void) {                                                                                \
    static int said;                                                                               \
    return not_there(&said, #name, NOT_SUPPORTED);                                                 \
  }
ABSENT(cublasGemmEx)
ABSENT(cublasGemmBatchedEx)
ABSENT(cublasGemmStridedBatchedEx)
ABSENT(cublasHgemm)
ABSENT(cublasCgemm_v2)
ABSENT(cublasZgemm_v2)
ABSENT(cublasSgemmBatched)
ABSENT(cublasDgemmBatched)
ABSENT(cublasSgemmEx)
ABSENT(cublasSsyrk_v2)
ABSENT(cublasDsyrk_v2)
ABSENT(cublasSsymm_v2)
ABSENT(cublasDsymm_v2)
ABSENT(cublasStrsm_v2)
ABSENT(cublasDtrsm_v2)
ABSENT(cublasStrmm_v2)
ABSENT(cublasDtrmm_v2)
ABSENT(cublasSgeam)
ABSENT(cublasDgeam)
ABSENT(cublasSdgmm)
ABSENT(cublasDdgmm)
ABSENT(cublasSsymv_v2)
ABSENT(cublasDsymv_v2)
ABSENT(cublasStrsv_v2)
ABSENT(cublasDtrsv_v2)
ABSENT(cublasSrot_v2)
ABSENT(cublasDrot_v2)
