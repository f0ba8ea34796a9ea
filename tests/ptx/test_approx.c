/* The approximate functions against the host's long double: below 0.51 units in the last place. */
#include "base/rng.h"
#include "ptx/fp.h"
#include "unit.h"
#include <math.h>

static long double ulps(float got, long double want) {
  if (want != want) return got != got ? 0 : 1e9L;
  if (isinf(got) || isinf(want)) return got == (float)want ? 0 : 1e9L;
  float near = (float)want;
  int e;
  frexpf(near == 0 ? 0x1p-149f : near, &e);
  long double ulp = ldexpl(1, e - 24 < -149 ? -149 : e - 24), d = fabsl((long double)got - want);
  return d / ulp;
}

static long double rsqrt_exact(long double x) { return 1 / sqrtl(x); }

static void worst(const char *name, float (*f)(float), long double (*exact)(long double), float lo,
                  float hi) {
  rng_t r = {test_seed()};
  long double most = 0;
  float at = 0;
  for (uint32_t i = 0; i < 200000; i++) {
    float x = lo + (hi - lo) * (float)((double)(rng_next(&r) >> 11) * 0x1p-53);
    long double u = ulps(f(x), exact((long double)x));
    if (u > most) most = u, at = x;
  }
  if (most > 0.51L) print_error("%s(%a) is off by %Lf ulp\n", name, (double)at, most);
  assert_true(most <= 0.51L);
}

static void ex2_is_near(void **s) { (void)s, worst("ex2", approx_ex2, exp2l, -150, 128); }
static void lg2_is_near(void **s) {
  (void)s;
  worst("lg2", approx_lg2, log2l, 0, 4);
  worst("lg2", approx_lg2, log2l, 0.999f, 1.001f);
  worst("lg2", approx_lg2, log2l, 0, 3e38f);
}
static void sin_and_cos_are_near_for_any_argument(void **s) {
  (void)s;
  static const float limit[] = {1, 4, 100, 1e5f, 1e10f, 1e20f, 3e38f};
  for (uint32_t i = 0; i < 7; i++) {
    worst("sin", approx_sin, sinl, -limit[i], limit[i]);
    worst("cos", approx_cos, cosl, -limit[i], limit[i]);
  }
}
static void rsqrt_is_near(void **s) { (void)s, worst("rsqrt", approx_rsqrt, rsqrt_exact, 0, 1e6f); }
static void tanh_is_near(void **s) {
  (void)s;
  worst("tanh", approx_tanh, tanhl, -11, 11);
  worst("tanh", approx_tanh, tanhl, -0.02f, 0.02f);
}

static void special_values(void **s) {
  (void)s;
  uint32_t inf = 0x7f800000, nan = 0x7fffffff;
  assert_int_equal(f32_bits(approx_ex2(bits_f32(inf))), inf);
  assert_int_equal(f32_bits(approx_ex2(bits_f32(inf | 0x80000000))), 0);
  assert_int_equal(f32_bits(approx_ex2(-149)), 1);
  assert_int_equal(f32_bits(approx_lg2(0)), inf | 0x80000000);
  assert_int_equal(f32_bits(approx_lg2(-1)), nan);
  assert_int_equal(f32_bits(approx_lg2(bits_f32(inf))), inf);
  assert_int_equal(f32_bits(approx_lg2(1)), 0);
  assert_int_equal(f32_bits(approx_sin(bits_f32(inf))), nan);
  assert_int_equal(f32_bits(approx_sin(-0.0f)), 0x80000000);
  assert_int_equal(f32_bits(approx_cos(0)), 0x3f800000);
  assert_int_equal(f32_bits(approx_rsqrt(-0.0f)), inf | 0x80000000);
  assert_int_equal(f32_bits(approx_rsqrt(-1)), nan);
  assert_int_equal(f32_bits(approx_tanh(bits_f32(inf))), 0x3f800000);
  assert_int_equal(f32_bits(approx_tanh(-0.0f)), 0x80000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ex2_is_near),
                                     cmocka_unit_test(lg2_is_near),
                                     cmocka_unit_test(sin_and_cos_are_near_for_any_argument),
                                     cmocka_unit_test(rsqrt_is_near),
                                     cmocka_unit_test(tanh_is_near),
                                     cmocka_unit_test(special_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
