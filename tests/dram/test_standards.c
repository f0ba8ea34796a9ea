/* The DRAM standards as a GPU uses them: named, at another clock, with values of its own. */
#include "base/rng.h"
#include "gpu/spec.h"
#include "help.h"
#include <string.h>

static void set(gpu_spec_t *s, const char *key, const char *value) {
  err_t e;
  if (gpu_spec_set(s, key, value, &e)) fail_msg("%s=%s refused", key, value);
}

static gpu_spec_t named(const char *standard) {
  gpu_spec_t s;
  gpu_spec_init(&s);
  set(&s, "dram.standard", standard);
  return s;
}

static void a_burst_is_32_or_64_bytes_in_two_cycles(void **state) {
  (void)state;
  for (uint32_t i = 1; dram_standard_name(i); i++) {
    dram_spec_t s = named(dram_standard_name(i)).dram;
    err_t e;
    assert_int_equal(dram_spec_check(&s, &e), 0);
    uint32_t bytes = s.bus_bytes * s.burst_length;
    assert_int_equal(bytes, strcmp(s.standard, "gddr5x") ? 32 : 64);
    assert_int_equal(s.burst_length / s.data_rate, 2);
    assert_true(s.trefi && s.trfc && s.groups == 4 && s.tccd_l > s.tccd);
  }
}

static void another_clock_keeps_the_nanoseconds_and_not_the_cycles_of_a_burst(void **state) {
  (void)state;
  gpu_spec_t s = named("hbm2");
  assert_int_equal(s.dram.trcd, 14);
  set(&s, "dram.clock_mhz", "877");
  assert_int_equal(s.dram.trcd, 13); /* 12.3 */
  assert_int_equal(s.dram.tccd_l, 4);
  assert_int_equal(s.dram.trefi, 3421); /* 3420.3 */
  set(&s, "dram.clock_mhz", "1000");
  assert_int_equal(s.dram.trcd, 14);
}

static void what_is_set_after_the_standard_stays(void **state) {
  (void)state;
  gpu_spec_t s = named("gddr6");
  set(&s, "dram.trcd", "99"), set(&s, "dram.clock_mhz", "875");
  assert_int_equal(s.dram.trcd, 99);
  assert_int_equal(s.dram.trp, 14); /* 27 / 2, rounded up */
  set(&s, "dram.standard", "gddr6");
  assert_int_equal(s.dram.trcd, 27);
  assert_int_equal(s.dram.clock_mhz, 1750);
  set(&s, "dram.standard", "none"); /* all stays */
  set(&s, "dram.clock_mhz", "875");
  assert_int_equal(s.dram.trcd, 27);
}

/* Lines of 128 bytes; those of four banks, one of each group, in turn. */
static dram_access_t line(const dram_spec_t *s, uint32_t i, bool write) {
  uint32_t per_row = s->row_bytes / 128, four = i / (4 * per_row);
  return (dram_access_t){.id = i,
                         .bank = (uint8_t)((i % 4 + four * 4) & (s->banks - 1)),
                         .row = four / (s->banks / 4),
                         .write = write,
                         .bursts = (uint16_t)(128 / (s->bus_bytes * s->burst_length))};
}

/* Per cent of the peak that reads of consecutive lines reach; the log must be legal. */
static uint32_t stream(const char *standard, uint32_t write_of) {
  enum { LINES = 8000, INSIDE = 100 };
  dram_spec_t s = named(standard).dram;
  bench_t b;
  bench_open(&b, &s, s.clock_mhz, LINES);
  for (uint32_t i = 0; i < LINES || dram_waiting(b.dram);) {
    for (; i < LINES && dram_waiting(b.dram) < INSIDE; i++)
      bench_push(&b, b.now, line(&s, i, write_of && i / 64 % write_of == 0));
    b.now = dram_wake(b.dram);
    bench_run(&b);
  }
  const char *why =
      legal_log(&s, b.log.cmd, b.log.count < b.log.capacity ? b.log.count : b.log.capacity);
  if (why) fail_msg("%s: %s", standard, why);
  uint64_t busy = dram_busy(b.dram) * 100, last = b.done[LINES - 1].done;
  bench_close(&b);
  return (uint32_t)(busy / last);
}

static void reads_of_a_stream_reach_the_peak_less_refresh(void **state) {
  (void)state;
  for (uint32_t i = 1; dram_standard_name(i); i++) {
    uint32_t percent = stream(dram_standard_name(i), 0);
    if (percent < 90) fail_msg("%s: %u %%", dram_standard_name(i), percent);
  }
}

static void a_third_of_writes_costs_turns_of_the_bus(void **state) {
  (void)state;
  for (uint32_t i = 1; dram_standard_name(i); i++) {
    uint32_t reads = stream(dram_standard_name(i), 0), mixed = stream(dram_standard_name(i), 3);
    if (mixed < 70 || mixed > reads)
      fail_msg("%s: %u %% beside %u %%", dram_standard_name(i), mixed, reads);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_burst_is_32_or_64_bytes_in_two_cycles),
      cmocka_unit_test(another_clock_keeps_the_nanoseconds_and_not_the_cycles_of_a_burst),
      cmocka_unit_test(what_is_set_after_the_standard_stays),
      cmocka_unit_test(reads_of_a_stream_reach_the_peak_less_refresh),
      cmocka_unit_test(a_third_of_writes_costs_turns_of_the_bus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
