// Our structures against those of an installed CUDA toolkit: compiled, never run. Given CUDA_MAJOR.
#include <cuda_runtime.h>
#include <stddef.h>
#define _Static_assert static_assert
namespace ours {
#include "cudart/abi.h"
}
#define SIZE(a, b)     static_assert(sizeof(ours::a) == sizeof(b), #b)
#define AT(a, x, b, y) static_assert(offsetof(ours::a, x) == offsetof(b, y), #b "." #y)
SIZE(cuda_copy3d_t, cudaMemcpy3DParms);
AT(cuda_copy3d_t, to_array, cudaMemcpy3DParms, dstArray);
AT(cuda_copy3d_t, extent, cudaMemcpy3DParms, extent);
SIZE(cuda_copy3d_peer_t, cudaMemcpy3DPeerParms);
SIZE(cuda_pointer_t, cudaPointerAttributes);
SIZE(cuda_launch_config_t, cudaLaunchConfig_t);
SIZE(cuda_launch_attribute_t, cudaLaunchAttribute);
AT(cuda_launch_attribute_t, value, cudaLaunchAttribute, val);
SIZE(cuda_resource_t, cudaResourceDesc);
AT(cuda_resource_t, flags, cudaResourceDesc, flags);
SIZE(cuda_texture_t, cudaTextureDesc);
AT(cuda_texture_t, normalized, cudaTextureDesc, normalizedCoords);
SIZE(cuda_channel_t, cudaChannelFormatDesc);
SIZE(cuda_function_t, cudaFuncAttributes);
AT(cuda_function_t, carveout, cudaFuncAttributes, preferredShmemCarveout);
#define FIELD(type, name, dims, ...)                                                               \
  AT(PROP, name, cudaDeviceProp, name);                                                            \
  static_assert(sizeof(ours::PROP::name) == sizeof(cudaDeviceProp::name), #name);
#define NO_FIELD(...)
#define ALL FIELD
#if CUDA_MAJOR >= 13
#define PROP cuda_prop13_t
#define OLD  NO_FIELD
#define NEW  FIELD
#define V12  NO_FIELD
#define V13  FIELD
#elif CUDA_MAJOR == 12
#define PROP cuda_prop12_t
#define OLD  FIELD
#define NEW  FIELD
#define V12  NO_FIELD // later releases of 12 have given its reserves names
#define V13  NO_FIELD
#else
#define PROP cuda_prop11_t
#define OLD  FIELD
#define NEW  NO_FIELD
#define V12  NO_FIELD
#define V13  NO_FIELD
#endif
SIZE(PROP, cudaDeviceProp);
#include "cudart/prop.def"
#define ROW(name, number, text) static_assert(int(::name) == number, #name);
#if CUDA_MAJOR >= 13
#include "cudart/errors.def"
#endif
int main() { return 0; }
