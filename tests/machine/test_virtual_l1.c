/* A virtual L1 (src/tlb/past.c): what is translated, what is not, and when L1 forgets. */
#include "cost/cost.h"
#include "help.h"

static gpu_spec_t virtual_spec(const char *on) {
  gpu_spec_t s = lab_spec();
  set(&s, "l1d.virtual", on);
  return s;
}

static gpu_t *run_ops(const gpu_spec_t *spec, const program_t *p) {
  script_t *s = script_of(p, 1, 1, 32 * MB);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

/* The same line again and again. */
static void a_hit_in_l1_needs_no_translation(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD(1, 1, VA)};
  static const program_t p = PROGRAM_N(ops, 50);
  gpu_spec_t off = virtual_spec("false"), on = virtual_spec("true");
  gpu_t *a = run_ops(&off, &p), *b = run_ops(&on, &p);
  assert_int_equal(a->tlb.level[0].stats[0].lookups, 50);
  assert_int_equal(b->tlb.level[0].stats[0].lookups, 1);
  assert_int_equal(b->tlb.past[0].lookups, 49);
  assert_int_equal(b->l1.stats[0].hits, a->l1.stats[0].hits);
  /* It saves the latency of 49 look-ups, to the cycle. */
  assert_int_equal(gpu_cycles(a) - gpu_cycles(b), 49 * 2);
  /* Reasons still add up: what a hit waits for is L1. */
  assert_int_equal(b->cores.stats[0].stall[STALL_L1] >= 49 * 13, true);
  gpu_free(a), gpu_free(b);
}

/* More pages than the TLBs hold, of each of them a line: all in L1. */
static void what_l1_holds_beyond_the_reach_of_tlbs_is_not_walked(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4 + LINE)};
  static const program_t p[] = {{ops, 1, 60}};
  static const script_command_t commands[] = {
      {CMD_ALLOC, VA, MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  uint64_t walks[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = virtual_spec(i ? "true" : "false");
    setn(&spec, "l1tlb.entries", 4), setn(&spec, "l2tlb.entries", 8), setn(&spec, "l2tlb.ways", 4);
    set(&spec, "l1d.flush_at_launch", "false");
    script_t *s = script_told(p, 1, 1, commands, 3);
    gpu_t *g = run_script(&spec, s);
    walks[i] = g->walker.stats[0].walks;
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(walks[0], 120);
  assert_int_equal(walks[1], 60);
}

static void stores_and_atomics_are_translated(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD(1, R_NO, VA), STORE_AT(1, VA, 0, 0), ATOMIC(2, 1, VA)};
  static const program_t p = PROGRAM_N(ops, 10);
  gpu_spec_t on = virtual_spec("true");
  gpu_t *g = run_ops(&on, &p);
  assert_true(g->tlb.level[0].stats[0].lookups >= 21);
  gpu_free(g);
}

static void a_look_up_is_of_the_lines_that_l1_lacks(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1),
                                    LOAD_SPREAD(3, 2, VA, LINE, 0, 0, 3), ALU(4, 3)};
  static const program_t p = PROGRAM(ops);
  gpu_spec_t on = virtual_spec("true");
  gpu_t *g = run_ops(&on, &p);
  assert_int_equal(g->tlb.past[0].shorter, 1);
  assert_int_equal(g->tlb.past[0].lines, 1);
  assert_int_equal(g->tlb.level[0].stats[0].lookups, 2);
  gpu_free(g);
}

/* Pages that go, move and come again, and two programs, under every check. */
static void l1_forgets_when_pages_go(void **state) {
  (void)state;
  static const char *hot = "hotset:footprint=6M,hot=8K,blocks=2,warps=4,steps=12";
  static const char *wide = "gather:footprint=6M,blocks=4,warps=4,steps=12";
  const char *const how[][2] = {
      {"mem.paging=demand mem.evict=lru mem.bytes=4M", wide},
      {"mem.paging=uvm mem.evict=lru mem.bytes=4M link.bandwidth=1000000 uvm.wake=100 uvm.block=10",
       wide},
      {"mem.manager=mixed mem.format=pascal mem.fragment_index=95 l1tlb.entries=4 l2tlb.entries=8",
       "gather:footprint=1984K,blocks=4,warps=8,steps=8"},
      {"mem.manager=mosaic mem.cac=cac", hot}};
  for (uint32_t i = 0; i < sizeof how / sizeof *how; i++) {
    gpu_spec_t on = virtual_spec("true");
    put_all(&on, "gpu.sms=2 link.fault=1000"), put_all(&on, how[i][0]);
    gpu_t *g = run_weather(&on, how[i][1], "hotset:footprint=4M,hot=8K,blocks=2,warps=4,steps=12");
    assert_true(g->tlb.past[1].lines > 0);
    if (on.memory.evict && strcmp(on.memory.evict, "lru") == 0)
      assert_true(g->tlb.past[0].flushes > 1); /* evictions, not only the end */
    gpu_free(g);
  }
}

/* Any page of the program that goes takes all lines with it, also those of pages that stay. */
static void a_page_that_goes_takes_what_l1_held(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, LINE)};
  static const program_t p[] = {{ops, 1, 20}};
  static const script_command_t commands[] = {{CMD_ALLOC, VA, MB},
                                              {CMD_ALLOC, VA + 64 * MB, MB},
                                              {CMD_LAUNCH, 0, 0},
                                              {CMD_FREE, VA + 64 * MB, 0},
                                              {CMD_LAUNCH, 0, 0}};
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = virtual_spec(i ? "true" : "false");
    set(&spec, "l1d.flush_at_launch", "false");
    script_t *s = script_told(p, 1, 1, commands, 5);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->l1.stats[0].hits, i ? 0 : 20);
    cycles[i] = gpu_cycles(g);
    gpu_free(g);
    script_free(s);
  }
  assert_true(cycles[1] > cycles[0]);
}

/* It costs where memory is too small beside another program: two hot pages are read anew
 * whenever pages leave. */
static void evictions_cost_what_l1_held(void **state) {
  (void)state;
  uint64_t hits[2], cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = virtual_spec(i ? "true" : "false");
    put_all(&spec, "gpu.sms=2 mem.paging=demand mem.evict=tree mem.bytes=4M link.fault=100 "
                   "link.bandwidth=1000000");
    gpu_t *g =
        run_generators(&spec, "hotset:footprint=64K,hot=8K,reuse=99,blocks=1,warps=1,steps=4000",
                       "gather:footprint=8M,blocks=4,warps=4,steps=16");
    assert_true(g->paging.stats[1].evicted > 3000);
    if (i) assert_true(g->tlb.past[0].flushes > 20);
    hits[i] = g->l1.stats[0].hits, cycles[i] = gpu_cycles(g);
    gpu_free(g);
  }
  assert_true(hits[1] * 100 < hits[0] * 98);
  assert_true(cycles[1] > cycles[0]);
}

static void what_it_cannot_do_is_refused(void **state) {
  (void)state;
  gpu_spec_t spec = virtual_spec("true");
  set(&spec, "tlb.levels", "0");
  source_t *src = generator("stream:footprint=1M,blocks=1,warps=1,steps=1");
  app_spec_t app = {.name = "x", .source = src};
  gpu_t *g = NULL;
  err_t e = {0};
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "l1d.virtual"));
  src->ops->free(src);
}

static void its_storage_is_known(void **state) {
  (void)state;
  gpu_spec_t s = virtual_spec("true");
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++)
    if (strcmp(r->mechanism, "virtual-l1") == 0) {
      cost_t c = {0};
      assert_true(r->on(&s));
      r->work_out(&s, &c);
      assert_int_equal(c.each, 16384 / 128 * (36 + 9 + 2 - 14)); /* 64 MB: 14 bits of a frame */
      return;
    }
  fail_msg("no row for it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hit_in_l1_needs_no_translation),
      cmocka_unit_test(what_l1_holds_beyond_the_reach_of_tlbs_is_not_walked),
      cmocka_unit_test(stores_and_atomics_are_translated),
      cmocka_unit_test(a_look_up_is_of_the_lines_that_l1_lacks),
      cmocka_unit_test(l1_forgets_when_pages_go),
      cmocka_unit_test(a_page_that_goes_takes_what_l1_held),
      cmocka_unit_test(evictions_cost_what_l1_held),
      cmocka_unit_test(what_it_cannot_do_is_refused),
      cmocka_unit_test(its_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
