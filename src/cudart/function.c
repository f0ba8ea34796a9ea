/* What is known of a kernel, and how many of its blocks an SM can hold. */
#include "cudart/rt.h"
#include <string.h>

enum { FUNCTION_MAX_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9, REGS_PER_WARP_UNIT = 256 };

API(cudaFuncGetParamInfo, const void *function, size_t index, size_t *offset, size_t *bytes) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = offset ? entry_function(rt, function, &e) : cudaErrorInvalidValue;
  if (!error && index >= e->info->params) error = cudaErrorInvalidValue;
  if (error) return rt_leave(rt, error);
  *offset = e->info->param[index].offset;
  if (bytes) *bytes = e->info->param[index].bytes;
  return rt_leave(rt, cudaSuccess);
}

API(cudaFuncGetAttributes, cuda_function_t *out, const void *function) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = out ? entry_function(rt, function, &e) : cudaErrorInvalidValue;
  if (error) return rt_leave(rt, error);
  const wire_kernel_t *k = e->info;
  const wire_device_t *d = &rt->device;
  memset(out, 0, sizeof *out);
  out->shared_bytes = k->shared_bytes, out->const_bytes = k->const_bytes;
  out->local_bytes = k->local_bytes, out->regs = (int)k->regs_per_thread;
  out->max_threads = (int)(k->max_threads ? k->max_threads : d->threads_per_block);
  out->ptx_version = (int)k->ptx_version, out->binary_version = (int)(10 * d->major + d->minor);
  out->max_dynamic_shared = e->max_dynamic_shared >= 0
                                ? e->max_dynamic_shared
                                : (int)(d->shared_per_block - k->shared_bytes);
  out->carveout = e->carveout;
  return rt_leave(rt, cudaSuccess);
}

API(cudaFuncSetAttribute, const void *function, int attribute, int value) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = entry_function(rt, function, &e);
  if (error) return rt_leave(rt, error);
  uint64_t room = rt->device.shared_per_block_optin > rt->device.shared_per_block
                      ? rt->device.shared_per_block_optin
                      : rt->device.shared_per_block;
  switch (attribute) {
  case FUNCTION_MAX_DYNAMIC_SHARED:
    if (value < 0 || (uint64_t)value + e->info->shared_bytes > room) error = cudaErrorInvalidValue;
    if (!error) e->max_dynamic_shared = value;
    break;
  case FUNCTION_CARVEOUT:
    if (value < -1 || value > 100) error = cudaErrorInvalidValue;
    if (!error) e->carveout = value;
    break;
  default: error = cudaErrorInvalidValue;
  }
  return rt_leave(rt, error);
}

API(cudaKernelSetAttributeForDevice, const void *kernel, int attribute, int value, int device) {
  if (!device) return cudaFuncSetAttribute(kernel, attribute, value);
  return rt_leave(rt_enter(), cudaErrorInvalidDevice);
}

/* A hint about the split of L1 and shared memory, which the preset fixes. */
API(cudaFuncSetCacheConfig, const void *function, int config) {
  entry_t *e;
  rt_t *rt = rt_enter();
  bool valid = config >= 0 && config <= 3;
  return rt_leave(rt, valid ? entry_function(rt, function, &e) : cudaErrorInvalidValue);
}
ALIAS(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

/* --- occupancy: threads, block slots, shared memory and registers, whichever ends first --- */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t blocks_at_once(const wire_device_t *d, const wire_kernel_t *k, uint64_t threads,
                               uint64_t dynamic_shared) {
  uint64_t warps = (threads + d->warp_lanes - 1) / d->warp_lanes;
  uint64_t n = least(d->blocks_per_sm, d->threads_per_sm / d->warp_lanes / warps);
  uint64_t shared = k->shared_bytes + dynamic_shared;
  if (shared) n = least(n, d->shared_per_sm / (shared + d->reserved_shared_per_block));
  uint64_t regs = (uint64_t)k->regs_per_thread * d->warp_lanes;
  regs = (regs + REGS_PER_WARP_UNIT - 1) / REGS_PER_WARP_UNIT * REGS_PER_WARP_UNIT * warps;
  return regs ? least(n, d->regs_per_sm / regs) : n;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function, int threads,
    size_t dynamic_shared) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error =
      blocks && threads > 0 ? entry_function(rt, function, &e) : cudaErrorInvalidValue;
  if (error) return rt_leave(rt, error);
  bool fits = (unsigned)threads <= rt->device.threads_per_block &&
              (!e->info->max_threads || (unsigned)threads <= e->info->max_threads);
  *blocks = fits ? (int)blocks_at_once(&rt->device, e->info, (unsigned)threads, dynamic_shared) : 0;
  return rt_leave(rt, cudaSuccess);
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *function,
    int threads, size_t dynamic_shared, unsigned flags) {
  (void)flags; /* about caching overrides */
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic_shared);
}

API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *function, int blocks,
    int threads) {
  entry_t *e;
  rt_t *rt = rt_enter();
  (void)threads;
  cuda_error_t error =
      bytes && blocks > 0 ? entry_function(rt, function, &e) : cudaErrorInvalidValue;
  if (error) return rt_leave(rt, error);
  const wire_device_t *d = &rt->device;
  uint64_t taken = e->info->shared_bytes + d->reserved_shared_per_block;
  uint64_t share = d->shared_per_sm / (unsigned)blocks;
  *bytes = least(share > taken ? share - taken : 0, d->shared_per_block - e->info->shared_bytes);
  return rt_leave(rt, cudaSuccess);
}
