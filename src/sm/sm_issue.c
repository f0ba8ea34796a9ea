/* Issue: each scheduler picks one warp whose operands are there and whose unit is free.
 *
 * The way of an arithmetic instruction is kept short and straight; what is rarer stands apart. */
#include "sm/sm_internal.h"

/* ---- barriers and ends ---- */

static void release_barrier(sm_t *s, uint64_t now, cta_t *c, uint8_t number) {
  for (uint64_t m = c->warps; m; m &= m - 1) {
    warp_t *w = &s->warp[__builtin_ctzll(m)];
    if (w->state != WARP_BARRIER || w->barrier != number) continue;
    w->stats->stall[STALL_BARRIER] += now + 1 - w->charged;
    w->charged = now + 1;
    warp_prepare(s, w, now, now + 1);
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
  if (--s->cta[w->cta].open) return;
  s->ended |= 1u << w->cta;
  s->rare = true;
}

/* A warp that exits no longer counts at barriers, so its block's barriers may open. */
static void warp_exit(sm_t *s, uint64_t now, warp_t *w) {
  cta_t *c = &s->cta[w->cta];
  w->state = WARP_DONE;
  s->empty_since[w->slot] = now + 1;
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

static void access_shared(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  uint32_t passes = bank_conflicts(&s->op, in->width_bytes),
           latency = in->latency_cycles + passes - 1;
  w->stats->shared_accesses++;
  w->stats->bank_conflict_cycles += passes - 1;
  s->shared_free = now + passes;
  s->units_open = later(s->units_open, s->shared_free);
  if (in->dsts) set_result(w, in, now + (latency < SM_RING ? latency : SM_RING - 1));
}

/* A barrier, the last instruction of a warp, or a source that failed. */
void issue_stop(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in, uint32_t next) {
  s->ready &= ~w->bit;
  if (in->kind == OP_EXIT || next == STREAM_END) {
    warp_exit(s, now, w);
  } else {
    advance(s, w, in, next);
    reach_barrier(s, now, w);
  }
}

/* The unit takes no other warp of this scheduler for a while. Returns when it takes this one, if it
 * has a result: at once, unless others wait before it. */
ALWAYS_INLINE uint64_t occupy_unit(sm_t *s, uint64_t now, const warp_t *w, const decoded_t *in) {
  sm_unit_t *u = &s->unit[w->scheduler][in->unit];
  uint64_t start = later(now, u->free), until = start + in->interval_cycles,
           open = later(until, in->ahead_cycles) - in->ahead_cycles;
  *u = (sm_unit_t){.free = until, .open = open};
  s->units_open = later(s->units_open, open);
  return in->dsts ? start : now;
}

void issue_failed(sm_t *s, warp_t *w) {
  s->ready &= ~w->bit;
  s->failed = s->rare = true;
  s->failed_src = w->src;
}

/* Whatever is neither plain arithmetic with an instruction to follow nor a memory access. */
NEVER_INLINE void issue_other(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in,
                              uint32_t next) {
  if (next == STREAM_FAIL) {
    issue_failed(s, w);
    return;
  }
  count_issue(s, w);
  if (in->kind == OP_SHARED) {
    access_shared(s, now, w, in);
  } else {
    uint64_t start = in->interval_cycles ? occupy_unit(s, now, w, in) : now;
    set_result(w, in, start + in->latency_cycles);
  }
  if (in->kind >= OP_BARRIER || next == STREAM_END)
    issue_stop(s, now, w, in, next);
  else
    warp_file(s, w, advance(s, w, in, next), now, now + 1);
}

/* Charges the warp's wait; the source gives the instruction's lanes, and the next one. */
ALWAYS_INLINE uint32_t step(sm_t *s, uint64_t now, warp_t *w) {
  w->stats->stall[STALL_STRUCTURAL] += charge_operands(w, now);
  return w->step(w->src, now, w->source_slot, &s->op);
}

NEVER_INLINE void issue_rare(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  issue_other(s, now, w, in, step(s, now, w));
}

ALWAYS_INLINE void issue(sm_t *s, uint64_t now, warp_t *w) {
  const decoded_t *in = w->in;
  if (in->kind != OP_PLAIN) {
    if (__builtin_expect(in->kind == OP_MEMORY, 1))
      issue_memory(s, now, w, in);
    else
      issue_rare(s, now, w, in);
    return;
  }
  uint32_t next = step(s, now, w);
  if (next >= STREAM_FAIL) {
    issue_other(s, now, w, in, next);
    return;
  }
  count_issue(s, w);
  uint64_t start = in->interval_cycles ? occupy_unit(s, now, w, in) : now;
  set_result(w, in, start + in->latency_cycles);
  warp_file(s, w, advance(s, w, in, next), now, now + in->gap_cycles);
}

/* Warps whose unit, other than the load/store unit, is still taken by an earlier instruction. */
NEVER_INLINE uint64_t waiting_for_unit(const sm_t *s, uint32_t k, uint64_t now) {
  uint64_t m = 0;
  for (uint32_t u = UNIT_ALU; u < s->units; u++)
    if (s->unit[k][u].open > now) m |= s->wants[u];
  return s->shared_free > now ? m | s->wants[UNIT_SHARED] : m;
}

/* Scheduler k picks one of the warps that may issue in this cycle. Returns the unit that this one's
 * instruction goes to; UNIT_ANY, too, if there is none. `plain`: see sm_t. */
ALWAYS_INLINE unit_t issue_of(sm_t *s, uint64_t now, uint32_t k, bool plain) {
  uint64_t can = s->turn & s->mine[k];
  if (!can) return UNIT_ANY;
  if (s->units_open > now) {
    if (!plain && !k && s->walks_until > now) return UNIT_ANY;
    if (can & ~(s->wants[UNIT_ANY] | s->wants[UNIT_MEM])) can &= ~waiting_for_unit(s, k, now);
    if (!can) return UNIT_ANY;
  }
  uint32_t last = s->last[k], age = plain || s->greedy ? sched_gto_pick(can, last)
                                    : s->pick          ? s->pick(can, last)
                                                       : s->choose(s->policy, can, last);
  s->last[k] = (uint8_t)age;
  warp_t *w = s->by_age[age];
  unit_t unit = w->in->unit;
  issue(s, now, w);
  return unit;
}

static uint32_t scheduler_after(const sm_t *s, uint32_t k) {
  return k + 1 < s->schedulers ? k + 1 : 0;
}
/* With sm.fair: whose turn it is among those with a warp for shared memory, if this is free. */
static uint32_t shared_turn(const sm_t *s, uint64_t now) {
  uint64_t want = s->fair ? s->turn & s->wants[UNIT_SHARED] : 0;
  if (!want || s->shared_free > now) return SM_MAX_SCHEDULERS;
  uint32_t k = s->first;
  while (!(want & s->mine[k])) k = scheduler_after(s, k);
  return k;
}

/* Any SM: whose turn it is at shared memory goes first, then the others in order. */
NEVER_INLINE void issue_any(sm_t *s, uint64_t now) {
  uint32_t first = shared_turn(s, now);
  for (uint32_t i = first == SM_MAX_SCHEDULERS; i <= s->schedulers; i++) {
    uint32_t k = i ? i - 1 : first;
    if (i && k == first) continue;
    if (issue_of(s, now, k, false) == UNIT_SHARED) s->first = scheduler_after(s, k);
  }
}

/* Fast path: a plain SM. issue_any() does the same for any. */
ALWAYS_INLINE void sm_issue_turn(sm_t *s, uint64_t now) {
  if (!FAST(s->plain)) {
    issue_any(s, now);
    return;
  }
  uint32_t k = 0;
  do /* there is one at least */
    issue_of(s, now, k, true);
  while (++k < s->schedulers);
}

/* The warps are those ready at the cycle's begin: one that another scheduler's instruction wakes
 * (at a barrier) issues in the next cycle at the earliest. False if there is none but those that
 * wait for the load/store unit, which an answer or a look-up will free. */
ALWAYS_INLINE bool sm_issue(sm_t *s, uint64_t now) {
  s->turn = s->ready;
  if ((s->turn & s->wants[UNIT_MEM]) && !sm_lsu_free(s)) {
    s->turn &= ~s->wants[UNIT_MEM];
    if (!s->turn) return false;
  }
  sm_issue_turn(s, now);
  return true;
}
