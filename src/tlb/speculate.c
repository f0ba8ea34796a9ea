/* The table of speculations before translation. */
#include "tlb/speculate.h"
#include "base/policy.h"
#include <string.h>

const speculate_ops_t speculate_none = {.name = "none", .help = "data waits for its translation"};

#define POLICIES(X) X(speculate_none) X(speculate_cast)
POLICY_TABLE(speculate_ops_t, speculate_all, POLICIES)

const speculate_ops_t *speculate_find(const char *name) {
  for (const speculate_ops_t *const *p = speculate_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *speculate_name(uint32_t i) { return speculate_all[i] ? speculate_all[i]->name : NULL; }
