/* Textures in one to three dimensions and in layers: linear filtering with weights of 1/256, every
 * address mode, gathers, levels; what comes back is compared with the same arithmetic on the host.
 */
#include "check.h"

struct image_t { /* width x height x depth floats, each a different number */
  int w, h, d;
  bool layered;
  std::vector<float> v;
  float at(int x, int y, int z) const { return v[((size_t)z * h + y) * w + x]; }
};

static int inside(int i, int n, cudaTextureAddressMode mode) { /* -1: the border */
  if (mode == cudaAddressModeWrap) return ((i % n) + n) % n;
  if (mode == cudaAddressModeMirror) {
    i = ((i % (2 * n)) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
  }
  if (mode == cudaAddressModeBorder && (i < 0 || i >= n)) return -1;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static float filtered(const image_t &m, cudaTextureAddressMode mode, bool norm, float x, float y,
                      float z) {
  double c[3] = {x, y, z}, sum = 0;
  int n[3] = {m.w, m.h, m.d}, i0[3], weight[3];
  for (int i = 0; i < 3; i++) {
    if (n[i] == 1 || (i == 2 && m.layered)) { /* a dimension that is not there, or the layer */
      i0[i] = n[i] == 1 ? 0 : (int)c[i], weight[i] = 0;
      continue;
    }
    double at = (norm ? c[i] * n[i] : c[i]) - 0.5;
    i0[i] = (int)floor(at), weight[i] = (int)rint((at - floor(at)) * 256);
  }
  for (int k = 0; k < 8; k++) {
    double part = 1;
    int at[3];
    for (int i = 0; i < 3; i++) {
      int second = k >> i & 1;
      part *= (second ? weight[i] : 256 - weight[i]) / 256.0;
      at[i] = part == 0 || n[i] == 1 ? 0 : inside(i0[i] + second, n[i], mode);
    }
    if (part != 0 && at[0] >= 0 && at[1] >= 0 && at[2] >= 0)
      sum += part * m.at(at[0], at[1], at[2]);
  }
  return (float)sum;
}

enum { D1, D2, D3, L1, L2 };
__global__ void sample(cudaTextureObject_t t, int how, const float4 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = at[i];
  switch (how) {
  case D1: out[i] = i & 1 ? tex1D<float>(t, p.x) : tex1DLod<float>(t, p.x, 0); break;
  case D2: out[i] = i & 1 ? tex2D<float>(t, p.x, p.y) : tex2DLod<float>(t, p.x, p.y, 0); break;
  case D3:
    out[i] = i & 1 ? tex3D<float>(t, p.x, p.y, p.z) : tex3DLod<float>(t, p.x, p.y, p.z, 0);
    break;
  case L1: out[i] = tex1DLayered<float>(t, p.x, (int)p.z); break;
  default: out[i] = tex2DLayered<float>(t, p.x, p.y, (int)p.z); break;
  }
}
__global__ void gather(cudaTextureObject_t t, const float4 *at, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2Dgather<float4>(t, at[i].x, at[i].y, 0);
}
__global__ void bytes(cudaTextureObject_t t, float *out, int w) {
  out[threadIdx.x] = tex2D<float>(t, (threadIdx.x + 0.25f) / w, 0.5f);
}

static cudaArray_t array_of(const image_t &m) {
  cudaArray_t a;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  bool deep = m.d > 1 || m.layered;
  cudaExtent e = make_cudaExtent(m.w, m.h == 1 ? 0 : m.h, deep ? m.d : 0);
  CUDA(cudaMalloc3DArray(&a, &f, e, m.layered ? cudaArrayLayered : 0));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr((void *)m.v.data(), m.w * sizeof(float), m.w, m.h);
  p.dstArray = a, p.kind = cudaMemcpyHostToDevice;
  p.extent = make_cudaExtent(m.w, m.h, m.d);
  CUDA(cudaMemcpy3D(&p));
  return a;
}

static cudaTextureObject_t object(cudaArray_t a, cudaTextureFilterMode filter,
                                  cudaTextureAddressMode mode, cudaTextureReadMode read,
                                  bool norm) {
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
  d.filterMode = filter, d.readMode = read, d.normalizedCoords = norm;
  cudaTextureObject_t t;
  CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
  return t;
}

static void check(const char *name, int how, int w, int h, int d, bool layered) {
  const int n = 400;
  image_t m = {w, h, d, layered, std::vector<float>((size_t)w * h * d)};
  for (float &f : m.v) f = random_f32() * 100;
  cudaArray_t a = array_of(m);
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                          cudaAddressModeMirror, cudaAddressModeBorder};
  for (int k = 0; k < 6; k++) { /* four with coordinates 0 .. 1, two without */
    bool norm = k < 4;
    cudaTextureAddressMode mode = norm ? modes[k] : modes[k == 4 ? 1 : 3];
    std::vector<float4> at(n);
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) {
      float s[3] = {(float)w, (float)h, (float)d}, c[3];
      for (int j = 0; j < 3; j++) c[j] = (random_f32() * 3 - 1) * (norm ? 1 : s[j]);
      if (layered) c[2] = (float)(random_u32() % d);
      at[i] = make_float4(c[0], c[1], c[2], 0);
      want[i] = filtered(m, mode, norm, c[0], c[1], c[2]);
    }
    cudaTextureObject_t t = object(a, cudaFilterModeLinear, mode, cudaReadModeElementType, norm);
    float *out = device_zeros<float>(n);
    sample<<<4, 100>>>(t, how, to_device(at), out, n);
    LAUNCHED();
    same(name, to_host(out, n), want, 1e-6);
    CUDA(cudaDestroyTextureObject(t));
  }
  CUDA(cudaFreeArray(a));
}

static void check_gather() {
  const int w = 13, h = 9, n = 100;
  image_t m = {w, h, 1, false, std::vector<float>(w * h)};
  for (float &f : m.v) f = random_f32();
  cudaTextureObject_t t = object(array_of(m), cudaFilterModePoint, cudaAddressModeClamp,
                                 cudaReadModeElementType, false);
  std::vector<float4> at(n);
  std::vector<float> want;
  for (float4 &p : at) {
    p = make_float4(random_f32() * w, random_f32() * h, 0, 0);
    int x = (int)floor(p.x - 0.5), y = (int)floor(p.y - 0.5);
    const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
    for (int k = 0; k < 4; k++)
      want.push_back(m.at(inside(x + dx[k], w, cudaAddressModeClamp),
                          inside(y + dy[k], h, cudaAddressModeClamp), 0));
  }
  float4 *out = device_zeros<float4>(n);
  gather<<<1, 128>>>(t, to_device(at), out, n);
  LAUNCHED();
  same("gather", to_host((float *)out, 4 * n), want);
}

static void check_bytes() { /* bytes that are read as 0 .. 1 can be filtered, too */
  const int w = 16;
  std::vector<unsigned char> v(w);
  std::vector<float> want(w);
  for (unsigned char &b : v) b = random_u32() & 255;
  cudaArray_t a;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<unsigned char>();
  CUDA(cudaMallocArray(&a, &f, w, 1));
  CUDA(cudaMemcpy2DToArray(a, 0, 0, v.data(), w, w, 1, cudaMemcpyHostToDevice));
  cudaTextureObject_t t =
      object(a, cudaFilterModeLinear, cudaAddressModeWrap, cudaReadModeNormalizedFloat, true);
  float *out = device_zeros<float>(w);
  bytes<<<1, w>>>(t, out, w);
  for (int i = 0; i < w; i++) want[i] = (float)((v[(i + w - 1) % w] * 0.25 + v[i] * 0.75) / 255);
  same("bytes", to_host(out, w), want, 1e-6);
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a, d.filterMode = cudaFilterModeLinear;
  if (cudaCreateTextureObject(&t, &r, &d, NULL) == cudaSuccess)
    printf("integers were filtered\n"), exit(1);
}

int main() {
  check("1-D", D1, 37, 1, 1, false);
  check("2-D", D2, 21, 17, 1, false);
  check("3-D", D3, 11, 7, 5, false);
  check("layers of 1-D", L1, 19, 1, 6, true);
  check("layers of 2-D", L2, 12, 10, 4, true);
  check_gather();
  check_bytes();
  printf("texture_filter: PASS\n");
}
