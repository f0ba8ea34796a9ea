/* The event wheel. Parts of slots are arrays in the order of senders, followed by a list in the
 * order of scheduling if one is full (invariant: only then); a byte per slot tells which parts of
 * it are in use.
 *
 * Time beyond the wheel is divided into stretches of EVENT_STRETCH_CYCLES. The next EVENT_STRETCHES
 * have a list each, in the order of scheduling; events behind them wait in a heap. Where time
 * enters a stretch, another one comes within the wheel's reach and its list goes into slots, and
 * another one has a list: before anything can be scheduled there directly. So each sender's own
 * order holds. */
#include "engine/engine.h"
#include <string.h>

int engine_init(engine_t *e, uint32_t capacity, arrays_t *a) {
  memset(e, 0, sizeof *e);
  e->node = arrays_take(a, sizeof *e->node * (size_t)capacity);
  e->far = arrays_take(a, sizeof *e->far * (size_t)capacity);
  e->crowd = arrays_take(a, 2 * sizeof *e->crowd * ((size_t)capacity + SLOT_EVENTS));
  bool soon = true;
  for (uint32_t i = 0; i < 2 * SOONS; i++) {
    uint32_t *room = arrays_take(a, sizeof *room * (size_t)capacity);
    e->queues[i % 2].first[i / 2] = e->queues[i % 2].end[i / 2] = room;
    soon &= room != NULL;
  }
  e->due = &e->queues[0];
  e->soon = &e->queues[1];
  if (!e->node || !e->far || !e->crowd || !soon) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < capacity; i++) e->node[i] = (event_node_t){.next = i + 1};
  for (uint32_t k = 0; k < SENDERS; k++)
    for (uint32_t i = 0; i < WHEEL_SLOTS; i++)
      e->more[k][i].head = EVENT_NONE, e->end[k][i] = PART_FIRST(k, i) + 1;
  for (uint32_t i = 0; i < EVENT_STRETCHES; i++) e->stretch[i].head = EVENT_NONE;
  e->reach = WHEEL_SLOTS;
  e->capacity = capacity;
  return GMMU_OK;
}

static bool far_before(const far_event_t *a, const far_event_t *b) {
  return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

static uint32_t node_take(engine_t *e) {
  uint32_t n = e->free_head;
  e->free_head = e->node[n].next;
  return n;
}
static void node_give(engine_t *e, uint32_t n) {
  e->node[n].next = e->free_head;
  e->free_head = n;
}
static void list_append(engine_t *e, event_list_t *l, uint32_t n) {
  if (l->head == EVENT_NONE)
    l->head = n;
  else
    e->node[l->tail].next = n;
  l->tail = n;
}

/* ---- beyond the wheel ---- */

static uint32_t stretch_of(uint64_t time) { return time / EVENT_STRETCH_CYCLES % EVENT_STRETCHES; }

static void stretch_add(engine_t *e, uint64_t time, sender_kind_t kind, event_t x) {
  uint32_t n = node_take(e), s = stretch_of(time);
  e->node[n] = (event_node_t){.event = x,
                              .next = EVENT_NONE,
                              .slot = (uint16_t)(time % WHEEL_SLOTS),
                              .kind = (uint16_t)kind};
  list_append(e, &e->stretch[s], n);
  e->stretches |= 1ull << s;
}

/* Where the first stretch with events begins, of the EVENT_STRETCHES from `from` on. There is one.
 */
static uint64_t stretch_next(const engine_t *e, uint64_t from) {
  uint32_t s = stretch_of(from);
  uint64_t turned = e->stretches >> s | e->stretches << (-s & 63);
  return from + (uint64_t)__builtin_ctzll(turned) * EVENT_STRETCH_CYCLES;
}

/* The list of the stretch that begins at `time`, which is within reach now, goes into the wheel. */
static void stretch_enter(engine_t *e, uint64_t time) {
  uint32_t s = stretch_of(time);
  for (uint32_t n = e->stretch[s].head, next; n != EVENT_NONE; n = next) {
    event_node_t x = e->node[n];
    next = x.next;
    node_give(e, n);
    engine_append(e, x.slot, (sender_kind_t)x.kind, x.event);
  }
  e->stretch[s].head = EVENT_NONE;
  e->stretches &= ~(1ull << s);
}

/* The first event in a list; there is one. */
static uint64_t stretch_first(const engine_t *e) {
  uint64_t begin = stretch_next(e, e->reach);
  uint32_t first = WHEEL_SLOTS;
  for (uint32_t n = e->stretch[stretch_of(begin)].head; n != EVENT_NONE; n = e->node[n].next) {
    uint32_t after = (uint32_t)(e->node[n].slot - begin) % WHEEL_SLOTS;
    first = after < first ? after : first;
  }
  return begin + first;
}

static void heap_add(engine_t *e, uint64_t time, sender_kind_t kind, event_t event) {
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

void engine_schedule_far(engine_t *e, uint64_t time, sender_kind_t kind, event_t x) {
  if (time - e->reach < EVENT_STRETCHES * EVENT_STRETCH_CYCLES)
    stretch_add(e, time, kind, x);
  else
    heap_add(e, time, kind, x);
}

/* Time has come into another stretch. */
void engine_approach(engine_t *e) {
  uint64_t before = e->reach;
  e->reach = e->now / EVENT_STRETCH_CYCLES * EVENT_STRETCH_CYCLES + WHEEL_SLOTS;
  for (uint64_t t; e->stretches && (t = stretch_next(e, before)) < e->reach;) stretch_enter(e, t);
  while (e->far_count && e->far[0].time < e->reach + EVENT_STRETCHES * EVENT_STRETCH_CYCLES) {
    far_event_t x = far_take(e);
    if (x.time < e->reach)
      engine_append(e, (uint32_t)x.time % WHEEL_SLOTS, x.kind, x.event);
    else
      stretch_add(e, x.time, x.kind, x.event);
  }
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
  if (e->stretches) return stretch_first(e);
  return e->far_count ? e->far[0].time : UINT64_MAX;
}

void engine_schedule_more(engine_t *e, sender_kind_t kind, uint32_t slot, event_t x) {
  uint32_t n = node_take(e);
  e->node[n] = (event_node_t){.event = x, .next = EVENT_NONE};
  list_append(e, &e->more[kind][slot], n);
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
  uint32_t ordered = count; /* the others are in the order of scheduling */
  for (uint32_t n; (n = e->more[kind][slot].head) != EVENT_NONE;) {
    e->crowd[count++] = e->node[n].event;
    e->more[kind][slot].head = e->node[n].next;
    node_give(e, n);
  }
  event_t *from = e->crowd, *to = e->crowd + e->capacity + SLOT_EVENTS;
  for (uint32_t width = 1; width < count - ordered; width *= 2) {
    for (uint32_t a = ordered; a < count; a += 2 * width) {
      uint32_t m = a + width < count ? a + width : count;
      merge(from, to, a, m, m + width < count ? m + width : count);
    }
    event_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != e->crowd) memcpy(from, e->crowd, ordered * sizeof *from);
  merge(from, to, 0, ordered, count);
  if (to != e->crowd) memcpy(e->crowd, to, count * sizeof *to);
  return count;
}
