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
  CUDA_ERROR_PROFILER_DISABLED = 5,
  CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
  CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
  CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
  CUDA_ERROR_MAP_FAILED = 205,
  CUDA_ERROR_UNMAP_FAILED = 206,
  CUDA_ERROR_ARRAY_IS_MAPPED = 207,
  CUDA_ERROR_ALREADY_MAPPED = 208,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ALREADY_ACQUIRED = 210,
  CUDA_ERROR_NOT_MAPPED = 211,
  CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
  CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
  CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
  CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_FILE_NOT_FOUND = 301,
  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
  CUDA_ERROR_OPERATING_SYSTEM = 304,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_LOSSY_QUERY = 402,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_TOO_MANY_PEERS = 711,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_RPC_FAILURE = 806,
  CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
  CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_TIMEOUT = 909,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
  CUDA_ERROR_EXTERNAL_DEVICE = 911,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
  CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
  CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
  CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
  CUDA_ERROR_KEY_ROTATION = 916,
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
  CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
  CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
  CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
  CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
  CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
  CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
  CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
  CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
  CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
  CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
  CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
  CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
  CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
  CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
  CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
  CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
  CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
  CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
  CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
  CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
  CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
  CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
  CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
  CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
  CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
  CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
  CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
  CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
  CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147
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
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15
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
  CU_JIT_LOG_VERBOSE = 12,
  CU_JIT_GENERATE_LINE_INFO = 13,
  CU_JIT_CACHE_MODE = 14,
  CU_JIT_NEW_SM3X_OPT = 15,
  CU_JIT_FAST_COMPILE = 16,
  CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
  CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
  CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
  CU_JIT_LTO = 20,
  CU_JIT_FTZ = 21,
  CU_JIT_PREC_DIV = 22,
  CU_JIT_PREC_SQRT = 23,
  CU_JIT_FMA = 24,
  CU_JIT_REFERENCED_KERNEL_NAMES = 25,
  CU_JIT_REFERENCED_KERNEL_COUNT = 26,
  CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
  CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
  CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
  CU_JIT_POSITION_INDEPENDENT_CODE = 30,
  CU_JIT_MIN_CTA_PER_SM = 31,
  CU_JIT_MAX_THREADS_PER_BLOCK = 32,
  CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
  CU_JIT_SPLIT_COMPILE = 34,
  CU_JIT_NUM_OPTIONS = 35
} CUjit_option;
typedef enum CUlaunchAttributeID_enum {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10
} CUlaunchAttributeID;
typedef union CUlaunchAttributeValue_union {
  char pad[64];
  struct {
    unsigned int x, y, z;
  } clusterDim;
  struct {
    CUevent event;
    int flags, triggerAtBlockStart;
  } programmaticEvent;
  int cooperative, priority, programmaticStreamSerializationAllowed;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned int numAttrs;
} CUlaunchConfig;
typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4,
  CU_JIT_INPUT_NVVM = 5,
  CU_JIT_NUM_INPUT_TYPES = 6
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
typedef enum CUmemAllocationType_enum {
  CU_MEM_ALLOCATION_TYPE_INVALID = 0,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_ALLOCATION_TYPE_MANAGED = 2
} CUmemAllocationType;
typedef enum CUmemLocationType_enum {
  CU_MEM_LOCATION_TYPE_INVALID = 0,
  CU_MEM_LOCATION_TYPE_NONE = 0,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_LOCATION_TYPE_HOST = 2,
  CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
  CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4
} CUmemLocationType;
typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
  CU_MEM_HANDLE_TYPE_WIN32 = 2,
  CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
  CU_MEM_HANDLE_TYPE_FABRIC = 8
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
typedef enum CUpointer_attribute_enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
  CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
  CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
  CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
  CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
  CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
  CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
  CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21
} CUpointer_attribute;
typedef enum CUarray_format_enum {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16 = 2,
  CU_AD_FORMAT_UNSIGNED_INT32 = 3,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16 = 9,
  CU_AD_FORMAT_SIGNED_INT32 = 10,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
  CU_AD_FORMAT_NV12 = 176,
  CU_AD_FORMAT_UNORM_INT8X1 = 192,
  CU_AD_FORMAT_UNORM_INT8X2 = 193,
  CU_AD_FORMAT_UNORM_INT8X4 = 194,
  CU_AD_FORMAT_UNORM_INT16X1 = 195,
  CU_AD_FORMAT_UNORM_INT16X2 = 196,
  CU_AD_FORMAT_UNORM_INT16X4 = 197,
  CU_AD_FORMAT_SNORM_INT8X1 = 198,
  CU_AD_FORMAT_SNORM_INT8X2 = 199,
  CU_AD_FORMAT_SNORM_INT8X4 = 200,
  CU_AD_FORMAT_SNORM_INT16X1 = 201,
  CU_AD_FORMAT_SNORM_INT16X2 = 202,
  CU_AD_FORMAT_SNORM_INT16X4 = 203,
  CU_AD_FORMAT_BC1_UNORM = 145,
  CU_AD_FORMAT_BC1_UNORM_SRGB = 146,
  CU_AD_FORMAT_BC2_UNORM = 147,
  CU_AD_FORMAT_BC2_UNORM_SRGB = 148,
  CU_AD_FORMAT_BC3_UNORM = 149,
  CU_AD_FORMAT_BC3_UNORM_SRGB = 150,
  CU_AD_FORMAT_BC4_UNORM = 151,
  CU_AD_FORMAT_BC4_SNORM = 152,
  CU_AD_FORMAT_BC5_UNORM = 153,
  CU_AD_FORMAT_BC5_SNORM = 154,
  CU_AD_FORMAT_BC6H_UF16 = 155,
  CU_AD_FORMAT_BC6H_SF16 = 156,
  CU_AD_FORMAT_BC7_UNORM = 157,
  CU_AD_FORMAT_BC7_UNORM_SRGB = 158,
  CU_AD_FORMAT_P010 = 159,
  CU_AD_FORMAT_P016 = 161,
  CU_AD_FORMAT_NV16 = 162,
  CU_AD_FORMAT_P210 = 163,
  CU_AD_FORMAT_P216 = 164,
  CU_AD_FORMAT_YUY2 = 165,
  CU_AD_FORMAT_Y210 = 166,
  CU_AD_FORMAT_Y216 = 167,
  CU_AD_FORMAT_AYUV = 168,
  CU_AD_FORMAT_Y410 = 169,
  CU_AD_FORMAT_Y416 = 177,
  CU_AD_FORMAT_Y444_PLANAR8 = 178,
  CU_AD_FORMAT_Y444_PLANAR10 = 179,
  CU_AD_FORMAT_YUV444_8bit_SemiPlanar = 180,
  CU_AD_FORMAT_YUV444_16bit_SemiPlanar = 181,
  CU_AD_FORMAT_UNORM_INT_101010_2 = 80
} CUarray_format;
typedef enum CUaddress_mode_enum {
  CU_TR_ADDRESS_MODE_WRAP = 0,
  CU_TR_ADDRESS_MODE_CLAMP = 1,
  CU_TR_ADDRESS_MODE_MIRROR = 2,
  CU_TR_ADDRESS_MODE_BORDER = 3
} CUaddress_mode;
typedef enum CUfilter_mode_enum {
  CU_TR_FILTER_MODE_POINT = 0,
  CU_TR_FILTER_MODE_LINEAR = 1
} CUfilter_mode;
typedef enum CUresourcetype_enum {
  CU_RESOURCE_TYPE_ARRAY = 0,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  CU_RESOURCE_TYPE_LINEAR = 2,
  CU_RESOURCE_TYPE_PITCH2D = 3
} CUresourcetype;
typedef enum CUlimit_enum {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
  CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
  CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
  CU_LIMIT_SHMEM_SIZE = 7,
  CU_LIMIT_CIG_ENABLED = 8,
  CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 9
} CUlimit;
typedef enum CUcomputemode_enum {
  CU_COMPUTEMODE_DEFAULT = 0,
  CU_COMPUTEMODE_PROHIBITED = 2,
  CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;
typedef enum CUmem_advise_enum {
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6
} CUmem_advise;
typedef enum CUsharedconfig_enum {
  CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
  CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
  CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2
} CUsharedconfig;
typedef enum CUoccupancy_flags_enum {
  CU_OCCUPANCY_DEFAULT = 0,
  CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1
} CUoccupancy_flags;
typedef enum CUstreamCaptureMode_enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;
typedef enum CUstreamCaptureStatus_enum {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;
typedef enum CUdevice_P2PAttribute_enum {
  CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
  CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5
} CUdevice_P2PAttribute;
typedef enum CUmemPool_attribute_enum {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
} CUmemPool_attribute;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef size_t (*CUoccupancyB2DSize)(int __threads);
typedef struct CUdevprop_st {
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int sharedMemPerBlock, totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate;
  int textureAlign;
} CUdevprop;
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
  size_t Width, Height;
  CUarray_format Format;
  unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY3D_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_RESOURCE_DESC_st {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned int flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC;
#define CUDA_ARRAY3D_LAYERED           1
#define CUDA_ARRAY3D_SURFACE_LDST      2
#define CUDA_ARRAY3D_CUBEMAP           4
#define CUDA_ARRAY3D_TEXTURE_GATHER    8
#define CU_TRSF_READ_AS_INTEGER        1
#define CU_TRSF_NORMALIZED_COORDINATES 2
#define CU_TRSF_SRGB                   16
#define CU_STREAM_LEGACY               ((CUstream)1)
#define CU_STREAM_PER_THREAD           ((CUstream)2)
#define CU_DEVICE_CPU                  ((CUdevice)-1)
#define CU_DEVICE_INVALID              ((CUdevice)-2)
#define CU_MEMHOSTALLOC_WRITECOMBINED  4
#define CU_MEMHOSTREGISTER_PORTABLE    1
#define CU_MEMHOSTREGISTER_DEVICEMAP   2
typedef void (*CUstreamCallback)(CUstream, CUresult, void *);
typedef void (*CUhostFn)(void *);
typedef enum CUctx_flags_enum {
  CU_CTX_SCHED_AUTO = 0,
  CU_CTX_SCHED_SPIN = 1,
  CU_CTX_SCHED_YIELD = 2,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_BLOCKING_SYNC = 4,
  CU_CTX_SCHED_MASK = 7,
  CU_CTX_MAP_HOST = 8,
  CU_CTX_COREDUMP_ENABLE = 32,
  CU_CTX_USER_COREDUMP_ENABLE = 64,
  CU_CTX_SYNC_MEMOPS = 128,
  CU_CTX_FLAGS_MASK = 255
} CUctx_flags;
typedef enum CUstream_flags_enum {
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1
} CUstream_flags;
typedef enum CUevent_flags_enum {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4
} CUevent_flags;
typedef enum CUmemAttach_flags_enum {
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_MEM_ATTACH_SINGLE = 4
} CUmemAttach_flags;
#define CU_MEMHOSTALLOC_PORTABLE       1
#define CU_MEMHOSTALLOC_DEVICEMAP      2
#define CU_LAUNCH_PARAM_END            ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)
#define cuArrayCreate                  cuArrayCreate_v2
#define cuArrayGetDescriptor           cuArrayGetDescriptor_v2
#define cuArray3DCreate                cuArray3DCreate_v2
#define cuArray3DGetDescriptor         cuArray3DGetDescriptor_v2
#define cuMemcpy2DUnaligned            cuMemcpy2DUnaligned_v2
#define cuMemcpy3D                     cuMemcpy3D_v2
#define cuMemcpy3DAsync                cuMemcpy3DAsync_v2
#define cuMemcpyHtoA                   cuMemcpyHtoA_v2
#define cuMemcpyHtoAAsync              cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoH                   cuMemcpyAtoH_v2
#define cuMemcpyAtoHAsync              cuMemcpyAtoHAsync_v2
#define cuMemcpyDtoA                   cuMemcpyDtoA_v2
#define cuMemcpyAtoD                   cuMemcpyAtoD_v2
#define cuMemcpyAtoA                   cuMemcpyAtoA_v2
#define cuMemsetD2D16                  cuMemsetD2D16_v2
#define cuMemGetAddressRange           cuMemGetAddressRange_v2
#define cuStreamBeginCapture           cuStreamBeginCapture_v2
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
CUresult cuLaunchKernelEx(const CUlaunchConfig *__config, CUfunction __f, void **__params,
                          void **__extra);
CUresult cuFuncGetAttribute(int *__value, CUfunction_attribute __which, CUfunction __f);
CUresult cuFuncSetAttribute(CUfunction __f, CUfunction_attribute __which, int __value);
CUresult cuFuncSetCacheConfig(CUfunction __f, CUfunc_cache __config);
CUresult cuFuncGetModule(CUmodule *__out, CUfunction __f);
CUresult cuFuncGetName(const char **__name, CUfunction __f);
/* libraries: modules that belong to no context */
typedef enum CUlibraryOption_enum {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
  CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;
CUresult cuLibraryLoadData(CUlibrary *__out, const void *__image, CUjit_option *__jit,
                           void **__jit_values, unsigned int __jits, CUlibraryOption *__options,
                           void **__values, unsigned int __count);
CUresult cuLibraryLoadFromFile(CUlibrary *__out, const char *__path, CUjit_option *__jit,
                               void **__jit_values, unsigned int __jits, CUlibraryOption *__options,
                               void **__values, unsigned int __count);
CUresult cuLibraryUnload(CUlibrary __l);
CUresult cuLibraryGetKernel(CUkernel *__out, CUlibrary __l, const char *__name);
CUresult cuLibraryGetModule(CUmodule *__out, CUlibrary __l);
CUresult cuLibraryGetGlobal(CUdeviceptr *__va, size_t *__bytes, CUlibrary __l, const char *__name);
CUresult cuLibraryGetManaged(CUdeviceptr *__va, size_t *__bytes, CUlibrary __l, const char *__name);
CUresult cuKernelGetFunction(CUfunction *__out, CUkernel __k);
CUresult cuKernelGetName(const char **__name, CUkernel __k);
CUresult cuKernelGetAttribute(int *__value, CUfunction_attribute __which, CUkernel __k,
                              CUdevice __device);
CUresult cuKernelSetAttribute(CUfunction_attribute __which, int __value, CUkernel __k,
                              CUdevice __device);
CUresult cuKernelSetCacheConfig(CUkernel __k, CUfunc_cache __config, CUdevice __device);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, CUfunction __f, int __threads,
                                                     size_t __shared);
CUresult cuArrayCreate(CUarray *__out, const CUDA_ARRAY_DESCRIPTOR *__d);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *__d, CUarray __a);
CUresult cuArray3DCreate(CUarray *__out, const CUDA_ARRAY3D_DESCRIPTOR *__d);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *__d, CUarray __a);
CUresult cuArrayDestroy(CUarray __a);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *__c);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *__c);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *__c, CUstream __stream);
CUresult cuMemcpyHtoA(CUarray __to, size_t __offset, const void *__from, size_t __bytes);
CUresult cuMemcpyHtoAAsync(CUarray __to, size_t __offset, const void *__from, size_t __bytes,
                           CUstream __stream);
CUresult cuMemcpyAtoH(void *__to, CUarray __from, size_t __offset, size_t __bytes);
CUresult cuMemcpyAtoHAsync(void *__to, CUarray __from, size_t __offset, size_t __bytes,
                           CUstream __stream);
CUresult cuMemcpyDtoA(CUarray __to, size_t __offset, CUdeviceptr __from, size_t __bytes);
CUresult cuMemcpyAtoD(CUdeviceptr __to, CUarray __from, size_t __offset, size_t __bytes);
CUresult cuMemcpyAtoA(CUarray __to, size_t __to_offset, CUarray __from, size_t __from_offset,
                      size_t __bytes);
CUresult cuMemcpyPeer(CUdeviceptr __to, CUcontext __to_context, CUdeviceptr __from,
                      CUcontext __from_context, size_t __bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr __to, CUcontext __to_context, CUdeviceptr __from,
                           CUcontext __from_context, size_t __bytes, CUstream __stream);
CUresult cuTexObjectCreate(CUtexObject *__out, const CUDA_RESOURCE_DESC *__resource,
                           const CUDA_TEXTURE_DESC *__how, const CUDA_RESOURCE_VIEW_DESC *__view);
CUresult cuTexObjectDestroy(CUtexObject __t);
CUresult cuSurfObjectCreate(CUsurfObject *__out, const CUDA_RESOURCE_DESC *__resource);
CUresult cuSurfObjectDestroy(CUsurfObject __s);
CUresult cuMemsetD2D16(CUdeviceptr __p, size_t __pitch, unsigned short __value, size_t __width,
                       size_t __rows);
CUresult cuMemsetD2D8Async(CUdeviceptr __p, size_t __pitch, unsigned char __value, size_t __width,
                           size_t __rows, CUstream __stream);
CUresult cuMemsetD2D16Async(CUdeviceptr __p, size_t __pitch, unsigned short __value, size_t __width,
                            size_t __rows, CUstream __stream);
CUresult cuMemsetD2D32Async(CUdeviceptr __p, size_t __pitch, unsigned int __value, size_t __width,
                            size_t __rows, CUstream __stream);
CUresult cuMemGetAddressRange(CUdeviceptr *__base, size_t *__bytes, CUdeviceptr __p);
CUresult cuPointerGetAttribute(void *__out, CUpointer_attribute __which, CUdeviceptr __p);
CUresult cuPointerGetAttributes(unsigned int __count, CUpointer_attribute *__which, void **__out,
                                CUdeviceptr __p);
CUresult cuPointerSetAttribute(const void *__value, CUpointer_attribute __which, CUdeviceptr __p);
CUresult cuMemHostGetFlags(unsigned int *__flags, void *__p);
CUresult cuMemAdvise(CUdeviceptr __p, size_t __bytes, CUmem_advise __advice, CUdevice __device);
CUresult cuMemPrefetchAsync(CUdeviceptr __p, size_t __bytes, CUdevice __device, CUstream __stream);
CUresult cuMemPoolDestroy(CUmemoryPool __pool);
CUresult cuMemPoolSetAttribute(CUmemoryPool __pool, CUmemPool_attribute __which, void *__value);
CUresult cuMemPoolGetAttribute(CUmemoryPool __pool, CUmemPool_attribute __which, void *__value);
CUresult cuMemPoolTrimTo(CUmemoryPool __pool, size_t __bytes);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *__pool, CUdevice __device);
CUresult cuDeviceGetMemPool(CUmemoryPool *__pool, CUdevice __device);
CUresult cuDeviceSetMemPool(CUdevice __device, CUmemoryPool __pool);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *__p, size_t __bytes, CUmemoryPool __pool,
                                 CUstream __stream);
CUresult cuDeviceGetPCIBusId(char *__name, int __bytes, CUdevice __device);
CUresult cuDeviceGetByPCIBusId(CUdevice *__device, const char *__name);
CUresult cuDeviceCanAccessPeer(int *__can, CUdevice __device, CUdevice __peer);
CUresult cuDeviceGetP2PAttribute(int *__value, CUdevice_P2PAttribute __which, CUdevice __from,
                                 CUdevice __to);
CUresult cuDeviceGetProperties(CUdevprop *__prop, CUdevice __device);
CUresult cuCtxGetCacheConfig(CUfunc_cache *__config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig __config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *__config);
CUresult cuCtxSetFlags(unsigned int __flags);
CUresult cuCtxGetId(CUcontext __context, unsigned long long *__id);
CUresult cuCtxAttach(CUcontext *__context, unsigned int __flags);
CUresult cuCtxDetach(CUcontext __context);
CUresult cuCtxEnablePeerAccess(CUcontext __peer, unsigned int __flags);
CUresult cuCtxDisablePeerAccess(CUcontext __peer);
CUresult cuStreamGetId(CUstream __stream, unsigned long long *__id);
CUresult cuStreamAttachMemAsync(CUstream __stream, CUdeviceptr __p, size_t __bytes,
                                unsigned int __flags);
CUresult cuStreamBeginCapture(CUstream __stream, CUstreamCaptureMode __mode);
CUresult cuStreamEndCapture(CUstream __stream, CUgraph *__graph);
CUresult cuStreamIsCapturing(CUstream __stream, CUstreamCaptureStatus *__status);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *__exec, CUgraph __graph,
                                     unsigned long long __flags);
CUresult cuGraphLaunch(CUgraphExec __exec, CUstream __stream);
CUresult cuGraphDestroy(CUgraph __graph);
CUresult cuGraphExecDestroy(CUgraphExec __exec);
CUresult cuEventRecordWithFlags(CUevent __event, CUstream __stream, unsigned int __flags);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, CUfunction __f,
                                                              int __threads, size_t __shared,
                                                              unsigned int __flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *__bytes, CUfunction __f, int __blocks,
                                                 int __threads);
CUresult cuOccupancyMaxPotentialBlockSize(int *__grid, int *__block, CUfunction __f,
                                          CUoccupancyB2DSize __shared_of, size_t __shared,
                                          int __limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *__grid, int *__block, CUfunction __f,
                                                   CUoccupancyB2DSize __shared_of, size_t __shared,
                                                   int __limit, unsigned int __flags);
CUresult cuFuncSetSharedMemConfig(CUfunction __f, CUsharedconfig __config);
CUresult cuFuncSetBlockShape(CUfunction __f, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction __f, unsigned int __bytes);
CUresult cuParamSetSize(CUfunction __f, unsigned int __bytes);
CUresult cuParamSetv(CUfunction __f, int __offset, void *__value, unsigned int __bytes);
CUresult cuParamSeti(CUfunction __f, int __offset, unsigned int __value);
CUresult cuParamSetf(CUfunction __f, int __offset, float __value);
CUresult cuLaunch(CUfunction __f);
CUresult cuLaunchGrid(CUfunction __f, int __width, int __height);
CUresult cuLaunchGridAsync(CUfunction __f, int __width, int __height, CUstream __stream);
#ifdef __cplusplus
}
#endif
#endif
