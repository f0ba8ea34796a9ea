/* The way of a translation: the SM's TLB, its peers, the shared levels, the walker, and back.
 *
 *   flow_lookups: hit -> L1
 *                 miss -> [flow_peer.c] -> flow_tlb_arrive -> flow_tlb_lookup: hit ->
 * flow_tlb_answer (next level) <- miss after the last level -> flow_walk_queue -> flow_walk_next
 * <-> flow_walk_reply -> answer
 *
 * Each level a translation missed holds a miss register for it (an entry of `pending`); the answer
 * gives them back from the last level to the first, and with each the translations that joined
 * there. */
#include "base/inline.h"
#include "gpu/machine.h"

static tlb_instance_t *instance(gpu_t *g, uint32_t level, uint32_t sm) {
  tlb_level_t *l = &g->level[level];
  return &l->at[l->of_sm[sm]];
}

static fill_ctx_t fill_ctx(const gpu_t *g, uint32_t level, const xlat_t *x) {
  return (fill_ctx_t){.level = level,
                      .instance = g->level[level].of_sm[x->sm],
                      .sm = x->sm,
                      .warp = x->warp,
                      .asid = x->asid,
                      .vpn = x->vpn};
}

/* With run.check: a translation must be what the page table says now. */
static void check_translation(gpu_t *g, asid_t asid, vpn_t vpn, ppn_t ppn) {
  ppn_t want;
  bool large;
  if (mm_translate(g->mm, asid, vpn, &want, &large) && want.v == ppn.v &&
      mm_frame_owner(g->mm, ppn) == asid)
    return;
  err_set(&g->error, GMMU_ECHECK,
          "application %u: page %#llx was translated to frame %#llx, not as in its page table",
          asid, (unsigned long long)vpn.v, (unsigned long long)ppn.v);
  fail(g, GMMU_ECHECK);
}

void flow_report_unmapped(gpu_t *g, asid_t asid, vpn_t vpn) {
  err_set(&g->error, GMMU_EFAULT, "application %u (%s) accessed %#llx, outside every allocation",
          asid, g->app[asid].name, (unsigned long long)vpn.v << g->page_shift);
  fail(g, GMMU_EFAULT);
}

/* The address in the page that begins at `frame`. */
static void physical(request_t *r, uint64_t frame, uint64_t page_mask) {
  r->addr = frame | (r->addr & page_mask);
}
static uint64_t frame_of(const gpu_t *g, ppn_t ppn) { return ppn.v << g->page_shift; }
static uint64_t page_mask(const gpu_t *g) { return (1ull << g->page_shift) - 1; }

/* ---- the SM's own TLB ---- */

/* The lines of a group go on to L1, `latency` cycles from now. */
HOT void group_hit(gpu_t *g, sm_t *s, const group_t *gr, ppn_t ppn, uint32_t latency) {
  uint32_t at = (uint32_t)g->ev.now + latency, id = gr->lines.head;
  uint64_t frame = frame_of(g, ppn), mask = page_mask(g);
  do {
    request_t *r = &g->pool.at[id];
    r->t_xlat = at;
    r->flags |= REQ_XLATED;
    physical(r, frame, mask);
    id = r->next;
  } while (id != REQ_NONE);
  request_splice(&g->pool, &s->hits, gr->lines);
  if (g->ev.now + latency < s->l1_at) s->l1_at = g->ev.now + latency;
}

/* To the first level behind the one it missed, or to the walker. */
HOT void send_to(gpu_t *g, uint32_t id, uint32_t level, uint64_t at) {
  g->xlat.at[id].level = (uint8_t)level;
  if (level < g->levels)
    engine_schedule(&g->ev, at + g->level[level].spec.hop_cycles, EV_TLB_ARRIVE, id);
  else
    engine_schedule(&g->ev, at, EV_WALK_QUEUE, id);
}

HOT void send_on(gpu_t *g, uint32_t id, uint64_t at) {
  send_to(g, id, g->xlat.at[id].level + 1u, at);
}

static void fill_any(gpu_t *g, uint32_t level, const xlat_t *x, tlb_instance_t *t);

/* The TLB is that of one SM. */
HOT bool own_tlb(const gpu_t *g) { return __builtin_expect(g->xlat.words == 1, 1); }

/* `slot` of an SM waits, too: `word` has its SM's bits. */
HOT void count_slot(xlat_t *x, uint64_t *word, uint32_t slot) {
  x->warps += !(*word >> slot & 1);
  *word |= 1ull << slot;
}
COLD void count_shared(gpu_t *g, uint32_t id, uint32_t sm, uint32_t slot) {
  uint32_t words = g->xlat.words; /* one per SM of a first-level TLB */
  count_slot(&g->xlat.at[id], &g->xlat.warp_mask[(size_t)id * words + sm % words], slot);
}

/* The lines of a group wait from now on. */
HOT void stamp_looked_up(gpu_t *g, const group_t *gr) {
  uint32_t now = (uint32_t)g->ev.now, line = gr->lines.head;
  do {
    request_t *r = &g->pool.at[line];
    r->t_xlat = now;
    line = r->next;
  } while (line != REQ_NONE);
}

/* They do so in miss register `id`, where others wait already. */
HOT void group_joins(gpu_t *g, sm_t *s, const group_t *gr, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  stamp_looked_up(g, gr);
  if (own_tlb(g))
    count_slot(x, &x->slots, gr->slot);
  else
    count_shared(g, id, s->id, gr->slot);
  g->pool.at[x->waiters.tail].next = gr->lines.head;
  x->waiters.tail = gr->lines.tail;
}

/* The first one that waits. */
HOT void first_warp(gpu_t *g, uint32_t id, uint32_t sm, uint32_t slot) {
  xlat_t *x = &g->xlat.at[id];
  uint32_t words = g->xlat.words;
  x->warps = 1;
  x->slots = 1ull << slot;
  if (own_tlb(g)) return;
  uint64_t *mask = &g->xlat.warp_mask[(size_t)id * words];
  for (uint32_t w = 0; w < words; w++) mask[w] = w == sm % words ? 1ull << slot : 0;
}

/* A miss register for the page of a group, whose lines wait in it. */
HOT uint32_t new_miss(gpu_t *g, sm_t *s, const group_t *gr, tlb_instance_t *t) {
  uint32_t id = xlat_take(&g->xlat);
  xlat_t *x = &g->xlat.at[id];
  uint64_t key = tlb_page_key(gr->asid, gr->vpn);
  x->key = key;
  x->vpn = gr->vpn;
  x->asid = gr->asid;
  x->sm = (uint16_t)s->id;
  x->tlb = g->level[0].of_sm[s->id];
  x->warp = gr->slot;
  x->t_start = g->ev.now;
  x->waiters = gr->lines;
  stamp_looked_up(g, gr);
  first_warp(g, id, s->id, gr->slot);
  tlb_pending_add(&t->pending, &g->xlat, 0, id, assoc_hash(key));
  return id;
}

/* First peers, if there are any to ask, then the next level; not before the next cycle, because the
 * events of this one have run when SMs look up. */
HOT void miss_goes_on(gpu_t *g, uint32_t id) {
  uint32_t own = g->level[0].spec.latency_cycles;
  uint64_t at = g->ev.now + (own ? own : 1);
  if (g->peer_hooks)
    flow_peer_ask(g, id, at);
  else
    send_to(g, id, 1, at);
}

/* SMs that share the TLB and whose access at the head has waited for a register for longer. */
COLD uint32_t waiting_longer(const gpu_t *g, const sm_t *s, const group_t *gr) {
  uint32_t group = g->level[0].spec.group, n = group ? group : g->spec.core.sms, count = 0;
  for (uint32_t i = s->id / n * n; i < (s->id / n + 1) * n && i < g->spec.core.sms; i++) {
    const sm_t *o = &g->sm[i];
    const group_t *head = &o->group[o->group_head];
    if (o == s || !o->group_count || !head->waited) continue;
    count += head->ready < gr->ready || (head->ready == gr->ready && i < s->id);
  }
  return count;
}

/* A miss of its own: to the next level. */
COLD void start_miss(gpu_t *g, sm_t *s, const group_t *gr, tlb_instance_t *t) {
  miss_goes_on(g, new_miss(g, s, gr, t));
}

/* False if every miss register is taken, or the free ones are due to others: the SMs come in order
 * of their number, and the last would never have one. */
HOT bool group_miss(gpu_t *g, sm_t *s, group_t *gr, tlb_instance_t *t, tlb_stats_t *st,
                    uint64_t key, bool first_look) {
  uint32_t id = XLAT_NONE;
  if (first_look || !own_tlb(g)) /* else it has looked, and only itself could have asked since */
    id = tlb_pending_find_hashed(&t->pending, &g->xlat, 0, key, assoc_hash(key));
  if (id != XLAT_NONE) {
    st->merged_misses++;
    if (g->peer_hooks) flow_peer_join(g, id);
    group_joins(g, s, gr, id);
    return true;
  }
  if (t->pending.count + (own_tlb(g) ? 0 : waiting_longer(g, s, gr)) >= t->mshrs) return false;
  st->primary_misses++;
  start_miss(g, s, gr, t);
  return true;
}

/* The page table has no answer: with demand paging the lines wait in a miss register of the first
 * level. False if none is free. */
COLD bool ideal_fault(gpu_t *g, sm_t *s, group_t *gr, tlb_instance_t *t) {
  tlb_stats_t *st = &g->level[0].stats[gr->asid];
  uint32_t id = tlb_pending_find(&t->pending, &g->xlat, 0, tlb_page_key(gr->asid, gr->vpn));
  bool first = id == XLAT_NONE;
  if (first && t->pending.count + waiting_longer(g, s, gr) >= t->mshrs) {
    st->mshr_stalls += !gr->waited;
    gr->waited = true;
    return false;
  }
  st->lookups++;
  st->misses++;
  *(first ? &st->primary_misses : &st->merged_misses) += 1;
  if (!first) {
    group_joins(g, s, gr, id);
    return true;
  }
  id = new_miss(g, s, gr, t);
  g->xlat.at[id].t_below = g->xlat.at[id].t_walk = g->ev.now;
  uint32_t own = g->level[0].spec.latency_cycles;
  engine_schedule(&g->ev, g->ev.now + (own ? own : 1), EV_NOT_THERE, id);
  return true;
}

/* Every look-up hits: the page table answers. */
HOT bool lookup_ideal(gpu_t *g, sm_t *s, group_t *gr, tlb_instance_t *t) {
  ppn_t ppn;
  bool large;
  if (!mm_translate(g->mm, gr->asid, gr->vpn, &ppn, &large)) {
    if (g->paging.on) return ideal_fault(g, s, gr, t);
    flow_report_unmapped(g, gr->asid, gr->vpn);
    return false;
  }
  uint32_t latency = g->levels ? g->level[0].spec.latency_cycles : 0;
  if (g->levels) {
    tlb_stats_t *st = &g->level[0].stats[gr->asid];
    st->lookups++;
    st->hits++;
    st->large_hits += large;
    if (gr->waited) engine_schedule(&g->ev, g->ev.now + 1, EV_TLB_PASSED, s->id);
  }
  if (g->spec.run.check) check_translation(g, gr->asid, gr->vpn, ppn);
  group_hit(g, s, gr, ppn, latency);
  return true;
}

/* A translation that the peers' policy keeps for this TLB goes into it; not while a miss for the
 * page is under way, whose answer will. */
COLD bool take_copy(gpu_t *g, const sm_t *s, const group_t *gr, tlb_instance_t *t, ppn_t *ppn,
                    bool *large) {
  xlat_t x = {.tlb = g->level[0].of_sm[s->id],
              .sm = (uint16_t)s->id,
              .warp = gr->slot,
              .asid = gr->asid,
              .vpn = gr->vpn};
  if (tlb_pending_find(&t->pending, &g->xlat, 0, tlb_page_key(gr->asid, gr->vpn)) != XLAT_NONE ||
      !g->peer->take(g->peer_state, x.tlb, x.asid, x.vpn, &x.ppn, &x.large))
    return false;
  g->peer_stats[x.asid].prefetch_hits++;
  fill_any(g, 0, &x, t);
  *ppn = x.ppn;
  *large = x.large;
  return true;
}

/* Its page is known: `ppn`. */
HOT void lookup_hit(gpu_t *g, sm_t *s, const group_t *gr, tlb_stats_t *st, ppn_t ppn, bool large) {
  st->lookups++;
  st->hits++;
  st->large_hits += large;
  if (gr->waited) engine_schedule(&g->ev, g->ev.now + 1, EV_TLB_PASSED, s->id);
  if (g->spec.run.check) check_translation(g, gr->asid, gr->vpn, ppn);
  group_hit(g, s, gr, ppn, g->level[0].spec.latency_cycles);
}

/* False if it has to wait for a miss register. */
HOT bool lookup_group(gpu_t *g, sm_t *s, group_t *gr, tlb_instance_t *t) {
  asid_t asid = gr->asid;
  tlb_stats_t *st = &g->level[0].stats[asid];
  uint64_t key = tlb_page_key(asid, gr->vpn);
  bool first_look = !gr->missed, large;
  ppn_t ppn;
  if (first_look && (tlb_lookup_hashed(&t->array, asid, gr->vpn, assoc_hash(key), &ppn, &large) ||
                     (g->peer_takes && take_copy(g, s, gr, t, &ppn, &large)))) {
    lookup_hit(g, s, gr, st, ppn, large);
    return true;
  }
  if (!group_miss(g, s, gr, t, st, key, first_look)) {
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
static bool lookup_turn(const gpu_t *g, sm_t *s, tlb_port_t *port) {
  if (!s->lookup_at) s->lookup_at = tlb_port_grant(port, g->ev.now);
  return s->lookup_at <= g->ev.now;
}

/* Those who watch hear of a look-up; and a page that is written to has to be written back when it
 * is evicted. */
COLD void tell_lookup(gpu_t *g, const sm_t *s, const group_t *gr) {
  uint8_t kind = g->pool.at[gr->lines.head].kind;
  if (g->peer_watch) flow_peer_watch(g, g->level[0].of_sm[s->id], gr->asid, gr->vpn);
  observe_lookup(g, s, gr);
  if (g->paging.evicts && (kind == REQ_STORE || kind == REQ_ATOMIC))
    regions_put(&g->paging.regions, PAGES_DIRTY, gr->asid, gr->vpn, 1, true);
}

/* As many of the groups as may look up now; `t` is NULL if there are no TLBs. Returns the cycle
 * from which the next one may; UINT64_MAX: after an answer, or when there is one. */
HOT uint64_t lookups(gpu_t *g, sm_t *s, tlb_instance_t *t, bool ideal) {
  while (s->group_count) {
    group_t *gr = &s->group[s->group_head];
    if (gr->ready > g->ev.now) return gr->ready;
    if ((t || !ideal) && !lookup_turn(g, s, &t->port)) return s->lookup_at;
    s->lookup_at = 0;
    if (!(ideal ? lookup_ideal(g, s, gr, t) : lookup_group(g, s, gr, t))) {
      sm_block_lookups(s, g->ev.now);
      return UINT64_MAX;
    }
    if (g->look_hooks) tell_lookup(g, s, gr);
    s->lsu_insts -= gr->last;
    s->group_head = (s->group_head + 1) & s->group_mask;
    s->group_count--;
  }
  return UINT64_MAX;
}

COLD void lookups_ideal(gpu_t *g, sm_t *s) {
  s->look_at = lookups(g, s, g->levels ? instance(g, 0, s->id) : NULL, true);
}

void flow_lookups(gpu_t *g, sm_t *s) {
  if (s->tlb_blocked)
    s->look_at = UINT64_MAX; /* until an answer frees a register */
  else if (g->translate)
    s->look_at = lookups(g, s, instance(g, 0, s->id), false);
  else
    lookups_ideal(g, s);
}

/* ---- shared levels ---- */

static uint32_t answer_levels(gpu_t *g, uint32_t id, uint32_t below);

void flow_next_level(gpu_t *g, uint32_t id, uint64_t at) { send_on(g, id, at); }

/* The page was evicted while the answer was on its way. */
COLD bool evicted_since(const gpu_t *g, const xlat_t *x) {
  ppn_t ppn;
  bool large;
  return !mm_translate(g->mm, x->asid, x->vpn, &ppn, &large);
}

void flow_peer_answer(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  if (g->paging.evicts && evicted_since(g, x)) {
    x->remote = false;
    send_on(g, id, g->ev.now);
    return;
  }
  answer_levels(g, id, 1);
}

void flow_tlb_arrive(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  uint32_t level = x->level;
  x->t_level[level] = g->ev.now;
  uint64_t t = tlb_port_grant(&instance(g, level, x->sm)->port, g->ev.now);
  if (t == g->ev.now)
    flow_tlb_lookup(g, id);
  else
    engine_schedule(&g->ev, t, EV_TLB_LOOKUP, id);
}

COLD bool found_beside(gpu_t *g, xlat_t *x) {
  fill_ctx_t c = fill_ctx(g, x->level, x);
  return g->fill->probe && g->fill->probe(g->fill_state, &c, &x->ppn, &x->large);
}

/* In the TLB itself, or in the buffer that the fill policy keeps beside it. */
typedef enum { FOUND_NOT, FOUND_HERE, FOUND_BESIDE } found_t;
HOT found_t level_find(gpu_t *g, xlat_t *x, tlb_instance_t *t, uint64_t hash) {
  if (tlb_lookup_hashed(&t->array, x->asid, x->vpn, hash, &x->ppn, &x->large)) return FOUND_HERE;
  return g->fill_hooks && found_beside(g, x) ? FOUND_BESIDE : FOUND_NOT;
}

COLD void tell_fill_policy(gpu_t *g, const xlat_t *x, bool hit) {
  fill_ctx_t c = fill_ctx(g, x->level, x);
  if (g->fill->looked_up) g->fill->looked_up(g->fill_state, &c, hit);
}

/* Every register of the level is taken. */
COLD void level_stalls(gpu_t *g, uint32_t id, tlb_instance_t *t) {
  g->xlat.at[id].next = XLAT_NONE;
  if (t->stalled_head == XLAT_NONE)
    t->stalled_head = id;
  else
    g->xlat.at[t->stalled_tail].next = id;
  t->stalled_tail = id;
}

/* Join the one under way, take a miss register and go on, or wait for a register. */
HOT void level_miss(gpu_t *g, uint32_t id, uint32_t level, tlb_instance_t *t, tlb_stats_t *st,
                    uint64_t hash) {
  xlat_t *x = &g->xlat.at[id];
  uint32_t first = tlb_pending_find_hashed(&t->pending, &g->xlat, level, x->key, hash);
  if (first != XLAT_NONE) {
    st->merged_misses++;
    x->next = g->xlat.at[first].joined[level];
    g->xlat.at[first].joined[level] = id;
  } else if (t->pending.count + t->promised >= t->mshrs) {
    st->mshr_stalls++;
    level_stalls(g, id, t);
  } else {
    st->primary_misses++;
    tlb_pending_add(&t->pending, &g->xlat, level, id, hash);
    send_to(g, id, level + 1, g->ev.now + g->level[level].spec.latency_cycles);
  }
}

/* It was counted as a miss before. */
COLD void level_misses_again(gpu_t *g, uint32_t id) {
  const xlat_t *x = &g->xlat.at[id];
  level_miss(g, id, x->level, instance(g, x->level, x->sm), &g->level[x->level].stats[x->asid],
             assoc_hash(x->key));
}

void flow_tlb_lookup(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  uint32_t level = x->level;
  uint64_t hash = assoc_hash(x->key);
  tlb_instance_t *t = instance(g, level, x->sm);
  tlb_stats_t *st = &g->level[level].stats[x->asid];
  found_t found = level_find(g, x, t, hash);
  st->lookups++;
  if (g->fill_hooks) tell_fill_policy(g, x, found != FOUND_NOT);
  if (found == FOUND_NOT) {
    st->misses++;
    level_miss(g, id, level, t, st, hash);
    return;
  }
  st->hits++;
  st->side_hits += found == FOUND_BESIDE;
  st->large_hits += x->large;
  engine_schedule(&g->ev, g->ev.now + g->level[level].spec.latency_cycles, EV_TLB_ANSWER, id);
}

static void retry_stalled(gpu_t *g, tlb_instance_t *t);

/* A stalled translation tries again, with a register promised to it; it was counted as a miss and
 * stays one unless the page came in. If it needs no register after all, the next in line may have
 * it: nobody else would wake it. */
void flow_tlb_retry(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  tlb_instance_t *t = instance(g, x->level, x->sm);
  t->promised--;
  if (level_find(g, x, t, assoc_hash(x->key)) != FOUND_NOT)
    engine_schedule(&g->ev, g->ev.now + g->level[x->level].spec.latency_cycles, EV_TLB_ANSWER, id);
  else
    level_misses_again(g, id);
  retry_stalled(g, t);
}

void flow_tlb_answer(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  if (g->paging.evicts && evicted_since(g, x)) {
    level_misses_again(g, id);
    return;
  }
  hist_add(&g->level[x->level].stats[x->asid].latency, g->ev.now - x->t_level[x->level]);
  answer_levels(g, id, x->level);
}

/* ---- the answer ---- */

/* False if the fill policy or the peers' update policy keeps the translation out of this level. */
static bool may_fill(gpu_t *g, uint32_t level, const xlat_t *x, tlb_stats_t *st) {
  if (g->fill->allow) {
    fill_ctx_t c = fill_ctx(g, level, x);
    if (!g->fill->allow(g->fill_state, &c)) {
      st->denied_fills++;
      if (g->fill->denied) g->fill->denied(g->fill_state, &c, x->ppn, x->large);
      return false;
    }
  }
  return level || !x->remote || flow_peer_keeps(g, x);
}

/* The other pages that the entry of `x` covers: their entries lie beside its own in the table. */
COLD void fill_neighbours(gpu_t *g, const xlat_t *x, tlb_instance_t *t) {
  uint64_t pages = 1ull << t->array.reach_shift, first = x->vpn.v & ~(pages - 1);
  for (uint64_t i = 0; i < pages && !x->large; i++) {
    ppn_t ppn;
    bool large;
    vpn_t vpn = {first + i};
    if (mm_translate(g->mm, x->asid, vpn, &ppn, &large) && !large)
      tlb_fill_neighbour(&t->array, x->asid, vpn, ppn);
  }
}

/* A TLB that is not plain, or somebody has something to say. */
COLD void fill_any(gpu_t *g, uint32_t level, const xlat_t *x, tlb_instance_t *t) {
  tlb_level_t *l = &g->level[level];
  tlb_stats_t *st = &l->stats[x->asid];
  if ((g->fill_hooks || g->peer_hooks) && !may_fill(g, level, x, st)) return;
  tlb_victim_t v;
  tlb_fill(&t->array, x->asid, x->vpn, x->ppn, x->large, &v);
  st->fills++;
  if (l->spec.whole) fill_neighbours(g, x, t);
  if (v.any) {
    st->evictions++;
    l->evicted_by[x->asid * g->apps + v.asid]++;
  }
  if (g->peer_hooks && level == 0) flow_peer_filled(g, x, &v);
}

HOT void fill_level(gpu_t *g, uint32_t level, const xlat_t *x, tlb_instance_t *t, tlb_stats_t *st) {
  tlb_level_t *l = &g->level[level];
  if (!l->short_fill) {
    fill_any(g, level, x, t);
    return;
  }
  uint32_t asid = x->asid;
  assoc_filled_t f = tlb_fill_plain(&t->array, x->key, assoc_hash(x->key), x->ppn);
  st->fills++;
  if (!f.evicted) return;
  st->evictions++;
  l->evicted_by[asid * g->apps + (f.old >> 56)]++;
}

static void retry_stalled(gpu_t *g, tlb_instance_t *t) {
  uint32_t id = t->stalled_head;
  if (id == XLAT_NONE || t->pending.count + t->promised >= t->mshrs) return;
  t->stalled_head = g->xlat.at[id].next;
  t->promised++;
  engine_schedule(&g->ev, g->ev.now, EV_TLB_RETRY, id);
}

/* What the translation knows of where time went, up to now. */
HOT stages_t stages_of(const gpu_t *g, const xlat_t *x) {
  uint32_t now = (uint32_t)g->ev.now;
  return (stages_t){.queue = x->t_below ? now - (uint32_t)x->t_below : 0,
                    .walk = x->t_walk ? now - (uint32_t)x->t_walk : 0,
                    .dram = x->walk_dram,
                    .fault = x->fault};
}

/* Cycles since the look-up that missed was over. */
HOT uint32_t since_miss(const gpu_t *g, const xlat_t *x) {
  uint64_t missed = x->t_start + g->level[0].spec.latency_cycles;
  return g->ev.now > missed ? (uint32_t)(g->ev.now - missed) : 0;
}

/* A request that waited for it until now, and is its time's witness. */
HOT void stamp_translated(request_t *r, uint32_t now, const stages_t *stages, uint32_t missed) {
  uint32_t waited = now - r->t_xlat;
  r->stages = *stages;
  r->below = waited < missed ? waited : missed;
  r->t_xlat = now;
  r->flags |= REQ_XLATED | REQ_SPLIT;
}

/* Translated requests of an SM go on to its L1. The last of them is that of its list. */
HOT void to_l1(gpu_t *g, uint32_t sm, request_list_t list) {
  g->pool.at[list.tail].next = REQ_NONE;
  request_splice(&g->pool, &g->sm[sm].replays, list);
  g->sm[sm].l1_retry = true;
  wake_l1(g, sm);
}

/* Every request that waited is translated. Where SMs share the TLB, each goes on to its L1. */
HOT void translate_waiters(gpu_t *g, xlat_t *x, hist_t *latency, bool own) {
  uint32_t now = (uint32_t)g->ev.now, missed = since_miss(g, x), id = x->waiters.head, next;
  uint64_t frame = frame_of(g, x->ppn), mask = page_mask(g);
  stages_t stages = stages_of(g, x);
  do {
    request_t *r = &g->pool.at[id];
    next = r->next;
    if (__builtin_expect(r->level, 1)) hist_add(latency, now - r->t_xlat);
    stamp_translated(r, now, &stages, missed);
    physical(r, frame, mask);
    if (!own) to_l1(g, r->sm, (request_list_t){id, id});
    id = next;
  } while (id != REQ_NONE);
}
COLD void translate_shared(gpu_t *g, xlat_t *x, hist_t *latency) {
  translate_waiters(g, x, latency, false);
}
HOT void release_waiters(gpu_t *g, xlat_t *x, hist_t *latency) {
  if (own_tlb(g))
    translate_waiters(g, x, latency, true);
  else
    translate_shared(g, x, latency);
}

/* An SM whose look-ups wait for a register tries again. */
static void look_again(gpu_t *g, uint32_t sm) {
  if (!g->sm[sm].tlb_blocked) return; /* it may have been woken before, and wait for a port */
  sm_unblock_lookups(&g->sm[sm], g->ev.now);
  wake_lookups(g, sm);
}

/* An access that had waited for a register needed none, because its page came in: those for which
 * it went first, and whom no answer may wake, try again. */
void flow_tlb_passed(gpu_t *g, uint32_t sm) {
  uint32_t group = g->level[0].spec.group, n = group ? group : g->spec.core.sms;
  for (uint32_t i = sm / n * n; i < (sm / n + 1) * n && i < g->spec.core.sms; i++) look_again(g, i);
}

/* A miss register is free: SMs that waited for one try again. Only if its page
 * (or a large page) came in can the access at the head find it now. */
HOT void head_may_hit(const sm_t *s, const xlat_t *x) {
  group_t *head = &s->group[s->group_head];
  if (x->large || (head->vpn.v == x->vpn.v && head->asid == x->asid)) head->missed = false;
}

COLD void wake_sharers(gpu_t *g, const xlat_t *x) {
  const tlb_spec_t *l1 = &g->level[0].spec;
  uint32_t n = l1->group ? l1->group : g->spec.core.sms;
  for (uint32_t i = x->tlb * n; i < (x->tlb + 1) * n && i < g->spec.core.sms; i++) {
    head_may_hit(&g->sm[i], x);
    look_again(g, i);
  }
}

/* The requests go on, and whoever waited for a register. */
HOT void wake_waiters(gpu_t *g, const xlat_t *x) {
  sm_t *s = &g->sm[x->sm];
  if (!own_tlb(g)) {
    wake_sharers(g, x);
    return;
  }
  to_l1(g, x->sm, x->waiters);
  head_may_hit(s, x);
  look_again(g, x->sm);
}

static uint32_t answer_first_level(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  tlb_instance_t *t = &g->level[0].at[x->tlb];
  tlb_stats_t *st = &g->level[0].stats[x->asid];
  if (g->spec.run.check) check_translation(g, x->asid, x->vpn, x->ppn);
  if (g->tracing) trace_translation(g, id);
  fill_level(g, 0, x, t, st);
  tlb_pending_drop(&t->pending, &g->xlat, 0, id, assoc_hash(x->key));
  uint64_t answered = st->latency.count;
  release_waiters(g, x, &st->latency);
  if (g->peer_hooks) flow_peer_answered(g, x, st->latency.count - answered);
  wake_waiters(g, x);
  uint32_t warps = x->warps;
  xlat_give(&g->xlat, id);
  return warps;
}

static void inherit(xlat_t *to, const xlat_t *from) {
  to->ppn = from->ppn;
  to->large = from->large;
  to->t_below = from->t_below;
  to->t_walk = from->t_walk;
  to->walk_dram = from->walk_dram;
  to->fault = from->fault;
}

/* Those that joined `x` at level l have their answer, too. */
COLD uint32_t answer_joined(gpu_t *g, const xlat_t *x, uint32_t l) {
  uint32_t warps = 0;
  for (uint32_t j = x->joined[l], next; j != XLAT_NONE; j = next) {
    xlat_t *y = &g->xlat.at[j];
    next = y->next;
    inherit(y, x);
    hist_add(&g->level[l].stats[y->asid].latency, g->ev.now - y->t_level[l]);
    warps += answer_levels(g, j, l);
  }
  return warps;
}

/* The translation is known to every level from `below` on: fill the levels under it, the highest
 * first. Returns the number of warps it released. */
static uint32_t answer_levels(gpu_t *g, uint32_t id, uint32_t below) {
  xlat_t *x = &g->xlat.at[id];
  uint32_t warps = 0;
  for (uint32_t l = below; l-- > 1;) {
    tlb_instance_t *t = instance(g, l, x->sm);
    tlb_stats_t *st = &g->level[l].stats[x->asid];
    fill_level(g, l, x, t, st);
    tlb_pending_drop(&t->pending, &g->xlat, l, id, assoc_hash(x->key));
    hist_add(&st->latency, (uint32_t)(g->ev.now - x->t_level[l]));
    if (x->joined[l] != XLAT_NONE) warps += answer_joined(g, x, l);
    if (t->stalled_head != XLAT_NONE) retry_stalled(g, t);
  }
  return warps + answer_first_level(g, id);
}

/* ---- walker ---- */

static void walk_read(gpu_t *g, uint32_t thread);

/* There is no page at the end of the walk. False if there is no walk either. */
COLD bool walk_in_vain(gpu_t *g, const xlat_t *x, uint32_t thread) {
  if (!g->paging.on) {
    flow_report_unmapped(g, x->asid, x->vpn);
    return false;
  }
  if (g->walker.thread[thread].path.levels || g->walker.spec.fixed_cycles) return true;
  engine_schedule(&g->ev, g->ev.now, EV_WALK_NEXT, thread); /* not even a root to read */
  return false;
}

/* The read of the entry of `level`, at `pa`, by request `r` of its walk. */
HOT void walk_prepare(gpu_t *g, request_t *r, uint32_t level, uint64_t pa, place_t p) {
  r->sectors = r->full = (uint8_t)(1u << (pa & (g->spec.core.line_bytes - 1)) / SECTOR_BYTES);
  r->level = (uint8_t)(level + 1);
  r->flags = 0;
  put_place(g, r, p);
}

HOT uint32_t walk_request(gpu_t *g, uint32_t thread, uint8_t app) {
  uint32_t id = request_take(&g->pool);
  request_t *r = &g->pool.at[id];
  r->owner = (uint16_t)thread;
  r->app = app;
  r->kind = REQ_WALK;
  return id;
}

/* A read of the next level begins: returns which that is. */
HOT uint32_t count_read(gpu_t *g, walk_thread_t *t) {
  uint32_t level = t->level++;
  t->t_read = g->ev.now;
  t->stats->reads++;
  t->stats->level_reads[level]++;
  return level;
}

/* The next read, by a request of this walk, where nothing but L2 is to be asked. */
HOT void walk_read_short(gpu_t *g, walk_thread_t *t, uint32_t id) {
  uint32_t level = count_read(g, t);
  uint64_t pa = t->path.entry[level].v;
  place_t p = addrmap_look_up(&g->map, pa >> g->map.line_shift);
  walk_prepare(g, &g->pool.at[id], level, pa, p);
  flow_l2_walk(g, id);
}

/* The first read, or the whole walk. */
COLD void walk_begin_any(gpu_t *g, uint32_t thread) {
  walk_thread_t *w = &g->walker.thread[thread];
  if (!w->path.mapped && !walk_in_vain(g, &g->xlat.at[w->xlat], thread)) return;
  if (g->walker.spec.fixed_cycles) {
    w->level = w->path.levels;
    engine_schedule(&g->ev, g->ev.now + g->walker.spec.fixed_cycles, EV_WALK_NEXT, thread);
  } else {
    walk_read(g, thread);
  }
}

/* The walk for translation `id` begins, in a thread that is counted as its application's. */
HOT void walk_begin(gpu_t *g, uint32_t id, uint32_t thread) {
  xlat_t *x = &g->xlat.at[id];
  walk_thread_t *w = &g->walker.thread[thread];
  uint8_t app = x->asid;
  walk_stats_t *st = &g->walker.stats[app];
  if (g->quota.on) dram_quota_walk_began(&g->quota, app, g->walker.app_active[app]);
  x->t_walk = g->ev.now;
  st->queue_cycles += g->ev.now - x->t_below;
  hist_add(&st->queue, (uint32_t)(g->ev.now - x->t_below));
  w->xlat = id;
  w->level = 0;
  w->app = app;
  w->stats = st;
  mm_walk(g->mm, app, x->vpn, &w->path);
  if (g->walk_short && w->path.mapped)
    walk_read_short(g, w, walk_request(g, thread, app));
  else
    walk_begin_any(g, thread);
}

/* A thread is idle. */
COLD void walk_at_once(gpu_t *g, uint32_t id) {
  walk_begin(g, id, walker_take(&g->walker, g->xlat.at[id].asid, g->ev.now));
}

void flow_walk_queue(gpu_t *g, uint32_t id) {
  walker_t *w = &g->walker;
  xlat_t *x = &g->xlat.at[id];
  x->t_below = g->ev.now;
  if (walker_idle_thread(w)) {
    walk_at_once(g, id);
    return;
  }
  x->next = XLAT_NONE;
  if (w->queue_head == XLAT_NONE)
    w->queue_head = id;
  else
    g->xlat.at[w->queue_tail].next = id;
  w->queue_tail = id;
  w->queued++;
}

/* Of a page-walk cache, if there is one. */
static bool pwc_holds(const walker_t *w, const mm_walk_t *path, uint32_t level) {
  return w->spec.pwc_leaf || level + 1 < path->levels;
}

/* The page-walk cache has the entry: the next level follows after its latency. */
COLD bool pwc_answers(gpu_t *g, uint32_t thread, uint32_t level) {
  walker_t *w = &g->walker;
  walk_thread_t *t = &w->thread[thread];
  xlat_t *x = &g->xlat.at[t->xlat];
  if (!walker_pwc_lookup(w, t->path.entry[level])) return false;
  w->stats[x->asid].pwc_hits++;
  w->stats[x->asid].level_pwc[level]++;
  if (g->walk_hooks) observe_read(g, thread, level, 0, true);
  engine_schedule(&g->ev, g->ev.now + w->spec.pwc_latency_cycles, EV_WALK_NEXT, thread);
  return true;
}

/* Read the entry of the next level: the page-walk cache first, then L2. */
static void walk_read(gpu_t *g, uint32_t thread) {
  walker_t *w = &g->walker;
  walk_thread_t *t = &w->thread[thread];
  uint32_t level = count_read(g, t), wait = w->spec.hop_cycles;
  if (w->spec.pwc && pwc_holds(w, &t->path, level)) {
    if (pwc_answers(g, thread, level)) return;
    wait += w->spec.pwc_latency_cycles;
  }
  uint32_t id = walk_request(g, thread, t->app);
  uint64_t pa = t->path.entry[level].v;
  walk_prepare(g, &g->pool.at[id], level, pa, addrmap_place(&g->map, pa));
  if (wait)
    engine_schedule(&g->ev, g->ev.now + wait, EV_L2_ENTER, id);
  else
    flow_l2_walk(g, id);
}

/* With demand paging: it is there, or it has to be brought. Returns the warps that waited. */
COLD uint32_t page_found(gpu_t *g, uint32_t id, bool there) {
  const xlat_t *x = &g->xlat.at[id];
  uint32_t warps = x->warps;
  if (there) {
    if (g->paging.evicts) regions_use(&g->paging.regions, x->asid, x->vpn);
    return answer_levels(g, id, g->levels);
  }
  paging_fault(g, id);
  return warps;
}

/* The thread is free, or begins the next walk in the queue: of the same application, as a rule,
 * which then has as many under way as before. `warps` waited for the walk that ended. */
HOT void walk_next_in_queue(gpu_t *g, uint32_t thread, uint8_t app, uint32_t warps) {
  walker_t *w = &g->walker;
  uint32_t next = w->queue_head;
  bool counted = next != XLAT_NONE && g->xlat.at[next].asid == app && !g->quota.on;
  if (!counted) walker_give(w, thread, app, g->ev.now);
  if (g->quota.on) dram_quota_walk_ended(&g->quota, app, w->app_active[app], warps);
  if (next == XLAT_NONE) return;
  w->queue_head = g->xlat.at[next].next;
  w->queued--;
  walk_begin(g, next, counted ? thread : walker_take(w, g->xlat.at[next].asid, g->ev.now));
}

HOT void walk_done(gpu_t *g, uint32_t thread) {
  walker_t *w = &g->walker;
  walk_thread_t *t = &w->thread[thread];
  uint32_t id = t->xlat;
  xlat_t *x = &g->xlat.at[id];
  uint8_t app = x->asid;
  walk_stats_t *st = t->stats;
  x->ppn = t->path.ppn;
  x->large = t->path.large;
  if (g->walk_hooks) observe_walk(g, thread);
  st->walks++;
  st->large_walks += x->large;
  hist_add(&st->latency, (uint32_t)(g->ev.now - x->t_walk));
  uint32_t warps =
      g->paging.on ? page_found(g, id, t->path.mapped) : answer_levels(g, id, g->levels);
  st->warps_stalled += warps;
  if (warps > st->max_warps_stalled) st->max_warps_stalled = warps;
  walk_next_in_queue(g, thread, app, warps);
}

void flow_walk_next(gpu_t *g, uint32_t thread) {
  const walk_thread_t *t = &g->walker.thread[thread];
  if (t->level >= t->path.levels)
    walk_done(g, thread);
  else
    walk_read(g, thread);
}

/* An answer that did not simply come from L2, a page-walk cache to fill, or somebody watches. */
COLD void walk_reply_any(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  walker_t *w = &g->walker;
  uint32_t thread = r->owner, level = r->level - 1u;
  walk_thread_t *t = &w->thread[thread];
  walk_stats_t *st = t->stats;
  uint32_t dram = r->flags & REQ_RET ? r->t_ret - r->t_dram : 0;
  *(r->flags & REQ_RET ? &st->dram_reads : &st->l2_hits) += 1;
  st->level_hits[level] += !(r->flags & REQ_RET);
  st->level_bypasses[level] += (r->flags & REQ_BYPASS_L2) != 0;
  st->level_cycles[level] += (uint32_t)(g->ev.now - t->t_read);
  g->xlat.at[t->xlat].walk_dram += dram;
  if (g->walk_hooks) observe_read(g, thread, level, dram, false);
  if (w->spec.pwc && pwc_holds(w, &t->path, level)) walker_pwc_fill(w, t->path.entry[level]);
  request_give(&g->pool, id);
  flow_walk_next(g, thread);
}

/* The last entry has been read. */
COLD void walk_ends(gpu_t *g, uint32_t id) {
  uint32_t thread = g->pool.at[id].owner;
  request_give(&g->pool, id);
  walk_done(g, thread);
}

/* Without a call that comes back: so it needs no stack. */
void flow_walk_reply(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  walk_thread_t *t = &g->walker.thread[r->owner];
  if (r->flags || !g->walk_short) {
    walk_reply_any(g, id);
    return;
  }
  walk_stats_t *st = t->stats;
  st->l2_hits++;
  st->level_hits[t->level - 1]++;
  st->level_cycles[t->level - 1] += (uint32_t)(g->ev.now - t->t_read);
  if (t->level >= t->path.levels) {
    walk_ends(g, id);
    return;
  }
  walk_read_short(g, t, id); /* the pool would give the same request */
}

/* ---- pages that come or move meanwhile ---- */

/* As answer_first_level(), without a TLB to fill. */
static void answer_ideal(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  if (g->spec.run.check) check_translation(g, x->asid, x->vpn, x->ppn);
  tlb_pending_drop(&g->level[0].at[x->tlb].pending, &g->xlat, 0, id, assoc_hash(x->key));
  release_waiters(g, x, &g->level[0].stats[x->asid].latency);
  wake_waiters(g, x);
  xlat_give(&g->xlat, id);
}

void flow_fault_answer(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  mm_translate(g->mm, x->asid, x->vpn, &x->ppn, &x->large);
  x->fault = (uint32_t)g->ev.now - x->fault;
  x->faulting = false;
  hist_add(&g->paging.stats[x->asid].latency, x->fault);
  if (g->translate)
    answer_levels(g, id, g->levels);
  else
    answer_ideal(g, id);
}

/* Translations under way answer with what the page table says now, as if they had come later. */
void flow_retarget(gpu_t *g) {
  if (!g->translate) return;
  for (uint32_t i = 0; i < g->walker.spec.threads; i++) {
    walk_thread_t *w = &g->walker.thread[i]; /* an idle one begins with a new path anyway */
    mm_walk(g->mm, w->app, g->xlat.at[w->xlat].vpn, &w->path);
  }
  tlb_level_t *l = &g->level[0];
  for (uint32_t i = 0; i < l->instances; i++)
    for (uint32_t k = 0; k <= UINT64_MAX >> l->at[i].pending.shift; k++)
      for (uint32_t m = l->at[i].pending.bucket[k]; m != XLAT_NONE; m = g->xlat.at[m].chain[0]) {
        xlat_t *x = &g->xlat.at[m];
        mm_translate(g->mm, x->asid, x->vpn, &x->ppn, &x->large);
      }
}

/* ---- the end of a run ---- */

static void stamp_waiters(gpu_t *g, xlat_t *x) {
  if (x->faulting) x->fault = (uint32_t)g->ev.now - x->fault;
  x->faulting = false;
  stages_t stages = stages_of(g, x);
  for (uint32_t id = x->waiters.head; id != REQ_NONE; id = g->pool.at[id].next)
    stamp_translated(&g->pool.at[id], (uint32_t)g->ev.now, &stages, since_miss(g, x));
}

void flow_settle_translations(gpu_t *g) {
  if (!g->translate && !g->paging.on) return;
  tlb_level_t *l = &g->level[0];
  for (uint32_t i = 0; i < l->instances; i++)
    for (uint32_t k = 0; k <= UINT64_MAX >> l->at[i].pending.shift; k++)
      for (uint32_t m = l->at[i].pending.bucket[k]; m != XLAT_NONE; m = g->xlat.at[m].chain[0])
        stamp_waiters(g, &g->xlat.at[m]);
  for (uint32_t a = 0; a < g->apps; a++) walker_count(&g->walker, (uint8_t)a, g->ev.now);
}
