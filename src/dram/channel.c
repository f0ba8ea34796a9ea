#include "dram/channel.h"
#include "base/inline.h"
#include "engine/messages.h"

/* The channel is looked at when it is due, or as far ahead as the calendar goes. Returns when. */
ALWAYS_INLINE uint64_t channels_enter(channels_t *d, const channel_t *c, uint64_t next,
                                      uint64_t now) {
  uint64_t last = now + 63, at = next < last ? next : last, slot = at & 63;
  c->due[slot] |= c->bit;
  d->slots |= 1ull << slot;
  return at;
}

ALWAYS_INLINE channel_t *channel_of(channels_t *d, const request_t *r) {
  return d->of_slice[r->slice];
}
static inline bool channel_full(const channel_t *c) { return c->inside >= c->capacity; }

/* Slow paths of channel_push(): a hash map of addresses; a quota; a channel that is due sooner. */
NEVER_INLINE void channel_hash(const addrmap_t *m, uint32_t local, dram_access_t *a) {
  addrmap_dram(m, local, &a->bank, &a->row);
}
NEVER_INLINE void channel_quota(channels_t *d, dram_access_t *a) {
  if (d->quota.on && !a->write && a->cls == DRAM_DATA)
    a->quota = dram_quota_take(&d->quota, a->app);
}
NEVER_INLINE void channel_sooner(channels_t *d, channel_t *c, uint64_t next) {
  c->next = next;
  uint64_t at = channels_enter(d, c, next, dram_ev(d)->now);
  if (at < d->next) d->next = at;
}

/* Request `r`, number `id`, asks for sectors, or writes them; `special` is the channel's. */
ALWAYS_INLINE void channel_push(channels_t *d, channel_t *c, request_t *r, uint32_t id,
                                uint8_t sectors, bool write, bool walk, bool special) {
  dram_door_t *door = dram_door(c->dram);
  dram_req_t *q = door_room(door);
  uint64_t at = dram_ev(d)->now + c->delay;
  q->a.id = id;
  q->a.bursts = d->bursts[sectors];
  q->a.write = write;
  q->a.app = r->app;
  q->a.cls = walk ? DRAM_WALK : DRAM_DATA;
  q->a.level = walk ? r->level : 0;
  if (__builtin_expect(!FAST(!dram_map(d)->hash), 0))
    channel_hash(dram_map(d), r->local, &q->a);
  else
    addrmap_bank(dram_map(d), r->local, &q->a.bank, &q->a.row);
  if (special) channel_quota(d, &q->a);
  r->t_dram = (uint32_t)at;
  c->inside++;
  uint64_t wake = door_push(door, q, at, write);
  if (wake < c->next) channel_sooner(d, c, wake);
}

/* Where reads may bypass L2 (MASK), accesses of two latencies meet at the channel. Those that
 * looked into L2 are pushed when they leave it, so that all come in order and the channel knows
 * what it has to know. Their place in the channel is taken at once. */
static bool looked_up(const request_t *r, bool write) {
  bool may_bypass = !write && r->kind != REQ_COPY_READ;
  return !(may_bypass && (r->flags & REQ_BYPASS_L2));
}
static void push_later(channels_t *d, channel_t *c, request_t *r, uint32_t id, uint8_t sectors) {
  uint64_t at = dram_ev(d)->now + c->lookup;
  r->fetched = sectors;
  r->t_dram = (uint32_t)at + c->delay;
  c->inside++;
  message_send(dram_ev(d), FROM_SLICE(r->slice), at, EV_DRAM_PUSH, id);
}
void channels_push(channels_t *d, uint32_t id) {
  request_t *r = &dram_pool(d)->at[id];
  channel_t *c = channel_of(d, r);
  bool write = r->kind == REQ_WRITEBACK || r->kind == REQ_COPY_WRITE;
  c->inside--;
  channel_push(d, c, r, id, r->fetched, write, r->kind == REQ_WALK, true);
}

/* Slow path of channel_read() and channel_write(). */
NEVER_INLINE void push_special(channels_t *d, channel_t *c, request_t *r, uint32_t id,
                               uint8_t sectors, bool write) {
  if (c->lookup && looked_up(r, write))
    push_later(d, c, r, id, sectors);
  else
    channel_push(d, c, r, id, sectors, write, !write && r->kind == REQ_WALK, true);
}
ALWAYS_INLINE void push(channels_t *d, request_t *r, uint32_t id, uint8_t sectors, bool write) {
  channel_t *c = channel_of(d, r);
  if (!FAST(!c->special))
    push_special(d, c, r, id, sectors, write);
  else
    channel_push(d, c, r, id, sectors, write, !write && r->kind == REQ_WALK, false);
}
void channel_read(channels_t *d, request_t *r, uint32_t id, uint8_t sectors) {
  push(d, r, id, sectors, false);
}
void channel_write(channels_t *d, request_t *r, uint32_t id, uint8_t sectors) {
  push(d, r, id, sectors, true);
}

void channels_quota(channels_t *d, uint32_t which) {
  dram_quota_heard(&d->quota, &dram_walker(d)->quota, which);
}

/* A whole line is read, or written, whatever else waits: the page is to go on soon. */
void channels_copy(channels_t *d, uint32_t id) {
  request_t *r = &dram_pool(d)->at[id];
  push(d, r, id, r->sectors, r->kind == REQ_COPY_WRITE);
}

/* ---- the loop ---- */

/* Channels of a word entered for this cycle, a bit each; some only because it was the calendar's
 * last. None is entered for this cycle any more. */
ALWAYS_INLINE uint64_t channels_due(channels_t *d, uint32_t word, uint64_t now) {
  uint64_t due = d->due[word][now & 63];
#ifdef GMMU_TICK_ALL
  due = word < d->channels / 64 ? UINT64_MAX : (1ull << d->channels % 64) - 1;
#endif
  d->due[word][now & 63] = 0;
  d->slots &= ~(1ull << (now & 63));
  return due;
}
/* All channels that were due have run: when is the next one? */
ALWAYS_INLINE void channels_note_next(channels_t *d, uint64_t now) {
  d->next = UINT64_MAX;
  if (!d->slots) return;
  uint32_t from = (uint32_t)(now + 1) & 63;
  uint64_t turned = d->slots >> from | d->slots << (-from & 63);
  d->next = now + 1 + (uint32_t)__builtin_ctzll(turned);
}

/* What is sent to a channel gets there `delay` cycles later, so that far ahead it knows all it has
 * to know. */
ALWAYS_INLINE void channel_run(channel_t *c, uint64_t now) {
#ifndef GMMU_TICK_ALL
  if (dram_door(c->dram)->wake <= now)
#endif
    dram_run(c->dram, now + c->delay);
}
/* The next access whose data is complete by `now`, or NULL; it holds until the next push. */
ALWAYS_INLINE const dram_access_t *channel_take(channel_t *c, uint64_t now) {
  dram_door_t *door = dram_door(c->dram);
  if (door_first(door) > now) return NULL;
  c->inside--;
  return &door_take(door)->a;
}
/* When the channel, which has nothing to hand out now, is due again. */
ALWAYS_INLINE uint64_t channel_next(channel_t *c) {
  const dram_door_t *door = dram_door(c->dram);
  uint64_t first = door_first(door);
  return door->wake < first ? door->wake : first;
}
