/* A store outside every allocation must come back as cudaErrorIllegalAddress, and stay. */
#include "check.h"

__global__ void store(int *p, long at) { p[at + threadIdx.x] = 1; }

int main() {
  int *d;
  CUDA(cudaMalloc(&d, 1024));
  store<<<1, 32>>>(d, 0);
  CUDA(cudaDeviceSynchronize());
  store<<<1, 32>>>(d, 1l << 32);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(e));
  want(e == cudaErrorIllegalAddress, "the kernel's error");
  int h;
  want(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress, "it is sticky");
  return pass("bad_address");
}
