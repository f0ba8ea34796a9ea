/*
 * Double-precision functions of the device's C library; see gmmu_math_f32.h for the rules.
 *
 * Where one rounding more would cost a unit in the last place, values travel in two parts (hi +
 * lo): reduced angles, logarithms for powers and other bases, squares under an exponential.
 */
#ifndef GMMU_MATH_F64_H
#define GMMU_MATH_F64_H

#include "gmmu_math_base.h"

#define GM_HORNER(__u, __c) gm_horner(__u, __c, (int)(sizeof(__c) / sizeof(double)))

GM_FN double gm_horner(double __u, const double *__c, int __n) {
  double __r = __c[__n - 1];
  for (int __i = __n - 2; __i >= 0; __i--) __r = gm_fma(__r, __u, __c[__i]);
  return __r;
}

/* 2^k for a normal result */
GM_FN double gm_pow2(int __k) { return gm_from_bits((uint64_t)(__k + 1023) << 52); }

/* y 2^k, rounded once: only the last factor can leave the normal numbers */
GM_FN double gm_scale(double y, int __k) {
  if (__k >= -1021 && __k <= 1023) return gm_mul(y, gm_pow2(__k));
  __k = __k > 3069 ? 3069 : __k < -3100 ? -3100 : __k;
  int __a = __k > 0 ? 1023 : -900, __b = __k - __a;
  y = gm_mul(y, gm_pow2(__a));
  if (__b < -1022 || __b > 1023) {
    y = gm_mul(y, gm_pow2(__a));
    __b -= __a;
  }
  return __b < -1022 ? gm_mul(y, 0.0) : gm_mul(y, gm_pow2(__b > 1023 ? 1023 : __b));
}

/* a + b exactly, as a rounded sum and what it lost */
GM_FN double gm_two_sum(double __a, double __b, double *__lost) {
  double __s = __a + __b, __t = __s - __a;
  *__lost = (__a - (__s - __t)) + (__b - __t);
  return __s;
}

/* ---- angles ---- */

/* |x| >= 2^29: 192 bits of 2/pi from the first that matters, times x, modulo 4 */
GM_SLOW double gm_reduce_big(double x, double *__lo, int *__quadrant) {
  static GM_CONST uint64_t __two_over_pi[] = {0,
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
  uint64_t __bits = gm_bits(x), __m = (__bits << 11) | 0x8000000000000000u, __part[3];
  uint32_t __at = (uint32_t)((__bits >> 52) & 0x7ff) - 1024, __sh = __at & 63;
  const uint64_t *w = __two_over_pi + (__at >> 6);
  for (int __i = 0; __i < 3; __i++)
    __part[__i] = __sh ? (w[__i] << __sh) | (w[__i + 1] >> (64 - __sh)) : w[__i];
  gm_u128 __p = ((gm_u128)(__m * __part[0]) << 64) + (gm_u128)__m * __part[1] +
                (((gm_u128)__m * __part[2]) >> 64);
  gm_u128 f = __p << 2;
  bool __below = (uint64_t)(f >> 64) >> 63;
  int __q = (int)(uint64_t)(__p >> 126) + __below;
  f = __below ? -f : f;
  uint64_t __high = (uint64_t)(f >> 64), __low = (uint64_t)f;
  int __up = __high ? gm_clzll(__high) : 63;
  __high = __up ? (__high << __up) | (__low >> (64 - __up)) : __high;
  __low = __low << __up;
  double __a = (double)(__high & ~(uint64_t)0x7ff), __b = (double)((__high << 53) | (__low >> 11)),
         __unit = gm_pow2(-64 - __up);
  double __r = gm_mul(__a, 1.5707963267948966);
  double __tail = gm_mul(gm_mul(__b, 1.1102230246251565e-16), 1.5707963267948966);
  __tail = gm_fma(__a, 6.123233995736766e-17, gm_fma(__a, 1.5707963267948966, -__r)) + __tail;
  double __sum = __r + __tail;
  __tail = (__r - __sum) + __tail;
  bool __negative = (__bits >> 63) != (uint64_t)__below;
  *__quadrant = (__bits >> 63) ? -__q : __q;
  *__lo = gm_mul(__negative ? -__tail : __tail, __unit);
  return gm_mul(__negative ? -__sum : __sum, __unit);
}

/* x - quadrant pi/2 in two parts, within [-pi/4, pi/4] */
GM_FN double gm_reduce(double x, double *__lo, int *__quadrant) {
  if (gm_abs(x) < 536870912.0) {
    double __k = gm_rint(gm_mul(x, 0.6366197723675814)), __r = gm_fma(__k, -1.5707963267948966, x),
           __lost;
    double w = gm_mul(__k, 6.123233995736766e-17), __wl = gm_fma(__k, 6.123233995736766e-17, -w);
    double __s = gm_two_sum(__r, -w, &__lost);
    *__lo = gm_fma(__k, 1.4973849048591698e-33, __lost - __wl);
    *__quadrant = (int)__k;
    return __s;
  }
  if (gm_abs(x) < GM_INF) return gm_reduce_big(x, __lo, __quadrant);
  *__quadrant = 0;
  *__lo = 0.0;
  return x - x;
}

GM_FN double gm_sin_poly(double __r, double __lo) {
  static GM_CONST double __c[] = {-0.16666666666666666,    0.008333333333333321,
                                  -0.0001984126984125361,  2.7557319213424815e-06,
                                  -2.5052104709971222e-08, 1.605834069141163e-10,
                                  -7.577401024591885e-13};
  double __u = gm_mul(__r, __r);
  return __r + gm_fma(gm_mul(__r, __u), GM_HORNER(__u, __c), gm_fma(gm_mul(__u, -0.5), __lo, __lo));
}

GM_FN double gm_cos_poly(double __r, double __lo) {
  static GM_CONST double __c[] = {0.041666666666666664,   -0.0013888888888888872,
                                  2.4801587301569904e-05, -2.755731921468791e-07,
                                  2.087675421056743e-09,  -1.1470275548006557e-11,
                                  4.737307470625103e-14};
  double __u = gm_mul(__r, __r), __h = gm_mul(__u, 0.5), w = 1.0 - __h;
  double __ul = gm_fma(__r, __r, -__u);
  return w + (((1.0 - w) - __h) + gm_fma(gm_mul(__u, __u), GM_HORNER(__u, __c),
                                         gm_fma(-__r, __lo, gm_mul(__ul, -0.5))));
}

GM_FN double gm_wave(double __r, double __lo, int __quadrant) {
  double y = (__quadrant & 1) ? gm_cos_poly(__r, __lo) : gm_sin_poly(__r, __lo);
  return (__quadrant & 2) ? -y : y;
}

GM_FN double gm_sin(double x) {
  int __q;
  double __lo, __r = gm_reduce(x, &__lo, &__q);
  return __r == 0.0 && __q == 0 ? x : gm_wave(__r, __lo, __q);
}

GM_FN double gm_cos(double x) {
  int __q;
  double __lo, __r = gm_reduce(x, &__lo, &__q);
  return gm_wave(__r, __lo, __q + 1);
}

GM_FN void gm_sincos(double x, double *__s, double *__c) {
  int __q;
  double __lo, __r = gm_reduce(x, &__lo, &__q);
  *__s = __r == 0.0 && __q == 0 ? x : gm_wave(__r, __lo, __q);
  *__c = gm_wave(__r, __lo, __q + 1);
}

GM_SLOW double gm_tan(double x) {
  static GM_CONST double __c[] = {
      0.33333333333333404,   0.13333333333321798,     0.053968253974783234,
      0.021869488348971382,  0.008863238720503997,    0.0035920927035386708,
      0.001456102632302105,  0.0005885843045008802,   0.00024473556887339625,
      8.107409702094225e-05, 7.16908526627581e-05,    -3.122110608408281e-05,
      5.324952844483341e-05, -2.6535486918464695e-05, 1.0297341124131018e-05};
  int __q;
  double __lo, __r = gm_reduce(x, &__lo, &__q), __u = gm_mul(__r, __r);
  if (__r == 0.0 && __q == 0) return x;
  double __tail = gm_mul(gm_mul(__r, __u), GM_HORNER(__u, __c)), __t = __r + __tail;
  __tail = gm_fma(__lo, gm_fma(__t, __t, 1.0), __tail);
  __t = __r + __tail;
  __tail = (__r - __t) + __tail;
  if (!(__q & 1)) return __t;
  double __inv = -1.0 / __t;
  return gm_fma(__inv, gm_fma(__inv, __tail, gm_fma(__inv, __t, 1.0)), __inv);
}

GM_FN double gm_reduce_pi(double x, double *__lo, int *__quadrant) {
  double __t = x - gm_mul(gm_trunc(gm_mul(x, 0.5)), 2.0);
  double __k = gm_rint(gm_mul(__t, 2.0)), f = gm_fma(__k, -0.5, __t),
         __r = gm_mul(f, 3.141592653589793);
  *__lo = gm_fma(f, 1.2246467991473532e-16, gm_fma(f, 3.141592653589793, -__r));
  *__quadrant = (int)__k;
  return __r;
}

GM_FN double gm_sinpi(double x) {
  int __q;
  double __lo;
  if (!(gm_abs(x) < GM_INF)) return x - x;
  double __r = gm_reduce_pi(x, &__lo, &__q);
  return gm_trunc(x) == x ? gm_copysign(0.0, x) : gm_wave(__r, __lo, __q);
}

GM_FN double gm_cospi(double x) {
  int __q;
  double __lo;
  if (!(gm_abs(x) < GM_INF)) return x - x;
  double __r = gm_reduce_pi(x, &__lo, &__q);
  return (__q & 1) && __r == 0.0 ? 0.0 : gm_wave(__r, __lo, __q + 1);
}

/* asin(a) - a for a in [0, 0.5], from u = a a */
GM_FN double gm_asin_tail(double __a, double __u) {
  static GM_CONST double __c[] = {
      0.1666666666666684,   0.07499999999948254,   0.04464285719679075,  0.030381941616788342,
      0.02237224635361023,  0.017351039310370894,  0.013987777393192069, 0.011341377249975502,
      0.011105561194197802, 0.0024688620929235556, 0.02473599276398436,  -0.025304977385027863,
      0.03533140438942947};
  return gm_mul(gm_mul(__a, __u), GM_HORNER(__u, __c));
}

/* 2 asin(sqrt((1 - a) / 2)) for a in [0.5, 1], in two parts */
GM_FN double gm_acos_near(double __a, double *__lo) {
  double __u = gm_fma(__a, -0.5, 0.5), __s = gm_sqrt(__u),
         __lost = __s > 0.0 ? gm_fma(-__s, __s, __u) / gm_mul(2.0, __s) : 0.0;
  *__lo = gm_mul(2.0, gm_asin_tail(__s, __u) + __lost);
  return gm_mul(2.0, __s);
}

GM_FN double gm_asin(double x) {
  double __a = gm_abs(x), y, __lo;
  if (__a <= 0.5) {
    y = __a + gm_asin_tail(__a, gm_mul(__a, __a));
  } else {
    double __hi = gm_acos_near(__a, &__lo), w = 1.5707963267948966 - __hi;
    y = w + (((1.5707963267948966 - w) - __hi) - (__lo - 6.123233995736766e-17));
  }
  return gm_copysign(y, x);
}

GM_FN double gm_acos(double x) {
  double __a = gm_abs(x), __lo;
  if (__a <= 0.5) {
    double __t = gm_asin_tail(x, gm_mul(x, x)), w = 1.5707963267948966 - x;
    return w + (((1.5707963267948966 - w) - x) - (__t - 6.123233995736766e-17));
  }
  double __hi = gm_acos_near(__a, &__lo);
  if (!(x < 0)) return __hi + __lo;
  double w = 3.141592653589793 - __hi;
  return w + (((3.141592653589793 - w) - __hi) - (__lo - 1.2246467991473532e-16));
}

/* atan(a) - a for a in [0, 1] */
GM_FN double gm_atan_tail(double __a) {
  static GM_CONST double __c[] = {
      -0.33333333333333093,    0.1999999999995545,     -0.1428571428280309,
      0.11111111013675325,     -0.0909090711967614,    0.07692281191532022,
      -0.06666415035565904,    0.05880592777404462,    -0.05253806535931766,
      0.047232966763387764,    -0.04221726447457386,   0.036693701026086586,
      -0.029985841943275186,   0.02208548040658897,    -0.01399529629923423,
      0.007263578069970912,    -0.0029194568209289134, 0.0008435258647496914,
      -0.00015480615650766616, 1.3490208611553963e-05};
  double __u = gm_mul(__a, __a);
  return gm_mul(gm_mul(__a, __u), GM_HORNER(__u, __c));
}

/* whole - (hi + lo), whole in two parts and larger */
GM_FN double gm_turn(double __whole, double __whole_lo, double __hi, double __lo) {
  double w = __whole - __hi;
  return w + (((__whole - w) - __hi) - (__lo - __whole_lo));
}

GM_FN double gm_atan(double x) {
  double __a = gm_abs(x), __b = __a > 1.0 ? 1.0 / __a : __a, __t = gm_atan_tail(__b);
  return gm_copysign(
      __a > 1.0 ? gm_turn(1.5707963267948966, 6.123233995736766e-17, __b, __t) : __b + __t, x);
}

GM_SLOW double gm_atan2(double y, double x) {
  double __ax = gm_abs(x), __ay = gm_abs(y), __big = __ax > __ay ? __ax : __ay,
         __small = __ax > __ay ? __ay : __ax;
  if (x != x || y != y) return x + y;
  double __q = __big == 0.0       ? 0.0
               : __small == __big ? 1.0
                                  : __small / __big,
         __t = gm_atan_tail(__q), __r = __q + __t;
  if (__ay > __ax)
    __r = (gm_bits(x) >> 63) ? gm_turn(1.5707963267948966, 6.123233995736766e-17, -__q, -__t)
                             : gm_turn(1.5707963267948966, 6.123233995736766e-17, __q, __t);
  else if (gm_bits(x) >> 63)
    __r = gm_turn(3.141592653589793, 1.2246467991473532e-16, __q, __t);
  return gm_copysign(__r, y);
}

/* ---- exponentials ---- */

/* exp(r) - 1 - r for |r| <= ln 2 / 2 */
GM_FN double gm_exp_tail(double __r) {
  static GM_CONST double __c[] = {0.5,
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
  return gm_mul(gm_mul(__r, __r), GM_HORNER(__r, __c));
}

/* 2^k exp(r + lo) = (hi + *rest) 2^k with hi the rounded sum */
GM_FN double gm_exp_parts(double __r, double __lo, double *__rest) {
  double __t = gm_exp_tail(__r), __tail = gm_fma(__lo, __r + __t, __lo) + __t, __one = 1.0 + __r;
  __tail = ((1.0 - __one) + __r) + __tail;
  double __hi = __one + __tail;
  *__rest = (__one - __hi) + __tail;
  return __hi;
}

/* x = k ln 2 + r + *lo */
GM_FN double gm_exp_reduce(double x, double *__k, double *__lo) {
  *__k = gm_rint(gm_mul(x, 1.4426950408889634));
  double __a = gm_fma(*__k, -0.6931471805592082, x), __b = gm_mul(*__k, 7.371002565167799e-13),
         __r = __a - __b;
  *__lo = (__a - __r) - __b;
  return __r;
}

GM_FN double gm_clamp(double x, double __limit) {
  return x > __limit ? __limit : x < -__limit ? -__limit : x;
}

/* exp(x + lo) 2^shift; lo is small beside x */
GM_FN double gm_exp_ext(double x, double __lo, int __shift) {
  double __k, __low, __rest;
  if (x != x) return x;
  double __r = gm_exp_reduce(gm_clamp(x, 2000.0), &__k, &__low);
  double __hi = gm_exp_parts(__r, __low + __lo, &__rest);
  return gm_scale(__hi, (int)__k + __shift);
}

GM_FN double gm_exp(double x) { return gm_exp_ext(x, 0.0, 0); }

GM_FN double gm_exp2(double x) {
  double __rest;
  if (x != x) return x;
  x = gm_clamp(x, 2500.0);
  double __k = gm_rint(x), f = x - __k, __r = gm_mul(f, 0.6931471805599453);
  double __lo = gm_fma(f, 2.3190468138462996e-17, gm_fma(f, 0.6931471805599453, -__r));
  return gm_scale(gm_exp_parts(__r, __lo, &__rest), (int)__k);
}

GM_FN double gm_exp10(double x) {
  double __rest;
  if (x != x) return x;
  x = gm_clamp(x, 700.0);
  double __k = gm_rint(gm_mul(x, 3.321928094887362)), __d = gm_fma(__k, -0.30102999566361177, x),
         __b = gm_mul(__k, 3.694239077158931e-13);
  double f = __d - __b, __fl = (__d - f) - __b, __r = gm_mul(f, 2.302585092994046);
  double __lo = gm_fma(__fl, 2.302585092994046,
                       gm_fma(f, -2.1707562233822494e-16, gm_fma(f, 2.302585092994046, -__r)));
  return gm_scale(gm_exp_parts(__r, __lo, &__rest), (int)__k);
}

GM_FN double gm_expm1(double x) {
  double __k, __lo;
  if (x != x) return x;
  if (x > 720.0) return GM_INF;
  if (x < -50.0) return -1.0;
  double __r = gm_exp_reduce(x, &__k, &__lo), __t = gm_exp_tail(__r);
  if (__k == 0.0) return x == 0.0 ? x : __r + __t;
  double __tail = gm_fma(__lo, __r + __t, __lo) + __t, __e = __r + __tail,
         half = gm_pow2((int)__k - 1), __base = half - 0.5;
  __tail = (__r - __e) + __tail;
  double __p = gm_mul(__e, half), __s, __lost;
  __s = gm_two_sum(__base, __p, &__lost);
  __lost += (half - __base) - 0.5;
  return gm_mul(2.0, __s + gm_fma(__tail, half, __lost));
}

GM_FN double gm_sinh(double x) {
  double __a = gm_abs(x), y;
  if (__a < 40.0) {
    double __t = gm_expm1(__a);
    y = gm_mul(0.5, __t + __t / (__t + 1.0));
  } else {
    y = gm_exp_ext(__a, 0.0, -1);
  }
  return gm_copysign(y, x);
}

GM_FN double gm_cosh(double x) {
  double __k, __lo, __rest, __a = gm_abs(x);
  if (__a > 40.0 || x != x) return gm_exp_ext(__a, 0.0, -1);
  double __r = gm_exp_reduce(__a, &__k, &__lo),
         __hi = gm_scale(gm_exp_parts(__r, __lo, &__rest), (int)__k - 1);
  return __hi + gm_fma(__rest, gm_pow2((int)__k - 1), 0.25 / __hi);
}

/* 1 - 2 / (exp(2a) + 1) for a in [0.5, 25], the quotient's rounding error put back */
GM_FN double gm_tanh_far(double __a) {
  double __k, __lo, __rest, __lost, __r = gm_exp_reduce(gm_mul(2.0, __a), &__k, &__lo),
                                    __unit = gm_pow2((int)__k);
  double __d = gm_two_sum(gm_mul(gm_exp_parts(__r, __lo, &__rest), __unit), 1.0, &__lost);
  double __t = 2.0 / __d, y = 1.0 - __t,
         __left = gm_fma(-__t, __d, 2.0) - gm_mul(__t, gm_fma(__rest, __unit, __lost));
  return y + (((1.0 - y) - __t) - __left / __d);
}

GM_FN double gm_tanh(double x) {
  static GM_CONST double __c[] = {
      -0.3333333333333333,    0.13333333333333003,  -0.053968253967997974,  0.021869488526213777,
      -0.00886323530333672,   0.003592124742190428, -0.0014558023403397685, 0.0005898136415018971,
      -0.0002381435540567634, 9.38051203311733e-05, -3.275266837034254e-05, 7.326431654516228e-06};
  double __a = gm_abs(x), y;
  if (__a < 0.55) {
    double __u = gm_mul(__a, __a);
    y = gm_fma(gm_mul(__a, __u), GM_HORNER(__u, __c), __a);
  } else {
    y = __a > 25.0 ? 1.0 : x != x ? x : gm_tanh_far(__a);
  }
  return gm_copysign(y, x);
}

/* ---- logarithms ---- */

/* x = m 2^result with m in [sqrt(1/2), sqrt(2)); x positive and finite */
GM_FN int gm_split(double x, double *__m) {
  int __adjust = 0;
  if (x < 2.2250738585072014e-308) {
    x = gm_mul(x, 18014398509481984.0);
    __adjust = -54;
  }
  uint64_t __bits = gm_bits(x), __e = __bits - 0x3fe6a09e667f3bcdu;
  *__m = gm_from_bits(__bits - (__e & 0xfff0000000000000u));
  return (int)((int64_t)__e >> 52) + __adjust;
}

/* log(1+f) - f: 2 atanh(s) with s = f / (2 + f), and 2 s = f - s f */
GM_FN double gm_log1p_tail(double f) {
  static GM_CONST double __c[] = {0.6666666666666666,  0.4000000000000884,  0.2857142856827202,
                                  0.22222222767009636, 0.18181766232189128, 0.15387495275277932,
                                  0.1324117181879686,  0.13331128899984312};
  double __s = f / (2.0 + f), __u = gm_mul(__s, __s);
  return gm_mul(-__s, gm_fma(-__u, GM_HORNER(__u, __c), f));
}

GM_FN bool gm_log_plain(double x) { return x > 0.0 && x < GM_INF; }

/* what a logarithm gives at and outside the ends of (0, inf) */
GM_FN double gm_log_edge(double x) { return x == 0.0 ? -GM_INF : x < 0.0 ? GM_NAN : x + x; }

GM_FN double gm_log(double x) {
  double __m;
  if (!gm_log_plain(x)) return gm_log_edge(x);
  double __e = (double)gm_split(x, &__m), f = __m - 1.0;
  return gm_fma(__e, 0.6931471805592082, f + gm_fma(__e, 7.371002565167799e-13, gm_log1p_tail(f)));
}

GM_FN double gm_log1p(double x) {
  double __m;
  if (x > -0.29 && x < 0.41) return x == 0.0 ? x : x + gm_log1p_tail(x);
  if (!(x > -1.0 && x < GM_INF)) return x == -1.0 ? -GM_INF : x < -1.0 ? GM_NAN : x + x;
  int __e = gm_split(1.0 + x, &__m);
  double __s = gm_scale(1.0, -__e), f = gm_fma(x, __s, __s - 1.0),
         __lost = gm_fma(x, __s, (__s - 1.0) - f);
  return gm_fma((double)__e, 0.6931471805592082,
                f + gm_fma((double)__e, 7.371002565167799e-13, gm_log1p_tail(f) + __lost));
}

/* log(m) for m in [sqrt(1/2), sqrt(2)) in two parts, relative error about 2^-66 */
GM_FN double gm_log_two(double __m, double *__lo) {
  static GM_CONST double __c[] = {0.4,
                                  0.2857142857142828,
                                  0.22222222222319096,
                                  0.18181818164860541,
                                  0.15384617143395835,
                                  0.1333321966305338,
                                  0.11769328134044835,
                                  0.1041166127129693,
                                  0.11094512386364425};
  double f = __m - 1.0, __d = 2.0 + f, z = f / __d,
         __zl = (gm_fma(-z, __d, f) - gm_mul(z, f - (__d - 2.0))) / __d;
  double __u = gm_mul(z, z), __ul = gm_fma(gm_mul(2.0, z), __zl, gm_fma(z, z, -__u));
  double __v = gm_mul(z, __u), __vl = gm_fma(z, __ul, gm_fma(__zl, __u, gm_fma(z, __u, -__v)));
  double __t = gm_mul(__v, 0.6666666666666666), __tl = gm_fma(__v, 0.6666666666666666, -__t);
  __tl = gm_fma(__v, 3.700743415417188e-17, gm_fma(__vl, 0.6666666666666666, __tl));
  double __rest = gm_fma(gm_mul(__v, __u), GM_HORNER(__u, __c), gm_fma(2.0, __zl, __tl)),
         __head = gm_mul(2.0, z), __lost;
  double __s = gm_two_sum(__head, __t, &__lost);
  __rest += __lost;
  double __hi = __s + __rest;
  *__lo = (__s - __hi) + __rest;
  return __hi;
}

/* e unit + log(m) base, each in two parts; e unit_hi is exact */
GM_FN double gm_log_base(double x, double __base_hi, double __base_lo, double __unit_hi,
                         double __unit_lo) {
  double __m, __lo, __lost, __e = (double)gm_split(x, &__m), __l = gm_log_two(__m, &__lo),
                            __hi = gm_mul(__l, __base_hi);
  __lo = gm_fma(__lo, __base_hi, gm_fma(__l, __base_lo, gm_fma(__l, __base_hi, -__hi)));
  double __s = gm_two_sum(gm_mul(__e, __unit_hi), __hi, &__lost);
  return __s + (gm_fma(__e, __unit_lo, __lost) + __lo);
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
  double __a = gm_abs(x), y;
  if (__a > 1073741824.0) {
    y = gm_log(__a) + 0.6931471805599453;
  } else {
    double __q = gm_mul(__a, __a);
    y = gm_log1p(__a + __q / (1.0 + gm_sqrt(__q + 1.0)));
  }
  return gm_copysign(y, x);
}

GM_FN double gm_acosh(double x) {
  if (x > 1073741824.0) return gm_log(x) + 0.6931471805599453;
  double __t = x - 1.0;
  return gm_log1p(__t + gm_sqrt(gm_fma(__t, __t, gm_mul(2.0, __t))));
}

GM_FN double gm_atanh(double x) {
  double __a = gm_abs(x);
  return gm_copysign(gm_mul(0.5, gm_log1p(gm_mul(2.0, __a) / (1.0 - __a))), x);
}

/* ---- powers and roots ---- */

/* x^y for positive finite x and finite y */
GM_FN double gm_pow_core(double x, double y) {
  double __m, __lo, __lost, __e = (double)gm_split(x, &__m), __l = gm_log_two(__m, &__lo);
  double __s = gm_two_sum(gm_mul(__e, 0.6931471805592082), __l, &__lost),
         __p1 = gm_mul(__e, 7.371002565167799e-13);
  double __rest = (gm_fma(__e, 7.371002565167799e-13, -__p1) + __lo) + __lost, __lost2;
  __s = gm_two_sum(__s, __p1, &__lost2);
  __rest += __lost2;
  double __hi = __s + __rest, __low = (__s - __hi) + __rest, __p = gm_mul(__hi, y);
  double __tail = gm_fma(__low, y, gm_fma(__hi, y, -__p));
  return gm_exp_ext(__p, gm_abs(__p) < 1500.0 ? __tail : 0.0, 0);
}

/* 0: y is no integer, 1: odd, 2: even */
GM_FN int gm_parity(double y) {
  if (gm_trunc(y) != y) return 0;
  double __h = gm_mul(y, 0.5);
  return gm_trunc(__h) == __h ? 2 : 1;
}

GM_SLOW double gm_pow(double x, double y) {
  double __a = gm_abs(x), __r;
  int __parity = gm_parity(y);
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return x + y;
  if (gm_abs(y) == GM_INF) return __a == 1.0 ? 1.0 : (__a > 1.0) == (y > 0.0) ? GM_INF : 0.0;
  if (x < 0.0 && __a < GM_INF && __parity == 0) return GM_NAN;
  if (__a == 0.0 || __a == GM_INF)
    __r = (__a == 0.0) == (y > 0.0) ? 0.0 : GM_INF;
  else
    __r = gm_pow_core(__a, y);
  return (gm_bits(x) >> 63) && __parity == 1 ? -__r : __r;
}

GM_SLOW double gm_cbrt(double x) {
  double __a = gm_abs(x), __back = 1.0;
  if (__a == 0.0 || !(__a < GM_INF)) return x + x;
  if (__a < 2.2250738585072014e-308) {
    __a = gm_mul(__a, 18014398509481984.0);
    __back = 3.814697265625e-06;
  }
  double __t = gm_from_bits(gm_bits(__a) / 3 + 0x2a9f7893782da1ceu);
  for (int __i = 0; __i < 4; __i++)
    __t = gm_fma(gm_fma(-__t, gm_mul(__t, __t), __a) / gm_mul(__t, __t), 0.3333333333333333, __t);
  double __s = gm_mul(__t, __t), __e = gm_fma(-__t, __s, __a) - gm_mul(__t, gm_fma(__t, __t, -__s));
  return gm_copysign(gm_mul(gm_fma(__e / __s, 0.3333333333333333, __t), __back), x);
}

GM_FN double gm_rcbrt(double x) {
  double __c = gm_cbrt(x), __r = 1.0 / __c;
  if (!(gm_abs(__c) < GM_INF) || __c == 0.0) return __r;
  double __k = x, __t = __r, __back = 1.0;
  if (gm_abs(x) < 1e-200 || gm_abs(x) > 1e200) {
    __k = gm_abs(x) < 1e-200 ? gm_mul(gm_mul(x, gm_pow2(600)), gm_pow2(300))
                             : gm_mul(x, gm_pow2(-900));
    __back = gm_abs(x) < 1e-200 ? gm_pow2(300) : gm_pow2(-300);
    __t = gm_mul(__r, gm_abs(x) < 1e-200 ? gm_pow2(-300) : gm_pow2(300));
  }
  double __s = gm_mul(__t, __t), __sl = gm_fma(__t, __t, -__s), __p = gm_mul(__s, __t),
         __pl = gm_fma(__sl, __t, gm_fma(__s, __t, -__p));
  double __e = gm_fma(-__k, __p, 1.0) - gm_mul(__k, __pl);
  return gm_mul(gm_fma(gm_mul(__t, 0.3333333333333333), __e, __t), __back);
}

GM_FN double gm_rsqrt(double x) {
  double __r = 1.0 / gm_sqrt(x);
  if (!(x > 0.0) || x == GM_INF) return __r;
  double __h = gm_mul(x, __r), __e = gm_fma(-__h, __r, 1.0) - gm_mul(gm_fma(x, __r, -__h), __r);
  return gm_fma(gm_mul(0.5, __r), __e, __r);
}

GM_FN int gm_near_one(double __a) {
  int __e = (int)((gm_bits(__a) >> 52) & 0x7ff) - 1023;
  return __e < -1000 ? -1000 : __e;
}

/* sqrt(a a + b b + c c + d d) 2^*shift without overflow, and the square's rounding errors; infinite
 * if any is */
GM_FN double gm_norm(double __a, double __b, double __c, double __d, int *__shift) {
  double __v[4] = {gm_abs(__a), gm_abs(__b), gm_abs(__c), gm_abs(__d)}, __big = 0.0, __s = 0.0,
         __rest = 0.0;
  *__shift = 0;
  for (int __i = 0; __i < 4; __i++) __big = __v[__i] > __big ? __v[__i] : __big;
  if (__big == GM_INF) return GM_INF;
  *__shift = gm_near_one(__big);
  for (int __i = 3; __i >= 0; __i--) {
    double w = gm_scale(__v[__i], -*__shift), __q = gm_mul(w, w), __lost;
    __s = gm_two_sum(__s, __q, &__lost);
    __rest += gm_fma(w, w, -__q) + __lost;
  }
  return gm_sqrt(__s + __rest);
}

GM_FN double gm_norm4d(double __a, double __b, double __c, double __d) {
  int __k;
  double __r = gm_norm(__a, __b, __c, __d, &__k);
  return gm_scale(__r, __k);
}

GM_FN double gm_rnorm4d(double __a, double __b, double __c, double __d) {
  int __k;
  double __r = gm_norm(__a, __b, __c, __d, &__k);
  return gm_scale(1.0 / __r, -__k);
}

GM_FN double gm_hypot(double __a, double __b) { return gm_norm4d(__a, __b, 0.0, 0.0); }

GM_FN double gm_rhypot(double __a, double __b) { return gm_rnorm4d(__a, __b, 0.0, 0.0); }

/* ---- remainders and parts ---- */

/* significand and exponent of a positive finite a = m 2^e, m below 2^53 with its top bit set */
GM_FN uint64_t gm_significand(double __a, int *__e) {
  uint64_t __bits = gm_bits(__a), __m = __bits & 0xfffffffffffffu;
  *__e = (int)(__bits >> 52) - 1075;
  if (__bits >> 52) return __m | 0x10000000000000u;
  int __up = gm_clzll(__m) - 11;
  *__e = -1074 - __up;
  return __m << __up;
}

/* a mod b for positive finite a and b, and the low bits of the quotient; 11 bits a step */
GM_SLOW double gm_mod(double __a, double __b, uint32_t *__quotient) {
  int __ea, __eb;
  *__quotient = 0;
  if (__a < __b) return __a;
  uint64_t __m = gm_significand(__a, &__ea), __n = gm_significand(__b, &__eb);
  uint32_t __q = (uint32_t)(__m / __n);
  __m %= __n;
  for (int __left = __ea - __eb; __left > 0;) {
    int __step = __left < 11 ? __left : 11;
    __m <<= __step;
    __q = (__q << __step) + (uint32_t)(__m / __n);
    __m %= __n;
    __left -= __step;
  }
  *__quotient = __q;
  return gm_scale((double)__m, __eb);
}

GM_FN double gm_fmod(double x, double y) {
  uint32_t __q;
  if (!(gm_abs(x) < GM_INF) || y != y || y == 0.0) return GM_NAN;
  return gm_abs(y) == GM_INF ? x : gm_copysign(gm_mod(gm_abs(x), gm_abs(y), &__q), x);
}

GM_FN double gm_remquo(double x, double y, int *__quo) {
  double __a = gm_abs(x), __b = gm_abs(y);
  uint32_t __q = 0;
  *__quo = 0;
  if (!(__a < GM_INF) || y != y || __b == 0.0) return GM_NAN;
  if (__b == GM_INF) return x;
  double __r = gm_mod(__a, __b, &__q), __rest = __b - __r;
  if (__r > __rest || (__r == __rest && (__q & 1))) {
    __r = -__rest;
    __q++;
  }
  *__quo = (int)(__q & 0x7fffffff);
  if ((gm_bits(x) ^ gm_bits(y)) >> 63) *__quo = -*__quo;
  return (gm_bits(x) >> 63) ? -__r : __r;
}

GM_FN double gm_remainder(double x, double y) {
  int __q;
  return gm_remquo(x, y, &__q);
}

GM_FN double gm_frexp(double x, int *__e) {
  *__e = 0;
  if (x == 0.0 || !(gm_abs(x) < GM_INF)) return x;
  uint64_t __m = gm_significand(gm_abs(x), __e);
  *__e += 53;
  return gm_copysign(gm_mul((double)__m, 1.1102230246251565e-16), x);
}

GM_FN int gm_ilogb(double x) {
  int __e;
  if (x == 0.0 || x != x) return (-2147483647 - 1);
  if (gm_abs(x) == GM_INF) return 2147483647;
  gm_significand(gm_abs(x), &__e);
  return __e + 52;
}

GM_FN double gm_logb(double x) {
  if (x == 0.0) return -GM_INF;
  return gm_abs(x) < GM_INF ? (double)gm_ilogb(x) : gm_mul(x, x);
}

GM_FN double gm_modf(double x, double *__whole) {
  *__whole = gm_trunc(x);
  return gm_copysign(gm_abs(x) == GM_INF ? 0.0 : x - *__whole, x);
}

GM_FN double gm_nextafter(double x, double y) {
  uint64_t __bits = gm_bits(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0) return gm_copysign(4.9406564584124654e-324, y);
  return gm_from_bits((x < y) == (x > 0.0) ? __bits + 1 : __bits - 1);
}

GM_FN double gm_round(double x) {
  double __t = gm_trunc(x);
  return gm_copysign(gm_abs(x - __t) >= 0.5 ? __t + gm_copysign(1.0, x) : __t, x);
}

/* ---- error function ---- */

/* exp(x x) erfc(x) for x >= 0 */
GM_FN double gm_erfcx_pos(double x) {
  static GM_CONST double __c[] = {
      1.2329951186255526,      -0.1396211168405623,     0.015379652102619299,
      0.0680970542546701,      -0.1010390660362859,     0.0937328349990682,
      -0.06633036581246254,    0.037167515526870754,    -0.016197734057123096,
      0.005031970065553377,    -0.0007577732766934564,  -0.00019925713802831644,
      0.0001506215455678271,   -2.4397768899660508e-05, -1.1221419538903733e-05,
      5.706642993726594e-06,   2.9218411106720587e-07,  -8.211370684340341e-07,
      7.7248622248505e-08,     1.0636887658111576e-07,  -2.0413354255603156e-08,
      -1.2359005111845774e-08, 3.1132901889949325e-09,  9.33287393758712e-10,
      -2.565486891713502e-10};
  double __t = x < 1e150 ? (x - 4.0) / (x + 4.0) : 1.0;
  return GM_HORNER(__t, __c) / gm_fma(2.0, x, 1.0);
}

/* erf(x) for |x| <= 1 */
GM_FN double gm_erf_small(double x) {
  static GM_CONST double __c[] = {
      0.1283791670955126,     -0.3761263890318375,     0.11283791670954885,
      -0.026866170645077868,  0.005223977624828387,    -0.0008548326981423636,
      0.00012055331132902262, -1.4925595771215512e-05, 1.646100846709585e-06,
      -1.635039615844057e-07, 1.4660328613604038e-08,  -1.1374956544150675e-09,
      5.960688736040551e-11};
  return gm_fma(x, GM_HORNER(gm_mul(x, x), __c), x);
}

/* erfc(x) for x >= 0.4 */
GM_SLOW double gm_erfc_tail(double x) {
  double __s = gm_mul(x, x), __lo = gm_fma(x, x, -__s);
  if (x > 28.0) return 0.0;
  return gm_mul(gm_exp_ext(-__s, -__lo, 0), gm_erfcx_pos(x));
}

GM_FN double gm_erf(double x) {
  double __a = gm_abs(x);
  if (__a < 1.0) return gm_erf_small(x);
  return x != x ? x : gm_copysign(1.0 - gm_erfc_tail(__a), x);
}

GM_FN double gm_erfc(double x) {
  double __a = gm_abs(x);
  if (__a < 0.4) return 1.0 - gm_erf_small(x);
  if (x != x) return x;
  double __t = gm_erfc_tail(__a);
  return x < 0.0 ? 2.0 - __t : __t;
}

GM_FN double gm_erfcx(double x) {
  if (x >= 0.0) return gm_erfcx_pos(x);
  double __s = gm_mul(x, x), __lo = gm_fma(x, x, -__s);
  return gm_mul(gm_exp_ext(__s, __s < 1000.0 ? __lo : 0.0, 0), gm_erfc(x));
}

/* half of erfc(-x / sqrt 2); the quotient's rounding error moves erfc by its slope, 2 / sqrt(pi)
 * exp(-y y) */
GM_SLOW double gm_normcdf(double x) {
  if (x != x) return x;
  x = gm_clamp(x, 40.0);
  double y = gm_mul(x, -0.7071067811865476),
         __lo = gm_fma(x, 4.833646656726457e-17, gm_fma(x, -0.7071067811865476, -y));
  double __slope = gm_mul(1.1283791670955126, gm_exp_ext(-gm_mul(y, y), 0.0, 0));
  return gm_mul(0.5, gm_fma(-__slope, __lo, gm_erfc(y)));
}

/* y with erfc(y) = x for x in (0, 1]: a start from the tail's shape, then Halley's steps on erfc */
GM_SLOW double gm_erfcinv_half(double x) {
  double __t = gm_sqrt(gm_mul(-2.0, gm_log(gm_mul(0.5, x))));
  double y =
      gm_mul(0.7071067811865476,
             __t - gm_fma(gm_fma(0.010328, __t, 0.802853), __t, 2.515517) /
                       gm_fma(gm_fma(gm_fma(0.001308, __t, 0.189269), __t, 1.432788), __t, 1.0));
  for (int __i = 0; __i < 3; __i++) {
    double __s = gm_mul(y, y), __lo = gm_fma(y, y, -__s);
    double __miss = x < 0.9 ? gm_erfc(y) - x : (1.0 - x) - gm_erf(y);
    double __d = gm_mul(__miss, gm_mul(0.8862269254527580, gm_exp_ext(__s, __lo, 0)));
    y = y + __d / gm_fma(y, __d, 1.0);
  }
  return y;
}

GM_FN double gm_erfcinv(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? GM_INF : x == 2.0 ? -GM_INF : GM_NAN;
  return x > 1.0 ? -gm_erfcinv_half(2.0 - x) : gm_erfcinv_half(x);
}

/* Newton's steps on erf itself near zero, where 1 - x would lose x's low bits */
GM_SLOW double gm_erfinv(double x) {
  double __a = gm_abs(x);
  if (!(__a < 1.0)) return __a == 1.0 ? gm_copysign(GM_INF, x) : GM_NAN;
  if (__a > 0.5) return gm_copysign(gm_erfcinv_half(1.0 - __a), x);
  double y = gm_mul(0.886226925452758, x);
  for (int __i = 0; __i < 4; __i++) {
    double __d = gm_mul(x - gm_erf(y), gm_mul(0.886226925452758, gm_exp_ext(gm_mul(y, y), 0.0, 0)));
    y = y + __d / gm_fma(-y, __d, 1.0);
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
  static GM_CONST double __low[] = {
      0.4831289505409809,     -0.14595989591430608,    0.06291140107456437,
      -0.03130848750100822,   0.016797098631275827,    -0.009425622448736253,
      0.005446457839040292,   -0.003212074065364155,   0.0019229163150298336,
      -0.0011644147668406761, 0.0007115190339681696,   -0.0004379906881019605,
      0.0002713140443732997,  -0.00016893742410547475, 0.00010535340082064378,
      -6.603971164809158e-05, 4.30335539863209e-05,    -2.752480715021558e-05,
      1.3174947130482009e-05, -7.780216494018015e-06,  1.2148878297299872e-05,
      -8.198922098997683e-06};
  static GM_CONST double __high[] = {
      0.37957716063055885,     -0.07466357415449942,    0.01990515430474318,
      -0.0060187685270331175,  0.0019490574889487237,   -0.000658639706777921,
      0.00022905363739857853,  -8.130228872074729e-05,  2.9299284323392746e-05,
      -1.0682330655284271e-05, 3.930575813236708e-06,   -1.45701268682859e-06,
      5.436569074338198e-07,   -2.0384322787347108e-07, 7.573718865715327e-08,
      -2.8519563962725064e-08, 1.2967966860701182e-08,  -5.0273218428696114e-09};
  double __p = w <= 1.0 ? GM_HORNER(w - 0.5, __low) : GM_HORNER(w - 1.5, __high);
  return gm_mul(gm_mul(w, w - 1.0), __p) + 0.0; /* never -0 */
}

/* log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 8 */
GM_FN double gm_stirling(double x) {
  static GM_CONST double __c[] = {
      0.08333333333333333,   -0.0027777777777776786, 0.0007936507935156448, -0.0005952380249325261,
      0.0008417328015659892, -0.0019149916905500152, 0.006209336120885377,  -0.020877744120202338};
  double __r = 1.0 / x;
  return gm_mul(__r, GM_HORNER(gm_mul(__r, __r), __c));
}

GM_SLOW double gm_lgamma_pos(double x) {
  if (x < 1.0) return x < 1e-17 ? -gm_log(x) : gm_lgamma_mid(x) - gm_log(x);
  if (x <= 3.0) return gm_lgamma_mid(x - 1.0);
  if (x < 8.0) {
    double __p = 1.0;
    while (x > 3.0) {
      x -= 1.0;
      __p = gm_mul(__p, x);
    }
    return gm_log(__p) + gm_lgamma_mid(x - 1.0);
  }
  double __l = gm_log(x);
  if (x > 1e17) return gm_mul(x, __l - 1.0);
  return gm_fma(x - 0.5, __l - 1.0, 0.4189385332046728 + gm_stirling(x));
}

GM_FN double gm_lgamma(double x) {
  if (x != x || gm_abs(x) == GM_INF) return gm_mul(x, x);
  if (x > 0.0) return gm_lgamma_pos(x);
  if (gm_trunc(x) == x) return GM_INF;
  double __s = gm_abs(gm_sinpi(x));
  if (x > -1e-17) return -gm_log(-x);
  return gm_log(3.141592653589793 / gm_mul(__s, -x)) - gm_lgamma_pos(-x);
}

/* gamma(x) for positive x: Stirling's series from 12 on, below by the recurrence; low is what x
 * lost on its way up, which moves log gamma by its derivative, about log x - 1/(2x), and each
 * factor by drift */
GM_FN double gm_tgamma_pos(double x) {
  double __below = 1.0, __low = 0.0, __drift = 0.0, w, __lost;
  while (x < 12.0) {
    __below = gm_mul(__below, x);
    __drift += __low / x;
    x = gm_two_sum(x, 1.0, &__lost);
    __low += __lost;
  }
  if (x > 172.0) return GM_INF;
  double __m, __lo, __e = (double)gm_split(x, &__m), __l = gm_log_two(__m, &__lo), __h = x - 0.5;
  double __s = gm_two_sum(gm_mul(__e, 0.6931471805592082), __l, &__lost);
  __lo = gm_fma(__e, 7.371002565167799e-13, __lost + __lo);
  w = gm_mul(__h, __s);
  __lo = gm_fma(__h, __lo, gm_fma(__h, __s, -w));
  double __t = gm_two_sum(w, -x, &__lost);
  __lo += __lost;
  __t = gm_two_sum(__t, gm_stirling(x), &__lost);
  __lo += gm_fma(__low, __s - 0.5 / x, __lost - __drift);
  return gm_mul(2.5066282746310002, gm_exp_ext(__t, __lo, -8)) / gm_mul(__below, 0.00390625);
}

GM_SLOW double gm_tgamma(double x) {
  if (x != x || x == GM_INF) return x;
  if (x == 0.0) return 1.0 / x;
  if (x > 0.0) return gm_tgamma_pos(x);
  if (gm_trunc(x) == x) return GM_NAN;
  if (x > -1e-17) return 1.0 / x;
  double __s = gm_mul(gm_sinpi(-x), -x);
  if (x < -185.0) return gm_copysign(0.0, -__s);
  if (x > -170.0) return -3.141592653589793 / gm_mul(__s, gm_tgamma_pos(-x));
  double __r = -3.141592653589793 / gm_mul(__s, gm_tgamma_pos(-x - 20.0));
  for (int __i = 1; __i <= 20; __i++) __r = __r / (-x - (double)__i);
  return __r;
}

#endif
