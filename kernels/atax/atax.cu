/* ATAX: y = A'(A x), two kernels. In the first a thread has a row of A, so the lanes of a warp are
 * a row apart, each in a page of its own; in the second a thread has a column and lanes are
 * neighbours. */
#include "../common/app.h"

static const struct {
  unsigned rows, columns;
} sizes[APP_SIZES] = {{64, 128}, {1792, 1792}, {4096, 4096}};

#define BLOCK 256

__global__ void times_a(const float *a, const float *x, float *t, unsigned rows, unsigned columns) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (unsigned j = 0; j < columns; j++) sum += a[(size_t)i * columns + j] * x[j];
  t[i] = sum;
}

__global__ void times_a_transposed(const float *a, const float *t, float *y, unsigned rows,
                                   unsigned columns) {
  unsigned j = blockIdx.x * BLOCK + threadIdx.x;
  if (j >= columns) return;
  float sum = 0;
  for (unsigned i = 0; i < rows; i++) sum += a[(size_t)i * columns + j] * t[i];
  y[j] = sum;
}

int main(int argc, char **argv) {
  app self = app_begin("ATAX", argc, argv);
  unsigned rows = sizes[self.size].rows, columns = sizes[self.size].columns;
  rng r(self.seed);
  std::vector<float> a = random_floats(r, (size_t)rows * columns, 0, 1),
                     x = random_floats(r, columns, 0, 1);
  float *da = device_copy(a), *dx = device_copy(x), *dt = device_new<float>(rows),
        *dy = device_new<float>(columns);
  times_a<<<blocks_for(rows, BLOCK), BLOCK>>>(da, dx, dt, rows, columns);
  CHECK_LAUNCH();
  times_a_transposed<<<blocks_for(columns, BLOCK), BLOCK>>>(da, dt, dy, rows, columns);
  CHECK_LAUNCH();
  std::vector<float> y = from_device(dy, columns);
  void *all[] = {da, dx, dt, dy};
  for (void *p : all) CHECK(cudaFree(p));
  bool right = true;
  if (self.verify) {
    std::vector<double> want(columns, 0);
    for (unsigned i = 0; i < rows; i++) {
      double t = 0;
      for (unsigned j = 0; j < columns; j++) t += (double)a[(size_t)i * columns + j] * x[j];
      for (unsigned j = 0; j < columns; j++) want[j] += a[(size_t)i * columns + j] * t;
    }
    right =
        near_values("y", y, want, 1e-5 * 8); /* two sums of some 10^3 terms, one after the other */
  }
  return app_end(self, right);
}
