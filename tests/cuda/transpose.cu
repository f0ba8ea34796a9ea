/* Matrix transpose, naive and through a padded tile; a template of type and size. */
#include "check.h"

template <class T> __global__ void naive(const T *in, T *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
template <class T, int TILE, int ROWS> __global__ void tiled(const T *in, T *out, int w, int h) {
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
template <class T> void check(int w, int h) {
  std::vector<T> in(w * h), expect(w * h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) expect[x * h + y] = in[y * w + x] = (T)(random_u32() & 127);
  T *d = to_device(in), *e = device_zeros<T>(w * h);
  naive<T><<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, e, w, h);
  same("naive", to_host(e, w * h), expect);
  CUDA(cudaMemset(e, 0, w * h * sizeof(T)));
  tiled<T, 32, 8><<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(d, e, w, h);
  same("tiled", to_host(e, w * h), expect);
  cudaFree(d), cudaFree(e);
}

int main() {
  check<float>(96, 64);
  check<double>(50, 33);
  check<unsigned char>(70, 45);
  check<short>(33, 65);
  LAUNCHED();
  return pass("transpose");
}
