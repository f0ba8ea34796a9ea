/* Granules in chunks, in the order they were first touched, and an open-addressed table from a
 * granule's number to its place. Invariant: at most half of the table is in use, place[i] holds
 * granule number[i] for i < used, and chunks are there for all of them. Chunks never move. Over
 * host memory, page[i] counts the granules of a host page, until the page is WHOLE: then the host
 * memory holds it, and its granules are stale. */
#include "ptx/sparse.h"
#include "base/rng.h"
#include <stdlib.h>
#include <string.h>

#define CHUNK_SHIFT 14 /* granules of a chunk, log2: 1 MB */
#define CHUNK_COUNT (1u << CHUNK_SHIFT)
#define NO_PLACE    UINT32_MAX
#define FIRST_ROOM  1024u
#define WHOLE       255u
#define PAGE_LIMIT  8u /* granules of a page; with one more the host's page is worth its bytes */

struct sparse {
  devmem_content_t content;
  uint32_t *table;  /* [room] places, or NO_PLACE */
  uint64_t *number; /* [room / 2] of the granule in a place */
  uint8_t **chunk;  /* [room / 2 / CHUNK_COUNT, rounded up] */
  uint64_t room;    /* a power of two */
  uint64_t used;
  uint8_t *page; /* [pages], NULL: granules alone */
  uint64_t pages, whole;
  uint8_t *host; /* of byte 0 */
  uint64_t first, bytes;
};

static const uint8_t zeroes[DEVMEM_GRANULE];

sparse_t *sparse_new(const devmem_content_t *content) {
  sparse_t *s = calloc(1, sizeof *s);
  if (s && content) s->content = *content;
  return s;
}

static uint64_t chunks_of(uint64_t granules) { return (granules + CHUNK_COUNT - 1) >> CHUNK_SHIFT; }

sparse_t *sparse_over(uint8_t *host, uint64_t first, uint64_t bytes) {
  sparse_t *s = sparse_new(NULL);
  if (!s) return NULL;
  s->host = host, s->first = first, s->bytes = bytes;
  s->pages = (first + bytes + DEVMEM_PAGE - 1) / DEVMEM_PAGE;
  s->page = calloc(s->pages, 1);
  if (s->page) return s;
  free(s);
  return NULL;
}

static void drop_granules(sparse_t *s) {
  for (uint64_t i = 0; i < chunks_of(s->used); i++) free(s->chunk[i]);
  free(s->table), free(s->number), free(s->chunk);
  s->table = NULL, s->number = NULL, s->chunk = NULL;
  s->room = s->used = 0;
}

void sparse_reset(sparse_t *s, const devmem_content_t *content) {
  drop_granules(s);
  s->content = content ? *content : (devmem_content_t){0};
  if (s->page) memset(s->page, 0, s->pages);
  s->whole = 0;
}

void sparse_free(sparse_t *s) {
  if (!s) return;
  drop_granules(s);
  free(s->page);
  free(s);
}

static uint8_t *place_bytes(const sparse_t *s, uint64_t place) {
  return s->chunk[place >> CHUNK_SHIFT] + (place & (CHUNK_COUNT - 1)) * DEVMEM_GRANULE;
}

/* Where the granule's place is kept, or would be. */
static uint64_t slot_of(const sparse_t *s, uint64_t number) {
  uint64_t i = rng_mix(number) & (s->room - 1);
  while (s->table[i] != NO_PLACE && s->number[s->table[i]] != number) i = (i + 1) & (s->room - 1);
  return i;
}

static bool grow(sparse_t *s) {
  uint64_t room = s->room ? 2 * s->room : FIRST_ROOM;
  uint32_t *table = malloc(room * sizeof *table);
  uint64_t *number = realloc(s->number, room / 2 * sizeof *number);
  if (number) s->number = number;
  uint8_t **chunk = realloc(s->chunk, chunks_of(room / 2) * sizeof *chunk);
  if (chunk) s->chunk = chunk;
  if (!table || !number || !chunk || room / 2 > NO_PLACE) {
    free(table);
    return false;
  }
  memset(table, 0xff, room * sizeof *table);
  free(s->table);
  s->table = table, s->room = room;
  for (uint64_t i = 0; i < s->used; i++) table[slot_of(s, number[i])] = (uint32_t)i;
  return true;
}

static void first_content(const sparse_t *s, uint64_t number, uint8_t *to) {
  if (s->content.fill)
    s->content.fill(s->content.ctx, number * DEVMEM_GRANULE, to);
  else
    memset(to, 0, DEVMEM_GRANULE);
}

static uint8_t *add(sparse_t *s, uint64_t number) {
  if (s->used == s->room / 2 && !grow(s)) return NULL;
  if (s->used % CHUNK_COUNT == 0) {
    uint8_t *c = malloc((size_t)CHUNK_COUNT * DEVMEM_GRANULE);
    if (!c) return NULL;
    s->chunk[s->used >> CHUNK_SHIFT] = c;
  }
  s->number[s->used] = number;
  s->table[slot_of(s, number)] = (uint32_t)s->used;
  uint8_t *p = place_bytes(s, s->used++);
  first_content(s, number, p);
  return p;
}

static uint8_t *find(const sparse_t *s, uint64_t number) {
  uint32_t place = s->room ? s->table[slot_of(s, number)] : NO_PLACE;
  return place == NO_PLACE ? NULL : place_bytes(s, place);
}

/* The host's page gets what its granules and the content say. */
static void settle_page(sparse_t *s, uint64_t page) {
  uint64_t from = page * DEVMEM_PAGE, to = from + DEVMEM_PAGE - s->first;
  from = from > s->first ? from - s->first : 0;
  if (to > s->bytes) to = s->bytes;
  bool written = s->page[page];
  for (uint64_t at = from; (written || s->content.fill) && at < to; at += DEVMEM_GRANULE) {
    const uint8_t *p = written ? find(s, at / DEVMEM_GRANULE) : NULL;
    uint8_t fresh[DEVMEM_GRANULE];
    if (!p && !s->content.fill) continue;
    if (!p) first_content(s, at / DEVMEM_GRANULE, fresh), p = fresh;
    memcpy(s->host + at, p, to - at < DEVMEM_GRANULE ? to - at : DEVMEM_GRANULE);
  }
  s->page[page] = WHOLE, s->whole++;
}

static uint64_t page_of(const sparse_t *s, uint64_t offset) {
  return (s->first + offset) / DEVMEM_PAGE;
}

static bool is_whole(const sparse_t *s, uint64_t offset) {
  return s->page && s->page[page_of(s, offset)] == WHOLE;
}

/* One more granule of its page; true: the page is whole now. */
static bool count_granule(sparse_t *s, uint64_t offset) {
  uint64_t page = page_of(s, offset);
  if (!s->page) return false;
  if (s->page[page] == PAGE_LIMIT) settle_page(s, page);
  if (s->page[page] == WHOLE) return true;
  s->page[page]++;
  return false;
}

uint8_t *sparse_at(sparse_t *s, uint64_t offset) {
  if (is_whole(s, offset)) return s->host + offset;
  uint64_t number = offset / DEVMEM_GRANULE;
  uint8_t *p = find(s, number);
  if (!p && count_granule(s, offset)) return s->host + offset;
  if (!p) p = add(s, number);
  return p ? p + offset % DEVMEM_GRANULE : NULL;
}

const uint8_t *sparse_peek(const sparse_t *s, uint64_t offset, uint8_t scratch[DEVMEM_GRANULE]) {
  if (is_whole(s, offset)) return s->host + offset;
  const uint8_t *p = find(s, offset / DEVMEM_GRANULE);
  if (!p && s->content.fill)
    first_content(s, offset / DEVMEM_GRANULE, scratch), p = scratch;
  else if (!p)
    p = zeroes;
  return p + offset % DEVMEM_GRANULE;
}

bool sparse_settle(sparse_t *s, uint64_t offset, uint64_t bytes, bool write) {
  for (uint64_t i = page_of(s, offset); i <= page_of(s, offset + bytes - 1); i++)
    if (s->page[i] != WHOLE && (write || s->page[i] || s->content.fill)) settle_page(s, i);
  return s->whole == s->pages;
}

/* What of [offset, offset + bytes) lies in the granule of its first byte. */
static uint64_t part(uint64_t offset, uint64_t bytes) {
  uint64_t rest = DEVMEM_GRANULE - offset % DEVMEM_GRANULE;
  return bytes < rest ? bytes : rest;
}

void sparse_read(const sparse_t *s, uint64_t offset, uint8_t *to, uint64_t bytes) {
  for (uint64_t n; bytes; offset += n, to += n, bytes -= n) {
    uint8_t fresh[DEVMEM_GRANULE];
    n = part(offset, bytes);
    memcpy(to, sparse_peek(s, offset, fresh), n);
  }
}

bool sparse_write(sparse_t *s, uint64_t offset, const uint8_t *from, uint64_t bytes) {
  for (uint64_t n; bytes; offset += n, from += n, bytes -= n) {
    uint8_t *p = sparse_at(s, offset);
    if (!p) return false;
    n = part(offset, bytes);
    memcpy(p, from, n);
  }
  return true;
}

const uint8_t *sparse_granule(const sparse_t *s, uint64_t i, uint64_t *offset) {
  if (i >= s->used) return NULL;
  *offset = s->number[i] * DEVMEM_GRANULE;
  return place_bytes(s, i);
}
