/* Noting spans. Invariants: parts follow the span they are of; count exceeds window.spans by
 * WARP_SPANS per warp at most, in the cycle that fills it; line[r].flow is 0 unless request r
 * was looked up inside the window and has not ended. */
#include "gpu/trace.h"
#include "gpu/machine.h"

#define LINE_SPANS 16u /* a line and its parts, at most; a walk has fewer */
#define WARP_SPANS 4u  /* of a warp in the last cycle: two changes there, two when it is closed */

static uint32_t warps_of(const gpu_t *g) { return g->spec.core.sms * g->spec.sm.warps; }

/* ---- making and freeing ---- */

static void free_arrays(trace_t *t) {
  free(t->span);
  free(t->line);
  free(t->flow_of);
  free(t->warp);
  free(t->log);
  free(t->cmd);
}

void trace_free(trace_t *t) {
  if (t) free_arrays(t);
  free(t);
}

static uint32_t commands_per_channel(const gpu_t *g, uint32_t spans) {
  uint32_t n = spans / g->channels;
  return n < 256 ? 256 : n;
}

static bool allocate(gpu_t *g, trace_t *t) {
  uint32_t commands = commands_per_channel(g, t->window.spans);
  t->span = calloc((size_t)t->window.spans + WARP_SPANS * warps_of(g), sizeof *t->span);
  t->line = calloc(g->pool.capacity, sizeof *t->line);
  t->flow_of = calloc(g->xlat.capacity, sizeof *t->flow_of);
  t->warp = calloc(warps_of(g), sizeof *t->warp);
  t->log = calloc(g->channels, sizeof *t->log);
  t->cmd = calloc((size_t)commands * g->channels, sizeof *t->cmd);
  if (!t->span || !t->line || !t->flow_of || !t->warp || !t->log || !t->cmd) return false;
  for (uint32_t c = 0; c < g->channels; c++)
    t->log[c] = (dram_log_t){.cmd = t->cmd + (size_t)c * commands, .capacity = commands};
  return true;
}

/* A channel decides ahead of time, so commands of the window may be issued before it. */
static uint64_t first_command(const gpu_t *g, uint64_t begin) {
  uint64_t ahead = (uint64_t)g->spec.l2.latency_cycles + g->spec.l2.dram_hop_cycles + 1;
  return begin > ahead ? begin - ahead : 0;
}

int gpu_trace(gpu_t *g, const gpu_trace_t *window, err_t *e) {
  trace_t *t = calloc(1, sizeof *t);
  if (!t) return err_set(e, GMMU_ENOMEM, "out of memory for a trace");
  t->window = *window;
  t->cut_at = UINT64_MAX;
  t->clock = clock_of(g->spec.dram.clock_mhz, g->spec.core.clock_mhz);
  t->next = first_command(g, window->begin);
  if (!allocate(g, t) || observe_reads(g) < 0) {
    trace_free(t);
    return err_set(e, GMMU_ENOMEM, "out of memory for a trace of %u spans", window->spans);
  }
  g->trace = t;
  gpu_note_boundary(g);
  return GMMU_OK;
}

uint64_t gpu_trace_cut(const gpu_t *g) { return g->trace ? g->trace->cut_at : UINT64_MAX; }

/* ---- spans ---- */

/* Room for a span and `parts` of it; if there is none the trace ends with this cycle. */
static bool has_room(trace_t *t, uint32_t parts) {
  if (t->count + 1 + parts > t->window.spans) t->full = true;
  return !t->full;
}

static void add(trace_t *t, span_t s) { t->span[t->count++] = s; }

static void add_one(trace_t *t, span_t s) {
  if (has_room(t, 0)) add(t, s);
}

/* The part of the last span up to `end`; returns where the next begins. */
static uint64_t add_part(trace_t *t, span_kind_t kind, uint64_t from, uint64_t end, uint64_t last) {
  if (end > last) end = last;
  if (end <= from) return from;
  add(t, (span_t){.kind = (uint8_t)kind, .begin = from, .end = end});
  return end;
}

/* From cycle `at` on it does `kind`. */
static void change_warp(trace_t *t, uint32_t i, uint32_t warps, uint64_t at, uint8_t kind,
                        uint8_t app) {
  traced_warp_t *w = &t->warp[i];
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
static void catch_up(trace_t *t, uint32_t i, uint32_t warps, uint64_t now) {
  traced_warp_t *w = &t->warp[i];
  if (now > w->looked + 1) change_warp(t, i, warps, w->looked + 1, w->then, w->then_app);
}

/* ---- the window ---- */

static void start(gpu_t *g) {
  trace_t *t = g->trace;
  for (uint32_t i = 0; i < warps_of(g); i++)
    t->warp[i] = (traced_warp_t){.kind = SPAN_NONE, .then = SPAN_NONE, .looked = g->ev.now};
  g->tracing = true;
  gpu_note_hooks(g);
  t->next = t->window.end;
}

/* The cycle from which on commands did not fit; UINT64_MAX if all did. An automatic precharge may
 * be noted ahead of its time. */
static uint64_t last_command(const trace_t *t, const dram_log_t *l) {
  uint32_t i = l->capacity;
  if (l->count <= l->capacity) return UINT64_MAX;
  while (i-- && l->cmd[i].cmd == DRAM_CMD_AUTO_PRE) {
  }
  return clock_core(&t->clock, l->cmd[i].t);
}

/* Commands of the cycles before this one are all decided then. */
static void stop_logs(gpu_t *g) {
  trace_t *t = g->trace;
  for (uint32_t c = 0; c < g->channels; c++) {
    dram_count(g->channel[c].dram, g->ev.now ? g->ev.now - 1 : 0);
    dram_set_log(g->channel[c].dram, NULL);
    uint64_t last = last_command(t, &t->log[c]);
    if (last < t->cut_at) t->cut_at = last;
  }
}

void trace_stop(gpu_t *g) {
  trace_t *t = g->trace;
  uint32_t warps = g->spec.sm.warps;
  if (t->full) t->cut_at = g->ev.now;
  for (uint32_t i = 0; i < warps_of(g); i++) {
    catch_up(t, i, warps, g->ev.now);
    change_warp(t, i, warps, g->ev.now, SPAN_NONE, 0);
  }
  stop_logs(g);
  g->tracing = false;
  gpu_note_hooks(g);
  t->next = UINT64_MAX;
}

void trace_boundary(gpu_t *g) {
  trace_t *t = g->trace;
  if (g->tracing) {
    trace_stop(g);
    return;
  }
  for (uint32_t c = 0; c < g->channels; c++) dram_set_log(g->channel[c].dram, &t->log[c]);
  if (g->ev.now == t->window.begin)
    start(g);
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
static span_kind_t does_now(const warp_t *w, const traced_warp_t *before, uint64_t now,
                            span_kind_t then) {
  if (w->state == WARP_EMPTY || w->charged != now + 1) return then;
  return before->state == WARP_BARRIER ? SPAN_BARRIER : SPAN_ISSUE;
}

static void foresee(const sm_t *s, const warp_t *w, traced_warp_t *seen) {
  seen->then = (uint8_t)waits_for(s, w);
  seen->then_app = w->app;
  seen->state = w->state;
}

static void look_at_warp(gpu_t *g, const sm_t *s, uint32_t slot) {
  trace_t *t = g->trace;
  uint64_t now = g->ev.now;
  uint32_t warps = g->spec.sm.warps, i = s->id * warps + slot;
  const warp_t *w = &s->warp[slot];
  traced_warp_t *seen = &t->warp[i];
  span_kind_t then = waits_for(s, w), kind = does_now(w, seen, now, then);
  catch_up(t, i, warps, now);
  change_warp(t, i, warps, now, (uint8_t)kind, w->app);
  foresee(s, w, seen);
  seen->looked = now;
}

void trace_cycle(gpu_t *g) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    for (uint32_t k = 0; k < g->spec.sm.warps; k++) look_at_warp(g, &g->sm[i], k);
  if (has_room(g->trace, 0)) return;
  trace_stop(g);
  gpu_note_boundary(g);
}

/* Turns change after the SMs' phase, and then the SMs may sleep for long. */
void trace_turns(gpu_t *g) {
  uint32_t warps = g->spec.sm.warps;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    for (uint32_t k = 0; k < warps; k++)
      foresee(&g->sm[i], &g->sm[i].warp[k], &g->trace->warp[i * warps + k]);
}

/* ---- translations ---- */

/* The translation that a group that missed waits for, if it is the first to. */
static void mark_translation(gpu_t *g, const sm_t *s, const group_t *gr, uint32_t flow) {
  const tlb_instance_t *i = &g->level[0].at[g->level[0].of_sm[s->id]];
  uint32_t id = tlb_pending_find(&i->pending, &g->xlat, 0, tlb_page_key(gr->asid, gr->vpn));
  if (id != XLAT_NONE && g->xlat.at[id].waiters.head == gr->lines.head)
    g->trace->flow_of[id] = flow;
}

void trace_lookup(gpu_t *g, const sm_t *s, const group_t *gr, bool hit) {
  trace_t *t = g->trace;
  uint64_t now = g->ev.now, offset = (1ull << g->page_shift) - 1, va = gr->vpn.v << g->page_shift;
  uint32_t first = t->flows + 1, id = gr->lines.head;
  for (;; id = g->pool.at[id].next) {
    t->line[id] = (traced_line_t){.issued = gr->ready - g->spec.sm.lsu_latency,
                                  .looked = now,
                                  .va = va | (g->pool.at[id].addr & offset),
                                  .flow = ++t->flows,
                                  .slot = gr->slot};
    if (id == gr->lines.tail) break;
  }
  if (!g->levels) return;
  if (!hit) mark_translation(g, s, gr, first);
  uint32_t cycles = g->level[0].spec.latency_cycles;
  add_one(t, (span_t){.kind = hit ? SPAN_LOOK_HIT : SPAN_LOOK_MISS,
                      .begin = now,
                      .end = now + (cycles ? cycles : 1),
                      .value = va,
                      .flow = first,
                      .unit = g->level[0].of_sm[s->id],
                      .app = gr->asid});
}

/* Its stay in each further level: to the next one, to the walker, or to the answer. */
void trace_translation(gpu_t *g, uint32_t id) {
  const xlat_t *x = &g->xlat.at[id];
  trace_t *t = g->trace;
  for (uint32_t l = 1; l <= x->level && l < g->levels; l++) {
    uint64_t end = g->ev.now;
    if (l < x->level) end = l + 1 < g->levels ? x->t_level[l + 1] : x->t_below;
    add_one(t, (span_t){.kind = SPAN_LEVEL,
                        .begin = x->t_level[l],
                        .end = end,
                        .value = x->vpn.v << g->page_shift,
                        .flow = t->flow_of[id],
                        .unit = g->level[l].of_sm[x->sm],
                        .index = (uint8_t)l,
                        .app = x->asid});
  }
  t->flow_of[id] = 0;
}

/* The reads of a walk that began before the window are not all known. */
void trace_walk(gpu_t *g, uint32_t thread) {
  trace_t *t = g->trace;
  const walk_thread_t *w = &g->walker.thread[thread];
  const xlat_t *x = &g->xlat.at[w->xlat];
  bool known = !g->walker.spec.fixed_cycles && x->t_walk >= t->window.begin;
  if (!has_room(t, LINE_SPANS)) return;
  add(t, (span_t){.kind = SPAN_WALK,
                  .begin = x->t_walk,
                  .end = g->ev.now,
                  .value = x->vpn.v << g->page_shift,
                  .flow = t->flow_of[w->xlat],
                  .unit = (uint16_t)thread,
                  .app = x->asid});
  uint64_t from = x->t_walk;
  for (uint32_t l = 0; known && l < w->level; l++) {
    const walk_step_t *s = &g->observe.thread[thread].step[l];
    uint64_t end = from + s->pwc_cycles + s->l2_cycles + s->dram_cycles;
    if (end > g->ev.now) return;
    add(t, (span_t){.kind = SPAN_WALK_READ,
                    .begin = from,
                    .end = end,
                    .value = s->dram_cycles,
                    .index = (uint8_t)(l + 1)});
    from = end;
  }
}

/* ---- lines ---- */

static uint32_t flow_of_request(const gpu_t *g, const request_t *r, uint32_t id) {
  if (r->kind == REQ_WALK) return g->trace->flow_of[g->walker.thread[r->owner].xlat];
  return g->trace->line[id].flow;
}

void trace_l2(gpu_t *g, uint32_t id, span_kind_t how) {
  const request_t *r = &g->pool.at[id];
  uint64_t now = g->ev.now;
  uint32_t cycles = how == SPAN_L2_BYPASS ? 0 : g->spec.l2.latency_cycles;
  add_one(g->trace, (span_t){.kind = (uint8_t)how,
                             .begin = stamp_full(now, r->t_ret),
                             .end = now + (cycles ? cycles : 1),
                             .value = r->kind == REQ_WALK ? 0 : g->trace->line[id].va,
                             .flow = flow_of_request(g, r, id),
                             .request = id,
                             .unit = r->slice,
                             .index = r->kind == REQ_WALK ? r->level : 0,
                             .app = r->app});
}

/* As sm_charge_memory() divides it; `t` is the begin. */
static void line_parts(trace_t *t, const request_t *r, uint64_t at, uint64_t looked, uint64_t now) {
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
static traced_line_t line_of(const gpu_t *g, uint32_t id) {
  const request_t *r = &g->pool.at[id];
  traced_line_t l = g->trace->line[id];
  if (l.flow) return l;
  l = (traced_line_t){.issued = stamp_full(g->ev.now, r->t_xlat), .va = 0};
  if (r->flags & REQ_SPLIT) l.issued -= r->below;
  if (r->owner != OWNER_NONE) {
    const load_t *load = &g->sm[r->sm].load[r->owner];
    l.issued = load->t_issue;
    l.slot = load->warp->slot;
  }
  l.looked = l.issued + g->spec.sm.lsu_latency;
  return l;
}

void trace_line(gpu_t *g, uint32_t id) {
  trace_t *t = g->trace;
  const request_t *r = &g->pool.at[id];
  traced_line_t l = line_of(g, id);
  t->line[id].flow = 0;
  if (!has_room(t, LINE_SPANS)) return;
  add(t, (span_t){.kind = r->kind == REQ_LOAD    ? SPAN_LOAD
                          : r->kind == REQ_STORE ? SPAN_STORE
                                                 : SPAN_ATOMIC,
                  .begin = l.issued,
                  .end = g->ev.now,
                  .value = l.va,
                  .flow = l.flow,
                  .unit = r->sm,
                  .index = l.slot,
                  .app = r->app});
  line_parts(t, r, l.issued, l.looked, g->ev.now);
}
