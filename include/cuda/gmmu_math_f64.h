/*
 * Double-precision functions of the device's C library; see gmmu_math_f32.h for the rules.
 *
 * Where one rounding more would cost a unit in the last place, values travel in two parts (hi +
 * lo): reduced angles, logarithms for powers and other bases, squares under an exponential.
 */
#ifndef GMMU_MATH_F64_H
#define GMMU_MATH_F64_H

#include "gmmu_math_base.h"

#define GM_HORNER(u, c) gm_horner(u, c, (int)(sizeof(c) / sizeof(double)))

GM_FN double gm_horner(double u, const double *c, int n) {
  double r = c[n - 1];
  for (int i = n - 2; i >= 0; i--) r = gm_fma(r, u, c[i]);
  return r;
}

/* 2^k for a normal result */
GM_FN double gm_pow2(int k) { return gm_from_bits((uint64_t)(k + 1023) << 52); }

/* y 2^k, rounded once: only the last factor can leave the normal numbers */
GM_FN double gm_scale(double y, int k) {
  if (k >= -1021 && k <= 1023) return gm_mul(y, gm_pow2(k));
  k = k > 3069 ? 3069 : k < -3100 ? -3100 : k;
  int a = k > 0 ? 1023 : -900, b = k - a;
  y = gm_mul(y, gm_pow2(a));
  if (b < -1022 || b > 1023) {
    y = gm_mul(y, gm_pow2(a));
    b -= a;
  }
  return b < -1022 ? gm_mul(y, 0.0) : gm_mul(y, gm_pow2(b > 1023 ? 1023 : b));
}

/* a + b exactly, as a rounded sum and what it lost */
GM_FN double gm_two_sum(double a, double b, double *lost) {
  double s = a + b, t = s - a;
  *lost = (a - (s - t)) + (b - t);
  return s;
}

/* ---- angles ---- */

/* |x| >= 2^29: 192 bits of 2/pi from the first that matters, times x, modulo 4 */
GM_SLOW double gm_reduce_big(double x, double *lo, int *quadrant) {
  static GM_CONST uint64_t two_over_pi[] = {0,
                                            0xa2f9836e4e441529,
                                            0xfc2757d1f534ddc0,
                                            0xdb6295993c439041,
                                            0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0,
                                            0x06492eea09d1921c,
                                            0xfe1deb1cb129a73e,
                                            0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41,
                                            0x3991d639835339f4,
                                            0x9c845f8bbdf9283b,
                                            0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f,
                                            0x6d367ecf27cb09b7,
                                            0x4f463f669e5fea2d,
                                            0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea,
                                            0x6bfb5fb11f8d5d08};
  uint64_t bits = gm_bits(x), m = (bits << 11) | 0x8000000000000000u, part[3];
  uint32_t at = (uint32_t)((bits >> 52) & 0x7ff) - 1024, sh = at & 63;
  const uint64_t *w = two_over_pi + (at >> 6);
  for (int i = 0; i < 3; i++) part[i] = sh ? (w[i] << sh) | (w[i + 1] >> (64 - sh)) : w[i];
  gm_u128 p =
      ((gm_u128)(m * part[0]) << 64) + (gm_u128)m * part[1] + (((gm_u128)m * part[2]) >> 64);
  gm_u128 f = p << 2;
  bool below = (uint64_t)(f >> 64) >> 63;
  int q = (int)(uint64_t)(p >> 126) + below;
  f = below ? -f : f;
  uint64_t high = (uint64_t)(f >> 64), low = (uint64_t)f;
  int up = high ? gm_clzll(high) : 63;
  high = up ? (high << up) | (low >> (64 - up)) : high;
  low = low << up;
  double a = (double)(high & ~(uint64_t)0x7ff), b = (double)((high << 53) | (low >> 11)),
         unit = gm_pow2(-64 - up);
  double r = gm_mul(a, 1.5707963267948966);
  double tail = gm_mul(gm_mul(b, 1.1102230246251565e-16), 1.5707963267948966);
  tail = gm_fma(a, 6.123233995736766e-17, gm_fma(a, 1.5707963267948966, -r)) + tail;
  double sum = r + tail;
  tail = (r - sum) + tail;
  bool negative = (bits >> 63) != (uint64_t)below;
  *quadrant = (bits >> 63) ? -q : q;
  *lo = gm_mul(negative ? -tail : tail, unit);
  return gm_mul(negative ? -sum : sum, unit);
}

/* x - quadrant pi/2 in two parts, within [-pi/4, pi/4] */
GM_FN double gm_reduce(double x, double *lo, int *quadrant) {
  if (gm_abs(x) < 536870912.0) {
    double k = gm_rint(gm_mul(x, 0.6366197723675814)), r = gm_fma(k, -1.5707963267948966, x), lost;
    double w = gm_mul(k, 6.123233995736766e-17), wl = gm_fma(k, 6.123233995736766e-17, -w);
    double s = gm_two_sum(r, -w, &lost);
    *lo = gm_fma(k, 1.4973849048591698e-33, lost - wl);
    *quadrant = (int)k;
    return s;
  }
  if (gm_abs(x) < GM_INF) return gm_reduce_big(x, lo, quadrant);
  *quadrant = 0;
  *lo = 0.0;
  return x - x;
}

GM_FN double gm_sin_poly(double r, double lo) {
  static GM_CONST double c[] = {-0.16666666666666666,    0.008333333333333321,
                                -0.0001984126984125361,  2.7557319213424815e-06,
                                -2.5052104709971222e-08, 1.605834069141163e-10,
                                -7.577401024591885e-13};
  double u = gm_mul(r, r);
  return r + gm_fma(gm_mul(r, u), GM_HORNER(u, c), gm_fma(gm_mul(u, -0.5), lo, lo));
}

GM_FN double gm_cos_poly(double r, double lo) {
  static GM_CONST double c[] = {0.041666666666666664,   -0.0013888888888888872,
                                2.4801587301569904e-05, -2.755731921468791e-07,
                                2.087675421056743e-09,  -1.1470275548006557e-11,
                                4.737307470625103e-14};
  double u = gm_mul(r, r), h = gm_mul(u, 0.5), w = 1.0 - h;
  double ul = gm_fma(r, r, -u);
  return w + (((1.0 - w) - h) +
              gm_fma(gm_mul(u, u), GM_HORNER(u, c), gm_fma(-r, lo, gm_mul(ul, -0.5))));
}

GM_FN double gm_wave(double r, double lo, int quadrant) {
  double y = (quadrant & 1) ? gm_cos_poly(r, lo) : gm_sin_poly(r, lo);
  return (quadrant & 2) ? -y : y;
}

GM_FN double gm_sin(double x) {
  int q;
  double lo, r = gm_reduce(x, &lo, &q);
  return r == 0.0 && q == 0 ? x : gm_wave(r, lo, q);
}

GM_FN double gm_cos(double x) {
  int q;
  double lo, r = gm_reduce(x, &lo, &q);
  return gm_wave(r, lo, q + 1);
}

GM_FN void gm_sincos(double x, double *s, double *c) {
  int q;
  double lo, r = gm_reduce(x, &lo, &q);
  *s = r == 0.0 && q == 0 ? x : gm_wave(r, lo, q);
  *c = gm_wave(r, lo, q + 1);
}

GM_SLOW double gm_tan(double x) {
  static GM_CONST double c[] = {
      0.33333333333333404,   0.13333333333321798,     0.053968253974783234,
      0.021869488348971382,  0.008863238720503997,    0.0035920927035386708,
      0.001456102632302105,  0.0005885843045008802,   0.00024473556887339625,
      8.107409702094225e-05, 7.16908526627581e-05,    -3.122110608408281e-05,
      5.324952844483341e-05, -2.6535486918464695e-05, 1.0297341124131018e-05};
  int q;
  double lo, r = gm_reduce(x, &lo, &q), u = gm_mul(r, r);
  if (r == 0.0 && q == 0) return x;
  double tail = gm_mul(gm_mul(r, u), GM_HORNER(u, c)), t = r + tail;
  tail = gm_fma(lo, gm_fma(t, t, 1.0), tail);
  t = r + tail;
  tail = (r - t) + tail;
  if (!(q & 1)) return t;
  double inv = -1.0 / t;
  return gm_fma(inv, gm_fma(inv, tail, gm_fma(inv, t, 1.0)), inv);
}

GM_FN double gm_reduce_pi(double x, double *lo, int *quadrant) {
  double t = x - gm_mul(gm_trunc(gm_mul(x, 0.5)), 2.0);
  double k = gm_rint(gm_mul(t, 2.0)), f = gm_fma(k, -0.5, t), r = gm_mul(f, 3.141592653589793);
  *lo = gm_fma(f, 1.2246467991473532e-16, gm_fma(f, 3.141592653589793, -r));
  *quadrant = (int)k;
  return r;
}

GM_FN double gm_sinpi(double x) {
  int q;
  double lo;
  if (!(gm_abs(x) < GM_INF)) return x - x;
  double r = gm_reduce_pi(x, &lo, &q);
  return gm_trunc(x) == x ? gm_copysign(0.0, x) : gm_wave(r, lo, q);
}

GM_FN double gm_cospi(double x) {
  int q;
  double lo;
  if (!(gm_abs(x) < GM_INF)) return x - x;
  double r = gm_reduce_pi(x, &lo, &q);
  return (q & 1) && r == 0.0 ? 0.0 : gm_wave(r, lo, q + 1);
}

/* asin(a) - a for a in [0, 0.5], from u = a a */
GM_FN double gm_asin_tail(double a, double u) {
  static GM_CONST double c[] = {0.1666666666666684,    0.07499999999948254,  0.04464285719679075,
                                0.030381941616788342,  0.02237224635361023,  0.017351039310370894,
                                0.013987777393192069,  0.011341377249975502, 0.011105561194197802,
                                0.0024688620929235556, 0.02473599276398436,  -0.025304977385027863,
                                0.03533140438942947};
  return gm_mul(gm_mul(a, u), GM_HORNER(u, c));
}

/* 2 asin(sqrt((1 - a) / 2)) for a in [0.5, 1], in two parts */
GM_FN double gm_acos_near(double a, double *lo) {
  double u = gm_fma(a, -0.5, 0.5), s = gm_sqrt(u),
         lost = s > 0.0 ? gm_fma(-s, s, u) / gm_mul(2.0, s) : 0.0;
  *lo = gm_mul(2.0, gm_asin_tail(s, u) + lost);
  return gm_mul(2.0, s);
}

GM_FN double gm_asin(double x) {
  double a = gm_abs(x), y, lo;
  if (a <= 0.5) {
    y = a + gm_asin_tail(a, gm_mul(a, a));
  } else {
    double hi = gm_acos_near(a, &lo), w = 1.5707963267948966 - hi;
    y = w + (((1.5707963267948966 - w) - hi) - (lo - 6.123233995736766e-17));
  }
  return gm_copysign(y, x);
}

GM_FN double gm_acos(double x) {
  double a = gm_abs(x), lo;
  if (a <= 0.5) {
    double t = gm_asin_tail(x, gm_mul(x, x)), w = 1.5707963267948966 - x;
    return w + (((1.5707963267948966 - w) - x) - (t - 6.123233995736766e-17));
  }
  double hi = gm_acos_near(a, &lo);
  if (!(x < 0)) return hi + lo;
  double w = 3.141592653589793 - hi;
  return w + (((3.141592653589793 - w) - hi) - (lo - 1.2246467991473532e-16));
}

/* atan(a) - a for a in [0, 1] */
GM_FN double gm_atan_tail(double a) {
  static GM_CONST double c[] = {
      -0.33333333333333093,    0.1999999999995545,     -0.1428571428280309,
      0.11111111013675325,     -0.0909090711967614,    0.07692281191532022,
      -0.06666415035565904,    0.05880592777404462,    -0.05253806535931766,
      0.047232966763387764,    -0.04221726447457386,   0.036693701026086586,
      -0.029985841943275186,   0.02208548040658897,    -0.01399529629923423,
      0.007263578069970912,    -0.0029194568209289134, 0.0008435258647496914,
      -0.00015480615650766616, 1.3490208611553963e-05};
  double u = gm_mul(a, a);
  return gm_mul(gm_mul(a, u), GM_HORNER(u, c));
}

/* whole - (hi + lo), whole in two parts and larger */
GM_FN double gm_turn(double whole, double whole_lo, double hi, double lo) {
  double w = whole - hi;
  return w + (((whole - w) - hi) - (lo - whole_lo));
}

GM_FN double gm_atan(double x) {
  double a = gm_abs(x), b = a > 1.0 ? 1.0 / a : a, t = gm_atan_tail(b);
  return gm_copysign(a > 1.0 ? gm_turn(1.5707963267948966, 6.123233995736766e-17, b, t) : b + t, x);
}

GM_SLOW double gm_atan2(double y, double x) {
  double ax = gm_abs(x), ay = gm_abs(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  if (x != x || y != y) return x + y;
  double q = big == 0.0 ? 0.0 : small == big ? 1.0 : small / big, t = gm_atan_tail(q), r = q + t;
  if (ay > ax)
    r = (gm_bits(x) >> 63) ? gm_turn(1.5707963267948966, 6.123233995736766e-17, -q, -t)
                           : gm_turn(1.5707963267948966, 6.123233995736766e-17, q, t);
  else if (gm_bits(x) >> 63)
    r = gm_turn(3.141592653589793, 1.2246467991473532e-16, q, t);
  return gm_copysign(r, y);
}

/* ---- exponentials ---- */

/* exp(r) - 1 - r for |r| <= ln 2 / 2 */
GM_FN double gm_exp_tail(double r) {
  static GM_CONST double c[] = {0.5,
                                0.16666666666666685,
                                0.04166666666666673,
                                0.008333333333315377,
                                0.0013888888888856418,
                                0.00019841269900455096,
                                2.4801587377511245e-05,
                                2.755723082136426e-06,
                                2.7557230287596014e-07,
                                2.511343683859072e-08,
                                2.092785520920851e-09};
  return gm_mul(gm_mul(r, r), GM_HORNER(r, c));
}

/* 2^k exp(r + lo) = (hi + *rest) 2^k with hi the rounded sum */
GM_FN double gm_exp_parts(double r, double lo, double *rest) {
  double t = gm_exp_tail(r), tail = gm_fma(lo, r + t, lo) + t, one = 1.0 + r;
  tail = ((1.0 - one) + r) + tail;
  double hi = one + tail;
  *rest = (one - hi) + tail;
  return hi;
}

/* x = k ln 2 + r + *lo */
GM_FN double gm_exp_reduce(double x, double *k, double *lo) {
  *k = gm_rint(gm_mul(x, 1.4426950408889634));
  double a = gm_fma(*k, -0.6931471805592082, x), b = gm_mul(*k, 7.371002565167799e-13), r = a - b;
  *lo = (a - r) - b;
  return r;
}

GM_FN double gm_clamp(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

/* exp(x + lo) 2^shift; lo is small beside x */
GM_FN double gm_exp_ext(double x, double lo, int shift) {
  double k, low, rest;
  if (x != x) return x;
  double r = gm_exp_reduce(gm_clamp(x, 2000.0), &k, &low);
  double hi = gm_exp_parts(r, low + lo, &rest);
  return gm_scale(hi, (int)k + shift);
}

GM_FN double gm_exp(double x) { return gm_exp_ext(x, 0.0, 0); }

GM_FN double gm_exp2(double x) {
  double rest;
  if (x != x) return x;
  x = gm_clamp(x, 2500.0);
  double k = gm_rint(x), f = x - k, r = gm_mul(f, 0.6931471805599453);
  double lo = gm_fma(f, 2.3190468138462996e-17, gm_fma(f, 0.6931471805599453, -r));
  return gm_scale(gm_exp_parts(r, lo, &rest), (int)k);
}

GM_FN double gm_exp10(double x) {
  double rest;
  if (x != x) return x;
  x = gm_clamp(x, 700.0);
  double k = gm_rint(gm_mul(x, 3.321928094887362)), d = gm_fma(k, -0.30102999566361177, x),
         b = gm_mul(k, 3.694239077158931e-13);
  double f = d - b, fl = (d - f) - b, r = gm_mul(f, 2.302585092994046);
  double lo = gm_fma(fl, 2.302585092994046,
                     gm_fma(f, -2.1707562233822494e-16, gm_fma(f, 2.302585092994046, -r)));
  return gm_scale(gm_exp_parts(r, lo, &rest), (int)k);
}

GM_FN double gm_expm1(double x) {
  double k, lo;
  if (x != x) return x;
  if (x > 720.0) return GM_INF;
  if (x < -50.0) return -1.0;
  double r = gm_exp_reduce(x, &k, &lo), t = gm_exp_tail(r);
  if (k == 0.0) return x == 0.0 ? x : r + t;
  double tail = gm_fma(lo, r + t, lo) + t, e = r + tail, half = gm_pow2((int)k - 1),
         base = half - 0.5;
  tail = (r - e) + tail;
  double p = gm_mul(e, half), s, lost;
  s = gm_two_sum(base, p, &lost);
  lost += (half - base) - 0.5;
  return gm_mul(2.0, s + gm_fma(tail, half, lost));
}

GM_FN double gm_sinh(double x) {
  double a = gm_abs(x), y;
  if (a < 40.0) {
    double t = gm_expm1(a);
    y = gm_mul(0.5, t + t / (t + 1.0));
  } else {
    y = gm_exp_ext(a, 0.0, -1);
  }
  return gm_copysign(y, x);
}

GM_FN double gm_cosh(double x) {
  double k, lo, rest, a = gm_abs(x);
  if (a > 40.0 || x != x) return gm_exp_ext(a, 0.0, -1);
  double r = gm_exp_reduce(a, &k, &lo), hi = gm_scale(gm_exp_parts(r, lo, &rest), (int)k - 1);
  return hi + gm_fma(rest, gm_pow2((int)k - 1), 0.25 / hi);
}

/* 1 - 2 / (exp(2a) + 1) for a in [0.5, 25], the quotient's rounding error put back */
GM_FN double gm_tanh_far(double a) {
  double k, lo, rest, lost, r = gm_exp_reduce(gm_mul(2.0, a), &k, &lo), unit = gm_pow2((int)k);
  double d = gm_two_sum(gm_mul(gm_exp_parts(r, lo, &rest), unit), 1.0, &lost);
  double t = 2.0 / d, y = 1.0 - t, left = gm_fma(-t, d, 2.0) - gm_mul(t, gm_fma(rest, unit, lost));
  return y + (((1.0 - y) - t) - left / d);
}

GM_FN double gm_tanh(double x) {
  static GM_CONST double c[] = {
      -0.3333333333333333,    0.13333333333333003,  -0.053968253967997974,  0.021869488526213777,
      -0.00886323530333672,   0.003592124742190428, -0.0014558023403397685, 0.0005898136415018971,
      -0.0002381435540567634, 9.38051203311733e-05, -3.275266837034254e-05, 7.326431654516228e-06};
  double a = gm_abs(x), y;
  if (a < 0.55) {
    double u = gm_mul(a, a);
    y = gm_fma(gm_mul(a, u), GM_HORNER(u, c), a);
  } else {
    y = a > 25.0 ? 1.0 : x != x ? x : gm_tanh_far(a);
  }
  return gm_copysign(y, x);
}

/* ---- logarithms ---- */

/* x = m 2^result with m in [sqrt(1/2), sqrt(2)); x positive and finite */
GM_FN int gm_split(double x, double *m) {
  int adjust = 0;
  if (x < 2.2250738585072014e-308) {
    x = gm_mul(x, 18014398509481984.0);
    adjust = -54;
  }
  uint64_t bits = gm_bits(x), e = bits - 0x3fe6a09e667f3bcdu;
  *m = gm_from_bits(bits - (e & 0xfff0000000000000u));
  return (int)((int64_t)e >> 52) + adjust;
}

/* log(1+f) - f: 2 atanh(s) with s = f / (2 + f), and 2 s = f - s f */
GM_FN double gm_log1p_tail(double f) {
  static GM_CONST double c[] = {0.6666666666666666,  0.4000000000000884,  0.2857142856827202,
                                0.22222222767009636, 0.18181766232189128, 0.15387495275277932,
                                0.1324117181879686,  0.13331128899984312};
  double s = f / (2.0 + f), u = gm_mul(s, s);
  return gm_mul(-s, gm_fma(-u, GM_HORNER(u, c), f));
}

GM_FN bool gm_log_plain(double x) { return x > 0.0 && x < GM_INF; }

/* what a logarithm gives at and outside the ends of (0, inf) */
GM_FN double gm_log_edge(double x) { return x == 0.0 ? -GM_INF : x < 0.0 ? GM_NAN : x + x; }

GM_FN double gm_log(double x) {
  double m;
  if (!gm_log_plain(x)) return gm_log_edge(x);
  double e = (double)gm_split(x, &m), f = m - 1.0;
  return gm_fma(e, 0.6931471805592082, f + gm_fma(e, 7.371002565167799e-13, gm_log1p_tail(f)));
}

GM_FN double gm_log1p(double x) {
  double m;
  if (x > -0.29 && x < 0.41) return x == 0.0 ? x : x + gm_log1p_tail(x);
  if (!(x > -1.0 && x < GM_INF)) return x == -1.0 ? -GM_INF : x < -1.0 ? GM_NAN : x + x;
  int e = gm_split(1.0 + x, &m);
  double s = gm_scale(1.0, -e), f = gm_fma(x, s, s - 1.0), lost = gm_fma(x, s, (s - 1.0) - f);
  return gm_fma((double)e, 0.6931471805592082,
                f + gm_fma((double)e, 7.371002565167799e-13, gm_log1p_tail(f) + lost));
}

/* log(m) for m in [sqrt(1/2), sqrt(2)) in two parts, relative error about 2^-66 */
GM_FN double gm_log_two(double m, double *lo) {
  static GM_CONST double c[] = {0.4,
                                0.2857142857142828,
                                0.22222222222319096,
                                0.18181818164860541,
                                0.15384617143395835,
                                0.1333321966305338,
                                0.11769328134044835,
                                0.1041166127129693,
                                0.11094512386364425};
  double f = m - 1.0, d = 2.0 + f, z = f / d,
         zl = (gm_fma(-z, d, f) - gm_mul(z, f - (d - 2.0))) / d;
  double u = gm_mul(z, z), ul = gm_fma(gm_mul(2.0, z), zl, gm_fma(z, z, -u));
  double v = gm_mul(z, u), vl = gm_fma(z, ul, gm_fma(zl, u, gm_fma(z, u, -v)));
  double t = gm_mul(v, 0.6666666666666666), tl = gm_fma(v, 0.6666666666666666, -t);
  tl = gm_fma(v, 3.700743415417188e-17, gm_fma(vl, 0.6666666666666666, tl));
  double rest = gm_fma(gm_mul(v, u), GM_HORNER(u, c), gm_fma(2.0, zl, tl)), head = gm_mul(2.0, z),
         lost;
  double s = gm_two_sum(head, t, &lost);
  rest += lost;
  double hi = s + rest;
  *lo = (s - hi) + rest;
  return hi;
}

/* e unit + log(m) base, each in two parts; e unit_hi is exact */
GM_FN double gm_log_base(double x, double base_hi, double base_lo, double unit_hi, double unit_lo) {
  double m, lo, lost, e = (double)gm_split(x, &m), l = gm_log_two(m, &lo), hi = gm_mul(l, base_hi);
  lo = gm_fma(lo, base_hi, gm_fma(l, base_lo, gm_fma(l, base_hi, -hi)));
  double s = gm_two_sum(gm_mul(e, unit_hi), hi, &lost);
  return s + (gm_fma(e, unit_lo, lost) + lo);
}

GM_SLOW double gm_log2(double x) {
  return gm_log_plain(x) ? gm_log_base(x, 1.4426950408889634, 2.0355273740931033e-17, 1.0, 0.0)
                         : gm_log_edge(x);
}

GM_SLOW double gm_log10(double x) {
  return gm_log_plain(x) ? gm_log_base(x, 0.4342944819032518, 1.098319650216765e-17,
                                       0.30102999566361177, 3.694239077158931e-13)
                         : gm_log_edge(x);
}

GM_FN double gm_asinh(double x) {
  double a = gm_abs(x), y;
  if (a > 1073741824.0) {
    y = gm_log(a) + 0.6931471805599453;
  } else {
    double q = gm_mul(a, a);
    y = gm_log1p(a + q / (1.0 + gm_sqrt(q + 1.0)));
  }
  return gm_copysign(y, x);
}

GM_FN double gm_acosh(double x) {
  if (x > 1073741824.0) return gm_log(x) + 0.6931471805599453;
  double t = x - 1.0;
  return gm_log1p(t + gm_sqrt(gm_fma(t, t, gm_mul(2.0, t))));
}

GM_FN double gm_atanh(double x) {
  double a = gm_abs(x);
  return gm_copysign(gm_mul(0.5, gm_log1p(gm_mul(2.0, a) / (1.0 - a))), x);
}

/* ---- powers and roots ---- */

/* x^y for positive finite x and finite y */
GM_FN double gm_pow_core(double x, double y) {
  double m, lo, lost, e = (double)gm_split(x, &m), l = gm_log_two(m, &lo);
  double s = gm_two_sum(gm_mul(e, 0.6931471805592082), l, &lost),
         p1 = gm_mul(e, 7.371002565167799e-13);
  double rest = (gm_fma(e, 7.371002565167799e-13, -p1) + lo) + lost, lost2;
  s = gm_two_sum(s, p1, &lost2);
  rest += lost2;
  double hi = s + rest, low = (s - hi) + rest, p = gm_mul(hi, y);
  double tail = gm_fma(low, y, gm_fma(hi, y, -p));
  return gm_exp_ext(p, gm_abs(p) < 1500.0 ? tail : 0.0, 0);
}

/* 0: y is no integer, 1: odd, 2: even */
GM_FN int gm_parity(double y) {
  if (gm_trunc(y) != y) return 0;
  double h = gm_mul(y, 0.5);
  return gm_trunc(h) == h ? 2 : 1;
}

GM_SLOW double gm_pow(double x, double y) {
  double a = gm_abs(x), r;
  int parity = gm_parity(y);
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return x + y;
  if (gm_abs(y) == GM_INF) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? GM_INF : 0.0;
  if (x < 0.0 && a < GM_INF && parity == 0) return GM_NAN;
  if (a == 0.0 || a == GM_INF)
    r = (a == 0.0) == (y > 0.0) ? 0.0 : GM_INF;
  else
    r = gm_pow_core(a, y);
  return (gm_bits(x) >> 63) && parity == 1 ? -r : r;
}

GM_SLOW double gm_cbrt(double x) {
  double a = gm_abs(x), back = 1.0;
  if (a == 0.0 || !(a < GM_INF)) return x + x;
  if (a < 2.2250738585072014e-308) {
    a = gm_mul(a, 18014398509481984.0);
    back = 3.814697265625e-06;
  }
  double t = gm_from_bits(gm_bits(a) / 3 + 0x2a9f7893782da1ceu);
  for (int i = 0; i < 4; i++)
    t = gm_fma(gm_fma(-t, gm_mul(t, t), a) / gm_mul(t, t), 0.3333333333333333, t);
  double s = gm_mul(t, t), e = gm_fma(-t, s, a) - gm_mul(t, gm_fma(t, t, -s));
  return gm_copysign(gm_mul(gm_fma(e / s, 0.3333333333333333, t), back), x);
}

GM_FN double gm_rcbrt(double x) {
  double c = gm_cbrt(x), r = 1.0 / c;
  if (!(gm_abs(c) < GM_INF) || c == 0.0) return r;
  double k = x, t = r, back = 1.0;
  if (gm_abs(x) < 1e-200 || gm_abs(x) > 1e200) {
    k = gm_abs(x) < 1e-200 ? gm_mul(gm_mul(x, gm_pow2(600)), gm_pow2(300))
                           : gm_mul(x, gm_pow2(-900));
    back = gm_abs(x) < 1e-200 ? gm_pow2(300) : gm_pow2(-300);
    t = gm_mul(r, gm_abs(x) < 1e-200 ? gm_pow2(-300) : gm_pow2(300));
  }
  double s = gm_mul(t, t), sl = gm_fma(t, t, -s), p = gm_mul(s, t),
         pl = gm_fma(sl, t, gm_fma(s, t, -p));
  double e = gm_fma(-k, p, 1.0) - gm_mul(k, pl);
  return gm_mul(gm_fma(gm_mul(t, 0.3333333333333333), e, t), back);
}

GM_FN double gm_rsqrt(double x) {
  double r = 1.0 / gm_sqrt(x);
  if (!(x > 0.0) || x == GM_INF) return r;
  double h = gm_mul(x, r), e = gm_fma(-h, r, 1.0) - gm_mul(gm_fma(x, r, -h), r);
  return gm_fma(gm_mul(0.5, r), e, r);
}

GM_FN int gm_near_one(double a) {
  int e = (int)((gm_bits(a) >> 52) & 0x7ff) - 1023;
  return e < -1000 ? -1000 : e;
}

/* sqrt(a a + b b + c c + d d) 2^*shift without overflow, and the square's rounding errors; infinite
 * if any is */
GM_FN double gm_norm(double a, double b, double c, double d, int *shift) {
  double v[4] = {gm_abs(a), gm_abs(b), gm_abs(c), gm_abs(d)}, big = 0.0, s = 0.0, rest = 0.0;
  *shift = 0;
  for (int i = 0; i < 4; i++) big = v[i] > big ? v[i] : big;
  if (big == GM_INF) return GM_INF;
  *shift = gm_near_one(big);
  for (int i = 3; i >= 0; i--) {
    double w = gm_scale(v[i], -*shift), q = gm_mul(w, w), lost;
    s = gm_two_sum(s, q, &lost);
    rest += gm_fma(w, w, -q) + lost;
  }
  return gm_sqrt(s + rest);
}

GM_FN double gm_norm4d(double a, double b, double c, double d) {
  int k;
  double r = gm_norm(a, b, c, d, &k);
  return gm_scale(r, k);
}

GM_FN double gm_rnorm4d(double a, double b, double c, double d) {
  int k;
  double r = gm_norm(a, b, c, d, &k);
  return gm_scale(1.0 / r, -k);
}

GM_FN double gm_hypot(double a, double b) { return gm_norm4d(a, b, 0.0, 0.0); }

GM_FN double gm_rhypot(double a, double b) { return gm_rnorm4d(a, b, 0.0, 0.0); }

/* ---- remainders and parts ---- */

/* significand and exponent of a positive finite a = m 2^e, m below 2^53 with its top bit set */
GM_FN uint64_t gm_significand(double a, int *e) {
  uint64_t bits = gm_bits(a), m = bits & 0xfffffffffffffu;
  *e = (int)(bits >> 52) - 1075;
  if (bits >> 52) return m | 0x10000000000000u;
  int up = gm_clzll(m) - 11;
  *e = -1074 - up;
  return m << up;
}

/* a mod b for positive finite a and b, and the low bits of the quotient; 11 bits a step */
GM_SLOW double gm_mod(double a, double b, uint32_t *quotient) {
  int ea, eb;
  *quotient = 0;
  if (a < b) return a;
  uint64_t m = gm_significand(a, &ea), n = gm_significand(b, &eb);
  uint32_t q = (uint32_t)(m / n);
  m %= n;
  for (int left = ea - eb; left > 0;) {
    int step = left < 11 ? left : 11;
    m <<= step;
    q = (q << step) + (uint32_t)(m / n);
    m %= n;
    left -= step;
  }
  *quotient = q;
  return gm_scale((double)m, eb);
}

GM_FN double gm_fmod(double x, double y) {
  uint32_t q;
  if (!(gm_abs(x) < GM_INF) || y != y || y == 0.0) return GM_NAN;
  return gm_abs(y) == GM_INF ? x : gm_copysign(gm_mod(gm_abs(x), gm_abs(y), &q), x);
}

GM_FN double gm_remquo(double x, double y, int *quo) {
  double a = gm_abs(x), b = gm_abs(y);
  uint32_t q = 0;
  *quo = 0;
  if (!(a < GM_INF) || y != y || b == 0.0) return GM_NAN;
  if (b == GM_INF) return x;
  double r = gm_mod(a, b, &q), rest = b - r;
  if (r > rest || (r == rest && (q & 1))) {
    r = -rest;
    q++;
  }
  *quo = (int)(q & 0x7fffffff);
  if ((gm_bits(x) ^ gm_bits(y)) >> 63) *quo = -*quo;
  return (gm_bits(x) >> 63) ? -r : r;
}

GM_FN double gm_remainder(double x, double y) {
  int q;
  return gm_remquo(x, y, &q);
}

GM_FN double gm_frexp(double x, int *e) {
  *e = 0;
  if (x == 0.0 || !(gm_abs(x) < GM_INF)) return x;
  uint64_t m = gm_significand(gm_abs(x), e);
  *e += 53;
  return gm_copysign(gm_mul((double)m, 1.1102230246251565e-16), x);
}

GM_FN int gm_ilogb(double x) {
  int e;
  if (x == 0.0 || x != x) return (-2147483647 - 1);
  if (gm_abs(x) == GM_INF) return 2147483647;
  gm_significand(gm_abs(x), &e);
  return e + 52;
}

GM_FN double gm_logb(double x) {
  if (x == 0.0) return -GM_INF;
  return gm_abs(x) < GM_INF ? (double)gm_ilogb(x) : gm_mul(x, x);
}

GM_FN double gm_modf(double x, double *whole) {
  *whole = gm_trunc(x);
  return gm_copysign(gm_abs(x) == GM_INF ? 0.0 : x - *whole, x);
}

GM_FN double gm_nextafter(double x, double y) {
  uint64_t bits = gm_bits(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0) return gm_copysign(4.9406564584124654e-324, y);
  return gm_from_bits((x < y) == (x > 0.0) ? bits + 1 : bits - 1);
}

GM_FN double gm_round(double x) {
  double t = gm_trunc(x);
  return gm_copysign(gm_abs(x - t) >= 0.5 ? t + gm_copysign(1.0, x) : t, x);
}

/* ---- error function ---- */

/* exp(x x) erfc(x) for x >= 0 */
GM_FN double gm_erfcx_pos(double x) {
  static GM_CONST double c[] = {
      1.2329951186255526,      -0.1396211168405623,     0.015379652102619299,
      0.0680970542546701,      -0.1010390660362859,     0.0937328349990682,
      -0.06633036581246254,    0.037167515526870754,    -0.016197734057123096,
      0.005031970065553377,    -0.0007577732766934564,  -0.00019925713802831644,
      0.0001506215455678271,   -2.4397768899660508e-05, -1.1221419538903733e-05,
      5.706642993726594e-06,   2.9218411106720587e-07,  -8.211370684340341e-07,
      7.7248622248505e-08,     1.0636887658111576e-07,  -2.0413354255603156e-08,
      -1.2359005111845774e-08, 3.1132901889949325e-09,  9.33287393758712e-10,
      -2.565486891713502e-10};
  double t = x < 1e150 ? (x - 4.0) / (x + 4.0) : 1.0;
  return GM_HORNER(t, c) / gm_fma(2.0, x, 1.0);
}

/* erf(x) for |x| <= 1 */
GM_FN double gm_erf_small(double x) {
  static GM_CONST double c[] = {
      0.1283791670955126,     -0.3761263890318375,     0.11283791670954885,
      -0.026866170645077868,  0.005223977624828387,    -0.0008548326981423636,
      0.00012055331132902262, -1.4925595771215512e-05, 1.646100846709585e-06,
      -1.635039615844057e-07, 1.4660328613604038e-08,  -1.1374956544150675e-09,
      5.960688736040551e-11};
  return gm_fma(x, GM_HORNER(gm_mul(x, x), c), x);
}

/* erfc(x) for x >= 0.4 */
GM_SLOW double gm_erfc_tail(double x) {
  double s = gm_mul(x, x), lo = gm_fma(x, x, -s);
  if (x > 28.0) return 0.0;
  return gm_mul(gm_exp_ext(-s, -lo, 0), gm_erfcx_pos(x));
}

GM_FN double gm_erf(double x) {
  double a = gm_abs(x);
  if (a < 1.0) return gm_erf_small(x);
  return x != x ? x : gm_copysign(1.0 - gm_erfc_tail(a), x);
}

GM_FN double gm_erfc(double x) {
  double a = gm_abs(x);
  if (a < 0.4) return 1.0 - gm_erf_small(x);
  if (x != x) return x;
  double t = gm_erfc_tail(a);
  return x < 0.0 ? 2.0 - t : t;
}

GM_FN double gm_erfcx(double x) {
  if (x >= 0.0) return gm_erfcx_pos(x);
  double s = gm_mul(x, x), lo = gm_fma(x, x, -s);
  return gm_mul(gm_exp_ext(s, s < 1000.0 ? lo : 0.0, 0), gm_erfc(x));
}

/* half of erfc(-x / sqrt 2); the quotient's rounding error moves erfc by its slope, 2 / sqrt(pi)
 * exp(-y y) */
GM_SLOW double gm_normcdf(double x) {
  if (x != x) return x;
  x = gm_clamp(x, 40.0);
  double y = gm_mul(x, -0.7071067811865476),
         lo = gm_fma(x, 4.833646656726457e-17, gm_fma(x, -0.7071067811865476, -y));
  double slope = gm_mul(1.1283791670955126, gm_exp_ext(-gm_mul(y, y), 0.0, 0));
  return gm_mul(0.5, gm_fma(-slope, lo, gm_erfc(y)));
}

/* y with erfc(y) = x for x in (0, 1]: a start from the tail's shape, then Halley's steps on erfc */
GM_SLOW double gm_erfcinv_half(double x) {
  double t = gm_sqrt(gm_mul(-2.0, gm_log(gm_mul(0.5, x))));
  double y = gm_mul(0.7071067811865476,
                    t - gm_fma(gm_fma(0.010328, t, 0.802853), t, 2.515517) /
                            gm_fma(gm_fma(gm_fma(0.001308, t, 0.189269), t, 1.432788), t, 1.0));
  for (int i = 0; i < 3; i++) {
    double s = gm_mul(y, y), lo = gm_fma(y, y, -s);
    double miss = x < 0.9 ? gm_erfc(y) - x : (1.0 - x) - gm_erf(y);
    double d = gm_mul(miss, gm_mul(0.8862269254527580, gm_exp_ext(s, lo, 0)));
    y = y + d / gm_fma(y, d, 1.0);
  }
  return y;
}

GM_FN double gm_erfcinv(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? GM_INF : x == 2.0 ? -GM_INF : GM_NAN;
  return x > 1.0 ? -gm_erfcinv_half(2.0 - x) : gm_erfcinv_half(x);
}

/* Newton's steps on erf itself near zero, where 1 - x would lose x's low bits */
GM_SLOW double gm_erfinv(double x) {
  double a = gm_abs(x);
  if (!(a < 1.0)) return a == 1.0 ? gm_copysign(GM_INF, x) : GM_NAN;
  if (a > 0.5) return gm_copysign(gm_erfcinv_half(1.0 - a), x);
  double y = gm_mul(0.886226925452758, x);
  for (int i = 0; i < 4; i++) {
    double d = gm_mul(x - gm_erf(y), gm_mul(0.886226925452758, gm_exp_ext(gm_mul(y, y), 0.0, 0)));
    y = y + d / gm_fma(-y, d, 1.0);
  }
  return x == 0.0 ? x : y;
}

GM_FN double gm_normcdfinv(double x) {
  if (!(x >= 0.0 && x <= 1.0)) return GM_NAN;
  return x < 0.25   ? gm_mul(-1.4142135623730951, gm_erfcinv(gm_mul(2.0, x)))
         : x > 0.75 ? gm_mul(1.4142135623730951, gm_erfcinv(gm_mul(2.0, 1.0 - x)))
                    : gm_mul(1.4142135623730951, gm_erfinv(gm_fma(2.0, x, -1.0)));
}

/* ---- gamma ---- */

/* log gamma(1 + w) for w in [0, 2], its two zeros apart; w is exact where 1 + w is not */
GM_FN double gm_lgamma_mid(double w) {
  static GM_CONST double low[] = {
      0.4831289505409809,     -0.14595989591430608,    0.06291140107456437,
      -0.03130848750100822,   0.016797098631275827,    -0.009425622448736253,
      0.005446457839040292,   -0.003212074065364155,   0.0019229163150298336,
      -0.0011644147668406761, 0.0007115190339681696,   -0.0004379906881019605,
      0.0002713140443732997,  -0.00016893742410547475, 0.00010535340082064378,
      -6.603971164809158e-05, 4.30335539863209e-05,    -2.752480715021558e-05,
      1.3174947130482009e-05, -7.780216494018015e-06,  1.2148878297299872e-05,
      -8.198922098997683e-06};
  static GM_CONST double high[] = {
      0.37957716063055885,     -0.07466357415449942,    0.01990515430474318,
      -0.0060187685270331175,  0.0019490574889487237,   -0.000658639706777921,
      0.00022905363739857853,  -8.130228872074729e-05,  2.9299284323392746e-05,
      -1.0682330655284271e-05, 3.930575813236708e-06,   -1.45701268682859e-06,
      5.436569074338198e-07,   -2.0384322787347108e-07, 7.573718865715327e-08,
      -2.8519563962725064e-08, 1.2967966860701182e-08,  -5.0273218428696114e-09};
  double p = w <= 1.0 ? GM_HORNER(w - 0.5, low) : GM_HORNER(w - 1.5, high);
  return gm_mul(gm_mul(w, w - 1.0), p) + 0.0; /* never -0 */
}

/* log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 8 */
GM_FN double gm_stirling(double x) {
  static GM_CONST double c[] = {
      0.08333333333333333,   -0.0027777777777776786, 0.0007936507935156448, -0.0005952380249325261,
      0.0008417328015659892, -0.0019149916905500152, 0.006209336120885377,  -0.020877744120202338};
  double r = 1.0 / x;
  return gm_mul(r, GM_HORNER(gm_mul(r, r), c));
}

GM_SLOW double gm_lgamma_pos(double x) {
  if (x < 1.0) return x < 1e-17 ? -gm_log(x) : gm_lgamma_mid(x) - gm_log(x);
  if (x <= 3.0) return gm_lgamma_mid(x - 1.0);
  if (x < 8.0) {
    double p = 1.0;
    while (x > 3.0) {
      x -= 1.0;
      p = gm_mul(p, x);
    }
    return gm_log(p) + gm_lgamma_mid(x - 1.0);
  }
  double l = gm_log(x);
  if (x > 1e17) return gm_mul(x, l - 1.0);
  return gm_fma(x - 0.5, l - 1.0, 0.4189385332046728 + gm_stirling(x));
}

GM_FN double gm_lgamma(double x) {
  if (x != x || gm_abs(x) == GM_INF) return gm_mul(x, x);
  if (x > 0.0) return gm_lgamma_pos(x);
  if (gm_trunc(x) == x) return GM_INF;
  double s = gm_abs(gm_sinpi(x));
  if (x > -1e-17) return -gm_log(-x);
  return gm_log(3.141592653589793 / gm_mul(s, -x)) - gm_lgamma_pos(-x);
}

/* gamma(x) for positive x: Stirling's series from 12 on, below by the recurrence; low is what x
 * lost on its way up, which moves log gamma by its derivative, about log x - 1/(2x), and each
 * factor by drift */
GM_FN double gm_tgamma_pos(double x) {
  double below = 1.0, low = 0.0, drift = 0.0, w, lost;
  while (x < 12.0) {
    below = gm_mul(below, x);
    drift += low / x;
    x = gm_two_sum(x, 1.0, &lost);
    low += lost;
  }
  if (x > 172.0) return GM_INF;
  double m, lo, e = (double)gm_split(x, &m), l = gm_log_two(m, &lo), h = x - 0.5;
  double s = gm_two_sum(gm_mul(e, 0.6931471805592082), l, &lost);
  lo = gm_fma(e, 7.371002565167799e-13, lost + lo);
  w = gm_mul(h, s);
  lo = gm_fma(h, lo, gm_fma(h, s, -w));
  double t = gm_two_sum(w, -x, &lost);
  lo += lost;
  t = gm_two_sum(t, gm_stirling(x), &lost);
  lo += gm_fma(low, s - 0.5 / x, lost - drift);
  return gm_mul(2.5066282746310002, gm_exp_ext(t, lo, -8)) / gm_mul(below, 0.00390625);
}

GM_SLOW double gm_tgamma(double x) {
  if (x != x || x == GM_INF) return x;
  if (x == 0.0) return 1.0 / x;
  if (x > 0.0) return gm_tgamma_pos(x);
  if (gm_trunc(x) == x) return GM_NAN;
  if (x > -1e-17) return 1.0 / x;
  double s = gm_mul(gm_sinpi(-x), -x);
  if (x < -185.0) return gm_copysign(0.0, -s);
  if (x > -170.0) return -3.141592653589793 / gm_mul(s, gm_tgamma_pos(-x));
  double r = -3.141592653589793 / gm_mul(s, gm_tgamma_pos(-x - 20.0));
  for (int i = 1; i <= 20; i++) r = r / (-x - (double)i);
  return r;
}

#endif
