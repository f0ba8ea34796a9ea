#ifndef KERNELS_GRAPH_H
#define KERNELS_GRAPH_H
/* Graphs as compressed rows, made from a seed: R-MAT (few nodes with many edges, as in social
 * networks) and meshes (every node has a few near neighbours). */
#include "app.h"
#include <algorithm>

struct graph {
  uint32_t nodes;
  std::vector<uint32_t> row; /* [nodes + 1]: where a node's edges begin */
  std::vector<uint32_t> edge;
};

struct graph_pair {
  uint32_t from, to;
};

static inline graph graph_from_pairs(uint32_t nodes, const std::vector<graph_pair> &pairs) {
  graph g;
  g.nodes = nodes;
  g.row.assign(nodes + 1, 0);
  g.edge.resize(pairs.size());
  for (const graph_pair &p : pairs) g.row[p.from + 1]++;
  for (uint32_t i = 0; i < nodes; i++) g.row[i + 1] += g.row[i];
  std::vector<uint32_t> at(g.row.begin(), g.row.end() - 1);
  for (const graph_pair &p : pairs) g.edge[at[p.from]++] = p.to;
  for (uint32_t i = 0; i < nodes; i++)
    std::sort(g.edge.begin() + g.row[i], g.edge.begin() + g.row[i + 1]);
  return g;
}

/* 2^scale nodes and `degree` edges per node, by the usual probabilities .57 .19 .19 .05. With
 * `both`, every edge also leads back. Loops are left out, so a graph may have a few edges less. */
static inline graph graph_rmat(rng &r, uint32_t scale, uint32_t degree, bool both) {
  uint32_t nodes = 1u << scale;
  std::vector<graph_pair> pairs;
  pairs.reserve((size_t)nodes * degree * (both ? 2 : 1));
  for (size_t i = 0; i < (size_t)nodes * degree / (both ? 2 : 1); i++) {
    uint32_t from = 0, to = 0;
    for (uint32_t bit = 0; bit < scale; bit++) {
      uint32_t x = r.below(100);
      from = from << 1 | (x >= 76);
      to = to << 1 | ((x >= 57 && x < 76) || x >= 95);
    }
    if (from == to) continue;
    pairs.push_back(graph_pair{from, to});
    if (both) pairs.push_back(graph_pair{to, from});
  }
  return graph_from_pairs(nodes, pairs);
}

/* A width x height mesh with edges to the four neighbours, its nodes numbered at random within
 * runs of `shuffle` (1: in order), as mesh generators leave them. */
static inline graph graph_mesh(rng &r, uint32_t width, uint32_t height, uint32_t shuffle) {
  uint32_t nodes = width * height;
  std::vector<uint32_t> name(nodes);
  for (uint32_t i = 0; i < nodes; i++) name[i] = i;
  for (uint32_t i = 0; i < nodes; i++) {
    uint32_t first = i / shuffle * shuffle, n = std::min(shuffle, nodes - first);
    std::swap(name[i], name[first + r.below(n)]);
  }
  std::vector<graph_pair> pairs;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint32_t a = name[y * width + x];
      if (x + 1 < width) {
        uint32_t b = name[y * width + x + 1];
        pairs.push_back(graph_pair{a, b}), pairs.push_back(graph_pair{b, a});
      }
      if (y + 1 < height) {
        uint32_t b = name[(y + 1) * width + x];
        pairs.push_back(graph_pair{a, b}), pairs.push_back(graph_pair{b, a});
      }
    }
  return graph_from_pairs(nodes, pairs);
}
#endif
