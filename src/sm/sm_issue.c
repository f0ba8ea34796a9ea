/* Issue: each scheduler picks one warp whose operands are there and whose unit is free. */
#include "sm/sm.h"
#include "sm/sm_internal.h"

static const uint8_t unit_of_class[IC_COUNT] = {
    [IC_INT] = UNIT_ALU,     [IC_FP32] = UNIT_ALU,  [IC_FP64] = UNIT_FP64, [IC_SFU] = UNIT_SFU,
    [IC_BRANCH] = UNIT_ALU,  [IC_LOAD] = UNIT_MEM,  [IC_STORE] = UNIT_MEM, [IC_ATOMIC] = UNIT_MEM,
    [IC_BARRIER] = UNIT_ALU, [IC_FENCE] = UNIT_ALU, [IC_EXIT] = UNIT_ALU,
};

static uint8_t unit_of(const inst_t *in) {
  uint8_t u = unit_of_class[in->cls];
  if (u != UNIT_MEM || in->space <= SPACE_TEXTURE) return u;
  return in->space == SPACE_SHARED ? UNIT_SHARED : UNIT_ALU;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The cycle from which every register the instruction reads or writes can be used. */
static uint64_t operands_at(const warp_t *w, const inst_t *in) {
  const uint64_t *r = w->reg_at;
  uint64_t t = later(later(r[in->src[0]], r[in->src[1]]), later(r[in->src[2]], r[in->src[3]]));
  t = later(t, later(r[in->dst], w->not_before));
  for (uint32_t i = 1; i < in->dsts; i++) t = later(t, r[in->dst + i]);
  return t;
}

void warp_prepare(sm_t *s, warp_t *w, uint32_t slot, uint64_t now) {
  const inst_t *in = &w->table[w->next];
  uint64_t t = operands_at(w, in);
  w->unit = unit_of(in);
  if (t <= now + 1) {
    w->ready_at = now + 1;
    warp_make_ready(s, w, now + 1);
  } else if (t != REG_PENDING) {
    w->ready_at = t;
    w->state = WARP_TIMED;
    s->ring[t & (SM_RING - 1)] |= 1ull << slot;
    s->ring_used |= 1ull << (t & (SM_RING - 1));
  } else {
    w->state = WARP_MEMORY;
  }
}

static void set_result(warp_t *w, const inst_t *in, uint64_t at) {
  if (in->dst == REG_NONE) return;
  for (uint32_t i = 0; i < in->dsts; i++) w->reg_at[in->dst + i] = at;
}

/* ---- barriers and ends ---- */

static void release_barrier(sm_t *s, uint64_t now, cta_t *c, uint8_t number) {
  for (uint64_t m = c->warps; m; m &= m - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(m);
    warp_t *w = &s->warp[slot];
    if (w->state != WARP_BARRIER || w->barrier != number) continue;
    w->stats->stall[STALL_BARRIER] += now + 1 - w->charged;
    w->charged = now + 1;
    warp_prepare(s, w, slot, now);
  }
}

/* Warps of the block that wait at barrier `number`. */
static uint32_t waiting_at(const sm_t *s, const cta_t *c, uint8_t number) {
  uint32_t n = 0;
  for (uint64_t m = c->warps; m; m &= m - 1) {
    const warp_t *w = &s->warp[__builtin_ctzll(m)];
    n += w->state == WARP_BARRIER && w->barrier == number;
  }
  return n;
}

static void reach_barrier(sm_t *s, uint64_t now, warp_t *w) {
  cta_t *c = &s->cta[w->cta];
  uint8_t number = (uint8_t)s->op.base;
  uint32_t threads = (uint32_t)s->op.stride,
           expected = threads ? (threads + WARP_LANES - 1) / WARP_LANES : c->live;
  w->stats->barriers++;
  w->state = WARP_BARRIER;
  w->barrier = number;
  if (waiting_at(s, c, number) >= expected) release_barrier(s, now, c, number);
}

void warp_ended(sm_t *s, warp_t *w) {
  if (--s->cta[w->cta].open == 0) s->ended |= 1u << w->cta;
}

/* A warp that exits no longer counts at barriers, so its block's barriers may open. */
static void warp_exit(sm_t *s, uint64_t now, warp_t *w, uint32_t slot) {
  cta_t *c = &s->cta[w->cta];
  w->state = WARP_DONE;
  s->empty_since[slot] = now + 1;
  if (!w->loads) warp_ended(s, w);
  if (!--c->live) return;
  for (uint64_t m = c->warps; m; m &= m - 1) {
    const warp_t *o = &s->warp[__builtin_ctzll(m)];
    if (o->state != WARP_BARRIER) continue;
    uint8_t number = o->barrier;
    if (waiting_at(s, c, number) >= c->live) release_barrier(s, now, c, number);
  }
}

/* ---- one instruction ---- */

static void access_shared(sm_t *s, uint64_t now, warp_t *w, const inst_t *in) {
  uint32_t passes = bank_conflicts(&s->op, in->width),
           latency = s->spec->shared_latency + passes - 1;
  w->stats->shared_accesses++;
  w->stats->bank_conflict_cycles += passes - 1;
  s->shared_free = now + passes;
  set_result(w, in, now + (latency < SM_RING ? latency : SM_RING - 1));
}

static void execute(sm_t *s, uint64_t now, warp_t *w, uint32_t slot, const inst_t *in) {
  const sm_spec_t *p = s->spec;
  uint64_t *unit_free = s->unit_free[w->scheduler];
  switch (in->cls) {
  case IC_INT:
    set_result(w, in, now + p->int_latency);
    unit_free[UNIT_ALU] = now + p->int_interval;
    break;
  case IC_FP32:
    set_result(w, in, now + p->fp32_latency);
    unit_free[UNIT_ALU] = now + p->int_interval;
    break;
  case IC_FP64:
    set_result(w, in, now + p->fp64_latency);
    unit_free[UNIT_FP64] = now + p->fp64_interval;
    break;
  case IC_SFU:
    set_result(w, in, now + p->sfu_latency);
    unit_free[UNIT_SFU] = now + p->sfu_interval;
    break;
  case IC_LOAD:
  case IC_STORE:
  case IC_ATOMIC:
    if (w->unit == UNIT_MEM)
      lsu_enter(s, now, w, slot, in);
    else if (w->unit == UNIT_SHARED)
      access_shared(s, now, w, in);
    else
      set_result(w, in, now + p->const_latency);
    break;
  default: set_result(w, in, now + p->int_latency);
  }
}

/* Cycles since the last charge: first the operands were missing, then somebody else was served, or
 * the load/store unit stood still for want of a TLB miss register. */
static void charge_wait(const sm_t *s, warp_t *w, uint64_t now) {
  if (w->ready_at > w->charged) {
    w->stats->stall[STALL_ALU] += w->ready_at - w->charged;
    w->charged = w->ready_at;
  }
  if (now > w->charged) {
    uint64_t wait = now - w->charged,
             tlb = w->unit == UNIT_MEM ? sm_blocked(s, now) - w->blocked_before : 0;
    if (tlb > wait) tlb = wait;
    w->stats->stall[STALL_TLB1] += tlb;
    w->stats->stall[STALL_STRUCTURAL] += wait - tlb;
  }
  w->charged = now + 1;
}

/* Active lanes; most masks are full, and not every x86-64 has an instruction for it. */
static uint32_t lanes(uint32_t m) {
  if (m == UINT32_MAX) return 32;
  m -= m >> 1 & 0x55555555u;
  m = (m & 0x33333333u) + (m >> 2 & 0x33333333u);
  return ((m + (m >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static void issue(sm_t *s, uint64_t now, uint32_t age) {
  uint32_t slot = s->slot_of[age];
  warp_t *w = &s->warp[slot];
  const inst_t *in = &w->table[w->next];
  charge_wait(s, w, now);
  s->ready[w->unit] &= ~(1ull << age);
  s->last[w->scheduler] = (uint8_t)slot;
  uint32_t next = w->src->ops->step(w->src, now, w->source_slot, &s->op);
  if (next == STREAM_FAIL) {
    s->failed = true;
    s->failed_src = w->src;
    return;
  }
  w->stats->warp_instructions++;
  w->stats->thread_instructions += lanes(s->op.mask);
  execute(s, now, w, slot, in);
  w->next = next;
  if (in->cls == IC_EXIT || next == STREAM_END) {
    warp_exit(s, now, w, slot);
  } else if (in->cls == IC_BARRIER) {
    reach_barrier(s, now, w);
  } else {
    if (in->cls == IC_BRANCH) w->not_before = now + s->spec->branch_latency;
    warp_prepare(s, w, slot, now);
  }
}

/* The masks are those of the cycle's begin: a warp that one scheduler's instruction wakes (at a
 * barrier) issues in the next cycle at the earliest. */
void sm_issue(sm_t *s, uint64_t now) {
  uint64_t alu = s->ready[UNIT_ALU], fp64 = s->ready[UNIT_FP64], sfu = s->ready[UNIT_SFU],
           shared = s->ready[UNIT_SHARED];
  uint64_t mem = s->ready[UNIT_MEM];
  if (mem && !sm_lsu_free(s)) mem = 0;
  if (!(alu | fp64 | sfu | mem | shared)) return;
  for (uint32_t k = 0; k < s->spec->schedulers; k++) {
    uint64_t can = mem;
    if (s->shared_free <= now) can |= shared;
    if (s->unit_free[k][UNIT_ALU] <= now) can |= alu;
    if (s->unit_free[k][UNIT_FP64] <= now) can |= fp64;
    if (s->unit_free[k][UNIT_SFU] <= now) can |= sfu;
    can &= s->mine[k];
    if (!can) continue;
    uint32_t last = s->last[k] == SCHED_GONE ? SCHED_GONE : s->warp[s->last[k]].age;
    uint32_t age = s->sched->pick(can, last);
    if (s->warp[s->slot_of[age]].unit == UNIT_MEM) mem = 0; /* one memory instruction per cycle */
    issue(s, now, age);
  }
}
