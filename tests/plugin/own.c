/* A policy of every kind that has options and counters of its own: NAME.every says which of its
 * decisions is otherwise, `calls` and `other` count them. Built by test_plugin.sh against installed
 * headers. */
#include "assoc/repl.h"
#include "cache/l2policy.h"
#include "dram/dram.h"
#include "sm/sched.h"
#include "tlb/fill.h"
#include "tlb/peer.h"
#include "walk/walkpolicy.h"
#include <gmmu/plugin.h>

typedef struct {
  uint32_t every;
} options_t;
static const opt_t options[] = {
    {"every", OPT_U32, offsetof(options_t, every), 1, 1000, 4, "decisions",
     "one in so many is otherwise", NULL, NULL},
    {0},
};
typedef struct {
  uint64_t calls, other;
} counts_t;
static const stat_desc_t counters[] = {
    STAT_DESC(counts_t, calls, "decisions", "that it was asked for"),
    STAT_DESC(counts_t, other, "decisions", "of these, otherwise than usual"),
    {0},
};

/* Counts a decision that is otherwise, or not. */
static bool count(const policy_mine_t *m, uint32_t app, bool is) {
  counts_t *c = policy_counters(m, app);
  c->calls++, c->other += is;
  return is;
}
static uint32_t every(const policy_mine_t *m) { return ((const options_t *)m->options)->every; }

/* Every state begins so. */
typedef struct {
  const policy_mine_t *mine;
  uint32_t calls;
} state_t;
static void give(void *state, const policy_mine_t *mine) { ((state_t *)state)->mine = mine; }
static bool other(state_t *s, uint32_t app) {
  return count(s->mine, app, s->calls++ % every(s->mine) == 0);
}
#define OWN(apps)                                                                                  \
  {                                                                                                \
    .options = options, .options_bytes = sizeof(options_t), .counters = counters,                  \
    .counters_bytes = sizeof(counts_t), .per_app = apps, .give = give                              \
  }
static const policy_own_t own_repl = OWN(false), own_sched = OWN(false), own_fill = OWN(true),
                          own_peer = OWN(true), own_l2 = OWN(true), own_dram = OWN(true),
                          own_walk = OWN(true);

/* ---- replacement: way 0, or the last ---- */
typedef struct {
  state_t own;
  uint32_t ways;
} repl_t;
static size_t repl_bytes(uint32_t sets, uint32_t ways) {
  return (void)sets, (void)ways, sizeof(repl_t);
}
static void repl_init(void *state, uint32_t sets, uint32_t ways) {
  (void)sets, ((repl_t *)state)->ways = ways;
}
static void repl_hit(void *state, uint32_t set, uint32_t way) { (void)state, (void)set, (void)way; }
static void repl_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  (void)hint, repl_hit(state, set, way);
}
static uint32_t repl_victim(void *state, uint32_t set, uint32_t hint) {
  repl_t *s = state;
  (void)set, (void)hint;
  return other(&s->own, 0) ? s->ways - 1 : 0;
}
static const repl_ops_t repl = {.name = "own-repl",
                                .help = "the first way, or the last",
                                .state_bytes = repl_bytes,
                                .init = repl_init,
                                .hit = repl_hit,
                                .fill = repl_fill,
                                .victim = repl_victim,
                                .own = &own_repl};

/* ---- warps: the oldest, or the youngest ---- */
static uint32_t sched_choose(const policy_mine_t *mine, uint64_t eligible, uint32_t last) {
  (void)last;
  bool is = (uint32_t)__builtin_popcountll(eligible) % every(mine) == 0;
  return count(mine, 0, is) ? 63 - (uint32_t)__builtin_clzll(eligible)
                            : (uint32_t)__builtin_ctzll(eligible);
}
static const sched_ops_t sched = {.name = "own-sched",
                                  .help = "the oldest, or the youngest",
                                  .choose = sched_choose,
                                  .own = &own_sched};

/* ---- fills: all, or not ---- */
static size_t fill_bytes(const fill_env_t *env) { return (void)env, sizeof(state_t); }
static bool fill_allow(void *state, const fill_ctx_t *c) { return !other(state, c->asid); }
static const fill_ops_t fill = {.name = "own-fill",
                                .help = "all but some",
                                .state_bytes = fill_bytes,
                                .allow = fill_allow,
                                .own = &own_fill};

/* ---- peers: the right neighbour, or nobody ---- */
typedef struct {
  state_t own;
  uint32_t tlbs;
} peer_t;
static size_t peer_bytes(const peer_env_t *env) { return (void)env, sizeof(peer_t); }
static void peer_init(void *state, const peer_env_t *env) { ((peer_t *)state)->tlbs = env->tlbs; }
static peer_way_t peer_next(void *state, const peer_query_t *q) {
  peer_t *s = state;
  if (q->attempt || other(&s->own, q->asid)) return (peer_way_t){.tlb = PEER_NONE};
  return (peer_way_t){
      .tlb = peer_right(q->tlb, s->tlbs), .port = PEER_FROM_LEFT, .there = 1, .back = 1};
}
static const peer_ops_t peer = {.name = "own-peer",
                                .help = "the right neighbour, or nobody",
                                .state_bytes = peer_bytes,
                                .init = peer_init,
                                .next = peer_next,
                                .own = &own_peer};

/* ---- L2: looks and fills, or only looks ---- */
static size_t l2_bytes(const l2_env_t *env) { return (void)env, sizeof(state_t); }
static l2_decision_t l2_decide(void *state, const l2_view_t *v) {
  return other(state, v->app) ? L2_NO_FILL : L2_NORMAL;
}
static const l2_policy_t l2 = {.name = "own-l2",
                               .help = "some do not fill",
                               .state_bytes = l2_bytes,
                               .decide = l2_decide,
                               .own = &own_l2};

/* ---- DRAM: the oldest, or the lowest bank; what it decides is counted when it is served ---- */
typedef struct {
  state_t own;
  bool lowest;
} dram_own_t;
static size_t dram_bytes(const dram_spec_t *spec) { return (void)spec, sizeof(dram_own_t); }
static int dram_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  return ((dram_own_t *)state)->lowest ? __builtin_ctz(ready) : dram_bank_of(dram_oldest(c, ready));
}
static void dram_served(void *state, const dram_access_t *a) {
  ((dram_own_t *)state)->lowest = other(state, a->app);
}
static const dram_sched_ops_t dram = {.name = "own-dram",
                                      .help = "the oldest, or the lowest bank",
                                      .queues = 1,
                                      .row_first = {true},
                                      .state_bytes = dram_bytes,
                                      .choose = dram_choose,
                                      .served = dram_served,
                                      .own = &own_dram};

/* ---- walks: in order, or the walk that came last ---- */
typedef struct {
  state_t own;
  walk_env_t env;
  walker_set_t idle;
  walk_list_t waits;
  walk_link_t link[];
} walks_t;
static size_t walk_bytes(const walk_env_t *env) {
  return sizeof(walks_t) + env->walks * sizeof(walk_link_t);
}
static void walk_init(void *state, const walk_env_t *env) {
  walks_t *s = state;
  s->env = *env;
  s->waits = walk_list_empty();
  walker_set_all(&s->idle, env->walkers);
}
static uint32_t walk_arrive(void *state, uint32_t walk) {
  walks_t *s = state;
  uint32_t walker = walker_set_take(&s->idle, s->env.walkers);
  if (walker == WALK_NONE) walk_list_append(&s->waits, s->link, walk);
  return walker;
}
static uint32_t walk_next(void *state, uint32_t walker, uint32_t begun) {
  walks_t *s = state;
  if (begun) return WALK_NONE;
  if (!s->waits.count) {
    walker_set_put(&s->idle, walker);
    return WALK_NONE;
  }
  if (!other(&s->own, s->env.walk[s->waits.head].asid)) return walk_list_pop(&s->waits, s->link);
  uint32_t walk = s->waits.tail;
  walk_list_remove(&s->waits, &s->link[walk], s->link);
  return walk;
}
static const walk_policy_t walk = {.name = "own-walk",
                                   .help = "in order, or the last",
                                   .state_bytes = walk_bytes,
                                   .init = walk_init,
                                   .arrive = walk_arrive,
                                   .next = walk_next,
                                   .own = &own_walk};

GMMU_PLUGIN("own", GMMU_POLICY("replacement", repl), GMMU_POLICY("warp-scheduler", sched),
            GMMU_POLICY("tlb-fill", fill), GMMU_POLICY("tlb-peer", peer),
            GMMU_POLICY("l2-insertion", l2), GMMU_POLICY("dram-scheduler", dram),
            GMMU_POLICY("walk-scheduler", walk));
