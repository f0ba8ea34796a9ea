/* Memory pools: one, the default. Its attributes are kept and have no effect: memory that is freed
 * in order goes back at once. */
#include "cudart/rt.h"

enum { POOL_ATTRIBUTES = 9, POOL_FIRST_LONG = 4 };
static const char the_pool; /* only its address matters */

API(cudaDeviceGetDefaultMemPool, void **out, int device) {
  rt_t *rt = rt_enter();
  if (!out || device) return rt_leave(rt, cudaErrorInvalidValue);
  *out = (void *)&the_pool;
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool);

static bool valid(const void *pool, int number, const void *value) {
  return pool == &the_pool && number > 0 && number < POOL_ATTRIBUTES && value;
}

API(cudaMemPoolSetAttribute, void *pool, int number, void *value) {
  rt_t *rt = rt_enter();
  if (!valid(pool, number, value)) return rt_leave(rt, cudaErrorInvalidValue);
  rt->pool_attr[number] = number < POOL_FIRST_LONG ? *(unsigned *)value : *(uint64_t *)value;
  return rt_leave(rt, cudaSuccess);
}

API(cudaMemPoolGetAttribute, void *pool, int number, void *value) {
  rt_t *rt = rt_enter();
  if (!valid(pool, number, value)) return rt_leave(rt, cudaErrorInvalidValue);
  if (number < POOL_FIRST_LONG)
    *(unsigned *)value = (unsigned)rt->pool_attr[number];
  else
    *(uint64_t *)value = rt->pool_attr[number];
  return rt_leave(rt, cudaSuccess);
}

API(cudaMemPoolTrimTo, void *pool, size_t bytes) {
  (void)bytes;
  rt_t *rt = rt_enter();
  return rt_leave(rt, pool == &the_pool ? cudaSuccess : cudaErrorInvalidValue);
}

API(cudaMallocFromPoolAsync, void **out, size_t bytes, void *pool, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = pool == &the_pool ? stream_check(rt, stream) : cudaErrorInvalidValue;
  return rt_leave(rt, error ? error : memory_alloc(rt, bytes, WIRE_DEVICE, out));
}
ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
