#include "check.h"
#include "units.h"

namespace {
__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 2 * twice(i) + 1;
  if (threadIdx.x == 0) atomicAdd(&calls, 1);
}
} // namespace

void second_fill(int *p, int n) { fill<<<2, 256>>>(p, n); }
int second_count() {
  int count;
  CUDA(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  return count;
}
