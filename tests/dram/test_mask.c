/* MASK's scheduler: who is in which queue, whose turn it is, and which queue goes first. */
#include "help.h"
#include <string.h>

static dram_spec_t mask_spec(void) {
  dram_spec_t s = default_spec();
  s.scheduler = "mask";
  return s;
}

/* Data of application `app` with the quota it has when it is sent. */
static dram_access_t data(uint32_t id, uint8_t bank, uint32_t row, uint8_t app, uint16_t quota) {
  return (dram_access_t){
      .id = id, .row = row, .bursts = 1, .bank = bank, .app = app, .quota = quota};
}

static dram_access_t walk(uint32_t id, uint8_t bank, uint32_t row) {
  return (dram_access_t){.id = id, .row = row, .bursts = 1, .bank = bank, .cls = DRAM_WALK};
}

/* Runs to the end; every log must be legal. */
static void drain(bench_t *b) {
  bench_drain(b);
  const char *why = legal_log(&b->spec, b->log.cmd, b->log.count);
  if (why) fail_msg("%s", why);
}

static void assert_order(bench_t *b, const uint32_t *ids, uint32_t n) {
  drain(b);
  assert_int_equal(b->done_count, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(b->done[i].id, ids[i]);
  bench_close(b);
}

static uint64_t reads(const bench_t *b, uint8_t app, uint32_t queue) {
  return dram_queue_stats(b->dram, app, queue)->reads;
}
enum { GOLDEN, SILVER, NORMAL };

/* ---- golden ---- */

static void walks_go_before_row_hits_of_data(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 5);
  bench_push(&b, 0, data(0, 0, 1, 0, 0));
  for (uint32_t i = 1; i < 3; i++) bench_push(&b, 100, data(i, 0, 1, 0, 0));
  bench_push(&b, 100, data(3, 0, 1, 0, 9));
  bench_push(&b, 100, walk(4, 0, 2));
  assert_order(&b, (uint32_t[]){0, 4, 3, 1, 2}, 5);
}

static void golden_is_served_in_order_of_arrival(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 6);
  static const uint8_t bank[] = {0, 0, 1, 0, 2, 1};
  static const uint32_t row[] = {1, 2, 1, 1, 1, 1};
  for (uint32_t i = 0; i < 6; i++) bench_push(&b, 0, walk(i, bank[i], row[i]));
  assert_order(&b, (uint32_t[]){0, 1, 2, 3, 4, 5}, 6);
}

static void a_golden_row_hit_waits_for_the_walk_before_it(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 3);
  bench_push(&b, 0, data(0, 1, 1, 0, 0));
  bench_push(&b, 100, walk(1, 0, 1));
  bench_push(&b, 100, walk(2, 1, 1)); /* its row is open */
  drain(&b);
  assert_true(when_command(&b, DRAM_CMD_READ, 1, 1) > when_command(&b, DRAM_CMD_READ, 0, 0));
  bench_close(&b);
}

static void rows_are_opened_for_the_walks_behind_the_first(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 2);
  for (uint32_t i = 0; i < 2; i++) bench_push(&b, 0, walk(i, (uint8_t)i, 1));
  drain(&b);
  assert_int_equal(when_command(&b, DRAM_CMD_ACT, 1, 0),
                   when_command(&b, DRAM_CMD_ACT, 0, 0) + s.trrd);
  bench_close(&b);
}

/* A row conflict of a walk takes tRP + tRCD; data of another bank moves meanwhile, and the walk is
 * not later for it than by one column access. */
static void data_uses_what_golden_leaves_of_the_buses(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 40);
  bench_push(&b, 0, data(0, 0, 1, 0, 0));
  bench_push(&b, 0, data(1, 1, 1, 0, 0));
  bench_push(&b, 100, walk(2, 0, 2));
  for (uint32_t i = 3; i < 40; i++) bench_push(&b, 100, data(i, 1, 1, 0, 0));
  drain(&b);
  uint64_t walked = when_command(&b, DRAM_CMD_READ, 0, 1);
  assert_in_range(walked, 101 + s.trp + s.trcd, 101 + s.trp + s.trcd + s.tccd);
  assert_in_range(place_of(&b, 2), 2 + (s.trp + s.trcd) / s.tccd - 2, 39);
  bench_close(&b);
}

static void golden_has_its_entries(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  s.golden = 1;
  bench_t b;
  bench_open(&b, &s, MHZ, 2);
  for (uint32_t i = 0; i < 2; i++) bench_push(&b, 0, walk(i, (uint8_t)i, 1));
  drain(&b);
  assert_true(when_command(&b, DRAM_CMD_ACT, 1, 0) > when_command(&b, DRAM_CMD_READ, 0, 0));
  bench_close(&b);
}

/* ---- silver and normal ---- */

static void silver_goes_before_row_hits_of_normal_in_a_bank(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 5);
  bench_push(&b, 0, data(0, 0, 1, 0, 0));
  for (uint32_t i = 1; i < 4; i++) bench_push(&b, 100, data(i, 0, 1, 0, 0));
  bench_push(&b, 100, data(4, 0, 2, 1, 500));
  assert_order(&b, (uint32_t[]){0, 4, 1, 2, 3}, 5);
}

static void silver_goes_before_older_normal_of_other_banks(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 4);
  for (uint32_t i = 0; i < 3; i++) bench_push(&b, 0, data(i, (uint8_t)i, 1, 0, 0));
  bench_push(&b, 0, data(3, 3, 1, 1, 500));
  drain(&b);
  assert_true(when_command(&b, DRAM_CMD_ACT, 3, 0) < when_command(&b, DRAM_CMD_ACT, 0, 0));
  bench_close(&b);
}

static void row_hits_go_first_inside_silver_and_inside_normal(void **state) {
  (void)state;
  static const uint32_t rows[] = {1, 2, 1, 3, 2, 1};
  for (uint16_t quota = 0; quota <= 500; quota = (uint16_t)(quota + 500)) {
    dram_spec_t s = mask_spec();
    bench_t b;
    bench_open(&b, &s, MHZ, 6);
    for (uint32_t i = 0; i < 6; i++) bench_push(&b, 0, data(i, 0, rows[i], 0, quota));
    assert_order(&b, (uint32_t[]){0, 2, 5, 1, 4, 3}, 6);
  }
}

/* As window_is_entered_in_order_of_arrival in test_sched.c. */
static void silver_and_normal_have_their_entries(void **state) {
  (void)state;
  static const uint32_t rows[] = {1, 2, 3, 1, 1};
  for (uint32_t silver = 0; silver < 2; silver++)
    for (uint32_t entries = 2; entries <= 3; entries++) {
      dram_spec_t s = mask_spec();
      *(silver ? &s.silver : &s.normal) = entries;
      bench_t b;
      bench_open(&b, &s, MHZ, 5);
      for (uint32_t i = 0; i < 5; i++) bench_push(&b, 0, data(i, 0, rows[i], 0, silver ? 500 : 0));
      assert_order(&b, entries == 2 ? (uint32_t[]){0, 1, 2, 3, 4} : (uint32_t[]){0, 3, 4, 1, 2}, 5);
    }
}

/* Silver is full of application 1, whose further accesses wait outside; normal is not held up. */
static void a_full_silver_queue_holds_nobody_else_up(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  s.silver = 1;
  bench_t b;
  bench_open(&b, &s, MHZ, 9);
  for (uint32_t i = 0; i < 8; i++) bench_push(&b, 0, data(i, 0, i, 1, 500));
  bench_push(&b, 0, data(8, 1, 1, 0, 0));
  drain(&b);
  assert_true(place_of(&b, 8) <= 2);
  bench_close(&b);
}

/* An endless supply of silver row hits, and one access of an application without a quota. */
static void overtaken_for_ever(uint8_t bank) {
  const uint32_t n = 4000, odd = 200;
  dram_spec_t s = mask_spec();
  s.tccd = 1, s.data_rate = 8; /* column accesses alone can fill this command bus */
  bench_t b;
  bench_open(&b, &s, MHZ, n);
  for (uint32_t i = 0; i < n; i++)
    bench_push(&b, i < odd ? 0 : 100, i == odd ? data(i, bank, 1, 1, 0) : data(i, 0, 0, 0, 500));
  drain(&b);
  assert_in_range(place_of(&b, odd) - odd, DRAM_HIT_LEAD, DRAM_HIT_LEAD + 64);
  bench_close(&b);
}

static void normal_does_not_starve(void **state) {
  (void)state;
  overtaken_for_ever(0);
  overtaken_for_ever(1);
}

/* ---- turns ---- */

/* Accesses come one by one, far apart; each is the digit of its application. The queues they go to
 * must be as in `want`: s for silver, n for normal. */
static void turns(const uint16_t quota[3], uint32_t thresh_max, const char *apps,
                  const char *want) {
  dram_spec_t s = mask_spec();
  s.thresh_max = thresh_max;
  bench_t b;
  bench_open(&b, &s, MHZ, 64);
  char got[64] = "";
  for (uint32_t i = 0; apps[i]; i++) {
    uint8_t app = (uint8_t)(apps[i] - '0');
    uint64_t before = reads(&b, app, SILVER);
    bench_push(&b, 100 * (i + 1), data(i, 0, 1, app, quota[app]));
    bench_drain(&b);
    got[i] = reads(&b, app, SILVER) > before ? 's' : 'n';
  }
  bench_close(&b);
  assert_string_equal(got, want);
}

static void a_turn_lasts_for_the_quota_then_the_next_has_it(void **state) {
  (void)state;
  turns((uint16_t[]){2, 3, 1}, 500, "0120012111220", "snnsnsnssnsns");
}

static void the_only_one_with_a_quota_has_every_turn(void **state) {
  (void)state;
  turns((uint16_t[]){2, 0, 0}, 500, "0100210000", "snssnnssss");
}

static void without_a_quota_silver_stays_empty(void **state) {
  (void)state;
  turns((uint16_t[]){0, 0, 0}, 500, "012012", "nnnnnn");
}

static void who_has_no_quota_is_passed_over(void **state) {
  (void)state;
  turns((uint16_t[]){1, 0, 1}, 500, "0210121002", "snnsnsnsns");
}

/* After three accesses of others the turn of application 0 is over; each of its own starts the
 * count again. */
static void a_turn_does_not_hang_on_a_silent_application(void **state) {
  (void)state;
  turns((uint16_t[]){9, 9, 0}, 3, "01111", "snnss");
  turns((uint16_t[]){9, 9, 0}, 3, "0110110112", "snnsnnsnnn");
}

/* Whatever quotas come with its accesses meanwhile. */
static void a_turn_has_the_quota_of_its_beginning(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 7);
  bench_push(&b, 0, data(0, 0, 1, 0, 3));
  bench_push(&b, 1, data(1, 0, 1, 1, 9)); /* normal: not its turn */
  bench_push(&b, 2, data(2, 0, 1, 0, 0));
  bench_push(&b, 3, data(3, 0, 1, 0, 1)); /* the third, and application 1 is next */
  bench_push(&b, 4, data(4, 0, 1, 0, 1)); /* normal */
  for (uint32_t i = 5; i < 7; i++) bench_push(&b, i, data(i, 0, 1, 1, 1));
  drain(&b);
  assert_int_equal(reads(&b, 0, SILVER), 3);
  assert_int_equal(reads(&b, 0, NORMAL), 1);
  assert_int_equal(reads(&b, 1, SILVER), 2);
  assert_int_equal(reads(&b, 1, NORMAL), 1);
  assert_int_equal(dram_queue_stats(b.dram, 0, SILVER)->turns, 1);
  assert_int_equal(dram_queue_stats(b.dram, 1, SILVER)->turns, 1);
  bench_close(&b);
}

static void walks_take_no_part_in_turns(void **state) {
  (void)state;
  dram_spec_t s = mask_spec();
  s.thresh_max = 2;
  bench_t b;
  bench_open(&b, &s, MHZ, 8);
  bench_push(&b, 0, data(0, 0, 1, 0, 2));
  for (uint32_t i = 1; i < 6; i++) {
    dram_access_t a = walk(i, 1, i);
    a.app = 1, a.level = 4;
    bench_push(&b, i, a);
  }
  bench_push(&b, 6, data(6, 0, 1, 0, 2));
  drain(&b);
  assert_int_equal(reads(&b, 0, SILVER), 2);
  assert_int_equal(reads(&b, 1, GOLDEN), 5);
  assert_int_equal(dram_queue_stats(b.dram, 0, SILVER)->turns, 1);
  bench_close(&b);
}

/* ---- beside FR-FCFS ---- */

/* A row-hit-heavy stream of application 0 in all banks, one access every two cycles, and every 40
 * cycles an access of another kind, whose rows are never open. */
static dram_access_t mixed(uint32_t i, uint64_t *at, uint16_t quota0, dram_access_t other) {
  *at = i * 2;
  if (i % 20 != 19) return data(i, (uint8_t)(i / 16 % 8), i / 128, 0, quota0);
  other.id = i, other.bank = (uint8_t)(i / 20 * 3 % 8), other.row = 1000 + i;
  return other;
}

#define MIXED 4000

static void run_mixed(bench_t *b, const dram_spec_t *s, uint16_t quota0, dram_access_t other) {
  bench_open(b, s, MHZ, MIXED);
  for (uint32_t i = 0; i < MIXED; i++) {
    uint64_t at;
    dram_access_t a = mixed(i, &at, quota0, other);
    bench_push(b, at, a);
  }
  drain(b);
}

/* Mean wait of application 1, of a class, in command cycles. */
static uint64_t mean_wait(const bench_t *b, dram_class_t cls) {
  const dram_stats_t *s = dram_stats(b->dram, 1, cls);
  return s->queue_cycles / s->reads;
}

/* FR-FCFS with as many entries as all queues of the other together. */
static dram_spec_t wide_spec(void) {
  dram_spec_t s = default_spec();
  s.queue = s.golden + s.silver + s.normal;
  return s;
}

static void walks_wait_less_beside_a_stream_of_row_hits(void **state) {
  (void)state;
  dram_spec_t plain = wide_spec(), s = mask_spec();
  dram_access_t other = {.bursts = 1, .app = 1, .cls = DRAM_WALK};
  bench_t a, b;
  run_mixed(&a, &plain, 500, other);
  run_mixed(&b, &s, 500, other);
  assert_true(mean_wait(&b, DRAM_WALK) * 2 < mean_wait(&a, DRAM_WALK));
  /* unloaded it is tRP + tRCD, or a row that is to be kept open for a while before that */
  assert_true(mean_wait(&b, DRAM_WALK) < s.trp + s.trcd + s.tras);
  bench_close(&a), bench_close(&b);
}

static void silver_helps_an_application_that_another_starves(void **state) {
  (void)state;
  dram_spec_t plain = wide_spec(), s = mask_spec();
  dram_access_t other = {.bursts = 1, .app = 1, .cls = DRAM_DATA, .quota = 250};
  bench_t a, b;
  run_mixed(&a, &plain, 250, other);
  run_mixed(&b, &s, 250, other);
  assert_true(mean_wait(&b, DRAM_DATA) * 3 < mean_wait(&a, DRAM_DATA) * 2);
  assert_true(b.done[MIXED - 1].done < a.done[MIXED - 1].done * 11 / 10); /* and costs little */
  bench_close(&a), bench_close(&b);
}

static void same_commands(const dram_spec_t *s, const dram_spec_t *t, uint16_t quota) {
  dram_access_t other = {.bursts = 1, .app = 0, .cls = DRAM_DATA, .quota = quota};
  bench_t a, b;
  run_mixed(&a, s, quota, other);
  run_mixed(&b, t, quota, other);
  assert_int_equal(a.log.count, b.log.count);
  for (uint32_t i = 0; i < a.log.count; i++) {
    const dram_cmd_t *x = &a.log.cmd[i], *y = &b.log.cmd[i];
    assert_true(x->t == y->t && x->cmd == y->cmd && x->bank == y->bank && x->id == y->id);
  }
  bench_close(&a), bench_close(&b);
}

/* One application, with a quota or without, is served as FR-FCFS would. */
static void one_queue_in_use_is_frfcfs(void **state) {
  (void)state;
  dram_spec_t plain = default_spec(), s = mask_spec();
  plain.queue = s.silver;
  same_commands(&plain, &s, 500);
  plain.queue = s.normal;
  same_commands(&plain, &s, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_go_before_row_hits_of_data),
      cmocka_unit_test(golden_is_served_in_order_of_arrival),
      cmocka_unit_test(a_golden_row_hit_waits_for_the_walk_before_it),
      cmocka_unit_test(rows_are_opened_for_the_walks_behind_the_first),
      cmocka_unit_test(data_uses_what_golden_leaves_of_the_buses),
      cmocka_unit_test(golden_has_its_entries),
      cmocka_unit_test(silver_goes_before_row_hits_of_normal_in_a_bank),
      cmocka_unit_test(silver_goes_before_older_normal_of_other_banks),
      cmocka_unit_test(row_hits_go_first_inside_silver_and_inside_normal),
      cmocka_unit_test(silver_and_normal_have_their_entries),
      cmocka_unit_test(a_full_silver_queue_holds_nobody_else_up),
      cmocka_unit_test(normal_does_not_starve),
      cmocka_unit_test(a_turn_lasts_for_the_quota_then_the_next_has_it),
      cmocka_unit_test(the_only_one_with_a_quota_has_every_turn),
      cmocka_unit_test(without_a_quota_silver_stays_empty),
      cmocka_unit_test(who_has_no_quota_is_passed_over),
      cmocka_unit_test(a_turn_does_not_hang_on_a_silent_application),
      cmocka_unit_test(a_turn_has_the_quota_of_its_beginning),
      cmocka_unit_test(walks_take_no_part_in_turns),
      cmocka_unit_test(walks_wait_less_beside_a_stream_of_row_hits),
      cmocka_unit_test(silver_helps_an_application_that_another_starves),
      cmocka_unit_test(one_queue_in_use_is_frfcfs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
