/* Small kernels of the usual kinds; kernels.ptx is made of this file with Debian's clang 14:
 *   clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc
 * -nocudalib \ -O2 -fdeclspec -S -include <a header with threadIdx and friends> kernels.cu -o
 * kernels.ptx */
#define K  extern "C" __global__ void
#define ID (blockIdx.x * blockDim.x + threadIdx.x)
__constant__ float scale = 2.0f;

K vadd(const float *a, const float *b, float *c, int n) {
  int i = ID;
  if (i < n) c[i] = a[i] + scale * b[i];
}
K gemm(const float *a, const float *b, float *c, int n) {
  int x = ID, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
K tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float sa[16][16], sb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float s = 0;
  for (int t = 0; t < n; t += 16) {
    sa[ty][tx] = a[y * n + t + tx], sb[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += sa[ty][k] * sb[k][tx];
    __syncthreads();
  }
  c[y * n + x] = s;
}
K sum(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0;
  for (int i = ID; i < n; i += gridDim.x * 256) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
K collatz(int *out, int n) {
  int i = ID, steps = 0;
  if (i >= n) return;
  for (unsigned v = i + 1; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v >> 1;
  out[i] = steps;
}
K stencil(const float *in, float *out, int w, int h) {
  int x = ID, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  out[y * w + x] =
      0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
K gather(const int *at, const float *in, float *out, int n) {
  int i = ID;
  if (i < n) out[i] = in[at[i]] * 0.5f;
}
K dpoly(const double *in, double *out, int n) {
  int i = ID;
  if (i >= n) return;
  double x = in[i], r = 1;
  for (int k = 20; k > 0; k--) r = 1 + x * r / k;
  out[i] = sqrt(r);
}
K special(const float *in, float *out, int n) {
  int i = ID;
  if (i < n) out[i] = expf(in[i]) + sinf(in[i]) * cosf(in[i]) + logf(in[i] + 2);
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
K fibs(int *out) { out[ID] = fib(threadIdx.x % 12); }
