#ifndef GMMU_DRIVER_DRIVER_H
#define GMMU_DRIVER_DRIVER_H
/* A real GPU of this computer: the CUDA driver's library, opened at run time, so that nothing here
 * needs CUDA to be built. Prototypes are the driver API's, reduced to integers and pointers, under
 * the names that have them in 64 bits. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t devptr_t; /* an address of the GPU */

/* name, parameters; each returns 0 or the driver's number of an error */
#define DRIVER_CALLS(X)                                                                            \
  X(cuInit, (unsigned))                                                                            \
  X(cuDeviceGet, (int *, int))                                                                     \
  X(cuDeviceGetName, (char *, int, int))                                                           \
  X(cuDeviceGetAttribute, (int *, int, int))                                                       \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                                      \
  X(cuDevicePrimaryCtxRelease, (int))                                                              \
  X(cuCtxSetCurrent, (void *))                                                                     \
  X(cuCtxSynchronize, (void))                                                                      \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                                         \
  X(cuMemAlloc_v2, (devptr_t *, size_t))                                                           \
  X(cuMemFree_v2, (devptr_t))                                                                      \
  X(cuMemHostAlloc, (void **, size_t, unsigned))                                                   \
  X(cuMemHostGetDevicePointer_v2, (devptr_t *, void *, unsigned))                                  \
  X(cuMemFreeHost, (void *))                                                                       \
  X(cuMemsetD8_v2, (devptr_t, unsigned char, size_t))                                              \
  X(cuMemcpyHtoD_v2, (devptr_t, const void *, size_t))                                             \
  X(cuMemcpyDtoH_v2, (void *, devptr_t, size_t))                                                   \
  X(cuModuleLoadData, (void **, const void *))                                                     \
  X(cuModuleGetFunction, (void **, void *, const char *))                                          \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     void *, void **, void **))

#define DRIVER_SM_THREADS 39 /* CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR */

typedef struct {
  void *library, *context;
  int device;
  bool retained;
  uint32_t sms;
#define X(name, args) int(*name) args;
  DRIVER_CALLS(X)
#undef X
} driver_t;

/* The library and the context of GPU number `ordinal`. Whatever it returns, driver_close() ends it;
 * *d begins as zeroes. */
int driver_open(driver_t *d, uint32_t ordinal, err_t *e);
void driver_close(driver_t *d);
/* "the CUDA driver could not WHAT (its error CODE)": GMMU_EIO. */
int driver_failed(err_t *e, const char *what, int code);
#endif
