/* The TLB levels behind the first:
 *
 *   tlb_arrive -> tlb_level_lookup: hit -> tlb_answer of the level below
 *                                   miss -> the next level, behind the last one the walker
 *
 * Each level a translation missed holds an MSHR for it (an entry of `pending`); the answer gives
 * them back on its way from the last level to the first, and with each the translations that joined
 * there. On its way back, x->level is the level that it comes to. */
#include "base/inline.h"
#include "engine/messages.h"
#include "map/memory.h"
#include "tlb/peers.h"
#include "tlb/xlat.h"

/* The page was evicted while the answer was on its way. */
NEVER_INLINE bool evicted_since(const tlbs_t *c, const xlat_t *x) {
  ppn_t ppn;
  bool large;
  return !mm_translate(tlb_memory(c)->mm, x->asid, x->vpn, &ppn, &large);
}

NEVER_INLINE bool found_beside(tlbs_t *c, xlat_t *x) {
  fill_ctx_t ctx = fill_ctx(c, x->level, x);
  return c->fill->probe && c->fill->probe(c->fill_state, &ctx, &x->ppn, &x->large);
}

/* In the TLB itself, or in the buffer that the fill policy keeps beside it. */
typedef enum { FOUND_NOT, FOUND_HERE, FOUND_BESIDE } found_t;
ALWAYS_INLINE found_t level_find(tlbs_t *c, xlat_t *x, tlb_instance_t *t, uint64_t hash) {
  if (tlb_lookup_hashed(&t->array, x->asid, x->vpn, hash, &x->ppn, &x->large)) return FOUND_HERE;
  return c->fill_hooks && found_beside(c, x) ? FOUND_BESIDE : FOUND_NOT;
}

NEVER_INLINE void tell_fill_policy(tlbs_t *c, const xlat_t *x, bool hit) {
  fill_ctx_t ctx = fill_ctx(c, x->level, x);
  if (c->fill->looked_up) c->fill->looked_up(c->fill_state, &ctx, hit);
}

/* The TLB that an SM uses of a level behind the first. */
ALWAYS_INLINE sender_t from_level(const tlbs_t *c, uint32_t level, uint32_t sm) {
  return FROM_TLB(level, c->level[level].of_sm[sm]);
}

/* The level tells the one below it. A TLB, and an SM, has one TLB of the next level only. */
ALWAYS_INLINE void tell_below(const tlbs_t *c, uint32_t id, uint32_t level) {
  tlb_xlat(c)->at[id].level = (uint8_t)(level - 1);
  engine_schedule_soon(tlb_ev(c), SOON_ANSWER, id);
}

/* By how much the look-up that just was took longer. Large pages have an array of their own. */
static uint32_t slower(tlbs_t *c, const xlat_t *x, uint32_t level) {
  return x->large ? 0 : tlb_instance(c, level, x->sm)->array.slower_cycles;
}

ALWAYS_INLINE void level_hit(tlbs_t *c, uint32_t id, uint32_t level) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  const tlb_level_t *l = &c->level[level];
  uint32_t cycles = x->large ? l->spec.latency_cycles : l->base_cycles;
  if (l->formatted) cycles += slower(c, x, level);
  uint64_t at = message_at(tlb_ev(c), tlb_ev(c)->now + cycles);
  hist_add(&c->level[level].stats[x->asid].latency, (uint32_t)(at - x->t_level[level]));
  message_send(tlb_ev(c), from_level(c, level, x->sm), at, EV_TLB_ANSWER, id);
  x->level = (uint8_t)(level - 1);
}

/* Every MSHR of the level is taken. */
NEVER_INLINE void level_stalls(tlbs_t *c, uint32_t id, tlb_instance_t *t) {
  tlb_xlat(c)->at[id].next = XLAT_NONE;
  if (t->stalled_head == XLAT_NONE)
    t->stalled_head = id;
  else
    tlb_xlat(c)->at[t->stalled_tail].next = id;
  t->stalled_tail = id;
}

/* Has the level a place for the miss, if no other one is under way for its page? */
NEVER_INLINE bool format_room(const tlbs_t *c, const tlb_instance_t *t, const xlat_t *x) {
  return c->level[x->level].format->room(t->format, x->asid, x->vpn, NULL, 0);
}
ALWAYS_INLINE bool level_has_room(const tlbs_t *c, const tlb_instance_t *t, const xlat_t *x) {
  return __builtin_expect(!t->format, 1) ? t->pending.count < t->mshrs : format_room(c, t, x);
}

/* Join the one under way, take an MSHR and go on, or wait for one. */
ALWAYS_INLINE void level_miss(tlbs_t *c, uint32_t id, uint32_t level, tlb_instance_t *t,
                              tlb_stats_t *st, uint64_t hash) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t first = tlb_pending_find_hashed(&t->pending, tlb_xlat(c), level, x->key, hash);
  if (first != XLAT_NONE) {
    st->merged_misses++;
    x->t_joined = tlb_ev(c)->now;
    x->next = tlb_xlat(c)->at[first].joined[level];
    tlb_xlat(c)->at[first].joined[level] = id;
  } else if (!level_has_room(c, t, x)) {
    st->mshr_stalls++;
    level_stalls(c, id, t);
  } else {
    st->primary_misses++;
    assert(x->joined[level] == XLAT_NONE);
    if (t->format) c->level[level].format->take(t->format, id, x->asid, x->vpn, NULL);
    tlb_pending_add(&t->pending, tlb_xlat(c), level, id, hash);
    uint32_t cycles = c->level[level].miss_cycles;
    if (c->level[level].formatted) cycles += t->array.slower_cycles;
    send_to_level(c, from_level(c, level, x->sm), id, level + 1, tlb_ev(c)->now + cycles);
  }
}

/* It was counted as a miss before. */
NEVER_INLINE void level_misses_again(tlbs_t *c, uint32_t id) {
  const xlat_t *x = &tlb_xlat(c)->at[id];
  level_miss(c, id, x->level, tlb_instance(c, x->level, x->sm), &c->level[x->level].stats[x->asid],
             assoc_hash(x->key));
}

NEVER_INLINE void tell_level_miss(tlbs_t *c, uint32_t id, uint32_t level) {
  WATCH_TELL(c->watch.missed, id, level);
}

ALWAYS_INLINE void look_up_in_level(tlbs_t *c, uint32_t id, tlb_instance_t *t) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t level = x->level;
  uint64_t hash = assoc_hash(x->key);
  tlb_stats_t *st = &c->level[level].stats[x->asid];
  found_t found = level_find(c, x, t, hash);
  st->lookups++;
  if (c->fill_hooks) tell_fill_policy(c, x, found != FOUND_NOT);
  if (found == FOUND_NOT) {
    st->misses++;
    if (WATCHED(c->watch.missed)) tell_level_miss(c, id, level);
    level_miss(c, id, level, t, st, hash);
    return;
  }
  st->hits++;
  st->side_hits += found == FOUND_BESIDE;
  st->large_hits += x->large;
  level_hit(c, id, level);
}
void tlb_level_lookup(tlbs_t *c, uint32_t id) {
  const xlat_t *x = &tlb_xlat(c)->at[id];
  look_up_in_level(c, id, tlb_instance(c, x->level, x->sm));
}

void tlb_arrive(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t level = x->level;
  x->t_level[level] = tlb_ev(c)->now;
  tlb_instance_t *t = tlb_instance(c, level, x->sm);
  uint64_t at = tlb_port_grant(&t->port, tlb_ev(c)->now);
  if (at == tlb_ev(c)->now)
    look_up_in_level(c, id, t);
  else
    message_send(tlb_ev(c), from_level(c, level, x->sm), at, EV_TLB_LOOKUP, id);
}

/* An MSHR is free: who stalls tries again, and stays counted as a miss even if its page has
 * come in. If it needs no MSHR after all, the next in line may have it. */
NEVER_INLINE void retry_stalled(tlbs_t *c, tlb_instance_t *t) {
  for (uint32_t id; (id = t->stalled_head) != XLAT_NONE;) {
    xlat_t *x = &tlb_xlat(c)->at[id];
    if (!level_has_room(c, t, x)) return;
    t->stalled_head = x->next;
    if (level_find(c, x, t, assoc_hash(x->key)) != FOUND_NOT)
      level_hit(c, id, x->level);
    else
      level_misses_again(c, id);
  }
}

/* ---- the answer ---- */

static void inherit(xlat_t *to, const xlat_t *from) {
  to->ppn = from->ppn;
  to->large = from->large;
  to->t_below = from->t_below;
  to->t_walk = from->t_walk;
  to->t_ended = from->t_ended;
  to->walk_dram = from->walk_dram;
  to->fault = from->fault;
}

/* Answers the translations that joined `x` at level l, and forgets them: if the page is evicted on
 * its way to the first level, `x` asks this level again, and nobody has joined it then. */
NEVER_INLINE void answer_joined(tlbs_t *c, xlat_t *x, uint32_t l) {
  for (uint32_t j = x->joined[l], next; j != XLAT_NONE; j = next) {
    xlat_t *y = &tlb_xlat(c)->at[j];
    next = y->next;
    inherit(y, x);
    hist_add(&c->level[l].stats[y->asid].latency, (uint32_t)(tlb_ev(c)->now - y->t_level[l]));
    tell_below(c, j, l);
  }
  x->joined[l] = XLAT_NONE;
}

/* The level fills its TLB and gives its MSHR back. `plain`: short_answers holds. */
ALWAYS_INLINE void answer_level(tlbs_t *c, uint32_t id, uint32_t l, bool plain) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  tlb_instance_t *t = tlb_instance(c, l, x->sm);
  tlb_stats_t *st = &c->level[l].stats[x->asid];
  if (!plain && t->format) c->level[l].format->give(t->format, id);
  fill_level(c, l, x, t, st, plain);
  tlb_pending_drop(&t->pending, tlb_xlat(c), l, id, assoc_hash(x->key));
  hist_add(&st->latency, (uint32_t)(tlb_ev(c)->now - x->t_level[l]));
  if (x->joined[l] != XLAT_NONE) answer_joined(c, x, l);
  tell_below(c, id, l);
  if (t->stalled_head != XLAT_NONE) retry_stalled(c, t);
}

/* The page was evicted while the answer was on its way: the level asks again. */
NEVER_INLINE void ask_again(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  sender_t from = x->level ? from_level(c, x->level, x->sm) : FROM_SM(x->sm);
  x->t_ended = 0;
  x->remote = false;
  if (c->translate)
    send_to_level(c, from, id, x->level + 1u, tlb_ev(c)->now + 1);
  else
    message_send(tlb_ev(c), from, tlb_ev(c)->now + 1, EV_NOT_THERE, id);
}

/* Its page may have gone or moved since: what the page table says now is what counts. */
NEVER_INLINE void answer_fetch(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t l = c->levels - 1u;
  tlb_instance_t *t = tlb_instance(c, l, x->sm);
  bool there = mm_translate(tlb_memory(c)->mm, x->asid, x->vpn, &x->ppn, &x->large);
  if (t->format) c->level[l].format->give(t->format, id);
  if (there) fill_level(c, l, x, t, &c->level[l].stats[x->asid], false);
  tlb_pending_drop(&t->pending, tlb_xlat(c), l, id, assoc_hash(x->key));
  if (there) {
    answer_joined(c, x, l);
  } else {
    for (uint32_t j = x->joined[l], next; j != XLAT_NONE; j = next) {
      next = tlb_xlat(c)->at[j].next;
      level_misses_again(c, j);
    }
  }
  if (t->stalled_head != XLAT_NONE) retry_stalled(c, t);
  xlat_give(tlb_xlat(c), id);
  c->fetches--;
}

/* General path of the next two. */
NEVER_INLINE void answer_any(tlbs_t *c, uint32_t id) {
  const xlat_t *x = &tlb_xlat(c)->at[id];
  if (x->ahead)
    answer_fetch(c, id);
  else if (c->pages_go && evicted_since(c, x))
    ask_again(c, id);
  else if (x->level)
    answer_level(c, id, x->level, false);
  else if (c->translate)
    answer_first_level(c, id, false);
  else
    answer_ideal(c, id);
}

/* Fast path: the answer is that of one look-up or more in the first level, nobody else hears of it,
 * and the page cannot have gone since (short_answers). */
void tlb_answers(tlbs_t *c, const uint32_t *id, const uint32_t *end) {
  for (; id < end; id++)
    if (FAST(c->short_answers && !tlb_xlat(c)->at[*id].level && !tlb_xlat(c)->at[*id].ahead))
      answer_first_level(c, *id, true);
    else
      answer_any(c, *id);
}
void tlb_answer(tlbs_t *c, uint32_t id) { tlb_answers(c, &id, &id + 1); }

/* Fast path: the same behind the first level, whose last TLB the walker answers. */
ALWAYS_INLINE void tlb_walked(tlbs_t *c, const uint32_t *id, const uint32_t *end) {
  for (; id < end; id++) {
    const xlat_t *x = &tlb_xlat(c)->at[*id];
    if (FAST(c->short_answers && x->level && !x->ahead))
      answer_level(c, *id, x->level, true);
    else
      answer_any(c, *id);
  }
}

void tlb_peer_answer(tlbs_t *c, uint32_t id) { tlb_answer(c, id); }

void tlb_next_level(tlbs_t *c, sender_t from, uint32_t id, uint64_t at) {
  uint32_t hop = c->levels > 1 ? c->level[1].spec.hop_cycles : 0;
  send_to_level(c, from, id, 1, message_at(tlb_ev(c), at + hop));
}

uint32_t tlb_warps(const tlbs_t *c, uint32_t id, uint32_t below) {
  const xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t warps = x->warps;
  for (uint32_t l = below; l-- > 1;)
    for (uint32_t j = x->joined[l]; j != XLAT_NONE; j = tlb_xlat(c)->at[j].next)
      if (tlb_xlat(c)->at[j].t_joined < tlb_ev(c)->now) warps += tlb_warps(c, j, l);
  return warps;
}

/* The answer takes a cycle from level to level, and one from the walker to the last; the look-up's
 * latency, and the way to the next level, have room for them: a miss goes on so much earlier. */
uint32_t tlb_miss_cycles(const tlbs_t *c, uint32_t level) {
  bool last = level + 1 == c->levels;
  uint32_t cycles = c->level[level].base_cycles, back = (level != 0) + last;
  if (!last) cycles += c->level[level + 1].spec.hop_cycles;
  return cycles > back + 1 ? cycles - back : 1;
}

/* ---- pages that come or move meanwhile ---- */

/* Its page, which had to be brought, is there now. */
void tlb_fault_answer(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  mm_translate(tlb_memory(c)->mm, x->asid, x->vpn, &x->ppn, &x->large);
  if (c->translate) x->t_ended = tlb_ev(c)->now;
  x->level = (uint8_t)(c->translate ? c->levels - 1 : 0);
  message_send(tlb_ev(c), FROM_HOST, tlb_ev(c)->now + 1, EV_TLB_ANSWER, id);
}

/* ---- translations that nobody waits for ---- */

bool tlb_fetch(tlbs_t *c, uint32_t sm, asid_t asid, vpn_t vpn, uint64_t at) {
  uint32_t level = c->levels - 1;
  uint32_t order = tlb_memory(c)->mixed ? mm_page_order(tlb_memory(c)->mm, asid, vpn) : 0;
  vpn.v = vpn.v >> order << order;
  uint64_t key = tlb_page_key(asid, vpn), hash = assoc_hash(key);
  ppn_t ppn;
  bool large;
  if (!c->translate || !level || c->fetches == TLB_FETCHES) return false;
  tlb_instance_t *t = tlb_instance(c, level, sm);
  if (t->pending.count >= t->mshrs || tlb_holds(&t->array, asid, vpn) ||
      tlb_pending_find_hashed(&t->pending, tlb_xlat(c), level, key, hash) != XLAT_NONE ||
      !mm_translate(tlb_memory(c)->mm, asid, vpn, &ppn, &large))
    return false;
  uint32_t id = xlat_take(tlb_xlat(c));
  xlat_t *x = &tlb_xlat(c)->at[id];
  x->key = key, x->vpn = vpn, x->asid = asid;
  x->sm = (uint16_t)sm, x->tlb = c->level[0].of_sm[sm], x->warp = 0, x->order = (uint8_t)order;
  x->warps = 0, x->slots = 0;
  x->waiters = (request_list_t){REQ_NONE, REQ_NONE};
  x->t_start = x->t_level[level] = tlb_ev(c)->now;
  x->level = x->reached = (uint8_t)c->levels;
  x->ahead = true;
  c->fetches++;
  if (c->group) c->group[id] = (page_group_t){.base = vpn.v >> order, .order = x->order};
  if (t->format) c->level[level].format->take(t->format, id, asid, vpn, NULL);
  tlb_pending_add(&t->pending, tlb_xlat(c), level, id, hash);
  message_send(tlb_ev(c), from_level(c, level, sm), message_at(tlb_ev(c), at), EV_WALK_QUEUE, id);
  return true;
}

/* Each translation under way. */
static void each_miss(tlbs_t *c, void (*f)(tlbs_t *c, xlat_t *x)) {
  tlb_level_t *l = &c->level[0];
  for (uint32_t i = 0; i < l->instances; i++)
    for (uint32_t k = 0; k <= UINT64_MAX >> l->at[i].pending.shift; k++)
      for (uint32_t m = l->at[i].pending.bucket[k]; m != XLAT_NONE; m = tlb_xlat(c)->at[m].chain[0])
        f(c, &tlb_xlat(c)->at[m]);
}

static void retarget(tlbs_t *c, xlat_t *x) {
  mm_translate(tlb_memory(c)->mm, x->asid, x->vpn, &x->ppn, &x->large);
}
void tlb_retarget(tlbs_t *c) {
  c->drops++;
  each_miss(c, retarget);
}
void tlb_settle(tlbs_t *c) { each_miss(c, stamp_waiters); }

/* ---- entries that must go ---- */

typedef struct {
  tlbs_t *c;
  uint32_t tlb;
} dropped_ctx_t;

static void tell_peers(void *ctx, const tlb_victim_t *dropped) {
  const dropped_ctx_t *d = ctx;
  peers_evicted(tlb_peers(d->c), d->tlb, dropped);
}

static void drop_in_level(tlbs_t *c, uint32_t l, asid_t asid, vpn_t vpn, uint64_t pages) {
  tlb_dropped_fn told = l == 0 && tlb_peers(c)->hooks ? tell_peers : NULL;
  for (uint32_t t = 0; t < c->level[l].instances; t++)
    c->level[l].stats[asid].invalidations +=
        tlb_invalidate(&c->level[l].at[t].array, asid, vpn, pages, told, &(dropped_ctx_t){c, t});
}

void tlb_drop(tlbs_t *c, asid_t asid, vpn_t vpn, uint64_t pages) {
  c->drops++;
  for (uint32_t l = 0; c->translate && l < c->levels; l++) drop_in_level(c, l, asid, vpn, pages);
  peers_drop(tlb_peers(c), asid, vpn, pages);
  if (c->victim) drop_victims(c, asid, vpn, pages);
  if (c->fill->invalidate) c->fill->invalidate(c->fill_state, asid, vpn, pages);
}
