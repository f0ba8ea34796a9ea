/* Links between the partitions of L2. A request that leaves its SM or the walker is counted by
 * bridge_far(); if its slice is far it is sent here, and so is the answer:
 *
 *   SM, walker -> noc_cross -> slice -> noc_return -> SM, walker */
#include "noc/bridge.h"
#include "base/inline.h"
#include "engine/messages.h"
#include "noc/packet.h"

/* The partition of whoever asked. */
ALWAYS_INLINE uint32_t bridge_asker(const bridge_t *b, const request_t *r) {
  return r->kind == REQ_WALK ? b->walker : b->of_sm[r->sm];
}
/* Must the request, which knows its slice, cross? Of a read for which nobody waits, no answer does.
 */
ALWAYS_INLINE bool bridge_is_far(const bridge_t *b, const request_t *r) {
  if (b->partitions == 1) return false;
  if (r->kind == REQ_WALK && (!b->walks || r->owner == OWNER_NONE)) return false;
  return b->of_slice[r->slice] != bridge_asker(b, r);
}
NEVER_INLINE bool bridge_count(bridge_t *b, const request_t *r) {
  bool far = bridge_is_far(b, r);
  bridge_stats_t *s = &b->stats[r->app];
  if (r->kind == REQ_WALK)
    *(far ? &s->far_reads : &s->near_reads) += 1;
  else
    *(far ? &s->far_requests : &s->near_requests) += 1;
  return far;
}
/* The same of a request that leaves, which is counted. */
ALWAYS_INLINE bool bridge_far(bridge_t *b, const request_t *r) {
  return b->partitions > 1 && bridge_count(b, r);
}

/* A packet is at the link now: when is it at the other end? */
static uint64_t bridge_pass(noc_t *n, uint32_t from, uint32_t to, uint32_t app, uint32_t bytes) {
  bridge_t *b = &n->bridge;
  uint64_t now = noc_ev(n)->now, width = n->spec.link_bytes, wait = 0;
  uint32_t k = from * b->partitions + to;
  if (width) {
    uint64_t *free_at = &b->free_at[k], start = *free_at > now * width ? *free_at : now * width;
    wait = start / width - now;
    *free_at = start + bytes;
  }
  bridge_link_stats_t *l = &b->link[k];
  bridge_stats_t *s = &b->stats[app];
  l->packets++, s->link_packets++;
  l->bytes += bytes, s->link_bytes += bytes;
  l->wait_cycles += wait, s->link_wait_cycles += wait;
  return now + wait + n->spec.far_cycles;
}

void noc_cross(noc_t *n, uint32_t id) {
  const request_t *r = &noc_pool(n)->at[id];
  uint64_t at = bridge_pass(n, bridge_asker(&n->bridge, r), n->bridge.of_slice[r->slice], r->app,
                            packet_bytes_out(n, r));
  if (r->kind == REQ_WALK)
    message_send(noc_ev(n), FROM_WALKER, at, EV_L2_WALK, id);
  else
    message_send(noc_ev(n), FROM_SM(r->sm), at, n->queued ? EV_L2_ENTER : EV_L2_ARRIVE, id);
}

void noc_return(noc_t *n, uint32_t id) {
  const request_t *r = &noc_pool(n)->at[id];
  uint64_t at = bridge_pass(n, n->bridge.of_slice[r->slice], bridge_asker(&n->bridge, r), r->app,
                            packet_bytes_back(n, r));
  if (r->kind == REQ_WALK)
    message_send(noc_ev(n), FROM_READ(r->slice), at, EV_WALK_REPLY, id);
  else
    message_send(noc_ev(n), FROM_SLICE(r->slice), at, n->queued ? EV_SM_ENTER : EV_SM_ARRIVE, id);
}
