/* Any bytes as the text of a generator. Beyond not crashing: what is refused has a reason, and what
 * is accepted stays inside its buffers, for the last block and some hundred instructions. */
#include "gen/gen.h"
#include <stdlib.h>
#include <string.h>

#define MAX_WARPS 32
#define MAX_STEPS 300

/* What is allocated when the first kernel starts: a generator may ask for thousands of pieces. */
typedef struct {
  uint64_t *va, *bytes;
  uint32_t count, room;
} buffers_t;

static void add(buffers_t *b, uint64_t va, uint64_t bytes) {
  if (b->count == b->room) {
    b->room = b->room ? 2 * b->room : 4;
    b->va = realloc(b->va, b->room * sizeof *b->va);
    b->bytes = realloc(b->bytes, b->room * sizeof *b->bytes);
    if (!b->va || !b->bytes) abort();
  }
  b->va[b->count] = va;
  b->bytes[b->count++] = bytes;
}

static bool inside(const buffers_t *b, uint64_t a, uint64_t width) {
  for (uint32_t i = 0; i < b->count; i++)
    if (a >= b->va[i] && a - b->va[i] + width <= b->bytes[i]) return true;
  return false;
}

static void check(const buffers_t *b, const launch_t *l, const inst_t *inst, const warp_op_t *op) {
  if (inst->cls != IC_LOAD && inst->cls != IC_STORE) return;
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    if (!(op->mask >> i & 1)) continue;
    uint64_t a = op->mode == ADDR_LIST ? op->lane[i] : op->base + (uint64_t)(i * op->stride);
    bool ok = inst->space == SPACE_SHARED ? a + inst->width <= l->shared_bytes
                                          : inside(b, a, inst->width);
    if (!ok || a % inst->width) abort();
  }
}

static void run_last_block(source_t *s, const buffers_t *b, const launch_t *l) {
  uint32_t slot[MAX_WARPS], pc[MAX_WARPS], warps = launch_warps(l);
  err_t e = {0};
  for (uint32_t i = 0; i < warps; i++) slot[i] = i;
  if (s->ops->cta_begin(s, 0, (uint32_t)launch_blocks(l) - 1, warps, slot, pc, &e) < 0) abort();
  for (uint32_t w = 0; w < warps; w++)
    for (uint32_t n = 0; n < MAX_STEPS && pc[w] != STREAM_END; n++) {
      warp_op_t op;
      const inst_t *inst = &l->inst[pc[w]];
      pc[w] = s->ops->step(s, 0, slot[w], &op);
      check(b, l, inst, &op);
    }
}

static void run(source_t *s) {
  buffers_t b = {0};
  command_t c;
  err_t e = {0};
  if (s->ops->bind(s, MAX_WARPS, MAX_WARPS, &e) < 0) abort();
  do {
    if (s->ops->next_command(s, 0, &c, &e) < 0) abort();
    if (c.kind == CMD_ALLOC) add(&b, c.va, c.bytes);
  } while (c.kind != CMD_LAUNCH);
  run_last_block(s, &b, &c.launch);
  free(b.va);
  free(b.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  source_t *s;
  err_t e = {0};
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  int rc = gen_open(text, &s, &e);
  if (rc < 0 && (s || e.code != rc || !e.text[0])) abort();
  if (rc == GMMU_OK) {
    run(s);
    s->ops->free(s);
  }
  free(text);
  return 0;
}
