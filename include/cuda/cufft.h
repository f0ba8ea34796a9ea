#ifndef GMMU_CUDA_CUFFT_H
#define GMMU_CUDA_CUFFT_H
/* cuFFT, as far as our libcufft has it (link with -lcufft): one to three dimensions. */
#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "vector_types.h"
#define CUFFTAPI
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#ifdef __cplusplus
extern "C" {
#endif
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef enum {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_NOT_SUPPORTED = 16
} cufftResult;
typedef enum {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
} cufftType;
cufftResult cufftGetVersion(int *__version);
cufftResult cufftCreate(cufftHandle *__plan);
cufftResult cufftPlan1d(cufftHandle *__plan, int __n, cufftType __type, int __batch);
cufftResult cufftMakePlan1d(cufftHandle __plan, int __n, cufftType __type, int __batch,
                            size_t *__bytes);
cufftResult cufftPlanMany(cufftHandle *__plan, int __rank, int *__n, int *__inembed, int __istride,
                          int __idist, int *__onembed, int __ostride, int __odist, cufftType __type,
                          int __batch);
cufftResult cufftPlan2d(cufftHandle *__plan, int __rows, int __n, cufftType __type);
cufftResult cufftPlan3d(cufftHandle *__plan, int __planes, int __rows, int __n, cufftType __type);
cufftResult cufftMakePlan2d(cufftHandle __plan, int __rows, int __n, cufftType __type,
                            size_t *__bytes);
cufftResult cufftMakePlan3d(cufftHandle __plan, int __planes, int __rows, int __n, cufftType __type,
                            size_t *__bytes);
cufftResult cufftMakePlanMany(cufftHandle __plan, int __rank, int *__n, int *__inembed,
                              int __istride, int __idist, int *__onembed, int __ostride,
                              int __odist, cufftType __type, int __batch, size_t *__bytes);
cufftResult cufftMakePlanMany64(cufftHandle __plan, int __rank, long long int *__n,
                                long long int *__inembed, long long int __istride,
                                long long int __idist, long long int *__onembed,
                                long long int __ostride, long long int __odist, cufftType __type,
                                long long int __batch, size_t *__bytes);
cufftResult cufftGetSize(cufftHandle __plan, size_t *__bytes);
cufftResult cufftSetAutoAllocation(cufftHandle __plan, int __on);
cufftResult cufftSetWorkArea(cufftHandle __plan, void *__area);
cufftResult cufftSetStream(cufftHandle __plan, cudaStream_t __stream);
cufftResult cufftDestroy(cufftHandle __plan);
cufftResult cufftExecC2C(cufftHandle __plan, cufftComplex *__in, cufftComplex *__out,
                         int __direction);
cufftResult cufftExecZ2Z(cufftHandle __plan, cufftDoubleComplex *__in, cufftDoubleComplex *__out,
                         int __direction);
cufftResult cufftExecR2C(cufftHandle __plan, cufftReal *__in, cufftComplex *__out);
cufftResult cufftExecC2R(cufftHandle __plan, cufftComplex *__in, cufftReal *__out);
cufftResult cufftExecD2Z(cufftHandle __plan, cufftDoubleReal *__in, cufftDoubleComplex *__out);
cufftResult cufftExecZ2D(cufftHandle __plan, cufftDoubleComplex *__in, cufftDoubleReal *__out);
#ifdef __cplusplus
}
#endif
#endif
