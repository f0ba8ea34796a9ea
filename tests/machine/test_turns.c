/* Time slicing: applications have all SMs in turn. */
#include "gpu/stats.h"
#include "help.h"

#define APPS 3

/* Loads, arithmetic, shared memory, stores and a barrier, so that a turn ends in any of them. */
static const script_op_t work[] = {LOAD_AT(1, R_NO, VA, PAGE4, LINE),
                                   ALU(2, 1),
                                   SHARED(3, 2, 8, 4),
                                   BARRIER(0, 0),
                                   LOAD_SPREAD(4, 3, VA + 256 * KB, 4 * KB, LINE, LINE, 0xff),
                                   UNIT(IC_SFU, 5, R_NO),
                                   STORE_AT(5, VA + 512 * KB, PAGE4, LINE)};

#define OPS (sizeof work / sizeof *work)

typedef struct {
  program_t program[GMMU_MAX_APPS];
  script_t *s[GMMU_MAX_APPS];
  gpu_t *g;
  uint32_t apps;
} turns_test_t;

static gpu_spec_t sliced(uint32_t sms, uint64_t quantum) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", sms);
  setn(&s, "sm.blocks", 2); /* blocks wait for room, so that turns begin with some to start */
  set(&s, "share.mode", "time");
  setn(&s, "share.quantum", quantum);
  return s;
}

/* Application a runs 4 (a + 1) iterations in a + 4 blocks of two warps. */
static void open_turns(turns_test_t *x, const gpu_spec_t *spec, uint32_t apps) {
  app_spec_t app[GMMU_MAX_APPS] = {0};
  err_t e = {0};
  x->apps = apps;
  for (uint32_t a = 0; a < apps; a++) {
    x->program[a] = (program_t)PROGRAM_N(work, 4 * (a % 3 + 1));
    x->s[a] = script_new(&(script_spec_t){.program = &x->program[a],
                                          .programs = 1,
                                          .blocks = a + 4,
                                          .warps = 2,
                                          .regs = 16,
                                          .shared = 512,
                                          .va = VA,
                                          .bytes = MB},
                         65536);
    app[a] = (app_spec_t){.name = "app", .source = script_source(x->s[a])};
  }
  if (gpu_new(spec, app, apps, &x->g, &e) < 0) fail_msg("%s", e.text);
}

static void close_turns(turns_test_t *x) {
  gpu_free(x->g);
  for (uint32_t a = 0; a < x->apps; a++) script_free(x->s[a]);
}

static void run_turns(turns_test_t *x, const gpu_spec_t *spec, uint32_t apps) {
  open_turns(x, spec, apps);
  finish(x->g);
}

static uint64_t turns_of(const turns_test_t *x) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < x->apps; a++) n += x->g->turns.stats[a].turns;
  return n;
}

static void every_warp_executes_what_it_would_alone(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 300), space = spec;
  turns_test_t x, y;
  setn(&space, "gpu.sms", 6), set(&space, "share.mode", "space");
  run_turns(&x, &spec, APPS);
  run_turns(&y, &space, APPS);
  assert_true(turns_of(&x) > 20);
  for (uint32_t a = 0; a < APPS; a++) {
    const sm_stats_t *s = &x.g->cores.stats[a], *t = &y.g->cores.stats[a];
    assert_int_equal(s->warp_instructions, t->warp_instructions);
    assert_int_equal(s->thread_instructions, t->thread_instructions);
    assert_int_equal(s->lines, t->lines);
    assert_int_equal(s->barriers, t->barriers);
    assert_int_equal(s->blocks, t->blocks);
    assert_int_equal(s->stores, t->stores);
    for (uint32_t w = 0; w < 2 * (a + 4); w++) { /* each instruction once, in order */
      uint64_t last = 0;
      for (uint32_t n = 0; n < 4 * (a % 3 + 1) * OPS; n++) {
        uint64_t at = script_when(x.s[a], w, n);
        assert_true(n == 0 || at > last);
        last = at;
      }
    }
  }
  close_turns(&x), close_turns(&y);
}

/* Whose instruction issued in each cycle, 0 if nobody's, else application + 1. */
static uint8_t *issued_by(const turns_test_t *x) {
  uint64_t cycles = gpu_cycles(x->g);
  uint8_t *by = calloc(cycles, 1);
  assert_non_null(by);
  for (uint32_t a = 0; a < x->apps; a++)
    for (uint32_t i = 0; i < script_count(x->s[a]); i++) {
      uint8_t *b = &by[script_issue(x->s[a], i)->now];
      assert_true(*b == 0 || *b == a + 1);
      *b = (uint8_t)(a + 1);
    }
  return by;
}

static void two_applications_never_issue_in_one_turn(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 900);
  turns_test_t x;
  set(&spec, "share.cost", "fixed"), setn(&spec, "share.switch", 250);
  run_turns(&x, &spec, APPS);
  uint8_t *by = issued_by(&x), who = 0;
  uint64_t last = 0, first = 0, changes = 0;
  for (uint64_t t = 0; t < gpu_cycles(x.g); t++) {
    if (!by[t]) continue;
    if (who && by[t] != who) {
      assert_true(t - last > 250); /* the change lies between */
      changes++;
      first = t;
    }
    assert_true(t < first + 900 ||
                x.g->share.app[who - 1].runs); /* within the quantum, unless alone */
    who = by[t];
    last = t;
  }
  assert_int_equal(changes + 1, turns_of(&x));
  free(by);
  close_turns(&x);
}

static void turns_go_round(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 500);
  turns_test_t x;
  run_turns(&x, &spec, APPS);
  uint8_t *by = issued_by(&x), who = 1;
  uint64_t short_end = x.g->share.app[0].first_end;
  for (uint64_t t = 0; t < short_end; t++) { /* while everybody has work */
    if (!by[t] || by[t] == who) continue;
    assert_int_equal(by[t], who % APPS + 1);
    who = by[t];
  }
  free(by);
  close_turns(&x);
}

/* Everybody's slots are all slots at all times; what is not his turn is charged to it. */
static void stall_reasons_add_up(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(3, 800);
  turns_test_t x;
  run_turns(&x, &spec, APPS);
  for (uint32_t a = 0; a < APPS; a++) {
    const sm_stats_t *s = &x.g->cores.stats[a];
    uint64_t sum = s->warp_instructions;
    for (uint32_t i = 0; i < STALLS; i++) sum += s->stall[i];
    assert_int_equal(s->slot_cycles, 3ull * spec.sm.warps * gpu_cycles(x.g));
    assert_int_equal(sum, s->slot_cycles);
    assert_true(s->stall[STALL_TURN] > s->slot_cycles / 3);
  }
  close_turns(&x);
}

/* Wherever a run is cut off: in a turn, while it drains, during a change. */
static void a_run_may_end_in_any_phase(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 300);
  uint32_t seen = 0;
  for (uint64_t cycles = 1; cycles < 4000; cycles += 37) {
    turns_test_t x;
    gpu_limits_t limits = {.cycles = cycles};
    err_t e = {0};
    open_turns(&x, &spec, 2);
    assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, &e), 1);
    seen |= 1u << x.g->turns.phase;
    gpu_settle(x.g);
    if (gpu_check(x.g, &e) < 0)
      fail_msg("after %llu cycles: %s", (unsigned long long)cycles, e.text);
    close_turns(&x);
  }
  assert_int_equal(seen, 1u << TURN_RUNS | 1u << TURN_DRAINS | 1u << TURN_CHANGES);
}

/* One application has nobody to change with: the same bytes as if it had the SMs for itself. */
static void alone_there_are_no_turns(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 100), space = spec;
  turns_test_t x, y;
  set(&space, "share.mode", "space");
  run_turns(&x, &spec, 1);
  run_turns(&y, &space, 1);
  assert_int_equal(x.g->turns.stats[0].turns, 1);
  x.g->turns.stats[0].turns = 0;
  char *a = stats_text(x.g), *b = stats_text(y.g);
  assert_string_equal(a, b);
  free(a), free(b);
  close_turns(&x), close_turns(&y);
}

/* A quantum longer than the programs: one after the other, each with one turn. */
static void a_long_quantum_is_back_to_back(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 10000000);
  turns_test_t x;
  run_turns(&x, &spec, APPS);
  for (uint32_t a = 0; a < APPS; a++) {
    assert_int_equal(x.g->turns.stats[a].turns, 1);
    assert_int_equal(x.g->turns.stats[a].saved_bytes, 0);
    assert_true(a == 0 || x.g->share.app[a].first_end > x.g->share.app[a - 1].first_end);
  }
  close_turns(&x);
}

/* Four blocks of two warps with 16 registers and 512 bytes each, through 48 bytes per cycle: one
 * channel of 8 bytes, 4 transfers per clock of 1500 MHz. */
static void a_change_costs_what_the_state_takes(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 400);
  setn(&spec, "dram.bus_bytes", 8), setn(&spec, "dram.data_rate", 4);
  turns_test_t x;
  open_turns(&x, &spec, 2);
  gpu_limits_t limits = {0};
  const turn_stats_t *t = x.g->turns.stats;
  uint64_t block = 4 * 16 * 64 + 512, until = 1;
  while (t[1].turns == 0) assert_int_equal(gpu_run(x.g, &limits, until++, NULL), 0);
  uint64_t most = 4 * block; /* the first turn may end with blocks that have */
  assert_true(t[0].saved_bytes > 0 && t[0].saved_bytes <= most);
  assert_int_equal(t[0].saved_bytes % block, 0);
  assert_int_equal(t[1].switch_cycles, (t[0].saved_bytes + 47) / 48); /* nothing to restore yet */
  while (t[0].turns == 1) assert_int_equal(gpu_run(x.g, &limits, until++, NULL), 0);
  assert_int_equal(t[0].switch_cycles, (t[0].saved_bytes + 47) / 48 + (t[1].saved_bytes + 47) / 48);
  close_turns(&x);
}

/* Two warps of one scheduler: the first waits for a load, so that the second becomes the greedy
 * one; then both could always issue. The other application's warp does next to nothing. */
static void a_turn_goes_on_with_the_warp_that_issued_last(void **state) {
  (void)state;
  static const script_op_t load_first[] = {LOAD(1, R_NO, VA), ALU(R_NO, 1)},
                           adds[] = {ALU(R_NO, R_NO)};
  const program_t both[] = {PROGRAM_N(load_first, 400), PROGRAM_N(adds, 4000)},
                  other = PROGRAM_N(adds, 2000);
  gpu_spec_t spec = sliced(1, 1000);
  set(&spec, "share.cost", "fixed");
  script_t *s[2] = {
      script_new(
          &(script_spec_t){
              .program = both, .programs = 2, .blocks = 1, .warps = 2, .va = VA, .bytes = MB},
          8192),
      script_new(
          &(script_spec_t){
              .program = &other, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
          8192)};
  source_t *src[2] = {script_source(s[0]), script_source(s[1])};
  gpu_t *g = machine(&spec, src, 2);
  gpu_limits_t limits = {0};
  for (uint64_t until = 1; g->turns.stats[0].turns < 2; until++)
    assert_int_equal(gpu_run(g, &limits, until, NULL), 0);
  uint32_t before = script_count(s[0]);
  assert_int_equal(script_issue(s[0], before - 1)->warp, 1);
  /* the first warp could issue from when its load was there; what came after the turn is not its */
  uint64_t waited = g->cores.stats[0].stall[STALL_STRUCTURAL];
  assert_in_range(waited, 300, 1000);
  assert_int_equal(gpu_run(g, &limits, gpu_cycles(g) + 10, NULL), 0);
  assert_true(script_count(s[0]) > before);
  for (uint32_t i = before; i < script_count(s[0]); i++)
    assert_int_equal(script_issue(s[0], i)->warp, 1);
  gpu_free(g);
  for (uint32_t a = 0; a < 2; a++) script_free(s[a]);
}

static uint64_t cycles_with(const char *key, uint64_t value) {
  gpu_spec_t spec = sliced(2, 1000);
  turns_test_t x;
  set(&spec, "share.cost", "fixed");
  setn(&spec, key, value);
  run_turns(&x, &spec, 2);
  uint64_t n = gpu_cycles(x.g);
  close_turns(&x);
  return n;
}

static void changes_take_time_and_short_turns_more(void **state) {
  (void)state;
  assert_true(cycles_with("share.switch", 500) > cycles_with("share.switch", 0) + 500);
  assert_true(cycles_with("share.quantum", 200) > cycles_with("share.quantum", 5000));
}

/* The first application's kernels take long to start: the other one has the SMs meanwhile. */
static void who_has_no_work_gives_up_the_turn(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 10000000);
  static const script_command_t twice[] = {
      {CMD_ALLOC, VA, MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  const program_t p = PROGRAM_N(work, 2);
  setn(&spec, "gpu.launch", 3000);
  script_t *s[2];
  source_t *src[2];
  for (uint32_t a = 0; a < 2; a++) {
    s[a] = script_new(&(script_spec_t){.program = &p,
                                       .programs = 1,
                                       .blocks = 4,
                                       .warps = 2,
                                       .command = twice,
                                       .commands = 3,
                                       .va = VA,
                                       .bytes = MB},
                      4096);
    src[a] = script_source(s[a]);
  }
  gpu_t *g = machine(&spec, src, 2);
  finish(g);
  for (uint32_t a = 0; a < 2; a++) assert_int_equal(g->turns.stats[a].turns, 2);
  assert_true(script_when(s[1], 0, 0) < script_when_launch(s[0], 1, 0, 0));
  gpu_free(g);
  for (uint32_t a = 0; a < 2; a++) script_free(s[a]);
}

static void hits_with(const char *key, const char *value, uint64_t *l1, uint64_t *tlb) {
  gpu_spec_t spec = sliced(1, 400);
  turns_test_t x;
  set(&spec, key, value);
  run_turns(&x, &spec, 2);
  *l1 = x.g->l1.stats[0].hits + x.g->l1.stats[1].hits;
  *tlb = x.g->tlb.level[0].stats[0].hits + x.g->tlb.level[0].stats[1].hits;
  close_turns(&x);
}

static void translations_stay_and_l1_does_not_unless_told(void **state) {
  (void)state;
  uint64_t l1, tlb, l1_kept, tlb_kept, l1_flushed, tlb_flushed;
  hits_with("share.flush_l1", "true", &l1, &tlb);
  hits_with("share.flush_l1", "false", &l1_kept, &tlb_kept);
  hits_with("share.flush_tlbs", "true", &l1_flushed, &tlb_flushed);
  assert_true(l1_kept > l1);
  assert_true(tlb_flushed < tlb);
}

static void there_may_be_more_applications_than_sms(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(1, 600);
  turns_test_t x;
  run_turns(&x, &spec, 10);
  for (uint32_t a = 0; a < 10; a++) assert_int_equal(gpu_app_runs(x.g, a), 1);
  close_turns(&x);
}

static void a_share_of_the_sms_is_refused(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 600);
  const program_t p = PROGRAM(work);
  script_t *s = script_of(&p, 1, 1, MB);
  app_spec_t app = {.name = "a", .source = script_source(s), .sms = 1};
  gpu_t *g;
  err_t e = {0};
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "share.mode=time"));
  script_free(s);
}

/* Those that finish are started again, and get turns again, until everybody has finished once. */
static void relaunched_applications_keep_their_turns(void **state) {
  (void)state;
  gpu_spec_t spec = sliced(2, 700);
  turns_test_t x;
  gpu_limits_t limits = {0};
  err_t e = {0};
  open_turns(&x, &spec, APPS);
  assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, &e), 1);
  gpu_settle(x.g);
  if (gpu_check(x.g, &e) < 0) fail_msg("%s", e.text);
  assert_true(gpu_app_runs(x.g, 0) > 1);
  assert_int_equal(gpu_app_runs(x.g, 2), 1);
  close_turns(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_warp_executes_what_it_would_alone),
      cmocka_unit_test(two_applications_never_issue_in_one_turn),
      cmocka_unit_test(turns_go_round),
      cmocka_unit_test(stall_reasons_add_up),
      cmocka_unit_test(a_run_may_end_in_any_phase),
      cmocka_unit_test(alone_there_are_no_turns),
      cmocka_unit_test(a_long_quantum_is_back_to_back),
      cmocka_unit_test(a_change_costs_what_the_state_takes),
      cmocka_unit_test(a_turn_goes_on_with_the_warp_that_issued_last),
      cmocka_unit_test(changes_take_time_and_short_turns_more),
      cmocka_unit_test(who_has_no_work_gives_up_the_turn),
      cmocka_unit_test(translations_stay_and_l1_does_not_unless_told),
      cmocka_unit_test(there_may_be_more_applications_than_sms),
      cmocka_unit_test(a_share_of_the_sms_is_refused),
      cmocka_unit_test(relaunched_applications_keep_their_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
