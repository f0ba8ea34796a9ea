/* A program in the manner of the toolkit's samples and of older benchmarks: helper headers that it
 * does not bring along. */
#include "check.h"
#include <cutil_inline.h>
#include <helper_cuda.h>
#include <helper_functions.h>

__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  int n = 1000;
  findCudaDevice(argc, (const char **)argv);
  if (checkCmdLineFlag(argc, (const char **)argv, "n"))
    n = getCmdLineArgumentInt(argc, (const char **)argv, "n");
  StopWatchInterface *timer = NULL;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  unsigned int old;
  CUT_SAFE_CALL(cutCreateTimer(&old));
  CUT_SAFE_CALL(cutStartTimer(old));
  std::vector<float> x(n, 2.0f), y(n, 1.0f), expect(n, 7.0f);
  float *dx, *dy;
  checkCudaErrors(cudaMalloc((void **)&dx, n * sizeof(float)));
  cutilSafeCall(cudaMalloc((void **)&dy, n * sizeof(float)));
  CUDA_SAFE_CALL(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_SAFE_CALL(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy<<<(n + 255) / 256, 256>>>(3.0f, dx, dy, n);
  getLastCudaError("saxpy");
  CUT_CHECK_ERROR("saxpy");
  CUDA_SAFE_CALL(cudaThreadSynchronize());
  CUT_SAFE_CALL(cutStopTimer(old));
  sdkStopTimer(&timer);
  want(cutGetTimerValue(old) >= 0 && sdkGetTimerValue(&timer) >= 0, "time");
  same("saxpy", to_host(dy, n), expect);
  want(sdkCompareL2fe(expect.data(), to_host(dy, n).data(), n, 1e-6f), "norm");
  sdkDeleteTimer(&timer);
  cudaThreadExit();
  return pass("sample_style");
}
