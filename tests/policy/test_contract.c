/* What every policy must do, over every entry of every table: a new entry is tested by being there.
 * What one policy does is for a test of its own; the DRAM schedulers and the memory managers have
 * suites over their tables in tests/dram and tests/mm as well. */
#include "base/rng.h"
#include "machine/help.h"

/* ---- on a small machine -----------------------------------------------------------------------
 */

/* Two applications on two SMs each; TLBs and caches small enough to replace something. */
static gpu_spec_t small_spec(void) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 4);
  setn(&s, "l1tlb.group", 1);
  setn(&s, "l1tlb.entries", 8);
  setn(&s, "l2tlb.entries", 32);
  set(&s, "walk.pwc", "true");
  set(&s, "run.check", "true");
  setn(&s, "run.epoch", 500);
  set(&s, "map.bank", "11 13; 12; 14 17"); /* for map.kind=hash, which needs them */
  set(&s, "map.set", "7 20; 8; 9; 10; 15; 16");
  set(&s, "mem.colours", "0; 0"); /* for mem.manager=coloured: a single module has one colour */
  return s;
}

typedef struct {
  uint64_t instructions, lines, pages;
  char *text; /* every statistic */
} result_t;

static result_t run_both(const gpu_spec_t *spec) {
  source_t *src[2] = {generator("gather:footprint=1M,steps=3,blocks=4,warps=2"),
                      generator("stream:footprint=96K,blocks=4,warps=2")};
  gpu_t *g = machine(spec, src, 2);
  finish(g);
  result_t r = {.text = stats_text(g)};
  for (uint32_t a = 0; a < 2; a++) {
    r.instructions += g->cores.stats[a].warp_instructions;
    r.lines += g->cores.stats[a].lines;
    r.pages += g->cores.stats[a].pages;
  }
  gpu_free(g);
  for (uint32_t a = 0; a < 2; a++) src[a]->ops->free(src[a]);
  return r;
}

/* Invariants hold, nothing is left under way (run_both sees to both), the same is executed, and a
 * second run gives the same statistics. */
static void try_setting(const char *key, const char *name, const result_t *usual) {
  gpu_spec_t s = small_spec();
  set(&s, key, name);
  if (strcmp(name, "mig") == 0) { /* instances need something to be divided */
    set(&s, "gpu.mig", "4");
    set(&s, "gpu.gpcs", "1;1;1;1");
    setn(&s, "dram.channels", 4);
    setn(&s, "l2.bytes", 64 * KB);
    set(&s, "mem.manager", "mixed");
  }
  if (strcmp(name, "star") == 0) setn(&s, "l2tlb.reach", 16); /* it shares sub-entries */
  result_t r = run_both(&s), again = run_both(&s);
  if (r.instructions != usual->instructions || r.lines != usual->lines || r.pages != usual->pages)
    fail_msg("%s=%s executes something else", key, name);
  if (strcmp(r.text, again.text) != 0) fail_msg("%s=%s: two runs differ", key, name);
  free(r.text);
  free(again.text);
}

/* A format of MSHRs is for first-level TLBs, or for those behind. */
static bool refused_here(const opt_group_t *g, const opt_t *o, uint32_t i) {
  if (strcmp(o->name, "mshr_format") != 0) return false;
  return strcmp(g->prefix, "l1tlb") == 0 ? !tlb_mshr_all[i]->first : !tlb_mshr_all[i]->behind;
}

static void every_name_an_option_takes_runs(void **state) {
  (void)state;
  gpu_spec_t usual = small_spec();
  result_t r = run_both(&usual);
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(&usual, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++)
      for (uint32_t i = 0; o->type == OPT_NAME && o->names(i); i++) {
        if (refused_here(g, o, i)) continue;
        char key[64];
        snprintf(key, sizeof key, "%s.%s", g->prefix, o->name);
        try_setting(key, o->names(i), &r);
      }
  free(r.text);
}

/* ---- tables -----------------------------------------------------------------------------------
 */

#define NAMED(table, find)                                                                         \
  for (uint32_t i = 0; table[i]; i++) {                                                            \
    assert_ptr_equal(find(table[i]->name), table[i]);                                              \
    assert_true(table[i]->help[0]);                                                                \
  }                                                                                                \
  assert_null(find("nope"))

static void every_policy_is_found_by_its_name(void **state) {
  (void)state;
  NAMED(sched_all, sched_find);
  NAMED(repl_all, repl_find);
  NAMED(fill_all, fill_find);
  NAMED(peer_all, peer_find);
  NAMED(speculate_all, speculate_find);
  NAMED(victim_all, victim_find);
  NAMED(l2_policy_all, l2_policy_find);
  NAMED(dram_sched_all, dram_sched_find);
  NAMED(walk_policy_all, walk_policy_find);
  NAMED(tlb_format_all, tlb_format_find);
  NAMED(tlb_mshr_all, tlb_mshr_find);
}

/* ---- alone ------------------------------------------------------------------------------------
 */

static void warp_schedulers_pick_an_eligible_warp(void **state) {
  (void)state;
  rng_t rng = {test_seed()};
  for (uint32_t i = 0; sched_all[i]; i++)
    for (uint32_t n = 0; n < 20000; n++) {
      uint64_t eligible = rng_next(&rng) & rng_next(&rng) & rng_next(&rng);
      uint32_t last = rng_below(&rng, SCHED_GONE + 1);
      if (!eligible) continue;
      uint32_t age = sched_all[i]->pick(eligible, last);
      if (age >= 64 || !(eligible >> age & 1))
        fail_msg("%s picks %u of %llx (GMMU_SEED=%llu)", sched_all[i]->name, age,
                 (unsigned long long)eligible, (unsigned long long)test_seed());
    }
}

/* The owner's calls as assoc.c makes them; two states that hear the same must say the same. */
static void try_replacement(const repl_ops_t *ops, uint32_t sets, uint32_t ways) {
  rng_t rng = {test_seed()};
  void *s[2];
  for (uint32_t k = 0; k < 2; k++) {
    s[k] = calloc(1, ops->state_bytes(sets, ways));
    assert_non_null(s[k]);
    ops->init(s[k], sets, ways);
    for (uint32_t i = 0; i < sets * ways; i++) ops->fill(s[k], i % sets, i / sets, 0);
  }
  for (uint32_t n = 0; n < 2000; n++) {
    uint32_t set = rng_below(&rng, sets), way = rng_below(&rng, ways);
    if (rng_below(&rng, 2)) {
      ops->hit(s[0], set, way), ops->hit(s[1], set, way);
      continue;
    }
    uint32_t v = ops->victim(s[0], set, 0);
    if (v >= ways || v != ops->victim(s[1], set, 0))
      fail_msg("%s, %u ways: victim %u", ops->name, ways, v);
    uint64_t key = rng_below(&rng, 4 * sets * ways), old = rng_below(&rng, 4 * sets * ways);
    for (uint32_t k = 0; k < 2 && ops->came; k++) {
      repl_notes_t said = ops->came(s[k], set, v, key);
      assert_true(said.returned <= 1);
      ops->left(s[k], old);
    }
  }
  free(s[0]), free(s[1]);
}

static void replacement_names_a_way_of_the_set(void **state) {
  (void)state;
  static const uint32_t ways[] = {1, 2, 3, 4, 15, 16, 17, 48, 64};
  for (uint32_t i = 0; repl_all[i]; i++)
    for (uint32_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      try_replacement(repl_all[i], 1, ways[w]);
      try_replacement(repl_all[i], 4, ways[w]);
    }
}

/* A write and three reads fill a set, five more reads come: the write's line outlives the reads
 * that came with it, but not for ever. */
static void a_line_that_a_write_brought_is_spared_once(void **state) {
  (void)state;
  assoc_t a;
  err_t e;
  uint64_t old;
  bool evicted;
  assert_int_equal(assoc_init(&a, 1, 4, "lru-writes", &e), 0);
  assoc_fill(&a, 0, 100, FILL_WRITE, &evicted, &old);
  for (uint64_t k = 1; k < 4; k++) assoc_fill(&a, 0, k, 0, &evicted, &old);
  static const uint64_t gone[] = {1, 2, 3, 100, 4};
  for (uint64_t k = 0; k < 5; k++) {
    assoc_fill(&a, 0, 4 + k, 0, &evicted, &old);
    assert_true(evicted);
    assert_int_equal(old, gone[k]);
  }
  assoc_fini(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_policy_is_found_by_its_name),
      cmocka_unit_test(warp_schedulers_pick_an_eligible_warp),
      cmocka_unit_test(replacement_names_a_way_of_the_set),
      cmocka_unit_test(a_line_that_a_write_brought_is_spared_once),
      cmocka_unit_test(every_name_an_option_takes_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
