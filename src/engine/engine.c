/* The event wheel. Parts of slots are arrays in the order of senders, followed by a list in the
 * order of scheduling if one is full (invariant: only then); a byte per slot tells which parts of
 * it are in use; events at least WHEEL_SLOTS cycles ahead wait in a heap and move into the wheel
 * when time comes within reach, which is before anything can be scheduled directly for their cycle:
 * so each sender's own order holds. */
#include "engine/engine.h"
#include <stdlib.h>
#include <string.h>

int engine_init(engine_t *e, uint32_t capacity) {
  memset(e, 0, sizeof *e);
  e->node = malloc(sizeof *e->node * (size_t)capacity);
  e->far = malloc(sizeof *e->far * (size_t)capacity);
  e->crowd = malloc(2 * sizeof *e->crowd * ((size_t)capacity + SLOT_EVENTS));
  bool soon = true;
  for (uint32_t i = 0; i < 2 * SOONS; i++) {
    uint32_t *room = malloc(sizeof *room * (size_t)capacity);
    e->queues[i % 2].first[i / 2] = e->queues[i % 2].end[i / 2] = room;
    soon &= room != NULL;
  }
  e->due = &e->queues[0];
  e->soon = &e->queues[1];
  if (!e->node || !e->far || !e->crowd || !soon) {
    engine_fini(e);
    return GMMU_ENOMEM;
  }
  for (uint32_t i = 0; i < capacity; i++) e->node[i] = (event_node_t){.next = i + 1};
  for (uint32_t k = 0; k < SENDERS; k++)
    for (uint32_t i = 0; i < WHEEL_SLOTS; i++)
      e->more[k][i].head = EVENT_NONE, e->end[k][i] = PART_FIRST(k, i) + 1;
  e->capacity = capacity;
  return GMMU_OK;
}

void engine_fini(engine_t *e) {
  free(e->node);
  free(e->far);
  free(e->crowd);
  for (uint32_t i = 0; i < 2 * SOONS; i++) {
    free(e->queues[i % 2].first[i / 2]);
    e->queues[i % 2].first[i / 2] = NULL;
  }
  e->node = NULL;
  e->far = NULL;
  e->crowd = NULL;
}

static bool far_before(const far_event_t *a, const far_event_t *b) {
  return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

void engine_schedule_far(engine_t *e, uint64_t time, sender_kind_t kind, event_t event) {
  far_event_t x = {.time = time, .seq = e->far_seq++, .event = event, .kind = kind};
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

/* Distance from the current slot to the next one with an event, or WHEEL_SLOTS. */
static uint32_t wheel_distance(const engine_t *e) {
  uint32_t s = engine_slot(e), w = s / 8;
  uint64_t eight = e->used8[w] >> s % 8 * 8;
  if (eight) return (uint32_t)__builtin_ctzll(eight) / 8;
  for (uint32_t i = 1; i <= WHEEL_SLOTS / 8; i++) { /* in the end w itself again */
    uint32_t v = (w + i) % (WHEEL_SLOTS / 8);
    if (!e->used8[v]) continue;
    uint32_t slot = v * 8 + (uint32_t)__builtin_ctzll(e->used8[v]) / 8;
    return (slot - s) & (WHEEL_SLOTS - 1);
  }
  return WHEEL_SLOTS;
}

uint64_t engine_next(const engine_t *e) {
  for (uint32_t i = 0; i < SOONS; i++)
    if (e->soon->first[i] != e->soon->end[i]) return e->now + 1;
  uint32_t d = wheel_distance(e);
  if (d < WHEEL_SLOTS) return e->now + d;
  return e->far_count ? e->far[0].time : UINT64_MAX;
}

void engine_approach(engine_t *e) {
  while (e->far_count && e->far[0].time - e->now < WHEEL_SLOTS) {
    far_event_t x = far_take(e);
    engine_append(e, (uint32_t)x.time & (WHEEL_SLOTS - 1), x.kind, x.event);
  }
}

void engine_schedule_more(engine_t *e, sender_kind_t kind, uint32_t slot, event_t x) {
  uint32_t n = e->free_head;
  e->free_head = e->node[n].next;
  e->node[n] = (event_node_t){.event = x, .next = EVENT_NONE};
  if (e->more[kind][slot].head == EVENT_NONE)
    e->more[kind][slot].head = n;
  else
    e->node[e->more[kind][slot].tail].next = n;
  e->more[kind][slot].tail = n;
}

/* From [a, m) and [m, n) of `from`, each in order, to `to`; of one sender, those of the first part
 * come first. */
static void merge(const event_t *from, event_t *to, uint32_t a, uint32_t m, uint32_t n) {
  for (uint32_t i = a, k = m, j = a; j < n; j++)
    to[j] = i < m && (k == n || from[i].from <= from[k].from) ? from[i++] : from[k++];
}

/* All events of a full part, in order, in `crowd`; the part is empty then. Returns how many. */
uint32_t engine_gather(engine_t *e, sender_kind_t kind, uint32_t slot) {
  uint32_t count = 0, start = PART_FIRST(kind, slot) + 1;
  for (uint32_t i = start; i < e->end[kind][slot]; i++) e->crowd[count++] = e->at[i];
  e->end[kind][slot] = start;
  for (uint32_t n; (n = e->more[kind][slot].head) != EVENT_NONE;) {
    e->crowd[count++] = e->node[n].event;
    e->more[kind][slot].head = e->node[n].next;
    e->node[n].next = e->free_head;
    e->free_head = n;
  }
  event_t *from = e->crowd, *to = e->crowd + e->capacity + SLOT_EVENTS;
  for (uint32_t width = 1; width < count; width *= 2) {
    for (uint32_t a = 0; a < count; a += 2 * width) {
      uint32_t m = a + width < count ? a + width : count;
      merge(from, to, a, m, m + width < count ? m + width : count);
    }
    event_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != e->crowd) memcpy(e->crowd, from, count * sizeof *from);
  return count;
}
