/* Variables that the host and kernels share (__managed__). nvcc's host code reaches one through a
 * pointer, which is set here. In a program of `gmmu cc` the variable's shadow begins a page of the
 * host, as the variable begins one of the device; the shadow's pages become the variable's. What
 * else the linker put into the last of them moves along. Kernels know the variable by its own
 * address, so a pointer to the shadow that is passed to one is translated. */
#define _GNU_SOURCE /* mremap */
#include "cudart/rt.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

/* Where the shadows of a program or library are. */
struct shadows {
  shadows_t *next;
  const char *first, *end;
};

static bool is_shadow(const rt_t *rt, const void *p) {
  for (const shadows_t *s = rt->shadows; s; s = s->next)
    if ((const char *)p >= s->first && (const char *)p < s->end) return true;
  return false;
}

static bool is_managed(const rt_t *rt, const entry_t *e) {
  return e->kind == ENTRY_VARIABLE && (e->managed || is_shadow(rt, e->host));
}

/* The managed variable that an address of either kind is in; of those that have their place. */
static const entry_t *find(const rt_t *rt, const void *p) {
  for (size_t b = 0; b < ENTRY_BUCKETS; b++)
    for (const entry_t *e = rt->entry[b]; e; e = e->next) {
      if (!e->known || !is_managed(rt, e)) continue;
      if ((uintptr_t)p - e->va < e->bytes) return e;
      if (!e->managed && (uintptr_t)p - (uintptr_t)e->host < e->bytes) return e;
    }
  return NULL;
}

bool managed_has(const rt_t *rt, const void *p) { return find(rt, p) != NULL; }

const void *managed_symbol(const rt_t *rt, const void *p) {
  const entry_t *e = find(rt, p);
  return e && (uintptr_t)p == e->va ? e->host : p;
}

void managed_translate(const rt_t *rt, const wire_kernel_t *k, char *params) {
  for (uint32_t i = 0; rt->shadows && i < k->params; i++) {
    const char *p;
    if (k->param[i].bytes != sizeof p) continue;
    memcpy(&p, params + k->param[i].offset, sizeof p);
    const entry_t *e = is_shadow(rt, p) ? find(rt, p) : NULL;
    if (!e) continue;
    uint64_t va = e->va + (uint64_t)(p - (const char *)e->host);
    memcpy(params + k->param[i].offset, &va, sizeof va);
  }
}

/* The shadow gets what the variable holds; then both are the same pages. */
static void share_pages(const rt_t *rt, const entry_t *e) {
  char *page = (char *)(uintptr_t)e->host;
  size_t bytes = (e->bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
  if (((uintptr_t)page | e->va) % PAGE_BYTES) return;
  void *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, rt->memory,
                    (off_t)(e->va - WIRE_MEMORY_BASE));
  if (file == MAP_FAILED) return;
  memcpy((char *)file + e->bytes, page + e->bytes, bytes - e->bytes);
  if (mremap(file, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, page) != page) munmap(file, bytes);
}

void managed_place(rt_t *rt, const module_t *m) {
  for (size_t b = 0; b < ENTRY_BUCKETS; b++)
    for (entry_t *e = rt->entry[b]; e; e = e->next) {
      entry_t *v;
      if (e->module != m || !is_managed(rt, e) || entry_variable(rt, e->host, &v)) continue;
      if (e->managed)
        *e->managed = (void *)(uintptr_t)v->va; /* NOLINT: device addresses are ours too */
      else if (v == e)
        share_pages(rt, e);
    }
}

bool managed_in(const rt_t *rt, const module_t *m) {
  for (size_t b = 0; rt->shadows && b < ENTRY_BUCKETS; b++)
    for (const entry_t *e = rt->entry[b]; e; e = e->next)
      if (e->module == m && is_managed(rt, e)) return true;
  return false;
}

/* By a constructor of every object that `gmmu cc` makes, before or after what clang registers. */
API_AS(void, cudaGmmuManaged, const void *first, const void *end) {
  rt_t *rt = rt_lock();
  shadows_t *s = is_shadow(rt, first) ? NULL : malloc(sizeof *s);
  if (s) *s = (shadows_t){rt->shadows, first, end}, rt->shadows = s;
  rt_leave_quietly(rt, cudaSuccess);
  if (s) modules_with_managed();
}
