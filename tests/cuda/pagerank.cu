/* Page rank by pulling, one warp per node. */
#include "graph.h"

__global__ void rank_step(const int *row, const int *edge, const float *share, float *out, int n) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= n) return;
  float sum = 0;
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) sum += share[edge[e]];
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) out[v] = 0.15f / n + 0.85f * sum;
}
__global__ void divide(const float *rank, const int *degree, float *share, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) share[v] = rank[v] / degree[v];
}

int main() {
  graph_t g(1000, 5, true);
  std::vector<float> rank(g.n, 1.0f / g.n), share(g.n);
  std::vector<int> degree(g.n);
  for (int v = 0; v < g.n; v++) degree[v] = std::max(1, g.row[v + 1] - g.row[v]);
  int *row = to_device(g.row), *edge = to_device(g.edge), *deg = to_device(degree);
  float *dr = to_device(rank), *ds = device_zeros<float>(g.n);
  for (int i = 0; i < 8; i++) {
    divide<<<(g.n + 255) / 256, 256>>>(dr, deg, ds, g.n);
    rank_step<<<(g.n + 7) / 8, 256>>>(row, edge, ds, dr, g.n);
    for (int v = 0; v < g.n; v++) share[v] = rank[v] / degree[v];
    for (int v = 0; v < g.n; v++) {
      float sum = 0;
      for (int e = g.row[v]; e < g.row[v + 1]; e++) sum += share[g.edge[e]];
      rank[v] = 0.15f / g.n + 0.85f * sum;
    }
  }
  LAUNCHED();
  same("rank", to_host(dr, g.n), rank, 1e-6);
  return pass("pagerank");
}
