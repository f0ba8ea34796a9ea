/* After a skip: warps go on when they would have, and the machine fills until it is as full as in
 * the middle of a program.
 *
 * At the end of a skip every warp stands behind a memory access, and nothing is under way. If all
 * went on at once, they would issue a burst of arithmetic, then ask for memory together, and so on,
 * in waves. So each is held until its access would have been answered, by the clock of rounds:
 * warps of a block, which asked together, go on together, and blocks end one after the other, as
 * before. Then cycles pass until each has been answered, and as many lines are under way as when
 * the skip began, but no more than SETTLE_PART of it. */
#include "gpu/machine.h"

#define SETTLE_ANSWERS 8

static warp_t *slot_at(gpu_t *g, uint32_t i) {
  return &g->cores.sm[i / g->spec.sm.warps].warp[i % g->spec.sm.warps];
}
static uint32_t slots_of(const gpu_t *g) { return g->spec.core.sms * g->spec.sm.warps; }
static bool slot_lives(const warp_t *w) { return w->state != WARP_EMPTY && w->state != WARP_DONE; }

static uint64_t lines_under_way(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->share.apps; a++) n += g->share.lines[a];
  return n;
}

/* A skip begins. */
static void restart_note(gpu_t *g) {
  sampling_t *s = &g->sampling;
  for (uint32_t a = 0; a < s->apps; a++) {
    s->pace[a].alone = s->pace[a].accesses = s->pace[a].far = 0;
    pace_learn(g, a, &s->before[a]);
  }
  s->lines_before = g->ev.now ? lines_under_way(g) : UINT64_MAX;
  s->drains = true;
  s->drain = g->ev.now;
}

/* Nothing is under way any more: warps go on in the order in which memory has answered them. */
static void restart_drained(gpu_t *g) {
  sampling_t *s = &g->sampling;
  s->drains = false;
  s->clock = later(s->clock, g->ev.now);
  for (uint32_t i = 0; i < slots_of(g); i++) {
    warp_t *w = slot_at(g, i);
    if (w->state == WARP_RUNNABLE)
      w->not_before = s->clock + later(w->ready_at, s->drain) - s->drain;
  }
}

/* It ends: warps are held. */
static void restart_spread(gpu_t *g) {
  sampling_t *s = &g->sampling;
  for (uint32_t a = 0; a < s->apps; a++) s->before[a] = pace_sums(g, a);
  for (uint32_t i = 0; i < slots_of(g); i++) {
    warp_t *w = slot_at(g, i);
    sm_t *at = &g->cores.sm[i / g->spec.sm.warps];
    if (w->state != WARP_RUNNABLE || !(at->ready & w->bit) || w->not_before < s->clock + 2)
      continue;
    at->ready &= ~w->bit;
    w->state = WARP_HELD;
    w->ready_at = g->ev.now + (w->not_before - s->clock);
    g->cores.held++;
    message_send(&g->ev, FROM_SM(at->id), w->ready_at, EV_RELEASE, i);
  }
}

/* The warm phase begins, when `done` has been done. */
static void settle_begin(gpu_t *g, uint64_t done, uint64_t most) {
  sampling_t *s = &g->sampling;
  for (uint32_t i = 0; i < slots_of(g); i++) s->answers[i] = slot_at(g, i)->answers;
  s->settled = 0;
  s->begun = done;
  s->most = later(s->target, done + most);
}

/* All warps have been answered, and the machine is about as full as it was. As much again follows:
 * the moment at which it is that full is not like any other. */
static bool settle_full(gpu_t *g, uint64_t done) {
  sampling_t *s = &g->sampling;
  if (g->cores.held || lines_under_way(g) < s->lines_before / 8 * 7) return false;
  s->most = earlier(s->most, done + (done - s->begun));
  return true;
}

/* Slots are asked one after the other: one that has settled is not asked again. */
static bool settle_over(gpu_t *g, uint64_t done) {
  sampling_t *s = &g->sampling;
  if ((s->phase != SAMPLING_WARMS && s->phase != SAMPLING_BEGINS) || s->launches) return true;
  for (; s->settled < slots_of(g); s->settled++) {
    const warp_t *w = slot_at(g, s->settled);
    if (slot_lives(w) && (uint16_t)(w->answers - s->answers[s->settled]) < SETTLE_ANSWERS)
      return false;
  }
  if (s->settled == slots_of(g) && settle_full(g, done)) s->settled++;
  return done >= s->most;
}
