/* Studies: what is read, where errors are, and the grid. */
#include "base/strbuf.h"
#include "lab/study.h"
#include "unit.h"
#include <stdio.h>

static void read_study(study_t *s, const char *text) {
  err_t e = {0};
  if (study_read(s, "t.yaml", text, strlen(text), &e) < 0) fail_msg("%u: %s", e.line, e.text);
}

/* A study with applications is refused so. */
static void refused(const char *text, const char *want) {
  study_t s;
  err_t e = {0};
  char shown[700];
  assert_true(study_read(&s, "t.yaml", text, strlen(text), &e) < 0);
  err_format(&e, shown, sizeof shown);
  if (!strstr(shown, want)) fail_msg("\"%s\" does not say \"%s\"", shown, want);
  study_fini(&s);
}

/* A point as "gpu design size seed cycles split case app+app key=value ...". */
static void tell(const study_t *s, uint32_t i, strbuf_t *out) {
  study_point_t p;
  study_point(s, i, &p);
  const study_word_t *words[] = {p.gpu, p.design, p.size, p.seed, p.split, p.case_name};
  for (uint32_t w = 0; w < 6; w++) strbuf_printf(out, "%s ", words[w] ? words[w]->text : "-");
  for (uint32_t a = 0; a < p.apps; a++) strbuf_printf(out, "%s%s", a ? "+" : "", p.app[a]->text);
  for (uint32_t k = 0; k < p.sets; k++)
    strbuf_printf(out, " %s=%s", p.set[k].key, p.set[k].value->text);
  strbuf_str(out, "\n");
}

static void assert_points(const char *text, uint32_t count, const char *want) {
  study_t s;
  strbuf_t got;
  strbuf_init(&got);
  read_study(&s, text);
  assert_int_equal(study_points(&s), count);
  for (uint32_t i = 0; i < count; i++) tell(&s, i, &got);
  assert_string_equal(strbuf_text(&got), want);
  strbuf_fini(&got);
  study_fini(&s);
}

static void lists_span_a_grid(void **state) {
  (void)state;
  assert_points("workloads: [a, b + c]\ndesigns: [x, y]\n", 4,
                "- x - - - - a\n- y - - - - a\n- x - - - - b+c\n- y - - - - b+c\n");
  assert_points("workloads: a\nset: {l2tlb.entries: [1, 2], l2tlb: {ways: 4}}\n", 2,
                "- - - - - - a l2tlb.entries=1 l2tlb.ways=4\n"
                "- - - - - - a l2tlb.entries=2 l2tlb.ways=4\n");
  assert_points("workloads: a\ngpus: g\nsizes: [t]\nseeds: [3]\nsplit: equal\n", 1,
                "g - t 3 equal - a\n");
}

static void applications_are_combined(void **state) {
  (void)state;
  assert_points("apps: [a, b, c]\n", 3, "- - - - - - a\n- - - - - - b\n- - - - - - c\n");
  assert_points("apps: [a, b, c]\ntogether: [2, 3]\n", 4,
                "- - - - - - a+b\n- - - - - - a+c\n- - - - - - b+c\n- - - - - - a+b+c\n");
}

static void the_options_of_a_case_go_together(void **state) {
  (void)state;
  assert_points("workloads: a\ncases:\n  small: {p.x: 1, p.y: 2}\n  big: {p.x: 3}\nset: {q.z: 9}\n",
                2, "- - - - - small a p.x=1 p.y=2 q.z=9\n- - - - - big a p.x=3 q.z=9\n");
}

static void a_plus_joins_but_not_in_a_path(void **state) {
  (void)state;
  assert_points("workloads: [a+b, ./c+d.gmt, ./c+d.gmt + e]\n", 3,
                "- - - - - - a+b\n- - - - - - ./c+d.gmt\n- - - - - - ./c+d.gmt+e\n");
  study_t s;
  study_point_t p;
  read_study(&s, "workloads: [./c+d.gmt + e]\n");
  study_point(&s, 0, &p);
  assert_int_equal(p.apps, 2);
  study_fini(&s);
}

static void limits_and_flags_are_numbers(void **state) {
  (void)state;
  study_t s;
  study_point_t p;
  read_study(&s, "workloads: a\ncycles: 100\nmin_cycles: 7\ninstructions: [8]\nspeedup: yes\n");
  study_point(&s, 0, &p);
  assert_true(p.cycles == 100 && p.min_cycles == 7 && p.instructions == 8);
  assert_true(study_flag(&s, STUDY_speedup, false));
  assert_true(study_flag(&s, STUDY_relaunch, true));
  assert_string_equal(study_text(&s, STUDY_name, "else"), "else");
  study_fini(&s);
}

static void errors_have_a_place_and_the_nearest_key(void **state) {
  (void)state;
  refused("workloads: a\ndesign: x\n", "t.yaml:2:1: design: unknown key; nearest: \"designs\"");
  refused("workloads: a\nsett: {a: 1}\n", "t.yaml:2:8: sett.a: unknown key");
  refused("workloads: a\nfoo: 1\n", "t.yaml:2:1: foo: unknown key; `gmmu help sweep` names them");
  refused("workloads: a\nseeds:\n  - 1\n  - x\n", "t.yaml:4:5: seeds:");
  refused("workloads: a\nspeedup: maybe\n", "t.yaml:2:1: speedup:");
  refused("workloads: a\nspeedup: [yes, no]\n", "t.yaml:2:16: speedup: takes one value, no list");
  refused("workloads: a\nset: 3\n", "t.yaml:2:1: set: holds \"option: value\"");
  refused("workloads: a\ncases: {small: 3}\n", "cases.small: a case holds options");
  refused("workloads: a\nset: {p.x: 1}\ncases: {s: {p.x: 2}}\n",
          "t.yaml:3:13: p.x: given under `set`");
  refused("designs: x\n", "t.yaml: no applications");
  refused("workloads: [a, b + + c]\n", "t.yaml:1:16: an application without a name in \"b + + c\"");
  refused("apps: [a, b]\ntogether: 3\n", "t.yaml:2:1: together: 3 together of 2 applications");
  refused("workloads: a\ntogether: 2\n", "t.yaml:2:1: `together` combines `apps`: there are none");
  refused("workloads: \"a\\tb\"\n", "control characters");
}

static void a_grid_that_is_too_large_is_refused(void **state) {
  (void)state;
  strbuf_t text;
  strbuf_init(&text);
  strbuf_str(&text, "apps: [");
  for (int i = 0; i < 300; i++) strbuf_printf(&text, "a%d, ", i);
  strbuf_str(&text, "z]\ntogether: 2\n");
  refused(strbuf_text(&text), "more than 20000 workloads");
  strbuf_clear(&text);
  strbuf_str(&text, "workloads: a\nset:\n");
  for (int i = 0; i < 15; i++) strbuf_printf(&text, "  p.x%d: [1, 2]\n", i);
  refused(strbuf_text(&text), "more than 20000 runs; divide the study");
  strbuf_clear(&text);
  strbuf_str(&text, "workloads: a\nset:\n");
  for (int i = 0; i < 17; i++) strbuf_printf(&text, "  p.x%d: 1\n", i);
  refused(strbuf_text(&text), "17 settings for one run; at most 16");
  strbuf_clear(&text);
  strbuf_str(&text, "workloads: \"a");
  for (int i = 0; i < 17; i++) strbuf_str(&text, " + a");
  strbuf_str(&text, "\"\n");
  refused(strbuf_text(&text), "more than 16 applications together");
  strbuf_fini(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_span_a_grid),
      cmocka_unit_test(applications_are_combined),
      cmocka_unit_test(the_options_of_a_case_go_together),
      cmocka_unit_test(a_plus_joins_but_not_in_a_path),
      cmocka_unit_test(limits_and_flags_are_numbers),
      cmocka_unit_test(errors_have_a_place_and_the_nearest_key),
      cmocka_unit_test(a_grid_that_is_too_large_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
