#include "base/file.h"
#include "base/opt.h"
#include "sample.h"
#include "unit.h"
#include <stdio.h>

/* Every pair as "key=value@line:column;" in the order it came. */
static int collect(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                   err_t *e) {
  (void)e;
  strbuf_printf(ctx, "%s=%s@%u:%u;", key, value, line, column);
  return 0;
}

static void assert_pairs(const char *text, const char *want) {
  strbuf_t got;
  err_t e = {0};
  strbuf_init(&got);
  if (yaml_read("t.yaml", text, strlen(text), collect, &got, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&got), want);
  strbuf_fini(&got);
}

static void assert_refused_bytes(const char *text, size_t size, const char *want) {
  strbuf_t got;
  err_t e = {0};
  char shown[700];
  strbuf_init(&got);
  assert_int_equal(yaml_read("t.yaml", text, size, collect, &got, &e), GMMU_EFORMAT);
  err_format(&e, shown, sizeof shown);
  assert_string_equal(shown, want);
  assert_int_equal(yaml_read("t.yaml", text, size, collect, &got, NULL), GMMU_EFORMAT);
  strbuf_fini(&got);
}

static void assert_refused(const char *text, const char *want) {
  assert_refused_bytes(text, strlen(text), want);
}

static void assert_lists(const char *text, const char *want, const char *why) {
  strbuf_t got;
  err_t e = {0};
  char shown[700];
  strbuf_init(&got);
  int rc = yaml_read_lists("t.yaml", text, strlen(text), collect, &got, &e);
  err_format(&e, shown, sizeof shown);
  if (rc < 0 && !why) fail_msg("%s", shown);
  assert_int_equal(rc, why ? GMMU_EFORMAT : 0);
  if (why) assert_string_equal(shown, why);
  if (want) assert_string_equal(strbuf_text(&got), want);
  strbuf_fini(&got);
}

static void lists_give_every_element_with_its_place(void **state) {
  (void)state;
  assert_lists("a: [1, x y]\nb:\n  c:\n    - 2\n    - '3'\n  d: 4\n",
               "a=1@1:5;a=x y@1:8;b.c=2@4:7;b.c=3@5:7;b.d=4@6:3;", NULL);
}

static void lists_hold_values_only(void **state) {
  (void)state;
  assert_lists("a: [1, [2]]\n", NULL, "t.yaml:1:8: a: a list of lists is not allowed");
  assert_lists("a: [b: 2]\n", NULL,
               "t.yaml:1:5: a: a list may hold values only, no \"key: value\"");
  assert_lists("a: []\n", NULL, "t.yaml:1:5: a: an empty list");
  assert_lists("- 1\n", NULL, "t.yaml:1:1: expected \"key: value\"");
  assert_lists("[a]: 1\n", NULL, "t.yaml:1:1: expected \"key: value\"");
  assert_lists("a: &x [1]\n", NULL, "t.yaml:1:4: a: anchors and tags are not allowed");
  assert_lists("a: [1]\na: [2]\n", NULL, "t.yaml:2:1: a: given twice; first on line 1");
}

static void nested_mappings_become_dotted_keys(void **state) {
  (void)state;
  assert_pairs(
      "# preset\nl2tlb:\n  entries: 512   # source\n  a:\n    b: x\n  ways: 16\nmm: {page: 4K}\n"
      "z: 1\n",
      "l2tlb.entries=512@3:3;l2tlb.a.b=x@5:5;l2tlb.ways=16@6:3;mm.page=4K@7:6;z=1@8:1;");
}

static void dotted_keys_may_be_written_out(void **state) {
  (void)state;
  assert_pairs("l2tlb.entries: 512\nl2tlb:\n  ways: 4\n",
               "l2tlb.entries=512@1:1;l2tlb.ways=4@3:3;");
}

static void quoted_and_folded_values_are_text(void **state) {
  (void)state;
  assert_pairs("a: \"x y\"\nb: ''\nc: >\n  one\n  two\n", "a=x y@1:1;b=@2:1;c=one two\n@3:1;");
}

static void empty_files_hold_no_keys(void **state) {
  (void)state;
  assert_pairs("", "");
  assert_pairs("# only a comment\n", "");
  assert_pairs("---\n", "");
  assert_pairs("{}\n", "");
}

static void a_byte_order_mark_is_skipped(void **state) {
  (void)state;
  assert_pairs("\xef\xbb\xbf"
               "a: 1\n",
               "a=1@1:1;");
}

static void a_key_given_twice_is_refused_with_both_lines(void **state) {
  (void)state;
  assert_refused("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: a: given twice; first on line 1");
  assert_refused("a:\n  b: 2\n  b: 3\n", "t.yaml:3:3: a.b: given twice; first on line 2");
  assert_refused("a.b: 1\na:\n  b: 3\n", "t.yaml:3:3: a.b: given twice; first on line 1");
  assert_refused("a: {b: 1}\na: {c: 1}\n", "t.yaml:2:1: a: given twice; first on line 1");
}

static void a_key_of_two_sections_is_no_duplicate(void **state) {
  (void)state;
  assert_pairs("a: {k: 1}\nb: {k: 2}\nk: 3\n", "a.k=1@1:5;b.k=2@2:5;k=3@3:1;");
}

static void everything_but_scalars_and_mappings_is_refused(void **state) {
  (void)state;
  assert_refused("a: [1, 2]\n", "t.yaml:1:4: a: lists are not allowed");
  assert_refused("- 1\n", "t.yaml:1:1: lists are not allowed");
  assert_refused("a: &x 1\n", "t.yaml:1:4: a: anchors and tags are not allowed");
  assert_refused("a: {b: 1}\nc: *x\n", "t.yaml:2:4: c: aliases are not allowed");
  assert_refused("a: !!int 1\n", "t.yaml:1:4: a: anchors and tags are not allowed");
  assert_refused("a: &x {b: 1}\n", "t.yaml:1:4: a: anchors and tags are not allowed");
  assert_refused("{a: 1}: 2\n", "t.yaml:1:1: a key must be plain text");
  assert_refused("a: 1\n---\nb: 2\n", "t.yaml:2:1: only one document is allowed");
  assert_refused("just text\n", "t.yaml:1:1: expected \"key: value\"");
  assert_refused("%YAML 1.1\n---\na: 1\n", "t.yaml:1:1: directives (%...) are not allowed");
}

static void directives_are_found_behind_every_kind_of_line_break(void **state) {
  (void)state;
  static const char *const breaks[] = {"\n",       "\r",           "\r\n",
                                       "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
  for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
    char text[32];
    snprintf(text, sizeof text, "#%s%%TAG ! x\n", breaks[i]);
    assert_refused(text, "t.yaml:2:1: directives (%...) are not allowed");
  }
  assert_pairs("a: 50%\nb: '%x'\n", "a=50%@1:1;b=%x@2:1;");
}

static void a_key_without_value_is_refused(void **state) {
  (void)state;
  assert_refused("a:\nb: 1\n", "t.yaml:1:1: a: no value given");
}

static void odd_keys_are_refused(void **state) {
  (void)state;
  assert_refused("? \n: 1\n", "t.yaml:1:2: a key must be printable ASCII without spaces");
  assert_refused("a b: 1\n", "t.yaml:1:1: a key must be printable ASCII without spaces");
  assert_refused("g:\n  \"x\\0y\": 1\n",
                 "t.yaml:2:3: g: a key must be printable ASCII without spaces");
}

static void nul_and_control_bytes_are_refused(void **state) {
  (void)state;
  static const char nul[] = "a: 1\nb: \0\n";
  assert_refused_bytes(nul, sizeof nul - 1,
                       "t.yaml:2:4: control characters are not allowed (byte 0x00)");
  assert_refused("a: \x1b[0m\n", "t.yaml:1:4: control characters are not allowed (byte 0x1b)");
  assert_refused("a: \"x\\0y\"\n", "t.yaml:1:4: a: a value must not contain NUL");
}

static void invalid_utf8_is_refused_where_it_stands(void **state) {
  (void)state;
  assert_refused("a: \xc3\xa4\nbb: \xff\n", "t.yaml:2:5: invalid leading UTF-8 octet (byte 0xff)");
  assert_refused("a: \xc3", "t.yaml:1:4: incomplete UTF-8 octet sequence (byte 0xc3)");
}

static void syntax_errors_carry_their_place(void **state) {
  (void)state;
  assert_refused("a: 1\nb: {c: 2\n",
                 "t.yaml:3:1: while parsing a flow mapping: did not find expected ',' or '}'");
}

static void depth_ends_at_eight(void **state) {
  (void)state;
  assert_pairs("{a: {b: {c: {d: {e: {f: {g: {h: 1}}}}}}}}", "a.b.c.d.e.f.g.h=1@1:30;");
  assert_refused("{a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}}",
                 "t.yaml:1:33: a.b.c.d.e.f.g.h: nested deeper than 8 levels");
}

static void a_dotted_key_ends_at_127_bytes(void **state) {
  (void)state;
  char text[256], key[128];
  memset(key, 'k', sizeof key);
  snprintf(text, sizeof text, "a: {%.125s: 1}", key);
  err_t e = {0};
  strbuf_t got;
  strbuf_init(&got);
  assert_int_equal(yaml_read("t", text, strlen(text), collect, &got, &e), 0);
  snprintf(text, sizeof text, "a: {%.126s: 1}", key);
  assert_refused(text, "t.yaml:1:5: a: key longer than 127 bytes");
  strbuf_fini(&got);
}

static int count_keys(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                      err_t *e) {
  (void)key, (void)value, (void)line, (void)column, (void)e;
  ++*(uint32_t *)ctx;
  return 0;
}

static void keys_end_at_4096(void **state) {
  (void)state;
  strbuf_t text;
  err_t e = {0};
  uint32_t count = 0;
  strbuf_init(&text);
  for (int i = 0; i < 4096; i++) strbuf_printf(&text, "k%d: %d\n", i, i);
  assert_int_equal(yaml_read("t", text.buf, text.size, count_keys, &count, &e), 0);
  assert_int_equal(count, 4096);
  strbuf_str(&text, "last: 1\n");
  assert_refused_bytes(text.buf, text.size, "t.yaml:4097:1: last: more than 4096 keys");
  strbuf_fini(&text);
}

static void size_ends_at_one_mebibyte(void **state) {
  (void)state;
  strbuf_t text;
  err_t e = {0};
  uint32_t count = 0;
  strbuf_init(&text);
  strbuf_str(&text, "a: ");
  strbuf_fill(&text, 'x', YAML_MAX_BYTES - 3);
  assert_int_equal(yaml_read("t", text.buf, text.size, count_keys, &count, &e), 0);
  strbuf_str(&text, "x");
  assert_refused_bytes(text.buf, text.size, "t.yaml: larger than 1048576 bytes");
  strbuf_fini(&text);
}

/* Text that makes a careless reader quadratic or deep; the test's time limit is the assertion. */
static void hostile_repetition_ends_soon(void **state) {
  (void)state;
  static const char *const unit[] = {"[",
                                     "{",
                                     "? ",
                                     "- ",
                                     "a: ",
                                     "{a: ",
                                     "&a ",
                                     "*a ",
                                     "!a ",
                                     "\"",
                                     "'",
                                     "|\n",
                                     "\n",
                                     "#",
                                     "---\n",
                                     "...\n",
                                     " ",
                                     "\t",
                                     "a\n",
                                     ", ",
                                     "? a\n",
                                     "- a\n",
                                     "a: &",
                                     "%TAG !a",
                                     "\n%TAG ! a\n",
                                     "\xc2\x85%TAG ! a",
                                     "{}",
                                     "[]",
                                     ": ",
                                     ">\n\n "};
  for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
    strbuf_t text;
    uint32_t count = 0;
    strbuf_init(&text);
    while (text.size + 16 < YAML_MAX_BYTES) strbuf_str(&text, unit[i]);
    yaml_read("t", text.buf, text.size, count_keys, &count, NULL);
    strbuf_fini(&text);
  }
}

static void a_file_full_of_directives_ends_soon(void **state) {
  (void)state;
  strbuf_t text;
  uint32_t count = 0;
  strbuf_init(&text);
  for (int i = 0; text.size + 32 < YAML_MAX_BYTES; i++) strbuf_printf(&text, "%%TAG !%x! a\n", i);
  assert_int_equal(yaml_read("t", text.buf, text.size, count_keys, &count, NULL), GMMU_EFORMAT);
  strbuf_fini(&text);
}

static int apply(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                 err_t *e) {
  (void)line, (void)column;
  return opt_set(ctx, key, value, e);
}

static void a_wrong_option_is_reported_with_file_line_and_key(void **state) {
  (void)state;
  static const char text[] = "l2tlb:\n  ways: 4\n  entries: 0\n";
  sample_t s;
  sample_groups_t g = sample_groups(&s);
  err_t e = {0};
  char shown[300];
  opt_defaults(g.group);
  assert_int_equal(yaml_read("p.yaml", text, strlen(text), apply, g.group, &e), GMMU_ERANGE);
  err_format(&e, shown, sizeof shown);
  assert_string_equal(shown, "p.yaml:3:3: l2tlb.entries: value 0 is outside 1 .. 65536 entries");
  assert_int_equal(s.l2tlb.ways, 4);
}

static int stop(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                err_t *e) {
  (void)key, (void)value, (void)line, (void)column, (void)e;
  return *(int *)ctx;
}

static void a_callback_stops_the_reading_with_its_own_result(void **state) {
  (void)state;
  err_t e = {0};
  int rc = 7;
  assert_int_equal(yaml_read("t", "a: 1\nb: 2", 9, stop, &rc, &e), 7);
  assert_int_equal(e.code, 0);
  rc = GMMU_EINTERRUPTED;
  assert_int_equal(yaml_read("t", "a: 1\nb: 2", 9, stop, &rc, &e), GMMU_EINTERRUPTED);
  assert_string_equal(e.text, "interrupted");
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  err_t e = {0};
  assert_int_equal(yaml_read_file("no/such.yaml", stop, NULL, &e), GMMU_ENOENT);
  assert_string_equal(e.file, "no/such.yaml");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_give_every_element_with_its_place),
      cmocka_unit_test(lists_hold_values_only),
      cmocka_unit_test(nested_mappings_become_dotted_keys),
      cmocka_unit_test(dotted_keys_may_be_written_out),
      cmocka_unit_test(quoted_and_folded_values_are_text),
      cmocka_unit_test(empty_files_hold_no_keys),
      cmocka_unit_test(a_byte_order_mark_is_skipped),
      cmocka_unit_test(a_key_given_twice_is_refused_with_both_lines),
      cmocka_unit_test(a_key_of_two_sections_is_no_duplicate),
      cmocka_unit_test(everything_but_scalars_and_mappings_is_refused),
      cmocka_unit_test(directives_are_found_behind_every_kind_of_line_break),
      cmocka_unit_test(a_key_without_value_is_refused),
      cmocka_unit_test(odd_keys_are_refused),
      cmocka_unit_test(nul_and_control_bytes_are_refused),
      cmocka_unit_test(invalid_utf8_is_refused_where_it_stands),
      cmocka_unit_test(syntax_errors_carry_their_place),
      cmocka_unit_test(depth_ends_at_eight),
      cmocka_unit_test(a_dotted_key_ends_at_127_bytes),
      cmocka_unit_test(keys_end_at_4096),
      cmocka_unit_test(size_ends_at_one_mebibyte),
      cmocka_unit_test(hostile_repetition_ends_soon),
      cmocka_unit_test(a_file_full_of_directives_ends_soon),
      cmocka_unit_test(a_wrong_option_is_reported_with_file_line_and_key),
      cmocka_unit_test(a_callback_stops_the_reading_with_its_own_result),
      cmocka_unit_test(a_missing_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
