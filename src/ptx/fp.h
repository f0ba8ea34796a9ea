#ifndef GMMU_PTX_FP_H
#define GMMU_PTX_FP_H
/* Floating point that is the same everywhere.
 *
 * fp_*: correctly rounded operations in integer arithmetic, for any rounding and for f16, f32 and
 * f64 alike; operands are doubles (which hold every f16 and f32 exactly) and the result is rounded
 * once, to the format. The interpreter uses them for .rz, .rm, .rp and for conversions; round to
 * nearest of f32 and f64 goes through the hardware, which IEEE 754 defines as exactly.
 *
 * approx_*: what PTX calls .approx, from polynomials in double precision. Errors against the exact
 * value, in units in the last place of f32: ex2, lg2 (near 1 too), sin, cos (any argument: exact
 * range reduction), rsqrt and tanh below 0.51. Hardware differs in the last bits; PTX allows 2. */
#include "ptx/ir.h"

typedef struct {
  int prec, emin, emax; /* bits of the significand, exponents of normal numbers */
} fpformat_t;
extern const fpformat_t fp_f16, fp_bf16, fp_f32, fp_f64;
const fpformat_t *fp_format(uint8_t type); /* of a pair: its halves' */

uint64_t fp_fma(const fpformat_t *f, double a, double b, double c, int rnd); /* RND_*; bits */
uint64_t fp_mul(const fpformat_t *f, double a, double b, int rnd);
uint64_t fp_div(const fpformat_t *f, double a, double b, int rnd);
uint64_t fp_sqrt(const fpformat_t *f, double a, int rnd);
uint64_t fp_round(const fpformat_t *f, double a, int rnd); /* conversion to a narrower format */
uint64_t fp_from_int(const fpformat_t *f, bool negative, uint64_t magnitude, int rnd);
uint64_t fp_nan(const fpformat_t *f);
double fp_integral(double a, int rnd); /* to an integral value; keeps the sign of zero */
/* To an integer of `bits` bits: saturates; NaN gives `nan`. Low bits hold the result. */
uint64_t fp_to_int(double a, int rnd, uint32_t bits, bool is_signed, uint64_t nan);
double fp_from_bits(const fpformat_t *f, uint64_t bits); /* exact */

float approx_ex2(float x);
float approx_lg2(float x);
float approx_sin(float x);
float approx_cos(float x);
float approx_rsqrt(float x);
float approx_tanh(float x);

/* One operation (FOP_*, RN) on bits of f16 or bf16. */
uint16_t half_op(const fpformat_t *f, uint8_t fop, uint16_t a, uint16_t b, uint16_t c, bool ftz,
                 bool sat, bool nan);

static inline float bits_f32(uint32_t u) {
  float f;
  __builtin_memcpy(&f, &u, 4);
  return f;
}
static inline uint32_t f32_bits(float f) {
  uint32_t u;
  __builtin_memcpy(&u, &f, 4);
  return u;
}
static inline double bits_f64(uint64_t u) {
  double f;
  __builtin_memcpy(&f, &u, 8);
  return f;
}
static inline uint64_t f64_bits(double f) {
  uint64_t u;
  __builtin_memcpy(&u, &f, 8);
  return u;
}
#endif
