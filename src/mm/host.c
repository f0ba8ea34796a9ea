/* The host's memory as libc gives it. Stateless. */
#include "mm/host.h"
#include <stdlib.h>

static void *libc_alloc(void *ctx, size_t bytes) {
  (void)ctx;
  return calloc(1, bytes);
}

static void libc_free(void *ctx, void *p, size_t bytes) {
  (void)ctx, (void)bytes;
  free(p);
}

static void *libc_resize(void *ctx, void *p, size_t bytes) {
  (void)ctx;
  return realloc(p, bytes);
}

const mm_host_t mm_host_libc = {NULL, libc_alloc, libc_free, libc_resize};
