/* Dynamic programming over rows with a halo that shrinks, as grid benchmarks do it. */
#include "check.h"

#define BLOCK  256
#define HEIGHT 8

__global__ void rows(const int *wall, const int *in, int *out, int w, int first, int count) {
  __shared__ int prev[BLOCK], now[BLOCK];
  int x = (int)(blockIdx.x * (BLOCK - 2 * HEIGHT) + threadIdx.x) - HEIGHT, t = threadIdx.x;
  bool valid = x >= 0 && x < w;
  prev[t] = valid ? in[x] : 0x3fffffff;
  __syncthreads();
  for (int i = 0; i < count; i++) {
    if (t > i && t < BLOCK - 1 - i && valid)
      now[t] = min(prev[t], min(prev[t - 1], prev[t + 1])) + wall[(first + i) * w + x];
    else
      now[t] = prev[t];
    __syncthreads();
    prev[t] = now[t];
    __syncthreads();
  }
  if (t >= HEIGHT && t < BLOCK - HEIGHT && valid) out[x] = prev[t];
}

int main() {
  const int w = 1000, h = 40;
  std::vector<int> wall(w * h), row(w), next(w);
  for (int &v : wall) v = random_u32() % 10;
  for (int x = 0; x < w; x++) row[x] = wall[x];
  int *dw = to_device(wall), *a = to_device(row), *b = device_zeros<int>(w);
  for (int y = 1; y < h; y += HEIGHT) {
    int count = std::min(HEIGHT, h - y);
    rows<<<(w + BLOCK - 2 * HEIGHT - 1) / (BLOCK - 2 * HEIGHT), BLOCK>>>(dw, a, b, w, y, count);
    std::swap(a, b);
  }
  LAUNCHED();
  for (int y = 1; y < h; y++) {
    for (int x = 0; x < w; x++)
      next[x] = std::min(row[x], std::min(x ? row[x - 1] : 0x3fffffff,
                                          x + 1 < w ? row[x + 1] : 0x3fffffff)) +
                wall[y * w + x];
    row = next;
  }
  same("row", to_host(a, w), row);
  return pass("pathfinder", row);
}
