/* Radix-2 fast Fourier transform in shared memory, many rows; checked against the plain sum and by
 * going back. */
#include "check.h"

#define N 256

__device__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__global__ void fft(const float2 *in, float2 *out, float sign) {
  __shared__ float2 s[N];
  int t = threadIdx.x;
  const float2 *row = in + blockIdx.x * N;
  for (int k = t; k < N; k += N / 2) s[__brev(k) >> 24] = row[k];
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    int i = t / half * 2 * half + t % half;
    float angle = sign * 3.14159265358979f * (t % half) / half, sn, cs;
    sincosf(angle, &sn, &cs);
    float2 a = s[i], b = times(s[i + half], make_float2(cs, sn));
    s[i] = make_float2(a.x + b.x, a.y + b.y);
    s[i + half] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  for (int k = t; k < N; k += N / 2) out[blockIdx.x * N + k] = s[k];
}

int main() {
  const int rows = 12;
  std::vector<float2> v(rows * N);
  for (float2 &c : v) c = make_float2(random_f32() - 0.5f, random_f32() - 0.5f);
  float2 *d = to_device(v), *e = device_zeros<float2>(rows * N);
  fft<<<rows, N / 2>>>(d, e, -1.0f);
  LAUNCHED();
  std::vector<float2> f = to_host(e, rows * N);
  for (int k = 0; k < N; k += 17) {
    double re = 0, im = 0;
    for (int i = 0; i < N; i++) {
      double a = -2 * M_PI * i * k / N;
      re += v[N + i].x * cos(a) - v[N + i].y * sin(a),
          im += v[N + i].x * sin(a) + v[N + i].y * cos(a);
    }
    want(fabs(f[N + k].x - re) < 1e-3 && fabs(f[N + k].y - im) < 1e-3, "spectrum");
  }
  fft<<<rows, N / 2>>>(e, d, 1.0f);
  LAUNCHED();
  std::vector<float2> back = to_host(d, rows * N);
  for (int i = 0; i < rows * N; i++)
    want(fabs(back[i].x / N - v[i].x) < 1e-4 && fabs(back[i].y / N - v[i].y) < 1e-4, "inverse");
  return pass("fft");
}
