#include "base/map.h"
#include "base/rng.h"
#include "gmmu/err.h"
#include "unit.h"

static void an_empty_map_has_nothing(void **state) {
  (void)state;
  map_t m;
  assert_int_equal(map_init(&m, 0), 0);
  assert_int_equal(map_get(&m, 0), MAP_NONE);
  map_fini(&m);
}

static void a_full_map_finds_every_key(void **state) {
  (void)state;
  for (uint32_t capacity = 1; capacity <= 70; capacity++) {
    map_t m;
    assert_int_equal(map_init(&m, capacity), 0);
    for (uint32_t i = 0; i < capacity; i++) map_put(&m, (uint64_t)i << 12, i);
    for (uint32_t i = 0; i < capacity; i++) assert_int_equal(map_get(&m, (uint64_t)i << 12), i);
    assert_int_equal(m.count, capacity);
    assert_true((uint64_t)m.mask + 1 >= 2 * (uint64_t)capacity);
    map_fini(&m);
  }
}

static void too_large_a_map_is_refused(void **state) {
  (void)state;
  map_t m;
  assert_int_equal(map_init(&m, UINT32_MAX), GMMU_ENOMEM);
  assert_null(m.key);
}

/* Keys 0 .. 63, so that chains collide and wrap, against an array. */
static void random_puts_and_deletes_agree_with_an_array(void **state) {
  (void)state;
  uint32_t model[64], count = 0;
  rng_t rng = {test_seed()};
  map_t m;
  assert_int_equal(map_init(&m, 32), 0);
  for (uint32_t k = 0; k < 64; k++) model[k] = MAP_NONE;
  for (uint32_t step = 0; step < 200000; step++) {
    uint32_t k = rng_below(&rng, 64), probe = rng_below(&rng, 64);
    if (model[k] != MAP_NONE) {
      map_del(&m, k);
      model[k] = MAP_NONE;
      count--;
    } else if (count < 32) {
      map_put(&m, k, step);
      model[k] = step;
      count++;
    }
    if (map_get(&m, k) != model[k] || map_get(&m, probe) != model[probe] || m.count != count)
      fail_msg("step %u, GMMU_SEED=%llu", step, (unsigned long long)test_seed());
  }
  map_fini(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_map_has_nothing),
      cmocka_unit_test(a_full_map_finds_every_key),
      cmocka_unit_test(too_large_a_map_is_refused),
      cmocka_unit_test(random_puts_and_deletes_agree_with_an_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
