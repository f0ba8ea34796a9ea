#ifndef GMMU_TESTS_CUDART_API_H
#define GMMU_TESTS_CUDART_API_H
/* The entry points the tests call, as a compiler of CUDA programs would. */
#include "cudart/abi.h"

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
void __cudaRegisterTexture(void **, const cuda_texref_t *, const void **, const char *, int, int,
                           int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3_t, dim3_t, size_t, cuda_stream_t);
int __cudaPopCallConfiguration(dim3_t *, dim3_t *, size_t *, cuda_stream_t *);
int __cudaGetKernel(void **, const void *);
int __cudaLaunchKernel(void *, dim3_t, dim3_t, void **, size_t, cuda_stream_t);
int cudaLaunchKernel(const void *, dim3_t, dim3_t, void **, size_t, cuda_stream_t);
int cudaLaunchKernelExC(const cuda_launch_config_t *, const void *, void **);
int cudaLaunchCooperativeKernel(const void *, dim3_t, dim3_t, void **, size_t, cuda_stream_t);
int cudaConfigureCall(dim3_t, dim3_t, size_t, cuda_stream_t);
int cudaSetupArgument(const void *, size_t, size_t);
int cudaLaunch(const void *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocHost(void **, size_t);
int cudaFreeHost(void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostUnregister(void *);
int cudaGmmuColours(unsigned *, unsigned long long *);
int cudaGmmuSetColours(unsigned long long);
int cudaMemGetInfo(size_t *, size_t *);
int cudaPointerGetAttributes(cuda_pointer_t *, const void *);
int cudaMemPrefetchAsync(const void *, size_t, cuda_location_t, unsigned, cuda_stream_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemset(void *, int, size_t);
int cudaMemset2D(void *, size_t, int, size_t, size_t);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy3D(const cuda_copy3d_t *);
int cudaMallocArray(cuda_array_t *, const cuda_channel_t *, size_t, size_t, unsigned);
int cudaFreeArray(cuda_array_t);
int cudaMemcpyToArray(cuda_array_t, size_t, size_t, const void *, size_t, int);
int cudaMemcpyFromArray(void *, cuda_array_t, size_t, size_t, size_t, int);
int cudaMemcpy2DToArray(cuda_array_t, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, cuda_array_t, size_t, size_t, size_t, size_t, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaStreamCreate(cuda_stream_t *);
int cudaStreamDestroy(cuda_stream_t);
int cudaStreamSynchronize(cuda_stream_t);
int cudaStreamAddCallback(cuda_stream_t, void (*)(cuda_stream_t, int, void *), void *, unsigned);
int cudaEventCreate(cuda_event_t *);
int cudaStreamWaitEvent(cuda_stream_t, cuda_event_t, unsigned);
int cudaEventDestroy(cuda_event_t);
int cudaEventRecord(cuda_event_t, cuda_stream_t);
int cudaEventElapsedTime(float *, cuda_event_t, cuda_event_t);
int cudaCreateTextureObject(unsigned long long *, const cuda_resource_t *, const cuda_texture_t *,
                            const void *);
int cudaDestroyTextureObject(unsigned long long);
int cudaBindTexture(size_t *, const cuda_texref_t *, const void *, const cuda_channel_t *, size_t);
cuda_channel_t cudaCreateChannelDesc(int, int, int, int, int);
int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaGetDeviceProperties(cuda_prop13_t *, int);
int cudaGetDeviceProperties_v2(cuda_prop12_t *, int);
int cudaDeviceGetAttribute(int *, int, int);
int cudaDeviceSynchronize(void);
int cudaStreamCreateWithFlags(cuda_stream_t *out, unsigned flags);
int cudaDeviceReset(void);
int cudaDriverGetVersion(int *);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int);
const char *cudaGetErrorString(int);
int cudaFuncGetAttributes(cuda_function_t *, const void *);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaFreeMipmappedArray(void *);
#endif
