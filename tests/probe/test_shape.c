/* Sets and ways are recovered from how misses grow. */
#include "help.h"

static void a_set_with_a_page_too_many_misses_all_of_its_pages(void **state) {
  (void)state;
  shape_t s = {8, 8, 0, false};
  assert_int_equal(shape_misses(&s, 64, 1), 0);
  assert_int_equal(shape_misses(&s, 65, 1), 9);
  assert_int_equal(shape_misses(&s, 66, 1), 18);
  assert_int_equal(shape_misses(&s, 72, 1), 72);
  assert_int_equal(shape_misses(&s, 100, 1), 100);
}

static void entries_beside_the_sets_take_what_they_can(void **state) {
  (void)state;
  shape_t s = {128, 8, 8, false};
  assert_int_equal(shape_misses(&s, 1032, 1), 0);
  assert_int_equal(shape_misses(&s, 1033, 1), 81); /* the raw data of a K80: nine sets of nine */
  assert_int_equal(shape_misses(&s, 1034, 1), 90);
}

static void one_page_too_many_is_all_of_a_fully_associative_one(void **state) {
  (void)state;
  shape_t s = {1, 16, 0, false};
  assert_int_equal(shape_misses(&s, 16, 1), 0);
  assert_int_equal(shape_misses(&s, 17, 1), 17);
}

static void fit_of(const shape_t *want) {
  static const uint32_t beyond[] = {1, 2, 3, 5, 8, 13, 21, 34};
  shape_point_t p[19];
  uint32_t entries = want->sets * want->ways + want->victims;
  for (uint32_t i = 0; i < 8; i++) {
    p[i].count = entries + beyond[i];
    p[i].step = 1;
    p[i].misses = 100ll * shape_misses(want, p[i].count, 1);
  }
  for (uint32_t i = 8; i < 16; i++) {
    p[i] = (shape_point_t){.count = entries / 2 + i - 7, .step = 2};
    p[i].misses = 100ll * shape_misses(want, p[i].count, 2);
  }
  for (uint32_t i = 16; i < 19; i++) {
    p[i] = (shape_point_t){.count = (entries >> (i - 14)) + 12, .step = 1u << (i - 14)};
    p[i].misses = 100ll * shape_misses(want, p[i].count, p[i].step);
  }
  index_t index = want->folded || want->sets == 1 ? INDEX_STAYS : INDEX_HALVES;
  shape_t got;
  assert_int_equal(shape_fit(entries, index, p, 19, &got), 0);
  assert_int_equal(got.sets, want->sets);
  assert_int_equal(got.ways, want->ways);
  assert_int_equal(got.victims, want->victims);
}

static void shapes_are_recovered(void **state) {
  (void)state;
  static const shape_t shapes[] = {{1, 16, 0, false},  {8, 8, 1, true},   {8, 8, 7, true},
                                   {8, 8, 7, false},   {16, 4, 0, false}, {128, 8, 8, true},
                                   {128, 8, 8, false}, {64, 2, 0, true},  {32, 16, 3, false}};
  for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++) fit_of(&shapes[i]);
}

static void what_no_shape_explains_is_far_off(void **state) {
  (void)state;
  shape_point_t p[] = {{65, 1, 100 * 32}, {66, 1, 100 * 3}, {70, 1, 100 * 60}, {80, 1, 100}};
  shape_t got;
  assert_true(shape_fit(64, INDEX_UNKNOWN, p, 4, &got) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_set_with_a_page_too_many_misses_all_of_its_pages),
      cmocka_unit_test(entries_beside_the_sets_take_what_they_can),
      cmocka_unit_test(one_page_too_many_is_all_of_a_fully_associative_one),
      cmocka_unit_test(shapes_are_recovered),
      cmocka_unit_test(what_no_shape_explains_is_far_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
