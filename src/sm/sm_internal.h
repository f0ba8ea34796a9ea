#ifndef GMMU_SM_INTERNAL_H
#define GMMU_SM_INTERNAL_H
/* Shared between the files of this room only: what a warp waits for before its next instruction. */
#include "base/inline.h"
#include "sm/sm.h"

/* It was a barrier, or the last instruction of its warp; or its source has failed. */
void issue_stop(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in, uint32_t next);
void issue_failed(sm_t *s, warp_t *w);
void warp_ended(sm_t *s, warp_t *w);
void warp_init(warp_t *w, const sm_spec_t *spec, uint32_t slot, uint64_t *reg_file);
/* The scoreboard of an SM, on cache lines of the host; a warp that begins clears its registers. The
 * caller frees it. */
uint64_t *sm_reg_file(arrays_t *a);
void clear_masks(sm_t *s); /* of warps by age */

ALWAYS_INLINE uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
ALWAYS_INLINE uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The part of [from, end) that is before `to` goes to `why`; returns where the next part begins.
 * Stamps may lie after `to`. */
ALWAYS_INLINE uint64_t charge(sm_stats_t *st, uint64_t from, uint64_t end, uint64_t to,
                              stall_t why) {
  end = earlier(end, to);
  if (end <= from) return from;
  st->stall[why] += end - from;
  return end;
}

NEVER_INLINE void set_results(uint64_t *reg_at, uint32_t dst, uint32_t dsts, uint64_t at) {
  for (uint32_t i = 1; i < dsts; i++) reg_at[SM_REG_PLACE(dst + i)] = at;
}

/* The value of the registers that the instruction writes (at least one, which may be REG_NONE). */
ALWAYS_INLINE void set_result(warp_t *w, const decoded_t *in, uint64_t at) {
  w->reg_at[in->dst_place] = at;
  if (in->dsts > 1) set_results(w->reg_at, in->dst, in->dsts, at);
}

/* The warp gets ready in cycle `at`, one of the next 63. */
ALWAYS_INLINE void ring_put(sm_t *s, const warp_t *w, uint64_t at) {
  s->ring[at & (SM_RING - 1)] |= w->bit;
  sm_calendar_enter(s, at);
}
NEVER_INLINE uint64_t many_operands_at(const uint64_t *r, const decoded_t *in, uint64_t t) {
  for (uint32_t i = 4; i < in->regs; i++) t = later(t, r[in->place[i]]);
  return t;
}
/* The cycle from which every register the instruction reads or writes can be used, but not before
 * `earliest`. Most instructions name one or two registers. */
ALWAYS_INLINE uint64_t operands_at(const uint64_t *r, const decoded_t *in, uint64_t earliest) {
  uint64_t t = later(earliest, later(r[in->place[0]], r[in->place[1]]));
  if (in->regs > 2) {
    t = later(t, later(r[in->place[2]], r[in->place[3]]));
    if (in->regs > 4) return many_operands_at(r, in, t);
  }
  return t;
}

/* A warp that was among the ready ones waits for its operands. */
ALWAYS_INLINE void warp_wait(sm_t *s, warp_t *w, uint64_t until, uint64_t earliest) {
  s->ready &= ~w->bit;
  if (until != REG_PENDING) {
    ring_put(s, w, until);
  } else {
    w->state = WARP_MEMORY;
    w->not_before = earliest;
  }
}

/* Where a runnable warp, which is among the ready ones, goes next. */
ALWAYS_INLINE void warp_file(sm_t *s, warp_t *w, const decoded_t *in, uint64_t now,
                             uint64_t earliest) {
  uint64_t t = operands_at(w->reg_at, in, earliest);
  w->ready_at = t;
  if (t > now + 1)
    warp_wait(s, w, t, earliest);
  else if (in->unit == UNIT_MEM)
    w->blocked_before = lookups_blocked(&s->look, now + 1);
}

/* Where a warp's next instruction stands: makes it ready, timed, or waiting for memory. It issues
 * after `now`, and not before `earliest`. */
ALWAYS_INLINE void warp_prepare(sm_t *s, warp_t *w, uint64_t now, uint64_t earliest) {
  w->state = WARP_RUNNABLE;
  s->ready |= w->bit;
  warp_file(s, w, w->in, now, earliest);
}

/* ---- parts of issuing one instruction ---- */

/* Cycles since the last charge: first the operands were missing; how many were left then? */
ALWAYS_INLINE uint64_t charge_operands(warp_t *w, uint64_t now) {
  uint64_t from = later(w->charged, w->ready_at);
  w->stats->stall[STALL_ALU] += from - w->charged;
  w->charged = now + 1;
  return now - from;
}

/* Active lanes; most masks are full, and not every x86-64 has an instruction for it. */
ALWAYS_INLINE uint32_t lanes(uint32_t m) {
  if (__builtin_expect(m == UINT32_MAX, 1)) return 32;
  m -= m >> 1 & 0x55555555u;
  m = (m & 0x33333333u) + (m >> 2 & 0x33333333u);
  return ((m + (m >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

ALWAYS_INLINE void count_issue(const sm_t *s, warp_t *w) {
  w->stats->warp_instructions++;
  w->stats->thread_instructions += lanes(s->op.mask);
}

/* The next instruction takes the place of `in`. */
ALWAYS_INLINE const decoded_t *advance(sm_t *s, warp_t *w, const decoded_t *in, uint32_t next) {
  const decoded_t *then = w->code + next;
  w->in = then;
  if (then->unit != in->unit) {
    s->wants[in->unit] &= ~w->bit;
    s->wants[then->unit] |= w->bit;
  }
  return then;
}
#endif
