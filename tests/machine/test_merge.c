/* MSHRs: many ask, one fetches. Sectors: what is fetched, and what is written back. */
#include "formula.h"
#include "help.h"

typedef struct {
  script_t *s;
  gpu_t *g;
} ran_t;

/* `warps` warps on each of `sms` SMs run the program. */
static ran_t run(gpu_spec_t spec, const program_t *p, uint32_t sms, uint32_t warps) {
  ran_t r;
  setn(&spec, "gpu.sms", sms);
  r.s = script_new(
      &(script_spec_t){
          .program = p, .programs = 1, .blocks = sms, .warps = warps, .va = VA, .bytes = MB},
      4096);
  r.g = run_script(&spec, r.s);
  return r;
}

static void done(ran_t *r) {
  gpu_free(r->g);
  script_free(r->s);
}

static const script_op_t same_line[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
static const program_t same_line_program = PROGRAM(same_line);

static cache_stats_t *l2_data(gpu_t *g) { return &g->l2.stats[CLASS_DATA]; }

/* ---- merging ----------------------------------------------------------------------------------
 */

static void warps_of_an_sm_share_one_fetch_of_a_line(void **state) {
  (void)state;
  ran_t r = run(lab_spec(), &same_line_program, 1, 6);
  assert_int_equal(r.g->l1.stats[0].misses, 6);
  assert_int_equal(r.g->l1.stats[0].merged, 5);
  assert_int_equal(l2_data(r.g)->accesses, 1);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 1);
  done(&r);
}

static void sms_share_one_dram_read_of_a_line(void **state) {
  (void)state;
  ran_t r = run(lab_spec(), &same_line_program, 5, 1);
  assert_int_equal(l2_data(r.g)->accesses, 5);
  assert_int_equal(l2_data(r.g)->merged, 4);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 1);
  done(&r);
}

/* Other lines of the page, so that only the translation is shared. */
static void warps_of_an_sm_share_one_translation(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, LINE, 0), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 6);
  const tlb_stats_t *t = &r.g->tlb.level[0].stats[0];
  assert_int_equal(t->misses, 6);
  assert_int_equal(t->primary_misses, 1);
  assert_int_equal(t->merged_misses, 5);
  assert_int_equal(r.g->tlb.level[1].stats[0].lookups, 1);
  assert_int_equal(r.g->walker.stats[0].walks, 1);
  assert_int_equal(r.g->walker.stats[0].warps_stalled, 6);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 6);
  done(&r);
}

static void sms_share_one_walk_of_a_page(void **state) {
  (void)state;
  ran_t r = run(lab_spec(), &same_line_program, 5, 2);
  const tlb_stats_t *first = &r.g->tlb.level[0].stats[0], *second = &r.g->tlb.level[1].stats[0];
  assert_int_equal(first->primary_misses, 5);
  assert_int_equal(second->lookups, 5);
  assert_int_equal(second->primary_misses, 1);
  assert_int_equal(second->merged_misses, 4);
  assert_int_equal(r.g->walker.stats[0].walks, 1);
  assert_int_equal(r.g->walker.stats[0].warps_stalled, 10);
  done(&r);
}

/* The page-table lines of two pages are the same: their walks share L2's fetches. */
static void walks_share_page_table_lines_in_l2(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, PAGE4, 0), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 4);
  assert_int_equal(r.g->walker.stats[0].walks, 4);
  assert_int_equal(r.g->walker.stats[0].reads, 16);
  assert_int_equal(dram_total(r.g, 0, DRAM_WALK).reads, 4);
  done(&r);
}

static void a_full_merge_list_only_delays(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1d.merges", 1);
  ran_t r = run(spec, &same_line_program, 1, 6);
  assert_int_equal(r.g->l1.stats[0].merged, 1);
  assert_int_equal(r.g->l1.stats[0].hits, 4); /* they waited, and then the line was there */
  assert_true(r.g->l1.stats[0].blocked > 0);
  assert_int_equal(l2_data(r.g)->accesses, 1);
  done(&r);
}

static void a_full_l2_merge_list_only_delays(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l2.merges", 1);
  ran_t r = run(spec, &same_line_program, 5, 1);
  assert_int_equal(l2_data(r.g)->merged, 1);
  assert_int_equal(l2_data(r.g)->hits, 3);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 1);
  done(&r);
}

/* Two warps, two lines that are in L2 (SM 0 brought them there by loads past its L1), one register:
 * the second line's way through the machine begins when the first has come back. */
static void one_l1_miss_register_makes_misses_follow_each_other(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  no_tlbs(&spec);
  setn(&spec, "l1d.mshrs", 1);
  const script_op_t ops[] = {
      LOAD_CG(1, R_NO, VA), LOAD_CG(2, R_NO, VA + LINE), ALU(3, 1), ALU(4, 2), BARRIER(0, 0),
      ALU(5, R_NO),         LOAD_AT(6, 5, VA, LINE, 0),  ALU(7, 6)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(spec, &p, 1, 2);
  uint64_t first = script_when(r.s, 0, 7), second = script_when(r.s, 1, 7);
  if (first > second) {
    uint64_t t = first;
    first = second, second = t;
  }
  assert_int_equal(second - first, f_l2_hit(&spec, LINE) - f_to_l1(&spec));
  assert_int_equal(l2_data(r.g)->misses, 4); /* two lines, each with one that merged */
  done(&r);
}

/* One first-level MSHR and walks of fixed length: translations follow each other. */
static void one_tlb_miss_register_makes_walks_follow_each_other(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "tlb.levels", 1), setn(&spec, "l1tlb.mshrs", 1), setn(&spec, "walk.fixed", 500);
  const script_op_t ops[] = {LOAD_SPREAD(1, R_NO, VA, PAGE4 + LINE, 0, 0, 7), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(spec, &p, 1, 1);
  const tlb_stats_t *t = &r.g->tlb.level[0].stats[0];
  assert_int_equal(t->primary_misses, 3);
  assert_int_equal(t->mshr_stalls, 2);
  assert_int_equal(r.g->walker.stats[0].max_active, 1);
  uint64_t walks = 3 * (spec.tlb_level[0].latency_cycles + 500);
  assert_true(script_when(r.s, 0, 1) - script_when(r.s, 0, 0) > walks);
  done(&r);
}

/* Three SMs miss the second level on one page while its only register is taken by another page:
 * whoever is served last must not be forgotten. */
static void everybody_behind_a_full_tlb_is_served(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "gpu.sms", 6), setn(&spec, "l2tlb.mshrs", 1), setn(&spec, "walk.fixed", 500);
  const script_op_t other[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  const script_op_t same[] = {ALU(1, R_NO), LOAD(2, 1, VA + PAGE4), ALU(3, 2)};
  const program_t p[] = {PROGRAM(other), PROGRAM(same), PROGRAM(same),
                         PROGRAM(same),  PROGRAM(same), PROGRAM(same)};
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 6, .blocks = 6, .warps = 1, .va = VA, .bytes = MB},
      64);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->walker.stats[0].walks, 2);
  gpu_free(g);
  script_free(s);
}

/* SMs that share a first-level TLB with one MSHR get it in turn, though they come in order
 * of their number: nobody waits for more than the others' one walk each. */
static void register_in_turn(gpu_spec_t spec, uint32_t page) {
  setn(&spec, "gpu.sms", 3), setn(&spec, "l1tlb.group", 3), setn(&spec, "l1tlb.mshrs", 1);
  setn(&spec, "tlb.levels", 1), setn(&spec, "walk.fixed", 500);
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 256 * KB, page), ALU(2, R_NO)};
  const program_t p = PROGRAM_N(ops, 20);
  ran_t r = run(spec, &p, 3, 1);
  for (uint32_t i = 1; i < 20; i++) {
    uint64_t turn = script_when(r.s, 2, 2 * i) - script_when(r.s, 2, 2 * (i - 1));
    assert_true(turn < 4 * 500);
  }
  done(&r);
}

static void sharers_of_a_tlb_get_its_register_in_turn(void **state) {
  (void)state;
  register_in_turn(lab_spec(), PAGE4);
}

/* Large pages too, where any answer may have brought in what somebody waits for. */
static void sharers_get_the_register_in_turn_for_large_pages(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "mem.large_page", 2 * PAGE4), set(&spec, "mem.manager", "large-only");
  register_in_turn(spec, 2 * PAGE4);
}

/* ---- sectors ----------------------------------------------------------------------------------
 */

static void only_missing_sectors_are_fetched(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD1(1, R_NO, VA + 32), LOAD(2, 1, VA), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  dram_stats_t d = dram_total(r.g, 0, DRAM_DATA);
  assert_int_equal(d.reads, 2);
  assert_int_equal(d.read_bytes, 32 + 96);
  done(&r);
}

/* The second load asks for two sectors, of which one is on its way. */
static void sectors_under_way_are_not_fetched_twice(void **state) {
  (void)state;
  script_op_t ops[] = {LOAD1(1, R_NO, VA), LOAD(2, R_NO, VA), ALU(3, 1), ALU(4, 2)};
  ops[1].mask = 0xffff;
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).read_bytes, 64);
  assert_int_equal(r.g->l1.stats[0].misses, 2);
  gpu_spec_t spec = lab_spec(); /* each answer brings one sector through the crossbar */
  assert_int_equal(r.g->noc.sm_in[0].flits, 2 * f_flits(&spec, 32));
  done(&r);
}

static void full_sector_stores_fetch_nothing(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_AT(R_NO, VA, 0, 0), STORE_MASK(R_NO, VA + LINE, 0xff00),
                             ALU(1, R_NO)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 0);
  assert_int_equal(l2_data(r.g)->writes, 2);
  done(&r);
}

static void partial_sector_stores_fetch_their_sector(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_MASK(R_NO, VA, 1), STORE_MASK(R_NO, VA + LINE, 0x0f0f),
                             STORE_MASK(R_NO, VA + 2 * LINE, 0x01ff)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  dram_stats_t d = dram_total(r.g, 0, DRAM_DATA);
  assert_int_equal(d.reads, 3);
  assert_int_equal(d.read_bytes, 32 + 64 + 32); /* of the last, one sector is full */
  done(&r);
}

static void stored_data_is_found_in_l2(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_AT(R_NO, VA, 0, 0), BARRIER(0, 0), LOAD(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 0);
  assert_int_equal(l2_data(r.g)->hits, 1);
  done(&r);
}

static void dependent_wait(script_op_t *op, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) op[i] = (script_op_t)UNIT(IC_SFU, 9, 9);
}

/* An L2 of 32 lines in 2 ways; 64 lines are written, one sector of each: 32 lines go, and of them
 * 32 bytes each. The warp then waits until DRAM has taken them. */
static void displaced_dirty_sectors_are_written_back(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "l2.bytes", "4096"), setn(&spec, "l2.ways", 2), setn(&spec, "dram.write_low", 0);
  one_page(&spec), no_tlbs(&spec);
  script_op_t ops[64 + 100];
  for (uint32_t i = 0; i < 64; i++) ops[i] = (script_op_t)STORE_MASK(R_NO, VA + i * LINE, 0xff);
  dependent_wait(ops + 64, 100);
  const program_t p = PROGRAM(ops);
  ran_t r = run(spec, &p, 1, 1);
  dram_stats_t d = dram_total(r.g, 0, DRAM_DATA);
  assert_int_equal(l2_data(r.g)->evictions, 32);
  assert_int_equal(l2_data(r.g)->writebacks, 32);
  assert_int_equal(d.writes, 32);
  assert_int_equal(d.write_bytes, 32 * 32);
  assert_int_equal(d.reads, 0);
  done(&r);
}

static void clean_lines_are_displaced_without_a_write(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "l2.bytes", "4096"), setn(&spec, "l2.ways", 2);
  one_page(&spec), no_tlbs(&spec);
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, LINE)};
  const program_t p = PROGRAM_N(ops, 64);
  ran_t r = run(spec, &p, 1, 1);
  assert_int_equal(l2_data(r.g)->evictions, 32);
  assert_int_equal(l2_data(r.g)->writebacks, 0);
  done(&r);
}

/* L1 is written through and does not take in lines that are only written. */
static void l1_does_not_allocate_on_a_store(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_AT(R_NO, VA, 0, 0), BARRIER(0, 0), LOAD(1, R_NO, VA),
                             STORE_AT(1, VA, 0, 0)};
  const program_t p = PROGRAM(ops);
  ran_t r = run(lab_spec(), &p, 1, 1);
  const cache_stats_t *c = &r.g->l1.stats[0];
  assert_int_equal(c->writes, 2);
  assert_int_equal(c->hits, 1); /* the store after the load */
  assert_int_equal(c->misses, 2);
  done(&r);
}

static void l1_is_empty_at_a_launch_if_it_should_be(void **state) {
  (void)state;
  static const script_command_t twice[] = {
      {CMD_ALLOC, VA, MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  for (uint32_t flush = 0; flush < 2; flush++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "l1d.flush_at_launch", flush ? "true" : "false");
    script_t *s = script_new(
        &(script_spec_t){
            .program = &p, .programs = 1, .blocks = 1, .warps = 1, .command = twice, .commands = 3},
        64);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->l1.stats[0].hits, !flush);
    assert_int_equal(l2_data(g)->hits, flush);
    gpu_free(g);
    script_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warps_of_an_sm_share_one_fetch_of_a_line),
      cmocka_unit_test(sms_share_one_dram_read_of_a_line),
      cmocka_unit_test(warps_of_an_sm_share_one_translation),
      cmocka_unit_test(sms_share_one_walk_of_a_page),
      cmocka_unit_test(walks_share_page_table_lines_in_l2),
      cmocka_unit_test(a_full_merge_list_only_delays),
      cmocka_unit_test(a_full_l2_merge_list_only_delays),
      cmocka_unit_test(one_l1_miss_register_makes_misses_follow_each_other),
      cmocka_unit_test(one_tlb_miss_register_makes_walks_follow_each_other),
      cmocka_unit_test(everybody_behind_a_full_tlb_is_served),
      cmocka_unit_test(sharers_of_a_tlb_get_its_register_in_turn),
      cmocka_unit_test(sharers_get_the_register_in_turn_for_large_pages),
      cmocka_unit_test(only_missing_sectors_are_fetched),
      cmocka_unit_test(sectors_under_way_are_not_fetched_twice),
      cmocka_unit_test(full_sector_stores_fetch_nothing),
      cmocka_unit_test(partial_sector_stores_fetch_their_sector),
      cmocka_unit_test(stored_data_is_found_in_l2),
      cmocka_unit_test(displaced_dirty_sectors_are_written_back),
      cmocka_unit_test(clean_lines_are_displaced_without_a_write),
      cmocka_unit_test(l1_does_not_allocate_on_a_store),
      cmocka_unit_test(l1_is_empty_at_a_launch_if_it_should_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
