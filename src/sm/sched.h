#ifndef GMMU_SM_SCHED_H
#define GMMU_SM_SCHED_H
/* Warp schedulers: which of the warps that could issue in this cycle does.
 * Warps are numbered by age: bit 0 of `eligible` is the oldest warp of the SM. `last` is the age
 * number of the warp this scheduler issued from last, or SCHED_GONE. One call per issued
 * instruction. */
#include "base/policy.h"
#include <stdint.h>

#define SCHED_GONE 64

typedef struct {
  const char *name, *help;
  uint32_t (*pick)(uint64_t eligible, uint32_t last); /* eligible is not 0 */
  /* The same for a policy of a plug-in that has options or counters; `pick` is NULL then. */
  uint32_t (*choose)(const policy_mine_t *mine, uint64_t eligible, uint32_t last);
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} sched_ops_t;

/* The usual one, so that it needs no call. */
static inline uint32_t sched_gto_pick(uint64_t eligible, uint32_t last) {
  if (last != SCHED_GONE && (eligible >> last & 1)) return last;
  return (uint32_t)__builtin_ctzll(eligible);
}

extern const sched_ops_t sched_gto;    /* whom others name; the table has them all */
extern const sched_ops_t *sched_all[]; /* NULL-terminated */
const sched_ops_t *sched_find(const char *name);
const char *sched_name(uint32_t i);
#endif
