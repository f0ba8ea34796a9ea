#ifndef GMMU_BASE_INLINE_H
#define GMMU_BASE_INLINE_H
#include <stdbool.h>
#include <stddef.h>

/* Where the compiler's own choice costs instructions in the hot loop: ALWAYS_INLINE is always
 * inlined, NEVER_INLINE never, so that the usual way through a function saves few registers.
 * Measured with callgrind; use sparingly. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE  static __attribute__((noinline))
/* Does the fast path apply? Never in the build that shows that the general one gives the same bytes
 * (-Dgeneral_paths=true). */
#ifdef GMMU_GENERAL
#define FAST(applies) ((void)(applies), false)
#else
#define FAST(applies) (applies)
#endif
/* The host fetches a line, or some, of its cache. Volatile, since gcc drops calls of functions that
 * do nothing else. */
ALWAYS_INLINE void host_fetch(const void *at) {
  __asm__ volatile("" : : "r"(at));
  __builtin_prefetch(at);
}
ALWAYS_INLINE void host_fetch_lines(const void *at, unsigned lines) {
  for (unsigned i = 0; i < lines; i++) host_fetch((const char *)at + (size_t)64 * i);
}
/* The value stays in a register; without this an address is often worked out again at each use. */
#define KEEP(x) __asm__("" : "+r"(x))
#endif
