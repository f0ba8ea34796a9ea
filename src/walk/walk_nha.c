/* Neighbourhood-aware walking (MICRO'18): one read of a page table brings a sector of several
 * entries, and walks of neighbouring pages need the others of them. While a walk reads a line, no
 * other reads it: those under way that need it are held back, and no walker begins one that waits
 * for it. When the line comes, every walk that needs it, under way or waiting, has its entry; one
 * that has its last entry so is over without a walker.
 *
 * Invariant: a walk that waits or is stopped lies in the bucket of its line, one that reads in that
 * of `reading`; `line` is that with which it was entered. No two read the same line. */
#include "assoc/assoc.h"
#include "walk/walkpolicy.h"

typedef enum {
  NHA_AWAY,    /* under way between two reads, or not there */
  NHA_READY,   /* waits for a walker */
  NHA_HELD,    /* waits for its line, without a walker */
  NHA_STOPPED, /* under way, and waits for its line */
  NHA_READING  /* under way */
} nha_what_t;

typedef struct {
  uint64_t line;
  uint32_t chain; /* next in its bucket of `reading` */
  uint8_t what;   /* nha_what_t */
} nha_walk_t;

typedef struct {
  walk_env_t env;
  walker_set_t idle;
  walk_list_t ready;
  uint32_t shift;       /* of a line's hash, to a bucket */
  walk_list_t *bucket;  /* of walks that need lines */
  uint32_t *reading;    /* of those that read them */
  walk_link_t *by_line; /* [walk]: link in its bucket */
  walk_link_t *by_age;  /* [walk]: link in `ready` */
  nha_walk_t walk[];
} nha_t;

static size_t nha_bytes(const walk_env_t *env) {
  return sizeof(nha_t) + (size_t)env->walks * (sizeof(nha_walk_t) + 2 * sizeof(walk_link_t)) +
         ((sizeof(walk_list_t) + sizeof(uint32_t)) << walk_bucket_bits(env->walks));
}

static void nha_init(void *state, const walk_env_t *env) {
  nha_t *n = state;
  uint32_t buckets = 1u << walk_bucket_bits(env->walks);
  n->env = *env;
  n->by_line = (walk_link_t *)(void *)(n->walk + env->walks);
  n->by_age = n->by_line + env->walks;
  n->bucket = (walk_list_t *)(void *)(n->by_age + env->walks);
  n->reading = (uint32_t *)(void *)(n->bucket + buckets);
  n->shift = 64 - walk_bucket_bits(env->walks);
  n->ready = walk_list_empty();
  for (uint32_t i = 0; i < buckets; i++) {
    n->bucket[i] = walk_list_empty();
    n->reading[i] = WALK_NONE;
  }
  walker_set_all(&n->idle, env->walkers);
}

static uint64_t hash(const nha_t *n, uint64_t line) { return assoc_hash(line) >> n->shift; }

static bool being_read(const nha_t *n, uint64_t line) {
  uint32_t w = n->reading[hash(n, line)];
  while (w != WALK_NONE && n->walk[w].line != line) w = n->walk[w].chain;
  return w != WALK_NONE;
}

/* `walk` waits for its line, or for a walker. */
static void enter(nha_t *n, uint32_t walk, nha_what_t what) {
  const walk_view_t *v = &n->env.walk[walk];
  n->walk[walk].line = v->line;
  n->walk[walk].what = (uint8_t)what;
  walk_list_append(&n->bucket[hash(n, v->line)], n->by_line, walk);
  if (what == NHA_READY)
    walk_list_append(&n->ready, n->by_age, walk);
  else
    n->env.stats[v->asid].held++;
}

static void leave(nha_t *n, uint32_t walk) {
  nha_walk_t *w = &n->walk[walk];
  walk_list_remove(&n->bucket[hash(n, w->line)], &n->by_line[walk], n->by_line);
  if (w->what == NHA_READY) walk_list_remove(&n->ready, &n->by_age[walk], n->by_age);
  w->what = NHA_AWAY;
}

static uint32_t nha_arrive(void *state, uint32_t walk) {
  nha_t *n = state;
  bool held = being_read(n, n->env.walk[walk].line);
  uint32_t walker = held ? WALK_NONE : walker_set_take(&n->idle, n->env.walkers);
  if (walker != WALK_NONE) return walker;
  enter(n, walk, held ? NHA_HELD : NHA_READY);
  return WALK_NONE;
}

static uint32_t nha_next(void *state, uint32_t walker, uint32_t begun) {
  nha_t *n = state;
  for (uint32_t walk; !begun && (walk = n->ready.head) != WALK_NONE;) {
    leave(n, walk);
    if (!being_read(n, n->walk[walk].line)) return walk;
    enter(n, walk, NHA_HELD);
  }
  if (!begun) walker_set_put(&n->idle, walker);
  return WALK_NONE;
}

static bool nha_may_read(void *state, uint32_t walk) {
  nha_t *n = state;
  uint64_t line = n->env.walk[walk].line;
  if (line == WALK_NO_LINE) return true;
  if (being_read(n, line)) {
    enter(n, walk, NHA_STOPPED);
    return false;
  }
  uint32_t *bucket = &n->reading[hash(n, line)];
  n->walk[walk] = (nha_walk_t){line, *bucket, NHA_READING};
  *bucket = walk;
  return true;
}

static void has_read(nha_t *n, uint32_t walk) {
  uint32_t *link = &n->reading[hash(n, n->walk[walk].line)];
  while (*link != walk) link = &n->walk[*link].chain;
  *link = n->walk[walk].chain;
  n->walk[walk].what = NHA_AWAY;
}

/* The reader is the last to leave: whoever comes to need its line meanwhile has it, too. */
static uint32_t nha_shares(void *state, uint32_t walk) {
  nha_t *n = state;
  if (n->walk[walk].what != NHA_READING) return WALK_NONE;
  uint64_t line = n->walk[walk].line;
  uint32_t w = n->bucket[hash(n, line)].head;
  while (w != WALK_NONE && n->walk[w].line != line) w = n->by_line[w].next;
  if (w == WALK_NONE) {
    has_read(n, walk);
    return WALK_NONE;
  }
  leave(n, w);
  n->env.stats[n->env.walk[w].asid].shared++;
  return w;
}

/* Who is held back or stopped waits for a line that somebody reads. */
static bool nha_check(const void *state) {
  const nha_t *n = state;
  uint32_t ready = 0, waits = 0, listed = 0;
  for (uint32_t i = 0; i < n->env.walks; i++) {
    const nha_walk_t *w = &n->walk[i];
    ready += w->what == NHA_READY;
    waits += w->what != NHA_AWAY && w->what != NHA_READING;
    if ((w->what == NHA_HELD || w->what == NHA_STOPPED) && !being_read(n, w->line)) return false;
  }
  for (uint32_t i = 0; i <= UINT64_MAX >> n->shift; i++) listed += n->bucket[i].count;
  return ready == n->ready.count && waits == listed;
}

const walk_policy_t walk_nha = {
    .name = "nha",
    .help = "in order of arrival; walks that need a line being read have their entry from it (NHA)",
    .state_bytes = nha_bytes,
    .init = nha_init,
    .arrive = nha_arrive,
    .next = nha_next,
    .may_read = nha_may_read,
    .shares = nha_shares,
    .check = nha_check,
};
