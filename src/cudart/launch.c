/* Launches. The program says where each argument lies; how large it is and where it goes in the
 * buffer of parameters is known from the kernel. Between `<<<...>>>` and the stub a configuration
 * is kept on a stack of the thread (arguments may launch kernels themselves).
 *
 * The old sequence (cudaConfigureCall, cudaSetupArgument, cudaLaunch) gives offsets in the buffer
 * instead, in the host's layout, which is the kernel's too. */
#include "cudart/rt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_DEPTH = 32, OLD_BYTES = 4096 };

typedef struct {
  dim3_t grid, block;
  size_t dynamic_shared;
  cuda_stream_t stream;
} config_t;

typedef struct {
  config_t config[CONFIG_DEPTH];
  int depth;
  char old[OLD_BYTES]; /* arguments of the old sequence; not nested */
} calls_t;
static _Thread_local calls_t calls;

/* --- checks a launch must pass before gmmu hears of it --- */

static bool dims_fit(const config_t *c, const wire_device_t *d) {
  if (!c->grid.x || !c->grid.y || !c->grid.z || !c->block.x || !c->block.y || !c->block.z)
    return false;
  return c->grid.x <= 0x7fffffff && c->grid.y <= 65535 && c->grid.z <= 65535 &&
         c->block.x <= d->threads_per_block && c->block.y <= d->threads_per_block &&
         c->block.z <= 64 && (uint64_t)c->block.x * c->block.y * c->block.z <= d->threads_per_block;
}

static cuda_error_t check(const rt_t *rt, const entry_t *e, const config_t *c) {
  const wire_device_t *d = &rt->device;
  uint64_t shared = d->shared_per_block, threads = (uint64_t)c->block.x * c->block.y * c->block.z;
  if (!dims_fit(c, d)) return cudaErrorInvalidConfiguration;
  if (e->max_dynamic_shared >= 0 && d->shared_per_block_optin > shared)
    shared = d->shared_per_block_optin;
  if (c->dynamic_shared > shared || e->info->shared_bytes + c->dynamic_shared > shared)
    return cudaErrorInvalidValue;
  if (e->info->max_threads && threads > e->info->max_threads) return cudaErrorLaunchOutOfResources;
  return stream_check(rt, c->stream);
}

/* --- the launch itself --- */

static cuda_error_t send(rt_t *rt, const entry_t *e, const config_t *c, const void *params) {
  wire_answer_t answer;
  wire_launch_t l = {.kernel = e->kernel,
                     .grid = {c->grid.x, c->grid.y, c->grid.z},
                     .block = {c->block.x, c->block.y, c->block.z},
                     .dynamic_shared_bytes = (uint32_t)c->dynamic_shared,
                     .stream = stream_id(c->stream)};
  order_launch(rt, c->stream, &l);
  struct iovec v[2] = {{&l, sizeof l}, {(void *)params, e->info->param_bytes}};
  cuda_error_t error = wire_call(rt, WIRE_LAUNCH, (uint64_t[4]){0}, v, 2, &answer);
  if (!error) order_launched(rt, c->stream, &l, answer.r[0]);
  /* What the kernel printed goes through the program's own buffer, so it stays in order. */
  if (answer.bytes && !rt->status) fwrite(rt->payload, 1, answer.bytes, stdout);
  return error;
}

cuda_error_t launch_pack(rt_t *rt, const void *function, dim3_t grid, dim3_t block, size_t shared,
                         void **args, packed_launch_t *out) {
  entry_t *e;
  config_t c = {grid, block, shared, NULL};
  cuda_error_t error = entry_function(rt, function, &e);
  if (!error) error = check(rt, e, &c);
  if (error) return error;
  const wire_kernel_t *k = e->info;
  if (k->params && !args) return cudaErrorInvalidValue;
  char *params = calloc(1, k->param_bytes + 1u);
  if (!params) return cudaErrorMemoryAllocation;
  for (uint32_t i = 0; i < k->params; i++)
    memcpy(params + k->param[i].offset, args[i], k->param[i].bytes);
  managed_translate(rt, k, params);
  *out = (packed_launch_t){function, grid, block, shared, params, k->param_bytes};
  return cudaSuccess;
}

cuda_error_t launch_packed(rt_t *rt, const packed_launch_t *l, cuda_stream_t stream) {
  entry_t *e;
  cuda_error_t error = entry_function(rt, l->function, &e);
  return error ? error : send(rt, e, &(config_t){l->grid, l->block, l->shared, stream}, l->params);
}

static cuda_error_t launch(rt_t *rt, const void *function, const config_t *c, void **args) {
  packed_launch_t l;
  cuda_error_t error = stream_check(rt, c->stream);
  if (!error) error = launch_pack(rt, function, c->grid, c->block, c->dynamic_shared, args, &l);
  if (error) return error;
  bool captured = stream_capture(c->stream) != NULL;
  error = captured ? capture_launch(c->stream, &l) : launch_packed(rt, &l, c->stream);
  if (!captured || error) free(l.params);
  return error;
}

API(cudaLaunchKernel, const void *function, dim3_t grid, dim3_t block, void **args,
    size_t dynamic_shared, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, launch(rt, function, &(config_t){grid, block, dynamic_shared, stream}, args));
}
ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
ALIAS(__cudaLaunchKernel, cudaLaunchKernel); /* takes a handle, which is the stub's address */
ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel);

/* --- cooperative launches: all blocks must be resident at once --- */

cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);

static cuda_error_t fits_at_once(const void *function, const config_t *c) {
  int blocks = 0;
  rt_t *rt = rt_enter();
  uint64_t sms = rt->device.sms;
  rt_leave_quietly(rt, cudaSuccess);
  cuda_error_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function, (int)(c->block.x * c->block.y * c->block.z), c->dynamic_shared);
  if (error) return error;
  if ((uint64_t)c->grid.x * c->grid.y * c->grid.z > sms * (uint64_t)blocks)
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

static cuda_error_t launch_cooperative(const void *function, const config_t *c, void **args) {
  cuda_error_t error = fits_at_once(function, c);
  rt_t *rt = rt_enter();
  return rt_leave(rt, error ? error : launch(rt, function, c, args));
}

API(cudaLaunchCooperativeKernel, const void *function, dim3_t grid, dim3_t block, void **args,
    size_t dynamic_shared, cuda_stream_t stream) {
  return launch_cooperative(function, &(config_t){grid, block, dynamic_shared, stream}, args);
}
ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

API(cudaLaunchKernelExC, const cuda_launch_config_t *config, const void *function, void **args) {
  bool cooperative = false;
  if (!config) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  config_t c = {config->grid, config->block, config->dynamic_shared, config->stream};
  for (unsigned i = 0; i < config->attributes; i++) {
    const cuda_launch_attribute_t *a = &config->attribute[i];
    if (a->id == LAUNCH_COOPERATIVE) cooperative = a->value.number != 0;
    if (a->id == LAUNCH_CLUSTER && a->value.dim[0] * a->value.dim[1] * a->value.dim[2] > 1)
      return UNSUPPORTED("cudaLaunchKernelExC with clusters of blocks");
  }
  if (cooperative) return launch_cooperative(function, &c, args);
  rt_t *rt = rt_enter();
  return rt_leave(rt, launch(rt, function, &c, args));
}
ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

/* --- the configuration between <<<...>>> and the stub --- */

API_AS(unsigned, __cudaPushCallConfiguration, dim3_t grid, dim3_t block, size_t dynamic_shared,
       cuda_stream_t stream) {
  if (calls.depth == CONFIG_DEPTH) {
    rt_error_set(cudaErrorInvalidConfiguration);
    return cudaErrorInvalidConfiguration;
  }
  calls.config[calls.depth++] = (config_t){grid, block, dynamic_shared, stream};
  return 0;
}

API(__cudaPopCallConfiguration, dim3_t *grid, dim3_t *block, size_t *dynamic_shared,
    cuda_stream_t *stream) {
  if (!calls.depth) {
    rt_error_set(cudaErrorMissingConfiguration);
    return cudaErrorMissingConfiguration;
  }
  const config_t *c = &calls.config[--calls.depth];
  *grid = c->grid, *block = c->block;
  *dynamic_shared = c->dynamic_shared, *stream = c->stream;
  return cudaSuccess;
}

API(cudaConfigureCall, dim3_t grid, dim3_t block, size_t dynamic_shared, cuda_stream_t stream) {
  memset(calls.old, 0, sizeof calls.old);
  return (cuda_error_t)__cudaPushCallConfiguration(grid, block, dynamic_shared, stream);
}

API(cudaSetupArgument, const void *argument, size_t bytes, size_t offset) {
  if (offset > OLD_BYTES || bytes > OLD_BYTES - offset) {
    rt_error_set(cudaErrorInvalidValue);
    return cudaErrorInvalidValue;
  }
  memcpy(calls.old + offset, argument, bytes);
  return cudaSuccess;
}

API(cudaLaunch, const void *function) {
  entry_t *e;
  config_t c;
  cuda_error_t error = __cudaPopCallConfiguration(&c.grid, &c.block, &c.dynamic_shared, &c.stream);
  rt_t *rt = rt_enter();
  if (!error) error = entry_function(rt, function, &e);
  if (!error) error = check(rt, e, &c);
  if (!error && e->info->param_bytes > OLD_BYTES) error = cudaErrorInvalidValue;
  if (!error) error = send(rt, e, &c, calls.old);
  return rt_leave(rt, error);
}
ALIAS(cudaLaunch_ptsz, cudaLaunch);
