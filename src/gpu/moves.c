/* Invariant: the SMs stand still exactly while a line is to be moved or under way, or `until` lies
 * ahead. At most MOVE_LINES lines are under way, each in one request that is first the read of the
 * old frame and then the write of the new one; its address is where it will be written. */
#include "gpu/moves.h"
#include "gpu/machine.h"
#include <stdlib.h>
#include <string.h>

void moves_fini(moves_t *m) { free(m->list); }

/* ---- translations ---- */

typedef struct {
  gpu_t *g;
  uint32_t tlb;
} dropped_ctx_t;

static void tell_peers(void *ctx, const tlb_victim_t *dropped) {
  const dropped_ctx_t *c = ctx;
  flow_peer_evicted(c->g, c->tlb, dropped);
}

static void drop_in_level(gpu_t *g, uint32_t l, asid_t asid, vpn_t vpn, uint64_t pages) {
  tlb_dropped_fn told = l == 0 && g->peer_hooks ? tell_peers : NULL;
  for (uint32_t t = 0; t < g->level[l].instances; t++)
    g->level[l].stats[asid].invalidations +=
        tlb_invalidate(&g->level[l].at[t].array, asid, vpn, pages, told, &(dropped_ctx_t){g, t});
}

void apps_drop_translations(gpu_t *g, uint32_t a, vpn_t vpn, uint64_t pages) {
  for (uint32_t l = 0; g->translate && l < g->levels; l++)
    drop_in_level(g, l, (asid_t)a, vpn, pages);
  if (g->peer->invalidate) g->peer->invalidate(g->peer_state, (asid_t)a, vpn, pages);
  if (g->fill->invalidate) g->fill->invalidate(g->fill_state, (asid_t)a, vpn, pages);
}

/* ---- the SMs stand still ---- */

static void note_issue(gpu_t *g) { g->issue_stopped = g->moves.on || g->turns.phase != TURN_RUNS; }
void moves_note_turn(gpu_t *g) { note_issue(g); }

static void stop(gpu_t *g, uint64_t from) {
  moves_t *m = &g->moves;
  if (m->on) return;
  m->on = true;
  m->stopped = from;
  m->halts++;
  note_issue(g);
}

void moves_settle(gpu_t *g) {
  moves_t *m = &g->moves;
  if (!m->on || g->ev.now <= m->stopped) return;
  for (uint32_t i = 0; i < g->spec.core.sms; i++) sm_pause(&g->sm[i], m->stopped, g->ev.now);
  m->halted_cycles += g->ev.now - m->stopped;
  m->stopped = g->ev.now;
}

/* They go on in phase 3 of this cycle. */
static void go_on_if_done(gpu_t *g) {
  moves_t *m = &g->moves;
  if (!m->on || m->head < m->count || m->lines || g->ev.now < m->until) return;
  moves_settle(g);
  m->on = false;
  m->head = m->count = 0;
  note_issue(g);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) wake_sm(g, i);
}

void moves_timed(gpu_t *g) {
  moves_t *m = &g->moves;
  m->event = m->until > g->ev.now;
  if (m->event)
    engine_schedule(&g->ev, m->until, EV_MOVED, 0);
  else
    go_on_if_done(g);
}

static void wait_until(gpu_t *g, uint64_t at) {
  moves_t *m = &g->moves;
  if (at > m->until) m->until = at;
  if (m->event || m->until <= g->ev.now) return;
  m->event = true;
  engine_schedule(&g->ev, m->until, EV_MOVED, 0);
}

/* ---- pages through DRAM ---- */

static uint64_t line_address(const gpu_t *g, ppn_t first, uint64_t line) {
  return (first.v << g->page_shift) + (line << g->map.line_shift);
}

static void read_line(gpu_t *g, const mm_action_t *x, uint64_t line) {
  uint32_t id = request_take(&g->pool);
  request_t *r = &g->pool.at[id];
  r->owner = OWNER_NONE;
  r->app = x->asid < g->apps ? x->asid : 0; /* data of nobody is moved on behalf of all */
  r->kind = REQ_COPY_READ;
  r->level = 0;
  r->flags = 0;
  r->addr = line_address(g, x->to_ppn, line);
  settle_place(g, r, line_address(g, x->ppn, line));
  g->moves.lines++;
  flow_dram_line(g, id);
}

static void read_lines(gpu_t *g) {
  moves_t *m = &g->moves;
  while (m->head < m->count && m->lines < MOVE_LINES) {
    const mm_action_t *x = &m->list[m->head];
    read_line(g, x, m->next_line++);
    if (m->next_line << g->map.line_shift < x->pages << g->page_shift) continue;
    m->next_line = 0;
    m->head++;
  }
}

bool moves_line_done(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  if (r->kind == REQ_COPY_READ) {
    r->kind = REQ_COPY_WRITE;
    settle_place(g, r, r->addr);
    flow_dram_line(g, id);
    return true;
  }
  if (r->kind != REQ_COPY_WRITE) return false;
  request_give(&g->pool, id);
  g->moves.lines--;
  read_lines(g);
  go_on_if_done(g);
  return true;
}

static void move_through_dram(gpu_t *g, const mm_action_t *x) {
  moves_t *m = &g->moves;
  if (m->count == m->capacity) {
    size_t capacity = m->capacity ? 2 * m->capacity : 64;
    mm_action_t *list = realloc(m->list, capacity * sizeof *list);
    if (!list) {
      fail(g, err_set(&g->error, GMMU_ENOMEM, "out of memory for pages that move"));
      return;
    }
    m->list = list, m->capacity = capacity;
  }
  m->list[m->count++] = *x;
}

/* ---- bulk copies ---- */

/* The channel the frame lies in, or 0 if large frames lie in all of them. */
static uint32_t channel_of(const gpu_t *g, ppn_t ppn) {
  mm_large_t l;
  mm_large_frame(g->mm, ppn.v >> g->large_pages_shift, &l);
  return l.channel;
}

static void move_in_bulk(gpu_t *g, const mm_action_t *x) {
  uint64_t *until = &g->moves.bulk_until[channel_of(g, x->to_ppn)];
  uint64_t page = link_cycles(g->spec.memory.bulk_copy_ns, g->spec.core.clock_mhz);
  if (*until < g->ev.now) *until = g->ev.now;
  *until += x->pages * page;
  wait_until(g, *until);
}

/* ---- actions ---- */

static void migrate(gpu_t *g, const mm_action_t *x) {
  if (x->asid < g->apps) g->paging.stats[x->asid].migrated += x->pages;
  if (x->copy == MM_COPY_DRAM) move_through_dram(g, x);
  if (x->copy == MM_COPY_BULK) move_in_bulk(g, x);
}

static void shoot_down(gpu_t *g) {
  uint64_t from = g->moves.until > g->ev.now ? g->moves.until : g->ev.now;
  wait_until(g, from + g->spec.memory.shootdown_cycles);
}

typedef struct {
  bool tables, moved, compaction;
} effect_t;

static void carry_out(gpu_t *g, const mm_action_t *x, effect_t *e) {
  switch ((mm_action_kind_t)x->kind) {
  case MM_MAP:
    if (g->paging.on) paging_mapped(g, x);
    break;
  case MM_UNMAP:
    if (g->paging.on) paging_unmapped(g, x);
    e->tables = true;
    apps_drop_translations(g, x->asid, x->vpn, x->pages);
    break;
  case MM_SHOOTDOWN:
    e->tables = true;
    apps_drop_translations(g, x->asid, x->vpn, x->pages);
    if (e->compaction) shoot_down(g);
    break;
  case MM_COALESCE: g->paging.stats[x->asid].coalesced++; break;
  case MM_SPLINTER:
    g->paging.stats[x->asid].splintered++;
    e->moved = true;
    e->compaction = !g->moves.free;
    break;
  case MM_MIGRATE:
    migrate(g, x);
    e->moved = true;
    e->compaction = !g->moves.free;
    break;
  case MM_EVICT: e->moved = true; break;
  case MM_TRANSFER: break; /* it is done: a page is touched when its data is there */
  }
}

/* The frames that stand for memory of the host may be among those that came, went or moved. */
static void tell_mapped(gpu_t *g, const mm_action_t *x) {
  if (x->kind == MM_MAP || x->kind == MM_UNMAP || x->kind == MM_MIGRATE)
    mapped_changed(g, x->asid, x->vpn, x->pages);
}

void moves_carry_out(gpu_t *g, uint64_t from) {
  effect_t e = {0};
  moves_t *m = &g->moves;
  for (size_t i = 0; i < g->actions.count; i++) {
    if (g->mapped.on) tell_mapped(g, &g->actions.item[i]);
    carry_out(g, &g->actions.item[i], &e);
  }
  mm_actions_clear(&g->actions);
  if (e.tables) walker_pwc_flush(&g->walker);
  if (e.moved) flow_retarget(g);
  if (m->head == m->count && !m->lines && m->until <= g->ev.now) return;
  stop(g, from);
  read_lines(g);
}
