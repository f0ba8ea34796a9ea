/* The two clocks against 128-bit division, up to 2^47 cycles. */
#include "base/rng.h"
#include "dram/dram_clock.h"
#include "help.h"

static void compare(uint32_t dram, uint32_t core, uint64_t x) {
  dram_clock_t c = clock_of(dram, core);
  clock_u128_t edge = (clock_u128_t)x * dram / core;
  clock_u128_t cycle = ((clock_u128_t)x * core + dram - 1) / dram;
  assert_true(clock_last_edge(&c, x) == (uint64_t)edge);
  if (x) assert_true(clock_core(&c, x) == (uint64_t)cycle);
}

static void conversion_is_exact(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  static const uint32_t mhz[] = {1, 2, 700, 850, 924, 1020, 1132, 1674, 65521, 65535};
  for (uint32_t i = 0; i < 10; i++)
    for (uint32_t j = 0; j < 10; j++) {
      for (uint64_t x = 0; x < 400; x++) compare(mhz[i], mhz[j], x);
      for (uint64_t x = 0; x < 400; x++) compare(mhz[i], mhz[j], (1ull << 47) - x);
      for (uint32_t k = 0; k < 2000; k++)
        compare(mhz[i], mhz[j], rng_next(&r) >> (17 + rng_below(&r, 40)));
    }
}

static void ratio_is_in_lowest_terms(void **state) {
  (void)state;
  dram_clock_t c = clock_of(1674, 1020);
  assert_int_equal(c.p, 279);
  assert_int_equal(c.q, 170);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conversion_is_exact),
                                     cmocka_unit_test(ratio_is_in_lowest_terms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
