/* A CUDA driver with one GPU of four SMs that has no caches: kernels run one instruction after the
 * other, and a clock counts them. It shows that what device_cuda.c asks of a driver makes sense;
 * times mean nothing. */
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

int cuInit(unsigned), cuDeviceGet(int *, int), cuDeviceGetName(char *, int, int);
int cuDeviceGetAttribute(int *, int, int), cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxRelease(int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuMemGetInfo_v2(size_t *, size_t *), cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void *, void **, void **);

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
  ptx_launch_t l = {{gx, gy, gz}, {bx, by, bz}, shared, buffer};
  ptx_options_t o = {.sms = SMS};
  return stream || extra || ptx_run(program, function, &l, &o, NULL, NULL, &e) < 0;
}
