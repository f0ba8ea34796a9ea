/* Sparse matrix times vector: compressed rows (thread and warp per row) and ELLPACK. */
#include "check.h"

__global__ void csr_scalar(const int *row, const int *col, const double *val, const double *x,
                           double *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  double s = 0;
  for (int i = row[r]; i < row[r + 1]; i++) s += val[i] * x[col[i]];
  y[r] = s;
}
__global__ void csr_vector(const int *row, const int *col, const double *val,
                           const double *__restrict__ x, double *y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (r >= n) return;
  double s = 0;
  for (int i = row[r] + lane; i < row[r + 1]; i += 32) s += val[i] * __ldg(&x[col[i]]);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}
__global__ void ell(const int *col, const double *val, const double *x, double *y, int n,
                    int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  double s = 0;
  for (int k = 0; k < width; k++)
    if (col[k * n + r] >= 0) s += val[k * n + r] * x[col[k * n + r]];
  y[r] = s;
}

int main() {
  const int n = 1500, width = 24;
  std::vector<int> row = {0}, col, ecol(n * width, -1);
  std::vector<double> val, eval(n * width), x(n), y(n);
  for (int r = 0; r < n; r++) {
    int count = random_u32() % width;
    for (int k = 0; k < count; k++) {
      col.push_back(random_u32() % n), val.push_back(random_u32() % 16);
      ecol[k * n + r] = col.back(), eval[k * n + r] = val.back();
    }
    row.push_back((int)col.size()), x[r] = random_u32() % 8;
  }
  for (int r = 0; r < n; r++)
    for (int i = row[r]; i < row[r + 1]; i++) y[r] += val[i] * x[col[i]];
  int *drow = to_device(row), *dcol = to_device(col), *decol = to_device(ecol);
  double *dval = to_device(val), *deval = to_device(eval), *dx = to_device(x);
  double *dy = device_zeros<double>(n);
  csr_scalar<<<(n + 127) / 128, 128>>>(drow, dcol, dval, dx, dy, n);
  same("scalar", to_host(dy, n), y);
  csr_vector<<<(n + 3) / 4, 128>>>(drow, dcol, dval, dx, dy, n);
  same("vector", to_host(dy, n), y);
  ell<<<(n + 127) / 128, 128>>>(decol, deval, dx, dy, n, width);
  same("ell", to_host(dy, n), y);
  LAUNCHED();
  return pass("spmv", y);
}
