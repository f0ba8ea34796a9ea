/* The operators on host memory against the plain reference. */
#include "../base/unit.h"
#include "db/host.h"
#include <stdio.h>

static void hash_is_murmur3(void **state) {
  uint32_t word;
  (void)state;
  memcpy(&word, "test", 4); /* published values of Murmur3, 32 bits, seed 0 */
  assert_int_equal(db_hash(word), 0xba6bd213u);
  assert_int_equal(db_hash(0), 0x2362f9deu);
}

static db_spec_t parsed(const char *text) {
  db_spec_t s;
  err_t e = {0};
  if (db_parse(text, &s, &e) < 0) fail_msg("%s: %s", text, e.text);
  return s;
}

static db_result_t ran(const char *text) {
  db_spec_t s = parsed(text);
  db_result_t r;
  err_t e = {0};
  if (db_host_run(&s, &r, &e) < 0) fail_msg("%s: %s", text, e.text);
  return r;
}

static void every_form_of_grouping_gives_the_reference(void **state) {
  (void)state;
  static const char *const texts[] = {
      "db-groupby:size=1M,accesses=100000",
      "db-groupby:size=1M,accesses=100000,scope=128K",
      "db-groupby:size=1M,accesses=100000,scope=128K,form=naive",
      "db-groupby:size=1M,accesses=100000,scope=300K,chunk=4K", /* the last scope is shorter */
      "db-groupby:size=1M,accesses=100000,scope=128K,threads=4",
      "db-groupby:size=1M,accesses=100000,scope=128K,form=naive,threads=3,chunk=64K",
      "db-groupby:size=1M,accesses=100000,threads=4"};
  uint64_t groups = ran(texts[0]).groups;
  for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_int_equal(ran(texts[i]).groups, groups);
}

static void scopes_do_not_change_a_sample(void **state) {
  (void)state;
  uint64_t sum = ran("db-sample:size=1M,accesses=10000").sum;
  db_result_t r = ran("db-sample:size=1M,accesses=10000,scope=64K");
  assert_int_equal(r.sum, sum);
  assert_int_equal(r.passes, 16);
  assert_int_equal(ran("db-sample:size=1M,accesses=10000,scope=960K").passes, 2);
  assert_int_not_equal(ran("db-sample:size=1M,accesses=10000,seed=2").sum, sum);
  ran("db-sample:size=1M,accesses=10000,scope=64K,threads=4");
}

static void random_operators_give_the_reference(void **state) {
  rng_t rng = {test_seed()};
  (void)state;
  for (uint32_t i = 0; i < 60; i++) {
    char text[160];
    uint32_t pages = 1 + rng_below(&rng, 64);
    snprintf(text, sizeof text, "db-groupby:size=%u,scope=%u,accesses=%u,chunk=%u,form=%s,seed=%u",
             4096 * pages, 4096 * rng_below(&rng, pages + 2), 1 + rng_below(&rng, 20000),
             128 * (1 + rng_below(&rng, 500)), rng_below(&rng, 2) ? "copy" : "naive", i);
    db_spec_t s = parsed(text);
    db_result_t r;
    err_t e = {0};
    if (db_host_run(&s, &r, &e) < 0)
      fail_msg("GMMU_SEED=%llu: %s: %s", (unsigned long long)test_seed(), text, e.text);
  }
}

/* The checks can fail: a bucket too much, a count that is off, a group that is missing. */
static void a_wrong_result_is_found(void **state) {
  db_spec_t s = parsed("db-groupby:size=64K,accesses=1000");
  (void)state;
  for (uint32_t flaw = 0; flaw < 4; flaw++) {
    db_groups_t want, result;
    err_t e = {0};
    assert_int_equal(db_reference(&s, &want, &e), 0);
    assert_int_equal(db_reference(&s, &result, &e), 0);
    db_compare_t c = {.want = &want};
    for (uint64_t i = flaw == 1; i < result.groups; i++) {
      db_bucket_t b = {result.value[i] + 1, result.count[i] + (flaw == 2 && i == 5)};
      db_compare_bucket(&c, &b);
      if (flaw == 3 && i == 5) db_compare_bucket(&c, &b);
    }
    assert_int_equal(db_compare_end(&c, &e), flaw ? GMMU_ECHECK : GMMU_OK);
    db_groups_fini(&want), db_groups_fini(&result);
  }
}

static void wrong_texts_are_refused(void **state) {
  static const char *const texts[] = {"db-groupby:size=1",          "db-groupby:size=4097",
                                      "db-groupby:scope",           "db-groupby:sise=1M",
                                      "db-sample:form=copy",        "db-sample:size=17G",
                                      "db-sample:accesses=0",       "db-groupby:form=fast",
                                      "db-sample:size=4096,",       "db-join",
                                      "db-sample:scope=4K,size=16G"};
  (void)state;
  for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    db_spec_t s;
    err_t e = {0};
    assert_true(db_parse(texts[i], &s, &e) < 0);
    assert_true(e.text[0]);
  }
}

static void tables_of_options_make_sense(void **state) {
  (void)state;
  for (uint32_t i = 0; i < DB_OPS; i++) {
    db_spec_t s;
    err_t e = {0};
    db_defaults(&s, (db_op_t)i);
    const opt_group_t groups[] = {{db_op_name[i], "an operator", db_op_options[i], &s}, {0}};
    if (opt_check(groups, &e) < 0) fail_msg("%s", e.text);
    assert_int_equal(db_check(&s, &e), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hash_is_murmur3),
                                     cmocka_unit_test(every_form_of_grouping_gives_the_reference),
                                     cmocka_unit_test(scopes_do_not_change_a_sample),
                                     cmocka_unit_test(random_operators_give_the_reference),
                                     cmocka_unit_test(a_wrong_result_is_found),
                                     cmocka_unit_test(wrong_texts_are_refused),
                                     cmocka_unit_test(tables_of_options_make_sense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
