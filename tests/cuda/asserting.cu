/* assert() in a kernel: what holds is silent, what fails is cudaErrorAssert. */
#undef NDEBUG
#include "check.h"
#include <assert.h>

__global__ void test(int limit) { assert(threadIdx.x < limit); }

int main() {
  test<<<1, 32>>>(32);
  CUDA(cudaDeviceSynchronize());
  test<<<1, 32>>>(10);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(e));
  want(e == cudaErrorAssert, "the kernel's error");
  return pass("asserting");
}
