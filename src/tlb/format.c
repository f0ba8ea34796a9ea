/* The table of formats of TLB entries. */
#include "tlb/format.h"
#include "base/policy.h"
#include <string.h>

const tlb_format_t format_plain = {.name = "plain",
                                   .help = "a page, or sub-entries of adjacent pages"};

#define POLICIES(X) X(format_plain) X(format_star) X(format_colt)
POLICY_TABLE(tlb_format_t, tlb_format_all, POLICIES)

const tlb_format_t *tlb_format_find(const char *name) {
  for (const tlb_format_t *const *p = tlb_format_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *tlb_format_name(uint32_t i) {
  return tlb_format_all[i] ? tlb_format_all[i]->name : NULL;
}
