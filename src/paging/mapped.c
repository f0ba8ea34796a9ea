/* Ranges of the host's memory, and a bit for each frame that stands for a page of them.
 *
 * Invariant: a page's place in `frame` is where its table entry leads, and the bits are those of
 * all such places. An action renews the pages that it names, by their final entries. So a page that
 * moves to where another one was has its bit in the end: the action that says so comes behind the
 * one by which the other left. */
#include "paging/mapped.h"
#include <stdlib.h>
#include <string.h>

static void free_range(mapped_range_t *r) { free(r->frame); }

static void mapped_fini(void *block) {
  mapped_t *m = block;
  for (uint32_t i = 0; i < m->count; i++) free_range(&m->range[i]);
  free(m->frames), free(m->range);
}

static size_t frame_words(const mapped_t *m) {
  return (size_t)((mapped_spec(m)->memory.memory_bytes >> mapped_memory(m)->page_shift) + 63) / 64;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static uint32_t frame_now(const mapped_t *m, asid_t asid, uint64_t vpn) {
  ppn_t ppn;
  bool large;
  return mm_translate(mapped_memory(m)->mm, asid, (vpn_t){vpn}, &ppn, &large) ? (uint32_t)ppn.v
                                                                              : MAPPED_NONE;
}

static void set_bit(uint64_t *bits, uint32_t frame) {
  if (frame != MAPPED_NONE) bits[frame / 64] |= UINT64_C(1) << frame % 64;
}

static void clear_bit(uint64_t *bits, uint32_t frame) {
  if (frame != MAPPED_NONE) bits[frame / 64] &= ~(UINT64_C(1) << frame % 64);
}

static void renew(mapped_t *m, const mapped_range_t *r, uint64_t vpn) {
  uint32_t *frame = &r->frame[vpn - r->first];
  clear_bit(m->frames, *frame);
  *frame = frame_now(m, r->asid, vpn);
  set_bit(m->frames, *frame);
}

void mapped_changed(mapped_t *m, asid_t asid, vpn_t vpn, uint64_t pages) {
  for (uint32_t i = 0; i < m->count; i++) {
    const mapped_range_t *r = &m->range[i];
    if (r->asid != asid) continue;
    uint64_t first = vpn.v > r->first ? vpn.v : r->first, end = r->first + r->pages;
    if (vpn.v + pages < end) end = vpn.v + pages;
    for (uint64_t v = first; v < end; v++) renew(m, r, v);
  }
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool grow_ranges(mapped_t *m) {
  if (!m->frames) m->frames = calloc(frame_words(m), sizeof *m->frames);
  if (!m->frames || m->count < m->room) return m->frames;
  uint32_t room = m->room ? 2 * m->room : 16;
  mapped_range_t *more = realloc(m->range, room * sizeof *more);
  if (more) m->range = more, m->room = room;
  return more;
}

int mapped_add(mapped_t *m, asid_t asid, vaddr_t va, uint64_t bytes, err_t *e) {
  uint64_t first = va.v >> mapped_memory(m)->page_shift,
           last = (va.v + bytes - 1) >> mapped_memory(m)->page_shift;
  mapped_range_t r = {.asid = asid, .va = va, .first = first, .pages = last - first + 1};
  r.frame = grow_ranges(m) ? malloc(r.pages * sizeof *r.frame) : NULL;
  if (!r.frame) return err_set(e, GMMU_ENOMEM, "no memory for mapped host memory");
  memset(r.frame, 0xff, r.pages * sizeof *r.frame); /* MAPPED_NONE */
  m->range[m->count++] = r;
  mapped_l1(m)->host_frames = m->frames;
  mapped_changed(m, asid, (vpn_t){first}, r.pages);
  return GMMU_OK;
}

/* Another range may have a page in common with it. */
static void drop_at(mapped_t *m, uint32_t i) {
  mapped_range_t r = m->range[i];
  for (uint64_t p = 0; p < r.pages; p++) clear_bit(m->frames, r.frame[p]);
  free_range(&r);
  m->range[i] = m->range[--m->count];
  if (!m->count) mapped_l1(m)->host_frames = NULL;
  mapped_changed(m, r.asid, (vpn_t){r.first}, r.pages);
}

void mapped_drop(mapped_t *m, asid_t asid, vaddr_t va) {
  for (uint32_t i = 0; i < m->count; i++)
    if (m->range[i].asid == asid && m->range[i].va.v == va.v) {
      drop_at(m, i);
      return;
    }
}

void mapped_drop_all(mapped_t *m, asid_t asid) {
  for (uint32_t i = m->count; i-- > 0;)
    if (m->range[i].asid == asid) drop_at(m, i);
}

static int mapped_check(const void *block, err_t *e) {
  const mapped_t *m = block;
  if (!m->frames) return GMMU_OK;
  size_t bytes = frame_words(m) * sizeof *m->frames;
  uint64_t *bits = calloc(1, bytes);
  if (!bits) return err_set(e, GMMU_ENOMEM, "no memory for a check");
  bool right = (mapped_l1(m)->host_frames != NULL) == (m->count > 0);
  for (uint32_t i = 0; i < m->count; i++)
    for (uint64_t p = 0; p < m->range[i].pages; p++) {
      const mapped_range_t *r = &m->range[i];
      right &= r->frame[p] == frame_now(m, r->asid, r->first + p);
      set_bit(bits, r->frame[p]);
    }
  right &= !memcmp(bits, m->frames, bytes);
  free(bits);
  return right ? GMMU_OK : err_set(e, GMMU_ECHECK, "mapped host memory: its frames are others");
}

/* ---- the way of a request -------------------------------------------------------------------- */

static bool writes(const request_t *r) { return r->kind != REQ_LOAD; }
static uint32_t bytes_of(uint8_t sectors) {
  return SECTOR_BYTES * (uint32_t)__builtin_popcount(sectors);
}

/* Nobody waits for a store, or for a reduction. */
static bool nobody_waits(const mapped_t *m, const request_t *r) {
  return !request_awaited(r) && r->kind != REQ_LOAD && !mapped_spec(m)->noc.write_ack;
}

void mapped_ask(mapped_t *m, uint32_t id) {
  request_t *r = &mapped_pool(m)->at[id];
  uint64_t at = mapped_ev(m)->now;
  r->t_dram = (uint32_t)at;
  r->flags |= REQ_DRAM;
  if (writes(r)) at = link_post(mapped_link(m), at, bytes_of(r->sectors), r->app);
  if (nobody_waits(m, r)) {
    message_send(mapped_ev(m), FROM_HOST, mapped_ev(m)->now + 1, EV_SM_STORED, id);
    return;
  }
  if (r->kind != REQ_STORE) at = link_ask(mapped_link(m), mapped_ev(m)->now, r->app);
  message_send(mapped_ev(m), FROM_HOST, message_at(mapped_ev(m), at), EV_HOST_BACK, id);
}

void mapped_answer(mapped_t *m, uint32_t id) {
  request_t *r = &mapped_pool(m)->at[id];
  uint64_t at = mapped_ev(m)->now;
  uint32_t flits =
      r->kind == REQ_STORE ? mapped_noc(m)->ask[r->sectors] : mapped_noc(m)->flits[r->full];
  if (r->kind != REQ_STORE) at = link_answer(mapped_link(m), at, bytes_of(r->full), r->app);
  r->t_ret = (uint32_t)at;
  r->flags |= REQ_RET;
  message_send(mapped_ev(m), FROM_HOST, at + mapped_spec(m)->noc.latency_cycles + flits,
               EV_SM_ARRIVE, id);
}
