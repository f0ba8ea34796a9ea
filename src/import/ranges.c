/* Invariant: ranges are sorted and never touch each other; a piece's bit is set if it lies in a
 * range as a whole or will after ranges_settle(). */
#include "import/ranges.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VA_END    (1ull << 48)
#define LEAF_BITS 15u
#define LEAF_MASK ((1u << LEAF_BITS) - 1)

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory for ranges"); }

int ranges_init(ranges_t *r, err_t *e) {
  *r = (ranges_t){.leaf = calloc(RANGES_LEAVES, sizeof *r->leaf)};
  return r->leaf ? GMMU_OK : no_memory(e);
}

void ranges_fini(ranges_t *r) {
  for (uint32_t i = 0; r->leaf && i < RANGES_LEAVES; i++) free(r->leaf[i]);
  free(r->at);
  free(r->leaf);
  free(r->fresh);
  *r = (ranges_t){0};
}

/* The first range that ends at or behind `va`. */
static uint32_t first_behind(const ranges_t *r, uint64_t va) {
  uint32_t low = 0, high = r->count;
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (r->at[mid].to < va)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static int room(ranges_t *r, err_t *e) {
  if (r->count < r->capacity) return GMMU_OK;
  if (r->count == RANGES_MAX)
    return err_set(e, GMMU_ERANGE, "more than %u separate ranges of memory", RANGES_MAX);
  uint32_t capacity = r->capacity ? r->capacity * 2 : 64;
  range_t *at = realloc(r->at, capacity * sizeof *at);
  if (!at) return no_memory(e);
  r->at = at, r->capacity = capacity;
  return GMMU_OK;
}

/* Ranges [i, end) become one with [from, to). */
static int merge(ranges_t *r, uint32_t i, uint32_t end, uint64_t from, uint64_t to, err_t *e) {
  int rc = i == end ? room(r, e) : GMMU_OK;
  if (rc < 0) return rc;
  if (i < end && r->at[i].from < from) from = r->at[i].from;
  if (i < end && r->at[end - 1].to > to) to = r->at[end - 1].to;
  memmove(r->at + i + 1, r->at + end, (r->count - end) * sizeof *r->at);
  r->count += 1 - (end - i);
  r->at[i] = (range_t){from, to};
  return GMMU_OK;
}

int ranges_cover(ranges_t *r, uint64_t from, uint64_t to, ranges_emit_t emit, void *ctx, err_t *e) {
  from &= ~(uint64_t)(RANGES_ALIGN - 1);
  to = (to + RANGES_ALIGN - 1) & ~(uint64_t)(RANGES_ALIGN - 1);
  uint32_t first = first_behind(r, from), i = first;
  uint64_t at = from;
  for (; i < r->count && r->at[i].from <= to; i++) {
    int rc = r->at[i].from > at ? emit(ctx, at, r->at[i].from - at, e) : GMMU_OK;
    if (rc < 0) return rc;
    if (r->at[i].to > at) at = r->at[i].to;
  }
  int rc = at < to ? emit(ctx, at, to - at, e) : GMMU_OK;
  return rc < 0 ? rc : merge(r, first, i, from, to, e);
}

static bool inside(ranges_t *r, uint64_t from, uint64_t to) {
  if (r->last >= r->count || from < r->at[r->last].from || to > r->at[r->last].to)
    r->last = first_behind(r, to);
  return r->last < r->count && from >= r->at[r->last].from && to <= r->at[r->last].to;
}

static bool has_piece(const ranges_t *r, uint32_t p) {
  const uint64_t *leaf = r->leaf[p >> LEAF_BITS];
  return leaf && leaf[(p & LEAF_MASK) >> 6] >> (p & 63) & 1;
}

static bool add_piece(ranges_t *r, uint32_t p) {
  uint64_t **leaf = &r->leaf[p >> LEAF_BITS];
  if (!*leaf) *leaf = calloc((LEAF_MASK + 1) / 64, sizeof **leaf);
  if (*leaf) (*leaf)[(p & LEAF_MASK) >> 6] |= 1ull << (p & 63);
  return *leaf != NULL;
}

static int touch_piece(ranges_t *r, uint32_t piece, err_t *e) {
  if (r->fresh_count == PIECES_MAX)
    return err_set(e, GMMU_ERANGE, "a kernel touches more than 2 TB outside all copies");
  if (r->fresh_count == r->fresh_capacity) {
    uint32_t capacity = r->fresh_capacity ? r->fresh_capacity * 2 : 256;
    uint32_t *fresh = realloc(r->fresh, capacity * sizeof *fresh);
    if (!fresh) return no_memory(e);
    r->fresh = fresh, r->fresh_capacity = capacity;
  }
  if (!add_piece(r, piece)) return no_memory(e);
  r->fresh[r->fresh_count++] = piece;
  return GMMU_OK;
}

int ranges_touch(ranges_t *r, uint64_t from, uint64_t to, err_t *e) {
  if (to > VA_END) to = VA_END;
  uint32_t last = (uint32_t)((to - 1) >> PIECE_SHIFT);
  for (uint32_t p = (uint32_t)(from >> PIECE_SHIFT); p <= last; p++) {
    if (has_piece(r, p)) continue;
    if (inside(r, from, to)) return GMMU_OK;
    int rc = touch_piece(r, p, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int ranges_settle(ranges_t *r, ranges_emit_t emit, void *ctx, err_t *e) {
  if (r->fresh_count) qsort(r->fresh, r->fresh_count, sizeof *r->fresh, by_number);
  for (uint32_t i = 0, k; i < r->fresh_count; i = k) {
    for (k = i + 1; k < r->fresh_count && r->fresh[k] == r->fresh[k - 1] + 1; k++) continue;
    uint64_t from = (uint64_t)r->fresh[i] << PIECE_SHIFT;
    int rc = ranges_cover(r, from, from + ((uint64_t)(k - i) << PIECE_SHIFT), emit, ctx, e);
    if (rc < 0) return rc;
  }
  r->fresh_count = 0;
  return GMMU_OK;
}
