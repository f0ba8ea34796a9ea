/* The way of a translated request: L1, crossbar, L2 slice, DRAM channel, and back.
 *
 *   flow_l1 -> (crossbar) -> flow_l2_arrive -> flow_l2_enter -> hit: flow_l2_reply
 *                                                            -> miss: DRAM -> fill -> reply
 *   flow_l2_reply -> (crossbar) -> flow_sm_arrive -> flow_sm_enter -> registers
 */
#include "base/inline.h"
#include "dram/dram_door.h"
#include "gpu/machine.h"

static bool is_write(const request_t *r) { return r->kind == REQ_STORE || r->kind == REQ_ATOMIC; }
/* Flits of the packet that carries the request to L2 (stores and atomics bring data), and of the
 * answer. */
static uint32_t flits_out(const gpu_t *g, const request_t *r) {
  return is_write(r) ? g->flits[r->sectors] : g->ask[r->full];
}
static uint32_t flits_back(const gpu_t *g, const request_t *r) {
  return r->kind == REQ_STORE ? g->ask[r->sectors] : g->flits[r->full];
}
static class_t class_of(const request_t *r) {
  return r->kind == REQ_WALK ? CLASS_WALK : CLASS_DATA;
}
/* Depth of a walk's read, 1 = root; a data request uses the field inside its SM. */
static uint8_t walk_level(const request_t *r) { return r->kind == REQ_WALK ? r->level : 0; }
static cache_stats_t *l2_stats(gpu_t *g, const request_t *r) {
  return &g->l2_stats[r->app * CLASSES + class_of(r)];
}

/* ---- L1 ---- */

/* The request leaves the SM through its crossbar port, where it is at cycle `at`, after the
 * look-up.
 */
HOT void send_to_l2(gpu_t *g, noc_port_t *out, request_t *r, uint32_t id, uint64_t line,
                    uint64_t at, uint32_t flits) {
  uint64_t there = noc_send(&g->spec.noc, out, at, flits);
  settle_line(g, r, line);
  r->t_miss = (uint32_t)at;
  r->flags |= REQ_MISSED;
  engine_schedule(&g->ev, there, EV_L2_ARRIVE, id);
}

typedef enum { L1_WAITS, L1_STAYS, L1_GOES_ON } l1_outcome_t; /* blocked; in L1; to L2 */

/* A load that is not all there: join the line under way, or fetch. */
HOT l1_outcome_t l1_miss(gpu_t *g, l1_t *c, request_t *r, uint32_t id, uint64_t line,
                         uint8_t missing, bool there) {
  cache_stats_t *st = &g->l1_stats[r->app];
  uint32_t m = mshr_find(&c->mshr, line);
  mshr_entry_t *x = m == MSHR_NONE ? NULL : &c->mshr.entry[m];
  if (x ? x->merged >= c->mshr.merges : mshr_full(&c->mshr)) return L1_WAITS;
  st->accesses++;
  st->misses++;
  if (x && !(missing & ~x->pending)) {
    st->merged++;
    x->merged++;
    r->t_miss = (uint32_t)g->ev.now;
    r->flags |= REQ_MISSED;
    request_append(&g->pool, &x->waiters, id);
    return L1_STAYS;
  }
  if (!x) x = &c->mshr.entry[mshr_take(&c->mshr, line, there)];
  r->full = mshr_fetch(x, missing);
  return L1_GOES_ON;
}

HOT void l1_hit(gpu_t *g, sm_t *s, uint32_t id) {
  uint64_t at = g->ev.now + g->spec.l1.latency_cycles;
  s->l1_hit[(s->l1_hit_head + s->l1_hit_count++) & s->l1_hit_mask] =
      (l1_hit_t){.at = at, .request = id};
}

HOT l1_outcome_t l1_lookup(gpu_t *g, sm_t *s, request_t *r, uint32_t id, uint64_t line) {
  l1_t *c = &g->l1[s->id];
  cache_stats_t *st = &g->l1_stats[r->app];
  if (r->flags & REQ_BYPASS_L1) {
    st->bypasses++;
    if (r->kind != REQ_STORE) r->full = r->sectors;
    return L1_GOES_ON;
  }
  const uint32_t *entry = cache_use(&c->array, line);
  uint8_t there = cache_valid(entry, r->sectors);
  if (r->kind != REQ_STORE && there != r->sectors)
    return l1_miss(g, c, r, id, line, r->sectors & (uint8_t)~there, entry);
  st->accesses++;
  *(there == r->sectors ? &st->hits : &st->misses) += 1;
  if (r->kind == REQ_STORE) { /* written through; a line that is there stays and is up to date */
    st->writes++;
    return L1_GOES_ON;
  }
  st->prompt_hits++;
  l1_hit(g, s, id);
  return L1_STAYS;
}

static bool due(const gpu_t *g, const request_list_t *l) {
  return l->head != REQ_NONE && (int32_t)((uint32_t)g->ev.now - g->pool.at[l->head].t_xlat) >= 0;
}

/* The first in line cannot go on in this cycle. */
COLD void l1_block(gpu_t *g, sm_t *s, uint32_t id) {
  if (s->l1_counted != id + 1) g->l1_stats[g->pool.at[id].app].blocked++;
  s->l1_counted = id + 1;
  s->l1_blocked = true;
  s->l1_retry = false;
}

HOT request_list_t *l1_queue(sm_t *s) {
  return s->replays.head != REQ_NONE ? &s->replays : &s->hits;
}
/* It goes on, and `next` is first in line. */
HOT void l1_take(sm_t *s, uint32_t id, uint32_t next) {
  l1_queue(s)->head = next;
  if (!s->l1_counted) return; /* then none is blocked */
  if (s->l1_counted == id + 1) s->l1_counted = 0;
  s->l1_blocked = false;
}
/* When it would be at the crossbar's port, after its look-up. */
HOT uint64_t l1_ahead(const gpu_t *g) { return g->ev.now + g->spec.l1.latency_cycles; }
HOT bool l1_open(const gpu_t *g, const noc_port_t *out, uint64_t at) {
  return out->free_at <= at + g->spec.noc.buffer_flits;
}

/* One line, those that waited for a translation first. False if there is none, or it has to wait.
 */
static bool l1_line(gpu_t *g, sm_t *s) {
  request_list_t *from = l1_queue(s);
  if (from == &s->hits && !due(g, from)) return false;
  uint32_t id = from->head, next = g->pool.at[id].next;
  request_t *r = &g->pool.at[id];
  noc_port_t *out = &g->sm_out[s->id];
  uint64_t line = r->addr >> g->map.line_shift, at = l1_ahead(g);
  l1_outcome_t o = l1_open(g, out, at) ? l1_lookup(g, s, r, id, line) : L1_WAITS;
  if (o == L1_WAITS) {
    l1_block(g, s, id);
    return false;
  }
  l1_take(s, id, next);
  if (o == L1_STAYS) return true;
  if (g->mapped.on && mapped_is(g, r->addr))
    mapped_send(g, s->id, id, g->spec.l1.latency_cycles);
  else
    send_to_l2(g, out, r, id, line, at, flits_out(g, r));
  return true;
}

COLD void l1_lines(gpu_t *g, sm_t *s) {
  for (uint32_t p = 0; p < g->spec.l1.ports; p++)
    if (!l1_line(g, s)) return;
}

/* The rest is for a plain L1: the line is there; */
COLD void l1_take_hit(gpu_t *g, sm_t *s, uint32_t id, cache_row_t *row, uint32_t way) {
  const request_t *r = &g->pool.at[id];
  cache_stats_t *st = &g->l1_stats[r->app];
  cache_row_touch(row, way);
  st->accesses++;
  st->hits++;
  st->prompt_hits++;
  l1_take(s, id, r->next);
  l1_hit(g, s, id);
}

/* it is a store, which is written through; */
COLD void l1_take_store(gpu_t *g, sm_t *s, uint32_t id, cache_row_t *row, uint64_t line) {
  request_t *r = &g->pool.at[id];
  cache_stats_t *st = &g->l1_stats[r->app];
  const uint32_t *entry = cache_row_use(row, L1_PLAIN_WAYS, (uint32_t)line);
  bool hit = cache_valid(entry, r->sectors) == r->sectors;
  st->accesses++;
  st->hits += hit;
  st->misses += !hit;
  st->writes++;
  l1_take(s, id, r->next);
  send_to_l2(g, &g->sm_out[s->id], r, id, line, l1_ahead(g), g->flits[r->sectors]);
}

/* or nobody has asked for the line yet. Everything else goes the general way. */
void flow_l1(gpu_t *g, sm_t *s) {
  request_list_t *from = l1_queue(s);
  if (from == &s->hits && !due(g, from)) return;
  uint32_t id = from->head;
  request_t *r = &g->pool.at[id];
  noc_port_t *out = &g->sm_out[s->id];
  uint64_t line = r->addr >> g->map.line_shift, at = l1_ahead(g);
  if (!g->l1_plain || g->mapped.on || (r->flags & REQ_BYPASS_L1) || r->kind > REQ_STORE) {
    l1_lines(g, s);
    return;
  }
  if (!l1_open(g, out, at)) {
    l1_block(g, s, id);
    return;
  }
  l1_t *c = &g->l1[s->id];
  cache_row_t *row = cache_row(&c->array, line);
  if (r->kind == REQ_STORE) {
    l1_take_store(g, s, id, row, line);
    return;
  }
  uint32_t m = cache_match(row->tag, L1_PLAIN_WAYS, (uint32_t)line);
  if (m && !(r->sectors & ~row->tag[L1_PLAIN_WAYS + (uint32_t)__builtin_ctz(m)])) {
    l1_take_hit(g, s, id, row, (uint32_t)__builtin_ctz(m));
    return;
  }
  uint32_t *bucket = mshr_bucket(&c->mshr, line);
  if (m || *bucket != MSHR_NONE) {
    l1_lines(g, s);
    return;
  }
  if (mshr_full(&c->mshr)) {
    l1_block(g, s, id);
    return;
  }
  l1_take(s, id, r->next);
  cache_stats_t *st = &g->l1_stats[r->app];
  st->accesses++;
  st->misses++;
  uint8_t sectors = r->sectors;
  mshr_open(&c->mshr, bucket, line, sectors, false);
  r->full = sectors;
  send_to_l2(g, out, r, id, line, at, g->ask[sectors]);
}

/* ---- L2: what happens to one request ---- */

/* The answer is at the slice's output and goes through the crossbar. */
HOT void send_flits_back(gpu_t *g, const request_t *r, uint32_t id, uint32_t flits) {
  uint64_t at = noc_send(&g->spec.noc, &g->slice_out[r->slice], g->ev.now, flits);
  engine_schedule(&g->ev, at, EV_SM_ARRIVE, id);
}
HOT void send_back(gpu_t *g, const request_t *r, uint32_t id) {
  send_flits_back(g, r, id, flits_back(g, r));
}

void flow_l2_reply(gpu_t *g, uint32_t id) { send_back(g, &g->pool.at[id], id); }

HOT void reply_walk(gpu_t *g, uint32_t id, uint32_t delay) {
  engine_schedule(&g->ev, g->ev.now + delay + g->spec.walk.hop_cycles, EV_WALK_REPLY, id);
}

HOT void reply(gpu_t *g, uint32_t id, uint32_t delay) {
  request_t *r = &g->pool.at[id];
  if (r->kind == REQ_WALK)
    reply_walk(g, id, delay);
  else if (r->owner == OWNER_NONE && r->kind != REQ_LOAD && !g->spec.noc.write_ack)
    app_line_done(g, r->sm,
                  id); /* a store or a reduction: nobody waits; but for a prefetch L1 does */
  else if (delay)
    engine_schedule(&g->ev, g->ev.now + delay, EV_L2_REPLY, id);
  else
    send_back(g, r, id);
}

/* The channel of that bit is looked at when it is due, or as far ahead as the calendar goes.
 * Returns when. */
HOT uint64_t channel_enter(gpu_t *g, uint64_t bit, uint64_t next, uint64_t now) {
  uint64_t last = now + 63, at = next < last ? next : last, slot = at & 63;
  KEEP(bit);
  g->channel_due[slot] |= bit;
  g->channel_slots |= 1ull << slot;
  return at;
}

COLD void channel_sooner(gpu_t *g, channel_t *c, uint64_t next) {
  c->next = next;
  uint64_t at = channel_enter(g, c->bit, next, g->ev.now);
  if (at < g->channels_next) g->channels_next = at;
}

/* What is not so on every machine: a hash map of addresses, and a quota. */
COLD void dram_special(gpu_t *g, const request_t *r, dram_access_t *a) {
  addrmap_dram(&g->map, r->local, &a->bank, &a->row);
  if (g->quota.on && !a->write && a->cls == DRAM_DATA)
    a->quota = dram_quota_take(&g->quota, a->app);
}

HOT void dram_send_to(gpu_t *g, channel_t *c, request_t *r, uint32_t id, uint8_t sectors,
                      bool write, bool walk, bool special) {
  dram_door_t *door = dram_door(c->dram);
  dram_req_t *q = door_room(door);
  uint64_t at = g->ev.now + c->delay;
  q->a.id = id;
  q->a.bursts = g->bursts[sectors];
  q->a.write = write;
  q->a.app = r->app;
  q->a.cls = walk ? DRAM_WALK : DRAM_DATA;
  q->a.level = walk ? r->level : 0;
  if (special)
    dram_special(g, r, &q->a);
  else
    addrmap_bank(&g->map, r->local, &q->a.bank, &q->a.row);
  r->t_dram = (uint32_t)at;
  c->inside++;
  uint64_t wake = door_push(door, q, at, write);
  if (wake < c->next) channel_sooner(g, c, wake);
}

COLD void dram_send_special(gpu_t *g, channel_t *c, uint32_t id, uint8_t sectors, bool write) {
  request_t *r = &g->pool.at[id];
  dram_send_to(g, c, r, id, sectors, write, !write && r->kind == REQ_WALK, true);
}

HOT channel_t *channel_of(const gpu_t *g, const request_t *r) {
  return &g->channel[(uint32_t)r->slice >> g->map.slice_shift];
}
static bool full_channel(const channel_t *c) { return c->inside >= c->capacity; }

HOT void dram_send(gpu_t *g, uint32_t id, uint8_t sectors, bool write) {
  request_t *r = &g->pool.at[id];
  channel_t *c = channel_of(g, r);
  if (c->special)
    dram_send_special(g, c, id, sectors, write);
  else
    dram_send_to(g, c, r, id, sectors, write, !write && r->kind == REQ_WALK, false);
}

COLD void dram_read(gpu_t *g, uint32_t id, uint8_t sectors) { dram_send(g, id, sectors, false); }
static void dram_write(gpu_t *g, uint32_t id, uint8_t sectors) { dram_send(g, id, sectors, true); }

void flow_dram_line(gpu_t *g, uint32_t id) {
  uint8_t sectors = (uint8_t)((1u << g->spec.core.line_bytes / SECTOR_BYTES) - 1);
  if (g->pool.at[id].kind >= REQ_WRITEBACK)
    dram_write(g, id, sectors);
  else
    dram_read(g, id, sectors);
}

/* A displaced line with dirty sectors goes to DRAM. */
COLD void write_back(gpu_t *g, uint32_t slice, uint32_t line, uint32_t entry) {
  uint32_t id = request_take(&g->pool);
  request_t *r = &g->pool.at[id];
  r->owner = OWNER_NONE;
  r->app = cache_owner(entry);
  r->kind = REQ_WRITEBACK;
  r->level = 0;
  r->slice = (uint16_t)slice;
  r->local = line;
  dram_write(g, id, cache_dirty(entry));
}

/* The line, which is in no way of its set, comes in with these sectors. */
HOT void l2_bring(gpu_t *g, l2_slice_t *s, const request_t *r, cache_stats_t *st, uint8_t valid,
                  uint8_t dirty) {
  cache_victim_t v = cache_fill(&s->array, r->local, valid, dirty, r->app);
  if (!v.entry) return;
  st->evictions++;
  g->l2_evicted_by[r->app * g->apps + cache_owner(v.entry)]++;
  if (!cache_dirty(v.entry)) return;
  st->writebacks++;
  write_back(g, r->slice, (uint32_t)v.line, v.entry);
}

COLD void l2_install(gpu_t *g, l2_slice_t *s, const request_t *r, uint8_t valid, uint8_t dirty) {
  uint32_t *entry = cache_find(&s->array, r->local);
  if (entry)
    cache_add(entry, valid, dirty);
  else
    l2_bring(g, s, r, l2_stats(g, r), valid, dirty);
}

static bool channel_full(const gpu_t *g, const request_t *r) {
  return full_channel(channel_of(g, r));
}

/* The sectors a request needs before it can be answered: a store needs only those it writes in
 * part. */
static uint8_t sectors_needed(const request_t *r) {
  return r->kind == REQ_STORE ? r->sectors & (uint8_t)~r->full : r->full;
}

typedef enum { MISS_WAITS, MISS_JOINS, MISS_FETCHES } miss_t;

COLD miss_t l2_join(gpu_t *g, const l2_slice_t *s, mshr_entry_t *x, uint32_t id) {
  if (x->merged >= s->mshr.merges) return MISS_WAITS;
  x->merged++;
  g->pool.at[id].t_dram = (uint32_t)g->ev.now;
  request_append(&g->pool, &x->waiters, id);
  return MISS_JOINS;
}

/* Not all sectors are there: join the line under way, or fetch what is missing: r->fetched. */
HOT miss_t l2_miss(gpu_t *g, l2_slice_t *s, uint32_t id, uint8_t missing, bool there) {
  request_t *r = &g->pool.at[id];
  uint64_t line = r->local;
  uint32_t m = mshr_find(&s->mshr, line);
  mshr_entry_t *x = m == MSHR_NONE ? NULL : &s->mshr.entry[m];
  if (x && !(missing & ~x->pending)) return l2_join(g, s, x, id);
  if (channel_full(g, r) || (!x && mshr_full(&s->mshr))) return MISS_WAITS;
  if (!x) m = mshr_take(&s->mshr, line, there);
  r->next = m;
  r->flags |= REQ_DRAM;
  r->fetched = mshr_fetch(&s->mshr.entry[m], missing);
  return MISS_FETCHES;
}

static l2_view_t l2_view(const gpu_t *g, const request_t *r) {
  const l2_slice_t *s = &g->slice[r->slice];
  return (l2_view_t){.app = r->app,
                     .level = walk_level(r),
                     .write = is_write(r),
                     .set = r->slice * s->array.sets + cache_set(&s->array, r->local)};
}

/* The policy is asked once, when the request enters; its flags remember the answer. True if it goes
 * past the cache. */
COLD bool decide(gpu_t *g, request_t *r) {
  if (g->colours.watch) colours_note(g, r);
  l2_view_t v = l2_view(g, r);
  l2_decision_t d = g->l2_policy->decide ? g->l2_policy->decide(g->l2_policy_state, &v) : L2_NORMAL;
  if (d == L2_BYPASS && !v.write) r->flags |= REQ_BYPASS_L2;
  if (d == L2_NO_FILL) r->flags |= REQ_NO_FILL;
  return r->flags & REQ_BYPASS_L2;
}

static void tell_policy(gpu_t *g, const request_t *r, l2_outcome_t o) {
  static const uint8_t how[] = {
      [L2_HIT] = SPAN_L2_HIT, [L2_MISSED] = SPAN_L2_MISS, [L2_JOINED] = SPAN_L2_JOINED};
  l2_view_t v = l2_view(g, r);
  if (g->tracing) trace_l2(g, (uint32_t)(r - g->pool.at), (span_kind_t)how[o]);
  if (g->l2_policy->outcome) g->l2_policy->outcome(g->l2_policy_state, &v, o);
}

/* The line is under way with all that a bypassing read wants: it waits for it. */
static void bypass_join(gpu_t *g, mshr_entry_t *x, uint32_t id) {
  request_t *r = &g->pool.at[id];
  cache_stats_t *st = l2_stats(g, r);
  st->bypasses++;
  st->bypass_merged++;
  if (g->tracing) trace_l2(g, id, SPAN_L2_BYPASS);
  x->merged++;
  r->t_dram = (uint32_t)g->ev.now;
  request_append(&g->pool, &x->waiters, id);
}

/* A read that skips the array, with its ports and its queue. The miss registers stand between the
 * array and DRAM, so it sees what is under way, and is seen by others; if they are all taken it
 * goes without. False if there is no room towards DRAM. */
COLD bool l2_bypass(gpu_t *g, l2_slice_t *s, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint32_t m = mshr_find(&s->mshr, r->local);
  mshr_entry_t *x = m == MSHR_NONE ? NULL : &s->mshr.entry[m];
  uint8_t need = sectors_needed(r);
  bool covered = x && !(need & ~x->pending);
  if (covered && x->merged < s->mshr.merges) {
    bypass_join(g, x, id);
    return true;
  }
  if (channel_full(g, r)) return false;
  l2_stats(g, r)->bypasses++;
  if (g->tracing) trace_l2(g, id, SPAN_L2_BYPASS);
  if (covered)
    m = MSHR_NONE;
  else if (!x && !mshr_full(&s->mshr))
    m = mshr_take(&s->mshr, r->local, true); /* nobody has looked whether it is there */
  if (m != MSHR_NONE) need = mshr_fetch(&s->mshr.entry[m], need);
  r->next = m;
  r->flags |= REQ_DRAM;
  r->fetched = need;
  dram_read(g, id, need);
  return true;
}

HOT void l2_count(gpu_t *g, cache_stats_t *st, const request_t *r, l2_outcome_t o) {
  st->accesses++;
  *(o == L2_HIT ? &st->hits : &st->misses) += 1;
  if (g->l2_hooks) tell_policy(g, r, o);
}

/* A store, or an atomic, all of whose partly written sectors are there. */
HOT bool l2_write(gpu_t *g, l2_slice_t *s, uint32_t id, uint32_t *entry) {
  request_t *r = &g->pool.at[id];
  if (entry) {
    cache_add(entry, r->sectors, r->sectors);
  } else {
    if (channel_full(g, r)) return false; /* it may displace a dirty line */
    uint32_t m = mshr_find(&s->mshr, r->local);
    if (m != MSHR_NONE) s->mshr.entry[m].maybe_there = true;
    l2_bring(g, s, r, l2_stats(g, r), r->sectors, r->sectors);
  }
  cache_stats_t *st = l2_stats(g, r);
  st->writes++;
  l2_count(g, st, r, entry ? L2_HIT : L2_MISSED);
  reply(g, id, g->spec.l2.latency_cycles);
  return true;
}

/* What is left when the request is not a plain hit. False if it cannot go on: then nothing has
 * changed. */
HOT bool l2_no_hit(gpu_t *g, l2_slice_t *s, uint32_t id, uint32_t *entry) {
  request_t *r = &g->pool.at[id];
  uint8_t need = sectors_needed(r), there = cache_valid(entry, need);
  if (there == need) return l2_write(g, s, id, entry);
  miss_t m = l2_miss(g, s, id, need & (uint8_t)~there, entry);
  if (m == MISS_WAITS) return false;
  if (m == MISS_FETCHES) dram_read(g, id, r->fetched);
  cache_stats_t *st = l2_stats(g, r);
  st->merged += m == MISS_JOINS;
  st->writes += is_write(r);
  l2_count(g, st, r, m == MISS_JOINS ? L2_JOINED : L2_MISSED);
  return true;
}

HOT uint32_t *l2_use(l2_slice_t *s, uint32_t local) {
  return cache_has_rows(&s->array, L2_PLAIN_WAYS)
             ? cache_row_use(cache_row(&s->array, local), L2_PLAIN_WAYS, local)
             : cache_use(&s->array, local);
}

/* Looks the request up. False if it cannot go on: then nothing has changed. */
HOT bool l2_access(gpu_t *g, l2_slice_t *s, uint32_t id) {
  request_t *r = &g->pool.at[id];
  if (r->flags & REQ_BYPASS_L2) return l2_bypass(g, s, id);
  uint32_t *entry = l2_use(s, r->local);
  uint8_t need = sectors_needed(r);
  if (is_write(r) || cache_valid(entry, need) != need) return l2_no_hit(g, s, id, entry);
  cache_stats_t *st = l2_stats(g, r);
  l2_count(g, st, r, L2_HIT);
  uint32_t waited = (uint32_t)g->ev.now - r->t_ret;
  if (waited)
    hist_add(&st->latency, g->spec.l2.latency_cycles + waited);
  else
    st->prompt_hits++;
  reply(g, id, g->spec.l2.latency_cycles);
  return true;
}

/* ---- L2: the queue of a slice ---- */

/* The head of the queue cannot go on, and why. It is counted once, however often it tries. */
static void block(gpu_t *g, l2_slice_t *s, uint32_t id) {
  s->blocked = true;
  s->by_channel = channel_full(g, &g->pool.at[id]);
  g->slices_blocked += s->by_channel;
  if (s->counted == id + 1) return;
  s->counted = id + 1;
  l2_stats(g, &g->pool.at[id])->blocked++;
}

static void unmark(gpu_t *g, l2_slice_t *s) {
  g->slices_blocked -= s->blocked && s->by_channel;
  s->blocked = false;
}

static void schedule_drain(gpu_t *g, l2_slice_t *s, uint64_t at) {
  if (s->draining) return;
  s->draining = true;
  engine_schedule(&g->ev, at, EV_L2_DRAIN, (uint32_t)(s - g->slice));
}

HOT bool port_free(gpu_t *g, l2_slice_t *s) {
  if (s->port_cycle != g->ev.now) {
    s->port_cycle = g->ev.now;
    s->ports_used = 0;
  }
  return s->ports_used < g->spec.l2.ports;
}

COLD bool l2_access_first(gpu_t *g, l2_slice_t *s, uint32_t id) { return l2_access(g, s, id); }

void flow_l2_drain(gpu_t *g, uint32_t slice) {
  l2_slice_t *s = &g->slice[slice];
  s->draining = false;
  unmark(g, s);
  while (s->queue.head != REQ_NONE) {
    if (!port_free(g, s)) {
      schedule_drain(g, s, g->ev.now + 1);
      return;
    }
    uint32_t id = s->queue.head, next = g->pool.at[id].next;
    if (!l2_access_first(g, s, id)) {
      block(g, s, id);
      return;
    }
    s->counted = 0;
    s->ports_used++;
    s->queue.head = next;
  }
}

/* A miss register or room towards DRAM came free. */
static void unblock(gpu_t *g, l2_slice_t *s) {
  if (s->blocked) schedule_drain(g, s, g->ev.now);
}

/* The request has to wait: for a port, for a resource, or behind others. */
COLD void l2_wait(gpu_t *g, l2_slice_t *s, uint32_t id) {
  bool first = s->queue.head == REQ_NONE;
  request_append(&g->pool, &s->queue, id);
  if (!first) return; /* whoever is first has arranged for the drain */
  if (port_free(g, s)) {
    block(g, s, id);
  } else {
    schedule_drain(g, s, g->ev.now + 1);
  }
}

COLD void l2_enter_any(gpu_t *g, l2_slice_t *s, uint32_t id) {
  request_t *r = &g->pool.at[id];
  r->t_ret = (uint32_t)g->ev.now;
  if (g->l2_hooks && decide(g, r) && l2_bypass(g, s, id)) return;
  if (s->queue.head == REQ_NONE && port_free(g, s) && l2_access(g, s, id))
    s->ports_used++;
  else
    l2_wait(g, s, id);
}

/* The rest is for a plain slice with nobody ahead, which is looked up at once: it has the line, and
 * all that is wanted; */
HOT void l2_prompt_hit(gpu_t *g, l2_slice_t *s, uint32_t id, bool walk) {
  const request_t *r = &g->pool.at[id];
  cache_stats_t *st = walk ? &g->l2_stats[r->app * CLASSES + CLASS_WALK] : l2_stats(g, r);
  s->ports_used++;
  st->accesses++;
  st->hits++;
  st->prompt_hits++;
  if (walk)
    reply_walk(g, id, g->spec.l2.latency_cycles);
  else
    reply(g, id, g->spec.l2.latency_cycles);
}

/* the same, but the line need not be the last one used; */
COLD void l2_any_hit(gpu_t *g, l2_slice_t *s, uint32_t id, cache_row_t *row, uint32_t way) {
  cache_row_touch(row, way);
  l2_prompt_hit(g, s, id, false);
}
COLD void l2_older_hit(gpu_t *g, l2_slice_t *s, uint32_t id, cache_row_t *row, uint32_t way) {
  row->order = repl_packed_use(row->order, way);
  l2_prompt_hit(g, s, id, true);
}

/* a read lacks some of its sectors, */
COLD void l2_enter_miss(gpu_t *g, l2_slice_t *s, uint32_t id, const uint32_t *entry) {
  request_t *r = &g->pool.at[id];
  r->t_ret = (uint32_t)g->ev.now;
  miss_t m = l2_miss(g, s, id, r->full & (uint8_t)~cache_valid(entry, r->full), entry);
  if (m == MISS_WAITS) {
    l2_wait(g, s, id);
    return;
  }
  cache_stats_t *st = l2_stats(g, r);
  s->ports_used++;
  st->accesses++;
  st->misses++;
  if (m == MISS_FETCHES)
    dram_read(g, id, r->fetched);
  else
    st->merged++;
}

/* which, most often, nobody has asked for yet: it fetches them; */
HOT void l2_fetch(gpu_t *g, l2_slice_t *s, uint32_t id, const uint32_t *entry, bool walk) {
  request_t *r = &g->pool.at[id];
  channel_t *c = channel_of(g, r);
  uint32_t *bucket = mshr_bucket(&s->mshr, r->local);
  if (*bucket != MSHR_NONE || c->special || full_channel(c) || mshr_full(&s->mshr)) {
    l2_enter_miss(g, s, id, entry);
    return;
  }
  uint8_t missing = r->full & (uint8_t)~cache_valid(entry, r->full);
  cache_stats_t *st = &g->l2_stats[r->app * CLASSES + (walk ? CLASS_WALK : CLASS_DATA)];
  s->ports_used++;
  st->accesses++;
  st->misses++;
  r->t_ret = (uint32_t)g->ev.now;
  r->next = mshr_open(&s->mshr, bucket, r->local, missing, entry);
  r->flags |= REQ_DRAM;
  r->fetched = missing;
  dram_send_to(g, c, r, id, missing, false, walk, false);
}
COLD void l2_fetch_load(gpu_t *g, l2_slice_t *s, uint32_t id) { l2_fetch(g, s, id, NULL, false); }
COLD void l2_fetch_walk(gpu_t *g, l2_slice_t *s, uint32_t id) { l2_fetch(g, s, id, NULL, true); }

COLD void l2_enter_part(gpu_t *g, l2_slice_t *s, uint32_t id, cache_row_t *row, uint32_t way) {
  cache_row_touch(row, way);
  l2_fetch(g, s, id, &row->tag[L2_PLAIN_WAYS + way], g->pool.at[id].kind == REQ_WALK);
}

/* or something is written. */
COLD void l2_enter_write(gpu_t *g, l2_slice_t *s, uint32_t id, cache_row_t *row) {
  request_t *r = &g->pool.at[id];
  r->t_ret = (uint32_t)g->ev.now;
  if (l2_no_hit(g, s, id, cache_row_use(row, L2_PLAIN_WAYS, r->local)))
    s->ports_used++;
  else
    l2_wait(g, s, id);
}

/* Nobody waits for a store, and it needs nothing but a place, which it takes. */
COLD void l2_new_line(gpu_t *g, l2_slice_t *s, uint32_t id) {
  request_t *r = &g->pool.at[id];
  cache_stats_t *st = &g->l2_stats[r->app * CLASSES + CLASS_DATA];
  s->ports_used++;
  st->accesses++;
  st->misses++;
  st->writes++;
  l2_bring(g, s, r, st, r->sectors, r->sectors);
  app_line_done(g, r->sm, id);
}
HOT bool l2_is_new_line(const gpu_t *g, const l2_slice_t *s, const request_t *r,
                        const cache_row_t *row) {
  return r->kind == REQ_STORE && r->owner == OWNER_NONE && !g->spec.noc.write_ack &&
         !(r->sectors & ~r->full) && !cache_match(row->tag, L2_PLAIN_WAYS, r->local) &&
         *mshr_bucket(&s->mshr, r->local) == MSHR_NONE && !channel_full(g, r);
}

HOT void l2_enter(gpu_t *g, uint32_t id, bool walk) {
  const request_t *r = &g->pool.at[id];
  l2_slice_t *s = &g->slice[r->slice];
  if (!g->l2_plain || s->queue.head != REQ_NONE || !port_free(g, s)) {
    l2_enter_any(g, s, id);
    return;
  }
  cache_row_t *row = cache_row(&s->array, r->local);
  if (!walk && is_write(r)) {
    if (l2_is_new_line(g, s, r, row))
      l2_new_line(g, s, id);
    else
      l2_enter_write(g, s, id, row);
    return;
  }
  uint32_t m = cache_match(row->tag, L2_PLAIN_WAYS, r->local);
  if (!m) {
    if (walk)
      l2_fetch_walk(g, s, id);
    else if (r->kind == REQ_LOAD)
      l2_fetch_load(g, s, id);
    else
      l2_enter_miss(g, s, id, NULL);
    return;
  }
  uint32_t way = (uint32_t)__builtin_ctz(m);
  if (r->full & ~row->tag[L2_PLAIN_WAYS + way])
    l2_enter_part(g, s, id, row, way);
  else if (!walk)
    l2_any_hit(g, s, id, row, way);
  else if (!cache_row_newest(row, way))
    l2_older_hit(g, s, id, row, way);
  else
    l2_prompt_hit(g, s, id, true);
}

void flow_l2_enter(gpu_t *g, uint32_t id) { l2_enter(g, id, false); }
void flow_l2_walk(gpu_t *g, uint32_t id) { l2_enter(g, id, true); }

void flow_l2_arrive(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint64_t t = noc_receive(&g->slice_in[r->slice], g->ev.now, flits_out(g, r));
  if (t == g->ev.now)
    flow_l2_enter(g, id);
  else
    engine_schedule(&g->ev, t, EV_L2_ENTER, id);
}

/* ---- L2: data comes from DRAM ---- */

/* The request has what it needed: writes take effect, everybody else gets an answer. */
HOT void l2_satisfied(gpu_t *g, l2_slice_t *s, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint32_t entered = r->t_ret;
  r->t_ret = (uint32_t)g->ev.now;
  r->flags |= REQ_RET | REQ_DRAM;
  if (is_write(r))
    l2_install(g, s, r, r->sectors, r->sectors);
  else
    hist_add(&l2_stats(g, r)->latency, (uint32_t)g->ev.now - entered);
  reply(g, id, 0);
}

COLD void l2_satisfied_too(gpu_t *g, l2_slice_t *s, uint32_t id) { l2_satisfied(g, s, id); }

/* Those that wait for sectors which are all there now. */
COLD void l2_wake_waiters(gpu_t *g, l2_slice_t *s, mshr_entry_t *x) {
  request_list_t left = REQUEST_LIST_EMPTY;
  for (uint32_t id = x->waiters.head, next; id != REQ_NONE; id = next) {
    next = g->pool.at[id].next;
    if (sectors_needed(&g->pool.at[id]) & x->pending) {
      request_append(&g->pool, &left, id);
      continue;
    }
    x->merged--;
    l2_satisfied_too(g, s, id);
  }
  x->waiters = left;
}

COLD void l2_fill_any(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  l2_slice_t *s = &g->slice[r->slice];
  hist_add(&g->dram_latency[r->app * CLASSES + class_of(r)], (uint32_t)g->ev.now - r->t_dram);
  uint32_t m = r->next;
  if (m == MSHR_NONE) { /* it went past the cache without a register */
    l2_satisfied_too(g, s, id);
    return;
  }
  mshr_entry_t *x = &s->mshr.entry[m];
  uint8_t need = sectors_needed(r), fetched = r->fetched;
  x->fetches--;
  x->pending &= (uint8_t)~fetched;
  if (!(r->flags & (REQ_NO_FILL | REQ_BYPASS_L2))) {
    if (x->maybe_there)
      l2_install(g, s, r, fetched, 0);
    else
      l2_bring(g, s, r, l2_stats(g, r), fetched, 0);
  }
  x->maybe_there = true;   /* by this, or by a write that waited for it */
  if (need & x->pending) { /* part of it travels with another request */
    x->merged++;
    request_append(&g->pool, &x->waiters, id);
  } else {
    l2_satisfied(g, s, id);
  }
  if (x->waiters.head != REQ_NONE) l2_wake_waiters(g, s, x);
  if (!x->fetches) mshr_give(&s->mshr, m);
  unblock(g, s);
}

/* Usually a read is the only one that wants its line, which is new to the cache. */
HOT bool l2_alone(const mshr_entry_t *x) {
  return x->fetches == 1 && !x->maybe_there && x->waiters.head == REQ_NONE;
}
HOT void l2_fill(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  l2_slice_t *s = &g->slice[r->slice];
  uint32_t m = r->next, now = (uint32_t)g->ev.now;
  bool walk = r->kind == REQ_WALK;
  if ((r->kind != REQ_LOAD && !walk) || (r->flags & (REQ_NO_FILL | REQ_BYPASS_L2)) ||
      !l2_alone(&s->mshr.entry[m])) {
    l2_fill_any(g, id);
    return;
  }
  uint32_t k = r->app * CLASSES + walk;
  cache_stats_t *st = &g->l2_stats[k];
  hist_add(&g->dram_latency[k], now - r->t_dram);
  hist_add(&st->latency, now - r->t_ret);
  r->t_ret = now;
  r->flags |= REQ_RET | REQ_DRAM;
  mshr_give(&s->mshr, m);
  l2_bring(g, s, r, st, r->fetched, 0);
  if (walk)
    reply_walk(g, id, 0);
  else
    send_flits_back(g, r, id, g->flits[r->full]);
  unblock(g, s);
}

COLD void unblock_slices(gpu_t *g, const channel_t *c) {
  uint32_t first = (uint32_t)(c - g->channel) * g->spec.l2.slices;
  for (uint32_t k = 0; k < g->spec.l2.slices; k++)
    if (g->slice[first + k].by_channel) unblock(g, &g->slice[first + k]);
}

HOT void channel_done(gpu_t *g, channel_t *c, uint32_t id, bool write) {
  c->inside--;
  bool moved = g->moves.lines && moves_line_done(g, id);
  if (moved) {
  } else if (write) {
    request_give(&g->pool, id);
  } else {
    l2_fill(g, id);
  }
  if (g->slices_blocked) unblock_slices(g, c);
}

/* What is sent to a channel gets there `delay` cycles later, so that far ahead it knows all it has
 * to know. Returns when it is due again. */
HOT uint64_t channel_tick(gpu_t *g, channel_t *c, uint64_t now) {
  dram_door_t *door = dram_door(c->dram);
#ifndef GMMU_TICK_ALL
  if (door->wake <= now)
#endif
    dram_run(c->dram, now + c->delay);
  uint64_t first;
  while ((first = door_first(door)) <= now) {
    const dram_access_t *a = &door_take(door)->a;
    channel_done(g, c, a->id, a->write);
  }
  return door->wake < first ? door->wake : first;
}

static uint64_t next_slot(const gpu_t *g) {
  if (!g->channel_slots) return UINT64_MAX;
  uint32_t from = (uint32_t)(g->ev.now + 1) & 63;
  uint64_t turned = g->channel_slots >> from | g->channel_slots << (-from & 63);
  return g->ev.now + 1 + (uint32_t)__builtin_ctzll(turned);
}

/* Those entered for this cycle, in channel order; some only because it was the calendar's last. */
void flow_channels(gpu_t *g) {
  uint64_t now = g->ev.now, due = g->channel_due[now & 63];
#ifdef GMMU_TICK_ALL
  due = UINT64_MAX >> (64 - g->channels);
#endif
  g->channel_due[now & 63] = 0;
  g->channel_slots &= ~(1ull << (now & 63));
  for (; due; due &= due - 1) {
    channel_t *c = &g->channel[(uint32_t)__builtin_ctzll(due)];
    uint64_t next = c->next;
#ifndef GMMU_TICK_ALL
    if (next <= now)
#endif
      c->next = next = channel_tick(g, c, now);
    if (next != UINT64_MAX) channel_enter(g, c->bit, next, now);
  }
  g->channels_next = next_slot(g);
}

/* ---- back to the SM ---- */

/* When a line came from DRAM, and when it was asked of it: those who waited for it inherit that. */
typedef struct {
  uint32_t t_dram, t_ret;
  uint8_t flags;
} way_t;

static void l1_deliver(gpu_t *g, uint32_t id) {
  const request_t *r = &g->pool.at[id];
  hist_add(&g->l1_stats[r->app].latency, (uint32_t)g->ev.now - r->t_xlat);
  app_line_done(g, r->sm, id);
}

static void l1_wake_waiters(gpu_t *g, mshr_entry_t *x, way_t way) {
  request_list_t left = REQUEST_LIST_EMPTY;
  for (uint32_t id = x->waiters.head, next; id != REQ_NONE; id = next) {
    request_t *r = &g->pool.at[id];
    next = r->next;
    if (r->sectors & x->pending) {
      request_append(&g->pool, &left, id);
      continue;
    }
    x->merged--;
    r->t_dram = way.t_dram;
    r->t_ret = way.t_ret;
    r->flags |= way.flags & (REQ_DRAM | REQ_RET);
    l1_deliver(g, id);
  }
  x->waiters = left;
}

/* The line, which is in no way of its set, comes in with these sectors. */
HOT void l1_bring(gpu_t *g, l1_t *c, uint64_t line, uint8_t sectors, uint32_t app) {
  cache_victim_t v = cache_fill(&c->array, line, sectors, 0, (uint8_t)app);
  if (!v.entry) return;
  g->l1_stats[app].evictions++;
  g->l1_evicted_by[app * g->apps + cache_owner(v.entry)]++;
}

static void l1_install(gpu_t *g, l1_t *c, uint64_t line, uint8_t sectors, uint8_t app,
                       bool maybe_there) {
  uint32_t *entry = maybe_there ? cache_find(&c->array, line) : NULL;
  if (entry)
    cache_add(entry, sectors, 0);
  else
    l1_bring(g, c, line, sectors, app);
}

/* A register may be free again: so whoever waited for one looks again. */
HOT void l1_unblock(gpu_t *g, uint32_t sm) {
  if (!g->sm[sm].l1_blocked) return;
  g->sm[sm].l1_blocked = false;
  wake_l1(g, sm);
}

/* Others may wait for sectors of the line, or some of them travel with another request. */
static void l1_arrive_shared(gpu_t *g, l1_t *c, uint32_t m, uint32_t id) {
  request_t *r = &g->pool.at[id];
  mshr_entry_t *x = &c->mshr.entry[m];
  uint32_t sm = r->sm;
  way_t way = {r->t_dram, r->t_ret, r->flags};
  if (r->sectors & x->pending) {
    x->merged++;
    request_append(&g->pool, &x->waiters, id);
  } else {
    l1_deliver(g, id);
  }
  if (x->waiters.head != REQ_NONE) l1_wake_waiters(g, x, way);
  if (!x->fetches) mshr_give(&c->mshr, m);
  l1_unblock(g, sm);
}

COLD void sm_enter_any(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  if (r->kind == REQ_STORE) {
    app_line_done(g, r->sm, id);
    return;
  }
  if (r->flags & REQ_BYPASS_L1) {
    l1_deliver(g, id);
    return;
  }
  l1_t *c = &g->l1[r->sm];
  uint64_t line = r->addr >> c->line_shift;
  uint32_t m = mshr_find(&c->mshr, line);
  mshr_entry_t *x = &c->mshr.entry[m];
  x->pending &= (uint8_t)~r->full;
  x->fetches--;
  l1_install(g, c, line, r->full, r->app, x->maybe_there);
  x->maybe_there = true;
  l1_arrive_shared(g, c, m, id);
}

/* Usually a load is the only one of its line. */
HOT void sm_enter(gpu_t *g, request_t *r, uint32_t id) {
  if (r->kind != REQ_LOAD || (r->flags & REQ_BYPASS_L1)) {
    sm_enter_any(g, id);
    return;
  }
  uint32_t sm = r->sm, app = r->app;
  l1_t *c = &g->l1[sm];
  uint64_t line = r->addr >> c->line_shift;
  uint32_t *link = mshr_bucket(&c->mshr, line);
  const mshr_entry_t *x = &c->mshr.entry[*link];
  if (x->line != line || x->fetches != 1 || x->maybe_there || x->waiters.head != REQ_NONE) {
    sm_enter_any(g, id);
    return;
  }
  mshr_unlink(&c->mshr, link);
  l1_bring(g, c, line, r->full, app);
  l1_unblock(g, sm);
  hist_add(&g->l1_stats[app].latency, (uint32_t)g->ev.now - r->t_xlat);
  app_line_done(g, sm, id);
}

void flow_sm_enter(gpu_t *g, uint32_t id) { sm_enter(g, &g->pool.at[id], id); }

void flow_sm_arrive(gpu_t *g, uint32_t id) {
  request_t *r = &g->pool.at[id];
  uint64_t t = noc_receive(&g->sm_in[r->sm], g->ev.now, flits_back(g, r));
  if (t == g->ev.now)
    sm_enter(g, r, id);
  else
    engine_schedule(&g->ev, t, EV_SM_ENTER, id);
}
