/* Variables that the host and kernels share: read and written on both sides, initialised, passed by
 * address, copied to and from by symbol. */
#include "check.h"

__managed__ int counter = 3;
__device__ __managed__ float table[16] = {1, 2, 3};
__managed__ unsigned long long hits;
static int neighbour = 77; /* of the host; may lie behind a shared one in memory */
struct pair_t {
  int first;
  double second;
};
__managed__ pair_t pairs[300];

__global__ void change() {
  counter++;
  table[5] = table[1] + table[2];
  atomicAdd(&hits, 1ull);
}
__global__ void fill(pair_t *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].first = 2 * i, p[i].second += 0.5 * i;
}

int main() {
  want(counter == 3 && table[2] == 3 && table[3] == 0 && hits == 0, "the first values");
  counter = 10, neighbour++;
  pairs[7].second = 100;
  change<<<2, 1>>>();
  fill<<<3, 128>>>(pairs, 300);
  LAUNCHED();
  want(counter >= 11 && table[5] == 5 && hits == 2 && neighbour == 78, "what a kernel wrote");
  for (int i = 0; i < 300; i++)
    want(pairs[i].first == 2 * i && pairs[i].second == 0.5 * i + (i == 7 ? 100 : 0), "an array");
  int nine = 9, got = 0;
  CUDA(cudaMemcpyToSymbol(counter, &nine, sizeof nine));
  want(counter == 9, "a copy to the symbol");
  counter = 21;
  CUDA(cudaMemcpyFromSymbol(&got, counter, sizeof got));
  want(got == 21, "a copy from the symbol");
  cudaPointerAttributes a;
  CUDA(cudaPointerGetAttributes(&a, &counter));
  want(a.type == cudaMemoryTypeManaged, "the kind of memory");
  void *where;
  CUDA(cudaGetSymbolAddress(&where, hits));
  CUDA(cudaMemset(where, 0, sizeof hits));
  want(hits == 0, "a fill by address");
  return pass("managed_variables");
}
