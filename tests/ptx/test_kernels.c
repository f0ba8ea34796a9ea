/* Kernels that clang compiled give the results of the same arithmetic on the host. */
#include "kernels.h"
#include "unit.h"
#include <math.h>

#define N 64u

static const kernel_case_t *find(const char *name) {
  const kernel_case_t *c = kernel_cases;
  while (strcmp(c->name, name)) c++;
  return c;
}

static void run(kernels_t *k, const char *name, void *out, uint64_t bytes) {
  err_t e;
  char why[900];
  ptx_stats_t s = {0};
  if (kernels_run(k, find(name), NULL, &s, &e) < 0) {
    err_format(&e, why, sizeof why);
    fail_msg("%s: %s", name, why);
  }
  assert_int_equal(devmem_read(k->mem, k->c, out, bytes, &e), 0);
}

static int setup(void **state) {
  kernels_t *k = calloc(1, sizeof *k);
  err_t e;
  *state = k;
  return kernels_new(k, PTX_DATA "/kernels.ptx", N, &e);
}
static int teardown(void **state) {
  kernels_free(*state);
  free(*state);
  return 0;
}

static void vector_sum(void **state) {
  kernels_t *k = *state;
  float o[N * N];
  run(k, "vadd", o, sizeof o);
  for (uint32_t i = 0; i < N * N; i++) assert_true(o[i] == k->ha[i] + 2 * k->hb[i]);
}

static void matrix_products_agree(void **state) {
  kernels_t *k = *state;
  float o[2][N * N];
  run(k, "gemm", o[0], sizeof o[0]);
  run(k, "tiled", o[1], sizeof o[1]);
  for (uint32_t y = 0; y < N; y++)
    for (uint32_t x = 0; x < N; x++) {
      float s = 0;
      for (uint32_t i = 0; i < N; i++) s = fmaf(k->ha[y * N + i], k->hb[i * N + x], s);
      assert_true(o[0][y * N + x] == s);
      assert_true(o[1][y * N + x] == s);
    }
}

static void reduction(void **state) {
  kernels_t *k = *state;
  float o, want = 0;
  run(k, "sum", &o, sizeof o);
  for (uint32_t i = 0; i < N * N; i++) want += k->ha[i];
  assert_true(o == want);
}

static void divergent_loops(void **state) {
  uint32_t o[N * N];
  run(*state, "collatz", o, sizeof o);
  for (uint32_t i = 0; i < N * N; i++) {
    uint32_t steps = 0;
    for (uint32_t v = i + 1; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
    assert_int_equal(o[i], steps);
  }
}

static void stencil_and_gather(void **state) {
  kernels_t *k = *state;
  float o[N * N];
  run(k, "stencil", o, sizeof o);
  for (uint32_t y = 1; y < N - 1; y++)
    for (uint32_t x = 1; x < N - 1; x++) {
      const float *p = k->ha + y * N + x;
      assert_true(o[y * N + x] == 0.25f * (((p[-1] + p[1]) + p[-(int)N]) + p[N]));
    }
  run(k, "gather", o, sizeof o);
  for (uint32_t i = 0; i < N * N; i++)
    assert_true(o[i] == k->ha[(uint64_t)i * 40503 % (N * N)] * 0.5f);
}

static void doubles_and_special_functions(void **state) {
  kernels_t *k = *state;
  double d[N * N];
  float o[N * N];
  run(k, "dpoly", d, sizeof d);
  for (uint32_t i = 0; i < N * N; i++) assert_true(fabs(d[i] / exp((i % 100) / 200.0) - 1) < 1e-14);
  run(k, "special", o, sizeof o);
  for (uint32_t i = 0; i < N * N; i++) {
    double x = (double)k->ha[i], want = exp(x) + sin(x) * cos(x) + log(x + 2);
    assert_true(fabs((double)o[i] / want - 1) < 1e-5);
  }
}

static void recursion(void **state) {
  uint32_t o[64], f[12] = {0, 1};
  for (uint32_t i = 2; i < 12; i++) f[i] = f[i - 1] + f[i - 2];
  run(*state, "fibs", o, sizeof o);
  for (uint32_t i = 0; i < 64; i++) assert_int_equal(o[i], f[i % 12]);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(vector_sum),         T(matrix_products_agree),         T(reduction), T(divergent_loops),
      T(stencil_and_gather), T(doubles_and_special_functions), T(recursion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
