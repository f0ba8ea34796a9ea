/* PAGERANK: ranks flow along the edges of a graph; a thread gathers what its node receives from the
 * nodes that lead to it, so ranks and degrees are read at random. */
#include "../common/graph.h"

static const struct {
  uint32_t scale, degree, rounds;
} sizes[APP_SIZES] = {{9, 8, 2}, {16, 12, 3}, {20, 10, 1}};

#define BLOCK   256
#define DAMPING 0.85f

/* share[n]: what node n gives to each node it leads to. */
__global__ void shares(const float *rank, const uint32_t *degree, float *share, uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n < nodes) share[n] = degree[n] ? rank[n] / (float)degree[n] : 0;
}

__global__ void gather(const uint32_t *row, const uint32_t *edge, const float *share, float *rank,
                       uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  float sum = 0;
  for (uint32_t i = row[n]; i < row[n + 1]; i++) sum += share[edge[i]];
  rank[n] = (1 - DAMPING) / (float)nodes + DAMPING * sum;
}

/* in: by row the nodes that lead to it; degree: how many nodes each leads to. */
static std::vector<double> reference(const graph &in, const std::vector<uint32_t> &degree,
                                     uint32_t rounds) {
  std::vector<double> rank(in.nodes, 1.0 / in.nodes), share(in.nodes);
  for (uint32_t k = 0; k < rounds; k++) {
    for (uint32_t n = 0; n < in.nodes; n++) share[n] = degree[n] ? rank[n] / degree[n] : 0;
    for (uint32_t n = 0; n < in.nodes; n++) {
      double sum = 0;
      for (uint32_t i = in.row[n]; i < in.row[n + 1]; i++) sum += share[in.edge[i]];
      rank[n] = (1 - (double)DAMPING) / in.nodes + (double)DAMPING * sum;
    }
  }
  for (double &x : rank) x *= in.nodes; /* around 1, so that the comparison means something */
  return rank;
}

int main(int argc, char **argv) {
  app self = app_begin("PAGERANK", argc, argv);
  rng r(self.seed);
  graph in = graph_rmat(r, sizes[self.size].scale, sizes[self.size].degree, false);
  uint32_t rounds = sizes[self.size].rounds, blocks = blocks_for(in.nodes, BLOCK);
  std::vector<uint32_t> degree(in.nodes, 0);
  for (uint32_t from : in.edge) degree[from]++;
  std::vector<float> rank(in.nodes, 1.0f / (float)in.nodes);
  uint32_t *row = device_copy(in.row), *edge = device_copy(in.edge), *ddegree = device_copy(degree);
  float *drank = device_copy(rank), *share = device_new<float>(in.nodes);
  for (uint32_t k = 0; k < rounds; k++) {
    shares<<<blocks, BLOCK>>>(drank, ddegree, share, in.nodes);
    CHECK_LAUNCH();
    gather<<<blocks, BLOCK>>>(row, edge, share, drank, in.nodes);
    CHECK_LAUNCH();
  }
  rank = from_device(drank, in.nodes);
  void *all[] = {row, edge, ddegree, drank, share};
  for (void *p : all) CHECK(cudaFree(p));
  for (float &x : rank) x *= (float)in.nodes;
  return app_end(self,
                 !self.verify || near_values("rank", rank, reference(in, degree, rounds), 1e-4));
}
