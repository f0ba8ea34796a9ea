/* A translation goes into the TLB of a level, if the policies let it. */
#include "base/inline.h"
#include "tlb/peers.h"
#include "tlb/xlat.h"

static tlb_instance_t *tlb_instance(tlbs_t *c, uint32_t level, uint32_t sm) {
  tlb_level_t *l = &c->level[level];
  return &l->at[l->of_sm[sm]];
}

static fill_ctx_t fill_ctx(const tlbs_t *c, uint32_t level, const xlat_t *x) {
  return (fill_ctx_t){.level = level,
                      .instance = c->level[level].of_sm[x->sm],
                      .sm = x->sm,
                      .warp = x->warp,
                      .asid = x->asid,
                      .vpn = x->vpn};
}

/* The address in the page, of 2^order base pages, that begins at `frame`. */
static void put_physical(request_t *r, uint64_t frame, uint64_t page_mask) {
  r->addr = frame | (r->addr & page_mask);
}
static uint64_t frame_of(const tlbs_t *c, ppn_t ppn) { return ppn.v << tlb_memory(c)->page_shift; }
static uint64_t page_mask(const tlbs_t *c, uint32_t order) {
  return (1ull << (tlb_memory(c)->page_shift + order)) - 1;
}

/* False if the fill policy or the peers' update policy keeps the translation out of this level. */
static bool may_fill(tlbs_t *c, uint32_t level, const xlat_t *x, tlb_stats_t *st) {
  if (c->fill->allow) {
    fill_ctx_t ctx = fill_ctx(c, level, x);
    if (!c->fill->allow(c->fill_state, &ctx)) {
      st->denied_fills++;
      if (c->fill->denied) c->fill->denied(c->fill_state, &ctx, x->ppn, x->large);
      return false;
    }
  }
  return level || !x->remote || peers_keeps(tlb_peers(c), x);
}

/* The other pages that the entry of `x` covers: their entries lie beside its own in the table. */
NEVER_INLINE void fill_neighbours(tlbs_t *c, const xlat_t *x, tlb_instance_t *t) {
  const mm_t *mm = tlb_memory(c)->mm;
  bool sizes = t->array.sizes != NULL;
  uint32_t cover = t->array.reach_shift + x->order;
  uint64_t pages = 1ull << cover, first = x->vpn.v & ~(pages - 1);
  for (uint64_t i = 0; i < pages && (sizes || !x->large); i += 1ull << x->order) {
    ppn_t ppn;
    bool large;
    vpn_t vpn = {first + i};
    if (!mm_translate(mm, x->asid, vpn, &ppn, &large)) continue;
    if (sizes ? mm_page_order(mm, x->asid, vpn) == x->order : !large)
      tlb_fill_neighbour(&t->array, x->asid, vpn, ppn);
  }
}

/* Somebody lost an entry to the application. */
static void count_eviction(const tlbs_t *c, tlb_level_t *l, asid_t by, const tlb_victim_t *v) {
  l->stats[by].evictions++;
  l->evicted_by[by * c->apps + v->asid]++;
}

/* The pages around that of `x`, in its block, whose frames follow each other. Their entries lie
 * beside each other in the page table: a walk has read them all. An answer from another TLB has
 * what its entry has. */
static format_run_t run_around(const tlbs_t *c, uint32_t level, const xlat_t *x,
                               const tlb_t *array) {
  const mm_t *mm = tlb_memory(c)->mm;
  uint32_t reach = 1u << array->reach_shift, sub = (uint32_t)(x->vpn.v >> x->order) & (reach - 1);
  format_run_t one = {sub, 1};
  if (!array->format->runs || x->remote) return one;
  if (x->reached < c->levels) {
    if (x->reached <= level || !c->level[x->reached].formatted) return one;
    const tlb_level_t *above = &c->level[x->reached];
    format_run_t r = tlb_format_run(&above->at[above->of_sm[x->sm]].array, x->asid, x->vpn);
    return r.pages ? r : one;
  }
  for (int step = -1; step <= 1; step += 2)
    for (uint32_t i = sub;;) {
      if (step < 0 ? i == 0 : i == reach - 1) break;
      i += (uint32_t)step;
      uint64_t pages = ((uint64_t)i - sub) << x->order; /* from the one missed; wraps below it */
      vpn_t vpn = {x->vpn.v + pages};
      ppn_t ppn;
      bool large;
      if (!mm_translate(mm, x->asid, vpn, &ppn, &large) || ppn.v != x->ppn.v + pages ||
          (array->sizes && mm_page_order(mm, x->asid, vpn) != x->order))
        break;
      if (step < 0) one.first = i;
      one.pages++;
    }
  return one;
}

/* Fills a TLB whose entries have a format. */
NEVER_INLINE void fill_format(tlbs_t *c, uint32_t level, const xlat_t *x, tlb_instance_t *t) {
  tlb_level_t *l = &c->level[level];
  tlb_victim_t v[FORMAT_VICTIMS];
  format_run_t run = run_around(c, level, x, &t->array);
  uint32_t n = tlb_fill_format(&t->array, x->asid, x->vpn, x->ppn, run, v);
  l->stats[x->asid].fills++;
  for (uint32_t i = 0; i < n; i++) count_eviction(c, l, x->asid, &v[i]);
}

/* General path of fill_level(). */
NEVER_INLINE void fill_any(tlbs_t *c, uint32_t level, const xlat_t *x, tlb_instance_t *t) {
  tlb_level_t *l = &c->level[level];
  tlb_stats_t *st = &l->stats[x->asid];
  if ((c->fill_hooks || tlb_peers(c)->hooks) && !may_fill(c, level, x, st)) return;
  if (l->formatted && !(x->large && t->array.large.sets)) {
    fill_format(c, level, x, t);
    return;
  }
  if (t->format && l->format->fills && !l->format->fills(t->format, x->asid, x->vpn)) return;
  tlb_victim_t v;
  tlb_fill(&t->array, x->asid, x->vpn, x->ppn, x->large, &v);
  st->fills++;
  if (l->spec.whole) fill_neighbours(c, x, t);
  if (v.any) count_eviction(c, l, x->asid, &v);
  if (v.any && c->victim && level == 0) keep_victim(c, x, &v);
  if (l->counts) {
    l->array_stats[x->asid].returned += v.returned;
    l->array_stats[x->asid].spared += v.spared;
  }
  if (tlb_peers(c)->hooks && level == 0) peers_filled(tlb_peers(c), x, &v);
}

/* An application's page came into a plain TLB of the level. */
ALWAYS_INLINE void count_plain_fill(const tlbs_t *c, tlb_level_t *l, tlb_stats_t *st, uint32_t asid,
                                    assoc_filled_t f) {
  st->fills++;
  if (!f.evicted) return;
  st->evictions++;
  l->evicted_by[asid * c->apps + (f.old >> 56)]++;
}

/* Fast path: pages of one size, one page per entry, no victim buffer, and no policy or peer is
 * asked (short_fill). `plain`: the caller knows that it applies. */
ALWAYS_INLINE void fill_level(tlbs_t *c, uint32_t level, const xlat_t *x, tlb_instance_t *t,
                              tlb_stats_t *st, bool plain) {
  tlb_level_t *l = &c->level[level];
  if (!plain && !FAST(l->short_fill)) {
    fill_any(c, level, x, t);
    return;
  }
  uint32_t asid = x->asid;
  assoc_filled_t f = tlb_fill_plain(&t->array, x->key, assoc_hash(x->key), x->ppn);
  count_plain_fill(c, l, st, asid, f);
}
