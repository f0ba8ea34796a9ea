/* MIS: a maximal independent set. Every node has a random priority; in each round a node whose
 * priority is the least among its undecided neighbours joins, and its neighbours are out. States
 * and priorities of neighbours are read at random. */
#include "../common/graph.h"

static const struct {
  uint32_t width, height, shuffle;
} sizes[APP_SIZES] = {{32, 32, 64}, {512, 512, 4096}, {1024, 1536, 4096}};

#define BLOCK 256
enum { UNDECIDED, IN, OUT };

__device__ bool goes_before(uint32_t a, uint32_t pa, uint32_t b, uint32_t pb) {
  return pa < pb || (pa == pb && a < b);
}

__global__ void join(const uint32_t *row, const uint32_t *edge, const uint32_t *priority,
                     const int32_t *state, int32_t *next, uint32_t nodes, int32_t *more) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  if (state[n] != UNDECIDED) {
    next[n] = state[n];
    return;
  }
  bool first = true;
  for (uint32_t i = row[n]; first && i < row[n + 1]; i++) {
    uint32_t to = edge[i];
    first = state[to] != UNDECIDED || goes_before(n, priority[n], to, priority[to]);
  }
  next[n] = first ? IN : UNDECIDED;
  if (!first) *more = 1;
}

__global__ void drop(const uint32_t *row, const uint32_t *edge, const int32_t *next, int32_t *state,
                     uint32_t nodes) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  int32_t mine = next[n];
  if (mine == UNDECIDED)
    for (uint32_t i = row[n]; mine == UNDECIDED && i < row[n + 1]; i++)
      if (next[edge[i]] == IN) mine = OUT;
  state[n] = mine;
}

/* Rounds of the same rule give the same set as the greedy choice in order of priority. */
static std::vector<int32_t> reference(const graph &g, const std::vector<uint32_t> &priority) {
  std::vector<uint32_t> order(g.nodes);
  std::vector<int32_t> state(g.nodes, UNDECIDED);
  for (uint32_t i = 0; i < g.nodes; i++) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return priority[a] < priority[b] || (priority[a] == priority[b] && a < b);
  });
  for (uint32_t n : order) {
    if (state[n] != UNDECIDED) continue;
    state[n] = IN;
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++) state[g.edge[i]] = OUT;
  }
  return state;
}

int main(int argc, char **argv) {
  app self = app_begin("MIS", argc, argv);
  rng r(self.seed);
  graph g =
      graph_mesh(r, sizes[self.size].width, sizes[self.size].height, sizes[self.size].shuffle);
  uint32_t blocks = blocks_for(g.nodes, BLOCK);
  std::vector<uint32_t> priority(g.nodes);
  for (uint32_t &p : priority) p = (uint32_t)r.next();
  std::vector<int32_t> state(g.nodes, UNDECIDED);
  uint32_t *row = device_copy(g.row), *edge = device_copy(g.edge),
           *dpriority = device_copy(priority);
  int32_t *dstate = device_copy(state), *dnext = device_new<int32_t>(g.nodes),
          *dmore = device_new<int32_t>(1), more;
  do {
    more = 0;
    CHECK(cudaMemcpy(dmore, &more, sizeof more, cudaMemcpyHostToDevice));
    join<<<blocks, BLOCK>>>(row, edge, dpriority, dstate, dnext, g.nodes, dmore);
    CHECK_LAUNCH();
    drop<<<blocks, BLOCK>>>(row, edge, dnext, dstate, g.nodes);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
  } while (more);
  state = from_device(dstate, g.nodes);
  void *all[] = {row, edge, dpriority, dstate, dnext, dmore};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || same_values("state", state, reference(g, priority)));
}
