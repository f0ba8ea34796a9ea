/* The event wheel. Slots hold intrusive FIFO lists; a bitmap finds the next occupied slot; events
 * at least WHEEL_SLOTS cycles ahead wait in a heap and move into the wheel when time comes within
 * reach, which is before anything can be scheduled directly for their cycle: so order of scheduling
 * holds. */
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
  for (uint32_t i = 0; i < capacity; i++) e->node[i] = (event_t){.next = i + 1};
  for (uint32_t i = 0; i < WHEEL_SLOTS; i++) e->slot[i].head = EVENT_NONE;
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

void engine_schedule_far(engine_t *e, uint64_t time, uint32_t node) {
  far_event_t x = {.time = time, .seq = e->far_seq++, .node = node};
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
  uint32_t s = (uint32_t)e->now & (WHEEL_SLOTS - 1), w = s >> 6;
  uint64_t bits = e->occupied[w] >> (s & 63);
  if (bits) return (uint32_t)__builtin_ctzll(bits);
  if (!e->words) return WHEEL_SLOTS;
  uint32_t from = (w + 1) & 63; /* word w itself comes last: its slots behind s are a turn away */
  uint64_t turned = e->words >> from | e->words << (-from & 63);
  uint32_t v = (from + (uint32_t)__builtin_ctzll(turned)) & 63;
  uint32_t slot = v * 64 + (uint32_t)__builtin_ctzll(e->occupied[v]);
  return (slot - s) & (WHEEL_SLOTS - 1);
}

uint64_t engine_next(const engine_t *e) {
  uint32_t d = wheel_distance(e);
  if (d < WHEEL_SLOTS) return e->now + d;
  return e->far_count ? e->far[0].time : UINT64_MAX;
}

void engine_advance(engine_t *e, uint64_t t) {
  e->now = t;
  while (e->far_count && e->far[0].time - t < WHEEL_SLOTS) {
    far_event_t x = far_take(e);
    engine_append(e, x.time, x.node);
  }
}
