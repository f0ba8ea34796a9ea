#ifndef GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define GMMU_CUDA_TEXTURE_FETCH_FUNCTIONS_H
/* Reading textures, 1-D and 2-D. clang has no function for it but takes the instruction; a texture
 * reference is its own handle. Four 32-bit values come back whatever the texel is, so what differs
 * between types is the instruction's result type and how many of the values are kept. */
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
#define GMMU_XY(__t) __t x, __t y
#define GMMU_IN(__r) __r(x), __r(y)
GMMU_FETCH(tex1Dfetch, "1d", "s32", "%5", int x, "r"(x))
GMMU_FETCH(tex1D, "1d", "f32", "%5", float x, "f"(x))
GMMU_FETCH(tex2D, "2d", "f32", "%5, %6", GMMU_XY(float), GMMU_IN("f"))
#undef GMMU_XY
#undef GMMU_IN
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
template <class __T> GMMU_DEV void tex1Dfetch(__T *__v, cudaTextureObject_t __t, int x) {
  *__v = tex1Dfetch<__T>(__t, x);
}
template <class __T> GMMU_DEV void tex2D(__T *__v, cudaTextureObject_t __t, float x, float y) {
  *__v = tex2D<__T>(__t, x, y);
}

/* ---- what is not there ----------------------------------------------------------------------- */
/* Declared, so that the compiler says so and does not propose a neighbour's name. */
#define GMMU_ABSENT(name, what)                                                                    \
  template <class __T = float, class... __A>                                                       \
  __attribute__((__unavailable__("gmmu has no " what))) GMMU_DEV __T name(const __A &...) {        \
    return __T();                                                                                  \
  }
GMMU_ABSENT(tex1DLod, "mip-mapped textures")
GMMU_ABSENT(tex1DGrad, "mip-mapped textures")
GMMU_ABSENT(tex1DLayered, "layered textures")
GMMU_ABSENT(tex1DLayeredLod, "layered textures")
GMMU_ABSENT(tex1DLayeredGrad, "layered textures")
GMMU_ABSENT(tex2DLod, "mip-mapped textures")
GMMU_ABSENT(tex2DGrad, "mip-mapped textures")
GMMU_ABSENT(tex2DLayered, "layered textures")
GMMU_ABSENT(tex2DLayeredLod, "layered textures")
GMMU_ABSENT(tex2DLayeredGrad, "layered textures")
GMMU_ABSENT(tex2Dgather, "texture gathers")
GMMU_ABSENT(tex3D, "3-D textures")
GMMU_ABSENT(tex3DLod, "3-D textures")
GMMU_ABSENT(tex3DGrad, "3-D textures")
GMMU_ABSENT(texCubemap, "cube-map textures")
GMMU_ABSENT(texCubemapLod, "cube-map textures")
GMMU_ABSENT(texCubemapLayered, "cube-map textures")
GMMU_ABSENT(texCubemapLayeredLod, "cube-map textures")
GMMU_ABSENT(surf1Dread, "surfaces")
GMMU_ABSENT(surf1Dwrite, "surfaces")
GMMU_ABSENT(surf2Dread, "surfaces")
GMMU_ABSENT(surf2Dwrite, "surfaces")
GMMU_ABSENT(surf3Dread, "surfaces")
GMMU_ABSENT(surf3Dwrite, "surfaces")
GMMU_ABSENT(surf1DLayeredread, "surfaces")
GMMU_ABSENT(surf1DLayeredwrite, "surfaces")
GMMU_ABSENT(surf2DLayeredread, "surfaces")
GMMU_ABSENT(surf2DLayeredwrite, "surfaces")
GMMU_ABSENT(surfCubemapread, "surfaces")
GMMU_ABSENT(surfCubemapwrite, "surfaces")
GMMU_ABSENT(surfCubemapLayeredread, "surfaces")
GMMU_ABSENT(surfCubemapLayeredwrite, "surfaces")
#undef GMMU_ABSENT
#endif
#endif
