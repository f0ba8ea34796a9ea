/* k-means: centres in constant memory, sums by atomics; integers, so that order does not matter. */
#include "check.h"

#define K   6
#define DIM 3

__constant__ int centre[K * DIM];

__global__ void assign(const int *point, int *owner, int *sum, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int nearest = 0, least = 0x7fffffff;
  for (int k = 0; k < K; k++) {
    int d = 0;
    for (int c = 0; c < DIM; c++) {
      int e = point[c * n + i] - centre[k * DIM + c];
      d += e * e;
    }
    if (d < least) least = d, nearest = k;
  }
  owner[i] = nearest;
  for (int c = 0; c < DIM; c++) atomicAdd(&sum[nearest * DIM + c], point[c * n + i]);
  atomicAdd(&count[nearest], 1);
}

int main() {
  const int n = 3000;
  std::vector<int> p(n * DIM), c(K * DIM), owner(n);
  for (int &v : p) v = random_u32() % 1000;
  for (int k = 0; k < K; k++)
    for (int d = 0; d < DIM; d++) c[k * DIM + d] = p[d * n + k * 7];
  std::vector<int> hc = c;
  int *dp = to_device(p), *downer = device_zeros<int>(n);
  int *dsum = device_zeros<int>(K * DIM), *dcount = device_zeros<int>(K);
  for (int round = 0; round < 5; round++) {
    CUDA(cudaMemcpyToSymbol(centre, c.data(), c.size() * sizeof(int)));
    CUDA(cudaMemset(dsum, 0, K * DIM * sizeof(int)));
    CUDA(cudaMemset(dcount, 0, K * sizeof(int)));
    assign<<<(n + 127) / 128, 128>>>(dp, downer, dsum, dcount, n);
    std::vector<int> sum = to_host(dsum, K * DIM), count = to_host(dcount, K);
    for (int i = 0; i < K * DIM; i++) c[i] = count[i / DIM] ? sum[i] / count[i / DIM] : c[i];
    std::vector<int> hs(K * DIM), hn(K);
    for (int i = 0; i < n; i++) {
      int least = 0x7fffffff;
      for (int k = 0; k < K; k++) {
        int d = 0;
        for (int x = 0; x < DIM; x++)
          d += (p[x * n + i] - hc[k * DIM + x]) * (p[x * n + i] - hc[k * DIM + x]);
        if (d < least) least = d, owner[i] = k;
      }
      for (int x = 0; x < DIM; x++) hs[owner[i] * DIM + x] += p[x * n + i];
      hn[owner[i]]++;
    }
    for (int i = 0; i < K * DIM; i++) hc[i] = hn[i / DIM] ? hs[i] / hn[i / DIM] : hc[i];
  }
  same("centre", c, hc);
  same("owner", to_host(downer, n), owner);
  return pass("kmeans", owner);
}
