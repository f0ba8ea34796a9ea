#ifndef GMMU_CUDART_DRIVER_H
#define GMMU_CUDART_DRIVER_H
/* What the parts of libcuda.so.1 share. Every call goes to the libcudart of the same process,
 * whichever it is, so there is one connection. CUresult's numbers are cudaError_t's but for a few,
 * which driver_result() translates. Streams and events are the runtime's objects; a context is a
 * name, because there is one device and one address space. */
#include "gmmu/wire.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define API(name, ...)                                                                             \
  EXPORT int name(__VA_ARGS__);                                                                    \
  int name(__VA_ARGS__)
#define ALIAS(name, target) extern EXPORT __typeof__(target) name __attribute__((alias(#target)))
/* The runtime's function of this name and argument types. */
#define CALL(name, types) ((int(*) types)runtime(#name))

typedef void (*any_function_t)(void);
typedef uint64_t device_ptr_t; /* CUdeviceptr */

enum {
  CU_OK = 0,
  CU_INVALID_VALUE = 1,
  CU_NO_MEMORY = 2,
  CU_INVALID_IMAGE = 200,
  CU_INVALID_CONTEXT = 201,
  CU_FILE_NOT_FOUND = 301,
  CU_INVALID_HANDLE = 400,
  CU_NOT_FOUND = 500,
  CU_NOT_SUPPORTED = 801
};

any_function_t runtime(const char *name);
int driver_result(int error);
int cuCtxGetCurrent(void **context);
#endif
