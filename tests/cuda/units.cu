/* Several files, each its own module with a variable of the same name. */
#include "check.h"
#include "units.h"

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = twice(i), atomicAdd(&calls, 1);
}

int main() {
  const int n = 300;
  int *d = device_zeros<int>(n), count;
  std::vector<int> expect(n);
  fill<<<3, 128>>>(d, n);
  second_fill(d, n);
  LAUNCHED();
  for (int i = 0; i < n; i++) expect[i] = 2 * i + 4 * i + 1;
  same("both", to_host(d, n), expect);
  CUDA(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  want(count == n && second_count() == 2, "each module has its own variable");
  return pass("units", expect);
}
