/* The list of allocations, against an array that moves everything. */
#include "base/rng.h"
#include "mm/extents.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

#define MOST (5 * EXTENTS_BLOCK + 3)

typedef struct {
  extents_t list;
  extent_t plain[MOST];
  size_t count;
} both_t;

static extent_t extent(uint64_t a, uint64_t bytes) {
  return (extent_t){.start = a & INT64_MAX, .end = a + bytes};
}

static void insert(both_t *b, size_t i, extent_t e) {
  assert_int_equal(extents_reserve(&b->list, &mm_host_libc), GMMU_OK);
  extents_insert(&b->list, i, e);
  memmove(b->plain + i + 1, b->plain + i, (b->count++ - i) * sizeof e);
  b->plain[i] = e;
}

static void remove_at(both_t *b, size_t i) {
  extents_remove(&b->list, i);
  memmove(b->plain + i, b->plain + i + 1, (--b->count - i) * sizeof *b->plain);
}

static void same(const both_t *b) {
  assert_int_equal(b->list.count, b->count);
  for (size_t i = 0; i < b->count; i++) {
    assert_int_equal(extents_at(&b->list, i)->start, b->plain[i].start);
    assert_int_equal(extents_at(&b->list, i)->end, b->plain[i].end);
  }
}

/* From empty to several blocks and back, everywhere in the list. */
static void a_list_is_what_an_array_is(void **state) {
  (void)state;
  const char *text = getenv("GMMU_SEED");
  rng_t rng = {text ? strtoull(text, NULL, 10) : 1};
  both_t *b = calloc(1, sizeof *b);
  for (uint32_t step = 0; step < 12000; step++) {
    bool grow = step % 6000 < 3000 ? rng_below(&rng, 3) > 0 : rng_below(&rng, 3) == 0;
    if (grow && b->count < MOST)
      insert(b, rng_below(&rng, (uint32_t)b->count + 1), extent(step, 1));
    else if (b->count)
      remove_at(b, rng_below(&rng, (uint32_t)b->count));
    if (step % 50 == 0) same(b);
  }
  same(b);
  extents_fini(&b->list, &mm_host_libc);
  free(b);
}

static void find_gives_the_first_that_ends_behind(void **state) {
  (void)state;
  extents_t x = {0};
  for (uint64_t i = 0; i < MOST; i++) {
    extents_reserve(&x, &mm_host_libc);
    extents_insert(&x, i, extent(10 * i, 5));
  }
  for (uint64_t i = 0; i < MOST; i++) {
    assert_int_equal(extents_find(&x, 10 * i + 4), i);
    assert_int_equal(extents_find(&x, 10 * i + 5), i + 1); /* end is not part of it */
  }
  extents_fini(&x, &mm_host_libc);
  assert_int_equal(extents_find(&x, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_what_an_array_is),
      cmocka_unit_test(find_gives_the_first_that_ends_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
