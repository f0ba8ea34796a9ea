/* Speculation before translation: what a guess fetches, and what becomes of it.
 *
 * A guess is a load of its own for each line, without anybody who waits for it. It counts among the
 * lines of its SM, so it needs a place there, a port and an MSHR of L1, and moves real data. What
 * was guessed of a look-up stays in its first request (t_miss) until the translation is known. */
#include "base/inline.h"
#include "cache/l1.h"
#include "map/memory.h"
#include "sm/cores.h"
#include "tlb/xlat.h"

static void *speculate_state(const tlbs_t *c, uint32_t sm) {
  return (char *)c->speculate_state + sm * c->speculate_bytes;
}

static speculate_load_t load_of(const tlbs_t *c, const request_t *r, asid_t asid) {
  return (speculate_load_t){r->inst, asid, {r->addr >> tlb_memory(c)->page_shift}};
}

static bool may_guess(const request_t *r) {
  return r->kind == REQ_LOAD && !(r->flags & REQ_BYPASS_L1);
}

/* A load of the same line at the guessed address, for nobody. */
static uint32_t fetch_line(tlbs_t *c, sm_t *s, const request_t *of, uint64_t distance) {
  uint32_t id = request_take(tlb_pool(c));
  request_t *r = &tlb_pool(c)->at[id];
  *r = *of;
  r->next = REQ_NONE;
  r->owner = OWNER_NONE;
  WATCH_TELL(c->watch.early, r->app, id, r->addr);
  r->addr += distance;
  r->level &= (uint8_t)~1u;
  r->t_xlat = (uint32_t)tlb_ev(c)->now + c->level[0].spec.latency_cycles;
  r->flags |= REQ_XLATED;
  s->lines_used++;
  s->app_lines[r->app]++;
  return id;
}

/* `distance`: from virtual to physical addresses. */
static void fetch_ahead(tlbs_t *c, sm_t *s, const group_t *gr, uint64_t distance,
                        speculate_stats_t *st) {
  l1_t *l = &tlb_l1(c)->l1[s->id];
  uint64_t at = tlb_ev(c)->now + c->level[0].spec.latency_cycles;
  for (uint32_t id = gr->lines.head;; id = tlb_pool(c)->at[id].next) {
    if (s->lines_used < s->spec->lsu_lines) {
      uint32_t copy = fetch_line(c, s, &tlb_pool(c)->at[id], distance);
      request_append(tlb_pool(c), &l->hits, copy);
      if (at < l->at) l->at = at;
      st->lines++;
    } else {
      st->dropped++;
    }
    if (id == gr->lines.tail) return;
  }
}

/* A group has missed the first level and waits in its MSHR. */
NEVER_INLINE void guess_group(tlbs_t *c, sm_t *s, const group_t *gr) {
  request_t *first = &tlb_pool(c)->at[gr->lines.head];
  speculate_stats_t *st = &c->speculations[gr->asid];
  first->t_miss = 0;
  if (!may_guess(first)) return;
  st->misses++;
  speculate_load_t l = load_of(c, first, gr->asid);
  ppn_t ppn;
  if (!c->speculate->guess(speculate_state(c, s->id), &l, &ppn)) return;
  st->guesses++;
  uint64_t frames = tlb_spec(c)->memory.memory_bytes >> tlb_memory(c)->page_shift;
  /* Lines of the group lie anywhere in a page of several sizes, also below the first one. */
  uint64_t pages = 1ull << gr->order, first_page = l.vpn.v & (pages - 1);
  if (ppn.v < first_page || ppn.v >= frames || ppn.v - first_page + pages > frames) {
    st->outside++;
    first->t_miss = UINT32_MAX;
    return;
  }
  first->t_miss = (uint32_t)ppn.v + 1;
  fetch_ahead(c, s, gr, (ppn.v - l.vpn.v) << tlb_memory(c)->page_shift, st);
}

/* Has another load of this instruction waited for the same page before it? */
static bool waited_before(const tlbs_t *c, const xlat_t *x, uint32_t id) {
  const request_t *r = &tlb_pool(c)->at[id];
  for (uint32_t k = x->waiters.head; k != id; k = tlb_pool(c)->at[k].next) {
    const request_t *o = &tlb_pool(c)->at[k];
    if (o->sm == r->sm && o->inst == r->inst && request_first(o) && may_guess(o)) return true;
  }
  return false;
}

/* The translation is known: guesses are judged, and each instruction that waited for it is taught,
 * once: else warps that wait for one page would make it sure of a distance that never held. */
NEVER_INLINE void guesses_end(tlbs_t *c, const xlat_t *x) {
  uint64_t frame = frame_of(c, x->ppn), mask = page_mask(c, x->order);
  speculate_stats_t *st = &c->speculations[x->asid];
  for (uint32_t id = x->waiters.head; id != REQ_NONE; id = tlb_pool(c)->at[id].next) {
    const request_t *r = &tlb_pool(c)->at[id];
    if (!request_first(r) || !may_guess(r)) continue;
    speculate_load_t l = load_of(c, r, x->asid);
    ppn_t ppn = {(frame | (r->addr & mask)) >> tlb_memory(c)->page_shift};
    if (r->t_miss) *(r->t_miss == ppn.v + 1 ? &st->right : &st->wrong) += 1;
    if (!waited_before(c, x, id)) c->speculate->told(speculate_state(c, r->sm), &l, ppn);
  }
}
