/* Double precision: conjugate gradients on a tridiagonal system, with library functions around it.
 */
#include "check.h"

__global__ void multiply(const double *p, double *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = 4 * p[i] - (i ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
}
__global__ void dot(const double *a, const double *b, double *out, int n) {
  __shared__ double s[128];
  double v = 0;
  for (int i = threadIdx.x; i < n; i += 128) v += a[i] * b[i];
  s[threadIdx.x] = v;
  for (int d = 64; d; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
  }
  if (threadIdx.x == 0) *out = s[0];
}
__global__ void axpy(double *y, const double *x, double a, double b, int n) { /* y = b y + a x */
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b * y[i] + a * x[i];
}
__global__ void functions(const double *x, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  out[i] = sin(v) * sin(v) + cos(v) * cos(v) + log(exp(v)) - v + sqrt(v * v) / fabs(v) +
           pow(v, 2.0) / (v * v) + floor(v + 0.5) - rint(v) * 0 - floor(v + 0.5) +
           atan2(sin(v / 10), cos(v / 10)) * 10 / v + cbrt(v * v * v) / v;
}

int main() {
  const int n = 500, g = (n + 127) / 128;
  std::vector<double> b(n), x(n), fx(n);
  for (int i = 0; i < n; i++) b[i] = random_f32(), fx[i] = 0.25 + i * 0.05;
  double *dx = device_zeros<double>(n), *dr = to_device(b), *dp = to_device(b),
         *dq = device_zeros<double>(n);
  double *ds = device_zeros<double>(1), rr, pq, next;
  dot<<<1, 128>>>(dr, dr, ds, n);
  rr = to_host(ds, 1)[0];
  for (int k = 0; k < 30 && rr > 1e-24; k++) {
    multiply<<<g, 128>>>(dp, dq, n);
    dot<<<1, 128>>>(dp, dq, ds, n);
    pq = to_host(ds, 1)[0];
    axpy<<<g, 128>>>(dx, dp, rr / pq, 1, n);
    axpy<<<g, 128>>>(dr, dq, -rr / pq, 1, n);
    dot<<<1, 128>>>(dr, dr, ds, n);
    next = to_host(ds, 1)[0];
    axpy<<<g, 128>>>(dp, dr, 1, next / rr, n);
    rr = next;
  }
  LAUNCHED();
  x = to_host(dx, n);
  for (int i = 0; i < n; i++) {
    double left = 4 * x[i] - (i ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
    want(fabs(left - b[i]) < 1e-10, "solution");
  }
  functions<<<g, 128>>>(to_device(fx), dq, n);
  LAUNCHED();
  same("functions", to_host(dq, n), std::vector<double>(n, 5.0), 1e-11);
  return pass("doubles");
}
