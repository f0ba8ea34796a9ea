#ifndef GMMU_CUDA_STUB_HELPER_MATH_H
#define GMMU_CUDA_STUB_HELPER_MATH_H
/* Arithmetic of CUDA's vectors, as programs written around the samples' header expect it: part by
 * part, between two vectors or a vector and a number. */
#include "cuda_runtime.h"
#include <math.h>
#ifndef __CUDACC__
static inline float fminf(float __a, float __b) { return __a < __b ? __a : __b; }
static inline float fmaxf(float __a, float __b) { return __a > __b ? __a : __b; }
static inline int max(int __a, int __b) { return __a > __b ? __a : __b; }
static inline int min(int __a, int __b) { return __a < __b ? __a : __b; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif
typedef unsigned int uint;
typedef unsigned short ushort;
#define HELPER static inline __host__ __device__

/* ---- from a number, and from vectors of another kind or length ------------------------------- */
#define HELPER_MAKE(type, s, other1, other2)                                                       \
  HELPER type##2 make_##type##2(s __v) { return make_##type##2(__v, __v); }                        \
  HELPER type##2 make_##type##2(type##3 __a) { return make_##type##2(__a.x, __a.y); }              \
  HELPER type##2 make_##type##2(other1##2 __a) { return make_##type##2(s(__a.x), s(__a.y)); }      \
  HELPER type##2 make_##type##2(other2##2 __a) { return make_##type##2(s(__a.x), s(__a.y)); }      \
  HELPER type##3 make_##type##3(s __v) { return make_##type##3(__v, __v, __v); }                   \
  HELPER type##3 make_##type##3(type##2 __a) { return make_##type##3(__a.x, __a.y, s(0)); }        \
  HELPER type##3 make_##type##3(type##2 __a, s z) { return make_##type##3(__a.x, __a.y, z); }      \
  HELPER type##3 make_##type##3(type##4 __a) { return make_##type##3(__a.x, __a.y, __a.z); }       \
  HELPER type##3 make_##type##3(other1##3 __a) {                                                   \
    return make_##type##3(s(__a.x), s(__a.y), s(__a.z));                                           \
  }                                                                                                \
  HELPER type##3 make_##type##3(other2##3 __a) {                                                   \
    return make_##type##3(s(__a.x), s(__a.y), s(__a.z));                                           \
  }                                                                                                \
  HELPER type##4 make_##type##4(s __v) { return make_##type##4(__v, __v, __v, __v); }              \
  HELPER type##4 make_##type##4(type##3 __a) { return make_##type##4(__a.x, __a.y, __a.z, s(0)); } \
  HELPER type##4 make_##type##4(type##3 __a, s w) {                                                \
    return make_##type##4(__a.x, __a.y, __a.z, w);                                                 \
  }                                                                                                \
  HELPER type##4 make_##type##4(other1##4 __a) {                                                   \
    return make_##type##4(s(__a.x), s(__a.y), s(__a.z), s(__a.w));                                 \
  }                                                                                                \
  HELPER type##4 make_##type##4(other2##4 __a) {                                                   \
    return make_##type##4(s(__a.x), s(__a.y), s(__a.z), s(__a.w));                                 \
  }
HELPER_MAKE(float, float, int, uint)
HELPER_MAKE(int, int, float, uint)
HELPER_MAKE(uint, uint, float, int)
#undef HELPER_MAKE

/* ---- operators ------------------------------------------------------------------------------- */
#define HELPER_EACH2(make, a, b, op) make(a.x op b.x, a.y op b.y)
#define HELPER_EACH3(make, a, b, op) make(a.x op b.x, a.y op b.y, a.z op b.z)
#define HELPER_EACH4(make, a, b, op) make(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w)
#define HELPER_OP(type, s, n, op)                                                                  \
  HELPER type##n operator op(type##n __a, type##n __b) {                                           \
    return HELPER_EACH##n(make_##type##n, __a, __b, op);                                           \
  }                                                                                                \
  HELPER type##n operator op(type##n __a, s __v) {                                                 \
    type##n __b = make_##type##n(__v);                                                             \
    return HELPER_EACH##n(make_##type##n, __a, __b, op);                                           \
  }                                                                                                \
  HELPER type##n operator op(s __v, type##n __b) {                                                 \
    type##n __a = make_##type##n(__v);                                                             \
    return HELPER_EACH##n(make_##type##n, __a, __b, op);                                           \
  }                                                                                                \
  HELPER void operator op##=(type##n &__a, type##n __b) { __a = __a op __b; }                      \
  HELPER void operator op##=(type##n &__a, s __b) { __a = __a op __b; }
#define HELPER_OPS(type, s, n)                                                                     \
  HELPER_OP(type, s, n, +) HELPER_OP(type, s, n, -) HELPER_OP(type, s, n, *)
#define HELPER_KIND(type, s) HELPER_OPS(type, s, 2) HELPER_OPS(type, s, 3) HELPER_OPS(type, s, 4)
HELPER_KIND(float, float)
HELPER_KIND(int, int)
HELPER_KIND(uint, uint)
HELPER_OP(float, float, 2, /)
HELPER_OP(float, float, 3, /)
HELPER_OP(float, float, 4, /)
#undef HELPER_KIND
#undef HELPER_OPS
#undef HELPER_OP
#undef HELPER_EACH2
#undef HELPER_EACH3
#undef HELPER_EACH4
HELPER float2 operator-(float2 __a) { return make_float2(-__a.x, -__a.y); }
HELPER float3 operator-(float3 __a) { return make_float3(-__a.x, -__a.y, -__a.z); }
HELPER float4 operator-(float4 __a) { return make_float4(-__a.x, -__a.y, -__a.z, -__a.w); }
HELPER int2 operator-(int2 __a) { return make_int2(-__a.x, -__a.y); }
HELPER int3 operator-(int3 __a) { return make_int3(-__a.x, -__a.y, -__a.z); }
HELPER int4 operator-(int4 __a) { return make_int4(-__a.x, -__a.y, -__a.z, -__a.w); }

/* ---- functions of one to three vectors ------------------------------------------------------- */
#define HELPER_UNARY(name, f)                                                                      \
  HELPER float2 name(float2 __a) { return make_float2(f(__a.x), f(__a.y)); }                       \
  HELPER float3 name(float3 __a) { return make_float3(f(__a.x), f(__a.y), f(__a.z)); }             \
  HELPER float4 name(float4 __a) { return make_float4(f(__a.x), f(__a.y), f(__a.z), f(__a.w)); }
#define HELPER_BINARY(name, type, f)                                                               \
  HELPER type##2 name(type##2 __a, type##2 __b) {                                                  \
    return make_##type##2(f(__a.x, __b.x), f(__a.y, __b.y));                                       \
  }                                                                                                \
  HELPER type##3 name(type##3 __a, type##3 __b) {                                                  \
    return make_##type##3(f(__a.x, __b.x), f(__a.y, __b.y), f(__a.z, __b.z));                      \
  }                                                                                                \
  HELPER type##4 name(type##4 __a, type##4 __b) {                                                  \
    return make_##type##4(f(__a.x, __b.x), f(__a.y, __b.y), f(__a.z, __b.z), f(__a.w, __b.w));     \
  }
HELPER float fracf(float __v) { return __v - floorf(__v); }
HELPER_UNARY(floorf, floorf)
HELPER_UNARY(fracf, fracf)
HELPER_UNARY(fabs, fabsf)
HELPER int2 abs(int2 __a) { return make_int2(abs(__a.x), abs(__a.y)); }
HELPER int3 abs(int3 __a) { return make_int3(abs(__a.x), abs(__a.y), abs(__a.z)); }
HELPER int4 abs(int4 __a) { return make_int4(abs(__a.x), abs(__a.y), abs(__a.z), abs(__a.w)); }
HELPER_BINARY(fminf, float, fminf)
HELPER_BINARY(fmaxf, float, fmaxf)
HELPER_BINARY(fmodf, float, fmodf)
HELPER_BINARY(min, int, min)
HELPER_BINARY(max, int, max)
HELPER_BINARY(min, uint, min)
HELPER_BINARY(max, uint, max)
#undef HELPER_UNARY
#undef HELPER_BINARY

HELPER float clamp(float __f, float __a, float __b) { return fmaxf(__a, fminf(__f, __b)); }
HELPER int clamp(int __f, int __a, int __b) { return max(__a, min(__f, __b)); }
HELPER uint clamp(uint __f, uint __a, uint __b) { return max(__a, min(__f, __b)); }
HELPER float lerp(float __a, float __b, float __t) { return __a + __t * (__b - __a); }
HELPER float smoothstep(float __a, float __b, float x) {
  float y = clamp((x - __a) / (__b - __a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}
#define HELPER_CLAMP(type, s, n, low, high)                                                        \
  HELPER type##n clamp(type##n __v, type##n __a, type##n __b) { return high(__a, low(__v, __b)); } \
  HELPER type##n clamp(type##n __v, s __a, s __b) {                                                \
    return clamp(__v, make_##type##n(__a), make_##type##n(__b));                                   \
  }
#define HELPER_SPACE(n)                                                                            \
  HELPER_CLAMP(float, float, n, fminf, fmaxf)                                                      \
  HELPER_CLAMP(int, int, n, min, max)                                                              \
  HELPER_CLAMP(uint, uint, n, min, max)                                                            \
  HELPER float##n lerp(float##n __a, float##n __b, float __t) { return __a + __t * (__b - __a); }  \
  HELPER float##n smoothstep(float##n __a, float##n __b, float##n x) {                             \
    float##n y = clamp((x - __a) / (__b - __a), 0.0f, 1.0f);                                       \
    return y * y * (make_float##n(3.0f) - make_float##n(2.0f) * y);                                \
  }
HELPER_SPACE(2)
HELPER_SPACE(3)
HELPER_SPACE(4)
#undef HELPER_SPACE
#undef HELPER_CLAMP
#define HELPER_DOT(type, s)                                                                        \
  HELPER s dot(type##2 __a, type##2 __b) { return __a.x * __b.x + __a.y * __b.y; }                 \
  HELPER s dot(type##3 __a, type##3 __b) { return __a.x * __b.x + __a.y * __b.y + __a.z * __b.z; } \
  HELPER s dot(type##4 __a, type##4 __b) {                                                         \
    return __a.x * __b.x + __a.y * __b.y + __a.z * __b.z + __a.w * __b.w;                          \
  }
HELPER_DOT(float, float)
HELPER_DOT(int, int)
HELPER_DOT(uint, uint)
#undef HELPER_DOT
#define HELPER_LENGTH(n)                                                                           \
  HELPER float length(float##n __v) { return sqrtf(dot(__v, __v)); }                               \
  HELPER float##n normalize(float##n __v) { return __v * rsqrtf(dot(__v, __v)); }
HELPER_LENGTH(2)
HELPER_LENGTH(3)
HELPER_LENGTH(4)
#undef HELPER_LENGTH
HELPER float3 reflect(float3 __i, float3 __n) { return __i - 2.0f * __n * dot(__n, __i); }
HELPER float3 cross(float3 __a, float3 __b) {
  return make_float3(__a.y * __b.z - __a.z * __b.y, __a.z * __b.x - __a.x * __b.z,
                     __a.x * __b.y - __a.y * __b.x);
}
#undef HELPER
#endif
