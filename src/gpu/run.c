/* The cycle loop. Time jumps to the next cycle in which anything happens. */
#include "base/inline.h"
#include "gpu/machine.h"
#include <string.h>

/* ---- events ---- */

static void launch_due(gpu_t *g, uint32_t app) {
  g->app[app].launch_due = g->apps_attention = true;
}
static void turn_due(gpu_t *g, uint32_t app) {
  (void)app;
  g->turns.due = true;
}
static void moved(gpu_t *g, uint32_t none) {
  (void)none;
  moves_timed(g);
}

static void (*const handler[])(gpu_t *g, uint32_t id) = {
    [EV_L2_ARRIVE] = flow_l2_arrive,
    [EV_L2_ENTER] = flow_l2_enter,
    [EV_L2_REPLY] = flow_l2_reply,
    [EV_L2_DRAIN] = flow_l2_drain,
    [EV_SM_ARRIVE] = flow_sm_arrive,
    [EV_SM_ENTER] = flow_sm_enter,
    [EV_TLB_ARRIVE] = flow_tlb_arrive,
    [EV_TLB_LOOKUP] = flow_tlb_lookup,
    [EV_TLB_ANSWER] = flow_tlb_answer,
    [EV_TLB_RETRY] = flow_tlb_retry,
    [EV_TLB_PASSED] = flow_tlb_passed,
    [EV_PEER_ARRIVE] = flow_peer_arrive,
    [EV_PEER_PROBE] = flow_peer_probe,
    [EV_PEER_ANSWER] = flow_peer_answer,
    [EV_WALK_QUEUE] = flow_walk_queue,
    [EV_WALK_NEXT] = flow_walk_next,
    [EV_WALK_REPLY] = flow_walk_reply,
    [EV_LAUNCH] = launch_due,
    [EV_TURN] = turn_due,
    [EV_NOT_THERE] = paging_fault,
    [EV_FAULT] = paging_served,
    [EV_PAGE_IN] = paging_arrived,
    [EV_MOVED] = moved,
    [EV_HOST_ASK] = mapped_ask,
    [EV_HOST_BACK] = mapped_answer,
};

/* In the order they were scheduled, with those that are scheduled meanwhile for this cycle. */
static void run_events(gpu_t *g) {
  engine_t *e = &g->ev;
  uint32_t slot = engine_slot(e), first = slot * SLOT_EVENTS;
  if (e->end[slot] == first) return;
  do
    for (uint64_t i = first; (uint32_t)i < e->end[slot]; i++)
      handler[event_kind(e->what[i])](g, event_id(e->what[i]));
  while (engine_more(e));
}

/* ---- SMs ---- */

static void deliver_l1_hits(gpu_t *g, sm_t *s) {
  while (s->l1_hit_count && s->l1_hit[s->l1_hit_head].at <= g->ev.now) {
    uint32_t id = s->l1_hit[s->l1_hit_head].request;
    s->l1_hit_head = (s->l1_hit_head + 1) & s->l1_hit_mask;
    s->l1_hit_count--;
    if (g->tracing) trace_line(g, id);
    if (sm_line_done(s, g->ev.now, id) == 0) g->apps_attention = true;
  }
  s->stirred = false; /* it is being ticked */
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void source_failed(gpu_t *g, const sm_t *s) {
  const err_t *why = s->failed_src->ops->error(s->failed_src);
  g->error = why ? *why : (err_t){.code = GMMU_EIO};
  fail(g, g->error.code ? g->error.code : GMMU_EIO);
}

/* A blocked L1 looks again when its way out has drained, or another request came first in line; a
 * miss register that comes free ends the block. */
static bool l1_may_go(const gpu_t *g, const sm_t *s) {
  return !s->l1_blocked || s->l1_retry || port_opens(g, s) == g->ev.now;
}

HOT bool due(uint64_t at, uint64_t now) {
#ifdef GMMU_TICK_ALL
  now = at;
#endif
  return at <= now;
}

HOT void sm_l1(gpu_t *g, sm_t *s) {
  if (l1_may_go(g, s)) flow_l1(g, s);
  s->l1_at = flow_l1_next(g, s);
}

/* Look-ups and L1 in this cycle, where those that hit may go on to L1 at once; and when they have
 * work again. What is further away than the
 * calendar goes is looked at in between. */
HOT void sm_memory(gpu_t *g, sm_t *s, uint64_t now) {
  if (s->l1_hit_count) deliver_l1_hits(g, s);
  if (due(s->look_at, now)) flow_lookups(g, s);
  if (due(s->l1_at, now)) sm_l1(g, s);
  uint64_t next = earlier(s->look_at, s->l1_at);
  if (s->l1_hit_count) next = earlier(next, s->l1_hit[s->l1_hit_head].at);
  s->memory_at = next;
  if (next == now + 1)
    s->calendar->awake |= s->calendar_bit;
  else if (next != UINT64_MAX)
    sm_calendar_enter(s, s->memory_at = earlier(next, now + SM_RING - 1));
}

COLD void sm_rare(gpu_t *g, sm_t *s) {
  s->rare = false;
  if (s->failed) source_failed(g, s);
  if (!s->ended) return;
  g->attention[s->id >> 6] |= 1ull << (s->id & 63);
  g->any_ended = true;
}

/* What comes before issue in a cycle. */
HOT void sm_arrivals(gpu_t *g, sm_t *s, uint64_t now) {
  if (due(s->memory_at, now)) sm_memory(g, s, now);
  sm_wake_timed(s, now);
}

/* Called in phase 3 for an SM that is due: one cycle of it. */
HOT void sm_cycle(gpu_t *g, sm_t *s, uint64_t now) {
  sm_arrivals(g, s, now);
  if (s->ready && sm_issue(s, now) && sm_stays_awake(s, now)) s->calendar->awake |= s->calendar_bit;
  if (s->rare) sm_rare(g, s);
}

/* The same of an SM that issues nothing, because its turn ends: what is under way comes to its end.
 */
HOT void sm_cycle_stopped(gpu_t *g, sm_t *s, uint64_t now) {
  sm_arrivals(g, s, now);
  if (s->rare) sm_rare(g, s);
}

HOT void tick_sms(gpu_t *g, void (*cycle)(gpu_t *, sm_t *, uint64_t)) {
  uint64_t now = g->ev.now, slot = now & (SM_RING - 1);
#ifdef GMMU_TICK_ALL
  for (uint32_t i = 0; i < g->spec.core.sms; i++) wake_sm(g, i);
#endif
  sm_t *first = g->sm; /* of the word */
  for (uint32_t w = 0; w < g->sm_words; w++, first += 64) {
    sm_calendar_t *c = &g->calendar[w];
    uint64_t due = c->awake | c->due[slot];
    c->awake = c->due[slot] = 0;
    for (; due; due &= due - 1) cycle(g, &first[(uint32_t)__builtin_ctzll(due)], now);
  }
}

static void run_sms(gpu_t *g) { tick_sms(g, sm_cycle); }
COLD void run_stopped_sms(gpu_t *g) { tick_sms(g, sm_cycle_stopped); }

/* ---- time series and epochs ---- */

static void series_totals(gpu_t *g, series_point_t totals[GMMU_MAX_APPS]) {
  memset(totals, 0, GMMU_MAX_APPS * sizeof *totals);
  for (uint32_t a = 0; a < g->apps; a++) {
    series_point_t *t = &totals[a];
    walker_count(&g->walker, (uint8_t)a, g->ev.now);
    t->warp_instructions = g->sm_stats[a].warp_instructions;
    t->l1tlb_lookups = g->level[0].stats[a].lookups;
    t->l1tlb_misses = g->level[0].stats[a].misses;
    t->l2tlb_lookups = g->level[1].stats[a].lookups;
    t->l2tlb_misses = g->level[1].stats[a].misses;
    t->walks = g->walker.stats[a].walks;
    t->walk_active_cycles = g->walker.stats[a].active_cycles;
    t->l2_accesses = g->l2_stats[a * CLASSES + CLASS_DATA].accesses;
    t->l2_misses = g->l2_stats[a * CLASSES + CLASS_DATA].misses;
    t->walk_bypasses = g->l2_stats[a * CLASSES + CLASS_WALK].bypasses;
    t->token_cycles = gpu_fill_stats(g, a).token_cycles;
    for (uint32_t c = 0; c < g->channels; c++) {
      const dram_stats_t *d = dram_stats(g->channel[c].dram, (uint8_t)a, DRAM_DATA);
      const dram_stats_t *w = dram_stats(g->channel[c].dram, (uint8_t)a, DRAM_WALK);
      t->dram_data_bytes += d->read_bytes + d->write_bytes;
      t->dram_walk_bytes += w->read_bytes + w->write_bytes;
    }
  }
}

static void epoch(gpu_t *g) {
  if (g->fill->epoch) g->fill->epoch(g->fill_state, g->ev.now);
  if (g->l2_policy->epoch) g->l2_policy->epoch(g->l2_policy_state, g->ev.now);
  dram_quota_epoch(&g->quota);
}

/* Boundaries come before anything else in their cycle. */
COLD void cross_boundaries(gpu_t *g) {
  series_point_t totals[GMMU_MAX_APPS];
  if (g->ev.now == g->next_series) {
    for (uint32_t c = 0; c < g->channels; c++) dram_count(g->channel[c].dram, g->ev.now);
    series_totals(g, totals);
    series_add(&g->series, totals);
    g->next_series += g->series.interval_cycles;
  }
  if (g->ev.now == g->next_epoch) {
    epoch(g);
    g->next_epoch += g->spec.run.epoch_cycles;
  }
  if (g->ev.now == g->turns.end) turns_quantum_over(g);
  if (g->trace && g->ev.now == g->trace->next) trace_boundary(g);
  gpu_note_boundary(g);
}

void gpu_note_boundary(gpu_t *g) {
  g->next_boundary = earlier(g->turns.end, earlier(g->next_series, g->next_epoch));
  if (g->trace) g->next_boundary = earlier(g->next_boundary, g->trace->next);
}

/* ---- the loop ---- */

static bool sms_due_next(const gpu_t *g) {
  uint64_t due = 0;
  for (uint32_t w = 0; w < g->sm_words; w++)
    due |= g->calendar[w].awake | g->calendar[w].due[(g->ev.now + 1) & (SM_RING - 1)];
  return due != 0;
}

/* When the first SM is due. Slots that the calendar has passed are forgotten here. */
static uint64_t calendar_next(sm_calendar_t *c, uint64_t now) {
  uint32_t from = (uint32_t)(now + 1) & 63;
  while (c->used) {
    uint32_t ahead = (uint32_t)__builtin_ctzll(c->used >> from | c->used << (-from & 63));
    if (c->due[(from + ahead) & 63]) return now + 1 + ahead;
    c->used &= ~(1ull << ((from + ahead) & 63));
  }
  return UINT64_MAX;
}

/* The next cycle in which something happens; UINT64_MAX if nothing ever will. */
static uint64_t next_cycle(gpu_t *g) {
  uint64_t now = g->ev.now, t = earlier(engine_next(&g->ev), g->channels_next);
  for (uint32_t w = 0; w < g->sm_words; w++) t = earlier(t, calendar_next(&g->calendar[w], now));
#ifdef GMMU_TICK_ALL
  if (t != UINT64_MAX) return now + 1;
#endif
  return t;
}

static void one_cycle(gpu_t *g, const gpu_limits_t *limits) {
  if (g->ev.now == g->next_boundary) cross_boundaries(g);
#ifndef GMMU_TICK_ALL
  if (g->channels_next <= g->ev.now)
#endif
    flow_channels(g);
  run_events(g);
  if (g->issue_stopped)
    run_stopped_sms(g);
  else
    run_sms(g);
  if (g->tracing) trace_cycle(g);
  if (g->any_ended || g->apps_attention) apps_attend(g, limits);
  if (!g->turns.on) return;
  turns_attend(g);
  if (g->tracing) trace_turns(g);
}

static int stuck(gpu_t *g, err_t *e) {
  uint32_t memory = 0, barrier = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    for (uint32_t w = 0; w < g->spec.sm.warps; w++) {
      memory += g->sm[i].warp[w].state == WARP_MEMORY;
      barrier += g->sm[i].warp[w].state == WARP_BARRIER;
    }
  return err_set(e, GMMU_ESTUCK,
                 "no progress since cycle %llu: %u warps wait for memory (%u requests under way, "
                 "%u translations, %u walks queued), %u at a barrier",
                 (unsigned long long)g->ev.now, memory, g->pool.used, g->xlat.used,
                 g->walker.queued, barrier);
}

/* Limits other than a number of cycles. */
static bool limit_reached(const gpu_t *g, const gpu_limits_t *l) {
  return (l->instructions && gpu_instructions(g) >= l->instructions) ||
         (l->min_cycles && g->ev.now == l->min_cycles && !l->cycles && !l->instructions &&
          apps_finished_once(g, l));
}

/* Such a limit ends the run in the next cycle, and is looked at in that of `min_cycles`. */
static uint64_t limited(const gpu_t *g, const gpu_limits_t *l, uint64_t t) {
  if (limit_reached(g, l)) return g->ev.now + 1; /* do not jump past the end */
  return l->min_cycles > g->ev.now ? earlier(t, l->min_cycles) : t;
}

int gpu_run(gpu_t *g, const gpu_limits_t *limits, uint64_t until, err_t *e) {
  const uint64_t last = limits->cycles ? limits->cycles : UINT64_MAX, pause = earlier(last, until);
  const bool limit = limits->instructions || limits->min_cycles;
  while (!g->over && !(limit && limit_reached(g, limits))) {
    if (g->ev.now >= pause) {
      if (g->ev.now >= last) break;
      return 0;
    }
    one_cycle(g, limits);
    if (g->failed) {
      if (e) *e = g->error;
      return g->failed;
    }
    /* a kernel without blocks ends as it begins, and its application goes on in the next cycle */
    bool at_once = sms_due_next(g) || g->apps_attention || g->over;
    uint64_t t = at_once ? g->ev.now + 1 : next_cycle(g);
    if (t == UINT64_MAX) return stuck(g, e);
    if (limit) t = limited(g, limits, t);
    engine_advance(&g->ev, earlier(t, earlier(g->next_boundary, pause)));
  }
  g->over = true;
  return 1;
}

/* What has happened since the last point of the time series. */
static void end_series(gpu_t *g) {
  series_point_t totals[GMMU_MAX_APPS];
  uint64_t from = g->next_series - g->series.interval_cycles;
  if (g->ev.now <= from) return;
  series_totals(g, totals);
  series_end(&g->series, totals, g->ev.now - from);
}

void gpu_settle(gpu_t *g) {
  if (g->settled) return;
  g->settled = true;
  for (uint32_t c = 0; c < g->channels; c++)
    dram_count(g->channel[c].dram, g->ev.now ? g->ev.now - 1 : 0);
  flow_settle_translations(g);
  moves_settle(g);
  if (g->turns.on)
    turns_settle(g);
  else
    for (uint32_t i = 0; i < g->spec.core.sms; i++) sm_settle(&g->sm[i], g->ev.now);
  end_series(g);
  observe_settle(g);
  if (g->tracing) trace_stop(g);
}
