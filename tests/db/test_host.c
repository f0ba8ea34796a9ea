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
      "db-groupby:size=1M,accesses=100000,threads=4",
      "db-groupby:size=1M,accesses=100000,filled=true",
      "db-groupby:size=1M,accesses=100000,filled=true,scope=128K,threads=4"};
  uint64_t groups = ran(texts[0]).groups;
  for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_int_equal(ran(texts[i]).groups, groups);
}

static void a_hash_leads_back_to_its_value(void **state) {
  rng_t rng = {test_seed()};
  (void)state;
  for (uint32_t i = 0; i < 1000; i++) {
    uint32_t value = (uint32_t)rng_next(&rng);
    assert_int_equal(db_unhash(db_hash(value)), value);
  }
}

/* Where the search for the value ends. */
static const db_bucket_t *searched(const db_bucket_t *t, uint64_t slots, uint32_t value) {
  uint64_t at = db_slot(value, slots);
  while (t[at].key && t[at].key != value + 1) at = at + 1 == slots ? 0 : at + 1;
  return &t[at];
}

static void a_filled_table_has_every_group_where_probing_finds_it(void **state) {
  static const char *const sizes[] = {"4K", "12K", "1M"};
  (void)state;
  for (uint32_t i = 0; i < 3; i++) {
    char text[64];
    snprintf(text, sizeof text, "db-groupby:size=%s,filled=true", sizes[i]);
    db_spec_t s = parsed(text);
    uint64_t slots = db_slots(&s), taken = 0;
    db_bucket_t *t = malloc(slots * sizeof *t);
    assert_non_null(t);
    db_filled_table(&s, t);
    for (uint64_t k = 0; k < slots; k++) taken += t[k].key != 0;
    assert_int_equal(taken, slots / 2);
    for (uint32_t value = 0; value < slots / 2; value++)
      assert_int_equal(searched(t, slots, value)->key, value + 1);
    free(t);
  }
}

/* A stretch of a table of 4 GB, made in pieces of any size: the same, half full, and each of its
 * groups where probing finds it. The last stretch goes round the end. */
static void pieces_of_a_large_table_fit_together(void **state) {
  enum { STRETCH = 4096 };
  db_spec_t s = parsed("db-groupby:size=4G,filled=true");
  uint64_t slots = db_slots(&s), first[] = {0, 1234567, slots - STRETCH};
  db_bucket_t *t = malloc(STRETCH * sizeof *t), piece[8];
  (void)state;
  assert_non_null(t);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t taken = 0;
    db_filled_piece(&s, first[i], STRETCH, t);
    for (uint32_t k = 0; k < STRETCH; k += 8) {
      db_filled_piece(&s, first[i] + k, 8, piece);
      assert_memory_equal(piece, t + k, sizeof piece);
    }
    for (uint32_t k = 0; k < STRETCH; k++) {
      if (!t[k].key) continue;
      uint64_t home = db_slot(t[k].key - 1, slots);
      taken++;
      assert_true(t[k].key - 1 < slots / 2);
      if (home < first[i] || home > first[i] + k) continue; /* from before the stretch */
      for (uint64_t at = home; at < first[i] + k; at++) assert_true(t[at - first[i]].key != 0);
    }
    assert_in_range(taken, STRETCH * 45 / 100, STRETCH * 55 / 100);
  }
  free(t);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_is_murmur3),
      cmocka_unit_test(a_hash_leads_back_to_its_value),
      cmocka_unit_test(pieces_of_a_large_table_fit_together),
      cmocka_unit_test(a_filled_table_has_every_group_where_probing_finds_it),
      cmocka_unit_test(every_form_of_grouping_gives_the_reference),
      cmocka_unit_test(scopes_do_not_change_a_sample),
      cmocka_unit_test(random_operators_give_the_reference),
      cmocka_unit_test(a_wrong_result_is_found),
      cmocka_unit_test(wrong_texts_are_refused),
      cmocka_unit_test(tables_of_options_make_sense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
