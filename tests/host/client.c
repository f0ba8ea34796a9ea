/* A program that speaks the wire protocol with its own hands: client SCENARIO. Stands in for
 * libcudart, and does what no libcudart would. Exit status 0: everything was answered as it should
 * be. */
#include "gmmu/wire.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 1000u
#define CHECK(what)                                                                                \
  if (!(what)) return fprintf(stderr, "client: line %d: %s\n", __LINE__, #what), 1

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".global .align 4 .u32 counter = 7;\n"
    ".visible .entry twice(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r2, %r2, %r3, %r4; setp.ge.u32 %q, %r2, %r1; @%q bra DONE;\n"
    "mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, %r5; st.global.u32 [%d3], %r5;\nDONE: ret;\n}\n"
    ".visible .entry count()\n{\n.reg .pred %q; .reg .b64 %d;\nmov.u64 %d, 0;\n"
    "LOOP: add.u64 %d, %d, 1; setp.ne.u64 %q, %d, 0; @%q bra LOOP;\nret;\n}\n";

static int line_fd, memory_fd;
static wire_answer_t a;
static wire_kernel_t kernel;
static uint8_t got[1 << 16];

static bool transfer(bool in, void *p, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t k =
        in ? read(line_fd, (char *)p + done, n - done) : write(line_fd, (char *)p + done, n - done);
    if (k <= 0) return false;
    done += (size_t)k;
  }
  return true;
}

/* The answer's error, -1 if nobody answers. */
static int ask(uint32_t op, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, const void *payload,
               size_t bytes) {
  wire_request_t q = {op, (uint32_t)bytes, {a0, a1, a2, a3}};
  if (!transfer(false, &q, sizeof q) || !transfer(false, (void *)(uintptr_t)payload, bytes) ||
      !transfer(true, &a, sizeof a) || a.bytes > sizeof got || !transfer(true, got, a.bytes))
    return -1;
  return a.error;
}
static int simple(uint32_t op, uint64_t a0, uint64_t a1, uint64_t a2) {
  return ask(op, a0, a1, a2, 0, NULL, 0);
}

static void put(uint8_t *p, uint64_t v, size_t bytes) { memcpy(p, &v, bytes); }

static int load_text(const char *text) {
  static uint8_t b[16 + 64 + 4096];
  size_t size = strlen(text) + 1;
  put(b, 0xba55ed50, 4), put(b + 4, 1, 2), put(b + 6, 16, 2), put(b + 8, 64 + size, 8);
  put(b + 16, 1, 2), put(b + 18, 0x101, 2), put(b + 20, 64, 4), put(b + 24, size, 8);
  put(b + 44, 60, 4), memcpy(b + 80, text, size);
  return ask(WIRE_LOAD, 0, 0, 0, 0, b, 80 + size);
}
static int load(void) { return load_text(ptx); }

static int find(const char *name) {
  int error = ask(WIRE_KERNEL, 0, 0, 0, 0, name, strlen(name) + 1);
  if (!error) memcpy(&kernel, got, sizeof kernel);
  return error;
}

static int launch(uint32_t number, uint32_t blocks, uint32_t threads, uint64_t va, uint32_t n) {
  uint8_t b[sizeof(wire_launch_t) + 12];
  wire_launch_t l = {number, {blocks, 1, 1}, {threads, 1, 1}, 0, 0, 0, 0, {0}};
  memcpy(b, &l, sizeof l), put(b + sizeof l, va, 8), put(b + sizeof l + 8, n, 4);
  return ask(WIRE_LAUNCH, 0, 0, 0, 0, b, sizeof l + kernel.param_bytes);
}

static int begin(void) {
  int error = simple(WIRE_HELLO, WIRE_VERSION, 13, 0);
  return error ? error : a.bytes == sizeof(wire_device_t) ? load() : -2;
}

static int work(void) {
  void *want = (void *)(uintptr_t)WIRE_MEMORY_BASE;
  CHECK(mmap(want, WIRE_MEMORY_BYTES, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory_fd, 0) == want);
  CHECK(begin() == 0 && find("twice") == 0);
  CHECK(kernel.params == 2 && kernel.param[1].offset == 8 && kernel.param_bytes == 12);
  uint64_t number = a.r[0];
  CHECK(simple(WIRE_ALLOC, 4 * N, 0, WIRE_DEVICE) == 0);
  uint64_t va = a.r[0];
  uint32_t *p = (uint32_t *)(uintptr_t)va;
  CHECK(ask(WIRE_COPY, va, (uintptr_t)p, 4 * N, WIRE_TO_DEVICE, NULL, 0) == 0);
  for (uint32_t i = 0; i < N; i++) p[i] = i;
  CHECK(launch((uint32_t)number, 4, 256, va, N) == 0);
  for (uint32_t i = 0; i < N; i++) CHECK(p[i] == 2 * i);
  CHECK(simple(WIRE_RANGE, va + 5, 0, 0) == 0 && a.r[0] == va && a.r[1] == 4 * N);
  CHECK(simple(WIRE_FREE, va, 0, 0) == 0 && simple(WIRE_FREE, va, 0, 0) == 1);
  puts("worked");
  return 0;
}

/* What is wrong but not mad gets an error, and the conversation goes on. */
static int wrong(void) {
  CHECK(begin() == 0 && find("twice") == 0);
  CHECK(find("thrice") == 98);
  CHECK(launch(77, 1, 32, 0, 0) == 98 && launch(0, 1, 2000, 0, 0) == 9);
  CHECK(launch(0, 0, 32, 0, 0) == 9);
  CHECK(ask(WIRE_LAUNCH, 0, 0, 0, 0, got, sizeof(wire_launch_t)) != 0);
  CHECK(simple(WIRE_ALLOC, (uint64_t)1 << 50, 0, 0) == 2 && simple(WIRE_ALLOC, 4, 0, 9) == 1);
  CHECK(simple(WIRE_FREE, 12345, 0, 0) == 1 && simple(WIRE_UNLOAD, 5, 0, 0) == 400);
  CHECK(simple(WIRE_REGISTER, WIRE_MEMORY_BASE + (1 << 30), 4096, 0) == 1);
  CHECK(simple(WIRE_REGISTER, 0x7000000001, 4096, 0) == 1);
  CHECK(ask(WIRE_COPY, WIRE_MEMORY_BASE + (1 << 30), 0, 4, WIRE_TO_DEVICE, NULL, 0) == 1);
  CHECK(ask(WIRE_LOAD, 0, 0, 0, 0, "not a fat binary", 16) == 0);
  CHECK(ask(WIRE_KERNEL, a.r[0], 0, 0, 0, "k", 2) == 200);
  CHECK(simple(WIRE_REGISTER, 0x700000000000, 8192, 0) == 0 && a.r[0] >= WIRE_MEMORY_BYTES);
  CHECK(simple(WIRE_UNREGISTER, 0x700000000000, 0, 0) == 0);
  CHECK(simple(WIRE_HELLO, WIRE_VERSION, 13, 0) == 46);
  return 0;
}

static int fault(void) {
  CHECK(begin() == 0 && find("twice") == 0);
  CHECK(ask(WIRE_SYMBOL, 0, 0, 0, 0, "counter", 8) == 0 && a.r[1] == 4);
  CHECK(launch(0, 1, 32, 4096, 32) == 700);
  CHECK(simple(WIRE_ALLOC, 4, 0, 0) == 700 && simple(WIRE_TIME, 0, 0, 0) == 700);
  CHECK(simple(WIRE_RESET, 0, 0, 0) == 0);
  CHECK(simple(WIRE_ALLOC, 4, 0, 0) == 0);
  return 0;
}

/* After a reset kernels run as before, and the clock goes on. */
static int again(void) {
  void *want = (void *)(uintptr_t)WIRE_MEMORY_BASE;
  CHECK(mmap(want, WIRE_MEMORY_BYTES, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory_fd, 0) == want);
  CHECK(begin() == 0 && find("twice") == 0);
  CHECK(simple(WIRE_ALLOC, 4 * N, 0, 0) == 0 && launch(0, 4, 256, a.r[0], N) == 0);
  CHECK(simple(WIRE_TIME, 0, 0, 0) == 0);
  uint64_t before = a.r[0];
  CHECK(launch(0, 1, 32, 4096, 32) == 700 && simple(WIRE_RESET, 0, 0, 0) == 0);
  CHECK(simple(WIRE_TIME, 0, 0, 0) == 0 && a.r[0] >= before && a.r[0] - before < 1000000000);
  uint64_t failed = a.r[0];
  CHECK(simple(WIRE_ALLOC, 4 * N, 0, 0) == 0);
  uint32_t *p = (uint32_t *)(uintptr_t)a.r[0];
  p[7] = 21;
  CHECK(launch(0, 4, 256, (uintptr_t)p, N) == 0 && p[7] == 42);
  CHECK(simple(WIRE_TIME, 0, 0, 0) == 0 && a.r[0] > failed && a.r[0] - failed < 1000000000);
  CHECK(launch(0, 1, 32, 4096, 32) == 700);
  return 0;
}

#define HEADER ".version 6.0\n.target sm_60\n.address_size 64\n"

/* Modules may not have more variables than the device has memory (1 GB here), nor constants. */
static int variables(void) {
  uint64_t before;
  CHECK(simple(WIRE_HELLO, WIRE_VERSION, 13, 0) == 0);
  CHECK(simple(WIRE_MEMINFO, 0, 0, 0) == 0);
  before = a.r[0];
  CHECK(load_text(HEADER ".global .b8 large[0x20000000];\n.const .b8 c[65536];\n") == 0);
  CHECK(ask(WIRE_SYMBOL, 0, 0, 0, 0, "large", 6) == 0 && a.r[1] == 0x20000000);
  CHECK(simple(WIRE_MEMINFO, 0, 0, 0) == 0 && before - a.r[0] == 0x20000000 + 65536);
  CHECK(simple(WIRE_ALLOC, 0x20000000, 0, WIRE_DEVICE) == 2);
  CHECK(load_text(HEADER ".global .b8 second[0x20000000];\n") == 0);
  CHECK(ask(WIRE_SYMBOL, 1, 0, 0, 0, "second", 7) == 2);
  CHECK(load_text(HEADER ".const .b8 one[65530];\n.const .b8 two[7];\n") == 0);
  CHECK(ask(WIRE_SYMBOL, 2, 0, 0, 0, "one", 4) == 218);
  CHECK(simple(WIRE_ALLOC, 0x1f000000, 0, WIRE_DEVICE) == 2); /* that is what variables take */
  CHECK(simple(WIRE_ALLOC, 0x1d000000, 0, WIRE_DEVICE) == 0);
  CHECK(simple(WIRE_RESET, 0, 0, 0) == 0);
  CHECK(simple(WIRE_MEMINFO, 0, 0, 0) == 0 && before - a.r[0] == 0x20000000 + 65536);
  return 0;
}

/* ptx_texture_t, byte by byte: flags are 0 or 1, enumerations what they are. */
static int texture(void) {
  uint8_t t[56] = {0};
  CHECK(simple(WIRE_HELLO, WIRE_VERSION, 13, 0) == 0);
  put(t, WIRE_MEMORY_BASE, 8), put(t + 8, 16, 4), put(t + 24, 64, 8), t[40] = 1, t[41] = 32;
  CHECK(ask(WIRE_TEXTURE_NEW, 0, 0, 0, 0, t, sizeof t) == 0);
  for (int at = 40; at < 50; at++) {
    uint8_t was = t[at];
    t[at] = 7;
    CHECK(ask(WIRE_TEXTURE_NEW, 0, 0, 0, 0, t, sizeof t) == 18);
    t[at] = was;
  }
  return 0;
}

/* The first thing that it asks of the device is a kernel that works on a variable. */
static int variable(void) {
  wire_launch_t l = {0, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, {0}};
  CHECK(simple(WIRE_HELLO, WIRE_VERSION, 13, 0) == 0);
  CHECK(load_text(HEADER ".visible .global .attribute(.managed) .align 4 .u32 x = 7;\n"
                         ".visible .entry inc()\n{\n.reg .b32 %r; .reg .b64 %d;\n"
                         "mov.u64 %d, x; ld.global.u32 %r, [%d]; add.u32 %r, %r, 1;\n"
                         "st.global.u32 [%d], %r; ret;\n}\n") == 0);
  CHECK(find("inc") == 0 && ask(WIRE_LAUNCH, 0, 0, 0, 0, &l, sizeof l) == 0);
  return 0;
}

static int clock_kernel(void) {
  wire_launch_t l = {0, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, {0}};
  CHECK(simple(WIRE_HELLO, WIRE_VERSION, 13, 0) == 0);
  CHECK(load_text(HEADER ".visible .entry c()\n{\n.reg .b32 %r;\nmov.u32 %r, %clock; ret;\n}\n") ==
        0);
  CHECK(find("c") == 0 && ask(WIRE_LAUNCH, 0, 0, 0, 0, &l, sizeof l) == 0);
  CHECK(simple(WIRE_TIME, 0, 0, 0) == 0);
  return 0;
}

/* Waits for a kernel without end. */
static int endless(void) {
  wire_launch_t l = {0, {1, 1, 1}, {32, 1, 1}, 0, 0, 0, 0, {0}};
  CHECK(begin() == 0 && find("count") == 0);
  return ask(WIRE_LAUNCH, 0, 0, 0, 0, &l, sizeof l);
}

static uint64_t random_state;
static uint32_t random_below(uint32_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % n;
}

/* Goes wrong in one of many ways instead of asking for memory. */
static int go_wrong(void) {
  uint8_t b[sizeof(wire_request_t) + 64] = {0};
  wire_request_t q = {WIRE_ALLOC, 0, {4096, 0, WIRE_DEVICE, 0}};
  size_t bytes = sizeof q, at = random_below(sizeof q);
  memcpy(b, &q, sizeof q);
  switch (random_below(7)) {
  case 0: b[at] = (uint8_t)random_below(256); break;
  case 1: memset(b + (at & ~7u), 0xff, 8); break;
  case 2: bytes = at; break; /* waits for an answer in vain, or goes on */
  case 3: bytes += random_below(64); break;
  case 4: transfer(false, b, at), _exit(3);
  case 5: transfer(false, b, at), close(line_fd), _exit(0);
  default: kill(getpid(), SIGKILL);
  }
  transfer(false, b, bytes);
  if (random_below(2))
    for (;;) pause();
  return 0;
}

static int random_walk(const char *seed) {
  random_state = strtoull(seed, NULL, 10);
  uint32_t wrong_at = random_below(12), step = 0;
  uint64_t va = 0;
  if (begin()) return 8;
  for (; step < 12; step++) {
    if (step == wrong_at) go_wrong();
    switch (random_below(6)) {
    case 0: find("twice"); break;
    case 1: simple(WIRE_ALLOC, 4096, 0, random_below(3)), va = a.r[0]; break;
    case 2: find("twice"), launch((uint32_t)a.r[0], 1 + random_below(4), 64, va, 100); break;
    case 3: simple(WIRE_RESET, 0, 0, 0); break;
    case 4: simple(WIRE_FREE, va, 0, 0); break;
    default: simple(WIRE_TIME, 0, 0, 0); break;
    }
  }
  return 0;
}

static int misaligned(void) {
  CHECK(begin() == 0 && find("twice") == 0 && simple(WIRE_ALLOC, 64, 0, 0) == 0);
  CHECK(launch(0, 1, 1, a.r[0] + 2, 1) == 716);
  return 0;
}

static int nonsense(uint32_t op, uint32_t bytes) {
  wire_request_t q = {op, bytes, {0}};
  if (simple(WIRE_HELLO, WIRE_VERSION, 13, 0)) return 2;
  transfer(false, &q, sizeof q);
  for (;;) pause(); /* to be ended */
}

/* Part of a request, and then status 5. */
static int cut(void) {
  wire_request_t q = {WIRE_LOAD, 1000, {0}};
  return transfer(false, &q, sizeof q) && transfer(false, got, 500) ? 5 : 6;
}

/* A kernel that goes on for ever, and dies without waiting for it. */
static int die(void) {
  wire_launch_t l = {0, {1, 1, 1}, {32, 1, 1}, 0, 0, 0, 0, {0}};
  if (find("count")) return 2;
  wire_request_t q = {WIRE_LAUNCH, sizeof l, {0}};
  transfer(false, &q, sizeof q), transfer(false, &l, sizeof l);
  return kill(getpid(), SIGKILL);
}

/* Somebody else does the talking, and dies of it; who started it does not care. */
static int wrap(int (*what)(void)) {
  pid_t pid = fork();
  if (pid == 0) _exit(begin() ? 8 : what());
  for (;;) pause();
}

/* Leaves a process behind, in a session of its own, that says who it is. */
static void leave_behind(void) {
  int said[2];
  char one;
  if (pipe(said) < 0) exit(2);
  if (fork() == 0) {
    setsid();
    if (fork()) _exit(0);
    dprintf(1, "%d\n", (int)getpid());
    close(said[0]), close(said[1]);
    for (;;) pause();
  }
  close(said[1]);
  if (read(said[0], &one, 1) != 0) exit(2); /* until it has spoken */
}

/* A process that has a last word after the program has ended. */
static int epilogue(void) {
  pid_t main = getpid();
  if (fork() == 0) {
    while (getppid() == main) usleep(1000);
    dprintf(1, "last word\n");
    _exit(0);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "", *env = getenv(WIRE_ENV);
  if (!env || sscanf(env, "%d,%d", &line_fd, &memory_fd) != 2) return 9;
  if (!strcmp(name, "work")) return work();
  if (!strcmp(name, "again")) return again();
  if (!strcmp(name, "wrong")) return wrong();
  if (!strcmp(name, "fault")) return fault();
  if (!strcmp(name, "variables")) return variables();
  if (!strcmp(name, "variable")) return variable();
  if (!strcmp(name, "clock")) return clock_kernel();
  if (!strcmp(name, "endless")) return endless();
  if (!strcmp(name, "random") && argc > 2) return random_walk(argv[2]);
  if (!strcmp(name, "texture")) return texture();
  if (!strcmp(name, "misaligned")) return misaligned();
  if (!strcmp(name, "bad-op")) return nonsense(99, 0);
  if (!strcmp(name, "wrap-die")) return wrap(die);
  if (!strcmp(name, "wrap-cut")) return wrap(cut);
  if (!strcmp(name, "leave-bad")) return leave_behind(), nonsense(99, 0);
  if (!strcmp(name, "bad-size")) return nonsense(WIRE_ALLOC, 4);
  if (!strcmp(name, "half")) return nonsense(WIRE_LOAD, 1 << 29);
  if (!strcmp(name, "unused")) return 0;
  if (!strcmp(name, "rude")) return simple(WIRE_TIME, 0, 0, 0) == -1 ? 0 : 1;
  if (begin()) return 8;
  if (!strcmp(name, "crash")) abort();
  if (!strcmp(name, "three")) return 3;
  if (!strcmp(name, "close")) return close(line_fd), sleep(0), 0;
  if (!strcmp(name, "header")) return (int)(write(line_fd, "abc", 3) - 3);
  if (!strcmp(name, "cut")) return cut();
  if (!strcmp(name, "die")) return die();
  if (!strcmp(name, "leave")) return leave_behind(), 0;
  if (!strcmp(name, "epilogue")) return epilogue();
  return 7;
}
