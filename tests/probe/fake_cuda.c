/* A CUDA driver with one GPU of four SMs that has no caches: kernels run one instruction after the
 * other, and a clock counts them. It shows that what device_cuda.c asks of a driver makes sense;
 * times mean nothing. */
#include "driver/driver.h"
#include "ptx/ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT    __attribute__((visibility("default")))
#define GPU_BYTES (512ull << 20)
#define SMS       4u

static devmem_t *memory; /* a driver is one per process */
static ptx_t *program;
static err_t e;

#define X(name, args) int name args;
DRIVER_CALLS(X)
#undef X

EXPORT int cuInit(unsigned flags) {
  return flags || devmem_new(&memory, &e) < 0 || ptx_new(memory, &program, &e) < 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal != 0 ? 101 : 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "fake %d", device);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 16 ? (int)SMS : 0;
  return device;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = memory;
  return device;
}
EXPORT int cuDevicePrimaryCtxRelease(int device) {
  ptx_free(program);
  devmem_free(memory);
  program = NULL, memory = NULL;
  return device;
}
EXPORT int cuCtxSetCurrent(void *context) { return context != memory; }
EXPORT int cuCtxSynchronize(void) { return 0; }
EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all) {
  *left = *all = GPU_BYTES;
  return 0;
}
EXPORT int cuMemAlloc_v2(uint64_t *at, size_t bytes) {
  return devmem_alloc(memory, bytes, 256, "cuMemAlloc", at, &e) < 0;
}
EXPORT int cuMemFree_v2(uint64_t at) { return devmem_release(memory, at, &e) < 0; }
/* Probes need no memory of the host. */
#define NOT_SUPPORTED 801
EXPORT int cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
  (void)at, (void)bytes, (void)flags;
  return NOT_SUPPORTED;
}
EXPORT int cuMemHostGetDevicePointer_v2(devptr_t *at, void *host, unsigned flags) {
  (void)at, (void)host, (void)flags;
  return NOT_SUPPORTED;
}
EXPORT int cuMemFreeHost(void *at) {
  (void)at;
  return NOT_SUPPORTED;
}
EXPORT int cuMemsetD8_v2(devptr_t at, unsigned char value, size_t bytes) {
  (void)at, (void)value, (void)bytes;
  return NOT_SUPPORTED;
}
EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return devmem_write(memory, to, from, bytes, &e) < 0;
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return devmem_read(memory, from, to, bytes, &e) < 0;
}
EXPORT int cuModuleLoadData(void **module, const void *text) {
  *module = memory;
  return ptx_load(program, "module", text, strlen(text), &e) < 0;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  const ptx_kernel_t *k = ptx_kernel(program, -1, name, &e);
  memcpy(function, &k, sizeof k);
  return module != memory || !k;
}
EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                          void **extra) {
  const ptx_kernel_info_t *info = ptx_kernel_info(function);
  uint8_t buffer[256] = {0};
  for (uint32_t i = 0; i < info->params; i++)
    memcpy(buffer + info->param[i].offset, params[i], info->param[i].bytes);
  ptx_launch_t l = {.grid = {gx, gy, gz},
                    .block = {bx, by, bz},
                    .dynamic_shared_bytes = shared,
                    .params = buffer};
  ptx_options_t o = {.sms = SMS};
  return stream || extra || ptx_run(program, function, &l, &o, NULL, NULL, &e) < 0;
}
