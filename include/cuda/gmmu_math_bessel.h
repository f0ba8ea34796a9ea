/*
 * Bessel functions of the device's C library; see gmmu_math_f32.h for the rules.
 *
 * Below 25, J comes from its recurrence taken downwards, from an order whose value is too small to
 * matter, with 1 = J0 + 2 J2 + 2 J4 + ..; the same orders give Y by Neumann's series. From 25 on,
 * Hankel's expansion: its terms fall below a double's precision before they grow again.
 */
#ifndef GMMU_MATH_BESSEL_H
#define GMMU_MATH_BESSEL_H

#include "gmmu_math_f64.h"

#define GM_BESSEL_FAR  25.0
#define GM_EULER_GAMMA 0.57721566490153286061
#define GM_TWO_OVER_PI 0.63661977236758134308

typedef struct {
  double __j[2], __y[2]; /* of orders 0 and 1 */
} gm_bessel_t;

/* 0 < x < 25 */
GM_SLOW gm_bessel_t gm_bessel_near(double x) {
  gm_bessel_t __r;
  double __up = 0.0, __now = 1e-300, __sum = 0.0, __s0 = 0.0, __s1 = 0.0;
  int __k = 2 * ((int)(x * 0.75) + 14); /* even; J there is below 1e-18 of the largest */
  for (; __k > 0; __k--) {
    double __down = gm_fma(2.0 * __k / x, __now, -__up);
    if (!(__k & 1)) { /* __now is the value of this order */
      __sum += 2.0 * __now;
      __s0 = gm_fma((__k & 2 ? -2.0 : 2.0) / __k, __now, __s0);
    } else if (__k > 1) {
      int __h = (__k - 1) / 2;
      __s1 = gm_fma((double)(__h & 1 ? -__k : __k) / (double)(__h * (__h + 1)), __now, __s1);
    }
    __up = __now, __now = __down;
    if (gm_abs(__now) > 1e100) {
      __now *= 1e-200, __up *= 1e-200, __sum *= 1e-200;
      __s0 *= 1e-200, __s1 *= 1e-200;
    }
  }
  double __scale = 1.0 / (__sum + __now), __log = gm_log(0.5 * x) + GM_EULER_GAMMA;
  __r.__j[0] = __now * __scale, __r.__j[1] = __up * __scale;
  __r.__y[0] = GM_TWO_OVER_PI * gm_fma(__log, __r.__j[0], -gm_mul(2.0 * __s0, __scale));
  __r.__y[1] =
      GM_TWO_OVER_PI * (gm_fma(__log - 1.0, __r.__j[1], -gm_mul(__s1, __scale)) - __r.__j[0] / x);
  return __r;
}

/* One order, x >= 25: sqrt(2/(pi x)) (p cos a - q sin a) and (p sin a + q cos a), where
 * a = x - (order/2 + 1/4) pi; the turn by a quarter of pi is done with sums of sin x and cos x. */
GM_SLOW void gm_bessel_far(double x, int __order, double *__j, double *__y) {
  double __mu = 4.0 * __order * __order, __t = 1.0, __p = 1.0, __q = 0.0, __sin, __cos;
  for (int __k = 1; __k < 60; __k++) {
    double __odd = 2 * __k - 1, __next = __t * gm_fma(-__odd, __odd, __mu) / (8.0 * __k * x);
    if (gm_abs(__next) > gm_abs(__t) || __next == 0.0) break;
    __t = __next;
    if (__k & 1)
      __q += __k & 2 ? -__t : __t;
    else
      __p += __k & 2 ? -__t : __t;
    if (gm_abs(__t) < 1e-18) break;
  }
  gm_sincos(x, &__sin, &__cos);
  /* cos a, sin a, times the root of 2 */
  double __c = __order ? __sin - __cos : __sin + __cos,
         __s = __order ? -__sin - __cos : __sin - __cos;
  double __f = gm_sqrt(0.31830988618379067154 / x);
  *__j = __f * gm_fma(__p, __c, -gm_mul(__q, __s));
  *__y = __f * gm_fma(__p, __s, gm_mul(__q, __c));
}

GM_FN double gm_bessel_j(double x, int __order) {
  double __a = gm_abs(x), __j, __y;
  if (x != x) return x;
  if (__a == GM_INF) return 0.0;
  if (__a < 1e-8) return __order ? 0.5 * x : 1.0;
  if (__a < GM_BESSEL_FAR)
    __j = gm_bessel_near(__a).__j[__order];
  else
    gm_bessel_far(__a, __order, &__j, &__y);
  return __order && x < 0.0 ? -__j : __j;
}

GM_FN double gm_bessel_y(double x, int __order) {
  double __j, __y;
  if (x != x || x < 0.0) return GM_NAN;
  if (x == 0.0) return -GM_INF;
  if (x == GM_INF) return 0.0;
  if (x < 1e-8)
    return __order ? -GM_TWO_OVER_PI / x : GM_TWO_OVER_PI * (gm_log(0.5 * x) + GM_EULER_GAMMA);
  if (x < GM_BESSEL_FAR) return gm_bessel_near(x).__y[__order];
  gm_bessel_far(x, __order, &__j, &__y);
  return __y;
}

GM_FN double gm_j0(double x) { return gm_bessel_j(x, 0); }
GM_FN double gm_j1(double x) { return gm_bessel_j(x, 1); }
GM_FN double gm_y0(double x) { return gm_bessel_y(x, 0); }
GM_FN double gm_y1(double x) { return gm_bessel_y(x, 1); }

/* Upwards where the order is below x, else downwards from far above, in relation to J0 or J1. */
GM_SLOW double gm_jn(int __n, double x) {
  double __a = gm_abs(x), __low, __high;
  if (__n < 0) return GM_NAN;
  if (__n < 2) return gm_bessel_j(x, __n);
  if (x != x) return x;
  if (__a == 0.0 || __a == GM_INF) return 0.0;
  if (__n < __a) {
    __low = gm_bessel_j(__a, 0), __high = gm_bessel_j(__a, 1);
    for (int __k = 1; __k < __n; __k++) {
      double __next = gm_fma(2.0 * __k / __a, __high, -__low);
      __low = __high, __high = __next;
    }
  } else {
    double __up = 0.0, __now = 1e-300, __found = 0.0;
    for (int __k = __n + 30 + (int)gm_sqrt(60.0 * __n); __k > 0; __k--) {
      double __down = gm_fma(2.0 * __k / __a, __now, -__up);
      if (__k == __n) __found = __now;
      __up = __now, __now = __down;
      if (gm_abs(__now) > 1e100) __now *= 1e-200, __up *= 1e-200, __found *= 1e-200;
    }
    double __j0 = gm_bessel_j(__a, 0), __j1 = gm_bessel_j(__a, 1);
    __high = gm_abs(__now) > gm_abs(__up) ? __found / __now * __j0 : __found / __up * __j1;
  }
  return x < 0.0 && __n & 1 ? -__high : __high;
}

GM_SLOW double gm_yn(int __n, double x) {
  if (__n < 0) return GM_NAN;
  double __low = gm_bessel_y(x, 0), __high = gm_bessel_y(x, 1);
  if (__n < 2) return __n ? __high : __low;
  if (!(x > 0.0) || x == GM_INF) return __low;
  for (int __k = 1; __k < __n && __high != -GM_INF; __k++) {
    double __next = gm_fma(2.0 * __k / x, __high, -__low);
    __low = __high, __high = __next;
  }
  return __high;
}

/* Of imaginary arguments: a series of positive terms, and Hankel's expansion without its signs. */
GM_SLOW double gm_cyl_bessel_i(double x, int __order) {
  double __a = gm_abs(x), __t = 1.0, __r = 1.0;
  if (x != x) return x;
  if (__a < 30.0) {
    double __q = 0.25 * __a * __a;
    __t = __r = __order ? 0.5 * __a : 1.0;
    for (int __k = 1; __k < 200 && __t > 1e-18 * __r; __k++)
      __t = gm_mul(__t, __q / ((double)__k * (__k + __order))), __r += __t;
  } else {
    double __mu = 4.0 * __order * __order;
    for (int __k = 1; __k < 60 && gm_abs(__t) > 1e-18; __k++) {
      double __odd = 2 * __k - 1;
      __t = gm_mul(__t, gm_fma(__odd, __odd, -__mu) / (8.0 * __k * __a)), __r += __t;
    }
    double __e = gm_exp(0.5 * __a); /* in two factors: the result may be finite where e^x is not */
    __r = __e * (__e * (__r * gm_sqrt(0.15915494309189533577 / __a)));
  }
  return __order && x < 0.0 ? -__r : __r;
}

GM_FN double gm_cyl_bessel_i0(double x) { return gm_cyl_bessel_i(x, 0); }
GM_FN double gm_cyl_bessel_i1(double x) { return gm_cyl_bessel_i(x, 1); }

/* The length of a vector of any size; the largest part is taken out first. */
GM_SLOW double gm_length(int __n, const double *__a) {
  double __most = 0.0, __sum = 0.0;
  bool __nan = false;
  for (int __i = 0; __i < __n; __i++) {
    __nan = __nan || __a[__i] != __a[__i];
    __most = gm_abs(__a[__i]) > __most ? gm_abs(__a[__i]) : __most;
  }
  if (__most == GM_INF) return GM_INF;
  if (__nan) return GM_NAN;
  if (__most == 0.0) return 0.0;
  for (int __i = 0; __i < __n; __i++) {
    double __q = __a[__i] / __most;
    __sum = gm_fma(__q, __q, __sum);
  }
  return gm_mul(__most, gm_sqrt(__sum));
}

GM_SLOW float gm_lengthf(int __n, const float *__a) {
  double __sum = 0.0;
  bool __inf = false;
  for (int __i = 0; __i < __n; __i++) {
    __inf = __inf || gm_abs_f(__a[__i]) == GM_INF_F;
    __sum = gm_fma((double)__a[__i], (double)__a[__i], __sum);
  }
  return __inf ? GM_INF_F : (float)gm_sqrt(__sum);
}
#endif
