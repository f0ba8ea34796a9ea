/* Libraries: modules that a program loads while it runs. The driver's library has them; a kernel of
 * one is launched under the address that the driver registered it with. */
#include "cudart/rt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void (*any_function_t)(void);

/* The driver's function, or NULL. The driver asks this library in turn: no lock is held here. */
static any_function_t driver(const char *name) {
  any_function_t f = NULL;
  void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void *symbol = lib ? dlsym(lib, name) : NULL;
  if (!symbol) fprintf(stderr, "gmmu: libcudart finds no libcuda.so.1 with %s\n", name);
  memcpy(&f, &symbol, sizeof f);
  return f;
}

/* CUresult's numbers for what can go wrong here are cudaError_t's. */
static cuda_error_t said(int error) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, (cuda_error_t)error);
}
#define DRIVER(name, types, ...)                                                                   \
  do {                                                                                             \
    int(*f_) types = (int(*) types)driver(#name);                                                  \
    return said(f_ ? f_ __VA_ARGS__ : cudaErrorNotSupported);                                      \
  } while (0)

API(cudaLibraryLoadData, void **library, const void *code, const void *jit, void **jit_values,
    unsigned jits, const void *options, void **values, unsigned count) {
  if (!library || !code) return said(cudaErrorInvalidValue);
  DRIVER(cuLibraryLoadData,
         (void **, const void *, const void *, void **, unsigned, const void *, void **, unsigned),
         (library, code, jit, jit_values, jits, options, values, count));
}
API(cudaLibraryLoadFromFile, void **library, const char *path, const void *jit, void **jit_values,
    unsigned jits, const void *options, void **values, unsigned count) {
  if (!library || !path) return said(cudaErrorInvalidValue);
  DRIVER(cuLibraryLoadFromFile,
         (void **, const char *, const void *, void **, unsigned, const void *, void **, unsigned),
         (library, path, jit, jit_values, jits, options, values, count));
}
API(cudaLibraryUnload, void *library) { DRIVER(cuLibraryUnload, (void *), (library)); }
API(cudaLibraryGetKernel, void **kernel, void *library, const char *name) {
  if (!kernel || !library || !name) return said(cudaErrorInvalidValue);
  DRIVER(cuLibraryGetKernel, (void **, void *, const char *), (kernel, library, name));
}
API(cudaLibraryGetGlobal, void **where, size_t *bytes, void *library, const char *name) {
  DRIVER(cuLibraryGetGlobal, (void **, size_t *, void *, const char *),
         (where, bytes, library, name));
}
API(cudaLibraryGetManaged, void **where, size_t *bytes, void *library, const char *name) {
  DRIVER(cuLibraryGetManaged, (void **, size_t *, void *, const char *),
         (where, bytes, library, name));
}
