/*
 * Device math functions against the host's long double ones.
 *
 * One row per function: the error CUDA's programming guide promises, in units in the last place,
 * and the interval its arguments come from: half uniform, half with uniform exponents. Corners
 * (zeros, infinities, NaN, subnormals, integers and their neighbours) are tried with every
 * function, inside the interval or not. The header is compiled for the host here; test_math_ptx.c
 * shows that PTX gives the same bits.
 */
#define _GNU_SOURCE 1
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../ptx/unit.h"

#include "gmmu_math_bessel.h"
#include "gmmu_math_f32.h"
#include "gmmu_math_f64.h"

typedef long double wide_t;

typedef struct {
  const char *name;
  float (*f)(float);
  double (*d)(double);
  wide_t (*want)(wide_t);
  double ulp_f, ulp_d, lo, hi; /* the interval is checked with its negative, too, if lo < 0 */
} unary_t;

typedef struct {
  const char *name;
  float (*f)(float, float);
  double (*d)(double, double);
  wide_t (*want)(wide_t, wide_t);
  double ulp_f, ulp_d, hi;
} binary_t;

/* cos(pi t) for t in [0, 2], from the nearest multiple of 1/4 */
static wide_t cospi_turn(wide_t t) {
  if (t < 0.25L || t > 1.75L) return cosl((t > 1 ? 2 - t : t) * M_PIl);
  if (t > 0.75L && t < 1.25L) return -cosl((t - 1) * M_PIl);
  return t < 1 ? sinl((0.5L - t) * M_PIl) : sinl((t - 1.5L) * M_PIl);
}

static wide_t want_cospi(wide_t x) { return cospi_turn(fabsl(fmodl(x, 2))); }

static wide_t want_sinpi(wide_t x) {
  wide_t t = fabsl(fmodl(x, 2));
  if (t == 0 || t == 1) return copysignl(0, x);
  wide_t y = t < 0.25L   ? sinl(t * M_PIl)
             : t > 1.75L ? -sinl((2 - t) * M_PIl)
                         : cospi_turn(fabsl(t - 0.5L));
  return x < 0 ? -y : y;
}

static wide_t want_rsqrt(wide_t x) { return 1 / sqrtl(x); }
static wide_t want_rcbrt(wide_t x) { return 1 / cbrtl(x); }
static wide_t want_normcdf(wide_t x) { return 0.5L * erfcl(-x * M_SQRT1_2l); }
static wide_t want_erfcx(wide_t x) {
  wide_t y = 1 / (2 * x * x);
  return x > 100 ? (1 - y + 3 * y * y - 15 * y * y * y) / (x * sqrtl(M_PIl))
                 : expl(x * x) * erfcl(x);
}
static wide_t want_rhypot(wide_t x, wide_t y) { return 1 / hypotl(x, y); }

static const unary_t unary[] = {
    {"sin", gm_sinf, gm_sin, sinl, 2, 2, -1e308, 1e308},
    {"sin near", gm_sinf, gm_sin, sinl, 2, 2, -100, 100},
    {"cos", gm_cosf, gm_cos, cosl, 2, 2, -1e308, 1e308},
    {"cos near", gm_cosf, gm_cos, cosl, 2, 2, -100, 100},
    {"tan", gm_tanf, gm_tan, tanl, 4, 2, -1e308, 1e308},
    {"tan near", gm_tanf, gm_tan, tanl, 4, 2, -100, 100},
    {"sinpi", gm_sinpif, gm_sinpi, want_sinpi, 2, 2, -1000, 1000},
    {"cospi", gm_cospif, gm_cospi, want_cospi, 2, 2, -1000, 1000},
    {"asin", gm_asinf, gm_asin, asinl, 2, 2, -1, 1},
    {"acos", gm_acosf, gm_acos, acosl, 2, 2, -1, 1},
    {"atan", gm_atanf, gm_atan, atanl, 2, 2, -50, 50},
    {"sinh", gm_sinhf, gm_sinh, sinhl, 3, 2, -720, 720},
    {"cosh", gm_coshf, gm_cosh, coshl, 2, 1, -720, 720},
    {"tanh", gm_tanhf, gm_tanh, tanhl, 2, 1, -30, 30},
    {"asinh", gm_asinhf, gm_asinh, asinhl, 3, 3, -1e10, 1e10},
    {"asinh near", gm_asinhf, gm_asinh, asinhl, 3, 3, -10, 10},
    {"acosh", gm_acoshf, gm_acosh, acoshl, 4, 3, 1, 1e12},
    {"acosh near", gm_acoshf, gm_acosh, acoshl, 4, 3, 1, 10},
    {"atanh", gm_atanhf, gm_atanh, atanhl, 3, 2, -1, 1},
    {"exp", gm_expf, gm_exp, expl, 2, 1, -750, 720},
    {"exp near", gm_expf, gm_exp, expl, 2, 1, -90, 90},
    {"exp2", gm_exp2f, gm_exp2, exp2l, 2, 1, -1080, 1030},
    {"exp10", gm_exp10f, gm_exp10, exp10l, 2, 1, -325, 310},
    {"expm1", gm_expm1f, gm_expm1, expm1l, 1, 1, -90, 90},
    {"expm1 near", gm_expm1f, gm_expm1, expm1l, 1, 1, -2, 2},
    {"log", gm_logf, gm_log, logl, 1, 1, 0, 1e308},
    {"log near", gm_logf, gm_log, logl, 1, 1, 0, 3},
    {"log2", gm_log2f, gm_log2, log2l, 1, 1, 0, 1e308},
    {"log2 near", gm_log2f, gm_log2, log2l, 1, 1, 0, 3},
    {"log10", gm_log10f, gm_log10, log10l, 2, 1, 0, 1e308},
    {"log10 near", gm_log10f, gm_log10, log10l, 2, 1, 0, 3},
    {"log1p", gm_log1pf, gm_log1p, log1pl, 1, 1, -1, 1e308},
    {"log1p near", gm_log1pf, gm_log1p, log1pl, 1, 1, -1, 3},
    {"cbrt", gm_cbrtf, gm_cbrt, cbrtl, 1, 1, -1e308, 1e308},
    {"rcbrt", gm_rcbrtf, gm_rcbrt, want_rcbrt, 2, 1, -1e308, 1e308},
    {"rsqrt", gm_rsqrtf, gm_rsqrt, want_rsqrt, 2, 1, 0, 1e308},
    {"erf", gm_erff, gm_erf, erfl, 2, 2, -7, 7},
    {"erfc", gm_erfcf, gm_erfc, erfcl, 4, 5, -7, 27},
    {"erfcx", NULL, gm_erfcx, want_erfcx, 0, 6, -5, 20},
    {"normcdf", NULL, gm_normcdf, want_normcdf, 0, 7, -37, 9},
    {"lgamma", NULL, gm_lgamma, lgammal, 0, 4, 0, 1e300},
    {"lgamma near", NULL, gm_lgamma, lgammal, 0, 4, 0, 12},
    {"tgamma", NULL, gm_tgamma, tgammal, 0, 10, -180, 172},
    {"round", gm_roundf, gm_round, roundl, 0, 0, -100, 100},
    {"logb", gm_logbf, gm_logb, logbl, 0, 0, -1e308, 1e308},
};

static const binary_t binary[] = {
    {"pow", gm_powf, gm_pow, powl, 4, 2, 1e308},
    {"pow near", gm_powf, gm_pow, powl, 4, 2, 30},
    {"pow small", gm_powf, gm_pow, powl, 4, 2, 3},
    {"atan2", gm_atan2f, gm_atan2, atan2l, 3, 2, 10},
    {"hypot", gm_hypotf, gm_hypot, hypotl, 3, 2, 1e308},
    {"rhypot", gm_rhypotf, gm_rhypot, want_rhypot, 3, 2, 1e300},
    {"fmod", gm_fmodf, gm_fmod, fmodl, 0, 0, 1e308},
    {"fmod near", gm_fmodf, gm_fmod, fmodl, 0, 0, 100},
    {"remainder", gm_remainderf, gm_remainder, remainderl, 0, 0, 1e300},
    {"remainder near", gm_remainderf, gm_remainder, remainderl, 0, 0, 100},
};

static const double corners[] = {0.0,
                                 -0.0,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 -3,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2.5,
                                 4,
                                 10,
                                 64,
                                 0x1p-149,
                                 -0x1p-149,
                                 0x1p-126,
                                 0x1.fffffep-1,
                                 0x1.000002p0,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 0x1p-1022,
                                 0x1.fffffffffffffp-1,
                                 0x1.0000000000001p0,
                                 0x1p23,
                                 0x1p24,
                                 0x1p52,
                                 0x1p53,
                                 0x1.fffffep127,
                                 0x1.fffffffffffffp1023,
                                 1e5,
                                 65536,
                                 536870912,
                                 88.7,
                                 -103.9,
                                 709.7,
                                 -745.1,
                                 0x1.921fb6p0,
                                 0x1.921fb54442d18p0,
                                 0x1.921fb6p1};
enum { CORNERS = sizeof corners / sizeof corners[0], POINTS = 100000 };

static uint64_t next_random(uint64_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

/* even draws are uniform in [lo, hi], odd ones have uniform exponents */
static double draw(uint64_t *s, int i, double lo, double hi) {
  double u = (double)(next_random(s) >> 11) * 0x1p-53;
  if (i % 2 == 0) return lo * (1 - u) + hi * u;
  double top = fmin(log2(fmax(fabs(lo), fabs(hi))), 1023.9);
  double x = exp2(top - u * (i % 4 == 1 ? 12 : top + 1070)) *
             (1 + (double)(next_random(s) >> 11) * 0x1p-53 * 0.5);
  if (lo < 0 && (next_random(s) & 1)) x = -x;
  return x < lo ? lo : x > hi ? hi : x;
}

/* distance in units in the last place of the format with so many bits and smallest exponent */
static double distance_ulp(wide_t got, wide_t want, int bits, int min_exp, wide_t largest) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
  if (want == got) return signbit(want) == signbit(got) || want != 0 ? 0 : INFINITY;
  int e = want == 0 ? min_exp : ilogbl(want);
  wide_t ulp = ldexpl(1, (e < min_exp ? min_exp : e) - bits + 1);
  if (isinf(got) && fabsl(want) > largest) /* rounds to infinity, or nearly */
    return (double)fmaxl(0, (largest + ulp / 2 - fabsl(want)) / ulp);
  return isinf(got) || isinf(want)
             ? (fabsl(want) > largest && fabsl(got) >= largest ? 0.5 : INFINITY)
             : (double)(fabsl(got - want) / ulp);
}

static double miss_f(float got, wide_t want) { return distance_ulp(got, want, 24, -126, FLT_MAX); }
static double miss_d(double got, wide_t want) {
  return distance_ulp(got, want, 53, -1022, DBL_MAX);
}

typedef struct {
  double worst, x, y;
} worst_t;

static void keep(worst_t *w, double miss, double x, double y) {
  if (miss > w->worst) *w = (worst_t){miss, x, y};
}

/* correct rounding is half a unit away; 0 demands equality */
static int judge(const char *name, const char *type, const worst_t *w, double limit) {
  if (getenv("GMMU_VERBOSE"))
    printf("%-14s %s %.3f of %g at %a %a\n", name, type, w->worst, limit, w->x, w->y);
  if (w->worst <= limit) return 0;
  print_error("%s %s: %g units, allowed %g, at %a %a\n", name, type, w->worst, limit, w->x, w->y);
  return 1;
}

static int check_unary(const unary_t *t, uint64_t *seed) {
  worst_t f = {0, 0, 0}, d = {0, 0, 0};
  for (int i = 0; i < POINTS + CORNERS; i++) {
    double x = i < CORNERS ? corners[i] : draw(seed, i, t->lo, t->hi);
    float s = (float)x;
    bool edge = i < CORNERS && (x < t->lo || x > t->hi || x != x);
    if (t->f && (!edge || t->f == gm_sinf)) keep(&f, miss_f(t->f(s), t->want(s)), s, 0);
    if (!edge || isnan(t->want(x)) || isinf(t->want(x)))
      keep(&d, miss_d(t->d(x), t->want(x)), x, 0);
  }
  return judge(t->name, "float", &f, t->ulp_f) + judge(t->name, "double", &d, t->ulp_d);
}

static int check_binary(const binary_t *t, uint64_t *seed) {
  worst_t f = {0, 0, 0}, d = {0, 0, 0};
  for (int i = 0; i < POINTS + CORNERS * CORNERS; i++) {
    double x = i < CORNERS * CORNERS ? corners[i % CORNERS] : draw(seed, i, -t->hi, t->hi);
    double y = i < CORNERS * CORNERS ? corners[i / CORNERS] : draw(seed, i / 4, -t->hi, t->hi);
    if (t->want == powl && i > CORNERS * CORNERS && i % 8) x = fabs(x);
    keep(&f, miss_f(t->f((float)x, (float)y), t->want((float)x, (float)y)), x, y);
    keep(&d, miss_d(t->d(x, y), t->want(x, y)), x, y);
  }
  return judge(t->name, "float", &f, t->ulp_f) + judge(t->name, "double", &d, t->ulp_d);
}

static uint64_t first_seed(void) {
  const char *s = getenv("GMMU_SEED");
  return 0x9e3779b97f4a7c15u * (s ? strtoull(s, NULL, 0) : 1) | 1;
}

static void functions_of_one_argument_are_as_exact_as_promised(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  int wrong = 0;
  for (size_t i = 0; i < sizeof unary / sizeof unary[0]; i++)
    wrong += check_unary(&unary[i], &seed);
  assert_int_equal(wrong, 0);
}

static void functions_of_two_arguments_are_as_exact_as_promised(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  int wrong = 0;
  for (size_t i = 0; i < sizeof binary / sizeof binary[0]; i++)
    wrong += check_binary(&binary[i], &seed);
  assert_int_equal(wrong, 0);
}

/* no long double function to compare with: the inverse undone must give the argument back */
static void inverses_undo_their_functions(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (int i = 0; i < 20000; i++) {
    double u = draw(&seed, 0, 1e-3, 2 - 1e-3), x = draw(&seed, 0, -0.999, 0.999);
    double y = gm_erfcinv(u), slope = exp((double)(y * y)) * 0.886226925452758;
    assert_true(fabsl(erfcl(y) - u) * slope <= 5 * DBL_EPSILON * fabs(y) + DBL_EPSILON * u * slope);
    double z = gm_erfinv(x);
    assert_true(fabsl(erfl(z) - x) * exp(z * z) <=
                6 * DBL_EPSILON * fabs(z) + DBL_EPSILON * fabs(x) * exp(z * z));
  }
  assert_true(isinf(gm_erfcinv(0.0)) && isinf(gm_erfinv(1.0)) && isnan(gm_erfinv(1.5)));
}

/* The error CUDA promises is absolute above 8; near a zero of the function no other is possible. */
static double off(wide_t got, wide_t want) {
  return (double)(fabsl(got - want) / fmaxl(1, fabsl(want)));
}

static wide_t series_i(int order, wide_t x) {
  wide_t t = order ? x / 2 : 1, sum = t;
  for (int k = 1; k < 3000; k++) t *= x * x / 4 / k / (k + order), sum += t;
  return sum;
}

static void bessel_functions_are_exact(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (int i = 0; i < 20000; i++) {
    double x = draw(&seed, i, 1e-6, i % 3 ? 40 : 5000), z = draw(&seed, 0, -300, 300);
    assert_true(off(gm_j0(x), j0l(x)) < 4e-15 && off(gm_j1(-x), j1l(-x)) < 4e-15);
    assert_true(off(gm_y0(x), y0l(x)) < 4e-15 && off(gm_y1(x), y1l(x)) < 4e-15);
    int n = (int)(next_random(&seed) % 40);
    assert_true(off(gm_jn(n, x), jnl(n, x)) < 1e-13);
    if (isfinite((double)ynl(n, x))) assert_true(off(gm_yn(n, x), ynl(n, x)) < 1e-12);
    assert_true(off(gm_cyl_bessel_i0(z), series_i(0, z)) < 4e-15);
    assert_true(off(gm_cyl_bessel_i1(z), series_i(1, z)) < 4e-15);
  }
  assert_true(gm_j0(0.0) == 1 && gm_j1(0.0) == 0 && gm_j0(INFINITY) == 0 && isnan(gm_j1(NAN)));
  assert_true(gm_y0(0.0) == -INFINITY && isnan(gm_y1(-1.0)) && gm_y0(INFINITY) == 0);
  assert_true(isnan(gm_jn(-1, 2.0)) && isnan(gm_yn(-1, 2.0)) && gm_jn(3, 0.0) == 0);
  const double three[] = {1e200, -2e200, 2e200}, none[] = {0, 0};
  const float two[] = {3e30f, 4e30f};
  assert_true(off(gm_length(3, three), 3e200L) < 1e-15 && gm_length(2, none) == 0);
  assert_true(fabs(gm_lengthf(2, two) / 5e30 - 1) < 1e-6);
}

static void parts_are_exact(void **state) {
  (void)state;
  uint64_t seed = first_seed();
  for (int i = 0; i < 100000; i++) {
    double x = i < CORNERS ? corners[i] : draw(&seed, i, -1e308, 1e308), whole, w2;
    int e = 0, e2 = 0;
    double m = gm_frexp(x, &e), m2 = frexp(x, &e2);
    assert_true(m == m2 || (m != m && m2 != m2));
    if (isfinite(x)) assert_int_equal(e, e2);
    assert_true(gm_modf(x, &whole) == modf(x, &w2) || x != x);
    assert_true(whole == w2 || x != x);
    assert_true(gm_nextafter(x, 0.5) == nextafter(x, 0.5) || x != x);
    assert_true(gm_nextafterf((float)x, 2.0f) == nextafterf((float)x, 2.0f) || x != x);
    int k = (int)(next_random(&seed) % 4400) - 2200;
    if (fabs(x) >= DBL_MIN) assert_true(gm_scale(x, k) == ldexp(x, k));
    if (fabs(x) >= FLT_MIN && fabs(x) < FLT_MAX)
      assert_true(gm_scale_f((float)x, k / 8) == ldexpf((float)x, k / 8));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_one_argument_are_as_exact_as_promised),
      cmocka_unit_test(functions_of_two_arguments_are_as_exact_as_promised),
      cmocka_unit_test(inverses_undo_their_functions),
      cmocka_unit_test(bessel_functions_are_exact),
      cmocka_unit_test(parts_are_exact),
  };
  return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
