/* What the issue stage is told about each class of instruction. */
#include "sm/sm.h"
#include "unit.h"

static const sm_spec_t spec = {.int_latency = 6,
                               .fp32_latency = 7,
                               .fp64_latency = 48,
                               .sfu_latency = 20,
                               .branch_latency = 9,
                               .const_latency = 11,
                               .shared_latency = 24,
                               .int_interval = 1,
                               .fp64_interval = 16,
                               .sfu_interval = 4};

static decoded_t decode_with(const sm_spec_t *p, inst_t in) {
  code_t c = {0};
  err_t e = {0};
  launch_t l = {.inst = &in, .inst_count = 1};
  assert_int_equal(sm_decode(&c, p, &l, &e), 0);
  decoded_t d = c.at[0];
  sm_code_fini(&c);
  return d;
}

#define NO_SOURCES                                                                                 \
  { REG_NONE, REG_NONE, REG_NONE, REG_NONE }

static void arithmetic_takes_latency_and_interval_of_its_class(void **state) {
  (void)state;
  decoded_t d = decode_with(&spec, (inst_t){.cls = IC_SFU, .dst = 1, .dsts = 1, .src = NO_SOURCES});
  assert_int_equal(d.unit, UNIT_SFU);
  assert_int_equal(d.latency_cycles, 20);
  assert_int_equal(d.interval_cycles, 4);
  assert_int_equal(d.gap_cycles, 1);
}

static void an_integer_product_may_take_longer(void **state) {
  (void)state;
  const inst_t sum = {.cls = IC_INT, .dst = 1, .dsts = 1, .src = NO_SOURCES},
               product = {
                   .cls = IC_INT, .flags = INST_MULTIPLY, .dst = 1, .dsts = 1, .src = NO_SOURCES};
  sm_spec_t p = spec;
  assert_int_equal(decode_with(&p, product).latency_cycles, 6);
  p.mul_latency = 13;
  assert_int_equal(decode_with(&p, product).latency_cycles, 13);
  assert_int_equal(decode_with(&p, sum).latency_cycles, 6);
}

static void a_unit_that_takes_a_warp_every_cycle_is_never_waited_for(void **state) {
  (void)state;
  const inst_t in = {.cls = IC_FP32, .dst = 1, .dsts = 1, .src = NO_SOURCES};
  assert_int_equal(decode_with(&spec, in).unit, UNIT_ANY);
  sm_spec_t slow = spec;
  slow.int_interval = 2;
  assert_int_equal(decode_with(&slow, in).unit, UNIT_ALU);
  assert_int_equal(decode_with(&slow, in).interval_cycles, 2);
}

static void a_branch_does_not_wait_for_the_arithmetic_unit(void **state) {
  (void)state;
  const inst_t in = {.cls = IC_BRANCH, .dst = REG_NONE, .src = NO_SOURCES};
  sm_spec_t slow = spec;
  slow.int_interval = 2;
  assert_int_equal(decode_with(&slow, in).unit, UNIT_ANY);
  assert_int_equal(decode_with(&slow, in).gap_cycles, 9);
  slow.branch_interval = 4;
  assert_int_equal(decode_with(&slow, in).unit, UNIT_BRANCH);
  assert_int_equal(decode_with(&slow, in).interval_cycles, 4);
}

static void single_precision_and_matrices_have_units_if_the_gpu_has(void **state) {
  (void)state;
  const inst_t single = {.cls = IC_FP32, .dst = 1, .dsts = 1, .src = NO_SOURCES},
               matrix = {.cls = IC_TENSOR, .dst = 1, .dsts = 1, .src = NO_SOURCES};
  sm_spec_t p = spec;
  p.int_interval = 3;
  assert_int_equal(decode_with(&p, single).unit, UNIT_ALU);
  assert_int_equal(decode_with(&p, matrix).unit, UNIT_SFU);
  assert_int_equal(decode_with(&p, matrix).latency_cycles, 20);
  p.fp32_interval = 2, p.tensor_latency = 5, p.tensor_interval = 4;
  assert_int_equal(decode_with(&p, single).unit, UNIT_FP32);
  assert_int_equal(decode_with(&p, single).interval_cycles, 2);
  assert_int_equal(decode_with(&p, matrix).unit, UNIT_TENSOR);
  assert_int_equal(decode_with(&p, matrix).latency_cycles, 5);
}

/* Every register and REG_NONE have a place of their own in the scoreboard, also of all warps. */
static void registers_do_not_share_places(void **state) {
  (void)state;
  static uint8_t seen[SM_REG_FILE];
  for (uint32_t w = 0; w < SM_MAX_WARPS; w++)
    for (uint32_t r = 0; r <= REG_NONE; r++) {
      uint32_t at = w * SM_REG_LINE + SM_REG_PLACE(r);
      assert_true(at < SM_REG_FILE && !seen[at]++);
    }
}

static void each_register_is_named_once(void **state) {
  (void)state;
  decoded_t d =
      decode_with(&spec, (inst_t){.cls = IC_INT, .dst = 4, .dsts = 2, .src = {5, 7, REG_NONE, 7}});
  assert_int_equal(d.regs, 3);
  assert_int_equal(d.place[0], SM_REG_PLACE(5));
  assert_int_equal(d.place[1], SM_REG_PLACE(7));
  assert_int_equal(d.place[2], SM_REG_PLACE(4));
  for (uint32_t i = 3; i < SM_OPERANDS; i++) assert_int_equal(d.place[i], SM_REG_PLACE(REG_NONE));
}

/* REG_NONE is written as if it were the result, so it must be usable at once. */
static void an_instruction_without_result_has_no_latency(void **state) {
  (void)state;
  decoded_t d = decode_with(&spec, (inst_t){.cls = IC_FENCE, .dst = REG_NONE, .src = NO_SOURCES});
  assert_int_equal(d.dst, REG_NONE);
  assert_int_equal(d.latency_cycles, 0);
}

static uint8_t flags_of(const sm_spec_t *s, inst_t in) {
  request_t r = {.what = decode_with(s, in).whole_line};
  return r.flags;
}

static void atomics_and_marked_loads_pass_by_the_l1_cache(void **state) {
  (void)state;
  inst_t in = {.cls = IC_LOAD, .space = SPACE_GLOBAL, .width = 4, .dst = 1, .dsts = 1};
  assert_int_equal(flags_of(&spec, in), 0);
  in.flags = INST_BYPASS_L1;
  assert_int_equal(flags_of(&spec, in), REQ_BYPASS_L1);
  in.flags = 0;
  in.cls = IC_ATOMIC;
  assert_int_equal(flags_of(&spec, in), REQ_BYPASS_L1);
  assert_int_equal(decode_with(&spec, in).request, REQ_ATOMIC);
}

static void the_space_decides_which_unit_a_load_needs(void **state) {
  (void)state;
  inst_t in = {.cls = IC_LOAD, .width = 4, .dst = 1, .dsts = 1};
  for (uint8_t space = SPACE_GLOBAL; space <= SPACE_TEXTURE; space++) {
    in.space = space;
    assert_int_equal(decode_with(&spec, in).unit, UNIT_MEM);
    assert_int_equal(decode_with(&spec, in).kind, OP_MEMORY);
  }
  in.space = SPACE_SHARED;
  assert_int_equal(decode_with(&spec, in).unit, UNIT_SHARED);
  in.space = SPACE_CONST;
  assert_int_equal(decode_with(&spec, in).unit, UNIT_ANY);
  assert_int_equal(decode_with(&spec, in).latency_cycles, 11);
}

static void a_smaller_launch_reuses_the_memory_of_a_larger_one(void **state) {
  (void)state;
  const inst_t in[3] = {{.cls = IC_INT, .dst = 9, .dsts = 1, .src = NO_SOURCES},
                        {.cls = IC_INT, .dst = 2, .dsts = 1, .src = NO_SOURCES},
                        {.cls = IC_EXIT, .dst = REG_NONE, .src = NO_SOURCES}};
  code_t c = {0};
  err_t e = {0};
  assert_int_equal(sm_decode(&c, &spec, &(launch_t){.inst = in, .inst_count = 3}, &e), 0);
  assert_int_equal(c.registers, 10);
  const decoded_t *at = c.at;
  assert_int_equal(sm_decode(&c, &spec, &(launch_t){.inst = in + 1, .inst_count = 2}, &e), 0);
  assert_ptr_equal(c.at, at);
  assert_int_equal(c.registers, 3);
  assert_int_equal(c.at[1].kind, OP_EXIT);
  sm_code_fini(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_integer_product_may_take_longer),
      cmocka_unit_test(arithmetic_takes_latency_and_interval_of_its_class),
      cmocka_unit_test(a_unit_that_takes_a_warp_every_cycle_is_never_waited_for),
      cmocka_unit_test(a_branch_does_not_wait_for_the_arithmetic_unit),
      cmocka_unit_test(single_precision_and_matrices_have_units_if_the_gpu_has),
      cmocka_unit_test(each_register_is_named_once),
      cmocka_unit_test(registers_do_not_share_places),
      cmocka_unit_test(an_instruction_without_result_has_no_latency),
      cmocka_unit_test(atomics_and_marked_loads_pass_by_the_l1_cache),
      cmocka_unit_test(the_space_decides_which_unit_a_load_needs),
      cmocka_unit_test(a_smaller_launch_reuses_the_memory_of_a_larger_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
