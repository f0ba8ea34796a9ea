/* The manager mosaic in the machine: coalesced pages in TLBs and walker, and pages that compaction
 * moves while their owner's kernel runs. */
#include "help.h"

static void coalesced_pages_hit_large_entries(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "mosaic");
  setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l2tlb.large_entries", 4);
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, 9 * PAGE4), ALU(2, 1)};
  const program_t p = PROGRAM_N(ops, 50);
  script_t *s = script_of(&p, 1, 1, 2 * MB);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->tlb.level[0].stats[0].large_hits, 49);
  assert_int_equal(g->walker.stats[0].walks, 1);
  assert_int_equal(g->walker.stats[0].large_walks, 1);
  assert_int_equal(g->walker.stats[0].reads, 4); /* the large bit, then the first leaf entry */
  gpu_free(g);
  script_free(s);
}

/* The only base entry stays with the one page that is not coalesced. */
static void coalesced_pages_take_no_base_entries(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "mosaic");
  setn(&spec, "l1tlb.entries", 1), setn(&spec, "l1tlb.large_entries", 1);
  setn(&spec, "l2tlb.large_entries", 4);
  const script_op_t ops[] = {LOAD(1, 1, VA + 64 * MB), LOAD_AT(1, 1, VA, 0, 9 * PAGE4)};
  const program_t p = PROGRAM_N(ops, 50);
  static const script_command_t commands[] = {
      {CMD_ALLOC, VA, 2 * MB}, {CMD_ALLOC, VA + 64 * MB, PAGE4}, {CMD_LAUNCH, 0, 0}};
  script_t *s = script_told(&p, 1, 1, commands, 3);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->tlb.level[0].stats[0].large_hits, 49);
  assert_int_equal(g->tlb.level[0].stats[0].hits, 49 + 49);
  assert_int_equal(g->walker.stats[0].walks, 2);
  gpu_free(g);
  script_free(s);
}

/* Page by page, and the first page again after each: the last one to come makes a large page of
 * them, and the entry that the first has had since before still hits. */
static void base_entries_stay_good_when_their_page_is_coalesced(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "mosaic"), set(&spec, "mem.paging", "demand");
  setn(&spec, "link.fault", 10), setn(&spec, "l2tlb.large_entries", 4);
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4), LOAD(1, 1, VA)};
  const program_t p = PROGRAM_N(ops, 512);
  script_t *s = script_of(&p, 1, 1, 2 * MB);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(mm_counts(g->memory.mm).coalesced, 1);
  assert_int_equal(g->tlb.level[0].stats[0].hits, 512); /* the first page, each time */
  assert_int_equal(g->tlb.level[0].stats[0].misses, 512);
  gpu_free(g);
  script_free(s);
}

static void pages_of_a_running_program_may_move(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "mosaic"), set(&spec, "mem.bytes", "8M"),
      set(&spec, "run.check", "true");
  setn(&spec, "gpu.sms", 2), setn(&spec, "l1tlb.entries", 2), setn(&spec, "l2tlb.entries", 4);
  setn(&spec, "l2tlb.ways", 4);
  script_t *a = mover(), *b = taker();
  app_spec_t apps[2] = {{.name = "mover", .source = script_source(a)},
                        {.name = "taker", .source = script_source(b)}};
  gpu_t *g;
  err_t e = {0};
  if (gpu_new(&spec, apps, 2, &g, &e)) fail_msg("%s", e.text);
  gpu_limits_t limits = {.no_relaunch = true};
  int rc = gpu_run(g, &limits, 10000000, &e);
  if (rc < 0) fail_msg("%s", e.text);
  assert_int_equal(rc, 1);
  assert_int_equal(mm_counts(g->memory.mm).compacted, 1);
  assert_true(mm_counts(g->memory.mm).migrated > 0);
  assert_true(g->share.app[0].first_end >
              g->share.app[1].first_end); /* the first was running meanwhile */
  gpu_free(g);
  script_free(a), script_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coalesced_pages_hit_large_entries),
      cmocka_unit_test(coalesced_pages_take_no_base_entries),
      cmocka_unit_test(base_entries_stay_good_when_their_page_is_coalesced),
      cmocka_unit_test(pages_of_a_running_program_may_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
