/* Whose turn it is. Invariant: the blocks of the application whose turn it is are on the SMs, those
 * of all others in their contexts; during a change all are in their contexts. Contexts and SMs only
 * ever change places, so there is one context more than can be in use: an empty one, which belongs
 * to nobody. */
#include "share/turns.h"
#include <stdlib.h>
#include <string.h>

bool turns_wanted(const share_spec_t *s) { return strcmp(s->mode, "time") == 0; }

static sm_context_t *context(const turns_t *t, uint32_t app, uint32_t sm) {
  return &t->parked[(size_t)app * turns_spec(t)->core.sms + sm];
}

static void exchange(turns_t *t, uint32_t app) {
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++)
    sm_exchange(&turns_cores(t)->sm[i], context(t, app, i));
}

static int turns_init(void *block, err_t *e) {
  turns_t *t = block;
  uint32_t sms = turns_spec(t)->core.sms;
  t->end = UINT64_MAX;
  t->stats = calloc(turns_share(t)->apps, sizeof *t->stats);
  if (!t->stats) return err_set(e, GMMU_ENOMEM, "out of memory for turns");
  t->on = turns_wanted(&turns_spec(t)->share);
  if (!t->on) return GMMU_OK;
  t->parked = arrays_take(turns_arrays(t), (size_t)turns_share(t)->apps * sms * sizeof *t->parked);
  if (!t->parked) return err_set(e, GMMU_ENOMEM, "out of memory for turns");
  int rc = 0;
  for (uint32_t i = 0; i < turns_share(t)->apps * sms && rc == 0; i++)
    rc = sm_context_init(&t->parked[i], &turns_spec(t)->sm, (uint8_t)(i / sms), turns_arrays(t), e);
  if (rc < 0) return rc;
  exchange(t, 0);
  t->stats[0].turns = 1;
  t->end = turns_spec(t)->share.quantum_cycles;
  return GMMU_OK;
}

static void turns_fini(void *block) {
  turns_t *t = block;
  free(t->stats);
}

/* ---- the end of a turn ---- */

static bool has_work(const app_t *p) { return p->started > 0; }

/* The next application that could use the SMs, in order; the one whose turn it is if nobody else
 * can. */
static uint32_t successor(const turns_t *t) {
  uint32_t a = t->current;
  do {
    a = (a + 1) % turns_share(t)->apps;
  } while (a != t->current && !has_work(&turns_share(t)->app[a]));
  return a;
}

static void stop_issue(turns_t *t, uint32_t next, uint64_t at) {
  t->phase = TURN_DRAINS;
  moves_note_issue(turns_moves(t));
  t->next = next;
  t->stopped = at;
  t->end = UINT64_MAX;
  t->changed = true;
}

void turns_quantum_over(turns_t *t) {
  uint32_t next = successor(t);
  if (next != t->current)
    stop_issue(t, next, turns_ev(t)->now);
  else
    t->end = turns_ev(t)->now + turns_spec(t)->share.quantum_cycles;
}

/* ---- the change ---- */

static bool all_quiet(const turns_t *t) {
  if (turns_share(t)->lines[t->current]) return false; /* the SMs would say so, too */
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++)
    if (!sm_quiet(&turns_cores(t)->sm[i])) return false;
  return true;
}

/* Registers and shared memory of an application's blocks, all of which are in its contexts. */
static uint64_t state_bytes(const turns_t *t, uint32_t app) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++) {
    const sm_context_t *c = context(t, app, i);
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

static uint64_t change_cycles(const turns_t *t, uint64_t saved, uint64_t restored) {
  const share_spec_t *s = &turns_spec(t)->share;
  if (strcmp(s->cost, "fixed") == 0) return s->switch_cycles;
  return dram_cycles(turns_spec(t), saved) + dram_cycles(turns_spec(t), restored);
}

static void flush(turns_t *t) {
  for (uint32_t i = 0; turns_spec(t)->share.flush_l1 && i < turns_spec(t)->core.sms; i++)
    cache_invalidate_all(&turns_l1(t)->l1[i].array);
  for (uint32_t a = 0; turns_spec(t)->share.flush_tlbs && a < turns_share(t)->apps; a++)
    tlb_drop(turns_tlb(t), (asid_t)a, (vpn_t){0}, 1ull << turns_spec(t)->memory.va_bits);
  if (turns_spec(t)->share.flush_tlbs) walker_pwc_flush(turns_walker(t), UINT32_MAX);
}

/* Everything up to and including this cycle belongs to the turn; a change takes one cycle at least.
 */
static void begin_change(turns_t *t) {
  uint64_t then = turns_ev(t)->now + 1;
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++)
    sm_leave(&turns_cores(t)->sm[i], t->stopped, then);
  exchange(t, t->current);
  uint64_t saved = state_bytes(t, t->current);
  uint64_t cycles = change_cycles(t, saved, state_bytes(t, t->next));
  if (!cycles) cycles = 1;
  t->stats[t->current].drain_cycles += then - t->stopped;
  t->stats[t->current].saved_bytes += saved;
  t->stats[t->next].switch_cycles += cycles;
  flush(t);
  t->phase = TURN_CHANGES;
  message_send(turns_ev(t), FROM_HOST, turns_ev(t)->now + cycles, EV_TURN, t->next);
}

static void begin_turn(turns_t *t) {
  t->due = false;
  t->phase = TURN_RUNS;
  moves_note_issue(turns_moves(t));
  t->current = t->next;
  t->end = turns_ev(t)->now + 1 + turns_spec(t)->share.quantum_cycles;
  t->changed = true;
  t->stats[t->current].turns++;
  exchange(t, t->current);
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++) {
    sm_return(&turns_cores(t)->sm[i], turns_ev(t)->now + 1);
    cores_wake(turns_cores(t), i);
  }
  share_turn(turns_share(t), t->current);
}

void turns_note_due(turns_t *t, uint32_t app) {
  (void)app;
  t->due = true;
}

void turns_attend(turns_t *t) {
  if (t->due) begin_turn(t);
  if (t->phase == TURN_RUNS && !has_work(&turns_share(t)->app[t->current])) {
    uint32_t next = successor(t);
    if (next != t->current) stop_issue(t, next, turns_ev(t)->now + 1);
  }
  if (t->phase == TURN_DRAINS && all_quiet(t)) begin_change(t);
}

/* ---- the end of a run ---- */

void turns_settle(turns_t *t) {
  uint64_t now = turns_ev(t)->now;
  for (uint32_t i = 0; i < turns_spec(t)->core.sms; i++) {
    if (t->phase == TURN_DRAINS) sm_leave(&turns_cores(t)->sm[i], t->stopped, now);
    if (t->phase != TURN_CHANGES) sm_settle(&turns_cores(t)->sm[i], now);
    for (uint32_t a = 0; a < turns_share(t)->apps; a++)
      if (context(t, a, i)->owner < turns_share(t)->apps)
        sm_context_settle(context(t, a, i), &turns_spec(t)->sm, turns_cores(t)->stats, now);
  }
}

static int turns_check(const void *block, err_t *e) {
  const turns_t *t = block;
  for (uint32_t i = 0; t->on && i < turns_share(t)->apps * turns_spec(t)->core.sms; i++)
    if (!sm_context_check(&t->parked[i], &turns_spec(t)->sm))
      return err_set(e, GMMU_ECHECK, "turns: application %u on SM %u: an invariant does not hold",
                     i / turns_spec(t)->core.sms, i % turns_spec(t)->core.sms);
  return GMMU_OK;
}
