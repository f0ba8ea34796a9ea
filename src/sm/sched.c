#include "sm/sched.h"
#include "base/policy.h"
#include <stddef.h>
#include <string.h>

#define POLICIES(X) X(sched_gto) X(sched_lrr)
POLICY_TABLE(sched_ops_t, sched_all, POLICIES)

const sched_ops_t *sched_find(const char *name) {
  for (const sched_ops_t *const *p = sched_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *sched_name(uint32_t i) { return sched_all[i] ? sched_all[i]->name : NULL; }
