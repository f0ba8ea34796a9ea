#ifndef GMMU_ENGINE_H
#define GMMU_ENGINE_H
/* Simulated time: an event wheel of one-cycle slots with an overflow heap.
 *
 * Invariant: events of equal time run in the order they were scheduled, whether they went through
 * the heap or not. An event is a (kind, id) pair in a node of a fixed pool; nothing is allocated
 * after creation. Blocks sleep by having no event. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define WHEEL_BITS  12
#define WHEEL_SLOTS (1u << WHEEL_BITS) /* 64 words of 64 bits */

#define EVENT_ID_BITS 27 /* more ids than the host has room for requests; leaves 32 kinds */

typedef struct {
  uint32_t next; /* in the slot's list or the free list */
  uint32_t what; /* kind << EVENT_ID_BITS | id */
} event_t;

typedef struct {
  uint64_t time, seq;
  uint32_t node;
} far_event_t;

typedef struct engine {
  uint64_t now;
  event_t *node;
  uint32_t free_head, capacity;
  struct {
    uint32_t head, tail; /* EVENT_NONE in head: empty */
  } slot[WHEEL_SLOTS];
  uint64_t occupied[WHEEL_SLOTS / 64]; /* bit per slot, */
  uint64_t words;                      /* and per word of them that is not 0 */
  far_event_t *far;                    /* binary heap by (time, seq) */
  uint32_t far_count;
  uint64_t far_seq;
} engine_t;

#define EVENT_NONE UINT32_MAX

int engine_init(engine_t *e, uint32_t capacity);
void engine_fini(engine_t *e);
/* The time of the earliest event, or UINT64_MAX. */
uint64_t engine_next(const engine_t *e);
/* Move time forward to `t`, which must not be later than engine_next(). */
void engine_advance(engine_t *e, uint64_t t);
void engine_schedule_far(engine_t *e, uint64_t time, uint32_t node);

static inline void engine_append(engine_t *e, uint64_t time, uint32_t n) {
  uint32_t s = (uint32_t)time & (WHEEL_SLOTS - 1);
  e->node[n].next = EVENT_NONE;
  if (e->slot[s].head == EVENT_NONE) {
    e->slot[s].head = n;
    e->occupied[s >> 6] |= 1ull << (s & 63);
    e->words |= 1ull << (s >> 6);
  } else {
    e->node[e->slot[s].tail].next = n;
  }
  e->slot[s].tail = n;
}

/* Run (kind, id) at `time` >= now. An event scheduled for the current cycle runs in this cycle,
 * after those already waiting. */
static inline void engine_schedule(engine_t *e, uint64_t time, uint32_t kind, uint32_t id) {
  uint32_t n = e->free_head;
  e->free_head = e->node[n].next;
  e->node[n].what = kind << EVENT_ID_BITS | id;
  if (__builtin_expect(time - e->now < WHEEL_SLOTS, 1))
    engine_append(e, time, n);
  else
    engine_schedule_far(e, time, n);
}

/* The events of the current cycle, all at once: the first of a list for engine_take(), which the
 * caller goes through before it asks again for those scheduled meanwhile. EVENT_NONE: none left. */
static inline uint32_t engine_due(engine_t *e) {
  uint32_t s = (uint32_t)e->now & (WHEEL_SLOTS - 1), n = e->slot[s].head;
  if (n == EVENT_NONE) return n;
  e->slot[s].head = EVENT_NONE;
  if (!(e->occupied[s >> 6] &= ~(1ull << (s & 63)))) e->words &= ~(1ull << (s >> 6));
  return n;
}
/* Frees node `n` of that list and returns what it was; n.next is the next one. */
static inline event_t engine_take(engine_t *e, uint32_t n) {
  event_t x = e->node[n];
  e->node[n].next = e->free_head;
  e->free_head = n;
  return x;
}
static inline uint32_t event_kind(event_t x) { return x.what >> EVENT_ID_BITS; }
static inline uint32_t event_id(event_t x) { return x.what & ((1u << EVENT_ID_BITS) - 1); }
#endif
