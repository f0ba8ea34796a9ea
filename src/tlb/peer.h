#ifndef GMMU_TLB_PEER_H
#define GMMU_TLB_PEER_H
/* Peer look-up: on a miss, ask the first-level TLBs of other SMs before the next level.
 *
 * The owner asks next() for a TLB and the way to it, waits for that TLB's port, looks, and on a
 * miss there asks next() again with attempt + 1, until next() names nobody: then the next level is
 * asked. A question that finds the port's buffer full is turned away to the next level at once.
 * Everything that enters or leaves a first-level TLB is told to the policy: at once for what that
 * TLB keeps itself, and to heard() a cycle later for what its peers keep. So what a directory says
 * may be late by that cycle and the time of a question's way. A policy decides whom to ask; the
 * answer is always a TLB's own entry, so that it can be slow but not wrong.
 *
 * All functions but next may be NULL. TLBs are numbered around a ring: the left neighbour of the
 * first is the last. */
#include "base/policy.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

#define PEER_NONE UINT32_MAX

typedef struct {
  uint32_t hop_cycles;    /* one way between two TLBs next to each other */
  uint32_t ports, buffer; /* look-ups per cycle at a port for peers; questions that wait there */
  uint32_t directory_entries, tag_bits, directory_cycles;
  const char *update; /* what becomes of a neighbour's answer */
  uint32_t group;     /* TLBs of a ring */
  uint32_t probes;    /* most of them asked */
  bool prefetch;      /* pages that several TLBs ask for are copied to the others */
  uint32_t locality_entries, prefetch_entries;
  bool oracle; /* count who holds what is looked up */
} peer_spec_t;
extern const opt_t peer_options[]; /* group "peer" */

/* Statistics of an application's look-ups beyond the TLB of its SM. */
#define PEER_STATS(X)                                                                              \
  X(asked, "misses", "misses that went to a peer first")                                           \
  X(probes, "look-ups", "in peers' TLBs")                                                          \
  X(port_wait_cycles, "cycles", "questions waited at peers' ports")                                \
  X(turned_away, "questions", "found the buffer of a peer's port full and went to the next level") \
  X(remote_lookups, "look-ups",                                                                    \
    "answered by a peer, those included that joined a miss under way; their share of all "         \
    "look-ups "                                                                                    \
    "is the remote hit ratio")                                                                     \
  X(unkept, "translations", "from peers, that the update policy did not put into the own TLB")     \
  X(directory_false, "questions", "the directory named a neighbour that did not have the page")    \
  X(directory_collisions, "questions", "of these, because two pages have the same tag")            \
  X(directory_evictions, "entries", "displaced in directories")                                    \
  X(prefetches, "translations", "copied to TLBs that had not asked for them")                      \
  X(prefetch_hits, "look-ups", "hits in such a copy")                                              \
  X(oracle_misses, "look-ups",                                                                     \
    "first-level misses that the oracle looked at, merged ones included")                          \
  X(oracle_neighbour, "look-ups", "of these, a neighbour's TLB held the page")                     \
  X(oracle_primary, "look-ups", "of the misses, those that started a request")                     \
  X(oracle_neighbour_primary, "look-ups", "of these, a neighbour's TLB held the page")             \
  X(sharers_0, "look-ups", "no first-level TLB held the page")                                     \
  X(sharers_1, "look-ups", "one of them did")                                                      \
  X(sharers_2_4, "look-ups", "two to four of them")                                                \
  X(sharers_5_8, "look-ups", "five to eight")                                                      \
  X(sharers_9_12, "look-ups", "nine to twelve")                                                    \
  X(sharers_13, "look-ups", "thirteen or more")
typedef struct {
#define X(n, u, h) uint64_t n;
  PEER_STATS(X)
#undef X
} peer_stats_t;

/* What a TLB holds, or may hold: one entry's worth of pages of an address space. */
typedef struct {
  asid_t asid;
  bool large;    /* an entry of the array for large pages */
  uint8_t order; /* log2 of the base pages of each of its pages; 0 with large */
  vpn_t vpn;     /* any page that it covers */
} peer_page_t;

typedef struct {
  const peer_spec_t *spec;
  uint32_t tlbs, entries;                  /* first-level TLBs, entries of each */
  uint32_t lookup_cycles;                  /* of their look-up */
  uint32_t reach_shift, large_pages_shift; /* log2 of the pages that an entry covers */
  bool large;                              /* there is an array for large pages */
  peer_stats_t *stats;                     /* [asid] */
  const void *owner;                       /* of holds() */
  bool (*holds)(const void *owner, uint32_t tlb, const peer_page_t *p); /* has it such an entry? */
  /* peer_page_t.order of a page now; NULL: all are base pages. */
  uint32_t (*order)(const void *owner, asid_t asid, vpn_t vpn);
} peer_env_t;

typedef struct {
  uint32_t tlb; /* whose miss */
  asid_t asid;
  vpn_t vpn;
  uint32_t attempt; /* 0: at the miss; else the number of TLBs that did not have it */
  bool mixed;       /* what next() said of the TLB it named last */
} peer_query_t;

/* What a first-level TLB tells the others. */
typedef enum {
  PEER_FILLED,  /* it took an entry */
  PEER_EVICTED, /* it lost one, however */
  PEER_SERVED,  /* the next level answered it: that is told there */
  PEER_SHARED   /* told from there to all: two of them asked for the page */
} peer_news_kind_t;
typedef struct {
  peer_news_kind_t kind;
  uint32_t tlb, other; /* who tells it; PEER_SHARED: who asked before */
  peer_page_t page;
  ppn_t ppn; /* of the page, with PEER_SERVED and PEER_SHARED */
} peer_news_t;

enum { PEER_FROM_LEFT, PEER_FROM_RIGHT, PEER_PORTS };
typedef struct {
  uint32_t tlb;         /* to ask; PEER_NONE: nobody (more) */
  uint32_t port;        /* of that TLB, where the question arrives */
  uint32_t there, back; /* cycles to it, or with PEER_NONE to the next level; of the answer */
  bool mixed;           /* what named it stands for several pages */
} peer_way_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const peer_env_t *env);
  void (*init)(void *state, const peer_env_t *env); /* keeps a copy of *env if it needs it */
  peer_way_t (*next)(void *state, const peer_query_t *q);
  /* A look-up is to be answered by a peer: the one that missed, or one that joined it. The result,
   * true for any of them, is what keep() is asked with. */
  bool (*asked)(void *state, uint32_t tlb, asid_t asid, vpn_t vpn);
  bool (*keep)(void *state, uint32_t tlb, bool asked); /* store a remote hit locally? */
  void (*missed)(void *state, const peer_query_t *q);  /* next's TLB did not have it */
  /* At once, for what `tlb` keeps of itself: it took an entry, lost one, was answered by the next
   * level. */
  void (*filled)(void *state, uint32_t tlb, const peer_page_t *p);
  void (*evicted)(void *state, uint32_t tlb, const peer_page_t *p);
  void (*served)(void *state, uint32_t tlb, asid_t asid);
  /* A cycle later, for what others keep of it. True if they are to be told what *n is then. */
  bool (*heard)(void *state, peer_news_t *n);
  /* A miss: has the policy a translation for that TLB? It gives it away. */
  bool (*take)(void *state, uint32_t tlb, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large);
  void (*invalidate)(void *state, asid_t asid, vpn_t vpn, uint64_t pages); /* page-table change */
  bool (*check)(const void *state);                                        /* its invariants */
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} peer_ops_t;

extern const peer_ops_t peer_neidty; /* whom others name; the table has them all */
extern const peer_ops_t *peer_all[]; /* NULL-terminated */
const peer_ops_t *peer_find(const char *name);
const char *peer_name(uint32_t i);

typedef enum { PEER_UPDATE_DEFAULT, PEER_UPDATE_EXCLUSIVE, PEER_UPDATE_TWICE } peer_update_t;
peer_update_t peer_update(const peer_spec_t *spec);

static inline uint32_t peer_left(uint32_t tlb, uint32_t tlbs) { return (tlb ? tlb : tlbs) - 1; }
static inline uint32_t peer_right(uint32_t tlb, uint32_t tlbs) {
  return tlb + 1 == tlbs ? 0 : tlb + 1;
}
#endif
