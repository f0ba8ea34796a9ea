/* MIG: who is in another instance moves nobody but through what is declared shared. */
#include "../machine/unit.h"
#include "probe/neighbours.h"
#include "share/mig.h"

static void set(gpu_spec_t *s, const char *key, const char *value) {
  err_t e = {0};
  if (gpu_spec_set(s, key, value, &e) < 0) fail_msg("%s=%s: %s", key, value, e.text);
}

/* An A100 with two SMs in a GPC and two channels in a slice of memory. */
static gpu_spec_t small_chip(void) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  assert_int_equal(gpu_spec_load(&s, "gpu", "a100", &e), 0);
  assert_int_equal(gpu_spec_load(&s, "design", "mig", &e), 0);
  set(&s, "gpu.sms", "14");
  set(&s, "gpu.gpcs", "2;2;2;2;2;2;2");
  set(&s, "dram.channels", "16");
  set(&s, "l2.bytes", "1M");
  set(&s, "mem.bytes", "8G");
  set(&s, "run.check", "true");
  return s;
}

/* Tests that ask for the same as the one before get the same. */
static const neighbours_t *measured(const char *tlb, const char *walkers) {
  static neighbours_t x;
  static char last[16];
  char wanted[16];
  err_t e = {0};
  snprintf(wanted, sizeof wanted, "%s %s", tlb, walkers);
  if (strcmp(last, wanted) == 0) return &x;
  memcpy(last, wanted, sizeof last);
  x = (neighbours_t){.design = "mig", .spec = small_chip()};
  set(&x.spec, "share.mig_tlb", tlb);
  set(&x.spec, "share.mig_walkers", walkers);
  if (neighbours_measure(&x, NULL, NULL, NULL, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(x.reason, "");
  return &x;
}

static uint64_t slowdown_percent(const neighbours_t *x, uint32_t a, uint32_t b) {
  assert_true(x->run.alone[a].cycles > 0);
  return 100 * x->run.beside[a][b].cycles / x->run.alone[a].cycles;
}

static void instances_that_share_nothing_move_nobody(void **state) {
  (void)state;
  const neighbours_t *x = measured("false", "false");
  for (uint32_t a = 0; a < NEIGHBOURS; a++)
    for (uint32_t b = 0; b < NEIGHBOURS; b++)
      assert_memory_equal(&x->run.beside[a][b], &x->run.alone[a], sizeof x->run.alone[a]);
}

/* Nine tenths of what it waits for more are translation. */
static void what_is_shared_moves_those_who_use_it(void **state) {
  (void)state;
  const neighbours_t *x = measured("true", "true");
  const neighbour_t t = NEIGHBOUR_TRANSLATION;
  static const stall_t declared[] = {STALL_TLB1, STALL_TLB2, STALL_WALK_QUEUE, STALL_WALK_L2,
                                     STALL_WALK_DRAM};
  uint64_t through = 0;
  for (uint32_t i = 0; i < sizeof declared / sizeof *declared; i++)
    through += neighbours_more(x, t, t, declared[i]);
  assert_true(slowdown_percent(x, t, t) > 105);
  assert_true(10 * through > 9 * neighbours_more_in_all(x, t, t));
}

/* Without what is declared shared nobody moves, and what the parts of it do adds up from there. */
static void the_table_tells_the_parts_of_what_is_shared(void **state) {
  (void)state;
  static const char *const shared[] = {"walkers", "last TLB level", "nothing"};
  const neighbours_t *x = measured("true", "true");
  const neighbour_t t = NEIGHBOUR_TRANSLATION;
  assert_int_equal(x->lesses, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const neighbour_runs_t *r = &x->less[i];
    assert_string_equal(r->shared, shared[i]);
    assert_memory_equal(r->alone, x->run.alone, sizeof r->alone);
  }
  const neighbour_runs_t *least = &x->less[2];
  for (uint32_t a = 0; a < NEIGHBOURS; a++)
    for (uint32_t b = 0; b < NEIGHBOURS; b++)
      assert_memory_equal(&least->beside[a][b], &least->alone[a], sizeof least->alone[a]);
  assert_true(x->less[0].beside[t][t].cycles > least->beside[t][t].cycles);
}

static void the_text_has_a_column_for_each_part(void **state) {
  (void)state;
  strbuf_t out;
  strbuf_init(&out);
  neighbours_text(measured("false", "true"), 1, &out);
  assert_non_null(strstr(strbuf_text(&out), "mig: slowdown by what the instances share"));
  assert_non_null(strstr(strbuf_text(&out), "beside       walkers  nothing"));
  strbuf_clear(&out);
  neighbours_text(measured("false", "false"), 1, &out);
  assert_null(strstr(strbuf_text(&out), "what the instances share"));
  strbuf_fini(&out);
}

static void the_output_names_what_is_shared(void **state) {
  (void)state;
  gpu_spec_t s = small_chip();
  strbuf_t out;
  strbuf_init(&out);
  neighbours_shared(&s, &out);
  assert_string_equal(strbuf_text(&out), "last TLB level, walkers");
  strbuf_clear(&out);
  set(&s, "share.mig_tlb", "false");
  set(&s, "share.mig_walkers", "false");
  neighbours_shared(&s, &out);
  assert_string_equal(strbuf_text(&out), "nothing");
  strbuf_clear(&out);
  set(&s, "mem.paging", "demand");
  neighbours_shared(&s, &out);
  assert_string_equal(strbuf_text(&out), "link to the host");
  strbuf_fini(&out);
}

/* ---- divisions ---- */

static int divide(const char *list, uint32_t apps, mig_instance_t *out, err_t *e) {
  gpu_spec_t s = small_chip();
  if (*list) set(&s, "share.mig", list);
  return mig_divide(&s, apps, out, e);
}

static void instances_are_apart(void **state) {
  (void)state;
  static const char *const lists[] = {
      "7",       "4;3",     "4;2;1",   "4;1;1;1", "3;3",       "3;2;2",     "2;3;2",
      "3;2;1;1", "2;2;2;1", "1;2;2;2", "1;1;1;4", "3;1;1;1;1", "1;1;1;1;3", "1;1;1;1;1;1;1"};
  for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    mig_instance_t x[GMMU_MAX_APPS];
    uint32_t apps = 1, slices = 0;
    uint64_t sms = 0;
    err_t e = {0};
    for (const char *p = lists[i]; *p; p++) apps += *p == ';';
    if (divide(lists[i], apps, x, &e) < 0) fail_msg("%s: %s", lists[i], e.text);
    for (uint32_t a = 0; a < apps; a++) {
      uint64_t own_sms = ((1ull << x[a].sms) - 1) << x[a].first_sm;
      uint32_t own = ((1u << x[a].slices) - 1) << x[a].first_slice;
      assert_int_equal(x[a].profile, lists[i][2 * a] - '0');
      assert_int_equal(x[a].sms, 2 * x[a].profile);
      assert_int_equal((sms & own_sms) | (slices & own), 0);
      assert_true(own <= 0xff && own_sms < 1u << 14);
      sms |= own_sms, slices |= own;
    }
  }
}

static void without_a_list_they_are_equal(void **state) {
  (void)state;
  static const uint32_t profile[] = {0, 7, 3, 2, 1, 1, 1, 1};
  for (uint32_t apps = 1; apps <= 7; apps++) {
    mig_instance_t x[GMMU_MAX_APPS];
    err_t e = {0};
    assert_int_equal(divide("", apps, x, &e), 0);
    for (uint32_t a = 0; a < apps; a++) assert_int_equal(x[a].profile, profile[apps]);
  }
}

static void what_does_not_fit_is_refused_with_what_does(void **state) {
  (void)state;
  static const struct {
    const char *list;
    uint32_t apps;
  } bad[] = {{"4;4", 2}, {"7;1", 2}, {"5", 1}, {"3;3;1", 3}, {"2;2;2;2", 4}, {"3;2", 3}, {"", 8}};
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mig_instance_t x[GMMU_MAX_APPS];
    err_t e = {0};
    assert_int_equal(divide(bad[i].list, bad[i].apps, x, &e), GMMU_ERANGE);
    assert_non_null(strstr(e.text, "3g,2g,2g;"));
    assert_non_null(strstr(e.text, "4g,3g;"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instances_that_share_nothing_move_nobody),
      cmocka_unit_test(what_is_shared_moves_those_who_use_it),
      cmocka_unit_test(the_table_tells_the_parts_of_what_is_shared),
      cmocka_unit_test(the_text_has_a_column_for_each_part),
      cmocka_unit_test(the_output_names_what_is_shared),
      cmocka_unit_test(instances_are_apart),
      cmocka_unit_test(without_a_list_they_are_equal),
      cmocka_unit_test(what_does_not_fit_is_refused_with_what_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
