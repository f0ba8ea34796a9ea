/* What the programs that call cuBLAS share. */
#ifndef BLAS_CHECK_H
#define BLAS_CHECK_H
#include "check.h"
#include <cublas_v2.h>

#define BLAS(call)                                                                                 \
  do {                                                                                             \
    cublasStatus_t status_ = (call);                                                               \
    if (status_ != CUBLAS_STATUS_SUCCESS) {                                                        \
      printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)status_);                          \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)

/* A whole number of at most this size, so that sums are exact. */
static inline int small_number(int range) {
  return (int)(random_u32() % (unsigned)(2 * range + 1)) - range;
}
#endif
