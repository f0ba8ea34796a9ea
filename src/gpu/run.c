/* The cycle loop. Time jumps to the next cycle in which anything happens. */
#include "base/inline.h"
#include "gpu/machine.h"

/* ---- messages ---- */

#define MESSAGE(name, sender, to, block, handler, payload, least, help)                            \
  static void on_##name(gpu_t *g, uint32_t id) { handler(&g->block, id); }
#include "engine/messages.def"
#undef MESSAGE

static void (*const handler[MESSAGES])(gpu_t *g, uint32_t id) = {
#define MESSAGE(name, sender, to, block, handler, payload, least, help) [EV_##name] = on_##name,
#include "engine/messages.def"
#undef MESSAGE
};

#ifdef GMMU_BACKWARDS
/* A number of the block that a message about `id` goes to: an SM, a TLB, the walker, ... */
#define RECEIVED_BY_ALL UINT32_MAX /* by several: nothing may pass it */
static uint32_t place_of_block(sender_t x) { return (uint32_t)x.kind << 20 | x.number; }
static uint32_t to_slice(const gpu_t *g, uint32_t id) {
  return place_of_block(FROM_CHANNEL((uint32_t)(g->dram.of_slice[id] - g->dram.channel)));
}
static uint32_t to_partition(const gpu_t *g, uint32_t id) {
  return to_slice(g, g->pool.at[id].slice);
}
static uint32_t to_itself(const gpu_t *g, uint32_t sm) {
  return place_of_block(FROM_SM(sm / g->xlat.words * g->xlat.words));
}
static uint32_t to_slot(const gpu_t *g, uint32_t id) { return to_itself(g, id / g->spec.sm.warps); }
static uint32_t to_walk_sm(const gpu_t *g, uint32_t id) { return to_itself(g, cores_walk_sm(id)); }
static uint32_t to_sm(const gpu_t *g, uint32_t id) { return to_itself(g, g->pool.at[id].sm); }
static uint32_t to_asker(const gpu_t *g, uint32_t id) { return to_itself(g, g->xlat.at[id].sm); }
static uint32_t to_peer(const gpu_t *g, uint32_t id) {
  return to_itself(g, g->xlat.at[id].peer * g->xlat.words);
}
static uint32_t to_level(const gpu_t *g, uint32_t id) {
  const xlat_t *x = &g->xlat.at[id];
  if (!x->level) return to_asker(g, id);
  return place_of_block(FROM_TLB(x->level, g->tlb.level[x->level].of_sm[x->sm]));
}
static uint32_t to_walker(const gpu_t *g, uint32_t id) {
  (void)g, (void)id;
  return place_of_block(FROM_WALKER);
}
static uint32_t to_crossbar(const gpu_t *g, uint32_t id) {
  (void)g, (void)id;
  return place_of_block(FROM_CROSSBAR);
}
static uint32_t to_host(const gpu_t *g, uint32_t id) {
  (void)g, (void)id;
  return place_of_block(FROM_HOST);
}
static uint32_t to_all(const gpu_t *g, uint32_t id) {
  (void)g, (void)id;
  return RECEIVED_BY_ALL;
}

static uint32_t (*const receiver[MESSAGES])(const gpu_t *g, uint32_t id) = {
#define MESSAGE(name, sender, to, block, handler, payload, least, help) [EV_##name] = to_##to,
#include "engine/messages.def"
#undef MESSAGE
};

/* The last receiver comes first; what one receiver gets stays in order. */
static void turn_round(const gpu_t *g, event_t *x, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    event_t e = x[i];
    uint32_t k = i, to = receiver[event_kind(e.what)](g, event_id(e.what));
    for (; k && to != RECEIVED_BY_ALL; k--) {
      if (receiver[event_kind(x[k - 1].what)](g, event_id(x[k - 1].what)) >= to) break;
      x[k] = x[k - 1];
    }
    x[k] = e;
  }
}
#endif

ALWAYS_INLINE void run_part(gpu_t *g, sender_kind_t kind) {
  event_t *x;
  uint32_t count = engine_due(&g->ev, kind, &x);
#ifdef GMMU_BACKWARDS
  turn_round(g, x, count);
#endif
  for (const event_t *end = x + count; x < end; x++)
    handler[event_kind(x->what)](g, event_id(x->what));
}

/* Page-table entries: nobody but the walker receives them. */
ALWAYS_INLINE void run_replies(gpu_t *g) {
  event_t *x;
  uint32_t count = engine_due(&g->ev, SENDER_READ, &x);
  walker_replies(&g->walker, x, x + count);
}

/* By kinds and numbers of their senders. Whoever receives them sends for later cycles. */
ALWAYS_INLINE void run_messages(gpu_t *g) {
  uint32_t used = engine_take(&g->ev);
  const uint32_t *x, *end;
#define RUN_PART(kind)                                                                             \
  if (used & 1u << (kind)) run_part(g, kind)
#define RUN_SOON(queue, handler, block)                                                            \
  for (x = engine_due_soon(&g->ev, queue, &end); x < end; x++) handler(&g->block, *x)
  RUN_PART(SENDER_SM);
  RUN_PART(SENDER_TLB);
  x = engine_due_soon(&g->ev, SOON_ANSWER, &end);
  if (x < end) tlb_answers(&g->tlb, x, end);
  RUN_PART(SENDER_ONE);
  x = engine_due_soon(&g->ev, SOON_READ, &end);
  l2_enter_walks(&g->l2, x, end);
  x = engine_due_soon(&g->ev, SOON_WALKED, &end);
  tlb_walked(&g->tlb, x, end);
  RUN_PART(SENDER_SLICE);
  RUN_SOON(SOON_STORED, l1_stored, l1);
  if (used & 1u << SENDER_READ) run_replies(g);
#undef RUN_SOON
#undef RUN_PART
}

/* Channels and SMs come in order of their numbers; or backwards, in the build which shows that
 * nobody can tell (-Dbackwards=true): as receivers of messages do there. */
ALWAYS_INLINE uint32_t take_bit(uint64_t *set) {
#ifdef GMMU_BACKWARDS
  uint32_t bit = 63 - (uint32_t)__builtin_clzll(*set);
  *set &= ~(1ull << bit);
#else
  uint32_t bit = (uint32_t)__builtin_ctzll(*set);
  *set &= *set - 1;
#endif
  return bit;
}

/* ---- DRAM channels ---- */

/* An access is complete: a line that L2 waits for, a write, or a line of a page that moves. */
ALWAYS_INLINE void channel_done(gpu_t *g, const channel_t *c, uint32_t id, bool write) {
  if (g->moves.lines &&
      (g->pool.at[id].kind == REQ_COPY_READ || g->pool.at[id].kind == REQ_COPY_WRITE)) {
    message_send(&g->ev, FROM_CHANNEL((uint32_t)(c - g->dram.channel)), g->ev.now + 1, EV_COPIED,
                 id);
  } else if (write) {
    request_give(&g->pool, id);
  } else {
    l2_fill(&g->l2, id);
  }
  if (g->l2.blocked) l2_room(&g->l2, c);
}

/* Channels of a word of the calendar that are due, in order of their number. */
ALWAYS_INLINE void run_word(gpu_t *g, uint32_t word, uint64_t now) {
  for (uint64_t due = channels_due(&g->dram, word, now); due;) {
    channel_t *c = &g->dram.channel[word * 64 + take_bit(&due)];
    uint64_t next = c->next;
#ifndef GMMU_TICK_ALL
    if (next <= now)
#endif
    {
      channel_run(c, now);
      for (const dram_access_t *a; (a = channel_take(c, now));) channel_done(g, c, a->id, a->write);
      c->next = next = channel_next(c);
    }
    if (next != UINT64_MAX) channels_enter(&g->dram, c, next, now);
  }
}
/* Most machines have one. */
NEVER_INLINE void run_other_words(gpu_t *g, uint64_t now) {
  for (uint32_t w = 1; w < g->dram.words; w++) run_word(g, w, now);
}
NEVER_INLINE void run_channels(gpu_t *g) {
  uint64_t now = g->ev.now;
  run_word(g, 0, now);
  if (g->dram.words > 1) run_other_words(g, now);
  channels_note_next(&g->dram, now);
}

/* ---- SMs ---- */

static void source_failed(gpu_t *g, const sm_t *s) {
  const err_t *why = s->failed_src->ops->error(s->failed_src);
  g->ev.error = why ? *why : (err_t){.code = GMMU_EIO};
  engine_fail(&g->ev, g->ev.error.code ? g->ev.error.code : GMMU_EIO);
}

ALWAYS_INLINE bool due(uint64_t at, uint64_t now) {
#ifdef GMMU_TICK_ALL
  now = at;
#endif
  return at <= now;
}

ALWAYS_INLINE void sm_l1(gpu_t *g, l1_t *l, uint64_t now) {
  if (l1_may_go(&g->l1, l, now)) l1_run(&g->l1, l);
  l->at = l1_next(&g->l1, l, now);
}

/* Look-ups and L1 in this cycle, where those that hit may go on to L1 at once; and when they have
 * work again. What is further away than the calendar goes is looked at in between. */
ALWAYS_INLINE void sm_memory(gpu_t *g, sm_t *s, uint64_t now) {
  l1_t *l = &g->l1.l1[s->id];
  if (l->hit_count) l1_deliver_hits(&g->l1, l);
  if (due(s->look.at, now)) tlb_look_up(&g->tlb, s);
  if (due(l->at, now)) sm_l1(g, l, now);
  uint64_t next = earlier(s->look.at, l->at);
  if (l->hit_count) next = earlier(next, l->hit[l->hit_head].at);
  s->memory_at = next;
  if (next == now + 1)
    s->calendar->awake |= s->calendar_bit;
  else if (next != UINT64_MAX)
    sm_calendar_enter(s, s->memory_at = earlier(next, now + SM_RING - 1));
}

NEVER_INLINE void sm_rare(gpu_t *g, sm_t *s) {
  s->rare = false;
  if (s->failed) source_failed(g, s);
  if (s->ended) share_tell_ended(&g->share, s->id);
}

/* What comes before issue in a cycle. */
ALWAYS_INLINE void sm_arrivals(gpu_t *g, sm_t *s, uint64_t now) {
  if (due(s->memory_at, now)) sm_memory(g, s, now);
  sm_wake_timed(s, now);
}

/* Called in phase 3 for an SM that is due: one cycle of it. */
ALWAYS_INLINE void sm_cycle(gpu_t *g, sm_t *s, uint64_t now) {
  sm_arrivals(g, s, now);
  if (s->ready && sm_issue(s, now) && sm_stays_awake(s, now)) s->calendar->awake |= s->calendar_bit;
  if (s->rare) sm_rare(g, s);
}

/* The same of an SM that issues nothing, because its turn ends: what is under way comes to its end.
 */
ALWAYS_INLINE void sm_cycle_stopped(gpu_t *g, sm_t *s, uint64_t now) {
  sm_arrivals(g, s, now);
  if (s->rare) sm_rare(g, s);
}

/* As sm_cycle(), on a large machine. */
ALWAYS_INLINE void sm_cycle_ahead(gpu_t *g, sm_t *s, uint64_t now) {
  sm_cycle(g, s, now);
  ahead_l1_queue(g, s);
}

#ifdef GMMU_BACKWARDS
/* SMs that share a first-level TLB are one block: they come in order. */
static void tick_sms(gpu_t *g, void (*cycle)(gpu_t *, sm_t *, uint64_t), bool ahead) {
  (void)ahead;
  uint64_t due[SM_WORDS] = {0}, now = g->ev.now, slot = now & (SM_RING - 1);
#ifdef GMMU_TICK_ALL
  for (uint32_t i = 0; i < g->spec.core.sms; i++) cores_wake(&g->cores, i);
#endif
  for (uint32_t w = 0; w < g->cores.words; w++) {
    sm_calendar_t *c = &g->cores.calendar[w];
    due[w] = c->awake | c->due[slot];
    c->awake = c->due[slot] = 0;
  }
  uint32_t sms = g->spec.core.sms, n = g->xlat.words, groups = (sms + n - 1) / n;
  for (uint32_t k = groups; k-- > 0;)
    for (uint32_t i = k * n; i < (k + 1) * n && i < sms; i++)
      if (due[i >> 6] >> (i & 63) & 1) cycle(g, &g->cores.sm[i], now);
}
#else
ALWAYS_INLINE void tick_sms(gpu_t *g, void (*cycle)(gpu_t *, sm_t *, uint64_t), bool ahead) {
  uint64_t now = g->ev.now, slot = now & (SM_RING - 1);
#ifdef GMMU_TICK_ALL
  for (uint32_t i = 0; i < g->spec.core.sms; i++) cores_wake(&g->cores, i);
#endif
  sm_t *first = g->cores.sm; /* of the word; */
  const l1_t *l1 = g->l1.l1; /* and its L1 */
  for (uint32_t w = 0; w < g->cores.words; w++, first += 64, l1 += 64) {
    sm_calendar_t *c = &g->cores.calendar[w];
    uint64_t due = c->awake | c->due[slot];
    c->awake = c->due[slot] = 0;
    while (due) {
      uint32_t i = take_bit(&due), next = due ? (uint32_t)__builtin_ctzll(due) : i;
      if (ahead) ahead_sm(&first[next], &l1[next], now);
      cycle(g, &first[i], now);
    }
  }
}

#endif

ALWAYS_INLINE void run_sms(gpu_t *g) { tick_sms(g, sm_cycle, false); }
NEVER_INLINE void run_sms_ahead(gpu_t *g) { tick_sms(g, sm_cycle_ahead, true); }
NEVER_INLINE void run_stopped_sms(gpu_t *g) { tick_sms(g, sm_cycle_stopped, false); }

/* ---- boundaries ---- */

/* Boundaries come before anything else in their cycle. */
NEVER_INLINE void cross_boundaries(gpu_t *g) {
  if (g->ev.now == g->series.next) series_boundary(&g->series);
  if (g->ev.now == g->loop.next_epoch) {
    for (uint32_t i = 0; i < gpu_rows(); i++)
      if (gpu_row(i)->epoch) gpu_row(i)->epoch(gpu_block(g, i));
    g->loop.next_epoch += g->spec.run.epoch_cycles;
  }
  if (g->ev.now == g->turns.end) turns_quantum_over(&g->turns);
  if (g->ev.now == g->timeline.next) timeline_boundary(&g->timeline);
  if (g->timeline.changed) gpu_note_hooks(g);
  gpu_note_boundary(g);
}

void gpu_note_boundary(gpu_t *g) {
  g->turns.changed = false;
  g->loop.next_boundary = earlier(g->turns.end, earlier(g->series.next, g->loop.next_epoch));
  g->loop.next_boundary = earlier(g->loop.next_boundary, g->timeline.next);
}

/* ---- the loop ---- */

static bool sms_due_next(const gpu_t *g) {
  uint64_t due = 0;
  for (uint32_t w = 0; w < g->cores.words; w++)
    due |= g->cores.calendar[w].awake | g->cores.calendar[w].due[(g->ev.now + 1) & (SM_RING - 1)];
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
  uint64_t now = g->ev.now, t = earlier(engine_next(&g->ev), g->dram.next);
  for (uint32_t w = 0; w < g->cores.words; w++)
    t = earlier(t, calendar_next(&g->cores.calendar[w], now));
#ifdef GMMU_TICK_ALL
  if (t != UINT64_MAX) return now + 1;
#endif
  return t;
}

/* Phase 4, where there is something to do. */
NEVER_INLINE void attend(gpu_t *g, const gpu_limits_t *limits) {
  if (paging_due(&g->paging)) paging_attend(&g->paging);
  if (g->moves.due) moves_attend(&g->moves);
  if (g->cores.app_idle) {
    g->cores.app_idle = false;
    g->share.due = true;
  }
  if (g->share.any_ended || g->share.due) {
    share_attend(&g->share, limits);
    if (g->sampling.on) sampling_note_kernels(g);
  }
  if (g->cores.forwarding) forward_attend(g, limits);
  if (!g->turns.on) return;
  turns_attend(&g->turns);
  if (g->turns.changed) gpu_note_boundary(g);
  if (g->timeline.on) timeline_turns(&g->timeline);
}

/* One test for all of them: few cycles have any. */
ALWAYS_INLINE bool to_attend(const gpu_t *g) {
  return g->moves.due | g->cores.app_idle | g->share.any_ended | g->share.due |
         g->cores.forwarding | g->turns.on | paging_due(&g->paging);
}

static void one_cycle(gpu_t *g, const gpu_limits_t *limits) {
  if (g->ev.now == g->loop.next_boundary) cross_boundaries(g);
  if (g->loop.ahead) {
    ahead_channels(g);
    ahead_messages(g);
  }
#ifndef GMMU_TICK_ALL
  if (g->dram.next <= g->ev.now)
#endif
    run_channels(g);
  run_messages(g);
  if (g->cores.stopped)
    run_stopped_sms(g);
  else if (g->loop.ahead)
    run_sms_ahead(g);
  else
    run_sms(g);
  if (g->timeline.on) {
    timeline_cycle(&g->timeline);
    if (g->timeline.changed) {
      gpu_note_hooks(g);
      gpu_note_boundary(g);
    }
  }
  if (to_attend(g)) attend(g, limits);
}

static int stuck(gpu_t *g, err_t *e) {
  uint32_t memory = 0, barrier = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    for (uint32_t w = 0; w < g->spec.sm.warps; w++) {
      memory += g->cores.sm[i].warp[w].state == WARP_MEMORY;
      barrier += g->cores.sm[i].warp[w].state == WARP_BARRIER;
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
          share_finished_once(&g->share, l));
}

/* Such a limit ends the run in the next cycle, and is looked at in that of `min_cycles`. */
static uint64_t limited(gpu_t *g, const gpu_limits_t *l, uint64_t t) {
  if (limit_reached(g, l) || (g->sampling.on && sampling_due(g)))
    return g->ev.now + 1; /* do not jump past the end */
  return l->min_cycles > g->ev.now ? earlier(t, l->min_cycles) : t;
}

int gpu_run(gpu_t *g, const gpu_limits_t *limits, uint64_t until, err_t *e) {
  const uint64_t last = limits->cycles ? limits->cycles : UINT64_MAX, pause = earlier(last, until);
  const bool sampled = g->sampling.on,
             limit = limits->instructions || limits->min_cycles || sampled;
  while (!g->share.over && !(limit && limit_reached(g, limits))) {
    if (sampled) {
      if (sampling_go_on(g)) break;
      g->sampling.again = false;
    }
    if (g->ev.now >= pause) {
      if (g->ev.now >= last) break;
      return 0;
    }
    one_cycle(g, limits);
    if (g->ev.failed) {
      if (e) *e = g->ev.error;
      return g->ev.failed;
    }
    /* a kernel without blocks ends as it begins, and its application goes on in the next cycle */
    bool at_once =
        sms_due_next(g) || g->share.due || g->share.over || (sampled && g->sampling.again);
    uint64_t t = at_once ? g->ev.now + 1 : next_cycle(g);
    if (t == UINT64_MAX) return stuck(g, e);
    if (limit) t = limited(g, limits, t);
    engine_advance(&g->ev, earlier(t, earlier(g->loop.next_boundary, pause)));
  }
  g->share.over = true;
  if (sampled) {
    int rc = sampling_over(g, e);
    if (rc < 0) return rc;
  }
  return 1;
}
