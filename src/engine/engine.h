#ifndef GMMU_ENGINE_H
#define GMMU_ENGINE_H
/* Simulated time: an event wheel of one-cycle slots with an overflow heap.
 *
 * Invariant: events of equal time run in the order they were scheduled, whether they went through
 * the heap or not. An event is a (kind, id) pair in one word; a slot holds as many as a cycle
 * usually has, and a list of nodes takes the others. Nothing is allocated after creation. Blocks
 * sleep by having no event. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define WHEEL_BITS  10 /* few events are further ahead; a longer wheel leaves the host's cache */
#define WHEEL_SLOTS (1u << WHEEL_BITS)
#define WHEEL_WORDS (WHEEL_SLOTS / 64)
#define SLOT_EVENTS 32u

#define EVENT_ID_BITS 27 /* more ids than the host has room for requests; leaves 32 kinds */

typedef struct {
  uint32_t next; /* in the slot's list or the free list */
  uint32_t what; /* kind << EVENT_ID_BITS | id */
} event_node_t;

typedef struct {
  uint64_t time, seq;
  uint32_t what;
} far_event_t;

typedef struct engine {
  uint64_t now;
  uint32_t what[WHEEL_SLOTS * SLOT_EVENTS]; /* slots one after the other, */
  uint32_t end[WHEEL_SLOTS];                /* [slot] in `what`, behind its last event */
  uint64_t occupied[WHEEL_WORDS];           /* bit per slot, */
  uint64_t words;                           /* and per word of them that is not 0 */
  struct {
    uint32_t head, tail;
  } more[WHEEL_SLOTS]; /* what follows in a slot that is full: FIFO of nodes */
  event_node_t *node;
  uint32_t free_head, capacity;
  far_event_t *far; /* binary heap by (time, seq) */
  uint32_t far_count;
  uint64_t far_seq;
} engine_t;

#define EVENT_NONE UINT32_MAX

int engine_init(engine_t *e, uint32_t capacity);
void engine_fini(engine_t *e);
/* The time of the earliest event, or UINT64_MAX. */
uint64_t engine_next(const engine_t *e);
/* Move time forward to `t`, which must not be later than engine_next(). */
static inline void engine_advance(engine_t *e, uint64_t t);

/* What is rare of the functions below. */
void engine_schedule_far(engine_t *e, uint64_t time, uint32_t what);
void engine_schedule_more(engine_t *e, uint32_t slot, uint32_t what);
void engine_approach(engine_t *e);
bool engine_refill(engine_t *e, uint32_t slot);

/* One test finds both a slot that is empty and one that is full. */
static inline void engine_append(engine_t *e, uint64_t time, uint32_t what) {
  uint32_t s = (uint32_t)time & (WHEEL_SLOTS - 1), end = e->end[s];
  if (__builtin_expect(end % SLOT_EVENTS == 0, 0)) {
    if (end != s * SLOT_EVENTS) {
      engine_schedule_more(e, s, what);
      return;
    }
    e->occupied[s >> 6] |= 1ull << (s & 63);
    e->words |= 1ull << (s >> 6);
  }
  e->what[end] = what;
  e->end[s] = end + 1;
}

/* Run (kind, id) at `time` >= now. An event scheduled for the current cycle runs in this cycle,
 * after those already waiting. */
static inline void engine_schedule(engine_t *e, uint64_t time, uint32_t kind, uint32_t id) {
  uint32_t what = kind << EVENT_ID_BITS | id;
  if (__builtin_expect(time - e->now < WHEEL_SLOTS, 1))
    engine_append(e, time, what);
  else
    engine_schedule_far(e, time, what);
}

static inline void engine_advance(engine_t *e, uint64_t t) {
  e->now = t;
  if (e->far_count) engine_approach(e);
}

static inline uint32_t engine_slot(const engine_t *e) {
  return (uint32_t)e->now & (WHEEL_SLOTS - 1);
}
/* All events of the current slot have run: makes room for the next ones of this cycle. False if
 * there are none, and the slot is free for another cycle. */
static inline bool engine_more(engine_t *e) {
  uint32_t s = engine_slot(e), full = e->end[s] == (s + 1) * SLOT_EVENTS;
  e->end[s] = s * SLOT_EVENTS;
  if (full && engine_refill(e, s)) return true;
  if (!(e->occupied[s >> 6] &= ~(1ull << (s & 63)))) e->words &= ~(1ull << (s >> 6));
  return false;
}
static inline uint32_t event_kind(uint32_t what) { return what >> EVENT_ID_BITS; }
static inline uint32_t event_id(uint32_t what) { return what & ((1u << EVENT_ID_BITS) - 1); }
#endif
