#include "base/table.h"
#include "unit.h"

static void assert_rendered(table_t *t, table_style_t style, const char *want) {
  strbuf_t out;
  strbuf_init(&out);
  table_render(t, style, &out);
  assert_false(out.failed);
  assert_string_equal(strbuf_text(&out), want);
  strbuf_fini(&out);
}

static void two_columns(table_t *t) {
  table_init(t);
  table_column(t, "design", TABLE_LEFT);
  table_column(t, "IPC", TABLE_RIGHT);
}

static void columns_are_as_wide_as_their_widest_cell(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  table_cell(&t, "sharedtlb");
  table_ratio(&t, 5, 4, 2);
  table_cell(&t, "mask");
  table_u64(&t, 123456);
  assert_rendered(&t, TABLE_TEXT,
                  "design        IPC\n---------  ------\nsharedtlb    1.25\nmask       123456\n");
  table_fini(&t);
}

static void left_cells_leave_no_blanks_at_the_end_of_a_line(void **state) {
  (void)state;
  table_t t;
  table_init(&t);
  table_column(&t, "n", TABLE_RIGHT);
  table_column(&t, "long name", TABLE_LEFT);
  table_u64(&t, 12);
  table_cell(&t, "x");
  assert_rendered(&t, TABLE_TEXT, " n  long name\n--  ---------\n12  x\n");
  table_fini(&t);
}

static void a_short_last_row_is_filled_up(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  table_cell(&t, "a");
  assert_rendered(&t, TABLE_TEXT, "design  IPC\n------  ---\na\n");
  table_fini(&t);
}

static void characters_count_not_bytes(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  table_cell(&t, "10 \xc2\xb5s long");
  table_u64(&t, 1);
  assert_rendered(&t, TABLE_TEXT, "design      IPC\n----------  ---\n10 \xc2\xb5s long    1\n");
  table_fini(&t);
}

static void markdown_escapes_bars_and_marks_right_columns(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  table_cell(&t, "a|b");
  table_u64(&t, 1);
  assert_rendered(&t, TABLE_MARKDOWN, "| design | IPC |\n| --- | ---: |\n| a\\|b | 1 |\n");
  table_fini(&t);
}

static void a_table_without_rows_shows_its_header(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  assert_rendered(&t, TABLE_TEXT, "design  IPC\n------  ---\n");
  table_fini(&t);
}

static void a_table_without_columns_shows_nothing(void **state) {
  (void)state;
  table_t t;
  table_init(&t);
  assert_rendered(&t, TABLE_TEXT, "");
  table_fini(&t);
}

static void a_string_grows_and_stays_terminated(void **state) {
  (void)state;
  strbuf_t s;
  strbuf_init(&s);
  assert_string_equal(strbuf_text(&s), "");
  for (int i = 0; i < 1000; i++) {
    strbuf_printf(&s, "%03d", i);
    strbuf_fill(&s, '.', (size_t)i % 3);
    assert_int_equal(strlen(s.buf), s.size);
    assert_true(s.size < s.capacity);
  }
  assert_memory_equal(s.buf, "000001.002..003004.", 19);
  strbuf_clear(&s);
  assert_string_equal(strbuf_text(&s), "");
  strbuf_fini(&s);
}

static void a_string_has_room_for_its_nul_at_every_size(void **state) {
  (void)state;
  for (size_t n = 0; n < 300; n++) {
    strbuf_t s;
    strbuf_init(&s);
    strbuf_fill(&s, 'x', n);
    assert_true(s.size == n && s.size < s.capacity && s.buf[n] == 0);
    strbuf_fini(&s);
  }
}

static void a_string_that_cannot_grow_keeps_what_it_has(void **state) {
  (void)state;
  strbuf_t s;
  strbuf_init(&s);
  strbuf_str(&s, "kept");
  strbuf_fill(&s, 'x', SIZE_MAX - 2);
  assert_true(s.failed);
  strbuf_str(&s, "ignored");
  assert_string_equal(strbuf_text(&s), "kept");
  strbuf_fini(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
      cmocka_unit_test(left_cells_leave_no_blanks_at_the_end_of_a_line),
      cmocka_unit_test(a_short_last_row_is_filled_up),
      cmocka_unit_test(characters_count_not_bytes),
      cmocka_unit_test(markdown_escapes_bars_and_marks_right_columns),
      cmocka_unit_test(a_table_without_rows_shows_its_header),
      cmocka_unit_test(a_table_without_columns_shows_nothing),
      cmocka_unit_test(a_string_grows_and_stays_terminated),
      cmocka_unit_test(a_string_has_room_for_its_nul_at_every_size),
      cmocka_unit_test(a_string_that_cannot_grow_keeps_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
