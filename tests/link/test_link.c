/* The link alone: its times against bytes / bandwidth, whatever the clock. */
#include "link/link.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const link_spec_t usual = {
    .bandwidth_mbs = 8000, .fault_ns = 54500, .read_ns = 1000, .header_bytes = 24};

/* Nanoseconds of one far fault that meets nothing else, rounded down. */
static uint64_t far_fault_ns(uint32_t mhz, uint64_t bytes) {
  link_t l;
  link_init(&l, &usual, mhz);
  return link_move(&l, LINK_IN, l.fault_cycles, bytes, 0) * 1000 / mhz;
}

static void a_far_fault_takes_what_was_measured(void **state) {
  (void)state;
  const uint32_t clocks[] = {700, 1000, 1020, 1481};
  for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
    assert_in_range(far_fault_ns(clocks[i], 4096), 55012, 55015);      /* paper: 55 us */
    assert_in_range(far_fault_ns(clocks[i], 2 << 20), 316644, 316647); /* paper: 318 us */
  }
}

static void a_busy_direction_moves_its_bandwidth(void **state) {
  (void)state;
  link_t l;
  link_init(&l, &usual, 1020);
  uint64_t done = 0;
  for (uint32_t i = 0; i < 100000; i++) done = link_move(&l, LINK_IN, 5, 32, 0);
  /* 3.2 MB at 8 GB/s are 400 us: not a cycle is lost by rounding 4.08 cycles each. */
  assert_int_equal(done, 5 + 408000);
  assert_int_equal(l.stats[0].bytes_in, 3200000);
  assert_int_equal(l.stats[0].transfers_in, 100000);
}

static void an_idle_direction_does_not_save_up(void **state) {
  (void)state;
  link_t l;
  link_init(&l, &usual, 1000);
  assert_int_equal(link_move(&l, LINK_IN, 0, 8, 0), 1);
  assert_int_equal(link_move(&l, LINK_IN, 1000, 8, 0), 1001);
  assert_int_equal(l.stats[0].wait_in_cycles, 0);
}

static void directions_do_not_meet(void **state) {
  (void)state;
  link_t l;
  link_init(&l, &usual, 1000);
  assert_int_equal(link_move(&l, LINK_IN, 0, 8000, 1), 1000);
  assert_int_equal(link_move(&l, LINK_OUT, 0, 8000, 2), 1000);
  assert_int_equal(link_move(&l, LINK_IN, 10, 8000, 3), 2000);
  assert_int_equal(l.stats[3].wait_in_cycles, 990);
  assert_int_equal(l.stats[2].wait_out_cycles, 0);
}

static void a_read_of_host_memory_goes_there_and_back(void **state) {
  (void)state;
  link_t l;
  link_init(&l, &usual, 1000);
  uint64_t at = link_ask(&l, 0, 0);
  assert_int_equal(at, 3 + 1000); /* 24 bytes at 8 per ns */
  assert_int_equal(link_answer(&l, at, 128, 0), at + 19);
  assert_int_equal(link_post(&l, 2000, 32, 0), 2007);
}

static void small_reads_waste_bandwidth_on_headers(void **state) {
  (void)state;
  link_t l;
  uint64_t done[2] = {0};
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t bytes = k ? 128 : 32;
    link_init(&l, &usual, 1000);
    for (uint32_t moved = 0; moved < 1 << 20; moved += bytes)
      done[k] = link_answer(&l, 0, bytes, 0);
  }
  assert_in_range(done[0] * 1000 / done[1], 1470, 1475); /* (56 / 32) / (152 / 128) */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_far_fault_takes_what_was_measured),
      cmocka_unit_test(a_busy_direction_moves_its_bandwidth),
      cmocka_unit_test(an_idle_direction_does_not_save_up),
      cmocka_unit_test(directions_do_not_meet),
      cmocka_unit_test(a_read_of_host_memory_goes_there_and_back),
      cmocka_unit_test(small_reads_waste_bandwidth_on_headers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
