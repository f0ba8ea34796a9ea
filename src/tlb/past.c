/* A virtual L1 (l1d.virtual): L1 is looked up before the first-level TLB, by virtual addresses and
 * address spaces, and only what it does not have is translated.
 *
 * A frame belongs to one page of one address space, so a line has one virtual and one physical
 * name, and L1 keeps the latter, as it does otherwise: whether the virtual tag is there is the same
 * question. No synonym can arise. When a page goes or moves L1 is emptied, for it cannot find the
 * lines of a page; so no line outlives its name.
 *
 * Stores are written through and need their translation in any case, as do accesses that L1 does
 * not keep. */
#include "base/inline.h"
#include "cache/l1.h"
#include "map/memory.h"
#include "sm/cores.h"
#include "tlb/xlat.h"

/* L1 has these sectors, or they are under way and may be joined. */
static bool l1_answers(const l1_t *l, uint64_t addr, uint8_t sectors) {
  uint64_t line = addr >> l->line_shift;
  uint8_t missing = (uint8_t)(sectors & ~cache_valid(cache_find(&l->array, line), sectors));
  if (!missing) return true;
  uint32_t m = mshr_find(&l->mshr, line);
  if (m == MSHR_NONE) return false;
  const mshr_entry_t *x = &l->mshr.entry[m];
  return !(missing & ~x->pending) && x->merged < l->mshr.merges;
}

/* Lines of the group that L1 answers go there now. True if that is all of them; if not, the others
 * are the group. */
NEVER_INLINE bool lines_go_past(tlbs_t *c, sm_t *s, group_t *gr) {
  request_pool_t *pool = tlb_pool(c);
  l1_t *l = &tlb_l1(c)->l1[s->id];
  const request_t *first = &pool->at[gr->lines.head];
  past_stats_t *st = &c->past[gr->asid];
  ppn_t ppn;
  bool large;
  if (first->kind != REQ_LOAD || (first->flags & REQ_BYPASS_L1) ||
      !mm_translate(tlb_memory(c)->mm, gr->asid, gr->vpn, &ppn, &large))
    return false;
  uint64_t frame = frame_of(c, ppn), mask = page_mask(c, gr->order);
  request_list_t left = REQUEST_LIST_EMPTY;
  uint32_t went = 0;
  for (uint32_t id = gr->lines.head, next; id != REQ_NONE; id = next) {
    request_t *r = &pool->at[id];
    next = r->next;
    if (!l1_answers(l, frame | (r->addr & mask), r->sectors)) {
      request_append(pool, &left, id);
      continue;
    }
    WATCH_TELL(c->watch.early, gr->asid, id, r->addr);
    put_physical(r, frame, mask);
    r->t_xlat = (uint32_t)tlb_ev(c)->now;
    r->flags |= REQ_XLATED;
    request_append(pool, &l->hits, id);
    went++;
  }
  if (!went) return false;
  st->lines += went;
  if (tlb_ev(c)->now < l->at) l->at = tlb_ev(c)->now;
  gr->lines = left;
  if (left.head == REQ_NONE) {
    st->lookups++;
    return true;
  }
  pool->at[left.head].level |= 1; /* the first of the look-up */
  st->shorter++;
  return false;
}

void tlb_flush_l1(tlbs_t *c, uint32_t apps) {
  for (uint32_t i = 0; i < tlb_cores(c)->count; i++) cache_invalidate_all(&tlb_l1(c)->l1[i].array);
  for (uint32_t a = 0; a < c->apps; a++)
    if (apps >> a & 1) c->past[a].flushes++;
}
