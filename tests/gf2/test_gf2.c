/* Spaces of hash functions, on cases one can follow by hand and on the published functions. */
#include "../base/unit.h"
#include "gf2/gf2.h"

static gf2_space_t span3(uint64_t a, uint64_t b, uint64_t c) {
  gf2_space_t s;
  gf2_span(&s, (const uint64_t[]){a, b, c}, 3);
  return s;
}

static void a_dependent_vector_adds_nothing(void **state) {
  (void)state;
  gf2_space_t s = span3(3, 6, 5); /* 3 ^ 6 = 5 */
  assert_int_equal(s.rank, 2);
  assert_false(gf2_add(&s, 5));
  assert_true(gf2_add(&s, 8));
}

static void rows_are_reduced_from_below(void **state) {
  (void)state;
  gf2_space_t s = span3(7, 6, 16);
  assert_int_equal(s.rank, 3);
  assert_int_equal(s.row[0], 1);
  assert_int_equal(s.row[1], 6);
  assert_int_equal(s.row[2], 16);
}

static void equal_spaces_have_equal_rows(void **state) {
  (void)state;
  gf2_space_t a = span3(3, 12, 48), b = span3(3 ^ 12, 12 ^ 48, 48), c = span3(3, 12, 80);
  assert_true(gf2_equal(&a, &b));
  assert_false(gf2_equal(&a, &c));
}

static void intersection_is_what_both_have(void **state) {
  (void)state;
  gf2_space_t a = span3(1, 2, 12), b = span3(3, 4, 8), m;
  gf2_meet(&a, &b, &m); /* 3 = 1 ^ 2 and 12 = 4 ^ 8 */
  assert_int_equal(m.rank, 2);
  assert_true(gf2_has(&m, 3) && gf2_has(&m, 12));
}

static void null_space_stays_inside_its_width(void **state) {
  (void)state;
  gf2_space_t s = span3(0x13, 0x20, 0), n;
  gf2_null(&s, 0x3f, &n);
  assert_int_equal(n.rank, 4);
  assert_false(gf2_has(&n, 1));
  assert_true(gf2_has(&n, 3) && gf2_has(&n, 0x11) && gf2_has(&n, 4) && gf2_has(&n, 8));
}

static void functions_without_low_bits(void **state) {
  (void)state;
  gf2_space_t s = span3(0x11, 0x13, 0x21), above;
  gf2_above(&s, 2, &above); /* 0x11 ^ 0x21; the others need bit 0 or 1 */
  assert_int_equal(above.rank, 1);
  assert_int_equal(above.row[0], 0x30);
}

static void complement_prefers_what_it_is_given(void **state) {
  (void)state;
  gf2_space_t s = span3(1, 2, 4), sub = span3(3, 0, 0);
  uint64_t out[GF2_DIM];
  assert_int_equal(gf2_complement(&s, &sub, (const uint64_t[]){3, 6}, 2, out), 2);
  assert_int_equal(out[0], 6);
}

static void an_inverse_meets_one_function_each(void **state) {
  (void)state;
  const uint64_t f[] = {0xb, 0x6, 0xc, 0x8}, bad[] = {3, 5, 6, 8};
  uint64_t x[GF2_DIM];
  assert_true(gf2_invert(f, 4, x));
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(gf2_parity(f[i] & x[k]), i == k);
  assert_false(gf2_invert(bad, 4, x));
}

static void a_map_is_the_sum_of_its_bits(void **state) {
  (void)state;
  uint64_t image[33];
  for (uint32_t i = 0; i < 33; i++) image[i] = 3ull << i;
  gf2_map_t m;
  gf2_map_init(&m, image, 33);
  assert_int_equal(m.bytes, 5);
  assert_true(gf2_map(&m, 1ull << 32 | 5) == (image[32] ^ image[2] ^ image[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_dependent_vector_adds_nothing),
      cmocka_unit_test(rows_are_reduced_from_below),
      cmocka_unit_test(equal_spaces_have_equal_rows),
      cmocka_unit_test(intersection_is_what_both_have),
      cmocka_unit_test(null_space_stays_inside_its_width),
      cmocka_unit_test(functions_without_low_bits),
      cmocka_unit_test(complement_prefers_what_it_is_given),
      cmocka_unit_test(an_inverse_meets_one_function_each),
      cmocka_unit_test(a_map_is_the_sum_of_its_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
