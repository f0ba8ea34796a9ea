/* Whether a warp goes in circles: it has come back to a state that it was in before, and nothing
 * outside of it has changed meanwhile. What it does next depends on its state and on the world
 * alone, so it will go on like this until somebody else changes the world. A long loop is not a
 * circle: its counter is in a register, so no state comes twice.
 *
 * The world is memory that warps share, barriers, what is printed and the clock (progress and
 * clocks of pexec_t count its changes). The state is registers, local memory, parameters of calls
 * and how the lanes are divided; it is compared by a hash of 64 bits for each part. Brent's way: of
 * the states that are looked at, the one at each power of two is kept and compared with those that
 * follow. */
#include "ptx/exec.h"
#include <string.h>

#define MIX 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * MIX;
  return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const uint8_t *p, size_t bytes) {
  uint64_t v;
  for (; bytes >= 8; p += 8, bytes -= 8) memcpy(&v, p, 8), h = mix(h, v);
  for (; bytes; p++, bytes--) h = mix(h, *p);
  return h;
}

static uint64_t mix_node(uint64_t h, const pnode_t *n) {
  if (!n->used) return mix(h, 1);
  h = mix(h, (uint64_t)n->rpc << 32 | n->parent);
  h = mix(h, (uint64_t)n->expected << 32 | n->arrived);
  h = mix(h, (uint64_t)n->frame << 2 | (uint64_t)n->is_call << 1 | (uint64_t)n->loose);
  if (!n->is_call) return h;
  h = mix(h, (uint64_t)n->ret_pc << 32 | n->reg_base);
  h = mix(h, (uint64_t)n->local_base << 32 | n->param_base);
  return mix(h, n->code->func->index);
}

/* How lanes are divided, and registers. */
static uint64_t flow_hash(const pwarp_t *w) {
  uint64_t h = mix((uint64_t)w->pc << 32 | w->mask, (uint64_t)w->node << 32 | w->spins);
  h = mix(h, (uint64_t)w->live << 32 | w->carry);
  for (uint32_t i = 0; i < w->splits; i++) {
    const psplit_t *s = &w->split[i];
    h = mix(h, (uint64_t)s->pc << 32 | s->mask);
    h = mix(h, (uint64_t)s->node << 16 | (uint64_t)s->state << 8 | s->barrier);
  }
  for (uint32_t i = 0; i < w->nodes; i++) h = mix_node(h, &w->node_at[i]);
  return mix_bytes(h, w->regs, warp_reg_top(w));
}

static uint64_t memory_hash(const pexec_t *x, const pwarp_t *w) {
  uint64_t h = mix_bytes(1, w->local, (size_t)WARP_LANES * x->local_stride);
  return mix_bytes(h, w->param, (size_t)WARP_LANES * x->param_stride);
}

static void keep(const pexec_t *x, const pwarp_t *w, pwatch_t *k) {
  k->pc = w->pc, k->mask = w->mask;
  k->flow = flow_hash(w), k->memory = memory_hash(x, w);
}

void watch_look(const pexec_t *x, pwarp_t *w) {
  pwatch_t *k = &w->watch;
  if (k->world != watch_world(x)) *k = (pwatch_t){.world = watch_world(x)};
  if (k->circles || !w->active) return;
  if (k->looks && k->pc == w->pc && k->mask == w->mask && k->flow == flow_hash(w) &&
      k->memory == memory_hash(x, w))
    k->circles = true;
  else if (!(k->looks & (k->looks + 1))) /* 0, 1, 3, 7, ...: the next is a power of two */
    keep(x, w, k);
  k->looks++;
}

bool watch_waits(const pexec_t *x, const pwarp_t *w) {
  if (!w->live || !w->active || w->held) return true;
  return w->watch.circles && w->watch.world == watch_world(x);
}
