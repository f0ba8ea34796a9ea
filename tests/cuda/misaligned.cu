/* A load at an address that is no multiple of its size: cudaErrorMisalignedAddress. */
#include "check.h"

__global__ void load(const char *p, double *out) { out[threadIdx.x] = *(const double *)(p + 1); }

int main() {
  char *d;
  double *out;
  CUDA(cudaMalloc(&d, 256));
  CUDA(cudaMalloc(&out, 256));
  load<<<1, 8>>>(d, out);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(e));
  want(e == cudaErrorMisalignedAddress, "the kernel's error");
  return pass("misaligned");
}
