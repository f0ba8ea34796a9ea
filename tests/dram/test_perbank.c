/* The vector search of the next ready bank against its plain definition. */
#include "base/rng.h"
#include "dram/dram_perbank.h"
#include "help.h"
#include <stdio.h>

static int16_t some_time(rng_t *r) {
  uint32_t what = rng_below(r, 8);
  if (what == 0) return 0;
  if (what == 1) return (int16_t)(rng_next(r) & 0x7fff);
  return (int16_t)rng_below(r, 12);
}

static void fill(rng_t *r, perbank_t l[PERBANK_KINDS], uint32_t banks) {
  for (uint32_t k = 0; k < PERBANK_KINDS; k++)
    for (uint32_t b = 0; b < PERBANK_MAX; b++) l[k].at[b] = PERBANK_NEVER;
  for (uint32_t b = 0; b < banks; b++) {
    uint32_t kind = rng_below(r, PERBANK_KINDS + 1);
    if (kind < PERBANK_KINDS) l[kind].at[b] = some_time(r);
  }
}

static void vector_and_plain_search_agree(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  rng_t r = {seed};
  perbank_t l[PERBANK_KINDS];
  for (uint32_t i = 0; i < 200000; i++) {
    uint32_t banks = 1u << rng_below(&r, 6), ready, plain_ready;
    fill(&r, l, banks);
    int16_t floor = (int16_t)rng_below(&r, 14);
    uint32_t kinds = PERBANK_KINDS - i % 2;
    int16_t t = perbank_next(l, kinds, banks, floor, &ready);
    int16_t plain = perbank_next_plain(l, kinds, banks, floor, &plain_ready);
    if (t != plain || (t != PERBANK_NEVER && ready != plain_ready))
      fail_msg("GMMU_SEED=%llu case %u: %d %x, plain %d %x", (unsigned long long)seed, i, t, ready,
               plain, plain_ready);
  }
}

static void vector_and_plain_raise_agree(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  perbank_t l[PERBANK_KINDS], plain;
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t banks = 1u << rng_below(&r, 6);
    fill(&r, l, banks);
    plain = l[0];
    int16_t at = some_time(&r);
    perbank_raise(&l[0], banks, at);
    perbank_raise_plain(&plain, banks, at);
    assert_memory_equal(&l[0], &plain, sizeof plain);
    perbank_t some = {{0}};
    for (uint32_t b = 0; b < banks; b++) some.at[b] = (int16_t) - (int16_t)rng_below(&r, 2);
    int16_t those = some_time(&r);
    at = some_time(&r);
    perbank_raise_some(&l[0], banks, at, &some, those);
    perbank_raise_some_plain(&plain, banks, at, &some, those);
    assert_memory_equal(&l[0], &plain, sizeof plain);
  }
}

static void least_of_one_kind_is_found(void **state) {
  (void)state;
  perbank_t l;
  for (uint32_t b = 0; b < PERBANK_MAX; b++) l.at[b] = PERBANK_NEVER;
  for (uint32_t banks = 1; banks <= PERBANK_MAX; banks *= 2) {
    assert_int_equal(perbank_least(&l, banks), PERBANK_NEVER);
    l.at[banks - 1] = 9;
    assert_int_equal(perbank_least(&l, banks), 9);
    l.at[0] = 3;
    assert_int_equal(perbank_least(&l, banks), 3);
    l.at[0] = l.at[banks - 1] = PERBANK_NEVER;
  }
}

static void vector_and_plain_first_agree(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  perbank_t l;
  for (uint32_t i = 0; i < 100000; i++) {
    uint32_t next = rng_below(&r, 65536), spread = 1 + rng_below(&r, i % 2 ? 32767 : 12);
    uint32_t banks = i / 2 % 2 ? PERBANK_WIDTH : 2 * PERBANK_WIDTH;
    for (uint32_t b = 0; b < banks; b++) l.at[b] = (int16_t)(next - 1 - rng_below(&r, spread));
    uint32_t ready = 1 + rng_below(&r, (1u << banks) - 1);
    uint32_t first = perbank_first(&l, banks, ready, (int16_t)next);
    assert_int_equal(first, perbank_first_plain(&l, banks, ready, (int16_t)next));
    assert_true(ready >> first & 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vector_and_plain_search_agree),
      cmocka_unit_test(vector_and_plain_raise_agree),
      cmocka_unit_test(least_of_one_kind_is_found),
      cmocka_unit_test(vector_and_plain_first_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
