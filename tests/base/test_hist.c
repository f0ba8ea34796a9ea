#include "base/hist.h"
#include "base/rng.h"
#include "unit.h"

static void an_empty_histogram_gives_zero(void **state) {
  (void)state;
  hist_t h = {0};
  assert_int_equal(hist_permille(&h, 500), 0);
}

static void small_values_are_exact(void **state) {
  (void)state;
  hist_t h = {0};
  for (uint64_t v = 0; v < 10; v++) hist_add(&h, v); /* 10 values: the median is the 5th */
  assert_int_equal(hist_permille(&h, 500), 4);
  assert_int_equal(hist_permille(&h, 501), 5);
  assert_int_equal(hist_permille(&h, 0), 0);
  assert_int_equal(hist_permille(&h, 1000), 9);
  assert_int_equal(hist_permille(&h, 5000), 9);
}

/* The bucket's upper end is what hist_permille() must report for a value whose maximum is larger.
 */
static void every_bucket_reports_its_own_upper_end(void **state) {
  (void)state;
  for (uint64_t v = 0; v < 100000; v++) {
    hist_t h = {0};
    hist_add(&h, v);
    hist_add(&h, UINT64_MAX);
    uint64_t top = hist_permille(&h, 500);
    assert_int_equal(hist_bucket(top), hist_bucket(v));
    assert_int_not_equal(hist_bucket(top + 1), hist_bucket(v));
    assert_true(top >= v && top - v <= v / 8);
  }
}

static void nothing_exceeds_the_maximum(void **state) {
  (void)state;
  hist_t h = {0};
  hist_add(&h, 1000);
  assert_int_equal(hist_permille(&h, 999), 1000);
}

static void values_beyond_32_bits_are_reported_as_the_maximum(void **state) {
  (void)state;
  hist_t h = {0};
  hist_add(&h, UINT64_C(1) << 40);
  hist_add(&h, 7);
  assert_int_equal(hist_permille(&h, 500), 7);
  assert_int_equal(hist_permille(&h, 501), UINT64_C(1) << 40);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void percentiles_lie_within_an_eighth_of_the_sorted_values(void **state) {
  (void)state;
  enum { N = 1000 };
  static uint64_t value[N];
  rng_t rng = {test_seed()};
  hist_t h = {0};
  for (uint32_t i = 0; i < N; i++) hist_add(&h, value[i] = rng_next(&rng) >> (33 + i % 30));
  qsort(value, N, sizeof *value, by_value);
  for (uint32_t q = 1; q <= 1000; q++) {
    uint64_t want = value[q - 1], got = hist_permille(&h, q);
    if (got < want || got - want > want / 8)
      fail_msg("q %u, GMMU_SEED=%llu", q, (unsigned long long)test_seed());
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_histogram_gives_zero),
      cmocka_unit_test(small_values_are_exact),
      cmocka_unit_test(every_bucket_reports_its_own_upper_end),
      cmocka_unit_test(nothing_exceeds_the_maximum),
      cmocka_unit_test(values_beyond_32_bits_are_reported_as_the_maximum),
      cmocka_unit_test(percentiles_lie_within_an_eighth_of_the_sorted_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
