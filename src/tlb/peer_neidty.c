/* NeiDty (Du et al.): each first-level TLB has a directory of what its two neighbours hold.
 *
 * A directory is fully associative: a short hash of the page, and a bit each for the left, the own
 * and the right TLB. It listens to what the neighbours take and lose, and hears of it a cycle
 * later. Invariants: an entry without a neighbour's bit is free; no tag is there twice; as long as
 * all pages that an entry stood for were the same one (it is not `mixed`) and nothing is left to
 * be heard, a bit is set only if that TLB has the page, and the own bit tells exactly. A mixed
 * entry may say anything, which costs time: the neighbour compares the whole page number.
 *
 * The page beside the tag is what the hardware does not have; it serves statistics and check(). */
#include "tlb/peer.h"
#include <string.h>

enum { LEFT = 1, LOCAL = 2, RIGHT = 4, NEIGHBOURS = LEFT | RIGHT };

typedef struct {
  uint32_t tag;
  uint8_t bits;
  bool mixed;
  uint64_t order; /* of its arrival, for FIFO */
  uint64_t page;  /* page_key() of the last update */
} entry_t;

typedef struct {
  peer_env_t env;
  peer_update_t update;
  uint32_t entries; /* of a directory */
  uint64_t arrivals;
  uint64_t *last;      /* [tlb]: page it asked a neighbour for last */
  entry_t directory[]; /* [tlb * entries], then `last` */
} neidty_t;

static entry_t *directory(neidty_t *n, uint32_t tlb) {
  return &n->directory[(size_t)tlb * n->entries];
}

static size_t state_bytes(const peer_env_t *env) {
  return sizeof(neidty_t) + (size_t)env->tlbs * env->spec->directory_entries * sizeof(entry_t) +
         env->tlbs * sizeof(uint64_t);
}

static void init(void *state, const peer_env_t *env) {
  neidty_t *n = state;
  n->env = *env;
  n->update = peer_update(env->spec);
  n->entries = env->spec->directory_entries;
  n->last = (uint64_t *)(void *)directory(n, env->tlbs);
  for (uint32_t t = 0; t < env->tlbs; t++) n->last[t] = UINT64_MAX;
}

#define ORDER_SHIFT 46 /* of a key; a page number has at most 45 bits */

/* The page number in units of what an entry covers, and above it the size of its pages, the address
 * space, and which array it is in. */
static uint64_t page_key(const neidty_t *n, const peer_page_t *p) {
  uint32_t shift = p->large ? n->env.large_pages_shift : n->env.reach_shift + p->order;
  return p->vpn.v >> shift | (uint64_t)p->order << ORDER_SHIFT | (uint64_t)p->asid << 52 |
         (uint64_t)p->large << 60;
}

/* As an entry of base pages would hold it now. */
static peer_page_t base_page(const neidty_t *n, asid_t asid, vpn_t vpn) {
  uint32_t order = n->env.order ? n->env.order(n->env.owner, asid, vpn) : 0;
  return (peer_page_t){.asid = asid, .order = (uint8_t)order, .vpn = vpn};
}

/* Folded by XOR: pages near each other differ. */
static uint32_t tag_of(const neidty_t *n, uint64_t page) {
  uint32_t bits = n->env.spec->tag_bits;
  uint64_t tag = 0;
  for (; page; page >>= bits) tag ^= page;
  return (uint32_t)(tag & ((1ull << bits) - 1));
}

static entry_t *find(neidty_t *n, uint32_t tlb, uint64_t page) {
  entry_t *d = directory(n, tlb);
  uint32_t tag = tag_of(n, page);
  for (uint32_t i = 0; i < n->entries; i++)
    if (d[i].bits && d[i].tag == tag) return &d[i];
  return NULL;
}

/* ---- listening ---- */

/* A free place; else the first come of those that the own TLB has; else the first come. */
static entry_t *make_room(neidty_t *n, uint32_t tlb, asid_t asid) {
  entry_t *d = directory(n, tlb), *best = &d[0];
  for (uint32_t i = 0; i < n->entries; i++) {
    bool local = d[i].bits & LOCAL, best_local = best->bits & LOCAL;
    if (!d[i].bits) return &d[i];
    if (local != best_local ? local : d[i].order < best->order) best = &d[i];
  }
  n->env.stats[asid].directory_evictions++;
  return best;
}

static void note_page(entry_t *e, uint64_t page) {
  e->mixed |= e->page != page;
  e->page = page;
}

/* The TLB on side `bit` took the page. */
static void neighbour_filled(neidty_t *n, uint32_t tlb, uint32_t bit, const peer_page_t *p) {
  uint64_t page = page_key(n, p);
  entry_t *e = find(n, tlb, page);
  if (!e) {
    bool local = n->env.holds(n->env.owner, tlb, p); /* the directory has a port to its TLB */
    e = make_room(n, tlb, p->asid);
    *e = (entry_t){
        .tag = tag_of(n, page), .bits = local ? LOCAL : 0, .order = n->arrivals++, .page = page};
  }
  note_page(e, page);
  e->bits |= (uint8_t)bit;
}

static void neighbour_evicted(neidty_t *n, uint32_t tlb, uint32_t bit, const peer_page_t *p) {
  uint64_t page = page_key(n, p);
  entry_t *e = find(n, tlb, page);
  if (!e) return;
  note_page(e, page);
  e->bits &= (uint8_t)~bit;
  if (!(e->bits & NEIGHBOURS)) e->bits = 0;
}

static void own_changed(neidty_t *n, uint32_t tlb, bool has, const peer_page_t *p) {
  uint64_t page = page_key(n, p);
  entry_t *e = find(n, tlb, page);
  if (!e) return;
  note_page(e, page);
  e->bits = (uint8_t)(has ? e->bits | LOCAL : e->bits & ~LOCAL);
}

static void filled(void *state, uint32_t tlb, const peer_page_t *p) {
  neidty_t *n = state;
  if (n->env.tlbs > 1) own_changed(n, tlb, true, p);
}

static void evicted(void *state, uint32_t tlb, const peer_page_t *p) {
  neidty_t *n = state;
  if (n->env.tlbs > 1) own_changed(n, tlb, false, p);
}

static bool heard(void *state, peer_news_t *news) {
  neidty_t *n = state;
  uint32_t tlbs = n->env.tlbs, left = peer_left(news->tlb, tlbs),
           right = peer_right(news->tlb, tlbs);
  if (tlbs < 2) return false;
  if (news->kind == PEER_FILLED) {
    neighbour_filled(n, left, RIGHT, &news->page);
    neighbour_filled(n, right, LEFT, &news->page);
  } else if (news->kind == PEER_EVICTED) {
    neighbour_evicted(n, left, RIGHT, &news->page);
    neighbour_evicted(n, right, LEFT, &news->page);
  }
  return false;
}

/* ---- asking ---- */

/* What the directory knows of a page, as part of a large page or by itself. */
static entry_t *find_any(neidty_t *n, uint32_t tlb, asid_t asid, vpn_t vpn, uint64_t *page) {
  peer_page_t p = {.asid = asid, .large = true, .vpn = vpn};
  entry_t *e = n->env.large ? find(n, tlb, *page = page_key(n, &p)) : NULL;
  if (e) return e;
  p = base_page(n, asid, vpn);
  return find(n, tlb, *page = page_key(n, &p));
}

static peer_way_t next(void *state, const peer_query_t *q) {
  neidty_t *n = state;
  uint64_t page;
  uint32_t hop = n->env.spec->hop_cycles, own = n->env.lookup_cycles;
  uint32_t late = n->env.spec->directory_cycles; /* of a look-up that began with that in the TLB */
  late = late > own ? late - own : 0;
  if (q->attempt) return (peer_way_t){.tlb = PEER_NONE, .there = hop}; /* "no" comes back first */
  const entry_t *e = find_any(n, q->tlb, q->asid, q->vpn, &page);
  if (!e) return (peer_way_t){.tlb = PEER_NONE, .there = late};
  bool left = e->bits & LEFT;
  return (peer_way_t){.tlb =
                          left ? peer_left(q->tlb, n->env.tlbs) : peer_right(q->tlb, n->env.tlbs),
                      .port = left ? PEER_FROM_RIGHT : PEER_FROM_LEFT,
                      .there = late + hop,
                      .back = hop,
                      .mixed = e->mixed || e->page != page};
}

static bool asked(void *state, uint32_t tlb, asid_t asid, vpn_t vpn) {
  neidty_t *n = state;
  peer_page_t p = base_page(n, asid, vpn);
  uint64_t page = page_key(n, &p);
  bool again = n->last[tlb] == page;
  n->last[tlb] = page;
  return again;
}

static bool keep(void *state, uint32_t tlb, bool again) {
  (void)tlb;
  peer_update_t update = ((neidty_t *)state)->update;
  return update == PEER_UPDATE_DEFAULT || (update == PEER_UPDATE_TWICE && again);
}

/* The directory was wrong: another page with this tag, or the neighbour lost it meanwhile. */
static void missed(void *state, const peer_query_t *q) {
  const neidty_t *n = state;
  n->env.stats[q->asid].directory_false++;
  n->env.stats[q->asid].directory_collisions += q->mixed;
}

/* ---- invariants ---- */

static bool entry_true(const neidty_t *n, uint32_t tlb, const entry_t *e) {
  uint32_t tlbs = n->env.tlbs;
  peer_page_t p = {.asid = (asid_t)(e->page >> 52 & 0xff),
                   .large = e->page >> 60 & 1,
                   .order = e->page >> ORDER_SHIFT & 63};
  p.vpn.v = (e->page & ((1ull << ORDER_SHIFT) - 1))
            << (p.large ? n->env.large_pages_shift : n->env.reach_shift + p.order);
#define HOLDS(t) n->env.holds(n->env.owner, t, &p)
  return (!(e->bits & LEFT) || HOLDS(peer_left(tlb, tlbs))) &&
         (!(e->bits & RIGHT) || HOLDS(peer_right(tlb, tlbs))) && !!(e->bits & LOCAL) == HOLDS(tlb);
#undef HOLDS
}

static bool check(const void *state) {
  const neidty_t *n = state;
  for (uint32_t t = 0; t < n->env.tlbs; t++) {
    const entry_t *d = &n->directory[(size_t)t * n->entries];
    for (uint32_t i = 0; i < n->entries; i++) {
      if (!d[i].bits) continue;
      if (!(d[i].bits & NEIGHBOURS) || (!d[i].mixed && !entry_true(n, t, &d[i]))) return false;
      for (uint32_t k = 0; k < i; k++)
        if (d[k].bits && d[k].tag == d[i].tag) return false;
    }
  }
  return true;
}

const peer_ops_t peer_neidty = {.name = "neidty",
                                .help =
                                    "a directory of what the two neighbours' TLBs hold (NeiDty)",
                                .state_bytes = state_bytes,
                                .init = init,
                                .next = next,
                                .asked = asked,
                                .keep = keep,
                                .filled = filled,
                                .evicted = evicted,
                                .heard = heard,
                                .missed = missed,
                                .check = check};
