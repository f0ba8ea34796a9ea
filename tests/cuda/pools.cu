/* Memory pools: the default one and one of the program's own, what they count, how large they may
 * become; and memory that graphs allocate and free, captured and by hand. */
#include "check.h"
#include <cstdint>

__global__ void fill(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v + i;
}
__global__ void add(const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += a[i] + b[i];
}

static uint64_t used(cudaMemPool_t p, cudaMemPoolAttr which) {
  uint64_t v;
  CUDA(cudaMemPoolGetAttribute(p, which, &v));
  return v;
}

static void own_pool(cudaStream_t s) {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.maxSize = 64 << 20;
  cudaMemPool_t pool, first, now;
  CUDA(cudaMemPoolCreate(&pool, &props));
  CUDA(cudaDeviceGetDefaultMemPool(&first, 0));
  want(pool != first, "a pool of its own");
  const int n = 1 << 20;
  int *a, *b;
  CUDA(cudaMallocFromPoolAsync(&a, n * sizeof(int), pool, s));
  fill<<<n / 256, 256, 0, s>>>(a, n, 7);
  want(used(pool, cudaMemPoolAttrUsedMemCurrent) == n * sizeof(int), "what is used");
  CUDA(cudaStreamSynchronize(s));
  want(to_host(a, n)[n - 1] == 7 + n - 1, "memory of a pool");
  CUDA(cudaFreeAsync(a, s));
  CUDA(cudaStreamSynchronize(s));
  want(used(pool, cudaMemPoolAttrUsedMemCurrent) == 0, "what was freed");
  want(used(pool, cudaMemPoolAttrUsedMemHigh) == n * sizeof(int), "the most that was used");
  uint64_t zero = 0;
  CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  want(used(pool, cudaMemPoolAttrUsedMemHigh) == 0, "the mark starts anew");
  CUDA(cudaDeviceSetMemPool(0, pool));
  CUDA(cudaDeviceGetMemPool(&now, 0));
  want(now == pool, "the device's pool");
  CUDA(cudaMallocAsync((void **)&b, 4096, s));
  want(used(pool, cudaMemPoolAttrUsedMemCurrent) >= 4096,
       "cudaMallocAsync takes the device's pool");
  CUDA(cudaFreeAsync(b, s));
  CUDA(cudaStreamSynchronize(s));
  CUDA(cudaDeviceSetMemPool(0, first));
  cudaMemAccessFlags flags;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CUDA(cudaMemPoolGetAccess(&flags, pool, &here));
  want(flags == cudaMemAccessFlagsProtReadWrite, "the device may reach it");
  CUDA(cudaMemPoolTrimTo(pool, 0));
  CUDA(cudaMemPoolDestroy(pool));
}

/* Temporary memory inside a captured graph: it has its address when it is captured. */
static void captured(cudaStream_t s) {
  const int n = 1000;
  int *out = device_zeros<int>(n), *a, *b;
  cudaGraph_t g;
  cudaGraphExec_t e;
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaMallocAsync((void **)&a, n * sizeof(int), s));
  CUDA(cudaMallocAsync((void **)&b, n * sizeof(int), s));
  fill<<<4, 256, 0, s>>>(a, n, 1);
  fill<<<4, 256, 0, s>>>(b, n, 2);
  add<<<4, 256, 0, s>>>(a, b, out, n);
  CUDA(cudaFreeAsync(a, s));
  CUDA(cudaFreeAsync(b, s));
  CUDA(cudaStreamEndCapture(s, &g));
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(g, NULL, &nodes));
  want(nodes == 7, "allocations are nodes");
  CUDA(cudaGraphInstantiate(&e, g, 0));
  std::vector<int> expect(n);
  for (int k = 1; k <= 3; k++) {
    CUDA(cudaGraphLaunch(e, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++) expect[i] = k * (2 * i + 3);
    same("captured", to_host(out, n), expect);
  }
  CUDA(cudaGraphExecDestroy(e));
  CUDA(cudaGraphDestroy(g));
}

/* By hand; the program frees what the graph allocated. */
static void by_hand(cudaStream_t s) {
  const int n = 500;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t alloc, kernel;
  cudaGraphNodeType type;
  CUDA(cudaGraphCreate(&g, 0));
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = n * sizeof(int);
  CUDA(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
  CUDA(cudaGraphNodeGetType(alloc, &type));
  want(type == cudaGraphNodeTypeMemAlloc, "its type");
  int count = n, v = 40;
  void *args[] = {&p.dptr, &count, &v};
  cudaKernelNodeParams k = {};
  k.func = (void *)fill, k.gridDim = dim3(2), k.blockDim = dim3(256), k.kernelParams = args;
  CUDA(cudaGraphAddKernelNode(&kernel, g, &alloc, 1, &k));
  CUDA(cudaGraphInstantiate(&e, g, 0));
  for (int round = 0; round < 2; round++) {
    CUDA(cudaGraphLaunch(e, s));
    CUDA(cudaStreamSynchronize(s));
    want(to_host((int *)p.dptr, n)[n - 1] == 40 + n - 1, "what the graph left");
    CUDA(cudaFreeAsync(p.dptr, s));
    CUDA(cudaStreamSynchronize(s));
  }
  CUDA(cudaGraphExecDestroy(e));
  CUDA(cudaGraphDestroy(g));
}

int main() {
  cudaStream_t s;
  CUDA(cudaStreamCreate(&s));
  own_pool(s);
  captured(s);
  by_hand(s);
  return pass("pools", std::vector<int>(1));
}
