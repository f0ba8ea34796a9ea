/* Idle scratchpad as a victim TLB (src/tlb/keep.c, src/tlb/victim_scratchpad.c): what it keeps,
 * what blocks take from it, what a look-up costs, and that no translation is wrong whatever happens
 * to pages. */
#include "base/rng.h"
#include "cost/cost.h"
#include "help.h"

static gpu_spec_t victim_spec(const char *victim) {
  gpu_spec_t s = lab_spec();
  set(&s, "tlb.victim", victim);
  setn(&s, "l1tlb.entries", 4), setn(&s, "l2tlb.entries", 8), setn(&s, "l2tlb.ways", 4);
  return s;
}

/* ---- against a dictionary ---- */

#define PAGES 300
typedef struct {
  void *state;
  const victim_ops_t *ops;
  scratch_spec_t spec;
  victim_stats_t stats[2];
} kept_t;

static void kept_init(kept_t *k, uint32_t bytes, uint32_t entry, uint32_t ways) {
  *k = (kept_t){.ops = victim_find("scratchpad"), .spec = {entry, ways, 24, 1}};
  victim_env_t env = {bytes, &k->spec, k->stats};
  k->state = calloc(1, k->ops->state_bytes(&env));
  assert_non_null(k->state);
  k->ops->init(k->state, &env);
}
static victim_page_t page_of(asid_t asid, uint64_t vpn, uint32_t order) {
  return (victim_page_t){asid, (uint8_t)order, {vpn >> order << order}};
}

/* Whatever is taken is what was kept last and not dropped since, and nothing is taken twice. */
static void it_gives_what_it_was_given(void **state) {
  (void)state;
  static const uint32_t shape[][3] = {{8192, 16, 8}, {1000, 8, 1}, {4096, 64, 3}, {64, 16, 8}};
  static uint64_t frame[2][PAGES]; /* + 1; 0: not kept */
  rng_t rng = {test_seed()};
  for (uint32_t c = 0; c < 4; c++) {
    kept_t k;
    kept_init(&k, shape[c][0], shape[c][1], shape[c][2]);
    memset(frame, 0, sizeof frame);
    uint32_t used = 0, hits = 0;
    for (uint32_t n = 0; n < 20000; n++) {
      asid_t a = (asid_t)rng_below(&rng, 2);
      uint64_t vpn = rng_below(&rng, PAGES);
      uint32_t order = vpn < 64 ? 4 : 0; /* the first pages are of 16 base pages */
      victim_page_t p = page_of(a, vpn, order);
      ppn_t ppn;
      switch (rng_below(&rng, 8)) {
      case 0: { /* a block comes, or goes */
        uint32_t now = rng_below(&rng, shape[c][0] + 1), most = now > used ? now : used;
        k.ops->blocks(k.state, most, now);
        used = now;
        break;
      }
      case 1: {
        uint32_t pages = 1 + rng_below(&rng, 20);
        k.ops->drop(k.state, a, (vpn_t){vpn}, pages);
        for (uint64_t v = vpn; v < vpn + pages && v < PAGES; v++)
          frame[a][page_of(a, v, v < 64 ? 4 : 0).vpn.v] = 0;
        break;
      }
      case 2:
      case 3:
      case 4:
        frame[a][p.vpn.v] = 1 + n;
        k.ops->keep(k.state, &p, (ppn_t){n});
        break;
      default:
        if (!k.ops->take(k.state, &p, &ppn)) break;
        assert_int_equal(ppn.v + 1, frame[a][p.vpn.v]);
        frame[a][p.vpn.v] = 0;
        hits++;
      }
      if (n % 16 == 0) assert_true(k.ops->check(k.state));
    }
    assert_true(shape[c][0] < 128 || hits > 100);
    free(k.state);
  }
}

static void what_lies_under_a_block_is_lost(void **state) {
  (void)state;
  kept_t k;
  kept_init(&k, 1024, 16, 8); /* eight sets */
  ppn_t ppn;
  uint32_t left = 0;
  for (uint64_t v = 0; v < 40; v++) k.ops->keep(k.state, &(victim_page_t){0, 0, {v}}, (ppn_t){v});
  k.ops->blocks(k.state, 512, 0); /* a block came and went */
  for (uint64_t v = 0; v < 40; v++) left += k.ops->take(k.state, &(victim_page_t){0, 0, {v}}, &ppn);
  assert_true(left > 0 && left < 40);
  assert_int_equal(left + k.stats[0].crowded + k.stats[0].displaced, 40);
  k.ops->blocks(k.state, 1024, 1024); /* nothing is idle */
  k.ops->keep(k.state, &(victim_page_t){0, 0, {7}}, (ppn_t){7});
  assert_false(k.ops->open(k.state, &(victim_page_t){0, 0, {7}}));
  assert_false(k.ops->take(k.state, &(victim_page_t){0, 0, {7}}, &ppn));
  free(k.state);
}

/* ---- in the machine ---- */

/* A warp reads `pages` pages in turn, twice; its block has so much shared memory. */
static gpu_t *twice(const gpu_spec_t *spec, uint32_t pages, uint32_t shared) {
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4 + LINE)};
  const program_t p = {ops, 1, pages};
  static const script_command_t commands[] = {
      {CMD_ALLOC, VA, 32 * MB}, {CMD_LAUNCH, 0, 0}, {CMD_LAUNCH, 0, 0}};
  script_spec_t told = {.program = &p,
                        .programs = 1,
                        .blocks = 1,
                        .warps = 1,
                        .shared = shared,
                        .command = commands,
                        .commands = 3};
  script_t *s = script_new(&told, 0);
  gpu_t *g = run_script(spec, s);
  script_free(s);
  return g;
}

/* The paper's case: more pages than the TLBs hold, in a kernel that leaves shared memory alone. */
static void idle_scratchpad_widens_the_reach(void **state) {
  (void)state;
  gpu_spec_t off = victim_spec("none"), on = victim_spec("scratchpad");
  gpu_t *a = twice(&off, 200, 0), *b = twice(&on, 200, 0);
  const victim_stats_t *v = b->tlb.victims;
  assert_int_equal(a->walker.stats[0].walks, 400);
  assert_true(b->walker.stats[0].walks <= 210); /* what is seen again is kept */
  assert_int_equal(v->lookups, 400);
  assert_true(v->hits >= 190);
  assert_int_equal(v->hits + b->tlb.level[1].stats[0].lookups, 400);
  assert_int_equal(v->taken, 0);
  assert_true(gpu_cycles(b) < gpu_cycles(a));
  gpu_free(a), gpu_free(b);
}

/* And one in which it costs: nothing is used twice, so every miss waits for a look-up in vain. */
static void a_look_up_in_vain_costs_its_latency(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, PAGE4 + LINE)};
  const program_t p = {ops, 1, 100};
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = victim_spec(i ? "scratchpad" : "none");
    setn(&spec, "scratch.latency", 37);
    script_t *s = script_of(&p, 1, 1, 32 * MB);
    gpu_t *g = run_script(&spec, s);
    cycles[i] = gpu_cycles(g);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(cycles[1] - cycles[0], 100 * 37);
}

/* A kernel with all of shared memory leaves nothing idle: it is as if there were no mechanism. */
static void a_kernel_that_uses_shared_memory_leaves_nothing(void **state) {
  (void)state;
  gpu_spec_t off = victim_spec("none"), on = victim_spec("scratchpad");
  setn(&off, "sm.shared", 16 * KB), setn(&on, "sm.shared", 16 * KB);
  gpu_t *a = twice(&off, 200, 16 * KB), *b = twice(&on, 200, 16 * KB);
  const victim_stats_t *v = b->tlb.victims;
  assert_int_equal(v->taken, 400);
  assert_int_equal(v->hits, 0);
  assert_int_equal(gpu_cycles(a), gpu_cycles(b));
  gpu_free(a), gpu_free(b);
  b = twice(&on, 200, 8 * KB); /* half of it */
  assert_true(b->tlb.victims->taken > 100 && b->tlb.victims->hits > 50);
  gpu_free(b);
}

/* Pages that go, move and come again, of several sizes, of two programs, and TLBs that SMs share:
 * run.check compares every translation with the page table. */
static void no_translation_is_wrong_whatever_happens_to_pages(void **state) {
  (void)state;
  static const char *const how[] = {
      "mem.paging=demand mem.evict=lru mem.bytes=6M",
      "mem.paging=uvm mem.evict=lru mem.bytes=6M link.bandwidth=1000000 uvm.wake=100 uvm.block=10",
      "mem.manager=mixed mem.format=pascal mem.fragment_index=95",
      "mem.manager=mosaic mem.cac=cac l1tlb.large_entries=2",
      "l1tlb.group=0 l1tlb.victims=2 l1tlb.reach=32",
      "share.mode=time share.quantum=500 share.flush_tlbs=true"};
  for (uint32_t i = 0; i < sizeof how / sizeof *how; i++) {
    gpu_spec_t on = victim_spec("scratchpad");
    put_all(&on, "gpu.sms=2 link.fault=1000"), put_all(&on, how[i]);
    gpu_t *g = run_weather(&on, "gather:footprint=8M,blocks=4,warps=4,steps=12,seed=3",
                           "hotset:footprint=4M,hot=64K,blocks=4,warps=4,steps=12");
    uint64_t hits = 0, invalidations = 0;
    for (uint32_t a = 0; a < 2; a++)
      hits += g->tlb.victims[a].hits, invalidations += g->tlb.victims[a].invalidations;
    if (!hits || !invalidations) fail_msg("%s: nothing was kept, or nothing dropped", how[i]);
    gpu_free(g);
  }
}

static void refuse(const char *key, const char *value, const char *what) {
  gpu_spec_t spec = victim_spec("scratchpad");
  set(&spec, "l1d.flush_at_launch", "true"), set(&spec, key, value);
  if (strcmp(key, "l1d.unified") == 0)
    set(&spec, "l1d.bytes", "128K"), set(&spec, "sm.shared", "65536");
  source_t *src = generator("stream:footprint=1M,blocks=1,warps=1,steps=1");
  app_spec_t app = {.name = "x", .source = src};
  gpu_t *g = NULL;
  err_t e = {0};
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  if (!strstr(e.text, what)) fail_msg("%s=%s: %s", key, value, e.text);
  src->ops->free(src);
}
static void who_claims_the_same_misses_is_refused(void **state) {
  (void)state;
  refuse("tlb.peer", "neidty", "both answer misses of the first level");
  refuse("tlb.format", "colt", "says what a first-level entry holds");
  refuse("l1d.unified", "true", "L1 has what blocks leave");
}

static void its_storage_is_known(void **state) {
  (void)state;
  gpu_spec_t s = victim_spec("scratchpad");
  setn(&s, "sm.shared", 96 * KB);
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++)
    if (strcmp(r->mechanism, "scratchpad") == 0) {
      cost_t c = {0};
      assert_true(r->on(&s));
      r->work_out(&s, &c);
      assert_int_equal(c.each, 10); /* of 0 to 768 sets of 128 bytes */
      set(&s, "tlb.victim", "none");
      assert_false(r->on(&s));
      return;
    }
  fail_msg("no row for it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_gives_what_it_was_given),
      cmocka_unit_test(what_lies_under_a_block_is_lost),
      cmocka_unit_test(idle_scratchpad_widens_the_reach),
      cmocka_unit_test(a_look_up_in_vain_costs_its_latency),
      cmocka_unit_test(a_kernel_that_uses_shared_memory_leaves_nothing),
      cmocka_unit_test(no_translation_is_wrong_whatever_happens_to_pages),
      cmocka_unit_test(who_claims_the_same_misses_is_refused),
      cmocka_unit_test(its_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
