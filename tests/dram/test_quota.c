/* Equation 1 of MASK: quotas of the applications from their walks and the warps that wait. */
#include "dram/dram_quota.h"
#include "help.h"
#include <string.h>

static dram_quota_t quotas(uint32_t apps) {
  dram_spec_t s = default_spec();
  dram_quota_t q;
  s.scheduler = "mask";
  dram_quota_init(&q, &s, apps);
  return q;
}

static void assert_quotas(dram_quota_t *q, const uint32_t *walks, const uint16_t *want) {
  dram_quota_walks_changed(q);
  for (uint32_t a = 0; a < q->apps; a++)
    assert_int_equal(dram_quota_take(q, (uint8_t)a, walks), want[a]);
}

static void quotas_follow_walks_times_warps(void **state) {
  (void)state;
  dram_quota_t q = quotas(3);
  dram_quota_walk_done(&q, 0, 4);
  dram_quota_walk_done(&q, 1, 2);
  dram_quota_walk_done(&q, 2, 2);
  /* 10 x 4, 20 x 2, 10 x 2 of 100; 40 x 500 / 100 = 200 */
  assert_quotas(&q, (uint32_t[]){10, 20, 10}, (uint16_t[]){200, 200, 100});
  assert_quotas(&q, (uint32_t[]){1, 0, 0}, (uint16_t[]){500, 0, 0});
}

static void quotas_are_rounded_down(void **state) {
  (void)state;
  dram_quota_t q = quotas(3);
  for (uint8_t a = 0; a < 3; a++) dram_quota_walk_done(&q, a, 1);
  assert_quotas(&q, (uint32_t[]){1, 1, 1}, (uint16_t[]){166, 166, 166});
  dram_quota_walk_done(&q, 0, 63);
  assert_quotas(&q, (uint32_t[]){63, 1, 1}, (uint16_t[]){499, 0, 0});
}

static void counters_of_six_bits_stop_at_63(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  dram_quota_walk_done(&q, 0, 1000);
  dram_quota_walk_done(&q, 1, 63);
  assert_quotas(&q, (uint32_t[]){64, 63}, (uint16_t[]){250, 250});
  assert_quotas(&q, (uint32_t[]){4096, 21}, (uint16_t[]){375, 125});
}

static void no_walk_means_no_quota(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  assert_quotas(&q, (uint32_t[]){0, 0}, (uint16_t[]){0, 0});
  assert_quotas(&q, (uint32_t[]){5, 5}, (uint16_t[]){0, 0}); /* none has ended yet */
  dram_quota_walk_done(&q, 1, 1);
  assert_quotas(&q, (uint32_t[]){5, 0}, (uint16_t[]){0, 0});
}

static void the_most_warps_of_the_epoch_count(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  dram_quota_walk_done(&q, 0, 9);
  dram_quota_walk_done(&q, 0, 3);
  dram_quota_walk_done(&q, 1, 1);
  assert_quotas(&q, (uint32_t[]){1, 1}, (uint16_t[]){450, 50});
}

/* What the last epoch counted holds until a walk ends in the new one, even for fewer warps. */
static void an_epoch_starts_the_count_again(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  dram_quota_walk_done(&q, 0, 9);
  dram_quota_walk_done(&q, 1, 1);
  dram_quota_epoch(&q);
  assert_quotas(&q, (uint32_t[]){1, 1}, (uint16_t[]){450, 50});
  dram_quota_walk_done(&q, 0, 4);
  assert_quotas(&q, (uint32_t[]){1, 1}, (uint16_t[]){400, 100});
  dram_quota_epoch(&q);
  dram_quota_epoch(&q);
  assert_quotas(&q, (uint32_t[]){1, 1}, (uint16_t[]){400, 100});
}

static void quotas_are_worked_out_when_something_changed(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  dram_quota_walk_done(&q, 0, 1);
  assert_quotas(&q, (uint32_t[]){1, 1}, (uint16_t[]){500, 0});
  assert_false(q.stale);
  dram_quota_walk_done(&q, 0, 1); /* no more than before */
  assert_false(q.stale);
  dram_quota_walk_done(&q, 1, 1);
  assert_true(q.stale);
}

static void the_mean_is_over_accesses(void **state) {
  (void)state;
  dram_quota_t q = quotas(1);
  dram_quota_walk_done(&q, 0, 1);
  assert_quotas(&q, (uint32_t[]){0}, (uint16_t[]){0});
  assert_quotas(&q, (uint32_t[]){1}, (uint16_t[]){500});
  assert_int_equal(q.reads[0], 2);
  assert_int_equal(q.sum[0], 500);
}

static void other_schedulers_have_none(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  dram_quota_t q;
  dram_quota_init(&q, &s, 2);
  assert_false(q.on);
  dram_quota_walk_done(&q, 0, 5);
  dram_quota_walks_changed(&q);
  assert_false(q.stale);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotas_follow_walks_times_warps),
      cmocka_unit_test(quotas_are_rounded_down),
      cmocka_unit_test(counters_of_six_bits_stop_at_63),
      cmocka_unit_test(no_walk_means_no_quota),
      cmocka_unit_test(the_most_warps_of_the_epoch_count),
      cmocka_unit_test(an_epoch_starts_the_count_again),
      cmocka_unit_test(quotas_are_worked_out_when_something_changed),
      cmocka_unit_test(the_mean_is_over_accesses),
      cmocka_unit_test(other_schedulers_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
