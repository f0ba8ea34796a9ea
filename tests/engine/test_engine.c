/* The event wheel against a list of all events in the order they were scheduled: whatever the
 * distance, and however many meet in a cycle, they run at their time and in that order. */
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
  bool ran[EVENTS];
  uint32_t scheduled;
} world_t;

static uint64_t seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

static uint64_t draw(world_t *w, uint64_t below) { return rng_mix(w->random++) % below; }

/* Now, soon, at one of few common times, or beyond the wheel. */
static uint64_t some_time(world_t *w) {
  uint64_t now = w->engine.now;
  switch (draw(w, 4)) {
  case 0: return now;
  case 1: return now + draw(w, 40);
  case 2: return (now | 255) + draw(w, 2); /* so that slots overflow */
  default: return now + draw(w, 5 * WHEEL_SLOTS);
  }
}

static void schedule_some(world_t *w) {
  for (uint64_t n = draw(w, 60); n > 20 && w->scheduled < EVENTS; n--) {
    uint64_t t = some_time(w);
    w->time[w->scheduled] = t;
    engine_schedule(&w->engine, t, w->scheduled % 32, w->scheduled);
    w->scheduled++;
  }
}

/* The first in order of those that have not run. */
static void expect(world_t *w, uint32_t what) {
  uint32_t id = event_id(what);
  assert_int_equal(event_kind(what), id % 32);
  assert_false(w->ran[id]);
  assert_int_equal(w->time[id], w->engine.now);
  for (uint32_t i = 0; i < id; i++) assert_true(w->ran[i] || w->time[i] > w->engine.now);
  w->ran[id] = true;
}

static void run_cycle(world_t *w) {
  engine_t *e = &w->engine;
  uint32_t slot = engine_slot(e), first = slot * SLOT_EVENTS;
  if (e->end[slot] == first) return;
  do
    for (uint32_t i = first; i < e->end[slot]; i++) {
      expect(w, e->what[i]);
      if (draw(w, 8) == 0) schedule_some(w);
    }
  while (engine_more(e));
}

static uint64_t earliest(const world_t *w) {
  uint64_t t = UINT64_MAX;
  for (uint32_t i = 0; i < w->scheduled; i++)
    if (!w->ran[i] && w->time[i] < t) t = w->time[i];
  return t;
}

static void events_run_at_their_time_in_the_order_they_were_scheduled(void **state) {
  (void)state;
  world_t *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->random = seed() << 32;
  print_message("GMMU_SEED=%llu\n", (unsigned long long)seed());
  assert_int_equal(engine_init(&w->engine, EVENTS), GMMU_OK);
  while (w->scheduled < EVENTS || earliest(w) != UINT64_MAX) {
    run_cycle(w);
    schedule_some(w); /* as SMs do; what is due now comes first in the next round */
    run_cycle(w);
    uint64_t next = engine_next(&w->engine);
    assert_int_equal(next, earliest(w));
    bool jump = next != UINT64_MAX && draw(w, 2);
    engine_advance(&w->engine, jump ? next : w->engine.now + (next > w->engine.now));
  }
  engine_fini(&w->engine);
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_run_at_their_time_in_the_order_they_were_scheduled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
