/* Pitched memory, two- and three-dimensional copies and fills. */
#include "check.h"

__global__ void blur(const char *in, size_t in_pitch, char *out, size_t out_pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float *row = (const float *)(in + y * in_pitch);
  float left = x ? row[x - 1] : 0, right = x + 1 < w ? row[x + 1] : 0;
  ((float *)(out + y * out_pitch))[x] = left + 2 * row[x] + right;
}
__global__ void add_one(cudaPitchedPtr p, int w, int h, int d) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x < w && y < h && z < d)
    ((int *)((char *)p.ptr + p.pitch * (p.ysize * z + y)))[x] += 1 + x + 10 * y + 100 * z;
}

int main() {
  const int w = 37, h = 21, d = 5;
  std::vector<float> v(w * h), expect(w * h), got(w * h);
  for (float &x : v) x = (float)(random_u32() % 100);
  char *a, *b;
  size_t pa, pb;
  CUDA(cudaMallocPitch((void **)&a, &pa, w * sizeof(float), h));
  CUDA(cudaMallocPitch((void **)&b, &pb, w * sizeof(float), h));
  want(pa >= w * sizeof(float) && pa % 32 == 0, "pitch");
  CUDA(cudaMemcpy2D(a, pa, v.data(), w * sizeof(float), w * sizeof(float), h,
                    cudaMemcpyHostToDevice));
  CUDA(cudaMemset2D(b, pb, 0, w * sizeof(float), h));
  blur<<<dim3(3, 3), dim3(16, 8)>>>(a, pa, b, pb, w, h);
  CUDA(cudaMemcpy2D(got.data(), w * sizeof(float), b, pb, w * sizeof(float), h,
                    cudaMemcpyDeviceToHost));
  for (int i = 0; i < w * h; i++)
    expect[i] = (i % w ? v[i - 1] : 0) + 2 * v[i] + (i % w + 1 < w ? v[i + 1] : 0);
  same("rows", got, expect);

  cudaExtent extent = make_cudaExtent(w * sizeof(int), h, d);
  cudaPitchedPtr p;
  CUDA(cudaMalloc3D(&p, extent));
  CUDA(cudaMemset3D(p, 0, extent));
  add_one<<<d, dim3(w, h)>>>(p, w, h, d);
  std::vector<int> cube(w * h * d), cube_expect(w * h * d);
  cudaMemcpy3DParms c = {};
  c.srcPtr = p, c.dstPtr = make_cudaPitchedPtr(cube.data(), w * sizeof(int), w, h);
  c.extent = extent, c.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&c));
  for (int i = 0; i < w * h * d; i++)
    cube_expect[i] = 1 + i % w + 10 * (i / w % h) + 100 * (i / w / h);
  same("cube", cube, cube_expect);
  CUDA(cudaFree(a));
  CUDA(cudaFree(b));
  CUDA(cudaFree(p.ptr));
  return pass("pitched", cube);
}
