/* Marching Page Walks (HPCA'25): a walker has several walks under way. Walks are dealt to the
 * walkers in turn, each of which has places for a few. A walker that is free takes the oldest of
 * its own, and with it all others of them that begin at the same level of the page table; their
 * reads go out one after the other, each walk goes on by itself, and the walker is free when the
 * last of them is over. */
#include "walk/walkpolicy.h"

const opt_t marching_options[] = {
    {"entries", OPT_U32, offsetof(marching_spec_t, entries), 1, 256, 8, "walks",
     "that a walker has places for, waiting or under way", NULL, NULL}, /* reported: 256 for 32 */
    {"batch", OPT_U32, offsetof(marching_spec_t, batch), 1, 256, 8, "walks",
     "that a walker begins together, at most", NULL, NULL}, /* reported */
    {0},
};

typedef struct {
  walk_list_t waits;
  uint32_t taken; /* places */
  uint8_t level;  /* of the batch that is being begun */
} part_t;

typedef struct {
  walk_env_t env;
  walker_set_t idle;
  walk_list_t before; /* walks that found no place */
  uint32_t turn;      /* the walker that is dealt the next walk */
  part_t *part;       /* [walker] */
  walk_link_t *link;  /* [walk] */
  uint32_t *walker;   /* [walk]: whose place it has */
} marching_t;

static size_t marching_bytes(const walk_env_t *env) {
  return sizeof(marching_t) + env->walkers * sizeof(part_t) +
         env->walks * (sizeof(walk_link_t) + sizeof(uint32_t));
}

static void marching_init(void *state, const walk_env_t *env) {
  marching_t *m = state;
  m->env = *env;
  m->before = walk_list_empty();
  m->part = (part_t *)(void *)(m + 1);
  m->link = (walk_link_t *)(void *)(m->part + env->walkers);
  m->walker = (uint32_t *)(void *)(m->link + env->walks);
  for (uint32_t w = 0; w < env->walkers; w++) m->part[w].waits = walk_list_empty();
  walker_set_all(&m->idle, env->walkers);
}

/* The next walker in turn with a place; WALK_NONE: there is none. */
static uint32_t deal(marching_t *m) {
  for (uint32_t i = 0; i < m->env.walkers; i++) {
    uint32_t walker = m->turn;
    m->turn = m->turn + 1 == m->env.walkers ? 0 : m->turn + 1;
    if (m->part[walker].taken < m->env.marching->entries) return walker;
  }
  return WALK_NONE;
}

static void place(marching_t *m, uint32_t walker, uint32_t walk) {
  m->part[walker].taken++;
  m->walker[walk] = walker;
}

static uint32_t marching_arrive(void *state, uint32_t walk) {
  marching_t *m = state;
  walk_policy_stats_t *st = &m->env.stats[m->env.walk[walk].asid];
  uint32_t walker = deal(m);
  if (walker == WALK_NONE) {
    st->full++;
    walk_list_append(&m->before, m->link, walk);
    return WALK_NONE;
  }
  place(m, walker, walk);
  if (walker_set_has(&m->idle, walker)) {
    walker_set_drop(&m->idle, walker);
    st->batches++;
    return walker;
  }
  walk_list_append(&m->part[walker].waits, m->link, walk);
  return WALK_NONE;
}

/* The first that waits at a level; at most as many as there are places are looked at. */
static uint32_t first_at(const marching_t *m, const part_t *p) {
  uint32_t walk = p->waits.head;
  while (walk != WALK_NONE && m->env.walk[walk].level != p->level) walk = m->link[walk].next;
  return walk;
}

static uint32_t marching_next(void *state, uint32_t walker, uint32_t begun) {
  marching_t *m = state;
  part_t *p = &m->part[walker];
  if (begun >= m->env.marching->batch || p->waits.head == WALK_NONE) {
    if (!begun) walker_set_put(&m->idle, walker);
    return WALK_NONE;
  }
  if (!begun) p->level = m->env.walk[p->waits.head].level;
  uint32_t walk = first_at(m, p);
  if (walk == WALK_NONE) return WALK_NONE;
  walk_list_remove(&p->waits, &m->link[walk], m->link);
  walk_policy_stats_t *st = &m->env.stats[m->env.walk[walk].asid];
  st->batches += !begun;
  st->joined += begun != 0;
  return walk;
}

/* Its place is free for one that found none. */
static void marching_ended(void *state, uint32_t walk) {
  marching_t *m = state;
  uint32_t walker = m->walker[walk];
  m->part[walker].taken--;
  uint32_t first = walk_list_pop(&m->before, m->link);
  if (first == WALK_NONE) return;
  place(m, walker, first);
  walk_list_append(&m->part[walker].waits, m->link, first);
}

static bool marching_check(const void *state) {
  const marching_t *m = state;
  for (uint32_t w = 0; w < m->env.walkers; w++) {
    const part_t *p = &m->part[w];
    bool idle = walker_set_has(&m->idle, w);
    if (p->taken > m->env.marching->entries || p->waits.count > p->taken || (idle && p->taken) ||
        (m->before.count && p->taken < m->env.marching->entries))
      return false;
  }
  return true;
}

const walk_policy_t walk_marching = {
    .name = "marching",
    .help = "walks dealt to walkers, each of which has a batch under way (Marching Page Walks)",
    .state_bytes = marching_bytes,
    .init = marching_init,
    .arrive = marching_arrive,
    .next = marching_next,
    .ended = marching_ended,
    .check = marching_check,
};
