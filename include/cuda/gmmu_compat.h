#ifndef GMMU_CUDA_GMMU_COMPAT_H
#define GMMU_CUDA_GMMU_COMPAT_H
/* Lets programs of older CUDA versions compile unchanged: nvcc -include gmmu_compat.h, or gmmu cc
 * -include gmmu_compat.h. With our own headers (CUDA 12's interface, texture references included)
 * little is left to do; CUDA 13 has lost more: functions, members of cudaDeviceProp, texture
 * references, and some signatures have changed. */
#include <cuda_runtime.h>

/* ---- cudaThread* ----------------------------------------------------------------------------- */
#define cudaThreadSynchronize()      cudaDeviceSynchronize()
#define cudaThreadExit()             cudaDeviceReset()
#define cudaThreadSetLimit(limit, n) cudaDeviceSetLimit(limit, n)
#define cudaThreadGetLimit(n, limit) cudaDeviceGetLimit(n, limit)
#define cudaThreadSetCacheConfig(c)  cudaDeviceSetCacheConfig(c)
#define cudaThreadGetCacheConfig(c)  cudaDeviceGetCacheConfig(c)

#if defined __cplusplus && !defined GMMU_CUDA_CUDA_RUNTIME_H && CUDART_VERSION >= 13000
#include <string.h>

/* ---- cudaDeviceProp -------------------------------------------------------------------------- */
struct gmmu_device_prop : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
};
static inline cudaError_t cudaGetDeviceProperties(gmmu_device_prop *p, int device) {
  cudaError_t e = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(p), device);
  if (e != cudaSuccess) return e;
  cudaDeviceGetAttribute(&p->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&p->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&p->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&p->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
  cudaDeviceGetAttribute(&p->computeMode, cudaDevAttrComputeMode, device);
  p->singleToDoublePrecisionPerfRatio = 2, p->cooperativeMultiDeviceLaunch = 0;
  p->maxTexture1DLinear = 1 << 27;
  return e;
}
#define cudaDeviceProp gmmu_device_prop

/* ---- prefetch and advice take a device number ------------------------------------------------ */
static inline cudaMemLocation gmmu_location(int device) {
  cudaMemLocation l;
  memset(&l, 0, sizeof l);
  l.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  l.id = device == cudaCpuDeviceId ? 0 : device;
  return l;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(p, bytes, gmmu_location(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice,
                                        int device) {
  return cudaMemAdvise(p, bytes, advice, gmmu_location(device));
}

/* ---- texture references ---------------------------------------------------------------------- */
/* A device variable that holds a texture object, made when the reference is bound. The host sees
 * the variable's shadow, where the program sets its members. */
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType> struct gmmu_texture {
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

template <class T, int D, cudaTextureReadMode M>
static cudaError_t gmmu_bind(gmmu_texture<T, D, M> &t, const cudaResourceDesc &resource) {
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int i = 0; i < 3; i++)
    d.addressMode[i] = t.normalized ? t.addressMode[i] : cudaAddressModeClamp;
  d.filterMode = t.filterMode, d.readMode = M, d.normalizedCoords = t.normalized;
  cudaTextureObject_t object;
  cudaError_t e = cudaCreateTextureObject(&object, &resource, &d, NULL);
  return e == cudaSuccess ? cudaMemcpyToSymbol(t, &object, sizeof object) : e;
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTexture(size_t *offset, gmmu_texture<T, D, M> &t, const void *p,
                                   const cudaChannelFormatDesc &desc,
                                   size_t bytes = (size_t)1 << 27) {
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = const_cast<void *>(p), r.res.linear.desc = desc;
  r.res.linear.sizeInBytes = bytes;
  if (offset) *offset = 0;
  return gmmu_bind(t, r);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTexture(size_t *offset, gmmu_texture<T, D, M> &t, const void *p,
                                   size_t bytes = (size_t)1 << 27) {
  return cudaBindTexture(offset, t, p, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTexture2D(size_t *offset, gmmu_texture<T, D, M> &t, const void *p,
                                     const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                     size_t pitch) {
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = const_cast<void *>(p), r.res.pitch2D.desc = desc;
  r.res.pitch2D.width = width, r.res.pitch2D.height = height, r.res.pitch2D.pitchInBytes = pitch;
  if (offset) *offset = 0;
  return gmmu_bind(t, r);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTexture2D(size_t *offset, gmmu_texture<T, D, M> &t, const void *p,
                                     size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, t, p, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTextureToArray(gmmu_texture<T, D, M> &t, cudaArray_const_t array) {
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray, r.res.array.array = (cudaArray_t)array;
  return gmmu_bind(t, r);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaBindTextureToArray(gmmu_texture<T, D, M> &t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc &) {
  return cudaBindTextureToArray(t, array);
}
template <class T, int D, cudaTextureReadMode M>
static cudaError_t cudaUnbindTexture(gmmu_texture<T, D, M> &t) {
  cudaTextureObject_t object;
  cudaError_t e = cudaMemcpyFromSymbol(&object, t, sizeof object);
  return e == cudaSuccess ? cudaDestroyTextureObject(object) : e;
}
template <class T>
static __device__ __forceinline__ T tex1Dfetch(const gmmu_texture<T, 1, cudaReadModeElementType> &t,
                                               int x) {
  return tex1Dfetch<T>(t.handle, x);
}
template <class T>
static __device__ __forceinline__ T tex1D(const gmmu_texture<T, 1, cudaReadModeElementType> &t,
                                          float x) {
  return tex1D<T>(t.handle, x);
}
template <class T>
static __device__ __forceinline__ T tex2D(const gmmu_texture<T, 2, cudaReadModeElementType> &t,
                                          float x, float y) {
  return tex2D<T>(t.handle, x, y);
}
template <class T>
static __device__ __forceinline__ float
tex1Dfetch(const gmmu_texture<T, 1, cudaReadModeNormalizedFloat> &t, int x) {
  return tex1Dfetch<float>(t.handle, x);
}
template <class T>
static __device__ __forceinline__ float
tex2D(const gmmu_texture<T, 2, cudaReadModeNormalizedFloat> &t, float x, float y) {
  return tex2D<float>(t.handle, x, y);
}
#endif
#endif
