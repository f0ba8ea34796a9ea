/* Warp instructions per second of each generator alone: the default program, 30 SMs x 64 warps in
 * turn, nothing done with the result. `bench_gen TEXT` runs one program once (for callgrind: divide
 * by its count). */
#include "gen/gen.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS    1920
#define REPEATS  5
#define MAX_WARP 32

typedef struct {
  source_t *s;
  uint32_t pc[SLOTS];
  uint64_t count, sum; /* instructions; addresses, so that nothing is optimised away */
} bench_t;

static void die(const err_t *e) {
  char text[600];
  err_format(e, text, sizeof text);
  fprintf(stderr, "bench_gen: %s\n", text);
  exit(1);
}

static void run_resident(bench_t *b, uint32_t warps) {
  warp_op_t op;
  for (uint32_t live = warps; live;) {
    live = 0;
    for (uint32_t w = 0; w < warps; w++) {
      if (b->pc[w] == STREAM_END) continue;
      b->pc[w] = b->s->ops->step(b->s, 0, w, &op);
      b->sum += op.base;
      b->count++;
      live++;
    }
  }
}

/* As many blocks at a time as fit. */
static void run_launch(bench_t *b, const launch_t *l) {
  uint32_t warps = launch_warps(l), blocks = (uint32_t)launch_blocks(l), used = 0;
  err_t e = {0};
  for (uint32_t c = 0; c < blocks; c++) {
    uint32_t slot[MAX_WARP];
    for (uint32_t i = 0; i < warps; i++) slot[i] = used + i;
    if (b->s->ops->cta_begin(b->s, 0, c, warps, slot, b->pc + used, &e) < 0) die(&e);
    used += warps;
    if (used + warps <= SLOTS && c + 1 < blocks) continue;
    run_resident(b, used);
    used = 0;
  }
}

static void run_program(bench_t *b) {
  command_t c;
  err_t e = {0};
  if (b->s->ops->rewind(b->s, &e) < 0) die(&e);
  do {
    if (b->s->ops->next_command(b->s, 0, &c, &e) < 0) die(&e);
    if (c.kind == CMD_LAUNCH) run_launch(b, &c.launch);
  } while (c.kind != CMD_END);
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The best of some repetitions: the others were disturbed. */
static void bench(const char *text, uint32_t repeats) {
  static bench_t b;
  uint64_t best = UINT64_MAX;
  err_t e = {0};
  if (gen_open(text, &b.s, &e) < 0 || b.s->ops->bind(b.s, SLOTS, 64, &e) < 0) die(&e);
  for (uint32_t i = 0; i < repeats; i++) {
    uint64_t start = now_ns();
    b.count = b.sum = 0;
    run_program(&b);
    uint64_t took = now_ns() - start;
    if (took < best) best = took;
  }
  printf("%s\t%" PRIu64 "\twarp instructions/s\n", text, b.count * 1000000000u / best);
  printf("# %s: %" PRIu64 " instructions, sum %016" PRIx64 "\n", text, b.count, b.sum);
  b.s->ops->free(b.s);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    bench(argv[1], 1);
    return 0;
  }
  for (const gen_ops_t *const *g = gen_all; *g; g++) bench((*g)->name, REPEATS);
  return 0;
}
