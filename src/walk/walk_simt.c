/* SIMT-aware scheduling of page walks (ISCA'18): a warp goes on when the last walk of its
 * instruction is over. So a walker that is free takes a walk of the instruction that was served
 * last, as long as there are some; else one of the instruction with the least work: the reads that
 * its waiting walks need, by what the page-walk cache had when they arrived. A walk that too
 * many later ones went before goes first.
 *
 * Instructions with waiting walks lie in lists by their work, a list for each sum up to MOST_WORK:
 * a choice looks at a few words. */
#include "assoc/assoc.h"
#include "walk/walkpolicy.h"

const opt_t simt_options[] = {
    {"age", OPT_U32, offsetof(simt_spec_t, age_walks), 0, 1000000, 1024, "walks",
     "that may arrive after one that waits and go before it, then it is next; 0: any number (a "
     "guess)",
     NULL, NULL},
    {0},
};

#define MOST_WORK 256 /* more is as much */

/* Walks of an instruction that wait; its number is that of one of them, the first that came. */
typedef struct {
  uint64_t instruction;
  uint32_t work;
  uint32_t chain;    /* next in its bucket */
  walk_list_t walks; /* linked through `link` */
} simt_group_t;

typedef struct {
  walk_env_t env;
  walker_set_t idle;
  uint64_t begun,
      last;       /* walks that waited and were begun; the instruction of the last walk begun */
  bool any;       /* there was one */
  uint32_t shift; /* of the hash, to a bucket */
  uint64_t some[MOST_WORK / 64]; /* which of by_work are not empty */
  walk_list_t by_work[MOST_WORK];
  walk_list_t by_age;               /* linked through `age` */
  uint32_t free;                    /* groups, linked through chain */
  walk_link_t *link, *age, *places; /* [walk], [walk], [group]: as in walk_list_t */
  uint64_t *since;    /* [walk]: `begun` when all that waited when it arrived have gone before it */
  uint32_t *group_of; /* [walk] */
  simt_group_t *group; /* [walk]: as many as there may be */
  uint32_t *bucket;
} simt_t;

static size_t simt_bytes(const walk_env_t *env) {
  return sizeof(simt_t) +
         (size_t)env->walks * (3 * sizeof(walk_link_t) + sizeof(uint64_t) + sizeof(uint32_t) +
                               sizeof(simt_group_t)) +
         (sizeof(uint32_t) << walk_bucket_bits(env->walks)) + 16;
}

static void simt_init(void *state, const walk_env_t *env) {
  simt_t *s = state;
  s->env = *env;
  s->group = (simt_group_t *)(void *)(s + 1);
  s->since = (uint64_t *)(void *)(s->group + env->walks);
  s->link = (walk_link_t *)(void *)(s->since + env->walks);
  s->age = s->link + env->walks;
  s->places = s->age + env->walks;
  s->group_of = (uint32_t *)(void *)(s->places + env->walks);
  s->bucket = s->group_of + env->walks;
  s->shift = 64 - walk_bucket_bits(env->walks);
  for (uint32_t i = 0; i < 1u << walk_bucket_bits(env->walks); i++) s->bucket[i] = WALK_NONE;
  for (uint32_t i = 0; i < MOST_WORK; i++) s->by_work[i] = walk_list_empty();
  for (uint32_t i = 0; i < env->walks; i++) s->group[i].chain = i + 1;
  s->by_age = walk_list_empty();
  walker_set_all(&s->idle, env->walkers);
}

static uint32_t *bucket_of(const simt_t *s, uint64_t instruction) {
  return &s->bucket[assoc_hash(instruction) >> s->shift];
}

static uint32_t find(const simt_t *s, uint64_t instruction) {
  uint32_t g = *bucket_of(s, instruction);
  while (g != WALK_NONE && s->group[g].instruction != instruction) g = s->group[g].chain;
  return g;
}

static uint32_t list_of(uint32_t work) { return work < MOST_WORK ? work : MOST_WORK - 1; }
static void enter(simt_t *s, uint32_t g) {
  uint32_t i = list_of(s->group[g].work);
  walk_list_append(&s->by_work[i], s->places, g);
  s->some[i / 64] |= UINT64_C(1) << i % 64;
}
static void leave(simt_t *s, uint32_t g) {
  uint32_t i = list_of(s->group[g].work);
  walk_list_remove(&s->by_work[i], &s->places[g], s->places);
  if (!s->by_work[i].count) s->some[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static uint32_t new_group(simt_t *s, uint64_t instruction) {
  uint32_t g = s->free, *bucket = bucket_of(s, instruction);
  s->free = s->group[g].chain;
  s->group[g] = (simt_group_t){instruction, 0, *bucket, walk_list_empty()};
  *bucket = g;
  return g;
}

static void give_group(simt_t *s, uint32_t g) {
  uint32_t *link = bucket_of(s, s->group[g].instruction);
  while (*link != g) link = &s->group[*link].chain;
  *link = s->group[g].chain;
  s->group[g].chain = s->free;
  s->free = g;
}

static uint32_t simt_arrive(void *state, uint32_t walk) {
  simt_t *s = state;
  const walk_view_t *v = &s->env.walk[walk];
  uint32_t walker = walker_set_take(&s->idle, s->env.walkers);
  if (walker != WALK_NONE) {
    s->last = v->instruction;
    s->any = true;
    return walker;
  }
  uint32_t g = find(s, v->instruction);
  if (g == WALK_NONE)
    g = new_group(s, v->instruction);
  else
    leave(s, g);
  s->group[g].work += v->reads;
  enter(s, g);
  walk_list_append(&s->group[g].walks, s->link, walk);
  walk_list_append(&s->by_age, s->age, walk);
  s->group_of[walk] = g;
  s->since[walk] = s->begun + s->by_age.count - 1;
  return WALK_NONE;
}

static uint32_t least_work(const simt_t *s) {
  for (uint32_t i = 0; i < MOST_WORK / 64; i++)
    if (s->some[i]) return s->by_work[i * 64 + (uint32_t)__builtin_ctzll(s->some[i])].head;
  return WALK_NONE;
}

static void begin(simt_t *s, uint32_t walk) {
  uint32_t g = s->group_of[walk];
  leave(s, g);
  walk_list_remove(&s->group[g].walks, &s->link[walk], s->link);
  walk_list_remove(&s->by_age, &s->age[walk], s->age);
  s->group[g].work -= s->env.walk[walk].reads;
  s->last = s->group[g].instruction;
  s->any = true;
  s->begun++;
  if (s->group[g].walks.count) {
    enter(s, g);
  } else { /* what its warp asks for next is another instruction's */
    s->any = false;
    give_group(s, g);
  }
}

/* The oldest walk that waits has been overtaken by so many that arrived after it. */
static uint64_t overtakers(const simt_t *s) { return s->begun - s->since[s->by_age.head]; }

static uint32_t simt_next(void *state, uint32_t walker, uint32_t begun) {
  simt_t *s = state;
  uint32_t oldest = s->by_age.head, age = s->env.simt->age_walks;
  if (begun || oldest == WALK_NONE) {
    if (!begun) walker_set_put(&s->idle, walker);
    return WALK_NONE;
  }
  uint32_t walk = oldest, last = s->any ? find(s, s->last) : WALK_NONE;
  asid_t app = s->env.walk[oldest].asid;
  if (age && overtakers(s) >= age) {
    s->env.stats[app].overtaken++;
  } else if (last != WALK_NONE) {
    walk = s->group[last].walks.head;
    s->env.stats[s->env.walk[walk].asid].batched++;
  } else {
    walk = s->group[least_work(s)].walks.head;
  }
  begin(s, walk);
  return walk;
}

static bool simt_check(const void *state) {
  const simt_t *s = state;
  uint32_t walks = 0, groups = 0;
  for (uint32_t i = 0; i < MOST_WORK; i++) {
    groups += s->by_work[i].count;
    if (!s->by_work[i].count != !(s->some[i / 64] >> i % 64 & 1)) return false;
    for (uint32_t g = s->by_work[i].head; g != WALK_NONE; g = s->places[g].next)
      walks += s->group[g].walks.count;
  }
  return walks == s->by_age.count && groups <= walks;
}

const walk_policy_t walk_simt = {
    .name = "simt",
    .help =
        "walks of the instruction served last, then of the one with the least work (SIMT-aware)",
    .state_bytes = simt_bytes,
    .init = simt_init,
    .arrive = simt_arrive,
    .next = simt_next,
    .check = simt_check,
};
