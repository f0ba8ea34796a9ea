/* Fetching ahead. The state of a large machine does not fit the host's caches: a message waits for
 * the request it is about, then for what that leads to (a row of L2, an MSHR's bucket, a load), and
 * then for what those lead to. The wheel knows its messages some cycles before. So each of these
 * three steps is fetched a few cycles ahead of the next one; and so is what a channel hands out.
 * All of it only reads: nothing but the time that a run takes depends on it. */
#include "base/inline.h"
#include "gpu/machine.h"

enum { AHEAD_ABOUT = 6, AHEAD_BEYOND = 4, AHEAD_LAST = 2 }; /* cycles */
/* A machine whose requests take more is large. That is about what the caches of one core of the
 * host hold; it is no option, since results do not depend on it. */
#define AHEAD_BYTES (6u << 20)

void gpu_note_size(gpu_t *g) {
  bool large = (uint64_t)g->pool.capacity * sizeof *g->pool.at > AHEAD_BYTES;
  g->loop.ahead = g->l1.ahead = g->l2.ahead = large;
}

/* ---- what a message leads to ---- */

/* Where a request's line would be in its L2 slice. */
ALWAYS_INLINE void ahead_l2(const gpu_t *g, const request_t *r) {
  const l2_slice_t *s = &g->l2.slice[r->slice];
  host_fetch(mshr_bucket(&s->mshr, r->local));
  if (s->array.row) host_fetch_lines(cache_row(&s->array, r->local), 2); /* order and tags */
}
/* Where the line that an answer brings goes in its L1, and the load that waits for it; */
ALWAYS_INLINE void ahead_l1(const gpu_t *g, const request_t *r) {
  const l1_t *l = &g->l1.l1[r->sm];
  uint64_t line = r->addr >> l->line_shift;
  host_fetch(mshr_bucket(&l->mshr, line));
  if (l->array.way) {
    host_fetch(cache_bucket(&l->array, (uint32_t)line));
    host_fetch(&l->array.way[cache_set(&l->array, line) * l->array.ways +
                             l->array.newest[cache_set(&l->array, line)]]);
  } else if (l->array.row) {
    host_fetch(cache_row(&l->array, line));
  }
  if (request_awaited(r)) host_fetch(&g->cores.sm[r->sm].load[r->owner]);
}
/* then its MSHR, the way that it displaces, and the warp with its registers. */
ALWAYS_INLINE void ahead_l1_last(const gpu_t *g, const request_t *r) {
  const l1_t *l = &g->l1.l1[r->sm];
  uint64_t line = r->addr >> l->line_shift;
  uint32_t m = *mshr_bucket(&l->mshr, line);
  if (m != MSHR_NONE) host_fetch(&l->mshr.entry[m]);
  if (l->array.way) {
    uint32_t set = cache_set(&l->array, line), base = set * l->array.ways;
    const cache_way_t *oldest =
        &l->array.way[base + l->array.way[base + l->array.newest[set]].newer];
    host_fetch(cache_bucket(&l->array, oldest->tag));
  }
  if (!request_awaited(r)) return;
  const load_t *load = &g->cores.sm[r->sm].load[r->owner];
  if (!load->warp) return;
  host_fetch_lines(load->warp, 2);
  host_fetch(load->warp->reg_at);
}

/* Where a translation is, or would be, among the misses of the level that it comes to; and the
 * first request that waits for its answer. */
ALWAYS_INLINE void ahead_tlb(const gpu_t *g, const xlat_t *x, bool answer) {
  const tlb_level_t *l = &g->tlb.level[x->level];
  host_fetch(tlb_pending_bucket(&l->at[l->of_sm[x->sm]].pending, assoc_hash(x->key)));
  if (answer) host_fetch(&g->pool.at[x->waiters.head]);
}

/* ---- the messages of a cycle, from one kind of sender ---- */

#define AHEAD_EACH(g, kind, slot, x)                                                               \
  for (const event_t *x = &(g)->ev.at[PART_FIRST(kind, slot) + 1],                                 \
                     *x##_end = &(g)->ev.at[(g)->ev.end[kind][slot]];                              \
       x < x##_end; x++)

/* Most are about a request, or a translation. */
ALWAYS_INLINE bool ahead_translation(uint32_t message) {
  return message == EV_TLB_ARRIVE || message == EV_TLB_LOOKUP || message == EV_TLB_ANSWER;
}
ALWAYS_INLINE void ahead_about(const gpu_t *g, sender_kind_t kind, uint32_t slot) {
  AHEAD_EACH(g, kind, slot, x) {
    uint32_t id = event_id(x->what);
    if (ahead_translation(event_kind(x->what)))
      host_fetch_lines(&g->xlat.at[id], sizeof(xlat_t) / 64);
    else if (id < g->pool.capacity)
      host_fetch(&g->pool.at[id]);
  }
}
ALWAYS_INLINE void ahead_beyond(const gpu_t *g, sender_kind_t kind, uint32_t slot) {
  AHEAD_EACH(g, kind, slot, x) {
    uint32_t message = event_kind(x->what);
    if (message == EV_L2_ARRIVE || message == EV_L2_ENTER)
      ahead_l2(g, &g->pool.at[event_id(x->what)]);
    else if (message == EV_SM_ARRIVE || message == EV_SM_ENTER)
      ahead_l1(g, &g->pool.at[event_id(x->what)]);
    else if (ahead_translation(message))
      ahead_tlb(g, &g->xlat.at[event_id(x->what)], message == EV_TLB_ANSWER);
  }
}
ALWAYS_INLINE void ahead_last(const gpu_t *g, sender_kind_t kind, uint32_t slot) {
  AHEAD_EACH(g, kind, slot, x) {
    uint32_t message = event_kind(x->what);
    if (message == EV_SM_ARRIVE || message == EV_SM_ENTER)
      ahead_l1_last(g, &g->pool.at[event_id(x->what)]);
  }
}

NEVER_INLINE void ahead_messages(const gpu_t *g) {
  uint32_t now = (uint32_t)g->ev.now, slot = (now + AHEAD_ABOUT) % WHEEL_SLOTS;
  ahead_about(g, SENDER_SM, slot);
  ahead_about(g, SENDER_TLB, slot);
  ahead_about(g, SENDER_SLICE, slot);
  ahead_about(g, SENDER_READ, slot);
  slot = (now + AHEAD_BEYOND) % WHEEL_SLOTS;
  ahead_beyond(g, SENDER_SM, slot);
  ahead_beyond(g, SENDER_TLB, slot);
  ahead_beyond(g, SENDER_SLICE, slot);
  slot = (now + AHEAD_LAST) % WHEEL_SLOTS;
  ahead_last(g, SENDER_SM, slot);
  ahead_last(g, SENDER_SLICE, slot);
}

/* ---- channels ---- */

ALWAYS_INLINE const dram_req_t *ahead_first(const channel_t *c, uint64_t due) {
  return dram_door(c[__builtin_ctzll(due)].dram)->issued.head;
}
/* Channels of a word that are due soon; the access that each hands out first; its request; and
 * where that is in L2. */
ALWAYS_INLINE void ahead_word(const gpu_t *g, uint32_t word, uint64_t now) {
  const channel_t *c = &g->dram.channel[word * 64];
  const uint64_t *due = g->dram.due[word];
  for (uint64_t m = due[(now + 7) & 63]; m; m &= m - 1)
    host_fetch_lines(c[__builtin_ctzll(m)].dram, 8);
  for (uint64_t m = due[(now + 5) & 63]; m; m &= m - 1) {
    const dram_door_t *d = dram_door(c[__builtin_ctzll(m)].dram);
    if (d->issued.head) host_fetch(d->issued.head);
    if (d->arrivals.head) host_fetch(d->arrivals.head);
  }
  for (uint64_t m = due[(now + 3) & 63]; m; m &= m - 1) {
    const dram_req_t *first = ahead_first(c, m);
    if (!first) continue;
    host_fetch(&g->pool.at[first->a.id]);
    if (first->next) host_fetch(first->next);
  }
  for (uint64_t m = due[(now + 1) & 63]; m; m &= m - 1) {
    const dram_req_t *first = ahead_first(c, m);
    if (!first) continue;
    const request_t *r = &g->pool.at[first->a.id];
    ahead_l2(g, r);
    if (r->mshr != REQ_NO_MSHR) host_fetch(&g->l2.slice[r->slice].mshr.entry[r->mshr]);
  }
}
NEVER_INLINE void ahead_channels(const gpu_t *g) {
  for (uint32_t w = 0; w < g->dram.words; w++) ahead_word(g, w, g->ev.now);
}

/* ---- SMs ---- */

/* The SM is called next: what each cycle of it reads. */
ALWAYS_INLINE void ahead_sm(const sm_t *s, const l1_t *l, uint64_t now) {
  host_fetch_lines(s, SM_HOT_LINES);
  host_fetch(&s->ring[now & (SM_RING - 1)]);
  host_fetch(l);
}

/* The SM has been called, and L1 is next: as many translated requests as it takes in a cycle, and
 * one more. */
ALWAYS_INLINE void ahead_l1_queue(const gpu_t *g, const sm_t *s) {
  const l1_t *l = &g->l1.l1[s->id];
  uint32_t id = l->replays.head != REQ_NONE ? l->replays.head : l->hits.head;
  for (uint32_t n = 0; n < g->l1.spec.ports && id != REQ_NONE; n++) {
    const request_t *r = &g->pool.at[id];
    l1_fetch(l, r->addr);
    id = r->next;
  }
  if (id != REQ_NONE) host_fetch(&g->pool.at[id]);
}
