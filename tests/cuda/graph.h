/* A random graph in compressed rows, connected enough to be interesting, with weights 1 .. 15. */
#ifndef GRAPH_H
#define GRAPH_H
#include "check.h"
#include <algorithm>
struct graph_t {
  int n;
  std::vector<int> row, edge, weight;
  graph_t(int nodes, int degree, bool both) : n(nodes) {
    std::vector<std::vector<int>> next(n);
    for (int v = 0; v < n; v++)
      for (int k = 0; k < degree; k++) {
        int u = k == 0 && v % 7 ? v - 1 : (int)(random_u32() % n);
        if (v % 11 == 5 && both) u = v; /* some nodes are alone */
        next[v].push_back(u);
        if (both) next[u].push_back(v);
      }
    row.push_back(0);
    for (int v = 0; v < n; v++) {
      for (int u : next[v]) edge.push_back(u), weight.push_back(1 + (u * 31 + v * 17) % 15);
      row.push_back((int)edge.size());
    }
  }
};
#endif
