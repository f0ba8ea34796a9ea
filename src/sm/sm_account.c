/* Where a warp's waiting time went. A warp that waits for a load is charged by the load's last
 * line: at each cycle the warp waits for whatever that line waited for. */
#include "sm/sm_internal.h"
#include <string.h>

/* A request that missed the first TLB: its way to the translation, in the order it took. */
NEVER_INLINE uint64_t charge_splits(sm_stats_t *st, uint64_t from, const request_t *r,
                                    uint64_t to) {
  static const uint8_t reason[SPLITS] = {[SPLIT_TLB2] = STALL_TLB2,
                                         [SPLIT_WALK_QUEUE] = STALL_WALK_QUEUE,
                                         [SPLIT_WALK_L2] = STALL_WALK_L2,
                                         [SPLIT_WALK_DRAM] = STALL_WALK_DRAM,
                                         [SPLIT_FAULT] = STALL_FAULT};
  uint32_t split[SPLITS];
  request_split(r, split);
  uint64_t t = stamp_full(to, r->t_xlat) - r->below;
  from = charge(st, from, t, to, STALL_TLB1);
  for (uint32_t i = 0; i < SPLITS; i++) {
    t += split[i];
    from = charge(st, from, t, to, reason[i]);
  }
  return from;
}

ALWAYS_INLINE uint64_t charge_translation(sm_stats_t *st, uint64_t from, const request_t *r,
                                          uint64_t to) {
  if (r->flags & REQ_SPLIT) return charge_splits(st, from, r, to);
  return charge(st, from, stamp_full(to, r->t_xlat), to, STALL_TLB1);
}

/* From L1 on. The time after t_ret, and that of a hit in L2, is the way back. */
ALWAYS_INLINE uint64_t charge_miss(sm_stats_t *st, uint64_t from, const request_t *r, uint64_t to) {
  from = charge(st, from, stamp_full(to, r->t_miss), to, STALL_L1);
  if (r->flags & REQ_DRAM) {
    from = charge(st, from, stamp_full(to, r->t_dram), to, STALL_L2);
    from = charge(st, from, r->flags & REQ_RET ? stamp_full(to, r->t_ret) : to, to, STALL_DRAM);
  }
  return charge(st, from, to, to, STALL_L2);
}

ALWAYS_INLINE void charge_memory(const sm_t *s, sm_stats_t *st, warp_t *w, const request_t *r,
                                 uint64_t t_issue, uint64_t to) {
  uint64_t from = charge(st, w->charged, t_issue + s->spec->lsu_latency, to, STALL_STRUCTURAL);
  if (r->flags & REQ_XLATED) from = charge_translation(st, from, r, to);
  if (r->flags & REQ_MISSED) from = charge_miss(st, from, r, to);
  w->charged = charge(st, from, to, to, r->flags & REQ_XLATED ? STALL_L1 : STALL_TLB1);
}

/* The same, and whoever watches hears of it. */
NEVER_INLINE void charge_watched(const sm_t *s, warp_t *w, const request_t *r, uint64_t t_issue,
                                 uint64_t to) {
  uint64_t part[STALLS];
  memcpy(part, w->stats->stall, sizeof part);
  charge_memory(s, w->stats, w, r, t_issue, to);
  for (uint32_t i = 0; i < STALLS; i++) part[i] = w->stats->stall[i] - part[i];
  WATCH_TELL(s->watch->charged, (uint32_t)(r - s->pool->at), w->app, part);
}

void sm_charge_memory(sm_t *s, warp_t *w, const request_t *r, uint64_t t_issue, uint64_t to) {
  if (s->watch)
    charge_watched(s, w, r, t_issue, to);
  else
    charge_memory(s, w->stats, w, r, t_issue, to);
}

/* All that sm_charge_memory() sees of a line of a load. */
#define LINE_STAMPS 8
static void line_stamps(const sm_t *s, const request_t *r, uint64_t at[LINE_STAMPS]) {
  bool split = r->flags & REQ_SPLIT;
  at[0] = s->load[r->owner].t_issue;
  at[1] = r->flags & REQ_XLATED ? r->t_xlat : UINT64_MAX;
  at[2] = r->flags & REQ_MISSED ? r->t_miss : UINT64_MAX;
  at[3] = r->flags & REQ_DRAM ? r->t_dram : UINT64_MAX;
  at[4] = r->flags & REQ_RET ? r->t_ret : UINT64_MAX;
  at[5] = split ? (uint64_t)r->below << 32 | r->stages.fault : 0;
  at[6] = split ? (uint64_t)r->stages.queue << 32 | r->stages.walk : 0;
  at[7] = split ? r->stages.dram : 0;
}
static bool is_behind(const sm_t *s, const request_t *a, const request_t *b) {
  uint64_t x[LINE_STAMPS], y[LINE_STAMPS];
  line_stamps(s, a, x), line_stamps(s, b, y);
  for (uint32_t i = 0; i < LINE_STAMPS; i++)
    if (x[i] != y[i]) return x[i] > y[i];
  return false;
}

/* For each warp, of the lines that it still waits for, the one that is furthest behind, of the load
 * that was issued last: which of two that are equally far is charged for makes no difference. One
 * walk over the pool serves all warps: it holds the requests of every SM. */
static void pending_lines(const sm_t *s, const request_t *last[SM_MAX_WARPS]) {
  memset(last, 0, SM_MAX_WARPS * sizeof *last);
  for (uint32_t i = 0; i < s->pool->capacity; i++) {
    const request_t *r = &s->pool->at[i];
    if (r->sm != s->id || !request_awaited(r) || (r->kind != REQ_LOAD && r->kind != REQ_ATOMIC))
      continue;
    const request_t **of_warp = &last[s->load[r->owner].warp - s->warp];
    if (!*of_warp || is_behind(s, r, *of_warp)) *of_warp = r;
  }
}

/* Who pays for a slot whose warp has gone. */
static sm_stats_t *payer(const sm_t *s, const warp_t *w) {
  return s->shared && w->state == WARP_DONE ? w->stats : &s->stats[s->owner];
}

static void settle_slots(sm_t *s, uint64_t now) {
  if (!s->shared) s->stats[s->owner].slot_cycles += (uint64_t)s->spec->warps * now;
  for (uint32_t i = 0; s->shared && i < SM_MAX_CTAS; i++) {
    const cta_t *c = &s->cta[i];
    if (c->used && now > c->since)
      s->stats[c->app].slot_cycles += (uint64_t)__builtin_popcountll(c->warps) * (now - c->since);
  }
}

void sm_settle(sm_t *s, uint64_t now) {
  const request_t *last[SM_MAX_WARPS];
  pending_lines(s, last);
  for (uint32_t i = 0; i < s->spec->warps; i++) {
    warp_t *w = &s->warp[i];
    if (w->state == WARP_EMPTY || w->state == WARP_DONE) {
      if (now > s->empty_since[i]) payer(s, w)->stall[STALL_EMPTY] += now - s->empty_since[i];
      s->empty_since[i] = now;
    } else if (w->state == WARP_MEMORY) {
      if (last[i]) sm_charge_memory(s, w, last[i], s->load[last[i]->owner].t_issue, now);
    } else if (w->state == WARP_BARRIER) {
      w->charged = charge(w->stats, w->charged, now, now, STALL_BARRIER);
    } else {
      uint64_t from = charge(w->stats, w->charged, w->ready_at, now, STALL_ALU);
      w->charged = charge(w->stats, from, now, now, STALL_STRUCTURAL);
    }
  }
  settle_slots(s, now);
}
