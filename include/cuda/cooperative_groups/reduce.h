#ifndef GMMU_COOPERATIVE_GROUPS_REDUCE
#define GMMU_COOPERATIVE_GROUPS_REDUCE
#include "../cooperative_groups.h"
/* With an atomic variable the group's sum, or what else, goes into that. */
#include "../cuda/atomic"
#if defined __CUDA__
namespace cooperative_groups {
template <class __G, class __A, class __T, class __F>
__device__ static void reduce_update_async(const __G &__g, __A &__atomic, const __T &__v, __F __f) {
  __T __all = reduce(__g, __v, __f);
  if (__g.thread_rank() != 0) return;
  __T __old = __atomic.load(::cuda::memory_order_relaxed);
  while (!__atomic.compare_exchange_weak(__old, __f(__old, __all), ::cuda::memory_order_relaxed)) {
  }
}
template <class __G, class __A, class __T, class __F>
__device__ static void reduce_store_async(const __G &__g, __A &__atomic, const __T &__v, __F __f) {
  __T __all = reduce(__g, __v, __f);
  if (__g.thread_rank() == 0) __atomic.store(__all, ::cuda::memory_order_relaxed);
}
} // namespace cooperative_groups
#endif
#endif
