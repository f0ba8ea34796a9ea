/* Each kind is a table and two functions: where a warp begins, what its next instruction is. */
#include "synth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  rng_t rng;
  uint32_t cur, left, mask, iter, id;
  uint64_t place;
} state_t;

typedef struct {
  source_t source;
  synth_spec_t spec;
  state_t *state;
  inst_t *inst;
  uint32_t inst_count, launch, sent;
  char name[32];
  err_t err;
} synth_t;

static inst_t alu(uint8_t cls, uint8_t dst, uint8_t a, uint8_t b) {
  return (inst_t){cls, 0, 0, 0, dst, dst != REG_NONE, {a, b, REG_NONE, REG_NONE}, 0};
}
static inst_t mem(uint8_t cls, uint8_t space, uint8_t width, uint8_t reg) {
  if (cls == IC_STORE)
    return (inst_t){cls, space, width, 0, REG_NONE, 0, {1, reg, REG_NONE, REG_NONE}, 0};
  return (inst_t){cls, space, width, 0, reg, 1, {1, REG_NONE, REG_NONE, REG_NONE}, 0};
}

/* ---- random ---- */

static inst_t random_inst(rng_t *r, uint32_t i) {
  static const uint8_t width[] = {1, 2, 4, 8, 16};
  uint8_t cls =
      (uint8_t)rng_below(r, IC_EXIT + 1); /* the classes of version 1, whose files are kept */
  /* One draw per statement: the order of evaluation of arguments is the compiler's. */
  uint8_t dst = (uint8_t)rng_below(r, 250);
  uint8_t src = (uint8_t)rng_below(r, 255);
  uint8_t space = (uint8_t)rng_below(r, SPACE_COUNT);
  uint8_t bytes = width[rng_below(r, 5)];
  inst_t x = alu(cls, dst, src, REG_NONE);
  if (cls == IC_LOAD || cls == IC_STORE || cls == IC_ATOMIC) x = mem(cls, space, bytes, dst);
  if (x.dst != REG_NONE) x.dsts = (uint8_t)(1 + rng_below(r, 4));
  x.flags = rng_below(r, 2) ? INST_BYPASS_L1 : 0;
  x.line = (uint16_t)i;
  return x;
}

static void random_table(synth_t *s) {
  rng_t r = {s->spec.seed + s->launch % 2}; /* two kernels in turn */
  s->inst_count = s->spec.insts;
  for (uint32_t i = 0; i < s->inst_count; i++) s->inst[i] = random_inst(&r, i);
}

static uint32_t random_length(rng_t *r, uint32_t most) {
  switch (rng_below(r, 6)) {
  case 0: return 0;
  case 1: return 1;
  case 2: return rng_below(r, 20);
  default: return rng_below(r, most + 1);
  }
}

static void random_begin(synth_t *s, state_t *w) {
  w->left = random_length(&w->rng, s->spec.length);
  w->cur = rng_below(&w->rng, s->inst_count);
  w->mask = rng_below(&w->rng, 2) ? UINT32_MAX : (uint32_t)rng_next(&w->rng);
  w->place = rng_next(&w->rng);
  w->place >>= rng_below(&w->rng, 64);
}

static uint32_t random_mask(rng_t *r) {
  switch (rng_below(r, 4)) {
  case 0: return UINT32_MAX;
  case 1: return 0;
  case 2: return 1u << rng_below(r, 32);
  default: return (uint32_t)rng_next(r);
  }
}

static void random_addresses(state_t *w, warp_op_t *op) {
  rng_t *r = &w->rng;
  static const int64_t stride[] = {4, 8, 0, -4, 4096, INT64_MIN, INT64_MAX, 1};
  op->mode = (uint8_t)rng_below(r, 3);
  if (op->mode == ADDR_STRIDE) {
    op->base = rng_below(r, 3) ? w->place += 128 : rng_next(r);
    op->base >>= rng_below(r, 4) ? 0 : rng_below(r, 64);
    op->stride = stride[rng_below(r, 3) ? 0 : rng_below(r, 8)];
  }
  if (op->mode != ADDR_LIST) return;
  uint32_t spread = rng_below(r, 64);
  uint64_t align = rng_below(r, 4) ? 3 : 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    op->lane[i] = (w->place + (rng_next(r) >> spread)) & ~align;
}

static uint32_t random_next(synth_t *s, state_t *w) {
  rng_t *r = &w->rng;
  if (--w->left == 0) return STREAM_END;
  uint32_t kind = rng_below(r, 16);
  if (kind == 0) return rng_below(r, s->inst_count);
  if (kind == 1) return (w->cur * 7 + 3) % s->inst_count; /* the same target each time */
  return (w->cur + 1) % s->inst_count;
}

static uint32_t random_step(synth_t *s, state_t *w, warp_op_t *op) {
  const inst_t *i = &s->inst[w->cur];
  if (rng_below(&w->rng, 8) == 0) w->mask = random_mask(&w->rng);
  op->mask = w->mask;
  if (i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC)
    random_addresses(w, op);
  else if (i->cls == IC_BARRIER && rng_below(&w->rng, 2))
    op->base = rng_below(&w->rng, 16), op->stride = rng_below(&w->rng, 2) ? 64 : 0;
  return random_next(s, w);
}

/* ---- kernels ---- */

static void add(synth_t *s, inst_t i) { s->inst[s->inst_count++] = i; }

static void triad_table(synth_t *s) { /* prologue 0..2, loop 3..15, exit 16 */
  for (int i = 0; i < 3; i++) add(s, alu(IC_INT, (uint8_t)i, 30, 31));
  add(s, alu(IC_INT, 4, 1, 2));
  add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 5));
  add(s, alu(IC_INT, 6, 1, 3));
  add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 7));
  for (int i = 0; i < 3; i++) add(s, alu(IC_FP32, 8, 5, 7));
  add(s, mem(IC_STORE, SPACE_GLOBAL, 4, 8));
  for (int i = 0; i < 4; i++) add(s, alu(IC_INT, 1, 1, 9));
  add(s, alu(IC_BRANCH, REG_NONE, 1, 10));
  add(s, alu(IC_EXIT, REG_NONE, REG_NONE, REG_NONE));
}

static void linear(warp_op_t *op, uint64_t base) {
  op->mode = ADDR_STRIDE, op->base = base, op->stride = 4;
}

static uint32_t triad_step(synth_t *s, state_t *w, warp_op_t *op) {
  uint64_t warps = (uint64_t)s->spec.blocks * ((s->spec.threads + 31) / 32);
  uint64_t at = (w->id + w->iter * warps) * 128;
  op->mask = UINT32_MAX;
  if (w->cur == 4) linear(op, 0x7f0000000000 + at);
  if (w->cur == 6) linear(op, 0x7f0040000000 + at);
  if (w->cur == 10) linear(op, 0x7f0080000000 + at);
  if (w->cur == 16) return STREAM_END;
  return w->cur == 15 && ++w->iter < s->spec.length ? 3 : w->cur + 1;
}

static void short_table(synth_t *s) {
  for (int i = 0; i < 5; i++) add(s, alu(IC_INT, (uint8_t)i, 30, 31));
  add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 5));
  add(s, alu(IC_INT, 6, 1, 3));
  add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 7));
  add(s, alu(IC_FP32, 8, 5, 7));
  add(s, alu(IC_INT, 9, 1, 3));
  add(s, mem(IC_STORE, SPACE_GLOBAL, 4, 8));
  add(s, alu(IC_EXIT, REG_NONE, REG_NONE, REG_NONE));
}

static uint32_t short_step(synth_t *s, state_t *w, warp_op_t *op) {
  (void)s;
  uint64_t at = (uint64_t)w->id * 128;
  op->mask = UINT32_MAX;
  if (w->cur == 5) linear(op, 0x7f0000000000 + at);
  if (w->cur == 7) linear(op, 0x7f0040000000 + at);
  if (w->cur == 10) linear(op, 0x7f0080000000 + at);
  return w->cur == 11 ? STREAM_END : w->cur + 1;
}

static void gather_table(synth_t *s) { /* loop 0..9, exit 10 */
  for (int i = 0; i < 4; i++) add(s, alu(IC_INT, (uint8_t)i, 30, 31));
  add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 5));
  for (int i = 0; i < 4; i++) add(s, alu(IC_INT, 6, 5, 3));
  add(s, alu(IC_BRANCH, REG_NONE, 6, REG_NONE));
  add(s, alu(IC_EXIT, REG_NONE, REG_NONE, REG_NONE));
}

static void scatter(state_t *w, warp_op_t *op) {
  op->mode = ADDR_LIST;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    op->lane[i] = 0x7f0000000000 + (rng_next(&w->rng) & 0x0ffffffc);
}

static uint32_t gather_step(synth_t *s, state_t *w, warp_op_t *op) {
  op->mask = UINT32_MAX;
  if (w->cur == 4) scatter(w, op);
  if (w->cur == 10) return STREAM_END;
  return w->cur == 9 && ++w->iter < s->spec.length ? 0 : w->cur + 1;
}

/* loop 0..13: 4..7 under one part of the mask, 8..11 under the other */
static void diverge_table(synth_t *s) {
  for (int i = 0; i < 3; i++) add(s, alu(IC_INT, (uint8_t)i, 30, 31));
  add(s, alu(IC_BRANCH, REG_NONE, 2, REG_NONE));
  for (int side = 0; side < 2; side++) {
    add(s, mem(IC_LOAD, SPACE_GLOBAL, 4, 5));
    for (int i = 0; i < 3; i++) add(s, alu(IC_FP32, 6, 5, 3));
  }
  add(s, alu(IC_INT, 7, 6, 3));
  add(s, alu(IC_BRANCH, REG_NONE, 7, REG_NONE));
  add(s, alu(IC_EXIT, REG_NONE, REG_NONE, REG_NONE));
}

static uint32_t diverge_step(synth_t *s, state_t *w, warp_op_t *op) {
  if (w->cur == 0) w->mask = (uint32_t)rng_next(&w->rng);
  op->mask = w->cur < 4 || w->cur > 11 ? UINT32_MAX : w->cur < 8 ? w->mask : ~w->mask;
  if (w->cur == 4 || w->cur == 8) linear(op, 0x7f0000000000 + (w->id + w->iter * 4096ull) * 128);
  if (w->cur == 14) return STREAM_END;
  return w->cur == 13 && ++w->iter < s->spec.length ? 0 : w->cur + 1;
}

typedef struct {
  const char *name;
  void (*table)(synth_t *s);
  void (*begin)(synth_t *s, state_t *w);
  uint32_t (*step)(synth_t *s, state_t *w, warp_op_t *op);
} kind_t;

static void plain_begin(synth_t *s, state_t *w) { (void)s, w->left = 1; }

static const kind_t kinds[] = {
    [SYNTH_RANDOM] = {"random", random_table, random_begin, random_step},
    [SYNTH_TRIAD] = {"triad", triad_table, plain_begin, triad_step},
    [SYNTH_SHORT] = {"short", short_table, plain_begin, short_step},
    [SYNTH_GATHER] = {"gather", gather_table, plain_begin, gather_step},
    [SYNTH_DIVERGE] = {"diverge", diverge_table, plain_begin, diverge_step},
};

/* ---- the source ---- */

static int synth_bind(source_t *x, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  synth_t *s = (synth_t *)x;
  (void)slots_per_sm, (void)e;
  s->state = calloc(slots, sizeof *s->state);
  return s->state ? 0 : GMMU_ENOMEM;
}

static int synth_rewind(source_t *x, err_t *e) {
  (void)e;
  ((synth_t *)x)->sent = 0;
  return 0;
}

static void fill_launch(synth_t *s, launch_t *l) {
  s->inst_count = 0;
  kinds[s->spec.kind].table(s);
  snprintf(s->name, sizeof s->name, "%s%u", kinds[s->spec.kind].name, s->launch % 2);
  *l = (launch_t){.name = s->name, .inst = s->inst, .inst_count = s->inst_count};
  l->grid[0] = s->spec.blocks, l->grid[1] = l->grid[2] = 1;
  l->block[0] = s->spec.threads, l->block[1] = l->block[2] = 1;
  l->regs_per_thread = 24 + s->launch, l->shared_bytes = 1024 * s->launch;
}

/* alloc, then copy in + launch + copy out for each launch, then free */
static int synth_next_command(source_t *x, uint64_t now, command_t *c, err_t *e) {
  synth_t *s = (synth_t *)x;
  (void)now;
  uint32_t n = s->sent++, last = 1 + 3 * s->spec.launches;
  (void)e;
  memset(c, 0, sizeof *c);
  c->va = 0x7f0000000000 + 256ull * n, c->bytes = (s->spec.seed + n) << 9;
  if (n == 0)
    c->kind = CMD_ALLOC;
  else if (n == last)
    c->kind = CMD_FREE, c->bytes = 0;
  else if (n > last)
    c->kind = CMD_END, c->va = c->bytes = 0;
  else if (n % 3 != 2)
    c->kind = n % 3 ? CMD_COPY_IN : CMD_COPY_OUT;
  else {
    c->kind = CMD_LAUNCH, c->va = c->bytes = 0;
    s->launch = n / 3;
    fill_launch(s, &c->launch);
  }
  return 0;
}

static int synth_cta_begin(source_t *x, uint64_t now, uint32_t cta, uint32_t warps,
                           const uint32_t slot[], uint32_t first[], err_t *e) {
  synth_t *s = (synth_t *)x;
  (void)now, (void)e;
  for (uint32_t i = 0; i < warps; i++) {
    state_t *w = &s->state[slot[i]];
    uint64_t id = (uint64_t)cta * warps + i;
    *w = (state_t){.rng = {rng_mix(s->spec.seed ^ rng_mix(id + ((uint64_t)s->launch << 40)))}};
    w->id = (uint32_t)id;
    kinds[s->spec.kind].begin(s, w);
    first[i] = w->left ? w->cur : STREAM_END;
  }
  return 0;
}

static uint32_t synth_step(source_t *x, uint64_t now, uint32_t slot, warp_op_t *op) {
  synth_t *s = (synth_t *)x;
  state_t *w = &s->state[slot];
  (void)now;
  op->mode = ADDR_NONE, op->base = 0, op->stride = 0;
  return w->cur = kinds[s->spec.kind].step(s, w, op);
}

static const err_t *synth_error(const source_t *x) { return &((const synth_t *)x)->err; }

static void synth_free(source_t *x) {
  synth_t *s = (synth_t *)x;
  free(s->state), free(s->inst), free(s);
}

static const source_ops_t synth_ops = {.name = "synth",
                                       .bind = synth_bind,
                                       .rewind = synth_rewind,
                                       .next_command = synth_next_command,
                                       .cta_begin = synth_cta_begin,
                                       .step = synth_step,
                                       .error = synth_error,
                                       .free = synth_free};

source_t *synth_new(const synth_spec_t *spec) {
  synth_t *s = calloc(1, sizeof *s);
  if (!s) abort();
  s->source.ops = &synth_ops;
  s->spec = *spec;
  s->inst = calloc(spec->insts > 32 ? spec->insts : 32, sizeof *s->inst);
  if (!s->inst) abort();
  return &s->source;
}
