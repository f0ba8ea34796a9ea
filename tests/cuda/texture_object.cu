/* Texture objects: linear 1-D, pitched 2-D and arrays; clamped, wrapped, normalised, several types.
 */
#include "check.h"

__global__ void linear(cudaTextureObject_t f, cudaTextureObject_t i4, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int4 v = tex1Dfetch<int4>(i4, i);
  out[i] = tex1Dfetch<float>(f, n - 1 - i) + v.x + v.y + v.z + v.w;
}
__global__ void plane(cudaTextureObject_t t, int *out, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * w + x] =
      tex2D<unsigned char>(t, x - 1.0f + 0.5f, y + 1.0f + 0.5f); /* clamps at the rim */
}
__global__ void normal(cudaTextureObject_t t, float *out, int w) {
  int x = threadIdx.x;
  out[x] = tex2D<float>(t, (x + 0.5f) / w + 1.0f, 0.25f); /* wraps around */
}

cudaTextureObject_t make(cudaResourceDesc r, cudaTextureAddressMode mode, int normalized) {
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  d.addressMode[0] = d.addressMode[1] = mode;
  d.filterMode = cudaFilterModePoint, d.readMode = cudaReadModeElementType;
  d.normalizedCoords = normalized;
  cudaTextureObject_t t;
  CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
  return t;
}

int main() {
  const int n = 500, w = 32, h = 16;
  std::vector<float> f(n), out(n);
  std::vector<int4> q(n);
  for (int i = 0; i < n; i++) f[i] = (float)(i * 3), q[i] = make_int4(i, 2 * i, -i, 5);
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = to_device(f), r.res.linear.sizeInBytes = n * sizeof(float);
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  cudaTextureObject_t a = make(r, cudaAddressModeClamp, 0);
  r.res.linear.devPtr = to_device(q), r.res.linear.sizeInBytes = n * sizeof(int4);
  r.res.linear.desc = cudaCreateChannelDesc<int4>();
  cudaTextureObject_t b = make(r, cudaAddressModeClamp, 0);
  float *d = device_zeros<float>(n);
  linear<<<(n + 127) / 128, 128>>>(a, b, d, n);
  for (int i = 0; i < n; i++) out[i] = f[n - 1 - i] + 2 * i + 5;
  same("linear", to_host(d, n), out);

  std::vector<unsigned char> image(w * h);
  for (unsigned char &c : image) c = random_u32() & 255;
  char *p;
  size_t pitch;
  CUDA(cudaMallocPitch((void **)&p, &pitch, w, h));
  CUDA(cudaMemcpy2D(p, pitch, image.data(), w, w, h, cudaMemcpyHostToDevice));
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = p, r.res.pitch2D.pitchInBytes = pitch;
  r.res.pitch2D.width = w, r.res.pitch2D.height = h;
  r.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  cudaTextureObject_t c = make(r, cudaAddressModeClamp, 0);
  int *di = device_zeros<int>(w * h);
  plane<<<h, w>>>(c, di, w, h);
  std::vector<int> pixels(w * h);
  for (int i = 0; i < w * h; i++)
    pixels[i] = image[std::min(i / w + 1, h - 1) * w + std::max(i % w - 1, 0)];
  same("plane", to_host(di, w * h), pixels);

  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  CUDA(cudaMallocArray(&array, &desc, w, h));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, f.data(), w * 4, w * 4, 15, cudaMemcpyHostToDevice));
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray, r.res.array.array = array;
  cudaTextureObject_t e = make(r, cudaAddressModeWrap, 1);
  normal<<<1, w>>>(e, d, w);
  std::vector<float> row(f.begin() + h / 4 * w, f.begin() + h / 4 * w + w);
  same("array", to_host(d, w), row);
  CUDA(cudaDestroyTextureObject(a));
  CUDA(cudaDestroyTextureObject(b));
  CUDA(cudaDestroyTextureObject(c));
  CUDA(cudaDestroyTextureObject(e));
  CUDA(cudaFreeArray(array));
  return pass("texture_object", pixels);
}
