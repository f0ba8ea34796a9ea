/* LUD: LU decomposition without pivoting, in place, in tiles of 16 x 16: per step the tile on the
 * diagonal, then the rest of its row and column, then everything below and to the right. Small
 * tiles in shared memory; the matrix is used again and again. */
#include "../common/app.h"

static const struct {
  unsigned n; /* a multiple of TILE */
} sizes[APP_SIZES] = {{64}, {448}, {1600}};

#define TILE 16

__global__ void diagonal(float *m, unsigned n, unsigned at) {
  __shared__ float t[TILE][TILE];
  float *base = m + (size_t)at * n + at;
  unsigned x = threadIdx.x;
  for (unsigned y = 0; y < TILE; y++) t[y][x] = base[(size_t)y * n + x];
  __syncthreads();
  for (unsigned i = 0; i < TILE - 1; i++) {
    if (x > i) { /* the column below the diagonal */
      for (unsigned j = 0; j < i; j++) t[x][i] -= t[x][j] * t[j][i];
      t[x][i] /= t[i][i];
    }
    __syncthreads();
    if (x > i) /* the next row */
      for (unsigned j = 0; j < i + 1; j++) t[i + 1][x] -= t[i + 1][j] * t[j][x];
    __syncthreads();
  }
  for (unsigned y = 0; y < TILE; y++) base[(size_t)y * n + x] = t[y][x];
}

/* The first 16 threads do a tile of the row, the others one of the column. */
__global__ void perimeter(float *m, unsigned n, unsigned at) {
  __shared__ float d[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
  unsigned x = threadIdx.x % TILE, far = at + (blockIdx.x + 1) * TILE;
  bool in_row = threadIdx.x < TILE;
  for (unsigned y = 0; y < TILE; y++) {
    if (in_row) {
      d[y][x] = m[(size_t)(at + y) * n + at + x];
      row[y][x] = m[(size_t)(at + y) * n + far + x];
    } else {
      column[y][x] = m[(size_t)(far + y) * n + at + x];
    }
  }
  __syncthreads();
  if (in_row) {
    for (unsigned i = 1; i < TILE; i++)
      for (unsigned j = 0; j < i; j++) row[i][x] -= d[i][j] * row[j][x];
  } else {
    for (unsigned i = 0; i < TILE; i++) {
      for (unsigned j = 0; j < i; j++) column[x][i] -= column[x][j] * d[j][i];
      column[x][i] /= d[i][i];
    }
  }
  __syncthreads();
  for (unsigned y = 0; y < TILE; y++) {
    if (in_row)
      m[(size_t)(at + y) * n + far + x] = row[y][x];
    else
      m[(size_t)(far + y) * n + at + x] = column[y][x];
  }
}

__global__ void interior(float *m, unsigned n, unsigned at) {
  __shared__ float row[TILE][TILE], column[TILE][TILE];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned gy = at + (blockIdx.y + 1) * TILE, gx = at + (blockIdx.x + 1) * TILE;
  row[y][x] = m[(size_t)(at + y) * n + gx + x];
  column[y][x] = m[(size_t)(gy + y) * n + at + x];
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < TILE; i++) sum += column[y][i] * row[i][x];
  m[(size_t)(gy + y) * n + gx + x] -= sum;
}

static std::vector<double> reference(const std::vector<float> &in, unsigned n) {
  std::vector<double> m(in.begin(), in.end());
  for (unsigned k = 0; k < n; k++)
    for (unsigned i = k + 1; i < n; i++) {
      double f = m[(size_t)i * n + k] /= m[(size_t)k * n + k];
      for (unsigned j = k + 1; j < n; j++) m[(size_t)i * n + j] -= f * m[(size_t)k * n + j];
    }
  return m;
}

int main(int argc, char **argv) {
  app self = app_begin("LUD", argc, argv);
  unsigned n = sizes[self.size].n;
  rng r(self.seed);
  std::vector<float> m = random_floats(r, (size_t)n * n, 0, 1);
  for (unsigned i = 0; i < n; i++)
    m[(size_t)i * n + i] += (float)n; /* dominant: no pivoting needed */
  float *dm = device_copy(m);
  for (unsigned at = 0; at < n; at += TILE) {
    unsigned left = (n - at) / TILE - 1;
    diagonal<<<1, TILE>>>(dm, n, at);
    CHECK_LAUNCH();
    if (!left) break;
    perimeter<<<left, 2 * TILE>>>(dm, n, at);
    CHECK_LAUNCH();
    interior<<<dim3(left, left), dim3(TILE, TILE)>>>(dm, n, at);
    CHECK_LAUNCH();
  }
  std::vector<float> lu = from_device(dm, (size_t)n * n);
  CHECK(cudaFree(dm));
  return app_end(self, !self.verify || near_values("lu", lu, reference(m, n), 1e-4));
}
