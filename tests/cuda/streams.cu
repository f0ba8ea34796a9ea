/* Two streams with asynchronous copies from pinned memory, events between them. */
#include "check.h"

__global__ void scale(float *v, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= f;
}

int main() {
  const int n = 4096, parts = 4, piece = n / parts;
  float *h, *d;
  CUDA(cudaMallocHost((void **)&h, n * sizeof(float)));
  CUDA(cudaMalloc((void **)&d, n * sizeof(float)));
  for (int i = 0; i < n; i++) h[i] = (float)i;
  cudaStream_t s[2];
  cudaEvent_t start, half, end;
  for (int i = 0; i < 2; i++) CUDA(cudaStreamCreate(&s[i]));
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(start, 0));
  for (int p = 0; p < parts; p++) {
    cudaStream_t q = s[p % 2];
    CUDA(cudaMemcpyAsync(d + p * piece, h + p * piece, piece * sizeof(float),
                         cudaMemcpyHostToDevice, q));
    scale<<<(piece + 255) / 256, 256, 0, q>>>(d + p * piece, 3.0f, piece);
    CUDA(cudaMemcpyAsync(h + p * piece, d + p * piece, piece * sizeof(float),
                         cudaMemcpyDeviceToHost, q));
  }
  CUDA(cudaEventRecord(half, s[0]));
  CUDA(cudaStreamWaitEvent(s[1], half, 0));
  CUDA(cudaStreamSynchronize(s[1]));
  CUDA(cudaStreamSynchronize(s[0]));
  want(cudaStreamQuery(s[0]) == cudaSuccess, "stream is done");
  CUDA(cudaEventRecord(end, 0));
  CUDA(cudaEventSynchronize(end));
  want(cudaEventQuery(half) == cudaSuccess, "event is done");
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, end));
  want(ms >= 0, "time goes forward");
  for (int i = 0; i < n; i++) want(h[i] == 3.0f * i, "values");
  float *places[2] = {d + piece, d}, *of[2] = {h, h + piece}; /* two copies by one call */
  size_t bytes[2] = {piece * sizeof(float), piece * sizeof(float)}, first = 0;
  struct cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
#if CUDART_VERSION >= 13000
  CUDA(cudaMemcpyBatchAsync((const void **)places, (const void **)of, bytes, 2, &how, &first, 1,
                            s[0]));
#else
  size_t failed;
  CUDA(
      cudaMemcpyBatchAsync((void **)places, (void **)of, bytes, 2, &how, &first, 1, &failed, s[0]));
#endif
  CUDA(cudaStreamSynchronize(s[0]));
  std::vector<float> swapped = to_host(d, 2 * piece);
  want(swapped[0] == 3.0f * piece && swapped[piece + 1] == 3.0f, "a batch of copies");
  for (int i = 0; i < 2; i++) CUDA(cudaStreamDestroy(s[i]));
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(half));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaFreeHost(h));
  CUDA(cudaFree(d));
  return pass("streams");
}
