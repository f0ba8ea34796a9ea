#ifndef GMMU_PTX_ARENA_H
#define GMMU_PTX_ARENA_H
/* Bump allocation for what a parser builds: freed all at once, zeroed, 16-byte aligned. */
#include <stddef.h>

typedef struct arena_chunk arena_chunk_t;
typedef struct {
  arena_chunk_t *chunk; /* newest first */
  size_t used, size;    /* of the newest chunk */
  size_t total;         /* bytes of every chunk */
} arena_t;

void *arena_alloc(arena_t *a, size_t bytes);                  /* NULL when the host has no memory */
char *arena_text(arena_t *a, const char *text, size_t bytes); /* a NUL-terminated copy */
void arena_fini(arena_t *a);
#endif
