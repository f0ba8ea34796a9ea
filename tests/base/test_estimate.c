#include "base/counters.h"
#include "base/estimate.h"
#include "base/rng.h"
#include "unit.h"

/* All members are one stratum, and `den` is 1 or what is given. */
static estimate_t of_one(const uint64_t *num, const uint64_t *den, uint32_t members) {
  stratum_t s = {.weight = 1000};
  estimate_t x;
  estimate_stratum(num, den, members, &s);
  estimate_strata(&s, 1, 1, false, &x);
  return x;
}

static void one_member_has_a_mean_and_no_interval(void **state) {
  (void)state;
  uint64_t num = 3, den = 4;
  estimate_t x = of_one(&num, &den, 1);
  assert_int_equal(x.mean, 750000);
  assert_false(x.known);
}

static void nothing_below_the_line_gives_nothing(void **state) {
  (void)state;
  uint64_t zero[3] = {0};
  estimate_t x = of_one(zero, zero, 3);
  assert_int_equal(x.mean, 0);
  assert_false(x.known);
}

static void equal_members_have_no_width(void **state) {
  (void)state;
  uint64_t num[4] = {10, 20, 30, 40}, den[4] = {20, 40, 60, 80};
  estimate_t x = of_one(num, den, 4);
  assert_int_equal(x.mean, 500000);
  assert_true(x.known);
  assert_int_equal(x.half, 1); /* it is rounded up */
}

/* Of 1, 2, 3, 4 over 1 each: mean 2.5, standard deviation 1.290994, t of three degrees 3.182. */
static void the_interval_is_students(void **state) {
  (void)state;
  uint64_t num[4] = {1, 2, 3, 4}, den[4] = {1, 1, 1, 1};
  estimate_t x = of_one(num, den, 4);
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
    for (uint32_t i = 0; i < 10; i++) { /* the mean of num is 3 times that of den */
      den[i] = 1000 + rng_below(&r, 1001);
      num[i] = 3 * den[i] + rng_below(&r, 2001) - 1000;
    }
    estimate_t x = of_one(num, den, 10);
    inside += x.mean - x.half <= 3000000 && 3000000 <= x.mean + x.half;
  }
  assert_in_range(inside, 1860, 1940);
}

/* The same where the population has two strata of known sizes, and by chance members are of one or
 * the other. */
static void the_interval_of_strata_holds_the_truth_as_often_too(void **state) {
  (void)state;
  rng_t r = {11};
  uint32_t inside = 0, trials = 0;
  uint64_t halves = 0;
  while (trials < 2000) {
    uint64_t num[2][12], one[12], n[2] = {0};
    stratum_t s[2] = {{.weight = 700}, {.weight = 300}};
    estimate_t x;
    for (uint32_t i = 0; i < 12; i++) {
      uint32_t k = rng_below(&r, 10) >= 7;
      num[k][n[k]++] = (k ? 10000 : 2000) + rng_below(&r, 2001) - 1000;
      one[i] = 1000;
    }
    if (n[0] < 2 || n[1] < 2) continue;
    trials++;
    for (uint32_t k = 0; k < 2; k++) estimate_stratum(num[k], one, (uint32_t)n[k], &s[k]);
    estimate_strata(s, 2, 1, false, &x); /* 0.7 * 2 + 0.3 * 10 */
    inside += x.mean - x.half <= 4400000 && 4400000 <= x.mean + x.half;
    halves += x.half;
  }
  assert_in_range(inside, 1860, 1960);
  assert_true(halves / trials < 600000); /* of all members together: 2.2 * 3.7 / sqrt(12) = 2.35 */
}

static void the_inverse_has_the_same_relative_width(void **state) {
  (void)state;
  uint64_t num[4] = {39, 40, 41, 44}, den[4] = {10, 10, 10, 10};
  stratum_t s = {.weight = 5};
  estimate_t x, y;
  estimate_stratum(num, den, 4, &s);
  estimate_strata(&s, 1, 1, false, &x);
  estimate_strata(&s, 1, 1, true, &y);
  assert_int_equal(x.mean, 4100000);
  assert_int_equal(y.mean, 243902);
  assert_in_range(y.half * 4100 / 243902 * 1000, x.half - x.half / 100, x.half + x.half / 100);
}

/* Two that are 2 and 4: a third is 3 +- 12.706 * sqrt(2) * sqrt(1.5). */
static void a_stratum_that_no_member_met_is_as_unlike_the_others_as_these(void **state) {
  (void)state;
  stratum_t s[3] = {{1, 2ull << 36, 0, 5}, {1, 4ull << 36, 0, 5}};
  estimate_t x;
  estimate_unmet(s, 2, 2, &s[2]);
  estimate_strata(s, 3, 1, false, &x);
  assert_int_equal(x.mean, 3000000);
  assert_in_range(x.half, 11003000, 11004000); /* it is half of all */
  estimate_unmet(s, 1, 2, &s[1]);
  estimate_strata(s, 2, 1, false, &x);
  assert_int_equal(x.mean, 2000000);
  assert_false(x.known);
}

static void large_numbers_do_not_overflow(void **state) {
  (void)state;
  uint64_t num[3] = {(1ull << 44) - 1, 1, (1ull << 43)},
           den[3] = {1ull << 43, 1ull << 43, 1ull << 43};
  estimate_t x = of_one(num, den, 3);
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
      cmocka_unit_test(the_interval_of_strata_holds_the_truth_as_often_too),
      cmocka_unit_test(the_inverse_has_the_same_relative_width),
      cmocka_unit_test(a_stratum_that_no_member_met_is_as_unlike_the_others_as_these),
      cmocka_unit_test(large_numbers_do_not_overflow),
      cmocka_unit_test(parts_add_up_to_no_more_than_the_whole),
      cmocka_unit_test(counters_count_inside_windows_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
