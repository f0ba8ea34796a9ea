/* LPS: Laplace's equation in three dimensions by Jacobi steps. A block covers a piece of the x-y
 * plane and marches in z with three planes in shared memory; each step reads one plane further. */
#include "../common/app.h"

static const struct {
  unsigned n, steps; /* n^3 points */
} sizes[APP_SIZES] = {{24, 1}, {64, 8}, {200, 1}};

#define BX 32
#define BY 4

__global__ void step(const float *in, float *out, unsigned nx, unsigned ny, unsigned nz,
                     unsigned pitch) {
  __shared__ float plane[3][BY + 2][BX + 2];
  int i = (int)(blockIdx.x * BX + threadIdx.x), j = (int)(blockIdx.y * BY + threadIdx.y);
  unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  bool inside = i < (int)nx && j < (int)ny;
  size_t layer = (size_t)pitch * ny, at = (size_t)j * pitch + i;
  for (unsigned k = 0; k <= nz; k++) { /* plane k comes in, plane k - 1 is computed */
    float(*now)[BX + 2] = plane[k % 3];
    if (inside && k < nz) {
      const float *p = in + k * layer + at;
      now[ty][tx] = *p;
      if (threadIdx.x == 0 && i > 0) now[ty][0] = p[-1];
      if (threadIdx.x == BX - 1 && i + 1 < (int)nx) now[ty][BX + 1] = p[1];
      if (threadIdx.y == 0 && j > 0) now[0][tx] = p[-(long)pitch];
      if (threadIdx.y == BY - 1 && j + 1 < (int)ny) now[BY + 1][tx] = p[pitch];
    }
    __syncthreads();
    if (inside && k > 0) {
      float(*mid)[BX + 2] = plane[(k + 2) % 3], (*low)[BX + 2] = plane[(k + 1) % 3];
      bool border = i == 0 || j == 0 || i == (int)nx - 1 || j == (int)ny - 1 || k == 1 || k == nz;
      float v = mid[ty][tx];
      if (!border)
        v = (mid[ty][tx - 1] + mid[ty][tx + 1] + mid[ty - 1][tx] + mid[ty + 1][tx] + low[ty][tx] +
             now[ty][tx]) *
            (1.0f / 6.0f);
      out[(k - 1) * layer + at] = v;
    }
    __syncthreads();
  }
}

static void reference(std::vector<float> &u, unsigned n, unsigned steps) {
  std::vector<float> v = u;
  size_t layer = (size_t)n * n;
  for (unsigned s = 0; s < steps; s++) {
    for (size_t k = 1; k + 1 < n; k++)
      for (size_t j = 1; j + 1 < n; j++)
        for (size_t i = 1; i + 1 < n; i++) {
          const float *p = &u[k * layer + j * n + i];
          v[k * layer + j * n + i] =
              (p[-1] + p[1] + p[-(long)n] + p[n] + p[-(long)layer] + p[layer]) * (1.0f / 6.0f);
        }
    u.swap(v);
  }
}

int main(int argc, char **argv) {
  app self = app_begin("LPS", argc, argv);
  unsigned n = sizes[self.size].n, steps = sizes[self.size].steps;
  rng r(self.seed);
  std::vector<float> u = random_floats(r, (size_t)n * n * n, 0, 1);
  float *from = device_copy(u), *to = device_new<float>(u.size());
  for (unsigned s = 0; s < steps; s++) {
    step<<<dim3(blocks_for(n, BX), blocks_for(n, BY)), dim3(BX, BY)>>>(from, to, n, n, n, n);
    CHECK_LAUNCH();
    float *t = from;
    from = to, to = t;
  }
  std::vector<float> got = from_device(from, u.size());
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  bool right = true;
  if (self.verify) {
    reference(u, n, steps);
    right = near_values("u", got, u, 1e-6);
  }
  return app_end(self, right);
}
