/* Attributes of kernels and the occupancy functions; prints nothing that depends on the device. */
#include "check.h"

__global__ void __launch_bounds__(256) bounded(float *p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void square(int *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] *= a[i];
}

int main() {
  cudaFuncAttributes a;
  cudaDeviceProp prop;
  int grid = 0, block = 0, blocks = 0;
  CUDA(cudaGetDeviceProperties(&prop, 0));
  want(prop.warpSize == 32 && prop.multiProcessorCount > 0 && prop.maxThreadsPerBlock >= 512,
       "properties");
  CUDA(cudaFuncGetAttributes(&a, bounded));
  want(a.sharedSizeBytes == 1024, "static shared memory");
  want(a.maxThreadsPerBlock == 256, "launch bounds");
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 128, 0));
  want(blocks >= 1 && blocks * 128 <= prop.maxThreadsPerMultiProcessor, "resident blocks");
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square, 0, 0));
  want(grid >= prop.multiProcessorCount && block >= 32 && block <= 1024, "suggested launch");
  int flagged = 0, grid2 = 0, block2 = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flagged, square, 128, 0,
                                                              cudaOccupancyDefault));
  CUDA(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid2, &block2, square, 0, 0,
                                                   cudaOccupancyDisableCachingOverride));
  want(flagged == blocks && grid2 == grid && block2 == block, "flags");
  CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      &grid2, &block2, square, [](int threads) { return (size_t)threads * 64; }, 0,
      cudaOccupancyDefault));
  want(block2 >= 32 && (size_t)block2 * 64 <= prop.sharedMemPerBlock, "memory by size");
  const int n = 3000;
  std::vector<int> v(n), expect(n);
  for (int i = 0; i < n; i++) v[i] = i % 1000, expect[i] = v[i] * v[i];
  int *d = to_device(v);
  square<<<4, block>>>(d, n);
  CUDA(cudaFuncSetCacheConfig(square, cudaFuncCachePreferL1));
  LAUNCHED();
  same("squares", to_host(d, n), expect);
  size_t offset, bytes;
  CUDA(cudaFuncGetParamInfo((const void *)square, 1, &offset, &bytes));
  want(offset == 8 && bytes == 4, "a parameter's place");
  return pass("occupancy", expect);
}
