/* LATPC's walks (MICRO'25): walks of a group of pages (tlb/mshr.h) are one entry of the walk
 * buffer. Its first walk reads the page table from the root; the others wait for it without a
 * walker, then the same walker reads their last entries one after the other. A walk joins its group
 * until the last of them is over.
 *
 * Invariant: a group is in a bucket from its first walk's arrival to the end of its last walk. It
 * waits in `ready` until a walker has it, and its other walks in `members`. */
#include "assoc/assoc.h"
#include "walk/walkpolicy.h"

typedef struct {
  uint64_t key;        /* address space, size and first page */
  uint64_t above;      /* where its first walk's table is named */
  walk_list_t members; /* that wait; linked through `link` */
  uint32_t first;      /* walk, until it is over */
  uint32_t under_way;
  uint32_t chain; /* next in its bucket, or free */
  int16_t stride;
} latpc_group_t;

typedef struct {
  walk_env_t env;
  walker_set_t idle;
  walk_list_t ready; /* groups without a walker, linked through `place` */
  uint32_t shift;    /* of a hash, to a bucket */
  uint32_t free;     /* groups */
  latpc_group_t *group;
  walk_link_t *link, *place; /* [walk], [group] */
  uint32_t *group_of;        /* [walk] */
  uint32_t *has;             /* [walker]: its group */
  uint32_t *bucket;
} latpc_t;

static size_t latpc_bytes(const walk_env_t *env) {
  return sizeof(latpc_t) +
         env->walks * (sizeof(latpc_group_t) + 2 * sizeof(walk_link_t) + sizeof(uint32_t)) +
         env->walkers * sizeof(uint32_t) + (sizeof(uint32_t) << walk_bucket_bits(env->walks));
}

static void latpc_init(void *state, const walk_env_t *env) {
  latpc_t *s = state;
  s->env = *env;
  s->group = (latpc_group_t *)(void *)(s + 1);
  s->link = (walk_link_t *)(void *)(s->group + env->walks);
  s->place = s->link + env->walks;
  s->group_of = (uint32_t *)(void *)(s->place + env->walks);
  s->has = s->group_of + env->walks;
  s->bucket = s->has + env->walkers;
  s->shift = 64 - walk_bucket_bits(env->walks);
  s->ready = walk_list_empty();
  for (uint32_t i = 0; i < 1u << walk_bucket_bits(env->walks); i++) s->bucket[i] = WALK_NONE;
  for (uint32_t i = 0; i < env->walks; i++) s->group[i].chain = i + 1;
  for (uint32_t i = 0; i < env->walkers; i++) s->has[i] = WALK_NONE;
  walker_set_all(&s->idle, env->walkers);
}

static uint32_t *bucket_of(const latpc_t *s, uint64_t key) {
  return &s->bucket[assoc_hash(key) >> s->shift];
}

/* The group that the walk belongs to, or WALK_NONE. One without a stride takes that of the walk. */
static uint32_t find(const latpc_t *s, const walk_view_t *v) {
  uint32_t g = *bucket_of(s, v->group);
  while (g != WALK_NONE && (s->group[g].key != v->group ||
                            (s->group[g].stride && v->stride && s->group[g].stride != v->stride)))
    g = s->group[g].chain;
  return g;
}

static uint32_t new_group(latpc_t *s, const walk_view_t *v, uint32_t walk) {
  uint32_t g = s->free, *bucket = bucket_of(s, v->group);
  s->free = s->group[g].chain;
  s->group[g] = (latpc_group_t){.key = v->group,
                                .above = v->above,
                                .members = walk_list_empty(),
                                .first = walk,
                                .chain = *bucket,
                                .stride = v->stride};
  *bucket = g;
  return g;
}

static void give_group(latpc_t *s, uint32_t g) {
  uint32_t *link = bucket_of(s, s->group[g].key);
  while (*link != g) link = &s->group[*link].chain;
  *link = s->group[g].chain;
  s->group[g].chain = s->free;
  s->free = g;
}

/* `walker` has the group, and begins its first walk. */
static uint32_t begin_group(latpc_t *s, uint32_t walker, uint32_t g) {
  s->has[walker] = g;
  s->group[g].under_way = 1;
  return s->group[g].first;
}

static uint32_t latpc_arrive(void *state, uint32_t walk) {
  latpc_t *s = state;
  const walk_view_t *v = &s->env.walk[walk];
  uint32_t g = find(s, v);
  if (g != WALK_NONE) {
    latpc_group_t *own = &s->group[g];
    if (v->stride) own->stride = v->stride;
    s->env.stats[v->asid].joined++;
    s->group_of[walk] = g;
    walk_list_append(&own->members, s->link, walk);
    return WALK_NONE;
  }
  uint32_t walker = walker_set_take(&s->idle, s->env.walkers);
  g = s->group_of[walk] = new_group(s, v, walk);
  s->env.stats[v->asid].batches++;
  if (walker == WALK_NONE)
    walk_list_append(&s->ready, s->place, g);
  else
    begin_group(s, walker, g);
  return walker;
}

/* Those of the walker's own group first, once its first walk has read the upper levels for them. */
static uint32_t latpc_next(void *state, uint32_t walker, uint32_t begun) {
  latpc_t *s = state;
  uint32_t g = s->has[walker];
  if (begun && s->group[g].first != WALK_NONE) return WALK_NONE;
  if (g != WALK_NONE && begun < s->env.latpc->drain) {
    uint32_t walk = walk_list_pop(&s->group[g].members, s->link);
    if (walk != WALK_NONE) s->group[g].under_way++;
    if (walk != WALK_NONE || begun) return walk;
    give_group(s, g);
    s->has[walker] = WALK_NONE;
  }
  if (begun) return WALK_NONE;
  g = walk_list_pop(&s->ready, s->place);
  if (g != WALK_NONE) return begin_group(s, walker, g);
  walker_set_put(&s->idle, walker);
  return WALK_NONE;
}

/* The first walk of its group has read all but the last entry, if they are in one table. */
static bool latpc_spared(void *state, uint32_t walk) {
  latpc_t *s = state;
  const walk_view_t *v = &s->env.walk[walk];
  const latpc_group_t *g = &s->group[s->group_of[walk]];
  return g->first != walk && g->above == v->above && v->above != WALK_NO_LINE;
}

static void latpc_ended(void *state, uint32_t walk) {
  latpc_t *s = state;
  latpc_group_t *g = &s->group[s->group_of[walk]];
  g->under_way--;
  if (g->first == walk) g->first = WALK_NONE; /* its number may be another's soon */
}

static bool latpc_check(const void *state) {
  const latpc_t *s = state;
  uint32_t groups = 0, had = 0;
  for (uint32_t i = 0; i <= UINT64_MAX >> s->shift; i++)
    for (uint32_t g = s->bucket[i]; g != WALK_NONE; g = s->group[g].chain) groups++;
  for (uint32_t i = 0; i < s->env.walkers; i++) {
    had += s->has[i] != WALK_NONE;
    if (s->has[i] != WALK_NONE && walker_set_has(&s->idle, i)) return false;
  }
  return groups == had + s->ready.count;
}

const walk_policy_t walk_latpc = {
    .name = "latpc",
    .help = "walks of a group of pages share the upper levels, and one walker (LATPC)",
    .state_bytes = latpc_bytes,
    .init = latpc_init,
    .arrive = latpc_arrive,
    .next = latpc_next,
    .spared = latpc_spared,
    .ended = latpc_ended,
    .check = latpc_check,
};
