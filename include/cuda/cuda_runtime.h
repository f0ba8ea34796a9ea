#ifndef GMMU_CUDA_CUDA_RUNTIME_H
#define GMMU_CUDA_CUDA_RUNTIME_H
/* What every CUDA program includes: `gmmu cc` puts it in front of each .cu file. The order matters:
 * a __device__ function must be declared before the C++ library's constexpr one of the same name,
 * or clang takes the latter for both sides. */
#define __CUDA_RUNTIME_H__
#include "host_defines.h"
#if defined __CUDA__ && __has_include("gmmu_math_first.h")
#include "gmmu_math_first.h"
#endif
#if defined __CUDA__ /* of C++20 <cmath> brings <new>, whose functions call them */
extern "C" {
__device__ void *malloc(__SIZE_TYPE__) __attribute__((__nothrow__, malloc));
__device__ void free(void *) __attribute__((__nothrow__));
}
#endif
#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#endif
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"
#ifdef __cplusplus
#include "gmmu_templates.h"
#endif
#if defined __CUDA__
#include "cuda_device_runtime_api.h"
#include "device_atomic_functions.h"
#include "device_functions.h"
#include "sm_30_intrinsics.h"
#include "texture_fetch_functions.h"
#include <new> /* clang's own: operator new and delete of the device, on its malloc() */
#endif
#if defined __CUDA__ && !defined __CUDA_ARCH__
/* libcudart hears where the managed variables are, if there are any (src/cudart/managed.c). */
extern "C" {
extern const char __start_gmmu_managed[] __attribute__((__weak__, __visibility__("hidden")));
extern const char __stop_gmmu_managed[] __attribute__((__weak__, __visibility__("hidden")));
void cudaGmmuManaged(const void *__first, const void *__end) __attribute__((__weak__));
}
__attribute__((__constructor__, __unused__)) static void gmmu_tell_managed() {
  if (__start_gmmu_managed != __stop_gmmu_managed && cudaGmmuManaged)
    cudaGmmuManaged(__start_gmmu_managed, __stop_gmmu_managed);
}
#endif
#endif
