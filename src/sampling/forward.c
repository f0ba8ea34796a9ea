/* Fast-forward: programs go on, TLBs, caches and page tables change as they would, and time stands
 * still. Nothing is counted.
 *
 *   SMs stop issuing -> nothing is under way -> rounds of instructions -> SMs issue again
 *
 * In a round every warp goes on to its next memory instruction, oldest first, SM after SM. Blocks
 * end, others start and host commands run between two rounds, as in phase 4 of a cycle. A kernel's
 * launch latency, and pages that move, take their time: no warp can go on, so the cycles pass.
 *
 * What only time decides is not there: DRAM's open rows, which of two misses joins the other, which
 * peer would have answered. Whoever measures lets some cycles pass before. */
#include "gpu/machine.h"

#define FORWARD_STRETCH 64 /* instructions of a warp without a memory access among them */
/* Instructions in one cycle: more, and whoever calls gpu_run() for some cycles waits long. */
#define FORWARD_CHUNK 16000

/* ---- one access ---- */

static void forward_unmapped(gpu_t *g, const xlat_t *x) {
  WATCH_TELL(g->tlb.watch.unmapped, x->asid, x->vpn);
}

/* The walk for `x`: its reads go to the page-walk cache and to L2. */
static bool forward_walk(gpu_t *g, xlat_t *x) {
  walker_t *w = &g->walker;
  mm_walk_t path;
  mm_walk(g->memory.mm, x->asid, x->vpn, &path);
  if (!path.mapped) return false;
  for (uint32_t level = 0; level < path.levels && !w->spec.fixed_cycles; level++) {
    uint64_t pa = path.entry[level].v;
    if (w->spec.pwc && pwc_holds(w, &path, level)) {
      if (walker_pwc_lookup(w, x->asid, path.entry[level])) continue;
      walker_pwc_fill(w, x->asid, path.entry[level]);
    }
    request_t r = {.app = x->asid, .kind = REQ_WALK};
    walk_prepare(w, &r, level, pa, addrmap_place_of(&g->map, r.app, pa));
    l2_warm(&g->l2, &r);
  }
  x->ppn = path.ppn;
  x->large = path.large;
  return true;
}

/* Of a page that the first level does not have. */
NEVER_INLINE bool forward_miss(gpu_t *g, xlat_t *x, uint32_t found) {
  if (found == g->tlb.levels && !forward_walk(g, x)) return false;
  tlb_warm_fill(&g->tlb, x, found);
  return true;
}

/* The frame of a page; false if there is none. */
ALWAYS_INLINE bool forward_translate(gpu_t *g, const sm_t *s, const warp_t *w, uint64_t page,
                                     uint64_t *frame, uint64_t *mask) {
  tlbs_t *c = &g->tlb;
  xlat_t x; /* a hit uses no more of it than this */
  uint32_t order = order_of(s, w, page);
  x.order = (uint8_t)order, *mask = page_mask(c, order);
  x.vpn = (vpn_t){page >> order << order}, x.asid = w->app, x.sm = (uint16_t)s->id;
  x.key = tlb_page_key(x.asid, x.vpn);
  bool there = true;
  if (!c->translate) {
    there = mm_translate(g->memory.mm, x.asid, x.vpn, &x.ppn, &x.large);
  } else {
    uint32_t found = tlb_warm_look_up(c, &x);
    if (found) {
      x.tlb = c->level[0].of_sm[s->id], x.warp = w->slot, x.remote = false;
      there = forward_miss(g, &x, found);
    }
  }
  if (!there) {
    forward_unmapped(g, &x);
    return false;
  }
  if (c->check) check_translation(c, x.asid, x.vpn, x.ppn);
  *frame = frame_of(c, x.ppn);
  return true;
}

/* A line, whose physical address `r` has. */
ALWAYS_INLINE void forward_line(gpu_t *g, const sm_t *s, request_t *r) {
  if (!l1_warm(&g->l1, s->id, r)) return;
  addrmap_settle(&g->map, r, addrmap_place_of(&g->map, r->app, r->addr));
  l2_warm(&g->l2, r);
}

/* The memory instruction `in`, whose lanes are in s->op. */
static void forward_access(gpu_t *g, sm_t *s, const warp_t *w, const decoded_t *in) {
  uint64_t frame = 0, page = UINT64_MAX, mask = 0;
  request_t r;
  r.what = in->whole_line | w->who;
  if (one_whole_line(s, in->width_bytes)) {
    if (!forward_translate(g, s, w, s->op.base >> s->page_shift, &frame, &mask)) return;
    r.addr = frame | (s->op.base & mask);
    forward_line(g, s, &r);
    return;
  }
  if (!s->op.mask) return;
  bool full = in->request_full && g->l2.policy->outcome; /* nobody else asks */
  coalesce(&s->op, in->width_bytes, s->line_shift, full, &s->co);
  for (uint32_t i = 0; i < s->co.lines; i++) {
    uint64_t va = s->co.line[i] << s->line_shift;
    if (va >> s->page_shift != page) {
      page = va >> s->page_shift;
      if (!forward_translate(g, s, w, page, &frame, &mask)) return;
    }
    r.addr = frame | (va & mask);
    r.sectors = s->co.sectors[i];
    r.full = full ? s->co.full[i] : r.sectors;
    forward_line(g, s, &r);
  }
}

/* ---- one round ---- */

/* To the warp's next memory instruction, barrier or end; returns the instructions. */
static uint32_t forward_warp(gpu_t *g, sm_t *s, warp_t *w, uint64_t most) {
  uint64_t now = g->ev.now;
  if (most > FORWARD_STRETCH) most = FORWARD_STRETCH;
  for (uint32_t n = 0, next;;) {
    const decoded_t *in = w->in;
    if (w->src->ops->skim) {
      n += w->src->ops->skim(w->src, w->source_slot, (uint32_t)most - n, &next);
      in = advance(s, w, in, next);
      if (n == most) return n;
    }
    next = w->step(w->src, now, w->source_slot, &s->op);
    if (next == STREAM_FAIL) {
      issue_failed(s, w);
      return n;
    }
    n++;
    if (in->kind == OP_MEMORY) forward_access(g, s, w, in);
    if (in->kind >= OP_BARRIER || next == STREAM_END) {
      issue_stop(s, now, w, in, next);
      return n;
    }
    advance(s, w, in, next);
    if (in->kind == OP_MEMORY || n == most) return n;
  }
}

/* Every warp that can; returns their instructions. */
static uint64_t forward_sm(gpu_t *g, sm_t *s) {
  uint64_t n = 0, *left = g->sampling.left;
  for (uint64_t m = s->ready; m && !g->ev.failed; m &= m - 1) {
    warp_t *w = s->by_age[__builtin_ctzll(m)];
    if (!left[w->app]) continue;
    uint32_t did = forward_warp(g, s, w, left[w->app]);
    left[w->app] -= did;
    g->sampling.forwarded[w->app] += did;
    n += did;
  }
  if (s->rare) {
    s->rare = false;
    if (s->failed) source_failed(g, s);
    if (s->ended) share_ended(&g->share, s->id);
  }
  return n;
}

static uint64_t forward_round(gpu_t *g, const gpu_limits_t *limits) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->spec.core.sms && !g->ev.failed; i++)
    n += forward_sm(g, &g->cores.sm[i]);
  if (!g->ev.failed && (g->share.any_ended || g->share.due)) share_attend(&g->share, limits);
  return n;
}

/* No warp goes on of those applications that are to: where others, which have done their share,
 * hold the SMs (share.mode=threads), these go on in their place. */
static void forward_pass_on(gpu_t *g) {
  uint64_t *left = g->sampling.left, rest = 0;
  uint64_t ready[GMMU_MAX_APPS] = {0};
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    const sm_t *s = &g->cores.sm[i];
    for (uint64_t m = s->ready; m; m &= m - 1) ready[s->by_age[__builtin_ctzll(m)]->app]++;
  }
  for (uint32_t a = 0; a < g->share.apps; a++) {
    const app_t *p = &g->share.app[a];
    if (!left[a] || !p->running || p->waiting_launch) continue;
    rest += left[a];
    left[a] = 0;
  }
  uint32_t to = 0;
  while (to + 1 < g->share.apps && !ready[to]) to++;
  left[to] += rest;
}

/* ---- from time to no time, and back ---- */

/* Nothing is under way. */
static bool forward_quiet(const gpu_t *g) {
  if (g->xlat.used || g->moves.on || g->walker.active) return false;
  for (uint32_t a = 0; a < g->share.apps; a++)
    if (g->share.lines[a]) return false;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    if (!sm_quiet(&g->cores.sm[i])) return false;
  for (uint32_t i = 0; i < g->l2.slices; i++) /* lines that come for nobody */
    if (mshr_used(&g->l2.slice[i].mshr)) return false;
  return true;
}

/* Every cycle up to and with this one is charged. */
static void forward_charge(gpu_t *g) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    sm_pause(&g->cores.sm[i], g->sampling.stopped, g->ev.now + 1);
  g->sampling.stopped = g->ev.now + 1;
}

void forward_begin(gpu_t *g) {
  g->cores.forwarding = true;
  g->sampling.stopped = g->ev.now;
  moves_note_issue(&g->moves);
}

static void forward_end(gpu_t *g) {
  g->cores.forwarding = false;
  moves_note_issue(&g->moves);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    sm_t *s = &g->cores.sm[i];
    sm_wake_memory(s, g->ev.now + 1, s->ready & s->wants[UNIT_MEM]);
    cores_wake(&g->cores, i);
  }
}

/* Phase 4 of a cycle in which SMs do not issue. */
void forward_attend(gpu_t *g, const gpu_limits_t *limits) {
  if (!forward_quiet(g)) return;
  for (uint32_t a = 0; a < g->share.apps; a++) /* that is heard in the next cycle */
    if (g->cores.idle_at[a] == g->ev.now) g->sampling.again = true;
  if (g->sampling.again) return;
  forward_charge(g);
  for (uint64_t n = 0; n < FORWARD_CHUNK && !sampling_forwarded(g);) {
    uint64_t did = forward_round(g, limits);
    n += did;
    if (g->ev.failed || g->share.over) return;
    g->sampling.again |= did > 0;
    if (!did && !g->share.due && !g->moves.on) forward_pass_on(g);
    /* no warp can go on, or something comes with the next cycle */
    if (!did || g->moves.on || engine_next(&g->ev) == g->ev.now + 1) break;
  }
  if (sampling_forwarded(g)) forward_end(g);
}
