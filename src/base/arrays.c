/* A chunk begins with a line that names the chunk before. Chunks grow with what is there already,
 * so they are few; the host backs a page of one when it is first touched. */
#include "base/arrays.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES ((size_t)2 << 20)

struct arrays_chunk {
  arrays_chunk_t *before;
  size_t bytes;
};
_Static_assert(sizeof(arrays_chunk_t) <= ARRAYS_ALIGN, "a chunk's head is one line");

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define APART 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define APART 1
#endif

#ifdef APART
static void *host_take(size_t bytes) {
  void *p;
  return posix_memalign(&p, ARRAYS_ALIGN, bytes) ? NULL : memset(p, 0, bytes);
}
static void host_give(void *p, size_t bytes) {
  (void)bytes;
  free(p);
}
#else
/* From the beginning of a large page on. */
static void *host_take(size_t bytes) {
  char *p =
      mmap(NULL, bytes + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t before = -(uintptr_t)p & (PAGE_BYTES - 1);
  if (before) munmap(p, before);
  munmap(p + before + bytes, PAGE_BYTES - before);
#ifdef MADV_HUGEPAGE
  (void)madvise(p + before, bytes, MADV_HUGEPAGE); /* without them it is only slower */
#endif
  return p + before;
}
static void host_give(void *p, size_t bytes) { munmap(p, bytes); }
#endif

#ifdef APART
static size_t up(size_t bytes, size_t to) { return (void)to, bytes; }
#else
static size_t up(size_t bytes, size_t to) { return (bytes + to - 1) & ~(to - 1); }
#endif

static int add_chunk(arrays_t *a, size_t bytes) {
#ifndef APART
  if (bytes < a->bytes) bytes = a->bytes;
#endif
  bytes = up(bytes, PAGE_BYTES);
  arrays_chunk_t *c = host_take(bytes);
  if (!c) return -1;
  *c = (arrays_chunk_t){.before = a->last, .bytes = bytes};
  a->last = c;
  a->at = (char *)c + ARRAYS_ALIGN;
  a->end = (char *)c + bytes;
  a->bytes += bytes;
  return 0;
}

void *arrays_take(arrays_t *a, size_t bytes) {
  if (bytes > PTRDIFF_MAX / 2) return NULL;
  bytes = up(bytes ? bytes : 1, ARRAYS_ALIGN);
  if (bytes > (size_t)(a->end - a->at) && add_chunk(a, bytes + ARRAYS_ALIGN) < 0) return NULL;
  void *p = a->at;
  a->at += bytes;
  return p;
}

void arrays_free(arrays_t *a) {
  while (a->last) {
    arrays_chunk_t *c = a->last;
    a->last = c->before;
    host_give(c, c->bytes);
  }
  *a = (arrays_t){0};
}
