/* Formats of TLB entries, and replacement that knows keys: each does what its paper says in a
 * workload made for it, and costs in another; against a trivial model, and whatever happens to
 * pages, no translation is wrong. */
#include "base/rng.h"
#include "cost/cost.h"
#include "help.h"

/* TLBs that hold next to nothing. */
static gpu_spec_t small_spec(const char *settings) {
  gpu_spec_t s = lab_spec();
  put_all(&s, "gpu.sms=2 l1tlb.entries=2 l1tlb.mshrs=64 l2tlb.entries=16 l2tlb.ways=4 "
              "l2tlb.mshrs=256 walk.threads=16");
  put_all(&s, settings);
  return s;
}

typedef struct {
  uint64_t cycles, walks[2], hits, invalidations, latency;
  tlb_array_stats_t array; /* of the second level, or the first */
} seen_t;

static seen_t run(const gpu_spec_t *spec, const char *first, const char *second) {
  gpu_t *g = run_generators(spec, first, second);
  seen_t r = {.cycles = gpu_cycles(g)};
  for (uint32_t a = 0; a < (second ? 2u : 1u); a++) {
    r.walks[a] = g->walker.stats[a].walks;
    for (uint32_t l = 0; l < g->tlb.levels; l++) {
      r.invalidations += g->tlb.level[l].stats[a].invalidations;
      if (l)
        r.hits += g->tlb.level[l].stats[a].hits, r.latency += g->tlb.level[l].stats[a].latency.sum;
#define X(n, u, h) r.array.n += g->tlb.level[l].array_stats[a].n;
      TLB_ARRAY_STATS(X)
#undef X
    }
  }
  gpu_free(g);
  return r;
}
static seen_t run_with(const char *settings, const char *first, const char *second) {
  gpu_spec_t s = small_spec(settings);
  return run(&s, first, second);
}

/* ---- against a trivial model ---- */

#define PAGES 512 /* of each of two address spaces */

/* One page in a set: what it takes to be a format. */
typedef struct {
  format_env_t env;
  struct {
    uint64_t key, ppn;
    uint32_t sub;
    bool used;
  } at[];
} toy_t;
static size_t toy_bytes(const format_env_t *e) {
  return sizeof(toy_t) + e->sets * sizeof((toy_t *)0)->at[0];
}
static void toy_init(void *state, const format_env_t *e) { ((toy_t *)state)->env = *e; }
static format_run_t toy_holds(const void *state, const format_page_t *p) {
  const toy_t *s = state;
  return (format_run_t){p->sub, s->at[p->set].used && s->at[p->set].key == p->key &&
                                    s->at[p->set].sub == p->sub};
}
static bool toy_lookup(void *state, const format_page_t *p, ppn_t *ppn, uint32_t *cycles) {
  toy_t *s = state;
  *cycles = 3;
  ppn->v = s->at[p->set].ppn;
  return toy_holds(s, p).pages;
}
static void toy_fill(void *state, const format_page_t *p, ppn_t ppn, format_run_t run,
                     format_victims_t *out) {
  (void)run;
  toy_t *s = state;
  if (s->at[p->set].used) format_left(&s->env, s->at[p->set].key, out);
  s->at[p->set].key = p->key, s->at[p->set].ppn = ppn.v;
  s->at[p->set].sub = p->sub, s->at[p->set].used = true;
}
static uint32_t toy_drop(void *state, format_gone_fn gone, const void *ctx) {
  toy_t *s = state;
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->env.sets; i++)
    if (s->at[i].used && gone(ctx, s->at[i].key) >> s->at[i].sub & 1) s->at[i].used = false, n++;
  return n;
}
static bool toy_check(const void *state, uint32_t (*set_of)(const void *ctx, uint64_t key),
                      const void *ctx) {
  const toy_t *s = state;
  for (uint32_t i = 0; i < s->env.sets; i++)
    if (s->at[i].used && set_of(ctx, s->at[i].key) != i) return false;
  return true;
}
static const tlb_format_t toy = {.name = "toy",
                                 .help = "one page in a set",
                                 .sub_entries = true,
                                 .fewest_pages = 1,
                                 .state_bytes = toy_bytes,
                                 .init = toy_init,
                                 .lookup = toy_lookup,
                                 .fill = toy_fill,
                                 .holds = toy_holds,
                                 .drop = toy_drop,
                                 .check = toy_check};

/* Its row: the table has room behind the tree's own. */
static void enter_toy(void) {
  uint32_t i = 0;
  while (tlb_format_all[i]) i++;
  tlb_format_all[i] = &toy;
}

/* The frame of a page; some neighbours' frames follow each other. */
static uint64_t frame_of_page(uint32_t space, uint32_t page, uint32_t round) {
  return ((uint64_t)space << 40) + ((uint64_t)round << 20) + page +
         (page / 5 % 3 ? 0 : 1000 * page);
}

typedef struct {
  tlb_t t;
  uint32_t reach;
  uint32_t round[2][PAGES]; /* how often it was shot down: its frame changes */
  bool filled[2][PAGES];    /* and not shot down since */
} model_t;

static format_run_t run_of(const model_t *m, uint32_t space, uint32_t page) {
  uint32_t first = page & ~(m->reach - 1), lo = page, hi = page;
  if (!m->t.format->runs) return (format_run_t){page - first, 1};
#define FOLLOWS(a, b)                                                                              \
  (frame_of_page(space, a, m->round[space][a]) + (b) - (a) ==                                      \
   frame_of_page(space, b, m->round[space][b]))
  while (lo > first && FOLLOWS(lo - 1, page)) lo--;
  while (hi + 1 < first + m->reach && FOLLOWS(page, hi + 1)) hi++;
#undef FOLLOWS
  return (format_run_t){lo - first, hi - lo + 1};
}

static void step(model_t *m, rng_t *rng) {
  uint32_t space = rng_below(rng, 2), page = rng_below(rng, PAGES);
  if (rng_below(rng, 4)) page %= 64; /* most are near */
  ppn_t ppn = {0};
  bool large = true;
  tlb_victim_t v[FORMAT_VICTIMS];
  if (rng_below(rng, 40) == 0) {
    uint32_t pages = 1 + rng_below(rng, 20);
    tlb_invalidate(&m->t, (asid_t)space, (vpn_t){page}, pages, NULL, NULL);
    for (uint32_t p = page; p < page + pages && p < PAGES; p++) {
      m->round[space][p]++, m->filled[space][p] = false;
      assert_false(tlb_holds(&m->t, (asid_t)space, (vpn_t){p}));
    }
    return;
  }
  bool holds = tlb_holds(&m->t, (asid_t)space, (vpn_t){page});
  bool hit = tlb_lookup(&m->t, (asid_t)space, (vpn_t){page}, &ppn, &large);
  assert_int_equal(holds, hit);
  if (hit) {
    assert_true(m->filled[space][page]);
    assert_int_equal(ppn.v, frame_of_page(space, page, m->round[space][page]));
    return;
  }
  format_run_t run = run_of(m, space, page);
  uint32_t first = page & ~(m->reach - 1);
  for (uint32_t p = first + run.first; p < first + run.first + run.pages; p++)
    m->filled[space][p] = true;
  ppn.v = frame_of_page(space, page, m->round[space][page]);
  uint32_t n = tlb_fill_format(&m->t, (asid_t)space, (vpn_t){page}, ppn, run, v);
  assert_true(n <= FORMAT_VICTIMS);
  assert_true(tlb_holds(&m->t, (asid_t)space, (vpn_t){page}));
}

static void every_format_answers_what_was_filled(void **state) {
  (void)state;
  static const uint32_t shapes[][2] = {{1, 1}, {4, 4}, {16, 4}, {32, 32}, {24, 3}};
  static const char *const repl[] = {"lru", "fifo", "random", "depot"};
  for (uint32_t f = 0; tlb_format_all[f]; f++)
    for (uint32_t k = 0; k < 5 * 4; k++) {
      if (format_is_plain(tlb_format_all[f])) continue;
      rng_t rng = {test_seed() + k};
      tlb_array_stats_t stats[2] = {{0}};
      tlb_env_t env = {.stats = stats};
      tlb_spec_t spec = {.entries = shapes[k % 5][0],
                         .ways = shapes[k % 5][1],
                         .reach = 4u << k % 3,
                         .replacement = repl[k / 5],
                         .hash_index = k & 1};
      model_t *m = calloc(1, sizeof *m);
      assert_int_equal(tlb_init_format(&m->t, &spec, tlb_format_all[f], &env, 9, NULL), 0);
      m->reach = 1u << m->t.reach_shift;
      for (uint32_t n = 0; n < 3000; n++) {
        step(m, &rng);
        if (!tlb_check(&m->t))
          fail_msg("%s is wrong (GMMU_SEED=%llu)", tlb_format_all[f]->name,
                   (unsigned long long)test_seed());
      }
      tlb_fini(&m->t);
      free(m);
    }
}

/* In the machine, too: what is above is all that it takes. */
static void a_toy_is_a_format(void **state) {
  (void)state;
  seen_t r = run_with("tlb.format=toy l2tlb.reach=4",
                      "gather:footprint=1M,blocks=2,warps=2,steps=8", NULL);
  seen_t plain = run_with("l2tlb.reach=4", "gather:footprint=1M,blocks=2,warps=2,steps=8", NULL);
  assert_true(r.walks[0] > plain.walks[0]); /* four places instead of sixteen */
}

/* ---- STAR ---- */

#define STAR    "tlb.format=star l2tlb.reach=16"
#define NO_STAR "l2tlb.reach=16"

/* 32 blocks with a page each in 16 entries: two share one. */
static void star_holds_twice_as_many_sparse_blocks(void **state) {
  (void)state;
  const char *sparse = "chase:footprint=2M,node=64K,blocks=1,warps=1,steps=300";
  seen_t p = run_with(NO_STAR, sparse, NULL), s = run_with(STAR, sparse, NULL);
  assert_true(p.walks[0] > 290);
  assert_true(s.walks[0] < 40); /* each page once, and that of the list's begin */
  assert_true(s.array.shared >= 16 && s.array.second_hits > 100);
  assert_int_equal(s.array.sequential, s.array.shared); /* a single page is contiguous */
  assert_true(s.cycles < p.cycles);
}

/* No page is used twice: comparing second bases takes longer, and that is all. */
static void star_costs_where_nothing_is_used_again(void **state) {
  (void)state;
  const char *far = "chase:footprint=32M,node=64K,blocks=1,warps=1,steps=300";
  seen_t p = run_with(NO_STAR, far, NULL), s = run_with(STAR, far, NULL);
  assert_true(s.walks[0] >= p.walks[0]);
  assert_true(s.cycles > p.cycles);
  seen_t free = run_with(STAR " star.second=0", far, NULL);
  assert_int_equal(s.walks[0], free.walks[0]);
  assert_true(s.cycles > free.cycles);
}

/* The array by hand: set 0 of two ways, blocks of 8 pages. */
typedef struct {
  tlb_t t;
  tlb_array_stats_t stats[3];
} star_array_t;
static void star_array(star_array_t *a) {
  tlb_env_t env = {.stats = a->stats};
  tlb_spec_t spec = {.entries = 2, .ways = 2, .reach = 8, .replacement = "lru"};
  memset(a->stats, 0, sizeof a->stats);
  assert_int_equal(tlb_init_format(&a->t, &spec, &format_star, &env, 9, NULL), 0);
}
static uint32_t fill(star_array_t *a, asid_t asid, uint64_t page) {
  tlb_victim_t v[FORMAT_VICTIMS];
  uint32_t n = tlb_fill_format(&a->t, asid, (vpn_t){page}, (ppn_t){page + 100},
                               (format_run_t){(uint32_t)page % 8, 1}, v);
  assert_true(tlb_check(&a->t));
  return n;
}
static bool has(star_array_t *a, asid_t asid, uint64_t page) {
  return tlb_holds(&a->t, asid, (vpn_t){page});
}

static void star_prefers_its_own_address_space_then_the_least_used(void **state) {
  (void)state;
  star_array_t a;
  star_array(&a);
  fill(&a, 1, 0), fill(&a, 1, 1), fill(&a, 2, 8); /* both ways: two pages, one page */
  fill(&a, 1, 16);                                /* beside its own, though that uses more */
  assert_true(has(&a, 1, 0) && has(&a, 1, 1) && has(&a, 1, 16) && has(&a, 2, 8));
  assert_int_equal(a.stats[1].sequential, 1);
  fill(&a, 1, 24); /* only the other's has room */
  assert_true(has(&a, 1, 24) && has(&a, 2, 8));
  assert_int_equal(a.stats[1].shared, 2);
  assert_int_equal(fill(&a, 2, 40), 2); /* none has: the least recently used, with both bases */
  tlb_fini(&a.t);
}

static void star_gives_the_entry_to_a_base_that_fills_its_half(void **state) {
  (void)state;
  star_array_t a;
  star_array(&a);
  fill(&a, 1, 0), fill(&a, 1, 8), fill(&a, 1, 9), fill(&a, 1, 16);
  assert_int_equal(a.stats[1].shared, 1); /* block 2 beside block 0, which uses least */
  fill(&a, 1, 17), fill(&a, 1, 18);
  assert_true(has(&a, 1, 0));
  assert_int_equal(fill(&a, 1, 19), 1); /* its fourth page of four */
  assert_false(has(&a, 1, 0));
  assert_int_equal(a.stats[1].exclusive, 1);
  assert_int_equal(fill(&a, 1, 23), 0); /* alone, it has all eight */
  assert_true(has(&a, 1, 16) && has(&a, 1, 19) && has(&a, 1, 23));
  tlb_fini(&a.t);
}

static void star_has_one_place_for_two_pages_of_a_half(void **state) {
  (void)state;
  star_array_t a;
  star_array(&a);
  fill(&a, 1, 0), fill(&a, 1, 2);                                   /* not contiguous: stride */
  fill(&a, 1, 8), fill(&a, 1, 9), fill(&a, 1, 10), fill(&a, 1, 11); /* full enough to be alone */
  fill(&a, 1, 16);
  assert_int_equal(a.stats[1].stride, 1);
  fill(&a, 1, 3); /* pages 2 and 3 have one place */
  assert_true(has(&a, 1, 3) && has(&a, 1, 0) && has(&a, 1, 16));
  assert_false(has(&a, 1, 2));
  assert_int_equal(a.stats[1].displaced, 1);
  tlb_invalidate(&a.t, 1, (vpn_t){3}, 1, NULL, NULL); /* a shoot-down takes the base, */
  assert_false(has(&a, 1, 0));
  assert_true(has(&a, 1, 16)); /* and leaves the other */
  assert_true(tlb_check(&a.t));
  tlb_fini(&a.t);
}

/* ---- CoLT ---- */

#define DENSE "gather:footprint=256K,blocks=2,warps=2,steps=24"

/* 64 pages whose frames follow each other in 16 entries: eight are one. */
static void colt_makes_one_entry_of_adjacent_frames(void **state) {
  (void)state;
  seen_t p = run_with("mem.manager=mosaic", DENSE, NULL),
         c = run_with("mem.manager=mosaic tlb.format=colt", DENSE, NULL);
  assert_true(c.array.runs > 0 && c.array.run_pages >= 6 * c.array.runs);
  assert_true(c.walks[0] * 10 < p.walks[0] * 6); /* the paper: 40 to 58 % of misses fewer */
  assert_true(c.cycles < p.cycles);
}

/* Frames that do not: neighbours meet in one set, and displace each other. */
static void colt_costs_where_frames_lie_apart(void **state) {
  (void)state;
  const char *few = "chase:footprint=64K,node=4K,blocks=1,warps=1,steps=300"; /* 16 pages */
  seen_t p = run_with("mem.paging=demand link.fault=300", few, NULL),
         c = run_with("mem.paging=demand link.fault=300 tlb.format=colt colt.pages=16", few, NULL);
  assert_int_equal(c.array.runs, 0);
  assert_true(p.walks[0] < 20 && c.walks[0] > 290);
  assert_true(c.cycles > p.cycles);
}

static void colt_tells_runs_from_level_to_level(void **state) {
  (void)state;
  gpu_spec_t s = small_spec("mem.manager=mosaic tlb.format=colt l1tlb.entries=4");
  source_t *src = generator(DENSE);
  gpu_t *g = machine(&s, &src, 1);
  finish(g);
  const tlb_array_stats_t *first = g->tlb.level[0].array_stats;
  assert_true(first->runs > 0 && g->tlb.level[1].stats[0].hits > 0);
  assert_true(first->run_pages > 4 * g->tlb.level[0].stats[0].fills); /* most are answered by L2 */
  gpu_free(g);
  src->ops->free(src);
}

/* ---- DEPOT ---- */

#define DEPOT "l2tlb.ways=16 l2tlb.replacement=depot"
#define LRU   "l2tlb.ways=16"

/* A program whose pages fit, beside one that never comes back: what the other displaced returns,
 * and stays. */
static void depot_keeps_what_another_program_displaces(void **state) {
  (void)state;
  const char *hot = "chase:footprint=32K,node=4K,lanes=1,blocks=1,warps=1,steps=300,arith=20",
             *scan = "stride:footprint=32M,lane=4,step=4K,blocks=2,warps=4,steps=1000";
  seen_t l = run_with(LRU, hot, scan), d = run_with(DEPOT, hot, scan);
  assert_true(d.walks[0] * 10 < l.walks[0] * 8);
  assert_true(d.array.returned > 0 && d.array.spared > 0);
  assert_true(d.walks[1] * 100 <= l.walks[1] * 102); /* the other has nothing to lose */
}

/* Every page comes back, and more are protected than there are entries. */
static void depot_costs_where_all_pages_come_back(void **state) {
  (void)state;
  const char *all = "hotset:footprint=32M,hot=128K,reuse=60,blocks=4,warps=4,steps=32";
  seen_t l = run_with("", all, NULL), d = run_with("l2tlb.replacement=depot", all, NULL);
  assert_true(d.array.returned * 2 > d.walks[0]);
  assert_true(d.walks[0] > l.walks[0]);
}

static void depot_spares_what_returned_once(void **state) {
  (void)state;
  assoc_t a;
  static const depot_spec_t spec = {1024, 2, 100, 1};
  assert_int_equal(assoc_init_tuned(&a, 1, 4, "depot", &spec, NULL), 0);
  assoc_filled_t f = {0};
  for (uint64_t k = 0; k < 5; k++) f = assoc_put(&a, 0, k, assoc_hash(k), 0);
  assert_true(f.evicted && f.old == 0);
  f = assoc_put(&a, 0, 0, assoc_hash(0), 0); /* 0 is back; 2 3 4 0 are there */
  assert_true(f.returned && f.old == 1);
  static const uint64_t gone[] = {2, 3, 4, 10, 11, 12, 0}; /* 0 has a second turn behind 12 */
  for (uint64_t k = 0; k < 7; k++) {
    f = assoc_put(&a, 0, 10 + k, assoc_hash(10 + k), 0);
    assert_int_equal(f.old, gone[k]);
    assert_int_equal(f.spared, k == 3);
    assert_false(f.returned);
  }
  assoc_fini(&a);
}

/* ---- whatever happens to pages ---- */

static const struct {
  const char *settings, *app[2];
} weather[] = {
    {"mem.paging=demand link.fault=300 mem.faults=3",
     {"stride:footprint=8M,lane=4K,blocks=4,warps=4,steps=4",
      "chase:footprint=1M,blocks=1,warps=1"}},
    {"mem.paging=demand link.fault=300 mem.evict=lru mem.bytes=4M mem.prefetch=block "
     "mem.shootdown=7",
     {"stride:footprint=6M,lane=4K,blocks=4,warps=4,steps=4",
      "gather:footprint=64K,blocks=1,steps=4"}},
    {"mem.manager=mixed mem.format=amd-gfx9 mem.fragment_index=95 walk.pwc=true",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "gather:footprint=4M,blocks=2,warps=2,steps=4"}},
    {"mem.manager=mixed mem.format=pascal mem.fragment_index=95",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "churn:footprint=4M,blocks=2,warps=2,steps=4,launches=3"}},
    {"mem.manager=large-only mem.large_page=64K l1tlb.large_entries=4 l2tlb.large_entries=4",
     {"gather:footprint=8M,blocks=4,warps=4,steps=4", "chase:footprint=1M,blocks=1,warps=1"}},
    {"mem.manager=mosaic mem.bytes=256M mem.fragment_index=90 mem.fragment_occupancy=25",
     {"gather:footprint=8M,blocks=4,warps=4,steps=4", "chase:footprint=1M,blocks=1,warps=1"}},
    {"tlb.fill=tokens run.epoch=500 tokens.buffer=4",
     {"gather:footprint=8M,blocks=4,warps=4,steps=4", "chase:footprint=1M,blocks=1,warps=1"}},
    {"share.mode=time share.quantum=300",
     {"gather:footprint=8M,blocks=4,warps=4,steps=4", "chase:footprint=1M,blocks=1,warps=1"}},
    {"gpu.gpcs=1;1;1;1 gpu.mig=4 share.mode=mig share.mig=2;2 gpu.sms=4 dram.channels=4 "
     "l2.bytes=64K mem.manager=mixed mem.format=pascal mem.fragment_index=90 share.mig_tlb=true",
     {"gather:footprint=8M,blocks=4,warps=4,steps=4",
      "gather:footprint=1984K,blocks=1,warps=4,steps=4"}},
};
static const char *const mechanisms[] = {STAR,
                                         STAR " l2tlb.replacement=depot star.layout=stride",
                                         "l2tlb.replacement=depot depot.window=16",
                                         "tlb.format=toy l2tlb.reach=4",
                                         "tlb.format=colt",
                                         "tlb.format=colt l2tlb.replacement=depot colt.pages=16"};

static void no_translation_is_wrong_whatever_happens_to_pages(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++)
    for (size_t i = 0; i < sizeof weather / sizeof *weather; i++) {
      gpu_spec_t s = small_spec(mechanisms[m]); /* run.check is on */
      put_all(&s, weather[i].settings);
      gpu_t *g = run_weather(&s, weather[i].app[0], weather[i].app[1]);
      uint64_t walks = g->walker.stats[0].walks + g->walker.stats[1].walks;
      if (walks < 50) fail_msg("case %zu has %llu walks", i, (unsigned long long)walks);
      gpu_free(g);
    }
}

static void entries_follow_pages_that_move(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++) {
    gpu_spec_t s = small_spec(mechanisms[m]);
    run_pages_that_move(&s);
  }
}

/* ---- what does not go together ---- */

static void refused(const char *settings, const char *because) {
  gpu_spec_t s = small_spec(settings);
  source_t *src = generator("gather:footprint=1M,blocks=1,steps=1");
  app_spec_t app = {.name = "app", .source = src};
  err_t e = {0};
  gpu_t *g = NULL;
  assert_true(gpu_new(&s, &app, 1, &g, &e) < 0);
  if (!strstr(e.text, because)) fail_msg("%s: \"%s\"", settings, e.text);
  src->ops->free(src);
}

static void what_cannot_be_is_refused_with_a_sentence(void **state) {
  (void)state;
  refused("tlb.format=star", "needs entries of 4 pages or more, not of 1");
  refused(STAR " l2tlb.victims=4", "none beside its sets");
  refused(STAR " l2tlb.whole=true", "whole must be off");
  refused("tlb.format=star l1tlb.reach=16 tlb.levels=1", "behind the first");
  refused("tlb.format=colt tlb.peer=valkyrie", "choose one");
  refused("tlb.format=colt l1tlb.reach=4 l2tlb.reach=4", "entries are of one page");
  refused("tlb.format=colt colt.pages=6", "not a power of two");
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
  gpu_spec_t s = small_spec(STAR);
  assert_int_equal(bytes_of(&s, "star"), 16 * (2 + (48 - 12 - 4) + 9 + 16) / 8);
  assert_int_equal(bytes_of(&s, "depot"), 0);
  s = small_spec("tlb.format=colt");
  assert_int_equal(bytes_of(&s, "colt"), ((2 * 2 + 16) * 6 + 7) / 8);
  s = small_spec("l2tlb.replacement=depot");
  assert_int_equal(bytes_of(&s, "star"), 0);
  assert_int_equal(bytes_of(&s, "depot"), (8 * 1024 + 12 + 7) / 8 + 16 / 8);
}

int main(void) {
  enter_toy();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_answers_what_was_filled),
      cmocka_unit_test(a_toy_is_a_format),
      cmocka_unit_test(star_holds_twice_as_many_sparse_blocks),
      cmocka_unit_test(star_costs_where_nothing_is_used_again),
      cmocka_unit_test(star_prefers_its_own_address_space_then_the_least_used),
      cmocka_unit_test(star_gives_the_entry_to_a_base_that_fills_its_half),
      cmocka_unit_test(star_has_one_place_for_two_pages_of_a_half),
      cmocka_unit_test(colt_makes_one_entry_of_adjacent_frames),
      cmocka_unit_test(colt_costs_where_frames_lie_apart),
      cmocka_unit_test(colt_tells_runs_from_level_to_level),
      cmocka_unit_test(depot_keeps_what_another_program_displaces),
      cmocka_unit_test(depot_costs_where_all_pages_come_back),
      cmocka_unit_test(depot_spares_what_returned_once),
      cmocka_unit_test(no_translation_is_wrong_whatever_happens_to_pages),
      cmocka_unit_test(entries_follow_pages_that_move),
      cmocka_unit_test(what_cannot_be_is_refused_with_a_sentence),
      cmocka_unit_test(their_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
