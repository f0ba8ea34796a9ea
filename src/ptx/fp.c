/* Correctly rounded arithmetic: a number is sign, 128-bit significand and exponent; operations make
 * it exact or "exact but for a sticky lowest bit", and pack() rounds once.
 *
 * A sticky bit is safe because every operation leaves at least 70 significant bits above it, and
 * formats have at most 53. */
#include "ptx/fp.h"
#include "ptx/approx.h"
#include "ptx/code.h"

__extension__ typedef unsigned __int128 u128;

const fpformat_t fp_f16 = {11, -14, 15}, fp_bf16 = {8, -126, 127}, fp_f32 = {24, -126, 127},
                 fp_f64 = {53, -1022, 1023};

const fpformat_t *fp_format(uint8_t type) {
  switch (type) {
  case T_F16:
  case T_F16X2: return &fp_f16;
  case T_BF16:
  case T_BF16X2: return &fp_bf16;
  case T_F32: return &fp_f32;
  default: return &fp_f64;
  }
}

typedef struct {
  bool sign, nan, inf;
  u128 sig; /* value = sig * 2^exp */
  int exp;
} num_t;

static int top_bit(u128 v) { /* v != 0 */
  uint64_t hi = (uint64_t)(v >> 64);
  return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)v);
}

static num_t unpack(double d) {
  uint64_t u = f64_bits(d), m = u & (((uint64_t)1 << 52) - 1);
  int e = (int)(u >> 52 & 2047);
  num_t n = {.sign = u >> 63};
  if (e == 2047) {
    n.nan = m != 0, n.inf = m == 0;
  } else {
    n.sig = e ? m | (uint64_t)1 << 52 : m;
    n.exp = (e ? e : 1) - 1075;
  }
  return n;
}

uint64_t fp_nan(const fpformat_t *f) {
  if (f->prec <= 11) return 0x7fff;
  return f->prec == 24 ? 0x7fffffff : 0xfff8000000000000u;
}

static int bits_of(const fpformat_t *f) { return f->prec <= 11 ? 16 : f->prec == 24 ? 32 : 64; }
static uint64_t sign_of(const fpformat_t *f, bool s) { return (uint64_t)s << (bits_of(f) - 1); }
static uint64_t inf_of(const fpformat_t *f) { return (uint64_t)(2 * f->emax + 1) << (f->prec - 1); }

static uint64_t infinity(const fpformat_t *f, bool s) { return sign_of(f, s) | inf_of(f); }

static uint64_t overflow(const fpformat_t *f, bool s, int rnd) {
  bool largest = rnd == RND_RZ || (rnd == RND_RM && !s) || (rnd == RND_RP && s);
  return sign_of(f, s) | (largest ? inf_of(f) - 1 : inf_of(f));
}

static bool round_up(bool odd, bool sign, int rest,
                     int rnd) { /* rest: 0 exact, 1 <, 2 =, 3 > half */
  switch (rnd) {
  case RND_RZ: return false;
  case RND_RM: return sign && rest;
  case RND_RP: return !sign && rest;
  default: return rest == 3 || (rest == 2 && odd);
  }
}

static uint64_t pack(const fpformat_t *f, bool sign, u128 sig, int exp, int rnd) {
  if (!sig) return sign_of(f, sign);
  int e = top_bit(sig) + exp, low = (e < f->emin ? f->emin : e) - (f->prec - 1), shift = low - exp;
  u128 q;
  int rest = 0;
  if (shift <= 0) {
    q = sig << -shift;
  } else if (shift > 127) {
    q = 0, rest = 1;
  } else {
    u128 half = (u128)1 << (shift - 1), r = sig & ((half << 1) - 1);
    q = sig >> shift;
    rest = !r ? 0 : r < half ? 1 : r == half ? 2 : 3;
  }
  uint64_t m = (uint64_t)q + round_up((uint64_t)q & 1, sign, rest, rnd);
  if (e > f->emax) return overflow(f, sign, rnd);
  uint64_t hidden = (uint64_t)1 << (f->prec - 1), bits = m;
  if (e >= f->emin) bits = ((uint64_t)(e + f->emax) << (f->prec - 1)) + (m - hidden);
  if (bits >= inf_of(f)) return overflow(f, sign, rnd);
  return sign_of(f, sign) | bits;
}

static u128 shift_sticky(u128 v, int n) {
  if (n > 127) return v != 0;
  return n ? v >> n | ((v & (((u128)1 << n) - 1)) != 0) : v;
}

static void normalise(num_t *n) { /* top bit to 125: a sum still fits */
  int up = 125 - top_bit(n->sig);
  n->sig <<= up, n->exp -= up; /* significands have at most 106 bits: up >= 0 */
}

static uint64_t sum(const fpformat_t *f, num_t a, num_t b, int rnd) {
  if (!a.sig && !b.sig) return sign_of(f, a.sign == b.sign ? a.sign : rnd == RND_RM);
  if (!a.sig) return pack(f, b.sign, b.sig, b.exp, rnd);
  if (!b.sig) return pack(f, a.sign, a.sig, a.exp, rnd);
  normalise(&a), normalise(&b);
  if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
    num_t t = a;
    a = b, b = t;
  }
  b.sig = shift_sticky(b.sig, a.exp - b.exp);
  u128 s = a.sign == b.sign ? a.sig + b.sig : a.sig - b.sig;
  if (!s) return sign_of(f, rnd == RND_RM);
  return pack(f, a.sign, s, a.exp, rnd);
}

uint64_t fp_fma(const fpformat_t *f, double da, double db, double dc, int rnd) {
  num_t a = unpack(da), b = unpack(db), c = unpack(dc);
  bool sign = a.sign != b.sign;
  if (a.nan || b.nan || c.nan) return fp_nan(f);
  if (a.inf || b.inf) {
    if ((!a.inf && !a.sig) || (!b.inf && !b.sig)) return fp_nan(f);
    return c.inf && c.sign != sign ? fp_nan(f) : infinity(f, sign);
  }
  if (c.inf) return infinity(f, c.sign);
  num_t p = {.sign = sign, .sig = a.sig * b.sig, .exp = a.exp + b.exp};
  return sum(f, p, c, rnd);
}

uint64_t fp_mul(const fpformat_t *f, double a, double b, int rnd) {
  bool sign = (f64_bits(a) ^ f64_bits(b)) >> 63;
  return fp_fma(f, a, b, sign ? -0.0 : 0.0, rnd);
}

uint64_t fp_div(const fpformat_t *f, double da, double db, int rnd) {
  num_t a = unpack(da), b = unpack(db);
  bool sign = a.sign != b.sign;
  if (a.nan || b.nan || (a.inf && b.inf) || (!a.inf && !b.inf && !a.sig && !b.sig))
    return fp_nan(f);
  if (a.inf || (!b.inf && !b.sig)) return infinity(f, sign);
  if (b.inf || !a.sig) return sign_of(f, sign);
  int up = 126 - top_bit(a.sig);
  u128 n = a.sig << up, q = n / b.sig, r = n % b.sig;
  return pack(f, sign, q | (r != 0), a.exp - up - b.exp, rnd); /* q has at least 73 bits */
}

uint64_t fp_sqrt(const fpformat_t *f, double da, int rnd) {
  num_t a = unpack(da);
  if (a.nan) return fp_nan(f);
  if (!a.inf && !a.sig) return sign_of(f, a.sign);
  if (a.sign) return fp_nan(f);
  if (a.inf) return infinity(f, false);
  int up = 125 - top_bit(a.sig);
  if ((a.exp - up) & 1) up--;
  u128 n = a.sig << up, root = 0;
  for (int i = 63; i >= 0; i--) { /* digit by digit: root has 63 bits */
    u128 t = root | (u128)1 << i;
    if (t * t <= n) root = t;
  }
  bool rest = root * root != n;
  return pack(f, false, root << 1 | rest, (a.exp - up) / 2 - 1, rnd);
}

uint64_t fp_round(const fpformat_t *f, double d, int rnd) {
  num_t a = unpack(d);
  if (a.nan) return fp_nan(f);
  if (a.inf) return infinity(f, a.sign);
  return pack(f, a.sign, a.sig, a.exp, rnd);
}

uint64_t fp_from_int(const fpformat_t *f, bool negative, uint64_t magnitude, int rnd) {
  return pack(f, negative && magnitude, magnitude, 0, rnd);
}

double fp_from_bits(const fpformat_t *f, uint64_t bits) {
  if (f->prec == 53) return bits_f64(bits);
  if (f->prec == 24) return bits_f32((uint32_t)bits);
  if (f->prec == 8) return bits_f32((uint32_t)bits << 16);
  uint64_t m = bits & 1023, e = bits >> 10 & 31;
  double v;
  if (e == 31)
    v = m ? bits_f64(0x7ff8000000000000u) : bits_f64(0x7ff0000000000000u);
  else if (e)
    v = bits_f64((e + 1008) << 52 | m << 42);
  else
    v = (double)m * 0x1p-24;
  return bits >> 15 & 1 ? -v : v;
}

double fp_integral(double d, int rnd) {
  num_t a = unpack(d);
  if (a.nan || a.inf || a.exp >= 0 || !a.sig) return d;
  uint64_t sig = (uint64_t)a.sig, q, half, r;
  int shift = -a.exp; /* 1 .. 1074 */
  if (shift > 54)
    q = 0, r = 1, half = 2;
  else
    q = sig >> shift, half = (uint64_t)1 << (shift - 1), r = sig & (2 * half - 1);
  int rest = !r ? 0 : r < half ? 1 : r == half ? 2 : 3;
  double v = (double)(q + round_up(q & 1, a.sign, rest, rnd));
  return a.sign ? -v : v;
}

uint64_t fp_to_int(double a, int rnd, uint32_t bits, bool is_signed, uint64_t nan) {
  if (a != a) return nan;
  double v = fp_integral(a, rnd), limit = bits_f64((uint64_t)(1023 + bits - is_signed) << 52);
  uint64_t max = (bits == 64 ? 0 : (uint64_t)1 << bits) - 1;
  if (!is_signed) return v <= 0 ? 0 : v >= limit ? max : (uint64_t)v;
  if (v >= limit) return max >> 1;
  if (v <= -limit) return ~(max >> 1);
  return (uint64_t)(int64_t)v;
}

/* --- approximations: approx.h has the arithmetic --- */

static float canonical(float v) { return v != v ? bits_f32(0x7fffffff) : v; }

float approx_ex2(float x) { return canonical(lane_ex2(x)); }
float approx_lg2(float x) { return canonical(lane_lg2(x)); }
float approx_rsqrt(float x) { return canonical(lane_rsqrt(x)); }
float approx_tanh(float x) { return canonical(lane_tanh(x)); }

/* Bits of 2/pi after the point, 24 at a time. */
static const uint32_t two_over_pi[] = {0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD,
                                       0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB};

static uint32_t pi_bit(uint32_t i) { return two_over_pi[i / 24] >> (23 - i % 24) & 1; }

/* |x| >= 2: x mod pi/2 by multiplying with the part of 2/pi that matters: 96 bits from where the
 * product's weight falls below 4. Returns the quadrant, *r in [-pi/4, pi/4]. */
static uint32_t reduce(double x, double *r) {
  uint64_t u = f64_bits(x) & 0x7fffffffffffffffu;
  int e = (int)(u >> 52) - 1023 - 23, start = e - 2 < 0 ? 0 : e - 2, frac = 96 + start - e;
  uint64_t m = ((u & 0xfffffffffffffu) | (uint64_t)1 << 52) >> 29; /* 24 bits: x was an f32 */
  u128 w = 0;
  for (int i = 0; i < 96; i++) w = w << 1 | pi_bit((uint32_t)(start + i));
  u128 p = w * m, one = (u128)1 << frac; /* weight of bit 0: 2^-frac */
  u128 k = (p + one / 2) >> frac;
  bool neg = p < k << frac;
  u128 d = neg ? (k << frac) - p : p - (k << frac);
  double v = (double)(uint64_t)(d >> (frac - 63)) * 0x1p-63 * 0x1.921fb54442d18p+0;
  if (neg) v = -v;
  bool minus = f64_bits(x) >> 63;
  *r = minus ? -v : v;
  return (uint32_t)(minus ? 0 - (uint32_t)k : (uint32_t)k) & 3;
}

static float sine(float x, uint32_t quadrant) {
  double r;
  if (x - x != 0) return bits_f32(0x7fffffff); /* infinity, NaN */
  if (x <= APPROX_TRIG && x >= -APPROX_TRIG) return lane_sine(x, quadrant);
  quadrant += reduce(x, &r);
  return lane_quadrant(quadrant, r);
}

float approx_sin(float x) { return sine(x, 0); }
float approx_cos(float x) { return sine(x, 1); }

/* --- f16 and bf16: operands are exact in double; 53 >= 2 * 11 + 2 bits make the double rounding
 * harmless, but for bf16's fma, whose addend may be too small for the double and still break a tie
 */

static double half_flush(double v, bool ftz) {
  bool sub = v != 0 && v < 0x1p-14 && v > -0x1p-14;
  return ftz && sub ? (v < 0 ? -0.0 : 0.0) : v;
}

static double half_minmax(double a, double b, bool max, bool nan) {
  if (a != a || b != b)
    return nan || (a != a && b != b) ? bits_f64(0x7ff8000000000000u) : a != a ? b : a;
  if (a == b) return (f64_bits(a) >> 63) == max ? b : a; /* -0 < +0 */
  return (a < b) != max ? a : b;
}

static double half_value(uint8_t fop, double a, double b, double c, bool nan) {
  switch (fop) {
  case FOP_ADD: return a + b;
  case FOP_SUB: return a - b;
  case FOP_MUL: return a * b;
  case FOP_FMA: return a * b + c; /* the product is exact, the sum's rounding harmless */
  case FOP_MIN: return half_minmax(a, b, false, nan);
  case FOP_MAX: return half_minmax(a, b, true, nan);
  case FOP_EX2: return approx_ex2((float)a);
  case FOP_TANH: return approx_tanh((float)a);
  default: return a;
  }
}

uint16_t half_op(const fpformat_t *f, uint8_t fop, uint16_t a, uint16_t b, uint16_t c, bool ftz,
                 bool sat, bool nan) {
  if (fop == FOP_FMA && nan) { /* .relu: what is negative becomes 0; what is no number stays */
    uint16_t r = half_op(f, fop, a, b, c, ftz, sat, false);
    return (r & 0x8000) && r <= (f == &fp_f16 ? 0xfc00 : 0xff80) ? 0 : r;
  }
  if (fop == FOP_NEG || fop == FOP_ABS) {
    uint16_t r = fop == FOP_NEG ? a ^ 0x8000 : a & 0x7fff;
    if ((a & 0x7fff) > (f == &fp_f16 ? 0x7c00 : 0x7f80)) return 0x7fff;
    return ftz && !(a & 0x7c00) ? r & 0x8000 : r;
  }
  double x = half_flush(fp_from_bits(f, a), ftz), y = half_flush(fp_from_bits(f, b), ftz),
         z = half_flush(fp_from_bits(f, c), ftz);
  if (fop == FOP_FMA && f == &fp_bf16) return (uint16_t)fp_fma(f, x, y, z, RND_RN);
  double v = half_value(fop, x, y, z, nan);
  if (sat) v = v > 0 ? (v < 1 ? v : 1) : 0;
  uint16_t r = (uint16_t)fp_round(f, v, RND_RN);
  return ftz && !(r & 0x7c00) ? r & 0x8000 : r;
}
