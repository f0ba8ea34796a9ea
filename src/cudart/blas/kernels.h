#ifndef GMMU_CUDART_BLAS_KERNELS_H
#define GMMU_CUDART_BLAS_KERNELS_H
/* What our cuBLAS and cuFFT share: kernels by name, from the PTX that is part of the library. They
 * go through the libcudart of the process, so what they do to memory is simulated like all else. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define API(name, ...)                                                                             \
  EXPORT int name(__VA_ARGS__);                                                                    \
  int name(__VA_ARGS__)
typedef void (*any_function_t)(void);
any_function_t runtime(const char *name); /* of libcudart */
#define CALL(name, types) ((int(*) types)runtime(#name))

/* Launches the kernel; args are the addresses of its arguments. A cudaError_t. */
int kernel_launch(const char *name, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  void *stream, void **args);
/* One line on stderr, once per `said`: what is not there. */
int not_there(int *said, const char *name, int error);
#endif
