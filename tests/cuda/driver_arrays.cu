/* link: -lcuda */
/* The driver API's arrays, textures and surfaces, what it knows of addresses, launches in steps and
 * by a buffer, block sizes, pools. */
#include "driver_check.h"

enum { WIDTH = 48, HEIGHT = 20 };

__global__ void read_twice(float *out, cudaTextureObject_t t) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
  if (x < WIDTH) out[y * WIDTH + x] = 2 * tex2D<float>(t, (float)x + 0.5f, (float)y + 0.5f);
}
__global__ void write_surface(cudaSurfaceObject_t s) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
  if (x < WIDTH) surf2Dwrite((float)(x - y), s, x * 4, y);
}
static const char scale_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry scale(.param .u64 p, .param .f32 f) {\n"
    ".reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.f32 %f1, [f];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4;\n"
    "add.u64 %d3, %d1, %d2; ld.global.f32 %f2, [%d3];\n"
    "mul.f32 %f3, %f2, %f1; st.global.f32 [%d3], %f3; ret; }\n";

static void arrays_and_textures() {
  std::vector<float> in(WIDTH * HEIGHT), expect(WIDTH * HEIGHT), back(WIDTH * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; i++) in[i] = random_f32(), expect[i] = 2 * in[i];
  CUarray a;
  CUDA_ARRAY3D_DESCRIPTOR d = {};
  d.Width = WIDTH, d.Height = HEIGHT, d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
  d.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  DRIVER(cuArray3DCreate(&a, &d));
  CUDA_ARRAY_DESCRIPTOR told;
  DRIVER(cuArrayGetDescriptor(&told, a));
  want(told.Width == WIDTH && told.Height == HEIGHT && told.Format == CU_AD_FORMAT_FLOAT,
       "its shape");
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = in.data(), c.srcPitch = WIDTH * 4;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
  c.WidthInBytes = WIDTH * 4, c.Height = HEIGHT;
  DRIVER(cuMemcpy2D(&c));
  CUDA_RESOURCE_DESC r = {};
  r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = a;
  CUDA_TEXTURE_DESC how = {};
  for (CUaddress_mode &m : how.addressMode) m = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_POINT;
  CUtexObject t;
  DRIVER(cuTexObjectCreate(&t, &r, &how, NULL));
  float *out = device_zeros<float>(WIDTH * HEIGHT);
  read_twice<<<dim3(2, HEIGHT), 32>>>(out, t);
  LAUNCHED();
  same("a texture", to_host(out, WIDTH * HEIGHT), expect);
  DRIVER(cuTexObjectDestroy(t));
  CUsurfObject s;
  DRIVER(cuSurfObjectCreate(&s, &r));
  write_surface<<<dim3(2, HEIGHT), 32>>>(s);
  LAUNCHED();
  DRIVER(cuSurfObjectDestroy(s));
  c = {};
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = a, c.srcXInBytes = 16, c.srcY = 3;
  c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back.data(), c.dstPitch = 80;
  c.WidthInBytes = 80, c.Height = 10;
  DRIVER(cuMemcpy2D(&c));
  for (int y = 0; y < 10; y++)
    for (int x = 0; x < 20; x++)
      want(back[y * 20 + x] == (float)(x + 4 - y - 3), "part of a surface");
  DRIVER(cuMemcpyHtoA(a, 8, in.data(), 40));
  DRIVER(cuMemcpyAtoH(back.data(), a, 8, 40));
  want(memcmp(back.data(), in.data(), 40) == 0, "bytes of a row");
  DRIVER(cuArrayDestroy(a));
}

static void boxes() {
  CUarray a;
  CUDA_ARRAY3D_DESCRIPTOR d = {};
  d.Width = 8, d.Height = 4, d.Depth = 3, d.Format = CU_AD_FORMAT_UNSIGNED_INT8, d.NumChannels = 4;
  DRIVER(cuArray3DCreate(&a, &d));
  std::vector<unsigned> in(96), back(96);
  for (unsigned &x : in) x = random_u32();
  CUDA_MEMCPY3D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = in.data(), c.srcPitch = 32, c.srcHeight = 4;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
  c.WidthInBytes = 32, c.Height = 4, c.Depth = 3;
  DRIVER(cuMemcpy3D(&c));
  c = {};
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = a, c.srcZ = 1;
  c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back.data(), c.dstPitch = 32, c.dstHeight = 4;
  c.WidthInBytes = 32, c.Height = 4, c.Depth = 2;
  DRIVER(cuMemcpy3D(&c));
  want(memcmp(back.data(), in.data() + 32, 64 * 4) == 0, "two planes of a box");
  DRIVER(cuArrayDestroy(a));
}

static void addresses() {
  CUdeviceptr p, base, managed;
  size_t bytes;
  unsigned is;
  CUmemorytype type;
  DRIVER(cuMemAlloc(&p, 5000));
  DRIVER(cuMemGetAddressRange(&base, &bytes, p + 100));
  want(base == p && bytes == 5000, "the range of an address");
  DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  want(type == CU_MEMORYTYPE_DEVICE, "its kind");
  DRIVER(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  DRIVER(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  want(is == 1, "managed memory");
  int local = 0;
  want(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)(size_t)&local) ==
           CUDA_ERROR_INVALID_VALUE,
       "memory of the host's own");
  DRIVER(cuMemFree(managed));
  CUmemoryPool pool;
  DRIVER(cuDeviceGetDefaultMemPool(&pool, 0));
  DRIVER(cuMemAllocFromPoolAsync(&base, 4096, pool, 0));
  DRIVER(cuMemsetD2D16(base, 64, 0x1234, 8, 4));
  unsigned short word;
  DRIVER(cuMemcpyDtoH(&word, base + 3 * 64 + 14, 2));
  want(word == 0x1234, "rows filled");
  DRIVER(cuMemFreeAsync(base, 0));
  DRIVER(cuMemFree(p));
}

static void launches() {
  CUmodule m;
  CUfunction f;
  DRIVER(cuModuleLoadData(&m, scale_ptx));
  DRIVER(cuModuleGetFunction(&f, m, "scale"));
  std::vector<float> v(256, 1.0f);
  CUdeviceptr p = (CUdeviceptr)(size_t)to_device(v);
  float two = 2;
  struct {
    CUdeviceptr p;
    float f;
  } params = {p, 3.0f};
  size_t bytes = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  void *list[] = {&p, &two};
  DRIVER(cuLaunchKernel(f, 2, 1, 1, 128, 1, 1, 0, 0, NULL, extra));
  DRIVER(cuLaunchKernel(f, 2, 1, 1, 128, 1, 1, 0, 0, list, NULL));
  DRIVER(cuCtxSynchronize());
  DRIVER(cuMemcpyDtoH(v.data(), p, 1024));
  for (float x : v) want(x == 6, "launches with a buffer and with a list");
  want(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, 0, list, NULL) == CUDA_ERROR_INVALID_VALUE,
       "a block that is too large");
  int grid = 0, block = 0;
  DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 256));
  want(grid > 0 && block > 0 && block <= 256, "a block size");
  CUfunction none;
  want(cuModuleGetFunction(&none, m, "none") == CUDA_ERROR_NOT_FOUND, "a kernel that is not there");
  DRIVER(cuModuleUnload(m));
}

int main() {
  CUdevice device;
  CUcontext context;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  int value;
  DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                              device));
  want(value > 0, "an attribute");
  arrays_and_textures();
  boxes();
  addresses();
  launches();
  return pass("driver_arrays");
}
