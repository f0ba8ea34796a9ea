#ifndef GMMU_CUDA_COOPERATIVE_GROUPS_H
#define GMMU_CUDA_COOPERATIVE_GROUPS_H
/* Groups of threads: a block, its tiles of up to 32 lanes, the lanes that are here, the grid. The
 * grid's sync() needs all blocks resident: launch with cudaLaunchCooperativeKernel(). */
#include "cuda_runtime.h"
#if defined __CUDA__
namespace cooperative_groups {

class thread_block {
public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int num_threads() { return size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
};
__device__ static inline thread_block this_thread_block() { return thread_block(); }

/* ---- lanes of a warp ------------------------------------------------------------------------- */
/* What tiles and coalesced groups share: a mask of the warp's lanes. */
template <unsigned int SIZE> class thread_block_tile {
public:
  __device__ static unsigned int thread_rank() { return gmmu_laneid() & (SIZE - 1); }
  __device__ static constexpr unsigned int size() { return SIZE; }
  __device__ static constexpr unsigned int num_threads() { return SIZE; }
  __device__ static unsigned int mask() {
    return (0xffffffffu >> (32 - SIZE)) << (gmmu_laneid() & ~(SIZE - 1));
  }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / SIZE; }
  __device__ static unsigned int meta_group_size() {
    return (thread_block::size() + SIZE - 1) / SIZE;
  }
  __device__ static void sync() { __syncwarp(mask()); }
  template <class T> __device__ static T shfl(T v, int lane) {
    return __shfl_sync(mask(), v, lane, SIZE);
  }
  template <class T> __device__ static T shfl_up(T v, unsigned int d) {
    return __shfl_up_sync(mask(), v, d, SIZE);
  }
  template <class T> __device__ static T shfl_down(T v, unsigned int d) {
    return __shfl_down_sync(mask(), v, d, SIZE);
  }
  template <class T> __device__ static T shfl_xor(T v, int d) {
    return __shfl_xor_sync(mask(), v, d, SIZE);
  }
  __device__ static int any(int p) { return __any_sync(mask(), p); }
  __device__ static int all(int p) { return __all_sync(mask(), p); }
  __device__ static unsigned int ballot(int p) {
    return (__ballot_sync(mask(), p) & mask()) >> (gmmu_laneid() & ~(SIZE - 1));
  }
  template <class T> __device__ static unsigned int match_any(T v) {
    return __match_any_sync(mask(), v) >> (gmmu_laneid() & ~(SIZE - 1));
  }
};
template <unsigned int SIZE, class P>
__device__ static inline thread_block_tile<SIZE> tiled_partition(const P &) {
  static_assert(SIZE && SIZE <= 32 && !(SIZE & (SIZE - 1)), "a tile has 1, 2, 4 .. 32 threads");
  return thread_block_tile<SIZE>();
}

class coalesced_group {
  unsigned int lanes;

public:
  __device__ coalesced_group(unsigned int mask) : lanes(mask) {}
  __device__ unsigned int size() const { return __popc(lanes); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return __popc(lanes & ((1u << gmmu_laneid()) - 1));
  }
  __device__ void sync() const { __syncwarp(lanes); }
  template <class T> __device__ T shfl(T v, int rank) const {
    return __shfl_sync(lanes, v, __fns(lanes, 0, rank + 1), 32);
  }
  __device__ int any(int p) const { return __any_sync(lanes, p); }
  __device__ int all(int p) const { return __all_sync(lanes, p); }
  __device__ unsigned int ballot(int p) const {
    unsigned int b = __ballot_sync(lanes, p), r = 0, n = 0;
    for (unsigned int m = lanes; m; m &= m - 1, n++) r |= ((b >> (__ffs(m) - 1)) & 1u) << n;
    return r;
  }
};
__device__ static inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/* ---- the grid -------------------------------------------------------------------------------- */
/* Blocks are counted; the one that completes the count starts the next phase. One counter per
 * module serves all its grids, which run one after another. */
static __device__ unsigned int gmmu_grid_arrived, gmmu_grid_phase;

class grid_group {
public:
  __device__ static bool is_valid() { return true; }
  __device__ static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() {
    unsigned long long block =
        ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return block * thread_block::size() + thread_block::thread_rank();
  }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static void sync() {
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
      __threadfence();
      unsigned int phase = *(volatile unsigned int *)&gmmu_grid_phase;
      if (atomicAdd(&gmmu_grid_arrived, 1u) == blocks - 1) {
        gmmu_grid_arrived = 0;
        __threadfence();
        atomicAdd(&gmmu_grid_phase, 1u);
      } else {
        while (*(volatile unsigned int *)&gmmu_grid_phase == phase) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }
};
__device__ static inline grid_group this_grid() { return grid_group(); }

/* ---- functions on any group ------------------------------------------------------------------ */
template <class G> __device__ static inline void sync(const G &g) { g.sync(); }
template <class G> __device__ static inline unsigned int thread_rank(const G &g) {
  return (unsigned int)g.thread_rank();
}
template <class G> __device__ static inline unsigned int group_size(const G &g) {
  return (unsigned int)g.size();
}

template <class T> struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned int SIZE, class T, class OP>
__device__ static inline T reduce(const thread_block_tile<SIZE> &g, T v, OP op) {
  for (unsigned int d = SIZE / 2; d; d /= 2) v = op(v, g.shfl_xor(v, (int)d));
  return v;
}
} // namespace cooperative_groups
#endif
#endif
