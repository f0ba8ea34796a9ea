#ifndef GMMU_MAP_MEMORY_H
#define GMMU_MAP_MEMORY_H
/* The memory manager as the machine has it: who lies where, and what it asks to be done. */
#include "gmmu/mm.h"

typedef struct {
  mm_t *mm;
  mm_actions_t actions;
  uint32_t page_shift, large_pages_shift;
  bool mixed;  /* pages have several sizes: mm_page_order() */
  bool hashed; /* walks read a hashed page table first */
} memory_t;
#endif
