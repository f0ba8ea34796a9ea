/* Any bytes as a graph file. Beyond not crashing: what is accepted is a graph, what is refused has
 * a message. */
#include "kernels/common/graph_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  graph_file_t g;
  char why[300] = "";
  if (graph_file_parse("fuzz", data, size, &g, why, sizeof why) < 0) {
    if (strncmp(why, "fuzz:", 5) != 0 || g.row || g.edge || g.value) abort();
    return 0;
  }
  if (g.row[0] != 0 || g.row[g.nodes] != g.edges) abort();
  for (uint64_t n = 0; n < g.nodes; n++)
    if (g.row[n] > g.row[n + 1]) abort();
  for (uint64_t i = 0; i < g.edges; i++)
    if (g.edge[i] >= g.nodes) abort();
  graph_file_free(&g);
  return 0;
}
