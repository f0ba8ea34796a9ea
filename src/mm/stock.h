#ifndef GMMU_MM_STOCK_H
#define GMMU_MM_STOCK_H
/* Host memory set aside before a change begins, so that the change itself cannot fail. Blocks are
 * zeroed; what is not in stock comes from the host. */
#include "mm/host.h"
#include <stdint.h>

typedef enum {
  STOCK_OWNERS, /* reverse map of a large frame */
  STOCK_LEAF,   /* page-table node with leaf entries */
  STOCK_MEDIUM, /* the same of medium pages, beside it */
  STOCK_NODE,   /* page-table node above */
  STOCK_SLAB,   /* frame of nodes */
  STOCK_KINDS
} stock_kind_t;

typedef struct {
  const mm_host_t *host;
  size_t bytes[STOCK_KINDS];
  void *first[STOCK_KINDS]; /* chained by their first word */
} stock_t;

/* Puts n[kind] blocks of each kind aside: 0, or GMMU_ENOMEM with none kept. The stock is empty. */
int stock_fill(stock_t *s, const uint64_t n[STOCK_KINDS]);
void stock_empty(stock_t *s);
void *stock_take(stock_t *s, stock_kind_t kind); /* NULL if there is none, nor with the host */
static inline void stock_give(stock_t *s, stock_kind_t kind, void *block) {
  host_free(s->host, block, s->bytes[kind]);
}
#endif
