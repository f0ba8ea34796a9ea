#ifndef GMMU_CUDA_HOST_DEFINES_H
#define GMMU_CUDA_HOST_DEFINES_H
/* The words CUDA adds to C++, as clang's attributes. In a plain C or C++ file they mean nothing. */
#define __HOST_DEFINES_H__
#if defined __CUDA__
#define __host__     __attribute__((__host__))
#define __device__   __attribute__((__device__))
#define __global__   __attribute__((__global__))
#define __shared__   __attribute__((__shared__))
#define __constant__ __attribute__((__constant__))
/* On a page of its own, on both sides, which libcudart makes one (src/cudart/managed.c). */
#if defined __CUDA_ARCH__
#define __managed__ __device__ __attribute__((__aligned__(4096)))
#else
#define __managed__ __device__ __attribute__((__aligned__(4096), __section__("gmmu_managed")))
#endif
#define __launch_bounds__(...) __attribute__((__launch_bounds__(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif
#define __forceinline__   __inline__ __attribute__((__always_inline__))
#define __no_return__     __attribute__((__noreturn__))
#define __align__(__n)    __attribute__((__aligned__(__n)))
#define __builtin_align__ __align__
#define __thread__        __thread
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __nv_pure__ __attribute__((__pure__))
#define __specialization_static
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#if defined __cplusplus && __cplusplus < 201103L
#define GMMU_CONSTEXPR
#else
#define GMMU_CONSTEXPR constexpr
#endif
#define CUDART_CB
/* clang 15 and later know __noinline__ as a word of CUDA; for clang 14 it is a macro, which the few
 * library headers that write __attribute__((__noinline__)) must not see: bits/ wraps them. */
#if defined __CUDA__ && defined __clang__ && __clang_major__ < 15
#define __noinline__ __attribute__((__noinline__))
#elif !defined __CUDA__
#define __noinline__ __attribute__((__noinline__))
#endif
#endif
