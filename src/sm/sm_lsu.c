/* The load/store unit's front: a memory instruction becomes requests, one per line, grouped by
 * page, and waits for its TLB look-ups. At the other end, lines come back and registers become
 * usable. */
#include "sm/sm.h"
#include "sm/sm_internal.h"
#include <string.h>

static uint32_t load_take(sm_t *s, uint64_t now, uint32_t slot, const inst_t *in, uint32_t lines) {
  uint32_t i = s->load_free;
  load_t *l = &s->load[i];
  s->load_free = l->next_free;
  s->loads_used++;
  l->t_issue = now;
  l->remaining = lines;
  l->slot = (uint8_t)slot;
  l->dst = in->dst;
  l->dsts = in->dsts;
  return i;
}

static uint32_t new_request(sm_t *s, const inst_t *in, uint8_t app, uint32_t owner, uint32_t i) {
  static const uint8_t kind_of[IC_COUNT] = {
      [IC_LOAD] = REQ_LOAD, [IC_STORE] = REQ_STORE, [IC_ATOMIC] = REQ_ATOMIC};
  uint32_t id = request_take(s->pool);
  request_t *r = &s->pool->at[id];
  r->next = REQ_NONE;
  r->owner = owner;
  r->sm = (uint16_t)s->id;
  r->app = app;
  r->kind = kind_of[in->cls];
  r->sectors = s->co.sectors[i];
  r->full = in->cls == IC_STORE ? s->co.full[i] : 0;
  r->level = 0;
  r->flags = (in->flags & INST_BYPASS_L1) || in->cls == IC_ATOMIC ? REQ_BYPASS_L1 : 0;
  r->addr = s->co.line[i] << LINE_SHIFT;
  memset(r->split, 0, sizeof r->split);
  return id;
}

static group_t *new_group(sm_t *s, uint64_t now, const warp_t *w, uint32_t slot, uint64_t page) {
  group_t *g = &s->group[(s->group_head + s->group_count++) & s->group_mask];
  g->lines = REQUEST_LIST_EMPTY;
  g->ready = now + s->spec->lsu_latency;
  g->vpn.v = page;
  g->asid = w->app;
  g->slot = (uint8_t)slot;
  g->last = g->missed = false;
  w->stats->pages++;
  return g;
}

/* One group per distinct page, in order of first use; returns the last one. */
static group_t *group_by_page(sm_t *s, uint64_t now, const warp_t *w, uint32_t slot,
                              const inst_t *in, uint32_t owner) {
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
        g = new_group(s, now, w, slot, page);
      }
    }
    uint32_t id = new_request(s, in, w->app, owner, i);
    s->pool->at[id].level = g->lines.head == REQ_NONE;
    request_append(s->pool, &g->lines, id);
  }
  return &s->group[(s->group_head + s->group_count - 1) & s->group_mask];
}

static void count_access(warp_t *w, const inst_t *in, uint32_t lines) {
  w->stats->lines += lines;
  if (in->cls == IC_LOAD)
    w->stats->loads++;
  else if (in->cls == IC_STORE)
    w->stats->stores++;
  else
    w->stats->atomics++;
}

void lsu_enter(sm_t *s, uint64_t now, warp_t *w, uint32_t slot, const inst_t *in) {
  s->co.lines = 0;
  if (s->op.mask) coalesce(&s->op, in->width, &s->co);
  count_access(w, in, s->co.lines);
  if (!s->co.lines) return; /* no lane active: nothing to wait for */
  uint32_t owner = REQ_NONE;
  if (in->dst != REG_NONE) {
    owner = load_take(s, now, slot, in, s->co.lines);
    for (uint32_t i = 0; i < in->dsts; i++) w->reg_at[in->dst + i] = REG_PENDING;
    w->loads++;
  }
  s->lines_used += s->co.lines;
  s->app_lines[w->app] += s->co.lines;
  s->lsu_insts++;
  group_by_page(s, now, w, slot, in, owner)->last = true;
}

static void load_done(sm_t *s, uint64_t now, uint32_t index, const request_t *r) {
  load_t *l = &s->load[index];
  uint32_t slot = l->slot;
  warp_t *w = &s->warp[slot];
  for (uint32_t i = 0; i < l->dsts; i++) w->reg_at[l->dst + i] = now;
  w->loads--;
  if (w->state == WARP_MEMORY) {
    warp_prepare(s, w, slot, now - 1);
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
  if (s->ready[UNIT_MEM] &&
      (s->loads_used == s->spec->lsu_insts || s->lines_used + COALESCE_MAX > s->spec->lsu_lines))
    s->stirred = true;
  if (r->owner != REQ_NONE && --s->load[r->owner].remaining == 0) load_done(s, now, r->owner, r);
  uint8_t app = r->app;
  s->lines_used--;
  request_give(s->pool, request);
  return --s->app_lines[app];
}
