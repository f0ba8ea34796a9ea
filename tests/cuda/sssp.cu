/* Shortest paths: relaxation with atomicMin until nothing changes. */
#include "graph.h"

__global__ void relax(const int *row, const int *edge, const int *weight, unsigned *dist, int n,
                      int *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || dist[v] == 0x7fffffffu) return;
  for (int e = row[v]; e < row[v + 1]; e++) {
    unsigned d = dist[v] + weight[e];
    if (atomicMin(&dist[edge[e]], d) > d) *changed = 1;
  }
}

int main() {
  graph_t g(2000, 4, false);
  std::vector<unsigned> dist(g.n, 0x7fffffffu), expect;
  dist[0] = 0, expect = dist;
  for (bool again = true; again;) {
    again = false;
    for (int v = 0; v < g.n; v++)
      for (int e = g.row[v]; expect[v] != 0x7fffffffu && e < g.row[v + 1]; e++)
        if (expect[v] + g.weight[e] < expect[g.edge[e]])
          expect[g.edge[e]] = expect[v] + g.weight[e], again = true;
  }
  int *row = to_device(g.row), *edge = to_device(g.edge), *weight = to_device(g.weight);
  int *changed = device_zeros<int>(1), h = 1;
  unsigned *d = to_device(dist);
  while (h) {
    CUDA(cudaMemset(changed, 0, sizeof(int)));
    relax<<<(g.n + 127) / 128, 128>>>(row, edge, weight, d, g.n, changed);
    CUDA(cudaMemcpy(&h, changed, sizeof(int), cudaMemcpyDeviceToHost));
  }
  same("distance", to_host(d, g.n), expect);
  return pass("sssp", expect);
}
