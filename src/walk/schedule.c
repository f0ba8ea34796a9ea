/* Walks under a policy (walkpolicy.h). A walk has its thread from its arrival on; which of them are
 * under way, and in which walker, the policy says.
 *
 *   schedule_arrive -> [waits] -> walk_goes -> walk_read -> ... -> walk_done -> schedule_ended
 *                      shares_entry: an entry that another walk has read */
#include "base/inline.h"
#include "engine/messages.h"
#include "tlb/xlat.h"
#include "walk/walker.h"

static void *policy_state(const walker_t *w, uint32_t walk) {
  return walker_unit(w, w->thread[walk].app)->state;
}

static bool pwc_has(const walker_t *w, const walk_thread_t *t, uint32_t level) {
  if (!w->spec.pwc || !pwc_holds(w, &t->path, level)) return false;
  const assoc_t *pwc = pwc_of(w, t->app, level);
  uint64_t line = t->path.entry[level].v >> w->pwc_line_shift;
  return assoc_find(pwc, pwc_set(pwc, line), line) != ASSOC_NONE;
}

/* What the policy is told of a walk that waits. One that may end without a page shares nothing. */
static void look(walker_t *w, uint32_t walk) {
  const walk_thread_t *t = &w->thread[walk];
  walk_view_t *v = &w->schedule.view[walk];
  uint32_t level = t->level;
  while (level + 1 < t->path.levels && pwc_has(w, t, level)) level++;
  bool reads = t->path.mapped && !w->spec.fixed_cycles && level < t->path.levels;
  v->level = (uint8_t)level;
  v->reads = (uint8_t)(reads ? t->path.levels - level : 1);
  v->line = reads ? t->path.entry[level].v / SECTOR_BYTES : WALK_NO_LINE;
}

/* The table with its last entry, and the group of its page. */
static void look_at_group(walker_t *w, uint32_t walk) {
  const walk_thread_t *t = &w->thread[walk];
  walk_view_t *v = &w->schedule.view[walk];
  const page_group_t *g = &walker_tlb(w)->group[t->xlat];
  bool named = t->path.mapped && !w->spec.fixed_cycles && t->path.levels > 1;
  v->above = named ? t->path.entry[t->path.levels - 2].v : WALK_NO_LINE;
  v->group = (uint64_t)t->app << 56 | (uint64_t)g->order << 50 | g->base;
  v->stride = g->stride;
}

/* Which instruction of which warp missed first: its number in the program, and in the SM, where
 * several may be under way. Of a translation that nobody waits for: one of its own. */
static uint64_t instruction_of(const walker_t *w, const xlat_t *x) {
  uint32_t first = x->waiters.head;
  if (first == REQ_NONE) return UINT64_MAX - x->vpn.v;
  const request_t *r = &walker_pool(w)->at[first];
  return ((uint64_t)x->sm << 48 | (uint64_t)x->warp << 40 | (uint64_t)r->owner << 24) ^ r->inst;
}

/* The first that is done for it: until now it waited. */
static void waited(walker_t *w, uint32_t walk) {
  const walk_thread_t *t = &w->thread[walk];
  xlat_t *x = &walker_xlat(w)->at[t->xlat];
  uint64_t now = walker_ev(w)->now;
  if (x->t_walk >= x->t_below) return; /* an entry came before */
  x->t_walk = now;
  t->stats->queue_cycles += now - x->t_below;
  hist_add(&t->stats->queue, (uint32_t)(now - x->t_below));
}

/* ---- walks on SMs ----
 *
 * A walk goes to its SM (SOFT_ISSUE), whose hidden warp issues instructions of it; then it reads an
 * entry, whose answer goes back to the SM, and so on; the last entry goes to the last TLB. */

/* The SM has something to issue for the walk, `cycles` from now. */
static void to_its_sm(walker_t *w, uint32_t walk, uint32_t cycles, bool first) {
  walk_thread_t *t = &w->thread[walk];
  const soft_spec_t *s = &w->schedule.soft;
  t->issued = true;
  w->schedule.stats[t->app].issue_slots += first ? s->setup + s->level : s->level;
  message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + (cycles ? cycles : 1), EV_SOFT_ISSUE,
               cores_walk_id(t->sm, walk, first));
}

/* Its SM, if it runs on one, is told. */
NEVER_INLINE bool goes_to_sm(walker_t *w, uint32_t walk, uint32_t walker) {
  walk_thread_t *t = &w->thread[walk];
  uint32_t own = walker % w->spec.threads;
  t->sm = WALK_IN_HARDWARE;
  if (own < w->schedule.hardware) return false;
  if (!t->path.mapped && !walk_in_vain(w, &walker_xlat(w)->at[t->xlat], walk)) return true;
  t->sm = (uint16_t)((own - w->schedule.hardware) / w->schedule.soft.slots);
  to_its_sm(w, walk, w->schedule.soft.way_cycles, true);
  return true;
}

/* Its instructions have issued, or an entry is there. */
NEVER_INLINE void soft_next(walker_t *w, uint32_t walk) {
  walk_thread_t *t = &w->thread[walk];
  bool over = t->level >= t->path.levels;
  if (t->issued) {
    t->issued = false;
    if (over)
      walk_done(w, walk);
    else
      walk_read(w, walk);
  } else if (over) {
    t->issued = true;
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + w->schedule.soft.way_cycles,
                 EV_WALK_NEXT, walk);
  } else {
    to_its_sm(w, walk, 1, false);
  }
}

/* A walk of its group has read all entries but the last: it begins with that one. */
NEVER_INLINE void begin_spared(walker_t *w, uint32_t walk) {
  walk_thread_t *t = &w->thread[walk];
  look_at_group(w, walk);
  if (!w->schedule.ops->spared(policy_state(w, walk), walk)) return;
  for (; t->level + 1 < t->path.levels; t->level++) {
    w->schedule.stats[t->app].spared++;
    WATCH_TELL(w->watch.read, walk, t->level, 0, false);
  }
}

/* `walker`, of all units, begins the walk, so many cycles from now. */
static void walk_goes(walker_t *w, uint32_t walk, uint32_t walker, uint32_t delay) {
  walk_thread_t *t = &w->thread[walk];
  uint64_t now = walker_ev(w)->now;
  w->schedule.walker[walk] = walker;
  w->schedule.under_way[walker]++;
  count_begun(w, t->app, now);
  if (w->quota.on) {
    dram_quota_walk_began(&w->quota, t->app, w->app_active[t->app]);
    tell_quota(w);
  }
  waited(w, walk);
  mm_walk(walker_memory(w)->mm, t->app, walker_xlat(w)->at[t->xlat].vpn, &t->path);
  if (w->schedule.ops->spared) begin_spared(w, walk);
  if (w->schedule.ops->on_sms && goes_to_sm(w, walk, walker)) return;
  bool over = t->level && t->level >= t->path.levels; /* the page table has changed */
  if (over || (delay && t->path.mapped && !w->spec.fixed_cycles))
    message_send(walker_ev(w), FROM_WALKER, now + (delay ? delay : 1), EV_WALK_NEXT, walk);
  else
    walk_begin_any(w, walk);
}

/* The policy has a walker for it, or keeps it. */
static void offer(walker_t *w, uint32_t walk) {
  walk_unit_t *u = walker_unit(w, w->thread[walk].app);
  look(w, walk);
  w->schedule.walker[walk] = WALK_NONE;
  uint32_t walker = w->schedule.ops->arrive(u->state, walk);
  if (walker == WALK_NONE)
    w->queued++;
  else
    walk_goes(w, walk, (uint32_t)(u - w->unit) * w->spec.threads + walker, 0);
}

NEVER_INLINE void schedule_arrive(walker_t *w, uint32_t id) {
  xlat_t *x = &walker_xlat(w)->at[id];
  uint32_t walk = thread_take(w);
  walk_thread_t *t = &w->thread[walk];
  x->t_walk = 0;
  *t = (walk_thread_t){
      .xlat = id, .app = x->asid, .stats = &w->stats[x->asid], .sm = WALK_IN_HARDWARE};
  mm_walk(walker_memory(w)->mm, t->app, x->vpn, &t->path);
  w->schedule.view[walk].asid = x->asid;
  w->schedule.view[walk].instruction = instruction_of(w, x);
  if (w->schedule.ops->spared) look_at_group(w, walk);
  offer(w, walk);
  w->schedule.stats[x->asid].waited += w->schedule.walker[walk] == WALK_NONE;
}

/* It was counted as a read; a walk that is held back reads later, or not at all. */
static bool schedule_may_read(walker_t *w, uint32_t walk, uint32_t level) {
  walk_thread_t *t = &w->thread[walk];
  walk_view_t *v = &w->schedule.view[walk];
  if (!w->schedule.ops->may_read) return true;
  v->level = (uint8_t)level;
  v->line = t->path.mapped ? t->path.entry[level].v / SECTOR_BYTES : WALK_NO_LINE;
  if (w->schedule.ops->may_read(policy_state(w, walk), walk)) return true;
  t->level = level;
  t->stats->reads--;
  t->stats->level_reads[level]--;
  return false;
}

/* `walk` has the entry that it needs next, and those above it, without a read of its own. */
static void shares_entry(walker_t *w, uint32_t walk) {
  walk_thread_t *t = &w->thread[walk];
  uint32_t last = w->schedule.view[walk].level;
  bool waits = w->schedule.walker[walk] == WALK_NONE;
  waited(w, walk);
  if (waits) t->t_read = walker_ev(w)->now;
  for (; t->level <= last; t->level++) WATCH_TELL(w->watch.read, walk, t->level, 0, false);
  if (w->spec.pwc && pwc_holds(w, &t->path, last))
    walker_pwc_fill(w, t->app, last, t->path.entry[last]);
  w->queued -= waits;
  if (t->level >= t->path.levels)
    walk_done(w, walk);
  else if (waits)
    offer(w, walk);
  else
    walk_read(w, walk);
}

NEVER_INLINE void schedule_shares(walker_t *w, uint32_t walk) {
  void *state = policy_state(w, walk);
  for (uint32_t other; (other = w->schedule.ops->shares(state, walk)) != WALK_NONE;)
    shares_entry(w, other);
}

/* A walker without a walk: the policy has some for it, or it is idle. Their reads go out one after
 * the other. */
static void walker_is_free(walker_t *w, walk_unit_t *u, uint32_t walker) {
  uint32_t first = (uint32_t)(u - w->unit) * w->spec.threads, walk;
  for (uint32_t n = 0; (walk = w->schedule.ops->next(u->state, walker - first, n)) != WALK_NONE;
       n++) {
    w->queued--;
    walk_goes(w, walk, walker, n);
  }
}

NEVER_INLINE void schedule_ended(walker_t *w, uint32_t walk, uint32_t warps) {
  walk_thread_t *t = &w->thread[walk];
  walk_unit_t *u = walker_unit(w, t->app);
  uint32_t walker = w->schedule.walker[walk];
  if (w->schedule.ops->ended) w->schedule.ops->ended(u->state, walk);
  thread_give(w, walk);
  if (walker == WALK_NONE) return; /* it waited until it was over */
  count_ended(w, t->app, walker_ev(w)->now);
  if (w->quota.on) {
    dram_quota_walk_ended(&w->quota, t->app, w->app_active[t->app], warps);
    tell_quota(w);
  }
  if (!--w->schedule.under_way[walker]) walker_is_free(w, u, walker);
}
