/* Valkyrie (Baruah et al., PACT 2020): first-level TLBs on a ring that ask each other in turn.
 *
 * A miss goes from TLB to TLB, towards higher numbers, until one has the page or the ring (or
 * peer.probes) is at its end. The answer takes the shorter way around.
 *
 * Optionally a table at the next level remembers who asked for a page there last; it hears a cycle
 * after the answer. When a second TLB of the same ring asks, the page is shared: a cycle later it
 * is copied into a buffer beside each TLB of the ring that works in that address space and does not
 * hold it, and the table forgets it. A copy moves
 * into the TLB when it is first used. Invariant: a copy is what the page table says, because
 * invalidations reach the buffers, too. */
#include "tlb/peer.h"
#include <string.h>

typedef struct {
  bool used, large;
  asid_t asid;
  vpn_t vpn;
  ppn_t ppn;
} copy_t;

typedef struct {
  bool used;
  asid_t asid;
  vpn_t vpn;
  uint32_t tlb; /* that asked for it */
} locality_t;

typedef struct {
  peer_env_t env;
  uint32_t copies, localities; /* of a TLB; of the table */
  locality_t *locality;
  uint32_t oldest; /* of the table: goes next */
  copy_t *copy;    /* [tlb * copies] */
  struct {
    uint32_t oldest; /* of its copies */
    uint32_t space;  /* address space it was served in last */
  } tlb[];
} valkyrie_t;

#define NO_SPACE UINT32_MAX

static size_t rounded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }
static size_t head_bytes(const peer_env_t *env) {
  valkyrie_t *v = NULL;
  return rounded(sizeof *v + env->tlbs * sizeof v->tlb[0]);
}
static size_t table_bytes(const peer_env_t *env) {
  return rounded(env->spec->locality_entries * sizeof(locality_t));
}

static size_t state_bytes(const peer_env_t *env) {
  size_t copies = (size_t)env->tlbs * env->spec->prefetch_entries * sizeof(copy_t);
  return head_bytes(env) + (env->spec->prefetch ? table_bytes(env) + copies : 0);
}

static void init(void *state, const peer_env_t *env) {
  valkyrie_t *v = state;
  v->env = *env;
  for (uint32_t t = 0; t < env->tlbs; t++) v->tlb[t].space = NO_SPACE;
  if (!env->spec->prefetch) return;
  v->localities = env->spec->locality_entries;
  v->copies = env->spec->prefetch_entries;
  v->locality = (locality_t *)(void *)((char *)state + head_bytes(env));
  v->copy = (copy_t *)(void *)((char *)v->locality + table_bytes(env));
}

/* ---- probing ---- */

typedef struct {
  uint32_t first, tlbs;
} ring_t;

static ring_t ring_of(const valkyrie_t *v, uint32_t tlb) {
  uint32_t n = v->env.spec->group ? v->env.spec->group : v->env.tlbs;
  uint32_t first = tlb / n * n, rest = v->env.tlbs - first;
  return (ring_t){first, rest < n ? rest : n};
}

static peer_way_t next(void *state, const peer_query_t *q) {
  const valkyrie_t *v = state;
  const peer_spec_t *s = v->env.spec;
  ring_t r = ring_of(v, q->tlb);
  uint32_t most = s->probes && s->probes < r.tlbs - 1 ? s->probes : r.tlbs - 1;
  uint32_t hops = q->attempt + 1, home = hops < r.tlbs - hops ? hops : r.tlbs - hops;
  if (q->attempt >= most) return (peer_way_t){.tlb = PEER_NONE};
  return (peer_way_t){.tlb = r.first + (q->tlb - r.first + hops) % r.tlbs,
                      .port = PEER_FROM_LEFT,
                      .there = s->hop_cycles,
                      .back = home * s->hop_cycles};
}

/* ---- prefetching ---- */

static copy_t *find_copy(const valkyrie_t *v, uint32_t tlb, asid_t asid, vpn_t vpn) {
  copy_t *c = &v->copy[(size_t)tlb * v->copies];
  for (uint32_t i = 0; i < v->copies; i++)
    if (c[i].used && c[i].asid == asid && c[i].vpn.v == vpn.v) return &c[i];
  return NULL;
}

static void give_copy(valkyrie_t *v, uint32_t tlb, const copy_t *c) {
  peer_page_t p = {.asid = c->asid, .large = c->large && v->env.large, .vpn = c->vpn};
  if (!p.large && v->env.order) p.order = (uint8_t)v->env.order(v->env.owner, c->asid, c->vpn);
  if (v->tlb[tlb].space != c->asid || v->env.holds(v->env.owner, tlb, &p) ||
      find_copy(v, tlb, c->asid, c->vpn))
    return;
  uint32_t i = v->tlb[tlb].oldest;
  v->copy[(size_t)tlb * v->copies + i] = *c;
  v->tlb[tlb].oldest = i + 1 == v->copies ? 0 : i + 1;
  v->env.stats[c->asid].prefetches++;
}

/* The row of a page of the ring that `tlb` is in, or NULL. */
static locality_t *find_locality(valkyrie_t *v, uint32_t tlb, asid_t asid, vpn_t vpn) {
  uint32_t first = ring_of(v, tlb).first;
  for (uint32_t i = 0; i < v->localities; i++) {
    locality_t *l = &v->locality[i];
    if (l->used && l->asid == asid && l->vpn.v == vpn.v && ring_of(v, l->tlb).first == first)
      return l;
  }
  return NULL;
}

static void remember(valkyrie_t *v, uint32_t tlb, asid_t asid, vpn_t vpn) {
  v->locality[v->oldest] = (locality_t){true, asid, vpn, tlb};
  v->oldest = v->oldest + 1 == v->localities ? 0 : v->oldest + 1;
}

static void served(void *state, uint32_t tlb, asid_t asid) {
  valkyrie_t *v = state;
  v->tlb[tlb].space = asid;
}

/* At the table: true if somebody else has asked before. */
static bool is_shared(valkyrie_t *v, peer_news_t *n) {
  locality_t *l = find_locality(v, n->tlb, n->page.asid, n->page.vpn);
  if (!l) remember(v, n->tlb, n->page.asid, n->page.vpn);
  if (!l || l->tlb == n->tlb) return false;
  n->kind = PEER_SHARED;
  n->other = l->tlb;
  l->used = false;
  return true;
}

static bool heard(void *state, peer_news_t *n) {
  valkyrie_t *v = state;
  if (!v->localities) return false;
  if (n->kind == PEER_SERVED) return is_shared(v, n);
  if (n->kind != PEER_SHARED) return false;
  ring_t r = ring_of(v, n->tlb);
  copy_t c = {.used = true,
              .large = n->page.large,
              .asid = n->page.asid,
              .vpn = n->page.vpn,
              .ppn = n->ppn};
  for (uint32_t t = r.first; t < r.first + r.tlbs; t++)
    if (t != n->tlb && t != n->other) give_copy(v, t, &c);
  return false;
}

static bool take(void *state, uint32_t tlb, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  valkyrie_t *v = state;
  copy_t *c = v->copies ? find_copy(v, tlb, asid, vpn) : NULL;
  if (!c) return false;
  *ppn = c->ppn;
  *large = c->large;
  c->used = false;
  return true;
}

static void invalidate(void *state, asid_t asid, vpn_t vpn, uint64_t pages) {
  valkyrie_t *v = state;
  for (size_t i = 0; i < (size_t)v->env.tlbs * v->copies; i++)
    if (v->copy[i].asid == asid && v->copy[i].vpn.v - vpn.v < pages) v->copy[i].used = false;
  for (uint32_t i = 0; i < v->localities; i++)
    if (v->locality[i].asid == asid && v->locality[i].vpn.v - vpn.v < pages)
      v->locality[i].used = false;
}

const peer_ops_t peer_valkyrie = {.name = "valkyrie",
                                  .help = "a ring of TLBs that are asked in turn (Valkyrie)",
                                  .state_bytes = state_bytes,
                                  .init = init,
                                  .next = next,
                                  .served = served,
                                  .heard = heard,
                                  .take = take,
                                  .invalidate = invalidate};
