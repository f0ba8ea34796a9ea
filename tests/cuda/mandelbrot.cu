/* Escape times: divergent loops of very different length, in double. */
#include "check.h"

__host__ __device__ int escape(double cx, double cy, int limit) {
  double x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y < 4) {
    double t = x * x - y * y + cx;
    y = 2 * x * y + cy, x = t, n++;
  }
  return n;
}
__global__ void mandelbrot(int *out, int w, int h, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = escape(-2.0 + 3.0 * x / w, -1.0 + 2.0 * y / h, limit);
}

int main() {
  const int w = 96, h = 64, limit = 100;
  int *d = device_zeros<int>(w * h);
  mandelbrot<<<dim3(w / 16, h / 8), dim3(16, 8)>>>(d, w, h, limit);
  LAUNCHED();
  std::vector<int> got = to_host(d, w * h);
  int off = 0; /* fused multiplication may move a pixel on the rim */
  for (int i = 0; i < w * h; i++)
    off += got[i] != escape(-2.0 + 3.0 * (i % w) / w, -1.0 + 2.0 * (i / w) / h, limit);
  want(off <= w * h / 100, "escape times");
  return pass("mandelbrot");
}
