#ifndef GMMU_CUDA_CUFFTXT_H
#define GMMU_CUDA_CUFFTXT_H
/* cuFFT's plans by types of the data. Not there: several GPUs, callbacks. */
#include "cufft.h"
#include "library_types.h"
#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle __plan, int __rank, long long int *__n,
                                long long int *__inembed, long long int __istride,
                                long long int __idist, cudaDataType __in, long long int *__onembed,
                                long long int __ostride, long long int __odist, cudaDataType __out,
                                long long int __batch, size_t *__bytes, cudaDataType __computed);
cufftResult cufftXtExec(cufftHandle __plan, void *__in, void *__out, int __direction);
#ifdef __cplusplus
}
#endif
#endif
