/* ADI: alternating direction implicit integration of the heat equation: in each half step a thread
 * solves a tridiagonal system along its row, then along its column, with coefficients kept in two
 * more matrices. Along rows the lanes of a warp are a row apart; along columns they are neighbours.
 */
#include "../common/app.h"

static const struct { unsigned n, steps; } sizes[APP_SIZES] = {{64, 1}, {768, 2}, {2048, 1}};

#define BLOCK 256

/* With a = -l/2, b = 1 + l, c = a, right-hand side from the other direction: p and q are the
 * factors of the forward pass, then v is found backwards. Strides say along what. */
__global__ void sweep(const float *u, float *v, float *p, float *q, unsigned n, float l,
                      size_t along, size_t across) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x + 1;
  if (i >= n - 1) return;
  float a = -l * 0.5f, b = 1 + l, d = -l * 0.5f, f = 1 - l;
  size_t line = i * across;
  v[line] = 1;
  p[line] = 0;
  q[line] = 1;
  for (unsigned j = 1; j < n - 1; j++) {
    size_t at = line + j * along, before = at - along;
    float m = a * p[before] + b;
    p[at] = -a / m;
    q[at] = (-d * u[at - across] + f * u[at] - d * u[at + across] - a * q[before]) / m;
  }
  v[line + (n - 1) * along] = 1;
  for (unsigned j = n - 2; j >= 1; j--) {
    size_t at = line + j * along;
    v[at] = p[at] * v[at + along] + q[at];
  }
}

static void sweep_host(const std::vector<double> &u, std::vector<double> &v, unsigned n, double l,
                       size_t along, size_t across) {
  double a = -l * 0.5, b = 1 + l, d = -l * 0.5, f = 1 - l;
  std::vector<double> p(n), q(n);
  for (size_t i = 1; i < n - 1; i++) {
    size_t line = i * across;
    v[line] = 1, p[0] = 0, q[0] = 1;
    for (size_t j = 1; j < n - 1; j++) {
      size_t at = line + j * along;
      double m = a * p[j - 1] + b;
      p[j] = -a / m;
      q[j] = (-d * u[at - across] + f * u[at] - d * u[at + across] - a * q[j - 1]) / m;
    }
    v[line + (n - 1) * along] = 1;
    for (size_t j = n - 2; j >= 1; j--)
      v[line + j * along] = p[j] * v[line + (j + 1) * along] + q[j];
  }
}

int main(int argc, char **argv) {
  app self = app_begin("ADI", argc, argv);
  unsigned n = sizes[self.size].n, steps = sizes[self.size].steps,
           blocks = blocks_for(n - 2, BLOCK);
  const float l = 0.5f; /* time step over squared distance */
  rng r(self.seed);
  std::vector<float> u = random_floats(r, (size_t)n * n, 0, 1);
  float *du = device_copy(u), *dv = device_copy(u), *dp = device_new<float>(u.size()),
        *dq = device_new<float>(u.size());
  for (unsigned s = 0; s < steps; s++) {
    sweep<<<blocks, BLOCK>>>(du, dv, dp, dq, n, l, n, 1); /* along columns */
    CHECK_LAUNCH();
    sweep<<<blocks, BLOCK>>>(dv, du, dp, dq, n, l, 1, n); /* along rows */
    CHECK_LAUNCH();
  }
  std::vector<float> got = from_device(du, u.size());
  void *all[] = {du, dv, dp, dq};
  for (void *p : all) CHECK(cudaFree(p));
  bool right = true;
  if (self.verify) {
    std::vector<double> a(u.begin(), u.end()), b = a;
    for (unsigned s = 0; s < steps; s++) {
      sweep_host(a, b, n, l, n, 1);
      sweep_host(b, a, n, l, 1, n);
    }
    right = near_values("u", got, a, 1e-5);
  }
  return app_end(self, right);
}
