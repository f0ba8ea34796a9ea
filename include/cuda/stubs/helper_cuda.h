#ifndef GMMU_CUDA_HELPER_CUDA_H
#define GMMU_CUDA_HELPER_CUDA_H
/* What programs in the manner of NVIDIA's samples include and rarely bring along: checks of results
 * and the choice of a device. Found only if the program has no such file of its own. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static inline void gmmu_check(cudaError_t e, const char *what, const char *file, int line) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, what, cudaGetErrorString(e),
          cudaGetErrorName(e));
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call)  gmmu_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(text) gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define gpuErrchk(call)        gmmu_check((call), #call, __FILE__, __LINE__)
#define CHECK_CUDA_ERROR(call) gmmu_check((call), #call, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

/* There is one device. */
static inline int findCudaDevice(int, const char **) {
  checkCudaErrors(cudaSetDevice(0));
  return 0;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int gpuDeviceInit(int) { return findCudaDevice(0, NULL); }
static inline bool checkCudaCapabilities(int major, int minor) {
  int a = 0, b = 0;
  cudaDeviceGetAttribute(&a, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&b, cudaDevAttrComputeCapabilityMinor, 0);
  return a > major || (a == major && b >= minor);
}
static inline int _ConvertSMVer2Cores(int major, int) { return major == 6 ? 64 : 128; }
static inline const char *_cudaGetErrorEnum(cudaError_t e) { return cudaGetErrorName(e); }
#endif
