#ifndef GMMU_CACHE_H
#define GMMU_CACHE_H
/* A sectored data cache: tags by physical line, up to eight sectors per line with valid and dirty
 * bits, and the application that brought the line in (for the evictor x victim matrix). Timing
 * lives in the owner. */
#include "assoc/assoc.h"
#include "engine/request.h"
#include "gmmu/types.h"

typedef struct {
  assoc_t tags;
  uint32_t *meta; /* per entry: valid sectors, dirty sectors << 8, application << 16 */
} cache_t;

typedef struct {
  bool evicted;
  uint64_t line; /* its line number */
  uint8_t dirty; /* sectors to write back */
  uint8_t owner;
} cache_victim_t;

int cache_init(cache_t *c, uint32_t sets, uint32_t ways, const char *repl, err_t *e);
void cache_fini(cache_t *c);

/* Sectors of `line` that are valid among `sectors`; marks the line as used when it is there. */
static inline uint8_t cache_probe(cache_t *c, uint32_t set, uint64_t line, uint8_t sectors,
                                  uint32_t *entry) {
  *entry = assoc_use(&c->tags, set, line);
  return *entry == ASSOC_NONE ? 0 : (uint8_t)c->meta[*entry] & sectors;
}
/* Brings in `line`, which is not there, with these valid sectors (and of them, dirty ones). */
static inline void cache_fill(cache_t *c, uint32_t set, uint64_t line, uint8_t valid, uint8_t dirty,
                              uint8_t app, cache_victim_t *v) {
  uint32_t i = assoc_fill(&c->tags, set, line, dirty ? FILL_WRITE : 0, &v->evicted, &v->line);
  v->dirty = (uint8_t)(c->meta[i] >> 8);
  v->owner = (uint8_t)(c->meta[i] >> 16);
  c->meta[i] = (uint32_t)app << 16 | valid | (uint32_t)dirty << 8;
}
/* Adds sectors to the line of an entry. */
static inline void cache_add(cache_t *c, uint32_t entry, uint8_t valid, uint8_t dirty) {
  c->meta[entry] |= valid | (uint32_t)dirty << 8;
}
void cache_invalidate_all(cache_t *c); /* drops everything, dirty or not */
bool cache_check(const cache_t *c);
#endif
