/* Invariant: the SMs stand still exactly while a line is to be moved or under way, or `until` lies
 * ahead. At most MOVE_LINES lines are under way, each in one request that is first the read of the
 * old frame and then the write of the new one; its address is where it will be written. */
#include "paging/moves.h"
#include <stdlib.h>
#include <string.h>

static void moves_fini(void *block) { free(((moves_t *)block)->list); }

/* ---- the SMs stand still ---- */

static void note_issue(moves_t *m) {
  moves_cores(m)->stopped =
      m->on || moves_turns(m)->phase != TURN_RUNS || moves_cores(m)->forwarding;
}
void moves_note_issue(moves_t *m) { note_issue(m); }

static void stop(moves_t *m, uint64_t from) {
  if (m->on) return;
  m->on = true;
  m->stopped = from;
  m->halts++;
  note_issue(m);
}

/* They have stood still up to cycle `now`. */
static void settle(moves_t *m, uint64_t now) {
  if (!m->on || now <= m->stopped) return;
  for (uint32_t i = 0; i < moves_spec(m)->core.sms; i++)
    sm_pause(&moves_cores(m)->sm[i], m->stopped, now);
  m->halted_cycles += now - m->stopped;
  m->stopped = now;
}
static void moves_settle(void *block) {
  moves_t *m = block;
  settle(m, moves_ev(m)->now);
}

/* They go on in the next cycle. */
void moves_attend(moves_t *m) {
  m->due = false;
  if (!m->on || m->head < m->count || m->lines || moves_ev(m)->now < m->until) return;
  settle(m, moves_ev(m)->now + 1);
  m->on = false;
  m->head = m->count = 0;
  note_issue(m);
  for (uint32_t i = 0; i < moves_spec(m)->core.sms; i++) cores_wake(moves_cores(m), i);
}

void moves_timed(moves_t *m, uint32_t none) {
  (void)none;
  m->event = m->until > moves_ev(m)->now;
  if (m->event)
    message_send(moves_ev(m), FROM_HOST, m->until, EV_MOVED, 0);
  else
    m->due = true;
}

static void wait_until(moves_t *m, uint64_t at) {
  if (at > m->until) m->until = at;
  if (m->event || m->until <= moves_ev(m)->now) return;
  m->event = true;
  message_send(moves_ev(m), FROM_HOST, m->until, EV_MOVED, 0);
}

/* ---- pages through DRAM ---- */

static uint64_t line_address(const moves_t *m, ppn_t first, uint64_t line) {
  return (first.v << moves_memory(m)->page_shift) + (line << moves_map(m)->line_shift);
}

/* A whole line, at its place in DRAM. */
static void access_dram(moves_t *m, uint32_t id) {
  message_send(moves_ev(m), FROM_HOST, moves_ev(m)->now + 1, EV_COPY, id);
}

static void read_line(moves_t *m, const mm_action_t *x, uint64_t line) {
  uint32_t id = request_take(moves_pool(m));
  request_t *r = &moves_pool(m)->at[id];
  r->owner = OWNER_NONE;
  r->app =
      x->asid < moves_share(m)->apps ? x->asid : 0; /* data of nobody is moved on behalf of all */
  r->kind = REQ_COPY_READ;
  r->level = 0;
  r->sectors = (uint8_t)((1u << moves_spec(m)->core.line_bytes / SECTOR_BYTES) - 1);
  r->flags = 0;
  r->addr = line_address(m, x->to_ppn, line);
  addrmap_settle(moves_map(m), r,
                 addrmap_place_of(moves_map(m), r->app, line_address(m, x->ppn, line)));
  m->lines++;
  access_dram(m, id);
}

static void read_lines(moves_t *m) {
  while (m->head < m->count && m->lines < MOVE_LINES) {
    const mm_action_t *x = &m->list[m->head];
    read_line(m, x, m->next_line++);
    if (m->next_line << moves_map(m)->line_shift < x->pages << moves_memory(m)->page_shift)
      continue;
    m->next_line = 0;
    m->head++;
  }
}

void moves_line_done(moves_t *m, uint32_t id) {
  request_t *r = &moves_pool(m)->at[id];
  if (r->kind == REQ_COPY_READ) {
    r->kind = REQ_COPY_WRITE;
    addrmap_settle(moves_map(m), r, addrmap_place_of(moves_map(m), r->app, r->addr));
    access_dram(m, id);
    return;
  }
  request_give(moves_pool(m), id);
  m->lines--;
  read_lines(m);
  m->due = true;
}

static void move_through_dram(moves_t *m, const mm_action_t *x) {
  if (m->count == m->capacity) {
    size_t capacity = m->capacity ? 2 * m->capacity : 64;
    mm_action_t *list = realloc(m->list, capacity * sizeof *list);
    if (!list) {
      engine_fail(moves_ev(m),
                  err_set(&moves_ev(m)->error, GMMU_ENOMEM, "out of memory for pages that move"));
      return;
    }
    m->list = list, m->capacity = capacity;
  }
  m->list[m->count++] = *x;
}

/* ---- bulk copies ---- */

/* The channel the frame lies in, or 0 if large frames lie in all of them. */
static uint32_t channel_of_frame(const moves_t *m, ppn_t ppn) {
  mm_large_t l;
  mm_large_frame(moves_memory(m)->mm, ppn.v >> moves_memory(m)->large_pages_shift, &l);
  return l.channel;
}

static void move_in_bulk(moves_t *m, const mm_action_t *x) {
  uint64_t *until = &m->bulk_until[channel_of_frame(m, x->to_ppn)];
  uint64_t page = link_cycles(moves_spec(m)->memory.bulk_copy_ns, moves_spec(m)->core.clock_mhz);
  if (*until < moves_ev(m)->now) *until = moves_ev(m)->now;
  *until += x->pages * page;
  wait_until(m, *until);
}

/* ---- actions ---- */

static void migrate(moves_t *m, const mm_action_t *x) {
  if (x->asid < moves_share(m)->apps) moves_paging(m)->stats[x->asid].migrated += x->pages;
  if (x->copy == MM_COPY_DRAM) move_through_dram(m, x);
  if (x->copy == MM_COPY_BULK) move_in_bulk(m, x);
}

static void shoot_down(moves_t *m) {
  uint64_t from = m->until > moves_ev(m)->now ? m->until : moves_ev(m)->now;
  wait_until(m, from + moves_spec(m)->memory.shootdown_cycles);
}

typedef struct {
  uint32_t tables; /* bit per application whose page tables may have lost frames */
  bool moved, compaction;
} effect_t;

static void carry_out(moves_t *m, const mm_action_t *x, effect_t *e) {
  switch ((mm_action_kind_t)x->kind) {
  case MM_MAP:
    if (moves_paging(m)->on) paging_mapped(moves_paging(m), x);
    break;
  case MM_UNMAP:
    if (moves_paging(m)->on) paging_unmapped(moves_paging(m), x);
    e->tables |= x->asid < GMMU_MAX_APPS ? 1u << x->asid : UINT32_MAX;
    tlb_drop(moves_tlb(m), x->asid, x->vpn, x->pages);
    break;
  case MM_SHOOTDOWN:
    e->tables |= x->asid < GMMU_MAX_APPS ? 1u << x->asid : UINT32_MAX;
    tlb_drop(moves_tlb(m), x->asid, x->vpn, x->pages);
    if (e->compaction) shoot_down(m);
    break;
  case MM_COALESCE: moves_paging(m)->stats[x->asid].coalesced++; break;
  case MM_SPLINTER:
    moves_paging(m)->stats[x->asid].splintered++;
    e->moved = true;
    e->compaction = !m->free;
    break;
  case MM_MIGRATE:
    migrate(m, x);
    e->moved = true;
    e->compaction = !m->free;
    break;
  case MM_EVICT: e->moved = true; break;
  case MM_TRANSFER: break; /* it is done: a page is touched when its data is there */
  }
}

/* The frames that stand for memory of the host may be among those that came, went or moved. */
static void tell_mapped(moves_t *m, const mm_action_t *x) {
  if (x->kind == MM_MAP || x->kind == MM_UNMAP || x->kind == MM_MIGRATE)
    mapped_changed(moves_mapped(m), x->asid, x->vpn, x->pages);
}

void moves_carry_out(moves_t *m) {
  effect_t e = {0};
  for (size_t i = 0; i < moves_memory(m)->actions.count; i++) {
    if (moves_mapped(m)->count) tell_mapped(m, &moves_memory(m)->actions.item[i]);
    carry_out(m, &moves_memory(m)->actions.item[i], &e);
  }
  mm_actions_clear(&moves_memory(m)->actions);
  if (e.tables && moves_tlb(m)->virtual_l1) tlb_flush_l1(moves_tlb(m), e.tables);
  if (e.tables) walker_pwc_flush(moves_walker(m), e.tables);
  if (e.moved && moves_tlb(m)->translate) {
    walker_retarget(moves_walker(m));
    tlb_retarget(moves_tlb(m));
  }
  if (m->head == m->count && !m->lines && m->until <= moves_ev(m)->now) return;
  stop(m, moves_ev(m)->now + 1);
  read_lines(m);
}
