/* The solver against devices that are formulas: exact functions, 1 % outliers and jitter. */
#include "../base/unit.h"
#include "base/opt.h"
#include "device.h"
#include "gpu/spec.h"
#include "solver/report.h"
#include <stdio.h>

static solver_report_t solve(device_t *d) {
  oracle_t o = device_oracle(d, test_seed() + 7);
  solver_report_t r;
  err_t e = {0};
  if (solver_run(&o, test_seed(), &r, &e) < 0) fail_msg("%s", e.text);
  return r;
}

static void show(const solver_report_t *r) {
  print_message("bank: %s, rank %u, %u %%; set: %s, rank %u, %u %%; %llu pairs, %llu chains, %llu "
                "loads\n",
                solver_verdict_text(r->bank.verdict), r->bank.space.rank, r->bank.confidence,
                solver_verdict_text(r->set.verdict), r->set.space.rank, r->set.confidence,
                (unsigned long long)r->pairs, (unsigned long long)r->chains,
                (unsigned long long)r->touched);
}

#define SAME(got, want)                                                                            \
  if ((got) != (want)) {                                                                           \
    show(&r);                                                                                      \
    fail_msg("GMMU_SEED=%llu, %s: %s is %llu, not %llu", (unsigned long long)test_seed(), name,    \
             #got, (unsigned long long)(got), (unsigned long long)(want));                         \
  }

static void exact(device_t *d, const char *name) {
  gf2_space_t bank, set, module;
  gf2_span(&bank, d->bank.mask, d->bank.count);
  gf2_span(&set, d->set.mask, d->set.count);
  gf2_meet(&bank, &set, &module);
  solver_report_t r = solve(d);
  SAME(r.bank.verdict, SOLVED);
  SAME(r.set.verdict, SOLVED);
  SAME(gf2_equal(&r.bank.space, &bank), 1);
  SAME(gf2_equal(&r.set.space, &set), 1);
  SAME(gf2_equal(&r.module, &module), 1);
  SAME(r.modules.value, 1ull << module.rank);
  SAME(r.banks.value, 1ull << d->bank.count);
  SAME(r.row_bytes.value, d->row_bytes);
  SAME(r.sector_bytes.value, d->sector_bytes);
  SAME(r.line_bytes.value, d->line_bytes);
  SAME(r.ways.value, d->ways);
  SAME(r.mshrs.value, d->mshrs);
  SAME(r.sets.value, 1ull << d->set.count);
  SAME(r.l2_bytes.value, (uint64_t)d->line_bytes * d->ways << d->set.count);
  SAME(r.bank.confidence >= 90 && r.set.confidence >= 90 && r.bank.samples && r.set.samples, 1);
}

static void published_functions_are_recovered(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx1080-fgpu", "v100-fgpu"};
  for (uint32_t i = 0; i < 2; i++) {
    device_t d = device_preset(gpus[i]);
    exact(&d, gpus[i]);
  }
}

static void random_functions_are_recovered(void **state) {
  (void)state;
  rng_t rng = {test_seed()};
  for (uint32_t i = 0; i < 20; i++) {
    device_t d = device_random(&rng);
    char name[32];
    snprintf(name, sizeof name, "random %u", i);
    exact(&d, name);
  }
}

static void a_memory_that_is_no_power_of_two_is_no_hindrance(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  oracle_t o = device_oracle(&d, 3);
  solver_report_t r;
  err_t e = {0};
  gf2_space_t bank;
  gf2_span(&bank, d.bank.mask, d.bank.count);
  o.bytes = 7ull << 30;
  assert_int_equal(solver_run(&o, test_seed(), &r, &e), 0);
  assert_int_equal(r.bank.verdict, SOLVED);
  assert_true(gf2_equal(&r.bank.space, &bank));
}

static void a_cache_that_takes_any_number_of_misses_has_no_known_one(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  d.mshrs = 1000;
  solver_report_t r = solve(&d);
  assert_int_equal(r.modules.value, 8);
  assert_int_equal(r.mshrs.value, 0);
}

/* A step that is there whatever the module is not the module's. */
static void a_limit_of_all_loads_is_not_taken_for_a_modules(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  d.mshrs = 1000;
  d.loads = 40;
  solver_report_t r = solve(&d);
  assert_int_equal(r.modules.value, 8);
  assert_int_equal(r.mshrs.value, 0);
}

static void three_channels_are_said_to_be_no_power_of_two(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  d.kind = THREE_CHANNELS;
  solver_report_t r = solve(&d);
  if (r.bank.verdict != NOT_POWER_OF_2 || r.set.verdict != NOT_POWER_OF_2) show(&r);
  assert_int_equal(r.bank.verdict, NOT_POWER_OF_2);
  assert_int_equal(r.bank.factor, 3);
  assert_int_equal(r.set.verdict, NOT_POWER_OF_2);
  assert_int_equal(r.set.factor, 3);
  assert_int_equal(r.banks.value, 0);
  assert_int_equal(r.modules.value, 0);
}

static void sums_with_carries_are_said_to_be_not_linear(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  d.kind = CARRIES;
  d.bank = (bitlist_t){0}; /* the row is the rest */
  solver_report_t r = solve(&d);
  if (r.bank.verdict != NOT_LINEAR) show(&r);
  assert_int_equal(r.bank.verdict, NOT_LINEAR);
  assert_int_equal(r.set.verdict, SOLVED);
  assert_int_equal(r.modules.value, 0);
}

static void times_without_banks_are_no_signal(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080");
  d.kind = FLAT;
  solver_report_t r = solve(&d);
  if (r.bank.verdict != NO_SIGNAL) show(&r);
  assert_int_equal(r.bank.verdict, NO_SIGNAL);
  assert_int_equal(r.bank.space.rank, 0);
}

/* ---- reports ---- */

static int take_key(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                    err_t *e) {
  (void)line, (void)column;
  return gpu_spec_set(ctx, key, value, e);
}

static void a_result_is_a_file_that_presets_can_load(void **state) {
  (void)state;
  device_t d = device_preset("gtx1080-fgpu");
  solver_report_t r = solve(&d);
  strbuf_t text;
  gpu_spec_t s;
  err_t e = {0};
  gf2_space_t set;
  strbuf_init(&text);
  solver_yaml(&r, &text);
  gpu_spec_init(&s);
  s.core.line_bytes = 64;
  if (yaml_read("found", strbuf_text(&text), text.size, take_key, &s, &e) < 0)
    fail_msg("%s", e.text);
  gf2_span(&set, s.map.set.mask, s.map.set.count);
  assert_true(gf2_equal(&set, &r.set.space));
  assert_int_equal(s.dram.channels, 8);
  assert_int_equal(s.dram.banks, 16);
  assert_int_equal(s.l2.bytes, 2 << 20);
  assert_int_equal(s.l2.mshrs, 16);
  assert_int_equal(s.core.line_bytes, 128);
  strbuf_fini(&text);
}

static void what_is_not_solved_is_not_in_the_file(void **state) {
  (void)state;
  solver_report_t r = {.bank = {.verdict = NOT_POWER_OF_2, .factor = 3}, .ways = {16, 99, 5}};
  strbuf_t text;
  gf2_add(&r.bank.space, 0x1400);
  strbuf_init(&text);
  solver_yaml(&r, &text);
  assert_int_equal(text.size, 0);
  solver_text(&r, &text);
  assert_non_null(strstr(text.buf, "not a power of two"));
  assert_non_null(strstr(text.buf, "about 3 times as many"));
  assert_non_null(strstr(text.buf, "not known"));
  strbuf_fini(&text);
}

/* ---- devices that answer nonsense ---- */

static int random_times(void *ctx, uint32_t count, uint32_t *cycles) {
  for (uint32_t i = 0; i < count; i++) cycles[i] = (uint32_t)rng_next(ctx);
  return 0;
}
static int random_pairs(void *ctx, const oracle_pair_t *p, uint32_t n, uint32_t *t, err_t *e) {
  (void)p, (void)e;
  return random_times(ctx, n, t);
}
static int random_chains(void *ctx, const oracle_chain_t *c, uint32_t n, uint32_t *t, err_t *e) {
  (void)c, (void)e;
  return random_times(ctx, n, t);
}
static int equal_pairs(void *ctx, const oracle_pair_t *p, uint32_t n, uint32_t *t, err_t *e) {
  (void)ctx, (void)p, (void)e;
  for (uint32_t i = 0; i < n; i++) t[i] = 500;
  return 0;
}
static int equal_chains(void *ctx, const oracle_chain_t *c, uint32_t n, uint32_t *t, err_t *e) {
  (void)ctx, (void)c, (void)e;
  for (uint32_t i = 0; i < n; i++) t[i] = 500;
  return 0;
}
static int broken_pairs(void *ctx, const oracle_pair_t *p, uint32_t n, uint32_t *t, err_t *e) {
  (void)ctx, (void)p, (void)n, (void)t;
  return err_set(e, GMMU_EIO, "the cable is out");
}

static void nonsense_is_no_result(void **state) {
  (void)state;
  rng_t rng = {test_seed()};
  oracle_t random = {1ull << 33, 32, 0, &rng, random_pairs, random_chains, NULL};
  oracle_t equal = {1ull << 33, 32, 0, NULL, equal_pairs, equal_chains, NULL};
  solver_report_t r;
  err_t e = {0};
  assert_int_equal(solver_run(&random, 1, &r, &e), 0);
  assert_true(r.bank.verdict != SOLVED && r.set.verdict != SOLVED);
  assert_int_equal(r.banks.value + r.sets.value + r.modules.value, 0);
  assert_int_equal(solver_run(&equal, 1, &r, &e), 0);
  assert_true(r.bank.verdict == NO_SIGNAL && r.set.verdict == NO_SIGNAL);
}

static void a_device_that_fails_ends_the_search(void **state) {
  (void)state;
  oracle_t broken = {1ull << 33, 32, 0, NULL, broken_pairs, equal_chains, NULL};
  solver_report_t r;
  err_t e = {0};
  assert_int_equal(solver_run(&broken, 1, &r, &e), GMMU_EIO);
  assert_string_equal(e.text, "the cable is out");
  broken.page_bytes = 5000;
  assert_int_equal(solver_run(&broken, 1, &r, &e), GMMU_ERANGE);
  broken.page_bytes = 0;
  broken.granule_bytes = 3;
  assert_int_equal(solver_run(&broken, 1, &r, &e), GMMU_ERANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_functions_are_recovered),
      cmocka_unit_test(random_functions_are_recovered),
      cmocka_unit_test(a_memory_that_is_no_power_of_two_is_no_hindrance),
      cmocka_unit_test(a_cache_that_takes_any_number_of_misses_has_no_known_one),
      cmocka_unit_test(a_limit_of_all_loads_is_not_taken_for_a_modules),
      cmocka_unit_test(three_channels_are_said_to_be_no_power_of_two),
      cmocka_unit_test(sums_with_carries_are_said_to_be_not_linear),
      cmocka_unit_test(times_without_banks_are_no_signal),
      cmocka_unit_test(a_result_is_a_file_that_presets_can_load),
      cmocka_unit_test(what_is_not_solved_is_not_in_the_file),
      cmocka_unit_test(nonsense_is_no_result),
      cmocka_unit_test(a_device_that_fails_ends_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
