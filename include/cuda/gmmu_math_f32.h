/*
 * Single-precision functions of the device's C library, in arithmetic that PTX and the host round
 * alike.
 *
 * No tables but 2/pi. Reductions are Cody and Waite's with fma, for large angles Payne and Hanek's;
 * polynomials come from scripts/remez.py, lowest power first. Two rules keep results the same
 * everywhere: a product that may meet an addition goes through gm_mul_f (compilers fuse across
 * statements otherwise), and everything else that may be fused is written as fma. Errors:
 * tests/cuda/test_math.c.
 */
#ifndef GMMU_MATH_F32_H
#define GMMU_MATH_F32_H

#include "gmmu_math_base.h"

#define GM_HORNER_F(__u, __c) gm_horner_f(__u, __c, (int)(sizeof(__c) / sizeof(float)))

GM_FN float gm_horner_f(float __u, const float *__c, int __n) {
  float __r = __c[__n - 1];
  for (int __i = __n - 2; __i >= 0; __i--) __r = gm_fma_f(__r, __u, __c[__i]);
  return __r;
}

/* y 2^k, rounded once: the first factor keeps y normal */
GM_FN float gm_scale_f(float y, int __k) {
  if (__k >= -125 && __k <= 127) return gm_mul_f(y, gm_from_bits_f((uint32_t)(__k + 127) << 23));
  __k = __k > 381 ? 381 : __k < -352 ? -352 : __k;
  int __a = __k > 0 ? 127 : -100, __b = __k - __a;
  y = gm_mul_f(y, gm_from_bits_f((uint32_t)(__a + 127) << 23));
  if (__b < -126 || __b > 127) {
    y = gm_mul_f(y, gm_from_bits_f((uint32_t)(__a + 127) << 23));
    __b -= __a;
  }
  return __b < -126 ? gm_mul_f(y, 0.0f) : gm_mul_f(y, gm_from_bits_f((uint32_t)(__b + 127) << 23));
}

/* ---- angles ---- */

/* |x| >= 2^16: 96 bits of 2/pi from the first that matters, times x, modulo 4 */
GM_SLOW float gm_reduce_big_f(float x, int *__quadrant) {
  static GM_CONST uint32_t __two_over_pi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                              0xf534ddc0, 0xdb629599, 0x3c439041};
  uint32_t __bits = gm_bits_f(x), __m = (__bits << 8) | 0x80000000u,
           __at = ((__bits >> 23) & 0xff) - 128;
  const uint32_t *w = __two_over_pi + (__at >> 5);
  uint32_t __sh = __at & 31, __part[3];
  for (int __i = 0; __i < 3; __i++)
    __part[__i] = __sh ? (w[__i] << __sh) | (w[__i + 1] >> (32 - __sh)) : w[__i];
  uint64_t __p = ((uint64_t)(__m * __part[0]) << 32) + (uint64_t)__m * __part[1] +
                 (((uint64_t)__m * __part[2]) >> 32);
  int64_t __fraction = (int64_t)(__p << 2);
  int __q = (int)(__p >> 62) + (__fraction < 0);
  float __r = (float)gm_mul((double)__fraction, 8.515303950216386e-20);
  *__quadrant = (__bits >> 31) ? -__q : __q;
  return (__bits >> 31) ? -__r : __r;
}

/* x - quadrant pi/2, in [-pi/4, pi/4] */
GM_FN float gm_reduce_f(float x, int *__quadrant) {
  if (gm_abs_f(x) < 65536.0f) {
    float __k = gm_rint_f(gm_mul_f(x, 0.636619747f));
    float __r = gm_fma_f(__k, -1.57079637f, x);
    *__quadrant = (int)__k;
    __r = gm_fma_f(__k, 4.37113883e-08f, __r);
    return gm_fma_f(__k, 1.71512451e-15f, __r);
  }
  if (gm_abs_f(x) < GM_INF_F) return gm_reduce_big_f(x, __quadrant);
  *__quadrant = 0;
  return x - x;
}

GM_FN float gm_sin_poly_f(float __r) {
  static GM_CONST float __c[] = {-0.166666672f, 0.00833332911f, -0.000198392576f, 2.71756858e-06f};
  float __u = gm_mul_f(__r, __r);
  return gm_fma_f(gm_mul_f(__r, __u), GM_HORNER_F(__u, __c), __r);
}

GM_FN float gm_cos_poly_f(float __r) {
  static GM_CONST float __c[] = {0.0416666679f, -0.00138888834f, 2.47994376e-05f, -2.72034043e-07f};
  float __u = gm_mul_f(__r, __r);
  return gm_fma_f(__u, gm_fma_f(__u, GM_HORNER_F(__u, __c), -0.5f), 1.0f);
}

/* sine of r + quadrant pi/2; a cosine is one quadrant further */
GM_FN float gm_wave_f(float __r, int __quadrant) {
  float y = (__quadrant & 1) ? gm_cos_poly_f(__r) : gm_sin_poly_f(__r);
  return (__quadrant & 2) ? -y : y;
}

GM_FN float gm_sinf(float x) {
  int __q;
  float __r = gm_reduce_f(x, &__q);
  return x == 0.0f ? x : gm_wave_f(__r, __q);
}

GM_FN float gm_cosf(float x) {
  int __q;
  float __r = gm_reduce_f(x, &__q);
  return gm_wave_f(__r, __q + 1);
}

GM_FN void gm_sincosf(float x, float *__s, float *__c) {
  int __q;
  float __r = gm_reduce_f(x, &__q);
  *__s = x == 0.0f ? x : gm_wave_f(__r, __q);
  *__c = gm_wave_f(__r, __q + 1);
}

GM_FN float gm_tanf(float x) {
  static GM_CONST float __c[] = {0.333333313f,   0.133334324f,   0.0539514236f,    0.0220069997f,
                                 0.00824851356f, 0.00516129006f, -0.000773045409f, 0.00211643847f};
  int __q;
  float __r = gm_reduce_f(x, &__q), __u = gm_mul_f(__r, __r);
  float __t = gm_fma_f(gm_mul_f(__r, __u), GM_HORNER_F(__u, __c), __r);
  return x == 0.0f ? x : (__q & 1) ? -1.0f / __t : __t;
}

/* pi times the distance to the nearest half integer; the distance is exact */
GM_FN float gm_reduce_pi_f(float x, int *__quadrant) {
  float __big = gm_mul_f(x, 0.5f), __t = x - gm_mul_f(gm_trunc_f(__big), 2.0f);
  float __k = gm_rint_f(gm_mul_f(__t, 2.0f)), __r = gm_fma_f(__k, -0.5f, __t);
  *__quadrant = (int)__k;
  return gm_fma_f(__r, 3.14159274f, gm_mul_f(__r, -8.74227766e-08f));
}

GM_FN float gm_sinpif(float x) {
  int __q;
  if (!(gm_abs_f(x) < GM_INF_F)) return x - x;
  float __r = gm_reduce_pi_f(x, &__q);
  return gm_trunc_f(x) == x ? gm_copysign_f(0.0f, x) : gm_wave_f(__r, __q);
}

GM_FN float gm_cospif(float x) {
  int __q;
  if (!(gm_abs_f(x) < GM_INF_F)) return x - x;
  float __r = gm_reduce_pi_f(x, &__q);
  return (__q & 1) && __r == 0.0f ? 0.0f : gm_wave_f(__r, __q + 1);
}

/* asin(a) - a for a in [0, 0.5], from u = a a */
GM_FN float gm_asin_tail_f(float __a, float __u) {
  static GM_CONST float __c[] = {0.166667759f, 0.0749425739f, 0.0456090234f, 0.023460418f,
                                 0.0434392355f};
  return gm_mul_f(gm_mul_f(__a, __u), GM_HORNER_F(__u, __c));
}

GM_FN float gm_asinf(float x) {
  float __a = gm_abs_f(x), y;
  if (__a <= 0.5f) {
    y = __a + gm_asin_tail_f(__a, gm_mul_f(__a, __a));
  } else {
    float __u = gm_fma_f(__a, -0.5f, 0.5f), __s = gm_sqrt_f(__u), __t = gm_asin_tail_f(__s, __u);
    y = 1.57079637f - gm_fma_f(2.0f, __s, gm_fma_f(2.0f, __t, 4.37113883e-08f));
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_acosf(float x) {
  float __a = gm_abs_f(x);
  if (__a <= 0.5f) {
    float __t = gm_asin_tail_f(__a, gm_mul_f(__a, __a)), y = __a + __t;
    return 1.57079637f - ((x < 0 ? -y : y) + 4.37113883e-08f);
  }
  float __u = gm_fma_f(__a, -0.5f, 0.5f), __s = gm_sqrt_f(__u),
        y = gm_mul_f(2.0f, __s + gm_asin_tail_f(__s, __u));
  return x < 0 ? 3.14159274f - (y + 8.74227766e-08f) : y;
}

/* arc tangent of a in [0, 1] */
GM_FN float gm_atan_poly_f(float __a) {
  static GM_CONST float __c[] = {-0.333333015f,  0.199986383f,   -0.142652422f,
                                 0.109575547f,   -0.0841938928f, 0.0582332686f,
                                 -0.0314543657f, 0.0110637043f,  -0.00182704546f};
  float __u = gm_mul_f(__a, __a);
  return gm_fma_f(gm_mul_f(__a, __u), GM_HORNER_F(__u, __c), __a);
}

GM_FN float gm_atanf(float x) {
  float __a = gm_abs_f(x), __r = gm_atan_poly_f(__a > 1.0f ? 1.0f / __a : __a);
  return gm_copysign_f(__a > 1.0f ? 1.57079637f - (__r + 4.37113883e-08f) : __r, x);
}

GM_FN float gm_atan2f(float y, float x) {
  float __ax = gm_abs_f(x), __ay = gm_abs_f(y), __big = __ax > __ay ? __ax : __ay,
        __small = __ax > __ay ? __ay : __ax;
  if (x != x || y != y) return x + y;
  float __q = __big == 0.0f      ? 0.0f
              : __small == __big ? 1.0f
                                 : __small / __big,
        __r = gm_atan_poly_f(__q);
  if (__ay > __ax) __r = 1.57079637f - (__r + 4.37113883e-08f);
  if (gm_bits_f(x) >> 31) __r = 3.14159274f - (__r + 8.74227766e-08f);
  return gm_copysign_f(__r, y);
}

/* ---- exponentials ---- */

/* exp(r) - 1 - r for |r| <= ln 2 / 2 */
GM_FN float gm_exp_tail_f(float __r) {
  static GM_CONST float __c[] = {0.5f,           0.166666672f,   0.0416662544f,
                                 0.00833326206f, 0.00139472086f, 0.000199197879f};
  return gm_mul_f(gm_mul_f(__r, __r), GM_HORNER_F(__r, __c));
}

/* exp(x + lo) 2^shift; lo is small beside x */
GM_FN float gm_exp_ext_f(float x, float __lo, int __shift) {
  if (x != x) return x;
  x = x > 400.0f ? 400.0f : x < -400.0f ? -400.0f : x;
  float __k = gm_rint_f(gm_mul_f(x, 1.44269502f)), __r = gm_fma_f(__k, -0.693147182f, x);
  __r = gm_fma_f(__k, 1.90465421e-09f, __r) + __lo;
  return gm_scale_f(1.0f + (__r + gm_exp_tail_f(__r)), (int)__k + __shift);
}

GM_FN float gm_expf(float x) { return gm_exp_ext_f(x, 0.0f, 0); }

GM_FN float gm_exp2f(float x) {
  if (x != x) return x;
  x = x > 400.0f ? 400.0f : x < -400.0f ? -400.0f : x;
  float __k = gm_rint_f(x), __r = gm_mul_f(x - __k, 0.693147182f);
  return gm_scale_f(1.0f + (__r + gm_exp_tail_f(__r)), (int)__k);
}

GM_FN float gm_exp10f(float x) {
  if (x != x) return x;
  x = x > 100.0f ? 100.0f : x < -100.0f ? -100.0f : x;
  float __k = gm_rint_f(gm_mul_f(x, 3.32192802f)), __d = gm_fma_f(__k, -0.30103001f, x);
  __d = gm_fma_f(__k, 1.43209888e-08f, __d);
  float __r = gm_fma_f(__d, 2.30258512f, gm_mul_f(__d, -3.19754356e-08f));
  return gm_scale_f(1.0f + (__r + gm_exp_tail_f(__r)), (int)__k);
}

GM_FN float gm_expm1f(float x) {
  if (x != x) return x;
  if (x > 88.8f) return GM_INF_F;
  if (x < -20.0f) return -1.0f;
  float __k = gm_rint_f(gm_mul_f(x, 1.44269502f)), __r = gm_fma_f(__k, -0.693147182f, x);
  __r = gm_fma_f(__k, 1.90465421e-09f, __r);
  float __tail = gm_exp_tail_f(__r), __e = __r + __tail;
  if (__k == 0.0f) return x == 0.0f ? x : __e;
  float half = gm_scale_f(1.0f, (int)__k - 1), __base = half - 0.5f, __p = gm_mul_f(__e, half),
        __s = __base + __p, __back = __s - __base;
  float __lost = ((__base - (__s - __back)) + (__p - __back)) + ((half - __base) - 0.5f);
  return gm_mul_f(2.0f, __s + gm_fma_f((__r - __e) + __tail, half, __lost));
}

GM_FN float gm_sinhf(float x) {
  float __a = gm_abs_f(x), y;
  if (__a < 18.0f) {
    float __t = gm_expm1f(__a);
    y = gm_mul_f(0.5f, __t + __t / (__t + 1.0f));
  } else {
    y = gm_exp_ext_f(__a, 0.0f, -1);
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_coshf(float x) {
  float __h = gm_exp_ext_f(gm_abs_f(x), 0.0f, -1);
  return __h + 0.25f / __h;
}

GM_FN float gm_tanhf(float x) {
  static GM_CONST float __c[] = {-0.333333164f, 0.133325338f, -0.0538461171f, 0.02104377f,
                                 -0.0062317038f};
  float __a = gm_abs_f(x), y;
  if (__a < 0.55f) {
    float __u = gm_mul_f(__a, __a);
    y = gm_fma_f(gm_mul_f(__a, __u), GM_HORNER_F(__u, __c), __a);
  } else {
    y = 1.0f - 2.0f / (gm_expf(gm_mul_f(2.0f, __a)) + 1.0f);
  }
  return gm_copysign_f(y, x);
}

/* ---- logarithms ---- */

/* x = m 2^result with m in [sqrt(1/2), sqrt(2)); x positive and finite */
GM_FN int gm_split_f(float x, float *__m) {
  int __adjust = 0;
  if (x < 1.17549435e-38f) {
    x = gm_mul_f(x, 16777216.0f);
    __adjust = -24;
  }
  uint32_t __bits = gm_bits_f(x), __e = __bits - 0x3f3504f3u;
  *__m = gm_from_bits_f(__bits - (__e & 0xff800000u));
  return ((int32_t)__e >> 23) + __adjust;
}

/* log(1+f) - f for f in [-0.32, 0.42] */
GM_FN float gm_log1p_tail_f(float f) {
  static GM_CONST float __c[] = {0.333333015f,  -0.249998525f, 0.200029939f,
                                 -0.166769221f, 0.142076492f,  -0.122475684f,
                                 0.118278533f,  -0.125595436f, 0.079095833f};
  return gm_mul_f(gm_mul_f(f, f), gm_fma_f(f, GM_HORNER_F(f, __c), -0.5f));
}

/* what a logarithm gives at and outside the ends of (0, inf) */
GM_FN float gm_log_edge_f(float x) { return x == 0.0f ? -GM_INF_F : x < 0.0f ? GM_NAN_F : x + x; }

GM_FN bool gm_log_plain_f(float x) { return x > 0.0f && x < GM_INF_F; }

GM_FN float gm_logf(float x) {
  float __m;
  if (!gm_log_plain_f(x)) return gm_log_edge_f(x);
  float __e = (float)gm_split_f(x, &__m), f = __m - 1.0f;
  float __lo = gm_fma_f(__e, 1.42860682e-06f, gm_log1p_tail_f(f));
  return gm_fma_f(__e, 0.693145752f, f + __lo);
}

/* e unit_hi + e unit_lo + (log(1+f)) base, base and unit in two parts; e unit_hi is exact */
GM_FN float gm_log_base_f(float x, float __base_hi, float __base_lo, float __unit_hi,
                          float __unit_lo) {
  float __m;
  float __e = (float)gm_split_f(x, &__m), f = __m - 1.0f, __hi = gm_mul_f(f, __base_hi);
  float __lo = gm_fma_f(gm_log1p_tail_f(f), __base_hi,
                        gm_fma_f(f, __base_lo, gm_fma_f(f, __base_hi, -__hi)));
  float __big = gm_mul_f(__e, __unit_hi), __sum = __big + __hi;
  if (__e == 0.0f) return __hi + __lo;
  return __sum + (gm_fma_f(__e, __unit_lo, (__big - __sum) + __hi) + __lo);
}

GM_FN float gm_log2f(float x) {
  return gm_log_plain_f(x) ? gm_log_base_f(x, 1.44269502f, 1.92596303e-08f, 1.0f, 0.0f)
                           : gm_log_edge_f(x);
}

GM_FN float gm_log10f(float x) {
  return gm_log_plain_f(x)
             ? gm_log_base_f(x, 0.434294492f, -1.010305e-08f, 0.301025391f, 4.60503898e-06f)
             : gm_log_edge_f(x);
}

GM_FN float gm_log1pf(float x) {
  float __m;
  if (x > -0.29f && x < 0.41f) return x == 0.0f ? x : x + gm_log1p_tail_f(x);
  if (!(x > -1.0f && x < GM_INF_F)) return x == -1.0f ? -GM_INF_F : x < -1.0f ? GM_NAN_F : x + x;
  int __e = gm_split_f(1.0f + x, &__m);
  float __s = gm_scale_f(1.0f, -__e), f = gm_fma_f(x, __s, __s - 1.0f);
  float __lost = gm_fma_f(x, __s, (__s - 1.0f) - f);
  float __lo = gm_fma_f((float)__e, 1.42860682e-06f, gm_log1p_tail_f(f) + __lost);
  return gm_fma_f((float)__e, 0.693145752f, f + __lo);
}

GM_FN float gm_asinhf(float x) {
  float __a = gm_abs_f(x), y;
  if (__a > 16777216.0f) {
    y = gm_logf(__a) + 0.693147182f;
  } else {
    float __q = gm_mul_f(__a, __a);
    y = gm_log1pf(__a + __q / (1.0f + gm_sqrt_f(__q + 1.0f)));
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_acoshf(float x) {
  if (x > 16777216.0f) return gm_logf(x) + 0.693147182f;
  float __t = x - 1.0f;
  return gm_log1pf(__t + gm_sqrt_f(gm_fma_f(__t, __t, gm_mul_f(2.0f, __t))));
}

GM_FN float gm_atanhf(float x) {
  float __a = gm_abs_f(x);
  return gm_copysign_f(gm_mul_f(0.5f, gm_log1pf(gm_mul_f(2.0f, __a) / (1.0f - __a))), x);
}

/* ---- powers and roots ---- */

/* log(x) in two parts, relative error about 2^-31: 2 atanh(z) with z = f / (2 + f) carried in two
 * parts */
GM_FN float gm_log_two_f(float x, float *__lo) {
  static GM_CONST float __c[] = {0.666667938f, 0.399751782f, 0.299391747f};
  float __m;
  float __e = (float)gm_split_f(x, &__m), f = __m - 1.0f, __d = 2.0f + f, z = f / __d;
  float __left = gm_fma_f(-z, __d, f) - gm_mul_f(z, f - (__d - 2.0f)), __u = gm_mul_f(z, z);
  float __tail = gm_fma_f(gm_mul_f(z, __u), GM_HORNER_F(__u, __c), gm_mul_f(2.0f, __left / __d));
  float __head = gm_mul_f(2.0f, z), __big = gm_mul_f(__e, 0.693145752f), __sum = __big + __head;
  float __rest =
      __e == 0.0f ? __tail : gm_fma_f(__e, 1.42860682e-06f, (__big - __sum) + __head) + __tail;
  float __hi = __sum + __rest;
  *__lo = (__sum - __hi) + __rest;
  return __hi;
}

/* |x|^y for positive finite x and finite y */
GM_FN float gm_pow_core_f(float x, float y) {
  float __lo, __hi = gm_log_two_f(x, &__lo), __p = gm_mul_f(__hi, y),
              __tail = gm_fma_f(__lo, y, gm_fma_f(__hi, y, -__p));
  return gm_exp_ext_f(__p, gm_abs_f(__p) < 200.0f ? __tail : 0.0f, 0);
}

/* 0: y is no integer, 1: odd, 2: even */
GM_FN int gm_parity_f(float y) {
  if (gm_trunc_f(y) != y) return 0;
  float __h = gm_mul_f(y, 0.5f);
  return gm_trunc_f(__h) == __h ? 2 : 1;
}

GM_SLOW float gm_powf(float x, float y) {
  float __a = gm_abs_f(x), __r;
  int __parity = gm_parity_f(y);
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  if (gm_abs_f(y) == GM_INF_F)
    return __a == 1.0f ? 1.0f : (__a > 1.0f) == (y > 0.0f) ? GM_INF_F : 0.0f;
  if (x < 0.0f && __a < GM_INF_F && __parity == 0) return GM_NAN_F;
  if (__a == 0.0f || __a == GM_INF_F)
    __r = (__a == 0.0f) == (y > 0.0f) ? 0.0f : GM_INF_F;
  else
    __r = gm_pow_core_f(__a, y);
  return (gm_bits_f(x) >> 31) && __parity == 1 ? -__r : __r;
}

GM_FN float gm_cbrtf(float x) {
  float __a = gm_abs_f(x), __back = 1.0f;
  if (__a == 0.0f || !(__a < GM_INF_F)) return x + x;
  if (__a < 1.17549435e-38f) {
    __a = gm_mul_f(__a, 16777216.0f);
    __back = 0.00390625f;
  }
  float __t = gm_from_bits_f(gm_bits_f(__a) / 3 + 0x2a514067u);
  for (int __i = 0; __i < 3; __i++)
    __t = gm_fma_f(gm_fma_f(-__t, gm_mul_f(__t, __t), __a) / gm_mul_f(__t, __t), 0.333333343f, __t);
  float __s = gm_mul_f(__t, __t),
        __e = gm_fma_f(-__t, __s, __a) - gm_mul_f(__t, gm_fma_f(__t, __t, -__s));
  return gm_copysign_f(gm_mul_f(gm_fma_f(__e / __s, 0.333333343f, __t), __back), x);
}

GM_FN float gm_rcbrtf(float x) {
  float __c = gm_cbrtf(x), __r = 1.0f / __c;
  if (!(gm_abs_f(__c) < GM_INF_F) || __c == 0.0f) return __r;
  return gm_fma_f(__r, gm_fma_f(-__c, __r, 1.0f), __r);
}

GM_FN float gm_rsqrtf(float x) {
  float __r = 1.0f / gm_sqrt_f(x);
  if (!(x > 0.0f) || x == GM_INF_F) return __r;
  float __h = gm_mul_f(x, __r),
        __e = gm_fma_f(-__h, __r, 1.0f) - gm_mul_f(gm_fma_f(x, __r, -__h), __r);
  return gm_fma_f(gm_mul_f(0.5f, __r), __e, __r);
}

/* the power of two that brings a near 1, as a step of exponents small enough to be inverted */
GM_FN int gm_near_one_f(float __a) {
  int __e = (int)((gm_bits_f(__a) >> 23) & 0xff) - 127;
  return __e < -100 ? -100 : __e;
}

/* sqrt(a a + b b + c c + d d) 2^*shift without overflow; infinite if any is */
GM_FN float gm_norm_f(float __a, float __b, float __c, float __d, int *__shift) {
  float __v[4] = {gm_abs_f(__a), gm_abs_f(__b), gm_abs_f(__c), gm_abs_f(__d)}, __big = 0.0f,
        __s = 0.0f;
  *__shift = 0;
  for (int __i = 0; __i < 4; __i++) __big = __v[__i] > __big ? __v[__i] : __big;
  if (__big == GM_INF_F) return GM_INF_F;
  *__shift = gm_near_one_f(__big);
  for (int __i = 0; __i < 4; __i++) __v[__i] = gm_scale_f(__v[__i], -*__shift);
  __s = gm_mul_f(__v[3], __v[3]);
  for (int __i = 2; __i >= 0; __i--) __s = gm_fma_f(__v[__i], __v[__i], __s);
  return gm_sqrt_f(__s);
}

GM_FN float gm_norm4df(float __a, float __b, float __c, float __d) {
  int __k;
  float __r = gm_norm_f(__a, __b, __c, __d, &__k);
  return gm_scale_f(__r, __k);
}

GM_FN float gm_rnorm4df(float __a, float __b, float __c, float __d) {
  int __k;
  float __r = gm_norm_f(__a, __b, __c, __d, &__k);
  return gm_scale_f(1.0f / __r, -__k);
}

GM_FN float gm_hypotf(float __a, float __b) { return gm_norm4df(__a, __b, 0.0f, 0.0f); }

GM_FN float gm_rhypotf(float __a, float __b) { return gm_rnorm4df(__a, __b, 0.0f, 0.0f); }

/* ---- remainders and parts ---- */

/* significand and exponent of a positive finite a = m 2^e, m below 2^24 with its top bit set */
GM_FN uint32_t gm_significand_f(float __a, int *__e) {
  uint32_t __bits = gm_bits_f(__a), __m = __bits & 0x7fffff;
  *__e = (int)(__bits >> 23) - 150;
  if (__bits >> 23) return __m | 0x800000;
  int __up = gm_clz(__m) - 8;
  *__e = -149 - __up;
  return __m << __up;
}

/* a mod b for positive finite a and b; the low bits of the quotient, too */
GM_SLOW float gm_mod_f(float __a, float __b, uint32_t *__quotient) {
  int __ea, __eb;
  *__quotient = 0;
  if (__a < __b) return __a;
  uint64_t __m = gm_significand_f(__a, &__ea), __n = gm_significand_f(__b, &__eb);
  uint32_t __q = (uint32_t)(__m / __n);
  __m %= __n;
  for (int __left = __ea - __eb; __left > 0;) {
    int __step = __left < 32 ? __left : 32;
    __m <<= __step;
    __q = __step < 32 ? __q << __step : 0;
    __q += (uint32_t)(__m / __n);
    __m %= __n;
    __left -= __step;
  }
  *__quotient = __q;
  return gm_scale_f((float)__m, __eb);
}

GM_FN float gm_fmodf(float x, float y) {
  uint32_t __q;
  if (!(gm_abs_f(x) < GM_INF_F) || y != y || y == 0.0f) return GM_NAN_F;
  return gm_abs_f(y) == GM_INF_F ? x : gm_copysign_f(gm_mod_f(gm_abs_f(x), gm_abs_f(y), &__q), x);
}

GM_FN float gm_remquof(float x, float y, int *__quo) {
  float __a = gm_abs_f(x), __b = gm_abs_f(y);
  uint32_t __q = 0;
  *__quo = 0;
  if (!(__a < GM_INF_F) || y != y || __b == 0.0f) return GM_NAN_F;
  if (__b == GM_INF_F) return x;
  float __r = gm_mod_f(__a, __b, &__q), __rest = __b - __r;
  if (__r > __rest || (__r == __rest && (__q & 1))) {
    __r = -__rest;
    __q++;
  }
  *__quo = (int)(__q & 0x7fffffff);
  if ((gm_bits_f(x) ^ gm_bits_f(y)) >> 31) *__quo = -*__quo;
  return (gm_bits_f(x) >> 31) ? -__r : __r;
}

GM_FN float gm_remainderf(float x, float y) {
  int __q;
  return gm_remquof(x, y, &__q);
}

GM_FN float gm_frexpf(float x, int *__e) {
  *__e = 0;
  if (x == 0.0f || !(gm_abs_f(x) < GM_INF_F)) return x;
  uint32_t __m = gm_significand_f(gm_abs_f(x), __e);
  *__e += 24;
  return gm_copysign_f(gm_mul_f((float)__m, 5.9604644775390625e-08f), x);
}

GM_FN int gm_ilogbf(float x) {
  int __e;
  if (x == 0.0f || x != x) return (-2147483647 - 1);
  if (gm_abs_f(x) == GM_INF_F) return 2147483647;
  gm_significand_f(gm_abs_f(x), &__e);
  return __e + 23;
}

GM_FN float gm_logbf(float x) {
  if (x == 0.0f) return -GM_INF_F;
  return gm_abs_f(x) < GM_INF_F ? (float)gm_ilogbf(x) : gm_mul_f(x, x);
}

GM_FN float gm_modff(float x, float *__whole) {
  *__whole = gm_trunc_f(x);
  return gm_copysign_f(gm_abs_f(x) == GM_INF_F ? 0.0f : x - *__whole, x);
}

GM_FN float gm_nextafterf(float x, float y) {
  uint32_t __bits = gm_bits_f(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return gm_copysign_f(1.40129846e-45f, y);
  return gm_from_bits_f((x < y) == (x > 0.0f) ? __bits + 1 : __bits - 1);
}

/* half away from zero */
GM_FN float gm_roundf(float x) {
  float __t = gm_trunc_f(x);
  return gm_copysign_f(gm_abs_f(x - __t) >= 0.5f ? __t + gm_copysign_f(1.0f, x) : __t, x);
}

/* ---- error function ---- */

/* exp(x x) erfc(x) for x >= 0 */
GM_FN float gm_erfcx_pos_f(float x) {
  static GM_CONST float __c[] = {
      1.23299515f,      -0.139621109f,    0.0153796552f,   0.0680969432f,    -0.101039127f,
      0.0937340483f,    -0.0663299486f,   0.0371615589f,   -0.0161992367f,   0.00504710013f,
      -0.000754822104f, -0.000220301139f, 0.000147433981f, -8.65715174e-06f, -9.49241712e-06f};
  float __t = x < 1e18f ? (x - 4.0f) / (x + 4.0f) : 1.0f;
  return GM_HORNER_F(__t, __c) / gm_fma_f(2.0f, x, 1.0f);
}

/* erf(x) for |x| <= 1 */
GM_FN float gm_erf_small_f(float x) {
  static GM_CONST float __c[] = {0.128379166f,   -0.37612626f,     0.112836003f,   -0.0268544443f,
                                 0.00518953474f, -0.000802083756f, 7.88911202e-05f};
  float __u = gm_mul_f(x, x);
  return gm_fma_f(x, GM_HORNER_F(__u, __c), x);
}

/* erfc(x) for x >= 0.4 */
GM_FN float gm_erfc_tail_f(float x) {
  float __s = gm_mul_f(x, x), __lo = gm_fma_f(x, x, -__s);
  if (x > 11.0f) return 0.0f;
  return gm_mul_f(gm_exp_ext_f(-__s, -__lo, 0), gm_erfcx_pos_f(x));
}

GM_FN float gm_erff(float x) {
  float __a = gm_abs_f(x);
  if (__a < 1.0f) return gm_erf_small_f(x);
  return x != x ? x : gm_copysign_f(1.0f - gm_erfc_tail_f(__a), x);
}

GM_FN float gm_erfcf(float x) {
  float __a = gm_abs_f(x);
  if (__a < 0.4f) return 1.0f - gm_erf_small_f(x);
  if (x != x) return x;
  float __t = gm_erfc_tail_f(__a);
  return x < 0.0f ? 2.0f - __t : __t;
}

#endif
