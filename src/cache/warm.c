/* Accesses without time: tags, sectors and order of use become what they would be. Lines come at
 * once, and what a dirty one held is nobody's concern. */
#include "base/inline.h"
#include "cache/l1.h"
#include "cache/l2.h"

/* What a look-up does, once its way through the caches is clear. */
ALWAYS_INLINE uint32_t *warm_use(cache_t *c, uint64_t line, cache_shape_t shape) {
  if (shape == CACHE_ROWS_16) return cache_use(c, line, CACHE_ROWS_16);
  if (shape == CACHE_ROWS_4) return cache_use(c, line, CACHE_ROWS_4);
  return shape == CACHE_WIDE ? cache_use(c, line, CACHE_WIDE) : cache_use(c, line, CACHE_ANY);
}

/* The sectors come in: to the entry that the line has, or to a new one. */
ALWAYS_INLINE void warm_bring(cache_t *c, uint32_t *entry, uint64_t line, uint8_t valid,
                              uint8_t dirty, uint8_t app) {
  if (entry)
    cache_add(entry, valid, dirty);
  else if (valid | dirty)
    cache_fill(c, line, valid, dirty, app);
}

/* The look-up of `r` in a slice; true if it needs nothing of DRAM. */
ALWAYS_INLINE bool l2_warm_slice(l2_t *c, l2_slice_t *s, const request_t *r, bool fills,
                                 bool *found) {
  uint32_t *entry = warm_use(&s->array, r->local, c->shape);
  uint8_t need = l2_needs(c, r);
  bool hit = entry && cache_valid(entry, need) == need, writes = request_writes(r);
  if (writes)
    warm_bring(&s->array, entry, r->local, l2_makes_valid(c, r), r->sectors, r->app);
  else if (!hit && fills)
    warm_bring(&s->array, entry, r->local, need, 0, r->app);
  *found = hit;
  return hit || writes;
}

/* Where a policy decides, or hears of it. */
NEVER_INLINE bool l2_warm_asked(l2_t *c, l2_slice_t *s, const request_t *r) {
  l2_view_t v = l2_view(c, r);
  l2_decision_t d = c->policy->decide ? c->policy->decide(c->policy_state, &v) : L2_NORMAL;
  bool hit;
  if (d == L2_BYPASS && !request_writes(r)) return false;
  bool done = l2_warm_slice(c, s, r, d != L2_NO_FILL, &hit);
  if (c->policy->outcome) c->policy->outcome(c->policy_state, &v, hit ? L2_HIT : L2_MISSED);
  return done;
}

/* Request `r`, at its slice, is on no list and in no pool. True if it needs nothing of DRAM. */
ALWAYS_INLINE bool l2_warm(l2_t *c, const request_t *r) {
  l2_slice_t *s = &c->slice[r->slice];
  bool hit;
  if (c->policy->decide || c->policy->outcome) return l2_warm_asked(c, s, r);
  return l2_warm_slice(c, s, r, true, &hit);
}

/* The read of a line that was read before, which was in `spot` then. False: it is not there any
 * more, or not whole, and nothing has changed. */
ALWAYS_INLINE bool l2_warm_again(const l2_spot_t *spot, uint8_t need) {
  cache_row_t *row = spot->row;
  uint32_t way = spot->way;
  if (!row || row->tag[way] != spot->line || cache_valid(&row->tag[16 + way], need) != need)
    return false;
  if ((row->order & 15) != way) row->order = repl_packed_use(row->order, way);
  return true;
}

/* Where the line of `r` is, which was read just now. */
ALWAYS_INLINE void l2_warm_note(l2_t *c, const request_t *r, l2_spot_t *spot) {
  spot->row = NULL;
  if (c->shape != CACHE_ROWS_16 || c->policy->decide || c->policy->outcome) return;
  cache_row_t *row = cache_row(&c->slice[r->slice].array, r->local);
  uint32_t m = cache_match(row->tag, 16, r->local);
  if (m) *spot = (l2_spot_t){row, r->local, (uint32_t)__builtin_ctz(m)};
}

/* Whether the translated request `r` goes on to L2. */
ALWAYS_INLINE bool l1_warm(l1s_t *c, uint32_t sm, request_t *r) {
  l1_t *l = &c->l1[sm];
  bool past = r->flags & REQ_BYPASS_L1;
  uint64_t line = r->addr >> l->line_shift;
  if (past && r->kind != REQ_STORE) r->full = r->sectors;
  if (!past) {
    uint32_t *entry = warm_use(&l->array, line, c->shape);
    if (r->kind != REQ_STORE) {
      r->full = r->sectors & (uint8_t)~cache_valid(entry, r->sectors);
      if (!r->full) return false;
      warm_bring(&l->array, entry, line, r->full, 0, r->app);
    }
  }
  return !c->host_frames || !l1_is_host(c, r);
}
