/* A request at a time: a row of a table says how large its payload may be and who answers it. The
 * other end may be mad: nothing is believed, and what makes no sense ends the session.
 *
 * Invariant: the program waits for an answer exactly while `waiting` is set or a handler runs. A
 * launch and a reset stay unanswered while the machine carries them out. After a message that made
 * no sense or broke off nobody knows where the next one begins: the program is ended, nothing more
 * is read, and every later call repeats why (`broken`). Allocations of the program have a tag of
 * their own (wire_alloc_t + 1, or TAG_REGISTERED); variables have none. */
#include "host/session.h"
#include "cuda/gmmu_content.h"
#include "host/child.h"
#include "host/fatbin.h"
#include "host/nvidia.h"
#include "host/sites.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG(kind)       ((uint8_t)((kind) + 1))
#define TAG_REGISTERED  TAG(WIRE_MANAGED + 1)
#define NO_COMMAND      255
#define MAX_PARAM_BYTES 65536u /* CUDA: 4 KB, 32 KB since 12.1 */
#define MAX_ABSENT      100u   /* bytes of a name */
#define MAX_MODULES     4096u
#define MAX_CALLS       65536u /* bytes of where an array was allocated */
#define MAX_ALLOCATIONS (1u << 20)
#define MAX_CONTENTS    4096u
/* From this size on cudaMalloc's memory costs what kernels write, not the pages they touch. Below,
 * the difference is not worth the look-up of each access. */
#define SPARSE_BYTES   ((uint64_t)256 << 20)
#define MAX_PRINT      ((size_t)64 << 20) /* of one launch; what is beyond is dropped */
#define LAUNCH_THREADS 1024u
#define PATIENCE_MS    1000u /* with a program that broke off and should have ended */
/* Of a device's memory a part is taken by page tables and the like, as on hardware. */
#define USABLE(bytes) ((bytes) - (bytes) / 32)

/* CUDA's error numbers: the same in every release since 10.1 */
enum {
  CUDA_OK = 0,
  CUDA_INVALID_VALUE = 1,
  CUDA_NO_MEMORY = 2,
  CUDA_INVALID_CONFIGURATION = 9,
  CUDA_INVALID_SYMBOL = 13,
  CUDA_INVALID_TEXTURE = 18,
  CUDA_UNAVAILABLE = 46,
  CUDA_INVALID_FUNCTION = 98,
  CUDA_INVALID_IMAGE = 200,
  CUDA_NO_KERNEL_IMAGE = 209,
  CUDA_INVALID_PTX = 218,
  CUDA_INVALID_HANDLE = 400,
  CUDA_ILLEGAL_ADDRESS = 700,
  CUDA_OUT_OF_RESOURCES = 701,
  CUDA_TIMEOUT = 702,
  CUDA_ASSERT = 710,
  CUDA_ALREADY_REGISTERED = 712,
  CUDA_NOT_REGISTERED = 713,
  CUDA_STACK = 714,
  CUDA_MISALIGNED = 716,
  CUDA_LAUNCH_FAILURE = 719,
  CUDA_MISMATCH = 803
};

/* A fat binary the program has loaded: PTX modules, or why there are none. */
typedef struct {
  bool loaded, told; /* `told`: the user knows why */
  int error;
  uint32_t arch;
  uint32_t first, count; /* of the program's PTX modules */
  err_t why;
} fat_t;

typedef struct {
  const ptx_kernel_t *kernel;
} known_t;

/* Values of an allocation that are computed (cuda/gmmu_content.h). */
typedef struct content {
  uint32_t kind;
  uint64_t seed, n;
  struct content *next;
} content_t;

typedef enum { WAIT_NONE, WAIT_LAUNCH, WAIT_RESET } wait_t;

struct session {
  const host_spec_t *spec;
  content_t *contents; /* they stay until the session ends */
  uint32_t content_count;
  devmem_t *mem;
  ptx_t *program;
  child_t *child;
  bool greeted, ended, noted, started;
  bool timed, placed; /* as host_end_t has them */
  char absent[200];   /* names of what it asked for in vain */
  uint64_t outside;   /* accesses */
  struct {
    char file[sizeof(((err_t *)0)->file)];
    uint32_t line;
  } warned[HOST_WARNINGS];
  uint32_t warnings;
  int sticky, status;
  wait_t waiting;
  err_t broken;        /* code 0: it is not */
  uint64_t start, now; /* machine time of the first request, and of this one */
  sites_t sites;
  char array_name[ARRAY_NAME_BYTES]; /* of the last CMD_NAME */
  uint64_t device_bytes;             /* that the program has allocated on the device */
  uint32_t reset_at;                 /* of a reset under way: the allocation it has come to */
  fat_t *fat;
  uint32_t fats;
  known_t *known;
  uint32_t knowns;
  uint8_t *payload; /* of the current request; a launch's parameters live here */
  size_t payload_bytes, payload_room;
  wire_kernel_t info;
  uint64_t launches;              /* that were handed out */
  uint64_t after[WIRE_MAX_AFTER]; /* of the last */
  strbuf_t printed;
};

static void tell(session_t *s, const err_t *e) {
  s->noted = true;
  if (s->spec->note) s->spec->note(s->spec->note_ctx, e);
}

/* ---- start and end --------------------------------------------------------------------------- */

static int start_program(session_t *s, err_t *e) {
  const host_spec_t *h = s->spec;
  child_spec_t spec = {.argv = h->argv,
                       .library_dir = h->library_dir,
                       .out_fd = h->out_fd,
                       .memory_fd = devmem_file(s->mem),
                       .stop = h->stop,
                       .stop_ctx = h->stop_ctx};
  return child_start(&spec, &s->child, e);
}

int session_new(const host_spec_t *spec, devmem_t *mem, ptx_t *p, session_t **out, err_t *e) {
  session_t *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) return err_set(e, GMMU_ENOMEM, "out of memory");
  s->spec = spec, s->mem = mem, s->program = p;
  strbuf_init(&s->printed);
  int rc = start_program(s, e);
  if (rc < 0)
    session_free(s);
  else
    *out = s;
  return rc;
}

void session_free(session_t *s) {
  if (!s) return;
  sites_fini(&s->sites);
  child_free(s->child);
  strbuf_fini(&s->printed);
  for (content_t *c; (c = s->contents); free(c)) s->contents = c->next;
  free(s->fat), free(s->known), free(s->payload), free(s);
}

void session_end(const session_t *s, host_end_t *out) {
  *out = (host_end_t){.status = s->status,
                      .noted = s->noted,
                      .faulted = s->sticky != 0,
                      .timed = s->timed,
                      .placed = s->placed,
                      .outside = s->outside};
  if (s->absent[0])
    err_fit(out->absent, sizeof out->absent, "it asked for what gmmu does not have: %s", s->absent);
  if (s->status)
    nvidia_lacks(s->spec->argv[0], s->spec->library_dir, out->lacks, sizeof out->lacks);
}

bool session_failed(const session_t *s) { return s->sticky != 0; }

bool session_broken(const session_t *s) { return s->broken.code != 0; }

void session_warn(void *session, const err_t *e) {
  session_t *s = session;
  s->outside++;
  for (uint32_t i = 0; i < s->warnings; i++)
    if (s->warned[i].line == e->line && strcmp(s->warned[i].file, e->file) == 0) return;
  if (s->warnings == HOST_WARNINGS) return;
  memcpy(s->warned[s->warnings].file, e->file, sizeof e->file);
  s->warned[s->warnings++].line = e->line;
  if (s->spec->warn) s->spec->warn(s->spec->warn_ctx, e);
}

/* ---- failures of kernels --------------------------------------------------------------------- */

static int fault_error(int code, ptx_fault_kind_t fault) {
  switch (fault) {
  case PTX_FAULT_ILLEGAL_ADDRESS:
  case PTX_FAULT_FREED: return CUDA_ILLEGAL_ADDRESS;
  case PTX_FAULT_MISALIGNED: return CUDA_MISALIGNED;
  case PTX_FAULT_ASSERT: return CUDA_ASSERT;
  case PTX_FAULT_STACK: return CUDA_STACK;
  case PTX_FAULT_STUCK: return CUDA_TIMEOUT;
  default: return code == GMMU_ESTUCK ? CUDA_TIMEOUT : CUDA_LAUNCH_FAILURE;
  }
}

void session_fail(session_t *s, int code, ptx_fault_kind_t fault) {
  if (!s->sticky) s->sticky = fault_error(code, fault);
}

void session_print(void *session, const char *text, size_t size) {
  session_t *s = session;
  if (s->printed.size + size <= MAX_PRINT) strbuf_add(&s->printed, text, size);
}

/* ---- requests -------------------------------------------------------------------------------- */

typedef struct {
  const wire_request_t *q;
  wire_answer_t a;
  const void *payload; /* of the answer */
  ptx_command_t *c;    /* stays NO_COMMAND if the request is none */
} call_t;

static void command(call_t *k, command_kind_t kind, uint64_t va, uint64_t bytes) {
  *k->c = (ptx_command_t){.kind = (uint8_t)kind, .va = va, .bytes = bytes};
}

static int do_hello(session_t *s, call_t *k) {
  err_t e;
  if (k->q->a[0] != WIRE_VERSION) {
    err_set(&e, GMMU_EINVAL, "the program's libcudart is of another gmmu");
    tell(s, &e);
    return CUDA_MISMATCH;
  }
  if (s->greeted) {
    err_set(&e, GMMU_EINVAL, "a second process of the program wants the device; one can have it");
    tell(s, &e);
    return CUDA_UNAVAILABLE;
  }
  s->greeted = true;
  k->payload = &s->spec->device, k->a.bytes = sizeof s->spec->device;
  return CUDA_OK;
}

/* ---- modules */

static int load_image(session_t *s, fat_t *f, const fatbin_image_t *i, err_t *e) {
  char *text, name[64];
  size_t size;
  int rc = fatbin_text(s->payload, s->payload_bytes, i, &text, &size, e);
  if (rc < 0) return rc;
  snprintf(name, sizeof name, "module %u (compute_%u)", s->fats, i->arch);
  rc = ptx_load(s->program, name, text, size, e);
  free(text);
  if (rc < 0) return rc;
  if (!f->count++) f->first = (uint32_t)rc;
  if (f->arch < i->arch) f->arch = i->arch;
  return GMMU_OK;
}

/* The best image that can be read and decoded; if none can, what the best lacks. */
static int load_region(session_t *s, fat_t *f, const fatbin_t *b, uint32_t region, err_t *e) {
  uint32_t order[FATBIN_MAX_IMAGES];
  const wire_device_t *d = &s->spec->device;
  err_t other;
  int n = fatbin_choose(b, region, 10 * d->major + d->minor, order, e);
  int rc = n < 0 ? n : GMMU_ENOENT;
  for (int i = 0; i < n && rc < 0; i++) rc = load_image(s, f, &b->image[order[i]], i ? &other : e);
  return rc;
}

/* Of the device's memory, what neither the program nor its variables have. */
static uint64_t free_bytes(const session_t *s) {
  uint64_t used = s->device_bytes + ptx_variable_bytes(s->program);
  uint64_t usable = USABLE(s->spec->device.global_bytes);
  return used < usable ? usable - used : 0;
}

static void load(session_t *s, fat_t *f) {
  ptx_limit(s->program, free_bytes(s) + ptx_variable_bytes(s->program),
            s->spec->device.const_bytes ? s->spec->device.const_bytes : UINT64_MAX);
  fatbin_t *b = malloc(sizeof *b);
  int rc = b ? fatbin_read(s->payload, s->payload_bytes, b, &f->why)
             : err_set(&f->why, GMMU_ENOMEM, "out of memory");
  if (rc == 0 && !b->images)
    rc = err_set(&f->why, GMMU_ENOENT, "the program's fat binary is empty: it has no device code");
  for (uint32_t r = 0; rc == 0 && r < fatbin_regions(b); r++) rc = load_region(s, f, b, r, &f->why);
  free(b);
  f->loaded = rc == 0;
  if (rc == GMMU_ENOENT)
    f->error = CUDA_NO_KERNEL_IMAGE;
  else if (rc == GMMU_ENOSPACE || rc == GMMU_ENOMEM)
    f->error = CUDA_NO_MEMORY;
  else if (rc < 0)
    f->error = f->why.has_offset ? CUDA_INVALID_IMAGE : CUDA_INVALID_PTX;
}

/* A module that cannot be used is no failure yet: programs carry code that they never run. Who
 * asks for something of it is told. */
static int do_load(session_t *s, call_t *k) {
  if (s->fats == MAX_MODULES) return CUDA_NO_MEMORY;
  fat_t *p = realloc(s->fat, (s->fats + 1) * sizeof *p);
  if (!p) return CUDA_NO_MEMORY;
  s->fat = p;
  memset(&p[s->fats], 0, sizeof *p);
  load(s, &p[s->fats]);
  k->a.r[0] = s->fats++;
  return CUDA_OK;
}

static fat_t *module_of(session_t *s, uint64_t number) {
  return number < s->fats ? &s->fat[number] : NULL;
}

/* Nothing is freed: other modules may use its functions and variables, and the constants of all
 * modules are in one pool. Programs unload when they end. */
static int do_unload(session_t *s, call_t *k) {
  return module_of(s, k->q->a[0]) ? CUDA_OK : CUDA_INVALID_HANDLE;
}

/* The payload from `from` on as text; NULL if it has a zero inside. */
static const char *text_of(session_t *s, size_t from) {
  s->payload[s->payload_bytes] = 0; /* there is room for it */
  const char *t = (const char *)s->payload + from;
  size_t size = s->payload_bytes - from, n = strlen(t);
  return n && n + 1 >= size ? t : NULL;
}

static int useless(session_t *s, fat_t *f) {
  if (!f->told) tell(s, &f->why);
  f->told = true;
  return f->error;
}

/* A program that loads a module by itself learns whether it can be used, and goes on as it likes:
 * the user reads why not, but the run has not failed. */
static int refused(session_t *s, fat_t *f) {
  bool noted = s->noted;
  int error = useless(s, f);
  s->noted = noted;
  return error;
}

static const ptx_kernel_t *find_kernel(session_t *s, const fat_t *f, const char *name, err_t *e) {
  const ptx_kernel_t *k = NULL;
  for (uint32_t i = 0; !k && i < f->count; i++)
    k = ptx_kernel(s->program, (int)(f->first + i), name, e);
  return k ? k : ptx_kernel(s->program, -1, name, e); /* parts of one program may be spread */
}

static void describe(const ptx_kernel_info_t *i, uint32_t arch, wire_kernel_t *out) {
  *out = (wire_kernel_t){.regs_per_thread = i->regs_per_thread,
                         .shared_bytes = i->shared_bytes,
                         .max_threads = i->max_threads ? i->max_threads : LAUNCH_THREADS,
                         .local_bytes = i->local_bytes,
                         .ptx_version = arch,
                         .params = i->params,
                         .param_bytes = i->param_bytes};
  for (uint32_t n = 0; n < i->params && n < WIRE_MAX_PARAMS; n++)
    out->param[n].offset = i->param[n].offset, out->param[n].bytes = i->param[n].bytes;
}

/* Its number, known before or new; -1 without memory. */
static int64_t number_of(session_t *s, const ptx_kernel_t *kernel) {
  for (uint32_t i = 0; i < s->knowns; i++)
    if (s->known[i].kernel == kernel) return i;
  known_t *p = realloc(s->known, (s->knowns + 1) * sizeof *p);
  if (!p) return -1;
  s->known = p;
  p[s->knowns].kernel = kernel;
  return s->knowns++;
}

static int do_kernel(session_t *s, call_t *k) {
  fat_t *f = module_of(s, k->q->a[0]);
  const char *name = text_of(s, 0);
  err_t e = {0};
  if (!f || !name) return CUDA_INVALID_HANDLE;
  if (!f->loaded) return strcmp(name, WIRE_NO_KERNEL) == 0 ? refused(s, f) : useless(s, f);
  const ptx_kernel_t *kernel = find_kernel(s, f, name, &e);
  if (!kernel && e.file[0]) tell(s, &e); /* it does not link: that has a place */
  if (!kernel) return CUDA_INVALID_FUNCTION;
  const ptx_kernel_info_t *info = ptx_kernel_info(kernel);
  int64_t number = number_of(s, kernel);
  if (number < 0 || info->params > WIRE_MAX_PARAMS || info->param_bytes > MAX_PARAM_BYTES)
    return CUDA_INVALID_FUNCTION;
  describe(info, f->arch, &s->info);
  k->a.r[0] = (uint64_t)number;
  k->payload = &s->info, k->a.bytes = sizeof s->info;
  return CUDA_OK;
}

static int do_symbol(session_t *s, call_t *k) {
  fat_t *f = module_of(s, k->q->a[0]);
  const char *name = text_of(s, 0);
  if (!f || !name) return CUDA_INVALID_HANDLE;
  if (!f->loaded) return useless(s, f);
  for (uint32_t i = 0; i < f->count; i++)
    if (ptx_symbol(s->program, (int)(f->first + i), name, &k->a.r[0], &k->a.r[1], NULL) == 0)
      return CUDA_OK;
  return ptx_symbol(s->program, -1, name, &k->a.r[0], &k->a.r[1], NULL) == 0 ? CUDA_OK
                                                                             : CUDA_INVALID_SYMBOL;
}

/* ---- memory */

static bool on_device(const devmem_alloc_t *a) {
  return a->tag == TAG(WIRE_DEVICE) || a->tag == TAG(WIRE_MANAGED);
}

static int do_alloc(session_t *s, call_t *k) {
  static const char *const names[] = {"cudaMalloc", "cudaMallocHost", "cudaMallocManaged"};
  uint64_t bytes = k->q->a[0], align = k->q->a[1], kind = k->q->a[2], va;
  if (kind > WIRE_MANAGED || !bytes || align > WIRE_MEMORY_BASE) return CUDA_INVALID_VALUE;
  bool device = kind != WIRE_PINNED;
  if (device && bytes > free_bytes(s)) return CUDA_NO_MEMORY;
  if (devmem_at(s->mem, MAX_ALLOCATIONS)) return CUDA_NO_MEMORY;
  int rc;
  if (k->q->a[3]) { /* cuMemMap: the program says where */
    va = k->q->a[3];
    if (kind != WIRE_DEVICE) return CUDA_INVALID_VALUE;
    rc = devmem_alloc_at(s->mem, va, bytes, "cuMemMap", NULL);
  } else if (kind == WIRE_DEVICE && bytes >= SPARSE_BYTES) {
    rc = devmem_alloc_sparse(s->mem, bytes, align, names[kind], NULL, &va, NULL);
  } else if (device) {
    rc = devmem_alloc(s->mem, bytes, align, names[kind], &va, NULL);
  } else {
    rc = devmem_alloc_host(s->mem, bytes, align, names[kind], &va, NULL);
  }
  if (rc < 0) return rc == GMMU_EINVAL ? CUDA_INVALID_VALUE : CUDA_NO_MEMORY;
  devmem_tag(s->mem, va, TAG(kind));
  if (device) s->device_bytes += bytes;
  command(k, device ? CMD_ALLOC : CMD_ALLOC_HOST, va, bytes);
  k->a.r[0] = va;
  return CUDA_OK;
}

static void release(session_t *s, const devmem_alloc_t *a, ptx_command_t *c) {
  if (on_device(a)) s->device_bytes -= a->bytes;
  *c = (ptx_command_t){.kind = CMD_FREE, .va = a->va};
  devmem_release(s->mem, a->va, NULL);
}

static int do_free(session_t *s, call_t *k) {
  const devmem_alloc_t *a = devmem_find(s->mem, k->q->a[0]);
  if (!a || a->va != k->q->a[0] || !a->tag || a->tag == TAG_REGISTERED) return CUDA_INVALID_VALUE;
  release(s, a, k->c);
  return CUDA_OK;
}

static int do_register(session_t *s, call_t *k) {
  uint64_t va = k->q->a[0], bytes = k->q->a[1];
  if (devmem_find(s->mem, va)) return CUDA_ALREADY_REGISTERED;
  if (devmem_at(s->mem, MAX_ALLOCATIONS)) return CUDA_NO_MEMORY;
  int rc = devmem_register(s->mem, va, bytes, "cudaHostRegister", &k->a.r[0], NULL);
  if (rc < 0) return rc == GMMU_EINVAL ? CUDA_INVALID_VALUE : CUDA_NO_MEMORY;
  devmem_tag(s->mem, va, TAG_REGISTERED);
  command(k, CMD_ALLOC_HOST, va, bytes);
  return CUDA_OK;
}

static int do_unregister(session_t *s, call_t *k) {
  const devmem_alloc_t *a = devmem_find(s->mem, k->q->a[0]);
  if (!a || a->va != k->q->a[0] || a->tag != TAG_REGISTERED) return CUDA_NOT_REGISTERED;
  release(s, a, k->c);
  return CUDA_OK;
}

/* The range is inside one allocation; for the host's side, memory of no concern to us is fine. */
static bool range_ok(const session_t *s, uint64_t va, uint64_t bytes, bool host_side) {
  const devmem_alloc_t *a = devmem_find(s->mem, va);
  if (a) return bytes <= a->bytes - (va - a->va);
  return host_side && va + bytes >= va && (va >= DEVMEM_LIMIT || va + bytes <= DEVMEM_BASE);
}

/* Zeroes cost nothing: the whole of a large allocation is filled here, and true is the answer. */
static bool fill_large(session_t *s, uint64_t va, uint8_t value, uint64_t bytes) {
  const devmem_alloc_t *a = devmem_find(s->mem, va);
  return a->sparse && !value && bytes == a->bytes && devmem_fill(s->mem, va, 0, bytes, NULL) == 0;
}

static int do_copy(session_t *s, call_t *k) {
  uint64_t to = k->q->a[0], from = k->q->a[1], bytes = k->q->a[2], kind = k->q->a[3];
  if (kind > WIRE_FILL) return CUDA_INVALID_VALUE;
  if (!bytes) return CUDA_OK;
  if (!range_ok(s, to, bytes, kind == WIRE_FROM_DEVICE)) return CUDA_INVALID_VALUE;
  if (kind != WIRE_FILL && !range_ok(s, from, bytes, kind == WIRE_TO_DEVICE))
    return CUDA_INVALID_VALUE;
  if (kind == WIRE_FILL)
    k->a.r[0] = fill_large(s, to, (uint8_t)from, bytes);
  else
    devmem_settle(s->mem, from, bytes, false);
  if (!k->a.r[0]) devmem_settle(s->mem, to, bytes, true);
  if (kind == WIRE_FROM_DEVICE)
    command(k, CMD_COPY_OUT, from, bytes);
  else
    command(k, CMD_COPY_IN, to, bytes);
  return CUDA_OK;
}

static void compute(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]) {
  const content_t *c = ctx;
  gmmu_content_granule(c->kind, c->seed, c->n, offset / DEVMEM_GRANULE, granule);
}

static int do_content(session_t *s, call_t *k) {
  const devmem_alloc_t *a = devmem_find(s->mem, k->q->a[0]);
  content_t c = {(uint32_t)k->q->a[1], k->q->a[2], k->q->a[3], s->contents};
  if (!a || a->va != k->q->a[0] || a->tag != TAG(WIRE_DEVICE) || k->q->a[1] != c.kind ||
      !gmmu_content_valid(c.kind, c.n))
    return CUDA_INVALID_VALUE;
  content_t *own = s->content_count < MAX_CONTENTS ? malloc(sizeof *own) : NULL;
  if (!own) return CUDA_NO_MEMORY;
  *own = c;
  s->contents = own, s->content_count++;
  const devmem_content_t content = {compute, own};
  return devmem_set_content(s->mem, a->va, &content, NULL) < 0 ? CUDA_INVALID_VALUE : CUDA_OK;
}

static int do_colours(session_t *s, call_t *k) {
  uint64_t colours = k->q->a[0];
  if (!colours || colours & ~s->spec->device.own_colours) return CUDA_INVALID_VALUE;
  command(k, CMD_COLOURS, colours, 0);
  return CUDA_OK;
}

/* What people call an array, or where it was allocated, from which its name may follow. */
static int do_name(session_t *s, call_t *k) {
  const devmem_alloc_t *a = devmem_find(s->mem, k->q->a[0]);
  const char *text = text_of(s, 0);
  if (!a || !text || k->q->a[2] > WIRE_CALLS) return CUDA_INVALID_VALUE;
  if (k->q->a[2] == WIRE_CALLED)
    snprintf(s->array_name, sizeof s->array_name, "%s", text);
  else if (!sites_name(&s->sites, text, s->array_name, sizeof s->array_name))
    return CUDA_OK;
  command(k, CMD_NAME, k->q->a[0], k->q->a[1]);
  k->c->name = s->array_name;
  return CUDA_OK;
}

static int do_range(session_t *s, call_t *k) {
  const devmem_alloc_t *a = devmem_find(s->mem, k->q->a[0]);
  if (!a) return CUDA_INVALID_VALUE;
  k->a.r[0] = a->va, k->a.r[1] = a->bytes;
  k->a.r[2] = a->tag == TAG_REGISTERED ? WIRE_PINNED : a->tag ? a->tag - 1u : WIRE_DEVICE;
  return CUDA_OK;
}

static int do_meminfo(session_t *s, call_t *k) {
  k->a.r[0] = free_bytes(s), k->a.r[1] = s->spec->device.global_bytes;
  return CUDA_OK;
}

/* ---- launches */

static int fits_device(const wire_device_t *d, const ptx_kernel_info_t *i, const wire_launch_t *l) {
  uint64_t shared = (uint64_t)i->shared_bytes + l->dynamic_shared_bytes;
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  uint64_t most = d->shared_per_block_optin > d->shared_per_block ? d->shared_per_block_optin
                                                                  : d->shared_per_block;
  if (most && shared > most) return CUDA_INVALID_VALUE;
  if (d->threads_per_block && threads > d->threads_per_block) return CUDA_INVALID_CONFIGURATION;
  return CUDA_OK;
}

/* What the launch waits for; false: it cannot be. */
static bool get_order(session_t *s, const wire_launch_t *l, ptx_launch_t *to) {
  if (l->overlaps > 1 || l->afters > WIRE_MAX_AFTER) return false;
  for (uint32_t i = 0; i < l->afters; i++)
    if (l->after[i] >= s->launches) return false;
  memcpy(s->after, l->after, sizeof s->after);
  to->overlaps = l->overlaps, to->stream = (uint32_t)l->stream;
  to->after = s->after, to->afters = l->afters;
  return true;
}

static int do_launch(session_t *s, call_t *k) {
  wire_launch_t l;
  memcpy(&l, s->payload, sizeof l);
  if (l.kernel >= s->knowns) return CUDA_INVALID_FUNCTION;
  const ptx_kernel_t *kernel = s->known[l.kernel].kernel;
  const ptx_kernel_info_t *info = ptx_kernel_info(kernel);
  if (s->payload_bytes - sizeof l != info->param_bytes) return CUDA_INVALID_VALUE;
  ptx_command_t c = {.kind = CMD_LAUNCH, .kernel = kernel};
  memcpy(c.launch.grid, l.grid, sizeof l.grid), memcpy(c.launch.block, l.block, sizeof l.block);
  c.launch.dynamic_shared_bytes = l.dynamic_shared_bytes;
  c.launch.params = s->payload + sizeof l;
  if (!get_order(s, &l, &c.launch)) return CUDA_INVALID_VALUE;
  if (ptx_launch_check(kernel, &c.launch, NULL) < 0) return CUDA_INVALID_CONFIGURATION;
  int error = fits_device(&s->spec->device, info, &l);
  if (error) return error;
  *k->c = c;
  s->waiting = WAIT_LAUNCH;
  s->launches++;
  s->placed |= info->reads_place;
  strbuf_clear(&s->printed);
  return CUDA_OK;
}

/* ---- the rest */

static int texture_error(int rc) { return rc < 0 ? CUDA_INVALID_TEXTURE : CUDA_OK; }

static int do_texture_new(session_t *s, call_t *k) {
  ptx_texture_t t;
  memcpy(&t, s->payload, sizeof t);
  return texture_error(ptx_texture_new(s->program, &t, &k->a.r[0], NULL));
}

static int do_texture_free(session_t *s, call_t *k) {
  return texture_error(ptx_texture_free(s->program, k->q->a[0], NULL));
}

static int do_texture_bind(session_t *s, call_t *k) {
  fat_t *f = module_of(s, k->q->a[0]);
  const char *name = text_of(s, sizeof(ptx_texture_t));
  ptx_texture_t t;
  if (!f || !name) return CUDA_INVALID_HANDLE;
  if (!f->loaded) return useless(s, f);
  memcpy(&t, s->payload, sizeof t);
  return texture_error(
      ptx_texture_bind(s->program, (int)f->first, name, k->q->a[1] ? &t : NULL, NULL));
}

__extension__ typedef unsigned __int128 wide_t;

static int do_time(session_t *s, call_t *k) {
  uint32_t khz = s->spec->device.core_khz ? s->spec->device.core_khz : 1000000;
  s->timed = true;
  k->a.r[0] = (uint64_t)((wide_t)(s->now - s->start) * 1000000 / khz);
  return CUDA_OK;
}

static int do_reset(session_t *s, call_t *k) {
  (void)k;
  s->waiting = WAIT_RESET, s->reset_at = 0;
  return CUDA_OK;
}

/* Told to the user when the program has ended: where it says so itself, what follows would cover
 * it. */
static int do_absent(session_t *s, call_t *k) {
  const char *name = text_of(s, 0);
  size_t used = strlen(s->absent);
  (void)k;
  if (name) snprintf(s->absent + used, sizeof s->absent - used, "%s%s", used ? ", " : "", name);
  return CUDA_OK;
}

typedef struct {
  uint32_t min, max; /* bytes of payload */
  int (*run)(session_t *s, call_t *k);
} op_t;

static const op_t ops[WIRE_OPS] = {
    [WIRE_HELLO] = {0, 0, do_hello},
    [WIRE_LOAD] = {0, WIRE_MAX_PAYLOAD, do_load},
    [WIRE_UNLOAD] = {0, 0, do_unload},
    [WIRE_KERNEL] = {1, WIRE_MAX_PAYLOAD, do_kernel},
    [WIRE_SYMBOL] = {1, WIRE_MAX_PAYLOAD, do_symbol},
    [WIRE_ALLOC] = {0, 0, do_alloc},
    [WIRE_FREE] = {0, 0, do_free},
    [WIRE_REGISTER] = {0, 0, do_register},
    [WIRE_UNREGISTER] = {0, 0, do_unregister},
    [WIRE_COPY] = {0, 0, do_copy},
    [WIRE_CONTENT] = {0, 0, do_content},
    [WIRE_LAUNCH] = {sizeof(wire_launch_t), sizeof(wire_launch_t) + MAX_PARAM_BYTES, do_launch},
    [WIRE_TEXTURE_NEW] = {sizeof(ptx_texture_t), sizeof(ptx_texture_t), do_texture_new},
    [WIRE_TEXTURE_FREE] = {0, 0, do_texture_free},
    [WIRE_TEXTURE_BIND] = {sizeof(ptx_texture_t) + 1, sizeof(ptx_texture_t) + WIRE_MAX_PAYLOAD,
                           do_texture_bind},
    [WIRE_TIME] = {0, 0, do_time},
    [WIRE_RANGE] = {0, 0, do_range},
    [WIRE_MEMINFO] = {0, 0, do_meminfo},
    [WIRE_COLOURS] = {0, 0, do_colours},
    [WIRE_RESET] = {0, 0, do_reset},
    [WIRE_NAME] = {1, MAX_CALLS, do_name},
    [WIRE_ABSENT] = {1, MAX_ABSENT, do_absent},
};

/* ---- the conversation ------------------------------------------------------------------------ */

/* The program is ended, and nothing of it is believed any more. */
static int give_up(session_t *s, int rc, const err_t *why) {
  s->broken = *why;
  child_end(s->child, 0);
  s->ended = true;
  return rc;
}

/* Nobody is there to finish the request or to hear the answer. */
static int broke_off(session_t *s, err_t *e) {
  const char *when =
      s->waiting == WAIT_LAUNCH ? "while its kernel ran" : "in the middle of a request";
  int status = child_end(s->child, PATIENCE_MS);
  if (status < 0) return err_set(e, GMMU_EINVAL, "%.200s broke off %s", s->spec->argv[0], when);
  return err_set(e, GMMU_EINVAL, "%.200s ended with status %d %s", s->spec->argv[0], status, when);
}

int session_check(session_t *s, err_t *e) {
  err_t why = {0};
  if (s->waiting != WAIT_LAUNCH || s->broken.code || !child_gone(s->child)) return s->broken.code;
  int rc = give_up(s, broke_off(s, &why), &why);
  if (e) *e = why;
  return rc;
}

static int nonsense(const session_t *s, err_t *e, const char *fmt, uint64_t a, uint64_t b) {
  char text[120];
  snprintf(text, sizeof text, fmt, a, b);
  return err_set(e, GMMU_EFORMAT, "%.200s: what came from its runtime makes no sense: %s",
                 s->spec->argv[0], text);
}

/* Room grows as the bytes come: a false size costs nothing. */
static int read_payload(session_t *s, size_t bytes, err_t *e) {
  size_t have = 0;
  while (have < bytes || !s->payload_room) {
    if (have + 1 >= s->payload_room) {
      size_t room = s->payload_room ? 2 * s->payload_room : 65536;
      uint8_t *p = realloc(s->payload, room);
      if (!p) return err_set(e, GMMU_ENOMEM, "no memory for a request of %zu bytes", bytes);
      s->payload = p, s->payload_room = room;
    }
    size_t n = s->payload_room - 1 - have;
    if (n > bytes - have) n = bytes - have;
    int rc = n ? child_read(s->child, s->payload + have, n, true, e) : 1;
    if (rc != 1) return rc;
    have += n;
  }
  s->payload_bytes = bytes;
  return 1;
}

/* The next request with its payload: 1, 0 at the end, CHILD_CUT or a negative code. */
static int read_request(session_t *s, wire_request_t *q, err_t *e) {
  int rc = child_read(s->child, q, sizeof *q, false, e);
  if (rc != 1) return rc;
  if (q->op >= WIRE_OPS) return nonsense(s, e, "request number %" PRIu64 "%.0" PRIu64, q->op, 0);
  if (q->bytes < ops[q->op].min || q->bytes > ops[q->op].max)
    return nonsense(s, e, "%" PRIu64 " bytes with request number %" PRIu64, q->bytes, q->op);
  return read_payload(s, q->bytes, e);
}

static int answer(session_t *s, wire_answer_t *a, const void *payload, err_t *e) {
  if (s->sticky) a->error = s->sticky;
  if (a->error && !s->printed.size) a->bytes = 0;
  int rc = child_write(s->child, a, sizeof *a, e);
  return rc == 1 && a->bytes ? child_write(s->child, payload, a->bytes, e) : rc;
}

static int answer_launch(session_t *s, err_t *e) {
  wire_answer_t a = {.bytes = (uint32_t)s->printed.size, .r = {s->launches - 1}};
  int rc = answer(s, &a, s->printed.buf, e);
  strbuf_clear(&s->printed);
  if (rc == 1) s->waiting = WAIT_NONE;
  return rc;
}

/* What kernels and the program have allocated, from the last on: nothing behind it moves. */
static void drop_all(session_t *s) {
  const devmem_alloc_t *a;
  uint32_t i = 0;
  while (devmem_at(s->mem, i)) i++;
  while (i-- > 0) {
    a = devmem_at(s->mem, i);
    if (a->tag || (a->va >= DEVMEM_HEAP && a->va < DEVMEM_LIMIT))
      devmem_release(s->mem, a->va, NULL);
  }
  s->device_bytes = 0;
}

/* One CMD_FREE per call, by address; after the last the modules start anew and the program goes
 * on. */
static int go_on_reset(session_t *s, ptx_command_t *c, err_t *e) {
  const devmem_alloc_t *a;
  while ((a = devmem_at(s->mem, s->reset_at)) != NULL && !a->tag) s->reset_at++;
  if (a) {
    *c = (ptx_command_t){.kind = CMD_FREE, .va = a->va};
    s->reset_at++;
    return 1;
  }
  wire_answer_t ok = {0};
  drop_all(s);
  s->waiting = WAIT_NONE, s->sticky = 0;
  int rc = ptx_reset(s->program, e);
  return rc < 0 ? rc : answer(s, &ok, NULL, e);
}

static int serve(session_t *s, ptx_command_t *c, err_t *e) {
  wire_request_t q;
  int rc = read_request(s, &q, e);
  if (rc != 1) return rc;
  if (!s->greeted && q.op != WIRE_HELLO)
    return nonsense(s, e, "request number %" PRIu64 " before the greeting%.0" PRIu64, q.op, 0);
  call_t k = {.q = &q, .c = c};
  if (!s->sticky || q.op == WIRE_RESET) k.a.error = ops[q.op].run(s, &k);
  return s->waiting ? 1 : answer(s, &k.a, k.payload, e);
}

static int end_of_program(session_t *s, ptx_command_t *c, err_t *e) {
  int rc = child_wait(s->child, &s->status, e);
  if (rc < 0) return rc;
  s->ended = true;
  *c = (ptx_command_t){.kind = CMD_END};
  if (s->greeted) return GMMU_OK;
  char why[240];
  if (s->status && nvidia_lacks(s->spec->argv[0], s->spec->library_dir, why, sizeof why))
    return err_set(e, GMMU_EINVAL, "%.100s ended with status %d: %s", s->spec->argv[0], s->status,
                   why);
  if (s->status)
    return err_set(e, GMMU_EINVAL, "%.200s ended with status %d before it called CUDA",
                   s->spec->argv[0], s->status);
  return err_set(e, GMMU_EINVAL,
                 "%.200s ended without calling CUDA (is it linked to the shared "
                 "libcudart?)",
                 s->spec->argv[0]);
}

/* Until there is a command (1) or the program ends (0), CHILD_CUT or a negative code. */
static int converse(session_t *s, ptx_command_t *c, err_t *e) {
  int rc = s->waiting == WAIT_LAUNCH ? answer_launch(s, e) : 1;
  while (rc == 1 && c->kind == NO_COMMAND)
    rc = s->waiting == WAIT_RESET ? go_on_reset(s, c, e) : serve(s, c, e);
  return rc;
}

int session_next(void *session, uint64_t now, ptx_command_t *c, err_t *e) {
  session_t *s = session;
  err_t why = {0};
  if (!s->started) s->start = now, s->started = true;
  s->now = now;
  *c = (ptx_command_t){.kind = NO_COMMAND};
  int rc = s->broken.code ? s->broken.code : converse(s, c, &why);
  if (rc == CHILD_CUT) rc = broke_off(s, &why);
  if (rc == 0) rc = end_of_program(s, c, &why);
  if (rc < 0 && !s->broken.code) give_up(s, rc, &why);
  if (rc < 0 && e) *e = s->broken;
  return rc < 0 ? rc : GMMU_OK;
}
