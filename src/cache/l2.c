/* A slice's way of a request:
 *
 *   l2_arrive -> l2_enter -> hit: l2_reply
 *                         -> miss: DRAM -> l2_fill -> l2_answer
 *
 * Page-table reads come in by l2_enter_walk() and are answered to the walker.
 *
 * The slices in front of a channel and the channel are one block, a memory partition: the slices
 * share the room towards the channel, and a fill is instant. */
#include "cache/l2.h"
#include "base/inline.h"
#include "engine/messages.h"
#include "noc/packet.h"
#include <stddef.h>
#include <string.h>

const opt_t l2_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(l2_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    {"bytes", OPT_SIZE, offsetof(l2_spec_t, bytes), 4096, 1 << 30, 2097152, "bytes",
     "size of all slices together", NULL, NULL},
    U32(slices, "slices", 1, 16, 2, "slices", "per memory channel"),
    U32(ways, "ways", 1, 1024, 16, "ways", "associativity"),
    U32(latency_cycles, "latency", 1, 1000, 10, "cycles",
        "hit, from the slice's input to its output"),
    U32(ports, "ports", 1, 8, 2, "requests/cycle", "requests a slice looks up per cycle"),
    U32(mshrs, "mshrs", 1, 4096, 128, "lines", "lines under way, per slice"),
    U32(merges, "merges", 1, 4096, 64, "requests", "that may join one line under way"),
    U32(dram_hop_cycles, "dram_hop", 0, 1000, 0, "cycles", "from a slice to its channel's queue"),
    U32(atomic_cycles, "atomic_cycles", 0, 64, 0, "cycles",
        "of a slice per operation of an atomic: one per sector and time that a word of it is "
        "named; "
        "0: none"),
    U32(atomic_latency, "atomic_latency", 0, 1000, 0, "cycles",
        "that the answer of an atomic is later than that of a load"),
#undef U32
    {"lazy_fetch", OPT_BOOL, offsetof(l2_spec_t, lazy_fetch), 0, 1, 0, "",
     "a sector written in part is fetched when it is read, not when it is written", NULL, NULL},
    {"replacement", OPT_NAME, offsetof(l2_spec_t, replacement), 0, 0, 0, "", "replacement policy",
     repl_name, "lru"},
    {"policy", OPT_NAME, offsetof(l2_spec_t, policy), 0, 0, 0, "", "insertion policy",
     l2_policy_name, "all"},
    {0},
};

static int no_sets(const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes, err_t *e) {
  uint64_t fits = (uint64_t)slices * spec->ways * line_bytes;
  while (fits * 2 <= spec->bytes) fits *= 2;
  err_set(e, GMMU_ERANGE,
          "%llu bytes over %u slices of %u ways make no power of two of sets; %llu or %llu do",
          (unsigned long long)spec->bytes, slices, spec->ways, (unsigned long long)fits,
          (unsigned long long)fits * 2);
  return err_for_key(e, "l2.bytes");
}

int l2_slice_init(l2_slice_t *s, const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes,
                  uint64_t memory_bytes, arrays_t *a, err_t *e) {
  memset(s, 0, sizeof *s);
  s->queue = REQUEST_LIST_EMPTY;
  uint64_t sets = spec->bytes / slices / line_bytes / spec->ways;
  if (!sets || (sets & (sets - 1)) || sets * spec->ways * line_bytes * slices != spec->bytes)
    return no_sets(spec, slices, line_bytes, e);
  uint32_t below = (uint32_t)__builtin_ctz(spec->slices); /* lines alternate between the slices */
  int rc = cache_init(&s->array, (uint32_t)sets, spec->ways, below, memory_bytes / line_bytes,
                      spec->replacement, a, e);
  if (rc == 0 && mshr_init(&s->mshr, spec->mshrs, spec->merges, a) < 0)
    rc = err_set(e, GMMU_ENOMEM, "out of memory for an L2 slice");
  return rc;
}

void l2_slice_fini(l2_slice_t *s) { cache_fini(&s->array); }

/* ---- small questions ---- */

static class_t l2_class(const request_t *r) {
  return r->kind == REQ_WALK ? CLASS_WALK : CLASS_DATA;
}
/* Depth of a walk's read, 1 = root; a data request uses the field inside its SM. */
static uint8_t l2_walk_level(const request_t *r) { return r->kind == REQ_WALK ? r->level : 0; }
static cache_stats_t *l2_stats_of(const l2_t *c, const request_t *r) {
  return &c->stats[r->app * CLASSES + l2_class(r)];
}

/* ---- answers ---- */

/* The same where the crossbar has queues, or the chip partitions. */
NEVER_INLINE void l2_send_special(l2_t *c, const request_t *r, uint32_t id, uint32_t flits) {
  noc_t *n = l2_noc(c);
  if (n->queued) {
    noc_reply(n, id);
    return;
  }
  uint64_t at = noc_send(&n->spec, &n->slice_out[r->slice], l2_ev(c)->now, flits);
  message_send(l2_ev(c), FROM_SLICE(r->slice), at,
               bridge_is_far(&n->bridge, r) ? EV_NOC_RETURN : EV_SM_ARRIVE, id);
}
/* The answer is at the slice's output and goes through the crossbar. */
ALWAYS_INLINE void l2_send_flits(l2_t *c, const request_t *r, uint32_t id, uint32_t flits) {
  if (__builtin_expect(l2_noc(c)->special, 0)) {
    l2_send_special(c, r, id, flits);
    return;
  }
  uint64_t at = noc_send(&l2_noc(c)->spec, &l2_noc(c)->slice_out[r->slice], l2_ev(c)->now, flits);
  message_send(l2_ev(c), FROM_SLICE(r->slice), at, EV_SM_ARRIVE, id);
}
ALWAYS_INLINE void l2_send(l2_t *c, const request_t *r, uint32_t id) {
  l2_send_flits(c, r, id, packet_flits_back(l2_noc(c), r));
}

void l2_reply(l2_t *c, uint32_t id) { l2_send(c, &l2_pool(c)->at[id], id); }

/* To a walker that stands in another partition, or may. */
NEVER_INLINE void l2_answer_walk_special(l2_t *c, uint32_t id, uint32_t delay) {
  const request_t *r = &l2_pool(c)->at[id];
  uint64_t at = l2_ev(c)->now + delay;
  if (bridge_is_far(&l2_noc(c)->bridge, r))
    message_send(l2_ev(c), FROM_SLICE(r->slice), at, EV_NOC_RETURN, id);
  else
    message_send(l2_ev(c), FROM_READ(r->slice), at, EV_WALK_REPLY, id);
}
ALWAYS_INLINE void l2_answer_walk(l2_t *c, uint32_t id, uint32_t delay) {
  if (__builtin_expect(l2_noc(c)->special, 0)) {
    l2_answer_walk_special(c, id, delay);
    return;
  }
  message_send(l2_ev(c), FROM_READ(l2_pool(c)->at[id].slice), l2_ev(c)->now + delay, EV_WALK_REPLY,
               id);
}

/* What nobody waits for has taken effect. */
ALWAYS_INLINE void l2_stored(l2_t *c, uint32_t id) {
  engine_schedule_soon(l2_ev(c), SOON_STORED, id);
}

ALWAYS_INLINE void l2_answer(l2_t *c, uint32_t id, uint32_t delay) {
  request_t *r = &l2_pool(c)->at[id];
  if (r->kind == REQ_WALK)
    l2_answer_walk(c, id, delay ? c->walk_hit_cycles : c->walk_fill_cycles);
  else if (!request_awaited(r) && r->kind != REQ_LOAD && !l2_noc(c)->spec.write_ack)
    l2_stored(c, id); /* a store or a reduction: nobody waits; but for a prefetch L1 does */
  else if (delay)
    message_send(l2_ev(c), FROM_SLICE(r->slice), l2_ev(c)->now + delay, EV_L2_REPLY, id);
  else
    l2_send(c, r, id);
}

/* walk.free_dram: the walk has its entry as if it had been there. */
NEVER_INLINE void l2_answer_early(l2_t *c, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  r->t_dram = r->t_ret = (uint32_t)l2_ev(c)->now;
  r->flags |= REQ_RET | REQ_DRAM;
  l2_answer_walk(c, id, c->walk_hit_cycles);
}
static bool l2_is_early(const l2_t *c, const request_t *r) {
  return c->walk_free_dram && r->kind == REQ_WALK;
}

/* Somebody else goes to DRAM for the line, for nobody. */
NEVER_INLINE uint32_t l2_stand_in(l2_t *c, uint32_t id) {
  uint32_t other = request_take(l2_pool(c));
  l2_pool(c)->at[other] = l2_pool(c)->at[id];
  l2_pool(c)->at[other].owner = OWNER_NONE;
  WATCH_TELL(c->watch.stood_in, id, other);
  l2_answer_early(c, id);
  return other;
}

NEVER_INLINE void l2_read_dram(l2_t *c, uint32_t id, uint8_t sectors) {
  if (l2_is_early(c, &l2_pool(c)->at[id])) id = l2_stand_in(c, id);
  channel_read(l2_dram(c), &l2_pool(c)->at[id], id, sectors);
}

NEVER_INLINE void l2_tell_displaced(l2_t *c, uint32_t id) { WATCH_TELL(c->watch.displaced, id); }

/* A displaced line with dirty sectors goes to DRAM. */
NEVER_INLINE void l2_write_back(l2_t *c, uint32_t slice, uint32_t line, uint32_t entry) {
  uint32_t id = request_take(l2_pool(c));
  request_t *r = &l2_pool(c)->at[id];
  r->owner = OWNER_NONE;
  r->app = cache_owner(entry);
  r->kind = REQ_WRITEBACK;
  r->level = 0;
  r->slice = (uint16_t)slice;
  r->local = line;
  if (WATCHED(c->watch.displaced)) l2_tell_displaced(c, id);
  channel_write(l2_dram(c), r, id, cache_dirty(entry));
}

/* The line, which is in no way of its set, comes in with these sectors. */
ALWAYS_INLINE void l2_bring(l2_t *c, l2_slice_t *s, const request_t *r, cache_stats_t *st,
                            uint8_t valid, uint8_t dirty) {
  cache_victim_t v = cache_fill(&s->array, r->local, valid, dirty, r->app);
  if (!v.entry) return;
  st->evictions++;
  c->evicted_by[r->app * c->apps + cache_owner(v.entry)]++;
  if (!cache_dirty(v.entry)) return;
  st->writebacks++;
  l2_write_back(c, r->slice, (uint32_t)v.line, v.entry);
}

NEVER_INLINE void l2_wrote(l2_t *c, const request_t *r) { WATCH_TELL(c->watch.wrote, r); }
ALWAYS_INLINE void l2_tell_write(l2_t *c, const request_t *r) {
  if (WATCHED(c->watch.wrote)) l2_wrote(c, r);
}

NEVER_INLINE void l2_install(l2_t *c, l2_slice_t *s, const request_t *r, uint8_t valid,
                             uint8_t dirty) {
  uint32_t *entry = cache_find(&s->array, r->local);
  if (entry)
    cache_add(entry, valid, dirty);
  else
    l2_bring(c, s, r, l2_stats_of(c, r), valid, dirty);
  if (dirty) l2_tell_write(c, r);
}

static bool l2_channel_full(const l2_t *c, const request_t *r) {
  return channel_full(channel_of(l2_dram(c), r));
}

/* The sectors a request needs before it can be answered: a store needs only those it writes in
 * part, or none. */
static uint8_t l2_needs(const l2_t *c, const request_t *r) {
  if (r->kind != REQ_STORE) return r->full;
  return c->spec.lazy_fetch ? 0 : r->sectors & (uint8_t)~r->full;
}
/* The sectors that are valid once a write has taken effect: of those a store wrote in part and
 * nobody fetched, only what it wrote is known. They are dirty, not valid. */
static uint8_t l2_makes_valid(const l2_t *c, const request_t *r) {
  return c->spec.lazy_fetch && r->kind == REQ_STORE ? r->full : r->sectors;
}

static l2_view_t l2_view(const l2_t *c, const request_t *r) {
  const l2_slice_t *s = &c->slice[r->slice];
  return (l2_view_t){.app = r->app,
                     .level = l2_walk_level(r),
                     .write = request_writes(r),
                     .set = r->slice * s->array.sets + cache_set(&s->array, r->local)};
}

/* The policy is asked once, when the request enters; its flags remember the answer. True if it goes
 * past the cache. */
NEVER_INLINE bool l2_decide(l2_t *c, request_t *r) {
  WATCH_TELL(c->watch.entered, r);
  l2_view_t v = l2_view(c, r);
  l2_decision_t d = c->policy->decide ? c->policy->decide(c->policy_state, &v) : L2_NORMAL;
  if (d == L2_BYPASS && !v.write) r->flags |= REQ_BYPASS_L2;
  if (d == L2_NO_FILL) r->flags |= REQ_NO_FILL;
  return r->flags & REQ_BYPASS_L2;
}

static void l2_tell(l2_t *c, const request_t *r, l2_outcome_t o) {
  l2_view_t v = l2_view(c, r);
  WATCH_TELL(c->watch.looked_up, (uint32_t)(r - l2_pool(c)->at), o);
  if (c->policy->outcome && o != L2_BYPASSED) c->policy->outcome(c->policy_state, &v, o);
}

static void l2_await(const l2_t *c, mshr_entry_t *x, uint32_t id) {
  x->merged++;
  l2_pool(c)->at[id].t_dram = (uint32_t)l2_ev(c)->now;
  request_append(l2_pool(c), &x->waiters, id);
}

/* The line is under way with all that a bypassing read wants: it waits for it. */
static void l2_bypass_join(l2_t *c, mshr_entry_t *x, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  cache_stats_t *st = l2_stats_of(c, r);
  st->bypasses++;
  st->bypass_merged++;
  if (c->hooks) l2_tell(c, r, L2_BYPASSED);
  if (l2_is_early(c, r)) {
    l2_answer_early(c, id);
    return;
  }
  l2_await(c, x, id);
}

/* A read that skips the array, with its latency, its ports and its queue. The MSHRs stand between
 * the array and DRAM, so it sees what is under way, and is seen by others; if they are all taken it
 * goes without. False if there is no room towards DRAM. */
NEVER_INLINE bool l2_bypass(l2_t *c, l2_slice_t *s, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  uint32_t m = mshr_find(&s->mshr, r->local);
  mshr_entry_t *x = m == MSHR_NONE ? NULL : &s->mshr.entry[m];
  uint8_t need = l2_needs(c, r);
  bool covered = x && !(need & ~x->pending);
  if (covered && x->merged < s->mshr.merges) {
    l2_bypass_join(c, x, id);
    return true;
  }
  if (l2_channel_full(c, r)) return false;
  l2_stats_of(c, r)->bypasses++;
  if (c->hooks) l2_tell(c, r, L2_BYPASSED);
  if (covered)
    m = MSHR_NONE;
  else if (x)
    need = mshr_fetch(x, need);
  else if (!mshr_full(&s->mshr)) /* nobody has looked whether it is there */
    m = mshr_open(&s->mshr, mshr_bucket(&s->mshr, r->local), r->local, need, true);
  r->mshr = (uint16_t)m;
  r->flags |= REQ_DRAM;
  r->fetched = need;
  l2_read_dram(c, id, need);
  return true;
}

/* ---- the queue of a slice ---- */

/* The head of the queue cannot go on, and why. It is counted once, however often it tries. */
static void l2_block(l2_t *c, l2_slice_t *s, uint32_t id) {
  s->blocked = true;
  s->by_channel = l2_channel_full(c, &l2_pool(c)->at[id]);
  c->blocked += s->by_channel;
  if (s->counted == id + 1) return;
  s->counted = id + 1;
  l2_stats_of(c, &l2_pool(c)->at[id])->blocked++;
}

static void l2_unmark(l2_t *c, l2_slice_t *s) {
  c->blocked -= s->blocked && s->by_channel;
  s->blocked = false;
}

static void l2_schedule_drain(l2_t *c, l2_slice_t *s, uint64_t at) {
  if (s->draining) return;
  s->draining = true;
  message_send(l2_ev(c), FROM_SLICE((uint32_t)(s - c->slice)), at, EV_L2_DRAIN,
               (uint32_t)(s - c->slice));
}

ALWAYS_INLINE bool l2_port_free(l2_t *c, l2_slice_t *s) {
  if (s->port_cycle < l2_ev(c)->now) {
    s->port_cycle = l2_ev(c)->now;
    s->ports_used = 0;
  }
  return s->ports_used < c->spec.ports;
}

/* The request has to wait: for a port, for a resource, or behind others. */
NEVER_INLINE void l2_wait(l2_t *c, l2_slice_t *s, uint32_t id) {
  bool first = s->queue.head == REQ_NONE;
  request_append(l2_pool(c), &s->queue, id);
  if (!first) return; /* whoever is first has arranged for the drain */
  if (l2_port_free(c, s)) {
    l2_block(c, s, id);
  } else {
    l2_schedule_drain(c, s, s->port_cycle + 1);
  }
}

/* ---- the look-up ----
 *
 * One source for every slice, compiled for its cache's shape and for where the request comes from.
 * Any slice has L2_QUEUED and CACHE_ANY. A slice of rows or of many ways to which nobody listens
 * has its own shape; there a request that just came, with nobody ahead and a free port, which it
 * has taken, is L2_DATA or L2_WALK.
 *
 * The functions return false if the request cannot go on. If it just came it then waits in the
 * queue, else nothing has changed. */
typedef enum { L2_DATA = CLASS_DATA, L2_WALK = CLASS_WALK, L2_QUEUED } l2_from_t;

ALWAYS_INLINE cache_stats_t *l2_stats_from(const l2_t *c, const request_t *r, l2_from_t from) {
  return from == L2_QUEUED ? l2_stats_of(c, r) : &c->stats[r->app * CLASSES + from];
}
ALWAYS_INLINE void l2_count(cache_stats_t *st, bool hit) {
  st->accesses++;
  *(hit ? &st->hits : &st->misses) += 1;
}
ALWAYS_INLINE void l2_tell_if_asked(l2_t *c, const request_t *r, l2_outcome_t o, l2_from_t from) {
  if (from == L2_QUEUED && c->hooks) l2_tell(c, r, o);
}

NEVER_INLINE bool l2_refused(l2_t *c, l2_slice_t *s, uint32_t id) {
  s->ports_used--;
  l2_wait(c, s, id);
  return false;
}
ALWAYS_INLINE bool l2_refuse(l2_t *c, l2_slice_t *s, uint32_t id, l2_from_t from) {
  return from == L2_QUEUED ? false : l2_refused(c, s, id);
}
/* It is stamped here, not on its way in: a hit at once needs no stamp. */
ALWAYS_INLINE void l2_stamp(const l2_t *c, request_t *r, l2_from_t from) {
  if (from != L2_QUEUED) r->t_ret = (uint32_t)l2_ev(c)->now;
}

ALWAYS_INLINE bool l2_hit(l2_t *c, uint32_t id, l2_from_t from) {
  const request_t *r = &l2_pool(c)->at[id];
  cache_stats_t *st = l2_stats_from(c, r, from);
  uint32_t waited = from == L2_QUEUED ? (uint32_t)l2_ev(c)->now - r->t_ret : 0;
  l2_count(st, true);
  l2_tell_if_asked(c, r, L2_HIT, from);
  if (waited)
    hist_add(&st->latency, c->spec.latency_cycles + waited);
  else
    st->prompt_hits++;
  if (from == L2_WALK)
    engine_append(l2_ev(c), c->walk_hit_slot, SENDER_READ, event_of(EV_WALK_REPLY, id, r->slice));
  else
    l2_answer(c, id, c->spec.latency_cycles);
  return true;
}

/* The line is under way, in MSHR m: join it, or fetch what nobody has asked for yet. */
NEVER_INLINE bool l2_join(l2_t *c, l2_slice_t *s, uint32_t id, uint32_t m, uint8_t missing) {
  request_t *r = &l2_pool(c)->at[id];
  cache_stats_t *st = l2_stats_of(c, r);
  mshr_entry_t *x = &s->mshr.entry[m];
  bool fetches = missing & ~x->pending, early = l2_is_early(c, r);
  if (fetches ? l2_channel_full(c, r) : !early && x->merged >= s->mshr.merges) return false;
  l2_count(st, false);
  if (fetches) {
    r->mshr = (uint16_t)m;
    r->flags |= REQ_DRAM;
    r->fetched = mshr_fetch(x, missing);
    l2_read_dram(c, id, r->fetched);
  } else {
    st->merged++;
    if (early)
      l2_answer_early(c, id);
    else
      l2_await(c, x, id);
  }
  l2_tell_if_asked(c, r, fetches ? L2_MISSED : L2_JOINED, L2_QUEUED);
  return true;
}

static bool l2_miss_or_wait(l2_t *c, l2_slice_t *s, uint32_t id, const uint32_t *entry,
                            uint8_t missing);

/* Not all sectors are there. A request that just came fetches them at once if it finds its bucket
 * of MSHRs empty, as most do, and room towards DRAM. */
ALWAYS_INLINE bool l2_miss(l2_t *c, l2_slice_t *s, uint32_t id, const uint32_t *entry,
                           uint8_t missing, l2_from_t from) {
  request_t *r = &l2_pool(c)->at[id];
  channel_t *to = channel_of(l2_dram(c), r);
  uint32_t *bucket = mshr_bucket(&s->mshr, r->local);
  bool room = !channel_full(to) && !mshr_full(&s->mshr);
  if (from == L2_QUEUED) {
    uint32_t m = mshr_find_in(&s->mshr, *bucket, r->local);
    if (m != MSHR_NONE) return l2_join(c, s, id, m, missing);
    if (!room) return false;
  } else {
    r->t_ret = (uint32_t)l2_ev(c)->now;
    if (*bucket != MSHR_NONE || to->special || !room)
      return l2_miss_or_wait(c, s, id, entry, missing);
  }
  l2_count(l2_stats_from(c, r, from), false);
  r->mshr = (uint16_t)mshr_open(&s->mshr, bucket, r->local, missing, entry);
  r->flags |= REQ_DRAM;
  r->fetched = missing;
  if (from == L2_QUEUED)
    l2_read_dram(c, id, missing);
  else
    channel_push(l2_dram(c), to, r, id, missing, false, from == L2_WALK, false);
  l2_tell_if_asked(c, r, L2_MISSED, from);
  return true;
}
NEVER_INLINE bool l2_miss_or_wait(l2_t *c, l2_slice_t *s, uint32_t id, const uint32_t *entry,
                                  uint8_t missing) {
  return l2_miss(c, s, id, entry, missing, L2_QUEUED) || l2_refused(c, s, id);
}

/* The slice takes nobody else while it performs the operations of an atomic; the first is part of
 * the look-up, whose port has been taken or will be. */
NEVER_INLINE void l2_operate(l2_t *c, l2_slice_t *s, const request_t *r) {
  uint32_t cycles = request_operations(r) * c->spec.atomic_cycles;
  if (cycles < 2) return;
  s->port_cycle = l2_ev(c)->now + cycles - 1;
  s->ports_used = c->spec.ports;
}

static uint32_t l2_operation_cycles(const l2_t *c, const request_t *r) {
  return r->kind == REQ_ATOMIC ? c->spec.atomic_latency : 0;
}

/* A store, or an atomic. */
ALWAYS_INLINE bool l2_write(l2_t *c, l2_slice_t *s, uint32_t id, uint32_t *entry, l2_from_t from) {
  request_t *r = &l2_pool(c)->at[id];
  uint8_t need = l2_needs(c, r), there = cache_valid(entry, need);
  cache_stats_t *st = l2_stats_from(c, r, from);
  if (there != need) {
    bool goes_on = l2_miss(c, s, id, entry, need & (uint8_t)~there, from);
    st->writes += goes_on;
    if (goes_on && r->kind == REQ_ATOMIC) l2_operate(c, s, r);
    return goes_on;
  }
  l2_stamp(c, r, from);
  if (entry) {
    cache_add(entry, l2_makes_valid(c, r), r->sectors);
  } else {
    if (l2_channel_full(c, r)) /* it may displace a dirty line */
      return l2_refuse(c, s, id, from);
    uint32_t m = mshr_find(&s->mshr, r->local);
    if (m != MSHR_NONE) s->mshr.entry[m].maybe_there = true;
    l2_bring(c, s, r, st, l2_makes_valid(c, r), r->sectors);
  }
  if (r->kind == REQ_ATOMIC) l2_operate(c, s, r);
  l2_tell_write(c, r);
  l2_count(st, entry);
  st->writes++;
  l2_tell_if_asked(c, r, entry ? L2_HIT : L2_MISSED, from);
  l2_answer(c, id, c->spec.latency_cycles + l2_operation_cycles(c, r));
  return true;
}

/* What is compiled for requests that just came. */
NEVER_INLINE bool l2_hit_data(l2_t *c, uint32_t id) { return l2_hit(c, id, L2_DATA); }
NEVER_INLINE bool l2_miss_data(l2_t *c, l2_slice_t *s, uint32_t id) {
  return l2_miss(c, s, id, NULL, l2_pool(c)->at[id].full, L2_DATA);
}
NEVER_INLINE bool l2_miss_walk(l2_t *c, l2_slice_t *s, uint32_t id) {
  return l2_miss(c, s, id, NULL, l2_pool(c)->at[id].full, L2_WALK);
}
NEVER_INLINE bool l2_miss_part(l2_t *c, uint32_t id, const uint32_t *entry, bool walk) {
  const request_t *r = &l2_pool(c)->at[id];
  l2_slice_t *s = &c->slice[r->slice];
  uint8_t missing = r->full & (uint8_t) ~*entry;
  return walk ? l2_miss(c, s, id, entry, missing, L2_WALK)
              : l2_miss(c, s, id, entry, missing, L2_DATA);
}
NEVER_INLINE bool l2_write_data(l2_t *c, l2_slice_t *s, uint32_t id, uint32_t *entry) {
  return l2_write(c, s, id, entry, L2_DATA);
}

ALWAYS_INLINE bool l2_access(l2_t *c, l2_slice_t *s, uint32_t id, cache_shape_t shape,
                             l2_from_t from) {
  const request_t *r = &l2_pool(c)->at[id];
  if (shape == CACHE_ANY && (r->flags & REQ_BYPASS_L2)) return l2_bypass(c, s, id);
  uint32_t *entry = cache_use(&s->array, r->local, shape);
  if (from == L2_QUEUED) {
    if (request_writes(r)) return l2_write(c, s, id, entry, from);
    uint8_t missing = r->full & (uint8_t)~cache_valid(entry, r->full);
    return missing ? l2_miss(c, s, id, entry, missing, from) : l2_hit(c, id, from);
  }
  if (from == L2_DATA && request_writes(r)) return l2_write_data(c, s, id, entry);
  if (!entry) return from == L2_WALK ? l2_miss_walk(c, s, id) : l2_miss_data(c, s, id);
  if (r->full & ~*entry) return l2_miss_part(c, id, entry, from == L2_WALK);
  return from == L2_WALK ? l2_hit(c, id, from) : l2_hit_data(c, id);
}
/* Of a request that may have waited. */
NEVER_INLINE bool l2_access_queued(l2_t *c, l2_slice_t *s, uint32_t id) {
  if (c->shape == CACHE_ROWS_16) return l2_access(c, s, id, CACHE_ROWS_16, L2_QUEUED);
  return c->shape == CACHE_WIDE ? l2_access(c, s, id, CACHE_WIDE, L2_QUEUED)
                                : l2_access(c, s, id, CACHE_ANY, L2_QUEUED);
}

/* The next in line looks up soon: its row is fetched, and the request behind it. */
NEVER_INLINE void l2_fetch_next(const l2_t *c, const l2_slice_t *s) {
  const request_t *r = &l2_pool(c)->at[s->queue.head];
  if (s->array.row) host_fetch_lines(cache_row(&s->array, r->local), 2);
  host_fetch(mshr_bucket(&s->mshr, r->local));
  if (r->next != REQ_NONE) host_fetch(&l2_pool(c)->at[r->next]);
}

ALWAYS_INLINE void l2_drain_as(l2_t *c, l2_slice_t *s, cache_shape_t shape) {
  s->draining = false;
  l2_unmark(c, s);
  while (s->queue.head != REQ_NONE) {
    if (!l2_port_free(c, s)) {
      l2_schedule_drain(c, s, s->port_cycle + 1);
      if (c->ahead) l2_fetch_next(c, s);
      return;
    }
    uint32_t id = s->queue.head, next = l2_pool(c)->at[id].next;
    if (!l2_access(c, s, id, shape, L2_QUEUED)) {
      l2_block(c, s, id);
      return;
    }
    s->counted = 0;
    s->ports_used++;
    s->queue.head = next;
  }
}
NEVER_INLINE void l2_drain_wide(l2_t *c, l2_slice_t *s) { l2_drain_as(c, s, CACHE_WIDE); }
NEVER_INLINE void l2_drain_any(l2_t *c, l2_slice_t *s) { l2_drain_as(c, s, CACHE_ANY); }
void l2_drain(l2_t *c, uint32_t slice) {
  l2_slice_t *s = &c->slice[slice];
  if (c->shape == CACHE_ROWS_16)
    l2_drain_as(c, s, CACHE_ROWS_16);
  else if (c->shape == CACHE_WIDE)
    l2_drain_wide(c, s);
  else
    l2_drain_any(c, s);
}

/* An MSHR or room towards DRAM came free. */
static void l2_unblock(l2_t *c, l2_slice_t *s) {
  if (s->blocked) l2_drain(c, (uint32_t)(s - c->slice));
}

NEVER_INLINE void l2_enter_any(l2_t *c, l2_slice_t *s, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  r->t_ret = (uint32_t)l2_ev(c)->now;
  if (c->hooks && l2_decide(c, r) && l2_bypass(c, s, id)) return;
  bool free = c->walk_free_l2 && r->kind == REQ_WALK; /* of ports, and of those ahead */
  if ((free || (s->queue.head == REQ_NONE && l2_port_free(c, s))) && l2_access_queued(c, s, id))
    s->ports_used += !free;
  else
    l2_wait(c, s, id);
}

/* Fast path: the slice has a shape of its own, and nobody is ahead. */
ALWAYS_INLINE void l2_enter_as(l2_t *c, l2_slice_t *s, uint32_t id, cache_shape_t shape,
                               l2_from_t from) {
  if (s->queue.head != REQ_NONE || !l2_port_free(c, s)) {
    l2_enter_any(c, s, id);
    return;
  }
  s->ports_used++;
  l2_access(c, s, id, shape, from);
}
NEVER_INLINE void l2_enter_wide(l2_t *c, l2_slice_t *s, uint32_t id, l2_from_t from) {
  if (from == L2_WALK)
    l2_enter_as(c, s, id, CACHE_WIDE, L2_WALK);
  else
    l2_enter_as(c, s, id, CACHE_WIDE, L2_DATA);
}
void l2_enter_data(l2_t *c, uint32_t id) {
  l2_slice_t *s = &c->slice[l2_pool(c)->at[id].slice];
  if (c->shape == CACHE_ROWS_16)
    l2_enter_as(c, s, id, CACHE_ROWS_16, L2_DATA);
  else if (c->shape == CACHE_WIDE)
    l2_enter_wide(c, s, id, L2_DATA);
  else
    l2_enter_any(c, s, id);
}
/* The same for page-table reads, all of one cycle: those that hit are answered in the same one. */
NEVER_INLINE void l2_enter_other_walks(l2_t *c, const uint32_t *id, const uint32_t *end) {
  for (; id < end; id++) {
    l2_slice_t *s = &c->slice[l2_pool(c)->at[*id].slice];
    if (c->shape == CACHE_WIDE && c->walks_prompt)
      l2_enter_wide(c, s, *id, L2_WALK);
    else
      l2_enter_any(c, s, *id);
  }
}
ALWAYS_INLINE void l2_enter_walks(l2_t *c, const uint32_t *id, const uint32_t *end) {
  c->walk_hit_slot = (uint32_t)(l2_ev(c)->now + c->walk_hit_cycles) & (WHEEL_SLOTS - 1);
  if (c->shape == CACHE_ROWS_16 && c->walks_prompt)
    for (; id < end; id++)
      l2_enter_as(c, &c->slice[l2_pool(c)->at[*id].slice], *id, CACHE_ROWS_16, L2_WALK);
  else if (id < end)
    l2_enter_other_walks(c, id, end);
}
void l2_enter_walk(l2_t *c, uint32_t id) { l2_enter_walks(c, &id, &id + 1); }

void l2_arrive(l2_t *c, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  uint64_t t =
      noc_receive(&l2_noc(c)->slice_in[r->slice], l2_ev(c)->now, packet_flits_out(l2_noc(c), r));
  if (t == l2_ev(c)->now)
    l2_enter_data(c, id);
  else
    message_send(l2_ev(c), FROM_SLICE(r->slice), t, EV_L2_ENTER, id);
}

/* ---- data comes from DRAM ---- */

/* The request has what it needed: writes take effect, everybody else gets an answer. */
ALWAYS_INLINE void l2_satisfied(l2_t *c, l2_slice_t *s, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  uint32_t entered = r->t_ret, delay = 0;
  r->t_ret = (uint32_t)l2_ev(c)->now;
  r->flags |= REQ_RET | REQ_DRAM;
  if (request_writes(r)) {
    l2_install(c, s, r, l2_makes_valid(c, r), r->sectors);
    delay = l2_operation_cycles(c, r);
  } else {
    hist_add(&l2_stats_of(c, r)->latency, (uint32_t)l2_ev(c)->now - entered);
  }
  l2_answer(c, id, delay);
}

NEVER_INLINE void l2_satisfied_too(l2_t *c, l2_slice_t *s, uint32_t id) { l2_satisfied(c, s, id); }

/* Those that wait for sectors which are all there now. */
NEVER_INLINE void l2_wake_waiters(l2_t *c, l2_slice_t *s, mshr_entry_t *x) {
  request_list_t left = REQUEST_LIST_EMPTY;
  for (uint32_t id = x->waiters.head, next; id != REQ_NONE; id = next) {
    next = l2_pool(c)->at[id].next;
    if (l2_needs(c, &l2_pool(c)->at[id]) & x->pending) {
      request_append(l2_pool(c), &left, id);
      continue;
    }
    x->merged--;
    l2_satisfied_too(c, s, id);
  }
  x->waiters = left;
}

NEVER_INLINE void l2_fill_any(l2_t *c, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  l2_slice_t *s = &c->slice[r->slice];
  hist_add(&l2_dram(c)->latency[r->app * CLASSES + l2_class(r)],
           (uint32_t)l2_ev(c)->now - r->t_dram);
  uint32_t m = r->mshr;
  if (m == REQ_NO_MSHR) { /* it went past the cache without an MSHR */
    l2_satisfied_too(c, s, id);
    return;
  }
  mshr_entry_t *x = &s->mshr.entry[m];
  uint8_t need = l2_needs(c, r), fetched = r->fetched;
  x->fetches--;
  x->pending &= (uint8_t)~fetched;
  if (!(r->flags & (REQ_NO_FILL | REQ_BYPASS_L2))) {
    if (x->maybe_there)
      l2_install(c, s, r, fetched, 0);
    else
      l2_bring(c, s, r, l2_stats_of(c, r), fetched, 0);
  }
  x->maybe_there = true;   /* by this, or by a write that waited for it */
  if (need & x->pending) { /* part of it travels with another request */
    x->merged++;
    request_append(l2_pool(c), &x->waiters, id);
  } else {
    l2_satisfied(c, s, id);
  }
  if (x->waiters.head != REQ_NONE) l2_wake_waiters(c, s, x);
  if (!x->fetches) mshr_give(&s->mshr, m);
  l2_unblock(c, s);
}

ALWAYS_INLINE bool l2_alone(const mshr_entry_t *x) {
  return FAST(x->fetches == 1 && !x->maybe_there && x->waiters.head == REQ_NONE);
}
/* Fast path: a read that is the only one that wants its line, which is new to the cache, as most
 * are. l2_fill_any() does the same for every request. */
ALWAYS_INLINE void l2_fill(l2_t *c, uint32_t id) {
  request_t *r = &l2_pool(c)->at[id];
  l2_slice_t *s = &c->slice[r->slice];
  uint32_t m = r->mshr, now = (uint32_t)l2_ev(c)->now;
  bool walk = r->kind == REQ_WALK;
  if ((r->kind != REQ_LOAD && !walk) || (r->flags & (REQ_NO_FILL | REQ_BYPASS_L2)) ||
      !l2_alone(&s->mshr.entry[m])) {
    l2_fill_any(c, id);
    return;
  }
  uint32_t k = r->app * CLASSES + walk;
  cache_stats_t *st = &c->stats[k];
  hist_add(&l2_dram(c)->latency[k], now - r->t_dram);
  hist_add(&st->latency, now - r->t_ret);
  r->t_ret = now;
  r->flags |= REQ_RET | REQ_DRAM;
  mshr_give(&s->mshr, m);
  l2_bring(c, s, r, st, r->fetched, 0);
  if (walk)
    l2_answer_walk(c, id, c->walk_fill_cycles);
  else
    l2_send_flits(c, r, id, l2_noc(c)->flits[r->full]);
  l2_unblock(c, s);
}

void l2_room(l2_t *c, const channel_t *channel) {
  uint32_t first = (uint32_t)(channel - l2_dram(c)->channel) * c->spec.slices;
  for (uint32_t k = 0; k < c->spec.slices; k++)
    if (c->slice[first + k].by_channel) l2_unblock(c, &c->slice[first + k]);
}
