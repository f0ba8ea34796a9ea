/* What first-level TLBs displace and their SMs keep (tlb.victim): a primary miss looks there before
 * it goes on, and takes what it finds back into the TLB.
 *
 * The scratchpad is that of the SM that missed, or whose fill displaced the page. It is told what
 * blocks have before it is asked, so that nothing is answered from where a block has been. */
#include "base/inline.h"
#include "engine/messages.h"
#include "map/memory.h"
#include "sm/cores.h"
#include "tlb/xlat.h"

static void *victim_state(tlbs_t *c, uint32_t sm) {
  void *state = (char *)c->victim_state + sm * c->victim_bytes;
  sm_t *s = &tlb_cores(c)->sm[sm];
  c->victim->blocks(state, s->shared_most, s->shared_used);
  s->shared_most = s->shared_used;
  return state;
}

/* The page of a miss, as the first level names it. A page with an entry for large pages is that
 * large page. */
static victim_page_t missed_page(const xlat_t *x) {
  return (victim_page_t){.asid = x->asid, .order = x->order, .vpn = x->vpn};
}
static victim_page_t large_page(const tlbs_t *c, asid_t asid, vpn_t vpn) {
  uint32_t order = tlb_memory(c)->large_pages_shift;
  return (victim_page_t){.asid = asid, .order = (uint8_t)order, .vpn = {vpn.v >> order << order}};
}

/* True, and its frame, if the SM has the page of `x`. */
static bool take_kept(const tlbs_t *c, void *state, xlat_t *x) {
  victim_page_t p = missed_page(x), l = large_page(c, x->asid, x->vpn);
  x->large = false;
  if (c->victim->take(state, &p, &x->ppn)) return true;
  if (!c->level[0].spec.large_entries || !c->victim->take(state, &l, &x->ppn)) return false;
  x->ppn.v += x->vpn.v - l.vpn.v;
  return x->large = true;
}

/* A primary miss: it is answered here, or goes on. */
NEVER_INLINE void ask_victims(tlbs_t *c, uint32_t id) {
  xlat_t *x = &tlb_xlat(c)->at[id];
  victim_stats_t *st = &c->victims[x->asid];
  uint64_t at = tlb_ev(c)->now + c->level[0].spec.latency_cycles;
  void *state = victim_state(c, x->sm);
  victim_page_t p = missed_page(x), l = large_page(c, x->asid, x->vpn);
  bool open = c->victim->open(state, &p);
  if (!open && c->level[0].spec.large_entries) open = c->victim->open(state, &l);
  if (!open) {
    st->taken++;
    tlb_next_level(c, FROM_SM(x->sm), id, at);
    return;
  }
  uint64_t begins = tlb_port_grant(&c->victim_port[x->sm], at);
  uint32_t more = (uint32_t)(begins - at) + tlb_spec(c)->scratch.latency_cycles;
  st->lookups++;
  st->wait_cycles += begins - at;
  if (!take_kept(c, state, x)) {
    tlb_next_level(c, FROM_SM(x->sm), id, at + more);
    return;
  }
  st->hits++;
  message_send(tlb_ev(c), FROM_SM(x->sm), message_at(tlb_ev(c), at + more), EV_PEER_ANSWER, id);
}

/* The fill of `x` has displaced these pages. */
NEVER_INLINE void keep_victim(tlbs_t *c, const xlat_t *x, const tlb_victim_t *v) {
  void *state = victim_state(c, x->sm);
  const mm_t *mm = tlb_memory(c)->mm;
  ppn_t ppn;
  bool large;
  if (v->large) {
    victim_page_t p = large_page(c, v->asid, v->vpn);
    if (mm_translate(mm, v->asid, p.vpn, &ppn, &large) && large) c->victim->keep(state, &p, ppn);
    return;
  }
  for (uint32_t i = 0; i < 32 && v->present >> i; i++) {
    vpn_t vpn = {v->vpn.v + ((uint64_t)i << v->order)};
    if (!(v->present >> i & 1) || !mm_translate(mm, v->asid, vpn, &ppn, &large)) continue;
    victim_page_t p = {.asid = v->asid, .order = v->order, .vpn = vpn};
    c->victim->keep(state, &p, ppn);
  }
}

NEVER_INLINE void drop_victims(tlbs_t *c, asid_t asid, vpn_t vpn, uint64_t pages) {
  for (uint32_t i = 0; i < tlb_cores(c)->count; i++)
    c->victim->drop(victim_state(c, i), asid, vpn, pages);
}
