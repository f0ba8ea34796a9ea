#include "base/rng.h"
#include "ptx/devmem.h"
#include "unit.h"
#include <stdio.h>
#include <unistd.h>

static int setup(void **state) { return devmem_new((devmem_t **)state, NULL); }
static int teardown(void **state) {
  devmem_free(*state);
  return 0;
}

static void memory_is_zero_and_keeps_what_is_written(void **state) {
  uint64_t va, v = 1;
  err_t e;
  assert_int_equal(devmem_alloc(*state, 100, 0, "a", &va, &e), 0);
  assert_int_equal(va % DEVMEM_ALIGN, 0);
  assert_int_equal(devmem_read(*state, va + 92, &v, 8, &e), 0);
  assert_int_equal(v, 0);
  v = 42;
  assert_int_equal(devmem_write(*state, va + 92, &v, 8, &e), 0);
  v = 0;
  assert_int_equal(devmem_read(*state, va + 92, &v, 8, &e), 0);
  assert_int_equal(v, 42);
}

static void ranges_must_lie_in_one_allocation(void **state) {
  uint64_t va, v;
  err_t e;
  assert_int_equal(devmem_alloc(*state, 100, 0, "a", &va, &e), 0);
  assert_int_equal(devmem_read(*state, va + 93, &v, 8, &e), GMMU_EFAULT);
  assert_int_equal(devmem_read(*state, va - 1, &v, 1, &e), GMMU_EFAULT);
  assert_int_equal(devmem_fill(*state, va, 1, 101, &e), GMMU_EFAULT);
  assert_int_equal(devmem_fill(*state, va, 1, 100, &e), 0);
}

static uint64_t resident_pages(void) {
  unsigned long size = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2) resident = 0;
  if (f) fclose(f);
  return resident;
}

static void sixteen_gigabytes_cost_what_is_touched(void **state) {
  uint64_t va, v = 7, before = resident_pages();
  err_t e;
  assert_int_equal(devmem_alloc(*state, (uint64_t)16 << 30, 0, "big", &va, &e), 0);
  for (uint64_t at = 0; at < (uint64_t)16 << 30; at += (uint64_t)1 << 28)
    assert_int_equal(devmem_write(*state, va + at, &v, 8, &e), 0);
  assert_true(resident_pages() - before < 2000);
}

static void freed_memory_is_reused_and_remembered(void **state) {
  uint64_t a, b, c;
  err_t e;
  devmem_alloc_t n;
  devmem_alloc(*state, 1000, 0, "a", &a, &e);
  devmem_alloc(*state, 1000, 0, "b", &b, &e);
  assert_int_equal(devmem_release(*state, a, &e), 0);
  assert_int_equal(devmem_release(*state, a, &e), GMMU_EINVAL);
  assert_null(devmem_find(*state, a));
  assert_true(devmem_nearest(*state, a + 10, &n));
  assert_true(n.freed);
  assert_string_equal(n.name, "a");
  devmem_alloc(*state, 500, 0, "c", &c, &e);
  assert_int_equal(c, a);
  assert_true(devmem_nearest(*state, a + 10, &n));
  assert_false(n.freed);
}

static void nearest_is_the_closer_neighbour(void **state) {
  uint64_t a, b;
  err_t e;
  devmem_alloc_t n;
  assert_false(devmem_nearest(*state, 5, &n));
  devmem_alloc(*state, 100, 0, "a", &a, &e);
  devmem_alloc(*state, 100, 0, "b", &b, &e);
  assert_true(devmem_nearest(*state, a + 110, &n));
  assert_string_equal(n.name, "a");
  assert_true(devmem_nearest(*state, b - 10, &n));
  assert_string_equal(n.name, "b");
}

static void host_memory_appears_at_its_own_address(void **state) {
  uint32_t host[16] = {0}, v = 9;
  err_t e;
  assert_int_equal(devmem_map_host(*state, host, sizeof host, "pinned", &e), 0);
  assert_int_equal(devmem_map_host(*state, host + 1, 4, "again", &e), GMMU_EINVAL);
  assert_int_equal(devmem_write(*state, (uintptr_t)&host[3], &v, 4, &e), 0);
  assert_int_equal(host[3], 9);
  assert_int_equal(devmem_release(*state, (uintptr_t)host, &e), 0);
}

static void too_much_is_refused(void **state) {
  uint64_t va;
  err_t e;
  assert_int_equal(devmem_alloc(*state, (uint64_t)1 << 60, 0, "x", &va, &e), GMMU_ENOSPACE);
  assert_int_equal(devmem_alloc(*state, 1, 3, "x", &va, &e),
                   0); /* small alignments are rounded up */
  assert_int_equal(devmem_alloc(*state, 1, 768, "x", &va, &e), GMMU_EINVAL);
}

static void random_allocations_stay_apart(void **state) {
  rng_t r = {test_seed()};
  uint64_t va[64] = {0};
  err_t e;
  for (uint32_t i = 0; i < 5000; i++) {
    uint32_t k = rng_below(&r, 64);
    if (va[k]) {
      assert_int_equal(devmem_release(*state, va[k], &e), 0);
      va[k] = 0;
    } else {
      assert_int_equal(devmem_alloc(*state, 1 + rng_below(&r, 5000),
                                    (uint64_t)1 << rng_below(&r, 14), "x", &va[k], &e),
                       0);
    }
    assert_int_equal(devmem_check(*state, &e), 0);
  }
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {T(memory_is_zero_and_keeps_what_is_written),
                                     T(ranges_must_lie_in_one_allocation),
                                     T(sixteen_gigabytes_cost_what_is_touched),
                                     T(freed_memory_is_reused_and_remembered),
                                     T(nearest_is_the_closer_neighbour),
                                     T(host_memory_appears_at_its_own_address),
                                     T(too_much_is_refused),
                                     T(random_allocations_stay_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
