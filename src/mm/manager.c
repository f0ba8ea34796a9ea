/* The table of managers. */
#include "mm/manager.h"
#include <string.h>

const mm_manager_ops_t *const mm_manager_all[] = {&mm_gpu_mmu,  &mm_large_only, &mm_mosaic,
                                                  &mm_coloured, &mm_mixed,      NULL};

const mm_manager_ops_t *mm_manager_find(const char *name) {
  for (const mm_manager_ops_t *const *o = mm_manager_all; name && *o; o++)
    if (!strcmp((*o)->name, name)) return *o;
  return NULL;
}

const char *mm_manager_name(const mm_manager_ops_t *o) { return o->name; }
const char *mm_manager_help(const mm_manager_ops_t *o) { return o->help; }
bool mm_manager_mixed(const mm_manager_ops_t *o) { return o->mixed; }
bool mm_manager_large(const mm_manager_ops_t *o) { return o->whole_large || o->coalesces; }
