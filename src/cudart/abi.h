#ifndef GMMU_CUDART_ABI_H
#define GMMU_CUDART_ABI_H
/* What a CUDA program and its runtime library agree on: the structures of the binary interface, in
 * the layouts of CUDA 11, 12 and 13 (CUDA_MAJOR says which library this is). Source: what nvcc 13.0
 * compiles (facts in tests/cudart/abi.cu); for 11 and 12 what is known of them, where measured it
 * is said. Where the three differ it is said. */
#include <stddef.h>
#include <stdint.h>

#ifndef CUDA_MAJOR
#define CUDA_MAJOR 13
#endif

enum {
#define ROW(name, number, text) name = number,
#include "cudart/errors.def"
#undef ROW
};
typedef int cuda_error_t;

typedef struct {
  unsigned x, y, z;
} dim3_t;
typedef struct {
  char bytes[16];
} cuda_uuid_t;
typedef struct {
  size_t width, height, depth;
} cuda_extent_t;
typedef struct {
  size_t x, y, z;
} cuda_pos_t;
typedef struct {
  void *ptr;
  size_t pitch, xsize, ysize;
} cuda_pitched_t;
typedef struct {
  int x, y, z, w; /* bits of each channel */
  int kind;       /* signed, unsigned, float */
} cuda_channel_t;
enum { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT };

enum { COPY_HOST_TO_HOST, COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_ON_DEVICE, COPY_DEFAULT };

typedef struct cuda_array *cuda_array_t;
typedef struct cuda_stream *cuda_stream_t;
typedef struct cuda_event *cuda_event_t;
typedef struct cuda_graph *cuda_graph_t; /* cudaGraph_t and cudaGraphExec_t */
typedef struct cuda_node *cuda_node_t;

typedef struct {
  cuda_array_t from_array;
  cuda_pos_t from_pos;
  cuda_pitched_t from;
  cuda_array_t to_array;
  cuda_pos_t to_pos;
  cuda_pitched_t to;
  cuda_extent_t extent;
  int kind;
} cuda_copy3d_t;
_Static_assert(sizeof(cuda_copy3d_t) == 160, "cudaMemcpy3DParms");

typedef struct {
  cuda_array_t from_array;
  cuda_pos_t from_pos;
  cuda_pitched_t from;
  int from_device;
  cuda_array_t to_array;
  cuda_pos_t to_pos;
  cuda_pitched_t to;
  int to_device;
  cuda_extent_t extent;
} cuda_copy3d_peer_t;
_Static_assert(sizeof(cuda_copy3d_peer_t) == 168, "cudaMemcpy3DPeerParms");

/* 11 and 12: 24 bytes; 13 adds a reserve. */
typedef struct {
  int type, device;
  void *device_pointer, *host_pointer;
#if CUDA_MAJOR >= 13
  long reserved[8];
#endif
} cuda_pointer_t;
_Static_assert(sizeof(cuda_pointer_t) == (CUDA_MAJOR >= 13 ? 88 : 24), "cudaPointerAttributes");
enum { POINTER_UNREGISTERED, POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED };

/* Until 11.7 the structure ends after the carveout (56 bytes); later ones append fields about
 * clusters. A program built with 11 may have given us the short one, so no more is written there.
 */
typedef struct {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, regs, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout;
#if CUDA_MAJOR >= 12
  int cluster[6], reserved[16];
#endif
} cuda_function_t;
_Static_assert(sizeof(cuda_function_t) == (CUDA_MAJOR >= 12 ? 144 : 56), "cudaFuncAttributes");

typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned dim[3];
    int number;
  } value;
} cuda_launch_attribute_t;
_Static_assert(sizeof(cuda_launch_attribute_t) == 72, "cudaLaunchAttribute");
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4 };

typedef struct {
  dim3_t grid, block;
  size_t dynamic_shared;
  cuda_stream_t stream;
  cuda_launch_attribute_t *attribute;
  unsigned attributes;
} cuda_launch_config_t;
_Static_assert(sizeof(cuda_launch_config_t) == 56, "cudaLaunchConfig_t");

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH2D };
typedef struct {
  int type;
  union {
    cuda_array_t array;
    struct {
      void *base;
      cuda_channel_t channel;
      size_t bytes;
    } linear;
    struct {
      void *base;
      cuda_channel_t channel;
      size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  } of;
  unsigned flags;
} cuda_resource_t;
_Static_assert(sizeof(cuda_resource_t) == 144, "cudaResourceDesc");

/* seamlessCubemap came with 11.6 and is never read here. */
typedef struct {
  int address[3], filter, read_mode, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max;
  int no_trilinear, seamless_cubemap;
} cuda_texture_t;
_Static_assert(sizeof(cuda_texture_t) == 72, "cudaTextureDesc");
enum { FILTER_POINT, FILTER_LINEAR };

/* textureReference of CUDA 11; the program's texture<> variable begins with it. */
typedef struct {
  int normalized, filter, address[3];
  cuda_channel_t channel;
  int srgb;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max;
  int no_trilinear, reserved[14];
} cuda_texref_t;
_Static_assert(sizeof(cuda_texref_t) == 124, "textureReference");

typedef struct {
  int type, id;
} cuda_location_t;

#define FIELD(type, name, dims, ...) type name dims;
#define NO_FIELD(type, name, dims, ...)
typedef struct {
#define ALL FIELD
#define OLD FIELD
#define NEW NO_FIELD
#define V12 NO_FIELD
#define V13 NO_FIELD
#include "cudart/prop.def"
#undef NEW
#undef V12
} cuda_prop11_t;
typedef struct {
#define NEW FIELD
#define V12 FIELD
#include "cudart/prop.def"
#undef OLD
#undef V12
#undef V13
} cuda_prop12_t;
typedef struct {
#define OLD NO_FIELD
#define V12 NO_FIELD
#define V13 FIELD
#include "cudart/prop.def"
#undef ALL
#undef OLD
#undef NEW
#undef V12
#undef V13
} cuda_prop13_t;
#undef FIELD
#undef NO_FIELD
_Static_assert(sizeof(cuda_prop11_t) == 728, "cudaDeviceProp of 11");
_Static_assert(sizeof(cuda_prop12_t) == 1032, "cudaDeviceProp of 12");
_Static_assert(offsetof(cuda_prop12_t, reservedSharedMemPerBlock) == 720, "12 begins like 11");
_Static_assert(sizeof(cuda_prop13_t) == 1008, "cudaDeviceProp of 13, measured");
_Static_assert(offsetof(cuda_prop13_t, multiProcessorCount) == 384, "measured");
_Static_assert(offsetof(cuda_prop13_t, concurrentKernels) == 560, "measured");
_Static_assert(offsetof(cuda_prop13_t, memoryBusWidth) == 592, "measured");
_Static_assert(offsetof(cuda_prop13_t, sharedMemPerMultiprocessor) == 624, "measured");
_Static_assert(offsetof(cuda_prop13_t, sharedMemPerBlockOptin) == 672, "measured");

/* --- nodes of graphs --- */
typedef struct { /* cudaKernelNodeParams */
  const void *function;
  dim3_t grid, block;
  unsigned shared;
  void **args, **extra;
} cuda_kernel_node_t;
typedef struct { /* cudaMemsetParams */
  void *to;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
} cuda_memset_node_t;
typedef struct { /* cudaHostNodeParams */
  void (*function)(void *);
  void *data;
} cuda_host_node_t;
#endif
