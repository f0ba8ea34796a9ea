/* Marks for a profiler (NVTX): without one the program runs as if they were not there. */
#include "check.h"
#include <nvtx3/nvToolsExt.h>
#if __CUDACC_VER_MAJOR__ != CUDART_VERSION / 1000
#error "the compiler and the runtime are not of one version"
#endif

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

int main() {
  std::vector<int> v(32, 3), expect(32, 6);
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION, event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB, event.color = 0xff00ff00;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII, event.message.ascii = "kernel";
  nvtxMarkA("begin");
  int depth = nvtxRangePushEx(&event), inner = nvtxRangePushA("inner");
  want(depth == NVTX_NO_PUSH_POP_TRACKING && inner == depth, "nobody counts ranges");
  nvtxRangeId_t range = nvtxRangeStartA("across");
  int *d = to_device(v);
  twice<<<1, 32>>>(d);
  LAUNCHED();
  nvtxRangeEnd(range);
  want(nvtxRangePop() == depth && nvtxRangePop() == depth, "nobody counts their ends");
  same("results", to_host(d, 32), expect);
  return pass("marks", expect);
}
