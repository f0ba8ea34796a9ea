/* PR: PageRank by pulling: every node adds up what its neighbours give away, which is gathered at
 * random. (`pagerank` is the small one of NeiDty's suite.) */
#include "../common/big_graph.h"

#define BLOCK   256
#define DAMPING 0.85f

__global__ void shares(const uint64_t *row, const float *rank, float *share, uint64_t nodes,
                       uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  uint64_t degree = row[n + 1] - row[n];
  share[n] = degree ? rank[n] / (float)degree : 0;
}

__global__ void pull(const uint64_t *row, const uint32_t *edge, const float *share, float *rank,
                     uint64_t nodes, uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  float sum = 0;
  for (uint64_t i = row[n]; i < row[n + 1]; i++) sum += share[edge[i]];
  rank[n] = (1 - DAMPING) + DAMPING * sum; /* ranks add up to the number of nodes */
}

static std::vector<double> reference(const big_graph &g, uint32_t rounds, uint64_t seed) {
  std::vector<float> first = table_host<float>(g.nodes, GMMU_CONTENT_UNIT32, seed, 0);
  std::vector<double> rank(first.begin(), first.end()), share(g.nodes);
  for (uint32_t k = 0; k < rounds; k++) {
    for (uint64_t n = 0; n < g.nodes; n++) {
      uint64_t degree = g.host_row[n + 1] - g.host_row[n];
      share[n] = degree ? rank[n] / (double)degree : 0;
    }
    for (uint64_t n = 0; n < g.nodes; n++) {
      double sum = 0;
      for (uint64_t i = g.host_row[n]; i < g.host_row[n + 1]; i++) sum += share[g.host_edge[i]];
      rank[n] = (1 - (double)DAMPING) + (double)DAMPING * sum;
    }
  }
  return rank;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("PR", argc, argv, 1 << 19, true);
  big_graph g = graph_open(s, 8, 0);
  spread part = spread_over(s, (g.nodes + BLOCK - 1) / BLOCK, BLOCK * g.degree());
  scaled_whole(s, part.count == part.all);
  uint32_t rounds = s.tiny ? 3 : 1;
  float *rank = table_new<float>(g.nodes, GMMU_CONTENT_UNIT32, s.self.seed, 0),
        *share = device_new<float>(g.nodes);
  for (uint32_t k = 0; k < rounds; k++) {
    shares<<<part.count, BLOCK>>>(g.row, rank, share, g.nodes, part.all);
    CHECK_LAUNCH();
    pull<<<part.count, BLOCK>>>(g.row, g.edge, share, rank, g.nodes, part.all);
    CHECK_LAUNCH();
  }
  CHECK(cudaDeviceSynchronize());
  bool right = !s.self.verify || near_values("rank", from_device(rank, g.nodes),
                                             reference(g, rounds, s.self.seed), 1e-4);
  free_all({g.row, g.edge, rank, share});
  return app_end(s.self, right);
}
