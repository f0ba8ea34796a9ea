/* Page-walk caches: one array for all levels, or one for each. */
#include "help.h"

/* Loads of `pages` pages 2 MB apart, one after the other, `turns` times over: each page has an
 * entry of its own in level 3, all share those of levels 1 and 2; the TLBs hold none of them. */
static walk_stats_t walks(gpu_spec_t s, uint32_t pages, uint32_t turns, uint64_t *cycles) {
  script_op_t op[16];
  for (uint32_t i = 0; i < pages; i++) op[i] = (script_op_t)LOAD1(1, 1, VA + i * 2 * MB);
  const program_t p = {op, pages, turns};
  set(&s, "tlb.levels", "1");
  set(&s, "l1tlb.entries", "1");
  set(&s, "l1tlb.ways", "1");
  set(&s, "walk.pwc", "true");
  script_t *x = script_of(&p, 1, 1, 2 * MB * pages);
  gpu_t *g = run_script(&s, x);
  walk_stats_t st = g->walker.stats[0];
  if (cycles) *cycles = gpu_cycles(g);
  gpu_free(g);
  script_free(x);
  return st;
}

static void levels(gpu_spec_t *s, uint64_t one, uint64_t two, uint64_t three) {
  setn(s, "walk.pwc_level1", one);
  setn(s, "walk.pwc_level2", two);
  setn(s, "walk.pwc_level3", three);
}

static void arrays_that_are_large_are_as_one(void **state) {
  (void)state;
  gpu_spec_t one = lab_spec(), split = lab_spec();
  uint64_t cycles[2];
  levels(&split, 4, 4, 64);
  walk_stats_t a = walks(one, 8, 5, &cycles[0]), b = walks(split, 8, 5, &cycles[1]);
  assert_int_equal(a.walks, 40);
  assert_int_equal(cycles[0], cycles[1]);
  assert_int_equal(a.level_pwc[2], 32); /* all but the first turn */
  for (uint32_t l = 0; l < MM_MAX_LEVELS; l++) assert_int_equal(a.level_pwc[l], b.level_pwc[l]);
}

/* One array of four entries loses the root to eight entries of level 3; arrays of their own do not.
 */
static void a_level_does_not_displace_another(void **state) {
  (void)state;
  gpu_spec_t one = lab_spec(), split = lab_spec();
  set(&one, "walk.pwc_bytes", "64"), set(&one, "walk.pwc_ways", "8");
  levels(&split, 1, 1, 4);
  walk_stats_t a = walks(one, 12, 4, NULL), b = walks(split, 12, 4, NULL);
  assert_int_equal(a.level_pwc[2], 0); /* LRU, and too many */
  assert_int_equal(b.level_pwc[2], 0);
  assert_int_equal(b.level_pwc[0], b.walks - 1);
  assert_int_equal(b.level_pwc[1], b.walks - 1);
}

/* A level without an array is read from memory, and not looked for. */
static void a_level_may_have_none(void **state) {
  (void)state;
  gpu_spec_t s = lab_spec(), slow = lab_spec();
  uint64_t cycles[2];
  levels(&s, 0, 0, 64), levels(&slow, 0, 0, 64);
  setn(&slow, "walk.pwc_latency", s.walk.pwc_latency_cycles + 7);
  walk_stats_t a = walks(s, 8, 5, &cycles[0]);
  walks(slow, 8, 5, &cycles[1]);
  assert_int_equal(a.level_pwc[0] + a.level_pwc[1], 0);
  assert_int_equal(a.level_reads[0], 40);
  assert_int_equal(a.level_pwc[2], 32);
  assert_in_range(cycles[1] - cycles[0], 7 * 40 - 2, 7 * 40 + 8); /* one look-up for each walk */
}

static void leaves_have_an_array_if_asked_for(void **state) {
  (void)state;
  gpu_spec_t s = lab_spec();
  set(&s, "walk.pwc_level4", "16");
  assert_int_equal(walks(s, 8, 5, NULL).pwc_hits, 0);
  set(&s, "walk.pwc_leaf", "true");
  walk_stats_t st = walks(s, 8, 5, NULL);
  assert_int_equal(st.level_pwc[3], 32);
  assert_int_equal(st.pwc_hits, 32);
}

static void sets_are_a_power_of_two(void **state) {
  (void)state;
  gpu_spec_t s = lab_spec();
  const script_op_t ops[] = {ALU(1, R_NO)};
  const program_t p = PROGRAM(ops);
  script_t *x = script_of(&p, 1, 1, MB);
  app_spec_t app = {.name = "app", .source = script_source(x)};
  gpu_t *g = NULL;
  err_t e = {0};
  set(&s, "walk.pwc", "true"), set(&s, "walk.pwc_ways", "4"), set(&s, "walk.pwc_level2", "12");
  assert_int_equal(gpu_new(&s, &app, 1, &g, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "for a level has no power of two of sets"));
  script_free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_that_are_large_are_as_one),
      cmocka_unit_test(a_level_does_not_displace_another),
      cmocka_unit_test(a_level_may_have_none),
      cmocka_unit_test(leaves_have_an_array_if_asked_for),
      cmocka_unit_test(sets_are_a_power_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
