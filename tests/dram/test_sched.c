/* Who goes first: the schedulers' order, the window, the write buffer; and what is refused. */
#include "help.h"
#include <string.h>

static dram_access_t access_to(uint32_t id, uint8_t bank, uint32_t row, uint8_t write) {
  return (dram_access_t){.id = id, .row = row, .bursts = 1, .bank = bank, .write = write};
}

static void assert_order(const bench_t *b, const uint32_t *ids, uint32_t n) {
  assert_int_equal(b->done_count, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(b->done[i].id, ids[i]);
}

static void frfcfs_serves_hits_of_the_open_row_first(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 6);
  static const uint32_t rows[] = {1, 2, 1, 3, 2, 1};
  for (uint32_t i = 0; i < 6; i++) bench_push(&b, 0, access_to(i, 0, rows[i], 0));
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 2, 5, 1, 4, 3}, 6);
  bench_close(&b);
}

static void frfcfs_prefers_the_oldest_bank(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 3);
  for (uint32_t i = 0; i < 3; i++) bench_push(&b, 0, access_to(i, (uint8_t)(5 - i), 1, 0));
  bench_drain(&b);
  assert_true(when_command(&b, DRAM_CMD_ACT, 5, 0) < when_command(&b, DRAM_CMD_ACT, 4, 0));
  assert_true(when_command(&b, DRAM_CMD_ACT, 4, 0) < when_command(&b, DRAM_CMD_ACT, 3, 0));
  bench_close(&b);
}

static void frfcfs_takes_the_oldest_hit_of_all_banks(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 7);
  for (uint32_t i = 0; i < 2; i++) bench_push(&b, 0, access_to(i, (uint8_t)i, 1, 0));
  for (uint32_t i = 2; i < 4; i++) bench_push(&b, 100, access_to(i, (uint8_t)(3 - i), 1, 0));
  for (uint32_t i = 4; i < 7; i++) /* the same with a closed bank ready in the same cycle */
    bench_push(&b, 200, access_to(i, (uint8_t)(6 - i), 1, 0));
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 1, 2, 3, 5, 6, 4}, 7);
  bench_close(&b);
}

/* An endless supply of hits on one row, and among them one access to another row. Returns how many
 * younger ones overtook it. */
static uint32_t overtaken(const dram_spec_t *s, uint8_t bank) {
  const uint32_t n = 4000, odd = 200;
  bench_t b;
  bench_open(&b, s, MHZ, n);
  for (uint32_t i = 0; i < n; i++)
    bench_push(&b, i < odd ? 0 : 100, access_to(i, i == odd ? bank : 0, i == odd, 0));
  bench_drain(&b);
  uint32_t place = place_of(&b, odd);
  bench_close(&b);
  return place - odd;
}

static void frfcfs_does_not_starve_a_row_miss_of_the_same_bank(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  assert_in_range(overtaken(&s, 0), DRAM_HIT_LEAD, DRAM_HIT_LEAD + 64);
}

/* Column accesses alone can fill this command bus. */
static void frfcfs_does_not_starve_another_bank(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.tccd = 1, s.data_rate = 8;
  assert_in_range(overtaken(&s, 1), DRAM_HIT_LEAD, DRAM_HIT_LEAD + 64);
  s.dual_command = true; /* with two buses there is nothing to wait for but tRCD */
  assert_true(overtaken(&s, 1) <= s.trcd + 1);
}

static void fcfs_keeps_the_order_of_arrival(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.scheduler = "fcfs";
  bench_t b;
  bench_open(&b, &s, MHZ, 200);
  for (uint32_t i = 0; i < 200; i++)
    bench_push(&b, i, access_to(i, (uint8_t)(i * 7 % 8), i * 5 % 3, 0));
  bench_drain(&b);
  for (uint32_t i = 0; i < 200; i++) assert_int_equal(b.done[i].id, i);
  bench_close(&b);
}

static void fcfs_issues_nothing_for_the_second(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.scheduler = "fcfs";
  bench_t b;
  bench_open(&b, &s, MHZ, 2);
  bench_push(&b, 0, access_to(0, 0, 1, 0));
  bench_push(&b, 0, access_to(1, 1, 1, 0));
  bench_drain(&b);
  assert_int_equal(when_command(&b, DRAM_CMD_ACT, 1, 0), when_command(&b, DRAM_CMD_READ, 0, 0) + 1);
  bench_close(&b);
}

/* One application fills its bank with hits before the other two, in banks of theirs, have any. */
static void applications_take_turns(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  for (uint32_t turns = 0; turns < 2; turns++) {
    s.scheduler = turns ? "fr-rr-fcfs" : "frfcfs";
    bench_open(&b, &s, MHZ, 15);
    for (uint32_t i = 0; i < 15; i++) { /* the first of each bank opens its row long before */
      dram_access_t a = access_to(i, (uint8_t)(i < 3 ? i : (i - 3) / 4), 1, 0);
      a.app = a.bank;
      bench_push(&b, i < 3 ? 0 : 100, a);
    }
    bench_drain(&b);
    assert_order(&b,
                 turns ? (uint32_t[]){0, 1, 2, 3, 7, 11, 4, 8, 12, 5, 9, 13, 6, 10, 14}
                       : (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                 15);
    bench_close(&b);
  }
}

/* Hits go first whosesoever turn it is, and nobody starves. */
static void turns_are_taken_among_hits_first(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.scheduler = "fr-rr-fcfs";
  bench_t b;
  bench_open(&b, &s, MHZ, 4);
  static const uint8_t app[] = {0, 1, 0, 0};
  static const uint32_t row[] = {1, 2, 1, 1};
  for (uint32_t i = 0; i < 4; i++) {
    dram_access_t a = access_to(i, 0, row[i], 0);
    a.app = app[i];
    bench_push(&b, 0, a);
  }
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 2, 3, 1}, 4);
  bench_close(&b);
  assert_in_range(overtaken(&s, 0), DRAM_HIT_LEAD, DRAM_HIT_LEAD + 64);
}

static uint32_t walks_first(void *state, const dram_access_t *a) {
  (void)state;
  return a->cls != DRAM_WALK;
}

static int oldest_ready(void *state, const dram_candidates_t *c, uint32_t ready) {
  (void)state;
  return dram_bank_of(dram_oldest(c, ready));
}

static uint32_t one_then_all(const dram_spec_t *s, uint32_t queue) { return queue ? s->queue : 1; }

/* Row hits of the second queue wait for a row miss of the first, which has one entry. */
static void earlier_queues_go_first_within_a_bank(void **state) {
  (void)state;
  static const dram_sched_ops_t ops = {.name = "two queues",
                                       .queues = 2,
                                       .capacity = one_then_all,
                                       .row_first = {false, true},
                                       .enqueue = walks_first,
                                       .choose = oldest_ready};
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open_with(&b, &s, &ops, MHZ, 6);
  bench_push(&b, 0, access_to(0, 0, 1, 0));
  for (uint32_t i = 1; i < 6; i++) {
    dram_access_t a = access_to(i, 0, i < 4 ? 1 : i, 0);
    a.cls = i < 4 ? DRAM_DATA : DRAM_WALK;
    bench_push(&b, 100, a);
  }
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 4, 5, 1, 2, 3}, 6);
  bench_close(&b);
}

/* A window of two: the hit waiting outside cannot be preferred until a slot is free, which is at
 * the column command of access 0. */
static void window_is_entered_in_order_of_arrival(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.queue = 2;
  bench_t b;
  bench_open(&b, &s, MHZ, 5);
  static const uint32_t rows[] = {1, 2, 3, 1, 1};
  for (uint32_t i = 0; i < 5; i++) bench_push(&b, 0, access_to(i, 0, rows[i], 0));
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 1, 2, 3, 4}, 5);
  bench_close(&b);
  s.queue = 3; /* now 3 is seen as a hit when 0 has left, 4 when 3 has */
  bench_open(&b, &s, MHZ, 5);
  for (uint32_t i = 0; i < 5; i++) bench_push(&b, 0, access_to(i, 0, rows[i], 0));
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 3, 4, 1, 2}, 5);
  bench_close(&b);
}

static void reads_are_not_held_up_by_a_full_write_buffer(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.write_queue = 8, s.write_high = 8, s.write_low = 7;
  bench_t b;
  bench_open(&b, &s, MHZ, 40);
  for (uint32_t i = 0; i < 20; i++) bench_push(&b, 0, access_to(i, 0, 1, 1));
  for (uint32_t i = 20; i < 40; i++) bench_push(&b, 0, access_to(i, 0, 1, 0));
  bench_drain(&b);
  assert_true(place_of(&b, 20) < 39);
  assert_true(place_of(&b, 20) < place_of(&b, 19));
  bench_close(&b);
}

/* How many writes complete before the first of the reads that came at the same time. */
static uint32_t writes_before_reads(uint32_t writes, uint32_t high, uint32_t low) {
  dram_spec_t s = default_spec();
  s.write_high = high, s.write_low = low;
  bench_t b;
  bench_open(&b, &s, MHZ, 100);
  for (uint32_t i = 0; i < 4; i++) bench_push(&b, 0, access_to(i, 0, 1, 0));
  for (uint32_t i = 4; i < 4 + writes; i++) bench_push(&b, 0, access_to(i, 0, 1, 1));
  bench_drain(&b);
  uint32_t place = place_of(&b, 0);
  bench_close(&b);
  return place;
}

static void writes_drain_from_high_to_low(void **state) {
  (void)state;
  assert_int_equal(writes_before_reads(15, 16, 4), 0);
  assert_int_equal(writes_before_reads(16, 16, 4), 12);
  assert_int_equal(writes_before_reads(16, 16, 15), 1);
  assert_int_equal(writes_before_reads(16, 16, 0), 16);
}

static void writes_are_served_when_no_read_waits(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 3);
  bench_push(&b, 0, access_to(0, 0, 1, 1));
  bench_push(&b, 20, access_to(1, 0, 1, 1));
  bench_push(&b, 20, access_to(2, 0, 1, 0)); /* below write_low the read goes first */
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 2, 1}, 3);
  assert_int_equal(b.done[0].write, 1);
  assert_int_equal(b.done[1].write, 0);
  bench_close(&b);
}

/* A write that came between reads of its row is served between them, and holds up its bank while
 * reads of other banks go on. */
static void in_one_queue_a_write_waits_its_turn_among_reads(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.one_queue = true;
  bench_t b;
  bench_open(&b, &s, MHZ, 6);
  bench_push(&b, 0, access_to(0, 0, 1, 0));
  bench_push(&b, 0, access_to(1, 0, 1, 1));
  bench_push(&b, 0, access_to(2, 0, 1, 0));
  bench_drain(&b);
  assert_order(&b, (uint32_t[]){0, 1, 2}, 3);
  uint64_t read = when_command(&b, DRAM_CMD_READ, 0, 0);
  uint64_t write = when_command(&b, DRAM_CMD_WRITE, 0, 0);
  uint32_t burst = s.burst_length / s.data_rate;
  assert_int_equal(write - read, s.tcl + burst + s.turnaround - s.tcwl);
  assert_int_equal(when_command(&b, DRAM_CMD_READ, 0, 1) - write, s.tcwl + burst + s.twtr);
  bench_close(&b);
}

static void statistics_are_kept_per_application_and_class(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 2);
  dram_access_t a = access_to(0, 0, 1, 0);
  a.app = 2, a.cls = DRAM_WALK, a.bursts = 3;
  bench_push(&b, 0, a);
  bench_push(&b, 0, access_to(1, 0, 1, 1));
  bench_drain(&b);
  const dram_stats_t *walk = dram_stats(b.dram, 2, DRAM_WALK);
  const dram_stats_t *data = dram_stats(b.dram, 0, DRAM_DATA);
  assert_int_equal(walk->reads, 1);
  assert_int_equal(walk->read_bytes, 96);
  assert_int_equal(walk->row_misses, 1);
  assert_int_equal(data->writes, 1);
  assert_int_equal(data->write_bytes, 32);
  assert_int_equal(data->row_hits, 1);
  assert_int_equal(dram_stats(b.dram, 2, DRAM_DATA)->reads, 0);
  bench_close(&b);
}

static void deciding_ahead_does_not_count_ahead(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  dram_done_t done;
  bench_open(&b, &s, MHZ, 8);
  for (uint32_t i = 0; i < 8; i++) bench_push(&b, 0, access_to(i, i & 3, i, 0));
  dram_run(b.dram, 1000);
  assert_int_equal(dram_stats(b.dram, 0, DRAM_DATA)->reads, 0);
  for (uint64_t core = 0, n = 0; core < 400; core++) {
    dram_count(b.dram, core);
    while (n < 8 && when_command(&b, DRAM_CMD_READ, -1, (uint32_t)n) <= core) n++;
    assert_int_equal(dram_stats(b.dram, 0, DRAM_DATA)->reads, n);
    if (dram_first(b.dram) == core) dram_take(b.dram, &done);
  }
  assert_int_equal(dram_stats(b.dram, 0, DRAM_DATA)->reads, 8);
  assert_int_equal(dram_waiting(b.dram), 0);
  bench_close(&b);
}

static void lag_is_the_shortest_way_to_done(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 1);
  assert_int_equal(dram_lag(b.dram), s.tcwl + 2);
  bench_push(&b, 7, access_to(0, 0, 1, 0));
  assert_true(dram_wake(b.dram) > 7 + dram_lag(b.dram));
  bench_drain(&b);
  bench_close(&b);
}

static void refused(const char *key, dram_spec_t s, int code) {
  arrays_t arrays = {0};
  dram_t *d;
  err_t e;
  err_clear(&e);
  assert_int_equal(dram_new(&s, MHZ, 8, &arrays, &d, &e), code);
  assert_null(d);
  assert_string_equal(e.key, key);
}

static void bad_specs_are_refused_by_key(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
#define WITH(field, value, code)                                                                   \
  do {                                                                                             \
    dram_spec_t t = s;                                                                             \
    t.field = value;                                                                               \
    refused(#field, t, code);                                                                      \
  } while (0)
  WITH(banks, 3, GMMU_ERANGE);
  WITH(banks, 64, GMMU_ERANGE);
  WITH(queue, 0, GMMU_ERANGE);
  WITH(write_high, 65, GMMU_ERANGE);
  WITH(write_low, 48, GMMU_ERANGE);
  WITH(scheduler, "nope", GMMU_ENOENT);
  s.scheduler = "mask";
  WITH(one_queue, true, GMMU_ERANGE);
  s.scheduler = "frfcfs";
  s.trefi = 5000;
  WITH(trfc, 0, GMMU_ERANGE);
  s.trfc = 65;
  WITH(trefi, 100, GMMU_ERANGE);
}

static void every_scheduler_is_found_by_name(void **state) {
  (void)state;
  for (const dram_sched_ops_t *const *s = dram_sched_all; *s; s++) {
    assert_ptr_equal(dram_sched_find((*s)->name), *s);
    assert_true((*s)->queues >= 1 && (*s)->queues <= DRAM_QUEUES);
    assert_non_null((*s)->help);
  }
  assert_null(dram_sched_find("nope"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frfcfs_serves_hits_of_the_open_row_first),
      cmocka_unit_test(frfcfs_prefers_the_oldest_bank),
      cmocka_unit_test(frfcfs_takes_the_oldest_hit_of_all_banks),
      cmocka_unit_test(frfcfs_does_not_starve_a_row_miss_of_the_same_bank),
      cmocka_unit_test(frfcfs_does_not_starve_another_bank),
      cmocka_unit_test(fcfs_keeps_the_order_of_arrival),
      cmocka_unit_test(fcfs_issues_nothing_for_the_second),
      cmocka_unit_test(applications_take_turns),
      cmocka_unit_test(turns_are_taken_among_hits_first),
      cmocka_unit_test(earlier_queues_go_first_within_a_bank),
      cmocka_unit_test(window_is_entered_in_order_of_arrival),
      cmocka_unit_test(reads_are_not_held_up_by_a_full_write_buffer),
      cmocka_unit_test(writes_drain_from_high_to_low),
      cmocka_unit_test(in_one_queue_a_write_waits_its_turn_among_reads),
      cmocka_unit_test(writes_are_served_when_no_read_waits),
      cmocka_unit_test(statistics_are_kept_per_application_and_class),
      cmocka_unit_test(deciding_ahead_does_not_count_ahead),
      cmocka_unit_test(lag_is_the_shortest_way_to_done),
      cmocka_unit_test(bad_specs_are_refused_by_key),
      cmocka_unit_test(every_scheduler_is_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
