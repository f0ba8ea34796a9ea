#include "tlb/fill.h"
#include "base/policy.h"
#include <string.h>

const fill_ops_t fill_all_levels = {.name = "all", .help = "every level on the way is filled"};

#define POLICIES(X) X(fill_all_levels) X(fill_tokens)
POLICY_TABLE(fill_ops_t, fill_all, POLICIES)

const fill_ops_t *fill_find(const char *name) {
  for (const fill_ops_t *const *p = fill_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *fill_name(uint32_t i) { return fill_all[i] ? fill_all[i]->name : NULL; }
