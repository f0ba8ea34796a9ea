/* State of the run: blocks in flight, each with a row of 64 slots. */
#include "pair.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW 64

typedef struct {
  uint32_t running, warps;
  uint32_t next[ROW];
} row_t;

typedef struct {
  source_t *a, *b;
  rng_t rng;
  uint64_t insts;
  launch_t launch;
} run_t;

static const char *say(const char *fmt, ...) {
  static char text[700];
  va_list v;
  va_start(v, fmt);
  vsnprintf(text, sizeof text, fmt, v);
  va_end(v);
  return text;
}

static const char *explain(const char *what, const err_t *e) {
  char text[600];
  err_format(e, text, sizeof text);
  return say("%s: %s", what, text);
}

static bool is_mem(const inst_t *i) {
  return i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC;
}

static const char *compare_ops(const inst_t *i, const warp_op_t *a, const warp_op_t *b) {
  if (a->mask != b->mask) return say("mask %x, not %x", b->mask, a->mask);
  if (a->mode != b->mode) return say("mode %u, not %u", b->mode, a->mode);
  if (a->mode == ADDR_STRIDE || (!is_mem(i) && i->cls == IC_BARRIER))
    if (a->base != b->base || a->stride != b->stride)
      return say("base %lx + %ld, not %lx + %ld", b->base, b->stride, a->base, a->stride);
  if (a->mode != ADDR_LIST) return NULL;
  for (uint32_t l = 0; l < WARP_LANES; l++)
    if (a->mask >> l & 1 && a->lane[l] != b->lane[l])
      return say("lane %u: %lx, not %lx", l, b->lane[l], a->lane[l]);
  return NULL;
}

static const char *begin_block(run_t *r, uint32_t cta, uint32_t row, row_t *out) {
  uint32_t slot[ROW], other[ROW];
  err_t e = {0};
  out->warps = launch_warps(&r->launch);
  out->running = 0;
  for (uint32_t i = 0; i < out->warps; i++) slot[i] = row * ROW + i;
  if (r->a->ops->cta_begin(r->a, 0, cta, out->warps, slot, out->next, &e) < 0)
    return explain("cta_begin", &e);
  if (r->b && r->b->ops->cta_begin(r->b, 0, cta, out->warps, slot, other, &e) < 0)
    return explain("cta_begin", &e);
  if (r->b && memcmp(out->next, other, out->warps * sizeof *other))
    return say("block %u: first instructions differ", cta);
  for (uint32_t i = 0; i < out->warps; i++) out->running += out->next[i] != STREAM_END;
  return NULL;
}

static const char *step(run_t *r, uint32_t row, uint32_t warp, row_t *x) {
  uint32_t cur = x->next[warp], slot = row * ROW + warp;
  warp_op_t a = {0}, b = {0};
  memset(&b, 0xee, sizeof b); /* fields that are not written must not count */
  uint32_t n = r->a->ops->step(r->a, r->insts, slot, &a);
  r->insts++;
  if (n == STREAM_FAIL) return explain("step", r->a->ops->error(r->a));
  x->next[warp] = n;
  x->running -= n == STREAM_END;
  if (!r->b) return NULL;
  uint32_t m = r->b->ops->step(r->b, r->insts, slot, &b);
  if (m == STREAM_FAIL) return explain("step", r->b->ops->error(r->b));
  if (m != n) return say("next instruction %u, not %u", m, n);
  return compare_ops(&r->launch.inst[cur], &a, &b);
}

/* A few instructions of one running warp: sometimes many, so that warps drift apart. */
static const char *advance(run_t *r, uint32_t row, row_t *x) {
  uint32_t warp = rng_below(&r->rng, x->warps), n = rng_below(&r->rng, 40) ? 3 : 2000;
  while (x->next[warp] == STREAM_END) warp = (warp + 1) % x->warps;
  for (; n && x->next[warp] != STREAM_END; n--) {
    const char *flaw = step(r, row, warp, x);
    if (flaw) return flaw;
  }
  return NULL;
}

static void shuffle(rng_t *r, uint32_t *v, uint32_t n) {
  for (uint32_t i = n; i > 1; i--) {
    uint32_t j = rng_below(r, i), t = v[i - 1];
    v[i - 1] = v[j], v[j] = t;
  }
}

static const char *run_blocks(run_t *r, const pair_order_t *o, const uint32_t *cta, uint32_t blocks,
                              row_t *rows) {
  uint32_t begun = 0, busy = 0;
  while (begun < blocks || busy) {
    uint32_t i = rng_below(&r->rng, o->inflight);
    const char *flaw = NULL;
    if (rows[i].running) {
      flaw = advance(r, i, &rows[i]);
      busy -= !rows[i].running;
    } else if (begun < blocks) {
      flaw = begin_block(r, cta[begun++], i, &rows[i]);
      busy += rows[i].running != 0;
    }
    if (flaw) return flaw;
  }
  return NULL;
}

static const char *run_launch(run_t *r, const pair_order_t *o) {
  uint32_t blocks = (uint32_t)launch_blocks(&r->launch);
  uint32_t *cta = malloc(blocks * sizeof *cta);
  row_t *rows = calloc(o->inflight, sizeof *rows);
  for (uint32_t i = 0; i < blocks; i++) cta[i] = i;
  if (o->shuffle) shuffle(&r->rng, cta, blocks);
  const char *flaw = run_blocks(r, o, cta, blocks, rows);
  free(cta), free(rows);
  return flaw;
}

static const char *compare_launches(const launch_t *a, const launch_t *b) {
  if (strcmp(a->name, b->name)) return "kernel names differ";
  if (memcmp(a->grid, b->grid, sizeof a->grid)) return "grids differ";
  if (memcmp(a->block, b->block, sizeof a->block)) return "block sizes differ";
  if (a->regs_per_thread != b->regs_per_thread) return "registers differ";
  if (a->shared_bytes != b->shared_bytes) return "shared memory differs";
  if (a->inst_count != b->inst_count) return "static tables differ in length";
  if (memcmp(a->inst, b->inst, a->inst_count * sizeof *a->inst)) return "static tables differ";
  return NULL;
}

static const char *next(run_t *r, command_t *c) {
  command_t d;
  err_t e = {0};
  if (r->a->ops->next_command(r->a, 0, c, &e) < 0) return explain("next_command", &e);
  if (!r->b) return NULL;
  if (r->b->ops->next_command(r->b, 0, &d, &e) < 0) return explain("next_command", &e);
  if (c->kind != d.kind) return say("command %u, not %u", d.kind, c->kind);
  if (c->kind == CMD_LAUNCH) return compare_launches(&c->launch, &d.launch);
  return c->va == d.va && c->bytes == d.bytes ? NULL : "commands differ";
}

const char *pair_run(source_t *a, source_t *b, const pair_order_t *o, uint64_t *insts) {
  run_t r = {.a = a, .b = b, .rng = {o->seed}};
  const char *flaw = NULL;
  command_t c = {0};
  for (uint32_t n = 0; !flaw && (!o->stop_after || n < o->stop_after); n++) {
    flaw = next(&r, &c);
    if (flaw || c.kind == CMD_END) break;
    r.launch = c.launch;
    if (c.kind == CMD_LAUNCH) flaw = run_launch(&r, o);
  }
  if (insts) *insts = r.insts;
  return flaw;
}
