/* Odd programs and odd machines: what is legal, though no generator and no preset does it. */
#include "help.h"
#include "sm/coalesce.h"

static gpu_t *run(const gpu_spec_t *spec, const program_t *p, uint32_t warps) {
  script_t *s = script_new(
      &(script_spec_t){
          .program = p, .programs = 1, .blocks = 1, .warps = warps, .va = VA, .bytes = MB},
      4096);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

/* A prefetch: its line takes an MSHR of L1, which the answer must free. */
static void a_load_without_destination_comes_back_to_l1(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD(R_NO, R_NO, VA), LOAD(1, R_NO, VA), ALU(2, 1), LOAD(3, 2, VA),
                             ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  gpu_t *g = run(&spec, &p, 2);
  assert_int_equal(mshr_used(&g->l1.l1[0].mshr), 0);
  assert_int_equal(dram_total(g, 0, DRAM_DATA).reads, 1);
  gpu_free(g);
}

/* Half a sector: L2 has to read the other half, whether L1 was asked or not. */
static void a_store_past_l1_in_part_of_a_sector_fetches_it(void **state) {
  (void)state;
  for (uint8_t flags = 0; flags <= INST_BYPASS_L1; flags++) {
    const script_op_t ops[] = {OP_(IC_STORE, 0, 4, flags, R_NO, R_NO, VA, 4, 0, 0, 0xf)};
    const program_t p = PROGRAM(ops);
    gpu_spec_t spec = lab_spec();
    gpu_t *g = run(&spec, &p, 1);
    assert_int_equal(dram_total(g, 0, DRAM_DATA).reads, 1);
    gpu_free(g);
  }
}

static void a_launch_of_no_blocks_ends(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  script_t *s = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = 0, .warps = 1, .va = VA, .bytes = MB},
      16);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(gpu_app_runs(g, 0), 1);
  gpu_free(g);
  script_free(s);
}

/* Lanes take turns at two words of one bank. */
static void lanes_that_alternate_between_two_words_conflict_twice(void **state) {
  (void)state;
  warp_op_t op = {.mask = ALL_LANES, .mode = ADDR_LIST};
  for (uint32_t i = 0; i < WARP_LANES; i++) op.lane[i] = i % 2 * 128;
  assert_int_equal(bank_conflicts(&op, 4), 2);
}

static void the_widest_strides_wrap_around(void **state) {
  (void)state;
  warp_op_t op = {.mask = ALL_LANES, .mode = ADDR_STRIDE, .base = 64, .stride = INT64_MAX};
  coalesced_t co;
  coalesce(&op, 4, 7, true, &co);
  assert_int_equal(co.lines, 2); /* odd lanes are half the address space away */
}

static void expect_refused(const char *key, uint64_t value) {
  err_t e = {0};
  gpu_t *g = NULL;
  const script_op_t ops[] = {LOAD(1, R_NO, VA)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  script_t *s = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
      16);
  setn(&spec, key, value);
  app_spec_t app = {.name = "a", .source = script_source(s)};
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  gpu_free(g);
  script_free(s);
}

static void a_set_of_more_ways_than_can_be_counted_is_refused(void **state) {
  (void)state;
  expect_refused("l1tlb.entries", 65536); /* fully associative */
}

/* The look-up time of L1 is no queue at its port: two misses in a row follow each other. */
static void a_slow_l1_does_not_fill_its_port(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, LINE, 0), LOAD_AT(2, R_NO, VA + 4 * KB, LINE, 0),
                             ALU(3, 1), ALU(4, 2)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1d.latency", 300);
  gpu_t *g = run(&spec, &p, 8);
  assert_int_equal(g->l1.stats[0].blocked, 0);
  gpu_free(g);
}

/* Eight lines, one register: seven requests wait, each counted once. */
static void a_request_that_waits_for_a_register_is_counted_once(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, LINE, 0), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l2.mshrs", 1);
  gpu_t *g = run(&spec, &p, 8);
  assert_int_equal(g->l2.stats[CLASS_DATA].blocked, 7);
  gpu_free(g);
  spec = lab_spec();
  setn(&spec, "l1d.mshrs", 1);
  g = run(&spec, &p, 8);
  assert_int_equal(g->l1.stats[0].blocked, 7);
  gpu_free(g);
}

/* A generator on every one of `apps` equal shares of the machine, for some time. */
static gpu_t *run_apps(const gpu_spec_t *spec, const char *text, uint32_t apps, uint64_t cycles) {
  source_t *s[2] = {generator(text), apps > 1 ? generator(text) : NULL};
  gpu_t *g = machine(spec, s, apps);
  err_t e = {0};
  gpu_limits_t limits = {.cycles = cycles};
  if (gpu_run(g, &limits, UINT64_MAX, &e) < 0) fail_msg("%s", e.text);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("%s", e.text);
  for (uint32_t i = 0; i < apps; i++) s[i]->ops->free(s[i]);
  return g;
}

static gpu_spec_t shared_first_level(void) {
  gpu_spec_t spec;
  gpu_spec_init(&spec);
  setn(&spec, "gpu.sms", 4);
  setn(&spec, "l1tlb.group", 0);
  setn(&spec, "l1tlb.ports", 1);
  setn(&spec, "l1tlb.entries", 256);
  setn(&spec, "l2tlb.latency", 0);
  set(&spec, "run.check", "true");
  return spec;
}

static void sms_take_turns_at_a_tlb_they_share(void **state) {
  (void)state;
  gpu_spec_t spec = shared_first_level();
  setn(&spec, "gpu.sms", 16);
  gpu_t *g = run_apps(&spec, "stream", 2, 10000);
  uint64_t a = g->tlb.level[0].stats[0].lookups, b = g->tlb.level[0].stats[1].lookups;
  assert_true(a < 2 * b && b < 2 * a);
  gpu_free(g);
}

/* Who came first gets the register that comes free: nobody stalls twice for one miss. */
static void a_translation_stalls_once_for_a_register(void **state) {
  (void)state;
  gpu_spec_t spec;
  gpu_spec_init(&spec);
  assert_int_equal(gpu_spec_load(&spec, "gpu", "maxwell", NULL), 0);
  setn(&spec, "l2tlb.mshrs", 4);
  gpu_t *g = run_apps(&spec, "chase", 1, 20000);
  const tlb_stats_t *t = &g->tlb.level[1].stats[0];
  assert_true(t->mshr_stalls > 1000);
  assert_true(t->mshr_stalls <= t->misses);
  gpu_free(g);
}

/* Every option is in its range, but together they ask for more memory than a host should give. */
static void a_machine_that_needs_a_host_of_its_own_is_refused(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "gpu.sms", 256);
  setn(&spec, "sm.lsu_lines", 65536);
  setn(&spec, "l1tlb.group", 1);
  setn(&spec, "l1tlb.ways", 64);
  setn(&spec, "l1tlb.entries", 1 << 20);
  app_spec_t app = {.name = "x"};
  err_t e = {0};
  gpu_t *g;
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "host memory"));
}

/* A page that comes in while an SM, done waiting for an MSHR, waits for a port. */
static void a_page_that_came_in_meanwhile_is_not_asked_for_again(void **state) {
  (void)state;
  for (uint32_t mshrs = 1; mshrs <= 4; mshrs++)
    for (uint32_t fixed = 1; fixed <= 21; fixed += 5) {
      gpu_spec_t spec = shared_first_level();
      setn(&spec, "l1tlb.mshrs", mshrs);
      setn(&spec, "walk.fixed", fixed);
      gpu_free(run_apps(&spec, "hotset", 1, 4000));
    }
}

/* Numbers of channels and slices that are no powers of two, or more than 64: the checks hold, and
 * every channel has its share of a stream. */
static void any_number_of_channels_and_slices_runs(void **state) {
  (void)state;
  static const uint32_t shapes[][2] = {{6, 2},  {6, 3},  {5, 6},  {10, 5},  {40, 2},
                                       {80, 1}, {80, 2}, {96, 3}, {128, 1}, {256, 2}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    uint32_t channels = shapes[i][0], slices = shapes[i][1];
    gpu_spec_t spec;
    gpu_spec_init(&spec);
    assert_int_equal(gpu_spec_load(&spec, "gpu", "maxwell", NULL), 0);
    setn(&spec, "dram.channels", channels);
    setn(&spec, "l2.slices", slices);
    setn(&spec, "l2.bytes", (uint64_t)channels * slices * 16 * 16 * 128);
    set(&spec, "run.check", "true");
    gpu_t *g = run_apps(&spec, "stream:footprint=96M", 1, 8000);
    assert_int_equal(g->l2.slices, channels * slices);
    uint64_t all = 0, least = UINT64_MAX, most = 0;
    for (uint32_t c = 0; c < channels; c++) {
      uint64_t reads = dram_stats(g->dram.channel[c].dram, 0, DRAM_DATA)->reads;
      all += reads, least = reads < least ? reads : least, most = reads > most ? reads : most;
    }
    if (!least || most * channels > 2 * all)
      fail_msg("%u channels of %u slices: %llu to %llu reads", channels, slices,
               (unsigned long long)least, (unsigned long long)most);
    gpu_free(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_without_destination_comes_back_to_l1),
      cmocka_unit_test(a_store_past_l1_in_part_of_a_sector_fetches_it),
      cmocka_unit_test(a_launch_of_no_blocks_ends),
      cmocka_unit_test(lanes_that_alternate_between_two_words_conflict_twice),
      cmocka_unit_test(the_widest_strides_wrap_around),
      cmocka_unit_test(a_set_of_more_ways_than_can_be_counted_is_refused),
      cmocka_unit_test(a_slow_l1_does_not_fill_its_port),
      cmocka_unit_test(a_request_that_waits_for_a_register_is_counted_once),
      cmocka_unit_test(sms_take_turns_at_a_tlb_they_share),
      cmocka_unit_test(a_page_that_came_in_meanwhile_is_not_asked_for_again),
      cmocka_unit_test(a_machine_that_needs_a_host_of_its_own_is_refused),
      cmocka_unit_test(a_translation_stalls_once_for_a_register),
      cmocka_unit_test(any_number_of_channels_and_slices_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
