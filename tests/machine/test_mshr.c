/* Formats of MSHRs: each does what its paper says in a workload made for it, and costs in another;
 * whatever happens to pages meanwhile, no translation is wrong and every miss ends. */
#include "cost/cost.h"
#include "help.h"

/* Few MSHRs, walkers enough. */
static gpu_spec_t tight_spec(uint32_t sms, uint32_t l1, uint32_t l2) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", sms), setn(&s, "walk.threads", 64);
  setn(&s, "l1tlb.entries", 8), setn(&s, "l1tlb.mshrs", l1);
  setn(&s, "l2tlb.entries", 64), setn(&s, "l2tlb.mshrs", l2);
  return s;
}

typedef struct {
  uint64_t cycles, walks, l1_stalls, l2_stalls, l2_hits_of[2], l2_lookups_of[2], walks_of[2],
      queue_of[2];
  mshr_stats_t mshr;
} seen_t;

static seen_t run(const gpu_spec_t *spec, const char *first, const char *second) {
  gpu_t *g = run_generators(spec, first, second);
  seen_t r = {.cycles = gpu_cycles(g)};
  for (uint32_t a = 0; a < (second ? 2u : 1u); a++) {
    r.walks += g->walker.stats[a].walks;
    r.walks_of[a] = g->walker.stats[a].walks;
    r.queue_of[a] = g->walker.stats[a].queue_cycles;
    r.l1_stalls += g->tlb.level[0].stats[a].mshr_stalls;
    r.l2_stalls += g->tlb.level[1].stats[a].mshr_stalls;
    r.l2_hits_of[a] = g->tlb.level[1].stats[a].hits;
    r.l2_lookups_of[a] = g->tlb.level[1].stats[a].lookups;
#define X(n, u, h) r.mshr.n += g->tlb.mshr_stats[a].n;
    MSHR_STATS(X)
#undef X
  }
  gpu_free(g);
  return r;
}

#define DENSE  "stride:footprint=16M,lane=4K,blocks=8,warps=4,steps=4"
#define RANDOM "gather:footprint=16M,blocks=8,warps=4,steps=4"
#define LIGHT  "chase:footprint=4M,lanes=1,blocks=2,warps=1,steps=40"
#define SPARSE "stride:footprint=32M,lane=64K,blocks=2,warps=2,steps=4"

/* ---- LATPC's detector ---- */

/* The pages of an instruction that the paper's Figure 12b is reported to have. */
static void the_detector_finds_groups(void **state) {
  (void)state;
  static const struct {
    uint64_t page, base;
    int stride, index;
  } want[] = {{0x1000, 0x1000, 0, 0}, {0x1004, 0x1000, 4, 1},  {0x1008, 0x1000, 4, 2},
              {0x100c, 0x1000, 4, 3}, {0x1011, 0x1011, 0, 0},  {0x1028, 0x1011, 23, 1},
              {0x1025, 0x1025, 0, 0}, {0x1022, 0x1025, -3, 1}, {0x1200, 0x1200, 0, 0},
              {0x11ff, 0x11ff, 0, 0}}; /* the last two: other regions */
  const latpc_spec_t spec = {.pages = 32, .region_pages = 512};
  latpc_detector_t d = {0};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    latpc_detect(&d, &spec, (vpn_t){want[i].page}, 0);
    if (d.page.base != want[i].base || d.page.stride != want[i].stride ||
        d.page.index != want[i].index)
      fail_msg("page %llx: base %llx stride %d index %u", (unsigned long long)want[i].page,
               (unsigned long long)d.page.base, d.page.stride, d.page.index);
  }
  latpc_instruction_ends(&d);
  latpc_detect(&d, &spec, (vpn_t){0x11fe}, 0);
  assert_int_equal(d.page.index, 0);
  latpc_detect(&d, &spec, (vpn_t){0x1000}, 9); /* a page of another size */
  assert_int_equal(d.page.index, 0);
  assert_int_equal(d.page.base, 0x1000 >> 9);
}

/* ---- LATPC's MSHRs ---- */

static void latpc_holds_the_pages_of_an_instruction_in_one_mshr(void **state) {
  (void)state;
  gpu_spec_t page = tight_spec(2, 4, 256), latpc = page;
  set(&latpc, "l1tlb.mshr_format", "latpc");
  seen_t p = run(&page, DENSE, NULL), l = run(&latpc, DENSE, NULL);
  assert_int_equal(p.mshr.grouped, 0);
  assert_true(l.mshr.grouped > 20 * l.mshr.entries); /* 31 of 32 pages join the first */
  assert_true(l.l1_stalls * 4 < p.l1_stalls);
  assert_true(l.cycles * 2 < p.cycles);
}

/* Pages at random make no groups: an MSHR is of one page again. */
static void latpc_has_nothing_for_pages_at_random(void **state) {
  (void)state;
  gpu_spec_t page = tight_spec(2, 4, 256), latpc = page;
  set(&latpc, "l1tlb.mshr_format", "latpc");
  seen_t p = run(&page, RANDOM, NULL), l = run(&latpc, RANDOM, NULL);
  assert_true(l.mshr.grouped * 4 < l.mshr.entries);
  assert_true(l.cycles * 100 > p.cycles * 80);
}

/* Its many misses at once take the walkers from a program that has one at a time. */
static void latpc_mshrs_cost_the_program_beside(void **state) {
  (void)state;
  gpu_spec_t page = tight_spec(2, 2, 256), latpc = page;
  setn(&page, "walk.threads", 2), setn(&latpc, "walk.threads", 2);
  set(&latpc, "l1tlb.mshr_format", "latpc");
  const char *alone = "chase:footprint=4M,lanes=1,blocks=1,warps=1,steps=200";
  seen_t p = run(&page, DENSE, alone), l = run(&latpc, DENSE, alone);
  assert_true(l.queue_of[1] * p.walks_of[1] > 2 * p.queue_of[1] * l.walks_of[1]);
}

/* ---- in-TLB MSHRs ---- */

static void intlb_takes_entries_where_mshrs_are_taken(void **state) {
  (void)state;
  gpu_spec_t page = tight_spec(2, 64, 8), intlb = page;
  set(&intlb, "l2tlb.mshr_format", "intlb");
  seen_t p = run(&page, DENSE, NULL), i = run(&intlb, DENSE, NULL);
  assert_int_equal(p.mshr.ways, 0);
  assert_true(i.mshr.ways * 2 > i.walks);
  assert_true(i.l2_stalls < p.l2_stalls);
  assert_true(i.cycles * 4 < p.cycles * 3);
  setn(&intlb, "intlb.entries", 1);
  seen_t one = run(&intlb, DENSE, NULL);
  assert_true(one.cycles > i.cycles);
}

/* The translations of a program that reuses them go for the misses of one that does not. */
static void intlb_costs_translations_of_others(void **state) {
  (void)state;
  gpu_spec_t page = tight_spec(2, 64, 8);
  setn(&page, "l1tlb.entries", 4), setn(&page, "l2tlb.entries", 256);
  gpu_spec_t intlb = page;
  set(&intlb, "l2tlb.mshr_format", "intlb");
  const char *reuses = "gather:footprint=64K,blocks=1,warps=1,steps=100";
  seen_t p = run(&page, DENSE, reuses), i = run(&intlb, DENSE, reuses);
  assert_true(i.mshr.displaced > 0);
  assert_true(i.walks_of[1] > 2 * p.walks_of[1]);
}

/* ---- whatever happens to pages ---- */

static const struct {
  const char *settings, *app[2];
} weather[] = {
    {"mem.paging=demand link.fault=300 mem.faults=3", {DENSE, LIGHT}},
    {"mem.paging=demand link.fault=300 mem.evict=lru mem.bytes=4M mem.prefetch=block "
     "mem.shootdown=7",
     {"stride:footprint=6M,lane=4K,blocks=4,warps=4,steps=4", LIGHT}},
    {"mem.manager=mixed mem.format=amd-gfx9 mem.fragment_index=95 walk.pwc=true",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "gather:footprint=4M,blocks=2,warps=2,steps=4"}},
    {"mem.manager=mixed mem.format=pascal mem.fragment_index=95",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "churn:footprint=4M,blocks=2,warps=2,steps=4,launches=3"}},
    {"mem.manager=large-only mem.large_page=64K l1tlb.large_entries=4 l2tlb.large_entries=4",
     {DENSE, LIGHT}},
    {"mem.manager=mosaic mem.bytes=256M mem.fragment_index=90 mem.fragment_occupancy=25",
     {DENSE, LIGHT}},
    {"l1tlb.group=2 l2tlb.group=1", {DENSE, RANDOM}},
    {"l1tlb.reach=4 l2tlb.reach=4 l1tlb.whole=true l2tlb.whole=true", {DENSE, RANDOM}},
    {"l1tlb.victims=3 l2tlb.victims=3 l2tlb.entries=8", {DENSE, RANDOM}},
    {"tlb.fill=tokens run.epoch=300 tokens.buffer=4", {DENSE, RANDOM}},
    {"tlb.peer=valkyrie peer.prefetch=true", {DENSE, RANDOM}},
    {"tlb.peer=neidty", {DENSE, RANDOM}},
    {"l2tlb.entries=4 l2tlb.ways=1", {DENSE, RANDOM}},
    {"l2tlb.replacement=random l2tlb.mshrs=2", {DENSE, RANDOM}},
    {"tlb.levels=4 l3tlb.entries=16 l4tlb.entries=16 l3tlb.ways=4 l4tlb.ways=4 l4tlb.mshrs=9",
     {DENSE, SPARSE}},
    {"share.mode=time share.quantum=300", {DENSE, LIGHT}},
    {"walk.policy=marching walk.threads=4", {DENSE, RANDOM}},
    {"gpu.gpcs=1;1;1;1 gpu.mig=4 share.mode=mig share.mig=2;2 gpu.sms=4 dram.channels=4 "
     "l2.bytes=64K mem.manager=mixed mem.format=pascal mem.fragment_index=90",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "gather:footprint=8M,blocks=4,warps=4,steps=4"}},
};

/* Each format on every level that it is for. */
static void use_format(gpu_spec_t *s, const mshr_ops_t *f) {
  if (f->first) set(s, "l1tlb.mshr_format", f->name);
  for (uint32_t l = 2; f->behind && l <= TLB_MAX_LEVELS; l++) {
    char key[32];
    snprintf(key, sizeof key, "l%utlb.mshr_format", l);
    set(s, key, f->name);
  }
}

static void every_miss_ends_whatever_happens_to_pages(void **state) {
  (void)state;
  for (uint32_t f = 0; tlb_mshr_all[f]; f++)
    for (size_t i = 0; i < sizeof weather / sizeof *weather; i++) {
      gpu_spec_t s = tight_spec(2, 4, 6);
      use_format(&s, tlb_mshr_all[f]);
      put_all(&s, weather[i].settings);
      if (tlb_mshr_all[f]->pages && s.tlb_level[0].group != 1) continue; /* it is refused */
      gpu_t *g = run_weather(&s, weather[i].app[0], weather[i].app[1]);
      uint64_t walks = g->walker.stats[0].walks + g->walker.stats[1].walks;
      if (walks < 50) fail_msg("case %zu has %llu walks", i, (unsigned long long)walks);
      gpu_free(g);
    }
}

/* With few MSHRs most wait for one, with many their answers are on the way. */
static void misses_follow_pages_that_move(void **state) {
  (void)state;
  for (uint32_t f = 0; tlb_mshr_all[f]; f++)
    for (uint32_t wide = 0; wide < 2; wide++) {
      gpu_spec_t s = wide ? tight_spec(2, 64, 256) : tight_spec(2, 4, 6);
      use_format(&s, tlb_mshr_all[f]);
      run_pages_that_move(&s);
    }
}

/* ---- where it makes no sense ---- */

static void refused(const gpu_spec_t *s, const char *why) {
  source_t *src = generator(LIGHT);
  app_spec_t app = {.name = "a", .source = src};
  err_t e = {0};
  gpu_t *g;
  assert_true(gpu_new(s, &app, 1, &g, &e) < 0);
  if (!strstr(e.text, why)) fail_msg("%s", e.text);
  src->ops->free(src);
}

static void latpc_is_refused_where_sms_share_a_tlb(void **state) {
  (void)state;
  static const char *const how[] = {"l1tlb.mshr_format=latpc", "walk.policy=latpc"};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t s = tight_spec(2, 4, 6);
    put_all(&s, how[i]);
    setn(&s, "l1tlb.group", 2);
    source_t *src = generator(DENSE);
    app_spec_t app = {.name = "x", .source = src};
    gpu_t *g = NULL;
    err_t e = {0};
    assert_int_equal(gpu_new(&s, &app, 1, &g, &e), GMMU_ERANGE);
    assert_non_null(strstr(e.text, "l1tlb.group is 2, not 1"));
    src->ops->free(src);
  }
}

static void a_format_is_refused_on_a_level_it_is_not_for(void **state) {
  (void)state;
  gpu_spec_t s = tight_spec(1, 4, 4);
  set(&s, "l2tlb.mshr_format", "latpc");
  refused(&s, "is for first-level TLBs");
  s = tight_spec(1, 4, 4);
  set(&s, "l1tlb.mshr_format", "intlb");
  refused(&s, "behind the first level");
}

/* ---- storage ---- */

static uint64_t bytes_of(const gpu_spec_t *s, const char *mechanism) {
  uint64_t bytes = 0;
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    if (strcmp(r->mechanism, mechanism) != 0 || !r->on(s)) continue;
    r->work_out(s, &c);
    bytes += cost_bytes(&c);
  }
  return bytes;
}

static void their_storage_is_known(void **state) {
  (void)state;
  gpu_spec_t s = tight_spec(2, 8, 64);
  assert_int_equal(bytes_of(&s, "latpc-mshr"), 0);
  set(&s, "l1tlb.mshr_format", "latpc");
  assert_int_equal(bytes_of(&s, "latpc-mshr"), (2 * (2 * 36 + 9 + 5) + 7) / 8 + 2 * 8 * 41 / 8);
  assert_int_equal(bytes_of(&s, "intlb"), 0);
  set(&s, "l2tlb.mshr_format", "intlb");
  assert_int_equal(bytes_of(&s, "intlb"), 64 / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_detector_finds_groups),
      cmocka_unit_test(latpc_holds_the_pages_of_an_instruction_in_one_mshr),
      cmocka_unit_test(latpc_has_nothing_for_pages_at_random),
      cmocka_unit_test(latpc_mshrs_cost_the_program_beside),
      cmocka_unit_test(intlb_takes_entries_where_mshrs_are_taken),
      cmocka_unit_test(intlb_costs_translations_of_others),
      cmocka_unit_test(every_miss_ends_whatever_happens_to_pages),
      cmocka_unit_test(misses_follow_pages_that_move),
      cmocka_unit_test(latpc_is_refused_where_sms_share_a_tlb),
      cmocka_unit_test(a_format_is_refused_on_a_level_it_is_not_for),
      cmocka_unit_test(their_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
