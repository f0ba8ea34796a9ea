/* The vector search of the next ready bank against its plain definition. */
#include "base/rng.h"
#include "dram/dram_lanes.h"
#include "help.h"
#include <stdio.h>

static int16_t some_time(rng_t *r) {
  uint32_t what = rng_below(r, 8);
  if (what == 0) return LANE_PAST;
  if (what == 1) return (int16_t)(rng_next(r) & 0x7fff);
  return (int16_t)rng_below(r, 12);
}

static void fill(rng_t *r, lanes_t l[LANES_KINDS], lane_shared_t s[LANES_KINDS], uint32_t banks) {
  for (uint32_t k = 0; k < LANES_KINDS; k++) {
    lane_share(&s[k], some_time(r));
    for (uint32_t b = 0; b < LANES_MAX; b++) l[k].at[b] = LANE_NEVER;
  }
  for (uint32_t b = 0; b < banks; b++) {
    uint32_t kind = rng_below(r, LANES_KINDS + 1);
    if (kind < LANES_KINDS) l[kind].at[b] = some_time(r);
  }
}

static void vector_and_plain_search_agree(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  rng_t r = {seed};
  lanes_t l[LANES_KINDS];
  lane_shared_t s[LANES_KINDS];
  for (uint32_t i = 0; i < 200000; i++) {
    uint32_t banks = 1u << rng_below(&r, 6), ready, plain_ready;
    fill(&r, l, s, banks);
    int16_t floor = (int16_t)rng_below(&r, 14);
    int16_t t = lanes_next(l, s, banks, floor, &ready);
    int16_t plain = lanes_next_plain(l, s, banks, floor, &plain_ready);
    if (t != plain || (t != LANE_NEVER && ready != plain_ready))
      fail_msg("GMMU_SEED=%llu case %u: %d %x, plain %d %x", (unsigned long long)seed, i, t, ready,
               plain, plain_ready);
  }
}

static void least_of_one_kind_counts_the_shared_constraint(void **state) {
  (void)state;
  lanes_t l;
  lane_shared_t s;
  for (uint32_t b = 0; b < LANES_MAX; b++) l.at[b] = LANE_NEVER;
  lane_share(&s, 5);
  for (uint32_t banks = 1; banks <= LANES_MAX; banks *= 2) {
    assert_int_equal(lanes_least(&l, &s, banks), LANE_NEVER);
    l.at[banks - 1] = 9;
    assert_int_equal(lanes_least(&l, &s, banks), 9);
    l.at[banks - 1] = 3;
    assert_int_equal(lanes_least(&l, &s, banks), 5);
    l.at[banks - 1] = LANE_NEVER;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vector_and_plain_search_agree),
      cmocka_unit_test(least_of_one_kind_counts_the_shared_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
