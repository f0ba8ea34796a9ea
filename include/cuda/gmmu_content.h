#ifndef GMMU_CONTENT_H
#define GMMU_CONTENT_H
/* Tables whose values are a function of their place. A program that gathers from a table of 32 GB
 * needs values there, not 32 GB of them: under gmmu such a table costs no memory until it is
 * written. Kernels cannot tell: this header is what gmmu computes with, what a kernel fills the
 * table with where there is no gmmu, and what a reference on the host compares with.
 *
 * A table is made of granules of 64 bytes; the element type follows from the kind. For C, C++ and
 * device code. */
#include <stdint.h>
#include <string.h>

#if defined __CUDACC__ || defined __CUDA__
#define GMMU_CONTENT_FN __host__ __device__ static inline
#else
#define GMMU_CONTENT_FN static inline
#endif

enum {
  GMMU_CONTENT_INDEX64,    /* uint64_t: its index */
  GMMU_CONTENT_STEP64,     /* uint64_t: its index times n */
  GMMU_CONTENT_BELOW32,    /* uint32_t: random in [0, n), n <= 2^32 */
  GMMU_CONTENT_PERMUTED32, /* uint32_t: a random permutation of [0, 2^n) */
  GMMU_CONTENT_UNIT32,     /* float: random in [0, 1) */
  GMMU_CONTENT_SORTED64,   /* double: ascending in [0, 1), a random one in each n-th */
  GMMU_CONTENT_MERGED32,   /* uint32_t: element u n + m is the last place of list m up to place u of
                              n lists that are merged element by element in turn; 0 if there is none
                            */
  GMMU_CONTENT_REGULAR32,  /* uint32_t: edges of a random graph of 2^n nodes, 16 of each node,
                              sorted: by 8 random permutations and their inverses, so every edge
                              leads back */
  GMMU_CONTENT_KINDS
};

#define GMMU_CONTENT_BYTES  64
#define GMMU_CONTENT_DEGREE 16 /* of GMMU_CONTENT_REGULAR32 */

/* Splitmix64's output function. */
GMMU_CONTENT_FN uint64_t gmmu_content_hash(uint64_t __seed, uint64_t __i) {
  uint64_t __z = __seed * 0xd1342543de82ef95u + (__i + 1) * 0x9e3779b97f4a7c15u;
  __z = (__z ^ (__z >> 30)) * 0xbf58476d1ce4e5b9u;
  __z = (__z ^ (__z >> 27)) * 0x94d049bb133111ebu;
  return __z ^ (__z >> 31);
}

/* A permutation of n bits: multiplications by odd numbers and shifts that undo themselves. */
GMMU_CONTENT_FN uint32_t gmmu_content_permute(uint64_t __key, uint32_t __n, uint32_t __v) {
  uint32_t __mask = __n < 32 ? (1u << __n) - 1 : 0xffffffffu, __upper = (__n + 1) / 2, __k;
  for (__k = 0; __k < 3; __k++) {
    uint64_t __r = gmmu_content_hash(__key, __k);
    __v = (__v * ((uint32_t)__r | 1) + (uint32_t)(__r >> 32)) & __mask;
    if (__upper < 32) __v ^= __v >> __upper;
  }
  return __v;
}

GMMU_CONTENT_FN uint32_t gmmu_content_permute_back(uint64_t __key, uint32_t __n, uint32_t __v) {
  uint32_t __mask = __n < 32 ? (1u << __n) - 1 : 0xffffffffu, __upper = (__n + 1) / 2, __k;
  for (__k = 3; __k-- > 0;) {
    uint64_t __r = gmmu_content_hash(__key, __k);
    uint32_t __a = (uint32_t)__r | 1, __inverse = __a; /* Newton: right bits double, from 3 on */
    __inverse *= 2 - __a * __inverse, __inverse *= 2 - __a * __inverse;
    __inverse *= 2 - __a * __inverse, __inverse *= 2 - __a * __inverse;
    if (__upper < 32) __v ^= __v >> __upper;
    __v = ((__v - (uint32_t)(__r >> 32)) * __inverse) & __mask;
  }
  return __v;
}

GMMU_CONTENT_FN void gmmu_content_neighbours(uint64_t __seed, uint32_t __n, uint32_t __node,
                                             uint32_t __out[GMMU_CONTENT_DEGREE]) {
  uint32_t __k, __i;
  for (__k = 0; __k < GMMU_CONTENT_DEGREE; __k++) {
    uint64_t __key = gmmu_content_hash(__seed, __k / 2);
    uint32_t __v = __k & 1 ? gmmu_content_permute_back(__key, __n, __node)
                           : gmmu_content_permute(__key, __n, __node);
    for (__i = __k; __i > 0 && __out[__i - 1] > __v; __i--) __out[__i] = __out[__i - 1];
    __out[__i] = __v;
  }
}

GMMU_CONTENT_FN uint32_t gmmu_content_word32(uint32_t __kind, uint64_t __seed, uint64_t __n,
                                             uint64_t __i) {
  uint64_t __h, __u, __m;
  float __f;
  uint32_t __bits;
  if (__kind == GMMU_CONTENT_MERGED32) {
    __u = __i / __n, __m = __i % __n;
    return (uint32_t)(__m <= __u % __n ? __u / __n : __u / __n ? __u / __n - 1 : 0);
  }
  if (__kind == GMMU_CONTENT_PERMUTED32)
    return gmmu_content_permute(__seed, (uint32_t)__n, (uint32_t)__i);
  __h = gmmu_content_hash(__seed, __i);
  if (__kind == GMMU_CONTENT_BELOW32) return (uint32_t)(((__h >> 32) * __n) >> 32);
  __f = (float)(__h >> 40) * (1.0f / 16777216.0f);
  memcpy(&__bits, &__f, 4);
  return __bits;
}

GMMU_CONTENT_FN uint64_t gmmu_content_word64(uint32_t __kind, uint64_t __seed, uint64_t __n,
                                             uint64_t __i) {
  double __d;
  uint64_t __bits;
  if (__kind == GMMU_CONTENT_INDEX64) return __i;
  if (__kind == GMMU_CONTENT_STEP64) return __i * __n;
  __d = (double)(gmmu_content_hash(__seed, __i) >> 11) * (1.0 / 9007199254740992.0);
  __d = ((double)__i + __d) / (double)__n;
  memcpy(&__bits, &__d, 8);
  return __bits;
}

/* The 64 bytes of granule g. */
GMMU_CONTENT_FN void gmmu_content_granule(uint32_t __kind, uint64_t __seed, uint64_t __n,
                                          uint64_t __g, void *__out) {
  uint32_t __w32[16], __i;
  uint64_t __w64[8];
  switch (__kind) {
  case GMMU_CONTENT_INDEX64:
  case GMMU_CONTENT_STEP64:
  case GMMU_CONTENT_SORTED64:
    for (__i = 0; __i < 8; __i++)
      __w64[__i] = gmmu_content_word64(__kind, __seed, __n, __g * 8 + __i);
    memcpy(__out, __w64, sizeof __w64);
    return;
  case GMMU_CONTENT_REGULAR32:
    gmmu_content_neighbours(__seed, (uint32_t)__n, (uint32_t)__g, __w32);
    break;
  default:
    for (__i = 0; __i < 16; __i++)
      __w32[__i] = gmmu_content_word32(__kind, __seed, __n, __g * 16 + __i);
  }
  memcpy(__out, __w32, sizeof __w32);
}

/* Whether the kind takes this n. */
GMMU_CONTENT_FN int gmmu_content_valid(uint32_t __kind, uint64_t __n) {
  switch (__kind) {
  case GMMU_CONTENT_INDEX64:
  case GMMU_CONTENT_STEP64:
  case GMMU_CONTENT_UNIT32: return 1;
  case GMMU_CONTENT_BELOW32: return __n > 0 && __n <= (uint64_t)1 << 32;
  case GMMU_CONTENT_SORTED64:
  case GMMU_CONTENT_MERGED32: return __n > 0;
  case GMMU_CONTENT_PERMUTED32:
  case GMMU_CONTENT_REGULAR32: return __n > 0 && __n <= 32;
  default: return 0;
  }
}
#endif
