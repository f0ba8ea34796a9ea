#ifndef GMMU_CACHE_H
#define GMMU_CACHE_H
/* A sectored data cache: tags by physical line, up to eight sectors per line with valid and dirty
 * bits, and the application that brought the line in (for the evictor x victim matrix). Timing
 * lives in the owner.
 *
 * A line is in an entry, one word: valid sectors, dirty sectors << 8, application << 16. The usual
 * cache (LRU, at most 16 ways, line numbers of 32 bits) is an array of rows, one per set: the order
 * of use, all tags, all entries, side by side in the host's memory. Any other has its tags in an
 * assoc_t. */
#include "assoc/assoc.h"
#include "engine/request.h"
#include "gmmu/types.h"

#define CACHE_NO_LINE UINT32_MAX /* tag of an empty way */

typedef struct {
  uint64_t order; /* as in assoc/repl.h; empty ways are the least recently used */
  uint64_t padding;
  _Alignas(16) uint32_t tag[]; /* of each way; behind them, from tag[stride] on, the entries */
} cache_row_t;

typedef struct {
  uint32_t sets, ways, stride; /* stride: ways rounded up to 4 */
  uint32_t set_shift;          /* bits of a line number below those of its set, */
  uint32_t set_mask;           /* and those */
  uint32_t row_bytes;
  uint32_t oldest; /* where in an order the least recently used way stands */
  char *row;       /* NULL: tags and entries are apart */
  assoc_t tags;
  uint32_t *entry; /* [entry of tags] */
} cache_t;

typedef struct {
  uint64_t line;  /* its line number */
  uint32_t entry; /* as it was; 0: the way was empty */
} cache_victim_t;
static inline uint8_t cache_dirty(uint32_t entry) { return (uint8_t)(entry >> 8); }
static inline uint8_t cache_owner(uint32_t entry) { return (uint8_t)(entry >> 16); }

/* For line numbers below `lines`. */
int cache_init(cache_t *c, uint32_t sets, uint32_t ways, uint32_t set_shift, uint64_t lines,
               const char *repl, err_t *e);
void cache_fini(cache_t *c);

static inline uint32_t cache_set(const cache_t *c, uint64_t line) {
  return (uint32_t)(line >> c->set_shift) & c->set_mask;
}

/* ---- rows ---- */

static inline cache_row_t *cache_row(const cache_t *c, uint64_t line) {
  return (cache_row_t *)(void *)(c->row + (size_t)cache_set(c, line) * c->row_bytes);
}
/* With `ways` of them a constant, the functions below are shorter. */
static inline bool cache_has_rows(const cache_t *c, uint32_t ways) {
  return c->row && c->stride == ways;
}
static inline uint32_t cache_match(const uint32_t *tag, uint32_t stride, uint32_t line) {
#if defined(__SSE2__)
  if (stride == 4)
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(
        _mm_cmpeq_epi32(*(const __m128i *)(const void *)tag, _mm_set1_epi32((int)line))));
#endif
  return assoc_match(tag, stride, line);
}
/* The line's entry, or NULL. */
static inline uint32_t *cache_row_find(cache_row_t *row, uint32_t stride, uint32_t line) {
  uint32_t m = cache_match(row->tag, stride, line);
  return m ? &row->tag[stride + (uint32_t)__builtin_ctz(m)] : NULL;
}
/* Was its line the last one used of the set? Then a use changes nothing. */
static inline bool cache_row_newest(const cache_row_t *row, uint32_t way) {
  return (row->order & 15) == way;
}
static inline void cache_row_touch(cache_row_t *row, uint32_t way) {
  if (!cache_row_newest(row, way)) row->order = repl_packed_use(row->order, way);
}
static inline uint32_t *cache_row_use(cache_row_t *row, uint32_t stride, uint32_t line) {
  uint32_t m = cache_match(row->tag, stride, line);
  if (!m) return NULL;
  uint32_t way = (uint32_t)__builtin_ctz(m);
  cache_row_touch(row, way);
  return &row->tag[stride + way];
}

/* ---- every cache ---- */

uint32_t *cache_find_slow(const cache_t *c, uint64_t line);
uint32_t *cache_use_slow(cache_t *c, uint64_t line);
cache_victim_t cache_fill_slow(cache_t *c, uint64_t line, uint32_t entry);

/* The line's entry, or NULL. */
static inline uint32_t *cache_find(const cache_t *c, uint64_t line) {
  if (!c->row) return cache_find_slow(c, line);
  return cache_row_find(cache_row(c, line), c->stride, (uint32_t)line);
}
/* The same, and the line counts as used. */
static inline uint32_t *cache_use(cache_t *c, uint64_t line) {
  if (!c->row) return cache_use_slow(c, line);
  return cache_row_use(cache_row(c, line), c->stride, (uint32_t)line);
}
/* Of these sectors, those that are valid in the entry. */
static inline uint8_t cache_valid(const uint32_t *entry, uint8_t sectors) {
  return entry ? (uint8_t)*entry & sectors : 0;
}
/* Brings in `line`, which is not there, with these valid sectors, at least one (and of them, dirty
 * ones). Returns what it displaces. */
static inline cache_victim_t cache_fill(cache_t *c, uint64_t line, uint8_t valid, uint8_t dirty,
                                        uint8_t app) {
  uint32_t entry = (uint32_t)app << 16 | valid | (uint32_t)dirty << 8;
  if (!c->row) return cache_fill_slow(c, line, entry);
  cache_row_t *row = cache_row(c, line);
  uint64_t order = row->order;
  uint32_t way = order >> c->oldest & 15, *at = &row->tag[way], *there = at + c->stride;
  cache_victim_t v = {*at, *there};
  row->order = order << 4 | way; /* what leaves the `ways` nibbles does not matter */
  *at = (uint32_t)line;
  *there = entry;
  return v;
}
/* Adds sectors to the line of an entry. */
static inline void cache_add(uint32_t *entry, uint8_t valid, uint8_t dirty) {
  *entry |= valid | (uint32_t)dirty << 8;
}
void cache_invalidate_all(cache_t *c); /* drops everything, dirty or not */
/* Calls see() with every entry that has a line. */
void cache_each(const cache_t *c, void (*see)(void *ctx, uint32_t entry), void *ctx);
bool cache_check(const cache_t *c);
#endif
