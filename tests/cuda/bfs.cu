/* Breadth-first search, level by level, with a flag that says whether another level is there. */
#include "graph.h"

__global__ void level(const int *row, const int *edge, int *depth, int n, int now, bool *more) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || depth[v] != now) return;
  for (int e = row[v]; e < row[v + 1]; e++)
    if (depth[edge[e]] < 0) depth[edge[e]] = now + 1, *more = true;
}

int main() {
  graph_t g(4000, 3, false);
  std::vector<int> depth(g.n, -1), expect(g.n, -1), queue = {0};
  depth[0] = expect[0] = 0;
  for (size_t i = 0; i < queue.size(); i++)
    for (int e = g.row[queue[i]]; e < g.row[queue[i] + 1]; e++)
      if (expect[g.edge[e]] < 0)
        expect[g.edge[e]] = expect[queue[i]] + 1, queue.push_back(g.edge[e]);
  int *row = to_device(g.row), *edge = to_device(g.edge), *d = to_device(depth);
  bool *more, h_more = true;
  CUDA(cudaMalloc((void **)&more, sizeof(bool)));
  for (int now = 0; h_more; now++) {
    h_more = false;
    CUDA(cudaMemcpy(more, &h_more, sizeof(bool), cudaMemcpyHostToDevice));
    level<<<(g.n + 255) / 256, 256>>>(row, edge, d, g.n, now, more);
    CUDA(cudaMemcpy(&h_more, more, sizeof(bool), cudaMemcpyDeviceToHost));
  }
  LAUNCHED();
  same("depth", to_host(d, g.n), expect);
  return pass("bfs", to_host(d, g.n));
}
