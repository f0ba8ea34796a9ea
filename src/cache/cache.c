/* Sectored cache array. Invariant: dirty sectors are valid; an empty entry has neither. */
#include "cache/cache.h"
#include <stdlib.h>
#include <string.h>

int cache_init(cache_t *c, uint32_t sets, uint32_t ways, const char *repl, err_t *e) {
  memset(c, 0, sizeof *c);
  int rc = assoc_init(&c->tags, sets, ways, repl, e);
  if (rc < 0) return rc;
  size_t n = assoc_size(&c->tags);
  c->meta = calloc(n, sizeof *c->meta);
  if (!c->meta) {
    cache_fini(c);
    return err_set(e, GMMU_ENOMEM, "out of memory for a cache");
  }
  return GMMU_OK;
}

void cache_fini(cache_t *c) {
  assoc_fini(&c->tags);
  free(c->meta);
  memset(c, 0, sizeof *c);
}

void cache_invalidate_all(cache_t *c) {
  size_t n = assoc_size(&c->tags);
  assoc_clear(&c->tags);
  memset(c->meta, 0, n * sizeof *c->meta);
}

bool cache_check(const cache_t *c) {
  for (uint32_t i = 0; i < assoc_size(&c->tags); i++)
    if (assoc_valid(&c->tags, i) && (c->meta[i] >> 8 & 0xff & ~c->meta[i])) return false;
  return assoc_check(&c->tags);
}
