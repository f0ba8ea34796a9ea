#ifndef GMMU_CUDA_CUDA_RUNTIME_API_H
#define GMMU_CUDA_CUDA_RUNTIME_API_H
/* The functions of libcudart that ours has, or answers with cudaErrorNotSupported. For C and C++.
 */
#include "driver_types.h"
#define __CUDA_RUNTIME_API_H__
#define CUDART_VERSION 12000
#ifdef __cplusplus
#define GMMU_DEFAULT(value) = value
extern "C" {
#else
#define GMMU_DEFAULT(value)
#endif
/* In CUDA 12 the structure grew, and the function's name with it. */
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
/* CUB calls it by this name where it is compiled by CUDA 11.6 or later. */
#define __cudaDeviceSynchronizeDeprecationAvoidance cudaDeviceSynchronize

/* devices */
cudaError_t cudaGetDeviceCount(int *__count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaSetValidDevices(int *__devices, int __count);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *__wanted);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *__prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr __attr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit __limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit __limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache __config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *__config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig __config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *__config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *__least, int *__greatest);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr __attr, int __from,
                                      int __to);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *desc,
                                                 int device);
cudaError_t cudaInitDevice(int device, unsigned int __device_flags, unsigned int flags);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceCanAccessPeer(int *__can, int device, int __peer);
cudaError_t cudaDeviceEnablePeerAccess(int __peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int __peer);
cudaError_t cudaDeviceGetPCIBusId(char *__id, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *__id);
cudaError_t cudaDriverGetVersion(int *__version);
cudaError_t cudaRuntimeGetVersion(int *__version);
cudaError_t cudaGetDriverEntryPoint(const char *__name, void **__function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *__found);
cudaError_t cudaGetDriverEntryPointByVersion(const char *__name, void **__function,
                                             unsigned int __version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *__found);
/* refused: a device belongs to one process here */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *__handle, void *__p);
cudaError_t cudaIpcOpenMemHandle(void **__p, cudaIpcMemHandle_t __handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *__p);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *__handle, cudaEvent_t __event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *__event, cudaIpcEventHandle_t __handle);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit __limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit __limit);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache __config);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *__config);

/* errors */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

/* memory */
cudaError_t cudaMalloc(void **__p, size_t bytes);
cudaError_t cudaMallocHost(void **__p, size_t bytes);
cudaError_t cudaMallocManaged(void **__p, size_t bytes, unsigned int flags);
cudaError_t cudaMallocPitch(void **__p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *__p, struct cudaExtent extent);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height GMMU_DEFAULT(0),
                            unsigned int flags GMMU_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags GMMU_DEFAULT(0));
cudaError_t cudaMallocAsync(void **__p, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **__p, size_t bytes, cudaMemPool_t __pool,
                                    cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *__pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *__pool, int device);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t __pool, size_t bytes);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *__pool, const struct cudaMemPoolProps *__props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t __pool);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t __pool);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t __pool, const struct cudaMemAccessDesc *__list,
                                 size_t __count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t __pool,
                                 struct cudaMemLocation *__location);
cudaError_t cudaFree(void *__p);
cudaError_t cudaFreeAsync(void *__p, cudaStream_t stream);
cudaError_t cudaFreeHost(void *__p);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaHostAlloc(void **__p, size_t bytes, unsigned int flags);
cudaError_t cudaHostRegister(void *__p, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *__p);
cudaError_t cudaHostGetDevicePointer(void **device, void *__host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *__host);
cudaError_t cudaMemGetInfo(size_t *__free_bytes, size_t *__total_bytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *__attributes, const void *__p);
cudaError_t cudaMemPrefetchAsync(const void *__p, size_t bytes, int device,
                                 cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *__p, size_t bytes, enum cudaMemoryAdvise __advice,
                          int device);
cudaError_t cudaMemPrefetchAsync_v2(const void *__p, size_t bytes, struct cudaMemLocation __where,
                                    unsigned int flags, cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemAdvise_v2(const void *__p, size_t bytes, enum cudaMemoryAdvise __advice,
                             struct cudaMemLocation __where);
cudaError_t cudaMemRangeGetAttribute(void *__data, size_t size, enum cudaMemRangeAttribute __attr,
                                     const void *__p, size_t bytes);
cudaError_t cudaMemRangeGetAttributes(void **__data, size_t *__sizes,
                                      enum cudaMemRangeAttribute *__attrs, size_t __count,
                                      const void *__p, size_t bytes);

/* copies */
cudaError_t cudaMemcpy(void *__to, const void *__from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *__to, const void *__from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *__to, int __to_device, const void *__from, int __from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *__to, int __to_device, const void *__from, int __from_device,
                                size_t bytes, cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *__to, size_t __to_pitch, const void *__from, size_t __from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *__to, size_t __to_pitch, const void *__from,
                              size_t __from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *__p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__p,
                              cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyToArray(cudaArray_t __to, size_t x, size_t y, const void *__from,
                              size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *__to, cudaArray_const_t __from, size_t x, size_t y,
                                size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t __to, size_t x, size_t y, const void *__from,
                                size_t __from_pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t __to, size_t x, size_t y, const void *__from,
                                     size_t __from_pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArray(void *__to, size_t __to_pitch, cudaArray_const_t __from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t __to, size_t x, size_t y, const void *__from,
                                   size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyFromArrayAsync(void *__to, cudaArray_const_t __from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind,
                                     cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *__to, size_t __to_pitch, cudaArray_const_t __from,
                                       size_t x, size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind,
                                       cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t __to, size_t __to_x, size_t __to_y,
                                   cudaArray_const_t __from, size_t __from_x, size_t __from_y,
                                   size_t bytes,
                                   enum cudaMemcpyKind kind GMMU_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t __to, size_t __to_x, size_t __to_y, cudaArray_const_t __from,
                         size_t __from_x, size_t __from_y, size_t width, size_t height,
                         enum cudaMemcpyKind kind GMMU_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *__p);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *__p,
                                  cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(const void *__symbol, const void *__from, size_t bytes,
                               size_t __offset GMMU_DEFAULT(0),
                               enum cudaMemcpyKind kind GMMU_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *__to, const void *__symbol, size_t bytes,
                                 size_t __offset GMMU_DEFAULT(0),
                                 enum cudaMemcpyKind kind GMMU_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *__symbol, const void *__from, size_t bytes,
                                    size_t __offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *__to, const void *__symbol, size_t bytes,
                                      size_t __offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemset(void *__p, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *__p, int value, size_t bytes,
                            cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemset2D(void *__p, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *__p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr __p, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr __p, int value, struct cudaExtent extent,
                              cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **__p, const void *__symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *__symbol);

/* streams and events */
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int __priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t __event,
                                unsigned int flags GMMU_DEFAULT(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t __call, void *__data,
                                  unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *__p, size_t bytes GMMU_DEFAULT(0),
                                     unsigned int flags GMMU_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *__id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *__priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t __call, void *__data);
cudaError_t cudaEventCreate(cudaEvent_t *__event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *__event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t __event);
cudaError_t cudaEventRecord(cudaEvent_t __event, cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t __event, cudaStream_t stream GMMU_DEFAULT(0),
                                     unsigned int flags GMMU_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t __event);
cudaError_t cudaEventQuery(cudaEvent_t __event);
cudaError_t cudaEventElapsedTime(float *__ms, cudaEvent_t __start, cudaEvent_t __end);

/* kernels */
cudaError_t cudaLaunchKernel(const void *f, dim3 __grid, dim3 __block, void **__args,
                             size_t __shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *__config, const void *f, void **__args);
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 __grid, dim3 __block, void **__args,
                                        size_t __shared_bytes, cudaStream_t stream);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *__function, const void *__symbol);
cudaError_t cudaGetKernel(cudaKernel_t *__kernel, const void *__symbol);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *__library, const void *__code,
                                enum cudaJitOption *__jit, void **__jit_values, unsigned int __jits,
                                enum cudaLibraryOption *__options, void **__values,
                                unsigned int __count);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *__library, const char *__path,
                                    enum cudaJitOption *__jit, void **__jit_values,
                                    unsigned int __jits, enum cudaLibraryOption *__options,
                                    void **__values, unsigned int __count);
cudaError_t cudaLibraryUnload(cudaLibrary_t __library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *__kernel, cudaLibrary_t __library,
                                 const char *__name);
cudaError_t cudaLibraryGetGlobal(void **__where, size_t *__bytes, cudaLibrary_t __library,
                                 const char *__name);
cudaError_t cudaLibraryGetManaged(void **__where, size_t *__bytes, cudaLibrary_t __library,
                                  const char *__name);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t __kernel, enum cudaFuncAttribute __attr,
                                            int value, int device);
cudaError_t cudaFuncGetName(const char **name, const void *f);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attributes, const void *f);
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute __attr, int value);
cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache __config);
cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig __config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, const void *f,
                                                          int __block_size, size_t __dynamic_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, const void *f,
                                                                   int __block_size,
                                                                   size_t __dynamic_bytes,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *f, int __blocks,
                                                      int __block_size);

/* textures */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *__object,
                                    const struct cudaResourceDesc *__resource,
                                    const struct cudaTextureDesc *texture, const void *__view);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *__resource,
                                             cudaTextureObject_t __object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *__texture,
                                            cudaTextureObject_t __object);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t __object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *__object,
                                    const struct cudaResourceDesc *__resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t __object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *__resource,
                                             cudaSurfaceObject_t __object);
cudaError_t cudaBindTexture(size_t *__offset, const struct textureReference *__texref,
                            const void *__p, const struct cudaChannelFormatDesc *desc,
                            size_t bytes GMMU_DEFAULT(UINT_MAX));
cudaError_t cudaBindTexture2D(size_t *__offset, const struct textureReference *__texref,
                              const void *__p, const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *__texref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *__texref);
cudaError_t cudaGetTextureReference(const struct textureReference **__texref, const void *__symbol);
cudaError_t cudaGetTextureAlignmentOffset(size_t *__offset,
                                          const struct textureReference *__texref);

/* profiler, peer processes */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* resources of graphics libraries: every call answers cudaErrorNotSupported */
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t __resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t __resource, unsigned int flags);
cudaError_t cudaGraphicsMapResources(int __count, cudaGraphicsResource_t *__resources,
                                     cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaGraphicsUnmapResources(int __count, cudaGraphicsResource_t *__resources,
                                       cudaStream_t stream GMMU_DEFAULT(0));
cudaError_t cudaGraphicsResourceGetMappedPointer(void **__p, size_t *bytes,
                                                 cudaGraphicsResource_t __resource);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                  cudaGraphicsResource_t __resource,
                                                  unsigned int __index, unsigned int __level);

/* what the compiler calls */
unsigned int __cudaPushCallConfiguration(dim3 __grid, dim3 __block,
                                         size_t __shared_bytes GMMU_DEFAULT(0),
                                         struct CUstream_st *stream GMMU_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3 *__grid, dim3 *__block, size_t *__shared_bytes,
                                       void *stream);

/* ---- graphs -------------------------------------------------------------------------------- */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode __mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *__graph);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *__mode);
cudaError_t cudaGraphCreate(cudaGraph_t *__graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t __graph);
cudaError_t cudaGraphClone(cudaGraph_t *__to, cudaGraph_t __from);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__exec, cudaGraph_t __graph,
                                 unsigned long long flags GMMU_DEFAULT(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *__exec, cudaGraph_t __graph,
                                          unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t __exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t __exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t __exec);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t __exec, cudaGraph_t __graph,
                                cudaGraphExecUpdateResultInfo *__result);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                     const cudaGraphNode_t *__before, size_t __count,
                                     struct cudaMemAllocNodeParams *__params);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                    const cudaGraphNode_t *__before, size_t __count, void *__p);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t __node, void *__p);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                  const cudaGraphNode_t *__before, size_t __count);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                   const cudaGraphNode_t *__before, size_t __count,
                                   const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t __node,
                                         const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                             const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                   const cudaGraphNode_t *__before, size_t __count,
                                   const struct cudaMemcpy3DParms *__params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                     const cudaGraphNode_t *__before, size_t __count, void *__to,
                                     const void *__from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t __node, void *__to, const void *__from,
                                           size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                               void *__to, const void *__from, size_t bytes,
                                               enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                   const cudaGraphNode_t *__before, size_t __count,
                                   const struct cudaMemsetParams *__params);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t __node,
                                         const struct cudaMemsetParams *__params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                 const cudaGraphNode_t *__before, size_t __count,
                                 const struct cudaHostNodeParams *__params);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                       const cudaGraphNode_t *__before, size_t __count,
                                       cudaGraph_t __child);
cudaError_t cudaGraphAddDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
                                     const cudaGraphNode_t *__to, size_t __count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *__status,
                                        unsigned long long *__id GMMU_DEFAULT(0),
                                        cudaGraph_t *__graph GMMU_DEFAULT(0),
                                        const cudaGraphNode_t **__nodes GMMU_DEFAULT(0),
                                        size_t *__count GMMU_DEFAULT(0));
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID __id,
                                   const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID __id,
                                   cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t __to, cudaStream_t __from);
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *__exec, cudaGraph_t __graph,
                                           cudaGraphInstantiateParams *__p);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                           const cudaGraphNode_t *__before, size_t __count,
                                           const void *__symbol, const void *__from, size_t bytes,
                                           size_t __offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                             const cudaGraphNode_t *__before, size_t __count,
                                             void *__to, const void *__symbol, size_t bytes,
                                             size_t __offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t __node,
                                         const struct cudaMemcpy3DParms *__p);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                             const struct cudaMemcpy3DParms *__p);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                             const struct cudaMemsetParams *__p);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t __node, struct cudaMemsetParams *__p);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t __node,
                                       const struct cudaHostNodeParams *__p);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t __node, struct cudaHostNodeParams *__p);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                           const struct cudaHostNodeParams *__p);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t __node, struct cudaKernelNodeParams *__p);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                        const cudaGraphNode_t *__before, size_t __count,
                                        cudaEvent_t __event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                      const cudaGraphNode_t *__before, size_t __count,
                                      cudaEvent_t __event);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t __node, cudaGraph_t *__graph);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t __node);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                    unsigned int __on);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                    unsigned int *__on);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *__node, cudaGraphNode_t __original,
                                     cudaGraph_t __clone);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
                                        const cudaGraphNode_t *__to, size_t __count);
cudaError_t cudaGraphGetEdges(cudaGraph_t __graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to,
                              size_t *__count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__list,
                                         size_t *__count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__list,
                                           size_t *__count);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *__node, cudaGraph_t __graph,
                             const cudaGraphNode_t *__before, size_t __count,
                             struct cudaGraphNodeParams *__p);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *__node, cudaGraph_t __graph,
                                const cudaGraphNode_t *__before, const cudaGraphEdgeData *__edges,
                                size_t __count, struct cudaGraphNodeParams *__p);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t __node, struct cudaGraphNodeParams *__p);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                       struct cudaGraphNodeParams *__p);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                                 cudaGraph_t __child);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t __node, struct cudaMemcpy3DParms *__p);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t __node,
                                           struct cudaMemAllocNodeParams *__p);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                                 cudaEvent_t __event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                               cudaEvent_t __event);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t __node, cudaLaunchAttributeID __id,
                                            const cudaLaunchAttributeValue *value);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t __node, cudaLaunchAttributeID __id,
                                            cudaLaunchAttributeValue *value);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t __from, cudaGraphNode_t __to);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType __which,
                                           void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType __which,
                                           void *value);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *__object, void *__data,
                                 void (*__destroy)(void *), unsigned int __count,
                                 unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t __object, unsigned int __count GMMU_DEFAULT(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t __object, unsigned int __count GMMU_DEFAULT(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t __graph, cudaUserObject_t __object,
                                      unsigned int __count GMMU_DEFAULT(1),
                                      unsigned int flags GMMU_DEFAULT(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t __graph, cudaUserObject_t __object,
                                       unsigned int __count GMMU_DEFAULT(1));
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t __graph,
                                          const cudaGraphNode_t *__behind,
                                          const cudaGraphEdgeData *__edges, size_t __count,
                                          enum cudaStreamCaptureMode __mode);
cudaError_t cudaMemcpyBatchAsync(void **__to, void **__from, size_t *__bytes, size_t __count,
                                 struct cudaMemcpyAttributes *__attributes, size_t *__places,
                                 size_t __given, size_t *__failed, cudaStream_t stream);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t __index, size_t *__offset,
                                 size_t *__bytes);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t __graph, const char *__path, unsigned int flags);
cudaError_t cudaGraphGetNodes(cudaGraph_t __graph, cudaGraphNode_t *__nodes, size_t *__count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t __graph, cudaGraphNode_t *__nodes, size_t *__count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t __node, enum cudaGraphNodeType *__type);
#ifdef __cplusplus
}
#endif
#undef GMMU_DEFAULT
#endif
