#ifndef GMMU_TRACE_GMT_PAGES_H
#define GMMU_TRACE_GMT_PAGES_H
/* The set of pages a kernel touched: 16 bytes per 64 neighbouring pages. */
#include "trace/gmt_format.h"

typedef struct {
  uint64_t *key, *bits; /* open addressing; bits 0: empty */
  uint64_t mask, used;  /* capacity - 1; 0 when nothing is allocated */
  uint64_t pages;       /* in the set */
  uint64_t last;        /* page added last, + 1: most accesses stay in it */
} pages_t;

int gmt_pages_add(pages_t *s, uint64_t page); /* 0 or GMMU_ENOMEM */
void gmt_pages_fini(pages_t *s);
/* Adds the pages of the active lanes' accesses of `width` bytes. */
int gmt_pages_add_op(pages_t *s, const warp_op_t *op, uint32_t width);
#endif
