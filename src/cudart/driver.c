/* libcuda.so.1: the few calls of the driver's interface that programs of the runtime's mix in. They
 * go to the libcudart of the same process, whichever it is, so there is one connection.
 * CUresult's numbers are cudaError_t's where these functions need them. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define API(name, ...)                                                                             \
  EXPORT int name(__VA_ARGS__);                                                                    \
  int name(__VA_ARGS__)
#define CALL(name, types) ((int(*) types)runtime(#name))

typedef void (*any_function_t)(void);

/* The program's libcudart, or the newest of ours beside this library; without either no call can
 * be answered, and a program without the driver's library would not have started. */
static any_function_t runtime(const char *name) {
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

API(cuInit, unsigned flags) {
  int count;
  (void)flags;
  return CALL(cudaGetDeviceCount, (int *))(&count);
}

API(cuDriverGetVersion, int *version) { return CALL(cudaDriverGetVersion, (int *))(version); }
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

API(cuMemGetInfo_v2, size_t *free_bytes, size_t *total) {
  return CALL(cudaMemGetInfo, (size_t *, size_t *))(free_bytes, total);
}

API(cuDeviceTotalMem_v2, size_t *total, int device) {
  size_t unused;
  (void)device;
  return cuMemGetInfo_v2(&unused, total);
}

API(cuGetErrorName, int error, const char **name) {
  *name = ((const char *(*)(int))runtime("cudaGetErrorName"))(error);
  return 0;
}

API(cuGetErrorString, int error, const char **text) {
  *text = ((const char *(*)(int))runtime("cudaGetErrorString"))(error);
  return 0;
}
