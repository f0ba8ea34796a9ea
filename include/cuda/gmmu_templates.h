#ifndef GMMU_CUDA_GMMU_TEMPLATES_H
#define GMMU_CUDA_GMMU_TEMPLATES_H
/* The C++ side of the runtime API: the same functions with typed pointers, symbols and kernels. */
#include "cuda_runtime_api.h"

/* ---- memory ---------------------------------------------------------------------------------- */
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes) {
  return ::cudaMalloc((void **)(void *)p, bytes);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned int flags = 0) {
  return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)p, bytes, stream);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void *)p, bytes, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- symbols --------------------------------------------------------------------------------- */
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                  size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T, class S> static inline cudaError_t cudaGetSymbolAddress(T **p, const S &symbol) {
  return ::cudaGetSymbolAddress((void **)(void *)p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* ---- kernels --------------------------------------------------------------------------------- */
template <class T>
static inline cudaError_t cudaLaunchKernel(T *f, dim3 grid, dim3 block, void **args,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)f, grid, block, args, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *f, dim3 grid, dim3 block, void **args,
                                                      size_t shared_bytes = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *f) {
  return ::cudaFuncGetAttributes(attributes, (const void *)f);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *f, enum cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void *)f, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *f, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)f, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *f, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void *)f, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f,
                                                                        int block_size,
                                                                        size_t dynamic_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)f, block_size,
                                                         dynamic_bytes);
}
/* The block size with the most resident threads, and the grid that fills the device: the largest
 * multiple of the warp wins a tie. */
template <class F, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T f,
                                                                         F bytes_of_block,
                                                                         int limit = 0) {
  int device, sms, warp, most, best = 0;
  cudaFuncAttributes a;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (e == cudaSuccess) e = ::cudaFuncGetAttributes(&a, (const void *)f);
  if (e != cudaSuccess) return e;
  most = a.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
    int blocks, tried = size < most ? size : most;
    e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)f, tried,
                                                        bytes_of_block(tried));
    if (e != cudaSuccess) return e;
    if (blocks * tried > best) best = blocks * tried, *block = tried, *grid = blocks * sms;
  }
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T f,
                                                             size_t dynamic_bytes = 0,
                                                             int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, f, [dynamic_bytes](int) { return dynamic_bytes; }, limit);
}

/* ---- small values ---------------------------------------------------------------------------- */
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize,
                                                 size_t ysize) {
  cudaPitchedPtr v = {p, pitch, xsize, ysize};
  return v;
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  cudaPos v = {x, y, z};
  return v;
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  cudaExtent v = {width, height, depth};
  return v;
}

/* ---- channel descriptors --------------------------------------------------------------------- */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define GMMU_CHANNEL(type, n, bits, kind)                                                          \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                         \
    return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,       \
                                 cudaChannelFormatKind##kind);                                     \
  }
#define GMMU_CHANNELS(name, bits, kind)                                                            \
  GMMU_CHANNEL(name##1, 1, bits, kind)                                                             \
  GMMU_CHANNEL(name##2, 2, bits, kind)                                                             \
  GMMU_CHANNEL(name##4, 4, bits, kind)
GMMU_CHANNEL(char, 1, 8, Signed)
GMMU_CHANNEL(signed char, 1, 8, Signed)
GMMU_CHANNEL(unsigned char, 1, 8, Unsigned)
GMMU_CHANNEL(short, 1, 16, Signed)
GMMU_CHANNEL(unsigned short, 1, 16, Unsigned)
GMMU_CHANNEL(int, 1, 32, Signed)
GMMU_CHANNEL(unsigned int, 1, 32, Unsigned)
GMMU_CHANNEL(float, 1, 32, Float)
GMMU_CHANNELS(char, 8, Signed)
GMMU_CHANNELS(uchar, 8, Unsigned)
GMMU_CHANNELS(short, 16, Signed)
GMMU_CHANNELS(ushort, 16, Unsigned)
GMMU_CHANNELS(int, 32, Signed)
GMMU_CHANNELS(uint, 32, Unsigned)
GMMU_CHANNELS(float, 32, Float)
#undef GMMU_CHANNEL
#undef GMMU_CHANNELS

/* ---- texture references ---------------------------------------------------------------------- */
#define cudaTextureType1D  0x01
#define cudaTextureType2D  0x02
#define cudaTextureType3D  0x03
#define GMMU_TEXTURE_CLASS __attribute__((device_builtin_texture_type))
#ifndef __CUDA__
#undef GMMU_TEXTURE_CLASS
#define GMMU_TEXTURE_CLASS
#endif
template <class T, int D = cudaTextureType1D, enum cudaTextureReadMode M = cudaReadModeElementType>
struct GMMU_TEXTURE_CLASS texture : public textureReference {
#if !defined __CUDA_ARCH__
  texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
          enum cudaTextureAddressMode address = cudaAddressModeClamp) {
    init(norm, filter, address, cudaCreateChannelDesc<T>());
  }
  texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
          cudaChannelFormatDesc desc) {
    init(norm, filter, address, desc);
  }

private:
  void init(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
            cudaChannelFormatDesc desc) {
    *static_cast<textureReference *>(this) = textureReference();
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = desc;
  }
#endif
};
#undef GMMU_TEXTURE_CLASS

template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &t, const void *p,
                                          const cudaChannelFormatDesc &desc,
                                          size_t bytes = UINT_MAX) {
  return ::cudaBindTexture(offset, &t, p, &desc, bytes);
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &t, const void *p,
                                          size_t bytes = UINT_MAX) {
  return ::cudaBindTexture(offset, &t, p, &t.channelDesc, bytes);
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &t,
                                            const void *p, const cudaChannelFormatDesc &desc,
                                            size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &t, p, &desc, width, height, pitch);
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &t,
                                            const void *p, size_t width, size_t height,
                                            size_t pitch) {
  return ::cudaBindTexture2D(offset, &t, p, &t.channelDesc, width, height, pitch);
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return ::cudaBindTextureToArray(&t, array, &desc);
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(const texture<T, D, M> &t,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  cudaError_t e = ::cudaGetChannelDesc(&desc, array);
  return e == cudaSuccess ? ::cudaBindTextureToArray(&t, array, &desc) : e;
}
template <class T, int D, enum cudaTextureReadMode M>
static inline cudaError_t cudaUnbindTexture(const texture<T, D, M> &t) {
  return ::cudaUnbindTexture(&t);
}
#endif
