#ifndef GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
/* Reading textures, 1-D and 2-D. clang has no function for it but takes the instruction; a texture
 * reference is its own handle. Four 32-bit values come back whatever the texel is, so what differs
 * between types is the instruction's result type and how many of the values are kept. */
#include "device_functions.h"
#include "gmmu_templates.h"
#if defined __CUDA__

#define GMMU_FETCH(name, geometry, coord, coords, args, ins)                                       \
  template <class H> GMMU_DEV int4 gmmu_##name(int4, H t, args) {                                  \
    int4 v;                                                                                        \
    asm volatile("tex." geometry ".v4.s32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                      \
                 : "l"(t), ins);                                                                   \
    return v;                                                                                      \
  }                                                                                                \
  template <class H> GMMU_DEV uint4 gmmu_##name(uint4, H t, args) {                                \
    uint4 v;                                                                                       \
    asm volatile("tex." geometry ".v4.u32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                      \
                 : "l"(t), ins);                                                                   \
    return v;                                                                                      \
  }                                                                                                \
  template <class H> GMMU_DEV float4 gmmu_##name(float4, H t, args) {                              \
    float4 v;                                                                                      \
    asm volatile("tex." geometry ".v4.f32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)                                      \
                 : "l"(t), ins);                                                                   \
    return v;                                                                                      \
  }
#define GMMU_XY(t) t x, t y
#define GMMU_IN(r) r(x), r(y)
GMMU_FETCH(tex1Dfetch, "1d", "s32", "%5", int x, "r"(x))
GMMU_FETCH(tex1D, "1d", "f32", "%5", float x, "f"(x))
GMMU_FETCH(tex2D, "2d", "f32", "%5, %6", GMMU_XY(float), GMMU_IN("f"))
#undef GMMU_XY
#undef GMMU_IN
#undef GMMU_FETCH

/* What a texel type is read as, and what is kept of it. */
template <class T, cudaTextureReadMode M> struct gmmu_texel;
#define GMMU_KEEP1(type, from)                                                                     \
  static __inline__ __device__ type keep(from v) { return (type)v.x; }
#define GMMU_KEEP_STRUCT(type, n, elem, from)                                                      \
  static __inline__ __device__ type keep(from v) {                                                 \
    elem e[4] = {(elem)v.x, (elem)v.y, (elem)v.z, (elem)v.w};                                      \
    type r;                                                                                        \
    __builtin_memcpy(&r, e, sizeof(elem) * n);                                                     \
    return r;                                                                                      \
  }
#define GMMU_TEXEL1(type, from)                                                                    \
  template <> struct gmmu_texel<type, cudaReadModeElementType> {                                   \
    typedef from raw;                                                                              \
    typedef type value;                                                                            \
    GMMU_KEEP1(type, from)                                                                         \
  };
#define GMMU_TEXEL(type, n, elem, from)                                                            \
  template <> struct gmmu_texel<type, cudaReadModeElementType> {                                   \
    typedef from raw;                                                                              \
    typedef type value;                                                                            \
    GMMU_KEEP_STRUCT(type, n, elem, from)                                                          \
  };
#define GMMU_TEXEL_NORM1(type)                                                                     \
  template <> struct gmmu_texel<type, cudaReadModeNormalizedFloat> {                               \
    typedef float4 raw;                                                                            \
    typedef float value;                                                                           \
    GMMU_KEEP1(float, float4)                                                                      \
  };
#define GMMU_TEXEL_NORM(type, n)                                                                   \
  template <> struct gmmu_texel<type, cudaReadModeNormalizedFloat> {                               \
    typedef float4 raw;                                                                            \
    typedef float##n value;                                                                        \
    GMMU_KEEP_STRUCT(float##n, n, float, float4)                                                   \
  };
#define GMMU_TEXELS(scalar, name, from)                                                            \
  GMMU_TEXEL1(scalar, from)                                                                        \
  GMMU_TEXEL(name##1, 1, scalar, from)                                                             \
  GMMU_TEXEL(name##2, 2, scalar, from)                                                             \
  GMMU_TEXEL(name##4, 4, scalar, from)
#define GMMU_TEXELS_NORM(scalar, name)                                                             \
  GMMU_TEXEL_NORM1(scalar)                                                                         \
  GMMU_TEXEL_NORM(name##1, 1)                                                                      \
  GMMU_TEXEL_NORM(name##2, 2)                                                                      \
  GMMU_TEXEL_NORM(name##4, 4)
GMMU_TEXELS(signed char, char, int4)
GMMU_TEXELS(unsigned char, uchar, uint4)
GMMU_TEXELS(short, short, int4)
GMMU_TEXELS(unsigned short, ushort, uint4)
GMMU_TEXELS(int, int, int4)
GMMU_TEXELS(unsigned int, uint, uint4)
GMMU_TEXELS(float, float, float4)
GMMU_TEXEL1(char, int4)
GMMU_TEXELS_NORM(signed char, char)
GMMU_TEXELS_NORM(unsigned char, uchar)
GMMU_TEXELS_NORM(short, short)
GMMU_TEXELS_NORM(unsigned short, ushort)
#undef GMMU_KEEP1
#undef GMMU_KEEP_STRUCT
#undef GMMU_TEXEL1
#undef GMMU_TEXEL
#undef GMMU_TEXEL_NORM1
#undef GMMU_TEXEL_NORM
#undef GMMU_TEXELS
#undef GMMU_TEXELS_NORM

/* ---- texture references ---------------------------------------------------------------------- */
template <class T, cudaTextureReadMode M>
GMMU_DEV typename gmmu_texel<T, M>::value tex1Dfetch(texture<T, 1, M> t, int x) {
  typedef gmmu_texel<T, M> k;
  return k::keep(gmmu_tex1Dfetch(typename k::raw(), t, x));
}
template <class T, cudaTextureReadMode M>
GMMU_DEV typename gmmu_texel<T, M>::value tex1D(texture<T, 1, M> t, float x) {
  typedef gmmu_texel<T, M> k;
  return k::keep(gmmu_tex1D(typename k::raw(), t, x));
}
template <class T, cudaTextureReadMode M>
GMMU_DEV typename gmmu_texel<T, M>::value tex2D(texture<T, 2, M> t, float x, float y) {
  typedef gmmu_texel<T, M> k;
  return k::keep(gmmu_tex2D(typename k::raw(), t, x, y));
}

/* ---- texture objects ------------------------------------------------------------------------- */
template <class T> GMMU_DEV T tex1Dfetch(cudaTextureObject_t t, int x) {
  typedef gmmu_texel<T, cudaReadModeElementType> k;
  return k::keep(gmmu_tex1Dfetch(typename k::raw(), t, x));
}
template <class T> GMMU_DEV T tex1D(cudaTextureObject_t t, float x) {
  typedef gmmu_texel<T, cudaReadModeElementType> k;
  return k::keep(gmmu_tex1D(typename k::raw(), t, x));
}
template <class T> GMMU_DEV T tex2D(cudaTextureObject_t t, float x, float y) {
  typedef gmmu_texel<T, cudaReadModeElementType> k;
  return k::keep(gmmu_tex2D(typename k::raw(), t, x, y));
}
template <class T> GMMU_DEV void tex1Dfetch(T *v, cudaTextureObject_t t, int x) {
  *v = tex1Dfetch<T>(t, x);
}
template <class T> GMMU_DEV void tex2D(T *v, cudaTextureObject_t t, float x, float y) {
  *v = tex2D<T>(t, x, y);
}
#endif
#endif
