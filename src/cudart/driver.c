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
                   {100, "CUDA_ERROR_NO_DEVICE"},
                   {101, "CUDA_ERROR_INVALID_DEVICE"},
                   {200, "CUDA_ERROR_INVALID_IMAGE"},
                   {201, "CUDA_ERROR_INVALID_CONTEXT"},
                   {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                   {218, "CUDA_ERROR_INVALID_PTX"},
                   {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                   {400, "CUDA_ERROR_INVALID_HANDLE"},
                   {500, "CUDA_ERROR_NOT_FOUND"},
                   {600, "CUDA_ERROR_NOT_READY"},
                   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                   {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                   {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                   {710, "CUDA_ERROR_ASSERT"},
                   {714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
                   {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                   {719, "CUDA_ERROR_LAUNCH_FAILED"},
                   {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
                   {801, "CUDA_ERROR_NOT_SUPPORTED"},
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
