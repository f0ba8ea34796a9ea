/* Linked lists built with malloc on the device, walked and freed by other kernels. */
#include "check.h"

struct node {
  int value;
  node *next;
};
__device__ node *head[64];

__global__ void build(int length) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < length + t % 4; i++) {
    node *n = (node *)malloc(sizeof(node));
    n->value = t * 100 + i, n->next = head[t];
    head[t] = n;
  }
}
__global__ void reverse() {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  node *done = NULL;
  for (node *n = head[t]; n;) {
    node *next = n->next;
    n->next = done, done = n, n = next;
  }
  head[t] = done;
}
__global__ void sum_and_free(int *sum, int *first) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  first[t] = head[t]->value;
  for (node *n = head[t]; n;) {
    node *next = n->next;
    sum[t] += n->value;
    free(n);
    n = next;
  }
}

int main() {
  const int n = 64, length = 9;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
  int *sum = device_zeros<int>(n), *first = device_zeros<int>(n);
  build<<<2, 32>>>(length);
  reverse<<<1, 64>>>();
  sum_and_free<<<2, 32>>>(sum, first);
  LAUNCHED();
  std::vector<int> expect(n), heads(n);
  for (int t = 0; t < n; t++) {
    heads[t] = t * 100;
    for (int i = 0; i < length + t % 4; i++) expect[t] += t * 100 + i;
  }
  same("sum", to_host(sum, n), expect);
  same("first", to_host(first, n), heads);
  return pass("device_lists", expect);
}
