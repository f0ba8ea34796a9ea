/* Where the time went: the reasons sum to slots x cycles (gpu_check looks, in every run), and a
 * workload that is bound by one thing is charged to it. */
#include "help.h"

static uint64_t share(const gpu_t *g, uint32_t first, uint32_t last) {
  const sm_stats_t *s = &g->cores.stats[0];
  uint64_t part = 0, all = 0;
  for (uint32_t i = 0; i < STALLS; i++) {
    if (i == STALL_EMPTY) continue;
    all += s->stall[i];
    if (i >= first && i <= last) part += s->stall[i];
  }
  return all ? part * 100 / all : 0;
}

static void mostly(const gpu_t *g, uint32_t first, uint32_t last, uint32_t percent) {
  if (share(g, first, last) >= percent) return;
  for (uint32_t i = 0; i < STALLS; i++)
    print_message("%s %llu\n", stall_names[i], (unsigned long long)g->cores.stats[0].stall[i]);
  fail_msg("%s .. %s has %llu %%", stall_names[first], stall_names[last],
           (unsigned long long)share(g, first, last));
}

static gpu_t *run_ops(const gpu_spec_t *spec, const program_t *p, uint32_t warps, script_t **s) {
  *s = script_new(
      &(script_spec_t){
          .program = p, .programs = 1, .blocks = 1, .warps = warps, .va = VA, .bytes = 16 * MB},
      4096);
  return run_script(spec, *s);
}

static void reasons_sum_exactly_for_every_generator(void **state) {
  (void)state;
  static const char *const all[] = {"stream:footprint=1M,blocks=6,warps=4,steps=6",
                                    "stride:footprint=4M,lane=4K,blocks=4,steps=6",
                                    "chase:footprint=2M,lanes=8,blocks=4,steps=8",
                                    "gather:footprint=4M,blocks=4,steps=5",
                                    "hotset:footprint=2M,hot=64K,blocks=4,steps=6",
                                    "tiled2d:footprint=1M,blocks=4,steps=3",
                                    "compute:footprint=64K,blocks=4,steps=4"};
  for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
    for (uint32_t levels = 0; levels < 4; levels++) {
      gpu_spec_t spec = lab_spec();
      setn(&spec, "gpu.sms", 2), setn(&spec, "tlb.levels", levels);
      gpu_t *g = run_generator(&spec, all[i]); /* checks */
      uint64_t sum = g->cores.stats[0].warp_instructions;
      for (uint32_t k = 0; k < STALLS; k++) sum += g->cores.stats[0].stall[k];
      assert_int_equal(sum, 2 * spec.sm.warps * gpu_cycles(g));
      gpu_free(g);
    }
}

static void an_alu_chain_waits_for_alu(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {ALU(1, 1)};
  const program_t p = PROGRAM_N(ops, 500);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 1, &s);
  /* exactly: latency - 1 cycles before each but the first; the exit needs no operand */
  assert_int_equal(g->cores.stats[0].stall[STALL_ALU], 499 * (spec.sm.int_latency - 1));
  mostly(g, STALL_ALU, STALL_ALU, 99);
  gpu_free(g);
  script_free(s);
}

static void a_barrier_is_charged_to_the_barrier(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_op_t slow[101];
  for (uint32_t i = 0; i < 100; i++) slow[i] = (script_op_t)UNIT(IC_SFU, 1, 1);
  slow[100] = (script_op_t)BARRIER(0, 0);
  const script_op_t waits[] = {BARRIER(0, 0)};
  const program_t p[] = {PROGRAM(slow), PROGRAM(waits), PROGRAM(waits), PROGRAM(waits),
                         PROGRAM(waits)};
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 5, .blocks = 1, .warps = 5, .va = VA, .bytes = MB},
      4096);
  gpu_t *g = run_script(&spec, s);
  uint64_t want = 0; /* from its issue to the cycle after the last one's */
  for (uint32_t w = 1; w < 5; w++) want += script_when(s, 0, 100) - script_when(s, w, 0);
  assert_int_equal(g->cores.stats[0].stall[STALL_BARRIER], want);
  mostly(g, STALL_BARRIER, STALL_BARRIER, 75);
  gpu_free(g);
  script_free(s);
}

static void dram_bound_loads_wait_for_dram(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  one_page(&spec), no_tlbs(&spec);
  /* all in one bank, each another row */
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 16 * 4 * KB, 16 * KB)};
  const program_t p = PROGRAM_N(ops, 60);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 24, &s);
  mostly(g, STALL_DRAM, STALL_DRAM, 80);
  gpu_free(g);
  script_free(s);
}

static const script_op_t new_pages[] = {LOAD_AT(1, 1, VA, 256 * KB, PAGE4)};

static void walk_bound_loads_wait_for_walks(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.threads", 1);
  const program_t p = PROGRAM_N(new_pages, 60);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 16, &s);
  mostly(g, STALL_WALK_QUEUE, STALL_WALK_DRAM, 80);
  mostly(g, STALL_WALK_QUEUE, STALL_WALK_QUEUE, 60); /* one thread for sixteen warps */
  gpu_free(g);
  script_free(s);
}

static void enough_walkers_leave_the_walks_themselves(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.threads", 64), set(&spec, "l2.bytes", "4K");
  const program_t p = PROGRAM_N(new_pages, 60);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 4, &s);
  assert_int_equal(g->cores.stats[0].stall[STALL_WALK_QUEUE], 0);
  mostly(g, STALL_WALK_L2, STALL_WALK_DRAM, 40);
  gpu_free(g);
  script_free(s);
}

/* Walks of fixed length, one warp: the split is exact. */
static void a_lone_miss_is_split_exactly(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.fixed", 700);
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 1, &s);
  const uint64_t *x = g->cores.stats[0].stall;
  const tlb_spec_t *first = &spec.tlb_level[0], *second = &spec.tlb_level[1];
  assert_int_equal(x[STALL_STRUCTURAL], spec.sm.lsu_latency - 1);
  assert_int_equal(x[STALL_TLB1], first->latency_cycles);
  assert_int_equal(x[STALL_TLB2], second->hop_cycles + second->latency_cycles);
  assert_int_equal(x[STALL_WALK_QUEUE], 0);
  assert_int_equal(x[STALL_WALK_L2], 700);
  assert_int_equal(x[STALL_WALK_DRAM], 0);
  assert_int_equal(x[STALL_L1], spec.l1.latency_cycles);
  uint64_t hops = 2 * spec.noc.latency_cycles + 1 + 5; /* flits: a request, a line */
  assert_int_equal(x[STALL_L2], hops + spec.l2.latency_cycles + spec.l2.dram_hop_cycles);
  uint64_t total = script_when(s, 0, 1) - script_when(s, 0, 0) - 1;
  for (uint32_t i = STALL_TLB1; i <= STALL_L2; i++) total -= x[i];
  assert_int_equal(x[STALL_DRAM], total - x[STALL_STRUCTURAL]);
  gpu_free(g);
  script_free(s);
}

/* One warp, one load at a time: what DRAM took for walks and for data is what the warp waited for
 * it. */
static void a_lone_warps_dram_time_is_split_by_purpose(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, PAGE4), ALU(2, 1)};
  const program_t p = PROGRAM_N(ops, 30);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 1, &s);
  const uint64_t *x = g->cores.stats[0].stall;
  assert_true(g->dram.latency[CLASS_WALK].count > 5);
  assert_int_equal(x[STALL_WALK_DRAM], g->dram.latency[CLASS_WALK].sum);
  assert_int_equal(x[STALL_DRAM], g->dram.latency[CLASS_DATA].sum);
  assert_int_equal(x[STALL_WALK_L2] + x[STALL_WALK_DRAM], g->walker.stats[0].latency.sum);
  gpu_free(g);
  script_free(s);
}

static void l2_bound_loads_wait_for_l2(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD_CG(1, 1, VA)};
  const program_t p = PROGRAM_N(ops, 200);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 2, &s);
  mostly(g, STALL_L2, STALL_L2, 70);
  gpu_free(g);
  script_free(s);
}

static void l1_bound_loads_wait_for_l1(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1d.latency", 200);
  const script_op_t ops[] = {LOAD(1, 1, VA)};
  const program_t p = PROGRAM_N(ops, 200);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 1, &s);
  mostly(g, STALL_L1, STALL_L1, 90);
  gpu_free(g);
  script_free(s);
}

static void second_level_hits_wait_for_the_second_level(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1tlb.entries", 1), setn(&spec, "l2tlb.latency", 300);
  const script_op_t ops[] = {LOAD(1, 1, VA), LOAD(1, 1, VA + PAGE4)};
  const program_t p = PROGRAM_N(ops, 100);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 1, &s);
  mostly(g, STALL_TLB2, STALL_TLB2, 85);
  gpu_free(g);
  script_free(s);
}

static void warps_that_could_issue_are_structural(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {ALU(1, R_NO), ALU(2, R_NO), ALU(3, R_NO), ALU(4, R_NO)};
  const program_t p = PROGRAM_N(ops, 50);
  script_t *s;
  gpu_t *g = run_ops(&spec, &p, 16, &s);
  mostly(g, STALL_STRUCTURAL, STALL_STRUCTURAL, 90);
  gpu_free(g);
  script_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reasons_sum_exactly_for_every_generator),
      cmocka_unit_test(an_alu_chain_waits_for_alu),
      cmocka_unit_test(a_barrier_is_charged_to_the_barrier),
      cmocka_unit_test(dram_bound_loads_wait_for_dram),
      cmocka_unit_test(walk_bound_loads_wait_for_walks),
      cmocka_unit_test(enough_walkers_leave_the_walks_themselves),
      cmocka_unit_test(a_lone_miss_is_split_exactly),
      cmocka_unit_test(a_lone_warps_dram_time_is_split_by_purpose),
      cmocka_unit_test(l2_bound_loads_wait_for_l2),
      cmocka_unit_test(l1_bound_loads_wait_for_l1),
      cmocka_unit_test(second_level_hits_wait_for_the_second_level),
      cmocka_unit_test(warps_that_could_issue_are_structural),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
