/* Sectored cache array. Invariant: dirty sectors are valid; an empty entry has neither. */
#include "cache/cache.h"
#include <stdlib.h>
#include <string.h>

int cache_init(cache_t *c, uint32_t sets, uint32_t ways, const char *repl, err_t *e) {
  memset(c, 0, sizeof *c);
  int rc = assoc_init(&c->tags, sets, ways, repl, e);
  if (rc < 0) return rc;
  size_t n = assoc_size(&c->tags);
  c->valid = calloc(3, n);
  if (!c->valid) {
    cache_fini(c);
    return err_set(e, GMMU_ENOMEM, "out of memory for a cache");
  }
  c->dirty = c->valid + n;
  c->owner = c->dirty + n;
  return GMMU_OK;
}

void cache_fini(cache_t *c) {
  assoc_fini(&c->tags);
  free(c->valid);
  memset(c, 0, sizeof *c);
}

void cache_install(cache_t *c, uint32_t set, uint64_t line, uint8_t valid, uint8_t dirty,
                   uint8_t app, cache_victim_t *v) {
  v->evicted = false;
  uint32_t i = assoc_find(&c->tags, set, line);
  if (i == ASSOC_NONE) {
    i = assoc_fill(&c->tags, set, line, dirty ? FILL_WRITE : 0, &v->evicted, &v->line);
    v->dirty = v->evicted ? c->dirty[i] : 0;
    v->owner = c->owner[i];
    c->valid[i] = c->dirty[i] = 0;
    c->owner[i] = app;
  }
  c->valid[i] |= valid;
  c->dirty[i] |= dirty;
}

void cache_invalidate_all(cache_t *c) {
  size_t n = assoc_size(&c->tags);
  assoc_clear(&c->tags);
  memset(c->valid, 0, 2 * n);
}

bool cache_check(const cache_t *c) {
  for (uint32_t i = 0; i < assoc_size(&c->tags); i++)
    if (assoc_valid(&c->tags, i) && (c->dirty[i] & ~c->valid[i])) return false;
  return assoc_check(&c->tags);
}
