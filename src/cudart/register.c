/* What the program's static constructors register: fat binaries, and by host address the kernels,
 * variables and texture references in them. Nothing is sent to gmmu before it is needed; then all
 * fat binaries are, because modules may refer to each other.
 *
 * entry[] is a hash table by host address. Where an address was registered twice (a template's stub
 * in two objects) the first stays in front, as with NVIDIA's library. */
#include "cudart/rt.h"
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243B1u
#define FATBIN_MAGIC  0xBA55ED50u

/* In the program's .nvFatBinSegment: measured with nvcc 13.0, see docs/cuda-runtime.md. */
typedef struct {
  uint32_t magic, version; /* 2: separate compilation */
  const void *fatbin;
  const void *const *more; /* version 2: fat binaries, ends with NULL */
} wrapper_t;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; /* after the header */
} fatbin_t;

static size_t bucket(const void *host) {
  uint64_t x = (uintptr_t)host * 0x9e3779b97f4a7c15u;
  return x >> 54; /* 1024 buckets */
}

static entry_t *entry_find(const rt_t *rt, const void *host, entry_kind_t kind) {
  entry_t *e = rt->entry[bucket(host)];
  while (e && (e->host != host || e->kind != kind)) e = e->next;
  return e;
}

static entry_t *entry_add(void **handle, const void *host, const char *name, entry_kind_t kind) {
  entry_t *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  *e = (entry_t){.host = host, .name = name, .module = (module_t *)handle, .kind = kind};
  e->max_dynamic_shared = e->carveout = -1;
  rt_t *rt = rt_lock();
  entry_t **at = &rt->entry[bucket(host)];
  while (*at) at = &(*at)->next;
  *at = e;
  rt_leave_quietly(rt, cudaSuccess);
  return e;
}

/* --- sending fat binaries --- */

static cuda_error_t load_one(rt_t *rt, module_t *m, const fatbin_t *f) {
  wire_answer_t answer;
  if (f->magic != FATBIN_MAGIC || f->header_bytes < sizeof *f || f->bytes > WIRE_MAX_PAYLOAD)
    return cudaErrorInvalidKernelImage;
  if (f->bytes == 0) return cudaSuccess; /* of the device linker: nothing in it */
  struct iovec v = {(void *)f, f->header_bytes + f->bytes};
  uint64_t *number = realloc(m->number, (m->numbers + 1) * sizeof *number);
  if (!number) return cudaErrorMemoryAllocation;
  m->number = number;
  cuda_error_t error = wire_call(rt, WIRE_LOAD, (uint64_t[4]){0}, &v, 1, &answer);
  if (!error) m->number[m->numbers++] = answer.r[0];
  return error;
}

/* With separate compilation some of the fat binaries may hold no PTX for good reason (the linked
 * one holds machine code only): an error counts only if nothing else could be loaded. */
static void load(rt_t *rt, module_t *m) {
  const wrapper_t *w = m->wrapper;
  m->loaded = true;
  if (w->version != 2) {
    m->error = load_one(rt, m, w->fatbin);
    return;
  }
  cuda_error_t first = cudaSuccess;
  for (const void *const *more = w->more; more && *more; more++) {
    cuda_error_t error = load_one(rt, m, *more);
    if (error && !first) first = error;
  }
  if (!m->numbers) m->error = first ? first : load_one(rt, m, w->fatbin);
}

/* All of them: a kernel may call what a module that was registered later defines. */
static cuda_error_t load_all(rt_t *rt, const module_t *wanted) {
  if (!rt->fresh_modules) return wanted->error;
  rt->fresh_modules = false;
  for (module_t *m = rt->modules; m; m = m->next)
    if (!m->loaded) load(rt, m);
  for (module_t *m = rt->modules; m; m = m->next) managed_place(rt, m);
  return wanted->error;
}

/* gmmu keeps modules and kernels under their numbers; variables begin anew, maybe elsewhere. */
void modules_forget(rt_t *rt) {
  for (size_t b = 0; b < ENTRY_BUCKETS; b++)
    for (entry_t *e = rt->entry[b]; e; e = e->next)
      if (e->kind == ENTRY_VARIABLE) e->known = false;
  for (module_t *m = rt->modules; m; m = m->next)
    if (m->loaded) managed_place(rt, m);
}

/* --- looking things up --- */

/* Asks each of the module's parts for e's name. */
static cuda_error_t ask(rt_t *rt, entry_t *e, wire_op_t op, wire_answer_t *answer) {
  struct iovec v = {(void *)e->name, strlen(e->name)};
  cuda_error_t error = cudaErrorInvalidDeviceFunction;
  for (size_t i = 0; i < e->module->numbers; i++) {
    error = wire_call(rt, op, (uint64_t[4]){e->module->number[i]}, &v, 1, answer);
    e->gmmu_module = e->module->number[i];
    if (!error || error == rt->sticky || error == rt->status) break;
  }
  return error;
}

static bool kernel_makes_sense(const wire_kernel_t *k) {
  if (k->params > WIRE_MAX_PARAMS || k->param_bytes > (1u << 16)) return false;
  for (uint32_t i = 0; i < k->params; i++)
    if (k->param[i].offset > k->param_bytes ||
        k->param[i].bytes > k->param_bytes - k->param[i].offset)
      return false;
  return true;
}

static cuda_error_t learn_function(rt_t *rt, entry_t *e) {
  wire_answer_t answer;
  cuda_error_t error = ask(rt, e, WIRE_KERNEL, &answer);
  if (error) return error;
  if (!e->info) e->info = malloc(sizeof *e->info);
  if (!e->info) return cudaErrorMemoryAllocation;
  memset(e->info, 0, sizeof *e->info);
  memcpy(e->info, rt->payload, answer.bytes < sizeof *e->info ? answer.bytes : sizeof *e->info);
  if (!kernel_makes_sense(e->info)) return cudaErrorInvalidKernelImage;
  e->kernel = (uint32_t)answer.r[0];
  e->known = true;
  return cudaSuccess;
}

cuda_error_t entry_function(rt_t *rt, const void *host, entry_t **out) {
  entry_t *e = entry_find(rt, host, ENTRY_FUNCTION);
  if (rt->status) return rt->status;
  if (!e) return cudaErrorInvalidDeviceFunction;
  *out = e;
  cuda_error_t error = load_all(rt, e->module);
  return error || e->known ? error : learn_function(rt, e);
}

cuda_error_t entry_variable(rt_t *rt, const void *host, entry_t **out) {
  wire_answer_t answer;
  entry_t *e = entry_find(rt, host, ENTRY_VARIABLE);
  if (rt->status) return rt->status;
  if (!e) e = entry_find(rt, managed_symbol(rt, host), ENTRY_VARIABLE);
  if (!e) return cudaErrorInvalidSymbol;
  *out = e;
  cuda_error_t error = load_all(rt, e->module);
  if (error || e->known) return error;
  error = ask(rt, e, WIRE_SYMBOL, &answer);
  if (error == cudaErrorInvalidDeviceFunction) error = cudaErrorInvalidSymbol;
  if (error) return error;
  e->va = answer.r[0], e->bytes = answer.r[1];
  e->known = true;
  return cudaSuccess;
}

/* Which of the module's parts has it is found out by binding. */
cuda_error_t entry_texture(rt_t *rt, const void *host, entry_t **out) {
  entry_t *e = entry_find(rt, host, ENTRY_TEXTURE);
  if (rt->status) return rt->status;
  if (!e) return cudaErrorInvalidTexture;
  *out = e;
  return load_all(rt, e->module);
}

/* --- entry points of the program's constructors --- */

API_AS(void **, __cudaRegisterFatBinary, void *wrapper) {
  const wrapper_t *w = wrapper;
  module_t *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->wrapper = wrapper;
  if (w->magic != WRAPPER_MAGIC) m->loaded = true, m->error = cudaErrorInvalidKernelImage;
  rt_t *rt = rt_lock();
  module_t **at = &rt->modules;
  while (*at) at = &(*at)->next;
  *at = m;
  rt->fresh_modules = true;
  rt_leave_quietly(rt, cudaSuccess);
  return (void **)m;
}

void modules_with_managed(void) {
  rt_t *rt = rt_lock();
  module_t *m = rt->modules;
  while (m && (m->loaded || !managed_in(rt, m))) m = m->next;
  rt_leave_quietly(rt, cudaSuccess);
  if (!m) return;
  rt = rt_enter();
  if (!rt->status) load_all(rt, m);
  rt_leave_quietly(rt, cudaSuccess);
}

API_AS(void, __cudaRegisterFatBinaryEnd, void **handle) {
  (void)handle;
  modules_with_managed();
}

static void entries_drop(rt_t *rt, const module_t *m) {
  for (size_t b = 0; b < ENTRY_BUCKETS; b++)
    for (entry_t **at = &rt->entry[b]; *at;) {
      entry_t *e = *at;
      if (e->module != m) {
        at = &e->next;
        continue;
      }
      *at = e->next;
      free(e->info);
      free(e);
    }
}

/* At the program's end, or when a library is closed. */
API_AS(void, __cudaUnregisterFatBinary, void **handle) {
  module_t *m = (module_t *)handle;
  rt_t *rt = rt_lock();
  module_t **at = &rt->modules;
  while (*at && *at != m) at = &(*at)->next;
  if (*at) {
    *at = m->next;
    for (size_t i = 0; i < m->numbers; i++) wire_ask(rt, WIRE_UNLOAD, m->number[i], 0, 0, 0, NULL);
    entries_drop(rt, m);
    free(m->number);
    free(m);
  }
  rt_leave_quietly(rt, cudaSuccess);
}

API_AS(void, __cudaRegisterFunction, void **handle, const char *host, char *device_name,
       const char *name, int thread_limit, void *tid, void *bid, void *block, void *grid,
       int *warp_size) {
  (void)device_name, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
  (void)warp_size;
  entry_add(handle, host, name, ENTRY_FUNCTION);
}

API_AS(void, __cudaRegisterVar, void **handle, char *host, char *address, const char *name,
       int external, size_t bytes, int constant, int global) {
  (void)address, (void)external, (void)bytes, (void)constant, (void)global;
  entry_add(handle, host, name, ENTRY_VARIABLE);
}

API_AS(void, __cudaRegisterManagedVar, void **handle, void **host, char *address, const char *name,
       int external, size_t bytes, int constant, int global) {
  (void)address, (void)external, (void)bytes, (void)constant, (void)global;
  entry_t *e = entry_add(handle, host, name, ENTRY_VARIABLE);
  if (e) e->managed = host;
}

API_AS(void, __cudaRegisterTexture, void **handle, const cuda_texref_t *host, const void **address,
       const char *name, int dimensions, int read_normalized, int external) {
  (void)address, (void)dimensions, (void)external;
  entry_t *e = entry_add(handle, host, name, ENTRY_TEXTURE);
  if (e) e->read_normalized = read_normalized != 0;
}

/* Kernels cannot use surfaces (gmmu says so when it loads them), so there is nothing to keep. */
API_AS(void, __cudaRegisterSurface, void **handle, const void *host, const void **address,
       const char *name, int dimensions, int external) {
  (void)handle, (void)host, (void)address, (void)name, (void)dimensions, (void)external;
}

API_AS(void, __cudaRegisterHostVar, void **handle, const char *name, char *host, size_t bytes) {
  (void)handle, (void)name, (void)host, (void)bytes;
  UNSUPPORTED("__cudaRegisterHostVar (a host variable used by kernels)");
}

/* Before the first use of a managed variable by the host. */
API_AS(char, __cudaInitModule, void **handle) {
  rt_t *rt = rt_enter();
  cuda_error_t error = rt->status ? rt->status : load_all(rt, (module_t *)handle);
  return rt_leave(rt, error) == cudaSuccess;
}

/* A kernel's handle is its stub's address: whatever takes one takes the other. */
API(__cudaGetKernel, void **kernel, const void *host) {
  rt_t *rt = rt_enter();
  if (!entry_find(rt, host, ENTRY_FUNCTION)) return rt_leave(rt, cudaErrorInvalidDeviceFunction);
  *kernel = (void *)host;
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaGetKernel, __cudaGetKernel);
ALIAS(cudaGetFuncBySymbol, __cudaGetKernel);

API(cudaFuncGetName, const char **name, const void *function) {
  rt_t *rt = rt_enter();
  entry_t *e = entry_find(rt, function, ENTRY_FUNCTION);
  if (!name || !e) return rt_leave(rt, cudaErrorInvalidValue);
  *name = e->name;
  return rt_leave(rt, cudaSuccess);
}

API(cudaGetSymbolAddress, void **address, const void *symbol) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = entry_variable(rt, symbol, &e);
  if (!error) *address = (void *)(uintptr_t)e->va;
  return rt_leave(rt, error);
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = entry_variable(rt, symbol, &e);
  if (!error) *bytes = e->bytes;
  return rt_leave(rt, error);
}
