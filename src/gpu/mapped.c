/* Ranges are few and change only with commands of the host, so after each of these the bits of all
 * frames are made anew. Invariant: after mapped_settle() a frame's bit is set exactly if a page of
 * some range is mapped to it. */
#include "gpu/mapped.h"
#include "gpu/machine.h"
#include <stdlib.h>
#include <string.h>

void mapped_fini(mapped_t *m) { free(m->frames), free(m->range); }

static size_t frame_words(const gpu_t *g) {
  return (size_t)((g->spec.memory.memory_bytes >> g->page_shift) + 63) / 64;
}

int mapped_add(gpu_t *g, asid_t asid, vaddr_t va, uint64_t bytes, err_t *e) {
  mapped_t *m = &g->mapped;
  if (!m->frames) m->frames = calloc(frame_words(g), sizeof *m->frames);
  if (m->frames && m->count == m->room) {
    uint32_t room = m->room ? 2 * m->room : 16;
    mapped_range_t *more = realloc(m->range, room * sizeof *more);
    if (more) m->range = more, m->room = room;
  }
  if (m->count == m->room) return err_set(e, GMMU_ENOMEM, "no memory for mapped host memory");
  m->range[m->count++] = (mapped_range_t){asid, va, bytes};
  return GMMU_OK;
}

void mapped_drop(gpu_t *g, asid_t asid, vaddr_t va) {
  mapped_t *m = &g->mapped;
  for (uint32_t i = 0; i < m->count; i++)
    if (m->range[i].asid == asid && m->range[i].va.v == va.v) {
      m->range[i] = m->range[--m->count];
      return;
    }
}

void mapped_drop_all(gpu_t *g, asid_t asid) {
  mapped_t *m = &g->mapped;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->count; i++)
    if (m->range[i].asid != asid) m->range[kept++] = m->range[i];
  m->count = kept;
}

static void mark(gpu_t *g, const mapped_range_t *r) {
  uint64_t last = (r->va.v + r->bytes - 1) >> g->page_shift;
  for (uint64_t vpn = r->va.v >> g->page_shift; vpn <= last; vpn++) {
    ppn_t ppn;
    bool large;
    if (mm_translate(g->mm, r->asid, (vpn_t){vpn}, &ppn, &large))
      g->mapped.frames[ppn.v / 64] |= 1ull << (ppn.v % 64);
  }
}

void mapped_settle(gpu_t *g) {
  mapped_t *m = &g->mapped;
  if (!m->frames) return;
  memset(m->frames, 0, frame_words(g) * sizeof *m->frames);
  for (uint32_t i = 0; i < m->count; i++) mark(g, &m->range[i]);
  m->on = m->count;
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
