/* Memory pools. What is freed goes back to the device at once, so a pool reserves what is used, and
 * a release threshold is kept and has no effect. Each allocation remembers its pool. */
#include "cudart/rt.h"
#include <stdlib.h>
#include <string.h>

enum {
  POOL_THRESHOLD = 4, /* the first attribute of 64 bits; those before are switches */
  POOL_RESERVED,
  POOL_RESERVED_HIGH,
  POOL_USED,
  POOL_USED_HIGH,
  POOL_ATTRIBUTES,
  LOCATION_DEVICE = 1,
  ACCESS_READ_WRITE = 3
};

struct cuda_pool {
  cuda_pool_t next;
  uint64_t attr[POOL_ATTRIBUTES], max_bytes; /* 0: no limit */
};

/* An allocation out of a pool. */
struct pooled {
  pooled_t *next;
  const void *at;
  size_t bytes;
  cuda_pool_t pool; /* NULL: the pool has been destroyed */
};

typedef struct {
  int type, handles;
  cuda_location_t location;
  void *security;
  size_t max_bytes;
  unsigned short usage;
  unsigned char reserved[54];
} pool_props_t;
_Static_assert(sizeof(pool_props_t) == 88, "cudaMemPoolProps");

typedef struct {
  cuda_location_t location;
  int flags;
} access_t;

static cuda_pool_t pool_new(rt_t *rt) {
  cuda_pool_t p = calloc(1, sizeof *p);
  if (!p) return NULL;
  for (int i = 1; i < POOL_THRESHOLD; i++) p->attr[i] = 1; /* reuse of all kinds is allowed */
  p->next = rt->pools;
  return rt->pools = p;
}

/* The device's own pool is the first that there was. */
static cuda_pool_t default_pool(rt_t *rt) {
  cuda_pool_t p = rt->pools ? rt->pools : pool_new(rt);
  while (p && p->next) p = p->next;
  return p;
}

static cuda_pool_t current_pool(rt_t *rt) { return rt->pool ? rt->pool : default_pool(rt); }

static bool known(const rt_t *rt, cuda_pool_t pool) {
  cuda_pool_t p = rt->pools;
  while (p && p != pool) p = p->next;
  return p && pool;
}

void pools_forget(rt_t *rt) {
  for (pooled_t *p; (p = rt->pooled);) rt->pooled = p->next, free(p);
  for (cuda_pool_t p; (p = rt->pools);) rt->pools = p->next, free(p);
  rt->pool = NULL;
}

/* --- allocations --- */

static void count(cuda_pool_t p, uint64_t used) {
  p->attr[POOL_USED] = p->attr[POOL_RESERVED] = used;
  for (int i = POOL_RESERVED_HIGH; i <= POOL_USED_HIGH; i += 2)
    if (p->attr[i] < used) p->attr[i] = used;
}

cuda_error_t pool_alloc(rt_t *rt, size_t bytes, cuda_pool_t pool, void **out) {
  if (!pool) pool = current_pool(rt);
  if (!pool) return cudaErrorMemoryAllocation;
  if (!out || !known(rt, pool)) return cudaErrorInvalidValue;
  uint64_t used = pool->attr[POOL_USED];
  if (pool->max_bytes && (used > pool->max_bytes || bytes > pool->max_bytes - used))
    return cudaErrorMemoryAllocation;
  pooled_t *p = malloc(sizeof *p);
  cuda_error_t error = p ? memory_alloc(rt, bytes, WIRE_DEVICE, out) : cudaErrorMemoryAllocation;
  if (error || !*out) {
    free(p);
    return error;
  }
  *p = (pooled_t){rt->pooled, *out, bytes, pool};
  rt->pooled = p;
  count(pool, used + bytes);
  return cudaSuccess;
}

void pool_freed(rt_t *rt, const void *at) {
  pooled_t **p = &rt->pooled;
  while (*p && (*p)->at != at) p = &(*p)->next;
  pooled_t *gone = *p;
  if (!gone) return;
  if (gone->pool) count(gone->pool, gone->pool->attr[POOL_USED] - gone->bytes);
  *p = gone->next;
  free(gone);
}

/* Now, or when the graph runs that the stream captures. */
static cuda_error_t alloc_in(rt_t *rt, size_t bytes, cuda_pool_t pool, cuda_stream_t stream,
                             void **out) {
  cuda_error_t error = out ? stream_check(rt, stream) : cudaErrorInvalidValue;
  if (error) return error;
  if (stream_capture(stream)) return capture_alloc(rt, stream, bytes, out);
  return pool_alloc(rt, bytes, pool, out);
}

API(cudaMallocAsync, void **out, size_t bytes, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, alloc_in(rt, bytes, NULL, stream, out));
}
ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

API(cudaMallocFromPoolAsync, void **out, size_t bytes, cuda_pool_t pool, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  if (!known(rt, pool)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, alloc_in(rt, bytes, pool, stream, out));
}
ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

API(cudaFreeAsync, void *p, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error && stream_capture(stream)) return rt_leave(rt, capture_free(stream, p));
  return rt_leave(rt, error ? error : memory_free(rt, p));
}
ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);

/* --- pools --- */

API(cudaDeviceGetDefaultMemPool, cuda_pool_t *out, int device) {
  rt_t *rt = rt_enter();
  if (!out || device) return rt_leave(rt, cudaErrorInvalidValue);
  *out = default_pool(rt);
  return rt_leave(rt, *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

API(cudaDeviceGetMemPool, cuda_pool_t *out, int device) {
  rt_t *rt = rt_enter();
  if (!out || device) return rt_leave(rt, cudaErrorInvalidValue);
  *out = current_pool(rt);
  return rt_leave(rt, *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

API(cudaDeviceSetMemPool, int device, cuda_pool_t pool) {
  rt_t *rt = rt_enter();
  if (device || !known(rt, pool)) return rt_leave(rt, cudaErrorInvalidValue);
  rt->pool = pool;
  return rt_leave(rt, cudaSuccess);
}

API(cudaMemPoolCreate, cuda_pool_t *out, const pool_props_t *props) {
  rt_t *rt = rt_enter();
  bool here = props && props->location.type == LOCATION_DEVICE && props->location.id == 0;
  if (!out || !here) return rt_leave(rt, cudaErrorInvalidValue);
  if (props->handles)
    return rt_leave(rt, UNSUPPORTED("a memory pool that other processes may have"));
  if (!default_pool(rt) || !(*out = pool_new(rt))) return rt_leave(rt, cudaErrorMemoryAllocation);
  (*out)->max_bytes = props->max_bytes;
  return rt_leave(rt, cudaSuccess);
}

/* What was allocated out of it stays until it is freed. */
API(cudaMemPoolDestroy, cuda_pool_t pool) {
  rt_t *rt = rt_enter();
  if (!known(rt, pool) || pool == default_pool(rt)) return rt_leave(rt, cudaErrorInvalidValue);
  for (pooled_t *p = rt->pooled; p; p = p->next)
    if (p->pool == pool) p->pool = NULL;
  cuda_pool_t *at = &rt->pools;
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
  if (rt->pool == pool) rt->pool = NULL;
  free(pool);
  return rt_leave(rt, cudaSuccess);
}

static bool valid(const rt_t *rt, cuda_pool_t pool, int number, const void *value) {
  return known(rt, pool) && number > 0 && number < POOL_ATTRIBUTES && value;
}

/* High-water marks can be set to zero only, which means: to what there is now. */
API(cudaMemPoolSetAttribute, cuda_pool_t pool, int number, void *value) {
  rt_t *rt = rt_enter();
  if (!valid(rt, pool, number, value) || number == POOL_USED || number == POOL_RESERVED)
    return rt_leave(rt, cudaErrorInvalidValue);
  uint64_t v = number < POOL_THRESHOLD ? *(unsigned *)value : *(uint64_t *)value;
  if (number > POOL_THRESHOLD && v) return rt_leave(rt, cudaErrorInvalidValue);
  pool->attr[number] = number > POOL_THRESHOLD ? pool->attr[POOL_USED] : v;
  return rt_leave(rt, cudaSuccess);
}

API(cudaMemPoolGetAttribute, cuda_pool_t pool, int number, void *value) {
  rt_t *rt = rt_enter();
  if (!valid(rt, pool, number, value)) return rt_leave(rt, cudaErrorInvalidValue);
  if (number < POOL_THRESHOLD)
    *(unsigned *)value = (unsigned)pool->attr[number];
  else
    *(uint64_t *)value = pool->attr[number];
  return rt_leave(rt, cudaSuccess);
}

API(cudaMemPoolTrimTo, cuda_pool_t pool, size_t bytes) {
  (void)bytes;
  rt_t *rt = rt_enter();
  return rt_leave(rt, known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/* There is one device, which may always reach its memory. */
API(cudaMemPoolSetAccess, cuda_pool_t pool, const access_t *list, size_t n) {
  rt_t *rt = rt_enter();
  cuda_error_t error = known(rt, pool) && list ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++)
    if (list[i].location.type != LOCATION_DEVICE || list[i].location.id)
      error = cudaErrorInvalidDevice;
  return rt_leave(rt, error);
}

API(cudaMemPoolGetAccess, int *flags, cuda_pool_t pool, const cuda_location_t *location) {
  rt_t *rt = rt_enter();
  if (!flags || !location || !known(rt, pool)) return rt_leave(rt, cudaErrorInvalidValue);
  *flags = location->type == LOCATION_DEVICE && !location->id ? ACCESS_READ_WRITE : 0;
  return rt_leave(rt, cudaSuccess);
}
