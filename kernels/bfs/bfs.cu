/* BFS: breadth-first search that changes direction, as GAP's does: while the frontier is small, a
 * warp takes one of its nodes and marks neighbours; while it is large, every node that was not
 * reached looks for a neighbour that was. (`bfs2` is the small one of MASK's suite.) */
#include "../common/big_graph.h"

#define BLOCK 256
#define ALPHA 15 /* down to up: the frontier has more than 1/15 of the edges */
#define BETA  18 /* and back: it has less than 1/18 of the nodes */

__global__ void down(const uint64_t *row, const uint32_t *edge, int32_t *depth,
                     const uint32_t *frontier, uint32_t count, uint32_t *next, uint32_t *next_count,
                     int32_t level) {
  uint32_t warp = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= count) return;
  uint32_t n = frontier[warp];
  for (uint64_t i = row[n] + lane; i < row[n + 1]; i += 32) {
    uint32_t to = edge[i];
    if (depth[to] >= 0 || atomicCAS(&depth[to], -1, level + 1) != -1) continue;
    next[atomicAdd(next_count, 1)] = to;
  }
}

__global__ void up(const uint64_t *row, const uint32_t *edge, int32_t *depth, uint32_t *next_count,
                   int32_t level, uint64_t nodes, uint64_t blocks) {
  uint64_t n = spread_block(blocks) * BLOCK + threadIdx.x;
  if (n >= nodes || depth[n] >= 0) return;
  for (uint64_t i = row[n]; i < row[n + 1]; i++)
    if (depth[edge[i]] == level) {
      depth[n] = level + 1;
      atomicAdd(next_count, 1);
      return;
    }
}

/* The frontier as a list, after steps up. */
__global__ void list(const int32_t *depth, uint32_t *frontier, uint32_t *count, int32_t level,
                     uint64_t nodes) {
  uint64_t n = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (n < nodes && depth[n] == level) frontier[atomicAdd(count, 1)] = (uint32_t)n;
}

static std::vector<int32_t> reference(const big_graph &g) {
  std::vector<int32_t> depth(g.nodes, -1);
  std::vector<uint32_t> queue(1, g.source);
  depth[g.source] = 0;
  for (size_t head = 0; head < queue.size(); head++)
    for (uint64_t n = queue[head], i = g.host_row[n]; i < g.host_row[n + 1]; i++)
      if (depth[g.host_edge[i]] < 0) {
        depth[g.host_edge[i]] = depth[n] + 1;
        queue.push_back(g.host_edge[i]);
      }
  return depth;
}

static uint32_t take(uint32_t *count) {
  uint32_t n, zero = 0;
  CHECK(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(count, &zero, sizeof zero, cudaMemcpyHostToDevice));
  return n;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("BFS", argc, argv, 1 << 19, true);
  big_graph g = graph_open(s, 12, 0);
  int32_t *depth = device_new<int32_t>(g.nodes), level = 0;
  uint32_t *frontier = device_new<uint32_t>(g.nodes), *next = device_new<uint32_t>(g.nodes),
           *next_count = table_zero<uint32_t>(1), count = 1;
  uint64_t left = s.work ? s.work : ~(uint64_t)0, blocks = (g.nodes + BLOCK - 1) / BLOCK,
           unseen = g.edges;
  CHECK(cudaMemset(depth, 0xff, g.nodes * sizeof *depth));
  CHECK(cudaMemcpy(depth + g.source, &level, sizeof level, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(frontier, &g.source, sizeof g.source, cudaMemcpyHostToDevice));
  /* Incoming edges are needed to go up; a file may have none. */
  bool listed = true, both = s.graph != GRAPH_FILE;
  for (; count && left; level++) {
    uint64_t edges = count * g.degree();
    bool go_up = both && (listed ? edges > unseen / ALPHA : count > g.nodes / BETA);
    if (!go_up && !listed) {
      list<<<(unsigned)blocks, BLOCK>>>(depth, frontier, next_count, level, g.nodes);
      CHECK_LAUNCH();
      count = take(next_count);
    }
    if (go_up) {
      spread part = spread_over(s, blocks, BLOCK * 4); /* few of the edges are looked at */
      up<<<part.count, BLOCK>>>(g.row, g.edge, depth, next_count, level, g.nodes, blocks);
      if (part.count < blocks) left = 0;
    } else {
      if (edges > left) count = (uint32_t)(left / g.degree() + 1), left = edges;
      down<<<blocks_for((size_t)count * 32, BLOCK), BLOCK>>>(g.row, g.edge, depth, frontier, count,
                                                             next, next_count, level);
      left -= edges < left ? edges : left;
      std::swap(frontier, next);
    }
    CHECK_LAUNCH();
    listed = !go_up;
    unseen -= edges < unseen ? edges : unseen;
    count = take(next_count);
  }
  scaled_whole(s, left > 0);
  bool right = !s.self.verify || same_values("depth", from_device(depth, g.nodes), reference(g));
  free_all({g.row, g.edge, depth, frontier, next, next_count});
  return app_end(s.self, right);
}
