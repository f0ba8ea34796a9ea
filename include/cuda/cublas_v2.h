#ifndef GMMU_CUDA_CUBLAS_V2_H
#define GMMU_CUDA_CUBLAS_V2_H
/* cuBLAS, as far as our libcublas has it (link with -lcublas). */
#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_fp16.h"
#endif
#define CUBLASAPI
#define CUBLAS_VERSION 120000
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cublasContext *cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
#define cublasSsyrk          cublasSsyrk_v2
#define cublasDsyrk          cublasDsyrk_v2
#define cublasSsymm          cublasSsymm_v2
#define cublasDsymm          cublasDsymm_v2
#define cublasSsymv          cublasSsymv_v2
#define cublasDsymv          cublasDsymv_v2
#define cublasStrsm          cublasStrsm_v2
#define cublasDtrsm          cublasDtrsm_v2
#define cublasStrmm          cublasStrmm_v2
#define cublasDtrmm          cublasDtrmm_v2
#define cublasStrsv          cublasStrsv_v2
#define cublasDtrsv          cublasDtrsv_v2
#define cublasSrot           cublasSrot_v2
#define cublasDrot           cublasDrot_v2
#define cublasCgemm          cublasCgemm_v2
#define cublasZgemm          cublasZgemm_v2
#define cublasCreate         cublasCreate_v2
#define cublasDestroy        cublasDestroy_v2
#define cublasGetVersion     cublasGetVersion_v2
#define cublasSetStream      cublasSetStream_v2
#define cublasGetStream      cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSgemm          cublasSgemm_v2
#define cublasSgemv          cublasSgemv_v2
#define cublasSger           cublasSger_v2
#define cublasSaxpy          cublasSaxpy_v2
#define cublasSscal          cublasSscal_v2
#define cublasScopy          cublasScopy_v2
#define cublasSswap          cublasSswap_v2
#define cublasSdot           cublasSdot_v2
#define cublasSnrm2          cublasSnrm2_v2
#define cublasSasum          cublasSasum_v2
#define cublasDgemm          cublasDgemm_v2
#define cublasDgemv          cublasDgemv_v2
#define cublasDger           cublasDger_v2
#define cublasDaxpy          cublasDaxpy_v2
#define cublasDscal          cublasDscal_v2
#define cublasDcopy          cublasDcopy_v2
#define cublasDswap          cublasDswap_v2
#define cublasDdot           cublasDdot_v2
#define cublasDnrm2          cublasDnrm2_v2
#define cublasDasum          cublasDasum_v2
#define cublasIsamax         cublasIsamax_v2
#define cublasIsamin         cublasIsamin_v2
#define cublasIdamax         cublasIdamax_v2
#define cublasIdamin         cublasIdamin_v2
#define cublasCaxpy          cublasCaxpy_v2
#define cublasCscal          cublasCscal_v2
#define cublasCcopy          cublasCcopy_v2
#define cublasCswap          cublasCswap_v2
#define cublasCdotu          cublasCdotu_v2
#define cublasCdotc          cublasCdotc_v2
#define cublasCgemv          cublasCgemv_v2
#define cublasCgeru          cublasCgeru_v2
#define cublasCgerc          cublasCgerc_v2
#define cublasZaxpy          cublasZaxpy_v2
#define cublasZscal          cublasZscal_v2
#define cublasZcopy          cublasZcopy_v2
#define cublasZswap          cublasZswap_v2
#define cublasZdotu          cublasZdotu_v2
#define cublasZdotc          cublasZdotc_v2
#define cublasZgemv          cublasZgemv_v2
#define cublasZgeru          cublasZgeru_v2
#define cublasZgerc          cublasZgerc_v2
#define cublasCsscal         cublasCsscal_v2
#define cublasZdscal         cublasZdscal_v2
#define cublasScnrm2         cublasScnrm2_v2
#define cublasDznrm2         cublasDznrm2_v2
#define cublasScasum         cublasScasum_v2
#define cublasDzasum         cublasDzasum_v2
#define cublasIcamax         cublasIcamax_v2
#define cublasIcamin         cublasIcamin_v2
#define cublasIzamax         cublasIzamax_v2
#define cublasIzamin         cublasIzamin_v2
#define cublasStrmv          cublasStrmv_v2
#define cublasSsyr           cublasSsyr_v2
#define cublasSsyr2          cublasSsyr2_v2
#define cublasDtrmv          cublasDtrmv_v2
#define cublasDsyr           cublasDsyr_v2
#define cublasDsyr2          cublasDsyr2_v2
cublasStatus_t cublasCreate(cublasHandle_t *__h);
cublasStatus_t cublasDestroy(cublasHandle_t __h);
cublasStatus_t cublasGetVersion(cublasHandle_t __h, int *__version);
cublasStatus_t cublasSetStream(cublasHandle_t __h, cudaStream_t __stream);
cublasStatus_t cublasGetStream(cublasHandle_t __h, cudaStream_t *__stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t __h, cublasPointerMode_t __mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t __h, cublasPointerMode_t *__mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t __h, cublasMath_t __mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t __h, cublasMath_t *__mode);
const char *cublasGetStatusString(cublasStatus_t __status);
const char *cublasGetStatusName(cublasStatus_t __status);
cublasStatus_t cublasSetVector(int __n, int __bytes, const void *__x, int __ix, void *__y,
                               int __iy);
cublasStatus_t cublasGetVector(int __n, int __bytes, const void *__x, int __ix, void *__y,
                               int __iy);
cublasStatus_t cublasSetMatrix(int __rows, int __cols, int __bytes, const void *__a, int __lda,
                               void *__b, int __ldb);
cublasStatus_t cublasGetMatrix(int __rows, int __cols, int __bytes, const void *__a, int __lda,
                               void *__b, int __ldb);
#define GMMU_BLAS(__u, __l, __t)                                                                   \
  cublasStatus_t cublas##__u##gemm_v2(                                                             \
      cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb, int __m, int __n,        \
      int __k, const __t *__alpha, const __t *__a, int __lda, const __t *__b, int __ldb,           \
      const __t *__beta, __t *__c, int __ldc);                                                     \
  cublasStatus_t cublas##__u##gemmStridedBatched(                                                  \
      cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb, int __m, int __n,        \
      int __k, const __t *__alpha, const __t *__a, int __lda, long long __sa, const __t *__b,      \
      int __ldb, long long __sb, const __t *__beta, __t *__c, int __ldc, long long __sc,           \
      int __batch);                                                                                \
  cublasStatus_t cublas##__u##gemv_v2(                                                             \
      cublasHandle_t __h, cublasOperation_t __ta, int __m, int __n, const __t *__alpha,            \
      const __t *__a, int __lda, const __t *__x, int __ix, const __t *__beta, __t *__y, int __iy); \
  cublasStatus_t cublas##__u##ger_v2(cublasHandle_t __h, int __m, int __n, const __t *__alpha,     \
                                     const __t *__x, int __ix, const __t *__y, int __iy, __t *__a, \
                                     int __lda);                                                   \
  cublasStatus_t cublas##__u##axpy_v2(cublasHandle_t __h, int __n, const __t *__alpha,             \
                                      const __t *__x, int __ix, __t *__y, int __iy);               \
  cublasStatus_t cublas##__u##scal_v2(cublasHandle_t __h, int __n, const __t *__alpha, __t *__x,   \
                                      int __ix);                                                   \
  cublasStatus_t cublas##__u##copy_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,       \
                                      __t *__y, int __iy);                                         \
  cublasStatus_t cublas##__u##swap_v2(cublasHandle_t __h, int __n, __t *__x, int __ix, __t *__y,   \
                                      int __iy);                                                   \
  cublasStatus_t cublas##__u##dot_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,        \
                                     const __t *__y, int __iy, __t *__out);                        \
  cublasStatus_t cublas##__u##nrm2_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,       \
                                      __t *__out);                                                 \
  cublasStatus_t cublas##__u##asum_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,       \
                                      __t *__out);                                                 \
  cublasStatus_t cublasI##__l##amax_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,      \
                                       int *__out);                                                \
  cublasStatus_t cublasI##__l##amin_v2(cublasHandle_t __h, int __n, const __t *__x, int __ix,      \
                                       int *__out);
GMMU_BLAS(S, s, float)
GMMU_BLAS(D, d, double)
#undef GMMU_BLAS
cublasStatus_t cublasSetVectorAsync(int __n, int __bytes, const void *__x, int __ix, void *__y,
                                    int __iy, cudaStream_t __stream);
cublasStatus_t cublasGetVectorAsync(int __n, int __bytes, const void *__x, int __ix, void *__y,
                                    int __iy, cudaStream_t __stream);
cublasStatus_t cublasSetMatrixAsync(int __rows, int __cols, int __bytes, const void *__a, int __lda,
                                    void *__b, int __ldb, cudaStream_t __stream);
cublasStatus_t cublasGetMatrixAsync(int __rows, int __cols, int __bytes, const void *__a, int __lda,
                                    void *__b, int __ldb, cudaStream_t __stream);
cublasStatus_t cublasGemmEx(cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb,
                            int __m, int __n, int __k, const void *__alpha, const void *__a,
                            cudaDataType __at, int __lda, const void *__b, cudaDataType __bt,
                            int __ldb, const void *__beta, void *__c, cudaDataType __ct, int __ldc,
                            cublasComputeType_t __compute, cublasGemmAlgo_t __algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t __h, cublasOperation_t __ta,
                                   cublasOperation_t __tb, int __m, int __n, int __k,
                                   const void *__alpha, const void *const *__a, cudaDataType __at,
                                   int __lda, const void *const *__b, cudaDataType __bt, int __ldb,
                                   const void *__beta, void *const *__c, cudaDataType __ct,
                                   int __ldc, int __batch, cublasComputeType_t __compute,
                                   cublasGemmAlgo_t __algorithm);
cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb,
                           int __m, int __n, int __k, const void *__alpha, const void *__a,
                           cudaDataType __at, int __lda, long long __sa, const void *__b,
                           cudaDataType __bt, int __ldb, long long __sb, const void *__beta,
                           void *__c, cudaDataType __ct, int __ldc, long long __sc, int __batch,
                           cublasComputeType_t __compute, cublasGemmAlgo_t __algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb,
                             int __m, int __n, int __k, const float *__alpha, const void *__a,
                             cudaDataType __at, int __lda, const void *__b, cudaDataType __bt,
                             int __ldb, const float *__beta, void *__c, cudaDataType __ct,
                             int __ldc);
#define GMMU_PRODUCTS(__single, __u, __t)                                                          \
  cublasStatus_t __single(cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb,      \
                          int __m, int __n, int __k, const __t *__alpha, const __t *__a,           \
                          int __lda, const __t *__b, int __ldb, const __t *__beta, __t *__c,       \
                          int __ldc);                                                              \
  cublasStatus_t cublas##__u##gemmStridedBatched(                                                  \
      cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb, int __m, int __n,        \
      int __k, const __t *__alpha, const __t *__a, int __lda, long long __sa, const __t *__b,      \
      int __ldb, long long __sb, const __t *__beta, __t *__c, int __ldc, long long __sc,           \
      int __batch);
#define GMMU_LISTED(__u, __t)                                                                      \
  cublasStatus_t cublas##__u##gemmBatched(                                                         \
      cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb, int __m, int __n,        \
      int __k, const __t *__alpha, const __t *const *__a, int __lda, const __t *const *__b,        \
      int __ldb, const __t *__beta, __t *const *__c, int __ldc, int __batch);
GMMU_PRODUCTS(cublasCgemm_v2, C, cuComplex)
GMMU_PRODUCTS(cublasZgemm_v2, Z, cuDoubleComplex)
GMMU_LISTED(S, float)
GMMU_LISTED(D, double)
GMMU_LISTED(C, cuComplex)
GMMU_LISTED(Z, cuDoubleComplex)
#ifdef __cplusplus
GMMU_PRODUCTS(cublasHgemm, H, __half)
GMMU_LISTED(H, __half)
#endif
#undef GMMU_PRODUCTS
#undef GMMU_LISTED
#define GMMU_MORE(__u, __t)                                                                        \
  cublasStatus_t cublas##__u##syrk_v2(                                                             \
      cublasHandle_t __h, cublasFillMode_t __fill, cublasOperation_t __trans, int __n, int __k,    \
      const __t *__alpha, const __t *__a, int __lda, const __t *__beta, __t *__c, int __ldc);      \
  cublasStatus_t cublas##__u##symm_v2(                                                             \
      cublasHandle_t __h, cublasSideMode_t __side, cublasFillMode_t __fill, int __m, int __n,      \
      const __t *__alpha, const __t *__a, int __lda, const __t *__b, int __ldb, const __t *__beta, \
      __t *__c, int __ldc);                                                                        \
  cublasStatus_t cublas##__u##symv_v2(                                                             \
      cublasHandle_t __h, cublasFillMode_t __fill, int __n, const __t *__alpha, const __t *__a,    \
      int __lda, const __t *__x, int __ix, const __t *__beta, __t *__y, int __iy);                 \
  cublasStatus_t cublas##__u##trsm_v2(                                                             \
      cublasHandle_t __h, cublasSideMode_t __side, cublasFillMode_t __fill,                        \
      cublasOperation_t __trans, cublasDiagType_t __diag, int __m, int __n, const __t *__alpha,    \
      const __t *__a, int __lda, __t *__b, int __ldb);                                             \
  cublasStatus_t cublas##__u##trmm_v2(                                                             \
      cublasHandle_t __h, cublasSideMode_t __side, cublasFillMode_t __fill,                        \
      cublasOperation_t __trans, cublasDiagType_t __diag, int __m, int __n, const __t *__alpha,    \
      const __t *__a, int __lda, const __t *__b, int __ldb, __t *__c, int __ldc);                  \
  cublasStatus_t cublas##__u##trsv_v2(cublasHandle_t __h, cublasFillMode_t __fill,                 \
                                      cublasOperation_t __trans, cublasDiagType_t __diag, int __n, \
                                      const __t *__a, int __lda, __t *__x, int __ix);              \
  cublasStatus_t cublas##__u##geam(cublasHandle_t __h, cublasOperation_t __ta,                     \
                                   cublasOperation_t __tb, int __m, int __n, const __t *__alpha,   \
                                   const __t *__a, int __lda, const __t *__beta, const __t *__b,   \
                                   int __ldb, __t *__c, int __ldc);                                \
  cublasStatus_t cublas##__u##dgmm(cublasHandle_t __h, cublasSideMode_t __side, int __m, int __n,  \
                                   const __t *__a, int __lda, const __t *__x, int __ix, __t *__c,  \
                                   int __ldc);                                                     \
  cublasStatus_t cublas##__u##rot_v2(cublasHandle_t __h, int __n, __t *__x, int __ix, __t *__y,    \
                                     int __iy, const __t *__cos, const __t *__sin);                \
  cublasStatus_t cublas##__u##trmv_v2(cublasHandle_t __h, cublasFillMode_t __fill,                 \
                                      cublasOperation_t __trans, cublasDiagType_t __diag, int __n, \
                                      const __t *__a, int __lda, __t *__x, int __ix);              \
  cublasStatus_t cublas##__u##syr_v2(cublasHandle_t __h, cublasFillMode_t __fill, int __n,         \
                                     const __t *__alpha, const __t *__x, int __ix, __t *__a,       \
                                     int __lda);                                                   \
  cublasStatus_t cublas##__u##syr2_v2(cublasHandle_t __h, cublasFillMode_t __fill, int __n,        \
                                      const __t *__alpha, const __t *__x, int __ix,                \
                                      const __t *__y, int __iy, __t *__a, int __lda);              \
  cublasStatus_t cublas##__u##getrfBatched(cublasHandle_t __h, int __n, __t *const *__a,           \
                                           int __lda, int *__pivots, int *__info, int __batch);    \
  cublasStatus_t cublas##__u##getrsBatched(cublasHandle_t __h, cublasOperation_t __trans, int __n, \
                                           int __columns, const __t *const *__a, int __lda,        \
                                           const int *__pivots, __t *const *__b, int __ldb,        \
                                           int *__info, int __batch);                              \
  cublasStatus_t cublas##__u##getriBatched(cublasHandle_t __h, int __n, const __t *const *__a,     \
                                           int __lda, const int *__pivots, __t *const *__c,        \
                                           int __ldc, int *__info, int __batch);
GMMU_MORE(S, float)
GMMU_MORE(D, double)
#undef GMMU_MORE
#define GMMU_COMPLEX(__u, __l, __n, __s, __t, __r)                                                 \
  cublasStatus_t cublas##__u##axpy_v2(cublasHandle_t __h, int __count, const __t *__alpha,         \
                                      const __t *__x, int __ix, __t *__y, int __iy);               \
  cublasStatus_t cublas##__u##scal_v2(cublasHandle_t __h, int __count, const __t *__alpha,         \
                                      __t *__x, int __ix);                                         \
  cublasStatus_t cublas##__u##__s##scal_v2(cublasHandle_t __h, int __count, const __r *__alpha,    \
                                           __t *__x, int __ix);                                    \
  cublasStatus_t cublas##__u##copy_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,   \
                                      __t *__y, int __iy);                                         \
  cublasStatus_t cublas##__u##swap_v2(cublasHandle_t __h, int __count, __t *__x, int __ix,         \
                                      __t *__y, int __iy);                                         \
  cublasStatus_t cublas##__u##dotu_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,   \
                                      const __t *__y, int __iy, __t *__out);                       \
  cublasStatus_t cublas##__u##dotc_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,   \
                                      const __t *__y, int __iy, __t *__out);                       \
  cublasStatus_t cublas##__n##nrm2_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,   \
                                      __r *__out);                                                 \
  cublasStatus_t cublas##__n##asum_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,   \
                                      __r *__out);                                                 \
  cublasStatus_t cublasI##__l##amax_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,  \
                                       int *__out);                                                \
  cublasStatus_t cublasI##__l##amin_v2(cublasHandle_t __h, int __count, const __t *__x, int __ix,  \
                                       int *__out);                                                \
  cublasStatus_t cublas##__u##gemv_v2(                                                             \
      cublasHandle_t __h, cublasOperation_t __ta, int __rows, int __columns, const __t *__alpha,   \
      const __t *__a, int __lda, const __t *__x, int __ix, const __t *__beta, __t *__y, int __iy); \
  cublasStatus_t cublas##__u##geru_v2(cublasHandle_t __h, int __rows, int __columns,               \
                                      const __t *__alpha, const __t *__x, int __ix,                \
                                      const __t *__y, int __iy, __t *__a, int __lda);              \
  cublasStatus_t cublas##__u##gerc_v2(cublasHandle_t __h, int __rows, int __columns,               \
                                      const __t *__alpha, const __t *__x, int __ix,                \
                                      const __t *__y, int __iy, __t *__a, int __lda);              \
  cublasStatus_t cublas##__u##geam(                                                                \
      cublasHandle_t __h, cublasOperation_t __ta, cublasOperation_t __tb, int __rows,              \
      int __columns, const __t *__alpha, const __t *__a, int __lda, const __t *__beta,             \
      const __t *__b, int __ldb, __t *__c, int __ldc);
GMMU_COMPLEX(C, c, Sc, s, cuComplex, float)
GMMU_COMPLEX(Z, z, Dz, d, cuDoubleComplex, double)
#undef GMMU_COMPLEX
#ifdef __cplusplus
}
#endif
#endif
