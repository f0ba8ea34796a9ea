#include "assoc/repl.h"
#include "base/policy.h"
#include <stdlib.h>
#include <string.h>

#define POLICIES(X) X(repl_lru) X(repl_fifo) X(repl_random) X(repl_lru_writes) X(repl_depot)
POLICY_TABLE(repl_ops_t, repl_all, POLICIES)

const repl_ops_t *repl_find(const char *name) {
  for (const repl_ops_t *const *p = repl_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *repl_name(uint32_t i) { return repl_all[i] ? repl_all[i]->name : NULL; }

void *repl_new(const repl_ops_t *ops, uint32_t sets, uint32_t ways, const depot_spec_t *spec) {
  bool tuned = spec && ops->tune;
  void *state =
      calloc(1, tuned ? ops->tuned_bytes(sets, ways, spec) : ops->state_bytes(sets, ways));
  if (!state) return NULL;
  if (tuned)
    ops->tune(state, sets, ways, spec);
  else
    ops->init(state, sets, ways);
  return state;
}
