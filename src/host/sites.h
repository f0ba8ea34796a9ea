#ifndef GMMU_HOST_SITES_H
#define GMMU_HOST_SITES_H
/* The name of an array, from where it was allocated: cudaMalloc(&edges, n) makes "edges", if the
 * program has line numbers (-g) and its source is where it was; without the source, "graph.cu:12".
 * Of several calls in one line the first that is seen is taken for the first. addr2line of
 * binutils, or llvm-symbolizer's, knows the lines; without either there is no name. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_NAME_BYTES 128

typedef struct {
  char *calls;     /* as wire.h describes WIRE_CALLS */
  char *place;     /* its line, and that of the next call out */
  char *name;      /* NULL: it has none */
  uint32_t before; /* other calls of the same place that were seen before it */
} site_t;

typedef struct {
  site_t *at;
  uint32_t count;
} sites_t;

/* False if nothing is known. Each place is looked up once; a name that another place has already is
 * followed by who called it. */
bool sites_name(sites_t *s, const char *calls, char *name, size_t size);
void sites_fini(sites_t *s);

/* Of sites_name(): the array in the text of a call that allocates, "edges" in "cudaMalloc((void **)
 * &edges, n);"; false if there is no such call. */
bool site_argument(const char *text, char *name, size_t size);
#endif
