/* Functions of CUDA's own that host code calls, too: the same on both sides, and what they mean in
 * terms of C's functions. */
#include "check.h"

enum { N = 40, FIELDS = 10, SINGLES = 6 };
__host__ __device__ static void doubles(double x, double *o) {
  sincospi(x, &o[0], &o[1]);
  o[2] = sinpi(x), o[3] = cospi(x), o[4] = rsqrt(x), o[5] = rcbrt(x);
  o[6] = erf(erfinv(x * 0.5)), o[7] = erfcx(x), o[8] = normcdf(x);
  o[9] = normcdf(normcdfinv(x * 0.5));
}
__host__ __device__ static void singles(float x, float *o) {
  o[0] = rsqrtf(x), o[1] = rcbrtf(x), o[2] = sinpif(x), o[3] = cospif(x);
  o[4] = normcdff(x), o[5] = rsqrt(x);
}
__global__ void on_device(double *o, float *p) {
  int i = (int)threadIdx.x;
  doubles((i + 1) / 41.0, o + i * FIELDS), singles((float)(i + 1) / 41.0f, p + i * SINGLES);
}

int main() {
  double *d = device_zeros<double>(N * FIELDS);
  float *p = device_zeros<float>(N * SINGLES);
  on_device<<<1, N>>>(d, p);
  LAUNCHED();
  std::vector<double> host(N * FIELDS), expect;
  std::vector<float> host_f(N * SINGLES), expect_f;
  for (int i = 0; i < N; i++) {
    double x = (i + 1) / 41.0;
    float f = (float)(i + 1) / 41.0f;
    doubles(x, &host[i * FIELDS]), singles(f, &host_f[i * SINGLES]);
    double s = sin(M_PI * x), c = cos(M_PI * x);
    for (double v : {s, c, s, c, 1 / sqrt(x), 1 / cbrt(x), x * 0.5, exp(x * x) * erfc(x),
                     0.5 * erfc(-x * M_SQRT1_2), x * 0.5})
      expect.push_back(v);
    double y = f;
    for (double v : {1 / sqrt(y), 1 / cbrt(y), sin(M_PI * y), cos(M_PI * y),
                     0.5 * erfc(-y * M_SQRT1_2), 1 / sqrt(y)})
      expect_f.push_back((float)v);
  }
  same("doubles on the host", host, expect, 1e-13);
  same("doubles on the device", to_host(d, N * FIELDS), expect, 1e-13);
  same("floats on the host", host_f, expect_f, 1e-6);
  same("floats on the device", to_host(p, N * SINGLES), expect_f, 1e-6);
  return pass("host_math");
}
