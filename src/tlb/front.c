/* The first-level TLBs, and the stage of an SM that looks into them:
 *
 *   tlb_look_up: hit -> L1
 *                miss -> an MSHR -> [peers.c, or keep.c] -> the next level
 *   answer_first_level: every request that waited goes on to its L1
 *
 * The MSHR is an xlat_t: it holds the requests that wait, and travels to the next levels and to
 * the walker as their request. */
#include "base/inline.h"
#include "cache/l1.h"
#include "engine/messages.h"
#include "map/memory.h"
#include "sm/cores.h"
#include "tlb/peers.h"
#include "tlb/xlat.h"

/* With run.check: a translation must be what the page table says now. */
static void check_translation(tlbs_t *c, asid_t asid, vpn_t vpn, ppn_t ppn) {
  ppn_t want;
  bool large;
  if (mm_translate(tlb_memory(c)->mm, asid, vpn, &want, &large) && want.v == ppn.v &&
      mm_frame_owner(tlb_memory(c)->mm, ppn) == asid)
    return;
  err_set(&tlb_ev(c)->error, GMMU_ECHECK,
          "application %u: page %#llx was translated to frame %#llx, not as in its page table",
          asid, (unsigned long long)vpn.v, (unsigned long long)ppn.v);
  engine_fail(tlb_ev(c), GMMU_ECHECK);
}

/* The lines of a group go on to L1, `latency` cycles from now. */
ALWAYS_INLINE void group_hit(tlbs_t *c, sm_t *s, const group_t *gr, ppn_t ppn, uint32_t latency) {
  uint32_t at = (uint32_t)tlb_ev(c)->now + latency, id = gr->lines.head;
  uint64_t frame = frame_of(c, ppn), mask = page_mask(c, gr->order);
  do {
    request_t *r = &tlb_pool(c)->at[id];
    r->t_xlat = at;
    r->flags |= REQ_XLATED;
    put_physical(r, frame, mask);
    id = r->next;
  } while (id != REQ_NONE);
  l1_t *l = &tlb_l1(c)->l1[s->id];
  request_splice(tlb_pool(c), &l->hits, gr->lines);
  if (tlb_ev(c)->now + latency < l->at) l->at = tlb_ev(c)->now + latency;
}

/* Block `from` sends it to a level behind the first, or to the walker. */
ALWAYS_INLINE void send_to_level(tlbs_t *c, sender_t from, uint32_t id, uint32_t level,
                                 uint64_t at) {
  tlb_xlat(c)->at[id].level = tlb_xlat(c)->at[id].reached = (uint8_t)level;
  message_send(tlb_ev(c), from, at, level < c->levels ? EV_TLB_ARRIVE : EV_WALK_QUEUE, id);
}

/* The TLB is that of one SM. */
ALWAYS_INLINE bool own_tlb(const tlbs_t *c) { return __builtin_expect(tlb_xlat(c)->words == 1, 1); }

/* `slot` of an SM waits, too: `word` has its SM's bits. */
ALWAYS_INLINE void count_slot(xlat_t *x, uint64_t *word, uint32_t slot) {
  x->warps += !(*word >> slot & 1);
  *word |= 1ull << slot;
}
NEVER_INLINE void count_shared(tlbs_t *c, uint32_t id, uint32_t sm, uint32_t slot) {
  uint32_t words = tlb_xlat(c)->words; /* one per SM of a first-level TLB */
  count_slot(&tlb_xlat(c)->at[id], &tlb_xlat(c)->warp_mask[(size_t)id * words + sm % words], slot);
}

/* The lines of a group wait from now on. */
ALWAYS_INLINE void stamp_looked_up(tlbs_t *c, const group_t *gr) {
  uint32_t now = (uint32_t)tlb_ev(c)->now, line = gr->lines.head;
  do {
    request_t *r = &tlb_pool(c)->at[line];
    r->t_xlat = now;
    line = r->next;
  } while (line != REQ_NONE);
}

/* They do so in MSHR `id`, where others wait already. */
ALWAYS_INLINE void group_joins(tlbs_t *c, sm_t *s, const group_t *gr, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  stamp_looked_up(c, gr);
  if (own_tlb(c))
    count_slot(x, &x->slots, gr->slot);
  else
    count_shared(c, id, s->id, gr->slot);
  tlb_pool(c)->at[x->waiters.tail].next = gr->lines.head;
  x->waiters.tail = gr->lines.tail;
}

/* The first one that waits. */
ALWAYS_INLINE void first_warp(tlbs_t *c, uint32_t id, uint32_t sm, uint32_t slot) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint32_t words = tlb_xlat(c)->words;
  x->warps = 1;
  x->slots = 1ull << slot;
  if (own_tlb(c)) return;
  uint64_t *mask = &tlb_xlat(c)->warp_mask[(size_t)id * words];
  for (uint32_t w = 0; w < words; w++) mask[w] = w == sm % words ? 1ull << slot : 0;
}

/* An MSHR for the page of a group, whose lines wait in it. */
ALWAYS_INLINE uint32_t new_miss(tlbs_t *c, sm_t *s, const group_t *gr, tlb_instance_t *t) {
  uint32_t id = xlat_take(tlb_xlat(c));
  xlat_t *x = &tlb_xlat(c)->at[id];
  uint64_t key = tlb_page_key(gr->asid, gr->vpn);
  x->key = key;
  x->vpn = gr->vpn;
  x->asid = gr->asid;
  x->warp = gr->slot;
  x->order = gr->order;
  x->sm = (uint16_t)s->id;
  x->tlb = c->level[0].of_sm[s->id];
  x->t_start = tlb_ev(c)->now;
  x->waiters = gr->lines;
  stamp_looked_up(c, gr);
  first_warp(c, id, s->id, gr->slot);
  tlb_pending_add(&t->pending, tlb_xlat(c), 0, id, assoc_hash(key));
  return id;
}

/* First peers, if there are any to ask, then the next level. `plain` in these functions: see
 * short_looks. */
ALWAYS_INLINE void miss_goes_on(tlbs_t *c, const sm_t *s, uint32_t id, bool plain) {
  if (!plain && tlb_peers(c)->hooks)
    peers_ask(tlb_peers(c), id, tlb_ev(c)->now + c->level[0].spec.latency_cycles);
  else if (!plain && c->victim)
    ask_victims(c, id);
  else
    send_to_level(c, FROM_SM(s->id), id, 1, tlb_ev(c)->now + c->level[0].miss_cycles);
}

/* The page of the SM's next look-up has a group; it keeps it while it waits for an MSHR. */
NEVER_INLINE void detect_group(tlbs_t *c, const sm_t *s, const group_t *gr) {
  if (!gr->waited) latpc_detect(&c->detect[s->id], &tlb_spec(c)->latpc, gr->vpn, gr->order);
}

/* SMs that share the TLB and whose access at the head has waited for an MSHR for longer. */
NEVER_INLINE uint32_t waiting_longer(const tlbs_t *c, const sm_t *s, const group_t *gr) {
  uint32_t group = c->level[0].spec.group, n = group ? group : tlb_cores(c)->count, count = 0;
  for (uint32_t i = s->id / n * n; i < (s->id / n + 1) * n && i < tlb_cores(c)->count; i++) {
    const sm_t *o = &tlb_cores(c)->sm[i];
    const group_t *head = &o->look.group[o->look.head];
    if (o == s || !o->look.count || !head->waited) continue;
    count += head->ready < gr->ready || (head->ready == gr->ready && i < s->id);
  }
  return count;
}

/* A miss of its own: to the next level. */
ALWAYS_INLINE void start_miss(tlbs_t *c, sm_t *s, const group_t *gr, tlb_instance_t *t,
                              bool plain) {
  miss_goes_on(c, s, new_miss(c, s, gr, t), plain);
}

/* The same with a detector, or MSHRs of another format. False if these have no place. */
NEVER_INLINE bool start_grouped(tlbs_t *c, sm_t *s, const group_t *gr, tlb_instance_t *t) {
  const mshr_ops_t *f = c->level[0].format;
  const page_group_t *group = &c->detect[s->id].page;
  uint32_t due = own_tlb(c) ? 0 : waiting_longer(c, s, gr);
  if (f ? !f->room(t->format, gr->asid, gr->vpn, group, due) : t->pending.count + due >= t->mshrs)
    return false;
  uint32_t id = new_miss(c, s, gr, t);
  c->group[id] = *group;
  if (f) f->take(t->format, id, gr->asid, gr->vpn, group);
  miss_goes_on(c, s, id, false);
  return true;
}

/* False if every MSHR is taken, or the free ones are due to others: the SMs come in order
 * of their number, and the last would never have one. */
ALWAYS_INLINE bool group_miss(tlbs_t *c, sm_t *s, group_t *gr, tlb_instance_t *t, tlb_stats_t *st,
                              uint64_t key, bool first_look, bool plain) {
  uint32_t id = XLAT_NONE;
  if (first_look || !own_tlb(c)) /* else it has looked, and only itself could have asked since */
    id = tlb_pending_find_hashed(&t->pending, tlb_xlat(c), 0, key, assoc_hash(key));
  if (id != XLAT_NONE) {
    st->merged_misses++;
    if (!plain && tlb_peers(c)->hooks) peers_join(tlb_peers(c), id);
    group_joins(c, s, gr, id);
    if (!plain && c->speculate) guess_group(c, s, gr);
    return true;
  }
  if (!plain && c->detect) {
    if (!start_grouped(c, s, gr, t)) return false;
  } else {
    if (t->pending.count + (own_tlb(c) ? 0 : waiting_longer(c, s, gr)) >= t->mshrs) return false;
    start_miss(c, s, gr, t, plain);
  }
  st->primary_misses++;
  if (!plain && c->speculate) guess_group(c, s, gr);
  return true;
}

/* The page table has no answer: with demand paging the lines wait in an MSHR of the first
 * level. False if none is free. */
NEVER_INLINE bool ideal_fault(tlbs_t *c, sm_t *s, group_t *gr, tlb_instance_t *t) {
  tlb_stats_t *st = &c->level[0].stats[gr->asid];
  uint32_t id = tlb_pending_find(&t->pending, tlb_xlat(c), 0, tlb_page_key(gr->asid, gr->vpn));
  bool first = id == XLAT_NONE;
  if (first && t->pending.count + waiting_longer(c, s, gr) >= t->mshrs) {
    st->mshr_stalls += !gr->waited;
    gr->waited = true;
    return false;
  }
  st->lookups++;
  st->misses++;
  *(first ? &st->primary_misses : &st->merged_misses) += 1;
  if (!first) {
    group_joins(c, s, gr, id);
    return true;
  }
  id = new_miss(c, s, gr, t);
  tlb_xlat(c)->at[id].t_below = tlb_xlat(c)->at[id].t_walk = tlb_ev(c)->now;
  uint32_t own = c->level[0].spec.latency_cycles;
  message_send(tlb_ev(c), FROM_SM(s->id), tlb_ev(c)->now + (own ? own : 1), EV_NOT_THERE, id);
  return true;
}

/* It waited for an MSHR and needs none. */
NEVER_INLINE void tell_passed(const tlbs_t *c, const sm_t *s) {
  message_send(tlb_ev(c), FROM_SM(s->id), tlb_ev(c)->now + 1, EV_TLB_PASSED, s->id);
}

/* Every look-up hits: the page table answers. */
ALWAYS_INLINE bool lookup_ideal(tlbs_t *c, sm_t *s, group_t *gr, tlb_instance_t *t) {
  ppn_t ppn;
  bool large;
  if (!mm_translate(tlb_memory(c)->mm, gr->asid, gr->vpn, &ppn, &large)) {
    if (c->pages_come) return ideal_fault(c, s, gr, t);
    WATCH_TELL(c->watch.unmapped, gr->asid, gr->vpn);
    return false;
  }
  uint32_t latency = c->levels ? c->level[0].spec.latency_cycles : 0;
  if (c->levels) {
    tlb_stats_t *st = &c->level[0].stats[gr->asid];
    st->lookups++;
    st->hits++;
    st->large_hits += large;
    if (gr->waited) tell_passed(c, s);
  }
  if (c->check) check_translation(c, gr->asid, gr->vpn, ppn);
  group_hit(c, s, gr, ppn, latency);
  return true;
}

/* A translation that the peers' policy keeps for this TLB goes into it; not while a miss for the
 * page is under way, whose answer will. */
NEVER_INLINE bool take_copy(tlbs_t *c, const sm_t *s, const group_t *gr, tlb_instance_t *t,
                            ppn_t *ppn, bool *large) {
  xlat_t x = {.tlb = c->level[0].of_sm[s->id],
              .sm = (uint16_t)s->id,
              .warp = gr->slot,
              .order = gr->order,
              .asid = gr->asid,
              .vpn = gr->vpn};
  if (tlb_pending_find(&t->pending, tlb_xlat(c), 0, tlb_page_key(gr->asid, gr->vpn)) != XLAT_NONE ||
      !tlb_peers(c)->ops->take(tlb_peers(c)->state, x.tlb, x.asid, x.vpn, &x.ppn, &x.large))
    return false;
  tlb_peers(c)->stats[x.asid].prefetch_hits++;
  fill_any(c, 0, &x, t);
  *ppn = x.ppn;
  *large = x.large;
  return true;
}

/* Its page is known: `ppn`. */
ALWAYS_INLINE void lookup_hit(tlbs_t *c, sm_t *s, const group_t *gr, tlb_stats_t *st, ppn_t ppn,
                              bool large) {
  st->lookups++;
  st->hits++;
  st->large_hits += large;
  if (gr->waited) tell_passed(c, s);
  if (c->check) check_translation(c, gr->asid, gr->vpn, ppn);
  group_hit(c, s, gr, ppn, c->level[0].spec.latency_cycles);
}

/* False if it has to wait for an MSHR. */
ALWAYS_INLINE bool lookup_group(tlbs_t *c, sm_t *s, group_t *gr, tlb_instance_t *t, bool plain) {
  asid_t asid = gr->asid;
  tlb_stats_t *st = &c->level[0].stats[asid];
  uint64_t key = tlb_page_key(asid, gr->vpn);
  bool first_look = !gr->missed, large;
  ppn_t ppn;
  if (!plain && c->detect) detect_group(c, s, gr);
  if (first_look && (tlb_lookup_hashed(&t->array, asid, gr->vpn, assoc_hash(key), &ppn, &large) ||
                     (!plain && tlb_peers(c)->takes && take_copy(c, s, gr, t, &ppn, &large)))) {
    lookup_hit(c, s, gr, st, ppn, large);
    return true;
  }
  if (!group_miss(c, s, gr, t, st, key, first_look, plain)) {
    st->mshr_stalls += !gr->waited;
    gr->missed = gr->waited = true;
    return false;
  }
  st->lookups++;
  st->misses++;
  return true;
}

/* Has the SM's first group a port now? It asks once and keeps its turn: of the SMs that share a
 * TLB, the one that waited longest goes first, whatever its number. */
static bool lookup_turn(const tlbs_t *c, sm_t *s, tlb_port_t *port) {
  if (!s->look.port_at) s->look.port_at = tlb_port_grant(port, tlb_ev(c)->now);
  return s->look.port_at <= tlb_ev(c)->now;
}

/* Those who watch hear of a look-up. */
NEVER_INLINE void tell_lookup(tlbs_t *c, const sm_t *s, const group_t *gr) {
  if (tlb_peers(c)->watch) peers_watch(tlb_peers(c), c->level[0].of_sm[s->id], gr->asid, gr->vpn);
  WATCH_TELL(c->watch.looked_up, s->id, gr);
}

/* Its first group is done. */
ALWAYS_INLINE void lookups_pop(sm_t *s) {
  s->lsu_insts -= s->look.group[s->look.head].last;
  s->look.head = (s->look.head + 1) & s->look.mask;
  s->look.count--;
}

/* As many of the groups as may look up now; `t` is NULL if there are no TLBs. Returns the cycle
 * from which the next one may; UINT64_MAX: after an answer, or when there is one. */
ALWAYS_INLINE uint64_t look_ups(tlbs_t *c, sm_t *s, tlb_instance_t *t, bool ideal, bool plain) {
  while (s->look.count) {
    group_t *gr = &s->look.group[s->look.head];
    if (gr->ready > tlb_ev(c)->now) return gr->ready;
    if (!plain && c->virtual_l1 && !gr->waited && !s->look.port_at && lines_go_past(c, s, gr)) {
      if (c->detect && gr->last) latpc_instruction_ends(&c->detect[s->id]);
      lookups_pop(s);
      continue;
    }
    if ((t || !ideal) && !lookup_turn(c, s, &t->port)) return s->look.port_at;
    s->look.port_at = 0;
    if (!(ideal ? lookup_ideal(c, s, gr, t) : lookup_group(c, s, gr, t, plain))) {
      lookups_block(&s->look, tlb_ev(c)->now);
      return UINT64_MAX;
    }
    if (!plain && c->look_hooks) tell_lookup(c, s, gr);
    if (!plain && c->detect && gr->last) latpc_instruction_ends(&c->detect[s->id]);
    lookups_pop(s);
  }
  return UINT64_MAX;
}

NEVER_INLINE void look_ups_ideal(tlbs_t *c, sm_t *s) {
  s->look.at = look_ups(c, s, c->levels ? tlb_instance(c, 0, s->id) : NULL, true, false);
}
NEVER_INLINE void look_ups_any(tlbs_t *c, sm_t *s) {
  s->look.at = look_ups(c, s, tlb_instance(c, 0, s->id), false, false);
}

/* A cycle of an SM's look-ups; sets when it has work again. */
ALWAYS_INLINE void tlb_look_up(tlbs_t *c, sm_t *s) {
  if (s->look.blocked)
    s->look.at = UINT64_MAX; /* until an answer frees an MSHR */
  else if (FAST(c->short_looks))
    s->look.at = look_ups(c, s, tlb_instance(c, 0, s->id), false, true);
  else if (c->translate)
    look_ups_any(c, s);
  else
    look_ups_ideal(c, s);
}

/* ---- the answer ---- */

/* What the translation knows of where time went, up to now. The way back from the walker is time in
 * the TLB levels. */
ALWAYS_INLINE stages_t stages_of(const tlbs_t *c, const xlat_t *x) {
  uint32_t end = (uint32_t)(x->t_ended ? x->t_ended : tlb_ev(c)->now);
  return (stages_t){.queue = x->t_below ? end - (uint32_t)x->t_below : 0,
                    .walk = x->t_walk ? end - (uint32_t)x->t_walk : 0,
                    .dram = x->walk_dram,
                    .fault = x->fault};
}

/* Cycles since the look-up that missed was over. */
ALWAYS_INLINE uint32_t since_miss(const tlbs_t *c, const xlat_t *x) {
  uint64_t missed = x->t_start + c->level[0].spec.latency_cycles;
  return tlb_ev(c)->now > missed ? (uint32_t)(tlb_ev(c)->now - missed) : 0;
}

/* A request that waited for it until now, and is its time's witness. */
ALWAYS_INLINE void stamp_translated(request_t *r, uint32_t now, const stages_t *stages,
                                    uint32_t missed) {
  uint32_t waited = now - r->t_xlat;
  r->stages = *stages;
  r->below = waited < missed ? waited : missed;
  r->t_xlat = now;
  r->flags |= REQ_XLATED | REQ_SPLIT;
}

/* Translated requests of an SM go on to its L1. The last of them is that of its list. */
ALWAYS_INLINE void to_l1(tlbs_t *c, uint32_t sm, request_list_t list) {
  l1_replay(tlb_l1(c), sm, list, tlb_ev(c)->now);
}

/* Every request that waited is translated. Where SMs share the TLB, each goes on to its L1. */
ALWAYS_INLINE void translate_waiters(tlbs_t *c, xlat_t *x, hist_t *latency, bool own, bool ahead) {
  const l1_t *l1 = &tlb_l1(c)->l1[x->sm];
  uint32_t now = (uint32_t)tlb_ev(c)->now, missed = since_miss(c, x), id = x->waiters.head, next;
  uint64_t frame = frame_of(c, x->ppn), mask = page_mask(c, x->order);
  stages_t stages = stages_of(c, x);
  do {
    request_t *r = &tlb_pool(c)->at[id];
    next = r->next;
    if (__builtin_expect(request_first(r), 1)) hist_add(latency, now - r->t_xlat);
    stamp_translated(r, now, &stages, missed);
    put_physical(r, frame, mask);
    if (ahead) l1_fetch(l1, r->addr);
    if (!own) to_l1(c, r->sm, (request_list_t){id, id});
    id = next;
  } while (id != REQ_NONE);
}
NEVER_INLINE void translate_shared(tlbs_t *c, xlat_t *x, hist_t *latency) {
  translate_waiters(c, x, latency, false, false);
}
NEVER_INLINE void translate_ahead(tlbs_t *c, xlat_t *x, hist_t *latency) {
  translate_waiters(c, x, latency, true, true);
}
ALWAYS_INLINE void release_waiters(tlbs_t *c, xlat_t *x, hist_t *latency, bool own) {
  if (own && tlb_l1(c)->ahead)
    translate_ahead(c, x, latency);
  else if (own)
    translate_waiters(c, x, latency, true, false);
  else
    translate_shared(c, x, latency);
}

/* An SM whose look-ups wait for an MSHR tries again. */
static void look_again(tlbs_t *c, uint32_t sm) {
  sm_t *s = &tlb_cores(c)->sm[sm];
  if (!s->look.blocked) return; /* it may have been woken before, and wait for a port */
  lookups_unblock(&s->look, tlb_ev(c)->now);
  s->look.at = s->memory_at = tlb_ev(c)->now;
  cores_wake(tlb_cores(c), sm);
}

/* An access that had waited for an MSHR needed none, because its page came in: those for which
 * it went first, and whom no answer may wake, try again. */
void tlb_passed(tlbs_t *c, uint32_t sm) {
  uint32_t group = c->level[0].spec.group, n = group ? group : tlb_cores(c)->count;
  for (uint32_t i = sm / n * n; i < (sm / n + 1) * n && i < tlb_cores(c)->count; i++)
    look_again(c, i);
}

/* An MSHR is free: SMs that waited for one try again. Only if its page
 * (or a large page) came in can the access at the head find it now. */
ALWAYS_INLINE void head_may_hit(const sm_t *s, const xlat_t *x) {
  group_t *head = &s->look.group[s->look.head];
  if (x->large || (head->vpn.v == x->vpn.v && head->asid == x->asid)) head->missed = false;
}

NEVER_INLINE void wake_sharers(tlbs_t *c, const xlat_t *x) {
  const tlb_spec_t *l1 = &c->level[0].spec;
  uint32_t n = l1->group ? l1->group : tlb_cores(c)->count;
  for (uint32_t i = x->tlb * n; i < (x->tlb + 1) * n && i < tlb_cores(c)->count; i++) {
    head_may_hit(&tlb_cores(c)->sm[i], x);
    look_again(c, i);
  }
}

/* The requests go on, and whoever waited for an MSHR. */
ALWAYS_INLINE void wake_waiters(tlbs_t *c, const xlat_t *x, bool own) {
  sm_t *s = &tlb_cores(c)->sm[x->sm];
  if (!own) {
    wake_sharers(c, x);
    return;
  }
  to_l1(c, x->sm, x->waiters);
  head_may_hit(s, x);
  look_again(c, x->sm);
}

/* `plain`: short_answers holds. */
ALWAYS_INLINE void answer_first_level(tlbs_t *c, uint32_t id, bool plain) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  tlb_instance_t *t = &c->level[0].at[x->tlb];
  tlb_stats_t *st = &c->level[0].stats[x->asid];
  bool own = plain || own_tlb(c);
  if (!plain) {
    if (c->check) check_translation(c, x->asid, x->vpn, x->ppn);
    WATCH_TELL(c->watch.translated, id);
    if (c->speculate) guesses_end(c, x);
    if (t->format) c->level[0].format->give(t->format, id);
  }
  fill_level(c, 0, x, t, st, plain);
  tlb_pending_drop(&t->pending, tlb_xlat(c), 0, id, assoc_hash(x->key));
  uint64_t answered = st->latency.count;
  release_waiters(c, x, &st->latency, own);
  if (!plain && tlb_peers(c)->hooks) peers_answered(tlb_peers(c), x, st->latency.count - answered);
  wake_waiters(c, x, own);
  xlat_give(tlb_xlat(c), id);
}

/* As answer_first_level(), without a TLB to fill. */
static void answer_ideal(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  if (c->check) check_translation(c, x->asid, x->vpn, x->ppn);
  tlb_pending_drop(&c->level[0].at[x->tlb].pending, tlb_xlat(c), 0, id, assoc_hash(x->key));
  release_waiters(c, x, &c->level[0].stats[x->asid].latency, own_tlb(c));
  wake_waiters(c, x, own_tlb(c));
  xlat_give(tlb_xlat(c), id);
}

/* ---- the end of a run ---- */

static void stamp_waiters(tlbs_t *c, xlat_t *x) {
  if (x->faulting) x->fault = (uint32_t)tlb_ev(c)->now - x->fault;
  x->faulting = false;
  stages_t stages = stages_of(c, x);
  for (uint32_t id = x->waiters.head; id != REQ_NONE; id = tlb_pool(c)->at[id].next)
    stamp_translated(&tlb_pool(c)->at[id], (uint32_t)tlb_ev(c)->now, &stages, since_miss(c, x));
}
