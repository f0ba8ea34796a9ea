/* Constants as vectors of 32 equal lanes, each value once: an open hash over an array. */
#include "ptx/code.h"
#include <stdlib.h>

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u; }

static uint32_t home(const ppool_t *p, const pconst_t *c) {
  uint64_t h = mix(mix(c->value, c->var ? c->var->line * 4096u + c->var->column : 0),
                   c->func ? c->func->line + 1 : 0);
  return (uint32_t)(mix(h, c->bytes) >> 32) & (p->hash_size - 1);
}

static bool equal(const pconst_t *a, const pconst_t *b) {
  return a->value == b->value && a->var == b->var && a->func == b->func && a->bytes == b->bytes;
}

static bool grow(ppool_t *p) {
  uint32_t cap = p->cap ? 2 * p->cap : 64;
  pconst_t *item = realloc(p->item, cap * sizeof *item);
  if (item) p->item = item;
  uint32_t *hash = calloc(2 * (size_t)cap, sizeof *hash);
  if (!item || !hash) return free(hash), false;
  free(p->hash);
  p->cap = cap, p->hash = hash, p->hash_size = 2 * cap;
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t h = home(p, &p->item[i]);
    while (hash[h]) h = (h + 1) & (p->hash_size - 1);
    hash[h] = i + 1;
  }
  return true;
}

uint32_t ppool_add(ppool_t *p, const pconst_t *c) {
  if (p->count == p->cap && !grow(p)) return OPERAND_NONE;
  uint32_t h = home(p, c);
  for (; p->hash[h]; h = (h + 1) & (p->hash_size - 1))
    if (equal(&p->item[p->hash[h] - 1], c))
      return OPERAND(SEL_POOL, p->item[p->hash[h] - 1].offset);
  if (p->bytes > 1u << 29) return OPERAND_NONE;
  pconst_t *n = &p->item[p->count++];
  *n = *c;
  n->offset = p->bytes;
  p->bytes += c->bytes * 32u;
  p->hash[h] = p->count;
  return OPERAND(SEL_POOL, n->offset);
}

void ppool_fini(ppool_t *p) {
  free(p->item), free(p->hash);
  *p = (ppool_t){0};
}
