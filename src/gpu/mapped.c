/* Ranges of the host's memory, and a bit for each frame that stands for a page of them.
 *
 * Invariant: a page's place in `frame` is where its table entry leads, and the bits are those of
 * all such places. An action renews the pages that it names, by their final entries. So a page that
 * moves to where another one was has its bit in the end: the action that says so comes behind the
 * one by which the other left. */
#include "gpu/mapped.h"
#include "gpu/machine.h"
#include <stdlib.h>
#include <string.h>

static void free_range(mapped_range_t *r) { free(r->frame); }

void mapped_fini(mapped_t *m) {
  for (uint32_t i = 0; i < m->count; i++) free_range(&m->range[i]);
  free(m->frames), free(m->range);
}

static size_t frame_words(const gpu_t *g) {
  return (size_t)((g->spec.memory.memory_bytes >> g->page_shift) + 63) / 64;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static uint32_t frame_now(const gpu_t *g, asid_t asid, uint64_t vpn) {
  ppn_t ppn;
  bool large;
  return mm_translate(g->mm, asid, (vpn_t){vpn}, &ppn, &large) ? (uint32_t)ppn.v : MAPPED_NONE;
}

static void set_bit(uint64_t *bits, uint32_t frame) {
  if (frame != MAPPED_NONE) bits[frame / 64] |= UINT64_C(1) << frame % 64;
}

static void clear_bit(uint64_t *bits, uint32_t frame) {
  if (frame != MAPPED_NONE) bits[frame / 64] &= ~(UINT64_C(1) << frame % 64);
}

static void renew(gpu_t *g, const mapped_range_t *r, uint64_t vpn) {
  uint32_t *frame = &r->frame[vpn - r->first];
  clear_bit(g->mapped.frames, *frame);
  *frame = frame_now(g, r->asid, vpn);
  set_bit(g->mapped.frames, *frame);
}

void mapped_changed(gpu_t *g, asid_t asid, vpn_t vpn, uint64_t pages) {
  for (uint32_t i = 0; i < g->mapped.count; i++) {
    const mapped_range_t *r = &g->mapped.range[i];
    if (r->asid != asid) continue;
    uint64_t first = vpn.v > r->first ? vpn.v : r->first, end = r->first + r->pages;
    if (vpn.v + pages < end) end = vpn.v + pages;
    for (uint64_t v = first; v < end; v++) renew(g, r, v);
  }
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool make_room(gpu_t *g) {
  mapped_t *m = &g->mapped;
  if (!m->frames) m->frames = calloc(frame_words(g), sizeof *m->frames);
  if (!m->frames || m->count < m->room) return m->frames;
  uint32_t room = m->room ? 2 * m->room : 16;
  mapped_range_t *more = realloc(m->range, room * sizeof *more);
  if (more) m->range = more, m->room = room;
  return more;
}

int mapped_add(gpu_t *g, asid_t asid, vaddr_t va, uint64_t bytes, err_t *e) {
  mapped_t *m = &g->mapped;
  uint64_t first = va.v >> g->page_shift, last = (va.v + bytes - 1) >> g->page_shift;
  mapped_range_t r = {.asid = asid, .va = va, .first = first, .pages = last - first + 1};
  r.frame = make_room(g) ? malloc(r.pages * sizeof *r.frame) : NULL;
  if (!r.frame) return err_set(e, GMMU_ENOMEM, "no memory for mapped host memory");
  memset(r.frame, 0xff, r.pages * sizeof *r.frame); /* MAPPED_NONE */
  m->range[m->count++] = r;
  m->on = true;
  mapped_changed(g, asid, (vpn_t){first}, r.pages);
  return GMMU_OK;
}

/* Another range may have a page in common with it. */
static void drop_at(gpu_t *g, uint32_t i) {
  mapped_t *m = &g->mapped;
  mapped_range_t r = m->range[i];
  for (uint64_t p = 0; p < r.pages; p++) clear_bit(m->frames, r.frame[p]);
  free_range(&r);
  m->range[i] = m->range[--m->count];
  m->on = m->count;
  mapped_changed(g, r.asid, (vpn_t){r.first}, r.pages);
}

void mapped_drop(gpu_t *g, asid_t asid, vaddr_t va) {
  mapped_t *m = &g->mapped;
  for (uint32_t i = 0; i < m->count; i++)
    if (m->range[i].asid == asid && m->range[i].va.v == va.v) {
      drop_at(g, i);
      return;
    }
}

void mapped_drop_all(gpu_t *g, asid_t asid) {
  for (uint32_t i = g->mapped.count; i-- > 0;)
    if (g->mapped.range[i].asid == asid) drop_at(g, i);
}

int mapped_check(const gpu_t *g, err_t *e) {
  const mapped_t *m = &g->mapped;
  if (!m->frames) return GMMU_OK;
  size_t bytes = frame_words(g) * sizeof *m->frames;
  uint64_t *bits = calloc(1, bytes);
  if (!bits) return err_set(e, GMMU_ENOMEM, "no memory for a check");
  bool right = m->on == (m->count > 0);
  for (uint32_t i = 0; i < m->count; i++)
    for (uint64_t p = 0; p < m->range[i].pages; p++) {
      const mapped_range_t *r = &m->range[i];
      right &= r->frame[p] == frame_now(g, r->asid, r->first + p);
      set_bit(bits, r->frame[p]);
    }
  right &= !memcmp(bits, m->frames, bytes);
  free(bits);
  return right ? GMMU_OK : err_set(e, GMMU_ECHECK, "mapped host memory: its frames are others");
}

bool mapped_is(const gpu_t *g, uint64_t pa) {
  uint64_t frame = pa >> g->page_shift;
  return g->mapped.frames[frame / 64] >> (frame % 64) & 1;
}

/* ---- the way of a request -------------------------------------------------------------------- */

static bool writes(const request_t *r) { return r->kind != REQ_LOAD; }
static uint32_t bytes_of(uint8_t sectors) {
  return SECTOR_BYTES * (uint32_t)__builtin_popcount(sectors);
}

void mapped_send(gpu_t *g, uint32_t sm, uint32_t id, uint32_t latency) {
  request_t *r = &g->pool.at[id];
  uint32_t flits = writes(r) ? g->flits[r->sectors] : g->ask[r->full];
  r->t_miss = (uint32_t)g->ev.now + latency;
  r->flags |= REQ_MISSED;
  engine_schedule(&g->ev, noc_send(&g->spec.noc, &g->sm_out[sm], g->ev.now + latency, flits),
                  EV_HOST_ASK, id);
}

/* Nobody waits for a store, or for a reduction. */
static bool nobody_waits(const gpu_t *g, const request_t *r) {
  return r->owner == OWNER_NONE && r->kind != REQ_LOAD && !g->spec.noc.write_ack;
}

void mapped_ask(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint64_t at = g->ev.now;
  r->t_dram = (uint32_t)at;
  r->flags |= REQ_DRAM;
  if (writes(r)) at = link_post(&g->link, at, bytes_of(r->sectors), r->app);
  if (nobody_waits(g, r)) {
    app_line_done(g, r->sm, id);
    return;
  }
  if (r->kind != REQ_STORE) at = link_ask(&g->link, g->ev.now, r->app);
  engine_schedule(&g->ev, at > g->ev.now ? at : g->ev.now + 1, EV_HOST_BACK, id);
}

void mapped_answer(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint64_t at = g->ev.now;
  uint32_t flits = r->kind == REQ_STORE ? g->ask[r->sectors] : g->flits[r->full];
  if (r->kind != REQ_STORE) at = link_answer(&g->link, at, bytes_of(r->full), r->app);
  r->t_ret = (uint32_t)at;
  r->flags |= REQ_RET;
  engine_schedule(&g->ev, at + g->spec.noc.latency_cycles + flits, EV_SM_ARRIVE, id);
}
