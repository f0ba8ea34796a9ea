/* What a capture makes of a graph: edges across streams, capture into a graph that exists; nodes of
 * any kind by one call, what they were asked for, objects that graphs keep. */
#include "check.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void times(int *p, int v) { p[threadIdx.x] *= v; }

/* CUDA 13 wants data of the edges, too. */
static cudaError_t add_node(cudaGraphNode_t *out, cudaGraph_t g, cudaGraphNode_t *before, size_t n,
                            cudaGraphNodeParams *p) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddNode(out, g, before, NULL, n, p);
#else
  return cudaGraphAddNode(out, g, before, n, p);
#endif
}
static size_t waits_for(cudaGraphNode_t node) {
  size_t n = 0;
#if CUDART_VERSION >= 13000
  CUDA(cudaGraphNodeGetDependencies(node, NULL, NULL, &n));
#else
  CUDA(cudaGraphNodeGetDependencies(node, NULL, &n));
#endif
  return n;
}
static int run(cudaGraphExec_t exec, const int *d, int i) {
  CUDA(cudaGraphLaunch(exec, 0));
  return to_host(d, 64)[i];
}
static void gone(void *flag) { *(int *)flag = 1; }

/* A fill, then two kernels side by side, then one behind both. */
static cudaGraph_t forked(int *d) {
  cudaStream_t one, two;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  CUDA(cudaStreamCreate(&one));
  CUDA(cudaStreamCreate(&two));
  CUDA(cudaEventCreate(&fork));
  CUDA(cudaEventCreate(&join));
  CUDA(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  CUDA(cudaMemsetAsync(d, 0, 256, one));
  CUDA(cudaEventRecord(fork, one));
  CUDA(cudaStreamWaitEvent(two, fork, 0));
  add<<<1, 32, 0, one>>>(d, 4);
  add<<<1, 32, 0, two>>>(d + 32, 6);
  CUDA(cudaEventRecord(join, two));
  CUDA(cudaStreamWaitEvent(one, join, 0));
  times<<<1, 64, 0, one>>>(d, 10);
  CUDA(cudaStreamEndCapture(one, &g));
  return g;
}

static void captured(int *d) {
  cudaGraph_t g = forked(d), out;
  cudaGraphNode_t node[4];
  size_t n = 4, roots = 0;
  CUDA(cudaGraphGetNodes(g, node, &n));
  CUDA(cudaGraphGetRootNodes(g, NULL, &roots));
  want(n == 4 && roots == 1 && waits_for(node[1]) == 1 && waits_for(node[3]) == 2, "edges");
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCaptureToGraph(stream, g, &node[3], NULL, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 64, 0, stream>>>(d, 1);
  CUDA(cudaStreamEndCapture(stream, &out));
  want(out == g, "a capture into a graph");
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, g, 0));
  want(run(exec, d, 0) == 41 && run(exec, d, 63) == 61, "work of both streams");
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  want(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported, "no waiting");
  want(cudaStreamEndCapture(stream, &out) == cudaErrorStreamCaptureInvalidated, "it ends");
  cudaGetLastError();
}

static void by_parameters(int *d) {
  cudaGraph_t g;
  cudaGraphNode_t fill, kernel, copy;
  cudaGraphNodeParams p = {};
  int v = 3, h[64] = {0};
  void *args[] = {&d, &v};
  CUDA(cudaGraphCreate(&g, 0));
  p.type = cudaGraphNodeTypeMemset;
  p.memset.dst = d, p.memset.value = 2, p.memset.elementSize = 4, p.memset.width = 64;
  p.memset.height = 1;
  CUDA(add_node(&fill, g, NULL, 0, &p));
  cudaGraphNodeParams k = {};
  k.type = cudaGraphNodeTypeKernel;
  k.kernel.func = (void *)times, k.kernel.gridDim = dim3(1), k.kernel.blockDim = dim3(64);
  k.kernel.kernelParams = args;
  CUDA(add_node(&kernel, g, &fill, 1, &k));
  CUDA(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms asked = {};
  CUDA(cudaGraphMemcpyNodeGetParams(copy, &asked));
  want(asked.dstPtr.ptr == h && asked.srcPtr.ptr == d && asked.extent.width == sizeof h, "asked");
  cudaKernelNodeAttrValue set = {}, got = {};
  set.priority = -1;
  CUDA(cudaGraphKernelNodeSetAttribute(kernel, cudaKernelNodeAttributePriority, &set));
  CUDA(cudaGraphKernelNodeGetAttribute(kernel, cudaKernelNodeAttributePriority, &got));
  want(got.priority == -1, "an attribute");
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, g, 0));
  want(run(exec, d, 5) == 6 && h[5] == 6, "nodes of any kind");
  v = 50;
  k.kernel.func = (void *)add;
  CUDA(cudaGraphExecNodeSetParams(exec, kernel, &k));
  want(run(exec, d, 5) == 52, "other parameters");
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, g, &info));
  want(run(exec, d, 5) == 6, "an update");
  CUDA(cudaGraphExecNodeSetParams(exec, kernel, &k)); /* nodes keep their names */
  want(run(exec, d, 5) == 52, "parameters after an update");
}

int main() {
  int *d = device_zeros<int>(64), freed = 0;
  captured(d);
  by_parameters(d);
  cudaUserObject_t object;
  cudaGraph_t g;
  CUDA(cudaUserObjectCreate(&object, &freed, gone, 1, cudaUserObjectNoDestructorSync));
  CUDA(cudaGraphCreate(&g, 0));
  CUDA(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  want(!freed, "an object that a graph keeps");
  CUDA(cudaGraphDestroy(g));
  want(freed == 1, "goes with it");
  return pass("graph_capture", to_host(d, 64));
}
