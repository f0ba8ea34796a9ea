/* Whose turn it is. Invariant: the blocks of the application whose turn it is are on the SMs, those
 * of all others in their contexts; during a change all are in their contexts. Contexts and SMs only
 * ever change places, so there is one context more than can be in use: an empty one, which belongs
 * to nobody. */
#include "gpu/turns.h"
#include "gpu/machine.h"
#include <stdlib.h>
#include <string.h>

bool turns_wanted(const share_spec_t *s) { return strcmp(s->mode, "time") == 0; }

static sm_context_t *context(const gpu_t *g, uint32_t app, uint32_t sm) {
  return &g->turns.parked[(size_t)app * g->spec.core.sms + sm];
}

static void exchange(gpu_t *g, uint32_t app) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++) sm_exchange(&g->sm[i], context(g, app, i));
}

int turns_init(gpu_t *g, err_t *e) {
  turns_t *t = &g->turns;
  uint32_t sms = g->spec.core.sms;
  t->end = UINT64_MAX;
  t->stats = calloc(g->apps, sizeof *t->stats);
  if (!t->stats) return err_set(e, GMMU_ENOMEM, "out of memory for turns");
  t->on = turns_wanted(&g->spec.share);
  if (!t->on) return GMMU_OK;
  t->parked = calloc((size_t)g->apps * sms, sizeof *t->parked);
  if (!t->parked) return err_set(e, GMMU_ENOMEM, "out of memory for turns");
  int rc = 0;
  for (uint32_t i = 0; i < g->apps * sms && rc == 0; i++)
    rc = sm_context_init(&t->parked[i], &g->spec.sm, (uint8_t)(i / sms), e);
  if (rc < 0) return rc;
  exchange(g, 0);
  t->stats[0].turns = 1;
  t->end = g->spec.share.quantum_cycles;
  return GMMU_OK;
}

void turns_fini(gpu_t *g) {
  for (uint32_t i = 0; g->turns.parked && i < g->apps * g->spec.core.sms; i++)
    sm_context_fini(&g->turns.parked[i]);
  free(g->turns.parked);
  free(g->turns.stats);
}

/* ---- the end of a turn ---- */

static bool has_work(const app_t *p) { return p->running && !p->waiting_launch; }

/* The next application that could use the SMs, in order; the one whose turn it is if nobody else
 * can. */
static uint32_t successor(const gpu_t *g) {
  uint32_t a = g->turns.current;
  do {
    a = (a + 1) % g->apps;
  } while (a != g->turns.current && !has_work(&g->app[a]));
  return a;
}

static void stop_issue(gpu_t *g, uint32_t next, uint64_t at) {
  turns_t *t = &g->turns;
  t->phase = TURN_DRAINS;
  moves_note_turn(g);
  t->next = next;
  t->stopped = at;
  t->end = UINT64_MAX;
  gpu_note_boundary(g);
}

void turns_quantum_over(gpu_t *g) {
  uint32_t next = successor(g);
  if (next != g->turns.current)
    stop_issue(g, next, g->ev.now);
  else
    g->turns.end = g->ev.now + g->spec.share.quantum_cycles;
}

/* ---- the change ---- */

static bool all_quiet(const gpu_t *g) {
  if (g->app_lines[g->turns.current]) return false; /* the SMs would say so, too */
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    if (!sm_quiet(&g->sm[i])) return false;
  return true;
}

/* Registers and shared memory of an application's blocks, all of which are in its contexts. */
static uint64_t state_bytes(const gpu_t *g, uint32_t app) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    const sm_context_t *c = context(g, app, i);
    n += 4ull * c->registers_used + c->shared_used;
  }
  return n;
}

/* At peak bandwidth: the machine does nothing else meanwhile. */
static uint64_t dram_cycles(const gpu_spec_t *s, uint64_t bytes) {
  uint64_t per =
      (uint64_t)s->dram.channels * s->dram.bus_bytes * s->dram.data_rate * s->dram.clock_mhz;
  return (bytes * s->core.clock_mhz + per - 1) / per;
}

static uint64_t change_cycles(const gpu_t *g, uint64_t saved, uint64_t restored) {
  const share_spec_t *s = &g->spec.share;
  if (strcmp(s->cost, "fixed") == 0) return s->switch_cycles;
  return dram_cycles(&g->spec, saved) + dram_cycles(&g->spec, restored);
}

static void flush(gpu_t *g) {
  for (uint32_t i = 0; g->spec.share.flush_l1 && i < g->spec.core.sms; i++)
    cache_invalidate_all(&g->l1[i].array);
  for (uint32_t a = 0; g->spec.share.flush_tlbs && a < g->apps; a++)
    apps_drop_translations(g, a, (vpn_t){0}, 1ull << g->spec.memory.va_bits);
  if (g->spec.share.flush_tlbs) walker_pwc_flush(&g->walker);
}

/* Everything up to and including this cycle belongs to the turn; a change takes one cycle at least.
 */
static void begin_change(gpu_t *g) {
  turns_t *t = &g->turns;
  uint64_t then = g->ev.now + 1;
  for (uint32_t i = 0; i < g->spec.core.sms; i++) sm_leave(&g->sm[i], t->stopped, then);
  exchange(g, t->current);
  uint64_t saved = state_bytes(g, t->current);
  uint64_t cycles = change_cycles(g, saved, state_bytes(g, t->next));
  if (!cycles) cycles = 1;
  t->stats[t->current].drain_cycles += then - t->stopped;
  t->stats[t->current].saved_bytes += saved;
  t->stats[t->next].switch_cycles += cycles;
  flush(g);
  t->phase = TURN_CHANGES;
  engine_schedule(&g->ev, g->ev.now + cycles, EV_TURN, t->next);
}

static void go_on(gpu_t *g) {
  turns_t *t = &g->turns;
  t->due = false;
  t->phase = TURN_RUNS;
  moves_note_turn(g);
  t->current = t->next;
  t->end = g->ev.now + 1 + g->spec.share.quantum_cycles;
  gpu_note_boundary(g);
  t->stats[t->current].turns++;
  exchange(g, t->current);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    sm_return(&g->sm[i], g->ev.now + 1);
    wake_sm(g, i);
  }
  apps_turn(g, t->current);
}

void turns_attend(gpu_t *g) {
  turns_t *t = &g->turns;
  if (t->due) go_on(g);
  if (t->phase == TURN_RUNS && !has_work(&g->app[t->current])) {
    uint32_t next = successor(g);
    if (next != t->current) stop_issue(g, next, g->ev.now + 1);
  }
  if (t->phase == TURN_DRAINS && all_quiet(g)) begin_change(g);
}

/* ---- the end of a run ---- */

void turns_settle(gpu_t *g) {
  turns_t *t = &g->turns;
  uint64_t now = g->ev.now;
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    if (t->phase == TURN_DRAINS) sm_leave(&g->sm[i], t->stopped, now);
    if (t->phase != TURN_CHANGES) sm_settle(&g->sm[i], now);
    for (uint32_t a = 0; a < g->apps; a++)
      if (context(g, a, i)->owner < g->apps)
        sm_context_settle(context(g, a, i), &g->spec.sm, g->sm_stats, now);
  }
}

int turns_check(const gpu_t *g, err_t *e) {
  for (uint32_t i = 0; g->turns.on && i < g->apps * g->spec.core.sms; i++)
    if (!sm_context_check(&g->turns.parked[i], &g->spec.sm))
      return err_set(e, GMMU_ECHECK, "turns: application %u on SM %u: an invariant does not hold",
                     i / g->spec.core.sms, i % g->spec.core.sms);
  return GMMU_OK;
}
