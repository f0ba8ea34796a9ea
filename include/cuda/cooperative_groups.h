#ifndef GMMU_CUDA_COOPERATIVE_GROUPS_H
#define GMMU_CUDA_COOPERATIVE_GROUPS_H
/* Groups of threads: a block, its tiles (of several warps too), the lanes that are here and parts
 * of them, the grid. The grid's sync() needs all blocks resident: launch with
 * cudaLaunchCooperativeKernel(). Not there: clusters, and grids of several devices. */
#include "cuda_runtime.h"
#if defined __CUDA__
namespace cooperative_groups {

class thread_block {
public:
  struct arrival_token {};
  __device__ static void sync() { __syncthreads(); }
  __device__ static arrival_token barrier_arrive() { return arrival_token(); }
  __device__ static void barrier_wait(arrival_token) { __syncthreads(); }
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
/* Values of any type that can be copied: word by word. */
template <class __T, class __F>
__device__ static inline __T gmmu_words(const __T &__v, __F __word) {
  enum { __WORDS = (sizeof(__T) + 3) / 4 };
  unsigned int __w[__WORDS];
  __T __r;
  __w[__WORDS - 1] = 0;
  __builtin_memcpy(__w, &__v, sizeof(__T));
  for (int __i = 0; __i < (int)__WORDS; __i++) __w[__i] = __word(__w[__i]);
  __builtin_memcpy(&__r, __w, sizeof(__T));
  return __r;
}
#define GMMU_GROUP_SHUFFLE(name, __shuffle, lane_t)                                                \
  template <class __T> __device__ static __T name(const __T &__v, lane_t __lane) {                 \
    const unsigned int __m = __mask();                                                             \
    return gmmu_words(                                                                             \
        __v, [=](const unsigned int &__w) { return __shuffle(__m, __w, __lane, __SIZE); });        \
  }
/* Tiles of up to 32 lanes. */
template <unsigned int __SIZE, bool __ONE_WARP> class thread_block_tile_base {
public:
  __device__ static unsigned int thread_rank() { return gmmu_laneid() & (__SIZE - 1); }
  __device__ static GMMU_CONSTEXPR unsigned int size() { return __SIZE; }
  __device__ static GMMU_CONSTEXPR unsigned int num_threads() { return __SIZE; }
  __device__ static unsigned int __mask() {
    return (0xffffffffu >> (32 - __SIZE)) << (gmmu_laneid() & ~(__SIZE - 1));
  }
  __device__ static void sync() { __syncwarp(__mask()); }
  GMMU_GROUP_SHUFFLE(shfl, __shfl_sync, int)
  GMMU_GROUP_SHUFFLE(shfl_up, __shfl_up_sync, unsigned int)
  GMMU_GROUP_SHUFFLE(shfl_down, __shfl_down_sync, unsigned int)
  GMMU_GROUP_SHUFFLE(shfl_xor, __shfl_xor_sync, int)
  __device__ static int any(int __p) { return __any_sync(__mask(), __p); }
  __device__ static int all(int __p) { return __all_sync(__mask(), __p); }
  __device__ static unsigned int ballot(int __p) {
    return (__ballot_sync(__mask(), __p) & __mask()) >> (gmmu_laneid() & ~(__SIZE - 1));
  }
  template <class __T> __device__ static unsigned int match_any(__T __v) {
    return __match_any_sync(__mask(), __v) >> (gmmu_laneid() & ~(__SIZE - 1));
  }
  template <class __T> __device__ static unsigned int match_all(__T __v, int &__same) {
    return __match_all_sync(__mask(), __v, &__same) >> (gmmu_laneid() & ~(__SIZE - 1));
  }
};
#undef GMMU_GROUP_SHUFFLE

/* Memory of a block for tiles of several warps, and the word in which their warps meet. */
template <unsigned int __MAX = 1024> struct block_tile_memory {
  unsigned int __arrived[32], __phase[32];
  unsigned long long __box[32];
};
class gmmu_tiled_block : public thread_block {
public:
  block_tile_memory<> *__memory;
};
/* The memory is cleared by the first thread, and all see it. */
template <unsigned int __MAX>
__device__ static inline gmmu_tiled_block this_thread_block(block_tile_memory<__MAX> &__m) {
  gmmu_tiled_block __b;
  __b.__memory = (block_tile_memory<> *)(void *)&__m;
  for (unsigned int __i = thread_block::thread_rank(); __i < 32; __i += thread_block::size())
    __m.__arrived[__i] = __m.__phase[__i] = 0;
  __syncthreads();
  return __b;
}
/* Tiles of 64 to 1024 threads: warps meet through memory of the block. */
template <unsigned int __SIZE> class thread_block_tile_base<__SIZE, false> {
public:
  block_tile_memory<> *__memory;
  __device__ static unsigned int thread_rank() { return thread_block::thread_rank() % __SIZE; }
  __device__ static GMMU_CONSTEXPR unsigned int size() { return __SIZE; }
  __device__ static GMMU_CONSTEXPR unsigned int num_threads() { return __SIZE; }
  __device__ static unsigned int __tile() { return thread_block::thread_rank() / __SIZE; }
  __device__ void sync() const {
    __syncwarp();
    if (gmmu_laneid() == 0) {
      unsigned int __t = __tile();
      volatile unsigned int *__phase = &__memory->__phase[__t];
      unsigned int __now = *__phase;
      __threadfence_block();
      if (atomicAdd(&__memory->__arrived[__t], 1u) == __SIZE / 32 - 1) {
        __memory->__arrived[__t] = 0;
        __threadfence_block();
        *__phase = __now + 1;
      } else {
        while (*__phase == __now) {
        }
      }
    }
    __syncwarp();
  }
  template <class __T> __device__ __T shfl(const __T &__v, unsigned int __rank) const {
    __T __r = __v;
    unsigned int *__box = (unsigned int *)&__memory->__box[__tile()];
    for (unsigned int __i = 0; __i < (sizeof(__T) + 3) / 4; __i++) {
      unsigned int __n = sizeof(__T) - 4 * __i < 4 ? sizeof(__T) - 4 * __i : 4;
      if (thread_rank() == __rank) __builtin_memcpy(__box, (const char *)&__v + 4 * __i, __n);
      sync();
      __builtin_memcpy((char *)&__r + 4 * __i, __box, __n);
      sync();
    }
    return __r;
  }
  __device__ int any(int __p) const { return __count(__p) != 0; }
  __device__ int all(int __p) const { return __count(__p) == __SIZE; }

private:
  __device__ unsigned int __count(int __p) const {
    unsigned int *__box = (unsigned int *)&__memory->__box[__tile()];
    if (thread_rank() == 0) *__box = 0;
    sync();
    if (__p) atomicAdd(__box, 1u);
    sync();
    unsigned int __n = *(volatile unsigned int *)__box;
    sync();
    return __n;
  }
};
/* Which tile of its parent a tile is. The parent's type says it; a tile whose type names no parent
 * (`thread_block_tile<4> t = ...`) keeps it. */
template <unsigned int __SIZE, class __PARENT = void> class thread_block_tile;
template <unsigned int __SIZE, class __PARENT> class thread_block_tile_place {
public:
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / __SIZE; }
  __device__ static unsigned int meta_group_size() {
    return (thread_block::size() + __SIZE - 1) / __SIZE;
  }
};
template <unsigned int __SIZE, unsigned int __OUTER, class __PARENT>
class thread_block_tile_place<__SIZE, thread_block_tile<__OUTER, __PARENT>> {
public:
  __device__ static unsigned int meta_group_rank() {
    return thread_block::thread_rank() % __OUTER / __SIZE;
  }
  __device__ static GMMU_CONSTEXPR unsigned int meta_group_size() { return __OUTER / __SIZE; }
};
template <unsigned int __SIZE> class thread_block_tile_place<__SIZE, void> {
  unsigned int __rank, __groups;

public:
  __device__ thread_block_tile_place()
      : __rank(thread_block_tile_place<__SIZE, thread_block>::meta_group_rank()),
        __groups(thread_block_tile_place<__SIZE, thread_block>::meta_group_size()) {}
  template <class __P>
  __device__ thread_block_tile_place(const thread_block_tile_place<__SIZE, __P> &__t)
      : __rank(__t.meta_group_rank()), __groups(__t.meta_group_size()) {}
  __device__ unsigned int meta_group_rank() const { return __rank; }
  __device__ unsigned int meta_group_size() const { return __groups; }
};
template <unsigned int __SIZE, class __PARENT>
class thread_block_tile : public thread_block_tile_base<__SIZE, (__SIZE <= 32)>,
                          public thread_block_tile_place<__SIZE, __PARENT> {
public:
  thread_block_tile() = default;
  __device__ thread_block_tile(const thread_block_tile_base<__SIZE, (__SIZE <= 32)> &__t)
      : thread_block_tile_base<__SIZE, (__SIZE <= 32)>(__t) {}
};
template <unsigned int __SIZE>
class thread_block_tile<__SIZE, void> : public thread_block_tile_base<__SIZE, (__SIZE <= 32)>,
                                        public thread_block_tile_place<__SIZE, void> {
public:
  thread_block_tile() = default;
  template <class __P>
  __device__ thread_block_tile(const thread_block_tile<__SIZE, __P> &__t)
      : thread_block_tile_base<__SIZE, (__SIZE <= 32)>(__t),
        thread_block_tile_place<__SIZE, void>(
            static_cast<const thread_block_tile_place<__SIZE, __P> &>(__t)) {}
};
template <unsigned int __SIZE>
__device__ static inline void gmmu_take_memory(thread_block_tile_base<__SIZE, false> &__t,
                                               block_tile_memory<> *__m) {
  __t.__memory = __m;
}
template <unsigned int __SIZE>
__device__ static inline void gmmu_take_memory(thread_block_tile_base<__SIZE, true> &,
                                               block_tile_memory<> *) {}
template <unsigned int __SIZE, class __P>
__device__ static inline thread_block_tile<__SIZE, __P> tiled_partition(const __P &) {
  _Static_assert(__SIZE && !(__SIZE & (__SIZE - 1)), "a tile has 1, 2, 4, .. threads");
  _Static_assert(__SIZE <= 32,
                 "a tile above 32 threads needs this_thread_block(block_tile_memory)");
  return thread_block_tile<__SIZE, __P>();
}
template <unsigned int __SIZE>
__device__ static inline thread_block_tile<__SIZE, thread_block>
tiled_partition(const gmmu_tiled_block &__b) {
  thread_block_tile<__SIZE, thread_block> __t;
  gmmu_take_memory(__t, __b.__memory);
  return __t;
}

class coalesced_group {
protected:
  unsigned int __lanes, __group, __groups;

  __device__ int __lane_of(int __rank) const { return (int)__fns(__lanes, 0, __rank + 1); }
  __device__ unsigned int __packed(unsigned int __b) const {
    unsigned int __r = 0, __n = 0;
    for (unsigned int __m = __lanes; __m; __m &= __m - 1, __n++)
      __r |= ((__b >> (__ffs((int)__m) - 1)) & 1u) << __n;
    return __r;
  }
  template <class __T> __device__ __T __from(const __T &__v, int __rank) const {
    const unsigned int __m = __lanes;
    const int __lane = __rank >= 0 && __rank < (int)size() ? __lane_of(__rank) : (int)gmmu_laneid();
    return gmmu_words(__v,
                      [=](const unsigned int &__w) { return __shfl_sync(__m, __w, __lane, 32); });
  }

public:
  __device__ coalesced_group(unsigned int __mask, unsigned int __rank = 0, unsigned int __count = 1)
      : __lanes(__mask), __group(__rank), __groups(__count) {}
  __device__ unsigned int size() const { return (unsigned int)__popc(__lanes); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return (unsigned int)__popc(__lanes & ((1u << gmmu_laneid()) - 1));
  }
  __device__ unsigned int meta_group_rank() const { return __group; }
  __device__ unsigned int meta_group_size() const { return __groups; }
  __device__ unsigned int __mask() const { return __lanes; }
  __device__ void sync() const { __syncwarp(__lanes); }
  template <class __T> __device__ __T shfl(const __T &__v, int __rank) const {
    return __from(__v, __rank);
  }
  template <class __T> __device__ __T shfl_up(const __T &__v, unsigned int __d) const {
    return __from(__v, (int)thread_rank() - (int)__d);
  }
  template <class __T> __device__ __T shfl_down(const __T &__v, unsigned int __d) const {
    return __from(__v, (int)(thread_rank() + __d));
  }
  __device__ int any(int __p) const { return __any_sync(__lanes, __p); }
  __device__ int all(int __p) const { return __all_sync(__lanes, __p); }
  __device__ unsigned int ballot(int __p) const { return __packed(__ballot_sync(__lanes, __p)); }
  template <class __T> __device__ unsigned int match_any(__T __v) const {
    return __packed(__match_any_sync(__lanes, __v));
  }
  template <class __T> __device__ unsigned int match_all(__T __v, int &__same) const {
    return __packed(__match_all_sync(__lanes, __v, &__same));
  }
};
__device__ static inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}
/* The threads of a group that agree, on a value or on yes or no. */
template <class __G, class __T>
__device__ static inline coalesced_group labeled_partition(const __G &__g, __T __label) {
  unsigned int __same = __match_any_sync(__g.__mask(), __label), __rank = 0, __count = 0;
  for (unsigned int __m = __g.__mask(); __m;) { /* groups in the order of their first lanes */
    int __first = __ffs((int)__m) - 1;
    unsigned int __theirs = __shfl_sync(__g.__mask(), __same, __first, 32);
    if (__theirs == __same) __rank = __count;
    __m &= ~__theirs;
    __count++;
  }
  return coalesced_group(__same, __rank, __count);
}
template <class __G>
__device__ static inline coalesced_group binary_partition(const __G &__g, bool __p) {
  unsigned int __yes = __ballot_sync(__g.__mask(), __p) & __g.__mask(),
               __no = __g.__mask() & ~__yes;
  return coalesced_group(__p ? __yes : __no, __p && __no, (__yes != 0) + (__no != 0));
}

/* ---- a group whose kind is known when the program runs --------------------------------------- */
class thread_group {
  unsigned int __kind, __lanes; /* 0: the block; 1: lanes of a warp */

public:
  __device__ thread_group(const thread_block &) : __kind(0), __lanes(0) {}
  __device__ thread_group(const coalesced_group &__g) : __kind(1), __lanes(__g.__mask()) {}
  template <unsigned int __SIZE, class __P>
  __device__ thread_group(const thread_block_tile<__SIZE, __P> &__t)
      : __kind(1), __lanes(__t.__mask()) {}
  __device__ thread_group(unsigned int __mask) : __kind(1), __lanes(__mask) {}
  __device__ void sync() const {
    if (__kind)
      __syncwarp(__lanes);
    else
      __syncthreads();
  }
  __device__ unsigned int size() const {
    return __kind ? (unsigned int)__popc(__lanes) : thread_block::size();
  }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return __kind ? (unsigned int)__popc(__lanes & ((1u << gmmu_laneid()) - 1))
                  : thread_block::thread_rank();
  }
  __device__ unsigned int __mask() const { return __kind ? __lanes : 0xffffffffu; }
};
/* Parts of `size` threads, up to 32, of a block or of lanes. */
__device__ static inline thread_group tiled_partition(const thread_group &__g,
                                                      unsigned int __size) {
  unsigned int __all = __g.__mask(), __part = 0, __rank = __g.thread_rank() / __size;
  if (__g.size() > 32 || __all == 0xffffffffu)
    return thread_group((0xffffffffu >> (32 - __size)) << (gmmu_laneid() & ~(__size - 1)));
  for (unsigned int __i = 0; __i < __size; __i++) {
    unsigned int __lane = __fns(__all, 0, (int)(__rank * __size + __i + 1));
    if (__lane < 32) __part |= 1u << __lane;
  }
  return thread_group(__part);
}
__device__ static inline coalesced_group tiled_partition(const coalesced_group &__g,
                                                         unsigned int __size) {
  return coalesced_group(tiled_partition(thread_group(__g), __size).__mask(),
                         __g.thread_rank() / __size, (__g.size() + __size - 1) / __size);
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
    unsigned long long __block =
        ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return __block * thread_block::size() + thread_block::thread_rank();
  }
  __device__ static unsigned int num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  __device__ static unsigned int block_rank() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  /* The block's first thread speaks for the others; the token is the phase that it found. */
  struct arrival_token {
    unsigned int __phase;
  };
  __device__ static arrival_token barrier_arrive() {
    arrival_token __t = {0};
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      unsigned int __blocks = gridDim.x * gridDim.y * gridDim.z;
      __threadfence();
      __t.__phase = *(volatile unsigned int *)&gmmu_grid_phase;
      if (atomicAdd(&gmmu_grid_arrived, 1u) == __blocks - 1) {
        gmmu_grid_arrived = 0;
        __threadfence();
        atomicAdd(&gmmu_grid_phase, 1u);
      }
    }
    return __t;
  }
  __device__ static void barrier_wait(arrival_token &&__t) {
    if (thread_block::thread_rank() == 0) {
      while (*(volatile unsigned int *)&gmmu_grid_phase == __t.__phase) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  __device__ static void sync() { barrier_wait(barrier_arrive()); }
};
__device__ static inline grid_group this_grid() { return grid_group(); }

/* ---- functions on any group ------------------------------------------------------------------ */
template <class __G> __device__ static inline void sync(const __G &__g) { __g.sync(); }
template <class __G> __device__ static inline unsigned int thread_rank(const __G &__g) {
  return (unsigned int)__g.thread_rank();
}
template <class __G> __device__ static inline unsigned int group_size(const __G &__g) {
  return (unsigned int)__g.size();
}
template <class __G, class __F>
__device__ static inline void invoke_one(const __G &__g, const __F &__f) {
  if (__g.thread_rank() == 0) __f();
}

template <class __T> struct plus {
  __device__ __T operator()(__T __a, __T __b) const { return __a + __b; }
};
template <class __T> struct less {
  __device__ __T operator()(__T __a, __T __b) const { return __b < __a ? __b : __a; }
};
template <class __T> struct greater {
  __device__ __T operator()(__T __a, __T __b) const { return __a < __b ? __b : __a; }
};
template <class __T> struct bit_and {
  __device__ __T operator()(__T __a, __T __b) const { return __a & __b; }
};
template <class __T> struct bit_or {
  __device__ __T operator()(__T __a, __T __b) const { return __a | __b; }
};
template <class __T> struct bit_xor {
  __device__ __T operator()(__T __a, __T __b) const { return __a ^ __b; }
};
template <unsigned int __SIZE, class __T, class __OP>
__device__ static inline __T gmmu_reduce(const thread_block_tile_base<__SIZE, true> &__g, __T __v,
                                         __OP __op) {
  for (unsigned int __d = __SIZE / 2; __d; __d /= 2) __v = __op(__v, __g.shfl_xor(__v, (int)__d));
  return __v;
}
/* Tiles of several warps: each by itself, then the warps' results one after the other. */
template <unsigned int __SIZE, class __T, class __OP>
__device__ static inline __T gmmu_reduce(const thread_block_tile_base<__SIZE, false> &__g, __T __v,
                                         __OP __op) {
  __v = gmmu_reduce(thread_block_tile_base<32, true>(), __v, __op);
  __T __r = __g.shfl(__v, 0);
  for (unsigned int __w = 32; __w < __SIZE; __w += 32) __r = __op(__r, __g.shfl(__v, __w));
  return __r;
}
template <unsigned int __SIZE, class __P, class __T, class __OP>
__device__ static inline __T reduce(const thread_block_tile<__SIZE, __P> &__g, __T __v, __OP __op) {
  return gmmu_reduce(__g, __v, __op);
}
/* By rank: as many steps as the group has threads, halved. */
template <class __T, class __OP>
__device__ static inline __T inclusive_scan(const coalesced_group &__g, __T __v, __OP __op) {
  for (unsigned int __d = 1; __d < __g.size(); __d *= 2) {
    __T __other = __g.shfl_up(__v, __d);
    if (__g.thread_rank() >= __d) __v = __op(__other, __v);
  }
  return __v;
}
template <unsigned int __SIZE, class __P, class __T, class __OP>
__device__ static inline __T inclusive_scan(const thread_block_tile<__SIZE, __P> &__g, __T __v,
                                            __OP __op) {
  return inclusive_scan(coalesced_group(__g.__mask()), __v, __op);
}
template <class __T, class __OP>
__device__ static inline __T reduce(const coalesced_group &__g, __T __v, __OP __op) {
  return __g.shfl(inclusive_scan(__g, __v, __op), (int)__g.size() - 1);
}
template <class __G, class __T>
__device__ static inline __T inclusive_scan(const __G &__g, __T __v) {
  return inclusive_scan(__g, __v, plus<__T>());
}
template <class __G, class __T, class __OP>
__device__ static inline __T exclusive_scan(const __G &__g, __T __v, __OP __op) {
  __T __r = __g.shfl_up(inclusive_scan(__g, __v, __op), 1);
  return __g.thread_rank() ? __r : __T();
}
template <class __G, class __T>
__device__ static inline __T exclusive_scan(const __G &__g, __T __v) {
  return exclusive_scan(__g, __v, plus<__T>());
}

/* Copies that a group starts together and waits for together. */
template <class __G>
__device__ static inline void memcpy_async(const __G &__g, void *__to, const void *__from,
                                           size_t __bytes) {
  size_t __rank = __g.thread_rank(), __step = __g.size(), __done = 0;
  bool __words = (((size_t)__to | (size_t)__from) & 3) == 0 && __isShared(__to);
  if (__words) {
    for (size_t __i = __rank; __i < __bytes / 4; __i += __step)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                       (unsigned int)__cvta_generic_to_shared((char *)__to + 4 * __i)),
                   "l"((const char *)__from + 4 * __i)
                   : "memory");
    __done = __bytes & ~(size_t)3;
  }
  for (size_t __i = __done + __rank; __i < __bytes; __i += __step)
    ((char *)__to)[__i] = ((const char *)__from)[__i];
}
template <class __G, class __T>
__device__ static inline void memcpy_async(const __G &__g, __T *__to, size_t __to_count,
                                           const __T *__from, size_t __from_count) {
  size_t __n = __to_count < __from_count ? __to_count : __from_count;
  memcpy_async(__g, (void *)__to, (const void *)__from, __n * sizeof(__T));
}
template <class __G> __device__ static inline void wait(const __G &__g) {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __g.sync();
}
template <unsigned int __N, class __G> __device__ static inline void wait_prior(const __G &__g) {
  wait(__g);
}
} // namespace cooperative_groups
#endif
#endif
