/* The event wheel. Slots are arrays, followed by a FIFO list if one is full (invariant: only then);
 * a bitmap finds the next occupied slot; events at least WHEEL_SLOTS cycles ahead wait in a heap
 * and move into the wheel when time comes within reach, which is before anything can be scheduled
 * directly for their cycle: so order of scheduling holds. */
#include "engine/engine.h"
#include <stdlib.h>
#include <string.h>

int engine_init(engine_t *e, uint32_t capacity) {
  memset(e, 0, sizeof *e);
  e->node = malloc(sizeof *e->node * (size_t)capacity);
  e->far = malloc(sizeof *e->far * (size_t)capacity);
  if (!e->node || !e->far) {
    engine_fini(e);
    return GMMU_ENOMEM;
  }
  for (uint32_t i = 0; i < capacity; i++) e->node[i] = (event_node_t){.next = i + 1};
  for (uint32_t i = 0; i < WHEEL_SLOTS; i++)
    e->more[i].head = EVENT_NONE, e->end[i] = i * SLOT_EVENTS;
  e->capacity = capacity;
  return GMMU_OK;
}

void engine_fini(engine_t *e) {
  free(e->node);
  free(e->far);
  e->node = NULL;
  e->far = NULL;
}

static bool far_before(const far_event_t *a, const far_event_t *b) {
  return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

void engine_schedule_far(engine_t *e, uint64_t time, uint32_t what) {
  far_event_t x = {.time = time, .seq = e->far_seq++, .what = what};
  uint32_t i = e->far_count++;
  while (i && far_before(&x, &e->far[(i - 1) / 2])) {
    e->far[i] = e->far[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  e->far[i] = x;
}

static far_event_t far_take(engine_t *e) {
  far_event_t top = e->far[0], x = e->far[--e->far_count];
  uint32_t i = 0, n = e->far_count;
  for (;;) {
    uint32_t c = 2 * i + 1;
    if (c >= n) break;
    if (c + 1 < n && far_before(&e->far[c + 1], &e->far[c])) c++;
    if (!far_before(&e->far[c], &x)) break;
    e->far[i] = e->far[c];
    i = c;
  }
  if (n) e->far[i] = x;
  return top;
}

/* Distance from the current slot to the next occupied one, or WHEEL_SLOTS. */
static uint32_t wheel_distance(const engine_t *e) {
  uint32_t s = engine_slot(e), w = s >> 6;
  uint64_t bits = e->occupied[w] >> (s & 63);
  if (bits) return (uint32_t)__builtin_ctzll(bits);
  if (!e->words) return WHEEL_SLOTS;
  uint64_t behind = e->words & (~1ull << w); /* else the turn goes on with word 0, up to w itself */
  uint32_t v = (uint32_t)__builtin_ctzll(behind ? behind : e->words);
  uint32_t slot = v * 64 + (uint32_t)__builtin_ctzll(e->occupied[v]);
  return (slot - s) & (WHEEL_SLOTS - 1);
}

uint64_t engine_next(const engine_t *e) {
  uint32_t d = wheel_distance(e);
  if (d < WHEEL_SLOTS) return e->now + d;
  return e->far_count ? e->far[0].time : UINT64_MAX;
}

void engine_approach(engine_t *e) {
  while (e->far_count && e->far[0].time - e->now < WHEEL_SLOTS) {
    far_event_t x = far_take(e);
    engine_append(e, x.time, x.what);
  }
}

void engine_schedule_more(engine_t *e, uint32_t slot, uint32_t what) {
  uint32_t n = e->free_head;
  e->free_head = e->node[n].next;
  e->node[n] = (event_node_t){.next = EVENT_NONE, .what = what};
  if (e->more[slot].head == EVENT_NONE)
    e->more[slot].head = n;
  else
    e->node[e->more[slot].tail].next = n;
  e->more[slot].tail = n;
}

/* Moves the first events of the slot's list into its array. False if there are none. */
bool engine_refill(engine_t *e, uint32_t slot) {
  uint32_t n = e->more[slot].head, from = slot * SLOT_EVENTS;
  for (; n != EVENT_NONE && e->end[slot] < from + SLOT_EVENTS; n = e->more[slot].head) {
    e->what[e->end[slot]++] = e->node[n].what;
    e->more[slot].head = e->node[n].next;
    e->node[n].next = e->free_head;
    e->free_head = n;
  }
  return e->end[slot] > from;
}
