/* Devices: what a chase is, on the simulated one. */
#include "help.h"

#include <sys/resource.h>

static int64_t time_of(device_t *d, uint32_t sm, uint64_t *at, uint32_t n) {
  int64_t t[64];
  chase_t c = {.sm = sm, .at = at, .count = n, .warm = 2, .timed = 1, .time = t};
  err_t e = {0};
  assert_int_equal(device_run(d, &c, 1, &e), 0);
  return t[n - 1];
}

static void pages_beyond_the_first_tlb_cost_more(void **state) {
  (void)state;
  gpu_spec_t s = preset("k80");
  device_t *d = sim(&s, NULL);
  uint64_t at[17];
  for (uint64_t i = 0; i < 17; i++) at[i] = i << 17 | i << 7;
  int64_t few = time_of(d, 0, at, 16), many = time_of(d, 12, at, 17);
  assert_int_equal(few, 241); /* as the raw data of the paper has it */
  assert_int_equal(many - few, 9);
  device_free(d);
}

static void the_same_chase_takes_the_same_time(void **state) {
  (void)state;
  gpu_spec_t s = preset("p100");
  device_t *d = sim(&s, NULL);
  uint64_t at[40];
  for (uint64_t i = 0; i < 40; i++) at[i] = i * 7 % 40 << 25;
  assert_int_equal(time_of(d, 3, at, 40), time_of(d, 3, at, 40));
  device_free(d);
}

static void noise_follows_its_seed(void **state) {
  (void)state;
  gpu_spec_t s = preset("k80");
  device_noise_t noise = {
      .jitter_cycles = 20, .outlier_ppm = 100000, .outlier_cycles = 500, .seed = 7};
  uint64_t at[32];
  int64_t t[2][64 * 32];
  for (uint64_t i = 0; i < 32; i++) at[i] = i << 7;
  for (uint32_t k = 0; k < 2; k++) {
    device_t *d = sim(&s, &noise);
    chase_t c = {.at = at, .count = 32, .warm = 2, .timed = 64, .time = t[k]};
    err_t e = {0};
    assert_int_equal(device_run(d, &c, 1, &e), 0);
    device_free(d);
  }
  assert_memory_equal(t[0], t[1], sizeof t[0]);
  uint32_t late = 0, early = 0;
  for (uint32_t i = 0; i < 64 * 32; i++) late += t[0][i] > 241 + 20, early += t[0][i] < 241;
  assert_in_range(late, 64 * 32 / 20, 64 * 32 / 5);
  assert_in_range(early, 64 * 32 / 4, 64 * 32 * 3 / 4);
}

static void stages_come_one_after_the_other(void **state) {
  (void)state;
  gpu_spec_t s = preset("k80");
  device_t *d = sim(&s, NULL);
  uint64_t own[12], other[12];
  int64_t t[12];
  for (uint64_t i = 0; i < 12; i++) own[i] = i << 17, other[i] = (i + 64) << 17;
  for (uint32_t sm = 0; sm < 2; sm++) { /* SM 0 evicts its own entries, SM 1 does not */
    chase_t c[] = {{.sm = 0, .stage = 0, .at = own, .count = 12, .warm = 2},
                   {.sm = sm, .stage = 1, .at = other, .count = 12, .warm = 2},
                   {.sm = 0, .stage = 2, .at = own, .count = 12, .timed = 1, .time = t}};
    err_t e = {0};
    assert_int_equal(device_run(d, c, 3, &e), 0);
    assert_int_equal(t[5], sm == 0 ? 250 : 241);
  }
  device_free(d);
}

static void a_range_of_tens_of_gigabytes_costs_what_is_touched(void **state) {
  (void)state;
  gpu_spec_t s = preset("p100");
  set(&s, "mem.bytes", "64G");
  device_t *d = sim(&s, NULL);
  assert_true(d->info.bytes >= 50ull << 30);
  uint64_t at[1600];
  int64_t t[1600];
  for (uint64_t i = 0; i < 1600; i++) at[i] = i << 25 | i << 7;
  chase_t c = {.at = at, .count = 1600, .warm = 1, .timed = 1, .time = t};
  err_t e = {0};
  assert_int_equal(device_run(d, &c, 1, &e), 0);
  device_free(d);
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  assert_true(use.ru_maxrss < 1 << 20); /* KB: below 1 GB */
}

static void wrong_chases_are_refused(void **state) {
  (void)state;
  gpu_spec_t s = preset("k80");
  device_t *d = sim(&s, NULL);
  uint64_t odd = 4, far = d->info.bytes;
  chase_t bad[] = {{.at = &odd, .count = 1, .warm = 1},
                   {.at = &far, .count = 1, .warm = 1},
                   {.at = &odd, .count = 0},
                   {.sm = 13, .at = &odd, .count = 1, .warm = 1}};
  for (uint32_t i = 0; i < 4; i++) {
    err_t e = {0};
    assert_true(device_run(d, &bad[i], 1, &e) < 0);
    assert_true(e.text[0] != 0);
  }
  device_free(d);
}

static void devices_are_opened_by_name(void **state) {
  (void)state;
  static const char *const bad[] = {"",    "sim",    "sim:",   "sim:none",
                                    "gpu", "cpu:3K", "cuda:x", "cuda:"};
  device_options_t o = {0};
  device_t *d;
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    err_t e = {0};
    assert_true(device_open(bad[i], &o, &d, &e) < 0);
    assert_null(d);
    assert_true(e.text[0] != 0);
  }
  const char *setting[] = {"gpu.sms=5"};
  o.setting = setting, o.settings = 1;
  err_t e = {0};
  assert_int_equal(device_open("sim:k80", &o, &d, &e), 0);
  assert_int_equal(d->info.sms, 5);
  device_free(d);
  assert_true(device_open("cpu", &o, &d, &e) < 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_beyond_the_first_tlb_cost_more),
      cmocka_unit_test(the_same_chase_takes_the_same_time),
      cmocka_unit_test(noise_follows_its_seed),
      cmocka_unit_test(stages_come_one_after_the_other),
      cmocka_unit_test(a_range_of_tens_of_gigabytes_costs_what_is_touched),
      cmocka_unit_test(wrong_chases_are_refused),
      cmocka_unit_test(devices_are_opened_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
