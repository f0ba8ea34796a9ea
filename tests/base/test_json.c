#include "base/json.h"
#include "base/json_find.h"
#include "base/ratio.h"
#include "unit.h"

static void assert_text(json_t *j, const char *want) {
  assert_false(j->out.failed);
  assert_string_equal(strbuf_text(&j->out), want);
  json_fini(j);
}

static void nesting_is_indented_by_two(void **state) {
  (void)state;
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  json_key(&j, "a");
  json_u64(&j, UINT64_MAX);
  json_key(&j, "b");
  json_begin_array(&j);
  json_i64(&j, INT64_MIN);
  json_begin_object(&j);
  json_key(&j, "c");
  json_bool(&j, true);
  json_end_object(&j);
  json_end_array(&j);
  json_key(&j, "d");
  json_null(&j);
  json_end_object(&j);
  assert_text(&j,
              "{\n  \"a\": 18446744073709551615,\n  \"b\": [\n    -9223372036854775808,\n    {\n"
              "      \"c\": true\n    }\n  ],\n  \"d\": null\n}\n");
}

static void empty_containers_stay_on_one_line(void **state) {
  (void)state;
  json_t j;
  json_init(&j);
  json_begin_array(&j);
  json_begin_object(&j);
  json_end_object(&j);
  json_begin_array(&j);
  json_end_array(&j);
  json_end_array(&j);
  assert_text(&j, "[\n  {},\n  []\n]\n");
}

static void a_value_after_an_empty_container_gets_its_comma(void **state) {
  (void)state;
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  json_key(&j, "a");
  json_begin_object(&j);
  json_end_object(&j);
  json_key(&j, "b");
  json_bool(&j, false);
  json_end_object(&j);
  assert_text(&j, "{\n  \"a\": {},\n  \"b\": false\n}\n");
}

static void assert_string_is_written_as(const char *text, const char *want) {
  json_t j;
  json_init(&j);
  json_str(&j, text);
  assert_text(&j, want);
}

static void strings_are_escaped(void **state) {
  (void)state;
  assert_string_is_written_as("a\"b\\c/", "\"a\\\"b\\\\c/\"\n");
  assert_string_is_written_as("\b\f\n\r\t\x01\x1f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\"\n");
  assert_string_is_written_as(NULL, "null\n");
}

static void utf8_passes_and_invalid_bytes_are_escaped(void **state) {
  (void)state;
  assert_string_is_written_as("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                              "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
  assert_string_is_written_as("\xff", "\"\\u00ff\"\n");
  assert_string_is_written_as("\xc0\x80", "\"\\u00c0\\u0080\"\n"); /* overlong */
  assert_string_is_written_as("\xe0\x80\x80", "\"\\u00e0\\u0080\\u0080\"\n");
  assert_string_is_written_as("\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"\n"); /* surrogate */
  assert_string_is_written_as("\xe2\x82", "\"\\u00e2\\u0082\"\n");            /* cut off */
  assert_string_is_written_as("\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"\n");
}

static void what_a_terminal_obeys_is_escaped(void **state) {
  (void)state;
  assert_string_is_written_as("\x7f", "\"\\u007f\"\n");
  assert_string_is_written_as("\xc2\x9b", "\"\\u009b\"\n");
  assert_string_is_written_as("\xe2\x80\xae", "\"\\u202e\"\n");
}

static void assert_ratio(uint64_t num, uint64_t den, uint32_t digits, const char *want) {
  char buf[RATIO_TEXT_BYTES];
  assert_int_equal(ratio_format(buf, sizeof buf, num, den, digits), strlen(want));
  assert_string_equal(buf, want);
}

static void ratios_round_half_up(void **state) {
  (void)state;
  assert_ratio(1, 8, 2, "0.13");
  assert_ratio(1, 3, 4, "0.3333");
  assert_ratio(2, 3, 4, "0.6667");
  assert_ratio(1999, 1000, 2, "2.00");
  assert_ratio(5, 2, 0, "3");
  assert_ratio(0, 7, 3, "0.000");
}

static void ratios_hold_at_the_ends_of_64_bits(void **state) {
  (void)state;
  assert_ratio(UINT64_MAX, 1, 19, "18446744073709551615.0000000000000000000");
  assert_ratio(UINT64_MAX, 1, 99, "18446744073709551615.0000000000000000000");
  assert_ratio(1, UINT64_MAX, 19, "0.0000000000000000001");
  assert_ratio(UINT64_MAX - 1, UINT64_MAX, 3, "1.000");
}

static void a_ratio_without_denominator_is_no_number(void **state) {
  (void)state;
  json_t j;
  assert_ratio(1, 0, 3, "-");
  json_init(&j);
  json_begin_array(&j);
  json_ratio(&j, 1, 0, 3);
  json_ratio(&j, 1, 4, 3);
  json_end_array(&j);
  assert_text(&j, "[\n  null,\n  0.250\n]\n");
}

static const char document[] =
    "{ \"a\" : [1, {\"b\": 22, \"c\": \"x,]}\\\"\"}, [], [3,4] ],\n \"d\": {\"e\": 0.5,"
    "\"f\": {}}, \"g\": 18446744073709551615, \"h\": 7}";

static void numbers_are_found_by_path(void **state) {
  (void)state;
  uint64_t v = 0;
  assert_true(json_find_u64(document, "a[0]", &v) && v == 1);
  assert_true(json_find_u64(document, "a[1].b", &v) && v == 22);
  assert_true(json_find_u64(document, "a[3][1]", &v) && v == 4);
  assert_true(json_find_u64(document, "h", &v) && v == 7);
  assert_int_equal(json_find_count(document, "a"), 4);
  assert_int_equal(json_find_count(document, "a[2]"), 0);
}

static void fractions_are_found_in_millionths(void **state) {
  (void)state;
  uint64_t v = 0;
  assert_true(json_find_micro(document, "d.e", &v) && v == 500000);
  assert_true(json_find_micro(document, "h", &v) && v == 7000000);
  assert_true(json_find_micro("[12.3456789]", "[0]", &v) && v == 12345678);
  assert_false(json_find_micro("[null, -1, 99999999999999999]", "[0]", &v));
  assert_false(json_find_micro("[null, -1, 99999999999999999]", "[1]", &v));
  assert_false(json_find_micro("[null, -1, 99999999999999999]", "[2]", &v));
}

static void what_is_no_whole_number_is_not_found(void **state) {
  (void)state;
  static const char *const paths[] = {"d.e", "d",      "g",    "a[4]", "a[2][0]", "b",   "a.b",
                                      "h.x", "a[1].c", "a[x]", "a[",   "d[0]",    "h[0]"};
  uint64_t v;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (json_find_u64(document, paths[i], &v)) fail_msg("%s", paths[i]);
}

/* Every beginning of the text, in a block of just that size, for the sanitizer. */
static void a_text_cut_off_is_never_read_beyond_its_end(void **state) {
  (void)state;
  uint64_t v;
  for (size_t size = 0; size < sizeof document; size++) {
    char *cut = malloc(size + 1);
    memcpy(cut, document, size);
    cut[size] = 0;
    bool found = json_find_u64(cut, "h", &v);
    assert_true(!found || size + 1 >= sizeof document - 1);
    json_find_u64(cut, "a[1].c", &v);
    json_find_count(cut, "a");
    free(cut);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nesting_is_indented_by_two),
      cmocka_unit_test(empty_containers_stay_on_one_line),
      cmocka_unit_test(a_value_after_an_empty_container_gets_its_comma),
      cmocka_unit_test(strings_are_escaped),
      cmocka_unit_test(utf8_passes_and_invalid_bytes_are_escaped),
      cmocka_unit_test(what_a_terminal_obeys_is_escaped),
      cmocka_unit_test(ratios_round_half_up),
      cmocka_unit_test(ratios_hold_at_the_ends_of_64_bits),
      cmocka_unit_test(a_ratio_without_denominator_is_no_number),
      cmocka_unit_test(numbers_are_found_by_path),
      cmocka_unit_test(fractions_are_found_in_millionths),
      cmocka_unit_test(what_is_no_whole_number_is_not_found),
      cmocka_unit_test(a_text_cut_off_is_never_read_beyond_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
