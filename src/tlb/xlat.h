#ifndef GMMU_XLAT_H
#define GMMU_XLAT_H
/* Translations under way: the TLB hierarchy's misses.
 *
 * An xlat_t is one page that a first-level TLB does not have. It is that TLB's MSHR (the
 * data requests that need the page wait in it) and the request that travels to the next levels and
 * the walker. Where another one is already under way for the same page, it joins that one's list
 * and waits. Nobody else is stopped: look-ups of other pages go on. */
#include "base/hist.h"
#include "engine/block.h"
#include "engine/request.h"
#include "engine/watch.h"
#include "sm/sm.h"
#include "tlb/fill.h"
#include "tlb/mshr.h"
#include "tlb/speculate.h"
#include "tlb/tlb.h"
#include "tlb/victim.h"

#define TLB_MAX_LEVELS 4
#define XLAT_NONE      UINT32_MAX
#define TLB_FETCHES    64 /* at most at once; a guess */

typedef struct {
  uint32_t next;                   /* in the list it joined, or in a stalled queue, or free */
  uint32_t joined[TLB_MAX_LEVELS]; /* first of those that joined this one at a level >= 1 */
  request_list_t waiters;          /* data requests of the SMs below */
  uint32_t chain[TLB_MAX_LEVELS];  /* next in its bucket of the misses of a level */
  uint32_t warps;                  /* distinct warps among them */
  uint64_t slots;                  /* their slots, if the TLB is that of one SM */
  uint64_t key;                    /* tlb_page_key() of what is translated */
  vpn_t vpn;
  ppn_t ppn;                        /* the answer */
  uint64_t t_level[TLB_MAX_LEVELS]; /* arrived at each level */
  uint64_t t_start, t_below,
      t_walk;                /* missed; handed to the walker's queue; walk began (0: not yet) */
  uint64_t t_joined;         /* it waits for another one since then */
  uint64_t t_ended;          /* its walk, or its fault, was over (0: not yet) */
  uint32_t walk_dram, fault; /* cycles of the walk in DRAM, and in a fault; the rest is L2's */
  uint32_t peer, peer_back;  /* first-level TLB being asked; cycles of its answer's way back */
  uint32_t tlb;              /* instance of level 0 it belongs to */
  uint16_t sm;               /* of the first warp */
  asid_t asid;               /* this and the two that follow are as in group_t: one copy */
  uint8_t warp;
  uint8_t order; /* log2 of the base pages of the page, whose first is vpn */
  uint8_t level, attempt;
  uint8_t reached; /* the highest level it went to, or the number of levels: the walker */
  bool remote;     /* the answer came from a peer */
  bool ahead;      /* nobody waits for it: see tlb_fetch() */
  bool large;      /* the answer holds for a large page */
  uint8_t peer_port;
  bool asked, mixed; /* what the peers' policy said of its look-ups; of the peer it named */
  bool faulting;     /* it waits for a page; until that is there, `fault` is the cycle since when */
} xlat_t;

typedef struct {
  xlat_t *at;
  uint64_t *warp_mask; /* [xlat * words]: bit per warp of the SMs that share a first-level TLB; */
  uint32_t words;      /* 1: see xlat_t.slots */
  uint32_t free_head, capacity, used;
} xlat_pool_t;

int xlat_pool_init(xlat_pool_t *p, uint32_t capacity, uint32_t words, arrays_t *a);
/* One of which is still to be set who waits, and for what. */
static inline uint32_t xlat_take(xlat_pool_t *p) {
  uint32_t i = p->free_head;
  xlat_t *x = &p->at[i];
  p->free_head = x->next;
  p->used++;
  x->next = XLAT_NONE;
  for (uint32_t l = 0; l < TLB_MAX_LEVELS; l++) x->joined[l] = XLAT_NONE;
  x->t_below = x->t_walk = x->t_ended = 0;
  x->walk_dram = x->fault = 0;
  x->level = x->attempt = x->reached = 0;
  x->remote = x->ahead = false;
  return i;
}
static inline void xlat_give(xlat_pool_t *p, uint32_t i) {
  p->at[i].next = p->free_head;
  p->free_head = i;
  p->used--;
}

/* Misses under way in one TLB of level l: a hash table of chains, linked through xlat_t.chain[l].
 */
typedef struct {
  uint32_t *bucket; /* first of its chain */
  uint32_t shift;   /* of the hash, to a bucket */
  uint32_t count;
} tlb_pending_t;

static inline uint32_t *tlb_pending_bucket(const tlb_pending_t *p, uint64_t hash) {
  return &p->bucket[hash >> p->shift];
}
/* The one for a page, or XLAT_NONE. `hash`: assoc_hash(key). */
static inline uint32_t tlb_pending_find_hashed(const tlb_pending_t *p, const xlat_pool_t *pool,
                                               uint32_t l, uint64_t key, uint64_t hash) {
  uint32_t id = *tlb_pending_bucket(p, hash);
  while (id != XLAT_NONE && pool->at[id].key != key) id = pool->at[id].chain[l];
  return id;
}
static inline uint32_t tlb_pending_find(const tlb_pending_t *p, const xlat_pool_t *pool, uint32_t l,
                                        uint64_t key) {
  return tlb_pending_find_hashed(p, pool, l, key, assoc_hash(key));
}
static inline void tlb_pending_add(tlb_pending_t *p, xlat_pool_t *pool, uint32_t l, uint32_t id,
                                   uint64_t hash) {
  uint32_t *bucket = tlb_pending_bucket(p, hash);
  pool->at[id].chain[l] = *bucket;
  *bucket = id;
  p->count++;
}
static inline void tlb_pending_drop(tlb_pending_t *p, xlat_pool_t *pool, uint32_t l, uint32_t id,
                                    uint64_t hash) {
  uint32_t *link = tlb_pending_bucket(p, hash);
  while (*link != id) link = &pool->at[*link].chain[l];
  *link = pool->at[id].chain[l];
  p->count--;
}

/* Look-ups per cycle, granted in order of arrival. */
typedef struct {
  uint64_t cycle;
  uint32_t used, width; /* width 0: unlimited */
} tlb_port_t;
/* The cycle in which a look-up that arrives now gets the port. */
static inline uint64_t tlb_port_grant(tlb_port_t *p, uint64_t now) {
  if (!p->width) return now;
  if (p->cycle < now) {
    p->cycle = now;
    p->used = 0;
  } else if (p->used == p->width) {
    p->cycle++;
    p->used = 0;
  }
  p->used++;
  return p->cycle;
}

/* Statistics of one level, per application. A miss is a look-up not answered at once; a primary
 * miss starts a request of its own, a merged one joins a request under way. */
#define TLB_STATS(X)                                                                               \
  X(lookups, "look-ups", "look-ups, one per distinct page of a warp's access")                     \
  X(hits, "look-ups", "answered at once")                                                          \
  X(misses, "look-ups", "not answered at once, merged ones included")                              \
  X(primary_misses, "look-ups", "misses that started a request to the next level")                 \
  X(merged_misses, "look-ups", "misses that joined a request under way")                           \
  X(large_hits, "look-ups", "hits in a large-page entry")                                          \
  X(side_hits, "look-ups", "hits in the fill policy's own buffer")                                 \
  X(remote_hits, "look-ups", "misses answered by a peer's TLB")                                    \
  X(mshr_stalls, "look-ups", "look-ups that had to wait for a free MSHR")                          \
  X(fills, "entries", "translations put in")                                                       \
  X(denied_fills, "entries", "fills that the fill policy refused")                                 \
  X(evictions, "entries", "translations displaced by a fill")                                      \
  X(invalidations, "entries", "translations dropped by a page-table change")
typedef struct {
#define X(n, u, h) uint64_t n;
  TLB_STATS(X)
#undef X
  hist_t latency; /* cycles from look-up to translation; not of hits in the first level, which all
                     take as long as the look-up */
} tlb_stats_t;

/* One instance of one level. */
typedef struct {
  tlb_t array;
  tlb_pending_t pending; /* the translations that hold its MSHRs */
  uint32_t mshrs;
  void *format; /* state of the MSHRs' format; NULL: one page in each */
  tlb_port_t port;
  uint32_t stalled_head, stalled_tail; /* xlats that wait for an MSHR (levels >= 1) */
} tlb_instance_t;

int tlb_instance_init(tlb_instance_t *t, const tlb_spec_t *spec, const tlb_format_t *format,
                      const tlb_env_t *env, uint32_t large_pages_shift, arrays_t *a, err_t *e);
void tlb_instance_fini(tlb_instance_t *t);
static inline uint64_t tlb_page_key(asid_t asid, vpn_t vpn) { return (uint64_t)asid << 56 | vpn.v; }
static inline bool tlb_mshr_full(const tlb_instance_t *t) { return t->pending.count >= t->mshrs; }

/* With l1d.virtual: what L1 has by its virtual address. */
#define PAST_STATS(X)                                                                              \
  X(lookups, "look-ups",                                                                           \
    "of loads that needed none: L1 had all their lines, or had them under way")                    \
  X(shorter, "look-ups", "of loads that L1 had some lines of")                                     \
  X(lines, "lines", "that needed no translation")                                                  \
  X(flushes, "flushes", "of all L1 caches, because pages of it went or moved")
typedef struct {
#define X(n, u, h) uint64_t n;
  PAST_STATS(X)
#undef X
} past_stats_t;

/* One level of the hierarchy. */
typedef struct {
  tlb_spec_t spec;
  const mshr_ops_t *format; /* of the MSHRs; NULL: one page in each */
  tlb_instance_t *at;
  uint32_t instances;
  uint32_t base_cycles; /* from look-up to answer of a base page, or to a miss */
  uint32_t miss_cycles; /* from a look-up that misses to the next level: see tlb_miss_cycles() */
  bool short_fill;      /* they are plain, and nobody has anything to say about fills */
  uint16_t *of_sm;      /* [SM]: its instance */
  bool formatted;       /* their entries have a format */
  bool counts;          /* it, or the replacement policy, counts: */
  tlb_stats_t *stats;   /* [app] */
  tlb_array_stats_t *array_stats; /* [app] */
  uint64_t *evicted_by;           /* [evictor * apps + victim] */
} tlb_level_t;

/* The hierarchy. */
typedef struct {
  tlb_level_t level[TLB_MAX_LEVELS];
  uint32_t levels;
  bool translate; /* TLBs are looked up; false: ideal, or no TLBs */
  uint32_t apps;
  bool check;                /* every translation is compared with the page table */
  bool pages_come, pages_go; /* demand paging: by far faults, by eviction */
  const fill_ops_t *fill;
  void *fill_state;
  bool virtual_l1;                  /* L1 is looked up before the first level */
  past_stats_t *past;               /* [app] */
  const speculate_ops_t *speculate; /* NULL: nobody guesses */
  void *speculate_state;            /* [SM] of speculate_bytes */
  size_t speculate_bytes;
  speculate_stats_t *speculations; /* [app] */
  const victim_ops_t *victim;      /* NULL: what the first level displaces is lost */
  void *victim_state;              /* [SM] of victim_bytes */
  size_t victim_bytes;
  tlb_port_t *victim_port; /* [SM] */
  victim_stats_t *victims; /* [app] */
  bool fill_hooks;         /* the fill policy has something to say */
  bool look_hooks;         /* somebody watches first-level look-ups */
  /* Every answer is of a page that stays, to TLBs with short fills of which the first-level ones
   * are each of one SM; nobody checks or watches it. */
  bool short_answers;
  /* Look-ups go to TLBs, and nobody else is asked or told: no peers, place for displaced pages,
   * speculation, detector, L1 with virtual tags or listener. */
  bool short_looks;
  uint64_t drops;           /* times that pages had to leave all TLBs */
  uint32_t fetches;         /* translations under way that nobody waits for */
  latpc_detector_t *detect; /* [SM]; NULL: nobody asks for groups of pages */
  page_group_t *group;      /* [xlat]: of the page, by the detector of the SM that missed first */
  mshr_stats_t *mshr_stats; /* [app] */
  void *format_owner[TLB_MAX_LEVELS][2]; /* what a format is given: the TLBs, and their level */
  struct {
    WATCH(unmapped, asid_t asid, vpn_t vpn); /* no page is there, and none will be */
    WATCH(looked_up, uint32_t sm, const group_t *gr);
    WATCH(early, asid_t asid, uint32_t request, uint64_t va); /* a line that is at L1 before */
    WATCH(missed, uint32_t xlat, uint32_t level);             /* behind the first level */
    WATCH(translated, uint32_t xlat);                         /* known to the first level */
  } watch;
} tlbs_t; /* ports: ev, pool, xlat, memory, cores, l1, peers */

/* What the fill policy has to tell of an application; zeroes if it has nothing. */
fill_stats_t tlb_fill_stats(const tlbs_t *c, uint32_t app);
/* ---- front.c: the first level ---- */
void tlb_passed(tlbs_t *c, uint32_t sm); /* message: the SM needs no MSHR after all */
/* ---- level.c: the other levels ----
 * Messages: a translation at a level; it has a port; the level above, the walker or the driver
 * knows it; a peer's answer is back. */
void tlb_arrive(tlbs_t *c, uint32_t xlat);
void tlb_level_lookup(tlbs_t *c, uint32_t xlat);
void tlb_answer(tlbs_t *c, uint32_t xlat);
void tlb_answers(tlbs_t *c, const uint32_t *xlat, const uint32_t *end); /* those of one cycle */
void tlb_peer_answer(tlbs_t *c, uint32_t xlat);
/* Block `from` sends it to the level behind the first, from cycle `at` on. */
void tlb_next_level(tlbs_t *c, sender_t from, uint32_t xlat, uint64_t at);
/* The warps that have waited for a translation, or for one that joined it below level `below`,
 * since the last cycle or longer. */
uint32_t tlb_warps(const tlbs_t *c, uint32_t xlat, uint32_t below);
void tlb_fault_answer(tlbs_t *c, uint32_t xlat); /* its page is there now */
uint32_t tlb_miss_cycles(const tlbs_t *c, uint32_t level);
/* A mechanism wants a page in the TLB of the last level that `sm` uses: a walk sets out in cycle
 * `at`, and whoever misses the page meanwhile joins it. False, and nothing happens, if the page is
 * there or under way, no MSHR is free, or it is not in the page table. */
bool tlb_fetch(tlbs_t *c, uint32_t sm, asid_t asid, vpn_t vpn, uint64_t at);
void tlb_retarget(tlbs_t *c); /* pages have moved: misses under way get what the table says now */
void tlb_drop(tlbs_t *c, asid_t asid, vpn_t vpn, uint64_t pages); /* from all TLBs */
/* l1d.virtual: pages of these applications (a bit each) have gone or moved; L1 forgets everything.
 */
void tlb_flush_l1(tlbs_t *c, uint32_t apps);
void tlb_settle(tlbs_t *c); /* the end of a run: waiting requests get their share of time so far */
#endif
