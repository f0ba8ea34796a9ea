#include "base/rng.h"
#include "ptx/devmem.h"
#include "unit.h"
#include <stdio.h>
#include <sys/stat.h>
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

static void sparse_memory_costs_a_granule_for_each_touch(void **state) {
  uint64_t va, v, before = resident_pages(), touched = 0, at;
  err_t e;
  const uint64_t size = (uint64_t)16 << 30, step = (uint64_t)1 << 18;
  assert_int_equal(devmem_alloc_sparse(*state, size, 0, "big", NULL, &va, &e), 0);
  for (at = 0; at < size; at += step)
    assert_int_equal(devmem_write(*state, va + at, &at, 8, &e), 0);
  for (at = 0; at < size; at += step) {
    assert_int_equal(devmem_read(*state, va + at, &v, 8, &e), 0);
    assert_int_equal(v, at);
  }
  assert_true(resident_pages() - before < 4000); /* of pages it would be 65536 */
  const devmem_alloc_t *a = devmem_find(*state, va);
  while (devmem_touched(a, touched, &at)) touched++;
  assert_int_equal(touched, size / step);
  assert_int_equal(devmem_check(*state, &e), 0);
}

static void double_offset(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]) {
  (void)ctx;
  for (uint64_t i = 0; i < DEVMEM_GRANULE / 8; i++) {
    uint64_t v = 2 * (offset + 8 * i);
    memcpy(granule + 8 * i, &v, 8);
  }
}

static void sparse_memory_has_a_content_until_it_is_written(void **state) {
  uint64_t va, v[4], w = 7;
  err_t e;
  devmem_content_t content = {double_offset, NULL};
  assert_int_equal(devmem_alloc_sparse(*state, 1 << 20, 0, "c", &content, &va, &e), 0);
  assert_int_equal(devmem_write(*state, va + 4096, &w, 8, &e), 0);
  assert_int_equal(devmem_read(*state, va + 4088, v, 32, &e), 0); /* over two granules */
  assert_int_equal(v[0], 2 * 4088);
  assert_int_equal(v[1], 7);
  assert_int_equal(v[2], 2 * 4104);
  assert_int_equal(devmem_read(*state, va + (1 << 20) - 8, v, 16, &e), GMMU_EFAULT);
  assert_int_equal(devmem_fill(*state, va, 0, 8, &e), GMMU_EFAULT);
  assert_int_equal(devmem_release(*state, va, &e), 0);
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

static void shared_memory_is_one_file(void **state) {
  devmem_t *m;
  err_t e;
  uint64_t a, b, at, v = 42, seen = 0;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc(m, 5000, 0, "a", &a, &e), 0);
  assert_int_equal(devmem_alloc(m, 100, 0, "b", &b, &e), 0);
  assert_int_equal(devmem_write(m, a + 4992, &v, 8, &e), 0);
  assert_int_equal(pread(devmem_file(m), &seen, 8, (off_t)(a + 4992 - DEVMEM_BASE)), 8);
  assert_int_equal(seen, 42);
  assert_int_equal(devmem_write(m, b, &v, 8, &e), 0);
  assert_int_equal(devmem_release(m, a, &e), 0);
  assert_int_equal(devmem_alloc(m, 5000, 0, "again", &at, &e), 0);
  assert_int_equal(at, a);
  assert_int_equal(devmem_read(m, a + 4992, &seen, 8, &e), 0);
  assert_int_equal(seen, 0);
  assert_int_equal(devmem_read(m, b, &seen, 8, &e), 0);
  assert_int_equal(seen, 42); /* its neighbour on the page is untouched */
  assert_int_equal(devmem_check(m, &e), 0);
  devmem_free(m);
}

static void pages_of_freed_shared_memory_go_back(void **state) {
  devmem_t *m;
  err_t e;
  uint64_t a;
  struct stat st;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc(m, 4 << 20, 0, "a", &a, &e), 0);
  assert_int_equal(devmem_fill(m, a, 1, 4 << 20, &e), 0);
  assert_int_equal(fstat(devmem_file(m), &st), 0);
  assert_true(st.st_blocks * 512 >= 4 << 20);
  assert_int_equal(devmem_release(m, a, &e), 0);
  assert_int_equal(fstat(devmem_file(m), &st), 0);
  assert_int_equal(st.st_blocks, 0);
  devmem_free(m);
}

static void large_shared_allocations_cost_what_is_touched(void **state) {
  devmem_t *m;
  err_t e;
  uint64_t small, large, next, v = 9, seen = 0, size = (uint64_t)16 << 30;
  struct stat st;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc(m, 100, 0, "small", &small, &e), 0);
  assert_int_equal(devmem_alloc(m, size, 0, "large", &large, &e), 0);
  assert_int_equal(devmem_alloc(m, size, 0, "next", &next, &e), 0);
  for (uint64_t at = 0; at < size; at += size / 4)
    assert_int_equal(devmem_write(m, large + at, &v, 8, &e), 0);
  assert_int_equal(devmem_write(m, next + size - 8, &v, 8, &e), 0);
  assert_int_equal(pread(devmem_file(m), &seen, 8, (off_t)(next + size - 8 - DEVMEM_BASE)), 8);
  assert_int_equal(seen, 9);
  assert_int_equal(fstat(devmem_file(m), &st), 0);
  assert_in_range(st.st_blocks * 512, 4 * 4096, 16 * 4096);
  assert_int_equal(devmem_release(m, large, &e), 0);
  assert_int_equal(devmem_read(m, next + size - 8, &seen, 8, &e), 0);
  assert_int_equal(seen, 9);
  assert_int_equal(devmem_check(m, &e), 0);
  devmem_free(m);
}

/* Random writes, fills, copies and what the other process does, beside memory that is not sparse.
 */
static void sparse_shared_memory_is_as_plain_memory(void **state) {
  enum { SIZE = 40 * 4096 + 300 };
  devmem_t *m;
  err_t e;
  uint64_t gap, a;
  rng_t r = {7};
  static uint8_t want[SIZE], got[SIZE];
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc(m, 700, 0, "gap", &gap, &e), 0); /* so that it begins in a page */
  const devmem_content_t content = {double_offset, NULL};
  for (uint32_t round = 0; round < 40; round++) {
    assert_int_equal(devmem_alloc_sparse(m, SIZE, 0, "a", round % 2 ? &content : NULL, &a, &e), 0);
    memset(want, 0, sizeof want);
    for (uint64_t i = 0; round % 2 && i < SIZE; i += 8) {
      uint64_t v = 2 * i;
      memcpy(want + i, &v, SIZE - i < 8 ? SIZE - i : 8);
    }
    for (uint32_t k = 0; k < 400; k++) {
      uint64_t at = rng_below(&r, SIZE), n = 1 + rng_below(&r, k % 50 ? 40 : 20000),
               v = rng_next(&r);
      if (n > SIZE - at) n = SIZE - at;
      const devmem_alloc_t *x = devmem_find(m, a);
      switch (rng_below(&r, 12)) {
      case 0: /* the other process writes */
        devmem_settle(m, a + at, n, true);
        assert_int_equal(pwrite(devmem_file(m), want, n, (off_t)(a + at - DEVMEM_BASE)), n);
        memmove(want + at, want, n);
        break;
      case 1: /* and reads */
        devmem_settle(m, a + at, n, false);
        assert_int_equal(pread(devmem_file(m), got, n, (off_t)(a + at - DEVMEM_BASE)), n);
        assert_memory_equal(got, want + at, n);
        break;
      case 2:
        assert_int_equal(devmem_fill(m, a + at, (uint8_t)v, n, &e), 0);
        memset(want + at, (uint8_t)v, n);
        break;
      default: /* a lane stores */
        at &= ~(uint64_t)3;
        if (at + 4 > SIZE) break;
        memcpy(devmem_byte(x, a + at), &v, 4);
        memcpy(want + at, &v, 4);
      }
    }
    for (uint64_t at = 0; at < SIZE; at += 4) { /* lanes load */
      uint8_t scratch[DEVMEM_GRANULE];
      assert_memory_equal(devmem_peek(devmem_find(m, a), a + at, scratch), want + at, 4);
    }
    assert_int_equal(devmem_read(m, a, got, SIZE, &e), 0);
    assert_memory_equal(got, want, SIZE);
    assert_int_equal(devmem_fill(m, a, 0, SIZE, &e), 0);
    assert_int_equal(devmem_read(m, a + 5000, got, 8, &e), 0);
    assert_int_equal(got[0] | got[7], 0);
    assert_int_equal(devmem_check(m, &e), 0);
    assert_int_equal(devmem_release(m, a, &e), 0);
  }
  devmem_free(m);
}

static void a_million_gathers_from_sparse_shared_memory_cost_nothing(void **state) {
  devmem_t *m;
  err_t e;
  rng_t r = {1};
  uint64_t a, size = (uint64_t)32 << 30, sum = 0;
  struct stat st;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc_sparse(m, size, 0, "a", NULL, &a, &e), 0);
  uint64_t before = resident_pages();
  for (uint32_t i = 0; i < 1000000; i++) {
    uint8_t scratch[DEVMEM_GRANULE];
    sum += *devmem_peek(devmem_find(m, a), a + rng_next(&r) % size, scratch);
  }
  assert_int_equal(sum, 0);
  assert_int_equal(fstat(devmem_file(m), &st), 0);
  assert_int_equal(st.st_blocks, 0);
  assert_true(resident_pages() - before < 3000); /* a byte for each of 8 million pages */
  devmem_free(m);
}

static void settled_memory_is_plain_again(void **state) {
  devmem_t *m;
  err_t e;
  uint64_t a;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_alloc_sparse(m, 3 << 20, 0, "a", NULL, &a, &e), 0);
  devmem_settle(m, a, 1 << 20, true);
  assert_non_null(devmem_find(m, a)->sparse);
  devmem_settle(m, a + (1 << 20), 2 << 20, true);
  assert_null(devmem_find(m, a)->sparse);
  devmem_free(m);
}

static void registered_ranges_have_places_of_their_own(void **state) {
  devmem_t *m;
  err_t e;
  uint64_t x, y, z, v = 5, seen;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  assert_int_equal(devmem_register(m, 0x7f0000000000, 8192, "r", &x, &e), 0);
  assert_int_equal(devmem_register(m, 0x7e0000000000, 4096, "r", &y, &e), 0);
  assert_true(y >= x + 8192);
  assert_int_equal(devmem_register(m, 0x7f0000001000, 4096, "r", &z, &e), GMMU_EINVAL);
  assert_int_equal(devmem_register(m, 0x7d0000000001, 4096, "r", &z, &e), GMMU_EINVAL);
  assert_int_equal(devmem_register(m, DEVMEM_BASE, 4096, "r", &z, &e), GMMU_EINVAL);
  assert_int_equal(devmem_register(m, DEVMEM_BASE - 4096, 8192, "r", &z, &e), GMMU_EINVAL);
  assert_int_equal(devmem_write(m, 0x7f0000001008, &v, 8, &e), 0);
  assert_int_equal(pread(devmem_file(m), &seen, 8, (off_t)(x + 4104)), 8);
  assert_int_equal(seen, 5);
  assert_int_equal(devmem_release(m, 0x7f0000000000, &e), 0);
  assert_int_equal(devmem_register(m, 0x7c0000000000, 8192, "r", &z, &e), 0);
  assert_true(z != y && z >= WIRE_MEMORY_BYTES);
  devmem_free(m);
}

/* 5000 of them took 36 seconds when each looked at all others, again and again. */
static void registering_many_ranges_takes_no_time(void **state) {
  enum { RANGES = 20000 };
  devmem_t *m;
  err_t e;
  uint64_t at, last = 0;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  for (uint64_t i = 0; i < RANGES; i++) { /* no address order */
    uint64_t va = 0x7c0000000000 + 8192 * (i * 7919 % RANGES);
    assert_int_equal(devmem_register(m, va, 4096, "r", &at, &e), 0);
    assert_true(at > last);
    last = at;
  }
  devmem_free(m);
}

static void gaps_in_the_file_are_found_at_its_end(void **state) {
  devmem_t *m;
  err_t e;
  const uint64_t gb = (uint64_t)1 << 30, va = 0x7c0000000000;
  uint64_t at[4], again;
  (void)state;
  assert_int_equal(devmem_new_shared(&m, &e), 0);
  for (uint64_t i = 0; i < 4; i++)
    assert_int_equal(devmem_register(m, va + i * 256 * gb, 250 * gb, "r", &at[i], &e), 0);
  assert_int_equal(devmem_register(m, va + 1024 * gb, 250 * gb, "r", &again, &e), GMMU_ENOSPACE);
  assert_int_equal(devmem_release(m, va + 256 * gb, &e), 0);
  assert_int_equal(devmem_register(m, va + 1024 * gb, 100 * gb, "r", &again, &e), 0);
  assert_int_equal(again, at[1]);
  assert_int_equal(devmem_register(m, va + 1280 * gb, 100 * gb, "r", &again, &e), 0);
  assert_int_equal(again, at[1] + 100 * gb);
  assert_int_equal(devmem_release(m, va + 768 * gb, &e), 0); /* the last: its place is the end */
  assert_int_equal(devmem_register(m, va + 768 * gb, 250 * gb, "r", &again, &e), 0);
  assert_int_equal(again, at[3]);
  devmem_free(m);
}

static void zeroes_cost_no_memory(void **state) {
  const uint64_t size = (uint64_t)2 << 30;
  devmem_t *m[2];
  err_t e;
  for (int shared = 0; shared < 2; shared++) {
    uint64_t va, small, v = 7, seen = 1;
    assert_int_equal((shared ? devmem_new_shared : devmem_new)(&m[shared], &e), 0);
    assert_int_equal(devmem_alloc(m[shared], 100, 0, "small", &small, &e), 0);
    assert_int_equal(devmem_alloc(m[shared], size, 0, "large", &va, &e), 0);
    assert_int_equal(devmem_write(m[shared], va, &v, 8, &e), 0);
    assert_int_equal(devmem_write(m[shared], va + size - 8, &v, 8, &e), 0);
    assert_int_equal(devmem_write(m[shared], small, &v, 8, &e), 0);
    uint64_t before = resident_pages();
    assert_int_equal(devmem_fill(m[shared], va + 8, 0, size - 16, &e), 0);
    assert_true(resident_pages() < before + 1000);
    for (uint64_t at = 0; at < size; at += size - 8) { /* those beside it are untouched */
      assert_int_equal(devmem_read(m[shared], va + at, &seen, 8, &e), 0);
      assert_int_equal(seen, 7);
    }
    assert_int_equal(devmem_write(m[shared], va + size / 2, &v, 8, &e), 0);
    assert_int_equal(devmem_fill(m[shared], va, 0, size, &e), 0);
    for (uint64_t at = 0; at < size; at += size / 2) {
      assert_int_equal(devmem_read(m[shared], va + at, &seen, 8, &e), 0);
      assert_int_equal(seen, 0);
    }
    assert_int_equal(devmem_read(m[shared], small, &seen, 8, &e), 0);
    assert_int_equal(seen, 7);
    devmem_free(m[shared]);
  }
  (void)state;
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {T(memory_is_zero_and_keeps_what_is_written),
                                     T(ranges_must_lie_in_one_allocation),
                                     T(sixteen_gigabytes_cost_what_is_touched),
                                     T(sparse_memory_costs_a_granule_for_each_touch),
                                     T(sparse_memory_has_a_content_until_it_is_written),
                                     T(freed_memory_is_reused_and_remembered),
                                     T(nearest_is_the_closer_neighbour),
                                     T(host_memory_appears_at_its_own_address),
                                     T(too_much_is_refused),
                                     T(shared_memory_is_one_file),
                                     T(pages_of_freed_shared_memory_go_back),
                                     T(large_shared_allocations_cost_what_is_touched),
                                     T(sparse_shared_memory_is_as_plain_memory),
                                     T(a_million_gathers_from_sparse_shared_memory_cost_nothing),
                                     T(settled_memory_is_plain_again),
                                     T(registered_ranges_have_places_of_their_own),
                                     T(registering_many_ranges_takes_no_time),
                                     T(gaps_in_the_file_are_found_at_its_end),
                                     T(zeroes_cost_no_memory),
                                     T(random_allocations_stay_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
