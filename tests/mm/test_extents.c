/* The list of allocations, against an array that moves everything. */
#include "base/rng.h"
#include "counting_host.h"
#include "mm/extents.h"
#include "unit.h"
#include <stdlib.h>
#include <string.h>

#define MOST (20 * EXTENTS_BLOCK + 3)

typedef struct {
  extents_t list;
  counting_t count;
  mm_host_t host;
  extent_t plain[MOST];
  size_t size; /* of plain */
} both_t;

static both_t *both_new(void) {
  both_t *b = calloc(1, sizeof *b);
  b->host = counting_host(&b->count);
  return b;
}

/* And nothing is left with the host. */
static void both_free(both_t *b) {
  extents_fini(&b->list, &b->host);
  assert_int_equal(b->count.live_bytes, 0);
  free(b);
}

static extent_t extent(uint64_t a, uint64_t bytes) {
  return (extent_t){.start = a & INT64_MAX, .end = a + bytes};
}

static rng_t seeded(void) {
  const char *text = getenv("GMMU_SEED");
  return (rng_t){text ? strtoull(text, NULL, 10) : 1};
}

/* Where address a is in the plain array, or would be. */
static size_t place(const both_t *b, uint64_t a) {
  size_t i = 0;
  while (i < b->size && b->plain[i].end <= a) i++;
  return i;
}

/* Address a goes in if it is not there, else out. */
static void change(both_t *b, uint64_t a) {
  size_t i = place(b, a);
  extents_pos_t p = extents_find(&b->list, a);
  if (i < b->size && b->plain[i].start == a) {
    extents_remove(&b->list, p, &b->host);
    memmove(b->plain + i, b->plain + i + 1, (--b->size - i) * sizeof *b->plain);
  } else {
    if (extents_open(&b->list, &p, &b->host)) return; /* refused: as before */
    extents_insert(&b->list, p, extent(a, 1));
    memmove(b->plain + i + 1, b->plain + i, (b->size++ - i) * sizeof *b->plain);
    b->plain[i] = extent(a, 1);
  }
}

static void same(const both_t *b) {
  const extents_t *x = &b->list;
  extents_pos_t p = {0};
  assert_int_equal(x->count, b->size);
  for (size_t i = 0; i < b->size; i++, p = extents_behind(x, p)) {
    const extent_t *before = extents_before(x, p);
    assert_int_equal(extents_at(x, p)->start, b->plain[i].start);
    assert_int_equal(extents_at(x, p)->end, b->plain[i].end);
    assert_true(i ? before->start == b->plain[i - 1].start : !before);
  }
  assert_null(extents_at(x, p));
  for (size_t k = 0; k < x->blocks; k++) {
    const extents_block_t *block = &x->block[k];
    assert_true(block->count && block->count <= block->room && block->room <= EXTENTS_BLOCK);
    assert_int_equal(block->end, block->slot[block->count - 1].end);
  }
}

/* From empty to many blocks and back, everywhere in the list; the host refuses now and then. */
static void a_list_is_what_an_array_is(void **state) {
  (void)state;
  rng_t rng = seeded();
  both_t *b = both_new();
  for (uint32_t step = 0; step < 12000; step++) {
    bool grow = step % 6000 < 3000 ? rng_below(&rng, 3) > 0 : rng_below(&rng, 3) == 0;
    if (rng_below(&rng, 7) == 0) b->count.refuse_at = b->count.requests + 1 + rng_below(&rng, 2);
    if (grow && b->size < MOST)
      change(b, rng_below(&rng, 4 * MOST));
    else if (b->size)
      change(b, b->plain[rng_below(&rng, (uint32_t)b->size)].start);
    if (step % 50 == 0) same(b);
  }
  same(b);
  while (b->size) change(b, b->plain[rng_below(&rng, (uint32_t)b->size)].start);
  same(b);
  both_free(b);
}

/* Upwards, downwards and in any order: slack is a quarter at most when the list is long. */
static void a_list_wastes_little(void **state) {
  (void)state;
  rng_t rng = seeded();
  for (int order = 0; order < 3; order++) {
    both_t *b = both_new();
    for (uint64_t i = 0; i < 1200; i++)
      change(b, order == 0 ? i : order == 1 ? 5000 - i : rng_next(&rng) >> 4);
    assert_in_range(b->count.live_bytes, 0, b->size * sizeof(extent_t) * 5 / 4);
    while (b->size > 300) change(b, b->plain[rng_below(&rng, (uint32_t)b->size)].start);
    assert_in_range(b->count.live_bytes, 0, b->size * sizeof(extent_t) * 2);
    both_free(b);
  }
}

static void find_gives_the_first_that_ends_behind(void **state) {
  (void)state;
  extents_t x = {0};
  assert_null(extents_at(&x, extents_find(&x, 0)));
  for (uint64_t i = 0; i < MOST; i++) {
    extents_pos_t p = extents_find(&x, 10 * i);
    assert_int_equal(extents_open(&x, &p, &mm_host_libc), GMMU_OK);
    extents_insert(&x, p, extent(10 * i, 5));
  }
  for (uint64_t i = 0; i < MOST; i++) {
    assert_int_equal(extents_at(&x, extents_find(&x, 10 * i + 4))->start, 10 * i);
    const extent_t *next = extents_at(&x, extents_find(&x, 10 * i + 5)); /* end is not part of it */
    assert_true(i + 1 < MOST ? next->start == 10 * i + 10 : !next);
  }
  extents_fini(&x, &mm_host_libc);
  assert_null(extents_at(&x, extents_find(&x, 0)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_what_an_array_is),
      cmocka_unit_test(a_list_wastes_little),
      cmocka_unit_test(find_gives_the_first_that_ends_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
