/* The event wheel against a list of all events: whatever the distance, and however many meet in a
 * cycle, they run at their time, by the numbers of their senders and in each sender's own order. */
#include "base/rng.h"
#include "engine/engine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 6000u

typedef struct {
  engine_t engine;
  uint64_t time[EVENTS], random; /* [id]; ids in the order of scheduling */
  sender_t from[EVENTS];
  uint32_t queue[EVENTS]; /* or SOONS: it went by the wheel */
  bool ran[EVENTS];
  uint32_t scheduled;
} world_t;

static uint64_t seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

static uint64_t draw(world_t *w, uint64_t below) { return rng_mix(w->random++) % below; }

/* Soon, at one of few common times, beyond the wheel, or further than its stretches. */
static uint64_t some_time(world_t *w) {
  uint64_t now = w->engine.now;
  switch (draw(w, 5)) {
  case 0: return now + 1;
  case 1: return now + 1 + draw(w, 40);
  case 2: return (now | 255) + 1 + draw(w, 2); /* so that slots overflow */
  case 3: return now + 1 + draw(w, 3 * EVENT_STRETCHES * EVENT_STRETCH_CYCLES);
  default: return now + 1 + draw(w, 5 * WHEEL_SLOTS);
  }
}

static void schedule_some(world_t *w) {
  for (uint64_t n = draw(w, 60); n > 20 && w->scheduled < EVENTS; n--) {
    uint32_t id = w->scheduled++;
    sender_t from = {(sender_kind_t)draw(w, SENDERS), (uint32_t)draw(w, 9)};
    w->from[id] = from;
    w->queue[id] = draw(w, 5) == 0 ? (uint32_t)draw(w, SOONS) : SOONS;
    w->time[id] = w->queue[id] < SOONS ? w->engine.now + 1 : some_time(w);
    if (w->queue[id] < SOONS)
      engine_schedule_soon(&w->engine, (soon_t)w->queue[id], id);
    else
      engine_schedule(&w->engine, from, w->time[id], id % 32, id);
  }
}

/* Of two of the same cycle, must `a` come first? run_cycle() takes queues after the wheel. */
static bool before(const world_t *w, uint32_t a, uint32_t b) {
  if (w->queue[a] != w->queue[b])
    return w->queue[a] == SOONS || (w->queue[b] != SOONS && w->queue[a] < w->queue[b]);
  if (w->queue[a] < SOONS) return a < b;
  if (w->from[a].kind != w->from[b].kind) return w->from[a].kind < w->from[b].kind;
  return w->from[a].number != w->from[b].number ? w->from[a].number < w->from[b].number : a < b;
}

/* The first in order of those that have not run. */
static void expect(world_t *w, uint32_t id) {
  assert_false(w->ran[id]);
  assert_int_equal(w->time[id], w->engine.now);
  for (uint32_t i = 0; i < w->scheduled; i++)
    if (!w->ran[i] && i != id) assert_true(w->time[i] > w->engine.now || before(w, id, i));
  w->ran[id] = true;
  if (draw(w, 8) == 0) schedule_some(w);
}

static void run_cycle(world_t *w) {
  engine_t *e = &w->engine;
  uint32_t used = engine_take(e);
  for (uint32_t k = 0; k < SENDERS; k++) {
    event_t *x;
    uint32_t n = used >> k & 1 ? engine_due(e, (sender_kind_t)k, &x) : 0;
    for (uint32_t i = 0; i < n; i++) {
      assert_int_equal(event_kind(x[i].what), event_id(x[i].what) % 32);
      expect(w, event_id(x[i].what));
    }
  }
  for (uint32_t q = 0; q < SOONS; q++) {
    const uint32_t *end, *x = engine_due_soon(e, (soon_t)q, &end);
    for (; x < end; x++) {
      assert_int_equal(w->queue[*x], q);
      expect(w, *x);
    }
  }
}

static uint64_t earliest(const world_t *w) {
  uint64_t t = UINT64_MAX;
  for (uint32_t i = 0; i < w->scheduled; i++)
    if (!w->ran[i] && w->time[i] < t) t = w->time[i];
  return t;
}

static void events_run_at_their_time_in_the_order_of_their_senders(void **state) {
  (void)state;
  world_t *w = calloc(1, sizeof *w);
  assert_non_null(w);
  arrays_t arrays = {0};
  w->random = seed() << 32;
  print_message("GMMU_SEED=%llu\n", (unsigned long long)seed());
  assert_int_equal(engine_init(&w->engine, EVENTS, &arrays), GMMU_OK);
  while (w->scheduled < EVENTS || earliest(w) != UINT64_MAX) {
    run_cycle(w);
    schedule_some(w); /* as SMs do */
    uint64_t next = engine_next(&w->engine);
    assert_int_equal(next, earliest(w));
    bool jump = next != UINT64_MAX && draw(w, 2);
    engine_advance(&w->engine, jump ? next : w->engine.now + (next > w->engine.now));
  }
  arrays_free(&arrays);
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_run_at_their_time_in_the_order_of_their_senders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
