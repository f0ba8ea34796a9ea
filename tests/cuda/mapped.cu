/* Zero copy: pinned and registered host memory used by a kernel at its device address. */
#include "check.h"

__global__ void add(const int *a, const int *b, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 3000;
  int *a, *b, *c, *da, *db, *dc;
  CUDA(cudaSetDeviceFlags(cudaDeviceMapHost));
  CUDA(cudaHostAlloc((void **)&a, n * sizeof(int), cudaHostAllocMapped));
  CUDA(cudaHostAlloc((void **)&c, n * sizeof(int),
                     cudaHostAllocMapped | cudaHostAllocWriteCombined));
  b = (int *)aligned_alloc(4096, 4 * 4096);
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;
  CUDA(cudaHostRegister(b, 4 * 4096, cudaHostRegisterMapped));
  CUDA(cudaHostGetDevicePointer((void **)&da, a, 0));
  CUDA(cudaHostGetDevicePointer((void **)&db, b, 0));
  CUDA(cudaHostGetDevicePointer((void **)&dc, c, 0));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  LAUNCHED();
  for (int i = 0; i < n; i++) want(c[i] == 3 * i, "sum in host memory");
  CUDA(cudaHostUnregister(b));
  for (int i = 0; i < n; i++) want(b[i] == 2 * i, "registered memory keeps its contents");
  CUDA(cudaFreeHost(a));
  CUDA(cudaFreeHost(c));
  free(b);
  return pass("mapped");
}
