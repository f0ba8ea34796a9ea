#include "cache/l2policy.h"
#include "base/policy.h"
#include <string.h>

const l2_policy_t l2_policy_all_fill = {.name = "all",
                                        .help = "every request looks into L2 and fills it"};

#define POLICIES(X) X(l2_policy_all_fill) X(l2_walk_bypass)
POLICY_TABLE(l2_policy_t, l2_policy_all, POLICIES)

const l2_policy_t *l2_policy_find(const char *name) {
  for (const l2_policy_t *const *p = l2_policy_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *l2_policy_name(uint32_t i) { return l2_policy_all[i] ? l2_policy_all[i]->name : NULL; }
