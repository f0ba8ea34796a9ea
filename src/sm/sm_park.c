/* Turns of several applications on one SM: the blocks of one are put away as they stand, those of
 * another come back and go on. Invariant of a context that is put away: every warp in it is
 * runnable with its operands there, at a barrier, done, or not there at all; every slot has been
 * charged up to the same cycle. */
#include "sm/sm_internal.h"
#include <string.h>

int sm_context_init(sm_context_t *c, const sm_spec_t *spec, uint8_t owner, arrays_t *a, err_t *e) {
  memset(c, 0, sizeof *c);
  c->owner = owner;
  memset(c->last, SCHED_GONE, sizeof c->last);
  c->reg_file = sm_reg_file(a);
  if (!c->reg_file) return err_set(e, GMMU_ENOMEM, "out of memory for the turns of an SM");
  for (uint32_t i = 0; i < spec->warps; i++) warp_init(&c->warp[i], spec, i, c->reg_file);
  return GMMU_OK;
}

static bool slot_empty(const warp_t *w) { return w->state == WARP_EMPTY || w->state == WARP_DONE; }

/* ---- time ---- */

static void leave_warp(warp_t *w, uint64_t stopped, uint64_t now, stall_t why) {
  if (w->state == WARP_MEMORY) return;
  uint64_t t = w->charged;
  if (w->state == WARP_BARRIER) {
    t = charge(w->stats, t, stopped, now, STALL_BARRIER);
  } else {
    t = charge(w->stats, t, w->ready_at, now, STALL_ALU);
    t = charge(w->stats, t, stopped, now, STALL_STRUCTURAL);
  }
  w->charged = charge(w->stats, t, now, now, why);
}

void sm_leave(sm_t *s, uint64_t stopped, uint64_t now) {
  sm_stats_t *st = &s->stats[s->owner];
  for (uint32_t i = 0; i < s->spec->warps; i++) {
    if (!slot_empty(&s->warp[i])) {
      leave_warp(&s->warp[i], stopped, now, STALL_TURN);
      continue;
    }
    uint64_t t = charge(st, s->empty_since[i], stopped, now, STALL_EMPTY);
    s->empty_since[i] = charge(st, t, now, now, STALL_TURN);
  }
}

void sm_pause(sm_t *s, uint64_t stopped, uint64_t now) {
  for (uint32_t i = 0; i < s->spec->warps; i++)
    if (!slot_empty(&s->warp[i])) leave_warp(&s->warp[i], stopped, now, STALL_COMPACT);
  sm_wake_memory(s, now, s->ready & s->wants[UNIT_MEM]);
}

/* The turn of others, in every slot, up to `now`. */
static void charge_turn(warp_t *warp, uint64_t *empty_since, uint32_t warps, sm_stats_t *st,
                        uint64_t now) {
  for (uint32_t i = 0; i < warps; i++) {
    uint64_t *since = slot_empty(&warp[i]) ? &empty_since[i] : &warp[i].charged;
    *since = charge(st, *since, now, now, STALL_TURN);
  }
}

void sm_return(sm_t *s, uint64_t now) {
  charge_turn(s->warp, s->empty_since, s->spec->warps, &s->stats[s->owner], now);
  sm_wake_memory(s, now, s->ready & s->wants[UNIT_MEM]);
}

void sm_context_settle(sm_context_t *c, const sm_spec_t *spec, sm_stats_t *stats, uint64_t now) {
  charge_turn(c->warp, c->empty_since, spec->warps, &stats[c->owner], now);
  stats[c->owner].slot_cycles += (uint64_t)spec->warps * now;
}

/* ---- places ---- */

static void swap(void *a, void *b, size_t size) {
  char *x = a, *y = b;
  for (size_t i = 0; i < size; i++) {
    char t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* The masks and the order of age that the warps of the SM imply. */
static void rebuild_masks(sm_t *s) {
  clear_masks(s);
  s->resident = 0;
  for (uint32_t i = 0; i < s->spec->warps; i++) {
    warp_t *w = &s->warp[i];
    if (w->state == WARP_EMPTY) continue;
    s->by_age[w->age] = w;
    s->resident++;
    s->mine[w->scheduler] |= w->bit;
    if (w->state != WARP_DONE) s->wants[w->in->unit] |= w->bit;
    if (w->state == WARP_RUNNABLE) s->ready |= w->bit;
  }
}

void sm_exchange(sm_t *s, sm_context_t *c) {
#define SWAP(field) swap(&s->field, &c->field, sizeof c->field)
  SWAP(warp);
  SWAP(cta);
  SWAP(empty_since);
  SWAP(reg_file);
  SWAP(threads_used);
  SWAP(registers_used);
  SWAP(shared_used);
  SWAP(ctas_used);
  SWAP(last);
  SWAP(owner);
#undef SWAP
  if (s->shared_used > s->shared_most) s->shared_most = s->shared_used;
  rebuild_masks(s);
}

bool sm_context_check(const sm_context_t *c, const sm_spec_t *spec) {
  uint64_t ages = 0;
  uint32_t resident = 0;
  for (uint32_t i = 0; i < spec->warps; i++) {
    const warp_t *w = &c->warp[i];
    if (w->state == WARP_MEMORY || w->loads) return false;
    if ((w->state == WARP_EMPTY) != (w->age == SCHED_GONE)) return false;
    if (w->state == WARP_EMPTY) continue;
    ages |= 1ull << w->age;
    resident++;
  }
  return resident == SM_MAX_WARPS ? ages == UINT64_MAX : ages == (1ull << resident) - 1;
}
