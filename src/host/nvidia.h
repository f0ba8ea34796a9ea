#ifndef GMMU_HOST_NVIDIA_H
#define GMMU_HOST_NVIDIA_H
/* What CUDA programs use besides kernels and the runtime, and gmmu does not have: NVIDIA's
 * libraries, the driver's interface, parts of the runtime's. Named by the words that compilers,
 * linkers and ELF files have for them. */
#include <stdbool.h>
#include <stddef.h>

/* The library that `word` belongs to ("cuBLAS" for libcublas.so.12, -lcublas, cublas_v2.h,
 * cublasCreate_v2); NULL if to none. */
const char *nvidia_library(const char *word);
/* Does gmmu have calls of the library of this name? */
bool nvidia_has_some(const char *name);
/* The part of CUDA that an identifier belongs to ("mip-mapped arrays" for
 * cudaMallocMipmappedArray); NULL: none that is missing. */
const char *nvidia_feature(const char *identifier);
/* The driver's interface: cuLaunchKernel, but not cudaLaunchKernel. */
bool nvidia_is_driver(const char *identifier);
/* A name of the runtime's: cudaLaunchKernel. */
bool nvidia_is_runtime(const char *identifier);

/* What the program file needs and cannot have here, as a sentence without its subject ("needs
 * cuBLAS (libcublas.so.12), which ..."); false: nothing that is known. `library_dir` is where
 * libcudart and libcuda of ours are. */
bool nvidia_lacks(const char *program, const char *library_dir, char *text, size_t size);
/* What to do about a library, for the end of a sentence. */
#define NVIDIA_ADVICE                                                                              \
  "gmmu does not have it: replace its calls by kernels of the program's own, or leave them out"
#define NVIDIA_SOME_ADVICE "of which gmmu does not have this name; those it has stand "
#define NVIDIA_DRIVER_ADVICE                                                                       \
  "of which gmmu has devices, contexts, modules, launches, memory, streams and events "            \
  "(docs/cuda-runtime.md)"
#endif
