#ifndef GMMU_BASE_POLICY_H
#define GMMU_BASE_POLICY_H
/* The table of a kind of policies, in one source of its room. A policy is a row of the list and a
 * file of its own; no header names it, so adding one compiles little. Behind the rows is room for
 * those of plug-ins (lab/plugin.h), which are entered before the first machine is made.
 *
 * A policy of the tree has its options and counters in its block's. One of a plug-in has a
 * policy_own_t: options and counters that are its own. */
#include "base/opt.h"
#include "base/stat.h"
#include <stdbool.h>
#include <stddef.h>

/* What a policy has of its own in a machine. It stays as long as the machine. */
typedef struct {
  const void *options; /* the values, in a struct as policy_own_t describes it */
  void *counters;      /* as policy_own_t describes them; with per_app those of application 0. To
                          count, not to decide by: blocks share them, and reach them in any order */
  size_t counters_bytes;
} policy_mine_t;
static inline void *policy_counters(const policy_mine_t *m, uint32_t app) {
  return (char *)m->counters + app * m->counters_bytes;
}

/* The group of options and counters has the policy's name, with _ for a dash. All that machines
 * have of a policy counts together, whichever blocks use it. */
typedef struct {
  const opt_t *options; /* of a struct of options_bytes; ends with a NULL name. NULL: none */
  size_t options_bytes;
  const stat_desc_t *counters; /* uint64_t alone; ends with a NULL name. NULL: none */
  size_t counters_bytes;
  bool per_app; /* counters of each application; else of the machine */
  /* Once for every state, after init() and before the first cycle. */
  void (*give)(void *state, const policy_mine_t *mine);
} policy_own_t;

#define POLICY_ROOM       16
#define POLICY_EXTERN_(p) extern const policy_ops_t p;
#define POLICY_ROW_(p)    &p,
#define POLICY_ONE_(p)    +1
/* `table` of `type`, NULL-terminated, with the rows X(policy) of list(X). */
#define POLICY_TABLE(type, table, list)                                                            \
  typedef type policy_ops_t;                                                                       \
  list(POLICY_EXTERN_)                                                                             \
      const type *table[0 list(POLICY_ONE_) + POLICY_ROOM + 1] = {list(POLICY_ROW_) NULL};
#endif
