#ifndef GMMU_CUDA_CUDA_H
#define GMMU_CUDA_CUDA_H
/* The driver API, as far as our libcuda.so.1 has it. */
#include <stddef.h>
#include <stdint.h>
#define CUDA_VERSION 12000
#define CUDA_CB
#define CUDAAPI
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUarray_st *CUarray;
typedef unsigned long long CUmemGenericAllocationHandle;
#ifndef GMMU_CUDA_UUID
#define GMMU_CUDA_UUID
struct CUuuid_st {
  char bytes[16];
};
#endif
typedef struct CUuuid_st CUuuid;
typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_FILE_NOT_FOUND = 301,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102
} CUdevice_attribute;
typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;
typedef enum CUfunc_cache_enum {
  CU_FUNC_CACHE_PREFER_NONE = 0,
  CU_FUNC_CACHE_PREFER_SHARED = 1,
  CU_FUNC_CACHE_PREFER_L1 = 2,
  CU_FUNC_CACHE_PREFER_EQUAL = 3
} CUfunc_cache;
typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET_FROM_CUCONTEXT = 8,
  CU_JIT_TARGET = 9,
  CU_JIT_FALLBACK_STRATEGY = 10,
  CU_JIT_GENERATE_DEBUG_INFO = 11,
  CU_JIT_LOG_VERBOSE = 12
} CUjit_option;
typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4
} CUjitInputType;
typedef enum CUmemorytype_enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef struct CUDA_MEMCPY2D_st {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } CUmemAllocationType;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } CUmemLocationType;
typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE = 0
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;
typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef void (*CUstreamCallback)(CUstream, CUresult, void *);
typedef void (*CUhostFn)(void *);
enum {
  CU_CTX_SCHED_AUTO = 0,
  CU_CTX_SCHED_SPIN = 1,
  CU_CTX_SCHED_YIELD = 2,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_MAP_HOST = 8
};
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2 };
#define CU_MEMHOSTALLOC_PORTABLE       1
#define CU_MEMHOSTALLOC_DEVICEMAP      2
#define CU_LAUNCH_PARAM_END            ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)
#define cuCtxCreate                    cuCtxCreate_v2
#define cuCtxDestroy                   cuCtxDestroy_v2
#define cuCtxPopCurrent                cuCtxPopCurrent_v2
#define cuCtxPushCurrent               cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease      cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset        cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags     cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem               cuDeviceTotalMem_v2
#define cuEventDestroy                 cuEventDestroy_v2
#define cuLinkAddData                  cuLinkAddData_v2
#define cuLinkAddFile                  cuLinkAddFile_v2
#define cuLinkCreate                   cuLinkCreate_v2
#define cuMemAlloc                     cuMemAlloc_v2
#define cuMemAllocHost                 cuMemAllocHost_v2
#define cuMemAllocPitch                cuMemAllocPitch_v2
#define cuMemFree                      cuMemFree_v2
#define cuMemGetInfo                   cuMemGetInfo_v2
#define cuMemHostGetDevicePointer      cuMemHostGetDevicePointer_v2
#define cuMemHostRegister              cuMemHostRegister_v2
#define cuMemcpy2D                     cuMemcpy2D_v2
#define cuMemcpy2DAsync                cuMemcpy2DAsync_v2
#define cuMemcpyDtoD                   cuMemcpyDtoD_v2
#define cuMemcpyDtoDAsync              cuMemcpyDtoDAsync_v2
#define cuMemcpyDtoH                   cuMemcpyDtoH_v2
#define cuMemcpyDtoHAsync              cuMemcpyDtoHAsync_v2
#define cuMemcpyHtoD                   cuMemcpyHtoD_v2
#define cuMemcpyHtoDAsync              cuMemcpyHtoDAsync_v2
#define cuMemsetD16                    cuMemsetD16_v2
#define cuMemsetD2D32                  cuMemsetD2D32_v2
#define cuMemsetD2D8                   cuMemsetD2D8_v2
#define cuMemsetD32                    cuMemsetD32_v2
#define cuMemsetD8                     cuMemsetD8_v2
#define cuModuleGetGlobal              cuModuleGetGlobal_v2
#define cuStreamDestroy                cuStreamDestroy_v2
CUresult cuInit(unsigned int __flags);
CUresult cuDriverGetVersion(int *__version);
CUresult cuGetErrorName(CUresult __error, const char **__name);
CUresult cuGetErrorString(CUresult __error, const char **__text);
CUresult cuDeviceGetCount(int *__count);
CUresult cuDeviceGet(CUdevice *__device, int __ordinal);
CUresult cuDeviceGetAttribute(int *__value, CUdevice_attribute __which, CUdevice __device);
CUresult cuDeviceGetName(char *__name, int __bytes, CUdevice __device);
CUresult cuDeviceGetUuid(CUuuid *__uuid, CUdevice __device);
CUresult cuDeviceComputeCapability(int *__major, int *__minor, CUdevice __device);
CUresult cuMemGetInfo(size_t *__free_bytes, size_t *__total);
CUresult cuDeviceTotalMem(size_t *__total, CUdevice __device);
CUresult cuCtxSetCurrent(CUcontext __context);
CUresult cuCtxGetCurrent(CUcontext *__context);
CUresult cuCtxPushCurrent(CUcontext __context);
CUresult cuCtxPopCurrent(CUcontext *__context);
CUresult cuCtxCreate(CUcontext *__context, unsigned int __flags, CUdevice __device);
CUresult cuCtxDestroy(CUcontext __context);
CUresult cuCtxSynchronize(void);
CUresult cuCtxGetDevice(CUdevice *__device);
CUresult cuCtxGetFlags(unsigned int *__flags);
CUresult cuCtxGetApiVersion(CUcontext __context, unsigned int *__version);
CUresult cuCtxGetLimit(size_t *__value, int __limit);
CUresult cuCtxSetLimit(int __limit, size_t __value);
CUresult cuCtxSetCacheConfig(CUfunc_cache __config);
CUresult cuCtxGetStreamPriorityRange(int *__least, int *__greatest);
CUresult cuDevicePrimaryCtxRetain(CUcontext *__context, CUdevice __device);
CUresult cuDevicePrimaryCtxRelease(CUdevice __device);
CUresult cuDevicePrimaryCtxReset(CUdevice __device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice __device, unsigned int __flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice __device, unsigned int *__flags, int *__active);
CUresult cuStreamCreate(CUstream *__stream, unsigned int __flags);
CUresult cuStreamCreateWithPriority(CUstream *__stream, unsigned int __flags, int __priority);
CUresult cuStreamDestroy(CUstream __stream);
CUresult cuStreamSynchronize(CUstream __stream);
CUresult cuStreamQuery(CUstream __stream);
CUresult cuStreamWaitEvent(CUstream __stream, CUevent __event, unsigned int __flags);
CUresult cuStreamGetFlags(CUstream __stream, unsigned int *__flags);
CUresult cuStreamGetPriority(CUstream __stream, int *__priority);
CUresult cuStreamGetCtx(CUstream __stream, CUcontext *__context);
CUresult cuStreamAddCallback(CUstream __stream, CUstreamCallback __callback, void *__data,
                             unsigned int __flags);
CUresult cuLaunchHostFunc(CUstream __stream, CUhostFn __function, void *__data);
CUresult cuEventCreate(CUevent *__event, unsigned int __flags);
CUresult cuEventDestroy(CUevent __event);
CUresult cuEventRecord(CUevent __event, CUstream __stream);
CUresult cuEventSynchronize(CUevent __event);
CUresult cuEventQuery(CUevent __event);
CUresult cuEventElapsedTime(float *__ms, CUevent __from, CUevent __to);
CUresult cuGetProcAddress(const char *__name, void **__function, int __version,
                          unsigned long long __flags);
CUresult cuMemAlloc(CUdeviceptr *__p, size_t __bytes);
CUresult cuMemAllocAsync(CUdeviceptr *__p, size_t __bytes, CUstream __stream);
CUresult cuMemAllocPitch(CUdeviceptr *__p, size_t *__pitch, size_t __width, size_t __height,
                         unsigned int __element);
CUresult cuMemAllocManaged(CUdeviceptr *__p, size_t __bytes, unsigned int __flags);
CUresult cuMemFree(CUdeviceptr __p);
CUresult cuMemFreeAsync(CUdeviceptr __p, CUstream __stream);
CUresult cuMemAllocHost(void **__p, size_t __bytes);
CUresult cuMemHostAlloc(void **__p, size_t __bytes, unsigned int __flags);
CUresult cuMemFreeHost(void *__p);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *__p, void *__host, unsigned int __flags);
CUresult cuMemHostRegister(void *__p, size_t __bytes, unsigned int __flags);
CUresult cuMemHostUnregister(void *__p);
CUresult cuMemcpyHtoD(CUdeviceptr __to, const void *__from, size_t __bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr __to, const void *__from, size_t __bytes, CUstream __stream);
CUresult cuMemcpyDtoH(void *__to, CUdeviceptr __from, size_t __bytes);
CUresult cuMemcpyDtoHAsync(void *__to, CUdeviceptr __from, size_t __bytes, CUstream __stream);
CUresult cuMemcpyDtoD(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes);
CUresult cuMemcpyDtoDAsync(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes, CUstream __stream);
CUresult cuMemcpy(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes);
CUresult cuMemcpyAsync(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes, CUstream __stream);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *__c);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *__c, CUstream __stream);
CUresult cuMemsetD8(CUdeviceptr __p, unsigned char __value, size_t __n);
CUresult cuMemsetD16(CUdeviceptr __p, unsigned short __value, size_t __n);
CUresult cuMemsetD32(CUdeviceptr __p, unsigned int __value, size_t __n);
CUresult cuMemsetD8Async(CUdeviceptr __p, unsigned char __value, size_t __n, CUstream __stream);
CUresult cuMemsetD16Async(CUdeviceptr __p, unsigned short __value, size_t __n, CUstream __stream);
CUresult cuMemsetD32Async(CUdeviceptr __p, unsigned int __value, size_t __n, CUstream __stream);
CUresult cuMemsetD2D8(CUdeviceptr __p, size_t __pitch, unsigned char __value, size_t __width,
                      size_t __rows);
CUresult cuMemsetD2D32(CUdeviceptr __p, size_t __pitch, unsigned int __value, size_t __width,
                       size_t __rows);
CUresult cuMemGetAllocationGranularity(size_t *__bytes, const CUmemAllocationProp *__prop,
                                       CUmemAllocationGranularity_flags __option);
CUresult cuMemAddressReserve(CUdeviceptr *__out, size_t __bytes, size_t __align, CUdeviceptr __hint,
                             unsigned long long __flags);
CUresult cuMemAddressFree(CUdeviceptr __va, size_t __bytes);
CUresult cuMemCreate(CUmemGenericAllocationHandle *__handle, size_t __bytes,
                     const CUmemAllocationProp *__prop, unsigned long long __flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle __handle);
CUresult cuMemMap(CUdeviceptr __va, size_t __bytes, size_t __offset,
                  CUmemGenericAllocationHandle __handle, unsigned long long __flags);
CUresult cuMemUnmap(CUdeviceptr __va, size_t __bytes);
CUresult cuMemSetAccess(CUdeviceptr __va, size_t __bytes, const CUmemAccessDesc *__access,
                        size_t __count);
CUresult cuMemGetAccess(unsigned long long *__flags, const CUmemLocation *__location,
                        CUdeviceptr __va);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *__handle, void *__p);
CUresult cuModuleUnload(CUmodule __m);
CUresult cuModuleLoadData(CUmodule *__out, const void *__image);
CUresult cuModuleLoadDataEx(CUmodule *__out, const void *__image, unsigned int __count,
                            CUjit_option *__options, void **__values);
CUresult cuModuleLoadFatBinary(CUmodule *__out, const void *__image);
CUresult cuModuleLoad(CUmodule *__out, const char *__path);
CUresult cuModuleGetFunction(CUfunction *__out, CUmodule __m, const char *__name);
CUresult cuModuleGetGlobal(CUdeviceptr *__va, size_t *__bytes, CUmodule __m, const char *__name);
CUresult cuLinkCreate(unsigned int __count, CUjit_option *__options, void **__values,
                      CUlinkState *__out);
CUresult cuLinkAddData(CUlinkState __l, CUjitInputType __type, void *__data, size_t __bytes,
                       const char *__name, unsigned int __count, CUjit_option *__options,
                       void **__values);
CUresult cuLinkAddFile(CUlinkState __l, CUjitInputType __type, const char *__path,
                       unsigned int __count, CUjit_option *__options, void **__values);
CUresult cuLinkComplete(CUlinkState __l, void **__image, size_t *__bytes);
CUresult cuLinkDestroy(CUlinkState __l);
CUresult cuLaunchKernel(CUfunction __f, unsigned int __gx, unsigned int __gy, unsigned int __gz,
                        unsigned int __bx, unsigned int __by, unsigned int __bz,
                        unsigned int __shared, CUstream __stream, void **__params, void **__extra);
CUresult cuLaunchCooperativeKernel(CUfunction __f, unsigned int __gx, unsigned int __gy,
                                   unsigned int __gz, unsigned int __bx, unsigned int __by,
                                   unsigned int __bz, unsigned int __shared, CUstream __stream,
                                   void **__params);
CUresult cuFuncGetAttribute(int *__value, CUfunction_attribute __which, CUfunction __f);
CUresult cuFuncSetAttribute(CUfunction __f, CUfunction_attribute __which, int __value);
CUresult cuFuncSetCacheConfig(CUfunction __f, CUfunc_cache __config);
CUresult cuFuncGetModule(CUmodule *__out, CUfunction __f);
CUresult cuFuncGetName(const char **__name, CUfunction __f);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, CUfunction __f, int __threads,
                                                     size_t __shared);
#ifdef __cplusplus
}
#endif
#endif
