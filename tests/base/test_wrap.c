#include "base/wrap.h"
#include "unit.h"

static void assert_folded(uint32_t columns, const char *text, const char *want) {
  strbuf_t out;
  strbuf_init(&out);
  out.columns = columns;
  wrap_fold(&out, text);
  assert_false(out.failed);
  assert_string_equal(strbuf_text(&out), want);
  strbuf_fini(&out);
}

static void text_for_a_file_stays_as_it_is(void **state) {
  (void)state;
  assert_folded(0, "one two three\n  four\n\n", "one two three\n  four\n\n");
}

static void lines_are_broken_between_words(void **state) {
  (void)state;
  assert_folded(7, "one two three\n", "one two\nthree\n");
  assert_folded(6, "one two three", "one\ntwo\nthree");
  assert_folded(13, "one two three\n", "one two three\n");
}

static void the_rest_of_a_line_is_indented_like_its_begin(void **state) {
  (void)state;
  assert_folded(9, "  one two three\n", "  one two\n  three\n");
}

static void the_rest_of_an_explanation_stands_below_it(void **state) {
  (void)state;
  assert_folded(16, "term  one two three\n", "term  one two\n      three\n");
}

static void a_word_without_room_is_broken_behind_a_slash(void **state) {
  (void)state;
  assert_folded(8, "/tmp/a/longer/path\n", "/tmp/a/\nlonger/\npath\n");
  assert_folded(4, "abcdefghij\n", "abcd\nefgh\nij\n");
}

static void characters_count_not_bytes(void **state) {
  (void)state;
  assert_folded(5, "\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\n",
                "\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\n");
  assert_folded(4, "\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\n",
                "\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\n\xc2\xb5\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_for_a_file_stays_as_it_is),
      cmocka_unit_test(lines_are_broken_between_words),
      cmocka_unit_test(the_rest_of_a_line_is_indented_like_its_begin),
      cmocka_unit_test(the_rest_of_an_explanation_stands_below_it),
      cmocka_unit_test(a_word_without_room_is_broken_behind_a_slash),
      cmocka_unit_test(characters_count_not_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
