/* Graphs: captured from two streams, made by hand, changed, within each other, run again and again.
 */
#include "check.h"

__global__ void add(int *x, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
__global__ void scale(int *x, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
static int calls;
static void count(void *by) { calls += *(int *)by; }

int main() {
  const int n = 500;
  std::vector<int> in(n), expect(n), got(n);
  for (int i = 0; i < n; i++) in[i] = i;
  int *x = device_zeros<int>(n), *y = device_zeros<int>(n), step = 1;
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  CUDA(cudaStreamCreate(&s));
  CUDA(cudaStreamCreate(&t));
  CUDA(cudaEventCreate(&fork));
  CUDA(cudaEventCreate(&join));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaMemcpyAsync(x, in.data(), n * 4, cudaMemcpyHostToDevice, s));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  add<<<4, 128, 0, s>>>(x, 5, n);
  CUDA(cudaMemsetAsync(y, 0, n * 4, t));
  add<<<4, 128, 0, t>>>(y, 7, n);
  CUDA(cudaEventRecord(join, t));
  CUDA(cudaStreamWaitEvent(s, join, 0));
  scale<<<4, 128, 0, s>>>(x, 3, n);
  CUDA(cudaLaunchHostFunc(s, count, &step));
  CUDA(cudaMemcpyAsync(got.data(), x, n * 4, cudaMemcpyDeviceToHost, s));
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(t, &status));
  want(status == cudaStreamCaptureStatusActive, "the other stream captures too");
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(s, &graph));
  want(calls == 0 && to_host(x, 1)[0] == 0, "nothing has run yet");
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
  want(nodes == 7, "nodes");
  cudaGraphExec_t run;
  CUDA(cudaGraphInstantiate(&run, graph, 0));
  for (int i = 0; i < 3; i++) CUDA(cudaGraphLaunch(run, s));
  CUDA(cudaStreamSynchronize(s));
  for (int i = 0; i < n; i++) expect[i] = 3 * (i + 5);
  same("captured", got, expect);
  want(calls == 3 && to_host(y, 1)[0] == 7, "every time");

  cudaGraph_t made;
  CUDA(cudaGraphCreate(&made, 0));
  cudaGraphNode_t fill, first, second, child, host;
  cudaMemsetParams m = {};
  m.dst = x, m.value = 1000, m.elementSize = 4, m.width = n, m.height = 1;
  CUDA(cudaGraphAddMemsetNode(&fill, made, NULL, 0, &m));
  int by = 2, count_of = n;
  void *args[] = {&x, &by, &count_of};
  cudaKernelNodeParams k = {};
  k.func = (void *)add, k.gridDim = dim3(4), k.blockDim = dim3(128), k.kernelParams = args;
  CUDA(cudaGraphAddKernelNode(&first, made, &fill, 1, &k));
  k.func = (void *)scale;
  CUDA(cudaGraphAddKernelNode(&second, made, &first, 1, &k));
  cudaHostNodeParams h = {};
  h.fn = count, h.userData = &step;
  CUDA(cudaGraphAddHostNode(&host, made, &second, 1, &h));
  CUDA(cudaGraphAddChildGraphNode(&child, made, &host, 1, graph));
  cudaGraphExec_t other;
  CUDA(cudaGraphInstantiate(&other, made, 0));
  CUDA(cudaGraphLaunch(other, s));
  same("a graph within", got, expect);
  want(calls == 5, "both functions");
  cudaGraph_t only;
  CUDA(cudaGraphCreate(&only, 0));
  CUDA(cudaGraphAddMemsetNode(&fill, only, NULL, 0, &m));
  CUDA(cudaGraphAddKernelNode(&second, only, &fill, 1, &k));
  cudaGraphExec_t third;
  CUDA(cudaGraphInstantiate(&third, only, 0));
  CUDA(cudaGraphLaunch(third, s));
  want(to_host(x, n)[n - 1] == 2000, "made by hand");
  by = 9;
  CUDA(cudaGraphExecKernelNodeSetParams(third, second, &k));
  CUDA(cudaGraphLaunch(third, s));
  want(to_host(x, n)[0] == 9000, "with other arguments");
  CUDA(cudaGraphExecDestroy(third));
  CUDA(cudaGraphExecDestroy(other));
  CUDA(cudaGraphExecDestroy(run));
  CUDA(cudaGraphDestroy(made));
  CUDA(cudaGraphDestroy(graph));
  LAUNCHED();
  return pass("graphs", got);
}
