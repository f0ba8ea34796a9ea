#ifndef GMMU_BASE_INLINE_H
#define GMMU_BASE_INLINE_H
/* Where the compiler's own choice costs instructions in the hot loop: HOT is always inlined, COLD
 * never, so that the usual way through a function saves few registers. Measured with callgrind; use
 * sparingly. */
#define HOT  static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline))
/* The value stays in a register; without this an address is often worked out again at each use. */
#define KEEP(x) __asm__("" : "+r"(x))
#endif
