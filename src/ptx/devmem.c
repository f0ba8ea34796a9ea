/* Allocations in a sorted array: a look-up is a binary search, and who executes kernels caches the
 * answer. Invariant: ranges are disjoint and ascending; device ranges lie in [DEVMEM_BASE,
 * DEVMEM_LIMIT) and are DEVMEM_ALIGN-aligned, so gaps between them are what first fit hands out.
 *
 * Large allocations are anonymous mappings without reservation: the host's page tables are the
 * sparse map. Small ones come from calloc; sparse ones are granules in sparse.c. Shared memory is
 * one sparse file, of which pieces are mapped where allocations are (tools like valgrind cannot map
 * all of it); a page of it goes back to the host when the last allocation that touches it has gone.
 * Invariant: an allocation of shared memory lies in one piece, pieces that overlap show the same
 * bytes, and every piece has users. */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "ptx/devmem.h"
#include "ptx/sparse.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAP_THRESHOLD ((uint64_t)256 << 10) /* below, a mapping of its own is not worth it */
#define FREED_KEPT    256u                  /* freed ranges remembered for messages */
#define WINDOW_BYTES  (DEVMEM_LIMIT - DEVMEM_BASE)
#define FILE_BYTES    (2 * WINDOW_BYTES)  /* the window, then registered ranges */
#define PIECE_BYTES   ((uint64_t)1 << 30) /* pieces begin and end at multiples of it */
#define VA_LIMIT      ((uint64_t)1 << 47) /* of programs on x86-64 */

typedef struct {
  uint64_t file, bytes; /* of the file */
  uint8_t *host;
  uint32_t users; /* allocations */
} piece_t;

struct devmem {
  devmem_alloc_t *alloc; /* [count], by address */
  uint32_t count, capacity;
  devmem_alloc_t freed[FREED_KEPT]; /* a ring; the newest is at freed_next - 1 */
  uint32_t freed_next, freed_count;
  uint64_t bytes;
  int file;           /* -1: not shared */
  uint64_t file_next; /* no registered range is there or behind */
  piece_t *piece;     /* [pieces] of the file that are mapped */
  uint32_t pieces, piece_room;
};

int devmem_new(devmem_t **out, err_t *e) {
  *out = calloc(1, sizeof **out);
  if (!*out) return err_set(e, GMMU_ENOMEM, "no memory for the table of allocations");
  (*out)->file = -1, (*out)->file_next = WINDOW_BYTES;
  return 0;
}

static int no_memory_file(err_t *e, const char *what) {
  return err_set(e, GMMU_ENOMEM, "device memory: cannot %s: %s", what, strerror(errno));
}

/* Sealed, so that the other process cannot take away what is mapped here. */
static int make_file(devmem_t *m, err_t *e) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < FILE_BYTES)
    return err_set(e, GMMU_ENOMEM,
                   "device memory is a sparse file of 2 TiB and the limit for files "
                   "is lower (ulimit -f)");
  m->file = memfd_create("gmmu-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (m->file < 0) return no_memory_file(e, "create a memory file");
  if (ftruncate(m->file, (off_t)FILE_BYTES) < 0) return no_memory_file(e, "make a file of 2 TiB");
  fcntl(m->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return 0;
}

int devmem_new_shared(devmem_t **out, err_t *e) {
  int r = devmem_new(out, e);
  if (r == 0) r = make_file(*out, e);
  if (r < 0) devmem_free(*out), *out = NULL;
  return r;
}

int devmem_file(const devmem_t *m) { return m->file; }

static bool is_shared(const devmem_t *m) { return m->file >= 0; }

/* ---- pieces of the file ---------------------------------------------------------------------- */

static bool piece_holds(const piece_t *p, uint64_t file, uint64_t bytes) {
  return file >= p->file && bytes <= p->bytes && file - p->file <= p->bytes - bytes;
}

static bool piece_map(devmem_t *m, uint64_t file, uint64_t bytes) {
  uint64_t from = file & ~(PIECE_BYTES - 1),
           to = (file + bytes + PIECE_BYTES - 1) & ~(PIECE_BYTES - 1);
  if (m->pieces == m->piece_room) {
    uint32_t room = m->piece_room ? 2 * m->piece_room : 8;
    piece_t *q = realloc(m->piece, room * sizeof *q);
    if (!q) return false;
    m->piece = q, m->piece_room = room;
  }
  void *p = mmap(NULL, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->file,
                 (off_t)from);
  if (p == MAP_FAILED) return false;
  m->piece[m->pieces++] = (piece_t){.file = from, .bytes = to - from, .host = p};
  return true;
}

/* Where that part of the file is seen; NULL if it cannot be mapped. To be given back. */
static uint8_t *piece_take(devmem_t *m, uint64_t file, uint64_t bytes) {
  uint32_t i = 0;
  while (i < m->pieces && !piece_holds(&m->piece[i], file, bytes)) i++;
  if (i == m->pieces && !piece_map(m, file, bytes)) return NULL;
  m->piece[i].users++;
  return m->piece[i].host + (file - m->piece[i].file);
}

static void piece_give(devmem_t *m, const uint8_t *host) {
  uint32_t i = 0;
  while ((uint64_t)(host - m->piece[i].host) >= m->piece[i].bytes) i++;
  if (--m->piece[i].users) return;
  munmap(m->piece[i].host, m->piece[i].bytes);
  m->piece[i] = m->piece[--m->pieces];
}

/* Whole pages go back to the host; what else may share a page is zeroed. */
static void zero(const devmem_t *m, const devmem_alloc_t *a, uint64_t offset, uint64_t bytes) {
  uint64_t page = DEVMEM_PAGE, base = is_shared(m) ? a->file : 0, begin = base + offset,
           end = begin + bytes, from = (begin + page - 1) & ~(page - 1), to = end & ~(page - 1);
  bool pages = from < to;
  if (pages && is_shared(m))
    pages = fallocate(m->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                      (off_t)(to - from)) == 0;
  else if (pages)
    pages = !a->mapped && a->bytes >= MAP_THRESHOLD &&
            madvise(a->host + from, to - from, MADV_DONTNEED) == 0;
  if (!pages) from = to = end;
  memset(a->host + offset, 0, from - begin);
  memset(a->host + (to - base), 0, end - to);
}

static void alloc_drop(devmem_t *m, devmem_alloc_t *a) {
  sparse_free(a->sparse);
  if (is_shared(m)) zero(m, a, 0, a->bytes), piece_give(m, a->host); /* as a new one must be */
  if (is_shared(m) || a->mapped || a->sparse) return;
  if (a->bytes >= MAP_THRESHOLD)
    munmap(a->host, a->bytes);
  else
    free(a->host);
}

void devmem_free(devmem_t *m) {
  if (!m) return;
  for (uint32_t i = 0; !is_shared(m) && i < m->count; i++) alloc_drop(m, &m->alloc[i]);
  for (uint32_t i = 0; is_shared(m) && i < m->count; i++) sparse_free(m->alloc[i].sparse);
  for (uint32_t i = 0; i < m->pieces; i++) munmap(m->piece[i].host, m->piece[i].bytes);
  if (m->file >= 0) close(m->file);
  free(m->alloc), free(m->piece);
  free(m);
}

/* Index of the first allocation that ends after va. */
static uint32_t index_of(const devmem_t *m, uint64_t va) {
  uint32_t lo = 0, hi = m->count;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (m->alloc[mid].va + m->alloc[mid].bytes <= va)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

const devmem_alloc_t *devmem_find(const devmem_t *m, uint64_t va) {
  uint32_t i = index_of(m, va);
  return i < m->count && m->alloc[i].va <= va ? &m->alloc[i] : NULL;
}

static int insert(devmem_t *m, uint32_t i, const devmem_alloc_t *a, err_t *e) {
  if (m->count == m->capacity) {
    uint32_t capacity = m->capacity ? 2 * m->capacity : 64;
    devmem_alloc_t *p = realloc(m->alloc, capacity * sizeof *p);
    if (!p) return err_set(e, GMMU_ENOMEM, "no memory for the table of allocations");
    m->alloc = p, m->capacity = capacity;
  }
  memmove(m->alloc + i + 1, m->alloc + i, (m->count - i) * sizeof *a);
  m->alloc[i] = *a;
  m->count++, m->bytes += a->bytes;
  return 0;
}

/* First gap in [start, limit) that takes the range; returns where to insert it. */
static int find_gap(const devmem_t *m, uint64_t start, uint64_t limit, devmem_alloc_t *a,
                    uint64_t align, uint32_t *at) {
  for (uint32_t i = index_of(m, start);; i++) {
    start = (start + align - 1) & ~(align - 1);
    uint64_t end = i < m->count && m->alloc[i].va < limit ? m->alloc[i].va : limit;
    if (start <= end && end - start >= a->bytes) {
      a->va = start, *at = i;
      return 0;
    }
    if (end == limit) return -1;
    start = m->alloc[i].va + m->alloc[i].bytes;
  }
}

static uint8_t *host_memory(devmem_t *m, uint64_t va, uint64_t bytes) {
  if (is_shared(m)) return piece_take(m, va - DEVMEM_BASE, bytes);
  if (bytes < MAP_THRESHOLD) return calloc(1, bytes);
  void *p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return NULL;
  madvise(p, bytes, MADV_NOHUGEPAGE); /* a touched byte must not cost 2 MB */
  return p;
}

/* Backs the range, unless granules do, and puts it into the table. */
static int add(devmem_t *m, devmem_alloc_t *a, uint32_t at, const char *name, err_t *e) {
  if (!a->sparse) a->host = host_memory(m, a->va, a->bytes);
  a->file = a->va - DEVMEM_BASE;
  if (!a->host && !a->sparse)
    return err_set(e, GMMU_ENOMEM,
                   "the host has no room for %" PRIu64 " bytes (is there a limit? ulimit -v)",
                   a->bytes);
  err_fit(a->name, sizeof a->name, "%s", name);
  int r = insert(m, at, a, e);
  if (r < 0) alloc_drop(m, a);
  return r;
}

/* Finds room for the range and puts it into the table; a->sparse goes with it or is freed. */
static int alloc_in_window(devmem_t *m, devmem_alloc_t *a, uint64_t align, const char *name,
                           bool host, err_t *e) {
  uint32_t at;
  int r = GMMU_OK;
  uint64_t from = host ? DEVMEM_HOST : DEVMEM_BASE, to = host ? DEVMEM_HEAP : DEVMEM_HOST;
  if (align < DEVMEM_ALIGN) align = DEVMEM_ALIGN;
  if (align & (align - 1))
    r = err_set(e, GMMU_EINVAL, "alignment is not a power of two");
  else if (a->bytes > to - from || align > DEVMEM_BASE || find_gap(m, from, to, a, align, &at) < 0)
    r = err_set(e, GMMU_ENOSPACE, "no room for %" PRIu64 " bytes of device memory", a->bytes);
  if (r == 0) return add(m, a, at, name, e);
  sparse_free(a->sparse);
  return r;
}

int devmem_alloc(devmem_t *m, uint64_t bytes, uint64_t align, const char *name, uint64_t *va,
                 err_t *e) {
  devmem_alloc_t a = {.bytes = bytes ? bytes : 1};
  int r = alloc_in_window(m, &a, align, name, false, e);
  if (r == 0) *va = a.va;
  return r;
}

int devmem_alloc_at(devmem_t *m, uint64_t va, uint64_t bytes, const char *name, err_t *e) {
  devmem_alloc_t a = {.bytes = bytes};
  uint32_t at;
  if (!bytes || va < DEVMEM_BASE || va >= DEVMEM_HOST || bytes > DEVMEM_HOST - va ||
      va % DEVMEM_ALIGN)
    return err_set(e, GMMU_EINVAL, "0x%" PRIx64 " is no place for device memory", va);
  if (find_gap(m, va, va + bytes, &a, DEVMEM_ALIGN, &at) < 0 || a.va != va)
    return err_set(e, GMMU_ENOSPACE, "there is memory at 0x%" PRIx64 " already", va);
  return add(m, &a, at, name, e);
}

int devmem_alloc_host(devmem_t *m, uint64_t bytes, uint64_t align, const char *name, uint64_t *va,
                      err_t *e) {
  devmem_alloc_t a = {.bytes = bytes ? bytes : 1};
  int r = alloc_in_window(m, &a, align, name, true, e);
  if (r == 0) *va = a.va;
  return r;
}

/* The file has its pages, and granules come before them. */
static int alloc_sparse_shared(devmem_t *m, uint64_t bytes, uint64_t align, const char *name,
                               const devmem_content_t *content, uint64_t *va, err_t *e) {
  int r = devmem_alloc(m, bytes, align, name, va, e);
  if (r < 0) return r;
  devmem_alloc_t *a = &m->alloc[index_of(m, *va)];
  a->sparse = sparse_over(a->host, a->va % DEVMEM_PAGE, a->bytes);
  if (a->sparse) {
    sparse_reset(a->sparse, content);
    return 0;
  }
  devmem_release(m, *va, NULL);
  return err_set(e, GMMU_ENOMEM, "no memory for a sparse allocation");
}

int devmem_alloc_sparse(devmem_t *m, uint64_t bytes, uint64_t align, const char *name,
                        const devmem_content_t *content, uint64_t *va, err_t *e) {
  if (is_shared(m)) return alloc_sparse_shared(m, bytes, align, name, content, va, e);
  devmem_alloc_t a = {.bytes = bytes ? bytes : 1, .sparse = sparse_new(content)};
  if (!a.sparse) return err_set(e, GMMU_ENOMEM, "no memory for a sparse allocation");
  int r = alloc_in_window(m, &a, align, name, false, e);
  if (r == 0) *va = a.va;
  return r;
}

const uint8_t *devmem_touched(const devmem_alloc_t *a, uint64_t i, uint64_t *va) {
  const uint8_t *p = a->sparse ? sparse_granule(a->sparse, i, va) : NULL;
  if (p) *va += a->va;
  return p;
}

uint8_t *devmem_byte(const devmem_alloc_t *a, uint64_t va) {
  return a->sparse ? sparse_at(a->sparse, va - a->va) : a->host + (va - a->va);
}

const uint8_t *devmem_peek(const devmem_alloc_t *a, uint64_t va, uint8_t scratch[DEVMEM_GRANULE]) {
  return a->sparse ? sparse_peek(a->sparse, va - a->va, scratch) : a->host + (va - a->va);
}

void devmem_settle(devmem_t *m, uint64_t va, uint64_t bytes, bool write) {
  uint32_t i = index_of(m, va);
  if (!bytes || i == m->count || m->alloc[i].va > va || !m->alloc[i].sparse) return;
  devmem_alloc_t *a = &m->alloc[i];
  if (!sparse_settle(a->sparse, va - a->va, bytes, write)) return;
  sparse_free(a->sparse);
  a->sparse = NULL;
}

int devmem_set_content(devmem_t *m, uint64_t va, const devmem_content_t *content, err_t *e) {
  uint32_t i = index_of(m, va);
  if (i == m->count || m->alloc[i].va != va)
    return err_set(e, GMMU_EINVAL, "0x%" PRIx64 " is not the start of an allocation", va);
  devmem_alloc_t *a = &m->alloc[i];
  if (a->sparse) {
    if (a->host) zero(m, a, 0, a->bytes);
    sparse_reset(a->sparse, content);
    return 0;
  }
  for (uint64_t at = 0; at < a->bytes; at += DEVMEM_GRANULE) {
    uint8_t granule[DEVMEM_GRANULE];
    content->fill(content->ctx, at, granule);
    memcpy(a->host + at, granule, a->bytes - at < sizeof granule ? a->bytes - at : sizeof granule);
  }
  return 0;
}

int devmem_heap_alloc(devmem_t *m, uint64_t bytes, uint64_t align, uint64_t *va, err_t *e) {
  devmem_alloc_t a = {.bytes = bytes ? bytes : 1};
  uint32_t at;
  if (align < DEVMEM_ALIGN) align = DEVMEM_ALIGN;
  if (bytes > DEVMEM_HEAP_BYTES || align > DEVMEM_HEAP_BYTES || (align & (align - 1)) ||
      find_gap(m, DEVMEM_HEAP, DEVMEM_LIMIT, &a, align, &at) < 0)
    return err_set(e, GMMU_ENOSPACE, "no room for %" PRIu64 " bytes in the heap of kernels", bytes);
  int r = add(m, &a, at, "device malloc", e);
  if (r == 0) *va = a.va;
  return r;
}

static int by_file(const void *a, const void *b) {
  const devmem_alloc_t *x = *(const devmem_alloc_t *const *)a,
                       *y = *(const devmem_alloc_t *const *)b;
  return (x->file > y->file) - (x->file < y->file);
}

/* The registered ranges by their place in the file; *count of them. Freed by the caller. */
static const devmem_alloc_t **registered(const devmem_t *m, uint32_t *count) {
  const devmem_alloc_t **order = malloc((m->count + 1) * sizeof *order);
  *count = 0;
  for (uint32_t i = 0; order && i < m->count; i++)
    if (m->alloc[i].mapped) order[(*count)++] = &m->alloc[i];
  if (order) qsort(order, *count, sizeof *order, by_file);
  return order;
}

/* A place behind the window that no registered range has: behind all of them, or, when the file is
 * used up to its end, in the first gap. FILE_BYTES if there is none. */
static uint64_t file_place(devmem_t *m, uint64_t bytes) {
  if (bytes > FILE_BYTES - m->file_next) {
    uint64_t start = WINDOW_BYTES;
    uint32_t n;
    const devmem_alloc_t **order = registered(m, &n);
    if (!order) return FILE_BYTES;
    m->file_next = n ? order[n - 1]->file + order[n - 1]->bytes : WINDOW_BYTES;
    for (uint32_t i = 0; i < n && order[i]->file - start < bytes; i++)
      start = order[i]->file + order[i]->bytes;
    free(order);
    if (start < m->file_next || bytes > FILE_BYTES - start)
      return bytes > FILE_BYTES - start ? FILE_BYTES : start;
  }
  m->file_next += bytes;
  return m->file_next - bytes;
}

int devmem_register(devmem_t *m, uint64_t va, uint64_t bytes, const char *name, uint64_t *offset,
                    err_t *e) {
  devmem_alloc_t a = {.va = va, .bytes = bytes, .mapped = true};
  uint32_t at = index_of(m, va);
  uint64_t windows = DEVMEM_LOCAL_WINDOW + DEVMEM_WINDOW_BYTES;
  if (!is_shared(m)) return err_set(e, GMMU_EINVAL, "this memory has no file");
  if (!bytes || (va | bytes) % DEVMEM_PAGE || va >= VA_LIMIT || bytes > VA_LIMIT - va ||
      (va < DEVMEM_LIMIT && va + bytes > DEVMEM_BASE) ||
      (va < windows && va + bytes > DEVMEM_SHARED_WINDOW))
    return err_set(e, GMMU_EINVAL, "[0x%" PRIx64 ", +%" PRIu64 ") cannot be registered", va, bytes);
  if (at < m->count && m->alloc[at].va < va + bytes)
    return err_set(e, GMMU_EINVAL, "memory at 0x%" PRIx64 " overlaps '%s'", va, m->alloc[at].name);
  a.file = file_place(m, bytes);
  if (a.file == FILE_BYTES)
    return err_set(e, GMMU_ENOSPACE, "no room to register %" PRIu64 " bytes", bytes);
  a.host = piece_take(m, a.file, bytes);
  if (!a.host) return err_set(e, GMMU_ENOMEM, "the host has no room for %" PRIu64 " bytes", bytes);
  err_fit(a.name, sizeof a.name, "%s", name);
  int r = insert(m, at, &a, e);
  if (r == 0)
    *offset = a.file;
  else
    piece_give(m, a.host);
  return r;
}

void devmem_tag(devmem_t *m, uint64_t va, uint8_t tag) {
  uint32_t i = index_of(m, va);
  if (i < m->count && m->alloc[i].va <= va) m->alloc[i].tag = tag;
}

int devmem_map_host(devmem_t *m, void *host, uint64_t bytes, const char *name, err_t *e) {
  devmem_alloc_t a = {.va = (uintptr_t)host, .bytes = bytes, .host = host, .mapped = true};
  uint32_t at = index_of(m, a.va);
  if (is_shared(m)) return err_set(e, GMMU_EINVAL, "shared memory registers ranges instead");
  if (!bytes || a.va + bytes < a.va) return err_set(e, GMMU_EINVAL, "not a range of host memory");
  if (at < m->count && m->alloc[at].va < a.va + bytes)
    return err_set(e, GMMU_EINVAL, "host memory at 0x%" PRIx64 " overlaps '%s'", a.va,
                   m->alloc[at].name);
  err_fit(a.name, sizeof a.name, "%s", name);
  return insert(m, at, &a, e);
}

int devmem_release(devmem_t *m, uint64_t va, err_t *e) {
  uint32_t i = index_of(m, va);
  if (i == m->count || m->alloc[i].va != va)
    return err_set(e, GMMU_EINVAL, "0x%" PRIx64 " is not the start of an allocation", va);
  devmem_alloc_t *a = &m->alloc[i];
  alloc_drop(m, a);
  m->freed[m->freed_next] = *a;
  m->freed[m->freed_next].host = NULL, m->freed[m->freed_next].sparse = NULL;
  m->freed[m->freed_next].freed = true;
  m->freed_next = (m->freed_next + 1) % FREED_KEPT;
  if (m->freed_count < FREED_KEPT) m->freed_count++;
  m->bytes -= a->bytes;
  memmove(a, a + 1, (m->count - i - 1) * sizeof *a);
  m->count--;
  return 0;
}

static uint64_t distance(const devmem_alloc_t *a, uint64_t va) {
  if (va < a->va) return a->va - va;
  return va - a->va < a->bytes ? 0 : va - (a->va + a->bytes - 1);
}

bool devmem_nearest(const devmem_t *m, uint64_t va, devmem_alloc_t *out) {
  const devmem_alloc_t *best = NULL;
  uint32_t i = index_of(m, va);
  if (i < m->count) best = &m->alloc[i];
  if (i > 0 && (!best || distance(&m->alloc[i - 1], va) < distance(best, va)))
    best = &m->alloc[i - 1];
  for (uint32_t k = 0; k < m->freed_count; k++) { /* newest first; only a hit beats a live one */
    const devmem_alloc_t *f = &m->freed[(m->freed_next + FREED_KEPT - 1 - k) % FREED_KEPT];
    if (distance(f, va) == 0 && (!best || distance(best, va) > 0)) {
      best = f;
      break;
    }
  }
  if (best) *out = *best;
  return best != NULL;
}

const devmem_alloc_t *devmem_at(const devmem_t *m, uint32_t i) {
  return i < m->count ? &m->alloc[i] : NULL;
}

static const devmem_alloc_t *holder(const devmem_t *m, uint64_t va, uint64_t bytes, err_t *e) {
  const devmem_alloc_t *a = devmem_find(m, va);
  if (a && bytes <= a->bytes - (va - a->va)) return a;
  err_set(e, GMMU_EFAULT, "[0x%" PRIx64 ", +%" PRIu64 ") is not inside one allocation", va, bytes);
  return NULL;
}

/* The allocation that has the whole range, byte by byte. */
static const devmem_alloc_t *plain(devmem_t *m, uint64_t va, uint64_t bytes, err_t *e) {
  const devmem_alloc_t *a = holder(m, va, bytes, e);
  if (a && a->sparse && a->host) devmem_settle(m, va, bytes, true);
  if (!a || !a->sparse || a->host) return a;
  err_set(e, GMMU_EINVAL, "'%s' is sparse: it is neither filled nor copied", a->name);
  return NULL;
}

int devmem_read(const devmem_t *m, uint64_t va, void *to, uint64_t bytes, err_t *e) {
  if (!bytes) return 0;
  const devmem_alloc_t *a = holder(m, va, bytes, e);
  if (!a) return GMMU_EFAULT;
  if (a->sparse)
    sparse_read(a->sparse, va - a->va, to, bytes);
  else
    memcpy(to, a->host + (va - a->va), bytes);
  return 0;
}

int devmem_write(devmem_t *m, uint64_t va, const void *from, uint64_t bytes, err_t *e) {
  if (!bytes) return 0;
  const devmem_alloc_t *a = holder(m, va, bytes, e);
  if (!a) return GMMU_EFAULT;
  if (a->sparse && !sparse_write(a->sparse, va - a->va, from, bytes))
    return err_set(e, GMMU_ENOMEM, "the host has no room for what is written to '%s'", a->name);
  if (!a->sparse) memcpy(a->host + (va - a->va), from, bytes);
  return 0;
}

int devmem_fill(devmem_t *m, uint64_t va, uint8_t value, uint64_t bytes, err_t *e) {
  if (!bytes) return 0;
  const devmem_alloc_t *a = holder(m, va, bytes, e);
  bool all = a && a->sparse && bytes == a->bytes;
  if (all && !value) { /* it costs nothing, and will again */
    if (a->host) zero(m, a, 0, bytes);
    sparse_reset(a->sparse, NULL);
    return 0;
  }
  if (a) a = plain(m, va, bytes, e);
  if (!a) return GMMU_EFAULT;
  if (value)
    memset(a->host + (va - a->va), value, bytes);
  else
    zero(m, a, va - a->va, bytes);
  return 0;
}

int devmem_copy(devmem_t *m, uint64_t to, uint64_t from, uint64_t bytes, err_t *e) {
  if (!bytes) return 0;
  const devmem_alloc_t *d = plain(m, to, bytes, e), *s = d ? plain(m, from, bytes, e) : NULL;
  if (!s) return GMMU_EFAULT;
  memmove(d->host + (to - d->va), s->host + (from - s->va), bytes);
  return 0;
}

int devmem_check(const devmem_t *m, err_t *e) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    const devmem_alloc_t *a = &m->alloc[i];
    sum += a->bytes;
    if (!a->bytes || (!a->host && !a->sparse))
      return err_set(e, GMMU_ECHECK, "allocation %u is empty", i);
    if (i && a->va < a[-1].va + a[-1].bytes)
      return err_set(e, GMMU_ECHECK, "allocations %u and %u overlap", i - 1, i);
    bool inside = a->va >= DEVMEM_BASE && a->va + a->bytes <= DEVMEM_LIMIT;
    if (!a->mapped && (!inside || a->va % DEVMEM_ALIGN))
      return err_set(e, GMMU_ECHECK, "allocation %u is misplaced", i);
  }
  return sum == m->bytes ? 0 : err_set(e, GMMU_ECHECK, "allocated bytes do not add up");
}
