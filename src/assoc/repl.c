#include "assoc/repl.h"
#include "base/policy.h"
#include <string.h>

#define POLICIES(X) X(repl_lru) X(repl_fifo) X(repl_random) X(repl_lru_writes)
POLICY_TABLE(repl_ops_t, repl_all, POLICIES)

const repl_ops_t *repl_find(const char *name) {
  for (const repl_ops_t *const *p = repl_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *repl_name(uint32_t i) { return repl_all[i] ? repl_all[i]->name : NULL; }
