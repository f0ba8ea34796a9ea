/* Texture references, as programs before CUDA 12 have them. A current nvcc needs gmmu_compat.h. */
#include "check.h"

texture<float, 1, cudaReadModeElementType> line;
texture<int2, 1> pairs;
texture<unsigned char, 2, cudaReadModeElementType> image;

__global__ void gather(const int *index, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 p = tex1Dfetch(pairs, i);
  out[i] = tex1Dfetch(line, index[i]) + p.x * p.y;
}
__global__ void sample(int *out, int w) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * w + x] = tex2D(image, x + 0.5f, y + 0.5f) + tex2D(image, x + 1.5f, y + 0.5f);
}

int main() {
  const int n = 600, w = 24, h = 10;
  std::vector<float> v(n), expect(n);
  std::vector<int> index(n), pixels(w * h);
  std::vector<int2> p(n);
  for (int i = 0; i < n; i++) {
    v[i] = (float)random_u32(), index[i] = random_u32() % n, p[i] = make_int2(i % 7, i % 5);
  }
  for (int i = 0; i < n; i++) expect[i] = v[index[i]] + p[i].x * p[i].y;
  float *dv = to_device(v), *out = device_zeros<float>(n);
  int2 *dp = to_device(p);
  CUDA(cudaBindTexture(0, line, dv, n * sizeof(float)));
  CUDA(cudaBindTexture(0, pairs, dp, n * sizeof(int2)));
  gather<<<(n + 127) / 128, 128>>>(to_device(index), out, n);
  LAUNCHED();
  same("gather", to_host(out, n), expect);
  CUDA(cudaUnbindTexture(line));
  CUDA(cudaUnbindTexture(pairs));

  std::vector<unsigned char> bytes(w * h);
  for (unsigned char &b : bytes) b = random_u32() & 255;
  cudaArray *array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned char>();
  CUDA(cudaMallocArray(&array, &desc, w, h));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), w, w, h, cudaMemcpyHostToDevice));
  image.addressMode[0] = cudaAddressModeClamp, image.addressMode[1] = cudaAddressModeClamp;
  image.filterMode = cudaFilterModePoint, image.normalized = false;
  CUDA(cudaBindTextureToArray(image, array, desc));
  int *di = device_zeros<int>(w * h);
  sample<<<h, w>>>(di, w);
  LAUNCHED();
  for (int i = 0; i < w * h; i++) pixels[i] = bytes[i] + bytes[i % w + 1 < w ? i + 1 : i];
  same("image", to_host(di, w * h), pixels);
  CUDA(cudaUnbindTexture(image));
  CUDA(cudaFreeArray(array));
  return pass("texture_reference", pixels);
}
