/* The load/store unit's front: a memory instruction becomes requests, one per line, grouped by
 * page, and waits for its TLB look-ups. At the other end, lines come back and registers become
 * usable. */
#include "base/inline.h"
#include "sm/sm.h"
#include "sm/sm_internal.h"
#include <string.h>

/* The warp waits for `lines` lines before it can use the instruction's result. */
HOT uint32_t load_take(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in, uint32_t lines) {
  uint32_t i = s->load_free;
  load_t *l = &s->load[i];
  s->load_free = l->next_free;
  s->loads_used++;
  l->t_issue = now;
  l->remaining = lines;
  l->slot = w->slot;
  l->dst = in->dst;
  l->dsts = in->dsts;
  w->loads++;
  set_result(w, in->dst, in->dsts, REG_PENDING);
  return i;
}

HOT uint32_t new_request(sm_t *s, const decoded_t *in, uint8_t app, uint32_t owner, uint64_t line,
                         uint8_t sectors, uint8_t full, bool first) {
  uint32_t id = request_take(s->pool);
  request_t *r = &s->pool->at[id];
  r->next = REQ_NONE;
  r->owner = owner;
  r->sm = (uint16_t)s->id;
  r->app = app;
  r->kind = in->request;
  r->sectors = sectors;
  r->full = in->request == REQ_STORE ? full : 0;
  r->level = first;
  r->flags = in->request_flags;
  r->addr = line << LINE_SHIFT;
  memset(r->split, 0, sizeof r->split);
  return id;
}

HOT group_t *new_group(sm_t *s, uint64_t now, const warp_t *w, uint64_t page) {
  group_t *g = &s->group[(s->group_head + s->group_count++) & s->group_mask];
  g->lines = REQUEST_LIST_EMPTY;
  g->ready = now + s->spec->lsu_latency;
  g->vpn.v = page;
  g->asid = w->app;
  g->slot = w->slot;
  g->last = g->missed = false;
  w->stats->pages++;
  return g;
}

/* One group per distinct page, in order of first use; returns the last one. */
static group_t *group_by_page(sm_t *s, uint64_t now, const warp_t *w, const decoded_t *in,
                              uint32_t owner) {
  uint8_t table[64];
  uint32_t first = s->group_count, shift = s->page_shift - LINE_SHIFT;
  group_t *g = NULL;
  memset(table, 0xff, sizeof table);
  for (uint32_t i = 0; i < s->co.lines; i++) {
    uint64_t page = s->co.line[i] >> shift;
    if (!g || g->vpn.v != page) {
      uint32_t h = (uint32_t)((page * 0x9e3779b97f4a7c15u) >> 58);
      for (g = NULL; table[h] != 0xff; h = (h + 1) & 63) {
        g = &s->group[(s->group_head + first + table[h]) & s->group_mask];
        if (g->vpn.v == page) break;
        g = NULL;
      }
      if (!g) {
        table[h] = (uint8_t)(s->group_count - first);
        g = new_group(s, now, w, page);
      }
    }
    uint32_t id = new_request(s, in, w->app, owner, s->co.line[i], s->co.sectors[i], s->co.full[i],
                              g->lines.head == REQ_NONE);
    request_append(s->pool, &g->lines, id);
  }
  return &s->group[(s->group_head + s->group_count - 1) & s->group_mask];
}

HOT void count_access(sm_t *s, warp_t *w, const decoded_t *in, uint32_t lines) {
  sm_stats_t *st = w->stats;
  st->lines += lines;
  *(in->request == REQ_LOAD    ? &st->loads
    : in->request == REQ_STORE ? &st->stores
                               : &st->atomics) += 1;
  if (!lines) return;
  s->lines_used += lines;
  s->app_lines[w->app] += lines;
  s->lsu_insts++;
  s->busy = true;
}

/* All lanes together access exactly one line. */
HOT bool one_whole_line(const warp_op_t *op, uint32_t width) {
  return op->mask == UINT32_MAX && op->mode == ADDR_STRIDE && op->stride == 4 && width == 4 &&
         op->base % LINE_BYTES == 0;
}

/* Any number of lines and pages. */
COLD void enter_lines(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  s->co.lines = 0;
  if (s->op.mask) coalesce(&s->op, in->width_bytes, &s->co);
  count_access(s, w, in, s->co.lines);
  if (!s->co.lines) return; /* no lane active: nothing to wait for */
  uint32_t owner = in->dsts ? load_take(s, now, w, in, s->co.lines) : REQ_NONE;
  group_by_page(s, now, w, in, owner)->last = true;
}

/* The usual case, one line, needs no search. */
void lsu_enter(sm_t *s, uint64_t now, warp_t *w, const decoded_t *in) {
  if (!one_whole_line(&s->op, in->width_bytes)) {
    enter_lines(s, now, w, in);
    return;
  }
  count_access(s, w, in, 1);
  uint32_t owner = in->dsts ? load_take(s, now, w, in, 1) : REQ_NONE;
  group_t *g = new_group(s, now, w, s->op.base >> s->page_shift);
  uint32_t id = new_request(s, in, w->app, owner, s->op.base >> LINE_SHIFT, 0xf, 0xf, 1);
  g->lines = (request_list_t){id, id};
  g->last = true;
}

static void load_done(sm_t *s, uint64_t now, uint32_t index, const request_t *r) {
  load_t *l = &s->load[index];
  warp_t *w = &s->warp[l->slot];
  set_result(w, l->dst, l->dsts, now);
  w->loads--;
  if (w->state == WARP_MEMORY) {
    warp_prepare(s, w, now - 1, later(now, w->not_before));
    if (w->state != WARP_MEMORY) {
      sm_charge_memory(s, w, r, l->t_issue, now);
      s->stirred = true;
    }
  } else if (w->state == WARP_DONE && !w->loads) {
    warp_ended(s, w);
    s->stirred = true;
  }
  l->next_free = s->load_free;
  s->load_free = index;
  s->loads_used--;
}

uint32_t sm_line_done(sm_t *s, uint64_t now, uint32_t request) {
  const request_t *r = &s->pool->at[request];
  if ((s->ready & s->wants[UNIT_MEM]) &&
      (s->loads_used == s->spec->lsu_insts || s->lines_used + COALESCE_MAX > s->spec->lsu_lines))
    s->stirred = true;
  if (r->owner != REQ_NONE && --s->load[r->owner].remaining == 0) load_done(s, now, r->owner, r);
  uint8_t app = r->app;
  s->lines_used--;
  request_give(s->pool, request);
  return --s->app_lines[app];
}
