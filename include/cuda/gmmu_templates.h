#ifndef GMMU_CUDA_GMMU_TEMPLATES_H
#define GMMU_CUDA_GMMU_TEMPLATES_H
/* The C++ side of the runtime API: the same functions with typed pointers, symbols and kernels. */
#include "cuda_runtime_api.h"

/* ---- memory ---------------------------------------------------------------------------------- */
template <class __T> static inline cudaError_t cudaMalloc(__T **__p, size_t bytes) {
  return ::cudaMalloc((void **)(void *)__p, bytes);
}
template <class __T>
static inline cudaError_t cudaMallocHost(__T **__p, size_t bytes, unsigned int flags = 0) {
  return ::cudaHostAlloc((void **)(void *)__p, bytes, flags);
}
template <class __T>
static inline cudaError_t cudaHostAlloc(__T **__p, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc((void **)(void *)__p, bytes, flags);
}
template <class __T>
static inline cudaError_t cudaHostGetDevicePointer(__T **device, void *__host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)device, __host, flags);
}
template <class __T>
static inline cudaError_t cudaMallocManaged(__T **__p, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)__p, bytes, flags);
}
template <class __T>
static inline cudaError_t cudaMallocPitch(__T **__p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)(void *)__p, pitch, width, height);
}
template <class __T>
static inline cudaError_t cudaMallocAsync(__T **__p, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)__p, bytes, stream);
}
template <class __T>
static inline cudaError_t cudaMallocFromPoolAsync(__T **__p, size_t bytes, cudaMemPool_t __pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)__p, bytes, __pool, stream);
}
template <class __T>
static inline cudaError_t cudaMallocAsync(__T **__p, size_t bytes, cudaMemPool_t __pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)__p, bytes, __pool, stream);
}
template <class __T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, __T *f,
                                                                    int __blocks, int __threads) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)f, __blocks, __threads);
}
template <class __T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, __T *__p, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void *)__p, bytes, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *__event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(__event, flags);
}

/* ---- launches -------------------------------------------------------------------------------- */
#if __cplusplus >= 201103L
template <class... __P, class... __A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *__config,
                                             void (*__kernel)(__P...), __A &&...__args) {
  return [&](__P... __coerced) { /* to the kernel's own types */
                                 void *__list[] = {(void *)&__coerced..., nullptr};
                                 return ::cudaLaunchKernelExC(__config, (const void *)__kernel,
                                                              __list);
  }(static_cast<__A &&>(__args)...);
}
#endif

/* ---- symbols --------------------------------------------------------------------------------- */
template <class __T>
static inline cudaError_t cudaMemcpyToSymbol(const __T &__symbol, const void *__from, size_t bytes,
                                             size_t __offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&__symbol, __from, bytes, __offset, kind);
}
template <class __T>
static inline cudaError_t cudaMemcpyFromSymbol(void *__to, const __T &__symbol, size_t bytes,
                                               size_t __offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(__to, (const void *)&__symbol, bytes, __offset, kind);
}
template <class __T>
static inline cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph,
                               const cudaGraphNode_t *__before, size_t __count, const __T &__symbol,
                               const void *__from, size_t bytes, size_t __offset,
                               enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(__node, __graph, __before, __count,
                                          (const void *)&__symbol, __from, bytes, __offset, kind);
}
template <class __T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__before, size_t __count,
    void *__to, const __T &__symbol, size_t bytes, size_t __offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(__node, __graph, __before, __count, __to,
                                            (const void *)&__symbol, bytes, __offset, kind);
}
template <class __T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const __T &__symbol, const void *__from,
                                                  size_t bytes, size_t __offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&__symbol, __from, bytes, __offset, kind, stream);
}
template <class __T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *__to, const __T &__symbol, size_t bytes, size_t __offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(__to, (const void *)&__symbol, bytes, __offset, kind, stream);
}
template <class __T>
static inline cudaError_t cudaGetSymbolAddress(void **__p, const __T &__symbol) {
  return ::cudaGetSymbolAddress(__p, (const void *)&__symbol);
}
template <class __T, class __S>
static inline cudaError_t cudaGetSymbolAddress(__T **__p, const __S &__symbol) {
  return ::cudaGetSymbolAddress((void **)(void *)__p, (const void *)&__symbol);
}
template <class __T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const __T &__symbol) {
  return ::cudaGetSymbolSize(bytes, (const void *)&__symbol);
}

/* ---- kernels --------------------------------------------------------------------------------- */
template <class __T>
static inline cudaError_t cudaLaunchKernel(__T *f, dim3 __grid, dim3 __block, void **__args,
                                           size_t __shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)f, __grid, __block, __args, __shared_bytes, stream);
}
template <class __T>
static inline cudaError_t cudaLaunchCooperativeKernel(__T *f, dim3 __grid, dim3 __block,
                                                      void **__args, size_t __shared_bytes = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)f, __grid, __block, __args, __shared_bytes,
                                       stream);
}
template <class __T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *__attributes, __T *f) {
  return ::cudaFuncGetAttributes(__attributes, (const void *)f);
}
template <class __T>
static inline cudaError_t cudaFuncSetAttribute(__T *f, enum cudaFuncAttribute __attr, int value) {
  return ::cudaFuncSetAttribute((const void *)f, __attr, value);
}
/* CUDA 11's form; there is no log. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__exec, cudaGraph_t __graph,
                                               cudaGraphNode_t *__bad, char *__log,
                                               size_t __bytes) {
  if (__bad) *__bad = 0;
  if (__log && __bytes) *__log = 0;
  return ::cudaGraphInstantiate(__exec, __graph, 0);
}
template <class __T>
static inline cudaError_t cudaFuncSetCacheConfig(__T *f, enum cudaFuncCache __config) {
  return ::cudaFuncSetCacheConfig((const void *)f, __config);
}
template <class __T>
static inline cudaError_t cudaFuncSetSharedMemConfig(__T *f, enum cudaSharedMemConfig __config) {
  return ::cudaFuncSetSharedMemConfig((const void *)f, __config);
}
template <class __T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, __T f,
                                                                        int __block_size,
                                                                        size_t __dynamic_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(__blocks, (const void *)f, __block_size,
                                                         __dynamic_bytes);
}
template <class __T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, __T f, int __block_size,
                                                       size_t __dynamic_bytes, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      __blocks, (const void *)f, __block_size, __dynamic_bytes, flags);
}
/* The block size with the most resident threads, and the grid that fills the device: the largest
 * multiple of the warp wins a tie. */
template <class __F, class __T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *__grid, int *__block, __T f,
                                               __F __bytes_of_block, int __limit = 0) {
  int device, __sms, __warp, __most, __best = 0;
  cudaFuncAttributes __a;
  cudaError_t __e = cudaGetDevice(&device);
  if (__e == cudaSuccess)
    __e = cudaDeviceGetAttribute(&__sms, cudaDevAttrMultiProcessorCount, device);
  if (__e == cudaSuccess) __e = cudaDeviceGetAttribute(&__warp, cudaDevAttrWarpSize, device);
  if (__e == cudaSuccess) __e = ::cudaFuncGetAttributes(&__a, (const void *)f);
  if (__e != cudaSuccess) return __e;
  __most = __a.maxThreadsPerBlock;
  if (__limit > 0 && __limit < __most) __most = __limit;
  for (int size = (__most + __warp - 1) / __warp * __warp; size > 0; size -= __warp) {
    int __blocks, __tried = size < __most ? size : __most;
    __e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&__blocks, (const void *)f, __tried,
                                                          __bytes_of_block(__tried));
    if (__e != cudaSuccess) return __e;
    if (__blocks * __tried > __best)
      __best = __blocks * __tried, *__block = __tried, *__grid = __blocks * __sms;
  }
  return cudaSuccess;
}
struct gmmu_same_bytes {
  size_t __bytes;
  explicit gmmu_same_bytes(size_t __b) : __bytes(__b) {}
  size_t operator()(int) const { return __bytes; }
};
template <class __T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, __T f,
                                                             size_t __dynamic_bytes = 0,
                                                             int __limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(__grid, __block, f,
                                                        gmmu_same_bytes(__dynamic_bytes), __limit);
}
/* Flags concern caches of global memory, which change no occupancy here. */
template <class __F, class __T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *__grid, int *__block, __T f, __F __bytes_of_block, int __limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(__grid, __block, f, __bytes_of_block,
                                                        __limit);
}
template <class __T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *__grid, int *__block, __T f,
                                            size_t __dynamic_bytes = 0, int __limit = 0,
                                            unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(__grid, __block, f, __dynamic_bytes, __limit);
}

/* ---- small values ---------------------------------------------------------------------------- */
static inline cudaPitchedPtr make_cudaPitchedPtr(void *__p, size_t pitch, size_t xsize,
                                                 size_t ysize) {
  cudaPitchedPtr __v = {__p, pitch, xsize, ysize};
  return __v;
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  cudaPos __v = {x, y, z};
  return __v;
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  cudaExtent __v = {width, height, depth};
  return __v;
}

/* ---- channel descriptors --------------------------------------------------------------------- */
template <class __T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define GMMU_CHANNEL(type, __n, __bits, kind)                                                      \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                         \
    return cudaCreateChannelDesc(__bits, __n > 1 ? __bits : 0, __n > 2 ? __bits : 0,               \
                                 __n > 3 ? __bits : 0, kind);                                      \
  }
#define GMMU_CHANNELS(name, __bits, kind)                                                          \
  GMMU_CHANNEL(name##1, 1, __bits, kind)                                                           \
  GMMU_CHANNEL(name##2, 2, __bits, kind)                                                           \
  GMMU_CHANNEL(name##4, 4, __bits, kind)
GMMU_CHANNEL(char, 1, 8, cudaChannelFormatKindSigned)
GMMU_CHANNEL(signed char, 1, 8, cudaChannelFormatKindSigned)
GMMU_CHANNEL(unsigned char, 1, 8, cudaChannelFormatKindUnsigned)
GMMU_CHANNEL(short, 1, 16, cudaChannelFormatKindSigned)
GMMU_CHANNEL(unsigned short, 1, 16, cudaChannelFormatKindUnsigned)
GMMU_CHANNEL(int, 1, 32, cudaChannelFormatKindSigned)
GMMU_CHANNEL(unsigned int, 1, 32, cudaChannelFormatKindUnsigned)
GMMU_CHANNEL(float, 1, 32, cudaChannelFormatKindFloat)
GMMU_CHANNELS(char, 8, cudaChannelFormatKindSigned)
GMMU_CHANNELS(uchar, 8, cudaChannelFormatKindUnsigned)
GMMU_CHANNELS(short, 16, cudaChannelFormatKindSigned)
GMMU_CHANNELS(ushort, 16, cudaChannelFormatKindUnsigned)
GMMU_CHANNELS(int, 32, cudaChannelFormatKindSigned)
GMMU_CHANNELS(uint, 32, cudaChannelFormatKindUnsigned)
GMMU_CHANNELS(float, 32, cudaChannelFormatKindFloat)
#undef GMMU_CHANNEL
#undef GMMU_CHANNELS
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return cudaCreateChannelDescHalf();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

/* ---- texture references ---------------------------------------------------------------------- */
#define cudaTextureType1D        0x01
#define cudaTextureType2D        0x02
#define cudaTextureType3D        0x03
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define GMMU_TEXTURE_CLASS       __attribute__((__device_builtin_texture_type__))
#ifndef __CUDA__
#undef GMMU_TEXTURE_CLASS
#define GMMU_TEXTURE_CLASS
#endif
template <class __T, int __D = cudaTextureType1D,
          enum cudaTextureReadMode __M = cudaReadModeElementType>
struct GMMU_TEXTURE_CLASS texture : public textureReference {
#if !defined __CUDA_ARCH__
  texture(int __norm = 0, enum cudaTextureFilterMode __filter = cudaFilterModePoint,
          enum cudaTextureAddressMode __address = cudaAddressModeClamp) {
    __init(__norm, __filter, __address, cudaCreateChannelDesc<__T>());
  }
  texture(int __norm, enum cudaTextureFilterMode __filter, enum cudaTextureAddressMode __address,
          cudaChannelFormatDesc desc) {
    __init(__norm, __filter, __address, desc);
  }

private:
  void __init(int __norm, enum cudaTextureFilterMode __filter,
              enum cudaTextureAddressMode __address, cudaChannelFormatDesc desc) {
    *static_cast<textureReference *>(this) = textureReference();
    normalized = __norm;
    filterMode = __filter;
    addressMode[0] = addressMode[1] = addressMode[2] = __address;
    channelDesc = desc;
  }
#endif
};
#undef GMMU_TEXTURE_CLASS

template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTexture(size_t *__offset, const texture<__T, __D, __M> &__t,
                                          const void *__p, const cudaChannelFormatDesc &desc,
                                          size_t bytes = UINT_MAX) {
  return ::cudaBindTexture(__offset, &__t, __p, &desc, bytes);
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTexture(size_t *__offset, const texture<__T, __D, __M> &__t,
                                          const void *__p, size_t bytes = UINT_MAX) {
  return ::cudaBindTexture(__offset, &__t, __p, &__t.channelDesc, bytes);
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTexture2D(size_t *__offset, const texture<__T, __D, __M> &__t,
                                            const void *__p, const cudaChannelFormatDesc &desc,
                                            size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(__offset, &__t, __p, &desc, width, height, pitch);
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTexture2D(size_t *__offset, const texture<__T, __D, __M> &__t,
                                            const void *__p, size_t width, size_t height,
                                            size_t pitch) {
  return ::cudaBindTexture2D(__offset, &__t, __p, &__t.channelDesc, width, height, pitch);
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTextureToArray(const texture<__T, __D, __M> &__t,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return ::cudaBindTextureToArray(&__t, array, &desc);
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaBindTextureToArray(const texture<__T, __D, __M> &__t,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  cudaError_t __e = ::cudaGetChannelDesc(&desc, array);
  return __e == cudaSuccess ? ::cudaBindTextureToArray(&__t, array, &desc) : __e;
}
template <class __T, int __D, enum cudaTextureReadMode __M>
static inline cudaError_t cudaUnbindTexture(const texture<__T, __D, __M> &__t) {
  return ::cudaUnbindTexture(&__t);
}
#endif
