/* The translation-aware L2 bypass alone: which level's reads it sends past the cache, and when. */
#include "cache/l2policy.h"
#include "machine/unit.h"

#define SETS 1024

typedef struct {
  l2_bypass_spec_t spec;
  void *state;
} lab_t;

static lab_t *lab_counting(uint32_t sample, uint32_t min_looks, bool joined) {
  lab_t *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->spec = (l2_bypass_spec_t){sample, min_looks, joined};
  l2_env_t env = {.apps = 2, .slices = 16, .levels = 4, .bypass = &l->spec};
  l->state = calloc(1, l2_walk_bypass.state_bytes(&env));
  assert_non_null(l->state);
  l2_walk_bypass.init(l->state, &env);
  return l;
}

static lab_t *lab_new(uint32_t sample, uint32_t min_looks) {
  return lab_counting(sample, min_looks, false);
}

static void lab_free(lab_t *l) {
  free(l->state);
  free(l);
}

static bool bypasses(const lab_t *l, uint32_t level, uint32_t set) {
  l2_view_t v = {.level = (uint8_t)level, .set = set};
  return l2_walk_bypass.decide(l->state, &v) == L2_BYPASS;
}
/* Sets of the cache in which reads of a level do not look. */
static uint32_t sets_bypassed(const lab_t *l, uint32_t level) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < SETS; s++) n += bypasses(l, level, s);
  return n;
}

/* `n` requests over all sets, of which `percent` of those that look hit; the others as told. */
static void requests_or(lab_t *l, uint32_t level, uint32_t n, uint32_t percent, l2_outcome_t miss) {
  uint32_t looks = 0;
  for (uint32_t i = 0; i < n; i++) {
    l2_view_t v = {.level = (uint8_t)level, .app = i & 1, .set = i % SETS};
    if (l2_walk_bypass.decide(l->state, &v) == L2_BYPASS) continue;
    l2_walk_bypass.outcome(l->state, &v, looks * 37 % 100 < percent ? L2_HIT : miss);
    looks++;
  }
}
static void requests(lab_t *l, uint32_t level, uint32_t n, uint32_t percent) {
  requests_or(l, level, n, percent, L2_MISSED);
}
static void epoch(lab_t *l) { l2_walk_bypass.epoch(l->state, 0); }

static void nothing_bypasses_in_the_first_epoch(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 90), requests(l, 4, 1000, 1);
  for (uint32_t level = 0; level <= 4; level++) assert_int_equal(sets_bypassed(l, level), 0);
  lab_free(l);
}

/* Hit rates of MASK's section 4.3, and data at 60 %. */
static void levels_that_hit_less_often_than_data_bypass(void **state) {
  (void)state;
  static const uint32_t percent[] = {60, 100, 99, 69, 1};
  lab_t *l = lab_new(32, 100);
  for (uint32_t level = 0; level <= 4; level++) requests(l, level, 1000, percent[level]);
  epoch(l);
  for (uint32_t level = 0; level <= 3; level++) assert_int_equal(sets_bypassed(l, level), 0);
  assert_true(sets_bypassed(l, 4) > SETS * 9 / 10);
  lab_free(l);
}

static void an_equal_rate_is_not_below(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 50), requests(l, 3, 500, 50), requests(l, 4, 1000, 49);
  epoch(l);
  assert_int_equal(sets_bypassed(l, 3), 0);
  assert_true(sets_bypassed(l, 4) > 0);
  lab_free(l);
}

static void joined_reads_are_hits_if_told_so(void **state) {
  (void)state;
  for (uint32_t joined = 0; joined < 2; joined++) {
    lab_t *l = lab_counting(32, 100, joined);
    requests(l, 0, 1000, 50), requests_or(l, 4, 1000, 5, L2_JOINED);
    epoch(l);
    assert_int_equal(bypasses(l, 4, 0), !joined);
    lab_free(l);
  }
}

static void data_always_looks(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  for (uint32_t i = 0; i < 3; i++) {
    requests(l, 0, 1000, 1), requests(l, 4, 1000, 90);
    epoch(l);
    assert_int_equal(sets_bypassed(l, 0), 0);
    assert_int_equal(sets_bypassed(l, 4), 0);
  }
  lab_free(l);
}

static void one_set_in_32_still_takes_a_level_that_bypasses(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 90), requests(l, 4, 1000, 1);
  epoch(l);
  uint32_t sampled = SETS - sets_bypassed(l, 4);
  assert_true(sampled >= 30 && sampled <= 34);
  for (uint32_t slice = 0; slice < 16; slice++) { /* of 64 sets each, everywhere one or two */
    uint32_t n = 0;
    for (uint32_t s = 0; s < 64; s++) n += !bypasses(l, 4, slice * 64 + s);
    assert_true(n >= 1 && n <= 3);
  }
  lab_free(l);
}

/* Same behaviour, same decision, epoch after epoch: no oscillation. */
static void a_level_that_stays_bad_stays_out(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  for (uint32_t i = 0; i < 20; i++) {
    requests(l, 0, 20000, 40), requests(l, 4, 20000, 5);
    epoch(l);
    assert_true(bypasses(l, 4, 0));
  }
  lab_free(l);
}

static void a_level_whose_sample_hits_comes_back(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 20000, 40), requests(l, 4, 20000, 5);
  epoch(l);
  assert_true(bypasses(l, 4, 0));
  requests(l, 0, 20000, 40), requests(l, 4, 20000, 70);
  epoch(l);
  assert_int_equal(sets_bypassed(l, 4), 0);
  lab_free(l);
}

static void a_level_comes_back_when_data_fares_worse(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 20000, 40), requests(l, 4, 20000, 20);
  epoch(l);
  requests(l, 0, 20000, 10), requests(l, 4, 20000, 20);
  epoch(l);
  assert_int_equal(sets_bypassed(l, 4), 0);
  lab_free(l);
}

static void few_requests_tell_nothing(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 90), requests(l, 4, 99, 0);
  epoch(l);
  assert_int_equal(sets_bypassed(l, 4), 0);
  requests(l, 0, 99, 90), requests(l, 4, 1000, 0); /* counters begin anew: not 199 */
  epoch(l);
  assert_int_equal(sets_bypassed(l, 4), 0);
  requests(l, 0, 100, 90), requests(l, 4, 100, 0);
  epoch(l);
  assert_true(bypasses(l, 4, 0));
  lab_free(l);
}

/* 40 a time in the sampled sets: the third epoch has enough to see it. */
static void a_small_sample_grows_over_epochs(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 40), requests(l, 4, 1000, 5);
  epoch(l);
  for (uint32_t i = 0; i < 3; i++) {
    assert_true(bypasses(l, 4, 0));
    requests(l, 0, 1000, 40), requests(l, 4, 1250, 70);
    epoch(l);
  }
  assert_int_equal(sets_bypassed(l, 4), 0);
  lab_free(l);
}

/* All its reads are of lines in other sets than the sampled: it gets another chance. */
static void a_level_without_a_sample_is_tried_again(void **state) {
  (void)state;
  lab_t *l = lab_new(32, 100);
  requests(l, 0, 1000, 90), requests(l, 2, 1000, 0);
  epoch(l);
  assert_true(bypasses(l, 2, 0));
  requests(l, 0, 1000, 90);
  epoch(l);
  assert_int_equal(sets_bypassed(l, 2), 0);
  lab_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_bypasses_in_the_first_epoch),
      cmocka_unit_test(levels_that_hit_less_often_than_data_bypass),
      cmocka_unit_test(an_equal_rate_is_not_below),
      cmocka_unit_test(joined_reads_are_hits_if_told_so),
      cmocka_unit_test(data_always_looks),
      cmocka_unit_test(one_set_in_32_still_takes_a_level_that_bypasses),
      cmocka_unit_test(a_level_that_stays_bad_stays_out),
      cmocka_unit_test(a_level_whose_sample_hits_comes_back),
      cmocka_unit_test(a_level_comes_back_when_data_fares_worse),
      cmocka_unit_test(few_requests_tell_nothing),
      cmocka_unit_test(a_small_sample_grows_over_epochs),
      cmocka_unit_test(a_level_without_a_sample_is_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
