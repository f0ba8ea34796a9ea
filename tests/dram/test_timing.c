/* Each constraint alone: in a situation where it is the one that binds, the later command comes at
 * exactly the constraint's distance, and one cycle later if the constraint is one cycle longer;
 * the referee calls the same log illegal if the command is moved one cycle forward. Then latencies
 * and bandwidths against formulas. */
#include "base/rng.h"
#include "help.h"
#include <stdio.h>

enum { READ = 0, WRITE = 1 };

static dram_access_t access_to(uint32_t id, uint8_t bank, uint32_t row, uint8_t write) {
  return (dram_access_t){.id = id, .row = row, .bursts = 1, .bank = bank, .write = write};
}

/* A situation: accesses pushed together, and two of the commands that follow. */
typedef struct {
  dram_cmd_kind_t cmd;
  int bank;
  uint32_t n;
} which_t;

typedef struct {
  const char *name;
  uint32_t count;
  dram_access_t access[8];
  which_t from, to;
  size_t knob;                               /* the constraint's field in the spec */
  void (*prepare)(dram_spec_t *);            /* makes it the one that binds; may be NULL */
  uint32_t (*distance)(const dram_spec_t *); /* expected */
} rule_t;

static uint32_t burst(const dram_spec_t *s) {
  return (s->burst_length + s->data_rate - 1) / s->data_rate;
}

#define SIMPLE(field)                                                                              \
  static uint32_t is_##field(const dram_spec_t *s) { return s->field; }
SIMPLE(trcd)
SIMPLE(trp)
SIMPLE(tras)
SIMPLE(trc)
SIMPLE(tccd)
SIMPLE(trrd)
SIMPLE(tfaw)
SIMPLE(trtp)
SIMPLE(tccd_l)
SIMPLE(trrd_l)
SIMPLE(command_cycles)
SIMPLE(activate_cycles)
static uint32_t write_to_read_l(const dram_spec_t *s) { return s->tcwl + burst(s) + s->twtr_l; }
static uint32_t write_recovery(const dram_spec_t *s) { return s->tcwl + burst(s) + s->twr; }
static uint32_t write_to_read(const dram_spec_t *s) { return s->tcwl + burst(s) + s->twtr; }
static uint32_t read_to_write(const dram_spec_t *s) {
  return s->tcl + burst(s) + s->turnaround - s->tcwl;
}

static void long_trc(dram_spec_t *s) { s->trc = 60; }
static void long_tccd(dram_spec_t *s) { s->tccd = 5; }
static void long_tfaw(dram_spec_t *s) { s->tfaw = 50; }
static void long_trtp(dram_spec_t *s) { s->trtp = 40; }
static void eager_writes(dram_spec_t *s) { s->write_high = 1, s->write_low = 0; }
static void groups(dram_spec_t *s) { s->groups = 4, s->tccd_l = 4, s->trrd_l = 7, s->tfaw = 0; }
static void eager_groups(dram_spec_t *s) { eager_writes(s), s->groups = 4, s->twtr_l = 20; }
static void slow_commands(dram_spec_t *s) { s->groups = 4, s->command_cycles = 5; }
static void slow_activates(dram_spec_t *s) { s->dual_command = true, s->activate_cycles = 9; }
static void slow_on_one_bus(dram_spec_t *s) { s->activate_cycles = 20; }

#define AT(field) offsetof(dram_spec_t, field)
#define A(id_, bank_, row_, write_)                                                                \
  { .id = id_, .bank = bank_, .row = row_, .write = write_, .bursts = 1 }

static const rule_t rules[] = {
    {"tRCD",
     1,
     {A(0, 0, 1, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_READ, 0, 0},
     AT(trcd),
     NULL,
     is_trcd},
    {"tRP",
     2,
     {A(0, 0, 1, READ), A(1, 0, 2, READ)},
     {DRAM_CMD_PRE, 0, 0},
     {DRAM_CMD_ACT, 0, 1},
     AT(trp),
     NULL,
     is_trp},
    {"tRAS",
     2,
     {A(0, 0, 1, READ), A(1, 0, 2, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_PRE, 0, 0},
     AT(tras),
     NULL,
     is_tras},
    {"tRC",
     2,
     {A(0, 0, 1, READ), A(1, 0, 2, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_ACT, 0, 1},
     AT(trc),
     long_trc,
     is_trc},
    {"tCCD",
     2,
     {A(0, 0, 1, READ), A(1, 0, 1, READ)},
     {DRAM_CMD_READ, 0, 0},
     {DRAM_CMD_READ, 0, 1},
     AT(tccd),
     long_tccd,
     is_tccd},
    {"tRRD",
     2,
     {A(0, 0, 1, READ), A(1, 1, 1, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_ACT, 1, 0},
     AT(trrd),
     NULL,
     is_trrd},
    {"tFAW",
     5,
     {A(0, 0, 1, READ), A(1, 1, 1, READ), A(2, 2, 1, READ), A(3, 3, 1, READ), A(4, 4, 1, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_ACT, 4, 0},
     AT(tfaw),
     long_tfaw,
     is_tfaw},
    {"tRTP",
     2,
     {A(0, 0, 1, READ), A(1, 0, 2, READ)},
     {DRAM_CMD_READ, 0, 0},
     {DRAM_CMD_PRE, 0, 0},
     AT(trtp),
     long_trtp,
     is_trtp},
    {"tWR",
     2,
     {A(0, 0, 1, WRITE), A(1, 0, 2, WRITE)},
     {DRAM_CMD_WRITE, 0, 0},
     {DRAM_CMD_PRE, 0, 0},
     AT(twr),
     NULL,
     write_recovery},
    {"tCWL in write recovery",
     2,
     {A(0, 0, 1, WRITE), A(1, 0, 2, WRITE)},
     {DRAM_CMD_WRITE, 0, 0},
     {DRAM_CMD_PRE, 0, 0},
     AT(tcwl),
     NULL,
     write_recovery},
    {"tWTR",
     2,
     {A(0, 0, 1, WRITE), A(1, 0, 1, READ)},
     {DRAM_CMD_WRITE, 0, 0},
     {DRAM_CMD_READ, 0, 0},
     AT(twtr),
     eager_writes,
     write_to_read},
    {"turnaround",
     2,
     {A(0, 0, 1, READ), A(1, 0, 1, WRITE)},
     {DRAM_CMD_READ, 0, 0},
     {DRAM_CMD_WRITE, 0, 0},
     AT(turnaround),
     NULL,
     read_to_write},
    {"tCCD_L",
     2,
     {A(0, 1, 1, READ), A(1, 1, 1, READ)},
     {DRAM_CMD_READ, 1, 0},
     {DRAM_CMD_READ, 1, 1},
     AT(tccd_l),
     groups,
     is_tccd_l},
    {"tCCD_L within one access of two bursts",
     1,
     {{.bank = 1, .row = 1, .bursts = 2}},
     {DRAM_CMD_READ, 1, 0},
     {DRAM_CMD_READ, 1, 1},
     AT(tccd_l),
     groups,
     is_tccd_l},
    {"tRRD_L",
     2,
     {A(0, 1, 1, READ), A(1, 5, 1, READ)},
     {DRAM_CMD_ACT, 1, 0},
     {DRAM_CMD_ACT, 5, 0},
     AT(trrd_l),
     groups,
     is_trrd_l},
    {"tRRD between groups",
     2,
     {A(0, 1, 1, READ), A(1, 2, 1, READ)},
     {DRAM_CMD_ACT, 1, 0},
     {DRAM_CMD_ACT, 2, 0},
     AT(trrd),
     groups,
     is_trrd},
    {"tWTR_L",
     2,
     {A(0, 0, 1, WRITE), A(1, 0, 1, READ)},
     {DRAM_CMD_WRITE, 0, 0},
     {DRAM_CMD_READ, 0, 0},
     AT(twtr_l),
     eager_groups,
     write_to_read_l},
    {"cycles of a command",
     2,
     {A(0, 0, 1, READ), A(1, 0, 1, READ)},
     {DRAM_CMD_READ, 0, 0},
     {DRAM_CMD_READ, 0, 1},
     AT(command_cycles),
     slow_commands,
     is_command_cycles},
    {"cycles of an activate, on the bus of row commands",
     2,
     {A(0, 0, 1, READ), A(1, 1, 1, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_ACT, 1, 0},
     AT(activate_cycles),
     slow_activates,
     is_activate_cycles},
    {"cycles of an activate, on the only bus",
     1,
     {A(0, 0, 1, READ)},
     {DRAM_CMD_ACT, 0, 0},
     {DRAM_CMD_READ, 0, 0},
     AT(activate_cycles),
     slow_on_one_bus,
     is_activate_cycles},
    {"tCL in the turn from read to write",
     2,
     {A(0, 0, 1, READ), A(1, 0, 1, WRITE)},
     {DRAM_CMD_READ, 0, 0},
     {DRAM_CMD_WRITE, 0, 0},
     AT(tcl),
     NULL,
     read_to_write},
};

static void run_rule(bench_t *b, const rule_t *r, uint32_t longer) {
  dram_spec_t s = default_spec();
  if (r->prepare) r->prepare(&s);
  *(uint32_t *)(void *)((char *)&s + r->knob) += longer;
  bench_open(b, &s, MHZ, r->count);
  for (uint32_t i = 0; i < r->count; i++) bench_push(b, 0, r->access[i]);
  bench_drain(b);
  uint64_t gap = when_command(b, r->to.cmd, r->to.bank, r->to.n) -
                 when_command(b, r->from.cmd, r->from.bank, r->from.n);
  if (gap != r->distance(&s))
    fail_msg("%s: %llu cycles, not %u", r->name, (unsigned long long)gap, r->distance(&s));
  const char *why = legal_log(&s, b->log.cmd, b->log.count);
  if (why) fail_msg("%s: %s", r->name, why);
}

static void each_constraint_binds_exactly(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    for (uint32_t longer = 0; longer < 4; longer++) {
      bench_t b;
      run_rule(&b, &rules[i], longer);
      bench_close(&b);
    }
}

/* Move the later command one cycle forward (and what would else be in its way with it). */
static void referee_sees_one_cycle_too_early(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    bench_t b;
    run_rule(&b, &rules[i], 0);
    const which_t *to = &rules[i].to;
    uint64_t t = when_command(&b, to->cmd, to->bank, to->n);
    for (uint32_t k = 0; k < b.log.count; k++)
      if (b.log.cmd[k].t >= t) b.log.cmd[k].t--;
    if (!legal_log(&b.spec, b.log.cmd, b.log.count)) fail_msg("%s: not noticed", rules[i].name);
    bench_close(&b);
  }
}

static void one_command_per_cycle(void **state) {
  (void)state;
  for (int dual = 0; dual < 2; dual++) {
    dram_spec_t s = default_spec();
    s.dual_command = dual;
    s.trrd = s.trcd = 4, s.tfaw = 0; /* the second activate meets the first read */
    bench_t b;
    bench_open(&b, &s, MHZ, 2);
    bench_push(&b, 0, access_to(0, 0, 1, READ));
    bench_push(&b, 0, access_to(1, 1, 1, READ));
    bench_drain(&b);
    uint64_t read = when_command(&b, DRAM_CMD_READ, 0, 0);
    assert_int_equal(when_command(&b, DRAM_CMD_ACT, 1, 0), read + !dual);
    bench_close(&b);
  }
}

static void train_counts_from_its_last_burst(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.tras = 1, s.trc = 1;
  for (uint8_t write = 0; write < 2; write++) {
    bench_t b;
    bench_open(&b, &s, MHZ, 2);
    dram_access_t a = access_to(0, 0, 1, write);
    a.bursts = 6;
    bench_push(&b, 0, a);
    bench_push(&b, 0, access_to(1, 0, 2, write));
    bench_drain(&b);
    uint64_t column = when_command(&b, write ? DRAM_CMD_WRITE : DRAM_CMD_READ, 0, 0);
    uint64_t last = column + 5 * burst(&s);
    uint64_t want = last + (write ? s.tcwl + burst(&s) + s.twr : s.trtp);
    assert_int_equal(when_command(&b, DRAM_CMD_PRE, 0, 0), want);
    assert_int_equal(done_at(&b, 0), last + (write ? s.tcwl : s.tcl) + burst(&s));
    bench_close(&b);
  }
}

/* --- latency ---------------------------------------------------------------------------------- */

/* Pushed at core cycle `at` and seen at the next edge, completed that many cycles after it. */
static uint64_t latency(bench_t *b, uint32_t id, uint64_t at) { return done_at(b, id) - (at + 1); }

static void unloaded_latency_of_miss_hit_and_conflict(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 3);
  bench_push(&b, 0, access_to(0, 3, 7, READ));
  bench_drain(&b);
  bench_push(&b, 1000, access_to(1, 3, 7, READ));
  bench_drain(&b);
  bench_push(&b, 2000, access_to(2, 3, 8, READ));
  bench_drain(&b);
  uint32_t column = s.tcl + burst(&s);
  assert_int_equal(latency(&b, 0, 0), s.trcd + column);
  assert_int_equal(latency(&b, 1, 1000), column);
  assert_int_equal(latency(&b, 2, 2000), s.trp + s.trcd + column);
  dram_stats_t t = total(b.dram);
  assert_int_equal(t.row_misses, 1);
  assert_int_equal(t.row_hits, 1);
  assert_int_equal(t.row_conflicts, 1);
  assert_int_equal(t.queue_cycles, s.trcd + 0 + s.trp + s.trcd);
  bench_close(&b);
}

/* Alone or in a crowd, on one bank or on many: every access takes as long as one that opens its row
 * in an idle channel. */
static void unlimited_accesses_do_not_wait_for_each_other(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.unlimited = true;
  bench_t b;
  bench_open(&b, &s, MHZ, 64);
  for (uint32_t i = 0; i < 64; i++)
    bench_push(&b, i / 8, access_to(i, i % 3 ? 3 : i % 8, i * 7, i % 5 ? READ : WRITE));
  bench_drain(&b);
  for (uint32_t i = 0; i < 64; i++) {
    assert_int_equal(latency(&b, i, i / 8), s.trcd + s.tcl + burst(&s));
    assert_int_equal(b.done[i].id, i);
  }
  dram_stats_t t = total(b.dram);
  assert_int_equal(t.row_misses, 64);
  assert_int_equal(t.reads + t.writes, 64);
  assert_int_equal(t.queue_cycles, 0);
  bench_close(&b);
}

/* Page-table reads take the time of an idle channel, in a crowd as well; data comes and goes as if
 * they were not there, and each access is there to be taken in the cycle in which it is done. */
static void unlimited_walks_and_data_do_not_meet(void **state) {
  (void)state;
  uint64_t done[2][128] = {{0}};
  dram_spec_t s = default_spec();
  s.unlimited_walks = true;
  for (uint32_t with = 0; with < 2; with++) {
    bench_t b;
    bench_open(&b, &s, MHZ, 128);
    for (uint64_t t = 0; t < 64 * 3 || dram_waiting(b.dram); t++) {
      dram_run(b.dram, t);
      while (dram_first(b.dram) <= t) {
        dram_done_t d;
        dram_take(b.dram, &d);
        assert_int_equal(d.done, t);
        done[with][d.id] = t;
      }
      if (t % 3 || t >= 64 * 3) continue;
      uint32_t i = (uint32_t)t / 3;
      dram_access_t data = access_to(i, i % 4, i / 4, i % 5 ? READ : WRITE),
                    walk = access_to(64 + i, i % 8, i * 3, READ);
      walk.cls = DRAM_WALK;
      dram_push(b.dram, t, &data);
      if (with) dram_push(b.dram, t, &walk);
    }
    bench_close(&b);
  }
  assert_memory_equal(done[0], done[1], 64 * sizeof **done);
  for (uint32_t i = 0; i < 64; i++)
    assert_int_equal(done[1][64 + i], i * 3 + 1 + s.trcd + s.tcl + burst(&s));
}

static void closed_row_makes_conflicts_misses(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.closed_row = true;
  bench_t b;
  bench_open(&b, &s, MHZ, 4);
  for (uint32_t i = 0; i < 2; i++) bench_push(&b, 0, access_to(i, 3, 7, READ));
  bench_drain(&b);
  for (uint32_t i = 2; i < 4; i++) bench_push(&b, 1000 * i, access_to(i, 3, 6 + i, READ));
  bench_drain(&b);
  dram_stats_t t = total(b.dram);
  assert_int_equal(t.row_hits, 1); /* it waited when the row was first used */
  assert_int_equal(t.row_misses, 3);
  assert_int_equal(t.row_conflicts, 0);
  assert_int_equal(latency(&b, 2, 2000), s.trcd + s.tcl + burst(&s));
  assert_int_equal(when_command(&b, DRAM_CMD_AUTO_PRE, 3, 0),
                   when_command(&b, DRAM_CMD_ACT, 3, 0) + s.tras);
  bench_close(&b);
}

static void core_cycles_follow_the_clock_ratio(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.clock_mhz = 1674;
  bench_t b;
  bench_open(&b, &s, 1020, 1);
  bench_push(&b, 100, access_to(0, 0, 1, READ));
  bench_drain(&b);
  uint64_t edge = 100 * 279 / 170 + 1; /* the first that falls on a later core cycle */
  assert_int_equal(when_command(&b, DRAM_CMD_ACT, 0, 0), edge);
  uint64_t end = edge + s.trcd + s.tcl + burst(&s);
  assert_int_equal(done_at(&b, 0), (end * 170 + 278) / 279);
  bench_close(&b);
}

/* --- bandwidth -------------------------------------------------------------------------------- */

/* Keeps `inside` accesses waiting; returns the command cycles from the first to the last data. */
static uint64_t saturate(bench_t *b, uint32_t n, uint32_t inside,
                         dram_access_t (*make)(uint32_t i)) {
  uint32_t i = 0;
  while (i < n || dram_waiting(b->dram)) {
    for (; i < n && dram_waiting(b->dram) < inside; i++) bench_push(b, b->now, make(i));
    b->now = dram_wake(b->dram);
    bench_run(b);
  }
  return b->done[n - 1].done - b->done[0].done;
}

static dram_access_t alternating(uint32_t i) { return access_to(i, 2, i & 1 ? 5 : 9, READ); }

static void alternating_rows_run_at_the_row_cycle(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.scheduler = "fcfs"; /* frfcfs would collect the hits */
  bench_t b;
  bench_open(&b, &s, MHZ, 401);
  assert_int_equal(saturate(&b, 400, 40, alternating), 399ull * s.trc);
  assert_int_equal(total(b.dram).row_conflicts, 399);
  bench_close(&b);
}

static dram_access_t streaming(uint32_t i) { /* lines of 128 bytes, 16 of a row, bank by bank */
  dram_access_t a = access_to(i, i >> 4 & 7, i >> 7, READ);
  a.bursts = 4;
  return a;
}

static dram_access_t streaming_groups(uint32_t i) { /* lines of neighbouring banks in turn */
  dram_access_t a = access_to(i, i & 7, i >> 7, READ);
  a.bursts = 4;
  return a;
}

static dram_access_t one_row(uint32_t i) {
  dram_access_t a = access_to(i, 3, 1, READ);
  a.bursts = 4;
  return a;
}

static void streaming_reads_reach_95_percent_of_peak(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 8001);
  uint64_t cycles = saturate(&b, 8000, 48, streaming), peak = 7999ull * 4 * burst(&s);
  if (peak * 100 < cycles * 95)
    fail_msg("%llu of %llu", (unsigned long long)peak, (unsigned long long)cycles);
  assert_int_equal(dram_busy(b.dram), 8000ull * 4 * burst(&s));
  bench_close(&b);
}

/* tCCD_L of twice a burst: a stream reaches the peak because its accesses alternate between groups,
 * which those of a single bank cannot. */
static void groups_in_turn_reach_the_peak_one_group_half_of_it(void **state) {
  (void)state;
  for (uint32_t alone = 0; alone < 2; alone++) {
    dram_spec_t s = default_spec();
    s.groups = 4, s.tccd_l = 2 * burst(&s);
    bench_t b;
    bench_open(&b, &s, MHZ, 4001);
    uint64_t cycles = saturate(&b, 4000, 48, alone ? one_row : streaming_groups);
    uint64_t peak = 3999ull * 4 * burst(&s);
    if (alone)
      assert_true(cycles >= 2 * peak && cycles <= 2 * peak + 100);
    else
      assert_true(peak * 100 >= cycles * 95);
    bench_close(&b);
  }
}

static dram_access_t copying(uint32_t i) { /* two reads, one write, in other rows */
  dram_access_t a = streaming(i / 3 * 2 + (i % 3 == 1));
  if (i % 3 == 2) a = streaming(i / 3), a.row += 1000, a.write = WRITE;
  a.id = i;
  return a;
}

/* Each drain of 32 writes costs two turns of the bus: 12 - 2 + 11 - 2 = 19 cycles of 48 accesses
 * times 8 cycles and more, so 85 % is asked for. */
static void reads_and_writes_mixed_reach_85_percent(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 9001);
  uint64_t cycles = saturate(&b, 9000, 160, copying), peak = 8999ull * 4 * burst(&s);
  if (peak * 100 < cycles * 85)
    fail_msg("%llu of %llu", (unsigned long long)peak, (unsigned long long)cycles);
  bench_close(&b);
}

static dram_access_t scattered(uint32_t i) {
  rng_t r = {i};
  uint64_t x = rng_next(&r);
  return access_to(i, x & 7, (uint32_t)(x >> 32) & 1023, READ);
}

/* Random single bursts: at best one activate per max(tRRD, tFAW / 4, tRC / banks). */
static void random_reads_stay_below_the_activate_rate(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  bench_t b;
  bench_open(&b, &s, MHZ, 4001);
  uint64_t cycles = saturate(&b, 4000, 64, scattered);
  uint64_t activates = total(b.dram).row_misses + total(b.dram).row_conflicts;
  assert_true(cycles >= (activates - 8) * s.trrd);
  assert_true(cycles * 80 <= activates * s.trrd * 100); /* and come within 80 % of it */
  bench_close(&b);
}

/* --- refresh ---------------------------------------------------------------------------------- */

static void refresh_waits_for_open_banks_and_blocks_for_trfc(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.trefi = 1000, s.trfc = 65;
  bench_t b;
  bench_open(&b, &s, MHZ, 2);
  bench_push(&b, 979, access_to(0, 0, 1, READ)); /* seen 980, read at 992 */
  bench_push(&b, 999, access_to(1, 0, 1, READ)); /* due in the same cycle as the refresh */
  bench_drain(&b);
  uint64_t all = when_command(&b, DRAM_CMD_PRE_ALL, 0, 0);
  uint64_t ref = when_command(&b, DRAM_CMD_REFRESH, 0, 0);
  assert_int_equal(all, 980 + s.tras);
  assert_int_equal(ref, 980 + s.trc); /* = tRAS + tRP after the activate */
  assert_int_equal(when_command(&b, DRAM_CMD_ACT, 0, 1), ref + s.trfc);
  assert_int_equal(total(b.dram).row_misses, 2);
  bench_close(&b);
}

static void refreshes_missed_in_idle_time_are_made_up(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.trefi = 1000, s.trfc = 65;
  bench_t b;
  bench_open(&b, &s, MHZ, 1);
  assert_true(dram_wake(b.dram) == UINT64_MAX);
  bench_push(&b, 10500, access_to(0, 0, 1, READ));
  bench_drain(&b);
  for (uint32_t i = 0; i < 10; i++)
    assert_int_equal(when_command(&b, DRAM_CMD_REFRESH, 0, i), 1000 * (i + 1));
  assert_int_equal(latency(&b, 0, 10500), s.trcd + s.tcl + burst(&s));
  bench_close(&b);
}

/* Bank 0 is due first, after an eighth of tREFI; bank 1 goes on in the meantime. */
static void a_bank_is_refreshed_while_others_go_on(void **state) {
  (void)state;
  dram_spec_t s = default_spec();
  s.trefi = 8000, s.trfc = 100, s.bank_refresh = true;
  bench_t b;
  bench_open(&b, &s, MHZ, 4);
  bench_push(&b, 900, access_to(0, 0, 1, READ));
  bench_push(&b, 900, access_to(1, 1, 1, READ));
  bench_push(&b, 1001, access_to(2, 0, 1, READ));
  bench_push(&b, 1001, access_to(3, 1, 1, READ));
  bench_drain(&b);
  assert_int_equal(when_command(&b, DRAM_CMD_REFRESH_BANK, 0, 0), 1000 + s.trp);
  assert_int_equal(when_command(&b, DRAM_CMD_ACT, 0, 1), 1000 + s.trp + s.trfc);
  assert_int_equal(latency(&b, 3, 1001), s.tcl + burst(&s)); /* still open */
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_constraint_binds_exactly),
      cmocka_unit_test(referee_sees_one_cycle_too_early),
      cmocka_unit_test(one_command_per_cycle),
      cmocka_unit_test(train_counts_from_its_last_burst),
      cmocka_unit_test(unloaded_latency_of_miss_hit_and_conflict),
      cmocka_unit_test(unlimited_accesses_do_not_wait_for_each_other),
      cmocka_unit_test(unlimited_walks_and_data_do_not_meet),
      cmocka_unit_test(closed_row_makes_conflicts_misses),
      cmocka_unit_test(core_cycles_follow_the_clock_ratio),
      cmocka_unit_test(alternating_rows_run_at_the_row_cycle),
      cmocka_unit_test(streaming_reads_reach_95_percent_of_peak),
      cmocka_unit_test(reads_and_writes_mixed_reach_85_percent),
      cmocka_unit_test(random_reads_stay_below_the_activate_rate),
      cmocka_unit_test(refresh_waits_for_open_banks_and_blocks_for_trfc),
      cmocka_unit_test(refreshes_missed_in_idle_time_are_made_up),
      cmocka_unit_test(a_bank_is_refreshed_while_others_go_on),
      cmocka_unit_test(groups_in_turn_reach_the_peak_one_group_half_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
