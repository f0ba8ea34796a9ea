#include "gmmu/err.h"
#include "unit.h"

static void assert_format(const err_t *e, const char *want) {
  char buf[700];
  int n = err_format(e, buf, sizeof buf);
  assert_string_equal(buf, want);
  assert_int_equal(n, strlen(want));
}

static void every_code_has_its_own_text(void **state) {
  (void)state;
#define X(n, v, s) assert_string_equal(gmmu_strerror(GMMU_##n), s);
  GMMU_ERR_LIST(X)
#undef X
  assert_string_equal(gmmu_strerror(0), "ok");
  assert_string_equal(gmmu_strerror(-9999), "unknown error");
}

static void format_shows_the_parts_that_are_known(void **state) {
  (void)state;
  err_t e;
  err_clear(&e);
  assert_int_equal(err_set(&e, GMMU_ERANGE, "value %d is bad", 7), GMMU_ERANGE);
  assert_format(&e, "value 7 is bad");
  assert_int_equal(err_for_key(&e, "l2tlb.ways"), GMMU_ERANGE);
  assert_format(&e, "l2tlb.ways: value 7 is bad");
  assert_int_equal(err_in_file(&e, "a.yaml", 3, 9), GMMU_ERANGE);
  assert_format(&e, "a.yaml:3:9: l2tlb.ways: value 7 is bad");
}

static void format_shows_the_offset_of_a_binary_file(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EFORMAT, "bad frame");
  err_at_offset(&e, "a.gmt", 0);
  assert_format(&e, "a.gmt: byte 0: bad frame");
}

static void format_falls_back_to_the_text_of_the_code(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EIO, "%s", "");
  err_in_file(&e, "x", 0, 0);
  assert_format(&e, "x: input/output error");
}

static void the_innermost_place_wins(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EINVAL, "t");
  err_in_file(&e, "inner", 1, 2);
  err_for_key(&e, "k");
  err_in_file(&e, "outer", 8, 9);
  err_for_key(&e, "other");
  assert_format(&e, "inner:1:2: k: t");
}

static void a_new_error_forgets_the_old_place(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EINVAL, "old");
  err_in_file(&e, "f", 1, 2);
  err_set(&e, GMMU_EIO, "new, was: %s", e.text);
  assert_format(&e, "new, was: old");
}

static void long_parts_are_clipped_and_a_path_keeps_its_end(void **state) {
  (void)state;
  char path[1000];
  err_t e;
  memset(path, 'd', sizeof path);
  strcpy(path + sizeof path - 10, "/end.yaml");
  err_set(&e, GMMU_EINVAL, "%s", path);
  err_in_file(&e, path, 0, 0);
  assert_int_equal(strlen(e.text), sizeof e.text - 1);
  assert_int_equal(strlen(e.file), sizeof e.file - 1);
  assert_string_equal(e.file + sizeof e.file - 10, "/end.yaml");
  assert_memory_equal(e.file, "...d", 4);
}

static void a_long_word_loses_its_middle_before_the_reason_is_lost(void **state) {
  (void)state;
  char name[3000];
  memset(name, 'a', sizeof name - 1), name[sizeof name - 1] = 0;
  memcpy(name, "begin", 5), memcpy(name + sizeof name - 4, "end", 4);
  err_t e = {0};
  err_set(&e, GMMU_EINVAL, "kernel '%s' calls '%s', which is nowhere defined", name, name);
  assert_memory_equal(e.text, "kernel 'begin", 13);
  assert_non_null(strstr(e.text, "end' calls 'begin"));
  assert_non_null(strstr(e.text, "end', which is nowhere defined"));
  char small[20]; /* nothing long to cut: the end goes */
  err_fit(small, sizeof small, "one two three four five");
  assert_string_equal(small, "one two three four ");
  err_fit(small, sizeof small, "%s", "fits");
  assert_string_equal(small, "fits");
}

static void no_err_t_is_fine(void **state) {
  (void)state;
  assert_int_equal(err_set(NULL, GMMU_EIO, "x"), GMMU_EIO);
  assert_true(err_in_file(NULL, "f", 1, 1) < 0);
  assert_true(err_at_offset(NULL, "f", 1) < 0);
  assert_true(err_for_key(NULL, "k") < 0);
  err_clear(NULL);
}

static void foreign_names_cannot_steer_a_terminal(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EFORMAT, "kernel \"%s\"", "\033]0;x\a\ngmmu: all is well");
  err_for_key(&e, "a\x9b"
                  "b");
  err_in_file(&e, "d/\033[2J\n.gmt", 3, 0);
  assert_format(&e, "d/\\x1b[2J\\x0a.gmt:3: a\\x9bb: kernel "
                    "\"\\x1b]0;x\\x07\\x0agmmu: all is well\"");
}

static void an_excerpt_keeps_its_lines(void **state) {
  (void)state;
  err_t e;
  err_set(&e, GMMU_EFORMAT, "what?\n  mov\033 x;\n     ^");
  assert_format(&e, "what?\n  mov\\x1b x;\n     ^");
}

static void a_long_message_is_cut(void **state) {
  (void)state;
  char small[12];
  err_t e;
  err_set(&e, GMMU_EFORMAT, "0123456789\033");
  err_in_file(&e, "f", 0, 0);
  assert_int_equal(err_format(&e, small, sizeof small), 17);
  assert_string_equal(small, "f: 01234567");
  assert_int_equal(err_format(&e, NULL, 0), 17);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_code_has_its_own_text),
      cmocka_unit_test(format_shows_the_parts_that_are_known),
      cmocka_unit_test(format_shows_the_offset_of_a_binary_file),
      cmocka_unit_test(format_falls_back_to_the_text_of_the_code),
      cmocka_unit_test(the_innermost_place_wins),
      cmocka_unit_test(a_new_error_forgets_the_old_place),
      cmocka_unit_test(long_parts_are_clipped_and_a_path_keeps_its_end),
      cmocka_unit_test(a_long_word_loses_its_middle_before_the_reason_is_lost),
      cmocka_unit_test(no_err_t_is_fine),
      cmocka_unit_test(foreign_names_cannot_steer_a_terminal),
      cmocka_unit_test(an_excerpt_keeps_its_lines),
      cmocka_unit_test(a_long_message_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
