#ifndef GMMU_CUDA_PIPELINE_PRIMITIVES_H
#define GMMU_CUDA_PIPELINE_PRIMITIVES_H
/* Copies from global to shared memory that a thread starts and waits for later. */
#include "cuda_runtime.h"
#if defined __CUDA__
GMMU_DEV void gmmu_copy_async(void *__to, const void *__from, size_t __bytes, size_t __zeros) {
  unsigned int __d = (unsigned int)__cvta_generic_to_shared(__to),
               __n = (unsigned int)(__bytes - __zeros);
  if (__bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(__d), "l"(__from), "r"(__n)
                 : "memory");
  else if (__bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(__d), "l"(__from), "r"(__n)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(__d), "l"(__from), "r"(__n)
                 : "memory");
}
GMMU_DEV void __pipeline_memcpy_async(void *__to, const void *__from, size_t __bytes,
                                      size_t __zeros = 0) {
  gmmu_copy_async(__to, __from, __bytes, __zeros);
}
GMMU_DEV void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/* Which groups are still under way makes no difference: a wait is one for all. */
GMMU_DEV void __pipeline_wait_prior(size_t) { asm volatile("cp.async.wait_all;" ::: "memory"); }
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
GMMU_DEV unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
GMMU_DEV void __mbarrier_init(__mbarrier_t *__b, unsigned int __count) {
  asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(__b), "r"(__count) : "memory");
}
GMMU_DEV void __mbarrier_inval(__mbarrier_t *__b) {
  asm volatile("mbarrier.inval.b64 [%0];" ::"l"(__b) : "memory");
}
GMMU_DEV __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *__b) {
  __mbarrier_token_t __t;
  asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(__t) : "l"(__b) : "memory");
  return __t;
}
GMMU_DEV __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *__b) {
  __mbarrier_token_t __t;
  asm volatile("mbarrier.arrive_drop.b64 %0, [%1];" : "=l"(__t) : "l"(__b) : "memory");
  return __t;
}
GMMU_DEV bool __mbarrier_test_wait(__mbarrier_t *__b, __mbarrier_token_t __t) {
  int __d;
  asm volatile("{ .reg .pred t; mbarrier.test_wait.b64 t, [%1], %2; selp.s32 %0, 1, 0, t; }"
               : "=r"(__d)
               : "l"(__b), "l"(__t)
               : "memory");
  return __d;
}
GMMU_DEV bool __mbarrier_test_wait_parity(__mbarrier_t *__b, unsigned int __parity) {
  int __d;
  asm volatile("{ .reg .pred t; mbarrier.test_wait.parity.b64 t, [%1], %2; selp.s32 %0, 1, 0, t; }"
               : "=r"(__d)
               : "l"(__b), "r"(__parity)
               : "memory");
  return __d;
}
GMMU_DEV unsigned int __mbarrier_token_pending_count(__mbarrier_token_t __t) {
  unsigned int __d;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(__d) : "l"(__t));
  return __d;
}
GMMU_DEV void __pipeline_arrive_on(__mbarrier_t *__b) {
  asm volatile(
      "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(__b))
      : "memory");
}
#endif
#endif
