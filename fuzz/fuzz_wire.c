/* A program on the wire that knows how to behave and goes wrong at any point. An input is a list of
 * steps: which request comes next, and, if its top bit is set, what is wrong with it: a field is
 * overwritten, the message is cut, followed by other bytes, or its sender is gone. The program runs
 * without timing, recorded, live without a machine and on a machine.
 *
 * Beyond not crashing: a failure has a code and a text; who was ended is not talked to any more;
 * what a program is told of memory is true. The child's end of src/host/child.h is played here, in
 * this process, so nothing depends on time. */
#include "gpu/gpu.h"
#include "host/child.h"
#include "host/host.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_STEPS 64u
#define MESSAGE    (16u << 10)
#define STOP_CALLS 4u /* after so many looks the user has had enough */

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n.const .align 4 .b8 table[64] = {1, 2, 3};\n"
    ".visible .global .align 8 .u64 pointer = counter;\n.global .texref old;\n"
    ".global .align 1 .b8 format[4] = {37, 100, 10, 0};\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".visible .entry twice(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r2, %r2, %r3, %r4; setp.ge.u32 %q, %r2, %r1; @%q bra DONE;\n"
    "mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, %r5; st.global.u32 [%d3], %r5;\nDONE: ret;\n}\n"
    ".visible .entry inc()\n{\n.reg .b32 %r<3>; .reg .b64 %d<3>;\n.shared .align 4 .b8 s[128];\n"
    "mov.u64 %d1, counter; atom.global.add.u32 %r1, [%d1], 1; ld.const.u32 %r2, [table];\n"
    "st.shared.u32 [s], %r2; bar.sync 0; ret;\n}\n"
    ".visible .entry say()\n{\n.local .align 8 .b8 b[8]; .reg .b32 %r<3>; .reg .b64 %d<5>;\n"
    "mov.u32 %r1, %tid.x; st.local.u32 [b], %r1; mov.u64 %d1, b; cvta.local.u64 %d1, %d1;\n"
    "mov.u64 %d2, format; {\n.param .b64 p0; .param .b64 p1; .param .b32 v;\n"
    "st.param.b64 [p0], %d2; st.param.b64 [p1], %d1; call.uni (v), vprintf, (p0, p1);\n}\n"
    "{\n.param .b64 n; .param .b64 v;\nst.param.b64 [n], 64; call.uni (v), malloc, (n);\n"
    "ld.param.b64 %d3, [v];\n}\nst.u32 [%d3], %r1; ret;\n}\n"
    ".visible .entry look(.param .u64 t)\n{\n.reg .b32 %r<7>; .reg .f32 %f<7>; .reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [t]; mov.u32 %r1, %tid.x;\n"
    "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d1, {%r1}]; cvt.rn.f32.s32 %f1, %r1;\n"
    "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [old, {%f1, %f1}]; ret;\n}\n"
    ".visible .entry count()\n{\n.reg .pred %q; .reg .b64 %d;\nmov.u64 %d, 0;\n"
    "LOOP: add.u64 %d, %d, 1; setp.ne.u64 %q, %d, 0; @%q bra LOOP;\nret;\n}\n";

static const char *const kernel_name[] = {"twice", "inc", "say", "look", "count", "nowhere"};
static const char *const variable_name[] = {"counter", "table", "pointer", "old", "nowhere"};
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- the program ----------------------------------------------------------------------------- */

typedef struct {
  const uint8_t *data; /* of the input */
  size_t size, at;
} input_t;

static uint64_t take(input_t *in, size_t bytes) {
  uint64_t v = 0;
  if (bytes > in->size - in->at) bytes = in->size - in->at;
  memcpy(&v, in->data + in->at, bytes);
  in->at += bytes;
  return v;
}

struct child {
  uint8_t message[MESSAGE]; /* on its way to gmmu: bytes [sent, bytes) */
  size_t bytes, sent;
  uint32_t steps, op; /* of the request that was sent last */
  bool spoilt, closed, gone, ended;
  uint8_t answer[sizeof(wire_answer_t) + sizeof(wire_kernel_t)]; /* the beginning of what came */
  size_t heard;
  uint64_t va, registered, texture, kernel[COUNT(kernel_name)], asked_kernel;
};

static input_t input; /* child_start() has no other way to it */

static void add(child_t *c, const void *p, size_t n) {
  if (n > MESSAGE - c->bytes) n = MESSAGE - c->bytes;
  if (n) memcpy(c->message + c->bytes, p, n);
  c->bytes += n;
}

static void request(child_t *c, uint32_t op, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
                    const void *payload, size_t bytes) {
  wire_request_t q = {op, (uint32_t)bytes, {a0, a1, a2, a3}};
  c->op = op;
  add(c, &q, sizeof q), add(c, payload, bytes);
}

static void put(uint8_t *p, uint64_t v, size_t bytes) { memcpy(p, &v, bytes); }

static void ask_load(child_t *c, uint64_t arg) {
  uint8_t b[80 + sizeof ptx] = {0};
  size_t size = sizeof ptx;
  if (arg & 1) size = 60; /* the beginning: variables missing, a text that ends early */
  put(b, 0xba55ed50, 4), put(b + 4, 1, 2), put(b + 6, 16, 2), put(b + 8, 64 + size, 8);
  put(b + 16, 1, 2), put(b + 18, 0x101, 2), put(b + 20, 64, 4), put(b + 24, size, 8);
  put(b + 44, 60, 4), memcpy(b + 80, ptx, size);
  request(c, WIRE_LOAD, 0, 0, 0, 0, b, 80 + size);
}

static void ask_launch(child_t *c, uint64_t arg) {
  struct {
    wire_launch_t l;
    uint8_t param[16];
  } m = {0};
  uint32_t k = (uint32_t)(arg % (COUNT(kernel_name) - 1));
  size_t bytes = k == 0 ? 12 : k == 3 ? 8 : 0; /* of parameters */
  m.l = (wire_launch_t){(uint32_t)c->kernel[k],
                        {1 + arg / 8 % 4, 1, 1},
                        {32, 1, 1},
                        0,
                        0,
                        arg >> 5 & 1,
                        arg >> 6 & 1,
                        {arg >> 7}};
  put(m.param, k == 3 ? c->texture : c->va, 8), put(m.param + 8, 64, 4);
  request(c, WIRE_LAUNCH, 0, 0, 0, 0, &m, sizeof m.l + bytes);
}

static void ask_texture(child_t *c, bool bind, uint64_t arg) {
  struct {
    ptx_texture_t t;
    char name[8];
  } m = {0};
  m.t = (ptx_texture_t){.va = c->va,
                        .width = 8,
                        .height = 1 + arg % 4,
                        .pitch_bytes = 64,
                        .channels = 1,
                        .channel_bits = 32,
                        .kind = arg / 4 % 3,
                        .address = {arg / 12 % 4, 1},
                        .normalized = arg / 48 % 2,
                        .depth = arg / 96 % 3,
                        .slice_bytes = 256,
                        .linear = arg / 288 % 2,
                        .surface = arg / 576 % 2};
  memcpy(m.name, "old", 4);
  if (bind)
    request(c, WIRE_TEXTURE_BIND, 0, arg % 8 != 7, 0, 0, &m, sizeof m.t + 4);
  else
    request(c, WIRE_TEXTURE_NEW, 0, 0, 0, 0, &m.t, sizeof m.t);
}

static void ask(child_t *c, uint32_t op, uint64_t arg) {
  const char *name;
  uint64_t other = 0x700000000000 + 65536 * (arg % 16);
  switch (op) {
  case WIRE_HELLO: request(c, op, WIRE_VERSION, 13, 0, 0, NULL, 0); break;
  case WIRE_LOAD: ask_load(c, arg); break;
  case WIRE_KERNEL:
    name = kernel_name[c->asked_kernel = arg % COUNT(kernel_name)];
    request(c, op, 0, 0, 0, 0, name, strlen(name) + 1);
    break;
  case WIRE_SYMBOL:
    name = variable_name[arg % COUNT(variable_name)];
    request(c, op, 0, 0, 0, 0, name, strlen(name) + 1);
    break;
  case WIRE_ALLOC: request(c, op, 256u << arg % 8, 0, arg / 8 % 3, 0, NULL, 0); break;
  case WIRE_REGISTER: request(c, op, other, 4096 * (1 + arg / 16), 0, 0, NULL, 0); break;
  case WIRE_UNREGISTER: request(c, op, c->registered, 0, 0, 0, NULL, 0); break;
  case WIRE_COPY: request(c, op, c->va, c->va, 64, arg % 4, NULL, 0); break;
  case WIRE_LAUNCH: ask_launch(c, arg); break;
  case WIRE_TEXTURE_NEW:
  case WIRE_TEXTURE_BIND: ask_texture(c, op == WIRE_TEXTURE_BIND, arg); break;
  case WIRE_TEXTURE_FREE: request(c, op, c->texture, 0, 0, 0, NULL, 0); break;
  case WIRE_COLOURS: request(c, op, 1 + arg % 3, 0, 0, 0, NULL, 0); break;
  case WIRE_ABSENT: request(c, op, 0, 0, 0, 0, "cudaGraphCreate", 15); break;
  default: request(c, op, c->va, 0, 0, 0, NULL, 0); break;
  }
}

/* What is wrong with the message that is ready. */
static void spoil(child_t *c) {
  uint64_t kind = take(&input, 1), where = take(&input, 2) % (c->bytes + 1),
           value = take(&input, 8);
  size_t width = (size_t)1 << kind % 4, room = c->bytes - where;
  c->spoilt = true;
  switch (kind / 4 % 8) {
  default: memcpy(c->message + where, &value, width < room ? width : room); break;
  case 4: c->bytes = where, c->closed = true; break; /* the end, inside of it or before */
  case 5: c->bytes = where; break;                   /* and the next begins */
  case 6:
    for (uint64_t n = value % 80; n > 0; n--) add(c, &value, 1);
    break;
  case 7: c->gone = true; break; /* nobody waits for the answer */
  }
}

static bool next_message(child_t *c) {
  if (c->closed || c->steps++ == MOST_STEPS || input.at == input.size) return false;
  uint64_t step = take(&input, 1), arg = take(&input, 1);
  c->bytes = c->sent = 0;
  ask(c, (uint32_t)(step & 0x7f) % WIRE_OPS, arg);
  if (step & 0x80) spoil(c);
  return true;
}

/* What a well-behaved program is told is true. */
static void check_answer(uint32_t op, const wire_answer_t *a) {
  bool ok = true;
  if (op == WIRE_ALLOC) ok = a->r[0] >= WIRE_MEMORY_BASE && a->r[0] % 256 == 0;
  if (op == WIRE_KERNEL) ok = a->bytes == sizeof(wire_kernel_t);
  if (op == WIRE_MEMINFO) ok = a->r[0] <= a->r[1];
  if (op == WIRE_REGISTER) ok = a->r[0] >= WIRE_MEMORY_BYTES;
  if (!ok) abort();
}

/* An answer is complete. */
static void hear(child_t *c, const wire_answer_t *a) {
  if (a->error) return;
  if (!c->spoilt) check_answer(c->op, a); /* else nobody knows what it answers */
  if (c->op == WIRE_ALLOC) c->va = a->r[0];
  if (c->op == WIRE_KERNEL) c->kernel[c->asked_kernel] = a->r[0];
  if (c->op == WIRE_TEXTURE_NEW) c->texture = a->r[0];
  if (c->op == WIRE_REGISTER) memcpy(&c->registered, c->message + 8, 8);
}

/* ---- src/host/child.h ------------------------------------------------------------------------ */

int child_start(const child_spec_t *spec, child_t **out, err_t *e) {
  (void)spec;
  *out = calloc(1, sizeof **out);
  return *out ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}
void child_free(child_t *c) { free(c); }
int child_end(child_t *c, uint32_t patience_ms) {
  (void)patience_ms;
  c->ended = true;
  return 0;
}
bool child_gone(child_t *c) { return c->gone; }
int child_wait(child_t *c, int *status, err_t *e) {
  (void)e, (void)c;
  *status = 0;
  return GMMU_OK;
}

int child_read(child_t *c, void *to, size_t size, bool begun, err_t *e) {
  (void)e;
  if (c->ended || !size) abort();
  for (size_t done = 0; done < size;) {
    if (c->sent == c->bytes && !next_message(c)) return begun || done ? CHILD_CUT : 0;
    size_t n = c->bytes - c->sent < size - done ? c->bytes - c->sent : size - done;
    memcpy((uint8_t *)to + done, c->message + c->sent, n);
    c->sent += n, done += n;
  }
  return 1;
}

int child_write(child_t *c, const void *from, size_t size, err_t *e) {
  wire_answer_t a;
  (void)e;
  if (c->ended) abort();
  if (c->gone) return CHILD_CUT;
  for (size_t i = 0; i < size; i++, c->heard++)
    if (c->heard < sizeof c->answer) c->answer[c->heard] = ((const uint8_t *)from)[i];
  memcpy(&a, c->answer, sizeof a);
  if (c->heard < sizeof a || c->heard < sizeof a + a.bytes) return 1;
  if (c->heard != sizeof a + a.bytes || a.error < 0) abort();
  c->heard = 0;
  hear(c, &a);
  return 1;
}

/* ---- the ways to run it ---------------------------------------------------------------------- */

static bool enough(void *calls) { return ++*(uint32_t *)calls > STOP_CALLS; }

static void check_error(const err_t *e, int rc) {
  if (rc < 0 && (e->code != rc || !e->text[0])) abort();
}

static void without_timing(const host_spec_t *spec, const char *record) {
  host_run_t r;
  err_t e = {0};
  int rc = host_run(spec, record, &r, &e);
  check_error(&e, rc);
  host_run_fini(&r);
  if (!record || rc < 0) return;
  if (gmt_verify(record, &e) < 0) abort();
  unlink(record);
}

static void finish(source_t *s, int rc) {
  err_t e = {0};
  host_end_t end;
  if (rc < 0) check_error(&e, host_source_finish(s, rc, &e));
  host_source_end(s, &end);
  s->ops->free(s);
}

static void live(const host_spec_t *spec) {
  source_t *s;
  err_t e = {0};
  if (host_source_new(spec, &s, &e) < 0 || s->ops->bind(s, 128, 64, &e) < 0 ||
      s->ops->rewind(s, &e) < 0)
    abort();
  int rc = gmt_drain(s, 20000, NULL, &e);
  check_error(&e, rc);
  if (rc == GMMU_ESTUCK) rc = host_source_check(s, &e), check_error(&e, rc);
  finish(s, rc);
}

static void on_a_machine(const host_spec_t *spec) {
  static const char *const set[][2] = {{"gpu.sms", "2"}, {"mem.bytes", "256M"}};
  gpu_spec_t g;
  gpu_t *gpu = NULL;
  err_t e = {0};
  app_spec_t app = {.name = "program", .once = true};
  gpu_limits_t limits = {.cycles = 3000};
  gpu_spec_init(&g);
  if (gpu_spec_load(&g, "gpu", "maxwell", &e) < 0) abort();
  for (size_t i = 0; i < COUNT(set); i++)
    if (gpu_spec_set(&g, set[i][0], set[i][1], &e) < 0) abort();
  g.run.check = true;
  if (host_source_new(spec, &app.source, &e) < 0 || gpu_new(&g, &app, 1, &gpu, &e) < 0) abort();
  int rc = 0;
  for (uint64_t until = 500; rc == 0; until += 500) {
    rc = gpu_run(gpu, &limits, until, &e);
    if (rc == 0) rc = host_source_check(app.source, &e);
  }
  check_error(&e, rc);
  gpu_settle(gpu);
  if (rc > 0 && gpu_check(gpu, &e) < 0) abort();
  gpu_free(gpu);
  finish(app.source, rc);
}

static void note(void *ctx, const err_t *e) {
  (void)ctx;
  check_error(e, e->code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char *argv[] = {(char *)(uintptr_t) "program", NULL};
  uint32_t calls = 0;
  char path[64];
  host_spec_t spec = {.argv = argv, .out_fd = -1, .stop = enough, .stop_ctx = &calls, .note = note};
  spec.device = (wire_device_t){.global_bytes = 64 << 20,
                                .const_bytes = 65536,
                                .sms = 2,
                                .major = 6,
                                .shared_per_block = 49152,
                                .threads_per_block = 1024,
                                .core_khz = 1000000,
                                .regs_per_sm = 65536,
                                .colours = 4,
                                .own_colours = 3};
  input = (input_t){data, size, 0};
  snprintf(path, sizeof path, "/tmp/fuzz_wire-%ld.gmt", (long)getpid());
  switch (take(&input, 1) % 4) {
  case 0: without_timing(&spec, NULL); break;
  case 1: without_timing(&spec, path); break;
  case 2: live(&spec); break;
  default: on_a_machine(&spec); break;
  }
  return 0;
}
