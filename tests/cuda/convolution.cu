/* Separable convolution: rows, then columns, the filter in constant memory. */
#include "check.h"

#define R 4

__constant__ float filter[2 * R + 1];

__global__ void rows(const float *in, float *out, int w, int h) {
  __shared__ float s[128 + 2 * R];
  int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
  for (int i = threadIdx.x; i < 128 + 2 * R; i += 128) {
    int c = blockIdx.x * 128 + i - R;
    s[i] = c >= 0 && c < w ? in[y * w + c] : 0;
  }
  __syncthreads();
  if (x >= w) return;
  float sum = 0;
#pragma unroll
  for (int k = -R; k <= R; k++) sum += filter[k + R] * s[threadIdx.x + R + k];
  out[y * w + x] = sum;
}
__global__ void columns(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int k = -R; k <= R; k++)
    if (y + k >= 0 && y + k < h) sum += filter[k + R] * in[(y + k) * w + x];
  out[y * w + x] = sum;
}

int main() {
  const int w = 200, h = 60;
  std::vector<float> in(w * h), mid(w * h), out(w * h), f(2 * R + 1);
  for (float &v : in) v = random_f32();
  for (int k = -R; k <= R; k++) f[k + R] = 1.0f / (1 + k * k);
  CUDA(cudaMemcpyToSymbol(filter, f.data(), sizeof(float) * f.size()));
  float *a = to_device(in), *b = device_zeros<float>(w * h), *c = device_zeros<float>(w * h);
  rows<<<dim3((w + 127) / 128, h), 128>>>(a, b, w, h);
  columns<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(b, c, w, h);
  LAUNCHED();
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = -R; k <= R; k++)
        if (x + k >= 0 && x + k < w) mid[y * w + x] += f[k + R] * in[y * w + x + k];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = -R; k <= R; k++)
        if (y + k >= 0 && y + k < h) out[y * w + x] += f[k + R] * mid[(y + k) * w + x];
  same("image", to_host(c, w * h), out, 1e-5);
  return pass("convolution");
}
