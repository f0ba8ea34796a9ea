/* Allocations are a table in address order; nothing is ever reused. */
#define _GNU_SOURCE /* memfd_create */
#include "double.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_ALLOCS = 256, SYMBOL_BYTES = 64 };

typedef struct {
  int fd;
  double_mood_t mood;
  double_log_t log;
  struct {
    uint64_t va, bytes, kind;
    bool live;
  } alloc[MAX_ALLOCS];
  unsigned allocs;
  uint64_t top, time_ns, modules, textures;
  int sticky;
  unsigned char payload[1 << 20];
} double_t;

static void must(bool holds) {
  if (!holds) abort();
}

static double_t the_double = {.top = WIRE_MEMORY_BASE + (1 << 20)};

static int find(const double_t *d, uint64_t va) {
  for (unsigned i = 0; i < d->allocs; i++)
    if (d->alloc[i].live && va - d->alloc[i].va < d->alloc[i].bytes) return (int)i;
  return -1;
}

static uint64_t add(double_t *d, uint64_t va, uint64_t bytes, uint64_t kind) {
  must(d->allocs < MAX_ALLOCS);
  d->alloc[d->allocs].va = va, d->alloc[d->allocs].bytes = bytes;
  d->alloc[d->allocs].kind = kind, d->alloc[d->allocs++].live = true;
  return va;
}

static uint64_t bump(double_t *d, uint64_t bytes) {
  uint64_t va = d->top;
  d->top += (bytes + 8191) / 4096 * 4096; /* a gap after each */
  return va;
}

static bool inside(const double_t *d, uint64_t va, uint64_t bytes) {
  int i = find(d, va);
  return i >= 0 && bytes <= d->alloc[i].bytes - (va - d->alloc[i].va);
}

static const wire_device_t device = {.name = "double",
                                     .global_bytes = 1u << 30,
                                     .l2_bytes = 1 << 20,
                                     .const_bytes = 65536,
                                     .shared_per_block = 49152,
                                     .shared_per_block_optin = 98304,
                                     .shared_per_sm = 98304,
                                     .sms = 4,
                                     .warp_lanes = 32,
                                     .major = 7,
                                     .minor = 0,
                                     .threads_per_block = 1024,
                                     .threads_per_sm = 2048,
                                     .blocks_per_sm = 32,
                                     .regs_per_block = 65536,
                                     .regs_per_sm = 65536,
                                     .core_khz = 1000000,
                                     .memory_khz = 850000,
                                     .colours = 4,
                                     .own_colours = 0x6,
                                     .memory_bus_bits = 3072};

/* Two parameters with a hole between them. */
static const wire_kernel_t kernel = {.regs_per_thread = 32,
                                     .shared_bytes = 1024,
                                     .max_threads = 512,
                                     .ptx_version = 70,
                                     .params = 2,
                                     .param_bytes = 16,
                                     .param = {{0, 4}, {8, 8}}};

static int allocate(double_t *d, const wire_request_t *q, wire_answer_t *a) {
  if (q->a[0] > device.global_bytes) return 2;
  a->r[0] = add(d, bump(d, q->a[0]), q->a[0], q->a[2]);
  return 0;
}

static int release(double_t *d, uint64_t va) {
  int i = find(d, va);
  if (i < 0 || d->alloc[i].va != va) return 1;
  d->alloc[i].live = false;
  return 0;
}

static int range(const double_t *d, uint64_t va, wire_answer_t *a) {
  int i = find(d, va);
  if (i < 0) return 1;
  a->r[0] = d->alloc[i].va, a->r[1] = d->alloc[i].bytes, a->r[2] = d->alloc[i].kind;
  return 0;
}

static int copy(const double_t *d, const wire_request_t *q) {
  bool to = q->a[3] != WIRE_FROM_DEVICE,
       from = q->a[3] == WIRE_FROM_DEVICE || q->a[3] == WIRE_ON_DEVICE;
  return (to && !inside(d, q->a[0], q->a[2])) || (from && !inside(d, q->a[1], q->a[2]));
}

static int launch(double_t *d, const wire_request_t *q, wire_answer_t *a, const char **out) {
  memcpy(&d->log.launch, d->payload, sizeof d->log.launch);
  memcpy(d->log.params, d->payload + sizeof d->log.launch, q->bytes - sizeof d->log.launch);
  d->time_ns += 1500000;
  a->r[0] = ++d->log.number;
  *out = "from the kernel\n", a->bytes = 16;
  d->sticky = d->log.fail_launch;
  return d->sticky;
}

static void keep_name(double_t *d, size_t from, size_t bytes) {
  snprintf(d->log.name, sizeof d->log.name, "%.*s", (int)(bytes - from), d->payload + from);
}

/* Names that begin with "no" are not there. */
static int lookup(double_t *d, const wire_request_t *q, int error) {
  keep_name(d, 0, q->bytes);
  return strncmp(d->log.name, "no", 2) ? 0 : error;
}

static int symbol(double_t *d, const wire_request_t *q, wire_answer_t *a) {
  static uint64_t va;
  if (lookup(d, q, 13)) return 13;
  if (!va) va = add(d, bump(d, SYMBOL_BYTES), SYMBOL_BYTES, WIRE_DEVICE);
  a->r[0] = va, a->r[1] = SYMBOL_BYTES;
  return 0;
}

static int reset(double_t *d) {
  d->sticky = d->log.fail_launch = 0;
  for (unsigned i = 0; i < d->allocs; i++)
    if (d->alloc[i].bytes != SYMBOL_BYTES) d->alloc[i].live = false;
  return 0;
}

static int bind_texture(double_t *d, const wire_request_t *q) {
  size_t texture = q->bytes - strlen("_tex");
  memcpy(d->log.texture, d->payload, texture < 64 ? texture : 64);
  keep_name(d, texture, q->bytes);
  return 0;
}

static int serve(double_t *d, const wire_request_t *q, wire_answer_t *a, const void **out) {
  if (q->op == WIRE_RESET) return reset(d);
  if (d->sticky) return d->sticky;
  switch (q->op) {
  case WIRE_HELLO: *out = &device, a->bytes = sizeof device; return q->a[0] != WIRE_VERSION;
  case WIRE_LOAD: a->r[0] = d->modules++; return 0;
  case WIRE_KERNEL: *out = &kernel, a->bytes = sizeof kernel, a->r[0] = 7; return lookup(d, q, 98);
  case WIRE_SYMBOL: return symbol(d, q, a);
  case WIRE_ALLOC: return allocate(d, q, a);
  case WIRE_UNREGISTER:
  case WIRE_FREE: return release(d, q->a[0]);
  case WIRE_REGISTER:
    a->r[0] = bump(d, q->a[1]) - WIRE_MEMORY_BASE;
    return add(d, q->a[0], q->a[1], WIRE_PINNED) == 0;
  case WIRE_COPY: return copy(d, q);
  case WIRE_LAUNCH: return launch(d, q, a, (const char **)out);
  case WIRE_TEXTURE_NEW:
    memcpy(d->log.texture, d->payload, q->bytes < 64 ? q->bytes : 64);
    a->r[0] = 0x1000 + d->textures++;
    return 0;
  case WIRE_TEXTURE_BIND: return bind_texture(d, q);
  case WIRE_TIME: a->r[0] = d->time_ns; return 0;
  case WIRE_RANGE: return range(d, q->a[0], a);
  case WIRE_COLOURS: return q->a[0] == 4 ? 0 : 1;
  case WIRE_MEMINFO: a->r[0] = 1000, a->r[1] = 2000; return 0;
  default: return 0;
  }
}

static bool take(int fd, void *to, size_t bytes) {
  return bytes == 0 || recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static void put(int fd, const void *from, size_t bytes) {
  if (bytes) must(send(fd, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

/* After the greeting a double that is not honest shows what it is. */
static bool misbehave(const double_t *d, wire_answer_t *a) {
  if (d->mood == DOUBLE_SHORT_HELLO) a->bytes = 8;
  if (!d->log.count[WIRE_ALLOC]) return false;
  if (d->mood == DOUBLE_HUGE) a->bytes = 0xffffffffu;
  if (d->mood == DOUBLE_CUT) a->bytes = 100;
  return d->mood == DOUBLE_CLOSES;
}

static void *run(void *arg) {
  double_t *d = arg;
  wire_request_t q;
  while (take(d->fd, &q, sizeof q) && q.bytes <= sizeof d->payload &&
         take(d->fd, d->payload, q.bytes)) {
    wire_answer_t a = {0};
    const void *out = NULL;
    a.error = serve(d, &q, &a, &out);
    if (q.op < WIRE_OPS) d->log.last[q.op] = q, d->log.count[q.op]++;
    if (misbehave(d, &a)) break;
    put(d->fd, &a, sizeof a);
    if (d->mood == DOUBLE_CUT && !out) break;
    if (out) put(d->fd, out, a.bytes);
  }
  close(d->fd);
  return NULL;
}

double_log_t *double_start(double_mood_t mood) {
  int pair[2], memory = memfd_create("double", 0);
  char env[64];
  pthread_t thread;
  must(memory >= 0 && ftruncate(memory, WIRE_MEMORY_BYTES) == 0);
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  snprintf(env, sizeof env, "%d,%d", pair[0], memory);
  setenv(WIRE_ENV, env, 1);
  the_double.fd = pair[1], the_double.mood = mood;
  must(pthread_create(&thread, NULL, run, &the_double) == 0);
  pthread_detach(thread);
  return &the_double.log;
}
