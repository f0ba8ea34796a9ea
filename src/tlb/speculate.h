#ifndef GMMU_TLB_SPECULATE_H
#define GMMU_TLB_SPECULATE_H
/* Speculation before translation (tlb.speculate): when a load misses the first-level TLB, a policy
 * may guess the frame of its page. The data is then fetched into L1 at the guessed address while
 * the translation goes its way (guess.c). Nobody sees it before the translation is known: only then
 * does the load look into L1, at its true address. A wrong guess has moved data for nothing.
 *
 * A policy has one state for each SM. It is told every translation that a load instruction missed,
 * once, however many warps waited for it. */
#include "base/opt.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

/* Options of `cast`. */
typedef struct {
  uint32_t entries;    /* of an SM's table */
  uint32_t confidence; /* from which on it guesses */
} cast_spec_t;
extern const opt_t cast_options[]; /* group "cast" */

typedef struct {
  const cast_spec_t *cast;
} speculate_env_t;

/* A page that a load needs: an instruction of a kernel, in an address space. */
typedef struct {
  uint32_t inst;
  asid_t asid;
  vpn_t vpn; /* base page */
} speculate_load_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const speculate_env_t *env); /* of an SM; all zero to begin with */
  void (*init)(void *state, const speculate_env_t *env);
  /* A load misses: true, and the frame, if it guesses. */
  bool (*guess)(void *state, const speculate_load_t *l, ppn_t *ppn);
  /* Its page is this one. */
  void (*told)(void *state, const speculate_load_t *l, ppn_t ppn);
} speculate_ops_t;

#define SPECULATE_STATS(X)                                                                         \
  X(misses, "look-ups", "of loads that missed the first TLB level and may be cached in L1")        \
  X(guesses, "look-ups", "of them, whose page was guessed")                                        \
  X(right, "guesses", "that the translation confirmed")                                            \
  X(wrong, "guesses", "that it did not: data was fetched for nothing")                             \
  X(lines, "lines", "fetched ahead of their translation")                                          \
  X(dropped, "lines", "not fetched: the SM had no room for another line")                          \
  X(outside, "guesses", "of no frame of this memory: nothing was fetched")
typedef struct {
#define X(n, u, h) uint64_t n;
  SPECULATE_STATS(X)
#undef X
} speculate_stats_t;

extern const speculate_ops_t *speculate_all[]; /* NULL-terminated */
const speculate_ops_t *speculate_find(const char *name);
const char *speculate_name(uint32_t i);
#endif
