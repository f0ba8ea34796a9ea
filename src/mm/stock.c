/* The stock: per kind of block a list, chained through the blocks' first words. Between calls of
 * the library it is empty, so that memory nobody uses costs nothing. */
#include "mm/stock.h"
#include "gmmu/err.h"

static int put_one(stock_t *s, stock_kind_t kind) {
  void **block = host_alloc(s->host, s->bytes[kind]);
  if (!block) return GMMU_ENOMEM;
  *block = s->first[kind];
  s->first[kind] = block;
  return GMMU_OK;
}

int stock_fill(stock_t *s, const uint64_t n[STOCK_KINDS]) {
  int rc = GMMU_OK;
  for (uint32_t k = 0; k < STOCK_KINDS; k++)
    for (uint64_t i = 0; !rc && i < n[k]; i++) rc = put_one(s, (stock_kind_t)k);
  if (rc) stock_empty(s);
  return rc;
}

static void *pop(stock_t *s, stock_kind_t kind) {
  void **block = s->first[kind];
  s->first[kind] = *block;
  *block = NULL; /* zeroed, as from the host */
  return block;
}

void *stock_take(stock_t *s, stock_kind_t kind) {
  return s->first[kind] ? pop(s, kind) : host_alloc(s->host, s->bytes[kind]);
}

void stock_empty(stock_t *s) {
  for (uint32_t k = 0; k < STOCK_KINDS; k++)
    while (s->first[k]) stock_give(s, (stock_kind_t)k, pop(s, (stock_kind_t)k));
}
