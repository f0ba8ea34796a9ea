/* Speculation before translation (src/tlb/guess.c, Avatar's CAST): what is guessed, when data may
 * be seen, what a wrong guess costs. */
#include "cost/cost.h"
#include "help.h"

static gpu_spec_t cast_spec(const char *speculate) {
  gpu_spec_t s = lab_spec();
  set(&s, "tlb.speculate", speculate);
  return s;
}

/* ---- the table ---- */

typedef struct {
  void *state;
  cast_spec_t spec;
} learner_t;

static learner_t learner(uint32_t entries, uint32_t confidence) {
  learner_t t = {.spec = {entries, confidence}};
  speculate_env_t env = {&t.spec};
  const speculate_ops_t *ops = speculate_find("cast");
  t.state = calloc(1, ops->state_bytes(&env));
  assert_non_null(t.state);
  ops->init(t.state, &env);
  return t;
}
static void teach(const learner_t *t, uint32_t inst, uint64_t vpn, uint64_t ppn) {
  speculate_find("cast")->told(t->state, &(speculate_load_t){inst, 0, {vpn}}, (ppn_t){ppn});
}
/* The frame it guesses, or 0. */
static uint64_t ask(const learner_t *t, uint32_t inst, asid_t asid, uint64_t vpn) {
  ppn_t ppn = {0};
  bool sure = speculate_find("cast")->guess(t->state, &(speculate_load_t){inst, asid, {vpn}}, &ppn);
  return sure ? ppn.v : 0;
}

static void it_is_sure_after_two_and_unsure_after_one_mistake(void **state) {
  (void)state;
  learner_t t = learner(4, 2);
  assert_int_equal(ask(&t, 1, 0, 10), 0);
  teach(&t, 1, 10, 110); /* confidence 1 */
  assert_int_equal(ask(&t, 1, 0, 11), 0);
  teach(&t, 1, 11, 111); /* 2 */
  assert_int_equal(ask(&t, 1, 0, 500), 600);
  assert_int_equal(ask(&t, 2, 0, 500), 0);      /* another instruction */
  assert_int_equal(ask(&t, 1, 1, 500), 0);      /* another address space */
  teach(&t, 1, 12, 112), teach(&t, 1, 13, 113); /* 3, and no more */
  teach(&t, 1, 14, 900);                        /* wrong: 1 */
  assert_int_equal(ask(&t, 1, 0, 15), 0);
  teach(&t, 1, 15, 115); /* 2: the old distance is kept */
  assert_int_equal(ask(&t, 1, 0, 16), 116);
  teach(&t, 1, 16, 1016), teach(&t, 1, 17, 1017); /* 0: replaced, 1; then 2 */
  assert_int_equal(ask(&t, 1, 0, 18), 1018);
  free(t.state);
}

static void the_instruction_used_least_recently_leaves(void **state) {
  (void)state;
  learner_t t = learner(2, 1);
  teach(&t, 1, 10, 110), teach(&t, 2, 10, 210);
  assert_int_equal(ask(&t, 1, 0, 10), 110);
  teach(&t, 3, 10, 310);
  assert_int_equal(ask(&t, 2, 0, 10), 0);
  assert_int_equal(ask(&t, 1, 0, 10), 110);
  assert_int_equal(ask(&t, 3, 0, 10), 310);
  free(t.state);
}

/* ---- in the machine ---- */

/* A warp loads page after page, each load waiting for the one before. */
static gpu_t *pages_in_turn(const gpu_spec_t *spec, uint32_t pages, uint64_t stride) {
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, (int64_t)stride)};
  const program_t p = {ops, 1, pages};
  script_t *s = script_of(&p, 1, 1, 32 * MB);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

static void data_comes_beside_its_translation(void **state) {
  (void)state;
  gpu_spec_t off = cast_spec("none"), on = cast_spec("cast");
  set(&off, "mem.manager", "mosaic"), set(&on, "mem.manager", "mosaic"); /* frames in a row */
  gpu_t *a = pages_in_turn(&off, 64, PAGE4), *b = pages_in_turn(&on, 64, PAGE4);
  const speculate_stats_t *s = b->tlb.speculations;
  assert_int_equal(s->misses, 64);
  assert_int_equal(s->guesses, 62); /* all but the first two */
  assert_int_equal(s->right, 62);
  assert_int_equal(s->wrong, 0);
  assert_int_equal(s->lines, 62);
  assert_true(gpu_cycles(b) * 10 < gpu_cycles(a) * 9);
  /* Nothing more was moved. */
  assert_int_equal(dram_total(b, 0, DRAM_DATA).reads, dram_total(a, 0, DRAM_DATA).reads);
  gpu_free(a), gpu_free(b);
}

/* Nobody sees data before the translation is known. */
static void the_warp_waits_for_the_walk_all_the_same(void **state) {
  (void)state;
  gpu_spec_t on = cast_spec("cast");
  set(&on, "mem.manager", "mosaic"), set(&on, "walk.fixed", "5000");
  gpu_t *g = pages_in_turn(&on, 20, PAGE4);
  assert_true(g->tlb.speculations->right >= 18);
  assert_true(gpu_cycles(g) > 20 * 5000);
  gpu_free(g);
}

/* Two programs whose frames are dealt in turn: the distance changes, and guesses are wrong. */
static gpu_t *two_programs(const gpu_spec_t *spec) {
  return run_generators(spec, "gather:footprint=8M,blocks=2,warps=4,steps=12,seed=3",
                        "gather:footprint=4M,blocks=2,warps=4,steps=12,seed=4");
}

/* Warps that wait for one page together teach its distance once: pages whose frames never follow
 * each other make nobody sure. */
static void warps_that_wait_for_one_page_teach_it_once(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD_AT(1, 1, VA, 2 * LINE, PAGE4)};
  static const program_t p = {ops, 1, 40};
  gpu_spec_t on = cast_spec("cast");
  setn(&on, "gpu.sms", 2), set(&on, "mem.manager", "gpu-mmu"), set(&on, "walk.fixed", "2000");
  script_t *s[2] = {script_of(&p, 1, 8, MB), script_of(&p, 1, 8, MB)};
  source_t *src[2] = {script_source(s[0]), script_source(s[1])};
  gpu_t *g = machine(&on, src, 2);
  finish(g);
  for (uint32_t a = 0; a < 2; a++) {
    assert_true(g->tlb.level[0].stats[a].merged_misses > 100); /* they did wait together */
    assert_int_equal(g->tlb.speculations[a].guesses, 0);
  }
  gpu_free(g);
  script_free(s[0]), script_free(s[1]);
}

static void wrong_guesses_move_data_for_nothing(void **state) {
  (void)state;
  gpu_spec_t off = cast_spec("none"), on = cast_spec("cast");
  setn(&off, "gpu.sms", 2), setn(&on, "gpu.sms", 2);
  set(&off, "mem.manager", "gpu-mmu"), set(&on, "mem.manager", "gpu-mmu");
  setn(&on, "cast.confidence", 1);
  gpu_t *a = two_programs(&off), *b = two_programs(&on);
  uint64_t wrong = 0, reads[2] = {0};
  for (uint32_t i = 0; i < 2; i++) {
    const speculate_stats_t *s = &b->tlb.speculations[i];
    assert_int_equal(s->right + s->wrong, s->guesses);
    assert_true(s->guesses <= s->misses && s->lines + s->dropped >= s->guesses - s->outside);
    wrong += s->wrong;
    reads[0] += dram_total(a, i, DRAM_DATA).reads, reads[1] += dram_total(b, i, DRAM_DATA).reads;
    /* the programs did the same */
    assert_int_equal(a->cores.stats[i].loads, b->cores.stats[i].loads);
    assert_int_equal(a->cores.stats[i].lines, b->cores.stats[i].lines);
  }
  assert_true(wrong > 0);
  assert_true(reads[1] > reads[0]);           /* wasted traffic is real, */
  assert_true(gpu_cycles(b) > gpu_cycles(a)); /* and costs */
  gpu_free(a), gpu_free(b);
}

static void stores_and_uncached_loads_are_not_guessed(void **state) {
  (void)state;
  static const script_op_t ops[] = {STORE_AT(1, VA, 0, PAGE4), LOAD_CG(1, 1, VA + 4 * MB),
                                    ATOMIC(2, 1, VA + 8 * MB)};
  static const program_t p = PROGRAM_N(ops, 20);
  gpu_spec_t on = cast_spec("cast");
  script_t *s = script_of(&p, 1, 1, 32 * MB);
  gpu_t *g = run_script(&on, s);
  assert_int_equal(g->tlb.speculations->misses, 0);
  assert_int_equal(g->tlb.speculations->lines, 0);
  gpu_free(g);
  script_free(s);
}

/* Pages that come, go and have several sizes, under every check. */
static void it_goes_with_paging_sizes_and_spaces(void **state) {
  (void)state;
  static const char *const how[] = {
      "mem.paging=demand mem.evict=lru mem.bytes=6M",
      "mem.paging=uvm mem.evict=lru mem.bytes=6M link.bandwidth=1000000 uvm.wake=100 uvm.block=10",
      "mem.manager=mixed mem.format=pascal mem.fragment_index=95", "mem.manager=mosaic mem.cac=cac",
      "mem.manager=large-only l1tlb.group=2"};
  for (uint32_t i = 0; i < sizeof how / sizeof *how; i++) {
    gpu_spec_t on = cast_spec("cast");
    put_all(&on, "gpu.sms=2 cast.confidence=1 link.fault=1000"), put_all(&on, how[i]);
    gpu_t *g = run_weather(&on, "gather:footprint=8M,blocks=2,warps=4,steps=12,seed=3",
                           "gather:footprint=1984K,blocks=2,warps=4,steps=12,seed=4");
    assert_true(g->tlb.speculations[0].misses > 0);
    /* What base pages taught names frames below the first for the others of a large page. */
    assert_true(g->tlb.speculations[0].outside > 0 || i != 2);
    assert_true(g->tlb.speculations[0].guesses > 0 || i == 4); /* large pages: few miss */
    gpu_free(g);
  }
}

static void where_it_makes_no_sense_it_is_refused(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = cast_spec("cast");
    set(&spec, i ? "mem.manager" : "tlb.levels", i ? "coloured" : "0");
    source_t *src = generator("stream:footprint=1M,blocks=1,warps=1,steps=1");
    app_spec_t app = {.name = "x", .source = src};
    gpu_t *g = NULL;
    err_t e = {0};
    assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
    src->ops->free(src);
  }
}

static void its_storage_is_known(void **state) {
  (void)state;
  gpu_spec_t s = cast_spec("cast");
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++)
    if (strcmp(r->mechanism, "cast") == 0) {
      cost_t c = {0};
      assert_true(r->on(&s));
      r->work_out(&s, &c);
      assert_int_equal(c.each, 32 * (1 + 32 + 9 + 36 + 2));
      assert_int_equal(c.count, 1);
      set(&s, "tlb.speculate", "none");
      assert_false(r->on(&s));
      return;
    }
  fail_msg("no row for it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_sure_after_two_and_unsure_after_one_mistake),
      cmocka_unit_test(the_instruction_used_least_recently_leaves),
      cmocka_unit_test(data_comes_beside_its_translation),
      cmocka_unit_test(the_warp_waits_for_the_walk_all_the_same),
      cmocka_unit_test(warps_that_wait_for_one_page_teach_it_once),
      cmocka_unit_test(wrong_guesses_move_data_for_nothing),
      cmocka_unit_test(stores_and_uncached_loads_are_not_guessed),
      cmocka_unit_test(it_goes_with_paging_sizes_and_spaces),
      cmocka_unit_test(where_it_makes_no_sense_it_is_refused),
      cmocka_unit_test(its_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
