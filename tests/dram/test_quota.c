/* Equation 1 of MASK: quotas of the applications from their walks and the warps that wait. */
#include "dram/dram_quota.h"
#include "help.h"
#include <string.h>

static dram_quotas_t channels; /* what they know; */
static uint64_t now;           /* news take a cycle */

static dram_quota_t quotas_of(uint32_t apps, bool live) {
  channels = (dram_quotas_t){.on = true};
  dram_spec_t s = default_spec();
  dram_quota_t q;
  s.scheduler = "mask";
  s.live_walks = live;
  dram_quota_init(&q, &s, apps);
  return q;
}
static dram_quota_t quotas(uint32_t apps) { return quotas_of(apps, false); }

/* So many walks are under way at once and end, each with as many warps. */
static void walk(dram_quota_t *q, uint8_t app, uint32_t walks, uint32_t warps) {
  for (uint32_t n = 1; n <= walks; n++) dram_quota_walk_began(q, app, n);
  for (uint32_t n = walks; n-- > 0;) dram_quota_walk_ended(q, app, n, warps);
}

static void next_cycle(dram_quota_t *q) {
  uint32_t which = dram_quota_news(q, now);
  if (which != DRAM_QUOTA_NO_NEWS) dram_quota_heard(&channels, q, which);
  now++;
}
static void epoch(dram_quota_t *q) { dram_quota_epoch(q, &channels); }

static void assert_quotas(dram_quota_t *q, const uint16_t *want) {
  next_cycle(q);
  for (uint32_t a = 0; a < q->apps; a++)
    assert_int_equal(dram_quota_take(&channels, (uint8_t)a), want[a]);
}

static void news_under_way_at_the_end_of_an_epoch_are_those_of_the_new_one(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  walk(&q, 0, 1, 1);
  uint32_t which = dram_quota_news(&q, 6);
  assert_int_equal(which, 0);
  assert_int_equal(dram_quota_news(&q, 6), DRAM_QUOTA_NO_NEWS);
  walk(&q, 1, 1, 1);
  assert_int_equal(dram_quota_news(&q, 6), DRAM_QUOTA_NO_NEWS); /* goes with those of this cycle */
  epoch(&q);
  uint16_t at_once = dram_quota_take(&channels, 1);
  dram_quota_heard(&channels, &q, which);
  assert_int_equal(at_once, 250);
  assert_int_equal(dram_quota_take(&channels, 1), 250);
}

static void quotas_follow_walks_times_warps(void **state) {
  (void)state;
  dram_quota_t q = quotas(3);
  walk(&q, 0, 10, 4);
  walk(&q, 1, 20, 2);
  walk(&q, 2, 10, 2);
  assert_quotas(&q, (uint16_t[]){200, 200, 100}); /* 40 x 500 / 100, .. */
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){200, 200, 100});
}

static void quotas_are_rounded_down(void **state) {
  (void)state;
  dram_quota_t q = quotas(3);
  for (uint8_t a = 0; a < 3; a++) walk(&q, a, 1, 1);
  assert_quotas(&q, (uint16_t[]){166, 166, 166});
  walk(&q, 0, 63, 63);
  assert_quotas(&q, (uint16_t[]){499, 0, 0});
}

static void counters_of_six_bits_stop_at_63(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  walk(&q, 0, 64, 1000);
  walk(&q, 1, 63, 63);
  assert_quotas(&q, (uint16_t[]){250, 250});
  q = quotas(2);
  walk(&q, 0, 4096, 63);
  walk(&q, 1, 21, 63);
  assert_quotas(&q, (uint16_t[]){375, 125});
}

static void no_walk_means_no_quota(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  assert_quotas(&q, (uint16_t[]){0, 0});
  dram_quota_walk_began(&q, 0, 1); /* none has ended yet */
  assert_quotas(&q, (uint16_t[]){0, 0});
  walk(&q, 1, 1, 1);
  assert_quotas(&q, (uint16_t[]){0, 500});
}

static void the_most_of_an_epoch_counts(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  walk(&q, 0, 3, 3);
  walk(&q, 0, 1, 1);
  walk(&q, 1, 1, 1);
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){450, 50});
}

static void quotas_stay_for_an_epoch(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  walk(&q, 0, 9, 1);
  walk(&q, 1, 1, 1);
  epoch(&q);
  walk(&q, 1, 3, 1);
  walk(&q, 0, 1, 1);
  assert_quotas(&q, (uint16_t[]){450, 50});
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){125, 375});
  epoch(&q); /* without a walk */
  assert_quotas(&q, (uint16_t[]){0, 0});
}

static void an_epoch_starts_both_counts_again(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  walk(&q, 0, 3, 9);
  epoch(&q);
  walk(&q, 0, 2, 2);
  walk(&q, 1, 1, 1);
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){400, 100});
}

static void walks_under_way_belong_to_the_new_epoch_too(void **state) {
  (void)state;
  dram_quota_t q = quotas(2);
  for (uint32_t n = 1; n <= 4; n++) dram_quota_walk_began(&q, 0, n);
  epoch(&q);
  dram_quota_walk_ended(&q, 0, 3, 1);
  walk(&q, 1, 1, 1);
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){400, 100});
}

static void live_quotas_follow_the_walks_under_way(void **state) {
  (void)state;
  dram_quota_t q = quotas_of(2, true);
  walk(&q, 0, 9, 1);
  walk(&q, 1, 9, 1);
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){0, 0});
  dram_quota_walk_began(&q, 0, 1);
  assert_quotas(&q, (uint16_t[]){500, 0});
  dram_quota_walk_began(&q, 1, 1);
  assert_quotas(&q, (uint16_t[]){250, 250});
  dram_quota_walk_ended(&q, 0, 0, 1);
  assert_quotas(&q, (uint16_t[]){0, 500});
}

static void quotas_are_worked_out_when_something_changed(void **state) {
  (void)state;
  dram_quota_t q = quotas(1);
  walk(&q, 0, 1, 1);
  assert_true(q.stale);
  epoch(&q);
  assert_quotas(&q, (uint16_t[]){500});
  walk(&q, 0, 1, 1);
  assert_false(q.stale);
}

static void the_mean_is_over_accesses(void **state) {
  (void)state;
  dram_quota_t q = quotas(1);
  assert_quotas(&q, (uint16_t[]){0});
  walk(&q, 0, 1, 1);
  assert_quotas(&q, (uint16_t[]){500});
  assert_int_equal(channels.reads[0], 2);
  assert_int_equal(channels.sum[0], 500);
}

static void other_schedulers_have_none(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  dram_quota_t q;
  dram_quota_init(&q, &s, 2);
  assert_false(q.on);
  walk(&q, 0, 5, 5);
  epoch(&q);
  assert_false(q.stale);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(news_under_way_at_the_end_of_an_epoch_are_those_of_the_new_one),
      cmocka_unit_test(quotas_follow_walks_times_warps),
      cmocka_unit_test(quotas_are_rounded_down),
      cmocka_unit_test(counters_of_six_bits_stop_at_63),
      cmocka_unit_test(no_walk_means_no_quota),
      cmocka_unit_test(the_most_of_an_epoch_counts),
      cmocka_unit_test(quotas_stay_for_an_epoch),
      cmocka_unit_test(an_epoch_starts_both_counts_again),
      cmocka_unit_test(walks_under_way_belong_to_the_new_epoch_too),
      cmocka_unit_test(live_quotas_follow_the_walks_under_way),
      cmocka_unit_test(quotas_are_worked_out_when_something_changed),
      cmocka_unit_test(the_mean_is_over_accesses),
      cmocka_unit_test(other_schedulers_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
