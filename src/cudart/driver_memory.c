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

/* There is one device. */
API(cuMemcpyPeer, device_ptr_t to, void *to_context, device_ptr_t from, void *from_context,
    size_t bytes) {
  (void)to_context, (void)from_context;
  return copy(at(to), at(from), bytes, ON_DEVICE, NULL);
}
API(cuMemcpyPeerAsync, device_ptr_t to, void *to_context, device_ptr_t from, void *from_context,
    size_t bytes, void *stream) {
  (void)to_context, (void)from_context;
  return copy(at(to), at(from), bytes, ON_DEVICE, stream);
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

API(cuMemsetD2D16_v2, device_ptr_t p, size_t pitch, unsigned short value, size_t width,
    size_t rows) {
  int error = CU_OK;
  for (size_t r = 0; !error && r < rows; r++) error = cuMemsetD16_v2(p + r * pitch, value, width);
  return error;
}
API(cuMemsetD2D8Async, device_ptr_t p, size_t pitch, unsigned char value, size_t width, size_t rows,
    void *stream) {
  (void)stream;
  return cuMemsetD2D8_v2(p, pitch, value, width, rows);
}
API(cuMemsetD2D16Async, device_ptr_t p, size_t pitch, unsigned short value, size_t width,
    size_t rows, void *stream) {
  (void)stream;
  return cuMemsetD2D16_v2(p, pitch, value, width, rows);
}
API(cuMemsetD2D32Async, device_ptr_t p, size_t pitch, unsigned value, size_t width, size_t rows,
    void *stream) {
  (void)stream;
  return cuMemsetD2D32_v2(p, pitch, value, width, rows);
}

/* ---- what an address is ---------------------------------------------------------------------- */

typedef struct { /* cudaPointerAttributes of every version begins so */
  int type, device;
  void *device_pointer, *host_pointer;
  long reserved[8];
} pointer_t;
enum { POINTER_NONE, POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED };

API(cuMemGetAddressRange_v2, device_ptr_t *base, size_t *bytes, device_ptr_t p) {
  void *start;
  size_t size;
  int error = CALL(cudaGmmuRange, (const void *, void **, size_t *))(at(p), &start, &size);
  if (error) return CU_NOT_FOUND;
  if (base) *base = (uintptr_t)start;
  if (bytes) *bytes = size;
  return CU_OK;
}

enum { /* CUpointer_attribute */
       IS_CONTEXT = 1,
       IS_TYPE,
       IS_DEVICE_POINTER,
       IS_HOST_POINTER,
       IS_SYNCHRONOUS = 6,
       IS_BUFFER,
       IS_MANAGED,
       IS_ORDINAL,
       IS_START = 11,
       IS_SIZE,
       IS_MAPPED
};

API(cuPointerGetAttribute, void *out, int attribute, device_ptr_t p) {
  pointer_t a = {0};
  device_ptr_t start = 0;
  size_t bytes = 0;
  int error = CALL(cudaPointerGetAttributes, (pointer_t *, const void *))(&a, at(p));
  if (error || !out || a.type == POINTER_NONE) return error ? error : CU_INVALID_VALUE;
  cuMemGetAddressRange_v2(&start, &bytes, p);
  const unsigned type = a.type == POINTER_HOST ? 1 : 2, on = 1, managed = a.type == POINTER_MANAGED,
                 device = 0, synchronous = 1;
  const uint64_t number = start;
  void *context = NULL;
  cuCtxGetCurrent(&context);
  const struct {
    int attribute;
    const void *value;
    size_t bytes;
  } list[] = {{IS_CONTEXT, &context, sizeof context},
              {IS_TYPE, &type, sizeof type},
              {IS_DEVICE_POINTER, &a.device_pointer, sizeof a.device_pointer},
              {IS_HOST_POINTER, &a.host_pointer, sizeof a.host_pointer},
              {IS_SYNCHRONOUS, &synchronous, sizeof synchronous},
              {IS_BUFFER, &number, sizeof number},
              {IS_MANAGED, &managed, sizeof managed},
              {IS_ORDINAL, &device, sizeof device},
              {IS_START, &start, sizeof start},
              {IS_SIZE, &bytes, sizeof bytes},
              {IS_MAPPED, &on, sizeof on}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].attribute == attribute) {
      memcpy(out, list[i].value, list[i].bytes);
      return attribute == IS_HOST_POINTER && !a.host_pointer ? CU_INVALID_VALUE : CU_OK;
    }
  return CU_INVALID_VALUE;
}
/* What an address has not is zero in the list. */
API(cuPointerGetAttributes, unsigned count, const int *attribute, void **out, device_ptr_t p) {
  for (unsigned i = 0; i < count; i++)
    if (cuPointerGetAttribute(out[i], attribute[i], p))
      memset(out[i], 0, attribute[i] == IS_TYPE || attribute[i] >= IS_MANAGED ? 4 : 8);
  return CU_OK;
}
API(cuPointerSetAttribute, const void *value, int attribute, device_ptr_t p) {
  (void)p; /* copies are synchronous anyway */
  return value && attribute == IS_SYNCHRONOUS ? CU_OK : CU_INVALID_VALUE;
}
API(cuMemHostGetFlags, unsigned *flags, void *p) {
  return CALL(cudaHostGetFlags, (unsigned *, void *))(flags, p);
}

/* Advice has no effect: there is one memory. It is for managed memory. */
static int is_managed(device_ptr_t p) {
  unsigned managed = 0;
  int error = cuPointerGetAttribute(&managed, IS_MANAGED, p);
  return !error && managed ? CU_OK : CU_INVALID_VALUE;
}
API(cuMemAdvise, device_ptr_t p, size_t bytes, int advice, int device) {
  (void)device;
  return bytes && advice >= 1 && advice <= 6 ? is_managed(p) : CU_INVALID_VALUE;
}
API(cuMemPrefetchAsync, device_ptr_t p, size_t bytes, int device, void *stream) {
  (void)device, (void)stream;
  return bytes ? is_managed(p) : CU_INVALID_VALUE;
}
typedef struct {
  int type, id;
} location_t;
API(cuMemAdvise_v2, device_ptr_t p, size_t bytes, int advice, location_t where) {
  return cuMemAdvise(p, bytes, advice, where.id);
}
API(cuMemPrefetchAsync_v2, device_ptr_t p, size_t bytes, location_t where, unsigned flags,
    void *stream) {
  (void)flags;
  return cuMemPrefetchAsync(p, bytes, where.id, stream);
}

/* ---- pools ----------------------------------------------------------------------------------- */

API(cuMemPoolCreate, void **pool, const void *props) {
  return CALL(cudaMemPoolCreate, (void **, const void *))(pool, props);
}
API(cuMemPoolDestroy, void *pool) { return CALL(cudaMemPoolDestroy, (void *))(pool); }
API(cuMemPoolSetAttribute, void *pool, int attribute, void *value) {
  return CALL(cudaMemPoolSetAttribute, (void *, int, void *))(pool, attribute, value);
}
API(cuMemPoolGetAttribute, void *pool, int attribute, void *value) {
  return CALL(cudaMemPoolGetAttribute, (void *, int, void *))(pool, attribute, value);
}
API(cuMemPoolTrimTo, void *pool, size_t bytes) {
  return CALL(cudaMemPoolTrimTo, (void *, size_t))(pool, bytes);
}
API(cuMemPoolSetAccess, void *pool, const void *list, size_t count) {
  return CALL(cudaMemPoolSetAccess, (void *, const void *, size_t))(pool, list, count);
}
API(cuDeviceGetDefaultMemPool, void **pool, int device) {
  return CALL(cudaDeviceGetDefaultMemPool, (void **, int))(pool, device);
}
API(cuDeviceGetMemPool, void **pool, int device) {
  return CALL(cudaDeviceGetMemPool, (void **, int))(pool, device);
}
API(cuDeviceSetMemPool, int device, void *pool) {
  return CALL(cudaDeviceSetMemPool, (int, void *))(device, pool);
}
API(cuMemAllocFromPoolAsync, device_ptr_t *p, size_t bytes, void *pool, void *stream) {
  return CALL(cudaMallocFromPoolAsync, (device_ptr_t *, size_t, void *, void *))(p, bytes, pool,
                                                                                 stream);
}

/* ---- virtual memory -------------------------------------------------------------------------- */

/* Addresses are dealt out in the second quarter of the window, where no allocation comes (they are
 * given from the lower end). A piece of memory is mapped at one address at a time; its contents are
 * kept here while it is mapped nowhere.
 *
 * What programs are told is 2 MB, as on GPUs. Smaller pieces are taken too: each is an allocation
 * of its own, and the manager mixed gives none a page that is larger than it. So a program can
 * choose its page sizes. */
#define GRANULE     ((size_t)2 << 20)
#define SMALLEST    ((size_t)4 << 10)
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
  if (!align) align = GRANULE;
  if (align < SMALLEST) align = SMALLEST;
  if (!r || !bytes || bytes % SMALLEST || flags || (align & (align - 1))) {
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
  if (!handle || !bytes || bytes % SMALLEST || flags || !prop || prop[0] != PROP_PINNED)
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
  if (!m || m->released || offset || flags || bytes != m->bytes || va % SMALLEST ||
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
