#ifndef GMMU_MM_HOST_H
#define GMMU_MM_HOST_H
/* Where the manager's own memory comes from: one table, so that a test can refuse the n-th request
 * and a benchmark can count bytes. */
#include <stddef.h>

typedef struct {
  void *ctx;
  void *(*alloc)(void *ctx, size_t bytes); /* zeroed; NULL if there is none */
  void (*free)(void *ctx, void *p, size_t bytes);
  void *(*resize)(void *ctx, void *p, size_t bytes); /* as realloc: for lists the caller owns */
} mm_host_t;

extern const mm_host_t mm_host_libc;

static inline void *host_alloc(const mm_host_t *h, size_t bytes) { return h->alloc(h->ctx, bytes); }
static inline void host_free(const mm_host_t *h, void *p, size_t bytes) {
  if (p) h->free(h->ctx, p, bytes);
}
#endif
