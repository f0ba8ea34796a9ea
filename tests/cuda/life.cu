/* The game of life on a torus, bytes, ping-pong buffers. */
#include "check.h"

__global__ void generation(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int l = (x + w - 1) % w, r = (x + 1) % w, u = (y + h - 1) % h * w, m = y * w, d = (y + 1) % h * w;
  int n =
      in[u + l] + in[u + x] + in[u + r] + in[m + l] + in[m + r] + in[d + l] + in[d + x] + in[d + r];
  out[m + x] = n == 3 || (n == 2 && in[m + x]);
}

int main() {
  const int w = 100, h = 50, steps = 10;
  std::vector<unsigned char> a(w * h), b(w * h);
  for (unsigned char &c : a) c = random_u32() % 3 == 0;
  unsigned char *da = to_device(a), *db = device_zeros<unsigned char>(w * h);
  for (int s = 0; s < steps; s++) {
    generation<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(da, db, w, h);
    std::swap(da, db);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        int n = -a[y * w + x];
        for (int j = -1; j <= 1; j++)
          for (int i = -1; i <= 1; i++) n += a[(y + j + h) % h * w + (x + i + w) % w];
        b[y * w + x] = n == 3 || (n == 2 && a[y * w + x]);
      }
    std::swap(a, b);
  }
  LAUNCHED();
  same("board", to_host(da, w * h), a);
  return pass("life", a);
}
