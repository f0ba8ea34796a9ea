#include "base/table.h"
#include "unit.h"
#include <stdio.h>
#include <string.h>

static void assert_in_columns(table_t *t, table_style_t style, uint32_t columns, const char *want) {
  strbuf_t out;
  strbuf_init(&out);
  out.columns = columns;
  table_render(t, style, &out);
  assert_false(out.failed);
  assert_string_equal(strbuf_text(&out), want);
  strbuf_fini(&out);
}

static void assert_rendered(table_t *t, table_style_t style, const char *want) {
  assert_in_columns(t, style, 0, want);
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

static void a_foreign_name_stays_in_its_cell(void **state) {
  (void)state;
  table_t t;
  two_columns(&t);
  table_cell(&t, "a\033[1m\nb");
  table_u64(&t, 1);
  assert_rendered(&t, TABLE_TEXT, "design         IPC\n-------------  ---\na\\x1b[1m\\x0ab    1\n");
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

static void a_text_is_broken_between_words_where_a_row_is_too_wide(void **state) {
  (void)state;
  table_t t;
  table_init(&t);
  table_column(&t, "name", TABLE_LEFT);
  table_column(&t, "what", TABLE_LEFT);
  table_cell(&t, "a"), table_cell(&t, "a few words more");
  table_cell(&t, "b"), table_cell(&t, "one");
  assert_in_columns(&t, TABLE_TEXT, 18,
                    "name  what\n----  ------------\na     a few words\n      more\nb     one\n");
  assert_in_columns(&t, TABLE_TEXT, 22,
                    "name  what\n----  ----------------\na     a few words more\nb     one\n");
  table_fini(&t);
}

/* Two columns that say what a row is, and three numbers. */
static void wide_table(table_t *t) {
  table_init(t);
  table_column(t, "design", TABLE_LEFT);
  table_column(t, "app", TABLE_KEY);
  table_column(t, "IPC", TABLE_RIGHT);
  table_column(t, "L1 miss", TABLE_RIGHT);
  table_column(t, "walks", TABLE_RIGHT);
  table_cell(t, "mask"), table_cell(t, "bfs");
  table_u64(t, 12345), table_u64(t, 67), table_u64(t, 8);
}

static void a_header_is_broken_and_a_number_is_not(void **state) {
  (void)state;
  table_t t;
  wide_table(&t);
  assert_in_columns(&t, TABLE_TEXT, 32,
                    "design  app    IPC    L1  walks\n"
                    "                    miss\n"
                    "------  ---  -----  ----  -----\n"
                    "mask    bfs  12345    67      8\n");
  table_fini(&t);
}

static void columns_without_room_stand_below_with_the_same_keys(void **state) {
  (void)state;
  table_t t;
  wide_table(&t);
  assert_in_columns(&t, TABLE_TEXT, 24,
                    "design  app    IPC    L1\n"
                    "                    miss\n"
                    "------  ---  -----  ----\n"
                    "mask    bfs  12345    67\n"
                    "\n"
                    "design  app  walks\n"
                    "------  ---  -----\n"
                    "mask    bfs      8\n");
  table_fini(&t);
}

/* Random tables on random terminals: no line is wider, and no word is lost or torn apart, in order
 * of the columns. */
static void no_word_is_lost_or_torn_on_any_terminal(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 300; seed++) {
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t columns = 60 + seed % 90, kinds = 2 + seed % 7, rows = 1 + seed % 4, words = 0;
    table_t t;
    table_init(&t);
    for (uint32_t c = 0; c < kinds; c++)
      table_column(&t, "head line", c % 3 ? TABLE_RIGHT : TABLE_LEFT);
    for (uint32_t i = 0; i < rows * kinds; i++) {
      strbuf_t cell;
      strbuf_init(&cell);
      x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      for (uint32_t w = 0; w <= (i % kinds % 3 ? 0 : (x >> 40) % 12); w++)
        strbuf_printf(&cell, "%sw%ux", w ? " " : "", words++);
      table_cell(&t, strbuf_text(&cell));
      strbuf_fini(&cell);
    }
    strbuf_t out;
    strbuf_init(&out);
    out.columns = columns;
    table_render(&t, TABLE_TEXT, &out);
    for (const char *line = strbuf_text(&out); *line; line += strcspn(line, "\n") + 1)
      assert_in_range(strcspn(line, "\n"), 0, columns);
    for (uint32_t w = 0; w < words; w++) {
      char word[16];
      snprintf(word, sizeof word, "w%ux", w);
      if (!strstr(strbuf_text(&out), word)) print_error("seed %u: %s is torn\n", seed, word);
      assert_non_null(strstr(strbuf_text(&out), word));
    }
    strbuf_fini(&out);
    table_fini(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
      cmocka_unit_test(left_cells_leave_no_blanks_at_the_end_of_a_line),
      cmocka_unit_test(a_foreign_name_stays_in_its_cell),
      cmocka_unit_test(a_short_last_row_is_filled_up),
      cmocka_unit_test(characters_count_not_bytes),
      cmocka_unit_test(markdown_escapes_bars_and_marks_right_columns),
      cmocka_unit_test(a_table_without_rows_shows_its_header),
      cmocka_unit_test(a_text_is_broken_between_words_where_a_row_is_too_wide),
      cmocka_unit_test(a_header_is_broken_and_a_number_is_not),
      cmocka_unit_test(columns_without_room_stand_below_with_the_same_keys),
      cmocka_unit_test(no_word_is_lost_or_torn_on_any_terminal),
      cmocka_unit_test(a_table_without_columns_shows_nothing),
      cmocka_unit_test(a_string_grows_and_stays_terminated),
      cmocka_unit_test(a_string_has_room_for_its_nul_at_every_size),
      cmocka_unit_test(a_string_that_cannot_grow_keeps_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
