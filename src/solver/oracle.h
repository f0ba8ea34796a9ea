#ifndef GMMU_SOLVER_ORACLE_H
#define GMMU_SOLVER_ORACLE_H
/* What the solver may ask a device: only for times. It knows no configuration and no kind of
 * device; a simulated GPU, a real one and a test's formula look the same. Questions come in
 * batches, so that one kernel launch can answer many.
 *
 * Addresses are physical, or offsets in a buffer that is physically contiguous: 0 .. bytes - 1, and
 * multiples of `granule_bytes`. Times are cycles, with whatever noise the device has. */
#include "gmmu/err.h"
#include <stdint.h>

/* Two loads, one behind the other without waiting: the time until both have arrived. Nothing of a
 * batch is in a cache when the batch begins, and no line is in it twice. */
typedef struct {
  uint64_t a, b;
} oracle_pair_t;

/* Loads of `touch`: the first ones one after the other, then the rest in any order; then the time
 * of a load of `target`. What chains of a batch touch may be in the cache when the next one begins,
 * so each has addresses of its own or touches its target first. */
typedef struct {
  const uint64_t *touch;
  uint32_t count, first;
  uint64_t target;
} oracle_chain_t;

/* Loads that are issued together: the time until all have arrived. As with pairs, nothing of a
 * batch is in a cache when it begins, and no line is in it twice. */
typedef struct {
  const uint64_t *at;
  uint32_t count; /* 1 .. ORACLE_BURST */
} oracle_burst_t;
#define ORACLE_BURST 128u

typedef struct {
  uint64_t bytes;
  uint32_t granule_bytes; /* a power of two: the smallest distance between addresses */
  uint64_t page_bytes;    /* a power of two: what addresses are translated in; 0: no matter */
  void *ctx;
  /* Each fills cycles[count]; a negative code ends the search. */
  int (*pairs)(void *ctx, const oracle_pair_t *p, uint32_t count, uint32_t *cycles, err_t *e);
  int (*chains)(void *ctx, const oracle_chain_t *c, uint32_t count, uint32_t *cycles, err_t *e);
  int (*bursts)(void *ctx, const oracle_burst_t *b, uint32_t count, uint32_t *cycles, err_t *e);
} oracle_t;
#endif
