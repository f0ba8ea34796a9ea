/* Managed memory, touched by host and device in turn; a structure that points to itself. */
#include "check.h"

struct tree {
  tree *left, *right;
  int value, sum;
};
__global__ void sum_nodes(tree *t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  t[i].sum = t[i].value + (t[i].left ? t[i].left->value : 0) + (t[i].right ? t[i].right->value : 0);
}
__global__ void fill(int *v, int n, int x) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] += x + i;
}

int main() {
  const int n = 1000;
  tree *t;
  int *v;
  CUDA(cudaMallocManaged(&t, n * sizeof(tree)));
  CUDA(cudaMallocManaged(&v, n * sizeof(int)));
  for (int i = 0; i < n; i++) {
    t[i].value = i * 3, v[i] = 7;
    t[i].left = 2 * i + 1 < n ? &t[2 * i + 1] : NULL;
    t[i].right = 2 * i + 2 < n ? &t[2 * i + 2] : NULL;
  }
  sum_nodes<<<(n + 127) / 128, 128>>>(t, n);
  fill<<<1, 128>>>(v, n, 5);
  LAUNCHED();
  for (int i = 0; i < n; i++) {
    int s = 3 * i + (2 * i + 1 < n ? 6 * i + 3 : 0) + (2 * i + 2 < n ? 6 * i + 6 : 0);
    want(t[i].sum == s, "sum of a node");
    want(v[i] == 12 + i, "filled");
    v[i] = 0;
  }
  fill<<<1, 64>>>(v, n, 1);
  LAUNCHED();
  long total = 0;
  for (int i = 0; i < n; i++) total += v[i];
  want(total == n + (long)n * (n - 1) / 2, "second round");
  int mostly = -1, last = 0, by[2] = {7, 7};
#if CUDART_VERSION >= 13000
  cudaMemLocation where = {};
  where.type = cudaMemLocationTypeDevice;
#else
  int where = 0;
#endif
  CUDA(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, v, 400));
  want(last == cudaInvalidDeviceId, "nothing was fetched");
  CUDA(cudaMemAdvise(v, n * sizeof(int), cudaMemAdviseSetReadMostly, where));
  CUDA(cudaMemAdvise(v, n * sizeof(int), cudaMemAdviseSetAccessedBy, where));
  CUDA(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, v + 10, 400));
  CUDA(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeAccessedBy, v, 400));
  want(mostly == 1 && by[0] == 0 && by[1] == cudaInvalidDeviceId, "advice");
  CUDA(cudaMemAdvise(v, 400, cudaMemAdviseUnsetReadMostly, where));
  CUDA(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, v, 400));
  want(mostly == 0, "advice taken back");
  CUDA(cudaFree(t));
  CUDA(cudaFree(v));
  return pass("managed");
}
