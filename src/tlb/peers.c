/* Questions to the first-level TLBs of other SMs, and what those TLBs tell each other.
 *
 *   peers_ask -> peers_arrive -> peers_probe: hit -> tlb_peer_answer
 *                                             miss -> the next peer, or the next level
 *
 * x->peer is the TLB a translation waits for; PEER_NONE if it waits for no peer (any more). */
#include "tlb/peers.h"
#include "engine/messages.h"

static peer_stats_t *stats(peers_t *c, const xlat_t *x) { return &c->stats[x->asid]; }

/* ---- the way of a question ---- */

/* A first-level TLB, as its first SM. */
static sender_t from_tlb(const peers_t *c, uint32_t tlb) {
  return FROM_SM(tlb * peers_xlat(c)->words);
}

/* From `at` on, the way that the policy names; TLB `from` sends it. */
static void go(peers_t *c, uint32_t from, uint32_t id, uint64_t at) {
  xlat_t *x = &peers_xlat(c)->at[id];
  peer_query_t q = {.tlb = x->tlb, .asid = x->asid, .vpn = x->vpn, .attempt = x->attempt};
  peer_way_t w = c->ops->next(c->state, &q);
  x->peer = w.tlb;
  x->peer_port = (uint8_t)w.port;
  x->peer_back = w.back;
  x->mixed = w.mixed;
  if (w.tlb == PEER_NONE)
    tlb_next_level(peers_tlb(c), from_tlb(c, from), id, at + w.there);
  else
    message_send(peers_ev(c), from_tlb(c, from), message_at(peers_ev(c), at + w.there),
                 EV_PEER_ARRIVE, id);
}

/* Another look-up waits for the answer of a peer. */
void peers_join(peers_t *c, uint32_t id) {
  xlat_t *x = &peers_xlat(c)->at[id];
  if (x->peer == PEER_NONE || !c->ops->asked) return;
  x->asked |= c->ops->asked(c->state, x->tlb, x->asid, x->vpn);
}

void peers_ask(peers_t *c, uint32_t id, uint64_t at) {
  xlat_t *x = &peers_xlat(c)->at[id];
  x->asked = false;
  go(c, x->tlb, id, at);
  stats(c, x)->asked += x->peer != PEER_NONE;
  peers_join(c, id);
}

/* Questions at a port whose turn is in a later cycle; a full buffer takes no more. */
static bool buffer_full(const tlb_port_t *p, uint64_t now, uint32_t buffer) {
  if (!buffer || !p->width) return false;
  if (p->cycle < now || (p->cycle == now && p->used < p->width)) return false;
  uint64_t waiting = p->cycle == now ? 0 : (p->cycle - now - 1) * p->width + p->used;
  return waiting >= buffer;
}

void peers_arrive(peers_t *c, uint32_t id) {
  xlat_t *x = &peers_xlat(c)->at[id];
  tlb_port_t *p = &c->port[x->peer * PEER_PORTS + x->peer_port];
  if (buffer_full(p, peers_ev(c)->now, c->buffer)) {
    stats(c, x)->turned_away++;
    tlb_next_level(peers_tlb(c), from_tlb(c, x->peer), id, peers_ev(c)->now);
    x->peer = PEER_NONE;
    return;
  }
  uint64_t t = tlb_port_grant(p, peers_ev(c)->now);
  stats(c, x)->port_wait_cycles += t - peers_ev(c)->now;
  if (t == peers_ev(c)->now)
    peers_probe(c, id);
  else
    message_send(peers_ev(c), from_tlb(c, x->peer), t, EV_PEER_PROBE, id);
}

void peers_probe(peers_t *c, uint32_t id) {
  xlat_t *x = &peers_xlat(c)->at[id];
  uint64_t at = peers_ev(c)->now + peers_tlb(c)->level[0].spec.latency_cycles;
  stats(c, x)->probes++;
  if (tlb_lookup(&peers_tlb(c)->level[0].at[x->peer].array, x->asid, x->vpn, &x->ppn, &x->large)) {
    peers_tlb(c)->level[0].stats[x->asid].remote_hits++;
    x->remote = true;
    message_send(peers_ev(c), from_tlb(c, x->peer), message_at(peers_ev(c), at + x->peer_back),
                 EV_PEER_ANSWER, id);
    return;
  }
  peer_query_t q = {
      .tlb = x->tlb, .asid = x->asid, .vpn = x->vpn, .attempt = x->attempt++, .mixed = x->mixed};
  if (c->ops->missed) c->ops->missed(c->state, &q);
  go(c, x->peer, id, at);
}

/* ---- news ---- */

/* TLB `from`, or Valkyrie's table, tells those that listen. */
static void tell(peers_t *c, sender_t from, const peer_news_t *news) {
  if (!c->ops->heard) return;
  if (peers_cores(c)->forwarding) { /* without time, they hear it at once */
    peer_news_t now = *news;
    while (c->ops->heard(c->state, &now)) {
    }
    return;
  }
  uint32_t i = c->free_news;
  assert(i < c->news_room);
  c->free_news = c->news[i].next;
  c->news[i].news = *news;
  c->news[i].under_way = true;
  c->news_under_way++;
  message_send(peers_ev(c), from, peers_ev(c)->now + 1, EV_PEER_NEWS, i);
}

void peers_hear(peers_t *c, uint32_t i) {
  peer_news_t news = c->news[i].news;
  bool valid = c->news[i].under_way;
  c->news[i].under_way = false;
  c->news[i].next = c->free_news;
  c->free_news = i;
  c->news_under_way--;
  if (valid && c->ops->heard(c->state, &news)) tell(c, FROM_PEERS, &news);
}

/* Translations that changed while copies of them were under way are not to be copied. */
void peers_drop(peers_t *c, asid_t asid, vpn_t vpn, uint64_t pages) {
  if (c->ops->invalidate) c->ops->invalidate(c->state, asid, vpn, pages);
  for (uint32_t i = 0; c->news_under_way && i < c->news_room; i++) {
    const peer_news_t *n = &c->news[i].news;
    if ((n->kind == PEER_SERVED || n->kind == PEER_SHARED) && n->page.asid == asid &&
        n->page.vpn.v - vpn.v < pages)
      c->news[i].under_way = false;
  }
}

/* ---- what the policy decides and hears ---- */

bool peers_keeps(peers_t *c, const xlat_t *x) {
  if (!c->ops->keep || c->ops->keep(c->state, x->tlb, x->asked)) return true;
  stats(c, x)->unkept++;
  return false;
}

static bool in_large_array(const peers_t *c, bool large) {
  return large && peers_tlb(c)->level[0].spec.large_entries;
}

void peers_filled(peers_t *c, const xlat_t *x, const tlb_victim_t *v) {
  if (v->any) peers_evicted(c, x->tlb, v);
  peer_page_t p = {.asid = x->asid, .large = in_large_array(c, x->large), .vpn = x->vpn};
  if (!p.large)
    p.order = (uint8_t)tlb_page_order(&peers_tlb(c)->level[0].at[x->tlb].array, x->asid, x->vpn);
  if (c->ops->filled) c->ops->filled(c->state, x->tlb, &p);
  tell(c, from_tlb(c, x->tlb), &(peer_news_t){.kind = PEER_FILLED, .tlb = x->tlb, .page = p});
}

void peers_evicted(peers_t *c, uint32_t tlb, const tlb_victim_t *v) {
  peer_page_t p = {.asid = v->asid, .large = v->large, .order = v->order, .vpn = v->vpn};
  if (c->ops->evicted) c->ops->evicted(c->state, tlb, &p);
  tell(c, from_tlb(c, tlb), &(peer_news_t){.kind = PEER_EVICTED, .tlb = tlb, .page = p});
}

void peers_answered(peers_t *c, const xlat_t *x, uint64_t lookups) {
  if (x->remote) {
    stats(c, x)->remote_lookups += lookups;
    return;
  }
  if (c->ops->served) c->ops->served(c->state, x->tlb, x->asid);
  tell(c, from_tlb(c, x->tlb),
       &(peer_news_t){.kind = PEER_SERVED,
                      .tlb = x->tlb,
                      .page = {.asid = x->asid, .large = x->large, .vpn = x->vpn},
                      .ppn = x->ppn});
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

static bool neighbour_holds(const peers_t *c, uint32_t tlb, asid_t asid, vpn_t vpn) {
  const tlb_level_t *l = &peers_tlb(c)->level[0];
  uint32_t n = l->instances;
  return n > 1 && (tlb_holds(&l->at[peer_left(tlb, n)].array, asid, vpn) ||
                   tlb_holds(&l->at[peer_right(tlb, n)].array, asid, vpn));
}

/* After a look-up: that it missed, and started a request, show by their counts. */
void peers_watch(peers_t *c, uint32_t tlb, asid_t asid, vpn_t vpn) {
  peer_stats_t *st = &c->stats[asid];
  const tlb_stats_t *l1 = &peers_tlb(c)->level[0].stats[asid];
  bool missed = l1->misses != st->oracle_misses, primary = l1->primary_misses != st->oracle_primary;
  uint32_t n = 0;
  for (uint32_t t = 0; t < peers_tlb(c)->level[0].instances; t++)
    n += tlb_holds(&peers_tlb(c)->level[0].at[t].array, asid, vpn);
  ++*sharers(st, n);
  if (!missed) return;
  bool near = neighbour_holds(c, tlb, asid, vpn);
  st->oracle_misses++;
  st->oracle_neighbour += near;
  st->oracle_primary += primary;
  st->oracle_neighbour_primary += primary && near;
  c->seen[tlb].misses++;
  c->seen[tlb].neighbour += near;
}
