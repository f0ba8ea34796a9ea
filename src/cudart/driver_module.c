/* libcuda.so.1: modules, the linker, functions and launches. A module is a fat binary that is
 * registered with the runtime, as a program's constructors would; a function is registered under
 * the address of its CUfunction, so the runtime takes it for a kernel's stub. */
#include "cudart/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243B1u
#define FATBIN_MAGIC  0xBA55ED50u
#define LINKED_MAGIC  0x4b4e494c554d4d47u /* GMMULINK */
enum { REGION_BYTES = 16, IMAGE_BYTES = 64, KIND_PTX = 1, PTX_FLAGS = 0x11, DEFAULT_ARCH = 70 };

typedef struct {
  uint32_t magic, version;
  const void *fatbin;
  const void *const *more;
} wrapper_t;

typedef struct function {
  struct function *next;
  struct module *module;
  unsigned block[3], shared, param_bytes; /* of launches in steps */
  char params[4096];
  char name[];
} function_t;

typedef struct module {
  wrapper_t wrapper;
  void **handle; /* the runtime's */
  void **owned;  /* fat binaries made here, ends with NULL */
  function_t *functions, *variables;
} module_t;

/* What a linker has been given, and what it made: LINKED_MAGIC, a count, then each PTX with its
 * NUL behind its size. */
typedef struct {
  char *data;
  size_t bytes, room;
  uint64_t count;
} link_t;

/* ---- images ---------------------------------------------------------------------------------- */

static void put(uint8_t *to, uint64_t v, size_t bytes) { memcpy(to, &v, bytes); }

static uint32_t arch_of(const char *ptx) {
  const char *t = strstr(ptx, ".target");
  t = t ? strstr(t, "sm_") : NULL;
  return t ? (uint32_t)strtoul(t + 3, NULL, 10) : DEFAULT_ARCH;
}

/* A fat binary with one image, as nvcc and `gmmu cc` write it. */
static void *wrap_ptx(const char *ptx) {
  size_t bytes = strlen(ptx), payload = (bytes + 8) & ~(size_t)7;
  uint8_t *b = calloc(1, REGION_BYTES + IMAGE_BYTES + payload), *image = b + REGION_BYTES;
  if (!b) return NULL;
  put(b, FATBIN_MAGIC, 4), put(b + 4, 1, 2), put(b + 6, REGION_BYTES, 2);
  put(b + 8, IMAGE_BYTES + payload, 8);
  put(image, KIND_PTX, 2), put(image + 2, 0x0101, 2), put(image + 4, IMAGE_BYTES, 4);
  put(image + 8, payload, 8), put(image + 26, 6, 2), put(image + 28, arch_of(ptx), 4);
  put(image + 40, PTX_FLAGS, 8);
  memcpy(image + IMAGE_BYTES, ptx, bytes);
  return b;
}

static uint64_t word(const void *p, size_t bytes) {
  uint64_t v = 0;
  memcpy(&v, p, bytes);
  return v;
}

/* The parts that an image consists of: m->owned, or the fat binary itself. */
static int split(module_t *m, const void *image) {
  if (word(image, 4) == WRAPPER_MAGIC) {
    m->wrapper = *(const wrapper_t *)image;
    return CU_OK;
  }
  m->wrapper = (wrapper_t){WRAPPER_MAGIC, 1, image, NULL};
  if (word(image, 4) == FATBIN_MAGIC) return CU_OK;
  if (word(image, 4) == 0x464c457f) { /* \177ELF */
    fprintf(stderr, "gmmu: a cubin holds machine code, which gmmu does not run: give it PTX\n");
    return 209;
  }
  bool linked = word(image, 8) == LINKED_MAGIC;
  uint64_t count = linked ? word((const char *)image + 8, 8) : 1;
  const char *p = (const char *)image + (linked ? 16 : 0);
  m->owned = calloc(count + 1, sizeof *m->owned);
  if (!m->owned) return CU_NO_MEMORY;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t bytes = linked ? word(p, 8) : 0;
    if (linked) p += 8;
    m->owned[i] = wrap_ptx(p);
    if (!m->owned[i]) return CU_NO_MEMORY;
    p += bytes;
  }
  m->wrapper = (wrapper_t){WRAPPER_MAGIC, 2, m->owned[0], (const void *const *)m->owned};
  return CU_OK;
}

static function_t *function_new(module_t *m, const char *name) {
  size_t n = strlen(name) + 1;
  function_t *f = calloc(1, sizeof *f + n);
  if (!f) return NULL;
  f->module = m;
  memcpy(f->name, name, n);
  return f;
}

static void register_function(module_t *m, function_t *f) {
  any_function_t any = runtime("__cudaRegisterFunction");
  ((void (*)(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
             int *))any)(m->handle, (const char *)f, f->name, f->name, -1, NULL, NULL, NULL, NULL,
                         NULL);
}

static int attributes_of(const function_t *f, void *out) {
  char room[1024];
  return CALL(cudaFuncGetAttributes, (void *, const void *))(out ? out : room, f);
}

API(cuModuleUnload, module_t *m) {
  if (!m) return CU_INVALID_HANDLE;
  if (m->handle) ((void (*)(void **))runtime("__cudaUnregisterFatBinary"))(m->handle);
  for (function_t *f; (f = m->functions);) m->functions = f->next, free(f);
  for (function_t *f; (f = m->variables);) m->variables = f->next, free(f);
  for (void **o = m->owned; o && *o; o++) free(*o);
  free(m->owned);
  free(m);
  return CU_OK;
}

/* Whether the image can be used is known by asking for a kernel that no module has. */
API(cuModuleLoadData, module_t **out, const void *image) {
  if (!out || !image) return CU_INVALID_VALUE;
  module_t *m = calloc(1, sizeof *m);
  function_t *probe = m ? function_new(m, WIRE_NO_KERNEL) : NULL;
  int error = probe ? split(m, image) : CU_NO_MEMORY;
  if (!error) {
    m->handle = ((void **(*)(void *))runtime("__cudaRegisterFatBinary"))(&m->wrapper);
    ((void (*)(void **))runtime("__cudaRegisterFatBinaryEnd"))(m->handle);
    register_function(m, probe);
    error = attributes_of(probe, NULL);
    if (error == 98) error = CU_OK; /* that it is not there is as it should be */
  }
  if (probe) probe->next = NULL, m->functions = probe;
  if (error && m) cuModuleUnload(m);
  if (!error) *out = m;
  CALL(cudaGetLastError, (void))();
  return error;
}

/* Options of the just-in-time compiler have no effect, but for its logs: programs print them. */
static void write_logs(int error, unsigned count, const int *options, void **values) {
  enum { INFO = 3, ERROR = 5 }; /* CU_JIT_INFO_LOG_BUFFER, _ERROR_; the size is the next number */
  static const char why[] = "gmmu: the module does not load; the reason and its line are on stderr";
  for (int log = INFO; options && values && log <= ERROR; log += 2) {
    char *to = NULL;
    void **size = NULL;
    for (unsigned i = 0; i < count; i++)
      if (options[i] == log)
        to = values[i];
      else if (options[i] == log + 1)
        size = &values[i];
    size_t room = size ? (size_t)(uintptr_t)*size : 0;
    int n = to && room ? snprintf(to, room, "%s", error && log == ERROR ? why : "") : 0;
    if (size) *size = (void *)(uintptr_t)((size_t)n < room ? (size_t)n : room);
  }
}

API(cuModuleLoadDataEx, module_t **out, const void *image, unsigned count, const int *options,
    void **values) {
  int error = cuModuleLoadData(out, image);
  write_logs(error, count, options, values);
  return error;
}
API(cuModuleLoadFatBinary, module_t **out, const void *image) {
  return cuModuleLoadData(out, image);
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *data = NULL;
  size_t bytes = 0, room = 0, n = 1;
  while (f && n) {
    if (room - bytes < 65536) {
      char *p = realloc(data, room = 2 * room + 131072);
      if (!p) break;
      data = p;
    }
    n = fread(data + bytes, 1, room - bytes - 1, f);
    bytes += n;
  }
  if (data) data[bytes] = 0;
  if (f) fclose(f);
  return data;
}

API(cuModuleLoad, module_t **out, const char *path) {
  char *data = path ? read_file(path) : NULL;
  if (!data) return CU_FILE_NOT_FOUND;
  int error = cuModuleLoadData(out, data);
  /* A fat binary is sent when it is loaded, which has happened; PTX was copied. */
  free(data);
  return error;
}

API(cuModuleGetFunction, function_t **out, module_t *m, const char *name) {
  if (!out || !m || !name) return CU_INVALID_VALUE;
  for (function_t *f = m->functions; f; f = f->next)
    if (strcmp(f->name, name) == 0 && strcmp(name, WIRE_NO_KERNEL) != 0) {
      *out = f;
      return CU_OK;
    }
  function_t *f = function_new(m, name);
  if (!f) return CU_NO_MEMORY;
  register_function(m, f);
  f->next = m->functions, m->functions = f; /* the runtime keeps its address */
  int error = attributes_of(f, NULL);
  if (error) {
    CALL(cudaGetLastError, (void))();
    f->name[0] = 0; /* asked again, it is looked for again */
    return driver_result(error);
  }
  *out = f;
  return CU_OK;
}

API(cuModuleGetGlobal_v2, device_ptr_t *va, size_t *bytes, module_t *m, const char *name) {
  if (!m || !name) return CU_INVALID_VALUE;
  function_t *v = function_new(m, name);
  if (!v) return CU_NO_MEMORY;
  v->next = m->variables, m->variables = v;
  ((void (*)(void **, char *, char *, const char *, int, size_t, int, int))runtime(
      "__cudaRegisterVar"))(m->handle, (char *)v, v->name, v->name, 0, 0, 0, 0);
  device_ptr_t where = 0;
  size_t size = 0;
  int error = CALL(cudaGetSymbolAddress, (device_ptr_t *, const void *))(&where, v);
  if (!error) error = CALL(cudaGetSymbolSize, (size_t *, const void *))(&size, v);
  if (error) CALL(cudaGetLastError, (void))();
  if (!error && va) *va = where;
  if (!error && bytes) *bytes = size;
  return driver_result(error);
}

API(cuModuleGetLoadingMode, int *mode) {
  *mode = 1; /* eager */
  return CU_OK;
}

/* Libraries and kernels of CUDA 12 are modules and functions. */
API(cuLibraryLoadData, module_t **out, const void *image, const int *jit, void **jit_values,
    unsigned jits, void *options, void **values, unsigned count) {
  (void)options, (void)values, (void)count; /* what becomes of the image: it is copied */
  return cuModuleLoadDataEx(out, image, jits, jit, jit_values);
}
API(cuLibraryLoadFromFile, module_t **out, const char *path, const int *jit, void **jit_values,
    unsigned jits, void *options, void **values, unsigned count) {
  (void)options, (void)values, (void)count;
  int error = cuModuleLoad(out, path);
  write_logs(error, jits, jit, jit_values);
  return error;
}
API(cuLibraryUnload, module_t *m) { return cuModuleUnload(m); }
API(cuLibraryGetKernel, function_t **out, module_t *m, const char *name) {
  return cuModuleGetFunction(out, m, name);
}
API(cuLibraryGetGlobal, device_ptr_t *va, size_t *bytes, module_t *m, const char *name) {
  return cuModuleGetGlobal_v2(va, bytes, m, name);
}
API(cuLibraryGetManaged, device_ptr_t *va, size_t *bytes, module_t *m, const char *name) {
  return cuModuleGetGlobal_v2(va, bytes, m, name);
}
API(cuLibraryGetModule, module_t **out, module_t *m) {
  *out = m;
  return CU_OK;
}
API(cuKernelGetFunction, function_t **out, function_t *kernel) {
  *out = kernel;
  return CU_OK;
}

/* ---- the linker: PTX is kept; modules find each other's functions when they run ----------------
 */

static int link_add(link_t *l, const void *data, size_t bytes) {
  if (l->room - l->bytes < bytes) {
    size_t room = 2 * l->room + bytes;
    char *p = realloc(l->data, room);
    if (!p) return CU_NO_MEMORY;
    l->data = p, l->room = room;
  }
  memcpy(l->data + l->bytes, data, bytes);
  l->bytes += bytes;
  return CU_OK;
}

API(cuLinkCreate_v2, unsigned count, const int *options, void **values, link_t **out) {
  uint64_t head[2] = {LINKED_MAGIC, 0};
  (void)count, (void)options, (void)values;
  *out = calloc(1, sizeof **out);
  return *out ? link_add(*out, head, sizeof head) : CU_NO_MEMORY;
}

API(cuLinkAddData_v2, link_t *l, int type, const void *data, size_t bytes, const char *name,
    unsigned count, const int *options, void **values) {
  (void)name, (void)count, (void)options, (void)values;
  if (!l || !data || !bytes) return CU_INVALID_VALUE;
  if (type != 1) { /* CU_JIT_INPUT_PTX */
    fprintf(stderr, "gmmu: cuLinkAddData takes PTX: machine code does not run here\n");
    return CU_NOT_SUPPORTED;
  }
  size_t text = strnlen(data, bytes);
  uint64_t size = text + 1;
  int error = link_add(l, &size, sizeof size);
  if (!error) error = link_add(l, data, text);
  if (!error) error = link_add(l, "", 1);
  l->count++;
  if (!error) memcpy(l->data + 8, &l->count, 8);
  return error;
}

API(cuLinkAddFile_v2, link_t *l, int type, const char *path, unsigned count, const int *options,
    void **values) {
  char *data = read_file(path);
  if (!data) return CU_FILE_NOT_FOUND;
  int error = cuLinkAddData_v2(l, type, data, strlen(data) + 1, path, count, options, values);
  free(data);
  return error;
}

API(cuLinkComplete, link_t *l, void **image, size_t *bytes) {
  if (!l || !image || !l->count) return CU_INVALID_VALUE;
  *image = l->data;
  if (bytes) *bytes = l->bytes;
  return CU_OK;
}

API(cuLinkDestroy, link_t *l) {
  if (l) free(l->data);
  free(l);
  return CU_OK;
}

/* ---- functions and launches ------------------------------------------------------------------ */

typedef struct {
  unsigned x, y, z;
} dims_t;
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_BYTES = 2 };

/* Parameters as one buffer: the old way of launching has just that. */
static int launch_buffer(const function_t *f, dims_t grid, dims_t block, unsigned shared,
                         void *stream, void **extra) {
  const void *buffer = NULL;
  size_t bytes = 0;
  for (; (uintptr_t)*extra != EXTRA_END; extra += 2) {
    if ((uintptr_t)*extra == EXTRA_BUFFER) buffer = extra[1];
    if ((uintptr_t)*extra == EXTRA_BYTES) bytes = *(size_t *)extra[1];
  }
  int error =
      CALL(cudaConfigureCall, (dims_t, dims_t, size_t, void *))(grid, block, shared, stream);
  if (!error && bytes)
    error = CALL(cudaSetupArgument, (const void *, size_t, size_t))(buffer, bytes, 0);
  return error ? error : CALL(cudaLaunch, (const void *))(f);
}

API(cuLaunchKernel, const function_t *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
    unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
  dims_t grid = {gx, gy, gz}, block = {bx, by, bz};
  if (!f || (params && extra)) return CU_INVALID_VALUE;
  if (extra) return driver_result(launch_buffer(f, grid, block, shared, stream, extra));
  return driver_result(CALL(cudaLaunchKernel, (const void *, dims_t, dims_t, void **, size_t,
                                               void *))(f, grid, block, params, shared, stream));
}
ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel);

API(cuLaunchCooperativeKernel, const function_t *f, unsigned gx, unsigned gy, unsigned gz,
    unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params) {
  dims_t grid = {gx, gy, gz}, block = {bx, by, bz};
  return driver_result(
      CALL(cudaLaunchCooperativeKernel, (const void *, dims_t, dims_t, void **, size_t, void *))(
          f, grid, block, params, shared, stream));
}

typedef struct { /* CUlaunchConfig */
  dims_t grid, block;
  unsigned shared;
  void *stream, *attribute;
  unsigned attributes;
} launch_config_t;

typedef struct { /* cudaLaunchConfig_t; the attributes are the same ones */
  dims_t grid, block;
  size_t shared;
  void *stream, *attribute;
  unsigned attributes;
} runtime_config_t;

API(cuLaunchKernelEx, const launch_config_t *c, const function_t *f, void **params, void **extra) {
  if (!c || !f || (params && extra)) return CU_INVALID_VALUE;
  if (extra)
    return cuLaunchKernel(f, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z,
                          c->shared, c->stream, params, extra);
  runtime_config_t r = {c->grid, c->block, c->shared, c->stream, c->attribute, c->attributes};
  return driver_result(
      CALL(cudaLaunchKernelExC, (const void *, const void *, void **))(&r, f, params));
}

/* cudaFuncAttributes: sizes first, then the numbers. */
typedef struct {
  size_t shared, constant, local;
  int max_threads, registers, ptx, binary, cache_mode, max_dynamic, carveout;
  char rest[256];
} attributes_t;

API(cuFuncGetAttribute, int *value, int attribute, const function_t *f) {
  attributes_t a = {0};
  int error = attributes_of(f, &a);
  if (error) return driver_result(error);
  const int list[] = {a.max_threads, (int)a.shared, (int)a.constant, (int)a.local,  a.registers,
                      a.ptx,         a.binary,      a.cache_mode,    a.max_dynamic, a.carveout};
  if (attribute < 0 || attribute >= (int)(sizeof list / sizeof *list)) return CU_INVALID_VALUE;
  *value = list[attribute];
  return CU_OK;
}

API(cuFuncSetAttribute, const function_t *f, int attribute, int value) {
  return driver_result(CALL(cudaFuncSetAttribute, (const void *, int, int))(f, attribute, value));
}
API(cuFuncSetCacheConfig, const function_t *f, int config) {
  return driver_result(CALL(cudaFuncSetCacheConfig, (const void *, int))(f, config));
}
API(cuFuncGetModule, module_t **out, const function_t *f) {
  *out = f->module;
  return CU_OK;
}
API(cuFuncGetName, const char **name, const function_t *f) {
  *name = f->name;
  return CU_OK;
}
API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const function_t *f, int threads,
    size_t shared) {
  return driver_result(CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                            (int *, const void *, int, size_t))(blocks, f, threads, shared));
}
API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const function_t *f,
    int threads, size_t shared, unsigned flags) {
  (void)flags;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}
API(cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const function_t *f, int blocks,
    int threads) {
  return driver_result(CALL(cudaOccupancyAvailableDynamicSMemPerBlock,
                            (size_t *, const void *, int, int))(bytes, f, blocks, threads));
}

/* The block size with the most threads at once; of equal ones the largest. */
API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, const function_t *f,
    size_t (*shared_of)(int), size_t shared, int limit) {
  int most = 0, sms = 0, lanes = 32;
  int error = cuFuncGetAttribute(&most, 0, f);
  if (!error) error = CALL(cudaDeviceGetAttribute, (int *, int, int))(&sms, 16, 0);
  if (error) return error;
  if (limit > 0 && limit < most) most = limit;
  *grid = *block = 0;
  for (int n = most, best = 0, blocks; n > 0; n = n % lanes ? n / lanes * lanes : n - lanes) {
    error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, n,
                                                        shared_of ? shared_of(n) : shared);
    if (error) return error;
    if (blocks * n > best) best = blocks * n, *block = n, *grid = blocks * sms;
  }
  return CU_OK;
}
API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, const function_t *f,
    size_t (*shared_of)(int), size_t shared, int limit, unsigned flags) {
  (void)flags;
  return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}

API(cuFuncSetSharedMemConfig, const function_t *f, int config) {
  (void)config;
  return f ? CU_OK : CU_INVALID_HANDLE;
}
API(cuFuncLoad, const function_t *f) { return f ? CU_OK : CU_INVALID_HANDLE; }
API(cuFuncIsLoaded, int *state, const function_t *f) {
  *state = 1; /* loaded */
  return f ? CU_OK : CU_INVALID_HANDLE;
}
API(cuKernelGetName, const char **name, const function_t *f) { return cuFuncGetName(name, f); }
API(cuKernelGetAttribute, int *value, int attribute, const function_t *f, int device) {
  return device ? 101 : cuFuncGetAttribute(value, attribute, f);
}
API(cuKernelSetAttribute, int attribute, int value, const function_t *f, int device) {
  return device ? 101 : cuFuncSetAttribute(f, attribute, value);
}
API(cuKernelSetCacheConfig, const function_t *f, int config, int device) {
  return device ? 101 : cuFuncSetCacheConfig(f, config);
}

/* Launches in steps, as the first versions had them: the function keeps what it is told. */
API(cuFuncSetBlockShape, function_t *f, int x, int y, int z) {
  if (!f || x < 1 || y < 1 || z < 1) return CU_INVALID_VALUE;
  f->block[0] = (unsigned)x, f->block[1] = (unsigned)y, f->block[2] = (unsigned)z;
  return CU_OK;
}
API(cuFuncSetSharedSize, function_t *f, unsigned bytes) {
  f->shared = bytes;
  return CU_OK;
}
API(cuParamSetSize, function_t *f, unsigned bytes) {
  if (bytes > sizeof f->params) return CU_INVALID_VALUE;
  f->param_bytes = bytes;
  return CU_OK;
}
API(cuParamSetv, function_t *f, int offset, const void *value, unsigned bytes) {
  if (offset < 0 || bytes > sizeof f->params || (unsigned)offset > sizeof f->params - bytes)
    return CU_INVALID_VALUE;
  memcpy(f->params + offset, value, bytes);
  return CU_OK;
}
API(cuParamSeti, function_t *f, int offset, unsigned value) {
  return cuParamSetv(f, offset, &value, sizeof value);
}
API(cuParamSetf, function_t *f, int offset, float value) {
  return cuParamSetv(f, offset, &value, sizeof value);
}
API(cuLaunchGridAsync, function_t *f, int width, int height, void *stream) {
  size_t bytes = f->param_bytes;
  void *extra[] = {(void *)EXTRA_BUFFER, f->params, (void *)EXTRA_BYTES, &bytes, (void *)EXTRA_END};
  if (width < 1 || height < 1) return CU_INVALID_VALUE;
  return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, f->block[0], f->block[1],
                        f->block[2], f->shared, stream, NULL, extra);
}
API(cuLaunchGrid, function_t *f, int width, int height) {
  return cuLaunchGridAsync(f, width, height, NULL);
}
API(cuLaunch, function_t *f) { return cuLaunchGridAsync(f, 1, 1, NULL); }
