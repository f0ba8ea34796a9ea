/* SSSP: shortest paths from one node, with weights 1 to 255: in every round a warp takes each node
 * whose distance has changed and relaxes its edges; nodes that get nearer are the next round's. */
#include "../common/big_graph.h"
#include <queue>

#define BLOCK 256
#define FAR   0x7fffffff

__global__ void relax(const uint64_t *row, const uint32_t *edge, const uint32_t *weight,
                      int32_t *distance, const uint32_t *frontier, uint32_t count, uint32_t *next,
                      uint32_t *next_count, int32_t *mark, int32_t round) {
  uint32_t warp = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= count) return;
  uint32_t n = frontier[warp];
  int32_t own = distance[n];
  for (uint64_t i = row[n] + lane; i < row[n + 1]; i += 32) {
    uint32_t to = edge[i];
    int32_t d = own + 1 + (int32_t)weight[i];
    if (d >= distance[to] || d >= atomicMin(&distance[to], d)) continue;
    if (atomicExch(&mark[to], round) != round) next[atomicAdd(next_count, 1)] = to;
  }
}

static std::vector<int32_t> reference(const big_graph &g, const std::vector<uint32_t> &weight) {
  typedef std::pair<int32_t, uint32_t> entry;
  std::vector<int32_t> distance(g.nodes, FAR);
  std::priority_queue<entry, std::vector<entry>, std::greater<entry>> queue;
  distance[g.source] = 0;
  for (queue.push(entry(0, g.source)); !queue.empty();) {
    entry e = queue.top();
    queue.pop();
    if (e.first != distance[e.second]) continue;
    for (uint64_t i = g.host_row[e.second]; i < g.host_row[e.second + 1]; i++) {
      int32_t d = e.first + 1 + (int32_t)weight[i];
      if (d >= distance[g.host_edge[i]]) continue;
      distance[g.host_edge[i]] = d;
      queue.push(entry(d, g.host_edge[i]));
    }
  }
  return distance;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("SSSP", argc, argv, 1 << 19, true);
  big_graph g = graph_open(s, 16, 4);
  uint32_t *weight = table_new<uint32_t>(g.edges, GMMU_CONTENT_BELOW32, s.self.seed, 255);
  int32_t *distance = device_new<int32_t>(g.nodes), *mark = table_zero<int32_t>(g.nodes), zero = 0;
  uint32_t *frontier = device_new<uint32_t>(g.nodes), *next = device_new<uint32_t>(g.nodes),
           *next_count = table_zero<uint32_t>(1), count = 1, none = 0;
  CHECK(cudaMemset(distance, 0x7f, g.nodes * sizeof *distance)); /* far enough */
  CHECK(cudaMemcpy(distance + g.source, &zero, sizeof zero, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(frontier, &g.source, sizeof g.source, cudaMemcpyHostToDevice));
  uint64_t left = s.work ? s.work : ~(uint64_t)0;
  for (int32_t round = 1; count && left; round++) {
    uint64_t edges = count * g.degree();
    if (edges > left) count = (uint32_t)(left / g.degree() + 1), edges = left;
    relax<<<blocks_for((size_t)count * 32, BLOCK), BLOCK>>>(
        g.row, g.edge, weight, distance, frontier, count, next, next_count, mark, round);
    CHECK_LAUNCH();
    left -= edges;
    std::swap(frontier, next);
    CHECK(cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(next_count, &none, sizeof none, cudaMemcpyHostToDevice));
  }
  scaled_whole(s, left > 0);
  bool right = true;
  if (s.self.verify) {
    std::vector<int32_t> got = from_device(distance, g.nodes),
                         want = reference(g, table_host<uint32_t>(g.edges, GMMU_CONTENT_BELOW32,
                                                                  s.self.seed, 255));
    for (int32_t &d : got)
      if (d == 0x7f7f7f7f) d = FAR;
    right = same_values("distance", got, want);
  }
  free_all({g.row, g.edge, weight, distance, mark, frontier, next, next_count});
  return app_end(s.self, right);
}
