/* Sequence alignment: blocks on an anti-diagonal at a time, cells on one within a block. */
#include "check.h"

#define B   16
#define GAP 2

__device__ int best(int a, int b, int c) { return max(a, max(b, c)); }
__global__ void diagonal(int *score, const int *match, int n, int d, int first) {
  __shared__ int s[B + 1][B + 1];
  int bx = first + blockIdx.x, by = d - bx, t = threadIdx.x, w = n + 1;
  int x0 = bx * B, y0 = by * B; /* the cell to the upper left of the block */
  if (t == 0) s[0][0] = score[y0 * w + x0];
  s[0][t + 1] = score[y0 * w + x0 + t + 1];
  s[t + 1][0] = score[(y0 + t + 1) * w + x0];
  __syncthreads();
  for (int m = 0; m < 2 * B - 1; m++) {
    int x = t + 1, y = m - t + 1;
    if (y >= 1 && y <= B)
      s[y][x] = best(s[y - 1][x - 1] + match[(y0 + y - 1) * n + x0 + x - 1], s[y - 1][x] - GAP,
                     s[y][x - 1] - GAP);
    __syncthreads();
  }
  for (int y = 1; y <= B; y++) score[(y0 + y) * w + x0 + t + 1] = s[y][t + 1];
}

int main() {
  const int n = 96, w = n + 1, blocks = n / B;
  std::vector<int> score(w * w), match(n * n), expect;
  std::vector<int> a(n), b(n);
  for (int i = 0; i < n; i++) a[i] = random_u32() % 4, b[i] = random_u32() % 4;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) match[y * n + x] = a[x] == b[y] ? 3 : -1;
  for (int i = 0; i < w; i++) score[i] = score[i * w] = -GAP * i;
  expect = score;
  for (int y = 1; y < w; y++)
    for (int x = 1; x < w; x++)
      expect[y * w + x] = std::max(expect[(y - 1) * w + x - 1] + match[(y - 1) * n + x - 1],
                                   std::max(expect[(y - 1) * w + x], expect[y * w + x - 1]) - GAP);
  int *ds = to_device(score), *dm = to_device(match);
  for (int d = 0; d < 2 * blocks - 1; d++) {
    int first = d < blocks ? 0 : d - blocks + 1, last = d < blocks ? d : blocks - 1;
    diagonal<<<last - first + 1, B>>>(ds, dm, n, d, first);
  }
  LAUNCHED();
  same("score", to_host(ds, w * w), expect);
  return pass("needleman_wunsch", expect);
}
