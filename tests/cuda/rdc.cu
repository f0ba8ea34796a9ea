/* link: -rdc=true */
/* Separate compilation: functions, instances of templates, variables, constants and pointers to
 * functions across files; static ones of the same name stay apart. */
#include "check.h"
#include "rdc.h"

static __device__ int own = 5;
__device__ int common_sum;
__managed__ int shared_by_all = 1; /* its file is loaded first, and calls into the other */
namespace space {
__device__ int in_a_namespace = 11;
static __device__ int own = 50;
} // namespace space
__global__ void first(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = elsewhere(i) + table[i & 3] + operation(i) + own + space::own + counter<int>::one(i) +
           twice(i) + shared_by_all;
  atomicAdd(&calls, 1);
  atomicAdd(&common_sum, i);
}
static __global__ void same_name(int *out) { *out = own; } /* the other file has one, too */

int main() {
  const int n = 200;
  int *d = device_zeros<int>(n), got[2], value = 6;
  std::vector<int> expect(n);
  CUDA(cudaMemcpyToSymbol(own, &value, sizeof value));
  shared_by_all = 3;
  first<<<2, 128>>>(d, n);
  LAUNCHED();
  for (int i = 0; i < n; i++)
    expect[i] = 10 * i + 1 + (i & 3) + i + 100 + 6 + 50 + i + 1 + 2 * i + 3;
  same("first", to_host(d, n), expect);
  second(d, n);
  LAUNCHED();
  for (int i = 0; i < n; i++) expect[i] = n + n * (n - 1) / 2 + 8 + 11 + i + 1;
  same("second", to_host(d, n), expect);
  CUDA(cudaMemcpyFromSymbol(&got[0], calls, sizeof(int))); /* a variable of the other file */
  CUDA(cudaMemcpyFromSymbol(&got[1], common_sum, sizeof(int)));
  want(got[0] == n && got[1] == n * (n - 1) / 2, "variables of both files");
  same_name<<<1, 1>>>(d);
  second_same_name(d + 1);
  LAUNCHED();
  want(to_host(d, 2)[0] == 6 && to_host(d, 2)[1] == 108, "static kernels of one name");
  return pass("rdc", expect);
}
