#ifndef GMMU_PTX_APPROX_H
#define GMMU_PTX_APPROX_H
/* The approximate functions, written without branches so that loops over lanes vectorise.
 *
 * Everything happens in double precision with +, -, *, / and sqrt, which are correctly rounded on
 * every machine; the last step rounds to f32. Integers are found by adding 1.5 * 2^52, which leaves
 * them in the low bits. Accuracy: see fp.h. */
#include "ptx/fp.h"

#define APPROX_MAGIC 0x1.8p52
#define APPROX_TRIG  1e5f /* up to here sine and cosine reduce their argument in three steps */

/* 2^x for -1000 < x < 1000: Taylor series of e^(f ln 2) for |f| <= 0.5, error 2^-37 */
static inline double lane_exp2(double x) {
  double t = x + APPROX_MAGIC, f = (x - (t - APPROX_MAGIC)) * 0x1.62e42fefa39efp-1;
  double r = 1.0 / 3628800;
  r = r * f + 1.0 / 362880;
  r = r * f + 1.0 / 40320;
  r = r * f + 1.0 / 5040;
  r = r * f + 1.0 / 720;
  r = r * f + 1.0 / 120;
  r = r * f + 1.0 / 24;
  r = r * f + 1.0 / 6;
  r = r * f + 0.5;
  r = r * f + 1;
  r = r * f + 1;
  return r * bits_f64((f64_bits(t) + 1023) << 52);
}

static inline float lane_ex2(float x) {
  double d = x;
  d = d < -151 ? -151 : d; /* below the smallest number, above the largest: as good as infinite */
  d = d > 129 ? 129 : d;
  return (float)lane_exp2(d);
}

static inline float lane_lg2(float x) {
  uint64_t u = f64_bits((double)x);
  double e = bits_f64((u >> 52 & 2047) | 0x4330000000000000u) - 0x1p52 - 1023;
  double m = bits_f64((u & 0xfffffffffffffu) | (uint64_t)1023 << 52);
  bool high = m > 1.4142135623730951;
  m = high ? m * 0.5 : m;
  e = high ? e + 1 : e;
  double s = (m - 1) / (m + 1), q = s * s, r = 1.0 / 17;
  r = r * q + 1.0 / 15;
  r = r * q + 1.0 / 13;
  r = r * q + 1.0 / 11;
  r = r * q + 1.0 / 9;
  r = r * q + 1.0 / 7;
  r = r * q + 1.0 / 5;
  r = r * q + 1.0 / 3;
  r = r * q + 1;
  float v = (float)(e + r * s * 0x1.71547652b82fep+1); /* 2 / ln 2 */
  v = x > 0x1.fffffep127f ? x : v;
  v = x == 0 ? bits_f32(0xff800000) : v;
  return x >= 0 ? v : bits_f32(0x7fffffff);
}

static inline double lane_sin_unit(double r) { /* |r| <= pi / 4 */
  double s = r * r, v = 1.0 / 6227020800.0;
  v = v * s - 1.0 / 39916800;
  v = v * s + 1.0 / 362880;
  v = v * s - 1.0 / 5040;
  v = v * s + 1.0 / 120;
  v = v * s - 1.0 / 6;
  return (v * s + 1) * r;
}

static inline double lane_cos_unit(double r) {
  double s = r * r, v = 1.0 / 479001600.0;
  v = v * s - 1.0 / 3628800;
  v = v * s + 1.0 / 40320;
  v = v * s - 1.0 / 720;
  v = v * s + 1.0 / 24;
  v = v * s - 0.5;
  return v * s + 1;
}

static inline float lane_quadrant(uint64_t quadrant, double r) {
  double s = lane_sin_unit(r), c = lane_cos_unit(r), v = quadrant & 1 ? c : s;
  return (float)(quadrant & 2 ? -v : v);
}

/* sin(x + quadrant * pi / 2) for |x| <= APPROX_TRIG; pi / 2 in three parts, so that products with
 * the number of quarter turns are exact */
static inline float lane_sine(float x, uint64_t quadrant) {
  double d = x, t = d * 0x1.45f306dc9c883p-1 + APPROX_MAGIC, k = t - APPROX_MAGIC;
  double r = d - k * 0x1.921fb544p+0;
  r = r - k * 0x1.0b4611a6p-34;
  r = r - k * 0x1.3198a2e037073p-69;
  return lane_quadrant((f64_bits(t) & 3) + quadrant, r);
}

static inline float lane_rsqrt(float x) { return (float)(1 / __builtin_sqrt((double)x)); }

static inline float lane_tanh(float x) {
  double a = bits_f64(f64_bits((double)x) & 0x7fffffffffffffffu), b = a > 20 ? 20 : a;
  double t = lane_exp2(b * 0x1.71547652b82fep+1), far = (t - 1) / (t + 1);
  double near = a * (1 - a * a * (1.0 / 3 - a * a * (2.0 / 15)));
  float r = (float)(a < 0.01 ? near : far);
  return bits_f32(f32_bits(r) | (f32_bits(x) & 0x80000000u));
}
#endif
