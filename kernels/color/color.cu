/* COLOR: graph colouring. In every round the nodes without a colour whose random priority is the
 * greatest, and those whose is the least, among their neighbours without a colour get one of two
 * new colours. */
#include "../common/graph.h"

static const struct {
  uint32_t width, height, shuffle;
} sizes[APP_SIZES] = {{32, 24, 64}, {512, 384, 4096}, {1024, 1024, 4096}};

#define BLOCK 256

__global__ void color_round(const uint32_t *row, const uint32_t *edge, const uint32_t *priority,
                            const int32_t *color, int32_t *next, int32_t fresh, uint32_t nodes,
                            int32_t *more) {
  uint32_t n = blockIdx.x * BLOCK + threadIdx.x;
  if (n >= nodes) return;
  next[n] = color[n];
  if (color[n] >= 0) return;
  bool least = true, greatest = true;
  for (uint32_t i = row[n]; i < row[n + 1]; i++) {
    uint32_t to = edge[i];
    if (to == n || color[to] >= 0) continue;
    bool before = priority[n] < priority[to] || (priority[n] == priority[to] && n < to);
    least &= before;
    greatest &= !before;
  }
  if (least)
    next[n] = fresh;
  else if (greatest)
    next[n] = fresh + 1;
  else
    *more = 1;
}

/* Every node has a colour, and none that of a neighbour. */
static bool verified(const graph &g, const std::vector<int32_t> &color) {
  for (uint32_t n = 0; n < g.nodes; n++) {
    if (color[n] < 0) {
      fprintf(stderr, "node %u has no colour\n", n);
      return false;
    }
    for (uint32_t i = g.row[n]; i < g.row[n + 1]; i++)
      if (g.edge[i] != n && color[g.edge[i]] == color[n]) {
        fprintf(stderr, "nodes %u and %u are neighbours of colour %d\n", n, g.edge[i], color[n]);
        return false;
      }
  }
  return true;
}

int main(int argc, char **argv) {
  app self = app_begin("COLOR", argc, argv);
  rng r(self.seed);
  graph g =
      graph_mesh(r, sizes[self.size].width, sizes[self.size].height, sizes[self.size].shuffle);
  uint32_t blocks = blocks_for(g.nodes, BLOCK);
  std::vector<uint32_t> priority(g.nodes);
  for (uint32_t &p : priority) p = (uint32_t)r.next();
  std::vector<int32_t> color(g.nodes, -1);
  uint32_t *row = device_copy(g.row), *edge = device_copy(g.edge),
           *dpriority = device_copy(priority);
  int32_t *now = device_copy(color), *next = device_copy(color), *dmore = device_new<int32_t>(1),
          more;
  int32_t fresh = 0;
  do {
    more = 0;
    CHECK(cudaMemcpy(dmore, &more, sizeof more, cudaMemcpyHostToDevice));
    color_round<<<blocks, BLOCK>>>(row, edge, dpriority, now, next, fresh, g.nodes, dmore);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
    std::swap(now, next);
    fresh += 2;
  } while (more);
  color = from_device(now, g.nodes);
  void *all[] = {row, edge, dpriority, now, next, dmore};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || verified(g, color));
}
