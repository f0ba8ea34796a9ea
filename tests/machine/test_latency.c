/* Unloaded latencies, each against a formula of the specification's parameters. */
#include "formula.h"
#include "help.h"

/* A chain of loads: each waits for the one before. Its n-th instruction's issue minus the one
 * before is the latency of load n - 1. */
static uint64_t use_latency(const script_t *s, uint32_t load) {
  return script_when(s, 0, load + 1) - script_when(s, 0, load);
}

static script_t *one_warp(const program_t *p) {
  return script_new(
      &(script_spec_t){.program = p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
      64);
}

static void dependent_alu_waits_its_latency(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "sm.sfu_latency", 21), setn(&spec, "sm.fp64_latency", 33);
  setn(&spec, "sm.fp32_latency", 8), setn(&spec, "sm.const_latency", 10);
  const script_op_t ops[] = {ALU(1, R_NO),        ALU(2, 1),          UNIT(IC_FP32, 3, 2),
                             UNIT(IC_FP64, 4, 3), UNIT(IC_SFU, 5, 4), CONSTANT(6, 5),
                             SHARED(7, 6, 4, 4),  ALU(8, 7)};
  const uint32_t want[] = {spec.sm.int_latency,   spec.sm.int_latency, spec.sm.fp32_latency,
                           spec.sm.fp64_latency,  spec.sm.sfu_latency, spec.sm.const_latency,
                           spec.sm.shared_latency};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(use_latency(s, i), want[i]);
  gpu_free(g);
  script_free(s);
}

static void l1_hit_takes_lsu_plus_tlb_plus_l1(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD(1, R_NO, VA), LOAD(2, 1, VA), LOAD(3, 2, VA), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(use_latency(s, 1), f_l1_hit(&spec));
  assert_int_equal(use_latency(s, 2), f_l1_hit(&spec));
  gpu_free(g);
  script_free(s);
}

/* Loads that bypass L1 find their line in L2. */
static void l2_hit_takes_two_crossbar_hops(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_op_t ops[] = {LOAD_CG(1, R_NO, VA), LOAD_CG(2, 1, VA), LOAD_CG(3, 2, VA), ALU(4, 3)};
  ops[2].mask = 0xff; /* one sector comes back, not four */
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(use_latency(s, 1), f_l2_hit(&spec, 128));
  assert_int_equal(use_latency(s, 2), f_l2_hit(&spec, 32));
  gpu_free(g);
  script_free(s);
}

/* ---- DRAM -------------------------------------------------------------------------------------
 */

/* When a load of `bytes` at physical pa that issues at `t`, translated without a miss, can be used.
 */
static uint64_t use_from_dram(const gpu_spec_t *s, f_dram_t *d, uint64_t t, uint64_t pa,
                              uint64_t bytes) {
  uint64_t at = t + f_to_l1(s) + f_l1_to_slice(s) + s->l2.latency_cycles + s->l2.dram_hop_cycles;
  return f_dram_read(d, s, at, pa, bytes) + f_slice_to_register(s, bytes);
}

/* The loads' lines: same row, another row of the same bank, another bank. Frame 0 is first used
 * and pages are large, so physical addresses are those inside the page. */
static void dram_row_hit_miss_and_conflict(void **state) {
  (void)state;
  static const uint32_t clocks[] = {1000, 1500, 1674, 777};
  for (uint32_t c = 0; c < 4; c++) {
    gpu_spec_t spec = lab_spec();
    one_page(&spec), no_tlbs(&spec);
    setn(&spec, "dram.clock_mhz", clocks[c]);
    uint64_t row = spec.dram.row_bytes, round = row * spec.dram.banks;
    const uint64_t at[] = {0, LINE, 2 * LINE, round, round + LINE, row, 0, row + LINE, 3 * round};
    enum { N = sizeof at / sizeof *at };
    script_op_t ops[N + 1];
    for (uint8_t i = 0; i < N; i++) ops[i] = (script_op_t)LOAD(i + 1u, i ? i : R_NO, VA + at[i]);
    ops[N] = (script_op_t)ALU(N + 1, N);
    const program_t p = PROGRAM(ops);
    script_t *s = one_warp(&p);
    gpu_t *g = run_script(&spec, s);
    f_dram_t d;
    f_dram_init(&d);
    for (uint32_t i = 0; i < N; i++) {
      if (i == 6) { /* by now in L1 */
        assert_int_equal(use_latency(s, i), f_l1_hit(&spec));
        continue;
      }
      assert_int_equal(script_when(s, 0, i + 1),
                       use_from_dram(&spec, &d, script_when(s, 0, i), at[i], 128));
    }
    dram_stats_t st = dram_total(g, 0, DRAM_DATA);
    assert_int_equal(st.row_misses, 2);    /* at[0], at[5] */
    assert_int_equal(st.row_conflicts, 2); /* at[3], at[8] */
    assert_int_equal(st.row_hits, N - 5);
    gpu_free(g);
    script_free(s);
  }
}

static void one_sector_of_a_line_is_one_burst(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  one_page(&spec), no_tlbs(&spec);
  const script_op_t ops[] = {LOAD1(1, R_NO, VA), LOAD1(2, 1, VA + LINE + 64), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  f_dram_t d;
  f_dram_init(&d);
  assert_int_equal(script_when(s, 0, 1), use_from_dram(&spec, &d, script_when(s, 0, 0), 0, 32));
  assert_int_equal(script_when(s, 0, 2), use_from_dram(&spec, &d, script_when(s, 0, 1), LINE, 32));
  assert_int_equal(dram_total(g, 0, DRAM_DATA).read_bytes, 64);
  gpu_free(g);
  script_free(s);
}

/* ---- translation ------------------------------------------------------------------------------
 */

/* Walks page `va` at cycle t, when the walker takes it, and returns when the entry of the last
 * level is there. `known`: levels whose entries are in the page-walk cache; entries in lines that
 * were read before are in L2, the others in DRAM. */
typedef struct {
  const gpu_spec_t *spec;
  f_dram_t dram;
  uint64_t line[64];
  uint32_t lines;
} f_walker_t;

static bool in_l2(f_walker_t *w, uint64_t sector) {
  for (uint32_t i = 0; i < w->lines; i++)
    if (w->line[i] == sector) return true;
  assert_true(w->lines < 64);
  w->line[w->lines++] = sector;
  return false;
}

static uint64_t f_walk(f_walker_t *w, const mm_walk_t *path, uint64_t t, uint32_t known) {
  const gpu_spec_t *s = w->spec;
  for (uint32_t l = 0; l < path->levels; l++) {
    bool cached = s->walk.pwc && l + 1 < path->levels;
    if (cached) t += s->walk.pwc_latency_cycles;
    if (cached && l < known) continue;
    bool hit = in_l2(w, path->entry[l].v / SECTOR_BYTES) || s->walk.free_dram;
    /* A message takes a cycle each way. Without a hop, a hit takes that out of the latency; the
     * look- up that goes on to DRAM, and the fill, have nothing that it could be taken out of. */
    bool no_hop = s->walk.free_l2 || !s->walk.hop_cycles;
    uint64_t hop = no_hop ? 1 : s->walk.hop_cycles,
             found = s->l2.latency_cycles - !s->walk.hop_cycles;
    t += hop + (!hit ? s->l2.latency_cycles : s->walk.free_l2 ? 0 : found);
    if (!hit)
      t = f_dram_read(&w->dram, s, t + s->l2.dram_hop_cycles, path->entry[l].v, SECTOR_BYTES);
    if (!hit || !no_hop || s->walk.free_l2) t += hop;
  }
  return t;
}

/* The answer takes a cycle to the last level and from each to the next; a miss goes on so much
 * earlier, so that in all it takes the latencies. */
static uint64_t f_back(const gpu_spec_t *s) { return s->tlb.levels; }

/* Issue to the walker's queue: all TLBs missed; with the way back. */
static uint64_t f_to_walker(const gpu_spec_t *s) {
  uint64_t t = s->sm.lsu_latency + s->tlb_level[0].latency_cycles;
  for (uint32_t l = 1; l < s->tlb.levels; l++)
    t += s->tlb_level[l].hop_cycles + s->tlb_level[l].latency_cycles;
  return t;
}

/* From the way into L1 to use, for a line that is in DRAM. */
static uint64_t f_line(f_walker_t *w, uint64_t t, uint64_t pa) {
  const gpu_spec_t *s = w->spec;
  t += f_l1_to_slice(s) + s->l2.latency_cycles + s->l2.dram_hop_cycles;
  return f_dram_read(&w->dram, s, t, pa, 128) + f_slice_to_register(s, 128);
}

static mm_walk_t walk_of(gpu_t *g, uint64_t va) {
  mm_walk_t path;
  mm_walk(g->memory.mm, 0, (vpn_t){va >> g->memory.page_shift}, &path);
  assert_true(path.mapped);
  return path;
}

/* Four reads of walk.read cycles each, less what the page-walk cache knows of the upper three. */
static uint64_t f_timed_walk(const gpu_spec_t *s, uint64_t t, uint32_t known) {
  const walk_spec_t *k = &s->walk;
  return k->pwc ? t + 3 * k->pwc_latency_cycles + (4 - known) * k->read_cycles
                : t + 4 * k->read_cycles;
}

/* Two pages that share all levels of the table but the leaf's entry, then one that shares only the
 * root's. The page tables exist while the machine runs: the first cycle makes them. */
static void walks_read_every_level(const gpu_spec_t *spec) {
  const uint64_t far = 2 * MB; /* another leaf table */
  const uint64_t va[] = {VA, VA + 8 * PAGE4, VA + far + 3 * LINE};
  const script_op_t ops[] = {LOAD(1, R_NO, va[0]), LOAD(2, 1, va[1]), LOAD(3, 2, va[2]), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  script_t *s = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = 4 * MB},
      64);
  source_t *src = script_source(s);
  gpu_t *g = machine(spec, &src, 1);
  gpu_limits_t limits = {.no_relaunch = true};
  assert_int_equal(gpu_run(g, &limits, 1, NULL), 0);
  mm_walk_t path[3];
  for (uint32_t i = 0; i < 3; i++) path[i] = walk_of(g, va[i]);
  assert_int_equal(path[0].levels, 4);
  finish(g);

  f_walker_t w = {.spec = spec};
  f_dram_init(&w.dram);
  const uint32_t known[] = {0, 3, 2}; /* upper levels that the walks before have read */
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t t = script_when(s, 0, i) + f_to_walker(spec) - f_back(spec);
    if (spec->walk.fixed_cycles)
      t += spec->walk.fixed_cycles;
    else if (spec->walk.read_cycles)
      t = f_timed_walk(spec, t, known[i]);
    else
      t = f_walk(&w, &path[i], t, known[i]);
    t += f_back(spec);
    t = f_line(&w, t, (path[i].ppn.v << g->memory.page_shift) + va[i] % PAGE4);
    assert_int_equal(script_when(s, 0, i + 1), t);
  }
  const walk_stats_t *st = &g->walker.stats[0];
  assert_int_equal(st->walks, 3);
  assert_int_equal(st->reads, spec->walk.fixed_cycles ? 0 : 12);
  assert_int_equal(st->pwc_hits, spec->walk.pwc ? 5 : 0);
  gpu_free(g);
  script_free(s);
}

static void cold_walk_is_four_dependent_reads(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  walks_read_every_level(&spec);
}

static void warm_page_walk_cache_saves_the_upper_reads(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "walk.pwc", "true");
  walks_read_every_level(&spec);
}

static void walk_without_a_second_level_tlb(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "tlb.levels", 1);
  walks_read_every_level(&spec);
}

static void walk_behind_three_tlb_levels(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "tlb.levels", 3), setn(&spec, "l3tlb.hop", 23), setn(&spec, "l3tlb.latency", 29);
  walks_read_every_level(&spec);
}

static void walks_without_a_hop_take_a_cycle_of_the_latency(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.hop", 0);
  walks_read_every_level(&spec);
  set(&spec, "walk.pwc", "true");
  walks_read_every_level(&spec);
}

/* Each in turn, and both: what is left of a walk is what the other one takes. DRAM without a limit
 * keeps reads that come for nobody from delaying the data. */
static void walks_that_are_free_in_l2_or_in_dram_cost_the_rest(void **state) {
  (void)state;
  for (uint32_t i = 1; i < 4; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "walk.free_l2", i & 1 ? "true" : "false");
    set(&spec, "walk.free_dram", i & 2 ? "true" : "false");
    set(&spec, "dram.unlimited", "true");
    walks_read_every_level(&spec);
    set(&spec, "walk.pwc", "true");
    walks_read_every_level(&spec);
  }
}

static void fixed_walk_takes_what_it_says(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.fixed", 150);
  walks_read_every_level(&spec);
}

static void reads_of_a_fixed_time_take_it_level_by_level(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.read", 100);
  walks_read_every_level(&spec);
  set(&spec, "walk.pwc", "true");
  walks_read_every_level(&spec);
}

/* A first-level TLB of one entry: two pages displace each other there and both stay in the second
 * level. */
static void l2_tlb_hit_adds_hop_and_latency(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "l1tlb.entries", 1);
  uint64_t a = VA, b = VA + PAGE4;
  const script_op_t ops[] = {LOAD(1, R_NO, a), LOAD(2, 1, b), LOAD(3, 2, a), LOAD(4, 3, b),
                             ALU(5, 4)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  const tlb_spec_t *second = &spec.tlb_level[1];
  uint64_t want = f_l1_hit(&spec) + second->hop_cycles + second->latency_cycles;
  assert_int_equal(use_latency(s, 2), want);
  assert_int_equal(use_latency(s, 3), want);
  assert_int_equal(g->tlb.level[1].stats[0].hits, 2);
  gpu_free(g);
  script_free(s);
}

static void third_level_tlb_hit_adds_both_levels(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "tlb.levels", 3), setn(&spec, "l3tlb.hop", 23), setn(&spec, "l3tlb.latency", 29);
  setn(&spec, "l1tlb.entries", 1), setn(&spec, "l2tlb.entries", 1), setn(&spec, "l2tlb.ways", 1);
  uint64_t a = VA, b = VA + PAGE4;
  const script_op_t ops[] = {LOAD(1, R_NO, a), LOAD(2, 1, b), LOAD(3, 2, a), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  uint64_t want = f_l1_hit(&spec);
  for (uint32_t l = 1; l < 3; l++)
    want += spec.tlb_level[l].hop_cycles + spec.tlb_level[l].latency_cycles;
  assert_int_equal(use_latency(s, 2), want);
  gpu_free(g);
  script_free(s);
}

/* A store does not make the warp wait: what follows issues in the next cycle. */
static void store_costs_its_warp_one_cycle(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {STORE_AT(R_NO, VA, 0, 0), ALU(1, R_NO), ALU(2, R_NO)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(use_latency(s, 0), 1);
  assert_int_equal(use_latency(s, 1), 1);
  gpu_free(g);
  script_free(s);
}

/* An atomic is performed in L2: like a load that bypasses L1, with its operands on the way there.
 */
static void atomic_is_a_round_trip_to_l2(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ATOMIC(2, 1, VA), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  script_t *s = one_warp(&p);
  gpu_t *g = run_script(&spec, s);
  uint64_t want = f_l2_hit(&spec, 128) - f_hop(&spec, 0) + f_hop(&spec, 128);
  assert_int_equal(use_latency(s, 1), want);
  gpu_free(g);
  script_free(s);
}

static void launch_latency_delays_the_first_block(void **state) {
  (void)state;
  uint64_t start[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "gpu.launch", i * 5000);
    const script_op_t ops[] = {ALU(1, R_NO)};
    const program_t p = PROGRAM(ops);
    script_t *s = one_warp(&p);
    gpu_t *g = run_script(&spec, s);
    start[i] = script_when(s, 0, 0);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(start[1] - start[0], 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dependent_alu_waits_its_latency),
      cmocka_unit_test(l1_hit_takes_lsu_plus_tlb_plus_l1),
      cmocka_unit_test(l2_hit_takes_two_crossbar_hops),
      cmocka_unit_test(dram_row_hit_miss_and_conflict),
      cmocka_unit_test(one_sector_of_a_line_is_one_burst),
      cmocka_unit_test(cold_walk_is_four_dependent_reads),
      cmocka_unit_test(warm_page_walk_cache_saves_the_upper_reads),
      cmocka_unit_test(walk_without_a_second_level_tlb),
      cmocka_unit_test(walk_behind_three_tlb_levels),
      cmocka_unit_test(walks_without_a_hop_take_a_cycle_of_the_latency),
      cmocka_unit_test(walks_that_are_free_in_l2_or_in_dram_cost_the_rest),
      cmocka_unit_test(fixed_walk_takes_what_it_says),
      cmocka_unit_test(reads_of_a_fixed_time_take_it_level_by_level),
      cmocka_unit_test(l2_tlb_hit_adds_hop_and_latency),
      cmocka_unit_test(third_level_tlb_hit_adds_both_levels),
      cmocka_unit_test(store_costs_its_warp_one_cycle),
      cmocka_unit_test(atomic_is_a_round_trip_to_l2),
      cmocka_unit_test(launch_latency_delays_the_first_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
