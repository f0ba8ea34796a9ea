/* Which pages are here, coming or dirty, and which go first: against plain arrays and a plain list.
 */
#include "base/rng.h"
#include "help.h"
#include "paging/regions.h"

#define PAGES_SHIFT 9
#define PAGES       (1u << PAGES_SHIFT)
#define BLOCK       16u /* 64 KB of 4 KB pages */
#define REGIONS     7u

static void small_regions(regions_t *r) {
  regions_init(r, PAGES_SHIFT, 12);
  assert_int_equal(regions_add(r, 0, (vpn_t){0}, REGIONS * PAGES), 0);
}

static void here(regions_t *r, uint64_t vpn, uint64_t pages, bool in) {
  regions_put(r, PAGES_HERE, 0, (vpn_t){vpn}, pages, in);
}

static void sets_are_what_was_put_into_them(void **state) {
  (void)state;
  static bool set[PAGE_SETS][REGIONS * PAGES];
  regions_t r;
  rng_t rng = {.s = rng_mix(test_seed())};
  small_regions(&r);
  memset(set, 0, sizeof set);
  for (uint32_t i = 0; i < 2000; i++) {
    page_set_t s = rng_below(&rng, 2) ? PAGES_HERE : PAGES_DIRTY;
    uint32_t first = rng_below(&rng, REGIONS * PAGES),
             n = 1 + rng_below(&rng, rng_below(&rng, 4) ? 40 : 1200);
    bool in = rng_below(&rng, 2);
    regions_put(&r, s, 0, (vpn_t){first}, n, in); /* what is beyond the last region is nobody's */
    for (uint32_t p = first; p < first + n && p < REGIONS * PAGES; p++) set[s][p] = in;
    assert_true(regions_check(&r));
  }
  for (uint32_t p = 0; p < REGIONS * PAGES; p++)
    for (uint32_t s = 0; s < PAGE_SETS; s++)
      if (regions_has(&r, (page_set_t)s, 0, (vpn_t){p}) != set[s][p])
        fail_msg("page %u, set %u; seed %llu", p, s, (unsigned long long)test_seed());
  regions_fini(&r);
}

static void regions_of_two_applications_are_apart(void **state) {
  (void)state;
  regions_t r;
  small_regions(&r);
  assert_int_equal(regions_add(&r, 1, (vpn_t){0}, PAGES), 0);
  here(&r, 5, 1, true);
  assert_true(regions_has(&r, PAGES_HERE, 0, (vpn_t){5}));
  assert_false(regions_has(&r, PAGES_HERE, 1, (vpn_t){5}));
  assert_int_equal(regions_asid(&r, regions_find(&r, 1, (vpn_t){5})), 1);
  assert_int_equal(regions_find(&r, 1, (vpn_t){PAGES}), REGION_NONE);
  regions_fini(&r);
}

static uint32_t victim(const regions_t *r) {
  pages_t p;
  return regions_victim(r, false, &p) ? p.region : REGION_NONE;
}

static void the_region_used_least_recently_goes_first(void **state) {
  (void)state;
  regions_t r;
  small_regions(&r);
  assert_int_equal(victim(&r), REGION_NONE);
  for (uint32_t i = 0; i < 4; i++) here(&r, i * PAGES, 3, true);
  assert_int_equal(victim(&r), 0);
  regions_use(&r, 0, (vpn_t){1});
  assert_int_equal(victim(&r), 1);
  regions_use(&r, 0, (vpn_t){2 * PAGES});
  regions_use(&r, 0, (vpn_t){5 * PAGES}); /* nothing of it is here */
  here(&r, PAGES, 3, false);
  assert_int_equal(victim(&r), 3);
  here(&r, 3 * PAGES, 3, false);
  assert_int_equal(victim(&r), 0);
  regions_fini(&r);
}

static void a_tree_is_filled_from_the_bottom(void **state) {
  (void)state;
  regions_t r;
  pages_t p;
  small_regions(&r);
  p = regions_wanted(&r, 0, (vpn_t){3 * BLOCK + 7}, true);
  assert_int_equal(p.first, 3 * BLOCK), assert_int_equal(p.pages, BLOCK);
  here(&r, 0, 2 * BLOCK, true); /* with block 3 that is three of four, but not of eight */
  p = regions_wanted(&r, 0, (vpn_t){3 * BLOCK}, true);
  assert_int_equal(p.first, 0), assert_int_equal(p.pages, 4 * BLOCK);
  regions_put(&r, PAGES_COMING, 0, (vpn_t){4 * BLOCK}, 1, true); /* one page more is enough */
  p = regions_wanted(&r, 0, (vpn_t){3 * BLOCK}, true);
  assert_int_equal(p.first, 0), assert_int_equal(p.pages, 8 * BLOCK);
  p = regions_wanted(&r, 0, (vpn_t){3 * BLOCK}, false);
  assert_int_equal(p.pages, BLOCK);
  regions_fini(&r);
}

static void a_tree_is_emptied_from_the_bottom(void **state) {
  (void)state;
  regions_t r;
  pages_t p;
  small_regions(&r);
  here(&r, 0, PAGES, true);
  for (uint32_t b = 0; b < PAGES / BLOCK; b++) regions_use(&r, 0, (vpn_t){b * BLOCK});
  regions_use(&r, 0, (vpn_t){0}); /* block 1 is the oldest now */
  assert_true(regions_victim(&r, true, &p));
  assert_int_equal(p.first, BLOCK), assert_int_equal(p.pages, BLOCK);
  here(&r, BLOCK, BLOCK, false);
  assert_true(regions_victim(&r, true, &p)); /* of four blocks half would stay: no more goes */
  assert_int_equal(p.first, 2 * BLOCK), assert_int_equal(p.pages, BLOCK);
  here(&r, 2 * BLOCK, BLOCK, false);
  assert_true(regions_victim(&r, true, &p)); /* of four blocks one would stay */
  assert_int_equal(p.first, 0), assert_int_equal(p.pages, 4 * BLOCK);
  regions_fini(&r);
}

static void a_region_may_be_one_page(void **state) {
  (void)state;
  regions_t r;
  pages_t p;
  regions_init(&r, 0, 21);
  assert_int_equal(regions_add(&r, 3, (vpn_t){100}, 300), 0);
  regions_put(&r, PAGES_HERE, 3, (vpn_t){150}, 2, true);
  assert_true(regions_check(&r));
  assert_true(regions_victim(&r, true, &p));
  assert_int_equal(regions_vpn(&r, p).v, 150), assert_int_equal(p.pages, 1);
  p = regions_wanted(&r, 3, (vpn_t){399}, true);
  assert_int_equal(p.pages, 1);
  regions_fini(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_are_what_was_put_into_them),
      cmocka_unit_test(regions_of_two_applications_are_apart),
      cmocka_unit_test(the_region_used_least_recently_goes_first),
      cmocka_unit_test(a_tree_is_filled_from_the_bottom),
      cmocka_unit_test(a_tree_is_emptied_from_the_bottom),
      cmocka_unit_test(a_region_may_be_one_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
