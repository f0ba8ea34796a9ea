/* libcuda.so.1: memory, copies, and virtual memory: addresses that are reserved, memory that is
 * created, and the mapping of one to the other. */
#include "cudart/driver.h"
#include "gmmu/wire.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TO_DEVICE = 1, FROM_DEVICE = 2, ON_DEVICE = 3, BY_ADDRESS = 4 }; /* cudaMemcpyKind */

static void *at(device_ptr_t p) { return (void *)(uintptr_t)p; } /* NOLINT: one address space */

API(cuMemAlloc_v2, device_ptr_t *p, size_t bytes) {
  return bytes ? CALL(cudaMalloc, (device_ptr_t *, size_t))(p, bytes) : CU_INVALID_VALUE;
}
API(cuMemAllocAsync, device_ptr_t *p, size_t bytes, void *stream) {
  return CALL(cudaMallocAsync, (device_ptr_t *, size_t, void *))(p, bytes, stream);
}
API(cuMemAllocPitch_v2, device_ptr_t *p, size_t *pitch, size_t width, size_t height,
    unsigned element) {
  (void)element;
  return CALL(cudaMallocPitch, (device_ptr_t *, size_t *, size_t, size_t))(p, pitch, width, height);
}
API(cuMemAllocManaged, device_ptr_t *p, size_t bytes, unsigned flags) {
  return CALL(cudaMallocManaged, (device_ptr_t *, size_t, unsigned))(p, bytes, flags);
}
API(cuMemFree_v2, device_ptr_t p) { return CALL(cudaFree, (void *))(at(p)); }
API(cuMemFreeAsync, device_ptr_t p, void *stream) {
  return CALL(cudaFreeAsync, (void *, void *))(at(p), stream);
}
API(cuMemAllocHost_v2, void **p, size_t bytes) {
  return CALL(cudaMallocHost, (void **, size_t))(p, bytes);
}
API(cuMemHostAlloc, void **p, size_t bytes, unsigned flags) {
  return CALL(cudaHostAlloc, (void **, size_t, unsigned))(p, bytes, flags);
}
API(cuMemFreeHost, void *p) { return CALL(cudaFreeHost, (void *))(p); }
API(cuMemHostGetDevicePointer_v2, device_ptr_t *p, void *host, unsigned flags) {
  return CALL(cudaHostGetDevicePointer, (device_ptr_t *, void *, unsigned))(p, host, flags);
}
API(cuMemHostRegister_v2, void *p, size_t bytes, unsigned flags) {
  return CALL(cudaHostRegister, (void *, size_t, unsigned))(p, bytes, flags);
}
API(cuMemHostUnregister, void *p) { return CALL(cudaHostUnregister, (void *))(p); }

/* ---- copies ---------------------------------------------------------------------------------- */

static int copy(void *to, const void *from, size_t bytes, int kind, void *stream) {
  return CALL(cudaMemcpyAsync, (void *, const void *, size_t, int, void *))(to, from, bytes, kind,
                                                                            stream);
}
API(cuMemcpyHtoD_v2, device_ptr_t to, const void *from, size_t bytes) {
  return copy(at(to), from, bytes, TO_DEVICE, NULL);
}
API(cuMemcpyHtoDAsync_v2, device_ptr_t to, const void *from, size_t bytes, void *stream) {
  return copy(at(to), from, bytes, TO_DEVICE, stream);
}
API(cuMemcpyDtoH_v2, void *to, device_ptr_t from, size_t bytes) {
  return copy(to, at(from), bytes, FROM_DEVICE, NULL);
}
API(cuMemcpyDtoHAsync_v2, void *to, device_ptr_t from, size_t bytes, void *stream) {
  return copy(to, at(from), bytes, FROM_DEVICE, stream);
}
API(cuMemcpyDtoD_v2, device_ptr_t to, device_ptr_t from, size_t bytes) {
  return copy(at(to), at(from), bytes, ON_DEVICE, NULL);
}
API(cuMemcpyDtoDAsync_v2, device_ptr_t to, device_ptr_t from, size_t bytes, void *stream) {
  return copy(at(to), at(from), bytes, ON_DEVICE, stream);
}
API(cuMemcpy, device_ptr_t to, device_ptr_t from, size_t bytes) {
  return copy(at(to), at(from), bytes, BY_ADDRESS, NULL);
}
API(cuMemcpyAsync, device_ptr_t to, device_ptr_t from, size_t bytes, void *stream) {
  return copy(at(to), at(from), bytes, BY_ADDRESS, stream);
}

typedef struct { /* one side of CUDA_MEMCPY2D */
  size_t x_bytes, y;
  int type; /* CUmemorytype: 1 host, 2 device, 3 array, 4 unified */
  const void *host;
  device_ptr_t device;
  void *array;
  size_t pitch;
} side2d_t;
typedef struct {
  side2d_t from, to;
  size_t width_bytes, height;
} copy2d_t;

static char *side_start(const side2d_t *s) {
  char *base = s->type == 1 ? (char *)(uintptr_t)s->host : at(s->device);
  return base + s->y * s->pitch + s->x_bytes;
}

API(cuMemcpy2D_v2, const copy2d_t *c) {
  if (!c || c->from.type == 3 || c->to.type == 3) return c ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
  return CALL(cudaMemcpy2D, (void *, size_t, const void *, size_t, size_t, size_t, int))(
      side_start(&c->to), c->to.pitch ? c->to.pitch : c->width_bytes, side_start(&c->from),
      c->from.pitch ? c->from.pitch : c->width_bytes, c->width_bytes, c->height, BY_ADDRESS);
}
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
API(cuMemcpy2DAsync_v2, const copy2d_t *c, void *stream) {
  (void)stream;
  return cuMemcpy2D_v2(c);
}

/* ---- filling --------------------------------------------------------------------------------- */

API(cuMemsetD8_v2, device_ptr_t p, unsigned char value, size_t n) {
  return CALL(cudaMemset, (void *, int, size_t))(at(p), value, n);
}

/* Elements of several bytes: from a list of them, in parts. */
static int fill(device_ptr_t p, const void *value, size_t bytes, size_t n) {
  enum { PART = 65536 };
  static _Thread_local char part[PART];
  for (size_t i = 0; i < PART / bytes; i++) memcpy(part + i * bytes, value, bytes);
  for (size_t left = n * bytes, now; left; left -= now, p += now) {
    now = left < PART ? left : PART;
    int error = copy(at(p), part, now, TO_DEVICE, NULL);
    if (error) return error;
  }
  return CU_OK;
}
API(cuMemsetD16_v2, device_ptr_t p, unsigned short value, size_t n) {
  return fill(p, &value, sizeof value, n);
}
API(cuMemsetD32_v2, device_ptr_t p, unsigned value, size_t n) {
  return fill(p, &value, sizeof value, n);
}
API(cuMemsetD8Async, device_ptr_t p, unsigned char value, size_t n, void *stream) {
  (void)stream;
  return cuMemsetD8_v2(p, value, n);
}
API(cuMemsetD16Async, device_ptr_t p, unsigned short value, size_t n, void *stream) {
  (void)stream;
  return cuMemsetD16_v2(p, value, n);
}
API(cuMemsetD32Async, device_ptr_t p, unsigned value, size_t n, void *stream) {
  (void)stream;
  return cuMemsetD32_v2(p, value, n);
}
API(cuMemsetD2D8_v2, device_ptr_t p, size_t pitch, unsigned char value, size_t width, size_t rows) {
  return CALL(cudaMemset2D, (void *, size_t, int, size_t, size_t))(at(p), pitch, value, width,
                                                                   rows);
}
API(cuMemsetD2D32_v2, device_ptr_t p, size_t pitch, unsigned value, size_t width, size_t rows) {
  int error = CU_OK;
  for (size_t r = 0; !error && r < rows; r++) error = cuMemsetD32_v2(p + r * pitch, value, width);
  return error;
}

/* ---- virtual memory -------------------------------------------------------------------------- */

/* Addresses are dealt out in the second quarter of the window, where no allocation comes (they are
 * given from the lower end). A piece of memory is mapped at one address at a time; its contents are
 * kept here while it is mapped nowhere. */
#define GRANULE     ((size_t)2 << 20)
#define FIRST_VA    (WIRE_MEMORY_BASE + WIRE_MEMORY_BYTES / 4)
#define LAST_VA     (WIRE_MEMORY_BASE + WIRE_MEMORY_BYTES / 2)
#define PROP_PINNED 1

typedef struct range {
  struct range *next;
  device_ptr_t va;
  size_t bytes;
} range_t;
typedef struct memory {
  struct memory *next;
  size_t bytes;
  device_ptr_t va; /* where it is mapped; 0: nowhere */
  bool released;
  char *kept; /* contents while it is not mapped; NULL: zeroes */
} memory_t;
static range_t *ranges; /* by address */
static memory_t *memories;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int leave(int error) {
  pthread_mutex_unlock(&lock);
  return error;
}

API(cuMemGetAllocationGranularity, size_t *bytes, const void *prop, int option) {
  (void)prop, (void)option;
  *bytes = GRANULE;
  return CU_OK;
}

API(cuMemAddressReserve, device_ptr_t *out, size_t bytes, size_t align, device_ptr_t hint,
    uint64_t flags) {
  range_t *r = malloc(sizeof *r), **at_range = &ranges;
  device_ptr_t va = FIRST_VA;
  (void)hint;
  if (align < GRANULE) align = GRANULE;
  if (!r || !bytes || bytes % GRANULE || flags || (align & (align - 1))) {
    free(r);
    return CU_INVALID_VALUE;
  }
  pthread_mutex_lock(&lock);
  for (;; at_range = &(*at_range)->next) { /* the first gap that is large enough */
    va = (va + align - 1) & ~(align - 1);
    if (bytes > LAST_VA - FIRST_VA || va > LAST_VA - bytes) {
      free(r);
      return leave(CU_NO_MEMORY);
    }
    if (!*at_range || va + bytes <= (*at_range)->va) break;
    va = (*at_range)->va + (*at_range)->bytes;
  }
  *r = (range_t){*at_range, va, bytes};
  *at_range = r;
  *out = va;
  return leave(CU_OK);
}

API(cuMemAddressFree, device_ptr_t va, size_t bytes) {
  pthread_mutex_lock(&lock);
  range_t **r = &ranges, *gone;
  while (*r && (*r)->va != va) r = &(*r)->next;
  if (!*r || (*r)->bytes != bytes) return leave(CU_INVALID_VALUE);
  for (memory_t *m = memories; m; m = m->next)
    if (m->va >= va && m->va < va + bytes) return leave(CU_INVALID_VALUE);
  gone = *r, *r = gone->next;
  free(gone);
  return leave(CU_OK);
}

static memory_t *memory_of(uint64_t handle) {
  memory_t *m = memories;
  while (m && (uintptr_t)m != handle) m = m->next;
  return m;
}

static void drop_if_unused(memory_t *gone) {
  memory_t **m = &memories;
  if (!gone->released || gone->va) return;
  while (*m != gone) m = &(*m)->next;
  *m = gone->next;
  free(gone->kept);
  free(gone);
}

API(cuMemCreate, uint64_t *handle, size_t bytes, const int *prop, uint64_t flags) {
  if (!handle || !bytes || bytes % GRANULE || flags || !prop || prop[0] != PROP_PINNED)
    return CU_INVALID_VALUE;
  memory_t *m = calloc(1, sizeof *m);
  if (!m) return CU_NO_MEMORY;
  pthread_mutex_lock(&lock);
  m->next = memories, m->bytes = bytes;
  memories = m;
  *handle = (uintptr_t)m;
  return leave(CU_OK);
}

API(cuMemRelease, uint64_t handle) {
  pthread_mutex_lock(&lock);
  memory_t *m = memory_of(handle);
  if (!m || m->released) return leave(CU_INVALID_VALUE);
  m->released = true;
  drop_if_unused(m);
  return leave(CU_OK);
}

static bool reserved(device_ptr_t va, size_t bytes) {
  for (range_t *r = ranges; r; r = r->next)
    if (va >= r->va && va - r->va <= r->bytes && bytes <= r->bytes - (va - r->va)) return true;
  return false;
}

API(cuMemMap, device_ptr_t va, size_t bytes, size_t offset, uint64_t handle, uint64_t flags) {
  pthread_mutex_lock(&lock);
  memory_t *m = memory_of(handle);
  if (!m || m->released || offset || flags || bytes != m->bytes || va % GRANULE ||
      !reserved(va, bytes))
    return leave(CU_INVALID_VALUE);
  if (m->va) return leave(CU_NOT_SUPPORTED); /* one memory at two addresses */
  int error = CALL(cudaGmmuMallocAt, (void *, size_t))(at(va), bytes);
  if (error) return leave(error);
  m->va = va;
  if (m->kept) copy(at(va), m->kept, bytes, TO_DEVICE, NULL);
  free(m->kept);
  m->kept = NULL;
  return leave(CU_OK);
}

API(cuMemUnmap, device_ptr_t va, size_t bytes) {
  pthread_mutex_lock(&lock);
  int error = CU_INVALID_VALUE;
  for (memory_t *m = memories, *next; m; m = next) {
    next = m->next;
    if (!m->va || m->va < va || m->va - va >= bytes) continue;
    m->kept = m->released ? NULL : malloc(m->bytes);
    if (m->kept) copy(m->kept, at(m->va), m->bytes, FROM_DEVICE, NULL);
    error = CALL(cudaFree, (void *))(at(m->va));
    m->va = 0;
    drop_if_unused(m);
  }
  return leave(error);
}

API(cuMemSetAccess, device_ptr_t va, size_t bytes, const void *access, size_t count) {
  pthread_mutex_lock(&lock);
  return leave(access && count && reserved(va, bytes) ? CU_OK : CU_INVALID_VALUE);
}
API(cuMemGetAccess, uint64_t *flags, const void *location, device_ptr_t va) {
  (void)location;
  pthread_mutex_lock(&lock);
  *flags = 3; /* read and write */
  return leave(reserved(va, 1) ? CU_OK : CU_INVALID_VALUE);
}
API(cuMemRetainAllocationHandle, uint64_t *handle, void *p) {
  pthread_mutex_lock(&lock);
  for (memory_t *m = memories; m; m = m->next)
    if (m->va && (uintptr_t)p >= m->va && (uintptr_t)p < m->va + m->bytes) {
      *handle = (uintptr_t)m;
      return leave(CU_OK);
    }
  return leave(CU_INVALID_VALUE);
}
