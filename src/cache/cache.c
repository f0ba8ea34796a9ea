/* Sectored cache array. Invariants: an entry has valid or dirty sectors exactly if it has a line,
 * and is 0 if not; no line is in two ways; in the order of use of a row or a ring, empty ways come
 * after all others; a way is in the chain of its tag's bucket, if it has one. */
#include "cache/cache.h"
#include "base/inline.h"
#include <string.h>

/* What was there before is lost. */
static void *room_for(cache_t *c, size_t bytes, arrays_t *a) {
  if (bytes <= c->room) return c->memory;
  c->memory = arrays_take(a, bytes);
  c->room = c->memory ? bytes : 0;
  return c->memory;
}

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
static bool init_rows(cache_t *c, arrays_t *a) {
  size_t bytes = sizeof(cache_row_t) + 2 * c->stride * sizeof(uint32_t);
  c->row_bytes = (uint32_t)(bytes + 63) & ~63u;
  c->oldest = 4 * (c->ways - 1);
  c->row = room_for(c, (size_t)c->sets * c->row_bytes, a);
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
    if (has_line != ((entry & 0xffff) != 0)) return false;
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

/* ---- wide ---- */

static void clear_wide(cache_t *c) {
  uint32_t last = c->ways - 1;
  for (uint32_t s = 0; s < c->sets; s++) {
    c->newest[s] = 0;
    for (uint32_t w = 0; w <= last; w++)
      c->way[s * c->ways + w] = (cache_way_t){.tag = CACHE_NO_LINE,
                                              .chain = CACHE_NO_WAY,
                                              .newer = (uint16_t)(w ? w - 1 : last),
                                              .older = (uint16_t)(w < last ? w + 1 : 0)};
  }
  memset(c->bucket, 0xff, sizeof *c->bucket << (32 - c->hash_shift)); /* CACHE_NO_WAY */
}

/* Two buckets per way or more: few chains have two ways, and the table is small. */
static bool init_wide(cache_t *c, arrays_t *a) {
  uint64_t ways = (uint64_t)c->sets * c->ways;
  uint32_t bits = 2;
  while (1ull << bits < 2 * ways) bits++;
  c->hash_shift = 32 - bits;
  size_t way_bytes = ways * sizeof *c->way, bucket_bytes = sizeof *c->bucket << bits;
  char *at = room_for(c, way_bytes + bucket_bytes + c->sets * sizeof *c->newest, a);
  if (!at) return false;
  c->way = (cache_way_t *)(void *)at;
  c->bucket = (uint16_t *)(void *)(at + way_bytes);
  c->newest = (uint16_t *)(void *)(at + way_bytes + bucket_bytes);
  clear_wide(c);
  return true;
}

/* It becomes the newest: out of its place in the ring, and in before the newest so far. */
void cache_wide_touch(cache_t *c, uint32_t set, uint32_t way) {
  cache_way_t *ring = &c->way[set * c->ways], *x = &ring[way];
  uint32_t newest = c->newest[set], oldest = ring[newest].newer;
  c->newest[set] = (uint16_t)way;
  if (way == oldest) return; /* the ring has only turned */
  ring[x->newer].older = x->older;
  ring[x->older].newer = x->newer;
  x->newer = (uint16_t)oldest;
  x->older = (uint16_t)newest;
  ring[oldest].older = ring[newest].newer = (uint16_t)way;
}

cache_victim_t cache_wide_fill(cache_t *c, uint32_t line, uint32_t entry) {
  uint32_t set = cache_set(c, line), base = set * c->ways;
  uint16_t *newest = &c->newest[set];
  uint32_t i = base + (*newest = c->way[base + *newest].newer); /* the ring turns */
  cache_way_t *x = &c->way[i];
  cache_victim_t v = {x->tag, x->entry};
  if (v.entry) {
    uint16_t *link = cache_bucket(c, x->tag);
    while (*link != i) link = &c->way[*link].chain;
    *link = x->chain;
  }
  uint16_t *bucket = cache_bucket(c, line);
  x->tag = line;
  x->entry = entry;
  x->chain = *bucket;
  *bucket = (uint16_t)i;
  return v;
}

static bool check_ring(const cache_t *c, uint32_t set) {
  const cache_way_t *ring = &c->way[set * c->ways];
  uint32_t way = c->newest[set];
  bool empty = false;
  for (uint32_t i = 0; i < c->ways; i++, way = ring[way].older) {
    const cache_way_t *x = &ring[way];
    bool has_line = x->tag != CACHE_NO_LINE;
    if (way >= c->ways || ring[x->older].newer != way || (has_line && empty)) return false;
    if (has_line != ((x->entry & 0xffff) != 0)) return false;
    if (has_line && (cache_set(c, x->tag) != set || cache_find(c, x->tag) != &x->entry))
      return false;
    empty = !has_line;
  }
  return way == c->newest[set]; /* all of them are in one ring */
}

/* ---- tags of their own ---- */

uint32_t *cache_find_slow(const cache_t *c, uint64_t line) {
  uint32_t i =
      c->way ? cache_wide_at(c, (uint32_t)line) : assoc_find(&c->tags, cache_set(c, line), line);
  if (c->way) return i == CACHE_NO_WAY ? NULL : &c->way[i].entry;
  return i == ASSOC_NONE ? NULL : &c->entry[i];
}

uint32_t *cache_use_slow(cache_t *c, uint64_t line) {
  if (c->way) return cache_wide_use(c, (uint32_t)line);
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

static int init_tags(cache_t *c, const char *repl, arrays_t *a, err_t *e) {
  int rc = assoc_init(&c->tags, c->sets, c->ways, repl, e);
  if (rc < 0) return rc;
  size_t bytes = assoc_size(&c->tags) * sizeof *c->entry;
  c->entry = room_for(c, bytes, a);
  if (c->entry) memset(c->entry, 0, bytes);
  return c->entry ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for a cache");
}

static bool check_tags(const cache_t *c) {
  for (uint32_t i = 0; i < assoc_size(&c->tags); i++)
    if (assoc_valid(&c->tags, i) != ((c->entry[i] & 0xffff) != 0)) return false;
  return assoc_check(&c->tags);
}

/* ---- every cache ---- */

static int set_up(cache_t *c, uint64_t lines, const char *repl, arrays_t *a, err_t *e) {
  int rc = GMMU_OK;
  bool wide = c->ways > 16;
  if (!FAST(repl_find(repl) == &repl_lru && lines <= CACHE_NO_LINE &&
            (!wide || (uint64_t)c->sets * c->ways < CACHE_NO_WAY)))
    rc = init_tags(c, repl, a, e);
  else if (!(wide ? init_wide(c, a) : init_rows(c, a)))
    rc = err_set(e, GMMU_ENOMEM, "out of memory for a cache");
  if (rc < 0) cache_fini(c);
  return rc;
}

int cache_init(cache_t *c, uint32_t sets, uint32_t ways, uint32_t set_shift, uint64_t lines,
               const char *repl, arrays_t *a, err_t *e) {
  *c = (cache_t){.sets = sets,
                 .ways = ways,
                 .stride = (ways + 3) & ~3u,
                 .set_shift = set_shift,
                 .set_mask = sets - 1};
  return set_up(c, lines, repl, a, e);
}

int cache_resize(cache_t *c, uint32_t ways, uint64_t lines, const char *repl, arrays_t *a,
                 err_t *e) {
  cache_t was = *c;
  cache_fini(c);
  *c = (cache_t){.sets = was.sets,
                 .ways = ways,
                 .stride = (ways + 3) & ~3u,
                 .set_shift = was.set_shift,
                 .set_mask = was.set_mask,
                 .memory = was.memory,
                 .room = was.room};
  return set_up(c, lines, repl, a, e);
}

void cache_fini(cache_t *c) {
  assoc_fini(&c->tags);
  memset(c, 0, sizeof *c);
}

void cache_invalidate_all(cache_t *c) {
  if (c->row) {
    clear_rows(c);
  } else if (c->way) {
    clear_wide(c);
  } else {
    assoc_clear(&c->tags);
    memset(c->entry, 0, assoc_size(&c->tags) * sizeof *c->entry);
  }
}

/* Of a way; 0 if it is empty. */
static uint32_t entry_of(const cache_t *c, uint32_t set, uint32_t way) {
  if (c->row) return row_of_set(c, set)->tag[c->stride + way];
  return c->way ? c->way[set * c->ways + way].entry : c->entry[set * c->stride + way];
}

void cache_each(const cache_t *c, void (*see)(void *ctx, uint32_t entry), void *ctx) {
  for (uint32_t s = 0; s < c->sets; s++)
    for (uint32_t w = 0; w < c->ways; w++)
      if (entry_of(c, s, w)) see(ctx, entry_of(c, s, w));
}

bool cache_check(const cache_t *c) {
  if (!c->row && !c->way) return check_tags(c);
  for (uint32_t s = 0; s < c->sets; s++)
    if (!(c->row ? check_row(c, s) : check_ring(c, s))) return false;
  return true;
}
