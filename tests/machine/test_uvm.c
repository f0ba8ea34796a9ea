/* Unified memory as NVIDIA's driver serves it (src/paging/uvm.c): batches and replays, what the
 * tree brings, what is evicted, and what it costs. */
#include "base/rng.h"
#include "help.h"

#define FAULT 54500u /* cycles at 1000 MHz: 54.5 us */
#define P4K   512u   /* 4 KB at 8 bytes per cycle */

static gpu_spec_t uvm_spec(void) {
  gpu_spec_t s = lab_spec();
  set(&s, "mem.paging", "uvm");
  setn(&s, "l1tlb.mshrs", 64), setn(&s, "l2tlb.mshrs", 64), setn(&s, "walk.threads", 64);
  setn(&s, "mem.faults", 1024);
  return s;
}

/* Runs the program once by `warps` warps over `mb` MB. */
static gpu_t *run_ops(const gpu_spec_t *spec, const program_t *p, uint32_t warps, uint32_t mb) {
  script_t *s = script_of(p, 1, warps, mb * MB);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

/* ---- batches ---- */

static void a_batch_of_one_takes_as_long_as_a_far_fault(void **state) {
  (void)state;
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA), ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  gpu_spec_t spec = uvm_spec();
  setn(&spec, "uvm.threshold", 100);
  gpu_t *g = run_ops(&spec, &p, 1, 4);
  assert_int_equal(g->paging.stats[0].latency.max, FAULT + P4K);
  assert_int_equal(g->cores.stats[0].stall[STALL_FAULT], FAULT + P4K);
  assert_int_equal(g->paging.uvm.stats[0].batches, 1);
  assert_int_equal(g->paging.uvm.stats[0].replayed, 1);
  gpu_free(g);
}

/* 64 faults at once, of 64 KB each: their cycles and the driver's counters. */
static uint64_t at_once(const gpu_spec_t *spec, uvm_stats_t *out) {
  static const script_op_t ops[] = {
      LOAD_SPREAD(1, R_NO, VA, 16 * PAGE4, 32 * 16 * PAGE4, 0, ALL_LANES), ALU(2, 1)};
  static const program_t p = PROGRAM(ops);
  gpu_t *g = run_ops(spec, &p, 2, 4);
  uint64_t t = gpu_cycles(g);
  *out = g->paging.uvm.stats[0];
  gpu_free(g);
  return t;
}

static void faults_beyond_a_batch_come_again(void **state) {
  (void)state;
  gpu_spec_t spec = uvm_spec();
  setn(&spec, "uvm.threshold", 100), setn(&spec, "uvm.block", 0);
  uvm_stats_t s;
  for (uint32_t batch = 1; batch <= 128; batch *= 2) {
    setn(&spec, "uvm.batch", batch);
    uint64_t t = at_once(&spec, &s);
    uint32_t n = batch < 64 ? 64 / batch : 1;
    assert_int_equal(s.batches, n);
    assert_int_equal(s.fetched, 64);
    assert_int_equal(s.max_batch, batch < 64 ? batch : 64);
    assert_int_equal(s.replayed, 64);
    assert_int_equal(s.refaults, 64u * (n - 1) - batch * (n * (n - 1) / 2)); /* 64-b, 64-2b, ... */
    assert_in_range(t, n * (uint64_t)FAULT + 64 * P4K, n * (uint64_t)FAULT + 64 * P4K + 1500);
  }
}

static void who_comes_while_the_driver_wakes_is_in_the_batch(void **state) {
  (void)state;
  gpu_spec_t spec = uvm_spec();
  setn(&spec, "uvm.threshold", 100);
  uvm_stats_t s;
  at_once(&spec, &s);
  assert_int_equal(s.batches, 1);
  setn(&spec, "uvm.wake", 0); /* fetched as soon as the first is there */
  at_once(&spec, &s);
  assert_true(s.batches > 1);
  assert_int_equal(s.fetched, 64);
}

static void every_further_block_takes_the_driver_time(void **state) {
  (void)state;
  gpu_spec_t spec = uvm_spec();
  setn(&spec, "uvm.threshold", 100), setn(&spec, "uvm.block", 0);
  uvm_stats_t s;
  uint64_t t = at_once(&spec, &s);
  assert_int_equal(s.blocks, 2); /* 4 MB */
  setn(&spec, "uvm.block", 5000);
  assert_int_equal(at_once(&spec, &s), t + 5000);
}

/* ---- the tree ---- */

/* By its definition, page by page. */
static void trivial_tree(const bool *there, const bool *faulted, const bool *valid, uint32_t pages,
                         uint32_t block, uint32_t percent, bool *out) {
  bool filled[512];
  for (uint32_t i = 0; i < pages; i++) {
    bool near = false;
    for (uint32_t k = i / block * block; k < i / block * block + block; k++) near |= faulted[k];
    out[i] = near && valid[i];
    filled[i] = valid[i] && (there[i] || near);
  }
  for (uint32_t i = 0; i < pages; i++) {
    if (!faulted[i]) continue;
    uint32_t from = i, to = i + 1;
    for (uint32_t size = 1; size <= pages; size *= 2) {
      uint32_t first = i / size * size, count = 0, all = 0;
      for (uint32_t k = first; k < first + size; k++) count += filled[k], all += valid[k];
      if (count * 100 > all * percent) from = first, to = first + size;
    }
    for (uint32_t k = from; k < to; k++) out[k] |= valid[k];
  }
}

static void a_random_tree_is_what_the_trivial_model_says(void **state) {
  (void)state;
  rng_t rng = {rng_mix(test_seed())};
  for (uint32_t round = 0; round < 400; round++) {
    static const uint32_t shifts[] = {9, 5, 3, 0};
    uint32_t shift = shifts[rng_below(&rng, 4)], pages = 1u << shift;
    uint32_t base = 21 - shift, percent = 1 + rng_below(&rng, 99), dense = rng_below(&rng, 100);
    uint32_t cut = rng_below(&rng, 3) ? pages : 1 + rng_below(&rng, pages);
    regions_t r;
    regions_init(&r, shift, base);
    assert_int_equal(regions_add(&r, 1, (vpn_t){0}, pages), 0);
    bool there[512] = {0}, faulted[512] = {0}, valid[512] = {0}, want[512];
    uint64_t f[8] = {0}, v[8] = {0}, out[8];
    for (uint32_t i = 0; i < cut; i++) {
      valid[i] = true, v[i / 64] |= 1ull << (i % 64);
      there[i] = rng_below(&rng, 100) < dense;
      faulted[i] = !there[i] && rng_below(&rng, 20) == 0;
      if (faulted[i]) f[i / 64] |= 1ull << (i % 64);
      if (there[i])
        regions_put(&r, rng_below(&rng, 4) ? PAGES_HERE : PAGES_COMING, 1, (vpn_t){i}, 1, true);
    }
    trivial_tree(there, faulted, valid, pages, 1u << r.block_shift, percent, want);
    regions_tree(&r, regions_find(&r, 1, (vpn_t){0}), f, v, percent, out);
    for (uint32_t i = 0; i < pages; i++)
      if ((out[i / 64] >> (i % 64) & 1) != want[i])
        fail_msg("seed %llu, round %u: page %u of %u", (unsigned long long)test_seed(), round, i,
                 pages);
    assert_true(regions_check(&r));
    regions_fini(&r);
  }
}

/* Pages that came for touches one after the other of these 64-KB blocks. */
static uint64_t pages_for(const script_op_t *ops, uint32_t n, uint32_t percent, uvm_stats_t *out) {
  gpu_spec_t spec = uvm_spec();
  setn(&spec, "uvm.threshold", percent);
  const program_t p = {ops, n, 1};
  gpu_t *g = run_ops(&spec, &p, 1, 2);
  uint64_t pages = g->paging.stats[0].pages_in;
  *out = g->paging.uvm.stats[0];
  gpu_free(g);
  return pages;
}

static void a_dense_walk_brings_the_block_in_few_faults(void **state) {
  (void)state;
  /* Blocks 0, 1, 2: with the third, 48 of 64 pages are there, so block 3 comes with it; then 80 of
   * 128 with block 4, so 5, 6, 7 come. */
  static const script_op_t ops[] = {LOAD1(1, R_NO, VA), LOAD1(1, 1, VA + 64 * KB),
                                    LOAD1(1, 1, VA + 128 * KB), LOAD1(1, 1, VA + 256 * KB),
                                    ALU(2, 1)};
  uvm_stats_t s;
  assert_int_equal(pages_for(ops, 5, 51, &s), 128);
  assert_int_equal(s.batches, 4);
  assert_int_equal(s.grown, 4 * 15);
  assert_int_equal(s.tree, 4 * 16);
  assert_int_equal(pages_for(ops, 5, 100, &s), 4); /* without it every page is a fault */
}

/* ---- eviction ---- */

/* A warp goes through `mb` MB page by page, `passes` times. */
static gpu_t *pass(const gpu_spec_t *spec, uint32_t mb, uint32_t passes) {
  static const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4)};
  const program_t p[] = {{ops, 1, mb * 256}};
  script_command_t commands[] = {{CMD_ALLOC, VA, mb * MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  script_t *s = script_told(p, 1, 1, commands, 1 + passes);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

static void whole_blocks_leave_by_their_last_fault(void **state) {
  (void)state;
  gpu_spec_t spec = uvm_spec();
  set(&spec, "mem.bytes", "4M"), set(&spec, "mem.evict", "lru"), setn(&spec, "link.fault", 1000);
  gpu_t *g = pass(&spec, 6, 1);
  assert_int_equal(g->paging.stats[0].pages_in, 6 * 256);
  assert_true(g->paging.stats[0].evicted >= 512);
  assert_int_equal(g->paging.stats[0].evicted % 512, 0);
  assert_true(g->tlb.level[1].stats[0].invalidations > 0); /* TLBs were told */
  gpu_free(g);
  g = pass(&spec, 6, 2); /* a loop over more than memory: everything comes twice */
  assert_int_equal(g->paging.stats[0].pages_in, 2 * 6 * 256);
  gpu_free(g);
}

/* Uses do not count, only faults: a block that is touched all the time leaves all the same, unlike
 * under mem.paging=demand. */
static uint64_t faults_with_a_hot_block(const char *paging) {
  static const script_op_t ops[] = {LOAD_AT(1, 1, VA + 2 * MB, 0, PAGE4), LOAD1(1, 1, VA)};
  const program_t p[] = {{ops, 2, 4 * 256}};
  gpu_spec_t spec = uvm_spec();
  set(&spec, "mem.paging", paging), set(&spec, "mem.evict", "lru");
  if (strcmp(paging, "demand") == 0) set(&spec, "mem.prefetch", "block");
  set(&spec, "mem.bytes", "4M"), setn(&spec, "link.fault", 1000), setn(&spec, "l1tlb.entries", 1);
  setn(&spec, "l1tlb.ways", 1), setn(&spec, "l2tlb.entries", 1), setn(&spec, "l2tlb.ways", 1);
  script_command_t commands[] = {{CMD_ALLOC, VA, 12 * MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  script_t *s = script_told(p, 1, 1, commands, 3);
  gpu_t *g = run_script(&spec, s);
  uint64_t evicted = g->paging.stats[0].evicted, in = g->paging.stats[0].pages_in;
  assert_true(evicted > 0);
  gpu_free(g);
  script_free(s);
  return in;
}
static void a_block_in_use_leaves_if_nobody_faults_on_it(void **state) {
  (void)state;
  assert_true(faults_with_a_hot_block("uvm") > faults_with_a_hot_block("demand"));
}

/* Two programs with stores, in a memory that is too small for them, under every check. */
static void two_programs_under_pressure_end(void **state) {
  (void)state;
  static const char *const managers[] = {"gpu-mmu", "mosaic", "large-only", "mixed"};
  for (uint32_t m = 0; m < 4; m++)
    for (uint32_t batch = 1; batch <= 256; batch *= 16) {
      gpu_spec_t spec = uvm_spec();
      setn(&spec, "gpu.sms", 2), set(&spec, "mem.manager", managers[m]);
      set(&spec, "mem.bytes", m == 2 ? "8M" : "4M"), set(&spec, "mem.evict", "lru");
      if (m == 3) set(&spec, "mem.format", "pascal");
      setn(&spec, "link.fault", 1000), setn(&spec, "uvm.batch", batch);
      setn(&spec, "uvm.wake", 100), setn(&spec, "uvm.block", 10);
      gpu_t *g = run_generators(&spec, "stream:footprint=6M,blocks=4,warps=4,steps=64",
                                "gather:footprint=4M,blocks=2,warps=2,steps=8");
      for (uint32_t a = 0; a < 2; a++) {
        const uvm_stats_t *u = &g->paging.uvm.stats[a];
        assert_true(u->replayed + u->refaults >= u->fetched); /* a replay tries all of them */
        assert_true(u->blocks >= u->batches && u->fetched >= u->blocks);
        assert_true(g->paging.uvm.stats[a].batches > 0);
      }
      assert_true(g->paging.stats[0].evicted + g->paging.stats[1].evicted > 0);
      gpu_free(g);
    }
}

static void what_it_cannot_do_is_refused(void **state) {
  (void)state;
  const char *const wrong[][2] = {
      {"mem.prefetch", "tree"}, {"mem.evict", "tree"}, {"tlb.levels", "0"}};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = uvm_spec();
    set(&spec, wrong[i][0], wrong[i][1]);
    source_t *src = generator("stream:footprint=1M,blocks=1,warps=1,steps=1");
    app_spec_t app = {.name = "x", .source = src};
    gpu_t *g = NULL;
    err_t e = {0};
    assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
    assert_non_null(strstr(e.text, "mem.paging=uvm"));
    src->ops->free(src);
  }
}

/* ---- what it does, and what it costs ---- */

static uint64_t cycles_of(const char *paging, const char *text) {
  gpu_spec_t spec = uvm_spec();
  set(&spec, "mem.paging", paging);
  gpu_t *g = run_generator(&spec, text);
  uint64_t t = gpu_cycles(g);
  gpu_free(g);
  return t;
}

static void a_stream_gains_and_scattered_first_touches_lose(void **state) {
  (void)state;
  /* The tree brings what a stream needs next; faults in other places wait for each other's batch.
   */
  const char *stream = "stream:footprint=4M,blocks=2,warps=2,steps=256";
  const char *chase = "chase:footprint=64M,blocks=4,warps=2,steps=6,lanes=1";
  assert_true(cycles_of("uvm", stream) * 2 < cycles_of("demand", stream));
  assert_true(cycles_of("uvm", chase) > cycles_of("demand", chase));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_of_one_takes_as_long_as_a_far_fault),
      cmocka_unit_test(faults_beyond_a_batch_come_again),
      cmocka_unit_test(who_comes_while_the_driver_wakes_is_in_the_batch),
      cmocka_unit_test(every_further_block_takes_the_driver_time),
      cmocka_unit_test(a_random_tree_is_what_the_trivial_model_says),
      cmocka_unit_test(a_dense_walk_brings_the_block_in_few_faults),
      cmocka_unit_test(whole_blocks_leave_by_their_last_fault),
      cmocka_unit_test(a_block_in_use_leaves_if_nobody_faults_on_it),
      cmocka_unit_test(two_programs_under_pressure_end),
      cmocka_unit_test(what_it_cannot_do_is_refused),
      cmocka_unit_test(a_stream_gains_and_scattered_first_touches_lose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
