/* Connected components: labels sink to the smallest of a component, with pointer jumping. */
#include "graph.h"

__global__ void hook(const int *row, const int *edge, int *label, int n, int *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int e = row[v]; e < row[v + 1]; e++) {
    int a = label[v], b = label[edge[e]];
    if (a < b) {
      atomicMin(&label[b], a);
      atomicMin(&label[edge[e]], a);
      *changed = 1;
    }
  }
}
__global__ void jump(int *label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int l = label[v];
  while (l != label[l]) l = label[l];
  label[v] = l;
}

int find(std::vector<int> &p, int v) {
  while (p[v] != v) v = p[v] = p[p[v]];
  return v;
}

int main() {
  graph_t g(3000, 1, true);
  std::vector<int> label(g.n), parent(g.n), expect(g.n);
  for (int v = 0; v < g.n; v++) label[v] = parent[v] = v;
  for (int v = 0; v < g.n; v++)
    for (int e = g.row[v]; e < g.row[v + 1]; e++) {
      int a = find(parent, v), b = find(parent, g.edge[e]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  for (int v = 0; v < g.n; v++) expect[v] = find(parent, v);
  int *row = to_device(g.row), *edge = to_device(g.edge), *l = to_device(label);
  int *changed = device_zeros<int>(1), h = 1;
  while (h) {
    CUDA(cudaMemset(changed, 0, 4));
    hook<<<(g.n + 255) / 256, 256>>>(row, edge, l, g.n, changed);
    jump<<<(g.n + 255) / 256, 256>>>(l, g.n);
    CUDA(cudaMemcpy(&h, changed, 4, cudaMemcpyDeviceToHost));
  }
  same("label", to_host(l, g.n), expect);
  return pass("components", expect);
}
