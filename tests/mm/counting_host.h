#ifndef GMMU_TESTS_MM_COUNTING_HOST_H
#define GMMU_TESTS_MM_COUNTING_HOST_H
/* Host memory that is counted, and that refuses one request if told which. */
#include "mm/host.h"
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  uint64_t requests;  /* so far */
  uint64_t refuse_at; /* the number of the request that fails, from 1; 0: none */
  uint64_t live_bytes;
} counting_t;

static inline int counting_refuses(counting_t *c) { return ++c->requests == c->refuse_at; }

static inline void *counting_alloc(void *ctx, size_t bytes) {
  counting_t *c = ctx;
  if (counting_refuses(c)) return NULL;
  c->live_bytes += bytes;
  return calloc(1, bytes);
}

static inline void counting_free(void *ctx, void *p, size_t bytes) {
  ((counting_t *)ctx)->live_bytes -= bytes;
  free(p);
}

static inline void *counting_resize(void *ctx, void *p, size_t bytes) {
  return counting_refuses(ctx) ? NULL : realloc(p, bytes);
}

static inline mm_host_t counting_host(counting_t *c) {
  return (mm_host_t){c, counting_alloc, counting_free, counting_resize};
}
#endif
