/* libcuda.so.1: devices, contexts, streams, events. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "cudart/driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's libcudart, or the newest of ours beside this library; without either no call can
 * be answered, and a program without the driver's library would not have started. */
any_function_t runtime(const char *name) {
  any_function_t f;
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol) {
    void *lib = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    if (lib) symbol = dlsym(lib, name);
  }
  if (!symbol) {
    fprintf(stderr, "gmmu: libcuda.so.1 finds no libcudart with %s\n", name);
    abort();
  }
  memcpy(&f, &symbol, sizeof f);
  return f;
}

int driver_result(int error) {
  switch (error) {
  case 9: return CU_INVALID_VALUE; /* cudaErrorInvalidConfiguration */
  case 13:                         /* cudaErrorInvalidSymbol */
  case 98: return CU_NOT_FOUND;    /* cudaErrorInvalidDeviceFunction */
  default: return error;
  }
}

API(cuInit, unsigned flags) {
  int count;
  return flags ? CU_INVALID_VALUE : CALL(cudaGetDeviceCount, (int *))(&count);
}

API(cuDriverGetVersion, int *version) { return CALL(cudaDriverGetVersion, (int *))(version); }

/* ---- names of errors ------------------------------------------------------------------------- */

static const struct {
  int error;
  const char *name;
} error_names[] = {{0, "CUDA_SUCCESS"},
                   {1, "CUDA_ERROR_INVALID_VALUE"},
                   {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                   {3, "CUDA_ERROR_NOT_INITIALIZED"},
                   {4, "CUDA_ERROR_DEINITIALIZED"},
                   {5, "CUDA_ERROR_PROFILER_DISABLED"},
                   {6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
                   {7, "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
                   {8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
                   {34, "CUDA_ERROR_STUB_LIBRARY"},
                   {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
                   {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                   {100, "CUDA_ERROR_NO_DEVICE"},
                   {101, "CUDA_ERROR_INVALID_DEVICE"},
                   {102, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
                   {200, "CUDA_ERROR_INVALID_IMAGE"},
                   {201, "CUDA_ERROR_INVALID_CONTEXT"},
                   {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
                   {205, "CUDA_ERROR_MAP_FAILED"},
                   {206, "CUDA_ERROR_UNMAP_FAILED"},
                   {207, "CUDA_ERROR_ARRAY_IS_MAPPED"},
                   {208, "CUDA_ERROR_ALREADY_MAPPED"},
                   {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                   {210, "CUDA_ERROR_ALREADY_ACQUIRED"},
                   {211, "CUDA_ERROR_NOT_MAPPED"},
                   {212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
                   {213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
                   {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                   {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
                   {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
                   {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
                   {218, "CUDA_ERROR_INVALID_PTX"},
                   {219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
                   {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
                   {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
                   {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                   {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
                   {224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"},
                   {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
                   {226, "CUDA_ERROR_CONTAINED"},
                   {300, "CUDA_ERROR_INVALID_SOURCE"},
                   {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                   {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
                   {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
                   {304, "CUDA_ERROR_OPERATING_SYSTEM"},
                   {400, "CUDA_ERROR_INVALID_HANDLE"},
                   {401, "CUDA_ERROR_ILLEGAL_STATE"},
                   {402, "CUDA_ERROR_LOSSY_QUERY"},
                   {500, "CUDA_ERROR_NOT_FOUND"},
                   {600, "CUDA_ERROR_NOT_READY"},
                   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                   {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                   {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                   {703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
                   {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
                   {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
                   {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
                   {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                   {710, "CUDA_ERROR_ASSERT"},
                   {711, "CUDA_ERROR_TOO_MANY_PEERS"},
                   {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
                   {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
                   {714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
                   {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
                   {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                   {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
                   {718, "CUDA_ERROR_INVALID_PC"},
                   {719, "CUDA_ERROR_LAUNCH_FAILED"},
                   {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
                   {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
                   {800, "CUDA_ERROR_NOT_PERMITTED"},
                   {801, "CUDA_ERROR_NOT_SUPPORTED"},
                   {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
                   {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                   {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
                   {805, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
                   {806, "CUDA_ERROR_MPS_RPC_FAILURE"},
                   {807, "CUDA_ERROR_MPS_SERVER_NOT_READY"},
                   {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
                   {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
                   {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
                   {811, "CUDA_ERROR_CDP_NOT_SUPPORTED"},
                   {812, "CUDA_ERROR_CDP_VERSION_MISMATCH"},
                   {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                   {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                   {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
                   {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
                   {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
                   {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
                   {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
                   {907, "CUDA_ERROR_CAPTURED_EVENT"},
                   {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
                   {909, "CUDA_ERROR_TIMEOUT"},
                   {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
                   {911, "CUDA_ERROR_EXTERNAL_DEVICE"},
                   {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
                   {913, "CUDA_ERROR_FUNCTION_NOT_LOADED"},
                   {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
                   {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
                   {916, "CUDA_ERROR_KEY_ROTATION"},
                   {999, "CUDA_ERROR_UNKNOWN"}};

API(cuGetErrorName, int error, const char **name) {
  for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++)
    if (error_names[i].error == error) {
      *name = error_names[i].name;
      return CU_OK;
    }
  *name = NULL;
  return CU_INVALID_VALUE;
}

API(cuGetErrorString, int error, const char **text) {
  *text = error == CU_NOT_FOUND ? "named symbol not found"
                                : ((const char *(*)(int))runtime("cudaGetErrorString"))(error);
  return CU_OK;
}

/* ---- devices --------------------------------------------------------------------------------- */

API(cuDeviceGetCount, int *count) { return CALL(cudaGetDeviceCount, (int *))(count); }

API(cuDeviceGet, int *device, int ordinal) {
  *device = ordinal;
  return CALL(cudaSetDevice, (int))(ordinal);
}

API(cuDeviceGetAttribute, int *value, int attribute, int device) {
  return CALL(cudaDeviceGetAttribute, (int *, int, int))(value, attribute, device);
}

API(cuDeviceGetName, char *name, int bytes, int device) {
  char prop[1032]; /* the largest of the three layouts; all begin with the name */
  int error = CALL(cudaGetDeviceProperties, (void *, int))(prop, device);
  if (!error) snprintf(name, (size_t)bytes, "%.255s", prop);
  return error;
}

API(cuDeviceGetUuid, void *uuid, int device) {
  static const char bytes[16] = "gmmu simulated";
  memcpy(uuid, bytes, sizeof bytes);
  return device ? 101 : CU_OK;
}
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

API(cuDeviceComputeCapability, int *major, int *minor, int device) {
  int error = cuDeviceGetAttribute(major, 75, device);
  return error ? error : cuDeviceGetAttribute(minor, 76, device);
}

API(cuDeviceGetPCIBusId, char *name, int bytes, int device) {
  return CALL(cudaDeviceGetPCIBusId, (char *, int, int))(name, bytes, device);
}
API(cuDeviceGetByPCIBusId, int *device, const char *name) {
  return CALL(cudaDeviceGetByPCIBusId, (int *, const char *))(device, name);
}
API(cuDeviceCanAccessPeer, int *can, int device, int peer) {
  return CALL(cudaDeviceCanAccessPeer, (int *, int, int))(can, device, peer);
}
API(cuDeviceGetP2PAttribute, int *value, int attribute, int from, int to) {
  return CALL(cudaDeviceGetP2PAttribute, (int *, int, int, int))(value, attribute, from, to);
}

/* CUdevprop: attributes under old names. */
API(cuDeviceGetProperties, int *prop, int device) {
  static const int attribute[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  int error = CU_OK;
  for (size_t i = 0; !error && i < sizeof attribute / sizeof *attribute; i++)
    error = cuDeviceGetAttribute(&prop[i], attribute[i], device);
  return error;
}

API(cuMemGetInfo_v2, size_t *free_bytes, size_t *total) {
  return CALL(cudaMemGetInfo, (size_t *, size_t *))(free_bytes, total);
}

API(cuDeviceTotalMem_v2, size_t *total, int device) {
  size_t unused;
  (void)device;
  return cuMemGetInfo_v2(&unused, total);
}

/* ---- contexts -------------------------------------------------------------------------------- */

typedef struct context {
  unsigned flags;
} context_t;
enum { STACK_DEPTH = 32, API_VERSION = 3020 };
static context_t primary;
static _Thread_local context_t *stack[STACK_DEPTH];
static _Thread_local unsigned depth;

API(cuCtxSetCurrent, void *context) {
  if (!depth) depth = 1;
  stack[depth - 1] = context;
  if (!context && depth) depth--;
  return CU_OK;
}

API(cuCtxGetCurrent, void **context) {
  *context = depth ? stack[depth - 1] : NULL;
  return CU_OK;
}

API(cuCtxPushCurrent_v2, void *context) {
  if (!context || depth == STACK_DEPTH) return CU_INVALID_CONTEXT;
  stack[depth++] = context;
  return CU_OK;
}

API(cuCtxPopCurrent_v2, void **context) {
  if (!depth) return CU_INVALID_CONTEXT;
  depth--;
  if (context) *context = stack[depth];
  return CU_OK;
}

API(cuCtxCreate_v2, void **context, unsigned flags, int device) {
  int error = CALL(cudaSetDevice, (int))(device);
  context_t *c = error ? NULL : malloc(sizeof *c);
  if (!c) return error ? error : CU_NO_MEMORY;
  c->flags = flags;
  *context = c;
  return cuCtxPushCurrent_v2(c);
}

/* CUDA 12 and 13: parameters of execution, which say nothing here. */
API(cuCtxCreate_v3, void **context, void *params, int count, unsigned flags, int device) {
  (void)params, (void)count;
  return cuCtxCreate_v2(context, flags, device);
}
API(cuCtxCreate_v4, void **context, void *params, unsigned flags, int device) {
  (void)params;
  return cuCtxCreate_v2(context, flags, device);
}

API(cuCtxDestroy_v2, void *context) {
  if (!context || context == &primary) return CU_INVALID_CONTEXT;
  if (depth && stack[depth - 1] == context) depth--;
  free(context);
  return CU_OK;
}

API(cuCtxSynchronize, void) { return CALL(cudaDeviceSynchronize, (void))(); }
API(cuCtxSynchronize_v2, void *context) {
  (void)context;
  return cuCtxSynchronize();
}

API(cuCtxGetDevice, int *device) {
  *device = 0;
  return depth ? CU_OK : CU_INVALID_CONTEXT;
}

API(cuCtxGetFlags, unsigned *flags) {
  if (!depth) return CU_INVALID_CONTEXT;
  *flags = stack[depth - 1]->flags;
  return CU_OK;
}

API(cuCtxGetApiVersion, void *context, unsigned *version) {
  (void)context;
  *version = API_VERSION;
  return CU_OK;
}

API(cuCtxGetLimit, size_t *value, int limit) {
  return CALL(cudaDeviceGetLimit, (size_t *, int))(value, limit);
}
API(cuCtxSetLimit, int limit, size_t value) {
  return CALL(cudaDeviceSetLimit, (int, size_t))(limit, value);
}
API(cuCtxSetCacheConfig, int config) { return CALL(cudaDeviceSetCacheConfig, (int))(config); }
API(cuCtxGetCacheConfig, int *config) { return CALL(cudaDeviceGetCacheConfig, (int *))(config); }
API(cuCtxSetSharedMemConfig, int config) {
  return CALL(cudaDeviceSetSharedMemConfig, (int))(config);
}
API(cuCtxGetSharedMemConfig, int *config) {
  return CALL(cudaDeviceGetSharedMemConfig, (int *))(config);
}
API(cuCtxSetFlags, unsigned flags) {
  if (!depth) return CU_INVALID_CONTEXT;
  stack[depth - 1]->flags = flags;
  return CU_OK;
}
API(cuCtxGetId, void *context, unsigned long long *id) {
  if (!context && depth) context = stack[depth - 1];
  *id = (uintptr_t)context;
  return context ? CU_OK : CU_INVALID_CONTEXT;
}
API(cuCtxAttach, void **context, unsigned flags) {
  if (flags || !depth) return flags ? CU_INVALID_VALUE : CU_INVALID_CONTEXT;
  return cuCtxGetCurrent(context);
}
API(cuCtxDetach, void *context) { return context ? CU_OK : CU_INVALID_CONTEXT; }
API(cuCtxEnablePeerAccess, void *context, unsigned flags) {
  (void)context, (void)flags;
  return CU_INVALID_CONTEXT; /* there is no other device */
}
API(cuCtxDisablePeerAccess, void *context) {
  (void)context;
  return CALL(cudaDeviceDisablePeerAccess, (int))(0);
}
API(cuCtxGetStreamPriorityRange, int *least, int *greatest) {
  return CALL(cudaDeviceGetStreamPriorityRange, (int *, int *))(least, greatest);
}

API(cuDevicePrimaryCtxRetain, void **context, int device) {
  *context = &primary;
  return CALL(cudaSetDevice, (int))(device);
}
API(cuDevicePrimaryCtxRelease_v2, int device) { return device ? 101 : CU_OK; }
API(cuDevicePrimaryCtxReset_v2, int device) {
  return device ? 101 : CALL(cudaDeviceReset, (void))();
}
API(cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags) {
  primary.flags = flags;
  return device ? 101 : CU_OK;
}
API(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active) {
  *flags = primary.flags, *active = 1;
  return device ? 101 : CU_OK;
}

/* ---- streams and events ---------------------------------------------------------------------- */

API(cuStreamCreate, void **stream, unsigned flags) {
  return CALL(cudaStreamCreateWithFlags, (void **, unsigned))(stream, flags);
}
API(cuStreamCreateWithPriority, void **stream, unsigned flags, int priority) {
  return CALL(cudaStreamCreateWithPriority, (void **, unsigned, int))(stream, flags, priority);
}
API(cuStreamDestroy_v2, void *stream) { return CALL(cudaStreamDestroy, (void *))(stream); }
API(cuStreamSynchronize, void *stream) { return CALL(cudaStreamSynchronize, (void *))(stream); }
API(cuStreamQuery, void *stream) { return CALL(cudaStreamQuery, (void *))(stream); }
API(cuStreamWaitEvent, void *stream, void *event, unsigned flags) {
  return CALL(cudaStreamWaitEvent, (void *, void *, unsigned))(stream, event, flags);
}
API(cuStreamGetFlags, void *stream, unsigned *flags) {
  return CALL(cudaStreamGetFlags, (void *, unsigned *))(stream, flags);
}
API(cuStreamGetPriority, void *stream, int *priority) {
  return CALL(cudaStreamGetPriority, (void *, int *))(stream, priority);
}
API(cuStreamGetCtx, void *stream, void **context) {
  (void)stream;
  return cuCtxGetCurrent(context);
}
API(cuStreamGetId, void *stream, unsigned long long *id) {
  return CALL(cudaStreamGetId, (void *, unsigned long long *))(stream, id);
}
API(cuStreamGetDevice, void *stream, int *device) {
  return CALL(cudaStreamGetDevice, (void *, int *))(stream, device);
}
API(cuStreamAttachMemAsync, void *stream, device_ptr_t p, size_t bytes, unsigned flags) {
  return CALL(cudaStreamAttachMemAsync, (void *, device_ptr_t, size_t, unsigned))(stream, p, bytes,
                                                                                  flags);
}
API(cuStreamBeginCapture_v2, void *stream, int mode) {
  return CALL(cudaStreamBeginCapture, (void *, int))(stream, mode);
}
API(cuStreamEndCapture, void *stream, void **graph) {
  return CALL(cudaStreamEndCapture, (void *, void **))(stream, graph);
}
API(cuStreamIsCapturing, void *stream, int *status) {
  return CALL(cudaStreamIsCapturing, (void *, int *))(stream, status);
}
API(cuGraphInstantiateWithFlags, void **exec, void *graph, unsigned long long flags) {
  return CALL(cudaGraphInstantiateWithFlags, (void **, void *, unsigned long long))(exec, graph,
                                                                                    flags);
}
API(cuGraphLaunch, void *exec, void *stream) {
  return CALL(cudaGraphLaunch, (void *, void *))(exec, stream);
}
API(cuGraphDestroy, void *graph) { return CALL(cudaGraphDestroy, (void *))(graph); }
API(cuGraphExecDestroy, void *exec) { return CALL(cudaGraphExecDestroy, (void *))(exec); }
API(cuStreamAddCallback, void *stream, void (*callback)(void *, int, void *), void *data,
    unsigned flags) {
  return CALL(cudaStreamAddCallback, (void *, void (*)(void *, int, void *), void *, unsigned))(
      stream, callback, data, flags);
}
API(cuLaunchHostFunc, void *stream, void (*function)(void *), void *data) {
  return CALL(cudaLaunchHostFunc, (void *, void (*)(void *), void *))(stream, function, data);
}

API(cuEventCreate, void **event, unsigned flags) {
  return CALL(cudaEventCreateWithFlags, (void **, unsigned))(event, flags);
}
API(cuEventDestroy_v2, void *event) { return CALL(cudaEventDestroy, (void *))(event); }
API(cuEventRecord, void *event, void *stream) {
  return CALL(cudaEventRecord, (void *, void *))(event, stream);
}
API(cuEventRecordWithFlags, void *event, void *stream, unsigned flags) {
  return CALL(cudaEventRecordWithFlags, (void *, void *, unsigned))(event, stream, flags);
}
API(cuEventSynchronize, void *event) { return CALL(cudaEventSynchronize, (void *))(event); }
API(cuEventQuery, void *event) { return CALL(cudaEventQuery, (void *))(event); }
API(cuEventElapsedTime, float *ms, void *from, void *to) {
  return CALL(cudaEventElapsedTime, (float *, void *, void *))(ms, from, to);
}
ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);

/* ---- by name --------------------------------------------------------------------------------- */

/* The newest version of a name that is here: programs ask without the suffix. */
API(cuGetProcAddress_v2, const char *name, void **function, int version, uint64_t flags,
    int *status) {
  static const char *const suffix[] = {"_v4", "_v2", ""};
  char full[128];
  (void)version, (void)flags;
  *function = NULL;
  for (size_t i = 0; !*function && i < sizeof suffix / sizeof *suffix; i++) {
    if (strcmp(suffix[i], "_v4") == 0 && strcmp(name, "cuCtxCreate") == 0 && version < 13000)
      continue;
    snprintf(full, sizeof full, "%s%s", name, suffix[i]);
    *function = dlsym(RTLD_DEFAULT, full);
  }
  if (status) *status = *function ? 0 : 1;
  return *function ? CU_OK : CU_NOT_FOUND;
}
API(cuGetProcAddress, const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
