#ifndef GMMU_COOPERATIVE_GROUPS_SCAN
#define GMMU_COOPERATIVE_GROUPS_SCAN
#include "../cooperative_groups.h"
/* With an atomic variable: the group's sum goes into it, and what was there before is every
 * thread's start. */
#include "../cuda/atomic"
#if defined __CUDA__
namespace cooperative_groups {
/* What the variable held before the group's part came in, in every thread. */
template <class __G, class __A, class __T, class __F>
__device__ static __T gmmu_before(const __G &__g, __A &__atomic, const __T &__part, __F __f) {
  __T __old = __part;
  if (__g.thread_rank() == __g.num_threads() - 1) {
    __old = __atomic.load(::cuda::memory_order_relaxed);
    while (
        !__atomic.compare_exchange_weak(__old, __f(__old, __part), ::cuda::memory_order_relaxed)) {
    }
  }
  return __g.shfl(__old, __g.num_threads() - 1);
}
template <class __G, class __A, class __T, class __F>
__device__ static __T inclusive_scan_update(const __G &__g, __A &&__atomic, const __T &__v,
                                            __F __f) {
  __T __up_to = inclusive_scan(__g, __v, __f);
  return __f(gmmu_before(__g, __atomic, __up_to, __f), __up_to);
}
template <class __G, class __A, class __T>
__device__ static __T inclusive_scan_update(const __G &__g, __A &&__atomic, const __T &__v) {
  return inclusive_scan_update(__g, __atomic, __v, plus<__T>());
}
template <class __G, class __A, class __T, class __F>
__device__ static __T exclusive_scan_update(const __G &__g, __A &&__atomic, const __T &__v,
                                            __F __f) {
  __T __up_to = inclusive_scan(__g, __v, __f), __start = gmmu_before(__g, __atomic, __up_to, __f);
  __T __left = __g.shfl_up(__up_to, 1);
  return __g.thread_rank() == 0 ? __start : __f(__start, __left);
}
template <class __G, class __A, class __T>
__device__ static __T exclusive_scan_update(const __G &__g, __A &&__atomic, const __T &__v) {
  return exclusive_scan_update(__g, __atomic, __v, plus<__T>());
}
} // namespace cooperative_groups
#endif
#endif
