#include "base/bitlist.h"
#include "base/opt.h"
#include "unit.h"

static bitlist_t parsed(const char *text) {
  bitlist_t l;
  err_t e = {0};
  if (bitlist_parse(text, &l, &e) < 0) fail_msg("%s: %s", text, e.text);
  return l;
}

static void functions_are_masks(void **state) {
  (void)state;
  bitlist_t l = parsed("10 12 16; 0; 63 7");
  assert_int_equal(l.count, 3);
  assert_true(l.mask[0] == (1ull << 10 | 1ull << 12 | 1ull << 16));
  assert_true(l.mask[1] == 1 && l.mask[2] == (1ull << 63 | 1ull << 7));
}

static void no_text_is_no_function(void **state) {
  (void)state;
  assert_int_equal(parsed("").count, 0);
  assert_int_equal(parsed("  ").count, 0);
  assert_int_equal(parsed("none").count, 0);
  bitlist_t l = {0};
  char buf[8];
  bitlist_text(&l, buf, sizeof buf);
  assert_string_equal(buf, "none");
}

static void text_comes_back_in_ascending_order(void **state) {
  (void)state;
  char buf[BITLIST_TEXT];
  bitlist_t l = parsed("12\n10;7 ;  8 9");
  assert_int_equal(bitlist_text(&l, buf, sizeof buf), strlen("10 12; 7; 8 9"));
  assert_string_equal(buf, "10 12; 7; 8 9");
}

static void the_longest_list_has_room(void **state) {
  (void)state;
  char buf[BITLIST_TEXT];
  bitlist_t l = {.count = BITLIST_MAX}, back;
  for (uint32_t i = 0; i < BITLIST_MAX; i++) l.mask[i] = UINT64_MAX;
  assert_true(bitlist_text(&l, buf, sizeof buf) < (int)sizeof buf);
  back = parsed(buf);
  assert_memory_equal(&l, &back, sizeof l);
}

static void what_is_no_list_is_refused_with_its_function(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"10; 11 x", "function 2: a bit number was expected; write \"10 12 16; 11 12 13\""},
      {"10;;11", "function 2: it has no bits; write \"10 12 16; 11 12 13\""},
      {"10;", "function 2: it has no bits; write \"10 12 16; 11 12 13\""},
      {"10,11", "function 1: a bit number was expected; write \"10 12 16; 11 12 13\""},
      {"64", "list 1: a number above 63"},
      {"99999999999999999999", "list 1: a number above 63"},
      {"3 4 3", "function 1: bit 3 is there twice and would cancel"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    bitlist_t l = {.count = 1, .mask = {5}};
    err_t e = {0};
    assert_true(bitlist_parse(bad[i][0], &l, &e) < 0);
    assert_string_equal(e.text, bad[i][1]);
    assert_true(l.count == 1 && l.mask[0] == 5);
  }
}

static void more_functions_than_fit_are_refused(void **state) {
  (void)state;
  char text[3 * (BITLIST_MAX + 1) + 1] = "";
  for (uint32_t i = 0; i <= BITLIST_MAX; i++) strcat(text, i ? "; 1" : "1");
  bitlist_t l;
  err_t e = {0};
  assert_int_equal(bitlist_parse(text, &l, &e), GMMU_ERANGE);
}

/* ---- as an option ---- */

static const opt_t table[] = {{"f", OPT_BITS, 0, 7, 39, 0, "", "functions", NULL, NULL}, {0}};

static void an_option_takes_bits_of_its_range_only(void **state) {
  (void)state;
  bitlist_t l;
  opt_group_t groups[] = {{"map", "", table, &l}, {0}};
  char buf[64];
  err_t e = {0};
  opt_defaults(groups);
  assert_int_equal(l.count, 0);
  assert_int_equal(opt_set(groups, "map.f", "7 39; 8", &e), 0);
  assert_true(opt_get(groups, "map.f", buf, sizeof buf) > 0);
  assert_string_equal(buf, "7 39; 8");
  assert_int_equal(opt_set(groups, "map.f", "8; 6", &e), GMMU_ERANGE);
  assert_string_equal(e.text, "function 2 has a bit outside 7 .. 39");
  assert_string_equal(e.key, "map.f");
  assert_int_equal(opt_set(groups, "map.f", "40", &e), GMMU_ERANGE);
  assert_int_equal(l.count, 2);
  assert_int_equal(opt_check(groups, &e), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_masks),
      cmocka_unit_test(no_text_is_no_function),
      cmocka_unit_test(text_comes_back_in_ascending_order),
      cmocka_unit_test(the_longest_list_has_room),
      cmocka_unit_test(what_is_no_list_is_refused_with_its_function),
      cmocka_unit_test(more_functions_than_fit_are_refused),
      cmocka_unit_test(an_option_takes_bits_of_its_range_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
