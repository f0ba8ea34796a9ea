#ifndef GMMU_CUDA_CUDA_H
#define GMMU_CUDA_CUDA_H
/* The driver API, as far as programs of the runtime API use it. */
#include <stddef.h>
#define CUDA_VERSION 12000
#define CUDA_CB
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
#define cuMemGetInfo cuMemGetInfo_v2
CUresult cuInit(unsigned int flags);
CUresult cuDeviceGet(CUdevice *device, int number);
CUresult cuDeviceGetCount(int *count);
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
#ifdef __cplusplus
}
#endif
#endif
