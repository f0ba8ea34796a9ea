#include "base/foreign.h"
#include "unit.h"

static void assert_shown(const char *text, const char *keep, const char *want) {
  strbuf_t s;
  char buf[200];
  strbuf_init(&s);
  strbuf_foreign(&s, text, strlen(text), keep);
  assert_string_equal(strbuf_text(&s), want);
  assert_int_equal(s.size, strlen(want));
  assert_int_equal(foreign_copy(buf, sizeof buf, text, strlen(text), keep), strlen(want));
  assert_string_equal(buf, want);
  strbuf_fini(&s);
}

static void plain_text_stays_as_it_is(void **state) {
  (void)state;
  assert_shown("", "", "");
  assert_shown("_Z6kernelPf<int, 3> \\x", "", "_Z6kernelPf<int, 3> \\x");
  assert_shown("\xc2\xb5s \xe2\x86\x92 \xf0\x9f\x98\x80", "",
               "\xc2\xb5s \xe2\x86\x92 \xf0\x9f\x98\x80");
}

static void control_characters_are_shown_as_bytes(void **state) {
  (void)state;
  assert_shown("a\033[31mb", "", "a\\x1b[31mb");
  assert_shown("\r\n\t\x7f", "", "\\x0d\\x0a\\x09\\x7f");
  assert_shown("\xc2\x9b"
               "31m",
               "", "\\xc2\\x9b31m"); /* U+009B, CSI */
}

static void bytes_that_are_no_utf8_are_shown_as_bytes(void **state) {
  (void)state;
  assert_shown("\x9b"
               "31m\xff",
               "", "\\x9b31m\\xff");                   /* CSI of eight bits */
  assert_shown("\xc0\x9b", "", "\\xc0\\x9b");          /* overlong */
  assert_shown("\xed\xa0\x80", "", "\\xed\\xa0\\x80"); /* surrogate */
  assert_shown("x\xe2\x82", "", "x\\xe2\\x82");        /* cut off */
}

static void characters_that_turn_or_break_the_line_are_shown_as_bytes(void **state) {
  (void)state;
  assert_shown("a\xe2\x80\xae"
               "b",
               "", "a\\xe2\\x80\\xaeb"); /* U+202E */
  assert_shown("a\xe2\x80\xa8"
               "b",
               "\n", "a\\xe2\\x80\\xa8b");             /* U+2028 */
  assert_shown("\xe2\x81\xa7", "", "\\xe2\\x81\\xa7"); /* U+2067 */
}

static void what_the_caller_keeps_stays(void **state) {
  (void)state;
  assert_shown("a\tb\n\033c", "\n\t", "a\tb\n\\x1bc");
}

static void a_text_may_contain_nul(void **state) {
  (void)state;
  strbuf_t s;
  strbuf_init(&s);
  strbuf_foreign(&s, "a\0b", 3, "");
  assert_string_equal(strbuf_text(&s), "a\\x00b");
  strbuf_fini(&s);
}

static void an_array_is_cut_at_a_whole_character(void **state) {
  (void)state;
  char buf[8];
  assert_int_equal(foreign_copy(buf, 6, "ab\033[31m", 7, ""), 10);
  assert_string_equal(buf, "ab");
  assert_int_equal(foreign_copy(buf, 7, "ab\033[31m", 7, ""), 10);
  assert_string_equal(buf, "ab\\x1b");
  assert_int_equal(foreign_copy(buf, 3, "a\xc2\xb5", 3, ""), 3);
  assert_string_equal(buf, "a");
  assert_int_equal(foreign_copy(NULL, 0, "\033", 1, ""), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_stays_as_it_is),
      cmocka_unit_test(control_characters_are_shown_as_bytes),
      cmocka_unit_test(bytes_that_are_no_utf8_are_shown_as_bytes),
      cmocka_unit_test(characters_that_turn_or_break_the_line_are_shown_as_bytes),
      cmocka_unit_test(what_the_caller_keeps_stays),
      cmocka_unit_test(a_text_may_contain_nul),
      cmocka_unit_test(an_array_is_cut_at_a_whole_character),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
