/* Where a warp's waiting time went. A warp that waits for a load is charged by the load's last
 * line: at each cycle the warp waits for whatever that line waited for. */
#include "sm/sm.h"

/* Charge up to `end` (but not beyond `to`) to `why`, and move the mark. */
static void charge_until(warp_t *w, uint64_t end, uint64_t to, stall_t why) {
  if (end > to) end = to;
  if (end <= w->charged) return;
  w->stats->stall[why] += end - w->charged;
  w->charged = end;
}

static void charge_translation(warp_t *w, const request_t *r, uint64_t to) {
  static const uint8_t reason[SPLITS] = {[SPLIT_TLB2] = STALL_TLB2,
                                         [SPLIT_WALK_QUEUE] = STALL_WALK_QUEUE,
                                         [SPLIT_WALK_L2] = STALL_WALK_L2,
                                         [SPLIT_WALK_DRAM] = STALL_WALK_DRAM,
                                         [SPLIT_FAULT] = STALL_FAULT};
  uint64_t t = stamp_full(to, r->t_xlat);
  for (uint32_t i = 0; i < SPLITS; i++) t -= r->split[i];
  charge_until(w, t, to, STALL_TLB1);
  for (uint32_t i = 0; i < SPLITS; i++) {
    t += r->split[i];
    charge_until(w, t, to, reason[i]);
  }
}

void sm_charge_memory(sm_t *s, warp_t *w, const request_t *r, uint64_t t_issue, uint64_t to) {
  charge_until(w, t_issue + s->spec->lsu_latency, to, STALL_STRUCTURAL);
  charge_until(w, r->flags & REQ_LOOKED ? stamp_full(to, r->t_lookup) : to, to, STALL_TLB1);
  if (r->flags & REQ_XLATED) charge_translation(w, r, to);
  if (r->flags & REQ_MISSED) {
    charge_until(w, stamp_full(to, r->t_miss), to, STALL_L1);
    if (r->flags & REQ_DRAM) charge_until(w, stamp_full(to, r->t_dram), to, STALL_L2);
    if (r->flags & REQ_DRAM)
      charge_until(w, r->flags & REQ_RET ? stamp_full(to, r->t_ret) : to, to, STALL_DRAM);
    charge_until(w, to, to, STALL_L2);
  }
  charge_until(w, to, to, r->flags & REQ_XLATED ? STALL_L1 : STALL_TLB1);
}

/* Some line that warp `slot` still waits for. */
static const request_t *pending_line(const sm_t *s, uint32_t slot) {
  for (uint32_t i = 0; i < s->pool->capacity; i++) {
    const request_t *r = &s->pool->at[i];
    if ((r->kind == REQ_LOAD || r->kind == REQ_ATOMIC) && r->sm == s->id && r->owner != REQ_NONE &&
        s->load[r->owner].slot == slot)
      return r;
  }
  return NULL;
}

static void settle_memory(sm_t *s, warp_t *w, uint32_t slot, uint64_t now) {
  const request_t *r = pending_line(s, slot);
  if (r) sm_charge_memory(s, w, r, s->load[r->owner].t_issue, now);
}

void sm_settle(sm_t *s, uint64_t now) {
  for (uint32_t i = 0; i < s->spec->warps; i++) {
    warp_t *w = &s->warp[i];
    if (w->state == WARP_EMPTY || w->state == WARP_DONE) {
      if (now > s->empty_since[i]) s->stats[s->owner].stall[STALL_EMPTY] += now - s->empty_since[i];
      s->empty_since[i] = now;
    } else if (w->state == WARP_MEMORY) {
      settle_memory(s, w, i, now);
    } else if (w->state == WARP_BARRIER) {
      charge_until(w, now, now, STALL_BARRIER);
    } else {
      charge_until(w, w->ready_at, now, STALL_ALU);
      charge_until(w, now, now, STALL_STRUCTURAL);
    }
  }
  s->stats[s->owner].slot_cycles += (uint64_t)s->spec->warps * now;
}
