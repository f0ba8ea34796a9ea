/* SPMV: y = A x with a sparse matrix in compressed rows, a thread per row (the scalar kernel): x is
 * gathered at random, and the lanes of a warp read their rows apart. */
#include "../common/big_graph.h"

#define BLOCK 256

__global__ void multiply(const uint64_t *row, const uint32_t *column, const float *value,
                         const float *x, float *y, uint64_t rows, uint64_t blocks) {
  uint64_t r = spread_block(blocks) * BLOCK + threadIdx.x;
  float sum = 0;
  if (r >= rows) return;
  for (uint64_t i = row[r]; i < row[r + 1]; i++) sum += value[i] * x[column[i]];
  y[r] = sum;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("SPMV", argc, argv, 1 << 19, true);
  big_graph a = graph_open(s, 8, 4);
  uint64_t seed = s.self.seed;
  spread part = spread_over(s, (a.nodes + BLOCK - 1) / BLOCK, BLOCK * a.degree());
  scaled_whole(s, part.count == part.all);
  float *value = a.value ? a.value : table_new<float>(a.edges, GMMU_CONTENT_UNIT32, 2 * seed, 0);
  float *x = table_new<float>(a.nodes, GMMU_CONTENT_UNIT32, 2 * seed + 1, 0),
        *y = device_new<float>(a.nodes);
  multiply<<<part.count, BLOCK>>>(a.row, a.edge, value, x, y, a.nodes, part.all);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<float> v =
        a.value ? a.host_value : table_host<float>(a.edges, GMMU_CONTENT_UNIT32, 2 * seed, 0);
    std::vector<float> hx = table_host<float>(a.nodes, GMMU_CONTENT_UNIT32, 2 * seed + 1, 0);
    std::vector<double> want(a.nodes, 0);
    for (uint64_t r = 0; r < a.nodes; r++)
      for (uint64_t i = a.host_row[r]; i < a.host_row[r + 1]; i++)
        want[r] += (double)v[i] * hx[a.host_edge[i]];
    right = near_values("y", from_device(y, a.nodes), want, 1e-4);
  }
  free_all({a.row, a.edge, value, x, y});
  return app_end(s.self, right);
}
