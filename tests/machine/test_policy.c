/* The hooks for policies, with policies of the tests' own. They are put into the machine between
 * its creation and its run: the tables of the product hold only real ones. */
#include "formula.h"
#include "help.h"
#include "policies.h"

static script_t *programs_of(const program_t *p, uint32_t programs, uint32_t blocks) {
  return script_new(
      &(script_spec_t){
          .program = p, .programs = programs, .blocks = blocks, .warps = 1, .va = VA, .bytes = MB},
      4096);
}

/* ---- TLB fill ---------------------------------------------------------------------------------
 */

/* Two pages in turn, a first level of one entry. */
static const script_op_t turns[] = {LOAD(1, 1, VA), LOAD(1, 1, VA + PAGE4)};
static const program_t turns_program = PROGRAM_N(turns, 10);

static gpu_t *machine_of(gpu_spec_t *spec, script_t *s) {
  source_t *src = script_source(s);
  return machine(spec, &src, 1);
}

static void denied_fills_stay_out_of_the_tlb(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1tlb.entries", 1);
  script_t *s = programs_of(&turns_program, 1, 1);
  gpu_t *g = machine_of(&spec, s);
  use_side(g, false);
  finish(g);
  const tlb_stats_t *t = &g->tlb.level[1].stats[0];
  assert_int_equal(t->lookups, 20);
  assert_int_equal(t->hits, 0);
  assert_int_equal(t->fills, 0);
  assert_int_equal(t->denied_fills, 20);
  assert_int_equal(g->walker.stats[0].walks, 20);
  gpu_free(g);
  script_free(s);
}

static void a_buffer_beside_the_tlb_answers(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1tlb.entries", 1);
  script_t *s = programs_of(&turns_program, 1, 1);
  gpu_t *g = machine_of(&spec, s);
  const side_t *side = use_side(g, true);
  finish(g);
  const tlb_stats_t *t = &g->tlb.level[1].stats[0];
  assert_int_equal(t->side_hits, 18);
  assert_int_equal(t->hits, 18);
  assert_int_equal(t->denied_fills, 2);
  assert_int_equal(g->walker.stats[0].walks, 2);
  assert_int_equal(side->lookups, t->lookups);
  assert_int_equal(side->hits, t->hits);
  assert_int_equal(side->epochs, (gpu_cycles(g) - 1) / spec.run.epoch_cycles);
  /* a hit beside the TLB takes as long as one in it */
  assert_int_equal(script_when(s, 0, 6) - script_when(s, 0, 5),
                   f_l1_hit(&spec) + spec.tlb_level[1].hop_cycles +
                       spec.tlb_level[1].latency_cycles);
  gpu_free(g);
  script_free(s);
}

static void a_buffer_beside_the_tlb_hears_of_freed_pages(void **state) {
  (void)state;
  static const script_command_t commands[] = {
      {CMD_ALLOC, VA, MB}, {CMD_LAUNCH, 0, 0},
      {CMD_FREE, VA, 0},   {CMD_ALLOC, VA + 64 * MB, 8 * PAGE4},
      {CMD_ALLOC, VA, MB}, {CMD_LAUNCH, 0, 0}};
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1tlb.entries", 1);
  script_t *s = script_new(&(script_spec_t){.program = &turns_program,
                                            .programs = 1,
                                            .blocks = 1,
                                            .warps = 1,
                                            .command = commands,
                                            .commands = 6},
                           64);
  gpu_t *g = machine_of(&spec, s);
  const side_t *side = use_side(g, true);
  finish(g); /* a stale entry would be a wrong translation: the check would tell */
  assert_int_equal(side->invalidated, 4);
  assert_int_equal(g->walker.stats[0].walks, 4);
  gpu_free(g);
  script_free(s);
}

/* Where pages have several sizes, a TLB of one set finds again what a fill with a policy put in. */
static void policies_fill_with_pages_of_several_sizes(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = lab_spec();
    put_all(&spec, "mem.manager=mixed l1tlb.entries=4 l1tlb.ways=4 l1tlb.large_entries=0 "
                   "l2tlb.entries=8 l2tlb.ways=8 l2tlb.large_entries=0");
    source_t *src = generator("gather:footprint=6M,blocks=4,warps=4,steps=12");
    gpu_t *g = machine(&spec, &src, 1);
    if (i)
      use_left(g, true);
    else
      use_side(g, true);
    finish(g);
    assert_true(g->tlb.level[0].stats[0].hits > 0);
    gpu_free(g);
    src->ops->free(src);
  }
}

/* ---- peers ------------------------------------------------------------------------------------
 */

#define WAIT5                                                                                      \
  UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9)
#define WAIT50 WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5

/* SM 1 reads the page long after SM 0 did; its first instruction after waiting is number 50. */
static const script_op_t early[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
static const script_op_t late[] = {WAIT50, LOAD(1, 9, VA), LOAD(2, 1, VA), ALU(3, 2)};
static const program_t early_late[] = {PROGRAM(early), PROGRAM(late)};

static void the_left_neighbours_tlb_answers(void **state) {
  (void)state;
  for (uint32_t keep = 0; keep < 2; keep++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "gpu.sms", 2);
    script_t *s = programs_of(early_late, 2, 2);
    gpu_t *g = machine_of(&spec, s);
    use_left(g, keep);
    finish(g);
    const tlb_stats_t *t = &g->tlb.level[0].stats[0];
    uint32_t asking = PEER_CYCLES + spec.tlb_level[0].latency_cycles;
    assert_int_equal(t->remote_hits, keep ? 1 : 2);
    assert_int_equal(t->hits, keep ? 1 : 0);
    assert_int_equal(g->walker.stats[0].walks, 1);
    assert_int_equal(g->tlb.level[1].stats[0].lookups, 1);
    assert_int_equal(script_when(s, 1, 51) - script_when(s, 1, 50), f_l2_hit(&spec, LINE) + asking);
    assert_int_equal(script_when(s, 1, 52) - script_when(s, 1, 51),
                     f_l1_hit(&spec) + (keep ? 0 : asking));
    gpu_free(g);
    script_free(s);
  }
}

static void a_peer_that_misses_costs_its_latency(void **state) {
  (void)state;
  uint64_t cycles[2];
  uint32_t look = lab_spec().tlb_level[0].latency_cycles;
  for (uint32_t peers = 0; peers < 2; peers++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "gpu.sms", 2), setn(&spec, "walk.fixed", 500), setn(&spec, "dram.clock_mhz", 1000);
    script_t *s = programs_of(early_late, 1, 1);
    gpu_t *g = machine_of(&spec, s);
    if (peers) use_left(g, true);
    finish(g);
    cycles[peers] = script_when(s, 0, 1) - script_when(s, 0, 0);
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 0);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(cycles[1] - cycles[0], PEER_CYCLES + look);
}

/* Neighbours of another address space hold the same page numbers; asking them must not help. */
static void peers_answer_only_their_own_address_space(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "gpu.sms", 2);
  script_t *s[2] = {programs_of(&early_late[0], 1, 1), programs_of(&early_late[1], 1, 1)};
  source_t *src[2] = {script_source(s[0]), script_source(s[1])};
  gpu_t *g = machine(&spec, src, 2);
  use_left(g, true);
  finish(g);
  for (uint32_t a = 0; a < 2; a++) {
    assert_int_equal(g->tlb.level[0].stats[a].remote_hits, 0);
    assert_int_equal(g->walker.stats[a].walks, 1);
    script_free(s[a]);
  }
  gpu_free(g);
}

static void peers_never_change_what_is_executed(void **state) {
  (void)state;
  static const char *const text = "gather:footprint=256K,blocks=8,warps=4,steps=8";
  sm_stats_t stats[2];
  for (uint32_t peers = 0; peers < 2; peers++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "gpu.sms", 4), setn(&spec, "l1tlb.entries", 8);
    source_t *src = generator(text);
    gpu_t *g = machine(&spec, &src, 1);
    const left_t *l = peers ? use_left(g, true) : NULL;
    finish(g);
    stats[peers] = g->cores.stats[0];
    if (l) {
      assert_true(g->tlb.level[0].stats[0].remote_hits > 0);
      assert_int_equal(l->filled, g->tlb.level[0].stats[0].fills);
      assert_int_equal(l->evicted,
                       g->tlb.level[0].stats[0].evictions + g->tlb.level[0].stats[0].invalidations);
    }
    gpu_free(g);
    src->ops->free(src);
  }
  assert_int_equal(stats[0].warp_instructions, stats[1].warp_instructions);
  assert_int_equal(stats[0].thread_instructions, stats[1].thread_instructions);
  assert_int_equal(stats[0].lines, stats[1].lines);
  assert_int_equal(stats[0].blocks, stats[1].blocks);
}

/* ---- L2 ---------------------------------------------------------------------------------------
 */

static const script_op_t pages[] = {LOAD_CG(1, 1, VA), LOAD_CG(1, 1, VA + PAGE4),
                                    STORE_AT(1, VA + 2 * PAGE4, 0, 0)};
static const program_t pages_program = PROGRAM_N(pages, 10);

static void l2_policies_see_data_and_walk_levels(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_t *s = programs_of(&pages_program, 1, 1);
  gpu_t *g = machine_of(&spec, s);
  const watch_t *w = use_watch(g, L2_NORMAL, L2_NORMAL);
  finish(g);
  assert_int_equal(w->decided[0], 30);
  assert_int_equal(w->told[0], 30);
  assert_int_equal(w->writes, 10);
  for (uint32_t l = 1; l <= 4; l++) {
    assert_int_equal(w->decided[l], 3);
    assert_int_equal(w->told[l], 3);
  }
  gpu_free(g);
  script_free(s);
}

static void walks_that_bypass_l2_go_to_dram(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_t *s = programs_of(&pages_program, 1, 1);
  gpu_t *g = machine_of(&spec, s);
  const watch_t *w = use_watch(g, L2_NORMAL, L2_BYPASS);
  finish(g);
  const cache_stats_t *c = &g->l2.stats[CLASS_WALK];
  assert_int_equal(c->bypasses, 12);
  assert_int_equal(c->accesses, 0);
  assert_int_equal(w->told[1], 0); /* it did not look */
  assert_int_equal(dram_total(g, 0, DRAM_WALK).reads, 12);
  assert_int_equal(g->walker.stats[0].dram_reads, 12);
  gpu_free(g);
  script_free(s);
}

static void data_that_may_not_fill_is_fetched_again(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_t *s = programs_of(&pages_program, 1, 1);
  gpu_t *g = machine_of(&spec, s);
  use_watch(g, L2_NO_FILL, L2_NORMAL);
  finish(g);
  assert_int_equal(dram_total(g, 0, DRAM_DATA).reads, 20);
  assert_int_equal(g->l2.stats[CLASS_DATA].misses, 20 + 1); /* the first store, too */
  gpu_free(g);
  script_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(denied_fills_stay_out_of_the_tlb),
      cmocka_unit_test(a_buffer_beside_the_tlb_answers),
      cmocka_unit_test(a_buffer_beside_the_tlb_hears_of_freed_pages),
      cmocka_unit_test(policies_fill_with_pages_of_several_sizes),
      cmocka_unit_test(the_left_neighbours_tlb_answers),
      cmocka_unit_test(a_peer_that_misses_costs_its_latency),
      cmocka_unit_test(peers_answer_only_their_own_address_space),
      cmocka_unit_test(peers_never_change_what_is_executed),
      cmocka_unit_test(l2_policies_see_data_and_walk_levels),
      cmocka_unit_test(walks_that_bypass_l2_go_to_dram),
      cmocka_unit_test(data_that_may_not_fill_is_fetched_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
