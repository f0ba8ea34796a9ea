/* Kernels of several streams in flight: who waits for whom, and what that takes. Recordings hold
 * the order, so they are what is run. */
#include "streams.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *statistics(const gpu_spec_t *spec, const step_t *step, uint32_t steps,
                        uint64_t *cycles) {
  source_t *s = streams_recording(step, steps);
  gpu_t *g = machine(spec, &s, 1);
  finish(g);
  *cycles = g->share.app[0].first_end;
  assert_int_equal(g->share.app[0].running, 0);
  char *text = stats_text(g);
  gpu_free(g);
  s->ops->free(s);
  return text;
}

static uint64_t cycles_of(const gpu_spec_t *spec, const step_t *step, uint32_t steps) {
  uint64_t cycles;
  free(statistics(spec, step, steps, &cycles));
  return cycles;
}

#define CYCLES(spec, ...)                                                                          \
  cycles_of(spec, (step_t[]){__VA_ARGS__}, sizeof((step_t[]){__VA_ARGS__}) / sizeof(step_t))
#define ALONE                                                                                      \
  {                                                                                                \
    false, 1, 0, { 0 }                                                                             \
  }
#define FREE                                                                                       \
  {                                                                                                \
    true, 1, 0, { 0 }                                                                              \
  } /* waits for nobody */
#define AFTER(n, ...)                                                                              \
  {                                                                                                \
    true, 1, n, { __VA_ARGS__ }                                                                    \
  }

/* Of so many kernels one after the other. */
static uint64_t chain(const gpu_spec_t *spec, uint32_t n) {
  step_t step[8];
  for (uint32_t i = 0; i < n; i++) step[i] = (step_t)ALONE;
  return cycles_of(spec, step, n);
}

static void about(uint64_t got, uint64_t want) {
  if (got * 10 < want * 9 || got * 10 > want * 11)
    fail_msg("%llu cycles, not about %llu", (unsigned long long)got, (unsigned long long)want);
}

static void kernels_that_wait_for_nobody_run_at_once(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  about(CYCLES(&spec, FREE, FREE, FREE, FREE), chain(&spec, 1));
}

static void a_kernel_waits_for_those_it_names(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  about(CYCLES(&spec, FREE, AFTER(1, 0), FREE), chain(&spec, 2));
  about(CYCLES(&spec, FREE, AFTER(1, 0), AFTER(1, 0), AFTER(2, 1, 2)),
        chain(&spec, 3)); /* a diamond */
  about(CYCLES(&spec, FREE, AFTER(1, 0), AFTER(1, 1), AFTER(1, 2)), chain(&spec, 4));
}

static void a_kernel_of_the_default_stream_runs_alone(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  about(CYCLES(&spec, FREE, ALONE, FREE), chain(&spec, 3));
  about(CYCLES(&spec, FREE, FREE, ALONE, FREE, FREE), chain(&spec, 3));
}

static void one_stream_costs_exactly_what_no_stream_does(void **state) {
  gpu_spec_t spec = lab_spec();
  uint64_t a, b;
  (void)state;
  setn(&spec, "gpu.sms", 2);
  setn(&spec, "gpu.launch", 37);
  char *streams = statistics(&spec, (step_t[]){FREE, AFTER(1, 0), AFTER(1, 1)}, 3, &a);
  char *none = statistics(&spec, (step_t[]){ALONE, ALONE, ALONE}, 3, &b);
  assert_int_equal(a, b);
  assert_string_equal(streams, none);
  free(streams), free(none);
}

static void as_many_run_at_once_as_the_option_says(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  setn(&spec, "share.kernels", 1);
  assert_int_equal(CYCLES(&spec, FREE, FREE, FREE, FREE), chain(&spec, 4));
  setn(&spec, "share.kernels", 2);
  about(CYCLES(&spec, FREE, FREE, FREE, FREE), chain(&spec, 2));
}

static void freed_memory_waits_for_all(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  about(CYCLES(&spec, FREE, FREE, {true, 0, 0, {0}}, FREE), chain(&spec, 2));
}

static void blocks_go_where_there_is_room(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 4);
  setn(&spec, "sm.blocks", 1);
  about(CYCLES(&spec, {true, 2, 0, {0}}, {true, 2, 0, {0}}), chain(&spec, 1));
  about(CYCLES(&spec, {true, 3, 0, {0}}, {true, 2, 0, {0}}), chain(&spec, 2));
}

/* The oldest kernel's blocks come first, although the younger's were asked for in the same cycle.
 */
static void the_oldest_goes_first(void **state) {
  gpu_spec_t spec = lab_spec();
  (void)state;
  setn(&spec, "gpu.sms", 1);
  setn(&spec, "sm.blocks", 1);
  about(CYCLES(&spec, {true, 2, 0, {0}}, FREE, AFTER(1, 0)), chain(&spec, 4));
}

static void turns_and_launch_times_keep_the_order(void **state) {
  gpu_spec_t spec = lab_spec();
  uint64_t cycles;
  (void)state;
  setn(&spec, "gpu.sms", 4);
  setn(&spec, "gpu.launch", 500);
  set(&spec, "share.mode", "time");
  setn(&spec, "share.quantum", 300);
  source_t *s[2] = {streams_recording((step_t[]){FREE, FREE, AFTER(1, 1)}, 3),
                    streams_recording((step_t[]){FREE, AFTER(1, 0), FREE}, 3)};
  gpu_t *g = machine(&spec, s, 2);
  finish(g);
  cycles = g->share.app[0].first_end;
  assert_int_equal(g->share.app[0].launches, 3);
  assert_int_equal(g->cores.stats[0].warp_instructions, 3 * (STREAMS_ARITH + 2));
  assert_true(cycles > 0);
  gpu_free(g);
  s[0]->ops->free(s[0]), s[1]->ops->free(s[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_that_wait_for_nobody_run_at_once),
      cmocka_unit_test(a_kernel_waits_for_those_it_names),
      cmocka_unit_test(a_kernel_of_the_default_stream_runs_alone),
      cmocka_unit_test(one_stream_costs_exactly_what_no_stream_does),
      cmocka_unit_test(as_many_run_at_once_as_the_option_says),
      cmocka_unit_test(freed_memory_waits_for_all),
      cmocka_unit_test(blocks_go_where_there_is_room),
      cmocka_unit_test(the_oldest_goes_first),
      cmocka_unit_test(turns_and_launch_times_keep_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
