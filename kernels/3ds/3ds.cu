/* 3DS: 3-D finite differences of order 8: a point and its four neighbours each way along every
 * axis. A block covers 16 x 16 points of a plane and marches in z: the nine values above and below
 * a point are in registers, the plane with its halo in shared memory. Every step is a new plane, so
 * six pages of 24 rows that no block touched before its neighbours do, and halos are read again. */
#include "../common/app.h"

#define RADIUS 4
#define TILE   16
#define PADDED (TILE + 2 * RADIUS)

/* Points along x, y (multiples of TILE) and z; steps in time. */
static const struct {
  uint32_t nx, ny, nz, steps;
} sizes[APP_SIZES] = {{64, 32, 20, 1}, {256, 128, 96, 1}, {256, 256, 112, 1}};

/* Of the point itself and of its neighbours at distance 1..4: an explicit step of the heat equation
 * with the second derivative of order 8. */
#define COURANT 0.05f
static const float weights[RADIUS + 1] = {1.0f - 3 * COURANT * 205 / 72, COURANT * 8 / 5,
                                          -COURANT / 5, COURANT * 8 / 315, -COURANT / 560};
__constant__ float weight[RADIUS + 1];

/* The plane around the block: every thread has the middle in hand, some fetch the halo. */
__device__ static void fill_plane(float plane[PADDED][PADDED], const float *at, float middle,
                                  uint32_t x, uint32_t y, uint32_t nx, uint32_t ny) {
  uint32_t tx = threadIdx.x, ty = threadIdx.y;
  plane[ty + RADIUS][tx + RADIUS] = middle;
  if (tx < RADIUS) {
    if (x >= RADIUS) plane[ty + RADIUS][tx] = at[-RADIUS];
    if (x + TILE < nx) plane[ty + RADIUS][tx + RADIUS + TILE] = at[TILE];
  }
  if (ty < RADIUS) {
    if (y >= RADIUS) plane[ty][tx + RADIUS] = at[-(int64_t)(RADIUS * nx)];
    if (y + TILE < ny) plane[ty + RADIUS + TILE][tx + RADIUS] = at[(int64_t)(TILE * nx)];
  }
}

/* The outermost RADIUS points of the volume are its boundary and keep their values. */
__global__ void __launch_bounds__(TILE *TILE)
    march(const float *from, float *to, uint32_t nx, uint32_t ny, uint32_t nz) {
  __shared__ float plane[PADDED][PADDED];
  uint32_t tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
  uint32_t x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  size_t area = (size_t)nx * ny, at = (size_t)y * nx + x;
  bool inner = x >= RADIUS && x < nx - RADIUS && y >= RADIUS && y < ny - RADIUS;
  float column[2 * RADIUS + 1];
  for (int k = 0; k < 2 * RADIUS; k++) column[k + 1] = from[at + k * area];
  at += RADIUS * area;
  for (uint32_t z = RADIUS; z < nz - RADIUS; z++, at += area) {
    for (int k = 0; k < 2 * RADIUS; k++) column[k] = column[k + 1];
    column[2 * RADIUS] = from[at + RADIUS * area];
    __syncthreads();
    fill_plane(plane, from + at, column[RADIUS], x, y, nx, ny);
    __syncthreads();
    if (!inner) continue;
    float sum = weight[0] * column[RADIUS];
    for (int k = 1; k <= RADIUS; k++)
      sum += weight[k] * (column[RADIUS - k] + column[RADIUS + k] + plane[ty - k][tx] +
                          plane[ty + k][tx] + plane[ty][tx - k] + plane[ty][tx + k]);
    to[at] = sum;
  }
}

static void reference_step(const std::vector<float> &from, std::vector<float> &to, size_t nx,
                           size_t ny, size_t nz) {
  size_t area = nx * ny;
  for (size_t z = RADIUS; z < nz - RADIUS; z++)
    for (size_t y = RADIUS; y < ny - RADIUS; y++)
      for (size_t x = RADIUS; x < nx - RADIUS; x++) {
        size_t i = z * area + y * nx + x;
        double sum = (double)weights[0] * from[i];
        for (size_t k = 1; k <= RADIUS; k++)
          sum += (double)weights[k] * ((double)from[i - k] + from[i + k] + from[i - k * nx] +
                                       from[i + k * nx] + from[i - k * area] + from[i + k * area]);
        to[i] = (float)sum;
      }
}

int main(int argc, char **argv) {
  app self = app_begin("3DS", argc, argv);
  uint32_t nx = sizes[self.size].nx, ny = sizes[self.size].ny, nz = sizes[self.size].nz;
  size_t points = (size_t)nx * ny * nz;
  rng r(self.seed);
  std::vector<float> volume = random_floats(r, points, 0, 1);
  float *from = device_copy(volume), *to = device_copy(volume);
  CHECK(cudaMemcpyToSymbol(weight, weights, sizeof weights));
  for (uint32_t s = 0; s < sizes[self.size].steps; s++) {
    march<<<dim3(nx / TILE, ny / TILE), dim3(TILE, TILE)>>>(from, to, nx, ny, nz);
    CHECK_LAUNCH();
    std::swap(from, to);
  }
  std::vector<float> got = from_device(from, points);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  if (!self.verify) return app_end(self, true);
  std::vector<float> want = volume, next = volume;
  for (uint32_t s = 0; s < sizes[self.size].steps; s++) {
    reference_step(want, next, nx, ny, nz);
    want.swap(next);
  }
  /* 25 terms of size 1 or less in single precision. */
  return app_end(self, near_values("volume", got, want, 1e-5));
}
