/* Demand paging and compaction in the machine: how long a far fault takes, alone and beside others,
 * who waits for it, what comes with it and what goes for it; and what it costs that pages move. */
#include "help.h"

#define FAULT 54500u /* cycles at 1000 MHz: 54.5 us */
#define P4K   512u   /* 4 KB at 8 bytes per cycle */
#define P2M   262144u

static gpu_spec_t paged_spec(void) {
  gpu_spec_t s = lab_spec();
  set(&s, "mem.paging", "demand");
  setn(&s, "l1tlb.mshrs", 64), setn(&s, "l2tlb.mshrs", 64), setn(&s, "walk.threads", 64);
  return s;
}

/* ---- one fault ---- */

/* Load-to-use cycles of one load, and the machine's own measure of the fault. */
static uint64_t load_to_use(const gpu_spec_t *spec, uint64_t *fault) {
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA), ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  script_t *s = script_of(&p, 1, 1, 4 * MB);
  gpu_t *g = run_script(spec, s);
  uint64_t t = script_when(s, 0, 1) - script_when(s, 0, 0);
  *fault = g->paging.stats[0].latency.max;
  assert_int_equal(g->paging.stats[0].faults, 1);
  /* The warp was charged for all of it. */
  assert_int_equal(g->cores.stats[0].stall[STALL_FAULT], *fault);
  gpu_free(g);
  script_free(s);
  return t;
}

static void an_unloaded_fault_takes_what_the_formula_says(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  uint64_t fault, t = load_to_use(&spec, &fault);
  assert_int_equal(fault, FAULT + P4K); /* 55 us in the paper */
  assert_in_range(t, fault, fault + 500);
  set(&spec, "mem.manager", "large-only");
  t = load_to_use(&spec, &fault);
  assert_int_equal(fault, FAULT + P2M); /* 318 us in the paper, 316.6 by the formula */
  assert_in_range(t, fault, fault + 500);
  set(&spec, "mem.manager", "mosaic"); /* moves base pages */
  load_to_use(&spec, &fault);
  assert_int_equal(fault, FAULT + P4K);
}

static void the_clock_of_the_chip_does_not_change_the_time(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  uint64_t fault;
  setn(&spec, "gpu.clock", 2000);
  load_to_use(&spec, &fault);
  assert_int_equal(fault, 2 * (FAULT + P4K));
}

static void an_ideal_tlb_faults_too(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  uint64_t fault;
  set(&spec, "tlb.ideal", "true");
  load_to_use(&spec, &fault);
  assert_int_equal(fault, FAULT + P4K);
}

static void an_access_outside_every_allocation_is_an_error(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA + 64 * MB), ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  script_t *s = script_of(&p, 1, 1, MB);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  err_t e = {0};
  gpu_limits_t limits = {.no_relaunch = true};
  assert_int_equal(gpu_run(g, &limits, 1000000, &e), GMMU_EFAULT);
  assert_non_null(strstr(e.text, "outside every allocation"));
  gpu_free(g);
  script_free(s);
}

/* ---- several faults ---- */

/* Cycles of a program whose two warps touch 32 pages each, at once. */
static uint64_t many_faults(const gpu_spec_t *spec, gpu_t **out, script_t **script) {
  static const script_op_t ops[] = {LOAD_SPREAD(1, R_NO, VA, PAGE4, 32 * PAGE4, 0, ALL_LANES),
                                    ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  *script = script_of(&p, 1, 2, 4 * MB);
  *out = run_script(spec, *script);
  return gpu_cycles(*out);
}

static uint64_t many_faults_cycles(const gpu_spec_t *spec) {
  gpu_t *g;
  script_t *s;
  uint64_t t = many_faults(spec, &g, &s);
  gpu_free(g);
  script_free(s);
  return t;
}

static void a_loaded_link_moves_its_bandwidth(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  gpu_t *g;
  script_t *s;
  uint64_t t = many_faults(&spec, &g, &s);
  assert_int_equal(g->link.stats[0].bytes_in, 64 * PAGE4);
  assert_int_equal(g->paging.stats[0].faults, 64);
  assert_int_equal(g->paging.stats[0].max_registers, 64);
  assert_in_range(t, FAULT + 64 * P4K, FAULT + 64 * P4K + 1500);
  gpu_free(g);
  script_free(s);
}

static void fewer_fault_registers_serve_faults_in_turns(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  uint64_t before = UINT64_MAX;
  for (uint32_t n = 1; n <= 64; n *= 4) {
    setn(&spec, "mem.faults", n);
    uint64_t t = many_faults_cycles(&spec);
    /* Each of n registers is used 64 / n times: at most by this many, one after another. */
    assert_in_range(t, 64 / n * (uint64_t)FAULT, 64 / n * (FAULT + n * P4K) + 1500);
    assert_true(t < before);
    before = t;
  }
  setn(&spec, "mem.faults", 128); /* more than there are faults */
  uint64_t enough = many_faults_cycles(&spec);
  setn(&spec, "mem.faults", 1024);
  assert_int_equal(many_faults_cycles(&spec), enough);
}

static void faults_of_one_page_are_one_transfer(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  set(&spec, "mem.manager", "large-only");
  gpu_t *g;
  script_t *s;
  uint64_t t = many_faults(&spec, &g, &s); /* 64 base pages, one large one */
  assert_int_equal(g->link.stats[0].transfers_in, 1);
  assert_int_equal(g->paging.stats[0].faults, 64);
  assert_int_equal(g->paging.stats[0].merged_faults, 63);
  assert_int_equal(g->paging.stats[0].max_registers, 1);
  assert_in_range(t, FAULT + P2M, FAULT + P2M + 1500);
  gpu_free(g);
  script_free(s);
}

static void warps_of_all_sms_wait_for_one_fault(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  setn(&spec, "gpu.sms", 4);
  static const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  script_t *s = script_of(&p, 8, 2, MB);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->paging.stats[0].faults, 1); /* the others join in the TLBs */
  assert_int_equal(g->link.stats[0].transfers_in, 1);
  assert_true(g->cores.stats[0].stall[STALL_FAULT] >= 15ull * (FAULT + P4K));
  gpu_free(g);
  script_free(s);
}

static void other_warps_go_on(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  static const script_op_t faults[] = {LOAD1(1, R_NO, VA), ALU(2, 1)};
  static const script_op_t works[] = {ALU(1, 1)};
  static const program_t p[] = {PROGRAM(faults), PROGRAM_N(works, 100)};
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 2, .blocks = 1, .warps = 2, .va = VA, .bytes = MB},
      4096);
  gpu_t *g = run_script(&spec, s);
  assert_true(script_when(s, 1, 99) < 2000);
  assert_true(script_when(s, 0, 1) > FAULT);
  gpu_free(g);
  script_free(s);
}

/* ---- prefetching ---- */

/* Pages on the link; those that nobody waits for may still be on it when the program ends. */
static uint64_t pages_sent(const char *prefetch, const script_op_t *ops, uint32_t n,
                           uint64_t *faults) {
  gpu_spec_t spec = paged_spec();
  set(&spec, "mem.prefetch", prefetch);
  const program_t p = {ops, n, 1};
  script_t *s = script_of(&p, 1, 1, 2 * MB - 256);
  gpu_t *g = run_script(&spec, s);
  uint64_t pages = g->link.stats[0].bytes_in / PAGE4;
  *faults = g->paging.stats[0].faults;
  gpu_free(g);
  script_free(s);
  return pages;
}

static void a_block_comes_with_its_page(void **state) {
  (void)state;
  /* The third load is of the same block as the first, and long after it: no fault. */
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA + 5 * PAGE4), LOAD1(1, 1, VA + 256 * KB),
                                    LOAD1(1, 1, VA + 15 * PAGE4), ALU(2, 1)};
  uint64_t faults;
  assert_int_equal(pages_sent("block", ops, 4, &faults), 32);
  assert_int_equal(faults, 2);
}

static void a_fault_joins_a_page_on_its_way(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD_SPREAD(1, R_NO, VA, PAGE4, 0, 0, 3),
                                    ALU(2, 1)}; /* two pages of one block, at once */
  uint64_t faults;
  assert_int_equal(pages_sent("block", ops, 2, &faults), 16);
  assert_int_equal(faults, 2);
}

static void halves_that_are_mostly_there_are_filled(void **state) {
  (void)state;
  /* Blocks 0, 1: half of four blocks; block 2 makes it more, so block 3 comes, too; with 4 of 8
   * blocks no more than half is there, and block 4 alone would be 5 of 8. */
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA),         LOAD1(1, 1, VA + 64 * KB),
                                    LOAD1(1, 1, VA + 128 * KB), ALU(2, 1),
                                    LOAD1(1, 2, VA + 256 * KB), ALU(3, 1)};
  uint64_t faults;
  assert_int_equal(pages_sent("tree", ops, 4, &faults), 4 * 16);
  assert_int_equal(pages_sent("tree", ops, 6, &faults), 8 * 16);
  assert_int_equal(pages_sent("block", ops, 6, &faults), 4 * 16);
}

/* ---- eviction ---- */

static gpu_spec_t tight_spec(const char *evict) {
  gpu_spec_t spec = paged_spec();
  set(&spec, "mem.bytes", "4M"), set(&spec, "mem.evict", evict);
  setn(&spec, "link.fault", 1000);
  setn(&spec, "l2.bytes", 16 * KB);
  return spec;
}

/* One warp goes through `mb` MB page by page, storing if `store`, `passes` times. */
static paging_stats_t pass(const gpu_spec_t *spec, uint32_t mb, bool store, uint32_t passes,
                           link_stats_t *link) {
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4), STORE_AT(1, VA, 0, PAGE4)};
  const program_t p[] = {{ops, store ? 2 : 1, mb * 256}};
  script_command_t commands[] = {{CMD_ALLOC, VA, mb * MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  script_t *s = script_new(&(script_spec_t){.program = p,
                                            .programs = 1,
                                            .blocks = 1,
                                            .warps = 1,
                                            .command = commands,
                                            .commands = 1 + passes},
                           0);
  gpu_t *g = run_script(spec, s);
  paging_stats_t st = g->paging.stats[0];
  if (link) *link = g->link.stats[0];
  gpu_free(g);
  script_free(s);
  return st;
}

static void memory_that_is_full_is_an_error_without_eviction(void **state) {
  (void)state;
  gpu_spec_t spec = tight_spec("none");
  source_t *src = generator("stream:footprint=8M,blocks=16,warps=4,steps=200");
  gpu_t *g = machine(&spec, &src, 1);
  err_t e = {0};
  gpu_limits_t limits = {.no_relaunch = true};
  assert_int_equal(gpu_run(g, &limits, 100000000, &e), GMMU_ENOSPACE);
  gpu_free(g);
  src->ops->free(src);
}

static void the_least_recently_used_goes_first(void **state) {
  (void)state;
  const char *const policies[] = {"lru", "tree"};
  for (uint32_t k = 0; k < 2; k++) {
    gpu_spec_t spec = tight_spec(policies[k]);
    paging_stats_t st = pass(&spec, 6, false, 1, NULL);
    assert_int_equal(st.pages_in, 6 * 256); /* nothing that is still needed goes */
    assert_true(st.evicted > 2 * 256);
    if (k == 0) assert_int_equal(st.evicted % 512, 0); /* whole regions */
  }
}

static void only_pages_written_to_are_written_back(void **state) {
  (void)state;
  gpu_spec_t spec = tight_spec("lru");
  link_stats_t link;
  paging_stats_t st = pass(&spec, 6, false, 1, &link);
  assert_int_equal(st.evicted_dirty, 0);
  assert_int_equal(link.bytes_out, 0);
  st = pass(&spec, 6, true, 1, &link);
  assert_true(st.evicted > 0);
  assert_int_equal(st.evicted_dirty, st.evicted);
  assert_int_equal(link.bytes_out, st.evicted * PAGE4);
}

static void a_loop_over_more_than_memory_defeats_lru(void **state) {
  (void)state;
  gpu_spec_t spec = tight_spec("lru");
  assert_int_equal(pass(&spec, 6, false, 2, NULL).pages_in, 2 * 6 * 256);
  set(&spec, "mem.bytes", "16M");
  assert_int_equal(pass(&spec, 6, false, 2, NULL).pages_in, 6 * 256);
}

static void a_fault_waits_until_what_it_displaces_is_in_the_host(void **state) {
  (void)state;
  gpu_spec_t spec = tight_spec("lru");
  paging_stats_t clean = pass(&spec, 6, false, 1, NULL), dirty = pass(&spec, 6, true, 1, NULL);
  assert_int_equal(clean.latency.max, 1000 + P4K + 200); /* a shoot-down first */
  assert_int_equal(dirty.latency.max, 1000 + P4K + P2M);
}

static void large_pages_leave_as_a_whole(void **state) {
  (void)state;
  gpu_spec_t spec = tight_spec("tree");
  set(&spec, "mem.bytes", "8M"), set(&spec, "mem.manager", "mosaic");
  setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l2tlb.large_entries", 4);
  paging_stats_t st = pass(&spec, 12, false, 2, NULL);
  assert_true(st.coalesced >= 3); /* what comes later is squeezed in between */
  assert_true(st.evicted >= 3 * 512);
  assert_int_equal(st.splintered, 0);
}

/* ---- everything at once ---- */

/* Two programs in a memory that is too small for them; finish() has all checks. */
static void under_pressure(const gpu_spec_t *spec) {
  source_t *src[2] = {generator("gather:footprint=16M,blocks=8,warps=4,steps=2"),
                      generator("hotset:footprint=4M,hot=256K,blocks=3,warps=2,steps=9")};
  gpu_t *g = machine(spec, src, 2);
  finish(g);
  assert_true(g->paging.stats[0].evicted + g->paging.stats[1].evicted > 0);
  assert_int_equal(g->paging.used, 0); /* no register is left over */
  gpu_free(g);
  src[0]->ops->free(src[0]), src[1]->ops->free(src[1]);
}

static void every_way_of_paging_keeps_every_promise(void **state) {
  (void)state;
  const char *const managers[] = {"gpu-mmu", "large-only", "mosaic"};
  const char *const prefetch[] = {"none", "block", "tree"}, *const evict[] = {"lru", "tree"};
  for (uint32_t i = 0; i < 36; i++) {
    gpu_spec_t spec = paged_spec();
    setn(&spec, "gpu.sms", 2), setn(&spec, "mem.faults", 1 + i % 7);
    set(&spec, "mem.manager", managers[i % 3]), set(&spec, "mem.prefetch", prefetch[i / 3 % 3]);
    set(&spec, "mem.evict", evict[i / 9 % 2]), set(&spec, "tlb.ideal", i < 27 ? "false" : "true");
    set(&spec, "mem.bytes", i % 3 ? "6M" : "2M");
    setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l1tlb.reach", i % 5 ? 1 : 4);
    setn(&spec, "l2tlb.latency", i % 2 ? 7 : 900); /* much happens before an answer is there */
    setn(&spec, "link.fault", 500), setn(&spec, "mem.shootdown", i % 4 * 50);
    setn(&spec, "link.bandwidth", 1000000); /* pages of 2 MB thrash */
    under_pressure(&spec);
  }
}

/* ---- compaction ---- */

/* Two allocations are one large page; the program touches the second, and prefetching brings both.
 * Then the first one is freed: what is left is too little for a large page. */
#define FIRST  (VA + 64 * MB)
#define SECOND (FIRST + 200 * PAGE4)
#define LEFT   312u

static gpu_t *splinter(uint32_t shootdown, uint32_t commands, script_t **s) {
  static const script_op_t ops[] = {LOAD_AT(1, 1, SECOND, 0, PAGE4), ALU(2, 1)};
  static const program_t p = PROGRAM_N(ops, LEFT);
  static const script_command_t all[] = {{CMD_ALLOC, FIRST, 200 * PAGE4},
                                         {CMD_ALLOC, SECOND, LEFT * PAGE4},
                                         {CMD_LAUNCH, 0, 0},
                                         {CMD_FREE, FIRST, 0},
                                         {CMD_LAUNCH, 0, 0}};
  gpu_spec_t spec = paged_spec();
  *s = script_new(&(script_spec_t){.program = &p,
                                   .programs = 1,
                                   .blocks = 1,
                                   .warps = 1,
                                   .command = all,
                                   .commands = commands},
                  4096);
  set(&spec, "mem.manager", "mosaic"), set(&spec, "mem.prefetch", "tree");
  setn(&spec, "mem.splinter_below", 70), setn(&spec, "mem.shootdown", shootdown);
  setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l2tlb.large_entries", 4);
  return run_script(&spec, *s);
}

static void a_splinter_flushes_the_large_page_and_walks_read_base_pages(void **state) {
  (void)state;
  script_t *s;
  gpu_t *g = splinter(200, 3, &s);
  walk_stats_t before = g->walker.stats[0];
  assert_int_equal(g->paging.stats[0].coalesced, 1);
  assert_int_equal(g->paging.stats[0].splintered, 0);
  assert_int_equal(before.large_walks, 1); /* one for all pages left at that time */
  assert_true(g->tlb.level[0].stats[0].large_hits > 0);
  gpu_free(g);
  script_free(s);
  g = splinter(200, 5, &s);
  const walk_stats_t *w = &g->walker.stats[0];
  assert_int_equal(g->paging.stats[0].splintered, 1);
  assert_int_equal(w->large_walks, 1);
  assert_int_equal(w->walks, before.walks + LEFT);
  assert_int_equal(w->reads, before.reads + LEFT * 4);
  gpu_free(g);
  script_free(s);
}

static void a_splinter_costs_a_shootdown_during_which_nobody_issues(void **state) {
  (void)state;
  script_t *s;
  uint64_t begin[2];
  for (uint32_t k = 0; k < 2; k++) {
    gpu_t *g = splinter(k ? 5000 : 0, 5, &s);
    assert_int_equal(g->moves.halts, k);
    assert_int_equal(g->moves.halted_cycles,
                     k ? 5000 : 0); /* SMs hear of both ends a cycle later */
    begin[k] = script_when_launch(s, 1, 0, 0);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(begin[1] - begin[0], 5000);
}

/* Eight large frames in two channels. The first program leaves 212 pages in frame 0 and 88 in frame
 * 2, of the same channel; frame 1 is one large page. The second program wants more large frames
 * than are free, so the 88 pages move. */
#define X     (VA + 64 * MB)
#define Y     (VA + 128 * MB)
#define Z     (VA + 256 * MB)
#define MOVED 88u

typedef struct {
  mm_counts_t counts;
  moves_t moves;
  dram_stats_t channel[2];
  sm_stats_t sm;
} outcome_t;

static script_t *moved_program(void) {
  static const script_op_t ops[] = {LOAD_AT(1, 1, Y, 0, LINE), ALU(2, 1)};
  static const program_t p = PROGRAM_N(ops, 400);
  static const script_command_t commands[] = {{CMD_ALLOC, X, 300 * PAGE4},
                                              {CMD_ALLOC, Z, 2 * MB},
                                              {CMD_ALLOC, Y, 300 * PAGE4},
                                              {CMD_FREE, X, 0},
                                              {CMD_LAUNCH, 0, 0}};
  return script_told(&p, 1, 1, commands, 5);
}

static outcome_t compact(const char *cac) {
  gpu_spec_t spec = lab_spec();
  set(&spec, "mem.manager", "mosaic"), set(&spec, "mem.bytes", "16M");
  set(&spec, "mem.cac", cac), set(&spec, "map.kind", "frame");
  set(&spec, "map.channel_xor", "false");
  setn(&spec, "gpu.sms", 2), setn(&spec, "dram.channels", 2), setn(&spec, "l2.bytes", 32 * KB);
  setn(&spec, "mem.shootdown", 0);
  script_t *a = moved_program(), *b = taker_of(8 * MB);
  source_t *src[2] = {script_source(a), script_source(b)};
  gpu_t *g = machine(&spec, src, 2);
  finish(g);
  outcome_t o = {.counts = mm_counts(g->memory.mm), .moves = g->moves, .sm = g->cores.stats[0]};
  for (uint32_t c = 0; c < 2; c++)
    for (uint32_t app = 0; app < 2; app++)
      o.channel[c].writes += dram_stats(g->dram.channel[c].dram, (uint8_t)app, DRAM_DATA)->writes,
          o.channel[c].reads += dram_stats(g->dram.channel[c].dram, (uint8_t)app, DRAM_DATA)->reads;
  gpu_free(g);
  script_free(a), script_free(b);
  return o;
}

static void pages_move_inside_one_channel_and_through_it(void **state) {
  (void)state;
  outcome_t o = compact("cac"), none = compact("ideal");
  assert_int_equal(o.counts.compacted, 1);
  assert_int_equal(o.counts.migrated, MOVED);
  /* Nothing else writes: every line of every page is read once and written once. */
  assert_int_equal(o.channel[0].writes, MOVED * 32);
  assert_int_equal(o.channel[1].writes, 0);
  assert_int_equal(o.channel[0].reads - none.channel[0].reads, MOVED * 32);
  assert_int_equal(o.channel[1].reads, none.channel[1].reads);
}

static void compaction_stops_all_sms_for_as_long_as_it_takes(void **state) {
  (void)state;
  outcome_t cac = compact("cac"), bulk = compact("cac-bc"), ideal = compact("ideal");
  assert_int_equal(ideal.counts.migrated, MOVED);
  assert_int_equal(ideal.moves.halts, 0);
  assert_int_equal(bulk.moves.halts, 1);
  assert_int_equal(bulk.moves.halted_cycles, MOVED * 80);
  /* A channel of 4 bytes x 4 per command clock of 1.5 GHz moves 24 bytes per core cycle. */
  assert_in_range(cac.moves.halted_cycles, MOVED * 4096 * 2 / 24, MOVED * 4096 * 2 / 24 * 4);
  assert_true(cac.sm.stall[STALL_COMPACT] > 0);
  assert_true(cac.sm.stall[STALL_COMPACT] <= cac.moves.halted_cycles); /* its one warp */
}

static void dense_touching_coalesces_without_a_flush(void **state) {
  (void)state;
  gpu_spec_t spec = paged_spec();
  set(&spec, "mem.manager", "mosaic");
  setn(&spec, "link.fault", 100);
  setn(&spec, "l1tlb.large_entries", 4), setn(&spec, "l2tlb.large_entries", 4);
  paging_stats_t st = pass(&spec, 2, false, 2, NULL);
  assert_int_equal(st.coalesced, 1);
  assert_int_equal(st.splintered, 0);
  assert_int_equal(st.pages_in, 512);
  assert_int_equal(st.faults, 512); /* a page at a time; and none in the second pass */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unloaded_fault_takes_what_the_formula_says),
      cmocka_unit_test(the_clock_of_the_chip_does_not_change_the_time),
      cmocka_unit_test(an_ideal_tlb_faults_too),
      cmocka_unit_test(an_access_outside_every_allocation_is_an_error),
      cmocka_unit_test(a_loaded_link_moves_its_bandwidth),
      cmocka_unit_test(fewer_fault_registers_serve_faults_in_turns),
      cmocka_unit_test(faults_of_one_page_are_one_transfer),
      cmocka_unit_test(warps_of_all_sms_wait_for_one_fault),
      cmocka_unit_test(other_warps_go_on),
      cmocka_unit_test(a_block_comes_with_its_page),
      cmocka_unit_test(a_fault_joins_a_page_on_its_way),
      cmocka_unit_test(halves_that_are_mostly_there_are_filled),
      cmocka_unit_test(memory_that_is_full_is_an_error_without_eviction),
      cmocka_unit_test(the_least_recently_used_goes_first),
      cmocka_unit_test(only_pages_written_to_are_written_back),
      cmocka_unit_test(a_loop_over_more_than_memory_defeats_lru),
      cmocka_unit_test(a_fault_waits_until_what_it_displaces_is_in_the_host),
      cmocka_unit_test(large_pages_leave_as_a_whole),
      cmocka_unit_test(every_way_of_paging_keeps_every_promise),
      cmocka_unit_test(a_splinter_flushes_the_large_page_and_walks_read_base_pages),
      cmocka_unit_test(a_splinter_costs_a_shootdown_during_which_nobody_issues),
      cmocka_unit_test(pages_move_inside_one_channel_and_through_it),
      cmocka_unit_test(compaction_stops_all_sms_for_as_long_as_it_takes),
      cmocka_unit_test(dense_touching_coalesces_without_a_flush),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
