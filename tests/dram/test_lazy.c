/* Property: whoever calls dram_run(), however often and however far ahead, the same accesses
 * complete at the same times by the same commands; and every log is legal. Without a log nothing
 * else happens, although other code may be at work then. */
#include "base/rng.h"
#include "help.h"
#include <stdio.h>

#define ACCESSES 1500

typedef struct {
  uint64_t at[ACCESSES];
  dram_access_t access[ACCESSES];
} traffic_t;

typedef enum { EVERY_CYCLE, AT_WAKE, AHEAD, AT_RANDOM, WITHOUT_LOG, LOG_AT_TIMES, STYLES } style_t;

/* Bursts of arrivals and pauses; some rows hot, some banks hot, some writes; short and long. */
static void make_traffic(traffic_t *t, const dram_spec_t *s, rng_t *rng) {
  uint64_t at = rng_below(rng, 50);
  uint32_t pause = 1 + rng_below(rng, 40), writes = rng_below(rng, 60),
           rows = 1 + rng_below(rng, 6), quotas = 1 + rng_below(rng, 20);
  for (uint32_t i = 0; i < ACCESSES; i++) {
    if (rng_below(rng, 3) == 0) at += rng_below(rng, pause);
    if (rng_below(rng, 400) == 0) at += rng_below(rng, 3000);
    if (rng_below(rng, 900) == 0) at += rng_below(rng, 100000);
    t->at[i] = at;
    t->access[i] = (dram_access_t){.id = i,
                                   .row = rng_below(rng, rows),
                                   .bursts = (uint16_t)(1 + rng_below(rng, 4)),
                                   .bank = (uint8_t)rng_below(rng, s->banks),
                                   .write = rng_below(rng, 100) < writes,
                                   .app = (uint8_t)rng_below(rng, 3),
                                   .cls = (uint8_t)rng_below(rng, DRAM_CLASSES)};
    t->access[i].quota = (uint16_t)rng_below(rng, quotas);
  }
}

/* The next push is at `push`: no call looks further ahead; after the last none does, or refreshes
 * would be made that the others do not get to. */
static uint64_t next_call(const bench_t *b, style_t style, uint64_t push, rng_t *rng) {
  uint64_t wake = dram_wake(b->dram);
  if (style == EVERY_CYCLE) return b->now + 1;
  if (wake == UINT64_MAX || style == AT_WAKE || style >= WITHOUT_LOG) return wake;
  if (style == AHEAD && push == UINT64_MAX) return wake;
  if (style == AHEAD) {
    uint64_t ahead = wake + rng_below(rng, 300);
    return push >= wake && push < ahead ? push : ahead;
  }
  return b->now + 1 + rng_below(rng, (uint32_t)(wake - b->now));
}

static void call(bench_t *b, style_t style) {
  uint32_t before = b->done_count;
  err_t e;
  if (style == LOG_AT_TIMES) dram_set_log(b->dram, b->now / 512 % 2 ? &b->log : NULL);
  bench_run(b);
  if (style != AHEAD)
    for (uint32_t i = before; i < b->done_count; i++) assert_true(b->done[i].done >= b->now);
  bool look = style == AT_WAKE || style >= WITHOUT_LOG || b->now % 64 == 0; /* it is slow */
  if (look && dram_check(b->dram, &e)) fail_msg("%s", e.text);
}

/* Pushes come before or after the run of their cycle: it must not matter. */
static void play(bench_t *b, const traffic_t *t, style_t style, rng_t *rng) {
  uint32_t i = 0;
  while (i < ACCESSES || dram_waiting(b->dram)) {
    uint64_t next = next_call(b, style, i < ACCESSES ? t->at[i] : UINT64_MAX, rng);
    if (i < ACCESSES && t->at[i] <= next) {
      bool push_first = rng_below(rng, 2);
      if (next == t->at[i] && !push_first) b->now = next, call(b, style);
      b->now = t->at[i];
      uint64_t at = t->at[i];
      for (; i < ACCESSES && t->at[i] == at; i++) bench_push(b, at, t->access[i]);
      if (next == at) call(b, style);
    } else {
      assert_true(next > b->now);
      b->now = next;
      call(b, style);
    }
  }
}

static bool same_command(const dram_cmd_t *x, const dram_cmd_t *y) {
  return x->t == y->t && x->row == y->row && x->id == y->id && x->bursts == y->bursts &&
         x->cmd == y->cmd && x->bank == y->bank;
}

/* Commands up to the last access: who is called later may get to a refresh behind it. */
static uint32_t commands(const bench_t *b) {
  uint32_t n = b->log.count;
  while (n && b->log.cmd[n - 1].cmd >= DRAM_CMD_AUTO_PRE) n--; /* what has no access of its own */
  return n;
}

static void same_commands(const bench_t *a, const bench_t *b, const char *what) {
  if (commands(a) != commands(b)) fail_msg("%s: other number of commands", what);
  for (uint32_t i = 0; i < commands(a); i++)
    if (!same_command(&a->log.cmd[i], &b->log.cmd[i])) fail_msg("%s: command %u differs", what, i);
}

static void same(const bench_t *a, const bench_t *b, const char *what) {
  if (a->done_count != b->done_count) fail_msg("%s: other number of results", what);
  for (uint32_t i = 0; i < a->done_count; i++)
    if (a->done[i].id != b->done[i].id || a->done[i].done != b->done[i].done)
      fail_msg("%s: completion %u differs", what, i);
  for (uint8_t app = 0; app < 3; app++)
    assert_memory_equal(dram_stats(a->dram, app, DRAM_WALK), dram_stats(b->dram, app, DRAM_WALK),
                        sizeof(dram_stats_t));
}

static void conserved(const bench_t *b, const traffic_t *t) {
  uint64_t bursts = 0;
  uint8_t seen[ACCESSES] = {0};
  for (uint32_t i = 0; i < ACCESSES; i++) bursts += t->access[i].bursts, seen[b->done[i].id]++;
  for (uint32_t i = 0; i < ACCESSES; i++) assert_int_equal(seen[i], 1);
  for (uint32_t i = 1; i < ACCESSES; i++) assert_true(b->done[i - 1].done <= b->done[i].done);
  dram_stats_t s = total(b->dram);
  assert_int_equal(s.reads + s.writes, ACCESSES);
  assert_int_equal(s.row_hits + s.row_misses + s.row_conflicts, ACCESSES);
  assert_int_equal(s.read_bytes + s.write_bytes, bursts * b->spec.bus_bytes * b->spec.burst_length);
}

static void try_one(const dram_spec_t *spec, const dram_sched_ops_t *ops, uint32_t core_mhz,
                    uint64_t seed) {
  static traffic_t t;
  bench_t b[STYLES];
  char what[160];
  rng_t rng = {seed};
  make_traffic(&t, spec, &rng);
  for (style_t s = 0; s < STYLES; s++) {
    snprintf(
        what, sizeof what,
        "GMMU_SEED=%llu %s closed %d refresh %u %d dual %d groups %u %u %u one queue %d style %d",
        (unsigned long long)seed, ops->name, spec->closed_row, spec->trefi, spec->bank_refresh,
        spec->dual_command, spec->groups, spec->command_cycles, spec->activate_cycles,
        spec->one_queue, (int)s);
    bench_open_with(&b[s], spec, ops, core_mhz, ACCESSES);
    if (s >= WITHOUT_LOG) dram_set_log(b[s].dram, NULL);
    play(&b[s], &t, s, &rng);
    same(&b[0], &b[s], what);
    if (s < WITHOUT_LOG) same_commands(&b[0], &b[s], what);
  }
  conserved(&b[0], &t);
  const char *why = legal_log(spec, b[0].log.cmd, b[0].log.count);
  if (why) fail_msg("%s: %s", what, why);
  for (style_t s = 0; s < STYLES; s++) bench_close(&b[s]);
}

static void randomise(dram_spec_t *s, rng_t *rng) {
  s->banks = 1u << rng_below(rng, 5);
  s->queue = 1 + rng_below(rng, 40);
  s->golden = 1 + rng_below(rng, 6);
  s->silver = 1 + rng_below(rng, 20);
  s->normal = 1 + rng_below(rng, 40);
  s->thresh_max = 1 + rng_below(rng, 100);
  s->write_queue = 2 + rng_below(rng, 30);
  s->write_high = 1 + rng_below(rng, s->write_queue);
  s->write_low = rng_below(rng, s->write_high);
  s->tfaw = 20 + rng_below(rng, 20);
  s->trc = 35 + rng_below(rng, 15);
  s->tccd = 1 + rng_below(rng, 3);
  s->data_rate = 2u << rng_below(rng, 3);
  s->dual_command = rng_below(rng, 2);
  s->tcwl = 1 + rng_below(rng, 12);
  if (rng_below(rng, 2)) return;
  s->groups = 1u << rng_below(rng, 3);
  if (s->groups > s->banks) s->groups = s->banks;
  s->tccd_l = rng_below(rng, 8);
  s->trrd_l = rng_below(rng, 12);
  s->twtr_l = rng_below(rng, 12);
  s->command_cycles = 1 + rng_below(rng, 3);
  s->activate_cycles = 1 + rng_below(rng, 4);
}

/* A scheduler that uses everything the interface offers: queues of several sizes chosen by a state
 * that moves with what was served, and passing. */
typedef struct {
  uint32_t served;
} wild_t;

static size_t wild_bytes(const dram_spec_t *s) {
  (void)s;
  return sizeof(wild_t);
}

static uint32_t wild_enqueue(void *state, const dram_access_t *a) {
  const wild_t *w = state;
  return a->cls == DRAM_WALK ? 0 : a->app == (w->served >> 4) % 3 ? 1 : 2;
}

static int wild_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  const wild_t *w = state;
  dram_order_t order = dram_oldest(c, ready);
  if (order == c->oldest) return dram_bank_of(order);
  bool will_come = c->order[dram_bank_of(c->oldest)] == c->oldest;
  if (will_come && (order / DRAM_BANKS_MAX + w->served) % 5 == 0) return -1;
  uint32_t first = 0;
  for (uint32_t m = ready; m; m &= m - 1)
    if (c->queue[__builtin_ctz(m)] == 0) first |= m & -m;
  return dram_bank_of(dram_oldest(c, first ? first : ready));
}

static void wild_served(void *state, const dram_access_t *a) {
  wild_t *w = state;
  w->served += 1u + a->write;
}

static uint32_t wild_capacity(const dram_spec_t *s, uint32_t queue) {
  return queue == 0 ? 3 : queue == 1 ? 7 : s->queue;
}

static const dram_sched_ops_t wild = {.name = "wild",
                                      .queues = 3,
                                      .capacity = wild_capacity,
                                      .yields = {false, true, false},
                                      .row_first = {false, true, true},
                                      .may_pass = true,
                                      .wants_oldest = true,
                                      .state_bytes = wild_bytes,
                                      .enqueue = wild_enqueue,
                                      .choose = wild_choose,
                                      .served = wild_served};

static uint32_t machines = 12; /* per option; the first argument */

static void try_many(const dram_sched_ops_t *ops, uint64_t seed) {
  static const uint32_t core[] = {1020, 1674, 3000, 400, 1000};
  rng_t rng = {seed};
  for (uint32_t option = 0; option < 4; option++)
    for (uint32_t i = 0; i < machines; i++) {
      dram_spec_t s = default_spec();
      s.clock_mhz = 1674;
      s.closed_row = option & 1;
      if (i) randomise(&s, &rng);
      if (option & 2) s.trefi = 400 + rng_below(&rng, 3000), s.trfc = 65;
      s.bank_refresh = i % 3 == 2;
      s.one_queue = ops->queues == 1 && i % 2;
      try_one(&s, ops, core[rng_below(&rng, 5)], rng_next(&rng));
    }
}

static void calling_style_does_not_matter(void **state) {
  (void)state;
  for (const dram_sched_ops_t *const *ops = dram_sched_all; *ops; ops++)
    try_many(*ops, test_seed());
}

static void nor_with_queues_state_and_passing(void **state) {
  (void)state;
  try_many(&wild, test_seed());
}

/* A hash of the order of completions and their times, and how many there were before access 0. */
typedef struct {
  uint64_t hash;
  uint32_t count, before_first;
} order_t;

static void take_all(bench_t *b, uint64_t until, order_t *o) {
  dram_done_t d;
  dram_run(b->dram, until);
  while (dram_first(b->dram) != UINT64_MAX) {
    dram_take(b->dram, &d);
    if (d.id == 0) o->before_first = o->count;
    o->hash = (o->hash ^ d.id ^ d.done << 32) * 0x9e3779b97f4a7c15u;
    o->count++;
  }
}

static void push_one(bench_t *b, uint64_t at, uint32_t *id, uint8_t bank, uint32_t row,
                     bool write) {
  bench_push(b, at, (dram_access_t){.id = (*id)++, .bank = bank, .row = row, .write = write});
}

/* Reads hold a row of bank 0, so that a write to another row of it gets no chance while writes are
 * served: one at a time, and there is always one that hits. In the end it is the oldest of many. */
static order_t starve(bench_t *b, uint32_t rounds) {
  order_t o = {0};
  uint32_t id = 1, starved = 0;
  uint64_t at = 0;
  for (uint32_t i = 0; i < rounds; i++, at += 24) {
    while (dram_waiting(b->dram) < 24) push_one(b, at, &id, 0, 1, false);
    if (i == 2) push_one(b, at, &starved, 0, 9, true);
    push_one(b, at, &id, 1, 1, true);
    take_all(b, at, &o);
  }
  for (uint8_t bank = 1; bank < 8; bank++) push_one(b, at, &id, bank, 3, true);
  take_all(b, at + 10000, &o);
  return o;
}

/* The numbers by which a plain channel compares ages have 16 bits. */
static void an_access_overtaken_by_very_many_keeps_its_age(void **state) {
  (void)state;
  enum { ROUNDS = 40000 };
  dram_spec_t s = default_spec();
  s.write_high = 2, s.write_low = 1;
  order_t o[2];
  for (uint32_t i = 0; i < 2; i++) {
    bench_t b;
    bench_open(&b, &s, MHZ, 64);
    if (i) dram_set_log(b.dram, NULL);
    o[i] = starve(&b, ROUNDS);
    bench_close(&b);
  }
  assert_true(o[0].before_first > 4 * ROUNDS);
  assert_int_equal(o[0].before_first, o[1].before_first);
  assert_true(o[0].hash == o[1].hash);
}

int main(int argc, char **argv) {
  if (argc > 1) machines = (uint32_t)strtoul(argv[1], NULL, 10);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calling_style_does_not_matter),
      cmocka_unit_test(nor_with_queues_state_and_passing),
      cmocka_unit_test(an_access_overtaken_by_very_many_keeps_its_age)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
