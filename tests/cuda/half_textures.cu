/* Textures of halves: one, two and four of them, point by point and filtered. */
#include "check.h"
#include <cuda_fp16.h>

enum { W = 16, H = 4, FIELDS = 8 };
__global__ void reads(float *out, cudaTextureObject_t one, cudaTextureObject_t two,
                      cudaTextureObject_t four) {
  float x = (float)threadIdx.x + 0.5f, *o = out + threadIdx.x * FIELDS;
  o[0] = tex2D<float>(one, x, 2.5f);
  float2 b = tex2D<float2>(two, x, 1.0f); /* between two rows */
  o[1] = b.x, o[2] = b.y;
  float4 c = tex2D<float4>(four, x, 3.5f);
  o[3] = c.x, o[4] = c.y, o[5] = c.z, o[6] = c.w, o[7] = 0;
}
static cudaTextureObject_t texture_of(cudaChannelFormatDesc desc, int parts,
                                      cudaTextureFilterMode filter) {
  std::vector<unsigned short> texels(W * H * parts);
  for (int i = 0; i < W * H * parts; i++) {
    half h = __float2half((float)i * 0.25f);
    memcpy(&texels[i], &h, 2);
  }
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &desc, W, H));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), W * parts * 2, W * parts * 2, H,
                           cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = filter, how.readMode = cudaReadModeElementType;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t;
  CUDA(cudaCreateTextureObject(&t, &resource, &how, NULL));
  return t;
}

int main() {
  float *d = device_zeros<float>(W * FIELDS);
  reads<<<1, W>>>(d, texture_of(cudaCreateChannelDescHalf(), 1, cudaFilterModePoint),
                  texture_of(cudaCreateChannelDescHalf2(), 2, cudaFilterModeLinear),
                  texture_of(cudaCreateChannelDescHalf4(), 4, cudaFilterModePoint));
  LAUNCHED();
  std::vector<float> expect(W * FIELDS);
  for (int x = 0; x < W; x++) {
    float *e = &expect[x * FIELDS];
    e[0] = (float)(2 * W + x) * 0.25f;
    for (int k = 0; k < 2; k++) e[1 + k] = ((float)(2 * x + k) + (float)(2 * (W + x) + k)) * 0.125f;
    for (int k = 0; k < 4; k++) e[3 + k] = (float)(4 * (3 * W + x) + k) * 0.25f;
  }
  same("texels", to_host(d, W * FIELDS), expect);
  return pass("half_textures", expect);
}
