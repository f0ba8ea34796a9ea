/* A growing hash table from groups of 64 pages to a bit each; at most half full. */
#include "trace/gmt_pages.h"
#include <stdlib.h>

static uint64_t find(const pages_t *s, uint64_t group) {
  uint64_t i = (group * 0x9e3779b97f4a7c15u) >> 20 & s->mask;
  while (s->bits[i] && s->key[i] != group) i = (i + 1) & s->mask;
  return i;
}

static int grow(pages_t *s) {
  uint64_t room = s->mask ? 2 * (s->mask + 1) : 64;
  pages_t n = {.key = malloc(room * 8), .bits = calloc(room, 8), .mask = room - 1};
  if (!n.key || !n.bits) {
    free(n.key), free(n.bits);
    return GMMU_ENOMEM;
  }
  for (uint64_t i = 0; s->mask && i <= s->mask; i++) {
    if (!s->bits[i]) continue;
    uint64_t at = find(&n, s->key[i]);
    n.key[at] = s->key[i], n.bits[at] = s->bits[i];
  }
  free(s->key), free(s->bits);
  s->key = n.key, s->bits = n.bits, s->mask = n.mask;
  return GMMU_OK;
}

int gmt_pages_add(pages_t *s, uint64_t page) {
  if (s->last == page + 1) return GMMU_OK;
  if (2 * s->used >= s->mask && grow(s) < 0) return GMMU_ENOMEM;
  uint64_t group = page / 64, bit = 1ull << (page % 64), i = find(s, group);
  s->used += !s->bits[i];
  s->pages += !(s->bits[i] & bit);
  s->key[i] = group, s->bits[i] |= bit;
  s->last = page + 1;
  return GMMU_OK;
}

void gmt_pages_fini(pages_t *s) {
  free(s->key), free(s->bits);
  *s = (pages_t){0};
}

/* Whether all of a strided access, from its first active lane to the last, is in one page. */
static bool in_one_page(const warp_op_t *op, uint32_t width) {
  uint64_t first = op->base + (uint32_t)__builtin_ctz(op->mask) * (uint64_t)op->stride;
  uint64_t last = op->base + (31 - (uint32_t)__builtin_clz(op->mask)) * (uint64_t)op->stride;
  uint64_t page = first / GMT_PAGE_BYTES;
  return op->stride > -GMT_PAGE_BYTES && op->stride < GMT_PAGE_BYTES &&
         (first + width - 1) / GMT_PAGE_BYTES == page && last / GMT_PAGE_BYTES == page &&
         (last + width - 1) / GMT_PAGE_BYTES == page;
}

int gmt_pages_add_op(pages_t *s, const warp_op_t *op, uint32_t width) {
  if (op->mode == ADDR_NONE || !op->mask) return GMMU_OK;
  if (op->mode == ADDR_STRIDE && in_one_page(op, width)) {
    uint64_t first = op->base + (uint32_t)__builtin_ctz(op->mask) * (uint64_t)op->stride;
    return gmt_pages_add(s, first / GMT_PAGE_BYTES);
  }
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(m);
    uint64_t a = op->mode == ADDR_LIST ? op->lane[i] : op->base + i * (uint64_t)op->stride;
    if (gmt_pages_add(s, a / GMT_PAGE_BYTES) < 0) return GMMU_ENOMEM;
    if (gmt_pages_add(s, (a + width - 1) / GMT_PAGE_BYTES) < 0) return GMMU_ENOMEM;
  }
  return GMMU_OK;
}
