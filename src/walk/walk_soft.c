/* SoftWalker (MICRO'25): walks run on the SMs. Each has a buffer for a few of them, which a hidden
 * warp serves; a distributor deals walks to SMs with a place, in turn. With soft.hybrid the
 * hardware's walkers come first. Walkers below `hardware` are those; behind them SM i of the unit
 * has `slots` each. A walk that finds no place waits, in order of arrival.
 *
 * What a walk takes of its SM is in schedule.c and sm/cores.h. */
#include "walk/walkpolicy.h"

const opt_t soft_options[] = {
    {"slots", OPT_U32, offsetof(soft_spec_t, slots), 1, 32, 32, "walks",
     "that an SM has places for", NULL, NULL}, /* reported */
    {"setup", OPT_U32, offsetof(soft_spec_t, setup), 1, 1000, 6, "instructions",
     "of a walk beside those of its levels (26 in all are reported; how they divide is a guess)",
     NULL, NULL},
    {"level", OPT_U32, offsetof(soft_spec_t, level), 1, 1000, 5, "instructions",
     "of a walk for each level (as soft.setup)", NULL, NULL},
    {"way", OPT_U32, offsetof(soft_spec_t, way_cycles), 0, 1000, 0, "cycles",
     "between the last TLB and an SM, each way; 0: that TLB's latency", NULL, NULL}, /* reported */
    {"hybrid", OPT_BOOL, offsetof(soft_spec_t, hybrid), 0, 1, 0, "",
     "walks go to the hardware's walkers first, and to SMs if these are busy", NULL, NULL},
    {0},
};

typedef struct {
  walk_env_t env;
  uint32_t first, sms; /* of the unit */
  uint32_t turn;       /* the SM that is dealt the next walk */
  uint32_t hardware;   /* walkers */
  walker_set_t idle;   /* of the hardware's, and of SMs' places */
  walk_list_t waits;
  walk_link_t *link; /* [walk] */
  uint32_t used[];   /* [SM of the unit] places */
} soft_t;

static size_t soft_bytes(const walk_env_t *env) {
  return sizeof(soft_t) + env->sms * sizeof(uint32_t) + 8 + env->walks * sizeof(walk_link_t);
}

static void soft_init(void *state, const walk_env_t *env) {
  soft_t *s = state;
  s->env = *env;
  s->sms = env->sms;
  s->hardware = env->walkers - env->sms_of_all * env->soft->slots;
  s->link = (walk_link_t *)(void *)(s->used + (env->sms + 1) / 2 * 2);
  s->waits = walk_list_empty();
  walker_set_all(&s->idle, env->walkers);
}

/* The place of SM `sm` of the unit: the lowest that is free. */
static uint32_t place_on(soft_t *s, uint32_t sm) {
  uint32_t walker = s->hardware + (s->env.first_sm + sm) * s->env.soft->slots;
  while (!walker_set_has(&s->idle, walker)) walker++;
  walker_set_drop(&s->idle, walker);
  s->used[sm]++;
  return walker;
}

static uint32_t soft_arrive(void *state, uint32_t walk) {
  soft_t *s = state;
  for (uint32_t i = 0; i < s->hardware; i++)
    if (walker_set_has(&s->idle, i)) {
      walker_set_drop(&s->idle, i);
      return i;
    }
  for (uint32_t i = 0; i < s->sms; i++) {
    uint32_t sm = s->turn;
    s->turn = sm + 1 == s->sms ? 0 : sm + 1;
    if (s->used[sm] == s->env.soft->slots) continue;
    s->env.stats[s->env.walk[walk].asid].on_sms++;
    return place_on(s, sm);
  }
  walk_list_append(&s->waits, s->link, walk);
  return WALK_NONE;
}

static uint32_t soft_next(void *state, uint32_t walker, uint32_t begun) {
  soft_t *s = state;
  if (begun) return WALK_NONE;
  bool on_sm = walker >= s->hardware;
  uint32_t walk = walk_list_pop(&s->waits, s->link);
  if (walk != WALK_NONE) {
    s->env.stats[s->env.walk[walk].asid].on_sms += on_sm;
    return walk;
  }
  walker_set_put(&s->idle, walker);
  if (on_sm) s->used[(walker - s->hardware) / s->env.soft->slots - s->env.first_sm]--;
  return WALK_NONE;
}

static bool soft_check(const void *state) {
  const soft_t *s = state;
  bool full = true;
  for (uint32_t i = 0; i < s->hardware; i++) full &= !walker_set_has(&s->idle, i);
  for (uint32_t i = 0; i < s->sms; i++) {
    uint32_t used = 0, first = s->hardware + (s->env.first_sm + i) * s->env.soft->slots;
    for (uint32_t k = 0; k < s->env.soft->slots; k++) used += !walker_set_has(&s->idle, first + k);
    if (used != s->used[i]) return false;
    full &= used == s->env.soft->slots;
  }
  return full || !s->waits.count;
}

const walk_policy_t walk_soft = {
    .name = "softwalker",
    .help = "walks run on SMs, whose issue slots they take (SoftWalker)",
    .state_bytes = soft_bytes,
    .init = soft_init,
    .arrive = soft_arrive,
    .next = soft_next,
    .on_sms = true,
    .check = soft_check,
};
