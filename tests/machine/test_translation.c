/* Translation changes when, never what; and each known trap of other simulators that concerns it
 * has a test that falls into it. */
#include "formula.h"
#include "help.h"

static const char *const workloads[] = {
    "stream:footprint=1M,blocks=6,warps=4,steps=6",
    "stride:footprint=4M,lane=4K,blocks=4,warps=4,steps=6",
    "chase:footprint=2M,lanes=8,blocks=4,warps=2,steps=8",
    "gather:footprint=4M,blocks=4,warps=4,steps=5",
    "hotset:footprint=2M,hot=64K,blocks=4,warps=4,steps=6",
    "tiled2d:footprint=1M,blocks=4,warps=4,steps=3",
    "compute:footprint=64K,blocks=4,warps=4,steps=4",
};
#define WORKLOADS (sizeof workloads / sizeof *workloads)

static gpu_spec_t two_sms(void) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 2);
  return s;
}

/* ---- ideal ------------------------------------------------------------------------------------
 */

static void ideal_without_latency_and_ports_is_a_machine_without_tlbs(void **state) {
  (void)state;
  for (uint32_t i = 0; i < WORKLOADS; i++) {
    gpu_spec_t ideal = two_sms(), bare = two_sms();
    set(&ideal, "tlb.ideal", "true");
    setn(&ideal, "l1tlb.latency", 0), setn(&ideal, "l1tlb.ports", 0);
    no_tlbs(&bare);
    gpu_t *a = run_generator(&ideal, workloads[i]), *b = run_generator(&bare, workloads[i]);
    assert_int_equal(gpu_cycles(a), gpu_cycles(b));
    assert_memory_equal(a->cores.stats, b->cores.stats, sizeof *a->cores.stats);
    assert_memory_equal(a->l2.stats, b->l2.stats, CLASSES * sizeof *a->l2.stats);
    assert_memory_equal(a->l1.stats, b->l1.stats, sizeof *a->l1.stats);
    assert_true(a->tlb.level[0].stats[0].lookups > 0);
    assert_int_equal(a->tlb.level[0].stats[0].hits, a->tlb.level[0].stats[0].lookups);
    gpu_free(a), gpu_free(b);
  }
}

static void ideal_keeps_its_latency_and_ports(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_SPREAD(1, R_NO, VA, PAGE4 + LINE, 0, 0, ALL_LANES), ALU(2, 1),
                             LOAD_SPREAD(3, 2, VA, PAGE4 + LINE, 0, 0, ALL_LANES), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  for (uint64_t ports = 1; ports <= 2; ports++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "tlb.ideal", "true"), setn(&spec, "l1d.ports", 8);
    setn(&spec, "l1tlb.latency", 11), setn(&spec, "l1tlb.ports", ports);
    script_t *s = script_new(
        &(script_spec_t){
            .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
        16);
    gpu_t *g = run_script(&spec, s);
    /* the 32nd page has its turn 31 / ports cycles after the first */
    assert_int_equal(script_when(s, 0, 3) - script_when(s, 0, 2), f_l1_hit(&spec) + 31 / ports);
    gpu_free(g);
    script_free(s);
  }
}

/* ---- what is executed -------------------------------------------------------------------------
 */

static void executes_the_same(const gpu_t *a, const gpu_t *b) {
  const sm_stats_t *x = &a->cores.stats[0], *y = &b->cores.stats[0];
  assert_int_equal(x->warp_instructions, y->warp_instructions);
  assert_int_equal(x->thread_instructions, y->thread_instructions);
  assert_int_equal(x->loads, y->loads);
  assert_int_equal(x->stores, y->stores);
  assert_int_equal(x->lines, y->lines);
  assert_int_equal(x->pages, y->pages);
  assert_int_equal(x->blocks, y->blocks);
}

/* The sums over applications agree with what each L1 saw: every line went into it exactly once. */
static void every_line_reaches_l1_once(const gpu_t *g) {
  const cache_stats_t *c = &g->l1.stats[0];
  assert_int_equal(c->accesses + c->bypasses, g->cores.stats[0].lines);
}

static void mechanisms_change_when_but_never_what(void **state) {
  (void)state;
  static const char *const change[][2] = {
      {"walk.threads", "64"},
      {"walk.threads", "1"},
      {"l1tlb.entries", "256"},
      {"l1tlb.entries", "1"},
      {"l2tlb.entries", "4"},
      {"walk.pwc", "true"},
      {"tlb.levels", "1"},
      {"tlb.levels", "3"},
      {"tlb.ideal", "true"},
      {"walk.fixed", "150"},
      {"walk.read", "50"},
      {"l2tlb.group", "1"},
      {"l1tlb.reach", "8"},
      {"l1tlb.mshrs", "1"},
      {"l2tlb.mshrs", "1"},
      {"l1tlb.hash", "true"},
      {"l1tlb.group", "2"},
      {"l1tlb.ways", "1"},
      {"l2tlb.replacement", "random"},
  };
  for (uint32_t i = 0; i < WORKLOADS; i++) {
    gpu_spec_t spec = two_sms();
    gpu_t *base = run_generator(&spec, workloads[i]);
    every_line_reaches_l1_once(base);
    for (uint32_t k = 0; k < sizeof change / sizeof *change; k++) {
      spec = two_sms();
      set(&spec, change[k][0], change[k][1]);
      gpu_t *g = run_generator(&spec, workloads[i]);
      executes_the_same(base, g);
      every_line_reaches_l1_once(g);
      gpu_free(g);
    }
    gpu_free(base);
  }
}

static void helps(const char *key, const char *value, const char *workload) {
  gpu_spec_t spec = two_sms();
  gpu_t *a = run_generator(&spec, workload);
  set(&spec, key, value);
  gpu_t *b = run_generator(&spec, workload);
  if (gpu_cycles(b) >= gpu_cycles(a))
    fail_msg("%s=%s does not make %s faster", key, value, workload);
  gpu_free(a), gpu_free(b);
}

static void mechanisms_make_translation_faster(void **state) {
  (void)state;
  helps("walk.threads", "64", workloads[3]);
  helps("l1tlb.entries", "1024", workloads[3]);
  helps("l2tlb.entries", "4096", workloads[3]);
  helps("tlb.ideal", "true", workloads[3]);
  helps("l1tlb.reach", "32", workloads[3]);
}

/* ---- traps ------------------------------------------------------------------------------------
 */

/* One warp's page is under walk for 5000 cycles; another warp of the SM reads a page that is in the
 * TLB, and goes on as if nothing were. */
static void a_page_under_walk_stops_only_who_needs_it(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  setn(&spec, "walk.fixed", 5000);
  script_op_t walks[] = {LOAD(1, R_NO, VA), BARRIER(0, 0), LOAD(2, 1, VA + PAGE4), ALU(3, 2)};
  script_op_t hits[2 + 64] = {LOAD(1, R_NO, VA), BARRIER(0, 0)};
  for (uint8_t i = 0; i < 64; i++) hits[2 + i] = (script_op_t)LOAD(1, 1, VA);
  const program_t p[] = {PROGRAM(walks), PROGRAM(hits)};
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 2, .blocks = 1, .warps = 2, .va = VA, .bytes = MB},
      256);
  gpu_t *g = run_script(&spec, s);
  uint64_t walking = script_when(s, 0, 2), done = script_when(s, 0, 3);
  assert_true(done - walking > 5000);
  for (uint32_t i = 3; i < 66; i++) /* one cycle more where both want to issue */
    assert_in_range(script_when(s, 1, i) - script_when(s, 1, i - 1), f_l1_hit(&spec),
                    f_l1_hit(&spec) + 1);
  assert_true(script_when(s, 1, 65) < done);
  gpu_free(g);
  script_free(s);
}

/* Two applications use the same virtual addresses. With keys that lose the address space one would
 * get the other's frame, and run.check would end the run. */
static void tlb_entries_belong_to_one_address_space(void **state) {
  (void)state;
  gpu_spec_t spec = two_sms();
  setn(&spec, "l1tlb.group", 0); /* one TLB for both */
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1), LOAD(3, 2, VA), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  const script_spec_t ss = {
      .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB};
  script_t *s[2] = {script_new(&ss, 16), script_new(&ss, 16)};
  source_t *src[2] = {script_source(s[0]), script_source(s[1])};
  gpu_t *g = machine(&spec, src, 2);
  gpu_limits_t limits = {.no_relaunch = true};
  assert_int_equal(gpu_run(g, &limits, 10, NULL), 0);
  ppn_t frame[2];
  bool large;
  for (uint8_t a = 0; a < 2; a++)
    assert_true(mm_translate(g->memory.mm, a, (vpn_t){VA >> 12}, &frame[a], &large));
  assert_true(frame[0].v != frame[1].v);
  finish(g);
  for (uint32_t a = 0; a < 2; a++) {
    assert_int_equal(g->walker.stats[a].walks, 1); /* neither used the other's */
    assert_int_equal(g->tlb.level[0].stats[a].misses, 1);
    assert_int_equal(g->tlb.level[0].stats[a].hits, 1);
    assert_int_equal(dram_total(g, a, DRAM_DATA).reads, 1);
    script_free(s[a]);
  }
  gpu_free(g);
}

/* One large entry covers 512 base pages: one walk, then hits only. */
static void large_entries_hit(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "large-only");
  setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l2tlb.large_entries", 4);
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, 9 * PAGE4), ALU(2, 1)};
  const program_t p = PROGRAM_N(ops, 50);
  script_t *s = script_of(&p, 1, 1, 2 * MB);
  gpu_t *g = run_script(&spec, s);
  const tlb_stats_t *t = &g->tlb.level[0].stats[0];
  assert_int_equal(t->large_hits, 49);
  assert_int_equal(t->hits, 49);
  assert_int_equal(g->walker.stats[0].walks, 1);
  assert_int_equal(g->walker.stats[0].large_walks, 1);
  assert_int_equal(g->walker.stats[0].reads, 3); /* one level less than for 4 KB */
  gpu_free(g);
  script_free(s);
}

/* A second-level large entry serves base pages the first level has never seen. */
static void large_entries_hit_in_the_second_level(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "large-only");
  setn(&spec, "l1tlb.entries", 1), setn(&spec, "l2tlb.large_entries", 4);
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, 9 * PAGE4), ALU(2, 1)};
  const program_t p = PROGRAM_N(ops, 50);
  script_t *s = script_of(&p, 1, 1, 2 * MB);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->tlb.level[1].stats[0].large_hits, 49);
  assert_int_equal(g->walker.stats[0].walks, 1);
  gpu_free(g);
  script_free(s);
}

/* A chain of loads that all miss the first TLB and hit the second. */
static uint64_t chain_of_second_level_hits(const gpu_spec_t *spec, uint32_t turns) {
  const script_op_t ops[] = {LOAD(1, 2, VA), LOAD(2, 1, VA + PAGE4)};
  const program_t p = PROGRAM_N(ops, turns);
  script_t *s = script_of(&p, 1, 1, MB);
  gpu_t *g = run_script(spec, s);
  uint64_t n = gpu_cycles(g);
  gpu_free(g);
  script_free(s);
  return n;
}

/* l2tlb.serial: base pages are looked for after large ones; without an array for those, at once. */
static void base_pages_are_probed_after_large_ones(void **state) {
  (void)state;
  static const uint32_t turns = 20, latency = 9;
  for (uint32_t i = 0; i < 4; i++) {
    bool large_array = i & 1, large_pages = i & 2;
    gpu_spec_t spec = lab_spec();
    setn(&spec, "l1tlb.entries", 1), setn(&spec, "l2tlb.latency", latency);
    setn(&spec, "l2tlb.large_entries", large_array ? 4 : 0);
    if (large_pages) set(&spec, "mem.manager", "large-only");
    uint64_t once = chain_of_second_level_hits(&spec, 2 * turns);
    once -= chain_of_second_level_hits(&spec, turns);
    set(&spec, "l2tlb.serial", "true");
    uint64_t serial = chain_of_second_level_hits(&spec, 2 * turns);
    serial -= chain_of_second_level_hits(&spec, turns);
    assert_int_equal(serial - once, large_array && !large_pages ? 2 * turns * latency : 0);
  }
}

static void tlb_latencies_are_paid(void **state) {
  (void)state;
  static const char *const keys[] = {"l1tlb.latency", "l2tlb.latency", "l2tlb.hop"};
  for (uint32_t k = 0; k < 3; k++) {
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
      gpu_spec_t spec = lab_spec();
      setn(&spec, "l1tlb.entries", 1);
      setn(&spec, keys[k], 10 + 7 * i);
      cycles[i] = chain_of_second_level_hits(&spec, 40) - chain_of_second_level_hits(&spec, 20);
    }
    assert_int_equal(cycles[1] - cycles[0], 20 * 2 * 7);
  }
}

/* A latency of 0 in the first level must not lose the miss, nor make it slower than a latency of 1:
 * a miss leaves the SM in the next cycle at the earliest. */
static void a_first_level_without_latency_misses_in_a_cycle(void **state) {
  (void)state;
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = lab_spec();
    setn(&spec, "l1tlb.entries", 1), setn(&spec, "l1tlb.latency", i), setn(&spec, "l2tlb.hop", 0);
    cycles[i] = chain_of_second_level_hits(&spec, 40) - chain_of_second_level_hits(&spec, 20);
  }
  assert_int_equal(cycles[0], cycles[1]);
}

/* A chain over pages, each new. */
static gpu_t *chain_of_walks(const gpu_spec_t *spec, script_t **out) {
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4)};
  const program_t p = PROGRAM_N(ops, 64);
  *out = script_of(&p, 1, 1, MB);
  return run_script(spec, *out);
}

static void walks_read_memory(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  script_t *s;
  gpu_t *g = chain_of_walks(&spec, &s);
  const walk_stats_t *w = &g->walker.stats[0];
  const cache_stats_t *l2 = &g->l2.stats[CLASS_WALK];
  dram_stats_t d = dram_total(g, 0, DRAM_WALK);
  assert_int_equal(w->walks, 64);
  assert_int_equal(w->reads, 4 * 64);
  assert_int_equal(l2->accesses, w->reads);
  assert_int_equal(l2->hits, w->l2_hits);
  /* three upper entries and one sector for every four leaf entries */
  assert_int_equal(d.reads, 3 + 64 / 4);
  assert_int_equal(w->dram_reads, d.reads);
  assert_int_equal(d.read_bytes, d.reads * 32);
  for (uint32_t l = 0; l < 4; l++) assert_int_equal(w->level_reads[l], 64);
  gpu_free(g);
  script_free(s);
}

static void page_walk_cache_latency_is_paid(void **state) {
  (void)state;
  uint64_t cycles[2], walks = 64;
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "walk.pwc", "true");
    set(&spec, "dram.clock_mhz", "1000"); /* so that a delay does not round away */
    setn(&spec, "walk.pwc_latency", 10 + 30 * i);
    script_t *s;
    gpu_t *g = chain_of_walks(&spec, &s);
    assert_int_equal(g->walker.stats[0].pwc_hits, 3 * (walks - 1));
    cycles[i] = gpu_cycles(g);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(cycles[1] - cycles[0], walks * 3 * 30);
}

static void page_walk_cache_saves_reads(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "walk.pwc", "true");
  script_t *s;
  gpu_t *g = chain_of_walks(&spec, &s);
  const walk_stats_t *w = &g->walker.stats[0];
  assert_int_equal(w->pwc_hits, 3 * 63);
  assert_int_equal(g->l2.stats[CLASS_WALK].accesses, 3 + 64);
  assert_int_equal(w->pwc_hits + w->l2_hits + w->dram_reads, w->reads);
  gpu_free(g);
  script_free(s);
}

/* Freed memory: its translations go from every TLB, its frames go back, and a walk after it is
 * mapped again finds the new table. */
static void free_invalidates_tlbs_and_returns_frames(void **state) {
  (void)state;
  static const script_command_t commands[] = {
      {CMD_ALLOC, VA, MB},
      {CMD_LAUNCH, 0, 0},
      {CMD_FREE, VA, 0},
      {CMD_ALLOC, VA + 64 * MB, 8 * PAGE4}, /* takes the frames that were freed */
      {CMD_ALLOC, VA, MB},
      {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1), LOAD(3, 2, VA), ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t spec = lab_spec();
  set(&spec, "walk.pwc", "true");
  script_t *s = script_new(&(script_spec_t){.program = &p,
                                            .programs = 1,
                                            .blocks = 1,
                                            .warps = 1,
                                            .command = commands,
                                            .commands = 6},
                           64);
  gpu_t *g = run_script(&spec, s);
  for (uint32_t l = 0; l < 2; l++) {
    assert_int_equal(g->tlb.level[l].stats[0].invalidations, 2); /* by the free, and at the end */
    assert_int_equal(g->tlb.level[l].stats[0].primary_misses, 2);
  }
  assert_int_equal(g->walker.stats[0].walks, 2);
  assert_int_equal(g->walker.stats[0].pwc_hits, 0); /* flushed with the tables */
  mm_usage_t u;
  mm_usage(g->memory.mm, &u);
  assert_int_equal(u.free_frames, u.frames);
  gpu_free(g);
  script_free(s);
}

static void access_outside_every_allocation_is_an_error(void **state) {
  (void)state;
  static const char *const levels[] = {"0", "1", "2"};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "tlb.levels", levels[i]);
    const script_op_t ops[] = {LOAD(1, R_NO, VA + 16 * MB), ALU(2, 1)};
    const program_t p = PROGRAM(ops);
    script_t *s = script_of(&p, 1, 1, MB);
    source_t *src = script_source(s);
    gpu_t *g = machine(&spec, &src, 1);
    gpu_limits_t limits = {0};
    err_t e = {0};
    assert_int_equal(gpu_run(g, &limits, 100000, &e), GMMU_EFAULT);
    assert_non_null(strstr(e.text, "0x11000000"));
    gpu_free(g);
    script_free(s);
  }
}

/* 2 MB + 64 KB + 4 KB are a page each: of the seven loads three walk, and those end where the
 * format says. A second-level entry of 16 pages of 64 KB brings the neighbours of its size. */
static void pages_of_several_sizes_are_one_look_up_each(void **state) {
  (void)state;
  static const struct {
    const char *format;
    uint32_t reads;
  } cases[] = {
      {"x86-4", 3 + 2 * 4}, {"pascal", 4 + 2 * 5}, {"hopper", 5 + 2 * 6}, {"amd-gfx9", 3 + 2 * 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t reach = 1; reach <= 16; reach *= 16) {
      gpu_spec_t spec = lab_spec();
      set(&spec, "mem.manager", "mixed"), set(&spec, "mem.format", cases[i].format);
      setn(&spec, "l2tlb.reach", reach), set(&spec, "l2tlb.whole", reach > 1 ? "true" : "false");
      const script_op_t ops[] = {LOAD(1, R_NO, VA),
                                 LOAD(2, 1, VA + MB + 3 * LINE),
                                 LOAD(3, 2, VA + 2 * MB - LINE),
                                 LOAD(4, 3, VA + 2 * MB),
                                 LOAD(5, 4, VA + 2 * MB + 60 * KB),
                                 LOAD(6, 5, VA + 2 * MB + 64 * KB),
                                 LOAD(7, 6, VA + 2 * MB + 68 * KB - LINE),
                                 ALU(8, 7)};
      const program_t p = PROGRAM(ops);
      bool medium = strcmp(cases[i].format, "x86-4") != 0;
      script_t *s = script_of(&p, 1, 1, 2 * MB + 68 * KB);
      gpu_t *g = run_script(&spec, s);
      if (medium) { /* x86-4 has 17 pages of 4 KB instead of two */
        assert_int_equal(g->walker.stats[0].walks, 3);
        assert_int_equal(g->walker.stats[0].reads, cases[i].reads);
        assert_int_equal(g->tlb.level[0].stats[0].primary_misses, 3);
        assert_int_equal(g->tlb.level[0].stats[0].hits, 4);
      } else {
        assert_int_equal(g->tlb.level[0].stats[0].primary_misses, 4);
        assert_int_equal(g->walker.stats[0].walks, reach > 1 ? 3 : 4);
      }
      assert_int_equal(g->walker.stats[0].large_walks, 1);
      gpu_free(g);
      script_free(s);
    }
}

/* Programs over allocations of all sizes; run.check compares every translation with the table. */
static void pages_of_several_sizes_are_translated_right(void **state) {
  (void)state;
  for (uint32_t i = 0; mm_format_name(i); i++)
    for (uint32_t reach = 1; reach <= 16; reach *= 4) {
      gpu_spec_t spec = lab_spec();
      set(&spec, "gpu.sms", "4"), set(&spec, "mem.bytes", "64M");
      set(&spec, "mem.manager", "mixed"), set(&spec, "mem.format", mm_format_name(i));
      setn(&spec, "l2tlb.reach", reach), set(&spec, "l2tlb.whole", reach > 1 ? "true" : "false");
      setn(&spec, "l2tlb.entries", 8), setn(&spec, "l2tlb.ways", 2);
      setn(&spec, "l1tlb.entries", 2), setn(&spec, "l1tlb.ways", 0);
      gpu_free(run_generator(&spec, "gather:footprint=5000K,steps=4,blocks=8"));
      gpu_free(run_generator(&spec, "stream:footprint=3100K,blocks=8"));
    }
}

/* A mechanism that watches fills does not lose what was filled: two pages of
 * different sizes, each read twice, miss once each in a first level of one set. */
static void pages_of_several_sizes_are_found_again_under_every_mechanism(void **state) {
  (void)state;
  static const char *const mechanism[][2] = {
      {"tlb.fill", "all"},    {"tlb.fill", "tokens"},       {"tlb.peer", "valkyrie"},
      {"tlb.peer", "neidty"}, {"tlb.victim", "scratchpad"}, {"l1tlb.mshr_format", "latpc"}};
  for (size_t i = 0; i < sizeof mechanism / sizeof *mechanism; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "mem.manager", "mixed"), set(&spec, "mem.format", "pascal");
    setn(&spec, "l1tlb.ways", 0);
    set(&spec, mechanism[i][0], mechanism[i][1]);
    const script_op_t ops[] = {LOAD(1, R_NO, VA), LOAD(2, 1, VA + 2 * MB), LOAD(3, 2, VA + MB),
                               LOAD(4, 3, VA + 2 * MB + 60 * KB), ALU(5, 4)};
    const program_t p = PROGRAM(ops);
    script_t *s = script_of(&p, 1, 1, 2 * MB + 64 * KB);
    gpu_t *g = run_script(&spec, s);
    const tlb_stats_t *first = &g->tlb.level[0].stats[0];
    if (first->misses != 2 || first->hits != 2)
      fail_msg("%s=%s: %llu misses and %llu hits, not 2 and 2", mechanism[i][0], mechanism[i][1],
               (unsigned long long)first->misses, (unsigned long long)first->hits);
    gpu_free(g);
    script_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ideal_without_latency_and_ports_is_a_machine_without_tlbs),
      cmocka_unit_test(ideal_keeps_its_latency_and_ports),
      cmocka_unit_test(mechanisms_change_when_but_never_what),
      cmocka_unit_test(mechanisms_make_translation_faster),
      cmocka_unit_test(a_page_under_walk_stops_only_who_needs_it),
      cmocka_unit_test(tlb_entries_belong_to_one_address_space),
      cmocka_unit_test(large_entries_hit),
      cmocka_unit_test(large_entries_hit_in_the_second_level),
      cmocka_unit_test(base_pages_are_probed_after_large_ones),
      cmocka_unit_test(tlb_latencies_are_paid),
      cmocka_unit_test(a_first_level_without_latency_misses_in_a_cycle),
      cmocka_unit_test(walks_read_memory),
      cmocka_unit_test(page_walk_cache_latency_is_paid),
      cmocka_unit_test(page_walk_cache_saves_reads),
      cmocka_unit_test(free_invalidates_tlbs_and_returns_frames),
      cmocka_unit_test(access_outside_every_allocation_is_an_error),
      cmocka_unit_test(pages_of_several_sizes_are_one_look_up_each),
      cmocka_unit_test(pages_of_several_sizes_are_translated_right),
      cmocka_unit_test(pages_of_several_sizes_are_found_again_under_every_mechanism),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
