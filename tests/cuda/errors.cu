/* What the runtime refuses: each wrong call has its code, and a code is told once. */
#include "check.h"

__global__ void nothing() {}
__global__ void need(int *p) { *p = 1; }

int main() {
  void *p = NULL;
  int n;
  want(cudaSetDevice(1000) == cudaErrorInvalidDevice, "no such device");
  want(cudaGetLastError() == cudaErrorInvalidDevice, "the last error");
  want(cudaGetLastError() == cudaSuccess, "is told once");
  want(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation, "more than there is");
  (void)cudaGetLastError();
  nothing<<<1, 5000>>>();
  want(cudaPeekAtLastError() == cudaErrorInvalidConfiguration, "too many threads");
  want(cudaGetLastError() == cudaErrorInvalidConfiguration, "peeking leaves it");
  nothing<<<0, 32>>>();
  want(cudaGetLastError() == cudaErrorInvalidConfiguration, "an empty grid");
  nothing<<<1, 32, 10 << 20>>>();
  want(cudaGetLastError() != cudaSuccess, "too much shared memory");
  want(cudaMemcpy(&n, NULL, 4, (cudaMemcpyKind)77) != cudaSuccess, "an unknown direction");
  (void)cudaGetLastError();
  want(cudaFree((void *)0x1234) != cudaSuccess, "a pointer that was never allocated");
  (void)cudaGetLastError();
  CUDA(cudaFree(NULL));
  CUDA(cudaGetDeviceCount(&n));
  want(n >= 1, "a device");
  want(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0, "names");
  want(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0, "texts");
  nothing<<<1, 32>>>();
  LAUNCHED();
  return pass("errors");
}
