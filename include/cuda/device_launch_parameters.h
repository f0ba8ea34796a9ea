#ifndef GMMU_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define GMMU_CUDA_DEVICE_LAUNCH_PARAMETERS_H
/* threadIdx, blockIdx, blockDim, gridDim: objects without storage whose members read a special
 * register. */
#include "vector_types.h"
#if defined __CUDA__
#define GMMU_SREG(member, __call)                                                                  \
  __declspec(property(get = gmmu_##member)) unsigned int member;                                   \
  static __inline__ __device__ __attribute__((__always_inline__)) unsigned int gmmu_##member() {   \
    return (unsigned int)__call();                                                                 \
  }
#define GMMU_SREG3(type, result, reg)                                                              \
  struct type {                                                                                    \
    GMMU_SREG(x, __nvvm_read_ptx_sreg_##reg##_x)                                                   \
    GMMU_SREG(y, __nvvm_read_ptx_sreg_##reg##_y)                                                   \
    GMMU_SREG(z, __nvvm_read_ptx_sreg_##reg##_z)                                                   \
    __device__ operator uint3() const { return (uint3){x, y, z}; }                                 \
    __device__ operator dim3() const { return dim3(x, y, z); }                                     \
    type() = delete;                                                                               \
    type(const type &) = delete;                                                                   \
    void operator=(const type &) = delete;                                                         \
  };
GMMU_SREG3(gmmu_thread_idx_t, uint3, tid)
GMMU_SREG3(gmmu_block_idx_t, uint3, ctaid)
GMMU_SREG3(gmmu_block_dim_t, dim3, ntid)
GMMU_SREG3(gmmu_grid_dim_t, dim3, nctaid)
#undef GMMU_SREG
#undef GMMU_SREG3
extern const __device__ __attribute__((__weak__)) gmmu_thread_idx_t threadIdx;
extern const __device__ __attribute__((__weak__)) gmmu_block_idx_t blockIdx;
extern const __device__ __attribute__((__weak__)) gmmu_block_dim_t blockDim;
extern const __device__ __attribute__((__weak__)) gmmu_grid_dim_t gridDim;
/* An enumeration, not a macro: programs declare members and arguments of this name. */
enum { warpSize = 32 };
#endif
#endif
