/* NW: Needleman-Wunsch alignment of two sequences: the score matrix is filled along anti-diagonals
 * of 16 x 16 tiles, a launch per diagonal and a block of 16 threads per tile. A tile's rows are a
 * matrix row (several pages) apart. */
#include "../common/app.h"

static const struct {
  unsigned n; /* letters of each sequence, a multiple of TILE */
} sizes[APP_SIZES] = {{128}, {1440}, {4096}};

#define TILE    16
#define PENALTY 10

__device__ __host__ inline int greatest(int a, int b, int c) {
  int m = a > b ? a : b;
  return m > c ? m : c;
}

/* Tile (tx, ty) of the diagonal; score has a first row and column for the penalties. */
__global__ void diagonal(int *score, const int *similar, unsigned columns, unsigned first_x,
                         unsigned sum) {
  __shared__ int s[TILE + 1][TILE + 1], ref[TILE][TILE];
  unsigned t = threadIdx.x, tx = first_x + blockIdx.x, ty = sum - tx;
  size_t corner = (size_t)ty * TILE * columns + (size_t)tx * TILE; /* left above the tile */
  for (unsigned y = 0; y < TILE; y++)
    ref[y][t] = similar[corner + (size_t)(y + 1) * columns + t + 1];
  if (t == 0) s[0][0] = score[corner];
  s[t + 1][0] = score[corner + (size_t)(t + 1) * columns];
  s[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  for (unsigned d = 0; d < 2 * TILE - 1; d++) { /* thread t works in column t */
    if (d >= t && d - t < TILE) {
      unsigned x = t + 1, y = d - t + 1;
      s[y][x] = greatest(s[y - 1][x - 1] + ref[y - 1][x - 1], s[y][x - 1] - PENALTY,
                         s[y - 1][x] - PENALTY);
    }
    __syncthreads();
  }
  for (unsigned y = 0; y < TILE; y++)
    score[corner + (size_t)(y + 1) * columns + t + 1] = s[y + 1][t + 1];
}

static void reference(std::vector<int> &score, const std::vector<int> &similar, unsigned columns) {
  for (size_t y = 1; y < columns; y++)
    for (size_t x = 1; x < columns; x++) {
      size_t at = y * columns + x;
      score[at] = greatest(score[at - columns - 1] + similar[at], score[at - 1] - PENALTY,
                           score[at - columns] - PENALTY);
    }
}

int main(int argc, char **argv) {
  app self = app_begin("NW", argc, argv);
  unsigned n = sizes[self.size].n, columns = n + 1, tiles = n / TILE;
  rng r(self.seed);
  std::vector<int> score((size_t)columns * columns, 0), similar(score.size(), 0), a(n), b(n);
  int table[24][24]; /* how alike two letters are: symmetric, like substitution matrices */
  for (int i = 0; i < 24; i++)
    for (int j = 0; j <= i; j++)
      table[i][j] = table[j][i] = i == j ? 4 + (int)r.below(8) : (int)r.below(8) - 4;
  for (unsigned i = 0; i < n; i++) a[i] = (int)r.below(24), b[i] = (int)r.below(24);
  for (size_t y = 1; y < columns; y++)
    for (size_t x = 1; x < columns; x++) similar[y * columns + x] = table[a[y - 1]][b[x - 1]];
  for (size_t i = 1; i < columns; i++) score[i] = score[i * columns] = -(int)i * PENALTY;
  int *dscore = device_copy(score), *dsimilar = device_copy(similar);
  for (unsigned sum = 0; sum < 2 * tiles - 1; sum++) {
    unsigned first = sum < tiles ? 0 : sum - tiles + 1, last = sum < tiles ? sum : tiles - 1;
    diagonal<<<last - first + 1, TILE>>>(dscore, dsimilar, columns, first, sum);
    CHECK_LAUNCH();
  }
  std::vector<int> got = from_device(dscore, score.size());
  CHECK(cudaFree(dscore));
  CHECK(cudaFree(dsimilar));
  if (self.verify) reference(score, similar, columns);
  return app_end(self, !self.verify || same_values("score", got, score));
}
