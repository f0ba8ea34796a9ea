/* The source behind every generator: host commands, kernel table, warp states, control flow.
 *
 * A kernel is straight-line code with one loop, so a warp's control state is its instruction and
 * its iteration. `code` runs parallel to the static table: who computes the addresses and what
 * follows. Invariant: a warp's stream depends on its own state and on constants only. */
#include "gen/gen.h"
#include "base/inline.h"
#include <assert.h>
#include <stdlib.h>

#define FIRST_VA     0x10000000000u /* 1 TB: far from 0, below any 47-bit limit */
#define BUFFER_ALIGN (2 * GEN_MB)
#define BUFFER_UNIT  512u /* rows of 32 lanes of the widest load, 16 bytes */

typedef struct {
  gen_address_fn address; /* NULL: not a memory operation */
  uint32_t next;          /* where the loop does not turn back */
  bool loop_end;
  bool plain; /* neither of the two */
} code_t;

typedef struct {
  source_t source;
  const gen_ops_t *ops;
  gen_params_t *p; /* the generator's own struct */
  inst_t *inst;
  code_t *code;
  uint32_t inst_count, body, loop; /* the loop: its first instruction, how many it has */
  uint32_t mask;                   /* of p */
  gen_warp_t *warp;                /* [slots] */
  uint32_t slots;
  uint32_t phase, index; /* next command: its kind, and the number among its kind */
  uint32_t host;         /* commands of the generator's own before the next launch so far */
  uint32_t launch;       /* the current launch */
  uint64_t launch_key;
  err_t err; /* stays empty: a generator cannot fail in step() */
} gen_t;

/* --- commands --------------------------------------------------------------------------------- */

/* The program, in order. A command of buffers exists for those with one of the flags (0: all). */
static const struct {
  uint8_t kind;
  uint8_t copies;
} phases[] = {{CMD_ALLOC, 0},          {CMD_COPY_IN, GEN_IN}, {CMD_LAUNCH, 0},
              {CMD_COPY_OUT, GEN_OUT}, {CMD_FREE, 0},         {CMD_END, 0}};

static void set_launch(gen_t *g, command_t *c) {
  const gen_params_t *p = g->p;
  g->launch = g->index;
  g->launch_key = rng_mix(p->seed + GEN_GOLDEN * (g->launch + 1ull));
  c->launch = (launch_t){.name = g->ops->name,
                         .inst = g->inst,
                         .inst_count = g->inst_count,
                         .grid = {p->blocks, 1, 1},
                         .block = {p->warps * WARP_LANES, 1, 1},
                         .regs_per_thread = p->regs,
                         .shared_bytes = (uint32_t)p->shared};
}

static uint32_t phase_length(const gen_t *g) {
  switch (phases[g->phase].kind) {
  case CMD_LAUNCH: return g->p->launches;
  case CMD_END: return 1;
  default: return g->p->buffers;
  }
}

/* Fills the command at (phase, index); false if this buffer has none. */
static bool fill_command(gen_t *g, command_t *c) {
  *c = (command_t){.kind = phases[g->phase].kind};
  if (c->kind == CMD_END) return true;
  if (c->kind == CMD_LAUNCH) {
    set_launch(g, c);
    return true;
  }
  const gen_buffer_t *b = &g->p->buffer[g->index];
  c->va = b->va;
  c->bytes = c->kind == CMD_FREE ? 0 : b->bytes;
  return !phases[g->phase].copies || (b->copies & phases[g->phase].copies);
}

static int source_next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  gen_t *g = (gen_t *)s;
  (void)now, (void)e;
  for (;;) {
    if (phases[g->phase].kind == CMD_LAUNCH && g->ops->host &&
        g->ops->host(g->p, g->index, g->host++, c))
      return GMMU_OK;
    g->host = 0;
    if (g->index == phase_length(g)) {
      g->phase++, g->index = 0;
      continue;
    }
    bool found = fill_command(g, c);
    if (c->kind != CMD_END) g->index++;
    if (found) return GMMU_OK;
  }
}

static int source_rewind(source_t *s, err_t *e) {
  gen_t *g = (gen_t *)s;
  (void)e;
  g->phase = g->index = g->host = 0;
  if (g->ops->reset) g->ops->reset(g->p);
  return GMMU_OK;
}

/* --- warps ------------------------------------------------------------------------------------ */

static int source_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  gen_t *g = (gen_t *)s;
  (void)slots_per_sm;
  free(g->warp);
  g->warp = calloc(slots ? slots : 1, sizeof *g->warp);
  if (!g->warp) return err_set(e, GMMU_ENOMEM, "no memory for %u warps", slots);
  g->slots = slots;
  return GMMU_OK;
}

static int source_cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps,
                            const uint32_t slot[], uint32_t first[], err_t *e) {
  gen_t *g = (gen_t *)s;
  (void)now;
  if (cta >= g->p->blocks || warps != g->p->warps)
    return err_set(e, GMMU_EINVAL, "block %u of %u warps is not of this launch", cta, warps);
  for (uint32_t i = 0; i < warps; i++) {
    if (slot[i] >= g->slots) return err_set(e, GMMU_EINVAL, "no warp slot %u", slot[i]);
    gen_warp_t *w = &g->warp[slot[i]];
    *w = (gen_warp_t){.warp = cta * warps + i, .place = i};
    w->key = rng_mix(g->launch_key + GEN_GOLDEN * (w->warp + 1ull));
    if (g->ops->start) g->ops->start(g->p, w);
    first[i] = 0;
  }
  return GMMU_OK;
}

/* An instruction with addresses, or the loop's last. */
NEVER_INLINE uint32_t step_other(gen_t *g, gen_warp_t *w, const code_t *c, warp_op_t *op) {
  if (c->loop_end && ++w->step < g->p->steps) w->pc = g->body;
  if (c->address) c->address(g->p, w, op);
  return w->pc;
}

static uint32_t source_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  gen_t *g = (gen_t *)s;
  gen_warp_t *w = &g->warp[slot];
  (void)now;
  assert(slot < g->slots && w->pc < g->inst_count);
  const code_t *c = &g->code[w->pc];
  op->mask = g->mask;
  op->mode = ADDR_NONE;
  op->base = 0; /* barrier 0, of all threads of the block */
  op->stride = 0;
  w->pc = c->next;
  return c->plain ? c->next : step_other(g, w, c, op);
}

static const err_t *source_error(const source_t *s) { return &((const gen_t *)s)->err; }

static void source_free(source_t *s) {
  gen_t *g = (gen_t *)s;
  if (!g) return;
  free(g->p), free(g->inst), free(g->code), free(g->warp), free(g);
}

/* Every warp goes through the loop `steps` times, and once through the rest. What options allow may
 * be more than a number holds: then it is the greatest. */
static uint64_t source_instructions(const source_t *s) {
  const gen_t *g = (const gen_t *)s;
  uint64_t work = g->inst_count + (g->p->steps ? g->p->steps - 1ull : 0) * g->loop;
  if (__builtin_mul_overflow(work, (uint64_t)g->p->all_warps, &work) ||
      __builtin_mul_overflow(work, (uint64_t)g->p->launches, &work))
    return UINT64_MAX;
  return work;
}

static const source_ops_t source_ops = {.name = "generator",
                                        .bind = source_bind,
                                        .rewind = source_rewind,
                                        .next_command = source_next_command,
                                        .cta_begin = source_cta_begin,
                                        .step = source_step,
                                        .error = source_error,
                                        .free = source_free,
                                        .work = source_instructions};

/* --- kernel ----------------------------------------------------------------------------------- */

static const gen_row_t prologue[] = {
    GEN_OP(IC_INT, GEN_R_TID, GEN_N, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, GEN_R_BLOCK, GEN_N, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, GEN_R_INDEX, GEN_R_BLOCK, GEN_R_TID, GEN_N, GEN_N),
};
static const gen_row_t loop_end[] = {
    GEN_OP(IC_INT, GEN_R_INDEX, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, GEN_R_PRED, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    {.inst = {.cls = IC_BRANCH, .dst = GEN_N, .src = {GEN_R_PRED, GEN_N, GEN_N, GEN_N}}},
};
static const gen_row_t epilogue[] = {
    {.inst = {.cls = IC_EXIT, .dst = GEN_N, .src = {GEN_N, GEN_N, GEN_N, GEN_N}}},
};
static const gen_rows_t prologue_rows = GEN_ROWS(prologue), loop_end_rows = GEN_ROWS(loop_end),
                        epilogue_rows = GEN_ROWS(epilogue);

static void emit(gen_t *g, const gen_row_t *row) {
  uint32_t pc = g->inst_count++;
  inst_t *i = &g->inst[pc];
  *i = row->inst;
  i->line = (uint16_t)pc;
  if (i->cls == IC_LOAD && i->width == GEN_WIDTH_OF_OPTION) {
    i->width = (uint8_t)g->p->width;
    i->dsts = (uint8_t)((g->p->width + 3) / 4);
  }
  g->code[pc] = (code_t){.address = row->address,
                         .next = i->cls == IC_EXIT ? STREAM_END : pc + 1,
                         .loop_end = i->cls == IC_BRANCH,
                         .plain = !row->address && i->cls != IC_BRANCH};
}

static void emit_rows(gen_t *g, const gen_rows_t *rows) {
  const gen_rows_t *mix = &g->ops->mix;
  for (uint32_t r = 0; r < rows->count; r++) {
    if (!rows->row[r].arith) {
      emit(g, &rows->row[r]);
      continue;
    }
    for (uint32_t a = 0; a < g->p->arith; a++) emit(g, &mix->row[a % mix->count]);
  }
}

static int build_kernel(gen_t *g, err_t *e) {
  const gen_ops_t *o = g->ops;
  size_t most = prologue_rows.count + o->head.count + o->body.count + g->p->arith +
                loop_end_rows.count + o->tail.count + epilogue_rows.count;
  g->inst = calloc(most, sizeof *g->inst);
  g->code = calloc(most, sizeof *g->code);
  if (!g->inst || !g->code) return err_set(e, GMMU_ENOMEM, "no memory for a kernel");
  emit_rows(g, &prologue_rows);
  emit_rows(g, &o->head);
  g->body = g->inst_count;
  emit_rows(g, &o->body);
  emit_rows(g, &loop_end_rows);
  g->loop = g->inst_count - g->body;
  emit_rows(g, &o->tail);
  emit_rows(g, &epilogue_rows);
  return GMMU_OK;
}

/* --- helpers of generators -------------------------------------------------------------------- */

uint64_t gen_add_buffer(gen_params_t *p, uint64_t bytes, uint32_t copies) {
  assert(p->buffers < GEN_BUFFERS);
  gen_buffer_t *b = &p->buffer[p->buffers];
  uint64_t end = p->buffers ? b[-1].va + b[-1].bytes : FIRST_VA;
  b->va = (end + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
  b->bytes = (bytes + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT;
  b->copies = copies;
  p->buffers++;
  return b->va;
}

void gen_add_results(gen_params_t *p) {
  gen_add_buffer(p, (uint64_t)p->all_warps * GEN_ROW_BYTES, GEN_OUT);
}

void gen_address_result(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  uint64_t offset = (uint64_t)w->warp * GEN_ROW_BYTES;
  gen_at_stride(op, p->buffer[p->buffers - 1].va + offset, GEN_WORD_BYTES);
}

void gen_steps_to_cover(gen_params_t *p, uint64_t units, uint64_t per_step) {
  if (!p->steps) p->steps = (uint32_t)((units + per_step - 1) / per_step);
}

/* --- the contract ----------------------------------------------------------------------------- */

int gen_new(const gen_ops_t *ops, gen_params_t *p, source_t **out, err_t *e) {
  *out = NULL;
  gen_t *g = calloc(1, sizeof *g);
  if (!g) {
    free(p);
    return err_set(e, GMMU_ENOMEM, "no memory for a generator");
  }
  *g = (gen_t){.source = {&source_ops}, .ops = ops, .p = p};
  p->mask = UINT32_MAX;
  p->all_warps = p->blocks * p->warps;
  int rc = ops->prepare(p, e);
  g->mask = p->mask;
  if (rc == GMMU_OK) rc = build_kernel(g, e);
  if (rc == GMMU_OK)
    *out = &g->source;
  else
    source_free(&g->source);
  return rc;
}

int gen_open(const char *text, source_t **out, err_t *e) {
  const gen_ops_t *ops;
  gen_params_t *p;
  *out = NULL;
  int rc = gen_parse(text, &ops, &p, e);
  return rc < 0 ? rc : gen_new(ops, p, out, e);
}
