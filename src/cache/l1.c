/* The way of a translated request through the L1 of its SM, and of the answer back:
 *
 *   l1_run: hit -> l1_deliver_hits -> registers
 *           miss -> crossbar -> L2 -> crossbar -> l1_arrive -> l1_enter -> registers */
#include "cache/l1.h"
#include "base/inline.h"
#include "base/pow2.h"
#include "engine/messages.h"
#include "noc/packet.h"
#include <stddef.h>
#include <string.h>

const opt_t l1_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(l1_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    {"bytes", OPT_SIZE, offsetof(l1_spec_t, bytes), 512, 1 << 20, 16384, "bytes", "size, per SM",
     NULL, NULL},
    U32(ways, "ways", 1, 1024, 4, "ways", "associativity"),
    U32(latency_cycles, "latency", 1, 1000, 1, "cycles",
        "hit, from the cache's input to the registers"),
    U32(bypass_cycles, "bypass_latency", 0, 1000, 0, "cycles",
        "of an access that is cached in L2 only, to the crossbar; 0: as `latency`"),
    U32(ports, "ports", 1, 8, 1, "lines/cycle", "lines looked up per cycle"),
    U32(banks, "banks", 0, 8, 0, "",
        "a power of two, each with every so many-th sector: a cycle looks up those sectors of one "
        "instruction that are in different banks, not `ports` lines; 0: none"),
    U32(mshrs, "mshrs", 1, 4096, 64, "lines", "lines under way"),
    U32(merges, "merges", 1, 4096, 64, "requests", "that may join one line under way"),
    {"flush_at_launch", OPT_BOOL, offsetof(l1_spec_t, flush_at_launch), 0, 1, 1, "",
     "a kernel starts with an empty L1", NULL, NULL},
#undef U32
    {"unified", OPT_BOOL, offsetof(l1_spec_t, unified), 0, 1, 0, "",
     "a kernel's shared memory is taken from `bytes`, in steps of 8 KB doubled up to sm.shared",
     NULL, NULL},
    {"virtual", OPT_BOOL, offsetof(l1_spec_t, by_virtual), 0, 1, 0, "",
     "tags are virtual, with the address space: only a miss is translated", NULL, NULL},
    {"replacement", OPT_NAME, offsetof(l1_spec_t, replacement), 0, 0, 0, "", "replacement policy",
     repl_name, "lru"},
    {0},
};

int l1_init(l1_t *l, const l1_spec_t *spec, uint32_t sm, uint32_t line_bytes, uint32_t lines,
            uint32_t shared_bytes, uint64_t memory_bytes, arrays_t *a, err_t *e) {
  uint32_t ring = pow2_at_least(lines);
  *l = (l1_t){.sm = (uint16_t)sm,
              .line_shift = (uint32_t)__builtin_ctz(line_bytes),
              .hits = REQUEST_LIST_EMPTY,
              .replays = REQUEST_LIST_EMPTY,
              .hit_mask = ring - 1,
              .at = UINT64_MAX};
  uint64_t sets = spec->bytes / line_bytes / spec->ways;
  if (!sets || (sets & (sets - 1)) || sets * spec->ways * line_bytes != spec->bytes) {
    err_set(e, GMMU_ERANGE, "%llu bytes in %u ways of %u-byte lines make no power of two of sets",
            (unsigned long long)spec->bytes, spec->ways, line_bytes);
    return err_for_key(e, "l1d.bytes");
  }
  if (spec->banks & (spec->banks - 1) || (spec->banks && spec->banks < line_bytes / SECTOR_BYTES))
    return err_set(
        e, GMMU_ERANGE,
        "l1d.banks=%u is neither 0 nor a power of two of at least %u, the sectors of a line",
        spec->banks, line_bytes / SECTOR_BYTES);
  if (spec->unified && !spec->flush_at_launch)
    return err_set(e, GMMU_ERANGE, "l1d.unified=true needs l1d.flush_at_launch=true");
  if (spec->unified && spec->bytes < shared_bytes + sets * line_bytes)
    return err_set(e, GMMU_ERANGE, "a unified array of %llu bytes has no room for %u of sm.shared",
                   (unsigned long long)spec->bytes, shared_bytes);
  int rc = cache_init(&l->array, (uint32_t)sets, spec->ways, 0, memory_bytes >> l->line_shift,
                      spec->replacement, a, e);
  l->hit = arrays_take(a, ring * sizeof *l->hit);
  if (rc == 0 && (!l->hit || mshr_init(&l->mshr, spec->mshrs, spec->merges, a) < 0))
    rc = err_set(e, GMMU_ENOMEM, "out of memory for an L1 cache");
  return rc;
}

void l1_fini(l1_t *l) { cache_fini(&l->array); }

/* ---- the way out ---- */

static bool l1_is_host(const l1s_t *c, const request_t *r) {
  uint64_t frame = r->addr >> c->page_shift;
  return c->host_frames[frame / 64] >> (frame % 64) & 1;
}

/* The same where the crossbar has queues, or the chip partitions; the way to the link of the host
 * has neither. */
NEVER_INLINE void l1_send_special(l1s_t *c, const l1_t *l, request_t *r, uint32_t id,
                                  uint32_t flits, uint64_t at) {
  noc_t *n = l1_noc(c);
  uint64_t there = n->queued ? at + n->spec.latency_cycles + flits
                             : noc_send(&n->spec, &n->sm_out[l->sm], at, flits);
  if (c->host_frames && l1_is_host(c, r)) {
    message_send(l1_ev(c), FROM_SM(l->sm), there, EV_HOST_ASK, id);
    return;
  }
  addrmap_settle(l1_map(c), r, addrmap_place_of(l1_map(c), r->app, r->addr));
  bool far = bridge_far(&n->bridge, r);
  if (n->queued)
    message_send(l1_ev(c), FROM_SM(l->sm), at, EV_NOC_ENTER, id);
  else
    message_send(l1_ev(c), FROM_SM(l->sm), there, far ? EV_NOC_CROSS : EV_L2_ARRIVE, id);
}

/* The request leaves the SM through its crossbar port, where it is after the look-up: to L2, or to
 * the link if its line is of the host's memory. */
ALWAYS_INLINE void l1_send_at(l1s_t *c, const l1_t *l, request_t *r, uint32_t id, uint32_t flits,
                              uint64_t at) {
  r->t_miss = (uint32_t)at;
  r->flags |= REQ_MISSED;
  if (__builtin_expect(l1_noc(c)->special, 0)) {
    l1_send_special(c, l, r, id, flits, at);
    return;
  }
  uint64_t there = noc_send(&l1_noc(c)->spec, &l1_noc(c)->sm_out[l->sm], at, flits);
  if (__builtin_expect(c->host_frames != NULL, 0) && l1_is_host(c, r)) {
    message_send(l1_ev(c), FROM_SM(l->sm), there, EV_HOST_ASK, id);
    return;
  }
  addrmap_settle(l1_map(c), r, addrmap_place_of(l1_map(c), r->app, r->addr));
  message_send(l1_ev(c), FROM_SM(l->sm), there, EV_L2_ARRIVE, id);
}
ALWAYS_INLINE void l1_send(l1s_t *c, const l1_t *l, request_t *r, uint32_t id, uint32_t flits) {
  l1_send_at(c, l, r, id, flits, l1_ev(c)->now + c->spec.latency_cycles);
}

/* ---- the queue ---- */

ALWAYS_INLINE request_list_t *l1_queue(l1_t *l) {
  return l->replays.head != REQ_NONE ? &l->replays : &l->hits;
}
ALWAYS_INLINE bool l1_due(const l1s_t *c, const l1_t *l, const request_list_t *from, uint64_t now) {
  return from == &l->replays || (from->head != REQ_NONE &&
                                 (int32_t)((uint32_t)now - l1_pool(c)->at[from->head].t_xlat) >= 0);
}
/* The first in line cannot go on in this cycle: false. */
NEVER_INLINE bool l1_block(l1s_t *c, l1_t *l, uint32_t id) {
  if (l->counted != id + 1) c->stats[l1_pool(c)->at[id].app].blocked++;
  l->counted = id + 1;
  l->blocked = true;
  l->retry = false;
  return false;
}
/* It goes on, and `next` is first in line. */
ALWAYS_INLINE void l1_take(l1_t *l, uint32_t id, uint32_t next) {
  l1_queue(l)->head = next;
  if (!l->counted) return; /* then none is blocked */
  if (l->counted == id + 1) l->counted = 0;
  l->blocked = false;
}
ALWAYS_INLINE bool l1_port_open(const l1s_t *c, const noc_port_t *out, uint64_t at) {
  return out->free_at <= at + l1_noc(c)->spec.buffer_flits;
}

/* ---- the look-up ----
 *
 * One source for every L1: l1_lookup() and l1_lines() are compiled for each shape of the cache in
 * l1_run(). What is rare is not inlined. Each of these functions takes request `id`, the first in
 * line, and returns whether it went on; if not, it is blocked and nothing else has changed. */

ALWAYS_INLINE void l1_count(cache_stats_t *st, bool hit) {
  st->accesses++;
  *(hit ? &st->hits : &st->misses) += 1;
}

NEVER_INLINE bool l1_bypass(l1s_t *c, l1_t *l, uint32_t id) {
  request_t *r = &l1_pool(c)->at[id];
  c->stats[r->app].bypasses++;
  if (r->kind != REQ_STORE) r->full = r->sectors;
  l1_take(l, id, r->next);
  uint32_t cycles = c->spec.bypass_cycles ? c->spec.bypass_cycles : c->spec.latency_cycles;
  l1_send_at(c, l, r, id, packet_flits_out(l1_noc(c), r), l1_ev(c)->now + cycles);
  return true;
}

/* Written through; a line that is there stays and is up to date. */
NEVER_INLINE bool l1_store(l1s_t *c, l1_t *l, uint32_t id, const uint32_t *entry) {
  request_t *r = &l1_pool(c)->at[id];
  cache_stats_t *st = &c->stats[r->app];
  l1_count(st, cache_valid(entry, r->sectors) == r->sectors);
  st->writes++;
  l1_take(l, id, r->next);
  l1_send(c, l, r, id, l1_noc(c)->flits[r->sectors]);
  return true;
}

NEVER_INLINE bool l1_hit(l1s_t *c, l1_t *l, uint32_t id) {
  const request_t *r = &l1_pool(c)->at[id];
  cache_stats_t *st = &c->stats[r->app];
  l1_count(st, true);
  st->prompt_hits++;
  l1_take(l, id, r->next);
  l->hit[(l->hit_head + l->hit_count++) & l->hit_mask] =
      (l1_hit_t){.at = l1_ev(c)->now + c->spec.latency_cycles, .request = id};
  return true;
}

/* The line is under way: the request joins it, or fetches what nobody has asked for yet. */
NEVER_INLINE bool l1_join(l1s_t *c, l1_t *l, uint32_t id, mshr_entry_t *x, uint8_t missing) {
  request_t *r = &l1_pool(c)->at[id];
  cache_stats_t *st = &c->stats[r->app];
  if (x->merged >= l->mshr.merges) return l1_block(c, l, id);
  l1_count(st, false);
  l1_take(l, id, r->next);
  if (missing & ~x->pending) {
    r->full = mshr_fetch(x, missing);
    l1_send(c, l, r, id, l1_noc(c)->ask[r->full]);
    return true;
  }
  st->merged++;
  x->merged++;
  r->t_miss = (uint32_t)l1_ev(c)->now;
  r->flags |= REQ_MISSED;
  request_append(l1_pool(c), &x->waiters, id);
  return true;
}

/* A load that is not all there. */
ALWAYS_INLINE bool l1_miss(l1s_t *c, l1_t *l, uint32_t id, const uint32_t *entry) {
  request_t *r = &l1_pool(c)->at[id];
  uint64_t line = r->addr >> l->line_shift;
  uint8_t missing = r->sectors & (uint8_t)~cache_valid(entry, r->sectors);
  uint32_t *bucket = mshr_bucket(&l->mshr, line), m = mshr_find_in(&l->mshr, *bucket, line);
  if (m != MSHR_NONE) return l1_join(c, l, id, &l->mshr.entry[m], missing);
  if (mshr_full(&l->mshr)) return l1_block(c, l, id);
  l1_count(&c->stats[r->app], false);
  l1_take(l, id, r->next);
  mshr_open(&l->mshr, bucket, line, missing, entry);
  r->full = missing;
  l1_send(c, l, r, id, l1_noc(c)->ask[missing]);
  return true;
}
NEVER_INLINE bool l1_miss_part(l1s_t *c, l1_t *l, uint32_t id, const uint32_t *entry) {
  return l1_miss(c, l, id, entry);
}

/* One request, those that waited for a translation first. False if there is none, too. */
ALWAYS_INLINE bool l1_lookup(l1s_t *c, l1_t *l, cache_shape_t shape) {
  const request_list_t *from = l1_queue(l);
  uint64_t now = l1_ev(c)->now;
  if (!l1_due(c, l, from, now)) return false;
  uint32_t id = from->head;
  const request_t *r = &l1_pool(c)->at[id];
  if (!l1_port_open(c, &l1_noc(c)->sm_out[l->sm], now + c->spec.latency_cycles))
    return l1_block(c, l, id);
  if (r->flags & REQ_BYPASS_L1) return l1_bypass(c, l, id);
  const uint32_t *entry = cache_use(&l->array, r->addr >> l->line_shift, shape);
  if (r->kind == REQ_STORE) return l1_store(c, l, id, entry);
  if (!entry) return l1_miss(c, l, id, NULL);
  return r->sectors & ~*entry ? l1_miss_part(c, l, id, entry) : l1_hit(c, l, id);
}

ALWAYS_INLINE void l1_lines(l1s_t *c, l1_t *l, uint32_t ports, cache_shape_t shape) {
  for (uint32_t p = 0; p < ports; p++)
    if (!l1_lookup(c, l, shape)) return;
}
/* The banks of a request's sectors: bank i has every sector i, i + banks, ... of memory. */
static uint32_t l1_banks_of(const l1s_t *c, const request_t *r) {
  return (uint32_t)r->sectors << (r->addr / SECTOR_BYTES & (c->spec.banks - 1));
}
/* What the requests of one warp instruction have in common: its load; of stores, which issue one
 * per cycle, the cycle. */
static uint64_t l1_instruction(const request_t *r) {
  return (uint64_t)r->inst << 32 | (request_awaited(r) ? r->owner : r->t_xlat);
}
/* In order, one instruction at a time, up to the first request that needs a bank twice. */
ALWAYS_INLINE void l1_sectors(l1s_t *c, l1_t *l, cache_shape_t shape) {
  uint32_t busy = 0;
  uint64_t instruction = 0;
  for (;;) {
    uint32_t id = l1_queue(l)->head;
    if (id == REQ_NONE) return;
    const request_t *r = &l1_pool(c)->at[id];
    uint32_t banks = l1_banks_of(c, r);
    if (busy && ((banks & busy) || l1_instruction(r) != instruction)) return;
    instruction = l1_instruction(r);
    if (!l1_lookup(c, l, shape)) return;
    busy |= banks;
  }
}
NEVER_INLINE void l1_run_banks(l1s_t *c, l1_t *l) {
  if (c->shape == CACHE_WIDE)
    l1_sectors(c, l, CACHE_WIDE);
  else
    l1_sectors(c, l, CACHE_ANY);
}
NEVER_INLINE void l1_run_wide(l1s_t *c, l1_t *l) { l1_lines(c, l, c->spec.ports, CACHE_WIDE); }
NEVER_INLINE void l1_run_any(l1s_t *c, l1_t *l) { l1_lines(c, l, c->spec.ports, CACHE_ANY); }

void l1_run(l1s_t *c, l1_t *l) {
  if (c->shape == CACHE_ROWS_4)
    l1_lines(c, l, 1, CACHE_ROWS_4);
  else if (c->spec.banks)
    l1_run_banks(c, l);
  else if (c->shape == CACHE_WIDE)
    l1_run_wide(c, l);
  else
    l1_run_any(c, l);
}

void l1_deliver_hits(l1s_t *c, l1_t *l) {
  sm_t *s = &l1_cores(c)->sm[l->sm];
  while (l->hit_count && l->hit[l->hit_head].at <= l1_ev(c)->now) {
    uint32_t id = l->hit[l->hit_head].request;
    l->hit_head = (l->hit_head + 1) & l->hit_mask;
    l->hit_count--;
    cores_line_ends(l1_cores(c), s, l1_ev(c)->now, id);
  }
  s->stirred = false; /* it is being ticked */
}

/* ---- the way back ---- */

/* When a line came from DRAM, and when it was asked of it: those who waited for it inherit that. */
typedef struct {
  uint32_t t_dram, t_ret;
  uint8_t flags;
} l1_way_t;

ALWAYS_INLINE void l1_deliver(l1s_t *c, uint64_t now, uint32_t id) {
  const request_t *r = &l1_pool(c)->at[id];
  hist_add(&c->stats[r->app].latency, (uint32_t)now - r->t_xlat);
  cores_line_done(l1_cores(c), now, r->sm, id);
}

static void l1_wake_waiters(l1s_t *c, uint64_t now, mshr_entry_t *x, l1_way_t way) {
  request_list_t left = REQUEST_LIST_EMPTY;
  for (uint32_t id = x->waiters.head, next; id != REQ_NONE; id = next) {
    request_t *r = &l1_pool(c)->at[id];
    next = r->next;
    if (r->sectors & x->pending) {
      request_append(l1_pool(c), &left, id);
      continue;
    }
    x->merged--;
    r->t_dram = way.t_dram;
    r->t_ret = way.t_ret;
    r->flags |= way.flags & (REQ_DRAM | REQ_RET);
    l1_deliver(c, now, id);
  }
  x->waiters = left;
}

/* The line, which is in no way of its set, comes in with these sectors. */
ALWAYS_INLINE void l1_bring(l1s_t *c, l1_t *l, uint64_t line, uint8_t sectors, uint32_t app) {
  cache_victim_t v = cache_fill(&l->array, line, sectors, 0, (uint8_t)app);
  if (!v.entry) return;
  c->stats[app].evictions++;
  c->evicted_by[app * c->apps + cache_owner(v.entry)]++;
}

static void l1_install(l1s_t *c, l1_t *l, uint64_t line, uint8_t sectors, uint8_t app,
                       bool maybe_there) {
  uint32_t *entry = maybe_there ? cache_find(&l->array, line) : NULL;
  if (entry)
    cache_add(entry, sectors, 0);
  else
    l1_bring(c, l, line, sectors, app);
}

/* There is something to do for L1 in this cycle. */
ALWAYS_INLINE void l1_wake(l1s_t *c, uint32_t sm, uint64_t now) {
  c->l1[sm].at = l1_cores(c)->sm[sm].memory_at = now;
  cores_wake(l1_cores(c), sm);
}
/* An MSHR may be free again: so whoever waited for one looks again. */
ALWAYS_INLINE void l1_unblock(l1s_t *c, l1_t *l, uint64_t now) {
  if (!l->blocked) return;
  l->blocked = false;
  l1_wake(c, l->sm, now);
}

/* Of the loads that want the line this is not the only one, or L1 may have some of it: others may
 * wait for its sectors, or some of them travel with another request. */
NEVER_INLINE void l1_enter_shared(l1s_t *c, uint64_t now, l1_t *l, uint32_t m, uint32_t id) {
  request_t *r = &l1_pool(c)->at[id];
  mshr_entry_t *x = &l->mshr.entry[m];
  l1_way_t way = {r->t_dram, r->t_ret, r->flags};
  x->pending &= (uint8_t)~r->full;
  x->fetches--;
  l1_install(c, l, x->line, r->full, r->app, x->maybe_there);
  x->maybe_there = true;
  if (r->sectors & x->pending) {
    x->merged++;
    request_append(l1_pool(c), &x->waiters, id);
  } else {
    l1_deliver(c, now, id);
  }
  if (x->waiters.head != REQ_NONE) l1_wake_waiters(c, now, x, way);
  if (!x->fetches) mshr_give(&l->mshr, m);
  l1_unblock(c, l, now);
}

/* What L1 does not keep. */
NEVER_INLINE void l1_enter_past(l1s_t *c, uint64_t now, uint32_t id) {
  const request_t *r = &l1_pool(c)->at[id];
  if (r->kind == REQ_STORE)
    cores_line_done(l1_cores(c), now, r->sm, id);
  else
    l1_deliver(c, now, id);
}

/* Fast path: a load that is the only one of a line that is new to L1. l1_enter_shared() does the
 * same for any load. */
ALWAYS_INLINE void l1_enter_line(l1s_t *c, uint64_t now, uint32_t id) {
  const request_t *r = &l1_pool(c)->at[id];
  if (r->kind == REQ_STORE || (r->flags & REQ_BYPASS_L1)) {
    l1_enter_past(c, now, id);
    return;
  }
  uint32_t app = r->app;
  l1_t *l = &c->l1[r->sm];
  uint64_t line = r->addr >> l->line_shift;
  uint32_t *link = mshr_link(&l->mshr, line);
  const mshr_entry_t *x = &l->mshr.entry[*link];
  if (!FAST(x->fetches == 1 && !x->maybe_there && x->waiters.head == REQ_NONE)) {
    l1_enter_shared(c, now, l, *link, id);
    return;
  }
  mshr_unlink(&l->mshr, link);
  l1_bring(c, l, line, r->full, app);
  l1_deliver(c, now, id);
  l1_unblock(c, l, now);
}

void l1_enter(l1s_t *c, uint32_t id) { l1_enter_line(c, l1_ev(c)->now, id); }

void l1_arrive(l1s_t *c, uint32_t id) {
  const request_t *r = &l1_pool(c)->at[id];
  uint64_t t =
      noc_receive(&l1_noc(c)->sm_in[r->sm], l1_ev(c)->now, packet_flits_back(l1_noc(c), r));
  if (t == l1_ev(c)->now)
    l1_enter_line(c, t, id);
  else
    message_send(l1_ev(c), FROM_SM(r->sm), t, EV_SM_ENTER, id);
}

void l1_stored(l1s_t *c, uint32_t id) {
  cores_line_done(l1_cores(c), l1_ev(c)->now, l1_pool(c)->at[id].sm, id);
}

void l1_port_opened(l1s_t *c, uint32_t sm) { l1_unblock(c, &c->l1[sm], l1_ev(c)->now); }

/* ---- the start of a kernel ---- */

/* The shape that all L1 caches have, if l1_run() is compiled for it. */
static void l1_note_shape(l1s_t *c) {
  cache_shape_t shape = cache_shape(&c->l1[0].array);
  for (uint32_t i = 1; i < l1_spec(c)->core.sms; i++)
    if (cache_shape(&c->l1[i].array) != shape) shape = CACHE_ANY;
  bool compiled =
      shape == CACHE_WIDE || (shape == CACHE_ROWS_4 && c->spec.ports == 1 && !c->spec.banks);
  c->shape = compiled ? shape : CACHE_ANY;
}

#define L1_STEP_BYTES 8192u /* the smallest part of a unified array that shared memory takes */

int l1_restart(l1s_t *c, uint32_t sm, uint32_t shared_bytes, err_t *e) {
  l1_t *l = &c->l1[sm];
  uint32_t most = l1_spec(c)->sm.shared_bytes, taken = shared_bytes ? L1_STEP_BYTES : 0;
  while (taken < shared_bytes) taken *= 2;
  if (taken > most) taken = most;
  uint32_t way_bytes = l->array.sets << l->line_shift;
  uint32_t ways = (uint32_t)((c->spec.bytes - taken) / way_bytes);
  if (!c->spec.unified || ways == l->array.ways) {
    cache_invalidate_all(&l->array);
    return GMMU_OK;
  }
  int rc = cache_resize(&l->array, ways, l1_spec(c)->memory.memory_bytes >> l->line_shift,
                        c->spec.replacement, l1_arrays(c), e);
  l1_note_shape(c);
  return rc;
}

/* ---- for the SM and the TLB stage ---- */

/* When the SM's crossbar port takes another packet of L1, which gets there after the look-up: time
 * in the look-up is no time in the port's buffer. */
ALWAYS_INLINE uint64_t l1_port_opens(const l1s_t *c, const l1_t *l) {
  uint64_t ahead = (uint64_t)c->spec.latency_cycles + l1_noc(c)->spec.buffer_flits;
  uint64_t free_at = l1_noc(c)->sm_out[l->sm].free_at;
  return free_at > ahead ? free_at - ahead : 0;
}
/* A blocked L1 looks again when its way out has drained, or another request came first in line; a
 * MSHR that comes free ends the block. */
ALWAYS_INLINE bool l1_may_go(const l1s_t *c, const l1_t *l, uint64_t now) {
  return !l->blocked || l->retry || l1_port_opens(c, l) == now;
}
/* When L1 has work again by itself; UINT64_MAX: when an answer comes. */
ALWAYS_INLINE uint64_t l1_next(const l1s_t *c, const l1_t *l, uint64_t now) {
  if (l->replays.head == REQ_NONE && l->hits.head == REQ_NONE) return UINT64_MAX;
  if (l->blocked) { /* the port drains by itself; an MSHR comes free by an answer */
    uint64_t opens = l1_port_opens(c, l);
    return opens > now ? opens : UINT64_MAX;
  }
  if (l->replays.head != REQ_NONE) return now + 1;
  uint64_t at = stamp_full(now, l1_pool(c)->at[l->hits.head].t_xlat);
  return at > now ? at : now + 1;
}
/* Translated requests of an SM, the last of which ends its list, go on to its L1. */
ALWAYS_INLINE void l1_replay(l1s_t *c, uint32_t sm, request_list_t list, uint64_t now) {
  l1_t *l = &c->l1[sm];
  l1_pool(c)->at[list.tail].next = REQ_NONE;
  request_splice(l1_pool(c), &l->replays, list);
  l->retry = true;
  l1_wake(c, sm, now);
}
