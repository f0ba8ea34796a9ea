/* Dynamic shared memory cut into arrays of different types; more than 48 KB by attribute. */
#include "check.h"

__global__ void three_arrays(int *out, int n) {
  extern __shared__ double pool[];
  double *d = pool;
  int *i = (int *)(d + n);
  char *c = (char *)(i + n);
  int t = threadIdx.x;
  d[t] = t * 0.5, i[t] = t * 3, c[t] = (char)(t & 63);
  __syncthreads();
  int k = n - 1 - t;
  out[t] = (int)(d[k] * 2) + i[k] + c[k];
}
__global__ void large(int *out, int words) {
  extern __shared__ int w[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) w[i] = i;
  __syncthreads();
  int s = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) s += w[words - 1 - i];
  atomicAdd(out, s);
}

int main() {
  const int n = 128, words = 15000;
  int *d = device_zeros<int>(n);
  three_arrays<<<1, n, n *(sizeof(double) + sizeof(int) + 1)>>>(d, n);
  LAUNCHED();
  std::vector<int> expect(n);
  for (int t = 0; t < n; t++) {
    int k = n - 1 - t;
    expect[t] = k + 3 * k + (k & 63);
  }
  same("arrays", to_host(d, n), expect);
  int most = 0;
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (most >= words * 4) {
    CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
    CUDA(cudaMemset(d, 0, 4));
    large<<<1, 256, words * 4>>>(d, words);
    LAUNCHED();
    want(to_host(d, 1)[0] == words * (words - 1) / 2, "large block");
  }
  return pass("dynamic_shared", expect);
}
