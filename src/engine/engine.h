#ifndef GMMU_ENGINE_H
#define GMMU_ENGINE_H
/* Simulated time: an event wheel of one-cycle slots; what is further ahead waits in lists of many
 * cycles, and behind them in a heap.
 *
 * Invariant: events of equal time run in the order of their senders' numbers (block.h), and those
 * of one sender in the order in which it scheduled them. Nobody can tell which of two senders was
 * first: they may be ticked in any order. An event is never scheduled for the current cycle, so a
 * slot is complete before its cycle begins. It is a (kind, id) pair in one word, and its sender; a
 * slot holds as many as a cycle usually has, in order, and a list of nodes takes the others.
 * Nothing is allocated after creation. Blocks sleep by having no event. */
#include "base/arrays.h"
#include "base/inline.h"
#include "engine/block.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define WHEEL_BITS  9 /* few events are further ahead; a longer wheel leaves the host's cache */
#define WHEEL_SLOTS (1u << WHEEL_BITS)
/* The wheel reaches so far from the beginning of the stretch that time is in: from anywhere in it
 * at least WHEEL_REACH cycles. */
#define EVENT_STRETCH_CYCLES 64u
#define EVENT_STRETCHES      64u /* a bit each */
#define WHEEL_REACH          (WHEEL_SLOTS - EVENT_STRETCH_CYCLES)
/* A slot has a part for each kind of sender. All first parts lie one after the other, then all
 * second ones, and so on. Each holds as many events as this, less one: it begins with an empty one,
 * whose sender is 0. */
#define PART_EVENTS(kind)                                                                          \
  ((kind) == SENDER_TLB || (kind) == SENDER_ONE ? 16u : (kind) == SENDER_SLICE ? 64u : 32u)
#define PART_BEFORE(kind)                                                                          \
  ((kind) == SENDER_SM      ? 0u                                                                   \
   : (kind) == SENDER_TLB   ? 32u                                                                  \
   : (kind) == SENDER_ONE   ? 48u                                                                  \
   : (kind) == SENDER_SLICE ? 64u                                                                  \
                            : 128u)
#define SLOT_EVENTS            160u
#define PART_FIRST(kind, slot) (PART_BEFORE(kind) * WHEEL_SLOTS + (slot)*PART_EVENTS(kind))

#define EVENT_ID_BITS 26 /* more ids than the host has room for requests; leaves 64 kinds */

typedef struct {
  uint32_t what; /* kind << EVENT_ID_BITS | id */
  uint32_t from; /* number of the sender, of its kind */
} event_t;

typedef struct {
  event_t event;
  uint32_t next;       /* in the slot's list, a stretch's or the free list */
  uint16_t slot, kind; /* of a stretch's: where it goes */
} event_node_t;

typedef struct {
  uint32_t head, tail;
} event_list_t; /* a FIFO of nodes */

typedef struct {
  uint64_t time, seq;
  event_t event;
  sender_kind_t kind;
} far_event_t;

/* Queues of what comes in one cycle. */
typedef struct {
  uint32_t *first[SOONS], *end[SOONS]; /* room: [capacity] */
} soon_queues_t;

typedef struct engine {
  uint64_t now;
  uint64_t reach; /* what comes before this cycle is in the wheel */
  event_t at[WHEEL_SLOTS * SLOT_EVENTS];
  uint32_t end[SENDERS][WHEEL_SLOTS];      /* in `at`, behind the last event of a part */
  event_list_t more[SENDERS][WHEEL_SLOTS]; /* what follows in a part that is full */
  event_node_t *node;
  uint32_t free_head, capacity;
  soon_queues_t queues[2], *due, *soon; /* due: in this cycle; soon: in the next one */
  union {
    uint8_t used[WHEEL_SLOTS]; /* bit per part that is not empty */
    uint64_t used8[WHEEL_SLOTS / 8];
  };
  event_t *crowd; /* events of a part that was full, [2 * capacity]: see engine_gather() */
  event_list_t stretch[EVENT_STRETCHES]; /* from `reach` on, by number modulo EVENT_STRETCHES */
  uint64_t stretches;                    /* those with events */
  far_event_t *far;                      /* behind them: binary heap by (time, seq) */
  uint32_t far_count;
  uint64_t far_seq;
  int failed; /* code of an error found inside a cycle, which ends the run */
  err_t error;
} engine_t;

#define EVENT_NONE UINT32_MAX

int engine_init(engine_t *e, uint32_t capacity, arrays_t *a);
/* The time of the earliest event, or UINT64_MAX; those of this cycle have been taken. */
uint64_t engine_next(const engine_t *e);
/* Move time forward to `t`, which must not be later than engine_next(). */
static inline void engine_advance(engine_t *e, uint64_t t);

/* Slow paths of the functions below. */
void engine_schedule_far(engine_t *e, uint64_t time, sender_kind_t kind, event_t x);
void engine_schedule_more(engine_t *e, sender_kind_t kind, uint32_t slot, event_t x);
void engine_approach(engine_t *e);
uint32_t engine_gather(engine_t *e, sender_kind_t kind, uint32_t slot);

/* Into a slot of the wheel; as engine_schedule(), for those who know that it is within reach: up to
 * WHEEL_REACH cycles ahead. */
ALWAYS_INLINE void engine_append(engine_t *e, uint32_t s, sender_kind_t kind, event_t x) {
  uint32_t end = e->end[kind][s];
  if (__builtin_expect(end % PART_EVENTS(kind) == 0, 0)) {
    engine_schedule_more(e, kind, s, x);
    return;
  }
  e->used[s] |= (uint8_t)(1u << kind);
  event_t *to = &e->at[end];
  e->end[kind][s] = end + 1;
  for (; to[-1].from > x.from; to--) *to = to[-1];
  *to = x;
}

ALWAYS_INLINE event_t event_of(uint32_t kind, uint32_t id, uint32_t from) {
  return (event_t){.what = kind << EVENT_ID_BITS | id, .from = from};
}

/* Run (kind, id) at `time`, which is later than now, as sent by `from`. */
ALWAYS_INLINE void engine_schedule(engine_t *e, sender_t from, uint64_t time, uint32_t kind,
                                   uint32_t id) {
  event_t x = event_of(kind, id, from.number);
  if (__builtin_expect(time < e->reach, 1))
    engine_append(e, (uint32_t)time & (WHEEL_SLOTS - 1), from.kind, x);
  else
    engine_schedule_far(e, time, from.kind, x);
}

/* What a queue says of `id` comes in the next cycle, in the order of calls. */
ALWAYS_INLINE void engine_schedule_soon(engine_t *e, soon_t queue, uint32_t id) {
  *e->soon->end[queue]++ = id;
}

static inline void engine_advance(engine_t *e, uint64_t t) {
  e->now = t;
  soon_queues_t *due = e->soon;
  e->soon = e->due;
  e->due = due;
  if (t + WHEEL_REACH >= e->reach) engine_approach(e);
}

/* The run ends with this error, unless another one was first. */
static inline void engine_fail(engine_t *e, int code) {
  if (!e->failed) e->failed = code;
}

static inline uint32_t engine_slot(const engine_t *e) {
  return (uint32_t)e->now & (WHEEL_SLOTS - 1);
}
/* The events of this cycle from senders of a kind, in order; they stay there until the next call.
 */
ALWAYS_INLINE uint32_t engine_due(engine_t *e, sender_kind_t kind, event_t **first) {
  uint32_t s = engine_slot(e), end = e->end[kind][s], start = PART_FIRST(kind, s) + 1;
  *first = &e->at[start];
  if (__builtin_expect(end % PART_EVENTS(kind) == 0, 0)) {
    *first = e->crowd;
    return engine_gather(e, kind, s);
  }
  e->end[kind][s] = start;
  return end - start;
}
/* What a queue has for this cycle, up to `end`. */
ALWAYS_INLINE const uint32_t *engine_due_soon(engine_t *e, soon_t queue, const uint32_t **end) {
  *end = e->due->end[queue];
  return e->due->end[queue] = e->due->first[queue];
}
/* Which parts have events in this cycle: all of them will have run. */
static inline uint32_t engine_take(engine_t *e) {
  uint32_t s = engine_slot(e), used = e->used[s];
  e->used[s] = 0;
  return used;
}
static inline uint32_t event_kind(uint32_t what) { return what >> EVENT_ID_BITS; }
static inline uint32_t event_id(uint32_t what) { return what & ((1u << EVENT_ID_BITS) - 1); }
#endif
