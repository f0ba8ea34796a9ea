/* Noting spans. Invariants: parts follow the span they are of; count exceeds window.spans by
 * WARP_SPANS per warp at most, in the cycle that fills it; line[r].flow is 0 unless request r
 * was looked up inside the window and has not ended. */
#include "observe/timeline.h"
#include "observe/attribution.h"

#define LINE_SPANS 16u /* a line and its parts, at most; a walk has fewer */
#define WARP_SPANS 4u  /* of a warp in the last cycle: two changes there, two when it is closed */

static uint32_t warps_of(const timeline_t *t) {
  return timeline_spec(t)->core.sms * timeline_spec(t)->sm.warps;
}

/* ---- making and freeing ---- */

static void free_arrays(timeline_t *t) {
  free(t->span);
  free(t->line);
  free(t->flow_of);
  free(t->warp);
  free(t->log);
  free(t->cmd);
}

void timeline_fini(timeline_t *t) { free_arrays(t); }

static uint32_t commands_per_channel(const timeline_t *t, uint32_t spans) {
  uint32_t n = spans / timeline_dram(t)->channels;
  return n < 256 ? 256 : n;
}

static bool allocate(timeline_t *t) {
  uint32_t commands = commands_per_channel(t, t->window.spans);
  t->span = calloc((size_t)t->window.spans + WARP_SPANS * warps_of(t), sizeof *t->span);
  t->line = calloc(timeline_pool(t)->capacity, sizeof *t->line);
  t->flow_of = calloc(timeline_xlat(t)->capacity, sizeof *t->flow_of);
  t->warp = calloc(warps_of(t), sizeof *t->warp);
  t->log = calloc(timeline_dram(t)->channels, sizeof *t->log);
  t->cmd = calloc((size_t)commands * timeline_dram(t)->channels, sizeof *t->cmd);
  if (!t->span || !t->line || !t->flow_of || !t->warp || !t->log || !t->cmd) return false;
  for (uint32_t c = 0; c < timeline_dram(t)->channels; c++)
    t->log[c] = (dram_log_t){.cmd = t->cmd + (size_t)c * commands, .capacity = commands};
  return true;
}

/* A channel decides ahead of time, so commands of the window may be issued before it. */
static uint64_t first_command(const timeline_t *t, uint64_t begin) {
  uint64_t ahead =
      (uint64_t)timeline_spec(t)->l2.latency_cycles + timeline_spec(t)->l2.dram_hop_cycles + 1;
  return begin > ahead ? begin - ahead : 0;
}

int timeline_open(timeline_t *t, const timeline_window_t *window, err_t *e) {
  t->window = *window;
  t->cut_at = UINT64_MAX;
  t->clock = clock_of(timeline_spec(t)->dram.clock_mhz, timeline_spec(t)->core.clock_mhz);
  if (!allocate(t) || observe_reads(timeline_observe(t)) < 0)
    return err_set(e, GMMU_ENOMEM, "out of memory for a timeline of %u spans", window->spans);
  t->next = first_command(t, window->begin);
  return GMMU_OK;
}

/* ---- spans ---- */

/* Room for a span and `parts` of it; if there is none the timeline ends with this cycle. */
static bool has_room(timeline_t *t, uint32_t parts) {
  if (t->count + 1 + parts > t->window.spans) t->full = true;
  return !t->full;
}

static void add(timeline_t *t, span_t s) { t->span[t->count++] = s; }

static void add_one(timeline_t *t, span_t s) {
  if (has_room(t, 0)) add(t, s);
}

/* The part of the last span up to `end`; returns where the next begins. */
static uint64_t add_part(timeline_t *t, span_kind_t kind, uint64_t from, uint64_t end,
                         uint64_t last) {
  if (end > last) end = last;
  if (end <= from) return from;
  add(t, (span_t){.kind = (uint8_t)kind, .begin = from, .end = end});
  return end;
}

/* From cycle `at` on it does `kind`. */
static void change_warp(timeline_t *t, uint32_t i, uint32_t warps, uint64_t at, uint8_t kind,
                        uint8_t app) {
  timeline_warp_t *w = &t->warp[i];
  if (w->kind == kind) return;
  span_t s = {.kind = w->kind,
              .begin = w->since,
              .end = at,
              .unit = (uint16_t)(i / warps),
              .index = (uint8_t)(i % warps),
              .app = w->app};
  if (w->kind != SPAN_NONE && at > w->since) add(t, s);
  w->kind = kind;
  w->app = app;
  w->since = at;
}

/* Up to this cycle it did what the last look said. */
static void catch_up(timeline_t *t, uint32_t i, uint32_t warps, uint64_t now) {
  timeline_warp_t *w = &t->warp[i];
  if (now > w->looked + 1) change_warp(t, i, warps, w->looked + 1, w->then, w->then_app);
}

/* ---- the window ---- */

static void start(timeline_t *t) {
  for (uint32_t i = 0; i < warps_of(t); i++)
    t->warp[i] =
        (timeline_warp_t){.kind = SPAN_NONE, .then = SPAN_NONE, .looked = timeline_ev(t)->now};
  t->on = true;
  t->changed = true;
  t->next = t->window.end;
}

/* The cycle from which on commands did not fit; UINT64_MAX if all did. An automatic precharge may
 * be noted ahead of its time. */
static uint64_t last_command(const timeline_t *t, const dram_log_t *l) {
  uint32_t i = l->capacity;
  if (l->count <= l->capacity) return UINT64_MAX;
  while (i-- && l->cmd[i].cmd == DRAM_CMD_AUTO_PRE) {
  }
  return clock_core(&t->clock, l->cmd[i].t);
}

/* Commands of the cycles before this one are all decided then. */
static void stop_logs(timeline_t *t) {
  for (uint32_t c = 0; c < timeline_dram(t)->channels; c++) {
    dram_count(timeline_dram(t)->channel[c].dram,
               timeline_ev(t)->now ? timeline_ev(t)->now - 1 : 0);
    dram_set_log(timeline_dram(t)->channel[c].dram, NULL);
    uint64_t last = last_command(t, &t->log[c]);
    if (last < t->cut_at) t->cut_at = last;
  }
}

void timeline_stop(timeline_t *t) {
  uint32_t warps = timeline_spec(t)->sm.warps;
  if (t->full) t->cut_at = timeline_ev(t)->now;
  for (uint32_t i = 0; i < warps_of(t); i++) {
    catch_up(t, i, warps, timeline_ev(t)->now);
    change_warp(t, i, warps, timeline_ev(t)->now, SPAN_NONE, 0);
  }
  stop_logs(t);
  t->on = false;
  t->changed = true;
  t->next = UINT64_MAX;
}

void timeline_boundary(timeline_t *t) {
  if (t->on) {
    timeline_stop(t);
    return;
  }
  for (uint32_t c = 0; c < timeline_dram(t)->channels; c++)
    dram_set_log(timeline_dram(t)->channel[c].dram, &t->log[c]);
  if (timeline_ev(t)->now == t->window.begin)
    start(t);
  else
    t->next = t->window.begin;
}

/* ---- warps ---- */

/* What a warp does that does not issue. */
static span_kind_t waits_for(const sm_t *s, const warp_t *w) {
  switch (w->state) {
  case WARP_RUNNABLE: return s->ready >> w->age & 1 ? SPAN_READY : SPAN_ALU;
  case WARP_MEMORY: return SPAN_MEMORY;
  case WARP_BARRIER: return SPAN_BARRIER;
  default: return SPAN_NONE;
  }
}

/* What it does in this cycle, and `then` from the next one on. An issue has charged up to the next
 * cycle; so has a barrier that opened, those who waited at it. */
static span_kind_t does_now(const warp_t *w, const timeline_warp_t *before, uint64_t now,
                            span_kind_t then) {
  if (w->state == WARP_EMPTY || w->charged != now + 1) return then;
  return before->state == WARP_BARRIER ? SPAN_BARRIER : SPAN_ISSUE;
}

static void foresee(const sm_t *s, const warp_t *w, timeline_warp_t *seen) {
  seen->then = (uint8_t)waits_for(s, w);
  seen->then_app = w->app;
  seen->state = w->state;
}

static void look_at_warp(timeline_t *t, const sm_t *s, uint32_t slot) {
  uint64_t now = timeline_ev(t)->now;
  uint32_t warps = timeline_spec(t)->sm.warps, i = s->id * warps + slot;
  const warp_t *w = &s->warp[slot];
  timeline_warp_t *seen = &t->warp[i];
  span_kind_t then = waits_for(s, w), kind = does_now(w, seen, now, then);
  catch_up(t, i, warps, now);
  change_warp(t, i, warps, now, (uint8_t)kind, w->app);
  foresee(s, w, seen);
  seen->looked = now;
}

void timeline_cycle(timeline_t *t) {
  for (uint32_t i = 0; i < timeline_spec(t)->core.sms; i++)
    for (uint32_t k = 0; k < timeline_spec(t)->sm.warps; k++)
      look_at_warp(t, &timeline_cores(t)->sm[i], k);
  if (!has_room(t, 0)) timeline_stop(t);
}

/* Turns change after the SMs' phase, and then the SMs may sleep for long. */
void timeline_turns(timeline_t *t) {
  uint32_t warps = timeline_spec(t)->sm.warps;
  for (uint32_t i = 0; i < timeline_spec(t)->core.sms; i++)
    for (uint32_t k = 0; k < warps; k++)
      foresee(&timeline_cores(t)->sm[i], &timeline_cores(t)->sm[i].warp[k],
              &t->warp[i * warps + k]);
}

/* ---- translations ---- */

static origin_t xlat_origin(const timeline_t *t, uint32_t id) {
  const attribution_t *a = timeline_attribution(t);
  return a->on ? attribution_of_xlat(a, id) : (origin_t){0};
}
static origin_t line_origin(const timeline_t *t, uint32_t id) {
  const attribution_t *a = timeline_attribution(t);
  return a->on ? attribution_of_request(a, id) : (origin_t){0};
}

/* The translation that a group that missed waits for, if it is the first to. */
static void mark_translation(timeline_t *t, const sm_t *s, const group_t *gr, uint32_t flow) {
  const tlb_instance_t *i = &timeline_tlb(t)->level[0].at[timeline_tlb(t)->level[0].of_sm[s->id]];
  uint32_t id = tlb_pending_find(&i->pending, timeline_xlat(t), 0, tlb_page_key(gr->asid, gr->vpn));
  if (id != XLAT_NONE && timeline_xlat(t)->at[id].waiters.head == gr->lines.head)
    t->flow_of[id] = flow;
}

void timeline_lookup(timeline_t *t, const sm_t *s, const group_t *gr, bool hit) {
  uint64_t now = timeline_ev(t)->now,
           offset = (1ull << (timeline_memory(t)->page_shift + gr->order)) - 1,
           va = gr->vpn.v << timeline_memory(t)->page_shift;
  uint32_t first = t->flows + 1, id = gr->lines.head;
  for (;; id = timeline_pool(t)->at[id].next) {
    t->line[id] = (timeline_line_t){.issued = gr->ready - timeline_spec(t)->sm.lsu_latency,
                                    .looked = now,
                                    .va = va | (timeline_pool(t)->at[id].addr & offset),
                                    .flow = ++t->flows,
                                    .slot = gr->slot};
    if (id == gr->lines.tail) break;
  }
  if (!timeline_tlb(t)->levels) return;
  if (!hit) mark_translation(t, s, gr, first);
  uint32_t cycles = timeline_tlb(t)->level[0].spec.latency_cycles;
  attribution_t *a = timeline_attribution(t);
  add_one(t, (span_t){.kind = hit ? SPAN_LOOK_HIT : SPAN_LOOK_MISS,
                      .origin = a->on ? attribution_of_group(a, gr) : (origin_t){0},
                      .begin = now,
                      .end = now + (cycles ? cycles : 1),
                      .value = va,
                      .flow = first,
                      .unit = timeline_tlb(t)->level[0].of_sm[s->id],
                      .app = gr->asid});
}

/* Its stay in each further level: to the next one, to the walker, or to the answer. */
void timeline_translation(timeline_t *t, uint32_t id) {
  const xlat_t *x = &timeline_xlat(t)->at[id];
  for (uint32_t l = 1; l <= x->reached && l < timeline_tlb(t)->levels; l++) {
    uint64_t end = timeline_ev(t)->now;
    if (l < x->reached) end = l + 1 < timeline_tlb(t)->levels ? x->t_level[l + 1] : x->t_below;
    add_one(t, (span_t){.kind = SPAN_LEVEL,
                        .origin = xlat_origin(t, id),
                        .begin = x->t_level[l],
                        .end = end,
                        .value = x->vpn.v << timeline_memory(t)->page_shift,
                        .flow = t->flow_of[id],
                        .unit = timeline_tlb(t)->level[l].of_sm[x->sm],
                        .index = (uint8_t)l,
                        .app = x->asid});
  }
  t->flow_of[id] = 0;
}

/* The reads of a walk that began before the window are not all known. */
void timeline_walk(timeline_t *t, uint32_t thread) {
  const walk_thread_t *w = &timeline_walker(t)->thread[thread];
  const xlat_t *x = &timeline_xlat(t)->at[w->xlat];
  bool known = !timeline_walker(t)->spec.fixed_cycles && x->t_walk >= t->window.begin;
  if (!has_room(t, LINE_SPANS)) return;
  add(t, (span_t){.kind = SPAN_WALK,
                  .origin = xlat_origin(t, w->xlat),
                  .begin = x->t_walk,
                  .end = timeline_ev(t)->now,
                  .value = x->vpn.v << timeline_memory(t)->page_shift,
                  .flow = x->ahead ? 0 : t->flow_of[w->xlat],
                  .unit = (uint16_t)thread,
                  .app = x->asid});
  uint64_t from = x->t_walk;
  for (uint32_t l = 0; known && l < w->level; l++) {
    const walk_step_t *s = &timeline_observe(t)->thread[thread].step[l];
    uint64_t end = from + s->pwc_cycles + s->l2_cycles + s->dram_cycles;
    if (end > timeline_ev(t)->now) return;
    add(t, (span_t){.kind = SPAN_WALK_READ,
                    .begin = from,
                    .end = end,
                    .value = s->dram_cycles,
                    .index = (uint8_t)(l + 1)});
    from = end;
  }
}

/* ---- lines ---- */

static uint32_t flow_of_request(const timeline_t *t, const request_t *r, uint32_t id) {
  if (r->kind == REQ_WALK) return t->flow_of[timeline_walker(t)->thread[r->owner].xlat];
  return t->line[id].flow;
}

void timeline_l2(timeline_t *t, uint32_t id, span_kind_t how) {
  const request_t *r = &timeline_pool(t)->at[id];
  uint64_t now = timeline_ev(t)->now;
  uint32_t cycles = how == SPAN_L2_BYPASS ? 0 : timeline_spec(t)->l2.latency_cycles;
  add_one(t, (span_t){.kind = (uint8_t)how,
                      .origin = line_origin(t, id),
                      .begin = stamp_full(now, r->t_ret),
                      .end = now + (cycles ? cycles : 1),
                      .value = r->kind == REQ_WALK ? 0 : t->line[id].va,
                      .flow = flow_of_request(t, r, id),
                      .request = id,
                      .unit = r->slice,
                      .index = r->kind == REQ_WALK ? r->level : 0,
                      .app = r->app});
}

/* As sm_charge_memory() divides it; `t` is the begin. */
static void line_parts(timeline_t *t, const request_t *r, uint64_t at, uint64_t looked,
                       uint64_t now) {
  static const uint8_t part[SPLITS] = {[SPLIT_TLB2] = SPAN_IN_TLB2,
                                       [SPLIT_WALK_QUEUE] = SPAN_IN_WALK_QUEUE,
                                       [SPLIT_WALK_L2] = SPAN_IN_WALK_L2,
                                       [SPLIT_WALK_DRAM] = SPAN_IN_WALK_DRAM,
                                       [SPLIT_FAULT] = SPAN_IN_FAULT};
  uint32_t split[SPLITS] = {0};
  if (r->flags & REQ_SPLIT) request_split(r, split);
  uint64_t part_end = stamp_full(now, r->t_xlat) - (r->flags & REQ_SPLIT ? r->below : 0);
  at = add_part(t, SPAN_IN_LSU, at, looked, now);
  at = add_part(t, SPAN_IN_TLB1, at, part_end, now);
  for (uint32_t i = 0; r->flags & REQ_SPLIT && i < SPLITS; i++) {
    part_end += split[i];
    at = add_part(t, (span_kind_t)part[i], at, part_end, now);
  }
  if (!(r->flags & REQ_MISSED)) {
    add_part(t, SPAN_IN_L1, at, now, now);
    return;
  }
  at = add_part(t, SPAN_IN_L1, at, stamp_full(now, r->t_miss), now);
  if (r->flags & REQ_DRAM) {
    at = add_part(t, SPAN_IN_L2, at, stamp_full(now, r->t_dram), now);
    if (r->flags & REQ_RET) at = add_part(t, SPAN_IN_DRAM, at, stamp_full(now, r->t_ret), now);
  }
  add_part(t, r->flags & REQ_DRAM ? SPAN_IN_BACK : SPAN_IN_L2, at, now, now);
}

/* Of one that was looked up before the window, less is known. */
static timeline_line_t line_of(const timeline_t *t, uint32_t id) {
  const request_t *r = &timeline_pool(t)->at[id];
  timeline_line_t l = t->line[id];
  if (l.flow) return l;
  l = (timeline_line_t){.issued = stamp_full(timeline_ev(t)->now, r->t_xlat), .va = 0};
  if (r->flags & REQ_SPLIT) l.issued -= r->below;
  if (request_awaited(r)) {
    const load_t *load = &timeline_cores(t)->sm[r->sm].load[r->owner];
    l.issued = load->t_issue;
    l.slot = load->warp->slot;
  }
  l.looked = l.issued + timeline_spec(t)->sm.lsu_latency;
  return l;
}

void timeline_line(timeline_t *t, uint32_t id) {
  const request_t *r = &timeline_pool(t)->at[id];
  timeline_line_t l = line_of(t, id);
  t->line[id].flow = 0;
  if (!has_room(t, LINE_SPANS)) return;
  add(t, (span_t){.kind = r->kind == REQ_LOAD    ? SPAN_LOAD
                          : r->kind == REQ_STORE ? SPAN_STORE
                                                 : SPAN_ATOMIC,
                  .origin = line_origin(t, id),
                  .begin = l.issued,
                  .end = timeline_ev(t)->now,
                  .value = l.va,
                  .flow = l.flow,
                  .unit = r->sm,
                  .index = l.slot,
                  .app = r->app});
  line_parts(t, r, l.issued, l.looked, timeline_ev(t)->now);
}
