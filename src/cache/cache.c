/* Sectored cache array. Invariants: dirty sectors are valid; an entry has valid sectors exactly if
 * it has a line, and is 0 if not; no line is in two ways; in a row's order, empty ways come after
 * all others. */
#include "cache/cache.h"
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static cache_row_t *row_of_set(const cache_t *c, uint32_t set) {
  return (cache_row_t *)(void *)(c->row + (size_t)set * c->row_bytes);
}

static void clear_rows(cache_t *c) {
  for (uint32_t s = 0; s < c->sets; s++) {
    cache_row_t *row = row_of_set(c, s);
    row->order = REPL_PACKED_START;
    for (uint32_t w = 0; w < c->stride; w++) {
      row->tag[w] = CACHE_NO_LINE;
      row->tag[c->stride + w] = 0;
    }
  }
}

/* Rows are whole cache lines of the host. */
static bool init_rows(cache_t *c) {
  size_t bytes = sizeof(cache_row_t) + 2 * c->stride * sizeof(uint32_t);
  c->row_bytes = (uint32_t)(bytes + 63) & ~63u;
  c->oldest = 4 * (c->ways - 1);
  c->row = aligned_alloc(64, (size_t)c->sets * c->row_bytes);
  if (c->row) clear_rows(c);
  return c->row;
}

static bool check_row(const cache_t *c, uint32_t set) {
  const cache_row_t *row = row_of_set(c, set);
  uint32_t seen = 0;
  bool empty = false;
  for (uint32_t i = 0; i < c->ways; i++) {
    uint32_t way = row->order >> 4 * i & 15, entry = row->tag[c->stride + way];
    bool has_line = row->tag[way] != CACHE_NO_LINE;
    if (way >= c->ways || seen >> way & 1 || (has_line && empty)) return false;
    if (has_line != ((entry & 0xff) != 0) || (entry >> 8 & 0xff & ~entry)) return false;
    if (has_line && (cache_set(c, row->tag[way]) != set ||
                     cache_find(c, row->tag[way]) != &row->tag[c->stride + way]))
      return false;
    seen |= 1u << way;
    empty = !has_line;
  }
  for (uint32_t w = c->ways; w < c->stride; w++)
    if (row->tag[w] != CACHE_NO_LINE) return false;
  return true;
}

/* ---- tags of their own ---- */

uint32_t *cache_find_slow(const cache_t *c, uint64_t line) {
  uint32_t i = assoc_find(&c->tags, cache_set(c, line), line);
  return i == ASSOC_NONE ? NULL : &c->entry[i];
}

uint32_t *cache_use_slow(cache_t *c, uint64_t line) {
  uint32_t i = assoc_use(&c->tags, cache_set(c, line), line);
  return i == ASSOC_NONE ? NULL : &c->entry[i];
}

cache_victim_t cache_fill_slow(cache_t *c, uint64_t line, uint32_t entry) {
  cache_victim_t v = {0};
  bool evicted;
  uint32_t hint = cache_dirty(entry) ? FILL_WRITE : 0;
  uint32_t i = assoc_fill(&c->tags, cache_set(c, line), line, hint, &evicted, &v.line);
  v.entry = c->entry[i];
  c->entry[i] = entry;
  return v;
}

static int init_tags(cache_t *c, const char *repl, err_t *e) {
  int rc = assoc_init(&c->tags, c->sets, c->ways, repl, e);
  if (rc < 0) return rc;
  c->entry = calloc(assoc_size(&c->tags), sizeof *c->entry);
  return c->entry ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for a cache");
}

static bool check_tags(const cache_t *c) {
  for (uint32_t i = 0; i < assoc_size(&c->tags); i++)
    if (assoc_valid(&c->tags, i) != ((c->entry[i] & 0xff) != 0) ||
        (c->entry[i] >> 8 & 0xff & ~c->entry[i]))
      return false;
  return assoc_check(&c->tags);
}

/* ---- every cache ---- */

int cache_init(cache_t *c, uint32_t sets, uint32_t ways, uint32_t set_shift, uint64_t lines,
               const char *repl, err_t *e) {
  *c = (cache_t){.sets = sets,
                 .ways = ways,
                 .stride = (ways + 3) & ~3u,
                 .set_shift = set_shift,
                 .set_mask = sets - 1};
  if (repl_find(repl) == &repl_lru && ways <= 16 && lines <= CACHE_NO_LINE)
    return init_rows(c) ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for a cache");
  int rc = init_tags(c, repl, e);
  if (rc < 0) cache_fini(c);
  return rc;
}

void cache_fini(cache_t *c) {
  free(c->row);
  assoc_fini(&c->tags);
  free(c->entry);
  memset(c, 0, sizeof *c);
}

void cache_invalidate_all(cache_t *c) {
  if (c->row) {
    clear_rows(c);
    return;
  }
  assoc_clear(&c->tags);
  memset(c->entry, 0, assoc_size(&c->tags) * sizeof *c->entry);
}

void cache_each(const cache_t *c, void (*see)(void *ctx, uint32_t entry), void *ctx) {
  for (uint32_t s = 0; s < c->sets; s++)
    for (uint32_t w = 0; w < c->ways; w++)
      if (c->row ? row_of_set(c, s)->tag[w] != CACHE_NO_LINE
                 : assoc_valid(&c->tags, s * c->stride + w))
        see(ctx, c->row ? row_of_set(c, s)->tag[c->stride + w] : c->entry[s * c->stride + w]);
}

bool cache_check(const cache_t *c) {
  if (!c->row) return check_tags(c);
  for (uint32_t s = 0; s < c->sets; s++)
    if (!check_row(c, s)) return false;
  return true;
}
