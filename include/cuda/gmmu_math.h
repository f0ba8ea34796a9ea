/*
 * C's and C++'s math functions for device code, without NVIDIA's libdevice.
 *
 * Device overloads: host code keeps the host's functions, and gets those that only CUDA has (rsqrt,
 * erfinv, normcdf, ...). They must be declared before any header of the C++ library, whose
 * constexpr functions clang would otherwise take for both sides, and from a system header, or clang
 * calls the pair a conflict; hence the pragma, and `gmmu cc` includes this file first. Accuracy:
 * docs/ptx.md.
 */
#ifndef GMMU_MATH_H
#define GMMU_MATH_H
#pragma GCC system_header

#if defined __has_include
#if __has_include(<features.h>)
#include <features.h> /* the C library's version */
#endif
#endif
#include "gmmu_math_bessel.h"
#include "gmmu_math_f32.h"
#include "gmmu_math_f64.h"

/* ---- which types a mixed call has ---- */
template <bool __yes, class __T> struct gm_if {};
template <class __T> struct gm_if<true, __T> { typedef __T type; };
template <class __T> struct gm_is_int {
  enum { value = 0, __number = 0 };
};
template <> struct gm_is_int<float> {
  enum { value = 0, __number = 1 };
};
template <> struct gm_is_int<double> {
  enum { value = 0, __number = 1 };
};
#define GM_INT(__T)                                                                                \
  template <> struct gm_is_int<__T> {                                                              \
    enum { value = 1, __number = 1 };                                                              \
  };
GM_INT(bool)
GM_INT(char)
GM_INT(signed char)
GM_INT(unsigned char)
GM_INT(short)
GM_INT(unsigned short)
GM_INT(int)
GM_INT(unsigned int)
GM_INT(long)
GM_INT(unsigned long)
GM_INT(long long)
GM_INT(unsigned long long)
#undef GM_INT
template <class __A, class __B> struct gm_same {
  enum { value = 0 };
};
template <class __A> struct gm_same<__A, __A> {
  enum { value = 1 };
};
/* two numbers of which the library has no function of their own: the call is double's */
template <class __A, class __B> struct gm_mixed {
  enum {
    value = gm_is_int<__A>::__number && gm_is_int<__B>::__number &&
            !(gm_same<__A, __B>::value && !gm_is_int<__A>::value)
  };
};

/* Who may call: the host has C's functions, and only CUDA's own from here. */
#if defined __CUDA__
#define GM_DEVICE static __device__ __forceinline__
#else
#define GM_DEVICE GM_FN
#endif
#define GM_API GM_DEVICE

/* ---- shapes: float and double functions, C++ overloads, integers as doubles ---- */
#define GM_ONE(name, single, dble)                                                                 \
  GM_API float name##f(float x) { return single(x); }                                              \
  GM_API double name(double x) { return dble(x); }
#define GM_OVERLOAD(name)                                                                          \
  GM_API float name(float x) { return name##f(x); }                                                \
  template <class __T> GM_API typename gm_if<gm_is_int<__T>::value, double>::type name(__T x) {    \
    return name((double)x);                                                                        \
  }
#define GM_TWO(name, single, dble)                                                                 \
  GM_API float name##f(float x, float y) { return single(x, y); }                                  \
  GM_API double name(double x, double y) { return dble(x, y); }
#define GM_OVERLOAD2(name)                                                                         \
  GM_API float name(float x, float y) { return name##f(x, y); }                                    \
  template <class __A, class __B>                                                                  \
  GM_API typename gm_if<gm_mixed<__A, __B>::value, double>::type name(__A x, __B y) {              \
    return name((double)x, (double)y);                                                             \
  }

/* functions whose float version is the double one, rounded: rare enough */
#define GM_VIA_DOUBLE(name)                                                                        \
  GM_FN float gm_##name##f(float x) { return (float)gm_##name((double)x); }
GM_VIA_DOUBLE(lgamma)
GM_VIA_DOUBLE(tgamma)
GM_VIA_DOUBLE(erfcx)
GM_VIA_DOUBLE(erfinv)
GM_VIA_DOUBLE(erfcinv)
GM_VIA_DOUBLE(normcdf)
GM_VIA_DOUBLE(normcdfinv)
GM_VIA_DOUBLE(j0)
GM_VIA_DOUBLE(j1)
GM_VIA_DOUBLE(y0)
GM_VIA_DOUBLE(y1)
GM_VIA_DOUBLE(cyl_bessel_i0)
GM_VIA_DOUBLE(cyl_bessel_i1)
#undef GM_VIA_DOUBLE

GM_FN float gm_fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0f; }

GM_FN double gm_fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0; }

/* what std:: has, too */
#define GM_ONES(X)                                                                                 \
  X(sin, gm_sinf, gm_sin)                                                                          \
  X(cos, gm_cosf, gm_cos)                                                                          \
  X(tan, gm_tanf, gm_tan)                                                                          \
  X(asin, gm_asinf, gm_asin)                                                                       \
  X(acos, gm_acosf, gm_acos)                                                                       \
  X(atan, gm_atanf, gm_atan)                                                                       \
  X(sinh, gm_sinhf, gm_sinh)                                                                       \
  X(cosh, gm_coshf, gm_cosh)                                                                       \
  X(tanh, gm_tanhf, gm_tanh)                                                                       \
  X(asinh, gm_asinhf, gm_asinh)                                                                    \
  X(acosh, gm_acoshf, gm_acosh)                                                                    \
  X(atanh, gm_atanhf, gm_atanh)                                                                    \
  X(exp, gm_expf, gm_exp)                                                                          \
  X(exp2, gm_exp2f, gm_exp2)                                                                       \
  X(expm1, gm_expm1f, gm_expm1)                                                                    \
  X(log, gm_logf, gm_log)                                                                          \
  X(log2, gm_log2f, gm_log2)                                                                       \
  X(log10, gm_log10f, gm_log10)                                                                    \
  X(log1p, gm_log1pf, gm_log1p)                                                                    \
  X(logb, gm_logbf, gm_logb)                                                                       \
  X(cbrt, gm_cbrtf, gm_cbrt)                                                                       \
  X(sqrt, __builtin_sqrtf, __builtin_sqrt)                                                         \
  X(erf, gm_erff, gm_erf)                                                                          \
  X(erfc, gm_erfcf, gm_erfc)                                                                       \
  X(lgamma, gm_lgammaf, gm_lgamma)                                                                 \
  X(tgamma, gm_tgammaf, gm_tgamma)                                                                 \
  X(floor, __builtin_floorf, __builtin_floor)                                                      \
  X(ceil, __builtin_ceilf, __builtin_ceil)                                                         \
  X(trunc, __builtin_truncf, __builtin_trunc)                                                      \
  X(round, gm_roundf, gm_round)                                                                    \
  X(rint, __builtin_rintf, __builtin_rint)                                                         \
  X(nearbyint, __builtin_rintf, __builtin_rint)                                                    \
  X(fabs, __builtin_fabsf, __builtin_fabs)
#define GM_TWOS(X)                                                                                 \
  X(pow, gm_powf, gm_pow)                                                                          \
  X(atan2, gm_atan2f, gm_atan2)                                                                    \
  X(fmod, gm_fmodf, gm_fmod)                                                                       \
  X(remainder, gm_remainderf, gm_remainder)                                                        \
  X(hypot, gm_hypotf, gm_hypot)                                                                    \
  X(fmin, __builtin_fminf, __builtin_fmin)                                                         \
  X(fmax, __builtin_fmaxf, __builtin_fmax)                                                         \
  X(fdim, gm_fdimf, gm_fdim)                                                                       \
  X(copysign, __builtin_copysignf, __builtin_copysign)                                             \
  X(nextafter, gm_nextafterf, gm_nextafter)
#define GM_ONE_ALL(name, single, dble) GM_ONE(name, single, dble) GM_OVERLOAD(name)
#define GM_TWO_ALL(name, single, dble) GM_TWO(name, single, dble) GM_OVERLOAD2(name)
GM_ONES(GM_ONE_ALL)
GM_TWOS(GM_TWO_ALL)

GM_ONE_ALL(exp10, gm_exp10f, gm_exp10)
GM_TWO_ALL(rhypot, gm_rhypotf, gm_rhypot)
GM_ONE(j0, gm_j0f, gm_j0)
GM_ONE(j1, gm_j1f, gm_j1)
GM_ONE(y0, gm_y0f, gm_y0)
GM_ONE(y1, gm_y1f, gm_y1)

GM_API double jn(int __n, double x) { return gm_jn(__n, x); }

GM_API float jnf(int __n, float x) { return (float)gm_jn(__n, (double)x); }

GM_API double yn(int __n, double x) { return gm_yn(__n, x); }

GM_API float ynf(int __n, float x) { return (float)gm_yn(__n, (double)x); }

GM_API double norm(int __n, const double *__a) { return gm_length(__n, __a); }

GM_API float normf(int __n, const float *__a) { return gm_lengthf(__n, __a); }

GM_API double rnorm(int __n, const double *__a) { return 1.0 / gm_length(__n, __a); }

GM_API float rnormf(int __n, const float *__a) { return 1.0f / gm_lengthf(__n, __a); }

GM_API void sincosf(float x, float *__s, float *__c) { gm_sincosf(x, __s, __c); }

GM_API void sincos(double x, double *__s, double *__c) { gm_sincos(x, __s, __c); }

GM_API void sincos(float x, float *__s, float *__c) { gm_sincosf(x, __s, __c); }

GM_API float fmaf(float __a, float __b, float __c) { return __builtin_fmaf(__a, __b, __c); }

GM_API double fma(double __a, double __b, double __c) { return __builtin_fma(__a, __b, __c); }

GM_API float fma(float __a, float __b, float __c) { return __builtin_fmaf(__a, __b, __c); }

/* ---- CUDA's own: on the host too ---- */
#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 41)
#define GM_HOST_HAS_SINPI
#endif
#if __GLIBC_PREREQ(2, 42)
#define GM_HOST_HAS_RSQRT
#endif
#endif
#undef GM_API
#if defined GM_HOST_HAS_SINPI
#define GM_API GM_DEVICE
#else
#define GM_API GM_FN
#endif
GM_ONE_ALL(sinpi, gm_sinpif, gm_sinpi)
GM_ONE_ALL(cospi, gm_cospif, gm_cospi)
#undef GM_API
#if defined GM_HOST_HAS_RSQRT
#define GM_API GM_DEVICE
#else
#define GM_API GM_FN
#endif
GM_ONE_ALL(rsqrt, gm_rsqrtf, gm_rsqrt)
#undef GM_API
#define GM_API GM_FN
GM_ONE_ALL(rcbrt, gm_rcbrtf, gm_rcbrt)
GM_ONE_ALL(erfinv, gm_erfinvf, gm_erfinv)
GM_ONE_ALL(erfcinv, gm_erfcinvf, gm_erfcinv)
GM_ONE_ALL(erfcx, gm_erfcxf, gm_erfcx)
GM_ONE_ALL(normcdf, gm_normcdff, gm_normcdf)
GM_ONE_ALL(normcdfinv, gm_normcdfinvf, gm_normcdfinv)
GM_ONE_ALL(cyl_bessel_i0, gm_cyl_bessel_i0f, gm_cyl_bessel_i0)
GM_ONE_ALL(cyl_bessel_i1, gm_cyl_bessel_i1f, gm_cyl_bessel_i1)

GM_API void sincospif(float x, float *__s, float *__c) {
  *__s = gm_sinpif(x);
  *__c = gm_cospif(x);
}

GM_API void sincospi(double x, double *__s, double *__c) {
  *__s = gm_sinpi(x);
  *__c = gm_cospi(x);
}

GM_API float norm3df(float __a, float __b, float __c) { return gm_norm4df(__a, __b, __c, 0.0f); }

GM_API double norm3d(double __a, double __b, double __c) { return gm_norm4d(__a, __b, __c, 0.0); }

GM_API float norm4df(float __a, float __b, float __c, float __d) {
  return gm_norm4df(__a, __b, __c, __d);
}

GM_API double norm4d(double __a, double __b, double __c, double __d) {
  return gm_norm4d(__a, __b, __c, __d);
}

GM_API float rnorm3df(float __a, float __b, float __c) { return gm_rnorm4df(__a, __b, __c, 0.0f); }

GM_API double rnorm3d(double __a, double __b, double __c) { return gm_rnorm4d(__a, __b, __c, 0.0); }

GM_API float rnorm4df(float __a, float __b, float __c, float __d) {
  return gm_rnorm4df(__a, __b, __c, __d);
}

GM_API double rnorm4d(double __a, double __b, double __c, double __d) {
  return gm_rnorm4d(__a, __b, __c, __d);
}
#undef GM_API
#define GM_API GM_DEVICE

/* x to an integer power, by squares: exact where the products are */
GM_API double powi(double x, int __n) {
  double __r = 1.0;
  for (unsigned int __k = __n < 0 ? 0u - (unsigned int)__n : (unsigned int)__n; __k;
       __k >>= 1, x = gm_mul(x, x))
    __r = __k & 1 ? gm_mul(__r, x) : __r;
  return __n < 0 ? 1.0 / __r : __r;
}

GM_API float powif(float x, int __n) { return (float)powi((double)x, __n); }

GM_API float saturate(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

/* ---- parts, whole numbers, classes ---- */
#define GM_PARTS(__F, name, __T)                                                                   \
  GM_API __T name##__F(__T x, int __e) { return GM_SCALE_##__T(x, __e); }
#define GM_SCALE_float(x, __e)                                                                     \
  ((x) == 0.0f || !(__builtin_fabsf(x) < GM_INF_F) ? (x) : gm_scale_f(x, __e))
#define GM_SCALE_double(x, __e)                                                                    \
  ((x) == 0.0 || !(__builtin_fabs(x) < GM_INF) ? (x) : gm_scale_any(x, __e))

/* subnormals may come up by more than gm_scale's two steps */
GM_FN double gm_scale_any(double x, int __e) {
  if (__builtin_fabs(x) < 2.2250738585072014e-308 && __e > 0) {
    int __up = __e < 60 ? __e : 60;
    x = gm_mul(x, gm_pow2(__up));
    __e -= __up;
  }
  return gm_scale(x, __e);
}

GM_PARTS(f, ldexp, float)
GM_PARTS(, ldexp, double)
GM_PARTS(, ldexp, float)
GM_PARTS(f, scalbn, float)
GM_PARTS(, scalbn, double)
GM_PARTS(, scalbn, float)
#undef GM_PARTS

GM_API float scalblnf(float x, long __e) {
  return ldexpf(x, __e > 5000 ? 5000 : __e < -5000 ? -5000 : (int)__e);
}

GM_API double scalbln(double x, long __e) {
  return ldexp(x, __e > 5000 ? 5000 : __e < -5000 ? -5000 : (int)__e);
}

GM_API float frexpf(float x, int *__e) { return gm_frexpf(x, __e); }

GM_API double frexp(double x, int *__e) { return gm_frexp(x, __e); }

GM_API float frexp(float x, int *__e) { return gm_frexpf(x, __e); }

GM_API float modff(float x, float *__whole) { return gm_modff(x, __whole); }

GM_API double modf(double x, double *__whole) { return gm_modf(x, __whole); }

GM_API float modf(float x, float *__whole) { return gm_modff(x, __whole); }

GM_API float remquof(float x, float y, int *__q) { return gm_remquof(x, y, __q); }

GM_API double remquo(double x, double y, int *__q) { return gm_remquo(x, y, __q); }

GM_API float remquo(float x, float y, int *__q) { return gm_remquof(x, y, __q); }

GM_API int ilogbf(float x) { return gm_ilogbf(x); }

GM_API int ilogb(double x) { return gm_ilogb(x); }

GM_API int ilogb(float x) { return gm_ilogbf(x); }

#define GM_WHOLE(name, __T, single, dble)                                                          \
  GM_API __T name##f(float x) { return (__T)single(x); }                                           \
  GM_API __T name(double x) { return (__T)dble(x); }                                               \
  GM_API __T name(float x) { return (__T)single(x); }
GM_WHOLE(lrint, long, __builtin_rintf, __builtin_rint)
GM_WHOLE(llrint, long long, __builtin_rintf, __builtin_rint)
GM_WHOLE(lround, long, gm_roundf, gm_round)
GM_WHOLE(llround, long long, gm_roundf, gm_round)
#undef GM_WHOLE

#define GM_CLASS(name, expr_f, expr_d)                                                             \
  GM_API bool name(float x) { return expr_f; }                                                     \
  GM_API bool name(double x) { return expr_d; }
GM_CLASS(isnan, x != x, x != x)
GM_CLASS(isinf, __builtin_fabsf(x) == GM_INF_F, __builtin_fabs(x) == GM_INF)
GM_CLASS(isfinite, __builtin_fabsf(x) < GM_INF_F, __builtin_fabs(x) < GM_INF)
GM_CLASS(isnormal, __builtin_fabsf(x) < GM_INF_F && __builtin_fabsf(x) >= 1.17549435e-38f,
         __builtin_fabs(x) < GM_INF && __builtin_fabs(x) >= 2.2250738585072014e-308)
GM_CLASS(signbit, gm_bits_f(x) >> 31, gm_bits(x) >> 63)
#undef GM_CLASS

GM_API float nanf(const char *) { return GM_NAN_F; }

GM_API double nan(const char *) { return GM_NAN; }

/* ---- absolute values, smaller and larger ---- */
GM_API int abs(int x) { return x < 0 ? -x : x; }

GM_API long abs(long x) { return x < 0 ? -x : x; }

GM_API long long abs(long long x) { return x < 0 ? -x : x; }

GM_API float abs(float x) { return __builtin_fabsf(x); }

GM_API double abs(double x) { return __builtin_fabs(x); }

GM_API long labs(long x) { return x < 0 ? -x : x; }

GM_API long long llabs(long long x) { return x < 0 ? -x : x; }

GM_API float min(float __a, float __b) { return __builtin_fminf(__a, __b); }

GM_API float max(float __a, float __b) { return __builtin_fmaxf(__a, __b); }

GM_API double min(double __a, double __b) { return __builtin_fmin(__a, __b); }

GM_API double max(double __a, double __b) { return __builtin_fmax(__a, __b); }

GM_API double min(float __a, double __b) { return __builtin_fmin((double)__a, __b); }

GM_API double max(float __a, double __b) { return __builtin_fmax((double)__a, __b); }

GM_API double min(double __a, float __b) { return __builtin_fmin(__a, (double)__b); }

GM_API double max(double __a, float __b) { return __builtin_fmax(__a, (double)__b); }

namespace std {
#define GM_USE(name, single, dble)                                                                 \
  using ::name;                                                                                    \
  using ::name##f;
GM_ONES(GM_USE)
GM_TWOS(GM_USE)
#undef GM_USE
using ::abs;
using ::fma;
using ::fmaf;
using ::frexp;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::llabs;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::nan;
using ::nanf;
using ::remquo;
using ::scalbln;
using ::scalbn;
using ::signbit;
} // namespace std

#endif
