#ifndef GMMU_CUDA_GMMU_COMPAT_H
#define GMMU_CUDA_GMMU_COMPAT_H
/* Lets programs of older CUDA versions compile unchanged: nvcc -include gmmu_compat.h, or gmmu cc
 * -include gmmu_compat.h. With our own headers (CUDA 12's interface, texture references included)
 * little is left to do; CUDA 13 has lost more: functions, members of cudaDeviceProp, texture
 * references, and some signatures have changed. */
#include <cuda_runtime.h>

/* ---- cudaThread* ----------------------------------------------------------------------------- */
#define cudaThreadSynchronize()          cudaDeviceSynchronize()
#define cudaThreadExit()                 cudaDeviceReset()
#define cudaThreadSetLimit(__limit, __n) cudaDeviceSetLimit(__limit, __n)
#define cudaThreadGetLimit(__n, __limit) cudaDeviceGetLimit(__n, __limit)
#define cudaThreadSetCacheConfig(__c)    cudaDeviceSetCacheConfig(__c)
#define cudaThreadGetCacheConfig(__c)    cudaDeviceGetCacheConfig(__c)

#if defined __cplusplus && !defined GMMU_CUDA_CUDA_RUNTIME_H && CUDART_VERSION >= 13000
#include <string.h>

/* ---- cudaDeviceProp -------------------------------------------------------------------------- */
struct gmmu_device_prop : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
};
static inline cudaError_t cudaGetDeviceProperties(gmmu_device_prop *__p, int device) {
  cudaError_t __e = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(__p), device);
  if (__e != cudaSuccess) return __e;
  cudaDeviceGetAttribute(&__p->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&__p->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&__p->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&__p->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
  cudaDeviceGetAttribute(&__p->computeMode, cudaDevAttrComputeMode, device);
  __p->singleToDoublePrecisionPerfRatio = 2, __p->cooperativeMultiDeviceLaunch = 0;
  __p->maxTexture1DLinear = 1 << 27;
  return __e;
}
#define cudaDeviceProp gmmu_device_prop

/* ---- prefetch and advice take a device number ------------------------------------------------ */
static inline cudaMemLocation gmmu_location(int device) {
  cudaMemLocation __l;
  memset(&__l, 0, sizeof __l);
  __l.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  __l.id = device == cudaCpuDeviceId ? 0 : device;
  return __l;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *__p, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(__p, bytes, gmmu_location(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *__p, size_t bytes, cudaMemoryAdvise __advice,
                                        int device) {
  return cudaMemAdvise(__p, bytes, __advice, gmmu_location(device));
}

/* ---- texture references ---------------------------------------------------------------------- */
/* A device variable that holds a texture object, made when the reference is bound. The host sees
 * the variable's shadow, where the program sets its members. */
template <class __T, int __D = 1, cudaTextureReadMode __M = cudaReadModeElementType>
struct gmmu_texture {
  cudaTextureObject_t handle;
  int normalized; /* zero: point, clamped from here on needs no constructor */
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};
#define textureReference  gmmu_texture_reference
#define texture           __device__ gmmu_texture
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03

template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t gmmu_bind(gmmu_texture<__T, __D, __M> &__t, const cudaResourceDesc &__resource) {
  cudaTextureDesc __d;
  memset(&__d, 0, sizeof __d);
  for (int __i = 0; __i < 3; __i++)
    __d.addressMode[__i] = __t.normalized ? __t.addressMode[__i] : cudaAddressModeClamp;
  __d.filterMode = __t.filterMode, __d.readMode = __M, __d.normalizedCoords = __t.normalized;
  cudaTextureObject_t __object;
  cudaError_t __e = cudaCreateTextureObject(&__object, &__resource, &__d, NULL);
  return __e == cudaSuccess ? cudaMemcpyToSymbol(__t, &__object, sizeof __object) : __e;
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture(size_t *__offset, gmmu_texture<__T, __D, __M> &__t,
                                   const void *__p, const cudaChannelFormatDesc &desc,
                                   size_t bytes = (size_t)1 << 27) {
  cudaResourceDesc __r;
  memset(&__r, 0, sizeof __r);
  __r.resType = cudaResourceTypeLinear;
  __r.res.linear.devPtr = const_cast<void *>(__p), __r.res.linear.desc = desc;
  __r.res.linear.sizeInBytes = bytes;
  if (__offset) *__offset = 0;
  return gmmu_bind(__t, __r);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture(size_t *__offset, gmmu_texture<__T, __D, __M> &__t,
                                   const void *__p, size_t bytes = (size_t)1 << 27) {
  return cudaBindTexture(__offset, __t, __p, cudaCreateChannelDesc<__T>(), bytes);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture2D(size_t *__offset, gmmu_texture<__T, __D, __M> &__t,
                                     const void *__p, const cudaChannelFormatDesc &desc,
                                     size_t width, size_t height, size_t pitch) {
  cudaResourceDesc __r;
  memset(&__r, 0, sizeof __r);
  __r.resType = cudaResourceTypePitch2D;
  __r.res.pitch2D.devPtr = const_cast<void *>(__p), __r.res.pitch2D.desc = desc;
  __r.res.pitch2D.width = width, __r.res.pitch2D.height = height,
  __r.res.pitch2D.pitchInBytes = pitch;
  if (__offset) *__offset = 0;
  return gmmu_bind(__t, __r);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture2D(size_t *__offset, gmmu_texture<__T, __D, __M> &__t,
                                     const void *__p, size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(__offset, __t, __p, cudaCreateChannelDesc<__T>(), width, height, pitch);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTextureToArray(gmmu_texture<__T, __D, __M> &__t,
                                          cudaArray_const_t array) {
  cudaResourceDesc __r;
  memset(&__r, 0, sizeof __r);
  __r.resType = cudaResourceTypeArray, __r.res.array.array = (cudaArray_t)array;
  return gmmu_bind(__t, __r);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTextureToArray(gmmu_texture<__T, __D, __M> &__t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc &) {
  return cudaBindTextureToArray(__t, array);
}
/* The forms of C, with pointers. */
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture(size_t *__offset, gmmu_texture<__T, __D, __M> *__t,
                                   const void *__p, const cudaChannelFormatDesc *desc,
                                   size_t bytes = (size_t)1 << 27) {
  return cudaBindTexture(__offset, *__t, __p, *desc, bytes);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTexture2D(size_t *__offset, gmmu_texture<__T, __D, __M> *__t,
                                     const void *__p, const cudaChannelFormatDesc *desc,
                                     size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(__offset, *__t, __p, *desc, width, height, pitch);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaBindTextureToArray(gmmu_texture<__T, __D, __M> *__t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc *) {
  return cudaBindTextureToArray(*__t, array);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaUnbindTexture(gmmu_texture<__T, __D, __M> *__t) {
  return cudaUnbindTexture(*__t);
}
template <class __T, int __D, cudaTextureReadMode __M>
static cudaError_t cudaUnbindTexture(gmmu_texture<__T, __D, __M> &__t) {
  cudaTextureObject_t __object;
  cudaError_t __e = cudaMemcpyFromSymbol(&__object, __t, sizeof __object);
  return __e == cudaSuccess ? cudaDestroyTextureObject(__object) : __e;
}
template <class __T>
static __device__ __forceinline__ __T
tex1Dfetch(const gmmu_texture<__T, 1, cudaReadModeElementType> &__t, int x) {
  return tex1Dfetch<__T>(__t.handle, x);
}
template <class __T>
static __device__ __forceinline__ __T
tex1D(const gmmu_texture<__T, 1, cudaReadModeElementType> &__t, float x) {
  return tex1D<__T>(__t.handle, x);
}
template <class __T>
static __device__ __forceinline__ __T
tex2D(const gmmu_texture<__T, 2, cudaReadModeElementType> &__t, float x, float y) {
  return tex2D<__T>(__t.handle, x, y);
}
template <class __T>
static __device__ __forceinline__ float
tex1Dfetch(const gmmu_texture<__T, 1, cudaReadModeNormalizedFloat> &__t, int x) {
  return tex1Dfetch<float>(__t.handle, x);
}
template <class __T>
static __device__ __forceinline__ float
tex2D(const gmmu_texture<__T, 2, cudaReadModeNormalizedFloat> &__t, float x, float y) {
  return tex2D<float>(__t.handle, x, y);
}
#endif
#endif
