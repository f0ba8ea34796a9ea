/* Schedulers of page walks in the machine: each does what its paper says in a workload made for it,
 * and costs in another; whatever happens to pages meanwhile, no translation is wrong and every walk
 * ends. */
#include "cost/cost.h"
#include "help.h"

/* Few walkers, and TLBs that hold next to nothing: walks wait. */
static gpu_spec_t busy_spec(const char *policy, uint32_t sms, uint32_t walkers) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", sms), setn(&s, "walk.threads", walkers);
  setn(&s, "l1tlb.entries", 4), setn(&s, "l1tlb.mshrs", 64);
  setn(&s, "l2tlb.entries", 8), setn(&s, "l2tlb.mshrs", 256);
  set(&s, "walk.policy", policy);
  return s;
}

typedef struct {
  uint64_t cycles, walks, reads, memory, queue, longest, queue_of[2], walks_of[2], structural_of[2];
  walk_policy_stats_t policy;
} seen_t;

static seen_t run(const gpu_spec_t *spec, const char *first, const char *second) {
  gpu_t *g = run_generators(spec, first, second);
  seen_t r = {.cycles = gpu_cycles(g)};
  for (uint32_t a = 0; a < (second ? 2u : 1u); a++) {
    const walk_stats_t *w = &g->walker.stats[a];
    r.walks += w->walks, r.reads += w->reads, r.memory += w->l2_hits + w->dram_reads;
    r.queue += w->queue_cycles;
    r.queue_of[a] = w->queue_cycles, r.walks_of[a] = w->walks;
    r.structural_of[a] = g->cores.stats[a].stall[STALL_STRUCTURAL];
    if (w->queue.max > r.longest) r.longest = w->queue.max;
#define X(n, u, h)                                                                                 \
  if (g->walker.schedule.ops) r.policy.n += g->walker.schedule.stats[a].n;
    WALK_POLICY_STATS(X)
#undef X
  }
  gpu_free(g);
  return r;
}

#define HEAVY  "stride:footprint=16M,lane=4K,blocks=8,warps=8,steps=4"
#define LIGHT  "chase:footprint=4M,lanes=1,blocks=2,warps=1,steps=40"
#define DENSE  "stride:footprint=16M,lane=4K,blocks=8,warps=4,steps=4"
#define SPARSE "stride:footprint=32M,lane=64K,blocks=2,warps=2,steps=4"

/* ---- DWS ---- */

/* A program that walks now and then does not wait behind one that always does. */
static void dws_keeps_a_light_program_from_waiting(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), dws = busy_spec("dws", 2, 4);
  seen_t f = run(&fifo, HEAVY, LIGHT), d = run(&dws, HEAVY, LIGHT);
  assert_int_equal(f.walks_of[1], d.walks_of[1]);
  assert_true(d.queue_of[1] * 4 < f.queue_of[1]);
  assert_true(d.policy.stolen > 0); /* whose walkers work for the other one meanwhile */
}

/* Alone, a program has all walkers: those of the others steal. */
static void dws_leaves_no_walker_idle(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), dws = busy_spec("dws", 2, 4);
  const char *nothing = "compute:footprint=4K,blocks=1,warps=1,steps=1";
  seen_t f = run(&fifo, HEAVY, nothing), d = run(&dws, HEAVY, nothing);
  assert_true(d.cycles < f.cycles * 105 / 100);
  assert_true(d.policy.stolen * 4 > d.walks);
}

/* Queues are many now, and half of the walkers are another's: with a small page-walk cache, in
 * which the order of walks matters, both programs are slower. */
static void dws_costs_where_the_order_of_arrival_was_good(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 3), dws = busy_spec("dws", 2, 3);
  const char *small = "tlb.levels=1 walk.pwc=true walk.pwc_leaf=true walk.pwc_bytes=64 "
                      "walk.pwc_ways=4";
  put_all(&fifo, small), put_all(&dws, small);
  seen_t f = run(&fifo, DENSE, SPARSE), d = run(&dws, DENSE, SPARSE);
  assert_true(d.memory > f.memory);
  assert_true(d.cycles > f.cycles);
}

static void dws_plus_steals_though_its_own_queue_is_not_empty(void **state) {
  (void)state;
  gpu_spec_t dws = busy_spec("dws", 2, 4), plus = busy_spec("dws-plus", 2, 4);
  setn(&plus, "dws.epoch", 16);
  setn(&dws, "dws.queue", 64), setn(&plus, "dws.queue", 64);
  const char *lighter = "chase:footprint=16M,lanes=4,blocks=2,warps=2,steps=40";
  seen_t d = run(&dws, HEAVY, lighter), p = run(&plus, HEAVY, lighter);
  assert_int_equal(d.policy.early, 0);
  assert_true(p.policy.early > 0);
  assert_true(p.queue_of[0] < d.queue_of[0]);
  assert_true(p.queue_of[1] > d.queue_of[1]); /* its price */
}

/* A policy without a machine: `walks` of them, all of them the caller's to describe. */
static void *policy_of(const walk_policy_t *p, const walk_env_t *env) {
  void *state = calloc(1, 1 + p->state_bytes(env));
  p->init(state, env);
  return state;
}

/* On 64 walkers as on the 16 of the release, a walk in its queue leaves a walker free to steal: a
 * queue has twelve places, of which a quarter may be full. */
static void dws_plus_steals_on_a_gpu_of_many_walkers(void **state) {
  (void)state;
  enum { WALKERS = 64, OWN = 64, OTHERS = 12 * WALKERS / 2 };
  static walk_view_t view[WALKERS + OWN + OTHERS];
  gpu_spec_t s = lab_spec();
  dws_spec_t dws = s.dws;
  assert_int_equal(dws_entries(&dws, 16) * 16, 192);
  dws.epoch_walks = WALKERS; /* as many of both: the first threshold */
  walk_policy_stats_t stats[2] = {{0}};
  walk_env_t env = {.walkers = WALKERS,
                    .apps = 2,
                    .walks = WALKERS + OWN + OTHERS,
                    .walk = view,
                    .stats = stats,
                    .dws = &dws};
  for (uint32_t i = 0; i < env.walks; i++)
    view[i].asid = (asid_t)(i < WALKERS ? i % 2 : i >= WALKERS + OWN);
  void *d = policy_of(&walk_dws_plus, &env);
  for (uint32_t i = 0; i < env.walks; i++)
    assert_int_equal(walk_dws_plus.arrive(d, i), i < WALKERS ? i : WALK_NONE);
  assert_int_equal(stats[1].full, 0);
  assert_int_equal(view[walk_dws_plus.next(d, 0, 0)].asid, 0);
  assert_int_equal(view[walk_dws_plus.next(d, 0, 0)].asid, 1); /* its own queue has another */
  assert_int_equal(stats[1].early, 1);
  assert_true(walk_dws_plus.check(d));
  free(d);
}

/* An instance with walkers of its own has them all for its one application: whoever is beside it
 * owns none of them, and there is nobody to steal from. */
static void dws_deals_walkers_of_an_instance_to_its_application(void **state) {
  (void)state;
  gpu_spec_t s = busy_spec("dws", 4, 3);
  put_all(&s, "gpu.gpcs=1;1;1;1 gpu.mig=4 share.mode=mig share.mig=2;2 share.mig_walkers=false "
              "dram.channels=4 l2.bytes=64K mem.bytes=512M mem.manager=mixed mem.page=64K "
              "mem.large_page=64K dws.queue=1000");
  const char *far = "stride:footprint=64M,lane=64K,blocks=8,warps=8,steps=4";
  seen_t r = run(&s, far, far);
  assert_true(r.policy.waited > 100);
  assert_int_equal(r.policy.full, 0);
  assert_int_equal(r.policy.stolen, 0);
}

/* ---- SIMT-aware ---- */

/* Instructions of one page do not wait behind those of 32. */
static void simt_serves_the_least_work_first(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 2), simt = busy_spec("simt", 2, 2);
  seen_t f = run(&fifo, HEAVY, LIGHT), s = run(&simt, HEAVY, LIGHT);
  assert_true(s.policy.batched > 0);
  assert_true(s.queue_of[1] * 2 < f.queue_of[1]);
}

static gpu_spec_t maxwell(const char *policy) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  assert_int_equal(gpu_spec_load(&s, "gpu", "maxwell", &e), 0);
  set(&s, "walk.policy", policy), set(&s, "run.check", "true");
  return s;
}

/* The paper's case: every lane in another page, and more walks than walkers. A warp whose walks are
 * served together goes on earlier. */
static void simt_gains_where_a_warp_waits_for_all_its_walks(void **state) {
  (void)state;
  gpu_spec_t fifo = maxwell("fifo"), simt = maxwell("simt");
  const char *lanes = "stride:footprint=32M,lane=16K,blocks=30,warps=2,steps=4";
  seen_t f = run(&fifo, lanes, NULL), s = run(&simt, lanes, NULL);
  assert_true(s.policy.batched > 0);
  assert_true(s.cycles * 100 < f.cycles * 95);
}

/* Its age is how many have overtaken a walk. Those that came before it have not, however many: else
 * a queue longer than the limit would be in order of arrival. */
static void simt_age_is_of_those_that_came_later(void **state) {
  (void)state;
  walk_view_t view[8];
  for (uint32_t i = 0; i < 8; i++)
    view[i] = (walk_view_t){.instruction = i, .reads = i == 4 ? 4 : 1};
  simt_spec_t simt = {.age_walks = 2};
  walk_policy_stats_t stats[1] = {{0}};
  walk_env_t env = {
      .walkers = 1, .apps = 1, .walks = 8, .walk = view, .stats = stats, .simt = &simt};
  void *s = policy_of(&walk_simt, &env);
  assert_int_equal(walk_simt.arrive(s, 0), 0);
  for (uint32_t i = 1; i <= 4; i++) assert_int_equal(walk_simt.arrive(s, i), WALK_NONE);
  for (uint32_t i = 1; i <= 3; i++) assert_int_equal(walk_simt.next(s, 0, 0), i);
  for (uint32_t i = 5; i <= 7; i++) assert_int_equal(walk_simt.arrive(s, i), WALK_NONE);
  for (uint32_t i = 5; i <= 6; i++) assert_int_equal(walk_simt.next(s, 0, 0), i);
  assert_int_equal(stats[0].overtaken, 0);
  assert_int_equal(walk_simt.next(s, 0, 0), 4);
  assert_int_equal(stats[0].overtaken, 1);
  assert_int_equal(walk_simt.next(s, 0, 0), 7);
  assert_true(walk_simt.check(s));
  free(s);
}

/* The instruction with the most work waits longest; its age limits that. */
static void simt_makes_the_largest_wait(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 2), simt = busy_spec("simt", 2, 2);
  setn(&simt, "simt.age", 0);
  const char *mixed = "gather:footprint=16M,blocks=8,warps=8,steps=4";
  seen_t f = run(&fifo, HEAVY, mixed), s = run(&simt, HEAVY, mixed);
  assert_true(s.longest > f.longest);
  setn(&simt, "simt.age", 64);
  seen_t aged = run(&simt, HEAVY, mixed);
  assert_true(aged.policy.overtaken > 0);
  assert_true(aged.longest < s.longest);
}

/* ---- NHA ---- */

static void nha_reads_a_line_once_for_its_neighbours(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), nha = busy_spec("nha", 2, 4);
  seen_t f = run(&fifo, DENSE, NULL), n = run(&nha, DENSE, NULL);
  assert_true(n.memory * 100 < f.memory * 63); /* the paper says -37 % */
  assert_int_equal(n.reads + n.policy.shared, 4 * n.walks);
  assert_true(n.cycles < f.cycles);
}

/* With walkers enough for all, who is held back has its entry no earlier than L2 would have given
 * it, and begins its next read later. */
static void nha_costs_where_walkers_are_enough(void **state) {
  (void)state;
  gpu_spec_t fifo = maxwell("fifo"), nha = maxwell("nha");
  const char *stream = "stream:footprint=64M,blocks=60,warps=8,steps=16";
  seen_t f = run(&fifo, stream, NULL), n = run(&nha, stream, NULL);
  assert_true(n.policy.held > 0);
  assert_true(n.cycles > f.cycles);
}

/* Where no two walks need the same line there is nothing to share but the upper levels, and with a
 * page-walk cache not even those. */
static void nha_has_nothing_for_pages_that_lie_apart(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), nha = busy_spec("nha", 2, 4);
  set(&fifo, "walk.pwc", "true"), set(&nha, "walk.pwc", "true");
  const char *far = "chase:footprint=32M,lanes=1,blocks=2,warps=1,steps=40";
  seen_t f = run(&fifo, far, NULL), n = run(&nha, far, NULL);
  assert_true(n.policy.shared * 20 < n.reads);
  assert_true(n.cycles * 100 >= f.cycles * 99);
}

/* ---- Marching Page Walks ---- */

static void marching_has_several_walks_in_a_walker(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), march = busy_spec("marching", 2, 4);
  seen_t f = run(&fifo, DENSE, NULL), m = run(&march, DENSE, NULL);
  assert_int_equal(m.policy.batches + m.policy.joined, m.walks);
  assert_true(m.policy.joined > 2 * m.policy.batches); /* reported: 3.1 walks in a batch */
  assert_true(m.queue * 4 < f.queue * 3);
  assert_true(m.cycles < f.cycles);
}

/* Where walkers are nearly enough, more walks at once crowd each other out of L2, and a walk that
 * is dealt to a busy walker waits for the last of its batch. */
static void marching_costs_where_walkers_are_nearly_enough(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 16), march = busy_spec("marching", 2, 16);
  const char *few = "gather:footprint=16M,blocks=2,warps=1,steps=20";
  seen_t f = run(&fifo, few, NULL), m = run(&march, few, NULL);
  assert_true(m.cycles > f.cycles);
}

/* ---- LATPC ---- */

/* One walk of a group reads the upper levels for all. */
static void latpc_reads_upper_levels_once_for_a_group(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), latpc = busy_spec("latpc", 2, 4);
  seen_t f = run(&fifo, DENSE, NULL), l = run(&latpc, DENSE, NULL);
  assert_int_equal(l.policy.batches + l.policy.joined, l.walks);
  assert_true(l.policy.joined > 10 * l.policy.batches);
  assert_int_equal(l.reads + l.policy.spared, 4 * l.walks);
  assert_true(l.policy.spared > 2 * l.walks); /* three of four reads of most */
  assert_true(l.memory * 2 < f.memory);
  assert_true(l.cycles < f.cycles);
}

/* Walks that are spared the upper levels begin when these are known, not beside the walk that reads
 * them: also in a group that waited for its walker. */
static void latpc_waits_for_the_upper_levels(void **state) {
  (void)state;
  walk_view_t view[4] = {{.group = 1, .above = 800}};
  for (uint32_t i = 1; i < 4; i++) view[i] = (walk_view_t){.group = 2, .above = 1600};
  latpc_spec_t latpc = {.pages = 32, .region_pages = 512, .drain = 32};
  walk_policy_stats_t stats[1] = {{0}};
  walk_env_t env = {
      .walkers = 1, .apps = 1, .walks = 4, .walk = view, .stats = stats, .latpc = &latpc};
  void *s = policy_of(&walk_latpc, &env);
  assert_int_equal(walk_latpc.arrive(s, 0), 0); /* it has the only walker */
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(walk_latpc.arrive(s, i), WALK_NONE);
  walk_latpc.ended(s, 0);
  assert_int_equal(walk_latpc.next(s, 0, 0), 1);
  assert_false(walk_latpc.spared(s, 1));
  assert_int_equal(walk_latpc.next(s, 0, 1), WALK_NONE); /* the others wait for it */
  walk_latpc.ended(s, 1);
  for (uint32_t i = 2; i < 4; i++) {
    assert_int_equal(walk_latpc.next(s, 0, i - 2), i);
    assert_true(walk_latpc.spared(s, i));
  }
  assert_int_equal(walk_latpc.next(s, 0, 2), WALK_NONE);
  assert_true(walk_latpc.check(s));
  free(s);
}

/* A walker has a whole group before it takes the next walk: a program with one walk at a time waits
 * for the groups of the other. Where the walker drains them one by one, it waits longer. */
static void latpc_walks_cost_a_program_without_groups(void **state) {
  (void)state;
  gpu_spec_t wide = busy_spec("latpc", 2, 2), narrow = wide;
  setn(&narrow, "latpc.drain", 1);
  seen_t w = run(&wide, HEAVY, LIGHT), n = run(&narrow, HEAVY, LIGHT);
  assert_true(n.queue_of[1] > w.queue_of[1]);
  /* and no page of a random access shares a walk */
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), latpc = busy_spec("latpc", 2, 4);
  const char *random = "gather:footprint=16M,blocks=8,warps=4,steps=4";
  seen_t f = run(&fifo, random, NULL), l = run(&latpc, random, NULL);
  assert_true(l.policy.joined * 8 < l.walks);
  assert_true(l.cycles * 10 > f.cycles * 9);
}

/* With walkers enough for all nobody waits; in a group all wait for the first one's upper levels,
 * which each would have read meanwhile. */
static void latpc_walks_cost_where_walkers_are_enough(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 64), latpc = busy_spec("latpc", 2, 64);
  const char *groups = "stride:footprint=16M,lane=8K,blocks=2,warps=1,steps=8";
  seen_t f = run(&fifo, groups, NULL), l = run(&latpc, groups, NULL);
  assert_int_equal(f.longest, 0);
  assert_true(l.longest > 0 && l.policy.joined * 10 > 9 * l.walks);
  assert_true(l.cycles > f.cycles);
}

/* ---- SoftWalker ---- */

/* Places of SMs are many where walkers are few. */
static void softwalker_has_as_many_walks_as_sms_have_places(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 4), soft = busy_spec("softwalker", 2, 4);
  seen_t f = run(&fifo, DENSE, NULL), s = run(&soft, DENSE, NULL);
  assert_int_equal(s.policy.on_sms, s.walks);
  assert_int_equal(s.policy.issue_slots, 26 * s.walks); /* of four levels */
  assert_true(s.queue * 4 < f.queue);
  assert_true(s.cycles < f.cycles);
}

/* Instructions of walks issue before those of programs: one that computes is slower by as much. */
static void softwalker_costs_issue_slots(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 64), soft = busy_spec("softwalker", 2, 64);
  const char *computes = "compute:footprint=4K,blocks=8,warps=8,steps=400";
  seen_t f = run(&fifo, HEAVY, computes), s = run(&soft, HEAVY, computes);
  assert_true(s.structural_of[1] > f.structural_of[1]);
  assert_true(s.cycles > f.cycles);
}

/* With walkers enough, none of the ways to SMs and back is worth it; hybrid takes none. */
static void softwalker_costs_where_walkers_are_enough(void **state) {
  (void)state;
  gpu_spec_t fifo = busy_spec("fifo", 2, 64), soft = busy_spec("softwalker", 2, 64);
  seen_t f = run(&fifo, LIGHT, NULL), s = run(&soft, LIGHT, NULL);
  assert_true(s.cycles > f.cycles);
  set(&soft, "soft.hybrid", "true");
  seen_t h = run(&soft, LIGHT, NULL);
  assert_int_equal(h.policy.on_sms, 0);
  assert_int_equal(h.cycles, f.cycles);
}

static void softwalker_needs_walks_that_read(void **state) {
  (void)state;
  gpu_spec_t s = busy_spec("softwalker", 1, 4);
  setn(&s, "walk.fixed", 150);
  source_t *src = generator(LIGHT);
  app_spec_t app = {.name = "a", .source = src};
  err_t e = {0};
  gpu_t *g;
  assert_true(gpu_new(&s, &app, 1, &g, &e) < 0);
  assert_non_null(strstr(e.text, "walk.fixed=150 has none"));
  src->ops->free(src);
}

/* ---- whatever happens to pages ---- */

static const struct {
  const char *settings, *app[2];
} weather[] = {
    {"mem.paging=demand link.fault=300 mem.faults=3", {DENSE, LIGHT}},
    {"mem.paging=demand link.fault=300 mem.evict=lru mem.bytes=4M mem.prefetch=block "
     "mem.shootdown=7",
     {"stride:footprint=6M,lane=4K,blocks=4,warps=4,steps=4", LIGHT}},
    {"mem.paging=demand link.fault=300 mem.evict=lru mem.bytes=4M walk.pwc=true",
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
    {"walk.fixed=150 walk.pwc=true", {DENSE, LIGHT}},
    {"walk.read=100", {DENSE, LIGHT}},
    {"tlb.levels=1 walk.pwc=true walk.pwc_leaf=true walk.pwc_bytes=64 walk.pwc_ways=4",
     {DENSE, SPARSE}},
    {"tlb.levels=4 l3tlb.entries=16 l4tlb.entries=16 l3tlb.ways=4 l4tlb.ways=4 l4tlb.mshrs=9",
     {DENSE, SPARSE}},
    {"dram.scheduler=mask run.epoch=500 walk.threads=1", {DENSE, LIGHT}},
    {"share.mode=time share.quantum=300", {DENSE, LIGHT}},
    {"gpu.gpcs=1;1;1;1 gpu.mig=4 share.mode=mig share.mig=2;2 gpu.sms=4 dram.channels=4 "
     "l2.bytes=64K mem.manager=mixed mem.format=pascal mem.fragment_index=90 observe.walks=4",
     {"gather:footprint=1984K,blocks=4,warps=4,steps=4",
      "gather:footprint=8M,blocks=4,warps=4,steps=4"}},
};

static void every_walk_ends_whatever_happens_to_pages(void **state) {
  (void)state;
  for (uint32_t p = 0; walk_policy_all[p]; p++)
    for (size_t i = 0; i < sizeof weather / sizeof *weather; i++) {
      gpu_spec_t s = busy_spec(walk_policy_all[p]->name, 2, 3);
      put_all(&s, weather[i].settings);
      if (walk_policy_all[p]->on_sms) setn(&s, "walk.fixed", 0);
      gpu_t *g = run_weather(&s, weather[i].app[0], weather[i].app[1]);
      uint64_t walks = g->walker.stats[0].walks + g->walker.stats[1].walks;
      if (walks < 50) fail_msg("case %zu has %llu walks", i, (unsigned long long)walks);
      gpu_free(g);
    }
}

/* Pages that move while walks for them wait or are under way. */
static void walks_follow_pages_that_move(void **state) {
  (void)state;
  for (uint32_t p = 0; walk_policy_all[p]; p++) {
    gpu_spec_t s = busy_spec(walk_policy_all[p]->name, 2, 1);
    run_pages_that_move(&s);
  }
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
  gpu_spec_t s = busy_spec("marching", 2, 32);
  set(&s, "mem.bytes", "4G");
  assert_int_equal(bytes_of(&s, "marching"), 32 * 48 + 32 * 8 * (3 + 27 + 1) / 8);
  set(&s, "walk.policy", "fifo");
  assert_int_equal(bytes_of(&s, "marching"), 0);
  set(&s, "walk.policy", "nha");
  assert_int_equal(bytes_of(&s, "nha"), (256 + 32) * (3 + 27 + 1) / 8);
  set(&s, "walk.policy", "dws-plus");
  assert_int_equal(bytes_of(&s, "dws"), 32 * (9 + 4) / 8); /* twelve and none */
  assert_true(bytes_of(&s, "dws-plus") > 0);
  set(&s, "walk.policy", "simt");
  assert_true(bytes_of(&s, "simt") > 0);
  set(&s, "walk.policy", "latpc");
  assert_int_equal(bytes_of(&s, "latpc-walk"), 256 * (9 + 32 + 27) / 8);
  set(&s, "walk.policy", "softwalker");
  assert_int_equal(bytes_of(&s, "softwalker"), (2 * 6 + 7) / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dws_keeps_a_light_program_from_waiting),
      cmocka_unit_test(dws_leaves_no_walker_idle),
      cmocka_unit_test(dws_costs_where_the_order_of_arrival_was_good),
      cmocka_unit_test(dws_plus_steals_though_its_own_queue_is_not_empty),
      cmocka_unit_test(dws_plus_steals_on_a_gpu_of_many_walkers),
      cmocka_unit_test(dws_deals_walkers_of_an_instance_to_its_application),
      cmocka_unit_test(simt_serves_the_least_work_first),
      cmocka_unit_test(simt_gains_where_a_warp_waits_for_all_its_walks),
      cmocka_unit_test(simt_age_is_of_those_that_came_later),
      cmocka_unit_test(simt_makes_the_largest_wait),
      cmocka_unit_test(nha_reads_a_line_once_for_its_neighbours),
      cmocka_unit_test(nha_costs_where_walkers_are_enough),
      cmocka_unit_test(nha_has_nothing_for_pages_that_lie_apart),
      cmocka_unit_test(marching_has_several_walks_in_a_walker),
      cmocka_unit_test(marching_costs_where_walkers_are_nearly_enough),
      cmocka_unit_test(latpc_reads_upper_levels_once_for_a_group),
      cmocka_unit_test(latpc_waits_for_the_upper_levels),
      cmocka_unit_test(latpc_walks_cost_a_program_without_groups),
      cmocka_unit_test(latpc_walks_cost_where_walkers_are_enough),
      cmocka_unit_test(softwalker_has_as_many_walks_as_sms_have_places),
      cmocka_unit_test(softwalker_costs_issue_slots),
      cmocka_unit_test(softwalker_costs_where_walkers_are_enough),
      cmocka_unit_test(softwalker_needs_walks_that_read),
      cmocka_unit_test(every_walk_ends_whatever_happens_to_pages),
      cmocka_unit_test(walks_follow_pages_that_move),
      cmocka_unit_test(their_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
