/* TC: triangles of a graph: for each edge to a lower node, the two sorted lists of neighbours are
 * merged and common ones counted. A list is read in order, but which list is random. Edges that are
 * there twice count once. */
#include "../common/big_graph.h"
#include <set>

#define BLOCK 256

__global__ void triangles(const uint64_t *row, const uint32_t *edge, unsigned long long *count,
                          uint64_t nodes, uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  unsigned long long found = 0;
  if (n >= nodes) return;
  uint64_t begin = row[n], end = row[n + 1];
  for (uint64_t i = begin; i < end && edge[i] < n; i++) {
    uint32_t m = edge[i];
    if (i > begin && edge[i - 1] == m) continue;
    uint64_t a = begin, b = row[m], b_end = row[m + 1];
    while (a < i && b < b_end) {
      uint32_t x = edge[a], y = edge[b];
      if (y >= m) break;
      if (x == y) found++;
      if (x <= y) do
          a++;
        while (a < i && edge[a] == x);
      if (y <= x) do
          b++;
        while (b < b_end && edge[b] == y);
    }
  }
  if (found) atomicAdd(count, found);
}

static unsigned long long reference(const big_graph &g) {
  std::vector<std::set<uint32_t>> lower(g.nodes);
  unsigned long long found = 0;
  for (uint64_t n = 0; n < g.nodes; n++)
    for (uint64_t i = g.host_row[n]; i < g.host_row[n + 1]; i++)
      if (g.host_edge[i] < n) lower[n].insert(g.host_edge[i]);
  for (uint64_t n = 0; n < g.nodes; n++)
    for (uint32_t m : lower[n])
      for (uint32_t k : lower[m]) found += lower[n].count(k);
  return found;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("TC", argc, argv, 1 << 19, true);
  big_graph g = graph_open(s, 0, 0);
  /* A node merges its list with about half of its neighbours'. */
  spread part = spread_over(s, (g.nodes + BLOCK - 1) / BLOCK, BLOCK * g.degree() * 8);
  scaled_whole(s, part.count == part.all);
  unsigned long long *count = table_zero<unsigned long long>(1);
  triangles<<<part.count, BLOCK>>>(g.row, g.edge, count, g.nodes, part.all);
  CHECK_LAUNCH();
  std::vector<unsigned long long> got = from_device(count, 1), want(1, 0);
  if (s.self.verify) want[0] = reference(g);
  bool right = !s.self.verify || same_values("triangles", got, want);
  free_all({g.row, g.edge, count});
  return app_end(s.self, right);
}
