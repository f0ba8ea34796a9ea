/* The device: one, as the chosen preset describes it. Its properties are prop.def, its attributes
 * attr.def; limits and configurations are kept and have no effect, since the preset fixes them. */
#include "cudart/rt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { LIMITS = 7, VERSION = CUDA_MAJOR == 11 ? 11080 : CUDA_MAJOR == 12 ? 12090 : 13000 };

#define VALUE(type, name, dims, ...) .name = __VA_ARGS__,
#define NO_VALUE(type, name, dims, ...)
#define ALL VALUE
#define OLD VALUE
#define NEW NO_VALUE
#define V12 NO_VALUE
#define V13 NO_VALUE
#if CUDA_MAJOR < 13
static cuda_prop11_t prop11(const wire_device_t *d) {
  cuda_prop11_t p = {
#include "cudart/prop.def"
  };
  memcpy(p.name, d->name, sizeof d->name);
  return p;
}
#endif
#undef NEW
#undef V12
#define NEW VALUE
#define V12 VALUE
static cuda_prop12_t prop12(const wire_device_t *d) {
  cuda_prop12_t p = {
#include "cudart/prop.def"
  };
  memcpy(p.name, d->name, sizeof d->name);
  return p;
}
#undef OLD
#undef V12
#undef V13
#define OLD NO_VALUE
#define V12 NO_VALUE
#define V13 VALUE
static cuda_prop13_t prop13(const wire_device_t *d) {
  cuda_prop13_t p = {
#include "cudart/prop.def"
  };
  memcpy(p.name, d->name, sizeof d->name);
  return p;
}
#undef ALL
#undef OLD
#undef NEW
#undef V12
#undef V13

static cuda_error_t device_check(const rt_t *rt, int device) {
  return rt->status ? rt->status : device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Each library writes the structure its programs were compiled with; 12 has two names, of which the
 * older is for programs compiled against 11's layout. */
#define PROPERTIES(name, prop_t, make)                                                             \
  API(name, prop_t *out, int device) {                                                             \
    rt_t *rt = rt_enter();                                                                         \
    cuda_error_t error = out ? device_check(rt, device) : cudaErrorInvalidValue;                   \
    if (!error) *out = make(&rt->device);                                                          \
    return rt_leave(rt, error);                                                                    \
  }                                                                                                \
  _Static_assert(sizeof(prop_t) > 0, "takes the semicolon")
#if CUDA_MAJOR >= 13
PROPERTIES(cudaGetDeviceProperties, cuda_prop13_t, prop13);
#else
PROPERTIES(cudaGetDeviceProperties, cuda_prop11_t, prop11);
#endif
PROPERTIES(cudaGetDeviceProperties_v2, cuda_prop12_t, prop12);

static cuda_error_t attribute(const wire_device_t *d, int number, int *value) {
  const cuda_prop13_t prop = prop13(d), *p = &prop;
  switch (number) {
#define ROW(n, v)                                                                                  \
  case n:                                                                                          \
    *value = (int)(v);                                                                             \
    return cudaSuccess;
#include "cudart/attr.def"
#undef ROW
  default: return cudaErrorInvalidValue;
  }
}

API(cudaDeviceGetAttribute, int *value, int number, int device) {
  rt_t *rt = rt_enter();
  cuda_error_t error = value ? device_check(rt, device) : cudaErrorInvalidValue;
  return rt_leave(rt, error ? error : attribute(&rt->device, number, value));
}

/* --- which device --- */

API(cudaGetDeviceCount, int *count) {
  rt_t *rt = rt_enter();
  if (!count) return rt_leave(rt, cudaErrorInvalidValue);
  *count = rt->status ? 0 : 1;
  return rt_leave(rt, rt->status);
}

API(cudaGetDevice, int *device) {
  rt_t *rt = rt_enter();
  if (device) *device = 0;
  return rt_leave(rt, device ? rt->status : cudaErrorInvalidValue);
}

API(cudaSetDevice, int device) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, device_check(rt, device));
}

API(cudaInitDevice, int device, unsigned device_flags, unsigned flags) {
  (void)device_flags, (void)flags;
  return cudaSetDevice(device);
}

API(cudaChooseDevice, int *device, const void *prop) {
  (void)prop;
  return cudaGetDevice(device);
}

API(cudaSetValidDevices, int *devices, int count) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, devices && count > 0 ? device_check(rt, devices[0]) : cudaErrorInvalidValue);
}

API(cudaSetDeviceFlags, unsigned flags) {
  rt_t *rt = rt_enter();
  rt->device_flags = flags;
  return rt_leave(rt, cudaSuccess);
}

API(cudaGetDeviceFlags, unsigned *flags) {
  rt_t *rt = rt_enter();
  if (flags) *flags = rt->device_flags;
  return rt_leave(rt, flags ? cudaSuccess : cudaErrorInvalidValue);
}

API(cudaDeviceGetPCIBusId, char *out, int bytes, int device) {
  rt_t *rt = rt_enter();
  if (!out || bytes < 1) return rt_leave(rt, cudaErrorInvalidValue);
  snprintf(out, (size_t)bytes, "0000:00:00.0");
  return rt_leave(rt, device_check(rt, device));
}

API(cudaDeviceGetByPCIBusId, int *device, const char *id) {
  (void)id;
  return cudaGetDevice(device);
}

API(cudaDriverGetVersion, int *version) {
  if (version) *version = VERSION;
  return version ? cudaSuccess : cudaErrorInvalidValue;
}
ALIAS(cudaRuntimeGetVersion, cudaDriverGetVersion);

/* --- functions of the driver, by name: our libcuda's --- */

enum { ENTRY_FOUND, ENTRY_UNKNOWN }; /* cudaDriverEntryPointQueryResult */

API(cudaGetDriverEntryPointByVersion, const char *name, void **function, unsigned version,
    unsigned long long flags, int *found) {
  if (!name || !function) return cudaErrorInvalidValue;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void *symbol = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
  int (*get)(const char *, void **, int, uint64_t, int *);
  *function = NULL;
  if (symbol) {
    memcpy(&get, &symbol, sizeof get);
    get(name, function, (int)version, flags, NULL);
  }
  if (found) *found = *function ? ENTRY_FOUND : ENTRY_UNKNOWN;
  return *function || found ? cudaSuccess : cudaErrorSymbolNotFound;
}
ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);
#if CUDA_MAJOR == 11
API(cudaGetDriverEntryPoint, const char *name, void **function, unsigned long long flags) {
  return cudaGetDriverEntryPointByVersion(name, function, VERSION, flags, NULL);
}
#else
API(cudaGetDriverEntryPoint, const char *name, void **function, unsigned long long flags,
    int *found) {
  return cudaGetDriverEntryPointByVersion(name, function, VERSION, flags, found);
}
#endif
ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

/* --- one device has no peers --- */

API(cudaDeviceCanAccessPeer, int *can, int device, int peer) {
  (void)peer;
  rt_t *rt = rt_enter();
  if (can) *can = 0;
  return rt_leave(rt, can ? device_check(rt, device) : cudaErrorInvalidValue);
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
  (void)flags;
  rt_t *rt = rt_enter();
  (void)peer; /* itself, or none */
  return rt_leave(rt, cudaErrorInvalidDevice);
}

API(cudaDeviceDisablePeerAccess, int peer) {
  (void)peer;
  return rt_leave(rt_enter(), cudaErrorPeerAccessNotEnabled);
}

API(cudaDeviceGetP2PAttribute, int *value, int number, int from, int to) {
  (void)value, (void)number, (void)from, (void)to;
  return rt_leave(rt_enter(), cudaErrorInvalidDevice);
}

/* --- waiting, starting anew --- */

API(cudaDeviceSynchronize, void) {
  rt_t *rt = rt_enter();
  order_host_waits_all(rt);
  return rt_leave(rt, rt->status);
}
ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
ALIAS(cudaCtxResetPersistingL2Cache, cudaDeviceSynchronize);

API(cudaDeviceReset, void) {
  rt_t *rt = rt_enter();
  if (rt->status) return rt_leave(rt, rt->status);
  memory_forget(rt);
  cuda_error_t error = wire_ask(rt, WIRE_RESET, 0, 0, 0, 0, NULL);
  if (!error && rt->sticky) rt->sticky = cudaSuccess, rt_error_set(cudaSuccess);
  arrays_forget(rt), streams_forget(rt), events_forget(rt), textures_forget(rt), graphs_forget(rt),
      pools_forget(rt), pieces_forget(rt), order_forget(rt);
  modules_forget(rt);
  return rt_leave(rt, error);
}
ALIAS(cudaThreadExit, cudaDeviceReset);

API(cudaProfilerStart, void) { return cudaSuccess; }
ALIAS(cudaProfilerStop, cudaProfilerStart);

/* --- limits and configurations --- */

/* Of a fresh device, as NVIDIA's documentation gives them: stack, printf buffer, heap, nesting of
 * launches and their number, bytes fetched to L2, persisting L2. 0 stands for "as is". */
#define LIMIT_HEAP 2
static const size_t limit_default[LIMITS] = {1024, 1u << 20, 8u << 20, 2, 2048, 128, 0};

API(cudaDeviceSetLimit, int limit, size_t value) {
  rt_t *rt = rt_enter();
  if (limit < 0 || limit >= LIMITS) return rt_leave(rt, cudaErrorUnsupportedLimit);
  if (limit == LIMIT_HEAP && value > WIRE_HEAP_BYTES && rt->limit[limit] <= WIRE_HEAP_BYTES)
    rt_say(
        "cudaLimitMallocHeapSize: kernels have a heap of %u MB, so malloc() in them may return 0",
        WIRE_HEAP_BYTES >> 20);
  rt->limit[limit] = value;
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);

API(cudaDeviceGetLimit, size_t *value, int limit) {
  rt_t *rt = rt_enter();
  if (!value) return rt_leave(rt, cudaErrorInvalidValue);
  if (limit < 0 || limit >= LIMITS) return rt_leave(rt, cudaErrorUnsupportedLimit);
  *value = rt->limit[limit] ? rt->limit[limit] : limit_default[limit];
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);

API(cudaDeviceSetCacheConfig, int config) {
  rt_t *rt = rt_enter();
  rt->cache_config = config;
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

API(cudaDeviceGetCacheConfig, int *config) {
  rt_t *rt = rt_enter();
  if (config) *config = rt->cache_config;
  return rt_leave(rt, config ? cudaSuccess : cudaErrorInvalidValue);
}
ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

API(cudaDeviceSetSharedMemConfig, int config) {
  rt_t *rt = rt_enter();
  rt->shared_config = config;
  return rt_leave(rt, cudaSuccess);
}

API(cudaDeviceGetSharedMemConfig, int *config) {
  rt_t *rt = rt_enter();
  if (config) *config = rt->shared_config ? rt->shared_config : 1; /* banks of four bytes */
  return rt_leave(rt, config ? cudaSuccess : cudaErrorInvalidValue);
}

API(cudaDeviceGetTexture1DLinearMaxWidth, size_t *width, const cuda_channel_t *c, int device) {
  rt_t *rt = rt_enter();
  cuda_error_t error = width && c ? device_check(rt, device) : cudaErrorInvalidValue;
  if (!error) *width = 1u << 28;
  return rt_leave(rt, error);
}
