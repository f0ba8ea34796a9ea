/* Misses of first-level TLBs that are under way while time stands still.
 *
 *   a look-up behind the first level: waits for its turn at the TLB's ports, with an MSHR
 *   a page that no TLB has:           its walk begins when one of the walker's threads is free, and
 *                                     takes as long as walks last did with time
 *   one that is walked for already:   waits for that walk
 *   the end of a walk:                the TLBs of all who wait take the page
 *
 * All of that by the clock of rounds. Walks of a walker unit take the same time, so they end in the
 * order in which they were asked for. A page that a TLB has is in the first level at once: few ask
 * for it again while it is on its way. */
#include "gpu/machine.h"

#define WALK_NOT UINT32_MAX

static uint32_t walks_threads(const gpu_t *g) { return g->walker.spec.threads; }

static uint32_t *walks_bucket(forward_walks_t *s, uint64_t hash) {
  return &s->bucket[hash >> s->shift];
}

ALWAYS_INLINE uint64_t *walks_waits(forward_walks_t *s, uint32_t walk, uint32_t tlb) {
  return &s->waits[(size_t)walk * s->words + tlb / 64];
}
/* A first-level TLB waits for it. */
ALWAYS_INLINE bool walks_has(forward_walks_t *s, uint32_t walk, uint32_t tlb) {
  return *walks_waits(s, walk, tlb) >> tlb % 64 & 1;
}

/* The walk for a page in a last TLB, or WALK_NOT. */
ALWAYS_INLINE uint32_t walks_find(forward_walks_t *s, uint64_t key, uint64_t hash, uint32_t last) {
  if (!s->count) return WALK_NOT;
  uint32_t i = *walks_bucket(s, hash);
  while (i != WALK_NOT && (s->at[i].key != key || s->at[i].last != last)) i = s->at[i].chain;
  return i;
}

ALWAYS_INLINE void walks_join(forward_walks_t *s, uint32_t walk, uint32_t tlb, uint32_t sm) {
  *walks_waits(s, walk, tlb) |= 1ull << tlb % 64;
  s->misses[tlb]++;
  s->sm_of[tlb] = (uint16_t)sm;
}

/* No access of `pages` pages begins, for want of MSHRs of the first-level TLB. With time it has
 * them one after the other; here all at once, as soon as there are MSHRs for half of them. */
ALWAYS_INLINE bool walks_full(const gpu_t *g, uint32_t tlb, uint64_t pages) {
  const forward_walks_t *s = &g->sampling.walks;
  if (!s->units) return false;
  uint64_t taken = s->misses[tlb] + s->held[tlb].count;
  return taken && taken + pages / 2 >= later(g->tlb.level[0].at[tlb].mshrs, pages);
}

static forward_unit_t *walks_unit(const gpu_t *g, uint32_t app) {
  return g->sampling.walks.unit_of[app];
}

/* The page of `x` arrives in cycle `end`, or later if the one before it in the queue does. */
ALWAYS_INLINE uint32_t walks_add(forward_walks_t *s, forward_queue_t *q, const xlat_t *x,
                                 uint32_t last, uint64_t hash, uint64_t end) {
  uint32_t id = s->free, *bucket = walks_bucket(s, hash);
  forward_walk_t *w = &s->at[id];
  if (q->count) end = later(end, s->at[q->tail].end);
  s->free = w->next;
  *w = (forward_walk_t){.key = x->key,
                        .end = end,
                        .vpn = x->vpn,
                        .ppn = x->ppn,
                        .chain = *bucket,
                        .next = WALK_NOT,
                        .last = (uint16_t)last,
                        .sm = x->sm,
                        .asid = x->asid,
                        .warp = x->warp,
                        .order = x->order,
                        .large = x->large};
  *bucket = id;
  *(q->count++ ? &s->at[q->tail].next : &q->head) = id;
  q->tail = id;
  s->count++;
  if (end < s->first_end) s->first_end = end;
  return id;
}

/* A walk for a page of the last TLB `last`, which has been asked for from cycle `at` on. What walks
 * take is known. */
ALWAYS_INLINE uint32_t walks_begin(gpu_t *g, forward_unit_t *u, const xlat_t *x, uint32_t last,
                                   uint64_t hash, uint64_t at) {
  uint64_t *busy = &u->busy[u->turn];
  u->turn = u->turn + 1 < walks_threads(g) ? u->turn + 1 : 0;
  *busy = later(at, *busy) + u->cycles;
  return walks_add(&g->sampling.walks, &u->queue, x, last, hash, *busy);
}

/* A first-level TLB has an MSHR taken up to cycle `at`, for a page that another TLB has. */
ALWAYS_INLINE void walks_hold(gpu_t *g, uint32_t tlb, uint64_t at) {
  forward_held_t *h = &g->sampling.walks.held[tlb];
  uint64_t round = later(at / WALKS_ROUND, h->round + 1);
  h->ends[earlier(round, h->round + WALKS_ROUNDS - 1) % WALKS_ROUNDS]++;
  h->count++;
}

/* MSHRs that were taken up to `clock` are free. */
ALWAYS_INLINE void walks_release(gpu_t *g, uint32_t tlb, uint64_t clock) {
  forward_held_t *h = &g->sampling.walks.held[tlb];
  uint64_t round = clock / WALKS_ROUND;
  while (h->count && h->round < round) {
    h->round++;
    h->count -= h->ends[h->round % WALKS_ROUNDS];
    h->ends[h->round % WALKS_ROUNDS] = 0;
  }
  h->round = later(h->round, round);
}

/* The first walk of a queue leaves it, and is found no more. */
ALWAYS_INLINE uint32_t walks_take(forward_walks_t *s, forward_queue_t *q, uint64_t *hash) {
  uint32_t id = q->head;
  const forward_walk_t *w = &s->at[id];
  *hash = assoc_hash(w->key);
  uint32_t *link = walks_bucket(s, *hash);
  while (*link != id) link = &s->at[*link].chain;
  *link = w->chain;
  q->head = w->next;
  q->count--;
  s->count--;
  return id;
}

ALWAYS_INLINE void walks_give(forward_walks_t *s, uint32_t id) {
  s->at[id].next = s->free;
  s->free = id;
}

/* The TLBs in front of the last one, of a first-level TLB that waited. */
static void walks_fill(gpu_t *g, xlat_t *x, uint32_t tlb) {
  x->tlb = tlb;
  x->sm = g->sampling.walks.sm_of[tlb];
  for (uint32_t l = g->tlb.levels - 1; l-- > 0;) tlb_warm_fill_late(&g->tlb, x, l);
  g->sampling.page[tlb].page = UINT64_MAX; /* the order of use has changed */
}

/* The first page of a queue arrives. */
static void walks_end(gpu_t *g, forward_queue_t *q, bool fill) {
  forward_walks_t *s = &g->sampling.walks;
  uint64_t hash;
  uint32_t id = walks_take(s, q, &hash);
  const forward_walk_t *w = &s->at[id];
  xlat_t x; /* what a fill uses of it */
  x.key = w->key, x.vpn = w->vpn, x.ppn = w->ppn;
  x.asid = w->asid, x.sm = w->sm, x.tlb = g->tlb.level[0].of_sm[w->sm], x.warp = w->warp;
  x.order = w->order, x.large = w->large;
  x.level = 0, x.reached = (uint8_t)g->tlb.levels;
  x.remote = false;
  if (fill) tlb_warm_fill_late(&g->tlb, &x, g->tlb.levels - 1);
  for (uint32_t i = 0; i < s->words; i++) {
    uint64_t *waits = walks_waits(s, id, i * 64);
    for (uint64_t m = *waits; m; m &= m - 1) {
      uint32_t tlb = i * 64 + (uint32_t)__builtin_ctzll(m);
      s->misses[tlb]--;
      if (fill) walks_fill(g, &x, tlb);
    }
    *waits = 0;
  }
  walks_give(s, id);
}

/* The same, with the usual TLBs. */
ALWAYS_INLINE void walks_end_usual(gpu_t *g, forward_queue_t *q) {
  forward_walks_t *s = &g->sampling.walks;
  tlbs_t *c = &g->tlb;
  uint64_t hash;
  uint32_t id = walks_take(s, q, &hash);
  const forward_walk_t *w = &s->at[id];
  uint64_t key = w->key;
  ppn_t ppn = w->ppn;
  tlb_usual_fill_last(c, &c->level[1].at[w->last].array, key, hash, ppn);
  for (uint32_t i = 0; i < s->words; i++) {
    uint64_t *waits = walks_waits(s, id, i * 64);
    for (uint64_t m = *waits; m; m &= m - 1) {
      uint32_t tlb = i * 64 + (uint32_t)__builtin_ctzll(m);
      s->misses[tlb]--;
      tlb_usual_fill_first(c, &c->level[0].at[tlb].array, key, hash, ppn);
      g->sampling.page[tlb].page = UINT64_MAX;
    }
    *waits = 0;
  }
  walks_give(s, id);
}

static void walks_end_queue(gpu_t *g, forward_queue_t *q, uint64_t clock, bool fill) {
  forward_walks_t *s = &g->sampling.walks;
  if (s->usual && fill)
    while (q->count && s->at[q->head].end <= clock) walks_end_usual(g, q);
  else
    while (q->count && s->at[q->head].end <= clock) walks_end(g, q, fill);
  if (q->count) s->first_end = earlier(s->first_end, s->at[q->head].end);
}

/* Pages that are due by `clock` arrive. */
NEVER_INLINE void walks_end_until(gpu_t *g, uint64_t clock, bool fill) {
  forward_walks_t *s = &g->sampling.walks;
  s->first_end = UINT64_MAX;
  for (uint32_t i = 0; i < s->units; i++) walks_end_queue(g, &s->unit[i].queue, clock, fill);
}
ALWAYS_INLINE void walks_attend(gpu_t *g) {
  if (g->sampling.walks.first_end <= g->sampling.clock) walks_end_until(g, g->sampling.clock, true);
}

/* An MSHR of a first-level TLB, all of which are taken, may be free then. */
static uint64_t walks_due(const gpu_t *g, uint32_t tlb) {
  const forward_walks_t *s = &g->sampling.walks;
  return s->held[tlb].count ? g->sampling.clock : s->first_end;
}

/* If pages have gone or moved, those that miss them walk again. */
static void walks_forget(gpu_t *g) {
  forward_walks_t *s = &g->sampling.walks;
  if (s->count && s->drops != g->tlb.drops) walks_end_until(g, UINT64_MAX, false);
  s->drops = g->tlb.drops;
}

/* A skip begins: walks take as long as they did with time, if there were any. */
static void walks_learn(gpu_t *g) {
  forward_walks_t *s = &g->sampling.walks;
  for (uint32_t a = 0; a < g->share.apps && s->units; a++)
    s->unit_of[a] = &s->unit[g->walker.unit_of[a] - g->walker.unit];
  for (uint32_t i = 0; i < g->sampling.walks.units; i++) {
    forward_unit_t *u = &s->unit[i];
    uint64_t walks = 0, cycles = 0;
    for (uint32_t a = 0; a < g->share.apps; a++) {
      if (walks_unit(g, a) != u) continue;
      const hist_t *h = &g->walker.stats[a].latency;
      walks += h->count, cycles += h->sum;
    }
    if (walks > u->walks) u->cycles = (cycles - u->cycles_before) / (walks - u->walks);
    u->walks = walks, u->cycles_before = cycles;
    u->turn = 0;
    memset(u->busy, 0, walks_threads(g) * sizeof *u->busy);
  }
  s->drops = g->tlb.drops;
  s->usual = s->units && tlb_warm_usual(&g->tlb);
}

/* It ends: what is under way is over. */
static void walks_finish(gpu_t *g) {
  forward_walks_t *s = &g->sampling.walks;
  walks_forget(g);
  walks_end_until(g, UINT64_MAX, true);
  if (s->units) memset(s->held, 0, g->tlb.level[0].instances * sizeof *s->held);
  for (uint32_t l = 1; l < g->tlb.levels; l++)
    for (uint32_t i = 0; i < g->tlb.level[l].instances; i++)
      g->tlb.level[l].at[i].port.cycle = g->tlb.level[l].at[i].port.used = 0;
}

static int walks_init(forward_walks_t *s, const gpu_spec_t *spec, const walker_t *walker,
                      const tlbs_t *c) {
  if (!c->levels) return GMMU_OK;
  uint32_t tlbs = c->level[0].instances, bits = 4;
  uint32_t most = gpu_spec_misses(spec) + tlbs * COALESCE_MAX; /* an access has all its pages */
  while (1u << bits < most && bits < 12) bits++; /* these stay in the host's first cache */
  s->shift = 64 - bits;
  s->words = (tlbs + 63) / 64;
  s->at = calloc(most, sizeof *s->at);
  s->waits = calloc((size_t)most * s->words, sizeof *s->waits);
  s->bucket = malloc((sizeof *s->bucket) << bits);
  s->misses = calloc(tlbs, sizeof *s->misses);
  s->sm_of = calloc(tlbs, sizeof *s->sm_of);
  s->unit = calloc(walker->units, sizeof *s->unit);
  s->held = calloc(tlbs, sizeof *s->held);
  if (!s->at || !s->waits || !s->bucket || !s->misses || !s->sm_of || !s->unit || !s->held)
    return GMMU_ENOMEM;
  memset(s->bucket, 0xff, (sizeof *s->bucket) << bits);
  for (uint32_t i = 0; i < most; i++) s->at[i].next = i + 1;
  s->units = walker->units;
  for (uint32_t i = 0; i < s->units; i++) {
    s->unit[i].busy = calloc(walker->spec.threads, sizeof *s->unit[i].busy);
    if (!s->unit[i].busy) return GMMU_ENOMEM;
  }
  s->first_end = UINT64_MAX;
  return GMMU_OK;
}

static void walks_fini(forward_walks_t *s) {
  for (uint32_t i = 0; i < s->units; i++) free(s->unit[i].busy);
  free(s->at);
  free(s->waits);
  free(s->bucket);
  free(s->misses);
  free(s->sm_of);
  free(s->unit);
  free(s->held);
}
