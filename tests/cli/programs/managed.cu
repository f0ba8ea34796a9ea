// Managed variables, before anything is allocated: what only nvcc compiles.
#include <cstdio>

__managed__ int one = 5, many[100000];
__global__ void touch() { one++, many[threadIdx.x + 70000] = threadIdx.x; }

int main() {
  one = 7;
  touch<<<1, 32>>>();
  if (cudaDeviceSynchronize()) return 1;
  printf("%d %d\n", one, many[70003]);
  return 0;
}
