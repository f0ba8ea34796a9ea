/* BC: betweenness centrality: from each of some sources a search by levels that counts shortest
 * paths, then the dependencies back from the last level to the first. A thread has an edge: the
 * arrays of edges are streams, those of nodes are read and updated at random. */
#include "../common/graph.h"

static const struct {
  uint32_t scale, degree, sources;
} sizes[APP_SIZES] = {{8, 6, 1}, {15, 8, 1}, {18, 8, 1}};

#define BLOCK 256

__global__ void start(int32_t *level, float *paths, float *delta, uint32_t source, uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  level[n] = n == source ? 0 : -1;
  paths[n] = n == source ? 1.0f : 0.0f;
  delta[n] = 0;
}

__global__ void forward(const uint32_t *from, const uint32_t *to, int32_t *level, float *paths,
                        int32_t depth, uint32_t edges, int32_t *more) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= edges || level[from[i]] != depth) return;
  if (level[to[i]] == -1) {
    level[to[i]] = depth + 1;
    *more = 1;
  }
  if (level[to[i]] == depth + 1) atomicAdd(&paths[to[i]], paths[from[i]]);
}

__global__ void backward(const uint32_t *from, const uint32_t *to, const int32_t *level,
                         const float *paths, float *delta, int32_t depth, uint32_t edges) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= edges || level[from[i]] != depth || level[to[i]] != depth + 1) return;
  atomicAdd(&delta[from[i]], paths[from[i]] / paths[to[i]] * (1 + delta[to[i]]));
}

__global__ void add_up(const int32_t *level, const float *delta, float *centrality,
                       uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n < nodes && level[n] > 0) centrality[n] += delta[n];
}

static void reference(const graph &g, uint32_t source, std::vector<double> &centrality) {
  std::vector<int32_t> level(g.nodes, -1);
  std::vector<double> paths(g.nodes, 0), delta(g.nodes, 0);
  std::vector<uint32_t> queue(1, source);
  level[source] = 0, paths[source] = 1;
  for (size_t head = 0; head < queue.size(); head++) {
    uint32_t n = queue[head];
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++) {
      uint32_t to = g.edge[i];
      if (level[to] < 0) level[to] = level[n] + 1, queue.push_back(to);
      if (level[to] == level[n] + 1) paths[to] += paths[n];
    }
  }
  for (size_t k = queue.size(); k-- > 0;) {
    uint32_t n = queue[k];
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++)
      if (level[g.edge[i]] == level[n] + 1)
        delta[n] += paths[n] / paths[g.edge[i]] * (1 + delta[g.edge[i]]);
    if (n != source) centrality[n] += delta[n];
  }
}

int main(int argc, char **argv) {
  app self = app_begin("BC", argc, argv);
  rng r(self.seed);
  graph g = graph_rmat(r, sizes[self.size].scale, sizes[self.size].degree, true);
  uint32_t edges = (uint32_t)g.edge.size(), sources = sizes[self.size].sources;
  uint32_t node_blocks = blocks_for(g.nodes, BLOCK), edge_blocks = blocks_for(edges, BLOCK);
  std::vector<uint32_t> tail(edges);
  for (uint32_t n = 0; n < g.nodes; n++)
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++) tail[i] = n;
  std::vector<float> centrality(g.nodes, 0);
  std::vector<double> want(g.nodes, 0);
  uint32_t *from = device_copy(tail), *to = device_copy(g.edge);
  int32_t *level = device_new<int32_t>(g.nodes), *dmore = device_new<int32_t>(1);
  float *paths = device_new<float>(g.nodes), *delta = device_new<float>(g.nodes),
        *dcentrality = device_copy(centrality);
  for (uint32_t s = 0; s < sources; s++) {
    uint32_t source = tail[r.below(edges)]; /* it has an edge */
    int32_t depth = 0, more;
    start<<<node_blocks, BLOCK>>>(level, paths, delta, source, g.nodes);
    CHECK_LAUNCH();
    do {
      more = 0;
      CHECK(cudaMemcpy(dmore, &more, sizeof more, cudaMemcpyHostToDevice));
      forward<<<edge_blocks, BLOCK>>>(from, to, level, paths, depth++, edges, dmore);
      CHECK_LAUNCH();
      CHECK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
    } while (more);
    while (depth-- > 0) {
      backward<<<edge_blocks, BLOCK>>>(from, to, level, paths, delta, depth, edges);
      CHECK_LAUNCH();
    }
    add_up<<<node_blocks, BLOCK>>>(level, delta, dcentrality, g.nodes);
    CHECK_LAUNCH();
    if (self.verify) reference(g, source, want);
  }
  centrality = from_device(dcentrality, g.nodes);
  void *all[] = {from, to, level, dmore, paths, delta, dcentrality};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || near_values("centrality", centrality, want, 1e-3));
}
