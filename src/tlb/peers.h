#ifndef GMMU_PEERS_H
#define GMMU_PEERS_H
/* Questions between first-level TLBs: what the policy of peer.h decides, carried out. */
#include "tlb/peer.h"
#include "tlb/xlat.h"

/* The policy in place, and its ports. */
typedef struct {
  const peer_ops_t *ops;
  void *state;
  bool hooks, takes; /* it has something to say; it has copies to take */
  bool watch;        /* the oracle looks */
  uint32_t buffer;   /* questions that may wait at a port; 0: any number */
  tlb_port_t *port;  /* [first-level TLB * PEER_PORTS + port] */
  struct {
    peer_news_t news;
    uint32_t next;  /* free */
    bool under_way; /* and true */
  } * news;         /* [news_room] */
  uint32_t news_room, free_news, news_under_way;
  peer_stats_t *stats; /* [app] */
  struct {
    uint64_t misses, neighbour; /* seen by the oracle; of these, a neighbour had the page */
  } * seen;                     /* [first-level TLB] */
} peers_t;                      /* ports: ev, xlat, tlb */

/* The most news that can be under way between so many TLBs: in one cycle all their misses are
 * answered and all their entries dropped. */
uint32_t peers_news(const char *policy, uint32_t tlbs, const tlb_spec_t *spec);

/* Messages: a question at a port of a peer's TLB; it has that port; news for those that listen. */
void peers_arrive(peers_t *c, uint32_t xlat);
void peers_probe(peers_t *c, uint32_t xlat);
void peers_hear(peers_t *c, uint32_t news);
void peers_drop(peers_t *c, asid_t asid, vpn_t vpn, uint64_t pages); /* a page table has changed */
void peers_ask(peers_t *c, uint32_t xlat, uint64_t at); /* a miss begins its way at its peers */
void peers_join(peers_t *c, uint32_t xlat);             /* another look-up joins the miss */
bool peers_keeps(peers_t *c, const xlat_t *x); /* may a peer's answer go into the own TLB? */
void peers_filled(peers_t *c, const xlat_t *x, const tlb_victim_t *v);
void peers_evicted(peers_t *c, uint32_t tlb, const tlb_victim_t *v);
void peers_answered(peers_t *c, const xlat_t *x, uint64_t lookups);
/* The oracle: who holds a page that is looked up? */
void peers_watch(peers_t *c, uint32_t tlb, asid_t asid, vpn_t vpn);
#endif
