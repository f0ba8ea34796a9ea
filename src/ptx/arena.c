/* A list of chunks; only the newest has room. A chunk starts with the link to its predecessor. */
#include "ptx/arena.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct arena_chunk {
  arena_chunk_t *next;
  size_t pad; /* keeps the payload 16-byte aligned */
};

static int arena_grow(arena_t *a, size_t bytes) {
  size_t want = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  arena_chunk_t *c = calloc(1, sizeof *c + want);
  if (!c) return -1;
  c->next = a->chunk;
  a->chunk = c, a->used = 0, a->size = want, a->total += want;
  return 0;
}

void *arena_alloc(arena_t *a, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if ((!a->chunk || a->size - a->used < bytes) && arena_grow(a, bytes) < 0) return NULL;
  void *p = (uint8_t *)(a->chunk + 1) + a->used;
  a->used += bytes;
  return p;
}

char *arena_text(arena_t *a, const char *text, size_t bytes) {
  char *p = arena_alloc(a, bytes + 1);
  if (p) memcpy(p, text, bytes);
  return p;
}

void arena_fini(arena_t *a) {
  for (arena_chunk_t *c = a->chunk, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  *a = (arena_t){0};
}
