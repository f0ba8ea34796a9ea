/* The .gmt reader behind its hashes: opens and replays whatever comes, twice, with a cache of two
 * frames; every other instruction after some that are passed without their addresses. Whatever the
 * bytes say, instructions are in the table, modes are known, and memory stays below what the file's
 * size allows. */
#define _GNU_SOURCE /* memfd_create */
#include "trace/gmt_reader.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS        64
#define MAX_COMMANDS 500
#define MAX_BLOCKS   64
#define MAX_STEPS    50000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct {
  source_t *s;
  uint32_t steps, inst_count;
} run_t;

static void check(bool ok) {
  if (!ok) abort();
}

/* What a skip does between two memory accesses. */
static void skim(run_t *r, uint32_t slot, uint32_t *next) {
  uint32_t most = 1 + r->steps % 64, then = *next;
  uint32_t n = r->s->ops->skim(r->s, slot, most, &then);
  check(n <= most && (n || then == *next));
  *next = then;
  r->steps += n;
}

/* Returns false when the block has ended, failed or used up its steps. */
static bool turn(run_t *r, uint32_t warps, uint32_t next[]) {
  bool any = false;
  for (uint32_t i = 0; i < warps; i++) {
    warp_op_t op;
    if (next[i] == STREAM_END) continue;
    check(next[i] < r->inst_count);
    if (r->steps & 1 && r->s->ops->skim) skim(r, i, &next[i]);
    check(next[i] < r->inst_count);
    next[i] = r->s->ops->step(r->s, 0, i, &op);
    if (next[i] == STREAM_FAIL) {
      check(r->s->ops->error(r->s)->code < 0);
      return false;
    }
    check(op.mode <= ADDR_LIST);
    if (++r->steps >= MAX_STEPS) return false;
    any = true;
  }
  return any;
}

static void launch(run_t *r, const launch_t *l) {
  uint32_t slot[SLOTS], next[SLOTS], warps = launch_warps(l);
  uint64_t blocks = launch_blocks(l);
  check(warps >= 1 && warps <= SLOTS && l->name && strlen(l->name) <= 4096);
  r->inst_count = l->inst_count;
  for (uint32_t i = 0; i < warps; i++) slot[i] = i;
  for (uint64_t b = 0; b < blocks && b < MAX_BLOCKS && r->steps < MAX_STEPS; b++) {
    err_t e = {0};
    if (r->s->ops->cta_begin(r->s, 0, (uint32_t)b, warps, slot, next, &e) < 0) continue;
    while (turn(r, warps, next)) continue;
  }
}

static void replay(run_t *r) {
  err_t e = {0};
  for (uint32_t i = 0; i < MAX_COMMANDS && r->steps < MAX_STEPS; i++) {
    command_t c;
    if (r->s->ops->next_command(r->s, 0, &c, &e) < 0) {
      check(e.code < 0);
      return;
    }
    if (c.kind == CMD_END) return;
    /* the rest is never in a file */
    check(c.kind < CMD_END || c.kind == CMD_ALLOC_HOST || (c.kind == CMD_NAME && c.name));
    if (c.kind == CMD_LAUNCH) launch(r, &c.launch);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  run_t r = {0};
  err_t e = {0};
  int fd = memfd_create("gmt", 0);
  check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
  if (gmt_open_fd(fd, "gmt", &(gmt_reader_opts_t){2 << 17}, true, &r.s, &e) < 0) {
    check(e.code < 0 && !r.s);
    return 0;
  }
  check(r.s->ops->bind(r.s, SLOTS, SLOTS, &e) == 0);
  replay(&r);
  r.steps = 0;
  check(r.s->ops->rewind(r.s, &e) == 0);
  replay(&r);
  r.s->ops->free(r.s);
  return 0;
}
