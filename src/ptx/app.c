/* Arrays are made when the machine asks for the command that allocates them, each with the same
 * contents in every execution; the launches follow. */
#include "ptx/app.h"
#include "base/around.h"
#include "base/demangle.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/rng.h"
#include "ptx/ptx.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX_LIMIT_BYTES ((size_t)64 << 20)
#define MAX_ARGS        64
#define TEXT_BYTES      512
#define ARRAY_NAME      64

typedef struct {
  uint64_t bytes, below; /* below: what random numbers are less than; 0: the array is zero */
  uint64_t key;          /* of its random numbers */
  uint64_t va;
  uint32_t offset; /* where its address is among the parameters */
  char name[ARRAY_NAME];
} array_t;

typedef struct {
  around_t around; /* must be first */
  devmem_t *mem;
  ptx_t *ptx;
  const ptx_kernel_t *kernel;
  ptx_launch_t launch;
  uint8_t *params;
  array_t array[MAX_ARGS];
  uint32_t arrays, announced, launches, launched;
} app_t;

static app_t *app_of(source_t *s) { return (app_t *)(void *)s; }

static uint64_t hash(uint64_t v) { return rng_next(&(rng_t){v}); }

/* ---- the text ---------------------------------------------------------------------------------
 */

typedef struct {
  uint64_t shared, seed, size, below;
  uint32_t launches;
  char path[TEXT_BYTES], kernel[TEXT_BYTES], grid[TEXT_BYTES], block[TEXT_BYTES], args[TEXT_BYTES];
} text_t;

static const opt_t options[] = {
    {"shared", OPT_SIZE, offsetof(text_t, shared), 0, 1u << 20, 0, "bytes",
     "dynamic shared memory of a block", NULL, NULL},
    {"launches", OPT_U32, offsetof(text_t, launches), 1, 1000000, 1, "launches",
     "how often the kernel is launched", NULL, NULL},
    {"seed", OPT_U64, offsetof(text_t, seed), 0, UINT64_MAX, 1, "", "of random arrays", NULL, NULL},
    {0}};
/* What an argument has. */
static const opt_t array_options[] = {{"size", OPT_SIZE, offsetof(text_t, size), 1,
                                       (uint64_t)64 << 30, 1, "bytes", "of an array", NULL, NULL},
                                      {"below", OPT_SIZE, offsetof(text_t, below), 1,
                                       (uint64_t)1 << 32, 1, "", "random numbers", NULL, NULL},
                                      {0}};

/* A program behind "--" may have a .ptx file among its words. */
size_t ptx_app_path(const char *text) {
  size_t size = strcspn(text, ":");
  bool is = size > 4 && strncmp(text + size - 4, ".ptx", 4) == 0 && strncmp(text, "-- ", 3) != 0;
  return is ? size : 0;
}

bool ptx_app_knows(const char *text) { return ptx_app_path(text) > 0; }

static int set(const opt_t *table, text_t *t, const char *key, const char *value, err_t *e) {
  char full[80];
  snprintf(full, sizeof full, "ptx.%.60s", key);
  return opt_set((const opt_group_t[]){{"ptx", "", table, t}, {0}}, full, value, e);
}

static int set_pair(text_t *t, char *pair, err_t *e) {
  char *value = strchr(pair, '=');
  if (!value) return err_set(e, GMMU_EINVAL, "%s: \"%.60s\" is not key=value", t->path, pair);
  *value++ = 0;
  const struct {
    const char *name;
    char *to;
  } texts[] = {{"kernel", t->kernel}, {"grid", t->grid}, {"block", t->block}, {"args", t->args}};
  for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(pair, texts[i].name) == 0) {
      snprintf(texts[i].to, TEXT_BYTES, "%s", value);
      return GMMU_OK;
    }
  for (const opt_t *o = options; o->name; o++)
    if (strcmp(pair, o->name) == 0) return set(options, t, pair, value, e);
  return err_set(e, GMMU_EINVAL,
                 "%s: unknown \"%.60s\"; there are kernel, grid, block, args, shared, launches and "
                 "seed",
                 t->path, pair);
}

static int parse(const char *text, text_t *t, err_t *e) {
  char copy[TEXT_BYTES];
  size_t path = ptx_app_path(text);
  *t = (text_t){.launches = 1, .seed = 1};
  if (strlen(text) >= TEXT_BYTES)
    return err_set(e, GMMU_EINVAL, "\"%.40s...\" is longer than %u bytes", text, TEXT_BYTES - 1);
  memcpy(t->path, text, path);
  snprintf(copy, sizeof copy, "%s", text[path] ? text + path + 1 : "");
  int rc = GMMU_OK;
  for (char *at = copy, *end; rc == 0 && at && *at; at = end) {
    end = strchr(at, ',');
    if (end) *end++ = 0;
    rc = set_pair(t, at, e);
  }
  return rc;
}

/* "64", "64x2", "8x8x4" */
static int parse_dims(const text_t *t, const char *key, const char *text, uint32_t out[3],
                      err_t *e) {
  out[0] = out[1] = out[2] = 1;
  if (!*text)
    return err_set(
        e, GMMU_EINVAL,
        "%s: %s= is missing: a PTX file does not say how its kernels are launched, as in "
        "%s:grid=64,block=256,args=mem:64M/4096",
        t->path, key, t->path);
  const char *p = text;
  for (uint32_t i = 0; i < 3; i++) {
    char *end;
    errno = 0;
    unsigned long v = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 0;
    if (!v || errno || v > INT_MAX) break;
    out[i] = (uint32_t)v;
    if (!*end) return GMMU_OK;
    if (*end != 'x') break;
    p = end + 1;
  }
  return err_set(e, GMMU_EINVAL, "%s: %s=%.60s: one to three numbers from 1 on, with x between",
                 t->path, key, text);
}

/* ---- the kernel -------------------------------------------------------------------------------
 */

static int no_kernel(const app_t *a, const text_t *t, err_t *e) {
  char list[300] = "";
  size_t used = 0;
  const ptx_kernel_t *k;
  for (uint32_t i = 0; (k = ptx_kernel_at(a->ptx, i)) && used < sizeof list; i++) {
    int n = snprintf(list + used, sizeof list - used, "%s%.100s", i ? ", " : "",
                     ptx_kernel_info(k)->name);
    used += n > 0 ? (size_t)n : 0;
  }
  if (!used) return err_set(e, GMMU_ENOENT, "%s has no kernel", t->path);
  if (*t->kernel)
    return err_set(e, GMMU_ENOENT, "%s has no kernel \"%.60s\"; it has %s", t->path, t->kernel,
                   list);
  return err_set(e, GMMU_EINVAL, "%s has several kernels; kernel= names one: %s", t->path, list);
}

/* As it is written in the file, or in the source it was made from. */
static bool is_called(const ptx_kernel_t *k, const char *name) {
  strbuf_t source;
  strbuf_init(&source);
  demangle(ptx_kernel_info(k)->name, &source);
  bool same =
      strcmp(ptx_kernel_info(k)->name, name) == 0 || strcmp(strbuf_text(&source), name) == 0;
  strbuf_fini(&source);
  return same;
}

static int find_kernel(app_t *a, const text_t *t, err_t *e) {
  int rc = ptx_link(a->ptx, e);
  if (rc < 0) return rc;
  const ptx_kernel_t *k;
  uint32_t all = 0;
  for (; (k = ptx_kernel_at(a->ptx, all)); all++)
    if (!a->kernel && is_called(k, t->kernel)) a->kernel = k;
  if (!*t->kernel && all == 1) a->kernel = ptx_kernel_at(a->ptx, 0);
  if (!a->kernel) return no_kernel(a, t, e);
  /* says what a kernel lacks that cannot be linked */
  return ptx_kernel(a->ptx, -1, ptx_kernel_info(a->kernel)->name, e) ? GMMU_OK : e->code;
}

/* ---- its arguments ----------------------------------------------------------------------------
 */

static bool is_array(const char *text) {
  return strncmp(text, "mem:", 4) == 0 || strncmp(text, "index:", 6) == 0;
}

static int add_array(app_t *a, text_t *t, uint32_t number, char *text, const ptx_param_t *p,
                     err_t *e) {
  bool random = *text == 'i';
  char *size = strchr(text, ':') + 1, *below = random ? strchr(size, ':') : NULL;
  if (p->bytes != 8)
    return err_set(e, GMMU_EINVAL,
                   "%s: argument %u is an array, and the kernel takes %u bytes there", t->path,
                   number, p->bytes);
  if (random && !below)
    return err_set(e, GMMU_EINVAL, "%s: argument %u: index:SIZE:N, numbers below N", t->path,
                   number);
  if (below) *below++ = 0;
  int rc = set(array_options, t, "size", size, e);
  if (rc == 0 && random) rc = set(array_options, t, "below", below, e);
  if (rc < 0) return rc;
  array_t *x = &a->array[a->arrays++];
  *x = (array_t){.bytes = t->size,
                 .below = random ? t->below : 0,
                 .key = hash(t->seed ^ hash(number)),
                 .offset = p->offset};
  snprintf(x->name, sizeof x->name, "argument %u", number);
  return GMMU_OK;
}

/* A point makes it a floating-point number. */
static int put_number(app_t *a, const text_t *t, uint32_t number, const char *text,
                      const ptx_param_t *p, err_t *e) {
  uint64_t bits = 0;
  char *end = NULL;
  errno = 0;
  if (!strchr(text, '.')) {
    bits = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    uint64_t rest = p->bytes < 8 ? bits >> (8 * p->bytes) : 0,
             minus = p->bytes < 8 ? UINT64_MAX >> (8 * p->bytes) : 0;
    if (rest && !(*text == '-' && rest == minus && bits >> (8 * p->bytes - 1) & 1)) errno = ERANGE;
  } else if (p->bytes == 4) {
    float f = strtof(text, &end);
    memcpy(&bits, &f, sizeof f);
  } else if (p->bytes == 8) {
    double d = strtod(text, &end);
    memcpy(&bits, &d, sizeof d);
  }
  if (!end || end == text || *end || errno)
    return err_set(e, GMMU_EINVAL,
                   "%s: argument %u: \"%.40s\" is no number of %u bytes, nor mem:SIZE or "
                   "index:SIZE:N",
                   t->path, number, text, p->bytes);
  memcpy(a->params + p->offset, &bits, p->bytes);
  return GMMU_OK;
}

static int put_argument(app_t *a, text_t *t, uint32_t number, char *text, const ptx_param_t *p,
                        err_t *e) {
  if (is_array(text)) return add_array(a, t, number, text, p, e);
  if (p->bytes > 8 || (p->bytes & (p->bytes - 1)))
    return err_set(e, GMMU_EINVAL,
                   "%s: argument %u is a structure of %u bytes, which cannot be given; run its "
                   "program: -- ./program",
                   t->path, number, p->bytes);
  return put_number(a, t, number, text, p, e);
}

static int wrong_count(const text_t *t, const ptx_kernel_info_t *info, uint32_t given, err_t *e) {
  char list[256] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < info->params && used < sizeof list; i++) {
    int n = snprintf(list + used, sizeof list - used, "%s%u", i ? ", " : "", info->param[i].bytes);
    used += n > 0 ? (size_t)n : 0;
  }
  return err_set(
      e, GMMU_EINVAL,
      "%s: kernel %.60s takes %u arguments (of %s bytes), args= has %u: numbers, mem:SIZE "
      "or index:SIZE:N, with / between",
      t->path, info->name, info->params, info->params ? list : "no", given);
}

static int put_arguments(app_t *a, text_t *t, err_t *e) {
  const ptx_kernel_info_t *info = ptx_kernel_info(a->kernel);
  uint32_t given = *t->args ? 1 : 0;
  for (const char *p = t->args; *p; p++) given += *p == '/';
  if (given != info->params || given > MAX_ARGS) return wrong_count(t, info, given, e);
  a->params = calloc(1, info->param_bytes + 8);
  if (!a->params) return err_set(e, GMMU_ENOMEM, "out of memory");
  int rc = GMMU_OK;
  char *at = t->args;
  for (uint32_t i = 0; i < given && rc == 0; i++) {
    char *end = strchr(at, '/');
    if (end) *end++ = 0;
    rc = put_argument(a, t, i + 1, at, &info->param[i], e);
    at = end;
  }
  return rc;
}

/* ---- commands ---------------------------------------------------------------------------------
 */

static void fill(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]) {
  const array_t *x = ctx;
  for (uint32_t i = 0; i < DEVMEM_GRANULE / 4; i++) {
    uint32_t v = (uint32_t)(hash(x->key ^ hash(offset / 4 + i)) % x->below);
    memcpy(granule + 4 * i, &v, 4);
  }
}

static int announce(app_t *a, ptx_command_t *c, err_t *e) {
  array_t *x = &a->array[a->announced];
  const devmem_content_t content = {fill, x};
  int rc = devmem_alloc_sparse(a->mem, x->bytes, 1, x->name, x->below ? &content : NULL, &x->va, e);
  if (rc < 0) return rc;
  memcpy(a->params + x->offset, &x->va, 8);
  a->announced++;
  *c = (ptx_command_t){.kind = CMD_ALLOC, .va = x->va, .bytes = x->bytes, .name = x->name};
  return GMMU_OK;
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  app_t *a = ctx;
  (void)now;
  if (a->announced < a->arrays) return announce(a, c, e);
  *c = (ptx_command_t){.kind = CMD_END};
  if (a->launched == a->launches) return GMMU_OK;
  a->launched++;
  *c = (ptx_command_t){.kind = CMD_LAUNCH, .kernel = a->kernel, .launch = a->launch};
  return GMMU_OK;
}

static int rewind_app(void *ctx, err_t *e) {
  app_t *a = ctx;
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < a->announced && rc == 0; i++)
    rc = devmem_release(a->mem, a->array[i].va, e);
  a->announced = a->launched = 0;
  return rc == 0 ? ptx_reset(a->ptx, e) : rc;
}

/* ---- the source -------------------------------------------------------------------------------
 */

static void app_free(source_t *s) {
  app_t *a = app_of(s);
  if (a->around.in) a->around.in->ops->free(a->around.in);
  ptx_free(a->ptx);
  devmem_free(a->mem);
  free(a->params);
  free(a);
}

static const source_ops_t app_ops = {.name = "ptx",
                                     .bind = around_bind,
                                     .rewind = around_rewind,
                                     .next_command = around_next_command,
                                     .cta_begin = around_cta_begin,
                                     .step = around_step,
                                     .error = around_error,
                                     .free = app_free};

static int load(app_t *a, text_t *t, err_t *e) {
  strbuf_t ptx;
  strbuf_init(&ptx);
  int rc = file_read(t->path, PTX_LIMIT_BYTES, &ptx, e);
  if (rc == 0) rc = devmem_new(&a->mem, e);
  if (rc == 0) rc = ptx_new(a->mem, &a->ptx, e);
  if (rc == 0) rc = ptx_load(a->ptx, t->path, strbuf_text(&ptx), ptx.size, e);
  strbuf_fini(&ptx);
  if (rc >= 0) rc = find_kernel(a, t, e);
  if (rc == 0) rc = parse_dims(t, "grid", t->grid, a->launch.grid, e);
  if (rc == 0) rc = parse_dims(t, "block", t->block, a->launch.block, e);
  if (rc == 0) rc = put_arguments(a, t, e);
  if (rc < 0) return rc;
  a->launches = t->launches;
  a->launch.dynamic_shared_bytes = (uint32_t)t->shared;
  a->launch.params = a->params;
  return ptx_launch_check(a->kernel, &a->launch, e);
}

int ptx_app_open(const char *text, source_t **out, err_t *e) {
  text_t t;
  *out = NULL;
  app_t *a = calloc(1, sizeof *a);
  if (!a) return err_set(e, GMMU_ENOMEM, "out of memory");
  a->around.source.ops = &app_ops;
  const ptx_host_t host = {a, next_command, rewind_app};
  int rc = parse(text, &t, e);
  if (rc == 0) rc = load(a, &t, e);
  if (rc == 0) rc = ptx_live_new(a->ptx, &host, NULL, &a->around.in, e);
  if (rc < 0)
    app_free(&a->around.source);
  else
    *out = &a->around.source;
  return rc < 0 ? rc : GMMU_OK;
}
