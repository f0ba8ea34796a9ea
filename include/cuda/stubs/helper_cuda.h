#ifndef GMMU_CUDA_HELPER_CUDA_H
#define GMMU_CUDA_HELPER_CUDA_H
/* What programs in the manner of NVIDIA's samples include and rarely bring along: checks of results
 * and the choice of a device. Found only if the program has no such file of its own. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static inline void gmmu_check(cudaError_t __e, const char *__what, const char *__file, int line) {
  if (__e == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", __file, line, __what, cudaGetErrorString(__e),
          cudaGetErrorName(__e));
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(__call)  gmmu_check((__call), #__call, __FILE__, __LINE__)
#define getLastCudaError(text)   gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define gpuErrchk(__call)        gmmu_check((__call), #__call, __FILE__, __LINE__)
#define CHECK_CUDA_ERROR(__call) gmmu_check((__call), #__call, __FILE__, __LINE__)
#ifndef MAX
#define MAX(__a, __b) ((__a) > (__b) ? (__a) : (__b))
#endif
#ifndef MIN
#define MIN(__a, __b) ((__a) < (__b) ? (__a) : (__b))
#endif

/* There is one device. */
static inline int findCudaDevice(int, const char **) {
  checkCudaErrors(cudaSetDevice(0));
  return 0;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int gpuDeviceInit(int) { return findCudaDevice(0, NULL); }
static inline bool checkCudaCapabilities(int major, int minor) {
  int __a = 0, __b = 0;
  cudaDeviceGetAttribute(&__a, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&__b, cudaDevAttrComputeCapabilityMinor, 0);
  return __a > major || (__a == major && __b >= minor);
}
static inline int _ConvertSMVer2Cores(int major, int) { return major == 6 ? 64 : 128; }
static inline const char *_cudaGetErrorEnum(cudaError_t __e) { return cudaGetErrorName(__e); }
#endif
