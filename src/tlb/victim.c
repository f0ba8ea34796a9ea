/* The table of places for what first-level TLBs displace. */
#include "tlb/victim.h"
#include "base/policy.h"
#include <string.h>

const victim_ops_t victim_none = {.name = "none",
                                  .help = "what a first-level TLB displaces is lost"};

#define POLICIES(X) X(victim_none) X(victim_scratchpad)
POLICY_TABLE(victim_ops_t, victim_all, POLICIES)

const victim_ops_t *victim_find(const char *name) {
  for (const victim_ops_t *const *p = victim_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *victim_name(uint32_t i) { return victim_all[i] ? victim_all[i]->name : NULL; }
