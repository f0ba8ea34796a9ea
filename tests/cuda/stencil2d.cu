/* A five-point stencil with a halo in shared memory, several time steps. */
#include "check.h"

#define TILE 16

__global__ void step(const float *in, float *out, int w, int h) {
  __shared__ float s[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  int cx = min(x, w - 1), cy = min(y, h - 1), tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  s[ty][tx] = in[cy * w + cx];
  if (threadIdx.x == 0) s[ty][0] = in[cy * w + max(cx - 1, 0)];
  if (threadIdx.x == TILE - 1) s[ty][TILE + 1] = in[cy * w + min(cx + 1, w - 1)];
  if (threadIdx.y == 0) s[0][tx] = in[max(cy - 1, 0) * w + cx];
  if (threadIdx.y == TILE - 1) s[TILE + 1][tx] = in[min(cy + 1, h - 1) * w + cx];
  __syncthreads();
  if (x < w && y < h)
    out[y * w + x] =
        0.5f * s[ty][tx] + 0.125f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}

int main() {
  const int w = 144, h = 96, steps = 6;
  std::vector<float> a(w * h), b(w * h);
  for (float &x : a) x = random_f32();
  float *da = to_device(a), *db = device_zeros<float>(w * h);
  dim3 block(TILE, TILE), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
  for (int i = 0; i < steps; i++) {
    step<<<grid, block>>>(da, db, w, h);
    std::swap(da, db);
  }
  LAUNCHED();
  auto at =
      [&](int x,
          int y) { /* the grid is a multiple of the tile: clamping is the same */
                   return a[std::min(std::max(y, 0), h - 1) * w + std::min(std::max(x, 0), w - 1)];
      };
  for (int i = 0; i < steps; i++) {
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        b[y * w + x] =
            0.5f * at(x, y) + 0.125f * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
    std::swap(a, b);
  }
  same("grid", to_host(da, w * h), a, 1e-5);
  return pass("stencil2d");
}
