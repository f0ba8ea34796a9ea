/* The table of page-walk schedulers. */
#include "walk/walkpolicy.h"
#include "base/policy.h"
#include <string.h>

const walk_policy_t walk_fifo = {.name = "fifo", .help = "one queue, in order of arrival"};

#define POLICIES(X)                                                                                \
  X(walk_fifo)                                                                                     \
  X(walk_dws) X(walk_dws_plus) X(walk_simt) X(walk_nha) X(walk_marching) X(walk_latpc) X(walk_soft)
POLICY_TABLE(walk_policy_t, walk_policy_all, POLICIES)

const walk_policy_t *walk_policy_find(const char *name) {
  for (const walk_policy_t *const *p = walk_policy_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *walk_policy_name(uint32_t i) {
  return walk_policy_all[i] ? walk_policy_all[i]->name : NULL;
}
