/* Dynamic walk stealing (DWS, HPCA'21) and DWS++. Walker i belongs to application i modulo their
 * number, and has a queue of its own. A walk is taken by any idle walker, else it goes to the
 * shortest queue of its application's walkers. A walker that is free takes from its own queue; else
 * from the longest one of its application's; else from the longest one of the others: it steals.
 * DWS++ also steals while its own queue is not empty, if that is nearly so and the others have much
 * more to do; how much more is chosen again after each epoch of walks.
 *
 * Where all queues of an application are full, its walks wait before them, and nobody else's do. */
#include "walk/walkpolicy.h"

const opt_t dws_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(dws_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(queue_entries, "queue", 0, 65536, 0, "walks",
        "in the queues of all walkers, each has an equal part and at least one; 0: 12 for each, as "
        "the release has with its 192 for 16"),
    U32(epoch_walks, "epoch", 1, 1000000, 2048, "walks",
        "dws-plus: after so many the threshold is chosen again (a guess)"),
    U32(steals, "steals", 0, 1000, 4, "walks",
        "dws-plus: stolen in a row, at most, while the own queue is not empty (a guess)"),
    U32(own_percent, "own", 0, 100, 25, "%",
        "dws-plus: fullest that the own queue may be to steal all the same (a guess)"),
#undef U32
    {0},
};

/* DWS++: how much fuller the others' queues must be, in percent, by the ratio of the most walks of
 * an application in the last epoch to the fewest. The release names five steps; these are guesses.
 */
static const struct {
  uint32_t below_ratio, percent;
} ladder[] = {{2, 50}, {4, 40}, {8, 30}, {16, 20}, {UINT32_MAX, 10}};

typedef struct {
  walk_env_t env;
  uint32_t entries;                  /* of a queue */
  uint32_t threshold;                /* percent */
  uint32_t epoch;                    /* walks of the epoch so far */
  uint64_t epoch_of[GMMU_MAX_APPS];  /* the same by application */
  walk_list_t before[GMMU_MAX_APPS]; /* walks that found all queues full */
  uint32_t occupied[GMMU_MAX_APPS];  /* walks in an application's queues */
  walker_set_t idle;
  walk_list_t *queue; /* [walker] */
  uint32_t *steals;   /* [walker]: in a row */
  walk_link_t *link;  /* [walk] */
} dws_t;

#define RELEASE_ENTRIES (192 / 16)
uint32_t dws_entries(const dws_spec_t *d, uint32_t walkers) {
  if (!d->queue_entries) return RELEASE_ENTRIES;
  return d->queue_entries < walkers ? 1 : d->queue_entries / walkers;
}

static uint32_t owner_of(const dws_t *d, uint32_t walker) {
  return d->env.first_app + walker % d->env.apps;
}
/* The application that comes `i` places after `app`, and then from the first again. */
static uint32_t app_after(const dws_t *d, uint32_t app, uint32_t i) {
  return d->env.first_app + (app - d->env.first_app + i) % d->env.apps;
}

static size_t dws_bytes(const walk_env_t *env) {
  return sizeof(dws_t) + env->walks * sizeof(walk_link_t) +
         env->walkers * (sizeof(walk_list_t) + sizeof(uint32_t));
}

static void dws_init(void *state, const walk_env_t *env) {
  dws_t *d = state;
  d->env = *env;
  d->entries = dws_entries(env->dws, env->walkers);
  d->threshold = 100;
  d->link = (walk_link_t *)(void *)(d + 1);
  d->queue = (walk_list_t *)(void *)(d->link + env->walks);
  d->steals = (uint32_t *)(void *)(d->queue + env->walkers);
  for (uint32_t w = 0; w < env->walkers; w++) {
    d->queue[w] = walk_list_empty();
    d->steals[w] = env->dws->steals;
  }
  for (uint32_t a = 0; a < GMMU_MAX_APPS; a++) d->before[a] = walk_list_empty();
  walker_set_all(&d->idle, env->walkers);
}

/* Of application `app` (`others`: of all but it), the longest queue that is not empty. */
static uint32_t longest(const dws_t *d, uint32_t app, bool others) {
  uint32_t best = WALK_NONE;
  for (uint32_t w = 0; w < d->env.walkers; w++)
    if ((owner_of(d, w) == app) != others && d->queue[w].count &&
        (best == WALK_NONE || d->queue[w].count > d->queue[best].count))
      best = w;
  return best;
}

/* May a walk of `app` wait there? An application without a walker of its own, because there are too
 * few, has one of the others'. */
static bool fits(const dws_t *d, uint32_t walker, uint32_t app) {
  return owner_of(d, walker) == app || walker == (app - d->env.first_app) % d->env.walkers;
}

static uint32_t shortest(const dws_t *d, uint32_t app) {
  uint32_t best = WALK_NONE;
  for (uint32_t w = 0; w < d->env.walkers; w++)
    if (fits(d, w, app) && d->queue[w].count < d->entries &&
        (best == WALK_NONE || d->queue[w].count < d->queue[best].count))
      best = w;
  return best;
}

static void count_epoch(dws_t *d, uint32_t app) {
  d->epoch_of[app]++;
  if (++d->epoch < d->env.dws->epoch_walks) return;
  uint64_t most = 0, least = UINT64_MAX;
  for (uint32_t a = d->env.first_app; a < d->env.first_app + d->env.apps; a++) {
    if (d->epoch_of[a] > most) most = d->epoch_of[a];
    if (d->epoch_of[a] < least) least = d->epoch_of[a];
    d->epoch_of[a] = 0;
  }
  uint32_t i = 0;
  while (ladder[i].below_ratio != UINT32_MAX && (!least || most / least >= ladder[i].below_ratio))
    i++;
  d->threshold = ladder[i].percent;
  d->epoch = 0;
}

static void put(dws_t *d, uint32_t walker, uint32_t walk) {
  walk_list_append(&d->queue[walker], d->link, walk);
  d->occupied[d->env.walk[walk].asid]++;
}

static uint32_t dws_arrive(void *state, uint32_t walk) {
  dws_t *d = state;
  asid_t app = d->env.walk[walk].asid;
  count_epoch(d, app);
  uint32_t walker = walker_set_take(&d->idle, d->env.walkers);
  if (walker != WALK_NONE) return walker;
  walker = shortest(d, app);
  if (walker != WALK_NONE) {
    put(d, walker, walk);
  } else {
    d->env.stats[app].full++;
    walk_list_append(&d->before[app], d->link, walk);
  }
  return WALK_NONE;
}

/* A place in the queue is free: one that waited before it has it, first of application `app`. */
static void refill(dws_t *d, uint32_t queue, uint32_t app) {
  for (uint32_t i = 0; i < d->env.apps; i++) {
    uint32_t a = app_after(d, app, i);
    if (!d->before[a].count || !fits(d, queue, a)) continue;
    put(d, queue, walk_list_pop(&d->before[a], d->link));
    return;
  }
}

static uint32_t take(dws_t *d, uint32_t walker, uint32_t queue) {
  uint32_t walk = walk_list_pop(&d->queue[queue], d->link);
  asid_t app = d->env.walk[walk].asid;
  d->occupied[app]--;
  refill(d, queue, app);
  d->env.stats[app].stolen += owner_of(d, walker) != app;
  return walk;
}

static uint32_t queue_for(const dws_t *d, uint32_t walker) {
  uint32_t app = owner_of(d, walker), queue = walker;
  if (!d->queue[walker].count) queue = longest(d, app, false);
  return queue != WALK_NONE ? queue : longest(d, app, true);
}

static uint32_t dws_next(void *state, uint32_t walker, uint32_t begun) {
  dws_t *d = state;
  uint32_t queue = begun ? WALK_NONE : queue_for(d, walker);
  if (queue != WALK_NONE) return take(d, walker, queue);
  if (!begun) walker_set_put(&d->idle, walker);
  return WALK_NONE;
}

/* How full the queues of an application are, in percent; they are a part of all. */
static uint32_t fullness(const dws_t *d, uint32_t app) {
  uint32_t walkers = d->env.walkers / d->env.apps;
  uint32_t places = (walkers ? walkers : 1) * d->entries;
  return (uint32_t)((uint64_t)d->occupied[app] * 100 / places);
}

/* The application whose queues are fuller than those of `app` by more than the threshold, and
 * fullest. */
static uint32_t busier(const dws_t *d, uint32_t app) {
  uint32_t best = WALK_NONE, most = fullness(d, app) + d->threshold;
  for (uint32_t a = d->env.first_app; a < d->env.first_app + d->env.apps; a++)
    if (a != app && fullness(d, a) > most) best = a, most = fullness(d, a);
  return best;
}

static uint32_t dws_plus_next(void *state, uint32_t walker, uint32_t begun) {
  dws_t *d = state;
  if (begun) return WALK_NONE;
  bool may = d->steals[walker] < d->env.dws->steals &&
             d->queue[walker].count * 100 <= d->env.dws->own_percent * d->entries;
  uint32_t other = may ? busier(d, owner_of(d, walker)) : WALK_NONE;
  uint32_t queue = other != WALK_NONE ? longest(d, other, false) : WALK_NONE;
  if (queue == WALK_NONE) {
    d->steals[walker] = 0;
    return dws_next(state, walker, begun);
  }
  d->steals[walker]++;
  d->env.stats[other].early += d->queue[walker].count != 0;
  return take(d, walker, queue);
}

/* Nobody waits while a walker is idle, nor before a queue that has a place. */
static bool dws_check(const void *state) {
  const dws_t *d = state;
  uint32_t waiting = 0, idle = 0;
  for (uint32_t w = 0; w < d->env.walkers; w++) {
    waiting += d->queue[w].count;
    idle += walker_set_has(&d->idle, w);
    if (d->queue[w].count > d->entries) return false;
  }
  uint32_t occupied = 0;
  for (uint32_t a = 0; a < GMMU_MAX_APPS; a++) occupied += d->occupied[a];
  return occupied == waiting && (!waiting || !idle);
}

const walk_policy_t walk_dws = {
    .name = "dws",
    .help = "a queue for each walker, walkers dealt to applications; an idle one steals (DWS)",
    .state_bytes = dws_bytes,
    .init = dws_init,
    .arrive = dws_arrive,
    .next = dws_next,
    .check = dws_check,
};
const walk_policy_t walk_dws_plus = {
    .name = "dws-plus",
    .help = "dws, and a walker with little to do steals from applications with much (DWS++)",
    .state_bytes = dws_bytes,
    .init = dws_init,
    .arrive = dws_arrive,
    .next = dws_plus_next,
    .check = dws_check,
};
