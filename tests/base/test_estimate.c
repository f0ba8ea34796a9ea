#include "base/counters.h"
#include "base/estimate.h"
#include "base/rng.h"
#include "unit.h"

static void one_member_has_a_mean_and_no_interval(void **state) {
  (void)state;
  uint64_t num = 3, den = 4;
  estimate_t x;
  estimate_ratio(&num, &den, 1, 1, 1, &x);
  assert_int_equal(x.mean, 750000);
  assert_false(x.known);
}

static void nothing_below_the_line_gives_nothing(void **state) {
  (void)state;
  uint64_t zero[3] = {0};
  estimate_t x;
  estimate_ratio(zero, zero, 1, 3, 1, &x);
  assert_int_equal(x.mean, 0);
  assert_false(x.known);
}

static void equal_members_have_no_width(void **state) {
  (void)state;
  uint64_t num[4] = {10, 20, 30, 40}, den[4] = {20, 40, 60, 80};
  estimate_t x;
  estimate_ratio(num, den, 1, 4, 1, &x);
  assert_int_equal(x.mean, 500000);
  assert_true(x.known);
  assert_int_equal(x.half, 1); /* it is rounded up */
}

/* Of 1, 2, 3, 4 over 1 each: mean 2.5, standard deviation 1.290994, t of three degrees 3.182. */
static void the_interval_is_students(void **state) {
  (void)state;
  uint64_t pair[4][2] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
  estimate_t x;
  estimate_ratio(&pair[0][0], &pair[0][1], 2, 4, 1, &x);
  assert_int_equal(x.mean, 2500000);
  assert_in_range(x.half, 2053000, 2054500); /* 3.182 * 1.290994 / 2 = 2.05397 */
}

/* Of samples of ten out of a population whose ratio is known, the interval holds it 95 times of a
 * hundred, about. */
static void the_interval_holds_the_truth_about_as_often_as_it_says(void **state) {
  (void)state;
  rng_t r = {7};
  uint32_t inside = 0;
  for (uint32_t trial = 0; trial < 2000; trial++) {
    uint64_t num[10], den[10];
    estimate_t x;
    for (uint32_t i = 0; i < 10; i++) { /* the mean of num is 3 times that of den */
      den[i] = 1000 + rng_below(&r, 1001);
      num[i] = 3 * den[i] + rng_below(&r, 2001) - 1000;
    }
    estimate_ratio(num, den, 1, 10, 1, &x);
    inside += x.mean - x.half <= 3000000 && 3000000 <= x.mean + x.half;
  }
  assert_in_range(inside, 1860, 1940);
}

static void large_numbers_do_not_overflow(void **state) {
  (void)state;
  uint64_t num[3] = {(1ull << 44) - 1, 1, (1ull << 43)},
           den[3] = {1ull << 43, 1ull << 43, 1ull << 43};
  estimate_t x;
  estimate_ratio(num, den, 1, 3, 1, &x);
  assert_int_equal(x.mean, 1000000);
  assert_in_range(x.half, 2483000, 2485000); /* 4.303 * 1 / sqrt(3) */
}

static void parts_add_up_to_no_more_than_the_whole(void **state) {
  (void)state;
  assert_int_equal(estimate_part(10, 1, 3), 3);
  assert_int_equal(estimate_part(UINT64_MAX, UINT64_MAX / 2, UINT64_MAX), UINT64_MAX / 2);
}

/* ---- counters in windows ---- */

static void counters_count_inside_windows_alone(void **state) {
  (void)state;
  uint64_t a[3] = {5, 0, 0}, b = 1;
  err_t e = {0};
  counters_t c = {0};
  counters_add(&c, a, sizeof a), counters_add(&c, &b, sizeof b);
  counters_top(&c, &a[2]);
  assert_int_equal(counters_ready(&c, &e), 0);
  a[2] = 90; /* a maximum before any window */
  counters_begin(&c);
  a[0] += 10, b += 2, a[2] = a[2] > 7 ? a[2] : 7;
  counters_end(&c);
  assert_int_equal(a[2], 90);
  a[0] += 1000, a[2] = 95;
  counters_begin(&c);
  a[0] += 1, a[2] = a[2] > 4 ? a[2] : 4;
  counters_end(&c);
  assert_int_equal(a[2], 95);
  counters_show(&c);
  assert_int_equal(a[0], 11);
  assert_int_equal(b, 2);
  assert_int_equal(a[2], 7);
  counters_fini(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_member_has_a_mean_and_no_interval),
      cmocka_unit_test(nothing_below_the_line_gives_nothing),
      cmocka_unit_test(equal_members_have_no_width),
      cmocka_unit_test(the_interval_is_students),
      cmocka_unit_test(the_interval_holds_the_truth_about_as_often_as_it_says),
      cmocka_unit_test(large_numbers_do_not_overflow),
      cmocka_unit_test(parts_add_up_to_no_more_than_the_whole),
      cmocka_unit_test(counters_count_inside_windows_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
