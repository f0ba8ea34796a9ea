/* BFS2: breadth-first search by levels with two kernels per level, one thread per node: the first
 * visits the neighbours of the frontier, the second makes the nodes it reached the next frontier.
 * Node arrays are read in order, the neighbours' flags at random. */
#include "../common/graph.h"

static const struct {
  uint32_t scale, degree; /* 2^scale nodes */
} sizes[APP_SIZES] = {{10, 8}, {16, 16}, {20, 12}};

#define BLOCK 256

__global__ void visit(const uint32_t *row, const uint32_t *edge, const uint8_t *frontier,
                      uint8_t *reached, const uint8_t *seen, int32_t *cost, uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes || !frontier[n]) return;
  for (uint32_t i = row[n]; i < row[n + 1]; i++) {
    uint32_t to = edge[i];
    if (seen[to]) continue;
    cost[to] = cost[n] + 1;
    reached[to] = 1;
  }
}

__global__ void advance(uint8_t *frontier, uint8_t *reached, uint8_t *seen, int32_t *more,
                        uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  frontier[n] = reached[n];
  if (!reached[n]) return;
  seen[n] = 1;
  reached[n] = 0;
  *more = 1;
}

static std::vector<int32_t> reference(const graph &g, uint32_t root) {
  std::vector<int32_t> cost(g.nodes, -1);
  std::vector<uint32_t> queue(1, root);
  cost[root] = 0;
  for (size_t head = 0; head < queue.size(); head++) {
    uint32_t n = queue[head];
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++)
      if (cost[g.edge[i]] < 0) {
        cost[g.edge[i]] = cost[n] + 1;
        queue.push_back(g.edge[i]);
      }
  }
  return cost;
}

/* The node with most edges: some are without any. */
static uint32_t busiest(const graph &g) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < g.nodes; i++)
    if (g.row[i + 1] - g.row[i] > g.row[best + 1] - g.row[best]) best = i;
  return best;
}

int main(int argc, char **argv) {
  app self = app_begin("BFS2", argc, argv);
  rng r(self.seed);
  graph g = graph_rmat(r, sizes[self.size].scale, sizes[self.size].degree, true);
  uint32_t root = busiest(g), blocks = blocks_for(g.nodes, BLOCK);
  std::vector<uint8_t> flags(g.nodes, 0);
  std::vector<int32_t> cost(g.nodes, -1);
  uint32_t *row = device_copy(g.row), *edge = device_copy(g.edge);
  uint8_t *reached = device_copy(flags);
  flags[root] = 1;
  uint8_t *frontier = device_copy(flags), *seen = device_copy(flags);
  cost[root] = 0;
  int32_t *dcost = device_copy(cost), *dmore = device_new<int32_t>(1), more;
  do {
    more = 0;
    CHECK(cudaMemcpy(dmore, &more, sizeof more, cudaMemcpyHostToDevice));
    visit<<<blocks, BLOCK>>>(row, edge, frontier, reached, seen, dcost, g.nodes);
    CHECK_LAUNCH();
    advance<<<blocks, BLOCK>>>(frontier, reached, seen, dmore, g.nodes);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
  } while (more);
  cost = from_device(dcost, g.nodes);
  void *all[] = {row, edge, reached, frontier, seen, dcost, dmore};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || same_values("cost", cost, reference(g, root)));
}
