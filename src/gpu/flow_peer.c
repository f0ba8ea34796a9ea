/* Questions to the first-level TLBs of other SMs, and what those TLBs tell each other.
 *
 *   flow_peer_ask -> flow_peer_arrive -> flow_peer_probe: hit -> flow_peer_answer
 *                                                         miss -> the next peer, or the next level
 *
 * x->peer is the TLB a translation waits for; PEER_NONE if it waits for no peer (any more). */
#include "gpu/machine.h"

static peer_stats_t *stats(gpu_t *g, const xlat_t *x) { return &g->peer_stats[x->asid]; }

/* ---- the way of a question ---- */

/* From `at` on, the way that the policy names. */
static void go(gpu_t *g, uint32_t id, uint64_t at) {
  xlat_t *x = &g->xlat.at[id];
  peer_query_t q = {.tlb = x->tlb, .asid = x->asid, .vpn = x->vpn, .attempt = x->attempt};
  peer_way_t w = g->peer->next(g->peer_state, &q);
  x->peer = w.tlb;
  x->peer_port = (uint8_t)w.port;
  x->peer_back = w.back;
  if (w.tlb == PEER_NONE)
    flow_next_level(g, id, at + w.there);
  else
    engine_schedule(&g->ev, at + w.there, EV_PEER_ARRIVE, id);
}

/* Another look-up waits for the answer of a peer. */
void flow_peer_join(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  if (x->peer == PEER_NONE || !g->peer->asked) return;
  x->asked |= g->peer->asked(g->peer_state, x->tlb, x->asid, x->vpn);
}

void flow_peer_ask(gpu_t *g, uint32_t id, uint64_t at) {
  xlat_t *x = &g->xlat.at[id];
  x->asked = false;
  go(g, id, at);
  stats(g, x)->asked += x->peer != PEER_NONE;
  flow_peer_join(g, id);
}

/* Questions at a port whose turn is in a later cycle; a full buffer takes no more. */
static bool buffer_full(const tlb_port_t *p, uint64_t now, uint32_t buffer) {
  if (!buffer || !p->width) return false;
  if (p->cycle < now || (p->cycle == now && p->used < p->width)) return false;
  uint64_t waiting = p->cycle == now ? 0 : (p->cycle - now - 1) * p->width + p->used;
  return waiting >= buffer;
}

void flow_peer_arrive(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  tlb_port_t *p = &g->peer_port[x->peer * PEER_PORTS + x->peer_port];
  if (buffer_full(p, g->ev.now, g->spec.peer.buffer)) {
    stats(g, x)->turned_away++;
    x->peer = PEER_NONE;
    flow_next_level(g, id, g->ev.now);
    return;
  }
  uint64_t t = tlb_port_grant(p, g->ev.now);
  stats(g, x)->port_wait_cycles += t - g->ev.now;
  if (t == g->ev.now)
    flow_peer_probe(g, id);
  else
    engine_schedule(&g->ev, t, EV_PEER_PROBE, id);
}

void flow_peer_probe(gpu_t *g, uint32_t id) {
  xlat_t *x = &g->xlat.at[id];
  uint64_t at = g->ev.now + g->level[0].spec.latency_cycles;
  stats(g, x)->probes++;
  if (tlb_lookup(&g->level[0].at[x->peer].array, x->asid, x->vpn, &x->ppn, &x->large)) {
    g->level[0].stats[x->asid].remote_hits++;
    x->remote = true;
    engine_schedule(&g->ev, at + x->peer_back, EV_PEER_ANSWER, id);
    return;
  }
  peer_query_t q = {.tlb = x->tlb, .asid = x->asid, .vpn = x->vpn, .attempt = x->attempt++};
  if (g->peer->missed) g->peer->missed(g->peer_state, &q);
  go(g, id, at);
}

/* ---- what the policy decides and hears ---- */

bool flow_peer_keeps(gpu_t *g, const xlat_t *x) {
  if (!g->peer->keep || g->peer->keep(g->peer_state, x->tlb, x->asked)) return true;
  stats(g, x)->unkept++;
  return false;
}

static bool in_large_array(const gpu_t *g, bool large) {
  return large && g->level[0].spec.large_entries;
}

void flow_peer_filled(gpu_t *g, const xlat_t *x, const tlb_victim_t *v) {
  if (v->any) flow_peer_evicted(g, x->tlb, v);
  peer_page_t p = {.asid = x->asid, .large = in_large_array(g, x->large), .vpn = x->vpn};
  if (g->peer->filled) g->peer->filled(g->peer_state, x->tlb, &p);
}

void flow_peer_evicted(gpu_t *g, uint32_t tlb, const tlb_victim_t *v) {
  peer_page_t p = {.asid = v->asid, .large = v->large, .vpn = v->vpn};
  if (g->peer->evicted) g->peer->evicted(g->peer_state, tlb, &p);
}

void flow_peer_answered(gpu_t *g, const xlat_t *x, uint64_t lookups) {
  if (x->remote)
    stats(g, x)->remote_lookups += lookups;
  else if (g->peer->served)
    g->peer->served(g->peer_state, x->tlb, x->asid, x->vpn, x->ppn, x->large);
}

/* ---- the oracle ---- */

static uint64_t *sharers(peer_stats_t *st, uint32_t n) {
  return n == 0    ? &st->sharers_0
         : n == 1  ? &st->sharers_1
         : n <= 4  ? &st->sharers_2_4
         : n <= 8  ? &st->sharers_5_8
         : n <= 12 ? &st->sharers_9_12
                   : &st->sharers_13;
}

static bool neighbour_holds(const gpu_t *g, uint32_t tlb, asid_t asid, vpn_t vpn) {
  const tlb_level_t *l = &g->level[0];
  uint32_t n = l->instances;
  return n > 1 && (tlb_holds(&l->at[peer_left(tlb, n)].array, asid, vpn) ||
                   tlb_holds(&l->at[peer_right(tlb, n)].array, asid, vpn));
}

/* After a look-up: that it missed, and started a request, show by their counts. */
void flow_peer_watch(gpu_t *g, uint32_t tlb, asid_t asid, vpn_t vpn) {
  peer_stats_t *st = &g->peer_stats[asid];
  const tlb_stats_t *l1 = &g->level[0].stats[asid];
  bool missed = l1->misses != st->oracle_misses, primary = l1->primary_misses != st->oracle_primary;
  uint32_t n = 0;
  for (uint32_t t = 0; t < g->level[0].instances; t++)
    n += tlb_holds(&g->level[0].at[t].array, asid, vpn);
  ++*sharers(st, n);
  if (!missed) return;
  bool near = neighbour_holds(g, tlb, asid, vpn);
  st->oracle_misses++;
  st->oracle_neighbour += near;
  st->oracle_primary += primary;
  st->oracle_neighbour_primary += primary && near;
  g->peer_seen[tlb].misses++;
  g->peer_seen[tlb].neighbour += near;
}
