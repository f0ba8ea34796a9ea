/* Surfaces: a chain of kernels that read one and write another, in every geometry and element size;
 * what lies outside is zero or clamped. */
#include "check.h"

enum { D1, D2, D3, L1, L2 };
template <class T>
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int how, int w, int h,
                     int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % w, y = i / w % h, z = i / w / h;
  int s = sizeof(T), rx = w - 1 - x, ry = h - 1 - y, rz = d - 1 - z;
  T v;
  if (z >= d) return;
  switch (how) { /* every place moves to the opposite one */
  case D1: v = surf1Dread<T>(from, x * s), surf1Dwrite(v, to, rx * s); break;
  case D2: surf2Dread(&v, from, x * s, y), surf2Dwrite(v, to, rx * s, ry); break;
  case D3: v = surf3Dread<T>(from, x * s, y, z), surf3Dwrite(v, to, rx * s, ry, rz); break;
  case L1: v = surf1DLayeredread<T>(from, x * s, z), surf1DLayeredwrite(v, to, rx * s, rz); break;
  default:
    v = surf2DLayeredread<T>(from, x * s, y, z), surf2DLayeredwrite(v, to, rx * s, ry, rz);
    break;
  }
}
__global__ void rim(cudaSurfaceObject_t s, int *out, int w, int h) {
  int x = threadIdx.x - 2, y = (int)blockIdx.x - 2, n = blockDim.x;
  out[blockIdx.x * n + threadIdx.x] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
  out[(gridDim.x + blockIdx.x) * n + threadIdx.x] =
      surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
  if (x < 0 || y < 0 || x >= w || y >= h) surf2Dwrite(-1, s, x * 4, y, cudaBoundaryModeZero);
}
__global__ void textured(cudaTextureObject_t t, int *out, int w) {
  out[blockIdx.x * w + threadIdx.x] = tex2D<int>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

static cudaSurfaceObject_t surface(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  cudaSurfaceObject_t s;
  CUDA(cudaCreateSurfaceObject(&s, &r));
  return s;
}

/* The box of an array, to the host or from it. */
template <class T>
static void box(cudaArray_t a, std::vector<T> &v, int w, int h, int d, bool out) {
  cudaMemcpy3DParms p = {};
  cudaPitchedPtr host = make_cudaPitchedPtr(v.data(), w * sizeof(T), w, h);
  if (out)
    p.srcArray = a, p.dstPtr = host, p.kind = cudaMemcpyDeviceToHost;
  else
    p.srcPtr = host, p.dstArray = a, p.kind = cudaMemcpyHostToDevice;
  p.extent = make_cudaExtent(w, h, d);
  CUDA(cudaMemcpy3D(&p));
}

template <class T> static void check(const char *name, int how, int w, int h, int d) {
  size_t n = (size_t)w * h * d;
  bool layered = how == L1 || how == L2;
  std::vector<T> v(n), got(n);
  unsigned char *b = (unsigned char *)v.data();
  for (size_t i = 0; i < n * sizeof(T); i++) b[i] = random_u32() & 255;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<T>();
  cudaExtent e = make_cudaExtent(w, how == D1 || how == L1 ? 0 : h, how == D3 || layered ? d : 0);
  cudaArray_t from, to;
  CUDA(cudaMalloc3DArray(&from, &f, e,
                         cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
  CUDA(cudaMalloc3DArray(&to, &f, e, cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
  box(from, v, w, h, d, false);
  cudaSurfaceObject_t a = surface(from), c = surface(to);
  turn<T><<<(unsigned)(n + 63) / 64, 64>>>(a, c, how, w, h, d);
  LAUNCHED();
  box(to, got, w, h, d, true);
  for (size_t i = 0; i < n; i++)
    if (memcmp(&got[i], &v[n - 1 - i], sizeof(T)))
      printf("%s of %zu bytes: element %zu\n", name, sizeof(T), i), exit(1);
  CUDA(cudaDestroySurfaceObject(a));
  CUDA(cudaDestroySurfaceObject(c));
  CUDA(cudaFreeArray(from));
  CUDA(cudaFreeArray(to));
}

template <class T> static void every_geometry() {
  check<T>("1-D", D1, 45, 1, 1);
  check<T>("2-D", D2, 20, 13, 1);
  check<T>("3-D", D3, 9, 6, 5);
  check<T>("layers of 1-D", L1, 17, 1, 6);
  check<T>("layers of 2-D", L2, 8, 7, 5);
}

static void check_rim() {
  const int w = 10, h = 6, n = w + 4, m = h + 4;
  std::vector<int> v(w * h), want(2 * n * m), after(w * h);
  for (int &i : v) i = (int)random_u32();
  cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
  cudaArray_t a;
  CUDA(cudaMallocArray(&a, &f, w, h, cudaArraySurfaceLoadStore));
  box(a, v, w, h, 1, false);
  for (int y = -2; y < h + 2; y++)
    for (int x = -2; x < w + 2; x++) {
      int cx = x < 0 ? 0 : x >= w ? w - 1 : x, cy = y < 0 ? 0 : y >= h ? h - 1 : y;
      want[(y + 2) * n + x + 2] = v[cy * w + cx];
      want[(m + y + 2) * n + x + 2] = cx == x && cy == y ? v[y * w + x] : 0;
    }
  int *out = device_zeros<int>(2 * n * m);
  cudaSurfaceObject_t s = surface(a);
  rim<<<m, n>>>(s, out, w, h);
  LAUNCHED();
  same("rim", to_host(out, 2 * n * m), want);
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t; /* the same memory as a texture */
  CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
  int *seen = device_zeros<int>(w * h);
  textured<<<h, w>>>(t, seen, w);
  LAUNCHED();
  same("as a texture", to_host(seen, w * h), v);
}

int main() {
  every_geometry<unsigned char>();
  every_geometry<short>();
  every_geometry<float>();
  every_geometry<int2>();
  every_geometry<float4>();
  check_rim();
  printf("surfaces: PASS\n");
}
