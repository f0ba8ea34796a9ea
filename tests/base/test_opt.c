#include "base/opt.h"
#include "sample.h"
#include "unit.h"

typedef struct {
  sample_t config;
  sample_groups_t groups;
  err_t e;
} fixture_t;

static int setup(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  f->groups = sample_groups(&f->config);
  opt_defaults(f->groups.group);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  free(*state);
  return 0;
}

static void accepted(fixture_t *f, const char *key, const char *value) {
  assert_int_equal(opt_set(f->groups.group, key, value, &f->e), 0);
}

static void refused(fixture_t *f, const char *key, const char *value, int code, const char *text) {
  sample_t before = f->config;
  assert_int_equal(opt_set(f->groups.group, key, value, &f->e), code);
  assert_string_equal(f->e.text, text);
  assert_string_equal(f->e.key, key);
  assert_memory_equal(&before, &f->config, sizeof before);
}

static void defaults_fill_every_field(void **state) {
  fixture_t *f = *state;
  assert_int_equal(f->config.l1tlb.entries, 64);
  assert_int_equal(f->config.l2tlb.latency_cycles, 10);
  assert_ptr_equal(f->config.l2tlb.replacement, sample_replacement(0));
  assert_int_equal(f->config.mm.page_bytes, 4096);
  assert_false(f->config.mm.check);
}

static void set_reaches_only_its_own_group(void **state) {
  fixture_t *f = *state;
  accepted(f, "l2tlb.entries", "512");
  assert_int_equal(f->config.l2tlb.entries, 512);
  assert_int_equal(f->config.l1tlb.entries, 64);
}

static void numbers_may_be_hexadecimal(void **state) {
  fixture_t *f = *state;
  accepted(f, "l2tlb.latency", "0xFFffFFffFFffFFff");
  assert_true(f->config.l2tlb.latency_cycles == UINT64_MAX);
}

static void sizes_take_suffixes(void **state) {
  fixture_t *f = *state;
  accepted(f, "mm.page", "64K");
  assert_int_equal(f->config.mm.page_bytes, 65536);
  accepted(f, "mm.page", "2m");
  assert_int_equal(f->config.mm.page_bytes, 2 << 20);
  refused(f, "mm.page", "4KB", GMMU_EINVAL,
          "value \"4KB\" is not a whole number with an optional K, M or G");
  refused(f, "mm.page", "K", GMMU_EINVAL,
          "value \"K\" is not a whole number with an optional K, M or G");
}

static void bools_take_six_words(void **state) {
  fixture_t *f = *state;
  static const char *const words[] = {"true", "false", "on", "off", "yes", "no"};
  for (int i = 0; i < 6; i++) {
    accepted(f, "mm.check", words[i]);
    assert_int_equal(f->config.mm.check, i % 2 == 0);
  }
  refused(f, "mm.check", "1", GMMU_EINVAL, "value \"1\" is not true or false");
}

static void names_point_into_the_list(void **state) {
  fixture_t *f = *state;
  char value[] = "fifo";
  accepted(f, "l1tlb.replacement", value);
  assert_ptr_equal(f->config.l1tlb.replacement, sample_replacement(1));
}

static void values_outside_the_range_are_refused_with_it(void **state) {
  fixture_t *f = *state;
  refused(f, "l2tlb.entries", "0", GMMU_ERANGE, "value 0 is outside 1 .. 65536 entries");
  refused(f, "l2tlb.entries", "65537", GMMU_ERANGE, "value 65537 is outside 1 .. 65536 entries");
  refused(f, "l2tlb.ways", "65", GMMU_ERANGE, "value 65 is outside 1 .. 64");
  refused(f, "mm.page", "4M", GMMU_ERANGE, "value 4M is outside 4K .. 2M bytes");
  accepted(f, "l2tlb.entries", "1");
  accepted(f, "l2tlb.entries", "65536");
}

static void numbers_that_overflow_64_bits_are_out_of_range(void **state) {
  fixture_t *f = *state;
  refused(f, "l1tlb.latency", "18446744073709551616", GMMU_ERANGE,
          "value 18446744073709551616 is outside 0 .. 18446744073709551615 cycles");
  refused(f, "mm.page", "18014398509481988K", GMMU_ERANGE, /* wraps to 4096, which is allowed */
          "value 18014398509481988K is outside 4K .. 2M bytes");
}

static void text_that_is_no_number_is_refused(void **state) {
  fixture_t *f = *state;
  static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "1.5", "0x", "12a", "64K"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(opt_set(f->groups.group, "l2tlb.entries", bad[i], &f->e), GMMU_EINVAL);
  assert_int_equal(f->config.l2tlb.entries, 64);
}

static void an_unknown_key_gets_the_nearest(void **state) {
  fixture_t *f = *state;
  refused(f, "l2tlb.entires", "1", GMMU_ENOENT,
          "unknown option \"l2tlb.entires\"; nearest: \"l2tlb.entries\"");
  refused(f, "L2TLB.Ways", "1", GMMU_ENOENT,
          "unknown option \"L2TLB.Ways\"; nearest: \"l2tlb.ways\"");
  refused(f, "pgae", "4K", GMMU_ENOENT, "unknown option \"pgae\"; nearest: \"mm.page\"");
}

static void a_key_near_to_nothing_gets_the_choices(void **state) {
  fixture_t *f = *state;
  refused(f, "mm.coalescing_threshold", "1", GMMU_ENOENT,
          "unknown option \"mm.coalescing_threshold\"; options of this group: page, check");
  refused(f, "dram.banks", "1", GMMU_ENOENT,
          "unknown option \"dram.banks\"; groups: l1tlb, l2tlb, mm");
}

static void an_unknown_name_gets_the_list(void **state) {
  fixture_t *f = *state;
  refused(f, "l2tlb.replacement", "lru2", GMMU_ENOENT,
          "unknown name \"lru2\"; nearest: \"lru\"; one of: lru, fifo, random, srrip");
  refused(f, "l2tlb.replacement", "belady", GMMU_ENOENT,
          "unknown name \"belady\"; one of: lru, fifo, random, srrip");
}

static void long_and_hostile_values_are_quoted_safely(void **state) {
  fixture_t *f = *state;
  char value[3000], shown[ERR_SHOWN_BYTES];
  memset(value, '\x1b', sizeof value - 1);
  value[sizeof value - 1] = 0;
  assert_int_equal(opt_set(f->groups.group, "mm.page", value, &f->e), GMMU_EINVAL);
  err_format(&f->e, shown, sizeof shown);
  assert_null(strchr(shown, '\x1b'));
  assert_non_null(strstr(shown, "\\x1b\\x1b...\" is not"));
}

static void get_gives_what_set_takes(void **state) {
  fixture_t *f = *state;
  static const char *const pairs[][2] = {
      {"l1tlb.entries", "48"}, {"l2tlb.latency", "18446744073709551615"},
      {"mm.page", "64K"},      {"mm.page", "5000"},
      {"mm.page", "2M"},       {"mm.check", "true"},
      {"mm.check", "false"},   {"l2tlb.replacement", "srrip"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char buf[64];
    accepted(f, pairs[i][0], pairs[i][1]);
    assert_int_equal(opt_get(f->groups.group, pairs[i][0], buf, sizeof buf), strlen(pairs[i][1]));
    assert_string_equal(buf, pairs[i][1]);
  }
  assert_int_equal(opt_get(f->groups.group, "no.such", NULL, 0), GMMU_ENOENT);
}

static const char *preset_name(void *ctx, uint32_t i) { return ((const char *const *)ctx)[i]; }

static void nearest_finds_typing_errors_only(void **state) {
  (void)state;
  const char *names[] = {"maxwell", "mosaic", "fermi", "v100", "p100", NULL};
  assert_string_equal(opt_nearest("maxwel", preset_name, names), "maxwell");
  assert_string_equal(opt_nearest("mosiac", preset_name, names), "mosaic");
  assert_string_equal(opt_nearest("v10", preset_name, names), "v100");
  assert_null(opt_nearest("hopper", preset_name, names));
  const char *opcodes[] = {"rcp", "add", NULL};
  assert_null(opt_nearest("cp", preset_name, opcodes));
  assert_string_equal(opt_nearest("ad", preset_name, opcodes), "add");
  assert_null(opt_nearest("", preset_name, names));
}

static void describe_shows_every_option_as_text(void **state) {
  fixture_t *f = *state;
  strbuf_t out;
  strbuf_init(&out);
  opt_describe(f->groups.group + 1, TABLE_TEXT, &out);
  assert_string_equal(
      strbuf_text(&out),
      "l2tlb: second-level TLB\n"
      "key                type     default  range                      unit     help\n"
      "-----------------  -------  -------  -------------------------  -------  -------------\n"
      "l2tlb.entries      integer  64       1 .. 65536                 entries  size\n"
      "l2tlb.ways         integer  16       1 .. 64                             associativity\n"
      "l2tlb.latency      integer  10       0 .. 18446744073709551615  cycles   of a look-up\n"
      "l2tlb.replacement  name     lru      lru, fifo, random, srrip            who leaves\n"
      "\n"
      "mm: memory manager\n"
      "key       type  default  range        unit   help\n"
      "--------  ----  -------  -----------  -----  ----------------\n"
      "mm.page   size  4K       4K .. 2M     bytes  base page | size\n"
      "mm.check  bool  false    true, false         walk invariants\n");
  strbuf_fini(&out);
}

static void describe_shows_every_option_as_markdown(void **state) {
  fixture_t *f = *state;
  strbuf_t out;
  strbuf_init(&out);
  opt_describe(f->groups.group + 2, TABLE_MARKDOWN, &out);
  assert_string_equal(strbuf_text(&out),
                      "### mm: memory manager\n\n"
                      "| key | type | default | range | unit | help |\n"
                      "| --- | --- | --- | --- | --- | --- |\n"
                      "| `mm.page` | size | 4K | 4K .. 2M | bytes | base page \\| size |\n"
                      "| `mm.check` | bool | false | true, false |  | walk invariants |\n");
  strbuf_fini(&out);
}

static void json_holds_every_value(void **state) {
  fixture_t *f = *state;
  json_t j;
  json_init(&j);
  accepted(f, "l2tlb.replacement", "fifo");
  opt_json(f->groups.group + 1, &j);
  assert_string_equal(strbuf_text(&j.out),
                      "{\n  \"l2tlb.entries\": 64,\n  \"l2tlb.ways\": 16,\n"
                      "  \"l2tlb.latency\": 10,\n  \"l2tlb.replacement\": \"fifo\",\n"
                      "  \"mm.page\": 4096,\n  \"mm.check\": false\n}\n");
  json_fini(&j);
}

static void json_of_changes_has_only_what_differs(void **state) {
  fixture_t *f = *state;
  json_t j;
  json_init(&j);
  sample_mm_t other = f->config.mm;
  opt_group_t now[] = {{"mm", "", sample_mm_opts, &f->config.mm}, {0}};
  const opt_group_t before[] = {{"mm", "", sample_mm_opts, &other}, {0}};
  opt_json_changed(now, before, &j);
  assert_string_equal(strbuf_text(&j.out), "{}\n");
  json_fini(&j), json_init(&j);
  assert_int_equal(opt_set(now, "mm.check", "true", &f->e), 0);
  opt_json_changed(now, before, &j);
  assert_string_equal(strbuf_text(&j.out), "{\n  \"mm.check\": true\n}\n");
  json_fini(&j);
}

static void an_empty_prefix_leaves_the_bare_name(void **state) {
  fixture_t *f = *state;
  opt_group_t groups[] = {{"", "", sample_mm_opts, &f->config.mm}, {0}};
  char buf[16];
  assert_int_equal(opt_set(groups, "page", "8K", &f->e), 0);
  assert_int_equal(opt_get(groups, "page", buf, sizeof buf), 2);
  assert_string_equal(buf, "8K");
}

static void check_accepts_the_sample(void **state) {
  fixture_t *f = *state;
  assert_int_equal(opt_check(f->groups.group, &f->e), 0);
}

static void check_finds_tables_that_make_no_sense(void **state) {
  fixture_t *f = *state;
  static const opt_t bad[][3] = {
      {{"a", OPT_U32, 0, 1, 8, 9, "", "h", 0, 0}},
      {{"a", OPT_U32, 0, 0, UINT64_C(1) << 32, 1, "", "h", 0, 0}},
      {{"a", OPT_BOOL, 0, 0, 1, 2, "", "h", 0, 0}},
      {{"a", OPT_NAME, 0, 0, 0, 0, "", "h", sample_replacement, "none"}},
      {{"a", OPT_U32, 0, 0, 1, 0, "", "", 0, 0}},
      {{"a", OPT_U32, 0, 0, 1, 0, "", "h", 0, 0}, {"a", OPT_U32, 0, 0, 1, 0, "", "h", 0, 0}},
  };
  static const char *const want[] = {"option g.a: default outside its range",
                                     "option g.a: range exceeds 32 bits",
                                     "option g.a: default is not 0 or 1",
                                     "option g.a: default not in its list",
                                     "option g.a: no help text",
                                     "option g.a: declared twice"};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    opt_group_t groups[] = {{"g", "", bad[i], NULL}, {0}};
    assert_int_equal(opt_check(groups, &f->e), GMMU_ECHECK);
    assert_string_equal(f->e.text, want[i]);
  }
}

static void check_finds_a_key_in_two_groups(void **state) {
  fixture_t *f = *state;
  opt_group_t groups[] = {{"mm", "", sample_mm_opts, NULL}, {"mm", "", sample_mm_opts, NULL}, {0}};
  assert_int_equal(opt_check(groups, &f->e), GMMU_ECHECK);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(defaults_fill_every_field),
      T(set_reaches_only_its_own_group),
      T(numbers_may_be_hexadecimal),
      T(sizes_take_suffixes),
      T(bools_take_six_words),
      T(names_point_into_the_list),
      T(values_outside_the_range_are_refused_with_it),
      T(numbers_that_overflow_64_bits_are_out_of_range),
      T(text_that_is_no_number_is_refused),
      T(an_unknown_key_gets_the_nearest),
      T(a_key_near_to_nothing_gets_the_choices),
      T(an_unknown_name_gets_the_list),
      T(long_and_hostile_values_are_quoted_safely),
      T(get_gives_what_set_takes),
      T(nearest_finds_typing_errors_only),
      T(describe_shows_every_option_as_text),
      T(describe_shows_every_option_as_markdown),
      T(json_holds_every_value),
      T(json_of_changes_has_only_what_differs),
      T(an_empty_prefix_leaves_the_bare_name),
      T(check_accepts_the_sample),
      T(check_finds_tables_that_make_no_sense),
      T(check_finds_a_key_in_two_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
