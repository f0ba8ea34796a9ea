/* The load/store unit's front: a memory instruction becomes requests, one per line, grouped by
 * page, and waits for its TLB look-ups. At the other end, lines come back and registers become
 * usable. */
#include "sm/sm_internal.h"
#include <string.h>

/* The warp waits for `lines` lines before it can use the instruction's result. */
ALWAYS_INLINE uint32_t load_take(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in,
                                 uint32_t lines) {
  uint32_t i = s->load_free;
  load_t *l = &s->load[i];
  s->load_free = l->next_free;
  s->loads_used++;
  l->t_issue = now;
  l->remaining = lines;
  l->warp = w;
  l->in = in;
  w->loads++;
  set_result(w, in, REG_PENDING);
  return i;
}

/* A request without owner, for a whole line, the first of its group. */
ALWAYS_INLINE uint32_t new_request(sm_t *s, const decoded_t *in, const warp_t *w, uint64_t addr) {
  uint32_t id = request_take(s->pool);
  request_t *r = &s->pool->at[id];
  r->next = REQ_NONE;
  r->owner = w->store;
  r->what = in->whole_line | w->who;
  r->addr = addr;
  r->inst = in->index;
  return id;
}

/* log2 of the base pages of a page. */
ALWAYS_INLINE uint32_t order_of(const sm_t *s, const warp_t *w, uint64_t page) {
  return s->sizes ? mm_page_order(s->sizes, w->app, (vpn_t){page}) : 0;
}

/* A new group with one line. */
ALWAYS_INLINE group_t *new_group(sm_t *s, uint64_t ready, const warp_t *w, uint64_t page,
                                 uint32_t order, uint32_t line) {
  group_t *g = &s->look.group[(s->look.head + s->look.count++) & s->look.mask];
  *g = (group_t){.lines = {line, line},
                 .ready = ready,
                 .vpn = {page},
                 .asid = w->app,
                 .slot = w->slot,
                 .order = (uint8_t)order};
  w->stats->pages++;
  return g;
}

/* The group of `page` among those from the `first`-th on, which `table` finds; NULL if there is
 * none yet, and then *place is where it belongs. */
ALWAYS_INLINE group_t *find_group(const sm_t *s, uint32_t first, const uint8_t table[64],
                                  uint64_t page, uint32_t *place) {
  uint32_t h = (uint32_t)((page * 0x9e3779b97f4a7c15u) >> 58);
  for (; table[h] != 0xff; h = (h + 1) & 63) {
    group_t *g = &s->look.group[(s->look.head + first + table[h]) & s->look.mask];
    if (g->vpn.v == page) return g;
  }
  *place = h;
  return NULL;
}

/* One group per distinct page, in order of first use. */
static void group_by_page(sm_t *s, uint64_t ready, const warp_t *w, const decoded_t *in,
                          uint32_t owner) {
  uint8_t table[64], operations[COALESCE_MAX];
  bool atomic = in->request == REQ_ATOMIC;
  if (atomic) coalesce_atomic(&s->op, in->width_bytes, s->line_shift, &s->co, operations);
  uint32_t first = s->look.count, shift = s->page_shift - s->line_shift, place = 0;
  group_t *g = NULL;
  memset(table, 0xff, sizeof table);
  for (uint32_t i = 0; i < s->co.lines; i++) {
    uint64_t page = s->co.line[i] >> shift;
    uint32_t order = order_of(s, w, page);
    page = page >> order << order;
    uint32_t id = new_request(s, in, w, s->co.line[i] << s->line_shift);
    request_t *r = &s->pool->at[id];
    r->owner = (uint16_t)owner;
    r->sectors = s->co.sectors[i];
    r->full = s->co.full[i] & in->request_full;
    if (atomic) r->level = (uint8_t)(operations[i] << 1 | 1);
    if (!g || g->vpn.v != page) g = find_group(s, first, table, page, &place);
    if (g) {
      r->level &= (uint8_t)~1u;
      s->pool->at[g->lines.tail].next = id;
      g->lines.tail = id;
    } else {
      table[place] = (uint8_t)(s->look.count - first);
      g = new_group(s, ready, w, page, order, id);
    }
  }
  s->look.group[(s->look.head + s->look.count - 1) & s->look.mask].last = true;
}

ALWAYS_INLINE void count_access(sm_t *s, uint64_t ready, warp_t *w, const decoded_t *in,
                                uint32_t lines) {
  w->stats->lines += lines;
  if (in->request == REQ_LOAD)
    w->stats->loads++;
  else if (in->request == REQ_STORE)
    w->stats->stores++;
  else
    w->stats->atomics++;
  if (!lines) return;
  s->lines_used += lines;
  s->app_lines[w->app] += lines;
  s->lsu_insts++;
  sm_lookup_due(s, ready);
}

/* All lanes together access exactly one line, of the usual size. */
ALWAYS_INLINE bool one_whole_line(const sm_t *s, uint32_t width) {
  const warp_op_t *op = &s->op;
  return FAST(op->mask == UINT32_MAX && op->mode == ADDR_STRIDE && op->stride == 4 && width == 4 &&
              op->base % WHOLE_BYTES == 0 && 1u << s->line_shift == WHOLE_BYTES);
}

/* Lines that no warp waits for. */
ALWAYS_INLINE void note_stores(sm_t *s, warp_t *w, uint32_t lines) {
  w->answers++;
  if (w->store != OWNER_NONE) s->stores[w->app][w->store - OWNER_STORE] += lines;
}

/* Any number of lines and pages. */
NEVER_INLINE void enter_lines(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  uint64_t ready = now + s->spec->lsu_latency;
  s->co.lines = 0;
  if (s->op.mask) coalesce(&s->op, in->width_bytes, s->line_shift, in->request_full != 0, &s->co);
  count_access(s, ready, w, in, s->co.lines);
  if (!s->co.lines) return; /* no lane active: nothing to wait for */
  if (!in->dsts) note_stores(s, w, s->co.lines);
  group_by_page(s, ready, w, in, in->dsts ? load_take(s, now, w, in, s->co.lines) : w->store);
}

/* The usual case, one line, needs no search. */
ALWAYS_INLINE void enter_one_line(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  uint64_t ready = now + s->spec->lsu_latency, addr = s->op.base;
  uint32_t id = new_request(s, in, w, addr);
  uint32_t order = order_of(s, w, addr >> s->page_shift);
  new_group(s, ready, w, addr >> s->page_shift >> order << order, order, id)->last = true;
  count_access(s, ready, w, in, 1);
  if (in->dsts)
    s->pool->at[id].owner = (uint16_t)load_take(s, now, w, in, 1);
  else
    note_stores(s, w, 1);
}

NEVER_INLINE void tell_blocked(const sm_t *s, const warp_t *w, uint64_t cycles) {
  WATCH_TELL(s->watch->blocked, s, w, cycles);
}

/* Cycles since the last charge: after the operands were there, somebody else was served, or the
 * load/store unit stood still for want of a TLB MSHR. */
ALWAYS_INLINE void charge_wait(const sm_t *s, warp_t *w, uint64_t now) {
  uint64_t wait = charge_operands(w, now);
  if (!wait) return;
  uint64_t tlb = earlier(lookups_blocked(&s->look, now) - w->blocked_before, wait);
  w->stats->stall[STALL_TLB1] += tlb;
  if (tlb && s->watch) tell_blocked(s, w, tlb);
  w->stats->stall[STALL_STRUCTURAL] += wait - tlb;
}

/* The memory instruction `in` of warp `w` issues. */
ALWAYS_INLINE void issue_memory(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  charge_wait(s, w, now);
  uint32_t next = w->step(w->src, now, w->source_slot, &s->op);
  if (next == STREAM_FAIL) {
    issue_failed(s, w);
    return;
  }
  count_issue(s, w);
  s->turn &= ~s->wants[UNIT_MEM]; /* one memory instruction per cycle */
  if (one_whole_line(s, in->width_bytes))
    enter_one_line(s, now, w, in);
  else
    enter_lines(s, now, w, in);
  if (next == STREAM_END)
    issue_stop(s, now, w, in, next);
  else
    warp_file(s, w, advance(s, w, in, next), now, now + 1);
}

/* The warp waited for memory; its operands are there from cycle `t` on. */
ALWAYS_INLINE void warp_resume(sm_t *s, warp_t *w, uint64_t now, uint64_t t) {
  w->state = WARP_RUNNABLE;
  w->ready_at = t;
  if (t > now) {
    ring_put(s, w, t);
    return;
  }
  s->ready |= w->bit;
  if (w->in->unit == UNIT_MEM) w->blocked_before = lookups_blocked(&s->look, now);
}

/* The last line of a load, that of request `r`, has arrived. */
void sm_load_done(sm_t *s, uint64_t now, uint32_t index, const request_t *r) {
  load_t *l = &s->load[index];
  warp_t *w = l->warp;
  set_result(w, l->in, now);
  w->loads--;
  w->answers++;
  l->next_free = s->load_free;
  s->load_free = index;
  s->loads_used--;
  if (w->state == WARP_MEMORY) {
    uint64_t t = operands_at(w->reg_at, w->in, later(now, w->not_before));
    if (t == REG_PENDING) return; /* another load is under way */
    warp_resume(s, w, now, t);
    s->stirred = true;
    sm_charge_memory(s, w, r, l->t_issue, now);
  } else if (w->state == WARP_DONE && !w->loads) {
    warp_ended(s, w);
    s->stirred = true;
  }
}
