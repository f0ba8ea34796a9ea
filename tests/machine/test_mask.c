/* MASK's TLB-fill tokens and L2 bypass in a small machine: where they help, where they must not
 * hurt, and what a request that goes past L2 does on its way. */
#include "help.h"
#include "policies.h"

#define CYCLES 100000u

/* Four SMs, an L2 TLB of 64 entries and an L2 of 64 KB; epochs of 5000 cycles. */
static gpu_spec_t small_gpu(void) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 4), setn(&s, "sm.warps", 16), setn(&s, "sm.schedulers", 2);
  setn(&s, "l1tlb.entries", 8), setn(&s, "l2tlb.latency", 10), setn(&s, "l2tlb.hop", 0);
  setn(&s, "l2tlb.ports", 2), setn(&s, "l2tlb.mshrs", 64), setn(&s, "walk.hop", 0);
  set(&s, "l2.bytes", "64K"), setn(&s, "l2.latency", 10), setn(&s, "run.epoch", 5000);
  set(&s, "l1d.bytes", "4K"), set(&s, "mem.bytes", "256M"), set(&s, "run.check", "false");
  return s;
}

/* Both run, again and again, for CYCLES. */
static gpu_t *run_pair(const gpu_spec_t *spec, const char *a, const char *b, source_t *src[2]) {
  src[0] = generator(a), src[1] = generator(b);
  gpu_t *g = machine(spec, src, 2);
  gpu_limits_t limits = {.cycles = CYCLES};
  err_t e = {0};
  if (gpu_run(g, &limits, CYCLES, &e) < 0) fail_msg("run: %s", e.text);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("check: %s", e.text);
  return g;
}
static void close_pair(gpu_t *g, source_t *src[2]) {
  gpu_free(g);
  for (uint32_t i = 0; i < 2; i++) src[i]->ops->free(src[i]);
}

typedef struct {
  uint64_t instructions[2];
  uint64_t tlb_miss[2], data_hit; /* per mille: of the L2 TLB; of all data in L2 */
  uint64_t bypasses, joined, side_hits;
  uint64_t walk_cycles; /* mean of a walk of the first one */
  uint32_t runs[2];
} outcome_t;

static outcome_t outcome(const gpu_spec_t *spec, const char *a, const char *b) {
  source_t *src[2];
  gpu_t *g = run_pair(spec, a, b, src);
  outcome_t o = {0};
  uint64_t hits = 0, looks = 0;
  for (uint32_t i = 0; i < 2; i++) {
    const tlb_stats_t *t = &g->tlb.level[1].stats[i];
    const cache_stats_t *c = &g->l2.stats[i * CLASSES];
    o.instructions[i] = g->cores.stats[i].warp_instructions;
    o.tlb_miss[i] = t->lookups ? t->misses * 1000 / t->lookups : 0;
    o.side_hits += t->side_hits;
    o.bypasses += c[CLASS_WALK].bypasses, o.joined += c[CLASS_WALK].bypass_merged;
    hits += c[CLASS_DATA].hits, looks += c[CLASS_DATA].accesses;
    o.runs[i] = g->share.app[i].runs;
  }
  const hist_t *walks = &g->walker.stats[0].latency;
  o.walk_cycles = walks->count ? walks->sum / walks->count : 0;
  o.data_hit = looks ? hits * 1000 / looks : 0;
  close_pair(g, src);
  return o;
}

/* At least `permille` of what it was. */
static void keeps(const char *what, uint64_t now, uint64_t before, uint32_t permille) {
  if (now * 1000 < before * permille)
    fail_msg("%s: %llu, was %llu", what, (unsigned long long)now, (unsigned long long)before);
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

#define HOT_PAGES                                                                                  \
  "hotset:hot=192K,reuse=100,footprint=4M,steps=1000" /* 48 pages for 64 entries                   \
                                                       */
#define THRASHER "gather:footprint=64M,steps=1000"

static void tokens_protect_a_hot_set_from_a_thrasher(void **state) {
  (void)state;
  gpu_spec_t spec = small_gpu();
  outcome_t without = outcome(&spec, HOT_PAGES, THRASHER);
  set(&spec, "tlb.fill", "tokens");
  outcome_t usual = outcome(&spec, HOT_PAGES, THRASHER);
  setn(&spec, "tokens.initial", 20);
  outcome_t few = outcome(&spec, HOT_PAGES, THRASHER);
  keeps("instructions", usual.instructions[0], without.instructions[0], 1030);
  keeps("instructions with few tokens", few.instructions[0], without.instructions[0], 1200);
  assert_true(usual.tlb_miss[0] + 30 < without.tlb_miss[0]);
  assert_true(few.tlb_miss[0] + 200 < without.tlb_miss[0]);
  keeps("the thrasher", few.instructions[1], without.instructions[1], 850); /* it is 890 */
}

/* What warps without a token share stays in the buffer beside the TLB. */
static void the_buffer_saves_pages_that_many_warps_share(void **state) {
  (void)state;
  static const char *const pages = "hotset:hot=40K,reuse=100,footprint=4M,steps=1000";
  gpu_spec_t spec = small_gpu();
  set(&spec, "tlb.fill", "tokens"), setn(&spec, "tokens.initial", 1), setn(&spec, "tokens.step", 1);
  setn(&spec, "l1tlb.entries", 2), setn(&spec, "l2tlb.entries", 4);
  outcome_t with = outcome(&spec, pages, THRASHER);
  setn(&spec, "tokens.buffer", 0);
  outcome_t without = outcome(&spec, pages, THRASHER);
  assert_true(with.side_hits > 0);
  assert_int_equal(without.side_hits, 0);
  assert_true(with.tlb_miss[0] + 30 < without.tlb_miss[0]);
}

static void tokens_do_not_hurt_who_needs_no_tlb(void **state) {
  (void)state;
  static const char *const a = "stream:footprint=128K", *const b = "compute:steps=100";
  gpu_spec_t spec = small_gpu();
  outcome_t without = outcome(&spec, a, b);
  set(&spec, "tlb.fill", "tokens");
  outcome_t with = outcome(&spec, a, b);
  for (uint32_t i = 0; i < 2; i++)
    keeps("instructions", with.instructions[i], without.instructions[i], 985);
}

/* Page tables come and go, warps come and go: nothing is left over, and shares stay in bounds. */
static void tokens_outlive_programs_that_end_and_restart(void **state) {
  (void)state;
  gpu_spec_t spec = small_gpu();
  set(&spec, "tlb.fill", "tokens"), set(&spec, "l2.policy", "walk-bypass");
  set(&spec, "run.check", "true"), setn(&spec, "run.epoch", 700);
  source_t *src[2];
  gpu_t *g = run_pair(&spec, "hotset:hot=64K,footprint=1M,blocks=4,warps=4,steps=4",
                      "gather:footprint=2M,blocks=2,warps=2,steps=2,launches=2", src);
  for (uint32_t i = 0; i < 2; i++) {
    fill_stats_t f = tlb_fill_stats(&g->tlb, i);
    assert_true(g->share.app[i].runs > 10);
    assert_true(f.tokens >= 1 && f.tokens <= 2 * 16);
    assert_true(f.raised + f.lowered + f.unchanged > CYCLES / 700 / 2);
    assert_true(f.token_cycles > CYCLES / 2 && f.token_cycles <= CYCLES * 32ull);
  }
  close_pair(g, src);
}

/* ---- L2 bypass --------------------------------------------------------------------------------
 */

#define HOT_LINES "hotset:hot=48K,reuse=100,footprint=4M,steps=1000" /* of 64 KB of L2 */

static void bypassing_leaves_keep_data_in_l2(void **state) {
  (void)state;
  gpu_spec_t spec = small_gpu();
  outcome_t without = outcome(&spec, HOT_LINES, THRASHER);
  set(&spec, "l2.policy", "walk-bypass");
  outcome_t with = outcome(&spec, HOT_LINES, THRASHER);
  assert_true(with.bypasses > 1000);
  keeps("data hits", with.data_hit, without.data_hit, 1090);
  keeps("instructions", with.instructions[0], without.instructions[0], 1005);
  keeps("the thrasher", with.instructions[1], without.instructions[1], 980);
}

static void walks_that_hit_better_than_data_do_not_bypass(void **state) {
  (void)state;
  static const char *const a = "stream:footprint=4M,steps=1000";
  gpu_spec_t spec = small_gpu();
  outcome_t without = outcome(&spec, a, a);
  set(&spec, "l2.policy", "walk-bypass");
  outcome_t with = outcome(&spec, a, a);
  assert_int_equal(with.bypasses, 0);
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(with.instructions[i], without.instructions[i]);
}

/* Two SMs miss neighbouring pages in the same cycle: their entries lie in one sector, level by
 * level. */
static gpu_t *two_walks(l2_decision_t walks, script_t **out, const watch_t **w) {
  static const script_op_t left[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  static const script_op_t right[] = {LOAD(1, R_NO, VA + PAGE4), ALU(2, 1)};
  static const program_t programs[] = {PROGRAM(left), PROGRAM(right)};
  gpu_spec_t spec = lab_spec();
  setn(&spec, "gpu.sms", 2);
  script_t *s = script_new(
      &(script_spec_t){
          .program = programs, .programs = 2, .blocks = 2, .warps = 1, .va = VA, .bytes = MB},
      16);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  *w = use_watch(g, L2_NORMAL, walks);
  finish(g);
  *out = s;
  return g;
}

static void policies_hear_of_reads_that_join(void **state) {
  (void)state;
  script_t *s;
  const watch_t *w;
  gpu_t *g = two_walks(L2_NORMAL, &s, &w);
  for (uint32_t l = 1; l <= 4; l++) {
    assert_int_equal(w->told[l], 2);
    assert_int_equal(w->joined[l], 1);
  }
  gpu_free(g);
  script_free(s);
}

static void bypassing_reads_join_a_line_under_way(void **state) {
  (void)state;
  script_t *s;
  const watch_t *w;
  gpu_t *g = two_walks(L2_BYPASS, &s, &w);
  assert_int_equal(w->told[1], 0);
  const cache_stats_t *c = &g->l2.stats[CLASS_WALK];
  assert_int_equal(g->walker.stats[0].walks, 2);
  assert_int_equal(c->bypasses, 8);
  assert_int_equal(c->bypass_merged, 4);
  assert_int_equal(dram_total(g, 0, DRAM_WALK).reads, 4);
  for (uint32_t l = 0; l < 4; l++) assert_int_equal(g->walker.stats[0].level_bypasses[l], 2);
  gpu_free(g);
  script_free(s);
}

#define WAIT5                                                                                      \
  UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9)
#define WAIT50 WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5

/* Data waits for the only MSHR; a walk that bypasses overtakes all of it. */
static uint64_t walk_cycles(l2_decision_t walks) {
#define LINES32(dst, page) LOAD_SPREAD(dst, R_NO, VA + (page)*PAGE4, 128, 0, 4 * PAGE4, ALL_LANES)
  static const script_op_t flood[] = {LINES32(1, 0), LINES32(2, 1), LINES32(3, 2), LINES32(4, 3)};
  static const script_op_t later[] = {WAIT50, LOAD(1, 9, VA + 512 * KB)};
  static const program_t programs[] = {PROGRAM_N(flood, 8), PROGRAM(later)};
  gpu_spec_t spec = lab_spec();
  setn(&spec, "gpu.sms", 2), setn(&spec, "l2.mshrs", 1), set(&spec, "mem.page", "64K");
  script_t *s = script_new(
      &(script_spec_t){
          .program = programs, .programs = 2, .blocks = 2, .warps = 1, .va = VA, .bytes = MB},
      16);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  use_watch(g, L2_NORMAL, walks);
  finish(g);
  uint64_t cycles = g->walker.stats[0].latency.max; /* of the one that meets the flood */
  gpu_free(g);
  script_free(s);
  return cycles;
}

static void a_bypassing_read_does_not_queue_at_the_slice(void **state) {
  (void)state;
  assert_true(walk_cycles(L2_BYPASS) * 4 < walk_cycles(L2_NORMAL));
}

/* Cycles of one walk of four reads, all from DRAM, alone in the machine. */
static uint64_t lone_walk(l2_decision_t walks, uint32_t l2_cycles) {
  static const script_op_t op[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  static const program_t p = PROGRAM(op);
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l2.latency", l2_cycles);
  script_t *s = script_of(&p, 1, 1, MB);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  use_watch(g, L2_NORMAL, walks);
  finish(g);
  assert_int_equal(dram_total(g, 0, DRAM_WALK).reads, 4);
  uint64_t cycles = g->walker.stats[0].latency.max;
  gpu_free(g);
  script_free(s);
  return cycles;
}

static void a_bypassing_walk_is_at_dram_earlier_by_l2_latency(void **state) {
  (void)state;
  static const uint32_t latency[] = {1, 7, 200, 1000};
  uint64_t bypassing = lone_walk(L2_BYPASS, 1);
  for (uint32_t i = 0; i < 4; i++) {
    uint64_t past = lone_walk(L2_BYPASS, latency[i]), through = lone_walk(L2_NORMAL, latency[i]);
    assert_int_equal(past, bypassing); /* whatever L2's latency is */
    assert_int_equal(through, past + 4 * latency[i]);
  }
}

/* Each step of the chase is in a page of its own, and so is its page-table entry in a line of its
 * own, which L2 does not hold; the other's data is in L2. */
#define FAR_PAGES "chase:footprint=128M,node=64K,steps=1000,blocks=16,warps=2"
#define NEAR_DATA "gather:footprint=16K,steps=1000"

static void bypassing_leaves_shorten_walks_where_l2_is_slow(void **state) {
  (void)state;
  gpu_spec_t spec = small_gpu();
  setn(&spec, "l2.latency", 200), setn(&spec, "walk.threads", 32);
  outcome_t without = outcome(&spec, FAR_PAGES, NEAR_DATA);
  set(&spec, "l2.policy", "walk-bypass");
  outcome_t with = outcome(&spec, FAR_PAGES, NEAR_DATA);
  assert_true(with.walk_cycles + 150 < without.walk_cycles);
  keeps("the chase", with.instructions[0], without.instructions[0], 1150);
  keeps("the other", with.instructions[1], without.instructions[1], 970);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens_protect_a_hot_set_from_a_thrasher),
      cmocka_unit_test(the_buffer_saves_pages_that_many_warps_share),
      cmocka_unit_test(tokens_do_not_hurt_who_needs_no_tlb),
      cmocka_unit_test(tokens_outlive_programs_that_end_and_restart),
      cmocka_unit_test(bypassing_leaves_keep_data_in_l2),
      cmocka_unit_test(walks_that_hit_better_than_data_do_not_bypass),
      cmocka_unit_test(policies_hear_of_reads_that_join),
      cmocka_unit_test(bypassing_reads_join_a_line_under_way),
      cmocka_unit_test(a_bypassing_read_does_not_queue_at_the_slice),
      cmocka_unit_test(a_bypassing_walk_is_at_dram_earlier_by_l2_latency),
      cmocka_unit_test(bypassing_leaves_shorten_walks_where_l2_is_slow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
