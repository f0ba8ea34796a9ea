/* check.h for programs of the driver API. */
#ifndef DRIVER_CHECK_H
#define DRIVER_CHECK_H
#include "check.h"
#include <cuda.h>

#define DRIVER(call)                                                                               \
  do {                                                                                             \
    CUresult result_ = (call);                                                                     \
    if (result_ != CUDA_SUCCESS) {                                                                 \
      const char *name_ = "?";                                                                     \
      cuGetErrorName(result_, &name_);                                                             \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);                                 \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)
#endif
