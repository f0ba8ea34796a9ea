/* The SM: who issues when. */
#include "formula.h"
#include "help.h"

typedef struct {
  gpu_spec_t spec;
  const program_t *program;
  uint32_t programs, blocks, warps, threads, regs, shared;
} sm_case_t;

static script_t *run_case(const sm_case_t *c) {
  script_t *s = script_new(&(script_spec_t){.program = c->program,
                                            .programs = c->programs ? c->programs : 1,
                                            .blocks = c->blocks ? c->blocks : 1,
                                            .warps = c->warps,
                                            .threads = c->threads,
                                            .regs = c->regs,
                                            .shared = c->shared,
                                            .va = VA,
                                            .bytes = MB},
                           65536);
  gpu_t *g = run_script(&c->spec, s);
  gpu_free(g);
  return s;
}

/* ---- schedulers -------------------------------------------------------------------------------
 */

static const script_op_t free_ops[] = {ALU(1, R_NO), ALU(2, R_NO), ALU(3, R_NO), ALU(4, R_NO)};
static const program_t free_program = PROGRAM(free_ops);
enum { FREE_OPS = 5 }; /* with the exit */

static void gto_stays_with_a_warp_while_it_can(void **state) {
  (void)state;
  sm_case_t c = {.spec = lab_spec(), .program = &free_program, .warps = 4};
  set(&c.spec, "sm.scheduler", "gto");
  script_t *s = run_case(&c);
  assert_int_equal(script_count(s), 4 * FREE_OPS);
  for (uint32_t i = 0; i < script_count(s); i++) {
    assert_int_equal(script_issue(s, i)->warp, i / FREE_OPS);
    assert_int_equal(script_issue(s, i)->now, script_issue(s, 0)->now + i);
  }
  script_free(s);
}

static void lrr_goes_round(void **state) {
  (void)state;
  sm_case_t c = {.spec = lab_spec(), .program = &free_program, .warps = 4};
  set(&c.spec, "sm.scheduler", "lrr");
  script_t *s = run_case(&c);
  for (uint32_t i = 0; i < script_count(s); i++) assert_int_equal(script_issue(s, i)->warp, i % 4);
  script_free(s);
}

/* While the second warp has work, the first, older one waits, though it is ready again. */
static void gto_is_greedy_before_it_looks_for_the_oldest(void **state) {
  (void)state;
  const script_op_t first[] = {UNIT(IC_SFU, 1, R_NO), ALU(2, 1)};
  script_op_t second[60];
  for (uint32_t i = 0; i < 60; i++) second[i] = (script_op_t)ALU((uint8_t)i, R_NO);
  const program_t p[] = {PROGRAM(first), PROGRAM(second)};
  sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 2, .warps = 2};
  script_t *s = run_case(&c);
  assert_true(script_when(s, 0, 0) + c.spec.sm.sfu_latency < script_when(s, 1, 60));
  assert_int_equal(script_when(s, 0, 1), script_when(s, 1, 60) + 1);
  script_free(s);
}

/* Chains: whoever issued last must wait, so the oldest that is ready goes. */
static void gto_takes_the_oldest_when_it_must_leave(void **state) {
  (void)state;
  const script_op_t ops[] = {ALU(1, 1), ALU(1, 1), ALU(1, 1)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 3};
  setn(&c.spec, "sm.int_latency", 2); /* warp 0 is ready again when warp 2 would be next */
  script_t *s = run_case(&c);
  static const uint32_t want[] = {0, 1, 0, 1, 0, 0}; /* its exit needs no operand: greedy */
  for (uint32_t i = 0; i < 6; i++) assert_int_equal(script_issue(s, i)->warp, want[i]);
  script_free(s);
}

static void each_scheduler_issues_once_per_cycle(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) {
    sm_case_t c = {.spec = lab_spec(), .program = &free_program, .warps = 12};
    setn(&c.spec, "sm.schedulers", n);
    script_t *s = run_case(&c);
    uint32_t count = script_count(s);
    uint64_t cycles = script_issue(s, count - 1)->now - script_issue(s, 0)->now + 1;
    assert_int_equal(cycles, 12 * FREE_OPS / n);
    script_free(s);
  }
}

/* ---- units ------------------------------------------------------------------------------------
 */

static void unit_interval(uint8_t cls, const char *key) {
  for (uint32_t interval = 1; interval <= 9; interval += 4) {
    script_op_t ops[8];
    for (uint8_t i = 0; i < 8; i++) ops[i] = (script_op_t)UNIT(cls, i, R_NO);
    const program_t p = PROGRAM(ops);
    sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 2};
    setn(&c.spec, "sm.branch_latency", 1);
    setn(&c.spec, key, interval);
    script_t *s = run_case(&c);
    for (uint32_t i = 1; i < 8; i++)
      assert_int_equal(script_issue(s, i)->now - script_issue(s, i - 1)->now, interval);
    script_free(s);
  }
}

static void units_take_a_warp_per_interval(void **state) {
  (void)state;
  unit_interval(IC_INT, "sm.int_interval");
  unit_interval(IC_FP32, "sm.int_interval");
  unit_interval(IC_FP64, "sm.fp64_interval");
  unit_interval(IC_SFU, "sm.sfu_interval");
  unit_interval(IC_BRANCH, "sm.branch_interval");
}

static void a_busy_unit_does_not_stop_another(void **state) {
  (void)state;
  const script_op_t ops[] = {UNIT(IC_FP64, 1, R_NO), ALU(2, R_NO), UNIT(IC_SFU, 3, R_NO),
                             ALU(4, R_NO)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
  script_t *s = run_case(&c);
  for (uint32_t i = 1; i < 4; i++)
    assert_int_equal(script_when(s, 0, i) - script_when(s, 0, i - 1), 1);
  script_free(s);
}

static void what_follows_a_branch_waits(void **state) {
  (void)state;
  const script_op_t ops[] = {UNIT(IC_BRANCH, R_NO, R_NO), ALU(1, R_NO)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
  setn(&c.spec, "sm.branch_latency", 14);
  script_t *s = run_case(&c);
  assert_int_equal(script_when(s, 0, 1) - script_when(s, 0, 0), 14);
  script_free(s);
}

/* The depth of the pipeline is in front of every result of a unit, and of nothing else. */
static void a_result_takes_the_depth_and_its_unit(void **state) {
  (void)state;
  const script_op_t ops[] = {ALU(1, R_NO),       UNIT(IC_FP32, 2, 1), UNIT(IC_FP64, 3, 2),
                             SHARED(4, 3, 4, 4), CONSTANT(5, 4),      ALU(6, 5),
                             ALU(7, R_NO)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
  setn(&c.spec, "sm.depth", 5);
  setn(&c.spec, "sm.fp64_latency", 33);
  script_t *s = run_case(&c);
  const sm_spec_t *m = &c.spec.sm;
  const uint64_t latency[] = {m->int_latency, m->fp32_latency, 33, m->shared_latency,
                              m->const_latency};
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(script_when(s, 0, i + 1) - script_when(s, 0, i), 5 + latency[i]);
  assert_int_equal(script_when(s, 0, 6) - script_when(s, 0, 5), 1);
  script_free(s);
}

/* A unit takes a warp every 8 cycles: three issue at once, of which two wait before it, the fourth
 * when a place comes free; and what the third computes is there when the unit has come to it. */
static void instructions_wait_before_a_busy_unit(void **state) {
  (void)state;
  const script_op_t ops[] = {UNIT(IC_SFU, 1, R_NO), UNIT(IC_SFU, 2, R_NO), UNIT(IC_SFU, 3, R_NO),
                             UNIT(IC_SFU, 4, R_NO), ALU(5, 3)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
  setn(&c.spec, "sm.unit_queue", 2);
  setn(&c.spec, "sm.sfu_interval", 8);
  setn(&c.spec, "sm.sfu_latency", 21);
  setn(&c.spec, "sm.fp64_interval", 1);
  script_t *s = run_case(&c);
  const uint64_t want[] = {0, 1, 2, 8, 2 * 8 + 21};
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(script_when(s, 0, i) - script_when(s, 0, 0), want[i]);
  script_free(s);
}

/* An instruction waits for what it reads and for what it overwrites, and for nothing else. */
static void scoreboard_waits_for_reads_and_overwrites(void **state) {
  (void)state;
  const script_op_t ops[] = {UNIT(IC_SFU, 1, R_NO), ALU(2, R_NO), ALU(3, 2), ALU(1, R_NO)};
  const program_t p = PROGRAM(ops);
  sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
  setn(&c.spec, "sm.sfu_latency", 31);
  script_t *s = run_case(&c);
  uint64_t t = script_when(s, 0, 0);
  assert_int_equal(script_when(s, 0, 1), t + 1);
  assert_int_equal(script_when(s, 0, 2), t + 1 + c.spec.sm.int_latency);
  assert_int_equal(script_when(s, 0, 3), t + 31);
  script_free(s);
}

static void shared_memory_conflicts_cost_passes(void **state) {
  (void)state;
  static const struct {
    int64_t stride;
    uint8_t width;
    uint32_t passes;
  } want[] = {{4, 4, 1},    {0, 4, 1},   {8, 4, 2},  {16, 4, 4}, {64, 4, 16},
              {128, 4, 32}, {132, 4, 1}, {12, 4, 1}, {8, 8, 2},  {16, 16, 4},
              {1, 1, 1},    {0, 8, 1},   {0, 16, 1}};
  for (uint32_t i = 0; i < sizeof want / sizeof *want; i++) {
    const script_op_t ops[] = {SHARED(1, R_NO, want[i].stride, want[i].width), ALU(2, 1)};
    const program_t p = PROGRAM(ops);
    sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 2};
    script_t *s = run_case(&c);
    uint64_t first = script_when(s, 0, 0), latency = c.spec.sm.shared_latency;
    assert_int_equal(script_when(s, 0, 1) - first, latency + want[i].passes - 1);
    assert_int_equal(script_when(s, 1, 0) - first, want[i].passes); /* the banks are busy */
    script_free(s);
  }
}

/* Two schedulers with a warp each, whose accesses take two passes: the first scheduler's go first,
 * or (sm.fair) one of each in turn. */
static void schedulers_take_turns_at_shared_memory(void **state) {
  (void)state;
  const script_op_t ops[] = {SHARED(1, R_NO, 8, 4), SHARED(2, R_NO, 8, 4), SHARED(3, R_NO, 8, 4)};
  const program_t p = PROGRAM(ops);
  for (uint32_t fair = 0; fair < 2; fair++) {
    sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 2};
    setn(&c.spec, "sm.schedulers", 2);
    set(&c.spec, "sm.fair", fair ? "true" : "false");
    script_t *s = run_case(&c);
    uint64_t first = script_when(s, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(script_when(s, 0, i) - first, fair ? 4 * i : 2 * i);
      assert_int_equal(script_when(s, 1, i) - first, fair ? 4 * i + 2 : 6 + 2 * i);
    }
    script_free(s);
  }
}

/* Constant loads need no unit, or (sm.const_interval) that of integers. */
static void constant_loads_may_take_the_integer_unit(void **state) {
  (void)state;
  const script_op_t ops[] = {CONSTANT(1, R_NO), CONSTANT(2, R_NO), ALU(3, R_NO), ALU(4, R_NO)};
  const program_t p = PROGRAM(ops);
  for (uint32_t interval = 0; interval <= 6; interval += 3) {
    sm_case_t c = {.spec = lab_spec(), .program = &p, .warps = 1};
    setn(&c.spec, "sm.const_interval", interval);
    setn(&c.spec, "sm.int_interval", 2);
    script_t *s = run_case(&c);
    uint64_t gap = interval ? interval : 1;
    assert_int_equal(script_when(s, 0, 1) - script_when(s, 0, 0), gap);
    assert_int_equal(script_when(s, 0, 2) - script_when(s, 0, 1), gap);
    assert_int_equal(script_when(s, 0, 3) - script_when(s, 0, 2), 2);
    script_free(s);
  }
}

/* ---- barriers ---------------------------------------------------------------------------------
 */

static void a_barrier_waits_for_the_last_warp(void **state) {
  (void)state;
  const script_op_t quick[] = {BARRIER(0, 0), ALU(1, R_NO)};
  const script_op_t slow[] = {UNIT(IC_SFU, 1, 1), UNIT(IC_SFU, 1, 1), ALU(2, 1), BARRIER(0, 0),
                              ALU(1, R_NO)};
  const program_t p[] = {PROGRAM(quick), PROGRAM(quick), PROGRAM(slow)};
  sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 3, .warps = 3};
  setn(&c.spec, "sm.schedulers", 3);
  script_t *s = run_case(&c);
  uint64_t last = script_when(s, 2, 3);
  assert_true(script_when(s, 0, 0) < last && script_when(s, 1, 0) < last);
  assert_int_equal(script_when(s, 0, 1), last + 1);
  assert_int_equal(script_when(s, 1, 1), last + 1);
  assert_int_equal(script_when(s, 2, 4), last + 1);
  script_free(s);
}

static void a_barrier_does_not_wait_for_exited_warps(void **state) {
  (void)state;
  const script_op_t waits[] = {BARRIER(0, 0), ALU(1, R_NO)};
  const script_op_t leaves[] = {UNIT(IC_SFU, 1, 1), ALU(2, 1)};
  const program_t p[] = {PROGRAM(waits), PROGRAM(leaves), PROGRAM(waits)};
  sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 3, .warps = 3};
  script_t *s = run_case(&c);
  uint64_t exit = script_when(s, 1, 2);
  assert_true(script_when(s, 0, 1) > exit);
  assert_in_range(script_when(s, 0, 1), exit + 1, exit + 3);
  script_free(s);
}

static void blocks_have_their_own_barriers(void **state) {
  (void)state;
  const script_op_t quick[] = {BARRIER(0, 0), ALU(1, R_NO)};
  const script_op_t slow[] = {UNIT(IC_SFU, 1, 1), UNIT(IC_SFU, 1, 1), ALU(2, 1), BARRIER(0, 0)};
  const program_t p[] = {PROGRAM(quick), PROGRAM(quick), PROGRAM(slow), PROGRAM(slow)};
  sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 4, .blocks = 2, .warps = 2};
  script_t *s = run_case(&c);
  assert_true(script_when(s, 0, 1) < script_when(s, 2, 3));
  script_free(s);
}

/* Barrier 1 is for two warps; the third goes its way, and barrier 0 is for all. */
static void named_barriers_wait_for_their_threads_only(void **state) {
  (void)state;
  const script_op_t pair[] = {BARRIER(1, 64), ALU(1, R_NO), BARRIER(0, 0), ALU(2, R_NO)};
  const script_op_t slow[] = {UNIT(IC_SFU, 1, 1), UNIT(IC_SFU, 1, 1), ALU(2, 1), BARRIER(0, 0)};
  const program_t p[] = {PROGRAM(pair), PROGRAM(pair), PROGRAM(slow)};
  sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 3, .warps = 3};
  script_t *s = run_case(&c);
  assert_true(script_when(s, 0, 1) < script_when(s, 2, 1));
  assert_true(script_when(s, 0, 3) > script_when(s, 2, 3));
  assert_true(script_when(s, 1, 3) > script_when(s, 2, 3));
  script_free(s);
}

/* Whatever unit a released warp needs, it issues after the barrier's cycle: with several schedulers
 * another one's turn comes later in the same cycle. */
static void released_warps_issue_in_the_next_cycle(void **state) {
  (void)state;
  static const uint8_t units[] = {IC_INT, IC_FP64, IC_SFU};
  for (uint32_t u = 0; u < 3; u++) {
    const script_op_t first[] = {UNIT(IC_SFU, 1, 1), ALU(2, 1), BARRIER(0, 0), ALU(3, R_NO)};
    const script_op_t second[] = {BARRIER(0, 0), UNIT(units[u], 1, R_NO)};
    const program_t p[] = {PROGRAM(first), PROGRAM(second)};
    sm_case_t c = {.spec = lab_spec(), .program = p, .programs = 2, .warps = 2};
    setn(&c.spec, "sm.schedulers", 2);
    script_t *s = run_case(&c);
    assert_int_equal(script_when(s, 1, 1), script_when(s, 0, 2) + 1);
    script_free(s);
  }
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

/* Most blocks that were on the SM at once. */
static uint32_t most_resident(const script_t *s, uint32_t blocks, uint32_t warps) {
  uint32_t most = 0;
  for (uint32_t b = 0; b < blocks; b++) {
    uint64_t t = script_when(s, b * warps, 0);
    uint32_t n = 0;
    for (uint32_t o = 0; o < blocks; o++) {
      uint64_t end = 0;
      for (uint32_t w = 0; w < warps; w++) {
        uint64_t exit = script_when(s, o * warps + w, 8);
        if (exit > end) end = exit;
      }
      n += script_when(s, o * warps, 0) <= t && t <= end;
    }
    if (n > most) most = n;
  }
  return most;
}

static uint32_t min2(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Blocks of 3 warps (the last with 16 threads), 20 registers per thread, 5000 bytes of shared
 * memory: the scarcest resource decides. Registers are given to whole warps. */
static void occupancy_is_what_the_scarcest_resource_allows(void **state) {
  (void)state;
  static const char *const tight[][2] = {{"sm.blocks", "3"},     {"sm.warps", "14"},
                                         {"sm.threads", "250"},  {"sm.registers", "4000"},
                                         {"sm.shared", "27000"}, {"sm.blocks", "32"}};
  script_op_t ops[8];
  for (uint32_t i = 0; i < 8; i++) ops[i] = (script_op_t)UNIT(IC_FP64, 1, 1);
  const program_t p = PROGRAM(ops);
  for (uint32_t i = 0; i < sizeof tight / sizeof *tight; i++) {
    sm_case_t c = {.spec = lab_spec(),
                   .program = &p,
                   .blocks = 40,
                   .warps = 3,
                   .threads = 80,
                   .regs = 20,
                   .shared = 5000};
    setn(&c.spec, "sm.fp64_interval", 1), setn(&c.spec, "sm.schedulers", 4); /* nobody starves */
    set(&c.spec, tight[i][0], tight[i][1]);
    const sm_spec_t *sm = &c.spec.sm;
    uint32_t want =
        min2(min2(sm->ctas, sm->warps / 3),
             min2(sm->threads / 80, min2(sm->registers / (20 * 96), sm->shared_bytes / 5000)));
    const launch_t l = {
        .grid = {40, 1, 1}, .block = {80, 1, 1}, .regs_per_thread = 20, .shared_bytes = 5000};
    assert_int_equal(sm_occupancy(sm, &l), want);
    script_t *s = run_case(&c);
    assert_int_equal(most_resident(s, 40, 3), want);
    script_free(s);
  }
}

static void blocks_spread_over_sms_one_by_one(void **state) {
  (void)state;
  sm_case_t c = {.spec = lab_spec(), .program = &free_program, .blocks = 6, .warps = 1};
  setn(&c.spec, "gpu.sms", 3);
  script_t *s = run_case(&c);
  uint32_t on[3] = {0};
  for (uint32_t i = 0; i < script_count(s); i++)
    if (script_issue(s, i)->place == 0) {
      uint32_t sm = script_issue(s, i)->slot / c.spec.sm.warps;
      assert_int_equal(sm, script_issue(s, i)->warp % 3);
      on[sm]++;
    }
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(on[i], 2);
  script_free(s);
}

static void a_block_that_fits_nowhere_is_an_error(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_t *s = script_new(&(script_spec_t){.program = &free_program,
                                            .programs = 1,
                                            .blocks = 1,
                                            .warps = 1,
                                            .shared = 1 << 20,
                                            .va = VA,
                                            .bytes = MB},
                           0);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  gpu_limits_t limits = {0};
  err_t e = {0};
  assert_int_equal(gpu_run(g, &limits, 1000, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "does not fit"));
  gpu_free(g);
  script_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gto_stays_with_a_warp_while_it_can),
      cmocka_unit_test(gto_is_greedy_before_it_looks_for_the_oldest),
      cmocka_unit_test(lrr_goes_round),
      cmocka_unit_test(gto_takes_the_oldest_when_it_must_leave),
      cmocka_unit_test(each_scheduler_issues_once_per_cycle),
      cmocka_unit_test(units_take_a_warp_per_interval),
      cmocka_unit_test(a_busy_unit_does_not_stop_another),
      cmocka_unit_test(what_follows_a_branch_waits),
      cmocka_unit_test(a_result_takes_the_depth_and_its_unit),
      cmocka_unit_test(instructions_wait_before_a_busy_unit),
      cmocka_unit_test(scoreboard_waits_for_reads_and_overwrites),
      cmocka_unit_test(shared_memory_conflicts_cost_passes),
      cmocka_unit_test(schedulers_take_turns_at_shared_memory),
      cmocka_unit_test(constant_loads_may_take_the_integer_unit),
      cmocka_unit_test(a_barrier_waits_for_the_last_warp),
      cmocka_unit_test(a_barrier_does_not_wait_for_exited_warps),
      cmocka_unit_test(blocks_have_their_own_barriers),
      cmocka_unit_test(named_barriers_wait_for_their_threads_only),
      cmocka_unit_test(released_warps_issue_in_the_next_cycle),
      cmocka_unit_test(occupancy_is_what_the_scarcest_resource_allows),
      cmocka_unit_test(blocks_spread_over_sms_one_by_one),
      cmocka_unit_test(a_block_that_fits_nowhere_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
