/* Graphs made by hand: edges, parameters read and changed, copies to symbols, events, nodes that
 * are taken out or left out; attributes of streams and launches. */
#include "check.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void times(int *p, int v) { p[threadIdx.x] *= v; }
__global__ void sum(int *out, float a, long long b) { out[threadIdx.x] = (int)a + (int)b; }
__device__ int table[64];
static void CUDART_CB count(void *data) { ++*(int *)data; }

static void launch(cudaGraphExec_t exec, cudaStream_t stream) {
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
}

int main() {
  int *d = device_zeros<int>(64), h[64], five = 5, three = 3, counted = 0, other = 0;
  cudaStream_t stream;
  cudaGraph_t g;
  cudaGraphNode_t fill, first, second, host, copy, empty;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaGraphCreate(&g, 0));
  cudaMemsetParams f = {};
  f.dst = d, f.elementSize = 4, f.width = 64, f.height = 1, f.value = 1;
  CUDA(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &f));
  void *add_args[] = {&d, &five}, *times_args[] = {&d, &three};
  cudaKernelNodeParams k = {};
  k.func = (void *)add, k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = add_args;
  CUDA(cudaGraphAddKernelNode(&first, g, &fill, 1, &k));
  cudaKernelNodeParams t = k;
  t.func = (void *)times, t.kernelParams = times_args;
  CUDA(cudaGraphAddKernelNode(&second, g, &first, 1, &t));
  cudaHostNodeParams hp = {count, &counted};
  CUDA(cudaGraphAddHostNode(&host, g, &second, 1, &hp));
  CUDA(cudaGraphAddMemcpyNode1D(&copy, g, &second, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
  CUDA(cudaGraphAddEmptyNode(&empty, g, NULL, 0));

  size_t n = 0;
  CUDA(cudaGraphGetNodes(g, NULL, &n));
  want(n == 6, "the number of nodes");
#if CUDART_VERSION >= 13000
  CUDA(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
  want(n == 4, "the number of edges");
  CUDA(cudaGraphNodeGetDependentNodes(second, NULL, NULL, &n));
#else
  CUDA(cudaGraphGetEdges(g, NULL, NULL, &n));
  want(n == 4, "the number of edges");
  CUDA(cudaGraphNodeGetDependentNodes(second, NULL, &n));
#endif
  want(n == 2, "what waits for a node");
  CUDA(cudaGraphDestroyNode(empty));
  CUDA(cudaGraphGetNodes(g, NULL, &n));
  want(n == 5, "a node taken out");
  cudaKernelNodeParams got;
  CUDA(cudaGraphKernelNodeGetParams(first, &got));
  want(got.func == (void *)add && *(int *)got.kernelParams[1] == 5, "a kernel's parameters");

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, g, 0));
  launch(exec, stream);
  want(h[3] == 18 && counted == 1, "the first run");
  five = 7;
  CUDA(cudaGraphExecKernelNodeSetParams(exec, first, &k));
  f.value = 2;
  CUDA(cudaGraphExecMemsetNodeSetParams(exec, fill, &f));
  hp.userData = &other;
  CUDA(cudaGraphExecHostNodeSetParams(exec, host, &hp));
  launch(exec, stream);
  want(h[3] == 27 && counted == 1 && other == 1, "changed parameters");
  CUDA(cudaGraphNodeSetEnabled(exec, second, 0));
  launch(exec, stream);
  want(h[3] == 9, "a node left out");

  cudaGraph_t whole;
  cudaGraphNode_t child, symbol, record;
  cudaEvent_t event;
  CUDA(cudaEventCreate(&event));
  CUDA(cudaGraphCreate(&whole, 0));
  CUDA(cudaGraphAddChildGraphNode(&child, whole, NULL, 0, g));
  CUDA(cudaGraphAddMemcpyNodeToSymbol(&symbol, whole, &child, 1, table, h, sizeof h, 0,
                                      cudaMemcpyHostToDevice));
  CUDA(cudaGraphAddEventRecordNode(&record, whole, &symbol, 1, event));
  cudaGraphExec_t outer;
  CUDA(cudaGraphInstantiate(&outer, whole, 0));
  launch(outer, stream);
  CUDA(cudaEventSynchronize(event));
  int back[64];
  CUDA(cudaMemcpyFromSymbol(back, table, sizeof back));
  want(back[63] == 18, "a graph in a graph, and a copy to a symbol");

  cudaStreamAttrValue value = {}, read = {};
  value.accessPolicyWindow.base_ptr = d, value.accessPolicyWindow.num_bytes = 256;
  CUDA(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  CUDA(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &read));
  want(read.accessPolicyWindow.base_ptr == d, "an attribute of a stream");
  cudaLaunchAttribute cooperative;
  cooperative.id = cudaLaunchAttributeCooperative, cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1), config.blockDim = dim3(64), config.stream = stream;
  config.attrs = &cooperative, config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, sum, d, 2.5f, 40)); /* an int for a long long */
  LAUNCHED();
  want(to_host(d, 64)[63] == 42, "a launch with attributes");
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(g));
  return pass("graph_nodes");
}
