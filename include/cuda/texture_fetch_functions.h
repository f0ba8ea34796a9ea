#ifndef GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
/* Reading textures, reading and writing surfaces. clang has no function for it but takes the
 * instruction; a texture reference is its own handle. Four 32-bit values come back whatever the
 * texel is, so what differs between types is the instruction's result type and how many of the
 * values are kept. */
#include "device_functions.h"
#include "gmmu_templates.h"
#if defined __CUDA__

#define GMMU_FETCH(name, geometry, coord, coords, __args, ins)                                     \
  template <class __H> GMMU_DEV int4 gmmu_##name(int4, __H __t, __args) {                          \
    int4 __v;                                                                                      \
    asm volatile("tex." geometry ".v4.s32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=r"(__v.x), "=r"(__v.y), "=r"(__v.z), "=r"(__v.w)                              \
                 : "l"(__t), ins);                                                                 \
    return __v;                                                                                    \
  }                                                                                                \
  template <class __H> GMMU_DEV uint4 gmmu_##name(uint4, __H __t, __args) {                        \
    uint4 __v;                                                                                     \
    asm volatile("tex." geometry ".v4.u32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=r"(__v.x), "=r"(__v.y), "=r"(__v.z), "=r"(__v.w)                              \
                 : "l"(__t), ins);                                                                 \
    return __v;                                                                                    \
  }                                                                                                \
  template <class __H> GMMU_DEV float4 gmmu_##name(float4, __H __t, __args) {                      \
    float4 __v;                                                                                    \
    asm volatile("tex." geometry ".v4.f32." coord " {%0, %1, %2, %3}, [%4, {" coords "}];"         \
                 : "=f"(__v.x), "=f"(__v.y), "=f"(__v.z), "=f"(__v.w)                              \
                 : "l"(__t), ins);                                                                 \
    return __v;                                                                                    \
  }
#define GMMU_AND     ,
#define GMMU_XY(__t) __t x, __t y
#define GMMU_IN(__r) __r(x), __r(y)
GMMU_FETCH(tex1Dfetch, "1d", "s32", "%5", int x, "r"(x))
GMMU_FETCH(tex1D, "1d", "f32", "%5", float x, "f"(x))
GMMU_FETCH(tex2D, "2d", "f32", "%5, %6", GMMU_XY(float), GMMU_IN("f"))
GMMU_FETCH(tex3D, "3d", "f32", "%5, %6, %7, %7", GMMU_XY(float) GMMU_AND float __z,
           GMMU_IN("f") GMMU_AND "f"(__z))
GMMU_FETCH(tex1DLayered, "a1d", "f32", "%6, %5", float x GMMU_AND int __layer,
           "f"(x)GMMU_AND "r"(__layer))
GMMU_FETCH(tex2DLayered, "a2d", "f32", "%7, %5, %6, %6", GMMU_XY(float) GMMU_AND int __layer,
           GMMU_IN("f") GMMU_AND "r"(__layer))
#undef GMMU_XY
#undef GMMU_IN
#undef GMMU_AND
#undef GMMU_FETCH

/* What a texel type is read as, and what is kept of it. */
template <class __T, cudaTextureReadMode __M> struct gmmu_texel;
#define GMMU_KEEP1(type, __from)                                                                   \
  static __inline__ __device__ type __keep(__from __v) { return (type)__v.x; }
#define GMMU_KEEP_STRUCT(type, __n, elem, __from)                                                  \
  static __inline__ __device__ type __keep(__from __v) {                                           \
    elem __e[4] = {(elem)__v.x, (elem)__v.y, (elem)__v.z, (elem)__v.w};                            \
    type __r;                                                                                      \
    __builtin_memcpy(&__r, __e, sizeof(elem) * __n);                                               \
    return __r;                                                                                    \
  }
#define GMMU_TEXEL1(type, __from)                                                                  \
  template <> struct gmmu_texel<type, cudaReadModeElementType> {                                   \
    typedef __from __raw;                                                                          \
    typedef type value;                                                                            \
    GMMU_KEEP1(type, __from)                                                                       \
  };
#define GMMU_TEXEL(type, __n, elem, __from)                                                        \
  template <> struct gmmu_texel<type, cudaReadModeElementType> {                                   \
    typedef __from __raw;                                                                          \
    typedef type value;                                                                            \
    GMMU_KEEP_STRUCT(type, __n, elem, __from)                                                      \
  };
#define GMMU_TEXEL_NORM1(type)                                                                     \
  template <> struct gmmu_texel<type, cudaReadModeNormalizedFloat> {                               \
    typedef float4 __raw;                                                                          \
    typedef float value;                                                                           \
    GMMU_KEEP1(float, float4)                                                                      \
  };
#define GMMU_TEXEL_NORM(type, __n)                                                                 \
  template <> struct gmmu_texel<type, cudaReadModeNormalizedFloat> {                               \
    typedef float4 __raw;                                                                          \
    typedef float##__n value;                                                                      \
    GMMU_KEEP_STRUCT(float##__n, __n, float, float4)                                               \
  };
#define GMMU_TEXELS(scalar, name, __from)                                                          \
  GMMU_TEXEL1(scalar, __from)                                                                      \
  GMMU_TEXEL(name##1, 1, scalar, __from)                                                           \
  GMMU_TEXEL(name##2, 2, scalar, __from)                                                           \
  GMMU_TEXEL(name##4, 4, scalar, __from)
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
template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value tex1Dfetch(texture<__T, 1, __M> __t, int x) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex1Dfetch(typename __k::__raw(), __t, x));
}
template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value tex1D(texture<__T, 1, __M> __t, float x) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex1D(typename __k::__raw(), __t, x));
}
template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value tex2D(texture<__T, 2, __M> __t, float x, float y) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex2D(typename __k::__raw(), __t, x, y));
}

template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value tex3D(texture<__T, 3, __M> __t, float x, float y,
                                                    float z) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex3D(typename __k::__raw(), __t, x, y, z));
}
template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value
tex1DLayered(texture<__T, cudaTextureType1DLayered, __M> __t, float x, int __layer) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex1DLayered(typename __k::__raw(), __t, x, __layer));
}
template <class __T, cudaTextureReadMode __M>
GMMU_DEV typename gmmu_texel<__T, __M>::value
tex2DLayered(texture<__T, cudaTextureType2DLayered, __M> __t, float x, float y, int __layer) {
  typedef gmmu_texel<__T, __M> __k;
  return __k::__keep(gmmu_tex2DLayered(typename __k::__raw(), __t, x, y, __layer));
}

/* ---- texture objects ------------------------------------------------------------------------- */
template <class __T> GMMU_DEV __T tex1Dfetch(cudaTextureObject_t __t, int x) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex1Dfetch(typename __k::__raw(), __t, x));
}
template <class __T> GMMU_DEV __T tex1D(cudaTextureObject_t __t, float x) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex1D(typename __k::__raw(), __t, x));
}
template <class __T> GMMU_DEV __T tex2D(cudaTextureObject_t __t, float x, float y) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex2D(typename __k::__raw(), __t, x, y));
}
template <class __T> GMMU_DEV __T tex3D(cudaTextureObject_t __t, float x, float y, float z) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex3D(typename __k::__raw(), __t, x, y, z));
}
template <class __T> GMMU_DEV __T tex1DLayered(cudaTextureObject_t __t, float x, int __layer) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex1DLayered(typename __k::__raw(), __t, x, __layer));
}
template <class __T>
GMMU_DEV __T tex2DLayered(cudaTextureObject_t __t, float x, float y, int __layer) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_tex2DLayered(typename __k::__raw(), __t, x, y, __layer));
}
template <class __T> GMMU_DEV void tex1Dfetch(__T *__v, cudaTextureObject_t __t, int x) {
  *__v = tex1Dfetch<__T>(__t, x);
}
template <class __T> GMMU_DEV void tex1D(__T *__v, cudaTextureObject_t __t, float x) {
  *__v = tex1D<__T>(__t, x);
}
template <class __T> GMMU_DEV void tex2D(__T *__v, cudaTextureObject_t __t, float x, float y) {
  *__v = tex2D<__T>(__t, x, y);
}
template <class __T>
GMMU_DEV void tex3D(__T *__v, cudaTextureObject_t __t, float x, float y, float z) {
  *__v = tex3D<__T>(__t, x, y, z);
}
template <class __T>
GMMU_DEV void tex1DLayered(__T *__v, cudaTextureObject_t __t, float x, int __layer) {
  *__v = tex1DLayered<__T>(__t, x, __layer);
}
template <class __T>
GMMU_DEV void tex2DLayered(__T *__v, cudaTextureObject_t __t, float x, float y, int __layer) {
  *__v = tex2DLayered<__T>(__t, x, y, __layer);
}

/* A texture of ours has one level, which every level and every gradient means. */
template <class __T> GMMU_DEV __T tex1DLod(cudaTextureObject_t __t, float x, float) {
  return tex1D<__T>(__t, x);
}
template <class __T> GMMU_DEV __T tex1DGrad(cudaTextureObject_t __t, float x, float, float) {
  return tex1D<__T>(__t, x);
}
template <class __T> GMMU_DEV __T tex2DLod(cudaTextureObject_t __t, float x, float y, float) {
  return tex2D<__T>(__t, x, y);
}
template <class __T>
GMMU_DEV __T tex2DGrad(cudaTextureObject_t __t, float x, float y, float2, float2) {
  return tex2D<__T>(__t, x, y);
}
template <class __T>
GMMU_DEV __T tex3DLod(cudaTextureObject_t __t, float x, float y, float z, float) {
  return tex3D<__T>(__t, x, y, z);
}
template <class __T>
GMMU_DEV __T tex3DGrad(cudaTextureObject_t __t, float x, float y, float z, float4, float4) {
  return tex3D<__T>(__t, x, y, z);
}
template <class __T>
GMMU_DEV __T tex1DLayeredLod(cudaTextureObject_t __t, float x, int __layer, float) {
  return tex1DLayered<__T>(__t, x, __layer);
}
template <class __T>
GMMU_DEV __T tex2DLayeredLod(cudaTextureObject_t __t, float x, float y, int __layer, float) {
  return tex2DLayered<__T>(__t, x, y, __layer);
}

#define GMMU_GATHER(__raw, suffix, out, component)                                                 \
  asm volatile("tld4." component ".2d.v4." suffix ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"         \
               : out(__raw.x), out(__raw.y), out(__raw.z), out(__raw.w)                            \
               : "l"(__t), "f"(x), "f"(y))
#define GMMU_GATHERS(type, suffix, out)                                                            \
  static __inline__ __device__ type gmmu_gather(type __v, cudaTextureObject_t __t, float x,        \
                                                float y, int __component) {                        \
    if (__component == 0)                                                                          \
      GMMU_GATHER(__v, suffix, out, "r");                                                          \
    else if (__component == 1)                                                                     \
      GMMU_GATHER(__v, suffix, out, "g");                                                          \
    else if (__component == 2)                                                                     \
      GMMU_GATHER(__v, suffix, out, "b");                                                          \
    else                                                                                           \
      GMMU_GATHER(__v, suffix, out, "a");                                                          \
    return __v;                                                                                    \
  }
GMMU_GATHERS(int4, "s32", "=r")
GMMU_GATHERS(uint4, "u32", "=r")
GMMU_GATHERS(float4, "f32", "=f")
#undef GMMU_GATHERS
#undef GMMU_GATHER
template <class __T>
GMMU_DEV __T tex2Dgather(cudaTextureObject_t __t, float x, float y, int __component = 0) {
  typedef gmmu_texel<__T, cudaReadModeElementType> __k;
  return __k::__keep(gmmu_gather(typename __k::__raw(), __t, x, y, __component));
}

/* ---- surface objects ------------------------------------------------------------------------- */
/* The first coordinate counts bytes. Elements have 1, 2, 4, 8 or 16 of them. */
#define GMMU_SULD(shape, out, at, boundary, ...)                                                   \
  asm volatile("suld.b." shape "." boundary " " out ", [%[__s], {" at "}];"                        \
               : [__a] "=r"(__w[0]), [__b] "=r"(__w[1]), [__c] "=r"(__w[2]), [__d] "=r"(__w[3])    \
               : [__s] "l"(__s), __VA_ARGS__                                                       \
               : "memory")
#define GMMU_SULD_SHORT(shape, at, boundary, ...)                                                  \
  asm volatile("suld.b." shape "." boundary " {%[__a]}, [%[__s], {" at "}];"                       \
               : [__a] "=h"(__h)                                                                   \
               : [__s] "l"(__s), __VA_ARGS__                                                       \
               : "memory")
#define GMMU_SUST(shape, in, at, boundary, ...)                                                    \
  asm volatile("sust.b." shape "." boundary " [%[__s], {" at "}], " in ";" ::[__s] "l"(__s),       \
               [__a] "r"(__w[0]), [__b] "r"(__w[1]), [__c] "r"(__w[2]), [__d] "r"(__w[3]),         \
               __VA_ARGS__                                                                         \
               : "memory")
#define GMMU_SUST_SHORT(shape, at, boundary, ...)                                                  \
  asm volatile("sust.b." shape "." boundary " [%[__s], {" at "}], {%[__a]};" ::[__s] "l"(__s),     \
               [__a] "h"(__h), __VA_ARGS__                                                         \
               : "memory")
#define GMMU_SURFACE_READ(geometry, at, boundary, ...)                                             \
  do {                                                                                             \
    if (sizeof(__T) == 1)                                                                          \
      GMMU_SULD_SHORT(geometry ".b8", at, boundary, __VA_ARGS__);                                  \
    else if (sizeof(__T) == 2)                                                                     \
      GMMU_SULD_SHORT(geometry ".b16", at, boundary, __VA_ARGS__);                                 \
    else if (sizeof(__T) == 4)                                                                     \
      GMMU_SULD(geometry ".b32", "{%[__a]}", at, boundary, __VA_ARGS__);                           \
    else if (sizeof(__T) == 8)                                                                     \
      GMMU_SULD(geometry ".v2.b32", "{%[__a], %[__b]}", at, boundary, __VA_ARGS__);                \
    else                                                                                           \
      GMMU_SULD(geometry ".v4.b32", "{%[__a], %[__b], %[__c], %[__d]}", at, boundary,              \
                __VA_ARGS__);                                                                      \
    if (sizeof(__T) < 4) __w[0] = __h;                                                             \
  } while (0)
#define GMMU_SURFACE_WRITE(geometry, at, boundary, ...)                                            \
  do {                                                                                             \
    if (sizeof(__T) == 1)                                                                          \
      GMMU_SUST_SHORT(geometry ".b8", at, boundary, __VA_ARGS__);                                  \
    else if (sizeof(__T) == 2)                                                                     \
      GMMU_SUST_SHORT(geometry ".b16", at, boundary, __VA_ARGS__);                                 \
    else if (sizeof(__T) == 4)                                                                     \
      GMMU_SUST(geometry ".b32", "{%[__a]}", at, boundary, __VA_ARGS__);                           \
    else if (sizeof(__T) == 8)                                                                     \
      GMMU_SUST(geometry ".v2.b32", "{%[__a], %[__b]}", at, boundary, __VA_ARGS__);                \
    else                                                                                           \
      GMMU_SUST(geometry ".v4.b32", "{%[__a], %[__b], %[__c], %[__d]}", at, boundary,              \
                __VA_ARGS__);                                                                      \
  } while (0)
#define GMMU_BOUNDARIES(DO, geometry, at, ...)                                                     \
  if (__mode == cudaBoundaryModeZero)                                                              \
    DO(geometry, at, "zero", __VA_ARGS__);                                                         \
  else if (__mode == cudaBoundaryModeClamp)                                                        \
    DO(geometry, at, "clamp", __VA_ARGS__);                                                        \
  else                                                                                             \
    DO(geometry, at, "trap", __VA_ARGS__)
#define GMMU_AND ,
#define GMMU_SURFACE(name, geometry, at, __args, __names, ...)                                     \
  template <class __T>                                                                             \
  GMMU_DEV __T name##read(cudaSurfaceObject_t __s, __args,                                         \
                          cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {                 \
    unsigned int __w[4] = {0, 0, 0, 0};                                                            \
    unsigned short __h = 0;                                                                        \
    __T __v;                                                                                       \
    GMMU_BOUNDARIES(GMMU_SURFACE_READ, geometry, at, __VA_ARGS__);                                 \
    __builtin_memcpy(&__v, __w, sizeof __v);                                                       \
    return __v;                                                                                    \
  }                                                                                                \
  template <class __T>                                                                             \
  GMMU_DEV void name##read(__T *__v, cudaSurfaceObject_t __s, __args,                              \
                           cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {                \
    *__v = name##read<__T>(__s, __names, __mode);                                                  \
  }                                                                                                \
  template <class __T>                                                                             \
  GMMU_DEV void name##write(__T __v, cudaSurfaceObject_t __s, __args,                              \
                            cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) {               \
    unsigned int __w[4] = {0, 0, 0, 0};                                                            \
    __builtin_memcpy(__w, &__v, sizeof __v);                                                       \
    unsigned short __h = (unsigned short)__w[0];                                                   \
    GMMU_BOUNDARIES(GMMU_SURFACE_WRITE, geometry, at, __VA_ARGS__);                                \
  }
GMMU_SURFACE(surf1D, "1d", "%[x]", int x, x, [x] "r"(x))
GMMU_SURFACE(surf2D, "2d", "%[x], %[y]", int x GMMU_AND int y, x GMMU_AND y, [x] "r"(x), [y] "r"(y))
GMMU_SURFACE(surf3D, "3d", "%[x], %[y], %[z], %[z]", int x GMMU_AND int y GMMU_AND int z,
             x GMMU_AND y GMMU_AND z, [x] "r"(x), [y] "r"(y), [z] "r"(z))
GMMU_SURFACE(surf1DLayered, "a1d", "%[z], %[x]", int x GMMU_AND int __layer,
             x GMMU_AND __layer, [x] "r"(x), [z] "r"(__layer))
GMMU_SURFACE(surf2DLayered, "a2d", "%[z], %[x], %[y], %[y]",
             int x GMMU_AND int y GMMU_AND int __layer,
             x GMMU_AND y GMMU_AND __layer, [x] "r"(x), [y] "r"(y), [z] "r"(__layer))
#undef GMMU_SURFACE
#undef GMMU_AND
#undef GMMU_BOUNDARIES
#undef GMMU_SURFACE_WRITE
#undef GMMU_SURFACE_READ
#undef GMMU_SUST_SHORT
#undef GMMU_SUST
#undef GMMU_SULD_SHORT
#undef GMMU_SULD

/* ---- what is not there ----------------------------------------------------------------------- */
/* Declared, so that the compiler says so and does not propose a neighbour's name. */
#define GMMU_ABSENT(name, what)                                                                    \
  template <class __T = float, class... __A>                                                       \
  __attribute__((__unavailable__("gmmu has no " what))) GMMU_DEV __T name(const __A &...) {        \
    return __T();                                                                                  \
  }
GMMU_ABSENT(tex1DLayeredGrad, "gradients of layered textures")
GMMU_ABSENT(tex2DLayeredGrad, "gradients of layered textures")
GMMU_ABSENT(texCubemap, "cube-map textures")
GMMU_ABSENT(texCubemapLod, "cube-map textures")
GMMU_ABSENT(texCubemapLayered, "cube-map textures")
GMMU_ABSENT(texCubemapLayeredLod, "cube-map textures")
GMMU_ABSENT(surfCubemapread, "cube-map surfaces")
GMMU_ABSENT(surfCubemapwrite, "cube-map surfaces")
GMMU_ABSENT(surfCubemapLayeredread, "cube-map surfaces")
GMMU_ABSENT(surfCubemapLayeredwrite, "cube-map surfaces")
#undef GMMU_ABSENT
#endif
#endif
