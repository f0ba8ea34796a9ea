/* Walker threads, their counters and the page-walk cache. The way of a walk:
 *
 *   walker_queue -> walk_begin -> walk_read -> L2 -> walker_reply -> ... -> walk_done -> TLBs */
#include "walk/walker.h"
#include "base/inline.h"
#include "cache/l2.h"
#include "engine/messages.h"
#include "map/addrmap.h"
#include "map/memory.h"
#include "tlb/xlat.h"
#include "walk/walkpolicy.h"
#include <stdlib.h>
#include <string.h>

const opt_t walk_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(walk_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(threads, "threads", 1, 4096, 64, "walks", "walks under way at once"),
    {"policy", OPT_NAME, offsetof(walk_spec_t, policy), 0, 0, 0, "",
     "which of the walks that wait is next", walk_policy_name, "fifo"},
    U32(fixed_cycles, "fixed", 0, 100000, 0, "cycles",
        "0: real reads; else every walk takes this long"),
    U32(read_cycles, "read", 0, 10000, 0, "cycles",
        "0: reads go through L2; else a read of one level that the page-walk cache lacks takes "
        "this long, as many simulators have it"),
    U32(hop_cycles, "hop", 0, 1000, 0, "cycles", "between walker and L2 slice, each way"),
    {"pwc", OPT_BOOL, offsetof(walk_spec_t, pwc), 0, 1, 0, "", "page-walk cache", NULL, NULL},
    {"pwc_leaf", OPT_BOOL, offsetof(walk_spec_t, pwc_leaf), 0, 1, 0, "",
     "the page-walk cache holds leaf entries too", NULL, NULL},
    U32(pwc_bytes, "pwc_bytes", 64, 1 << 24, 8192, "bytes", "page-walk cache, size"),
    U32(pwc_ways, "pwc_ways", 1, 1024, 16, "ways", "page-walk cache, associativity"),
    U32(pwc_line_bytes, "pwc_line", 8, 128, 8, "bytes", "page-walk cache, entry size"),
    U32(pwc_latency_cycles, "pwc_latency", 0, 1000, 10, "cycles", "page-walk cache, look-up"),
#undef U32
#define LEVEL(i)                                                                                   \
  {                                                                                                \
    "pwc_level" #i, OPT_U32, offsetof(walk_spec_t, pwc_entries) + (i - 1) * sizeof(uint32_t), 0,   \
        65536, 0, "entries",                                                                       \
        "page-walk cache, an array for level " #i                                                  \
        " alone (1: the root), of at most pwc_ways ways; "                                         \
        "if no level has one, pwc_bytes are for all",                                              \
        NULL, NULL                                                                                 \
  }
    LEVEL(1),
    LEVEL(2),
    LEVEL(3),
    LEVEL(4),
    LEVEL(5),
    LEVEL(6),
#undef LEVEL
    {"pwc_replacement", OPT_NAME, offsetof(walk_spec_t, pwc_replacement), 0, 0, 0, "",
     "page-walk cache, policy", repl_name, "lru"},
    {"free_l2", OPT_BOOL, offsetof(walk_spec_t, free_l2), 0, 1, 0, "",
     "a counterfactual: a page-table read that L2 answers takes no time and no port", NULL, NULL},
    {"free_dram", OPT_BOOL, offsetof(walk_spec_t, free_dram), 0, 1, 0, "",
     "a counterfactual: a page-table read that L2 lacks is answered as if it were there, while its "
     "line comes from DRAM",
     NULL, NULL},
    {0},
};

_Static_assert(MM_MAX_LEVELS == 6, "walk.pwc_level1 to 6");

static int pwc_array(walker_t *w, uint32_t which, uint32_t lines, uint32_t ways, const char *of,
                     err_t *e) {
  const walk_spec_t *s = &w->spec;
  uint32_t sets = lines / ways;
  if (!sets || (sets & (sets - 1)) || sets * ways != lines)
    return err_set(e, GMMU_ERANGE,
                   "a page-walk cache of %u bytes, %u ways and entries of %u bytes%s has no power "
                   "of two of sets",
                   lines * s->pwc_line_bytes, ways, s->pwc_line_bytes, of);
  int rc = 0;
  for (uint32_t u = 0; u < w->units && rc == 0; u++)
    rc = assoc_init(&w->unit[u].pwc[which], sets, ways, s->pwc_replacement, e);
  return rc;
}

static int pwc_init(walker_t *w, err_t *e) {
  const walk_spec_t *s = &w->spec;
  if (s->pwc_line_bytes & (s->pwc_line_bytes - 1))
    return err_set(e, GMMU_ERANGE, "entries of a page-walk cache have a power of two of bytes");
  w->pwc_line_shift = (uint32_t)__builtin_ctz(s->pwc_line_bytes);
  if (!walk_pwc_split(s)) /* all levels have the first */
    return pwc_array(w, 0, s->pwc_bytes / s->pwc_line_bytes, s->pwc_ways, "", e);
  int rc = 0;
  for (uint32_t l = 0; l < MM_MAX_LEVELS && rc == 0; l++) {
    uint32_t entries = s->pwc_entries[l], ways = entries < s->pwc_ways ? entries : s->pwc_ways;
    w->pwc_of[l] = entries ? (uint8_t)l : PWC_NONE;
    if (entries) rc = pwc_array(w, l, entries, ways, " for a level", e);
  }
  return rc;
}

static int schedule_init(walker_t *w, err_t *e) {
  walk_schedule_t *s = &w->schedule;
  if (w->walks >= OWNER_NONE)
    return err_set(e, GMMU_ERANGE,
                   "walk.policy=%s knows fewer than %u misses under way; the first-level TLBs have "
                   "MSHRs for %u",
                   s->ops->name, OWNER_NONE, w->walks);
  s->view = calloc(w->walks, sizeof *s->view);
  s->walker = calloc(w->walks, sizeof *s->walker);
  s->under_way = calloc((size_t)w->spec.threads * w->units, sizeof *s->under_way);
  s->stats = calloc(w->apps, sizeof *s->stats);
  if (!s->view || !s->walker || !s->under_way || !s->stats)
    return err_set(e, GMMU_ENOMEM, "out of memory for waiting walks");
  return GMMU_OK;
}

int walker_init_policy(walker_t *w, const walk_env_t *env, err_t *e) {
  const walk_policy_t *ops = w->schedule.ops;
  walk_env_t own = *env;
  if (!ops) return GMMU_OK;
  own.walkers = w->spec.threads, own.walks = w->walks;
  own.walk = w->schedule.view, own.stats = w->schedule.stats;
  for (uint32_t u = 0; u < w->units; u++) {
    const app_t *app = &walker_share(w)->app[u];
    own.first_app = u, own.apps = w->units > 1 ? 1 : w->apps;
    own.first_sm = w->units > 1 ? app->first_sm : 0;
    own.sms = w->units > 1 ? app->sms : own.sms_of_all;
    w->unit[u].state = calloc(1, 1 + (ops->state_bytes ? ops->state_bytes(&own) : 0));
    if (!w->unit[u].state) return err_set(e, GMMU_ENOMEM, "out of memory for the walks' policy");
    if (ops->init) ops->init(w->unit[u].state, &own);
  }
  return GMMU_OK;
}

int walker_init(walker_t *w, const walk_spec_t *spec, uint32_t apps, bool own, uint32_t misses,
                err_t *e) {
  memset(w, 0, sizeof *w);
  w->spec = *spec;
  if (spec->fixed_cycles && spec->read_cycles)
    return err_set(e, GMMU_ERANGE,
                   "walk.fixed has the whole walk take a fixed time, walk.read each of its reads: "
                   "one of them must be 0");
  w->apps = apps;
  w->units = own ? apps : 1;
  w->unit = calloc(w->units, sizeof *w->unit);
  const walk_policy_t *policy = walk_policy_find(spec->policy);
  if (walk_policy_schedules(policy)) w->schedule.ops = policy;
  uint32_t threads = w->walks = w->schedule.ops ? misses : spec->threads * w->units;
  w->thread = calloc(threads, sizeof *w->thread);
  w->stats = calloc(apps, sizeof *w->stats);
  w->app_active = calloc(apps, sizeof *w->app_active);
  w->app_since = calloc(apps, sizeof *w->app_since);
  if (!w->unit || !w->thread || !w->stats || !w->app_active || !w->app_since)
    return err_set(e, GMMU_ENOMEM, "out of memory for the walker");
  for (uint32_t u = 0; u < w->units; u++) w->unit[u].queue_head = w->unit[u].queue_tail = XLAT_NONE;
  for (uint32_t a = 0; a < apps; a++) w->unit_of[a] = &w->unit[own ? a : 0];
  for (uint32_t i = 0; i < threads; i++) w->thread[i].next = i + 1;
  int rc = w->schedule.ops ? schedule_init(w, e) : GMMU_OK;
  return rc == 0 && spec->pwc ? pwc_init(w, e) : rc;
}

void walker_fini(walker_t *w) {
  free(w->thread);
  free(w->stats);
  free(w->app_active);
  free(w->app_since);
  for (uint32_t u = 0; w->unit && u < w->units; u++) {
    for (uint32_t l = 0; l < MM_MAX_LEVELS; l++) assoc_fini(&w->unit[u].pwc[l]);
    free(w->unit[u].state);
  }
  free(w->unit);
  free(w->schedule.view);
  free(w->schedule.walker);
  free(w->schedule.under_way);
  free(w->schedule.stats);
}

void walker_count(walker_t *w, uint8_t app, uint64_t now) {
  w->stats[app].active_cycles += w->app_active[app] * (now - w->app_since[app]);
  w->app_since[app] = now;
}

static uint32_t thread_take(walker_t *w) {
  uint32_t i = w->free_head;
  w->free_head = w->thread[i].next;
  return i;
}
static void thread_give(walker_t *w, uint32_t thread) {
  w->thread[thread].next = w->free_head;
  w->free_head = thread;
}

/* One more walk of the application is under way; or one less. */
static void count_begun(walker_t *w, uint8_t app, uint64_t now) {
  w->active++;
  walker_unit(w, app)->active++;
  walker_count(w, app, now);
  if (++w->app_active[app] > w->stats[app].max_active)
    w->stats[app].max_active = w->app_active[app];
}
static void count_ended(walker_t *w, uint8_t app, uint64_t now) {
  w->active--;
  walker_unit(w, app)->active--;
  walker_count(w, app, now);
  w->app_active[app]--;
}

uint32_t walker_take(walker_t *w, uint8_t app, uint64_t now) {
  count_begun(w, app, now);
  return thread_take(w);
}

void walker_give(walker_t *w, uint32_t thread, uint8_t app, uint64_t now) {
  thread_give(w, thread);
  count_ended(w, app, now);
}

static uint32_t pwc_set(const assoc_t *pwc, uint64_t line) {
  return (uint32_t)line & (pwc->sets - 1);
}

static assoc_t *pwc_of(const walker_t *w, uint8_t app, uint32_t level) {
  return &walker_unit(w, app)->pwc[w->pwc_of[level]];
}

bool walker_pwc_lookup(walker_t *w, uint8_t app, uint32_t level, paddr_t entry) {
  assoc_t *pwc = pwc_of(w, app, level);
  uint64_t line = entry.v >> w->pwc_line_shift;
  return assoc_use(pwc, pwc_set(pwc, line), line) != ASSOC_NONE;
}

void walker_pwc_fill(walker_t *w, uint8_t app, uint32_t level, paddr_t entry) {
  assoc_t *pwc = pwc_of(w, app, level);
  uint64_t line = entry.v >> w->pwc_line_shift, old;
  bool evicted;
  if (assoc_use(pwc, pwc_set(pwc, line), line) == ASSOC_NONE)
    assoc_fill(pwc, pwc_set(pwc, line), line, 0, &evicted, &old);
}

void walker_pwc_flush(walker_t *w, uint32_t apps) {
  for (uint32_t u = 0; u < w->units; u++)
    for (uint32_t l = 0; l < MM_MAX_LEVELS; l++)
      if (w->unit[u].pwc[l].sets && (w->units == 1 || apps >> u & 1))
        assoc_clear(&w->unit[u].pwc[l]);
}

/* ---- what the walker does ---- */

/* Cycles from the walker to a slice; without a hop, one of those of the look-up in L2. */
static uint32_t walk_way_out(const walk_spec_t *s) {
  return s->free_l2 || !s->hop_cycles ? 1 : s->hop_cycles;
}

static void walk_read(walker_t *w, uint32_t thread);
/* ---- schedule.c: where a policy says which walk is next ---- */
static void schedule_arrive(walker_t *w, uint32_t xlat);
static bool schedule_may_read(walker_t *w, uint32_t walk, uint32_t level);
static void schedule_shares(walker_t *w, uint32_t walk);
static void schedule_ended(walker_t *w, uint32_t walk, uint32_t warps);
static void soft_next(walker_t *w, uint32_t walk);

/* There is no page at the end of the walk. False if there is no walk either. */
NEVER_INLINE bool walk_in_vain(walker_t *w, const xlat_t *x, uint32_t thread) {
  if (!w->pages_come && !x->ahead) {
    WATCH_TELL(walker_tlb(w)->watch.unmapped, x->asid, x->vpn);
    return false;
  }
  if (w->thread[thread].path.levels || w->spec.fixed_cycles) return true;
  message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + 1, EV_WALK_NEXT,
               thread); /* not even a root to read */
  return false;
}

/* The read of the entry of `level`, at `pa`, by request `r` of its walk. */
ALWAYS_INLINE void walk_prepare(walker_t *w, request_t *r, uint32_t level, uint64_t pa, place_t p) {
  r->sectors = r->full = (uint8_t)(1u << (pa & w->line_mask) / SECTOR_BYTES);
  r->level = (uint8_t)(level + 1);
  addrmap_settle(walker_map(w), r, p);
}

ALWAYS_INLINE uint32_t walk_request(walker_t *w, uint32_t thread, uint8_t app) {
  uint32_t id = request_take(walker_pool(w));
  request_t *r = &walker_pool(w)->at[id];
  r->owner = (uint16_t)thread;
  r->app = app;
  r->kind = REQ_WALK;
  r->flags = 0;
  return id;
}

/* A read of the next level begins: returns which that is. */
ALWAYS_INLINE uint32_t count_read(walker_t *w, walk_thread_t *t) {
  uint32_t level = t->level++;
  t->t_read = walker_ev(w)->now;
  t->stats->reads++;
  t->stats->level_reads[level]++;
  return level;
}

/* Fast path of walk_read(), where nothing but L2 is to be asked: the next read, by a request of
 * this walk. */
ALWAYS_INLINE void walk_read_fast(walker_t *w, walk_thread_t *t, uint32_t id) {
  uint32_t level = count_read(w, t);
  uint64_t pa = t->path.entry[level].v;
  place_t p = addrmap_look_up(walker_map(w), pa >> walker_map(w)->line_shift);
  walk_prepare(w, &walker_pool(w)->at[id], level, pa, p);
  engine_schedule_soon(walker_ev(w), SOON_READ, id);
}

/* The first read, or the whole walk. */
NEVER_INLINE void walk_begin_any(walker_t *w, uint32_t thread) {
  walk_thread_t *t = &w->thread[thread];
  if (!t->path.mapped && !walk_in_vain(w, &walker_xlat(w)->at[t->xlat], thread)) return;
  if (w->spec.fixed_cycles) {
    t->level = t->path.levels;
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + w->spec.fixed_cycles, EV_WALK_NEXT,
                 thread);
  } else {
    walk_read(w, thread);
  }
}

/* MASK's quotas may be others now: the channels hear of it. */
NEVER_INLINE void tell_quota(walker_t *w) {
  uint32_t which = dram_quota_news(&w->quota, walker_ev(w)->now);
  if (which == DRAM_QUOTA_NO_NEWS) return;
  message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + 1, EV_QUOTA, which);
}

/* The walk for translation `id` begins, in a thread that is counted as its application's. */
ALWAYS_INLINE void walk_begin(walker_t *w, uint32_t id, uint32_t thread) {
  xlat_t *x = &walker_xlat(w)->at[id];
  walk_thread_t *t = &w->thread[thread];
  uint8_t app = x->asid;
  walk_stats_t *st = &w->stats[app];
  if (w->quota.on) {
    dram_quota_walk_began(&w->quota, app, w->app_active[app]);
    tell_quota(w);
  }
  x->t_walk = walker_ev(w)->now;
  st->queue_cycles += walker_ev(w)->now - x->t_below;
  hist_add(&st->queue, (uint32_t)(walker_ev(w)->now - x->t_below));
  t->xlat = id;
  t->level = 0;
  t->app = app;
  t->stats = st;
  mm_walk(walker_memory(w)->mm, app, x->vpn, &t->path);
  if (FAST(w->fast) && t->path.mapped)
    walk_read_fast(w, t, walk_request(w, thread, app));
  else
    walk_begin_any(w, thread);
}

/* A thread is idle. */
NEVER_INLINE void walk_at_once(walker_t *w, uint32_t id) {
  walk_begin(w, id, walker_take(w, walker_xlat(w)->at[id].asid, walker_ev(w)->now));
}

void walker_queue(walker_t *w, uint32_t id) {
  xlat_t *x = &walker_xlat(w)->at[id];
  x->t_below = walker_ev(w)->now;
  if (w->schedule.ops) {
    schedule_arrive(w, id);
    return;
  }
  walk_unit_t *u = walker_unit(w, x->asid);
  if (u->active < w->spec.threads) {
    walk_at_once(w, id);
    return;
  }
  x->next = XLAT_NONE;
  if (u->queue_head == XLAT_NONE)
    u->queue_head = id;
  else
    walker_xlat(w)->at[u->queue_tail].next = id;
  u->queue_tail = id;
  w->queued++;
}

/* Of a page-walk cache, if there is one. */
static bool pwc_holds(const walker_t *w, const mm_walk_t *path, uint32_t level) {
  return (w->spec.pwc_leaf || level + 1 < path->levels) && w->pwc_of[level] != PWC_NONE;
}

/* The page-walk cache has the entry: the next level follows after its latency. */
NEVER_INLINE bool pwc_answers(walker_t *w, uint32_t thread, uint32_t level) {
  walk_thread_t *t = &w->thread[thread];
  xlat_t *x = &walker_xlat(w)->at[t->xlat];
  if (!walker_pwc_lookup(w, t->app, level, t->path.entry[level])) return false;
  w->stats[x->asid].pwc_hits++;
  w->stats[x->asid].level_pwc[level]++;
  WATCH_TELL(w->watch.read, thread, level, 0, true);
  message_send(walker_ev(w), FROM_WALKER,
               message_at(walker_ev(w), walker_ev(w)->now + w->spec.pwc_latency_cycles),
               EV_WALK_NEXT, thread);
  return true;
}

/* A read that takes a fixed time has ended. */
NEVER_INLINE void walk_read_ends(walker_t *w, uint32_t thread) {
  walk_thread_t *t = &w->thread[thread];
  uint32_t level = t->level - 1;
  t->timed = false;
  t->stats->level_cycles[level] += (uint32_t)(walker_ev(w)->now - t->t_read);
  if (w->spec.pwc && pwc_holds(w, &t->path, level))
    walker_pwc_fill(w, t->app, level, t->path.entry[level]);
  if (w->schedule.ops && w->schedule.ops->shares) schedule_shares(w, thread);
}

/* Read the entry of the next level: the page-walk cache first, then L2. */
static void walk_read(walker_t *w, uint32_t thread) {
  walk_thread_t *t = &w->thread[thread];
  uint32_t level = count_read(w, t), wait = 0;
  if (w->spec.pwc && pwc_holds(w, &t->path, level)) {
    if (pwc_answers(w, thread, level)) return;
    wait = w->spec.pwc_latency_cycles;
  }
  if (w->schedule.ops && !schedule_may_read(w, thread, level)) return;
  if (w->spec.read_cycles) {
    t->timed = true;
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + wait + w->spec.read_cycles,
                 EV_WALK_NEXT, thread);
    return;
  }
  wait += walk_way_out(&w->spec);
  if (w->schedule.ops && t->sm != WALK_IN_HARDWARE) wait += 2 * w->schedule.crossbar_cycles;
  uint32_t id = walk_request(w, thread, t->app);
  uint64_t pa = t->path.entry[level].v;
  walk_prepare(w, &walker_pool(w)->at[id], level, pa, addrmap_place_of(walker_map(w), t->app, pa));
  if (bridge_far(&walker_noc(w)->bridge, &walker_pool(w)->at[id]))
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + wait, EV_NOC_CROSS, id);
  else if (wait == 1) /* as walk_read_fast() does: its own order holds */
    engine_schedule_soon(walker_ev(w), SOON_READ, id);
  else
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + wait, EV_L2_WALK, id);
}

/* The answer goes to the last TLB level. */
ALWAYS_INLINE void walk_answer(walker_t *w, xlat_t *x, uint32_t id) {
  x->t_ended = walker_ev(w)->now;
  x->level = (uint8_t)(walker_tlb(w)->levels - 1);
  engine_schedule_soon(walker_ev(w), SOON_WALKED, id);
}

/* Warps that wait for a translation whose walk ends. */
ALWAYS_INLINE uint32_t walk_warps(const walker_t *w, uint32_t id) {
  const xlat_t *x = &walker_xlat(w)->at[id];
  uint32_t levels = walker_tlb(w)->levels;
  return levels == 2 && x->joined[1] == XLAT_NONE ? x->warps : tlb_warps(walker_tlb(w), id, levels);
}

/* With demand paging: it is there, or it has to be brought. Returns the warps that waited. */
NEVER_INLINE uint32_t page_found(walker_t *w, uint32_t id, bool there) {
  xlat_t *x = &walker_xlat(w)->at[id];
  if (!there && !x->ahead) {
    message_send(walker_ev(w), FROM_WALKER, walker_ev(w)->now + 1, EV_NOT_THERE, id);
    return x->warps;
  }
  if (there) WATCH_TELL(w->watch.used, x->asid, x->vpn);
  walk_answer(w, x, id);
  return walk_warps(w, id);
}

/* The thread is free, or begins the next walk in the queue: of the same application, as a rule,
 * which then has as many under way as before. `warps` waited for the walk that ended. */
ALWAYS_INLINE void walk_next_in_queue(walker_t *w, uint32_t thread, uint8_t app, uint32_t warps) {
  walk_unit_t *u = walker_unit(w, app);
  uint32_t next = u->queue_head;
  bool counted = next != XLAT_NONE && walker_xlat(w)->at[next].asid == app && !w->quota.on;
  if (!counted) walker_give(w, thread, app, walker_ev(w)->now);
  if (w->quota.on) {
    dram_quota_walk_ended(&w->quota, app, w->app_active[app], warps);
    tell_quota(w);
  }
  if (next == XLAT_NONE) return;
  u->queue_head = walker_xlat(w)->at[next].next;
  w->queued--;
  walk_begin(w, next,
             counted ? thread : walker_take(w, walker_xlat(w)->at[next].asid, walker_ev(w)->now));
}

ALWAYS_INLINE void walk_done(walker_t *w, uint32_t thread) {
  walk_thread_t *t = &w->thread[thread];
  uint32_t id = t->xlat;
  xlat_t *x = &walker_xlat(w)->at[id];
  uint8_t app = x->asid;
  walk_stats_t *st = t->stats;
  x->ppn = t->path.ppn;
  x->large = t->path.large;
  WATCH_TELL(w->watch.walked, thread);
  st->walks++;
  st->large_walks += x->large;
  hist_add(&st->latency, (uint32_t)(walker_ev(w)->now - x->t_walk));
  uint32_t warps;
  if (w->pages_come) {
    warps = page_found(w, id, t->path.mapped);
  } else {
    warps = walk_warps(w, id);
    walk_answer(w, x, id);
  }
  st->warps_stalled += warps;
  if (warps > st->max_warps_stalled) st->max_warps_stalled = warps;
  if (w->schedule.ops)
    schedule_ended(w, thread, warps);
  else
    walk_next_in_queue(w, thread, app, warps);
}

void walker_next(walker_t *w, uint32_t thread) {
  const walk_thread_t *t = &w->thread[thread];
  if (t->timed) walk_read_ends(w, thread);
  if (w->schedule.ops && t->sm != WALK_IN_HARDWARE) {
    soft_next(w, thread);
    return;
  }
  if (t->level >= t->path.levels)
    walk_done(w, thread);
  else
    walk_read(w, thread);
}

/* General path of walker_reply(). */
NEVER_INLINE void walk_reply_any(walker_t *w, uint32_t id) {
  request_t *r = &walker_pool(w)->at[id];
  uint32_t thread = r->owner, level = r->level - 1u;
  if (thread == OWNER_NONE) { /* free_dram: the walk had its answer when this went to DRAM */
    request_give(walker_pool(w), id);
    return;
  }
  walk_thread_t *t = &w->thread[thread];
  walk_stats_t *st = t->stats;
  uint32_t dram = r->flags & REQ_RET ? r->t_ret - r->t_dram : 0;
  *(r->flags & REQ_RET ? &st->dram_reads : &st->l2_hits) += 1;
  st->level_hits[level] += !(r->flags & REQ_RET);
  st->level_bypasses[level] += (r->flags & REQ_BYPASS_L2) != 0;
  st->level_cycles[level] += (uint32_t)(walker_ev(w)->now - t->t_read);
  walker_xlat(w)->at[t->xlat].walk_dram += dram;
  WATCH_TELL(w->watch.read, thread, level, dram, false);
  if (w->spec.pwc && pwc_holds(w, &t->path, level))
    walker_pwc_fill(w, t->app, level, t->path.entry[level]);
  request_give(walker_pool(w), id);
  if (w->schedule.ops && w->schedule.ops->shares) schedule_shares(w, thread);
  walker_next(w, thread);
}

/* The last entry has been read. */
ALWAYS_INLINE void walk_ends(walker_t *w, uint32_t id) {
  uint32_t thread = walker_pool(w)->at[id].owner;
  request_give(walker_pool(w), id);
  walk_done(w, thread);
}

/* Fast path: L2 had the entry (no flags), there is no page-walk cache to fill, and nobody watches
 * (`fast`). */
ALWAYS_INLINE void walk_reply(walker_t *w, uint32_t id, bool fast) {
  request_t *r = &walker_pool(w)->at[id];
  if (r->flags || !fast) {
    walk_reply_any(w, id);
    return;
  }
  walk_thread_t *t = &w->thread[r->owner];
  walk_stats_t *st = t->stats;
  st->l2_hits++;
  st->level_hits[t->level - 1]++;
  st->level_cycles[t->level - 1] += (uint32_t)(walker_ev(w)->now - t->t_read);
  if (t->level >= t->path.levels) {
    walk_ends(w, id);
    return;
  }
  walk_read_fast(w, t, id); /* the pool would give the same request */
}

void walker_reply(walker_t *w, uint32_t id) { walk_reply(w, id, FAST(w->fast)); }
/* Those of one cycle. */
ALWAYS_INLINE void walker_replies(walker_t *w, const event_t *x, const event_t *end) {
  if (FAST(w->fast))
    for (; x < end; x++) walk_reply(w, event_id(x->what), true);
  for (; x < end; x++) walk_reply(w, event_id(x->what), false);
}

/* Pages have moved: walks under way end at what the page table says now. An idle thread begins with
 * a new path anyway. */
void walker_retarget(walker_t *w) {
  for (uint32_t i = 0; i < w->walks; i++) {
    walk_thread_t *t = &w->thread[i];
    mm_walk(walker_memory(w)->mm, t->app, walker_xlat(w)->at[t->xlat].vpn, &t->path);
  }
}
