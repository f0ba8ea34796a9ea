#include "rdc.h"

static __device__ int own = 7;
static __device__ int plus_hundred(int i) { return i + 100; }
namespace space {
extern __device__ int in_a_namespace;
}
__device__ int calls;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ operation_t operation = plus_hundred;
__device__ __noinline__ int elsewhere(int i) { return 10 * i; }
template <class T> __device__ T twice(T i) { return 2 * i; }
template __device__ int twice<int>(int i);

__global__ void sum(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = calls + common_sum + own + space::in_a_namespace + counter<int>::one(i);
}
void second(int *out, int n) {
  int value = 8;
  cudaMemcpyToSymbol(own, &value, sizeof value);
  sum<<<2, 128>>>(out, n);
}
static __global__ void same_name(int *out) { *out = own + 100; }
void second_same_name(int *out) { same_name<<<1, 1>>>(out); }
