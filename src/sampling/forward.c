/* Fast-forward: programs go on, TLBs, caches and page tables change as they would, and time stands
 * still. Nothing is counted.
 *
 *   SMs stop issuing -> nothing is under way -> rounds of instructions -> SMs issue again
 *
 * In a round warps go on to their next memory instruction, oldest first, SM after SM: those for
 * whom enough cycles have passed by a clock of rounds (pace.c). TLBs take a page when its walk has
 * ended by that clock (walks.c). So warps that miss fall behind those that hit, and young ones
 * behind old ones, as with time. Blocks end, others start and host commands run between two rounds,
 * as in phase 4 of a cycle. A kernel's launch latency, and pages that move, take their time: no
 * warp can go on, so the cycles pass.
 *
 * What only time decides is not there: DRAM's open rows, which peer would have answered. Whoever
 * measures lets some cycles pass before. */
#include "gpu/machine.h"

#define FORWARD_STRETCH 64 /* instructions of a warp without a memory access among them */
#define FORWARD_ROUND   WALKS_ROUND
/* Instructions in one cycle: more, and whoever calls gpu_run() for some cycles waits long. */
#define FORWARD_CHUNK 16000

/* ---- one access ---- */

static void forward_unmapped(gpu_t *g, const xlat_t *x) {
  WATCH_TELL(g->tlb.watch.unmapped, x->asid, x->vpn);
}

/* A walk's read of the entry of `level`, at `pa`; true if L2 has it. Those of upper levels mostly
 * read the same entry again. */
ALWAYS_INLINE bool forward_read(gpu_t *g, asid_t app, uint32_t level, uint64_t pa) {
  forward_read_t *last = &g->sampling.read[level];
  uint8_t sector = (uint8_t)(1u << (pa & g->walker.line_mask) / SECTOR_BYTES);
  bool again = last->pa == pa && last->app == app;
  if (again && l2_warm_again(&last->spot, sector)) return true;
  request_t r = {.app = app, .kind = REQ_WALK};
  walk_prepare(&g->walker, &r, level, pa, addrmap_place_of(&g->map, app, pa));
  bool there = l2_warm(&g->l2, &r);
  if (again)
    l2_warm_note(&g->l2, &r, &last->spot);
  else
    *last = (forward_read_t){.pa = pa, .app = app};
  return there;
}

/* The reads of the walk for `x` go to the page-walk cache and to L2. False if there is no page;
 * else *cycles: what it takes alone. */
NEVER_INLINE bool forward_walk(gpu_t *g, xlat_t *x, uint32_t *cycles) {
  walker_t *w = &g->walker;
  mm_walk_t path;
  mm_walk(g->memory.mm, x->asid, x->vpn, &path);
  if (!path.mapped) return false;
  *cycles = w->spec.fixed_cycles ? w->spec.fixed_cycles : 1;
  if (!g->sampling.caches) *cycles += path.levels * g->l2.spec.latency_cycles;
  for (uint32_t level = 0; level < path.levels && !w->spec.fixed_cycles && g->sampling.caches;
       level++) {
    uint64_t pa = path.entry[level].v;
    if (w->spec.pwc && pwc_holds(w, &path, level)) {
      if (walker_pwc_lookup(w, x->asid, level, path.entry[level])) continue;
      walker_pwc_fill(w, x->asid, level, path.entry[level]);
    }
    *cycles += g->l2.spec.latency_cycles;
    if (forward_read(g, x->asid, level, pa)) continue;
    *cycles += g->sampling.dram_cycles;
    g->sampling.fills++;
  }
  x->ppn = path.ppn;
  x->large = path.large;
  return true;
}

/* Begins a walk for the page of `x`; WALK_NOT if there is no such page. Without caches reads go
 * nowhere, so the page table need not tell them once it is known what walks take. */
NEVER_INLINE uint32_t forward_walk_begin(gpu_t *g, xlat_t *x, uint32_t last, uint64_t hash,
                                         uint64_t at) {
  forward_unit_t *u = walks_unit(g, x->asid);
  uint32_t alone = 0;
  bool known = !g->sampling.caches && u->cycles;
  if (!(known ? mm_translate(g->memory.mm, x->asid, x->vpn, &x->ppn, &x->large)
              : forward_walk(g, x, &alone)))
    return WALK_NOT;
  if (!u->cycles) u->cycles = alone;
  return walks_begin(g, u, x, last, hash, at);
}

/* What translation takes is as long as that of the slowest page. */
static void forward_longer(forward_wait_t *of, uint64_t arrived) {
  of->arrived = later(of->arrived, arrived);
}

/* A page that the first level does not have, nor waits for. */
static bool forward_behind(gpu_t *g, xlat_t *x, uint64_t hash, uint32_t walk, forward_wait_t *of) {
  forward_walks_t *s = &g->sampling.walks;
  uint32_t found = tlb_warm_further(&g->tlb, x, hash);
  uint64_t at = g->sampling.clock;
  for (uint32_t l = 1; l <= found && l < g->tlb.levels; l++)
    at = tlb_port_grant(&tlb_instance(&g->tlb, l, x->sm)->port, at) +
         g->spec.tlb_level[l].latency_cycles;
  if (found < g->tlb.levels) {
    tlb_warm_fill(&g->tlb, x, found);
    if (at > g->sampling.clock + FORWARD_ROUND) walks_hold(g, x->tlb, at);
    forward_longer(of, at);
    return true;
  }
  if (walk == WALK_NOT) {
    walk = forward_walk_begin(g, x, g->tlb.level[g->tlb.levels - 1].of_sm[x->sm], hash, at);
    if (walk == WALK_NOT) return false;
  } else {
    x->ppn = s->at[walk].ppn, x->large = s->at[walk].large;
  }
  walks_join(s, walk, x->tlb, x->sm);
  forward_longer(of, later(at, s->at[walk].end));
  return true;
}

/* A page that the first level does not have. */
NEVER_INLINE bool forward_miss(gpu_t *g, xlat_t *x, uint64_t hash, forward_wait_t *of) {
  forward_walks_t *s = &g->sampling.walks;
  uint32_t last = g->tlb.level[g->tlb.levels - 1].of_sm[x->sm];
  uint32_t walk = walks_find(s, x->key, hash, last);
  if (walk == WALK_NOT || !walks_has(s, walk, x->tlb)) return forward_behind(g, x, hash, walk, of);
  x->ppn = s->at[walk].ppn, x->large = s->at[walk].large;
  forward_longer(of, s->at[walk].end);
  return true;
}

/* The frame of a page, in *to; false if there is none. */
NEVER_INLINE bool forward_any(gpu_t *g, const sm_t *s, const warp_t *w, uint64_t page,
                              forward_page_t *to, forward_wait_t *of) {
  tlbs_t *c = &g->tlb;
  xlat_t x; /* a hit uses no more of it than this */
  uint32_t order = order_of(s, w, page);
  x.order = (uint8_t)order;
  x.vpn = (vpn_t){page >> order << order}, x.asid = w->app, x.sm = (uint16_t)s->id;
  x.key = tlb_page_key(x.asid, x.vpn);
  bool there = true, hit = true;
  if (!c->translate) {
    there = mm_translate(g->memory.mm, x.asid, x.vpn, &x.ppn, &x.large);
  } else {
    uint64_t hash = assoc_hash(x.key);
    hit = tlb_warm_first(c, &x, hash);
    if (!hit) {
      x.tlb = c->level[0].of_sm[s->id], x.warp = w->slot, x.remote = false;
      there = forward_miss(g, &x, hash, of);
    }
  }
  if (!there) {
    forward_unmapped(g, &x);
    return false;
  }
  if (c->check) check_translation(c, x.asid, x.vpn, x.ppn);
  *to = (forward_page_t){hit ? page : UINT64_MAX, x.ppn, w->app, order};
  return true;
}

/* With the usual TLBs: a walk begins, for a page that no TLB has; WALK_NOT if there is no page. */
ALWAYS_INLINE uint32_t usual_walk(gpu_t *g, const forward_sm_t *f, const warp_t *w, uint64_t key,
                                  uint64_t hash, uint64_t at) {
  xlat_t x; /* what a walk uses of it */
  x.key = key, x.vpn = (vpn_t){key << 8 >> 8}, x.asid = w->app, x.sm = f->sm;
  x.warp = w->slot, x.order = 0;
  uint32_t walk = forward_walk_begin(g, &x, f->last_tlb, hash, at);
  if (walk == WALK_NOT) forward_unmapped(g, &x);
  return walk;
}

/* With the usual TLBs: a page that the first level does not have; like forward_miss(). */
NEVER_INLINE bool usual_miss(gpu_t *g, const forward_sm_t *f, const warp_t *w, uint64_t key,
                             forward_page_t *to, forward_wait_t *of) {
  forward_walks_t *s = &g->sampling.walks;
  tlb_instance_t *last = f->last;
  uint64_t hash = assoc_hash(key), clock = g->sampling.clock;
  uint32_t walk = walks_find(s, key, hash, f->last_tlb);
  to->page = UINT64_MAX, to->order = 0;
  if (walk != WALK_NOT && walks_has(s, walk, f->tlb)) {
    to->ppn = s->at[walk].ppn;
    forward_longer(of, s->at[walk].end);
    return true;
  }
  uint32_t i = tlb_usual_last(&last->array, key, hash);
  uint64_t at = tlb_port_grant(&last->port, clock) + g->spec.tlb_level[1].latency_cycles;
  if (i != ASSOC_NONE) {
    to->ppn = (ppn_t){last->array.ppn[i]};
    tlb_usual_fill_first(&g->tlb, f->first, key, hash, to->ppn);
    if (at > clock + FORWARD_ROUND) walks_hold(g, f->tlb, at);
    forward_longer(of, at);
    return true;
  }
  if (walk == WALK_NOT) walk = usual_walk(g, f, w, key, hash, at);
  if (walk == WALK_NOT) return false;
  to->ppn = s->at[walk].ppn;
  walks_join(s, walk, f->tlb, f->sm);
  forward_longer(of, later(at, s->at[walk].end));
  return true;
}

/* The frame of a page, in *to; false if there is none. *to is what the first-level TLB was asked
 * for last: to use that once more would change nothing. */
ALWAYS_INLINE bool forward_translate(gpu_t *g, const forward_sm_t *f, const sm_t *s,
                                     const warp_t *w, uint64_t page, forward_page_t *to,
                                     forward_wait_t *of) {
  if (to->page == page && to->app == w->app) return true;
  if (!g->sampling.walks.usual) return forward_any(g, s, w, page, to, of);
  uint64_t key = tlb_key(w->app, page);
  uint32_t i = tlb_usual_first(f->first, key, assoc_hash(key));
  if (i == ASSOC_NONE) return usual_miss(g, f, w, key, to, of);
  *to = (forward_page_t){page, {f->first->ppn[i]}, w->app, 0};
  return true;
}

/* Where the SM's TLBs are. */
static void forward_note_tlbs(gpu_t *g, uint32_t sm) {
  forward_sm_t *f = &g->sampling.sm[sm];
  tlbs_t *c = &g->tlb;
  f->sm = (uint16_t)sm;
  f->tlb = c->level[0].of_sm[sm];
  if (c->levels < 2) return; /* it has no second level, so not the usual TLBs */
  f->last_tlb = c->level[1].of_sm[sm];
  f->first = &c->level[0].at[f->tlb].array;
  f->last = &c->level[1].at[f->last_tlb];
}

/* A line, whose physical address `r` has. Returns its cycles beyond L1. */
ALWAYS_INLINE uint32_t forward_line(gpu_t *g, const sm_t *s, request_t *r) {
  if (!l1_warm(&g->l1, s->id, r)) return 0;
  addrmap_settle(&g->map, r, addrmap_place_of(&g->map, r->app, r->addr));
  if (l2_warm(&g->l2, r)) return g->sampling.l2_cycles;
  g->sampling.fills++;
  return g->sampling.l2_cycles + g->sampling.dram_cycles;
}

ALWAYS_INLINE uint64_t forward_address(const gpu_t *g, const forward_page_t *at, uint64_t va) {
  return frame_of(&g->tlb, at->ppn) | (va & page_mask(&g->tlb, at->order));
}

/* What lines of an access took beyond its translation. */
ALWAYS_INLINE void forward_note_lines(gpu_t *g, uint32_t cycles) {
  g->sampling.line_cycles += cycles;
  g->sampling.line_accesses++;
}

/* The pages of an access, each once, in the order of its lanes. */
typedef struct {
  uint64_t most; /* one above this is new, and so is one whose bit is not in */
  uint64_t seen; /* by the lowest bits of their numbers; else it may be one of these: */
  uint32_t count;
  uint8_t last[64], before[COALESCE_MAX]; /* by those bits: the last one, and that before it */
  uint64_t page[COALESCE_MAX];
} access_pages_t;
#define PAGE_NONE UINT8_MAX

ALWAYS_INLINE void access_pages_add(access_pages_t *set, uint64_t page) {
  uint32_t place = page & 63;
  uint8_t last = set->seen >> place & 1 ? set->last[place] : PAGE_NONE;
  if (page <= set->most)
    for (uint8_t i = last; i != PAGE_NONE; i = set->before[i])
      if (set->page[i] == page) return;
  set->most = later(set->most, page);
  set->seen |= 1ull << place;
  set->before[set->count] = last;
  set->last[place] = (uint8_t)set->count;
  set->page[set->count++] = page;
}

ALWAYS_INLINE void access_pages(const warp_op_t *op, uint32_t shift, access_pages_t *set) {
  uint64_t before = UINT64_MAX, last = UINT64_MAX; /* that of a stride, whose pages go one way */
  set->seen = set->most = 0;
  set->count = 0;
  if (op->mode != ADDR_LIST) last = coalesce_address(op, WARP_LANES - 1) >> shift;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t page = coalesce_address(op, (uint32_t)__builtin_ctz(m)) >> shift;
    if (page == before) continue;
    access_pages_add(set, before = page);
    if (page == last) break;
  }
}

/* All pages are looked up; false if one is not there. */
ALWAYS_INLINE bool forward_each(gpu_t *g, const forward_sm_t *f, const sm_t *s, const warp_t *w,
                                const access_pages_t *set, forward_page_t *to, forward_wait_t *of) {
  for (uint32_t i = 0; i < set->count; i++)
    if (!forward_translate(g, f, s, w, set->page[i], to, of)) return false;
  return true;
}

/* The same with the usual TLBs: only the first page can be that of the look-up before. */
ALWAYS_INLINE bool usual_pages(gpu_t *g, const forward_sm_t *f, const warp_t *w,
                               const access_pages_t *set, forward_page_t *to, forward_wait_t *of) {
  tlb_t *first = f->first;
  uint32_t app = w->app, last = ASSOC_NONE;
  for (uint32_t i = set->count && to->page == set->page[0] && to->app == app; i < set->count; i++) {
    uint64_t key = tlb_key((asid_t)app, set->page[i]);
    last = tlb_usual_first(first, key, assoc_hash(key));
    if (last == ASSOC_NONE && !usual_miss(g, f, w, key, to, of)) return false;
  }
  if (last != ASSOC_NONE)
    *to = (forward_page_t){set->page[set->count - 1], {first->ppn[last]}, app, 0};
  return true;
}

/* The memory instruction `in`, whose lanes are in s->op, as far as TLBs know of it: its lines took
 * what they do on the average. */
static forward_wait_t forward_pages(gpu_t *g, const forward_sm_t *f, const sm_t *s,
                                    const warp_t *w) {
  forward_page_t *to = &g->sampling.page[f->tlb];
  forward_wait_t x = {.data = g->sampling.l1_cycles};
  access_pages_t set;
  access_pages(&s->op, s->page_shift, &set);
  if (!(g->sampling.walks.usual ? usual_pages(g, f, w, &set, to, &x)
                                : forward_each(g, f, s, w, &set, to, &x)))
    return x;
  g->sampling.pages = set.count;
  if (s->op.mask) x.data += g->sampling.line_mean;
  return x;
}

/* The same of TLBs and caches. */
static forward_wait_t forward_access(gpu_t *g, const forward_sm_t *f, sm_t *s, const warp_t *w,
                                     const decoded_t *in) {
  forward_page_t *to = &g->sampling.page[f->tlb];
  uint64_t page = UINT64_MAX;
  uint32_t most = 0;
  forward_wait_t x = {.data = g->sampling.l1_cycles};
  request_t r;
  access_pages_t set;
  set.seen = set.most = 0;
  set.count = 0;
  r.what = in->whole_line | w->who;
  g->sampling.pages = 1;
  if (one_whole_line(s, in->width_bytes)) {
    if (!forward_translate(g, f, s, w, s->op.base >> s->page_shift, to, &x)) return x;
    r.addr = forward_address(g, to, s->op.base);
    uint32_t line = forward_line(g, s, &r);
    forward_note_lines(g, line);
    x.data += line;
    return x;
  }
  if (!s->op.mask) return x;
  bool full = in->request_full && g->l2.policy->outcome; /* nobody else asks */
  coalesce(&s->op, in->width_bytes, s->line_shift, full, &s->co);
  for (uint32_t i = 0; i < s->co.lines; i++) {
    uint64_t va = s->co.line[i] << s->line_shift;
    if (va >> s->page_shift != page) {
      page = va >> s->page_shift;
      access_pages_add(&set, page);
      if (!forward_translate(g, f, s, w, page, to, &x)) return x;
    }
    r.addr = forward_address(g, to, va);
    r.sectors = s->co.sectors[i];
    r.full = full ? s->co.full[i] : r.sectors;
    uint32_t line = forward_line(g, s, &r);
    if (line > most) most = line;
  }
  forward_note_lines(g, most + s->co.lines);
  g->sampling.pages = set.count;
  x.data += most + s->co.lines;
  return x;
}

/* ---- one round ---- */

/* To the warp's next memory instruction, barrier or end; returns the instructions. *of is what that
 * instruction takes. */
static uint32_t forward_warp(gpu_t *g, const forward_sm_t *f, sm_t *s, warp_t *w, uint64_t most,
                             forward_wait_t *of) {
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
    if (in->kind == OP_MEMORY) {
      *of = g->sampling.caches ? forward_access(g, f, s, w, in) : forward_pages(g, f, s, w);
      if (!in->dsts) *of = (forward_wait_t){.data = 1}; /* nobody waits for a store */
    }
    if (in->kind >= OP_BARRIER || next == STREAM_END) {
      issue_stop(s, now, w, in, next);
      return n;
    }
    advance(s, w, in, next);
    if (in->kind == OP_MEMORY || n == most) return n;
  }
}

/* Warp `w` goes on, of scheduler k; returns its instructions. Its not_before is when its last
 * access is over, by the clock of rounds. */
ALWAYS_INLINE uint32_t forward_go(gpu_t *g, forward_sm_t *f, sm_t *s, uint32_t k, warp_t *w) {
  uint64_t *left = &g->sampling.left[w->app];
  forward_wait_t of = {0};
  uint32_t did = forward_warp(g, f, s, w, *left, &of);
  w->not_before = pace_next(g, w, did, of);
  f->issue[k] -= (int64_t)did;
  if (of.data) f->lsu -= (int64_t)(f->pages = g->sampling.pages);
  *left -= did;
  g->sampling.forwarded[w->app] += did;
  return did;
}

/* The SM takes no more of the scheduler's warps in this round; then *due is when it may. */
ALWAYS_INLINE bool forward_stands(const gpu_t *g, const forward_sm_t *f, uint32_t k,
                                  uint64_t *due) {
  bool full = walks_full(g, f->tlb, f->pages);
  if (f->lsu > 0 && f->issue[k] > 0 && !full && !g->ev.failed) return false;
  *due = full ? walks_due(g, f->tlb) : g->sampling.clock;
  return true;
}

/* The warps of one scheduler that can, the oldest first or, if it is not greedy, in turn; returns
 * their instructions. Lowers *due to when one of those that are left goes on. */
ALWAYS_INLINE uint64_t forward_scheduler(gpu_t *g, sm_t *s, forward_sm_t *f, uint32_t k,
                                         uint64_t *due) {
  uint64_t n = 0, clock = g->sampling.clock, next = *due, mine = s->ready & s->mine[k];
  const uint64_t *left = g->sampling.left;
  uint64_t turn = s->greedy || !s->resident ? 0 : clock / FORWARD_ROUND;
  uint64_t later_ones = turn ? (1ull << turn % later(s->resident, 1)) - 1 : 0;
  for (uint64_t m = mine & ~later_ones, rest = mine & later_ones; m | rest; m = rest, rest = 0)
    for (; m; m &= m - 1) {
      warp_t *w = s->by_age[__builtin_ctzll(m)];
      if (!left[w->app]) continue;
      if (w->not_before <= clock) {
        if (forward_stands(g, f, k, due)) return n;
        n += forward_go(g, f, s, k, w);
      }
      next = earlier(next, w->not_before);
    }
  *due = next;
  return n;
}

static int64_t forward_credit(int64_t had, uint64_t pace, uint64_t cycles) {
  int64_t most = (int64_t)(pace * FORWARD_ROUND), has = had + (int64_t)(pace * cycles);
  return has < most ? has : most;
}

/* Every warp that can, scheduler after scheduler: who comes first has the load/store unit. */
static uint64_t forward_sm(gpu_t *g, sm_t *s) {
  uint64_t n = 0, clock = g->sampling.clock, due = UINT64_MAX;
  forward_sm_t *f = &g->sampling.sm[s->id];
  if (f->due > clock && f->ready == s->ready) return 0;
  if (g->sampling.walks.units) walks_release(g, g->tlb.level[0].of_sm[s->id], clock);
  uint64_t cycles = earlier(clock - f->clock, FORWARD_ROUND);
  f->lsu = forward_credit(f->lsu, pace_most(g), cycles);
  f->clock = clock;
  for (uint32_t k = 0; k < s->schedulers; k++) {
    f->issue[k] = forward_credit(f->issue[k], 1, cycles);
    n += forward_scheduler(g, s, f, k, &due);
  }
  f->due = due;
  f->ready = s->ready;
  if (s->rare) {
    s->rare = false;
    if (s->failed) source_failed(g, s);
    if (s->ended) share_ended(&g->share, s->id);
  }
  return n;
}

/* Pages may have changed. */
static void forward_forget(gpu_t *g) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++) g->sampling.page[i].page = UINT64_MAX;
}

/* The first round from `clock` on in which a warp goes on. */
static uint64_t forward_round(gpu_t *g, const gpu_limits_t *limits) {
  sampling_t *s = &g->sampling;
  uint64_t n = 0, next;
  do {
    next = UINT64_MAX;
    walks_attend(g);
    for (uint32_t i = 0; i < g->spec.core.sms && !g->ev.failed; i++) {
      n += forward_sm(g, &g->cores.sm[i]);
      next = earlier(next, s->sm[i].due);
    }
    if (n || next != UINT64_MAX) s->clock += FORWARD_ROUND;
    if (!n && next != UINT64_MAX) s->clock = later(s->clock, next);
  } while (!n && next != UINT64_MAX && !g->ev.failed);
  if (!g->ev.failed && (g->share.any_ended || g->share.due)) {
    share_attend(&g->share, limits);
    sampling_note_kernels(g);
    forward_forget(g);
    walks_forget(g);
  }
  return n;
}

/* Who may go on has changed: no SM waits for its time. */
static void forward_ask_all(gpu_t *g) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++) g->sampling.sm[i].due = 0;
}

/* No warp goes on of those applications that are to: where others, which have done their share,
 * hold the SMs (share.mode=threads), these go on in their place. */
static void forward_pass_on(gpu_t *g) {
  uint64_t *left = g->sampling.left, rest = 0;
  uint64_t ready[GMMU_MAX_APPS] = {0};
  forward_ask_all(g);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    const sm_t *s = &g->cores.sm[i];
    for (uint64_t m = s->ready; m; m &= m - 1) ready[s->by_age[__builtin_ctzll(m)]->app]++;
  }
  for (uint32_t a = 0; a < g->share.apps; a++) {
    const app_t *p = &g->share.app[a];
    if (!left[a] || !p->started) continue;
    rest += left[a];
    left[a] = 0;
  }
  uint32_t to = 0;
  while (to + 1 < g->share.apps && !ready[to]) to++;
  left[to] += rest;
}

/* ---- caches ---- */

/* What is in a cache came with its last lines. So caches are kept warm at the end of a skip alone,
 * while L2 takes FORWARD_TURNS times the lines it holds. How long that is, the beginning of the
 * skip shows; where that is not enough, caches are kept warm until it is. TLBs, which may hold a
 * page for long, are all the time. Half of that, learned in a 64th, is faster, but of 40
 * comparisons (docs/windows.md) two more were outside. */
#define FORWARD_TURNS 4
#define FORWARD_LOOK  16 /* this part of a skip is its beginning */

static uint64_t forward_tail(const gpu_t *g) {
  const sampling_t *s = &g->sampling;
  uint64_t lines = (uint64_t)g->l2.slices * g->l2.slice->array.sets * g->l2.slice->array.ways;
  return s->fills ? FORWARD_TURNS * lines * s->cached / s->fills : UINT64_MAX;
}

/* For the next instructions, so many at the most. */
static uint64_t forward_choose(gpu_t *g) {
  sampling_t *s = &g->sampling;
  uint64_t left = 0, done = 0;
  for (uint32_t a = 0; a < s->apps; a++) left += s->left[a], done += s->forwarded[a];
  done -= s->forwarded_before;
  if (s->caches && done) s->tail = later(s->tail_before, forward_tail(g));
  bool beginning = done <= (done + left) / FORWARD_LOOK || !s->line_accesses;
  s->caches = s->launches || beginning || left <= s->tail;
  if (!s->caches) s->line_mean = (uint32_t)(s->line_cycles / s->line_accesses);
  return s->caches ? FORWARD_CHUNK : earlier(FORWARD_CHUNK, left - s->tail);
}

/* A skip begins, ends. */
static void forward_caches_begin(gpu_t *g) {
  sampling_t *s = &g->sampling;
  s->fills = s->cached = s->line_cycles = s->line_accesses = s->forwarded_before = 0;
  for (uint32_t a = 0; a < s->apps; a++) s->forwarded_before += s->forwarded[a];
  s->tail = UINT64_MAX;
}
static void forward_caches_end(gpu_t *g) { g->sampling.tail_before = forward_tail(g); }

/* ---- from time to no time, and back ---- */

/* Nothing is under way. */
static bool forward_quiet(const gpu_t *g) {
  if (g->cores.held || g->xlat.used || g->moves.on || g->walker.active) return false;
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
  restart_note(g);
  forward_ask_all(g);
  forward_forget(g);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    forward_note_tlbs(g, i);
    sm_skip(&g->cores.sm[i], true);
  }
  walks_learn(g);
  forward_caches_begin(g);
  g->cores.forwarding = true;
  g->sampling.stopped = g->ev.now;
  moves_note_issue(&g->moves);
}

static void forward_end(gpu_t *g) {
  forward_caches_end(g);
  walks_finish(g);
  g->cores.forwarding = false;
  moves_note_issue(&g->moves);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    sm_t *s = &g->cores.sm[i];
    sm_skip(s, false);
    sm_wake_memory(s, g->ev.now + 1, s->ready & s->wants[UNIT_MEM]);
    cores_wake(&g->cores, i);
  }
  if (g->spec.sampling.warm) restart_spread(g);
}

/* Phase 4 of a cycle in which SMs do not issue. */
void forward_attend(gpu_t *g, const gpu_limits_t *limits) {
  if (!forward_quiet(g)) return;
  for (uint32_t a = 0; a < g->share.apps; a++) /* that is heard in the next cycle */
    if (g->cores.idle_at[a] == g->ev.now) g->sampling.again = true;
  if (g->sampling.again) return;
  forward_charge(g);
  if (g->sampling.drains) restart_drained(g);
  pace_fit(g);
  walks_forget(g);
  uint64_t most = forward_choose(g);
  for (uint64_t n = 0; n < most && !sampling_forwarded(g);) {
    uint64_t did = forward_round(g, limits);
    n += did;
    g->sampling.cached += g->sampling.caches ? did : 0;
    if (g->ev.failed || g->share.over) return;
    g->sampling.again |= did > 0;
    if (!did && !g->share.due && !g->moves.on) forward_pass_on(g);
    /* no warp can go on, or something comes with the next cycle */
    if (!did || g->moves.on || engine_next(&g->ev) == g->ev.now + 1) break;
  }
  if (sampling_forwarded(g)) forward_end(g);
}
