/* The table of MSHR formats. */
#include "tlb/mshr.h"
#include "base/policy.h"
#include <string.h>

const mshr_ops_t tlb_mshr_page = {
    .name = "page", .help = "one page in each MSHR", .first = true, .behind = true};

#define POLICIES(X) X(tlb_mshr_page) X(tlb_mshr_latpc) X(tlb_mshr_intlb)
POLICY_TABLE(mshr_ops_t, tlb_mshr_all, POLICIES)

const mshr_ops_t *tlb_mshr_find(const char *name) {
  for (const mshr_ops_t *const *p = tlb_mshr_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

uint32_t tlb_mshr_misses(const char *format, uint32_t mshrs) {
  const mshr_ops_t *f = tlb_mshr_find(format);
  return f && f->pages ? mshrs * f->pages : mshrs;
}

const char *tlb_mshr_name(uint32_t i) { return tlb_mshr_all[i] ? tlb_mshr_all[i]->name : NULL; }
