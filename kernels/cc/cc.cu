/* CC: connected components (Shiloach and Vishkin): every edge hooks the higher of two labels' roots
 * onto the lower, then every node's label becomes its root, until nothing changes. */
#include "../common/big_graph.h"

#define BLOCK 256

__global__ void start(uint32_t *label, uint64_t nodes) {
  uint64_t n = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (n < nodes) label[n] = (uint32_t)n;
}

__global__ void hook(const uint64_t *row, const uint32_t *edge, uint32_t *label, uint32_t *changed,
                     uint64_t nodes, uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  for (uint64_t i = row[n]; i < row[n + 1]; i++) {
    uint32_t a = label[n], b = label[edge[i]], low = a < b ? a : b, high = a < b ? b : a;
    if (low == high || label[high] != high) continue;
    label[high] = low;
    *changed = 1;
  }
}

__global__ void compress(uint32_t *label, uint64_t nodes, uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  while (label[n] != label[label[n]]) label[n] = label[label[n]];
}

static uint32_t root_of(std::vector<uint32_t> &label, uint32_t n) {
  while (label[n] != n) n = label[n] = label[label[n]];
  return n;
}
static std::vector<uint32_t> reference(const big_graph &g) {
  std::vector<uint32_t> label(g.nodes);
  for (uint64_t n = 0; n < g.nodes; n++) label[n] = (uint32_t)n;
  for (uint64_t n = 0; n < g.nodes; n++)
    for (uint64_t i = g.host_row[n]; i < g.host_row[n + 1]; i++) {
      uint32_t a = root_of(label, (uint32_t)n), b = root_of(label, g.host_edge[i]);
      label[a < b ? b : a] = a < b ? a : b;
    }
  for (uint64_t n = 0; n < g.nodes; n++) label[n] = root_of(label, (uint32_t)n);
  return label;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("CC", argc, argv, 1 << 19, true);
  big_graph g = graph_open(s, 4, 0);
  uint64_t blocks = (g.nodes + BLOCK - 1) / BLOCK;
  spread part = spread_over(s, blocks, BLOCK * g.degree());
  scaled_whole(s, part.count == part.all);
  std::vector<uint32_t> first;
  uint32_t *label = device_new<uint32_t>(g.nodes), *changed = table_zero<uint32_t>(1), more = 1,
           none = 0;
  if (part.count == part.all) {
    start<<<(unsigned)blocks, BLOCK>>>(label, g.nodes);
    CHECK_LAUNCH();
  } else { /* the part that runs meets labels everywhere */
    first.resize(g.nodes);
    for (uint64_t n = 0; n < g.nodes; n++) first[n] = (uint32_t)n;
    to_device(label, first);
  }
  while (more) {
    CHECK(cudaMemcpy(changed, &none, sizeof none, cudaMemcpyHostToDevice));
    hook<<<part.count, BLOCK>>>(g.row, g.edge, label, changed, g.nodes, part.all);
    CHECK_LAUNCH();
    compress<<<part.count, BLOCK>>>(label, g.nodes, part.all);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&more, changed, sizeof more, cudaMemcpyDeviceToHost));
    if (part.count < part.all) break;
  }
  bool right = !s.self.verify || same_values("label", from_device(label, g.nodes), reference(g));
  free_all({g.row, g.edge, label, changed});
  return app_end(s.self, right);
}
