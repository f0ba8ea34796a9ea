/* Against values worked out by hand. */
#include "lab/metrics.h"
#include "unit.h"

static void a_ratio_is_rounded_half_up(void **state) {
  (void)state;
  assert_int_equal(micro_ratio(1, 3), 333333);
  assert_int_equal(micro_ratio(2, 3), 666667);
  assert_int_equal(micro_ratio(1, 2000000), 1);
  assert_int_equal(micro_ratio(1, 2000001), 0);
  assert_int_equal(micro_ratio(7, 0), 0);
}

static void large_counters_do_not_overflow(void **state) {
  (void)state;
  assert_int_equal(micro_ratio(UINT64_MAX, UINT64_MAX / 2), 2 * MICRO);
  const ipc_t shared = {UINT64_C(1) << 60, UINT64_C(1) << 61};
  const ipc_t alone = {UINT64_C(1) << 60, UINT64_C(1) << 60};
  sharing_t s;
  assert_true(sharing_metrics(&shared, &alone, 1, &s));
  assert_int_equal(s.weighted_speedup, MICRO / 2);
}

static void negative_fractions_are_mirrored(void **state) {
  (void)state;
  assert_int_equal(micro_div(-1, 3), -333333);
  assert_int_equal(micro_div(2, -3), -666667);
  assert_int_equal(micro_mul(-1500000, 2000000), -3 * MICRO);
  assert_int_equal(micro_div(MICRO, 0), 0);
}

static void a_mean_is_arithmetic(void **state) {
  (void)state;
  const micro_t v[] = {1000000, 2000000, -500000, 0};
  assert_int_equal(micro_mean(v, 4), 625000);
  assert_int_equal(micro_mean(v, 0), 0);
  assert_int_equal(micro_mean((const micro_t[]){1, 2}, 2), 2);
}

/* Shared IPCs 2 and 1/2, alone 5/2 and 2: speed-ups 4/5 and 1/4. */
static void two_applications_by_hand(void **state) {
  (void)state;
  const ipc_t shared[] = {{200, 100}, {50, 100}}, alone[] = {{500, 200}, {400, 200}};
  sharing_t s;
  assert_true(sharing_metrics(shared, alone, 2, &s));
  assert_int_equal(s.speedup[0], 800000);
  assert_int_equal(s.speedup[1], 250000);
  assert_int_equal(s.weighted_speedup, 1050000);
  assert_int_equal(s.throughput, 2500000);
  assert_int_equal(s.slowdown[0], 1250000);
  assert_int_equal(s.slowdown[1], 4 * MICRO);
  assert_int_equal(s.unfairness, 4 * MICRO);
}

/* Sharing may even help: then nobody is slowed down, and unfairness is below 1. */
static void unfairness_may_be_below_one(void **state) {
  (void)state;
  const ipc_t shared[] = {{4, 1}, {3, 1}}, alone[] = {{2, 1}, {2, 1}};
  sharing_t s;
  assert_true(sharing_metrics(shared, alone, 2, &s));
  assert_int_equal(s.unfairness, 666667);
  assert_int_equal(s.weighted_speedup, 3500000);
}

static void without_a_complete_execution_there_is_no_metric(void **state) {
  (void)state;
  const ipc_t some = {10, 10}, none = {0, 0};
  sharing_t s;
  assert_false(sharing_metrics(&none, &some, 1, &s));
  assert_false(sharing_metrics(&some, &none, 1, &s));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ratio_is_rounded_half_up),
      cmocka_unit_test(large_counters_do_not_overflow),
      cmocka_unit_test(negative_fractions_are_mirrored),
      cmocka_unit_test(a_mean_is_arithmetic),
      cmocka_unit_test(two_applications_by_hand),
      cmocka_unit_test(unfairness_may_be_below_one),
      cmocka_unit_test(without_a_complete_execution_there_is_no_metric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
