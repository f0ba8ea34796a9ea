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

#define GM_HORNER_F(u, c) gm_horner_f(u, c, (int)(sizeof(c) / sizeof(float)))

GM_FN float gm_horner_f(float u, const float *c, int n) {
  float r = c[n - 1];
  for (int i = n - 2; i >= 0; i--) r = gm_fma_f(r, u, c[i]);
  return r;
}

/* y 2^k, rounded once: the first factor keeps y normal */
GM_FN float gm_scale_f(float y, int k) {
  if (k >= -125 && k <= 127) return gm_mul_f(y, gm_from_bits_f((uint32_t)(k + 127) << 23));
  k = k > 381 ? 381 : k < -352 ? -352 : k;
  int a = k > 0 ? 127 : -100, b = k - a;
  y = gm_mul_f(y, gm_from_bits_f((uint32_t)(a + 127) << 23));
  if (b < -126 || b > 127) {
    y = gm_mul_f(y, gm_from_bits_f((uint32_t)(a + 127) << 23));
    b -= a;
  }
  return b < -126 ? gm_mul_f(y, 0.0f) : gm_mul_f(y, gm_from_bits_f((uint32_t)(b + 127) << 23));
}

/* ---- angles ---- */

/* |x| >= 2^16: 96 bits of 2/pi from the first that matters, times x, modulo 4 */
GM_SLOW float gm_reduce_big_f(float x, int *quadrant) {
  static GM_CONST uint32_t two_over_pi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                            0xf534ddc0, 0xdb629599, 0x3c439041};
  uint32_t bits = gm_bits_f(x), m = (bits << 8) | 0x80000000u, at = ((bits >> 23) & 0xff) - 128;
  const uint32_t *w = two_over_pi + (at >> 5);
  uint32_t sh = at & 31, part[3];
  for (int i = 0; i < 3; i++) part[i] = sh ? (w[i] << sh) | (w[i + 1] >> (32 - sh)) : w[i];
  uint64_t p =
      ((uint64_t)(m * part[0]) << 32) + (uint64_t)m * part[1] + (((uint64_t)m * part[2]) >> 32);
  int64_t fraction = (int64_t)(p << 2);
  int q = (int)(p >> 62) + (fraction < 0);
  float r = (float)gm_mul((double)fraction, 8.515303950216386e-20);
  *quadrant = (bits >> 31) ? -q : q;
  return (bits >> 31) ? -r : r;
}

/* x - quadrant pi/2, in [-pi/4, pi/4] */
GM_FN float gm_reduce_f(float x, int *quadrant) {
  if (gm_abs_f(x) < 65536.0f) {
    float k = gm_rint_f(gm_mul_f(x, 0.636619747f));
    float r = gm_fma_f(k, -1.57079637f, x);
    *quadrant = (int)k;
    r = gm_fma_f(k, 4.37113883e-08f, r);
    return gm_fma_f(k, 1.71512451e-15f, r);
  }
  if (gm_abs_f(x) < GM_INF_F) return gm_reduce_big_f(x, quadrant);
  *quadrant = 0;
  return x - x;
}

GM_FN float gm_sin_poly_f(float r) {
  static GM_CONST float c[] = {-0.166666672f, 0.00833332911f, -0.000198392576f, 2.71756858e-06f};
  float u = gm_mul_f(r, r);
  return gm_fma_f(gm_mul_f(r, u), GM_HORNER_F(u, c), r);
}

GM_FN float gm_cos_poly_f(float r) {
  static GM_CONST float c[] = {0.0416666679f, -0.00138888834f, 2.47994376e-05f, -2.72034043e-07f};
  float u = gm_mul_f(r, r);
  return gm_fma_f(u, gm_fma_f(u, GM_HORNER_F(u, c), -0.5f), 1.0f);
}

/* sine of r + quadrant pi/2; a cosine is one quadrant further */
GM_FN float gm_wave_f(float r, int quadrant) {
  float y = (quadrant & 1) ? gm_cos_poly_f(r) : gm_sin_poly_f(r);
  return (quadrant & 2) ? -y : y;
}

GM_FN float gm_sinf(float x) {
  int q;
  float r = gm_reduce_f(x, &q);
  return x == 0.0f ? x : gm_wave_f(r, q);
}

GM_FN float gm_cosf(float x) {
  int q;
  float r = gm_reduce_f(x, &q);
  return gm_wave_f(r, q + 1);
}

GM_FN void gm_sincosf(float x, float *s, float *c) {
  int q;
  float r = gm_reduce_f(x, &q);
  *s = x == 0.0f ? x : gm_wave_f(r, q);
  *c = gm_wave_f(r, q + 1);
}

GM_FN float gm_tanf(float x) {
  static GM_CONST float c[] = {0.333333313f,   0.133334324f,   0.0539514236f,    0.0220069997f,
                               0.00824851356f, 0.00516129006f, -0.000773045409f, 0.00211643847f};
  int q;
  float r = gm_reduce_f(x, &q), u = gm_mul_f(r, r);
  float t = gm_fma_f(gm_mul_f(r, u), GM_HORNER_F(u, c), r);
  return x == 0.0f ? x : (q & 1) ? -1.0f / t : t;
}

/* pi times the distance to the nearest half integer; the distance is exact */
GM_FN float gm_reduce_pi_f(float x, int *quadrant) {
  float big = gm_mul_f(x, 0.5f), t = x - gm_mul_f(gm_trunc_f(big), 2.0f);
  float k = gm_rint_f(gm_mul_f(t, 2.0f)), r = gm_fma_f(k, -0.5f, t);
  *quadrant = (int)k;
  return gm_fma_f(r, 3.14159274f, gm_mul_f(r, -8.74227766e-08f));
}

GM_FN float gm_sinpif(float x) {
  int q;
  if (!(gm_abs_f(x) < GM_INF_F)) return x - x;
  float r = gm_reduce_pi_f(x, &q);
  return gm_trunc_f(x) == x ? gm_copysign_f(0.0f, x) : gm_wave_f(r, q);
}

GM_FN float gm_cospif(float x) {
  int q;
  if (!(gm_abs_f(x) < GM_INF_F)) return x - x;
  float r = gm_reduce_pi_f(x, &q);
  return (q & 1) && r == 0.0f ? 0.0f : gm_wave_f(r, q + 1);
}

/* asin(a) - a for a in [0, 0.5], from u = a a */
GM_FN float gm_asin_tail_f(float a, float u) {
  static GM_CONST float c[] = {0.166667759f, 0.0749425739f, 0.0456090234f, 0.023460418f,
                               0.0434392355f};
  return gm_mul_f(gm_mul_f(a, u), GM_HORNER_F(u, c));
}

GM_FN float gm_asinf(float x) {
  float a = gm_abs_f(x), y;
  if (a <= 0.5f) {
    y = a + gm_asin_tail_f(a, gm_mul_f(a, a));
  } else {
    float u = gm_fma_f(a, -0.5f, 0.5f), s = gm_sqrt_f(u), t = gm_asin_tail_f(s, u);
    y = 1.57079637f - gm_fma_f(2.0f, s, gm_fma_f(2.0f, t, 4.37113883e-08f));
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_acosf(float x) {
  float a = gm_abs_f(x);
  if (a <= 0.5f) {
    float t = gm_asin_tail_f(a, gm_mul_f(a, a)), y = a + t;
    return 1.57079637f - ((x < 0 ? -y : y) + 4.37113883e-08f);
  }
  float u = gm_fma_f(a, -0.5f, 0.5f), s = gm_sqrt_f(u),
        y = gm_mul_f(2.0f, s + gm_asin_tail_f(s, u));
  return x < 0 ? 3.14159274f - (y + 8.74227766e-08f) : y;
}

/* arc tangent of a in [0, 1] */
GM_FN float gm_atan_poly_f(float a) {
  static GM_CONST float c[] = {-0.333333015f,  0.199986383f,   -0.142652422f,
                               0.109575547f,   -0.0841938928f, 0.0582332686f,
                               -0.0314543657f, 0.0110637043f,  -0.00182704546f};
  float u = gm_mul_f(a, a);
  return gm_fma_f(gm_mul_f(a, u), GM_HORNER_F(u, c), a);
}

GM_FN float gm_atanf(float x) {
  float a = gm_abs_f(x), r = gm_atan_poly_f(a > 1.0f ? 1.0f / a : a);
  return gm_copysign_f(a > 1.0f ? 1.57079637f - (r + 4.37113883e-08f) : r, x);
}

GM_FN float gm_atan2f(float y, float x) {
  float ax = gm_abs_f(x), ay = gm_abs_f(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  if (x != x || y != y) return x + y;
  float q = big == 0.0f ? 0.0f : small == big ? 1.0f : small / big, r = gm_atan_poly_f(q);
  if (ay > ax) r = 1.57079637f - (r + 4.37113883e-08f);
  if (gm_bits_f(x) >> 31) r = 3.14159274f - (r + 8.74227766e-08f);
  return gm_copysign_f(r, y);
}

/* ---- exponentials ---- */

/* exp(r) - 1 - r for |r| <= ln 2 / 2 */
GM_FN float gm_exp_tail_f(float r) {
  static GM_CONST float c[] = {0.5f,           0.166666672f,   0.0416662544f,
                               0.00833326206f, 0.00139472086f, 0.000199197879f};
  return gm_mul_f(gm_mul_f(r, r), GM_HORNER_F(r, c));
}

/* exp(x + lo) 2^shift; lo is small beside x */
GM_FN float gm_exp_ext_f(float x, float lo, int shift) {
  if (x != x) return x;
  x = x > 400.0f ? 400.0f : x < -400.0f ? -400.0f : x;
  float k = gm_rint_f(gm_mul_f(x, 1.44269502f)), r = gm_fma_f(k, -0.693147182f, x);
  r = gm_fma_f(k, 1.90465421e-09f, r) + lo;
  return gm_scale_f(1.0f + (r + gm_exp_tail_f(r)), (int)k + shift);
}

GM_FN float gm_expf(float x) { return gm_exp_ext_f(x, 0.0f, 0); }

GM_FN float gm_exp2f(float x) {
  if (x != x) return x;
  x = x > 400.0f ? 400.0f : x < -400.0f ? -400.0f : x;
  float k = gm_rint_f(x), r = gm_mul_f(x - k, 0.693147182f);
  return gm_scale_f(1.0f + (r + gm_exp_tail_f(r)), (int)k);
}

GM_FN float gm_exp10f(float x) {
  if (x != x) return x;
  x = x > 100.0f ? 100.0f : x < -100.0f ? -100.0f : x;
  float k = gm_rint_f(gm_mul_f(x, 3.32192802f)), d = gm_fma_f(k, -0.30103001f, x);
  d = gm_fma_f(k, 1.43209888e-08f, d);
  float r = gm_fma_f(d, 2.30258512f, gm_mul_f(d, -3.19754356e-08f));
  return gm_scale_f(1.0f + (r + gm_exp_tail_f(r)), (int)k);
}

GM_FN float gm_expm1f(float x) {
  if (x != x) return x;
  if (x > 88.8f) return GM_INF_F;
  if (x < -20.0f) return -1.0f;
  float k = gm_rint_f(gm_mul_f(x, 1.44269502f)), r = gm_fma_f(k, -0.693147182f, x);
  r = gm_fma_f(k, 1.90465421e-09f, r);
  float tail = gm_exp_tail_f(r), e = r + tail;
  if (k == 0.0f) return x == 0.0f ? x : e;
  float half = gm_scale_f(1.0f, (int)k - 1), base = half - 0.5f, p = gm_mul_f(e, half),
        s = base + p, back = s - base;
  float lost = ((base - (s - back)) + (p - back)) + ((half - base) - 0.5f);
  return gm_mul_f(2.0f, s + gm_fma_f((r - e) + tail, half, lost));
}

GM_FN float gm_sinhf(float x) {
  float a = gm_abs_f(x), y;
  if (a < 18.0f) {
    float t = gm_expm1f(a);
    y = gm_mul_f(0.5f, t + t / (t + 1.0f));
  } else {
    y = gm_exp_ext_f(a, 0.0f, -1);
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_coshf(float x) {
  float h = gm_exp_ext_f(gm_abs_f(x), 0.0f, -1);
  return h + 0.25f / h;
}

GM_FN float gm_tanhf(float x) {
  static GM_CONST float c[] = {-0.333333164f, 0.133325338f, -0.0538461171f, 0.02104377f,
                               -0.0062317038f};
  float a = gm_abs_f(x), y;
  if (a < 0.55f) {
    float u = gm_mul_f(a, a);
    y = gm_fma_f(gm_mul_f(a, u), GM_HORNER_F(u, c), a);
  } else {
    y = 1.0f - 2.0f / (gm_expf(gm_mul_f(2.0f, a)) + 1.0f);
  }
  return gm_copysign_f(y, x);
}

/* ---- logarithms ---- */

/* x = m 2^result with m in [sqrt(1/2), sqrt(2)); x positive and finite */
GM_FN int gm_split_f(float x, float *m) {
  int adjust = 0;
  if (x < 1.17549435e-38f) {
    x = gm_mul_f(x, 16777216.0f);
    adjust = -24;
  }
  uint32_t bits = gm_bits_f(x), e = bits - 0x3f3504f3u;
  *m = gm_from_bits_f(bits - (e & 0xff800000u));
  return ((int32_t)e >> 23) + adjust;
}

/* log(1+f) - f for f in [-0.32, 0.42] */
GM_FN float gm_log1p_tail_f(float f) {
  static GM_CONST float c[] = {0.333333015f,  -0.249998525f, 0.200029939f,
                               -0.166769221f, 0.142076492f,  -0.122475684f,
                               0.118278533f,  -0.125595436f, 0.079095833f};
  return gm_mul_f(gm_mul_f(f, f), gm_fma_f(f, GM_HORNER_F(f, c), -0.5f));
}

/* what a logarithm gives at and outside the ends of (0, inf) */
GM_FN float gm_log_edge_f(float x) { return x == 0.0f ? -GM_INF_F : x < 0.0f ? GM_NAN_F : x + x; }

GM_FN bool gm_log_plain_f(float x) { return x > 0.0f && x < GM_INF_F; }

GM_FN float gm_logf(float x) {
  float m;
  if (!gm_log_plain_f(x)) return gm_log_edge_f(x);
  float e = (float)gm_split_f(x, &m), f = m - 1.0f;
  float lo = gm_fma_f(e, 1.42860682e-06f, gm_log1p_tail_f(f));
  return gm_fma_f(e, 0.693145752f, f + lo);
}

/* e unit_hi + e unit_lo + (log(1+f)) base, base and unit in two parts; e unit_hi is exact */
GM_FN float gm_log_base_f(float x, float base_hi, float base_lo, float unit_hi, float unit_lo) {
  float m;
  float e = (float)gm_split_f(x, &m), f = m - 1.0f, hi = gm_mul_f(f, base_hi);
  float lo = gm_fma_f(gm_log1p_tail_f(f), base_hi, gm_fma_f(f, base_lo, gm_fma_f(f, base_hi, -hi)));
  float big = gm_mul_f(e, unit_hi), sum = big + hi;
  if (e == 0.0f) return hi + lo;
  return sum + (gm_fma_f(e, unit_lo, (big - sum) + hi) + lo);
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
  float m;
  if (x > -0.29f && x < 0.41f) return x == 0.0f ? x : x + gm_log1p_tail_f(x);
  if (!(x > -1.0f && x < GM_INF_F)) return x == -1.0f ? -GM_INF_F : x < -1.0f ? GM_NAN_F : x + x;
  int e = gm_split_f(1.0f + x, &m);
  float s = gm_scale_f(1.0f, -e), f = gm_fma_f(x, s, s - 1.0f);
  float lost = gm_fma_f(x, s, (s - 1.0f) - f);
  float lo = gm_fma_f((float)e, 1.42860682e-06f, gm_log1p_tail_f(f) + lost);
  return gm_fma_f((float)e, 0.693145752f, f + lo);
}

GM_FN float gm_asinhf(float x) {
  float a = gm_abs_f(x), y;
  if (a > 16777216.0f) {
    y = gm_logf(a) + 0.693147182f;
  } else {
    float q = gm_mul_f(a, a);
    y = gm_log1pf(a + q / (1.0f + gm_sqrt_f(q + 1.0f)));
  }
  return gm_copysign_f(y, x);
}

GM_FN float gm_acoshf(float x) {
  if (x > 16777216.0f) return gm_logf(x) + 0.693147182f;
  float t = x - 1.0f;
  return gm_log1pf(t + gm_sqrt_f(gm_fma_f(t, t, gm_mul_f(2.0f, t))));
}

GM_FN float gm_atanhf(float x) {
  float a = gm_abs_f(x);
  return gm_copysign_f(gm_mul_f(0.5f, gm_log1pf(gm_mul_f(2.0f, a) / (1.0f - a))), x);
}

/* ---- powers and roots ---- */

/* log(x) in two parts, relative error about 2^-31: 2 atanh(z) with z = f / (2 + f) carried in two
 * parts */
GM_FN float gm_log_two_f(float x, float *lo) {
  static GM_CONST float c[] = {0.666667938f, 0.399751782f, 0.299391747f};
  float m;
  float e = (float)gm_split_f(x, &m), f = m - 1.0f, d = 2.0f + f, z = f / d;
  float left = gm_fma_f(-z, d, f) - gm_mul_f(z, f - (d - 2.0f)), u = gm_mul_f(z, z);
  float tail = gm_fma_f(gm_mul_f(z, u), GM_HORNER_F(u, c), gm_mul_f(2.0f, left / d));
  float head = gm_mul_f(2.0f, z), big = gm_mul_f(e, 0.693145752f), sum = big + head;
  float rest = e == 0.0f ? tail : gm_fma_f(e, 1.42860682e-06f, (big - sum) + head) + tail;
  float hi = sum + rest;
  *lo = (sum - hi) + rest;
  return hi;
}

/* |x|^y for positive finite x and finite y */
GM_FN float gm_pow_core_f(float x, float y) {
  float lo, hi = gm_log_two_f(x, &lo), p = gm_mul_f(hi, y),
            tail = gm_fma_f(lo, y, gm_fma_f(hi, y, -p));
  return gm_exp_ext_f(p, gm_abs_f(p) < 200.0f ? tail : 0.0f, 0);
}

/* 0: y is no integer, 1: odd, 2: even */
GM_FN int gm_parity_f(float y) {
  if (gm_trunc_f(y) != y) return 0;
  float h = gm_mul_f(y, 0.5f);
  return gm_trunc_f(h) == h ? 2 : 1;
}

GM_SLOW float gm_powf(float x, float y) {
  float a = gm_abs_f(x), r;
  int parity = gm_parity_f(y);
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  if (gm_abs_f(y) == GM_INF_F) return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? GM_INF_F : 0.0f;
  if (x < 0.0f && a < GM_INF_F && parity == 0) return GM_NAN_F;
  if (a == 0.0f || a == GM_INF_F)
    r = (a == 0.0f) == (y > 0.0f) ? 0.0f : GM_INF_F;
  else
    r = gm_pow_core_f(a, y);
  return (gm_bits_f(x) >> 31) && parity == 1 ? -r : r;
}

GM_FN float gm_cbrtf(float x) {
  float a = gm_abs_f(x), back = 1.0f;
  if (a == 0.0f || !(a < GM_INF_F)) return x + x;
  if (a < 1.17549435e-38f) {
    a = gm_mul_f(a, 16777216.0f);
    back = 0.00390625f;
  }
  float t = gm_from_bits_f(gm_bits_f(a) / 3 + 0x2a514067u);
  for (int i = 0; i < 3; i++)
    t = gm_fma_f(gm_fma_f(-t, gm_mul_f(t, t), a) / gm_mul_f(t, t), 0.333333343f, t);
  float s = gm_mul_f(t, t), e = gm_fma_f(-t, s, a) - gm_mul_f(t, gm_fma_f(t, t, -s));
  return gm_copysign_f(gm_mul_f(gm_fma_f(e / s, 0.333333343f, t), back), x);
}

GM_FN float gm_rcbrtf(float x) {
  float c = gm_cbrtf(x), r = 1.0f / c;
  if (!(gm_abs_f(c) < GM_INF_F) || c == 0.0f) return r;
  return gm_fma_f(r, gm_fma_f(-c, r, 1.0f), r);
}

GM_FN float gm_rsqrtf(float x) {
  float r = 1.0f / gm_sqrt_f(x);
  if (!(x > 0.0f) || x == GM_INF_F) return r;
  float h = gm_mul_f(x, r), e = gm_fma_f(-h, r, 1.0f) - gm_mul_f(gm_fma_f(x, r, -h), r);
  return gm_fma_f(gm_mul_f(0.5f, r), e, r);
}

/* the power of two that brings a near 1, as a step of exponents small enough to be inverted */
GM_FN int gm_near_one_f(float a) {
  int e = (int)((gm_bits_f(a) >> 23) & 0xff) - 127;
  return e < -100 ? -100 : e;
}

/* sqrt(a a + b b + c c + d d) 2^*shift without overflow; infinite if any is */
GM_FN float gm_norm_f(float a, float b, float c, float d, int *shift) {
  float v[4] = {gm_abs_f(a), gm_abs_f(b), gm_abs_f(c), gm_abs_f(d)}, big = 0.0f, s = 0.0f;
  *shift = 0;
  for (int i = 0; i < 4; i++) big = v[i] > big ? v[i] : big;
  if (big == GM_INF_F) return GM_INF_F;
  *shift = gm_near_one_f(big);
  for (int i = 0; i < 4; i++) v[i] = gm_scale_f(v[i], -*shift);
  s = gm_mul_f(v[3], v[3]);
  for (int i = 2; i >= 0; i--) s = gm_fma_f(v[i], v[i], s);
  return gm_sqrt_f(s);
}

GM_FN float gm_norm4df(float a, float b, float c, float d) {
  int k;
  float r = gm_norm_f(a, b, c, d, &k);
  return gm_scale_f(r, k);
}

GM_FN float gm_rnorm4df(float a, float b, float c, float d) {
  int k;
  float r = gm_norm_f(a, b, c, d, &k);
  return gm_scale_f(1.0f / r, -k);
}

GM_FN float gm_hypotf(float a, float b) { return gm_norm4df(a, b, 0.0f, 0.0f); }

GM_FN float gm_rhypotf(float a, float b) { return gm_rnorm4df(a, b, 0.0f, 0.0f); }

/* ---- remainders and parts ---- */

/* significand and exponent of a positive finite a = m 2^e, m below 2^24 with its top bit set */
GM_FN uint32_t gm_significand_f(float a, int *e) {
  uint32_t bits = gm_bits_f(a), m = bits & 0x7fffff;
  *e = (int)(bits >> 23) - 150;
  if (bits >> 23) return m | 0x800000;
  int up = gm_clz(m) - 8;
  *e = -149 - up;
  return m << up;
}

/* a mod b for positive finite a and b; the low bits of the quotient, too */
GM_SLOW float gm_mod_f(float a, float b, uint32_t *quotient) {
  int ea, eb;
  *quotient = 0;
  if (a < b) return a;
  uint64_t m = gm_significand_f(a, &ea), n = gm_significand_f(b, &eb);
  uint32_t q = (uint32_t)(m / n);
  m %= n;
  for (int left = ea - eb; left > 0;) {
    int step = left < 32 ? left : 32;
    m <<= step;
    q = step < 32 ? q << step : 0;
    q += (uint32_t)(m / n);
    m %= n;
    left -= step;
  }
  *quotient = q;
  return gm_scale_f((float)m, eb);
}

GM_FN float gm_fmodf(float x, float y) {
  uint32_t q;
  if (!(gm_abs_f(x) < GM_INF_F) || y != y || y == 0.0f) return GM_NAN_F;
  return gm_abs_f(y) == GM_INF_F ? x : gm_copysign_f(gm_mod_f(gm_abs_f(x), gm_abs_f(y), &q), x);
}

GM_FN float gm_remquof(float x, float y, int *quo) {
  float a = gm_abs_f(x), b = gm_abs_f(y);
  uint32_t q = 0;
  *quo = 0;
  if (!(a < GM_INF_F) || y != y || b == 0.0f) return GM_NAN_F;
  if (b == GM_INF_F) return x;
  float r = gm_mod_f(a, b, &q), rest = b - r;
  if (r > rest || (r == rest && (q & 1))) {
    r = -rest;
    q++;
  }
  *quo = (int)(q & 0x7fffffff);
  if ((gm_bits_f(x) ^ gm_bits_f(y)) >> 31) *quo = -*quo;
  return (gm_bits_f(x) >> 31) ? -r : r;
}

GM_FN float gm_remainderf(float x, float y) {
  int q;
  return gm_remquof(x, y, &q);
}

GM_FN float gm_frexpf(float x, int *e) {
  *e = 0;
  if (x == 0.0f || !(gm_abs_f(x) < GM_INF_F)) return x;
  uint32_t m = gm_significand_f(gm_abs_f(x), e);
  *e += 24;
  return gm_copysign_f(gm_mul_f((float)m, 5.9604644775390625e-08f), x);
}

GM_FN int gm_ilogbf(float x) {
  int e;
  if (x == 0.0f || x != x) return (-2147483647 - 1);
  if (gm_abs_f(x) == GM_INF_F) return 2147483647;
  gm_significand_f(gm_abs_f(x), &e);
  return e + 23;
}

GM_FN float gm_logbf(float x) {
  if (x == 0.0f) return -GM_INF_F;
  return gm_abs_f(x) < GM_INF_F ? (float)gm_ilogbf(x) : gm_mul_f(x, x);
}

GM_FN float gm_modff(float x, float *whole) {
  *whole = gm_trunc_f(x);
  return gm_copysign_f(gm_abs_f(x) == GM_INF_F ? 0.0f : x - *whole, x);
}

GM_FN float gm_nextafterf(float x, float y) {
  uint32_t bits = gm_bits_f(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return gm_copysign_f(1.40129846e-45f, y);
  return gm_from_bits_f((x < y) == (x > 0.0f) ? bits + 1 : bits - 1);
}

/* half away from zero */
GM_FN float gm_roundf(float x) {
  float t = gm_trunc_f(x);
  return gm_copysign_f(gm_abs_f(x - t) >= 0.5f ? t + gm_copysign_f(1.0f, x) : t, x);
}

/* ---- error function ---- */

/* exp(x x) erfc(x) for x >= 0 */
GM_FN float gm_erfcx_pos_f(float x) {
  static GM_CONST float c[] = {
      1.23299515f,      -0.139621109f,    0.0153796552f,   0.0680969432f,    -0.101039127f,
      0.0937340483f,    -0.0663299486f,   0.0371615589f,   -0.0161992367f,   0.00504710013f,
      -0.000754822104f, -0.000220301139f, 0.000147433981f, -8.65715174e-06f, -9.49241712e-06f};
  float t = x < 1e18f ? (x - 4.0f) / (x + 4.0f) : 1.0f;
  return GM_HORNER_F(t, c) / gm_fma_f(2.0f, x, 1.0f);
}

/* erf(x) for |x| <= 1 */
GM_FN float gm_erf_small_f(float x) {
  static GM_CONST float c[] = {0.128379166f,   -0.37612626f,     0.112836003f,   -0.0268544443f,
                               0.00518953474f, -0.000802083756f, 7.88911202e-05f};
  float u = gm_mul_f(x, x);
  return gm_fma_f(x, GM_HORNER_F(u, c), x);
}

/* erfc(x) for x >= 0.4 */
GM_FN float gm_erfc_tail_f(float x) {
  float s = gm_mul_f(x, x), lo = gm_fma_f(x, x, -s);
  if (x > 11.0f) return 0.0f;
  return gm_mul_f(gm_exp_ext_f(-s, -lo, 0), gm_erfcx_pos_f(x));
}

GM_FN float gm_erff(float x) {
  float a = gm_abs_f(x);
  if (a < 1.0f) return gm_erf_small_f(x);
  return x != x ? x : gm_copysign_f(1.0f - gm_erfc_tail_f(a), x);
}

GM_FN float gm_erfcf(float x) {
  float a = gm_abs_f(x);
  if (a < 0.4f) return 1.0f - gm_erf_small_f(x);
  if (x != x) return x;
  float t = gm_erfc_tail_f(a);
  return x < 0.0f ? 2.0f - t : t;
}

#endif
