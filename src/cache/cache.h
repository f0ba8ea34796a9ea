#ifndef GMMU_CACHE_H
#define GMMU_CACHE_H
/* A sectored data cache: tags by physical line, up to eight sectors per line with valid and dirty
 * bits, and the application that brought the line in (for the evictor x victim matrix). Timing
 * lives in the owner. A sector that is dirty but not valid was written in part: what is known of it
 * can be written back, but not read.
 *
 * A line is in an entry, one word: valid sectors, dirty sectors << 8, application << 16. Three
 * layouts hold tags and entries; they are the same cache (tests/cache/test_rows.c):
 *   rows  LRU, at most 16 ways, line numbers of 32 bits: per set the order of use, all tags and all
 *         entries, side by side in the host's memory
 *   wide  LRU, more ways, less than 65 535 in all sets, line numbers of 32 bits: a hash table finds
 *         the way, a ring per set is the order of use
 *   tags  any other: tags in an assoc_t
 * Functions that take a cache_shape_t are compiled for it where it is a constant. */
#include "assoc/assoc.h"
#include "base/inline.h"
#include "engine/request.h"
#include "gmmu/types.h"
#include <stddef.h>

#define CACHE_NO_LINE UINT32_MAX /* tag of an empty way */

typedef struct {
  uint64_t order; /* as in assoc/repl.h; empty ways are the least recently used */
  uint64_t padding;
  _Alignas(16) uint32_t tag[]; /* of each way; behind them, from tag[stride] on, the entries */
} cache_row_t;

/* A way of a wide cache. Links of the ring are ways of the same set. */
typedef struct {
  uint32_t tag, entry;
  uint16_t chain; /* the next one in its bucket, or CACHE_NO_WAY */
  uint16_t newer, older;
} cache_way_t;
#define CACHE_NO_WAY UINT16_MAX

typedef struct {
  uint32_t sets, ways, stride; /* stride: ways rounded up to 4 */
  uint32_t set_shift;          /* bits of a line number below those of its set */
  uint32_t set_mask;           /* mask of the set, after that shift */
  uint32_t row_bytes;
  uint32_t oldest;  /* where in an order the least recently used way stands */
  char *row;        /* NULL: no rows */
  cache_way_t *way; /* [set * ways + way]; NULL: not wide */
  uint16_t *bucket; /* first way of each chain */
  uint32_t hash_shift;
  uint16_t *newest; /* [set]: the way used last; the one newer than it is the least recently used */
  assoc_t tags;
  uint32_t *entry; /* [entry of tags] */
  char *memory;    /* of all these arrays but the tags; */
  size_t room;     /* its bytes */
} cache_t;

typedef struct {
  uint64_t line;  /* its line number */
  uint32_t entry; /* as it was; 0: the way was empty */
} cache_victim_t;
static inline uint8_t cache_dirty(uint32_t entry) { return (uint8_t)(entry >> 8); }
static inline uint8_t cache_owner(uint32_t entry) { return (uint8_t)(entry >> 16); }

/* For line numbers below `lines`. */
int cache_init(cache_t *c, uint32_t sets, uint32_t ways, uint32_t set_shift, uint64_t lines,
               const char *repl, arrays_t *a, err_t *e);
/* It becomes one of other ways, and empty. It stays where it is if that has room. */
int cache_resize(cache_t *c, uint32_t ways, uint64_t lines, const char *repl, arrays_t *a,
                 err_t *e);
void cache_fini(cache_t *c);

static inline uint32_t cache_set(const cache_t *c, uint64_t line) {
  return (uint32_t)(line >> c->set_shift) & c->set_mask;
}

/* ---- rows ---- */

static inline cache_row_t *cache_row(const cache_t *c, uint64_t line) {
  return (cache_row_t *)(void *)(c->row + (size_t)cache_set(c, line) * c->row_bytes);
}
static inline uint32_t cache_match(const uint32_t *tag, uint32_t stride, uint32_t line) {
#if defined(__SSE2__)
  if (stride == 4)
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(
        _mm_cmpeq_epi32(*(const __m128i *)(const void *)tag, _mm_set1_epi32((int)line))));
#endif
  return assoc_match(tag, stride, line);
}
/* The line's entry, or NULL; if `use`, it then counts as used. */
static inline uint32_t *cache_row_find(cache_row_t *row, uint32_t stride, uint32_t line, bool use) {
  uint32_t m = cache_match(row->tag, stride, line);
  if (!m) return NULL;
  uint32_t way = (uint32_t)__builtin_ctz(m), *entry = &row->tag[stride + way];
  if (use && (row->order & 15) != way) row->order = repl_packed_use(row->order, way);
  if (!entry) __builtin_unreachable(); /* else callers ask again */
  return entry;
}

/* ---- wide ---- */

static inline uint16_t *cache_bucket(const cache_t *c, uint32_t line) {
  return &c->bucket[line * 0x9e3779b1u >> c->hash_shift];
}
cache_victim_t cache_wide_fill(cache_t *c, uint32_t line, uint32_t entry);
void cache_wide_touch(cache_t *c, uint32_t set, uint32_t way); /* it was not the newest */
static inline uint32_t cache_wide_at(const cache_t *c, uint32_t line) {
  uint32_t i = *cache_bucket(c, line);
  while (i != CACHE_NO_WAY && c->way[i].tag != line) i = c->way[i].chain;
  return i;
}
static inline uint32_t *cache_wide_use(cache_t *c, uint32_t line) {
  uint32_t i = cache_wide_at(c, line);
  if (i == CACHE_NO_WAY) return NULL;
  uint32_t set = cache_set(c, line), way = i - set * c->ways;
  if (c->newest[set] != way) cache_wide_touch(c, set, way);
  return &c->way[i].entry;
}

/* ---- every cache ---- */

/* What the functions below are compiled for: rows of that many ways, wide, or any cache. */
typedef enum { CACHE_ANY, CACHE_ROWS_4, CACHE_ROWS_16, CACHE_WIDE } cache_shape_t;
static inline cache_shape_t cache_shape(const cache_t *c) {
  if (c->way) return CACHE_WIDE;
  if (!c->row) return CACHE_ANY;
  return c->stride == 4 ? CACHE_ROWS_4 : c->stride == 16 ? CACHE_ROWS_16 : CACHE_ANY;
}

uint32_t *cache_find_slow(const cache_t *c, uint64_t line);
uint32_t *cache_use_slow(cache_t *c, uint64_t line);
cache_victim_t cache_fill_slow(cache_t *c, uint64_t line, uint32_t entry);

/* The line's entry, or NULL. */
static inline uint32_t *cache_find(const cache_t *c, uint64_t line) {
  if (!c->row) return cache_find_slow(c, line);
  return cache_row_find(cache_row(c, line), c->stride, (uint32_t)line, false);
}
/* The same, and the line counts as used. */
ALWAYS_INLINE uint32_t *cache_use(cache_t *c, uint64_t line, cache_shape_t shape) {
  if (shape == CACHE_WIDE) return cache_wide_use(c, (uint32_t)line);
  if (shape == CACHE_ANY && !c->row) return cache_use_slow(c, line);
  uint32_t stride = shape == CACHE_ROWS_4 ? 4 : shape == CACHE_ROWS_16 ? 16 : c->stride;
  return cache_row_find(cache_row(c, line), stride, (uint32_t)line, true);
}
/* Of these sectors, those that are valid in the entry. */
static inline uint8_t cache_valid(const uint32_t *entry, uint8_t sectors) {
  return entry ? (uint8_t)*entry & sectors : 0;
}
/* Brings in `line`, which is not there, with these valid and these dirty sectors, at least one.
 * Returns what it displaces. */
static inline cache_victim_t cache_fill(cache_t *c, uint64_t line, uint8_t valid, uint8_t dirty,
                                        uint8_t app) {
  uint32_t entry = (uint32_t)app << 16 | valid | (uint32_t)dirty << 8;
  if (!c->row)
    return c->way ? cache_wide_fill(c, (uint32_t)line, entry) : cache_fill_slow(c, line, entry);
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
