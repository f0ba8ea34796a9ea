#ifndef GMMU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define GMMU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
/* Kernels that launch kernels are not there: whoever tries gets no buffer, and an error. Libraries
 * name these functions in code that they choose only where kernels can launch. */
#if defined __CUDA__
static inline __host__ __device__ void *cudaGetParameterBuffer(size_t, size_t) { return 0; }
static inline __host__ __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3,
                                                               unsigned int, cudaStream_t) {
  return cudaErrorNotSupported;
}
#endif
#endif
