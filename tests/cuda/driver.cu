/* link: -lcuda */
/* The driver API: a module from a PTX string, its variables, launches in both ways, the linker,
 * streams and events, virtual memory. */
#include "driver_check.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
static const char scale[] =
    HEAD ".visible .global .align 4 .f32 factor = 0f40000000;\n"
         ".visible .entry scale(.param .u64 x, .param .u32 n)\n{\n"
         ".reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f<3>; .reg .pred %p;\n"
         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
         "mad.lo.u32 %r1, %r1, %r2, %r3; ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4;\n"
         "@%p ret;\nld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
         "ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [factor]; mul.rn.f32 %f1, %f1, %f2;\n"
         "st.global.f32 [%d1], %f1; ret;\n}\n";
static const char caller[] =
    HEAD ".extern .func (.reg .b32 r) twice(.reg .b32 a);\n"
         ".visible .entry use(.param .u64 x)\n{\n.reg .b32 %r<3>; .reg .b64 %d;\n"
         "ld.param.u64 %d, [x]; ld.global.u32 %r1, [%d]; call (%r2), twice, (%r1);\n"
         "st.global.u32 [%d], %r2; ret;\n}\n";
static const char callee[] = HEAD ".visible .func (.reg .b32 r) twice(.reg .b32 a)\n{\n"
                                  "add.u32 r, a, a; ret;\n}\n";

static std::vector<float> download(CUdeviceptr p, size_t n) {
  std::vector<float> v(n);
  DRIVER(cuMemcpyDtoH(v.data(), p, n * 4));
  return v;
}
int main() {
  CUdevice device;
  CUcontext context, now;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  DRIVER(cuCtxGetCurrent(&now));
  want(now == context, "the current context");

  CUmodule module;
  CUfunction f;
  DRIVER(cuModuleLoadData(&module, scale));
  DRIVER(cuModuleGetFunction(&f, module, "scale"));
  want(cuModuleGetFunction(&f, module, "nothing") == CUDA_ERROR_NOT_FOUND,
       "a name that is not there");
  DRIVER(cuModuleGetFunction(&f, module, "scale"));

  unsigned n = 1000;
  CUdeviceptr x, g;
  size_t bytes;
  std::vector<float> v(n), expect(n);
  for (unsigned i = 0; i < n; i++) v[i] = (float)i, expect[i] = 2 * v[i];
  DRIVER(cuMemAlloc(&x, n * 4));
  DRIVER(cuMemcpyHtoD(x, v.data(), n * 4));
  void *params[] = {&x, &n};
  DRIVER(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, params, 0));
  DRIVER(cuCtxSynchronize());
  same("params", download(x, n), expect);
  CUlaunchAttribute attribute[2] = {};
  attribute[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attribute[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute[1].value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = 8, config.blockDimX = 128;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attribute, config.numAttrs = 2;
  DRIVER(cuMemcpyHtoD(x, v.data(), n * 4));
  DRIVER(cuLaunchKernelEx(&config, f, params, 0));
  same("a cooperative launch", download(x, n), expect);
  config.gridDimX = 1 << 20;
  want(cuLaunchKernelEx(&config, f, params, 0) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
       "more blocks than there is room for");
  DRIVER(cuModuleGetGlobal(&g, &bytes, module, "factor"));
  float three = 3;
  want(bytes == 4, "the size of a variable");
  DRIVER(cuMemcpyHtoD(g, &three, 4));
  struct {
    CUdeviceptr x;
    unsigned n;
  } packed = {x, n};
  size_t size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CUstream stream;
  CUevent a, b;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  DRIVER(cuEventCreate(&a, CU_EVENT_DEFAULT));
  DRIVER(cuEventCreate(&b, CU_EVENT_DEFAULT));
  DRIVER(cuEventRecord(a, stream));
  DRIVER(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, stream, 0, extra));
  DRIVER(cuEventRecord(b, stream));
  DRIVER(cuStreamSynchronize(stream));
  for (auto &e : expect) e *= 3;
  std::vector<float> got = download(x, n);
  same("a buffer of parameters", got, expect);

  CUlinkState link;
  void *image;
  DRIVER(cuLinkCreate(0, 0, 0, &link));
  DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, 0, 0));
  DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, 0, 0));
  DRIVER(cuLinkComplete(link, &image, &bytes));
  CUmodule linked;
  CUfunction use;
  DRIVER(cuModuleLoadData(&linked, image));
  DRIVER(cuLinkDestroy(link));
  DRIVER(cuModuleGetFunction(&use, linked, "use"));
  DRIVER(cuMemsetD32(x, 21, 1));
  void *one[] = {&x};
  DRIVER(cuLaunchKernel(use, 1, 1, 1, 1, 1, 1, 0, 0, one, 0));
  unsigned answer;
  DRIVER(cuMemcpyDtoH(&answer, x, 4));
  want(answer == 42, "two PTX texts, linked");

  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t granule;
  DRIVER(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr va;
  CUmemGenericAllocationHandle piece[2];
  CUmemAccessDesc access = {};
  access.location = prop.location, access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemAddressReserve(&va, 4 * granule, 0, 0, 0));
  for (int i = 0; i < 2; i++) DRIVER(cuMemCreate(&piece[i], granule, &prop, 0));
  for (int i = 0; i < 2; i++) DRIVER(cuMemMap(va + i * granule, granule, 0, piece[i], 0));
  DRIVER(cuMemSetAccess(va, 2 * granule, &access, 1));
  CUdeviceptr middle = va + granule - 2048; /* the array lies across both pieces */
  DRIVER(cuMemsetD32(middle, 0, n));
  DRIVER(cuMemcpyHtoD(middle, v.data(), 4 * n));
  void *across[] = {&middle, &n};
  DRIVER(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, across, 0));
  DRIVER(cuMemUnmap(va + granule, granule)); /* the second piece moves, with what is in it */
  DRIVER(cuMemMap(va + 3 * granule, granule, 0, piece[1], 0));
  DRIVER(cuMemSetAccess(va + 3 * granule, granule, &access, 1));
  std::vector<float> first = download(middle, 512), second = download(va + 3 * granule, n - 512);
  first.insert(first.end(), second.begin(), second.end());
  for (unsigned i = 0; i < n; i++) expect[i] = 3 * v[i];
  same("mapped memory", first, expect);
  DRIVER(cuMemUnmap(va, granule));
  DRIVER(cuMemUnmap(va + 3 * granule, granule));
  for (int i = 0; i < 2; i++) DRIVER(cuMemRelease(piece[i]));
  DRIVER(cuMemAddressFree(va, 4 * granule));
  /* pieces below the granularity choose smaller pages; GPUs refuse them */
  const size_t small = 64 << 10;
  DRIVER(cuMemAddressReserve(&va, 2 * small, small, 0, 0));
  for (int i = 0; i < 2; i++) DRIVER(cuMemCreate(&piece[i], small, &prop, 0));
  for (int i = 0; i < 2; i++) DRIVER(cuMemMap(va + i * small, small, 0, piece[i], 0));
  DRIVER(cuMemSetAccess(va, 2 * small, &access, 1));
  middle = va + small - 2048;
  DRIVER(cuMemcpyHtoD(middle, v.data(), 4 * n));
  DRIVER(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, across, 0));
  same("small pieces", download(middle, n), expect);
  DRIVER(cuMemUnmap(va, 2 * small));
  for (int i = 0; i < 2; i++) DRIVER(cuMemRelease(piece[i]));
  DRIVER(cuMemAddressFree(va, 2 * small));
  want(cuMemCreate(&piece[0], 100, &prop, 0) == CUDA_ERROR_INVALID_VALUE, "a part of a page");
  DRIVER(cuMemFree(x));
  DRIVER(cuModuleUnload(module));
  DRIVER(cuDevicePrimaryCtxRelease(device));
  return pass("driver", got);
}
