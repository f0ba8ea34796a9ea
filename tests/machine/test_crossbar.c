/* A crossbar with queues at its inputs; atomics at a rate, sectors fetched late, and an L1 that
 * shared memory takes part of. */
#include "formula.h"
#include "help.h"

/* ---- the crossbar ---- */

static void an_unloaded_hop_takes_as_long_with_queues(void **state) {
  (void)state;
  static const char *const queue[] = {"none", "fifo", "voq"};
  const script_op_t ops[] = {LOAD(1, R_NO, VA), LOAD_CG(2, 1, VA), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "noc.queue", queue[i]);
    script_t *s = script_of(&p, 1, 1, MB);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(script_when(s, 0, 2) - script_when(s, 0, 1), f_l2_hit(&spec, LINE));
    gpu_free(g);
    script_free(s);
  }
}

/* Two SMs, two slices. The first stores to both in turn, the second to slice 0 alone: cycles
 * between two stores of the first to slice 0, over many of them. */
static uint64_t period_of_two(const char *queue, const char *key, const char *value) {
  enum { TURNS = 400 };
  const script_op_t both[] = {STORE_AT(R_NO, VA, 0, 0), STORE_AT(R_NO, VA + LINE, 0, 0)};
  const script_op_t one[] = {STORE_AT(R_NO, VA, 0, 0), STORE_AT(R_NO, VA, 0, 0)};
  const program_t p[] = {PROGRAM_N(both, TURNS), PROGRAM_N(one, 2 * TURNS)};
  gpu_spec_t spec = lab_spec();
  set(&spec, "gpu.sms", "2");
  set(&spec, "l2.slices", "2");
  set(&spec, "l2.bytes", "16K");
  set(&spec, "sm.lsu_lines", "100"); /* what is under way lets the next issue */
  set(&spec, "noc.queue", queue);
  set(&spec, key, value);
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 2, .blocks = 2, .warps = 1, .va = VA, .bytes = MB},
      65536);
  gpu_t *g = run_script(&spec, s);
  uint64_t cycles = script_when(s, 0, 2 * TURNS - 2) - script_when(s, 0, TURNS - 2);
  gpu_free(g);
  script_free(s);
  uint64_t lines = TURNS / 2 * f_flits(&spec, LINE); /* in halves of a line's flits, rounded */
  return (2 * cycles + lines / 2) / lines;
}

/* Behind a line that takes two cycles for each packet, the line to the idle slice waits. */
static void the_first_packet_of_a_queue_holds_up_the_others(void **state) {
  (void)state;
  assert_int_equal(period_of_two("fifo", "noc.speedup", "1"),
                   6); /* 2 + 1 times the flits of a line */
}
static void queues_for_each_output_do_not_block(void **state) {
  (void)state;
  assert_int_equal(period_of_two("voq", "noc.speedup", "1"),
                   4); /* the input gives a packet in every cycle */
}
static void a_speed_up_makes_up_for_blocking(void **state) {
  (void)state;
  assert_int_equal(period_of_two("fifo", "noc.speedup", "2"),
                   4); /* the slice takes one packet per cycle */
}

/* The packets of both lines take turns: while one waits for the busy slice, the other's pass. */
static void lines_that_take_turns_do_not_hold_up_each_other(void **state) {
  (void)state;
  assert_in_range(period_of_two("fifo", "noc.turns", "2"), 4, 5);
}
/* With the last packet of a line the first of the next one passes. */
static void a_wide_input_gives_a_packet_to_each_output(void **state) {
  (void)state;
  uint64_t narrow = period_of_two("fifo", "noc.wide_inputs", "false");
  assert_true(period_of_two("fifo", "noc.wide_inputs", "true") <= narrow);
  assert_in_range(period_of_two("voq", "noc.wide_inputs", "true"), 3, 4);
}

/* ---- L2 ---- */

static uint64_t cycles_of(const gpu_spec_t *spec, const script_op_t *op, uint32_t turns) {
  const program_t p = {op, 1, turns};
  script_t *s = script_of(&p, 1, 1, MB);
  gpu_t *g = run_script(spec, s);
  uint64_t n = gpu_cycles(g);
  gpu_free(g);
  script_free(s);
  return n;
}

/* Reductions: as many operations as lanes name one word, in every sector. */
static void a_slice_performs_atomics_at_its_rate(void **state) {
  (void)state;
  static const struct {
    int64_t stride;
    uint32_t operations;
  } want[] = {{0, 32}, {4, 4}, {2, 4}, {8, 8}};
  for (uint32_t i = 0; i < sizeof want / sizeof *want; i++) {
    const script_op_t op = OP_(IC_ATOMIC, 0, 4, 0, R_NO, R_NO, VA, want[i].stride, 0, 0, ALL_LANES);
    gpu_spec_t spec = lab_spec();
    setn(&spec, "l2.atomic_cycles", 7);
    uint64_t cycles = cycles_of(&spec, &op, 400) - cycles_of(&spec, &op, 200);
    assert_int_equal((cycles + 100) / 200, 7 * want[i].operations);
  }
}

/* Of one that hits and of one whose line comes from DRAM. */
static void an_atomic_may_be_answered_later_than_a_load(void **state) {
  (void)state;
  const script_op_t ops[] = {ATOMIC(1, R_NO, VA), ALU(2, 1), ATOMIC(3, 2, VA), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  uint64_t took[2][2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "l2.atomic_latency", i * 33);
    script_t *s = script_of(&p, 1, 1, MB);
    gpu_t *g = run_script(&spec, s);
    for (uint32_t k = 0; k < 2; k++)
      took[i][k] = script_when(s, 0, 2 * k + 1) - script_when(s, 0, 2 * k);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(took[1][0] - took[0][0], 33);
  assert_int_equal(took[1][1] - took[0][1], 33);
}

static dram_stats_t dram_of(const char *lazy, const script_op_t *op, uint32_t ops) {
  const program_t p = {op, ops, 1};
  gpu_spec_t spec = lab_spec();
  no_tlbs(&spec);
  set(&spec, "l2.lazy_fetch", lazy);
  script_t *s = script_of(&p, 1, 1, MB);
  gpu_t *g = run_script(&spec, s);
  dram_stats_t d = dram_total(g, 0, DRAM_DATA);
  gpu_free(g);
  script_free(s);
  return d;
}

static void a_sector_written_in_part_is_fetched_when_it_is_read(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_MASK(R_NO, VA, 3), LOAD1(1, R_NO, VA + 4 * KB), ALU(2, 1),
                             LOAD1(3, 2, VA), ALU(4, 3)};
  assert_int_equal(dram_of("false", ops, 1).reads, 1);
  assert_int_equal(dram_of("true", ops, 1).reads, 0);
  assert_int_equal(dram_of("true", ops, 5).reads, 2);
}

/* ---- L1 ---- */

static uint32_t l1_lines(uint32_t shared) {
  const script_op_t ops[] = {LOAD(1, R_NO, VA)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  setn(&spec, "sm.shared", 98304);
  set(&spec, "sm.blocks", "1");
  set(&spec, "l1d.bytes", "128K");
  set(&spec, "l1d.ways", "256");
  set(&spec, "l1d.unified", "true");
  script_t *s = script_new(&(script_spec_t){.program = &p,
                                            .programs = 1,
                                            .blocks = 1,
                                            .warps = 1,
                                            .shared = shared,
                                            .va = VA,
                                            .bytes = MB},
                           16);
  gpu_t *g = run_script(&spec, s);
  uint32_t lines = g->l1.l1[0].array.ways * g->l1.l1[0].array.sets;
  gpu_free(g);
  script_free(s);
  return lines;
}

static void l1_has_what_shared_memory_leaves(void **state) {
  (void)state;
  static const struct {
    uint32_t shared, kilobytes;
  } want[] = {{0, 128}, {1, 120}, {8192, 120}, {8193, 112}, {32768, 96}, {65537, 32}, {98304, 32}};
  for (uint32_t i = 0; i < sizeof want / sizeof *want; i++)
    assert_int_equal(l1_lines(want[i].shared), want[i].kilobytes * KB / LINE);
}

static void an_access_past_l1_may_take_less_time_there(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD(1, R_NO, VA), LOAD_CG(2, 1, VA), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1d.latency", 30);
  setn(&spec, "l1d.bypass_latency", 2);
  script_t *s = script_of(&p, 1, 1, MB);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(script_when(s, 0, 2) - script_when(s, 0, 1), f_l2_hit(&spec, LINE) - 28);
  gpu_free(g);
  script_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unloaded_hop_takes_as_long_with_queues),
      cmocka_unit_test(the_first_packet_of_a_queue_holds_up_the_others),
      cmocka_unit_test(queues_for_each_output_do_not_block),
      cmocka_unit_test(a_speed_up_makes_up_for_blocking),
      cmocka_unit_test(lines_that_take_turns_do_not_hold_up_each_other),
      cmocka_unit_test(a_wide_input_gives_a_packet_to_each_output),
      cmocka_unit_test(an_atomic_may_be_answered_later_than_a_load),
      cmocka_unit_test(a_slice_performs_atomics_at_its_rate),
      cmocka_unit_test(a_sector_written_in_part_is_fetched_when_it_is_read),
      cmocka_unit_test(l1_has_what_shared_memory_leaves),
      cmocka_unit_test(an_access_past_l1_may_take_less_time_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
