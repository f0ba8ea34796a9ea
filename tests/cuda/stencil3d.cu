/* A seven-point heat equation in three dimensions; columns are marched along z in registers. */
#include "check.h"

__global__ void heat(const double *in, double *out, int nx, int ny, int nz, double c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int plane = nx * ny, i = plane + y * nx + x;
  double below = in[i - plane], here = in[i], above;
  for (int z = 1; z < nz - 1; z++, i += plane) {
    above = in[i + plane];
    out[i] =
        here + c * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above - 6 * here);
    below = here, here = above;
  }
}

int main() {
  const int nx = 40, ny = 24, nz = 12, n = nx * ny * nz;
  std::vector<double> a(n), b;
  for (double &v : a) v = random_u32() % 1000;
  b = a;
  double *da = to_device(a), *db = to_device(a);
  for (int s = 0; s < 4; s++) {
    heat<<<dim3(2, 3), dim3(32, 8)>>>(da, db, nx, ny, nz, 0.1);
    std::swap(da, db);
    for (int z = 1; z < nz - 1; z++)
      for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++) {
          int i = (z * ny + y) * nx + x;
          b[i] = a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] +
                               a[i + nx * ny] - 6 * a[i]);
        }
    std::swap(a, b);
  }
  LAUNCHED();
  same("grid", to_host(da, n), a, 1e-12);
  return pass("stencil3d");
}
